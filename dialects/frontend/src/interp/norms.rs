//! Softmax and normalizations: means and sums along axes, each an `f64` until the result is rounded.

use dlc_core::eval::{elem, give, tensor};
use dlc_core::tensor::{Combine, TensorValue};
use dlc_ir::interp::{Eval, EvalResult};
use dlc_ir::{Context, Type, ValueId};

use crate::ops::{BatchNorm, GroupNorm, LayerNorm, Layout, LogSoftmax, RmsNorm, Softmax};
use crate::shape::normalized;

/// What is added to a variance unless something else is said.
pub const EPS: f64 = 1e-5;

type Computed = Result<TensorValue, String>;

/// Exponentials divided by their sum.
pub fn softmax(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, x) = (cx.op.ctx, tensor(cx, 0)?);
    let axis = Softmax::from(cx.op).axis().map_or(x.rank().saturating_sub(1), |axis| axis as usize);
    give(cx, exponentials(ctx, x, axis).and_then(|(_, e, sum)| e.zip_float(ctx, &sum, elem(cx), |e, sum| e / sum)))
}

/// The logarithm of that.
pub fn log_softmax(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, x) = (cx.op.ctx, tensor(cx, 0)?);
    let axis = LogSoftmax::from(cx.op).axis().map_or(x.rank().saturating_sub(1), |axis| axis as usize);
    let logs = exponentials(ctx, x, axis);
    give(cx, logs.and_then(|(moved, _, sum)| moved.zip_float(ctx, &sum, elem(cx), |x, sum| x - libm::log(sum))))
}

/// What is left of the elements when the largest along an axis is subtracted, the exponentials of that, and their sum;
/// the axis of the sum has size 1.
pub(super) fn exponentials(
    ctx: &Context,
    x: &TensorValue,
    axis: usize,
) -> Result<(TensorValue, TensorValue, TensorValue), String> {
    let largest = along(ctx, x, Combine::Max, &[axis])?;
    let moved = x.zip_float(ctx, &largest, Type::F64, |x, largest| x - largest)?;
    let exponentials = moved.map_float(ctx, Type::F64, libm::exp)?;
    let sum = along(ctx, &exponentials, Combine::Sum, &[axis])?;
    Ok((moved, exponentials, sum))
}

/// Some axes combined; they stay, with size 1.
pub(super) fn along(ctx: &Context, x: &TensorValue, combine: Combine, axes: &[usize]) -> Computed {
    let mut shape = x.shape().to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    x.reduce(ctx, combine, axes, Type::F64)?.reshape(&shape)
}

/// The mean along some axes, which stay with size 1.
pub(super) fn mean(ctx: &Context, x: &TensorValue, axes: &[usize]) -> Computed {
    let count: f64 = axes.iter().map(|&axis| x.shape()[axis] as f64).product();
    along(ctx, x, Combine::Sum, axes)?.map_float(ctx, Type::F64, |sum| sum / count)
}

/// Moved and scaled to mean 0 and variance 1 along some axes.
fn standardized(ctx: &Context, x: &TensorValue, axes: &[usize], eps: f64) -> Computed {
    let centred = x.zip_float(ctx, &mean(ctx, x, axes)?, Type::F64, |x, mean| x - mean)?;
    scaled(ctx, &centred, axes, eps)
}

/// Scaled to mean square 1 along some axes.
fn scaled(ctx: &Context, x: &TensorValue, axes: &[usize], eps: f64) -> Computed {
    let square = mean(ctx, &x.map_float(ctx, Type::F64, |x| x * x)?, axes)?;
    x.zip_float(ctx, &square, Type::F64, |x, square| x / libm::sqrt(square + eps))
}

/// The operand of a value, if there is one.
fn parameter<'c>(cx: &'c Eval<'_, '_>, value: Option<ValueId>) -> Option<&'c TensorValue> {
    let place = cx.op.operands().position(|operand| Some(operand) == value)?;
    tensor(cx, place).ok()
}

/// `x * weight + bias`, whose axes are some of those of `x`; rounded to the type of the result.
fn affine(
    cx: &Eval<'_, '_>,
    x: &TensorValue,
    axes: &[usize],
    weight: Option<&TensorValue>,
    bias: Option<&TensorValue>,
) -> Computed {
    let (ctx, mut x) = (cx.op.ctx, x.clone());
    if let Some(weight) = weight {
        x = x.zip_float(ctx, &weight.broadcast_in_dim(x.shape(), axes)?, Type::F64, |x, weight| x * weight)?;
    }
    if let Some(bias) = bias {
        x = x.zip_float(ctx, &bias.broadcast_in_dim(x.shape(), axes)?, Type::F64, |x, bias| x + bias)?;
    }
    x.cast(ctx, elem(cx))
}

/// Mean 0 and variance 1 along the axes.
pub fn layer_norm(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, x) = (cx.op.ctx, LayerNorm::from(cx.op), tensor(cx, 0)?);
    let axes = normalized(op.axes(), x.rank());
    let (weight, bias) = (parameter(cx, op.weight()), parameter(cx, op.bias()));
    let y = standardized(ctx, x, &axes, op.eps().unwrap_or(EPS));
    give(cx, y.and_then(|y| affine(cx, &y, &axes, weight, bias)))
}

/// Mean square 1 along the axes.
pub fn rms_norm(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, x) = (cx.op.ctx, RmsNorm::from(cx.op), tensor(cx, 0)?);
    let axes = normalized(op.axes(), x.rank());
    let weight = parameter(cx, op.weight());
    let y = scaled(ctx, x, &axes, op.eps().unwrap_or(EPS));
    give(cx, y.and_then(|y| affine(cx, &y, &axes, weight, None)))
}

/// Mean 0 and variance 1 over the channels of a group and the spatial axes.
pub fn group_norm(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, x) = (cx.op.ctx, GroupNorm::from(cx.op), tensor(cx, 0)?);
    let channels = op.layout().unwrap_or(Layout::ChannelsFirst).channels(x.rank());
    let groups = op.groups() as usize;
    // The axis of the channels as two: the groups, and the channels of one.
    let mut split = x.shape().to_vec();
    split.splice(channels..=channels, [groups, x.shape()[channels] / groups]);
    let axes: Vec<usize> = (1..split.len()).filter(|&axis| axis != channels).collect();
    let (weight, bias) = (parameter(cx, op.weight()), parameter(cx, op.bias()));
    let y = x.reshape(&split).and_then(|x| standardized(ctx, &x, &axes, op.eps().unwrap_or(EPS)));
    let y = y.and_then(|y| y.reshape(x.shape()));
    give(cx, y.and_then(|y| affine(cx, &y, &[channels], weight, bias)))
}

/// Moved and scaled by a mean and a variance that are known.
pub fn batch_norm(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, x) = (cx.op.ctx, BatchNorm::from(cx.op), tensor(cx, 0)?);
    let (means, variances) = (tensor(cx, 1)?, tensor(cx, 2)?);
    let eps = op.eps().unwrap_or(EPS);
    let axes = [op.layout().unwrap_or(Layout::ChannelsFirst).channels(x.rank())];
    let (weight, bias) = (parameter(cx, op.weight()), parameter(cx, op.bias()));
    let y = means.broadcast_in_dim(x.shape(), &axes).and_then(|means| {
        let variances = variances.broadcast_in_dim(x.shape(), &axes)?;
        let standard = |x: f64, mean: f64, variance: f64| (x - mean) / libm::sqrt(variance + eps);
        x.zip3_float(ctx, &means, &variances, Type::F64, standard)
    });
    give(cx, y.and_then(|y| affine(cx, &y, &axes, weight, bias)))
}
