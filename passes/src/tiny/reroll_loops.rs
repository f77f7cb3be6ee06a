//! Finds loops over steps that a program has unrolled: what each step computes alike is computed for all steps at once, and what
//! a step takes from the one before is a scan.
//!
//! Exporters write a loop of a model out, so that a recurrence over 1,000 steps is thousands of small ops. Where all results are
//! put together along an axis, the loop is there again.
//!
//! **Requires**: tiny.
//! **Ensures**: nothing about what stays.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M>(%x: tensor<[4, M], f32>, %w: tensor<[M, 8], f32>) -> tensor<[4, 8], f32> {
//!   %x0 = shrink %x from [0, 0] to [1, M] : tensor<[1, M], f32>
//!   %x1 = shrink %x from [1, 0] to [2, M] : tensor<[1, M], f32>
//!   %x2 = shrink %x from [2, 0] to [3, M] : tensor<[1, M], f32>
//!   %x3 = shrink %x from [3, 0] to [4, M] : tensor<[1, M], f32>
//!   %y0 = contract %x0 [m, k], %w [k, n] to [m, n] : tensor<[1, 8], f32>
//!   %y1 = contract %x1 [m, k], %w [k, n] to [m, n] : tensor<[1, 8], f32>
//!   %y2 = contract %x2 [m, k], %w [k, n] to [m, n] : tensor<[1, 8], f32>
//!   %y3 = contract %x3 [m, k], %w [k, n] to [m, n] : tensor<[1, 8], f32>
//!   %p0 = pad %y0 low [0, 0] high [3, 0] : tensor<[4, 8], f32>
//!   %p1 = pad %y1 low [1, 0] high [2, 0] : tensor<[4, 8], f32>
//!   %p2 = pad %y2 low [2, 0] high [1, 0] : tensor<[4, 8], f32>
//!   %p3 = pad %y3 low [3, 0] high [0, 0] : tensor<[4, 8], f32>
//!   %s1 = add %p0, %p1 : tensor<[4, 8], f32>
//!   %s2 = add %s1, %p2 : tensor<[4, 8], f32>
//!   %s3 = add %s2, %p3 : tensor<[4, 8], f32>
//!   return %s3
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M>(%x: tensor<[4, M], f32>, %w: tensor<[M, 8], f32>) -> tensor<[4, 8], f32> {
//!   %0 = reshape %x to [4, 1, M] : tensor<[4, 1, M], f32>
//!   %1 = contract %0 [step, m, k], %w [k, n] to [step, m, n] : tensor<[4, 1, 8], f32>
//!   %2 = reshape %1 to [4, 8] : tensor<[4, 8], f32>
//!   return %2
//! }
//! ```
//!
//! **Does not** find loops of which only the last result is used (their steps are elementwise, and one kernel anyway), whose
//! steps read parts that overlap, or whose state is no linear function of the one before (an LSTM).
//!
//! A value that pads put together along an axis is a list of values. A list has one value for all steps where each is computed
//! by the same op, from lists that have one; a list of parts of a value, one after another, is that value. A list whose steps are
//! `h = a h + b` of the step before, by additions, subtractions and products, is the scan of `a` and `b`. It adds in the order of
//! the scan, in `f32` for halves. What the steps before the last one were is read from it; a loop of which something else needs
//! the steps stays. Linear in ops. Rule of the debug counters: `reroll`.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, ValueId};
use dlc_tiny::ops::{Add, Pad};
use rustc_hash::FxHashSet;

use self::build::{Built, build};
use self::plan::{Planner, dims};
use crate::analysis::numbers::is_zero;

mod build;
mod plan;

/// The fewest parts that are worth a look.
const FEWEST: usize = 4;

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    statistics: &[StatDef { name: "rerolled", doc: "Loops that were rolled up." }],
    ..PassDef::base("reroll-loops", "Computes the steps of unrolled loops at once, and recurrences as scans.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(RerollLoops))
}

struct RerollLoops;

impl Pass for RerollLoops {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("rerolled", reroll_loops(body, cx));
        Ok(())
    }
}

/// A value that is put together from parts along an axis.
struct Joint {
    /// The last addition.
    op: OpId,
    axis: usize,
    parts: Vec<ValueId>,
    /// The pads and additions.
    ops: Vec<OpId>,
}

/// Rolls up the loops of a body. How many.
pub fn reroll_loops(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let joints = joints(cx.ctx, body);
    if joints.is_empty() {
        return 0;
    }
    let mut planner = Planner::new(cx.ctx, body);
    let mut found: Vec<(Joint, usize)> =
        joints.into_iter().filter_map(|joint| planner.list(&joint.parts).map(|list| (joint, list))).collect();
    // A scan stands for its steps: where something else needs them they would be computed twice.
    loop {
        let mut rolled: FxHashSet<OpId> = FxHashSet::default();
        for (joint, list) in &found {
            rolled.extend(&joint.ops);
            planner.ops_of(*list, &mut rolled);
        }
        let before = found.len();
        found.retain(|(joint, list)| {
            let stays = !planner.leaves_nothing(*list, joint.op, &rolled);
            if stays {
                let steps = joint.parts.len();
                let message = format!("a loop of {steps} steps stays: something else needs a state before its end");
                cx.remark(RemarkKind::Missed, body.loc(joint.op), message);
            }
            !stays
        });
        if found.len() == before {
            break;
        }
    }
    let lists = planner.finish();
    let mut rerolled = 0;
    let mut built = Built::default();
    for (joint, list) in found {
        if !cx.allows_rule("reroll") {
            continue;
        }
        let message = format!("a loop of {} steps is rolled up: {}", joint.parts.len(), lists.describe(list));
        cx.remark(RemarkKind::Passed, body.loc(joint.op), message);
        build(cx.ctx, body, &lists, (list, joint.axis, joint.op), &mut built);
        rerolled += 1;
    }
    built.finish(cx.ctx, body);
    rerolled
}

/// The values that are put together, in order.
fn joints(ctx: &Context, body: &Body) -> Vec<Joint> {
    let Some(block) = body.entry_block() else { return Vec::new() };
    // The additions of nothing but pads, and of such additions that nothing else uses.
    let mut of_pads: FxHashSet<OpId> = FxHashSet::default();
    for op in body.ops(block) {
        let view = OpRef::new(ctx, body, op);
        let is_pad = |value: ValueId| {
            let made = body.defining_op(value);
            made.is_some_and(|made| {
                of_pads.contains(&made) && body.has_one_use(value) || OpRef::new(ctx, body, made).is(Pad::DEF)
            })
        };
        if view.is(Add::DEF) && view.operands().into_iter().all(is_pad) {
            of_pads.insert(op);
        }
    }
    let is_last = |op: OpId| {
        let value = body.result(op, 0);
        !(body.has_one_use(value) && body.uses(value).all(|place| of_pads.contains(&place.op)))
    };
    let last = body.ops(block).filter(|op| of_pads.contains(op)).filter(|&op| is_last(op));
    last.filter_map(|op| joint(ctx, body, op, &of_pads)).collect()
}

fn joint(ctx: &Context, body: &Body, op: OpId, of_pads: &FxHashSet<OpId>) -> Option<Joint> {
    let (mut pads, mut ops, mut work) = (Vec::new(), Vec::new(), vec![op]);
    while let Some(at) = work.pop() {
        if of_pads.contains(&at) {
            ops.push(at);
            work.extend(body.operands(at).rev().filter_map(|operand| body.defining_op(operand)));
        } else {
            pads.push(at);
        }
    }
    if pads.len() < FEWEST {
        return None;
    }
    let zero = SizeExpr::from(0);
    let (mut axis, mut end, mut size) = (None, zero.clone(), None);
    let mut parts = Vec::new();
    for &pad in &pads {
        let view = Pad::from(OpRef::new(ctx, body, pad));
        if view.value().is_some_and(|value| !is_zero(ctx, value)) {
            return None;
        }
        let (low, high) = (view.low(), view.high());
        let mut padded = (0..low.len()).filter(|&at| low[at] != zero || high[at] != zero);
        let own = padded.next().filter(|_| padded.next().is_none())?;
        let extent = dims(ctx, body, view.input())[own].as_constant()?;
        if *axis.get_or_insert(own) != own || *size.get_or_insert(extent) != extent || low[own] != end {
            return None;
        }
        end = end.add(&SizeExpr::from(extent)).ok()?;
        parts.push(view.input());
    }
    let is_whole = dims(ctx, body, body.result(op, 0))[axis?] == end;
    ops.extend(pads);
    is_whole.then_some(Joint { op, axis: axis?, parts, ops })
}
