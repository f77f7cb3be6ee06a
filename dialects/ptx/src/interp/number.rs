//! Numbers as bits: types of modifiers, exact sums and products, rounding in every direction.

use std::sync::OnceLock;

use dlc_ir::float;
use dlc_ir::types::FloatKind;

/// What a type among the modifiers means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A predicate.
    Pred,
    /// Bits, or an integer.
    Int { bits: u32, signed: bool },
    /// A float.
    Float(FloatKind),
    /// Two floats in one register, the low one first.
    Pair(FloatKind),
}

impl Ty {
    pub fn of(word: &str) -> Option<Ty> {
        Some(match word {
            "pred" => Ty::Pred,
            "f16" => Ty::Float(FloatKind::F16),
            "bf16" => Ty::Float(FloatKind::BF16),
            "f32" => Ty::Float(FloatKind::F32),
            "f64" => Ty::Float(FloatKind::F64),
            "tf32" => Ty::Float(FloatKind::TF32),
            "e4m3" => Ty::Float(FloatKind::F8E4M3FN),
            "e5m2" => Ty::Float(FloatKind::F8E5M2),
            "f16x2" => Ty::Pair(FloatKind::F16),
            "bf16x2" => Ty::Pair(FloatKind::BF16),
            "e4m3x2" => Ty::Pair(FloatKind::F8E4M3FN),
            "e5m2x2" => Ty::Pair(FloatKind::F8E5M2),
            _ => {
                let signed = word.starts_with('s');
                let bits: u32 = word.strip_prefix(['b', 'u', 's'])?.parse().ok()?;
                matches!(bits, 8 | 16 | 32 | 64).then_some(Ty::Int { bits, signed })?
            }
        })
    }

    /// The bits of a value in memory.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Pred => 1,
            Ty::Int { bits, .. } => bits,
            Ty::Float(FloatKind::TF32) => 32,
            Ty::Float(kind) => kind.bits(),
            Ty::Pair(kind) => 2 * kind.bits(),
        }
    }
}

/// The low bits of a register.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The low bits as a signed number.
pub fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// The low bits as a number of a sign or without.
pub fn integer(value: u64, bits: u32, is_signed: bool) -> i128 {
    match is_signed {
        true => signed(value, bits).into(),
        false => (value & mask(bits)).into(),
    }
}

/// How a number is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// To the nearest, ties to even.
    #[default]
    Nearest,
    /// Towards zero.
    Zero,
    Down,
    Up,
}

/// The number that is none, as the machine writes it.
pub fn nan(kind: FloatKind) -> u64 {
    match kind {
        FloatKind::F16 | FloatKind::BF16 => 0x7FFF,
        FloatKind::F32 => 0x7FFF_FFFF,
        FloatKind::F64 => 0x7FF8 << 48,
        FloatKind::TF32 => 0x7FFF_FFFF,
        FloatKind::F8E4M3FN | FloatKind::F8E5M2 => 0x7F,
    }
}

/// The number of bits, those of `tf32` being the high ones of 32.
pub fn value(bits: u64, kind: FloatKind) -> f64 {
    static HALVES: OnceLock<Vec<f32>> = OnceLock::new();
    static EIGHTHS: [OnceLock<Vec<f32>>; 2] = [OnceLock::new(), OnceLock::new()];
    let table = |kind: FloatKind| (0..1u64 << kind.bits()).map(|bits| float::decode(bits, kind) as f32).collect();
    match kind {
        FloatKind::F64 => f64::from_bits(bits),
        FloatKind::F32 => f32::from_bits(bits as u32).into(),
        FloatKind::TF32 => f32::from_bits(bits as u32 & !0x1FFF).into(),
        FloatKind::BF16 => f32::from_bits((bits as u32) << 16).into(),
        FloatKind::F16 => HALVES.get_or_init(|| table(kind))[bits as usize & 0xFFFF].into(),
        FloatKind::F8E4M3FN => EIGHTHS[0].get_or_init(|| table(kind))[bits as usize & 0xFF].into(),
        FloatKind::F8E5M2 => EIGHTHS[1].get_or_init(|| table(kind))[bits as usize & 0xFF].into(),
    }
}

/// A real number: the nearest `f64`, and what is missing, of which the sign counts.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    pub near: f64,
    pub rest: f64,
}

impl From<f64> for Exact {
    fn from(near: f64) -> Exact {
        Exact { near, rest: 0.0 }
    }
}

impl Exact {
    /// The sum (Knuth, The Art of Computer Programming 2, 4.2.2).
    pub fn sum(a: f64, b: f64) -> Exact {
        let near = a + b;
        let of_a = near - b;
        let of_b = near - of_a;
        let rest = (a - of_a) + (b - of_b);
        Exact { near, rest: if rest.is_nan() { 0.0 } else { rest } }
    }

    /// The product.
    pub fn product(a: f64, b: f64) -> Exact {
        let near = a * b;
        let rest = a.mul_add(b, -near);
        Exact { near, rest: if rest.is_nan() { 0.0 } else { rest } }
    }

    /// An integer.
    pub fn integer(value: i128) -> Exact {
        let near = value as f64;
        Exact { near, rest: (value - near as i128) as f64 }
    }

    /// The bits of the number of a format that it is rounded to.
    pub fn round(self, kind: FloatKind, mode: Mode) -> u64 {
        let Exact { near, rest } = self;
        if near.is_nan() {
            return nan(kind);
        }
        if kind == FloatKind::F64 {
            let away = (rest > 0.0) == (near > 0.0);
            let magnitude = near.abs().to_bits();
            let moved = match mode {
                _ if rest == 0.0 || near.is_infinite() => magnitude,
                Mode::Nearest => magnitude,
                Mode::Zero if !away => magnitude - 1,
                Mode::Down if rest < 0.0 => {
                    if near > 0.0 {
                        magnitude - 1
                    } else {
                        magnitude + 1
                    }
                }
                Mode::Up if rest > 0.0 => {
                    if near > 0.0 {
                        magnitude + 1
                    } else {
                        magnitude - 1
                    }
                }
                _ => magnitude,
            };
            return f64::from_bits(moved).copysign(near).to_bits();
        }
        // With an odd last bit where something is missing, a second rounding gives what one alone would.
        let odd = if rest == 0.0 || near.is_infinite() || near.to_bits() & 1 == 1 {
            near
        } else {
            let away = (rest > 0.0) == (near > 0.0);
            f64::from_bits(if away { near.to_bits() + 1 } else { near.to_bits() - 1 })
        };
        round(odd, kind, mode)
    }
}

/// The bits of the number of a 32-bit format or fewer that a number is rounded to; those of `tf32` are the high ones
/// of 32.
pub fn round(number: f64, kind: FloatKind, mode: Mode) -> u64 {
    if number.is_nan() {
        return nan(kind);
    }
    if mode == Mode::Nearest && kind == FloatKind::F32 {
        return (number as f32).to_bits().into();
    }
    let nearest = float::encode(number, kind);
    let found = float::decode(nearest, kind);
    // A zero keeps the sign of what it was.
    let negative = number.is_sign_negative();
    let bits = match mode {
        Mode::Zero if found.abs() > number.abs() => nearest - 1,
        Mode::Down if found > number => {
            if negative {
                nearest + 1
            } else {
                nearest - 1
            }
        }
        Mode::Up if found < number => {
            if negative {
                nearest - 1
            } else {
                nearest + 1
            }
        }
        _ => nearest,
    };
    if kind == FloatKind::TF32 { bits << 13 } else { bits }
}

/// A number that is too small to have all its bits becomes zero.
pub fn flush(number: f64, kind: FloatKind) -> f64 {
    let least = match kind {
        FloatKind::F16 => 2f64.powi(-14),
        _ => f64::from(f32::MIN_POSITIVE),
    };
    if number.abs() < least { 0f64.copysign(number) } else { number }
}

/// A number rounded to an integer.
pub fn to_integer(number: f64, mode: Mode) -> f64 {
    match mode {
        Mode::Nearest => number.round_ties_even(),
        Mode::Zero => number.trunc(),
        Mode::Down => number.floor(),
        Mode::Up => number.ceil(),
    }
}
