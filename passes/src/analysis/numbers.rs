//! Numbers of attributes.

use dlc_ir::attrs::AttrData;
use dlc_ir::{Attr, Context};

/// Whether all bits of a number are zero: of floats it is the positive zero, as memory that is filled with zeros has it.
pub fn is_zero(ctx: &Context, number: Attr) -> bool {
    matches!(ctx.attr_data(number), AttrData::Integer { value: 0, .. } | AttrData::Float { bits: 0, .. })
}
