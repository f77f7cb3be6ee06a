//! What exists: the frame of a program here, then views, arithmetic, reductions, and positions.

mod arithmetic;
mod positions;
mod reductions;
mod views;

pub use arithmetic::*;
pub use positions::*;
pub use reductions::*;
pub use views::*;

use dlc_core::constant::{self, Elements};
use dlc_core::types::Tensor;
use dlc_ir::OpRef;
use dlc_ir::define::{DictArray, FunctionType, SymbolName, Text, TextArray, op};
use dlc_ir::text::function;

use crate::{fold, interp, verify};

/// Whether each element of the result is computed from the elements of the operands at its own index, broadcast.
pub fn is_elementwise(op: OpRef<'_>) -> bool {
    let ops = [
        Add::DEF,
        Sub::DEF,
        Mul::DEF,
        Max::DEF,
        Min::DEF,
        Fdiv::DEF,
        Pow::DEF,
        Cdiv::DEF,
        Cmod::DEF,
        Floordiv::DEF,
        Floormod::DEF,
        And::DEF,
        Or::DEF,
        Xor::DEF,
        Shl::DEF,
        Shr::DEF,
        Neg::DEF,
        Relu::DEF,
        Trunc::DEF,
        Recip::DEF,
        Sqrt::DEF,
        Exp2::DEF,
        Log2::DEF,
        Sin::DEF,
        Mulacc::DEF,
        Cmp::DEF,
        Where::DEF,
        Cast::DEF,
    ];
    ops.into_iter().any(|def| op.is(def))
}

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
    /// A dictionary for each result.
    res_attrs: OptionalAttr<DictArray>,
    body: Region,
}

/// Ends the program with its results.
#[op("tiny.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::return_,
     example = "return %y")]
pub struct Return {
    values: Variadic<Tensor>,
}

/// A tensor whose elements are known: one number everywhere, `const 0.5 : tensor<[M, 1], f32>`, or a number for each,
/// `const dense<[1, 2, 3]> : tensor<3xi32>`. The type after `dense` is part of that literal, which is written as in
/// MLIR; the value is a `tensor<[3], i32>`.
#[op("tiny.const", traits(Pure, ConstantLike), parse = constant::parse_const, print = constant::print_const,
     verify = verify::const_, fold = fold::const_, eval = interp::const_,
     example = "%c = const 0.5 : tensor<[], f32>")]
pub struct Const {
    value: Attr<Elements>,
    out: Result<Tensor>,
}
