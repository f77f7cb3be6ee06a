//! Whether constraints over integers can hold together, and between which bounds.
//!
//! Constraints become rows of coefficients. A quotient by a constant is a variable of its own with the two rows that
//! define it, `0 <= numerator - c*q < c`; a product, or a quotient by a symbol, is a variable of which only its range is
//! known. Variables are then taken out one by one: through an equality that has them with the coefficient 1, otherwise
//! by Fourier-Motzkin elimination (Schrijver, *Theory of Linear and Integer Programming*, section 12.2). Each row is
//! divided by the common divisor of its coefficients and its constant rounded, as in Pugh, "The Omega Test" (1991).
//!
//! A contradiction found is one. None found means that there are points only while every step was *exact*: no variable
//! stood for something that is not linear, and of each pair of rows combined one had the coefficient 1.

use rustc_hash::FxHashMap;

use super::poly::{Atom, Monomial, Poly};
use super::prove::range;
use super::range::{Interval, Ranges};
use super::set::Relation;
use super::simplify::Leaf;

/// More rows than these and the question stays open: elimination can square their number at each step.
const MAX_ROWS: usize = 400;

/// `sum of coefficients[i] * variable i + constant`, which is zero or not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    coefficients: Vec<i64>,
    constant: i64,
    equality: bool,
}

/// What a row without common factors says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    /// Something about its variables.
    Kept,
    /// It always holds.
    Holds,
    /// It never holds.
    Fails,
}

/// Why nothing can be said: a number beyond 64 bits, or too many rows.
struct GaveUp;

/// Constraints as rows.
#[derive(Clone)]
pub(super) struct System<'r> {
    ranges: &'r Ranges,
    variables: FxHashMap<Monomial<Leaf>, usize>,
    rows: Vec<Row>,
    width: usize,
    /// Whether points of the rows are points of the constraints.
    exact: bool,
    failed: bool,
}

impl<'r> System<'r> {
    pub(super) fn new(ranges: &'r Ranges) -> System<'r> {
        System { ranges, variables: FxHashMap::default(), rows: Vec::new(), width: 0, exact: true, failed: false }
    }

    /// One constraint more. Once something does not fit, every question stays open.
    pub(super) fn add(&mut self, poly: &Poly<Leaf>, relation: Relation) {
        if self.try_add(poly, relation == Relation::Zero).is_err() {
            self.failed = true;
        }
    }

    /// The variables of a polynomial are part of every question, with their ranges.
    pub(super) fn mention(&mut self, poly: &Poly<Leaf>) {
        if self.row(poly, false).is_err() {
            self.failed = true;
        }
    }

    fn try_add(&mut self, poly: &Poly<Leaf>, equality: bool) -> Result<(), GaveUp> {
        let row = self.row(poly, equality)?;
        self.rows.push(row);
        if self.rows.len() > MAX_ROWS { Err(GaveUp) } else { Ok(()) }
    }

    fn row(&mut self, poly: &Poly<Leaf>, equality: bool) -> Result<Row, GaveUp> {
        let (terms, constant) = poly.split_constant();
        let mut row = Row { coefficients: Vec::new(), constant, equality };
        for (monomial, coefficient) in terms {
            let variable = self.variable(monomial)?;
            if row.coefficients.len() <= variable {
                row.coefficients.resize(variable + 1, 0);
            }
            row.coefficients[variable] = *coefficient;
        }
        Ok(row)
    }

    /// The variable of a monomial, with what is known of it when it is new.
    fn variable(&mut self, monomial: &Monomial<Leaf>) -> Result<usize, GaveUp> {
        if let Some(&variable) = self.variables.get(monomial) {
            return Ok(variable);
        }
        let variable = self.fresh();
        self.variables.insert(monomial.clone(), variable);
        let own = Poly::from(monomial.clone());
        match monomial.factors() {
            [Atom::Variable(leaf)] => {
                self.within(&own, self.ranges_of(leaf))?;
                if let Some(limit) = self.limit(leaf) {
                    // own < limit
                    let below = limit.sub(&own).and_then(|gap| gap.sub(&Poly::constant(1))).map_err(|_| GaveUp)?;
                    self.try_add(&below, false)?;
                }
            }
            [Atom::Floor(floor)] if floor.divisor.as_constant().is_some() => {
                let divisor = floor.divisor.as_constant().ok_or(GaveUp)?;
                let rest =
                    own.scale(divisor).and_then(|multiple| floor.numerator.sub(&multiple)).map_err(|_| GaveUp)?;
                self.within(&rest, Interval::new(0, divisor - 1))?;
            }
            _ => {
                self.exact = false;
                let known = range(&own, self.ranges);
                self.within(&own, known)?;
            }
        }
        Ok(variable)
    }

    fn fresh(&mut self) -> usize {
        self.width += 1;
        self.width - 1
    }

    fn ranges_of(&self, leaf: &Leaf) -> Interval {
        match leaf {
            Leaf::Dim(index) => self.ranges.dim(*index),
            Leaf::Symbol(index) => self.ranges.symbol(*index),
        }
    }

    fn limit(&self, leaf: &Leaf) -> Option<Poly<Leaf>> {
        super::prove::Known::limit(self.ranges, leaf)
    }

    fn within(&mut self, poly: &Poly<Leaf>, interval: Interval) -> Result<(), GaveUp> {
        if let Some(lo) = interval.lo() {
            self.try_add(&poly.sub(&Poly::constant(lo)).map_err(|_| GaveUp)?, false)?;
        }
        if let Some(hi) = interval.hi() {
            self.try_add(&Poly::constant(hi).sub(poly).map_err(|_| GaveUp)?, false)?;
        }
        Ok(())
    }

    /// Whether no point satisfies all constraints; `None` where that is not known.
    pub(super) fn has_no_point(mut self) -> Option<bool> {
        if self.failed {
            return None;
        }
        match self.eliminate(None) {
            Ok(true) => Some(true),
            Ok(false) if self.exact => Some(false),
            _ => None,
        }
    }

    /// An interval that holds every value of a polynomial at the points. Any answer is right when there are none.
    pub(super) fn bounds_of(mut self, poly: &Poly<Leaf>) -> Interval {
        let value = self.fresh();
        let Ok(mut row) = self.row(poly, true) else { return Interval::ALL };
        row.coefficients.resize(self.width, 0);
        row.coefficients[value] = -1;
        self.rows.push(row);
        if self.failed || self.eliminate(Some(value)).is_err() {
            return Interval::ALL;
        }
        let mut known = Interval::ALL;
        for row in &self.rows {
            let coefficient = row.coefficients.get(value).copied().unwrap_or(0);
            // coefficient * value + constant >= 0; after rounding the coefficient of a lone variable is 1 or -1.
            let Some(bound) = row.constant.checked_neg() else { continue };
            if coefficient == 1 {
                known = known.intersect(Interval::new(bound, if row.equality { bound } else { i64::MAX }));
            } else if coefficient == -1 {
                known =
                    known.intersect(Interval::new(if row.equality { row.constant } else { i64::MIN }, row.constant));
            }
        }
        known
    }

    /// Takes out every variable but one. Whether a contradiction was found.
    fn eliminate(&mut self, keep: Option<usize>) -> Result<bool, GaveUp> {
        for row in &mut self.rows {
            row.coefficients.resize(self.width, 0);
        }
        loop {
            if self.tidy() {
                return Ok(true);
            }
            if let Some((at, variable)) = self.unit_equality(keep) {
                self.substitute(at, variable)?;
                continue;
            }
            let Some(variable) = self.cheapest(keep) else { return Ok(false) };
            self.project(variable)?;
        }
    }

    /// Divides rows by common factors and drops those that say nothing new. Whether one of them never holds.
    fn tidy(&mut self) -> bool {
        let mut seen: FxHashMap<(Vec<i64>, bool), usize> = FxHashMap::default();
        let mut kept: Vec<Row> = Vec::with_capacity(self.rows.len());
        for mut row in self.rows.drain(..) {
            match row.tighten() {
                Says::Fails => return true,
                Says::Holds => continue,
                Says::Kept => {}
            }
            match seen.get(&(row.coefficients.clone(), row.equality)) {
                Some(&at) if row.equality && kept[at].constant != row.constant => return true,
                Some(&at) => kept[at].constant = kept[at].constant.min(row.constant),
                None => {
                    seen.insert((row.coefficients.clone(), row.equality), kept.len());
                    kept.push(row);
                }
            }
        }
        self.rows = kept;
        false
    }

    /// An equality and a variable in it with the coefficient 1 or -1.
    fn unit_equality(&self, keep: Option<usize>) -> Option<(usize, usize)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.equality).find_map(|(at, row)| {
            let unit =
                |(variable, value): (usize, &i64)| (value.abs() == 1 && Some(variable) != keep).then_some(variable);
            row.coefficients.iter().enumerate().find_map(unit).map(|variable| (at, variable))
        })
    }

    /// Puts what an equality says of a variable into the other rows.
    fn substitute(&mut self, at: usize, variable: usize) -> Result<(), GaveUp> {
        let equality = self.rows.swap_remove(at);
        let own = equality.coefficients[variable];
        for row in &mut self.rows {
            let factor = row.coefficients[variable].checked_mul(-own).ok_or(GaveUp)?;
            if factor != 0 {
                *row = row.plus(1, &equality, factor)?;
            }
        }
        Ok(())
    }

    /// The variable whose projection makes the fewest rows.
    fn cheapest(&self, keep: Option<usize>) -> Option<usize> {
        let used = (0..self.width).filter(|&variable| Some(variable) != keep);
        used.filter_map(|variable| {
            let (mut lower, mut upper) = (0usize, 0usize);
            for row in &self.rows {
                let value = row.coefficients[variable];
                lower += usize::from(value > 0 || (value != 0 && row.equality));
                upper += usize::from(value < 0 || (value != 0 && row.equality));
            }
            (lower + upper > 0).then_some((lower * upper, variable))
        })
        .min()
        .map(|(_, variable)| variable)
    }

    /// Fourier-Motzkin: each lower bound of the variable must not be above any of its upper bounds.
    fn project(&mut self, variable: usize) -> Result<(), GaveUp> {
        let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.rows.drain(..) {
            match row.coefficients[variable] {
                0 => rest.push(row),
                // An equality without a coefficient of 1 is two bounds; that it must divide is lost.
                value if row.equality => {
                    self.exact = false;
                    let (mut one, mut other) = (Row { equality: false, ..row.clone() }, row.negated()?);
                    other.equality = false;
                    if value < 0 {
                        std::mem::swap(&mut one, &mut other);
                    }
                    lower.push(one);
                    upper.push(other);
                }
                value if value > 0 => lower.push(row),
                _ => upper.push(row),
            }
        }
        for low in &lower {
            for high in &upper {
                let (a, b) = (low.coefficients[variable], -high.coefficients[variable]);
                self.exact &= a == 1 || b == 1;
                rest.push(low.times(b)?.plus(1, high, a)?);
                if rest.len() > MAX_ROWS {
                    return Err(GaveUp);
                }
            }
        }
        self.rows = rest;
        Ok(())
    }
}

impl Row {
    /// Divides by the common factor of the coefficients; what that leaves of the constant of an inequality is rounded
    /// down, since the sum is a whole number.
    fn tighten(&mut self) -> Says {
        let common =
            self.coefficients.iter().fold(0u64, |common, value| super::error::gcd(common, value.unsigned_abs()));
        let Ok(common) = i64::try_from(common) else { return Says::Kept };
        if common == 0 {
            let holds = if self.equality { self.constant == 0 } else { self.constant >= 0 };
            return if holds { Says::Holds } else { Says::Fails };
        }
        if self.equality && self.constant % common != 0 {
            return Says::Fails;
        }
        self.coefficients.iter_mut().for_each(|value| *value /= common);
        self.constant = self.constant.div_euclid(common);
        if self.equality && self.coefficients.iter().find(|value| **value != 0).is_some_and(|first| *first < 0) {
            // Equalities that say the same look the same.
            if let Ok(turned) = self.negated() {
                *self = turned;
            }
        }
        Says::Kept
    }

    fn times(&self, factor: i64) -> Result<Row, GaveUp> {
        let scaled = self.coefficients.iter().map(|value| value.checked_mul(factor)).collect::<Option<Vec<_>>>();
        let constant = self.constant.checked_mul(factor);
        let (Some(coefficients), Some(constant)) = (scaled, constant) else { return Err(GaveUp) };
        Ok(Row { coefficients, constant, equality: self.equality })
    }

    fn negated(&self) -> Result<Row, GaveUp> {
        self.times(-1)
    }

    /// `own * self + factor * other`; an equality only when `self` is one.
    fn plus(&self, own: i64, other: &Row, factor: i64) -> Result<Row, GaveUp> {
        let (mut sum, other) = (self.times(own)?, other.times(factor)?);
        for (value, add) in sum.coefficients.iter_mut().zip(&other.coefficients) {
            *value = value.checked_add(*add).ok_or(GaveUp)?;
        }
        sum.constant = sum.constant.checked_add(other.constant).ok_or(GaveUp)?;
        Ok(sum)
    }
}
