//! Whether numbers are those that are expected.

use dlc_core::memref::shaped;
use dlc_ir::{Body, Context, OpRef, Str, Type};

use crate::numbers::Numbers;

/// How far a float may be from what is expected: `atol + rtol * |expected|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Relative to what is expected.
    pub rtol: f64,
    /// On top of that.
    pub atol: f64,
}

impl Tolerance {
    /// For programs that compute in f32 or better.
    pub const WIDE: Tolerance = Tolerance { rtol: 1e-3, atol: 1e-3 };
    /// For programs in which something is rounded to fewer bits.
    pub const NARROW: Tolerance = Tolerance { rtol: 2e-2, atol: 2e-2 };

    /// What suits a function, by the floats that it computes with, itself or in functions that only the module calls.
    pub fn of(ctx: &Context, module: &Body, function: &str) -> Tolerance {
        let narrow = |ty: Type| {
            let elem = shaped(ctx, ty).map_or(ty, |(_, elem)| elem);
            elem.float_kind(ctx).is_some_and(|kind| kind.bits() < 32)
        };
        let mut bodies: Vec<&Body> = module.nested_ops().iter().filter_map(|&op| module.nested(op)).collect();
        bodies.retain(|body| {
            let op = OpRef::new(ctx, body, body.root());
            let visibility = op.prop(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(ctx));
            op.symbol_name() == Some(function) || visibility == Some("private")
        });
        let is_narrow = |body: &&Body| {
            let args = body.entry_block().map_or(&[][..], |block| body.args(block)).iter().copied();
            let results = body.walk().into_iter().flat_map(|op| body.results(op));
            results.chain(args).any(|value| narrow(body.value_type(value)))
        };
        if bodies.iter().any(is_narrow) { Tolerance::NARROW } else { Tolerance::WIDE }
    }
}

/// What a comparison found.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// How many numbers are not as expected.
    pub differing: usize,
    /// The place of the number that is farthest outside of the tolerance, or where none is, of the one that is farthest
    /// from what is expected; `None` if all are equal.
    pub worst: Option<usize>,
    /// The largest distance of a number from what is expected; infinite where one of them is no finite number.
    pub largest: f64,
}

/// Compares numbers with as many that are expected: floats by a tolerance, integers exactly. What is not a number, and
/// what is infinite, must be so in both.
///
/// # Panics
/// If there are fewer of one than of the other.
pub fn compare(is: &Numbers, expected: &Numbers, tolerance: Tolerance) -> Comparison {
    assert_eq!(is.len(), expected.len(), "the sizes were compared before");
    let mut found = Comparison { differing: 0, worst: None, largest: 0.0 };
    let mut worst = f64::NEG_INFINITY;
    let mut take = |place: usize, distance: f64, allowed: f64| {
        if distance == 0.0 {
            return;
        }
        found.differing += usize::from(distance > allowed);
        found.largest = found.largest.max(distance);
        if distance - allowed > worst {
            worst = distance - allowed;
            found.worst = Some(place);
        }
    };
    match (is, expected) {
        (Numbers::Int(is), Numbers::Int(expected)) => {
            for (place, (is, expected)) in is.iter().zip(expected).enumerate() {
                take(place, is.abs_diff(*expected) as f64, 0.0);
            }
        }
        (Numbers::Float(is), Numbers::Float(expected)) => {
            for (place, (&is, &expected)) in is.iter().zip(expected).enumerate() {
                if is == expected || (is.is_nan() && expected.is_nan()) {
                    continue;
                }
                if is.is_finite() && expected.is_finite() {
                    take(place, (is - expected).abs(), tolerance.atol + tolerance.rtol * expected.abs());
                } else {
                    take(place, f64::INFINITY, 0.0);
                }
            }
        }
        _ => (0..is.len()).for_each(|place| take(place, f64::INFINITY, 0.0)),
    }
    found
}

/// The index of the number at a place, for sizes that have it.
pub fn index_of(shape: &[usize], mut place: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, &size) in index.iter_mut().zip(shape).rev() {
        *at = place % size;
        place /= size;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(is: &[f64], expected: &[f64]) -> Comparison {
        compare(&Numbers::Float(is.to_vec()), &Numbers::Float(expected.to_vec()), Tolerance { rtol: 0.1, atol: 1.0 })
    }

    #[test]
    fn floats_are_compared_by_the_tolerance() {
        let found = floats(&[0.0, 12.0, 13.0, -3.5], &[0.0, 10.0, 10.0, -2.0]);
        assert_eq!(found, Comparison { differing: 2, worst: Some(2), largest: 3.0 });
        let found = floats(&[10.5, 1.0], &[10.0, 1.5]);
        assert_eq!((found.differing, found.worst, found.largest), (0, Some(1), 0.5));
        assert_eq!(floats(&[2.0], &[2.0]), Comparison { differing: 0, worst: None, largest: 0.0 });
    }

    #[test]
    fn what_is_not_finite_must_be_the_same() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        assert_eq!(floats(&[nan, inf, -inf], &[nan, inf, -inf]).differing, 0);
        for (is, expected) in [(nan, 0.0), (0.0, nan), (inf, 1e300), (1e300, inf), (inf, -inf), (nan, inf)] {
            let found = floats(&[5.0, is], &[0.0, expected]);
            assert_eq!((found.differing, found.worst, found.largest), (2, Some(1), inf), "{is} {expected}");
        }
    }

    #[test]
    fn integers_are_compared_exactly() {
        let int = |values: &[i64]| Numbers::Int(values.to_vec());
        let found = compare(&int(&[1, 2, i64::MIN]), &int(&[1, 3, i64::MAX]), Tolerance::NARROW);
        assert_eq!((found.differing, found.worst), (2, Some(2)));
        assert_eq!(compare(&int(&[1]), &Numbers::Float(vec![1.0]), Tolerance::NARROW).differing, 1);
    }

    #[test]
    fn places_are_told_as_indices() {
        assert_eq!(index_of(&[2, 3, 4], 23), [1, 2, 3]);
        assert_eq!(index_of(&[2, 3, 4], 4), [0, 1, 0]);
        assert!(index_of(&[], 0).is_empty());
    }
}
