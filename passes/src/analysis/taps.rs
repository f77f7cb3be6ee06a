//! Which positions of a reduced axis multiply anything but zeros, by the guards of the factors: of a strided transposed
//! convolution each phase has a few taps of the window.

use dlc_core::guard::Guard;
use dlc_ir::affine::SizeExpr;

use super::masks::slope;

/// How many positions of other axes are looked at for a mean.
const MOST_POSITIONS: i64 = 1 << 12;

/// The size of an axis that has one position for all of a tile; `None` for other axes.
pub type Point<'a> = dyn Fn(&str) -> Option<i64> + 'a;

/// The positions of a reduced axis at which no factor is zero for all of a tile.
pub struct Taps {
    /// The first one; `None` for 0.
    pub first: Option<SizeExpr>,
    /// The one after the last; `None` for the size of the axis.
    pub end: Option<SizeExpr>,
}

impl Taps {
    /// Those of an axis with `count` positions. Each end is linear in an axis of which a tile has one position, and lies
    /// between 0 and `count` for all of them.
    pub fn of<'g>(guards: impl IntoIterator<Item = &'g Guard>, axis: &str, count: i64, point: &Point<'_>) -> Taps {
        let mut taps = Taps { first: None, end: None };
        for guard in guards {
            let [piece] = guard.pieces.as_slice() else { continue };
            for expr in piece.iter().filter_map(|condition| condition.not_negative().ok()).flatten() {
                let Some((at, is_first)) = edge(&expr, axis, count, point) else { continue };
                let kept = if is_first { &mut taps.first } else { &mut taps.end };
                *kept = kept.take().or(Some(at));
            }
        }
        taps
    }

    /// The axes that both ends depend on.
    pub fn axes(&self) -> Vec<String> {
        let ends = self.first.iter().chain(&self.end);
        ends.flat_map(SizeExpr::symbols).map(|name| name.to_string()).collect()
    }

    /// The mean number of positions over all positions of those axes; all where there are too many to look at.
    pub fn mean(&self, count: i64, point: &Point<'_>) -> f64 {
        let mut axes: Vec<(String, i64)> =
            self.axes().into_iter().filter_map(|name| point(&name).map(|size| (name, size))).collect();
        axes.sort_unstable();
        axes.dedup();
        let all = axes.iter().try_fold(1i64, |all, (_, size)| all.checked_mul(*size));
        let Some(all) = all.filter(|all| (1..=MOST_POSITIONS).contains(all)) else { return count as f64 };
        let steps = |number: i64| {
            let mut left = number;
            let at: Vec<i64> = axes.iter().map(|(_, size)| (left % size, left /= size).0).collect();
            let value = |name: &str| axes.iter().position(|(axis, _)| axis == name).map(|place| at[place]);
            let end = |end: &Option<SizeExpr>, all: i64| end.as_ref().map_or(Some(all), |end| end.eval(&value).ok());
            Some(end(&self.end, count)? - end(&self.first, 0)?)
        };
        let sum: Option<i64> = (0..all).map(|number| steps(number).map(|steps| steps.max(0))).sum();
        sum.map_or(count as f64, |sum| sum as f64 / all as f64)
    }
}

/// The first position of an axis at which an expression is not negative, or the one after the last, and which of both it is.
fn edge(expr: &SizeExpr, axis: &str, count: i64, point: &Point<'_>) -> Option<(SizeExpr, bool)> {
    let slope = slope(expr, axis).filter(|&slope| slope != 0)?;
    let rest = expr.sub(&SizeExpr::symbol(axis).ok()?.mul(&slope.into()).ok()?).ok()?;
    // `rest + slope*axis >= 0`
    let at = match slope > 0 {
        true => SizeExpr::from(0).sub(&rest).ok()?.ceildiv(&slope.into()).ok()?,
        false => rest.floordiv(&(-slope).into()).and_then(|last| last.add(&1.into())).ok()?,
    };
    let names = at.symbols();
    let name = names.iter().next().filter(|_| names.len() == 1)?;
    let size = point(name).filter(|size| (2..=MOST_POSITIONS).contains(size))?;
    let values: Option<Vec<i64>> = (0..size).map(|value| at.eval(&|_| Some(value)).ok()).collect();
    let values = values.filter(|values| values.iter().all(|value| (0..=count).contains(value)))?;
    // Loops end at sums: the checker of synchronization knows no quotients of what blocks are numbered by.
    let step = values[1] - values[0];
    let is_even = values.windows(2).all(|pair| pair[1] - pair[0] == step);
    let at = SizeExpr::symbol(name).and_then(|name| name.mul(&step.into())?.add(&values[0].into())).ok()?;
    is_even.then_some((at, slope > 0))
}
