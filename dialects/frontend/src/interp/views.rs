//! Views that layers do not share.

use dlc_core::eval::{elem, give, shape, shape_of, sizes, tensor, tensor_as};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{CANNOT_RUN, Data, Datum, Eval, EvalResult, Outcome};

use super::positions::number;
use crate::ops::{Concat, Pad, Split};

/// Repeated along axes of size 1 and new axes.
pub fn expand(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    give(cx, tensor(cx, 0)?.broadcast_to(&shape))
}

/// A number put around.
pub fn pad(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem, op) = (cx.op.ctx, elem(cx), Pad::from(cx.op));
    let (low, high) = (sizes(cx, &op.low())?, sizes(cx, &op.high())?);
    let around: Vec<(usize, usize)> = low.into_iter().zip(high).collect();
    give(cx, tensor(cx, 0)?.pad(ctx, &around, &number(ctx, op.fill().unwrap_or(0.0), elem)))
}

/// One after the other.
pub fn concat(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, shape, elem) = (cx.op.ctx, shape(cx)?, elem(cx));
    let axis = Concat::from(cx.op).axis() as usize;
    let following: usize = shape[axis + 1..].iter().product();
    let before: usize = shape[..axis].iter().product();
    let inputs = (0..cx.operands.len()).map(|index| tensor_as(cx, index, elem)).collect::<Result<Vec<_>, _>>()?;
    // Of each tensor the elements of one index before the axis lie together.
    fn join<T: Copy>(inputs: &[(Vec<T>, usize)], before: usize) -> Vec<T> {
        let rows = (0..before).flat_map(|row| inputs.iter().map(move |(values, len)| &values[row * len..][..*len]));
        rows.flatten().copied().collect()
    }
    let length = |input: &TensorValue| input.shape()[axis] * following;
    let floats = elem.float_kind(ctx).is_some();
    give(
        cx,
        match floats {
            true => {
                let parts: Vec<_> = inputs.iter().map(|input| (input.to_f64s(), length(input))).collect();
                TensorValue::from_f64(ctx, shape, elem, join(&parts, before))
            }
            false => {
                let parts: Vec<_> = inputs.iter().map(|input| (input.to_i64s(), length(input))).collect();
                TensorValue::from_i64(ctx, shape, elem, join(&parts, before))
            }
        },
    )
}

/// In parts.
pub fn split(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axis = Split::from(cx.op).axis() as usize;
    let (mut values, mut start) = (Data::new(), 0);
    for part in 0..cx.op.results().count() {
        let stop = start + shape_of(cx, part)?[axis];
        let input = tensor(cx, 0)?;
        let mut ranges: Vec<_> = input.shape().iter().map(|&size| (0, size, 1)).collect();
        ranges[axis] = (start, stop, 1);
        let value = input.shrink(&ranges).map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
        values.push(Datum::opaque(value));
        start = stop;
    }
    Ok(Outcome::Values(values))
}
