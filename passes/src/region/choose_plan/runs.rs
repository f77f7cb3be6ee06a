//! How many neighbours of a row a read takes together.

use dlc_ir::affine::{SizeExpr, gcd};
use dlc_region::ops::Read;

/// How many neighbours a read takes together, 0 for any number: where it is shifted along its row, as many as divide the
/// shift, and where a guard begins or ends within a row, as many as are inside or outside together. `None` where it goes
/// along no row. `axes` are those of what is read.
pub(super) fn run_of(read: Read<'_>, axes: &[&str]) -> Option<u64> {
    let last = read.at().last()?.clone();
    let names = last.symbols();
    let axis = names.iter().find(|name| axes.contains(&&***name) && shift(&last, name).is_some())?;
    let mut run = shift(&last, axis)?.largest_known_divisor();
    for condition in read.guard().into_iter().flat_map(|guard| guard.pieces.into_iter().flatten()) {
        for expr in condition.not_negative().ok()? {
            if expr.symbols().contains(axis) {
                // `i - lower >= 0`, or `upper - i - 1 >= 0`.
                let falling = || SizeExpr::from(-1).sub(&expr).ok().and_then(|expr| shift(&expr, axis));
                run = gcd(run, shift(&expr, axis).or_else(falling)?.largest_known_divisor());
            }
        }
    }
    Some(run)
}

/// What an expression is more than an axis.
fn shift(expr: &SizeExpr, axis: &str) -> Option<SizeExpr> {
    let rest = expr.sub(&SizeExpr::symbol(axis).ok()?).ok()?;
    (!rest.symbols().iter().any(|name| **name == *axis)).then_some(rest)
}
