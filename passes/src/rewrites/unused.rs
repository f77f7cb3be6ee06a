//! What is left over where a value was replaced.

use dlc_ir::body::Body;
use dlc_ir::effects::is_erasable;
use dlc_ir::{Context, OpId};
use rustc_hash::FxHashSet;

/// Erases those of some ops that nothing uses, and what only they use: what is left over where a value was replaced.
pub fn erase_unused(ctx: &Context, body: &mut Body, mut ops: Vec<OpId>) {
    // An op that is named twice goes once, and what is in an op that goes, goes with it.
    let mut gone: FxHashSet<OpId> = FxHashSet::default();
    while let Some(op) = ops.pop() {
        if gone.contains(&op) || !body.is_unused(op) || !is_erasable(ctx, body, op) {
            continue;
        }
        let mut inside = Vec::new();
        body.walk_regions(op, &mut inside);
        for &erased in inside.iter().chain([&op]) {
            gone.insert(erased);
            ops.extend(body.operands(erased).filter_map(|value| body.defining_op(value)));
        }
        body.erase_op(op);
    }
}
