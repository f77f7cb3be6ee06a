//! Arithmetic, element by element: computed in `f64`, or in integers modulo two to the power of the width.

use dlc_core::broadcast::promote;
use dlc_core::tensor::TensorValue;
use dlc_ir::Type;
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult, Failure};

use super::{elem, elem_of, give, tensor};
use crate::ops::{Bitcast, Cast, Cmp, Predicate};

/// An operand as elements of a type. A float stays as it is where the type is a wider float: its value is the same.
fn operand(cx: &Eval<'_, '_>, index: usize, elem: Type) -> Result<TensorValue, Failure> {
    let (ctx, value) = (cx.op.ctx, tensor(cx, index)?);
    if value.elem() == elem || (value.kind().is_float() && elem.float_kind(ctx).is_some()) {
        return Ok(value.clone());
    }
    value.cast(ctx, elem).map_err(|reason| cx.fail(&CANNOT_RUN, reason))
}

/// The integers of a type: how many bits they have, and whether they are compared without a sign.
#[derive(Clone, Copy)]
struct Int {
    bits: u32,
    unsigned64: bool,
}

impl Int {
    fn of(cx: &Eval<'_, '_>, elem: Type) -> Int {
        let bits = elem.bits(cx.op.ctx).unwrap_or(64);
        // Shorter ones are held as what they are; only these take the sign bit for a digit.
        Int { bits, unsigned64: bits == 64 && elem.is_unsigned(cx.op.ctx) }
    }
}

/// Two operands combined in the type of the result.
fn binary(
    cx: &mut Eval<'_, '_>,
    float: impl Fn(f64, f64) -> f64 + Sync,
    int: impl Fn(Int, i64, i64) -> i64 + Sync,
) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (a, b) = (operand(cx, 0, elem)?, operand(cx, 1, elem)?);
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => a.zip_float(ctx, &b, elem, float),
            None => {
                let kind = Int::of(cx, elem);
                a.zip_int(ctx, &b, elem, |a, b| int(kind, a, b))
            }
        },
    )
}

/// Two operands that are integers.
fn integers(cx: &mut Eval<'_, '_>, int: impl Fn(Int, i64, i64) -> i64 + Sync) -> EvalResult {
    binary(cx, |_, _| f64::NAN, int)
}

fn unary(cx: &mut Eval<'_, '_>, float: impl Fn(f64) -> f64 + Sync, int: impl Fn(Int, i64) -> i64 + Sync) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let input = operand(cx, 0, elem)?;
    give(
        cx,
        match elem.float_kind(ctx) {
            Some(_) => input.map_float(ctx, elem, float),
            None => {
                let kind = Int::of(cx, elem);
                input.map_int(ctx, elem, |value| int(kind, value))
            }
        },
    )
}

/// The sum.
pub fn add(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a + b, |kind, a, b| if kind.bits == 1 { a | b } else { a.wrapping_add(b) })
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
        |kind, a, b| if kind.unsigned64 { (a as u64).max(b as u64) as i64 } else { a.max(b) },
    )
}

/// The smaller.
pub fn min(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(
        cx,
        |a, b| if a.is_nan() || a < b { a } else { b },
        |kind, a, b| if kind.unsigned64 { (a as u64).min(b as u64) as i64 } else { a.min(b) },
    )
}

/// The quotient of floats.
pub fn fdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, |a, b| a / b, |_, _, _| 0)
}

/// The power.
pub fn pow(cx: &mut Eval<'_, '_>) -> EvalResult {
    binary(cx, libm::pow, |kind, base, exponent| {
        if kind.bits == 1 {
            return i64::from(base != 0 || exponent == 0);
        }
        match (base, kind.unsigned64 || exponent >= 0) {
            (_, true) => power(base, exponent as u64),
            (1, _) => 1,
            (-1, _) => 1 - 2 * (exponent & 1),
            _ => 0,
        }
    })
}

/// By squaring, modulo two to the power of 64.
fn power(mut base: i64, mut exponent: u64) -> i64 {
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

fn divisor(b: i64) -> i64 {
    if b == 0 { 1 } else { b }
}

fn cquotient(kind: Int, a: i64, b: i64) -> i64 {
    let b = divisor(b);
    if kind.unsigned64 { (a as u64 / b as u64) as i64 } else { a.wrapping_div(b) }
}

fn floorquotient(kind: Int, a: i64, b: i64) -> i64 {
    let (b, quotient) = (divisor(b), cquotient(kind, a, b));
    let remainder = a.wrapping_sub(quotient.wrapping_mul(b));
    let below = !kind.unsigned64 && remainder != 0 && (remainder < 0) != (b < 0);
    quotient.wrapping_sub(i64::from(below))
}

/// The quotient, rounded towards zero.
pub fn cdiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, cquotient)
}

/// What that leaves. Of a division by zero the left side, as it is what the formula says.
pub fn cmod(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |kind, a, b| a.wrapping_sub(cquotient(kind, a, b).wrapping_mul(b)))
}

/// The quotient, rounded down.
pub fn floordiv(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, floorquotient)
}

/// What that leaves.
pub fn floormod(cx: &mut Eval<'_, '_>) -> EvalResult {
    integers(cx, |kind, a, b| a.wrapping_sub(floorquotient(kind, a, b).wrapping_mul(divisor(b))))
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
fn shift(cx: &mut Eval<'_, '_>, int: impl Fn(Int, i64, Option<u32>) -> i64 + Sync) -> EvalResult {
    let (ctx, elem) = (cx.op.ctx, elem(cx));
    let (kind, amount) = (Int::of(cx, elem), Int::of(cx, elem_of(cx, cx.op.operand(1))));
    let (a, b) = (tensor(cx, 0)?, tensor(cx, 1)?);
    give(
        cx,
        a.zip_int(ctx, b, elem, |a, b| {
            let by = if amount.unsigned64 { u32::try_from(b as u64).ok() } else { u32::try_from(b).ok() };
            int(kind, a, by.filter(|by| *by < kind.bits))
        }),
    )
}

/// The bits moved up.
pub fn shl(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, |_, a, by| by.map_or(0, |by| a << by))
}

/// The bits moved down.
pub fn shr(cx: &mut Eval<'_, '_>) -> EvalResult {
    shift(cx, |kind, a, by| match (kind.unsigned64, by) {
        (true, by) => by.map_or(0, |by| (a as u64 >> by) as i64),
        (false, by) => a >> by.unwrap_or(63),
    })
}

/// The negative.
pub fn neg(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, |x| -x, |kind, x| if kind.bits == 1 { 1 - x } else { x.wrapping_neg() })
}

/// What is above zero. Not a maximum with zero: that could turn what is not a number into zero.
pub fn relu(cx: &mut Eval<'_, '_>) -> EvalResult {
    unary(cx, |x| if x <= 0.0 { 0.0 } else { x }, |kind, x| if kind.unsigned64 { x } else { x.max(0) })
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
    let (a, b, c) = (operand(cx, 0, elem)?, operand(cx, 1, elem)?, operand(cx, 2, elem)?);
    // In f64 the product of shorter floats is exact; that of two f64 is rounded once by the fused operation.
    let result = match elem.float_kind(ctx) {
        Some(_) => a.zip3_float(ctx, &b, &c, elem, libm::fma),
        None => {
            let bits = Int::of(cx, elem).bits;
            let combine = |a: i64, b: i64, c: i64| {
                if bits == 1 { (a & b) | c } else { a.wrapping_mul(b).wrapping_add(c) }
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
    let (a, b) = (operand(cx, 0, common)?, operand(cx, 1, common)?);
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
        let turn = if Int::of(cx, common).unsigned64 { i64::MIN } else { 0 };
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
