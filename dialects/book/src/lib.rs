//! The layer book, the IndexBook: where each value of a tensor program lives.
//!
//! From above come programs of views, arithmetic and reductions; here no view is left. Each value is an entry: its axes
//! with their sizes, the function of numbers that gives an element, and for each operand the positions that are read, an
//! affine expression of the axes for each axis of the operand.
//!
//! ```text
//! %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) : tensor<[M, N, K], f16>
//! %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//! ```
//!
//! Axes are `i0, i1, ..`: those of the result, then those that are reduced. Where an operand ends, a pad puts a number:
//! `at (i0 - 1) where (0 <= i0 - 1 < M) else 0.0`. What no affine expression says is marked `non_scop`. A program here
//! cannot say in what order elements are computed, which of them are stored, or what runs together.

pub mod interp;
pub mod json;
pub mod ops;
pub mod syntax;
pub mod verify;

dlc_ir::dialect! {
    name: "book",
    summary: "Where each value of a tensor program lives.",
    ops: [ops::Func, ops::Return, ops::Const, ops::Iota, ops::Entry, ops::Reduce, ops::Scan, ops::Sort, ops::Gather, ops::Reshape],
    types: [],
    attrs: [],
    materialize: Some(ops::materialize),
}

#[cfg(test)]
mod tests;
