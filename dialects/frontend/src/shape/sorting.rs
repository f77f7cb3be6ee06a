//! What is sorted.

use dlc_core::broadcast::show;
use dlc_core::infer::{attr, operand};
use dlc_core::types::Tensor;
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Int;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};
use dlc_ir::smallvec::smallvec;

use super::reductions::axis_of;

/// The sizes, the type of the elements and the axis.
fn sorted(cx: &InferCx<'_>) -> Result<(Vec<SizeExpr>, Type, usize), BrokenRule> {
    let (dims, elem) = operand(cx, 0)?;
    let axis = axis_of(cx, &dims)?;
    if elem.bits(cx.ctx).is_none_or(|bits| bits > 32) {
        let message = format!("elements of at most 32 bits are sorted, not {}", elem.display(cx.ctx));
        return Err(BrokenRule::from(message).suggest("cast the operand to a 32-bit type"));
    }
    Ok((dims, elem, axis))
}

/// As the operand, and positions.
pub fn sort(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem, _) = sorted(cx)?;
    Ok(smallvec![Tensor::get(cx.ctx, dims.clone(), elem), Tensor::get(cx.ctx, dims, Type::I32)])
}

/// The same with so many positions on the axis.
pub fn topk(cx: &InferCx<'_>) -> Inferred {
    let (mut dims, elem, axis) = sorted(cx)?;
    let count = attr::<Int>(cx, "count")?;
    if count < 0 || dims[axis].as_constant().is_some_and(|size| size < count) {
        return Err(format!("axis {axis} of {} has no {count} positions", show(&dims)).into());
    }
    dims[axis] = SizeExpr::from(count);
    Ok(smallvec![Tensor::get(cx.ctx, dims.clone(), elem), Tensor::get(cx.ctx, dims, Type::I32)])
}
