//! Axes as dimensions of affine expressions.

use std::sync::Arc;

use dlc_ir::affine::{AffineExpr, SizeExpr};

use crate::guard::Condition;
use crate::space::{Bound, Space};

fn expr(text: &str) -> SizeExpr {
    SizeExpr::parse(text).expect(text)
}

fn axis(name: &str) -> Option<u32> {
    name.strip_prefix('i')?.parse().ok()
}

fn names(index: u32) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("i{index}")).ok()
}

#[test]
fn expressions_go_both_ways() {
    let mut space = Space::of(&[expr("M"), expr("2*N + 1")]).expect("small");
    for text in ["i0", "2*i0 - i1 + M", "i0 floordiv 4 + K", "(i0 + 3*i1) mod 5", "M*N - 1", "7", "M floordiv N"] {
        let read = space.read(&expr(text), &axis).expect(text);
        let back = space.to_size(&read, &names).expect(text);
        assert_eq!(back, expr(text));
    }
    // A symbol has one place.
    assert_eq!(space.symbol(&Arc::from("M")), AffineExpr::Symbol(0));
    assert_eq!(space.symbols().iter().map(|name| &**name).collect::<Vec<_>>(), ["M", "N", "K"]);
    assert_eq!(space.to_size(&AffineExpr::Symbol(9), &names), None);
    assert_eq!(space.to_size(&AffineExpr::Dim(0), &|_| None), None);
    assert_eq!(space.read(&expr("i0*i1"), &axis), None);
    assert_eq!(space.read(&expr("M floordiv (i0 + 1)"), &axis), None);
}

#[test]
fn bounds_follow_from_what_is_given() {
    let mut space = Space::of(&[expr("M"), expr("3")]).expect("small");
    let bound = |space: &mut Space, at: &str, size: &str| Bound {
        expr: space.read(&expr(at), &axis).expect(at),
        size: space.read(&expr(size), &axis).expect(size),
    };
    let always = bound(&mut space, "i0 + i1", "M + 2");
    assert!(space.always(&always) && space.in_bounds(&[], &always));
    let sometimes = bound(&mut space, "i0 + i1 - 1", "M");
    assert!(!space.always(&sometimes) && !space.in_bounds(&[], &sometimes));
    let condition = Condition::within(expr("i0 + i1 - 1"), expr("M"));
    let given = space.read_condition(&condition, &axis).expect("affine");
    assert_eq!(given.len(), 2);
    assert!(space.in_bounds(&given, &sometimes) && !space.in_bounds(&given[..1], &sometimes));
    assert!(space.proves(&given, &given[1]));
    assert_eq!(space.read_condition(&Condition::within(expr("i0*i1"), expr("M")), &axis), None);
}

/// What is given may say just what is claimed, or nearly, where its negation goes beyond 64 bits.
#[test]
fn bounds_near_the_ends_of_64_bits_follow() {
    let proves = |size: &str, given: (&str, &str, &str), at: &str, dim: &str| {
        let mut space = Space::of(&[expr(size)]).expect("small");
        let bound = Bound {
            expr: space.read(&expr(at), &axis).expect("affine"),
            size: space.read(&expr(dim), &axis).expect("affine"),
        };
        let given = Condition { expr: expr(given.1), lower: Some(expr(given.0)), upper: Some(expr(given.2)) };
        let given: Vec<_> = given.sides().filter_map(|side| space.read_condition(&side, &axis)).flatten().collect();
        space.in_bounds(&given, &bound)
    };
    assert!(proves("N", ("0", "i0", "-9223372036854775808*N"), "i0", "-9223372036854775808*N"));
    assert!(proves("K - 9223372036854775807", ("0", "i0", "K"), "i0 + 9223372036854775807", "K"));
    assert!(proves("N", ("-9223372036854775808", "i0", "H"), "i0", "H"));
    assert!(!proves("N", ("-9223372036854775808", "i0", "H + 1"), "i0", "H"));
}

#[test]
fn an_axis_is_split_where_its_size_can_be_divided() {
    let space = Space::of(&[expr("4*M"), expr("N")]).expect("small");
    let (split, dims) = space.split(0, &expr("4")).expect("divides");
    assert_eq!(split.sizes(), [expr("M"), expr("4"), expr("N")]);
    let shown: Vec<String> = dims.iter().map(|dim| split.to_size(dim, &names).expect("small").to_string()).collect();
    assert_eq!(shown, ["4*i0 + i1", "i2"]);
    assert!(space.split(1, &expr("4")).is_none());
    assert!(Space::of(&[expr("9223372036854775807*M"), expr("M")]).is_some());
}
