//! An `if` of which one side is taken.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Context, OpId, ValueId};
use dlc_kernel::ops::Yield;

/// Puts the ops of a region of an `if` in its place; nothing, where it has no such region. In `next`, values that no op
/// uses yet, its results become what the region yields. Gives the ops that are gone.
pub fn take_branch(body: &mut Body, op: OpId, region: usize, next: &mut [ValueId], ctx: &Context) -> Vec<OpId> {
    let block = body.regions(op).get(region).and_then(|&region| body.first_block(region));
    let inside: Vec<OpId> = block.into_iter().flat_map(|block| body.ops(block)).collect();
    for inner in inside {
        match Yield::of(OpRef::new(ctx, body, inner)) {
            Some(end) => {
                let values: Vec<ValueId> = end.values().collect();
                let results: Vec<ValueId> = body.results(op).collect();
                for (result, value) in results.into_iter().zip(values) {
                    replace(body, result, value, next);
                }
            }
            None => body.move_op(inner, InsertPoint::Before(op)),
        }
    }
    let mut gone = vec![op];
    body.walk_regions(op, &mut gone);
    body.erase_op(op);
    gone
}

/// Replaces a value everywhere, in `next` too.
pub fn replace(body: &mut Body, old: ValueId, new: ValueId, next: &mut [ValueId]) {
    body.replace_all_uses(old, new);
    for value in next.iter_mut().filter(|value| **value == old) {
        *value = new;
    }
}
