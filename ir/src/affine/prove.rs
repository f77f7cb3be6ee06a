//! The range of a polynomial, from the ranges of its variables.
//!
//! Interval arithmetic alone takes two occurrences of one variable for two variables, which is hopeless for
//! remainders: `x - 4*(x floordiv 4)`. Several readings of the same polynomial are therefore intersected:
//! - *direct*: term by term.
//! - *relaxed*: `N floordiv D` is `(N - r)/D` for some `r` in `[0, D)`; with that the dividend joins the other terms
//!   and cancels. It is done for each quotient alone, and for all of them together.
//! - *shifted*: with `x = lo + x'` and `x' >= 0` in each variable that has a lower bound, products such as
//!   `M*N - M` lose their negative terms (the same idea as Bernstein bounds, in its simplest form).
//! - *limited*: where a variable is known to be less than a symbol, `M*N - i*N - j` is bounded by what it is at the
//!   greatest `i` and `j`.

use super::error::Result;
use super::poly::{Atom, Monomial, Poly, Variable};
use super::range::Interval;

/// What is known of each variable.
pub(super) type Env<'a, V> = &'a dyn Known<V>;

pub(super) trait Known<V> {
    /// Every value lies in it.
    fn range(&self, variable: &V) -> Interval;

    /// Every value is less than that of this polynomial.
    fn limit(&self, _variable: &V) -> Option<Poly<V>> {
        None
    }
}

/// Ranges alone.
impl<V, F: Fn(&V) -> Interval> Known<V> for F {
    fn range(&self, variable: &V) -> Interval {
        self(variable)
    }
}

/// How many levels of quotients inside quotients are read in all three ways; deeper ones are read directly.
const LEVELS: u32 = 3;

/// How many quotients of one sum are looked at one by one. More than a reshape makes are only looked at as they stand:
/// the work grows with the square, and for nested ones with more.
pub(super) const FEW: usize = 8;

/// The same for terms where products are expanded; their degree is then bounded by `FEW`.
const FEW_TERMS: usize = 32;

/// An interval that holds every value of the polynomial.
pub(super) fn range<V: Variable>(poly: &Poly<V>, env: Env<'_, V>) -> Interval {
    range_at(poly, env, LEVELS)
}

fn range_at<V: Variable>(poly: &Poly<V>, env: Env<'_, V>, levels: u32) -> Interval {
    let mut known = direct(poly, env, levels);
    if levels == 0 || known.as_constant().is_some() {
        return known;
    }
    let quotients: Vec<_> = poly.terms().iter().filter(|(monomial, _)| monomial.as_floor().is_some()).collect();
    let few = quotients.len() <= FEW;
    // A relaxed reading costs two levels: there are as many of them as quotients.
    for (monomial, _) in quotients.iter().filter(|_| few) {
        if let Ok(bound) = relaxed(poly, std::slice::from_ref(&monomial), env, levels.saturating_sub(2)) {
            known = known.intersect(bound);
        }
    }
    if quotients.len() > 1 && few {
        let all: Vec<_> = quotients.iter().map(|(monomial, _)| monomial).collect();
        if let Ok(bound) = relaxed(poly, &all, env, levels.saturating_sub(2)) {
            known = known.intersect(bound);
        }
    }
    if (2..=FEW).contains(&poly.degree())
        && poly.terms().len() <= FEW_TERMS
        && let Ok(bound) = shifted(poly, env, levels - 1)
    {
        known = known.intersect(bound);
    }
    if has_limited_variable(poly, env) {
        if let Some(lo) = least_by_limits(poly, env, levels - 1) {
            known = known.intersect(Interval::new(lo, i64::MAX));
        }
        if let Some(lo) = poly.scale(-1).ok().and_then(|negated| least_by_limits(&negated, env, levels - 1)) {
            known = known.intersect(Interval::new(lo, i64::MAX).scale(-1));
        }
    }
    known
}

fn has_limited_variable<V: Variable>(poly: &Poly<V>, env: Env<'_, V>) -> bool {
    let mut atoms = poly.terms().iter().flat_map(|(monomial, _)| monomial.factors());
    atoms.any(|atom| matches!(atom, Atom::Variable(name) if env.limit(name).is_some()))
}

/// A lower bound, by putting the greatest value that its limit allows in place of each variable whose factor is known
/// to be negative or zero. Nothing, if there is no such variable.
fn least_by_limits<V: Variable>(poly: &Poly<V>, env: Env<'_, V>, levels: u32) -> Option<i64> {
    let variables = poly.terms().iter().flat_map(|(monomial, _)| monomial.factors());
    let mut changed = None;
    for atom in variables {
        let Atom::Variable(name) = atom else { continue };
        let Some(limit) = env.limit(name) else { continue };
        let current = changed.as_ref().unwrap_or(poly);
        let variable = Poly::product_of(std::slice::from_ref(atom));
        let mut factor = Poly::constant(0);
        for (monomial, value) in current.terms() {
            if let Some(alongside) = Poly::term(monomial.clone(), *value).try_div(&variable) {
                factor = factor.add(&alongside).ok()?;
            }
        }
        if !factor.is_zero() && range_at(&factor, env, levels).hi().is_some_and(|hi| hi <= 0) {
            let above = limit.sub(&Poly::constant(1)).ok()?.sub(&variable).ok()?;
            changed = Some(current.add(&factor.mul(&above).ok()?).ok()?);
        }
    }
    range_at(&changed?, env, levels).lo()
}

fn direct<V: Variable>(poly: &Poly<V>, env: Env<'_, V>, levels: u32) -> Interval {
    let mut sum = Interval::constant(0);
    for (monomial, coefficient) in poly.terms() {
        sum = sum.add(monomial_range(monomial, env, levels).scale(*coefficient));
    }
    sum
}

fn monomial_range<V: Variable>(monomial: &Monomial<V>, env: Env<'_, V>, levels: u32) -> Interval {
    let powers = monomial.factors().chunk_by(|a, b| a == b);
    powers.fold(Interval::constant(1), |product, equal| {
        product.mul(atom_range(&equal[0], env, levels).power(equal.len()))
    })
}

fn atom_range<V: Variable>(atom: &Atom<V>, env: Env<'_, V>, levels: u32) -> Interval {
    match atom {
        Atom::Variable(name) => env.range(name),
        Atom::Floor(floor) => {
            let deeper = levels.saturating_sub(1);
            let divisor = match floor.divisor.as_constant() {
                Some(value) => Interval::constant(value),
                None => range_at(&floor.divisor, env, deeper),
            };
            range_at(&floor.numerator, env, deeper).floordiv(divisor)
        }
    }
}

/// The given quotients read as exact ones less a slack. The sum is kept multiplied by their divisors, as `scaled`.
fn relaxed<V: Variable>(poly: &Poly<V>, quotients: &[&Monomial<V>], env: Env<'_, V>, levels: u32) -> Result<Interval> {
    let (mut scaled, mut scale, mut slack) = (poly.clone(), 1_i64, Interval::constant(0));
    for monomial in quotients {
        let floor = monomial.as_floor().expect("only quotients are given");
        let Some(divisor) = floor.divisor.as_constant() else { continue };
        let coefficient = scaled.coefficient(monomial);
        // divisor * (scaled - c*floor + slack) + c*(numerator - r), with r in [0, divisor)
        scaled = scaled
            .sub(&Poly::term((*monomial).clone(), coefficient))?
            .scale(divisor)?
            .add_scaled(&floor.numerator, coefficient)?;
        scale = super::error::checked_mul(scale, divisor)?;
        let remainder = Interval::new(0, divisor - 1);
        slack = slack.scale(divisor).add(remainder.scale(coefficient).scale(-1));
    }
    Ok(direct(&scaled, env, levels).add(slack).divide_inward(scale))
}

/// Every variable and quotient with a lower bound written as that bound plus something that is not negative.
fn shifted<V: Variable>(poly: &Poly<V>, env: Env<'_, V>, levels: u32) -> Result<Interval> {
    let mut result = Poly::constant(0);
    for (monomial, coefficient) in poly.terms() {
        let mut product = Poly::constant(*coefficient);
        for atom in monomial.factors() {
            let lo = atom_range(atom, env, levels).lo().unwrap_or(0);
            let offset = Poly::product_of(std::slice::from_ref(atom)).add(&Poly::constant(lo))?;
            product = offset.mul(&product)?;
        }
        result = result.add(&product)?;
    }
    // The atoms of `result` stand for what is left of them above their bounds.
    let mut sum = Interval::constant(0);
    for (monomial, coefficient) in result.terms() {
        let powers = monomial.factors().chunk_by(|a, b| a == b);
        let product = powers.fold(Interval::constant(1), |product, equal| {
            let range = atom_range(&equal[0], env, levels);
            let above = match range.lo() {
                Some(lo) => range.add(Interval::constant(lo).scale(-1)),
                None => range,
            };
            product.mul(above.power(equal.len()))
        });
        sum = sum.add(product.scale(*coefficient));
    }
    Ok(sum)
}
