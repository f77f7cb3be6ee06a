//! Views: the same elements at other indices. Nothing is moved.

use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Tensor;
use dlc_ir::define::{IntArray, Number, op};

use crate::types::BoolTensor;
use crate::{canonicalize, fold, interp, shape, verify};

/// The same elements in the same order, under other sizes.
#[op("tiny.reshape", traits(Pure), format = "$input `to` $shape attr-dict `:` type($out)", infer = shape::reshape,
     fold = fold::reshape, canonicalize = [canonicalize::RESHAPE_RESHAPE, canonicalize::VIEW_UP], eval = interp::reshape, example = "%y = reshape %x to [M, 1, K] : tensor<[M, 1, K], f16>")]
pub struct Reshape {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    out: Result<Tensor>,
}

/// The axes in another order.
///
/// Axis `i` of the result is axis `order[i]` of the operand.
#[op("tiny.permute", traits(Pure), format = "$input `by` $order attr-dict `:` type($out)", infer = shape::permute,
     fold = fold::permute, canonicalize = [canonicalize::PERMUTE_PERMUTE, canonicalize::PERMUTE_OF_ONES, canonicalize::VIEW_UP], eval = interp::permute, example = "%y = permute %x by [0, 2, 1] : tensor<[1, N, K], f16>")]
pub struct Permute {
    input: Operand<Tensor>,
    order: Attr<IntArray>,
    out: Result<Tensor>,
}

/// Axes of size 1 repeated, and new axes put in.
///
/// Axis `i` of the operand is axis `dims[i]` of the result, the axes of the result that are not named are new; without
/// `dims` the axes are those of the operand, one for one. XLA calls it `broadcast_in_dim`.
#[op("tiny.expand", traits(Pure), format = "$input `to` $shape (`dims` $dims^)? attr-dict `:` type($out)",
     infer = shape::expand, fold = fold::expand, canonicalize = [canonicalize::EXPAND_EXPAND, canonicalize::EXPAND_RESHAPE, canonicalize::EXPAND_OF_ONES], eval = interp::expand,
     example = "%y = expand %x to [M, N] dims [1] : tensor<[M, N], f16>")]
pub struct Expand {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    /// Ascending.
    dims: OptionalAttr<IntArray>,
    out: Result<Tensor>,
}

/// Elements put around: `low[i]` before axis `i` and `high[i]` after it, each the number `value`, or zero.
#[op("tiny.pad", traits(Pure),
     format = "$input `low` $low `high` $high (`value` $value^)? attr-dict `:` type($out)", infer = shape::pad,
     fold = fold::pad, canonicalize = [canonicalize::PAD_PAD], eval = interp::pad, example = "%y = pad %x low [1, 0] high [1, K] : tensor<[M + 2, N + K], f16>")]
pub struct Pad {
    input: Operand<Tensor>,
    low: Attr<Sizes>,
    high: Attr<Sizes>,
    /// Of the type of the elements.
    value: OptionalAttr<Number>,
    out: Result<Tensor>,
}

/// The elements whose index on axis `i` is `start[i]`, `start[i] + step[i]`, and so on, below `stop[i]`.
#[op("tiny.shrink", traits(Pure),
     format = "$input `from` $start `to` $stop (`step` $step^)? attr-dict `:` type($out)", infer = shape::shrink,
     fold = fold::shrink, canonicalize = [canonicalize::SHRINK_SHRINK, canonicalize::SHRINK_PAD, canonicalize::SHRINK_UP], eval = interp::shrink, example = "%y = shrink %x from [1, 0] to [M, 4] : tensor<[M - 1, 4], f16>")]
pub struct Shrink {
    input: Operand<Tensor>,
    start: Attr<Sizes>,
    stop: Attr<Sizes>,
    /// Positive; by default 1.
    step: OptionalAttr<IntArray>,
    out: Result<Tensor>,
}

/// Axes from end to start.
#[op("tiny.flip", traits(Pure), format = "$input `over` $axes attr-dict `:` type($out)", infer = shape::flip,
     fold = fold::flip, canonicalize = [canonicalize::FLIP_FLIP, canonicalize::VIEW_UP], eval = interp::flip, example = "%y = flip %x over [1] : tensor<[M, N], f16>")]
pub struct Flip {
    input: Operand<Tensor>,
    /// Ascending.
    axes: Attr<IntArray>,
    out: Result<Tensor>,
}

/// The elements of the operand in row-major order, seen under other sizes, strides and a start: the element at an index
/// is number `start + index[0] * strides[0] + ..`. Strides may be zero or negative. Without sizes it is the operand.
#[op("tiny.view", traits(Pure),
     format = "$input (`as` $shape^ `strides` $strides `start` $start)? attr-dict `:` type($out)", infer = shape::view,
     verify = verify::view, fold = fold::view, eval = interp::view,
     example = "%y = view %x as [N, M] strides [1, N] start [0] : tensor<[N, M], f16>")]
pub struct View {
    input: Operand<Tensor>,
    shape: OptionalAttr<Sizes>,
    /// One for each size, counted in elements.
    strides: OptionalAttr<Exprs>,
    /// One number.
    start: OptionalAttr<Exprs>,
    out: Result<Tensor>,
}

/// Whether each index is within bounds: `start[i] <= index[i] < stop[i]` on every axis.
#[op("tiny.valid", traits(Pure), format = "`from` $start `to` $stop attr-dict `:` type($out)", verify = verify::valid,
     eval = interp::valid, example = "%y = valid from [1, 0] to [M, 4] : tensor<[M, 5], i1>")]
pub struct Valid {
    start: Attr<Sizes>,
    stop: Attr<Sizes>,
    out: Result<BoolTensor>,
}

/// The elements at other indices: element `i0, i1, ..` of the result is that of the operand at `at`, whose terms are
/// affine in `i0`, `i1`, .. (`floordiv` and `mod` by constants included). Every index must exist.
///
/// Without `at` it is the operand: the logical access to an input of the graph.
#[op("tiny.load", traits(Pure), format = "$input (`at` $at^)? attr-dict `:` type($out)", verify = verify::load,
     fold = fold::load, eval = interp::load, example = "%y = load %x at [i1, 2*i0] : tensor<[N, M], f16>")]
pub struct Load {
    input: Operand<Tensor>,
    at: OptionalAttr<Exprs>,
    out: Result<Tensor>,
}

/// The target with the value in it, from an index on (without one, from the first): what a buffer holds after the value
/// was stored there.
#[op("tiny.store", traits(Pure), format = "$value `into` $target (`from` $start^)? attr-dict `:` type($out)",
     infer = shape::store, eval = interp::store, example = "%y = store %v into %x from [2, 0] : tensor<[M, N], f16>")]
pub struct Store {
    value: Operand<Tensor>,
    target: Operand<Tensor>,
    start: OptionalAttr<Sizes>,
    out: Result<Tensor>,
}
