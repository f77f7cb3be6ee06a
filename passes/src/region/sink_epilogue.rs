//! Orders what follows a reduction after it, down to the yield, so that an epilogue is one run of ops on the
//! accumulator, and rounds at the yield.
//!
//! **Requires**: region.
//! **Ensures**: no reduction stands between a value that depends on none and its first use, nor between elementwise
//! work on a reduction and the last of its operands. A cast of which only results are made is the `as` of the yield.
//!
//! **Before**
//! ```mlir before
//! region.func @bias<M, N> iters (m: M)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>, %bias: memref<[M], f32, row_major, align 4>)
//!     outs (Y: memref<[M], f16, row_major, align 2> materialize gmem) {
//!   %b = read %bias[m] : f32 over (m)
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   %y = binary add %s, %b : f32 over (m)
//!   %h = cast %y : f16 over (m)
//!   yield %h to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @bias<M, N> iters (m: M)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>, %bias: memref<[M], f32, row_major, align 4>)
//!     outs (Y: memref<[M], f16, row_major, align 2> materialize gmem) {
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   %b = read %bias[m] : f32 over (m)
//!   %y = binary add %s, %b : f32 over (m)
//!   yield %y to Y as f16
//! }
//! ```
//!
//! **Does not** move reductions, nor what is in them; a cast that takes bits as they are, or that something else needs
//! too, stays.
//!
//! Phases: (1) from the start of the kernel to its end, elementwise work on a reduction moves up to the last of its
//! operands; (2) from the end to the start, what depends on no reduction moves down to its first use; (3) casts go into
//! the yield. What need not move keeps its place. Linear but for climbing out of nested reductions. Specification,
//! section 6.7, step 7. Rules of the debug counters: `up`, `down`, `cast`.

use dlc_core::types::Types;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, OpId, Type, ValueId};
use dlc_region::ops::{Cast, Reduce, Yield};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::axes::{ancestor_in, elem, is_elementwise, is_kernel};
use crate::rewrites::unused::erase_unused;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[
        StatDef { name: "moved", doc: "Ops that moved." },
        StatDef { name: "casts", doc: "Casts that became part of the yield." },
    ],
    ..PassDef::base("sink-epilogue", "Moves what follows a reduction to its epilogue.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(SinkEpilogue))
}

struct SinkEpilogue;

impl Pass for SinkEpilogue {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (moved, casts) = sink_epilogue(body, cx);
        cx.count("moved", moved);
        cx.count("casts", casts);
        Ok(())
    }
}

/// Orders the epilogue of a kernel. How many ops moved, and how many casts became part of the yield.
pub fn sink_epilogue(body: &mut Body, cx: &PassCx<'_>) -> (u64, u64) {
    let Some(block) = body.entry_block().filter(|_| is_kernel(cx.ctx, body)) else { return (0, 0) };
    let after = after_reductions(body, cx, block);
    let moved = move_up(body, cx, block, &after) + move_down(body, cx, block, &after);
    let casts = cast_at_yield(body, cx, block);
    (moved, casts)
}

/// The ops of a block that are reductions or depend on one.
fn after_reductions(body: &Body, cx: &PassCx<'_>, block: BlockId) -> FxHashSet<OpId> {
    let mut after = FxHashSet::default();
    for op in body.ops(block) {
        let depends = body.operands(op).any(|value| body.defining_op(value).is_some_and(|op| after.contains(&op)));
        if depends || OpRef::new(cx.ctx, body, op).is(Reduce::DEF) {
            after.insert(op);
        }
    }
    after
}

/// Moves elementwise work on a reduction up to the last of its operands, where another reduction stands between.
fn move_up(body: &mut Body, cx: &PassCx<'_>, block: BlockId, after: &FxHashSet<OpId>) -> u64 {
    let (mut moved, mut reductions) = (0, 0);
    // For what has moved up, the op that it moved to; for such an op the last that did, so that all keep their order.
    let mut anchors: FxHashMap<OpId, OpId> = FxHashMap::default();
    let mut tails: FxHashMap<OpId, OpId> = FxHashMap::default();
    // For each op the reductions up to it.
    let mut before: FxHashMap<OpId, usize> = FxHashMap::default();
    let ops: Vec<OpId> = body.ops(block).collect();
    for op in ops {
        let view = OpRef::new(cx.ctx, body, op);
        reductions += usize::from(view.is(Reduce::DEF));
        before.insert(op, reductions);
        if !is_elementwise(view) || !after.contains(&op) {
            continue;
        }
        let operands = view.operands().filter_map(|value| body.defining_op(value));
        let Some(last) = operands.reduce(|last, next| if body.is_before(last, next) { next } else { last }) else {
            continue;
        };
        if before[&last] < reductions && cx.allows_rule("up") {
            let anchor = anchors.get(&last).copied().unwrap_or(last);
            body.move_op(op, InsertPoint::After(tails.get(&anchor).copied().unwrap_or(anchor)));
            anchors.insert(op, anchor);
            tails.insert(anchor, op);
            before.insert(op, before[&last]);
            moved += 1;
        }
    }
    moved
}

/// Moves what depends on no reduction down to its first use, where a reduction stands between.
fn move_down(body: &mut Body, cx: &PassCx<'_>, block: BlockId, after: &FxHashSet<OpId>) -> u64 {
    let mut moved = 0;
    // What has moved down before an op, so that what was before it stays there.
    let mut heads: FxHashMap<OpId, OpId> = FxHashMap::default();
    // For each op the reductions from it to the end.
    let mut following: FxHashMap<OpId, usize> = FxHashMap::default();
    let mut reductions = 0;
    let mut cursor = body.last_op(block);
    while let Some(op) = cursor {
        cursor = body.prev_op(op);
        let view = OpRef::new(cx.ctx, body, op);
        reductions += usize::from(view.is(Reduce::DEF));
        following.insert(op, reductions);
        if after.contains(&op) || Yield::of(view).is_some() {
            continue;
        }
        let users =
            view.results().flat_map(|value| body.uses(value)).filter_map(|used| ancestor_in(body, used.op, block));
        let first = users.reduce(|first, user| if body.is_before(user, first) { user } else { first });
        let Some(user) = first else { continue };
        if reductions > following[&user] && cx.allows_rule("down") {
            body.move_op(op, InsertPoint::Before(heads.get(&user).copied().unwrap_or(user)));
            heads.insert(user, op);
            following.insert(op, following[&user]);
            moved += 1;
        }
    }
    moved
}

/// Rounds at the yield what a cast rounds before it.
fn cast_at_yield(body: &mut Body, cx: &PassCx<'_>, block: BlockId) -> u64 {
    let ctx = cx.ctx;
    let Some(end) = body.last_op(block) else { return 0 };
    let mut casts = Yield::from(OpRef::new(ctx, body, end)).casts().unwrap_or_default();
    casts.resize(body.num_operands(end), Type::NONE);
    let mut unused = Vec::new();
    for (index, rounded) in casts.iter_mut().enumerate() {
        let value: ValueId = body.operand(end, index);
        let Some(op) = body.defining_op(value) else { continue };
        let Some(cast) = Cast::of(OpRef::new(ctx, body, op)) else { continue };
        let only_here = body.uses(value).all(|used| used.op == end);
        if cast.bits().is_some() || *rounded != Type::NONE || !only_here || !cx.allows_rule("cast") {
            continue;
        }
        let (input, ty) = (cast.input(), elem(ctx, body, value));
        *rounded = ty;
        body.set_operand(end, index, input);
        unused.push(op);
    }
    let count = unused.len() as u64;
    if count > 0 {
        body.set_prop(ctx, end, ctx.intern_str("casts"), Some(Types::make(ctx, casts)));
        erase_unused(ctx, body, unused);
    }
    count
}
