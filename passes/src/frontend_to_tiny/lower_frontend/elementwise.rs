//! Functions of each element.

use dlc_core::tensor::ElemKind;
use dlc_frontend::ops as frontend;
use dlc_ir::body::Use;
use dlc_ir::op::OpDef;
use dlc_ir::types::FloatKind;
use dlc_ir::{OpRef, Type, ValueId};
use dlc_tiny::ops::Predicate;

use super::emit::{Emit, Lower, Values};

const fn rule(op: &'static OpDef, emit: fn(&mut Emit<'_>) -> Values) -> Lower {
    Lower { op, emit }
}

/// The rules of functions of each element.
pub const RULES: &[Lower] = &[
    // What tiny has.
    rule(frontend::Exp2::DEF, |e| e.as_is(Emit::exp2)),
    rule(frontend::Log2::DEF, |e| e.as_is(Emit::log2)),
    rule(frontend::Sqrt::DEF, |e| e.as_is(Emit::sqrt)),
    rule(frontend::Reciprocal::DEF, |e| e.as_is(Emit::recip)),
    rule(frontend::Sin::DEF, |e| e.as_is(Emit::sin)),
    rule(frontend::Neg::DEF, |e| e.as_is(Emit::neg)),
    rule(frontend::Relu::DEF, |e| e.as_is(Emit::relu)),
    rule(frontend::Trunc::DEF, |e| e.as_is(Emit::trunc)),
    rule(frontend::Add::DEF, |e| e.both(Emit::add)),
    rule(frontend::Sub::DEF, |e| e.both(Emit::sub)),
    rule(frontend::Mul::DEF, |e| e.both(Emit::mul)),
    rule(frontend::Div::DEF, |e| e.both(Emit::fdiv)),
    rule(frontend::Pow::DEF, |e| e.both(Emit::pow)),
    rule(frontend::Maximum::DEF, |e| e.both(Emit::max)),
    rule(frontend::Minimum::DEF, |e| e.both(Emit::min)),
    rule(frontend::BitwiseAnd::DEF, |e| e.both(Emit::and)),
    rule(frontend::BitwiseOr::DEF, |e| e.both(Emit::or)),
    rule(frontend::BitwiseXor::DEF, |e| e.both(Emit::xor)),
    rule(frontend::Lshift::DEF, |e| e.both(Emit::shl)),
    rule(frontend::Rshift::DEF, |e| e.both(Emit::shr)),
    rule(frontend::Eq::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Eq, a, b))),
    rule(frontend::Ne::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Ne, a, b))),
    rule(frontend::Lt::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Lt, a, b))),
    rule(frontend::Le::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Le, a, b))),
    rule(frontend::Gt::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Gt, a, b))),
    rule(frontend::Ge::DEF, |e| e.both(|e, a, b| e.cmp(Predicate::Ge, a, b))),
    rule(frontend::Where::DEF, |e| one(e.where_(e.operands[0], e.operands[1], e.operands[2]))),
    rule(frontend::Cast::DEF, |e| one(e.cast(e.operands[0], e.result_elem(0)))),
    // In the type of the operand.
    rule(frontend::Abs::DEF, |e| e.as_is(Emit::magnitude)),
    rule(frontend::Square::DEF, |e| e.as_is(|e, x| e.mul(x, x))),
    rule(frontend::Sign::DEF, |e| e.as_is(sign)),
    rule(frontend::Relu6::DEF, |e| e.as_is(|e, x| e.between(x, Some(0.0), Some(6.0)))),
    rule(frontend::Hardtanh::DEF, hardtanh),
    rule(frontend::Clamp::DEF, clamp),
    rule(frontend::Floor::DEF, |e| e.of_floats(Emit::floor)),
    rule(frontend::Ceil::DEF, |e| e.of_floats(Emit::ceil)),
    rule(frontend::Round::DEF, |e| e.of_floats(Emit::round)),
    rule(frontend::BitwiseNot::DEF, |e| e.as_is(bitwise_not)),
    rule(frontend::LogicalNot::DEF, |e| e.as_is(|e, x| e.cmp_number(Predicate::Eq, x, 0.0))),
    rule(frontend::Isnan::DEF, |e| e.as_is(|e, x| e.cmp(Predicate::Ne, x, x))),
    rule(frontend::Isinf::DEF, |e| e.as_is(isinf)),
    rule(frontend::Isfinite::DEF, |e| e.as_is(isfinite)),
    rule(frontend::Floordiv::DEF, floordiv),
    rule(frontend::Truncdiv::DEF, truncdiv),
    rule(frontend::Mod::DEF, mod_),
    rule(frontend::Fmod::DEF, fmod),
    // In f32, or f64 for f64.
    rule(frontend::Exp::DEF, |e| e.wide(Emit::exp)),
    rule(frontend::Log::DEF, |e| e.wide(Emit::ln)),
    rule(frontend::Log10::DEF, |e| e.wide(Emit::log10)),
    rule(frontend::Rsqrt::DEF, |e| e.wide(rsqrt)),
    rule(frontend::Cos::DEF, |e| e.wide(Emit::cos)),
    rule(frontend::Tan::DEF, |e| e.wide(Emit::tan)),
    rule(frontend::Asin::DEF, |e| e.wide(Emit::asin)),
    rule(frontend::Acos::DEF, |e| e.wide(Emit::acos)),
    rule(frontend::Atan::DEF, |e| e.wide(Emit::atan)),
    rule(frontend::Sinh::DEF, |e| e.wide(Emit::sinh)),
    rule(frontend::Cosh::DEF, |e| e.wide(Emit::cosh)),
    rule(frontend::Tanh::DEF, |e| e.wide(Emit::tanh)),
    rule(frontend::Asinh::DEF, |e| e.wide(Emit::asinh)),
    rule(frontend::Acosh::DEF, |e| e.wide(Emit::acosh)),
    rule(frontend::Atanh::DEF, |e| e.wide(Emit::atanh)),
    rule(frontend::Erf::DEF, |e| e.wide(Emit::erf)),
    rule(frontend::Sigmoid::DEF, |e| e.wide(Emit::sigmoid)),
    rule(frontend::Logsigmoid::DEF, |e| e.wide(logsigmoid)),
    rule(frontend::Silu::DEF, |e| e.wide(|e, x| gated(e, x, 1.0))),
    rule(frontend::QuickGelu::DEF, |e| e.wide(|e, x| gated(e, x, 1.702))),
    rule(frontend::Hardswish::DEF, |e| e.wide(hardswish)),
    rule(frontend::Mish::DEF, |e| e.wide(mish)),
    rule(frontend::Softsign::DEF, |e| e.wide(softsign)),
    rule(frontend::Gelu::DEF, gelu),
    rule(frontend::LeakyRelu::DEF, leaky_relu),
    rule(frontend::Elu::DEF, elu),
    rule(frontend::Celu::DEF, celu),
    rule(frontend::Selu::DEF, selu),
    rule(frontend::Softplus::DEF, softplus),
    rule(frontend::Hardsigmoid::DEF, hardsigmoid),
    rule(frontend::Copysign::DEF, |e| e.wide_all(copysign)),
    rule(frontend::Logaddexp::DEF, |e| e.wide_all(|e, x| e.logaddexp(x[0], x[1]))),
    rule(frontend::Isclose::DEF, isclose),
    rule(frontend::Lerp::DEF, |e| e.wide_all(lerp)),
];

fn one(value: ValueId) -> Values {
    Values::from_elem(value, 1)
}

impl Emit<'_> {
    /// The only result as a function of the only operand, in its type.
    fn as_is(&mut self, function: impl FnOnce(&mut Self, ValueId) -> ValueId) -> Values {
        one(function(self, self.operands[0]))
    }

    /// As [`Emit::as_is`]; integers stay.
    fn of_floats(&mut self, function: impl FnOnce(&mut Self, ValueId) -> ValueId) -> Values {
        match self.is_float(self.elem(self.operands[0])) {
            true => self.as_is(function),
            false => one(self.operands[0]),
        }
    }

    /// The only result as a function of both operands, in their types.
    fn both(&mut self, function: impl FnOnce(&mut Self, ValueId, ValueId) -> ValueId) -> Values {
        one(function(self, self.operands[0], self.operands[1]))
    }

    /// Between bounds, in the type of the value, within which the bounds of integers stay.
    fn between(&mut self, x: ValueId, low: Option<f64>, high: Option<f64>) -> ValueId {
        let elem = self.elem(x);
        let bound = |bound: f64| match ElemKind::of(self.ctx(), elem) {
            Some(kind @ ElemKind::Int { .. }) => {
                let highest = if kind.is_u64() { u64::MAX as f64 } else { kind.highest() as f64 };
                bound.clamp(kind.lowest() as f64, highest)
            }
            _ => bound,
        };
        let (low, high) = (low.map(bound), high.map(bound));
        let mut x = x;
        if let Some(low) = low {
            let low = self.number(low, elem);
            x = self.max(x, low);
        }
        if let Some(high) = high {
            let high = self.number(high, elem);
            x = self.min(x, high);
        }
        x
    }
}

fn sign(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    let elem = e.elem(x);
    let (above, below) = (e.cmp_number(Predicate::Gt, x, 0.0), e.cmp_number(Predicate::Lt, x, 0.0));
    let (one, minus_one) = (e.number(1.0, elem), e.number(-1.0, elem));
    // Zeros stay, and what is not a number.
    let rest = e.where_(below, minus_one, x);
    e.where_(above, one, rest)
}

fn hardtanh(e: &mut Emit<'_>) -> Values {
    let op = frontend::Hardtanh::from(e.source());
    let (low, high) = (op.min_or_default(), op.max_or_default());
    e.as_is(|e, x| e.between(x, Some(low), Some(high)))
}

fn clamp(e: &mut Emit<'_>) -> Values {
    let op = frontend::Clamp::from(e.source());
    let (low, high) = (op.min(), op.max());
    e.as_is(|e, x| e.between(x, low, high))
}

fn bitwise_not(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    // All bits, in two's complement.
    let bits = e.number(-1.0, e.elem(x));
    e.xor(x, bits)
}

/// An infinity has no place among integers, nor in every float.
fn isinf(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    if !e.is_float(e.elem(x)) {
        return e.cmp(Predicate::Ne, x, x);
    }
    let x = e.cast(x, e.compute_type(e.elem(x)));
    let magnitude = e.abs(x);
    e.cmp_number(Predicate::Eq, magnitude, f64::INFINITY)
}

fn isfinite(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    if !e.is_float(e.elem(x)) {
        return e.cmp(Predicate::Eq, x, x);
    }
    let x = e.cast(x, e.compute_type(e.elem(x)));
    let magnitude = e.abs(x);
    e.cmp_number(Predicate::Lt, magnitude, f64::INFINITY)
}

/// An op of two integers, or a function of the quotient of two floats.
fn division<'e>(
    e: &mut Emit<'e>,
    integers: impl FnOnce(&mut Emit<'e>, ValueId, ValueId) -> ValueId,
    floats: impl FnOnce(&mut Emit<'e>, ValueId, ValueId, ValueId) -> ValueId,
) -> Values {
    if !e.is_float(e.result_elem(0)) {
        return e.both(integers);
    }
    e.wide_all(|e, x| {
        let quotient = e.fdiv(x[0], x[1]);
        floats(e, x[0], x[1], quotient)
    })
}

fn floordiv(e: &mut Emit<'_>) -> Values {
    division(e, Emit::floordiv, |e, _, _, quotient| e.floor(quotient))
}

fn truncdiv(e: &mut Emit<'_>) -> Values {
    division(e, Emit::cdiv, |e, _, _, quotient| e.trunc(quotient))
}

fn rest(e: &mut Emit<'_>, a: ValueId, b: ValueId, quotient: ValueId) -> ValueId {
    let whole = e.mul(quotient, b);
    e.sub(a, whole)
}

fn mod_(e: &mut Emit<'_>) -> Values {
    division(e, Emit::floormod, |e, a, b, quotient| {
        let quotient = e.floor(quotient);
        rest(e, a, b, quotient)
    })
}

fn fmod(e: &mut Emit<'_>) -> Values {
    division(e, Emit::cmod, |e, a, b, quotient| {
        let quotient = e.trunc(quotient);
        rest(e, a, b, quotient)
    })
}

fn rsqrt(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    let root = e.sqrt(x);
    e.recip(root)
}

fn logsigmoid(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    let negative = e.neg(x);
    let softplus = e.softplus(negative);
    e.neg(softplus)
}

/// `x * sigmoid(scale * x)`
fn gated(e: &mut Emit<'_>, x: ValueId, scale: f64) -> ValueId {
    let scaled = if scale == 1.0 { x } else { e.times(x, scale) };
    let gate = e.sigmoid(scaled);
    e.mul(x, gate)
}

fn hardswish(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    let moved = e.plus(x, 3.0);
    let gate = e.between(moved, Some(0.0), Some(6.0));
    let product = e.mul(x, gate);
    e.times(product, 1.0 / 6.0)
}

fn mish(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    // Of a power p of e, the tanh of ln(1 + p) is p(p + 2) / (p(p + 2) + 2), which is 1 in f64 from p = exp(20) on.
    let bounded = e.between(x, None, Some(20.0));
    let power = e.exp(bounded);
    let more = e.plus(power, 2.0);
    let part = e.mul(power, more);
    let whole = e.plus(part, 2.0);
    let inverse = e.recip(whole);
    let gate = e.mul(part, inverse);
    e.mul(x, gate)
}

fn softsign(e: &mut Emit<'_>, x: ValueId) -> ValueId {
    let magnitude = e.abs(x);
    let below = e.plus(magnitude, 1.0);
    e.fdiv(x, below)
}

fn gelu(e: &mut Emit<'_>) -> Values {
    let approximate = frontend::Gelu::from(e.source()).approximate();
    let half = is_half(e);
    e.wide(|e, x| match approximate {
        None | Some(frontend::Approximation::None) => e.gelu(x, half),
        Some(frontend::Approximation::Tanh) => e.gelu_tanh(x),
    })
}

/// Whether the result, or all that is computed from it, is rounded to `f16` or `bf16`.
fn is_half(e: &Emit<'_>) -> bool {
    let op = e.source();
    let (ctx, body, result) = (op.ctx, op.body, op.result(0));
    let half = |elem: Type| matches!(elem.float_kind(ctx), Some(FloatKind::F16 | FloatKind::BF16));
    let rounds = |place: Use| {
        let user = OpRef::new(ctx, body, place.op);
        match (frontend::Cast::of(user), frontend::Output::of(user)) {
            (Some(cast), _) => half(cast.elem()),
            (_, Some(output)) => output.elems().is_some_and(|elems| elems.get(place.index).copied().is_some_and(half)),
            _ => false,
        }
    };
    half(e.result_elem(0)) || body.has_uses(result) && body.uses(result).all(rounds)
}

fn leaky_relu(e: &mut Emit<'_>) -> Values {
    let slope = frontend::LeakyRelu::from(e.source()).slope_or_default();
    e.wide(|e, x| {
        let below = e.times(x, slope);
        below_zero(e, x, below, x)
    })
}

fn below_zero(e: &mut Emit<'_>, x: ValueId, below: ValueId, otherwise: ValueId) -> ValueId {
    let is_below = e.cmp_number(Predicate::Lt, x, 0.0);
    e.where_(is_below, below, otherwise)
}

/// `alpha * (exp(x) - 1)`
fn scaled_power(e: &mut Emit<'_>, x: ValueId, alpha: f64) -> ValueId {
    let less = e.expm1(x);
    if alpha == 1.0 { less } else { e.times(less, alpha) }
}

fn elu(e: &mut Emit<'_>) -> Values {
    let alpha = frontend::Elu::from(e.source()).alpha_or_default();
    e.wide(|e, x| {
        let below = scaled_power(e, x, alpha);
        below_zero(e, x, below, x)
    })
}

fn celu(e: &mut Emit<'_>) -> Values {
    let alpha = frontend::Celu::from(e.source()).alpha_or_default();
    e.wide(|e, x| {
        let zero = e.number(0.0, e.elem(x));
        let above = e.max(x, zero);
        let scaled = e.times(x, 1.0 / alpha);
        let power = scaled_power(e, scaled, alpha);
        let below = e.min(power, zero);
        e.add(above, below)
    })
}

fn selu(e: &mut Emit<'_>) -> Values {
    let op = frontend::Selu::from(e.source());
    let (alpha, gamma) = (op.alpha_or_default(), op.gamma_or_default());
    e.wide(|e, x| {
        let below = scaled_power(e, x, alpha);
        let unit = below_zero(e, x, below, x);
        e.times(unit, gamma)
    })
}

fn softplus(e: &mut Emit<'_>) -> Values {
    let beta = frontend::Softplus::from(e.source()).beta_or_default();
    e.wide(|e, x| {
        let sharp = e.times(x, beta);
        let softplus = e.softplus(sharp);
        e.times(softplus, 1.0 / beta)
    })
}

fn hardsigmoid(e: &mut Emit<'_>) -> Values {
    let op = frontend::Hardsigmoid::from(e.source());
    let (alpha, beta) = (op.alpha_or_default(), op.beta_or_default());
    e.wide(|e, x| {
        let line = e.times(x, alpha);
        let line = e.plus(line, beta);
        e.between(line, Some(0.0), Some(1.0))
    })
}

fn copysign(e: &mut Emit<'_>, x: &[ValueId]) -> ValueId {
    let below = e.cmp_number(Predicate::Lt, x[1], 0.0);
    // A negative zero is not below zero, but its inverse is.
    let inverse = e.recip(x[1]);
    let below_inverse = e.cmp_number(Predicate::Lt, inverse, 0.0);
    let negative = e.or(below, below_inverse);
    let magnitude = e.magnitude(x[0]);
    let other = e.neg(magnitude);
    e.where_(negative, other, magnitude)
}

fn isclose(e: &mut Emit<'_>) -> Values {
    let op = frontend::Isclose::from(e.source());
    let (rtol, atol, equal_nan) = (op.rtol_or_default(), op.atol_or_default(), op.equal_nan().is_some());
    e.wide_all(|e, x| {
        let (a, b) = (x[0], x[1]);
        let difference = e.sub(a, b);
        let (difference, a_size, b_size) = (e.abs(difference), e.abs(a), e.abs(b));
        let bound = e.times(b_size, rtol);
        let bound = e.plus(bound, atol);
        let within = e.cmp(Predicate::Le, difference, bound);
        let a_finite = e.cmp_number(Predicate::Lt, a_size, f64::INFINITY);
        let b_finite = e.cmp_number(Predicate::Lt, b_size, f64::INFINITY);
        let finite = e.and(a_finite, b_finite);
        let within = e.and(within, finite);
        let equal = e.cmp(Predicate::Eq, a, b);
        let close = e.or(within, equal);
        if !equal_nan {
            return close;
        }
        let (a_nan, b_nan) = (e.cmp(Predicate::Ne, a, a), e.cmp(Predicate::Ne, b, b));
        let both = e.and(a_nan, b_nan);
        e.or(close, both)
    })
}

fn lerp(e: &mut Emit<'_>, x: &[ValueId]) -> ValueId {
    let difference = e.sub(x[1], x[0]);
    let part = e.mul(difference, x[2]);
    e.add(x[0], part)
}
