//! What one reduction alone uses goes into its body.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::op::Traits;
use dlc_ir::pass::PassCx;
use dlc_ir::{BlockId, Context, OpId, ValueId};
use dlc_region::ops::{Reduce, Scan, Sort};
use dlc_region::verify::DEFERRED;
use rustc_hash::FxHashSet;

use crate::analysis::axes::{ancestor_in, axes, bound_in, contributions, is_over, list};

/// Moves ops into the one reduction that uses them. How many moves.
pub fn sink(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let mut sunk = 0;
    let mut blocks: Vec<BlockId> = body.entry_block().into_iter().collect();
    while let Some(block) = blocks.pop() {
        let mut cursor = body.last_op(block);
        while let Some(op) = cursor {
            cursor = body.prev_op(op);
            let Some(into) = user(cx, body, op, block).and_then(|reduce| contributions(body, reduce)) else { continue };
            if cx.allows_rule("sink") {
                body.move_op(op, InsertPoint::StartOf(into));
                sunk += 1;
            }
        }
        // What came into a body may go on into another in it.
        for op in body.ops(block).filter(|&op| OpRef::new(cx.ctx, body, op).is(Reduce::DEF)) {
            blocks.extend(contributions(body, op));
        }
    }
    order_bodies(body, cx);
    sunk
}

/// The reduction into which an op of a block goes.
fn user(cx: &PassCx<'_>, body: &Body, op: OpId, block: BlockId) -> Option<OpId> {
    let ctx = cx.ctx;
    let view = OpRef::new(ctx, body, op);
    let is_deferred = view.attr(ctx.intern_str(DEFERRED)).is_some();
    // A scan or a sort stands directly in the kernel.
    let stands = view.is(Scan::DEF) || view.is(Sort::DEF);
    if view.has(Traits::TERMINATOR) || view.results().len() == 0 || is_deferred || stands {
        return None;
    }
    let uses = || view.results().flat_map(|value| body.uses(value)).map(|used| used.op);
    let into = |user: OpId| ancestor_in(body, user, block);
    let reduce = into(uses().next()?).and_then(|first| Reduce::of(OpRef::new(ctx, body, first)));
    let reduce = match reduce {
        Some(reduce) if uses().all(|user| into(user) == Some(reduce.id)) => reduce,
        _ => {
            explain_sharing(cx, view, uses().filter_map(into));
            return None;
        }
    };
    let reduced = reduce.axes();
    let over_reduced = view.results().all(|value| is_over(ctx, body, value, &reduced));
    if !over_reduced || uses().any(|user| is_in_combiner(ctx, body, user, reduce.id)) {
        return None;
    }
    if let Some(axis) = bound_in(ctx, body, op).into_iter().find(|axis| reduced.contains(axis)) {
        if cx.wants_remarks() {
            let message = format!("this reduction stays before the other: both go over the axis '{axis}'");
            cx.remark(RemarkKind::Missed, view.loc(), message);
        }
        return None;
    }
    if let Some(inner) = Reduce::of(view)
        && let Some(missing) = missing_axis(ctx, body, inner, reduce)
    {
        if cx.wants_remarks() {
            let message = format!(
                "this reduction stays before the other: in it, it would be computed again for each '{missing}'"
            );
            cx.remark(RemarkKind::Missed, view.loc(), message);
        }
        return None;
    }
    Some(reduce.id)
}

/// An axis of the results of a reduction that no result of another has.
fn missing_axis<'a>(ctx: &'a Context, body: &Body, inner: Reduce<'_>, outer: Reduce<'_>) -> Option<&'a str> {
    let has: Vec<&str> = (*inner).results().flat_map(|value| axes(ctx, body, value)).collect();
    (*outer).results().flat_map(|value| axes(ctx, body, value)).find(|axis| !has.contains(axis))
}

/// Whether an op is in the region that combines the accumulators of a reduction.
fn is_in_combiner(ctx: &Context, body: &Body, op: OpId, reduce: OpId) -> bool {
    let combiner = OpRef::new(ctx, body, reduce).regions().get(1).copied();
    let ops = std::iter::successors(Some(op), |&op| body.parent_op(op)).take_while(|&op| op != reduce);
    ops.last().and_then(|op| body.block_of(op)).and_then(|block| body.region_of(block)) == combiner
}

/// Says why what reductions use over their own axes is not in them.
fn explain_sharing(cx: &PassCx<'_>, op: OpRef<'_>, users: impl Iterator<Item = OpId>) {
    if !cx.wants_remarks() {
        return;
    }
    let (ctx, body) = (op.ctx, op.body);
    let users: FxHashSet<OpId> = users.collect();
    let reduces: Vec<Reduce<'_>> = users.iter().filter_map(|&user| Reduce::of(OpRef::new(ctx, body, user))).collect();
    let over = |reduce: &Reduce<'_>| op.results().all(|value| is_over(ctx, body, value, &reduce.axes()));
    if !reduces.iter().any(over) {
        return;
    }
    let over = op.results().next().map(|value: ValueId| list(&axes(ctx, body, value))).unwrap_or_default();
    let why = match users.len() - reduces.len() {
        0 => format!("{} reductions share it", reduces.len()),
        _ => "it is used outside of the reduction too".into(),
    };
    cx.remark(RemarkKind::Missed, op.loc(), format!("the value over {over} stays outside: {why}"));
}

/// Puts the ops of every body into the order of their first use, left operands first.
fn order_bodies(body: &mut Body, cx: &PassCx<'_>) {
    for reduce in crate::analysis::axes::reductions(cx.ctx, body) {
        let Some(block) = contributions(body, reduce) else { continue };
        let Some(end) = body.last_op(block) else { continue };
        let order = by_first_use(body, block, end);
        let same = body.ops(block).zip(&order).all(|(is, wanted)| is == *wanted);
        for op in order.into_iter().filter(|_| !same) {
            body.move_op(op, InsertPoint::Before(end));
        }
    }
}

/// The ops of a block before its end, each after those that it uses, in the order in which the end reaches them; then
/// those that it does not reach.
fn by_first_use(body: &Body, block: BlockId, end: OpId) -> Vec<OpId> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let roots: Vec<OpId> = std::iter::once(end).chain(body.ops(block)).collect();
    for root in roots {
        // Each op with the ops that it uses and that are still to be looked at, the next one last.
        let mut stack: Vec<(OpId, Vec<OpId>)> = Vec::new();
        if seen.insert(root) {
            stack.push((root, used(body, root, block)));
        }
        while let Some((op, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) => {
                    if seen.insert(next) {
                        let more = used(body, next, block);
                        stack.push((next, more));
                    }
                }
                None => {
                    order.push(*op);
                    stack.pop();
                }
            }
        }
    }
    order.retain(|&op| op != end);
    order
}

/// The ops of a block whose results an op uses, itself or in its regions, the first one last.
fn used(body: &Body, op: OpId, block: BlockId) -> Vec<OpId> {
    let mut users = vec![op];
    body.walk_regions(op, &mut users);
    let values = users.into_iter().flat_map(|user| body.operands(user));
    let mut ops: Vec<OpId> = values.filter_map(|value| body.defining_op(value)).collect();
    ops.retain(|&op| body.block_of(op) == Some(block));
    ops.reverse();
    ops
}
