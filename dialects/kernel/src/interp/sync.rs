//! Barriers, mbarriers, fences, tokens.

use dlc_ir::interp::{Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED};
use dlc_ir::smallvec::smallvec;

use super::memory::finish;
use super::schedule::arrive_at;
use super::state::{Barrier as State, BarrierKey, device, wrong};
use super::values::{BarriersValue, TokenValue, integer, is_single, stage, work_index};
use crate::ops::{Arrivals, Arrive, BarrierArrive, Done, Expect, MBarriers};
use crate::types::{MBarrier, Token, Work};

/// The threads have met: each sees what the others wrote before.
pub fn barrier(cx: &mut Eval<'_, '_>) -> EvalResult {
    meet(cx);
    Ok(Outcome::nothing())
}

/// All threads of the thread group are here.
pub fn meet(cx: &mut Eval<'_, '_>) {
    let thread_group = device(cx).thread_group();
    thread_group.synced = thread_group.clock;
    thread_group.warp_synced = thread_group.clock;
}

/// The lanes of each warp have met.
pub fn warp_sync(cx: &mut Eval<'_, '_>) -> EvalResult {
    let thread_group = device(cx).thread_group();
    thread_group.warp_synced = thread_group.clock;
    if thread_group.warps == 1 {
        thread_group.synced = thread_group.clock;
    }
    Ok(Outcome::nothing())
}

/// The threads of the cluster have met.
pub fn cluster_barrier(cx: &mut Eval<'_, '_>) -> EvalResult {
    barrier(cx)
}

/// Grids run one after another here.
pub fn grid_release(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// As [`grid_release`].
pub fn grid_wait(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// The threads arrive, and go on.
pub fn barrier_arrive(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = BarrierArrive::from(cx.op);
    let (id, wanted) = (integer(cx, op.id())?, op.threads());
    let device = device(cx);
    let (block, warps) = (device.thread_group().block, i64::from(device.thread_group().warps));
    let key = BarrierKey::Named(block, id);
    device.known.arrive(device.current, key);
    arrive_at(device, key, warps * 32, wanted);
    Ok(Outcome::nothing())
}

/// New barriers, the same ones in every block of the cluster.
pub fn mbarriers(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = MBarriers::from(cx.op);
    let count = MBarrier::of(cx.op.ctx, cx.result_type(0)).map_or(1, |ty| ty.count(cx.op.ctx));
    let (count, arrivals, id) = (usize::try_from(count).unwrap_or(1), op.arrivals(), cx.op.id);
    let block = device(cx).block();
    if let Some(&first) = block.barrier_ops.get(&id)
        && block.barriers[first..first + count].iter().any(|old| old.missing != old.arrivals || old.bytes != 0)
    {
        return Err(cx.fail(&UNDEFINED, "makes mbarriers again within a phase of them"));
    }
    let first = block.barriers.len();
    block.barriers.resize(first + count, State::new(arrivals));
    block.barrier_ops.insert(id, first);
    Ok(Outcome::value(Datum::opaque(BarriersValue { first, count })))
}

/// The barrier that an op names, by its number in the block.
pub fn barrier_index(
    cx: &Eval<'_, '_>,
    operand: dlc_ir::ValueId,
    staged: Option<dlc_ir::ValueId>,
) -> Result<usize, Failure> {
    let index = cx.op.operands().position(|value| value == operand).unwrap_or(0);
    let barriers = cx.opaque::<BarriersValue>(index)?;
    Ok(barriers.first + stage(cx, staged, barriers.count)?)
}

/// The phase has completed: what came before it is there for all warps.
pub fn wait(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = crate::ops::Wait::from(cx.op);
    let index = barrier_index(cx, op.barrier(), op.stage())?;
    let device = device(cx);
    let (thread_group, block) = (device.current, device.thread_group().block);
    device.known.pass_mbarrier(thread_group, (block, index));
    let parity = integer(cx, op.parity())?;
    if !matches!(parity, 0 | 1) {
        return Err(cx.fail(&UNDEFINED, format!("a parity is 0 or 1, not {parity}")));
    }
    Ok(Outcome::nothing())
}

/// Some arrive at a barrier of a block.
fn arrive_many(cx: &mut Eval<'_, '_>, block: usize, index: usize, count: i64, bytes: i64) -> Result<(), Failure> {
    let Some(barrier) = device(cx).blocks.get_mut(block).and_then(|block| block.barriers.get_mut(index)) else {
        return Err(cx.fail(&UNDEFINED, "the cluster has no block with such a barrier"));
    };
    barrier.bytes += bytes;
    barrier.missing -= count;
    let (missing, arrivals) = (barrier.missing, barrier.arrivals);
    barrier.settle();
    let device = device(cx);
    device.known.arrive_mbarrier(device.current, (block, index));
    match missing < 0 {
        true => Err(cx.fail(&UNDEFINED, format!("more than {arrivals} arrive in one phase of the barrier"))),
        false => Ok(()),
    }
}

/// The bytes are expected.
pub fn expect(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Expect::from(cx.op);
    let index = barrier_index(cx, op.barrier(), op.stage())?;
    let block = device(cx).thread_group().block;
    arrive_many(cx, block, index, 1, op.bytes())?;
    Ok(Outcome::nothing())
}

/// Those who are here arrive.
pub fn arrive(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Arrive::from(cx.op);
    let index = barrier_index(cx, op.barrier(), op.stage())?;
    let rank = op.rank().map(|rank| integer(cx, rank)).transpose()?;
    let thread_group = device(cx).thread_group();
    let (own, warps) = (thread_group.block, i64::from(thread_group.warps));
    let block = match rank {
        Some(rank) => {
            let rank = usize::try_from(rank).map_err(|_| wrong(cx, format!("there is no block {rank}")))?;
            device(cx).peers().nth(rank).unwrap_or(usize::MAX)
        }
        None => own,
    };
    let count = match op.by() {
        _ if is_single(cx.op) => 1,
        Arrivals::One => 1,
        Arrivals::Warp => warps,
        Arrivals::Thread => warps * 32,
    };
    arrive_many(cx, block, index, count, 0)?;
    Ok(Outcome::nothing())
}

/// Bytes of a copy have come.
pub fn complete_bytes(cx: &mut Eval<'_, '_>, block: usize, index: usize, bytes: i64) {
    if let Some(barrier) = device(cx).blocks.get_mut(block).and_then(|block| block.barriers.get_mut(index)) {
        barrier.bytes -= bytes;
        barrier.settle();
    }
}

/// What the thread group wrote is there for TMA and the tensor cores.
pub fn fence_async(cx: &mut Eval<'_, '_>) -> EvalResult {
    let thread_group = device(cx).thread_group();
    thread_group.fenced = thread_group.clock;
    Ok(Outcome::nothing())
}

/// Ends the work of the tokens and what was begun before.
pub fn await_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let mut tokens = Vec::new();
    for index in 0..cx.operands.len() {
        tokens.push(*cx.opaque::<TokenValue>(index)?);
    }
    let current = device(cx).current;
    for token in tokens.into_iter().filter(|token| token.ticket > 0) {
        if token.thread_group != current {
            return Err(cx.fail(&UNDEFINED, "other threads began the work that is awaited here"));
        }
        let kind = work_index(token.work);
        let begun = &mut device(cx).thread_groups[current].begun[kind];
        let ended = begun.iter().take_while(|begun| begun.ticket <= token.ticket).count();
        let ended: Vec<_> = begun.drain(..ended).collect();
        for begun in ended {
            finish(cx, current, begun)?;
        }
    }
    Ok(Outcome::nothing())
}

/// As [`await_`]: that the stores have read the tile is all that the threads may rely on.
pub fn await_read(cx: &mut Eval<'_, '_>) -> EvalResult {
    await_(cx)
}

/// A token of nothing.
pub fn done(cx: &mut Eval<'_, '_>) -> EvalResult {
    let work = Token::of(cx.op.ctx, cx.op.type_of(Done::from(cx.op).out())).map_or(Work::Load, |ty| ty.work(cx.op.ctx));
    let thread_group = device(cx).current;
    Ok(Outcome::Values(smallvec![Datum::opaque(TokenValue { thread_group, work, ticket: 0 })]))
}
