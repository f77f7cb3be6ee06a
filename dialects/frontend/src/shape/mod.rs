//! The rules of shapes: from operands and attributes to the types of the results. The verifier holds each op to them.

mod contraction;
mod elementwise;

pub use contraction::{
    BAD_EQUATION, CONTRACTION_MISMATCH, Loops, Step, einsum, einsum_loops, gemm, gemm_loops, linear, linear_loops,
};
pub use elementwise::{cast, lerp};
