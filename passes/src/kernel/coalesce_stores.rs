//! Lets results of `mma` go through shared memory on their way out, so that threads store whole units of 16 bytes, and warps
//! whole rows.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. A fragment that lies as `mma` gives it, and is stored along rows that are aligned, is put into a
//! tile in shared memory and stored from there, as many rows at a time as there is room for.
//!
//! **Before**
//! ```mlir before
//! kernel.func @rows<M, N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm80"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[M, N], f16, row_major, align 16>
//!   grid (M ceildiv 32) threads 128 {
//!     %b = block_id 0
//!     %v = load %x[i0] where (i0 < N) : frag<[64], f32, slice 0 of (mma [2, 2])>
//!     %w = broadcast %v along 0 : frag<[32, 64], f32, mma [2, 2]>
//!     %h = cast %w : frag<[32, 64], f16, mma [2, 2]>
//!     store %h to %D[32*%b + i0, i1] where (32*%b + i0 < M, i1 < N)
//!   }
//!   return %D
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows<M, N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm80"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[M, N], f16, row_major, align 16>
//!   grid (M ceildiv 32) threads 128 {
//!     %rows = shared : tile<[32, 64], f16, row_major pitch 72>
//!     %b = block_id 0
//!     %v = load %x[i0] where (i0 < N) : frag<[64], f32, slice 0 of (mma [2, 2])>
//!     %w = broadcast %v along 0 : frag<[32, 64], f32, mma [2, 2]>
//!     %h = cast %w : frag<[32, 64], f16, mma [2, 2]>
//!     store_shared %h to %rows
//!     barrier
//!     %0 = load_shared %rows : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
//!     store %0 to %D[32*%b + i0, i1] where (32*%b + i0 < M, i1 < N)
//!   }
//!   return %D
//! }
//! ```
//!
//! **Does not** change stores that add to memory, or of other fragments; nor those whose rows are not known to be a
//! multiple of 16 bytes (`require` says so), or for which there is no room in shared memory without fewer blocks on a
//! multiprocessor. A remark says why.
//!
//! A thread has two neighbours of a row of `mma`, and a warp eight rows of 16 or 32 bytes: parts of what memory writes at
//! once. Rows in shared memory are a unit of 16 bytes longer than they need be, so that those of a warp are in different
//! banks. After the epilogues of CUTLASS that go through shared memory (`epilogue/threadblock/epilogue.h`). Rule of the
//! debug counters: `store`.

use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Type};
use dlc_kernel::global::{names_axis, position};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, LANES, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, Tile, elem_of};
use dlc_plan::clause::{Kind, Way};
use dlc_plan::{Schedule, Target};

use crate::analysis::boxes::{ALIGNMENT, aligned};
use crate::analysis::nesting::grid_of;
use crate::analysis::plans::{PLANNED, plan_of};
use crate::plan::report::not_followed;
use crate::rewrites::through_shared::{self, Places, Through};

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    options: &[PLANNED],
    statistics: &[StatDef { name: "stores", doc: "Stores that go through shared memory." }],
    ..PassDef::base("coalesce-stores", "Lets results of mma leave through shared memory, in whole rows.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The rows of an instruction.
const ROWS: i64 = 16;
/// What a tile behind others begins at a multiple of, in bytes.
const PLACE: i64 = 128;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(CoalesceStores { planned: options.flag("planned") }))
}

struct CoalesceStores {
    planned: bool,
}

impl Pass for CoalesceStores {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let asks = plan.as_deref().filter(|plan| {
            let mma = plan.instruction.as_ref().is_none_or(|it| it.kind == Kind::Mma);
            let is_wide = plan.vectors.is_some() || vectorized(plan).is_some();
            mma && plan.store.as_ref().map_or(is_wide, |store| store.way == Way::Rows)
        });
        if !self.planned || asks.is_some() {
            // 'vectors' lets accesses be wide; the other clauses say that they are.
            let asked = asks.filter(|plan| plan.store.is_some() || vectorized(plan).is_some());
            cx.count("stores", coalesce_stores(body, asked, asks.filter(|_| self.planned), cx));
        }
        Ok(())
    }
}

/// The width that `vectorize` says of results: along the last of their axes.
fn vectorized(plan: &Schedule) -> Option<i64> {
    let wide = plan.vectorize.as_ref()?;
    let axis = wide.axis.split('.').next();
    plan.out_tile().last().filter(|(last, _)| axis == Some(last)).map(|_| wide.width)
}

/// Lets results of `mma` go through shared memory. How many stores changed. What the schedule `asked` for and cannot be done
/// is a warning. The schedule `widths` may let an access take fewer elements than a row does.
pub fn coalesce_stores(body: &mut Body, asked: Option<&Schedule>, widths: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut changed = 0;
    for op in body.walk() {
        let Some(store) = kernel::Store::of(OpRef::new(ctx, body, op)) else { continue };
        let layout = Frag::of(ctx, store.type_of(store.value())).map(|frag| frag.layout(ctx));
        let Some(Distributed::Mma(warps)) = layout else { continue };
        let name = ctx.str(body.value_name(store.target()));
        let most = widths.and_then(|plan| {
            let said = plan.vectors.as_ref().and_then(|vectors| vectors.get(name)).copied();
            said.or_else(|| vectorized(plan))
        });
        match find(ctx, body, store, warps).and_then(|found| found.at_most(ctx, store, most)) {
            Ok(found) if cx.allows_rule("store") => {
                let loc = body.loc(op);
                if rewrite(ctx, body, op, &found).is_some() {
                    changed += 1;
                    let message = format!("this leaves through shared memory, {} rows at a time", found.high);
                    cx.remark(RemarkKind::Passed, loc, message);
                }
            }
            Ok(_) => {}
            Err(why) => {
                let message = format!("'store rows': the threads store this as mma gives it: {why}");
                not_followed(
                    cx,
                    body,
                    asked,
                    &["store", "vectors", "vectorize"],
                    (body.loc(op), kernel::Store::DEF.name),
                    message,
                );
            }
        }
    }
    changed
}

/// A result that can leave through shared memory.
struct Found {
    grid: OpId,
    /// The rows of the result, and of a part of it.
    rows: i64,
    high: i64,
    tile: Type,
    /// A part as `mma` gives it, and as it is stored.
    parts: [Type; 2],
    /// Whether other tiles come behind this one.
    again: bool,
}

impl Found {
    /// The same, unless accesses are to be narrower than whole units of memory.
    fn at_most(self, ctx: &Context, store: kernel::Store<'_>, most: Option<i64>) -> Result<Found, String> {
        let bits = elem_of(ctx, store.type_of(store.value())).bits(ctx).map_or(8, i64::from);
        match most.filter(|most| most.saturating_mul(bits) < 8 * ALIGNMENT as i64) {
            Some(most) => Err(format!("'vectors' lets an access take {most} of its elements, and rows take 16 bytes")),
            None => Ok(self),
        }
    }
}

fn find(ctx: &Context, body: &Body, store: kernel::Store<'_>, warps: [u32; 2]) -> Result<Found, String> {
    let unknown = "it is not known where its elements lie";
    if store.combine().is_some() {
        return Err("it is added to what is there".into());
    }
    let frag = Frag::of(ctx, store.type_of(store.value())).ok_or(unknown)?;
    let memory = MemRef::of(ctx, store.type_of(store.target())).ok_or(unknown)?;
    let &[rows, columns] = frag.shape(ctx).as_slice() else { return Err("it has not two axes".into()) };
    let at = store.at();
    let along = at.last().is_some_and(|last| last.sub(&position(1).unwrap_or_else(|| 0.into())).is_ok_and(constant));
    if !along || at[..at.len() - 1].iter().any(|at| names_axis(at, 1)) {
        return Err("its rows do not lie along rows of memory".into());
    }
    aligned(ctx, body, memory, None)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let bytes = i64::from(elem.bits(ctx).expect("elements of fragments have bits") / 8);
    let (grid, target) = machine(ctx, body, store.id)?;
    let unit = if bytes > 0 { ALIGNMENT as i64 / bytes } else { 0 };
    if unit < 2 || columns % unit != 0 {
        return Err(format!("{columns} elements of {bytes} bytes are no whole units of {ALIGNMENT} bytes"));
    }
    let pitch = columns + unit;
    let room = room(ctx, body, grid, &target)?;
    // Every warp of a column of the grid has rows of each part.
    let least = ROWS * i64::from(warps[0]);
    let high = (1..=rows / least).rev().map(|parts| parts * least);
    let high = high.filter(|high| rows % high == 0).find(|high| high * pitch * bytes <= room);
    let high = high.ok_or_else(|| {
        format!("{least} rows of it take {} bytes of shared memory, and there are {room}", least * pitch * bytes)
    })?;
    let lies = spread([high, columns / unit], i64::from(warps[0] * warps[1]))
        .map(|[lanes, warps]| Distributed::blocked(&[1, unit as u32], &lanes, &warps))
        .ok_or_else(|| {
            format!("{high} rows of {columns} elements are not enough for {} threads", 32 * warps[0] * warps[1])
        })?;
    let size = |size: i64| u32::try_from(size).map_err(|_| unknown);
    let shape = vec![high, columns];
    Ok(Found {
        grid,
        rows,
        high,
        tile: Tile::get(ctx, 1, shape.clone(), elem, Shared::RowMajor { pitch: Some(size(pitch)?) }),
        parts: [Frag::get(ctx, shape.clone(), elem, Distributed::Mma(warps)), Frag::get(ctx, shape, elem, lies)],
        again: body.parent_op(store.id) != Some(grid),
    })
}

/// Whether an expression does not name an axis of a fragment.
fn constant(expr: SizeExpr) -> bool {
    expr.symbols().iter().all(|name| axis_number(name).is_none())
}

/// The grid around an op, and the machine that the kernel is for.
fn machine(ctx: &Context, body: &Body, op: OpId) -> Result<(OpId, Target), String> {
    let grid = grid_of(ctx, body, op).ok_or("it stands in no grid")?;
    let func = kernel::Func::of(OpRef::new(ctx, body, body.root()));
    let target = func.and_then(|func| Target::built_in(func.target()?));
    Ok((grid, target.ok_or("it is not known how much shared memory there is")?))
}

/// How many bytes of shared memory a block may take beside what it has, so that as many run on a multiprocessor.
fn room(ctx: &Context, body: &Body, grid: OpId, target: &Target) -> Result<i64, String> {
    let view = OpRef::new(ctx, body, grid);
    let used = i64::from(shared_memory(view)?.bytes);
    let threads = kernel::Grid::from(view).threads().max(1);
    let by_threads = target.threads_per_sm / threads;
    let together = (target.smem_per_sm / (used + target.smem_reserved).max(1)).min(by_threads).max(1);
    let each = (target.smem_per_sm / together - target.smem_reserved).min(target.smem_per_block);
    Ok(each - (used + PLACE - 1) / PLACE * PLACE)
}

/// Lanes and warps over rows and units of a row: as many lanes along a row as there are units for, so that a warp stores
/// long parts of few rows.
fn spread([rows, units]: [i64; 2], warps: i64) -> Option<[[u32; 2]; 2]> {
    let dividing = |size: i64, most: i64| {
        let powers = (0..=most.max(1).ilog2()).rev().map(|power| 1i64 << power);
        powers.into_iter().find(|power| size % power == 0)
    };
    let lanes = dividing(units, LANES.into())?;
    let down = i64::from(LANES) / lanes;
    let over = (rows % down == 0).then(|| dividing(rows / down, warps))??;
    let across = warps / over;
    let whole = warps % over == 0 && units / lanes % across == 0;
    whole.then_some([[down as u32, lanes as u32], [over as u32, across as u32]])
}

/// Stores from a tile in the place of a store. `None` where positions go beyond 64 bits.
fn rewrite(ctx: &Context, body: &mut Body, op: OpId, found: &Found) -> Option<()> {
    let loc = body.loc(op);
    let store = kernel::Store::from(OpRef::new(ctx, body, op));
    let (value, memory, places) = (store.value(), store.target(), Places::of(store));
    let mut parts = Vec::new();
    for first in (0..found.rows / found.high).map(|part| part * found.high) {
        let moved = |name: &str| match axis_number(name) {
            Some(0) => position(0)?.add(&SizeExpr::from(first)).ok(),
            axis => position(axis?),
        };
        parts.push((first, places.moved(&moved)?));
    }
    let block = body.first_block(kernel::Grid::body(kernel::Grid::from(OpRef::new(ctx, body, found.grid))))?;
    let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
    let tile = kernel::Shared::build(&mut builder, loc, None, found.tile);
    let tile = builder.result(tile);
    body.set_value_name(tile, ctx.intern_str("rows"));
    let through = Through { tile, slot: None, turned: false, read: found.parts[1] };
    let whole = parts.len() == 1;
    for (first, places) in parts {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        // What was put there before is stored.
        if found.again || first > 0 {
            kernel::Barrier::build(&mut builder, loc, None, None);
        }
        let part = match whole {
            true => value,
            false => {
                let from = vec![SizeExpr::from(first), SizeExpr::from(0)];
                let part = kernel::Extract::build(&mut builder, loc, value, &[], from, found.parts[0]);
                builder.result(part)
            }
        };
        through_shared::store(&mut builder, loc, part, &through, memory, places);
    }
    body.erase_op(op);
    Some(())
}
