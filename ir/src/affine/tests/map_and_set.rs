//! Maps and sets.

use super::super::{AffineErrorKind, AffineMap, IntegerSet, Interval, Ranges};

fn map(text: &str) -> AffineMap {
    AffineMap::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn set(text: &str) -> IntegerSet {
    IntegerSet::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn maps_print_as_mlir_does() {
    let check = |text: &str, expected: &str| {
        assert_eq!(map(text).to_string(), expected);
        assert_eq!(map(expected), map(text));
    };
    check("(i, j)[n] -> (i + n, j mod 2)", "affine_map<(d0, d1)[s0] -> (d0 + s0, d1 mod 2)>");
    check("()[] -> ()", "affine_map<() -> ()>");
    check("() -> (0x10)", "affine_map<() -> (16)>");
    check("(mod) -> (mod mod 3) // names may be words", "affine_map<(d0) -> (d0 mod 3)>");
}

#[test]
fn sets_print_as_mlir_does() {
    let check = |text: &str, expected: &str| {
        assert_eq!(set(text).to_string(), expected);
        assert_eq!(set(expected).to_string(), expected);
    };
    check("(i)[n] : (i - 1 >= 0, i mod 2 == 0)", "affine_set<(d0)[s0] : (d0 - 1 >= 0, d0 mod 2 == 0)>");
    check("(i) : (i <= 5, i >= 3, i == i)", "affine_set<(d0) : (-d0 + 5 >= 0, d0 - 3 >= 0, 0 == 0)>");
    check("(i) : ()", "affine_set<(d0) : (0 == 0)>");
}

#[test]
fn kinds_of_maps() {
    assert_eq!(AffineMap::identity(2), map("(i, j) -> (i, j)"));
    assert!(AffineMap::identity(2).is_identity() && !map("(i, j) -> (j, i)").is_identity());
    assert!(!map("(i)[n] -> (i)").is_identity());
    assert!(AffineMap::constant(4).is_constant());
    assert_eq!(AffineMap::permutation(&[2, 0, 1]), Ok(map("(i, j, k) -> (k, i, j)")));
    assert_eq!(AffineMap::permutation(&[0, 0]).expect_err("twice").kind, AffineErrorKind::Arity);
    assert!(AffineMap::permutation(&[0, 5]).is_err());
    assert!(map("(i, j, k) -> (k, i)").is_projected_permutation());
    assert!(!map("(i, j, k) -> (k, i)").is_permutation() && !map("(i, j) -> (i, i)").is_permutation());
    assert!(AffineMap::new(1, 0, vec![super::expr("d1")]).is_err());
}

#[test]
fn composition_applies_the_inner_map_first() {
    let outer = map("(i, j)[n] -> (i * 2 + n, j)");
    let inner = map("(i)[n] -> (i + n, i floordiv 4)");
    let both = outer.compose(&inner).expect("arities fit");
    assert_eq!(both.to_string(), "affine_map<(d0)[s0, s1] -> ((d0 + s1) * 2 + s0, d0 floordiv 4)>");
    let middle = inner.eval(&[13], &[100]).expect("a value");
    assert_eq!(both.eval(&[13], &[7, 100]), outer.eval(&middle, &[7]));
    assert_eq!(inner.compose(&inner).expect_err("one dimension, two results").kind, AffineErrorKind::Arity);
}

#[test]
fn inverse_permutations() {
    let map_and_inverse = |text: &str| map(text).inverse_permutation().map(|inverse| inverse.to_string());
    assert_eq!(map_and_inverse("(i, j, k) -> (k, i, j)").as_deref(), Some("affine_map<(d0, d1, d2) -> (d1, d2, d0)>"));
    let extra = map_and_inverse("(i, j) -> (i + j, j, i, j)");
    assert_eq!(extra.as_deref(), Some("affine_map<(d0, d1, d2, d3) -> (d2, d1)>"));
    assert_eq!(map_and_inverse("(i, j) -> (i)"), None);
}

#[test]
fn membership() {
    let even = set("(i)[n] : (i >= 0, n - 1 - i >= 0, i mod 2 == 0)");
    let members: Vec<i64> = (-3..9).filter(|value| even.contains(&[*value], &[7]) == Ok(true)).collect();
    assert_eq!(members, [0, 2, 4, 6]);
    assert_eq!(even.contains(&[0], &[]).expect_err("no symbol").kind, AffineErrorKind::Arity);
}

#[test]
fn constraints_that_always_hold_go() {
    let ranges = Ranges { dims: vec![Interval::new(0, 7)], ..Ranges::default() };
    let simplified = set("(i) : (i >= 0, i floordiv 8 == 0, 5 - i >= 0)").simplify_under(&ranges);
    assert_eq!(simplified, set("(i) : (5 - i >= 0)"));
    assert_eq!(simplified.constraints()[0].decide(&ranges), None);
    assert_eq!(set("(i) : (i - 8 >= 0)").constraints()[0].decide(&ranges), Some(false));
    assert_eq!(set("(i) : (i + 1 == 0)").constraints()[0].decide(&ranges), Some(false));
}

#[test]
fn guards_over_symbolic_sizes_are_decided() {
    let ranges = Ranges::of_symbolic_sizes(&[super::expr("s0"), super::expr("s1 * 2")]);
    let guard = set("(i, j)[M, N] : (i >= 0, M - 1 - i >= 0, M * N * 2 - i * N * 2 - j - 1 >= 0, N - 1 - j >= 0)");
    assert_eq!(guard.simplify_under(&ranges), set("(i, j)[M, N] : (N - j - 1 >= 0)").simplify_under(&ranges));
}
