//! Tiles and mbarriers of a kernel that become rings: their types, and the ops that name one of several.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::op::Arity;
use dlc_ir::{Attr, Builder, Context, OpId, Str, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{MBarrier, Tile};
use smallvec::SmallVec;

use crate::analysis::expressions::{BoundExpr, index};
use crate::analysis::loads::PipelinedLoop;
use crate::rewrites::unused::erase_unused;

/// The type of a ring of as many tiles or mbarriers as a type of one.
pub fn ring_of(ctx: &Context, ty: Type, stages: i64) -> Option<Type> {
    if let Some(tile) = Tile::of(ctx, ty).filter(|tile| tile.stages(ctx) == 1) {
        return Some(Tile::get(ctx, stages, tile.shape(ctx), tile.elem(ctx), tile.layout(ctx)));
    }
    MBarrier::of(ctx, ty).filter(|barrier| barrier.count(ctx) == 1).map(|_| MBarrier::get(ctx, stages))
}

/// Changes the groups of operands of an op, in the order of the declaration.
pub fn regroup(ctx: &Context, body: &mut Body, op: OpId, change: impl FnOnce(&mut [SmallVec<[ValueId; 2]>])) {
    let view = OpRef::new(ctx, body, op);
    let declared = view.def().operands;
    let mut groups: Vec<SmallVec<[ValueId; 2]>> =
        (0..declared.len()).map(|group| view.operands_of_group(group).collect()).collect();
    change(&mut groups);
    let operands: Vec<ValueId> = groups.iter().flatten().copied().collect();
    if declared.iter().filter(|operand| operand.arity != Arity::One).count() > 1 {
        let counts: Vec<i32> = groups.iter().map(|group| group.len() as i32).collect();
        let counts: Attr = ctx.i32_array(&counts);
        body.set_prop(ctx, op, Str::OPERAND_SEGMENTS, Some(counts));
    }
    body.set_operands(op, &operands);
}

/// The group of operands of an op that says which of several tiles another one names: `<name>_stage`, or `stage`.
pub fn stage_of(op: OpRef<'_>, name: &str) -> Option<usize> {
    let own = format!("{name}_stage");
    let named = |name: &str| op.def().operands.iter().position(|operand| operand.name == name);
    named(&own).or_else(|| named("stage"))
}

/// Lets an op name a stage wherever it names one of `rings`.
pub fn name_stage(ctx: &Context, body: &mut Body, op: OpId, rings: &[ValueId], stage: ValueId) {
    let view = OpRef::new(ctx, body, op);
    let declared = view.def().operands;
    let is_ring = |group: &usize| view.operands_of_group(*group).any(|value| rings.contains(&value));
    let named = (0..declared.len()).filter(|&group| declared[group].arity == Arity::One).filter(is_ring);
    let places: Vec<usize> = named.filter_map(|group| stage_of(view, declared[group].name)).collect();
    regroup(ctx, body, op, |groups| {
        for place in places {
            groups[place] = smallvec::smallvec![stage];
        }
    });
}

/// Copies ops to a place, in order, with values replaced as the map says.
pub fn copy_ops(body: &mut Body, ops: &[OpId], place: InsertPoint, map: &mut dlc_ir::body::CloneMap) -> Vec<OpId> {
    let mut place = place;
    let mut made = Vec::new();
    for &op in ops {
        let copy = body.clone_op(op, map);
        body.insert(copy, place);
        place = InsertPoint::After(copy);
        made.push(copy);
    }
    made
}

/// So many tiles after one of a ring. `None` beyond 64 bits.
pub fn in_ring(stage: &BoundExpr, steps: i64, stages: i64) -> Option<BoundExpr> {
    let sum = stage.plus(&BoundExpr::plain(SizeExpr::from(steps)))?;
    let expr = sum.expr.modulo(&SizeExpr::from(stages)).ok()?;
    Some(BoundExpr { expr, values: sum.values })
}

/// The stage of the next step, at the end of the loop; and the parities with which it waits. `None` beyond 64 bits.
pub fn next_stage(
    ctx: &Context,
    body: &mut Body,
    found: &PipelinedLoop,
    stage: ValueId,
    stages: i64,
) -> Option<ValueId> {
    let end = body.last_op(found.block)?;
    let place = InsertPoint::Before(end);
    let mut next = None;
    for request in &found.requests {
        let mut builder = Builder::new(ctx, body, place);
        let op = kernel::Advance::build(&mut builder, found.loc, stage, request.parity, stages);
        let old = body.operand(end, request.carried);
        let parity = body.result(op, 1);
        body.set_value_name(body.result(op, 0), ctx.intern_str("next"));
        body.set_operand(end, request.carried, parity);
        erase_unused(ctx, body, body.defining_op(old).into_iter().collect());
        next = next.or(Some(body.result(op, 0)));
    }
    if next.is_none() {
        let made =
            index(&mut Builder::new(ctx, body, place), found.loc, &in_ring(&BoundExpr::value(stage)?, 1, stages)?)?;
        body.set_value_name(made, ctx.intern_str("next"));
        next = Some(made);
    }
    next
}
