//! Sizes: expected texts, arithmetic against evaluation, proofs against enumeration.

use super::super::{AffineErrorKind, Interval, SizeExpr, SizeRanges};
use super::{Random, points};

fn size(text: &str) -> SizeExpr {
    SizeExpr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn check(text: &str, expected: &str) {
    assert_eq!(size(text).to_string(), expected, "{text}");
    assert_eq!(size(expected), size(text), "{expected} reads back");
}

#[test]
fn sizes_have_one_order_of_terms() {
    check("1 + K*2", "2*K + 1");
    check("N*M", "M*N");
    check("M*M + 3 + N + M*N*K - M", "K*M*N + M*M - M + N + 3");
    check("-K + 3", "-K + 3");
    check("(M + 1) * (M - 1)", "M*M - 1");
    check("M - M", "0");
    check("-(-5)", "5");
    check("N - 9223372036854775807 - 1", "N + -9223372036854775808");
    check("-9223372036854775808*N", "-9223372036854775808*N");
    check("N*N + N*-9223372036854775808", "N*N + -9223372036854775808*N");
}

#[test]
fn divisions_read_well_and_back() {
    check("(4*M) floordiv 4", "M");
    check("(4*M + 3) floordiv 4", "M");
    check("(4*M + N + 5) floordiv 4", "M + (N + 1) floordiv 4 + 1");
    check("M floordiv 4", "M floordiv 4");
    check("(M + 3) floordiv 4", "M ceildiv 4");
    check("(M - 1) floordiv 4 + 1", "M ceildiv 4");
    check("(M + 127) floordiv 128 * N", "N*(M ceildiv 128)");
    check("M - 4*(M floordiv 4)", "M mod 4");
    check("2*((M + 1) mod 4) + K", "K + 2*((M + 1) mod 4)");
    check("(M floordiv 4) floordiv 3", "M floordiv 12");
    check("(M ceildiv 4) ceildiv 3", "M ceildiv 12");
    check("(M floordiv 2) mod 2", "(M floordiv 2) mod 2");
    check("(6*M) floordiv 4", "M + M floordiv 2");
    check("(M*N) floordiv 4", "(M*N) floordiv 4");
    check("(M mod 6) mod 3", "M mod 3");
    check("(H + 2*1 - 3) floordiv 2 + 1", "H ceildiv 2");
    check("-(M floordiv 3)", "-(M floordiv 3)");
    // What is divided fits, and so does the quotient, whatever their sum does.
    check("9223372036854775807 ceildiv 1", "9223372036854775807");
    check("9223372036854775807 ceildiv 9223372036854775806", "2");
}

#[test]
fn symbolic_divisors() {
    check("(M*N) floordiv N", "M");
    check("(M*N + N + 1) floordiv N", "M + 1 floordiv N + 1");
    check("M ceildiv N", "M ceildiv N");
    check("3*((M + N - 1) floordiv N) + 1", "3*(M ceildiv N) + 1");
    check("(M - 1) floordiv N", "(M - 1) floordiv N");
    check("M mod (N + 1)", "M mod (N + 1)");
    check("(M*N) mod N", "0");
    check("(5*M*K) floordiv (2*M)", "2*K + (K*M) floordiv (2*M)");
}

#[test]
fn exact_division() {
    let quotient = |a: &str, b: &str| size(a).try_div(&size(b)).map(|quotient| quotient.to_string());
    assert_eq!(quotient("M*M - 1", "M + 1").as_deref(), Some("M - 1"));
    assert_eq!(quotient("6*M*N + 4*N", "2*N").as_deref(), Some("3*M + 2"));
    assert_eq!(quotient("0", "M").as_deref(), Some("0"));
    assert_eq!(quotient("2*(M floordiv 3)*N", "M floordiv 3").as_deref(), Some("2*N"));
    assert_eq!(quotient("M + 1", "M"), None);
    assert_eq!(quotient("3*M", "2"), None);
    assert_eq!(quotient("M", "0"), None);
}

#[test]
fn what_has_no_value_is_an_error() {
    let kind = |text: &str| SizeExpr::parse(text).expect_err(text).kind;
    assert_eq!(kind("M floordiv 0"), AffineErrorKind::Divisor);
    assert_eq!(kind("M mod (1 - 2)"), AffineErrorKind::Divisor);
    assert_eq!(kind("9223372036854775807*M + M"), AffineErrorKind::Overflow);
    assert_eq!(kind("M*floordiv"), AffineErrorKind::Syntax);
    assert_eq!(
        kind("(A+B)*(C+D)*(E+F)*(G+H)*(I+J)*(K+L)*(M+N)*(O+P)*(Q+R)*(S+T)*(U+V)*(W+X)"),
        AffineErrorKind::TooLarge
    );
    assert_eq!(SizeExpr::symbol("a b").expect_err("a space").kind, AffineErrorKind::Syntax);
    assert_eq!(SizeExpr::symbol("mod").expect_err("an operator").kind, AffineErrorKind::Syntax);
    assert_eq!(SizeExpr::symbol("modulus").expect("a name").as_symbol(), Some("modulus"));
    assert_eq!(size("M").eval(&|_| None).expect_err("no value").kind, AffineErrorKind::Unbound);
    assert_eq!(size("M*M").eval(&|_| Some(i64::MAX)).expect_err("too large").kind, AffineErrorKind::Overflow);
    assert_eq!(size("M floordiv N").eval(&|_| Some(0)).expect_err("by zero").kind, AffineErrorKind::Divisor);
}

#[test]
fn substitution_and_simplification() {
    let replaced = size("M*N + M floordiv 4").substitute(&|name| (name == "M").then(|| size("4*K + 1")));
    assert_eq!(replaced.expect("small").to_string(), "4*K*N + K + N");
    let ranges = SizeRanges::default().with("M", Interval::new(0, 3)).with("N", Interval::constant(2));
    assert_eq!(size("(8*K + M) floordiv 12").simplify_under(&ranges), size("(2*K) floordiv 3"));
    assert_eq!(size("M mod 4 + N*K").simplify_under(&ranges), size("2*K + M"));
    assert_eq!(size("M floordiv N").simplify_under(&ranges), size("M floordiv 2"));
    let names: Vec<_> = size("B + (A + C) floordiv D").symbols().into_iter().collect();
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["A", "B", "C", "D"]);
}

#[test]
fn proofs() {
    let ranges = SizeRanges::default().with("N", Interval::POSITIVE).with("K", Interval::new(1, 8));
    let le = |a: &str, b: &str| size(a).prove_le(&size(b), &ranges);
    assert_eq!(le("M", "M*N"), Some(true));
    assert_eq!(le("M*N + 1", "M"), Some(false));
    assert_eq!(le("M floordiv 4", "M"), Some(true));
    assert_eq!(le("4*(M floordiv 4)", "M"), Some(true));
    assert_eq!(le("M", "4*(M ceildiv 4)"), Some(true));
    assert_eq!(le("9", "K"), Some(false));
    assert_eq!(le("M", "K"), None);
    let lt = |a: &str, b: &str| size(a).prove_lt(&size(b), &ranges);
    assert_eq!(lt("M mod 4", "4"), Some(true));
    assert_eq!(lt("K", "M + 1"), None);
    assert_eq!(lt("N", "N"), Some(false));
    let eq = |a: &str, b: &str| size(a).prove_eq(&size(b), &ranges);
    assert_eq!(eq("2*M", "2*N + 1"), Some(false));
    assert_eq!(eq("K floordiv 9", "0"), Some(true));
    assert_eq!(eq("K", "9"), Some(false));
    assert_eq!(eq("M", "N"), None);
    assert_eq!(size("K").prove_ne(&size("0"), &ranges), Some(true));
    assert!(size("4*M + 8*K*N").divisible_by(4) && !size("4*M + 2").divisible_by(4));
    assert!(size("0").divisible_by(0) && !size("M").divisible_by(0));
    assert!(size("M - M mod 8").divisible_by(8));
}

const NAMES: [&str; 3] = ["K", "M", "N"];

/// A text and the size it reads as, built by the operations along the way; the text is evaluated separately.
fn random_size(random: &mut Random, depth: u32) -> SizeExpr {
    if depth == 0 {
        return match random.within(0, 3) {
            0 => SizeExpr::from(random.within(-6, 9)),
            _ => size(random.one_of(&NAMES)),
        };
    }
    let (lhs, rhs) = (random_size(random, depth - 1), random_size(random, depth - 1));
    let divisor = if random.within(0, 5) > 0 { SizeExpr::from(random.one_of(&[2, 3, 4, 6, 8])) } else { rhs.clone() };
    let result = match random.within(0, 6) {
        0 | 1 => lhs.add(&rhs),
        2 => lhs.sub(&rhs),
        3 => lhs.mul(&rhs),
        4 => lhs.floordiv(&divisor),
        5 => lhs.ceildiv(&divisor),
        _ => lhs.modulo(&divisor),
    };
    result.unwrap_or(lhs)
}

fn value(size: &SizeExpr, point: &[i64]) -> Option<i64> {
    size.eval(&|name| Some(point[NAMES.iter().position(|own| *own == name)?])).ok()
}

#[test]
fn arithmetic_agrees_with_evaluation() {
    let mut random = Random::new(4);
    let points = points(&[Interval::new(-3, 6), Interval::new(0, 5), Interval::new(1, 4)]);
    for _ in 0..1500 {
        let depth = random.within(0, 3) as u32;
        let (a, b) = (random_size(&mut random, depth), random_size(&mut random, depth));
        assert_eq!(size(&a.to_string()), a, "{a} reads back");
        type Operation = fn(i64, i64) -> i64;
        let checks: [(Operation, Option<SizeExpr>); 7] = [
            (|a, b| a + b, a.add(&b).ok()),
            (|a, b| a - b, a.sub(&b).ok()),
            (|a, b| a * b, a.mul(&b).ok()),
            (i64::div_euclid, a.floordiv(&b).ok()),
            (|a, b| -(-a).div_euclid(b), a.ceildiv(&b).ok()),
            (i64::rem_euclid, a.modulo(&b).ok()),
            (|a, b| a / b, a.try_div(&b)),
        ];
        for (index, (operation, result)) in checks.iter().enumerate() {
            let Some(result) = result else { continue };
            for point in &points {
                let (Some(at_a), Some(at_b)) = (value(&a, point), value(&b, point)) else { continue };
                let divides = index > 2;
                if divides && (at_b == 0 || index < 6 && at_b < 0) {
                    continue;
                }
                // A divisor inside may have no value at this point.
                if let Some(found) = value(result, point) {
                    assert_eq!(found, operation(at_a, at_b), "{index}: {a} and {b} give {result} at {point:?}");
                }
            }
        }
    }
}

#[test]
fn ranges_and_proofs_agree_with_enumeration() {
    let mut random = Random::new(5);
    let intervals = [Interval::new(-1, 3), Interval::new(0, 4), Interval::new(1, 4)];
    let ranges =
        NAMES.iter().zip(intervals).fold(SizeRanges::default(), |ranges, (name, range)| ranges.with(name, range));
    let points = points(&intervals);
    let mut proved = 0;
    for _ in 0..1500 {
        let depth = random.within(0, 3) as u32;
        let (a, b) = (random_size(&mut random, depth), random_size(&mut random, depth));
        let (simpler, range) = (a.simplify_under(&ranges), a.range(&ranges));
        let (eq, le, lt) = (a.prove_eq(&b, &ranges), a.prove_le(&b, &ranges), a.prove_lt(&b, &ranges));
        proved += u32::from(le.is_some());
        for point in &points {
            let Some(at_a) = value(&a, point) else { continue };
            assert!(range.contains(at_a), "{a} is {at_a} at {point:?}, not in {range}");
            assert_eq!(value(&simpler, point), Some(at_a), "{a} became {simpler} at {point:?}");
            assert!(!a.divisible_by(4) || at_a % 4 == 0, "{a}");
            let Some(at_b) = value(&b, point) else { continue };
            assert!(eq.is_none_or(|eq| eq == (at_a == at_b)), "{a} == {b} at {point:?}");
            assert!(le.is_none_or(|le| le == (at_a <= at_b)), "{a} <= {b} at {point:?}");
            assert!(lt.is_none_or(|lt| lt == (at_a < at_b)), "{a} < {b} at {point:?}");
        }
    }
    assert!(proved > 200, "{proved}");
}
