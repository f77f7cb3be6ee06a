//! Writes the sum of a number over axes as that number times how many elements there are: the count of a mean over sizes that
//! are symbols is then an expression of them, and no loop.
//!
//! **Requires**: book.
//! **Ensures**: no reduction sums a constant in `f32`, `f64` or an integer type.
//!
//! **Before**
//! ```mlir before
//! book.func @count<H, W>() -> tensor<[], f32> {
//!   %0 = const 0.5 : tensor<[], f32>
//!   %y = reduce sum axes () over (i0: H, i1: W) of %0 at () acc f32 : tensor<[], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @count<H, W>() -> tensor<[], f32> {
//!   %0 = const 5.000000e-01 : tensor<[], f32>
//!   %1 = iota (H*W) axes () : tensor<[], f32>
//!   %y = entry mul axes () of %1 at (), %0 at () : tensor<[], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** touch sums that are rounded to 16 bits: the number of elements may be beyond their range where the sum is
//! not; constants with a number for each element; guarded reads.
//!
//! Sums of floats are rounded once instead of at each step. Linear. Rule of the debug counters: `count`.

use dlc_book::ops::{Const, Function, Iota, NewEntry, Reduce};
use dlc_core::access::Access;
use dlc_core::scalar::Combiner;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId};

static DEF: PassDef = PassDef {
    requires: &["book"],
    statistics: &[StatDef { name: "folded", doc: "Sums of constants that are products." }],
    ..PassDef::base("fold-counts", "Replaces sums of a constant by a product with the number of elements.", |_| {
        Ok(Box::new(FoldCounts))
    })
};
dlc_ir::inventory::submit! { &DEF }

struct FoldCounts;

impl Pass for FoldCounts {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut folded = 0;
        for op in body.walk() {
            let Some(count) = Reduce::of(OpRef::new(cx.ctx, body, op)).and_then(count) else { continue };
            if !cx.allows_rule("count") {
                continue;
            }
            cx.remark(RemarkKind::Passed, body.loc(op), format!("a constant is summed {count} times: one product"));
            fold(cx.ctx, body, op, count);
            folded += 1;
        }
        cx.count("folded", folded);
        Ok(())
    }
}

/// How many times a reduction adds the same number, if it does nothing else.
fn count(reduce: Reduce<'_>) -> Option<SizeExpr> {
    let ctx = reduce.ctx;
    let number = Const::of(OpRef { id: reduce.body.defining_op(reduce.input())?, ..*reduce })?;
    let is_one_number = !matches!(ctx.attr_data(number.value()), AttrData::Dense(_));
    let is_wide = reduce.acc().float_kind(ctx).is_none() || reduce.acc().bits(ctx).is_some_and(|bits| bits >= 32);
    let is_same = Tensor::of(ctx, reduce.type_of(reduce.input()))?.elem(ctx) == reduce.acc();
    let is_guarded = reduce.accesses().iter().any(|access| access.guard.is_some());
    if reduce.combiner() != Combiner::Sum || !is_one_number || !is_wide || !is_same || is_guarded {
        return None;
    }
    reduce.over().iter().try_fold(SizeExpr::from(1), |count, size| count.mul(size).ok())
}

/// Puts a product in place of a sum of as many equal numbers.
fn fold(ctx: &Context, body: &mut Body, op: OpId, count: SizeExpr) {
    let reduce = Reduce::from(OpRef::new(ctx, body, op));
    let (input, acc, axes, loc) = (reduce.input(), reduce.acc(), reduce.axes(), reduce.loc());
    let (old, name) = (body.result(op, 0), body.value_name(body.result(op, 0)));
    let is_number = Tensor::of(ctx, body.value_type(input)).is_some_and(|ty| ty.rank(ctx) == 0);
    let value = body.defining_op(input).and_then(|id| Const::of(OpRef::new(ctx, body, id))).map(Const::value);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    // A constant with axes may have no elements: the number of which it is made is read instead.
    let input = match value.filter(|_| !is_number) {
        Some(value) => {
            let number = Const::build(&mut builder, loc, value, Tensor::get(ctx, Vec::new(), acc));
            builder.body.result(number, 0)
        }
        None => input,
    };
    let number = Iota::build(&mut builder, loc, vec![count], Vec::new(), Tensor::get(ctx, Vec::new(), acc));
    let inputs = [builder.body.result(number, 0), input];
    let accesses = vec![Access::everywhere(Vec::new()), Access::everywhere(Vec::new())];
    let product = NewEntry { inputs: &inputs, function: Function::Mul, axes, accesses, elem: None, widen: None }
        .build(&mut builder, loc);
    let product = body.result(product, 0);
    body.set_value_name(product, name);
    body.replace_all_uses(old, product);
    body.erase_op(op);
}
