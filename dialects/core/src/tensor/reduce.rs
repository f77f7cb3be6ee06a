//! Axes combined into one number each.
//!
//! Two ways, by which axis lies closest in the buffer. When it is one of those that are combined, each result is made
//! from a row of neighbours. When it is kept, neighbouring results are made together: one row of them after the other
//! is combined into a row of accumulators. Both split long reductions into pieces whose length depends on the sizes
//! alone, so the order of the additions, and with it the last bit, does not depend on the number of threads.

use dlc_ir::{Context, Type};

use super::read::{BLOCK, Lane, PIECE, Reader, rounded};
use super::views::product;
use super::{ElemKind, MAX_COMBINED, TensorValue, count, expect_work, threads};

/// How a reduction combines two elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// The sum; for truth values whether any holds.
    Sum,
    /// The product; for truth values whether all hold.
    Prod,
    /// The larger; NaN if one is.
    Max,
    /// The smaller; NaN if one is.
    Min,
}

/// How many results are accumulated together when the kept axes lie closest.
const TILE: usize = 2 * BLOCK;

impl TensorValue {
    /// The elements along some axes combined in `f64` or wrapping `i64`, and rounded or wrapped to `elem` at the end.
    /// The other axes are kept in their order.
    ///
    /// Of no elements: 0, 1, for `Max` minus infinity or the lowest number of a type without, for `Min` the opposite.
    /// When the elements or the result are floats, it is computed in `f64`.
    ///
    /// Errors when there is no such axis, or one is named twice, and for more than [`MAX_COMBINED`]
    /// elements.
    pub fn reduce(&self, ctx: &Context, combine: Combine, axes: &[usize], elem: Type) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        self.expect_distinct(axes)?;
        expect_work(&self.shape, MAX_COMBINED)?;
        let plan = Plan::new(self, axes);
        count(&plan.kept.shape)?;
        let shape = plan.kept.shape.clone();
        let data = if self.kind.is_float() || kind.is_float() {
            // Of no elements, what changes no other number of the type.
            let most = if plan.reduced.len == 0 { kind.most() } else { f64::INFINITY };
            // The comparison that keeps NaN on either side.
            let results = match combine {
                Combine::Sum => plan.run(0.0, |a: f64, b| a + b),
                Combine::Prod => plan.run(1.0, |a: f64, b| a * b),
                Combine::Max => plan.run(-most, |a: f64, b| if b > a || b.is_nan() { b } else { a }),
                Combine::Min => plan.run(most, |a: f64, b| if b < a || b.is_nan() { b } else { a }),
            };
            rounded(kind, &results)
        } else {
            // Of no elements, it is the bounds of the result that count.
            let bounds = if plan.reduced.len == 0 { kind } else { self.kind };
            let results = match combine {
                Combine::Sum => plan.run(0, i64::wrapping_add),
                Combine::Prod if self.kind.is_bool() => plan.run(1, |a: i64, b| a & b),
                Combine::Prod => plan.run(1, i64::wrapping_mul),
                Combine::Max if self.kind.is_u64() => {
                    plan.run(bounds.lowest(), |a: i64, b| (a as u64).max(b as u64) as i64)
                }
                Combine::Min if self.kind.is_u64() => {
                    plan.run(bounds.highest(), |a: i64, b| (a as u64).min(b as u64) as i64)
                }
                Combine::Max => plan.run(bounds.lowest(), i64::max),
                Combine::Min => plan.run(bounds.highest(), i64::min),
            };
            rounded(kind, &results)
        };
        Ok(TensorValue::dense(shape, elem, kind, data))
    }
}

/// Some of the axes of a tensor.
struct Axes {
    shape: Vec<usize>,
    strides: Vec<isize>,
    len: usize,
}

impl Axes {
    fn of(tensor: &TensorValue, axes: &[usize]) -> Axes {
        let shape: Vec<usize> = axes.iter().map(|&axis| tensor.shape[axis]).collect();
        let len = product(&shape);
        Axes { shape, strides: axes.iter().map(|&axis| tensor.strides[axis]).collect(), len }
    }

    /// A reader of the tensor along these axes and then those of `inner`.
    fn then<'t>(&self, inner: &Axes, tensor: &'t TensorValue) -> Reader<'t> {
        let shape = [&self.shape[..], &inner.shape].concat();
        Reader::over(tensor, &shape, &[&self.strides[..], &inner.strides].concat())
    }

    /// How close neighbours lie; elements that are repeated do not count.
    fn closest(&self) -> usize {
        let strides = self.strides.iter().zip(&self.shape).filter(|&(&stride, &size)| stride != 0 && size > 1);
        strides.map(|(stride, _)| stride.unsigned_abs()).min().unwrap_or(usize::MAX)
    }
}

struct Plan<'t> {
    tensor: &'t TensorValue,
    kept: Axes,
    reduced: Axes,
}

impl<'t> Plan<'t> {
    fn new(tensor: &'t TensorValue, axes: &[usize]) -> Plan<'t> {
        let kept: Vec<usize> = (0..tensor.rank()).filter(|axis| !axes.contains(axis)).collect();
        // In the order in which they lie in the buffer.
        let mut reduced = axes.to_vec();
        reduced.sort_by_key(|&axis| (std::cmp::Reverse(tensor.strides[axis].unsigned_abs()), axis));
        Plan { tensor, kept: Axes::of(tensor, &kept), reduced: Axes::of(tensor, &reduced) }
    }

    /// The result at each index of the kept axes.
    fn run<T: Lane>(&self, identity: T, combine: impl Fn(T, T) -> T + Sync) -> Vec<T> {
        let combine = &combine as &dyn Combining<T>;
        let (kept, reduced) = (self.kept.len, self.reduced.len);
        if kept == 0 || reduced == 0 {
            return vec![identity; kept];
        }
        // Very short rows are not worth a loop each.
        if self.kept.closest() < self.reduced.closest() || reduced <= 16 && kept >= TILE {
            self.rows_of_results(identity, combine)
        } else {
            self.rows_of_elements(identity, combine)
        }
    }

    fn rows_of_elements<T: Lane>(&self, identity: T, combine: &dyn Combining<T>) -> Vec<T> {
        let (kept, reduced) = (self.kept.len, self.reduced.len);
        // Parts of a row only when there are few rows.
        let piece = if kept >= 64 { reduced } else { reduced.min(PIECE) };
        let pieces = reduced.div_ceil(piece);
        let mut parts = vec![identity; kept * pieces];
        let at_once = (PIECE / piece).max(1);
        threads::each_chunk(&mut parts, at_once, |chunk, parts| {
            let mut reader = self.kept.then(&self.reduced, self.tensor);
            let mut block = vec![identity; BLOCK.max(if piece <= BLOCK { BLOCK / piece * piece } else { 0 })];
            let first = chunk * at_once;
            if pieces == 1 && piece <= BLOCK {
                // Several short rows at a time.
                reader.seek(first * reduced);
                for parts in parts.chunks_mut(BLOCK / piece) {
                    let block = &mut block[..parts.len() * piece];
                    reader.read(block);
                    for (part, row) in parts.iter_mut().zip(block.chunks(piece)) {
                        *part = combine.fold(identity, row);
                    }
                }
                return;
            }
            for (part, index) in parts.iter_mut().zip(first..) {
                let (row, start) = (index / pieces, index % pieces * piece);
                reader.seek(row * reduced + start);
                let mut left = piece.min(reduced - start);
                while left > 0 {
                    let block = &mut block[..left.min(BLOCK)];
                    reader.read(block);
                    *part = combine.two(*part, combine.fold(identity, block));
                    left -= block.len();
                }
            }
        });
        parts.chunks(pieces).map(|row| row[1..].iter().fold(row[0], |all, &part| combine.two(all, part))).collect()
    }

    fn rows_of_results<T: Lane>(&self, identity: T, combine: &dyn Combining<T>) -> Vec<T> {
        let (kept, reduced) = (self.kept.len, self.reduced.len);
        let tile = kept.min(TILE);
        let piece = if kept > TILE { reduced } else { reduced.min((PIECE / kept).max(1)) };
        let pieces = reduced.div_ceil(piece);
        let mut parts = vec![identity; kept * pieces];
        threads::each_chunk(&mut parts, tile, |chunk, results| {
            let mut reader = self.reduced.then(&self.kept, self.tensor);
            let tiles = kept.div_ceil(tile);
            let (start, rows) = (chunk % tiles * tile, chunk / tiles * piece..reduced.min((chunk / tiles + 1) * piece));
            let whole = results.len() == kept;
            // Whole rows follow one another, so that several are read at a time.
            let at_once = if whole { (BLOCK / kept).max(1) } else { 1 };
            let mut block = vec![identity; at_once * results.len()];
            reader.seek(rows.start * kept + start);
            let mut row = rows.start;
            while row < rows.end {
                let now = at_once.min(rows.end - row);
                let block = &mut block[..now * results.len()];
                if !whole {
                    reader.seek(row * kept + start);
                }
                reader.read(block);
                for row in block.chunks(results.len()) {
                    combine.add_row(results, row);
                }
                row += now;
            }
        });
        let (results, rest) = parts.split_at_mut(kept);
        for part in rest.chunks(kept) {
            combine.add_row(results, part);
        }
        parts.truncate(kept);
        parts
    }
}

/// The loops of a function that combines two numbers, so that they alone are compiled for each.
trait Combining<T>: Sync {
    fn two(&self, a: T, b: T) -> T;
    /// Each result with the element at its place.
    fn add_row(&self, results: &mut [T], row: &[T]);
    /// The elements of a slice, eight chains at a time, which the machine runs at once.
    fn fold(&self, identity: T, values: &[T]) -> T;
}

impl<T: Lane, F: Fn(T, T) -> T + Sync> Combining<T> for F {
    fn two(&self, a: T, b: T) -> T {
        self(a, b)
    }

    fn add_row(&self, results: &mut [T], row: &[T]) {
        results.iter_mut().zip(row).for_each(|(result, &x)| *result = self(*result, x));
    }

    fn fold(&self, identity: T, values: &[T]) -> T {
        const CHAINS: usize = 8;
        let mut chains = [identity; CHAINS];
        let groups = values.chunks_exact(CHAINS);
        let rest = groups.remainder();
        for group in groups {
            for (chain, &x) in chains.iter_mut().zip(group) {
                *chain = self(*chain, x);
            }
        }
        chains.iter().chain(rest).fold(identity, |result, &x| self(result, x))
    }
}
