//! Symbolic sizes: polynomials of named symbols, with quotients, always in canonical form.
//!
//! Sizes are not affine: a reshape multiplies them. `ceildiv` and `mod` are read and written, and kept as quotients
//! rounded down, so that equal sizes are equal values. (Equality of such expressions is undecidable in general: two
//! that are always equal but need a case distinction, such as `M floordiv 2 + (M + 1) floordiv 2` and `M`, differ.)

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::{AffineError, AffineErrorKind, Result, gcd};
use super::expr::BinaryOp;
use super::floor::floor_div;
use super::parse;
use super::poly::{Atom, Monomial, Poly, Terms};
use super::prove::{Env, range};
use super::range::Interval;
use super::simplify::apply;

/// A size such as `2*K + 1`, `M*N` or `M ceildiv 4`.
///
/// Terms are in order of degree, highest first, then by name; the constant is last. Symbols stand for integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SizeExpr(pub(super) Poly<Arc<str>>);

/// What a term of a size is a product of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factor {
    /// A symbol.
    Symbol(Arc<str>),
    /// A quotient rounded down: what is divided, and by what.
    Quotient(SizeExpr, SizeExpr),
}

/// What is known of symbols; a symbol that is not named has the range `other`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeRanges {
    /// By name.
    pub named: BTreeMap<Arc<str>, Interval>,
    /// Of all others; by default, not negative.
    pub other: Interval,
}

impl Default for SizeRanges {
    fn default() -> SizeRanges {
        SizeRanges { named: BTreeMap::new(), other: Interval::NOT_NEGATIVE }
    }
}

impl SizeRanges {
    /// The same, with one symbol's range set.
    pub fn with(mut self, name: &str, range: Interval) -> SizeRanges {
        self.named.insert(name.into(), range);
        self
    }

    /// The range of a symbol.
    pub fn of(&self, name: &str) -> Interval {
        self.named.get(name).copied().unwrap_or(self.other)
    }
}

impl From<i64> for SizeExpr {
    fn from(value: i64) -> SizeExpr {
        SizeExpr(Poly::constant(value))
    }
}

impl SizeExpr {
    /// The symbol of that name.
    ///
    /// Errors: `Syntax` unless the name is a letter or `_`, then letters, digits, `_`, `.` and `$`, and no operator.
    pub fn symbol(name: &str) -> Result<SizeExpr> {
        if !parse::is_symbol_name(name) {
            return Err(AffineError::new(AffineErrorKind::Syntax, format!("'{name}' is not a name for a symbol")));
        }
        Ok(SizeExpr::variable(name))
    }

    /// The symbol of a name that has been checked.
    pub(super) fn variable(name: &str) -> SizeExpr {
        SizeExpr(Poly::variable(name.into()))
    }

    /// Reads a size, such as `(M + 3) floordiv 4`.
    ///
    /// Errors: `Syntax`, `IntegerTooLarge`, `Divisor`, `Overflow`, `TooLarge`, each with its span.
    pub fn parse(text: &str) -> Result<SizeExpr> {
        parse::parse_size(text)
    }

    /// The value, if no symbol occurs.
    pub fn as_constant(&self) -> Option<i64> {
        self.0.as_constant()
    }

    /// The name, if this is a symbol and nothing else.
    pub fn as_symbol(&self) -> Option<&str> {
        match self.0.terms() {
            [(monomial, 1)] => match monomial.factors() {
                [Atom::Variable(name)] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// The coefficient of each symbol, in the order of the text, and the constant; `None` unless this is a sum of those.
    pub fn as_linear(&self) -> Option<(Vec<(Arc<str>, i64)>, i64)> {
        let (terms, constant) = self.0.split_constant();
        let linear = terms.iter().map(|(monomial, coefficient)| match monomial.factors() {
            [Atom::Variable(name)] => Some((name.clone(), *coefficient)),
            _ => None,
        });
        Some((linear.collect::<Option<_>>()?, constant))
    }

    /// The terms: what each coefficient is multiplied with, nothing for the constant.
    pub fn terms(&self) -> Vec<(i64, Vec<Factor>)> {
        let factor = |atom: &Atom<Arc<str>>| match atom {
            Atom::Variable(name) => Factor::Symbol(name.clone()),
            Atom::Floor(floor) => Factor::Quotient(SizeExpr(floor.numerator.clone()), SizeExpr(floor.divisor.clone())),
        };
        let term = |(monomial, coefficient): &(Monomial<Arc<str>>, i64)| {
            (*coefficient, monomial.factors().iter().map(factor).collect())
        };
        self.0.terms().iter().map(term).collect()
    }

    /// Whether this is affine in the symbols that are indices: a sum of multiples of indices, of quotients of such sums by
    /// constants, and of anything that no index occurs in.
    pub fn is_affine_in(&self, is_index: &dyn Fn(&str) -> bool) -> bool {
        affine_in(&self.0, is_index)
    }

    /// The symbols that occur, by name.
    pub fn symbols(&self) -> BTreeSet<Arc<str>> {
        let mut names = BTreeSet::new();
        self.0.for_each_variable(&mut |name| {
            names.insert(name.clone());
        });
        names
    }

    /// `self + rhs`. Errors: `Overflow`, `TooLarge`.
    pub fn add(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.0.add(&rhs.0).map(SizeExpr)
    }

    /// `self - rhs`. Errors: `Overflow`, `TooLarge`.
    pub fn sub(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.0.sub(&rhs.0).map(SizeExpr)
    }

    /// `self * rhs`. Errors: `Overflow`, `TooLarge`.
    pub fn mul(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.0.mul(&rhs.0).map(SizeExpr)
    }

    /// The size that times `rhs` is this one, whatever the symbols; `None` if there is none or `rhs` is zero.
    pub fn try_div(&self, rhs: &SizeExpr) -> Option<SizeExpr> {
        self.0.try_div(&rhs.0).map(SizeExpr)
    }

    /// `self floordiv rhs`. A symbolic divisor is taken to be positive.
    ///
    /// Errors: `Divisor` for a constant that is not positive, `Overflow`, `TooLarge`.
    pub fn floordiv(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.apply(BinaryOp::FloorDiv, rhs)
    }

    /// `self ceildiv rhs`. Errors as [`SizeExpr::floordiv`].
    pub fn ceildiv(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.apply(BinaryOp::CeilDiv, rhs)
    }

    /// `self mod rhs`, in `[0, rhs)`. Errors as [`SizeExpr::floordiv`].
    pub fn modulo(&self, rhs: &SizeExpr) -> Result<SizeExpr> {
        self.apply(BinaryOp::Mod, rhs)
    }

    /// The operation by its kind. Errors: `Divisor`, `Overflow`, `TooLarge`.
    pub(super) fn apply(&self, op: BinaryOp, rhs: &SizeExpr) -> Result<SizeExpr> {
        apply(op, &self.0, &rhs.0, &|_: &Arc<str>| Interval::ALL).map(SizeExpr)
    }

    /// The value, for the given binding of symbols. Intermediate sums may go beyond 64 bits.
    ///
    /// Errors: `Unbound` for a symbol without value, `Overflow`, `Divisor`.
    pub fn eval(&self, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<i64> {
        self.0.eval(&|name| value_of(name).ok_or_else(|| unbound(name)))
    }

    /// Replaces symbols; those for which nothing is given stay. Errors: `Divisor`, `Overflow`, `TooLarge`.
    pub fn substitute(&self, replacement: &dyn Fn(&str) -> Option<SizeExpr>) -> Result<SizeExpr> {
        let variable = |name: &Arc<str>| replacement(name).map(|size| size.0);
        let nothing = |_: &Arc<str>| Interval::ALL;
        rebuild(&self.0, &Renewal { variable: &variable, env: &nothing, knows_more: false }).map(SizeExpr)
    }

    /// The same size within the ranges, with the quotients gone that the ranges decide.
    pub fn simplify_under(&self, ranges: &SizeRanges) -> SizeExpr {
        let env = |name: &Arc<str>| ranges.of(name);
        let known = |name: &Arc<str>| env(name).as_constant().map(Poly::constant);
        let renewal = Renewal { variable: &known, env: &env, knows_more: true };
        let simpler = rebuild(&self.0, &renewal).unwrap_or_else(|_| self.0.clone());
        let constant = range(&simpler, &env).as_constant();
        constant.map_or(SizeExpr(simpler), SizeExpr::from)
    }

    /// An interval that holds every value within the ranges.
    pub fn range(&self, ranges: &SizeRanges) -> Interval {
        range(&self.0, &|name: &Arc<str>| ranges.of(name))
    }

    /// Whether every value is known to be a multiple of `divisor`; only zero is a multiple of zero.
    pub fn divisible_by(&self, divisor: i64) -> bool {
        self.largest_known_divisor().is_multiple_of(divisor.unsigned_abs())
    }

    /// A number that divides every value: the common divisor of the coefficients. Zero for the size zero.
    pub fn largest_known_divisor(&self) -> u64 {
        self.0.terms().iter().fold(0, |common, (_, value)| gcd(common, value.unsigned_abs()))
    }

    /// Whether both are equal for all values of the symbols within the ranges (`Some(true)`), for none
    /// (`Some(false)`), or that is not known.
    pub fn prove_eq(&self, rhs: &SizeExpr, ranges: &SizeRanges) -> Option<bool> {
        let difference = self.difference(rhs, ranges)?;
        if difference.0.is_zero() {
            return Some(true);
        }
        let (terms, constant) = difference.0.split_constant();
        let common = terms.iter().fold(0, |common, (_, value)| gcd(common, value.unsigned_abs()));
        let never_zero = !constant.unsigned_abs().is_multiple_of(common) || !difference.range(ranges).contains(0);
        never_zero.then_some(false)
    }

    /// Whether both differ for all values; see [`SizeExpr::prove_eq`].
    pub fn prove_ne(&self, rhs: &SizeExpr, ranges: &SizeRanges) -> Option<bool> {
        self.prove_eq(rhs, ranges).map(|equal| !equal)
    }

    /// Whether `self <= rhs` for all values of the symbols within the ranges, for none, or that is not known.
    pub fn prove_le(&self, rhs: &SizeExpr, ranges: &SizeRanges) -> Option<bool> {
        let range = self.difference(rhs, ranges)?.range(ranges);
        match (range.lo(), range.hi()) {
            (_, Some(hi)) if hi <= 0 => Some(true),
            (Some(lo), _) if lo > 0 => Some(false),
            _ => None,
        }
    }

    /// Whether `self < rhs` for all values; see [`SizeExpr::prove_le`].
    pub fn prove_lt(&self, rhs: &SizeExpr, ranges: &SizeRanges) -> Option<bool> {
        rhs.prove_le(self, ranges).map(|not_less| !not_less)
    }

    fn difference(&self, rhs: &SizeExpr, ranges: &SizeRanges) -> Option<SizeExpr> {
        Some(self.sub(rhs).ok()?.simplify_under(ranges))
    }
}

fn affine_in(poly: &Poly<Arc<str>>, is_index: &dyn Fn(&str) -> bool) -> bool {
    let has_index = |poly: &Poly<Arc<str>>| {
        let mut found = false;
        poly.for_each_variable(&mut |name| found |= is_index(name));
        found
    };
    poly.terms().iter().all(|(monomial, _)| match monomial.factors() {
        [Atom::Floor(floor)] if floor.divisor.as_constant().is_some() => affine_in(&floor.numerator, is_index),
        [_] => !has_index(&Poly::term(monomial.clone(), 1)) || monomial.as_floor().is_none(),
        _ => !has_index(&Poly::term(monomial.clone(), 1)),
    })
}

/// What changes in a polynomial that is built again.
struct Renewal<'a> {
    /// What stands for a symbol from now on, if anything does.
    variable: &'a dyn Fn(&Arc<str>) -> Option<Poly<Arc<str>>>,
    /// What is known of symbols where quotients are divided again.
    env: Env<'a, Arc<str>>,
    /// Whether that is more than what was known when they were divided: then they are divided even where nothing in them is
    /// replaced.
    knows_more: bool,
}

impl Renewal<'_> {
    /// What stands for a factor from now on, if that is something else.
    fn of(&self, atom: &Atom<Arc<str>>) -> Result<Option<Poly<Arc<str>>>> {
        let floor = match atom {
            Atom::Variable(name) => return Ok((self.variable)(name)),
            Atom::Floor(floor) => floor,
        };
        let (numerator, divisor) = (rebuild(&floor.numerator, self)?, rebuild(&floor.divisor, self)?);
        if !self.knows_more && numerator == floor.numerator && divisor == floor.divisor {
            return Ok(None);
        }
        floor_div(&numerator, &divisor, self.env).map(Some)
    }
}

/// The polynomial built again from what stands for its symbols and quotients.
fn rebuild(poly: &Poly<Arc<str>>, renewal: &Renewal<'_>) -> Result<Poly<Arc<str>>> {
    // Most terms have nothing to replace. They stay as they are, and in order.
    let mut kept = Terms::with_capacity(poly.terms().len());
    let mut products: Vec<Poly<Arc<str>>> = Vec::new();
    for (monomial, coefficient) in poly.terms() {
        let mut product: Option<Poly<Arc<str>>> = None;
        for (place, atom) in monomial.factors().iter().enumerate() {
            let factor = renewal.of(atom)?;
            product = match (product, factor) {
                (None, None) => None,
                (None, Some(factor)) => {
                    // With what stands before it.
                    let before = Poly::product_of(&monomial.factors()[..place]).scale(*coefficient)?;
                    Some(before.mul(&factor)?)
                }
                (Some(product), None) => Some(product.mul(&Poly::product_of(std::slice::from_ref(atom)))?),
                (Some(product), Some(factor)) => Some(product.mul(&factor)?),
            };
        }
        match product {
            None => kept.push((monomial.clone(), *coefficient)),
            Some(product) => products.push(product),
        }
    }
    let kept = Poly::of_sorted(kept);
    match sum_of(products)? {
        Some(sum) if kept.is_zero() => Ok(sum),
        Some(sum) => kept.add(&sum),
        None => Ok(kept),
    }
}

/// The sum of polynomials: of neighbours, then of their sums, so that long sums are not copied for each of them.
fn sum_of(mut all: Vec<Poly<Arc<str>>>) -> Result<Option<Poly<Arc<str>>>> {
    while all.len() > 1 {
        let pairs = all.chunks(2).map(|pair| match pair {
            [one, other] => one.add(other),
            one => Ok(one[0].clone()),
        });
        all = pairs.collect::<Result<_>>()?;
    }
    Ok(all.pop())
}

fn unbound(name: &str) -> AffineError {
    AffineError::new(AffineErrorKind::Unbound, format!("nothing is given for '{name}'"))
}
