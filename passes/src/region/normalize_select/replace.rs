//! Selects that become reads, guards that become shorter, and what stands in their place.

use dlc_core::guard::Guard;
use dlc_core::sizes::Sizes;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::Kind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Attr, Context, OpId, Type, ValueId};
use dlc_region::ops::{BroadcastInDim, Cast, Const, NewRead, Read, Select};
use dlc_region::types::Value;
use dlc_region::verify::KernelAxes;

use super::guards::{Spaces, both, not};
use crate::analysis::axes::{axes, before_broadcasts, depends, elem, places, set_axes};

/// Turns a select between a read and a number into a guarded read. Whether it was one.
pub fn read(body: &mut Body, op: OpId, spaces: &mut Spaces<'_>, unused: &mut Vec<OpId>, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let Some((old, guard, fill)) = guarded(ctx, body, op) else { return false };
    if !cx.allows_rule("read") {
        return false;
    }
    let (loc, ty, name) = (body.loc(op), body.value_type(body.result(op, 0)), body.value_name(body.result(op, 0)));
    let view = Read::from(OpRef::new(ctx, body, old));
    let (source, at) = (view.source(), view.at());
    let indices: Vec<ValueId> = view.indices().collect();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let new = NewRead { source, indices: &indices, at, guard: Some(guard), fill: Some(fill), out_type: ty }
        .build(&mut builder, loc);
    let value = builder.result(new);
    body.set_value_name(value, name);
    body.replace_all_uses(body.result(op, 0), value);
    settle(body, new, spaces.kernel, cx);
    unused.push(op);
    true
}

/// The read that a select chooses, where it reads, and the number elsewhere.
fn guarded(ctx: &Context, body: &Body, op: OpId) -> Option<(OpId, Guard, Attr)> {
    let select = Select::of(OpRef::new(ctx, body, op))?;
    let guard = select.guard()?;
    let defining = |index: usize| {
        let op = body.defining_op(before_broadcasts(ctx, body, (*select).operand(index)))?;
        Some(OpRef::new(ctx, body, op))
    };
    let (then, otherwise) = (defining(0)?, defining(1)?);
    let (read, number, guard) = match (Read::of(then), Const::of(otherwise), Const::of(then), Read::of(otherwise)) {
        (Some(read), Some(number), ..) => (read, number, guard),
        (_, _, Some(number), Some(read)) => (read, number, not(&guard)?),
        _ => return None,
    };
    let (ty, number) = (elem(ctx, body, select.out()), number.value());
    let same_type = elem(ctx, body, read.out()) == ty && number.value_type(ctx) == Some(ty);
    // What is outside already must be that number.
    let has_outside = read.guard().is_some() || read.indices().len() > 0;
    let same_fill = !has_outside || read.fill().or_else(|| zero(ctx, ty)) == Some(number);
    let guard = match read.guard() {
        Some(own) => both(&guard, &own)?,
        None => guard,
    };
    (same_type && same_fill).then_some((read.id, guard, number))
}

/// Zero of a type.
fn zero(ctx: &Context, ty: Type) -> Option<Attr> {
    match ty.float_kind(ctx) {
        Some(_) => Some(ctx.attr(AttrData::Float { ty, bits: 0 })),
        None => Some(ctx.int_attr(0, ty)),
    }
}

/// Shortens the guard of a select or a read; one that holds everywhere or nowhere goes. Whether something changed.
pub fn gist(body: &mut Body, op: OpId, spaces: &mut Spaces<'_>, unused: &mut Vec<OpId>, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let view = OpRef::new(ctx, body, op);
    let read = Read::of(view);
    let Some(guard) = read.map_or_else(|| Select::from(view).guard(), Read::guard) else { return false };
    let own = axes(ctx, body, body.result(op, 0));
    let Some(short) = spaces.over(&own).map(|mut over| over.shorten(&guard)) else { return false };
    if short == guard || !cx.allows_rule("gist") {
        return false;
    }
    let key = ctx.intern_str("guard");
    let always = short.pieces.iter().any(Vec::is_empty);
    if !always && !short.pieces.is_empty() {
        body.set_prop(ctx, op, key, Some(Guard::make(ctx, short)));
        settle(body, op, spaces.kernel, cx);
        return true;
    }
    let Some(read) = read else {
        let chosen = body.operand(op, usize::from(!always));
        replace(body, op, chosen, spaces.kernel, cx);
        unused.push(op);
        return true;
    };
    if always {
        // Positions that are values are still guarded by themselves.
        let outside = read.fill().filter(|_| read.indices().len() > 0);
        body.set_prop(ctx, op, key, None);
        body.set_prop(ctx, op, ctx.intern_str("fill"), outside);
        settle(body, op, spaces.kernel, cx);
        return true;
    }
    let ty = elem(ctx, body, read.out());
    let Some(number) = read.fill().or_else(|| zero(ctx, ty)) else { return false };
    let loc = body.loc(op);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let new = Const::build(&mut builder, loc, number, Value::get(ctx, ty, Vec::new()));
    let value = builder.result(new);
    replace(body, op, value, spaces.kernel, cx);
    unused.push(op);
    true
}

/// Puts a value in place of the result of an op, as its type wants it.
fn replace(body: &mut Body, op: OpId, value: ValueId, kernel: &KernelAxes, cx: &PassCx<'_>) {
    let (ctx, out, loc) = (cx.ctx, body.result(op, 0), body.loc(op));
    let wanted = elem(ctx, body, out);
    let mut value = value;
    if elem(ctx, body, value) != wanted {
        let ty = Value::get(ctx, wanted, axes(ctx, body, value));
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let new = Cast::build(&mut builder, loc, value, None, ty);
        value = builder.result(new);
    }
    if axes(ctx, body, value) != axes(ctx, body, out) {
        let ty = body.value_type(out);
        let to = axes(ctx, body, out);
        value = broadcast(ctx, body, InsertPoint::Before(op), value, &to, ty, kernel);
    }
    body.replace_all_uses(out, value);
}

fn broadcast(
    ctx: &Context,
    body: &mut Body,
    at: InsertPoint,
    value: ValueId,
    to: &[&str],
    ty: Type,
    kernel: &KernelAxes,
) -> ValueId {
    let from = axes(ctx, body, value);
    let loc = body.defining_op(value).map_or(dlc_ir::Loc::UNKNOWN, |op| body.loc(op));
    let shape = to.iter().filter_map(|axis| kernel.size(axis).cloned()).collect::<<Sizes as Kind>::Value<'_>>();
    let mut builder = Builder::new(ctx, body, at);
    let new = BroadcastInDim::build(&mut builder, loc, value, shape, places(&from, to), ty);
    builder.result(new)
}

/// Takes from the type of a result the axes that it no longer depends on, and broadcasts it to those that it had.
pub fn settle(body: &mut Body, op: OpId, kernel: &KernelAxes, cx: &PassCx<'_>) {
    let ctx = cx.ctx;
    let out = body.result(op, 0);
    let (ty, had) = (body.value_type(out), axes(ctx, body, out));
    let needed = depends(OpRef::new(ctx, body, op), kernel);
    let own: Vec<&str> = had.iter().copied().filter(|axis| needed.contains(axis)).collect();
    if own.len() == had.len() {
        return;
    }
    set_axes(ctx, body, out, own);
    let wide = broadcast(ctx, body, InsertPoint::After(op), out, &had, ty, kernel);
    let broadcast = body.defining_op(wide);
    let uses: Vec<_> = body.uses(out).filter(|used| Some(used.op) != broadcast).collect();
    for used in uses {
        body.set_operand(used.op, used.index, wide);
    }
}
