//! Passes on the layer tiny.

pub mod recognize_iota;
