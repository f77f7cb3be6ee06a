//! Elements at indices that are themselves elements.

use dlc_ir::Context;

use super::read::{Load, Reader};
use super::views::product;
use super::{Data, TensorValue, broadcast_shapes, count, threads};

impl TensorValue {
    /// The parts of the tensor at indices of its leading axes, one tensor of them for each axis. The sizes are those
    /// that the indices have together, then those of the other axes. Zeros where an index is outside of its axis.
    ///
    /// Errors when there are more indices than axes, when they are no integers, or their sizes do not go together.
    pub fn gather(&self, ctx: &Context, indices: &[&TensorValue]) -> Result<TensorValue, String> {
        if indices.len() > self.rank() {
            return Err(format!("{} indices are given for the sizes {:?}", indices.len(), self.shape));
        }
        if let Some(float) = indices.iter().find(|index| index.kind.is_float()) {
            return Err(format!("indices must be integers, not {}", float.elem.display(ctx)));
        }
        let outer = broadcast_shapes(&indices.iter().map(|index| index.shape()).collect::<Vec<_>>())?;
        let shape = [&outer[..], &self.shape[indices.len()..]].concat();
        count(&shape)?;
        let wide = indices.iter().map(|index| index.broadcast_to(&outer)).collect::<Result<Vec<_>, _>>()?;
        // Where each part begins in the buffer, unless it is outside.
        let mut starts = vec![Some(0isize); count(&outer)?];
        for ((index, &size), &stride) in wide.iter().zip(&self.shape).zip(&self.strides) {
            for (start, at) in starts.iter_mut().zip(index.to_i64s()) {
                // ui64 beyond the positive i64 is beyond every axis as well.
                let inside = usize::try_from(at).is_ok_and(|at| at < size);
                *start = start.filter(|_| inside).map(|start| start.wrapping_add(stride.wrapping_mul(at as isize)));
            }
        }
        Ok(TensorValue::dense(shape, self.elem, self.kind, self.parts_at(indices.len(), &starts)))
    }

    /// The elements at places of the buffer, after the first; zero where there is none.
    pub(super) fn pick(&self, shape: &[usize], starts: &[Option<isize>]) -> TensorValue {
        TensorValue::dense(shape.to_vec(), self.elem, self.kind, self.parts_at(self.rank(), starts))
    }

    fn parts_at(&self, indexed: usize, starts: &[Option<isize>]) -> Data {
        match &*self.data {
            Data::F32(_) => Data::F32(self.parts(indexed, starts)),
            Data::F64(_) => Data::F64(self.parts(indexed, starts)),
            Data::Int(_) => Data::Int(self.parts(indexed, starts)),
        }
    }

    fn parts<T: Load>(&self, indexed: usize, starts: &[Option<isize>]) -> Vec<T> {
        let (sizes, strides) = (&self.shape[indexed..], &self.strides[indexed..]);
        let len = product(sizes);
        let mut out = vec![T::default(); len * starts.len()];
        let parts_at_once = (super::read::CHUNK / len.max(1)).max(1);
        threads::each_chunk(&mut out, parts_at_once * len, |index, chunk| {
            let mut reader = Reader::over(self, sizes, strides);
            for (part, start) in chunk.chunks_mut(len).zip(&starts[index * parts_at_once..]) {
                if let Some(start) = *start {
                    reader.seek_from(0, start);
                    reader.read(part);
                }
            }
        });
        out
    }
}
