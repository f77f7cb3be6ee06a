//! Where in shared memory the tiles and barriers of a grid are.

use dlc_ir::{OpId, OpRef};
use rustc_hash::FxHashMap;

use crate::ops::{Acquire, Grid, MBarriers, Shared, Ticket};
use crate::types::{MBarrier, Tile};

/// The shared memory of a block.
#[derive(Clone, Default, Debug)]
pub struct SmemLayout {
    /// The first byte of each op that has tiles.
    pub tiles: FxHashMap<OpId, u32>,
    /// The first byte of each op that has barriers.
    pub barriers: FxHashMap<OpId, u32>,
    /// The first of as many words as a block has warps: through that of its first warp a thread group learns what one
    /// of its threads has read of a flag.
    pub words: Option<u32>,
    /// How many bytes there are.
    pub bytes: u32,
}

/// The bytes of an mbarrier.
pub const BARRIER_BYTES: u32 = 8;

/// The bytes of shared memory that a block can have on a machine; without a name on the largest.
pub fn shared_limit(target: Option<&str>) -> u32 {
    if target == Some("sm80") { 166_912 } else { 232_448 }
}

/// Where everything is in the shared memory of a grid's blocks: tiles that say where they begin are there; the others
/// follow after those in the order of the text, each aligned as it needs, then the barriers, and words for flags.
///
/// Errors: a tile whose layout does not fit it, more than 2^31 bytes.
pub fn shared_memory(grid: OpRef<'_>) -> Result<SmemLayout, String> {
    let ctx = grid.ctx;
    let mut places = SmemLayout::default();
    let (mut free, mut barriers, mut has_words) = (Vec::new(), Vec::new(), false);
    let mut ops = Vec::new();
    grid.body.walk_regions(grid.id, &mut ops);
    for id in ops {
        let op = OpRef { id, ..grid };
        if let Some(shared) = Shared::of(op) {
            let ty = Tile::of(ctx, op.type_of(shared.out())).ok_or("shared memory is for tiles")?;
            let tile = ty.place(ctx)?;
            let stages = u64::try_from(ty.stages(ctx)).unwrap_or(1);
            let bytes = u64::from(tile.stride()) * (stages - 1) + u64::from(tile.bytes());
            match shared.at() {
                Some(at) => {
                    let at = u64::try_from(at).map_err(|_| format!("shared memory has no byte {at}"))?;
                    places.bytes = places.bytes.max(room(at + bytes)?);
                    places.tiles.insert(id, room(at)?);
                }
                None => free.push((id, bytes, u64::from(tile.alignment()))),
            }
        } else if Ticket::of(op).is_some() || Acquire::of(op).is_some() {
            has_words = true;
        } else if let Some(op) = MBarriers::of(op) {
            let count = MBarrier::of(ctx, op.type_of(op.out())).map_or(1, |ty| ty.count(ctx));
            barriers.push((id, u64::try_from(count).unwrap_or(1) * u64::from(BARRIER_BYTES)));
        }
    }
    for (id, bytes, alignment) in free {
        let at = u64::from(places.bytes).next_multiple_of(alignment);
        places.tiles.insert(id, room(at)?);
        places.bytes = room(at + bytes)?;
    }
    for (id, bytes) in barriers {
        let at = places.bytes.next_multiple_of(BARRIER_BYTES);
        places.barriers.insert(id, at);
        places.bytes = room(u64::from(at) + bytes)?;
    }
    if has_words {
        let at = places.bytes.next_multiple_of(4);
        places.words = Some(at);
        let warps = Grid::of(grid).and_then(|grid| u64::try_from(grid.threads() / 32).ok());
        places.bytes = room(u64::from(at) + 4 * warps.unwrap_or(1).max(1))?;
    }
    Ok(places)
}

fn room(bytes: u64) -> Result<u32, String> {
    u32::try_from(bytes).ok().filter(|&bytes| bytes < 1 << 31).ok_or_else(|| format!("{bytes} bytes of shared memory"))
}
