//! Sums of products.

use dlc_core::types::Tensor;
use dlc_ir::define::{Text, TypeAttr, Unit, op};

use crate::{interp, shape};

/// The product of matrices, in the last two axes; the others are broadcast.
///
/// `out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n] + bias[b, m, n]`
///
/// The bias is broadcast. The result is of the type that `acc` names, by default the common one of both sides.
#[op("frontend.gemm", traits(Pure),
     format = "$lhs `,` $rhs (`bias` $bias^)? (`trans_a` $trans_a^)? (`trans_b` $trans_b^)? (`acc` $acc^)? (`tf32` $tf32^)? attr-dict `:` type($out)",
     infer = shape::gemm, eval = interp::gemm,
     example = "%y = gemm %A, %B acc f32 : tensor<[M, N], f32>")]
pub struct Gemm {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    bias: OptionalOperand<Tensor>,
    /// The last two axes of the left side are swapped.
    trans_a: OptionalAttr<Unit>,
    /// The last two axes of the right side are swapped.
    trans_b: OptionalAttr<Unit>,
    /// The type in which products are summed, and of the result.
    acc: OptionalAttr<TypeAttr>,
    /// Factors of `f32` may be rounded to `tf32`.
    tf32: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// A layer of weights, as models keep them: a row of weights for each output.
///
/// `out[.., n] = sum over k of input[.., k] * weight[n, k] + bias[n]`
///
/// The result is of the type that `acc` names, by default the common one of input and weights.
#[op("frontend.linear", traits(Pure),
     format = "$input `,` $weight (`bias` $bias^)? (`transposed` $transposed^)? (`acc` $acc^)? (`tf32` $tf32^)? attr-dict `:` type($out)",
     infer = shape::linear, eval = interp::linear,
     example = "%y = linear %x, %W bias %b acc f32 : tensor<[B, S, N], f32>")]
pub struct Linear {
    input: Operand<Tensor>,
    weight: Operand<Tensor>,
    bias: OptionalOperand<Tensor>,
    /// The weights are `[k, n]`.
    transposed: OptionalAttr<Unit>,
    /// The type in which products are summed, and of the result.
    acc: OptionalAttr<TypeAttr>,
    /// Factors of `f32` may be rounded to `tf32`.
    tf32: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// A sum of products in Einstein's notation, as numpy has it: a letter for each axis of each operand, and after the
/// arrow one for each axis of the result; letters that are not there are summed over.
///
/// `...` stands for further axes, which are broadcast. A letter that an operand has twice is a diagonal. Without an
/// arrow the result has the letters that occur once, in alphabetical order. The products are summed in the type that
/// `acc` names, by default the common one of the operands, which is that of the result.
#[op("frontend.einsum", traits(Pure), format = "$equation $inputs (`acc` $acc^)? attr-dict `:` type($out)",
     infer = shape::einsum, eval = interp::einsum,
     example = "%y = einsum \"bmk,bkn->bmn\" %a, %b acc f32 : tensor<[B, M, N], f32>")]
pub struct Einsum {
    equation: Attr<Text>,
    inputs: Variadic<Tensor>,
    /// The type in which products are summed, and of the result.
    acc: OptionalAttr<TypeAttr>,
    out: Result<Tensor>,
}
