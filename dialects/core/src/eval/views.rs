//! What views mean, whose attributes have the same names in every layer.

use dlc_ir::define::{IntArray, Kind};
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult, Failure};

use super::{give, shape, sizes, tensor};
use crate::sizes::Sizes;

/// An attribute of a kind that may be absent.
fn optional<'c, K: Kind>(cx: &Eval<'_, 'c>, key: &str) -> Option<K::Value<'c>> {
    K::get(cx.op.ctx, cx.op.prop_named(key)?)
}

fn places(cx: &Eval<'_, '_>, key: &str) -> Result<Vec<usize>, Failure> {
    let axes = optional::<IntArray>(cx, key).ok_or_else(|| cx.fail(&CANNOT_RUN, format!("'{key}' is missing")))?;
    let place =
        |&axis: &i64| usize::try_from(axis).map_err(|_| cx.fail(&CANNOT_RUN, format!("there is no axis {axis}")));
    axes.iter().map(place).collect()
}

fn sizes_of(cx: &mut Eval<'_, '_>, key: &str) -> Result<Vec<usize>, Failure> {
    let exprs = optional::<Sizes>(cx, key).ok_or_else(|| cx.fail(&CANNOT_RUN, format!("'{key}' is missing")))?;
    sizes(cx, &exprs)
}

/// The same elements in the same order, under the sizes of the result.
pub fn reshape(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    give(cx, tensor(cx, 0)?.reshape(&shape))
}

/// The axes in the order that `order` says.
pub fn permute(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.permute(&places(cx, "order")?))
}

/// The elements from `start` to before `stop`, every `step`-th.
pub fn shrink(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (start, stop) = (sizes_of(cx, "start")?, sizes_of(cx, "stop")?);
    let step = match cx.op.prop_named("step") {
        Some(_) => places(cx, "step")?,
        None => vec![1; start.len()],
    };
    let ranges: Vec<_> =
        start.into_iter().zip(stop).zip(step).map(|((start, stop), step)| (start, stop, step)).collect();
    give(cx, tensor(cx, 0)?.shrink(&ranges))
}

/// The axes of `axes` from end to start.
pub fn flip(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.flip(&places(cx, "axes")?))
}
