//! Functions of each element whose rules are not those that layers share.

use dlc_core::broadcast::{broadcast, promote};
use dlc_core::infer::{as_float, attr, operand, tensor};
use dlc_ir::define::TypeAttr;
use dlc_ir::op::{InferCx, Inferred};

/// All three broadcast, in their common type, which is one of floats.
pub fn lerp(cx: &InferCx<'_>) -> Inferred {
    let ((a, a_elem), (b, b_elem), (c, c_elem)) = (operand(cx, 0)?, operand(cx, 1)?, operand(cx, 2)?);
    let elem = promote(cx.ctx, promote(cx.ctx, a_elem, b_elem)?, c_elem)?;
    tensor(cx.ctx, broadcast(&broadcast(&a, &b)?, &c)?, as_float(cx.ctx, elem))
}

/// The sizes of the operand with other elements.
pub fn cast(cx: &InferCx<'_>) -> Inferred {
    let (dims, _) = operand(cx, 0)?;
    tensor(cx.ctx, dims, attr::<TypeAttr>(cx, "elem")?)
}
