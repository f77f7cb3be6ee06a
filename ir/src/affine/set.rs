//! Integer sets: the points at which affine constraints hold.

use super::error::Result;
use super::expr::AffineExpr;
use super::map::{check_arity, check_declared};
use super::range::Ranges;

/// `(d0, ..)[s0, ..] : (expr >= 0, expr == 0, ..)`. Without constraints it holds every point.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntegerSet {
    pub(super) num_dims: u32,
    pub(super) num_symbols: u32,
    pub(super) constraints: Vec<Constraint>,
}

/// One constraint: an expression and what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    /// The left side.
    pub expr: AffineExpr,
    /// How it stands to zero.
    pub relation: Relation,
}

/// How an expression stands to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `== 0`.
    Zero,
    /// `>= 0`.
    NotNegative,
}

impl Constraint {
    /// `lhs == rhs`. Errors: those of [`AffineExpr::sub`].
    pub fn equal(lhs: &AffineExpr, rhs: &AffineExpr) -> Result<Constraint> {
        Ok(Constraint { expr: lhs.sub(rhs)?, relation: Relation::Zero })
    }

    /// `lhs >= rhs`. Errors: those of [`AffineExpr::sub`].
    pub fn at_least(lhs: &AffineExpr, rhs: &AffineExpr) -> Result<Constraint> {
        Ok(Constraint { expr: lhs.sub(rhs)?, relation: Relation::NotNegative })
    }

    /// Whether the constraint holds at a point. Errors: those of [`AffineExpr::eval`].
    pub fn holds(&self, dims: &[i64], symbols: &[i64]) -> Result<bool> {
        let value = self.expr.eval(dims, symbols)?;
        Ok(match self.relation {
            Relation::Zero => value == 0,
            Relation::NotNegative => value >= 0,
        })
    }

    /// Whether the constraint holds, or fails, at all points of the ranges; `None` if that is not known.
    pub fn decide(&self, ranges: &Ranges) -> Option<bool> {
        let range = self.expr.range_of(ranges);
        match self.relation {
            Relation::Zero if range.as_constant() == Some(0) => Some(true),
            Relation::Zero if !range.contains(0) => Some(false),
            Relation::NotNegative if range.lo() >= Some(0) => Some(true),
            Relation::NotNegative if range.hi().is_some_and(|hi| hi < 0) => Some(false),
            _ => None,
        }
    }
}

impl IntegerSet {
    /// Errors: `Unbound` where a constraint has a dimension or symbol that is not declared.
    pub fn new(num_dims: u32, num_symbols: u32, constraints: Vec<Constraint>) -> Result<IntegerSet> {
        check_declared(num_dims, num_symbols, constraints.iter().map(|constraint| &constraint.expr))?;
        Ok(IntegerSet { num_dims, num_symbols, constraints })
    }

    /// Number of dimensions.
    pub fn num_dims(&self) -> u32 {
        self.num_dims
    }

    /// Number of symbols.
    pub fn num_symbols(&self) -> u32 {
        self.num_symbols
    }

    /// The constraints, in order; a point of the set satisfies all of them.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether the set holds the point.
    ///
    /// Errors: `Arity` for wrong numbers of values, and those of [`AffineExpr::eval`].
    pub fn contains(&self, dims: &[i64], symbols: &[i64]) -> Result<bool> {
        check_arity(self.num_dims, dims.len(), "dimensions")?;
        check_arity(self.num_symbols, symbols.len(), "symbols")?;
        for constraint in &self.constraints {
            if !constraint.holds(dims, symbols)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same points within the ranges: expressions simplified, inequalities divided by common factors, constraints
    /// that always hold there removed.
    pub fn simplify_under(&self, ranges: &Ranges) -> IntegerSet {
        let kept = self.constraints.iter().filter(|constraint| constraint.decide(ranges) != Some(true));
        let simplified = |constraint: &Constraint| {
            let (expr, relation) = (constraint.expr.simplify_under(ranges), constraint.relation);
            let divided = || expr.divided_by_common_factor(ranges).ok();
            let shorter = if relation == Relation::NotNegative { divided() } else { None };
            Constraint { expr: shorter.unwrap_or(expr), relation }
        };
        IntegerSet { constraints: kept.map(simplified).collect(), ..*self }
    }
}
