//! Conversions between a layout that something binds and accesses to global memory, where both cost less than the access.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::pass::PassCx;
use dlc_ir::{Builder, Context, OpId, ValueId};
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, Tile, sizes};
use dlc_kernel::verify::warps_of;
use dlc_plan::target::Target;

use super::cost::{blocked_layouts, conversion, global};
use super::groups::placed;
use super::{changed, weight};
use crate::analysis::nesting::{grid_of, loops_around};

/// The shared memory of a block where no target says it.
pub const SHARED_BYTES: i64 = 48 << 10;

/// A conversion that is worth it.
struct Better {
    layout: Distributed,
    through: Option<Shared>,
    costs: [u64; 2],
}

/// Puts conversions before stores and after loads. How many.
pub fn insert(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut count = 0;
    for id in body.walk() {
        let op = OpRef::new(ctx, body, id);
        let Some(access) = GlobalAccess::of(op).filter(|access| access.tile.is_none()) else { continue };
        let Some(better) = better(op, &access) else { continue };
        let old = Frag::of(ctx, access.frag).map(|frag| frag.layout(ctx).to_string()).unwrap_or_default();
        if cx.allows_rule("convert") && convert(ctx, body, id, &access, &better).is_some() {
            let what = if better.through.is_some() { "converted through shared memory" } else { "converted" };
            changed(cx, body.loc(id), what, [old, better.layout.to_string()], better.costs);
            count += 1;
        }
    }
    count
}

/// The layout in which an access and a conversion cost least, if that is less than the access alone.
fn better(op: OpRef<'_>, access: &GlobalAccess) -> Option<Better> {
    let ctx = op.ctx;
    // Threads that meet for a conversion must all be here; and what is named in expressions has the old layout.
    loops_around(ctx, op.body, op.id)?;
    let uniform = access.values.iter().all(|&value| Frag::of(ctx, op.type_of(value)).is_none());
    if access.combines.is_some() || access.vector.is_some() || !uniform {
        return None;
    }
    let frag = Frag::of(ctx, access.frag)?;
    let old = frag.layout(ctx);
    let own = placed(op, access.frag, &old)?;
    let before = global(op, access)?;
    let stores = op.is(kernel::Store::DEF);
    let tried = blocked_layouts(&sizes(&frag.shape(ctx))?, warps_of(op)?).into_iter().filter_map(|layout| {
        let ty = Frag::get(ctx, frag.shape(ctx), frag.elem(ctx), layout.clone());
        let other = placed(op, ty, &layout)?;
        let moved = global(op, &GlobalAccess { frag: ty, ..access.clone() }).filter(|&cost| cost < before)?;
        let (cost, through) = if stores { conversion(&own, &other)? } else { conversion(&other, &own)? };
        let fits = other.registers() <= own.registers() && through.is_none_or(|through| has_room(op, access, through));
        fits.then_some((moved + cost, layout, through))
    });
    let (after, layout, through) = tried.min_by_key(|(cost, ..)| *cost)?;
    let weight = weight(ctx, op.body, op.id);
    (after < before).then_some(Better { layout, through, costs: [before * weight, after * weight] })
}

/// Whether a block has room for one more tile.
fn has_room(op: OpRef<'_>, access: &GlobalAccess, layout: Shared) -> bool {
    let func = kernel::Func::of(OpRef { id: op.body.root(), ..op });
    let target = func.and_then(|func| Target::built_in(func.target()?));
    let most = target.map_or(SHARED_BYTES, |target| target.smem_per_block);
    let bytes = || {
        let grid = grid_of(op.ctx, op.body, op.id)?;
        let frag = Frag::of(op.ctx, access.frag)?;
        let tile = Tile::of(op.ctx, Tile::get(op.ctx, 1, frag.shape(op.ctx), frag.elem(op.ctx), layout))?;
        let now = shared_memory(OpRef { id: grid, ..op }).ok()?.bytes;
        Some(i64::from(now) + i64::from(tile.place(op.ctx).ok()?.stride()))
    };
    bytes().is_some_and(|bytes| bytes <= most)
}

/// Puts the conversion there.
fn convert(ctx: &Context, body: &mut Body, op: OpId, access: &GlobalAccess, better: &Better) -> Option<()> {
    let loc = body.loc(op);
    let frag = Frag::of(ctx, access.frag)?;
    let ty = Frag::get(ctx, frag.shape(ctx), frag.elem(ctx), better.layout.clone());
    let through = match better.through {
        Some(layout) => {
            let grid = kernel::Grid::from(OpRef::new(ctx, body, grid_of(ctx, body, op)?));
            let block = body.first_block(kernel::Grid::body(grid))?;
            let tile = Tile::get(ctx, 1, frag.shape(ctx), frag.elem(ctx), layout);
            let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
            let made = kernel::Shared::build(&mut builder, loc, None, tile);
            let tile = builder.result(made);
            body.set_value_name(tile, ctx.intern_str("through"));
            Some(tile)
        }
        None => None,
    };
    if let Some(value) = kernel::Store::of(OpRef::new(ctx, body, op)).map(|store| store.value()) {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let made = kernel::Convert::build(&mut builder, loc, value, through, ty);
        let rows = builder.result(made);
        meet_before(ctx, body, made, through);
        body.set_operand(op, 0, rows);
        return Some(());
    }
    let loaded: ValueId = body.result(op, 0);
    let old = body.value_type(loaded);
    body.set_value_type(loaded, ty);
    let mut builder = Builder::new(ctx, body, InsertPoint::After(op));
    let made = kernel::Convert::build(&mut builder, loc, loaded, through, old);
    let out = builder.result(made);
    body.replace_all_uses(loaded, out);
    body.set_operand(made, 0, loaded);
    meet_before(ctx, body, made, through);
    Some(())
}

/// In a loop the tile of a conversion is used again: all must have read what they put there before.
fn meet_before(ctx: &Context, body: &mut Body, convert: OpId, through: Option<ValueId>) {
    let loops = loops_around(ctx, body, convert).is_some_and(|loops| !loops.is_empty());
    if through.is_some() && loops {
        let loc = body.loc(convert);
        kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::Before(convert)), loc, None, None);
    }
}
