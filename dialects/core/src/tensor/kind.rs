//! What numbers the elements of a tensor are.

use dlc_ir::types::{FloatKind, Signedness, TypeData};
use dlc_ir::{Context, Type};

/// What numbers the elements of a tensor are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ElemKind {
    /// A float format.
    Float(FloatKind),
    /// An integer of 1 to 64 bits. One bit is a truth value, 0 or 1.
    Int {
        /// The width.
        bits: u8,
        /// Signless integers and `index` are signed, one bit is not.
        signed: bool,
    },
}

impl ElemKind {
    /// What numbers a type has. `None` for types that are no numbers, or integers of more than 64 bits.
    pub fn of(ctx: &Context, ty: Type) -> Option<ElemKind> {
        match *ctx.type_data(ty) {
            TypeData::Float(kind) => Some(ElemKind::Float(kind)),
            TypeData::Index => Some(ElemKind::Int { bits: 64, signed: true }),
            TypeData::Integer { width: width @ 1..=64, sign } => {
                Some(ElemKind::Int { bits: width as u8, signed: width > 1 && sign != Signedness::Unsigned })
            }
            _ => None,
        }
    }

    /// As [`ElemKind::of`], or why there is none.
    pub fn known(ctx: &Context, ty: Type) -> Result<ElemKind, String> {
        ElemKind::of(ctx, ty).ok_or_else(|| format!("tensors of {} cannot be run", ty.display(ctx)))
    }

    /// Whether they are truth values.
    pub fn is_bool(self) -> bool {
        matches!(self, ElemKind::Int { bits: 1, .. })
    }

    /// Whether they are floats.
    pub fn is_float(self) -> bool {
        matches!(self, ElemKind::Float(_))
    }

    /// Whether they are `f64`, which alone is not stored as `f32`.
    pub fn is_f64(self) -> bool {
        self == ElemKind::Float(FloatKind::F64)
    }

    /// Whether they are unsigned 64-bit integers, which are stored as the `i64` of the same bits.
    pub fn is_u64(self) -> bool {
        self == ElemKind::Int { bits: 64, signed: false }
    }

    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            ElemKind::Float(kind) => kind.bits(),
            ElemKind::Int { bits, .. } => bits.into(),
        }
    }

    /// The float of this format nearest to `value`, ties to even. Integers leave it as it is.
    pub fn round(self, value: f64) -> f64 {
        match self {
            ElemKind::Float(FloatKind::F64) | ElemKind::Int { .. } => value,
            ElemKind::Float(FloatKind::F32) => value as f32 as f64,
            ElemKind::Float(kind) => Rounding::to(kind).round(value),
        }
    }

    /// The integer modulo two to the power of the width; truth values keep the lowest bit. Floats leave it as it is.
    pub fn wrap(self, value: i64) -> i64 {
        match self {
            ElemKind::Int { bits, signed: true } => value << (64 - bits) >> (64 - bits),
            ElemKind::Int { bits, signed: false } => ((value as u64) << (64 - bits) >> (64 - bits)) as i64,
            ElemKind::Float(_) => value,
        }
    }

    /// What no float of the type is above: infinity, or the largest number of a type without.
    pub(super) fn most(self) -> f64 {
        if self == ElemKind::Float(FloatKind::F8E4M3FN) { 448.0 } else { f64::INFINITY }
    }

    /// The lowest integer; 0 for floats.
    pub fn lowest(self) -> i64 {
        match self {
            ElemKind::Int { bits, signed: true } => i64::MIN >> (64 - bits),
            _ => 0,
        }
    }

    /// The highest integer (`ui64` as its bits); 0 for floats.
    pub fn highest(self) -> i64 {
        match self {
            ElemKind::Int { bits, signed: true } => i64::MAX >> (64 - bits),
            ElemKind::Int { bits, signed: false } => (u64::MAX >> (64 - bits)) as i64,
            ElemKind::Float(_) => 0,
        }
    }
}

/// Rounding of `f64` to a shorter format without branches, so that loops over it use vector instructions. Gives what
/// `dlc_ir::float::encode` and `decode` give, but for NaN, which stays itself.
#[derive(Clone, Copy)]
pub(super) struct Rounding {
    /// How many bits of the fraction of `f64` are dropped.
    drop: u32,
    min_normal: f64,
    /// 2^52 times the smallest subnormal number: adding it leaves no bits below that.
    magic: f64,
    max: f64,
    overflow: f64,
}

impl Rounding {
    pub(super) fn to(kind: FloatKind) -> Rounding {
        let (exponent, fraction) = match kind {
            FloatKind::F16 => (5, 10),
            FloatKind::BF16 => (8, 7),
            FloatKind::F32 => (8, 23),
            FloatKind::F64 => (11, 52),
            FloatKind::TF32 => (8, 10),
            FloatKind::F8E4M3FN => (4, 3),
            FloatKind::F8E5M2 => (5, 2),
        };
        let bias = (1 << (exponent - 1)) - 1;
        let power = |e: i32| 2f64.powi(e);
        // f8E4M3FN has numbers with the highest exponent, and only NaN where the others have infinity.
        let (max, overflow) = match kind {
            FloatKind::F8E4M3FN => (448.0, f64::NAN),
            _ => ((2.0 - power(-fraction)) * power(bias), f64::INFINITY),
        };
        Rounding {
            drop: (52 - fraction) as u32,
            min_normal: power(1 - bias),
            magic: power(52 + 1 - bias - fraction),
            max,
            overflow,
        }
    }

    /// Whether numbers whose absolute value is 0 or between these are rounded by [`Rounding::normal`] alone.
    pub(super) fn is_normal(self, least: f64, most: f64) -> bool {
        most <= self.max && (least >= self.min_normal || most == 0.0)
    }

    /// Rounds a number that has neither fewer bits in the format, being too small, nor none, being too large.
    #[inline(always)]
    pub(super) fn normal(self, value: f64) -> f64 {
        let bits = value.to_bits();
        let rest = (1u64 << self.drop) - 1;
        // Half a unit, less one bit when the kept part is even; a carry moves the exponent on by itself.
        let up = (rest >> 1) + (bits >> self.drop & 1);
        f64::from_bits(bits.wrapping_add(up) & !rest)
    }

    #[inline(always)]
    pub(super) fn round(self, value: f64) -> f64 {
        let normal = self.normal(value);
        let subnormal = ((value.abs() + self.magic) - self.magic).copysign(value);
        let rounded = if value.abs() < self.min_normal { subnormal } else { normal };
        let finite = if rounded.abs() > self.max { self.overflow.copysign(value) } else { rounded };
        if value.is_nan() { value } else { finite }
    }
}
