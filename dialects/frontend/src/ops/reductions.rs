//! Axes that become one element: combined, counted, or searched.

use dlc_core::types::Tensor;
use dlc_ir::define::{Int, IntArray, TypeAttr, Unit, op};

use crate::types::{BoolTensor, IntegerTensor, Real};
use crate::{interp, shape};

/// Declares reductions that give what `infer` says, each with its attributes after the axes.
macro_rules! reductions {
    ($($(#[$doc:meta])+ $op:ident $name:tt $format:tt $infer:ident $eval:ident $out:ident $example:tt
       { $($(#[$attr_doc:meta])+ $attr:ident: $kind:ty,)* })+) => {$(
        $(#[$doc])+
        #[op($name, traits(Pure), format = $format, infer = shape::$infer, eval = interp::$eval, example = $example)]
        pub struct $op {
            input: Operand<Tensor>,
            /// Ascending; by default all.
            axes: OptionalAttr<IntArray>,
            /// The axes stay, with size 1.
            keepdim: OptionalAttr<Unit>,
            $($(#[$attr_doc])+ $attr: OptionalAttr<$kind>,)*
            out: Result<$out>,
        }
    )+};
}

reductions! {
    /// The sum of the elements along axes; of `i1`, whether one is true. Rounded once.
    Sum "frontend.sum" "$input (`over` $axes^)? (`keepdim` $keepdim^)? (`acc` $acc^)? attr-dict `:` type($out)"
    accumulated sum Tensor "%y = sum %x over [1] acc f32 : tensor<[M], f32>" {
        /// The type of the result; by default that of the elements.
        acc: TypeAttr,
    }
    /// The product of the elements along axes; of `i1`, whether all are true. Rounded once.
    Prod "frontend.prod" "$input (`over` $axes^)? (`keepdim` $keepdim^)? (`acc` $acc^)? attr-dict `:` type($out)"
    accumulated prod Tensor "%y = prod %x over [1] : tensor<[M], f32>" {
        /// The type of the result; by default that of the elements.
        acc: TypeAttr,
    }
    /// The largest element along axes; of none, the lowest that there is.
    Max "frontend.max" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    combined max Tensor "%y = max %x over [1] keepdim : tensor<[M, 1], f32>" {}
    /// The smallest element along axes; of none, the highest that there is.
    Min "frontend.min" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    combined min Tensor "%y = min %x over [1] : tensor<[M], f32>" {}
    /// The mean of the elements along axes; of none, not a number. Integers count as `f32`.
    Mean "frontend.mean" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    averaged mean Tensor "%y = mean %x over [1] : tensor<[M], f32>" {}
    /// The variance of the elements along axes: the sum of squares of what they differ from their mean, divided by their
    /// number less a correction (which does not go below zero). Integers count as `f32`.
    Var "frontend.var"
    "$input (`over` $axes^)? (`keepdim` $keepdim^)? (`correction` $correction^)? attr-dict `:` type($out)"
    averaged var Tensor "%y = var %x over [1] correction 0.0 : tensor<[M], f32>" {
        /// By default 1.
        correction: Real,
    }
    /// The standard deviation of the elements along axes: the root of their variance. Integers count as `f32`.
    Std "frontend.std"
    "$input (`over` $axes^)? (`keepdim` $keepdim^)? (`correction` $correction^)? attr-dict `:` type($out)"
    averaged std Tensor "%y = std %x over [1] : tensor<[M], f32>" {
        /// By default 1.
        correction: Real,
    }
    /// The logarithm of the sum of the exponentials of the elements along axes. Integers count as `f32`.
    Logsumexp "frontend.logsumexp" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    averaged logsumexp Tensor "%y = logsumexp %x over [1] : tensor<[M], f32>" {}
    /// Whether one element along axes is not zero.
    Any "frontend.any" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    questioned any BoolTensor "%y = any %x over [1] : tensor<[M], i1>" {}
    /// Whether every element along axes is not zero.
    All "frontend.all" "$input (`over` $axes^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)"
    questioned all BoolTensor "%y = all %x over [1] : tensor<[M], i1>" {}
}

/// Where the largest element along an axis is: the first one, or the first that is not a number. Of no elements it is
/// the largest `i32`.
#[op("frontend.argmax", traits(Pure), format = "$input (`over` $axis^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)",
     infer = shape::searched, eval = interp::argmax, example = "%y = argmax %x over 1 : tensor<[M], i32>")]
pub struct Argmax {
    input: Operand<Tensor>,
    /// By default the elements are numbered in row-major order.
    axis: OptionalAttr<Int>,
    /// The axes stay, with size 1.
    keepdim: OptionalAttr<Unit>,
    out: Result<IntegerTensor>,
}

/// Where the smallest element along an axis is: the first one, or the first that is not a number. Of no elements it is
/// the largest `i32`.
#[op("frontend.argmin", traits(Pure), format = "$input (`over` $axis^)? (`keepdim` $keepdim^)? attr-dict `:` type($out)",
     infer = shape::searched, eval = interp::argmin, example = "%y = argmin %x over 1 : tensor<[M], i32>")]
pub struct Argmin {
    input: Operand<Tensor>,
    /// By default the elements are numbered in row-major order.
    axis: OptionalAttr<Int>,
    /// The axes stay, with size 1.
    keepdim: OptionalAttr<Unit>,
    out: Result<IntegerTensor>,
}

/// Declares running reductions: each element combined with those before it.
macro_rules! running {
    ($($(#[$doc:meta])+ $op:ident $name:tt $eval:ident $example:tt;)+) => {$(
        $(#[$doc])+
        #[op($name, traits(Pure), format = "$input `over` $axis attr-dict `:` type($out)", infer = shape::running,
             eval = interp::$eval, example = $example)]
        pub struct $op {
            input: Operand<Tensor>,
            axis: Attr<Int>,
            out: Result<Tensor>,
        }
    )+};
}

running! {
    /// The sum of each element and those before it on an axis.
    Cumsum "frontend.cumsum" cumsum "%y = cumsum %x over 1 : tensor<[M, N], f32>";
    /// The product of each element and those before it on an axis.
    Cumprod "frontend.cumprod" cumprod "%y = cumprod %x over 1 : tensor<[M, N], f32>";
    /// The largest of each element and those before it on an axis.
    Cummax "frontend.cummax" cummax "%y = cummax %x over 1 : tensor<[M, N], f32>";
    /// The smallest of each element and those before it on an axis.
    Cummin "frontend.cummin" cummin "%y = cummin %x over 1 : tensor<[M, N], f32>";
}

/// A linear recurrence along an axis, as state space models and gated linear attention have one.
///
/// `out[t] = factors[t] * out[t - 1] + input[t]`, where `out[-1]` is `init`, by default 0. With `reverse` it goes from the end:
/// `out[t] = factors[t] * out[t + 1] + input[t]`. `factors` and `input` are broadcast; `init` has the sizes of the result
/// without the axis, or is broadcast to them. Products of factors must not overflow the type in which it is computed, as they
/// do not where no factor is above 1.
#[op("frontend.scan", traits(Pure),
     format = "$factors `,` $input (`from` $init^)? `over` $axis (`reverse` $reverse^)? attr-dict `:` type($out)",
     infer = shape::recurrence, eval = interp::recurrence,
     example = "%h = scan %a, %b over 1 : tensor<[B, T, D], f32>")]
pub struct Scan {
    factors: Operand<Tensor>,
    input: Operand<Tensor>,
    /// What is before the first element, for each position along the other axes.
    init: OptionalOperand<Tensor>,
    axis: Attr<Int>,
    /// Whether it goes from the end of the axis.
    reverse: OptionalAttr<Unit>,
    out: Result<Tensor>,
}
