//! Axes that become one element.

use dlc_core::broadcast::promote;
use dlc_core::types::Tensor;
use dlc_frontend::ops as frontend;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Int, IntArray, Kind};
use dlc_ir::op::OpDef;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner, Predicate, ScanCombiner};

use super::emit::{Emit, Lower, Values};
use super::parts::accumulator;

const fn rule(op: &'static OpDef, emit: fn(&mut Emit<'_>) -> Values) -> Lower {
    Lower { op, emit }
}

/// The rules of reductions.
pub const RULES: &[Lower] = &[
    rule(frontend::Sum::DEF, |e| combined(e, Combiner::Sum)),
    rule(frontend::Prod::DEF, |e| combined(e, Combiner::Prod)),
    rule(frontend::Max::DEF, |e| combined(e, Combiner::Max)),
    rule(frontend::Min::DEF, |e| combined(e, Combiner::Min)),
    rule(frontend::Any::DEF, |e| questioned(e, Combiner::Sum)),
    rule(frontend::All::DEF, |e| questioned(e, Combiner::Prod)),
    rule(frontend::Mean::DEF, |e| statistic(e, mean)),
    rule(frontend::Var::DEF, var),
    rule(frontend::Std::DEF, std),
    rule(frontend::Logsumexp::DEF, |e| statistic(e, logsumexp)),
    rule(frontend::Argmax::DEF, |e| searched(e, Combiner::Max)),
    rule(frontend::Argmin::DEF, |e| searched(e, Combiner::Min)),
    rule(frontend::Cumsum::DEF, |e| running(e, Combiner::Sum)),
    rule(frontend::Cumprod::DEF, |e| running(e, Combiner::Prod)),
    rule(frontend::Cummax::DEF, |e| running(e, Combiner::Max)),
    rule(frontend::Cummin::DEF, |e| running(e, Combiner::Min)),
    rule(frontend::Scan::DEF, recurrence),
];

/// The axes of the attribute `axes`, or all.
fn axes(e: &Emit<'_>) -> Vec<usize> {
    let axes = e.source().prop_named("axes").and_then(|axes| IntArray::get(e.ctx(), axes));
    axes.map_or((0..e.rank(e.operands[0])).collect(), |axes| axes.into_iter().map(|axis| axis as usize).collect())
}

/// The value under the sizes of the result: with the axes that it keeps.
fn kept(e: &mut Emit<'_>, value: ValueId) -> Values {
    let dims = e.result_dims(0);
    Values::from_elem(e.reshape(value, dims), 1)
}

fn combined(e: &mut Emit<'_>, combiner: Combiner) -> Values {
    let (axes, elem) = (axes(e), e.result_elem(0));
    let value = e.reduce(combiner, e.operands[0], &axes, elem);
    kept(e, value)
}

fn questioned(e: &mut Emit<'_>, combiner: Combiner) -> Values {
    let axes = axes(e);
    let truth = e.cast(e.operands[0], Type::I1);
    let value = e.reduce(combiner, truth, &axes, Type::I1);
    kept(e, value)
}

/// A function of the operand in `f32` or `f64` and the axes.
fn statistic(e: &mut Emit<'_>, function: impl FnOnce(&mut Emit<'_>, ValueId, &[usize]) -> ValueId) -> Values {
    let (axes, elem) = (axes(e), e.result_elem(0));
    let input = e.cast(e.operands[0], e.compute_type(elem));
    let value = function(e, input, &axes);
    let value = e.cast(value, elem);
    kept(e, value)
}

fn sum(e: &mut Emit<'_>, value: ValueId, axes: &[usize]) -> ValueId {
    let elem = e.elem(value);
    e.reduce(Combiner::Sum, value, axes, elem)
}

fn mean(e: &mut Emit<'_>, input: ValueId, axes: &[usize]) -> ValueId {
    let (sum, count) = (sum(e, input, axes), e.count_along(input, axes));
    e.fdiv(sum, count)
}

fn variance(e: &mut Emit<'_>, input: ValueId, axes: &[usize], correction: f64) -> ValueId {
    let mean = mean(e, input, axes);
    let mean = e.put_back(mean, input, axes);
    let difference = e.sub(input, mean);
    let squares = e.mul(difference, difference);
    let (sum, count) = (sum(e, squares, axes), e.count_along(input, axes));
    if correction == 0.0 {
        return e.fdiv(sum, count);
    }
    let divisor = e.plus(count, -correction);
    let divisor = e.relu(divisor);
    e.fdiv(sum, divisor)
}

fn var(e: &mut Emit<'_>) -> Values {
    let correction = frontend::Var::from(e.source()).correction().unwrap_or(1.0);
    statistic(e, |e, input, axes| variance(e, input, axes, correction))
}

fn std(e: &mut Emit<'_>) -> Values {
    let correction = frontend::Std::from(e.source()).correction().unwrap_or(1.0);
    statistic(e, |e, input, axes| {
        let variance = variance(e, input, axes, correction);
        e.sqrt(variance)
    })
}

fn logsumexp(e: &mut Emit<'_>, input: ValueId, axes: &[usize]) -> ValueId {
    let elem = e.elem(input);
    let largest = e.reduce(Combiner::Max, input, axes, elem);
    // What is taken away before the exponential and added after the logarithm is finite.
    let magnitude = e.abs(largest);
    let finite = e.cmp_number(Predicate::Lt, magnitude, f64::INFINITY);
    let zero = e.number(0.0, elem);
    let largest = e.where_(finite, largest, zero);
    let shift = e.put_back(largest, input, axes);
    let shifted = e.sub(input, shift);
    let powers = e.exp(shifted);
    let sum = sum(e, powers, axes);
    let log = e.ln(sum);
    e.add(log, largest)
}

/// The lowest place whose element is the one that was found, or is not a number.
fn searched(e: &mut Emit<'_>, combiner: Combiner) -> Values {
    let axis = e.source().prop_named("axis").and_then(|axis| Int::get(e.ctx(), axis)).map(|axis| axis as usize);
    let (input, axis) = match axis {
        Some(axis) => (e.operands[0], axis),
        None => {
            let dims = e.dims(e.operands[0]);
            let all = dlc_core::infer::views::product(&dims).expect("the verifier has computed the number of elements");
            (e.reshape(e.operands[0], vec![all]), 0)
        }
    };
    let (dims, elem) = (e.dims(input), e.elem(input));
    let found = e.reduce(combiner, input, &[axis], elem);
    let found = e.put_back(found, input, &[axis]);
    let is_it = e.cmp(Predicate::Eq, input, found);
    let is_none = e.cmp(Predicate::Ne, input, input);
    let here = e.or(is_it, is_none);
    let place = e.range(axis, dims, Type::I32);
    let last = e.number(f64::from(i32::MAX), Type::I32);
    let places = e.where_(here, place, last);
    let first = e.reduce(Combiner::Min, places, &[axis], Type::I32);
    kept(e, first)
}

/// A scan in the type of the elements.
fn running(e: &mut Emit<'_>, combiner: Combiner) -> Values {
    let axis = e.source().prop_named("axis").and_then(|axis| Int::get(e.ctx(), axis)).unwrap_or_default();
    let (input, loc) = (e.operands[0], e.loc);
    let op =
        tiny::NewScan { inputs: &[input], combiner: combiner.into(), axis, exclusive: None, reverse: None, acc: None }
            .build(&mut e.builder, loc);
    Values::from_elem(e.builder.result(op), 1)
}

/// A scan of factors and elements. What is before the first element is part of that.
fn recurrence(e: &mut Emit<'_>) -> Values {
    let op = frontend::Scan::from(e.source());
    let (axis, reverse, has_init) = (op.axis(), op.reverse(), op.init().is_some());
    let (dims, elem, loc) = (e.result_dims(0), e.result_elem(0), e.loc);
    let acc = accumulator(e.ctx(), elem);
    let factors = e.expand(e.operands[0], dims.clone());
    let mut input = e.expand(e.operands[1], dims.clone());
    if has_init {
        let mut others = dims.clone();
        others.remove(axis as usize);
        let (init, factors) = (e.expand(e.operands[2], others), e.cast(factors, acc));
        let (init, own) = (e.cast(init, acc), e.cast(input, acc));
        let init = e.put_back(init, own, &[axis as usize]);
        let carried = e.mul(factors, init);
        let begun = e.add(own, carried);
        let mut place = e.range(axis as usize, dims.clone(), Type::I64);
        if reverse.is_some() {
            let flip = tiny::Flip::build(&mut e.builder, loc, place, vec![axis]);
            place = e.builder.result(flip);
        }
        let is_first = e.cmp_number(Predicate::Eq, place, 0.0);
        input = e.where_(is_first, begun, own);
    }
    let (inputs, combiner) = (&[factors, input], ScanCombiner::Linear);
    // What operands are combined in by default is their common type.
    let own = promote(e.ctx(), e.elem(factors), e.elem(input)).ok();
    let acc = Some(acc).filter(|acc| own != Some(*acc));
    let op = tiny::NewScan { inputs, combiner, axis, exclusive: None, reverse, acc };
    let op = op.build(&mut e.builder, loc);
    let value = e.builder.result(op);
    Values::from_elem(e.cast(value, elem), 1)
}

impl Emit<'_> {
    /// The index on one axis of some sizes.
    pub fn range(&mut self, axis: usize, dims: Vec<SizeExpr>, elem: Type) -> ValueId {
        let ty = Tensor::get(self.builder.ctx, dims, elem);
        let op = tiny::Range::build(&mut self.builder, self.loc, axis as i64, ty);
        self.builder.result(op)
    }
}
