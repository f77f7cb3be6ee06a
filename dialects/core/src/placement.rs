//! Where the elements of a tensor lie, for sizes that are known.

use dlc_ir::affine::SizeExpr;

use crate::layout::{Layout, SWIZZLE_ROWS};

/// Where the elements of a tensor lie in memory, counted in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    shape: Vec<usize>,
    form: Form,
    extent: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Row-major without gaps.
    Dense,
    Strided {
        strides: Vec<i64>,
        offset: i64,
    },
    /// The elements of a row and of a unit.
    Swizzled {
        row: usize,
        unit: usize,
    },
    Blocked {
        block: Vec<usize>,
    },
}

impl Placement {
    /// The row-major one without gaps.
    pub fn dense(shape: Vec<usize>) -> Placement {
        let extent = shape.iter().product();
        Placement { shape, form: Form::Dense, extent }
    }

    /// That of a layout for the sizes `shape`, whose elements have `bytes` bytes; `number` says what strides are.
    ///
    /// An error, as one sentence, where an element would lie before the first one, or beyond 2^62 elements.
    pub fn new(
        layout: &Layout,
        shape: Vec<usize>,
        bytes: usize,
        number: &dyn Fn(&SizeExpr) -> Result<i64, String>,
    ) -> Result<Placement, String> {
        let bytes = bytes.max(1);
        let too_large = || format!("a tensor of the sizes {shape:?} goes beyond 2^62 elements");
        let count = |sizes: &[usize]| {
            let count = sizes.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
            count.filter(|&count| count <= 1 << 62).ok_or_else(too_large)
        };
        let elements = count(&shape)?;
        let size = |size: usize| SizeExpr::from(size as i64);
        let (form, extent) = match layout {
            Layout::RowMajor => (Form::Dense, elements),
            Layout::ColMajor | Layout::Strided { .. } => {
                let dims: Vec<SizeExpr> = shape.iter().map(|&dim| size(dim)).collect();
                let (strides, offset) = layout.strides(&dims).ok_or_else(too_large)?;
                let strides = strides.iter().map(number).collect::<Result<Vec<i64>, String>>()?;
                let offset = number(&offset)?;
                let (mut low, mut high) = (i128::from(offset), i128::from(offset));
                for (&dim, &stride) in shape.iter().zip(&strides) {
                    let end = (dim as i128 - 1).max(0) * i128::from(stride);
                    low += end.min(0);
                    high += end.max(0);
                }
                if low < 0 && elements > 0 {
                    return Err(format!("an element would lie {} elements before the first one", -low));
                }
                let extent = if elements == 0 { 0 } else { high + 1 };
                let extent = usize::try_from(extent).ok().filter(|&extent| extent <= 1 << 62).ok_or_else(too_large)?;
                (Form::Strided { strides, offset }, extent)
            }
            Layout::Swizzled { bytes: row, vector } => {
                let of = |length: i64| (usize::try_from(length).unwrap_or(1) / bytes).max(1);
                (Form::Swizzled { row: of(*row), unit: of(*vector) }, elements.next_multiple_of(of(*row)))
            }
            Layout::Blocked { block } => {
                let block: Vec<usize> = block.iter().map(|&size| usize::try_from(size).unwrap_or(1).max(1)).collect();
                let whole: Vec<usize> =
                    shape.iter().zip(&block).map(|(size, block)| size.next_multiple_of(*block)).collect();
                let extent = count(&whole)?;
                (Form::Blocked { block }, extent)
            }
        };
        Ok(Placement { shape, form, extent })
    }

    /// Whether it is row-major without gaps.
    pub fn is_dense(&self) -> bool {
        match &self.form {
            Form::Dense => true,
            Form::Strided { strides, offset: 0 } => {
                let mut next = 1;
                strides.iter().zip(&self.shape).rev().all(|(&stride, &size)| {
                    let is = size == 1 || stride == next;
                    next *= size as i64;
                    is
                })
            }
            _ => false,
        }
    }

    /// The strides along the axes and the number of the first element; `None` where there are none.
    pub fn strides(&self) -> Option<(Vec<i64>, i64)> {
        match &self.form {
            Form::Dense => {
                let mut next = 1;
                let mut strides: Vec<i64> = self
                    .shape
                    .iter()
                    .rev()
                    .map(|&size| {
                        let stride = next;
                        next *= size as i64;
                        stride
                    })
                    .collect();
                strides.reverse();
                Some((strides, 0))
            }
            Form::Strided { strides, offset } => Some((strides.clone(), *offset)),
            _ => None,
        }
    }

    /// How many elements there are from the beginning of the memory to the end of the last one.
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// The number of the element at an index.
    pub fn place(&self, index: &[usize]) -> usize {
        let number = |shape: &[usize], index: &mut dyn Iterator<Item = usize>| {
            shape.iter().zip(index).fold(0, |number, (size, at)| number * size + at)
        };
        match &self.form {
            Form::Dense => number(&self.shape, &mut index.iter().copied()),
            Form::Strided { strides, offset } => {
                let sum = |sum: i64, (&at, &stride): (&usize, &i64)| sum + at as i64 * stride;
                index.iter().zip(strides).fold(*offset, sum) as usize
            }
            Form::Swizzled { row, unit } => {
                let at = number(&self.shape, &mut index.iter().copied());
                let mask = (row / unit).min(SWIZZLE_ROWS as usize) - 1;
                at / row * row + ((at % row / unit) ^ ((at / row) & mask)) * unit + at % unit
            }
            Form::Blocked { block } => {
                let pairs = || index.iter().zip(block);
                let blocks: Vec<usize> =
                    self.shape.iter().zip(block).map(|(size, block)| size.div_ceil(*block)).collect();
                let outer = number(&blocks, &mut pairs().map(|(at, size)| at / size));
                let inner = number(block, &mut pairs().map(|(at, size)| at % size));
                outer * block.iter().product::<usize>() + inner
            }
        }
    }

    /// Visits the places of all elements in row-major order.
    pub fn each(&self, visit: &mut dyn FnMut(usize)) {
        let count: usize = self.shape.iter().product();
        let mut index = vec![0; self.shape.len()];
        for _ in 0..count {
            visit(self.place(&index));
            for (at, &size) in index.iter_mut().zip(&self.shape).rev() {
                *at += 1;
                if *at < size {
                    break;
                }
                *at = 0;
            }
        }
    }

    /// The memory of elements that are given in row-major order, `width` bytes each; between them lies `gap`.
    pub fn spread(&self, dense: &[u8], width: usize, gap: u8) -> Vec<u8> {
        let mut memory = vec![gap; self.extent * width];
        let mut from = dense.chunks_exact(width.max(1));
        self.each(&mut |place| {
            if let Some(element) = from.next() {
                memory[place * width..][..width].copy_from_slice(element);
            }
        });
        memory
    }

    /// The elements in row-major order, `width` bytes each, of memory.
    pub fn gather(&self, memory: &[u8], width: usize) -> Vec<u8> {
        let mut dense = Vec::with_capacity(self.shape.iter().product::<usize>() * width);
        self.each(&mut |place| dense.extend_from_slice(&memory[place * width..][..width]));
        dense
    }
}
