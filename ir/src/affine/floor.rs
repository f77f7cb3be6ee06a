//! Division rounded down, brought to a canonical form and decided by ranges where possible.
//!
//! Notation: the quotient of `N` by a constant `D > 0`. Every step is an equality over the integers.
//! 1. *Decided*: if `floor(lo/D) = floor(hi/D)` over the range of `N`, that is the quotient.
//! 2. *Residues*: `N = D*Q + R` gives `Q + R floordiv D`, where each coefficient of `R` lies in a window of length `D`:
//!    the constant in `[0, D)`, so that `M - 1` and `M + 3` over 4 are seen to be neighbours; the others in
//!    `[-D/4, 3D/4)`, so that `6*i + j` over 10 and `15 - i` over 4 stay as they were written. A remainder
//!    `X - b*(X floordiv b)` within `N` is kept whole.
//! 3. *Common factors*: for `g` dividing `D`, if `R = g*X + S` and `S floordiv g` is a constant `t`, the quotient
//!    is that of `X + t` by `D/g`.
//! 4. *Nested quotients*: `(A + B floordiv E) floordiv D` is `(E*A + B) floordiv (E*D)`.
//!
//! Steps 1 and 3 are tried for other windows of residues too, as the range of `R` depends on them.
//! 3 and 4 are the identities of Graham, Knuth and Patashnik, *Concrete Mathematics*, section 3.2 (3.11).
//! Each step lowers the divisor or the number of quotients in `N`, so the recursion ends.
//!
//! A symbolic divisor is taken to be positive, there being no value otherwise. Multiples of it come out, common
//! constant factors cancel, and the rest is decided if it is known to lie in `[0, D)`.

use super::error::{AffineError, Result, checked_add, gcd};
use super::poly::{Floor, Monomial, Poly, Variable};
use super::prove::{Env, FEW, range};

/// `numerator floordiv divisor`. Errors: `Divisor` for a constant that is not positive, `Overflow`, `TooLarge`.
pub(super) fn floor_div<V: Variable>(numerator: &Poly<V>, divisor: &Poly<V>, env: Env<'_, V>) -> Result<Poly<V>> {
    match divisor.as_constant() {
        Some(value) if value <= 0 => Err(AffineError::divisor(value)),
        Some(value) => by_constant(numerator, value, env),
        None => by_polynomial(numerator, divisor, env),
    }
}

fn by_constant<V: Variable>(numerator: &Poly<V>, divisor: i64, env: Env<'_, V>) -> Result<Poly<V>> {
    if divisor == 1 {
        return Ok(numerator.clone());
    }
    if let Some(value) = numerator.as_constant() {
        return Ok(Poly::constant(value.div_euclid(divisor)));
    }
    let (whole, rest) = take_multiples(numerator, divisor, canonical_residue)?;
    let (whole, rest) = keep_remainders(whole, rest, divisor, env)?;
    let mut readings = vec![(whole, rest)];
    for residue in [i64::wrapping_rem as fn(i64, i64) -> i64, nearest_residue] {
        let reading = take_multiples(numerator, divisor, residue)?;
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    for (whole, rest) in &readings {
        if let Some(value) = constant_quotient(rest, divisor, env) {
            return whole.add(&Poly::constant(value));
        }
    }
    for (whole, rest) in &readings {
        if let Some((smaller, factor)) = cancel_factor(rest, divisor, env)? {
            return whole.add(&by_constant(&smaller, divisor / factor, env)?);
        }
    }
    let (whole, rest) = readings.swap_remove(0);
    if let Some((flat, flat_divisor)) = flatten(&rest, divisor) {
        return whole.add(&by_constant(&flat, flat_divisor, env)?);
    }
    whole.add(&Floor::atom(rest, Poly::constant(divisor))?)
}

/// `(Q, R)` with `N = D*Q + R`, the coefficients of `R` chosen by `residue(coefficient, D)`.
/// The constant of `R` always lies in `[0, D)`.
fn take_multiples<V: Variable>(
    numerator: &Poly<V>,
    divisor: i64,
    residue: fn(i64, i64) -> i64,
) -> Result<(Poly<V>, Poly<V>)> {
    let residue = |monomial: &Monomial<V>, value: i64| {
        if monomial.is_one() { value.rem_euclid(divisor) } else { residue(value, divisor) }
    };
    let rest = numerator.map_coefficients(|monomial, value| Ok(residue(monomial, value)))?;
    // In 128 bits: the difference of a coefficient and its residue may not fit 64, the quotient does.
    let whole = numerator.map_coefficients(|monomial, value| {
        let multiple = i128::from(value) - i128::from(residue(monomial, value));
        i64::try_from(multiple / i128::from(divisor)).map_err(|_| AffineError::overflow())
    })?;
    Ok((whole, rest))
}

/// The residue in `[-D/4, 3D/4)`.
fn canonical_residue(value: i64, divisor: i64) -> i64 {
    let residue = value.rem_euclid(divisor);
    if divisor - residue <= divisor / 4 { residue - divisor } else { residue }
}

/// The residue in `(-D/2, D/2]`.
fn nearest_residue(value: i64, divisor: i64) -> i64 {
    let residue = value.rem_euclid(divisor);
    if residue > divisor / 2 { residue - divisor } else { residue }
}

/// Residues tear `X - b*(X floordiv b)` apart, whose range is known and which reads well, when they reduce the second
/// coefficient. This chooses another coefficient of the same residue class, one that completes such a remainder.
fn keep_remainders<V: Variable>(
    mut whole: Poly<V>,
    mut rest: Poly<V>,
    divisor: i64,
    env: Env<'_, V>,
) -> Result<(Poly<V>, Poly<V>)> {
    let quotients: Vec<_> =
        rest.terms().iter().filter(|(monomial, _)| monomial.as_floor().is_some()).cloned().collect();
    if quotients.len() > FEW {
        return Ok((whole, rest));
    }
    let divisor_of = |monomial: &Monomial<V>| monomial.as_floor().and_then(|floor| floor.divisor.as_constant());
    for (monomial, value) in &quotients {
        let (Some(floor), Some(own)) = (monomial.as_floor(), divisor_of(monomial)) else { continue };
        let inner = quotients.iter().filter_map(|(other, _)| divisor_of(other));
        // Not for nested quotients, whose number of parts could double with each level.
        let inner = inner.filter(|inner| *inner < own && own % inner == 0 && !floor.numerator.has_quotient());
        for inner in std::iter::once(1).chain(inner) {
            let dividend = by_constant(&floor.numerator, inner, env)?;
            let Some(wanted) = multiple_within(&dividend, &rest).and_then(|factor| factor.checked_mul(-(own / inner)))
            else {
                continue;
            };
            let Some(change) = value.checked_sub(wanted).filter(|change| change % divisor == 0) else { continue };
            rest = rest.add_scaled(&Poly::from(monomial.clone()), -change)?;
            whole = whole.add_scaled(&Poly::from(monomial.clone()), change / divisor)?;
            break;
        }
    }
    Ok((whole, rest))
}

/// The factor by which the terms of `part`, its constant aside, occur in `poly`.
fn multiple_within<V: Variable>(part: &Poly<V>, poly: &Poly<V>) -> Option<i64> {
    let (terms, _) = part.split_constant();
    let (first, value) = terms.first()?;
    let factor = poly.coefficient(first).checked_div(*value)?;
    let occurs = |(monomial, value): &(Monomial<V>, i64)| value.checked_mul(factor) == Some(poly.coefficient(monomial));
    (factor != 0 && terms.iter().all(occurs)).then_some(factor)
}

/// The quotient, if it is the same over the whole range of the dividend.
fn constant_quotient<V: Variable>(dividend: &Poly<V>, divisor: i64, env: Env<'_, V>) -> Option<i64> {
    if let Some(value) = dividend.as_constant() {
        return Some(value.div_euclid(divisor));
    }
    let range = range(dividend, env);
    let (lo, hi) = (range.lo()?.div_euclid(divisor), range.hi()?.div_euclid(divisor));
    (lo == hi).then_some(lo)
}

/// `X + t` and `g`, for the greatest `g` of step 3 that is found.
fn cancel_factor<V: Variable>(rest: &Poly<V>, divisor: i64, env: Env<'_, V>) -> Result<Option<(Poly<V>, i64)>> {
    let (terms, _) = rest.split_constant();
    // A divisor of `D` fits 64 bits.
    let common = |value: i64| gcd(divisor.unsigned_abs(), value.unsigned_abs()) as i64;
    let mut factors: Vec<i64> = terms.iter().map(|(_, value)| common(*value)).filter(|factor| *factor > 1).collect();
    factors.sort_unstable_by(|a, b| b.cmp(a));
    factors.dedup();
    for factor in factors {
        let multiples = rest.map_coefficients(|monomial, value| {
            Ok(if !monomial.is_one() && value % factor == 0 { value } else { 0 })
        })?;
        let small = rest.sub(&multiples)?;
        // A remainder such as `x - 4*(x floordiv 4)` is small only together with its quotient, a multiple of `g`.
        let quotients = multiples.map_coefficients(|monomial, value| {
            Ok(if monomial.factors().iter().any(|atom| atom.as_floor().is_some()) { value } else { 0 })
        })?;
        let single = quotients.terms().iter().map(|(monomial, value)| Poly::term(monomial.clone(), *value));
        let single = single.take(if quotients.terms().len() <= FEW { FEW } else { 0 });
        let moved = std::iter::once(Poly::constant(0)).chain(single);
        let moved = moved.chain((quotients.terms().len() > 1).then(|| quotients.clone()));
        for moved in moved {
            let Some(offset) = constant_quotient(&small.add(&moved)?, factor, env) else { continue };
            let kept = multiples.sub(&moved)?.map_coefficients(|_, value| Ok(value / factor))?;
            return Ok(Some((kept.add(&Poly::constant(offset))?, factor)));
        }
    }
    Ok(None)
}

/// Step 4, for the first quotient with a coefficient of one. What would overflow is left nested.
fn flatten<V: Variable>(rest: &Poly<V>, divisor: i64) -> Option<(Poly<V>, i64)> {
    rest.terms().iter().find_map(|(monomial, value)| {
        let inner = monomial.as_floor().filter(|_| *value == 1)?;
        let inner_divisor = inner.divisor.as_constant()?;
        let others = rest.sub(&Poly::from(monomial.clone())).ok()?;
        let flat = others.scale(inner_divisor).ok()?.add(&inner.numerator).ok()?;
        Some((flat, divisor.checked_mul(inner_divisor)?))
    })
}

fn by_polynomial<V: Variable>(numerator: &Poly<V>, divisor: &Poly<V>, env: Env<'_, V>) -> Result<Poly<V>> {
    let (whole, rest) = take_terms(numerator, divisor)?;
    let below = divisor.sub(&rest)?;
    if rest.is_zero() || range(&rest, env).lo() >= Some(0) && range(&below, env).lo() >= Some(1) {
        return Ok(whole);
    }
    let (terms, constant) = rest.split_constant();
    let common = terms.iter().chain(divisor.terms()).fold(0, |common, (_, value)| gcd(common, value.unsigned_abs()));
    match i64::try_from(common) {
        Ok(factor) if factor > 1 => {
            let smaller = rest.sub(&Poly::constant(constant))?.map_coefficients(|_, value| Ok(value / factor))?;
            let smaller = smaller.add(&Poly::constant(constant.div_euclid(factor)))?;
            let divisor = divisor.map_coefficients(|_, value| Ok(value / factor))?;
            whole.add(&by_polynomial(&smaller, &divisor, env)?)
        }
        _ => whole.add(&Floor::atom(rest, divisor.clone())?),
    }
}

/// `(Q, R)` with `N = D*Q + R`: division by leading terms with remainder. Of `5*M floordiv (2*M)`, the multiple `4*M`
/// comes out. The rest is unique, so `N` and `N + D` have the same one; but where it takes too many steps, what has
/// not been divided stays in the rest.
fn take_terms<V: Variable>(numerator: &Poly<V>, divisor: &Poly<V>) -> Result<(Poly<V>, Poly<V>)> {
    const MAX_STEPS: usize = 1000;
    let (leading, factor) = &divisor.terms()[0];
    let magnitude = factor.checked_abs().ok_or_else(AffineError::overflow)?;
    let leading = Poly::term(leading.clone(), *factor);
    let (mut whole, mut rest) = (Poly::constant(0), numerator.clone());
    let mut done = 0;
    for _ in 0..MAX_STEPS {
        let Some((monomial, value)) = rest.terms().get(done) else { break };
        let residue = value.rem_euclid(magnitude);
        let multiple = Poly::term(monomial.clone(), checked_add(*value, -residue)?);
        match multiple.try_div(&leading).filter(|quotient| !quotient.is_zero()) {
            Some(quotient) => {
                rest = rest.sub(&quotient.mul(divisor)?)?;
                whole = whole.add(&quotient)?;
                done += usize::from(residue != 0);
            }
            None => done += 1,
        }
    }
    Ok((whole, rest))
}
