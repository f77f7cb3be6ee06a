//! Passes inside the layer tiny, in the order of its pipelines.

pub mod name_outputs;

pub mod reroll_loops;

pub mod insert_broadcasts;

pub mod recognize_iota;

pub mod fold_constants;

pub mod detect_contraction;

pub mod decompose_contraction;
