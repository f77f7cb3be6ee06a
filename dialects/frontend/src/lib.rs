//! The layer frontend: what a model means, as a graph of tensor functions under a signature.
//!
//! Models come in here, as text or as JSON; below, every op is written out in the ops of `tiny`.
//!
//! ```text
//! %c0 = gemm %A, %B acc f32 : tensor<[M, N], f32>
//! %c1 = add %c0, %bias : tensor<[M, N], f32>
//! %c2 = relu %c1 : tensor<[M, N], f32>
//! ```
//!
//! The signature of a graph is its ABI: which inputs are data and which are parameters, what may change, where it is
//! kept and in which layout. Every op is pure. A program here cannot say how an op is computed: in which steps, in which
//! order, with which intermediate values.

pub mod interp;
pub mod ops;
pub mod shape;
pub mod syntax;
pub mod types;
pub mod verify;

dlc_ir::dialect! {
    name: "frontend",
    summary: "Graphs of tensor functions: what a model means.",
    ops: [
        ops::Graph, ops::Output,
    ],
    types: [],
    attrs: [],
    materialize: None,
}

#[cfg(test)]
mod tests;
