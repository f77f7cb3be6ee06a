//! Scans: each element combined with those before it along one axis.

use dlc_ir::{Context, Type};

use super::read::rounded;
use super::views::product;
use super::{Combine, ElemKind, TensorValue, count};

/// Which elements along an axis are combined for each of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// How two elements are combined.
    pub combine: Combine,
    /// The axis.
    pub axis: usize,
    /// Whether the element at the position itself is left out.
    pub exclusive: bool,
    /// Whether the elements after a position are combined, and not those before it.
    pub reverse: bool,
    /// How many positions go together: each group of so many, counted from the first position, is scanned by itself.
    pub every: Option<usize>,
}

/// Combines the elements of rows; the running value is multiplied by a factor before each element, if there are factors.
struct Rows<'a, T> {
    scan: Scan,
    /// The identity.
    identity: T,
    combine: &'a dyn Fn(T, T) -> T,
    times: &'a dyn Fn(T, T) -> T,
    factors: Option<Vec<T>>,
}

impl<T: Copy> Rows<'_, T> {
    /// Puts the results for a row of elements at some places there. What is given and returned is what elements before the
    /// row, and then also those of the row, combine to.
    fn row(&self, values: &mut [T], places: &[usize], before: T) -> T {
        let Scan { exclusive, reverse, every, .. } = self.scan;
        let mut all = before;
        for step in 0..places.len() {
            let at = if reverse { places.len() - 1 - step } else { step };
            if every.is_some_and(|every| (at + usize::from(reverse)).is_multiple_of(every.max(1))) {
                all = self.identity;
            }
            let (before, place) = (all, places[at]);
            let moved = self.factors.as_ref().map_or(all, |factors| (self.times)(all, factors[place]));
            all = (self.combine)(moved, values[place]);
            values[place] = if exclusive { before } else { all };
        }
        all
    }

    /// The same for all rows of a tensor in row-major order, with what is before each row.
    fn rows(&self, shape: &[usize], values: &mut [T], before: &mut [T]) {
        let axis = self.scan.axis;
        let (size, following) = (shape[axis], product(&shape[axis + 1..]));
        for (number, before) in before.iter_mut().enumerate() {
            let start = number / following * size * following + number % following;
            let places: Vec<usize> = (0..size).map(|at| start + at * following).collect();
            *before = self.row(values, &places, *before);
        }
    }
}

impl TensorValue {
    /// The elements along an axis combined up to each position, one after another, in `f64` or wrapping `i64`, and each
    /// result rounded or wrapped to `elem` at the end.
    ///
    /// What no element combines to is the identity of the combiner, as in [`TensorValue::reduce`]. When the elements or
    /// the result are floats, it is computed in `f64`. With `factors` what the elements before a position combine to is
    /// multiplied by the factor there first: of a sum that is a linear recurrence.
    ///
    /// Errors when there is no such axis, and for a type whose tensors cannot be run.
    pub fn scan(
        &self,
        ctx: &Context,
        scan: Scan,
        factors: Option<&TensorValue>,
        elem: Type,
    ) -> Result<TensorValue, String> {
        Ok(self.scan_from(ctx, scan, factors, None, elem)?.0)
    }

    /// As [`TensorValue::scan`], begun with what elements before those of the tensor combine to: a number for each position
    /// along the other axes. Also gives what they and all elements combine to.
    pub fn scan_from(
        &self,
        ctx: &Context,
        scan: Scan,
        factors: Option<&TensorValue>,
        before: Option<&TensorValue>,
        elem: Type,
    ) -> Result<(TensorValue, TensorValue), String> {
        let kind = ElemKind::known(ctx, elem)?;
        self.expect_distinct(&[scan.axis])?;
        count(&self.shape)?;
        let mut others = self.shape.clone();
        others.remove(scan.axis);
        if let Some(before) = before.filter(|before| before.shape != others) {
            return Err(format!("a scan of {:?} cannot begin with {:?}", self.shape, before.shape));
        }
        if let Some(factors) = factors.filter(|factors| factors.shape != self.shape) {
            return Err(format!("a scan of {:?} has factors of {:?}", self.shape, factors.shape));
        }
        let rows = product(&others);
        let is_float = |value: &TensorValue| value.kind.is_float();
        let (data, last) = if is_float(self) || kind.is_float() || factors.is_some_and(is_float) {
            // An exclusive scan gives the identity as an element.
            let most = kind.most();
            let (identity, combine): (f64, &dyn Fn(f64, f64) -> f64) = match scan.combine {
                Combine::Sum => (0.0, &|a, b| a + b),
                Combine::Prod => (1.0, &|a, b| a * b),
                Combine::Max => (-most, &|a, b: f64| if b > a || b.is_nan() { b } else { a }),
                Combine::Min => (most, &|a, b: f64| if b < a || b.is_nan() { b } else { a }),
            };
            let mut values = self.to_f64s();
            let mut running = before.map_or_else(|| vec![identity; rows], TensorValue::to_f64s);
            let factors = factors.map(TensorValue::to_f64s);
            let all = Rows { scan, identity, combine, times: &|a, b| a * b, factors };
            all.rows(&self.shape, &mut values, &mut running);
            (rounded(kind, &values), rounded(kind, &running))
        } else {
            let unsigned = self.kind.is_u64() || kind.is_u64();
            let (identity, combine): (i64, &dyn Fn(i64, i64) -> i64) = match scan.combine {
                Combine::Sum => (0, &i64::wrapping_add),
                Combine::Prod if self.kind.is_bool() => (1, &|a, b| a & b),
                Combine::Prod => (1, &i64::wrapping_mul),
                Combine::Max if unsigned => (kind.lowest(), &|a, b| (a as u64).max(b as u64) as i64),
                Combine::Min if unsigned => (kind.highest(), &|a, b| (a as u64).min(b as u64) as i64),
                Combine::Max => (kind.lowest(), &|a: i64, b| a.max(b)),
                Combine::Min => (kind.highest(), &|a: i64, b| a.min(b)),
            };
            let mut values = self.to_i64s();
            let mut running = before.map_or_else(|| vec![identity; rows], TensorValue::to_i64s);
            let factors = factors.map(TensorValue::to_i64s);
            let all = Rows { scan, identity, combine, times: &i64::wrapping_mul, factors };
            all.rows(&self.shape, &mut values, &mut running);
            (rounded(kind, &values), rounded(kind, &running))
        };
        let dense = |shape, data| TensorValue::dense(shape, elem, kind, data);
        Ok((dense(self.shape.clone(), data), dense(others, last)))
    }
}
