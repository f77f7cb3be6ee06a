//! R0: a reduction that yields just a reduction of its kind.

use dlc_core::scalar::Combiner;
use dlc_core::sizes::Sizes;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId};
use dlc_region::ops::Reduce;

use super::{Srnf, mark};
use crate::analysis::axes::{axes, bound_in, contributions, is_over};

/// Reduces the axes of the inner reduction in the outer one. Whether that was done.
pub fn merge(body: &mut Body, reduce: OpId, inner: OpId, may: Srnf, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let reassociates = match check(body, reduce, inner, may, cx) {
        Ok(reassociates) => reassociates,
        Err(why) => {
            cx.remark(RemarkKind::Missed, body.loc(reduce), why);
            return false;
        }
    };
    let (Some(from), Some(into)) = (contributions(body, inner), contributions(body, reduce)) else { return false };
    let (Some(inner_end), Some(end)) = (body.last_op(from), body.last_op(into)) else { return false };
    if !cx.allows_rule("R0") {
        return false;
    }
    let (outer, other) = (Reduce::from(OpRef::new(ctx, body, reduce)), Reduce::from(OpRef::new(ctx, body, inner)));
    let names = TextArray::make(ctx, [outer.axes(), other.axes()].concat());
    let sizes = Sizes::make(ctx, [outer.sizes(), other.sizes()].concat());
    if cx.wants_remarks() {
        let message = format!("R0: merged with the {} in it", other.combiner().map_or("", Combiner::word));
        cx.remark(RemarkKind::Passed, outer.loc(), message);
    }
    let was_marked = other.attr(ctx.intern_str("reassoc")).is_some();
    let moved: Vec<OpId> = body.ops(from).filter(|&op| op != inner_end).collect();
    for op in moved {
        body.move_op(op, InsertPoint::Before(inner));
    }
    let value = body.operand(inner_end, 0);
    body.set_operand(end, 0, value);
    body.erase_op(inner);
    body.set_prop(ctx, reduce, ctx.intern_str("axes"), Some(names));
    body.set_prop(ctx, reduce, ctx.intern_str("sizes"), Some(sizes));
    if reassociates || was_marked {
        mark(body, cx, reduce);
    }
    true
}

/// Why another reduction in the body of the outer one forbids to merge, in words. The inner axes would be reduced around
/// it: one that reduces such an axis itself would reduce it twice, one whose result does not have it would be computed
/// again for each step.
fn neighbour_in_the_way(ctx: &Context, body: &Body, outer: Reduce<'_>, inner: Reduce<'_>) -> Option<String> {
    let block = contributions(body, outer.id)?;
    let names = inner.axes();
    for op in body.ops(block).filter(|&op| op != inner.id) {
        let Some(other) = Reduce::of(OpRef::new(ctx, body, op)) else { continue };
        if let Some(axis) = bound_in(ctx, body, op).into_iter().find(|axis| names.contains(axis)) {
            return Some(format!("R0: another reduction in the same body goes over the axis '{axis}' too"));
        }
        let misses = |axis: &&&str| !(*other).results().any(|out| is_over(ctx, body, out, &[**axis]));
        if let Some(axis) = names.iter().find(misses) {
            return Some(format!("R0: another reduction in the same body would be computed again for each '{axis}'"));
        }
    }
    None
}

/// Whether merging is exact in real arithmetic only; an error in words where the reductions stay.
fn check(body: &Body, reduce: OpId, inner: OpId, may: Srnf, cx: &PassCx<'_>) -> Result<bool, String> {
    let ctx = cx.ctx;
    let outer = Reduce::from(OpRef::new(ctx, body, reduce));
    let inner = Reduce::from(OpRef::new(ctx, body, inner));
    let Some(combiner) = outer.combiner() else { return Err("R4: a region combines the accumulators".into()) };
    if inner.combiner() != Some(combiner) {
        let of = inner.combiner().map_or("combiner of its own", Combiner::word);
        return Err(format!("R4: a {} of what a {of} gives stays two reductions", combiner.word()));
    }
    if outer.acc() != inner.acc() {
        return Err("R0: the inner reduction rounds to another type than the outer one".into());
    }
    let taken: Vec<&str> = (*outer).results().flat_map(|out| axes(ctx, body, out)).chain(outer.axes()).collect();
    if let Some(axis) = inner.axes().into_iter().find(|axis| taken.contains(axis)) {
        return Err(format!("R0: both reductions go over the axis '{axis}'"));
    }
    if let Some(why) = neighbour_in_the_way(ctx, body, outer, inner) {
        return Err(why);
    }
    let float = outer.acc().iter().any(|acc| acc.float_kind(ctx).is_some());
    let reassociates = float && matches!(combiner, Combiner::Sum | Combiner::Prod);
    if reassociates && !may.reassoc {
        let word = combiner.word();
        return Err(format!("R0: a {word} of {word}s rounds each of them; 'reassoc' allows to round once"));
    }
    Ok(reassociates)
}
