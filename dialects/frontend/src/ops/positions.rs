//! Elements by position, positions as numbers, and what depends on them.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, Unit, op};

use crate::types::{IntegerTensor, Real};
use crate::{interp, shape, verify};

/// Numbers in equal steps.
///
/// `out[i] = start + i * step`
#[op("frontend.arange", traits(Pure), format = "(`from` $start^)? (`step` $step^)? attr-dict `:` type($out)",
     verify = verify::arange, eval = interp::arange, example = "%i = arange step 2 : tensor<[N], i32>")]
pub struct Arange {
    /// By default 0.
    start: OptionalAttr<Real>,
    /// By default 1.
    step: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// One number for every index.
#[op("frontend.full", traits(Pure), format = "$value attr-dict `:` type($out)", verify = verify::full,
     eval = interp::full, example = "%c = full 0.5 : tensor<[], f32>")]
pub struct Full {
    /// Rounded to the type of the elements.
    value: Attr<Real>,
    out: Result<Tensor>,
}

/// The rows of a table at indices; zeros where there is none.
///
/// `out[i, j] = table[ids[i], j]`
#[op("frontend.embedding", traits(Pure), format = "$table `[` $ids `]` attr-dict `:` type($out)",
     infer = shape::embedding, eval = interp::embedding,
     example = "%e = embedding %W[%ids] : tensor<[B, S, D], f16>")]
pub struct Embedding {
    table: Operand<Tensor>,
    ids: Operand<IntegerTensor>,
    out: Result<Tensor>,
}

/// The parts of a tensor at indices of an axis, whose place the axes of the indices take; zeros where there is none.
///
/// `out[a, i, b] = input[a, ids[i], b]`
#[op("frontend.take", traits(Pure), format = "$input `[` $ids `]` `over` $axis attr-dict `:` type($out)",
     infer = shape::take, eval = interp::take, example = "%y = take %x[%ids] over 1 : tensor<[M, S, D], f16>")]
pub struct Take {
    input: Operand<Tensor>,
    ids: Operand<IntegerTensor>,
    axis: Attr<Int>,
    out: Result<Tensor>,
}

/// The elements of a tensor, each at an index of an axis; zero where there is none.
///
/// `out[a, i, b] = input[a, ids[a, i, b], b]`
#[op("frontend.gather", traits(Pure), format = "$input `[` $ids `]` `over` $axis attr-dict `:` type($out)",
     infer = shape::gather, eval = interp::gather, example = "%y = gather %x[%ids] over 1 : tensor<[M, S], f16>")]
pub struct Gather {
    input: Operand<Tensor>,
    /// As many axes as the operand; on the others no larger.
    ids: Operand<IntegerTensor>,
    axis: Attr<Int>,
    out: Result<Tensor>,
}

/// Adds parts of a tensor at indices of an axis. Parts with equal indices add up; an index outside the axis adds nothing.
///
/// `out[a, n, b] = input[a, n, b] + sum over e, where ids[e] == n, of updates[a, e, b]`
///
/// The sum has the same bits in every run. Of floats each result compares all indices, so the time grows with the size of the
/// axis times the number of indices. With `any_order`, and of integers, a GPU adds elements in the order in which they arrive, by atomic additions: the time
/// grows with the number of elements alone, and the bits of floats may differ from run to run.
#[op("frontend.scatter_add", traits(Pure),
     format = "$input `,` $ids `,` $updates `over` $axis (`any_order` $any_order^)? attr-dict `:` type($out)",
     infer = shape::scatter, eval = interp::scatter_add,
     example = "%y = scatter_add %x, %i, %e over 0 : tensor<[N, D], f32>")]
pub struct ScatterAdd {
    input: Operand<Tensor>,
    /// One axis, an index for each part of the updates; or an index for each element of them.
    ids: Operand<IntegerTensor>,
    /// The sizes of the result, but for that of the axis.
    updates: Operand<Tensor>,
    axis: Attr<Int>,
    /// Whether sums may be added in another order in each run.
    any_order: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// A rotary position embedding: pairs of elements on the last axis turned by an angle, whose cosines and sines are
/// given and broadcast.
///
/// `out[a] = input[a] * cos - input[b] * sin`, `out[b] = input[b] * cos + input[a] * sin`
///
/// The pair `i` is `a = i` and `b = i + D/2`, or `a = 2*i` and `b = 2*i + 1` when they are interleaved. Source: Su and
/// others, "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
#[op("frontend.rope", traits(Pure),
     format = "$input `,` $cos `,` $sin (`interleaved` $interleaved^)? attr-dict `:` type($out)", infer = shape::rope,
     eval = interp::rope, example = "%y = rope %x, %cos, %sin : tensor<[B, H, S, 64], f16>")]
pub struct Rope {
    input: Operand<Tensor>,
    /// As the input, with half the size on the last axis.
    cos: Operand<Tensor>,
    /// As the input, with half the size on the last axis.
    sin: Operand<Tensor>,
    /// The elements of a pair stand side by side.
    interleaved: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// What is on and below a diagonal of the last two axes; zero elsewhere.
///
/// `out[.., i, j] = input[.., i, j] if j <= i + diagonal else 0`
#[op("frontend.tril", traits(Pure), format = "$input (`diagonal` $diagonal^)? attr-dict `:` type($out)",
     infer = shape::triangle, eval = interp::tril, example = "%y = tril %x diagonal -1 : tensor<[M, N], f32>")]
pub struct Tril {
    input: Operand<Tensor>,
    /// By default 0.
    diagonal: OptionalAttr<Int>,
    out: Result<Tensor>,
}

/// What is on and above a diagonal of the last two axes; zero elsewhere.
///
/// `out[.., i, j] = input[.., i, j] if j >= i + diagonal else 0`
#[op("frontend.triu", traits(Pure), format = "$input (`diagonal` $diagonal^)? attr-dict `:` type($out)",
     infer = shape::triangle, eval = interp::triu, example = "%y = triu %x diagonal 1 : tensor<[M, N], f32>")]
pub struct Triu {
    input: Operand<Tensor>,
    /// By default 0.
    diagonal: OptionalAttr<Int>,
    out: Result<Tensor>,
}
