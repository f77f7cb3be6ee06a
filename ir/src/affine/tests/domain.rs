//! Sets are asked, and enumeration of small boxes says what is right.

use super::{Random, points};
use crate::affine::{AffineExpr, AffineMap, Constraint, Domain, IntegerSet, Interval, Ranges, Relation};

/// Linear over `d0..d2` and `s0`, with a quotient or remainder now and then.
fn expr(random: &mut Random) -> AffineExpr {
    let mut sum = AffineExpr::Constant(random.within(-6, 6));
    for leaf in [AffineExpr::Dim(0), AffineExpr::Dim(1), AffineExpr::Dim(2), AffineExpr::Symbol(0)] {
        let coefficient = random.one_of(&[0, 0, 1, 1, -1, -1, 2, -2, 3]);
        sum = sum.add(&leaf.mul(&coefficient.into()).expect("small")).expect("small");
    }
    let divisor = AffineExpr::Constant(random.within(2, 4));
    match random.within(0, 9) {
        0 => sum.floordiv(&divisor).expect("small"),
        1 => sum.modulo(&divisor).expect("small"),
        2 => sum.floordiv(&divisor).expect("small").add(&AffineExpr::Dim(1)).expect("small"),
        _ => sum,
    }
}

fn set(random: &mut Random, constraints: i64) -> IntegerSet {
    let constraint = |random: &mut Random| {
        let relation = if random.within(0, 4) == 0 { Relation::Zero } else { Relation::NotNegative };
        Constraint { expr: expr(random), relation }
    };
    let constraints = (0..random.within(0, constraints)).map(|_| constraint(random)).collect();
    IntegerSet::new(3, 1, constraints).expect("declared")
}

/// A box with sides of up to five, and a symbol; and its points.
fn space(random: &mut Random) -> (Ranges, Vec<Vec<i64>>) {
    let mut interval = |least: i64| {
        let lo = random.within(least, 2);
        Interval::new(lo, lo + random.within(0, 4))
    };
    let all: Vec<Interval> = (0..4).map(|_| interval(-2)).collect();
    let ranges = Ranges { dims: all[..3].to_vec(), symbols: all[3..].to_vec(), limits: Vec::new() };
    (ranges, points(&all))
}

fn holds(set: &IntegerSet, point: &[i64]) -> bool {
    set.contains(&point[..3], &point[3..]).expect("small numbers")
}

/// How often a question was answered, so that a solver that never answers is noticed.
#[derive(Default)]
struct Answers {
    yes: u32,
    no: u32,
    open: u32,
}

impl Answers {
    fn count(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => self.yes += 1,
            Some(false) => self.no += 1,
            None => self.open += 1,
        }
    }
}

#[test]
fn emptiness_is_what_enumeration_says() {
    let (mut random, mut answers) = (Random::new(1), Answers::default());
    for case in 0..3000 {
        let (set, (ranges, points)) = (set(&mut random, 4), space(&mut random));
        let answer = set.is_empty(&ranges);
        answers.count(answer);
        let found = points.iter().any(|point| holds(&set, point));
        assert!(answer.is_none_or(|empty| empty != found), "case {case}: {set} within {ranges:?}: {answer:?}");
    }
    assert!(
        answers.yes > 500 && answers.no > 500 && answers.open < 900,
        "{} {} {}",
        answers.yes,
        answers.no,
        answers.open
    );
}

#[test]
fn what_follows_holds_and_bounds_are_kept() {
    let (mut random, mut follows) = (Random::new(2), 0);
    for case in 0..2000 {
        let (set, (ranges, points)) = (set(&mut random, 3), space(&mut random));
        let constraint = Constraint { expr: expr(&mut random), relation: Relation::NotNegative };
        let (implied, bounds) = (set.implies(&constraint, &ranges), set.bounds_of(&constraint.expr, &ranges));
        follows += u32::from(implied);
        for point in points.iter().filter(|point| holds(&set, point)) {
            let value = constraint.expr.eval(&point[..3], &point[3..]).expect("small");
            assert!(!implied || value >= 0, "case {case}: {set} implies {} >= 0", constraint.expr);
            assert!(bounds.contains(value), "case {case}: {set}: {} in {bounds}", constraint.expr);
        }
    }
    assert!(follows > 200, "{follows}");
}

#[test]
fn shorter_sets_have_the_same_points() {
    let (mut random, mut removed) = (Random::new(3), 0);
    for case in 0..600 {
        let (own, context, (ranges, points)) = (set(&mut random, 4), set(&mut random, 2), space(&mut random));
        let (gist, alone) = (own.gist(&context, &ranges), own.without_redundant(&ranges));
        removed += own.constraints().len() - gist.constraints().len();
        for point in &points {
            assert_eq!(holds(&own, point), holds(&alone, point), "case {case}: {own} is not {alone} at {point:?}");
            if holds(&context, point) {
                assert_eq!(holds(&own, point), holds(&gist, point), "case {case}: {own} is not {gist} where {context}");
            }
        }
    }
    assert!(removed > 100, "{removed}");
}

#[test]
fn unions_keep_their_points() {
    let (mut random, mut answers, mut joined) = (Random::new(4), Answers::default(), 0);
    for case in 0..300 {
        let (ranges, points) = space(&mut random);
        let mut union = || {
            let pieces = (0..random.within(1, 3)).map(|_| set(&mut random, 2)).collect();
            Domain::new(3, 1, pieces).expect("alike")
        };
        let (a, b) = (union(), union());
        let coalesced = a.coalesce(&ranges);
        joined += a.pieces().len() - coalesced.pieces().len();
        let rest = a.subtract(&b.pieces()[0], &ranges).expect("small");
        let subset = a.is_subset_of(&b, &ranges).expect("small");
        answers.count(subset);
        let within = |domain: &Domain, point: &[i64]| domain.contains(&point[..3], &point[3..]).expect("small");
        for point in &points {
            assert_eq!(within(&a, point), within(&coalesced, point), "case {case} at {point:?}");
            assert_eq!(within(&rest, point), within(&a, point) && !holds(&b.pieces()[0], point), "case {case}");
        }
        let really = points.iter().all(|point| !within(&a, point) || within(&b, point));
        assert!(subset.is_none_or(|subset| subset == really), "case {case}: {subset:?}");
    }
    assert!(joined > 50 && answers.yes > 5 && answers.no > 20, "{joined} {} {}", answers.yes, answers.no);
}

#[test]
fn maps_are_injective_when_no_two_points_meet() {
    let (mut random, mut answers) = (Random::new(5), Answers::default());
    for case in 0..300 {
        let (set, (ranges, points)) = (set(&mut random, 2), space(&mut random));
        let results = (0..random.within(1, 3)).map(|_| expr(&mut random)).collect();
        let map = AffineMap::new(3, 1, results).expect("declared");
        let answer = map.is_injective_on(&set, &ranges).expect("small");
        answers.count(answer);
        let mut seen = std::collections::BTreeSet::new();
        let mut inside = points.iter().filter(|point| holds(&set, point));
        let distinct = inside.all(|point| seen.insert((point[3], map.eval(&point[..3], &point[3..]).expect("small"))));
        assert!(answer.is_none_or(|answer| answer == distinct), "case {case}: {map} on {set}: {answer:?}");
    }
    assert!(answers.yes > 20 && answers.no > 30, "{} {} {}", answers.yes, answers.no, answers.open);
}

/// Bounds with symbols: what a reduction over a guarded axis needs.
#[test]
fn a_dimension_lies_between_what_the_set_says() {
    let [d0, d1, s0] = [AffineExpr::Dim(0), AffineExpr::Dim(1), AffineExpr::Symbol(0)];
    let ranges = Ranges::of_symbolic_sizes(&[s0.clone(), s0.clone()]);
    // d0 + 2*d1 >= s0 - 1, d1 <= d0
    let sum = d0.add(&d1.mul(&2.into()).expect("small")).expect("small");
    let constraints = vec![
        Constraint::at_least(&sum, &s0.sub(&1.into()).expect("small")).expect("small"),
        Constraint::at_least(&d0, &d1).expect("small"),
    ];
    let set = IntegerSet::new(2, 1, constraints).expect("declared");
    let bounds = set.bounds_on(1, &ranges).expect("linear");
    let show = |exprs: &[AffineExpr]| exprs.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(show(&bounds.lower), ["-d0 + (d0 + s0) floordiv 2"]);
    assert_eq!(show(&bounds.upper), ["d0"]);
    assert!(bounds.others.is_empty());
    let count = bounds.count(&ranges).expect("one bound on either side");
    assert_eq!(count.to_string(), "d0 * 2 - (d0 + s0) floordiv 2 + 1");
    assert_eq!(set.bounds_on(0, &ranges).expect("linear").count(&ranges), None);
    assert_eq!(set.is_empty(&ranges), Some(false));
    // Within the box d1 < s0 follows, and d0 cannot be beyond it.
    let beyond = Constraint::at_least(&d0, &s0).expect("small");
    assert_eq!(IntegerSet::new(2, 1, vec![beyond]).expect("declared").is_empty(&ranges), Some(true));
}

/// Of several bounds the tightest counts, if it is known.
#[test]
fn points_of_an_axis_are_counted() {
    let set = |text: &str| IntegerSet::parse(text).expect(text);
    let count = |text: &str, sizes: &[i64]| {
        let (set, ranges) = (set(text), Ranges::of_sizes(sizes));
        set.bounds_on(0, &ranges).and_then(|bounds| bounds.count(&ranges)).map(|count| count.to_string())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(count("(d0, d1) : (d0 - d1 >= 0, -d0 + 9 >= 0)", &[10, 10]), some("-d1 + 10"));
    assert_eq!(count("(d0, d1) : (d0 - d1 >= 0, d0 >= 0, -d0 + 9 >= 0, -d0 + 12 >= 0)", &[10, 10]), some("-d1 + 10"));
    assert_eq!(count("(d0, d1) : (d0 - d1 >= 0, d0 - 3 >= 0, -d0 + 9 >= 0)", &[10, 10]), None);
    assert_eq!(count("(d0, d1) : (d0 * 2 - d1 == 0)", &[10, 10]), some("d1 floordiv 2 - (d1 + 1) floordiv 2 + 1"));
    assert_eq!(count("(d0, d1) : (d0 * 2 - d1 >= 0, -d0 * 3 + d1 + 2 >= 0)", &[10, 1]), some("1"));
    assert_eq!(count("(d0, d1) : (d0 - d1 >= 0)", &[10, 10]), None);
    assert_eq!(count("(d0, d1) : (d0 mod 2 - d1 >= 0, -d0 + 9 >= 0)", &[10, 10]), None);
}

/// What one piece leaves to the other is found: with equalities, symbols that are negative, and what is empty.
#[test]
fn pieces_become_one() {
    let set = |text: &str| IntegerSet::parse(text).expect(text);
    let check = |pieces: &[&str], ranges: &Ranges, expected: &[&str]| {
        let pieces: Vec<IntegerSet> = pieces.iter().map(|text| set(text)).collect();
        let joined = Domain::new(2, 1, pieces).expect("alike").coalesce(ranges);
        let texts: Vec<String> = joined.pieces().iter().map(ToString::to_string).collect();
        let expected: Vec<String> =
            expected.iter().map(|text| format!("affine_set<(d0, d1)[s0] : ({text})>")).collect();
        assert_eq!(texts, expected);
    };
    let ranges = Ranges { symbols: vec![Interval::new(-9, -1)], ..Ranges::of_sizes(&[8, 8]) };
    check(&["(d0, d1)[s0] : (d0 == 0)", "(d0, d1)[s0] : (d0 - 1 == 0)"], &ranges, &["-d0 + 1 >= 0"]);
    check(&["(d0, d1)[s0] : (d0 - 3 == 0)", "(d0, d1)[s0] : (d0 - 3 == 0, d1 >= 2)"], &ranges, &["d0 - 3 == 0"]);
    let split = ["(d0, d1)[s0] : (d0 + s0 >= 0)", "(d0, d1)[s0] : (-d0 - s0 - 1 >= 0)"];
    check(&split, &ranges, &["0 == 0"]);
    let split = ["(d0, d1)[s0] : (d0 + s0 - 1 >= 0)", "(d0, d1)[s0] : (d0 + s0 == 0)"];
    check(&split, &ranges, &["d0 + s0 >= 0"]);
    check(&["(d0, d1)[s0] : (d0 + 1 == 0)", "(d0, d1)[s0] : (s0 >= 0)"], &ranges, &[]);
    // Only what is rounded says of `s0` that it is zero.
    let wide = Ranges { symbols: vec![Interval::new(-1, 8)], ..Ranges::of_sizes(&[8, 8]) };
    check(&["(d0, d1)[s0] : (s0 * 6 + 5 >= 0, -s0 * 2 + 1 >= 0)"], &wide, &["s0 == 0"]);
    check(&["(d0, d1)[s0] : (d0 * 4 - 6 >= 0)"], &wide, &["d0 - 2 >= 0"]);
    // Around a hole nothing is joined to the whole.
    let hole = ["(d0, d1)[s0] : (d0 - 5 >= 0)", "(d0, d1)[s0] : (-d0 + 3 >= 0)"];
    check(&hole, &ranges, &["d0 - 5 >= 0", "-d0 + 3 >= 0"]);
    // A symbol whose range has no value leaves no point.
    let nowhere = Ranges { symbols: vec![Interval::new(1, 0)], ..Ranges::default() };
    check(&["(d0, d1)[s0] : (d0 >= 0)"], &nowhere, &[]);
    let domain = Domain::new(2, 1, hole.map(set).to_vec()).expect("alike");
    let known = domain.gist(&set("(d0, d1)[s0] : (d0 - 4 >= 0, -d0 + 6 >= 0)"), &ranges);
    assert_eq!(known.pieces(), [set("(d0, d1)[s0] : (d0 - 5 >= 0)")]);
}

/// What goes beyond 64 bits is not answered, and a point that is found although numbers are large is one.
#[test]
fn large_numbers_leave_questions_open() {
    let row = |a: i64, b: i64, relation| {
        let term = |dim: u32, factor: i64| AffineExpr::Dim(dim).mul(&factor.into()).expect("fits");
        let expr = term(0, a).add(&term(1, b)).and_then(|sum| sum.add(&(-1).into())).expect("fits");
        Constraint { expr, relation }
    };
    let set = |constraints: Vec<Constraint>| IntegerSet::new(2, 0, constraints).expect("declared");
    // Its points are far from zero.
    let far = set(vec![row(3_i64.pow(39), -(1 << 61), Relation::Zero)]);
    assert_eq!(far.is_empty(&Ranges::default()), None);
    let near = set(vec![
        row(i64::MAX / 2, -(i64::MAX / 3), Relation::NotNegative),
        row(-(i64::MAX / 5), i64::MAX / 7, Relation::NotNegative),
    ]);
    assert_eq!(near.is_empty(&Ranges::default()), Some(false));
}

/// Numbers at the ends of 64 bits: nothing wraps or panics, and what is answered agrees with the points at which every
/// constraint has a value.
#[test]
fn bounds_that_grow_leave_what_elimination_sees() {
    let (row, column, size) = (AffineExpr::Dim(0), AffineExpr::Dim(1), AffineExpr::Symbol(0));
    let at = |step: i64| row.mul(&step.into()).and_then(|at| at.add(&column)).expect("small");
    let is_below = |at: &AffineExpr| Constraint::at_least(&size, &at.add(&1.into()).expect("small")).expect("small");
    let ranges = |columns: i64| Ranges {
        dims: vec![Interval::NOT_NEGATIVE, Interval::new(0, columns - 1)],
        symbols: vec![Interval::NOT_NEGATIVE],
        limits: Vec::new(),
    };
    for (step, columns) in [(5, 1), (5, 3), (1 << 31, 1), (1 << 31, 3), (1 << 40, 1)] {
        let far = at(step);
        let guard = vec![Constraint::at_least(&far, &1.into()).expect("small"), is_below(&far)];
        let set = IntegerSet::new(2, 1, guard).expect("declared");
        assert!(set.implies(&is_below(&at(2)), &ranges(columns)), "{step} {columns}");
        assert!(!set.implies(&is_below(&at(step + 1)), &ranges(columns)), "{step} {columns}");
    }
}

#[test]
fn extreme_numbers_do_no_harm() {
    let ends = [i64::MIN, i64::MIN + 1, i64::MIN / 2, -3, -1, 0, 1, 2, i64::MAX / 3, i64::MAX - 1, i64::MAX];
    let mut random = Random::new(6);
    let (mut answers, mut met) = (Answers::default(), 0);
    for case in 0..1500 {
        let mut interval = || {
            let (a, b) = (random.one_of(&ends), random.one_of(&ends));
            Interval::new(a.min(b), a.max(b))
        };
        let ranges = Ranges { dims: vec![interval(), interval()], symbols: vec![interval()], limits: Vec::new() };
        let mut expr = || {
            let leaves = [AffineExpr::Dim(0), AffineExpr::Dim(1), AffineExpr::Symbol(0)];
            loop {
                let sum = leaves.iter().try_fold(AffineExpr::Constant(random.one_of(&ends)), |sum, leaf| {
                    sum.add(&leaf.mul(&random.one_of(&ends).into())?)
                });
                let divisor = AffineExpr::Constant(random.one_of(&[2, 3, i64::MAX - 1, i64::MAX]));
                let Ok(sum) = sum else { continue };
                return match random.within(0, 3) {
                    0 => sum.floordiv(&divisor).expect("positive"),
                    1 => sum.modulo(&divisor).expect("positive"),
                    _ => sum,
                };
            }
        };
        let mut constraint = |relation| Constraint { expr: expr(), relation };
        let [first, second] = [constraint(Relation::NotNegative), constraint(Relation::NotNegative)];
        let [equality, other] = [constraint(Relation::Zero), constraint(Relation::NotNegative)];
        let last = if case % 3 == 0 { equality } else { second };
        let set = IntegerSet::new(2, 1, vec![first, last]).expect("declared");
        let single = IntegerSet::new(2, 1, vec![other.clone()]).expect("declared");
        let (empty, implied) = (set.is_empty(&ranges), set.implies(&other, &ranges));
        answers.count(empty);
        let (bounds, gist) = (set.bounds_of(&other.expr, &ranges), set.gist(&single, &ranges));
        let union = Domain::new(2, 1, vec![set.clone(), single.clone()]).expect("alike");
        let joined = union.coalesce(&ranges);
        let rest = union.subtract(&single, &ranges);
        let map = AffineMap::new(2, 1, vec![other.expr.clone()]).expect("declared");
        let _ = map.is_injective_on(&set, &ranges);
        let _ = set.bounds_on(0, &ranges);
        for place in 0..ends.len().pow(3) {
            let point = [place, place / ends.len(), place / ends.len().pow(2)].map(|place| ends[place % ends.len()]);
            let within =
                ranges.dims.iter().chain(&ranges.symbols).zip(point).all(|(range, value)| range.contains(value));
            let (dims, symbols) = point.split_at(2);
            let (Ok(inside), Ok(value)) = (set.contains(dims, symbols), other.expr.eval(dims, symbols)) else {
                continue;
            };
            if !within {
                continue;
            }
            met += u32::from(inside);
            assert!(!inside || empty != Some(true), "case {case}: {set} at {point:?} within {ranges:?}");
            assert!(!inside || !implied || value >= 0, "case {case}: {set} implies {} at {point:?}", other.expr);
            assert!(!inside || bounds.contains(value), "case {case}: {} in {bounds} at {point:?}", other.expr);
            if let (true, Ok(kept)) = (value >= 0, gist.contains(dims, symbols)) {
                assert_eq!(
                    kept, inside,
                    "case {case}: {set} is not {gist} where {single} at {point:?} within {ranges:?}"
                );
            }
            if let (Ok(before), Ok(after)) = (union.contains(dims, symbols), joined.contains(dims, symbols)) {
                assert_eq!(before, after, "case {case}: {union:?} is not {joined:?} at {point:?} within {ranges:?}");
            }
            if let Ok(Ok(left)) = rest.as_ref().map(|rest| rest.contains(dims, symbols)) {
                assert_eq!(left, inside && value < 0, "case {case}: {rest:?} at {point:?} within {ranges:?}");
            }
        }
    }
    assert!(answers.yes > 100 && answers.no > 100 && met > 1000, "{} {} {met}", answers.yes, answers.no);
}
