//! How the integers are computed that decide what is done: only what smaller sizes, blocks and rounds show is verified.
//!
//! The runs stand for all sizes, blocks and rounds because nothing else comes of greater ones. That holds of integers that
//! are linear in sizes, numbers of blocks and integers of loops, quotients by constants with them, as boundaries are found
//! of these; and of such as are one of few numbers: places in rings, and what loops carry around in that many rounds. It does
//! not hold of products and of what grows from round to round. Those may say how often a loop runs, if all of them
//! only grow with sizes; and may decide nothing else.

use dlc_core::guard::Guard;
use dlc_core::scalar::Binary;
use dlc_core::sizes::value_number;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::diag::Diagnostic;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_kernel::counters::axis_of_ticket;
use dlc_kernel::ops;
use rustc_hash::FxHashMap;

use super::NOT_CHECKED;
use super::blocks::CrossBlockValues;
use super::ends::End;
use super::kind::Kind::{self, Count, Linear, Never, Other, Products, Range, Rest, Rows, Size};
use super::parts;
use super::values::{Flow, decides, is_data, is_integer, yielded};

/// Whether a value is computed from the number of the block.
fn asks_block(grid: ops::Grid<'_>, value: ValueId, seen: &mut Vec<ValueId>) -> bool {
    if seen.contains(&value) {
        return false;
    }
    seen.push(value);
    match grid.body.value_def(value) {
        ValueDef::Result(id, _) => {
            let op = OpRef { id, ..*grid };
            let is_number = ops::BlockId::of(op).is_some() || ops::Ticket::of(op).is_some();
            is_number || op.operands().any(|value| asks_block(grid, value, seen))
        }
        ValueDef::Arg(block, 0) => {
            let around = grid.body.region_of(block).and_then(|region| grid.body.region_parent(region));
            let loop_ = around.and_then(|id| ops::For::of(OpRef { id, ..*grid }));
            let Some(loop_) = loop_ else { return false };
            let args: Vec<ValueId> = loop_.args().collect();
            let names = loop_.bounds().first().map(SizeExpr::symbols).unwrap_or_default();
            let mut first = names.iter().filter_map(|name| args.get(value_number(name)?).copied());
            first.any(|value| asks_block(grid, value, seen))
        }
        _ => false,
    }
}

/// The kinds of the integers of a grid.
pub struct Kinds<'a> {
    pub(super) grid: ops::Grid<'a>,
    cross_block: CrossBlockValues<'a>,
    known: FxHashMap<ValueId, Kind>,
    /// What loops carry.
    carried: FxHashMap<ValueId, Kind>,
    /// What comes again in so many rounds is seen.
    pub(super) rounds: i64,
    /// Whether each group of a role is looked at by itself, and each block of a cluster.
    as_constants: bool,
    /// Where loops begin and end that runs do not show.
    pub(super) ends: Vec<End>,
    /// By what loops go on from block to block, but for constants.
    pub(super) step: Option<String>,
}

/// What of a grid decides something in a way that runs do not show.
pub fn undecided<'a>(grid: ops::Grid<'a>, flow: &Flow, rounds: i64) -> Vec<(OpRef<'a>, String)> {
    let mut kinds = Kinds::new(grid, rounds, true);
    let mut found = Vec::new();
    let mut all = Vec::new();
    grid.body.walk_regions(grid.id, &mut all);
    for id in all {
        let op = OpRef { id, ..*grid };
        let around = std::iter::successors(op.body.parent_op(id), |&id| op.body.parent_op(id));
        let mut around = around.take_while(|&id| id != grid.id).map(|id| OpRef { id, ..*grid });
        let is_left_out = |op: OpRef<'_>| !flow.is_followed(op) && (op.is(ops::For::DEF) || op.is(ops::If::DEF));
        if is_left_out(op) || around.any(is_left_out) {
            found.extend(kinds.endless(op).map(|reason| (op, reason)));
            continue;
        }
        if let Some(reason) = kinds.why_not(op) {
            found.push((op, reason));
        }
    }
    found.extend(kinds.other_ends());
    found
}

/// Between which numbers what loops carry is.
pub fn between(grid: ops::Grid<'_>, rounds: i64) -> FxHashMap<ValueId, (i64, i64)> {
    let kinds = Kinds::new(grid, rounds, false);
    let range = |(value, kind): (ValueId, Kind)| match kind {
        Range(first, last) | Rest(first, last) => Some((value, (first, last))),
        _ => None,
    };
    kinds.carried.into_iter().filter_map(range).collect()
}

/// What is not verified of an op.
pub fn not_covered(op: OpRef<'_>, reason: &str) -> Box<Diagnostic> {
    let suggestion = "compute what decides of sizes, numbers of blocks and integers of loops, with sums and with quotients \
                      by small constants, or by 'advance'";
    let message = format!("not verified: {reason}");
    Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(suggestion))
}

impl<'a> Kinds<'a> {
    /// None so far.
    pub fn new(grid: ops::Grid<'a>, rounds: i64, as_constants: bool) -> Kinds<'a> {
        let (known, carried) = (FxHashMap::default(), FxHashMap::default());
        let mut kinds = Kinds {
            grid,
            cross_block: CrossBlockValues::of(grid),
            known,
            carried,
            rounds,
            as_constants,
            ends: Vec::new(),
            step: None,
        };
        kinds.carry();
        kinds
    }

    /// Whether a loop adds a constant to what it carries, in each round.
    fn counts(&self, arg: ValueId, next: ValueId) -> bool {
        let made = self.grid.body.defining_op(next).map(|id| OpRef { id, ..*self.grid });
        let Some(index) = made.and_then(ops::Index::of) else { return false };
        let args: Vec<ValueId> = index.args().collect();
        let linear = index.value().first().and_then(SizeExpr::as_linear);
        let Some(([(name, 1)], by)) = linear.as_ref().map(|(terms, by)| (terms.as_slice(), *by)) else { return false };
        by != 0 && value_number(name).and_then(|number| args.get(number)) == Some(&arg)
    }

    /// What loops carry on: one of few numbers, or the same all the time. Until nothing changes.
    fn carry(&mut self) {
        let mut all = Vec::new();
        self.grid.body.walk_regions(self.grid.id, &mut all);
        let mut carried = Vec::new();
        for loop_ in all.into_iter().filter_map(|id| ops::For::of(OpRef { id, ..*self.grid })) {
            let region = ops::For::body(loop_);
            let args = loop_.body.first_block(region).map_or(&[][..], |block| loop_.body.args(block));
            for ((init, next), &arg) in loop_.inits().zip(yielded(*loop_, region)).zip(args.iter().skip(1)) {
                if loop_.type_of(arg) == Type::INDEX {
                    carried.push((arg, init, next));
                    self.carried.insert(arg, Never);
                }
            }
        }
        for turn in 0_i64.. {
            let mut changed = false;
            for &(arg, init, next) in &carried {
                self.known.clear();
                let before = self.carried[&arg];
                let mut now = self.kind(init);
                if self.counts(arg, next) {
                    now = now.counted();
                } else if next != arg {
                    // One of few numbers, from there on.
                    if let Rest(first, last) = now {
                        now = Range(first, last);
                    }
                    now = now.joined(self.kind(next));
                }
                let is_wide = matches!(now, Range(first, last) if last.saturating_sub(first) >= self.rounds);
                if now != before && (is_wide || turn > 2 * self.rounds) {
                    now = Other;
                }
                changed |= now != before;
                self.carried.insert(arg, now);
            }
            if !changed {
                break;
            }
        }
        self.known.clear();
    }

    /// Whether a store is at something by which blocks with different numbers come to the same element, where that is not
    /// shown to be otherwise: a quotient or a remainder by a constant, a smaller or greater one, a function of two integers.
    pub fn is_folded(&mut self, op: OpRef<'a>) -> bool {
        let (exprs, args): (Vec<SizeExpr>, Vec<ValueId>) = if let Some(store) = ops::Store::of(op) {
            let guard = store.guard();
            let of_guard = guard.iter().flat_map(|guard| guard.exprs()).cloned();
            (store.at().iter().cloned().chain(of_guard).collect(), store.args().collect())
        } else if let Some(store) = ops::TmaStore::of(op) {
            (store.at().to_vec(), store.args().collect())
        } else {
            return false;
        };
        if self.is_under_folded(op) {
            return true;
        }
        let (mut seen, mut halves) = (Vec::new(), Vec::new());
        if exprs.iter().any(|expr| self.folds(expr, &args, &mut seen, &mut halves)) {
            return true;
        }
        // A quotient and the remainder together tell numbers apart.
        halves.iter().any(|(text, is_rest)| !halves.contains(&(text.clone(), !is_rest)))
    }

    /// Whether a condition around an op asks for such.
    fn is_under_folded(&mut self, op: OpRef<'a>) -> bool {
        let around = std::iter::successors(op.body.parent_op(op.id), |&id| op.body.parent_op(id));
        let branches = around.filter_map(|id| ops::If::of(OpRef { id, ..op }));
        branches.into_iter().any(|branch| {
            let (mut seen, mut halves) = (Vec::new(), Vec::new());
            let args: Vec<ValueId> = branch.args().collect();
            let of_guard = branch.guard().is_some_and(|guard| {
                let exprs: Vec<SizeExpr> = guard.exprs().cloned().collect();
                exprs.iter().any(|expr| self.folds(expr, &args, &mut seen, &mut halves))
            });
            let of_block = |value: ValueId| asks_block(self.grid, value, &mut Vec::new());
            of_guard || branch.cond().is_some_and(|cond| !is_data(*branch, cond) && of_block(cond))
        })
    }

    /// `halves` are the quotients by constants, and whether each is part of a remainder.
    fn folds(
        &mut self,
        expr: &SizeExpr,
        args: &[ValueId],
        seen: &mut Vec<ValueId>,
        halves: &mut Vec<(String, bool)>,
    ) -> bool {
        for (coefficient, factors) in &expr.terms() {
            for factor in factors {
                match factor {
                    Factor::Symbol(name) => {
                        let value = value_number(name).and_then(|number| args.get(number).copied());
                        if value.is_some_and(|value| self.folds_value(value, seen, halves)) {
                            return true;
                        }
                    }
                    Factor::Quotient(above, below) => {
                        let is_simple = !matches!(self.expr(above, args), Range(..) | Rows | Other);
                        if let Some(by) = below.as_constant().filter(|_| is_simple && self.asks_block(above, args)) {
                            // Of a remainder, or of the remainder of a quotient.
                            let of_quotient = *coefficient < -1 && by % coefficient.saturating_abs() == 0;
                            let is_rest = factors.len() == 1 && by > 1 && (coefficient % by == 0 || of_quotient);
                            halves.push((format!("{} by {by}", self.text_of(above, args)), is_rest));
                        }
                        if self.folds(above, args, seen, halves) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    fn folds_value(&mut self, value: ValueId, seen: &mut Vec<ValueId>, halves: &mut Vec<(String, bool)>) -> bool {
        if seen.contains(&value) {
            return false;
        }
        seen.push(value);
        let Some(op) = self.grid.body.defining_op(value).map(|id| OpRef { id, ..*self.grid }) else { return false };
        if let Some(index) = ops::Index::of(op) {
            let args: Vec<ValueId> = index.args().collect();
            return index.value().iter().any(|expr| self.folds(expr, &args, seen, halves));
        }
        if let Some(order) = ops::TileOrder::of(op) {
            return self.folds_value(order.tile(), seen, halves);
        }
        let of_block = |value: ValueId| asks_block(self.grid, value, &mut Vec::new());
        if ops::Binary::of(op).is_some() {
            return op.operands().any(of_block);
        }
        let is_constant = |kinds: &mut Self, value: ValueId| matches!(kinds.kind(value), Range(a, b) if a == b);
        let both = ops::Min::of(op).map(|op| [op.lhs(), op.rhs()]).or(ops::Max::of(op).map(|op| [op.lhs(), op.rhs()]));
        let Some([a, b]) = both else { return false };
        let is_cut = of_block(a) || of_block(b);
        let is_folded = is_cut && (is_constant(self, a) || is_constant(self, b));
        is_folded || self.folds_value(a, seen, halves) || self.folds_value(b, seen, halves)
    }

    pub(super) fn asks_block(&self, expr: &SizeExpr, args: &[ValueId]) -> bool {
        let names = expr.symbols();
        let mut values = names.iter().filter_map(|name| args.get(value_number(name)?).copied());
        values.any(|value| asks_block(self.grid, value, &mut Vec::new()))
    }

    fn why_not(&mut self, op: OpRef<'a>) -> Option<String> {
        if let Some(branch) = ops::If::of(op) {
            return self.condition(branch);
        }
        if let Some(loop_) = ops::For::of(op) {
            return self.bounds(loop_);
        }
        let what = |value: ValueId| {
            let name = op.ctx.str(op.body.value_name(value));
            if name.is_empty() { "what it names".to_owned() } else { format!("%{name}") }
        };
        for value in op.operands() {
            let is_decided = op.type_of(value) == Type::INDEX && decides(op, value);
            let is_shown = |kinds: &mut Self| {
                let is_of_one = !kinds.divides_block(value, &mut Vec::new()) && !kinds.is_value_of_several(value);
                // Each part of a tile that few numbers say is read in some run.
                let is_part = op.is(ops::Slice::DEF) && kinds.parts(value).is_some_and(|parts| parts <= kinds.rounds);
                is_part || kinds.kind(value).is_place() && is_of_one
            };
            if is_decided && !is_shown(self) {
                return Some(format!(
                    "{} is computed in a way that not all sizes and rounds were tried for",
                    what(value)
                ));
            }
        }
        None
    }

    fn condition(&mut self, op: ops::If<'a>) -> Option<String> {
        if self.cross_block.has_any(op.operands()) {
            return None;
        }
        let args: Vec<ValueId> = op.args().collect();
        let reason = || Some("a condition is not linear in sizes, blocks and rounds".to_owned());
        match (op.guard(), op.cond()) {
            (Some(guard), _) if parts::is_of_rounds(self, &guard, &args) => None,
            (Some(guard), _) => (!self.is_linear(&guard, &args)).then(reason).flatten(),
            (None, Some(cond)) if !is_data(*op, cond) => (!self.is_truth(cond)).then(reason).flatten(),
            _ => None,
        }
    }

    /// Whether boundaries are found of a condition.
    fn is_linear(&mut self, guard: &Guard, args: &[ValueId]) -> bool {
        guard.exprs().all(|expr| self.expr(expr, args).is_compared())
    }

    /// The same of a truth value that integers decide.
    fn is_truth(&mut self, value: ValueId) -> bool {
        let ValueDef::Result(id, _) = self.grid.body.value_def(value) else { return false };
        let op = OpRef { id, ..*self.grid };
        let Some(binary) = ops::Binary::of(op) else { return false };
        let both = [binary.lhs(), binary.rhs()];
        if op.type_of(both[0]) == Type::I1 {
            return both.into_iter().all(|value| is_data(op, value) || self.is_truth(value));
        }
        both.into_iter().all(|value| matches!(self.kind(value), Range(..) | Size | Linear(_)))
    }

    /// How an expression is computed.
    pub(super) fn text_of(&self, expr: &SizeExpr, args: &[ValueId]) -> String {
        let factor = |factor: &Factor| match factor {
            Factor::Symbol(name) => match value_number(name).and_then(|number| args.get(number)) {
                Some(&value) => self.text(value),
                None => name.to_string(),
            },
            Factor::Quotient(above, below) => {
                format!("({} floordiv {})", self.text_of(above, args), self.text_of(below, args))
            }
        };
        let term = |(coefficient, factors): (i64, Vec<Factor>)| {
            let mut factors: Vec<String> = factors.iter().map(factor).collect();
            factors.sort_unstable();
            format!("{coefficient} {}", factors.join(" "))
        };
        let mut terms: Vec<String> = expr.terms().into_iter().map(term).collect();
        terms.sort_unstable();
        format!("({})", terms.join(" + "))
    }

    pub(super) fn text(&self, value: ValueId) -> String {
        let body = self.grid.body;
        let around = |block| body.region_of(block).and_then(|region| body.region_parent(region));
        match body.value_def(value) {
            ValueDef::Result(id, index) => {
                let op = OpRef { id, ..*self.grid };
                if let Some(index) = ops::Index::of(op) {
                    let args: Vec<ValueId> = index.args().collect();
                    return index.value().iter().map(|expr| self.text_of(expr, &args)).collect();
                }
                let is_known = op.regions().is_empty() && (is_integer(op) || ops::BlockId::of(op).is_some());
                if !is_known {
                    return format!("{value:?}");
                }
                let operands: Vec<String> = op.operands().map(|value| self.text(value)).collect();
                format!("{} {:?} {index} of {}", op.name(), body.props(id), operands.join(", "))
            }
            ValueDef::Arg(block, 0) => match around(block).and_then(|id| ops::For::of(OpRef { id, ..*self.grid })) {
                Some(op) => {
                    // Of loops around each other each has its own.
                    let outer = std::iter::successors(body.parent_op(op.id), |&id| body.parent_op(id));
                    let depth = outer.filter(|&id| ops::For::of(OpRef { id, ..*op }).is_some()).count();
                    let args: Vec<ValueId> = op.args().collect();
                    let bounds: String = op.bounds().iter().map(|bound| self.text_of(bound, &args)).collect();
                    format!("{depth} {bounds}")
                }
                None => format!("{value:?}"),
            },
            _ => format!("{value:?}"),
        }
    }

    /// The kind of an expression.
    pub(super) fn expr(&mut self, expr: &SizeExpr, args: &[ValueId]) -> Kind {
        // Remainders first.
        for (coefficient, factors) in expr.terms() {
            let [Factor::Quotient(above, below)] = factors.as_slice() else { continue };
            let Some(by) = below.as_constant().filter(|&by| by > 1) else { continue };
            // A multiple of a remainder, or the remainder of a quotient.
            let multiple = (coefficient % by == 0).then(|| (above.clone(), by, -(coefficient / by)));
            let least = coefficient.saturating_abs();
            let of_quotient = (least > 1 && by % least == 0).then(|| {
                let quotient = above.floordiv(&(by / least).into()).ok()?;
                Some((quotient, least, -coefficient.signum()))
            });
            for (above, by, times) in multiple.into_iter().chain(of_quotient.flatten()) {
                let rest = above.modulo(&by.into()).and_then(|rest| rest.mul(&times.into()));
                if let Ok(rest) = rest.and_then(|rest| expr.sub(&rest))
                    && rest.terms().len() < expr.terms().len()
                {
                    let remainder = self.remainder(&above, by, args).times(times);
                    return remainder.plus(self.expr(&rest, args));
                }
            }
        }
        let mut sum = Range(0, 0);
        for (coefficient, factors) in expr.terms() {
            let mut product = Range(coefficient, coefficient);
            for factor in &factors {
                let kind = match factor {
                    Factor::Symbol(name) => match value_number(name) {
                        Some(number) => args.get(number).map_or(Other, |&arg| self.kind(arg)),
                        None => Size,
                    },
                    Factor::Quotient(above, below) => match self.expr(below, args) {
                        Range(by, last) if by > 0 && by == last => self.above(above, args).quotient(by),
                        _ => Other,
                    },
                };
                product = product.product(kind);
            }
            sum = sum.plus(product);
        }
        sum
    }

    /// The kind of a remainder. Of products it comes again with each of what is multiplied, after as many as all that is
    /// divided by together.
    fn remainder(&mut self, above: &SizeExpr, by: i64, args: &[ValueId]) -> Kind {
        match self.above(above, args) {
            Never => Never,
            Other | Rows => Other,
            Rest(..) if by > self.rounds => Other,
            Products(before) | Count(before) if before.saturating_mul(by) > self.rounds => Other,
            Range(a, b) if a.div_euclid(by) == b.div_euclid(by) => Range(a.rem_euclid(by), b.rem_euclid(by)),
            Range(..) => Range(0, by - 1),
            _ => Rest(0, by - 1),
        }
    }

    /// The kind of a value.
    pub(super) fn kind(&mut self, value: ValueId) -> Kind {
        if let Some(&kind) = self.known.get(&value).or_else(|| self.carried.get(&value)) {
            return kind;
        }
        let kind = match self.grid.body.value_def(value) {
            _ if self.is_number_of_blocks(value) => Count(1),
            ValueDef::Result(id, index) => self.result(OpRef { id, ..*self.grid }, index),
            ValueDef::Arg(block, 0) => {
                let body = self.grid.body;
                let around = body.region_of(block).and_then(|region| body.region_parent(region));
                let around = around.map(|id| OpRef { id, ..*self.grid });
                match around.map(|op| (ops::For::of(op).is_some(), ops::Role::of(op))) {
                    Some((true, _)) => Linear(1),
                    Some((_, Some(_))) if self.as_constants => Range(1, 1),
                    Some((_, Some(role))) => Range(0, role.groups().max(1) - 1),
                    _ => Other,
                }
            }
            _ => Other,
        };
        self.known.insert(value, kind);
        kind
    }

    /// Whether a value is the size of the grid along an axis.
    pub(super) fn is_number_of_blocks(&self, value: ValueId) -> bool {
        let args: Vec<ValueId> = self.grid.args().collect();
        let dims = self.grid.dims();
        let mut sizes = dims.iter().filter_map(|dim| args.get(value_number(dim.as_symbol()?)?));
        sizes.any(|&size| size == value)
    }

    fn result(&mut self, op: OpRef<'a>, index: usize) -> Kind {
        if let Some(index) = ops::Index::of(op) {
            let args: Vec<ValueId> = index.args().collect();
            let value = index.value();
            return value
                .first()
                .filter(|_| op.type_of(index.out()) == Type::INDEX)
                .map_or(Other, |it| self.expr(it, &args));
        }
        if ops::BlockId::of(op).is_some() {
            return Linear(1);
        }
        if let Some(ticket) = ops::Ticket::of(op) {
            return axis_of_ticket(self.grid, ticket).map_or(Other, |_| Linear(1));
        }
        if ops::GridSize::of(op).is_some() {
            return Count(1);
        }
        if ops::BlockRank::of(op).is_some() {
            let blocks = self.grid.cluster().unwrap_or_default().into_iter().fold(1, i64::saturating_mul);
            return if self.as_constants { Range(1, 1) } else { Range(0, blocks.max(1) - 1) };
        }
        if ops::TileOrder::of(op).is_some() {
            return Rows;
        }
        if ops::Advance::of(op).is_some() {
            return self.advance(op, index);
        }
        let both = ops::Min::of(op).map(|op| (op.lhs(), op.rhs())).or(ops::Max::of(op).map(|op| (op.lhs(), op.rhs())));
        if let Some((a, b)) = both {
            return self.kind(a).least(self.kind(b));
        }
        if let Some(binary) = ops::Binary::of(op) {
            return match (self.kind(binary.lhs()), self.kind(binary.rhs()), binary.function()) {
                (Never, ..) | (_, Never, _) => Never,
                (Range(a, b), Range(c, d), Binary::Add) => Range(a, b).plus(Range(c, d)),
                (Range(a, b), Range(c, d), Binary::Sub) => Range(a, b).plus(Range(c, d).times(-1)),
                (Range(a, b), Range(c, d), Binary::Mul) => Range(a, b).product(Range(c, d)),
                _ => Other,
            };
        }
        if let Some(loop_) = ops::For::of(op) {
            let block = op.body.first_block(ops::For::body(loop_));
            let arg = block.and_then(|block| op.body.args(block).get(index + 1).copied());
            return arg.map_or(Other, |arg| self.kind(arg));
        }
        if ops::If::of(op).is_some() || ops::Elect::of(op).is_some() {
            let yields = op.regions().iter().map(|&region| yielded(op, region).get(index).copied());
            let values: Option<Vec<ValueId>> = yields.collect();
            let kinds: Option<Vec<Kind>> =
                values.map(|values| values.into_iter().map(|value| self.kind(value)).collect());
            return kinds.and_then(|kinds| kinds.into_iter().reduce(Kind::or)).unwrap_or(Other);
        }
        Other
    }

    /// The next stage and parity of a ring: few, if those before are.
    fn advance(&mut self, op: OpRef<'a>, index: usize) -> Kind {
        let Some(advance) = ops::Advance::of(op) else { return Other };
        let stages = advance.stages();
        match (index, self.kind(advance.stage()), self.kind(advance.parity())) {
            (0, Never, _) | (1, _, Never) => Never,
            (0, Range(a, b) | Rest(a, b), _) if a >= 0 && b < stages && stages <= self.rounds => Range(0, stages - 1),
            (1, _, Range(a, b) | Rest(a, b)) if a >= 0 && b <= 1 => Range(0, 1),
            _ => Other,
        }
    }
}
