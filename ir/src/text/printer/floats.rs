//! Spelling floats as MLIR does, digit for digit.
//!
//! MLIR prints a float with LLVM's `APFloat::toString`: six significant digits if they read back as the same bits,
//! otherwise as many as the format may need, otherwise (and for infinities and NaN) the bits. That function cuts digits
//! off before it rounds, and rounds halves up, so other correctly rounding conversions give other text now and then.
//! The same steps are taken here.

use crate::float;
use crate::types::FloatKind;

/// The decimal spelling of a float; `None` when MLIR would write the bits.
pub(super) fn decimal(bits: u64, kind: FloatKind) -> Option<String> {
    let value = float::decode(bits, kind);
    if !value.is_finite() {
        return None;
    }
    let reads_back = |text: &str| text.parse::<f64>().is_ok_and(|v| float::encode(v, kind) == bits);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return Some(format!("{sign}0.000000e+00"));
    }
    let (digits, exponent) = significant(value, 6);
    let short = format!("{sign}{}", scientific(&digits, exponent));
    if reads_back(&short) {
        return Some(short);
    }
    // The digits that tell any two numbers of the format apart, as LLVM estimates them.
    let precision = 2 + precision(kind) * 59 / 196;
    let (digits, exponent) = significant(value, precision);
    let long = format!("{sign}{}", plain_or_scientific(&digits, exponent, precision));
    // Without a dot it would be an integer; and LLVM's digits are not always enough.
    (long.contains('.') && reads_back(&long)).then_some(long)
}

/// The bits of the significand, the leading one included.
fn precision(kind: FloatKind) -> usize {
    match kind {
        FloatKind::F16 | FloatKind::TF32 => 11,
        FloatKind::BF16 => 8,
        FloatKind::F32 => 24,
        FloatKind::F64 => 53,
        FloatKind::F8E4M3FN => 4,
        FloatKind::F8E5M2 => 3,
    }
}

/// At most `precision` decimal digits of the magnitude of a number, the last not zero, and the power of ten of the last.
fn significant(value: f64, precision: usize) -> (Vec<u8>, i32) {
    let bits = value.abs().to_bits();
    let (field, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (mut significand, mut exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    exponent += significand.trailing_zeros() as i32;
    significand >>= significand.trailing_zeros();
    let mut number = Big::new(significand);
    if exponent >= 0 {
        number.shift_left(exponent as usize);
        exponent = 0;
    } else {
        // m / 2^e = m * 5^e / 10^e
        number.multiply_power_of_five(-exponent as usize);
    }
    // Digits beyond the wanted ones are cut off, a few excepted; 196 / 59 is a little more than the bits of a digit.
    let wanted_bits = (precision * 196).div_ceil(59);
    let cut = number.bits().saturating_sub(wanted_bits) * 59 / 196;
    number.divide_power_of_ten(cut);
    exponent += cut as i32;
    let mut digits = number.into_digits();
    if digits.len() > precision {
        let round_up = digits[precision] >= b'5';
        exponent += (digits.len() - precision) as i32;
        digits.truncate(precision);
        if round_up {
            while digits.last() == Some(&b'9') {
                digits.pop();
                exponent += 1;
            }
            match digits.last_mut() {
                Some(digit) => *digit += 1,
                None => digits.push(b'1'),
            }
        }
    }
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    (digits, exponent)
}

fn text(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).expect("digits are ASCII")
}

/// `1.500000e+00`
fn scientific(digits: &[u8], exponent: i32) -> String {
    let exponent = exponent + digits.len() as i32 - 1;
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}.{:0<6}e{sign}{:0>2}", digits[0] as char, text(&digits[1..]), exponent.abs())
}

/// `0.333333343`, `3.40282347E+38`: with an exponent where many zeros would stand otherwise.
fn plain_or_scientific(digits: &[u8], exponent: i32, precision: usize) -> String {
    const MOST_ZEROS: i32 = 3;
    let len = digits.len() as i32;
    let leading = exponent + len - 1;
    let scientific = match exponent >= 0 {
        true => exponent > MOST_ZEROS || len + exponent > precision as i32,
        false => -leading > MOST_ZEROS,
    };
    if scientific {
        let rest = if len == 1 { "0" } else { text(&digits[1..]) };
        let sign = if leading < 0 { '-' } else { '+' };
        return format!("{}.{rest}E{sign}{}", digits[0] as char, leading.abs());
    }
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    if exponent >= 0 {
        return format!("{}{}", text(digits), zeros(exponent));
    }
    match usize::try_from(len + exponent) {
        Ok(whole) if whole > 0 => format!("{}.{}", text(&digits[..whole]), text(&digits[whole..])),
        _ => format!("0.{}{}", zeros(-(len + exponent)), text(digits)),
    }
}

/// A whole number of any size, the lowest 32 bits first, without leading zeros.
struct Big(Vec<u32>);

impl Big {
    fn new(value: u64) -> Big {
        let mut big = Big(vec![value as u32, (value >> 32) as u32]);
        big.trim();
        big
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn bits(&self) -> usize {
        self.0.last().map_or(0, |top| self.0.len() * 32 - top.leading_zeros() as usize)
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for word in &mut self.0 {
            let product = *word as u64 * factor as u64 + carry;
            *word = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides, and gives the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0u64;
        for word in self.0.iter_mut().rev() {
            let part = rest << 32 | *word as u64;
            *word = (part / divisor as u64) as u32;
            rest = part % divisor as u64;
        }
        self.trim();
        rest as u32
    }

    fn shift_left(&mut self, count: usize) {
        self.multiply(1 << (count % 32));
        self.0.splice(0..0, std::iter::repeat_n(0, count / 32));
    }

    fn multiply_power_of_five(&mut self, power: usize) {
        for _ in 0..power / 13 {
            self.multiply(5u32.pow(13));
        }
        self.multiply(5u32.pow((power % 13) as u32));
    }

    fn divide_power_of_ten(&mut self, power: usize) {
        for _ in 0..power / 9 {
            self.divide(10u32.pow(9));
        }
        self.divide(10u32.pow((power % 9) as u32));
    }

    /// The decimal digits, the highest first.
    fn into_digits(mut self) -> Vec<u8> {
        let mut digits = Vec::new();
        while !self.0.is_empty() {
            digits.push(b'0' + self.divide(10) as u8);
        }
        digits.reverse();
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What mlir-opt 22 writes for these bits.
    #[test]
    fn spelled_as_mlir_spells_them() {
        let cases = [
            (0x3F80_0000, FloatKind::F32, Some("1.000000e+00")),
            (0x3DCC_CCCD, FloatKind::F32, Some("1.000000e-01")),
            (0x3EAA_AAAB, FloatKind::F32, Some("0.333333343")),
            (0x7F7F_FFFF, FloatKind::F32, Some("3.40282347E+38")),
            (0x0000_0001, FloatKind::F32, Some("1.401300e-45")),
            (0x4CEB_79A3, FloatKind::F32, None),
            (0x7F80_0000, FloatKind::F32, None),
            (0x8000_0000, FloatKind::F32, Some("-0.000000e+00")),
            (0xD76D, FloatKind::F16, Some("-1.188130e+02")),
            (0x400921FB54442D18, FloatKind::F64, Some("3.1415926535897931")),
        ];
        for (bits, kind, expected) in cases {
            assert_eq!(decimal(bits, kind).as_deref(), expected, "{bits:#x} : {}", kind.name());
        }
    }

    #[test]
    fn every_spelling_reads_back() {
        let mut random = Random::new(7);
        for kind in FloatKind::ALL {
            for i in 0..20_000u64 {
                let bits = random.bits() >> (64 - kind.bits());
                let bits = if kind.bits() <= 16 { i & ((1 << kind.bits()) - 1) } else { bits };
                if let Some(text) = decimal(bits, kind) {
                    let value: f64 = text.parse().expect("a float");
                    assert_eq!(float::encode(value, kind), bits, "{text} : {}", kind.name());
                }
            }
        }
    }
}
