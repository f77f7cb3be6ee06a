//! Which ops of a kernel touch which tiles in shared memory, and how.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{Body, Context, OpId, OpRef, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;
use rustc_hash::FxHashMap;

/// What an op does with a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The op `kernel.shared` that the tile is of.
    pub tile: OpId,
    /// Whether it is written, else read.
    pub writes: bool,
}

/// The ops that touch each tile of a body.
#[derive(Default, Debug)]
pub struct Tiles {
    readers: FxHashMap<OpId, Vec<OpId>>,
    writers: FxHashMap<OpId, Vec<OpId>>,
}

impl Tiles {
    /// Those of all tiles of a body.
    pub fn of(ctx: &Context, body: &Body) -> Tiles {
        let mut tiles = Tiles::default();
        for op in body.walk() {
            for touch in touches(OpRef::new(ctx, body, op)) {
                let list = if touch.writes { &mut tiles.writers } else { &mut tiles.readers };
                list.entry(touch.tile).or_default().push(op);
            }
        }
        tiles
    }

    /// The ops that read a tile, in the order of the text.
    pub fn readers(&self, tile: OpId) -> &[OpId] {
        self.readers.get(&tile).map_or(&[], Vec::as_slice)
    }

    /// The ops that write a tile, in the order of the text.
    pub fn writers(&self, tile: OpId) -> &[OpId] {
        self.writers.get(&tile).map_or(&[], Vec::as_slice)
    }
}

/// The op whose tile a value is, or is a part of.
pub fn tile_of(ctx: &Context, body: &Body, value: ValueId) -> Option<OpId> {
    let mut value = value;
    loop {
        let op = body.defining_op(value)?;
        match kernel::Slice::of(OpRef::new(ctx, body, op)) {
            Some(slice) => value = slice.tile(),
            None => return kernel::Shared::of(OpRef::new(ctx, body, op)).map(|_| op),
        }
    }
}

/// Whether two values are parts of one tile that have nothing in common: at positions that are numbers.
pub fn apart(ctx: &Context, body: &Body, one: ValueId, other: ValueId) -> bool {
    let part = |value: ValueId| {
        let slice = kernel::Slice::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
        let shape = Tile::of(ctx, body.value_type(value))?.shape(ctx);
        let at: Option<Vec<i64>> = slice.at().iter().map(SizeExpr::as_constant).collect();
        Some((slice.tile(), at?, shape))
    };
    let (Some((tile, at, shape)), Some((other_tile, other_at, other_shape))) = (part(one), part(other)) else {
        return false;
    };
    let is_before = |at: &[i64], shape: &[i64], after: &[i64]| {
        at.iter().zip(shape).zip(after).any(|((at, size), next)| at + size <= *next)
    };
    tile == other_tile && (is_before(&at, &shape, &other_at) || is_before(&other_at, &other_shape, &at))
}

/// What an op itself does with tiles; the ops in its regions do the rest.
pub fn touches(op: OpRef<'_>) -> Vec<Touch> {
    let mut found = Vec::new();
    let mut touch = |value: ValueId, reads: bool, writes: bool| {
        let Some(tile) = tile_of(op.ctx, op.body, value) else { return };
        if reads {
            found.push(Touch { tile, writes: false });
        }
        if writes {
            found.push(Touch { tile, writes: true });
        }
    };
    if kernel::Slice::of(op).is_some() {
        return found;
    }
    let is_written = [kernel::Copy::DEF, kernel::CopyAsync::DEF, kernel::TmaLoad::DEF, kernel::StoreShared::DEF]
        .iter()
        .any(|&def| op.is(def));
    let is_through = kernel::through(op).is_some();
    for value in op.operands().filter(|&value| Tile::of(op.ctx, op.type_of(value)).is_some()) {
        touch(value, !is_written, is_written || is_through);
    }
    found
}

/// An op and all those in its regions.
pub fn with_inner(body: &Body, op: OpId) -> Vec<OpId> {
    let mut all = vec![op];
    body.walk_regions(op, &mut all);
    all
}

/// Whether an op, or one in its regions, touches a tile.
pub fn touches_tile(ctx: &Context, body: &Body, op: OpId, tile: OpId) -> bool {
    let inner = with_inner(body, op).into_iter();
    inner.flat_map(|inner| touches(OpRef::new(ctx, body, inner))).any(|touch| touch.tile == tile)
}

/// Whether a tile says where it lies, so that it may lie over another.
pub fn may_overlap(ctx: &Context, body: &Body, tile: OpId) -> bool {
    kernel::Shared::of(OpRef::new(ctx, body, tile)).is_none_or(|shared| shared.at().is_some())
}

/// Whether all threads that are here meet at an op.
pub fn is_barrier(op: OpRef<'_>) -> bool {
    kernel::Barrier::of(op).is_some_and(|barrier| barrier.id().is_none())
}
