//! Flags in global memory, and which block knows what others wrote there.
//!
//! Each thread group has a vector clock (Fidge and Mattern 1988): of every thread group, until when its writes are known to
//! this one. Releases, acquires, tickets and barriers hand clocks over; reads and writes of global memory are held against
//! them.

use std::hash::Hash;
use std::sync::Arc;

use dlc_core::launch::{GlobalRef, Number, globals};
use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{Datum, Eval, EvalResult, Failure, Outcome, Thread, UNDEFINED};
use dlc_ir::{OpRef, ValueId};
use rustc_hash::FxHashMap;

use super::places::{Names, exprs};
use super::state::{BarrierKey, device, wrong};
use super::sync::meet;
use crate::ops::{Acquire, Flag, Release};

/// Until when the writes of each thread group are known.
pub type Clock = Vec<u64>;

/// An element of global memory: the number of the memory, the row-major number of the element.
type Element = (usize, usize);

/// What blocks know of each other.
#[derive(Default)]
pub struct Known {
    /// Whether the grid has flags: without, its blocks run one after another and tell each other nothing.
    pub is_used: bool,
    /// Of each thread group what it knows; of itself, how far it is.
    thread_groups: Vec<Clock>,
    flags: FxHashMap<Element, Clock>,
    /// What those know who have come to a barrier.
    barriers: FxHashMap<BarrierKey, Clock>,
    /// The same for mbarriers, by block and number.
    mbarriers: FxHashMap<(usize, usize), Clock>,
    /// Who wrote an element last, when, and whether it was combined with what was there.
    writers: FxHashMap<Element, (usize, u64, bool)>,
}

fn join(into: &mut Clock, from: &[u64]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (into, &from) in into.iter_mut().zip(from) {
        *into = (*into).max(from);
    }
}

/// A thread group hands over what it knows.
fn give<K: Hash + Eq>(thread_groups: &mut [Clock], thread_group: usize, to: &mut FxHashMap<K, Clock>, key: K) {
    join(to.entry(key).or_default(), &thread_groups[thread_group]);
    thread_groups[thread_group][thread_group] += 1;
}

/// A thread group learns what others handed over.
fn take<K: Hash + Eq>(thread_groups: &mut [Clock], thread_group: usize, from: &FxHashMap<K, Clock>, key: K) {
    if let Some(clock) = from.get(&key) {
        join(&mut thread_groups[thread_group], clock);
    }
}

impl Known {
    /// Nobody has begun.
    pub fn new(is_used: bool) -> Known {
        Known { is_used, ..Known::default() }
    }

    /// A thread group begins, as a part of another one or with its block.
    pub fn begin(&mut self, thread_group: usize, from: Option<usize>) {
        if !self.is_used {
            return;
        }
        let mut clock = from.map_or_else(Clock::new, |from| self.thread_groups[from].clone());
        clock.resize(clock.len().max(thread_group + 1), 0);
        clock[thread_group] = 1;
        self.thread_groups.resize(thread_group, Clock::new());
        self.thread_groups.push(clock);
        if let Some(from) = from {
            self.thread_groups[from][from] += 1;
        }
    }

    /// A thread group comes to a barrier of threads.
    pub fn arrive(&mut self, thread_group: usize, at: BarrierKey) {
        if self.is_used {
            give(&mut self.thread_groups, thread_group, &mut self.barriers, at);
        }
    }

    /// A thread group passes it.
    pub fn pass(&mut self, thread_group: usize, at: BarrierKey) {
        if self.is_used {
            take(&mut self.thread_groups, thread_group, &self.barriers, at);
        }
    }

    /// A thread group arrives at an mbarrier.
    pub fn arrive_mbarrier(&mut self, thread_group: usize, at: (usize, usize)) {
        if self.is_used {
            give(&mut self.thread_groups, thread_group, &mut self.mbarriers, at);
        }
    }

    /// A thread group has waited for it.
    pub fn pass_mbarrier(&mut self, thread_group: usize, at: (usize, usize)) {
        if self.is_used {
            take(&mut self.thread_groups, thread_group, &self.mbarriers, at);
        }
    }

    fn is_known(&self, thread_group: usize, by: usize, at: u64) -> bool {
        by == thread_group || self.thread_groups[thread_group].get(by).is_some_and(|&known| known >= at)
    }

    /// A thread group reads an element. An error where another one wrote it and nothing orders the two.
    pub fn read(&self, thread_group: usize, element: Element) -> Result<(), String> {
        match self.writers.get(&element) {
            Some(&(by, at, _)) if !self.is_known(thread_group, by, at) => {
                Err(format!("reads element {} of global memory, which another block writes, {UNORDERED}", element.1))
            }
            _ => Ok(()),
        }
    }

    /// Forgets all blocks: those that come now begin after these have ended.
    pub fn clear(&mut self) {
        *self = Known::new(self.is_used);
    }

    /// The same for a write.
    pub fn write(&mut self, thread_group: usize, element: Element, combines: bool) -> Result<(), String> {
        let at = self.thread_groups[thread_group][thread_group];
        match self.writers.insert(element, (thread_group, at, combines)) {
            Some((by, at, combined)) if !(combines && combined || self.is_known(thread_group, by, at)) => {
                Err(format!("writes element {} of global memory, which another block writes, {UNORDERED}", element.1))
            }
            _ => Ok(()),
        }
    }
}

const UNORDERED: &str = "with no 'release' and 'acquire' between";

/// The element of the flag that the op names.
fn element(cx: &mut Eval<'_, '_>) -> Result<Element, Failure> {
    let count = cx.op.operands().len() - 1;
    let names = Names::of(cx, 1, count)?;
    let at = names.uniforms(&exprs(cx, "at")).map_err(|reason| wrong(cx, reason))?;
    let number = cx.opaque::<GlobalRef>(0)?.0;
    let shape = globals(cx)[number].shape.clone();
    match super::memory::global_index(&shape, &at) {
        Some(index) => Ok((number, index)),
        None => Err(cx.fail(&UNDEFINED, format!("a flag is at {at:?}, outside of the sizes {shape:?}"))),
    }
}

fn number(cx: &mut Eval<'_, '_>, (memory, index): Element) -> i64 {
    match globals(cx)[memory].get(index) {
        Number::Int(value) => value,
        Number::Float(value) => value as i64,
    }
}

/// The next number of a counter.
pub fn ticket(cx: &mut Eval<'_, '_>) -> EvalResult {
    meet(cx);
    let at = element(cx)?;
    let old = number(cx, at);
    globals(cx)[at.0].set(at.1, Number::Int(old + 1));
    let device = device(cx);
    let (thread_group, known) = (device.current, &mut device.known);
    take(&mut known.thread_groups, thread_group, &known.flags, at);
    give(&mut known.thread_groups, thread_group, &mut known.flags, at);
    Ok(Outcome::value(Datum::Int(old.into())))
}

/// The flag is set.
pub fn release(cx: &mut Eval<'_, '_>) -> EvalResult {
    meet(cx);
    let at = element(cx)?;
    let value = Release::from(cx.op).value();
    globals(cx)[at.0].set(at.1, Number::Int(value));
    let device = device(cx);
    let (thread_group, known) = (device.current, &mut device.known);
    give(&mut known.thread_groups, thread_group, &mut known.flags, at);
    Ok(Outcome::nothing())
}

/// The flag is there.
pub fn acquire(cx: &mut Eval<'_, '_>) -> EvalResult {
    meet(cx);
    let at = element(cx)?;
    let value = number(cx, at);
    let device = device(cx);
    let (thread_group, known) = (device.current, &mut device.known);
    take(&mut known.thread_groups, thread_group, &known.flags, at);
    Ok(Outcome::value(Datum::Int(value.into())))
}

/// Whether the flag that a thread waits for is there. One that is outside of memory is reported when the op is run.
pub fn is_released<'a>(cx: &mut Eval<'_, 'a>, thread: &Thread<'a>, op: Acquire<'a>) -> bool {
    let Some(Flag { memory, args, at }) = Flag::of(*op) else { return true };
    let value = |value: ValueId| thread.value(value).and_then(Datum::as_int);
    let symbols = Arc::clone(&device(cx).symbols);
    let named = |name: &str| match value_number(name) {
        Some(number) => value(*args.get(number)?).map(|value| value as i64),
        None => symbols.integer(&SizeExpr::symbol(name).ok()?).ok(),
    };
    let at: Option<Vec<i64>> = at.iter().map(|expr| expr.eval(&named).ok()).collect();
    let Some(&GlobalRef(memory)) = thread.value(memory).and_then(Datum::as_opaque::<GlobalRef>) else { return true };
    let shape = globals(cx)[memory].shape.clone();
    match at.and_then(|at| super::memory::global_index(&shape, &at)) {
        Some(index) => number(cx, (memory, index)) >= op.value(),
        None => true,
    }
}

/// Whether blocks of a grid tell each other something.
pub fn has_flags(grid: OpRef<'_>) -> bool {
    let mut ops = Vec::new();
    grid.body.walk_regions(grid.id, &mut ops);
    ops.into_iter().any(|id| Flag::of(OpRef { id, ..grid }).is_some())
}
