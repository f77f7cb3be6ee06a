//! Arithmetic, element by element. Sizes are aligned at the right and broadcast, types are promoted as in tinygrad.

use dlc_core::types::Tensor;
use dlc_ir::define::{TypeAttr, op};

use crate::types::{BoolTensor, IntegerTensor};
use crate::{canonicalize, fold, interp, shape};

/// The sum.
///
/// `out[i] = lhs[i] + rhs[i]`
///
/// Of `i1`: whether one of them is true.
#[op("tiny.add", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, fold = fold::add, canonicalize = [canonicalize::ADD_CHAIN], eval = interp::add, example = "%y = add %a, %b : tensor<[M, N], f32>")]
pub struct Add {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The difference.
///
/// `out[i] = lhs[i] - rhs[i]`
#[op("tiny.sub", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, fold = fold::sub, eval = interp::sub, example = "%y = sub %a, %b : tensor<[M, N], f32>")]
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
#[op("tiny.mul", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, fold = fold::mul, eval = interp::mul, example = "%y = mul %a, %b : tensor<[M, N], f32>")]
pub struct Mul {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The larger; not a number if one of them is none.
///
/// `out[i] = max(lhs[i], rhs[i])`
#[op("tiny.max", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, eval = interp::max, example = "%y = max %a, %b : tensor<[M, N], f32>")]
pub struct Max {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The smaller; not a number if one of them is none.
///
/// `out[i] = min(lhs[i], rhs[i])`
#[op("tiny.min", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, eval = interp::min, example = "%y = min %a, %b : tensor<[M, N], f32>")]
pub struct Min {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The quotient of floats.
///
/// `out[i] = lhs[i] / rhs[i]`
///
/// Integers are divided as `f32`.
#[op("tiny.fdiv", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::floats, fold = fold::by_one, eval = interp::fdiv, example = "%y = fdiv %a, %b : tensor<[M, N], f32>")]
pub struct Fdiv {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The power.
///
/// `out[i] = lhs[i] ** rhs[i]`
///
/// An integer to a negative power is 0, but for 1 and -1.
#[op("tiny.pow", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::numbers, fold = fold::by_one, eval = interp::pow, example = "%y = pow %a, %b : tensor<[M, N], f32>")]
pub struct Pow {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The quotient of integers, rounded towards zero.
///
/// `out[i] = trunc(lhs[i] / rhs[i])`
///
/// By zero it is what dividing by one is, as in `dlc-tiny-uops/1`.
#[op("tiny.cdiv", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, fold = fold::by_one, eval = interp::cdiv, example = "%y = cdiv %a, %b : tensor<[M, N], i32>")]
pub struct Cdiv {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// What `cdiv` leaves; it has the sign of the left side.
///
/// `out[i] = lhs[i] - cdiv(lhs[i], rhs[i]) * rhs[i]`
#[op("tiny.cmod", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, eval = interp::cmod, example = "%y = cmod %a, %b : tensor<[M, N], i32>")]
pub struct Cmod {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The quotient of integers, rounded down.
///
/// `out[i] = floor(lhs[i] / rhs[i])`
///
/// By zero it is what dividing by one is.
#[op("tiny.floordiv", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, fold = fold::by_one, eval = interp::floordiv, example = "%y = floordiv %a, %b : tensor<[M, N], i32>")]
pub struct Floordiv {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// What `floordiv` leaves; it has the sign of the right side.
///
/// `out[i] = lhs[i] - floordiv(lhs[i], rhs[i]) * rhs[i]`
///
/// By zero it is 0.
#[op("tiny.floormod", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, eval = interp::floormod, example = "%y = floormod %a, %b : tensor<[M, N], i32>")]
pub struct Floormod {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits that both have.
///
/// `out[i] = lhs[i] & rhs[i]`
#[op("tiny.and", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, fold = fold::and, eval = interp::and, example = "%y = and %a, %b : tensor<[M, N], i32>")]
pub struct And {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits that one or both have.
///
/// `out[i] = lhs[i] | rhs[i]`
#[op("tiny.or", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, fold = fold::or, eval = interp::or, example = "%y = or %a, %b : tensor<[M, N], i32>")]
pub struct Or {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits that exactly one has.
///
/// `out[i] = lhs[i] ^ rhs[i]`
#[op("tiny.xor", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::integers, fold = fold::xor, eval = interp::xor, example = "%y = xor %a, %b : tensor<[M, N], i32>")]
pub struct Xor {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits moved up, zeros following; by the width or more it is 0.
///
/// `out[i] = lhs[i] * 2 ** rhs[i]`
///
/// The result is of the left type. By a negative number it is 0.
#[op("tiny.shl", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::shift, fold = fold::shift, eval = interp::shl, example = "%y = shl %a, %b : tensor<[M, N], i32>")]
pub struct Shl {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The bits moved down; the sign follows, or zeros in a type without.
///
/// `out[i] = floor(lhs[i] / 2 ** rhs[i])`
///
/// The result is of the left type. By a negative number it is what moving by the width is.
#[op("tiny.shr", traits(Pure), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::shift, fold = fold::shift, eval = interp::shr, example = "%y = shr %a, %b : tensor<[M, N], i32>")]
pub struct Shr {
    lhs: Operand<IntegerTensor>,
    rhs: Operand<IntegerTensor>,
    out: Result<IntegerTensor>,
}

/// The negative; of `i1` the opposite.
///
/// `out[i] = -input[i]`
#[op("tiny.neg", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::same,
     fold = fold::neg, canonicalize = [canonicalize::NOT_CMP, canonicalize::EXPAND_DOWN], eval = interp::neg, example = "%y = neg %x : tensor<[M, N], f32>")]
pub struct Neg {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// What is above zero, and zero for the rest.
///
/// `out[i] = max(input[i], 0)`
///
/// What is not a number stays so.
#[op("tiny.relu", traits(Pure, Idempotent), format = "$input attr-dict `:` type($out)", infer = shape::same,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::relu, example = "%y = relu %x : tensor<[M, N], f32>")]
pub struct Relu {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The whole number next towards zero.
///
/// `out[i] = trunc(input[i])`
///
/// Integers stay.
#[op("tiny.trunc", traits(Pure, Idempotent), format = "$input attr-dict `:` type($out)", infer = shape::same,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::trunc, example = "%y = trunc %x : tensor<[M, N], f32>")]
pub struct Trunc {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// One divided by it.
///
/// `out[i] = 1 / input[i]`
///
/// Integers count as `f32`.
#[op("tiny.recip", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::float,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::recip, example = "%y = recip %x : tensor<[M, N], f32>")]
pub struct Recip {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The square root.
///
/// `out[i] = sqrt(input[i])`
///
/// Integers count as `f32`.
#[op("tiny.sqrt", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::float,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::sqrt, example = "%y = sqrt %x : tensor<[M, N], f32>")]
pub struct Sqrt {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// Two to the power of it.
///
/// `out[i] = 2 ** input[i]`
///
/// Integers count as `f32`.
#[op("tiny.exp2", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::float,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::exp2, example = "%y = exp2 %x : tensor<[M, N], f32>")]
pub struct Exp2 {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The logarithm to the base of two.
///
/// `out[i] = log2(input[i])`
///
/// Integers count as `f32`.
#[op("tiny.log2", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::float,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::log2, example = "%y = log2 %x : tensor<[M, N], f32>")]
pub struct Log2 {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The sine of an angle in radians.
///
/// `out[i] = sin(input[i])`
///
/// Integers count as `f32`.
#[op("tiny.sin", traits(Pure), format = "$input attr-dict `:` type($out)", infer = shape::float,
     canonicalize = [canonicalize::EXPAND_DOWN], eval = interp::sin, example = "%y = sin %x : tensor<[M, N], f32>")]
pub struct Sin {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The product and a third added, rounded once.
///
/// `out[i] = a[i] * b[i] + c[i]`
#[op("tiny.mulacc", traits(Pure), format = "$a `,` $b `,` $c attr-dict `:` type($out)", infer = shape::mulacc,
     eval = interp::mulacc, example = "%y = mulacc %a, %b, %c : tensor<[M, N], f32>")]
pub struct Mulacc {
    a: Operand<Tensor>,
    b: Operand<Tensor>,
    c: Operand<Tensor>,
    out: Result<Tensor>,
}

dlc_ir::keywords! {
    /// How two elements are compared. With what is not a number, only `ne` is true.
    pub enum Predicate: "predicate" {
        /// They are equal.
        Eq = "eq",
        /// They differ.
        Ne = "ne",
        /// The left one is smaller.
        Lt = "lt",
        /// The left one is smaller, or they are equal.
        Le = "le",
        /// The left one is larger.
        Gt = "gt",
        /// The left one is larger, or they are equal.
        Ge = "ge",
    }
}

/// A comparison.
///
/// `out[i] = predicate(lhs[i], rhs[i])`
#[op("tiny.cmp", traits(Pure), format = "$predicate $lhs `,` $rhs attr-dict `:` type($out)", infer = shape::cmp,
     fold = fold::cmp, canonicalize = [canonicalize::CMP_NOT], eval = interp::cmp, example = "%y = cmp lt %a, %b : tensor<[M, N], i1>")]
pub struct Cmp {
    predicate: Attr<Predicate>,
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<BoolTensor>,
}

/// One of two elements, by a condition.
///
/// `out[i] = then[i] if condition[i] else otherwise[i]`
#[op("tiny.where", traits(Pure), format = "$condition `,` $then `,` $otherwise attr-dict `:` type($out)",
     infer = shape::where_, fold = fold::where_, canonicalize = [canonicalize::WHERE_NOT, canonicalize::WHERE_OF_NOT], eval = interp::where_, example = "%y = where %c, %a, %b : tensor<[M, N], f32>")]
pub struct Where {
    condition: Operand<BoolTensor>,
    then: Operand<Tensor>,
    otherwise: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The elements as another type: to a float rounded to the nearest; to an integer towards zero and then modulo two to
/// the power of the width; to `i1` whether they differ from zero.
#[op("tiny.cast", traits(Pure, Cast), format = "$input `to` $elem attr-dict `:` type($out)", infer = shape::cast,
     fold = fold::cast, canonicalize = [canonicalize::CAST_CAST, canonicalize::EXPAND_DOWN], eval = interp::cast, example = "%y = cast %x to f16 : tensor<[M, N], f16>")]
pub struct Cast {
    input: Operand<Tensor>,
    elem: Attr<TypeAttr>,
    out: Result<Tensor>,
}

/// The bits of the elements, read as another type. Between types of different widths the last axis grows or shrinks;
/// the lower bits come first.
#[op("tiny.bitcast", traits(Pure), format = "$input `to` $elem attr-dict `:` type($out)", infer = shape::bitcast,
     eval = interp::bitcast, example = "%y = bitcast %x to i32 : tensor<[M, N], i32>")]
pub struct Bitcast {
    input: Operand<Tensor>,
    elem: Attr<TypeAttr>,
    out: Result<Tensor>,
}
