//! Views: other sizes and strides over the same buffer.

use std::sync::Arc;

use dlc_ir::Context;
use dlc_ir::interp::Datum;

use super::read::{Load, Reader};
use super::{Data, TensorValue, count};

/// The number of elements of a shape, or the largest number when it is none: a size of 0 makes every other harmless.
pub(super) fn product(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1, |count, &size| count.saturating_mul(size)) }
}

/// The number of elements of a shape. Errors when it is no `isize`.
pub(super) fn length(shape: &[usize]) -> Result<usize, String> {
    let count = Some(product(shape)).filter(|&count| isize::try_from(count).is_ok());
    count.ok_or_else(|| format!("the number of elements of the sizes {shape:?} does not fit 64 bits"))
}

/// The strides of a buffer in row-major order.
pub(super) fn dense_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1isize;
    for (stride, &size) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step = step.saturating_mul(size.max(1) as isize);
    }
    strides
}

/// The sizes that several shapes have together: aligned at the right, where one of them has size 1 that of the others.
///
/// Errors when two sizes that are not 1 differ.
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Vec<usize>, String> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = vec![1; rank];
    for shape in shapes {
        for (size, &own) in result[rank - shape.len()..].iter_mut().zip(*shape) {
            match (*size, own) {
                (1, _) => *size = own,
                (_, 1) => {}
                (a, b) if a == b => {}
                _ => return Err(format!("the sizes {} do not go together", list(shapes))),
            }
        }
    }
    Ok(result)
}

fn list(shapes: &[&[usize]]) -> String {
    shapes.iter().map(|shape| format!("{shape:?}")).collect::<Vec<_>>().join(" and ")
}

impl TensorValue {
    /// The same buffer, seen in another way.
    ///
    /// Without elements any strides do. Only there may they have overflowed before.
    pub(super) fn view(&self, shape: Vec<usize>, strides: Vec<isize>, offset: isize) -> TensorValue {
        let (strides, offset) = if shape.contains(&0) { (dense_strides(&shape), 0) } else { (strides, offset) };
        TensorValue { shape, strides, offset, elem: self.elem, kind: self.kind, data: Arc::clone(&self.data) }
    }

    /// The elements in the same row-major order with other sizes. Copies only when no strides describe that.
    ///
    /// Errors when the number of elements differs.
    pub fn reshape(&self, shape: &[usize]) -> Result<TensorValue, String> {
        if length(shape)? != self.len() {
            return Err(format!("the sizes {:?} cannot become {shape:?}, a different number of elements", self.shape));
        }
        match self.reshaped_strides(shape) {
            Some(strides) => Ok(self.view(shape.to_vec(), strides, self.offset)),
            None => {
                let dense = self.contiguous()?;
                Ok(dense.view(shape.to_vec(), dense_strides(shape), dense.offset))
            }
        }
    }

    /// The strides of other sizes over the same elements in the same order. Groups of axes that have equally many
    /// elements before and after are split on their own, which works where the old ones lie one after another.
    fn reshaped_strides(&self, shape: &[usize]) -> Option<Vec<isize>> {
        if self.is_empty() {
            return Some(dense_strides(shape));
        }
        let old: Vec<(usize, isize)> =
            self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|&(size, _)| size != 1).collect();
        let mut strides = vec![0; shape.len()];
        let (mut from, mut to) = (0, 0);
        while from < old.len() {
            let (first, first_to) = (from, to);
            let (mut before, mut after) = (old[from].0, 1);
            from += 1;
            loop {
                match before.cmp(&after) {
                    std::cmp::Ordering::Less => {
                        before *= old.get(from)?.0;
                        from += 1;
                    }
                    std::cmp::Ordering::Greater => {
                        after *= shape.get(to)?;
                        to += 1;
                    }
                    std::cmp::Ordering::Equal => break,
                }
            }
            if old[first..from].windows(2).any(|pair| pair[0].1 != pair[1].1 * pair[1].0 as isize) {
                return None;
            }
            let mut step = old[from - 1].1;
            for axis in (first_to..to).rev() {
                strides[axis] = step;
                step *= shape[axis] as isize;
            }
        }
        Some(strides)
    }

    /// The axes in another order: axis `i` of the result is axis `order[i]` of this one.
    ///
    /// Errors when `order` does not name each axis once.
    pub fn permute(&self, order: &[usize]) -> Result<TensorValue, String> {
        let mut seen = order.to_vec();
        seen.sort_unstable();
        if !seen.iter().copied().eq(0..self.rank()) {
            return Err(format!("{order:?} is no order of {} axes", self.rank()));
        }
        let shape = order.iter().map(|&axis| self.shape[axis]).collect();
        Ok(self.view(shape, order.iter().map(|&axis| self.strides[axis]).collect(), self.offset))
    }

    /// Repeated along new axes and those of size 1: axis `i` becomes axis `dims[i]` of the result.
    ///
    /// Errors when `dims` does not ascend, and when a size is neither 1 nor that of the result.
    pub fn broadcast_in_dim(&self, shape: &[usize], dims: &[usize]) -> Result<TensorValue, String> {
        length(shape)?;
        let ascends = dims.windows(2).all(|pair| pair[0] < pair[1]);
        if dims.len() != self.rank() || !ascends || dims.last().is_some_and(|&dim| dim >= shape.len()) {
            return Err(format!("the axes {dims:?} of {shape:?} are no place for the sizes {:?}", self.shape));
        }
        let mut strides = vec![0; shape.len()];
        for ((&size, &stride), &dim) in self.shape.iter().zip(&self.strides).zip(dims) {
            if size == shape[dim] {
                strides[dim] = stride;
            } else if size != 1 {
                return Err(format!("the sizes {:?} cannot be repeated to {shape:?}", self.shape));
            }
        }
        Ok(self.view(shape.to_vec(), strides, self.offset))
    }

    /// Repeated along new axes at the left and those of size 1.
    ///
    /// Errors when a size is neither 1 nor that of the result.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<TensorValue, String> {
        let Some(new) = shape.len().checked_sub(self.rank()) else {
            return Err(format!("the sizes {:?} cannot be repeated to {shape:?}", self.shape));
        };
        self.broadcast_in_dim(shape, &(new..shape.len()).collect::<Vec<_>>())
    }

    /// The elements in row-major order under other sizes and strides: the element at an index is number
    /// `start + index[0] * strides[0] + ..`.
    ///
    /// Errors unless there is a stride for each size, and an element for each index.
    pub fn strided(&self, shape: &[usize], strides: &[i64], start: i64) -> Result<TensorValue, String> {
        if strides.len() != shape.len() {
            return Err(format!("{} strides are given for the sizes {shape:?}", strides.len()));
        }
        let mut own = Vec::with_capacity(shape.len());
        if length(shape)? > 0 {
            // The first and last element that any index means; in 128 bits nothing wraps.
            let (mut first, mut last) = (i128::from(start), i128::from(start));
            for (&size, &stride) in shape.iter().zip(strides) {
                let reach = (size as i128 - 1) * i128::from(stride);
                first += reach.min(0);
                last += reach.max(0);
                // An axis of size 1 is never stepped along.
                own.push(if size == 1 { 0 } else { stride as isize });
            }
            let count = self.len();
            if first < 0 || last >= count as i128 {
                return Err(format!("elements {first} to {last} are wanted of {count}"));
            }
        } else {
            own = dense_strides(shape);
        }
        let dense = self.contiguous()?;
        let offset = if length(shape)? > 0 { dense.offset + start as isize } else { dense.offset };
        Ok(dense.view(shape.to_vec(), own, offset))
    }

    /// The part of each axis from `start` to before `stop`, every `step`-th index.
    ///
    /// Errors unless there is one range for each axis, `start <= stop <= size` and `step >= 1`.
    pub fn shrink(&self, ranges: &[(usize, usize, usize)]) -> Result<TensorValue, String> {
        self.expect_axes(ranges.len())?;
        let (mut shape, mut strides, mut offset) = (vec![], vec![], self.offset);
        for ((&(start, stop, step), &size), &stride) in ranges.iter().zip(&self.shape).zip(&self.strides) {
            if start > stop || stop > size || step == 0 {
                return Err(format!("{start}..{stop} with step {step} is no part of an axis of size {size}"));
            }
            let len = (stop - start).div_ceil(step);
            shape.push(len);
            // A step beyond the axis is never taken.
            strides.push(if len > 1 { stride.wrapping_mul(step as isize) } else { stride });
            offset = offset.wrapping_add(stride.wrapping_mul(start as isize));
        }
        Ok(self.view(shape, strides, offset))
    }

    /// These axes backwards.
    ///
    /// Errors when there is no such axis, or one is named twice.
    pub fn flip(&self, axes: &[usize]) -> Result<TensorValue, String> {
        self.expect_distinct(axes)?;
        let (mut strides, mut offset) = (self.strides.clone(), self.offset);
        for &axis in axes {
            let last = self.shape[axis].saturating_sub(1) as isize;
            offset = offset.wrapping_add(strides[axis].wrapping_mul(last));
            strides[axis] = -strides[axis];
        }
        Ok(self.view(self.shape.clone(), strides, offset))
    }

    /// More elements, all of them `value`, before and after those of each axis. A copy.
    ///
    /// Errors unless there is one pair for each axis, and when the value is no number of the type.
    pub fn pad(&self, ctx: &Context, padding: &[(usize, usize)], value: &Datum) -> Result<TensorValue, String> {
        self.expect_axes(padding.len())?;
        let fill = TensorValue::splat(ctx, vec![], self.elem, value)?;
        let grown = self
            .shape
            .iter()
            .zip(padding)
            .map(|(&size, &(before, after))| size.checked_add(before)?.checked_add(after));
        let Some(shape) = grown.collect::<Option<Vec<usize>>>() else {
            return Err(format!("the sizes {:?} cannot be padded by {padding:?}", self.shape));
        };
        let (len, strides) = (count(&shape)?, dense_strides(&shape));
        let steps = strides.iter().zip(padding).map(|(&stride, pad)| stride as usize * pad.0);
        let start = if len == 0 { 0 } else { steps.sum() };
        let data = match (&*self.data, &*fill.data) {
            (Data::F32(_), Data::F32(fill)) => Data::F32(self.padded(vec![fill[0]; len], &strides, start)),
            (Data::F64(_), Data::F64(fill)) => Data::F64(self.padded(vec![fill[0]; len], &strides, start)),
            (Data::Int(_), Data::Int(fill)) => Data::Int(self.padded(vec![fill[0]; len], &strides, start)),
            _ => return Err("the value to pad with is of another type".into()),
        };
        Ok(TensorValue::dense(shape, self.elem, self.kind, data))
    }

    /// Copies the elements into a dense buffer, row by row.
    fn padded<T: Load>(&self, mut out: Vec<T>, strides: &[isize], start: usize) -> Vec<T> {
        let Some((&row, outer)) = self.shape.split_last() else {
            Reader::new(self, 0).read(&mut out);
            return out;
        };
        if self.is_empty() {
            return out;
        }
        let (mut reader, mut index, mut at) = (Reader::new(self, 0), vec![0; outer.len()], start);
        'rows: loop {
            reader.read(&mut out[at..at + row]);
            for axis in (0..outer.len()).rev() {
                index[axis] += 1;
                at += strides[axis] as usize;
                if index[axis] < outer[axis] {
                    continue 'rows;
                }
                at -= strides[axis] as usize * outer[axis];
                index[axis] = 0;
            }
            return out;
        }
    }

    pub(super) fn expect_axes(&self, given: usize) -> Result<(), String> {
        match given == self.rank() {
            true => Ok(()),
            false => Err(format!("{given} axes are given for the sizes {:?}", self.shape)),
        }
    }

    pub(super) fn expect_distinct(&self, axes: &[usize]) -> Result<(), String> {
        let wrong = axes.iter().enumerate().any(|(i, axis)| *axis >= self.rank() || axes[..i].contains(axis));
        match wrong {
            false => Ok(()),
            true => Err(format!("{axes:?} are no axes of the sizes {:?}", self.shape)),
        }
    }

    /// The view with axis `i` replaced by one of size 1 where `which(i)`.
    pub(super) fn only_first(&self, which: impl Fn(usize) -> bool) -> TensorValue {
        let mut view = self.clone();
        for axis in (0..self.rank()).filter(|&axis| which(axis) && self.shape[axis] > 1) {
            view.shape[axis] = 1;
        }
        view
    }
}
