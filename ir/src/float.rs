//! Bits of the float formats: encoding with one correct rounding, decoding exactly.

use crate::types::FloatKind;

/// How a format divides its bits.
struct Layout {
    exponent: u32,
    fraction: u32,
    /// The largest exponent field stands for infinity and NaN; otherwise only all ones is NaN, and there is no infinity.
    ieee: bool,
}

fn layout(kind: FloatKind) -> Layout {
    let (exponent, fraction, ieee) = match kind {
        FloatKind::F16 => (5, 10, true),
        FloatKind::BF16 => (8, 7, true),
        FloatKind::F32 => (8, 23, true),
        FloatKind::F64 => (11, 52, true),
        FloatKind::TF32 => (8, 10, true),
        FloatKind::F8E4M3FN => (4, 3, false),
        FloatKind::F8E5M2 => (5, 2, true),
    };
    Layout { exponent, fraction, ieee }
}

/// The bits of the number of a format nearest to `value`, ties to even.
///
/// Too large numbers become infinity; `f8E4M3FN`, which has none, makes them NaN, as MLIR and the hardware's
/// non-saturating conversion do. NaN keeps its sign and becomes the quiet one.
pub fn encode(value: f64, kind: FloatKind) -> u64 {
    let Layout { exponent, fraction, ieee } = layout(kind);
    let sign = (value.is_sign_negative() as u64) << (exponent + fraction);
    let max_field = (1u64 << exponent) - 1;
    let infinity = max_field << fraction;
    let nan = if ieee { infinity | 1 << (fraction - 1) } else { infinity | ((1 << fraction) - 1) };
    if kind == FloatKind::F64 {
        return value.to_bits();
    }
    if value.is_nan() {
        return sign | nan;
    }
    if value.is_infinite() {
        return sign | if ieee { infinity } else { nan };
    }
    if value == 0.0 {
        return sign;
    }
    let bias = (1i64 << (exponent - 1)) - 1;
    let bits = value.abs().to_bits();
    let (mut e, mut significand) = ((bits >> 52) as i64 - 1023, bits & ((1 << 52) - 1) | 1 << 52);
    if bits >> 52 == 0 {
        // A subnormal f64: far below every other format.
        e = -1022;
        significand &= (1 << 52) - 1;
    }
    // How many bits of the significand are dropped: more for numbers that become subnormal.
    let lowest = 1 - bias;
    let drop = (52 - fraction as i64) + (lowest - e).max(0);
    if drop > 54 {
        return sign;
    }
    let kept = significand >> drop;
    let rest = significand & ((1u64 << drop) - 1);
    let half = 1u64 << (drop - 1);
    let rounded = kept + (rest > half || (rest == half && kept & 1 == 1)) as u64;
    // The exponent field counts from 1 for normal numbers, whose leading bit is part of `rounded`: a carry out of the
    // fraction moves the field on by itself.
    let field = (e.max(lowest) + bias - 1) as u64;
    let magnitude = (field << fraction) + rounded;
    let limit = if ieee { infinity } else { nan };
    sign | if magnitude >= limit { limit } else { magnitude }
}

/// The number that bits of a format stand for.
pub fn decode(bits: u64, kind: FloatKind) -> f64 {
    let Layout { exponent, fraction, ieee } = layout(kind);
    if kind == FloatKind::F64 {
        return f64::from_bits(bits);
    }
    let negative = bits >> (exponent + fraction) & 1 == 1;
    let field = bits >> fraction & ((1 << exponent) - 1);
    let low = bits & ((1 << fraction) - 1);
    let bias = (1i64 << (exponent - 1)) - 1;
    let all_ones = field == (1 << exponent) - 1;
    let magnitude = if all_ones && ieee {
        if low == 0 { f64::INFINITY } else { f64::NAN }
    } else if all_ones && low == (1 << fraction) - 1 {
        f64::NAN
    } else if field == 0 {
        low as f64 * 2f64.powi((1 - bias - fraction as i64) as i32)
    } else {
        (low | 1 << fraction) as f64 * 2f64.powi((field as i64 - bias - fraction as i64) as i32)
    };
    if negative { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn every_small_float_survives_decoding_and_encoding() {
        for kind in [FloatKind::F8E4M3FN, FloatKind::F8E5M2, FloatKind::F16, FloatKind::BF16, FloatKind::TF32] {
            for bits in 0..1u64 << kind.bits() {
                let value = decode(bits, kind);
                if !value.is_nan() {
                    assert_eq!(encode(value, kind), bits, "{} {bits:#x} = {value}", kind.name());
                }
            }
        }
    }

    /// The `half` crate and the hardware round the same way, halfway cases and subnormal numbers included.
    #[test]
    fn rounding_agrees_with_others() {
        let mut random = Random::new(1);
        for i in 0..200_000u64 {
            let state = random.bits();
            // Half of them near the ties of the short formats.
            let value = if i % 2 == 0 {
                f64::from_bits(state & !(0x7ff << 52) | ((state >> 52 & 0x3f) + 1023 - 32) << 52)
            } else {
                f32::from_bits((state >> 32) as u32 & 0xffff_f000) as f64
            };
            if value.is_nan() {
                continue;
            }
            assert_eq!(encode(value, FloatKind::F32), (value as f32).to_bits() as u64, "{value:e}");
            // The crate goes through f32 and so rounds other numbers twice.
            let short = value as f32;
            assert_eq!(encode(short.into(), FloatKind::F16), half::f16::from_f32(short).to_bits() as u64, "{short:e}");
            assert_eq!(
                encode(short.into(), FloatKind::BF16),
                half::bf16::from_f32(short).to_bits() as u64,
                "{short:e}"
            );
        }
    }

    #[test]
    fn out_of_range_is_infinite_or_not_a_number() {
        assert_eq!(encode(448.0, FloatKind::F8E4M3FN), 0x7e);
        assert_eq!(encode(1e9, FloatKind::F8E4M3FN), 0x7f);
        assert_eq!(encode(-1e9, FloatKind::F8E5M2), 0xfc);
        assert_eq!(encode(65520.0, FloatKind::F16), 0x7c00);
    }
}
