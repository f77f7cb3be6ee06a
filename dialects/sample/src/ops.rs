//! What exists: an op of every shape.

use dlc_ir::define::{
    AnyFloat, AnyInteger, AnyNumber, AnyType, Bool, DictArray, FunctionType, Index, IntArray, Number, SymbolName,
    SymbolRef, Text, TextArray, op,
};
use dlc_ir::text::function;

use crate::types::{BoxType, Buffer, Range};
use crate::{canonicalize, fold, interp, syntax, verify};

// Integers.

/// A number.
///
/// `out = value`
#[op("sample.constant", traits(Pure, ConstantLike), format = "$value attr-dict", fold = fold::constant,
     eval = interp::constant, example = "%c = sample.constant 5 : i64")]
pub struct Constant {
    value: Attr<Number>,
    out: Result<AnyNumber>,
}

/// The sum of two integers, modulo two to the power of the width.
///
/// `out = lhs + rhs`
#[op("sample.addi", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::addi, canonicalize = [canonicalize::ADDI_CHAIN], eval = interp::addi,
     example = "%s = sample.addi %a, %b : i64")]
pub struct Addi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The difference of two integers, modulo two to the power of the width.
///
/// `out = lhs - rhs`
#[op("sample.subi", traits(Pure, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::subi, eval = interp::subi, example = "%d = sample.subi %a, %b : i64")]
pub struct Subi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The product of two integers, modulo two to the power of the width.
///
/// `out = lhs * rhs`
#[op("sample.muli", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::muli, eval = interp::muli, example = "%p = sample.muli %a, %b : i64")]
pub struct Muli {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The bits that both have.
#[op("sample.andi", traits(Pure, Commutative, Idempotent, SameType),
     format = "$lhs `,` $rhs attr-dict `:` type($out)", fold = fold::andi, eval = interp::andi,
     example = "%x = sample.andi %a, %b : i64")]
pub struct Andi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The bits that one or both have.
#[op("sample.ori", traits(Pure, Commutative, Idempotent, SameType),
     format = "$lhs `,` $rhs attr-dict `:` type($out)", fold = fold::ori, eval = interp::ori,
     example = "%x = sample.ori %a, %b : i64")]
pub struct Ori {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The bits that exactly one has.
#[op("sample.xori", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::xori, eval = interp::xori, example = "%x = sample.xori %a, %b : i64")]
pub struct Xori {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The smaller of two integers with a sign.
#[op("sample.minsi", traits(Pure, Commutative, Idempotent, SameType),
     format = "$lhs `,` $rhs attr-dict `:` type($out)", fold = fold::minsi, eval = interp::minsi,
     example = "%m = sample.minsi %a, %b : i64")]
pub struct Minsi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The larger of two integers with a sign.
#[op("sample.maxsi", traits(Pure, Commutative, Idempotent, SameType),
     format = "$lhs `,` $rhs attr-dict `:` type($out)", fold = fold::maxsi, eval = interp::maxsi,
     example = "%m = sample.maxsi %a, %b : i64")]
pub struct Maxsi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The quotient of two integers with a sign, rounded towards zero.
///
/// Dividing by zero has no meaning: the op may be erased and merged, but not run where it would not have been.
#[op("sample.divsi", traits(SameType), effects(None), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::divsi, eval = interp::divsi, example = "%q = sample.divsi %a, %b : i64")]
pub struct Divsi {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// Quotient and remainder of two integers with a sign, rounded towards zero: an op with several results.
#[op("sample.divmod", traits(SameType), effects(None), format = "$lhs `,` $rhs attr-dict `:` type(results)",
     infer = syntax::infer_divmod, fold = fold::divmod, eval = interp::divmod,
     example = "%q, %r = sample.divmod %a, %b : i64, i64")]
pub struct Divmod {
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    quotient: Result<AnyInteger>,
    remainder: Result<AnyInteger>,
}

/// The negated integer, modulo two to the power of the width. Applied twice, it is nothing.
#[op("sample.neg", traits(Pure, SameType), format = "$input attr-dict `:` type($out)", fold = fold::neg,
     eval = interp::neg, example = "%n = sample.neg %a : i64")]
pub struct Neg {
    input: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// The integer without its sign. Applied twice, it is the same as once.
#[op("sample.abs", traits(Pure, Idempotent, SameType), format = "$input attr-dict `:` type($out)",
     fold = fold::abs, eval = interp::abs, example = "%n = sample.abs %a : i64")]
pub struct Abs {
    input: Operand<AnyInteger>,
    out: Result<AnyInteger>,
}

dlc_ir::keywords! {
    /// How two integers are compared.
    pub enum Predicate: "predicate" {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less, with a sign.
        Slt = "slt",
        /// Less or equal, with a sign.
        Sle = "sle",
        /// Less, without a sign.
        Ult = "ult",
        /// Less or equal, without a sign.
        Ule = "ule",
    }
}

/// Whether two integers compare in a way.
#[op("sample.cmpi", traits(Pure, SameOperandTypes), format = "$predicate $lhs `,` $rhs attr-dict `:` type($out)",
     infer = syntax::infer_bool, fold = fold::cmpi, eval = interp::cmpi,
     example = "%less = sample.cmpi slt %a, %b : i1")]
pub struct Cmpi {
    predicate: Attr<Predicate>,
    lhs: Operand<AnyInteger>,
    rhs: Operand<AnyInteger>,
    out: Result<Bool>,
}

/// One of two values.
#[op("sample.select", traits(Pure), format = "$cond `,` $yes `,` $no attr-dict `:` type($out)",
     infer = syntax::infer_select, verify = verify::select, fold = fold::select, eval = interp::select,
     example = "%x = sample.select %cond, %a, %b : i64")]
pub struct Select {
    cond: Operand<Bool>,
    yes: Operand<AnyType>,
    no: Operand<AnyType>,
    out: Result<AnyType>,
}

// Floats.

/// The sum of two floats, rounded to their type.
#[op("sample.addf", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::addf, eval = interp::addf, example = "%s = sample.addf %a, %b : f32")]
pub struct Addf {
    lhs: Operand<AnyFloat>,
    rhs: Operand<AnyFloat>,
    out: Result<AnyFloat>,
}

/// The product of two floats, rounded to their type.
#[op("sample.mulf", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
     fold = fold::mulf, eval = interp::mulf, example = "%p = sample.mulf %a, %b : f32")]
pub struct Mulf {
    lhs: Operand<AnyFloat>,
    rhs: Operand<AnyFloat>,
    out: Result<AnyFloat>,
}

// Shapes of ops.

/// A sum with a sign for each term: an op whose syntax is written by hand.
#[op("sample.sum", traits(Pure, SameType), parse = syntax::parse_sum, print = syntax::print_sum,
     verify = verify::sum, fold = fold::sum, eval = interp::sum,
     example = "%s = sample.sum %a - %b + %c : i64")]
pub struct Sum {
    terms: Variadic<AnyInteger>,
    /// 1 or -1 for each term.
    signs: Attr<IntArray>,
    out: Result<AnyInteger>,
}

/// The sum of products of two lists of integers, and of a further integer if there is one: an op with an optional and
/// two variadic groups of operands.
#[op("sample.dot", traits(Pure, SameType),
     format = "`[` $lhs `]` `by` `[` $rhs `]` (`plus` $init^)? attr-dict `:` type($out)", verify = verify::dot,
     eval = interp::dot, example = "%d = sample.dot [%a, %b] by [%c, %d] plus %e : i64")]
pub struct Dot {
    lhs: Variadic<AnyInteger>,
    rhs: Variadic<AnyInteger>,
    init: OptionalOperand<AnyInteger>,
    out: Result<AnyInteger>,
}

/// A box with the value in it.
#[op("sample.box", traits(Pure), format = "$content attr-dict `:` type($out)", infer = syntax::infer_box,
     fold = fold::box_, eval = interp::same, example = "%b = sample.box %x : !sample.box<i64>")]
pub struct MakeBox {
    content: Operand<AnyType>,
    out: Result<BoxType>,
}

/// The value in a box.
#[op("sample.unbox", traits(Pure), format = "$boxed attr-dict `:` type($out)", infer = syntax::infer_unbox,
     fold = fold::unbox, eval = interp::same, example = "%x = sample.unbox %b : i64")]
pub struct OpenBox {
    boxed: Operand<BoxType>,
    out: Result<AnyType>,
}

/// The integer itself, which is known to lie in a range.
#[op("sample.assume", traits(SameType), effects(None), format = "$input `in` $range attr-dict `:` type($out)",
     fold = fold::assume, eval = interp::assume, example = "%y = sample.assume %x in #sample.range<0, 9> : i64")]
pub struct Assume {
    input: Operand<AnyInteger>,
    range: Attr<Range>,
    out: Result<AnyInteger>,
}

// Memory.

/// A new buffer, whose cells hold nothing yet.
#[op("sample.alloc", effects(Alloc), format = "$size attr-dict `:` type($out)", eval = interp::alloc,
     example = "%b = sample.alloc %n : !sample.buffer<i64>")]
pub struct Alloc {
    size: Operand<Index>,
    out: Result<Buffer>,
}

/// The value in a cell of a buffer.
#[op("sample.load", effects(Read), format = "$buffer `[` $index `]` attr-dict `:` type($out)",
     infer = syntax::infer_load, eval = interp::load, example = "%x = sample.load %b[%i] : i64")]
pub struct Load {
    buffer: Operand<Buffer>,
    index: Operand<Index>,
    out: Result<AnyType>,
}

/// Puts a value into a cell of a buffer.
#[op("sample.store", effects(Write), format = "$value `,` $buffer `[` $index `]` attr-dict",
     verify = verify::store, eval = interp::store, example = "sample.store %x, %b[%i]")]
pub struct Store {
    value: Operand<AnyType>,
    buffer: Operand<Buffer>,
    index: Operand<Index>,
}

/// Does something unknown with values. The interpreter records them in [`interp::Trace`].
#[op("sample.use", format = "$values attr-dict", eval = interp::use_, example = "sample.use %a, %b")]
pub struct Use {
    values: Variadic<AnyType>,
}

// Functions and control flow.

/// A function.
#[op("sample.func", traits(Callable, Symbol, IsolatedFromAbove), parse = function::parse, print = function::print,
     verify = verify::func, eval = interp::symbol,
     example = "sample.func @f(%x: i64) -> i64 { sample.return %x }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes that it takes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    body: Region,
}

/// Runs a function, and has its results.
#[op("sample.call", traits(Call), format = "$callee `(` $args `)` attr-dict `:` type(results)",
     eval = interp::call, example = "%x = sample.call @f(%a) : i64")]
pub struct Call {
    callee: Attr<SymbolRef>,
    args: Variadic<AnyType>,
    outs: VariadicResult<AnyType>,
}

/// Ends the function with its results.
#[op("sample.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::return_,
     example = "sample.return %x")]
pub struct Return {
    values: Variadic<AnyType>,
}

/// Goes to a block.
#[op("sample.br", traits(Terminator, Pure), format = "$dest attr-dict", eval = interp::br,
     example = "sample.br ^bb1(%x)")]
pub struct Br {
    #[passes_to(dest)]
    args: Variadic<AnyType>,
    dest: Successor,
}

/// Goes to one of two blocks.
#[op("sample.cond_br", traits(Terminator, Pure), format = "$cond `,` $yes `,` $no attr-dict",
     canonicalize = [canonicalize::COND_BR_CONSTANT], interfaces = [canonicalize::BRANCHING], eval = interp::cond_br,
     example = "sample.cond_br %c, ^bb1(%x), ^bb2")]
pub struct CondBr {
    cond: Operand<Bool>,
    #[passes_to(yes)]
    yes_args: Variadic<AnyType>,
    #[passes_to(no)]
    no_args: Variadic<AnyType>,
    yes: Successor,
    no: Successor,
}

/// Runs its region for each integer from a first to below a last, by steps, with values carried along.
///
/// The region takes the integer and the carried values, and yields the next ones; the last are the results.
#[op("sample.loop", traits(Loop, SingleBlock, RecursiveEffects),
     format = "$first `to` $last `by` $step (`carry` $inits^)? `:` type(results) $body attr-dict",
     infer = syntax::infer_loop, verify = verify::loop_, eval = interp::loop_,
     example = "%s = sample.loop %a to %b by %c carry %x : i64 { .. }")]
pub struct Loop {
    first: Operand<AnyInteger>,
    last: Operand<AnyInteger>,
    step: Operand<AnyInteger>,
    inits: Variadic<AnyType>,
    outs: VariadicResult<AnyType>,
    body: Region,
}

/// Runs one of its regions, and has what that yields. Without the second region it has no results.
#[op("sample.if", traits(SingleBlock, RecursiveEffects),
     format = "$cond `:` type(results) $then (`else` $otherwise^)? attr-dict", verify = verify::if_,
     canonicalize = [canonicalize::IF_CONSTANT], eval = interp::if_,
     example = "%x = sample.if %c : i64 { .. } else { .. }")]
pub struct If {
    cond: Operand<Bool>,
    outs: VariadicResult<AnyType>,
    then: Region,
    otherwise: VariadicRegion,
}

/// A region without order: a value may be used before it is defined. The evaluator takes the ops as they stand.
#[op("sample.graph", traits(GraphRegion, SingleBlock, RecursiveEffects),
     format = "`:` type(results) $body attr-dict", verify = verify::graph, eval = interp::graph,
     example = "%x = sample.graph : i64 { .. }")]
pub struct Graph {
    outs: VariadicResult<AnyType>,
    body: Region,
}

/// Ends a region with the values that it gives.
#[op("sample.yield", traits(Terminator, Pure), format = "$values attr-dict", eval = interp::yield_,
     example = "sample.yield %x")]
pub struct Yield {
    values: Variadic<AnyType>,
}

/// A symbol table inside of another.
#[op("sample.scope", traits(Symbol, SymbolTable, IsolatedFromAbove, SingleBlock, NoTerminator),
     format = "$sym_name $body attr-dict", eval = interp::symbol, example = "sample.scope @inner { .. }")]
pub struct Scope {
    sym_name: Attr<SymbolName>,
    body: Region,
}
