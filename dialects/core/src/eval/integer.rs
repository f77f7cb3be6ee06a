//! Functions of integers that several layers have. The caller wraps what comes out to the width.

use crate::tensor::ElemKind;

/// `base ** exponent` modulo two to the power of 64. A negative power is 0, but for those of 1 and -1.
pub fn power(kind: ElemKind, base: i64, exponent: i64) -> i64 {
    if kind.is_bool() {
        return i64::from(base != 0 || exponent == 0);
    }
    match (base, kind.is_u64() || exponent >= 0) {
        (_, true) => by_squaring(base, exponent as u64),
        (1, _) => 1,
        (-1, _) => 1 - 2 * (exponent & 1),
        _ => 0,
    }
}

fn by_squaring(mut base: i64, mut exponent: u64) -> i64 {
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

/// The quotient rounded towards zero; by zero it is what dividing by one is.
pub fn quotient(kind: ElemKind, a: i64, b: i64) -> i64 {
    let b = if b == 0 { 1 } else { b };
    if kind.is_u64() { (a as u64 / b as u64) as i64 } else { a.wrapping_div(b) }
}

/// The quotient rounded down; by zero it is what dividing by one is.
pub fn floor_quotient(kind: ElemKind, a: i64, b: i64) -> i64 {
    let quotient = quotient(kind, a, b);
    let remainder = if b == 0 { 0 } else { a.wrapping_sub(quotient.wrapping_mul(b)) };
    let below = !kind.is_u64() && remainder != 0 && (remainder < 0) != (b < 0);
    quotient.wrapping_sub(below.into())
}
