//! Views, and constants.

use dlc_core::eval::{bindings, elem, integers, shape, sizes, tensor};
use dlc_core::tensor::{Data, TensorValue, count};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, UNDEFINED};

use super::give;
use crate::ops::{Const, Expand, Flip, Load, Pad, Permute, Shrink, Store, Valid, View};
use crate::shape::index_of;

/// A number everywhere, or a number for each element.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let value = Const::from(cx.op).value();
    dlc_core::constant::eval(cx, value)
}

/// The same elements.
pub fn reshape(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    give(cx, tensor(cx, 0)?.reshape(&shape))
}

/// The axes in another order.
pub fn permute(cx: &mut Eval<'_, '_>) -> EvalResult {
    let order: Vec<usize> = Permute::from(cx.op).order().iter().map(|&axis| axis as usize).collect();
    give(cx, tensor(cx, 0)?.permute(&order))
}

/// Axes of size 1 repeated, and new axes.
pub fn expand(cx: &mut Eval<'_, '_>) -> EvalResult {
    let shape = shape(cx)?;
    let dims = match Expand::from(cx.op).dims() {
        Some(dims) => dims.iter().map(|&axis| axis as usize).collect(),
        None => (0..shape.len()).collect::<Vec<_>>(),
    };
    give(cx, tensor(cx, 0)?.broadcast_in_dim(&shape, &dims))
}

/// A number put around.
pub fn pad(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, op) = (cx.op.ctx, Pad::from(cx.op));
    let zero = if elem(cx).float_kind(ctx).is_some() { Datum::Float(0.0) } else { Datum::Int(0) };
    let value = op.value().and_then(|value| Datum::of_attr(ctx, value)).unwrap_or(zero);
    let (low, high) = (sizes(cx, &op.low())?, sizes(cx, &op.high())?);
    let around: Vec<(usize, usize)> = low.into_iter().zip(high).collect();
    give(cx, tensor(cx, 0)?.pad(ctx, &around, &value))
}

/// The elements between bounds.
pub fn shrink(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Shrink::from(cx.op);
    let (from, to) = (sizes(cx, &op.start())?, sizes(cx, &op.stop())?);
    let step = op.step().unwrap_or_else(|| vec![1; from.len()]);
    let bounds: Vec<_> =
        from.into_iter().zip(to).zip(step).map(|((from, to), step)| (from, to, step as usize)).collect();
    give(cx, tensor(cx, 0)?.shrink(&bounds))
}

/// Axes from end to start.
pub fn flip(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axes: Vec<usize> = Flip::from(cx.op).axes().iter().map(|&axis| axis as usize).collect();
    give(cx, tensor(cx, 0)?.flip(&axes))
}

/// The elements in row-major order, under other strides.
pub fn view(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = View::from(cx.op);
    let (Some(strides), Some(start)) = (op.strides(), op.start()) else {
        return give(cx, Ok(tensor(cx, 0)?.clone()));
    };
    let (shape, strides, start) = (shape(cx)?, integers(cx, &strides)?, integers(cx, &start)?);
    give(cx, tensor(cx, 0)?.strided(&shape, &strides, start[0]))
}

/// Whether each index is within bounds.
pub fn valid(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Valid::from(cx.op);
    let (shape, from, to) = (shape(cx)?, sizes(cx, &op.start())?, sizes(cx, &op.stop())?);
    let inside: Vec<_> = from
        .iter()
        .zip(to.iter().zip(&shape))
        .map(|(&from, (&to, &size))| {
            let (from, to) = (from.min(size), to.min(size));
            (from, to.max(from))
        })
        .collect();
    let lengths = inside.iter().map(|(from, to)| to - from).collect();
    let around: Vec<_> = inside.iter().zip(&shape).map(|((from, to), size)| (*from, size - to)).collect();
    let ctx = cx.op.ctx;
    let ones = TensorValue::splat(ctx, lengths, Type::I1, &Datum::Int(1));
    give(cx, ones.and_then(|ones| ones.pad(ctx, &around, &Datum::Int(0))))
}

/// The elements at affine indices.
pub fn load(cx: &mut Eval<'_, '_>) -> EvalResult {
    let Some(at) = Load::from(cx.op).at() else { return give(cx, Ok(tensor(cx, 0)?.clone())) };
    let (shape, symbols) = (shape(cx)?, bindings(cx)?);
    // The indices are computed before the elements are taken, and are as many.
    count(&shape).map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
    let rank = shape.len();
    let mut indices = Vec::with_capacity(at.len());
    for (axis, expr) in at.iter().enumerate() {
        let size = tensor(cx, 0)?.shape()[axis] as i64;
        let mut values = Vec::new();
        let each = for_each_index(&shape, |index| {
            let value = expr.eval(&|name| match index_of(name).filter(|&axis| axis < rank) {
                Some(axis) => Some(index[axis] as i64),
                None => symbols.integer(&SizeExpr::symbol(name).ok()?).ok(),
            });
            let value = value.map_err(|error| error.message.into_owned())?;
            if !(0..size).contains(&value) {
                return Err(format!("at {index:?} the index {expr} is {value}, and axis {axis} has the size {size}"));
            }
            values.push(value);
            Ok(())
        });
        each.map_err(|reason| cx.fail(&UNDEFINED, reason))?;
        let index = TensorValue::from_data(cx.op.ctx, shape.clone(), Type::I64, Data::Int(values));
        indices.push(index.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?);
    }
    if indices.is_empty() {
        return give(cx, tensor(cx, 0)?.broadcast_to(&shape));
    }
    let indices: Vec<&TensorValue> = indices.iter().collect();
    give(cx, tensor(cx, 0)?.gather(cx.op.ctx, &indices))
}

/// Calls a function with every index below the sizes, the last axis fastest.
fn for_each_index(shape: &[usize], mut each: impl FnMut(&[usize]) -> Result<(), String>) -> Result<(), String> {
    let mut index = vec![0; shape.len()];
    // With a size of zero the others may be anything.
    let indices = if shape.contains(&0) { 0 } else { shape.iter().product() };
    for _ in 0..indices {
        each(&index)?;
        for (at, &size) in index.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < size {
                break;
            }
            *at = 0;
        }
    }
    Ok(())
}

/// The target with a value in it.
pub fn store(cx: &mut Eval<'_, '_>) -> EvalResult {
    let from = match Store::from(cx.op).start() {
        Some(from) => sizes(cx, &from)?,
        None => vec![0; tensor(cx, 1)?.rank()],
    };
    let (ctx, value, target) = (cx.op.ctx, tensor(cx, 0)?, tensor(cx, 1)?);
    // Where the value stands: ones in its place, as `pad` puts them there.
    let mut around = Vec::with_capacity(from.len());
    for (axis, (&from, (&own, &size))) in from.iter().zip(value.shape().iter().zip(target.shape())).enumerate() {
        let Some(following) = size.checked_sub(from).and_then(|rest| rest.checked_sub(own)) else {
            let message = format!("axis {axis} has the size {size}, and the value goes from {from} to {}", from + own);
            return Err(cx.fail(&UNDEFINED, message));
        };
        around.push((from, following));
    }
    let zero = if elem(cx).float_kind(ctx).is_some() { Datum::Float(0.0) } else { Datum::Int(0) };
    let stored = value.pad(ctx, &around, &zero).and_then(|placed| {
        let ones = TensorValue::splat(ctx, value.shape().to_vec(), Type::I1, &Datum::Int(1))?;
        TensorValue::select(ctx, &ones.pad(ctx, &around, &Datum::Int(0))?, &placed, target)
    });
    give(cx, stored)
}
