//! Who waits for what: barriers of threads, mbarriers, tokens, and the fence between threads and TMA.

use dlc_ir::define::{Index as IndexType, Int, op};

use crate::types::{MBarrier, Token};
use crate::{interp, verify};

/// All threads that are here wait for each other; with a number, those that name it, `threads` altogether.
#[op("kernel.barrier", format = "(`id` $id^)? (`threads` $threads^)? attr-dict", verify = verify::barrier,
     eval = interp::sync::barrier, example = "barrier id %b threads 256")]
pub struct Barrier {
    id: OptionalOperand<IndexType>,
    threads: OptionalAttr<Int>,
}

/// The lanes of each warp that is here wait for each other: what they wrote to shared memory before is seen by the other
/// lanes of the warp after it. Any barrier does that as well.
#[op("kernel.warp_sync", format = "attr-dict", verify = verify::warp_sync, eval = interp::sync::warp_sync, example = "warp_sync")]
pub struct WarpSync {}

/// The threads that are here arrive at a barrier that others wait at, and do not wait.
#[op("kernel.barrier_arrive", format = "`id` $id `threads` $threads attr-dict", verify = verify::barrier_arrive,
     eval = interp::sync::barrier_arrive, example = "barrier_arrive id %b threads 256")]
pub struct BarrierArrive {
    id: Operand<IndexType>,
    threads: Attr<Int>,
}

/// All threads of a cluster wait for each other.
#[op("kernel.cluster_barrier", format = "attr-dict", verify = verify::cluster_barrier, eval = interp::sync::cluster_barrier, example = "cluster_barrier")]
pub struct ClusterBarrier {}

/// Lets the next grid of the stream begin while this one runs. What it reads of this one it must wait for, with
/// `grid_wait`. Without this, a grid begins when the one before it has ended.
#[op("kernel.grid_release", format = "attr-dict", eval = interp::sync::grid_release, example = "grid_release")]
pub struct GridRelease {}

/// Waits until the grids before this one have ended, and what they wrote is there. A kernel with this op may begin before
/// that, so everything outside of its blocks is touched after it, but for arguments that no such grid writes: those that
/// are marked `{constant}`.
#[op("kernel.grid_wait", format = "attr-dict", eval = interp::sync::grid_wait, example = "grid_wait")]
pub struct GridWait {}

/// New mbarriers, each of which completes a phase when `arrivals` have arrived and every byte that was expected has.
#[op("kernel.mbarriers", effects(Alloc), format = "`arrivals` $arrivals attr-dict `:` type($out)",
     verify = verify::mbarriers, eval = interp::sync::mbarriers, example = "%full = mbarriers arrivals 1 : mbarrier<6>")]
pub struct MBarriers {
    arrivals: Attr<Int>,
    out: Result<MBarrier>,
}

/// Waits until the phase with this parity has completed: the first phase has parity 0, and before it, parity 1 counts
/// as completed.
#[op("kernel.wait", format = "$barrier (`[` $stage^ `]`)? `parity` $parity attr-dict", verify = verify::wait,
     eval = interp::sync::wait, example = "wait %full[%s] parity %p")]
pub struct Wait {
    barrier: Operand<MBarrier>,
    stage: OptionalOperand<IndexType>,
    parity: Operand<IndexType>,
}

/// Says how many bytes copies will bring in this phase, and arrives. One thread does that.
#[op("kernel.expect", format = "$barrier (`[` $stage^ `]`)? `bytes` $bytes attr-dict", verify = verify::expect,
     eval = interp::sync::expect, example = "expect %full[%s] bytes 32768")]
pub struct Expect {
    barrier: Operand<MBarrier>,
    stage: OptionalOperand<IndexType>,
    bytes: Attr<Int>,
}

dlc_ir::keywords! {
    /// Who arrives.
    pub enum Arrivals: "who arrives" {
        /// One thread of those that are here.
        One = "one",
        /// One thread of each warp.
        Warp = "warp",
        /// Every thread.
        Thread = "thread",
    }
}

/// Arrives at an mbarrier, of this block or of the block with a number in the cluster.
#[op("kernel.arrive", format = "$barrier (`[` $stage^ `]`)? (`on` $rank^)? `by` $by attr-dict", verify = verify::arrive,
     eval = interp::sync::arrive, example = "arrive %empty[%s] by warp")]
pub struct Arrive {
    barrier: Operand<MBarrier>,
    stage: OptionalOperand<IndexType>,
    rank: OptionalOperand<IndexType>,
    by: Attr<Arrivals>,
}

/// What was written to shared memory by threads can be read by TMA and by matrix products after this.
#[op("kernel.fence_async", format = "attr-dict", eval = interp::sync::fence_async, example = "fence_async")]
pub struct FenceAsync {}

/// Waits for the work of tokens, and for all work of the same kind that these threads began before it.
#[op("kernel.await", format = "$tokens attr-dict", verify = verify::await_, eval = interp::sync::await_,
     example = "await %t, %u")]
pub struct Await {
    tokens: Variadic<Token>,
}

/// Waits until the stores have read shared memory, which then may be written; what they write may not be there yet.
#[op("kernel.await_read", format = "$tokens attr-dict", verify = verify::await_read, eval = interp::sync::await_read,
     example = "await_read %e")]
pub struct AwaitRead {
    tokens: Variadic<Token>,
}

/// A token of work that has ended: what a loop carries at first.
#[op("kernel.done", traits(Pure), format = "attr-dict `:` type($out)", eval = interp::sync::done,
     example = "%t = done : token<compute>")]
pub struct Done {
    out: Result<Token>,
}
