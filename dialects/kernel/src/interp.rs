//! What the ops mean. A grid is run cluster by cluster; in a cluster the groups of warps that do the same, the *thread
//! groups*, run in an order that a seed decides. Registers are those of each lane of each warp, shared memory is
//! bytes at addresses, and what is asynchronous happens as late as tokens and barriers allow: a read that comes too early meets
//! bytes that are still on their way, and is an error.

pub mod compute;
pub mod device;
pub mod flags;
pub mod host;
pub mod memory;
mod places;
mod schedule;
mod shared;
mod state;
pub mod sync;
mod values;

use dlc_ir::interp::{Eval, EvalResult, Outcome};

pub use dlc_core::launch::Seed;
pub use places::axis_number;
pub use values::is_single;

/// A kernel does nothing where it stands.
pub fn nothing(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}
