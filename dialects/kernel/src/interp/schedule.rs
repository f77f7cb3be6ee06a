//! Who goes on next. One thread group at a time takes some ops; it stops where it must wait. When nobody can go on, a copy
//! that is on its way arrives, and if there is none, the threads deadlock.

use dlc_ir::OpRef;
use dlc_ir::interp::{Data, Datum, Eval, Failure, Thread, UNDEFINED};

use super::flags::{Known, has_flags, is_released};
use super::memory::finish;
use super::shared::SharedMemory;
use super::state::{BarrierKey, Block, Device, Phase, ThreadGroup, Work, device};
use super::values::BarriersValue;
use crate::ops::{Acquire, Barrier, ClusterBarrier, Role, Wait};

/// The most ops that a thread group takes before another one may.
const TURN: usize = 24;

/// The most clusters that run at once where blocks tell each other something.
const RESIDENT: usize = 4;

/// Of how many clusters that have not begun any may be the next.
const WINDOW: usize = 4096;

/// The most thread groups before all that run must end: they are distinguished by 16 bits.
const MOST_TEAMS: usize = 32_768;

/// Runs clusters of blocks to their end, one after another. Where they tell each other something, they begin in an order
/// that the seed decides, and some run at once; how many, it decides as well. Others begin only when one has ended: whoever
/// waits for a block that need not have begun may meet one that does not begin.
pub fn run_clusters(
    cx: &mut Eval<'_, '_>,
    count: u64,
    blocks: &dyn Fn(u64) -> Vec<[i64; 3]>,
    bytes: usize,
) -> Result<(), Failure> {
    let has_flags = has_flags(cx.op);
    let device = device(cx);
    device.known = Known::new(has_flags);
    let (mut next, mut waiting) = (0, Vec::new());
    let (resident, window) = if has_flags { (1 + device.random(RESIDENT), WINDOW) } else { (1, 1) };
    // The threads of thread groups, those that have not ended, and the first block of each cluster that runs.
    let (mut threads, mut alive, mut running) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mut at = 0;
        while at < running.len() {
            let is_alive = |&thread_group: &usize| in_cluster(self::device(cx), running[at], thread_group);
            if alive.iter().any(is_alive) {
                at += 1;
            } else {
                let first = running.remove(at);
                end_cluster(cx, first)?;
            }
        }
        if running.is_empty() {
            let device = self::device(cx);
            device.blocks.clear();
            device.thread_groups.clear();
            device.phases.clear();
            device.known.clear();
            threads.clear();
        }
        while running.len() < resident && threads.len() < MOST_TEAMS {
            while waiting.len() < window && next < count {
                waiting.push(next);
                next += 1;
            }
            if waiting.is_empty() {
                break;
            }
            let chosen = if has_flags { self::device(cx).random(waiting.len()) } else { 0 };
            let ids = blocks(waiting.swap_remove(chosen));
            running.push(begin_cluster(cx, &ids, bytes, &mut threads, &mut alive)?);
        }
        if running.is_empty() {
            return Ok(());
        }
        let first = self::device(cx).random(alive.len());
        let mut moved = false;
        for at in 0..alive.len() {
            let thread_group = alive[(first + at) % alive.len()];
            if take_turn(cx, &mut threads, thread_group)? {
                moved = true;
                break;
            }
        }
        if !moved && !arrive(cx)? {
            return Err(deadlock(cx, &threads));
        }
        alive.clear();
        alive.extend((0..threads.len()).filter(|&thread_group| threads[thread_group].is_some()));
    }
}

fn in_cluster(device: &Device, first: usize, thread_group: usize) -> bool {
    (first..first + device.cluster).contains(&device.thread_groups[thread_group].block)
}

/// The blocks of a cluster begin: the number of the first.
fn begin_cluster<'a>(
    cx: &mut Eval<'_, 'a>,
    ids: &[[i64; 3]],
    bytes: usize,
    threads: &mut Vec<Option<Thread<'a>>>,
    alive: &mut Vec<usize>,
) -> Result<usize, Failure> {
    let grid = cx.op;
    let device = device(cx);
    device.cluster = ids.len();
    let first = device.blocks.len();
    let warps = u32::try_from(device.threads_of_block / 32).unwrap_or(1).max(1);
    for (number, id) in ids.iter().enumerate() {
        device.blocks.push(Block {
            id: *id,
            memory: SharedMemory::new(bytes),
            barriers: Vec::new(),
            barrier_ops: Default::default(),
        });
        device.known.begin(device.thread_groups.len(), None);
        device.thread_groups.push(thread_group(first + number, 0, warps));
    }
    for _ in ids {
        alive.push(threads.len());
        threads.push(Some(cx.interp.fork(cx.thread, grid, 0, Data::new())?));
    }
    Ok(first)
}

/// All threads of a cluster have ended.
fn end_cluster(cx: &mut Eval<'_, '_>, first: usize) -> Result<(), Failure> {
    let device = device(cx);
    let blocks = first..first + device.cluster;
    let is_own = |key: &BarrierKey| match key {
        BarrierKey::Named(block, _) => blocks.contains(block),
        BarrierKey::Cluster(of) => *of == first,
    };
    let left = device.phases.iter().find(|(key, phase)| phase.arrived > 0 && is_own(key)).map(|(_, phase)| *phase);
    if let Some(phase) = left {
        let message =
            format!("the block ends, and {} threads have come to a barrier for which nothing waits", phase.arrived);
        return Err(cx.fail(&UNDEFINED, message));
    }
    let comes = |work: &Work| match work {
        Work::Bring { signals, .. } => signals.iter().any(|(block, ..)| blocks.contains(block)),
        _ => false,
    };
    let flying = self::device(cx).flying.iter().find(|(_, work)| comes(work)).map(|(at, _)| *at);
    if let Some(at) = flying {
        let error = cx.fail(&UNDEFINED, "the block ends while a copy to its shared memory is on its way");
        return Err(Box::new(error.note(at, "the copy begins here")));
    }
    for thread_group in 0..self::device(cx).thread_groups.len() {
        if !in_cluster(self::device(cx), first, thread_group) {
            continue;
        }
        self::device(cx).current = thread_group;
        for kind in 0..3 {
            let begun = std::mem::take(&mut self::device(cx).thread_groups[thread_group].begun[kind]);
            for begun in begun {
                finish(cx, thread_group, begun)?;
            }
        }
    }
    for block in blocks {
        self::device(cx).blocks[block].memory = SharedMemory::new(0);
    }
    Ok(())
}

fn thread_group(block: usize, first_warp: u32, warps: u32) -> ThreadGroup {
    ThreadGroup {
        block,
        first_warp,
        warps,
        clock: 0,
        synced: 0,
        warp_synced: 0,
        fenced: 0,
        tickets: [0; 3],
        begun: Default::default(),
        waiting: None,
    }
}

/// A thread group takes ops until it must wait or has taken enough. Whether it took any.
fn take_turn<'a>(
    cx: &mut Eval<'_, 'a>,
    threads: &mut Vec<Option<Thread<'a>>>,
    thread_group: usize,
) -> Result<bool, Failure> {
    let ctx = cx.op.ctx;
    let turn = 1 + device(cx).random(TURN);
    for step in 0..turn {
        let Some(thread) = &mut threads[thread_group] else { return Ok(true) };
        device(cx).current = thread_group;
        if let Some(next) = thread.next_op(ctx) {
            if !is_ready(cx, thread, next)? {
                return Ok(step > 0);
            }
            if let Some(role) = Role::of(next) {
                start_role(cx, threads, thread_group, role)?;
            }
        }
        let Some(thread) = &mut threads[thread_group] else { return Ok(true) };
        if cx.interp.step(thread)?.is_some() {
            threads[thread_group] = None;
            return Ok(true);
        }
    }
    Ok(true)
}

/// The groups of a role begin.
fn start_role<'a>(
    cx: &mut Eval<'_, 'a>,
    threads: &mut Vec<Option<Thread<'a>>>,
    from: usize,
    role: Role<'a>,
) -> Result<(), Failure> {
    let groups = role.groups().max(1);
    let warps = (role.last() - role.first()) / groups;
    let takes = role.body.first_block(Role::body(role)).map_or(0, |block| role.body.args(block).len());
    for group in 0..groups {
        let args: Data = (0..takes).map(|_| Datum::Int(group.into())).collect();
        let Some(thread) = &threads[from] else { continue };
        let fork = cx.interp.fork(thread, *role, 0, args)?;
        threads.push(Some(fork));
        let device = device(cx);
        let block = device.thread_groups[from].block;
        let first = role.first() + group * warps;
        device.known.begin(device.thread_groups.len(), Some(from));
        let made = thread_group(block, u32::try_from(first).unwrap_or(0), u32::try_from(warps).unwrap_or(1));
        device.thread_groups.push(made);
    }
    Ok(())
}

/// Whether an op need not wait.
fn is_ready<'a>(cx: &mut Eval<'_, 'a>, thread: &Thread<'a>, op: OpRef<'a>) -> Result<bool, Failure> {
    let number = |value| thread.value(value).and_then(Datum::as_int).unwrap_or(0);
    if let Some(wait) = Wait::of(op) {
        let Some(barriers) = thread.value(wait.barrier()).and_then(Datum::as_opaque::<BarriersValue>) else {
            return Ok(true);
        };
        let stage = wait.stage().map_or(0, number);
        let parity = number(wait.parity());
        let index = usize::try_from(stage).ok().filter(|&stage| stage < barriers.count);
        // What is no barrier is said when the op is run.
        let Some(index) = index.map(|stage| barriers.first + stage) else { return Ok(true) };
        return Ok(device(cx).block().barriers[index].passed(parity));
    }
    if let Some(acquire) = Acquire::of(op) {
        return Ok(is_released(cx, thread, acquire));
    }
    let device = device(cx);
    let (block, warps) = (device.thread_group().block, i64::from(device.thread_group().warps));
    let (key, wanted) = if let Some(barrier) = Barrier::of(op) {
        let Some(id) = barrier.id() else { return Ok(true) };
        (BarrierKey::Named(block, number(id) as i64), barrier.threads().unwrap_or(warps * 32))
    } else if ClusterBarrier::of(op).is_some() {
        (BarrierKey::Cluster(device.peers().start), device.threads_of_block * device.cluster as i64)
    } else {
        return Ok(true);
    };
    let phase = match device.thread_group().waiting {
        Some((_, phase)) => phase,
        None => {
            let phase = device.phases.entry(key).or_default().phase;
            device.thread_group().waiting = Some((key, phase));
            device.known.arrive(device.current, key);
            arrive_at(device, key, warps * 32, wanted);
            phase
        }
    };
    let passed = device.phases.entry(key).or_default().phase > phase;
    if passed {
        device.thread_group().waiting = None;
        device.known.pass(device.current, key);
    }
    Ok(passed)
}

/// Threads arrive at a barrier that `wanted` threads make complete.
pub fn arrive_at(device: &mut Device, key: BarrierKey, threads: i64, wanted: i64) {
    let phase: &mut Phase = device.phases.entry(key).or_default();
    phase.arrived += threads;
    if phase.arrived >= wanted {
        *phase = Phase { arrived: 0, phase: phase.phase + 1 };
    }
}

/// A copy that is on its way arrives; which one, the seed decides. Whether there is one.
fn arrive(cx: &mut Eval<'_, '_>) -> Result<bool, Failure> {
    let device = device(cx);
    if device.flying.is_empty() {
        return Ok(false);
    }
    let count = device.flying.len();
    let chosen = device.random(count);
    let (_, work) = device.flying.remove(chosen);
    super::memory::bring(cx, work)?;
    Ok(true)
}

/// Everybody waits: who, and for what.
fn deadlock<'a>(cx: &mut Eval<'_, 'a>, threads: &[Option<Thread<'a>>]) -> Failure {
    let ctx = cx.op.ctx;
    let mut error = cx.fail(&UNDEFINED, "no thread can go on: all of them wait");
    for (thread_group, thread) in threads.iter().enumerate() {
        let Some(op) = thread.as_ref().and_then(|thread| thread.next_op(ctx)) else { continue };
        let device = device(cx);
        let (block, first) = (device.thread_groups[thread_group].block, device.thread_groups[thread_group].first_warp);
        let last = first + device.thread_groups[thread_group].warps;
        error = Box::new(error.note(op.loc(), format!("warps {first} to {last} of block {block} wait here")));
    }
    error
}
