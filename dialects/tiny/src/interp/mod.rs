//! What the ops mean. Each computes on whole tensors ([`TensorValue`]) and rounds once, to the type of its result.

mod arithmetic;
mod positions;
mod reductions;
mod views;

pub use arithmetic::*;
pub use positions::*;
pub use reductions::*;
pub use views::*;

use dlc_core::sizes::Bindings;
use dlc_core::tensor::TensorValue;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Data, Datum, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{Type, ValueId};

/// A function does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends the program, if its arguments were of the sizes that its type says.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    bindings(cx)?;
    Ok(Outcome::Return(cx.operands.into()))
}

/// Ends a region.
pub fn yield_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Yield(cx.operands.into()))
}

/// Runs one region, and has what it yields.
pub fn if_(cx: &mut Eval<'_, '_>) -> EvalResult {
    if let Some(resumed) = cx.resumed.take() {
        return Ok(Outcome::Values(resumed.values));
    }
    let yes = tensor(cx, 0)?.at(&[]).as_int().is_some_and(|value| value != 0);
    Ok(Outcome::Enter { region: usize::from(!yes), args: Data::new(), saved: Data::new() })
}

fn tensor<'c>(cx: &'c Eval<'_, '_>, index: usize) -> Result<&'c TensorValue, Failure> {
    cx.opaque::<TensorValue>(index)
}

/// The tensor as the only result, or why there is none.
fn give(cx: &mut Eval<'_, '_>, value: Result<TensorValue, String>) -> EvalResult {
    match value {
        Ok(value) => Ok(Outcome::value(Datum::opaque(value))),
        // Where an argument is not of the sizes that it should be, that is the reason.
        Err(reason) => Err(bindings(cx).err().unwrap_or_else(|| cx.fail(&CANNOT_RUN, reason))),
    }
}

/// The type of the elements of the result.
fn elem(cx: &Eval<'_, '_>) -> Type {
    elem_of(cx, cx.op.result(0))
}

fn elem_of(cx: &Eval<'_, '_>, value: ValueId) -> Type {
    // The verifier has seen that it is a tensor.
    Tensor::of(cx.op.ctx, cx.op.type_of(value)).map_or(Type::F32, |ty| ty.elem(cx.op.ctx))
}

/// The sizes of the result as numbers.
fn shape(cx: &mut Eval<'_, '_>) -> Result<Vec<usize>, Failure> {
    let ty = Tensor::of(cx.op.ctx, cx.result_type(0));
    let dims = ty.ok_or_else(|| cx.fail(&CANNOT_RUN, "the result is no tensor"))?.dims(cx.op.ctx);
    sizes(cx, &dims)
}

/// Sizes as numbers.
fn sizes(cx: &mut Eval<'_, '_>, sizes: &[SizeExpr]) -> Result<Vec<usize>, Failure> {
    let numbers = integers(cx, sizes)?;
    let size = |(size, value): (&SizeExpr, i64)| {
        usize::try_from(value).map_err(|_| cx.fail(&CANNOT_RUN, format!("the size {size} is {value}")))
    };
    sizes.iter().zip(numbers).map(size).collect()
}

/// Symbolic integers as numbers.
fn integers(cx: &mut Eval<'_, '_>, exprs: &[SizeExpr]) -> Result<Vec<i64>, Failure> {
    if let Some(constants) = exprs.iter().map(SizeExpr::as_constant).collect() {
        return Ok(constants);
    }
    let bindings = bindings(cx)?;
    exprs.iter().map(|expr| bindings.integer(expr).map_err(|reason| cx.fail(&CANNOT_RUN, reason))).collect()
}

/// The symbols of the function: what its arguments say, and what was bound before the run.
fn bindings(cx: &mut Eval<'_, '_>) -> Result<Bindings, Failure> {
    let mut bindings = cx.interp.state::<Bindings>().clone();
    let (ctx, body) = (cx.op.ctx, cx.op.body);
    for &arg in body.entry_block().map_or(&[][..], |block| body.args(block)) {
        let ty = Tensor::of(ctx, body.value_type(arg));
        let value = cx.thread.value(arg).and_then(Datum::as_opaque::<TensorValue>);
        if let (Some(ty), Some(value)) = (ty, value) {
            let bound = bindings.bind(&ty.dims(ctx), value.shape());
            bound.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
        }
    }
    Ok(bindings)
}
