//! From programs of blocks to instructions.

pub mod kernel_to_ptx;
