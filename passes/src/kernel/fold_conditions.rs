//! Takes an `if` away whose condition is known: what it would run stands in its place, or nothing does.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. No `if` has a condition on integers that follows from the sizes, from the bounds of loops, grids
//! and roles, and from what the kernel requires.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums(%x: memref<[64], f32>) -> memref<[64], f32> {
//!   %y = output : memref<[64], f32>
//!   grid (1) threads 64 {
//!     %v = load %x[i0] : frag<[64], f32, blocked [1] lanes [32] warps [2]>
//!     if (1 <= 64) {
//!       store %v to %y[i0]
//!     }
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sums(%x: memref<[64], f32>) -> memref<[64], f32> {
//!   %y = output : memref<[64], f32>
//!   grid (1) threads 64 {
//!     %v = load %x[i0] : frag<[64], f32, blocked [1] lanes [32] warps [2]>
//!     store %v to %y[i0]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** decide a condition that is a value, a number that is loaded, or the guards of accesses, which are for
//! `predicate-tails`; what is known is what that pass knows. Passes that write conditions of sizes that may be numbers
//! leave it to this one to see that they are. Linear in the conditions. Rule of the debug counters: `condition`.

use dlc_ir::OpId;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_kernel::ops::If;

use crate::analysis::expressions::required_divisors;
use crate::analysis::facts::{Facts, decided};
use crate::rewrites::branch::take_branch;

static DEF: PassDef = PassDef {
    requires: &["kernel"],
    statistics: &[StatDef { name: "folded", doc: "Conditions that are gone." }],
    ..PassDef::base("fold-conditions", "Folds 'if' ops whose conditions are known.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(FoldConditions))
}

struct FoldConditions;

impl Pass for FoldConditions {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let folded = fold_conditions(body, cx);
        cx.count("folded", folded);
        Ok(())
    }
}

/// Takes away every `if` whose condition is known. How many.
pub fn fold_conditions(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let divisors = required_divisors(cx.ctx, body);
    let mut facts = Facts::new(cx.ctx, body, &divisors);
    let mut found: Vec<(OpId, bool)> = Vec::new();
    for id in body.walk() {
        let op = OpRef::new(cx.ctx, body, id);
        let known = Some(op).filter(|op| op.is(If::DEF)).and_then(|op| decided(&mut facts, op));
        match known.map(|(_, decided)| decided.guard) {
            Some(None) => found.push((id, true)),
            Some(Some(guard)) if guard.pieces.is_empty() => found.push((id, false)),
            _ => {}
        }
    }
    let mut folded = 0;
    // From the inside out, so that none is gone with another before its turn.
    for (id, holds) in found.into_iter().rev() {
        if !cx.allows_rule("condition") {
            continue;
        }
        let what = if holds { "its condition always holds" } else { "its condition never holds" };
        cx.remark(RemarkKind::Passed, body.loc(id), what);
        take_branch(body, id, usize::from(!holds), &mut [], cx.ctx);
        folded += 1;
    }
    folded
}
