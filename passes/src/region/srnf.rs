//! Brings reductions into normal form (SRNF): one reduction for each accumulator, and in its body only what depends on
//! its axes.
//!
//! **Requires**: region.
//! **Ensures**: no body computes what does not depend on the reduced axes, and none yields just a reduction of the same
//! combiner and accumulator, as far as the numbers stay the same or `reassoc` is on.
//!
//! **Before**
//! ```mlir before
//! region.func @largest<M, J, K> iters (m: M)
//!     ins (%X: memref<[M, J, K], f32, row_major, align 4>)
//!     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//!   %two = const 2.0 : f32 over ()
//!   %y = reduce max (j: J) acc f32 init -inf {
//!     %z = reduce max (k: K) acc f32 init -inf {
//!       %x = read %X[m, j, k] : f32 over (m, j, k)
//!       %p = binary mul %x, %two : f32 over (m, j, k)
//!       yield %p
//!     } : f32 over (m, j)
//!     yield %z
//!   } : f32 over (m)
//!   yield %y to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @largest<M, J, K> iters (m: M)
//!     ins (%X: memref<[M, J, K], f32, row_major, align 4>)
//!     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//!   %two = const 2.0 : f32 over ()
//!   %y = reduce max (j: J, k: K) acc f32 init -inf {
//!     %x = read %X[m, j, k] : f32 over (m, j, k)
//!     yield %x
//!   } : f32 over (m)
//!   %p = binary mul %y, %two : f32 over (m)
//!   yield %p to Y
//! }
//! ```
//!
//! **Does not** merge reductions of different combiners (R4; `stream-softmax` joins some of them), or those with
//! something between them; nor does it move anything into a body (`ccon1`).
//!
//! The rules are those of the specification's section 6.6, tried on each reduction from the inside out until none
//! applies:
//!
//! - R1: what does not depend on the reduced axes goes out of the body; so does such an operand of what is yielded,
//!   `sum(c*x) = c*sum(x)` and `max(x + c) = max(x) + c`.
//! - R3: the same for elementwise work on other accumulators, which is applied to them where they are made.
//! - R0: a reduction that yields just a reduction of its kind reduces the axes of both.
//! - R2: with `distribute`, a reduction of sums is the sum of two reductions, and likewise for products, largest and
//!   smallest numbers.
//! - R4: nothing else is merged.
//!
//! Moving what does not depend on an axis changes no number. Of the others a rule is *exact* where integers wrap alike
//! on both sides, and for the order of floats: maxima of maxima, or of what a finite positive factor or a finite
//! summand leaves in order. What is exact in real arithmetic only is the fast-math flag `reassoc`: it is done with that
//! option (R0, R1) or where R2 was asked for, and the op that computes the result has `reassoc` as a mark. Where
//! neither holds the reduction stays; R2 then warns (`NonAssociativeTransform`). Each rule makes a reduction smaller or
//! moves an op out, so it ends; linear in ops times the depth of nesting. Rules of the debug counters: `R0`, `R1`,
//! `R2`, `R3`.

mod factor;
mod merge;
mod split;

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::op::Traits;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, BlockId, Builder, OpId, Type, ValueId};
use dlc_region::ops::Reduce;
use rustc_hash::FxHashSet;

use crate::analysis::axes::{axes, contributions, is_elementwise, is_kernel, is_over, list, reductions, set_axes};

dlc_ir::codes! {
    /// A rewrite that was asked for would change what is computed: numbers wrap or are ordered differently.
    NON_ASSOCIATIVE_TRANSFORM = "W2102" "NonAssociativeTransform";
}

static DEF: PassDef = PassDef {
    requires: &["region"],
    options: &[
        OptionDef {
            name: "reassoc",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Whether R0 and R1 may do what is exact in real arithmetic only, and mark it so.",
        },
        OptionDef {
            name: "distribute",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Whether a reduction of sums becomes the sum of two reductions (R2).",
        },
    ],
    statistics: &[
        StatDef { name: "merged", doc: "Reductions merged with the one around them (R0)." },
        StatDef { name: "hoisted", doc: "Ops moved out of a body (R1, R3), counted once for each." },
        StatDef { name: "distributed", doc: "Reductions split in two (R2)." },
    ],
    ..PassDef::base("srnf", "Brings reductions into normal form: one for each accumulator.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Srnf { reassoc: options.flag("reassoc"), distribute: options.flag("distribute") }))
}

/// What the pass may do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Srnf {
    /// Whether R0 and R1 may do what is exact in real arithmetic only.
    pub reassoc: bool,
    /// Whether R2 is applied.
    pub distribute: bool,
}

impl Pass for Srnf {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = srnf(body, *self, cx);
        cx.count("merged", counts.merged);
        cx.count("hoisted", counts.hoisted);
        cx.count("distributed", counts.distributed);
        Ok(())
    }
}

/// How often each was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Reductions merged with the one around them.
    pub merged: u64,
    /// Ops moved out of a body.
    pub hoisted: u64,
    /// Reductions split in two.
    pub distributed: u64,
}

/// Brings the reductions of a kernel into normal form. Other bodies stay as they are.
pub fn srnf(body: &mut Body, may: Srnf, cx: &PassCx<'_>) -> Counts {
    let mut counts = Counts::default();
    if !is_kernel(cx.ctx, body) {
        return counts;
    }
    let on_accumulators = on_accumulators(body, cx);
    let mut work = reductions(cx.ctx, body);
    let mut said = FxHashSet::default();
    // Inner ones stand later. What a rule leaves to be looked at again comes next.
    while let Some(reduce) = work.pop() {
        counts.hoisted += hoist_invariants(body, reduce, &on_accumulators, cx);
        let Some(op) = yielded(body, cx, reduce) else { continue };
        if OpRef::new(cx.ctx, body, op).is(Reduce::DEF) {
            if merge::merge(body, reduce, op, may, cx) {
                counts.merged += 1;
                work.push(reduce);
            }
        } else if factor::factor(body, reduce, op, may, cx) {
            counts.hoisted += 1;
            work.push(reduce);
        } else if may.distribute
            && let Some(second) = split::split(body, reduce, op, cx, &mut said)
        {
            counts.distributed += 1;
            work.extend([reduce, second]);
        }
    }
    counts
}

/// The op of the body that computes what a reduction of one accumulator yields, and computes it for nothing else.
fn yielded(body: &Body, cx: &PassCx<'_>, reduce: OpId) -> Option<OpId> {
    let view = Reduce::from(OpRef::new(cx.ctx, body, reduce));
    let block = contributions(body, reduce)?;
    let end = body.last_op(block)?;
    if view.combiner().is_none() || view.outs().len() != 1 || body.num_operands(end) != 1 {
        return None;
    }
    let value = body.operand(end, 0);
    body.defining_op(value).filter(|&op| body.block_of(op) == Some(block) && body.has_one_use(value))
}

/// Whether a value is there before a reduction.
fn is_outside(body: &Body, value: ValueId, block: BlockId) -> bool {
    body.defining_block(value) != Some(block)
}

/// Moves what does not depend on the reduced axes before the reduction (R1, R3). How many ops.
fn hoist_invariants(body: &mut Body, reduce: OpId, on_accumulators: &FxHashSet<OpId>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let Some(block) = contributions(body, reduce) else { return 0 };
    let reduced = Reduce::from(OpRef::new(ctx, body, reduce)).axes();
    let reduced: Vec<String> = reduced.into_iter().map(str::to_owned).collect();
    let reduced: Vec<&str> = reduced.iter().map(String::as_str).collect();
    let mut hoisted = 0;
    let mut cursor = body.first_op(block);
    while let Some(op) = cursor {
        cursor = body.next_op(op);
        let view = OpRef::new(ctx, body, op);
        if view.has(Traits::TERMINATOR) || view.results().any(|value| is_over(ctx, body, value, &reduced)) {
            continue;
        }
        let mut users = vec![op];
        body.walk_regions(op, &mut users);
        let uses_body = users.iter().flat_map(|&user| body.operands(user)).any(|value| !is_outside(body, value, block));
        let rule = if on_accumulators.contains(&op) { "R3" } else { "R1" };
        if uses_body || !cx.allows_rule(rule) {
            continue;
        }
        if cx.wants_remarks() {
            let over = list(&reduced);
            let message = format!("{rule}: '{}' does not depend on {over}, and is computed before", view.name());
            cx.remark(RemarkKind::Passed, view.loc(), message);
        }
        body.move_op(op, InsertPoint::Before(reduce));
        hoisted += 1;
    }
    hoisted
}

/// Elementwise work on the results of reductions.
fn on_accumulators(body: &Body, cx: &PassCx<'_>) -> FxHashSet<OpId> {
    let mut found = FxHashSet::default();
    for op in body.walk() {
        let view = OpRef::new(cx.ctx, body, op);
        let mut suppliers = view.operands().filter_map(|value| body.defining_op(value));
        let is_on = |op: OpId| found.contains(&op) || OpRef::new(cx.ctx, body, op).is(Reduce::DEF);
        if is_elementwise(view) && suppliers.any(is_on) {
            found.insert(op);
        }
    }
    found
}

/// Puts an op after a reduction that computes from its result, now that of other contributions, what it was before.
/// `make` is given the result, now over the axes that the new contribution needs, and the type that it had.
fn apply_after(
    body: &mut Body,
    cx: &PassCx<'_>,
    reduce: OpId,
    following: OpId,
    others: &[ValueId],
    make: impl FnOnce(&mut Builder<'_>, ValueId, Type) -> OpId,
) -> OpId {
    let ctx = cx.ctx;
    let out = body.result(reduce, 0);
    let ty = body.value_type(out);
    narrow(body, cx, reduce, others);
    let mut builder = Builder::new(ctx, body, InsertPoint::After(following));
    let new = make(&mut builder, out, ty);
    let value = builder.result(new);
    let uses: Vec<_> = body.uses(out).filter(|used| used.op != new).collect();
    for used in uses {
        body.set_operand(used.op, used.index, value);
    }
    new
}

/// Takes from the result of a reduction the axes that its contribution does not have, if the other values that it meets
/// have them.
fn narrow(body: &mut Body, cx: &PassCx<'_>, reduce: OpId, others: &[ValueId]) {
    let ctx = cx.ctx;
    let end = contributions(body, reduce).and_then(|block| body.last_op(block));
    let Some(given) = end.map(|end| axes(ctx, body, body.operand(end, 0))) else { return };
    let out = body.result(reduce, 0);
    let mut own = axes(ctx, body, out);
    let elsewhere: Vec<&str> = others.iter().flat_map(|&value| axes(ctx, body, value)).collect();
    if own.iter().all(|axis| given.contains(axis) || elsewhere.contains(axis)) {
        own.retain(|axis| given.contains(axis));
        set_axes(ctx, body, out, own);
    }
}

/// What holds of a rewrite.
enum Verdict {
    /// It changes no number.
    Exact,
    /// It is exact in real arithmetic.
    Real,
    /// It changes what is computed; why, in words.
    Wrong(String),
}

/// Marks an op whose result is as before in real arithmetic only.
fn mark(body: &mut Body, cx: &PassCx<'_>, op: OpId) {
    body.set_attr(cx.ctx, op, cx.ctx.intern_str("reassoc"), Some(Attr::UNIT));
}
