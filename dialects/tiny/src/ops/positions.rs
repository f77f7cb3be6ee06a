//! Positions as numbers, elements by position, and what depends on one condition.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, op};

use crate::types::{BoolTensor, IntegerTensor};
use crate::{interp, shape, verify};

/// The index on one axis, as a number.
///
/// `out[i] = i[axis]`
#[op("tiny.range", traits(Pure), format = "$axis attr-dict `:` type($out)", verify = verify::range,
     eval = interp::range, example = "%i = range 1 : tensor<[M, N], i32>")]
pub struct Range {
    axis: Attr<Int>,
    out: Result<Tensor>,
}

/// The elements at indices that are values; zero where there is none.
///
/// The tensors of indices are broadcast with each other, and index the first axes of the operand; its other axes follow.
///
/// `out[i, j] = input[indices0[i], .., j]`
#[op("tiny.index", traits(Pure), format = "$input `[` $indices `]` attr-dict `:` type($out)", infer = shape::index,
     verify = verify::index, eval = interp::index, example = "%e = index %W[%ids] : tensor<[B, S, D], f16>")]
pub struct Index {
    input: Operand<Tensor>,
    indices: Variadic<IntegerTensor>,
    out: Result<Tensor>,
}

/// What one of two regions yields, by a condition of rank 0. The other is not run.
#[op("tiny.if", traits(SingleBlock, RecursiveEffects),
     format = "$condition `:` type(results) $then `else` $otherwise attr-dict", verify = verify::if_,
     eval = interp::if_, example = "%y = if %c : tensor<[M], f32> { yield %a } else { yield %b }")]
pub struct If {
    condition: Operand<BoolTensor>,
    outs: VariadicResult<Tensor>,
    then: Region,
    otherwise: Region,
}

/// Ends a region with its values.
#[op("tiny.yield", traits(Terminator, Pure), format = "$values attr-dict", eval = interp::yield_,
     example = "yield %y")]
pub struct Yield {
    values: Variadic<Tensor>,
}
