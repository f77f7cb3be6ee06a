//! Passes inside the layer host.

pub mod plan_arena;
