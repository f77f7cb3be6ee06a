//! Numbers of attributes.

use dlc_core::scalar::{Binary, Combiner};
use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Context};

/// Whether all bits of a number are zero: of floats it is the positive zero, as memory that is filled with zeros has it.
pub fn is_zero(ctx: &Context, number: Attr) -> bool {
    matches!(ctx.attr_data(number), AttrData::Integer { value: 0, .. } | AttrData::Float { bits: 0, .. })
}

/// What combines two numbers.
pub fn function(combiner: Combiner) -> Binary {
    match combiner {
        Combiner::Sum => Binary::Add,
        Combiner::Prod => Binary::Mul,
        Combiner::Max => Binary::Max,
        Combiner::Min => Binary::Min,
    }
}
