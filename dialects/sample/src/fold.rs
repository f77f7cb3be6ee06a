//! Local simplification: what an op is when its operands are constants, or known to be each other.

use dlc_ir::attrs::AttrData;
use dlc_ir::interp::{Datum, round_float};
use dlc_ir::op::{FoldResult, Folded};
use dlc_ir::{Attr, Builder, Loc, OpId, OpRef, Type};

use crate::interp::compare;
use crate::ops::{Abs, Assume, Cmpi, Constant, MakeBox, Neg, OpenBox, Select, Sum};

/// The constants of the operands; `None` where one is not known.
type Constants<'a> = &'a [Option<Attr>];

/// Makes a constant of an integer or float.
pub fn materialize(builder: &mut Builder<'_>, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
    let ctx = builder.ctx;
    let number = matches!(ctx.attr_data(value), AttrData::Integer { .. } | AttrData::Float { .. });
    (number && value.value_type(ctx) == Some(ty)).then(|| Constant::build(builder, loc, value))
}

/// A constant is its value.
pub fn constant(op: Constant<'_>, _: Constants<'_>) -> Folded {
    Folded::attr(op.value())
}

fn int(op: OpRef<'_>, constants: Constants<'_>, index: usize) -> Option<i128> {
    match op.ctx.attr_data((*constants.get(index)?)?) {
        AttrData::Integer { value, .. } => Some(*value),
        _ => None,
    }
}

fn float(op: OpRef<'_>, constants: Constants<'_>, index: usize) -> Option<f64> {
    Datum::of_attr(op.ctx, (*constants.get(index)?)?)?.as_float()
}

fn int_constant(op: OpRef<'_>, value: i128) -> Folded {
    Folded::attr(op.ctx.int_attr(value, op.type_of(op.result(0))))
}

fn float_constant(op: OpRef<'_>, value: f64) -> Folded {
    let ty = op.type_of(op.result(0));
    round_float(op.ctx, value, ty).to_attr(op.ctx, ty).map_or(Folded::No, Folded::attr)
}

/// A binary op on integers: computed where both are known; otherwise the operand itself where the other is the identity
/// element, and the absorbing element where one is that.
struct Binary {
    compute: fn(i128, i128) -> i128,
    identity: Option<i128>,
    absorbing: Option<i128>,
    commutative: bool,
    idempotent: bool,
}

const BINARY: Binary =
    Binary { compute: |a, _| a, identity: None, absorbing: None, commutative: true, idempotent: false };

fn binary(op: OpRef<'_>, constants: Constants<'_>, rules: &Binary) -> Folded {
    let (lhs, rhs) = (int(op, constants, 0), int(op, constants, 1));
    if let (Some(lhs), Some(rhs)) = (lhs, rhs) {
        return int_constant(op, (rules.compute)(lhs, rhs));
    }
    // All ones is -1, but for one bit it is 1.
    let same = |a: Option<i128>, b: Option<i128>| match (a, b) {
        (Some(a), Some(b)) => {
            op.ctx.int_attr(a, op.type_of(op.result(0))) == op.ctx.int_attr(b, op.type_of(op.result(0)))
        }
        _ => false,
    };
    if same(rhs, rules.identity) || (rules.idempotent && op.operand(0) == op.operand(1)) {
        return Folded::value(op.operand(0));
    }
    if rules.commutative && same(lhs, rules.identity) {
        return Folded::value(op.operand(1));
    }
    match rules.absorbing {
        Some(value) if same(rhs, rules.absorbing) || (rules.commutative && same(lhs, rules.absorbing)) => {
            int_constant(op, value)
        }
        _ => Folded::No,
    }
}

/// `x + 0 = x`
pub fn addi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    binary(op, constants, &Binary { compute: i128::wrapping_add, identity: Some(0), ..BINARY })
}

/// `x - 0 = x`, `x - x = 0`
pub fn subi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    if op.operand(0) == op.operand(1) {
        return int_constant(op, 0);
    }
    binary(op, constants, &Binary { compute: i128::wrapping_sub, identity: Some(0), commutative: false, ..BINARY })
}

/// `x * 1 = x`, `x * 0 = 0`
pub fn muli(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    binary(op, constants, &Binary { compute: i128::wrapping_mul, identity: Some(1), absorbing: Some(0), ..BINARY })
}

/// `x & x = x`, `x & -1 = x`, `x & 0 = 0`
pub fn andi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    let rules = Binary { compute: |a, b| a & b, identity: Some(-1), absorbing: Some(0), idempotent: true, ..BINARY };
    binary(op, constants, &rules)
}

/// `x | x = x`, `x | 0 = x`, `x | -1 = -1`
pub fn ori(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    let rules = Binary { compute: |a, b| a | b, identity: Some(0), absorbing: Some(-1), idempotent: true, ..BINARY };
    binary(op, constants, &rules)
}

/// `x ^ 0 = x`, `x ^ x = 0`
pub fn xori(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    if op.operand(0) == op.operand(1) {
        return int_constant(op, 0);
    }
    binary(op, constants, &Binary { compute: |a, b| a ^ b, identity: Some(0), ..BINARY })
}

/// `min(x, x) = x`
pub fn minsi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    binary(op, constants, &Binary { compute: i128::min, idempotent: true, ..BINARY })
}

/// `max(x, x) = x`
pub fn maxsi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    binary(op, constants, &Binary { compute: i128::max, idempotent: true, ..BINARY })
}

/// `x / 1 = x`; a division by zero stays.
pub fn divsi(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    match (int(op, constants, 0), int(op, constants, 1)) {
        (Some(lhs), Some(rhs)) if rhs != 0 => int_constant(op, lhs.wrapping_div(rhs)),
        (_, Some(1)) if op.type_of(op.result(0)) != Type::I1 => Folded::value(op.operand(0)),
        _ => Folded::No,
    }
}

/// As [`divsi`], for both results.
pub fn divmod(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    match (int(op, constants, 0), int(op, constants, 1)) {
        (Some(lhs), Some(rhs)) if rhs != 0 => {
            let constant = |value| FoldResult::Attr(op.ctx.int_attr(value, op.type_of(op.result(0))));
            Folded::To([constant(lhs.wrapping_div(rhs)), constant(lhs.wrapping_rem(rhs))].into_iter().collect())
        }
        _ => Folded::No,
    }
}

/// `-(-x) = x`
pub fn neg(op: Neg<'_>, constants: Constants<'_>) -> Folded {
    if let Some(value) = int(*op, constants, 0) {
        return int_constant(*op, value.wrapping_neg());
    }
    let inner = op.body.defining_op(op.input()).and_then(|def| Neg::of(OpRef { id: def, ..*op }));
    inner.map_or(Folded::No, |inner| Folded::value(inner.input()))
}

/// `abs(abs(x)) = abs(x)`
pub fn abs(op: Abs<'_>, constants: Constants<'_>) -> Folded {
    if let Some(value) = int(*op, constants, 0) {
        return int_constant(*op, value.wrapping_abs());
    }
    let inner = op.body.defining_op(op.input()).and_then(|def| Abs::of(OpRef { id: def, ..*op }));
    inner.map_or(Folded::No, |_| Folded::value(op.input()))
}

/// A comparison of constants, or of a value with itself.
pub fn cmpi(op: Cmpi<'_>, constants: Constants<'_>) -> Folded {
    let ty = op.type_of(op.lhs());
    let (lhs, rhs) = match (int(*op, constants, 0), int(*op, constants, 1)) {
        (Some(lhs), Some(rhs)) => (lhs, rhs),
        _ if op.lhs() == op.rhs() => (0, 0),
        _ => return Folded::No,
    };
    Folded::attr(op.ctx.bool_attr(compare(op.predicate(), lhs, rhs, ty.bits(op.ctx).unwrap_or(128))))
}

/// A known condition, or one value on both sides.
pub fn select(op: Select<'_>, constants: Constants<'_>) -> Folded {
    match int(*op, constants, 0) {
        Some(0) => Folded::value(op.no()),
        Some(_) => Folded::value(op.yes()),
        None if op.yes() == op.no() => Folded::value(op.yes()),
        None => Folded::No,
    }
}

/// The sum of constants.
pub fn addf(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    match (float(op, constants, 0), float(op, constants, 1)) {
        (Some(lhs), Some(rhs)) => float_constant(op, lhs + rhs),
        _ => Folded::No,
    }
}

/// The product of constants, and `x * 1 = x`.
pub fn mulf(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    match (float(op, constants, 0), float(op, constants, 1)) {
        (Some(lhs), Some(rhs)) => float_constant(op, lhs * rhs),
        (_, Some(1.0)) => Folded::value(op.operand(0)),
        (Some(1.0), _) => Folded::value(op.operand(1)),
        _ => Folded::No,
    }
}

/// A sum of constants; a sum of one term with the sign plus is that term.
pub fn sum(op: Sum<'_>, constants: Constants<'_>) -> Folded {
    let signs = op.signs();
    if signs[..] == [1] {
        return Folded::value(op.operand(0));
    }
    let terms: Option<Vec<i128>> = (0..signs.len()).map(|index| int(*op, constants, index)).collect();
    let Some(terms) = terms else { return Folded::No };
    let sum =
        terms.iter().zip(&signs).fold(0i128, |sum, (&term, &sign)| sum.wrapping_add(term.wrapping_mul(sign.into())));
    int_constant(*op, sum)
}

/// The content of a box, put into a box again, is the box.
pub fn box_(op: MakeBox<'_>, _: Constants<'_>) -> Folded {
    let inner = op.body.defining_op(op.content()).and_then(|def| OpenBox::of(OpRef { id: def, ..*op }));
    inner.map_or(Folded::No, |inner| Folded::value(inner.boxed()))
}

/// What was just put into a box.
pub fn unbox(op: OpenBox<'_>, _: Constants<'_>) -> Folded {
    let inner = op.body.defining_op(op.boxed()).and_then(|def| MakeBox::of(OpRef { id: def, ..*op }));
    inner.map_or(Folded::No, |inner| Folded::value(inner.content()))
}

/// Nothing has to be assumed of a constant in the range.
pub fn assume(op: Assume<'_>, constants: Constants<'_>) -> Folded {
    let range = op.range();
    match int(*op, constants, 0) {
        Some(value) if i128::from(range.low(op.ctx)) <= value && value <= i128::from(range.high(op.ctx)) => {
            Folded::value(op.input())
        }
        _ => Folded::No,
    }
}
