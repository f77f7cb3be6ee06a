//! Memory: tiles in shared memory, and what moves between it, registers and global memory.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar::Combiner;
use dlc_core::sizes::Exprs;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{AnyType, Index as IndexType, Int, IntArray, Number, Unit, op};
use dlc_ir::{Attr, OpRef, ValueId};

use crate::layout::Distributed;
use crate::syntax::memory as syntax;
use crate::types::{Frag, MBarrier, TensorMap, Tile, Token};
use crate::{interp, verify};

/// Shared memory for tiles. With a place it begins at that byte of the block's shared memory, and may lie over another;
/// else it is a place of its own.
#[op("kernel.shared", effects(Alloc), format = "(`at` $at^)? attr-dict `:` type($out)", verify = verify::shared,
     eval = interp::memory::shared, example = "%sA = shared : tile<6 x [128, 64], f16, swizzle 128>")]
pub struct Shared {
    /// The first byte.
    at: OptionalAttr<Int>,
    out: Result<Tile>,
}

/// A part of a tile: from a position on each axis, as much as the type says.
#[op("kernel.slice", traits(Pure), parse = syntax::parse_slice, print = syntax::print_slice, verify = verify::slice,
     eval = interp::memory::slice, example = "%q = slice %sQ[%s] at (64 * %g, 0) : tile<[64, 64], f16, swizzle 128>")]
pub struct Slice {
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    /// The position of the first element, one expression for each axis.
    at: Attr<Exprs>,
    out: Result<Tile>,
}

/// A memref as TMA sees it. It is made when the kernel is launched. The rows of the memref, and so the steps
/// along all axes but the last, are a multiple of 16 bytes.
///
/// With `lower`, `upper` and `strides` it moves pixels, `im2col`: of a memref whose first axis counts images and whose
/// last counts channels, the box is [pixels, channels], and those numbers are, for each axis between, where the window
/// begins, where it ends counted from the last element, and by how much it moves.
///
/// With `merged` some axes that lie one after another count as one: `merged [3, 1]` of [B, H, W, C] is [B*H*W, C], so
/// that a box may go on from row to row.
///
/// With `order` the axes stand in another order: `order [1, 0]` of a memref whose columns are contiguous has rows that are.
/// Boxes are loaded from such a map, and not stored.
#[op("kernel.tensor_map", traits(Pure), format = "$memory (`im2col` `lower` $lower^ `upper` $upper `strides` $strides)? (`merged` $merged^)? (`order` $order^)? attr-dict `:` type($out)",
     verify = verify::tensor_map, eval = interp::host::tensor_map,
     example = "%mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>")]
pub struct TensorMapOf {
    memory: Operand<MemRef>,
    lower: OptionalAttr<IntArray>,
    upper: OptionalAttr<IntArray>,
    strides: OptionalAttr<IntArray>,
    /// How many axes of the memref each axis is.
    merged: OptionalAttr<IntArray>,
    /// Which axis of the memref each axis is.
    order: OptionalAttr<IntArray>,
    out: Result<TensorMap>,
}

dlc_ir::keywords! {
    /// How long the cache of the device should keep what is read. It changes no number.
    pub enum Hint: "a hint for the cache" {
        /// What is read once should not push out what is read again.
        EvictFirst = "evict_first",
        /// What is read again and again should stay.
        EvictLast = "evict_last",
    }
}

/// Elements of global memory in registers: for each element of the fragment, at position `i0`, `i1`, .. in it, the one at
/// these positions. Outside of the guard nothing is read, and the element is the number after `else`, or zero. As a
/// number, one element that all threads read. With `vector 4` a thread takes four elements of a row at once, which lie at
/// a multiple of four and are inside of the guard all or none; without it, each by itself.
#[op("kernel.load", effects(Read), parse = syntax::parse_load, print = syntax::print_load, verify = verify::load,
     eval = interp::memory::load,
     example = "%x = load %X[%m0 + i0, i1] where (%m0 + i0 < M) else 0.0 : frag<[64, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>")]
pub struct Load {
    source: Operand<MemRef>,
    /// Values in `at` and `guard`: integers, or fragments of integers of the shape and layout of the result.
    args: Variadic<AnyType>,
    /// For each axis of the memref an expression.
    at: Attr<Exprs>,
    /// Where memory is read; everywhere without one.
    guard: OptionalAttr<Guard>,
    /// The number elsewhere.
    fill: OptionalAttr<Number>,
    /// How long the cache should keep it.
    hint: OptionalAttr<Hint>,
    /// How many elements of a row one access takes; one without.
    vector: OptionalAttr<Int>,
    out: Result<AnyType>,
}

/// Puts a fragment into global memory, each element once, where the guard holds. With a combiner the element there
/// becomes the sum (or the largest, the smallest) of both, in one step that no other thread comes between. `vector` is as
/// of `load`.
#[op("kernel.store", effects(Write), parse = syntax::parse_store, print = syntax::print_store, verify = verify::store,
     eval = interp::memory::store, example = "store %y to %Y[%m0 + i0, %n0 + i1] where (%m0 + i0 < M, %n0 + i1 < N)")]
pub struct Store {
    value: Operand<Frag>,
    target: Operand<MemRef>,
    /// Values in `at` and `guard`.
    args: Variadic<AnyType>,
    at: Attr<Exprs>,
    guard: OptionalAttr<Guard>,
    /// How it is combined with what is there.
    combine: OptionalAttr<Combiner>,
    /// How many elements of a row one access takes; one without.
    vector: OptionalAttr<Int>,
}

/// Copies from global memory to a tile, of which the element at `i0`, `i1`, .. gets the one at these positions. The layout
/// says which thread copies what. `vector` is as of `load`.
#[op("kernel.copy", effects(Read, Write), parse = syntax::parse_copy, print = syntax::print_copy,
     verify = verify::copy, eval = interp::memory::copy,
     example = "copy %X[%m0 + i0, %k + i1] where (%m0 + i0 < M, %k + i1 < K) to %sX by blocked [1, 8] lanes [4, 8] warps [4, 1]")]
pub struct Copy {
    source: Operand<MemRef>,
    /// Values in `at` and `guard`.
    args: Variadic<IndexType>,
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    at: Attr<Exprs>,
    guard: OptionalAttr<Guard>,
    fill: OptionalAttr<Number>,
    by: Attr<Distributed>,
    /// How many elements of a row one access takes; one without.
    vector: OptionalAttr<Int>,
}

/// As `copy`, but the threads do not wait: the tile is there when the token is awaited, for others after a barrier.
#[op("kernel.copy_async", effects(Read, Write), parse = syntax::parse_copy, print = syntax::print_copy,
     infer = verify::infer_load_token, verify = verify::copy_async, eval = interp::memory::copy_async,
     example = "%t = copy_async %X[%m0 + i0, %k + i1] to %sX[%s] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>")]
pub struct CopyAsync {
    source: Operand<MemRef>,
    /// Values in `at` and `guard`.
    args: Variadic<IndexType>,
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    at: Attr<Exprs>,
    guard: OptionalAttr<Guard>,
    fill: OptionalAttr<Number>,
    by: Attr<Distributed>,
    /// How many elements of a row one access takes; one without.
    vector: OptionalAttr<Int>,
    token: Result<Token>,
}

/// What `copy` and `copy_async` have in common.
pub struct Copied {
    /// The memref.
    pub source: ValueId,
    /// How many values there are in `at` and `guard`.
    pub values: usize,
    /// The tile, and which one of several.
    pub tile: (ValueId, Option<ValueId>),
    /// For each axis of the memref an expression.
    pub at: Vec<SizeExpr>,
    /// Where memory is read.
    pub guard: Option<Guard>,
    /// The number elsewhere.
    pub fill: Option<Attr>,
    /// Which thread copies what.
    pub by: Distributed,
    /// How many elements of a row one access takes.
    pub vector: Option<i64>,
}

impl Copied {
    /// What an op copies that is one of both; `None` for another one.
    pub fn of(op: OpRef<'_>) -> Option<Copied> {
        macro_rules! parts {
            ($op:expr) => {
                $op.map(|op| Copied {
                    source: op.source(),
                    values: op.args().len(),
                    tile: (op.tile(), op.stage()),
                    at: op.at(),
                    guard: op.guard(),
                    fill: op.fill(),
                    by: op.by(),
                    vector: op.vector(),
                })
            };
        }
        parts!(Copy::of(op)).or_else(|| parts!(CopyAsync::of(op)))
    }
}

/// A fragment from a tile, the element at each position; of a transposed tile [N, K] a fragment [K, N].
#[op("kernel.load_shared", effects(Read),
     format = "$tile (`[` $stage^ `]`)? (`transposed` $transposed^)? attr-dict `:` type($out)",
     verify = verify::load_shared, eval = interp::memory::load_shared,
     example = "%a = load_shared %sA[%s] : frag<[128, 64], f16, mma_a [2, 2]>")]
pub struct LoadShared {
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    transposed: OptionalAttr<Unit>,
    out: Result<Frag>,
}

/// Puts a fragment into a tile; a fragment [N, M] into a transposed one [M, N].
#[op("kernel.store_shared", effects(Write),
     format = "$value `to` $tile (`[` $stage^ `]`)? (`transposed` $transposed^)? attr-dict",
     verify = verify::store_shared, eval = interp::memory::store_shared, example = "store_shared %c to %sC[%s]")]
pub struct StoreShared {
    value: Operand<Frag>,
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    transposed: OptionalAttr<Unit>,
}

/// TMA brings a box of the memref to a tile, and counts its bytes on an mbarrier; what is outside of the
/// memref is zero. One thread begins that. `at` says where the box begins; of an `im2col` map, where the first pixel and
/// channel are, and `offsets` where in the window. With `multicast` the blocks of the cluster whose bits are set all get
/// the box, each at the same place.
#[op("kernel.tma_load", effects(Read, Write), parse = syntax::parse_tma_load, print = syntax::print_tma_load,
     verify = verify::tma_load, eval = interp::memory::tma_load,
     example = "tma_load %mA[128 * %m, 64 * %k] to %sA[%s] signal %full[%s]")]
pub struct TmaLoad {
    map: Operand<TensorMap>,
    /// Values in `at` and `offsets`.
    args: Variadic<IndexType>,
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    barrier: Operand<MBarrier>,
    barrier_stage: OptionalOperand<IndexType>,
    at: Attr<Exprs>,
    offsets: OptionalAttr<Exprs>,
    multicast: OptionalAttr<Int>,
    /// How long the cache should keep it.
    hint: OptionalAttr<Hint>,
}

/// TMA puts a tile into a box of the memref, or adds it to what is there; what is outside stays out. One
/// thread begins that, and only it can await the token.
#[op("kernel.tma_store", effects(Read, Write), parse = syntax::parse_tma_store, print = syntax::print_tma_store,
     infer = verify::infer_epilogue_token, verify = verify::tma_store, eval = interp::memory::tma_store,
     example = "%e = tma_store %sD[%s] to %mD[128 * %m, 64 * %n] : token<epilogue>")]
pub struct TmaStore {
    tile: Operand<Tile>,
    stage: OptionalOperand<IndexType>,
    map: Operand<TensorMap>,
    /// Values in `at`.
    args: Variadic<IndexType>,
    at: Attr<Exprs>,
    /// How it is combined with what is there.
    combine: OptionalAttr<Combiner>,
    token: Result<Token>,
}
