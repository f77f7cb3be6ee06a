//! What becomes of each op.

use dlc_book::ops::{self as book, Function};
use dlc_core::scalar::ANY_ORDER;
use dlc_core::space::{Bound, Space};
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::OpDef;
use dlc_ir::pass::PassFailed;
use dlc_ir::rewrite::ILLEGAL_OP;
use dlc_ir::{Attr, Loc, OpId, OpRef, ValueId};
use dlc_tiny::ops::{self as tiny, Predicate};

use super::entries::Lower;
use super::{bits, contraction, gather};
use crate::analysis::access::{Access as Chain, is_view};

/// The value that stands for the only result of an op.
pub type Lowered = Result<ValueId, PassFailed>;

/// A rule for one op.
type Rule = fn(&mut Lower<'_>, OpId) -> Lowered;

/// The functions of elements.
const FUNCTIONS: [(&OpDef, Function); 25] = [
    (tiny::Add::DEF, Function::Add),
    (tiny::Mul::DEF, Function::Mul),
    (tiny::Sub::DEF, Function::Sub),
    (tiny::Max::DEF, Function::Max),
    (tiny::Min::DEF, Function::Min),
    (tiny::Fdiv::DEF, Function::Fdiv),
    (tiny::Pow::DEF, Function::Pow),
    (tiny::Cdiv::DEF, Function::Cdiv),
    (tiny::Cmod::DEF, Function::Cmod),
    (tiny::Floordiv::DEF, Function::Floordiv),
    (tiny::Floormod::DEF, Function::Floormod),
    (tiny::And::DEF, Function::And),
    (tiny::Or::DEF, Function::Or),
    (tiny::Xor::DEF, Function::Xor),
    (tiny::Shl::DEF, Function::Shl),
    (tiny::Shr::DEF, Function::Shr),
    (tiny::Neg::DEF, Function::Neg),
    (tiny::Relu::DEF, Function::Relu),
    (tiny::Trunc::DEF, Function::Trunc),
    (tiny::Recip::DEF, Function::Recip),
    (tiny::Sqrt::DEF, Function::Sqrt),
    (tiny::Exp2::DEF, Function::Exp2),
    (tiny::Log2::DEF, Function::Log2),
    (tiny::Sin::DEF, Function::Sin),
    (tiny::Where::DEF, Function::Where),
];

/// The others.
const RULES: [(&OpDef, Rule); 11] = [
    (tiny::Cast::DEF, cast),
    (tiny::Cmp::DEF, cmp),
    (tiny::Reduce::DEF, reduce),
    (tiny::Scan::DEF, scan),
    (tiny::Sort::DEF, sort),
    (tiny::Contract::DEF, contraction::contract),
    (tiny::Mulacc::DEF, contraction::mulacc),
    (tiny::Range::DEF, range),
    (tiny::Index::DEF, gather::index),
    (tiny::Bitcast::DEF, bits::bitcast),
    (tiny::Store::DEF, store),
];

/// What is left to do.
enum Work {
    Op(OpId),
    /// To choose between the results of the regions of an `if`, which are both computed.
    Choose(OpId),
}

impl Lower<'_> {
    /// Lowers ops and what is in their regions, in order.
    pub fn ops(&mut self, ops: &[OpId]) -> Result<(), PassFailed> {
        let mut work: Vec<Work> = ops.iter().rev().map(|&op| Work::Op(op)).collect();
        while let Some(next) = work.pop() {
            let op = match next {
                Work::Op(op) => op,
                Work::Choose(op) => {
                    choose(self, op)?;
                    continue;
                }
            };
            if tiny::If::of(self.op(op)).is_none() {
                self.lower(op)?;
                continue;
            }
            work.push(Work::Choose(op));
            let blocks = self.body.regions(op).iter().filter_map(|&region| self.body.first_block(region));
            let inner: Vec<OpId> = blocks.flat_map(|block| self.body.ops(block)).collect();
            work.extend(inner.into_iter().rev().map(Work::Op));
        }
        Ok(())
    }

    fn lower(&mut self, op: OpId) -> Result<(), PassFailed> {
        let view = self.op(op);
        if is_leaf(view) || view.is(tiny::Yield::DEF) || self.is_padding(view) {
            // They are read where they are used.
            return match self.ref_compat && !view.is(tiny::Yield::DEF) && !is_same(view) {
                true => self.value(self.body.result(op, 0)).map(drop),
                false => Ok(()),
            };
        }
        let function = FUNCTIONS.iter().find(|(def, _)| view.is(def)).map(|(_, function)| *function);
        let rule = RULES.iter().find(|(def, _)| view.is(def)).map(|(_, rule)| *rule);
        if view.def().dialect() != "tiny" || !self.cx.allows_rule(view.def().mnemonic()) {
            let error = Diagnostic::error(&ILLEGAL_OP, view.loc(), "the op is not legal here, and no rule lowers it");
            return Err(self.cx.fail(error.at(view.name())));
        }
        let made = match (function, rule) {
            (Some(function), _) => elementwise(self, op, function),
            (_, Some(rule)) => rule(self, op),
            _ => return self.end(op),
        }?;
        let old = self.body.result(op, 0);
        self.define(old, made);
        self.keep_hint(op, made);
        Ok(())
    }

    /// Lets what stands for an op be stored if the op is.
    fn keep_hint(&mut self, op: OpId, made: ValueId) {
        let key = self.ctx.intern_str(dlc_core::CONTIGUOUS);
        if self.op(op).attr(key) == Some(Attr::UNIT)
            && let Some(made) = self.body.defining_op(made)
        {
            self.body.set_attr(self.ctx, made, key, Some(Attr::UNIT));
        }
    }

    /// Ends the function with what stands for its results.
    fn end(&mut self, op: OpId) -> Result<(), PassFailed> {
        let view = self.op(op);
        if !view.is(tiny::Return::DEF) {
            let error = Diagnostic::error(&ILLEGAL_OP, view.loc(), "the op is not legal here, and no rule lowers it");
            return Err(self.cx.fail(error.at(view.name())));
        }
        let (loc, operands): (Loc, Vec<ValueId>) = (view.loc(), view.operands().collect());
        let values = operands.into_iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        book::Return::build(&mut self.builder(), loc, &values);
        Ok(())
    }
}

/// What is examined where it is read.
fn is_leaf(op: OpRef<'_>) -> bool {
    is_view(op) || op.is(tiny::Const::DEF) || op.is(tiny::Valid::DEF)
}

/// Whether a view is its operand.
pub fn is_same(op: OpRef<'_>) -> bool {
    tiny::View::of(op).is_some_and(|view| view.shape().is_none())
        || tiny::Load::of(op).is_some_and(|load| load.at().is_none())
}

fn operands(lower: &Lower<'_>, op: OpId) -> Vec<ValueId> {
    lower.body.operands(op).collect()
}

fn elementwise(lower: &mut Lower<'_>, op: OpId, function: Function) -> Lowered {
    let (loc, sizes) = (lower.body.loc(op), lower.sizes(lower.body.result(op, 0)));
    lower.map(loc, function, &operands(lower, op), &sizes)
}

fn cast(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let (loc, out) = (lower.body.loc(op), lower.body.result(op, 0));
    let (sizes, elem) = (lower.sizes(out), lower.elem(out));
    lower.map_to(loc, Function::Cast, &operands(lower, op), &sizes, Some(elem), false)
}

fn cmp(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let function = match tiny::Cmp::from(lower.op(op)).predicate() {
        Predicate::Eq => Function::Eq,
        Predicate::Ne => Function::Ne,
        Predicate::Lt => Function::Lt,
        Predicate::Le => Function::Le,
        Predicate::Gt => Function::Gt,
        Predicate::Ge => Function::Ge,
    };
    elementwise(lower, op, function)
}

/// The axes that are kept, then those that are reduced.
fn reduce(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let reduce = tiny::Reduce::from(lower.op(op));
    let (loc, input, out, combiner) = (reduce.loc(), reduce.input(), reduce.out(), reduce.combiner());
    let reduced: Vec<usize> = reduce.axes().iter().map(|&axis| axis as usize).collect();
    let (own, acc) = (lower.sizes(input), lower.elem(out));
    let kept = (0..own.len()).filter(|axis| !reduced.contains(axis));
    let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
    let sizes: Vec<SizeExpr> = order.iter().map(|&axis| own[axis].clone()).collect();
    let mut index = vec![AffineExpr::Constant(0); own.len()];
    order.iter().enumerate().for_each(|(place, &axis)| index[axis] = AffineExpr::Dim(place as u32));
    let mut space = lower.space(loc, &sizes)?;
    let chain = Chain { source: input, index, guard: Vec::new(), fill: None };
    let read = lower.read(loc, &mut space, chain)?;
    let kept = sizes.len() - reduced.len();
    let is_marked = lower.op(op).attr(lower.ctx.intern_str(ANY_ORDER)).is_some();
    let value = lower.reduce(loc, combiner, read, &sizes[..kept], &sizes[kept..], acc);
    if is_marked {
        lower.mark(value, ANY_ORDER);
    }
    Ok(value)
}

/// The axes of the operands, one of which is gone along.
fn scan(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let scan = tiny::Scan::from(lower.op(op));
    let (loc, out, combiner, along) = (scan.loc(), scan.out(), scan.combiner(), scan.axis());
    let (exclusive, reverse) = (scan.exclusive(), scan.reverse());
    let inputs: Vec<ValueId> = scan.inputs().collect();
    let (sizes, acc) = (lower.sizes(out), lower.elem(out));
    let mut space = lower.space(loc, &sizes)?;
    let (mut values, mut accesses) = (Vec::new(), Vec::new());
    for input in inputs {
        let (value, access) = lower.read(loc, &mut space, Chain::of(input, sizes.len()))?.parts();
        values.push(value);
        accesses.push(access);
    }
    let new =
        book::NewScan { inputs: &values, combiner, axes: sizes, along, every: None, accesses, acc, exclusive, reverse };
    Ok(lower.scan(loc, new))
}

/// The axes of the operand, one of which is sorted along.
fn sort(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let sort = tiny::Sort::from(lower.op(op));
    let (loc, input, along) = (sort.loc(), sort.input(), sort.axis());
    let sizes = lower.sizes(input);
    let mut space = lower.space(loc, &sizes)?;
    let (value, access) = lower.read(loc, &mut space, Chain::of(input, sizes.len()))?.parts();
    Ok(lower.sort(loc, book::NewSort { input: value, axes: sizes, along, every: None, accesses: vec![access] }))
}

fn range(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let range = tiny::Range::from(lower.op(op));
    let (loc, out, axis) = (range.loc(), range.out(), range.axis());
    let (sizes, elem) = (lower.sizes(out), lower.elem(out));
    lower.space(loc, &sizes)?;
    let at = u32::try_from(axis).ok().and_then(|axis| lower.axis(axis)).expect("it is an axis of the result");
    Ok(lower.iota(loc, at, &sizes, elem))
}

/// The value where it is stored, the target elsewhere.
fn store(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let store = tiny::Store::from(lower.op(op));
    let (loc, value, target) = (store.loc(), store.value(), store.target());
    let (sizes, own) = (lower.sizes(target), lower.sizes(value));
    let start = store.start().unwrap_or_else(|| vec![SizeExpr::from(0); sizes.len()]);
    let mut space = lower.space(loc, &sizes)?;
    let placed = placed(&mut space, &own, &start).ok_or_else(|| lower.too_large(loc))?;
    let guard: Vec<Bound> = placed.iter().filter(|bound| !space.always(bound)).cloned().collect();
    let index = placed.into_iter().map(|bound| bound.expr).collect();
    let stored = lower.read(loc, &mut space, Chain { source: value, index, guard: guard.clone(), fill: None })?;
    if guard.is_empty() {
        return Ok(lower.entry(loc, Function::Copy, vec![stored], &sizes));
    }
    let yes = lower.yes(loc);
    let inside = lower.read(loc, &mut space, Chain { source: yes, index: Vec::new(), guard, fill: None })?;
    let kept = lower.read(loc, &mut space, Chain::of(target, sizes.len()))?;
    Ok(lower.entry(loc, Function::Where, vec![inside, stored, kept], &sizes))
}

/// The position in a value that is stored from some place on, and its size, for each axis.
fn placed(space: &mut Space, own: &[SizeExpr], start: &[SizeExpr]) -> Option<Vec<Bound>> {
    let axis = |(axis, (own, start)): (usize, (&SizeExpr, &SizeExpr))| {
        let moved = AffineExpr::Dim(axis as u32).sub(&space.affine(start)?).ok()?;
        Some(Bound { expr: space.simplify(&moved), size: space.affine(own)? })
    };
    own.iter().zip(start).enumerate().map(axis).collect()
}

/// For each result of an `if` what one or the other region yields.
fn choose(lower: &mut Lower<'_>, op: OpId) -> Result<(), PassFailed> {
    if !lower.cx.allows_rule("if") {
        let view = lower.op(op);
        let error = Diagnostic::error(&ILLEGAL_OP, view.loc(), "the op is not legal here, and no rule lowers it");
        return Err(lower.cx.fail(error.at(view.name())));
    }
    let loc = lower.body.loc(op);
    let ends = lower.body.regions(op).iter().filter_map(|&region| lower.body.last_op(lower.body.first_block(region)?));
    let yielded: Vec<Vec<ValueId>> = ends.map(|end| lower.body.operands(end).collect()).collect();
    let [then, otherwise] = &yielded[..] else { return Ok(()) };
    let condition = lower.body.operand(op, 0);
    for (number, (&then, &otherwise)) in then.iter().zip(otherwise).enumerate() {
        let out = lower.body.result(op, number);
        let sizes = lower.sizes(out);
        let made = lower.map(loc, Function::Where, &[condition, then, otherwise], &sizes)?;
        lower.define(out, made);
    }
    Ok(())
}
