//! Sizes as text: `2*K + 1`, `M*N`, `M ceildiv 4`, `2*(M mod 4)`.
//!
//! `(x + n - 1) floordiv n` is written `x ceildiv n`, and `x - n*(x floordiv n)` is written `x mod n`; both read back
//! as what they stand for. `*` has no spaces around it, so that a product stays one word in a shape.

use std::fmt::{self, Display, Formatter, Write};
use std::sync::Arc;

use super::decompose::{Factor, Written, written};
use super::poly::{Atom, Floor, Poly};
use super::range::Interval;
use super::size::SizeExpr;

type Name = Arc<str>;

impl Display for SizeExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        sum(&self.0, f)
    }
}

fn sum(poly: &Poly<Name>, f: &mut Formatter<'_>) -> fmt::Result {
    let mut written = written(poly, &|_: &Name| Interval::ALL);
    prefer_rounding_up(&mut written);
    let Written { mut terms, constant } = written;
    if constant != 0 || terms.is_empty() {
        terms.push((constant, Vec::new()));
    }
    for (index, (coefficient, factors)) in terms.iter().enumerate() {
        // The least integer has no positive counterpart, so it keeps its sign.
        let subtract = index > 0 && *coefficient < 0 && *coefficient != i64::MIN;
        if index > 0 {
            f.write_str(if subtract { " - " } else { " + " })?;
        }
        term(if subtract { -coefficient } else { *coefficient }, factors, f)?;
    }
    Ok(())
}

/// With a constant divisor `n`, `x + n - 1` stands in the dividend as it is. A symbolic one has come out of it: there
/// `x ceildiv n` is `(x - 1) floordiv n + 1`, and is written where that makes the constant smaller.
fn prefer_rounding_up(written: &mut Written<Name>) {
    for (coefficient, factors) in &mut written.terms {
        let alone = factors.len() == 1;
        for factor in factors {
            let Factor::Atom(Atom::Floor(floor)) = factor else { continue };
            let Floor { numerator, divisor, .. } = &**floor;
            let (terms, constant) = numerator.split_constant();
            let rest = match divisor.as_constant() {
                Some(divisor) => (constant == divisor - 1).then_some(written.constant),
                None if alone && constant == -1 => written.constant.checked_sub(*coefficient),
                None => None,
            };
            let Some(rest) = rest.filter(|rest| {
                !terms.is_empty()
                    && (*rest == written.constant || rest.unsigned_abs() < written.constant.unsigned_abs())
            }) else {
                continue;
            };
            if let Ok(dividend) = numerator.sub(&Poly::constant(constant)) {
                written.constant = rest;
                *factor = Factor::RoundedUp(dividend, divisor.clone());
            }
        }
    }
}

fn term(coefficient: i64, factors: &[Factor<Name>], f: &mut Formatter<'_>) -> fmt::Result {
    if factors.is_empty() {
        return write!(f, "{coefficient}");
    }
    match coefficient {
        1 => {}
        -1 => f.write_char('-')?,
        value => write!(f, "{value}*")?,
    }
    let alone = coefficient == 1 && factors.len() == 1;
    for (index, factor) in factors.iter().enumerate() {
        if index > 0 {
            f.write_char('*')?;
        }
        let (dividend, word, divisor) = match factor {
            Factor::Atom(Atom::Variable(name)) => {
                f.write_str(name)?;
                continue;
            }
            Factor::Atom(Atom::Floor(floor)) => (&floor.numerator, "floordiv", &floor.divisor),
            Factor::Remainder(dividend, divisor) => (dividend, "mod", divisor),
            Factor::RoundedUp(dividend, divisor) => (dividend, "ceildiv", divisor),
        };
        f.write_str(if alone { "" } else { "(" })?;
        operand(dividend, f)?;
        write!(f, " {word} ")?;
        operand(divisor, f)?;
        f.write_str(if alone { "" } else { ")" })?;
    }
    Ok(())
}

fn operand(poly: &Poly<Name>, f: &mut Formatter<'_>) -> fmt::Result {
    let is_symbol = match poly.terms() {
        [(monomial, 1)] => matches!(monomial.factors(), [Atom::Variable(_)]),
        _ => false,
    };
    if is_symbol || poly.as_constant().is_some_and(|value| value >= 0) {
        return sum(poly, f);
    }
    f.write_char('(')?;
    sum(poly, f)?;
    f.write_char(')')
}
