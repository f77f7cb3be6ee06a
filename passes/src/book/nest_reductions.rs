//! Reduces in two steps what has few results and many elements: first along the last axes, for each place on the first ones,
//! then along the first ones. The rows of the first step then have an SM each (`form-regions` stores them).
//!
//! **Requires**: book.
//! **Ensures**: a reduction to fewer than 64 results, over more than 65,536 elements along at least two axes, is a reduction
//! of reductions.
//!
//! **Before**
//! ```mlir before
//! book.func @max_all(%x: tensor<[4096, 512], f32>) -> tensor<[], f32> {
//!   %y = reduce max axes () over (i0: 4096, i1: 512) of %x at (i0, i1) acc f32 : tensor<[], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @max_all(%x: tensor<[4096, 512], f32>) -> tensor<[], f32> {
//!   %0 = reduce max axes (i0: 4096) over (i1: 512) of %x at (i0, i1) acc f32 : tensor<[4096], f32>
//!   %1 = reduce max axes () over (i0: 4096) of %0 at (i0) acc f32 : tensor<[], f32>
//!   return %1
//! }
//! ```
//!
//! The first step has as few of the first axes as give it 1024 rows, or else all but the last; the second step reduces
//! 65,536 of them at most. A reduction for which there is no such cut stays.
//!
//! **Does not** cut a single axis; reorder axes; take sums and products of floats that are rounded to 16 bits, because what
//! is between the steps would be rounded more often.
//!
//! Sums of floats are added in another order. Linear. Rule of the debug counters: `nest`.

use dlc_book::ops::{NewReduce, Reduce};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId};

use crate::analysis::sizes::{ASSUME, AssumedSizes, FEW_ROWS, LONG_ROW, SYMBOLS};

/// So many rows give each SM several.
const MANY_ROWS: i64 = 1024;

static DEF: PassDef = PassDef {
    requires: &["book"],
    options: &[ASSUME, SYMBOLS],
    statistics: &[StatDef { name: "nested", doc: "Reductions that are two." }],
    reads_symbols: true,
    ..PassDef::base("nest-reductions", "Splits reductions with few results and many elements into two steps.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(NestReductions { sizes: AssumedSizes::of(options)? }))
}

struct NestReductions {
    sizes: AssumedSizes,
}

impl Pass for NestReductions {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut nested = 0;
        for op in body.walk() {
            let Some(first) = Reduce::of(OpRef::new(cx.ctx, body, op)).and_then(|reduce| self.first_axes(reduce))
            else {
                continue;
            };
            if !cx.allows_rule("nest") {
                continue;
            }
            let message = "few results of many elements: reduced in two steps, so that more SMs take part";
            cx.remark(RemarkKind::Passed, body.loc(op), message);
            nest(cx.ctx, body, op, first);
            nested += 1;
        }
        cx.count("nested", nested);
        Ok(())
    }
}

impl NestReductions {
    /// How many of the axes that are reduced the first step keeps, if there are two steps.
    fn first_axes(&self, reduce: Reduce<'_>) -> Option<usize> {
        let (axes, over) = (reduce.axes(), reduce.over());
        let results = self.sizes.elements(&axes);
        let rounds = matches!(reduce.combiner(), Combiner::Sum | Combiner::Prod)
            && reduce.acc().float_kind(reduce.ctx).is_some()
            && reduce.acc().bits(reduce.ctx).is_none_or(|bits| bits < 32);
        if rounds || results >= FEW_ROWS || self.sizes.elements(&over) <= LONG_ROW {
            return None;
        }
        let rows = |first: usize| self.sizes.elements(&over[..first]);
        let cuts = || (1..over.len()).filter(|&first| (2..=LONG_ROW).contains(&rows(first)));
        cuts().find(|&first| results.saturating_mul(rows(first)) >= MANY_ROWS).or_else(|| cuts().next_back())
    }
}

/// Makes a reduction two, the first of which keeps some axes more.
fn nest(ctx: &Context, body: &mut Body, op: OpId, first: usize) {
    let reduce = Reduce::from(OpRef::new(ctx, body, op));
    let (input, combiner, acc, accesses) = (reduce.input(), reduce.combiner(), reduce.acc(), reduce.accesses());
    let (axes, mut over) = (reduce.axes(), reduce.over());
    let last = over.split_off(first);
    let loc = body.loc(op);
    let old = body.result(op, 0);
    // Axes are numbered on from those of the result, so what is read stays where it is.
    let kept: Vec<SizeExpr> = axes.iter().chain(&over).cloned().collect();
    let names = axis_names(kept.len());
    let at = names.iter().map(|name| SizeExpr::symbol(name).expect("an axis has a name")).collect();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let rows = NewReduce { input, combiner, axes: kept, over: last, accesses, acc }.build(&mut builder, loc);
    let rows = builder.body.result(rows, 0);
    let accesses = vec![Access::everywhere(at)];
    let all = NewReduce { input: rows, combiner, axes, over, accesses, acc }.build(&mut builder, loc);
    let all = body.result(all, 0);
    body.replace_all_uses(old, all);
    body.erase_op(op);
}
