//! Constructors, evaluation, substitution, forms.

use super::super::{AffineErrorKind, AffineExpr, BinaryOp, LinearForm, MAX_HEIGHT};
use super::{Random, expr};

fn check(text: &str, expected: &str) {
    assert_eq!(expr(text).to_string(), expected, "{text}");
}

fn kind(text: &str) -> AffineErrorKind {
    super::super::parse_expr(text, &["d0", "d1"], &["s0"]).expect_err(text).kind
}

#[test]
fn constructors_fold_as_mlir_does() {
    check("3 + d0", "d0 + 3");
    check("s0 + d0", "d0 + s0");
    check("d0 + 0", "d0");
    check("d0 + 2 + 3", "d0 + 5");
    check("d0 + 2 + d1", "d0 + d1 + 2");
    check("d0 * 2 + d0 * 3", "d0 * 5");
    check("d0 - d0", "0");
    check("d0 * 1", "d0");
    check("d0 * 0", "0");
    check("2 * d0 * 3", "d0 * 6");
    check("d0 * 2 * s0", "(d0 * s0) * 2");
    check("(d0 * 8) floordiv 4", "d0 * 2");
    check("(d0 * 4 + d1) floordiv 4", "d0 + d1 floordiv 4");
    check("d0 floordiv 1", "d0");
    check("d0 mod 1", "0");
    check("(d0 * 4 + d1) mod 4", "d1 mod 4");
    check("(d0 mod 6) mod 3", "d0 mod 3");
    check("d0 - (d0 floordiv 4) * 4", "d0 mod 4");
    check("d0 - (d0 floordiv s0) * s0", "d0 mod s0");
    check("d1 + d0 * 3 + d2 - (d2 floordiv 4) * 4", "d1 + d0 * 3 + d2 mod 4");
    check("-7 floordiv 2 + (-7 mod 2) * 10 + (-7 ceildiv 2) * 100", "-294");
}

#[test]
fn terms_keep_their_order_but_for_two_leaves() {
    check("d1 * 2 + d0 + s0 + d2", "d1 * 2 + d0 + s0 + d2");
    check("d1 + d0", "d0 + d1");
    check("s1 * s0", "s0 * s1");
    check("d2 + d1 + d0", "d1 + d2 + d0");
    check("d0 + (d1 + d2)", "d0 + d1 + d2");
    check("d0 - (d1 - 1)", "d0 - (d1 - 1)");
}

#[test]
fn printing_uses_minus_and_parentheses_as_mlir() {
    check("d0 * -1", "-d0");
    check("(d0 + d1) * -1", "-(d0 + d1)");
    check("d0 - d1 * 2", "d0 - d1 * 2");
    check("d0 - s0 * s0", "d0 - s0 * s0");
    check("-d0 mod 3", "(-d0) mod 3");
    check("d0 floordiv 2 floordiv 3", "(d0 floordiv 2) floordiv 3");
    check("d0 + -9223372036854775808", "d0 + -9223372036854775808");
    check("d0 + d1 * -9223372036854775808", "d0 + d1 * -9223372036854775808");
}

#[test]
fn what_has_no_value_is_an_error() {
    assert_eq!(kind("d0 * d1"), AffineErrorKind::NonAffine);
    assert_eq!(kind("s0 mod d1"), AffineErrorKind::NonAffine);
    assert_eq!(kind("d0 floordiv 0"), AffineErrorKind::Divisor);
    assert_eq!(kind("d0 mod -2"), AffineErrorKind::Divisor);
    assert_eq!(kind("9223372036854775807 + 1"), AffineErrorKind::Overflow);
    assert_eq!(kind("-9223372036854775808 * -1"), AffineErrorKind::Overflow);
    assert_eq!(kind("d0 * 9223372036854775807 * 2"), AffineErrorKind::Overflow);
    let error = |text: &str, dim| expr(text).eval(&[dim], &[0]).expect_err(text).kind;
    assert_eq!(error("d0 + 1", i64::MAX), AffineErrorKind::Overflow);
    assert_eq!(error("d0 * 2", i64::MIN), AffineErrorKind::Overflow);
    assert_eq!(error("d0 floordiv s0", 1), AffineErrorKind::Divisor);
    assert_eq!(error("d1", 1), AffineErrorKind::Unbound);
}

#[test]
fn division_rounds_down_and_remainders_are_not_negative() {
    let all = |lhs| [BinaryOp::FloorDiv, BinaryOp::CeilDiv, BinaryOp::Mod].map(|op| op.apply(lhs, 4).expect("a value"));
    assert_eq!(all(7), [1, 2, 3]);
    assert_eq!(all(-7), [-2, -1, 1]);
    assert_eq!(all(-8), [-2, -2, 0]);
    assert_eq!(all(i64::MIN), [i64::MIN / 4, i64::MIN / 4, 0]);
}

#[test]
fn substitution_folds_and_checks() {
    let swapped = expr("d0 * 2 + d1 + s0").substitute(&[expr("d1"), expr("d0 + 3")], &[expr("5")]);
    assert_eq!(swapped.expect("affine").to_string(), "d1 * 2 + d0 + 8");
    let error = expr("d0 * s0").substitute(&[expr("d0")], &[expr("d1")]).expect_err("a product of dimensions");
    assert_eq!(error.kind, AffineErrorKind::NonAffine);
    let error = expr("d0 + d1").substitute(&[expr("d0")], &[]).expect_err("no replacement of d1");
    assert_eq!(error.kind, AffineErrorKind::Unbound);
}

#[test]
fn linear_forms() {
    let form = expr("d1 * 3 - (d0 - s0 * 2) * 4 + 7").linear_form(2, 1).expect("fits");
    assert_eq!(form, Some(LinearForm { dims: vec![-4, 3], symbols: vec![8], constant: 7 }));
    assert_eq!(expr("d0 mod 4").linear_form(1, 0).expect("fits"), None);
    assert_eq!(expr("d0 * s0").linear_form(1, 1).expect("fits"), None);
    assert_eq!(expr("d1").linear_form(1, 0).expect_err("not declared").kind, AffineErrorKind::Unbound);
}

#[test]
fn queries() {
    let both = expr("d2 + s1 floordiv 2");
    assert!(both.is_function_of_dim(2) && !both.is_function_of_dim(1));
    assert!(both.is_function_of_symbol(1) && !both.is_function_of_symbol(0));
    assert_eq!(both.needed(), (3, 2));
    assert!(both.is_pure_affine() && !expr("d0 * s0").is_pure_affine());
    assert_eq!(expr("d0 * 12 + s0 * 8").largest_known_divisor(), 4);
    assert_eq!(expr("d0 * s0 * 4 mod 6").largest_known_divisor(), 2);
}

#[test]
fn height_is_bounded() {
    let mut sum = AffineExpr::Dim(0);
    let mut refused = None;
    for index in 1..=u32::from(MAX_HEIGHT) {
        match sum.add(&AffineExpr::Dim(index)) {
            Ok(next) => sum = next,
            Err(error) => refused = Some(error.kind),
        }
    }
    assert_eq!(refused, Some(AffineErrorKind::TooLarge));
    // A shared tree of twice the size at each step.
    let mut doubled = expr("d0 mod 2");
    let error = loop {
        let half = doubled.floordiv(&AffineExpr::Constant(3)).and_then(|third| doubled.add(&third));
        match half {
            Ok(next) => doubled = next,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind, AffineErrorKind::TooLarge);
}

/// Folding never changes a value: what is built is the operation on what it is built from.
#[test]
fn folding_keeps_values() {
    let mut random = Random::new(9);
    let ops = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::FloorDiv, BinaryOp::CeilDiv, BinaryOp::Mod];
    for _ in 0..20_000 {
        let (lhs, op) = (random.expr(2), random.one_of(&ops));
        let rhs = match random.within(0, 2) {
            0 => random.expr(2),
            // What a remainder of the left side subtracts.
            1 => lhs
                .floordiv(&AffineExpr::Constant(4))
                .and_then(|quotient| quotient.mul(&(-4).into()))
                .unwrap_or(2.into()),
            _ => AffineExpr::Constant(random.within(-3, 12)),
        };
        let Ok(built) = AffineExpr::binary(op, &lhs, &rhs) else { continue };
        for _ in 0..4 {
            let dims = [random.within(-9, 20), random.within(-9, 20), random.within(-9, 20)];
            let symbols = [random.within(-2, 6), random.within(1, 6)];
            let at = |expr: &AffineExpr| expr.eval(&dims, &symbols);
            let expected = at(&lhs).and_then(|lhs| op.apply(lhs, at(&rhs)?));
            if let Ok(expected) = expected {
                assert_eq!(at(&built), Ok(expected), "{lhs} {op} {rhs} became {built} at {dims:?} {symbols:?}");
            }
        }
    }
}

#[test]
fn text_reads_back_as_the_same_tree() {
    let mut random = Random::new(1);
    for _ in 0..5000 {
        let depth = random.within(0, 6) as u32;
        let before = random.expr(depth);
        assert_eq!(expr(&before.to_string()), before, "{before}");
    }
}
