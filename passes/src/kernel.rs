//! Passes inside the layer kernel.

pub mod assign_layouts;
pub mod check_async;
pub mod fold_conditions;
pub mod fuse_loops;
pub mod insert_async_tokens;
pub mod order_tiles;
pub mod overlap_fragments;
pub mod overlap_launches;
pub mod pipeline_stages;
pub mod predicate_tails;
pub mod specialize_warps;
pub mod split_reduction;
pub mod stage_stores;
pub mod unroll_loops;
pub mod vectorize_memory;
