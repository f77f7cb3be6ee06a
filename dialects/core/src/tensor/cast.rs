//! Other types: by number (cast) and by bits (bitcast).

use dlc_ir::types::FloatKind;
use dlc_ir::{Context, Type, float};

use super::map::Aligned;
use super::read::{Reader, build, sticky, sticky_unsigned};
use super::{Data, ElemKind, TensorValue, count};

impl TensorValue {
    /// The elements as another type.
    ///
    /// To a float: rounded once. To a truth value: whether it is not zero, which NaN is not. A float to an integer:
    /// truncated towards zero to 64 bits, then wrapped; what 64 bits do not hold, NaN included, is -2^63 before it is
    /// wrapped, on every machine. An integer to an integer: wrapped.
    pub fn cast(&self, ctx: &Context, elem: Type) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        if elem == self.elem {
            return Ok(self.clone());
        }
        let aligned = Aligned::new([self])?;
        let ([input], len, from) = (&aligned.operands, aligned.len, self.kind);
        let reader = |start| Reader::new(input, start);
        let data = match (from.is_float(), kind) {
            (true, _) if kind.is_bool() => build(kind, len, &|start| {
                let mut reader = reader(start);
                Box::new(move |out: &mut [f64]| {
                    reader.read(out);
                    out.iter_mut().for_each(|x| *x = if *x != 0.0 { 1.0 } else { 0.0 });
                })
            }),
            (false, _) if kind.is_bool() => build(kind, len, &|start| {
                let mut reader = reader(start);
                Box::new(move |out: &mut [i64]| {
                    reader.read(out);
                    out.iter_mut().for_each(|x| *x = (*x != 0).into());
                })
            }),
            // Not through f64, which would round twice.
            (false, ElemKind::Float(to)) if to != FloatKind::F64 => build(kind, len, &|start| {
                let (mut reader, mut block) = (reader(start), vec![]);
                Box::new(move |out: &mut [f64]| {
                    block.resize(out.len(), 0);
                    reader.read(&mut block);
                    let number = |x| if from.is_u64() { sticky_unsigned(x as u64) } else { sticky(x) };
                    out.iter_mut().zip(&block).for_each(|(out, &x)| *out = number(x));
                })
            }),
            (_, ElemKind::Float(_)) => build::<f64>(kind, len, &|start| {
                let mut reader = reader(start);
                Box::new(move |out| reader.read(out))
            }),
            (_, ElemKind::Int { .. }) => build::<i64>(kind, len, &|start| {
                let mut reader = reader(start);
                Box::new(move |out| reader.read(out))
            }),
        };
        aligned.finish(elem, kind, data)
    }

    /// The bits of the elements as another type. When its width differs, the last axis shrinks or grows, the lowest
    /// bits first. A truth value takes a byte.
    ///
    /// Errors for types that do not fill bytes, for a tensor without axes when the width differs, and when the bytes of
    /// the last axis are no multiple of the width.
    pub fn bitcast(&self, ctx: &Context, elem: Type) -> Result<TensorValue, String> {
        let kind = ElemKind::known(ctx, elem)?;
        let no_bytes = || format!("the bits of {} cannot be read as {}", self.elem.display(ctx), elem.display(ctx));
        let from = bytes(self.kind).ok_or_else(no_bytes)?;
        let to = bytes(kind).ok_or_else(no_bytes)?;
        let mut shape = self.shape.clone();
        if from != to {
            let row = shape.last_mut().ok_or_else(no_bytes)?;
            let row_bytes = row.checked_mul(from).filter(|bytes| bytes.is_multiple_of(to)).ok_or_else(|| {
                format!("{row} elements of {} are no whole number of {}", self.elem.display(ctx), elem.display(ctx))
            })?;
            *row = row_bytes / to;
        }
        let len = count(&shape)?;
        let dense = self.contiguous()?;
        let input = (0..dense.len()).map(|at| bits_at(&dense.data, dense.offset as usize + at, self.kind));
        let mut bits = Vec::with_capacity(len);
        if from <= to {
            let mut input = input;
            for _ in 0..len {
                let parts = input.by_ref().take(to / from).enumerate();
                bits.push(parts.fold(0, |bits, (part, value)| bits | value << (8 * from * part)));
            }
        } else {
            let mask = u64::MAX >> (64 - 8 * to);
            bits.extend(input.flat_map(|value| (0..from / to).map(move |part| value >> (8 * to * part) & mask)));
        }
        let data = match kind {
            ElemKind::Float(FloatKind::F64) => Data::F64(bits.into_iter().map(f64::from_bits).collect()),
            ElemKind::Float(float) => Data::F32(bits.into_iter().map(|bits| float_of_bits(bits, float)).collect()),
            ElemKind::Int { .. } if kind.is_bool() => {
                Data::Int(bits.into_iter().map(|bits| (bits != 0).into()).collect())
            }
            ElemKind::Int { .. } => Data::Int(bits.into_iter().map(|bits| kind.wrap(bits as i64)).collect()),
        };
        Ok(TensorValue::dense(shape, elem, kind, data))
    }
}

/// How many bytes an element takes, when it fills them.
fn bytes(kind: ElemKind) -> Option<usize> {
    match kind.bits() {
        1 => Some(1),
        bits @ (8 | 16 | 32 | 64) => Some(bits as usize / 8),
        _ => None,
    }
}

fn bits_at(data: &Data, at: usize, kind: ElemKind) -> u64 {
    match (data, kind) {
        (Data::F32(values), ElemKind::Float(kind)) => bits_of_float(values[at], kind),
        (Data::F32(values), _) => values[at].to_bits().into(),
        (Data::F64(values), _) => values[at].to_bits(),
        (Data::Int(values), _) => values[at] as u64 & u64::MAX >> (64 - kind.bits()),
    }
}

/// The fields of a format with infinities: bits of the exponent and of the fraction.
fn fields(kind: FloatKind) -> Option<(u32, u32)> {
    match kind {
        FloatKind::F16 => Some((5, 10)),
        FloatKind::BF16 => Some((8, 7)),
        FloatKind::F32 => Some((8, 23)),
        FloatKind::F8E5M2 => Some((5, 2)),
        _ => None,
    }
}

/// The bits of a number of a format. What `NaN` has in its fraction is kept, as far as it fits.
fn bits_of_float(value: f32, kind: FloatKind) -> u64 {
    match fields(kind) {
        Some((exponent, fraction)) if value.is_nan() => {
            let payload = (value.to_bits() & 0x7f_ffff) >> (23 - fraction);
            let quiet = if payload == 0 { 1 << (fraction - 1) } else { payload };
            let exponent_field = ((1u64 << exponent) - 1) << fraction;
            u64::from(value.is_sign_negative()) << (exponent + fraction) | exponent_field | u64::from(quiet)
        }
        _ => float::encode(value.into(), kind),
    }
}

/// The number that bits of a format stand for. `NaN` keeps its fraction.
fn float_of_bits(bits: u64, kind: FloatKind) -> f32 {
    let value = float::decode(bits, kind) as f32;
    match fields(kind) {
        Some((exponent, fraction)) if value.is_nan() => {
            let sign = (bits >> (exponent + fraction) & 1) as u32;
            let payload = (bits & ((1 << fraction) - 1)) as u32;
            f32::from_bits(sign << 31 | 0x7f80_0000 | payload << (23 - fraction))
        }
        _ => value,
    }
}
