//! Proofs that what is read is there: those that must succeed, and that none succeeds wrongly.

use dlc_ir::affine::SizeExpr;
use dlc_ir::random::Random;

use crate::access::Access;
use crate::bounds::Axes;
use crate::guard::{Condition, Guard};

fn expr(text: &str) -> SizeExpr {
    SizeExpr::parse(text).expect(text)
}

/// `lower <= expr < upper`, where a side may be empty.
fn condition(text: &str) -> Condition {
    let parts: Vec<&str> = text.split(';').map(str::trim).collect();
    let bound = |text: &str| (!text.is_empty()).then(|| expr(text));
    Condition { lower: bound(parts[0]), expr: expr(parts[1]), upper: bound(parts[2]) }
}

/// Whether the position, read over axes of these sizes under the pieces of a guard, is known to be below the size.
fn inside(axes: &[&str], guard: &[&[&str]], at: &str, dim: &str) -> bool {
    let sizes: Vec<SizeExpr> = axes.iter().map(|size| expr(size)).collect();
    let pieces = guard.iter().map(|piece| piece.iter().map(|text| condition(text)).collect()).collect();
    let guard = if guard.is_empty() { None } else { Some(Guard { pieces }) };
    let access = Access { at: vec![expr(at)], guard, fill: None };
    Axes::new(vec!["i0", "i1", "i2"][..axes.len()].to_vec(), &sizes).outside(&access, &[expr(dim)]).is_none()
}

#[test]
fn what_is_there_is_shown_to_be() {
    assert!(inside(&["M"], &[], "i0", "M"));
    assert!(inside(&["M"], &[], "M - 1 - i0", "M"));
    assert!(inside(&["M"], &[], "i0 + 2", "M + 2"));
    assert!(inside(&["M", "4"], &[], "4*i0 + i1", "4*M"));
    assert!(inside(&["4*M"], &[], "i0 floordiv 4", "M"));
    assert!(inside(&["M"], &[], "i0 mod 4", "4"));
    assert!(inside(&["M", "3"], &[], "(3*i0 + i1) floordiv 3", "M"));
    assert!(inside(&["M", "N"], &[], "i0 + i1", "M + N"));
    assert!(inside(&["M floordiv 2"], &[], "2*i0", "M"));
    assert!(inside(&["H", "3"], &[&["0; 2*i0 + i1 - 1; H"]], "2*i0 + i1 - 1", "H"));
    assert!(inside(&["H", "3"], &[&["0; 2*i0 + i1 - 1;", "; 2*i0 + i1; H + 1"]], "2*i0 + i1 - 1", "H"));
    assert!(inside(&["M"], &[&["; i0; 2"], &["5; i0; 7"]], "i0", "M"));
    assert!(inside(&["M", "N"], &[&["; i1; i0 + 1"]], "i0 - i1", "M"));
    // Where there is no point, nothing is read.
    assert!(inside(&["0", "M"], &[], "7*i1 + 5", "3"));
    assert!(inside(&["M"], &[&["3; i0; 3"]], "i0 - 9", "M"));
    assert!(inside(&["M"], &[&["1; N;", "; i0; 1"]], "0", "M"));
}

#[test]
fn what_may_be_outside_is_not() {
    assert!(!inside(&["M"], &[], "i0", "N"));
    assert!(!inside(&["M"], &[], "i0 + 1", "M"));
    assert!(!inside(&["M"], &[], "i0 - 1", "M"));
    assert!(!inside(&["M"], &[], "0", "N"));
    assert!(!inside(&["M", "5"], &[], "4*i0 + i1", "4*M"));
    assert!(!inside(&["H", "3"], &[&["0; 2*i0 + i1 - 1; H + 2"]], "2*i0 + i1 - 1", "H"));
    assert!(!inside(&["H", "3"], &[&["0; 2*i0 + i1 - 1; H"], &["0; i1; 1"]], "2*i0 + i1 - 1", "H"));
    assert!(!inside(&["M"], &[&["0; i0 + 1; M"]], "i0 + 2", "M"));
    // What is not affine is taken as outside, and so is what is too large to be looked at.
    assert!(!inside(&["M", "N"], &[], "i0*i1", "M*N"));
    assert!(!inside(&["9223372036854775807", "M"], &[], "9223372036854775807*i0", "M"));
}

/// Nothing is wrongly taken to be inside: random accesses against all points of small boxes.
#[test]
fn no_proof_is_wrong() {
    let mut numbers = Random::new(7);
    let mut random = move |end: usize| numbers.below(end);
    let sizes = ["1", "3", "M", "M + 1", "2*M", "N"];
    let dims = ["2", "5", "M", "2*M + 1", "M + N", "N"];
    let (mut proven, mut refused) = (0, 0);
    for _ in 0..3000 {
        let axes = [sizes[random(6)], sizes[random(6)]];
        let mut linear =
            || format!("{}*i0 + {}*i1 + {}", random(4) as i64 - 1, random(4) as i64 - 1, random(4) as i64 - 1);
        let (base, other) = (linear(), linear());
        let at = match random(4) {
            0 => format!("({base}) floordiv 2"),
            1 => format!("({base}) mod 3"),
            _ => base.clone(),
        };
        let dim = dims[random(6)];
        let pieces = match random(4) {
            0 => vec![vec![condition(&format!("0; {at}; {dim}")), condition(&format!("; {other}; 3"))]],
            1 => vec![vec![condition(&format!("0; {base}; {dim}"))], vec![condition(&format!("1; {other}; {dim}"))]],
            2 => vec![vec![condition(&format!("0; {at}; {}", dims[random(6)]))]],
            _ => vec![vec![]],
        };
        let (guard, at, dim) = (Guard { pieces }, expr(&at), expr(dim));
        let access = Access { at: vec![at.clone()], guard: Some(guard.clone()), fill: None };
        let extents = axes.map(expr);
        let proof = Axes::new(vec!["i0", "i1"], &extents).outside(&access, std::slice::from_ref(&dim)).is_none();
        if !proof {
            refused += 1;
            continue;
        }
        proven += 1;
        for (m, n) in (0..4).flat_map(|m| (0..4).map(move |n| (m, n))) {
            let size = |name: &str| if name == "M" { Some(m) } else { Some(n).filter(|_| name == "N") };
            let extent = |axis: usize| extents[axis].eval(&size).expect("bound");
            for (i, j) in (0..extent(0)).flat_map(|i| (0..extent(1)).map(move |j| (i, j))) {
                let value = |name: &str| match name {
                    "i0" => Some(i),
                    "i1" => Some(j),
                    other => size(other),
                };
                if guard.contains(&value).expect("bound") {
                    let (place, end) = (at.eval(&value).expect("bound"), dim.eval(&value).expect("bound"));
                    assert!((0..end).contains(&place), "{at} in {dim} where {guard}, axes {axes:?}, M {m}, N {n}");
                }
            }
        }
    }
    assert!(proven > 500 && refused > 500, "{proven} proven, {refused} refused");
}
