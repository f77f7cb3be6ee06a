//! One array: a header, which the crate `npyz` reads and writes, and the bytes of the elements.

use std::io::{Read, Write};

use dlc_ir::pass::panics::catch;
use dlc_ir::types::FloatKind;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder};

use super::{Array, Elem, byte_len, within};

/// The longest header that is read: numpy's own limit.
const MAX_HEADER: usize = 10_000;

/// Reads an array from what holds `size` bytes, if its elements have no more than `limit`: what the header claims is
/// compared with both before any element is read. What stands after the array is left unread.
pub fn read(mut from: impl Read, size: u64, limit: u64) -> Result<Array, String> {
    let (header, taken) = read_header(&mut from)?;
    let DType::Plain(ty) = header.dtype() else {
        return Err("its elements are structures, not numbers".into());
    };
    let elem = elem(&ty)?;
    let fits = |&size: &u64| usize::try_from(size).map_err(|_| format!("the size {size} is larger than any memory"));
    let shape: Vec<usize> = header.shape().iter().map(fits).collect::<Result<_, _>>()?;
    let len = byte_len(&shape, elem.size())?;
    let there = size.saturating_sub(taken as u64);
    if there < len as u64 {
        return Err(format!("it ends after {there} of the {len} bytes of its elements"));
    }
    within(len as u64, limit)?;
    let mut bytes = Vec::new();
    // An archive may say more of itself than it has, so memory is taken as the bytes come.
    from.take(len as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() < len {
        return Err(format!("it ends after {} of the {len} bytes of its elements", bytes.len()));
    }
    if ty.endianness() == Endianness::Big {
        bytes.chunks_exact_mut(elem.size()).for_each(<[u8]>::reverse);
    }
    if header.order() == Order::Fortran {
        bytes = row_major(&shape, elem.size(), &bytes);
    }
    Ok(Array { shape, elem, bytes })
}

/// The header, and how many bytes it has.
fn read_header(from: &mut impl Read) -> Result<(NpyHeader, usize), String> {
    let no_header = |_| "it does not begin as a .npy file does".to_string();
    let mut start = vec![0; 10];
    from.read_exact(&mut start).map_err(no_header)?;
    let mut len = usize::from(u16::from_le_bytes([start[8], start[9]]));
    if start[6] > 1 {
        // From version 2 on the length has four bytes.
        start.resize(12, 0);
        from.read_exact(&mut start[10..]).map_err(no_header)?;
        len |= usize::from(u16::from_le_bytes([start[10], start[11]])) << 16;
    }
    if start.starts_with(b"\x93NUMPY") && len > MAX_HEADER {
        return Err(format!("its header has {len} bytes, more than the {MAX_HEADER} that are read"));
    }
    from.take(len as u64).read_to_end(&mut start).map_err(|error| error.to_string())?;
    // The sizes are multiplied in there without a check.
    let header = catch(|| NpyHeader::from_reader(&start[..])).map_err(|_| "its sizes are larger than any memory")?;
    header.map(|header| (header, start.len())).map_err(|error| error.to_string())
}

fn elem(ty: &TypeStr) -> Result<Elem, String> {
    let bits = 8 * ty.size_field();
    match (ty.type_char(), bits) {
        (TypeChar::Bool, 8) => Ok(Elem::Bool),
        (TypeChar::Int, 8 | 16 | 32 | 64) => Ok(Elem::Int { bits: bits as u32, signed: true }),
        (TypeChar::Uint, 8 | 16 | 32 | 64) => Ok(Elem::Int { bits: bits as u32, signed: false }),
        (TypeChar::Float, 16) => Ok(Elem::Float(FloatKind::F16)),
        (TypeChar::Float, 32) => Ok(Elem::Float(FloatKind::F32)),
        (TypeChar::Float, 64) => Ok(Elem::Float(FloatKind::F64)),
        (TypeChar::RawData, 8 | 16) => Ok(Elem::Raw(bits as usize / 8)),
        (TypeChar::Object, _) => Err("it holds Python objects, which are not read".into()),
        _ => Err(format!("its elements are of the numpy type '{ty}', which dlc has no type for")),
    }
}

/// Elements of which the first axis is the fastest, with the last axis the fastest.
fn row_major(shape: &[usize], size: usize, bytes: &[u8]) -> Vec<u8> {
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    while out.len() < bytes.len() {
        out.extend_from_slice(&bytes[at * size..][..size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    out
}

/// Writes an array.
pub fn write(array: &Array, to: &mut dyn Write) -> std::io::Result<()> {
    let elem = array.elem.in_numpy();
    let order = if elem.size() == 1 { '|' } else { '<' };
    let kind = match elem {
        Elem::Bool => 'b',
        Elem::Int { signed: true, .. } => 'i',
        Elem::Int { signed: false, .. } => 'u',
        Elem::Float(_) => 'f',
        Elem::Raw(_) => 'V',
    };
    let ty: TypeStr = format!("{order}{kind}{}", elem.size()).parse().map_err(std::io::Error::other)?;
    let shape: Vec<u64> = array.shape.iter().map(|&size| size as u64).collect();
    let header = WriteOptions::new_header_only().dtype(DType::Plain(ty)).shape(&shape).writer(&mut *to);
    header.write_header_only()?;
    to.write_all(&array.bytes)
}
