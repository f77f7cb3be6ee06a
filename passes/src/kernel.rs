//! Passes inside the layer kernel.

pub mod insert_async_tokens;

pub mod pipeline_stages;

pub mod specialize_warps;

pub mod assign_layouts;
pub mod check_async;
pub mod coalesce_stores;
pub mod fold_conditions;
pub mod fuse_loops;
pub mod hoist_copies;
pub mod order_tiles;
pub mod overlap_epilogue;
pub mod overlap_fragments;
pub mod overlap_launches;
pub mod predicate_tails;
pub mod split_reduction;
pub mod unroll_loops;
pub mod vectorize_memory;
