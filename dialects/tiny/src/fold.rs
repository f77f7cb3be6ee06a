//! Local simplification: what an op is when its operands are constants, or known to be each other.
//!
//! Only what is exact is done: of floats `x * 1` and `x + -0.0`, but not `x + 0.0`, which is no negative zero, and not
//! `x * 0`, which may be no number. What computes with constants alone is left to the evaluators (`fold-constants`).

use dlc_core::numbers::holds;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::op::Folded;
use dlc_ir::{Attr, Builder, Loc, OpId, OpRef, Type, ValueId, float};

use crate::ops::{Cast, Cmp, Const, Flip, Load, Neg, Pad, Permute, Predicate, Reduce, Shrink, View};
use crate::shape::index_of;

/// The constants of the operands; `None` where one is not known.
type Constants<'a> = &'a [Option<Attr>];

/// Makes a constant of a number or a dense tensor.
pub fn materialize(builder: &mut Builder<'_>, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
    let ctx = builder.ctx;
    let elem = Tensor::of(ctx, ty)?.elem(ctx);
    let fits = match ctx.attr_data(value) {
        AttrData::Integer { ty, .. } | AttrData::Float { ty, .. } => *ty == elem,
        AttrData::Dense(dense) => dlc_core::constant::dense_type(ctx, dense) == Some(ty),
        _ => false,
    };
    fits.then(|| Const::build(builder, loc, value, ty))
}

/// A constant is its value.
pub fn const_(op: Const<'_>, _: Constants<'_>) -> Folded {
    Folded::attr(op.value())
}

// Views.

/// A view to the type of the operand that moves nothing; or of a number that all elements are.
fn view_fold(op: OpRef<'_>, constants: Constants<'_>, moves_nothing: bool) -> Folded {
    if moves_nothing && op.type_of(op.operand(0)) == op.type_of(op.result(0)) {
        return Folded::value(op.operand(0));
    }
    number(op, constants, 0).map_or(Folded::No, Folded::attr)
}

/// To the own sizes; of a number.
pub fn reshape(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    view_fold(op, constants, true)
}

/// In the order that there is; of a number.
pub fn permute(op: Permute<'_>, constants: Constants<'_>) -> Folded {
    view_fold(*op, constants, op.order().is_sorted())
}

/// To the own sizes; of a number.
pub fn expand(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    view_fold(op, constants, true)
}

/// Of nothing; of a number with the same number.
pub fn pad(op: Pad<'_>, constants: Constants<'_>) -> Folded {
    let none = |sizes: Vec<SizeExpr>| sizes.iter().all(|size| size.as_constant() == Some(0));
    if none(op.low()) && none(op.high()) {
        return Folded::value(op.input());
    }
    let around = op.value().or_else(|| zero(*op));
    number(*op, constants, 0).filter(|&inside| around == Some(inside)).map_or(Folded::No, Folded::attr)
}

/// Of everything; of a number.
pub fn shrink(op: Shrink<'_>, constants: Constants<'_>) -> Folded {
    view_fold(*op, constants, op.start().iter().all(|start| start.as_constant() == Some(0)))
}

/// Over no axis with two elements; of a number.
pub fn flip(op: Flip<'_>, constants: Constants<'_>) -> Folded {
    let dims = dims(*op, op.input());
    let single = |&axis: &i64| matches!(dims[axis as usize].as_constant(), Some(0 | 1));
    view_fold(*op, constants, op.axes().iter().all(single))
}

/// Without sizes; in row-major order to the own sizes; of a number.
pub fn view(op: View<'_>, constants: Constants<'_>) -> Folded {
    let (Some(strides), Some(start)) = (op.strides(), op.start()) else { return Folded::value(op.input()) };
    let mut stride = Some(SizeExpr::from(1));
    let mut row_major = start.iter().all(|start| start.as_constant() == Some(0));
    for (size, own) in dims(*op, op.out()).iter().zip(&strides).rev() {
        row_major &= stride.as_ref() == Some(own);
        stride = stride.and_then(|stride| stride.mul(size).ok());
    }
    view_fold(*op, constants, row_major)
}

/// Without indices; at the own indices; of a number.
pub fn load(op: Load<'_>, constants: Constants<'_>) -> Folded {
    let Some(at) = op.at() else { return Folded::value(op.input()) };
    let own = |(axis, at): (usize, &SizeExpr)| at.as_symbol().and_then(index_of) == Some(axis);
    view_fold(*op, constants, at.iter().enumerate().all(own))
}

// Arithmetic.

/// `x + 0` of integers, `x + -0.0` of floats.
pub fn add(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    fold_identity(op, constants, true, |op, value| is_int(op, value, 0) || is_float(op, value, -0.0))
}

/// `x - 0`; of integers `x - x = 0`.
pub fn sub(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    if op.operand(0) == op.operand(1) && is_integer(op) {
        return zero(op).map_or(Folded::No, Folded::attr);
    }
    fold_identity(op, constants, false, |op, value| is_int(op, value, 0) || is_float(op, value, 0.0))
}

/// `x * 1`; of integers `x * 0 = 0`.
pub fn mul(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    absorbing(op, constants, 0).unwrap_or_else(|| {
        fold_identity(op, constants, true, |op, value| is_int(op, value, 1) || is_float(op, value, 1.0))
    })
}

/// `x / 1`, `x ** 1`
pub fn by_one(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    fold_identity(op, constants, false, |op, value| is_int(op, value, 1) || is_float(op, value, 1.0))
}

/// `x & -1`, `x & 0 = 0`
pub fn and(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    absorbing(op, constants, 0).unwrap_or_else(|| fold_identity(op, constants, true, |op, value| is_int(op, value, -1)))
}

/// `x | 0`, `x | -1 = -1`
pub fn or(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    absorbing(op, constants, -1).unwrap_or_else(|| fold_identity(op, constants, true, |op, value| is_int(op, value, 0)))
}

/// `x ^ 0`, `x ^ x = 0`
pub fn xor(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    if op.operand(0) == op.operand(1) {
        return zero(op).map_or(Folded::No, Folded::attr);
    }
    fold_identity(op, constants, true, |op, value| is_int(op, value, 0))
}

/// Moved by 0.
pub fn shift(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    fold_identity(op, constants, false, |_, value| {
        matches!(op.ctx.attr_data(value), AttrData::Integer { value: 0, .. })
    })
}

/// `-(-x) = x`
pub fn neg(op: Neg<'_>, _: Constants<'_>) -> Folded {
    let inner = defining(*op, op.input()).and_then(Neg::of);
    inner.map_or(Folded::No, |inner| Folded::value(inner.input()))
}

/// To the own type; to a type that holds all numbers, and back.
pub fn cast(op: Cast<'_>, _: Constants<'_>) -> Folded {
    if op.type_of(op.input()) == op.type_of(op.out()) {
        return Folded::value(op.input());
    }
    match defining(*op, op.input()).and_then(Cast::of) {
        Some(inner) if op.type_of(inner.input()) == op.type_of(op.out()) => {
            let through = elem(*op, inner.out());
            if holds(op.ctx, through, op.elem()) { Folded::value(inner.input()) } else { Folded::No }
        }
        _ => Folded::No,
    }
}

/// A value with itself, unless it may be no number; a truth value with what leaves it as it is.
pub fn cmp(op: Cmp<'_>, constants: Constants<'_>) -> Folded {
    use Predicate::{Eq, Ge, Le, Ne};
    let ctx = op.ctx;
    let integer = elem(*op, op.lhs()).float_kind(ctx).is_none();
    if op.lhs() == op.rhs() && integer {
        return Folded::attr(ctx.bool_attr(matches!(op.predicate(), Eq | Le | Ge)));
    }
    let kept = match op.predicate() {
        Eq => 1,
        Ne => 0,
        _ => return Folded::No,
    };
    let truth_values = elem(*op, op.lhs()) == Type::I1 && elem(*op, op.rhs()) == Type::I1;
    if !truth_values {
        return Folded::No;
    }
    fold_identity(*op, constants, true, |op, value| is_int(op, value, kept))
}

/// By a condition that is known; of one value; of the truth values themselves.
pub fn where_(op: OpRef<'_>, constants: Constants<'_>) -> Folded {
    let same = |value: ValueId| op.type_of(value) == op.type_of(op.result(0));
    let condition = number(op, constants, 0).and_then(|value| value.as_bool(op.ctx));
    let chosen = match condition {
        Some(true) => Some(op.operand(1)),
        Some(false) => Some(op.operand(2)),
        None if op.operand(1) == op.operand(2) => Some(op.operand(1)),
        None => None,
    };
    if let Some(chosen) = chosen.filter(|&chosen| same(chosen)) {
        return Folded::value(chosen);
    }
    let both = (number(op, constants, 1), number(op, constants, 2));
    match both {
        (Some(yes), Some(no)) if yes == no => Folded::attr(yes),
        (Some(Attr::TRUE), Some(Attr::FALSE)) if same(op.operand(0)) => Folded::value(op.operand(0)),
        _ => Folded::No,
    }
}

/// Over no axes.
pub fn reduce(op: Reduce<'_>, _: Constants<'_>) -> Folded {
    let nothing = op.axes().is_empty() && op.type_of(op.input()) == op.type_of(op.out());
    if nothing { Folded::value(op.input()) } else { Folded::No }
}

// What the folds ask.

/// The other operand where one is a number that changes nothing; the right one, or `either`.
fn fold_identity(
    op: OpRef<'_>,
    constants: Constants<'_>,
    either: bool,
    is_identity: impl Fn(OpRef<'_>, Attr) -> bool,
) -> Folded {
    for (place, other) in [(1, 0), (0, 1)].into_iter().take(if either { 2 } else { 1 }) {
        let changes_nothing = number(op, constants, place).is_some_and(|value| is_identity(op, value));
        // Neither broadcast nor cast.
        if changes_nothing && op.type_of(op.operand(other)) == op.type_of(op.result(0)) {
            return Folded::value(op.operand(other));
        }
    }
    Folded::No
}

/// The integer that absorbs the other operand, where one is that.
fn absorbing(op: OpRef<'_>, constants: Constants<'_>, value: i128) -> Option<Folded> {
    let found = [0, 1].into_iter().filter_map(|place| number(op, constants, place)).any(|n| is_int(op, n, value));
    (found && is_integer(op)).then(|| Folded::attr(op.ctx.int_attr(value, elem(op, op.result(0)))))
}

/// The number that all elements of an operand are.
fn number(op: OpRef<'_>, constants: Constants<'_>, index: usize) -> Option<Attr> {
    let value = (*constants.get(index)?)?;
    matches!(op.ctx.attr_data(value), AttrData::Integer { .. } | AttrData::Float { .. }).then_some(value)
}

/// Whether a number is this integer. A negative one is that only in the type of the result: `ui8` has none, and becomes
/// wider by zeros.
fn is_int(op: OpRef<'_>, number: Attr, value: i128) -> bool {
    match op.ctx.attr_data(number) {
        AttrData::Integer { ty, .. } if value >= 0 || *ty == elem(op, op.result(0)) => {
            number == op.ctx.int_attr(value, *ty)
        }
        _ => false,
    }
}

/// Whether a number is this float, bit by bit.
fn is_float(op: OpRef<'_>, number: Attr, value: f64) -> bool {
    match op.ctx.attr_data(number) {
        AttrData::Float { ty, bits } => {
            ty.float_kind(op.ctx).is_some_and(|kind| float::decode(*bits, kind).to_bits() == value.to_bits())
        }
        _ => false,
    }
}

/// Whether the result has integers.
fn is_integer(op: OpRef<'_>) -> bool {
    elem(op, op.result(0)).float_kind(op.ctx).is_none()
}

/// Zero in the type of the result.
fn zero(op: OpRef<'_>) -> Option<Attr> {
    let (ctx, ty) = (op.ctx, elem(op, op.result(0)));
    Some(match ty.float_kind(ctx) {
        Some(_) => ctx.attr(AttrData::Float { ty, bits: 0 }),
        None => ctx.int_attr(0, ty),
    })
}

pub(crate) fn defining(op: OpRef<'_>, value: ValueId) -> Option<OpRef<'_>> {
    op.body.defining_op(value).map(|id| OpRef { id, ..op })
}

pub(crate) fn elem(op: OpRef<'_>, value: ValueId) -> Type {
    Tensor::expect(op.ctx, op.type_of(value)).elem(op.ctx)
}

pub(crate) fn dims(op: OpRef<'_>, value: ValueId) -> Vec<SizeExpr> {
    Tensor::expect(op.ctx, op.type_of(value)).dims(op.ctx)
}
