//! Loops whose numbers the requests alone need: the consumers go through all of their steps in one loop.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::expressions::{BoundExpr, pack};
use crate::analysis::loads::PipelinedLoop;
use crate::analysis::nesting::block_of;

/// Takes the loops around the loop of a ring into it, as far as they do nothing but run it again. Products of all steps are
/// then awaited one step later, and not at the end of each of the loops. The requests are gone from it.
pub fn flatten(ctx: &Context, body: &mut Body, found: &mut PipelinedLoop) {
    if body.has_uses(found.counter) {
        return;
    }
    let Some(mut steps) = steps_of(ctx, body, found.op) else { return };
    let mut outermost = found.op;
    while let Some((around, times)) = around(ctx, body, outermost) {
        let Some(all) = steps.with(&times, |steps, times| steps.mul(times).ok()) else { break };
        (outermost, steps) = (around, all);
    }
    if outermost != found.op
        && let Some(made) = replace(ctx, body, (outermost, found.op), &steps)
    {
        found.op = made;
        found.first = BoundExpr::plain(SizeExpr::from(0));
        found.step = BoundExpr::plain(SizeExpr::from(1));
        found.last = steps;
    }
}

/// How many steps a loop has, where it counts from zero.
fn steps_of(ctx: &Context, body: &Body, op: OpId) -> Option<BoundExpr> {
    let view = kernel::For::of(OpRef::new(ctx, body, op))?;
    let (bounds, values) = (view.bounds(), view.args().collect::<Vec<_>>());
    let [first, last, step] = bounds.as_slice() else { return None };
    let counted = last.range(&Default::default()).lo().is_some_and(|least| least >= 0);
    let steps = last.ceildiv(step).ok()?;
    (first.as_constant() == Some(0) && step.as_constant()? > 0 && counted).then(|| BoundExpr::new(steps, &values))
}

/// The loop around a loop, if it does nothing else and does not say which step it is, with how many steps it has.
fn around(ctx: &Context, body: &Body, op: OpId) -> Option<(OpId, BoundExpr)> {
    let outer = body.parent_op(op)?;
    let block = block_of(ctx, body, outer)?;
    let end = body.last_op(block)?;
    let inner = kernel::For::of(OpRef::new(ctx, body, op))?;
    let (counter, carried) = body.args(block).split_first()?;
    let passes_on = inner.inits().eq(carried.iter().copied()) && inner.results().eq(body.operands(end));
    let alone = body.ops(block).eq([op, end]) && kernel::Yield::of(OpRef::new(ctx, body, end)).is_some();
    let once = carried.iter().all(|&value| body.uses(value).count() == 1);
    let is_free = !body.has_uses(*counter) && passes_on && alone && once;
    steps_of(ctx, body, outer).filter(|_| is_free).map(|steps| (outer, steps))
}

/// One loop of so many steps in place of loops, with the block of the innermost of them.
fn replace(ctx: &Context, body: &mut Body, (outermost, innermost): (OpId, OpId), steps: &BoundExpr) -> Option<OpId> {
    let region = kernel::For::body(kernel::For::of(OpRef::new(ctx, body, innermost))?);
    let view = kernel::For::of(OpRef::new(ctx, body, outermost))?;
    let (loc, inits) = (view.loc(), view.inits().collect::<Vec<ValueId>>());
    let types: Vec<Type> = inits.iter().map(|&value| body.value_type(value)).collect();
    let bounds = [BoundExpr::plain(SizeExpr::from(0)), steps.clone(), BoundExpr::plain(SizeExpr::from(1))];
    let (args, bounds) = pack(&bounds)?;
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(outermost));
    let made =
        kernel::NewFor { args: &args, inits: &inits, bounds, unroll: None, outs_type: &types }.build(&mut builder, loc);
    let target = body.regions(made)[0];
    body.take_blocks(region, target);
    let (old, new): (Vec<_>, Vec<_>) = (body.results(outermost).collect(), body.results(made).collect());
    for (old, new) in old.into_iter().zip(new) {
        let name = body.value_name(old);
        body.replace_all_uses(old, new);
        body.set_value_name(new, name);
    }
    body.erase_op(outermost);
    Some(made)
}
