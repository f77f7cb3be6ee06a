//! The functions of single numbers that the layers of tensors have in common, and what they mean.
//!
//! Each is computed in `f64`, or in integers modulo two to the power of the width, and rounded once to the type of the
//! result. Operands of different types meet in their common type ([`promote`]).

use dlc_ir::attrs::AttrData;
use dlc_ir::op::BrokenRule;
use dlc_ir::{Attr, Context, Type, float};

use crate::broadcast::promote;
use crate::eval::integer::{floor_quotient, power, quotient};
use crate::infer::as_float;
use crate::precision::{self, Precision};
use crate::tensor::{Combine, ElemKind, TensorValue};

dlc_ir::keywords! {
    /// A function of one number.
    pub enum Unary: "function of one number" {
        /// The negative.
        Neg = "neg",
        /// What is above zero. Not a maximum with zero: that could turn what is not a number into zero.
        Relu = "relu",
        /// The whole number next towards zero.
        Trunc = "trunc",
        /// One divided by it.
        Recip = "recip",
        /// The square root.
        Sqrt = "sqrt",
        /// Two to the power of it.
        Exp2 = "exp2",
        /// The logarithm to the base of two.
        Log2 = "log2",
        /// The sine.
        Sin = "sin",
        /// The number of `tf32` that is nearest to one of `f32`, ties away from zero. Floats of fewer bits have no more digits
        /// than `tf32`; one of `f64` is rounded to `f32` first.
        Tf32 = "tf32",
        /// The high one of the two numbers of `tf32` that `tf32x3` multiplies a number of `f32` as.
        Tf32High = "tf32_high",
        /// The low one: the sum of both is the number, but for 2^-23 of it.
        Tf32Low = "tf32_low",
    }
}

dlc_ir::keywords! {
    /// A function of two numbers. Comparisons give `i1`.
    pub enum Binary: "function of two numbers" {
        /// The sum; of `i1`, whether one is true.
        Add = "add",
        /// The difference.
        Sub = "sub",
        /// The product.
        Mul = "mul",
        /// The larger; not a number if one of them is none.
        Max = "max",
        /// The smaller; not a number if one of them is none.
        Min = "min",
        /// The quotient of floats; integers are divided as `f32`.
        Fdiv = "fdiv",
        /// The power. An integer to a negative power is 0, but for 1 and -1.
        Pow = "pow",
        /// The quotient of integers, rounded towards zero. By zero it is what dividing by one is.
        Cdiv = "cdiv",
        /// What `cdiv` leaves.
        Cmod = "cmod",
        /// The quotient of integers, rounded down.
        Floordiv = "floordiv",
        /// What `floordiv` leaves.
        Floormod = "floormod",
        /// The bits of both.
        And = "and",
        /// The bits of one or both.
        Or = "or",
        /// The bits of one.
        Xor = "xor",
        /// The bits moved up; the amount keeps its own type.
        Shl = "shl",
        /// The bits moved down; the amount keeps its own type.
        Shr = "shr",
        /// Whether both are equal.
        Eq = "eq",
        /// Whether they differ.
        Ne = "ne",
        /// Whether the first is less.
        Lt = "lt",
        /// Whether the first is not greater.
        Le = "le",
        /// Whether the first is greater.
        Gt = "gt",
        /// Whether the first is not less.
        Ge = "ge",
    }
}

dlc_ir::keywords! {
    /// How many numbers become one.
    pub enum Combiner: "combiner" {
        /// Their sum; of `i1`, whether one is true.
        Sum = "sum",
        /// Their product; of `i1`, whether all are true.
        Prod = "prod",
        /// The largest.
        Max = "max",
        /// The smallest.
        Min = "min",
    }
}

dlc_ir::keywords! {
    /// How the running value of a scan goes on from one element to the next.
    pub enum ScanCombiner: "combiner" {
        /// The sum of the elements; of `i1`, whether one is true.
        Sum = "sum",
        /// The product; of `i1`, whether all are true.
        Prod = "prod",
        /// The largest.
        Max = "max",
        /// The smallest.
        Min = "min",
        /// A linear recurrence of two operands: the running value times an element of the first, plus one of the second.
        Linear = "linear",
    }
}

impl Unary {
    /// The type of the result.
    pub fn elem(self, ctx: &Context, input: Type) -> Type {
        match self {
            Unary::Neg | Unary::Relu | Unary::Trunc => input,
            _ => as_float(ctx, input),
        }
    }

    /// The function of each element, rounded to `elem`.
    pub fn eval(self, ctx: &Context, input: &TensorValue, elem: Type) -> Result<TensorValue, String> {
        let input = as_elem(ctx, input, elem)?;
        if elem.float_kind(ctx).is_none() {
            let kind = ElemKind::known(ctx, elem)?;
            return input.map_int(ctx, elem, |x| match self {
                Unary::Neg if kind.is_bool() => 1 - x,
                Unary::Neg => x.wrapping_neg(),
                Unary::Relu if !kind.is_u64() => x.max(0),
                _ => x,
            });
        }
        match self {
            Unary::Neg => input.map_float(ctx, elem, |x| -x),
            Unary::Relu => input.map_float(ctx, elem, |x| if x <= 0.0 { 0.0 } else { x }),
            Unary::Trunc => input.map_float(ctx, elem, f64::trunc),
            Unary::Recip => input.map_float(ctx, elem, |x| 1.0 / x),
            Unary::Sqrt => input.map_float(ctx, elem, f64::sqrt),
            Unary::Exp2 => input.map_float(ctx, elem, libm::exp2),
            Unary::Log2 => input.map_float(ctx, elem, libm::log2),
            Unary::Sin => input.map_float(ctx, elem, libm::sin),
            Unary::Tf32 => input.map_float(ctx, elem, |x| f64::from(precision::round(x as f32))),
            Unary::Tf32High => input.map_float(ctx, elem, |x| f64::from(Precision::Tf32x3.split(x as f32)[0])),
            Unary::Tf32Low => input.map_float(ctx, elem, |x| f64::from(Precision::Tf32x3.split(x as f32)[1])),
        }
    }
}

impl Binary {
    /// Whether it gives `i1`, whatever it is given.
    pub fn is_comparison(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
    }

    /// Whether the order of the operands does not matter.
    pub fn is_commutative(self) -> bool {
        use Binary::{Add, And, Eq, Max, Min, Mul, Ne, Or, Xor};
        matches!(self, Add | Mul | Max | Min | And | Or | Xor | Eq | Ne)
    }

    /// The type of the result. Errors where the operands have no common type.
    pub fn elem(self, ctx: &Context, lhs: Type, rhs: Type) -> Result<Type, BrokenRule> {
        Ok(match self {
            _ if self.is_comparison() => promote(ctx, lhs, rhs).map(|_| Type::I1)?,
            Binary::Shl | Binary::Shr => lhs,
            Binary::Fdiv => as_float(ctx, promote(ctx, lhs, rhs)?),
            _ => promote(ctx, lhs, rhs)?,
        })
    }

    /// The function of each pair of elements, broadcast, rounded to `elem`.
    pub fn eval(self, ctx: &Context, lhs: &TensorValue, rhs: &TensorValue, elem: Type) -> Result<TensorValue, String> {
        if self.is_comparison() {
            return self.compare(ctx, lhs, rhs);
        }
        if matches!(self, Binary::Shl | Binary::Shr) {
            return self.shift(ctx, lhs, rhs, elem);
        }
        let (a, b) = (as_elem(ctx, lhs, elem)?, as_elem(ctx, rhs, elem)?);
        if elem.float_kind(ctx).is_some() {
            return match self {
                Binary::Add => a.zip_float(ctx, &b, elem, |a, b| a + b),
                Binary::Sub => a.zip_float(ctx, &b, elem, |a, b| a - b),
                Binary::Mul => a.zip_float(ctx, &b, elem, |a, b| a * b),
                // Not `f64::max`, which would take what is a number over what is none.
                Binary::Max => a.zip_float(ctx, &b, elem, |a, b| if a.is_nan() || a > b { a } else { b }),
                Binary::Min => a.zip_float(ctx, &b, elem, |a, b| if a.is_nan() || a < b { a } else { b }),
                Binary::Fdiv => a.zip_float(ctx, &b, elem, |a, b| a / b),
                Binary::Pow => a.zip_float(ctx, &b, elem, libm::pow),
                _ => a.zip_float(ctx, &b, elem, |_, _| f64::NAN),
            };
        }
        let kind = ElemKind::known(ctx, elem)?;
        match self {
            Binary::Add if kind.is_bool() => a.zip_int(ctx, &b, elem, |a, b| a | b),
            Binary::Add => a.zip_int(ctx, &b, elem, i64::wrapping_add),
            Binary::Sub => a.zip_int(ctx, &b, elem, i64::wrapping_sub),
            Binary::Mul => a.zip_int(ctx, &b, elem, i64::wrapping_mul),
            Binary::Max if kind.is_u64() => a.zip_int(ctx, &b, elem, |a, b| (a as u64).max(b as u64) as i64),
            Binary::Max => a.zip_int(ctx, &b, elem, i64::max),
            Binary::Min if kind.is_u64() => a.zip_int(ctx, &b, elem, |a, b| (a as u64).min(b as u64) as i64),
            Binary::Min => a.zip_int(ctx, &b, elem, i64::min),
            Binary::Pow => a.zip_int(ctx, &b, elem, |a, b| power(kind, a, b)),
            Binary::Cdiv => a.zip_int(ctx, &b, elem, |a, b| quotient(kind, a, b)),
            // Of a division by zero the left side, as it is what the formula says.
            Binary::Cmod => a.zip_int(ctx, &b, elem, |a, b| a.wrapping_sub(quotient(kind, a, b).wrapping_mul(b))),
            Binary::Floordiv => a.zip_int(ctx, &b, elem, |a, b| floor_quotient(kind, a, b)),
            Binary::Floormod => a.zip_int(ctx, &b, elem, |a, b| {
                a.wrapping_sub(floor_quotient(kind, a, b).wrapping_mul(if b == 0 { 1 } else { b }))
            }),
            Binary::And => a.zip_int(ctx, &b, elem, |a, b| a & b),
            Binary::Or => a.zip_int(ctx, &b, elem, |a, b| a | b),
            Binary::Xor => a.zip_int(ctx, &b, elem, |a, b| a ^ b),
            _ => a.zip_int(ctx, &b, elem, |_, _| 0),
        }
    }

    /// A shift: the amount keeps its own type, so that an `i8` may be moved by an `i64`.
    fn shift(self, ctx: &Context, a: &TensorValue, b: &TensorValue, elem: Type) -> Result<TensorValue, String> {
        let (kind, amount) = (ElemKind::known(ctx, elem)?, b.kind());
        a.zip_int(ctx, b, elem, |a, b| {
            let by = if amount.is_u64() { u32::try_from(b as u64).ok() } else { u32::try_from(b).ok() };
            let by = by.filter(|by| *by < kind.bits());
            match (self, kind.is_u64(), by) {
                (Binary::Shl, _, by) => by.map_or(0, |by| a << by),
                (_, true, by) => by.map_or(0, |by| (a as u64 >> by) as i64),
                (_, false, by) => a >> by.unwrap_or(63),
            }
        })
    }

    /// A comparison, in the common type of both sides.
    fn compare(self, ctx: &Context, a: &TensorValue, b: &TensorValue) -> Result<TensorValue, String> {
        let common = promote(ctx, a.elem(), b.elem()).map_err(|broken| broken.message)?;
        let (a, b) = (as_elem(ctx, a, common)?, as_elem(ctx, b, common)?);
        if common.float_kind(ctx).is_some() {
            return match self {
                Binary::Eq => a.compare_float(ctx, &b, |a, b| a == b),
                Binary::Ne => a.compare_float(ctx, &b, |a, b| a != b),
                Binary::Lt => a.compare_float(ctx, &b, |a, b| a < b),
                Binary::Le => a.compare_float(ctx, &b, |a, b| a <= b),
                Binary::Gt => a.compare_float(ctx, &b, |a, b| a > b),
                _ => a.compare_float(ctx, &b, |a, b| a >= b),
            };
        }
        // The order of unsigned numbers is that of signed ones with the highest bit turned.
        let turn = if ElemKind::known(ctx, common)?.is_u64() { i64::MIN } else { 0 };
        match self {
            Binary::Eq => a.compare_int(ctx, &b, |a, b| a == b),
            Binary::Ne => a.compare_int(ctx, &b, |a, b| a != b),
            Binary::Lt => a.compare_int(ctx, &b, |a, b| (a ^ turn) < (b ^ turn)),
            Binary::Le => a.compare_int(ctx, &b, |a, b| (a ^ turn) <= (b ^ turn)),
            Binary::Gt => a.compare_int(ctx, &b, |a, b| (a ^ turn) > (b ^ turn)),
            _ => a.compare_int(ctx, &b, |a, b| (a ^ turn) >= (b ^ turn)),
        }
    }
}

impl Combiner {
    /// What it does to elements.
    pub fn combine(self) -> Combine {
        match self {
            Combiner::Sum => Combine::Sum,
            Combiner::Prod => Combine::Prod,
            Combiner::Max => Combine::Max,
            Combiner::Min => Combine::Min,
        }
    }
}

impl ScanCombiner {
    /// The combiner of one operand; `None` of a recurrence.
    pub fn combiner(self) -> Option<Combiner> {
        match self {
            ScanCombiner::Sum => Some(Combiner::Sum),
            ScanCombiner::Prod => Some(Combiner::Prod),
            ScanCombiner::Max => Some(Combiner::Max),
            ScanCombiner::Min => Some(Combiner::Min),
            ScanCombiner::Linear => None,
        }
    }

    /// For each operand the combiner whose identity, as an element of that operand, leaves the running value as it is.
    pub fn operands(self) -> &'static [Combiner] {
        match self {
            ScanCombiner::Sum => &[Combiner::Sum],
            ScanCombiner::Prod => &[Combiner::Prod],
            ScanCombiner::Max => &[Combiner::Max],
            ScanCombiner::Min => &[Combiner::Min],
            ScanCombiner::Linear => &[Combiner::Prod, Combiner::Sum],
        }
    }

    /// How an element of the last operand becomes part of the running value, which begins with the identity.
    pub fn running(self) -> Combiner {
        self.combiner().unwrap_or(Combiner::Sum)
    }

    /// Whether results are rounded: those of sums, products and recurrences of floats.
    pub fn rounds(self) -> bool {
        !matches!(self, ScanCombiner::Max | ScanCombiner::Min)
    }

    /// Why operands of these types cannot be scanned: a recurrence is of as many operands as it has, and of numbers.
    ///
    /// Errors: the broken rule.
    pub fn check(self, elems: &[Type]) -> Result<(), BrokenRule> {
        let (word, wanted) = (self.word(), self.operands().len());
        if elems.len() != wanted {
            let broken = format!("'{word}' is of {wanted} operand{}, and {} are given", plural(wanted), elems.len());
            return Err(BrokenRule::from(broken).suggest(match self {
                ScanCombiner::Linear => "write the factors first: 'scan linear %a, %b'",
                _ => "of two operands there is 'linear', a recurrence",
            }));
        }
        match self {
            ScanCombiner::Linear if elems.contains(&Type::I1) => {
                Err(BrokenRule::from("a linear recurrence is of numbers, not of truth values")
                    .suggest("cast the operands to a type of numbers"))
            }
            _ => Ok(()),
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl From<Combiner> for ScanCombiner {
    fn from(combiner: Combiner) -> ScanCombiner {
        match combiner {
            Combiner::Sum => ScanCombiner::Sum,
            Combiner::Prod => ScanCombiner::Prod,
            Combiner::Max => ScanCombiner::Max,
            Combiner::Min => ScanCombiner::Min,
        }
    }
}

/// The mark of a sum whose elements may be added in any order, which may differ from run to run: a discardable attribute
/// without value on `reduce`, in the layers down to region. A sum without it has the same bits in every run.
pub const ANY_ORDER: &str = "any_order";

/// The number of a type that changes nothing that it is combined with. Of a float format without infinities the largest
/// number does for a minimum.
pub fn identity_of(ctx: &Context, combiner: Combiner, ty: Type) -> Attr {
    if let Some(kind) = ty.float_kind(ctx) {
        let value = match combiner {
            Combiner::Sum => 0.0,
            Combiner::Prod => 1.0,
            Combiner::Max => -f64::INFINITY,
            Combiner::Min => f64::INFINITY,
        };
        let mut bits = float::encode(value, kind);
        if float::decode(bits, kind).is_nan() {
            // What is next to the bits of NaN is the largest number.
            bits -= 1;
        }
        return ctx.attr(AttrData::Float { ty, bits });
    }
    let kind = ElemKind::of(ctx, ty);
    let value = match (combiner, kind) {
        (Combiner::Prod, _) => 1,
        (Combiner::Max, Some(kind)) => i128::from(kind.lowest()),
        (Combiner::Min, Some(kind)) if kind.is_u64() => i128::from(u64::MAX),
        (Combiner::Min, Some(kind)) => i128::from(kind.highest()),
        _ => 0,
    };
    ctx.int_attr(value, ty)
}

/// Whether a number changes nothing that it is combined with.
pub fn is_identity_of(ctx: &Context, combiner: Combiner, init: Attr, ty: Type) -> bool {
    match ctx.attr_data(init) {
        AttrData::Float { bits, ty } => {
            let Some(kind) = ty.float_kind(ctx) else { return false };
            let value = float::decode(*bits, kind);
            // Some formats have no infinity: then the largest number is.
            let largest = float::decode(float::encode(f64::INFINITY, kind), kind);
            match combiner {
                Combiner::Sum => value == 0.0,
                Combiner::Prod => value == 1.0,
                Combiner::Max => {
                    value == f64::NEG_INFINITY || (largest.is_finite() && value == -largest) || largest.is_nan()
                }
                Combiner::Min => {
                    value == f64::INFINITY || (largest.is_finite() && value == largest) || largest.is_nan()
                }
            }
        }
        AttrData::Integer { value, .. } => match (combiner, ElemKind::of(ctx, ty)) {
            (Combiner::Sum, _) => *value == 0,
            (Combiner::Prod, _) => *value == 1,
            (Combiner::Max, Some(kind)) => *value as i64 == kind.lowest(),
            (Combiner::Min, Some(kind)) => *value as i64 == kind.highest(),
            _ => false,
        },
        _ => false,
    }
}

/// One of two elements, both as elements of `elem`.
pub fn select(
    ctx: &Context,
    condition: &TensorValue,
    then: &TensorValue,
    otherwise: &TensorValue,
    elem: Type,
) -> Result<TensorValue, String> {
    TensorValue::select(ctx, condition, &then.cast(ctx, elem)?, &otherwise.cast(ctx, elem)?)
}

/// Elements of another type. A float stays as it is where the type is a wider float: its value is the same.
pub fn as_elem(ctx: &Context, value: &TensorValue, elem: Type) -> Result<TensorValue, String> {
    match value.elem() == elem || (value.kind().is_float() && elem.float_kind(ctx).is_some()) {
        true => Ok(value.clone()),
        false => value.cast(ctx, elem),
    }
}
