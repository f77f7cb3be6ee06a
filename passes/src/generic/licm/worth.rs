//! Which of the ops that could leave a loop are worth a register in it: a value that is computed before the loop is
//! kept through all of it.

use dlc_ir::body::Body;
use dlc_ir::{BlockId, Context, OpId, Type, ValueId};
use rustc_hash::FxHashSet;

use crate::analysis::liveness::{Values, registers};

/// A loop, and what could leave it.
pub struct Worth<'a> {
    pub ctx: &'a Context,
    pub body: &'a Body,
    /// Whether a block is in the loop.
    pub inside: &'a dyn Fn(BlockId) -> bool,
    /// What is needed after the loop, or by the next iteration of one around it.
    pub following: &'a Values,
    /// What leaves.
    leaving: FxHashSet<OpId>,
    /// What leaves though it is one step: a step from it stays.
    stepped: FxHashSet<OpId>,
}

impl<'a> Worth<'a> {
    /// All that could leave does.
    pub fn new(
        ctx: &'a Context,
        body: &'a Body,
        inside: &'a dyn Fn(BlockId) -> bool,
        following: &'a Values,
        ops: &[OpId],
    ) -> Worth<'a> {
        Worth { ctx, body, inside, following, leaving: ops.iter().copied().collect(), stepped: FxHashSet::default() }
    }

    /// Those of the ops that leave, in order, the registers that the loop needs more then, at most so many, and how many ops
    /// stay for want of them.
    pub fn choose(mut self, ops: &[OpId], room: i64) -> (Vec<OpId>, i64, usize) {
        let mut changed = true;
        while changed {
            changed = false;
            // Backwards: when an op stays, those that only it needs may be better off in the loop as well.
            for &op in ops.iter().rev() {
                if self.is_last(op) && (self.is_dear(op) || self.is_step(op)) {
                    changed |= self.leaving.remove(&op);
                }
            }
        }
        let (mut added, worth) = (self.added(), self.leaving.len());
        for &op in ops.iter().rev() {
            if added <= room.max(0) {
                break;
            }
            if self.is_last(op) {
                self.leaving.remove(&op);
                added = self.added();
            }
        }
        let left = worth - self.leaving.len();
        (ops.iter().copied().filter(|op| self.leaving.contains(op)).collect(), added, left)
    }

    /// Whether an op leaves, and nothing that needs it does.
    fn is_last(&self, op: OpId) -> bool {
        let needs = |value: ValueId| self.body.uses(value).any(|user| self.leaving.contains(&user.op));
        self.leaving.contains(&op) && !self.body.results(op).any(needs)
    }

    /// Whether it costs registers to keep what an op gives, rather than what it is computed from. Truth values stay: there are
    /// few places for them.
    fn is_dear(&self, op: OpId) -> bool {
        let own: i64 = self.body.results(op).map(|value| self.registers(value)).sum();
        if self.body.results(op).any(|value| self.body.value_type(value) == Type::I1) {
            return true;
        }
        let needed = self.needed_for(op);
        let needs: i64 = needed.iter().map(|&value| self.registers(value)).sum();
        if needs < own {
            return true;
        }
        // Values that are computed from one alone, each in one step, as places at distances from one.
        let &[only] = needed.as_slice() else { return false };
        let mut others: Vec<OpId> = self.body.uses(only).map(|user| user.op).filter(|&op| self.is_last(op)).collect();
        others.sort();
        others.dedup();
        others.retain(|&op| self.needed_for(op) == [only]);
        let all: i64 = others.iter().flat_map(|&op| self.body.results(op)).map(|value| self.registers(value)).sum();
        all > self.registers(only)
    }

    /// Whether an op is the last step from one integer, as a shift or a product with a number is: machines take it in the
    /// instruction that adds what it gives. One such step stays.
    fn is_step(&mut self, op: OpId) -> bool {
        let mut all = self.body.operands(op).chain(self.body.results(op));
        let integers = all.all(|value| self.body.value_type(value).is_integer(self.ctx));
        if !integers || self.body.num_operands(op) != 1 || self.stepped.contains(&op) {
            return false;
        }
        self.stepped.extend(self.body.defining_op(self.body.operand(op, 0)));
        true
    }

    /// The operands of an op that would be needed in the loop for it alone.
    fn needed_for(&self, op: OpId) -> Vec<ValueId> {
        let mut needed: Vec<ValueId> = Vec::new();
        for value in self.body.operands(op) {
            if !self.is_free(value) && !self.stays(value) && !needed.contains(&value) {
                needed.push(value);
            }
        }
        needed
    }

    /// Whether a value is needed in the loop or after it, whatever leaves.
    fn stays(&self, value: ValueId) -> bool {
        let user = |op: OpId| !self.leaving.contains(&op) && self.body.block_of(op).is_some_and(self.inside);
        self.following.contains(value) || self.body.uses(value).any(|used| user(used.op))
    }

    /// Whether a value can be had again at any time: it is computed from nothing, or given to the region.
    fn is_free(&self, value: ValueId) -> bool {
        match self.body.defining_op(value) {
            Some(op) => self.body.num_operands(op) == 0,
            None => {
                let block = self.body.defining_block(value);
                let region = block.and_then(|block| self.body.region_of(block));
                region.and_then(|region| self.body.first_block(region)) == block
            }
        }
    }

    fn registers(&self, value: ValueId) -> i64 {
        registers(self.ctx, self.body.value_type(value))
    }

    /// The registers that the loop needs more: for what leaves and is needed in it, less what only that was made of.
    fn added(&self) -> i64 {
        let (mut added, mut seen) = (0, FxHashSet::default());
        for &op in &self.leaving {
            let kept = |value: &ValueId| self.body.uses(*value).any(|user| !self.leaving.contains(&user.op));
            added += self.body.results(op).filter(kept).map(|value| self.registers(value)).sum::<i64>();
            for value in self.body.operands(op) {
                let made_here = self.body.defining_op(value).is_some_and(|op| self.leaving.contains(&op));
                if !made_here && !self.is_free(value) && !self.stays(value) && seen.insert(value) {
                    added -= self.registers(value);
                }
            }
        }
        added
    }
}
