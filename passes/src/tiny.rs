//! Passes inside the layer tiny, in the order of its pipelines.

pub mod detect_contraction;
pub mod fold_constants;
pub mod insert_broadcasts;
pub mod recognize_iota;

pub mod decompose_contraction;
