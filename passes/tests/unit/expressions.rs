//! Guards without the bounds that numbers decide.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_passes::analysis::expressions::{Decided, decide};

fn number(expr: &SizeExpr) -> Option<bool> {
    expr.as_constant().map(|value| value >= 0)
}

fn guard(conditions: &[(&str, &str, &str)]) -> Vec<Condition> {
    let parse = |text: &str| SizeExpr::parse(text).unwrap();
    conditions.iter().filter_map(|(a, sign, b)| Condition::of(&parse(a), sign, &parse(b))).collect()
}

#[test]
fn what_numbers_decide_goes() {
    let decided = decide(&Guard::all(guard(&[("i0", "<", "M"), ("4", "<", "5")])), &number);
    assert_eq!(decided.guard.map(|guard| guard.to_string()), Some("(i0 < M)".into()));
    assert_eq!(decided.bounds, 1);
}

#[test]
fn a_piece_that_is_everything_is_enough() {
    let pieces = vec![guard(&[("i0", "<", "M")]), guard(&[("4", "<", "5")])];
    assert_eq!(decide(&Guard { pieces }, &number), Decided { guard: None, bounds: 1 });
}

#[test]
fn a_piece_that_is_nothing_goes() {
    let pieces = vec![guard(&[("5", "<", "5"), ("i0", "<", "M")])];
    assert_eq!(decide(&Guard { pieces }, &number).guard, Some(Guard { pieces: Vec::new() }));
}
