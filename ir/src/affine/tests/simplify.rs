//! Simplification and ranges: expected texts, and enumeration.

use super::super::{AffineExpr, Interval, Ranges};
use super::{Random, expr, points};

fn ranges(sizes: &[i64]) -> Ranges {
    Ranges::of_sizes(sizes)
}

fn check(text: &str, sizes: &[i64], expected: &str) {
    let simplified = expr(text).simplify_under(&ranges(sizes));
    assert_eq!(simplified.to_string(), expected, "{text} under {sizes:?}");
    assert_eq!(simplified.simplify_under(&ranges(sizes)), simplified, "{text} a second time");
}

#[test]
fn bounds_decide_quotients_and_remainders() {
    check("(d0 * 4 + d1) floordiv 4", &[8, 4], "d0");
    check("(d0 * 4 + d1) mod 4", &[8, 4], "d1");
    check("d0 mod 8", &[8], "d0");
    check("d0 mod 8", &[9], "d0 mod 8");
    check("(d0 + 16) mod 8", &[8], "d0");
    check("(-d0 + 3) floordiv 4", &[4], "0");
    check("(d0 - 4) floordiv 4", &[4], "-1");
    check("(d0 * 8 + d1) floordiv 12", &[8, 4], "(d0 * 2) floordiv 3");
    check("(d0 * 8 + d1) mod 12", &[8, 4], "d1 + ((d0 * 2) mod 3) * 4");
    check("((d0 mod 4) * 8 + d1) floordiv 16", &[9, 8], "(d0 floordiv 2) mod 2");
    check("(d0 * 4 + d1 mod 4) floordiv 8", &[8, 9], "d0 floordiv 2");
    check("(d0 * 4 + d1 mod 4) floordiv 6", &[8, 9], "(d0 * 4 + d1 mod 4) floordiv 6");
    check("(d0 * 4 + (d1 floordiv 2) mod 3) floordiv 6", &[8, 99], "(d0 * 8 + d1 mod 6) floordiv 12");
    check("d0 ceildiv 4", &[1], "0");
}

#[test]
fn identities_need_no_bounds() {
    check("(d0 floordiv 4) floordiv 3", &[], "d0 floordiv 12");
    check("(d0 mod 6) mod 3", &[], "d0 mod 3");
    check("(d0 floordiv 4) * 4 + d0 mod 4", &[], "d0");
    check("(d0 * 6 + 3) floordiv 9", &[], "(d0 * 2 + 1) floordiv 3");
    check("(d0 * 6) mod 9", &[], "((d0 * 2) mod 3) * 3");
    check("(d0 * 5 + d1) mod 4", &[], "(d0 + d1) mod 4");
    check("(d0 mod 12) floordiv 4", &[], "(d0 floordiv 4) mod 3");
    check("d0 ceildiv 4", &[], "(d0 + 3) floordiv 4");
    check("(d0 - 1) floordiv 4 + 1", &[], "(d0 + 3) floordiv 4");
    check("((d0 + d1 floordiv 4) mod 3)", &[], "(d0 + d1 floordiv 4) mod 3");
}

#[test]
fn like_terms_are_collected_in_one_order() {
    check("s0 + d1 * 2 + d0 - d1 + 3 + d1", &[], "d0 + d1 * 2 + s0 + 3");
    check("(d0 + s0) * (s1 + 1) - d0", &[], "d0 * s1 + s0 * s1 + s0");
    check("(d1 + d0) mod 4 - (d0 + d1) mod 4", &[], "0");
    check("d0 * s0 + d1 * s0 - (d0 + d1) * s0", &[], "0");
}

#[test]
fn symbolic_divisors_are_taken_as_positive() {
    check("(d0 * s0) floordiv s0", &[], "d0");
    check("(d0 * s0 + d1) mod s0", &[], "d1 mod s0");
    check("(d0 * 2) floordiv (s0 * 4)", &[], "d0 floordiv (s0 * 2)");
    check("s0 mod s0", &[], "0");
    let known = Ranges { dims: vec![Interval::new(0, 3)], symbols: vec![Interval::new(4, 9)], limits: vec![] };
    assert_eq!(expr("d0 mod s0").simplify_under(&known), expr("d0"));
    assert_eq!(expr("d0 floordiv s0").simplify_under(&known), expr("0"));
}

#[test]
fn symbolic_sizes_bound_dimensions() {
    let sizes = ["s0", "s1", "s2"].map(expr);
    let check = |text: &str, expected: &str| {
        let simplified = expr(text).simplify_under(&Ranges::of_symbolic_sizes(&sizes));
        assert_eq!(simplified.to_string(), expected, "{text}");
    };
    check("(d0 * s1 + d1) floordiv s1", "d0");
    check("(d0 * s1 + d1) mod s1", "d1");
    let flat = "(d0 * (s1 * s2) + d1 * s2 + d2)";
    check(&format!("{flat} floordiv (s1 * s2)"), "d0");
    check(&format!("({flat} floordiv s2) mod s1"), "d1");
    check(&format!("{flat} mod s2"), "d2");
    check("(d0 * s1 + d2) floordiv s1", "d0 + d2 floordiv s1");
}

/// With sizes that are symbols, every value within them is kept.
#[test]
fn symbolic_simplification_never_changes_a_value() {
    let mut random = Random::new(10);
    let texts = ["s0", "s1", "s0 * s1", "s0 + s1", "s0 * 2", "s1 + 1", "3"];
    for _ in 0..1500 {
        let sizes = [(); 3].map(|()| expr(random.one_of(&texts)));
        let flat = format!("d0 * ({} * {}) + d1 * ({}) + d2", wrapped(&sizes[1]), wrapped(&sizes[2]), sizes[2]);
        let depth = random.within(0, 2) as u32;
        let dividend = if random.within(0, 1) == 0 { expr(&flat) } else { random.expr(depth) };
        let divisor = expr(random.one_of(&texts));
        let other = random.expr(1);
        let before = match random.within(0, 2) {
            0 => dividend.floordiv(&divisor),
            1 => dividend.modulo(&divisor),
            _ => dividend.ceildiv(&divisor).and_then(|quotient| quotient.sub(&other)),
        };
        let before = before.expect("symbolic divisors");
        let known = Ranges::of_symbolic_sizes(&sizes);
        let (after, range) = (before.simplify_under(&known), before.range_of(&known));
        for symbols in points(&[Interval::new(0, 3), Interval::new(0, 3)]) {
            let Ok(bounds) = sizes.iter().map(|size| size.eval(&[], &symbols)).collect::<Result<Vec<_>, _>>() else {
                continue;
            };
            for dims in points(&bounds.iter().map(|bound| Interval::new(0, bound - 1)).collect::<Vec<_>>()) {
                let Ok(expected) = before.eval(&dims, &symbols) else { continue };
                assert_eq!(
                    after.eval(&dims, &symbols),
                    Ok(expected),
                    "{before}\nbecame {after}\nat {dims:?} {symbols:?}"
                );
                assert!(range.contains(expected), "{before} is {expected}, not in {range}");
            }
        }
    }
}

fn wrapped(expr: &AffineExpr) -> String {
    format!("({expr})")
}

#[test]
fn reshape_chains_come_back_to_where_they_began() {
    // [5, 6, 4] -> [120] -> [8, 15] -> [120] -> [5, 6, 4]
    let flat = "(d0 * 24 + d1 * 4 + d2)";
    let second = format!("(({flat} floordiv 15) * 15 + {flat} mod 15)");
    check(&format!("{second} floordiv 24"), &[5, 6, 4], "d0");
    check(&format!("({second} floordiv 4) mod 6"), &[5, 6, 4], "d1");
    check(&format!("{second} mod 4"), &[5, 6, 4], "d2");
}

#[test]
fn a_window_that_a_pool_reads_has_no_quotient() {
    // Rows of a window of 3 over 16: the image repeated, cut to 3*17 and reshaped to [3, 17].
    check("(d1 * 17 + d0) mod 16", &[14, 3], "d0 + d1");
    // The same with stride 2: reshaped to [3, 9, 2], the first of each pair taken.
    check("(d1 * 18 + d0 * 2) mod 17", &[7, 3], "d0 * 2 + d1");
    check("(15 - d0) floordiv 4", &[16], "(-d0 + 3) floordiv 4 + 3");
}

#[test]
fn what_cannot_be_decided_stays() {
    check("d0 floordiv 2 + (d0 + 1) floordiv 2", &[], "d0 floordiv 2 + (d0 + 1) floordiv 2");
    check("(d0 * 6 + d1) floordiv 10", &[5, 6], "(d0 * 6 + d1) floordiv 10");
    let huge = expr("(d0 * 9223372036854775807 + d1) * 1 mod 9223372036854775807");
    assert_eq!(huge.simplify_under(&Ranges::default()).to_string(), "d1 mod 9223372036854775807");
    let overflowing = expr("(d0 * 9223372036854775807 + d1) * 2");
    assert_eq!(overflowing.simplify_under(&Ranges::default()), overflowing);
}

#[test]
fn ranges_see_through_remainders() {
    let range = |text: &str, sizes: &[i64]| expr(text).range_of(&ranges(sizes));
    assert_eq!(range("d0 - (d0 floordiv 4) * 4", &[100]), Interval::new(0, 3));
    assert_eq!(range("d0 * 4 + d1", &[8, 4]), Interval::new(0, 31));
    assert_eq!(range("-d0 + 3", &[4]), Interval::new(0, 3));
    assert_eq!(range("d0 mod 4", &[]), Interval::new(0, 3));
    assert_eq!(range("d0 + (-d0) floordiv 4", &[9]), Interval::new(0, 6));
    assert_eq!(range("d0 - d0 * 2 + d0", &[]), Interval::constant(0));
    assert_eq!(range("d0", &[]), Interval::ALL);
}

#[test]
fn extreme_ranges_do_no_harm() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let texts = [
        "d0 mod s0",
        "d0 floordiv s0",
        "d0 ceildiv s0",
        "d0 * s0",
        "d0 * s0 * s0 - s0",
        "-d0",
        "d0 mod 3 + d0 floordiv 3",
    ];
    for (lo, hi) in ends.iter().flat_map(|lo| ends.iter().map(move |hi| (*lo, *hi))) {
        let ranges = Ranges { dims: vec![Interval::new(lo, hi)], symbols: vec![Interval::new(lo, hi)], limits: vec![] };
        for text in texts {
            let before = expr(text);
            let (after, range) = (before.simplify_under(&ranges), before.range_of(&ranges));
            for value in [lo, hi].into_iter().filter(|_| lo <= hi) {
                if let Ok(expected) = before.eval(&[value], &[value]) {
                    assert!(range.contains(expected), "{text} at {value} in {range}");
                    if let Ok(found) = after.eval(&[value], &[value]) {
                        assert_eq!(found, expected, "{text} at {value}");
                    }
                }
            }
        }
    }
}

/// The heart: over random expressions and boxes, every value is kept, every value lies in the range, simplifying
/// twice changes nothing, and the result reads back.
#[test]
fn simplification_never_changes_a_value() {
    let mut random = Random::new(2);
    let (mut simpler, mut constant) = (0, 0);
    for round in 0..4000 {
        let depth = random.within(1, 5) as u32;
        let before = random.expr(depth);
        let mut interval = |least, longest| {
            let lo = random.within(least, 3);
            Interval::new(lo, lo + random.within(0, longest))
        };
        let dims = vec![interval(-4, 7), interval(-2, 4), interval(0, 3)];
        let symbols = vec![interval(-1, 2), interval(1, 1)];
        // Every other time some of the bounds are withheld.
        let known = match round % 4 {
            1 => Ranges { dims: dims[..1].to_vec(), ..Ranges::default() },
            3 => Ranges {
                dims: vec![Interval::ALL, Interval::new(dims[1].lo().expect("bounded"), i64::MAX)],
                ..Ranges::default()
            },
            _ => Ranges { dims: dims.clone(), symbols: symbols.clone(), limits: vec![] },
        };
        let after = before.simplify_under(&known);
        let range = before.range_of(&known);
        for point in points(&[&dims[..], &symbols].concat()) {
            let (at_dims, at_symbols) = point.split_at(3);
            let Ok(expected) = before.eval(at_dims, at_symbols) else { continue };
            let found = after.eval(at_dims, at_symbols);
            assert_eq!(found, Ok(expected), "{before}\nbecame {after}\nat {point:?} under {known:?}");
            assert!(range.contains(expected), "{before} is {expected} at {point:?}, not in {range}, under {known:?}");
        }
        assert_eq!(after.simplify_under(&known), after, "{before}\nbecame {after}\nunder {known:?}");
        assert_eq!(expr(&after.to_string()), after);
        simpler += u32::from(after != before);
        constant += u32::from(after.as_constant().is_some());
    }
    assert!(simpler > 1000 && constant < 2500, "the expressions are worth testing: {simpler} {constant}");
}

/// Merging and splitting axes at random and going back is the identity, whatever the order of steps.
#[test]
fn splitting_what_was_merged_gives_the_axes_back() {
    let mut random = Random::new(3);
    for _ in 0..500 {
        let sizes = [random.within(1, 7), random.within(1, 7), random.within(1, 7)];
        let flat = expr(&format!("d0 * {} + d1 * {} + d2", sizes[1] * sizes[2], sizes[2]));
        let constant = AffineExpr::Constant;
        let middle = random.one_of(&[sizes[0], sizes[1], sizes[0] * sizes[1], sizes[1] * sizes[2]]);
        let (high, low) = (flat.floordiv(&constant(middle)), flat.modulo(&constant(middle)));
        let again = high.and_then(|high| high.mul(&constant(middle))?.add(&low?)).expect("small numbers");
        let split = |expr: &AffineExpr, below: i64, size: i64| {
            let quotient = expr.floordiv(&constant(below)).and_then(|quotient| quotient.modulo(&constant(size)));
            quotient.expect("small numbers").simplify_under(&ranges(&sizes))
        };
        let expected = |dim: u32| if sizes[dim as usize] == 1 { constant(0) } else { AffineExpr::Dim(dim) };
        assert_eq!(split(&again, sizes[1] * sizes[2], sizes[0]), expected(0), "{sizes:?} by {middle}");
        assert_eq!(split(&again, sizes[2], sizes[1]), expected(1), "{sizes:?} by {middle}");
        assert_eq!(split(&again, 1, sizes[2]), expected(2), "{sizes:?} by {middle}");
    }
}
