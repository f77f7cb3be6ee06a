//! The ops that the greedy driver still has to look at.

use crate::entity::{EntityId, OpId};

/// Ops in the order of the program first; between them, last in first out, those that a rewrite has touched.
#[derive(Clone, Default)]
pub(super) struct Worklist {
    seeds: Vec<OpId>,
    next_seed: usize,
    stack: Vec<OpId>,
    /// Where an op waits, by index. It tells entries of erased ops, whose ids may be in use again, from live ones.
    waits: Vec<Waits>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    No,
    AsSeed,
    OnStack,
}

impl Worklist {
    /// Starts over with these ops.
    pub(super) fn seed(&mut self, seeds: Vec<OpId>, slots: usize) {
        self.waits.clear();
        self.waits.resize(slots, Waits::No);
        for seed in &seeds {
            self.waits[seed.index()] = Waits::AsSeed;
        }
        self.seeds = seeds;
        self.next_seed = 0;
        self.stack.clear();
    }

    /// Adds an op, unless it waits already.
    #[inline]
    pub(super) fn push(&mut self, op: OpId) {
        let index = op.index();
        if index >= self.waits.len() {
            self.waits.resize(index + 1, Waits::No);
        }
        if self.waits[index] == Waits::No {
            self.waits[index] = Waits::OnStack;
            self.stack.push(op);
        }
    }

    /// Drops an op that is erased.
    pub(super) fn forget(&mut self, op: OpId) {
        if let Some(waits) = self.waits.get_mut(op.index()) {
            *waits = Waits::No;
        }
    }

    /// The next op to look at.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<OpId> {
        while let Some(op) = self.stack.pop() {
            // An entry of an erased op lies below every entry of the op that has its slot now: by the time it comes up
            // the slot does not wait.
            if std::mem::replace(&mut self.waits[op.index()], Waits::No) == Waits::OnStack {
                return Some(op);
            }
        }
        while let Some(&op) = self.seeds.get(self.next_seed) {
            self.next_seed += 1;
            if self.waits[op.index()] == Waits::AsSeed {
                self.waits[op.index()] = Waits::No;
                return Some(op);
            }
        }
        None
    }
}
