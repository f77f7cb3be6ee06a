//! What exists: the frame of a kernel, control, synchronization, flags, memory, arithmetic.

mod compute;
mod flags;
mod frame;
mod memory;
mod sync;

pub use compute::*;
pub use flags::*;
pub use frame::*;
pub use memory::*;
pub use sync::*;
