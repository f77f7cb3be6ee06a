//! Consumers that share a tile and are ordered by named barriers at the products of its steps.
//!
//! Where the steps of a loop have products one after another, as attention has, what stands between them, the softmax,
//! leaves the tensor cores idle. So one group at a time multiplies: from the last product of a step up to the first of the
//! next one, which needs nothing of what is between. It computes what comes then while the others multiply (the
//! warp scheduler of FlashAttention-3, `mainloop_fwd_sm90_tma_gmma_ws.hpp`).

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{BlockId, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;

use super::turns::{arrive_if, barriers_of, wait_if};
use crate::analysis::expressions::{BoundExpr, OpExprs};
use crate::analysis::nesting::block_of;
use crate::analysis::tiles::with_inner;

const BEYOND: &str = "an integer goes beyond 64 bits";

/// Orders the groups of a role in its loops with back-to-back products by named barriers. An error says why they are not.
pub fn take(ctx: &Context, body: &mut Body, role: BlockId, (group, count): (ValueId, i64)) -> Result<(), String> {
    let ops = body.ops(role).flat_map(|op| with_inner(body, op));
    let found: Vec<(OpId, [OpId; 2])> = ops.filter_map(|op| Some((op, ends(ctx, body, op)?))).collect();
    if found.is_empty() {
        return Err("consumers multiply when they can: no step has products one after another".into());
    }
    let group = BoundExpr::value(group).ok_or(BEYOND)?;
    let first = body.ops(role).next().ok_or("a role is empty")?;
    let (loc, before) = (body.loc(first), InsertPoint::Before(first));
    let [mine, next] = barriers_of(ctx, body, before, loc, (&group, count)).ok_or(BEYOND)?;
    // The last group lets the first one begin.
    let last = BoundExpr::plain(SizeExpr::from(count - 1));
    arrive_if(ctx, body, before, &[(&group, "==", &last)], next).ok_or(BEYOND)?;
    for (loop_, ends) in found {
        at_loop(ctx, body, loop_, ends, [mine, next]).ok_or(BEYOND)?;
    }
    // The first one waits for the last turn of the last group as well: nobody may have come to a barrier when a block ends
    // for whom nothing waits.
    let end = body.last_op(role).ok_or("a role is empty")?;
    let following = match OpRef::new(ctx, body, end).is(kernel::Yield::DEF) {
        true => InsertPoint::Before(end),
        false => InsertPoint::After(end),
    };
    let none = BoundExpr::plain(SizeExpr::from(0));
    wait_if(ctx, body, following, &[(&group, "==", &none)], mine).ok_or(BEYOND)?;
    Ok(())
}

/// The first and the last product of the steps of a loop, where they are several.
fn ends(ctx: &Context, body: &Body, loop_: OpId) -> Option<[OpId; 2]> {
    kernel::For::of(OpRef::new(ctx, body, loop_))?;
    let mut products =
        body.ops(block_of(ctx, body, loop_)?).filter(|&op| OpRef::new(ctx, body, op).is(kernel::Wgmma::DEF));
    let first = products.next()?;
    Some([first, products.last()?])
}

/// The last product of each step but the last one begins with a turn, which ends when the first of the next is on its way.
/// All groups have as many steps, and so as many turns.
fn at_loop(
    ctx: &Context,
    body: &mut Body,
    loop_: OpId,
    [first, last]: [OpId; 2],
    [mine, next]: [ValueId; 2],
) -> Option<()> {
    let places = OpExprs::of(OpRef::new(ctx, body, loop_))?;
    let (_, bounds) = places.lists.first()?;
    let [begin, end, step] = bounds.as_slice() else { return None };
    let over = |expr: &SizeExpr| BoundExpr::new(expr.clone(), &places.args);
    let (begin, end, step) = (over(begin), over(end), over(step));
    let counter = BoundExpr::value(*body.args(block_of(ctx, body, loop_)?).first()?)?;
    let follower = counter.plus(&step)?;
    wait_if(ctx, body, InsertPoint::Before(last), &[(&follower, "<", &end)], mine)?;
    arrive_if(ctx, body, InsertPoint::After(first), &[(&begin, "<", &counter)], next)
}
