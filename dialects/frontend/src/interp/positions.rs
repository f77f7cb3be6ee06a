//! Elements by position.

use dlc_core::eval::{elem, give, shape, tensor, tensor_as};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{Datum, Eval, EvalResult};
use dlc_ir::{Context, Type};

use crate::ops::{Arange, Full, Gather, Rope, ScatterAdd, Take, Tril, Triu};

/// Numbers in equal steps.
pub fn arange(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, shape, elem, op) = (cx.op.ctx, shape(cx)?, elem(cx), Arange::from(cx.op));
    let (start, step) = (op.start().unwrap_or(0.0), op.step().unwrap_or(1.0));
    if elem.float_kind(ctx).is_some() {
        let places = TensorValue::iota(ctx, shape, Type::F64, 0);
        return give(cx, places.and_then(|places| places.map_float(ctx, elem, |place| start + place * step)));
    }
    let (start, step) = (start as i64, step as i64);
    let places = TensorValue::iota(ctx, shape, Type::I64, 0);
    give(cx, places.and_then(|places| places.map_int(ctx, elem, |at| start.wrapping_add(at.wrapping_mul(step)))))
}

/// A number of a type; truncated to integers.
pub(super) fn number(ctx: &Context, value: f64, elem: Type) -> Datum {
    if elem.float_kind(ctx).is_some() { Datum::Float(value) } else { Datum::Int(value as i128) }
}

/// One number for every index.
pub fn full(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, shape, elem) = (cx.op.ctx, shape(cx)?, elem(cx));
    give(cx, TensorValue::splat(ctx, shape, elem, &number(ctx, Full::from(cx.op).value(), elem)))
}

/// The rows of a table at indices.
pub fn embedding(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.gather(cx.op.ctx, &[tensor(cx, 1)?]))
}

/// The parts of a tensor at indices of an axis.
pub fn take(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (input, ids, axis) = (tensor(cx, 0)?, tensor(cx, 1)?, Take::from(cx.op).axis() as usize);
    // The axis to the front; what is gathered stands there, and goes back to where the axis was.
    let front: Vec<usize> = [axis].into_iter().chain((0..input.rank()).filter(|&other| other != axis)).collect();
    let back = move_back(ids.rank(), axis, input.rank() - 1);
    let taken = input.permute(&front).and_then(|front| front.gather(cx.op.ctx, &[ids]));
    give(cx, taken.and_then(|taken| taken.permute(&back)))
}

/// The order of axes that brings the first `moved` of them after the `before` that follow.
pub fn move_back(moved: usize, before: usize, others: usize) -> Vec<usize> {
    (moved..moved + before).chain(0..moved).chain(moved + before..moved + others).collect()
}

/// The elements of a tensor, each at an index of an axis.
pub fn gather(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, input, ids) = (cx.op.ctx, tensor(cx, 0)?, tensor(cx, 1)?);
    let axis = Gather::from(cx.op).axis() as usize;
    let compute = || {
        let shape = ids.shape();
        let place =
            |at| if at == axis { Ok(ids.clone()) } else { TensorValue::iota(ctx, shape.to_vec(), Type::I64, at) };
        let places = (0..shape.len()).map(place).collect::<Result<Vec<_>, String>>()?;
        input.gather(ctx, &places.iter().collect::<Vec<_>>())
    };
    give(cx, compute())
}

/// A tensor with others added at indices of an axis, one after another.
pub fn scatter_add(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem, axis) = (cx.op.ctx, elem(cx), ScatterAdd::from(cx.op).axis() as usize);
    let (input, ids, updates) = (tensor(cx, 0)?, tensor(cx, 1)?, tensor(cx, 2)?);
    let (shape, own) = (input.shape().to_vec(), updates.shape().to_vec());
    let following: usize = shape[axis + 1..].iter().product();
    // For each element of the updates the element that it is added to, if there is one.
    let places = ids.to_i64s();
    let whole = ids.rank() == own.len() && own.len() > 1;
    let target = |number: usize| {
        let (row, column) = (number / following.max(1), number % following.max(1));
        let (before, part) = (row / own[axis].max(1), row % own[axis].max(1));
        let place =
            usize::try_from(places[if whole { number } else { part }]).ok().filter(|&place| place < shape[axis])?;
        Some((before * shape[axis] + place) * following + column)
    };
    let compute = || {
        if elem.float_kind(ctx).is_some() {
            let mut sums = input.to_f64s();
            for (number, value) in updates.to_f64s().into_iter().enumerate() {
                target(number).into_iter().for_each(|place| sums[place] += value);
            }
            return TensorValue::from_f64(ctx, shape.clone(), elem, sums);
        }
        let mut sums = input.to_i64s();
        for (number, value) in updates.to_i64s().into_iter().enumerate() {
            target(number).into_iter().for_each(|place| sums[place] = sums[place].wrapping_add(value));
        }
        TensorValue::from_i64(ctx, shape.clone(), elem, sums)
    };
    give(cx, compute())
}

/// Pairs of elements turned by an angle.
pub fn rope(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem, interleaved) = (cx.op.ctx, elem(cx), Rope::from(cx.op).interleaved().is_some());
    let wide = |index| tensor_as(cx, index, Type::F64);
    let (input, cos, sin) = (wide(0)?, wide(1)?, wide(2)?);
    let compute = || {
        let mut pairs = input.shape().to_vec();
        let half = pairs.pop().unwrap_or(0) / 2;
        pairs.push(half);
        let (cos, sin) = (cos.broadcast_to(&pairs)?.to_f64s(), sin.broadcast_to(&pairs)?.to_f64s());
        let mut values = input.to_f64s();
        for (pair, (cos, sin)) in cos.into_iter().zip(sin).enumerate() {
            let (row, at) = (pair / half.max(1) * 2 * half, pair % half.max(1));
            let (a, b) = if interleaved { (row + 2 * at, row + 2 * at + 1) } else { (row + at, row + at + half) };
            (values[a], values[b]) = (values[a] * cos - values[b] * sin, values[b] * cos + values[a] * sin);
        }
        TensorValue::from_f64(ctx, input.shape().to_vec(), elem, values)
    };
    give(cx, compute())
}

/// The elements where a predicate of row and column holds; zero elsewhere.
fn triangle(cx: &Eval<'_, '_>, inside: impl Fn(i64, i64) -> bool + Sync) -> EvalResult {
    let (ctx, input) = (cx.op.ctx, tensor(cx, 0)?);
    let compute = || {
        let (shape, rank) = (input.shape().to_vec(), input.rank());
        let rows = TensorValue::iota(ctx, shape.clone(), Type::I64, rank - 2)?;
        let columns = TensorValue::iota(ctx, shape, Type::I64, rank - 1)?;
        let inside = rows.compare_int(ctx, &columns, inside)?;
        let zero = TensorValue::splat(ctx, vec![], input.elem(), &number(ctx, 0.0, input.elem()))?;
        TensorValue::select(ctx, &inside, input, &zero)
    };
    give(cx, compute())
}

/// On and below a diagonal.
pub fn tril(cx: &mut Eval<'_, '_>) -> EvalResult {
    let diagonal = Tril::from(cx.op).diagonal().unwrap_or(0);
    triangle(cx, |row, column| column <= row.saturating_add(diagonal))
}

/// On and above a diagonal.
pub fn triu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let diagonal = Triu::from(cx.op).diagonal().unwrap_or(0);
    triangle(cx, |row, column| column >= row.saturating_add(diagonal))
}
