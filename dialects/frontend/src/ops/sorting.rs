//! Elements in order, with the positions that they had.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, Unit, op};

use crate::types::IntegerTensor;
use crate::{interp, shape};

/// The elements along an axis in ascending order, and the position that each had.
///
/// `values[i] = input[positions[i]]`. The order is stable: equal elements keep theirs, with `descending` too. NaN is larger than
/// all numbers, and -0.0 equals 0.0. Elements have at most 32 bits.
#[op("frontend.sort", traits(Pure),
     format = "$input `over` $axis (`descending` $descending^)? attr-dict `:` type(results)",
     infer = shape::sort, eval = interp::sort,
     example = "%y, %i = sort %x over 1 : tensor<[M, N], f32>, tensor<[M, N], i32>")]
pub struct Sort {
    input: Operand<Tensor>,
    axis: Attr<Int>,
    /// Whether the largest element comes first.
    descending: OptionalAttr<Unit>,
    values: Result<Tensor>,
    positions: Result<IntegerTensor>,
}

/// The `count` largest elements along an axis in descending order, and the position that each had; with `smallest` the smallest
/// ones in ascending order.
///
/// They are the first of those that `sort` gives: of equal elements those with the lower positions are taken. The axis has at
/// least `count` positions. For a symbolic size, the evaluator of this layer checks that, and compiled programs do not: their
/// results from the size of the axis on are undefined. Elements have at most 32 bits.
#[op("frontend.topk", traits(Pure),
     format = "$input `,` $count `over` $axis (`smallest` $smallest^)? attr-dict `:` type(results)",
     infer = shape::topk, eval = interp::topk,
     example = "%y, %i = topk %x, 50 over 1 : tensor<[M, 50], f32>, tensor<[M, 50], i32>")]
pub struct Topk {
    input: Operand<Tensor>,
    /// How many elements.
    count: Attr<Int>,
    axis: Attr<Int>,
    /// Whether the smallest elements are taken.
    smallest: OptionalAttr<Unit>,
    values: Result<Tensor>,
    positions: Result<IntegerTensor>,
}
