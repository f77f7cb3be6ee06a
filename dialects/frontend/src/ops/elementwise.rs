//! Functions with parameters and functions of several operands, each element by itself, named as tinygrad's `Tensor`
//! names them. Sizes are aligned at the right and broadcast, types are promoted as there.

use dlc_core::infer;
use dlc_core::types::Tensor;
use dlc_ir::define::{TypeAttr, Unit, op};

use crate::types::{BoolTensor, IntegerTensor, Real};
use crate::{interp, shape, verify};

dlc_ir::keywords! {
    /// How the Gaussian error linear unit is computed.
    pub enum Approximation: "form" {
        /// By its definition.
        None = "none",
        /// By a hyperbolic tangent.
        Tanh = "tanh",
    }
}

/// What is above zero as it is, and the rest times a slope.
///
/// `out[i] = x if x > 0 else slope * x`
///
/// Integers count as `f32`.
#[op("frontend.leaky_relu", traits(Pure),
     format = "$input (`slope` $slope^)? attr-dict `:` type($out)",
     infer = infer::float, eval = interp::leaky_relu, example = "%y = leaky_relu %x slope 0.1 : tensor<[M, N], f32>")]
pub struct LeakyRelu {
    input: Operand<Tensor>,
    /// The slope below zero; by default 0.01.
    slope: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The exponential linear unit.
///
/// `out[i] = x if x > 0 else alpha * (exp(x) - 1)`
///
/// Integers count as `f32`.
#[op("frontend.elu", traits(Pure),
     format = "$input (`alpha` $alpha^)? attr-dict `:` type($out)",
     infer = infer::float, eval = interp::elu, example = "%y = elu %x alpha 0.5 : tensor<[M, N], f32>")]
pub struct Elu {
    input: Operand<Tensor>,
    /// How far it goes below zero; by default 1.
    alpha: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The continuously differentiable exponential linear unit.
///
/// `out[i] = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`
///
/// Integers count as `f32`.
#[op("frontend.celu", traits(Pure),
     format = "$input (`alpha` $alpha^)? attr-dict `:` type($out)",
     infer = infer::float, verify = verify::celu, eval = interp::celu, example = "%y = celu %x alpha 0.5 : tensor<[M, N], f32>")]
pub struct Celu {
    input: Operand<Tensor>,
    /// How far it goes below zero; not 0; by default 1.
    alpha: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The scaled exponential linear unit.
///
/// `out[i] = gamma * (x if x >= 0 else alpha * (exp(x) - 1))`
///
/// Integers count as `f32`.
#[op("frontend.selu", traits(Pure),
     format = "$input (`alpha` $alpha^)? (`gamma` $gamma^)? attr-dict `:` type($out)",
     infer = infer::float, eval = interp::selu, example = "%y = selu %x : tensor<[M, N], f32>")]
pub struct Selu {
    input: Operand<Tensor>,
    /// How far it goes below zero; by default 1.6732632423543772.
    alpha: OptionalAttr<Real>,
    /// The scale; by default 1.0507009873554805.
    gamma: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// A smooth form of what is above zero.
///
/// `out[i] = ln(1 + exp(beta * x)) / beta`
///
/// Integers count as `f32`.
#[op("frontend.softplus", traits(Pure),
     format = "$input (`beta` $beta^)? attr-dict `:` type($out)",
     infer = infer::float, verify = verify::softplus, eval = interp::softplus, example = "%y = softplus %x beta 2.0 : tensor<[M, N], f32>")]
pub struct Softplus {
    input: Operand<Tensor>,
    /// How sharp it is; not 0; by default 1.
    beta: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The logistic function made of straight pieces.
///
/// `out[i] = min(max(alpha * x + beta, 0), 1)`
///
/// Integers count as `f32`.
#[op("frontend.hardsigmoid", traits(Pure),
     format = "$input (`alpha` $alpha^)? (`beta` $beta^)? attr-dict `:` type($out)",
     infer = infer::float, eval = interp::hardsigmoid, example = "%y = hardsigmoid %x alpha 0.2 : tensor<[M, N], f32>")]
pub struct Hardsigmoid {
    input: Operand<Tensor>,
    /// The slope in the middle; by default 1/6.
    alpha: OptionalAttr<Real>,
    /// The value at zero; by default 0.5.
    beta: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// What is between two bounds, which stand for the rest.
///
/// `out[i] = min(max(x, min), max)`
///
/// What is not a number stays so. Bounds of integers are truncated.
#[op("frontend.hardtanh", traits(Pure),
     format = "$input (`min` $min^)? (`max` $max^)? attr-dict `:` type($out)",
     infer = infer::same, eval = interp::hardtanh, example = "%y = hardtanh %x min -2.0 : tensor<[M, N], f32>")]
pub struct Hardtanh {
    input: Operand<Tensor>,
    /// The lower bound; by default -1.
    min: OptionalAttr<Real>,
    /// The upper bound; by default 1.
    max: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// What is between bounds, of which one may be absent.
///
/// `out[i] = min(max(x, min), max)`
///
/// What is not a number stays so. Bounds of integers are truncated.
#[op("frontend.clamp", traits(Pure),
     format = "$input (`min` $min^)? (`max` $max^)? attr-dict `:` type($out)",
     infer = infer::same, verify = verify::clamp, eval = interp::clamp, example = "%y = clamp %x min 0.0 max 6.0 : tensor<[M, N], f32>")]
pub struct Clamp {
    input: Operand<Tensor>,
    /// The lower bound.
    min: OptionalAttr<Real>,
    /// The upper bound.
    max: OptionalAttr<Real>,
    out: Result<Tensor>,
}

/// The Gaussian error linear unit.
///
/// `out[i] = x * (1 + erf(x / sqrt(2))) / 2`
///
/// With `approximate tanh`: `out[i] = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2`
///
/// Integers count as `f32`.
#[op("frontend.gelu", traits(Pure), format = "$input (`approximate` $approximate^)? attr-dict `:` type($out)",
     infer = infer::float, eval = interp::gelu, example = "%y = gelu %x approximate tanh : tensor<[M, N], f32>")]
pub struct Gelu {
    input: Operand<Tensor>,
    /// By default none.
    approximate: OptionalAttr<Approximation>,
    out: Result<Tensor>,
}

/// The sum.
///
/// `out[i] = lhs[i] + rhs[i]`
///
/// Of `i1`: whether one of them is true.
#[op("frontend.add", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::add, example = "%y = add %a, %b : tensor<[M, N], f32>")]
pub struct Add {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The difference.
///
/// `out[i] = lhs[i] - rhs[i]`
#[op("frontend.sub", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::sub, example = "%y = sub %a, %b : tensor<[M, N], f32>")]
pub struct Sub {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The product.
///
/// `out[i] = lhs[i] * rhs[i]`
///
/// Of `i1`: whether both are true.
#[op("frontend.mul", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::mul, example = "%y = mul %a, %b : tensor<[M, N], f32>")]
pub struct Mul {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The quotient of floats.
///
/// `out[i] = lhs[i] / rhs[i]`
///
/// Integers are divided as `f32`.
#[op("frontend.div", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::floats, eval = interp::div, example = "%y = div %a, %b : tensor<[M, N], f32>")]
pub struct Div {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The quotient rounded down.
///
/// `out[i] = floor(lhs[i] / rhs[i])`
///
/// Integers divided by zero are divided by one.
#[op("frontend.floordiv", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::floordiv, example = "%y = floordiv %a, %b : tensor<[M, N], f32>")]
pub struct Floordiv {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The quotient rounded towards zero.
///
/// `out[i] = trunc(lhs[i] / rhs[i])`
///
/// Integers divided by zero are divided by one.
#[op("frontend.truncdiv", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::truncdiv, example = "%y = truncdiv %a, %b : tensor<[M, N], f32>")]
pub struct Truncdiv {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// What `floordiv` leaves; it has the sign of the right side.
///
/// `out[i] = lhs[i] - floor(lhs[i] / rhs[i]) * rhs[i]`
///
/// Of integers divided by zero it is 0.
#[op("frontend.mod", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::mod_, example = "%y = mod %a, %b : tensor<[M, N], f32>")]
pub struct Mod {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// What `truncdiv` leaves; it has the sign of the left side.
///
/// `out[i] = lhs[i] - trunc(lhs[i] / rhs[i]) * rhs[i]`
///
/// Of integers divided by zero it is the left side.
#[op("frontend.fmod", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::fmod, example = "%y = fmod %a, %b : tensor<[M, N], f32>")]
pub struct Fmod {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The power.
///
/// `out[i] = lhs[i] ** rhs[i]`
///
/// An integer to a negative power is 0, but for 1 and -1.
#[op("frontend.pow", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::pow, example = "%y = pow %a, %b : tensor<[M, N], f32>")]
pub struct Pow {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The larger; not a number if one of them is none.
///
/// `out[i] = max(lhs[i], rhs[i])`
#[op("frontend.maximum", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::maximum, example = "%y = maximum %a, %b : tensor<[M, N], f32>")]
pub struct Maximum {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The smaller; not a number if one of them is none.
///
/// `out[i] = min(lhs[i], rhs[i])`
#[op("frontend.minimum", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::minimum, example = "%y = minimum %a, %b : tensor<[M, N], f32>")]
pub struct Minimum {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The left number with the sign of the right one; zero has a sign.
///
/// `out[i] = |lhs[i]| * (-1 if rhs[i] is negative else 1)`
///
/// Integers count as `f32`.
#[op("frontend.copysign", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::floats, eval = interp::copysign, example = "%y = copysign %a, %b : tensor<[M, N], f32>")]
pub struct Copysign {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The logarithm of the sum of exponentials.
///
/// `out[i] = ln(exp(lhs[i]) + exp(rhs[i]))`
///
/// Integers count as `f32`.
#[op("frontend.logaddexp", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::floats, eval = interp::logaddexp, example = "%y = logaddexp %a, %b : tensor<[M, N], f32>")]
pub struct Logaddexp {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The bits that both have.
///
/// `out[i] = lhs[i] & rhs[i]`
#[op("frontend.bitwise_and", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::bitwise_and, example = "%y = bitwise_and %a, %b : tensor<[M, N], i32>")]
pub struct BitwiseAnd {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits that one or both have.
///
/// `out[i] = lhs[i] | rhs[i]`
#[op("frontend.bitwise_or", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::bitwise_or, example = "%y = bitwise_or %a, %b : tensor<[M, N], i32>")]
pub struct BitwiseOr {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits that exactly one has.
///
/// `out[i] = lhs[i] ^ rhs[i]`
#[op("frontend.bitwise_xor", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::numbers, eval = interp::bitwise_xor, example = "%y = bitwise_xor %a, %b : tensor<[M, N], i32>")]
pub struct BitwiseXor {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits moved up, zeros following; by the width or more it is 0.
///
/// `out[i] = lhs[i] * 2 ** rhs[i]`
///
/// The result is of the left type. By a negative number it is 0.
#[op("frontend.lshift", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::shift, eval = interp::lshift, example = "%y = lshift %a, %b : tensor<[M, N], i32>")]
pub struct Lshift {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits moved down; the sign follows, or zeros in a type without.
///
/// `out[i] = floor(lhs[i] / 2 ** rhs[i])`
///
/// The result is of the left type. By a negative number it is what moving by the width is.
#[op("frontend.rshift", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::shift, eval = interp::rshift, example = "%y = rshift %a, %b : tensor<[M, N], i32>")]
pub struct Rshift {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// Whether both are equal.
///
/// `out[i] = (lhs[i] == rhs[i])`
#[op("frontend.eq", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::eq, example = "%y = eq %a, %b : tensor<[M, N], i1>")]
pub struct Eq {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether both differ; what is not a number differs from all.
///
/// `out[i] = (lhs[i] != rhs[i])`
#[op("frontend.ne", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::ne, example = "%y = ne %a, %b : tensor<[M, N], i1>")]
pub struct Ne {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether the left one is smaller.
///
/// `out[i] = (lhs[i] < rhs[i])`
#[op("frontend.lt", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::lt, example = "%y = lt %a, %b : tensor<[M, N], i1>")]
pub struct Lt {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether the left one is smaller, or they are equal.
///
/// `out[i] = (lhs[i] <= rhs[i])`
#[op("frontend.le", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::le, example = "%y = le %a, %b : tensor<[M, N], i1>")]
pub struct Le {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether the left one is larger.
///
/// `out[i] = (lhs[i] > rhs[i])`
#[op("frontend.gt", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::gt, example = "%y = gt %a, %b : tensor<[M, N], i1>")]
pub struct Gt {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether the left one is larger, or they are equal.
///
/// `out[i] = (lhs[i] >= rhs[i])`
#[op("frontend.ge", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::ge, example = "%y = ge %a, %b : tensor<[M, N], i1>")]
pub struct Ge {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// Whether two numbers are close: both finite and `|lhs - rhs| <= atol + rtol * |rhs|`, or equal.
#[op("frontend.isclose", traits(Pure),
     format = "$lhs `,` $rhs (`rtol` $rtol^)? (`atol` $atol^)? (`equal_nan` $equal_nan^)? attr-dict `:` type($out)",
     infer = infer::compare, eval = interp::isclose,
     example = "%y = isclose %a, %b rtol 0.001 : tensor<[M, N], i1>")]
pub struct Isclose {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    /// By default 1.0e-5.
    rtol: OptionalAttr<Real>,
    /// By default 1.0e-8.
    atol: OptionalAttr<Real>,
    /// Two that are not numbers are close.
    equal_nan: OptionalAttr<Unit>,
    out: Result<BoolTensor>,
}

/// One of two elements, by a condition.
///
/// `out[i] = then[i] if condition[i] else otherwise[i]`
#[op("frontend.where", traits(Pure), format = "$condition `,` $then `,` $otherwise attr-dict `:` type($out)",
     infer = infer::select, eval = interp::where_, example = "%y = where %c, %a, %b : tensor<[M, N], f32>")]
pub struct Where {
    condition: Operand<BoolTensor>,
    then: Operand<Tensor>,
    otherwise: Operand<Tensor>,
    out: Result<Tensor>,
}

/// A number between two, or beyond them.
///
/// `out[i] = start[i] + (end[i] - start[i]) * weight[i]`
///
/// Integers count as `f32`.
#[op("frontend.lerp", traits(Pure), format = "$start `,` $end `,` $weight attr-dict `:` type($out)",
     infer = shape::lerp, eval = interp::lerp, example = "%y = lerp %a, %b, %w : tensor<[M, N], f32>")]
pub struct Lerp {
    start: Operand<Tensor>,
    end: Operand<Tensor>,
    weight: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The elements as another type: to a float rounded to the nearest; to an integer towards zero and then modulo two to
/// the power of the width; to `i1` whether they differ from zero.
#[op("frontend.cast", traits(Pure, Cast), format = "$input `to` $elem attr-dict `:` type($out)", infer = shape::cast,
     eval = interp::cast, example = "%y = cast %x to f16 : tensor<[M, N], f16>")]
pub struct Cast {
    input: Operand<Tensor>,
    elem: Attr<TypeAttr>,
    out: Result<Tensor>,
}

/// What parameters are when they are not written.
macro_rules! defaults {
    ($($op:ident { $($(#[$doc:meta])+ $method:ident = $param:ident or $value:expr;)+ })+) => {$(
        impl $op<'_> {$(
            $(#[$doc])+
            pub fn $method(self) -> f64 {
                self.$param().unwrap_or($value)
            }
        )+}
    )+};
}

defaults! {
    LeakyRelu {
        /// The slope below zero.
        slope_or_default = slope or 0.01;
    }
    Elu {
        /// How far it goes below zero.
        alpha_or_default = alpha or 1.0;
    }
    Celu {
        /// How far it goes below zero.
        alpha_or_default = alpha or 1.0;
    }
    Selu {
        /// How far it goes below zero.
        alpha_or_default = alpha or 1.6732632423543772;
        /// The scale.
        gamma_or_default = gamma or 1.0507009873554805;
    }
    Softplus {
        /// How sharp it is.
        beta_or_default = beta or 1.0;
    }
    Hardsigmoid {
        /// The slope in the middle.
        alpha_or_default = alpha or 1.0 / 6.0;
        /// The value at zero.
        beta_or_default = beta or 0.5;
    }
    Hardtanh {
        /// The lower bound.
        min_or_default = min or -1.0;
        /// The upper bound.
        max_or_default = max or 1.0;
    }
    Isclose {
        /// The relative tolerance.
        rtol_or_default = rtol or 1e-5;
        /// The absolute tolerance.
        atol_or_default = atol or 1e-8;
    }
}
