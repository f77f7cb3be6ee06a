//! Passes inside the layer ptx.

pub mod check_registers;
