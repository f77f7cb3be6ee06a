//! Passes inside the layer kernel.

pub mod check_async;
