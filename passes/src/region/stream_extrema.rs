//! Computes a maximum (or minimum) and what is combined over the elements that are equal to it in one pass over their axes.
//! So an argmax reads its input once, and the number of elements that share a maximum is counted as it is found.
//!
//! **Requires**: region.
//! **Ensures**: no reduction combines `select(x == m, g, none)` over the axes that `m` is the maximum or minimum of `x`
//! over, where `g` does not depend on `m` and `none` is the number that the reduction begins with.
//!
//! **Before**
//! ```mlir before
//! region.func @argmax<M, N> iters (m: M)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>)
//!     outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %max = reduce max (n: N) acc f32 init -inf {
//!     yield %x
//!   } : f32 over (m)
//!   %none = const 2147483647 : i32 over ()
//!   %y = reduce min (n: N) acc i32 init 2147483647 {
//!     %is = binary eq %x, %max : i1 over (m, n)
//!     %n = index (n) : i32 over (n)
//!     %at = select %is, %n, %none : i32 over (m, n)
//!     yield %at
//!   } : i32 over (m)
//!   yield %y to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @argmax<M, N> iters (m: M)
//!   ins (%X: memref<[M, N], f32, row_major, align 4>)
//!   outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %max, %y = reduce (n: N) acc (f32, i32) init (-inf, 2147483647) {
//!     %n = index (n) : i32 over (n)
//!     yield %x, %n
//!   } combine (%max0: f32 over (m), %y0: i32 over (m), %max1: f32 over (m), %y1: i32 over (m)) {
//!     %top = binary max %max0, %max1 : f32 over (m)
//!     %none = const 2147483647 : i32 over ()
//!     %equal0 = binary eq %max0, %top : i1 over (m)
//!     %kept0 = select %equal0, %y0, %none : i32 over (m)
//!     %equal1 = binary eq %max1, %top : i1 over (m)
//!     %kept1 = select %equal1, %y1, %none : i32 over (m)
//!     %both = binary min %kept0, %kept1 : i32 over (m)
//!     yield %top, %both
//!   } : f32 over (m), i32 over (m)
//!   yield %y to Y
//! }
//! ```
//!
//! **Does not** take a reduction of several accumulators, one that begins with another number than the identity, or
//! elements that are compared otherwise than by `x == m` or `x == m || x != x`, which finds elements that are no number, too.
//! Two computations of one value are not the same to it (`cse`).
//!
//! *Numbers.* Floats are combined in the order that the program has, among numbers that change nothing; sums and products of
//! them are rounded at each step, where a reduction by a function rounds once. A maximum of which an element is no number is
//! none, as before; where the program asks for `x != x`, what is combined is that of these elements, else of no element.
//!
//! *Algorithm.* A part of the elements has an extremum, and what was combined over those that are equal to it. Of two parts,
//! what each combined counts if its extremum is that of both: `(max(m0, m1), f(m0 == m ? g0 : none, m1 == m ? g1 : none))`.
//! Linear in the region for each extremum. Rule of the debug counters: `stream`.

use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{Attr, Context, OpId, Str, Type, ValueId};
use dlc_region::ops::{Binary, Const, Func, NewReduce, Reduce, Select, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::axes::{before_broadcasts, combined};
use crate::analysis::numbers::function;
use crate::analysis::value_numbers::number;
use crate::rewrites::brought::Brought;
use crate::rewrites::region_ops::Emit;
use crate::rewrites::unused::erase_unused;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[
        StatDef { name: "extrema", doc: "Maxima and minima that are now computed along with what is at their places." },
        StatDef { name: "joined", doc: "Reductions that are computed along with a maximum or minimum." },
    ],
    ..PassDef::base(
        "stream-extrema",
        "Computes a maximum and what is at its place in one pass, as in an argmax.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(StreamExtrema))
}

struct StreamExtrema;

impl Pass for StreamExtrema {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let ctx = cx.ctx;
        let Some(block) = body.entry_block().filter(|_| OpRef::new(ctx, body, body.root()).is(Func::DEF)) else {
            return Ok(());
        };
        let mut refused: FxHashSet<OpId> = FxHashSet::default();
        let next = |body: &Body, refused: &FxHashSet<OpId>| {
            let mut candidates = body.ops(block).filter(|op| !refused.contains(op));
            candidates.find_map(|op| Extremum::find(ctx, body, op))
        };
        while let Some(found) = next(body, &refused) {
            if !cx.allows_rule("stream") {
                refused.insert(found.op);
                continue;
            }
            if cx.wants_remarks() {
                cx.remark(RemarkKind::Passed, body.loc(found.op), found.describe());
            }
            cx.count("extrema", 1);
            cx.count("joined", found.picks.len() as u64);
            found.replace(ctx, body);
        }
        Ok(())
    }
}

/// A maximum or minimum, and the reductions over the elements that are equal to it.
struct Extremum {
    op: OpId,
    /// Whether it is a maximum or a minimum.
    combiner: Combiner,
    /// What it is the extremum of.
    element: ValueId,
    axes: Vec<String>,
    sizes: Vec<SizeExpr>,
    picks: Vec<Pick>,
}

/// A reduction over the elements that are equal to an extremum.
struct Pick {
    op: OpId,
    combiner: Combiner,
    /// What it combines of these elements.
    value: ValueId,
    /// The number that it begins with.
    none: Attr,
    /// Whether elements that are no number count as equal.
    takes_nan: bool,
}

impl Extremum {
    /// Whether an op is one. `None` where nothing is combined over its places.
    fn find(ctx: &Context, body: &Body, op: OpId) -> Option<Extremum> {
        let reduce = Reduce::of(OpRef::new(ctx, body, op))?;
        let combiner = reduce.combiner().filter(|it| matches!(it, Combiner::Max | Combiner::Min))?;
        starts_with_identity(reduce, combiner)?;
        let &[element] = combined(reduce).as_slice() else { return None };
        let element = before_broadcasts(ctx, body, element);
        let elem = |value: ValueId| Value::of(ctx, body.value_type(value)).map(|ty| ty.elem(ctx));
        // The elements are compared in their own type, parts in that of the accumulator.
        let is_exact = elem(element) == elem(reduce.result(0))
            && reduce.acc().first().copied().zip(elem(element)).is_some_and(|(acc, elem)| has_all_of(ctx, acc, elem));
        if !is_exact {
            return None;
        }
        let axes: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
        let mut found = Extremum { op, combiner, element, axes, sizes: reduce.sizes(), picks: Vec::new() };
        let dependent = dependents(body, reduce.result(0));
        let after = std::iter::successors(body.next_op(op), |&op| body.next_op(op));
        found.picks = after.filter_map(|other| found.pick(ctx, body, other, &dependent)).collect();
        (!found.picks.is_empty()).then_some(found)
    }

    /// A reduction over the elements that are equal to the extremum.
    fn pick(&self, ctx: &Context, body: &Body, op: OpId, dependent: &FxHashSet<ValueId>) -> Option<Pick> {
        let reduce = Reduce::of(OpRef::new(ctx, body, op))?;
        let combiner = reduce.combiner()?;
        // In another order sums of floats would be rounded otherwise.
        if reduce.axes() != self.axes {
            return None;
        }
        let none = starts_with_identity(reduce, combiner)?;
        let &[combined] = combined(reduce).as_slice() else { return None };
        let made = |value: ValueId| {
            let value = before_broadcasts(ctx, body, value);
            body.defining_op(value).map(|op| OpRef::new(ctx, body, op))
        };
        let select = Select::of(made(combined)?).filter(|select| select.guard().is_none())?;
        let operands: Vec<ValueId> = select.operands().collect();
        let &[condition, value, other] = operands.as_slice() else { return None };
        let takes_nan = self.is_reached(ctx, body, condition)?;
        let is_none = made(other).and_then(Const::of).is_some_and(|other| other.value() == none);
        (is_none && !dependent.contains(&value)).then_some(Pick { op, combiner, value, none, takes_nan })
    }

    /// Whether a condition is that an element is equal to the extremum: then, whether it also holds of what is no number.
    fn is_reached(&self, ctx: &Context, body: &Body, condition: ValueId) -> Option<bool> {
        let binary = |value: ValueId| {
            let value = before_broadcasts(ctx, body, value);
            let op = Binary::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
            Some((op.function(), [op.lhs(), op.rhs()].map(|side| before_broadcasts(ctx, body, side))))
        };
        let top = body.result(self.op, 0);
        let is_equal = |value: ValueId| {
            binary(value).is_some_and(|(function, sides)| {
                function == scalar::Binary::Eq && (sides == [self.element, top] || sides == [top, self.element])
            })
        };
        let is_nan = |value: ValueId| binary(value) == Some((scalar::Binary::Ne, [self.element; 2]));
        if is_equal(condition) {
            return Some(false);
        }
        let (function, [lhs, rhs]) = binary(condition)?;
        let either = (is_equal(lhs) && is_nan(rhs)) || (is_nan(lhs) && is_equal(rhs));
        (function == scalar::Binary::Or && either).then_some(true)
    }

    fn describe(&self) -> String {
        let (axes, word) = (self.axes.join(", "), if self.combiner == Combiner::Max { "maximum" } else { "minimum" });
        let count = self.picks.len() + 1;
        format!("one pass over ({axes}) instead of {count}: a {word}, and what is combined where it is reached")
    }

    /// Puts one reduction in place of all.
    fn replace(&self, ctx: &Context, body: &mut Body) {
        let (order, numbers, loc) = (KernelAxes::of(ctx, body), number(body), body.loc(self.op));
        let olds: Vec<OpId> = std::iter::once(self.op).chain(self.picks.iter().map(|pick| pick.op)).collect();
        let of_old = |body: &Body, op: OpId| {
            let reduce = Reduce::from(OpRef::new(ctx, body, op));
            let mut over = axes_of(ctx, body.value_type(reduce.result(0)));
            over.sort_by_key(|axis| order.position(axis));
            let acc = reduce.acc()[0];
            (acc, reduce.init()[0], Value::get(ctx, acc, over))
        };
        let accumulators: Vec<(Type, Attr, Type)> = olds.iter().map(|&op| of_old(body, op)).collect();
        let acc: Vec<Type> = accumulators.iter().map(|(acc, ..)| *acc).collect();
        let init: Vec<Attr> = accumulators.iter().map(|(_, init, _)| *init).collect();
        let types: Vec<Type> = accumulators.iter().map(|(.., ty)| *ty).collect();
        let axes: Vec<&str> = self.axes.iter().map(String::as_str).collect();
        let mut emit = Emit::new(ctx, body, InsertPoint::Before(self.op), loc, &order);
        let made = NewReduce { combiner: None, axes, sizes: self.sizes.clone(), init: &init, acc, outs_type: &types }
            .build(&mut emit.builder, loc);
        for (index, &old) in olds.iter().enumerate() {
            let name = body.value_name(body.result(old, 0));
            body.set_value_name(body.result(made, index), name);
        }

        let region = body.regions(made)[0];
        let block = body.append_block(region);
        let needed: Vec<ValueId> = [self.element].into_iter().chain(self.picks.iter().map(|pick| pick.value)).collect();
        let mut brought = Brought::new(&numbers, &FxHashMap::default());
        brought.bring(body, &needed, InsertPoint::EndOf(block), made);
        let mut emit = Emit::new(ctx, body, InsertPoint::EndOf(block), loc, &order);
        let contributions: Vec<ValueId> = needed.iter().map(|&value| emit.ordered(brought.value(value))).collect();
        Yield::build(&mut emit.builder, loc, &contributions, None, None);
        self.combine(ctx, body, &order, (made, &types));

        let mut inner = Vec::new();
        olds.iter().for_each(|&old| body.walk_regions(old, &mut inner));
        let feeding = inner.into_iter().flat_map(|op| body.operands(op)).filter_map(|value| body.defining_op(value));
        let feeding: Vec<OpId> =
            feeding.filter(|&op| body.block_of(op) == body.block_of(made) && !olds.contains(&op)).collect();
        for (index, &old) in olds.iter().enumerate() {
            let (value, was) = (body.result(made, index), body.result(old, 0));
            let value = Emit::new(ctx, body, InsertPoint::Before(old), loc, &order).as_before(value, was);
            Rewriter::new(ctx, body).replace_op(old, &[value]);
        }
        erase_unused(ctx, body, feeding);
    }

    /// Lets the reduction combine two parts.
    fn combine(&self, ctx: &Context, body: &mut Body, order: &KernelAxes, (reduce, types): (OpId, &[Type])) {
        let loc = body.loc(reduce);
        let region = body.regions(reduce)[1];
        let block = body.append_block(region);
        let mut halves = [Vec::new(), Vec::new()];
        for (half, args) in halves.iter_mut().enumerate() {
            for (index, &ty) in types.iter().enumerate() {
                let arg = body.add_arg(block, ty, loc);
                let default = if index == 0 { self.combiner.word() } else { "value" };
                let name = part_name(ctx, body.value_name(body.result(reduce, index)), default, half);
                body.set_value_name(arg, name);
                args.push(arg);
            }
        }
        let mut emit = Emit::new(ctx, body, InsertPoint::EndOf(block), loc, order);
        let top = emit.binary(function(self.combiner), halves[0][0], halves[1][0]);
        let mut combined = vec![emit.named(top, "top")];
        let mut reached: FxHashMap<(usize, bool), ValueId> = FxHashMap::default();
        for (index, pick) in self.picks.iter().enumerate() {
            let none = emit.constant(pick.none, emit.elem(halves[0][index + 1]));
            emit.named(none, "none");
            let kept = [0, 1].map(|half| {
                let value = halves[half][index + 1];
                let known = reached.entry((half, pick.takes_nan));
                let reaches =
                    *known.or_insert_with(|| reaches(&mut emit, (halves[half][0], top), half, pick.takes_nan));
                let kept = emit.select(Ok(reaches), value, none);
                emit.named(kept, &format!("kept{half}"))
            });
            let both = emit.binary(function(pick.combiner), kept[0], kept[1]);
            combined.push(emit.named(both, "both"));
        }
        Yield::build(&mut emit.builder, loc, &combined, None, None);
    }
}

/// Whether the extremum of a half is that of both.
fn reaches(emit: &mut Emit<'_>, (own, top): (ValueId, ValueId), half: usize, takes_nan: bool) -> ValueId {
    let equal = emit.binary(scalar::Binary::Eq, own, top);
    emit.named(equal, &format!("equal{half}"));
    if !takes_nan {
        return equal;
    }
    let is_nan = emit.binary(scalar::Binary::Ne, own, own);
    emit.named(is_nan, &format!("nan{half}"));
    let either = emit.binary(scalar::Binary::Or, equal, is_nan);
    emit.named(either, &format!("reaches{half}"))
}

/// What an accumulator of a half is called.
fn part_name(ctx: &Context, name: Str, default: &str, half: usize) -> Str {
    let name = ctx.str(name);
    let is_open = !name.is_empty() && !name.ends_with(|c: char| c.is_ascii_digit());
    ctx.intern_str(&format!("{}{half}", if is_open { name } else { default }))
}

/// The number that a reduction of one accumulator begins with, if it changes nothing. Truth values are no numbers here.
fn starts_with_identity(reduce: Reduce<'_>, combiner: Combiner) -> Option<Attr> {
    let (&[acc], &[init]) = (reduce.acc().as_slice(), reduce.init()) else { return None };
    (acc != Type::I1 && init == scalar::identity_of(reduce.ctx, combiner, acc)).then_some(init)
}

/// Whether a type has all numbers of another, each as a number of its own.
fn has_all_of(ctx: &Context, wide: Type, elem: Type) -> bool {
    let both_floats = wide.float_kind(ctx).is_some() && elem.float_kind(ctx).is_some();
    let widens = dlc_core::broadcast::promote(ctx, wide, elem).is_ok_and(|both| both == wide);
    wide == elem || (both_floats && widens)
}

/// A value and all that depends on it.
fn dependents(body: &Body, value: ValueId) -> FxHashSet<ValueId> {
    let mut dependent = FxHashSet::from_iter([value]);
    let mut inner = Vec::new();
    for op in body.walk() {
        inner.clear();
        inner.push(op);
        body.walk_regions(op, &mut inner);
        if inner.iter().any(|&op| body.operands(op).any(|value| dependent.contains(&value))) {
            dependent.extend(body.results(op));
        }
    }
    dependent
}
