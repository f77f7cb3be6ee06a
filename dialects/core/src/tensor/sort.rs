//! Sorting along one axis.

use super::read::rounded;
use super::views::product;
use super::{TensorValue, count};

impl TensorValue {
    /// The elements along an axis in ascending order; with `every` each group of so many positions, counted from the first,
    /// by itself.
    ///
    /// Floats are ordered as numbers, -0.0 before 0.0, and NaN after all of them. `ui64` is ordered without sign.
    ///
    /// Errors when there is no such axis, and for a type whose tensors cannot be run.
    pub fn sort(&self, axis: usize, every: Option<usize>) -> Result<TensorValue, String> {
        self.expect_distinct(&[axis])?;
        count(&self.shape)?;
        let (size, inner) = (self.shape[axis], product(&self.shape[axis + 1..]));
        let every = every.unwrap_or(size).max(1);
        let data = if self.kind.is_float() {
            let positive = |value: f64| if value.is_nan() { f64::NAN } else { value };
            let mut values: Vec<f64> = self.to_f64s().into_iter().map(positive).collect();
            sort_rows(&mut values, (size, inner, every), &|row| row.sort_unstable_by(f64::total_cmp));
            rounded(self.kind, &values)
        } else {
            let mut values = self.to_i64s();
            match self.kind.is_u64() {
                true => sort_rows(&mut values, (size, inner, every), &|row| row.sort_unstable_by_key(|&x| x as u64)),
                false => sort_rows(&mut values, (size, inner, every), &|row| row.sort_unstable()),
            }
            rounded(self.kind, &values)
        };
        Ok(TensorValue::dense(self.shape.clone(), self.elem, self.kind, data))
    }
}

/// Sorts each group of each row: rows of `size` elements that are `inner` apart, groups of `every`.
fn sort_rows<T: Copy>(values: &mut [T], (size, inner, every): (usize, usize, usize), sort: &dyn Fn(&mut [T])) {
    if size == 0 || inner == 0 {
        return;
    }
    for outer in values.chunks_mut(size * inner) {
        for first in 0..inner {
            let mut row: Vec<T> = outer[first..].iter().step_by(inner).copied().collect();
            row.chunks_mut(every).for_each(sort);
            outer[first..].iter_mut().step_by(inner).zip(row).for_each(|(to, value)| *to = value);
        }
    }
}
