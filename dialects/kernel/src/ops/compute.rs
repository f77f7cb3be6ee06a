//! Arithmetic on fragments and numbers.

use dlc_core::guard::Guard;
use dlc_core::precision::Precision;
use dlc_core::scalar;
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::Exprs;
use dlc_ir::define::{AnyType, Index as IndexType, Int, Unit, op};
use dlc_ir::{OpRef, ValueId};

use crate::syntax::compute as syntax;
use crate::types::{Frag, Tile, Token};
use crate::{interp, verify};

/// A function of one number, of each element of a fragment, rounded once to its type.
#[op("kernel.unary", traits(Pure), format = "$function $input attr-dict `:` type($out)", infer = verify::infer_unary,
     verify = verify::unary, eval = interp::compute::unary, example = "%y = unary relu %x : frag<[64, 64], f32, wgmma>")]
pub struct Unary {
    function: Attr<scalar::Unary>,
    input: Operand<AnyType>,
    out: Result<AnyType>,
}

/// A function of two numbers, of elements at the same place, rounded once to its type. A number goes with every element.
#[op("kernel.binary", traits(Pure), format = "$function $lhs `,` $rhs attr-dict `:` type($out)",
     verify = verify::binary, eval = interp::compute::binary,
     example = "%y = binary add %a, %b : frag<[64, 64], f32, wgmma>")]
pub struct Binary {
    function: Attr<scalar::Binary>,
    lhs: Operand<AnyType>,
    rhs: Operand<AnyType>,
    out: Result<AnyType>,
}

/// A product and a third number added to it, of elements at the same place, rounded once. A number goes with every
/// element.
#[op("kernel.mulacc", traits(Pure), format = "$lhs `,` $rhs `,` $acc attr-dict `:` type($out)",
     verify = verify::mulacc, eval = interp::compute::mulacc,
     example = "%y = mulacc %x, %scale, %shift : frag<[64, 64], f32, wgmma>")]
pub struct MulAcc {
    lhs: Operand<AnyType>,
    rhs: Operand<AnyType>,
    acc: Operand<AnyType>,
    out: Result<AnyType>,
}

/// One of two numbers: by a value, `select %c, %a, %b`, or by where in the fragment, `select where (%n0 + i1 <= %m0 + i0)
/// then %a else %b`.
#[op("kernel.select", traits(Pure), parse = syntax::parse_select, print = syntax::print_select,
     verify = verify::select, eval = interp::compute::select,
     example = "%y = select where (i1 < %n) then %a else %b : frag<[64, 64], f32, wgmma>")]
pub struct Select {
    /// Values in `guard`.
    args: Variadic<IndexType>,
    cond: OptionalOperand<AnyType>,
    yes: Operand<AnyType>,
    no: Operand<AnyType>,
    /// The condition, if it is one of the place.
    guard: OptionalAttr<Guard>,
    out: Result<AnyType>,
}

/// The number as another type, or with `bits` its bits.
#[op("kernel.cast", traits(Pure), format = "(`bits` $bits^)? $input attr-dict `:` type($out)", verify = verify::cast,
     eval = interp::compute::cast, example = "%y = cast %x : frag<[64, 64], f16, wgmma>")]
pub struct Cast {
    /// Whether the bits are taken as they are.
    bits: OptionalAttr<Unit>,
    input: Operand<AnyType>,
    out: Result<AnyType>,
}

/// The fragment along an axis on which it does not depend: every thread has what it needs already, as the layout of the
/// operand is that of the result with the axis taken out.
#[op("kernel.broadcast", traits(Pure), format = "$input `along` $axis attr-dict `:` type($out)",
     verify = verify::broadcast, eval = interp::compute::broadcast,
     example = "%y = broadcast %x along 1 : frag<[64, 64], f32, wgmma>")]
pub struct Broadcast {
    input: Operand<Frag>,
    axis: Attr<Int>,
    out: Result<Frag>,
}

/// A part of a fragment, from a position on each axis, as much as the type says: every thread has the elements that it
/// gets already. The position is known when the kernel is compiled, or is that of a loop which is unrolled.
#[op("kernel.extract", traits(Pure), parse = syntax::parse_extract, print = syntax::print_extract,
     verify = verify::extract, eval = interp::compute::extract,
     example = "%p = extract %c at [0, 64 * %j] : frag<[64, 64], f32, wgmma>")]
pub struct Extract {
    input: Operand<Frag>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    /// The position of the first element, one expression for each axis.
    at: Attr<Exprs>,
    out: Result<Frag>,
}

/// What the elements along an axis combine to, in every thread that has one of them. The lanes of a warp exchange what
/// they have; where several warps share an axis they do so through a tile, with barriers.
#[op("kernel.reduce", parse = syntax::parse_reduce, print = syntax::print_reduce, effects(None),
     infer = verify::infer_reduce, verify = verify::reduce, eval = interp::compute::reduce,
     example = "%m = reduce max %x along 1 : frag<[64], f32, slice 1 of (wgmma)>")]
pub struct Reduce {
    combiner: Attr<Combiner>,
    input: Operand<Frag>,
    axis: Attr<Int>,
    /// What warps exchange through, with room for a number of each warp for each element of the result.
    through: OptionalOperand<Tile>,
    out: Result<Frag>,
}

/// Each element combined with those before it along an axis, and with what elements before those of the fragment combine to:
/// a running sum, product, maximum or minimum, or with `linear %a, %b` a recurrence `y[i] = a[i] * y[i - 1] + b[i]`. With
/// `exclusive` the element itself is left out, with `reverse` the elements after it are combined. The second result is what all
/// elements combine to, with what was before them: `from` for the next elements.
///
/// Threads combine their own elements first; the lanes of a warp exchange what they have, and where several warps share an
/// axis they do so through a tile, with barriers.
#[op("kernel.scan", parse = syntax::parse_scan, print = syntax::print_scan, effects(None),
     infer = verify::infer_scan, verify = verify::scan, eval = interp::compute::scan,
     example = "%y, %next = scan sum %x from %before along 1 : frag<[1, 1024], f32, blocked [1, 8] lanes [1, 32] warps [1, 4]>, frag<[1], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [1, 4])>")]
pub struct Scan {
    combiner: Attr<ScanCombiner>,
    /// As many as the combiner has, alike: of `linear` the factors first.
    inputs: Variadic<Frag>,
    /// What elements before those of the fragment combine to, for each position along the other axes.
    before: Operand<Frag>,
    axis: Attr<Int>,
    /// Whether each element itself is left out.
    exclusive: OptionalAttr<Unit>,
    /// Whether the elements after each are combined, and not those before it.
    reverse: OptionalAttr<Unit>,
    /// What warps exchange through, with room for a number of each warp for each part of the axis that a thread has and
    /// each position along the other axes; of a recurrence for two.
    through: OptionalOperand<Tile>,
    out: Result<Frag>,
    next: Result<Frag>,
}

/// The elements along an axis in ascending order: of floats as numbers, -0.0 before 0.0, and NaN after all of them.
///
/// The axis of the layout is a power of two long, and elements are compared and exchanged in pairs, as in the bitonic network
/// of Batcher (1968): in registers, between the lanes of a warp, and where several warps share the axis through a tile, with
/// barriers.
#[op("kernel.sort", effects(None), format = "$input `along` $axis (`through` $through^)? attr-dict `:` type($out)",
     infer = verify::infer_sort, verify = verify::sort, eval = interp::compute::sort,
     example = "%y = sort %x along 1 through %s : frag<[1, 1024], i64, blocked [1, 8] lanes [1, 32] warps [1, 4]>")]
pub struct Sort {
    input: Operand<Frag>,
    axis: Attr<Int>,
    /// What warps exchange through, with room for the elements of the fragment.
    through: OptionalOperand<Tile>,
    out: Result<Frag>,
}

/// What each thread combines of the elements that it has along an axis, without a word to the others. The axis of the
/// result counts the threads that share it: its layout says which of them has which number.
#[op("kernel.thread_reduce", traits(Pure), format = "$combiner $input `along` $axis attr-dict `:` type($out)",
     verify = verify::thread_reduce, eval = interp::compute::thread_reduce,
     example = "%s = thread_reduce sum %x along 1 : frag<[8, 32], f32, blocked [1, 1] lanes [1, 32] warps [8, 1]>")]
pub struct ThreadReduce {
    combiner: Attr<Combiner>,
    input: Operand<Frag>,
    axis: Attr<Int>,
    out: Result<Frag>,
}

/// What `thread_reduce` gave, for each of the elements along the axis that the thread has.
#[op("kernel.thread_broadcast", traits(Pure), format = "$input `along` $axis attr-dict `:` type($out)",
     verify = verify::thread_broadcast, eval = interp::compute::thread_broadcast,
     example = "%y = thread_broadcast %s along 1 : frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>")]
pub struct ThreadBroadcast {
    input: Operand<Frag>,
    axis: Attr<Int>,
    out: Result<Frag>,
}

/// The same elements in another layout. Threads exchange what they must; what goes from warp to warp goes through a tile.
#[op("kernel.convert", effects(None), format = "$input (`through` $through^)? attr-dict `:` type($out)",
     verify = verify::convert, eval = interp::compute::convert,
     example = "%p = convert %s : frag<[64, 64], f16, wgmma_a>")]
pub struct Convert {
    input: Operand<Frag>,
    through: OptionalOperand<Tile>,
    out: Result<Frag>,
}

/// The product of matrices in registers, added to a third, on tensor cores: `mma.sync`. Factors of `f32` have a precision:
/// as `tf32` each is rounded to that type, as `tf32x3` each is the sum of two numbers of it, which are multiplied three
/// times.
#[op("kernel.mma", traits(Pure), format = "$lhs `,` $rhs `,` $acc (`as` $precision^)? attr-dict `:` type($out)",
     infer = verify::infer_acc, verify = verify::mma, eval = interp::compute::mma,
     example = "%d = mma %a, %b, %c : frag<[64, 64], f32, mma [2, 2]>")]
pub struct Mma {
    lhs: Operand<Frag>,
    rhs: Operand<Frag>,
    acc: Operand<Frag>,
    precision: OptionalAttr<Precision>,
    out: Result<Frag>,
}

/// The product of matrices in registers, added to a third, by multiplications and additions of each thread: a thread has
/// all the elements that its own elements of the result need.
#[op("kernel.fma", traits(Pure), format = "$lhs `,` $rhs `,` $acc attr-dict `:` type($out)", infer = verify::infer_acc,
     verify = verify::fma, eval = interp::compute::product,
     example = "%d = fma %a, %b, %c : frag<[64, 64], f32, blocked [4, 4] lanes [4, 8] warps [4, 2]>")]
pub struct Fma {
    lhs: Operand<Frag>,
    rhs: Operand<Frag>,
    acc: Operand<Frag>,
    out: Result<Frag>,
}

/// The product of matrices, added to a third, on tensor cores, by the four warps of a group, which do not wait: `wgmma`.
/// The left matrix is a tile or a fragment, the right one a tile. A transposed one is written [K, M] or [N, K]. Factors of
/// `f32` are read `as tf32`: without their low bits, so that what is not rounded before is cut off.
#[op("kernel.wgmma", effects(Read), parse = syntax::parse_wgmma, print = syntax::print_wgmma,
     infer = verify::infer_wgmma, verify = verify::wgmma, eval = interp::compute::wgmma,
     example = "%d, %t = wgmma %sA[%s], %sB[%s] transposed, %c : frag<[64, 128], f32, wgmma>, token<compute>")]
pub struct Wgmma {
    lhs: Operand<AnyType>,
    lhs_stage: OptionalOperand<IndexType>,
    rhs: Operand<Tile>,
    rhs_stage: OptionalOperand<IndexType>,
    acc: Operand<Frag>,
    lhs_transposed: OptionalAttr<Unit>,
    rhs_transposed: OptionalAttr<Unit>,
    precision: OptionalAttr<Precision>,
    out: Result<Frag>,
    token: Result<Token>,
}

/// The tile that the threads of an op exchange elements through, if they do.
pub fn through(op: OpRef<'_>) -> Option<ValueId> {
    let reduced = Reduce::of(op).and_then(|op| op.through());
    let along = Scan::of(op).and_then(|op| op.through()).or_else(|| Sort::of(op).and_then(|op| op.through()));
    reduced.or(along).or_else(|| Convert::of(op).and_then(|op| op.through()))
}
