//! Reading views in row-major order, and filling buffers block by block.
//!
//! What computes works on blocks of [`BLOCK`] numbers, `f64` or `i64`, that stay in the first cache: the operands are
//! read into them, a function runs over them without strides or conversions, and the result is rounded to where it
//! belongs.

use dlc_ir::types::FloatKind;

use super::kind::Rounding;
use super::{Data, ElemKind, TensorValue, threads};

/// How many numbers are worked on at a time.
pub(super) const BLOCK: usize = 1024;

/// How many elements are given to a thread at a time.
pub(super) const CHUNK: usize = 16 * BLOCK;

/// About how many elements one task adds up.
pub(super) const PIECE: usize = 1 << 16;

/// A number that elements are read as.
pub(super) trait Load: Copy + Default + Send + Sync {
    /// Reads elements that lie `stride` apart, the first of them at `at`.
    fn load(data: &Data, kind: ElemKind, at: isize, stride: isize, out: &mut [Self]);
}

/// A number that is computed with.
pub(super) trait Lane: Load {
    fn to_f32s(kind: FloatKind, values: &[Self], out: &mut [f32]);
    fn to_f64s(values: &[Self], out: &mut [f64]);
    fn to_ints(kind: ElemKind, values: &[Self], out: &mut [i64]);
    /// 1 unless it is 0.
    fn truth(self) -> Self;
    fn plus(self, other: Self) -> Self;
    /// `self + a * b`
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// `out[i] + a[i] * b[i]` for each element, the product first rounded or wrapped.
    fn add_products(products: Products, a: &[Self], b: &[Self], out: &mut [Self]);
    /// Adds the product of two matrices to a third, each product of elements rounded or wrapped: no gemm can do that.
    fn gemm_by_products(products: Products, sizes: Sizes, a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]) {
        let Sizes { m, n, k } = sizes;
        let mut line = vec![Self::default(); n];
        for p in 0..k {
            // A row of the right matrix, in one piece, serves all rows of the result.
            for (j, value) in line.iter_mut().enumerate() {
                *value = b.values[p * b.row_stride + j * b.column_stride];
            }
            let column = |i: usize| a.values[i * a.row_stride + p * a.column_stride];
            let rows = c.chunks_mut(n.max(1)).take(m).enumerate().map(|(i, row)| (column(i), row));
            Self::add_rows(products, &line, rows);
        }
    }
    /// `row[j] + factor * line[j]` for each factor and row, the products rounded or wrapped.
    fn add_rows<'c>(products: Products, line: &[Self], rows: impl Iterator<Item = (Self, &'c mut [Self])>)
    where
        Self: 'c;
    /// Adds the product of two matrices to a third.
    fn gemm(sizes: Sizes, a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self]);
}

/// What is done to each product before it is added.
#[derive(Clone, Copy)]
pub(super) enum Products {
    /// Nothing.
    Exact,
    /// A float is rounded.
    Rounded(Rounding),
    /// An integer is taken modulo two to the power of a width.
    Wrapped(ElemKind),
}

/// The rows of the left matrix, the columns of the right one, and what both have in common.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

/// A matrix in a buffer.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'t, T> {
    pub(super) values: &'t [T],
    pub(super) row_stride: usize,
    pub(super) column_stride: usize,
}

impl<T> Matrix<'_, T> {
    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0
            || columns == 0
            || (rows - 1) * self.row_stride + (columns - 1) * self.column_stride < self.values.len()
    }
}

/// The float without its fraction. What an `i64` does not hold, NaN included, is the lowest one, as x86 and so numpy
/// there has it.
pub(super) fn truncate(value: f64) -> i64 {
    const TWO_63: f64 = 9223372036854775808.0;
    if (-TWO_63..TWO_63).contains(&value) { value as i64 } else { i64::MIN }
}

/// The integer as an `f64` that rounds to a float of 24 bits or fewer as the integer does: when bits do not fit, the
/// lowest one that is kept says so (rounding to odd).
pub(super) fn sticky(value: i64) -> f64 {
    let kept = if value & 0xfff == 0 { value } else { value & !0xfff | 0x800 };
    if value.unsigned_abs() < 1 << 53 { value as f64 } else { kept as f64 }
}

/// [`sticky`] for unsigned integers.
pub(super) fn sticky_unsigned(value: u64) -> f64 {
    let kept = if value & 0xfff == 0 { value } else { value & !0xfff | 0x800 };
    if value < 1 << 53 { value as f64 } else { kept as f64 }
}

fn run<S: Copy, T: Copy>(data: &[S], at: isize, stride: isize, out: &mut [T], convert: impl Fn(S) -> T) {
    let (first, len) = (at as usize, out.len());
    match stride {
        0 => out.fill(convert(data[first])),
        1 => out.iter_mut().zip(&data[first..first + len]).for_each(|(out, &value)| *out = convert(value)),
        -1 => {
            let values = data[first + 1 - len..=first].iter().rev();
            out.iter_mut().zip(values).for_each(|(out, &value)| *out = convert(value));
        }
        2.. => {
            let values = data[first..].iter().step_by(stride as usize);
            out.iter_mut().zip(values).for_each(|(out, &value)| *out = convert(value));
        }
        _ => {
            let steps = 0..len as isize;
            out.iter_mut().zip(steps).for_each(|(out, step)| *out = convert(data[(at + step * stride) as usize]));
        }
    }
}

impl Load for f64 {
    fn load(data: &Data, kind: ElemKind, at: isize, stride: isize, out: &mut [f64]) {
        match data {
            Data::F32(values) => run(values, at, stride, out, f64::from),
            Data::F64(values) => run(values, at, stride, out, |x| x),
            Data::Int(values) if kind.is_u64() => run(values, at, stride, out, |x| x as u64 as f64),
            Data::Int(values) => run(values, at, stride, out, |x| x as f64),
        }
    }
}

impl Load for i64 {
    fn load(data: &Data, _: ElemKind, at: isize, stride: isize, out: &mut [i64]) {
        match data {
            Data::F32(values) => run(values, at, stride, out, |x| truncate(x.into())),
            Data::F64(values) => run(values, at, stride, out, truncate),
            Data::Int(values) => run(values, at, stride, out, |x| x),
        }
    }
}

/// For copies of what is stored as `f32`.
impl Load for f32 {
    fn load(data: &Data, _: ElemKind, at: isize, stride: isize, out: &mut [f32]) {
        match data {
            Data::F32(values) => run(values, at, stride, out, |x| x),
            Data::F64(values) => run(values, at, stride, out, |x| x as f32),
            Data::Int(values) => run(values, at, stride, out, |x| x as f32),
        }
    }
}

impl Lane for f64 {
    fn to_f32s(kind: FloatKind, values: &[f64], out: &mut [f32]) {
        let pairs = out.iter_mut().zip(values);
        match kind {
            FloatKind::F32 => pairs.for_each(|(out, &value)| *out = value as f32),
            _ => {
                let rounding = Rounding::to(kind);
                pairs.for_each(|(out, &value)| *out = rounding.round(value) as f32);
            }
        }
    }

    fn to_f64s(values: &[f64], out: &mut [f64]) {
        out.copy_from_slice(values);
    }

    fn to_ints(kind: ElemKind, values: &[f64], out: &mut [i64]) {
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = kind.wrap(truncate(value)));
    }

    fn truth(self) -> f64 {
        if self == 0.0 { 0.0 } else { 1.0 }
    }

    fn plus(self, other: f64) -> f64 {
        self + other
    }

    fn plus_product(self, a: f64, b: f64) -> f64 {
        self + a * b
    }

    fn add_products(products: Products, a: &[f64], b: &[f64], out: &mut [f64]) {
        let all = out.iter_mut().zip(a).zip(b);
        match products {
            Products::Exact => all.for_each(|((out, a), b)| *out += a * b),
            Products::Rounded(rounding) => all.for_each(|((out, a), b)| *out += rounding.round(a * b)),
            Products::Wrapped(kind) => all.for_each(|((out, a), b)| *out += kind.wrap(truncate(a * b)) as f64),
        }
    }

    fn add_rows<'c>(products: Products, line: &[f64], rows: impl Iterator<Item = (f64, &'c mut [f64])>) {
        let (mut least, mut most) = (f64::INFINITY, 0f64);
        for value in line.iter().map(|value| value.abs()).filter(|value| *value != 0.0) {
            // What is no number makes the largest one infinite.
            most = match value.partial_cmp(&most) {
                Some(std::cmp::Ordering::Greater) => value,
                Some(_) => most,
                None => f64::INFINITY,
            };
            least = least.min(value);
        }
        for (factor, row) in rows {
            let all = row.iter_mut().zip(line);
            match products {
                Products::Rounded(rounding) if rounding.is_normal(least * factor.abs(), most * factor.abs()) => {
                    all.for_each(|(out, b)| *out += rounding.normal(factor * b));
                }
                Products::Rounded(rounding) => all.for_each(|(out, b)| *out += rounding.round(factor * b)),
                Products::Wrapped(kind) => all.for_each(|(out, b)| *out += kind.wrap(truncate(factor * b)) as f64),
                Products::Exact => all.for_each(|(out, b)| *out += factor * b),
            }
        }
    }

    fn gemm(sizes: Sizes, a: Matrix<'_, f64>, b: Matrix<'_, f64>, c: &mut [f64]) {
        let Sizes { m, n, k } = sizes;
        assert!(a.holds(m, k) && b.holds(k, n) && c.len() >= m * n, "a matrix is smaller than its sizes");
        let (rsa, csa) = (a.row_stride as isize, a.column_stride as isize);
        let (rsb, csb) = (b.row_stride as isize, b.column_stride as isize);
        // SAFETY: the pointers are those of slices that hold every element, as was just checked, and `c` is not shared.
        #[allow(unsafe_code)]
        unsafe {
            let (a, b, c) = (a.values.as_ptr(), b.values.as_ptr(), c.as_mut_ptr());
            matrixmultiply::dgemm(m, k, n, 1.0, a, rsa, csa, b, rsb, csb, 1.0, c, n as isize, 1);
        }
    }
}

impl Lane for i64 {
    fn to_f32s(kind: FloatKind, values: &[i64], out: &mut [f32]) {
        let rounding = Rounding::to(kind);
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = rounding.round(sticky(value)) as f32);
    }

    fn to_f64s(values: &[i64], out: &mut [f64]) {
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = value as f64);
    }

    fn to_ints(kind: ElemKind, values: &[i64], out: &mut [i64]) {
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = kind.wrap(value));
    }

    fn truth(self) -> i64 {
        (self != 0).into()
    }

    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }

    fn plus_product(self, a: i64, b: i64) -> i64 {
        self.wrapping_add(a.wrapping_mul(b))
    }

    fn add_products(products: Products, a: &[i64], b: &[i64], out: &mut [i64]) {
        let all = out.iter_mut().zip(a).zip(b);
        match products {
            Products::Wrapped(kind) => {
                all.for_each(|((out, a), b)| *out = out.wrapping_add(kind.wrap(a.wrapping_mul(*b))));
            }
            // Integers have nothing to round.
            _ => all.for_each(|((out, a), b)| *out = out.plus_product(*a, *b)),
        }
    }

    fn add_rows<'c>(products: Products, line: &[i64], rows: impl Iterator<Item = (i64, &'c mut [i64])>) {
        for (factor, row) in rows {
            let all = row.iter_mut().zip(line);
            match products {
                Products::Wrapped(kind) => {
                    all.for_each(|(out, b)| *out = out.wrapping_add(kind.wrap(factor.wrapping_mul(*b))));
                }
                _ => all.for_each(|(out, b)| *out = out.plus_product(factor, *b)),
            }
        }
    }

    fn gemm(sizes: Sizes, a: Matrix<'_, i64>, b: Matrix<'_, i64>, c: &mut [i64]) {
        let Sizes { m, n, k } = sizes;
        if n == 0 || k == 0 {
            return;
        }
        for (i, row) in c.chunks_mut(n).take(m).enumerate() {
            for p in 0..k {
                let factor = a.values[i * a.row_stride + p * a.column_stride];
                let other = b.values[p * b.row_stride..].iter().step_by(b.column_stride);
                row.iter_mut().zip(other).for_each(|(c, &b)| *c = c.plus_product(factor, b));
            }
        }
    }
}

/// Reads a view in row-major order. Axes that lie one after another in the buffer are read as one.
pub(super) struct Reader<'t> {
    data: &'t Data,
    kind: ElemKind,
    /// At least one axis.
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
    index: Vec<usize>,
    at: isize,
}

impl<'t> Reader<'t> {
    /// A reader of the elements of a tensor from the one at a place in row-major order.
    pub(super) fn new(tensor: &'t TensorValue, start: usize) -> Reader<'t> {
        let mut reader = Reader::over(tensor, &tensor.shape, &tensor.strides);
        reader.seek(start);
        reader
    }

    /// A reader of the buffer of a tensor by other sizes and strides.
    pub(super) fn over(tensor: &'t TensorValue, sizes: &[usize], by: &[isize]) -> Reader<'t> {
        let (mut shape, mut strides) = (vec![], vec![]);
        for (&size, &stride) in sizes.iter().zip(by).filter(|&(&size, _)| size != 1) {
            match (shape.last_mut(), strides.last_mut()) {
                (Some(last_size), Some(last)) if *last == stride * size as isize => {
                    (*last_size, *last) = (*last_size * size, stride)
                }
                _ => {
                    shape.push(size);
                    strides.push(stride);
                }
            }
        }
        if shape.is_empty() {
            shape.push(1);
            strides.push(0);
        }
        let index = vec![0; shape.len()];
        Reader {
            data: &tensor.data,
            kind: tensor.kind,
            shape,
            strides,
            offset: tensor.offset,
            index,
            at: tensor.offset,
        }
    }

    /// Goes to the element at a place in row-major order.
    pub(super) fn seek(&mut self, place: usize) {
        self.seek_from(place, 0);
    }

    /// Goes to the element at a place in row-major order of the view that lies `shift` further in the buffer.
    pub(super) fn seek_from(&mut self, mut place: usize, shift: isize) {
        self.at = self.offset + shift;
        for axis in (0..self.shape.len()).rev() {
            let size = self.shape[axis].max(1);
            // The quotient of the outermost axis is below its size; a division less.
            self.index[axis] = if axis == 0 || place < size { place } else { place % size };
            place = if place < size { 0 } else { place / size };
            self.at += self.index[axis] as isize * self.strides[axis];
        }
    }

    /// Where in the buffer the element at a place in row-major order is.
    pub(super) fn place_of(&mut self, place: usize) -> isize {
        self.seek(place);
        self.at
    }

    /// The next elements. There must be as many.
    pub(super) fn read<T: Load>(&mut self, mut out: &mut [T]) {
        let last = self.shape.len() - 1;
        while !out.is_empty() {
            let len = out.len().min(self.shape[last] - self.index[last]);
            let (now, later) = out.split_at_mut(len);
            T::load(self.data, self.kind, self.at, self.strides[last], now);
            out = later;
            self.index[last] += len;
            self.at += len as isize * self.strides[last];
            for axis in (1..=last).rev() {
                if self.index[axis] < self.shape[axis] {
                    break;
                }
                self.at += self.strides[axis - 1] - self.shape[axis] as isize * self.strides[axis];
                self.index[axis] = 0;
                self.index[axis - 1] += 1;
            }
        }
    }
}

/// Fills one block after the other.
pub(super) type Fill<'f, T> = Box<dyn FnMut(&mut [T]) + 'f>;

/// A new buffer of elements, on several threads. `fill` gives, for a place in row-major order, a function that is asked
/// for the numbers of one block after the other from there on; they are rounded or wrapped to the kind.
pub(super) fn build<'f, T: Lane>(kind: ElemKind, len: usize, fill: &(dyn Fn(usize) -> Fill<'f, T> + Sync)) -> Data {
    match kind {
        ElemKind::Float(FloatKind::F64) => Data::F64(stored(len, fill, &T::to_f64s)),
        ElemKind::Float(kind) => Data::F32(stored(len, fill, &|block, out| T::to_f32s(kind, block, out))),
        ElemKind::Int { .. } => Data::Int(stored(len, fill, &|block, out| T::to_ints(kind, block, out))),
    }
}

fn stored<'f, T: Lane, S: Send + Copy + Default>(
    len: usize,
    fill: &(dyn Fn(usize) -> Fill<'f, T> + Sync),
    store: &(dyn Fn(&[T], &mut [S]) + Sync),
) -> Vec<S> {
    let mut values = vec![S::default(); len];
    threads::each_chunk(&mut values, CHUNK, |index, chunk| {
        let mut fill = fill(index * CHUNK);
        let mut block = vec![T::default(); BLOCK.min(chunk.len())];
        for out in chunk.chunks_mut(BLOCK) {
            let block = &mut block[..out.len()];
            fill(block);
            store(block, out);
        }
    });
    values
}

/// A new buffer of these numbers, rounded or wrapped to the kind. Truth values say whether they are not zero.
pub(super) fn rounded<T: Lane>(kind: ElemKind, results: &[T]) -> Data {
    build(kind, results.len(), &|start| {
        let mut at = start;
        Box::new(move |out| {
            out.copy_from_slice(&results[at..at + out.len()]);
            at += out.len();
            if kind.is_bool() {
                out.iter_mut().for_each(|x| *x = x.truth());
            }
        })
    })
}
