//! How tensor cores multiply `f32`, whose significands they have no room for.
//!
//! A number of `tf32` has the exponents of `f32` and 11 bits of significand; `f32` has 24. The sum of two numbers of `tf32`
//! has 22 or more of them. With `a = a0 + a1` and `b = b0 + b1` the product is `a0*b0 + a0*b1 + a1*b0`, up to `a1*b1`, which
//! is below 2^-22 of it. The words are those of Triton (`input_precision`).

dlc_ir::keywords! {
    /// How tensor cores multiply `f32`.
    pub enum Precision: "precision" {
        /// Each factor is rounded to `tf32`: one product.
        Tf32 = "tf32",
        /// Each factor is the sum of two numbers of `tf32`: three products, without that of the two small ones.
        Tf32x3 = "tf32x3",
    }
}

/// The mark of products of `f32` whose factors may be rounded to `tf32`, a fast-math flag: `{tf32}` on a contraction or the
/// product itself. Evaluators do not round. It is a permission: JSON below graphs and passes that build products again may drop
/// it, and the product keeps f32 then.
pub const TF32: &str = "tf32";

/// The mark of products whose factors are numbers of `tf32`, as copies of them were rounded, or have two numbers for each one:
/// what reads them as `tf32` changes nothing. Without the mark [`TF32`] the sum is to be as exact as one of `f32`.
pub const ROUNDED: &str = "tf32_factors";

/// The bits of a significand of `f32` that `tf32` has not.
const DROPPED: u32 = 13;
/// The bits of `f32` that `tf32` has.
pub const KEPT_MASK: u32 = !((1 << DROPPED) - 1);
/// The magnitudes from here on, those that would be rounded to infinity and infinity itself, have a first part near one: of
/// infinity the second part is infinity then, and their product with any number is what it is without parts.
pub const LARGE: f32 = f32::from_bits(0x7F7F_F000);
/// The bits that such a number keeps in its first part: the sign, and an exponent below that of two.
pub const LARGE_MASK: u32 = 0xBF80_0000;

/// A number of `f32` rounded to `tf32`, ties away from zero: `cvt.rna.tf32.f32`.
pub fn round(value: f32) -> f32 {
    if value.is_nan() {
        return value;
    }
    let half = 1 << (DROPPED - 1);
    f32::from_bits((value.to_bits() + half) & KEPT_MASK)
}

/// What tensor cores take of a number of `f32` that they read from shared memory as `tf32`: they ignore the low bits.
pub fn cut(value: f32) -> f32 {
    f32::from_bits(value.to_bits() & KEPT_MASK)
}

impl Precision {
    /// How many products tensor cores compute.
    pub fn products(self) -> u32 {
        match self {
            Precision::Tf32 => 1,
            Precision::Tf32x3 => 3,
        }
    }

    /// The two numbers of `tf32` that a factor is taken for.
    pub fn split(self, value: f32) -> [f32; 2] {
        match self {
            Precision::Tf32 => [round(value), 0.0],
            Precision::Tf32x3 => {
                let first = match value.abs() >= LARGE {
                    true => f32::from_bits(value.to_bits() & LARGE_MASK),
                    false => round(value),
                };
                // What is no number keeps a bit that is not cut off.
                let rest = value - first;
                [first, if rest.is_nan() { rest } else { cut(rest) }]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product as it is computed, in `f64`.
    fn product(a: f32, b: f32) -> f64 {
        let ([a0, a1], [b0, b1]) = (Precision::Tf32x3.split(a), Precision::Tf32x3.split(b));
        let [a0, a1, b0, b1] = [a0, a1, b0, b1].map(f64::from);
        a0 * b0 + (a0 * b1 + a1 * b0)
    }

    /// Significands with all kinds of low bits, at exponents of each side of one.
    fn numbers() -> Vec<f32> {
        let mut bits = 0x3F80_0001u32;
        let mut numbers = Vec::new();
        for step in 0..4000u32 {
            bits = bits.wrapping_mul(0x9E37_79B9).wrapping_add(step);
            let exponent = 27 + step % 200;
            numbers.push(f32::from_bits((bits & 0x807F_FFFF) | exponent << 23));
        }
        numbers
    }

    #[test]
    fn parts_are_numbers_of_tf32_that_add_up_to_the_number() {
        for value in numbers() {
            let [first, rest] = Precision::Tf32x3.split(value);
            assert!([first, rest].iter().all(|part| part.to_bits() & 0x1FFF == 0), "{value}: {first} + {rest}");
            let error = (f64::from(first) + f64::from(rest) - f64::from(value)).abs();
            assert!(error <= f64::from(value.abs()) * 2f64.powi(-23), "{value}: {first} + {rest}");
            assert!(rest.abs() <= value.abs() * 2f32.powi(-11), "{value}: {first} + {rest}");
        }
    }

    #[test]
    fn products_are_within_the_bound_of_the_decision() {
        let numbers = numbers();
        let mut most = 0f64;
        for (a, b) in numbers.iter().zip(numbers.iter().rev()) {
            let exact = f64::from(*a) * f64::from(*b);
            most = most.max(((product(*a, *b) - exact) / exact).abs());
        }
        assert!(most <= 2f64.powi(-21), "{most:e}");
        // The bound is no larger than it has to be.
        assert!(most >= 2f64.powi(-23), "{most:e}");
    }

    #[test]
    fn infinities_and_zeros_multiply_as_without_parts() {
        let (inf, nan, largest) = (f32::INFINITY, f32::NAN, f32::MAX);
        let special = [inf, -inf, nan, 0.0, -0.0, 1.0, -1.0, 1.0 + 2f32.powi(-20), -1e30, 3e-30];
        for a in special {
            for b in special {
                let (own, exact) = (product(a, b), f64::from(a) * f64::from(b));
                let same = own == exact || own.is_nan() && exact.is_nan() || (own - exact).abs() <= exact.abs() * 1e-6;
                assert!(same, "{a} * {b} = {own}");
            }
        }
        // The largest numbers stay finite, with fewer bits.
        let own = product(largest, 0.5);
        assert!((own / (f64::from(largest) * 0.5) - 1.0).abs() < 1e-3, "{own}");
    }

    #[test]
    fn one_product_rounds_its_factors() {
        assert_eq!(Precision::Tf32.split(1.0 + 2f32.powi(-11)), [1.0 + 2f32.powi(-10), 0.0]);
        assert_eq!(Precision::Tf32.split(-3.0), [-3.0, 0.0]);
        assert!(Precision::Tf32.split(f32::NAN)[0].is_nan());
    }
}
