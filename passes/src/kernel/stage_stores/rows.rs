//! Results that threads store from shared memory in whole rows: neighbouring lanes store neighbouring elements, of `wgmma`
//! wherever rows begin, of `mma` in 16-byte units.

use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId};
use dlc_kernel::global::{names_axis, position};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, LANES, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, Tile, elem_of};
use dlc_plan::Target;

use super::parts::Parts;
use super::sub_tiles::{self, ADDED, SubTiles, UNKNOWN, shape_of, shared_tile, slot, target_of};
use crate::analysis::boxes::{ALIGNMENT, aligned};
use crate::analysis::nesting::grid_of;
use crate::rewrites::unused::erase_unused;

/// The rows of an `mma`.
const MMA_ROWS: i64 = 16;
/// What a tile after others begins at a multiple of, in bytes.
const PLACE: i64 = 128;

/// The rows of a result of `wgmma`, from so many panels of each group.
pub fn of_wgmma(ctx: &Context, body: &Body, store: kernel::Store<'_>, panels: i64) -> Result<SubTiles, String> {
    match store.combine() {
        Some(_) => Err(ADDED.into()),
        None => sub_tiles::swizzled(ctx, body, store, panels, true).map(|(sub_tiles, ..)| sub_tiles),
    }
}

/// The rows of a result of `mma`, as many at a time as there is room for.
pub fn of_mma(ctx: &Context, body: &Body, store: kernel::Store<'_>, warps: [u32; 2]) -> Result<SubTiles, String> {
    if store.combine().is_some() {
        return Err(ADDED.into());
    }
    let memory = MemRef::of(ctx, store.type_of(store.target())).ok_or(UNKNOWN)?;
    let [rows, columns] = shape_of(ctx, store)?;
    let at = store.at();
    let along = at.last().is_some_and(|last| last.sub(&position(1).unwrap_or_else(|| 0.into())).is_ok_and(constant));
    if !along || at[..at.len() - 1].iter().any(|at| names_axis(at, 1)) {
        return Err("its rows do not lie along rows of memory".into());
    }
    aligned(ctx, body, memory, None)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let bytes = i64::from(elem.bits(ctx).expect("elements of fragments have bits") / 8);
    let grid = grid_of(ctx, body, store.id).ok_or("it stands in no grid")?;
    let target = target_of(ctx, body).ok_or("it is not known how much shared memory there is")?;
    let unit = if bytes > 0 { ALIGNMENT as i64 / bytes } else { 0 };
    if unit < 2 || columns % unit != 0 {
        return Err(format!("{columns} elements of {bytes} bytes are no whole {ALIGNMENT}-byte units"));
    }
    let pitch = columns + unit;
    let room = room(ctx, body, grid, &target)?;
    // Every warp of a column of the grid has rows of each part.
    let least = MMA_ROWS * i64::from(warps[0]);
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
    let pitch = u32::try_from(pitch).map_err(|_| UNKNOWN)?;
    let shape = vec![high, columns];
    Ok(SubTiles {
        loc: store.loc(),
        grid,
        again: body.parent_op(store.id) != Some(grid),
        groups: (1, None),
        buffers: 1,
        firsts: (0..rows / high).map(|part| [part * high, 0]).collect(),
        tile: Tile::get(ctx, 1, shape.clone(), elem, Shared::RowMajor { pitch: Some(pitch) }),
        part: Frag::get(ctx, shape.clone(), elem, Distributed::Mma(warps)),
        read: Frag::get(ctx, shape, elem, lies),
        transposed: false,
    })
}

/// Whether an expression does not name an axis of a fragment.
fn constant(expr: SizeExpr) -> bool {
    expr.symbols().iter().all(|name| axis_number(name).is_none())
}

/// How many bytes of shared memory a block may take besides what it has, so that as many run on an SM.
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

/// Puts stores of rows of sub-tiles in place of a store. `None` where positions go beyond 64 bits.
pub fn rewrite(ctx: &Context, body: &mut Body, op: OpId, sub_tiles: &SubTiles) -> Option<()> {
    let SubTiles { loc, part: part_type, transposed, .. } = *sub_tiles;
    let store = kernel::Store::from(OpRef::new(ctx, body, op));
    let (value, target, at, guard) = (store.value(), store.target(), store.at(), store.guard());
    let args: Vec<_> = store.args().collect();
    let tile = shared_tile(ctx, body, sub_tiles)?;
    let frag = Frag::of(ctx, part_type)?;
    for (number, &[row, column]) in sub_tiles.firsts.iter().enumerate() {
        let slot = slot(ctx, body, op, sub_tiles, number as i64 % sub_tiles.buffers)?;
        if is_after_readers(sub_tiles, number) {
            kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, None, None);
        }
        let part = match frag.layout(ctx) {
            _ if body.value_type(value) == part_type => value,
            Distributed::Wgmma => {
                let parts = Parts::new(ctx, body, op, [row, column], frag.shape(ctx));
                parts.with_edges(body, value).of(body, value)?
            }
            _ => {
                let from = vec![SizeExpr::from(row), SizeExpr::from(column)];
                let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
                let part = kernel::Extract::build(&mut builder, loc, value, &[], from, part_type);
                builder.result(part)
            }
        };
        // Where an element of the rows was in the fragment.
        let moved = |name: &str| {
            let axis = axis_number(name).filter(|&axis| axis < 2)?;
            let own = if transposed { 1 - axis } else { axis };
            position(own)?.add(&SizeExpr::from([row, column][axis])).ok()
        };
        let put = |expr: &SizeExpr| expr.substitute(&moved).ok();
        let at = at.iter().map(put).collect::<Option<Vec<_>>>()?;
        let guard = guard.as_ref().map_or(Some(None), |guard| guard.map(&put).map(Some))?;
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        kernel::StoreShared::build(&mut builder, loc, part, tile, slot, transposed.then_some(()));
        kernel::Barrier::build(&mut builder, loc, None, None);
        let load = kernel::LoadShared::build(&mut builder, loc, tile, slot, None, sub_tiles.read);
        let value = builder.result(load);
        kernel::NewStore { value, target, args: &args, at, guard, combine: None, vector: None }
            .build(&mut builder, loc);
    }
    body.erase_op(op);
    let made: Vec<OpId> = body.defining_op(value).into_iter().collect();
    erase_unused(ctx, body, made);
    Some(())
}

/// Whether threads may still read the sub-tile before, and it has the same buffer. From one sub-tile to the next but one all
/// threads meet.
fn is_after_readers(sub_tiles: &SubTiles, number: usize) -> bool {
    let (buffers, count) = (sub_tiles.buffers as usize, sub_tiles.firsts.len());
    match number {
        // The last sub-tile of the tile before.
        0 => sub_tiles.again && (count - 1) % buffers == 0,
        _ => buffers == 1,
    }
}
