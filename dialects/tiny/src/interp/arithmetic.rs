//! Arithmetic, element by element: what [`dlc_core::scalar`] says, in the type of the result.

use dlc_core::eval::{elem, tensor, tensor_as};
use dlc_core::scalar::{self, Binary, Unary};
use dlc_core::tensor::ElemKind;
use dlc_ir::interp::{Eval, EvalResult};

use super::give;
use crate::ops::{Bitcast, Cast, Cmp, Predicate};

fn unary(cx: &mut Eval<'_, '_>, function: Unary) -> EvalResult {
    give(cx, function.eval(cx.op.ctx, tensor(cx, 0)?, elem(cx)))
}

fn binary(cx: &mut Eval<'_, '_>, function: Binary) -> EvalResult {
    give(cx, function.eval(cx.op.ctx, tensor(cx, 0)?, tensor(cx, 1)?, elem(cx)))
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Add)
}

/// The difference.
pub fn sub(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Sub)
}

/// The product.
pub fn mul(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Mul)
}

/// The larger. Not `f64::max`, which would take what is a number over what is none.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Max)
}

/// The smaller.
pub fn min(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Min)
}

/// The quotient of floats.
pub fn fdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Fdiv)
}

/// The power.
pub fn pow(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Pow)
}

/// The quotient, rounded towards zero.
pub fn cdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Cdiv)
}

/// What that leaves. Of a division by zero the left side, as it is what the formula says.
pub fn cmod(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Cmod)
}

/// The quotient, rounded down.
pub fn floordiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Floordiv)
}

/// What that leaves.
pub fn floormod(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Floormod)
}

/// The bits of both.
pub fn and(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::And)
}

/// The bits of one or both.
pub fn or(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Or)
}

/// The bits of one.
pub fn xor(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Xor)
}

/// The bits moved up.
pub fn shl(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Shl)
}

/// The bits moved down.
pub fn shr(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, Binary::Shr)
}

/// The negative.
pub fn neg(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Neg)
}

/// What is above zero. Not a maximum with zero: that could turn what is not a number into zero.
pub fn relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Relu)
}

/// The whole number next towards zero.
pub fn trunc(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Trunc)
}

/// One divided by it.
pub fn recip(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Recip)
}

/// The square root.
pub fn sqrt(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Sqrt)
}

/// Two to the power of it.
pub fn exp2(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Exp2)
}

/// The logarithm to the base of two.
pub fn log2(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Log2)
}

/// The sine.
pub fn sin(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, Unary::Sin)
}

/// The product and a third added.
pub fn mulacc(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (a, b, c) = (tensor_as(cx, 0, elem)?, tensor_as(cx, 1, elem)?, tensor_as(cx, 2, elem)?);
    // In f64 the product of shorter floats is exact; that of two f64 is rounded once by the fused operation.
    let result = match elem.float_kind(ctx) {
        Some(_) => a.zip3_float(ctx, &b, &c, elem, libm::fma),
        None => {
            let kind = ElemKind::known(ctx, elem).map_err(|reason| cx.fail(&dlc_ir::interp::CANNOT_RUN, reason))?;
            let combine = |a: i64, b: i64, c: i64| {
                if kind.is_bool() { (a & b) | c } else { a.wrapping_mul(b).wrapping_add(c) }
            };
            a.zip3_int(ctx, &b, &c, elem, combine)
        }
    };
    give(cx, result)
}

/// A comparison, in the common type of both sides.
pub fn cmp(cx: &mut Eval<'_, '_>) -> EvalResult {
    let function = match Cmp::from(cx.op).predicate() {
        Predicate::Eq => Binary::Eq,
        Predicate::Ne => Binary::Ne,
        Predicate::Lt => Binary::Lt,
        Predicate::Le => Binary::Le,
        Predicate::Gt => Binary::Gt,
        Predicate::Ge => Binary::Ge,
    };
    binary(cx, function)
}

/// One of two elements.
pub fn where_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (condition, then, otherwise) = (tensor(cx, 0)?, tensor(cx, 1)?, tensor(cx, 2)?);
    give(cx, scalar::select(cx.op.ctx, condition, then, otherwise, elem(cx)))
}

/// The elements as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.cast(cx.op.ctx, Cast::from(cx.op).elem()))
}

/// The bits as another type.
pub fn bitcast(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.bitcast(cx.op.ctx, Bitcast::from(cx.op).elem()))
}
