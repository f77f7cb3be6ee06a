//! Finds the reductions that are scans: those of which each result combines all elements up to a position, as graphs write a
//! running sum that have no op for one.
//!
//! Read as they stand, such reductions are quadratic: every element meets every position, and those on one side of it are
//! replaced by the identity of the combiner. A scan goes along the axis once.
//!
//! **Requires**: book.
//! **Ensures**: no reduction along one axis combines, for each position of an axis of its result, the elements of an operand
//! up to that position or from it on, where the mask or the pad that chooses them is affine.
//!
//! **Before**
//! ```mlir before
//! book.func @cumsum(%x: tensor<[4, 30], f32>) -> tensor<[4, 30], f32> {
//!   %s = reduce sum axes (i0: 4, i1: 30) over (i2: 30) of %x at (i0, i1 + i2 - 29) where (0 <= i1 + i2 - 29) else 0.0 acc f32 : tensor<[4, 30], f32>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @cumsum(%x: tensor<[4, 30], f32>) -> tensor<[4, 30], f32> {
//!   %s = scan sum axes (i0: 4, i1: 30) along 1 of %x at (i0, i1) acc f32 : tensor<[4, 30], f32>
//!   return %s
//! }
//! ```
//!
//! The conditions under which an element counts are those of guards whose other number is the identity, and of `where`
//! entries one of whose sides is it, also before casts that lose nothing; together with the bounds of the reduced axis they are inequalities between the position
//! that is read and the axes of the result. Those that always hold are left out. What is left must be one, between the
//! position and one axis, whose sizes are the same: `k <= i`, `k < i`, `k >= i` or `k > i`.
//!
//! **Does not** look through arithmetic between the mask and the reduction, take masks that are multiplied (zero times an
//! infinity is no zero), or reductions along several axes. Positions in 32-bit types count as exact where the axes have the
//! symbolic size of the reduced one, though they would wrap beyond 2^31: a quadratic reduction of so many elements cannot be
//! run.
//!
//! Sums of floats are added in another order where they are `reverse`. Linear in the ops, times the entries between a mask
//! and a reduction. Rule of the debug counters: `scan`.

use dlc_book::ops::{Const, Entry, Function, Iota, NewScan, Reduce};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::broadcast::promote;
use dlc_core::guard::{Condition, Guard};
use dlc_core::numbers::holds;
use dlc_core::scalar::{Binary, Combiner, identity_of, is_identity_of};
use dlc_core::space::Space;
use dlc_core::tensor::ElemKind;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, Context, OpId, Type, ValueId};

/// How many entries are examined, one after another.
const DEPTH: usize = 32;
/// The most positions of an axis of symbolic size: a quadratic reduction of more cannot be run.
const MOST: i64 = 1 << 30;

static DEF: PassDef = PassDef {
    requires: &["book"],
    statistics: &[StatDef { name: "scans", doc: "Reductions that became scans." }],
    ..PassDef::base("recognize-scans", "Turns masked reductions up to each position into scans.", |_| {
        Ok(Box::new(RecognizeScans))
    })
};
dlc_ir::inventory::submit! { &DEF }

struct RecognizeScans;

impl Pass for RecognizeScans {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut found = 0;
        for op in body.walk() {
            let Some(scan) = Reduce::of(OpRef::new(cx.ctx, body, op)).and_then(|reduce| scan_of(reduce)) else {
                continue;
            };
            if !cx.allows_rule("scan") {
                continue;
            }
            let message = "each result combines the elements up to a position: it is a scan";
            cx.remark(RemarkKind::Passed, body.loc(op), message);
            replace(cx.ctx, body, op, scan);
            found += 1;
        }
        cx.count("scans", found);
        Ok(())
    }
}

/// What a reduction scans.
struct Scan {
    input: ValueId,
    access: Access,
    along: usize,
    exclusive: bool,
    reverse: bool,
}

fn replace(ctx: &Context, body: &mut Body, op: OpId, scan: Scan) {
    let reduce = Reduce::from(OpRef::new(ctx, body, op));
    let (combiner, axes, acc, loc) = (reduce.combiner(), reduce.axes(), reduce.acc(), body.loc(op));
    let flag = |flag: bool| flag.then_some(());
    let old = body.result(op, 0);
    let new = NewScan {
        inputs: &[scan.input],
        combiner: combiner.into(),
        axes,
        along: scan.along as i64,
        every: None,
        accesses: vec![scan.access],
        acc,
        exclusive: flag(scan.exclusive),
        reverse: flag(scan.reverse),
    };
    let name = body.value_name(old);
    let made = new.build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc);
    let value = body.result(made, 0);
    body.replace_all_uses(old, value);
    body.erase_op(op);
    body.set_value_name(value, name);
}

/// A value at positions of a reduction's axes, and where it counts. Conditions are expressions that are not negative there.
struct Masked<'a> {
    reduce: Reduce<'a>,
    value: ValueId,
    at: Vec<SizeExpr>,
    conditions: Vec<SizeExpr>,
}

impl<'a> Masked<'a> {
    fn op(&self, value: ValueId) -> Option<OpRef<'a>> {
        Some(OpRef { id: self.reduce.body.defining_op(value)?, ..*self.reduce })
    }

    fn elem(&self, value: ValueId) -> Type {
        let (ctx, body) = (self.reduce.ctx, self.reduce.body);
        Tensor::of(ctx, body.value_type(value)).map_or(Type::NONE, |ty| ty.elem(ctx))
    }

    fn is_identity(&self, number: Attr, elem: Type) -> bool {
        is_identity_of(self.reduce.ctx, self.reduce.combiner(), number, elem)
    }

    /// Whether a value is the identity everywhere.
    fn is_identity_value(&self, value: ValueId) -> bool {
        let constant = self.op(value).and_then(Const::of);
        constant.is_some_and(|constant| self.is_identity(constant.value(), self.elem(value)))
    }

    /// Takes the operand of an access in place of a value, if outside of its guard it is the identity.
    fn read(&mut self, operand: ValueId, access: Access) -> Option<()> {
        if let Some(guard) = &access.guard {
            let elem = self.elem(operand);
            let fill = access.fill.unwrap_or_else(|| identity_of(self.reduce.ctx, Combiner::Sum, elem));
            if !self.is_identity(fill, elem) {
                return None;
            }
            self.conditions.extend(holding(guard)?);
        }
        (self.value, self.at) = (operand, access.at);
        Some(())
    }

    /// Looks through copies and masks. Whether there was one.
    fn step(&mut self) -> Option<()> {
        let entry = self.op(self.value).and_then(Entry::of)?;
        let placed = |access: &Access| placed(access, &self.at);
        let accesses = entry.accesses().iter().map(placed).collect::<Option<Vec<Access>>>()?;
        match (entry.function(), &accesses[..]) {
            (Function::Copy, [access]) => self.read(entry.operand(0), access.clone()),
            // It is accumulated in the wider type all the same; of a maximum the identity would be another number.
            (Function::Cast, [access]) if matches!(self.reduce.combiner(), Combiner::Sum | Combiner::Prod) => {
                let (from, to) = (self.elem(entry.operand(0)), self.elem(self.value));
                holds(self.reduce.ctx, to, from).then(|| self.read(entry.operand(0), access.clone()))?
            }
            (Function::Where, [condition, then, otherwise]) => {
                let (a, b) = (entry.operand(1), entry.operand(2));
                let (kept, access, holds) = match (self.is_identity_value(a), self.is_identity_value(b)) {
                    (false, true) => (a, then, true),
                    (true, false) => (b, otherwise, false),
                    _ => return None,
                };
                if self.elem(kept) != self.elem(self.value) {
                    return None;
                }
                let mask = self.mask(entry.operand(0), condition, holds, DEPTH)?;
                self.read(kept, access.clone())?;
                self.conditions.extend(mask);
                Some(())
            }
            _ => None,
        }
    }

    /// Where a truth value is `holds`, at a place: one set of conditions. `None` where it is not one, or not affine.
    fn mask(&self, value: ValueId, access: &Access, holds: bool, depth: usize) -> Option<Vec<SizeExpr>> {
        let entry = self.op(value).and_then(Entry::of).filter(|_| depth > 0 && access.guard.is_none())?;
        let accesses = entry.accesses().iter().map(|own| placed(own, &access.at)).collect::<Option<Vec<Access>>>()?;
        let is_truth = |index: usize| self.elem(entry.operand(index)) == Type::I1;
        let inner = |index: usize, holds| self.mask(entry.operand(index), &accesses[index], holds, depth - 1);
        match entry.function() {
            Function::Copy => inner(0, holds),
            Function::Neg if is_truth(0) => inner(0, !holds),
            Function::And | Function::Mul if is_truth(0) && is_truth(1) && holds => {
                Some([inner(0, true)?, inner(1, true)?].concat())
            }
            Function::Or | Function::Add if is_truth(0) && is_truth(1) && !holds => {
                Some([inner(0, false)?, inner(1, false)?].concat())
            }
            function => {
                let comparison = function.binary().filter(|function| function.is_comparison())?;
                let a = self.integer(entry.operand(0), accesses.first()?, depth - 1)?;
                let b = self.integer(entry.operand(1), accesses.get(1)?, depth - 1)?;
                let room = |more: &SizeExpr, less: &SizeExpr, by: i64| more.sub(less).ok()?.sub(&by.into()).ok();
                Some(match (comparison, holds) {
                    (Binary::Le, true) | (Binary::Gt, false) => vec![room(&b, &a, 0)?],
                    (Binary::Lt, true) | (Binary::Ge, false) => vec![room(&b, &a, 1)?],
                    (Binary::Ge, true) | (Binary::Lt, false) => vec![room(&a, &b, 0)?],
                    (Binary::Gt, true) | (Binary::Le, false) => vec![room(&a, &b, 1)?],
                    (Binary::Eq, true) | (Binary::Ne, false) => vec![room(&a, &b, 0)?, room(&b, &a, 0)?],
                    _ => return None,
                })
            }
        }
    }

    /// An integer as an affine expression of the reduction's axes.
    fn integer(&self, value: ValueId, access: &Access, depth: usize) -> Option<SizeExpr> {
        let elem = self.elem(value);
        if depth == 0 || access.guard.is_some() || !elem.is_integer(self.reduce.ctx) || elem == Type::I1 {
            return None;
        }
        let op = self.op(value)?;
        let expr = if let Some(constant) = Const::of(op) {
            match self.reduce.ctx.attr_data(constant.value()) {
                AttrData::Integer { value, .. } => SizeExpr::from(i64::try_from(*value).ok()?),
                _ => return None,
            }
        } else if let Some(iota) = Iota::of(op) {
            substituted(iota.value().first()?, &access.at)?
        } else {
            let entry = Entry::of(op)?;
            let accesses = entry.accesses();
            let inner = |index: usize| {
                let access = placed(accesses.get(index)?, &access.at)?;
                self.integer(entry.operand(index), &access, depth - 1)
            };
            match entry.function() {
                Function::Copy | Function::Cast => inner(0)?,
                Function::Add => inner(0)?.add(&inner(1)?).ok()?,
                Function::Sub => inner(0)?.sub(&inner(1)?).ok()?,
                _ => return None,
            }
        };
        self.fits(&expr, elem).then_some(expr)
    }

    /// Whether an integer is one of a type at every point.
    fn fits(&self, expr: &SizeExpr, ty: Type) -> bool {
        let (Some(kind @ ElemKind::Int { .. }), Some((terms, constant))) =
            (ElemKind::of(self.reduce.ctx, ty), expr.as_linear())
        else {
            return false;
        };
        let (axes, over) = (self.reduce.axes(), self.reduce.over());
        let sizes = [axes, over.clone()].concat();
        let names = axis_names(sizes.len());
        let (mut low, mut high) = (i128::from(constant), i128::from(constant));
        for (name, factor) in terms {
            let Some(axis) = names.iter().position(|axis| **axis == *name) else { return false };
            // An axis of the size of the reduced one meets that.
            let is_bounded = kind.bits() == 64 || over.contains(&sizes[axis]);
            let most = match sizes[axis].as_constant() {
                Some(size) => size.max(1) - 1,
                None if is_bounded => MOST - 1,
                None => return false,
            };
            let end = i128::from(factor) * i128::from(most);
            (low, high) = (low + end.min(0), high + end.max(0));
        }
        let highest = if kind.is_u64() { i128::from(u64::MAX) } else { i128::from(kind.highest()) };
        low >= i128::from(kind.lowest()) && high <= highest
    }
}

/// The expressions that are not negative where a guard holds; `None` for several pieces.
fn holding(guard: &Guard) -> Option<Vec<SizeExpr>> {
    let [piece] = &guard.pieces[..] else { return None };
    let mut all = Vec::new();
    for condition in piece {
        all.extend(condition.not_negative().ok()?);
    }
    Some(all)
}

/// An expression of a value's axes at positions of the reduction's.
fn substituted(expr: &SizeExpr, at: &[SizeExpr]) -> Option<SizeExpr> {
    let axis = |name: &str| name.strip_prefix('i')?.parse::<usize>().ok();
    expr.substitute(&|name| at.get(axis(name)?).cloned()).ok()
}

fn placed(access: &Access, at: &[SizeExpr]) -> Option<Access> {
    access.map(&|expr| substituted(expr, at))
}

/// The factor of a name in a linear expression, and what is left without it.
fn factor(expr: &SizeExpr, name: &SizeExpr) -> Option<(i64, SizeExpr)> {
    let (terms, _) = expr.as_linear()?;
    let own = name.as_symbol()?;
    let factor = terms.iter().find(|(other, _)| **other == *own).map_or(0, |(_, factor)| *factor);
    Some((factor, expr.sub(&name.mul(&factor.into()).ok()?).ok()?))
}

/// Whether an expression names an axis.
fn names(expr: &SizeExpr, axis: &SizeExpr) -> bool {
    axis.as_symbol().is_some_and(|axis| expr.symbols().iter().any(|name| **name == *axis))
}

/// The scan that a reduction is.
fn scan_of(reduce: Reduce<'_>) -> Option<Scan> {
    let (axes, over) = (reduce.axes(), reduce.over());
    let [size] = &over[..] else { return None };
    let mut masked = Masked { reduce, value: reduce.input(), at: Vec::new(), conditions: Vec::new() };
    masked.read(reduce.input(), reduce.accesses().into_iter().next()?)?;
    let mut depth = 0;
    while depth < DEPTH && masked.step().is_some() {
        depth += 1;
    }
    let Masked { value, at, mut conditions, .. } = masked;
    let name = |axis: usize| SizeExpr::symbol(&format!("i{axis}")).ok();
    let reduced = name(axes.len())?;
    // The position that is read, along the one axis of the operand on which the reduced axis moves it.
    let mut places = at.iter().enumerate().filter(|(_, at)| names(at, &reduced));
    let (place, moving) = places.next().filter(|_| at.iter().filter(|at| names(at, &reduced)).count() == 1)?;
    let (step, rest) = factor(moving, &reduced).filter(|(step, _)| step.abs() == 1)?;
    // The position replaces the reduced axis: `reduced = step * (position - rest)`.
    let own = reduced.sub(&rest).ok()?.mul(&step.into()).ok()?;
    conditions.extend([reduced.clone(), size.sub(&reduced).ok()?.sub(&1.into()).ok()?]);
    let put = |expr: &SizeExpr| {
        let name = reduced.as_symbol().unwrap_or_default();
        expr.substitute(&|other| (other == name).then(|| own.clone())).ok()
    };
    let conditions = conditions.iter().map(put).collect::<Option<Vec<SizeExpr>>>()?;
    let dims = Tensor::of(reduce.ctx, reduce.body.value_type(value))?.dims(reduce.ctx);
    let sizes: Vec<SizeExpr> = axes.iter().chain([dims.get(place)?]).cloned().collect();
    let (deciding, kept) = needed(&sizes, conditions, &reduced)?;
    let [deciding] = &deciding[..] else { return None };
    let (along, exclusive, reverse) = direction(deciding, &reduced, axes.len())?;
    let axis = name(along)?;
    let others = at.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, at)| at);
    if sizes[along] != sizes[axes.len()] || others.chain(&kept).any(|expr| names(expr, &axis)) {
        return None;
    }
    let mut at = at;
    at[place] = axis;
    let guard = (!kept.is_empty()).then(|| {
        let condition = |expr| Condition { expr, lower: Some(SizeExpr::from(0)), upper: None };
        Guard::all(kept.into_iter().map(condition).collect())
    });
    let elem = Tensor::of(reduce.ctx, reduce.body.value_type(value))?.elem(reduce.ctx);
    promote(reduce.ctx, elem, reduce.acc()).ok().filter(|common| *common == reduce.acc())?;
    let fill = guard.is_some().then(|| identity_of(reduce.ctx, reduce.combiner(), elem));
    Some(Scan { input: value, access: Access { at, guard, fill }, along, exclusive, reverse })
}

/// The conditions that do not always hold, those about the position first, each once.
fn needed(
    sizes: &[SizeExpr],
    conditions: Vec<SizeExpr>,
    position: &SizeExpr,
) -> Option<(Vec<SizeExpr>, Vec<SizeExpr>)> {
    let mut space = Space::of(sizes)?;
    let axes = axis_names(sizes.len());
    let axis = |name: &str| axes.iter().position(|axis| axis == name).map(|axis| axis as u32);
    let mut needed: Vec<SizeExpr> = Vec::new();
    for condition in conditions {
        let claim = space.read(&condition, &axis)?;
        if !space.proves(&[], &claim) && !needed.contains(&condition) {
            needed.push(condition);
        }
    }
    Some(needed.into_iter().partition(|condition| names(condition, position)))
}

/// Which axis bounds the position, whether the element there is left out, and whether those after it are meant.
fn direction(condition: &SizeExpr, position: &SizeExpr, axes: usize) -> Option<(usize, bool, bool)> {
    let (own, rest) = factor(condition, position)?;
    let (terms, constant) = rest.as_linear()?;
    let [(name, other)] = &terms[..] else { return None };
    let along = (0..axes).find(|axis| **name == *format!("i{axis}"))?;
    let exclusive = match constant {
        0 => false,
        -1 => true,
        _ => return None,
    };
    match (own, *other) {
        (-1, 1) => Some((along, exclusive, false)),
        (1, -1) => Some((along, exclusive, true)),
        _ => None,
    }
}
