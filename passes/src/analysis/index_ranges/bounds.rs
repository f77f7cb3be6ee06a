//! What expressions of sizes, values and positions are at most, where products of axes of one tensor are bounded together.

use dlc_ir::affine::{Factor, Interval, SizeExpr, SizeRanges};

use super::{IndexRanges, Scope, clamped, is_narrow, is_size, sum};

/// How many products are subtracted from a sum until what is left is bounded term by term.
const STEPS: usize = 16;

/// How many axes with symbols a tensor may have until only all of them together are taken as a product.
const FEW_AXES: usize = 6;

impl IndexRanges<'_> {
    // Products of axes.

    pub(super) fn add_products(&mut self, dims: &[SizeExpr]) {
        let (known, open): (Vec<&SizeExpr>, Vec<&SizeExpr>) = dims.iter().partition(|dim| dim.as_constant().is_some());
        let constant = known.iter().filter_map(|dim| dim.as_constant()).filter(|&size| size > 0);
        let Some(constant) = constant.into_iter().try_fold(1i64, |all, size| all.checked_mul(size)) else { return };
        let all = (1usize << open.len().min(FEW_AXES)) - 1;
        let sets: Vec<usize> = if open.len() <= FEW_AXES { (1..=all).collect() } else { Vec::new() };
        let is_in = |set: usize, axis: usize| open.len() > FEW_AXES || set >> axis & 1 != 0;
        for set in sets.into_iter().chain((open.len() > FEW_AXES).then_some(0)) {
            let chosen = open.iter().enumerate().filter(|(axis, _)| is_in(set, *axis)).map(|(_, dim)| *dim);
            let product = chosen.into_iter().try_fold(SizeExpr::from(constant), |product, dim| product.mul(dim));
            let Ok(product) = product else { continue };
            // A symbol alone is bounded anyway.
            if product.as_symbol().is_none() && !self.products.contains(&product) {
                self.products.push(product);
            }
        }
    }

    // Expressions.

    pub(super) fn range(&self, expr: &SizeExpr, scope: &Scope) -> Interval {
        let direct = expr.range(&scope.ranges);
        if is_narrow(direct) {
            return direct;
        }
        // What names only symbols is asked for again and again.
        let is_shared = expr.symbols().iter().all(|name| is_size(name));
        if let Some(&known) = self.known.borrow().get(expr).filter(|_| is_shared) {
            return known;
        }
        let found = self.refined(expr, scope, direct);
        if is_shared {
            self.known.borrow_mut().insert(expr.clone(), found);
        }
        found
    }

    pub(super) fn refined(&self, expr: &SizeExpr, scope: &Scope, direct: Interval) -> Interval {
        let mut found = direct;
        if let Some(part) = remainder(expr) {
            // As tight as can be, since more is added to it.
            let rest = self.refined(&part.rest, scope, part.rest.range(&scope.ranges));
            let most = self.range(&part.divisor, scope).hi().map_or(i64::MAX, |most| (most - 1).max(0));
            found = found.intersect(sum(Interval::new(0, most.saturating_mul(part.times)), rest));
        }
        let hi = self.upper(expr, scope).map_or(i64::MAX, clamped);
        let negated = SizeExpr::from(0).sub(expr).ok();
        let lo = negated.and_then(|negated| self.upper(&negated, scope)).map_or(i64::MIN, |hi| clamped(-hi));
        found.intersect(Interval::new(lo, hi))
    }

    /// What a sum is at most. Terms that add are taken together, as products of axes have to be; those that take away
    /// count with the least that they are.
    fn upper(&self, expr: &SizeExpr, scope: &Scope) -> Option<i128> {
        let mut most: i128 = 0;
        let (mut plain, mut limited) = (SizeExpr::from(0), SizeExpr::from(0));
        for (coefficient, factors) in expr.terms() {
            let own = term(coefficient, &factors)?;
            if coefficient > 0 {
                plain = plain.add(&own).ok()?;
                limited = limited.add(&self.limited(coefficient, &factors, scope).unwrap_or(own)).ok()?;
            } else {
                most += i128::from(own.range(&scope.ranges).hi()?);
            }
        }
        let both = [&plain, &limited].map(|sum| least(self.polynomial(sum.clone(), scope), self.by_terms(sum, scope)));
        Some(most + least(both[0], both[1])?)
    }

    /// A term that adds with what names are at most in their places. Factors are not negative, or it would not grow.
    fn limited(&self, coefficient: i64, factors: &[Factor], scope: &Scope) -> Option<SizeExpr> {
        let mut product = SizeExpr::from(coefficient);
        for factor in factors {
            let own = term(1, std::slice::from_ref(factor))?;
            if own.range(&scope.ranges).lo().is_none_or(|lo| lo < 0) {
                return None;
            }
            let most = match factor {
                Factor::Symbol(name) => scope.most.get(&**name).cloned(),
                Factor::Quotient(numerator, divisor) => self.most_of_quotient(numerator, divisor, scope),
            };
            product = product.mul(&most.unwrap_or(own)).ok()?;
        }
        Some(product)
    }

    /// What a quotient is at most, where what is divided is at most a multiple of the divisor and a number.
    pub(super) fn most_of_quotient(&self, numerator: &SizeExpr, divisor: &SizeExpr, scope: &Scope) -> Option<SizeExpr> {
        let mut most = SizeExpr::from(0);
        for (coefficient, factors) in numerator.terms() {
            let own = term(coefficient, &factors)?;
            let position = match factors.as_slice() {
                [Factor::Symbol(name)] if dlc_kernel::interp::axis_number(name).is_some() => {
                    own.range(&scope.ranges).hi()
                }
                _ => None,
            };
            let own = match (coefficient, position) {
                (_, Some(position)) => SizeExpr::from(position),
                _ if factors.is_empty() => own,
                (1.., _) => self.limited(coefficient, &factors, scope)?,
                _ => return None,
            };
            most = most.add(&own).ok()?;
        }
        let number = most.terms().iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(number, _)| *number);
        let times = most.sub(&SizeExpr::from(number)).ok()?.try_div(divisor)?;
        times.add(&SizeExpr::from(number.max(-1))).ok()
    }

    /// What a sum is at most, if products with quotients are bounded one by one.
    fn by_terms(&self, expr: &SizeExpr, scope: &Scope) -> Option<i128> {
        let mut most: i128 = 0;
        let mut plain = SizeExpr::from(0);
        for (coefficient, factors) in expr.terms() {
            let own = term(coefficient, &factors)?;
            let has_quotient = factors.iter().any(|factor| matches!(factor, Factor::Quotient(..)));
            let direct = own.range(&scope.ranges).hi().map(i128::from);
            if !has_quotient {
                plain = plain.add(&own).ok()?;
            } else if coefficient > 0 {
                most += least(direct, self.quotients(coefficient, &factors, scope))?;
            } else {
                most += direct?;
            }
        }
        Some(most + self.polynomial(plain, scope)?)
    }

    /// What a product with quotients is at most, as the quotient of a product.
    fn quotients(&self, coefficient: i64, factors: &[Factor], scope: &Scope) -> Option<i128> {
        let (mut above, mut below) = (SizeExpr::from(coefficient), 1i128);
        let mut left: Vec<Factor> = factors.to_vec();
        while let Some(place) = left.iter().position(|factor| matches!(factor, Factor::Quotient(..))) {
            let Factor::Quotient(numerator, divisor) = left.remove(place) else { return None };
            // Nothing is below zero, or the quotient would not be the larger the larger what is divided.
            if self.range(&numerator, scope).lo().is_none_or(|lo| lo < 0) {
                return None;
            }
            above = above.mul(&numerator).ok()?;
            match divisor.as_constant() {
                Some(divisor) => below = below.checked_mul(divisor.into())?,
                // What the divisor is at least cancels out.
                None => {
                    let is_at_least = |coefficient: i64, factors: &[Factor]| {
                        let others = term(coefficient, factors).and_then(|own| divisor.sub(&own).ok());
                        others.is_some_and(|others| self.range(&others, scope).lo().is_some_and(|lo| lo >= 0))
                    };
                    let cancelled = divisor.terms().into_iter().find(|(coefficient, factors)| {
                        let is_there = !factors.is_empty() && factors.iter().all(|factor| left.contains(factor));
                        *coefficient > 0 && is_there && is_at_least(*coefficient, factors)
                    });
                    for factor in cancelled.into_iter().flat_map(|(_, factors)| factors) {
                        let place = left.iter().position(|other| *other == factor)?;
                        left.remove(place);
                    }
                }
            }
        }
        above = above.mul(&term(1, &left)?).ok()?;
        Some(self.polynomial(above, scope)?.div_euclid(below))
    }

    /// What a polynomial is at most.
    fn polynomial(&self, mut rest: SizeExpr, scope: &Scope) -> Option<i128> {
        let ranges = &scope.ranges;
        let mut most: i128 = 0;
        for _ in 0..STEPS {
            let direct = rest.range(ranges).hi();
            if direct.is_some_and(|hi| i128::from(hi) <= i128::from(self.elements)) {
                break;
            }
            let Some((times, product)) = self.product_in(&rest, ranges) else { break };
            rest = rest.sub(&product.mul(&SizeExpr::from(times)).ok()?).ok()?;
            most += i128::from(times) * i128::from(self.elements);
        }
        let mut left: i128 = 0;
        for (coefficient, factors) in rest.terms() {
            left += i128::from(term(coefficient, &factors)?.range(ranges).hi()?);
        }
        let together = rest.range(ranges).hi().map(i128::from);
        Some(most + together.map_or(left, |together| together.min(left)))
    }

    /// A product of axes that has the first term of a polynomial that may be large by itself, and how often it is in it.
    fn product_in(&self, poly: &SizeExpr, ranges: &SizeRanges) -> Option<(i64, &SizeExpr)> {
        let terms = poly.terms();
        let is_large = |(coefficient, factors): &&(i64, Vec<Factor>)| {
            let most = || term(*coefficient, factors).and_then(|term| term.range(ranges).hi());
            *coefficient > 0 && !factors.is_empty() && most().is_none_or(|most| most > self.elements)
        };
        let (coefficient, factors) = terms.iter().find(is_large)?;
        let mut best: Option<(usize, i64, &SizeExpr)> = None;
        for product in &self.products {
            let own = product.terms();
            let Some((per, _)) = own.iter().find(|(per, own)| *per > 0 && is_same(own, factors)) else { continue };
            let times = (coefficient - 1) / per + 1;
            let Ok(rest) = product.mul(&SizeExpr::from(times)).and_then(|all| poly.sub(&all)) else { continue };
            let left = rest.terms().len();
            if best.as_ref().is_none_or(|(least, most, _)| (left, times) < (*least, *most)) {
                best = Some((left, times, product));
            }
        }
        best.map(|(_, times, product)| (times, product))
    }
}

/// A multiple of what is left of a division by something that is no number, in a sum.
pub(super) struct Remainder {
    pub times: i64,
    pub divisor: SizeExpr,
    /// What else is in the sum.
    pub rest: SizeExpr,
}

/// Finds `times * (x - divisor * (x floordiv divisor))` in a sum. Where x is a quotient itself, the quotient of both is
/// one by their product.
pub(super) fn remainder(expr: &SizeExpr) -> Option<Remainder> {
    let terms = expr.terms();
    let quotients = terms.iter().flat_map(|(_, factors)| factors);
    for atom in quotients {
        let Factor::Quotient(numerator, whole) = atom else { continue };
        if whole.as_constant().is_some() {
            continue;
        }
        // What the quotient is multiplied with, in all terms together.
        let mut alongside = Some(SizeExpr::from(0));
        for (coefficient, factors) in &terms {
            let Some(place) = factors.iter().position(|factor| factor == atom) else { continue };
            let mut others = factors.clone();
            others.remove(place);
            alongside = alongside.and_then(|sum| sum.add(&term(-coefficient, &others)?).ok());
        }
        // A size, as far as can be seen.
        let is_size = |alongside: &SizeExpr| alongside.terms().iter().all(|(coefficient, _)| *coefficient > 0);
        let Some(alongside) = alongside.filter(is_size) else { continue };
        let common = i64::try_from(alongside.largest_known_divisor()).unwrap_or(1).max(1);
        let found = [1, common].into_iter().find_map(|times| {
            let divisor = alongside.try_div(&SizeExpr::from(times))?;
            let inner = whole.try_div(&divisor)?;
            let is_whole = inner.as_constant() == Some(1);
            let divided = if is_whole { numerator.clone() } else { numerator.floordiv(&inner).ok()? };
            let back = divisor.mul(&term(1, std::slice::from_ref(atom))?).ok()?;
            let rest = expr.sub(&divided.sub(&back).ok()?.mul(&SizeExpr::from(times)).ok()?).ok()?;
            let is_gone = rest.terms().iter().all(|(_, factors)| !factors.contains(atom));
            is_gone.then_some(Remainder { times, divisor, rest })
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// A coefficient times factors.
fn term(coefficient: i64, factors: &[Factor]) -> Option<SizeExpr> {
    factors.iter().try_fold(SizeExpr::from(coefficient), |product, factor| {
        let factor = match factor {
            Factor::Symbol(name) => SizeExpr::symbol(name).ok()?,
            Factor::Quotient(numerator, divisor) => numerator.floordiv(divisor).ok()?,
        };
        product.mul(&factor).ok()
    })
}

/// Whether both are the same factors, in any order.
fn is_same(a: &[Factor], b: &[Factor]) -> bool {
    let mut left = b.to_vec();
    a.iter().all(|factor| left.iter().position(|other| other == factor).map(|place| left.remove(place)).is_some())
        && left.is_empty()
}

fn least(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (known, None) | (None, known) => known,
    }
}
