//! Arrays by name in a `.safetensors` file.

use std::fmt::Formatter;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

use dlc_ir::types::FloatKind;
use safetensors::tensor::{Dtype, Metadata, TensorView};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Array, Elem, byte_len, within};

/// The longest header that is read.
const MAX_HEADER: u64 = 16 << 20;

/// A file that is open, of which the header was read.
#[derive(Debug)]
pub struct Arrays {
    file: BufReader<File>,
    tensors: Metadata,
    /// Where the elements begin.
    start: u64,
}

/// The names in a header, in its order and as often as they are there.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Names;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Names, M::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

impl Arrays {
    /// Reads the header of a file of `size` bytes, and checks that the file is what it says.
    pub fn open(mut file: BufReader<File>, size: u64) -> Result<Arrays, String> {
        let mut len = [0; 8];
        file.read_exact(&mut len).map_err(|_| "it does not begin as a .safetensors file does".to_string())?;
        let len = u64::from_le_bytes(len);
        if len > size.saturating_sub(8) {
            return Err(format!("its header has {len} bytes, and the file {size}"));
        }
        if len > MAX_HEADER {
            return Err(format!("its header has {len} bytes, more than the {MAX_HEADER} that are read"));
        }
        let mut header = Vec::new();
        file.by_ref().take(len).read_to_end(&mut header).map_err(|error| error.to_string())?;
        let Names(mut names) = serde_json::from_slice(&header).map_err(|error| format!("its header: {error}"))?;
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("it holds two arrays of one name, '{}'", twice[0]));
        }
        // The sizes of each array and its place are compared in there.
        let tensors: Metadata = serde_json::from_slice(&header).map_err(|error| format!("its header: {error}"))?;
        let start = 8 + len;
        if (tensors.data_len() as u64).checked_add(start) != Some(size) {
            let held = tensors.data_len();
            return Err(format!("its header says that arrays have {held} bytes, and there are {}", size - start));
        }
        Ok(Arrays { file, tensors, start })
    }

    /// The names of the arrays, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.tensors.offset_keys();
        names.sort();
        names
    }

    /// The array of a name, if it has no more than `limit` bytes.
    pub fn get(&mut self, name: &str, limit: u64) -> Result<Array, String> {
        let info = self.tensors.info(name).ok_or_else(|| format!("there is no array '{name}'"))?;
        let elem = DTYPES.iter().find(|(dtype, _)| *dtype == info.dtype).map(|(_, elem)| *elem);
        let elem = elem.ok_or_else(|| format!("its elements are {:?}, which dlc has no type for", info.dtype))?;
        let len = byte_len(&info.shape, elem.size())?;
        within(len as u64, limit)?;
        let mut bytes = Vec::new();
        let to = SeekFrom::Start(self.start + info.data_offsets.0 as u64);
        let read = self.file.seek(to).and_then(|_| self.file.by_ref().take(len as u64).read_to_end(&mut bytes));
        read.map_err(|error| error.to_string())?;
        if bytes.len() < len {
            return Err(format!("it ends after {} of the {len} bytes of its elements", bytes.len()));
        }
        Ok(Array { shape: info.shape.clone(), elem, bytes })
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
