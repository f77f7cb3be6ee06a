//! Where ops of a kernel stand: the loops and the grid around them, what ops of one block need of it, and whether a grid
//! writes memory that it reads.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::{BlockId, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::tiles::with_inner;

/// The block of a loop.
pub fn block_of(ctx: &Context, body: &Body, op: OpId) -> Option<BlockId> {
    let view = kernel::For::of(OpRef::new(ctx, body, op))?;
    body.first_block(kernel::For::body(view))
}

/// The loops around an op, from the inside out, up to the grid. `None` where something else is between.
pub fn loops_around(ctx: &Context, body: &Body, op: OpId) -> Option<Vec<OpId>> {
    let mut loops = Vec::new();
    let mut at = body.parent_op(op)?;
    while kernel::Grid::of(OpRef::new(ctx, body, at)).is_none() {
        kernel::For::of(OpRef::new(ctx, body, at))?;
        loops.push(at);
        at = body.parent_op(at)?;
    }
    Some(loops)
}

/// The grid around an op.
pub fn grid_of(ctx: &Context, body: &Body, op: OpId) -> Option<OpId> {
    let mut at = body.parent_op(op)?;
    while kernel::Grid::of(OpRef::new(ctx, body, at)).is_none() {
        at = body.parent_op(at)?;
    }
    Some(at)
}

/// Whether something in the grid around an op writes memory; what an earlier grid wrote is there.
pub fn writes(ctx: &Context, body: &Body, op: OpId, memory: ValueId) -> bool {
    let is_made = body.defining_op(memory).is_some();
    let inside = grid_of(ctx, body, op).map(|grid| with_inner(body, grid)).unwrap_or_default();
    let touches = |op: OpId| {
        let view = OpRef::new(ctx, body, op);
        let stored = kernel::Store::of(view).map(|store| store.target());
        let map = kernel::TmaStore::of(view).and_then(|store| body.defining_op(store.map()));
        let mapped = map.and_then(|map| kernel::TensorMapOf::of(OpRef::new(ctx, body, map))).map(|map| map.memory());
        stored == Some(memory) || mapped == Some(memory)
    };
    is_made && (inside.is_empty() || inside.into_iter().any(touches))
}

/// The pure ops of a block that ops of it, or in their regions, need, each before those that use it. `None` where
/// something else of the block is needed, `allowed` values of it aside.
pub fn needed(ctx: &Context, body: &Body, ops: &[OpId], allowed: &[ValueId]) -> Option<Vec<OpId>> {
    let block = body.block_of(*ops.first()?)?;
    let mut wanted: Vec<OpId> = Vec::new();
    let mut open: Vec<OpId> = ops.to_vec();
    while let Some(op) = open.pop() {
        for inner in with_inner(body, op) {
            for value in body.operands(inner) {
                if body.defining_block(value) != Some(block) || allowed.contains(&value) {
                    continue;
                }
                let made = body.defining_op(value)?;
                if ops.contains(&made) || wanted.contains(&made) {
                    continue;
                }
                if !dlc_ir::effects::is_speculatable(ctx, body, made) {
                    return None;
                }
                wanted.push(made);
                open.push(made);
            }
        }
    }
    Some(body.ops(block).filter(|op| wanted.contains(op)).collect())
}
