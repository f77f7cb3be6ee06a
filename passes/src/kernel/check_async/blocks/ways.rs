//! Which ways of branches and loops are impossible, whatever the sizes, blocks and rounds.

use std::borrow::Cow;
use std::rc::Rc;

use dlc_core::guard::Guard;
use dlc_core::sizes::value_number;
use dlc_ir::affine::{AffineExpr, Factor, Interval, SizeExpr, SizeRanges};
use dlc_ir::body::ValueDef;
use dlc_ir::diag::Diagnostic;
use dlc_ir::{OpRef, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops;

use super::sites::{Between, Pair, Var, group_of};
use super::{Blocks, Fault};
use crate::kernel::check_async::NOT_CHECKED;
use crate::kernel::check_async::parts::is_part;

/// As many ways in which a condition does not hold as are looked at.
const MOST_CONTRARIES: usize = 256;

/// What helps where a way is not run.
const SUGGEST_WAY: &str = "ask for sizes, blocks and rounds one by one, and for small ones, or 'require' what holds for the sizes at the launch";

/// A way: a branch whose condition holds, once, or does not, or a loop that goes around at least so often, or not at all.
pub type Arm<'a> = (OpRef<'a>, i64);

/// No run goes a way, and it may be possible.
pub fn never_run((op, times): Arm<'_>) -> Fault {
    let message = format!("not verified: in no run {}, and it may", outcome(op, times));
    Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(SUGGEST_WAY))
}

fn outcome(op: OpRef<'_>, times: i64) -> String {
    match (ops::For::of(op).is_some(), times) {
        (true, 0) => "the loop has no round".to_owned(),
        (true, 1) => "the loop goes around".to_owned(),
        (true, times) => format!("the loop goes around {times} times"),
        (false, 0) => "the condition does not hold".to_owned(),
        (false, _) => "the condition holds".to_owned(),
    }
}

/// Ways that may be gone together, and were not.
pub fn never_together(ways: &[Arm<'_>]) -> Fault {
    let &[.., (op, times)] = ways else { unreachable!("at least one way") };
    let message =
        format!("not verified: in no run {}, together with what the notes say, and it may", outcome(op, times));
    let error = Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(SUGGEST_WAY);
    let others = ways[..ways.len() - 1].iter();
    Box::new(others.fold(error, |error, &(op, times)| error.note(op.loc(), format!("{} here", outcome(op, times)))))
}

impl<'a> Blocks<'a> {
    /// Whether no block ever goes several such ways, of the same round of loops that are around several of them.
    pub fn are_never(&self, ways: &[Arm<'a>], between: &Rc<Between>) -> bool {
        let is_same = |(one, first): Arm<'a>, (other, second): Arm<'a>| {
            let cond = |op: OpRef<'a>| ops::If::of(op).and_then(|op| op.cond());
            first != second && cond(one).is_some() && cond(one) == cond(other)
        };
        if ways.iter().any(|&one| ways.iter().any(|&other| is_same(one, other))) {
            return true;
        }
        if ways.iter().any(|&(op, times)| times == 0 && is_part(self.grid, op)) {
            return true;
        }
        // Groups of a role do the same with other numbers: one after another.
        let mut roles = ways.iter().filter_map(|&(op, _)| self.role(op));
        let role = roles.find(|role| (2..=MOST_GROUPS).contains(&role.groups()));
        let group = role.and_then(|role| match group_of(role) {
            Var::Value(value) => Some((value, role.groups())),
            _ => None,
        });
        let in_groups = |case: &SizeCase| match group {
            Some((value, groups)) => {
                (0..groups).all(|number| self.are_never_in(ways, Some((value, number)), between, case))
            }
            None => self.are_never_in(ways, None, between, case),
        };
        in_groups(&SizeCase::Any)
            || self.counts().iter().any(|count| {
                in_groups(&SizeCase::AtLeast(count.clone(), MOST_COUNTED + 1))
                    && (0..=MOST_COUNTED).all(|number| in_groups(&SizeCase::Is(count.clone(), number)))
            })
    }

    /// The symbols, and quotients of symbols by numbers, that the launch computes with: of few of something, numbers that are
    /// not linear are known.
    fn counts(&self) -> Vec<Factor> {
        let mut found: Vec<Factor> = Vec::new();
        let mut add = |factor: &Factor| {
            if !found.contains(factor) {
                found.push(factor.clone());
            }
        };
        let before = std::iter::successors(self.grid.body.prev_op(self.grid.id), |&id| self.grid.body.prev_op(id));
        for index in before.filter_map(|id| ops::Index::of(OpRef { id, ..*self.grid })) {
            for factor in index.value().iter().flat_map(SizeExpr::terms).flat_map(|(_, factors)| factors) {
                let is_count = match &factor {
                    Factor::Symbol(name) => value_number(name).is_none(),
                    Factor::Quotient(above, below) => {
                        let is_of_symbols = above.symbols().iter().all(|name| value_number(name).is_none());
                        let has_sign = not_negative(above) || is_ceiling(above);
                        is_of_symbols && has_sign && below.as_constant().is_some_and(|below| below > 0)
                    }
                };
                if is_count {
                    add(&factor);
                }
            }
        }
        found.truncate(MOST_COUNTS);
        found
    }

    fn are_never_in(
        &self,
        ways: &[Arm<'a>],
        group: Option<(ValueId, i64)>,
        between: &Rc<Between>,
        case: &SizeCase,
    ) -> bool {
        let mut pair = self.pair();
        pair.between = Rc::clone(between);
        (pair.fixed, pair.by_cases) = (group, true);
        pair.assume(case);
        (0..self.grid.dims().len()).for_each(|axis| drop(pair.var(0, Var::Block(axis))));
        let mut pairs = vec![pair];
        for &(op, times) in ways {
            for pair in &mut pairs {
                pair.path(0, op);
                pair.imply();
            }
            let mut cases: Vec<_> = pairs.iter().flat_map(|pair| pair.gone(op, times)).collect();
            cases.iter_mut().for_each(Pair::imply);
            if cases.len() > MOST_CONTRARIES {
                continue;
            }
            pairs = cases;
            if ways.len() > 1 && pairs.len() > 1 {
                pairs.retain(|pair| !pair.is_impossible());
            }
        }
        pairs.iter().all(|pair| is_impossible(pair, 0))
    }
}

/// For which sizes ways are asked for.
enum SizeCase {
    /// All.
    Any,
    /// Those at which something is a number.
    Is(Factor, i64),
    /// Those at which it is at least so large.
    AtLeast(Factor, i64),
}

/// As many of something as are looked at one by one, and as many kinds of it.
const MOST_COUNTED: i64 = 4;
const MOST_COUNTS: usize = 2;

/// As many groups of a role as are looked at one by one.
const MOST_GROUPS: i64 = 8;

/// As many values that are the smaller or the greater of two as are taken for each of these.
const MOST_SPLIT: usize = 4;

/// Whether nothing is as said, whichever of two numbers smaller or greater ones are.
fn is_impossible(pair: &Pair<'_>, from: usize) -> bool {
    pair.is_impossible()
        || from < MOST_SPLIT
            && pair.split(from).is_some_and(|(cases, from)| cases.iter().all(|case| is_impossible(case, from)))
}

impl<'a> Pair<'a> {
    /// Adds what holds for such sizes.
    fn assume(&mut self, case: &SizeCase) {
        let (SizeCase::Is(factor, number) | SizeCase::AtLeast(factor, number)) = case else { return };
        let expr = match factor {
            Factor::Symbol(name) => SizeExpr::symbol(name),
            Factor::Quotient(above, below) => above.floordiv(below),
        };
        let is_ceiling = matches!(factor, Factor::Quotient(above, _) if is_ceiling(above));
        let number = if is_ceiling { -number } else { *number };
        let Some(count) = expr.ok().and_then(|expr| self.expr(0, &expr, &[])) else { return };
        let number_expr = AffineExpr::Constant(number);
        match case {
            SizeCase::Is(..) => {
                self.equal(&count, &number_expr);
                self.known = Rc::new([(factor.clone(), number)]);
            }
            _ if is_ceiling => self.at_most(&count, &number_expr, 0),
            _ => self.at_most(&number_expr, &count, 0),
        }
    }

    /// All cases in which a way is gone.
    fn gone(&self, op: OpRef<'a>, times: i64) -> Vec<Pair<'a>> {
        let mut pair = self.clone();
        if let Some(loop_) = ops::For::of(op) {
            match times {
                0 => pair.no_round(loop_),
                1 => pair.loop_(0, loop_),
                _ => pair.rounds(loop_, times),
            }
            return vec![pair];
        }
        let Some((branch, guard)) = ops::If::of(op).and_then(|branch| Some((branch, branch.guard()?))) else {
            return vec![pair];
        };
        let args: Vec<ValueId> = branch.args().collect();
        let Some(cases) = (if times > 0 { pieces(&guard) } else { contraries(&guard) }) else { return vec![pair] };
        let case = |bounds: &Vec<SizeExpr>| {
            let mut pair = self.clone();
            for bound in bounds {
                if pair.range_of_expr(bound, &args).hi().is_some_and(|most| most < 0) {
                    pair.refute();
                } else if let Some(bound) = pair.expr(0, bound, &args) {
                    pair.at_most(&AffineExpr::Constant(0), &bound, 0);
                }
            }
            pair
        };
        cases.iter().map(case).collect()
    }

    /// A loop has at least so many rounds: the last of them has an integer below the end.
    fn rounds(&mut self, op: ops::For<'_>, times: i64) {
        let (bounds, args): (_, Vec<ValueId>) = (op.bounds(), op.args().collect());
        if let [first, last, step] = bounds.as_slice()
            && let (Some(first), Some(last)) = (self.expr(0, first, &args), self.expr(0, last, &args))
            && let Some(before) = self.constant_of(step, &args).and_then(|step| (times - 1).checked_mul(step))
        {
            let length = bounds[1].sub(&bounds[0]).map(|length| self.range_of_expr(&length, &args));
            if length.is_ok_and(|length| length.hi().is_some_and(|most| most <= before)) {
                self.refute();
            }
            self.at_most(&first, &last, -1 - before);
        }
    }

    /// Between which numbers an expression is, from those of each value in it alone: products are integers of their own
    /// otherwise.
    fn range_of_expr(&self, expr: &SizeExpr, args: &[ValueId]) -> Interval {
        let mut ranges = SizeRanges { other: Interval::ALL, ..SizeRanges::default() };
        for name in expr.symbols() {
            let range = match value_number(&name) {
                Some(number) => args.get(number).map_or(Interval::ALL, |&value| self.range_of(value)),
                None => Interval::NOT_NEGATIVE,
            };
            ranges = ranges.with(&name, range);
        }
        expr.range(&ranges)
    }

    /// The same of a value: a row or a column of so many tiles is less than that.
    fn range_of(&self, value: ValueId) -> Interval {
        if let ValueDef::Result(id, index) = self.grid.body.value_def(value)
            && let Some(order) = ops::TileOrder::of(OpRef { id, ..self.grid })
        {
            let tiles = order.tiles().get(index).and_then(SizeExpr::as_constant);
            return tiles.map_or(Interval::NOT_NEGATIVE, |tiles| Interval::new(0, tiles.max(1) - 1));
        }
        if self.is_count_value(value) { Interval::NOT_NEGATIVE } else { Interval::ALL }
    }

    /// A loop has no round.
    fn no_round(&mut self, op: ops::For<'_>) {
        let args: Vec<ValueId> = op.args().collect();
        let bounds = op.bounds();
        let [first, last, _] = bounds.as_slice() else { return };
        let length = last.sub(first).map(|length| self.range_of_expr(&length, &args));
        if length.is_ok_and(|length| length.lo().is_some_and(|least| least > 0)) {
            self.refute();
        } else if let (Some(first), Some(last)) = (self.expr(0, first, &args), self.expr(0, last, &args)) {
            self.at_most(&last, &first, 0);
        }
    }

    /// Nothing is so.
    fn refute(&mut self) {
        self.at_most(&AffineExpr::Constant(1), &AffineExpr::Constant(0), 0);
    }
}

/// Numbers of which none is negative in one of the pieces of a guard, for each of them.
fn pieces(guard: &Guard) -> Option<Vec<Vec<SizeExpr>>> {
    let of_piece = |piece: &Vec<dlc_core::guard::Condition>| {
        let bounds: Option<Vec<_>> = piece.iter().map(|condition| condition.not_negative().ok()).collect();
        bounds.map(|bounds| bounds.concat())
    };
    guard.pieces.iter().map(of_piece).collect()
}

/// The same for all ways in which no piece holds: of each one bound does not.
fn contraries(guard: &Guard) -> Option<Vec<Vec<SizeExpr>>> {
    let mut all = vec![Vec::new()];
    for piece in pieces(guard)? {
        let below = |bound: &SizeExpr| SizeExpr::from(-1).sub(bound).ok();
        let below: Vec<SizeExpr> = piece.iter().map(below).collect::<Option<_>>()?;
        let with = |bounds: &Vec<SizeExpr>, bound: &SizeExpr| [bounds.as_slice(), std::slice::from_ref(bound)].concat();
        all = all.iter().flat_map(|bounds| below.iter().map(move |bound| with(bounds, bound))).collect();
        if all.len() > MOST_CONTRARIES {
            return None;
        }
    }
    Some(all)
}

impl Pair<'_> {
    /// The number that a value is whatever the sizes.
    pub fn constant(&self, value: ValueId) -> Option<i64> {
        let ValueDef::Result(id, _) = self.grid.body.value_def(value) else { return None };
        let op = OpRef { id, ..self.grid };
        if let Some(([a, b], is_min)) = smaller_or_greater(op) {
            let (a, b) = (self.constant(a)?, self.constant(b)?);
            return Some(if is_min { a.min(b) } else { a.max(b) });
        }
        if let Some(size) = ops::GridSize::of(op) {
            let grid = ops::Grid::from(self.grid);
            let args: Vec<ValueId> = grid.args().collect();
            return self.constant_of(grid.dims().get(usize::try_from(size.axis()).ok()?)?, &args);
        }
        let index = ops::Index::of(op)?;
        let args: Vec<ValueId> = index.args().collect();
        self.constant_of(index.value().first()?, &args)
    }

    /// The same of an expression.
    fn constant_of(&self, expr: &SizeExpr, args: &[ValueId]) -> Option<i64> {
        let number = |name: &str| value_number(name).and_then(|number| self.constant(*args.get(number)?));
        self.with_known(expr).eval(&number).ok()
    }

    /// An expression with a number in place of what is taken to be one.
    pub fn with_known<'e>(&self, expr: &'e SizeExpr) -> Cow<'e, SizeExpr> {
        let is_known =
            |factor: &Factor| self.known.iter().find(|(known, _)| known == factor).map(|(_, number)| *number);
        let terms = if self.known.is_empty() { Vec::new() } else { expr.terms() };
        if !terms.iter().any(|(_, factors)| factors.iter().any(|factor| is_known(factor).is_some())) {
            return Cow::Borrowed(expr);
        }
        let part = |factor: &Factor| match (is_known(factor), factor) {
            (Some(number), _) => Ok(number.into()),
            (None, Factor::Symbol(name)) => SizeExpr::symbol(name),
            (None, Factor::Quotient(above, below)) => above.floordiv(below),
        };
        let with = terms.iter().try_fold(SizeExpr::from(0), |sum, (coefficient, factors)| {
            let start = SizeExpr::from(*coefficient);
            sum.add(&factors.iter().try_fold(start, |product, factor| product.mul(&part(factor)?))?)
        });
        with.map_or(Cow::Borrowed(expr), Cow::Owned)
    }

    /// Whether values are computed at the launch.
    pub fn is_of_launch(&self, values: &[ValueId]) -> bool {
        let body = self.grid.body;
        let block = body.block_of(self.grid.id);
        let made = |value: &ValueId| match body.value_def(*value) {
            ValueDef::Result(id, _) => body.block_of(id),
            ValueDef::Arg(block, _) => Some(block),
            ValueDef::Placeholder => None,
        };
        !values.is_empty() && values.iter().all(|value| made(value) == block)
    }

    /// Whether an expression of what is computed at the launch is never negative.
    pub fn is_count(&self, expr: &SizeExpr, args: &[ValueId]) -> bool {
        expr.terms().iter().all(|(coefficient, factors)| {
            let is_count = |factor: &Factor| match factor {
                Factor::Symbol(name) => match value_number(name) {
                    Some(number) => args.get(number).is_some_and(|&value| self.is_count_value(value)),
                    None => axis_number(name).is_none(),
                },
                Factor::Quotient(above, below) => self.is_count(above, args) && self.is_count(below, args),
            };
            *coefficient >= 0 && factors.iter().all(is_count)
        })
    }

    pub fn is_count_value(&self, value: ValueId) -> bool {
        let ValueDef::Result(id, _) = self.grid.body.value_def(value) else { return false };
        let op = OpRef { id, ..self.grid };
        if let Some(([a, b], is_min)) = smaller_or_greater(op) {
            let (a, b) = (self.is_count_value(a), self.is_count_value(b));
            return if is_min { a && b } else { a || b };
        }
        let Some(index) = ops::Index::of(op) else { return false };
        let args: Vec<ValueId> = index.args().collect();
        index.value().first().is_some_and(|expr| self.is_count(expr, &args))
    }
}

/// Whether a quotient of this has the signs of a ceiling, and is not positive.
fn is_ceiling(above: &SizeExpr) -> bool {
    !not_negative(above) && SizeExpr::from(0).sub(above).is_ok_and(|turned| not_negative(&turned))
}

/// Whether an expression of sizes has no part that may be negative.
pub fn not_negative(expr: &SizeExpr) -> bool {
    expr.terms().iter().all(|(coefficient, factors)| {
        let is_count = |factor: &Factor| match factor {
            Factor::Symbol(_) => true,
            Factor::Quotient(above, below) => not_negative(above) && not_negative(below),
        };
        *coefficient >= 0 && factors.iter().all(is_count)
    })
}

/// The values of which an op makes the smaller or the greater one, and whether it is the smaller.
pub fn smaller_or_greater(op: OpRef<'_>) -> Option<([ValueId; 2], bool)> {
    let least = ops::Min::of(op).map(|op| ([op.lhs(), op.rhs()], true));
    least.or_else(|| ops::Max::of(op).map(|op| ([op.lhs(), op.rhs()], false)))
}
