//! Files of arrays: `.npy` holds one, `.npz` and `.safetensors` hold several by name.
//!
//! Numpy has no bf16 and no f8. Such arrays are written as unsigned integers of the same width that hold their bits,
//! and read from those, or from the raw type (`V2`, `V1`) that the package `ml_dtypes` saves. Safetensors has types of
//! its own for them.

mod npy;
mod npz;
mod safetensors;

use std::fs::File;
use std::io::{BufReader, Seek};

use dlc_ir::float::{decode, encode};
use dlc_ir::types::{FloatKind, Signedness};
use dlc_ir::{Context, Type, TypeData};
use dlc_opt::numbers::{Numbers, Values};
use dlc_opt::output::write_file;

#[cfg(test)]
mod tests;

/// An array as a file holds it.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// The sizes.
    pub shape: Vec<usize>,
    /// The type of the elements.
    pub elem: Elem,
    /// The elements in row-major order, each [`Elem::size`] bytes, the lowest first.
    pub bytes: Vec<u8>,
}

/// The type of an element in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// A byte that is 0 or 1.
    Bool,
    /// An integer of 8, 16, 32 or 64 bits, in two's complement when it is signed.
    Int {
        /// Its width.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A float of a whole number of bytes.
    Float(FloatKind),
    /// This many bytes that the file says nothing about.
    Raw(usize),
}

impl Elem {
    /// How a file holds elements of a type; `None` for types that files have no way for, such as `i4` and `tf32`.
    pub fn of(ctx: &Context, ty: Type) -> Option<Elem> {
        match *ctx.type_data(ty) {
            TypeData::Index => Some(Elem::Int { bits: 64, signed: true }),
            TypeData::Integer { width: 1, .. } => Some(Elem::Bool),
            TypeData::Integer { width: bits @ (8 | 16 | 32 | 64), sign } => {
                Some(Elem::Int { bits, signed: sign != Signedness::Unsigned })
            }
            TypeData::Float(kind) if kind.bits() % 8 == 0 => Some(Elem::Float(kind)),
            _ => None,
        }
    }

    /// In bytes.
    pub fn size(self) -> usize {
        match self {
            Elem::Bool => 1,
            Elem::Int { bits, .. } => bits as usize / 8,
            Elem::Float(kind) => kind.bits() as usize / 8,
            Elem::Raw(size) => size,
        }
    }

    /// What numpy calls it; the name of `ml_dtypes` where numpy has none.
    pub fn name(self) -> String {
        match self {
            Elem::Bool => "bool".to_string(),
            Elem::Int { bits, signed: true } => format!("int{bits}"),
            Elem::Int { bits, signed: false } => format!("uint{bits}"),
            Elem::Float(FloatKind::BF16) => "bfloat16".to_string(),
            Elem::Float(FloatKind::F8E4M3FN) => "float8_e4m3fn".to_string(),
            Elem::Float(FloatKind::F8E5M2) => "float8_e5m2".to_string(),
            Elem::Float(kind) => format!("float{}", kind.bits()),
            Elem::Raw(size) => format!("void{}", 8 * size),
        }
    }

    /// The type by which a numpy file holds it: bits for floats that numpy does not know.
    fn in_numpy(self) -> Elem {
        match self {
            Elem::Float(FloatKind::BF16 | FloatKind::F8E4M3FN | FloatKind::F8E5M2) => {
                Elem::Int { bits: 8 * self.size() as u32, signed: false }
            }
            other => other,
        }
    }

    /// What files may call it, for messages: `bfloat16 (or its bits as uint16)`.
    pub fn names_in_files(self) -> String {
        match self.in_numpy() == self {
            true => self.name(),
            false => format!("{} (or its bits as {})", self.name(), self.in_numpy().name()),
        }
    }

    /// Whether elements of this type, in a file, are elements of `wanted`: the same type, or its bits.
    pub fn is_read_as(self, wanted: Elem) -> bool {
        let bits = self == wanted.in_numpy() || self == Elem::Raw(wanted.size());
        self == wanted || (wanted.in_numpy() != wanted && bits)
    }
}

impl std::str::FromStr for Elem {
    type Err = String;

    /// The type of a name that [`Elem::name`] gives.
    fn from_str(name: &str) -> Result<Elem, String> {
        let ints = [8, 16, 32, 64].into_iter().flat_map(|bits| [true, false].map(|signed| Elem::Int { bits, signed }));
        let floats =
            [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64, FloatKind::F8E4M3FN, FloatKind::F8E5M2];
        let mut all = ints.chain(floats.map(Elem::Float)).chain([Elem::Bool]);
        all.find(|elem| elem.name() == name).ok_or_else(|| format!("there are no arrays of {name}"))
    }
}

impl Array {
    /// The number of elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.elem.size()
    }

    /// The bits of the elements in order.
    pub fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.chunks_exact(self.elem.size()).map(|bytes| {
            let mut bits = [0; 8];
            bits[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(bits)
        })
    }

    /// The array of elements with these bits.
    pub fn from_bits(shape: Vec<usize>, elem: Elem, bits: impl Iterator<Item = u64>) -> Array {
        let bytes = bits.flat_map(|bits| bits.to_le_bytes().into_iter().take(elem.size())).collect();
        Array { shape, elem, bytes }
    }
}

/// Between arrays and the numbers of a program.
impl Array {
    /// The array of numbers; `None` where files have no way for the type of the elements.
    pub fn of(ctx: &Context, values: &Values) -> Option<Array> {
        let (shape, elem) = (values.shape.clone(), Elem::of(ctx, values.elem)?);
        let float = values.elem.float_kind(ctx);
        Some(match (&values.numbers, float) {
            (Numbers::Int(values), _) => Array::from_bits(shape, elem, values.iter().map(|&value| value as u64)),
            (Numbers::Float(values), Some(kind)) => {
                Array::from_bits(shape, elem, values.iter().map(|&value| encode(value, kind)))
            }
            (Numbers::Float(_), None) => return None,
        })
    }

    /// The elements as numbers of a type that they are read as ([`Elem::is_read_as`]).
    pub fn numbers(&self, elem: Elem) -> Numbers {
        match elem {
            Elem::Float(kind) => Numbers::Float(self.bits().map(|bits| decode(bits, kind)).collect()),
            Elem::Bool => Numbers::Int(self.bits().map(|bits| i64::from(bits != 0)).collect()),
            Elem::Int { bits: width, signed: true } => {
                let unused = 64 - width;
                Numbers::Int(self.bits().map(|bits| (bits << unused) as i64 >> unused).collect())
            }
            Elem::Int { signed: false, .. } | Elem::Raw(_) => {
                Numbers::Int(self.bits().map(|bits| bits as i64).collect())
            }
        }
    }
}

/// What the name of a file says that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One array.
    Npy,
    /// A ZIP archive of such files.
    Npz,
    /// The format of the library of this name.
    Safetensors,
}

impl Format {
    /// The format that a name ends with.
    pub fn of(file: &str) -> Result<Format, String> {
        match file.rsplit_once('.').map(|(_, extension)| extension) {
            Some("npy") => Ok(Format::Npy),
            Some("npz") => Ok(Format::Npz),
            Some("safetensors") => Ok(Format::Safetensors),
            _ => {
                // As where several sizes are taken for several arguments.
                let size =
                    file.parse::<u64>().map_or(String::new(), |size| format!("; a size is given as --shape=M={size}"));
                Err(format!("'{file}' is no file of arrays: the name must end with .npy, .npz or .safetensors{size}"))
            }
        }
    }
}

/// A file of arrays that is open.
#[derive(Debug)]
pub enum Source {
    /// The only array, in a file of so many bytes.
    One(BufReader<File>, u64),
    /// Arrays by name, read as they are asked for.
    Npz(npz::Archive),
    /// Arrays by name, read as they are asked for.
    Safetensors(safetensors::Arrays),
}

impl Source {
    /// Opens a file, and reads none of its elements. What is wrong with it is one sentence.
    pub fn open(name: &str) -> Result<Source, String> {
        let format = Format::of(name)?;
        let cannot = |reason: String| format!("'{name}' cannot be read: {reason}");
        // A pipe could be waited for without end, and is over when it was read once.
        let about = std::fs::metadata(name).map_err(|error| cannot(error.to_string()))?;
        if !about.is_file() {
            return Err(cannot("it is no plain file".into()));
        }
        let size = about.len();
        let file = File::open(name).map_err(|error| cannot(error.to_string()))?;
        let file = BufReader::new(file);
        match format {
            Format::Npy => Ok(Source::One(file, size)),
            Format::Npz => npz::Archive::open(file).map(Source::Npz),
            Format::Safetensors => safetensors::Arrays::open(file, size).map(Source::Safetensors),
        }
        .map_err(cannot)
    }

    /// The names of the arrays, in the order of the file; `None` when there is only one and it has none.
    pub fn names(&self) -> Option<Vec<String>> {
        match self {
            Source::One(..) => None,
            Source::Npz(archive) => Some(archive.names()),
            Source::Safetensors(arrays) => Some(arrays.names()),
        }
    }

    /// The array of a name that [`Source::names`] has; the only one, whatever the name. One of more than `limit` bytes is
    /// refused before it is read.
    pub fn get(&mut self, name: &str, limit: u64) -> Result<Array, String> {
        match self {
            Source::One(file, size) => {
                file.rewind().map_err(|error| error.to_string())?;
                npy::read(file, *size, limit)
            }
            Source::Npz(archive) => archive.get(name, limit),
            Source::Safetensors(arrays) => arrays.get(name, limit),
        }
    }
}

/// How many bytes an array may have that should have so many elements: what those take of any type, and some more, so
/// that a wrong type or size is reported as such. Where the number is not known, as much as most arrays have.
pub fn usual_limit(count: Option<u64>) -> u64 {
    count.map_or(1 << 30, |count| count.saturating_mul(8).saturating_add(1 << 16))
}

/// Whether so many bytes are not too many.
fn within(len: u64, limit: u64) -> Result<(), String> {
    match len <= limit {
        true => Ok(()),
        false => Err(format!("it claims to have {len} bytes, more than {limit}; --max-bytes={len} lets it be read")),
    }
}

/// Writes arrays to a file, whole or not at all. A `.npy` file takes exactly one.
pub fn write(name: &str, arrays: &[(String, Array)]) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("'{name}' cannot be written: {error}");
    match Format::of(name)? {
        Format::Npy => match arrays {
            [(_, array)] => write_file(name, |file| npy::write(array, file)).map_err(cannot),
            _ => Err(format!("'{name}' takes one output, and there are {}", arrays.len())),
        },
        Format::Npz => write_file(name, |file| npz::write(arrays, file)).map_err(cannot),
        Format::Safetensors => write_file(name, |file| safetensors::write(arrays, file)).map_err(cannot),
    }
}

/// The number of bytes of an array, checked; such a number of them may still be too many for the memory.
pub(crate) fn byte_len(shape: &[usize], size: usize) -> Result<usize, String> {
    let len = shape.iter().try_fold(size, |len, &size| len.checked_mul(size));
    len.filter(|&len| isize::try_from(len).is_ok())
        .ok_or_else(|| format!("an array of the sizes {shape:?} is larger than any memory"))
}
