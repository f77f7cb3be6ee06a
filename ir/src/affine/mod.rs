//! Affine expressions, maps, integer sets, and symbolic sizes.
//!
//! These are plain values: they know neither a context nor ops, and are `Clone + Eq + Hash + Ord + Send + Sync`.
//! There are two families.
//!
//! - [`AffineExpr`], [`AffineMap`] and [`IntegerSet`] are trees that keep the shape in which they were written, as in
//!   MLIR, and print exactly as MLIR prints: `affine_map<(d0, d1)[s0] -> (d0 + s0, d1 mod 2)>`.
//! - [`SizeExpr`] is a polynomial of named symbols that is always in canonical form: `2*K + 1`, `M ceildiv 4`.
//!
//! Both meet in one place, the polynomials of `poly`: [`AffineExpr::simplify_under`] goes through them and back.
//!
//! Invariants:
//! - All arithmetic is checked. Overflow, a divisor that is not positive, or an expression past the limits of size is
//!   an [`AffineError`], never a panic and never a wrapped number.
//! - A simplification never changes a value. What cannot be decided stays as it is, and a proof that cannot be found
//!   is `None`.
//! - Dividing rounds down (`floordiv`) or up (`ceildiv`); `mod` lies in `[0, divisor)`; divisors are positive.
//!
//! [`IntegerSet`] and the unions of them, [`Domain`], answer questions too: emptiness, implication, bounds, whether a map
//! is injective. Within the ranges they are asked for, an answer is right or `None`.

mod build;
mod coalesce;
mod decompose;
mod domain;
mod error;
mod expr;
mod floor;
mod map;
mod parse;
mod poly;
mod print;
mod prove;
mod range;
mod rows;
mod set;
mod simplify;
mod size;
mod size_print;
mod solve;

#[cfg(test)]
mod tests;

pub use domain::{AxisBounds, Domain};
pub use error::{AffineError, AffineErrorKind, gcd};
pub use expr::{AffineExpr, Binary, BinaryOp, LinearForm, MAX_HEIGHT, MAX_NODES};
pub use map::AffineMap;
pub use parse::{MAX_NESTING, parse_expr};
pub use range::{Interval, Ranges};
pub use set::{Constraint, IntegerSet, Relation};
pub use size::{Factor, SizeExpr, SizeRanges};
