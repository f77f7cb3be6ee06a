//! Makes copies from global to shared memory asynchronous: `copy_async` with a token, or TMA with an mbarrier. They are
//! awaited where the threads met before, so nothing overlaps yet.
//!
//! **Requires**: kernel.
//! **Ensures**: a copy whose threads move aligned runs of 4, 8 or 16 bytes is a `copy_async`, and for `sm90` one that
//! moves a box of the memref a `tma_load`; each is awaited before the next barrier.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
//!   %Y = output : memref<[M, 32], f32>
//!   grid (M ceildiv 32) threads 128 {
//!     %tile = shared : tile<[32, 32], f16, swizzle 64>
//!     %b = block_id 0
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
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
//!
//! **Does not** move copies, nor look after the block in which a copy stands: a copy with no barrier after it in its
//! block stays. Copies stay that fill with another number than zero, whose runs are shorter than 4 bytes or not known to
//! be aligned, and, for TMA, whose positions form no box: more on that in the remarks.
//!
//! A run that goes on from row to row, as the pixels of images do, is a box of these axes taken as one.
//!
//! Phases, for each barrier: (1) the copies since the one before it whose tile nothing else touches up to it; (2) for
//! `sm90`, those that move boxes become one request of one thread, which the barrier's threads wait for with a parity
//! that loops carry; (3) of the others, those with runs become `copy_async`, awaited together. Alignment follows from
//! memrefs, their strides and what divides the positions. Who copies, the `barrier` of the plan says where no option does.
//! Rules of the debug counters: `async`, `box`.

mod boxes;
mod runs;
mod windows;

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Policy};
use dlc_plan::places::place_of;
use dlc_plan::value::Table;

use crate::analysis::nesting::writes;
use crate::analysis::plans::{PLANNED, kernel_pass, plan_loc, plan_of};
use crate::analysis::tiles::{is_barrier, may_overlap, tile_of, touches_tile};
use crate::plan::defaults;
use crate::plan::report::not_followed;

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "target",
            kind: OptionKind::Choice(&["auto", "sm80", "sm90"]),
            default: "auto",
            doc: "The architecture; 'auto' for what the plan's barriers need, or that of the function, or sm80.",
        },
        PLANNED,
    ],
    statistics: &[
        StatDef { name: "copies", doc: "Copies that threads no longer wait for." },
        StatDef { name: "boxes", doc: "Copies that TMA does." },
    ],
    ..kernel_pass(
        "insert-async-tokens",
        "Makes copies to shared memory asynchronous, awaited where they are needed.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let engine = match options.text("target") {
        "auto" => None,
        target => Some(target == "sm90"),
    };
    Ok(Box::new(InsertAsyncTokens { engine, planned: options.flag("planned") }))
}

struct InsertAsyncTokens {
    /// Whether TMA copies, if an option says.
    engine: Option<bool>,
    planned: bool,
}

impl InsertAsyncTokens {
    /// Whether TMA copies, else threads do; nothing where copies stay.
    fn engine(&self, own: Option<&str>, plan: Option<&Schedule>) -> Option<bool> {
        if self.engine.is_some() {
            return self.engine;
        }
        if plan.is_some_and(|plan| plan.overlap.as_ref().is_some_and(|overlap| !overlap.enable)) {
            return None;
        }
        match plan.filter(|plan| plan.barrier.is_some() || plan.roles.is_some()).map(defaults::barrier) {
            Some(Barrier::Mbarrier) => Some(true),
            Some(Barrier::CpAsyncGroup) => Some(false),
            Some(Barrier::Block) => None,
            None if self.planned => None,
            None => Some(own == Some("sm90")),
        }
    }
}

impl Pass for InsertAsyncTokens {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let own = kernel::Func::of(OpRef::new(cx.ctx, body, body.root())).and_then(|func| func.target());
        let plan = plan_of(cx, body);
        let policy = plan.as_ref().and_then(|plan| plan.policy.as_ref());
        if let Some(engine) = self.engine(own, plan.as_deref()) {
            let asked = plan.as_deref().filter(|plan| plan.barrier.is_some() || plan.roles.is_some());
            let asked = asked.filter(|plan| defaults::barrier(plan) == Barrier::Mbarrier);
            let (copies, boxes) = insert_async_tokens(body, (engine, asked), policy, cx);
            cx.count("copies", copies);
            cx.count("boxes", boxes);
        }
        if let Some(name) = policy.and_then(|policy| not_kept(cx.ctx, body, policy)) {
            let message = format!("'policy' of {name}: only copies by TMA tell the cache how long to keep a tensor");
            let at = (body.loc(body.root()), kernel::Func::DEF.name);
            not_followed(cx, body, plan.as_deref(), &["policy"], at, message);
        }
        Ok(())
    }
}

/// Makes the copies of a kernel asynchronous, with `engine` by TMA where it can, which then tells the cache how
/// long to keep what a memref with a policy has. How many became `copy_async`, and how many `tma_load`. Where a plan `asked`
/// for TMA, a copy that is left to threads is a warning.
pub fn insert_async_tokens(
    body: &mut Body,
    (engine, asked): (bool, Option<&Schedule>),
    policy: Option<&Table<Policy>>,
    cx: &PassCx<'_>,
) -> (u64, u64) {
    // Plans that passes write are for sizes that copies may not suit.
    let written = plan_loc(cx, body).and_then(|schedule| place_of(cx.ctx, schedule, "barrier"));
    let plan = written.and_then(|_| plan_of(cx, body));
    let by_hand = plan.as_deref().filter(|plan| !engine && plan.barrier == Some(Barrier::CpAsyncGroup));
    let (mut copies, mut boxes) = (0, 0);
    let mut requests = Vec::new();
    for group in groups(body, cx) {
        let mut left = Vec::new();
        let mut boxed = Vec::new();
        for &copy in &group.copies {
            match engine.then(|| boxes::boxed(cx.ctx, body, copy)) {
                Some(Ok(found)) if cx.allows_rule("box") => boxed.push(found),
                Some(Err(why)) => left.push((copy, Some(why))),
                _ => left.push((copy, None)),
            }
        }
        match boxes::request(body, cx, &boxed, group.until, policy) {
            Ok(request) => requests.extend(request.map(|request| (request, group.until))),
            Err(why) => left.extend(boxed.drain(..).map(|boxed| (boxed.copy, Some(why.clone())))),
        }
        boxes += boxed.len() as u64;
        for (copy, why) in &left {
            if let Some(why) = why.as_ref().filter(|_| asked.is_some()) {
                let name = cx.ctx.str(body.value_name(kernel::Copy::from(OpRef::new(cx.ctx, body, *copy)).source()));
                let message = format!("the plan requires TMA, and it does not copy {name}: {why}");
                let clauses = [format!("cache {name}"), "barrier".into(), "roles".into()];
                let clauses = clauses.each_ref().map(String::as_str);
                not_followed(cx, body, asked, &clauses, (body.loc(*copy), kernel::Func::DEF.name), message);
            }
        }
        let mut tokens = Vec::new();
        for (copy, no_box) in left {
            let why = match runs::runs(cx.ctx, body, copy) {
                Ok(()) if cx.allows_rule("async") => {
                    if let Some(no_box) = no_box {
                        missed(body, cx, copy, &format!("it is no box for TMA: {no_box}"));
                    }
                    tokens.push(make_async(cx.ctx, body, copy));
                    continue;
                }
                Ok(()) => continue,
                Err(why) => why,
            };
            let why = match no_box {
                Some(no_box) => format!("{why}; and it is no box for TMA: {no_box}"),
                None => why,
            };
            match by_hand {
                Some(plan) => {
                    let name = cx.ctx.str(body.value_name(kernel::Copy::from(OpRef::new(cx.ctx, body, copy)).source()));
                    let message = format!("'barrier cp_async_group': the threads wait for the copy of {name}: {why}");
                    let at = (body.loc(copy), kernel::Func::DEF.name);
                    not_followed(cx, body, Some(plan), &["barrier"], at, message);
                }
                None => missed(body, cx, copy, &format!("the threads wait for this copy: {why}")),
            }
        }
        copies += tokens.len() as u64;
        await_before(cx.ctx, body, &tokens, group.until);
    }
    boxes::drop_fences(cx.ctx, body, &requests);
    (copies, boxes)
}

/// The first tensor with a policy of which no copy tells the cache.
fn not_kept<'a>(ctx: &Context, body: &Body, policy: &'a Table<Policy>) -> Option<&'a str> {
    let hinted = |op: OpId| {
        let load = kernel::TmaLoad::of(OpRef::new(ctx, body, op)).filter(|load| load.hint().is_some())?;
        let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, body.defining_op(load.map())?))?;
        Some(ctx.str(body.value_name(map.memory())))
    };
    let hinted: Vec<&str> = body.walk().into_iter().filter_map(hinted).collect();
    let wanted = policy.0.iter().filter(|(_, policy)| *policy != Policy::Normal).map(|(name, _)| name.as_str());
    wanted.into_iter().find(|name| !hinted.contains(name))
}

fn missed(body: &Body, cx: &PassCx<'_>, op: OpId, why: &str) {
    if cx.wants_remarks() {
        cx.remark(RemarkKind::Missed, body.loc(op), why);
    }
}

/// Copies that are all needed after one barrier.
struct Group {
    copies: Vec<OpId>,
    until: OpId,
}

/// The copies of a body by the barrier that comes first after them.
fn groups(body: &Body, cx: &PassCx<'_>) -> Vec<Group> {
    let ctx = cx.ctx;
    let mut groups: Vec<Group> = Vec::new();
    for op in body.walk() {
        let Some(copy) = kernel::Copy::of(OpRef::new(ctx, body, op)) else { continue };
        match first_barrier(ctx, body, copy) {
            Ok(barrier) => match groups.iter_mut().find(|group| group.until == barrier) {
                Some(group) => group.copies.push(op),
                None => groups.push(Group { copies: vec![op], until: barrier }),
            },
            Err(why) => missed(body, cx, op, &format!("the threads wait for this copy: {why}")),
        }
    }
    groups
}

/// The first barrier after a copy in its block, if nothing needs the copy before.
fn first_barrier(ctx: &Context, body: &Body, copy: kernel::Copy<'_>) -> Result<OpId, String> {
    let tile = tile_of(ctx, body, copy.tile()).ok_or("it is not known where its tile lies")?;
    if may_overlap(ctx, body, tile) {
        return Err("its tile may lie over others".into());
    }
    if writes(ctx, body, copy.id, copy.source()) {
        return Err("the grid writes the memory that it reads".into());
    }
    let mut next = body.next_op(copy.id);
    while let Some(op) = next {
        if is_barrier(OpRef::new(ctx, body, op)) {
            return Ok(op);
        }
        if touches_tile(ctx, body, op, tile) && !boxes::are_apart(ctx, body, copy.id, op) {
            return Err("its tile is used before the threads meet".into());
        }
        next = body.next_op(op);
    }
    Err("no barrier follows in its block".into())
}

/// The same copy, of which the threads do not wait for the end. Its token.
fn make_async(ctx: &Context, body: &mut Body, op: OpId) -> ValueId {
    let copy = kernel::Copy::from(OpRef::new(ctx, body, op));
    let (loc, source, tile, stage) = (copy.loc(), copy.source(), copy.tile(), copy.stage());
    let args: Vec<ValueId> = copy.args().collect();
    let (at, guard, fill, by, vector) = (copy.at(), copy.guard(), copy.fill(), copy.by(), copy.vector());
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let made =
        kernel::NewCopyAsync { source, args: &args, tile, stage, at, guard, fill, by, vector }.build(&mut builder, loc);
    let token = builder.result(made);
    body.erase_op(op);
    token
}

/// Awaits tokens before a barrier, and before the fence before it that shows the tiles to others.
fn await_before(ctx: &Context, body: &mut Body, tokens: &[ValueId], barrier: OpId) {
    let Some(last) = tokens.iter().rev().find_map(|&token| body.defining_op(token)) else { return };
    let loc = body.loc(last);
    let place = InsertPoint::Before(fence_or(ctx, body, last, barrier));
    kernel::Await::build(&mut Builder::new(ctx, body, place), loc, tokens);
}

/// The first fence from an op on up to a barrier, else the barrier.
fn fence_or(ctx: &Context, body: &Body, from: OpId, barrier: OpId) -> OpId {
    let following = std::iter::successors(Some(from), |&op| body.next_op(op)).take_while(|&op| op != barrier);
    let mut fences = following.filter(|&op| OpRef::new(ctx, body, op).is(kernel::FenceAsync::DEF));
    fences.next().unwrap_or(barrier)
}
