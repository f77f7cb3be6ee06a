//! What the ops mean: each computes in `f64` or wrapping integers, and rounds once to its type.

use dlc_core::sizes::Bindings;
use dlc_core::tensor::{Combine, TensorValue};
use dlc_core::types::Tensor;
use dlc_ir::Type;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED};

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

/// The tensor as the only result, or why there is none.
fn done(cx: &Eval<'_, '_>, value: Result<TensorValue, String>) -> EvalResult {
    Ok(Outcome::value(Datum::opaque(value.map_err(|reason| cx.fail(&UNDEFINED, reason))?)))
}

/// One number everywhere.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (shape, elem) = result(cx)?;
    let number = Datum::of_attr(cx.op.ctx, Const::from(cx.op).value());
    let number = number.ok_or_else(|| "the constant is no number".to_string());
    done(cx, number.and_then(|number| TensorValue::splat(cx.op.ctx, shape, elem, &number)))
}

/// The same elements.
pub fn reshape(cx: &mut Eval<'_, '_>) -> EvalResult {
    done(cx, tensor(cx, 0)?.reshape(&result(cx)?.0))
}

/// The axes in another order.
pub fn permute(cx: &mut Eval<'_, '_>) -> EvalResult {
    let order: Vec<usize> = Permute::from(cx.op).order().iter().map(|&axis| axis as usize).collect();
    done(cx, tensor(cx, 0)?.permute(&order))
}

/// Axes of size 1 repeated.
pub fn expand(cx: &mut Eval<'_, '_>) -> EvalResult {
    done(cx, tensor(cx, 0)?.broadcast_to(&result(cx)?.0))
}

fn binary(cx: &Eval<'_, '_>, ints: fn(i64, i64) -> i64, floats: fn(f64, f64) -> f64) -> EvalResult {
    let (ctx, lhs, rhs, elem) = (cx.op.ctx, tensor(cx, 0)?, tensor(cx, 1)?, result(cx)?.1);
    done(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => lhs.zip_float(ctx, rhs, elem, floats),
            None => lhs.zip_int(ctx, rhs, elem, ints),
        },
    )
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, i64::wrapping_add, |a, b| a + b)
}

/// The product.
pub fn mul(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, i64::wrapping_mul, |a, b| a * b)
}

/// The larger.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    // Not `f64::max`: that would prefer what is a number.
    binary(cx, i64::max, |a, b| if a.is_nan() || a > b { a } else { b })
}

/// What is above zero.
pub fn relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, input, elem) = (cx.op.ctx, tensor(cx, 0)?, result(cx)?.1);
    done(
        cx,
        match elem.float_kind(ctx) {
            // Not `max`: that would turn what is not a number into zero.
            Some(_) => input.map_float(ctx, elem, |x| if x <= 0.0 { 0.0 } else { x }),
            None => input.map_int(ctx, elem, |x| x.max(0)),
        },
    )
}

/// The axes combined, rounded at the end.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Reduce::from(cx.op);
    let axes: Vec<usize> = op.axes().iter().map(|&axis| axis as usize).collect();
    let combine = match op.combiner() {
        Combiner::Sum => Combine::Sum,
        Combiner::Prod => Combine::Prod,
        Combiner::Max => Combine::Max,
        Combiner::Min => Combine::Min,
    };
    done(cx, tensor(cx, 0)?.reduce(cx.op.ctx, combine, &axes, result(cx)?.1))
}

/// The elements as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    done(cx, tensor(cx, 0)?.cast(cx.op.ctx, Cast::from(cx.op).elem()))
}
