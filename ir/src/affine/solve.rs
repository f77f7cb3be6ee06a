//! Whether constraints over integers can hold together, and between which bounds.
//!
//! Constraints become rows of coefficients, and the questions are those of `rows`. The variables are dimensions and
//! symbols, each with its interval; quotients by a constant, with the two rows that define them,
//! `0 <= numerator - c*q < c`; and *opaque* ones, products and quotients by a symbol, of which rows know only a range,
//! and whose values are computed where points are looked for.

use smallvec::SmallVec;

use super::expr::AffineExpr;
use super::poly::{Atom, Monomial, Poly};
use super::prove::{Known, range};
use super::range::{Interval, Ranges};
use super::rows::{GaveUp, Guess, MAX_ROWS, Problem, Row};
use super::set::{Constraint, IntegerSet, Relation};
use super::simplify::Leaf;

/// More variables than these and no question is answered.
const MAX_VARIABLES: usize = 200;

/// What is known of the variables of some constraints, whose rows are made here.
#[derive(Clone)]
pub(super) struct System<'r> {
    ranges: &'r Ranges,
    variables: Vec<Monomial<Leaf>>,
    bounds: SmallVec<[Interval; 12]>,
    /// What always holds: the definitions of quotients, and what dimensions are less than.
    definitions: Vec<Row>,
    opaque: Vec<usize>,
    /// Whether something that holds is not among the definitions, being too large: then points prove nothing.
    incomplete: bool,
}

impl<'r> System<'r> {
    /// Over dimensions and symbols that all are part of every question, with their ranges.
    pub(super) fn new(num_dims: u32, num_symbols: u32, ranges: &'r Ranges) -> System<'r> {
        let mut system = System {
            ranges,
            variables: Vec::with_capacity(12),
            bounds: SmallVec::new(),
            definitions: Vec::new(),
            opaque: Vec::new(),
            incomplete: false,
        };
        let dims = (0..num_dims).map(Leaf::Dim);
        for leaf in dims.chain((0..num_symbols).map(Leaf::Symbol)) {
            if system.variable(&Monomial::variable(leaf)).is_err() {
                system.incomplete = true;
            }
        }
        system
    }

    /// The ranges within which everything is asked.
    pub(super) fn ranges(&self) -> &'r Ranges {
        self.ranges
    }

    /// For the questions about a set.
    pub(super) fn of(set: &IntegerSet, ranges: &'r Ranges) -> System<'r> {
        System::new(set.num_dims, set.num_symbols, ranges)
    }

    /// The row of a constraint; `None` beyond 64 bits.
    pub(super) fn constraint(&mut self, constraint: &Constraint) -> Option<Row> {
        let poly = constraint.expr.to_poly(self.ranges).ok()?;
        self.row(&poly, constraint.relation == Relation::Zero).ok()
    }

    /// The rows of those constraints that have one, and whether all have.
    pub(super) fn constraints(&mut self, constraints: &[Constraint]) -> (Vec<Row>, bool) {
        let rows: Vec<Row> = constraints.iter().filter_map(|constraint| self.constraint(constraint)).collect();
        let all = rows.len() == constraints.len();
        (rows, all)
    }

    /// Whether no point satisfies all rows; `None` where that is not known.
    pub(super) fn has_no_point<'a>(&self, rows: impl IntoIterator<Item = &'a Row>) -> Option<bool> {
        self.decide(self.problem(rows)?)
    }

    /// Whether a row holds at every point that satisfies the others; `None` where that is not known.
    pub(super) fn implies<'a>(&self, rows: impl IntoIterator<Item = &'a Row>, row: &Row) -> Option<bool> {
        let problem = self.problem(rows)?;
        // A row may say it where its negation goes beyond 64 bits.
        if problem.rows.iter().any(|own| own.says(row)) {
            return Some(true);
        }
        for case in row.fails().ok()? {
            let mut problem = problem.clone();
            problem.rows.push(case);
            match self.decide(problem) {
                Some(true) => {}
                open => return open,
            }
        }
        Some(true)
    }

    fn decide(&self, problem: Problem) -> Option<bool> {
        let order = self.order();
        let compute = |variable: usize, bounds: &[Interval]| self.value(variable, bounds);
        let guess = Guess { order: &order, computed: &self.opaque, compute: &compute };
        problem.has_no_point((!self.incomplete).then_some(&guess))
    }

    /// An interval that holds every value of an expression at the points that satisfy the rows. Any answer is right when
    /// there are none.
    pub(super) fn bounds_of(&mut self, expr: &AffineExpr, rows: &[Row]) -> Interval {
        self.solve(expr, rows).unwrap_or(Interval::ALL)
    }

    fn solve(&mut self, expr: &AffineExpr, rows: &[Row]) -> Option<Interval> {
        let poly = expr.to_poly(self.ranges).ok()?;
        let mut value = self.row(&poly, true).ok()?;
        let place = self.bounds.len();
        value.coefficients.resize(place + 1, 0);
        value.coefficients[place] = -1;
        let mut problem = self.problem(rows.iter().chain([&value]))?;
        problem.bounds.push(Interval::ALL);
        Some(problem.bounds_of(place))
    }

    fn problem<'a>(&self, rows: impl IntoIterator<Item = &'a Row>) -> Option<Problem> {
        let mut rows: Vec<Row> = rows.into_iter().cloned().collect();
        rows.extend_from_slice(&self.definitions);
        (rows.len() <= MAX_ROWS).then(|| Problem { rows, bounds: self.bounds.clone() })
    }

    /// Dimensions and symbols before what they are put into. Quotients come last: rows decide them.
    fn order(&self) -> SmallVec<[usize; 12]> {
        let mut order: SmallVec<[usize; 12]> = (0..self.variables.len()).collect();
        let place = |variable: &usize| match self.variables[*variable].factors() {
            [Atom::Variable(Leaf::Dim(_))] => 0,
            [Atom::Variable(Leaf::Symbol(_))] => 1,
            _ if self.opaque.contains(variable) => 2,
            _ => 3,
        };
        order.sort_by_key(place);
        order
    }

    /// The value of a product or quotient, whose dimensions and symbols have values.
    fn value(&self, variable: usize, bounds: &[Interval]) -> Option<i64> {
        let value_of = |leaf: &Leaf| {
            let place =
                self.variables.iter().position(|own| matches!(own.factors(), [Atom::Variable(own)] if own == leaf));
            let value = place.and_then(|place| bounds[place].as_constant());
            value.ok_or_else(super::error::AffineError::overflow)
        };
        Poly::from(self.variables[variable].clone()).eval(&value_of).ok()
    }

    fn row(&mut self, poly: &Poly<Leaf>, equality: bool) -> Result<Row, GaveUp> {
        let (terms, constant) = poly.split_constant();
        let mut row = Row { coefficients: SmallVec::new(), constant, equality };
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
        if let Some(variable) = self.variables.iter().position(|own| own == monomial) {
            return Ok(variable);
        }
        if self.variables.len() >= MAX_VARIABLES {
            return Err(GaveUp);
        }
        let variable = self.variables.len();
        self.variables.push(monomial.clone());
        self.bounds.push(Interval::ALL);
        if self.define(variable, monomial).is_err() {
            self.incomplete = true;
        }
        Ok(variable)
    }

    fn define(&mut self, variable: usize, monomial: &Monomial<Leaf>) -> Result<(), GaveUp> {
        let own = || Poly::from(monomial.clone());
        match monomial.factors() {
            [Atom::Variable(leaf)] => {
                self.bounds[variable] = self.ranges.range(leaf);
                let Some(limit) = self.ranges.limit(leaf) else { return Ok(()) };
                // own <= limit - 1
                let above = limit.sub(&Poly::constant(1)).map_err(|_| GaveUp)?;
                match above.as_constant() {
                    Some(hi) => {
                        self.bounds[variable] = self.bounds[variable].intersect(Interval::new(i64::MIN, hi));
                        Ok(())
                    }
                    None => self.always(&above.sub(&own()).map_err(|_| GaveUp)?),
                }
            }
            [Atom::Floor(floor)] if floor.divisor.as_constant().is_some() => {
                let divisor = floor.divisor.as_constant().ok_or(GaveUp)?;
                let rest =
                    own().scale(divisor).and_then(|multiple| floor.numerator.sub(&multiple)).map_err(|_| GaveUp)?;
                let above = Poly::constant(divisor - 1).sub(&rest).map_err(|_| GaveUp)?;
                self.always(&rest)?;
                self.always(&above)
            }
            _ => {
                let own = own();
                self.bounds[variable] = range(&own, self.ranges);
                let mut leaves = Vec::new();
                own.for_each_variable(&mut |leaf| leaves.push(*leaf));
                for leaf in leaves {
                    self.variable(&Monomial::variable(leaf))?;
                }
                self.opaque.push(variable);
                Ok(())
            }
        }
    }

    /// Something that is not negative, wherever there is anything.
    fn always(&mut self, poly: &Poly<Leaf>) -> Result<(), GaveUp> {
        let row = self.row(poly, false)?;
        self.definitions.push(row);
        if self.definitions.len() > MAX_ROWS { Err(GaveUp) } else { Ok(()) }
    }
}
