//! Simplification of affine expressions under known ranges.
//!
//! The expression becomes a polynomial whose variables are dimensions, symbols and quotients (`poly`); there, equal
//! terms cancel and `floor` decides quotients by ranges; `decompose` finds the remainders again; and the result is
//! built back as an expression. Where a step overflows or grows beyond the limits, the expression stays as it is.
//!
//! Decided: quotients and remainders that ranges or common factors settle, nested ones, sums of quotient and remainder
//! of one dividend, like terms. Not decided: what needs case distinctions (`d0 floordiv 2 + (d0 + 1) floordiv 2`), or
//! a bound on one dimension in terms of another.

use super::decompose::{Factor, written};
use super::error::{AffineError, Result, gcd};
use super::expr::{AffineExpr, BinaryOp};
use super::floor::floor_div;
use super::poly::{Atom, Poly};
use super::prove::{Env, Known, range};
use super::range::{Interval, Ranges};

/// Quotients are simplified again in the form that the round before has given them, until nothing changes. Two rounds
/// are the rule; what still changes after these is right, if not the shortest.
const MAX_ROUNDS: usize = 6;

/// A dimension or a symbol as the variable of a polynomial. Dimensions come first in the canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Leaf {
    Dim(u32),
    Symbol(u32),
}

impl AffineExpr {
    /// An expression with the same value at every point of the ranges at which this one has a value, in a canonical
    /// form: sums and products expanded, dimensions before symbols before quotients before remainders, `ceildiv`
    /// written with `floordiv`. Within the ranges it may have a value where this one has none.
    ///
    /// Intermediate results are those of the new form, so near the ends of 64 bits it can overflow where this one did
    /// not (or the reverse). What cannot be decided stays.
    pub fn simplify_under(&self, ranges: &Ranges) -> AffineExpr {
        if !matches!(self, AffineExpr::Binary(_)) {
            return self.with_range(ranges);
        }
        self.try_simplify(ranges).unwrap_or_else(|_| self.clone())
    }

    /// An interval that holds every value of the expression within the ranges.
    pub fn range_of(&self, ranges: &Ranges) -> Interval {
        let by_tree = self.interval(ranges);
        if by_tree.as_constant().is_some() || !matches!(self, AffineExpr::Binary(_)) {
            return by_tree;
        }
        match self.to_poly(ranges) {
            Ok(poly) => by_tree.intersect(range(&poly, ranges)),
            Err(_) => by_tree,
        }
    }

    /// An interval that holds every value of the expression within the ranges, by walking the tree.
    ///
    /// Divisors are taken to be positive, as the expression has no value otherwise. Two occurrences of one
    /// dimension count as two dimensions here.
    fn interval(&self, ranges: &Ranges) -> Interval {
        let node = match self {
            AffineExpr::Dim(index) => return ranges.dim(*index),
            AffineExpr::Symbol(index) => return ranges.symbol(*index),
            AffineExpr::Constant(value) => return Interval::constant(*value),
            AffineExpr::Binary(node) => node,
        };
        let (lhs, rhs) = (node.lhs().interval(ranges), node.rhs().interval(ranges));
        match node.op() {
            BinaryOp::Add => lhs.add(rhs),
            BinaryOp::Mul => lhs.mul(rhs),
            BinaryOp::FloorDiv => lhs.floordiv(rhs),
            // a ceildiv b = -((-a) floordiv b)
            BinaryOp::CeilDiv => lhs.scale(-1).floordiv(rhs).scale(-1),
            BinaryOp::Mod => lhs.remainder(rhs),
        }
    }

    fn with_range(&self, ranges: &Ranges) -> AffineExpr {
        self.interval(ranges).as_constant().map_or_else(|| self.clone(), AffineExpr::Constant)
    }

    fn try_simplify(&self, env: Env<'_, Leaf>) -> Result<AffineExpr> {
        let mut expr = self.clone();
        for _ in 0..MAX_ROUNDS {
            let poly = expr.to_poly(env)?;
            if let Some(value) = range(&poly, env).as_constant() {
                return Ok(AffineExpr::Constant(value));
            }
            let simpler = from_poly(&poly, env)?;
            if !poly.has_quotient() || simpler == expr {
                return Ok(simpler);
            }
            expr = simpler;
        }
        Ok(expr)
    }

    /// The expression divided by what all its coefficients have in common, the constant rounded down: that is not
    /// negative where this one is not. `Err` beyond 64 bits.
    pub(super) fn divided_by_common_factor(&self, env: Env<'_, Leaf>) -> Result<AffineExpr> {
        let poly = self.to_poly(env)?;
        let (terms, _) = poly.split_constant();
        let common = terms.iter().fold(0, |common, (_, value)| gcd(common, value.unsigned_abs()));
        match i64::try_from(common) {
            Ok(common) if common > 1 => {
                from_poly(&poly.map_coefficients(|_, value| Ok(value.div_euclid(common)))?, env)
            }
            _ => Ok(self.clone()),
        }
    }

    pub(super) fn to_poly(&self, env: Env<'_, Leaf>) -> Result<Poly<Leaf>> {
        let leaf = |leaf: Leaf| match env.range(&leaf).as_constant() {
            Some(value) => Poly::constant(value),
            None => Poly::variable(leaf),
        };
        let node = match self {
            AffineExpr::Dim(index) => return Ok(leaf(Leaf::Dim(*index))),
            AffineExpr::Symbol(index) => return Ok(leaf(Leaf::Symbol(*index))),
            AffineExpr::Constant(value) => return Ok(Poly::constant(*value)),
            AffineExpr::Binary(node) => node,
        };
        apply(node.op(), &node.lhs().to_poly(env)?, &node.rhs().to_poly(env)?, env)
    }
}

/// The operation on polynomials.
pub(super) fn apply<V: super::poly::Variable>(
    op: BinaryOp,
    lhs: &Poly<V>,
    rhs: &Poly<V>,
    env: Env<'_, V>,
) -> Result<Poly<V>> {
    match op {
        BinaryOp::Add => lhs.add(rhs),
        BinaryOp::Mul => lhs.mul(rhs),
        BinaryOp::FloorDiv => floor_div(lhs, rhs, env),
        // Of numbers the quotient fits where the sum of both does not.
        BinaryOp::CeilDiv => match (lhs.as_constant(), rhs.as_constant()) {
            (Some(of), Some(by @ 1..)) => op.apply(of, by).map(Poly::constant),
            _ => floor_div(&lhs.add(&rhs.sub(&Poly::constant(1))?)?, rhs, env),
        },
        BinaryOp::Mod => lhs.sub(&rhs.mul(&floor_div(lhs, rhs, env)?)?),
    }
}

impl Known<Leaf> for Ranges {
    fn range(&self, leaf: &Leaf) -> Interval {
        match leaf {
            Leaf::Dim(index) => self.dim(*index),
            Leaf::Symbol(index) => self.symbol(*index),
        }
    }

    fn limit(&self, leaf: &Leaf) -> Option<Poly<Leaf>> {
        let Leaf::Dim(index) = leaf else { return None };
        let limit = self.limits.get(*index as usize)?.as_ref()?;
        // One that is a constant is a part of the range.
        let symbolic = limit.is_symbolic_or_constant() && limit.as_constant().is_none();
        symbolic.then(|| limit.to_poly(&|leaf: &Leaf| self.range(leaf)).ok()).flatten()
    }
}

fn from_poly(poly: &Poly<Leaf>, env: Env<'_, Leaf>) -> Result<AffineExpr> {
    let written = written(poly, env);
    let mut terms = Vec::with_capacity(written.terms.len());
    for (coefficient, factors) in &written.terms {
        let factors = factors.iter().map(|factor| from_factor(factor, env)).collect::<Result<Vec<_>>>()?;
        // The constructors move symbolic operands to the right; doing it here keeps their order canonical.
        let (symbolic, with_dims) = factors.into_iter().partition::<Vec<_>, _>(AffineExpr::is_symbolic_or_constant);
        terms.push(fold(with_dims.into_iter().chain(symbolic), 1, AffineExpr::mul)?.mul(&(*coefficient).into())?);
    }
    let (symbolic, with_dims) = terms.into_iter().partition::<Vec<_>, _>(AffineExpr::is_symbolic_or_constant);
    fold(with_dims.into_iter().chain(symbolic), 0, AffineExpr::add)?.add(&written.constant.into())
}

fn from_factor(factor: &Factor<Leaf>, env: Env<'_, Leaf>) -> Result<AffineExpr> {
    match factor {
        Factor::Atom(Atom::Variable(Leaf::Dim(index))) => Ok(AffineExpr::Dim(*index)),
        Factor::Atom(Atom::Variable(Leaf::Symbol(index))) => Ok(AffineExpr::Symbol(*index)),
        Factor::Atom(Atom::Floor(floor)) => {
            from_poly(&floor.numerator, env)?.floordiv(&from_poly(&floor.divisor, env)?)
        }
        Factor::Remainder(dividend, divisor) => from_poly(dividend, env)?.modulo(&from_poly(divisor, env)?),
        Factor::RoundedUp(dividend, divisor) => from_poly(dividend, env)?.ceildiv(&from_poly(divisor, env)?),
    }
}

fn fold(
    exprs: impl Iterator<Item = AffineExpr>,
    identity: i64,
    op: fn(&AffineExpr, &AffineExpr) -> Result<AffineExpr>,
) -> Result<AffineExpr> {
    let mut result: Option<AffineExpr> = None;
    for expr in exprs {
        result = Some(match result {
            Some(before) => op(&before, &expr)?,
            None => expr,
        });
    }
    Ok::<_, AffineError>(result.unwrap_or(AffineExpr::Constant(identity)))
}

impl From<i64> for AffineExpr {
    fn from(value: i64) -> AffineExpr {
        AffineExpr::Constant(value)
    }
}
