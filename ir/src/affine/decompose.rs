//! Finds the remainders again that a polynomial has dissolved into `a - b*(a floordiv b)`, to write it for people.
//!
//! A quotient `F = N floordiv D` that occurs times `C` belongs to a remainder `K * (X mod b)` if `C = -K*b`, the terms
//! of `K*X` are there with just these coefficients, and `X floordiv b` is `F`. For `X`, next to `N` itself, the
//! quotients of `N` by a part of `D` are tried: `(x floordiv 2) mod 2` is `x floordiv 2 - 2*(x floordiv 4)`.

use super::error::gcd;
use super::floor::floor_div;
use super::poly::{Atom, Monomial, Poly, Variable};
use super::prove::{Env, FEW};

/// A polynomial as it is written: terms, then remainders, then the constant.
pub(super) struct Written<V> {
    pub(super) terms: Vec<(i64, Vec<Factor<V>>)>,
    pub(super) constant: i64,
}

pub(super) enum Factor<V> {
    Atom(Atom<V>),
    /// `dividend mod divisor`.
    Remainder(Poly<V>, Poly<V>),
    /// `dividend ceildiv divisor`; not made here, but by a printer that prefers it.
    RoundedUp(Poly<V>, Poly<V>),
}

/// Writes the polynomial; reading the result back under the same `env` gives the polynomial.
pub(super) fn written<V: Variable>(poly: &Poly<V>, env: Env<'_, V>) -> Written<V> {
    let mut rest = poly.clone();
    let mut remainders = Vec::new();
    let mut quotients: Vec<&Atom<V>> = Vec::new();
    for atom in poly.terms().iter().flat_map(|(monomial, _)| monomial.factors()) {
        if atom.as_floor().is_some() && !quotients.contains(&atom) {
            quotients.push(atom);
        }
    }
    for quotient in quotients.into_iter().take(FEW) {
        if let Some((without, found)) = find_remainder(&rest, quotient, env) {
            rest = without;
            remainders.push(found);
        }
    }
    let (terms, constant) = rest.split_constant();
    let atoms = |monomial: &Monomial<V>| monomial.factors().iter().cloned().map(Factor::Atom).collect();
    let mut terms: Vec<_> = terms.iter().map(|(monomial, value)| (*value, atoms(monomial))).collect();
    terms.extend(remainders);
    Written { terms, constant }
}

type Term<V> = (i64, Vec<Factor<V>>);

fn find_remainder<V: Variable>(poly: &Poly<V>, quotient: &Atom<V>, env: Env<'_, V>) -> Option<(Poly<V>, Term<V>)> {
    let floor = quotient.as_floor()?;
    let cofactor = cofactor(poly, quotient)?;
    let quotient = Poly::product_of(std::slice::from_ref(quotient));
    let base = poly.sub(&cofactor.mul(&quotient).ok()?).ok()?;
    for (dividend, divisor) in candidates(&floor.numerator, &floor.divisor, &cofactor, &base, env) {
        let Some(factor) = cofactor.try_div(&divisor).and_then(|factor| factor.scale(-1).ok()) else { continue };
        let [(monomial, value)] = factor.terms() else { continue };
        let product = factor.mul(&dividend).ok()?;
        let expected = factor.mul(&without_constant(&dividend)?).ok()?;
        let is_there = expected.terms().iter().all(|(monomial, value)| base.coefficient(monomial) == *value);
        if is_there && floor_div(&dividend, &divisor, env).is_ok_and(|found| found == quotient) {
            let mut factors = vec![Factor::Remainder(dividend, divisor)];
            factors.extend(monomial.factors().iter().cloned().map(Factor::Atom));
            return Some((base.sub(&product).ok()?, (*value, factors)));
        }
    }
    None
}

/// The sum of what stands next to the quotient, or nothing if a power of it occurs.
fn cofactor<V: Variable>(poly: &Poly<V>, quotient: &Atom<V>) -> Option<Poly<V>> {
    let mut sum = Poly::constant(0);
    for (monomial, value) in poly.terms() {
        let Some(alongside) = monomial.without(quotient) else { continue };
        if alongside.factors().contains(quotient) {
            return None;
        }
        sum = sum.add(&Poly::term(alongside, *value)).ok()?;
    }
    (!sum.is_zero()).then_some(sum)
}

/// Pairs `(X, b)` to try, the whole dividend first.
fn candidates<V: Variable>(
    numerator: &Poly<V>,
    divisor: &Poly<V>,
    cofactor: &Poly<V>,
    base: &Poly<V>,
    env: Env<'_, V>,
) -> Vec<(Poly<V>, Poly<V>)> {
    let mut pairs = vec![(numerator.clone(), divisor.clone())];
    let (Some(divisor), [(_, multiple)]) = (divisor.as_constant(), cofactor.terms()) else { return pairs };
    let multiple = multiple.unsigned_abs();
    let mut parts = vec![gcd(multiple, divisor.unsigned_abs())];
    let coefficients = base.terms().iter().map(|(_, value)| value.unsigned_abs());
    parts.extend(coefficients.filter(|value| multiple.is_multiple_of(*value)).map(|value| multiple / value));
    for part in parts.into_iter().take(FEW).filter_map(|part| i64::try_from(part).ok()) {
        if part > 1
            && part < divisor
            && divisor % part == 0
            && let Ok(dividend) = floor_div(numerator, &Poly::constant(divisor / part), env)
        {
            pairs.push((dividend, Poly::constant(part)));
        }
    }
    pairs
}

fn without_constant<V: Variable>(poly: &Poly<V>) -> Option<Poly<V>> {
    poly.sub(&Poly::constant(poly.split_constant().1)).ok()
}
