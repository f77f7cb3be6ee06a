//! The vocabulary of the specification's section 6.3, with leaves, casts, guarded and indexed reads, and reductions of
//! several accumulators.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar;
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Types;
use dlc_ir::define::{DictArray, FunctionType, Int, IntArray, Number, SymbolName, Text, TextArray, Unit, op};

use crate::types::Value;
use crate::{interp, syntax, verify};

/// One kernel: what it computes at each point of its axes.
///
/// It is a function from the memrefs that it reads to those that it writes, which have names and no values: nothing in
/// it can read them. What is `deferred` is handed on to the next kernel on the same SM.
#[op("region.func", traits(Callable, Symbol, IsolatedFromAbove, SingleBlock), parse = syntax::parse_func,
     print = syntax::print_func, verify = verify::func, eval = interp::func,
     example = "region.func @f<M> iters (m: M) ins (%X: memref<[M], f16, row_major, align 2>) outs (Y: memref<[M], f16, row_major, align 2> materialize gmem) { .. }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    /// From what is read to what is written.
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    /// The axes of the results.
    iters: Attr<TextArray>,
    /// Their sizes.
    iter_sizes: Attr<Sizes>,
    /// The names of the results.
    outputs: Attr<TextArray>,
    /// For each result, `gmem` or `deferred`.
    materialize: Attr<TextArray>,
    body: Region,
}

/// Ends a region: of a kernel with what is written, each to the result `to` names and rounded to the type `casts` gives;
/// of a reduction with a contribution for each accumulator, of a combiner with what the accumulators become.
#[op("region.yield", traits(Terminator, Pure), parse = syntax::parse_yield, print = syntax::print_yield,
     eval = interp::yield_, example = "yield %c2 to Y as f16")]
pub struct Yield {
    values: Variadic<Value>,
    /// Of a kernel, the result that each value is written to.
    to: OptionalAttr<TextArray>,
    /// For each value the type that it is rounded to, `none` where it keeps its own.
    casts: OptionalAttr<Types>,
}

/// A number that is the same everywhere.
#[op("region.const", traits(Pure), parse = syntax::parse_const, print = syntax::print_const, verify = verify::const_,
     eval = interp::const_, example = "%c = const 0.5 : f32 over ()")]
pub struct Const {
    value: Attr<Number>,
    out: Result<Value>,
}

/// A position as a number: an affine expression of axes, wrapped or rounded to the type.
#[op("region.index", traits(Pure), parse = syntax::parse_index, print = syntax::print_index, eval = interp::index, example = "%i = index (2*m + 1) : i32 over (m)")]
pub struct Index {
    /// One expression.
    value: Attr<Exprs>,
    out: Result<Value>,
}

/// An element of memory at positions that are affine in the axes, or values.
///
/// Nothing is read outside of the guard: there the element is the number after `else`, or zero. A position that is a
/// value is guarded by itself: where it is none of the axis, nothing is read either.
#[op("region.read", traits(Pure), parse = syntax::parse_read, print = syntax::print_read, eval = interp::read, example = "%x = read %X[m, 2*n - 1] where (0 <= 2*n - 1 < N) else 0.0 : f16 over (m, n)")]
pub struct Read {
    source: Operand<MemRef>,
    /// Positions that are values.
    indices: Variadic<Value>,
    /// For each axis of the memref an expression of the axes, or `_0`, `_1`, .. for an element of `indices`.
    at: Attr<Exprs>,
    /// Where memory is read; everywhere without one.
    guard: OptionalAttr<Guard>,
    /// The number elsewhere, of the type of the elements; zero without one.
    fill: OptionalAttr<Number>,
    out: Result<Value>,
}

/// A function of one number, rounded once to its type.
#[op("region.unary", traits(Pure), format = "$function $input attr-dict `:` type($out)", infer = verify::infer_unary,
     eval = interp::unary, example = "%y = unary relu %x : f32 over (m, n)")]
pub struct Unary {
    function: Attr<scalar::Unary>,
    input: Operand<Value>,
    out: Result<Value>,
}

/// A function of two numbers, rounded once to its type; of operands over fewer axes, at the same point.
///
/// With `widen` a product is not rounded before it is summed.
#[op("region.binary", traits(Pure), format = "$function $lhs `,` $rhs (`widen` $widen^)? attr-dict `:` type($out)",
     eval = interp::binary, example = "%y = binary add %a, %b : f32 over (m, n)")]
pub struct Binary {
    function: Attr<scalar::Binary>,
    lhs: Operand<Value>,
    rhs: Operand<Value>,
    /// Whether the product is not rounded.
    widen: OptionalAttr<Unit>,
    out: Result<Value>,
}

/// One of two numbers: by a value, `select %c, %a, %b`, or by the point, `select where (n <= m) then %a else %b`.
#[op("region.select", traits(Pure), parse = syntax::parse_select, print = syntax::print_select,
     eval = interp::select,
     example = "%y = select where (n < m + 1) then %a else %b : f32 over (m, n)")]
pub struct Select {
    /// The condition, if it is a value, then what is taken where it holds, and where not.
    operands: Variadic<Value>,
    /// The condition, if it is one of the point.
    guard: OptionalAttr<Guard>,
    out: Result<Value>,
}

/// The number as another type, or with `bits` its bits.
#[op("region.cast", traits(Pure), format = "(`bits` $bits^)? $input attr-dict `:` type($out)", verify = verify::cast,
     eval = interp::cast, example = "%y = cast %x : f16 over (m, n)")]
pub struct Cast {
    /// Whether the bits are taken as they are.
    bits: OptionalAttr<Unit>,
    input: Operand<Value>,
    out: Result<Value>,
}

/// What contributions at every point of some axes combine to, for each accumulator.
///
/// The first region computes the contributions; what is defined around it can be used in it. They are combined by a
/// function, or by a second region from two accumulators each: `combine (%a0: .., %a1: .., %b0: .., %b1: ..)`, which
/// must be associative, and for which the initial numbers must be its identity. Sums and products of a function are rounded
/// once. Marked `{any_order}`, a sum of floats may be added in another order in each run.
#[op("region.reduce", traits(Pure), parse = syntax::parse_reduce, print = syntax::print_reduce,
     eval = interp::reduce,
     example = "%s = reduce sum (k: K) acc f32 init 0.0 { .. } : f32 over (m, n)")]
pub struct Reduce {
    /// The function, unless a region combines.
    combiner: OptionalAttr<scalar::Combiner>,
    /// The axes that are reduced.
    axes: Attr<TextArray>,
    /// Their sizes.
    sizes: Attr<Sizes>,
    /// What each accumulator starts with.
    init: Attr<syntax::Numbers>,
    /// The type of each accumulator.
    acc: Attr<Types>,
    outs: VariadicResult<Value>,
    body: Region,
    combine: Region,
}

/// Each number combined with those before it along one axis: a running sum, product, maximum or minimum.
///
/// `out(.., i, ..) = combiner over j <= i of input(.., j, ..)`
///
/// With `exclusive` over `j < i`, with `reverse` over `j >= i` (`j > i` with both). With `every 1024` over positions of the same
/// group as `i` alone, of which the first has the positions 0 to 1023. Of no numbers it is what changes no other number. Sums
/// and products are rounded once at each point, to the type of the result. `linear` has two operands:
/// `out(.., i, ..) = a(.., i, ..) * out(.., i - 1, ..) + b(.., i, ..)`, where 0 is before the first point. A scan stands
/// directly in the kernel, and its axis is one of the results.
#[op("region.scan", traits(Pure), parse = syntax::parse_scan, print = syntax::print_scan, eval = interp::scan,
     example = "%s = scan sum %x along n : f32 over (m, n)")]
pub struct Scan {
    combiner: Attr<scalar::ScanCombiner>,
    /// As many as the combiner has: of `linear` the factors first.
    inputs: Variadic<Value>,
    /// The name of the axis.
    along: Attr<Text>,
    /// How many positions go together: each group of so many, counted from the first position, is scanned by itself.
    every: OptionalAttr<Int>,
    /// Whether the number at the point itself is left out.
    exclusive: OptionalAttr<Unit>,
    /// Whether the numbers after a point are combined, and not those before it.
    reverse: OptionalAttr<Unit>,
    out: Result<Value>,
}

/// The numbers along one axis in ascending order. With `every 1024` each group of positions is sorted by itself, of which the
/// first has the positions 0 to 1023.
///
/// Floats are ordered as numbers, -0.0 before 0.0, and NaN after all of them. A sort stands directly in the kernel, and its axis
/// is one of the results.
#[op("region.sort", traits(Pure), parse = syntax::parse_sort, print = syntax::print_sort, eval = interp::sort,
     example = "%s = sort %x along n every 4096 : i64 over (m, n)")]
pub struct Sort {
    input: Operand<Value>,
    /// The name of the axis.
    along: Attr<Text>,
    /// How many positions go together: each group of so many, counted from the first position, is sorted by itself.
    every: OptionalAttr<Int>,
    out: Result<Value>,
}

/// The value over more axes, on which it does not depend. `dims` says which axis of the result each own one is.
#[op("region.broadcast_in_dim", traits(Pure), format = "$input `to` $shape `dims` $dims attr-dict `:` type($out)",
     eval = interp::broadcast_in_dim,
     example = "%y = broadcast_in_dim %x to [M, N] dims [1] : f16 over (m, n)")]
pub struct BroadcastInDim {
    input: Operand<Value>,
    /// The sizes of the axes of the result.
    shape: Attr<Sizes>,
    dims: Attr<IntArray>,
    out: Result<Value>,
}

/// The value with its axes in another order: axis `i` of the result is axis `by[i]` of the operand.
#[op("region.transpose", traits(Pure), format = "$input `by` $by attr-dict `:` type($out)",
     eval = interp::transpose, example = "%y = transpose %x by [1, 0] : f16 over (n, m)")]
pub struct Transpose {
    input: Operand<Value>,
    by: Attr<IntArray>,
    out: Result<Value>,
}
