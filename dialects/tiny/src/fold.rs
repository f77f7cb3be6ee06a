//! Local simplification: what an op is when its operands are constants, or known to be each other.

use dlc_core::types::Tensor;
use dlc_ir::attrs::AttrData;
use dlc_ir::op::Folded;
use dlc_ir::{Attr, Builder, Loc, OpId, Type};

use crate::ops::Const;

/// The constants of the operands; `None` where one is not known.
type Constants<'a> = &'a [Option<Attr>];

/// Makes a constant of a number or a dense tensor.
pub fn materialize(builder: &mut Builder<'_>, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
    let ctx = builder.ctx;
    let elem = Tensor::of(ctx, ty)?.elem(ctx);
    let fits = match ctx.attr_data(value) {
        AttrData::Integer { ty, .. } | AttrData::Float { ty, .. } => *ty == elem,
        AttrData::Dense(dense) => crate::syntax::dense_type(ctx, dense) == Some(ty),
        _ => false,
    };
    fits.then(|| Const::build(builder, loc, value, ty))
}

/// A constant is its value.
pub fn const_(op: Const<'_>, _: Constants<'_>) -> Folded {
    Folded::attr(op.value())
}
