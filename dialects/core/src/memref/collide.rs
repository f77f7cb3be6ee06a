//! Whether a layout puts two elements into one place.

use dlc_ir::affine::{SizeExpr, gcd};

/// The most elements that are looked at one by one.
const MAX_ELEMENTS: i64 = 1 << 12;

/// Whether two indices are known to lie in one place: those of one axis or of two, and of few elements any.
pub(super) fn collide(dims: &[SizeExpr], strides: &[SizeExpr]) -> bool {
    let size = |dim: &SizeExpr| dim.as_constant();
    if dims.iter().any(|dim| size(dim) == Some(0)) {
        return false;
    }
    let moving: Vec<(&SizeExpr, &SizeExpr)> =
        dims.iter().zip(strides).filter(|(dim, _)| size(dim) != Some(1)).collect();
    let pair = |(a, b): (&(&SizeExpr, &SizeExpr), &(&SizeExpr, &SizeExpr))| match (size(a.1), size(b.1)) {
        // Over one of the axes by a step of the other and back.
        (Some(by_a), Some(by_b)) => {
            let common = gcd(by_a.unsigned_abs(), by_b.unsigned_abs()).max(1);
            let within = |dim, steps: u64| size(dim).is_some_and(|dim: i64| steps < dim.unsigned_abs());
            within(a.0, by_b.unsigned_abs() / common) && within(b.0, by_a.unsigned_abs() / common)
        }
        _ => false,
    };
    let still = moving.iter().any(|(_, stride)| size(stride) == Some(0));
    let mut pairs = (1..moving.len()).flat_map(|at| moving[..at].iter().map(move |other| (other, at)));
    let two = pairs.any(|(other, at)| other.1 == moving[at].1 || pair((other, &moving[at])));
    still || two || few(&moving)
}

fn few(axes: &[(&SizeExpr, &SizeExpr)]) -> bool {
    let mut places = vec![0i64];
    for (dim, stride) in axes {
        let (Some(dim), Some(stride)) = (dim.as_constant(), stride.as_constant()) else { return false };
        if dim > MAX_ELEMENTS || dim * places.len() as i64 > MAX_ELEMENTS {
            return false;
        }
        places = places
            .iter()
            .flat_map(|place| (0..dim).map(move |at| place.wrapping_add(at.wrapping_mul(stride))))
            .collect();
    }
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    places.len() < count
}
