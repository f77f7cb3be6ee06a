//! The sizes of views that layers do not share.

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::views::provably_not;
use dlc_core::infer::{attr, operand, tensor};
use dlc_core::sizes::Sizes;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineError, SizeExpr, SizeRanges};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

use super::reductions::axis_of;

dlc_ir::codes! {
    /// Tensors that are put together, or the parts of one, do not have the sizes that they need.
    PARTS_MISMATCH = "E1206" "PartsMismatch";
}

pub(super) fn overflow(error: AffineError) -> BrokenRule {
    error.message.into_owned().into()
}

/// The sizes that are given, which the operand broadcasts to.
pub fn expand(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), shape) = (operand(cx, 0)?, attr::<Sizes>(cx, "shape")?);
    if broadcast(&dims, &shape).ok().as_ref() != Some(&shape) {
        let message = format!("{} does not expand to {}", show(&dims), show(&shape));
        return Err(BrokenRule::from(message).suggest("axes are aligned at the right, and only those of size 1 expand"));
    }
    tensor(cx.ctx, shape, elem)
}

/// The sizes on the axis added up.
pub fn concat(cx: &InferCx<'_>) -> Inferred {
    let (mut dims, mut elem) = operand(cx, 0)?;
    let axis = axis_of(cx, &dims)?;
    for index in 1..cx.operands.len() {
        let (other, other_elem) = operand(cx, index)?;
        elem = promote(cx.ctx, elem, other_elem)?;
        let fits = dims.len() == other.len() && (0..dims.len()).all(|at| at == axis || dims[at] == other[at]);
        if !fits {
            let message = format!("{} and {} differ in more than axis {axis}", show(&dims), show(&other));
            return Err(BrokenRule::new(&PARTS_MISMATCH, message));
        }
        dims[axis] = dims[axis].add(&other[axis]).map_err(overflow)?;
    }
    tensor(cx.ctx, dims, elem)
}

/// The sizes that are given on the axis, which add up to that of the operand.
pub fn split(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), sizes) = (operand(cx, 0)?, attr::<Sizes>(cx, "sizes")?);
    let axis = axis_of(cx, &dims)?;
    let sum = sizes.iter().try_fold(SizeExpr::from(0), |sum, size| sum.add(size)).map_err(overflow)?;
    if sum.prove_eq(&dims[axis], &SizeRanges::default()) != Some(true) {
        let message = format!("axis {axis} of {} is split into {}, which are {sum}", show(&dims), show(&sizes));
        return Err(BrokenRule::new(&PARTS_MISMATCH, message));
    }
    let part = |size: SizeExpr| {
        let mut dims = dims.clone();
        dims[axis] = size;
        Tensor::get(cx.ctx, dims, elem)
    };
    Ok(sizes.into_iter().map(part).collect())
}

/// Whether an index can be before the end of an axis.
pub fn within(index: &SizeExpr, dim: &SizeExpr) -> bool {
    !provably_not(index, dim)
}
