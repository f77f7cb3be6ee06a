//! How many values a thread keeps of one element.

use dlc_core::scalar;
use dlc_ir::{Body, Context, OpId, OpRef};
use dlc_region::ops::{BroadcastInDim, Unary};
use rustc_hash::FxHashMap;

use crate::analysis::axes::axes;

/// The most values over axes that are alive at once, in the order of the ops.
pub fn live(ctx: &Context, body: &Body) -> usize {
    let ops = body.walk();
    let place: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(at, &op)| (op, at)).collect();
    // What is alive after each op: one more where it is made, one less after its last use.
    let mut change = vec![0i64; ops.len() + 1];
    for (at, &op) in ops.iter().enumerate() {
        for value in body.results(op).filter(|&value| !axes(ctx, body, value).is_empty()) {
            let last = body.uses(value).filter_map(|used| place.get(&used.op)).max();
            // A broadcast is the number that it had before.
            if let Some(&last) = last.filter(|_| BroadcastInDim::of(OpRef::new(ctx, body, op)).is_none()) {
                change[at] += 1;
                change[last] -= 1;
            }
        }
    }
    let mut now = 0;
    let most = change.into_iter().fold(0, |most, change| {
        now += change;
        most.max(now)
    });
    // A number is taken apart in several steps.
    let is_low =
        |&op: &OpId| Unary::of(OpRef::new(ctx, body, op)).is_some_and(|op| op.function() == scalar::Unary::Tf32Low);
    most as usize + if ops.iter().any(is_low) { 2 } else { 0 }
}
