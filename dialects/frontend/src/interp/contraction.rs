//! Sums of products: exact products of shorter floats, summed in `f64`.

use dlc_core::eval::{elem, give, tensor};
use dlc_core::tensor::{Access, Contraction, TensorValue};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Datum, Eval, EvalResult, Failure};
use dlc_ir::op::BrokenRule;

use crate::ops::{Einsum, Gemm, Linear};
use crate::shape::{Loops, einsum_loops, gemm_loops, linear_loops};

/// Sizes as they are now.
fn dims(value: &TensorValue) -> Vec<SizeExpr> {
    value.shape().iter().map(|&size| SizeExpr::from(size as i64)).collect()
}

/// The product of matrices.
pub fn gemm(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Gemm::from(cx.op);
    let (lhs, rhs) = (dims(tensor(cx, 0)?), dims(tensor(cx, 1)?));
    with_bias(cx, gemm_loops(&lhs, &rhs, op.trans_a().is_some(), op.trans_b().is_some()))
}

/// A layer of weights.
pub fn linear(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (input, weight) = (dims(tensor(cx, 0)?), dims(tensor(cx, 1)?));
    with_bias(cx, linear_loops(&input, &weight, Linear::from(cx.op).transposed().is_some()))
}

fn with_bias(cx: &Eval<'_, '_>, loops: Result<Loops, BrokenRule>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let loops = loops.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))?;
    let operands = [tensor(cx, 0)?, tensor(cx, 1)?];
    if cx.operands.len() < 3 {
        return give(cx, sum_of_products(cx, &loops, &operands, elem)?);
    }
    // Rounded once, after the bias.
    let (wide, bias) = (wide(cx, elem), tensor(cx, 2)?);
    let sum = sum_of_products(cx, &loops, &operands, wide)?.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => sum.zip_float(ctx, bias, elem, |sum, bias| sum + bias),
            None if elem == Type::I1 => sum.zip_int(ctx, bias, elem, |sum, bias| sum | bias),
            None => sum.zip_int(ctx, bias, elem, i64::wrapping_add),
        },
    )
}

/// The type that is computed in for elements of a type.
fn wide(cx: &Eval<'_, '_>, elem: Type) -> Type {
    match elem.float_kind(cx.op.ctx) {
        Some(_) => Type::F64,
        None if elem == Type::I1 => Type::I1,
        None => Type::I64,
    }
}

/// A sum of products in Einstein's notation.
pub fn einsum(cx: &mut Eval<'_, '_>) -> EvalResult {
    let operands = (0..cx.operands.len()).map(|index| tensor(cx, index)).collect::<Result<Vec<_>, Failure>>()?;
    let dims: Vec<Vec<SizeExpr>> = operands.iter().map(|operand| dims(operand)).collect();
    let slices: Vec<&[SizeExpr]> = dims.iter().map(Vec::as_slice).collect();
    let loops = einsum_loops(Einsum::from(cx.op).equation(), &slices);
    let loops = loops.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))?;
    give(cx, sum_of_products(cx, &loops, &operands, elem(cx))?)
}

/// The operands, multiplied and summed, as elements of a type.
fn sum_of_products(
    cx: &Eval<'_, '_>,
    loops: &Loops,
    operands: &[&TensorValue],
    elem: Type,
) -> Result<Result<TensorValue, String>, Failure> {
    let ctx = cx.op.ctx;
    let wide = wide(cx, elem);
    let fail = |reason: String| cx.fail(&CANNOT_RUN, reason);
    let one = if wide == Type::F64 { Datum::Float(1.0) } else { Datum::Int(1) };
    let one = TensorValue::splat(ctx, vec![], wide, &one).map_err(fail)?;
    let steps = loops.steps();
    let mut value = operands[0].clone();
    for (number, step) in steps.iter().enumerate() {
        // The indices of this step, numbered again: one that is not in it would be summed over.
        let mut used: Vec<usize> = step.lhs.iter().chain(step.rhs.iter().flatten()).flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |index: usize| used.iter().position(|&known| known == index);
        let access = |axis: &Option<usize>| Access(axis.and_then(place).map(|at| (at, 1)).into_iter().collect());
        let sizes: Option<Vec<usize>> =
            used.iter().map(|&index| usize::try_from(loops.indices[index].1.as_constant()?).ok()).collect();
        let spec = Contraction {
            sizes: sizes.ok_or_else(|| fail("a size is not known".into()))?,
            lhs: step.lhs.iter().map(access).collect(),
            rhs: step.rhs.iter().flatten().map(access).collect(),
            out: step.out.iter().filter_map(|&index| place(index)).collect(),
        };
        let rhs = if step.rhs.is_some() { operands[number + 1] } else { &one };
        let last = number + 1 == steps.len();
        value = TensorValue::contract(ctx, &value, rhs, &spec, if last { elem } else { wide }).map_err(fail)?;
    }
    Ok(Ok(value))
}
