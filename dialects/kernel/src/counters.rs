//! Counters of which blocks take tickets: how many share one, and which.

use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{OpId, OpRef, ValueId};

use crate::ops::{BlockId, Flag, Grid, If, Role, Ticket};

/// A counter of which each block of a grid takes one ticket at most.
#[derive(Clone, PartialEq, Debug)]
pub struct Counter {
    /// The axes of the grid along which blocks have counters of their own.
    pub axes: Vec<usize>,
    /// How many blocks share one: their tickets are different numbers below that.
    pub count: SizeExpr,
}

impl Counter {
    /// The counter of a ticket, if each block takes one at most and no other op uses the memory.
    pub fn of(grid: Grid<'_>, ticket: Ticket<'_>) -> Option<Counter> {
        let uses = |op: OpRef<'_>| Flag::of(op).is_some_and(|flag| flag.memory == ticket.counter());
        let mut all = Vec::new();
        grid.body.walk_regions(grid.id, &mut all);
        let is_alone = all.iter().filter(|&&id| uses(OpRef { id, ..*grid })).count() == 1;
        if !is_alone || grid.body.parent_op(ticket.id).is_none() {
            return None;
        }
        // No loop is around it, and of a role one group comes.
        let around = std::iter::successors(grid.body.parent_op(ticket.id), |&id| grid.body.parent_op(id));
        for id in around.take_while(|&id| id != grid.id) {
            let op = OpRef { id, ..*grid };
            if If::of(op).is_none() && Role::of(op).is_none_or(|role| role.groups() != 1) {
                return None;
            }
        }
        let args: Vec<ValueId> = ticket.args().collect();
        let mut axes = Vec::new();
        for expr in ticket.at() {
            if expr.as_constant().is_some() {
                continue;
            }
            let number = value_number(expr.as_symbol()?)?;
            let made = grid.body.defining_op(*args.get(number)?)?;
            axes.push(BlockId::of(OpRef { id: made, ..*grid })?.axis().clamp(0, 2) as usize);
        }
        let dims = grid.dims();
        let mut count = SizeExpr::from(1);
        for (axis, dim) in dims.iter().enumerate() {
            if !axes.contains(&axis) {
                count = count.mul(dim).ok()?;
            }
        }
        Some(Counter { axes, count })
    }
}

/// The axis of the grid whose number a ticket stands for, as far as warps of a block are concerned: where blocks that
/// differ only along this axis count themselves, nothing asks for that number as well, and each takes one ticket.
pub fn axis_of_ticket(grid: Grid<'_>, ticket: Ticket<'_>) -> Option<usize> {
    let axes = Counter::of(grid, ticket)?.axes;
    let mut left = (0..grid.dims().len()).filter(|axis| !axes.contains(axis));
    let axis = left.next().filter(|_| left.next().is_none())?;
    let mut all = Vec::new();
    grid.body.walk_regions(grid.id, &mut all);
    let is_asked = |id: &OpId| BlockId::of(OpRef { id: *id, ..*grid }).is_some_and(|op| op.axis() == axis as i64);
    (grid.cluster().is_none() && !all.iter().any(is_asked)).then_some(axis)
}
