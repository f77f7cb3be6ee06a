//! Sub-tiles of a result in shared memory.

use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::global::{names_axis, position, strides};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, LANES, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::shared_memory;
use dlc_kernel::types::{Frag, Tile, elem_of};
use dlc_plan::Target;

use crate::analysis::expressions::{BoundExpr, divisor, index};
use crate::analysis::nesting::grid_of;

/// The rows of a sub-tile of `wgmma`: those of four warps.
pub const ROWS: i64 = 64;
/// The rows after which the exchange of 16-byte units begins again, and the most of a box.
const LEAST_ROWS: i64 = 8;
const MOST_ROWS: i64 = 256;
/// The rows of a transposed sub-tile whose elements threads store to places that they compute, the most first.
const APART_ROWS: [i64; 3] = [32, 16, 8];
/// The most bytes of a row of a sub-tile: as far as the exchange of 16-byte units reaches.
const ROW_BYTES: i64 = 128;

/// The bytes of the units that are exchanged in shared memory, and the most that a thread stores at once.
const UNIT: i64 = 16;

/// A result that is stored through shared memory.
pub struct SubTiles {
    pub loc: Loc,
    pub grid: OpId,
    /// Whether another result may be in the buffers, of a step of a loop before.
    pub again: bool,
    /// Those that store a result each.
    pub groups: Groups,
    /// How many sub-tiles each of them has in shared memory.
    pub buffers: i64,
    /// Rows and columns of the first element of each sub-tile.
    pub firsts: Vec<[i64; 2]>,
    /// All of them in shared memory.
    pub tile: Type,
    /// One of them as products give it, and as threads store it.
    pub part: Type,
    pub read: Type,
    /// Whether rows of the fragment lie along rows of memory, so that sub-tiles are transposed in shared memory.
    pub transposed: bool,
}

/// A sub-tile in shared memory that is swizzled.
pub struct Swizzled {
    /// Its rows and columns.
    pub shape: [i64; 2],
    pub layout: Shared,
    /// How many such sub-tiles have the bytes of one with rows of 128 bytes.
    pub narrow: i64,
}

/// The groups of threads that run an op, and the number of the one that is here.
pub type Groups = (i64, Option<ValueId>);

/// Why a result stays where it is, if it is not known what it is.
pub const UNKNOWN: &str = "it is not known where its elements lie";

/// Why one does that is added to memory.
pub const ADDED: &str = "it is added to what is there";

/// Whether rows of the fragment of a store lie along rows of memory, or nearest to them where elements lie apart.
pub fn is_transposed(at: &[SizeExpr]) -> bool {
    let nearest = at.iter().rev().find(|at| names_axis(at, 0) || names_axis(at, 1));
    nearest.is_some_and(|nearest| names_axis(nearest, 0) && !names_axis(nearest, 1))
}

/// Rows and columns of a fragment.
pub fn shape_of(ctx: &Context, store: kernel::Store<'_>) -> Result<[i64; 2], String> {
    let frag = Frag::of(ctx, store.type_of(store.value())).ok_or(UNKNOWN)?;
    <[i64; 2]>::try_from(frag.shape(ctx)).map_err(|_| "it has not two axes".into())
}

/// The target that a kernel is for.
pub fn target_of(ctx: &Context, body: &Body) -> Option<Target> {
    Target::built_in(kernel::Func::of(OpRef::new(ctx, body, body.root()))?.target()?)
}

/// The swizzled sub-tiles of a result of `wgmma`, and the loops around from the inside out: room for so many with rows of 128
/// bytes, or for more that are narrower.
pub fn swizzled(
    ctx: &Context,
    body: &Body,
    store: kernel::Store<'_>,
    panels: i64,
    by_threads: bool,
) -> Result<(SubTiles, Swizzled, Vec<OpId>), String> {
    let [rows, columns] = shape_of(ctx, store)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let bytes = i64::from(elem.bits(ctx).expect("elements of fragments have bits") / 8);
    let transposed = is_transposed(&store.at());
    // The widest rows of sub-tiles that columns consist of; of transposed ones rows of the fragment are that.
    let widths = [ROW_BYTES, ROW_BYTES / 2, ROW_BYTES / 4].map(|span| span / bytes.max(1));
    let width = match transposed {
        false => widths.into_iter().find(|width| columns % width == 0).unwrap_or(columns),
        true => ROWS,
    };
    // Where each element has an address of its own, a thread has registers for a few of them.
    let apart = by_threads && transposed && store.at().iter().any(|at| at.as_linear().is_none());
    let high = match transposed {
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
    let step = if transposed { high } else { width };
    let firsts: Vec<[i64; 2]> =
        (0..rows / ROWS).flat_map(|row| (0..columns / step).map(move |column| [row * ROWS, column * step])).collect();
    let most = target_of(ctx, body).map_or(i64::MAX, |target| target.smem_per_block);
    let used = i64::from(shared_memory(OpRef::new(ctx, body, grid))?.bytes);
    let panel = high * width * bytes;
    let narrow = if transposed { 1 } else { ROW_BYTES / i64::from(span) };
    let wanted = (panels * narrow).min(firsts.len() as i64);
    // An atom of the exchange is where panels may begin.
    let room = (most - (used + 1023) / 1024 * 1024) / panel / groups.0;
    let buffers = wanted.min(room);
    if buffers < 1 {
        let more = groups.0 * panel;
        return Err(format!("its panels take {more} bytes of shared memory besides {used}, and a block has {most}"));
    }
    let layout = Shared::Panels { span, rows: None };
    // As many lanes along a row as it has elements, or vectors of them where rows begin at multiples of these.
    let vector = if by_threads && !transposed { vector_of(ctx, body, store, width, bytes) } else { 1 };
    let along = u32::try_from((width / vector).min(LANES.into())).map_err(|_| UNKNOWN)?;
    let by_rows = Distributed::blocked(&[1, vector as u32], &[LANES / along, along], &[4, 1]);
    let sub_tiles = SubTiles {
        loc: store.loc(),
        grid,
        again: !loops.is_empty(),
        groups,
        buffers,
        firsts,
        tile: Tile::get(ctx, buffers * groups.0, vec![high, width], elem, layout),
        part: Frag::get(ctx, vec![ROWS, step], elem, Distributed::Wgmma),
        read: Frag::get(ctx, vec![high, width], elem, by_rows),
        transposed,
    };
    Ok((sub_tiles, Swizzled { shape: [high, width], layout, narrow }, loops))
}

/// The elements that a thread stores at once: so many that rows of memory, and what is stored of them, begin at multiples of
/// them for all sizes that the kernel is for. One where that is not known.
fn vector_of(ctx: &Context, body: &Body, store: kernel::Store<'_>, width: i64, bytes: i64) -> i64 {
    let known = || {
        let memory = MemRef::of(ctx, store.type_of(store.target()))?;
        let (strides, offset) = strides(ctx, memory)?;
        let (last, rows) = strides.split_last()?;
        let at = store.at();
        let first = at.last()?.sub(&position(1)?).ok()?;
        // Along the row elements lie one after another, and nothing else moves within it.
        if last.as_constant() != Some(1) || first.symbols().iter().any(|name| axis_number(name).is_some()) {
            return None;
        }
        let values: Vec<ValueId> = store.args().collect();
        let divisors = rows.iter().chain([&offset]).map(|size| divisor(ctx, body, size, &[]));
        let divisors =
            divisors.chain([divisor(ctx, body, &first, &values), memory.align(ctx).unsigned_abs() / bytes as u64]);
        let divides = |vector: &i64| divisors.clone().all(|by| by.is_multiple_of(vector.unsigned_abs()));
        [8, 4, 2].into_iter().filter(|vector| vector * bytes <= UNIT && width % vector == 0).find(divides)
    };
    if bytes > 0 { known().unwrap_or(1) } else { 1 }
}

/// The loops around an op, from the inside out, and the groups of four warps that run it.
pub fn around(ctx: &Context, body: &Body, op: OpId) -> Result<(Vec<OpId>, Groups), String> {
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

/// Makes the buffers of all groups in shared memory.
pub fn shared_tile(ctx: &Context, body: &mut Body, sub_tiles: &SubTiles) -> Option<ValueId> {
    let block = body.first_block(kernel::Grid::body(kernel::Grid::from(OpRef::new(ctx, body, sub_tiles.grid))))?;
    let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
    let tile = kernel::Shared::build(&mut builder, sub_tiles.loc, None, sub_tiles.tile);
    let tile = builder.result(tile);
    body.set_value_name(tile, ctx.intern_str("panels"));
    Some(tile)
}

/// The number of a buffer among those of all groups; nothing where there is one.
pub fn slot(ctx: &Context, body: &mut Body, op: OpId, sub_tiles: &SubTiles, buffer: i64) -> Option<Option<ValueId>> {
    let (groups, group) = sub_tiles.groups;
    if groups * sub_tiles.buffers == 1 {
        return Some(None);
    }
    let own = BoundExpr::plain(buffer.into());
    let number = match group {
        Some(group) => BoundExpr::value(group)?.times(sub_tiles.buffers)?.plus(&own)?,
        None => own,
    };
    index(&mut Builder::new(ctx, body, InsertPoint::Before(op)), sub_tiles.loc, &number).map(Some)
}
