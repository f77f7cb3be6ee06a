//! What an epilogue reads once for all rows or columns of a tile is asked for before the sum, so that it is there when the
//! sum is.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, Type};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Frag;

use crate::analysis::tiles::with_inner;

/// The registers of an SM, and the most that a thread has.
const REGISTERS: i64 = 1 << 16;
const MOST_REGISTERS: i64 = 255;

/// Moves loads after sums to the front of them. How many move.
pub fn load_ahead(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut moved = 0;
    for op in body.walk() {
        let Some((sum, with)) = load_and_address(ctx, body, op) else { continue };
        if !cx.allows_rule("ahead") {
            continue;
        }
        cx.remark(
            RemarkKind::Passed,
            body.loc(op),
            "this is loaded before the sum, so that it is there when the sum is".to_string(),
        );
        let place = InsertPoint::Before(place(ctx, body, sum, &with));
        with.into_iter().for_each(|op| body.move_op(op, place));
        moved += 1;
    }
    moved
}

/// The loop before a load that gives a sum of products, and what moves before that: the load after all that it
/// needs. `None` where the threads have no room for it besides the sum.
fn load_and_address(ctx: &Context, body: &Body, op: OpId) -> Option<(OpId, Vec<OpId>)> {
    let load = kernel::Load::of(OpRef::new(ctx, body, op))?;
    let own = Frag::of(ctx, load.type_of(load.out()))?;
    // What lies as the sum does is read panel by panel. What is read is not written here, so that it may be read earlier.
    if own.layout(ctx) == Distributed::Wgmma || body.defining_op(load.source()).is_some() {
        return None;
    }
    let is_sum = |&op: &OpId| {
        kernel::For::of(OpRef::new(ctx, body, op)).is_some()
            && with_inner(body, op).into_iter().any(|op| OpRef::new(ctx, body, op).is(kernel::Wgmma::DEF))
    };
    let sum = std::iter::successors(body.prev_op(op), |&op| body.prev_op(op)).find(is_sum)?;
    let with = following(ctx, body, sum, op)?;
    let (warps, most) = room(ctx, body, op)?;
    let held = |ty: Type| {
        let frag = Frag::of(ctx, ty)?;
        let placed = frag.place(ctx, warps).ok()?;
        Some(i64::from(placed.registers()))
    };
    let sums: i64 = body.results(sum).filter_map(|value| held(body.value_type(value))).sum();
    (sums + held(load.type_of(load.out()))? <= most / 2).then_some((sum, with))
}

/// An op and what it needs that stands after another one of its block, in order; `None` where that cannot run before.
fn following(ctx: &Context, body: &Body, sum: OpId, op: OpId) -> Option<Vec<OpId>> {
    let (block, mut with) = (body.block_of(op)?, vec![op]);
    let mut next = 0;
    while let Some(&op) = with.get(next) {
        next += 1;
        for value in body.operands(op) {
            let made = body.defining_op(value).filter(|&made| body.block_of(made) == Some(block));
            let Some(made) = made.filter(|&made| !body.is_before(made, sum) && !with.contains(&made)) else { continue };
            if !dlc_ir::effects::is_speculatable(ctx, body, made) {
                return None;
            }
            with.push(made);
        }
    }
    Some(body.ops(block).filter(|op| with.contains(op)).collect())
}

/// The warps of a group that runs an op, and the registers of each of their threads.
fn room(ctx: &Context, body: &Body, op: OpId) -> Option<(u32, i64)> {
    let mut around = std::iter::successors(body.parent_op(op), |&op| body.parent_op(op));
    around.find_map(|op| {
        let view = OpRef::new(ctx, body, op);
        let threads = |threads: i64| (REGISTERS / threads.max(1)).min(MOST_REGISTERS);
        let (warps, registers) = match (kernel::Role::of(view), kernel::Grid::of(view)) {
            (Some(role), _) => {
                let warps = (role.last() - role.first()) / role.groups().max(1);
                (warps, role.registers().unwrap_or(threads(32 * role.last())))
            }
            (_, Some(grid)) => (grid.threads() / 32, threads(grid.threads())),
            _ => return None,
        };
        Some((u32::try_from(warps).ok()?, registers))
    })
}

/// The first op that loads may stand before: after what they need, and before where threads meet.
fn place(ctx: &Context, body: &Body, sum: OpId, with: &[OpId]) -> OpId {
    let needs = |op: OpId| {
        let mut used = with.iter().flat_map(|&op| body.operands(op));
        used.any(|value| body.defining_op(value) == Some(op))
    };
    let mut at = sum;
    while let Some(before) = body.prev_op(at) {
        let view = OpRef::new(ctx, body, before);
        let passes = view.is(kernel::Barrier::DEF) || dlc_ir::effects::is_speculatable(ctx, body, before);
        if needs(before) || !passes {
            break;
        }
        at = before;
    }
    at
}
