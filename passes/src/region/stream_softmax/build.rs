//! Puts one reduction in place of a maximum and its sums.

use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::interp::Datum;
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{Attr, Context, OpId, Str, Type, ValueId};
use dlc_region::ops::{Binary, Cast, NewReduce, Reduce, Transpose, Unary, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Stream;
use super::terms::{Factor, Instead, Term};
use crate::analysis::value_numbers::Numbers;
use crate::rewrites::brought::Brought;
use crate::rewrites::region_ops::Emit;
use crate::rewrites::unused::erase_unused;

/// The type that an accumulator of a type has when it is rounded after every step.
pub fn wide(ctx: &Context, elem: Type) -> Type {
    if elem.bits(ctx).is_some_and(|bits| bits < 32) { Type::F32 } else { elem }
}

/// An accumulator of the new reduction.
struct Accumulator<'a> {
    /// The value that it is after the reduction.
    was: ValueId,
    ty: Type,
    /// The contributions; none for the maximum.
    term: Option<&'a Term>,
}

/// Replaces a maximum and its sums.
pub fn replace(ctx: &Context, body: &mut Body, stream: &Stream) {
    let order = KernelAxes::of(ctx, body);
    let top = body.result(stream.max, 0);
    let accumulators = accumulators(ctx, body, &order, stream);
    let feeding = feeding(body, stream);
    let reduce = reduce(ctx, body, &order, stream, &accumulators);
    combine(ctx, body, &order, reduce, &accumulators);
    let max = body.result(reduce, 0);
    let mut emit = Emit::new(ctx, body, InsertPoint::After(reduce), body.loc(stream.max), &order);
    let defect = defect(&mut emit, max, sizes(&order, &stream.axes));
    let max = emit.as_before(max, top);
    Rewriter::new(ctx, body).replace_op(stream.max, &[max]);
    let mut after = After {
        order: &order,
        numbers: &stream.numbers,
        max: body.result(reduce, 0),
        defect,
        spoiled: FxHashSet::default(),
        replaced: FxHashMap::from_iter([(top, max)]),
    };
    let mut next = 1;
    for sum in &stream.sums {
        let mut values = Vec::with_capacity(sum.terms.len());
        for (index, term) in sum.terms.iter().enumerate() {
            let (value, was) = (body.result(reduce, next), body.result(sum.op, index));
            values.push(after.finish(ctx, body, sum.op, (value, was), term));
            next += 1;
        }
        after.replaced.extend(body.results(sum.op).zip(values.iter().copied()));
        Rewriter::new(ctx, body).replace_op(sum.op, &values);
    }
    erase_unused(ctx, body, feeding);
}

/// The maximum, then each sum.
fn accumulators<'a>(ctx: &Context, body: &Body, order: &KernelAxes, stream: &'a Stream) -> Vec<Accumulator<'a>> {
    let axes = |value: ValueId| axes_of(ctx, body.value_type(value));
    let ty = |value: ValueId, mut over: Vec<&str>| {
        over.retain(|axis| !stream.axes.iter().any(|reduced| reduced == axis));
        over.sort_by_key(|axis| order.position(axis));
        over.dedup();
        let elem = Value::expect(ctx, body.value_type(value)).elem(ctx);
        Value::get(ctx, wide(ctx, elem), over)
    };
    let top = body.result(stream.max, 0);
    let mut accumulators = vec![Accumulator { was: top, ty: ty(top, axes(top)), term: None }];
    for sum in &stream.sums {
        for (term, was) in sum.terms.iter().zip(body.results(sum.op)) {
            let weighted = (term.scale != 0.0).then(|| axes(top)).into_iter().flatten();
            let over = term.inside.iter().flat_map(|factor| axes(factor.value)).chain(weighted);
            accumulators.push(Accumulator { was, ty: ty(was, over.collect()), term: Some(term) });
        }
    }
    accumulators
}

/// The ops directly in the kernel that the old reductions use.
fn feeding(body: &Body, stream: &Stream) -> Vec<OpId> {
    let block = body.block_of(stream.max);
    let mut feeding = Vec::new();
    for op in std::iter::once(stream.max).chain(stream.sums.iter().map(|sum| sum.op)) {
        let mut inner = Vec::new();
        body.walk_regions(op, &mut inner);
        for value in inner.into_iter().flat_map(|op| body.operands(op)) {
            let op =
                body.defining_op(value).filter(|&op| body.block_of(op) == block && Some(op) != feeding.last().copied());
            feeding.extend(op.filter(|&op| op != stream.max && stream.sums.iter().all(|sum| sum.op != op)));
        }
    }
    feeding
}

/// The new reduction before the maximum. It combines nothing yet.
fn reduce(
    ctx: &Context,
    body: &mut Body,
    order: &KernelAxes,
    stream: &Stream,
    accumulators: &[Accumulator<'_>],
) -> OpId {
    let loc = body.loc(stream.max);
    let types: Vec<Type> = accumulators.iter().map(|acc| acc.ty).collect();
    let elems: Vec<Type> = types.iter().filter_map(|&ty| Value::of(ctx, ty)).map(|ty| ty.elem(ctx)).collect();
    let first = Reduce::of(OpRef::new(ctx, body, stream.max)).and_then(|reduce| reduce.init().first().copied());
    let first = first.and_then(|init| Datum::of_attr(ctx, init)?.as_float()).unwrap_or(f64::NEG_INFINITY);
    let identity = |(at, &elem): (usize, &Type)| {
        Datum::Float(if at == 0 { first } else { 0.0 }).to_attr(ctx, elem).unwrap_or(Attr::UNIT)
    };
    let init: Vec<Attr> = elems.iter().enumerate().map(identity).collect();
    let axes: Vec<&str> = stream.axes.iter().map(String::as_str).collect();
    let names: Vec<Str> = accumulators.iter().map(|acc| body.value_name(acc.was)).collect();
    let mut emit = Emit::new(ctx, body, InsertPoint::Before(stream.max), loc, order);
    let sizes = sizes(order, &stream.axes);
    let made = NewReduce { combiner: None, axes, sizes, init: &init, acc: elems.clone(), outs_type: &types }
        .build(&mut emit.builder, loc);
    for (index, name) in names.into_iter().enumerate() {
        body.set_value_name(body.result(made, index), name);
    }
    let mut mark = |name: &str| body.set_attr(ctx, made, ctx.intern_str(name), Some(Attr::UNIT));
    mark("reassoc");
    if stream.is_rounded_less() {
        mark("fuse");
    }
    let region = body.regions(made)[0];
    let block = body.append_block(region);
    let factors = accumulators.iter().filter_map(|acc| acc.term).flat_map(|term| &term.inside);
    let needed: Vec<ValueId> = factors.map(|factor| factor.value).chain([stream.score]).collect();
    let mut brought = Brought::new(&stream.numbers, &FxHashMap::default());
    brought.bring(body, &needed, InsertPoint::EndOf(block), made);
    let mut emit = Emit::new(ctx, body, InsertPoint::EndOf(block), loc, order);
    let mut contributions = vec![emit.ordered(brought.value(stream.score))];
    let mut one: Option<(ValueId, Type)> = None;
    for (acc, &elem) in accumulators.iter().zip(&elems) {
        let Some(term) = acc.term else { continue };
        let factors: Vec<Factor> =
            term.inside.iter().map(|factor| Factor { value: brought.value(factor.value), ..*factor }).collect();
        contributions.push(match &factors[..] {
            [] => match one.filter(|&(_, known)| known == elem) {
                Some((one, _)) => one,
                None => {
                    let value = emit.number(1.0, elem);
                    one.insert((emit.named(value, "one"), elem)).0
                }
            },
            factors => product(&mut emit, factors, elem),
        });
    }
    Yield::build(&mut emit.builder, loc, &contributions, None, None);
    made
}

/// The product of some factors, one at least, no wider than a type.
fn product(emit: &mut Emit<'_>, factors: &[Factor], elem: Type) -> ValueId {
    if let [Factor { value, divides: false }] = *factors {
        // What is narrower is accumulated as it is.
        let own = emit.elem(value);
        let fits = dlc_core::broadcast::promote(emit.builder.ctx, own, elem).is_ok_and(|wide| wide == elem);
        let value = emit.ordered(value);
        return if fits { value } else { emit.cast(value, elem) };
    }
    let mut product = None;
    // A division needs something to divide.
    let (above, below): (Vec<&Factor>, Vec<&Factor>) = factors.iter().partition(|factor| !factor.divides);
    for factor in above.into_iter().chain(below) {
        let value = emit.ordered(factor.value);
        let value = emit.cast(value, elem);
        product = Some(match (product, factor.divides) {
            (None, false) => value,
            (None, true) => emit.unary(scalar::Unary::Recip, value),
            (Some(product), false) => emit.binary(scalar::Binary::Mul, product, value),
            (Some(product), true) => emit.binary(scalar::Binary::Fdiv, product, value),
        });
    }
    product.unwrap_or_else(|| emit.number(1.0, elem))
}

/// Lets the reduction combine two of what it accumulates, each rescaled to the larger maximum.
fn combine(ctx: &Context, body: &mut Body, order: &KernelAxes, reduce: OpId, accumulators: &[Accumulator<'_>]) {
    use scalar::Binary::{Add, Eq, Max, Mul, Sub};
    let loc = body.loc(reduce);
    let region = body.regions(reduce)[1];
    let block = body.append_block(region);
    let mut args = Vec::with_capacity(2 * accumulators.len());
    for half in ["0", "1"] {
        for (index, acc) in accumulators.iter().enumerate() {
            let arg = body.add_arg(block, acc.ty, loc);
            let name = ctx.str(body.value_name(body.result(reduce, index)));
            let name = if name.is_empty() || name.ends_with(|c: char| c.is_ascii_digit()) {
                format!("{}_{half}", if name.is_empty() { "part" } else { name })
            } else {
                format!("{name}{half}")
            };
            body.set_value_name(arg, ctx.intern_str(&name));
            args.push(arg);
        }
    }
    let (left, right) = args.split_at(accumulators.len());
    let mut emit = Emit::new(ctx, body, InsertPoint::EndOf(block), loc, order);
    let top = emit.binary(Max, left[0], right[0]);
    let mut combined = vec![emit.named(top, "top")];
    // The weights of both sides for each scale that there is.
    let mut weights: Vec<(f64, [ValueId; 2])> = Vec::new();
    for (index, acc) in accumulators.iter().enumerate() {
        let Some(term) = acc.term else { continue };
        let (mut a, mut b) = (left[index], right[index]);
        if term.scale != 0.0 {
            let known = weights.iter().find(|(scale, _)| *scale == term.scale).map(|(_, weights)| *weights);
            let [w0, w1] = known.unwrap_or_else(|| {
                let elem = emit.elem(top);
                let one = emit.number(1.0, elem);
                emit.named(one, "one");
                let scale = (term.scale != 1.0).then(|| {
                    let scale = emit.number(term.scale, elem);
                    emit.named(scale, "scale")
                });
                let both = [(left[0], "0"), (right[0], "1")].map(|(max, half)| {
                    let name = |name: &str| format!("{name}{half}");
                    let below = emit.binary(Sub, max, top);
                    let mut power = emit.named(below, &name("below"));
                    if let Some(scale) = scale {
                        let scaled = emit.binary(Mul, power, scale);
                        power = emit.named(scaled, &name("scaled"));
                    }
                    power = emit.unary(scalar::Unary::Exp2, power);
                    emit.named(power, &name("power"));
                    // Two infinite maxima have no difference.
                    let same = emit.binary(Eq, max, top);
                    emit.named(same, &name("same"));
                    let weight = emit.select(Ok(same), one, power);
                    emit.named(weight, &name("weight"))
                });
                weights.push((term.scale, both));
                both
            });
            let elem = emit.elem(a);
            let (w0, w1) = (emit.cast(w0, elem), emit.cast(w1, elem));
            a = emit.binary(Mul, a, w0);
            emit.named(a, "left");
            b = emit.binary(Mul, b, w1);
            emit.named(b, "right");
        }
        let both = emit.binary(Add, a, b);
        combined.push(emit.named(both, "both"));
    }
    Yield::build(&mut emit.builder, loc, &combined, None, None);
}

fn sizes(order: &KernelAxes, axes: &[String]) -> Vec<SizeExpr> {
    axes.iter().filter_map(|axis| order.size(axis).cloned()).collect()
}

/// What makes a sum of what it is in the program where the maximum is infinite, and is 0 elsewhere: such a sum has a
/// difference of infinities in it, unless it has nothing in it at all.
fn defect(emit: &mut Emit<'_>, max: ValueId, sizes: Vec<SizeExpr>) -> ValueId {
    let defect = emit.binary(scalar::Binary::Sub, max, max);
    emit.named(defect, "zero");
    let unknown = |size: &SizeExpr| size.as_constant().is_none_or(|size| size <= 0);
    let some = |expr| Condition { expr, lower: Some(SizeExpr::from(1)), upper: None };
    let conditions: Vec<Condition> = sizes.into_iter().filter(unknown).map(some).collect();
    if conditions.is_empty() {
        return defect;
    }
    let elem = emit.elem(defect);
    let zero = emit.number(0.0, elem);
    emit.named(zero, "none");
    let defect = emit.select(Err(Guard::all(conditions)), defect, zero);
    emit.named(defect, "defect")
}

/// What the sums become after the reduction.
struct After<'a> {
    order: &'a KernelAxes,
    numbers: &'a Numbers,
    /// The maximum as it is accumulated.
    max: ValueId,
    /// See [`defect`].
    defect: ValueId,
    /// The sums that it has gone into.
    spoiled: FxHashSet<ValueId>,
    /// The maximum and sums that are gone, each with what it became.
    replaced: FxHashMap<ValueId, ValueId>,
}

impl After<'_> {
    /// A sum from its accumulator: what was taken out of it is put to that.
    fn finish(
        &mut self,
        ctx: &Context,
        body: &mut Body,
        sum: OpId,
        (value, was): (ValueId, ValueId),
        term: &Term,
    ) -> ValueId {
        let mut brought = Brought::new(self.numbers, &self.replaced);
        let outside = term.outside.iter().map(|factor| factor.value);
        let needed = outside.chain(term.instead.map(|instead| instead.is_finite));
        let needed: Vec<ValueId> = needed.map(|value| brought.value(value)).collect();
        brought.bring(body, &needed, InsertPoint::Before(sum), sum);
        let factors: Vec<Factor> =
            term.outside.iter().map(|factor| Factor { value: brought.value(factor.value), ..*factor }).collect();
        // A weight that is divided by the sum of weights has the defect from there.
        let has_it = factors.iter().any(|factor| self.is_spoiled(ctx, body, factor.value));
        let loc = body.loc(sum);
        let mut emit = Emit::new(ctx, body, InsertPoint::Before(sum), loc, self.order);
        let mut value = value;
        if let Some(Instead { is_finite, number }) = term.instead {
            // Where the maximum is infinite, so is the sum, or it is zero: as the power of the maximum alone is.
            let (is_finite, max) = (emit.ordered(brought.value(is_finite)), emit.cast(self.max, Type::F32));
            let below = match number {
                0.0 => max,
                number => {
                    let number = emit.number(number, Type::F32);
                    emit.binary(scalar::Binary::Sub, max, number)
                }
            };
            let scale = emit.number(term.scale, Type::F32);
            let scaled = emit.binary(scalar::Binary::Mul, below, scale);
            let power = emit.unary(scalar::Unary::Exp2, scaled);
            let power = emit.cast(power, emit.elem(value));
            value = emit.select(Ok(is_finite), value, power);
        } else if term.scale != 0.0 && !has_it {
            let elem = emit.elem(value);
            let defect = emit.cast(self.defect, elem);
            value = emit.binary(scalar::Binary::Add, value, defect);
        }
        for factor in factors {
            let other = emit.ordered(factor.value);
            value = emit.binary(if factor.divides { scalar::Binary::Fdiv } else { scalar::Binary::Mul }, value, other);
        }
        if term.negative {
            value = emit.unary(scalar::Unary::Neg, value);
        }
        let value = emit.as_before(value, was);
        if term.scale != 0.0 && term.instead.is_none() {
            self.spoiled.insert(value);
        }
        value
    }

    /// Whether a value is no number where a sum that the defect has gone into is none.
    fn is_spoiled(&self, ctx: &Context, body: &Body, value: ValueId) -> bool {
        let (mut work, mut seen) = (vec![value], FxHashSet::default());
        while let Some(value) = work.pop() {
            if self.spoiled.contains(&value) {
                return true;
            }
            let Some(op) = body.defining_op(value).filter(|&op| seen.insert(op)) else { continue };
            let op = OpRef::new(ctx, body, op);
            let is_float =
                Value::of(ctx, body.value_type(value)).is_some_and(|ty| ty.elem(ctx).float_kind(ctx).is_some());
            let arithmetic = Binary::of(op).is_some_and(|op| {
                use scalar::Binary::{Add, Fdiv, Mul, Sub};
                matches!(op.function(), Add | Sub | Mul | Fdiv)
            });
            let cast = Cast::of(op).is_some_and(|op| op.bits().is_none());
            if is_float && (arithmetic || cast || op.is(Unary::DEF) || op.is(Transpose::DEF)) {
                work.extend(op.operands());
            }
        }
        false
    }
}
