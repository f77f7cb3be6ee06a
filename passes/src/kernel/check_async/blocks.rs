//! What blocks do to each other in global memory, decided from the text.
//!
//! An *exchange* is memory that a grid both writes and reads. Of every write and every read of it that may touch the same
//! element in two different blocks, a flag must say that the write comes first:
//!
//! - the writing block releases a flag after the write, and the reading one acquires that very flag before the read, or
//! - both take a ticket of the same counter, the writing one after the write and before the other one does.
//!
//! 'The same element', 'the same flag' and 'before' are questions about integers: positions are affine in the numbers of
//! the blocks, tickets and loops, and what is asked has no solution ([`sites`]). An element is written by one block, and a
//! flag is released by one block, in rising steps: so a flag that is acquired names who released it.
//!
//! A wait ends if the block that releases has begun, whatever else runs: one with a lower ticket of the same counter has.
//! By induction over tickets it comes to its release, as nothing that a block waits for comes from a higher one; that
//! warps of one block do not deadlock is what the machine shows, which takes acquires to pass.

mod cross_block;
mod differences;
mod own;
mod quotients;
mod sites;
mod ways;
mod witness;
mod writes;

use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::diag::{Code, Diagnostic};
use dlc_ir::{OpId, OpRef, Type, ValueId};
use dlc_kernel::counters::Counter;
use dlc_kernel::ops::{self, Copied, Flag};
use dlc_kernel::types::{Frag, TensorMap, Tile};
use rustc_hash::FxHashMap;

use super::{DEADLOCK, NOT_CHECKED, STALE_FLAG, UNORDERED_BLOCKS};
pub use cross_block::CrossBlockValues;
use sites::{Differs, Pair, Var, group_of};
pub use ways::{never_run, never_together};
pub use witness::Sizes;
pub use writes::Writes;

type Fault = Box<Diagnostic>;

/// Counters by the ops that take tickets.
pub type Counters = FxHashMap<OpId, Counter>;

/// A write or a read of memory.
#[derive(Clone)]
struct Access<'a> {
    op: OpRef<'a>,
    memory: ValueId,
    writes: bool,
    /// Whether it combines with what is there, in one step.
    combines: bool,
    at: Vec<SizeExpr>,
    /// How many axes of the memory each of them counts, if some count several as one.
    merged: Option<Vec<i64>>,
    args: Vec<ValueId>,
    guard: Option<Guard>,
    /// The fragment whose positions `at` names.
    shape: Vec<i64>,
}

/// Everything that a grid does in global memory.
pub struct Blocks<'a> {
    grid: ops::Grid<'a>,
    /// All ops in it.
    ops: Vec<OpId>,
    /// Of these, those that give blocks tiles.
    tile_orders: Vec<ops::TileOrder<'a>>,
    accesses: Vec<Access<'a>>,
    flags: Vec<(OpRef<'a>, Flag)>,
    /// Of each ticket that a block takes at most once, the counter.
    counters: Rc<Counters>,
    /// Those that each block takes, which tell blocks apart.
    orders: Vec<ops::Ticket<'a>>,
}

/// Verifies what the blocks of a grid do to each other, but for [what they write](Blocks::writes).
///
/// Errors: the first thing that nothing orders, a wait that may not end, or what is not followed.
pub fn check_blocks(grid: ops::Grid<'_>) -> Result<Blocks<'_>, Fault> {
    let mut ops = Vec::new();
    grid.body.walk_regions(grid.id, &mut ops);
    let (accesses, flags, orders) = (Vec::new(), Vec::new(), Vec::new());
    let tile_orders = ops.iter().filter_map(|&id| ops::TileOrder::of(OpRef { id, ..*grid })).collect();
    let mut blocks = Blocks { grid, ops, tile_orders, accesses, flags, counters: Rc::default(), orders };
    for &id in &blocks.ops {
        let op = OpRef { id, ..*grid };
        if let Some(access) = access(op)? {
            blocks.accesses.push(access);
        } else if let Some(flag) = Flag::of(op) {
            blocks.flags.push((op, flag));
        }
    }
    blocks.flags_are_fresh()?;
    blocks.count_tickets();
    for at in 0..blocks.flags.len() {
        blocks.released_once(at)?;
    }
    for (op, _) in &blocks.flags {
        if let Some(acquire) = ops::Acquire::of(*op) {
            blocks.wait_ends(acquire)?;
        }
    }
    blocks.exchanges()?;
    Ok(blocks)
}

/// The memory that a value is, or that a tensor map is of.
pub fn memory_of(op: OpRef<'_>, value: ValueId) -> ValueId {
    let map = op.body.defining_op(value).and_then(|id| ops::TensorMapOf::of(OpRef { id, ..op }));
    map.map_or(value, |map| map.memory())
}

fn access(op: OpRef<'_>) -> Result<Option<Access<'_>>, Fault> {
    let of_frag = |ty: Type| Frag::of(op.ctx, ty).map_or_else(Vec::new, |frag| frag.shape(op.ctx));
    let made = |memory, writes, at, args, guard, shape| {
        let (combines, merged) = (false, None);
        Access { op, memory, writes, combines, at, merged, args, guard, shape }
    };
    Ok(if let Some(load) = ops::Load::of(op) {
        let shape = of_frag(op.type_of(load.out()));
        Some(made(load.source(), false, load.at(), load.args().collect(), load.guard(), shape))
    } else if let Some(store) = ops::Store::of(op) {
        let shape = of_frag(op.type_of(store.value()));
        let access = made(store.target(), true, store.at(), store.args().collect(), store.guard(), shape);
        Some(Access { combines: store.combine().is_some(), ..access })
    } else if let Some(copied) = Copied::of(op) {
        let shape = Tile::of(op.ctx, op.type_of(copied.tile.0)).map_or_else(Vec::new, |tile| tile.shape(op.ctx));
        let args: Vec<ValueId> = op.operands().skip(1).take(copied.values).collect();
        Some(made(copied.source, false, copied.at, args, copied.guard, shape))
    } else if let Some(load) = ops::TmaLoad::of(op) {
        Some(made(memory_of(op, load.map()), false, Vec::new(), Vec::new(), None, Vec::new()))
    } else if let Some(store) = ops::TmaStore::of(op) {
        let (shape, at, merged) = stored_box(store).unwrap_or_default();
        let access = made(memory_of(op, store.map()), true, at, store.args().collect(), None, shape);
        Some(Access { combines: store.combine().is_some(), merged, ..access })
    } else {
        None
    })
}

/// TMA box of a store, the positions in it, and which axes they count as one.
fn stored_box(store: ops::TmaStore<'_>) -> Option<(Vec<i64>, Vec<SizeExpr>, Option<Vec<i64>>)> {
    let map = store.body.defining_op(store.map()).and_then(|id| ops::TensorMapOf::of(OpRef { id, ..*store }))?;
    let shape = TensorMap::of(store.ctx, store.type_of(store.map()))?.shape(store.ctx);
    let within = |(axis, at): (usize, &SizeExpr)| at.add(&SizeExpr::symbol(&format!("i{axis}")).ok()?).ok();
    let at = store.at().iter().enumerate().map(within).collect::<Option<_>>()?;
    Some((shape, at, map.merged()))
}

impl<'a> Blocks<'a> {
    fn name(&self, memory: ValueId) -> String {
        let name = self.grid.ctx.str(self.grid.body.value_name(memory));
        if name.is_empty() { "the memory".into() } else { format!("%{name}") }
    }

    fn fault(&self, code: &'static Code, op: OpRef<'_>, message: String, suggestion: &str) -> Fault {
        Box::new(Diagnostic::error(code, op.loc(), message).at(op.name()).suggest(suggestion))
    }

    /// Flags are zero when the grid begins, and nothing but flags.
    fn flags_are_fresh(&self) -> Result<(), Fault> {
        for (op, flag) in &self.flags {
            let name = self.name(flag.memory);
            let others = self.grid.body.uses(flag.memory).map(|user| OpRef { id: user.op, ..*self.grid });
            for other in others {
                if Flag::of(other).is_none() {
                    let message = format!("{name} has flags, and is read or written as memory as well");
                    let fault = self.fault(&UNORDERED_BLOCKS, other, message, "use other memory for what is no flag");
                    return Err(Box::new(fault.note(op.loc(), "it is a flag here")));
                }
                if !self.is_inside(other) {
                    let message = format!("{name} is no longer zero: another grid of the launch has used its flags");
                    let suggestion = "give each grid 'scratch' memory of its own for its flags";
                    let fault = self.fault(&STALE_FLAG, *op, message, suggestion);
                    return Err(Box::new(fault.note(other.loc(), "the other grid does it here")));
                }
            }
        }
        Ok(())
    }

    fn is_inside(&self, op: OpRef<'_>) -> bool {
        std::iter::successors(Some(op.id), |&id| op.body.parent_op(id)).any(|id| id == self.grid.id)
    }

    fn count_tickets(&mut self) {
        let mut counters = Counters::default();
        for (op, _) in &self.flags {
            let Some(ticket) = ops::Ticket::of(*op) else { continue };
            let Some(counter) = Counter::of(self.grid, ticket) else { continue };
            counters.insert(op.id, counter);
            if op.body.parent_op(op.id) == Some(self.grid.id) {
                self.orders.push(ticket);
            }
        }
        self.counters = Rc::new(counters);
    }

    /// The integers that tell blocks apart: their tickets of the same counter, or their numbers.
    fn identities(&self) -> Vec<Vec<Var>> {
        let ordered = self.orders.iter().map(|order| self.of_order(*order));
        ordered.chain([(0..self.grid.dims().len()).map(Var::Block).collect()]).collect()
    }

    fn of_order(&self, order: ops::Ticket<'a>) -> Vec<Var> {
        let axes = self.counters.get(&order.id).map_or(&[][..], |counter| counter.axes.as_slice());
        axes.iter().map(|&axis| Var::Block(axis)).chain([Var::Value(order.out())]).collect()
    }

    /// Whether something holds of any two threads that run two ops and are of other blocks, or of other thread groups of a
    /// block; the error is that of the first way to tell them apart.
    fn for_others(
        &self,
        a: OpRef<'a>,
        b: OpRef<'a>,
        holds: impl Fn(Differs) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut first = None;
        for mut vars in self.identities() {
            match (self.role(a), self.same_thread_group(a, b)) {
                (_, false) => return holds(None),
                (Some(role), true) if role.groups() > 1 => vars.push(group_of(role)),
                _ => {}
            }
            let mut cases = vars.into_iter().flat_map(|var| [Some((var, true)), Some((var, false))]);
            match cases.try_for_each(&holds) {
                Ok(()) => return Ok(()),
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Two blocks are the same one.
    fn same_block(&self, pair: &mut Pair<'a>) {
        for var in self.identities().concat() {
            let (a, b) = (pair.var(0, var), pair.var(1, var));
            pair.equal(&a, &b);
        }
    }

    /// The role around an op.
    fn role(&self, op: OpRef<'a>) -> Option<ops::Role<'a>> {
        let mut around = std::iter::successors(op.body.parent_op(op.id), |&id| op.body.parent_op(id));
        around.find_map(|id| ops::Role::of(OpRef { id, ..op }))
    }

    fn same_thread_group(&self, a: OpRef<'a>, b: OpRef<'a>) -> bool {
        self.role(a).map(|role| role.id) == self.role(b).map(|role| role.id)
    }

    /// Whether an op, or one around it, stands before another one in the block of that: it is done before it, as often as
    /// that one.
    fn precedes(&self, first: OpRef<'a>, second: OpRef<'a>) -> bool {
        let body = self.grid.body;
        let block = body.block_of(second.id);
        let mut around = std::iter::successors(Some(first.id), |&id| body.parent_op(id));
        let at = around.find(|&id| body.block_of(id) == block);
        at.is_some_and(|at| at != second.id && body.is_before(at, second.id))
    }

    /// Whether an op has been done, in the same round, wherever another one is run.
    fn dominates(&self, first: OpRef<'a>, second: OpRef<'a>) -> bool {
        let body = self.grid.body;
        let block = body.block_of(first.id);
        let mut around = std::iter::successors(Some(second.id), |&id| body.parent_op(id));
        let at = around.find(|&id| body.block_of(id) == block);
        at.is_some_and(|at| at != first.id && body.is_before(first.id, at))
    }

    fn pair(&self) -> Pair<'a> {
        Pair::new(*self.grid, Rc::clone(&self.counters))
    }

    /// The index of a flag. `None` where it is not affine.
    fn index(&self, pair: &mut Pair<'a>, side: u8, op: OpRef<'a>) -> Option<Vec<AffineExpr>> {
        let (_, flag) = self.flags.iter().find(|(known, _)| known.id == op.id)?;
        flag.at.iter().map(|at| pair.expr(side, at, &flag.args)).collect()
    }
}

impl<'a> Blocks<'a> {
    /// Memory that is written and read: whoever reads what another block writes does it after that.
    fn exchanges(&self) -> Result<(), Fault> {
        let mut writes: FxHashMap<ValueId, Vec<&Access<'a>>> = FxHashMap::default();
        for write in self.accesses.iter().filter(|access| access.writes) {
            writes.entry(write.memory).or_default().push(write);
        }
        for read in self.accesses.iter().filter(|access| !access.writes) {
            for write in writes.get(&read.memory).into_iter().flatten() {
                self.is_followed(write, read)?;
                self.for_others(write.op, read.op, |differs| self.read_after_write(write, read, differs))?;
                self.own_read(write, read)?;
                self.own_write(write, read)?;
            }
        }
        Ok(())
    }

    /// TMA is not followed where blocks exchange something.
    fn is_followed(&self, write: &Access<'a>, read: &Access<'a>) -> Result<(), Fault> {
        let is_tma = |op: &OpRef<'a>| ops::TmaStore::of(*op).is_some() || ops::TmaLoad::of(*op).is_some();
        let Some(op) = [write.op, read.op].into_iter().find(is_tma) else { return Ok(()) };
        let message = format!(
            "not verified: {} is written and read by this grid, and TMA accesses to such memory are not followed",
            self.name(write.memory)
        );
        Err(self.fault(&NOT_CHECKED, op, message, "use 'load' and 'store', or another grid"))
    }

    /// Two accesses that touch the same element.
    fn touching(&self, first: &Access<'a>, second: &Access<'a>) -> Pair<'a> {
        self.touching_in(self.pair(), first, second)
    }

    fn touching_in(&self, mut pair: Pair<'a>, first: &Access<'a>, second: &Access<'a>) -> Pair<'a> {
        for (side, access) in [(0, first), (1, second)] {
            pair.path(side, access.op);
            pair.inside(side, access.guard.as_ref(), &access.args);
        }
        self.positions(&mut pair, first, second);
        pair
    }

    /// They are at the same position; one that is not affine may be any.
    fn positions(&self, pair: &mut Pair<'a>, first: &Access<'a>, second: &Access<'a>) {
        let [a, b] = [(0, first), (1, second)].map(|(side, access)| {
            for (axis, &size) in access.shape.iter().enumerate() {
                pair.axis(side, axis, size);
            }
            let at = access.at.iter().map(|at| pair.expr(side, at, &access.args));
            at.collect::<Vec<Option<AffineExpr>>>()
        });
        if a.len() != b.len() || first.merged != second.merged {
            pair.is_complete = false;
            return;
        }
        for (a, b) in a.into_iter().zip(b) {
            match (a, b) {
                (Some(a), Some(b)) => pair.equal(&a, &b),
                _ => pair.is_complete = false,
            }
        }
    }

    fn read_after_write(&self, write: &Access<'a>, read: &Access<'a>, differs: Differs) -> Result<(), Fault> {
        let mut pair = self.touching(write, read);
        pair.differ(differs);
        if pair.is_impossible() {
            return Ok(());
        }
        let mut reason = None;
        for (op, _) in &self.flags {
            // Whether what orders the two is there, and only not before or after them as it must be.
            let ordered = match (ops::Acquire::of(*op), ops::Ticket::of(*op)) {
                (Some(acquire), _) => self.ordered_by_flag(&pair, write, read, acquire),
                (_, Some(ticket)) => self.ordered_by_ticket(&pair, write, read, ticket),
                _ => continue,
            };
            match ordered {
                Ok(()) => return Ok(()),
                Err(why) => reason = why.or(reason),
            }
        }
        let name = self.name(read.memory);
        let (reason, suggestion) = reason.unwrap_or_else(|| {
            (
                "nothing says that it has done so".to_owned(),
                "let the writer 'release' a flag after the write, and 'acquire' it before the read",
            )
        });
        let message = format!("reads what another block writes to {name}: {reason}");
        let fault = self.fault(&UNORDERED_BLOCKS, read.op, message, suggestion);
        Err(Box::new(fault.note(write.op.loc(), "another block writes here")))
    }
}

/// Why something does not order two accesses, if it looks as if it should; and what to do.
type Why = Option<(String, &'static str)>;

impl<'a> Blocks<'a> {
    /// Whether the flag that is acquired before a read was released after the write.
    fn ordered_by_flag(
        &self,
        pair: &Pair<'a>,
        write: &Access<'a>,
        read: &Access<'a>,
        acquire: ops::Acquire<'a>,
    ) -> Result<(), Why> {
        if !self.dominates(*acquire, read.op) {
            let early = self.precedes(read.op, *acquire);
            return Err(
                early.then(|| ("the flag is acquired only after the read".into(), "put 'acquire' before the read"))
            );
        }
        let mut releases = 0;
        for (op, flag) in &self.flags {
            let Some(release) = ops::Release::of(*op).filter(|_| flag.memory == acquire.flag()) else { continue };
            // Only a release that the value seen can come from counts.
            let mut pair = pair.clone();
            let seen = pair.var(1, Var::Value(acquire.out()));
            pair.equal(&seen, &AffineExpr::Constant(release.value()));
            if pair.is_impossible() {
                continue;
            }
            releases += 1;
            if !self.same_thread_group(write.op, *release) {
                return Err(Some((
                    "other warps of the writing block release the flag".into(),
                    "let the threads that write release the flag",
                )));
            }
            if !self.precedes(write.op, *release) {
                return Err(Some((
                    format!("the flag may be released with {} before the write", release.value()),
                    "put 'release' after the write, or wait for a later value",
                )));
            }
            let (Some(a), Some(b)) = (self.index(&mut pair, 0, *release), self.index(&mut pair, 1, *acquire)) else {
                return Err(Some(("the index of the flag is not affine".into(), super::SUGGEST_COVER)));
            };
            if !a.iter().zip(&b).all(|(a, b)| pair.implies_equal(a, b)) {
                return Err(Some((
                    "the flag that is acquired may be another one than the writer releases".into(),
                    "acquire the flag with the index of the block that writes what is read",
                )));
            }
        }
        if releases == 0 { Err(None) } else { Ok(()) }
    }

    /// Whether the reader takes its ticket after the writer, who has written before.
    fn ordered_by_ticket(
        &self,
        pair: &Pair<'a>,
        write: &Access<'a>,
        read: &Access<'a>,
        ticket: ops::Ticket<'a>,
    ) -> Result<(), Why> {
        let is_known = self.counters.contains_key(&ticket.id);
        if !is_known || !self.same_thread_group(*ticket, write.op) || !self.dominates(*ticket, read.op) {
            return Err(None);
        }
        if !self.precedes(write.op, *ticket) {
            return Err(None);
        }
        let mut pair = pair.clone();
        let (Some(a), Some(b)) = (self.index(&mut pair, 0, *ticket), self.index(&mut pair, 1, *ticket)) else {
            return Err(None);
        };
        if !a.iter().zip(&b).all(|(a, b)| pair.implies_equal(a, b)) {
            return Err(Some((
                "the writer may take its ticket of another counter".into(),
                "count with the index of what is shared",
            )));
        }
        // Two blocks have two tickets: so it is enough that the writer's is not above.
        let (first, second) = (pair.var(0, Var::Value(ticket.out())), pair.var(1, Var::Value(ticket.out())));
        match pair.implies_less(&first, &second, 0) {
            true => Ok(()),
            false => Err(Some((
                "it may take its ticket later".into(),
                "read only in the block with the last ticket of all that write",
            ))),
        }
    }

    /// A flag is released by one block, in rising steps.
    fn released_once(&self, at: usize) -> Result<(), Fault> {
        let (op, flag) = &self.flags[at];
        let own = |other: &&(OpRef<'a>, Flag)| other.1.memory == flag.memory;
        let name = self.name(flag.memory);
        if ops::Ticket::of(*op).is_some() {
            if self.flags.iter().filter(own).any(|(other, _)| ops::Ticket::of(*other).is_none()) {
                let message = format!("not verified: {name} is counted by tickets and used as a flag as well");
                return Err(self.fault(&NOT_CHECKED, *op, message, "take other memory for the counter"));
            }
            return Ok(());
        }
        let Some(release) = ops::Release::of(*op) else { return Ok(()) };
        for (other, _) in self.flags[..=at].iter().filter(own) {
            let Some(before) = ops::Release::of(*other) else { continue };
            let twice = |what: &str| {
                let message = format!("{name} is released {what}: who waits for it does not know for what");
                let suggestion = "release each flag by one block, with a greater value each time";
                Box::new(
                    self.fault(&UNORDERED_BLOCKS, *op, message, suggestion)
                        .note(other.loc(), "it is also released here"),
                )
            };
            let mut pair = self.pair();
            pair.path(0, *before);
            pair.path(1, *release);
            let (Some(a), Some(b)) = (self.index(&mut pair, 0, *before), self.index(&mut pair, 1, *release)) else {
                let message = format!("not verified: which flag of {name} is released is not affine");
                return Err(self.fault(&NOT_CHECKED, *op, message, super::SUGGEST_COVER));
            };
            a.iter().zip(&b).for_each(|(a, b)| pair.equal(a, b));
            self.for_others(*before, *release, |differs| {
                let mut pair = pair.clone();
                pair.differ(differs);
                if pair.is_impossible() { Ok(()) } else { Err(twice("by two blocks")) }
            })?;
            let mut own = pair.clone();
            self.same_block(&mut own);
            if before.id != release.id {
                let rises = self.precedes(*before, *release)
                    && self.dominates(*before, *release)
                    && before.value() < release.value();
                if !rises && !own.is_impossible() {
                    return Err(twice("twice, and not in rising steps"));
                }
                continue;
            }
            // In two rounds of a loop.
            let around = std::iter::successors(op.body.parent_op(op.id), |&id| op.body.parent_op(id));
            for loop_ in around.filter_map(|id| ops::For::of(OpRef { id, ..*op })) {
                let index =
                    op.body.first_block(ops::For::body(loop_)).and_then(|block| op.body.args(block).first().copied());
                let Some(index) = index else { continue };
                for first in [true, false] {
                    let mut own = own.clone();
                    own.differ(Some((Var::Value(index), first)));
                    if !own.is_impossible() {
                        return Err(twice("in two rounds of a loop"));
                    }
                }
            }
        }
        Ok(())
    }

    /// A wait is for a block with a lower ticket, and that one comes to the release.
    fn wait_ends(&self, acquire: ops::Acquire<'a>) -> Result<(), Fault> {
        let name = self.name(acquire.flag());
        let never = |reason: &str, suggestion: &str| {
            let message = format!("may deadlock at a flag of {name}: {reason}");
            self.fault(&DEADLOCK, *acquire, message, suggestion)
        };
        if self.grid.cluster().unwrap_or_default().iter().any(|&blocks| blocks > 1) {
            let message = "not verified: blocks of a cluster may wait for each other, and for flags as well";
            return Err(self.fault(&NOT_CHECKED, *acquire, message.into(), "wait for flags in grids without clusters"));
        }
        // One counter for all waits: tickets of two of them need not be in the same order.
        let acquires = self.flags.iter().filter_map(|(op, _)| ops::Acquire::of(*op));
        let order =
            self.orders.iter().copied().find(|&order| acquires.clone().all(|acquire| self.dominates(*order, *acquire)));
        let Some(order) = order else {
            return Err(never(
                "nothing says that the block which releases it has begun",
                "number the blocks by a 'ticket' that each of them takes first, and wait for lower ones",
            ));
        };
        let mut why = ("no block releases it with that value", "release it in the block that the index names");
        for (op, flag) in &self.flags {
            let release = ops::Release::of(*op)
                .filter(|release| flag.memory == acquire.flag() && release.value() >= acquire.value());
            let Some(release) = release else { continue };
            match self.released_before(acquire, release, order) {
                Ok(()) => return Ok(()),
                Err(reason) => why = reason,
            }
        }
        Err(never(why.0, why.1))
    }

    /// Whether a flag that is acquired is released by a block with a lower ticket, unconditionally.
    fn released_before(
        &self,
        acquire: ops::Acquire<'a>,
        release: ops::Release<'a>,
        order: ops::Ticket<'a>,
    ) -> Result<(), (&'static str, &'static str)> {
        let unknown = ("the index of the flag does not say which block releases it", super::SUGGEST_COVER);
        let mut there = self.pair();
        there.path(0, *release);
        if !there.exact[0] {
            return Err((
                "whether it is released depends on data",
                "release it on every way, and let its value say what was found",
            ));
        }
        let released = self.index(&mut there, 0, *release).ok_or(unknown)?;
        for var in self.of_order(order) {
            there.var(0, var);
        }
        // Which block releases: its integers, by the index of the flag.
        let mut here = there.alongside();
        here.path(1, *acquire);
        let acquired = self.index(&mut here, 1, *acquire).ok_or(unknown)?;
        let mut dims: Vec<Option<AffineExpr>> = vec![None; there.dims().len()];
        let mut same = Vec::new();
        for (released, acquired) in released.iter().zip(&acquired) {
            match released {
                AffineExpr::Dim(dim) if dims[*dim as usize].is_none() => dims[*dim as usize] = Some(acquired.clone()),
                AffineExpr::Dim(dim) => same.push((dims[*dim as usize].clone().ok_or(unknown)?, acquired.clone())),
                AffineExpr::Constant(_) => same.push((released.clone(), acquired.clone())),
                _ => return Err(unknown),
            }
        }
        for (number, (dim, &(_, var))) in dims.iter_mut().zip(there.dims()).enumerate() {
            // What is computed at the launch is the same for all blocks, and so is what is one number.
            let only = there.range(number).as_constant().map(AffineExpr::Constant);
            *dim = dim.take().or(only).or_else(|| here.at_launch(var));
        }
        let dims: Vec<AffineExpr> = dims.into_iter().collect::<Option<_>>().ok_or(unknown)?;
        let nobody = ("no block releases the flag with that index", "wait for an index that some block releases");
        if !same.iter().all(|(a, b)| here.implies_equal(a, b)) {
            return Err(nobody);
        }
        let is_run = there.constraints().iter().all(|constraint| here.implies_all(constraint, &dims));
        let in_range = dims.iter().enumerate().all(|(dim, expr)| {
            let range = there.range(dim);
            let above = range.lo().is_none_or(|lo| here.implies_less(&AffineExpr::Constant(lo), expr, 0));
            above && range.hi().is_none_or(|hi| here.implies_less(expr, &AffineExpr::Constant(hi), 0))
        });
        if !is_run || !in_range {
            return Err(nobody);
        }
        for var in self.of_order(order) {
            let at = there.dims().iter().position(|&known| known == (0, var)).ok_or(unknown)?;
            let own = here.var(1, var);
            if var == Var::Value(order.out()) {
                if !here.implies_less(&dims[at], &own, -1) {
                    return Err((
                        "the block which releases it may have a later ticket, and may not have begun",
                        "wait for blocks with lower tickets only",
                    ));
                }
            } else if !here.implies_equal(&dims[at], &own) {
                return Err((
                    "the block which releases it takes its ticket of another counter",
                    "wait for blocks that take tickets of the same counter",
                ));
            }
        }
        Ok(())
    }
}
