//! Layouts of tiles in shared memory in which lanes do not wait for each other.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId};
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::layout::{MAX_VECTOR_BYTES, Shared, SharedTile};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, Tile, sizes};

use super::cost::{shared, shared_layouts};
use super::groups::placed;
use super::{changed, weight};
use crate::analysis::nesting::grid_of;
use crate::analysis::tiles::may_overlap;

/// Chooses the layouts of tiles. How many have another one.
pub fn assign(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut count = 0;
    for id in body.walk() {
        let Some((old, new, costs)) = choose(ctx, body, id) else { continue };
        let value = body.result(id, 0);
        let Some(tile) = Tile::of(ctx, body.value_type(value)).filter(|_| cx.allows_rule("tile")) else { continue };
        let ty = Tile::get(ctx, tile.stages(ctx), tile.shape(ctx), tile.elem(ctx), new);
        body.set_value_type(value, ty);
        changed(cx, body.loc(id), "tile", [old.to_string(), new.to_string()], costs);
        count += 1;
    }
    count
}

/// The layout of a tile, a better one, and what both cost.
fn choose(ctx: &Context, body: &Body, id: OpId) -> Option<(Shared, Shared, [u64; 2])> {
    let op = kernel::Shared::of(OpRef::new(ctx, body, id))?;
    if may_overlap(ctx, body, id) {
        return None;
    }
    let ty = Tile::of(ctx, op.type_of(op.out()))?;
    let (shape, bits, old) = (sizes(&ty.shape(ctx))?, ty.elem(ctx).bits(ctx)?, ty.layout(ctx));
    let users: Vec<OpId> = body.uses(op.out()).map(|used| used.op).collect();
    let cost = |layout: Shared| {
        let tile = layout.place(&shape, bits).ok()?;
        let mut sum = 0;
        for &user in &users {
            sum += access(OpRef::new(ctx, body, user), &tile)? * weight(ctx, body, user);
        }
        Some((sum, tile.bytes()))
    };
    let (before, bytes) = cost(old)?;
    let room = room(OpRef::new(ctx, body, id))?;
    let stages = u32::try_from(ty.stages(ctx)).ok()?;
    let fits = |layout: &Shared, more: u32| *layout != old && more.saturating_mul(stages) <= room;
    let columns = matches!(old, Shared::ColMajor { .. });
    let tried = shared_layouts(&shape, bits, columns).into_iter().filter_map(|layout| {
        let (cost, size) = cost(layout)?;
        fits(&layout, size.saturating_sub(bytes)).then_some((cost, size, layout))
    });
    let (after, _, new) = tried.min_by_key(|&(cost, size, _)| (cost, size))?;
    (after < before).then_some((old, new, [before, after]))
}

/// How many bytes more a block may have.
fn room(op: OpRef<'_>) -> Option<u32> {
    let func = kernel::Func::of(OpRef { id: op.body.root(), ..op });
    let target = func.and_then(|func| dlc_plan::target::Target::built_in(func.target()?));
    let most = target.map_or(super::converts::SHARED_BYTES, |target| target.smem_per_block);
    let now = shared_memory(OpRef { id: grid_of(op.ctx, op.body, op.id)?, ..op }).ok()?.bytes;
    u32::try_from(most).ok()?.checked_sub(now)
}

/// What an access to a tile costs in a layout of it. `None` where another op than those of threads uses it, and where a
/// copy would get narrower.
fn access(op: OpRef<'_>, tile: &SharedTile) -> Option<u64> {
    let oriented = |is_transposed: bool| if is_transposed { tile.transposed() } else { Some(tile.clone()) };
    if let Some(load) = kernel::LoadShared::of(op) {
        let ty = op.type_of(load.out());
        let fragment = placed(op, ty, &Frag::of(op.ctx, ty)?.layout(op.ctx))?;
        return shared(&fragment, &oriented(load.transposed().is_some())?, true);
    }
    if let Some(store) = kernel::StoreShared::of(op) {
        let ty = op.type_of(store.value());
        let fragment = placed(op, ty, &Frag::of(op.ctx, ty)?.layout(op.ctx))?;
        return shared(&fragment, &oriented(store.transposed().is_some())?, false);
    }
    let access = GlobalAccess::of(op).filter(|access| access.tile.is_some())?;
    let fragment = access.fragment(op).ok()?;
    let own = access.row(op).map_or(1, |row| row.elements);
    (fragment.shared_access(tile, MAX_VECTOR_BYTES).ok()?.vector >= own).then_some(())?;
    shared(&fragment, tile, false)
}
