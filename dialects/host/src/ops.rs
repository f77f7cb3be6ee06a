//! What exists: the frame of a program, launches, views and constants.

use dlc_core::constant::Elements;
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Expr, Exprs};
use dlc_ir::define::{DictArray, FunctionType, Int, SymbolName, Text, TextArray, op};
use dlc_ir::text::function;

use crate::choice::{Choices, Offsets};
use crate::{interp, syntax, verify};

/// A program of kernels. Its symbols are the sizes that are known when it runs.
///
/// Once its buffers have places, it says how much memory it needs besides arguments and results. Arena and pool begin at
/// addresses that are multiples of every alignment in them. A result that is `noalias` is a buffer of its own.
#[op("host.func", traits(Callable, Symbol, IsolatedFromAbove), parse = function::parse, print = function::print,
     verify = verify::func, eval = interp::func,
     example = "host.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {arena = [\"4*M\"], pool = 256} { .. }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    /// One expression: the bytes of the memory that buffers share.
    arena: OptionalAttr<Exprs>,
    /// The bytes of the memory that the constants are in.
    pool: OptionalAttr<Int>,
    body: Region,
}

/// Runs a kernel, whose results are new buffers. After its name stands what its symbols are.
///
/// Of several kernels the first runs whose condition on the symbols holds; the last has none. Between those that are compared
/// stands a comma instead of `else`: of these the one with the least cost runs. A cost is
/// `launch + tile * rounds + max(step * rounds * steps, wait * waves * steps, memory)` in nanoseconds: rounds are
/// `tiles ceildiv sms`, waves `tiles ceildiv (sms * blocks)`, and memory takes `bytes / gbps`, by tiles on less than half of the
/// SMs longer. All of them take and give the same. Memory may be more aligned than a kernel asks for, and memory that it wants
/// for itself (`noalias`) must be no other's. Its results are memory of their own: two equal launches are not one.
#[op("host.launch", effects(Alloc), parse = syntax::parse_launch, print = syntax::print_launch, verify = verify::launch,
     eval = interp::launch, interfaces = [verify::KERNELS],
     example = "%y = launch @fast<M, K> where (K mod 8 == 0) else @slow<M, K> (%x) at [256*M] : memref<[M], f32, row_major, align 128>")]
pub struct Launch {
    /// The kernels and when they run.
    choices: Attr<Choices>,
    inputs: Variadic<MemRef>,
    /// For each result where it begins in the arena, in bytes; nothing (`*`) for one that is returned.
    offsets: OptionalAttr<Offsets>,
    outs: VariadicResult<MemRef>,
}

/// The same memory with other sizes, in row-major order; or a part of it: the memory from an element on.
///
/// With `from` the elements of the result are among those of the input: where each lies, the layout of the result says,
/// counted from that element. Without it there are as many of them, one after another.
#[op("host.view", traits(Pure), format = "$input (`from` $start^)? attr-dict `:` type($out)", verify = verify::view,
     eval = interp::view, example = "%v = view %b from 2*K : memref<[M, K], f32, strided [4*K, 1]>")]
pub struct View {
    input: Operand<MemRef>,
    /// The number of the element at which it begins, in the order of memory.
    start: OptionalAttr<Expr>,
    out: Result<MemRef>,
}

/// A constant, which is in the pool: one number everywhere, or a dense tensor. Its sizes are numbers.
#[op("host.const", traits(Pure), format = "$value (`at` $offset^)? attr-dict `:` type($out)",
     verify = verify::const_, eval = interp::const_,
     example = "%c = const dense<[1, 2]> : tensor<2xi32> at 256 : memref<[2], i32, row_major, align 128>")]
pub struct Const {
    value: Attr<Elements>,
    /// Where it begins in the pool, in bytes.
    offset: OptionalAttr<Int>,
    out: Result<MemRef>,
}

/// Ends the program with its results.
#[op("host.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::return_,
     example = "return %y")]
pub struct Return {
    values: Variadic<MemRef>,
}
