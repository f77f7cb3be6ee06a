//! Lets results leave through shared memory, panel by panel, while the threads go on: with the next panel, and with the
//! next tile.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. A result that lies as products of `wgmma` give it, and is stored to a box of a memref whose rows
//! are aligned, is stored by the copy engine, from `panels` buffers in turn for each group of four warps.
//!
//! **Before**
//! ```mlir before
//! kernel.func @rows<N>(%x: memref<[N], f32>) -> memref<[64, N], f16, row_major, align 16> attributes {target = "sm90"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[64, N], f16, row_major, align 16>
//!   grid (2) threads 128 {
//!     %b = block_id 0
//!     for %n = %b to N ceildiv 16 step 2 {
//!       %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//!       %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
//!       %h = cast %w : frag<[64, 16], f16, wgmma>
//!       store %h to %D[i0, 16*%n + i1] where (16*%n + i1 < N)
//!     }
//!   }
//!   return %D
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows<N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[64, N], f16, row_major, align 16> attributes {target = "sm90"} {
//!   require (N mod 8 == 0)
//!   %D = output : memref<[64, N], f16, row_major, align 16>
//!   %map_D = tensor_map %D : tensormap<[64, 16], f16, swizzle 32>
//!   grid (2) threads 128 {
//!     %panels = shared : tile<[64, 16], f16, swizzle 32>
//!     %b = block_id 0
//!     %0 = done : token<epilogue>
//!     %1 = for %n = %b to N ceildiv 16 step 2 carry (%stored = %0) : token<epilogue> {
//!       %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//!       %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
//!       %h = cast %w : frag<[64, 16], f16, wgmma>
//!       elect {
//!         await_read %stored
//!       }
//!       barrier
//!       store_shared %h to %panels
//!       fence_async
//!       barrier
//!       %2 = elect : token<epilogue> {
//!         %3 = tma_store %panels to %map_D[0, 16*%n] : token<epilogue>
//!         yield %3
//!       }
//!       yield %2
//!     }
//!     elect {
//!       await_read %1
//!     }
//!   }
//!   return %D
//! }
//! ```
//!
//! **Does not** change stores that add to memory, or of other fragments; nor those whose rows are not known to be a
//! multiple of 16 bytes (`require` says so), whose guard is another one than that of the memref, that stand in a condition,
//! or for whose panels there is no room. A remark says why.
//!
//! A plan says how many panels with rows of 128 bytes a group has room for, and how many of them leave at once (`store tma
//! panels 2 together 1`); of narrower ones there are more. With `store rows` threads store the panels, lanes side by side
//! elements side by side, of results whose rows begin anywhere. Where such a result is made of others that are read panel by
//! panel, a bias is read for each panel as well: beside those there is no room for all of it.
//!
//! What the epilogue reads for whole rows or columns, such as a bias, is asked for before the loop that sums products, where
//! the sums and it take half of the registers at most.
//!
//! Phases, for each store: (1) the box, of axes taken as one where a run goes on from row to row, and its panels of 64 rows
//! and up to 128 bytes; (2) the buffers, and the loops around
//! that carry for each the token of its last store; (3) for each panel: one thread waits until the buffer has been read, all
//! write the panel, and one thread lets it be stored. After the epilogues of CUTLASS (`sm90_epilogue_tma_warpspecialized.hpp`).
//! Rules of the debug counters: `ahead`, `store`.

mod ahead;
mod parts;
mod rows;

use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::global::{names_axis, position};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, TensorMap, Tile, Token, Work, elem_of};
use dlc_plan::clause::Way;
use dlc_plan::{Schedule, Target};

use crate::analysis::boxes::{aligned, boxed};
use crate::analysis::conditions::stores_by_engine;
use crate::analysis::expressions::{Over, index, pack};
use crate::analysis::nesting::{block_of, grid_of};
use crate::analysis::plans::{PLANNED, given, plan_of};
use crate::plan::defaults;
use crate::plan::report::not_followed;
use crate::rewrites::carried::{carry_through, yield_more};
use crate::rewrites::unused::erase_unused;
use parts::Parts;

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    options: &[
        OptionDef {
            name: "panels",
            kind: OptionKind::Text,
            default: "auto",
            doc: "How many panels each group has in shared memory, 1 to 8; 'auto' for what the plan says, or 2.",
        },
        PLANNED,
    ],
    statistics: &[
        StatDef { name: "stores", doc: "Stores that the copy engine does." },
        StatDef { name: "rows", doc: "Stores that threads do row by row." },
        StatDef { name: "loads", doc: "Loads of epilogues that are begun before the sum." },
    ],
    ..PassDef::base("overlap-epilogue", "Lets results leave through shared memory while the threads go on.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The rows of a panel: those of four warps.
const ROWS: i64 = 64;
/// The rows after which the exchange of units of 16 bytes begins again, and the most of a box.
const LEAST_ROWS: i64 = 8;
const MOST_ROWS: i64 = 256;
/// The rows of a turned panel whose elements threads store to places that they compute, the most first.
const APART_ROWS: [i64; 3] = [32, 16, 8];
/// The most bytes of a row of a panel: as far as the exchange of units of 16 bytes reaches.
const ROW_BYTES: i64 = 128;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let panels = given(options, "panels")?;
    match panels.filter(|panels| !(1..=8).contains(panels)) {
        Some(panels) => Err(format!("a group has 1 to 8 panels, not {panels}")),
        None => Ok(Box::new(OverlapEpilogue { panels, planned: options.flag("planned") })),
    }
}

struct OverlapEpilogue {
    panels: Option<i64>,
    planned: bool,
}

impl Pass for OverlapEpilogue {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let way = plan.as_ref().and_then(|plan| plan.store.as_ref());
        let panels = self.panels.or(way.and_then(|store| store.panels)).unwrap_or(defaults::SUB_TILES).clamp(1, 8);
        let together = way.and_then(|store| store.together).unwrap_or(1).clamp(1, panels);
        let by_rows = way.is_some_and(|store| store.way == Way::Rows);
        let by_engine = match self.planned {
            true => plan.as_deref().is_some_and(|plan: &Schedule| stores_by_engine(plan)),
            false => way.is_none_or(|store| store.way == Way::Tma),
        };
        if by_engine || by_rows {
            cx.count("loads", ahead::load_ahead(body, cx));
        }
        let asked = plan.as_deref().filter(|_| self.planned);
        if by_engine {
            cx.count("stores", overlap_epilogue(body, [panels, together], asked, cx));
        } else if by_rows {
            cx.count("rows", store_by_rows(body, panels, asked, cx));
        }
        Ok(())
    }
}

/// Lets the copy engine store results of products, from so many panels of each group, so many of them at once. How many
/// stores changed. What the schedule `asked` for and cannot be done is a warning.
fn overlap_epilogue(body: &mut Body, panels: [i64; 2], asked: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut changed = 0;
    for op in body.walk() {
        let Some(store) = store_of_product(ctx, body, op) else { continue };
        match find(ctx, body, store, panels) {
            Ok(found) if cx.allows_rule("store") => {
                let (count, buffers) = (found.panels.firsts.len(), found.panels.buffers);
                if rewrite(ctx, body, op, &found).is_some() {
                    changed += 1;
                    if cx.wants_remarks() {
                        let message = format!("the copy engine stores this in {count} panels, from {buffers} buffers");
                        cx.remark(RemarkKind::Passed, found.panels.loc, message);
                    }
                }
            }
            Ok(_) => {}
            Err(why) => {
                let message = format!("'store tma': the threads store this result themselves: {why}");
                not_followed(cx, body, asked, &["store", "async"], (body.loc(op), kernel::Store::DEF.name), message);
            }
        }
    }
    changed
}

/// Lets threads store rows of results of products, from so many panels of each group. How many stores changed.
/// What the schedule `asked` for and cannot be done is a warning.
fn store_by_rows(body: &mut Body, panels: i64, asked: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let target = kernel::Func::of(OpRef::new(ctx, body, body.root())).and_then(|func| Target::built_in(func.target()?));
    let most = target.map_or(i64::MAX, |target| target.smem_per_block);
    let mut changed = 0;
    for op in body.walk() {
        let Some(store) = store_of_product(ctx, body, op) else { continue };
        let found = match store.combine() {
            Some(_) => Err("it is added to what is there".into()),
            None => find_panels(ctx, body, store, [panels, 1], most, true),
        };
        match found {
            Ok(found) if cx.allows_rule("rows") => {
                if rows::store_rows(ctx, body, op, &found).is_some() {
                    changed += 1;
                    let (count, buffers) = (found.firsts.len(), found.buffers);
                    let message = format!("threads store rows of this in {count} panels, from {buffers} buffers");
                    cx.remark(RemarkKind::Passed, found.loc, message);
                }
            }
            Ok(_) => {}
            Err(why) => {
                let message = format!("'store rows': the threads store this result from their fragments: {why}");
                not_followed(cx, body, asked, &["store"], (body.loc(op), kernel::Store::DEF.name), message);
            }
        }
    }
    changed
}

/// An op as a store of what a product of warpgroups gives.
fn store_of_product<'a>(ctx: &'a Context, body: &'a Body, op: OpId) -> Option<kernel::Store<'a>> {
    let store = kernel::Store::of(OpRef::new(ctx, body, op))?;
    let layout = Frag::of(ctx, store.type_of(store.value()))?.layout(ctx);
    (layout == Distributed::Wgmma).then_some(store)
}

/// A result that can leave panel by panel.
struct Panels {
    loc: Loc,
    grid: OpId,
    /// The loops around, from the inside out, up to the role or the grid.
    loops: Vec<OpId>,
    /// Those that store a result each.
    groups: Groups,
    /// How many panels each of them has in shared memory.
    buffers: i64,
    /// How many of them leave at once.
    together: usize,
    /// Rows and columns of the first element of each panel.
    firsts: Vec<[i64; 2]>,
    /// The rows and columns of a panel in shared memory, and how its units of 16 bytes are exchanged.
    shape: [i64; 2],
    layout: Shared,
    /// All panels in shared memory, and one of them in registers.
    tile: [Type; 2],
    /// Whether rows of the fragment lie along rows of memory, so that panels are turned on their way to shared memory.
    turned: bool,
}

/// A result that the copy engine can store.
struct Found {
    panels: Panels,
    /// The axis of the memref along which rows are.
    axis: usize,
    /// Where the result begins in the memref.
    at: Vec<Over>,
    map: Type,
    /// The axes of the memref as the map sees them, where they are others.
    merged: Option<Vec<i64>>,
}

/// Why a result stays where it is, if it is not known what it is.
const UNKNOWN: &str = "it is not known where its elements lie";

/// Whether rows of the fragment of a store lie along rows of memory, or nearest to them where elements lie apart.
fn is_turned(at: &[SizeExpr]) -> bool {
    let nearest = at.iter().rev().find(|at| names_axis(at, 0) || names_axis(at, 1));
    nearest.is_some_and(|nearest| names_axis(nearest, 0) && !names_axis(nearest, 1))
}

/// Rows and columns of a fragment.
fn shape_of(ctx: &Context, store: kernel::Store<'_>) -> Result<[i64; 2], String> {
    let frag = Frag::of(ctx, store.type_of(store.value())).ok_or(UNKNOWN)?;
    <[i64; 2]>::try_from(frag.shape(ctx)).map_err(|_| "it has not two axes".into())
}

fn find(ctx: &Context, body: &Body, store: kernel::Store<'_>, panels: [i64; 2]) -> Result<Found, String> {
    let func = kernel::Func::of(OpRef::new(ctx, body, body.root()));
    let target = func.and_then(|func| Target::built_in(func.target()?));
    if let Some(target) = target.as_ref().filter(|target| !target.has("tma")) {
        return Err(format!("{} has no copy engine", target.name));
    }
    if store.combine().is_some() {
        return Err("it is added to what is there".into());
    }
    let memory = MemRef::of(ctx, store.type_of(store.target())).ok_or(UNKNOWN)?;
    let [rows, columns] = shape_of(ctx, store)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let size = |size: i64| u32::try_from(size).map_err(|_| UNKNOWN);
    let mut at = store.at();
    let sizes = [size(rows)?, size(columns)?];
    let mut guard = store.guard();
    let found = match is_turned(&at) {
        false => boxed(ctx, guard.as_ref(), memory, &at, &sizes, false)?,
        true => {
            at = at.iter().map(swapped).collect::<Option<_>>().ok_or(UNKNOWN)?;
            guard = guard.map(|guard| guard.map(&swapped).ok_or(UNKNOWN)).transpose()?;
            boxed(ctx, guard.as_ref(), memory, &at, &[sizes[1], sizes[0]], false)?
        }
    };
    aligned(ctx, body, memory, None)?;
    let axis = found.at.iter().position(|at| names_axis(at, 0)).ok_or(UNKNOWN)?;
    let most = target.map_or(i64::MAX, |target| target.smem_per_block);
    let panels = find_panels(ctx, body, store, panels, most, false)?;
    let mut shape = vec![1; found.at.len()];
    shape[axis] = panels.shape[0];
    *shape.last_mut().ok_or(UNKNOWN)? = panels.shape[1];
    let args: Vec<ValueId> = store.args().collect();
    Ok(Found {
        axis,
        at: found.bases.into_iter().map(|at| Over::new(at, &args)).collect(),
        map: TensorMap::get(ctx, shape, elem, panels.layout),
        merged: found.merged,
        panels,
    })
}

/// The panels of a result, where a block has so many bytes of shared memory: room for so many with rows of 128 bytes, or for
/// more that are narrower, of which as many leave together.
fn find_panels(
    ctx: &Context,
    body: &Body,
    store: kernel::Store<'_>,
    [panels, together]: [i64; 2],
    most: i64,
    by_threads: bool,
) -> Result<Panels, String> {
    let [rows, columns] = shape_of(ctx, store)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let bytes = i64::from(elem.bits(ctx).expect("elements of fragments have bits") / 8);
    let turned = is_turned(&store.at());
    // The widest rows of panels that columns are made of; of turned panels rows of the fragment are that.
    let widths = [ROW_BYTES, ROW_BYTES / 2, ROW_BYTES / 4].map(|span| span / bytes.max(1));
    let width = match turned {
        false => widths.into_iter().find(|width| columns % width == 0).unwrap_or(columns),
        true => ROWS,
    };
    // Where each element has an address of its own, a thread has registers for a few of them.
    let apart = by_threads && turned && store.at().iter().any(|at| at.as_linear().is_none());
    let high = match turned {
        true if apart => APART_ROWS.into_iter().find(|high| columns % high == 0).unwrap_or(columns),
        true => columns,
        false => ROWS,
    };
    let span = u32::try_from(width * bytes).ok().filter(|span| matches!(span, 32 | 64 | 128));
    let Some(span) = span.filter(|_| rows % ROWS == 0 && high % LEAST_ROWS == 0 && high <= MOST_ROWS) else {
        return Err(format!("{rows} times {columns} elements of {bytes} bytes are no whole panels"));
    };
    let (loops, groups) = around(ctx, body, store.id)?;
    let grid = grid_of(ctx, body, store.id).ok_or("it stands in no grid")?;
    let step = if turned { high } else { width };
    let firsts: Vec<[i64; 2]> =
        (0..rows / ROWS).flat_map(|row| (0..columns / step).map(move |column| [row * ROWS, column * step])).collect();
    let used = i64::from(shared_memory(OpRef::new(ctx, body, grid))?.bytes);
    let panel = high * width * bytes;
    let narrow = if turned { 1 } else { ROW_BYTES / i64::from(span) };
    let wanted = (panels * narrow).min(firsts.len() as i64);
    // An atom of the exchange is where panels may begin.
    let room = (most - (used + 1023) / 1024 * 1024) / panel / groups.0;
    let buffers = wanted.min(room);
    if buffers < 1 {
        let more = groups.0 * panel;
        return Err(format!("its panels take {more} bytes of shared memory beside {used}, and a block has {most}"));
    }
    let layout = Shared::Panels { span, rows: None };
    Ok(Panels {
        loc: store.loc(),
        grid,
        loops,
        groups,
        buffers,
        together: (together * narrow).min(buffers) as usize,
        firsts,
        shape: [high, width],
        layout,
        tile: [
            Tile::get(ctx, buffers * groups.0, vec![high, width], elem, layout),
            Frag::get(ctx, vec![ROWS, step], elem, Distributed::Wgmma),
        ],
        turned,
    })
}

/// An expression with the axes of a fragment exchanged.
fn swapped(expr: &SizeExpr) -> Option<SizeExpr> {
    let other = |name: &str| match axis_number(name) {
        Some(0) => position(1),
        Some(1) => position(0),
        _ => None,
    };
    expr.substitute(&other).ok()
}

/// The groups of threads that run an op, and the number of the one that is here.
type Groups = (i64, Option<ValueId>);

/// The loops around an op, from the inside out, and the groups of four warps that run it.
fn around(ctx: &Context, body: &Body, op: OpId) -> Result<(Vec<OpId>, Groups), String> {
    let mut loops = Vec::new();
    let mut at = op;
    while let Some(parent) = body.parent_op(at) {
        let view = OpRef::new(ctx, body, parent);
        let (warps, groups) = match (kernel::Role::of(view), kernel::Grid::of(view)) {
            (Some(role), _) => (role.last() - role.first(), role.groups()),
            (_, Some(grid)) => (grid.threads() / 32, 1),
            _ if kernel::For::of(view).is_some() => {
                loops.push(parent);
                at = parent;
                continue;
            }
            _ => return Err("a condition decides about it".into()),
        };
        if warps != 4 * groups {
            return Err(format!("{} warps have it, not four", warps / groups.max(1)));
        }
        let block = kernel::Role::of(view).and_then(|role| body.first_block(kernel::Role::body(role)));
        let number = block.and_then(|block| body.args(block).first().copied());
        return match (groups, number) {
            (2.., None) => Err("its group has no number".into()),
            (1, _) => Ok((loops, (1, None))),
            _ => Ok((loops, (groups, number))),
        };
    }
    Err("it stands in no grid".into())
}

/// Puts stores of panels in the place of a store. `None` where positions go beyond 64 bits.
fn rewrite(ctx: &Context, body: &mut Body, op: OpId, found: &Found) -> Option<()> {
    let loc = found.panels.loc;
    let store = kernel::Store::from(OpRef::new(ctx, body, op));
    let (value, memory) = (store.value(), store.target());
    let map = tensor_map(ctx, body, found, memory);
    let panels = &found.panels;
    let tile = shared_tile(ctx, body, panels)?;

    // For each buffer the token of its last store, through all loops.
    let first = panels.loops.last().copied().unwrap_or(op);
    let mut inits = Vec::new();
    for _ in 0..if panels.loops.is_empty() { 0 } else { panels.buffers } {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(first));
        let done = kernel::Done::build(&mut builder, loc, Token::get(ctx, Work::Epilogue));
        inits.push((builder.result(done), "stored"));
    }
    let (carried, inner) = carry_through(ctx, body, &panels.loops, &inits)?;
    let mut tokens: Vec<Option<ValueId>> = carried.into_iter().map(Some).collect();
    tokens.resize(panels.buffers as usize, None);

    let ty = panels.tile[1];
    let whole = body.value_type(value) == ty;
    let shape = Frag::of(ctx, ty).map(|frag| frag.shape(ctx)).unwrap_or_default();
    let numbered: Vec<(usize, [i64; 2])> = panels.firsts.iter().copied().enumerate().collect();
    for some in numbered.chunks(panels.together) {
        let buffers: Vec<usize> = some.iter().map(|(number, _)| number % tokens.len()).collect();
        let used: Vec<ValueId> = buffers.iter().filter_map(|&buffer| tokens[buffer]).collect();
        if !used.is_empty() {
            elect_await(ctx, body, InsertPoint::Before(op), loc, &used);
            kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, None, None);
        }
        let mut leaving = Vec::new();
        for (&(_, [row, column]), &buffer) in some.iter().zip(&buffers) {
            let slot = slot(ctx, body, op, panels, buffer as i64)?;
            let mut at = found.at.clone();
            let (down, along) = if panels.turned { (column, row) } else { (row, column) };
            for (axis, offset) in [(found.axis, down), (at.len() - 1, along)] {
                at[axis] = at[axis].plus(&Over::plain(offset.into()))?;
            }
            let part = match whole {
                true => value,
                false => Parts::new(ctx, body, op, [row, column], shape.clone()).of(body, value)?,
            };
            let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
            kernel::StoreShared::build(&mut builder, loc, part, tile, slot, panels.turned.then_some(()));
            leaving.push((slot, pack(&at)?));
        }
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        kernel::FenceAsync::build(&mut builder, loc);
        kernel::Barrier::build(&mut builder, loc, None, None);
        let types = vec![Token::get(ctx, Work::Epilogue); some.len()];
        let elect = kernel::Elect::build(&mut builder, loc, &types);
        let inside = body.append_block(body.regions(elect)[0]);
        let mut builder = Builder::at_end(ctx, body, inside);
        let mut stored = Vec::new();
        for (slot, (args, at)) in leaving {
            let store =
                kernel::NewTmaStore { tile, stage: slot, map, args: &args, at, combine: None }.build(&mut builder, loc);
            stored.push(builder.result(store));
        }
        kernel::Yield::build(&mut builder, loc, &stored);
        for (number, &buffer) in buffers.iter().enumerate() {
            tokens[buffer] = Some(body.result(elect, number));
        }
    }
    let tokens: Vec<ValueId> = tokens.into_iter().flatten().collect();
    // A block ends when nothing of its shared memory is to be read any more.
    match inner.and_then(|inner| block_of(ctx, body, inner)) {
        Some(block) => {
            yield_more(ctx, body, block, &tokens);
            let (loops, _) = around(ctx, body, op).ok()?;
            let outer = *loops.last()?;
            let results: Vec<ValueId> = body.results(outer).collect();
            let last = &results[results.len() - tokens.len()..];
            elect_await(ctx, body, InsertPoint::After(outer), loc, last);
        }
        None => elect_await(ctx, body, InsertPoint::After(op), loc, &tokens),
    }
    body.erase_op(op);
    let whole: Vec<OpId> = body.defining_op(value).into_iter().collect();
    erase_unused(ctx, body, whole);
    Some(())
}

/// The panels of all groups in shared memory.
fn shared_tile(ctx: &Context, body: &mut Body, panels: &Panels) -> Option<ValueId> {
    let block = body.first_block(kernel::Grid::body(kernel::Grid::from(OpRef::new(ctx, body, panels.grid))))?;
    let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
    let tile = kernel::Shared::build(&mut builder, panels.loc, None, panels.tile[0]);
    let tile = builder.result(tile);
    body.set_value_name(tile, ctx.intern_str("panels"));
    Some(tile)
}

/// The number of a buffer among those of all groups; nothing where there is one.
fn slot(ctx: &Context, body: &mut Body, op: OpId, panels: &Panels, buffer: i64) -> Option<Option<ValueId>> {
    let (groups, group) = panels.groups;
    if groups * panels.buffers == 1 {
        return Some(None);
    }
    let own = Over::plain(buffer.into());
    let number = match group {
        Some(group) => Over::value(group)?.times(panels.buffers)?.plus(&own)?,
        None => own,
    };
    index(&mut Builder::new(ctx, body, InsertPoint::Before(op)), panels.loc, &number).map(Some)
}

/// One thread waits until stores have read shared memory.
fn elect_await(ctx: &Context, body: &mut Body, place: InsertPoint, loc: Loc, tokens: &[ValueId]) {
    let elect = kernel::Elect::build(&mut Builder::new(ctx, body, place), loc, &[]);
    let block = body.append_block(body.regions(elect)[0]);
    kernel::AwaitRead::build(&mut Builder::at_end(ctx, body, block), loc, tokens);
}

/// The map of the panels of a memref, before the grid.
fn tensor_map(ctx: &Context, body: &mut Body, found: &Found, memory: ValueId) -> ValueId {
    let known = body.uses(memory).find_map(|used| {
        let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, used.op))?;
        let plain = map.lower().is_none() && map.order().is_none();
        let same = plain && map.merged() == found.merged && map.type_of(map.out()) == found.map;
        (same && body.is_before(map.id, found.panels.grid)).then(|| map.out())
    });
    known.unwrap_or_else(|| {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.panels.grid));
        let op = kernel::NewTensorMapOf {
            memory,
            lower: None,
            upper: None,
            strides: None,
            merged: found.merged.clone(),
            order: None,
            out_type: found.map,
        }
        .build(&mut builder, found.panels.loc);
        let map = builder.result(op);
        let name = format!("map_{}", ctx.str(body.value_name(memory)));
        body.set_value_name(map, ctx.intern_str(name.trim_end_matches('_')));
        map
    })
}
