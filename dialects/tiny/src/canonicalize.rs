//! Rewrites that folding cannot do: views that become one, and arithmetic in a simpler form.
//!
//! Each rule leaves fewer ops, or the same number with less work, so the rules end:
//!
//! - Two views of one kind in a row become one.
//! - A shrink goes up through an op on one operand and through a pad, an expand goes down through an op on one operand:
//!   the op between works on fewer elements. It must be used there alone, or it would be done twice.
//! - A reshape, permutation or flip goes up through an op on one operand only where it meets another of its kind, with
//!   which it becomes one.
//! - A reduction over axes of size 1 is a reshape, with zero added to a sum: of a negative zero alone it is zero.
//! - A permutation of axes of size 1, and an expand to nothing but such, are reshapes; a reshape that puts in axes of
//!   size 1 becomes part of the expand after it.

use dlc_core::numbers::holds;
use dlc_core::scalar::ANY_ORDER;
use dlc_ir::affine::{SizeExpr, SizeRanges};
use dlc_ir::attrs::AttrData;
use dlc_ir::body::OpParts;
use dlc_ir::op::OpDef;
use dlc_ir::rewrite::{Pattern, Rewrite, Rewriter};
use dlc_ir::{Attr, OpId, OpRef, Type, ValueId, float, rewrites};

use crate::fold::{defining, dims, elem};
use crate::ops::{
    Add, Cast, Cmp, Combiner, Const, Expand, Flip, Neg, Pad, Permute, Predicate, Reduce, Reshape, Shrink, Where,
    is_elementwise,
};

/// What a rule needs to make the op anew: nothing where it does not match.
type Folded<T> = Result<T, &'static str>;

rewrites! {
    /// `reshape (reshape x)` is one reshape.
    RESHAPE_RESHAPE = "reshape-reshape": (outer: Reshape (Reshape x))
        where shape = as_many(*outer, x)? => (Reshape x shape);

    /// `permute (permute x)` is one permutation.
    PERMUTE_PERMUTE = "permute-permute": (outer: Permute (inner: Permute x))
        where order = composed(&inner.order(), &outer.order()) => (Permute x order);

    /// `expand (expand x)` is one expand.
    EXPAND_EXPAND = "expand-expand": (outer: Expand (inner: Expand x))
        where shape = dims(*outer, outer.out()),
              places = places_of(*outer, &axes_of(inner)) => (Expand x shape places);

    /// `expand (reshape x)`, where the reshape puts in axes of size 1, is one expand.
    EXPAND_RESHAPE = "expand-reshape": (outer: Expand (inner: Reshape x))
        where shape = dims(*outer, outer.out()),
              places = places_of(*outer, &kept_axes(&dims(*inner, x), &dims(*inner, inner.out()))?)
        => (Expand x shape places);

    /// `shrink (shrink x)` is one shrink.
    SHRINK_SHRINK = "shrink-shrink": (outer: Shrink (inner: Shrink x))
        where (start, stop, step) = shrunk_twice(outer, inner)? => (Shrink x start stop step);

    /// `pad (pad x)` with one number is one pad.
    PAD_PAD = "pad-pad": (outer: Pad (inner: Pad x))
        where value = same_value(outer, inner)?,
              low = sums(&inner.low(), &outer.low())?,
              high = sums(&inner.high(), &outer.high())? => (Pad x low high value);

    /// `flip (flip x)` flips the axes that one of them flips.
    FLIP_FLIP = "flip-flip": (outer: Flip (inner: Flip x))
        where axes = flipped_once(&outer.axes(), &inner.axes()) => (Flip x axes);

    /// A permutation that moves only axes of size 1 is a reshape.
    PERMUTE_OF_ONES = "permute-of-ones": (op: Permute x)
        where shape = moves_only_ones(op)? => (Reshape x shape);

    /// An expand that puts in only axes of size 1 is a reshape.
    EXPAND_OF_ONES = "expand-of-ones": (op: Expand x)
        where shape = repeats_nothing(*op)? => (Reshape x shape);

    /// `shrink (pad x)` puts less around, and takes less of `x`.
    SHRINK_PAD = "shrink-pad": (outer: Shrink (inner: Pad x))
        where value = inner.value(),
              [from, to, low, high] = cropped(outer, inner)?,
              step = None => (Pad (Shrink x from to step) low high value);

    /// `cast (cast x)` is one cast where the first loses nothing.
    CAST_CAST = "cast-cast": (outer: Cast (inner: Cast x))
        where elem = after_no_loss(outer, inner)? => (Cast x elem);

    /// `(x + a) + b` with integers is `x + (a + b)`.
    ADD_CHAIN = "add-chain": (outer: Add (inner: Add x a) b)
        where (sum, ty) = sum_of_constants([*outer, *inner], [a, b])? => (Add x (Const sum ty));

    /// `b != true` and `b == false` are `not b`.
    CMP_NOT = "cmp-not": (op: Cmp _ _)
        where x = compared_with_truth(op)? => (Neg x);

    /// The opposite of a comparison is a comparison, where numbers can be compared.
    NOT_CMP = "not-cmp": (Neg (cmp: Cmp a b))
        where predicate = opposite(cmp)? => (Cmp a b predicate);

    /// `where c, false, true` is `not c`.
    WHERE_NOT = "where-not": (op: Where _ _ _)
        where x = chooses_the_opposite(op)? => (Neg x);

    /// `where (not c), a, b` is `where c, b, a`.
    WHERE_OF_NOT = "where-of-not": (Where (Neg c) a b) => (Where c b a);
}

macro_rules! rules {
    ($($(#[$doc:meta])+ $name:ident = $text:literal on $root:expr, $find:ident => $build:expr;)*) => {$(
        $(#[$doc])+
        pub static $name: Pattern = Pattern {
            name: $text,
            benefit: 1,
            root: $root,
            apply: |op, rw| match $find(rw.op(op)) {
                Ok(found) => {
                    let build: fn(OpId, &mut Rewriter<'_>, _) = $build;
                    build(op, rw, found);
                    Rewrite::Changed
                }
                Err(why) => Rewrite::NoMatch(why),
            },
        };
    )*};
}

// What `rewrites!` cannot say: any op on one operand, and results that depend on the axes.
rules! {
    /// A reduction over an axis of size 1 is one without it, after a reshape.
    REDUCE_OF_ONES = "reduce-of-ones" on Some(Reduce::NAME), reduce_of_ones => build_reduced;
    /// `view (f (view x))` with views of one kind is `f` of both views.
    VIEW_UP = "view-up" on None, view_up => move_up;
    /// `shrink (f x)` is `f (shrink x)`: less work.
    SHRINK_UP = "shrink-up" on Some(Shrink::NAME), shrink_up => move_up;
    /// `f (expand x)` is `expand (f x)`: less work.
    EXPAND_DOWN = "expand-down" on None, expand_down => move_down;
}

/// The op that gives the operand of a view, if it is this one.
fn below<'a>(op: OpRef<'a>, def: &'static OpDef) -> Folded<OpRef<'a>> {
    defining(op, op.operand(0)).filter(|inner| inner.is(def)).ok_or("its operand is no such view")
}

fn used_once(op: OpRef<'_>) -> bool {
    op.body.has_one_use(op.result(0))
}

/// The number of elements, which a reshape must know of what it reads and of what it gives.
fn elements(sizes: &[SizeExpr]) -> Folded<SizeExpr> {
    let product = sizes.iter().try_fold(SizeExpr::from(1), |product, size| product.mul(size).ok());
    product.ok_or("the number of elements goes beyond 64 bits")
}

/// The shape of a result, if it may have as many elements as a value.
fn as_many(op: OpRef<'_>, x: ValueId) -> Folded<Vec<SizeExpr>> {
    let shape = dims(op, op.result(0));
    let counts = (elements(&dims(op, x))?, elements(&shape)?);
    match counts.0.prove_eq(&counts.1, &SizeRanges::default()) {
        // Each may be right only where the sizes of the one between are what they must be.
        Some(false) => Err("the number of elements differs"),
        _ => Ok(shape),
    }
}

/// The order of two permutations, one after another.
fn composed(inner: &[i64], outer: &[i64]) -> Vec<i64> {
    outer.iter().map(|&axis| inner[axis as usize]).collect()
}

/// Where an expand puts the axes of its operand.
fn axes_of(op: Expand<'_>) -> Vec<i64> {
    op.dims().unwrap_or_else(|| (0..dims(*op, op.out()).len() as i64).collect())
}

/// Where an expand puts some of the axes of its operand: nothing where these are all axes of its result.
fn places_of(outer: OpRef<'_>, axes: &[i64]) -> Option<Vec<i64>> {
    let own = axes_of(Expand::from(outer));
    let places: Vec<i64> = axes.iter().map(|&axis| own[axis as usize]).collect();
    (places.len() != dims(outer, outer.result(0)).len()).then_some(places)
}

/// Where the axes stand in a shape that has more of them, all others of size 1.
fn kept_axes(from: &[SizeExpr], to: &[SizeExpr]) -> Folded<Vec<i64>> {
    let mut kept = Vec::with_capacity(from.len());
    let mut next = 0;
    for (axis, size) in to.iter().enumerate() {
        // An axis of size 1 is taken for the next one where it can be.
        if from.get(next) == Some(size) {
            kept.push(axis as i64);
            next += 1;
        } else if size.as_constant() != Some(1) {
            return Err("the reshape does more than to put in axes of size 1");
        }
    }
    if next == from.len() { Ok(kept) } else { Err("the reshape does more than to put in axes of size 1") }
}

/// Where a shrink begins and ends along each axis, and its steps, unless all are 1.
type Cut = (Vec<SizeExpr>, Vec<SizeExpr>, Option<Vec<i64>>);

fn shrunk_twice(outer: Shrink<'_>, inner: Shrink<'_>) -> Folded<Cut> {
    let one = || vec![1; outer.start().len()];
    let (outer_step, inner_step) = (outer.step().unwrap_or_else(one), inner.step().unwrap_or_else(one));
    let (mut start, mut stop, mut step) = (Vec::new(), Vec::new(), Vec::new());
    let sizes = dims(*outer, outer.out());
    let axes = outer.start().into_iter().zip(outer.stop()).zip(inner.start());
    for (((from, to), base), (&by, &inner_by)) in axes.zip(outer_step.iter().zip(&inner_step)) {
        let factor = SizeExpr::from(inner_by);
        let place = |at: &SizeExpr| at.mul(&factor).and_then(|at| at.add(&base)).map_err(|_| "it goes beyond 64 bits");
        start.push(place(&from)?);
        stop.push(match inner_by {
            1 => place(&to)?,
            // The last element that is taken, and one after it.
            _ if from.as_constant() < to.as_constant() => {
                let last = to.sub(&SizeExpr::from(1)).map_err(|_| "it goes beyond 64 bits")?;
                place(&last)?.add(&SizeExpr::from(1)).map_err(|_| "it goes beyond 64 bits")?
            }
            _ => return Err("whether steps leave an element is not known"),
        });
        step.push(by.checked_mul(inner_by).ok_or("it goes beyond 64 bits")?);
        // As many as there were, written the same way.
        let length = |(start, stop): (&SizeExpr, &SizeExpr)| stop.sub(start)?.ceildiv(&SizeExpr::from(by * inner_by));
        let place = start.len() - 1;
        if start.last().zip(stop.last()).is_none_or(|ends| length(ends).ok().as_ref() != sizes.get(place)) {
            return Err("the sizes are written another way");
        }
    }
    let plain = step.iter().all(|&step| step == 1);
    Ok((start, stop, (!plain).then_some(step)))
}

fn same_value(outer: Pad<'_>, inner: Pad<'_>) -> Folded<Option<Attr>> {
    if outer.value() == inner.value() { Ok(inner.value()) } else { Err("the pads put other numbers around") }
}

fn sums(a: &[SizeExpr], b: &[SizeExpr]) -> Folded<Vec<SizeExpr>> {
    a.iter().zip(b).map(|(a, b)| a.add(b).map_err(|_| "it goes beyond 64 bits")).collect()
}

/// The axes that one of two flips goes backwards, and not both.
fn flipped_once(a: &[i64], b: &[i64]) -> Vec<i64> {
    let mut axes: Vec<i64> = a.iter().copied().filter(|axis| !b.contains(axis)).collect();
    axes.extend(b.iter().filter(|axis| !a.contains(axis)));
    axes.sort_unstable();
    axes
}

fn moves_only_ones(op: Permute<'_>) -> Folded<Vec<SizeExpr>> {
    let (order, sizes) = (op.order(), dims(*op, op.input()));
    let moved: Vec<i64> = order.into_iter().filter(|&axis| sizes[axis as usize].as_constant() != Some(1)).collect();
    let shape = dims(*op, op.out());
    elements(&sizes)?;
    elements(&shape)?;
    match moved.is_sorted() {
        true => Ok(shape),
        false => Err("it moves axes with elements side by side"),
    }
}

/// A reduction without axes of size 1.
struct Reduced {
    input: ValueId,
    shape: Vec<SizeExpr>,
    combiner: Combiner,
    axes: Vec<i64>,
    acc: Option<Type>,
    /// What a sum begins with, and its type: of a negative zero alone it is none.
    zero: Option<(Attr, Type)>,
}

fn reduce_of_ones(op: OpRef<'_>) -> Folded<Reduced> {
    let reduce = Reduce::from(op);
    let (ctx, combiner, sizes) = (op.ctx, reduce.combiner(), dims(op, reduce.input()));
    let is_one = |axis: &i64| sizes[*axis as usize].as_constant() == Some(1);
    let (ones, axes): (Vec<i64>, Vec<i64>) = reduce.axes().into_iter().partition(is_one);
    let (from, to) = (elem(op, reduce.input()), elem(op, reduce.out()));
    if ones.is_empty() {
        return Err("it combines elements along each of its axes");
    }
    if !axes.is_empty() && op.attr(ctx.intern_str(ANY_ORDER)).is_some() {
        return Err("what is left may be added in any order");
    }
    if axes.is_empty() && !holds(ctx, to, from) {
        return Err("the result does not hold all elements");
    }
    let axes = axes.iter().map(|axis| axis - ones.iter().filter(|one| *one < axis).count() as i64).collect();
    let kept = sizes.iter().enumerate().filter(|(axis, _)| !ones.contains(&(*axis as i64)));
    let shape: Vec<SizeExpr> = kept.map(|(_, size)| size.clone()).collect();
    elements(&sizes)?;
    elements(&shape)?;
    let zero = to.float_kind(ctx).filter(|_| combiner == Combiner::Sum).map(|kind| {
        let zero = ctx.attr(AttrData::Float { ty: to, bits: float::encode(0.0, kind) });
        (zero, op.type_of(reduce.out()))
    });
    Ok(Reduced { input: reduce.input(), shape, combiner, axes, acc: (from != to).then_some(to), zero })
}

fn build_reduced(op: OpId, rw: &mut Rewriter<'_>, reduced: Reduced) {
    let (loc, mut b) = (rw.body().loc(op), rw.before(op));
    let made = Reshape::build(&mut b, loc, reduced.input, reduced.shape);
    let mut made = b.result(made);
    if !reduced.axes.is_empty() {
        let op = Reduce::build(&mut b, loc, made, reduced.combiner, reduced.axes, reduced.acc);
        made = b.result(op);
    } else {
        if let Some(acc) = reduced.acc {
            let op = Cast::build(&mut b, loc, made, acc);
            made = b.result(op);
        }
        if let Some((zero, ty)) = reduced.zero {
            let constant = Const::build(&mut b, loc, zero, ty);
            let constant = b.result(constant);
            let op = Add::build(&mut b, loc, made, constant);
            made = b.result(op);
        }
    }
    rw.replace_op(op, &[made]);
}

fn repeats_nothing(op: OpRef<'_>) -> Folded<Vec<SizeExpr>> {
    let not_one = |size: &SizeExpr| size.as_constant() != Some(1);
    let (own, shape) = (dims(op, op.operand(0)), dims(op, op.result(0)));
    match own.iter().filter(|size| not_one(size)).eq(shape.iter().filter(|size| not_one(size))) {
        true => Ok(shape),
        false => Err("it repeats elements"),
    }
}

/// Of a shrink of a pad: what is taken of the input (from, to), and how much is put around it (low, high).
fn cropped(shrink: Shrink<'_>, pad: Pad<'_>) -> Folded<[Vec<SizeExpr>; 4]> {
    const UNKNOWN: &str = "whether it cuts padding is not known";
    if shrink.step().is_some_and(|steps| steps.iter().any(|&step| step != 1)) {
        return Err("it takes steps");
    }
    let least = |a: &SizeExpr, b: &SizeExpr| match (
        a.prove_le(b, &SizeRanges::default()),
        b.prove_le(a, &SizeRanges::default()),
    ) {
        (Some(true), _) => Ok(true),
        (_, Some(true)) => Ok(false),
        _ => Err(UNKNOWN),
    };
    let minus = |a: &SizeExpr, b: &SizeExpr| a.sub(b).map_err(|_| "it goes beyond 64 bits");
    let zero = SizeExpr::from(0);
    let (mut from, mut to, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let sizes = dims(*pad, pad.input());
    let around = pad.low().into_iter().zip(pad.high());
    let mut less = false;
    for (((start, stop), (before, following)), size) in
        shrink.start().iter().zip(&shrink.stop()).zip(around).zip(&sizes)
    {
        let end = before.add(size).map_err(|_| "it goes beyond 64 bits")?;
        if !least(&before, stop)? || !least(start, &end)? {
            return Err("it takes padding alone");
        }
        if least(start, &before)? {
            from.push(zero.clone());
            low.push(minus(&before, start)?);
        } else {
            from.push(minus(start, &before)?);
            low.push(zero.clone());
        }
        if least(&end, stop)? {
            to.push(size.clone());
            high.push(minus(stop, &end)?);
        } else {
            to.push(minus(stop, &before)?);
            high.push(zero.clone());
        }
        less |= low.last() != Some(&before) || high.last() != Some(&following);
    }
    let none = |sizes: &[SizeExpr]| sizes.iter().all(|size| size.as_constant() == Some(0));
    if !less {
        return Err("it cuts no padding");
    }
    let nothing_left = none(&low) && none(&high);
    if !nothing_left && !used_once(*pad) {
        return Err("the pad is used elsewhere too");
    }
    Ok([from, to, low, high])
}

/// An op on one operand, element by element.
fn unary<'a>(op: OpRef<'a>) -> Folded<OpRef<'a>> {
    let inner = defining(op, op.operand(0)).filter(|inner| inner.operands().len() == 1 && is_elementwise(*inner));
    inner.filter(|inner| used_once(*inner)).ok_or("its operand is no op on one operand that is used here alone")
}

fn view_up(op: OpRef<'_>) -> Folded<()> {
    let inner = unary(op)?;
    let meets = defining(inner, inner.operand(0)).is_some_and(|first| first.op_name() == op.op_name());
    if meets { Ok(()) } else { Err("it would meet no view of its kind") }
}

fn shrink_up(op: OpRef<'_>) -> Folded<()> {
    unary(op).map(drop)
}

/// `view (f x)` becomes `f (view x)`.
fn move_up(op: OpId, rw: &mut Rewriter<'_>, (): ()) {
    let view = rw.op(op);
    let Some(inner) = defining(view, view.operand(0)) else { return };
    let (inner_id, x, out) = (inner.id, inner.operand(0), view.type_of(view.result(0)));
    let ty = with_elem(view, out, elem(view, x));
    let moved = copy(rw, op, op, x, ty);
    let made = copy(rw, op, inner_id, moved, out);
    rw.replace_op(op, &[made]);
}

fn expand_down(op: OpRef<'_>) -> Folded<(ValueId, Type)> {
    let expand = below(op, Expand::DEF)?;
    if !used_once(expand) {
        return Err("the expand is used elsewhere too");
    }
    let x = expand.operand(0);
    Ok((x, with_elem(op, op.type_of(x), elem(op, op.result(0)))))
}

/// `f (expand x)` becomes `expand (f x)`.
fn move_down(op: OpId, rw: &mut Rewriter<'_>, (x, ty): (ValueId, Type)) {
    let expand = rw.body().defining_op(rw.op(op).operand(0));
    let inner = copy(rw, op, op, x, ty);
    let out = rw.op(op).type_of(rw.op(op).result(0));
    let made = copy(rw, op, expand.unwrap_or(op), inner, out);
    rw.replace_op(op, &[made]);
}

/// The type with elements of another.
fn with_elem(op: OpRef<'_>, ty: Type, elem: Type) -> Type {
    let dims = dlc_core::types::Tensor::of(op.ctx, ty).map(|ty| ty.dims(op.ctx)).unwrap_or_default();
    dlc_core::types::Tensor::get(op.ctx, dims, elem)
}

/// The op `like`, on another operand, before the op `before`.
fn copy(rw: &mut Rewriter<'_>, before: OpId, like: OpId, operand: ValueId, ty: Type) -> ValueId {
    let view = rw.op(like);
    let (name, loc, props, attrs) = (view.op_name(), view.loc(), rw.body().props(like), rw.body().attrs(like));
    let parts = OpParts { operands: &[operand], results: &[ty], props, attrs, ..OpParts::new(name, loc) };
    let made = rw.before(before).create(parts);
    rw.body().result(made, 0)
}

fn after_no_loss(outer: Cast<'_>, inner: Cast<'_>) -> Folded<Type> {
    match holds(inner.ctx, inner.elem(), elem(*inner, inner.input())) {
        true => Ok(outer.elem()),
        false => Err("the first cast loses something"),
    }
}

fn splat(op: OpRef<'_>, value: ValueId) -> Option<Attr> {
    let constant = Const::of(defining(op, value)?)?.value();
    matches!(op.ctx.attr_data(constant), AttrData::Integer { .. } | AttrData::Float { .. }).then_some(constant)
}

/// The sum of the constants that two additions add, and its type.
fn sum_of_constants([outer, inner]: [OpRef<'_>; 2], [a, b]: [ValueId; 2]) -> Folded<(Attr, Type)> {
    let integer = |value: ValueId| match outer.ctx.attr_data(splat(outer, value)?) {
        AttrData::Integer { ty, value } if *ty != Type::I1 => Some((*ty, *value)),
        _ => None,
    };
    let (outer_ty, inner_ty) = (outer.type_of(outer.result(0)), inner.type_of(inner.result(0)));
    let types = [outer.type_of(outer.operand(0)), inner_ty, outer.type_of(inner.operand(0))];
    // Neither broadcast nor promoted.
    if types.iter().any(|ty| *ty != outer_ty) {
        return Err("its operands are broadcast or cast");
    }
    let (Some((ty, first)), Some((other, second))) = (integer(a), integer(b)) else {
        return Err("it adds no constant to a sum with a constant");
    };
    if ty != other || ty != elem(outer, outer.result(0)) {
        return Err("its operands are broadcast or cast");
    }
    Ok((outer.ctx.int_attr(first.wrapping_add(second), ty), outer.type_of(b)))
}

fn compared_with_truth(cmp: Cmp<'_>) -> Folded<ValueId> {
    let opposite = match cmp.predicate() {
        Predicate::Ne => Attr::TRUE,
        Predicate::Eq => Attr::FALSE,
        _ => return Err("it does not compare for equality"),
    };
    let sides = [(cmp.lhs(), cmp.rhs()), (cmp.rhs(), cmp.lhs())].into_iter();
    let mut found = sides
        .filter(|&(side, other)| cmp.type_of(side) == cmp.type_of(cmp.out()) && splat(*cmp, other) == Some(opposite));
    found.next().map(|(side, _)| side).ok_or("it compares with no truth value")
}

fn opposite(cmp: Cmp<'_>) -> Folded<Predicate> {
    use Predicate::{Eq, Ge, Gt, Le, Lt, Ne};
    // What is no number is neither less nor not less.
    let ordered = [cmp.lhs(), cmp.rhs()].iter().all(|&side| elem(*cmp, side).float_kind(cmp.ctx).is_none());
    let opposite = match cmp.predicate() {
        Eq => Ne,
        Ne => Eq,
        _ if !ordered => return Err("what is no number is neither less nor not less"),
        Lt => Ge,
        Ge => Lt,
        Gt => Le,
        Le => Gt,
    };
    if used_once(*cmp) { Ok(opposite) } else { Err("the comparison is used elsewhere too") }
}

/// The condition of `where c, false, true`.
fn chooses_the_opposite(choice: Where<'_>) -> Folded<ValueId> {
    let truth = [choice.then(), choice.otherwise()].map(|value| splat(*choice, value));
    let same = choice.type_of(choice.condition()) == choice.type_of(choice.out());
    match same && truth == [Some(Attr::FALSE), Some(Attr::TRUE)] {
        true => Ok(choice.condition()),
        false => Err("it gives no truth values"),
    }
}
