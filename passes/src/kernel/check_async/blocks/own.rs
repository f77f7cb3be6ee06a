//! What threads of one block do to each other in global memory.

use dlc_ir::body::ValueDef;
use dlc_ir::{OpId, OpRef, ValueId};
use dlc_kernel::ops::{self, Flag};

use super::{Access, Blocks, Fault, UNORDERED_BLOCKS};

impl<'a> Blocks<'a> {
    /// Whether the same threads touch the same elements: at the same place, of fragments of one layout. In a loop around both
    /// the place is the same in all rounds.
    fn is_own(&self, write: &Access<'a>, read: &Access<'a>) -> bool {
        let (Some(store), Some(load)) = (ops::Store::of(write.op), ops::Load::of(read.op)) else { return false };
        let is_same = write.op.type_of(store.value()) == read.op.type_of(load.out());
        let body = write.op.body;
        let loop_ = self.loop_around(write.op, read.op);
        let stays = |value: &ValueId| {
            let block = match body.value_def(*value) {
                ValueDef::Result(id, _) => body.block_of(id),
                ValueDef::Arg(block, _) => Some(block),
                ValueDef::Placeholder => None,
            };
            let around = block.and_then(|block| body.region_of(block)).and_then(|region| body.region_parent(region));
            !std::iter::successors(around, |&id| body.parent_op(id)).any(|id| Some(id) == loop_)
        };
        is_same && write.at == read.at && write.args == read.args && (loop_.is_none() || write.args.iter().all(stays))
    }

    /// The innermost loop around two ops.
    fn loop_around(&self, a: OpRef<'a>, b: OpRef<'a>) -> Option<OpId> {
        let around = |op: OpRef<'a>| std::iter::successors(op.body.parent_op(op.id), move |&id| op.body.parent_op(id));
        around(a).find(|&id| OpRef { id, ..a }.is(ops::For::DEF) && around(b).any(|other| other == id))
    }

    /// Where all threads of a block meet.
    fn meetings(&self) -> impl Iterator<Item = OpRef<'a>> + '_ {
        let of_all = |op: ops::Barrier<'a>| op.id().is_none() || op.threads() == Some(self.grid.threads());
        let meets = move |op: &OpRef<'a>| Flag::of(*op).is_some() || ops::Barrier::of(*op).is_some_and(of_all);
        self.ops.iter().map(|&id| OpRef { id, ..*self.grid }).filter(meets)
    }

    /// Threads of a block have read what others of it write later.
    pub(super) fn own_write(&self, write: &Access<'a>, read: &Access<'a>) -> Result<(), Fault> {
        if !self.same_thread_group(write.op, read.op) || self.is_own(write, read) {
            return Ok(());
        }
        let (is_after, loop_) = (self.precedes(read.op, write.op), self.loop_around(read.op, write.op));
        let mut pair = self.touching(write, read);
        self.same_block(&mut pair);
        if !is_after && loop_.is_none() || pair.is_impossible() {
            return Ok(());
        }
        let is_between = |op: OpRef<'a>| match is_after {
            true => self.precedes(read.op, op) && self.dominates(op, write.op),
            // In each round, before the next one.
            false => op.body.parent_op(op.id) == loop_ && (self.precedes(read.op, op) || self.dominates(op, write.op)),
        };
        if self.meetings().any(is_between) {
            return Ok(());
        }
        let name = self.name(write.memory);
        let message = format!("writes to {name} what threads of the same block read before, with no barrier between");
        let fault = self.fault(&UNORDERED_BLOCKS, write.op, message, "put a 'barrier' between the read and the write");
        Err(Box::new(fault.note(read.op.loc(), "the block reads here")))
    }

    /// Threads of a block read what others of it have written.
    pub(super) fn own_read(&self, write: &Access<'a>, read: &Access<'a>) -> Result<(), Fault> {
        let is_before = self.precedes(write.op, read.op) || self.loop_around(write.op, read.op).is_some();
        if !is_before || !self.same_thread_group(write.op, read.op) || self.is_own(write, read) {
            return Ok(());
        }
        let mut pair = self.touching(write, read);
        self.same_block(&mut pair);
        let is_between = |op: OpRef<'a>| self.precedes(write.op, op) && self.dominates(op, read.op);
        if pair.is_impossible() || self.meetings().any(is_between) {
            return Ok(());
        }
        let name = self.name(read.memory);
        let message = format!("reads what threads of the same block write to {name}, with no barrier between");
        let fault = self.fault(&UNORDERED_BLOCKS, read.op, message, "put a 'barrier' between the write and the read");
        Err(Box::new(fault.note(write.op.loc(), "the block writes here")))
    }
}
