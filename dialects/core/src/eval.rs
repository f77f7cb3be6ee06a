//! What evaluators of ops on tensors are written with: operands, sizes as numbers, the result; and what
//! layers have in common: views, functions of integers.

pub mod integer;
pub mod views;

use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{Type, ValueId};

use crate::memref::shaped;
use crate::scalar::as_elem;
use crate::sizes::Bindings;
use crate::tensor::TensorValue;

/// An operand.
pub fn tensor<'c>(cx: &'c Eval<'_, '_>, index: usize) -> Result<&'c TensorValue, Failure> {
    cx.opaque::<TensorValue>(index)
}

/// The tensor as the only result, or why there is none.
pub fn give(cx: &Eval<'_, '_>, value: Result<TensorValue, String>) -> EvalResult {
    match value {
        Ok(value) => Ok(Outcome::value(Datum::opaque(value))),
        Err(reason) => Err(cx.fail(&CANNOT_RUN, reason)),
    }
}

/// The type of the elements of the result.
pub fn elem(cx: &Eval<'_, '_>) -> Type {
    elem_of(cx, cx.op.result(0))
}

/// The type of the elements of a value that is a tensor, as the verifier has seen.
pub fn elem_of(cx: &Eval<'_, '_>, value: ValueId) -> Type {
    shaped(cx.op.ctx, cx.op.type_of(value)).expect("the verifier admits only tensors and memory here").1
}

/// The sizes of the result as numbers.
pub fn shape(cx: &mut Eval<'_, '_>) -> Result<Vec<usize>, Failure> {
    shape_of(cx, 0)
}

/// The sizes of a result as numbers.
pub fn shape_of(cx: &mut Eval<'_, '_>, result: usize) -> Result<Vec<usize>, Failure> {
    let ty = shaped(cx.op.ctx, cx.result_type(result));
    let (dims, _) = ty.ok_or_else(|| cx.fail(&CANNOT_RUN, "the result is no tensor"))?;
    sizes(cx, &dims)
}

/// Sizes as numbers.
pub fn sizes(cx: &mut Eval<'_, '_>, sizes: &[SizeExpr]) -> Result<Vec<usize>, Failure> {
    let numbers = integers(cx, sizes)?;
    let size = |(size, value): (&SizeExpr, i64)| {
        usize::try_from(value).map_err(|_| cx.fail(&CANNOT_RUN, format!("the size {size} is {value}")))
    };
    sizes.iter().zip(numbers).map(size).collect()
}

/// Symbolic integers as numbers.
pub fn integers(cx: &mut Eval<'_, '_>, exprs: &[SizeExpr]) -> Result<Vec<i64>, Failure> {
    if let Some(constants) = exprs.iter().map(SizeExpr::as_constant).collect() {
        return Ok(constants);
    }
    let bindings = bindings(cx)?;
    exprs.iter().map(|expr| bindings.integer(expr).map_err(|reason| cx.fail(&CANNOT_RUN, reason))).collect()
}

/// The symbols of the function: what its arguments say, and what was bound before the run.
pub fn bindings(cx: &mut Eval<'_, '_>) -> Result<Bindings, Failure> {
    let mut bindings = cx.interp.state::<Bindings>().clone();
    let (ctx, body) = (cx.op.ctx, cx.op.body);
    for &arg in body.entry_block().map_or(&[][..], |block| body.args(block)) {
        let ty = shaped(ctx, body.value_type(arg));
        let value = cx.thread.value(arg).and_then(Datum::as_opaque::<TensorValue>);
        if let (Some((dims, _)), Some(value)) = (ty, value) {
            let bound = bindings.bind(&dims, value.shape());
            bound.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
        }
    }
    Ok(bindings)
}

/// An operand as elements of a type. A float stays as it is where the type is a wider float: its value is the same.
pub fn tensor_as(cx: &Eval<'_, '_>, index: usize, elem: Type) -> Result<TensorValue, Failure> {
    let value = as_elem(cx.op.ctx, tensor(cx, index)?, elem);
    value.map_err(|reason| cx.fail(&CANNOT_RUN, reason))
}
