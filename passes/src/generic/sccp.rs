//! Finds values that are constant whichever way control goes, through branches and the arguments of blocks, and puts the
//! constants in their place.
//!
//! **Requires**: any layer.
//! **Ensures**: no used value is a constant that folding finds under the assumption that branches on constants go one
//! way.
//!
//! **Before**
//! ```mlir before
//! sample.func @f() -> i64 {
//!   %true = constant true
//!   %one = constant 1 : i64
//!   %two = constant 2 : i64
//!   cond_br %true, ^join(%one), ^join(%two)
//! ^join(%x: i64):
//!   %sum = addi %x, %two : i64
//!   return %sum
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f() -> i64 {
//!   %true = constant true
//!   %one = constant 1 : i64
//!   %two = constant 2 : i64
//!   %sum = constant 3 : i64
//!   cond_br %true, ^join(%one), ^join(%two)
//! ^join(%x: i64):
//!   return %sum
//! }
//! ```
//!
//! **Does not** remove branches (`canonicalize`), blocks that are never reached or arguments that are no longer used
//! (`dce`); look into what loops and other ops with regions give; look across functions.
//!
//! Wegman and Zadeck, "Constant Propagation with Conditional Branches" (1991): a value is unknown, a constant, or
//! varies, and only ever goes that way; blocks are looked at when an edge to them is found possible. Where a branch goes
//! it says itself, by [`Branching`]. Linear in the number of uses. Rule of the debug counters: `replace`.

use std::collections::VecDeque;

use dlc_ir::body::{Body, OpRef, ValueDef};
use dlc_ir::effects::is_erasable;
use dlc_ir::entity::SideTable;
use dlc_ir::op::{FoldResult, Folded};
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::branches::{Branching, forwarded, is_understood};
use dlc_ir::rewrite::{Constants, constant_value, fold_op};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, BlockId, Context, OpId, Str, ValueId};
use rustc_hash::FxHashSet;

static DEF: PassDef = PassDef {
    statistics: &[
        StatDef { name: "replaced", doc: "Values replaced with constants." },
        StatDef { name: "erased", doc: "Ops erased whose results were all replaced." },
    ],
    ..PassDef::base("sccp", "Propagates constants through branches and arguments of blocks.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Sccp))
}

struct Sccp;

impl Pass for Sccp {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (replaced, erased) = sccp(body, cx);
        cx.count("replaced", replaced);
        cx.count("erased", erased);
        Ok(())
    }
}

/// Replaces values that are constant on every possible way. How many values were replaced and ops erased.
pub fn sccp(body: &mut Body, cx: &PassCx<'_>) -> (u64, u64) {
    let facts = Solver::solve(cx.ctx, body);
    replace(body, &facts, cx)
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    /// Nothing yet: it has not been found possible that it is computed.
    Unknown,
    /// It is this constant; an op of the dialect can make it.
    Constant(Attr, &'static str),
    /// It may be several values.
    Varies,
}

struct Solver<'a> {
    ctx: &'a Context,
    body: &'a Body,
    facts: SideTable<ValueId, Fact>,
    possible: SideTable<BlockId, bool>,
    blocks: VecDeque<BlockId>,
    ops: VecDeque<OpId>,
}

impl<'a> Solver<'a> {
    fn solve(ctx: &'a Context, body: &'a Body) -> SideTable<ValueId, Fact> {
        let facts = SideTable::new(Fact::Unknown);
        let possible = SideTable::new(false);
        let mut solver = Solver { ctx, body, facts, possible, blocks: VecDeque::new(), ops: VecDeque::new() };
        solver.enter_regions(body.root());
        loop {
            if let Some(op) = solver.ops.pop_front() {
                solver.op(op);
            } else if let Some(block) = solver.blocks.pop_front() {
                body.ops(block).for_each(|op| solver.op(op));
            } else {
                return solver.facts;
            }
        }
    }

    fn fact(&self, value: ValueId) -> Fact {
        *self.facts.get(value)
    }

    /// A value may also be this.
    fn join(&mut self, value: ValueId, fact: Fact) {
        let old = self.fact(value);
        let new = match (old, fact) {
            (Fact::Unknown, fact) => fact,
            (old, Fact::Unknown) => old,
            (Fact::Constant(a, _), Fact::Constant(b, _)) if a == b => old,
            _ => Fact::Varies,
        };
        if new != old {
            self.facts.set(value, new);
            let users = self.body.uses(value).map(|u| u.op);
            self.ops.extend(users.filter(|&op| self.body.block_of(op).is_some_and(|block| *self.possible.get(block))));
        }
    }

    fn enter(&mut self, block: BlockId) {
        if !std::mem::replace(self.possible.get_mut(block), true) {
            self.blocks.push_back(block);
        }
    }

    /// What the regions of an op are given is up to the op: it varies.
    fn enter_regions(&mut self, op: OpId) {
        for &region in self.body.regions(op) {
            if let Some(entry) = self.body.first_block(region) {
                self.body.args(entry).iter().for_each(|&arg| self.join(arg, Fact::Varies));
                self.enter(entry);
            }
        }
    }

    fn op(&mut self, op: OpId) {
        let view = OpRef::new(self.ctx, self.body, op);
        if !view.successors().is_empty() {
            return self.branch(view);
        }
        let own = view.def().dialect();
        if let Some(value) = view.results().next().and_then(|value| constant_value(self.ctx, self.body, value)) {
            return self.join(view.result(0), Fact::Constant(value, own));
        }
        self.enter_regions(op);
        let folds = view.regions().is_empty() && self.body.nested(op).is_none();
        if folds && view.operands().any(|value| self.fact(value) == Fact::Unknown) {
            return;
        }
        let constant = |value| match self.fact(value) {
            Fact::Constant(attr, _) => Some(attr),
            _ => None,
        };
        let folded = if folds { fold_op(self.ctx, self.body, op, constant) } else { Folded::No };
        for (index, value) in view.results().enumerate() {
            let fact = match &folded {
                Folded::To(results) => match results.get(index) {
                    Some(&FoldResult::Attr(attr)) => Fact::Constant(attr, own),
                    // Only what an op uses is looked at again when more is known.
                    Some(&FoldResult::Value(other)) if view.operands().any(|operand| operand == other) => {
                        self.fact(other)
                    }
                    _ => Fact::Varies,
                },
                Folded::No => Fact::Varies,
            };
            self.join(value, fact);
        }
    }

    fn branch(&mut self, view: OpRef<'a>) {
        let facts: SmallVec<[Fact; 4]> = view.operands().map(|value| self.fact(value)).collect();
        let constants: SmallVec<[Option<Attr>; 4]> = facts
            .iter()
            .map(|fact| match fact {
                Fact::Constant(attr, _) => Some(*attr),
                _ => None,
            })
            .collect();
        let branching = view.def().interface::<Branching>();
        match branching.and_then(|branching| (branching.taken)(view, &constants)) {
            Some(taken) => self.edge(view, taken),
            None if branching.is_some() && facts.contains(&Fact::Unknown) => {}
            None => (0..view.successors().len()).for_each(|successor| self.edge(view, successor)),
        }
        view.results().for_each(|value| self.join(value, Fact::Varies));
    }

    fn edge(&mut self, view: OpRef<'a>, successor: usize) {
        let Some(&block) = view.successors().get(successor) else { return };
        let understood = is_understood(view);
        for (index, &arg) in self.body.args(block).iter().enumerate() {
            let fact = if understood { self.fact(forwarded(view, successor, index)) } else { Fact::Varies };
            self.join(arg, fact);
        }
        self.enter(block);
    }
}

fn replace(body: &mut Body, facts: &SideTable<ValueId, Fact>, cx: &PassCx<'_>) -> (u64, u64) {
    let mut constants = Constants::new();
    constants.take_up(cx.ctx, body);
    let ops = body.walk();
    let is_constant = |value: ValueId| matches!(facts.get(value), Fact::Constant(..));
    // Ops that will not be needed: what only they use need not be replaced.
    let goes = |&op: &OpId| {
        let known = body.results(op).len() > 0 && body.results(op).all(is_constant);
        known && constant_value_of(body, op, cx.ctx).is_none() && is_erasable(cx.ctx, body, op)
    };
    let going: Vec<OpId> = ops.iter().copied().filter(goes).collect();
    let unneeded: FxHashSet<OpId> = going.iter().copied().collect();
    let mut replaced = 0;
    for op in ops {
        // The arguments of a block come with its first op: a block without ops uses nothing.
        let block = body.block_of(op).filter(|_| body.prev_op(op).is_none());
        let mut values: SmallVec<[ValueId; 4]> = block.map(|block| body.args(block).into()).unwrap_or_default();
        if constant_value_of(body, op, cx.ctx).is_none() {
            values.extend(body.results(op));
        }
        for value in values {
            let &Fact::Constant(attr, dialect) = facts.get(value) else { continue };
            let is_needed = body.uses(value).any(|u| !unneeded.contains(&u.op));
            if !is_needed || !cx.allows_rule("replace") {
                continue;
            }
            let ty = body.value_type(value);
            let Some(constant) = constants.get(cx.ctx, body, op, dialect, attr, ty) else { continue };
            if matches!(body.value_def(value), ValueDef::Result(..)) && body.value_name(constant) == Str::EMPTY {
                let name = body.value_name(value);
                body.set_value_name(constant, name);
            }
            body.replace_all_uses(value, constant);
            replaced += 1;
        }
    }
    (replaced, erase_unused(body, going))
}

/// Erases those of the ops that are unused, and become so by that.
fn erase_unused(body: &mut Body, mut ops: Vec<OpId>) -> u64 {
    let all = ops.len();
    loop {
        let before = ops.len();
        // Users mostly stand after what they use.
        let mut rest: Vec<OpId> = Vec::new();
        for op in ops.into_iter().rev() {
            if body.is_unused(op) {
                body.erase_op(op);
            } else {
                rest.push(op);
            }
        }
        rest.reverse();
        ops = rest;
        if ops.len() == before {
            return (all - before) as u64;
        }
    }
}

fn constant_value_of(body: &Body, op: OpId, ctx: &Context) -> Option<Attr> {
    body.results(op).next().and_then(|value| constant_value(ctx, body, value))
}
