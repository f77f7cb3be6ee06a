//! Elements in row-major order.

use super::read::{CHUNK, Load, Reader};
use super::views::product;
use super::{Data, TensorValue, count, threads};

/// How many rows and columns are transposed at a time: both fit the first cache, whatever their distance.
const SQUARE: usize = 32;

impl TensorValue {
    /// Whether the elements lie in row-major order, one after another.
    pub fn is_contiguous(&self) -> bool {
        let mut wanted = 1;
        let mut axes = self.shape.iter().zip(&self.strides).rev();
        self.is_empty()
            || axes.all(|(&size, &stride)| {
                let fits = size == 1 || stride == wanted;
                wanted *= size as isize;
                fits
            })
    }

    /// The same tensor with its elements in row-major order, one after another: itself if it is so already.
    ///
    /// Errors when there are more than [`MAX_ELEMENTS`](super::MAX_ELEMENTS).
    pub fn contiguous(&self) -> Result<TensorValue, String> {
        if self.is_contiguous() {
            return Ok(self.clone());
        }
        count(&self.shape)?;
        let data = match &*self.data {
            Data::F32(_) => Data::F32(self.copied()),
            Data::F64(_) => Data::F64(self.copied()),
            Data::Int(_) => Data::Int(self.copied()),
        };
        Ok(TensorValue::dense(self.shape.clone(), self.elem, self.kind, data))
    }

    /// The elements in row-major order.
    pub(super) fn copied<T: Load>(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.len()];
        match self.transposed_axis() {
            Some(axis) => self.turn(axis, &mut values),
            None => threads::each_chunk(&mut values, CHUNK, |index, chunk| {
                Reader::new(self, index * CHUNK).read(chunk);
            }),
        }
        values
    }

    /// The axis along which neighbours lie, when reading in row-major order would jump to another cache line for each
    /// element of a large tensor. None when elements are repeated, which makes them few.
    pub(super) fn transposed_axis(&self) -> Option<usize> {
        let long = |&axis: &usize| self.shape[axis] > 1;
        let last = (0..self.rank()).rev().find(long)?;
        let near = (0..last).filter(long).find(|&axis| self.strides[axis].unsigned_abs() == 1)?;
        let wide = self.shape[near] >= 8 && self.strides[last].unsigned_abs() >= 8;
        let repeats = self.strides.contains(&0);
        (wide && !repeats && self.len() >= 2 * CHUNK).then_some(near)
    }

    /// Reads along the axis, a square at a time, and writes in row-major order.
    fn turn<T: Load>(&self, axis: usize, out: &mut [T]) {
        let (size, last) = (self.shape[axis], self.rank() - 1);
        let (columns, middle) = (self.shape[last], product(&self.shape[axis + 1..last]));
        let row = middle * columns;
        let blocks = out.chunks_mut(size * row).enumerate().flat_map(|(outer, part)| {
            part.chunks_mut(SQUARE * row).enumerate().map(move |(block, out)| (outer, block * SQUARE, out))
        });
        let shift = |first: usize| self.strides[axis] * first as isize;
        let state = || {
            let outer = Reader::over(self, &self.shape[..axis], &self.strides[..axis]);
            let inner = Reader::over(self, &self.shape[axis + 1..last], &self.strides[axis + 1..last]);
            (outer, inner, vec![T::default(); SQUARE * SQUARE])
        };
        threads::each(blocks, out_threads(self.len()), state, |(outer, inner, square), (part, first, out)| {
            let rows = out.len() / row;
            for mid in 0..middle {
                let start = outer.place_of(part) + inner.place_of(mid) - self.offset + shift(first);
                for column in (0..columns).step_by(SQUARE) {
                    let width = SQUARE.min(columns - column);
                    for (j, line) in square.chunks_mut(SQUARE).take(width).enumerate() {
                        let at = start + (column + j) as isize * self.strides[last];
                        T::load(&self.data, self.kind, at, self.strides[axis], &mut line[..rows]);
                    }
                    for i in 0..rows {
                        let to = &mut out[i * row + mid * columns + column..][..width];
                        to.iter_mut().enumerate().for_each(|(j, to)| *to = square[j * SQUARE + i]);
                    }
                }
            }
        });
    }
}

/// As many threads as there are chunks worth one.
fn out_threads(len: usize) -> usize {
    len / (2 * CHUNK)
}
