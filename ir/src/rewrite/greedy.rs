//! The greedy driver: applies folds and patterns to every op of a body until nothing changes.
//!
//! An op is looked at in this order: erased when it is dead; a constant goes to the start of the body, one op for each;
//! constant operands of a commutative op go last; then it is folded; then patterns are tried, the highest benefit first.
//! What a change touches is looked at again. When the worklist is empty and something changed, the body is gone through
//! once more, for rules that look farther than to their neighbours.
//!
//! Rules that do not end are found by counting: too many rewrites for the size of the body, or too many rounds.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::constants::Adopted;
use super::rewriter::Tracker;
use super::{PATTERN_MISREPORTS, PatternSet, REWRITE_DOES_NOT_END, Rewrite, RewritePattern, Rewriter, constant_value};
use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::context::{Context, OpName};
use crate::diag::Diagnostic;
use crate::dominance::reverse_post_order;
use crate::effects;
use crate::entity::{BlockId, OpId, ValueId};
use crate::location::Loc;
use crate::op::{FoldResult, Folded, OpDef, Traits};
use crate::pass::{PassCx, PassFailed};

/// The rules of the driver itself, as debug counters name them.
const DEAD: &str = "dead";
const CONSTANTS: &str = "constants";
const COMMUTE: &str = "commute";
const FOLD: &str = "fold";

/// How far the driver goes.
#[derive(Clone, Copy, Debug)]
pub struct GreedyOptions {
    /// Whether ops are folded, and constants and operands put in order.
    pub fold: bool,
    /// Times the number of ops, and 1000 more: the rewrites after which patterns are said not to end.
    pub rewrites_per_op: u64,
    /// How often the whole body is gone through.
    pub rounds: u32,
}

impl Default for GreedyOptions {
    fn default() -> Self {
        GreedyOptions { fold: true, rewrites_per_op: 100, rounds: 32 }
    }
}

/// What the driver did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct GreedyCounts {
    /// Ops replaced by values or constants that they fold to.
    pub folded: u64,
    /// Patterns applied.
    pub rewritten: u64,
    /// Dead ops erased.
    pub erased: u64,
    /// Constants merged or moved, operands put in order.
    pub ordered: u64,
}

impl GreedyCounts {
    /// All changes together.
    pub fn total(&self) -> u64 {
        self.folded + self.rewritten + self.erased + self.ordered
    }
}

/// Applies patterns and folds to a body until nothing changes. Unreachable blocks are left alone.
///
/// It fails, with a diagnostic, when patterns do not end or say what is not so.
pub fn rewrite_greedily(
    body: &mut Body,
    patterns: &PatternSet<'_>,
    options: &GreedyOptions,
    cx: &PassCx<'_>,
) -> Result<GreedyCounts, PassFailed> {
    let limit = options.rewrites_per_op.saturating_mul(body.num_ops() as u64).saturating_add(1000);
    let mut driver = Driver {
        ctx: cx.ctx,
        cx,
        body,
        patterns,
        options,
        limit,
        tracker: Tracker::default(),
        lists: FxHashMap::default(),
        recent: Vec::new(),
        counts: GreedyCounts::default(),
        skipped: FxHashSet::default(),
    };
    driver.run()?;
    Ok(driver.counts)
}

/// How many of the latest rewrites are kept, to say which do not end.
const RECENT: usize = 16;

/// Where an op stands or stood.
#[derive(Clone, Copy)]
struct Place {
    loc: Loc,
    name: OpName,
}

struct Driver<'d, 'p> {
    ctx: &'d Context,
    cx: &'d PassCx<'d>,
    body: &'d mut Body,
    patterns: &'d PatternSet<'p>,
    options: &'d GreedyOptions,
    limit: u64,
    tracker: Tracker,
    /// The patterns that are tried on the ops of a name, in order.
    lists: FxHashMap<OpName, Rc<[&'p dyn RewritePattern]>>,
    /// The latest rewrites, in a ring.
    recent: Vec<&'static str>,
    counts: GreedyCounts,
    /// What a debug counter has skipped is skipped in later rounds too.
    skipped: FxHashSet<(OpId, &'static str)>,
}

impl<'p> Driver<'_, 'p> {
    fn run(&mut self) -> Result<(), PassFailed> {
        for _ in 0..self.options.rounds {
            let before = self.counts.total();
            self.tracker.worklist.seed(reachable_ops(self.body), self.body.op_slots());
            while let Some(op) = self.tracker.worklist.pop() {
                self.visit(op)?;
            }
            if self.counts.total() == before {
                return Ok(());
            }
        }
        Err(self.does_not_end(self.place(self.body.root())))
    }

    fn visit(&mut self, op: OpId) -> Result<(), PassFailed> {
        let def = self.ctx.op_def(self.body.op_name(op));
        let is_root = op == self.body.root();
        if !is_root && self.body.block_of(op).is_none() {
            // Made by a pattern that has not put it anywhere.
            return Ok(());
        }
        if !is_root {
            if self.body.is_unused(op) && effects::is_erasable(self.ctx, self.body, op) {
                if self.allowed(op, DEAD) {
                    let place = self.place(op);
                    self.rewriter().erase_op(op);
                    self.counts.erased += 1;
                    self.step(DEAD, place)?;
                }
                return Ok(());
            }
            if self.options.fold && self.simplify(op, def)? {
                return Ok(());
            }
        }
        // The regions of an isolated op belong to a body of its own, whose driver tries the patterns on its root.
        if self.body.nested(op).is_none() {
            self.apply_patterns(op, def)?;
        }
        Ok(())
    }

    fn rewriter(&mut self) -> Rewriter<'_> {
        Rewriter::tracked(self.ctx, self.body, &mut self.tracker)
    }

    /// Whether a rule may change an op now.
    fn allowed(&mut self, op: OpId, rule: &'static str) -> bool {
        if !self.cx.counts_rewrites() {
            return true;
        }
        if self.skipped.contains(&(op, rule)) {
            return false;
        }
        let allowed = self.cx.allows_rule(rule);
        if !allowed {
            self.skipped.insert((op, rule));
        }
        allowed
    }

    /// Counts a rewrite, and fails when there were too many.
    fn step(&mut self, rule: &'static str, place: Place) -> Result<(), PassFailed> {
        if self.recent.len() < RECENT {
            self.recent.push(rule);
        } else {
            self.recent[(self.counts.total() % RECENT as u64) as usize] = rule;
        }
        if self.counts.total() > self.limit { Err(self.does_not_end(place)) } else { Ok(()) }
    }

    /// The place of an op, kept in case the op goes.
    fn place(&self, op: OpId) -> Place {
        Place { loc: self.body.loc(op), name: self.body.op_name(op) }
    }

    #[cold]
    fn does_not_end(&mut self, place: Place) -> PassFailed {
        let mut names: Vec<String> = self.recent.iter().map(|rule| format!("'{rule}'")).collect();
        names.sort();
        names.dedup();
        let (what, ends) = match names.len() {
            0 => ("rules".into(), "do not end"),
            1 => (format!("the rule {}", names[0]), "does not end"),
            _ => (format!("the rules {}", names.join(", ")), "do not end"),
        };
        let (total, ops) = (self.counts.total(), self.body.num_ops());
        let message = format!("{what} {ends}: {total} rewrites so far, in what are now {ops} ops");
        self.cx.fail(
            Diagnostic::error(&REWRITE_DOES_NOT_END, place.loc, message)
                .at(self.ctx.op_name_str(place.name))
                .suggest("a rule must bring the program nearer to a form that no rule matches"),
        )
    }

    // What needs no pattern.

    /// Puts an op in order, or folds it. Whether it is gone.
    fn simplify(&mut self, op: OpId, def: &'static OpDef) -> Result<bool, PassFailed> {
        if def.traits.has(Traits::CONSTANT_LIKE) {
            return self.place_constant(op);
        }
        if def.traits.has(Traits::COMMUTATIVE) {
            self.order_operands(op)?;
        }
        self.fold(op, def)
    }

    fn place_constant(&mut self, op: OpId) -> Result<bool, PassFailed> {
        match self.tracker.constants.adopt(self.ctx, self.body, op) {
            Adopted::Fine => {}
            Adopted::Move(to) => {
                if !self.allowed(op, CONSTANTS) {
                    return Ok(false);
                }
                self.body.move_op(op, to);
                self.counts.ordered += 1;
                self.step(CONSTANTS, self.place(op))?;
            }
            Adopted::Same(known) => {
                if !self.allowed(op, CONSTANTS) {
                    return Ok(false);
                }
                let value = self.body.result(known, 0);
                self.rewriter().replace_op(op, &[value]);
                self.counts.ordered += 1;
                self.step(CONSTANTS, self.place(known))?;
                return Ok(true);
            }
        }
        self.tracker.constants.settle(self.ctx, self.body, op);
        Ok(false)
    }

    /// Constants last, so that folds and patterns look for them in one place. The order is otherwise kept.
    fn order_operands(&mut self, op: OpId) -> Result<(), PassFailed> {
        let (mut constant_seen, mut wrong) = (false, false);
        for value in self.body.operands(op) {
            let constant = self.is_constant(value);
            wrong |= constant_seen && !constant;
            constant_seen |= constant;
        }
        if !wrong || !self.allowed(op, COMMUTE) {
            return Ok(());
        }
        let mut operands: SmallVec<[ValueId; 4]> = self.body.operands(op).collect();
        operands.sort_by_key(|&value| self.is_constant(value));
        self.rewriter().set_operands(op, &operands);
        self.counts.ordered += 1;
        self.step(COMMUTE, self.place(op))
    }

    fn is_constant(&self, value: ValueId) -> bool {
        let def = self.body.defining_op(value).map(|op| self.ctx.op_def(self.body.op_name(op)));
        def.is_some_and(|def| def.traits.has(Traits::CONSTANT_LIKE))
    }

    fn fold(&mut self, op: OpId, def: &'static OpDef) -> Result<bool, PassFailed> {
        let results = match fold_op(self.ctx, self.body, op, |value| constant_value(self.ctx, self.body, value)) {
            Folded::To(results) => results,
            Folded::No => return Ok(false),
        };
        if !self.fold_fits(op, &results) || !self.allowed(op, FOLD) {
            return Ok(false);
        }
        let mut values: SmallVec<[ValueId; 2]> = SmallVec::new();
        for (index, &result) in results.iter().enumerate() {
            let value = match result {
                FoldResult::Value(value) => Some(value),
                FoldResult::Attr(attr) => {
                    let ty = self.body.value_type(self.body.result(op, index));
                    self.tracker.constants.get(self.ctx, self.body, op, def.dialect(), attr, ty)
                }
            };
            let Some(value) = value else {
                // No op for a constant of this type: what was made for results before stays, unused, to be swept up.
                let made = values.iter().filter_map(|&value| self.body.defining_op(value));
                let made: SmallVec<[OpId; 2]> = made.collect();
                made.into_iter().for_each(|op| self.tracker.worklist.push(op));
                return Ok(false);
            };
            values.push(value);
        }
        let place = self.place(op);
        self.rewriter().replace_op(op, &values);
        self.counts.folded += 1;
        self.step(FOLD, place)?;
        Ok(true)
    }

    /// Whether the op can be replaced with what it folds to. In code that runs in circles, as unreachable code may, an
    /// op folds to itself.
    fn fold_fits(&self, op: OpId, results: &[FoldResult]) -> bool {
        let fits = |(old, new): (ValueId, &FoldResult)| match *new {
            FoldResult::Value(value) => {
                debug_assert!(
                    self.body.value_type(value) == self.body.value_type(old),
                    "{:?} folds to a value of another type",
                    OpRef::new(self.ctx, self.body, op)
                );
                self.body.defining_op(value) != Some(op) && self.body.value_type(value) == self.body.value_type(old)
            }
            FoldResult::Attr(_) => true,
        };
        results.len() == self.body.num_results(op)
            && !results.is_empty()
            && self.body.results(op).zip(results).all(fits)
    }

    // Patterns.

    fn apply_patterns(&mut self, op: OpId, def: &'static OpDef) -> Result<(), PassFailed> {
        if self.patterns.patterns.is_empty() && (!self.patterns.canonical || def.canonicalize.is_empty()) {
            return Ok(());
        }
        let name = self.body.op_name(op);
        let list = match self.lists.get(&name) {
            Some(list) => Rc::clone(list),
            None => {
                let list = self.list(op, def);
                self.lists.insert(name, Rc::clone(&list));
                list
            }
        };
        for &pattern in list.iter() {
            if self.try_pattern(op, pattern)? {
                break;
            }
        }
        Ok(())
    }

    fn list(&self, op: OpId, def: &'static OpDef) -> Rc<[&'p dyn RewritePattern]> {
        let mut list: Vec<&'p dyn RewritePattern> = Vec::new();
        if self.patterns.canonical {
            let own = def.canonicalize.iter().filter(|pattern| pattern.root.is_none_or(|root| root == def.name));
            list.extend(own.map(|&pattern| pattern as &dyn RewritePattern));
        }
        list.extend(self.patterns.patterns.iter().filter(|pattern| pattern.root().admits(self.ctx, self.body, op)));
        list.sort_by_key(|pattern| std::cmp::Reverse(pattern.benefit()));
        list.into()
    }

    fn try_pattern(&mut self, op: OpId, pattern: &dyn RewritePattern) -> Result<bool, PassFailed> {
        let name = pattern.name();
        if self.skipped.contains(&(op, name)) {
            return Ok(false);
        }
        // A pattern tells whether it matches only by changing the body: when rewrites are counted, so that the counts
        // are those of rewrites, it is tried first and undone if it is to be skipped.
        let saved = self.cx.counts_rewrites().then(|| (self.body.clone(), self.tracker.clone()));
        let place = self.place(op);
        let before = self.body.edits();
        let rewrite = pattern.apply(op, &mut self.rewriter());
        self.tracker.flush();
        let changed = self.body.edits() != before;
        match rewrite {
            Rewrite::Changed if changed => {}
            Rewrite::NoMatch(_) if !changed => return Ok(false),
            _ => {
                let message = match changed {
                    true => format!("the pattern '{name}' changed the program and says that it did not match"),
                    false => format!("the pattern '{name}' says that it changed the program and did not"),
                };
                let error =
                    Diagnostic::error(&PATTERN_MISREPORTS, place.loc, message).at(self.ctx.op_name_str(place.name));
                return Err(self.cx.fail(error));
            }
        }
        if let Some((body, tracker)) = saved.filter(|_| !self.cx.allows_rule(name)) {
            *self.body = body;
            self.tracker = tracker;
            self.skipped.insert((op, name));
            return Ok(false);
        }
        self.counts.rewritten += 1;
        self.step(name, place)?;
        Ok(true)
    }
}

/// What an op folds to, by its own fold or by what its traits say; `constant` tells the constants among the operands.
pub fn fold_op(ctx: &Context, body: &Body, op: OpId, constant: impl Fn(ValueId) -> Option<Attr>) -> Folded {
    let def = ctx.op_def(body.op_name(op));
    if let Some(fold) = def.fold {
        let constants: SmallVec<[Option<Attr>; 4]> = body.operands(op).map(constant).collect();
        let folded = fold(OpRef::new(ctx, body, op), &constants);
        if folded != Folded::No {
            return folded;
        }
    }
    if def.traits.has(Traits::IDEMPOTENT) && body.num_results(op) == 1 {
        return fold_idempotent(body, op);
    }
    Folded::No
}

/// `f(x, x)` is `x`, and `f(f(x))` is `f(x)`.
fn fold_idempotent(body: &Body, op: OpId) -> Folded {
    let repeats = match body.num_operands(op) {
        1 => body.defining_op(body.operand(op, 0)).is_some_and(|inner| {
            body.op_name(inner) == body.op_name(op) && body.props(inner) == body.props(op) && inner != op
        }),
        2 => body.operand(op, 0) == body.operand(op, 1),
        _ => false,
    };
    let fits = repeats && body.value_type(body.operand(op, 0)) == body.value_type(body.result(op, 0));
    if fits { Folded::value(body.operand(op, 0)) } else { Folded::No }
}

/// The root and every op in a reachable block, each before what is in its regions.
fn reachable_ops(body: &Body) -> Vec<OpId> {
    let mut ops = Vec::with_capacity(body.num_ops());
    ops.push(body.root());
    // In place of recursion: what comes after the op at hand, the next last.
    let mut steps = Vec::new();
    enter(body, body.root(), &mut steps);
    let mut cursor: Option<OpId> = None;
    loop {
        match cursor {
            Some(op) => {
                ops.push(op);
                cursor = body.next_op(op);
                if !body.regions(op).is_empty() {
                    steps.extend(cursor.take().map(Step::GoOn));
                    enter(body, op, &mut steps);
                }
            }
            None => match steps.pop() {
                Some(Step::Enter(block)) => cursor = body.first_op(block),
                Some(Step::GoOn(op)) => cursor = Some(op),
                None => return ops,
            },
        }
    }
}

/// Every op, the root first, those in unreachable blocks last.
pub(super) fn ops_in_order(body: &Body) -> Vec<OpId> {
    let mut ops = reachable_ops(body);
    if ops.len() < body.num_ops() {
        let reached: FxHashSet<OpId> = ops.iter().copied().collect();
        ops.extend(body.walk().into_iter().filter(|op| !reached.contains(op)));
    }
    ops
}

enum Step {
    Enter(BlockId),
    GoOn(OpId),
}

fn enter(body: &Body, op: OpId, steps: &mut Vec<Step>) {
    for &region in body.regions(op).iter().rev() {
        if body.has_single_block(region) {
            steps.extend(body.first_block(region).map(Step::Enter));
        } else {
            steps.extend(reverse_post_order(body, region).into_iter().rev().map(Step::Enter));
        }
    }
}
