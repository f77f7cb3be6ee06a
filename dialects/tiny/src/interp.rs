//! What the ops mean: naive loops over every element, each step rounded to the declared type.

use dlc_core::sizes::Bindings;
use dlc_core::tensor::{TensorValue, for_each_index};
use dlc_core::types::Tensor;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED, round_float, wrap_int};
use dlc_ir::{Context, Type};

use crate::ops::{Cast, Combiner, Const, Permute, Reduce};

/// A function does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends the program.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Return(cx.operands.into()))
}

/// The type of the result, and its sizes as numbers.
fn result(cx: &Eval<'_, '_>) -> Result<(Vec<usize>, Type), Failure> {
    let ctx = cx.op.ctx;
    let fail = |reason: String| cx.fail(&CANNOT_RUN, reason);
    let ty = Tensor::of(ctx, cx.result_type(0)).ok_or_else(|| fail("the result is no tensor".into()))?;
    let dims = ty.dims(ctx);
    if let Some(shape) = dims.iter().map(|dim| usize::try_from(dim.as_constant()?).ok()).collect() {
        return Ok((shape, ty.elem(ctx)));
    }
    // The symbols of the function are what its arguments say.
    let mut bindings = Bindings::default();
    let body = cx.op.body;
    for &arg in body.entry_block().map_or(&[][..], |block| body.args(block)) {
        let ty = Tensor::of(ctx, body.value_type(arg));
        let value = cx.thread.value(arg).and_then(Datum::as_opaque::<TensorValue>);
        if let (Some(ty), Some(value)) = (ty, value) {
            bindings.bind(&ty.dims(ctx), value.shape()).map_err(fail)?;
        }
    }
    Ok((bindings.values(&dims).map_err(fail)?, ty.elem(ctx)))
}

fn tensor<'c>(cx: &'c Eval<'_, '_>, index: usize) -> Result<&'c TensorValue, Failure> {
    cx.opaque::<TensorValue>(index)
}

/// The result, from a function of the index of each element.
fn elements(cx: &Eval<'_, '_>, element: impl Fn(&[usize], Type) -> Result<Datum, String>) -> EvalResult {
    let (shape, elem) = result(cx)?;
    let value = TensorValue::from_fn(shape, elem, |index| element(index, elem));
    Ok(Outcome::value(Datum::opaque(value.map_err(|reason| cx.fail(&UNDEFINED, reason))?)))
}

/// One number everywhere.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let number = Datum::of_attr(cx.op.ctx, Const::from(cx.op).value());
    elements(cx, |_, _| number.clone().ok_or_else(|| "the constant is no number".into()))
}

/// The same elements.
pub fn reshape(cx: &mut Eval<'_, '_>) -> EvalResult {
    let input = tensor(cx, 0)?;
    let (shape, elem) = result(cx)?;
    let value = TensorValue::new(shape, elem, input.elements().to_vec());
    Ok(Outcome::value(Datum::opaque(value.map_err(|reason| cx.fail(&UNDEFINED, reason))?)))
}

/// The axes in another order.
pub fn permute(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (input, order) = (tensor(cx, 0)?, Permute::from(cx.op).order());
    elements(cx, |index, _| {
        let mut from = vec![0; index.len()];
        for (&at, &axis) in index.iter().zip(&order) {
            from[axis as usize] = at;
        }
        Ok(input.at(&from).clone())
    })
}

/// Axes of size 1 repeated.
pub fn expand(cx: &mut Eval<'_, '_>) -> EvalResult {
    let input = tensor(cx, 0)?;
    elements(cx, |index, _| Ok(input.broadcast_at(index).clone()))
}

fn binary(cx: &Eval<'_, '_>, combine: fn(&Context, &Datum, &Datum, Type) -> Option<Datum>) -> EvalResult {
    let (lhs, rhs) = (tensor(cx, 0)?, tensor(cx, 1)?);
    elements(cx, |index, elem| {
        let both = combine(cx.op.ctx, lhs.broadcast_at(index), rhs.broadcast_at(index), elem);
        both.ok_or_else(|| "an integer meets a float".into())
    })
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |ctx, a, b, ty| combine(ctx, Combiner::Sum, a, b, ty))
}

/// The product.
pub fn mul(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |ctx, a, b, ty| combine(ctx, Combiner::Prod, a, b, ty))
}

/// The larger.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |ctx, a, b, ty| combine(ctx, Combiner::Max, a, b, ty))
}

/// What is above zero.
pub fn relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let input = tensor(cx, 0)?;
    elements(cx, |index, _| {
        Ok(match input.at(index) {
            Datum::Int(value) => Datum::Int((*value).max(0)),
            // Not `max`: that would turn what is not a number into zero.
            Datum::Float(value) if *value <= 0.0 => Datum::Float(0.0),
            other => other.clone(),
        })
    })
}

/// The axes combined, in order, each step rounded.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, input, op) = (cx.op.ctx, tensor(cx, 0)?, Reduce::from(cx.op));
    let (combiner, axes) = (op.combiner(), op.axes());
    let axes: Vec<usize> = axes.iter().map(|&axis| axis as usize).collect();
    let reduced: Vec<usize> = axes.iter().map(|&axis| input.shape()[axis]).collect();
    elements(cx, |index, elem| {
        let mut acc = neutral(ctx, combiner, elem);
        let mut from = Vec::with_capacity(input.shape().len());
        for_each_index(&reduced, |inner| {
            let (mut kept, mut inner) = (index.iter(), inner.iter());
            from.clear();
            for axis in 0..input.shape().len() {
                let at = if axes.contains(&axis) { inner.next() } else { kept.next() };
                from.push(at.copied().unwrap_or(0));
            }
            acc = combine(ctx, combiner, &acc, input.at(&from), elem).ok_or("an integer meets a float")?;
            Ok(())
        })?;
        Ok(acc)
    })
}

/// The elements as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, input, to) = (cx.op.ctx, tensor(cx, 0)?, Cast::from(cx.op).elem());
    elements(cx, |index, _| match (input.at(index), to.float_kind(ctx)) {
        (Datum::Float(value), Some(_)) => Ok(round_float(ctx, *value, to)),
        (Datum::Int(value), Some(_)) => Ok(round_float(ctx, *value as f64, to)),
        (Datum::Int(value), None) => Ok(wrap_int(ctx, *value, to)),
        (Datum::Float(value), None) => {
            let whole = value.trunc();
            let fits = whole.abs() < 1e38 && dlc_ir::attrs::integer_fits(whole as i128, ctx.type_data(to));
            match fits {
                true => Ok(wrap_int(ctx, whole as i128, to)),
                false => Err(format!("{value} does not fit {}", to.display(ctx))),
            }
        }
        (other, _) => Err(format!("{other:?} is no number")),
    })
}

/// Two numbers combined, rounded to a type. `None` for an integer and a float.
fn combine(ctx: &Context, combiner: Combiner, a: &Datum, b: &Datum, ty: Type) -> Option<Datum> {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => {
            let value = match combiner {
                Combiner::Sum => a.wrapping_add(*b),
                Combiner::Prod => a.wrapping_mul(*b),
                Combiner::Max => *a.max(b),
                Combiner::Min => *a.min(b),
            };
            Some(wrap_int(ctx, value, ty))
        }
        (Datum::Float(a), Datum::Float(b)) => {
            let value = match combiner {
                Combiner::Sum => a + b,
                Combiner::Prod => a * b,
                _ if a.is_nan() || b.is_nan() => f64::NAN,
                Combiner::Max => a.max(*b),
                Combiner::Min => a.min(*b),
            };
            Some(round_float(ctx, value, ty))
        }
        _ => None,
    }
}

/// What changes no other number: where an accumulator begins.
fn neutral(ctx: &Context, combiner: Combiner, ty: Type) -> Datum {
    let float = ty.float_kind(ctx).is_some();
    let lowest = ty.bits(ctx).map_or(i128::MIN, |bits| i128::MIN >> (128 - bits.clamp(1, 128)));
    match combiner {
        Combiner::Sum if float => Datum::Float(0.0),
        Combiner::Prod if float => Datum::Float(1.0),
        Combiner::Max if float => Datum::Float(f64::NEG_INFINITY),
        Combiner::Min if float => Datum::Float(f64::INFINITY),
        Combiner::Sum => Datum::Int(0),
        Combiner::Prod => Datum::Int(1),
        Combiner::Max => Datum::Int(lowest),
        Combiner::Min => Datum::Int(!lowest),
    }
}
