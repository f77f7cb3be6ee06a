//! Loads and stores of some elements in a row: in as few instructions as memory allows, in the registers that hold them.

use dlc_ir::attrs::AttrData;
use dlc_ir::{Context, Type, ValueId};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::Cond;
use super::lower::Lower;
use super::values::held;

/// Where something is in memory.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The state space, with what goes with it: `global.nc`.
    pub space: &'static str,
    /// The register with the address.
    pub base: Arg,
    /// What is added to it.
    pub offset: i64,
}

/// How many bits an element has in memory.
fn element_bits(ctx: &Context, elem: Type) -> u32 {
    if elem == Type::INDEX { 64 } else { elem.bits(ctx).expect("elements of memory have bits") }
}

impl Lower<'_, '_> {
    /// Zero, as an element is held.
    pub fn zero(&self, elem: Type) -> Arg {
        match held(&self.code, elem) {
            Type::F32 => Arg::F32(0),
            Type::F64 => Arg::F64(0),
            _ => Arg::Int(0),
        }
    }

    /// A number as an element is held.
    pub fn number_of(&self, attr: dlc_ir::Attr) -> Option<Arg> {
        let ctx = self.ctx();
        match *ctx.attr_data(attr) {
            AttrData::Integer { value, .. } => Some(Arg::Int(value as i64)),
            AttrData::Float { ty: Type::F32, bits } => Some(Arg::F32(bits as u32)),
            AttrData::Float { ty: Type::F64, bits } => Some(Arg::F64(bits)),
            // Narrow floats are held as their bits.
            AttrData::Float { bits, .. } => Some(Arg::Int(bits as i64)),
            _ => None,
        }
    }

    /// Elements in a row, which lie at a multiple of their bytes altogether: up to 16 bytes of elements of two bytes and
    /// more, or one. Where the condition does not hold nothing is read, and each is `otherwise`.
    pub fn load_vector(
        &mut self,
        place: Place,
        elem: Type,
        count: usize,
        cond: Cond,
        otherwise: Arg,
    ) -> Result<Vec<Arg>, Refused> {
        if cond == Cond::Known(false) {
            return Ok(vec![otherwise; count]);
        }
        let words = self.load_words(place, elem, count, cond, otherwise)?;
        Ok(self.unpack_words(&words, elem, count))
    }

    /// How the words of elements in memory are loaded and stored.
    fn kind(&self, elem: Type, count: usize) -> Result<(u32, &'static str), Refused> {
        let ctx = self.ctx();
        let bits = element_bits(ctx, elem);
        let kind = match bits {
            16 if count == 1 => "b16",
            16 | 32 if elem != Type::F32 => "b32",
            32 => "f32",
            64 if elem == Type::F64 => "f64",
            64 => "b64",
            8 if !elem.is_unsigned(ctx) && elem.is_integer(ctx) => "s8",
            1..=8 => "u8",
            _ => return Err(Refused::new(format!("elements of {bits} bits have no place in memory"))),
        };
        Ok((bits, kind))
    }

    /// The words of elements in a row, as memory has them: pairs of 16-bit floats are one word. See [`Lower::load_vector`].
    pub fn load_words(
        &mut self,
        place: Place,
        elem: Type,
        count: usize,
        cond: Cond,
        otherwise: Arg,
    ) -> Result<Vec<ValueId>, Refused> {
        let (bits, kind) = self.kind(elem, count)?;
        let args = [place.base, Arg::Int(place.offset)];
        let words = words_of(bits, count);
        let vector = if words > 1 { format!("v{words}.") } else { String::new() };
        let modifiers = format!("{}.{vector}{kind}", place.space);
        let fill = match cond {
            Cond::Known(true) => Vec::new(),
            _ => vec![self.fill_word(otherwise, bits, count, kind); words],
        };
        Ok(self.code.guarded(cond, &table::LD, &modifiers, &args, &fill))
    }

    /// The elements of words.
    pub fn unpack_words(&mut self, words: &[ValueId], elem: Type, count: usize) -> Vec<Arg> {
        let ctx = self.ctx();
        let bits = element_bits(ctx, elem);
        let integer = elem.is_integer(ctx);
        let unsigned = elem.is_unsigned(ctx);
        let mut values: Vec<Arg> = Vec::with_capacity(count);
        for &word in words {
            match (bits, count) {
                (16, 2..) => {
                    let halves = self.code.insts(&table::UNPACK, "b32", &[word.into()]);
                    values.extend(halves.into_iter().map(Arg::Value));
                }
                (1, _) => values.push(self.code.inst(&table::SETP, "ne.s16", &[word.into(), Arg::Int(0)]).into()),
                _ => values.push(word.into()),
            }
        }
        if matches!(bits, 2..=16) && integer {
            let modifiers = if unsigned { "u32.u16" } else { "s32.s16" };
            values = values.iter().map(|&half| self.code.inst(&table::CVT, modifiers, &[half]).into()).collect();
        }
        values
    }

    /// The word that is there where nothing is loaded.
    fn fill_word(&mut self, otherwise: Arg, bits: u32, count: usize, kind: &str) -> ValueId {
        match (kind, otherwise) {
            ("b32", _) if bits == 16 && count > 1 => match otherwise {
                Arg::Int(half) => {
                    let half = half & 0xFFFF;
                    self.code.register(Arg::Int(half | half << 16), Type::I32)
                }
                half => {
                    let half = Arg::Value(self.code.register(half, Type::I16));
                    self.code.inst(&table::PACK, "b32", &[half, half])
                }
            },
            ("f32", _) => self.code.register(otherwise, Type::F32),
            ("f64", _) => self.code.register(otherwise, Type::F64),
            ("b64", Arg::Value(_)) | ("b32", Arg::Value(_)) => self.code.register(otherwise, Type::I64),
            ("b64", _) => self.code.register(otherwise, Type::I64),
            ("b32", _) => self.code.register(otherwise, Type::I32),
            (_, Arg::Int(value)) => self.code.register(Arg::Int(value), Type::I16),
            _ => self.code.register(Arg::Int(0), Type::I16),
        }
    }

    /// The words of elements in a row, as memory has them.
    pub fn pack_words(&mut self, values: &[Arg], elem: Type) -> Vec<Arg> {
        let ctx = self.ctx();
        let bits = element_bits(ctx, elem);
        let integer = elem.is_integer(ctx);
        let mut elements = Vec::with_capacity(values.len());
        for &value in values {
            let held = held(&self.code, elem);
            let value = Arg::Value(self.code.register(value, held));
            elements.push(match bits {
                1 => self.code.inst(&table::SELP, "b16", &[Arg::Int(1), Arg::Int(0), value]).into(),
                2..=16 if integer => self.code.inst(&table::CVT, "u16.u32", &[value]).into(),
                _ => value,
            });
        }
        match bits == 16 && values.len() > 1 {
            true => elements.chunks(2).map(|pair| self.code.pack_halves(pair[0], pair[1])).collect(),
            false => elements,
        }
    }

    /// Puts elements in a row into memory, as [`Lower::load_vector`] reads them.
    pub fn store_vector(&mut self, place: Place, elem: Type, values: &[Arg], cond: Cond) -> Result<(), Refused> {
        let (_, kind) = self.kind(elem, values.len())?;
        let kind = if kind == "s8" { "u8" } else { kind };
        let mut args = vec![place.base, Arg::Int(place.offset)];
        let words = self.pack_words(values, elem);
        let vector = if words.len() > 1 { format!("v{}.", words.len()) } else { String::new() };
        args.extend(words);
        self.code.guarded(cond, &table::ST, &format!("{}.{vector}{kind}", place.space), &args, &[]);
        Ok(())
    }
}

/// How many registers an access of elements has.
fn words_of(bits: u32, count: usize) -> usize {
    if bits == 16 { count.div_ceil(2) } else { count }
}
