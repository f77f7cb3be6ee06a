//! What is known of an integer that decides something, and of what is computed of such.

use dlc_ir::affine::gcd;

use super::MOST_FORMS;

/// By so much at most are quotients of products of sizes taken in conditions.
const LARGEST_DIVISOR: i64 = 1024;

/// What is known of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing has come to it yet.
    Never,
    /// It is one of the numbers from the first to the last: a place in a ring, a constant. Each group of a role is run, and each
    /// block of a cluster, so that these are as good as constants.
    Range(i64, i64),
    /// It is a remainder of something that is none of those: one of the numbers from the first to the last.
    Rest(i64, i64),
    /// It is a sum of multiples of sizes, and of quotients of such sums by constants.
    Size,
    /// The same with numbers of blocks and integers of loops; or the smaller or greater of so many.
    Linear(usize),
    /// The same with the row or column of a tile.
    Rows,
    /// The same with places in rings.
    Mixed,
    /// A sum with products of sizes, of which quotients by constants are taken: by so much together.
    Count(i64),
    /// A sum with other products; as well.
    Products(i64),
    /// Anything else.
    Other,
}

use Kind::{Count, Linear, Mixed, Never, Other, Products, Range, Rest, Rows, Size};

impl Kind {
    pub fn plus(self, other: Kind) -> Kind {
        match (self, other) {
            (Never, _) | (_, Never) => Never,
            (Other, _) | (_, Other) => Other,
            (Range(a, b), Range(c, d)) => Range(a.saturating_add(c), b.saturating_add(d)),
            (Rest(a, b), Range(c, d)) | (Range(c, d), Rest(a, b)) => Rest(a.saturating_add(c), b.saturating_add(d)),
            (Range(a, b), sum) | (sum, Range(a, b)) if a == b => sum,
            (Rows, Rest(..)) | (Rest(..), Rows) => Rows,
            (Rest(..), _) | (_, Rest(..)) => Other,
            (Size, Size) => Size,
            (Rows, Range(..) | Size | Linear(_) | Rows) | (Range(..) | Size | Linear(_), Rows) => Rows,
            (Rows, _) | (_, Rows) => Other,
            (Products(a), Products(b) | Count(b)) | (Count(a), Products(b)) => lcm(a, b).map_or(Other, Products),
            (Products(by), _) | (_, Products(by)) => Products(by),
            (Count(a), Count(b)) => lcm(a, b).map_or(Other, Count),
            (Count(by), Mixed | Range(..)) | (Mixed | Range(..), Count(by)) => Products(by),
            (Count(by), _) | (_, Count(by)) => Count(by),
            (Mixed | Range(..), _) | (_, Mixed | Range(..)) => Mixed,
            (Linear(a), Linear(b)) => forms(a.saturating_mul(b)),
            (Linear(forms), Size) | (Size, Linear(forms)) => Linear(forms),
        }
    }

    pub fn times(self, factor: i64) -> Kind {
        match self {
            Range(a, b) => {
                let (a, b) = (a.saturating_mul(factor), b.saturating_mul(factor));
                Range(a.min(b), a.max(b))
            }
            Rest(a, b) => {
                let (a, b) = (a.saturating_mul(factor), b.saturating_mul(factor));
                Rest(a.min(b), a.max(b))
            }
            Other | Never => self,
            _ if factor == 0 => Range(0, 0),
            kind => kind,
        }
    }

    pub fn product(self, other: Kind) -> Kind {
        match (self, other) {
            (Never, _) | (_, Never) => Never,
            (Range(a, b), kind) | (kind, Range(a, b)) if a == b => kind.times(a),
            (Other | Rows | Range(..) | Rest(..), _) | (_, Other | Rows | Range(..) | Rest(..)) => Other,
            (Size, Size) => Count(1),
            (Count(a), Count(b)) => a.checked_mul(b).map_or(Other, Count),
            (Count(by), Size) | (Size, Count(by)) => Count(by),
            (Products(a) | Count(a), Products(b) | Count(b)) => a.checked_mul(b).map_or(Other, Products),
            (Products(by) | Count(by), _) | (_, Products(by) | Count(by)) => Products(by),
            _ => Products(1),
        }
    }

    pub fn quotient(self, by: i64) -> Kind {
        match self {
            Range(a, b) => Range(a.div_euclid(by), b.div_euclid(by)),
            Products(before) => before.checked_mul(by).map_or(Other, Products),
            Count(before) => before.checked_mul(by).map_or(Other, Count),
            Rest(..) => Other,
            kind => kind,
        }
    }

    /// One of two.
    pub fn or(self, other: Kind) -> Kind {
        match (self, other) {
            (Never, kind) | (kind, Never) => kind,
            (Range(a, b) | Rest(a, b), Range(c, d) | Rest(c, d)) => Range(a.min(c), b.max(d)),
            _ => Other,
        }
    }

    /// What a loop counts on from it: of use where a remainder of it is taken.
    pub fn counted(self) -> Kind {
        match self {
            Never => Never,
            Products(by) => Products(by),
            kind if kind.is_place() => Products(1),
            _ => Other,
        }
    }

    /// One of two that a loop carries.
    pub fn joined(self, other: Kind) -> Kind {
        match (self, other) {
            (Products(a), Products(b)) => lcm(a, b).map_or(Other, Products),
            (Products(by), Range(..)) | (Range(..), Products(by)) => Products(by),
            (a, b) => a.or(b),
        }
    }

    /// The smaller or the greater of two.
    pub fn least(self, other: Kind) -> Kind {
        match (self, other) {
            (Never, _) | (_, Never) => Never,
            (Range(a, b), Range(c, d)) if a == b && c == d => Range(a.min(c), b.max(d)),
            (Range(a, b), Count(by)) | (Count(by), Range(a, b)) if a == b => Count(by.max(LARGEST_DIVISOR)),
            (Rows, Range(..) | Size | Linear(_)) | (Range(..) | Size | Linear(_), Rows) => Rows,
            (a, b) => match (a.forms(), b.forms()) {
                (Some(a), Some(b)) => forms(a + b),
                _ => Other,
            },
        }
    }

    /// As many as it is the smaller or the greater of, if it is linear.
    pub fn forms(self) -> Option<usize> {
        match self {
            Size => Some(1),
            Range(a, b) if a == b => Some(1),
            Linear(forms) => Some(forms),
            _ => None,
        }
    }

    /// Whether it says a stage, a parity, the number of a barrier or a position in a tile: one of few, or linear.
    pub fn is_place(self) -> bool {
        matches!(self, Range(..) | Rest(..) | Size | Linear(_) | Mixed | Never)
    }

    /// Whether runs show at which of its values a condition changes.
    pub fn is_compared(self) -> bool {
        matches!(self, Range(..) | Rest(..) | Size | Linear(_) | Rows | Never)
            || matches!(self, Count(by) if by <= LARGEST_DIVISOR)
    }
}

fn forms(count: usize) -> Kind {
    if count > MOST_FORMS { Other } else { Linear(count) }
}

/// The least common multiple; `None` where that is no 64-bit number.
pub fn lcm(a: i64, b: i64) -> Option<i64> {
    let common = gcd(a.unsigned_abs(), b.unsigned_abs()) as i64;
    (a / common.max(1)).checked_mul(b)
}
