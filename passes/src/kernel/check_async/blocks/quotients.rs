//! Quotients and products that are not linear, as numbers of which only something is known.

use dlc_core::sizes::value_number;
use dlc_ir::ValueId;
use dlc_ir::affine::{AffineExpr, Factor, Interval, SizeExpr};

use super::sites::{Pair, Side};

/// As often as what products and quotients imply is looked at.
const MOST_IMPLIED: usize = 4;

/// As many times as much as what it is divided by a number is, at most, for its quotient to be bounded: a power of two, above
/// the parts that sums have.
const MOST_TIMES: i64 = 1024;

impl Pair<'_> {
    /// A quotient by what may be a constant.
    pub fn quotient(&mut self, side: Side, above: &SizeExpr, below: &SizeExpr, args: &[ValueId]) -> Option<AffineExpr> {
        if let Some(by @ AffineExpr::Constant(1..)) = self.expr(side, below, args)
            && let Some(above) = self.expr(side, above, args)
        {
            return above.floordiv(&by).ok();
        }
        if self.is_of_launch(args) {
            return Some(self.quotient_of_launch(above, below, args));
        }
        let quotient = self.product(product_of(&[Factor::Quotient(above.clone(), below.clone())], args), Interval::ALL);
        if let (Some(above), Some(below)) = (self.expr(side, above, args), self.expr(side, below, args)) {
            self.quotients.push([quotient.clone(), above, below]);
        }
        Some(quotient)
    }

    /// A quotient by a number that is computed at the launch. By 0 nothing is divided: then nothing is launched. So a quotient
    /// of a number that is not below -1 is not more than that number, nor is one that is not negative.
    fn quotient_of_launch(&mut self, above: &SizeExpr, below: &SizeExpr, args: &[ValueId]) -> AffineExpr {
        let quotient = self.product(format!("({above}) floordiv ({below}) of {args:?}"), Interval::ALL);
        let is_above_minus_two = above.add(&1.into()).is_ok_and(|more| self.is_count(&more, args));
        if self.is_count(below, args)
            && let Some(above) = self.expr(0, above, args)
        {
            match above.sub(&quotient) {
                _ if is_above_minus_two => self.at_most(&quotient, &above, 0),
                Ok(rest) => self.implied.push((quotient.clone(), vec![rest])),
                Err(_) => {}
            }
        }
        quotient
    }

    /// What products and quotients imply.
    pub fn imply(&mut self) {
        for [quotient, above, below] in std::mem::take(&mut self.quotients) {
            let zero = AffineExpr::Constant(0);
            if !self.implies_less(&zero, &above, 0) {
                continue;
            }
            // Of what is less than a few times as much: by 0 nothing is divided.
            let is_less = |&times: &i64| {
                let end = below.mul(&AffineExpr::Constant(times));
                end.is_ok_and(|end| self.implies_less(&above, &end, -1))
            };
            let times = least(MOST_TIMES, is_less);
            self.at_most(&zero, &quotient, 0);
            if let Some(times) = times {
                self.at_most(&quotient, &AffineExpr::Constant(times - 1), 0);
            }
        }
        let mut at = 0;
        // What is known of one may say more of another.
        for _ in 0..MOST_IMPLIED {
            let before = self.constraints.len();
            while let Some((when, then)) = self.implied.get(at).cloned() {
                at += 1;
                let zero = AffineExpr::Constant(0);
                if self.implies_less(&zero, &when, 0) {
                    then.iter().for_each(|part| self.at_most(&zero, part, 0));
                }
            }
            if self.constraints.len() == before {
                return;
            }
            at = 0;
        }
    }
}

/// The least number of which something holds that holds of all larger ones; `None` if it does not hold of the largest, a power
/// of two.
fn least(most: i64, mut holds: impl FnMut(&i64) -> bool) -> Option<i64> {
    let powers = std::iter::successors(Some(1), |times| Some(times * 2)).take_while(|times| *times <= most);
    let mut high = powers.into_iter().find(&mut holds)?;
    let mut low = high / 2;
    // It holds of `high`, and not of `low`.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(&middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// What is divided in a remainder by a symbol that is a part of an expression, and the symbol.
pub fn remainder_of(expr: &SizeExpr) -> Option<(SizeExpr, SizeExpr)> {
    expr.terms().into_iter().find_map(|(_, factors)| {
        let quotient = factors.iter().find_map(|factor| match factor {
            Factor::Quotient(above, below) if below.as_symbol().is_some() => Some((above, below)),
            _ => None,
        });
        let (above, below) = quotient.filter(|_| factors.len() == 2)?;
        let rest = above.modulo(below).and_then(|remainder| expr.sub(&remainder)).ok()?;
        (rest.terms().len() < expr.terms().len()).then(|| (above.clone(), below.clone()))
    })
}

/// A product by what is multiplied: the same values in any op.
pub fn product_of(factors: &[Factor], args: &[ValueId]) -> String {
    let of_expr = |expr: &SizeExpr| {
        let terms = expr.terms();
        let terms = terms.iter().map(|(by, factors)| format!("{by} {}", product_of(factors, args)));
        terms.collect::<Vec<_>>().join(" + ")
    };
    let factor = |factor: &Factor| match factor {
        Factor::Symbol(name) => match value_number(name).and_then(|number| args.get(number)) {
            Some(value) => format!("{value:?}"),
            None => name.to_string(),
        },
        Factor::Quotient(above, below) => format!("({} floordiv {})", of_expr(above), of_expr(below)),
    };
    factors.iter().map(factor).collect::<Vec<_>>().join(" * ")
}
