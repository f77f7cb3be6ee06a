//! Which values are the same in all threads of a warp.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::effects::effects;
use dlc_ir::op::Effects;
use dlc_ir::{Context, RegionId, ValueId};
use dlc_ptx::inst::{Arg, Inst, row};
use rustc_hash::FxHashSet;

/// The integers of a region that can differ from thread to thread of a warp, and all values that are no integers: the
/// machine keeps the others in registers of the warp. A value that blocks pass on differs where one of those that they pass
/// does; which way threads take is not looked at.
pub fn varying(ctx: &Context, body: &Body, region: RegionId) -> FxHashSet<ValueId> {
    let mut all: FxHashSet<ValueId> = FxHashSet::default();
    let mut changed = true;
    while changed {
        changed = false;
        for op in body.blocks(region).flat_map(|block| body.ops(block)) {
            let op = OpRef::new(ctx, body, op);
            for (index, &to) in op.successors().iter().enumerate() {
                for (place, &arg) in op.successor_operands(index).zip(body.args(to)) {
                    changed |= all.contains(&op.operand(place)) && all.insert(arg);
                }
            }
            let differs = makes_others(op) || op.operands().any(|operand| all.contains(&operand));
            for result in op.results() {
                if differs && !is_of_one_lane(op) || !body.value_type(result).is_integer(ctx) {
                    changed |= all.insert(result);
                }
            }
        }
    }
    all
}

/// Whether an instruction gives each thread a value of its own.
fn makes_others(op: OpRef<'_>) -> bool {
    let of_thread = row(op)
        .is_some_and(|(row, which)| row.name == "sreg" && (which.starts_with("tid") || which.starts_with("laneid")));
    of_thread || effects(op.ctx, op.body, op.id) != Effects::NONE
}

/// Whether all lanes get what one of them has.
fn is_of_one_lane(op: OpRef<'_>) -> bool {
    let is_shuffle = row(op).is_some_and(|(row, modifiers)| row.name == "shfl.sync" && modifiers.starts_with("idx"));
    is_shuffle && Inst::of(op).is_ok_and(|inst| matches!(inst.args.get(1), Some(Arg::Int(_))))
}
