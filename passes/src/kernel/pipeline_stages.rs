//! Makes rings of the tiles that a loop loads, so that the loads of later steps are on their way while one computes.
//!
//! **Requires**: kernel.
//! **Ensures**: in a loop that fits, tiles and their mbarriers are rings of `stages`; loads run `stages - 1` steps ahead,
//! one less where matrix products are on their way from one step to the next; threads meet once a step. Copies that
//! threads wait for become loads one step ahead, which go to the other one of two tiles after the work of the step.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32, row_major, align 4> {
//!   %Y = output : memref<[M, 32], f32, row_major, align 4>
//!   grid (M ceildiv 32) threads 128 {
//!     %tile = shared : tile<[32, 32], f16, swizzle 64>
//!     %b = block_id 0
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       %0 = copy_async %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!       await %0
//!       barrier
//!       %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       barrier
//!       yield %s
//!     }
//!     store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
//!   }
//!   return %Y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sums<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32, row_major, align 4> {
//!   %Y = output : memref<[M, 32], f32, row_major, align 4>
//!   grid (M ceildiv 32) threads 128 {
//!     %tile = shared : tile<3 x [32, 32], f16, swizzle 64>
//!     %b = block_id 0
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %0 = index (0)
//!     %k = index (0)
//!     %slot = index (0)
//!     %1 = copy_async %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     %k_0 = index (32)
//!     %slot_0 = index (1)
//!     %2 = copy_async %X[32*%b + i0, %k_0 + i1] where (32*%b + i0 < M) to %tile[%slot_0] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!     %sum:4 = for %k_1 = 0 to 64 step 32 carry (%acc = %zero, %stage = %0, %loaded = %1, %loaded_0 = %2) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>, index, token<load>, token<load> {
//!       await %loaded
//!       barrier
//!       %3 = if (%k_1 + 64 < 64) : token<load> {
//!         %k_2 = index (%k_1 + 64)
//!         %slot_1 = index ((%stage + 2) mod 3)
//!         %4 = copy_async %X[32*%b + i0, %k_2 + i1] where (32*%b + i0 < M) to %tile[%slot_1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//!         yield %4
//!       } else {
//!         %5 = done : token<load>
//!         yield %5
//!       }
//!       %x = load_shared %tile[%stage] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %next = index ((%stage + 1) mod 3)
//!       yield %s, %next, %loaded_0, %3
//!     }
//!     store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
//!   }
//!   return %Y
//! }
//! ```
//!
//! **Does not** change loops whose loads depend on what they carry, whose tiles are touched outside of them or may lie
//! over others, or in which threads do not meet between a load and its use; nor any loop if the rings do not fit into
//! the shared memory of the function's target. A remark says why.
//!
//! Phases: (1) the loads of the loop, what they need, and where they are awaited (`analysis::loads`); (2) before the loop,
//! the loads of the first steps, each if there is such a step; (3) in the loop, after the barrier, the load of a later
//! step into the tile of the one before; products that only add up are awaited a step later. From the multistage loop of
//! CUTLASS (`mma_multistage.h`), with one barrier a step. The stages are those of the plan where no option says them. Rules
//! of the debug counters: `pipeline`, `registers`.

mod registers;

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, Builder, Context, OpId, Str, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Token, Work};
use dlc_plan::Schedule;

use crate::analysis::expressions::{BoundExpr, index, pack};
use crate::analysis::loads::{PipelinedLoop, find};
use crate::analysis::nesting::loops_around;
use crate::analysis::plans::{PLANNED, given, kernel_pass, plan_of};
use crate::analysis::tiles::{touches, with_inner};
use crate::plan::defaults;
use crate::plan::report::not_followed;
use crate::rewrites::carried::{carry, carry_through, yield_more};
use crate::rewrites::rings::{copy_ops, in_ring, name_stage, next_stage, ring_of};
use crate::rewrites::unused::erase_unused;

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "stages",
            kind: OptionKind::Text,
            default: "auto",
            doc: "How many tiles a ring has, 1 to 16, with 1 nothing changes; 'auto' for what the plan says, or 3.",
        },
        PLANNED,
    ],
    statistics: &[StatDef { name: "loops", doc: "Loops whose loads run ahead." }],
    ..kernel_pass("pipeline-stages", "Pipelines the loads of a loop through rings of tiles in shared memory.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let stages = given(options, "stages")?;
    if let Some(stages) = stages.filter(|stages| !(1..=16).contains(stages)) {
        return Err(format!("a ring has 1 to 16 stages, not {stages}"));
    }
    Ok(Box::new(PipelineStages { stages, planned: options.flag("planned") }))
}

struct PipelineStages {
    stages: Option<i64>,
    planned: bool,
}

impl Pass for PipelineStages {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let planned = plan.as_ref().map(|plan| defaults::stages(plan)).filter(|&stages| stages > 1);
        let one = plan.as_ref().is_some_and(|plan| plan.stages.is_some());
        let default = if self.planned || one { 1 } else { defaults::STAGES };
        let stages = self.stages.or(planned).unwrap_or(default);
        let asked = plan.as_deref().filter(|_| self.stages.is_none() && planned.is_some());
        let loops = pipeline_stages(body, stages.min(16), asked, cx);
        cx.count("loops", loops);
        Ok(())
    }
}

/// Lets the loads of a kernel's loops run ahead, in rings of so many stages. How many loops changed.
/// What the schedule `asked` for is a warning if no loop follows it.
pub fn pipeline_stages(body: &mut Body, stages: i64, asked: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    if stages < 2 {
        return 0;
    }
    let mut loops = 0;
    let mut left = Vec::new();
    // A loop that carries more is another op, but its block stays.
    let mut seen: Vec<BlockId> = Vec::new();
    while let Some((op, block)) = next_loop(cx.ctx, body, &seen) {
        seen.push(block);
        let through_registers = registers::find(cx.ctx, body, op);
        if let Ok(Some(staged)) = &through_registers {
            if cx.allows_rule("registers") && registers::rewrite(cx.ctx, body, staged).is_some() {
                loops += 1;
                let message = "loads run 1 step ahead, through registers, in rings of 2";
                cx.remark(RemarkKind::Passed, staged.loc, message);
            }
            continue;
        }
        match find(cx.ctx, body, op, stages) {
            Ok(None) => {}
            Ok(Some(found)) if cx.allows_rule("pipeline") => {
                if rewrite(cx.ctx, body, &found, stages).is_none() {
                    let why = "the loads of this loop do not run ahead: its next steps go beyond 64 bits";
                    left.push((found.loc, why.to_owned()));
                } else {
                    loops += 1;
                    if cx.wants_remarks() {
                        let ahead = found.ahead(stages);
                        let steps = if ahead == 1 { "step" } else { "steps" };
                        let message = format!("loads run {ahead} {steps} ahead, in rings of {stages}");
                        cx.remark(RemarkKind::Passed, found.loc, message);
                    }
                }
            }
            Ok(Some(_)) => {}
            Err(why) => {
                let why = match through_registers {
                    Err(other) if other != why => format!("{why}; and not through registers: {other}"),
                    _ => why,
                };
                left.push((body.loc(op), format!("the loads of this loop do not run ahead: {why}")));
            }
        }
    }
    let asked = asked.filter(|_| loops == 0);
    for (loc, message) in left {
        not_followed(cx, body, asked, &["stages", "barrier"], (loc, kernel::For::DEF.name), message);
    }
    loops
}

/// The first loop that was not seen yet, and its block.
fn next_loop(ctx: &Context, body: &Body, seen: &[BlockId]) -> Option<(OpId, BlockId)> {
    let block = |op: OpId| Some((op, crate::analysis::nesting::block_of(ctx, body, op)?));
    body.walk().into_iter().filter_map(block).find(|(_, block)| !seen.contains(block))
}

/// Where and when the loads of a step are made.
struct Step<'a> {
    /// Its number, counted as the loop counts.
    at: BoundExpr,
    /// The tile of the ring.
    slot: BoundExpr,
    /// Where they go.
    place: InsertPoint,
    found: &'a PipelinedLoop,
}

/// What is below the end of the loop while there is such a step. `None` beyond 64 bits.
fn condition(found: &PipelinedLoop, at: &BoundExpr) -> Option<(Vec<ValueId>, Condition)> {
    let (values, exprs) = pack(&[at.clone(), found.last.clone()])?;
    Some((values, Condition { expr: exprs[0].clone(), lower: None, upper: Some(exprs[1].clone()) }))
}

/// Makes the loads of a step, if there is such a step. The token of the last of them.
fn load_step(ctx: &Context, body: &mut Body, step: &Step<'_>) -> Option<Option<ValueId>> {
    let found = step.found;
    let loc = found.loc;
    let token = Token::get(ctx, Work::Load);
    let results: &[Type] = if found.copies.is_empty() { &[] } else { &[token] };
    let (values, condition) = condition(found, &step.at)?;
    let known = match (condition.expr.as_constant(), condition.upper.as_ref().and_then(SizeExpr::as_constant)) {
        (Some(at), Some(last)) => Some(at < last),
        _ => None,
    };
    match known {
        Some(true) => return load_at(ctx, body, step, step.place).map(|(token, _)| token),
        Some(false) if results.is_empty() => return Some(None),
        Some(false) => {
            let mut builder = Builder::new(ctx, body, step.place);
            let done = kernel::Done::build(&mut builder, loc, token);
            return Some(Some(builder.result(done)));
        }
        None => {}
    }
    let regions = if results.is_empty() { 0 } else { 1 };
    let guard = Guard::all(vec![condition]);
    let mut builder = Builder::new(ctx, body, step.place);
    let op = kernel::NewIf { args: &values, cond: None, guard: Some(guard), outs_type: results, otherwise: regions }
        .build(&mut builder, loc);
    let blocks: Vec<BlockId> = (0..=regions).map(|region| body.append_block(body.regions(op)[region])).collect();
    let (loaded, _) = load_at(ctx, body, step, InsertPoint::EndOf(blocks[0]))?;
    if let (Some(loaded), Some(&otherwise)) = (loaded, blocks.get(1)) {
        kernel::Yield::build(&mut Builder::at_end(ctx, body, blocks[0]), loc, &[loaded]);
        let mut builder = Builder::at_end(ctx, body, otherwise);
        let done = kernel::Done::build(&mut builder, loc, token);
        let done = builder.result(done);
        kernel::Yield::build(&mut builder, loc, &[done]);
        return Some(Some(body.result(op, 0)));
    }
    Some(None)
}

/// Makes the loads of a step at a place. The token of the last of them.
fn load_at(
    ctx: &Context,
    body: &mut Body,
    step: &Step<'_>,
    place: InsertPoint,
) -> Option<(Option<ValueId>, Vec<OpId>)> {
    let found = step.found;
    let mut builder = Builder::new(ctx, body, place);
    let at = index(&mut builder, found.loc, &step.at)?;
    let slot = index(&mut builder, found.loc, &step.slot)?;
    let place = builder.place();
    for (made, name) in [(at, body.value_name(found.counter)), (slot, ctx.intern_str("slot"))] {
        if body.value_name(made) == Str::EMPTY {
            body.set_value_name(made, name);
        }
    }
    let mut map = CloneMap::new();
    map.map_value(found.counter, at);
    let mut ops = found.needed.clone();
    ops.extend(&found.loads);
    let made = copy_ops(body, &ops, place, &mut map);
    for &op in &made {
        for inner in with_inner(body, op) {
            name_stage(ctx, body, inner, &found.rings, slot);
        }
    }
    let token = found.copies.last().and_then(|&copy| map.value(body.result(copy, 0)));
    Some((token, made))
}

/// Rewrites a loop. `None` where its integers go beyond 64 bits, which leaves a kernel that only looks different.
fn rewrite(ctx: &Context, body: &mut Body, found: &PipelinedLoop, stages: i64) -> Option<()> {
    let (loc, ahead) = (found.loc, found.ahead(stages));
    let outer = loops_around(ctx, body, found.op).unwrap_or_default();
    // Where phases of mbarriers go on from one run of the loop to the next, the stage does too.
    let goes_on = !found.requests.is_empty() && !outer.is_empty();
    let meets = meets_after(ctx, body, found, goes_on);
    // Steps whose integers go beyond 64 bits are found before anything changes.
    for number in 0..=ahead {
        let step = found.step.times(number)?;
        condition(found, &found.first.plus(&step)?)?;
        condition(found, &BoundExpr::value(found.counter)?.plus(&step)?)?;
    }
    for &ring in &found.rings {
        let ty = ring_of(ctx, body.value_type(ring), stages)?;
        body.set_value_type(ring, ty);
    }

    let start = if goes_on { outer.last().copied() } else { None }.unwrap_or(found.op);
    let zero = BoundExpr::plain(SizeExpr::from(0));
    let mut stage = index(&mut Builder::new(ctx, body, InsertPoint::Before(start)), loc, &zero)?;
    let mut outer_block = None;
    if goes_on {
        let (values, inner) = carry_through(ctx, body, &outer, &[(stage, "stage")])?;
        stage = values[0];
        outer_block = inner.and_then(|inner| crate::analysis::nesting::block_of(ctx, body, inner));
    }

    // The loads of the first steps.
    let first = if goes_on { BoundExpr::value(stage)? } else { zero };
    let mut carried = vec![(stage, "stage")];
    for number in 0..ahead {
        let at = found.first.plus(&found.step.times(number)?)?;
        let slot = in_ring(&first, number, stages)?;
        let step = Step { at, slot, place: InsertPoint::Before(found.op), found };
        if let Some(token) = load_step(ctx, body, &step)? {
            carried.push((token, "loaded"));
        }
    }
    if found.deferred.is_some() {
        let ty = Token::get(ctx, Work::Compute);
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.op));
        let done = kernel::Done::build(&mut builder, loc, ty);
        carried.push((builder.result(done), "held"));
    }
    let made = carry(ctx, body, found.op, &carried)?;
    let stage = made.args[0];

    // Uses of rings name the stage of the step; its loads were made before.
    for &ring in &found.rings {
        let users: Vec<OpId> = body.uses(ring).map(|used| used.op).collect();
        let inside = |op: &OpId| crate::analysis::axes::ancestor_in(body, *op, found.block).is_some();
        let users: Vec<OpId> = users.into_iter().filter(inside).collect();
        for user in users {
            name_stage(ctx, body, user, &found.rings, stage);
        }
    }
    let at = BoundExpr::value(found.counter)?.plus(&found.step.times(ahead)?)?;
    let slot = in_ring(&BoundExpr::value(stage)?, ahead, stages)?;
    let step = Step { at, slot, place: InsertPoint::After(found.meet), found };
    let token = load_step(ctx, body, &step)?;

    let mut next = vec![next_stage(ctx, body, found, stage, stages)?];
    if token.is_some() {
        next.extend(&made.args[2..1 + ahead as usize]);
    }
    next.extend(token);
    if let Some(deferred) = &found.deferred {
        next.push(deferred.token);
        body.set_operands(deferred.awaits, &[*made.args.last()?]);
    }
    yield_more(ctx, body, found.block, &next);
    if let Some(block) = outer_block {
        yield_more(ctx, body, block, &made.results[..1]);
    }

    await_first(body, found, made.args.get(1).copied());
    found.loads.iter().for_each(|&op| body.erase_op(op));
    erase_unused(ctx, body, found.needed.clone());
    if let Some(barrier) = found.last_barrier {
        body.erase_op(barrier);
    }
    let mut place = InsertPoint::After(made.op);
    if found.deferred.is_some() {
        let held = *made.results.last()?;
        let op = kernel::Await::build(&mut Builder::new(ctx, body, place), loc, &[held]);
        place = InsertPoint::After(op);
    }
    if meets {
        kernel::Barrier::build(&mut Builder::new(ctx, body, place), loc, None, None);
    }
    Some(())
}

/// Lets the first op that awaits loads of the step await the token of that step, and the others what is left.
fn await_first(body: &mut Body, found: &PipelinedLoop, token: Option<ValueId>) {
    let tokens: Vec<ValueId> = found.copies.iter().map(|&copy| body.result(copy, 0)).collect();
    for (number, &op) in found.awaits.iter().enumerate() {
        let mut left: Vec<ValueId> = body.operands(op).filter(|value| !tokens.contains(value)).collect();
        if number == 0 {
            left.extend(token);
        }
        match left.is_empty() {
            true => body.erase_op(op),
            false => body.set_operands(op, &left),
        }
    }
}

/// Whether the threads must meet after the loop, as they do no more at the end of each step.
fn meets_after(ctx: &Context, body: &Body, found: &PipelinedLoop, goes_on: bool) -> bool {
    if found.last_barrier.is_none() {
        return false;
    }
    let own = with_inner(body, found.op);
    let touching = |op: OpId| {
        with_inner(body, op).into_iter().any(|op| !own.contains(&op) && !touches(OpRef::new(ctx, body, op)).is_empty())
    };
    let mut at = Some(found.op);
    while let Some(op) = at.filter(|&op| kernel::Grid::of(OpRef::new(ctx, body, op)).is_none()) {
        let is_outer = op != found.op && kernel::For::of(OpRef::new(ctx, body, op)).is_some();
        if is_outer && (!goes_on || touching(op)) {
            return true;
        }
        if std::iter::successors(body.next_op(op), |&op| body.next_op(op)).any(touching) {
            return true;
        }
        at = body.parent_op(op);
    }
    false
}
