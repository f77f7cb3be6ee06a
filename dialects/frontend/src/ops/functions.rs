//! Functions of one operand without parameters, each element by itself, named as tinygrad's `Tensor` names them.
//!
//! Where a formula says `x`, it is `input[i]`.

use dlc_core::infer;
use dlc_core::types::Tensor;
use dlc_ir::define::op;
use dlc_ir::interp::{Eval, EvalResult};

use crate::interp::{self, functions};
use crate::types::IntegerTensor;

/// Declares functions that give floats; integers count as `f32`. Each line has the op, its name, an example and the
/// function of an `f64`.
macro_rules! float_functions {
    ($($(#[$doc:meta])+ $op:ident $name:tt $example:tt = $function:expr;)+) => {$(
        $(#[$doc])+
        ///
        /// Integers count as `f32`.
        #[op($name, traits(Pure), format = "$input attr-dict `:` type($out)", infer = infer::float,
             eval = $op::run, example = $example)]
        pub struct $op {
            input: Operand<Tensor>,
            out: Result<Tensor>,
        }

        impl $op<'_> {
            fn run(cx: &mut Eval<'_, '_>) -> EvalResult {
                interp::float(cx, &$function)
            }
        }
    )+};
}

float_functions! {
    /// The exponential.
    ///
    /// `out[i] = exp(input[i])`
    Exp "frontend.exp" "%y = exp %x : tensor<[M, N], f32>" = libm::exp;
    /// Two to the power of it.
    ///
    /// `out[i] = 2 ** input[i]`
    Exp2 "frontend.exp2" "%y = exp2 %x : tensor<[M, N], f32>" = libm::exp2;
    /// The natural logarithm.
    ///
    /// `out[i] = ln(input[i])`
    Log "frontend.log" "%y = log %x : tensor<[M, N], f32>" = libm::log;
    /// The logarithm to the base of two.
    ///
    /// `out[i] = log2(input[i])`
    Log2 "frontend.log2" "%y = log2 %x : tensor<[M, N], f32>" = libm::log2;
    /// The logarithm to the base of ten.
    ///
    /// `out[i] = log10(input[i])`
    Log10 "frontend.log10" "%y = log10 %x : tensor<[M, N], f32>" = libm::log10;
    /// The square root.
    ///
    /// `out[i] = sqrt(input[i])`
    Sqrt "frontend.sqrt" "%y = sqrt %x : tensor<[M, N], f32>" = libm::sqrt;
    /// One divided by the square root.
    ///
    /// `out[i] = 1 / sqrt(input[i])`
    Rsqrt "frontend.rsqrt" "%y = rsqrt %x : tensor<[M, N], f32>" = functions::rsqrt;
    /// One divided by it.
    ///
    /// `out[i] = 1 / input[i]`
    Reciprocal "frontend.reciprocal" "%y = reciprocal %x : tensor<[M, N], f32>" = functions::reciprocal;
    /// The sine of an angle in radians.
    ///
    /// `out[i] = sin(input[i])`
    Sin "frontend.sin" "%y = sin %x : tensor<[M, N], f32>" = libm::sin;
    /// The cosine of an angle in radians.
    ///
    /// `out[i] = cos(input[i])`
    Cos "frontend.cos" "%y = cos %x : tensor<[M, N], f32>" = libm::cos;
    /// The tangent of an angle in radians.
    ///
    /// `out[i] = tan(input[i])`
    Tan "frontend.tan" "%y = tan %x : tensor<[M, N], f32>" = libm::tan;
    /// The angle with a sine, between -pi/2 and pi/2.
    ///
    /// `out[i] = asin(input[i])`
    Asin "frontend.asin" "%y = asin %x : tensor<[M, N], f32>" = libm::asin;
    /// The angle with a cosine, between 0 and pi.
    ///
    /// `out[i] = acos(input[i])`
    Acos "frontend.acos" "%y = acos %x : tensor<[M, N], f32>" = libm::acos;
    /// The angle with a tangent, between -pi/2 and pi/2.
    ///
    /// `out[i] = atan(input[i])`
    Atan "frontend.atan" "%y = atan %x : tensor<[M, N], f32>" = libm::atan;
    /// The hyperbolic sine.
    ///
    /// `out[i] = (exp(x) - exp(-x)) / 2`
    Sinh "frontend.sinh" "%y = sinh %x : tensor<[M, N], f32>" = libm::sinh;
    /// The hyperbolic cosine.
    ///
    /// `out[i] = (exp(x) + exp(-x)) / 2`
    Cosh "frontend.cosh" "%y = cosh %x : tensor<[M, N], f32>" = libm::cosh;
    /// The hyperbolic tangent.
    ///
    /// `out[i] = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`
    Tanh "frontend.tanh" "%y = tanh %x : tensor<[M, N], f32>" = libm::tanh;
    /// The inverse of the hyperbolic sine.
    ///
    /// `out[i] = ln(x + sqrt(x**2 + 1))`
    Asinh "frontend.asinh" "%y = asinh %x : tensor<[M, N], f32>" = libm::asinh;
    /// The inverse of the hyperbolic cosine; not a number below 1.
    ///
    /// `out[i] = ln(x + sqrt(x**2 - 1))`
    Acosh "frontend.acosh" "%y = acosh %x : tensor<[M, N], f32>" = libm::acosh;
    /// The inverse of the hyperbolic tangent; not a number beyond -1 and 1.
    ///
    /// `out[i] = ln((1 + x) / (1 - x)) / 2`
    Atanh "frontend.atanh" "%y = atanh %x : tensor<[M, N], f32>" = libm::atanh;
    /// The error function.
    ///
    /// `out[i] = 2 / sqrt(pi) * (integral of exp(-t**2) for t from 0 to x)`
    Erf "frontend.erf" "%y = erf %x : tensor<[M, N], f32>" = libm::erf;
    /// The logistic function.
    ///
    /// `out[i] = 1 / (1 + exp(-x))`
    Sigmoid "frontend.sigmoid" "%y = sigmoid %x : tensor<[M, N], f32>" = functions::sigmoid;
    /// The logarithm of the logistic function.
    ///
    /// `out[i] = -ln(1 + exp(-x))`
    Logsigmoid "frontend.logsigmoid" "%y = logsigmoid %x : tensor<[M, N], f32>" = functions::logsigmoid;
    /// The sigmoid linear unit, also known as swish.
    ///
    /// `out[i] = x * sigmoid(x)`
    Silu "frontend.silu" "%y = silu %x : tensor<[M, N], f32>" = functions::silu;
    /// The Gaussian error linear unit, by a logistic function.
    ///
    /// `out[i] = x * sigmoid(1.702 * x)`
    QuickGelu "frontend.quick_gelu" "%y = quick_gelu %x : tensor<[M, N], f32>" = functions::quick_gelu;
    /// Swish made of straight pieces.
    ///
    /// `out[i] = x * relu6(x + 3) / 6`
    Hardswish "frontend.hardswish" "%y = hardswish %x : tensor<[M, N], f32>" = functions::hardswish;
    /// The self regularized activation function Mish.
    ///
    /// `out[i] = x * tanh(softplus(x))`
    Mish "frontend.mish" "%y = mish %x : tensor<[M, N], f32>" = functions::mish;
    /// What is between -1 and 1, by a division.
    ///
    /// `out[i] = x / (1 + |x|)`
    Softsign "frontend.softsign" "%y = softsign %x : tensor<[M, N], f32>" = functions::softsign;
}

/// Declares functions whose result has the type of the operand. Each line has the op, its name, an example, the function
/// of an `f64` and that of an integer.
macro_rules! functions {
    ($($(#[$doc:meta])+ $op:ident $name:tt $example:tt = $float:expr, $int:expr;)+) => {$(
        $(#[$doc])+
        #[op($name, traits(Pure), format = "$input attr-dict `:` type($out)", infer = infer::same,
             eval = $op::run, example = $example)]
        pub struct $op {
            input: Operand<Tensor>,
            out: Result<Tensor>,
        }

        impl $op<'_> {
            fn run(cx: &mut Eval<'_, '_>) -> EvalResult {
                interp::same(cx, &$float, &$int)
            }
        }
    )+};
}

functions! {
    /// The negative; of `i1` the opposite.
    ///
    /// `out[i] = -x`
    Neg "frontend.neg" "%y = neg %x : tensor<[M, N], f32>" = |x| -x, functions::negative;
    /// The number without its sign.
    ///
    /// `out[i] = |x|`
    Abs "frontend.abs" "%y = abs %x : tensor<[M, N], f32>" = libm::fabs, |kind, x| if kind.is_u64() { x } else { x.wrapping_abs() };
    /// The square.
    ///
    /// `out[i] = x * x`
    Square "frontend.square" "%y = square %x : tensor<[M, N], f32>" = |x| x * x, |_, x| x.wrapping_mul(x);
    /// -1, 0 or 1; what is not a number stays so.
    ///
    /// `out[i] = -1 if x < 0, 1 if x > 0, else x`
    Sign "frontend.sign" "%y = sign %x : tensor<[M, N], f32>" = functions::sign, |kind, x| if kind.is_u64() { (x != 0).into() } else { x.signum() };
    /// What is above zero, and zero for the rest.
    ///
    /// `out[i] = max(x, 0)`
    ///
    /// What is not a number stays so.
    Relu "frontend.relu" "%y = relu %x : tensor<[M, N], f32>" = functions::relu, |kind, x| if kind.is_u64() { x } else { x.max(0) };
    /// What is above zero, up to 6.
    ///
    /// `out[i] = min(max(x, 0), 6)`
    ///
    /// What is not a number stays so.
    Relu6 "frontend.relu6" "%y = relu6 %x : tensor<[M, N], f32>" = |x| functions::clamp(x, 0.0, 6.0), |kind, x| functions::clamp_int(kind, x, Some(0.0), Some(6.0));
    /// The next whole number below.
    ///
    /// `out[i] = floor(x)`
    ///
    /// Integers stay.
    Floor "frontend.floor" "%y = floor %x : tensor<[M, N], f32>" = libm::floor, |_, x| x;
    /// The next whole number above.
    ///
    /// `out[i] = ceil(x)`
    ///
    /// Integers stay.
    Ceil "frontend.ceil" "%y = ceil %x : tensor<[M, N], f32>" = libm::ceil, |_, x| x;
    /// The next whole number towards zero.
    ///
    /// `out[i] = trunc(x)`
    ///
    /// Integers stay.
    Trunc "frontend.trunc" "%y = trunc %x : tensor<[M, N], f32>" = libm::trunc, |_, x| x;
    /// The nearest whole number; of two, the even one.
    ///
    /// `out[i] = round(x)`
    ///
    /// Integers stay.
    Round "frontend.round" "%y = round %x : tensor<[M, N], f32>" = libm::rint, |_, x| x;
}

/// Declares questions about an element: truth values. Each line has the op, its name, an example and the question about
/// an `f64`.
macro_rules! questions {
    ($($(#[$doc:meta])+ $op:ident $name:tt $example:tt = $question:expr;)+) => {$(
        $(#[$doc])+
        #[op($name, traits(Pure), format = "$input attr-dict `:` type($out)", infer = infer::truth,
             eval = $op::run, example = $example)]
        pub struct $op {
            input: Operand<Tensor>,
            out: Result<Tensor>,
        }

        impl $op<'_> {
            fn run(cx: &mut Eval<'_, '_>) -> EvalResult {
                interp::float(cx, &|x| f64::from(u8::from($question(x))))
            }
        }
    )+};
}

questions! {
    /// Whether it is not a number.
    Isnan "frontend.isnan" "%y = isnan %x : tensor<[M, N], i1>" = f64::is_nan;
    /// Whether it is infinite, of either sign.
    Isinf "frontend.isinf" "%y = isinf %x : tensor<[M, N], i1>" = f64::is_infinite;
    /// Whether it is a number and not infinite.
    Isfinite "frontend.isfinite" "%y = isfinite %x : tensor<[M, N], i1>" = f64::is_finite;
    /// Whether it is zero.
    ///
    /// `out[i] = (input[i] == 0)`
    LogicalNot "frontend.logical_not" "%y = logical_not %x : tensor<[M, N], i1>" = |x| x == 0.0;
}

/// Every bit turned.
///
/// `out[i] = ~input[i]`
#[op("frontend.bitwise_not", traits(Pure), format = "$input attr-dict `:` type($out)", infer = infer::same,
     eval = interp::bitwise_not, example = "%y = bitwise_not %x : tensor<[M, N], i32>")]
pub struct BitwiseNot {
    input: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}
