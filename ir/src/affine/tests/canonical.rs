//! Equal expressions written in different ways are simplified to one text, nearly always: two in a thousand are not.

use super::Random;
use crate::affine::{AffineExpr, BinaryOp, Interval, Ranges};

/// The terms of a sum.
fn terms(expr: &AffineExpr) -> Vec<AffineExpr> {
    match expr.as_binary(BinaryOp::Add) {
        Some((first, last)) => [terms(first), terms(last)].concat(),
        None => vec![expr.clone()],
    }
}

fn sum(terms: &[AffineExpr]) -> AffineExpr {
    terms.iter().fold(AffineExpr::Constant(0), |sum, term| sum.add(term).expect("small"))
}

/// A divisor of a number between 1 and itself, if there is one.
fn part(random: &mut Random, number: i64) -> Option<i64> {
    let parts: Vec<i64> = (2..number).filter(|part| number % part == 0).collect();
    (!parts.is_empty()).then(|| random.one_of(&parts))
}

/// The same expression written in another way.
fn rewritten(random: &mut Random, expr: &AffineExpr) -> AffineExpr {
    let AffineExpr::Binary(node) = expr else { return expr.clone() };
    match (node.op(), node.rhs().as_constant()) {
        (BinaryOp::Add, _) => {
            let mut terms: Vec<_> = terms(expr).iter().map(|term| rewritten(random, term)).collect();
            for at in (1..terms.len()).rev() {
                terms.swap(at, random.within(0, at as i64) as usize);
            }
            let cut = random.within(0, terms.len() as i64) as usize;
            sum(&terms[..cut]).add(&sum(&terms[cut..])).expect("small")
        }
        (BinaryOp::Mul, Some(factor)) => {
            let inner = rewritten(random, node.lhs());
            if random.within(0, 1) == 0 {
                return inner.mul(&factor.into()).expect("small");
            }
            sum(&terms(&inner).iter().map(|term| term.mul(&factor.into()).expect("small")).collect::<Vec<_>>())
        }
        (op @ (BinaryOp::FloorDiv | BinaryOp::Mod), Some(divisor)) => {
            let inner = rewritten(random, node.lhs());
            divided(random, op, &inner, divisor)
        }
        _ => {
            // A divisor stays, as it must not have dimensions.
            AffineExpr::binary(node.op(), &rewritten(random, node.lhs()), node.rhs()).expect("small")
        }
    }
}

/// The quotient or remainder of an expression, written in one of several ways.
fn divided(random: &mut Random, op: BinaryOp, inner: &AffineExpr, divisor: i64) -> AffineExpr {
    let constant = AffineExpr::Constant;
    let quotient = |expr: &AffineExpr, by: i64| expr.floordiv(&constant(by)).expect("small");
    let remainder = |expr: &AffineExpr, by: i64| expr.modulo(&constant(by)).expect("small");
    let part = part(random, divisor);
    match (op, random.within(0, 4), part) {
        // x floordiv a*b = (x floordiv a) floordiv b
        (BinaryOp::FloorDiv, 0, Some(part)) => quotient(&quotient(inner, part), divisor / part),
        // x floordiv a = (b*x) floordiv (a*b)
        (BinaryOp::FloorDiv, 1, _) => quotient(&inner.mul(&constant(3)).expect("small"), divisor * 3),
        // x floordiv a = (x + a*y) floordiv a - y
        (BinaryOp::FloorDiv, 2, _) => {
            let more = AffineExpr::Dim(random.within(0, 2) as u32);
            let moved = inner.add(&more.mul(&constant(divisor)).expect("small")).expect("small");
            quotient(&moved, divisor).sub(&more).expect("small")
        }
        // x floordiv a = (x - x mod a) floordiv a
        (BinaryOp::FloorDiv, 3, _) => quotient(&inner.sub(&remainder(inner, divisor)).expect("small"), divisor),
        // x mod a = x - a*(x floordiv a), of which the quotient is written in another way
        (BinaryOp::Mod, 0 | 1, _) => {
            let quotient = divided(random, BinaryOp::FloorDiv, inner, divisor);
            inner.sub(&quotient.mul(&constant(divisor)).expect("small")).expect("small")
        }
        // x mod a*b = x mod a + a*((x floordiv a) mod b)
        (BinaryOp::Mod, 2, Some(part)) => {
            let high = remainder(&quotient(inner, part), divisor / part).mul(&constant(part)).expect("small");
            remainder(inner, part).add(&high).expect("small")
        }
        // x mod a = (x mod a*b) mod a, which the constructors fold, and then the first only
        (BinaryOp::Mod, 3, _) => {
            let more = AffineExpr::Dim(random.within(0, 2) as u32).mul(&constant(divisor)).expect("small");
            remainder(&inner.add(&more).expect("small"), divisor)
        }
        _ => AffineExpr::binary(op, inner, &constant(divisor)).expect("small"),
    }
}

/// The position on an axis after a chain of reshapes, transpositions and slices, over three axes of these sizes.
fn chain(random: &mut Random, sizes: [i64; 3]) -> AffineExpr {
    let constant = AffineExpr::Constant;
    let mut axes: Vec<(AffineExpr, i64)> = (0..3).map(|dim| (AffineExpr::Dim(dim as u32), sizes[dim])).collect();
    for _ in 0..random.within(1, 5) {
        let at = random.within(0, axes.len() as i64 - 1) as usize;
        let (own, size) = axes[at].clone();
        match random.within(0, 4) {
            // Two neighbours become one.
            0 | 1 if at + 1 < axes.len() => {
                let (next, inner) = axes.remove(at + 1);
                axes[at] = (own.mul(&constant(inner)).and_then(|outer| outer.add(&next)).expect("small"), size * inner);
            }
            // One becomes two.
            2 => {
                if let Some(inner) = part(random, size) {
                    let (high, low) = (own.floordiv(&constant(inner)), own.modulo(&constant(inner)));
                    axes[at] = (high.expect("small"), size / inner);
                    axes.insert(at + 1, (low.expect("small"), inner));
                }
            }
            3 => axes.swap(at, 0),
            // A part of a longer axis, or every other element of it.
            _ => {
                let (step, start) = (random.within(1, 2), random.within(0, 2));
                let moved = own.mul(&constant(step)).and_then(|own| own.add(&constant(start))).expect("small");
                axes[at] = (moved, size * step + start + random.within(0, 1));
            }
        }
    }
    random.one_of(&axes).0
}

/// Of how many pairs of texts both are the same.
fn share(cases: u32, mut case: impl FnMut(&mut Random) -> (AffineExpr, Ranges)) -> f64 {
    let mut random = Random::new(7);
    let mut same = 0;
    for _ in 0..cases {
        let (expr, ranges) = case(&mut random);
        let other = rewritten(&mut random, &expr);
        let (first, second) = (expr.simplify_under(&ranges), other.simplify_under(&ranges));
        same += u32::from(first == second);
    }
    f64::from(same) / f64::from(cases)
}

#[test]
fn chains_of_reshapes_have_one_text() {
    let share = share(1500, |random| {
        let sizes = [(); 3].map(|()| random.one_of(&[1, 2, 3, 4, 6, 8, 12]));
        (chain(random, sizes), Ranges::of_sizes(&sizes))
    });
    assert!(share > 0.995, "{share}");
}

#[test]
fn most_expressions_have_one_text() {
    let share = share(1500, |random| {
        let depth = random.within(1, 4) as u32;
        let expr = random.expr(depth);
        let mut interval = |least| {
            let lo = random.within(least, 2);
            Interval::new(lo, lo + random.within(0, 9))
        };
        let dims = vec![interval(-3), interval(0), interval(0)];
        (expr, Ranges { dims, symbols: vec![interval(-1), interval(1)], limits: Vec::new() })
    });
    assert!(share > 0.99, "{share}");
}
