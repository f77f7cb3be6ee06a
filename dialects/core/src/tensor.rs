//! Tensors while a program runs.
//!
//! A [`TensorValue`] is a strided view of a shared buffer, so that views cost nothing but a new shape: `views` has
//! them. What computes fills a new buffer: elementwise functions (`map`), casts, reductions, contractions and gathers.
//! All of it reads its operands in row-major order through one reader (`read`) and runs on several threads
//! (`threads`); how many changes no result.
//!
//! 32-bit floats or fewer lie in `f32`, which holds them exactly, `f64` in `f64`, integers and `i1` in `i64`.
//! Arithmetic is done in `f64` or wrapping `i64`, and rounded or wrapped once to the type of the result.
//!
//! Wrong arguments give an error in words; only [`TensorValue::at`] panics.

mod cast;
mod contract;
mod copy;
mod gather;
mod kind;
mod map;
mod positions;
mod read;
mod reduce;
mod scan;
mod sort;
mod threads;
mod views;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use dlc_ir::interp::Datum;
use dlc_ir::{Context, Type};

pub use contract::{Access, Contraction};
pub use kind::ElemKind;
pub use positions::{Points, Position};
pub use reduce::Combine;
pub use scan::Scan;
pub use threads::with_threads;
pub use views::broadcast_shapes;

use read::{Lane, Load, Reader};

/// The most elements that a buffer may have while a program runs. A view may have more, as it repeats elements.
pub const MAX_ELEMENTS: usize = 1 << 28;

/// The number of elements of a shape. Errors when there are more than [`MAX_ELEMENTS`].
pub fn count(shape: &[usize]) -> Result<usize, String> {
    let count = views::length(shape).ok().filter(|&count| count <= MAX_ELEMENTS);
    count.ok_or_else(|| {
        format!("a tensor of the sizes {shape:?} has more than {MAX_ELEMENTS} elements, too many to run")
    })
}

/// The most elements that an op may combine, those that a view repeats included: minutes of work for a sum.
pub const MAX_COMBINED: usize = 1 << 36;

/// The most products that a contraction may sum, of at most [`MAX_ELEMENTS`] for each result. They cost less than the
/// elements of a sum.
pub const MAX_PRODUCTS: usize = 1 << 42;

/// Errors when there is more work after the sizes than `most`, which would seem to go on forever.
fn expect_work(shape: &[usize], most: usize) -> Result<(), String> {
    match views::product(shape) <= most {
        true => Ok(()),
        false => Err(format!("more than {most} elements would be combined, those of the sizes {shape:?}")),
    }
}

/// The elements of a buffer.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// 32-bit floats or fewer, each exactly a number of its type.
    F32(Vec<f32>),
    /// `f64`.
    F64(Vec<f64>),
    /// Integers of up to 64 bits, sign-extended or zero-extended as their type says; `ui64` as its bits.
    Int(Vec<i64>),
}

impl Data {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            Data::F32(values) => values.len(),
            Data::F64(values) => values.len(),
            Data::Int(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A tensor of known sizes: a view of a shared buffer. Cloning it copies no elements.
#[derive(Clone, Debug)]
pub struct TensorValue {
    shape: Vec<usize>,
    /// How far apart in the buffer the neighbours of each axis are.
    strides: Vec<isize>,
    /// Where in the buffer the element at index 0 is.
    offset: isize,
    elem: Type,
    kind: ElemKind,
    data: Arc<Data>,
}

impl TensorValue {
    /// The tensor of these scalars in row-major order, each rounded or wrapped to the type.
    ///
    /// Errors when their number is not that of the shape, and for an integer among floats or the reverse.
    pub fn new(ctx: &Context, shape: Vec<usize>, elem: Type, elements: Vec<Datum>) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        let wrong = |datum: &Datum| format!("{datum:?} is given for an element of type {}", elem.display(ctx));
        if kind.is_float() {
            let float = |datum: &Datum| datum.as_float().ok_or_else(|| wrong(datum));
            TensorValue::from_f64(ctx, shape, elem, elements.iter().map(float).collect::<Result<_, _>>()?)
        } else {
            let int = |datum: &Datum| datum.as_int().map(|value| value as i64).ok_or_else(|| wrong(datum));
            TensorValue::from_i64(ctx, shape, elem, elements.iter().map(int).collect::<Result<_, _>>()?)
        }
    }

    /// The tensor of these numbers in row-major order, each rounded to the type; for integers truncated and wrapped.
    ///
    /// Errors when their number is not that of the shape.
    pub fn from_f64(ctx: &Context, shape: Vec<usize>, elem: Type, values: Vec<f64>) -> Result<TensorValue, String> {
        TensorValue::from_lanes(ctx, shape, elem, values)
    }

    /// The tensor of these numbers in row-major order, each wrapped to the type; for floats rounded.
    ///
    /// Errors when their number is not that of the shape.
    pub fn from_i64(ctx: &Context, shape: Vec<usize>, elem: Type, values: Vec<i64>) -> Result<TensorValue, String> {
        TensorValue::from_lanes(ctx, shape, elem, values)
    }

    fn from_lanes<T: Lane>(ctx: &Context, shape: Vec<usize>, elem: Type, values: Vec<T>) -> Result<Self, String> {
        let kind = ElemKind::known(ctx, elem)?;
        expect_count(&shape, values.len())?;
        let data = read::build(kind, values.len(), &|start| {
            let mut rest = &values[start..];
            Box::new(move |block| {
                let (now, later) = rest.split_at(block.len());
                block.copy_from_slice(now);
                rest = later;
            })
        });
        Ok(TensorValue::dense(shape, elem, kind, data))
    }

    /// The tensor of a buffer in row-major order.
    ///
    /// Errors when their number is not that of the shape, and when a value is not one of the type.
    pub fn from_data(ctx: &Context, shape: Vec<usize>, elem: Type, data: Data) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        expect_count(&shape, data.len())?;
        let outside = match &data {
            Data::F32(values) if kind.is_float() && !kind.is_f64() => {
                let wrong = values.iter().find(|&&x| !x.is_nan() && kind.round(x.into()) != f64::from(x));
                wrong.map(|value| value.to_string())
            }
            Data::F64(_) if kind.is_f64() => None,
            Data::Int(values) if !kind.is_float() => {
                values.iter().find(|&&x| kind.wrap(x) != x).map(|value| value.to_string())
            }
            _ => Some("a buffer of another kind".into()),
        };
        match outside {
            None => Ok(TensorValue::dense(shape, elem, kind, data)),
            Some(value) => Err(format!("{value} is no element of type {}", elem.display(ctx))),
        }
    }

    /// One number everywhere, stored once.
    ///
    /// Errors for an integer of a float type or the reverse.
    pub fn splat(ctx: &Context, shape: Vec<usize>, elem: Type, value: &Datum) -> Result<TensorValue, String> {
        TensorValue::new(ctx, vec![], elem, vec![value.clone()])?.broadcast_to(&shape)
    }

    /// The index along an axis, rounded or wrapped to the type. Stores one element for each index of the axis.
    ///
    /// Errors when there is no such axis.
    pub fn iota(ctx: &Context, shape: Vec<usize>, elem: Type, axis: usize) -> Result<TensorValue, String> {
        let Some(&size) = shape.get(axis) else {
            return Err(format!("there is no axis {axis} in the sizes {shape:?}"));
        };
        let size = count(&[size])?;
        TensorValue::from_i64(ctx, vec![size], elem, (0..size as i64).collect())?.broadcast_in_dim(&shape, &[axis])
    }

    /// A buffer in row-major order, as long as the shape says.
    fn dense(shape: Vec<usize>, elem: Type, kind: ElemKind, data: Data) -> TensorValue {
        let strides = views::dense_strides(&shape);
        TensorValue { shape, strides, offset: 0, elem, kind, data: Arc::new(data) }
    }

    /// The sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How far apart in the buffer the neighbours of each axis are, in elements; 0 where one element is repeated.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        views::product(&self.shape)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The type of the elements.
    pub fn elem(&self) -> Type {
        self.elem
    }

    /// What numbers the elements are.
    pub fn kind(&self) -> ElemKind {
        self.kind
    }

    /// The element at an index.
    ///
    /// # Panics
    /// If the index is outside of the sizes.
    pub fn at(&self, index: &[usize]) -> Datum {
        let inside = index.len() == self.rank() && index.iter().zip(&self.shape).all(|(at, size)| at < size);
        assert!(inside, "{index:?} is outside of the sizes {:?}", self.shape);
        let steps = index.iter().zip(&self.strides).map(|(&at, &stride)| at as isize * stride);
        self.datum((self.offset + steps.sum::<isize>()) as usize)
    }

    fn datum(&self, at: usize) -> Datum {
        match &*self.data {
            Data::F32(values) => Datum::Float(values[at].into()),
            Data::F64(values) => Datum::Float(values[at]),
            Data::Int(values) if self.kind.is_u64() => Datum::Int((values[at] as u64).into()),
            Data::Int(values) => Datum::Int(values[at].into()),
        }
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> Vec<Datum> {
        match &*self.data {
            Data::Int(_) if self.kind.is_u64() => {
                self.to_i64s().into_iter().map(|x| Datum::Int((x as u64).into())).collect()
            }
            Data::Int(_) => self.to_i64s().into_iter().map(|x| Datum::Int(x.into())).collect(),
            _ => self.to_f64s().into_iter().map(Datum::Float).collect(),
        }
    }

    /// The elements in row-major order as `f64`.
    pub fn to_f64s(&self) -> Vec<f64> {
        self.copied()
    }

    /// The elements in row-major order as `i64`: `ui64` as its bits, floats truncated as [`TensorValue::cast`] does.
    pub fn to_i64s(&self) -> Vec<i64> {
        self.copied()
    }

    /// The buffer in row-major order when the tensor is contiguous and fills it: what writes a tensor out needs no copy.
    pub fn as_data(&self) -> Option<&Data> {
        (self.is_contiguous() && self.offset == 0 && self.data.len() == self.len()).then_some(&self.data)
    }

    /// The number that every element is, bit by bit. `None` when they differ, and for a tensor without elements.
    pub fn splat_value(&self) -> Option<Datum> {
        if self.is_empty() {
            return None;
        }
        let first = self.datum(self.offset as usize);
        let repeats = self.shape.iter().zip(&self.strides).all(|(&size, &stride)| size == 1 || stride == 0);
        (repeats || self.all_equal(&first)).then_some(first)
    }

    fn all_equal(&self, first: &Datum) -> bool {
        fn all<T: Load>(view: &TensorValue, equal: impl Fn(&T) -> bool) -> bool {
            let (mut reader, mut block) = (Reader::new(view, 0), vec![T::default(); read::BLOCK.min(view.len())]);
            let mut left = view.len();
            while left > 0 {
                let block = &mut block[..left.min(read::BLOCK)];
                reader.read(block);
                if !block.iter().all(&equal) {
                    return false;
                }
                left -= block.len();
            }
            true
        }
        match *first {
            Datum::Float(first) => all(self, |x: &f64| x.to_bits() == first.to_bits()),
            Datum::Int(first) => all(self, |&x: &i64| x == first as i64),
            Datum::Opaque(_) => false,
        }
    }
}

/// Equal sizes, types and elements, bit by bit; the layout does not matter.
impl PartialEq for TensorValue {
    fn eq(&self, other: &TensorValue) -> bool {
        let bits = |tensor: &TensorValue| -> Vec<u64> { tensor.to_f64s().into_iter().map(f64::to_bits).collect() };
        self.shape == other.shape
            && self.elem == other.elem
            && match self.kind.is_float() {
                true => bits(self) == bits(other),
                false => self.to_i64s() == other.to_i64s(),
            }
    }
}

fn expect_count(shape: &[usize], given: usize) -> Result<(), String> {
    match count(shape)? == given {
        true => Ok(()),
        false => Err(format!("{given} elements are given for the sizes {shape:?}")),
    }
}
