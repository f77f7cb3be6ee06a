//! The rules of shapes: from operands and attributes to the types of the results. The verifier holds each op to them.

mod contraction;
mod elementwise;
mod nn;
mod positions;
mod reductions;
mod sorting;
mod views;
mod windows;

pub use contraction::{
    BAD_EQUATION, CONTRACTION_MISMATCH, Loops, Step, einsum, einsum_loops, gemm, gemm_loops, linear, linear_loops,
};
pub use elementwise::{cast, lerp};
pub use nn::{ATTENTION_MISMATCH, attention, heads_per_key, norm, normalized, softmax};
pub use positions::{ROPE_MISMATCH, embedding, gather, half, rope, scatter, take, triangle};
pub use reductions::{accumulated, averaged, combined, questioned, recurrence, running, searched};
pub use sorting::{sort, topk};
pub use views::{PARTS_MISMATCH, concat, expand, split};
pub use windows::{
    CHANNEL_MISMATCH, WINDOW_MISFIT, Window, WindowAttrs, conv, conv_transpose, global_pool, pool, pool_windows,
};
