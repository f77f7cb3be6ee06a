//! Arithmetic, element by element: computed in `f64`, or in integers modulo two to the power of the width.

use dlc_core::broadcast::promote;
use dlc_core::eval::integer::{floor_quotient, power, quotient};
use dlc_core::eval::{elem, elem_of, tensor, tensor_as};
use dlc_core::tensor::{ElemKind, TensorValue};
use dlc_ir::Type;
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult};

use super::give;
use crate::ops::{Bitcast, Cast, Cmp, Predicate};

/// What the integers of a type are; other types count as `i64`.
fn kind_of(cx: &Eval<'_, '_>, elem: Type) -> ElemKind {
    ElemKind::of(cx.op.ctx, elem).unwrap_or(ElemKind::Int { bits: 64, signed: true })
}

/// Two operands combined in the type of the result.
fn binary(
    cx: &mut Eval<'_, '_>,
    float: impl Fn(f64, f64) -> f64 + Sync,
    int: impl Fn(ElemKind, i64, i64) -> i64 + Sync,
) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (a, b) = (tensor_as(cx, 0, elem)?, tensor_as(cx, 1, elem)?);
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => a.zip_float(ctx, &b, elem, float),
            None => {
                let kind = kind_of(cx, elem);
                a.zip_int(ctx, &b, elem, |a, b| int(kind, a, b))
            }
        },
    )
}

/// Two operands that are integers.
fn integers(cx: &mut Eval<'_, '_>, int: impl Fn(ElemKind, i64, i64) -> i64 + Sync) -> EvalResult {
    binary(cx, |_, _| f64::NAN, int)
}

fn unary(
    cx: &mut Eval<'_, '_>,
    float: impl Fn(f64) -> f64 + Sync,
    int: impl Fn(ElemKind, i64) -> i64 + Sync,
) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let input = tensor_as(cx, 0, elem)?;
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => input.map_float(ctx, elem, float),
            None => {
                let kind = kind_of(cx, elem);
                input.map_int(ctx, elem, |value| int(kind, value))
            }
        },
    )
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a + b, |kind, a, b| if kind.is_bool() { a | b } else { a.wrapping_add(b) })
}

/// The difference.
pub fn sub(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a - b, |_, a, b| a.wrapping_sub(b))
}

/// The product.
pub fn mul(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a * b, |_, a, b| a.wrapping_mul(b))
}

/// The larger. Not `f64::max`, which would take what is a number over what is none.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(
        cx,
        |a, b| if a.is_nan() || a > b { a } else { b },
        |kind, a, b| if kind.is_u64() { (a as u64).max(b as u64) as i64 } else { a.max(b) },
    )
}

/// The smaller.
pub fn min(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(
        cx,
        |a, b| if a.is_nan() || a < b { a } else { b },
        |kind, a, b| if kind.is_u64() { (a as u64).min(b as u64) as i64 } else { a.min(b) },
    )
}

/// The quotient of floats.
pub fn fdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a / b, |_, _, _| 0)
}

/// The power.
pub fn pow(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, libm::pow, power)
}

/// The quotient, rounded towards zero.
pub fn cdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, quotient)
}

/// What that leaves. Of a division by zero the left side, as it is what the formula says.
pub fn cmod(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |kind, a, b| a.wrapping_sub(quotient(kind, a, b).wrapping_mul(b)))
}

/// The quotient, rounded down.
pub fn floordiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, floor_quotient)
}

/// What that leaves.
pub fn floormod(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |kind, a, b| a.wrapping_sub(floor_quotient(kind, a, b).wrapping_mul(if b == 0 { 1 } else { b })))
}

/// The bits of both.
pub fn and(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |_, a, b| a & b)
}

/// The bits of one or both.
pub fn or(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |_, a, b| a | b)
}

/// The bits of one.
pub fn xor(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |_, a, b| a ^ b)
}

/// A shift: the amount keeps its own type, so that an `i8` may be moved by an `i64`.
fn shift(cx: &mut Eval<'_, '_>, int: impl Fn(ElemKind, i64, Option<u32>) -> i64 + Sync) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (kind, amount) = (kind_of(cx, elem), kind_of(cx, elem_of(cx, cx.op.operand(1))));
    let (a, b) = (tensor(cx, 0)?, tensor(cx, 1)?);
    give(
        cx,
        a.zip_int(ctx, b, elem, |a, b| {
            let by = if amount.is_u64() { u32::try_from(b as u64).ok() } else { u32::try_from(b).ok() };
            int(kind, a, by.filter(|by| *by < kind.bits()))
        }),
    )
}

/// The bits moved up.
pub fn shl(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, |_, a, by| by.map_or(0, |by| a << by))
}

/// The bits moved down.
pub fn shr(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, |kind, a, by| match (kind.is_u64(), by) {
        (true, by) => by.map_or(0, |by| (a as u64 >> by) as i64),
        (false, by) => a >> by.unwrap_or(63),
    })
}

/// The negative.
pub fn neg(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, |x| -x, |kind, x| if kind.is_bool() { 1 - x } else { x.wrapping_neg() })
}

/// What is above zero. Not a maximum with zero: that could turn what is not a number into zero.
pub fn relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, |x| if x <= 0.0 { 0.0 } else { x }, |kind, x| if kind.is_u64() { x } else { x.max(0) })
}

/// The whole number next towards zero.
pub fn trunc(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, f64::trunc, |_, x| x)
}

/// One divided by it.
pub fn recip(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, |x| 1.0 / x, |_, x| x)
}

/// The square root.
pub fn sqrt(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, f64::sqrt, |_, x| x)
}

/// Two to the power of it.
pub fn exp2(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, libm::exp2, |_, x| x)
}

/// The logarithm to the base of two.
pub fn log2(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, libm::log2, |_, x| x)
}

/// The sine.
pub fn sin(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, libm::sin, |_, x| x)
}

/// The product and a third added.
pub fn mulacc(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (a, b, c) = (tensor_as(cx, 0, elem)?, tensor_as(cx, 1, elem)?, tensor_as(cx, 2, elem)?);
    // In f64 the product of shorter floats is exact; that of two f64 is rounded once by the fused operation.
    let result = match elem.float_kind(ctx) {
        Some(_) => a.zip3_float(ctx, &b, &c, elem, libm::fma),
        None => {
            let kind = kind_of(cx, elem);
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
    let (ctx, predicate) = (cx.op.ctx, Cmp::from(cx.op).predicate());
    let common = promote(ctx, elem_of(cx, cx.op.operand(0)), elem_of(cx, cx.op.operand(1)));
    let common = common.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))?;
    let (a, b) = (tensor_as(cx, 0, common)?, tensor_as(cx, 1, common)?);
    let result = if common.float_kind(ctx).is_some() {
        match predicate {
            Predicate::Eq => a.compare_float(ctx, &b, |a, b| a == b),
            Predicate::Ne => a.compare_float(ctx, &b, |a, b| a != b),
            Predicate::Lt => a.compare_float(ctx, &b, |a, b| a < b),
            Predicate::Le => a.compare_float(ctx, &b, |a, b| a <= b),
            Predicate::Gt => a.compare_float(ctx, &b, |a, b| a > b),
            Predicate::Ge => a.compare_float(ctx, &b, |a, b| a >= b),
        }
    } else {
        // The order of unsigned numbers is that of signed ones with the highest bit turned.
        let turn = if kind_of(cx, common).is_u64() { i64::MIN } else { 0 };
        match predicate {
            Predicate::Eq => a.compare_int(ctx, &b, |a, b| a == b),
            Predicate::Ne => a.compare_int(ctx, &b, |a, b| a != b),
            Predicate::Lt => a.compare_int(ctx, &b, |a, b| (a ^ turn) < (b ^ turn)),
            Predicate::Le => a.compare_int(ctx, &b, |a, b| (a ^ turn) <= (b ^ turn)),
            Predicate::Gt => a.compare_int(ctx, &b, |a, b| (a ^ turn) > (b ^ turn)),
            Predicate::Ge => a.compare_int(ctx, &b, |a, b| (a ^ turn) >= (b ^ turn)),
        }
    };
    give(cx, result)
}

/// One of two elements.
pub fn where_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (condition, then, otherwise) = (tensor(cx, 0)?, tensor(cx, 1)?, tensor(cx, 2)?);
    let chosen =
        then.cast(ctx, elem).and_then(|then| TensorValue::select(ctx, condition, &then, &otherwise.cast(ctx, elem)?));
    give(cx, chosen)
}

/// The elements as another type.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.cast(cx.op.ctx, Cast::from(cx.op).elem()))
}

/// The bits as another type.
pub fn bitcast(cx: &mut Eval<'_, '_>) -> EvalResult {
    give(cx, tensor(cx, 0)?.bitcast(cx.op.ctx, Bitcast::from(cx.op).elem()))
}
