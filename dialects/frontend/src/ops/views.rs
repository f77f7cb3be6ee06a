//! Views: the same elements at other indices, apart and together.

use dlc_core::sizes::Sizes;
use dlc_core::types::Tensor;
use dlc_core::{eval, infer};
use dlc_ir::define::{Int, IntArray, op};

use crate::types::Real;
use crate::{interp, shape, verify};

/// The same elements in the same order, under other sizes.
#[op("frontend.reshape", traits(Pure), format = "$input `to` $shape attr-dict `:` type($out)",
     infer = infer::views::reshape, eval = eval::views::reshape,
     example = "%y = reshape %x to [B, H, S, D] : tensor<[B, H, S, D], f16>")]
pub struct Reshape {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    out: Result<Tensor>,
}

/// The axes in another order.
///
/// Axis `i` of the result is axis `order[i]` of the operand.
#[op("frontend.transpose", traits(Pure), format = "$input `by` $order attr-dict `:` type($out)",
     infer = infer::views::permute, eval = eval::views::permute,
     example = "%y = transpose %x by [0, 2, 1] : tensor<[B, N, M], f16>")]
pub struct Transpose {
    input: Operand<Tensor>,
    order: Attr<IntArray>,
    out: Result<Tensor>,
}

/// Axes of size 1 repeated, and new axes at the left.
#[op("frontend.expand", traits(Pure), format = "$input `to` $shape attr-dict `:` type($out)", infer = shape::expand,
     eval = interp::expand, example = "%y = expand %x to [M, N] : tensor<[M, N], f16>")]
pub struct Expand {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    out: Result<Tensor>,
}

/// Elements put around: `low[i]` before axis `i` and `high[i]` after it, each the number `fill`.
#[op("frontend.pad", traits(Pure),
     format = "$input `low` $low `high` $high (`fill` $fill^)? attr-dict `:` type($out)", infer = infer::views::pad,
     verify = verify::pad, eval = interp::pad, example = "%y = pad %x low [1, 0] high [1, K] : tensor<[M + 2, K + N], f16>")]
pub struct Pad {
    input: Operand<Tensor>,
    low: Attr<Sizes>,
    high: Attr<Sizes>,
    /// By default 0. Rounded to the type of the elements.
    fill: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The elements whose index on axis `i` is `start[i]`, `start[i] + step[i]`, and so on, below `stop[i]`.
#[op("frontend.slice", traits(Pure),
     format = "$input `from` $start `to` $stop (`step` $step^)? attr-dict `:` type($out)",
     infer = infer::views::shrink, eval = eval::views::shrink,
     example = "%y = slice %x from [1, 0] to [M, N] step [1, 2] : tensor<[M - 1, N floordiv 2], f16>")]
pub struct Slice {
    input: Operand<Tensor>,
    start: Attr<Sizes>,
    stop: Attr<Sizes>,
    /// Positive; by default 1.
    step: OptionalAttr<IntArray>,
    out: Result<Tensor>,
}

/// Axes from end to start.
#[op("frontend.flip", traits(Pure), format = "$input `over` $axes attr-dict `:` type($out)",
     infer = infer::views::flip, eval = eval::views::flip, example = "%y = flip %x over [1] : tensor<[M, N], f16>")]
pub struct Flip {
    input: Operand<Tensor>,
    /// Ascending.
    axes: Attr<IntArray>,
    out: Result<Tensor>,
}

/// Tensors one after another on an axis; the other sizes are equal.
#[op("frontend.concat", traits(Pure), format = "$inputs `over` $axis attr-dict `:` type($out)", infer = shape::concat,
     eval = interp::concat, example = "%y = concat %a, %b over 1 : tensor<[M, K + N], f16>")]
pub struct Concat {
    inputs: Variadic<Tensor>,
    axis: Attr<Int>,
    out: Result<Tensor>,
}

/// A tensor in parts, one after another on an axis, whose sizes are given.
#[op("frontend.split", traits(Pure), format = "$input `over` $axis `into` $sizes attr-dict `:` type(results)",
     infer = shape::split, eval = interp::split,
     example = "%q, %k, %v = split %x over 1 into [D, D, D] : tensor<[S, D], f16>, tensor<[S, D], f16>, tensor<[S, D], f16>")]
pub struct Split {
    input: Operand<Tensor>,
    axis: Attr<Int>,
    sizes: Attr<Sizes>,
    parts: VariadicResult<Tensor>,
}
