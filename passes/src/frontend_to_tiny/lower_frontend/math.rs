//! Functions of real numbers in the ops of tiny: powers of two, logarithms to the base of two, sines, roots, and
//! polynomials where none of these does.
//!
//! Each takes a value of `f32` or `f64` and gives one of the same type, and is right at the infinities, and for what is
//! not a number. Polynomials with a number are those of Abramowitz and Stegun, "Handbook of Mathematical Functions".
//!
//! Functions that are 0 at 0 are right to a few units in the last place there in `f32`, by polynomials of the function divided
//! by `x`. These were fitted for the least relative error (weighted least squares). In `f64` logarithms of `1 + y` alone are so.

use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_2, PI};

use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::Predicate;

use super::emit::{Emit, Values};

impl Emit<'_> {
    /// The type that functions of elements of a type are computed in.
    pub fn compute_type(&self, elem: Type) -> Type {
        if elem == Type::F64 { Type::F64 } else { Type::F32 }
    }

    /// The only result as a function of the first operand, computed in `f32` or `f64`.
    pub fn wide(&mut self, function: impl FnOnce(&mut Self, ValueId) -> ValueId) -> Values {
        self.wide_all(|e, operands| function(e, operands[0]))
    }

    /// The only result as a function of all operands, computed in `f32`, or `f64` when one of them is.
    pub fn wide_all(&mut self, function: impl FnOnce(&mut Self, &[ValueId]) -> ValueId) -> Values {
        let any_f64 = self.operands.iter().any(|&operand| self.elem(operand) == Type::F64);
        let compute = if any_f64 { Type::F64 } else { Type::F32 };
        let operands: Vec<ValueId> = self.operands.iter().map(|&operand| self.cast(operand, compute)).collect();
        let result = function(self, &operands);
        let elem = self.result_elem(0);
        Values::from_elem(self.cast(result, elem), 1)
    }

    /// `x + number`
    pub fn plus(&mut self, x: ValueId, number: f64) -> ValueId {
        let number = self.number(number, self.elem(x));
        self.add(x, number)
    }

    /// `x * number`
    pub fn times(&mut self, x: ValueId, number: f64) -> ValueId {
        let number = self.number(number, self.elem(x));
        self.mul(x, number)
    }

    /// `number - x`
    pub fn minus_from(&mut self, number: f64, x: ValueId) -> ValueId {
        let number = self.number(number, self.elem(x));
        self.sub(number, x)
    }

    /// A comparison with a number.
    pub fn cmp_number(&mut self, predicate: Predicate, x: ValueId, number: f64) -> ValueId {
        let number = self.number(number, self.elem(x));
        self.cmp(predicate, x, number)
    }

    /// `-otherwise if x < 0 else otherwise`
    pub fn with_sign_of(&mut self, x: ValueId, magnitude: ValueId) -> ValueId {
        let below = self.cmp_number(Predicate::Lt, x, 0.0);
        let negative = self.neg(magnitude);
        self.where_(below, negative, magnitude)
    }

    /// A polynomial, the coefficient of the highest power first.
    pub fn polynomial(&mut self, x: ValueId, coefficients: &[f64]) -> ValueId {
        let mut sum = self.number(coefficients[0], self.elem(x));
        for &coefficient in &coefficients[1..] {
            sum = self.mul(sum, x);
            sum = self.plus(sum, coefficient);
        }
        sum
    }

    /// A function that is `x * polynomial(x * x)` where `|x| < limit`, and another value elsewhere. In `f64`, for which the
    /// polynomials are too short, that value everywhere.
    fn odd_near_zero(&mut self, x: ValueId, limit: f64, coefficients: &[f64], elsewhere: ValueId) -> ValueId {
        if self.elem(x) == Type::F64 {
            return elsewhere;
        }
        let square = self.mul(x, x);
        let quotient = self.polynomial(square, coefficients);
        let near = self.mul(x, quotient);
        let magnitude = self.abs(x);
        let is_near = self.cmp_number(Predicate::Lt, magnitude, limit);
        self.where_(is_near, near, elsewhere)
    }

    /// `|x|`, of any type, without the sign of a negative zero too.
    pub fn magnitude(&mut self, x: ValueId) -> ValueId {
        let zero = self.number(0.0, self.elem(x));
        let inverse = self.sub(zero, x);
        let above = self.cmp(Predicate::Gt, x, zero);
        self.where_(above, x, inverse)
    }

    /// `|x|`, of any type; a zero keeps its sign.
    pub fn abs(&mut self, x: ValueId) -> ValueId {
        self.with_sign_of(x, x)
    }

    /// The next whole number below.
    pub fn floor(&mut self, x: ValueId) -> ValueId {
        let whole = self.trunc(x);
        let below = self.cmp(Predicate::Lt, x, whole);
        let lower = self.plus(whole, -1.0);
        self.where_(below, lower, whole)
    }

    /// The next whole number above.
    pub fn ceil(&mut self, x: ValueId) -> ValueId {
        let whole = self.trunc(x);
        let above = self.cmp(Predicate::Gt, x, whole);
        let higher = self.plus(whole, 1.0);
        self.where_(above, higher, whole)
    }

    /// The nearest whole number; of two, the even one.
    pub fn round(&mut self, x: ValueId) -> ValueId {
        let whole = self.trunc(x);
        // Exact; not a number for infinities, which then stay.
        let rest = self.sub(x, whole);
        let rest = self.abs(rest);
        let more = self.cmp_number(Predicate::Gt, rest, 0.5);
        let half = self.cmp_number(Predicate::Eq, rest, 0.5);
        let halved = self.times(whole, 0.5);
        let halved_whole = self.trunc(halved);
        let odd = self.cmp(Predicate::Ne, halved, halved_whole);
        let up = self.and(half, odd);
        let away = self.or(more, up);
        let one = self.number(1.0, self.elem(x));
        let step = self.with_sign_of(x, one);
        let farther = self.add(whole, step);
        self.where_(away, farther, whole)
    }

    /// `exp(x)`
    pub fn exp(&mut self, x: ValueId) -> ValueId {
        let power = self.times(x, LOG2_E);
        self.exp2(power)
    }

    /// `ln(x)`
    pub fn ln(&mut self, x: ValueId) -> ValueId {
        let log = self.log2(x);
        self.times(log, LN_2)
    }

    /// `log10(x)`
    pub fn log10(&mut self, x: ValueId) -> ValueId {
        let log = self.log2(x);
        self.times(log, LOG10_2)
    }

    /// `1 / (1 + exp(-x))`
    pub fn sigmoid(&mut self, x: ValueId) -> ValueId {
        let power = self.times(x, -LOG2_E);
        let power = self.exp2(power);
        let sum = self.plus(power, 1.0);
        self.recip(sum)
    }

    /// `exp(x) - 1`
    pub fn expm1(&mut self, x: ValueId) -> ValueId {
        let power = self.exp(x);
        let far = self.plus(power, -1.0);
        if self.elem(x) == Type::F64 {
            return far;
        }
        let quotient = self.polynomial(
            x,
            &[0.000198411896, 0.00139973244, 0.00833363465, 0.0416653182, 0.166666629, 0.500000042, 1.0],
        );
        let near = self.mul(x, quotient);
        let magnitude = self.abs(x);
        let is_near = self.cmp_number(Predicate::Lt, magnitude, 0.5);
        self.where_(is_near, near, far)
    }

    /// `ln(1 + y)` for `y` from 0 to 1, with `s = y / (y + 2)` as `2 * atanh(s)`, 4.1.27: relative to the result it is off by
    /// 4e-9. In `f64` with what `1 + y` rounds away put back (W. Kahan).
    fn log_of_one_and_share(&mut self, y: ValueId) -> ValueId {
        if self.elem(y) == Type::F64 {
            let sum = self.plus(y, 1.0);
            let kept = self.plus(sum, -1.0);
            let lost = self.sub(y, kept);
            let lost = self.fdiv(lost, sum);
            let log = self.ln(sum);
            return self.add(log, lost);
        }
        let below = self.plus(y, 2.0);
        let s = self.fdiv(y, below);
        let square = self.mul(s, s);
        let quotient = self.polynomial(square, &[0.281783338, 0.27960603, 0.400249103, 0.666663147, 2.0]);
        self.mul(s, quotient)
    }

    /// `ln(1 + y)` for `y` from 0 on.
    fn log_of_one_and(&mut self, y: ValueId) -> ValueId {
        let sum = self.plus(y, 1.0);
        let (share, log) = (self.log_of_one_and_share(y), self.ln(sum));
        // Below -1 there is no logarithm.
        let magnitude = self.abs(y);
        let is_share = self.cmp_number(Predicate::Le, magnitude, 1.0);
        self.where_(is_share, share, log)
    }

    /// `tanh(x)`, as `2 * sigmoid(2 * x) - 1` beyond 0.625.
    pub fn tanh(&mut self, x: ValueId) -> ValueId {
        let twice = self.times(x, 2.0);
        let sigmoid = self.sigmoid(twice);
        let scaled = self.times(sigmoid, 2.0);
        let far = self.plus(scaled, -1.0);
        let near = [-0.00566014203, 0.0205911231, -0.0537211091, 0.13331128, -0.333332605, 1.0];
        self.odd_near_zero(x, 0.625, &near, far)
    }

    /// `cos(x)`, as `1 - 2 * sin(x / 2)**2`: half of a number is exact, where its distance from a right angle is not.
    pub fn cos(&mut self, x: ValueId) -> ValueId {
        let half = self.times(x, 0.5);
        let sin = self.sin(half);
        let square = self.mul(sin, sin);
        let twice = self.times(square, 2.0);
        self.minus_from(1.0, twice)
    }

    /// `tan(x)`
    pub fn tan(&mut self, x: ValueId) -> ValueId {
        let (sin, cos) = (self.sin(x), self.cos(x));
        self.fdiv(sin, cos)
    }

    /// `exp(x) / 2`, which is finite where `exp(x)` may not be, and `exp(-x) / 2`.
    fn half_powers(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let power = self.times(x, LOG2_E);
        let (up, down) = (self.plus(power, -1.0), self.minus_from(-1.0, power));
        (self.exp2(up), self.exp2(down))
    }

    /// `sinh(x)`
    pub fn sinh(&mut self, x: ValueId) -> ValueId {
        let (up, down) = self.half_powers(x);
        let far = self.sub(up, down);
        self.odd_near_zero(x, 1.0, &[0.000203939897, 0.00832991192, 0.166667338, 1.0], far)
    }

    /// `cosh(x)`
    pub fn cosh(&mut self, x: ValueId) -> ValueId {
        let (up, down) = self.half_powers(x);
        self.add(up, down)
    }

    /// `acos(|x|)`: 4.4.46, which is off by at most 2e-8.
    fn acos_of_abs(&mut self, x: ValueId) -> ValueId {
        let x = self.abs(x);
        let rest = self.minus_from(1.0, x);
        let root = self.sqrt(rest);
        let polynomial = self.polynomial(
            x,
            &[
                -0.0012624911,
                0.0066700901,
                -0.0170881256,
                0.0308918810,
                -0.0501743046,
                0.0889789874,
                -0.2145988016,
                1.5707963050,
            ],
        );
        self.mul(root, polynomial)
    }

    /// `asin(x)`
    pub fn asin(&mut self, x: ValueId) -> ValueId {
        let angle = self.acos_of_abs(x);
        let angle = self.minus_from(FRAC_PI_2, angle);
        let far = self.with_sign_of(x, angle);
        let near = [0.0426356324, 0.0238581755, 0.045550184, 0.0749443477, 0.166667901, 1.0];
        self.odd_near_zero(x, 0.5, &near, far)
    }

    /// `acos(x)`
    pub fn acos(&mut self, x: ValueId) -> ValueId {
        let angle = self.acos_of_abs(x);
        let other = self.minus_from(PI, angle);
        let below = self.cmp_number(Predicate::Lt, x, 0.0);
        self.where_(below, other, angle)
    }

    /// `atan(x)`: 4.4.49, which is off by at most 2e-8, up to 1; beyond it, by the inverse.
    pub fn atan(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.abs(x);
        let beyond = self.cmp_number(Predicate::Gt, magnitude, 1.0);
        let inverse = self.recip(magnitude);
        let t = self.where_(beyond, inverse, magnitude);
        let square = self.mul(t, t);
        let polynomial = self.polynomial(
            square,
            &[
                0.0028662257,
                -0.0161657367,
                0.0429096138,
                -0.0752896400,
                0.1065626393,
                -0.1420889944,
                0.1999355085,
                -0.3333314528,
                1.0,
            ],
        );
        let angle = self.mul(t, polynomial);
        let other = self.minus_from(FRAC_PI_2, angle);
        let angle = self.where_(beyond, other, angle);
        self.with_sign_of(x, angle)
    }

    /// `asinh(x)`, as `ln(1 + m + m**2 / (1 + sqrt(1 + m**2)))` of `m = |x|`. For large numbers the square would overflow,
    /// and the logarithm of twice the number is as good.
    pub fn asinh(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.abs(x);
        let square = self.mul(x, x);
        let sum = self.plus(square, 1.0);
        let root = self.sqrt(sum);
        let root = self.plus(root, 1.0);
        let more = self.fdiv(square, root);
        let more = self.add(magnitude, more);
        let log = self.log_of_one_and(more);
        let simple = self.ln(magnitude);
        let simple = self.plus(simple, LN_2);
        let large = self.cmp_number(Predicate::Gt, magnitude, 1e9);
        let log = self.where_(large, simple, log);
        self.with_sign_of(x, log)
    }

    /// `acosh(x)`, as `ln(1 + z + sqrt(z * (z + 2)))` of `z = x - 1`. Of large numbers it is the logarithm of twice the number.
    pub fn acosh(&mut self, x: ValueId) -> ValueId {
        let z = self.plus(x, -1.0);
        let next = self.plus(x, 1.0);
        let product = self.mul(z, next);
        let root = self.sqrt(product);
        let more = self.add(z, root);
        let log = self.log_of_one_and(more);
        let simple = self.ln(x);
        let simple = self.plus(simple, LN_2);
        let large = self.cmp_number(Predicate::Gt, x, 1e9);
        self.where_(large, simple, log)
    }

    /// `atanh(x)`, as half of `ln(1 + 2 * m / (1 - m))` of `m = |x|`.
    pub fn atanh(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.abs(x);
        let (twice, below) = (self.times(magnitude, 2.0), self.minus_from(1.0, magnitude));
        let more = self.fdiv(twice, below);
        let log = self.log_of_one_and(more);
        let half = self.times(log, 0.5);
        self.with_sign_of(x, half)
    }

    /// `erf(x)`: beyond 1 by 7.1.26, which is off by at most 1.5e-7.
    pub fn erf(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.abs(x);
        let t = self.times(magnitude, 0.3275911);
        let t = self.plus(t, 1.0);
        let t = self.recip(t);
        let polynomial = self.polynomial(t, &[1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0]);
        let square = self.mul(x, x);
        let negative = self.neg(square);
        let power = self.exp(negative);
        let rest = self.mul(polynomial, power);
        let result = self.minus_from(1.0, rest);
        let far = self.with_sign_of(x, result);
        let near =
            [7.85386079e-05, -0.000801019345, 0.00518832767, -0.0268538119, 0.112835851, -0.376126258, FRAC_2_SQRT_PI];
        self.odd_near_zero(x, 1.0, &near, far)
    }

    /// `x` times the share of a normal distribution below `x`, as `max(x, 0) - |x| * q`, where `q` is the share beyond `|x|`.
    /// Its logarithm to the base of two is nearly a parabola: by a polynomial that was fitted up to 5.5, the result is off
    /// by at most 1.2e-7, and below zero by a part in 3000. Where the result is rounded to `f16` or `bf16` (`half`), one of
    /// a power less is off by at most a sixth of what rounding to `f16` is. Nothing has to be divided, and no sign to be
    /// put back.
    pub fn gelu(&mut self, x: ValueId, half: bool) -> ValueId {
        let negative = self.neg(x);
        let magnitude = self.max(x, negative);
        // What is above zero: half of it twice, as below zero infinity times nothing is no number.
        let halves = [x, magnitude].map(|of| self.times(of, 0.5));
        let positive = self.add(halves[0], halves[1]);
        // Nothing is left of `q` here; above zero, infinity stays.
        let most = self.number(8.0, self.elem(x));
        let magnitude = self.min(magnitude, most);
        let log: &[f64] = match half {
            true => &[-0.000320392896, 0.0058258795, -0.0482311497, -0.464132507, -1.14916681, -1.00012278],
            false => {
                &[3.35505865e-05, -0.000768236584, 0.00806021592, -0.0533508877, -0.458842685, -1.1511672, -0.999998368]
            }
        };
        let log = self.polynomial(magnitude, log);
        let beyond = self.exp2(log);
        let rest = self.mul(magnitude, beyond);
        self.sub(positive, rest)
    }

    /// The same with a hyperbolic tangent in place of the error function: `x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 *
    /// x**3))`.
    pub fn gelu_tanh(&mut self, x: ValueId) -> ValueId {
        let scale = 2.0 * (2.0 / PI).sqrt();
        let square = self.mul(x, x);
        let factor = self.times(square, -LOG2_E * scale * 0.044715);
        let factor = self.plus(factor, -LOG2_E * scale);
        let power = self.mul(x, factor);
        let power = self.exp2(power);
        let sum = self.plus(power, 1.0);
        let gate = self.recip(sum);
        self.mul(x, gate)
    }

    /// `ln(1 + exp(-|x|))`
    fn log_of_one_and_power(&mut self, x: ValueId) -> ValueId {
        let magnitude = self.abs(x);
        let negative = self.neg(magnitude);
        let power = self.exp(negative);
        self.log_of_one_and_share(power)
    }

    /// `ln(1 + exp(x))`, in a form that does not overflow.
    pub fn softplus(&mut self, x: ValueId) -> ValueId {
        let (positive, rest) = (self.relu(x), self.log_of_one_and_power(x));
        self.add(positive, rest)
    }

    /// `ln(exp(a) + exp(b))`, in a form that does not overflow. Equal infinities have no difference.
    pub fn logaddexp(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let equal = self.cmp(Predicate::Eq, a, b);
        let difference = self.sub(a, b);
        let rest = self.log_of_one_and_power(difference);
        let log_two = self.number(LN_2, self.elem(rest));
        let rest = self.where_(equal, log_two, rest);
        let larger = self.max(a, b);
        self.add(larger, rest)
    }
}
