//! Polynomials with integer coefficients, whose variables are names and quotients rounded down.
//!
//! This is the common ground of affine expressions and sizes. A remainder is not part of it: `a mod b` is
//! `a - b*(a floordiv b)`, and `a ceildiv b` is `(a + b - 1) floordiv b`, so that all identities between the three
//! divisions become cancellation of equal terms.
//!
//! A polynomial is its sorted list of terms without zero coefficients, so two polynomials are equal exactly when their
//! lists are. The order of monomials is graded lexicographic: higher degree first, then by the first factor that
//! differs, variables before quotients; the constant is last. Being compatible with multiplication, it is also what
//! exact division needs (Cox, Little, O'Shea, *Ideals, Varieties, and Algorithms*, section 2.2).

use std::cmp::{Ordering, Reverse};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::error::{AffineError, AffineErrorKind, Result, checked_add, checked_mul};

/// Greatest number of terms, factors of a monomial, and nested quotients. They bound time and stack, not precision:
/// sizes and index expressions of programs stay far below.
const MAX_TERMS: usize = 2000;
const MAX_DEGREE: usize = 64;
const MAX_DEPTH: u16 = 200;
const MAX_WEIGHT: u32 = 50_000;

/// What can stand as a variable.
pub(super) trait Variable: Clone + Ord + Hash + Debug {}
impl<T: Clone + Ord + Hash + Debug> Variable for T {}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Poly<V> {
    terms: Terms<V>,
}

/// Numbers and symbols, which most polynomials are, have one term.
pub(super) type Terms<V> = SmallVec<[(Monomial<V>, i64); 1]>;

/// A product of atoms, sorted, equal ones repeated; the empty product is the constant one.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Monomial<V> {
    /// Comes first because it decides the order first; the other way round, so that a higher one is earlier.
    degree: Reverse<usize>,
    factors: SmallVec<[Atom<V>; 1]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom<V> {
    Variable(V),
    Floor(Arc<Floor<V>>),
}

/// `numerator floordiv divisor`, in the canonical form that `floor` makes.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Floor<V> {
    pub(super) numerator: Poly<V>,
    pub(super) divisor: Poly<V>,
    depth: u16,
    weight: u32,
}

impl<V: Variable> Floor<V> {
    /// Wraps the quotient as an atom. Errors: `TooLarge`.
    pub(super) fn atom(numerator: Poly<V>, divisor: Poly<V>) -> Result<Poly<V>> {
        let (mut depth, mut weight) = (0, 1_u32);
        for (monomial, _) in numerator.terms.iter().chain(&divisor.terms) {
            weight = weight.saturating_add(1);
            for floor in monomial.factors.iter().filter_map(Atom::as_floor) {
                depth = floor.depth.max(depth);
                weight = weight.saturating_add(floor.weight);
            }
        }
        if depth >= MAX_DEPTH || weight > MAX_WEIGHT {
            return Err(too_large());
        }
        let floor = Floor { numerator, divisor, depth: depth + 1, weight };
        Ok(Poly::from(Monomial::of(smallvec![Atom::Floor(Arc::new(floor))])))
    }
}

impl<V> Atom<V> {
    pub(super) fn as_floor(&self) -> Option<&Arc<Floor<V>>> {
        match self {
            Atom::Floor(floor) => Some(floor),
            Atom::Variable(_) => None,
        }
    }
}

impl<V: Clone> Clone for Monomial<V> {
    fn clone(&self) -> Self {
        let factors = match &self.factors[..] {
            [one] => SmallVec::from_buf([one.clone()]),
            factors => factors.iter().cloned().collect(),
        };
        Monomial { degree: self.degree, factors }
    }
}

impl<V: Variable> Monomial<V> {
    /// The product of factors that are sorted.
    fn of(factors: SmallVec<[Atom<V>; 1]>) -> Self {
        Monomial { degree: Reverse(factors.len()), factors }
    }

    pub(super) fn variable(name: V) -> Self {
        Monomial::of(smallvec![Atom::Variable(name)])
    }

    pub(super) fn factors(&self) -> &[Atom<V>] {
        &self.factors
    }

    pub(super) fn degree(&self) -> usize {
        self.degree.0
    }

    pub(super) fn is_one(&self) -> bool {
        self.factors.is_empty()
    }

    /// The quotient, if the monomial is one and nothing else.
    pub(super) fn as_floor(&self) -> Option<&Arc<Floor<V>>> {
        match &self.factors[..] {
            [Atom::Floor(floor)] => Some(floor),
            _ => None,
        }
    }

    fn mul(&self, other: &Self) -> Result<Self> {
        if self.degree() + other.degree() > MAX_DEGREE {
            return Err(too_large());
        }
        let mut factors = self.factors.clone();
        factors.extend(other.factors.iter().cloned());
        factors.sort();
        Ok(Monomial::of(factors))
    }

    /// The monomial that times the atom is this one.
    pub(super) fn without(&self, atom: &Atom<V>) -> Option<Self> {
        let place = self.factors.iter().position(|own| own == atom)?;
        let mut factors = self.factors.clone();
        factors.remove(place);
        Some(Monomial::of(factors))
    }

    /// The monomial that times `other` is this one.
    fn divide(&self, other: &Self) -> Option<Self> {
        let mut factors = self.factors.clone();
        for factor in &other.factors {
            let place = factors.iter().position(|own| own == factor)?;
            factors.remove(place);
        }
        Some(Monomial::of(factors))
    }
}

impl<V> From<Monomial<V>> for Poly<V> {
    fn from(monomial: Monomial<V>) -> Self {
        Poly { terms: SmallVec::from_buf([(monomial, 1)]) }
    }
}

impl<V: Variable> Poly<V> {
    pub(super) fn constant(value: i64) -> Self {
        Poly::term(Monomial::of(SmallVec::new()), value)
    }

    pub(super) fn variable(name: V) -> Self {
        Poly::from(Monomial::variable(name))
    }

    pub(super) fn term(monomial: Monomial<V>, coefficient: i64) -> Self {
        Poly { terms: if coefficient == 0 { SmallVec::new() } else { SmallVec::from_buf([(monomial, coefficient)]) } }
    }

    /// The sum of terms that are in canonical order, none with a zero coefficient.
    pub(super) fn of_sorted(terms: Terms<V>) -> Self {
        Poly { terms }
    }

    /// The product of the atoms with a coefficient of one.
    pub(super) fn product_of(atoms: &[Atom<V>]) -> Self {
        let mut factors: SmallVec<[Atom<V>; 1]> = atoms.iter().cloned().collect();
        factors.sort();
        Poly::from(Monomial::of(factors))
    }

    /// Terms in canonical order, none with a zero coefficient.
    pub(super) fn terms(&self) -> &[(Monomial<V>, i64)] {
        &self.terms
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match &self.terms[..] {
            [] => Some(0),
            [(monomial, value)] if monomial.is_one() => Some(*value),
            _ => None,
        }
    }

    /// The terms that are not constant, and the constant.
    pub(super) fn split_constant(&self) -> (&[(Monomial<V>, i64)], i64) {
        match self.terms.split_last() {
            Some(((monomial, value), rest)) if monomial.is_one() => (rest, *value),
            _ => (&self.terms, 0),
        }
    }

    pub(super) fn has_quotient(&self) -> bool {
        self.terms.iter().any(|(monomial, _)| monomial.factors.iter().any(|atom| atom.as_floor().is_some()))
    }

    pub(super) fn degree(&self) -> usize {
        self.terms.first().map_or(0, |(monomial, _)| monomial.degree())
    }

    pub(super) fn coefficient(&self, monomial: &Monomial<V>) -> i64 {
        match self.terms.binary_search_by(|(own, _)| own.cmp(monomial)) {
            Ok(place) => self.terms[place].1,
            Err(_) => 0,
        }
    }

    /// The polynomial with these coefficients of the same terms.
    pub(super) fn map_coefficients(&self, mut map: impl FnMut(&Monomial<V>, i64) -> Result<i64>) -> Result<Self> {
        let mut terms = Terms::with_capacity(self.terms.len());
        for (monomial, value) in &self.terms {
            let value = map(monomial, *value)?;
            if value != 0 {
                terms.push((monomial.clone(), value));
            }
        }
        Ok(Poly { terms })
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self> {
        self.add_scaled(other, 1)
    }

    pub(super) fn sub(&self, other: &Self) -> Result<Self> {
        self.add_scaled(other, -1)
    }

    pub(super) fn scale(&self, factor: i64) -> Result<Self> {
        self.map_coefficients(|_, value| checked_mul(value, factor))
    }

    /// `self + factor * other`, merging the two sorted lists.
    pub(super) fn add_scaled(&self, other: &Self, factor: i64) -> Result<Self> {
        let mut terms = Terms::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let own = if order.is_le() { left.next() } else { None };
            let theirs = if order.is_ge() { right.next() } else { None };
            let scaled = theirs.map_or(Ok(0), |(_, value)| checked_mul(*value, factor))?;
            let value = checked_add(own.map_or(0, |(_, value)| *value), scaled)?;
            if let (true, Some((monomial, _))) = (value != 0, own.or(theirs)) {
                terms.push((monomial.clone(), value));
            }
        }
        if terms.len() > MAX_TERMS {
            return Err(too_large());
        }
        Ok(Poly { terms })
    }

    pub(super) fn mul(&self, other: &Self) -> Result<Self> {
        if let Some(factor) = other.as_constant() {
            return self.scale(factor);
        }
        if let Some(factor) = self.as_constant() {
            return other.scale(factor);
        }
        if self.terms.len().saturating_mul(other.terms.len()) > MAX_TERMS {
            return Err(too_large());
        }
        let mut products = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                products.push((left.mul(right)?, checked_mul(*a, *b)?));
            }
        }
        products.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut terms = Terms::with_capacity(products.len());
        for (monomial, value) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == monomial => *sum = checked_add(*sum, value)?,
                _ => terms.push((monomial, value)),
            }
        }
        terms.retain(|(_, value)| *value != 0);
        Ok(Poly { terms })
    }

    /// The polynomial that times `divisor` is this one, if there is one with integer coefficients: division by leading
    /// terms, which for an exact quotient never leaves a remainder.
    pub(super) fn try_div(&self, divisor: &Self) -> Option<Self> {
        let (leading, factor) = divisor.terms.first()?;
        let mut rest = self.clone();
        let mut quotient = Terms::new();
        while let Some((monomial, value)) = rest.terms.first() {
            if value.checked_rem(*factor)? != 0 || quotient.len() >= MAX_TERMS {
                return None;
            }
            let term = (monomial.divide(leading)?, value / factor);
            rest = rest.sub(&Poly { terms: SmallVec::from_buf([term.clone()]) }.mul(divisor).ok()?).ok()?;
            quotient.push(term);
        }
        Some(Poly { terms: quotient })
    }

    /// The value, given one for each variable. Errors: those of `value`, `Overflow`, `Divisor`.
    pub(super) fn eval(&self, value: &dyn Fn(&V) -> Result<i64>) -> Result<i64> {
        let mut sum: i128 = 0;
        for (monomial, coefficient) in &self.terms {
            let mut product = i128::from(*coefficient);
            for atom in &monomial.factors {
                let factor = match atom {
                    Atom::Variable(name) => value(name)?,
                    Atom::Floor(floor) => {
                        let divisor = floor.divisor.eval(value)?;
                        if divisor <= 0 {
                            return Err(AffineError::divisor(divisor));
                        }
                        floor.numerator.eval(value)?.div_euclid(divisor)
                    }
                };
                product = product.checked_mul(factor.into()).ok_or_else(AffineError::overflow)?;
            }
            sum = sum.checked_add(product).ok_or_else(AffineError::overflow)?;
        }
        i64::try_from(sum).map_err(|_| AffineError::overflow())
    }

    /// Calls `visit` for each variable, those inside quotients included, in order of occurrence.
    pub(super) fn for_each_variable(&self, visit: &mut dyn FnMut(&V)) {
        for atom in self.terms.iter().flat_map(|(monomial, _)| &monomial.factors) {
            match atom {
                Atom::Variable(name) => visit(name),
                Atom::Floor(floor) => {
                    floor.numerator.for_each_variable(visit);
                    floor.divisor.for_each_variable(visit);
                }
            }
        }
    }
}

fn too_large() -> AffineError {
    AffineError::new(AffineErrorKind::TooLarge, "the expression has too many terms")
}
