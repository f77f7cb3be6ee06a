//! Axes that become one element, computed in `f64` and rounded once.

use dlc_core::eval::{elem, give, tensor, tensor_as};
use dlc_core::tensor::broadcast_shapes;
use dlc_core::tensor::{self, Combine, TensorValue};
use dlc_ir::Type;
use dlc_ir::define::{Int, IntArray, Kind};
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult, Failure};

use super::functions;
use crate::ops::{Scan, Std, Var};

/// The axes that are combined: those of `axes`, or all.
fn axes(cx: &Eval<'_, '_>) -> Result<Vec<usize>, Failure> {
    let rank = tensor(cx, 0)?.rank();
    let axes = cx.op.prop_named("axes").and_then(|axes| IntArray::get(cx.op.ctx, axes));
    Ok(axes.map_or((0..rank).collect(), |axes| axes.into_iter().map(|axis| axis as usize).collect()))
}

/// The result, with axes of size 1 put back when the op keeps them.
fn keep(cx: &Eval<'_, '_>, value: Result<TensorValue, String>, axes: &[usize]) -> EvalResult {
    if cx.op.prop_named("keepdim").is_none() {
        return give(cx, value);
    }
    let mut shape = tensor(cx, 0)?.shape().to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    give(cx, value.and_then(|value| value.reshape(&shape)))
}

fn reduce(cx: &Eval<'_, '_>, combine: Combine) -> EvalResult {
    let axes = axes(cx)?;
    keep(cx, tensor(cx, 0)?.reduce(cx.op.ctx, combine, &axes, elem(cx)), &axes)
}

/// The sum.
pub fn sum(cx: &mut Eval<'_, '_>) -> EvalResult {
    reduce(cx, Combine::Sum)
}

/// The product.
pub fn prod(cx: &mut Eval<'_, '_>) -> EvalResult {
    reduce(cx, Combine::Prod)
}

/// The largest.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    reduce(cx, Combine::Max)
}

/// The smallest.
pub fn min(cx: &mut Eval<'_, '_>) -> EvalResult {
    reduce(cx, Combine::Min)
}

fn truth(cx: &Eval<'_, '_>, combine: Combine) -> EvalResult {
    let axes = axes(cx)?;
    let truth = tensor_as(cx, 0, Type::I1)?;
    keep(cx, truth.reduce(cx.op.ctx, combine, &axes, Type::I1), &axes)
}

/// Whether one is not zero.
pub fn any(cx: &mut Eval<'_, '_>) -> EvalResult {
    truth(cx, Combine::Sum)
}

/// Whether all are not zero.
pub fn all(cx: &mut Eval<'_, '_>) -> EvalResult {
    truth(cx, Combine::Prod)
}

/// The operand in `f64`, the axes, and how many elements become one.
fn statistics(cx: &Eval<'_, '_>) -> Result<(TensorValue, Vec<usize>, f64), Failure> {
    let (axes, input) = (axes(cx)?, tensor_as(cx, 0, Type::F64)?);
    let count = axes.iter().map(|&axis| input.shape()[axis] as f64).product();
    Ok((input, axes, count))
}

/// Axes of size 1 in place of those that are gone.
fn put_back(value: &TensorValue, input: &TensorValue, axes: &[usize]) -> Result<TensorValue, String> {
    let mut shape = input.shape().to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    value.reshape(&shape)
}

/// The mean.
pub fn mean(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (input, axes, count) = statistics(cx)?;
    let sum = input.reduce(ctx, Combine::Sum, &axes, Type::F64);
    keep(cx, sum.and_then(|sum| sum.map_float(ctx, elem, |sum| sum / count)), &axes)
}

fn variance(cx: &Eval<'_, '_>, correction: f64, of: &(dyn Fn(f64) -> f64 + Sync)) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (input, axes, count) = statistics(cx)?;
    let divisor = functions::maximum(count - correction, 0.0);
    let compute = || {
        let mean = input.reduce(ctx, Combine::Sum, &axes, Type::F64)?.map_float(ctx, Type::F64, |sum| sum / count)?;
        let mean = put_back(&mean, &input, &axes)?;
        let squares = input.zip_float(ctx, &mean, Type::F64, |x, mean| (x - mean) * (x - mean))?;
        squares.reduce(ctx, Combine::Sum, &axes, Type::F64)?.map_float(ctx, elem, |sum| of(sum / divisor))
    };
    keep(cx, compute(), &axes)
}

/// The variance.
pub fn var(cx: &mut Eval<'_, '_>) -> EvalResult {
    variance(cx, Var::from(cx.op).correction().unwrap_or(1.0), &|variance| variance)
}

/// The standard deviation.
pub fn std(cx: &mut Eval<'_, '_>) -> EvalResult {
    variance(cx, Std::from(cx.op).correction().unwrap_or(1.0), &libm::sqrt)
}

/// The logarithm of the sum of exponentials.
pub fn logsumexp(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (input, axes, _) = statistics(cx)?;
    let compute = || {
        // What is taken away before the exponential and added after the logarithm is finite.
        let largest = input.reduce(ctx, Combine::Max, &axes, Type::F64)?;
        let largest = largest.map_float(ctx, Type::F64, |max| if max.is_finite() { max } else { 0.0 })?;
        let shift = put_back(&largest, &input, &axes)?;
        let powers = input.zip_float(ctx, &shift, Type::F64, |x, shift| libm::exp(x - shift))?;
        let sum = powers.reduce(ctx, Combine::Sum, &axes, Type::F64)?;
        sum.zip_float(ctx, &largest, elem, |sum, largest| libm::log(sum) + largest)
    };
    keep(cx, compute(), &axes)
}

/// A tensor as rows along one axis: its elements in order, how many rows lie before and after the axis, and its size.
pub(super) struct Rows {
    before: usize,
    size: usize,
    following: usize,
}

impl Rows {
    pub(super) fn of(shape: &[usize], axis: usize) -> Rows {
        let product = |sizes: &[usize]| sizes.iter().product();
        Rows { before: product(&shape[..axis]), size: shape[axis], following: product(&shape[axis + 1..]) }
    }

    /// Calls a function for each row with the places of its elements.
    pub(super) fn each(&self, mut row: impl FnMut(&mut dyn Iterator<Item = usize>)) {
        for before in 0..self.before {
            for following in 0..self.following {
                let first = before * self.size * self.following + following;
                row(&mut (0..self.size).map(|at| first + at * self.following));
            }
        }
    }
}

/// Where the first element is that comes before all others.
fn search(cx: &Eval<'_, '_>, better: &dyn Fn(f64, f64) -> bool) -> EvalResult {
    let ctx = cx.op.ctx;
    let input = tensor(cx, 0)?;
    let axis = cx.op.prop_named("axis").and_then(|axis| Int::get(ctx, axis)).map(|axis| axis as usize);
    let flat = [input.len()];
    let (rows, axes) = match axis {
        Some(axis) => (Rows::of(input.shape(), axis), vec![axis]),
        None => (Rows::of(&flat, 0), (0..input.rank()).collect()),
    };
    // Whole 64-bit numbers are not all floats, but their order is that of these.
    let values = input.to_f64s();
    let mut places = Vec::with_capacity(rows.before * rows.following);
    rows.each(|row| {
        let mut best: Option<(usize, f64)> = None;
        for (at, place) in row.enumerate() {
            let value = values[place];
            let take = best.is_none_or(|(_, best)| !best.is_nan() && (value.is_nan() || better(value, best)));
            best = if take { Some((at, value)) } else { best };
        }
        places.push(best.map_or(i64::from(i32::MAX), |(at, _)| at as i64));
    });
    let mut shape = input.shape().to_vec();
    for &axis in axes.iter().rev() {
        shape.remove(axis);
    }
    keep(cx, TensorValue::from_i64(ctx, shape, Type::I32, places), &axes)
}

/// Where the largest is.
pub fn argmax(cx: &mut Eval<'_, '_>) -> EvalResult {
    search(cx, &|value, best| value > best)
}

/// Where the smallest is.
pub fn argmin(cx: &mut Eval<'_, '_>) -> EvalResult {
    search(cx, &|value, best| value < best)
}

/// Each element combined with those before it.
fn running(cx: &Eval<'_, '_>, float: &dyn Fn(f64, f64) -> f64, int: &dyn Fn(i64, i64) -> i64) -> EvalResult {
    let (ctx, input) = (cx.op.ctx, tensor(cx, 0)?);
    let axis = cx.op.prop_named("axis").and_then(|axis| Int::get(ctx, axis));
    let axis = axis.ok_or_else(|| cx.fail(&CANNOT_RUN, "there is no axis"))? as usize;
    let (rows, shape, elem) = (Rows::of(input.shape(), axis), input.shape().to_vec(), input.elem());
    give(
        cx,
        match input.kind().is_float() {
            true => {
                let mut values = input.to_f64s();
                rows.each(|row| accumulate(&mut values, row, float));
                TensorValue::from_f64(ctx, shape, elem, values)
            }
            false => {
                let mut values = input.to_i64s();
                rows.each(|row| accumulate(&mut values, row, int));
                TensorValue::from_i64(ctx, shape, elem, values)
            }
        },
    )
}

fn accumulate<T: Copy>(values: &mut [T], row: &mut dyn Iterator<Item = usize>, combine: &dyn Fn(T, T) -> T) {
    let mut sum = None;
    for place in row {
        let next = sum.map_or(values[place], |sum| combine(sum, values[place]));
        values[place] = next;
        sum = Some(next);
    }
}

/// Running sums.
pub fn cumsum(cx: &mut Eval<'_, '_>) -> EvalResult {
    let bool = tensor(cx, 0)?.kind().is_bool();
    running(cx, &|a, b| a + b, &|a, b| if bool { a | b } else { a.wrapping_add(b) })
}

/// Running products.
pub fn cumprod(cx: &mut Eval<'_, '_>) -> EvalResult {
    running(cx, &|a, b| a * b, &|a, b| a.wrapping_mul(b))
}

/// Running maxima.
pub fn cummax(cx: &mut Eval<'_, '_>) -> EvalResult {
    let unsigned = tensor(cx, 0)?.kind().is_u64();
    let int = |a: i64, b: i64| if unsigned { (a as u64).max(b as u64) as i64 } else { a.max(b) };
    running(cx, &functions::maximum, &int)
}

/// Running minima.
pub fn cummin(cx: &mut Eval<'_, '_>) -> EvalResult {
    let unsigned = tensor(cx, 0)?.kind().is_u64();
    let int = |a: i64, b: i64| if unsigned { (a as u64).min(b as u64) as i64 } else { a.min(b) };
    running(cx, &functions::minimum, &int)
}

/// Running values, each multiplied by a factor before an element is added.
pub fn recurrence(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op, elem) = (cx.op.ctx, Scan::from(cx.op), elem(cx));
    let scan = tensor::Scan {
        combine: Combine::Sum,
        axis: op.axis() as usize,
        exclusive: false,
        reverse: op.reverse().is_some(),
        every: None,
    };
    let shape = broadcast_shapes(&[tensor(cx, 0)?.shape(), tensor(cx, 1)?.shape()]);
    let shape = shape.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
    let mut others = shape.clone();
    others.remove(scan.axis);
    let init = match op.init() {
        Some(_) => Some(tensor(cx, 2)?.broadcast_to(&others)),
        None => None,
    };
    let scanned = init.transpose().and_then(|init| {
        let (factors, input) = (tensor(cx, 0), tensor(cx, 1));
        let (Ok(factors), Ok(input)) = (factors, input) else { return Err("an operand is no tensor".into()) };
        let (factors, input) = (factors.broadcast_to(&shape)?, input.broadcast_to(&shape)?);
        Ok(input.scan_from(ctx, scan, Some(&factors), init.as_ref(), elem)?.0)
    });
    give(cx, scanned)
}
