//! How many values a thread keeps of one element.

use dlc_core::scalar;
use dlc_ir::{Body, Context, OpId, OpRef};
use dlc_region::ops::{Binary, BroadcastInDim, Unary};
use rustc_hash::FxHashMap;

use crate::analysis::axes::axes;

/// The registers that ops need while they are computed. The low number of `tf32` needs what the high one leaves; a division needs
/// those of its steps.
const OF_LOW_PART: usize = 2;
const OF_DIVISION: usize = 8;

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
    // Both take several steps.
    let of_op = |&op: &OpId| {
        let op = OpRef::new(ctx, body, op);
        let is_low = Unary::of(op).is_some_and(|op| op.function() == scalar::Unary::Tf32Low);
        let divides = Binary::of(op).is_some_and(|op| op.function() == scalar::Binary::Fdiv);
        match (divides, is_low) {
            (true, _) if !axes(ctx, body, op.result(0)).is_empty() => OF_DIVISION,
            (_, true) => OF_LOW_PART,
            _ => 0,
        }
    };
    most as usize + ops.iter().map(of_op).max().unwrap_or(0)
}
