//! Copies to shared memory that are the same for all tiles of a block, as the filters of a convolution: they are made once.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{BlockId, Builder, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::nesting::{block_of, writes};
use crate::analysis::tiles::{Tiles, is_barrier, may_overlap, tile_of, touches};

/// Moves copies before a loop over tiles, if all of a tile in shared memory is copied from places that do not change.
pub fn copy_once(body: &mut Body, loop_op: OpId, cx: &PassCx<'_>) {
    let ctx = cx.ctx;
    let Some(block) = block_of(ctx, body, loop_op) else { return };
    let copies = unchanging(ctx, body, block);
    let Some(&first) = copies.first() else { return };
    let loc = body.loc(first);
    // The threads meet for these copies, and if nothing else is copied before, for nothing else.
    let meets = copies.iter().filter_map(|&copy| first_barrier(ctx, body, copy)).collect::<Vec<_>>();
    for &copy in &copies {
        let part = body.defining_op(kernel::Copy::from(OpRef::new(ctx, body, copy)).tile());
        for op in part.filter(|&op| body.block_of(op) == Some(block)).into_iter().chain([copy]) {
            body.move_op(op, InsertPoint::Before(loop_op));
        }
    }
    let ops: Vec<OpId> = body.ops(block).collect();
    let before = ops.iter().position(|op| meets.contains(op)).map_or(&[][..], |at| &ops[..=at]);
    if before.iter().all(|&op| touches(OpRef::new(ctx, body, op)).is_empty()) {
        let is_fence = |op: OpId| OpRef::new(ctx, body, op).is(kernel::FenceAsync::DEF) || meets.contains(&op);
        let fences: Vec<OpId> = before.iter().copied().filter(|&op| is_fence(op)).collect();
        fences.into_iter().for_each(|op| body.erase_op(op));
    }
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(loop_op));
    kernel::FenceAsync::build(&mut builder, loc);
    kernel::Barrier::build(&mut builder, loc, None, None);
    let message = format!("{} copies are the same for all tiles, and made once", copies.len());
    cx.remark(RemarkKind::Passed, loc, message);
}

/// The barrier that comes first after an op in its block.
fn first_barrier(ctx: &Context, body: &Body, op: OpId) -> Option<OpId> {
    let following = std::iter::successors(body.next_op(op), |&op| body.next_op(op));
    following.into_iter().find(|&op| is_barrier(OpRef::new(ctx, body, op)))
}

/// The copies in a block that fill tiles alone, from places that do not change in it.
fn unchanging(ctx: &Context, body: &Body, block: BlockId) -> Vec<OpId> {
    let tiles = Tiles::of(ctx, body);
    let is_inside = |value: ValueId| {
        let around = std::iter::successors(body.defining_block(value), |&at| {
            body.region_of(at).and_then(|region| body.region_parent(region)).and_then(|op| body.block_of(op))
        });
        around.into_iter().any(|at| at == block)
    };
    let is_same = |op: OpId| {
        let Some(copy) = kernel::Copy::of(OpRef::new(ctx, body, op)) else { return false };
        let part = body.defining_op(copy.tile()).and_then(|op| kernel::Slice::of(OpRef::new(ctx, body, op)));
        let is_fixed = part.is_none_or(|part| part.args().len() == 0 && part.stage().is_none());
        body.block_of(op) == Some(block)
            && first_barrier(ctx, body, op).is_some()
            && is_fixed
            && copy.stage().is_none()
            && !copy.args().chain([copy.source()]).any(is_inside)
            && !writes(ctx, body, op, copy.source())
    };
    let is_whole = |op: OpId| {
        let tile = tile_of(ctx, body, kernel::Copy::from(OpRef::new(ctx, body, op)).tile());
        tile.is_some_and(|tile| {
            !may_overlap(ctx, body, tile) && tiles.writers(tile).iter().all(|&writer| is_same(writer))
        })
    };
    body.ops(block).filter(|&op| is_same(op) && is_whole(op)).collect()
}
