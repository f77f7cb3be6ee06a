//! Rows that become distributions, are normalized, or attend to others.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, IntArray, Unit, op};

use super::Layout;
use crate::types::{FloatTensor, Real};
use crate::{interp, shape, verify};

/// Exponentials along an axis, divided by their sum.
///
/// `out[i] = exp(x[i] - max(x)) / sum over j of exp(x[j] - max(x))`
///
/// Without `over` it is the last axis.
#[op("frontend.softmax", traits(Pure), format = "$input (`over` $axis^)? attr-dict `:` type($out)",
     infer = shape::softmax, eval = interp::softmax, example = "%p = softmax %s over 3 : tensor<[B, H, M, N], f32>")]
pub struct Softmax {
    input: Operand<FloatTensor>,
    axis: OptionalAttr<Int>,
    out: Result<FloatTensor>,
}

/// The logarithm of `softmax`.
///
/// `out[i] = x[i] - max(x) - log(sum over j of exp(x[j] - max(x)))`
///
/// Without `over` it is the last axis.
#[op("frontend.log_softmax", traits(Pure), format = "$input (`over` $axis^)? attr-dict `:` type($out)",
     infer = shape::softmax, eval = interp::log_softmax, example = "%p = log_softmax %s : tensor<[B, C], f32>")]
pub struct LogSoftmax {
    input: Operand<FloatTensor>,
    axis: OptionalAttr<Int>,
    out: Result<FloatTensor>,
}

/// Elements moved and scaled so that along some axes their mean is 0 and their variance 1; then `weight` and `bias`,
/// which have the sizes of these axes.
///
/// `out = (x - mean(x)) / sqrt(mean((x - mean(x))**2) + eps) * weight + bias`
///
/// Without `over` it is the last axis.
#[op("frontend.layer_norm", traits(Pure),
     format = "$input (`weight` $weight^)? (`bias` $bias^)? (`over` $axes^)? (`eps` $eps^)? attr-dict `:` type($out)",
     infer = shape::norm, verify = verify::layer_norm, eval = interp::layer_norm,
     example = "%y = layer_norm %x weight %w bias %b over [2] eps 1.0e-05 : tensor<[B, S, D], f16>")]
pub struct LayerNorm {
    input: Operand<FloatTensor>,
    weight: OptionalOperand<FloatTensor>,
    bias: OptionalOperand<FloatTensor>,
    /// Ascending.
    axes: OptionalAttr<IntArray>,
    /// By default 1e-5.
    eps: OptionalAttr<Real>,
    out: Result<FloatTensor>,
}

/// Elements scaled so that along some axes their mean square is 1; then `weight`, which has the sizes of these axes.
///
/// `out = x / sqrt(mean(x**2) + eps) * weight`
///
/// Without `over` it is the last axis.
#[op("frontend.rms_norm", traits(Pure),
     format = "$input (`weight` $weight^)? (`over` $axes^)? (`eps` $eps^)? attr-dict `:` type($out)",
     infer = shape::norm, verify = verify::rms_norm, eval = interp::rms_norm,
     example = "%y = rms_norm %x weight %w eps 1.0e-05 : tensor<[B, S, D], bf16>")]
pub struct RmsNorm {
    input: Operand<FloatTensor>,
    weight: OptionalOperand<FloatTensor>,
    /// Ascending.
    axes: OptionalAttr<IntArray>,
    /// By default 1e-5.
    eps: OptionalAttr<Real>,
    out: Result<FloatTensor>,
}

/// `layer_norm` over the channels of a group and all spatial axes; then a `weight` and a `bias` for each channel.
///
/// `out = (x - mean(x)) / sqrt(mean((x - mean(x))**2) + eps) * weight[c] + bias[c]`
#[op("frontend.group_norm", traits(Pure),
     format = "$input `groups` $groups (`weight` $weight^)? (`bias` $bias^)? (`eps` $eps^)? (`layout` $layout^)? \
               attr-dict `:` type($out)",
     infer = shape::norm, verify = verify::group_norm, eval = interp::group_norm,
     example = "%y = group_norm %x groups 8 weight %w bias %b : tensor<[N, 64, H, W], f32>")]
pub struct GroupNorm {
    input: Operand<FloatTensor>,
    weight: OptionalOperand<FloatTensor>,
    bias: OptionalOperand<FloatTensor>,
    groups: Attr<Int>,
    /// By default 1e-5.
    eps: OptionalAttr<Real>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    out: Result<FloatTensor>,
}

/// Each channel moved and scaled by a mean and a variance that are known, as in inference.
///
/// `out[n, c, ..] = (x[n, c, ..] - mean[c]) / sqrt(variance[c] + eps) * weight[c] + bias[c]`
#[op("frontend.batch_norm", traits(Pure),
     format = "$input `mean` $mean `variance` $variance (`weight` $weight^)? (`bias` $bias^)? (`eps` $eps^)? \
               (`layout` $layout^)? attr-dict `:` type($out)",
     infer = shape::norm, verify = verify::batch_norm, eval = interp::batch_norm,
     example = "%y = batch_norm %x mean %m variance %v weight %w bias %b : tensor<[N, 64, H, W], f32>")]
pub struct BatchNorm {
    input: Operand<FloatTensor>,
    mean: Operand<FloatTensor>,
    variance: Operand<FloatTensor>,
    weight: OptionalOperand<FloatTensor>,
    bias: OptionalOperand<FloatTensor>,
    /// By default 1e-5.
    eps: OptionalAttr<Real>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    out: Result<FloatTensor>,
}

/// Scaled dot-product attention: each query's mean of the values, weighted by how well it fits the keys.
///
/// `out = softmax(scale * query @ transpose(key) + mask) @ value`
///
/// The operands are `[.., heads, length, size]`. Keys and values may have fewer heads, each for as many neighbouring
/// heads of the queries (grouped-query attention), another length than the queries, and the values another size.
/// `mask` is broadcast to `[.., heads, queries, keys]`: of `i1` it says which keys a query sees, of floats it is added.
/// With `causal` query `i` sees the keys `j <= i`. A query that sees no key gives zeros, as in PyTorch.
#[op("frontend.attention", traits(Pure),
     format = "$query `,` $key `,` $value (`mask` $mask^)? (`scale` $scale^)? (`causal` $causal^)? attr-dict `:` type($out)",
     infer = shape::attention, eval = interp::attention,
     example = "%y = attention %q, %k, %v causal : tensor<[B, H, S, D], f16>")]
pub struct Attention {
    /// `[.., H, M, D]`
    query: Operand<FloatTensor>,
    /// `[.., H/R, N, D]`
    key: Operand<FloatTensor>,
    /// `[.., H/R, N, E]`
    value: Operand<FloatTensor>,
    mask: OptionalOperand<Tensor>,
    /// By default one over the square root of the size of the queries.
    scale: OptionalAttr<Real>,
    causal: OptionalAttr<Unit>,
    out: Result<FloatTensor>,
}
