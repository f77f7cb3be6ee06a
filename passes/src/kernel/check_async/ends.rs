//! Where loops begin and end, and by how much they go on: what runs do not show must be the same in all roles.

use std::cell::RefCell;

use dlc_core::sizes::value_number;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{OpId, OpRef, ValueId};
use dlc_kernel::ops;

use super::kind::Kind::{self, Range};
use super::kinds::Kinds;

/// By so much at most, where loops of different roles end at quotients or multiples of one number.
const SMALL: i64 = 16;

/// Where a loop begins, if runs do not show that, and ends: how that is computed.
pub struct End {
    pub role: Option<OpId>,
    pub op: OpId,
    pub begin: Option<String>,
    pub last: String,
}

impl<'a> Kinds<'a> {
    /// Whether a loop that only moves registers may have a step of 0.
    pub(super) fn endless(&mut self, op: OpRef<'a>) -> Option<String> {
        let loop_ = ops::For::of(op)?;
        let (args, step): (Vec<ValueId>, _) = (loop_.args().collect(), loop_.bounds().get(2).cloned()?);
        let is_constant = matches!(self.expr(&step, &args), Range(a, b) if a == b && a > 0);
        let reason = "the step of the loop is neither a constant nor one from block to block, and may be 0";
        (!is_constant && !self.is_of_blocks(&step, &args)).then(|| reason.to_owned())
    }

    /// What is not verified of where a loop begins, ends and goes on.
    pub(super) fn bounds(&mut self, op: ops::For<'a>) -> Option<String> {
        let args: Vec<ValueId> = op.args().collect();
        let bounds = op.bounds();
        let [first, last, step] = bounds.as_slice() else { return None };
        let around = std::iter::successors(op.body.parent_op(op.id), |&id| op.body.parent_op(id));
        let role = around.take_while(|&id| id != self.grid.id).find(|&id| ops::Role::of(OpRef { id, ..*op }).is_some());
        let (begin, end) = (self.expr(first, &args), self.expr(last, &args));
        let names = last.symbols();
        let mut ends = names.iter().filter_map(|name| args.get(value_number(name)?).copied());
        let divides = self.divides(last, &args) || ends.any(|arg| self.divides_block(arg, &mut Vec::new()));
        if end.is_place() && divides {
            return Some("where the loop ends is a quotient or remainder of the number of the block".to_owned());
        }
        // What runs do not show must be the same in all roles. Where a loop begins is no matter by itself: what compares its
        // integer is refused.
        let is_shown = |kind: Kind, bound: &SizeExpr| kind.is_place() && !self.is_of_several(bound, &args);
        let is_begin_shown = is_shown(begin, first) || self.is_of_blocks(first, &args);
        if !is_begin_shown || !is_shown(end, last) {
            let begin = if is_begin_shown { None } else { Some(self.text_of(first, &args)) };
            self.add_end(op, role, begin, self.text_of(first, &args), self.base_of(last, &args));
        }
        let is_constant = matches!(self.expr(step, &args), Range(a, b) if a == b);
        let is_from_block_to_block = self.asks_block(first, &args) && self.is_of_blocks(step, &args);
        if !is_constant && is_from_block_to_block && !self.is_same_step(step, &args) {
            return Some("the step of the loop is no multiple of that of the loops before it".to_owned());
        }
        if !is_constant && !is_from_block_to_block {
            return Some("the step of the loop is neither a constant nor one from block to block".to_owned());
        }
        None
    }

    /// Whether a step from block to block is a multiple of what all others of the grid are.
    fn is_same_step(&mut self, step: &SizeExpr, args: &[ValueId]) -> bool {
        let terms = step.terms();
        let [(_, factors)] = terms.as_slice() else { return false };
        let [Factor::Symbol(name)] = factors.as_slice() else { return false };
        let Some(&value) = value_number(name).and_then(|number| args.get(number)) else { return false };
        let text = self.text(value);
        *self.step.get_or_insert_with(|| text.clone()) == text
    }

    /// How that is computed of which an expression is a quotient or a multiple by a small number: several numbers that follow
    /// from one are the same for all sizes at which that is.
    fn base_of(&self, expr: &SizeExpr, args: &[ValueId]) -> String {
        let terms = expr.terms();
        let is_small = |(coefficient, factors): &(i64, Vec<Factor>)| {
            let divisor = |factor: &Factor| match factor {
                Factor::Quotient(_, below) => below.as_constant().unwrap_or(i64::MAX),
                Factor::Symbol(_) => 1,
            };
            coefficient.saturating_abs() <= SMALL && factors.len() <= 1 && factors.iter().all(|it| divisor(it) <= SMALL)
        };
        let names: Vec<_> = expr.symbols().into_iter().collect();
        let value = match names.as_slice() {
            [name] if terms.iter().all(is_small) => value_number(name).and_then(|number| args.get(number)),
            _ => None,
        };
        let made = value.and_then(|&value| self.grid.body.defining_op(value)).map(|id| OpRef { id, ..*self.grid });
        match (value, made.and_then(ops::Index::of)) {
            (Some(_), Some(index)) => {
                let args: Vec<ValueId> = index.args().collect();
                index.value().first().map_or_else(String::new, |expr| self.base_of(expr, &args))
            }
            (Some(&value), None) => self.text(value),
            (None, _) => self.text_of(expr, args),
        }
    }

    /// Notes where a loop begins and ends. One that goes on where the one before ends is a part of that.
    fn add_end(&mut self, op: ops::For<'a>, role: Option<OpId>, begin: Option<String>, first: String, last: String) {
        let parent = op.body.parent_op(op.id);
        let around = std::iter::successors(parent, |&id| op.body.parent_op(id));
        let around = around.filter_map(|id| ops::For::of(OpRef { id, ..*op })).map(|op| op.bounds());
        let times: Vec<_> = around.filter(|bounds| bounds.iter().all(|it| it.as_constant().is_some())).collect();
        let (first, last) = (format!("{times:?} {first}"), format!("{times:?} {last}"));
        let before = self.ends.iter_mut().rfind(|end| end.role == role && op.body.parent_op(end.op) == parent);
        match before {
            Some(before) if before.last == first => before.last = last,
            _ => self.ends.push(End { role, op: op.id, begin, last }),
        }
    }

    /// Loops of different roles that begin or end somewhere that is not shown by runs, and not one after another in the same
    /// ways: they may not agree.
    pub(super) fn other_ends<'s>(&'s self) -> Vec<(OpRef<'a>, String)> {
        let mut all = Vec::new();
        self.grid.body.walk_regions(self.grid.id, &mut all);
        let roles: Vec<OpId> =
            all.into_iter().filter(|&id| ops::Role::of(OpRef { id, ..*self.grid }).is_some()).collect();
        let of = |role: OpId| -> Vec<&End> { self.ends.iter().filter(|end| end.role == Some(role)).collect() };
        let texts =
            |ends: &[&End]| -> Vec<_> { ends.iter().map(|end| (end.begin.clone(), end.last.clone())).collect() };
        let others = |own: &[&'s End], known: &[&End]| -> Vec<&'s End> {
            let known = texts(known);
            own.iter().copied().filter(|end| !known.contains(&(end.begin.clone(), end.last.clone()))).collect()
        };
        let reason =
            "where the loop begins or ends is not linear in one size, block or round, and it differs in another role";
        let mut found = Vec::new();
        for &role in &roles {
            let own = of(role);
            let differs = |other: OpId| {
                let theirs = of(other);
                if texts(&own) == texts(&theirs) {
                    return None;
                }
                let (here, there) = (others(&own, &theirs), others(&theirs, &own));
                // Loops around each other may have as many rounds as one.
                let is_nest = |role: OpId, end: &[&End], loops: &[&End]| match end {
                    [end] => self.nest_of(role, end).is_some_and(|nest| loops.iter().all(|end| nest.contains(&end.op))),
                    _ => false,
                };
                let is_alike = is_nest(other, &here, &there) || is_nest(role, &there, &here);
                (!is_alike).then(|| here.first().copied().or(own.first().copied())).flatten()
            };
            let first = roles.iter().filter(|&&other| other != role).find_map(|&other| differs(other));
            found.extend(first.map(|end| (OpRef { id: end.op, ..*self.grid }, reason.to_owned())));
        }
        found
    }

    /// The loops around each other of a role that have as many rounds together as a loop of another one, from sizes and from
    /// what both compute alike.
    fn nest_of(&self, role: OpId, end: &End) -> Option<Vec<OpId>> {
        // One name for what is computed alike.
        let texts = RefCell::new(Vec::new());
        let rounds = |id: OpId| -> Option<SizeExpr> {
            let op = ops::For::of(OpRef { id, ..*self.grid })?;
            let (bounds, args): (_, Vec<ValueId>) = (op.bounds(), op.args().collect());
            let [first, last, step] = bounds.as_slice() else { return None };
            let rounds = last.sub(first).and_then(|length| length.ceildiv(step)).ok()?;
            let named = |name: &str| {
                let (text, mut texts) = (self.text(*args.get(value_number(name)?)?), texts.borrow_mut());
                let known = texts.iter().position(|known| *known == text);
                let number = known.unwrap_or(texts.len());
                texts.extend(Some(text).filter(|_| known.is_none()));
                SizeExpr::symbol(&format!("v{number}")).ok()
            };
            rounds.substitute(&named).ok()
        };
        let is_repeated = |op: OpId| {
            let around = std::iter::successors(self.grid.body.parent_op(op), |&id| self.grid.body.parent_op(id));
            let is_constant = |bound: &SizeExpr| bound.as_constant().is_some();
            let mut loops = around.filter_map(|id| ops::For::of(OpRef { id, ..*self.grid }));
            loops.any(|op| op.bounds().iter().all(is_constant))
        };
        let wanted = rounds(end.op).filter(|_| !is_repeated(end.op))?;
        let mut all = Vec::new();
        self.grid.body.walk_regions(role, &mut all);
        all.into_iter().find_map(|id| {
            let around = std::iter::successors(Some(id), |&id| self.grid.body.parent_op(id));
            let around = around.take_while(|&id| id != role);
            let (mut product, mut ends, mut nest) = (Some(SizeExpr::from(1)), Vec::new(), Vec::new());
            for op in around.filter_map(|id| ops::For::of(OpRef { id, ..*self.grid })) {
                product = product.as_ref().zip(rounds(op.id)).and_then(|(all, own)| all.mul(&own).ok());
                ends.extend(op.args());
                nest.push(op.id);
                // A loop that ends at what another one of them counts has another number of rounds each time.
                if product.as_ref() == Some(&wanted) && ends.iter().all(|&value| !self.is_within(value, op.id)) {
                    return Some(nest).filter(|_| !is_repeated(op.id));
                }
            }
            None
        })
    }

    /// Whether a value is computed in a loop.
    fn is_within(&self, value: ValueId, loop_: OpId) -> bool {
        let body = self.grid.body;
        let holder = match body.value_def(value) {
            ValueDef::Result(id, _) => body.parent_op(id),
            ValueDef::Arg(block, _) => body.region_of(block).and_then(|region| body.region_parent(region)),
            _ => None,
        };
        std::iter::successors(holder, |&id| body.parent_op(id)).any(|id| id == loop_)
    }

    /// Whether an expression is the number of the block and of blocks, of groups and of blocks of a cluster, as where blocks
    /// begin that go from tile to tile, and by how much they go on.
    fn is_of_blocks(&self, expr: &SizeExpr, args: &[ValueId]) -> bool {
        let names = expr.symbols();
        names.iter().all(|name| {
            let value = value_number(name).and_then(|number| args.get(number));
            value.is_some_and(|&value| self.is_value_of_blocks(value))
        })
    }

    fn is_value_of_blocks(&self, value: ValueId) -> bool {
        let body = self.grid.body;
        let args: Vec<ValueId> = self.grid.args().collect();
        let is_of_grid = |dim: &SizeExpr| {
            let names = dim.symbols();
            names.iter().any(|name| value_number(name).and_then(|number| args.get(number)) == Some(&value))
        };
        if self.grid.dims().iter().any(is_of_grid) {
            return true;
        }
        match body.value_def(value) {
            ValueDef::Result(id, _) => {
                let op = OpRef { id, ..*self.grid };
                if let Some(index) = ops::Index::of(op) {
                    let args: Vec<ValueId> = index.args().collect();
                    return index.value().iter().all(|expr| self.is_of_blocks(expr, &args));
                }
                [ops::GridSize::DEF, ops::BlockId::DEF, ops::BlockRank::DEF].into_iter().any(|def| op.is(def))
            }
            ValueDef::Arg(block, 0) => {
                let around = body.region_of(block).and_then(|region| body.region_parent(region));
                around.is_some_and(|id| ops::Role::of(OpRef { id, ..*self.grid }).is_some())
            }
            _ => false,
        }
    }
}
