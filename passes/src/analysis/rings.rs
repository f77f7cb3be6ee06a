//! Tiles and mbarriers of a kernel that become rings: their types, and the ops that name one of several.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::op::Arity;
use dlc_ir::{Attr, Context, OpId, Str, Type, ValueId};
use dlc_kernel::types::{MBarrier, Tile};
use smallvec::SmallVec;

/// The type of a ring of as many tiles or mbarriers as a type of one.
pub fn ring_of(ctx: &Context, ty: Type, stages: i64) -> Option<Type> {
    if let Some(tile) = Tile::of(ctx, ty).filter(|tile| tile.stages(ctx) == 1) {
        return Some(Tile::get(ctx, stages, tile.shape(ctx), tile.elem(ctx), tile.layout(ctx)));
    }
    MBarrier::of(ctx, ty).filter(|barrier| barrier.count(ctx) == 1).map(|_| MBarrier::get(ctx, stages))
}

/// Lets an op name a stage wherever it names a ring. Every operand that is one of `rings` is followed, in the
/// declaration of the op, by the operand for its stage: `<name>_stage`, or `stage`.
pub fn name_stage(ctx: &Context, body: &mut Body, op: OpId, rings: &[ValueId], stage: ValueId) {
    let view = OpRef::new(ctx, body, op);
    let declared = view.def().operands;
    let mut groups: Vec<SmallVec<[ValueId; 2]>> =
        (0..declared.len()).map(|group| view.operands_of_group(group).collect()).collect();
    for group in 0..declared.len() {
        if declared[group].arity != Arity::One || !groups[group].iter().any(|value| rings.contains(value)) {
            continue;
        }
        let own = format!("{}_stage", declared[group].name);
        let named = |name: &str| declared.iter().position(|operand| operand.name == name);
        if let Some(place) = named(&own).or_else(|| named("stage")) {
            groups[place] = smallvec::smallvec![stage];
        }
    }
    let operands: Vec<ValueId> = groups.iter().flatten().copied().collect();
    if declared.iter().filter(|operand| operand.arity != Arity::One).count() > 1 {
        let counts: Vec<i32> = groups.iter().map(|group| group.len() as i32).collect();
        let counts: Attr = ctx.i32_array(&counts);
        body.set_prop(ctx, op, Str::OPERAND_SEGMENTS, Some(counts));
    }
    body.set_operands(op, &operands);
}

/// The pure ops of a block that ops of it, or in their regions, need, each before those that use it. `None` where
/// something else of the block is needed, `allowed` values of it aside.
pub fn needed(ctx: &Context, body: &Body, ops: &[OpId], allowed: &[ValueId]) -> Option<Vec<OpId>> {
    let block = body.block_of(*ops.first()?)?;
    let mut wanted: Vec<OpId> = Vec::new();
    let mut open: Vec<OpId> = ops.to_vec();
    while let Some(op) = open.pop() {
        for inner in super::tiles::with_inner(body, op) {
            for value in body.operands(inner) {
                if body.defining_block(value) != Some(block) || allowed.contains(&value) {
                    continue;
                }
                let made = body.defining_op(value)?;
                if ops.contains(&made) || wanted.contains(&made) {
                    continue;
                }
                if !dlc_ir::effects::is_speculatable(ctx, body, made) {
                    return None;
                }
                wanted.push(made);
                open.push(made);
            }
        }
    }
    Some(body.ops(block).filter(|op| wanted.contains(op)).collect())
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
