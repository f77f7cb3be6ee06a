//! Arithmetic on the branches of forms.

use dlc_ir::affine::{AffineExpr, BinaryOp, Ranges};
use dlc_ir::interp::Datum;
use dlc_ir::{Context, OpRef, Type};
use dlc_tiny::ops::{Add, And, Cdiv, Cmod, Floordiv, Floormod, Max, Min, Mul, Or, Sub, Xor};

use super::count::Closed;
use super::form::{Branch, exact_to, integers};
use super::space::Space;

/// An operation on two elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Max,
    Min,
    And,
    Or,
    Xor,
    /// A quotient or a remainder, and whether it is rounded towards zero.
    Divide(BinaryOp, bool),
}

/// Numbers over the axes of a space, in the type of its elements.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub ctx: &'a Context,
    pub space: &'a Space,
}

impl Binary {
    /// The operation that an op does on each pair of elements.
    pub(super) fn of(op: OpRef<'_>) -> Option<Binary> {
        let known = [
            (Add::DEF, Binary::Add),
            (Sub::DEF, Binary::Sub),
            (Mul::DEF, Binary::Mul),
            (Max::DEF, Binary::Max),
            (Min::DEF, Binary::Min),
            (And::DEF, Binary::And),
            (Or::DEF, Binary::Or),
            (Xor::DEF, Binary::Xor),
            (Floordiv::DEF, Binary::Divide(BinaryOp::FloorDiv, false)),
            (Floormod::DEF, Binary::Divide(BinaryOp::Mod, false)),
            (Cdiv::DEF, Binary::Divide(BinaryOp::FloorDiv, true)),
            (Cmod::DEF, Binary::Divide(BinaryOp::Mod, true)),
        ];
        known.into_iter().find(|(def, _)| op.is(def)).map(|(_, binary)| binary)
    }
}

impl<'a> Numbers<'a> {
    fn elem(self) -> Type {
        self.space.elem
    }

    fn ranges(self) -> &'a Ranges {
        &self.space.ranges
    }

    /// The operation on two elements.
    pub(super) fn combine(self, binary: Binary, a: &Branch, b: &Branch) -> Option<Branch> {
        let is_bool = self.elem() == Type::I1;
        match binary {
            Binary::Add => self.sum(a, b),
            Binary::Or if is_bool => self.sum(a, b),
            Binary::Sub => self.difference(a, b),
            Binary::Mul => self.product(a, b),
            Binary::And if is_bool => self.product(a, b),
            Binary::Max => self.extreme(a, b, i64::max),
            Binary::Min => self.extreme(a, b, i64::min),
            Binary::Xor if is_bool => Some(Branch::whole(a.as_constant()? ^ b.as_constant()?)),
            Binary::And | Binary::Or | Binary::Xor => None,
            Binary::Divide(op, truncates) => self.divided(op, truncates, a, b),
        }
    }

    /// The number that an operation gives whatever the other side is.
    pub(super) fn absorbing(self, binary: Binary) -> Option<i64> {
        // In floats zero times an infinity, or what is not a number, is not zero.
        let (is_bool, is_float) = (self.elem() == Type::I1, self.elem().float_kind(self.ctx).is_some());
        match binary {
            Binary::Mul if !is_float => Some(0),
            Binary::And => Some(0),
            Binary::Min if is_bool => Some(0),
            Binary::Add | Binary::Or | Binary::Max if is_bool => Some(1),
            _ => None,
        }
    }

    /// Whether a type holds every value of a number as it is.
    pub(super) fn is_exact(self, closed: &Closed, elem: Type) -> bool {
        let limits = match exact_to(self.ctx, elem) {
            Some(limit) => Some((i128::from(-limit), i128::from(limit))),
            None => integers(self.ctx, elem),
        };
        limits.is_some_and(|(lo, hi)| closed.bounds(self.ranges()).within(lo, hi))
    }

    /// A branch of one type as one of another.
    pub(super) fn convert(self, branch: &Branch, from: Type, to: Type) -> Option<Branch> {
        if from == to {
            return Some(branch.clone());
        }
        let ctx = self.ctx;
        match branch {
            Branch::Whole(closed) if to == Type::I1 => {
                let value = closed.as_constant().filter(|_| self.is_exact(closed, from))?;
                Some(Branch::whole(i64::from(value != 0)))
            }
            Branch::Whole(closed) => {
                let (narrow, wide) = (to.bits(ctx)?, from.bits(ctx)?);
                // Modulo a power of two stays so modulo a lower one.
                let wraps = from.is_integer(ctx) && from != Type::I1 && to.is_integer(ctx) && narrow <= wide;
                let held = self.is_exact(closed, from) && (to.is_integer(ctx) || self.is_exact(closed, to));
                (wraps || held).then(|| branch.clone())
            }
            Branch::Number(attr) => match Datum::of_attr(ctx, *attr)? {
                Datum::Float(value) => Branch::of_float(ctx, value, to),
                _ => None,
            },
            Branch::Element(_) => None,
        }
    }

    /// A number as one of a type, if it is one of its.
    pub(super) fn in_type(self, closed: Closed) -> Option<Branch> {
        let integer = self.elem().is_integer(self.ctx) && self.elem() != Type::I1;
        (integer || self.is_exact(&closed, self.elem())).then_some(Branch::Whole(closed))
    }

    pub(super) fn negative(self, branch: &Branch) -> Option<Branch> {
        match branch {
            Branch::Whole(closed) if self.elem() == Type::I1 => Some(Branch::whole(1 - closed.as_constant()?)),
            // The negative of a float zero is another zero.
            Branch::Whole(closed) if self.elem().is_integer(self.ctx) => self.in_type(closed.negated(self.ranges())?),
            _ => None,
        }
    }

    fn sum(self, a: &Branch, b: &Branch) -> Option<Branch> {
        match (a, b) {
            (Branch::Whole(a), Branch::Whole(b)) if self.elem() == Type::I1 => {
                Some(Branch::whole(a.as_constant()? | b.as_constant()?))
            }
            (Branch::Whole(a), Branch::Whole(b)) => self.in_type(a.plus(b, self.ranges())?),
            (Branch::Element(_), zero) | (zero, Branch::Element(_))
                if zero.as_constant() == Some(0) && self.elem().is_integer(self.ctx) =>
            {
                Some(if matches!(a, Branch::Element(_)) { a.clone() } else { b.clone() })
            }
            _ => None,
        }
    }

    fn difference(self, a: &Branch, b: &Branch) -> Option<Branch> {
        match (a, b) {
            (Branch::Whole(a), Branch::Whole(b)) if self.elem() != Type::I1 => {
                self.in_type(a.plus(&b.negated(self.ranges())?, self.ranges())?)
            }
            _ => None,
        }
    }

    fn product(self, a: &Branch, b: &Branch) -> Option<Branch> {
        let integer = self.elem().is_integer(self.ctx);
        match (a, b) {
            (Branch::Whole(a), Branch::Whole(b)) => {
                // A zero times a negative float is the other zero.
                let signs =
                    integer || [a, b].iter().all(|side| side.bounds(self.ranges()).lo.is_some_and(|lo| lo >= 0));
                signs.then(|| a.times(b, self.ranges())).flatten().and_then(|product| self.in_type(product))
            }
            (Branch::Element(_), factor) | (factor, Branch::Element(_)) => match factor.as_constant()? {
                // Zero times an infinity, or what is not a number, is not zero.
                0 if integer => Some(Branch::whole(0)),
                1 => Some(if matches!(a, Branch::Element(_)) { a.clone() } else { b.clone() }),
                _ => None,
            },
            _ => None,
        }
    }

    fn extreme(self, a: &Branch, b: &Branch, f: fn(i64, i64) -> i64) -> Option<Branch> {
        let (a, b) = (a.as_constant()?, b.as_constant()?);
        let exact = |value: i64| self.is_exact(&Closed::constant(value), self.elem());
        (exact(a) && exact(b)).then(|| Branch::whole(f(a, b)))
    }

    /// A quotient or remainder by a positive constant. Rounded towards zero it is the same where nothing is negative.
    fn divided(self, op: BinaryOp, truncates: bool, a: &Branch, b: &Branch) -> Option<Branch> {
        let (Branch::Whole(dividend), Some(divisor)) = (a, b.as_constant()) else { return None };
        let integer = self.elem().is_integer(self.ctx) && self.elem() != Type::I1;
        let held = integer && divisor > 0 && self.is_exact(dividend, self.elem());
        let signs = !truncates || dividend.bounds(self.ranges()).lo.is_some_and(|lo| lo >= 0);
        if !held || !signs {
            return None;
        }
        let quotient = AffineExpr::binary(op, dividend.as_affine()?, &divisor.into()).ok()?;
        Some(Branch::Whole(Closed::Affine(quotient.simplify_under(self.ranges()))))
    }
}
