//! From programs of blocks to instructions.

// The file of a pass has the name of the pass, and the folder that of the lowering.
#[allow(clippy::module_inception)]
pub mod kernel_to_ptx;
