//! Arrays by name in a `.safetensors` file.

use std::io::{Read, Write};

use dlc_ir::types::FloatKind;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::{Array, Elem};

/// A file that was read.
#[derive(Debug)]
pub struct Arrays(Vec<u8>);

impl Arrays {
    /// Reads a file and checks that it is whole.
    pub fn read(mut from: impl Read) -> Result<Arrays, String> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        SafeTensors::deserialize(&bytes).map_err(|error| error.to_string())?;
        Ok(Arrays(bytes))
    }

    /// The names of the arrays, in order.
    pub fn names(&self) -> Vec<String> {
        let tensors = SafeTensors::deserialize(&self.0);
        let mut names: Vec<String> = tensors.iter().flat_map(SafeTensors::names).map(str::to_string).collect();
        dlc_ir::sort::sort(&mut names);
        names
    }

    /// The array of a name.
    pub fn get(&self, name: &str) -> Result<Array, String> {
        let tensors = SafeTensors::deserialize(&self.0).map_err(|error| error.to_string())?;
        let view = tensors.tensor(name).map_err(|error| error.to_string())?;
        let elem = DTYPES.iter().find(|(dtype, _)| *dtype == view.dtype()).map(|(_, elem)| *elem);
        let elem = elem.ok_or_else(|| format!("its elements are {:?}, which dlc has no type for", view.dtype()))?;
        Ok(Array { shape: view.shape().to_vec(), elem, bytes: view.data().to_vec() })
    }
}

/// The types that both sides have.
const DTYPES: [(Dtype, Elem); 15] = [
    (Dtype::BOOL, Elem::Bool),
    (Dtype::I8, Elem::Int { bits: 8, signed: true }),
    (Dtype::I16, Elem::Int { bits: 16, signed: true }),
    (Dtype::I32, Elem::Int { bits: 32, signed: true }),
    (Dtype::I64, Elem::Int { bits: 64, signed: true }),
    (Dtype::U8, Elem::Int { bits: 8, signed: false }),
    (Dtype::U16, Elem::Int { bits: 16, signed: false }),
    (Dtype::U32, Elem::Int { bits: 32, signed: false }),
    (Dtype::U64, Elem::Int { bits: 64, signed: false }),
    (Dtype::F16, Elem::Float(FloatKind::F16)),
    (Dtype::BF16, Elem::Float(FloatKind::BF16)),
    (Dtype::F32, Elem::Float(FloatKind::F32)),
    (Dtype::F64, Elem::Float(FloatKind::F64)),
    (Dtype::F8_E4M3, Elem::Float(FloatKind::F8E4M3FN)),
    (Dtype::F8_E5M2, Elem::Float(FloatKind::F8E5M2)),
];

/// Writes arrays.
pub fn write(arrays: &[(String, Array)], to: &mut dyn Write) -> std::io::Result<()> {
    let views = arrays.iter().map(|(name, array)| Ok((name.as_str(), view(array)?)));
    let views = views.collect::<std::io::Result<Vec<_>>>()?;
    to.write_all(&safetensors::serialize(views, None).map_err(std::io::Error::other)?)
}

fn view(array: &Array) -> std::io::Result<TensorView<'_>> {
    let dtype = DTYPES.iter().find(|(_, elem)| *elem == array.elem).map(|(dtype, _)| *dtype);
    let dtype = dtype.ok_or_else(|| std::io::Error::other(format!("there is no type for {}", array.elem.name())))?;
    TensorView::new(dtype, array.shape.clone(), &array.bytes).map_err(std::io::Error::other)
}
