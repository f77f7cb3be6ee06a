//! Which integers of a grid depend on what other blocks do.

use dlc_ir::diag::Diagnostic;
use dlc_ir::entity::EntityId as _;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::counters::axis_of_ticket;
use dlc_kernel::ops;

use crate::kernel::check_async::NOT_CHECKED;
use crate::kernel::check_async::values::{is_integer, yielded};

/// The integers that other blocks decide: tickets that stand for no number of the block, values of flags, and what is
/// computed of them.
pub struct CrossBlockValues<'a> {
    grid: ops::Grid<'a>,
    values: Vec<bool>,
}

impl<'a> CrossBlockValues<'a> {
    /// Those of a grid.
    pub fn of(grid: ops::Grid<'a>) -> CrossBlockValues<'a> {
        let mut cross_block = CrossBlockValues { grid, values: vec![false; grid.body.value_slots()] };
        let mut all = Vec::new();
        grid.body.walk_regions(grid.id, &mut all);
        for &id in &all {
            let op = OpRef { id, ..*grid };
            let ticket = ops::Ticket::of(op).filter(|_| cross_block.axis(op).is_none());
            let out = ticket.map(|op| op.out()).or(ops::Acquire::of(op).map(|op| op.out()));
            if let Some(out) = out {
                cross_block.values[out.index()] = true;
            }
        }
        // What loops carry goes around them: until nothing changes.
        let mut changed = cross_block.values.iter().any(|&cross_block| cross_block);
        while changed {
            changed = false;
            for &id in &all {
                for (from, to) in handed(OpRef { id, ..*grid }) {
                    changed |= cross_block.values[from.index()]
                        && !std::mem::replace(&mut cross_block.values[to.index()], true);
                }
            }
        }
        cross_block
    }

    /// Whether there is one among values.
    pub fn has_any(&self, mut values: impl Iterator<Item = ValueId>) -> bool {
        values.any(|value| self.values[value.index()])
    }

    /// The axis along which the number of the block is what the ticket of an op stands for.
    pub fn axis(&self, op: OpRef<'_>) -> Option<usize> {
        ops::Ticket::of(op).and_then(|ticket| axis_of_ticket(self.grid, ticket))
    }

    /// Errors: how often a loop runs depends on other blocks.
    pub fn check_loop(&self, op: ops::For<'_>) -> Result<(), Box<Diagnostic>> {
        if !self.has_any(op.args()) {
            return Ok(());
        }
        let message = "not verified: how often the loop runs depends on what other blocks do";
        let suggestion =
            "count blocks along one axis of the grid by a 'ticket', and do not ask for their number along it";
        Err(Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(suggestion)))
    }
}

/// The values that an op makes of others.
fn handed(op: OpRef<'_>) -> Vec<(ValueId, ValueId)> {
    let results: Vec<ValueId> = op.results().collect();
    if let Some(loop_) = ops::For::of(op) {
        let region = ops::For::body(loop_);
        let args = op.body.first_block(region).map_or(&[][..], |block| op.body.args(block));
        let Some((&index, carried)) = args.split_first() else { return Vec::new() };
        let bounds = loop_.args().map(|arg| (arg, index));
        let begins = loop_.inits().zip(carried.iter().copied());
        let goes_on = yielded(op, region).into_iter().zip(carried.iter().copied());
        let ends = carried.iter().copied().zip(results);
        return bounds.chain(begins).chain(goes_on).chain(ends).collect();
    }
    if [ops::If::DEF, ops::Elect::DEF].into_iter().any(|def| op.is(def)) {
        let regions = op.regions().iter();
        return regions.flat_map(|&region| yielded(op, region).into_iter().zip(results.iter().copied())).collect();
    }
    if is_integer(op) {
        return op.operands().flat_map(|from| results.iter().map(move |&to| (from, to))).collect();
    }
    Vec::new()
}
