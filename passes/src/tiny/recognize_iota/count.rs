//! Numbers that are known for every index, and how many indices of an axis a guard admits.
//!
//! A guard is a list of affine expressions over the indices `d0`, `d1`, .. that are all at least zero. Over one axis `k`
//! each of them is a bound of `k`, so the admitted indices are a range, and their number is
//! `max(0, min(upper bounds) - max(lower bounds) + 1)`. No general counting of integer points is needed.

use dlc_ir::affine::{AffineExpr, BinaryOp, Interval, Ranges};

/// A whole number, given for every index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Closed {
    /// An affine expression.
    Affine(AffineExpr),
    /// The least of some expressions, or zero where one of them is negative.
    Least { terms: Vec<AffineExpr>, or_zero: bool },
    /// A sum.
    Sum(Box<Closed>, Box<Closed>),
    /// A product.
    Product(Box<Closed>, Box<Closed>),
}

impl Closed {
    pub(super) fn constant(value: i64) -> Closed {
        Closed::Affine(value.into())
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match self {
            Closed::Affine(expr) => expr.as_constant(),
            _ => None,
        }
    }

    pub(super) fn as_affine(&self) -> Option<&AffineExpr> {
        match self {
            Closed::Affine(expr) => Some(expr),
            _ => None,
        }
    }

    /// `None` where a coefficient does not fit 64 bits.
    pub(super) fn plus(&self, other: &Closed, ranges: &Ranges) -> Option<Closed> {
        Some(match (self, other) {
            (Closed::Affine(a), Closed::Affine(b)) => Closed::Affine(a.add(b).ok()?.simplify_under(ranges)),
            (zero, sum) | (sum, zero) if zero.as_constant() == Some(0) => sum.clone(),
            (a, b) => Closed::Sum(Box::new(a.clone()), Box::new(b.clone())),
        })
    }

    /// `None` where a coefficient does not fit 64 bits.
    pub(super) fn times(&self, other: &Closed, ranges: &Ranges) -> Option<Closed> {
        match (self.as_constant(), other.as_constant()) {
            (Some(0), _) | (_, Some(0)) => return Some(Closed::constant(0)),
            (Some(1), _) => return Some(other.clone()),
            (_, Some(1)) => return Some(self.clone()),
            _ => {}
        }
        if let (Closed::Affine(a), Closed::Affine(b)) = (self, other)
            && (a.is_symbolic_or_constant() || b.is_symbolic_or_constant())
        {
            return Some(Closed::Affine(a.mul(b).ok()?.simplify_under(ranges)));
        }
        Some(Closed::Product(Box::new(self.clone()), Box::new(other.clone())))
    }

    pub(super) fn negated(&self, ranges: &Ranges) -> Option<Closed> {
        self.times(&Closed::constant(-1), ranges)
    }

    /// Every expression in it replaced.
    pub(super) fn map(&self, f: &dyn Fn(&AffineExpr) -> Option<AffineExpr>) -> Option<Closed> {
        let both = |a: &Closed, b: &Closed| Some((Box::new(a.map(f)?), Box::new(b.map(f)?)));
        Some(match self {
            Closed::Affine(expr) => Closed::Affine(f(expr)?),
            Closed::Least { terms, or_zero } => {
                Closed::Least { terms: terms.iter().map(f).collect::<Option<_>>()?, or_zero: *or_zero }
            }
            Closed::Sum(a, b) => both(a, b).map(|(a, b)| Closed::Sum(a, b))?,
            Closed::Product(a, b) => both(a, b).map(|(a, b)| Closed::Product(a, b))?,
        })
    }

    /// Whether the index of an axis occurs.
    pub(super) fn depends_on(&self, axis: u32) -> bool {
        match self {
            Closed::Affine(expr) => expr.is_function_of_dim(axis),
            Closed::Least { terms, .. } => terms.iter().any(|term| term.is_function_of_dim(axis)),
            Closed::Sum(a, b) | Closed::Product(a, b) => a.depends_on(axis) || b.depends_on(axis),
        }
    }

    /// The least and the greatest value, `None` where that is not known.
    pub(super) fn bounds(&self, ranges: &Ranges) -> Bounds {
        match self {
            Closed::Affine(expr) => Bounds::of(expr.range_of(ranges)),
            Closed::Least { terms, or_zero } => {
                let each: Vec<Bounds> = terms.iter().map(|term| Bounds::of(term.range_of(ranges))).collect();
                let lo = each.iter().map(|bounds| bounds.lo).min().flatten();
                let hi = each.iter().filter_map(|bounds| bounds.hi).min();
                match or_zero {
                    true => Bounds { lo: Some(lo.unwrap_or(0).max(0)), hi: hi.map(|hi| hi.max(0)) },
                    false => Bounds { lo, hi },
                }
            }
            Closed::Sum(a, b) => {
                let (a, b) = (a.bounds(ranges), b.bounds(ranges));
                let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
                Bounds { lo: sum(a.lo, b.lo), hi: sum(a.hi, b.hi) }
            }
            Closed::Product(a, b) => {
                let (a, b) = (a.bounds(ranges), b.bounds(ranges));
                let corners = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
                let corners: Option<Vec<i128>> = corners.iter().map(|(a, b)| (*a)?.checked_mul((*b)?)).collect();
                let corners = corners.unwrap_or_default();
                Bounds { lo: corners.iter().min().copied(), hi: corners.iter().max().copied() }
            }
        }
    }
}

/// Between what a number lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Bounds {
    fn of(interval: Interval) -> Bounds {
        Bounds { lo: interval.lo().map(i128::from), hi: interval.hi().map(i128::from) }
    }

    /// Whether every value lies within.
    pub(super) fn within(self, lo: i128, hi: i128) -> bool {
        self.lo.is_some_and(|own| lo <= own) && self.hi.is_some_and(|own| own <= hi)
    }
}

/// What a guard says of one axis.
pub(super) struct Along {
    /// The constraints that the axis has no part in.
    pub rest: Vec<AffineExpr>,
    /// The other constraints, as `factor * k + offset >= 0`.
    bounds: Vec<(i64, AffineExpr)>,
}

/// A guard as bounds of axis `k`; `None` where that axis is divided, so that what is admitted is no range.
pub(super) fn along(guard: &[AffineExpr], k: u32, ranges: &Ranges) -> Option<Along> {
    let mut along = Along { rest: Vec::new(), bounds: Vec::new() };
    for expr in guard {
        if expr.is_function_of_dim(k) {
            along.bounds.push(linear_in(expr, k, ranges)?);
        } else {
            along.rest.push(expr.clone());
        }
    }
    Some(along)
}

/// `(factor, offset)` with `expr = factor * k + offset` and no `k` in the offset.
pub(super) fn linear_in(expr: &AffineExpr, k: u32, ranges: &Ranges) -> Option<(i64, AffineExpr)> {
    let mut factor = 0_i64;
    let mut offset = AffineExpr::Constant(0);
    for term in terms(expr) {
        if !term.is_function_of_dim(k) {
            offset = offset.add(&term).ok()?;
            continue;
        }
        let own = match term.as_binary(BinaryOp::Mul) {
            Some((AffineExpr::Dim(_), value)) => value.as_constant()?,
            None if term == AffineExpr::Dim(k) => 1,
            _ => return None,
        };
        factor = factor.checked_add(own)?;
    }
    Some((factor, offset.simplify_under(ranges)))
}

/// The terms of a sum, from left to right.
pub(super) fn terms(expr: &AffineExpr) -> Vec<AffineExpr> {
    let (mut rest, mut found) = (vec![expr.clone()], Vec::new());
    while let Some(expr) = rest.pop() {
        match expr.as_binary(BinaryOp::Add) {
            Some((a, b)) => rest.extend([b.clone(), a.clone()]),
            None => found.push(expr),
        }
    }
    found
}

impl Along {
    /// The bounds of `k` in `[0, size)`: all lower ones, all upper ones.
    fn limits(&self, size: &AffineExpr, ranges: &Ranges) -> Option<(Vec<AffineExpr>, Vec<AffineExpr>)> {
        let mut lower = vec![AffineExpr::Constant(0)];
        let mut upper = vec![size.sub(&1.into()).ok()?];
        for (factor, offset) in &self.bounds {
            match *factor {
                // k >= ceil(-offset / factor) = -(offset floordiv factor)
                1.. => lower.push(offset.floordiv(&(*factor).into()).ok()?.neg().ok()?),
                ..=-1 => upper.push(offset.floordiv(&factor.checked_neg()?.into()).ok()?),
                0 => return None,
            }
        }
        let outermost = |a: &AffineExpr, b: &AffineExpr| never_negative(&a.sub(b).ok()?, ranges).then_some(());
        Some((strictest(lower, &|a, b| outermost(a, b).is_some()), strictest(upper, &|a, b| outermost(b, a).is_some())))
    }

    /// For each pair of an upper and a lower bound of `k`, what is between them and themselves. The least of these is
    /// the number of admitted indices, where it is not negative.
    fn lengths(&self, size: &AffineExpr, ranges: &Ranges) -> Option<Vec<AffineExpr>> {
        let (lower, upper) = self.limits(size, ranges)?;
        let mut lengths = Vec::new();
        for high in &upper {
            for low in &lower {
                lengths.push(high.sub(low).ok()?.add(&1.into()).ok()?.simplify_under(ranges));
            }
        }
        let at_most = |a: &AffineExpr, b: &AffineExpr| b.sub(a).is_ok_and(|gap| never_negative(&gap, ranges));
        Some(strictest(lengths, &at_most))
    }

    /// How many indices of the axis, `size` in all, are admitted where `rest` holds.
    pub(super) fn count(&self, size: &AffineExpr, ranges: &Ranges) -> Option<Closed> {
        let mut terms = self.lengths(size, ranges)?;
        if terms.iter().any(|term| term.range_of(ranges).hi().is_some_and(|hi| hi <= 0)) {
            return Some(Closed::constant(0));
        }
        let or_zero = !terms.iter().all(|term| never_negative(term, ranges));
        match (terms.len(), or_zero) {
            (1, false) => terms.pop().map(Closed::Affine),
            _ => Some(Closed::Least { terms, or_zero }),
        }
    }

    /// The guard of the other axes under which at least one index is admitted.
    pub(super) fn any(&self, size: &AffineExpr, ranges: &Ranges) -> Option<Vec<AffineExpr>> {
        let mut guard = self.rest.clone();
        for length in self.lengths(size, ranges)? {
            guard.push(length.sub(&1.into()).ok()?.simplify_under(ranges));
        }
        Some(guard)
    }

    /// The guard of the other axes under which every index is admitted, of which there is at least one.
    pub(super) fn all(&self, size: &AffineExpr, ranges: &Ranges) -> Option<Vec<AffineExpr>> {
        let mut guard = self.rest.clone();
        for (factor, offset) in &self.bounds {
            let worst = if *factor > 0 { 0.into() } else { size.sub(&1.into()).ok()?.mul(&(*factor).into()).ok()? };
            guard.push(offset.add(&worst).ok()?.simplify_under(ranges));
        }
        Some(guard)
    }
}

pub(super) fn never_negative(expr: &AffineExpr, ranges: &Ranges) -> bool {
    expr.range_of(ranges).lo().is_some_and(|lo| lo >= 0)
}

/// The expressions without those that another one implies.
fn strictest(mut exprs: Vec<AffineExpr>, implies: &dyn Fn(&AffineExpr, &AffineExpr) -> bool) -> Vec<AffineExpr> {
    let mut at = 0;
    while at < exprs.len() {
        let implied = exprs.iter().enumerate().any(|(other, expr)| other != at && implies(expr, &exprs[at]));
        if implied {
            exprs.remove(at);
        } else {
            at += 1;
        }
    }
    exprs
}
