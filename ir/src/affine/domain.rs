//! Questions about integer sets: whether they are empty, what follows from them, how they overlap; and unions of them.
//!
//! Everything is asked *within ranges*: of the dimensions (usually a box, its sizes possibly symbols) and of the
//! symbols. An answer that cannot be found is `None`, and an operation that cannot decide keeps what it has, so a result
//! is never wrong, at worst longer than need be. The arithmetic is that of `solve`.

use super::error::Result;
use super::expr::AffineExpr;
use super::map::{AffineMap, check_arity};
use super::range::{Interval, Ranges};
use super::set::{Constraint, IntegerSet, Relation};
use super::solve::System;

impl Constraint {
    /// The points at which the constraint does not hold: one constraint or, for an equality, either of two.
    ///
    /// Errors: `Overflow`, `TooLarge`.
    pub fn negated(&self) -> Result<Vec<Constraint>> {
        // Integers that are not >= 0 are <= -1.
        let below = self.expr.neg()?.add(&AffineExpr::Constant(-1))?;
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

impl IntegerSet {
    /// Whether the set has no point within the ranges, whatever the symbols (`Some(true)`), or has one for some symbols
    /// (`Some(false)`), or that is not known.
    pub fn is_empty(&self, ranges: &Ranges) -> Option<bool> {
        self.with(&[], ranges)?.has_no_point()
    }

    /// Whether a constraint is known to hold at every point of the set within the ranges.
    pub fn implies(&self, constraint: &Constraint, ranges: &Ranges) -> bool {
        if constraint.decide(ranges) == Some(true) {
            return true;
        }
        let Ok(cases) = constraint.negated() else { return false };
        let empty = |case: &Constraint| self.with(std::slice::from_ref(case), ranges).and_then(System::has_no_point);
        cases.iter().all(|case| empty(case) == Some(true))
    }

    /// Whether every point of the set within the ranges is known to be one of another.
    pub fn is_subset_of(&self, other: &IntegerSet, ranges: &Ranges) -> bool {
        other.constraints().iter().all(|constraint| self.implies(constraint, ranges))
    }

    /// An interval that holds every value of an expression at the points within the ranges; symbols count as unknown
    /// numbers. For an empty set any answer is right.
    pub fn bounds_of(&self, expr: &AffineExpr, ranges: &Ranges) -> Interval {
        let direct = expr.range_of(ranges);
        let solved =
            self.with(&[], ranges).zip(expr.to_poly(ranges).ok()).map(|(system, poly)| system.bounds_of(&poly));
        solved.map_or(direct, |solved| direct.intersect(solved))
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
        let mut kept = self.simplify_under(ranges).constraints;
        kept.sort();
        kept.dedup();
        let mut at = 0;
        while at < kept.len() {
            let mut rest = kept.clone();
            let own = rest.remove(at);
            rest.extend_from_slice(&context.constraints);
            let rest = IntegerSet { constraints: rest, ..self.clone() };
            if rest.implies(&own, ranges) {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        IntegerSet { constraints: kept, ..self.clone() }
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

    /// The constraints of the set, and some more, as rows; `None` where one goes beyond 64 bits.
    fn with<'r>(&self, more: &[Constraint], ranges: &'r Ranges) -> Option<System<'r>> {
        let mut system = System::new(ranges);
        for constraint in self.constraints().iter().chain(more) {
            system.add(&constraint.expr.to_poly(ranges).ok()?, constraint.relation);
        }
        // A dimension or symbol whose own range has no value makes every set empty, whether it occurs or not.
        let dims = (0..self.num_dims()).map(AffineExpr::Dim);
        for leaf in dims.chain((0..self.num_symbols()).map(AffineExpr::Symbol)) {
            system.mention(&leaf.to_poly(&|_: &_| Interval::ALL).ok()?);
        }
        Some(system)
    }
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
        let mut verdict = Some(true);
        for dim in 0..dims {
            // Being two points they differ in some dimension; which is the smaller there does not matter.
            let differ = Constraint::at_least(
                &AffineExpr::Dim(dims + dim),
                &AffineExpr::Dim(dim).add(&AffineExpr::Constant(1))?,
            )?;
            let mut constraints = both.clone();
            constraints.push(differ);
            match IntegerSet::new(2 * dims, symbols, constraints)?.is_empty(&doubled) {
                Some(true) => {}
                Some(false) => return Ok(Some(false)),
                None => verdict = None,
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
        let mut pieces = Vec::new();
        for own in &self.pieces {
            // Not all constraints hold: the first that fails says which piece a point is in.
            let mut before = own.clone();
            for constraint in set.constraints() {
                for case in constraint.negated()? {
                    let mut piece = before.clone();
                    piece.constraints.push(case);
                    if piece.is_empty(ranges) != Some(true) {
                        pieces.push(piece);
                    }
                }
                before.constraints.push(constraint.clone());
            }
        }
        Domain::new(self.num_dims, self.num_symbols, pieces)
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

    /// The same points within the ranges in fewer pieces: empty ones and those inside of others are gone, and two that
    /// are one together are joined, as isl's `coalesce` does it in its simplest case.
    ///
    /// Two pieces are joined when the constraints that both keep describe no point outside of the two.
    pub fn coalesce(&self, ranges: &Ranges) -> Domain {
        let simple = |piece: &IntegerSet| piece.without_redundant(ranges);
        let mut pieces: Vec<_> =
            self.pieces.iter().filter(|piece| piece.is_empty(ranges) != Some(true)).map(simple).collect();
        'again: loop {
            for a in 0..pieces.len() {
                for b in 0..pieces.len() {
                    if a == b {
                        continue;
                    }
                    let joined = if pieces[b].is_subset_of(&pieces[a], ranges) {
                        Some(pieces[a].clone())
                    } else {
                        self.joined(&pieces[a], &pieces[b], ranges)
                    };
                    if let Some(joined) = joined {
                        pieces[a] = joined.without_redundant(ranges);
                        pieces.remove(b);
                        continue 'again;
                    }
                }
            }
            break;
        }
        pieces.sort();
        Domain { pieces, ..*self }
    }

    /// The set of the constraints that hold in both, if it is no more than the two.
    fn joined(&self, a: &IntegerSet, b: &IntegerSet, ranges: &Ranges) -> Option<IntegerSet> {
        let of_both = |own: &IntegerSet, other: &IntegerSet| {
            let kept = own.constraints().iter().filter(|constraint| other.implies(constraint, ranges));
            kept.cloned().collect::<Vec<_>>()
        };
        let constraints = [of_both(a, b), of_both(b, a)].concat();
        let joined = IntegerSet::new(self.num_dims, self.num_symbols, constraints).ok()?;
        let whole = Domain::new(self.num_dims, self.num_symbols, vec![joined.clone()]).ok()?;
        let two = Domain::new(self.num_dims, self.num_symbols, vec![a.clone(), b.clone()]).ok()?;
        (whole.is_subset_of(&two, ranges) == Ok(Some(true))).then_some(joined)
    }
}
