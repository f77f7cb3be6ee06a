//! Positions as numbers, and elements by position.

use dlc_core::eval::{elem, shape, tensor};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult};

use super::give;
use crate::ops::Range;

/// The index on one axis.
pub fn range(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (shape, elem, axis) = (shape(cx)?, elem(cx), Range::from(cx.op).axis());
    let axis = usize::try_from(axis).map_err(|_| cx.fail(&CANNOT_RUN, "there is no such axis"))?;
    give(cx, TensorValue::iota(cx.op.ctx, shape, elem, axis))
}

/// The elements at indices that are values.
pub fn index(cx: &mut Eval<'_, '_>) -> EvalResult {
    let indices: Result<Vec<&TensorValue>, _> = (1..cx.operands.len()).map(|at| tensor(cx, at)).collect();
    give(cx, tensor(cx, 0)?.gather(cx.op.ctx, &indices?))
}
