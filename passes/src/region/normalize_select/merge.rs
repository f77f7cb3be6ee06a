//! A select that is an operand of another becomes part of it.

use dlc_core::broadcast::promote;
use dlc_core::guard::Guard;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, ValueId};
use dlc_region::ops::{Const, Select};

use super::guards::{Spaces, both, either, not};
use super::replace::settle;
use crate::analysis::axes::{before_broadcasts, elem};

/// Takes a select in that is an operand of another and leads to the same value. Whether there was one.
pub fn merge(body: &mut Body, op: OpId, spaces: &mut Spaces<'_>, unused: &mut Vec<OpId>, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let Some((guard, then, otherwise)) = merged(ctx, body, op) else { return false };
    if !cx.allows_rule("merge") {
        return false;
    }
    unused.extend([0, 1].into_iter().filter_map(|index| body.defining_op(body.operand(op, index))));
    body.set_operands(op, &[then, otherwise]);
    body.set_prop(ctx, op, ctx.intern_str("guard"), Some(Guard::make(ctx, guard)));
    settle(body, op, spaces.kernel, cx);
    true
}

/// The guard of a select, and what it chooses from.
fn parts(ctx: &Context, body: &Body, op: OpId) -> Option<(Guard, ValueId, ValueId)> {
    let select = Select::of(OpRef::new(ctx, body, op))?;
    Some((select.guard()?, (*select).operand(0), (*select).operand(1)))
}

fn merged(ctx: &Context, body: &Body, op: OpId) -> Option<(Guard, ValueId, ValueId)> {
    let (guard, then, otherwise) = parts(ctx, body, op)?;
    let inner = |value: ValueId| {
        let value = before_broadcasts(ctx, body, value);
        body.defining_op(value).filter(|_| body.has_one_use(value)).and_then(|op| parts(ctx, body, op))
    };
    let same = |a: ValueId, b: ValueId| is_same(ctx, body, a, b);
    let found = match (inner(then), inner(otherwise)) {
        (Some((own, a, b)), _) if same(b, otherwise) => Some((both(&guard, &own)?, a, otherwise)),
        (Some((own, a, b)), _) if same(a, otherwise) => Some((both(&guard, &not(&own)?)?, b, otherwise)),
        (_, Some((own, a, b))) if same(a, then) => Some((either(&guard, &own)?, then, b)),
        (_, Some((own, a, b))) if same(b, then) => Some((either(&guard, &not(&own)?)?, then, a)),
        _ => None,
    };
    // Nothing may be rounded to another type than before.
    let ty = elem(ctx, body, body.result(op, 0));
    let rounds = |value: ValueId| promote(ctx, elem(ctx, body, value), ty).ok() == Some(ty);
    let exact = |value: ValueId| elem(ctx, body, value) == ty;
    found.filter(|&(_, then, otherwise)| (exact(then) || exact(otherwise)) && rounds(then) && rounds(otherwise))
}

/// Whether two values are one, or the same number.
fn is_same(ctx: &Context, body: &Body, a: ValueId, b: ValueId) -> bool {
    let (a, b) = (before_broadcasts(ctx, body, a), before_broadcasts(ctx, body, b));
    let number = |value: ValueId| {
        let op = body.defining_op(value)?;
        Const::of(OpRef::new(ctx, body, op)).map(Const::value)
    };
    a == b || (number(a).is_some() && number(a) == number(b))
}
