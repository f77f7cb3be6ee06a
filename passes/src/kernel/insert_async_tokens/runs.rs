//! Whether the threads of a copy move runs of bytes that one instruction can move.

use dlc_core::memref::MemRef;
use dlc_ir::{Body, Context, OpId, OpRef};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;

use crate::analysis::numbers::is_zero;
use crate::analysis::vectors::widest;

/// The fewest bytes that a thread copies by itself.
const LEAST_BYTES: u32 = 4;
/// The most.
const MOST_BYTES: u32 = 16;

/// Whether each thread moves runs of 4, 8 or 16 bytes at multiples of that, each wholly inside or outside of the guard;
/// else why not.
pub fn runs(ctx: &Context, body: &Body, op: OpId) -> Result<(), String> {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, op));
    if copy.fill().is_some_and(|fill| !is_zero(ctx, fill)) {
        return Err("outside of the guard the tile is not filled with zero".into());
    }
    let unknown = "it is not known where its elements lie";
    let memory = MemRef::of(ctx, copy.type_of(copy.source())).ok_or(unknown)?;
    let tile = Tile::of(ctx, copy.type_of(copy.tile())).ok_or(unknown)?;
    dlc_kernel::global::strides(ctx, memory).ok_or("the memref is swizzled")?;
    let bytes = tile.place(ctx)?.elem_bytes();
    let moved = widest(*copy).map_or(1, |width| width.vector) * bytes;
    if memory.align(ctx) % i64::from(moved) != 0 {
        return Err(format!("{moved} bytes of a thread are not known to lie at a multiple of {moved}"));
    }
    match moved {
        LEAST_BYTES..=MOST_BYTES => Ok(()),
        _ => Err(format!(
            "a thread moves {moved} bytes at once, as far as sizes and alignment say, and 4, 8 or 16 would be needed"
        )),
    }
}
