//! Questions about integer sets: whether they are empty, what follows from them, how they overlap; and unions of them.
//!
//! Everything is asked *within ranges*: of the dimensions (usually a box, its sizes possibly symbols) and of the
//! symbols. An answer that cannot be found is `None`, and an operation that cannot decide keeps what it has, so a result
//! is never wrong, at worst longer than need be. The arithmetic is that of `solve`.

use super::error::Result;
use super::expr::AffineExpr;
use super::map::{AffineMap, check_arity};
use super::range::{Interval, Ranges};
use super::rows::Row;
use super::set::{Constraint, IntegerSet, Relation};
use super::solve::System;

impl Constraint {
    /// The points at which the constraint does not hold: one constraint or, for an equality, either of two.
    ///
    /// Errors: `Overflow`, `TooLarge`.
    pub fn negated(&self) -> Result<Vec<Constraint>> {
        // Integers that are not >= 0 are <= -1.
        let below = self.expr.neg().and_then(|negative| negative.add(&AffineExpr::Constant(-1)));
        let below = below.or_else(|_| self.expr.add(&AffineExpr::Constant(1))?.neg())?;
        let not_negative = |expr| Constraint { expr, relation: Relation::NotNegative };
        Ok(match self.relation {
            Relation::NotNegative => vec![not_negative(below)],
            Relation::Zero => vec![not_negative(self.expr.add(&AffineExpr::Constant(-1))?), not_negative(below)],
        })
    }
}

/// What a set says of one dimension: it lies between expressions of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisBounds {
    /// The dimension is not below any of these.
    pub lower: Vec<AffineExpr>,
    /// The dimension is not above any of these.
    pub upper: Vec<AffineExpr>,
    /// The constraints in which the dimension does not occur.
    pub others: Vec<Constraint>,
}

impl AxisBounds {
    /// How many values the dimension has, at points of the other dimensions where [`AxisBounds::others`] hold; where the
    /// count is negative, there are none.
    ///
    /// `None` where the dimension is not bounded on both sides, or it is not known which bound is the tightest.
    pub fn count(&self, ranges: &Ranges) -> Option<AffineExpr> {
        // Whether `a >= b` within the ranges.
        let above =
            |a: &AffineExpr, b: &AffineExpr| a == b || a.sub(b).is_ok_and(|gap| gap.range_of(ranges).lo() >= Some(0));
        let lower = self.lower.iter().find(|own| self.lower.iter().all(|other| above(own, other)))?;
        let upper = self.upper.iter().find(|own| self.upper.iter().all(|other| above(other, own)))?;
        let count = upper.sub(lower).and_then(|gap| gap.add(&AffineExpr::Constant(1))).ok()?;
        Some(count.simplify_under(ranges))
    }
}

impl IntegerSet {
    /// Whether the set has no point within the ranges, whatever the symbols (`Some(true)`), or has one for some symbols
    /// (`Some(false)`), or that is not known.
    pub fn is_empty(&self, ranges: &Ranges) -> Option<bool> {
        let mut system = System::of(self, ranges);
        let (rows, all) = system.constraints(&self.constraints);
        system.has_no_point(&rows).filter(|empty| *empty || all)
    }

    /// Whether a constraint is known to hold at every point of the set within the ranges.
    pub fn implies(&self, constraint: &Constraint, ranges: &Ranges) -> bool {
        let mut system = System::of(self, ranges);
        let (rows, _) = system.constraints(&self.constraints);
        holds_where(&mut system, &rows, constraint)
    }

    /// Whether every point of the set within the ranges is known to be one of another.
    pub fn is_subset_of(&self, other: &IntegerSet, ranges: &Ranges) -> bool {
        let mut system = System::of(self, ranges);
        let (rows, _) = system.constraints(&self.constraints);
        other.constraints.iter().all(|constraint| holds_where(&mut system, &rows, constraint))
    }

    /// An interval that holds every value of an expression at the points within the ranges; symbols count as unknown
    /// numbers. For an empty set any answer is right.
    pub fn bounds_of(&self, expr: &AffineExpr, ranges: &Ranges) -> Interval {
        let mut system = System::of(self, ranges);
        let (rows, _) = system.constraints(&self.constraints);
        expr.range_of(ranges).intersect(system.bounds_of(expr, &rows))
    }

    /// The points of both. Errors: `Arity` where their dimensions or symbols are not as many.
    pub fn intersect(&self, other: &IntegerSet) -> Result<IntegerSet> {
        check_arity(self.num_dims(), other.num_dims() as usize, "dimensions")?;
        check_arity(self.num_symbols(), other.num_symbols() as usize, "symbols")?;
        let both = self.constraints().iter().chain(other.constraints()).cloned().collect();
        IntegerSet::new(self.num_dims(), self.num_symbols(), both)
    }

    /// The same points within the ranges, without the constraints that follow from the others, and simplified.
    pub fn without_redundant(&self, ranges: &Ranges) -> IntegerSet {
        let anything = IntegerSet { constraints: Vec::new(), ..self.clone() };
        self.gist(&anything, ranges)
    }

    /// A shorter set with the same points where `context` holds, within the ranges: what is known there, and what follows
    /// from the rest, is left out. As isl's `gist`.
    pub fn gist(&self, context: &IntegerSet, ranges: &Ranges) -> IntegerSet {
        let mut system = System::of(self, ranges);
        let (known, _) = system.constraints(&context.constraints);
        let mut constraints = self.simplify_under(ranges).constraints;
        constraints.sort();
        constraints.dedup();
        let row = |constraint: Constraint| (system.constraint(&constraint), constraint);
        let mut kept: Vec<(Option<Row>, Constraint)> = constraints.into_iter().map(row).collect();
        let mut at = 0;
        while at < kept.len() {
            let others = kept.iter().enumerate().filter(|(other, _)| *other != at);
            let rest = others.filter_map(|(_, (row, _))| row.as_ref()).chain(&known);
            let follows = kept[at].0.as_ref().is_some_and(|own| system.implies(rest, own) == Some(true));
            if follows {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        IntegerSet { constraints: kept.into_iter().map(|(_, constraint)| constraint).collect(), ..*self }
    }

    /// The points that a map takes into the set: its dimensions replaced by the results of the map.
    ///
    /// Errors: `Arity` where the map has not as many results as the set dimensions, `Overflow`, `TooLarge`.
    pub fn preimage(&self, map: &AffineMap) -> Result<IntegerSet> {
        check_arity(self.num_dims(), map.results().len(), "dimensions")?;
        let symbols: Vec<_> = (0..self.num_symbols()).map(AffineExpr::Symbol).collect();
        let replace = |constraint: &Constraint| {
            let expr = constraint.expr.substitute(map.results(), &symbols)?;
            Ok(Constraint { expr, relation: constraint.relation })
        };
        let constraints = self.constraints().iter().map(replace).collect::<Result<_>>()?;
        IntegerSet::new(map.num_dims(), self.num_symbols().max(map.num_symbols()), constraints)
    }

    /// What the set says of a dimension. `None` where the dimension stands in a quotient, a remainder or a product.
    pub fn bounds_on(&self, dim: u32, ranges: &Ranges) -> Option<AxisBounds> {
        let mut bounds = AxisBounds { lower: Vec::new(), upper: Vec::new(), others: Vec::new() };
        for constraint in self.constraints() {
            if !constraint.expr.is_function_of_dim(dim) {
                bounds.others.push(constraint.clone());
                continue;
            }
            // coefficient * dim + rest
            let coefficient = constraint.expr.coefficient_of(dim)?;
            let own = AffineExpr::Dim(dim).mul(&coefficient.into()).ok()?;
            let rest = constraint.expr.sub(&own).ok()?.simplify_under(ranges);
            if coefficient == 0 || rest.is_function_of_dim(dim) {
                return None;
            }
            let step = AffineExpr::Constant(coefficient.checked_abs()?);
            // For a positive coefficient dim >= ceil(-rest / coefficient), else dim <= floor(rest / -coefficient).
            let at_least = || rest.neg().and_then(|rest| rest.ceildiv(&step)).ok();
            let at_most = || rest.floordiv(&step).ok();
            match (constraint.relation, coefficient > 0) {
                (Relation::NotNegative, true) => bounds.lower.push(at_least()?.simplify_under(ranges)),
                (Relation::NotNegative, false) => bounds.upper.push(at_most()?.simplify_under(ranges)),
                (Relation::Zero, positive) => {
                    let target = if positive { rest.neg().ok()? } else { rest };
                    bounds.lower.push(target.ceildiv(&step).ok()?.simplify_under(ranges));
                    bounds.upper.push(target.floordiv(&step).ok()?.simplify_under(ranges));
                }
            }
        }
        Some(bounds)
    }
}

/// Whether a constraint is known to hold where the rows do.
fn holds_where(system: &mut System<'_>, rows: &[Row], constraint: &Constraint) -> bool {
    let ranges = system.ranges();
    let answer = system.constraint(constraint).and_then(|row| system.implies(rows, &row));
    answer.unwrap_or_else(|| constraint.decide(ranges) == Some(true))
}

impl AffineMap {
    /// Whether no two points of a set within the ranges, with the same symbols, have the same results
    /// (`Some(true)`), or two have (`Some(false)`), or that is not known.
    ///
    /// Errors: `Arity` where map and set have not as many dimensions, `TooLarge`.
    pub fn is_injective_on(&self, set: &IntegerSet, ranges: &Ranges) -> Result<Option<bool>> {
        check_arity(self.num_dims(), set.num_dims() as usize, "dimensions")?;
        let (dims, symbols) = (self.num_dims(), self.num_symbols().max(set.num_symbols()));
        // A second point has the dimensions after those of the first.
        let moved: Vec<_> = (dims..2 * dims).map(AffineExpr::Dim).collect();
        let same: Vec<_> = (0..symbols).map(AffineExpr::Symbol).collect();
        let mut both = set.constraints().to_vec();
        for constraint in set.constraints() {
            let expr = constraint.expr.substitute(&moved, &same)?;
            both.push(Constraint { expr, relation: constraint.relation });
        }
        for result in self.results() {
            both.push(Constraint::equal(result, &result.substitute(&moved, &same)?)?);
        }
        let mut doubled = ranges.clone();
        doubled.dims = (0..2 * dims).map(|dim| ranges.dim(dim % dims.max(1))).collect();
        let limit = |dim: u32| ranges.limits.get((dim % dims.max(1)) as usize).cloned().flatten();
        doubled.limits = (0..2 * dims).map(limit).collect();
        let mut system = System::new(2 * dims, symbols, &doubled);
        let (rows, all) = system.constraints(&both);
        let mut verdict = Some(true);
        for dim in 0..dims {
            // Being two points they differ in some dimension; which is the smaller there does not matter.
            let differ = Constraint::at_least(
                &AffineExpr::Dim(dims + dim),
                &AffineExpr::Dim(dim).add(&AffineExpr::Constant(1))?,
            )?;
            let differ = system.constraint(&differ);
            match differ.and_then(|differ| system.has_no_point(rows.iter().chain([&differ]))) {
                Some(true) => {}
                Some(false) if all => return Ok(Some(false)),
                _ => verdict = None,
            }
        }
        Ok(verdict)
    }
}

/// A union of integer sets over the same dimensions and symbols. Without pieces it is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Domain {
    num_dims: u32,
    num_symbols: u32,
    pieces: Vec<IntegerSet>,
}

impl Domain {
    /// The union of some pieces. Errors: `Arity` where their dimensions or symbols are not as many.
    pub fn new(num_dims: u32, num_symbols: u32, pieces: Vec<IntegerSet>) -> Result<Domain> {
        for piece in &pieces {
            check_arity(num_dims, piece.num_dims() as usize, "dimensions")?;
            check_arity(num_symbols, piece.num_symbols() as usize, "symbols")?;
        }
        Ok(Domain { num_dims, num_symbols, pieces })
    }

    /// The same dimensions and symbols with other pieces.
    pub(super) fn with_pieces(&self, pieces: Vec<IntegerSet>) -> Domain {
        Domain { pieces, ..*self }
    }

    /// Number of dimensions.
    pub fn num_dims(&self) -> u32 {
        self.num_dims
    }

    /// Number of symbols.
    pub fn num_symbols(&self) -> u32 {
        self.num_symbols
    }

    /// The pieces; a point of the union is in one of them, or in several.
    pub fn pieces(&self) -> &[IntegerSet] {
        &self.pieces
    }

    /// Whether the point is in a piece. Errors: as [`IntegerSet::contains`].
    pub fn contains(&self, dims: &[i64], symbols: &[i64]) -> Result<bool> {
        for piece in &self.pieces {
            if piece.contains(dims, symbols)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The points of either. Errors: `Arity`.
    pub fn union(&self, other: &Domain) -> Result<Domain> {
        let pieces = self.pieces.iter().chain(&other.pieces).cloned().collect();
        Domain::new(self.num_dims, self.num_symbols, pieces)
    }

    /// The points of both. Errors: `Arity`.
    pub fn intersect(&self, other: &Domain) -> Result<Domain> {
        let mut pieces = Vec::with_capacity(self.pieces.len() * other.pieces.len());
        for own in &self.pieces {
            for piece in &other.pieces {
                pieces.push(own.intersect(piece)?);
            }
        }
        Domain::new(self.num_dims, self.num_symbols, pieces)
    }

    /// The points that are not in a set, as disjoint pieces; those that are known to be empty are left out.
    ///
    /// Errors: `Arity`, `Overflow`, `TooLarge`.
    pub fn subtract(&self, set: &IntegerSet, ranges: &Ranges) -> Result<Domain> {
        let negated = set.constraints().iter().map(Constraint::negated).collect::<Result<Vec<_>>>()?;
        let mut pieces = Vec::new();
        for own in &self.pieces {
            let mut system = System::of(own, ranges);
            let (mut rows, _) = system.constraints(&own.constraints);
            // Not all constraints hold: the first that fails says which piece a point is in.
            let mut before = own.clone();
            for (constraint, cases) in set.constraints().iter().zip(&negated) {
                for case in cases {
                    let row = system.constraint(case);
                    if system.has_no_point(rows.iter().chain(&row)) != Some(true) {
                        let mut piece = before.clone();
                        piece.constraints.push(case.clone());
                        pieces.push(piece);
                    }
                }
                before.constraints.push(constraint.clone());
                rows.extend(system.constraint(constraint));
            }
        }
        Domain::new(self.num_dims, self.num_symbols, pieces)
    }

    /// The same points where `context` holds, within the ranges: each piece without what is known there, and without
    /// those that have no point. See [`IntegerSet::gist`].
    pub fn gist(&self, context: &IntegerSet, ranges: &Ranges) -> Domain {
        let known =
            |piece: &&IntegerSet| piece.intersect(context).is_ok_and(|both| both.is_empty(ranges) == Some(true));
        let pieces = self.pieces.iter().filter(|piece| !known(piece));
        self.with_pieces(pieces.map(|piece| piece.gist(context, ranges)).collect())
    }

    /// Whether there is no point within the ranges; see [`IntegerSet::is_empty`].
    pub fn is_empty(&self, ranges: &Ranges) -> Option<bool> {
        let mut verdict = Some(true);
        for piece in &self.pieces {
            match piece.is_empty(ranges) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => verdict = None,
            }
        }
        verdict
    }

    /// Whether every point within the ranges is one of another union, or not, or that is not known.
    ///
    /// Errors: as [`Domain::subtract`].
    pub fn is_subset_of(&self, other: &Domain, ranges: &Ranges) -> Result<Option<bool>> {
        let rest = other.pieces.iter().try_fold(self.clone(), |rest, piece| rest.subtract(piece, ranges))?;
        Ok(rest.is_empty(ranges))
    }
}
