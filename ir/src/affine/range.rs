//! Intervals of integers, and the ranges known for dimensions and symbols.
//!
//! An interval is a promise: every value lies in it. All operations keep the promise and may only widen the interval;
//! a bound that does not fit 64 bits becomes an open one. An interval whose bounds are crossed holds no value, so any
//! answer about it is right.

use std::fmt;

use super::expr::AffineExpr;

/// `lo <= value <= hi`, both inclusive, either of them possibly open.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// `i64::MIN` stands for an open end, and so does `i64::MAX` above.
    lo: i64,
    hi: i64,
}

/// What is known of each dimension and symbol. One that is not listed can be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ranges {
    /// By index of the dimension.
    pub dims: Vec<Interval>,
    /// By index of the symbol.
    pub symbols: Vec<Interval>,
    /// By index of the dimension, an expression of symbols that it is less than; one with a dimension is not used.
    pub limits: Vec<Option<AffineExpr>>,
}

impl Ranges {
    /// Dimensions in `[0, size)` each, and symbols of which nothing is known.
    pub fn of_sizes(sizes: &[i64]) -> Ranges {
        let dims = sizes.iter().map(|size| Interval::new(0, size.saturating_sub(1))).collect();
        Ranges { dims, ..Ranges::default() }
    }

    /// Dimensions in `[0, size)` each, for sizes over symbols, and symbols that are not negative.
    pub fn of_symbolic_sizes(sizes: &[AffineExpr]) -> Ranges {
        let range = |size: &AffineExpr| {
            size.as_constant().map_or(Interval::NOT_NEGATIVE, |size| Interval::new(0, size.saturating_sub(1)))
        };
        let num_symbols = sizes.iter().map(|size| size.needed().1).max().unwrap_or(0) as usize;
        Ranges {
            dims: sizes.iter().map(range).collect(),
            symbols: vec![Interval::NOT_NEGATIVE; num_symbols],
            limits: sizes.iter().cloned().map(Some).collect(),
        }
    }

    /// The range of a dimension; a limit that is a constant is a part of it.
    pub fn dim(&self, index: u32) -> Interval {
        let range = self.dims.get(index as usize).copied().unwrap_or(Interval::ALL);
        match self.limits.get(index as usize) {
            // Nothing is less than the least integer, and that stands for an open end.
            Some(Some(AffineExpr::Constant(limit))) if *limit > i64::MIN + 1 => {
                range.intersect(Interval::new(i64::MIN, limit - 1))
            }
            _ => range,
        }
    }

    /// The range of a symbol.
    pub fn symbol(&self, index: u32) -> Interval {
        self.symbols.get(index as usize).copied().unwrap_or(Interval::ALL)
    }
}

impl Interval {
    /// Every integer.
    pub const ALL: Interval = Interval { lo: i64::MIN, hi: i64::MAX };
    /// Zero and above.
    pub const NOT_NEGATIVE: Interval = Interval { lo: 0, hi: i64::MAX };
    /// One and above.
    pub const POSITIVE: Interval = Interval { lo: 1, hi: i64::MAX };

    /// `[lo, hi]`. The least and greatest 64-bit integers stand for open ends.
    pub const fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    /// `[value, value]`.
    pub const fn constant(value: i64) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// The lower bound, if there is one.
    pub fn lo(self) -> Option<i64> {
        (self.lo != i64::MIN).then_some(self.lo)
    }

    /// The upper bound, if there is one.
    pub fn hi(self) -> Option<i64> {
        (self.hi != i64::MAX).then_some(self.hi)
    }

    /// The one value that is left, if it is one.
    pub fn as_constant(self) -> Option<i64> {
        let known = self.lo == self.hi && self.lo().is_some() && self.hi().is_some();
        known.then_some(self.lo)
    }

    /// Whether no value lies within.
    pub(super) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Whether the value lies within.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// What both promise.
    pub fn intersect(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    pub(super) fn add(self, other: Interval) -> Interval {
        let ends = |a: i64, b: i64| i128::from(a) + i128::from(b);
        let lo = if self.lo().is_none() || other.lo().is_none() { i128::MIN } else { ends(self.lo, other.lo) };
        let hi = if self.hi().is_none() || other.hi().is_none() { i128::MAX } else { ends(self.hi, other.hi) };
        Interval::clamped(lo, hi)
    }

    pub(super) fn scale(self, factor: i64) -> Interval {
        self.mul(Interval::constant(factor))
    }

    pub(super) fn mul(self, other: Interval) -> Interval {
        let corners = [
            product(self.lo, other.lo),
            product(self.lo, other.hi),
            product(self.hi, other.lo),
            product(self.hi, other.hi),
        ];
        let least = corners.iter().copied().fold(i128::MAX, i128::min);
        let greatest = corners.iter().copied().fold(i128::MIN, i128::max);
        Interval::clamped(least, greatest)
    }

    /// The range of `self^exponent`, for one value raised to a power (an even power is not negative).
    pub(super) fn power(self, exponent: usize) -> Interval {
        let mut result = Interval::constant(1);
        for _ in 0..exponent {
            result = result.mul(self);
        }
        if exponent.is_multiple_of(2) { result.intersect(Interval::NOT_NEGATIVE) } else { result }
    }

    /// The range of the quotient rounded down, by a divisor known to be positive.
    pub(super) fn floordiv(self, divisor: Interval) -> Interval {
        let divisor = divisor.intersect(Interval::POSITIVE);
        if divisor.lo > divisor.hi {
            return Interval::ALL;
        }
        // An open divisor pulls the quotient to 0 or -1; dividing by the greatest integer does just that for bounds.
        let lo = self.lo.div_euclid(if self.lo >= 0 { divisor.hi } else { divisor.lo });
        let hi = self.hi.div_euclid(if self.hi >= 0 { divisor.lo } else { divisor.hi });
        Interval {
            lo: if self.lo().is_none() { i64::MIN } else { lo },
            hi: if self.hi().is_none() { i64::MAX } else { hi },
        }
    }

    /// The integers whose multiple by a positive divisor lies within: `[ceil(lo / divisor), floor(hi / divisor)]`.
    pub(super) fn divide_inward(self, divisor: i64) -> Interval {
        let lo = self.lo.div_euclid(divisor) + i64::from(self.lo.rem_euclid(divisor) != 0);
        Interval {
            lo: if self.lo().is_none() { i64::MIN } else { lo },
            hi: if self.hi().is_none() { i64::MAX } else { self.hi.div_euclid(divisor) },
        }
    }

    /// The range of the remainder by a divisor known to be positive.
    pub(super) fn remainder(self, divisor: Interval) -> Interval {
        let divisor = divisor.intersect(Interval::POSITIVE);
        if divisor.lo > divisor.hi {
            return Interval::ALL;
        }
        if self.lo >= 0 && self.hi < divisor.lo {
            return self;
        }
        let bound = Interval { lo: 0, hi: if divisor.hi().is_none() { i64::MAX } else { divisor.hi - 1 } };
        if self.lo >= 0 { bound.intersect(Interval { lo: 0, hi: self.hi }) } else { bound }
    }

    /// An end out of 64 bits is moved to the open end of its side, or stops at the other side.
    fn clamped(lo: i128, hi: i128) -> Interval {
        let clamp = |value: i128, least: i64, greatest: i64| value.clamp(least.into(), greatest.into()) as i64;
        // The far ends keep clear of the values that mean "open".
        Interval { lo: clamp(lo, i64::MIN, i64::MAX - 1), hi: clamp(hi, i64::MIN + 1, i64::MAX) }
    }
}

/// The product of two ends, where the extreme integers stand for infinity and infinity times zero is zero.
fn product(a: i64, b: i64) -> i128 {
    let open = |end: i64| end == i64::MIN || end == i64::MAX;
    if a == 0 || b == 0 {
        0
    } else if open(a) || open(b) {
        if (a < 0) == (b < 0) { i128::MAX } else { i128::MIN }
    } else {
        i128::from(a) * i128::from(b)
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Interval {
    /// `[0, 7]`, with `..` for an open end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lo(), self.hi()) {
            (Some(lo), Some(hi)) => write!(f, "[{lo}, {hi}]"),
            (Some(lo), None) => write!(f, "[{lo}, ..]"),
            (None, Some(hi)) => write!(f, "[.., {hi}]"),
            (None, None) => f.write_str("[..]"),
        }
    }
}
