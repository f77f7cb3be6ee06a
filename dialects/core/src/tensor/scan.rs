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

impl Scan {
    /// The results for one row of elements, and what all of them combine to.
    fn row<T: Copy>(&self, row: &mut [T], first: T, combine: &dyn Fn(T, T) -> T) -> T {
        let mut all = first;
        for step in 0..row.len() {
            let at = if self.reverse { row.len() - 1 - step } else { step };
            if self.every.is_some_and(|every| (at + usize::from(self.reverse)).is_multiple_of(every.max(1))) {
                all = first;
            }
            let before = all;
            all = combine(all, row[at]);
            row[at] = if self.exclusive { before } else { all };
        }
        all
    }

    /// The same for all rows of a tensor in row-major order; `first` has what the elements before each row combine to.
    fn rows<T: Copy>(&self, shape: &[usize], values: &mut [T], first: &mut [T], combine: &dyn Fn(T, T) -> T) {
        let (size, behind) = (shape[self.axis], product(&shape[self.axis + 1..]));
        let mut row = Vec::with_capacity(size);
        for (number, first) in first.iter_mut().enumerate() {
            let start = number / behind * size * behind + number % behind;
            let places = || (0..size).map(|at| start + at * behind);
            row.clear();
            row.extend(places().map(|place| values[place]));
            *first = self.row(&mut row, *first, combine);
            places().zip(&row).for_each(|(place, &value)| values[place] = value);
        }
    }
}

impl TensorValue {
    /// The elements along an axis combined up to each position, one after another, in `f64` or wrapping `i64`, and each
    /// result rounded or wrapped to `elem` at the end.
    ///
    /// What no element combines to is the identity of the combiner, as in [`TensorValue::reduce`]. When the elements or
    /// the result are floats, it is computed in `f64`.
    ///
    /// Errors when there is no such axis, and for a type whose tensors cannot be run.
    pub fn scan(&self, ctx: &Context, scan: Scan, elem: Type) -> Result<TensorValue, String> {
        Ok(self.scan_from(ctx, scan, None, elem)?.0)
    }

    /// As [`TensorValue::scan`], begun with what elements before those of the tensor combine to: a number for each position
    /// along the other axes. Also gives what they and all elements combine to.
    pub fn scan_from(
        &self,
        ctx: &Context,
        scan: Scan,
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
        let rows = product(&others);
        let (data, last) = if self.kind.is_float() || kind.is_float() {
            // An exclusive scan gives the identity as an element.
            let most = kind.most();
            let (first, combine): (f64, &dyn Fn(f64, f64) -> f64) = match scan.combine {
                Combine::Sum => (0.0, &|a, b| a + b),
                Combine::Prod => (1.0, &|a, b| a * b),
                Combine::Max => (-most, &|a, b: f64| if b > a || b.is_nan() { b } else { a }),
                Combine::Min => (most, &|a, b: f64| if b < a || b.is_nan() { b } else { a }),
            };
            let mut values = self.to_f64s();
            let mut first = before.map_or_else(|| vec![first; rows], TensorValue::to_f64s);
            scan.rows(&self.shape, &mut values, &mut first, combine);
            (rounded(kind, &values), rounded(kind, &first))
        } else {
            let unsigned = self.kind.is_u64() || kind.is_u64();
            let (first, combine): (i64, &dyn Fn(i64, i64) -> i64) = match scan.combine {
                Combine::Sum => (0, &i64::wrapping_add),
                Combine::Prod if self.kind.is_bool() => (1, &|a, b| a & b),
                Combine::Prod => (1, &i64::wrapping_mul),
                Combine::Max if unsigned => (kind.lowest(), &|a, b| (a as u64).max(b as u64) as i64),
                Combine::Min if unsigned => (kind.highest(), &|a, b| (a as u64).min(b as u64) as i64),
                Combine::Max => (kind.lowest(), &|a: i64, b| a.max(b)),
                Combine::Min => (kind.highest(), &|a: i64, b| a.min(b)),
            };
            let mut values = self.to_i64s();
            let mut first = before.map_or_else(|| vec![first; rows], TensorValue::to_i64s);
            scan.rows(&self.shape, &mut values, &mut first, combine);
            (rounded(kind, &values), rounded(kind, &first))
        };
        let dense = |shape, data| TensorValue::dense(shape, elem, kind, data);
        Ok((dense(self.shape.clone(), data), dense(others, last)))
    }
}
