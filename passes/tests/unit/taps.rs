//! The positions of a reduced axis that multiply anything but zeros.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_passes::analysis::taps::Taps;

fn guard(conditions: &[(&str, &str, i64)]) -> Guard {
    let condition = |(expr, op, bound): &(&str, &str, i64)| {
        let expr = SizeExpr::parse(expr).expect("an expression");
        Condition::of(&expr, op, &SizeExpr::from(*bound)).expect("a condition")
    };
    Guard { pieces: vec![conditions.iter().map(condition).collect()] }
}

#[test]
fn phases_have_taps_of_their_own() {
    let guard = guard(&[("2*k - p + 1", "<", 3), ("k + x", "<", 16)]);
    let phases = |name: &str| (name == "p").then_some(2);
    let taps = Taps::of([&guard], "k", 2, &phases);
    let end = taps.end.as_ref().expect("an end");
    let at = |phase: i64| end.eval(&|name| (name == "p").then_some(phase)).expect("a number");
    assert_eq!((at(0), at(1)), (1, 2));
    assert_eq!(taps.first, None);
    assert_eq!(taps.mean(2, &phases), 1.5);
    assert_eq!(taps.axes(), ["p"]);
}

#[test]
fn a_tile_with_several_phases_has_all_taps() {
    let guard = guard(&[("2*k - p + 1", "<", 3)]);
    let taps = Taps::of([&guard], "k", 2, &|_| None);
    assert_eq!((taps.first.is_none(), taps.end.is_none()), (true, true));
    assert_eq!(taps.mean(2, &|_| None), 2.0);
}

#[test]
fn taps_may_begin_later() {
    let guard = guard(&[("2*k + p - 1", ">=", 0)]);
    let phases = |name: &str| (name == "p").then_some(2);
    let taps = Taps::of([&guard], "k", 3, &phases);
    assert_eq!(taps.mean(3, &phases), 2.5);
    let first = taps.first.expect("a first one");
    let at = |phase: i64| first.eval(&|_| Some(phase)).expect("a number");
    assert_eq!((at(0), at(1)), (1, 0));
}
