//! Moves out of a loop what it computes in every iteration anew, though nothing of it changes.
//!
//! **Requires**: any layer.
//! **Ensures**: no loop holds, directly in its blocks, a pure op that depends on nothing in the loop.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%n: i64, %x: i64) {
//!   %zero = constant 0 : i64
//!   %one = constant 1 : i64
//!   loop %zero to %n by %one {
//!   ^bb0(%i: i64):
//!     %square = muli %x, %x : i64
//!     use %square
//!     yield
//!   }
//!   return
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%n: i64, %x: i64) {
//!   %zero = constant 0 : i64
//!   %one = constant 1 : i64
//!   %square = muli %x, %x : i64
//!   loop %zero to %n by %one {
//!   ^bb0(%i: i64):
//!     use %square
//!     yield
//!   }
//!   return
//! }
//! ```
//!
//! **Does not** move reads of memory, ops that may go wrong (a loop may run zero times), loops inside the loop as a
//! whole, or ops inside a branch of the loop.
//!
//! Loops are visited from the inside out, their blocks in reverse post-order, so what leaves an inner loop goes on to
//! leave the outer one. After MLIR's pass of this name. Rule of the debug counters: `hoist`.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::dominance::reverse_post_order;
use dlc_ir::effects::is_speculatable;
use dlc_ir::op::Traits;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{OpId, RegionId};

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "hoisted", doc: "Ops moved out of a loop, counted once for each loop." }],
    ..PassDef::base("licm", "Moves what does not change in a loop before it.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Licm))
}

struct Licm;

impl Pass for Licm {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let hoisted = licm(body, cx);
        cx.count("hoisted", hoisted);
        Ok(())
    }
}

/// Moves what does not change in a loop before it, for all loops of a body. How many moves.
pub fn licm(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let is_loop = |&op: &OpId| OpRef::new(cx.ctx, body, op).has(Traits::LOOP) && body.nested(op).is_none();
    let loops: Vec<OpId> = body.walk().into_iter().filter(is_loop).collect();
    // An op comes before those in its regions: backwards is from the inside out.
    loops.into_iter().rev().map(|op| hoist_from(body, op, cx)).sum()
}

/// Moves what does not change in a loop before it.
pub fn hoist_from(body: &mut Body, loop_op: OpId, cx: &PassCx<'_>) -> u64 {
    let mut hoisted = 0;
    let regions: SmallVec<[RegionId; 2]> = body.regions(loop_op).iter().copied().collect();
    for region in regions {
        for block in reverse_post_order(body, region) {
            let mut cursor = body.first_op(block);
            while let Some(op) = cursor {
                cursor = body.next_op(op);
                if can_leave(body, op, loop_op, cx) && cx.allows_rule("hoist") {
                    body.move_op(op, InsertPoint::Before(loop_op));
                    hoisted += 1;
                    if cx.wants_remarks() {
                        let name = OpRef::new(cx.ctx, body, op).name();
                        cx.remark(RemarkKind::Passed, body.loc(op), format!("moved '{name}' out of the loop"));
                    }
                }
            }
        }
    }
    hoisted
}

fn can_leave(body: &Body, op: OpId, loop_op: OpId, cx: &PassCx<'_>) -> bool {
    if !is_speculatable(cx.ctx, body, op) || body.nested(op).is_some() {
        return false;
    }
    let mut all = vec![op];
    body.walk_regions(op, &mut all);
    let from_outside = |value| {
        body.defining_block(value).is_some_and(|block| {
            let holder = body.region_of(block).and_then(|region| body.region_parent(region));
            // Inside the loop only what the op itself holds may be used.
            holder.is_some_and(|holder| !is_inside(body, holder, loop_op) || is_inside(body, holder, op))
        })
    };
    all.into_iter().all(|inner| body.operands(inner).all(from_outside))
}

/// Whether an op is `around`, or in its regions.
fn is_inside(body: &Body, op: OpId, around: OpId) -> bool {
    std::iter::successors(Some(op), |&op| body.parent_op(op)).any(|op| op == around)
}
