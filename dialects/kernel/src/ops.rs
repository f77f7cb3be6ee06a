//! What exists: the frame of a kernel, control, synchronization, memory, arithmetic.

mod compute;
mod frame;
mod memory;
mod sync;

pub use compute::*;
pub use frame::*;
pub use memory::*;
pub use sync::*;
