//! Rows of integer coefficients, what they say of the ranges of their variables, and whether all can hold at once.
//!
//! A [`Problem`] is a conjunction of rows and of an interval for each variable. Three ways to answer it, the cheapest
//! first; each is sound by itself:
//! - *narrowing*: what a row leaves to a variable when the others take their extreme values, repeated. It finds most
//!   contradictions (Davis, "Constraint propagation with interval labels", 1987).
//! - *search*: variables are given values, those near an end of their interval first, with narrowing in between, a
//!   limited number of times. It finds most points.
//! - *elimination*: variables are taken out one by one, through an equality that has them with the coefficient 1,
//!   otherwise by Fourier-Motzkin elimination (Schrijver, *Theory of Linear and Integer Programming*, section 12.2). A
//!   row is divided by the common divisor of its coefficients and its constant rounded, as in Pugh, "The Omega Test"
//!   (1991). A contradiction found is one; none found means that there are points only while every step was *exact*:
//!   of each pair of rows combined one had the coefficient 1.

use smallvec::SmallVec;

use super::error::gcd;
use super::range::Interval;

/// More rows than these and the question stays open: elimination can square their number at each step.
pub(super) const MAX_ROWS: usize = 400;

/// Two coefficients of up to this have a 64-bit product.
const LARGE: u64 = 1 << 31;

/// How many choices a search makes before and after elimination.
const FEW_STEPS: usize = 8;
const STEPS: usize = 200;

/// How often the rows are gone through to narrow the variables: growing bounds need not come to an end.
const ROUNDS: usize = 6;

/// `sum of coefficients[i] * variable i + constant`, which is zero or not negative. Variables beyond the coefficients
/// do not occur.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) equality: bool,
    pub(super) coefficients: SmallVec<[i64; 12]>,
    pub(super) constant: i64,
}

/// Why nothing can be said: a number beyond 64 bits, or too many rows.
pub(super) struct GaveUp;

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    Point,
    NoPoint,
    Open,
}

impl Search {
    fn verdict(self) -> Option<bool> {
        match self {
            Search::Point => Some(false),
            Search::NoPoint => Some(true),
            Search::Open => None,
        }
    }
}

/// How points are looked for.
pub(super) struct Guess<'a> {
    /// All variables, as they are to be tried.
    pub(super) order: &'a [usize],
    /// Those that are never guessed, but computed when all before them have a value.
    pub(super) computed: &'a [usize],
    /// The value of such a variable; `None` where there is none, or beyond 64 bits.
    pub(super) compute: &'a dyn Fn(usize, &[Interval]) -> Option<i64>,
}

/// Rows that hold together, and an interval for each variable.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) rows: Vec<Row>,
    pub(super) bounds: SmallVec<[Interval; 12]>,
}

/// That not all rows can hold.
pub(super) struct Contradiction;

impl Problem {
    /// Whether no point satisfies all rows; `None` where that is not known.
    ///
    /// Without `guess` points do not count: then the answer is `Some(true)` or none.
    pub(super) fn has_no_point(mut self, guess: Option<&Guess<'_>>) -> Option<bool> {
        let Ok(given) = self.start() else { return Some(true) };
        let search = |problem: &Problem, mut steps: usize| {
            let ended =
                guess.map(|guess| search(&problem.rows, problem.bounds.clone(), guess.order, guess, &mut steps));
            ended.and_then(Search::verdict)
        };
        // Enough to give each variable a value, and to be wrong a few times.
        if let Some(verdict) = search(&self, self.bounds.len() + FEW_STEPS) {
            return Some(verdict);
        }
        match self.clone().eliminate(None, true) {
            Ok(Elimination::Contradiction) => return Some(true),
            // Intervals that were narrowed far have ends beyond 64 bits in some row: without those ends less is known, and
            // what is left may still contradict.
            Err(GaveUp) => {
                let mut wider = Problem { rows: self.rows.clone(), bounds: given };
                if let Ok(Elimination::Contradiction) = wider.eliminate(None, false) {
                    return Some(true);
                }
            }
            // What is computed is not linear, and elimination knows only its interval.
            Ok(Elimination::Done { exact: true }) if guess.is_some_and(|guess| guess.computed.is_empty()) => {
                return Some(false);
            }
            _ => {}
        }
        search(&self, STEPS)
    }

    /// An interval that holds every value of a variable. Any answer is right when there are no points.
    pub(super) fn bounds_of(mut self, variable: usize) -> Interval {
        if self.start().is_err() {
            return self.bounds[variable];
        }
        let narrowed = self.bounds[variable];
        match self.eliminate(Some(variable), true) {
            Ok(_) => self.bounds[variable].intersect(narrowed),
            Err(GaveUp) => narrowed,
        }
    }

    /// Brings all rows to one width, shortens them and narrows the variables. The intervals before these were narrowed.
    fn start(&mut self) -> Result<SmallVec<[Interval; 12]>, Contradiction> {
        for row in &mut self.rows {
            row.coefficients.resize(self.bounds.len(), 0);
        }
        if self.bounds.iter().any(|interval| interval.is_empty()) {
            return Err(Contradiction);
        }
        self.shorten()?;
        let given = self.bounds.clone();
        narrow(&self.rows, &mut self.bounds)?;
        self.shorten()?;
        Ok(given)
    }

    /// Divides rows by common factors. Those of one variable become a part of its interval, and those that hold within
    /// the intervals go.
    fn shorten(&mut self) -> Result<(), Contradiction> {
        let mut at = 0;
        while at < self.rows.len() {
            self.rows[at].divide()?;
            let row = &self.rows[at];
            let kept = match row.only_variable() {
                None => !row.always(&self.bounds),
                Some((variable, value)) => match row.bound_of_one(value) {
                    Some(bound) => {
                        self.bounds[variable] = self.bounds[variable].intersect(bound);
                        if self.bounds[variable].is_empty() {
                            return Err(Contradiction);
                        }
                        false
                    }
                    None => true,
                },
            };
            if kept {
                at += 1;
            } else {
                self.rows.swap_remove(at);
            }
        }
        Ok(())
    }

    /// Takes out every variable but one; `narrows` what the others leave to each in between.
    fn eliminate(&mut self, keep: Option<usize>, narrows: bool) -> Result<Elimination, GaveUp> {
        let mut exact = true;
        loop {
            if self.shorten().is_err() || (narrows && narrow_once(&self.rows, &mut self.bounds).is_err()) {
                return Ok(Elimination::Contradiction);
            }
            self.without_weaker();
            if let Some((at, variable)) = self.unit_equality(keep) {
                self.substitute(at, variable)?;
            } else if let Some(variable) = self.cheapest(keep) {
                exact &= self.project(variable)?;
            } else {
                return Ok(Elimination::Done { exact });
            }
        }
    }

    /// Of rows with the same coefficients only the strongest stays.
    fn without_weaker(&mut self) {
        // Sorted by coefficients, and then by constants.
        self.rows.sort_unstable();
        self.rows.dedup_by(|next, kept| {
            next == kept || (!next.equality && !kept.equality && next.coefficients == kept.coefficients)
        });
    }

    /// An equality and a variable in it with the coefficient 1 or -1.
    fn unit_equality(&self, keep: Option<usize>) -> Option<(usize, usize)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.equality).find_map(|(at, row)| {
            let unit = row.used().find(|(variable, value)| value.unsigned_abs() == 1 && Some(*variable) != keep);
            unit.map(|(variable, _)| (at, variable))
        })
    }

    /// Puts what an equality says of a variable into the other rows, and its interval into new ones.
    fn substitute(&mut self, at: usize, variable: usize) -> Result<(), GaveUp> {
        let equality = self.rows.swap_remove(at);
        let sides = self.take_sides(variable);
        self.rows.extend(sides);
        let own = equality.coefficients[variable];
        for row in &mut self.rows {
            let factor = row.coefficients[variable].checked_mul(-own).ok_or(GaveUp)?;
            if factor != 0 {
                *row = row.plus(1, &equality, factor)?;
            }
        }
        Ok(())
    }

    /// The interval of a variable as rows; it is open from then on.
    fn take_sides(&mut self, variable: usize) -> SmallVec<[Row; 2]> {
        let interval = std::mem::replace(&mut self.bounds[variable], Interval::ALL);
        let mut sides = SmallVec::new();
        let mut side = |coefficient: i64, constant: Option<i64>| {
            let Some(constant) = constant else { return };
            let mut coefficients = SmallVec::from_elem(0, self.bounds.len());
            coefficients[variable] = coefficient;
            sides.push(Row { equality: false, coefficients, constant });
        };
        side(1, interval.lo().and_then(i64::checked_neg));
        side(-1, interval.hi());
        sides
    }

    /// The variable whose projection makes the fewest rows; those with large coefficients come last, as products with these
    /// may go beyond 64 bits, and without the others less is left to multiply.
    fn cheapest(&self, keep: Option<usize>) -> Option<usize> {
        let others = (0..self.bounds.len()).filter(|&variable| Some(variable) != keep);
        others
            .filter_map(|variable| {
                let (mut lower, mut upper, mut is_large) = (0usize, 0usize, false);
                for row in &self.rows {
                    let value = row.coefficients[variable];
                    is_large |= value.unsigned_abs() > LARGE;
                    lower += usize::from(value > 0 || (value != 0 && row.equality));
                    upper += usize::from(value < 0 || (value != 0 && row.equality));
                }
                if lower + upper == 0 {
                    return None;
                }
                lower += usize::from(self.bounds[variable].lo().is_some());
                upper += usize::from(self.bounds[variable].hi().is_some());
                Some((is_large, lower * upper, variable))
            })
            .min()
            .map(|(.., variable)| variable)
    }

    /// Fourier-Motzkin: each lower bound of the variable must not be above any of its upper bounds. Whether nothing was
    /// lost.
    fn project(&mut self, variable: usize) -> Result<bool, GaveUp> {
        let mut exact = true;
        let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let sides = self.take_sides(variable);
        for row in self.rows.drain(..).chain(sides) {
            match row.coefficients[variable] {
                0 => rest.push(row),
                // An equality without a coefficient of 1 is two bounds; that it must divide is lost.
                value if row.equality => {
                    exact = false;
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
                exact &= low.coefficients[variable] == 1 || high.coefficients[variable] == -1;
                // Without a row that is beyond 64 bits the others still hold.
                let combined = low.combined(high, variable);
                exact &= combined.as_ref().is_some_and(|&(_, is_whole)| is_whole);
                rest.extend(combined.map(|(row, _)| row));
                if rest.len() > MAX_ROWS {
                    return Err(GaveUp);
                }
            }
        }
        self.rows = rest;
        Ok(exact)
    }
}

/// What elimination comes to.
enum Elimination {
    Contradiction,
    /// None was found; if every step was exact there is none.
    Done {
        exact: bool,
    },
}

/// Narrows the variables until nothing changes, or for some rounds.
fn narrow(rows: &[Row], bounds: &mut [Interval]) -> Result<(), Contradiction> {
    for _ in 0..ROUNDS {
        if !narrow_once(rows, bounds)? {
            break;
        }
    }
    Ok(())
}

/// One round. Whether something changed.
fn narrow_once(rows: &[Row], bounds: &mut [Interval]) -> Result<bool, Contradiction> {
    let mut changed = false;
    for row in rows {
        changed |= row.narrow(1, bounds)?;
        if row.equality {
            changed |= row.narrow(-1, bounds)?;
        }
    }
    Ok(changed)
}

/// Looks for a point, the intervals narrowed and halved by giving a variable an end of its interval or not.
fn search(
    rows: &[Row],
    mut bounds: SmallVec<[Interval; 12]>,
    mut order: &[usize],
    guess: &Guess<'_>,
    steps: &mut usize,
) -> Search {
    if narrow(rows, &mut bounds).is_err() {
        return Search::NoPoint;
    }
    loop {
        let Some((&variable, later)) = order.split_first() else {
            return holds_all(rows, &bounds);
        };
        if guess.computed.contains(&variable) {
            match (guess.compute)(variable, &bounds) {
                Some(value) if bounds[variable].contains(value) => bounds[variable] = Interval::constant(value),
                Some(_) => return Search::NoPoint,
                None => return Search::Open,
            }
            if narrow(rows, &mut bounds).is_err() {
                return Search::NoPoint;
            }
        } else if bounds[variable].as_constant().is_none() {
            break;
        }
        order = later;
    }
    let variable = order[0];
    let Some(left) = steps.checked_sub(1) else { return Search::Open };
    *steps = left;
    let own = bounds[variable];
    let mut open = false;
    for part in parts(own) {
        let mut within = bounds.clone();
        within[variable] = part;
        match search(rows, within, order, guess, steps) {
            Search::Point => return Search::Point,
            Search::Open => open = true,
            Search::NoPoint => {}
        }
    }
    if open { Search::Open } else { Search::NoPoint }
}

/// Whether the only point within the intervals is one at which all rows hold.
fn holds_all(rows: &[Row], bounds: &[Interval]) -> Search {
    let mut found = Search::Point;
    for row in rows {
        match row.holds(bounds) {
            Some(true) => {}
            Some(false) => return Search::NoPoint,
            None => found = Search::Open,
        }
    }
    found
}

/// An interval in parts, the first ones being single values.
fn parts(interval: Interval) -> SmallVec<[Interval; 3]> {
    let mut parts: SmallVec<[Interval; 3]> = SmallVec::new();
    // What is above or below an end of 64 bits is not looked at; then nothing is left there.
    let above = |value: i64| value.saturating_add(1);
    let below = |value: i64| value.saturating_sub(1);
    match (interval.lo(), interval.hi()) {
        (Some(lo), Some(hi)) => {
            parts.extend([Interval::constant(lo), Interval::constant(hi), Interval::new(above(lo), below(hi))]);
        }
        (Some(lo), None) => parts.extend([Interval::constant(lo), Interval::new(above(lo), i64::MAX)]),
        (None, Some(hi)) => parts.extend([Interval::constant(hi), Interval::new(i64::MIN, below(hi))]),
        (None, None) => {
            parts.extend([Interval::constant(0), Interval::new(1, i64::MAX), Interval::new(i64::MIN, -1)]);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

impl Row {
    /// The variables that occur, with their coefficients.
    fn used(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.coefficients
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != 0)
            .map(|(variable, value)| (variable, *value))
    }

    /// The variable that occurs and its coefficient, if it is one.
    fn only_variable(&self) -> Option<(usize, i64)> {
        let mut used = self.used();
        used.next().filter(|_| used.next().is_none())
    }

    /// Divides by the common factor of the coefficients; what that leaves of the constant of an inequality is rounded
    /// down, since the sum is a whole number.
    pub(super) fn divide(&mut self) -> Result<(), Contradiction> {
        let common = self.coefficients.iter().fold(0u64, |common, value| gcd(common, value.unsigned_abs()));
        if common == 0 {
            let holds = if self.equality { self.constant == 0 } else { self.constant >= 0 };
            return if holds { Ok(()) } else { Err(Contradiction) };
        }
        let Ok(common) = i64::try_from(common) else { return Ok(()) };
        if self.equality && self.constant % common != 0 {
            return Err(Contradiction);
        }
        if common > 1 {
            self.coefficients.iter_mut().for_each(|value| *value /= common);
            self.constant = self.constant.div_euclid(common);
        }
        if self.equality && self.used().next().is_some_and(|(_, first)| first < 0) {
            // Equalities that say the same look the same.
            if let Ok(turned) = self.negated() {
                *self = turned;
            }
        }
        Ok(())
    }

    /// What the row says of its only variable, whose coefficient is this one. `None` beyond 64 bits.
    fn bound_of_one(&self, coefficient: i64) -> Option<Interval> {
        let least = self.constant.checked_neg()?;
        match (coefficient, self.equality) {
            (1, true) => Some(Interval::constant(least)),
            (1, false) => Some(Interval::new(least, i64::MAX)),
            (-1, false) => Some(Interval::new(i64::MIN, self.constant)),
            _ => None,
        }
        // An end that would stand for an open one.
        .filter(|_| least != i64::MIN && ![i64::MIN, i64::MAX].contains(&least) && self.constant != i64::MAX)
    }

    /// Whether the row, an inequality, holds everywhere within the intervals.
    fn always(&self, bounds: &[Interval]) -> bool {
        match self.equality {
            // Divided, one without variables says that zero is zero.
            true => self.used().next().is_none(),
            false => self.end(-1, bounds).is_some_and(|(least, open)| open == 0 && least <= 0),
        }
    }

    /// The greatest value of the row, or of its negative; without the terms that have none, and how many these are.
    /// `None` beyond 64 bits.
    fn end(&self, sign: i64, bounds: &[Interval]) -> Option<(i64, usize)> {
        let (mut sum, mut open) = (self.constant.checked_mul(sign)?, 0);
        for (variable, value) in self.used() {
            let value = value.checked_mul(sign)?;
            match greatest(value, bounds[variable]) {
                Some(end) => sum = sum.checked_add(value.checked_mul(end)?)?,
                None => open += 1,
            }
        }
        Some((sum, open))
    }

    /// What is left to each variable, as `sign` times the row is not negative. Whether something changed.
    fn narrow(&self, sign: i64, bounds: &mut [Interval]) -> Result<bool, Contradiction> {
        // Beyond 64 bits nothing is learned.
        let Some((sum, open)) = self.end(sign, bounds) else { return Ok(false) };
        if open == 0 && sum < 0 {
            return Err(Contradiction);
        }
        if open > 1 {
            return Ok(false);
        }
        let mut changed = false;
        for (variable, value) in self.used() {
            let value = value * sign;
            let own = bounds[variable];
            let others = match greatest(value, own) {
                Some(end) if open == 0 => value.checked_mul(end).and_then(|end| sum.checked_sub(end)),
                Some(_) => continue,
                None => Some(sum),
            };
            // value * variable >= -others
            let Some(least) = others.and_then(i64::checked_neg) else { continue };
            let bound = if value > 0 {
                Interval::new(least.div_euclid(value) + i64::from(least.rem_euclid(value) != 0), i64::MAX)
            } else {
                let divisor = value.checked_neg();
                let Some(bound) = others.zip(divisor).map(|(others, divisor)| others.div_euclid(divisor)) else {
                    continue;
                };
                Interval::new(i64::MIN, bound)
            };
            let narrowed = own.intersect(bound);
            if narrowed != own {
                if narrowed.is_empty() {
                    return Err(Contradiction);
                }
                bounds[variable] = narrowed;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Whether the row holds where each variable has one value. `None` beyond 64 bits.
    fn holds(&self, bounds: &[Interval]) -> Option<bool> {
        let (sum, _) = self.end(1, bounds).filter(|(_, open)| *open == 0)?;
        Some(if self.equality { sum == 0 } else { sum >= 0 })
    }

    pub(super) fn times(&self, factor: i64) -> Result<Row, GaveUp> {
        let mut scaled = self.clone();
        for value in &mut scaled.coefficients {
            *value = value.checked_mul(factor).ok_or(GaveUp)?;
        }
        scaled.constant = self.constant.checked_mul(factor).ok_or(GaveUp)?;
        Ok(scaled)
    }

    pub(super) fn negated(&self) -> Result<Row, GaveUp> {
        self.times(-1)
    }

    /// Whether this row alone says what another says: the same sum, and no more is added to it.
    pub(super) fn says(&self, other: &Row) -> bool {
        let width = self.coefficients.len().max(other.coefficients.len());
        let coefficient = |row: &Row, at: usize| row.coefficients.get(at).copied().unwrap_or(0);
        let same = (0..width).all(|at| coefficient(self, at) == coefficient(other, at));
        same && match (self.equality, other.equality) {
            (false, true) => false,
            (_, true) => self.constant == other.constant,
            (_, false) => self.constant <= other.constant,
        }
    }

    /// The cases in which the row does not hold.
    pub(super) fn fails(&self) -> Result<SmallVec<[Row; 2]>, GaveUp> {
        let below = |row: &Row| {
            // Integers that are not >= 0 are <= -1, and -constant - 1 is in 64 bits for every constant.
            let mut below = Row { equality: false, constant: 0, coefficients: row.coefficients.clone() }.negated()?;
            below.constant = !row.constant;
            Ok(below)
        };
        let mut cases = SmallVec::new();
        cases.push(below(self)?);
        if self.equality {
            cases.push(below(&self.negated()?)?);
        }
        Ok(cases)
    }

    /// What a lower bound of a variable, this one, and an upper bound of it say of the others, and whether that is all they
    /// say: a constant below 64 bits is the least there is. `None` where something else is beyond 64 bits.
    fn combined(&self, upper: &Row, variable: usize) -> Option<(Row, bool)> {
        let (low, high) = (self.coefficients[variable], upper.coefficients[variable]);
        let small =
            high.checked_neg().and_then(|high| self.times(high).ok()).and_then(|row| row.plus(1, upper, low).ok());
        if let Some(row) = small {
            return Some((row, true));
        }
        let sum = |one: i64, other: i64| {
            let (one, other) = (-i128::from(high) * i128::from(one), i128::from(low) * i128::from(other));
            one.checked_add(other)
        };
        let pairs = self.coefficients.iter().zip(&upper.coefficients);
        let sums: SmallVec<[i128; 12]> = pairs.map(|(&one, &other)| sum(one, other)).collect::<Option<_>>()?;
        let constant = sum(self.constant, upper.constant)?;
        let common = sums.iter().fold(0, |common, value| gcd_of_large(common, value.unsigned_abs()));
        let common = i128::try_from(common).ok()?.max(1);
        let coefficients = sums.iter().map(|value| i64::try_from(value / common).ok()).collect::<Option<_>>()?;
        let constant = constant.div_euclid(common);
        let least = i128::from(i64::MIN);
        let row = Row { equality: false, constant: i64::try_from(constant.max(least)).ok()?, coefficients };
        Some((row, constant >= least))
    }

    /// `own * self + factor * other`; an equality only when `self` is one.
    fn plus(&self, own: i64, other: &Row, factor: i64) -> Result<Row, GaveUp> {
        let mut sum = self.times(own)?;
        for (value, add) in sum.coefficients.iter_mut().zip(&other.coefficients) {
            *value = add.checked_mul(factor).and_then(|add| value.checked_add(add)).ok_or(GaveUp)?;
        }
        let add = other.constant.checked_mul(factor).ok_or(GaveUp)?;
        sum.constant = sum.constant.checked_add(add).ok_or(GaveUp)?;
        Ok(sum)
    }
}

fn gcd_of_large(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The end of an interval at which a multiple is greatest, if there is one.
fn greatest(factor: i64, interval: Interval) -> Option<i64> {
    if factor > 0 { interval.hi() } else { interval.lo() }
}
