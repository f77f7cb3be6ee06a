//! What exists: the frame of a program, leaves, entries, and what is not affine.

use dlc_core::access::Accesses;
use dlc_core::constant::{self, Elements};
use dlc_core::scalar::{Binary, Combiner, ScanCombiner, Unary};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Tensor;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{DictArray, FunctionType, Int, SymbolName, Text, TextArray, TypeAttr, Unit, op};
use dlc_ir::op::Folded;
use dlc_ir::text::function;
use dlc_ir::{Attr, Builder, Loc, OpId, Type};

use crate::{interp, syntax, verify};

dlc_ir::keywords! {
    /// What an entry computes from one element of each operand.
    pub enum Function: "function" {
        /// The element itself.
        Copy = "copy",
        /// The element as another type.
        Cast = "cast",
        /// The bits as another type of the same width.
        Bitcast = "bitcast",
        /// The second element if the first is true, else the third.
        Where = "where",
        /// The negative.
        Neg = "neg",
        /// What is above zero.
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
        /// The sum; of `i1`, whether one is true.
        Add = "add",
        /// The difference.
        Sub = "sub",
        /// The product.
        Mul = "mul",
        /// The larger.
        Max = "max",
        /// The smaller.
        Min = "min",
        /// The quotient of floats.
        Fdiv = "fdiv",
        /// The power.
        Pow = "pow",
        /// The quotient of integers, rounded towards zero.
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
        /// The bits moved up.
        Shl = "shl",
        /// The bits moved down.
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

impl Function {
    /// The function of one number, if it is one.
    pub fn unary(self) -> Option<Unary> {
        Unary::of(self.word())
    }

    /// The function of two numbers, if it is one.
    pub fn binary(self) -> Option<Binary> {
        Binary::of(self.word())
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            Function::Where => 3,
            _ if self.binary().is_some() => 2,
            _ => 1,
        }
    }
}

/// A tensor program in which every value has its axes. Its symbols are the sizes that are known when it runs.
#[op("book.func", traits(Callable, Symbol, IsolatedFromAbove), parse = function::parse, print = function::print,
     verify = verify::func, eval = interp::func,
     example = "book.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> { .. }")]
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
#[op("book.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::return_,
     example = "return %y")]
pub struct Return {
    values: Variadic<Tensor>,
}

/// A leaf whose elements are known: one number everywhere, or a dense tensor.
#[op("book.const", traits(Pure, ConstantLike), parse = constant::parse_const, print = constant::print_const,
     verify = verify::const_, fold = const_, eval = interp::const_, example = "%c = const 0.5 : tensor<[], f32>")]
pub struct Const {
    value: Attr<Elements>,
    out: Result<Tensor>,
}

/// A leaf whose elements are their positions: an affine expression of the axes, wrapped or rounded to the type.
///
/// `out[i] = value(i)`
#[op("book.iota", traits(Pure), parse = syntax::parse_iota, print = syntax::print_iota, verify = verify::iota,
     eval = interp::iota, example = "%i = iota (2*i0 + 1) axes (i0: M, i1: N) : tensor<[M, N], i32>")]
pub struct Iota {
    /// One expression.
    value: Attr<Exprs>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    out: Result<Tensor>,
}

/// A value that is computed element by element.
///
/// `out[i] = function(operand0[at0(i)], operand1[at1(i)], ..)`
///
/// Outside of its guard an operand is the number after `else`. With `widen` a product is not rounded to its type before
/// it is summed.
#[op("book.entry", traits(Pure), parse = syntax::parse_entry, print = syntax::print_entry, infer = verify::infer_entry,
     verify = verify::entry, eval = interp::entry,
     example = "%y = entry add axes (i0: M, i1: N) of %s at (i0, i1), %b at (i1) : tensor<[M, N], f32>")]
pub struct Entry {
    function: Attr<Function>,
    inputs: Variadic<Tensor>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    /// How each operand is read.
    accesses: Attr<Accesses>,
    /// The type that `cast` and `bitcast` give; of a product that is not rounded, the type in which it is summed.
    elem: OptionalAttr<TypeAttr>,
    /// Whether the product is not rounded.
    widen: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// A value that combines elements along the axes that it has not.
///
/// `out[i] = combiner over r of input[at(i, r)]`
///
/// Of no elements it is what changes no other number. Sums and products are rounded once.
#[op("book.reduce", traits(Pure), parse = syntax::parse_reduce, print = syntax::print_reduce,
     infer = verify::infer_reduce, verify = verify::reduce, eval = interp::reduce,
     example = "%s = reduce sum axes (i0: M) over (i1: K) of %x at (i0, i1) acc f32 : tensor<[M], f32>")]
pub struct Reduce {
    combiner: Attr<Combiner>,
    input: Operand<Tensor>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    /// The sizes of the axes that are reduced; they are numbered after those of the result.
    over: Attr<Sizes>,
    /// How the operand is read: one access.
    accesses: Attr<Accesses>,
    /// The type in which elements are combined, and of the result.
    acc: Attr<TypeAttr>,
    out: Result<Tensor>,
}

/// A value each of whose elements combines those before it along one axis: a running sum, product, maximum or minimum.
///
/// `out[.., i, ..] = combiner over j <= i of input[at(.., j, ..)]`
///
/// With `exclusive` over `j < i`, with `reverse` over `j >= i` (`j > i` with both). With `every 1024` over positions of the same
/// group as `i` alone, of which the first has the positions 0 to 1023. Of no elements it is what changes no other number.
/// Sums and products are rounded once at each element. `linear` has two operands: `out[i] = a * out[i - 1] + b`, where `a` and
/// `b` are what is read of them at `i`, and 0 is before the first element.
#[op("book.scan", traits(Pure), parse = syntax::parse_scan, print = syntax::print_scan,
     infer = verify::infer_scan, verify = verify::scan, eval = interp::scan,
     example = "%s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>")]
pub struct Scan {
    combiner: Attr<ScanCombiner>,
    /// As many as the combiner has: of `linear` the factors first.
    inputs: Variadic<Tensor>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    /// The axis of the result that is gone along.
    along: Attr<Int>,
    /// How many positions go together: each group of so many, counted from the first position, is scanned by itself.
    every: OptionalAttr<Int>,
    /// How each operand is read.
    accesses: Attr<Accesses>,
    /// The type in which elements are combined, and of the result.
    acc: Attr<TypeAttr>,
    /// Whether the element at the position itself is left out.
    exclusive: OptionalAttr<Unit>,
    /// Whether the elements after a position are combined, and not those before it.
    reverse: OptionalAttr<Unit>,
    out: Result<Tensor>,
}

/// The elements along an axis in ascending order. With `every 1024` each group of positions is sorted by itself, of which the
/// first has the positions 0 to 1023.
///
/// Floats are ordered as numbers, -0.0 before 0.0, and NaN after all of them.
#[op("book.sort", traits(Pure), parse = syntax::parse_sort, print = syntax::print_sort, infer = verify::infer_sort,
     verify = verify::sort, eval = interp::sort,
     example = "%y = sort axes (i0: M, i1: N) along 1 of %x at (i0, i1) : tensor<[M, N], i64>")]
pub struct Sort {
    input: Operand<Tensor>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    /// The axis that is sorted along.
    along: Attr<Int>,
    /// How many positions go together: each group of so many, counted from the first position, is sorted by itself.
    every: OptionalAttr<Int>,
    /// How the operand is read: one access.
    accesses: Attr<Accesses>,
    out: Result<Tensor>,
}

/// Elements at positions that are elements of other operands, which no affine expression says; zero where there is none.
///
/// `out[i] = table[at(i)]`, where a position is an expression of the axes or an element of an index operand.
#[op("book.gather", traits(Pure), parse = syntax::parse_gather, print = syntax::print_gather,
     infer = verify::infer_gather, verify = verify::gather, eval = interp::gather,
     example = "%e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1] : tensor<[B, D], f16>")]
pub struct Gather {
    table: Operand<Tensor>,
    indices: Variadic<Tensor>,
    /// The sizes of the axes of the result.
    axes: Attr<Sizes>,
    /// For each axis of the table an expression of the axes, or `_0`, `_1`, .. for an element of an index operand.
    at: Attr<Exprs>,
    /// How each index operand is read.
    accesses: Attr<Accesses>,
    out: Result<Tensor>,
}

/// The same elements in row-major order with other sizes, where it is not known how the axes go together.
#[op("book.reshape", traits(Pure), format = "`non_scop` $input attr-dict `:` type($out)", verify = verify::reshape,
     eval = interp::reshape, example = "%y = reshape non_scop %x : tensor<[N], f32>")]
pub struct Reshape {
    input: Operand<Tensor>,
    out: Result<Tensor>,
}

/// A constant is its value.
fn const_(op: Const<'_>, _: &[Option<Attr>]) -> Folded {
    Folded::attr(op.value())
}

/// The op that has a constant as its result.
pub fn materialize(builder: &mut Builder<'_>, loc: Loc, value: Attr, ty: Type) -> Option<OpId> {
    let ctx = builder.ctx;
    let fits = match ctx.attr_data(value) {
        AttrData::Integer { ty: elem, .. } | AttrData::Float { ty: elem, .. } => {
            *elem == Tensor::of(ctx, ty)?.elem(ctx)
        }
        AttrData::Dense(dense) => constant::dense_type(ctx, dense) == Some(ty),
        _ => false,
    };
    fits.then(|| Const::build(builder, loc, value, ty))
}
