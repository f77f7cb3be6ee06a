//! Conditions and their unions, as values and as attributes.

use dlc_ir::Context;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;

use crate::access::{Access, Accesses};
use crate::guard::{Condition, Guard};

fn expr(text: &str) -> SizeExpr {
    SizeExpr::parse(text).expect(text)
}

fn condition(lower: Option<&str>, middle: &str, upper: Option<&str>) -> Condition {
    Condition { expr: expr(middle), lower: lower.map(expr), upper: upper.map(expr) }
}

fn bind(i: i64, n: i64) -> impl Fn(&str) -> Option<i64> {
    move |name| match name {
        "i" => Some(i),
        "N" => Some(n),
        _ => None,
    }
}

#[test]
fn conditions_are_written_in_one_way() {
    let cases = [
        (condition(Some("0"), "2*i - 1", Some("N")), "0 <= 2*i - 1 < N"),
        (condition(None, "i", Some("N + 1")), "i < N + 1"),
        (condition(Some("N"), "i", None), "N <= i"),
        (condition(Some("N - 1"), "i", Some("N")), "i == N - 1"),
        (Condition::within(expr("i"), expr("4")), "0 <= i < 4"),
        (Condition::within(expr("i"), expr("1")), "i == 0"),
    ];
    for (condition, text) in cases {
        assert_eq!(condition.to_string(), text);
    }
    let guard = Guard { pieces: vec![vec![condition(None, "i", Some("2"))], vec![]] };
    assert_eq!(guard.to_string(), "(i < 2) or ()");
    assert_eq!(Guard { pieces: vec![] }.to_string(), "never");
}

#[test]
fn a_point_is_inside_where_one_piece_holds() {
    let piece = |lower, upper| vec![condition(Some(lower), "i", Some(upper))];
    let guard = Guard { pieces: vec![piece("0", "2"), piece("N", "N + 2")] };
    let inside: Vec<i64> = (-1..8).filter(|&i| guard.contains(&bind(i, 4)).expect("bound")).collect();
    assert_eq!(inside, [0, 1, 4, 5]);
    let nowhere = Guard { pieces: vec![] };
    assert_eq!(nowhere.contains(&bind(0, 4)), Ok(false));
    assert_eq!(Guard::all(vec![]).contains(&bind(0, 4)), Ok(true));
    // What is not bound, and what goes beyond 64 bits, is reported.
    assert!(Guard::all(vec![condition(None, "k", Some("2"))]).contains(&bind(0, 4)).is_err());
    let large = condition(Some("0"), "9223372036854775807*i", None);
    assert!(large.holds(&bind(2, 0)).is_err() && large.holds(&bind(1, 0)) == Ok(true));
}

/// The expressions that are not negative say the same as the condition.
#[test]
fn bounds_are_expressions_that_are_not_negative() {
    let cases = [
        condition(Some("0"), "2*i - 3", Some("N")),
        condition(Some("N floordiv 2"), "i", None),
        condition(None, "i mod 3", Some("2")),
        condition(Some("2"), "i", Some("3")),
    ];
    for condition in cases {
        let bounds = condition.not_negative().expect("small");
        assert_eq!(bounds.len(), [&condition.lower, &condition.upper].into_iter().flatten().count());
        for (i, n) in (-5..6).flat_map(|i| (0..6).map(move |n| (i, n))) {
            let all = bounds.iter().all(|bound| bound.eval(&bind(i, n)).expect("bound") >= 0);
            assert_eq!(condition.holds(&bind(i, n)), Ok(all), "{condition} at {i}, {n}");
        }
    }
    assert!(condition(Some("-9223372036854775807"), "i + 2", None).not_negative().is_err());
}

#[test]
fn expressions_are_replaced_everywhere() {
    let put =
        |text: &'static str| move |whole: &SizeExpr| whole.substitute(&|name| (name == "i").then(|| expr(text))).ok();
    let guard = Guard::all(vec![condition(Some("0"), "i", Some("N")), condition(None, "N", Some("i"))]);
    let access = Access { at: vec![expr("2*i")], guard: Some(guard), fill: None };
    let moved = access.map(&put("j - 1")).expect("small");
    assert_eq!(
        (moved.at[0].to_string().as_str(), moved.guard.map(|guard| guard.to_string())),
        ("2*j - 2", Some("(0 <= j - 1 < N, N < j - 1)".into()))
    );
    assert_eq!(access.exprs().count(), 6);
    assert_eq!(access.map(&|_| None), None);
    assert_eq!(Access::everywhere(vec![]).map(&|_| None), Some(Access::default()));
}

#[test]
fn attributes_hold_accesses_in_canonical_form() {
    let ctx = Context::new([&crate::DIALECT]);
    let guard =
        Guard { pieces: vec![vec![condition(Some("0"), "i", Some("N"))], vec![condition(None, "N", Some("i"))]] };
    let attr = Guard::make(&ctx, guard.clone());
    assert_eq!(attr.display(&ctx), r#"[["0 <= i < N"], ["N < i"]]"#);
    assert_eq!(Guard::get(&ctx, attr), Some(guard.clone()));
    let fill = ctx.int_attr(3, dlc_ir::Type::I8);
    let accesses = vec![
        Access::everywhere(vec![expr("i"), expr("0")]),
        Access { at: vec![], guard: Some(guard), fill: Some(fill) },
    ];
    let attr = Accesses::make(&ctx, accesses.clone());
    assert_eq!(
        attr.display(&ctx),
        r#"[{at = ["i", 0]}, {at = [], fill = 3 : i8, where = [["0 <= i < N"], ["N < i"]]}]"#
    );
    assert_eq!(Accesses::get(&ctx, attr), Some(accesses));
    let wrong =
        ["0 <= i", "i < 4", "i == 2", "0 < = i", "i", "", "i + 0 < 4", "0 <= i < 1", "i < 2 < 3", "4 > i", "i  < 4"];
    let admitted =
        wrong.map(|text| Guard::get(&ctx, ctx.array_attr(&[ctx.array_attr(&[ctx.str_attr(text)])])).is_some());
    assert_eq!(admitted, [true, true, true, false, false, false, false, false, false, false, false]);
    assert_eq!(Guard::get(&ctx, ctx.array_attr(&[ctx.str_attr("i < 4")])), None);
}
