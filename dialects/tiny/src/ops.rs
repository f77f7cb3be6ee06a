//! What exists.

use dlc_core::sizes::Sizes;
use dlc_core::types::Tensor;
use dlc_ir::define::{DictArray, FunctionType, IntArray, Number, SymbolName, Text, TextArray, TypeAttr, op};
use dlc_ir::text::function;

use crate::{interp, shape, syntax, verify};

/// A tensor program. Its symbols are the sizes that are known when it runs.
#[op("tiny.func", traits(Callable, Symbol, IsolatedFromAbove), parse = function::parse,
     print = function::print, verify = verify::func, eval = interp::func,
     example = "tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> { .. }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    body: Region,
}

/// Ends the program with its results.
#[op("tiny.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::return_,
     example = "return %y")]
pub struct Return {
    values: Variadic<Tensor>,
}

/// A tensor whose elements are all one number.
#[op("tiny.const", traits(Pure), parse = syntax::parse_const, print = syntax::print_const,
     verify = verify::const_, eval = interp::const_, example = "%c = const 0.5 : tensor<[M, 1], f32>")]
pub struct Const {
    value: Attr<Number>,
    out: Result<Tensor>,
}

// Views: the same elements at other indices.

/// The same elements in the same order, under other sizes.
#[op("tiny.reshape", traits(Pure), format = "$input `to` $shape attr-dict `:` type($out)", infer = shape::reshape,
     eval = interp::reshape, example = "%y = reshape %x to [M, 1, K] : tensor<[M, 1, K], f16>")]
pub struct Reshape {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    out: Result<Tensor>,
}

/// The axes in another order.
///
/// Axis `i` of the result is axis `order[i]` of the operand.
#[op("tiny.permute", traits(Pure), format = "$input `by` $order attr-dict `:` type($out)", infer = shape::permute,
     eval = interp::permute, example = "%y = permute %x by [0, 2, 1] : tensor<[1, N, K], f16>")]
pub struct Permute {
    input: Operand<Tensor>,
    order: Attr<IntArray>,
    out: Result<Tensor>,
}

/// Axes of size 1 repeated.
#[op("tiny.expand", traits(Pure), format = "$input `to` $shape attr-dict `:` type($out)", infer = shape::expand,
     eval = interp::expand, example = "%y = expand %x to [M, N] : tensor<[M, N], f16>")]
pub struct Expand {
    input: Operand<Tensor>,
    shape: Attr<Sizes>,
    out: Result<Tensor>,
}

// Arithmetic, element by element. Sizes are aligned at the right and broadcast; of two float types the wider counts.

/// The sum.
///
/// `out[i] = lhs[i] + rhs[i]`
#[op("tiny.add", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::binary, eval = interp::add, example = "%y = add %a, %b : tensor<[M, N], f32>")]
pub struct Add {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The product.
///
/// `out[i] = lhs[i] * rhs[i]`
#[op("tiny.mul", traits(Pure, Commutative), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::binary, eval = interp::mul, example = "%y = mul %a, %b : tensor<[M, N], f32>")]
pub struct Mul {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// The larger; not a number if one of them is none. Integers have a sign.
///
/// `out[i] = max(lhs[i], rhs[i])`
#[op("tiny.max", traits(Pure, Commutative, Idempotent), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     infer = shape::binary, eval = interp::max, example = "%y = max %a, %b : tensor<[M, N], f32>")]
pub struct Max {
    lhs: Operand<Tensor>,
    rhs: Operand<Tensor>,
    out: Result<Tensor>,
}

/// What is above zero, and zero for the rest.
///
/// `out[i] = max(input[i], 0)`
#[op("tiny.relu", traits(Pure, Idempotent, SameType), format = "$input attr-dict `:` type($out)",
     eval = interp::relu, example = "%y = relu %x : tensor<[M, N], f32>")]
pub struct Relu {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

dlc_ir::keywords! {
    /// How the elements of an axis become one.
    pub enum Combiner: "combiner" {
        /// Their sum.
        Sum = "sum",
        /// Their product.
        Prod = "prod",
        /// The largest.
        Max = "max",
        /// The smallest.
        Min = "min",
    }
}

/// Axes combined into one element each; the axes are gone.
///
/// Elements are taken in order, and each step rounds to the type of the accumulator.
#[op("tiny.reduce", traits(Pure), format = "$combiner $input `over` $axes (`acc` $acc^)? attr-dict `:` type($out)",
     infer = shape::reduce, eval = interp::reduce,
     example = "%s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>")]
pub struct Reduce {
    combiner: Attr<Combiner>,
    input: Operand<Tensor>,
    /// Ascending.
    axes: Attr<IntArray>,
    /// The type in which elements are combined, and of the result; by default that of the operand's elements.
    acc: OptionalAttr<TypeAttr>,
    out: Result<Tensor>,
}

/// The elements as another type, rounded to the nearest; to an integer, towards zero.
#[op("tiny.cast", traits(Pure), format = "$input `to` $elem attr-dict `:` type($out)", infer = shape::cast,
     eval = interp::cast, example = "%y = cast %x to f16 : tensor<[M, N], f16>")]
pub struct Cast {
    input: Operand<Tensor>,
    elem: Attr<TypeAttr>,
    out: Result<Tensor>,
}
