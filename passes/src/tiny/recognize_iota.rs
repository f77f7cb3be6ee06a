//! Finds the numbers that a program computes from positions alone, and the elements that it picks by one-hot masks.
//!
//! Frontends have no ranges and no gathers: `arange` is a sum over a padded constant, a causal mask compares two of
//! those, and an embedding sums a table times a mask. Read as they stand these are quadratic reductions; read by index
//! they are a count of the positions that a guard admits, which is affine, and one element of the table.
//!
//! **Requires**: the layer tiny.
//! **Ensures**: no sum, product, maximum or minimum is taken of elements that are whole numbers known from their
//! positions, where the bounds of the positions are affine and the count is exact in the type of the result; no sum
//! picks one element of each row by an index.
//!
//! **Before**
//! ```mlir before
//! tiny.func @arange() -> tensor<[4], i32> {
//!   %one = const 1 : tensor<[4], i32>
//!   %padded = pad %one low [3] high [0] : tensor<[7], i32>
//!   %rows = expand %padded to [5, 7] dims [1] : tensor<[5, 7], i32>
//!   %line = reshape %rows to [35] : tensor<[35], i32>
//!   %cut = shrink %line from [0] to [32] : tensor<[32], i32>
//!   %skewed = reshape %cut to [4, 8] : tensor<[4, 8], i32>
//!   %triangle = shrink %skewed from [0, 0] to [4, 4] : tensor<[4, 4], i32>
//!   %count = reduce sum %triangle over [1] : tensor<[4], i32>
//!   return %count
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @arange() -> tensor<[4], i32> {
//!   %0 = range 0 : tensor<[4], i32>
//!   %1 = const 1 : tensor<[], i32>
//!   %count = add %0, %1 : tensor<[4], i32>
//!   return %count
//! }
//! ```
//!
//! **Does not** rewrite a running sum of data (there is no scan here, and a triangular contraction would multiply
//! infinities by zero), a sum of floats that is not exact at every step, a mask that is multiplied with floats (zero
//! times an infinity is no zero), or known numbers that neither a reduction nor a pad makes: `canonicalize` folds those.
//! A chain of views that is not reduced is replaced only by fewer ops than it has.
//!
//! Three phases: what each value is at index `d0`, `d1`, .. (`infer`, one step for each op; the views are those of
//! [`crate::analysis::access`]); sums that pick an element (`gather`); and ops for the known values that something
//! unknown uses (`build`). Over one axis a guard is a range, so counting needs no more than the least upper and the
//! greatest lower bound (`count`). Linear in the ops, and for each value that is written again in what it was computed
//! from; ranks are taken to be small.
//!
//! Results are equal, except that an element of a float table that is a negative zero stays one, where the sum with
//! zeros makes a positive one. A sum of `i32` wraps around, and so does what replaces it.
//! Rules of the debug counters: `gather`, `closed-form`.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::effects::own_effects;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{OpId, ValueId};
use dlc_tiny::ops::{Pad, Reduce};
use rustc_hash::FxHashSet;

use build::Build;
use infer::Forms;
use space::Symbols;

mod arithmetic;
mod build;
mod count;
mod form;
mod gather;
mod infer;
mod reduce;
mod space;

static DEF: PassDef = PassDef {
    on: On::Op("tiny.func"),
    requires: &["tiny"],
    statistics: &[
        StatDef { name: "closed", doc: "Values that became arithmetic on ranges." },
        StatDef { name: "gathered", doc: "Sums that became elements at indices." },
        StatDef { name: "erased", doc: "Ops that nothing needs any more." },
    ],
    ..PassDef::base(
        "recognize-iota",
        "Turns sums over padded constants into ranges and comparisons, and sums over one-hot masks into gathers.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(RecognizeIota))
}

struct RecognizeIota;

impl Pass for RecognizeIota {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = recognize_iota(body, cx);
        cx.count("closed", counts.closed);
        cx.count("gathered", counts.gathered);
        cx.count("erased", counts.erased);
        Ok(())
    }
}

/// What was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Recognized {
    /// Values that became arithmetic on ranges.
    pub closed: u64,
    /// Sums that became elements at indices.
    pub gathered: u64,
    /// Ops that nothing needs any more.
    pub erased: u64,
}

/// Finds the numbers that a program computes from positions alone, and the elements that it picks by one-hot masks.
pub fn recognize_iota(body: &mut Body, cx: &PassCx<'_>) -> Recognized {
    let mut counts = Recognized::default();
    let mut forms = Forms::new(cx.ctx, Symbols::of(cx.ctx, body));
    for op in body.walk() {
        let view = OpRef::new(cx.ctx, body, op);
        let form = forms.infer(view);
        if let Some(reduce) = Reduce::of(view) {
            match gather::gather(&forms, reduce) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    if cx.allows_rule("gather") && gather_op(body, op, &found, &mut counts, cx) {
                        continue;
                    }
                }
                Err(why) => missed(body, op, why, cx),
            }
        }
        match form {
            Ok(Some(form)) => forms.set(body.result(op, 0), form),
            Ok(None) => {}
            Err(why) => missed(body, op, why, cx),
        }
    }
    let ends: Vec<ValueId> = body.walk().into_iter().filter_map(|op| needed(body, op, &forms)).collect();
    let written: Vec<ValueId> = ends.into_iter().filter(|&value| write_closed(body, value, &forms, cx)).collect();
    counts.closed = written.len() as u64;
    // One may be computed from another, so all are written before any goes.
    counts.erased += erase_unused(body, written, cx);
    counts
}

fn missed(body: &Body, op: OpId, why: &str, cx: &PassCx<'_>) {
    if cx.wants_remarks() {
        cx.remark(RemarkKind::Missed, body.loc(op), format!("the reduction stays: {why}"));
    }
}

fn gather_op(body: &mut Body, op: OpId, found: &gather::Gather, counts: &mut Recognized, cx: &PassCx<'_>) -> bool {
    let (loc, mut made) = (body.loc(op), Vec::new());
    let mut rw = Rewriter::new(cx.ctx, body);
    let value = found.build(&mut rw.before(op), loc, &mut made);
    let Some(value) = value else {
        made.into_iter().rev().for_each(|op| rw.erase_op(op));
        missed(body, op, "the indices cannot be written", cx);
        return false;
    };
    let input = body.operand(op, 0);
    Rewriter::new(cx.ctx, body).replace_op(op, &[value]);
    counts.gathered += 1;
    counts.erased += 1 + erase_unused(body, vec![input], cx);
    cx.remark(RemarkKind::Passed, loc, "the sum picks one element by an index: it is a gather");
    true
}

/// The result of an op, if it is known from positions alone and something that is not uses it.
fn needed(body: &Body, op: OpId, forms: &Forms<'_>) -> Option<ValueId> {
    let closed = |value: ValueId| forms.known(value).is_some_and(|form| form.is_closed());
    let value = body.results(op).next().filter(|&value| closed(value))?;
    let by_unknown = |user: OpId| body.results(user).next().is_none_or(|result| !closed(result));
    body.uses(value).any(|place| by_unknown(place.op)).then_some(value)
}

/// What a value is computed from, as far as it is known from positions.
struct Cone {
    ops: usize,
    reduces: bool,
    pads: bool,
}

fn cone(body: &Body, value: ValueId, cx: &PassCx<'_>) -> Cone {
    let mut cone = Cone { ops: 0, reduces: false, pads: false };
    let (mut seen, mut rest) = (FxHashSet::default(), vec![value]);
    while let Some(value) = rest.pop() {
        let Some(op) = body.defining_op(value).filter(|op| seen.insert(*op)) else { continue };
        let view = OpRef::new(cx.ctx, body, op);
        cone.ops += 1;
        cone.reduces |= Reduce::of(view).is_some();
        cone.pads |= Pad::of(view).is_some();
        rest.extend(view.operands());
    }
    cone
}

/// Lets what uses a value use ops made from its form. Whether it does.
fn write_closed(body: &mut Body, value: ValueId, forms: &Forms<'_>, cx: &PassCx<'_>) -> bool {
    let Some(op) = body.defining_op(value) else { return false };
    let cone = cone(body, value, cx);
    if !cone.reduces && !cone.pads {
        return false;
    }
    let view = OpRef::new(cx.ctx, body, op);
    let (Some(form), Some(space)) = (forms.known(value), forms.space(view, value)) else { return false };
    let loc = view.loc();
    let mut rw = Rewriter::new(cx.ctx, body);
    let mut builder = rw.before(op);
    let mut build = Build::new(&mut builder, loc, &space);
    let (new, made) = (build.form(form), build.made);
    let shorter = cone.reduces || made.len() < cone.ops;
    let Some(new) = new.filter(|_| shorter && cx.allows_rule("closed-form")) else {
        made.into_iter().rev().for_each(|op| rw.erase_op(op));
        if new.is_none() {
            missed(body, op, "what it is cannot be written", cx);
        }
        return false;
    };
    let many = made.len();
    rw.replace_all_uses(value, new);
    if cx.wants_remarks() {
        let ops = if many == 1 { "op" } else { "ops" };
        cx.remark(RemarkKind::Passed, loc, format!("it is known from positions: {} ops became {many} {ops}", cone.ops));
    }
    true
}

/// Erases what computes some values, as far as nothing uses it. How many ops.
fn erase_unused(body: &mut Body, mut values: Vec<ValueId>, cx: &PassCx<'_>) -> u64 {
    let mut gone = FxHashSet::default();
    while let Some(value) = values.pop() {
        if gone.contains(&value) {
            continue;
        }
        let Some(op) = body.defining_op(value) else { continue };
        let view = OpRef::new(cx.ctx, body, op);
        if !body.is_unused(op) || !own_effects(view.def(), body, op).erasable() || !view.regions().is_empty() {
            continue;
        }
        values.extend(body.operands(op));
        gone.extend(body.results(op));
        body.erase_op(op);
    }
    gone.len() as u64
}
