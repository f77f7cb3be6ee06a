//! Functions of real numbers, as their formulas say them.

use dlc_core::tensor::ElemKind;

const LN_2: f64 = std::f64::consts::LN_2;

/// `1 / sqrt(x)`
pub fn rsqrt(x: f64) -> f64 {
    1.0 / libm::sqrt(x)
}

/// `1 / x`
pub fn reciprocal(x: f64) -> f64 {
    1.0 / x
}

/// `1 / (1 + exp(-x))`
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// `-softplus(-x)`
pub fn logsigmoid(x: f64) -> f64 {
    -softplus(-x)
}

/// `x * sigmoid(x)`
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// `x * sigmoid(1.702 * x)`
pub fn quick_gelu(x: f64) -> f64 {
    x * sigmoid(1.702 * x)
}

/// `x * relu6(x + 3) / 6`
pub fn hardswish(x: f64) -> f64 {
    x * clamp(x + 3.0, 0.0, 6.0) / 6.0
}

/// `x * tanh(softplus(x))`
pub fn mish(x: f64) -> f64 {
    x * libm::tanh(softplus(x))
}

/// `x / (1 + |x|)`
pub fn softsign(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

/// `ln(1 + exp(x))`, in a form that does not overflow.
pub fn softplus(x: f64) -> f64 {
    relu(x) + libm::log1p(libm::exp(-x.abs()))
}

/// The sign; zeros and what is not a number stay.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// What is above zero. Not a maximum with zero: that could turn what is not a number into zero.
pub fn relu(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// Between two bounds; what is not a number stays.
pub fn clamp(x: f64, low: f64, high: f64) -> f64 {
    minimum(maximum(x, low), high)
}

/// The larger; not a number if one is none.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The smaller; not a number if one is none.
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// `x * (1 + erf(x / sqrt(2))) / 2`
pub fn gelu(x: f64) -> f64 {
    x * 0.5 * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

/// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2`
pub fn gelu_tanh(x: f64) -> f64 {
    let scale = libm::sqrt(2.0 / std::f64::consts::PI);
    x * 0.5 * (1.0 + libm::tanh(scale * (x + 0.044715 * x * x * x)))
}

/// `ln(exp(a) + exp(b))`, in a form that does not overflow.
pub fn logaddexp(a: f64, b: f64) -> f64 {
    // Equal infinities have no difference.
    let rest = if a == b { LN_2 } else { libm::log1p(libm::exp(-(a - b).abs())) };
    maximum(a, b) + rest
}

/// An integer with the other sign; a truth value turned.
pub fn negative(kind: ElemKind, x: i64) -> i64 {
    if kind.is_bool() { 1 - x } else { x.wrapping_neg() }
}

/// Between bounds that are truncated to integers, and stay within the type.
pub fn clamp_int(kind: ElemKind, x: i64, low: Option<f64>, high: Option<f64>) -> i64 {
    if kind.is_u64() {
        let x = (x as u64).max(low.map_or(0, |low| low as u64));
        return high.map_or(x, |high| x.min(high as u64)) as i64;
    }
    let bound = |bound: f64| (bound as i64).clamp(kind.lowest(), kind.highest());
    let x = low.map_or(x, |low| x.max(bound(low)));
    high.map_or(x, |high| x.min(bound(high)))
}
