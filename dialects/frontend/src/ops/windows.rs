//! Windows that move over the spatial axes: convolutions and pooling.
//!
//! `channels_first` is `[N, C, spatial..]` (NCHW), `channels_last` is `[N, spatial.., C]` (NHWC); how many spatial axes
//! there are follows from the operands. Attributes have a number for each spatial axis, and `pad` may have two: all of
//! those before, then all of those after, as in ONNX.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, IntArray, TypeAttr, Unit, op};

use crate::types::FloatTensor;
use crate::{interp, shape};

dlc_ir::keywords! {
    /// Where the channels stand among the axes.
    pub enum Layout: "layout" {
        /// `[N, C, spatial..]`, NCHW; weights are `[out, in, spatial..]`, OIHW.
        ChannelsFirst = "channels_first",
        /// `[N, spatial.., C]`, NHWC; weights are `[spatial.., in, out]`, HWIO.
        ChannelsLast = "channels_last",
    }
}

/// A convolution, as networks have it: the window is not turned.
///
/// With `G` groups, output channel `c` sees the input channels of its group `g = c floordiv (O/G)` alone:
///
/// `out[n, c, h, w] = bias[c] + sum over i, kh, kw of weights[c, i, kh, kw] * x[n, g*I + i, stride[0]*h + dilation[0]*kh - pad[0], ..]`
///
/// What lies outside of `x` is zero. A spatial axis of size `H` becomes
/// `(H + low + high - dilation*(K - 1) - 1) floordiv stride + 1`. As many groups as channels make it depthwise.
///
/// The result is of the type `acc`, by default of that which the operands have in common, and rounded once.
#[op("frontend.conv", traits(Pure),
     format = "$input `,` $weights (`bias` $bias^)? (`stride` $stride^)? (`pad` $pad^)? (`dilation` $dilation^)? \
               (`groups` $groups^)? (`layout` $layout^)? (`acc` $acc^)? (`tf32` $tf32^)? attr-dict `:` type($out)",
     infer = shape::conv, eval = interp::conv,
     example = "%y = conv %x, %w stride [2, 2] pad [1, 1] acc f32 : tensor<[N, 64, H floordiv 2, W floordiv 2], f32>")]
pub struct Conv {
    /// `[N, C, spatial..]`
    input: Operand<Tensor>,
    /// `[O, C/G, spatial..]`
    weights: Operand<Tensor>,
    /// `[O]`
    bias: OptionalOperand<Tensor>,
    /// By default 1.
    stride: OptionalAttr<IntArray>,
    /// By default 0.
    pad: OptionalAttr<IntArray>,
    /// By default 1.
    dilation: OptionalAttr<IntArray>,
    /// By default 1.
    groups: OptionalAttr<Int>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    /// The type in which products are summed, and of the result.
    acc: OptionalAttr<TypeAttr>,
    /// Factors of `f32` may be rounded to `tf32`.
    tf32: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// A transposed convolution: the gradient of `conv` with respect to its input, which upsamples where `conv` strides.
///
/// Every element of `x` adds a copy of the window, scaled by it, to the result:
///
/// `out[n, g*O + o, stride[0]*h + dilation[0]*kh - pad[0], ..] += x[n, g*I + i, h, ..] * weights[g*I + i, o, kh, ..]`
///
/// and `bias` is added. A spatial axis of size `H` becomes
/// `(H - 1)*stride - low - high + dilation*(K - 1) + output_pad + 1`.
///
/// The weights are `[in, out/groups, spatial..]`, or `[spatial.., out/groups, in]` in NHWC: those of the
/// convolution that it is the gradient of.
#[op("frontend.conv_transpose", traits(Pure),
     format = "$input `,` $weights (`bias` $bias^)? (`stride` $stride^)? (`pad` $pad^)? (`output_pad` $output_pad^)? \
               (`dilation` $dilation^)? (`groups` $groups^)? (`layout` $layout^)? (`acc` $acc^)? (`tf32` $tf32^)? attr-dict `:` type($out)",
     infer = shape::conv_transpose, eval = interp::conv_transpose,
     example = "%y = conv_transpose %x, %w stride [2, 2] pad [1, 1] output_pad [1, 1] : tensor<[N, 32, 2*H, 2*W], f32>")]
pub struct ConvTranspose {
    /// `[N, C, spatial..]`
    input: Operand<Tensor>,
    /// `[C, O/G, spatial..]`
    weights: Operand<Tensor>,
    /// `[O]`
    bias: OptionalOperand<Tensor>,
    /// By default 1.
    stride: OptionalAttr<IntArray>,
    /// What is cut off the result, by default nothing.
    pad: OptionalAttr<IntArray>,
    /// What is added after the result; less than the stride or the dilation. By default 0.
    output_pad: OptionalAttr<IntArray>,
    /// By default 1.
    dilation: OptionalAttr<IntArray>,
    /// By default 1.
    groups: OptionalAttr<Int>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    /// The type in which products are summed, and of the result.
    acc: OptionalAttr<TypeAttr>,
    /// Factors of `f32` may be rounded to `tf32`.
    tf32: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// The largest element of each window.
///
/// `out[n, c, h, w] = max over kh, kw of x[n, c, stride[0]*h + dilation[0]*kh - pad[0], ..]`
///
/// What lies outside of `x` counts as the lowest number of the type. A spatial axis of size `H` becomes
/// `(H + low + high - dilation*(window - 1) - 1) floordiv stride + 1`; with `ceil` the division is rounded up, and
/// windows are left out that would begin after the axis and what is put before it, as in PyTorch.
#[op("frontend.max_pool", traits(Pure),
     format = "$input `window` $window (`stride` $stride^)? (`pad` $pad^)? (`dilation` $dilation^)? (`ceil` $ceil^)? \
               (`layout` $layout^)? attr-dict `:` type($out)",
     infer = shape::pool, eval = interp::max_pool,
     example = "%y = max_pool %x window [3, 3] stride [2, 2] pad [1, 1] : tensor<[N, C, H, W], f32>")]
pub struct MaxPool {
    input: Operand<Tensor>,
    /// How many elements a window has on each spatial axis.
    window: Attr<IntArray>,
    /// By default as large as the window.
    stride: OptionalAttr<IntArray>,
    /// By default 0.
    pad: OptionalAttr<IntArray>,
    /// By default 1.
    dilation: OptionalAttr<IntArray>,
    ceil: OptionalAttr<Unit>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    out: Result<Tensor>,
}

/// The mean of each window. The sizes are those of `max_pool`.
///
/// `out[n, c, h, w] = sum over kh, kw of x[n, c, stride[0]*h + dilation[0]*kh - pad[0], ..] / count(h, w)`
///
/// What lies outside of `x` is zero. It counts as an element where `pad` has put it, and with `exclude_pad` it does not.
/// What `ceil` adds after never counts.
#[op("frontend.avg_pool", traits(Pure),
     format = "$input `window` $window (`stride` $stride^)? (`pad` $pad^)? (`dilation` $dilation^)? (`ceil` $ceil^)? \
               (`exclude_pad` $exclude_pad^)? (`layout` $layout^)? attr-dict `:` type($out)",
     infer = shape::pool, eval = interp::avg_pool,
     example = "%y = avg_pool %x window [2, 2] : tensor<[N, C, H floordiv 2, W floordiv 2], f32>")]
pub struct AvgPool {
    input: Operand<FloatTensor>,
    /// How many elements a window has on each spatial axis.
    window: Attr<IntArray>,
    /// By default as large as the window.
    stride: OptionalAttr<IntArray>,
    /// By default 0.
    pad: OptionalAttr<IntArray>,
    /// By default 1.
    dilation: OptionalAttr<IntArray>,
    ceil: OptionalAttr<Unit>,
    exclude_pad: OptionalAttr<Unit>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    out: Result<FloatTensor>,
}

/// The mean of each channel, over all spatial axes, which have size 1 then.
///
/// `out[n, c, 0, 0] = sum over h, w of x[n, c, h, w] / (H*W)`
#[op("frontend.global_avg_pool", traits(Pure), format = "$input (`layout` $layout^)? attr-dict `:` type($out)",
     infer = shape::global_pool, eval = interp::global_avg_pool,
     example = "%y = global_avg_pool %x : tensor<[N, C, 1, 1], f32>")]
pub struct GlobalAvgPool {
    input: Operand<FloatTensor>,
    /// By default `channels_first`.
    layout: OptionalAttr<Layout>,
    out: Result<FloatTensor>,
}
