//! The frame of a kernel: what is there when it is launched, its grids, the warps of a block and what each does.

use dlc_core::constant::Elements;
use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::sizes::Exprs;
use dlc_ir::define::{
    AnyType, Bool, DictArray, FunctionType, Index as IndexType, Int, IntArray, SymbolName, Text, TextArray, Unit, op,
};

use crate::syntax::frame as syntax;
use crate::types::Frag;
use crate::{interp, verify};

/// A kernel: what is done when it is launched, which is at least one grid of blocks.
///
/// It takes what it reads and gives what it writes. Its symbols are the sizes that are known when it is launched.
#[op("kernel.func", traits(Callable, Symbol, IsolatedFromAbove, SingleBlock), parse = dlc_ir::text::function::parse,
     print = dlc_ir::text::function::print, verify = verify::func, eval = interp::nothing,
     example = "kernel.func @f<M>(%x: memref<[M], f32>) -> memref<[M], f32> attributes {target = \"sm90\"} { .. }")]
pub struct Func {
    sym_name: Attr<SymbolName>,
    function_type: Attr<FunctionType>,
    sym_visibility: OptionalAttr<Text>,
    /// The symbols of sizes.
    symbols: OptionalAttr<TextArray>,
    /// A dictionary for each argument.
    arg_attrs: OptionalAttr<DictArray>,
    /// The architecture that it is written for: `sm80`, `sm90`. Everything is allowed without one.
    target: OptionalAttr<Text>,
    body: Region,
}

/// What must hold of the sizes when the kernel is launched, else it is not for them and another one must be taken.
#[op("kernel.require", parse = syntax::parse_require, print = syntax::print_require, verify = verify::require,
     eval = interp::host::require, example = "require (K mod 8 == 0, N <= 8192)")]
pub struct Require {
    /// Values in `guard`.
    args: Variadic<IndexType>,
    guard: Attr<Guard>,
}

/// Memory for a result of the kernel.
#[op("kernel.output", effects(Alloc), format = "attr-dict `:` type($out)", eval = interp::host::output,
     example = "%Y = output : memref<[M, N], f16>")]
pub struct Output {
    out: Result<MemRef>,
}

/// Memory that only this kernel sees, with zeros in it: partial sums, counters.
#[op("kernel.scratch", effects(Alloc), format = "attr-dict `:` type($out)", eval = interp::host::scratch,
     example = "%w = scratch : memref<[S, M, N], f32>")]
pub struct Scratch {
    out: Result<MemRef>,
}

/// Memory that only this kernel sees, with nothing in it: what is read there a grid before has written.
#[op("kernel.workspace", effects(Alloc), format = "attr-dict `:` type($out)", eval = interp::host::output,
     example = "%rows = workspace : memref<[M, 8*(K ceildiv 8)], f16>")]
pub struct Workspace {
    out: Result<MemRef>,
}

/// Ends the kernel with its results, each of them an output.
#[op("kernel.return", traits(Terminator, ReturnLike, Pure), format = "$values attr-dict", eval = interp::host::return_,
     example = "return %Y")]
pub struct Return {
    values: Variadic<MemRef>,
}

/// Runs its region in every block of a grid. The threads of a block run it together, unless a role says who does what.
#[op("kernel.grid", traits(SingleBlock, NoTerminator), parse = syntax::parse_grid, print = syntax::print_grid,
     verify = verify::grid, eval = interp::host::grid,
     example = "grid (N ceildiv 64, M ceildiv 128) cluster [2, 1] threads 384 blocks_per_sm 1 { .. }")]
pub struct Grid {
    /// Values in `dims`.
    args: Variadic<IndexType>,
    /// The number of blocks along up to three axes.
    dims: Attr<Exprs>,
    /// The number of blocks of a cluster along the axes; one without.
    cluster: OptionalAttr<IntArray>,
    /// The number of threads of a block.
    threads: Attr<Int>,
    /// How many blocks are to run on an SM at once: their threads have no more registers than that leaves.
    blocks_per_sm: OptionalAttr<Int>,
    body: Region,
}

/// What some warps of a block do while others do something else. With several groups each of them runs the region, and
/// the argument is its number. With `single`, one thread of each group runs it.
#[op("kernel.role", traits(SingleBlock, NoTerminator), parse = syntax::parse_role, print = syntax::print_role,
     verify = verify::role, eval = interp::device::role,
     example = "role consumer warps 4 to 12 groups 2 (%g: index) registers 232 { .. }")]
pub struct Role {
    /// What the warps are for.
    name: Attr<Text>,
    /// The first warp.
    first: Attr<Int>,
    /// The warp after the last.
    last: Attr<Int>,
    /// How many groups of as many warps there are.
    groups: Attr<Int>,
    /// The number of registers that each of their threads has.
    registers: OptionalAttr<Int>,
    /// Whether one thread runs the region.
    single: OptionalAttr<Unit>,
    body: Region,
}

/// What one thread of those that are here does.
#[op("kernel.elect", traits(SingleBlock, NoTerminator), format = "`:` type(results) $body attr-dict",
     verify = verify::elect, eval = interp::device::elect, example = "%e = elect : token<epilogue> { .. }")]
pub struct Elect {
    outs: VariadicResult<AnyType>,
    body: Region,
}

/// Runs its region for each integer from a first to below a last, by steps, with values carried along.
#[op("kernel.for", traits(Loop, SingleBlock, NoTerminator, RecursiveEffects), parse = syntax::parse_for, print = syntax::print_for,
     verify = verify::for_, eval = interp::device::for_,
     example = "%c = for %k = 0 to K step 64 carry (%acc = %zero) : frag<[64, 64], f32, wgmma> { .. }")]
pub struct For {
    /// Values in `bounds`.
    args: Variadic<IndexType>,
    inits: Variadic<AnyType>,
    /// The first integer, the one after the last, and the step.
    bounds: Attr<Exprs>,
    /// Whether the loop is to be unrolled when it is lowered.
    unroll: OptionalAttr<Unit>,
    outs: VariadicResult<AnyType>,
    body: Region,
}

/// Runs one of its regions: by a condition on integers, `if (%k > 0)`, or by a value, `if %c`. All threads that are here
/// agree on it.
#[op("kernel.if", traits(SingleBlock, NoTerminator, RecursiveEffects), parse = syntax::parse_if,
     print = syntax::print_if, verify = verify::if_, eval = interp::device::if_,
     example = "if (%k > 0) { .. } else { .. }")]
pub struct If {
    /// Values in `guard`.
    args: Variadic<IndexType>,
    cond: OptionalOperand<Bool>,
    /// The condition, unless it is a value.
    guard: OptionalAttr<Guard>,
    outs: VariadicResult<AnyType>,
    then: Region,
    otherwise: VariadicRegion,
}

/// Runs one of its regions in each warp: the first where the condition holds for an element that one of the warp's threads
/// has. The regions compute on registers only, as the other warps may run the other one.
#[op("kernel.warp_if", traits(SingleBlock, RecursiveEffects),
     format = "$cond `:` type(results) $then `else` $otherwise attr-dict", verify = verify::warp_if,
     eval = interp::device::warp_if,
     example = "%y = warp_if %c : frag<[64], f32, slice 1 of (wgmma)> { .. } else { .. }")]
pub struct WarpIf {
    cond: Operand<Frag>,
    outs: VariadicResult<AnyType>,
    then: Region,
    otherwise: Region,
}

/// Ends a region with the values that it gives.
#[op("kernel.yield", traits(Terminator, Pure), format = "$values attr-dict", eval = interp::device::yield_,
     example = "yield %c, %s")]
pub struct Yield {
    values: Variadic<AnyType>,
}

/// The number of the block in the grid along an axis.
#[op("kernel.block_id", traits(Pure), format = "$axis attr-dict", infer = verify::infer_index,
     verify = verify::block_id, eval = interp::device::block_id, example = "%b = block_id 0")]
pub struct BlockId {
    axis: Attr<Int>,
    out: Result<IndexType>,
}

/// The number of blocks of the grid along an axis.
#[op("kernel.grid_size", traits(Pure), format = "$axis attr-dict", infer = verify::infer_index,
     verify = verify::grid_size, eval = interp::device::grid_size, example = "%n = grid_size 0")]
pub struct GridSize {
    axis: Attr<Int>,
    out: Result<IndexType>,
}

/// The number of the block in its cluster.
#[op("kernel.block_rank", traits(Pure), format = "attr-dict", infer = verify::infer_index,
     eval = interp::device::block_rank, example = "%r = block_rank")]
pub struct BlockRank {
    out: Result<IndexType>,
}

/// An integer, `index 128 * %m + K ceildiv 2`; or, as a fragment of integers, one for each element, in which `i0`, `i1`,
/// .. are its position in the fragment.
#[op("kernel.index", traits(Pure), parse = syntax::parse_index, print = syntax::print_index, verify = verify::index,
     eval = interp::device::index, example = "%m0 = index 128 * %m : index")]
pub struct Index {
    /// Values in `value`.
    args: Variadic<IndexType>,
    /// One expression.
    value: Attr<Exprs>,
    out: Result<AnyType>,
}

/// The smaller of two integers.
#[op("kernel.min", traits(Pure), format = "$lhs `,` $rhs attr-dict", infer = verify::infer_index,
     eval = interp::device::min, example = "%n = min %a, %b")]
pub struct Min {
    lhs: Operand<IndexType>,
    rhs: Operand<IndexType>,
    out: Result<IndexType>,
}

/// The larger of two integers.
#[op("kernel.max", traits(Pure), format = "$lhs `,` $rhs attr-dict", infer = verify::infer_index,
     eval = interp::device::max, example = "%n = max %a, %b")]
pub struct Max {
    lhs: Operand<IndexType>,
    rhs: Operand<IndexType>,
    out: Result<IndexType>,
}

dlc_ir::keywords! {
    /// In which order the tiles of a matrix are taken.
    pub enum Order: "the order of tiles" {
        /// Row by row.
        Rows = "rows",
        /// Column by column.
        Columns = "columns",
        /// In groups of some rows, each group column by column: what is live at once is nearly square.
        Grouped = "grouped",
        /// Along a Hilbert curve over the next power of two.
        Hilbert = "hilbert",
    }
}

/// The row and the column of a tile by its number in an order.
#[op("kernel.tile_order", traits(Pure), parse = syntax::parse_tile_order, print = syntax::print_tile_order,
     infer = verify::infer_two, verify = verify::tile_order, eval = interp::device::tile_order,
     example = "%m, %n = tile_order %t of (M ceildiv 128, N ceildiv 128) grouped 8")]
pub struct TileOrder {
    tile: Operand<IndexType>,
    /// Values in `tiles`.
    args: Variadic<IndexType>,
    /// The number of rows and of columns of tiles.
    tiles: Attr<Exprs>,
    order: Attr<Order>,
    /// The rows of a group.
    group: OptionalAttr<Int>,
    row: Result<IndexType>,
    column: Result<IndexType>,
}

/// The next stage of a ring and the parity with which its barrier is waited for: the parity changes where the ring begins
/// again.
#[op("kernel.advance", traits(Pure), format = "$stage `,` $parity `over` $stages attr-dict",
     infer = verify::infer_two, verify = verify::advance, eval = interp::device::advance,
     example = "%s1, %p1 = advance %s, %p over 6")]
pub struct Advance {
    stage: Operand<IndexType>,
    parity: Operand<IndexType>,
    stages: Attr<Int>,
    next: Result<IndexType>,
    next_parity: Result<IndexType>,
}

/// A number, or a fragment of which every element is that number.
#[op("kernel.const", traits(Pure), parse = syntax::parse_const, print = syntax::print_const, verify = verify::const_,
     eval = interp::device::const_, example = "%zero = const 0.0 : frag<[64, 128], f32, wgmma>")]
pub struct Const {
    value: Attr<Elements>,
    out: Result<AnyType>,
}
