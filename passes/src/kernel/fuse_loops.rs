//! Makes one loop of two that stand next to each other, go through the same steps and need nothing of each other.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Where two such loops load tiles, meet, compute and meet, there is one that loads the tiles of both,
//! meets, computes both and meets. What both loaded is loaded once, to one tile. Where two such loops load fragments and
//! compute without meeting, and load some the same, there is one that loads these once.
//!
//! **Before**
//! ```mlir before
//! kernel.func @two(%x: memref<[32, 64], f16>, %a: memref<[64, 32], f16>, %b: memref<[64, 32], f16>) -> memref<[32, 32], f32> {
//!   %y = output : memref<[32, 32], f32>
//!   grid (1) threads 32 {
//!     %sx = shared : tile<[32, 32], f16, row_major>
//!     %sa = shared : tile<[32, 32], f16, row_major>
//!     %sz = shared : tile<[32, 32], f16, row_major>
//!     %sb = shared : tile<[32, 32], f16, row_major>
//!     %zero = const 0.0 : frag<[32, 32], f32, mma [1, 1]>
//!     %p = for %k = 0 to 64 step 32 carry (%c = %zero) : frag<[32, 32], f32, mma [1, 1]> {
//!       copy %x[i0, %k + i1] to %sx by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       copy %a[%k + i0, i1] to %sa by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       barrier
//!       %l = load_shared %sx : frag<[32, 32], f16, mma_a [1, 1]>
//!       %r = load_shared %sa : frag<[32, 32], f16, mma_b [1, 1]>
//!       %d = mma %l, %r, %c : frag<[32, 32], f32, mma [1, 1]>
//!       barrier
//!       yield %d
//!     }
//!     %q = for %k = 0 to 64 step 32 carry (%c = %zero) : frag<[32, 32], f32, mma [1, 1]> {
//!       copy %x[i0, %k + i1] to %sz by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       copy %b[%k + i0, i1] to %sb by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       barrier
//!       %l = load_shared %sz : frag<[32, 32], f16, mma_a [1, 1]>
//!       %r = load_shared %sb : frag<[32, 32], f16, mma_b [1, 1]>
//!       %d = mma %l, %r, %c : frag<[32, 32], f32, mma [1, 1]>
//!       barrier
//!       yield %d
//!     }
//!     %s = binary mul %p, %q : frag<[32, 32], f32, mma [1, 1]>
//!     store %s to %y[i0, i1]
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @two(%x: memref<[32, 64], f16, row_major, align 2>, %a: memref<[64, 32], f16, row_major, align 2>, %b: memref<[64, 32], f16, row_major, align 2>) -> memref<[32, 32], f32, row_major, align 4> {
//!   %y = output : memref<[32, 32], f32, row_major, align 4>
//!   grid (1) threads 32 {
//!     %sx = shared : tile<[32, 32], f16, row_major>
//!     %sa = shared : tile<[32, 32], f16, row_major>
//!     %sb = shared : tile<[32, 32], f16, row_major>
//!     %zero = const 0.0 : frag<[32, 32], f32, mma [1, 1]>
//!     %p, %q = for %k = 0 to 64 step 32 carry (%c = %zero, %c_0 = %zero) : frag<[32, 32], f32, mma [1, 1]>, frag<[32, 32], f32, mma [1, 1]> {
//!       copy %x[i0, %k + i1] to %sx by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       copy %a[%k + i0, i1] to %sa by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       copy %b[%k + i0, i1] to %sb by blocked [1, 8] lanes [8, 4] warps [1, 1]
//!       barrier
//!       %l = load_shared %sx : frag<[32, 32], f16, mma_a [1, 1]>
//!       %r = load_shared %sa : frag<[32, 32], f16, mma_b [1, 1]>
//!       %d = mma %l, %r, %c : frag<[32, 32], f32, mma [1, 1]>
//!       %l_0 = load_shared %sx : frag<[32, 32], f16, mma_a [1, 1]>
//!       %r_0 = load_shared %sb : frag<[32, 32], f16, mma_b [1, 1]>
//!       %d_0 = mma %l_0, %r_0, %c_0 : frag<[32, 32], f32, mma [1, 1]>
//!       barrier
//!       yield %d, %d_0
//!     }
//!     %s = binary mul %p, %q : frag<[32, 32], f32, mma [1, 1]>
//!     store %s to %y[i0, i1]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** fuse loops of which the second needs a result of the first. Nor, where they meet, loops between which
//! something stands that needs one, so no value lives for longer than it did: both sums are live after the second loop
//! anyway. Nor loops that store, that meet in inner loops or more often than twice a step, or whose tiles lie over each
//! other; nor loops that do not meet with other than reductions of fragments between them.
//!
//! A step is split at its barriers: (1) what writes tiles, (2) what reads them. The first part of the second loop comes
//! after that of the first loop, before its barrier; the second part likewise, with one wait of both for tensor cores
//! at the end, so that their products follow each other. The loops of a gated perceptron (`silu(x @ a) * (x @ b)`) are two
//! such. Rule of the debug counters: `fuse`.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::effects::is_speculatable;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::nesting::block_of;
use crate::analysis::plans::{PLANNED, kernel_pass, plan_of};
use crate::analysis::tiles::{Tiles, is_barrier, may_overlap, tile_of, touches, with_inner};
use crate::rewrites::carried::{carry, yield_more};

static DEF: PassDef = PassDef {
    options: &[PLANNED],
    statistics: &[
        StatDef { name: "fused", doc: "Loops that became part of the one before them." },
        StatDef { name: "shared", doc: "Copies and loads that another one does as well." },
    ],
    ..kernel_pass("fuse-loops", "Fuses adjacent loops with the same iteration space.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(FuseLoops { planned: options.flag("planned") }))
}

struct FuseLoops {
    planned: bool,
}

impl Pass for FuseLoops {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        if self.planned && plan_of(cx, body).is_none() {
            return Ok(());
        }
        while let Some(pair) = next_pair(cx, body) {
            let loc = body.loc(pair.second);
            let Some(block) = fuse(cx.ctx, body, pair) else { break };
            let shared = share_copies(cx.ctx, body, block) + share_loads(cx.ctx, body, block);
            cx.count("fused", 1);
            cx.count("shared", shared);
            cx.remark(RemarkKind::Passed, loc, format!("fused with the loop before it; {shared} copies are made once"));
        }
        Ok(())
    }
}

/// Two loops that can be one.
struct Pair {
    first: OpId,
    second: OpId,
    /// The ops between them that come before both.
    between: Vec<OpId>,
    /// The steps of both, where they meet.
    steps: Option<[Step; 2]>,
}

/// A step that loads, meets, computes and meets: its ops but the barriers.
struct Step {
    loads: Vec<OpId>,
    meets: OpId,
    computes: Vec<OpId>,
    /// The waits for tensor cores at the end of `computes`, which do not have them.
    awaits: Vec<OpId>,
    end: OpId,
}

fn next_pair(cx: &PassCx<'_>, body: &Body) -> Option<Pair> {
    let is_loop = |&op: &OpId| kernel::For::of(OpRef::new(cx.ctx, body, op)).is_some();
    body.walk().into_iter().filter(is_loop).find_map(|first| pair(cx, body, first))
}

/// The loop and the next one, if they can be one.
fn pair(cx: &PassCx<'_>, body: &Body, first: OpId) -> Option<Pair> {
    let ctx = cx.ctx;
    let is_loop = |op: OpId| kernel::For::of(OpRef::new(ctx, body, op)).is_some();
    let following = std::iter::successors(body.next_op(first), |&op| body.next_op(op));
    let between: Vec<OpId> = following.take_while(|&op| !is_loop(op)).collect();
    let second = body.next_op(between.last().copied().unwrap_or(first))?;
    let results: Vec<ValueId> = body.results(first).collect();
    let needs_first =
        |op: OpId| with_inner(body, op).iter().any(|&op| body.operands(op).any(|it| results.contains(&it)));
    let moves = |&op: &OpId| is_speculatable(ctx, body, op) && !needs_first(op);
    let [one, two] = [first, second].map(|op| kernel::For::from(OpRef::new(ctx, body, op)));
    let same_steps = one.bounds() == two.bounds() && one.args().eq(two.args()) && one.unroll() == two.unroll();
    if !same_steps || needs_first(second) {
        return None;
    }
    if shares_loads(ctx, body, first, second) {
        let between = needed(ctx, body, &between, second)?;
        let fits = between.iter().all(moves) && cx.allows_rule("fuse");
        return fits.then_some(Pair { first, second, between, steps: None });
    }
    if !between.iter().all(moves) {
        return None;
    }
    let steps = [step(ctx, body, first)?, step(ctx, body, second)?];
    let tiles = |op: OpId| -> Vec<OpId> {
        let inner = with_inner(body, op).into_iter();
        inner.flat_map(|op| touches(OpRef::new(ctx, body, op))).map(|touch| touch.tile).collect()
    };
    let (ours, theirs) = (tiles(first), tiles(second));
    let apart = ours.iter().all(|tile| !theirs.contains(tile));
    let known = ours.iter().chain(&theirs).all(|&tile| !may_overlap(ctx, body, tile));
    (apart && known && cx.allows_rule("fuse")).then_some(Pair { first, second, between, steps: Some(steps) })
}

/// Whether two loops load fragments and compute, and nothing else, and some of the fragments are the same.
fn shares_loads(ctx: &Context, body: &Body, first: OpId, second: OpId) -> bool {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let is_plain = |op: OpId| {
        let known = [kernel::Load::DEF, kernel::Yield::DEF].iter().any(|&def| view(op).is(def));
        known || (is_speculatable(ctx, body, op) && body.regions(op).is_empty())
    };
    let (Some(one), Some(two)) = (block_of(ctx, body, first), block_of(ctx, body, second)) else { return false };
    let are_plain = body.ops(one).chain(body.ops(two)).all(is_plain);
    are_plain && body.ops(two).any(|op| same_load(ctx, body, one, two, op).is_some())
}

/// The load in the first of two loops that brings what one in the second does, at each of their steps.
fn same_load(ctx: &Context, body: &Body, one: BlockId, two: BlockId, load: OpId) -> Option<OpId> {
    let is_load = |op: OpId| OpRef::new(ctx, body, op).is(kernel::Load::DEF);
    // Their counters are the same number.
    let named = |value: ValueId| if Some(&value) == body.args(two).first() { body.args(one)[0] } else { value };
    let is_same = |&other: &OpId| {
        let types = |op: OpId| body.results(op).map(|value| body.value_type(value)).collect::<Vec<_>>();
        is_load(other)
            && body.props(other) == body.props(load)
            && types(other) == types(load)
            && body.operands(other).eq(body.operands(load).map(named))
    };
    is_load(load).then(|| body.ops(one).find(is_same)).flatten()
}

/// Of what stands between two loops, what the second one needs; `None` where something else than a reduction of fragments
/// has an effect.
fn needed(ctx: &Context, body: &Body, between: &[OpId], second: OpId) -> Option<Vec<OpId>> {
    let is_reduction = |op: OpId| OpRef::new(ctx, body, op).is(kernel::Reduce::DEF);
    if !between.iter().all(|&op| is_speculatable(ctx, body, op) || is_reduction(op)) {
        return None;
    }
    let mut users = with_inner(body, second);
    let mut found: Vec<OpId> = Vec::new();
    for &op in between.iter().rev() {
        let uses = |user: &OpId| body.operands(*user).any(|value| body.defining_op(value) == Some(op));
        if users.iter().any(uses) {
            users.push(op);
            found.push(op);
        }
    }
    found.reverse();
    Some(found)
}

/// A step of a loop, if it is one that loads, meets, computes and meets.
fn step(ctx: &Context, body: &Body, op: OpId) -> Option<Step> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let mut ops: Vec<OpId> = body.ops(block_of(ctx, body, op)?).collect();
    ops.pop_if(|end| kernel::Yield::of(view(*end)).is_some())?;
    let end = ops.pop().filter(|&op| is_barrier(view(op)))?;
    let at = ops.iter().position(|&op| is_barrier(view(op)))?;
    let (loads, rest) = (ops[..at].to_vec(), ops[at + 1..].to_vec());
    let writes = |&op: &OpId| view(op).is(kernel::Copy::DEF) || view(op).is(kernel::FenceAsync::DEF);
    let waits = |&op: &OpId| view(op).is(kernel::Await::DEF);
    let reads = |op: &OpId| {
        let known =
            [kernel::LoadShared::DEF, kernel::Wgmma::DEF, kernel::Await::DEF, kernel::For::DEF, kernel::Yield::DEF];
        known.iter().any(|&def| view(*op).is(def)) || is_speculatable(ctx, body, *op)
    };
    let all_read = rest.iter().all(|&op| with_inner(body, op).iter().all(reads));
    if !all_read || !loads.iter().all(|op| writes(op) || is_speculatable(ctx, body, *op)) {
        return None;
    }
    let last = rest.iter().rposition(|op| !waits(op)).map_or(0, |at| at + 1);
    let (computes, awaits) = (rest[..last].to_vec(), rest[last..].to_vec());
    Some(Step { loads, meets: ops[at], computes, awaits, end })
}

/// Makes one loop of two. Its block.
fn fuse(ctx: &Context, body: &mut Body, pair: Pair) -> Option<BlockId> {
    let Pair { first, second, between, steps } = pair;
    let from = block_of(ctx, body, second)?;
    for op in between {
        body.move_op(op, InsertPoint::Before(first));
    }
    let inits: Vec<ValueId> = kernel::For::from(OpRef::new(ctx, body, second)).inits().collect();
    let args: Vec<ValueId> = body.args(from).to_vec();
    let names: Vec<String> = args[1..].iter().map(|&arg| ctx.str(body.value_name(arg)).to_string()).collect();
    let added: Vec<(ValueId, &str)> = inits.into_iter().zip(names.iter().map(String::as_str)).collect();
    let carried = carry(ctx, body, first, &added)?;
    let block = block_of(ctx, body, carried.op)?;
    match steps {
        Some(steps) => meet_once(ctx, body, steps),
        None => {
            let end = body.last_op(block)?;
            let ops: Vec<OpId> =
                body.ops(from).filter(|&op| !OpRef::new(ctx, body, op).is(kernel::Yield::DEF)).collect();
            for op in ops {
                body.move_op(op, InsertPoint::Before(end));
            }
        }
    }
    let count = body.args(block)[0];
    for (old, new) in args.into_iter().zip(std::iter::once(count).chain(carried.args)) {
        body.replace_all_uses(old, new);
    }
    let yielded: Vec<ValueId> = body.last_op(from).into_iter().flat_map(|end| body.operands(end)).collect();
    yield_more(ctx, body, block, &yielded);
    let results: Vec<ValueId> = body.results(second).collect();
    for (old, new) in results.into_iter().zip(carried.results) {
        let name = body.value_name(old);
        body.replace_all_uses(old, new);
        body.set_value_name(new, name);
    }
    body.erase_op(second);
    Some(block)
}

/// Puts the ops of a step into another one, so that both meet where that one does.
fn meet_once(ctx: &Context, body: &mut Body, [one, two]: [Step; 2]) {
    let is_fence = |body: &Body, op: OpId| OpRef::new(ctx, body, op).is(kernel::FenceAsync::DEF);
    let fence = one.loads.iter().copied().find(|&op| is_fence(body, op));
    for op in two.loads {
        if fence.is_none() || !is_fence(body, op) {
            body.move_op(op, InsertPoint::Before(fence.unwrap_or(one.meets)));
        }
    }
    let following = one.awaits.first().copied().unwrap_or(one.end);
    for op in two.computes {
        body.move_op(op, InsertPoint::Before(following));
    }
    // One wait for all products, which later passes may put off to the next step as a whole.
    let awaits = [one.awaits, two.awaits].concat();
    if let Some((&wait, others)) = awaits.split_first() {
        let tokens: Vec<ValueId> = awaits.iter().flat_map(|&op| body.operands(op)).collect();
        body.move_op(wait, InsertPoint::Before(one.end));
        body.set_operands(wait, &tokens);
        others.iter().for_each(|&op| body.erase_op(op));
    }
}

/// Lets one load of equal ones in a block stand for all. How many went.
fn share_loads(ctx: &Context, body: &mut Body, block: BlockId) -> u64 {
    let mut gone = 0;
    for load in body.ops(block).collect::<Vec<_>>() {
        let Some(first) = same_load(ctx, body, block, block, load).filter(|&first| first != load) else { continue };
        let (old, new) = (body.result(load, 0), body.result(first, 0));
        body.replace_all_uses(old, new);
        body.erase_op(load);
        gone += 1;
    }
    gone
}

/// Lets readers of a tile that is a copy of what another tile has read that one. How many copies went.
fn share_copies(ctx: &Context, body: &mut Body, block: BlockId) -> u64 {
    let mut gone = 0;
    let is_copy = |&op: &OpId| kernel::Copy::of(OpRef::new(ctx, body, op)).is_some();
    let mut copies: Vec<OpId> = body.ops(block).filter(is_copy).collect();
    let mut kept: Vec<OpId> = Vec::new();
    for copy in std::mem::take(&mut copies) {
        let tiles = Tiles::of(ctx, body);
        let alone = |op: OpId| {
            let tile = tile_of(ctx, body, kernel::Copy::from(OpRef::new(ctx, body, op)).tile())?;
            (tiles.writers(tile) == [op]).then_some(body.result(tile, 0))
        };
        let found =
            kept.iter().find_map(|&other| Some((alone(other).filter(|_| is_same(ctx, body, other, copy))?, other)));
        match found.zip(alone(copy)) {
            Some(((tile, _), own)) => {
                body.erase_op(copy);
                body.replace_all_uses(own, tile);
                let shared = body.defining_op(own).expect("a tile is made by an op");
                body.erase_op(shared);
                gone += 1;
            }
            None => kept.push(copy),
        }
    }
    gone
}

/// Whether two copies bring the same to tiles of the same type.
fn is_same(ctx: &Context, body: &Body, one: OpId, two: OpId) -> bool {
    let [a, b] = [one, two].map(|op| kernel::Copy::from(OpRef::new(ctx, body, op)));
    let is_whole = |copy: kernel::Copy<'_>| copy.stage().is_none();
    let same_place = a.source() == b.source() && a.args().eq(b.args()) && body.props(one) == body.props(two);
    let same_tile = body.value_type(a.tile()) == body.value_type(b.tile());
    same_place && same_tile && is_whole(a) && is_whole(b)
}
