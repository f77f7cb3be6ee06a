//! Copies of boxes, which TMA does for one thread.

use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::pass::PassCx;
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::layout::Shared;
use dlc_kernel::ops::{self as kernel, Hint};
use dlc_kernel::types::{MBarrier, TensorMap, Tile};
use dlc_plan::clause::Policy;
use dlc_plan::value::Table;

use super::fence_or;
use super::windows::{Window, window};
use crate::analysis::axes::ancestor_in;
use crate::analysis::boxes::{self, ALIGNMENT, aligned};
use crate::analysis::expressions::{BoundExpr, index, pack};
use crate::analysis::nesting::{block_of, grid_of, loops_around};
use crate::analysis::numbers::is_zero;
use crate::analysis::tiles::{Tiles, apart, is_barrier, tile_of};
use crate::rewrites::carried::{carry_through, yield_more};
use crate::rewrites::unused::erase_unused;

/// The most elements of a box along an axis.
const MOST_ELEMENTS: u32 = 256;
/// The most bytes that an mbarrier counts.
const MOST_BYTES: u64 = (1 << 20) - 1;

/// A copy of a box.
pub struct Boxed {
    /// The op `copy`.
    pub copy: OpId,
    /// Where the box begins on each axis of the memref, by the values of the copy.
    at: Vec<SizeExpr>,
    /// The sizes of the box: of a panel, where rows are longer than the exchange of 16 bytes reaches.
    shape: Vec<i64>,
    /// How many panels there are along the last axis.
    panels: i64,
    bytes: u64,
    /// The axes of the memref as the box sees them, where they are others.
    merged: Option<Vec<i64>>,
    /// Which axis of the memref each is, where they stand in another order.
    order: Option<Vec<i64>>,
    /// How it goes from pixel to pixel, where it is one of those.
    window: Option<Window>,
}

/// The box that a copy moves; else why it is none.
pub fn boxed(ctx: &Context, body: &Body, op: OpId) -> Result<Boxed, String> {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, op));
    if copy.fill().is_some_and(|fill| !is_zero(ctx, fill)) {
        return Err("outside of the guard the tile is not filled with zero".into());
    }
    let unknown = "it is not known where its elements lie";
    let memory = MemRef::of(ctx, copy.type_of(copy.source())).ok_or(unknown)?;
    let tile = Tile::of(ctx, copy.type_of(copy.tile())).ok_or(unknown)?;
    let place = tile.place(ctx)?;
    let sizes = place.shape().to_vec();
    let at = copy.at();
    if sizes.len() > 2
        || at.len() < sizes.len()
        || at.is_empty()
        || at.len() > 5
        || (sizes.len() == 1) != (at.len() == 1)
    {
        return Err(format!("a tile of rank {} is no box of a memref of rank {}", sizes.len(), at.len()));
    }
    // Pixels of several images are taken as a window, of which rows need not be whole.
    let is_of_images = |found: &boxes::Boxed| found.shape.iter().rev().skip(1).filter(|&&size| size > 1).count() > 2;
    let found = boxes::boxed(ctx, copy.guard().as_ref(), memory, &at, &sizes, true);
    let found = found.and_then(|found| match is_of_images(&found) && window(ctx, body, op, &sizes).is_ok() {
        true => Err(String::new()),
        false => Ok(found),
    });
    let (shape, bases, [merged, order], window) = match found {
        Ok(found) => (found.shape, found.bases, [found.merged, found.order], None),
        Err(why) => match window(ctx, body, op, &sizes) {
            Ok(window) => {
                let shape = sizes.iter().map(|&size| size.into()).collect();
                (shape, window.at.clone(), [None, None], Some(window))
            }
            Err(_) => return Err(why),
        },
    };
    aligned(ctx, body, memory, order.as_deref())?;
    boxes::begins_aligned(ctx, body, memory, &bases, &copy.args().collect::<Vec<_>>())?;
    if let Some((axis, size)) = shape.iter().enumerate().find(|(_, size)| **size > i64::from(MOST_ELEMENTS))
        && (sizes.len() < 2 || axis + 1 < shape.len() || !matches!(tile.layout(ctx), Shared::Panels { .. }))
    {
        return Err(format!("a box has at most {MOST_ELEMENTS} elements along an axis, and the tile {size}"));
    }
    let (width, bytes) = (*sizes.last().unwrap_or(&1), place.elem_bytes());
    let (panels, panel) = match tile.layout(ctx) {
        Shared::Panels { span, rows } if rows.is_none() => {
            let panel = (span / bytes).min(width);
            if width % panel != 0 {
                return Err(format!("rows of {width} elements are no whole panels of {panel}"));
            }
            (width / panel, panel)
        }
        Shared::RowMajor { pitch } if pitch.is_none_or(|pitch| pitch == width) => (1, width),
        _ => return Err("its tile has another layout than TMA writes".into()),
    };
    if u64::from(panel * bytes) % ALIGNMENT != 0 {
        return Err(format!("rows of {} bytes are no multiple of {ALIGNMENT}", panel * bytes));
    }
    let mut shape = shape;
    if let Some(last) = shape.last_mut() {
        *last = panel.into();
    }
    let bytes = u64::from(bytes) * sizes.iter().map(|&size| u64::from(size)).product::<u64>();
    let last = SizeExpr::from(i64::from(width - panel));
    if bases.last().is_some_and(|base| base.add(&last).is_err()) {
        return Err("its positions go beyond 64 bits".into());
    }
    separate(ctx, body, op, copy.tile())?;
    Ok(Boxed { copy: op, at: bases, shape, panels: panels.into(), bytes, merged, order, window })
}

/// That nothing but the copy fills its tile, and that threads meet between their reads of it and the next copy: one
/// thread begins that for all.
fn separate(ctx: &Context, body: &Body, op: OpId, tile: ValueId) -> Result<(), String> {
    let tile = tile_of(ctx, body, tile).ok_or("it is not known where its tile lies")?;
    let tiles = Tiles::of(ctx, body);
    let others = tiles.writers(tile).iter().copied().filter(|&writer| writer != op);
    let others: Vec<OpId> = others.filter(|&writer| !are_apart(ctx, body, op, writer)).collect();
    let loops = loops_around(ctx, body, op).ok_or("it stands in a condition or a role")?;
    let block = loops.first().and_then(|&inner| block_of(ctx, body, inner));
    // Threads may change what is there before it is read.
    let changes = |writer: &OpId| {
        let writer = OpRef::new(ctx, body, *writer);
        let within = block.and_then(|block| ancestor_in(body, writer.id, block));
        writer.is(kernel::StoreShared::DEF) && within.is_some_and(|within| body.is_before(op, within))
    };
    if !others.iter().all(changes) {
        return Err("something else writes its tile too".into());
    }
    let Some(block) = block else { return Ok(()) };
    let last = body.ops(block).filter(|&op| is_barrier(OpRef::new(ctx, body, op))).last();
    let following = |reader: &OpId| match (ancestor_in(body, *reader, block), last) {
        (Some(reader), Some(last)) => body.is_before(reader, last),
        _ => false,
    };
    match tiles.readers(tile).iter().chain(&others).all(following) {
        true => Ok(()),
        false => Err("no barrier of its loop stands after all that reads its tile".into()),
    }
}

/// Whether two copies fill different parts of a tile.
pub fn are_apart(ctx: &Context, body: &Body, one: OpId, other: OpId) -> bool {
    let tile = |op: OpId| {
        let view = OpRef::new(ctx, body, op);
        kernel::Copy::of(view).map(|copy| copy.tile()).or(kernel::CopyAsync::of(view).map(|copy| copy.tile()))
    };
    tile(one).zip(tile(other)).is_some_and(|(one, other)| apart(ctx, body, one, other))
}

/// Lets one thread ask TMA for boxes, if there are any, and all threads wait for them before a barrier. The op
/// in which it asks. An error, and nothing is changed, where the phases of the barrier cannot be counted.
pub fn request(
    body: &mut Body,
    cx: &PassCx<'_>,
    boxes: &[Boxed],
    barrier: OpId,
    policy: Option<&Table<Policy>>,
) -> Result<Option<OpId>, String> {
    let ctx = cx.ctx;
    let Some(last) = boxes.last() else { return Ok(None) };
    let bytes: u64 = boxes.iter().map(|boxed| boxed.bytes).sum();
    if bytes > MOST_BYTES {
        return Err(format!("an mbarrier counts at most {MOST_BYTES} bytes, and these are {bytes}"));
    }
    let (Some(grid), Some(loops)) = (grid_of(ctx, body, last.copy), loops_around(ctx, body, last.copy)) else {
        return Err("it stands in a condition or a role".into());
    };
    let loc = body.loc(last.copy);
    let maps: Vec<ValueId> = boxes.iter().map(|boxed| tensor_map(ctx, body, grid, boxed)).collect();
    let full = mbarrier(ctx, body, grid, loc);

    // The parity of the phase that is waited for, which every wait changes.
    let place = loops.last().copied().unwrap_or(last.copy);
    let zero = kernel::Index::build(
        &mut Builder::new(ctx, body, InsertPoint::Before(place)),
        loc,
        &[],
        vec![SizeExpr::from(0)],
        Type::INDEX,
    );
    let zero = body.result(zero, 0);
    let (values, inner) =
        carry_through(ctx, body, &loops, &[(zero, "parity")]).ok_or("its loops cannot carry a parity")?;
    let parity = values[0];

    let mut builder = Builder::new(ctx, body, InsertPoint::Before(last.copy));
    let elect = kernel::Elect::build(&mut builder, loc, &[]);
    let block = body.append_block(body.regions(elect)[0]);
    kernel::Expect::build(&mut Builder::at_end(ctx, body, block), loc, full, None, bytes as i64);
    for (boxed, &map) in boxes.iter().zip(&maps) {
        let hint = hint(ctx, body, boxed, policy);
        load(ctx, body, block, boxed, (map, full), hint);
    }
    let wait = InsertPoint::Before(fence_or(ctx, body, elect, barrier));
    kernel::Wait::build(&mut Builder::new(ctx, body, wait), loc, full, None, parity);
    if let Some(block) = inner.and_then(|inner| block_of(ctx, body, inner)) {
        let next = flipped_parity(ctx, body, block, parity).ok_or("its loops cannot carry a parity")?;
        yield_more(ctx, body, block, &[next]);
    }
    for boxed in boxes {
        let part = body.defining_op(kernel::Copy::from(OpRef::new(ctx, body, boxed.copy)).tile());
        body.erase_op(boxed.copy);
        erase_unused(ctx, body, part.into_iter().collect());
    }
    Ok(Some(elect))
}

/// The other parity, at the end of a block.
fn flipped_parity(ctx: &Context, body: &mut Body, block: BlockId, parity: ValueId) -> Option<ValueId> {
    let old = BoundExpr::value(parity)?;
    let other = BoundExpr::plain(SizeExpr::from(1)).with(&old, |one, old| one.sub(old).ok())?;
    let end = body.last_op(block).filter(|&op| kernel::Yield::of(OpRef::new(ctx, body, op)).is_some());
    let place = end.map_or(InsertPoint::EndOf(block), InsertPoint::Before);
    index(&mut Builder::new(ctx, body, place), Loc::UNKNOWN, &other)
}

/// How long the cache should keep what a copy reads, as the plan says by the name of the memref.
fn hint(ctx: &Context, body: &Body, boxed: &Boxed, policy: Option<&Table<Policy>>) -> Option<Hint> {
    let memory = kernel::Copy::from(OpRef::new(ctx, body, boxed.copy)).source();
    match policy?.get(ctx.str(body.value_name(memory)))? {
        Policy::EvictFirst => Some(Hint::EvictFirst),
        Policy::EvictLast => Some(Hint::EvictLast),
        Policy::Normal => None,
    }
}

/// The loads of a box, one for each panel.
fn load(
    ctx: &Context,
    body: &mut Body,
    block: BlockId,
    boxed: &Boxed,
    (map, full): (ValueId, ValueId),
    hint: Option<Hint>,
) {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, boxed.copy));
    let (loc, mut tile, stage) = (copy.loc(), copy.tile(), copy.stage());
    let Some(ty) = Tile::of(ctx, copy.type_of(tile)) else { return };
    let args: Vec<ValueId> = copy.args().collect();
    // A part of a tile is named where it is filled: threads that ask may be others than those that read.
    if let Some(part) = body.defining_op(tile).filter(|&op| OpRef::new(ctx, body, op).is(kernel::Slice::DEF)) {
        let part = body.clone_op(part, &mut CloneMap::new());
        body.insert(part, InsertPoint::EndOf(block));
        tile = body.result(part, 0);
    }
    for panel in 0..boxed.panels {
        let width = boxed.shape.last().copied().unwrap_or(1);
        let (mut part, mut part_stage, mut at) = (tile, stage, boxed.at.clone());
        if boxed.panels > 1 {
            let shape = vec![ty.shape(ctx)[0], width];
            let part_ty = Tile::get(ctx, 1, shape, ty.elem(ctx), ty.layout(ctx));
            let from = vec![SizeExpr::from(0), SizeExpr::from(panel * width)];
            let mut builder = Builder::at_end(ctx, body, block);
            let slice =
                kernel::NewSlice { tile, stage, args: &[], at: from, out_type: part_ty }.build(&mut builder, loc);
            (part, part_stage) = (builder.result(slice), None);
        }
        if let Some(last) = at.last_mut() {
            // That there is such a number was seen when the box was found.
            *last = last.add(&SizeExpr::from(panel * width)).unwrap_or_else(|_| last.clone());
        }
        let offsets = boxed.window.as_ref().map_or(&[][..], |window| &window.offsets);
        let all: Vec<SizeExpr> = at.iter().chain(offsets).cloned().collect();
        let over: Vec<_> = all.iter().map(|expr| BoundExpr::new(expr.clone(), &args)).collect();
        let (args, mut all) = pack(&over).unwrap_or_else(|| (args.clone(), all));
        let offsets = all.split_off(at.len());
        let offsets = boxed.window.is_some().then_some(offsets);
        let mut builder = Builder::at_end(ctx, body, block);
        kernel::NewTmaLoad {
            map,
            args: &args,
            tile: part,
            stage: part_stage,
            barrier: full,
            barrier_stage: None,
            at: all,
            offsets,
            multicast: None,
            hint,
        }
        .build(&mut builder, loc);
    }
}

/// The map of the memref of a copy, before the grid.
fn tensor_map(ctx: &Context, body: &mut Body, grid: OpId, boxed: &Boxed) -> ValueId {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, boxed.copy));
    let (loc, memory) = (copy.loc(), copy.source());
    let ty = Tile::expect(ctx, copy.type_of(copy.tile()));
    let ty = TensorMap::get(ctx, boxed.shape.clone(), ty.elem(ctx), ty.layout(ctx));
    let window = boxed.window.as_ref();
    let numbers = |of: &dyn Fn(&Window) -> Vec<i64>| window.map(of);
    let lower = numbers(&|window| window.lower.clone());
    let upper = numbers(&|window| window.upper.clone());
    let strides = numbers(&|window| window.strides.clone());
    let known = body.uses(memory).find_map(|used| {
        let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, used.op))?;
        let same = map.lower() == lower
            && map.upper() == upper
            && map.strides() == strides
            && map.merged() == boxed.merged
            && map.order() == boxed.order;
        (same && map.type_of(map.out()) == ty && body.is_before(map.id, grid)).then(|| map.out())
    });
    known.unwrap_or_else(|| {
        // Maps of the same memory are distinguished by a number, as texts do it.
        let is_map = |used: &dlc_ir::body::Use| kernel::TensorMapOf::of(OpRef::new(ctx, body, used.op)).is_some();
        let others = body.uses(memory).filter(is_map).count();
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(grid));
        let (merged, order) = (boxed.merged.clone(), boxed.order.clone());
        let op = kernel::NewTensorMapOf { memory, lower, upper, strides, merged, order, out_type: ty }
            .build(&mut builder, loc);
        let map = builder.result(op);
        let name = format!("map_{}", ctx.str(body.value_name(memory)));
        let name = name.trim_end_matches('_');
        let name = others.checked_sub(1).map_or(name.to_owned(), |number| format!("{name}_{number}"));
        body.set_value_name(map, ctx.intern_str(&name));
        map
    })
}

/// A new mbarrier at the start of a grid, after its tiles, which all threads may wait at.
fn mbarrier(ctx: &Context, body: &mut Body, grid: OpId, loc: Loc) -> ValueId {
    let block =
        kernel::Grid::of(OpRef::new(ctx, body, grid)).and_then(|grid| body.first_block(kernel::Grid::body(grid)));
    let tiles: Vec<OpId> = block.map_or_else(Vec::new, |block| {
        let made = |&op: &OpId| {
            let view = OpRef::new(ctx, body, op);
            view.is(kernel::Shared::DEF) || view.is(kernel::MBarriers::DEF) || is_barrier(view)
        };
        body.ops(block).take_while(made).collect()
    });
    // One barrier of the threads is enough for all mbarriers.
    let meets = tiles.last().copied().filter(|&op| is_barrier(OpRef::new(ctx, body, op)));
    let place = match (meets, tiles.last(), block) {
        (Some(meets), ..) => InsertPoint::Before(meets),
        (None, Some(&last), _) => InsertPoint::After(last),
        (None, None, Some(block)) => InsertPoint::StartOf(block),
        (None, None, None) => InsertPoint::Before(grid),
    };
    let mut builder = Builder::new(ctx, body, place);
    let op = kernel::MBarriers::build(&mut builder, loc, 1, MBarrier::get(ctx, 1));
    let full = builder.result(op);
    if meets.is_none() {
        kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::After(op)), loc, None, None);
    }
    body.set_value_name(full, ctx.intern_str("full"));
    full
}

/// Takes away the fences between requests and the barriers after them, if no thread writes a tile that matrix products or
/// TMA read.
pub fn drop_fences(ctx: &Context, body: &mut Body, requests: &[(OpId, OpId)]) {
    let tiles = Tiles::of(ctx, body);
    let is_engine = |op: &OpId| {
        let view = OpRef::new(ctx, body, *op);
        view.is(kernel::Wgmma::DEF) || view.is(kernel::TmaStore::DEF)
    };
    let by_threads =
        |tile: OpId| tiles.writers(tile).iter().any(|&op| !OpRef::new(ctx, body, op).is(kernel::TmaLoad::DEF));
    let is_needed = body.walk().into_iter().any(|op| {
        kernel::Shared::of(OpRef::new(ctx, body, op)).is_some()
            && tiles.readers(op).iter().any(is_engine)
            && by_threads(op)
    });
    if is_needed {
        return;
    }
    for &(request, barrier) in requests {
        let between = std::iter::successors(Some(request), |&op| body.next_op(op)).take_while(|&op| op != barrier);
        let fences: Vec<OpId> = between.filter(|&op| OpRef::new(ctx, body, op).is(kernel::FenceAsync::DEF)).collect();
        fences.into_iter().for_each(|op| body.erase_op(op));
    }
}
