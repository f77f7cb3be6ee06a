//! Functions of each element: computed in `f64`, or in integers modulo two to the power of the width.

use dlc_core::broadcast::promote;
use dlc_core::eval::integer::{floor_quotient, power, quotient};
use dlc_core::eval::{elem, elem_of, give, tensor, tensor_as};
use dlc_core::tensor::{ElemKind, TensorValue};
use dlc_ir::Type;
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult};

use super::functions;
use crate::ops::{
    Approximation, Cast, Celu, Clamp, Elu, Gelu, Hardsigmoid, Hardtanh, Isclose, LeakyRelu, Selu, Softplus,
};

// Functions of elements are passed as trait objects: there are many, and each would otherwise be compiled together with
// the loops over tensors.

/// A function of floats; integers count as `f32`.
pub fn float(cx: &Eval<'_, '_>, function: &(dyn Fn(f64) -> f64 + Sync)) -> EvalResult {
    let elem = elem(cx);
    let wide = if elem.float_kind(cx.op.ctx).is_some() { elem } else { elem_of(cx, cx.op.operand(0)) };
    give(cx, tensor_as(cx, 0, wide)?.map_float(cx.op.ctx, elem, function))
}

/// A function whose result has the type of the operand.
pub fn same(
    cx: &Eval<'_, '_>,
    float: &(dyn Fn(f64) -> f64 + Sync),
    int: &(dyn Fn(ElemKind, i64) -> i64 + Sync),
) -> EvalResult {
    let (ctx, input) = (cx.op.ctx, tensor(cx, 0)?);
    let (elem, kind) = (input.elem(), input.kind());
    give(
        cx,
        match kind.is_float() {
            true => input.map_float(ctx, elem, float),
            false => input.map_int(ctx, elem, |x| int(kind, x)),
        },
    )
}

/// Two operands combined in the type of the result.
fn binary(
    cx: &Eval<'_, '_>,
    float: &(dyn Fn(f64, f64) -> f64 + Sync),
    int: &(dyn Fn(ElemKind, i64, i64) -> i64 + Sync),
) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (a, b) = (tensor_as(cx, 0, elem)?, tensor_as(cx, 1, elem)?);
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => a.zip_float(ctx, &b, elem, float),
            None => {
                let kind = a.kind();
                a.zip_int(ctx, &b, elem, |a, b| int(kind, a, b))
            }
        },
    )
}

/// Two operands that are floats.
fn floats(cx: &Eval<'_, '_>, float: &(dyn Fn(f64, f64) -> f64 + Sync)) -> EvalResult {
    binary(cx, float, &|_, _, _| 0)
}

/// Two operands that are integers.
fn integers(cx: &Eval<'_, '_>, int: &(dyn Fn(i64, i64) -> i64 + Sync)) -> EvalResult {
    binary(cx, &|_, _| f64::NAN, &|_, a, b| int(a, b))
}

/// What is above zero as it is, the rest times a slope.
pub fn leaky_relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let slope = LeakyRelu::from(cx.op).slope_or_default();
    float(cx, &|x| if x < 0.0 { slope * x } else { x })
}

/// The exponential linear unit.
pub fn elu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let alpha = Elu::from(cx.op).alpha_or_default();
    float(cx, &|x| if x < 0.0 { alpha * libm::expm1(x) } else { x })
}

/// The continuously differentiable exponential linear unit.
pub fn celu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let alpha = Celu::from(cx.op).alpha_or_default();
    float(cx, &|x| functions::maximum(x, 0.0) + functions::minimum(alpha * libm::expm1(x / alpha), 0.0))
}

/// The scaled exponential linear unit.
pub fn selu(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Selu::from(cx.op);
    let (alpha, gamma) = (op.alpha_or_default(), op.gamma_or_default());
    float(cx, &|x| gamma * if x < 0.0 { alpha * libm::expm1(x) } else { x })
}

/// A smooth form of what is above zero.
pub fn softplus(cx: &mut Eval<'_, '_>) -> EvalResult {
    let beta = Softplus::from(cx.op).beta_or_default();
    float(cx, &|x| functions::softplus(beta * x) / beta)
}

/// The logistic function made of straight pieces.
pub fn hardsigmoid(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Hardsigmoid::from(cx.op);
    let (alpha, beta) = (op.alpha_or_default(), op.beta_or_default());
    float(cx, &|x| functions::clamp(alpha * x + beta, 0.0, 1.0))
}

/// Between two bounds.
pub fn hardtanh(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Hardtanh::from(cx.op);
    let (low, high) = (op.min_or_default(), op.max_or_default());
    same(cx, &|x| functions::clamp(x, low, high), &|kind, x| functions::clamp_int(kind, x, Some(low), Some(high)))
}

/// Between bounds.
pub fn clamp(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Clamp::from(cx.op);
    let (low, high) = (op.min(), op.max());
    let bounds = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
    same(cx, &|x| functions::clamp(x, bounds.0, bounds.1), &|kind, x| functions::clamp_int(kind, x, low, high))
}

/// The Gaussian error linear unit.
pub fn gelu(cx: &mut Eval<'_, '_>) -> EvalResult {
    match Gelu::from(cx.op).approximate() {
        None | Some(Approximation::None) => float(cx, &functions::gelu),
        Some(Approximation::Tanh) => float(cx, &functions::gelu_tanh),
    }
}

/// Every bit turned.
pub fn bitwise_not(cx: &mut Eval<'_, '_>) -> EvalResult {
    same(cx, &|x| x, &|_, x| !x)
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &|a, b| a + b, &|kind, a, b| if kind.is_bool() { a | b } else { a.wrapping_add(b) })
}

/// The difference.
pub fn sub(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &|a, b| a - b, &|_, a, b| a.wrapping_sub(b))
}

/// The product.
pub fn mul(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &|a, b| a * b, &|_, a, b| a.wrapping_mul(b))
}

/// The quotient of floats.
pub fn div(cx: &mut Eval<'_, '_>) -> EvalResult {
    floats(cx, &|a, b| a / b)
}

/// The quotient rounded down.
pub fn floordiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &|a, b| libm::floor(a / b), &floor_quotient)
}

/// The quotient rounded towards zero.
pub fn truncdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &|a, b| libm::trunc(a / b), &quotient)
}

/// What `floordiv` leaves.
pub fn mod_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let rest = |kind, a: i64, b: i64| match b {
        0 => 0,
        _ => a.wrapping_sub(floor_quotient(kind, a, b).wrapping_mul(b)),
    };
    binary(cx, &|a, b| a - libm::floor(a / b) * b, &rest)
}

/// What `truncdiv` leaves.
pub fn fmod(cx: &mut Eval<'_, '_>) -> EvalResult {
    let rest = |kind, a: i64, b: i64| a.wrapping_sub(quotient(kind, a, b).wrapping_mul(b));
    binary(cx, &|a, b| a - libm::trunc(a / b) * b, &rest)
}

/// The power.
pub fn pow(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, &libm::pow, &power)
}

/// The larger.
pub fn maximum(cx: &mut Eval<'_, '_>) -> EvalResult {
    let int = |kind: ElemKind, a: i64, b: i64| if kind.is_u64() { (a as u64).max(b as u64) as i64 } else { a.max(b) };
    binary(cx, &functions::maximum, &int)
}

/// The smaller.
pub fn minimum(cx: &mut Eval<'_, '_>) -> EvalResult {
    let int = |kind: ElemKind, a: i64, b: i64| if kind.is_u64() { (a as u64).min(b as u64) as i64 } else { a.min(b) };
    binary(cx, &functions::minimum, &int)
}

/// The left number with the sign of the right one.
pub fn copysign(cx: &mut Eval<'_, '_>) -> EvalResult {
    floats(cx, &|a, b| if b.is_sign_negative() && !b.is_nan() { -a.abs() } else { a.abs() })
}

/// The logarithm of the sum of exponentials.
pub fn logaddexp(cx: &mut Eval<'_, '_>) -> EvalResult {
    floats(cx, &functions::logaddexp)
}

/// The bits that both have.
pub fn bitwise_and(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, &|a, b| a & b)
}

/// The bits that one or both have.
pub fn bitwise_or(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, &|a, b| a | b)
}

/// The bits that exactly one has.
pub fn bitwise_xor(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, &|a, b| a ^ b)
}

/// A shift; the amount keeps its own type, so that an `i8` may be moved by an `i64`.
fn shift(cx: &Eval<'_, '_>, int: &(dyn Fn(ElemKind, i64, Option<u32>) -> i64 + Sync)) -> EvalResult {
    let (a, b) = (tensor(cx, 0)?, tensor(cx, 1)?);
    let (kind, amount) = (a.kind(), b.kind());
    give(
        cx,
        a.zip_int(cx.op.ctx, b, a.elem(), |a, b| {
            let by = if amount.is_u64() { u32::try_from(b as u64).ok() } else { u32::try_from(b).ok() };
            int(kind, a, by.filter(|by| *by < kind.bits()))
        }),
    )
}

/// The bits moved up.
pub fn lshift(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, &|_, a, by| by.map_or(0, |by| a << by))
}

/// The bits moved down.
pub fn rshift(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, &|kind, a, by| match (kind.is_u64(), by) {
        (true, by) => by.map_or(0, |by| (a as u64 >> by) as i64),
        (false, by) => a >> by.unwrap_or(63),
    })
}

/// A comparison, in the common type of both sides.
fn compare(
    cx: &Eval<'_, '_>,
    float: &(dyn Fn(f64, f64) -> bool + Sync),
    int: &(dyn Fn(i64, i64) -> bool + Sync),
) -> EvalResult {
    let ctx = cx.op.ctx;
    let common = promote(ctx, elem_of(cx, cx.op.operand(0)), elem_of(cx, cx.op.operand(1)));
    let common = common.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))?;
    let (a, b) = (tensor_as(cx, 0, common)?, tensor_as(cx, 1, common)?);
    // The order of unsigned numbers is that of signed ones with the highest bit turned.
    let turn = if a.kind().is_u64() { i64::MIN } else { 0 };
    give(
        cx,
        match common.float_kind(ctx) {
            Some(_) => a.compare_float(ctx, &b, float),
            None => a.compare_int(ctx, &b, |a, b| int(a ^ turn, b ^ turn)),
        },
    )
}

/// Whether both are equal.
pub fn eq(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a == b, &|a, b| a == b)
}

/// Whether both differ.
pub fn ne(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a != b, &|a, b| a != b)
}

/// Whether the left one is smaller.
pub fn lt(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a < b, &|a, b| a < b)
}

/// Whether the left one is smaller, or they are equal.
pub fn le(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a <= b, &|a, b| a <= b)
}

/// Whether the left one is larger.
pub fn gt(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a > b, &|a, b| a > b)
}

/// Whether the left one is larger, or they are equal.
pub fn ge(cx: &mut Eval<'_, '_>) -> EvalResult {
    compare(cx, &|a, b| a >= b, &|a, b| a >= b)
}

/// Whether two numbers are close.
pub fn isclose(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Isclose::from(cx.op);
    let (rtol, atol, equal_nan) = (op.rtol_or_default(), op.atol_or_default(), op.equal_nan().is_some());
    let close = move |a: f64, b: f64| {
        let finite = a.is_finite() && b.is_finite();
        a == b || (finite && (a - b).abs() <= atol + rtol * b.abs()) || (equal_nan && a.is_nan() && b.is_nan())
    };
    let (a, b) = (tensor_as(cx, 0, Type::F64)?, tensor_as(cx, 1, Type::F64)?);
    give(cx, a.compare_float(cx.op.ctx, &b, close))
}

/// One of two elements.
pub fn where_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    // Not only as floats: both must be of one type.
    let of = |index| tensor(cx, index)?.cast(ctx, elem).map_err(|reason| cx.fail(&CANNOT_RUN, reason));
    let (then, otherwise) = (of(1)?, of(2)?);
    give(cx, TensorValue::select(ctx, tensor(cx, 0)?, &then, &otherwise))
}

/// A number between two.
pub fn lerp(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (start, end, weight) = (tensor_as(cx, 0, elem)?, tensor_as(cx, 1, elem)?, tensor_as(cx, 2, elem)?);
    give(cx, start.zip3_float(ctx, &end, &weight, elem, |start, end, weight| start + (end - start) * weight))
}

/// The elements as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.cast(cx.op.ctx, Cast::from(cx.op).elem()))
}
