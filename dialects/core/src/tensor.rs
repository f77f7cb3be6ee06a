//! Tensors while a program runs.

use dlc_ir::Type;
use dlc_ir::interp::Datum;

/// A tensor of known sizes, its elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorValue {
    shape: Vec<usize>,
    elem: Type,
    elements: Vec<Datum>,
}

/// The most elements that a tensor may have while a program runs.
pub const MAX_ELEMENTS: usize = 1 << 22;

/// The number of elements of a shape. Errors when there are more than [`MAX_ELEMENTS`].
pub fn count(shape: &[usize]) -> Result<usize, String> {
    let count = shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    count.filter(|&count| count <= MAX_ELEMENTS).ok_or_else(|| {
        format!("a tensor of the sizes {shape:?} has more than {MAX_ELEMENTS} elements, too many to run")
    })
}

/// Calls a function with every index below the sizes, the last axis fastest.
pub fn for_each_index(shape: &[usize], mut each: impl FnMut(&[usize]) -> Result<(), String>) -> Result<(), String> {
    let mut index = vec![0; shape.len()];
    for _ in 0..count(shape)? {
        each(&index)?;
        for (at, &size) in index.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < size {
                break;
            }
            *at = 0;
        }
    }
    Ok(())
}

impl TensorValue {
    /// The tensor of these elements.
    pub fn new(shape: Vec<usize>, elem: Type, elements: Vec<Datum>) -> Result<TensorValue, String> {
        match count(&shape)? == elements.len() {
            true => Ok(TensorValue { shape, elem, elements }),
            false => Err(format!("{} elements are given for the sizes {shape:?}", elements.len())),
        }
    }

    /// The tensor whose element at each index is what a function says.
    pub fn from_fn(
        shape: Vec<usize>,
        elem: Type,
        mut element: impl FnMut(&[usize]) -> Result<Datum, String>,
    ) -> Result<TensorValue, String> {
        let mut elements = Vec::with_capacity(count(&shape)?);
        for_each_index(&shape, |index| {
            elements.push(element(index)?);
            Ok(())
        })?;
        Ok(TensorValue { shape, elem, elements })
    }

    /// The sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type of the elements.
    pub fn elem(&self) -> Type {
        self.elem
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> &[Datum] {
        &self.elements
    }

    /// The element at an index.
    ///
    /// # Panics
    /// If the index is outside of the sizes.
    pub fn at(&self, index: &[usize]) -> &Datum {
        let offset = self.shape.iter().zip(index).fold(0, |offset, (&size, &at)| offset * size + at);
        &self.elements[offset]
    }

    /// The element at the end of a longer index, axes of size 1 repeated: how a tensor is read that is broadcast.
    ///
    /// # Panics
    /// If the index is outside of the sizes.
    pub fn broadcast_at(&self, index: &[usize]) -> &Datum {
        let own = &index[index.len() - self.shape.len()..];
        let at = |(&size, &at): (&usize, &usize)| if size == 1 { 0 } else { at };
        let offset = self.shape.iter().zip(own).fold(0, |offset, pair| offset * pair.0 + at(pair));
        &self.elements[offset]
    }
}
