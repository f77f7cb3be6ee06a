//! Lets sums and products of short floats be combined in `f32`, and rounds what comes out once: so many numbers as a
//! kernel sums would be lost in their own type, and tensor cores sum in no other.
//!
//! **Requires**: region.
//! **Ensures**: no sum or product by a function has an accumulator of a float of fewer than 32 bits.
//!
//! **Before**
//! ```mlir before
//! region.func @gemm<M, N, K> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//!   %s = reduce sum (k: K) acc f16 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %w = read %W[k, n] : f16 over (n, k)
//!     %p = binary mul %x, %w widen : f16 over (m, n, k)
//!     yield %p
//!   } : f16 over (m, n)
//!   yield %s to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @gemm<M, N, K> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//!   %s = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %w = read %W[k, n] : f16 over (n, k)
//!     %p = binary mul %x, %w widen : f32 over (m, n, k)
//!     yield %p
//!   } : f32 over (m, n)
//!   %0 = cast %s : f16 over (m, n)
//!   yield %0 to Y
//! }
//! ```
//!
//! **Does not** touch maxima and minima, which are exact in their own type, nor what a region combines: that says in
//! which type it does.
//!
//! A sum or product is rounded once, to the type of its accumulator. It still is, but for what comes out of `f32` halfway
//! between two numbers of that type: hence no pass that promises every bit. Linear. Rules of the debug counters: `widen`.

use dlc_core::scalar::{self, Combiner};
use dlc_core::types::Types;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::Kind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, Cast, Reduce, Scan};
use dlc_region::syntax::Numbers;
use dlc_region::types::Value;
use dlc_region::verify::identity_of;

use crate::analysis::axes::{axes, before_broadcasts, contributions, elem, is_kernel, reductions, scans};

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[StatDef { name: "widened", doc: "Reductions and scans that are combined in f32 now." }],
    ..PassDef::base("widen-sums", "Combines sums and products of short floats in f32.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(WidenSums))
}

struct WidenSums;

impl Pass for WidenSums {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        if !is_kernel(cx.ctx, body) {
            return Ok(());
        }
        let mut widened = 0;
        for op in reductions(cx.ctx, body) {
            let reduce = Reduce::from(OpRef::new(cx.ctx, body, op));
            let combiner = reduce.combiner().filter(|function| matches!(function, Combiner::Sum | Combiner::Prod));
            let short = reduce.acc().into_iter().any(|acc| is_short(cx.ctx, acc));
            if let Some(combiner) = combiner.filter(|_| short && cx.allows_rule("widen")) {
                widen(cx.ctx, body, op, combiner);
                widened += 1;
            }
        }
        for op in scans(cx.ctx, body) {
            let scan = Scan::from(OpRef::new(cx.ctx, body, op));
            let short = elem(cx.ctx, body, scan.out());
            if scan.combiner().rounds() && is_short(cx.ctx, short) && cx.allows_rule("widen") {
                let out = scan.out();
                round_after(cx.ctx, body, op, out, short);
                set_elem(cx.ctx, body, out, Type::F32);
                widened += 1;
            }
        }
        cx.count("widened", widened);
        Ok(())
    }
}

/// Whether numbers of a type are floats of fewer bits than `f32` has.
fn is_short(ctx: &Context, ty: Type) -> bool {
    ty.float_kind(ctx).is_some() && ty.bits(ctx).is_some_and(|bits| bits < 32)
}

/// Lets the accumulators of a reduction be `f32` where they are shorter.
fn widen(ctx: &Context, body: &mut Body, op: OpId, combiner: Combiner) {
    let reduce = Reduce::from(OpRef::new(ctx, body, op));
    let short: Vec<Type> = reduce.acc();
    let wide: Vec<Type> = short.iter().map(|&acc| if is_short(ctx, acc) { Type::F32 } else { acc }).collect();
    let init: Vec<_> = wide.iter().map(|&acc| identity_of(ctx, combiner, acc)).collect();
    let results = body.results(op).collect::<Vec<_>>();
    let end = contributions(body, op).and_then(|block| body.last_op(block));
    for (index, (&from, &to)) in short.iter().zip(&wide).enumerate().filter(|(_, (from, to))| from != to) {
        if let Some(end) = end {
            contribute(ctx, body, end, index, to);
        }
        set_elem(ctx, body, results[index], to);
        round_after(ctx, body, op, results[index], from);
    }
    body.set_prop(ctx, op, ctx.intern_str("acc"), Some(Types::make(ctx, wide)));
    body.set_prop(ctx, op, ctx.intern_str("init"), Some(Numbers::make(ctx, &init)));
}

/// Rounds a result of an op to a type, for all that use it.
fn round_after(ctx: &Context, body: &mut Body, op: OpId, result: ValueId, to: Type) {
    let (ty, loc) = (Value::get(ctx, to, axes(ctx, body, result)), body.loc(op));
    let mut builder = Builder::new(ctx, body, InsertPoint::After(op));
    let cast = Cast::build(&mut builder, loc, result, None, ty);
    let rounded = builder.result(cast);
    let uses: Vec<_> = body.uses(result).filter(|used| used.op != cast).collect();
    for used in uses {
        body.set_operand(used.op, used.index, rounded);
    }
}

/// Lets what is combined be of a wider type: a product that is not rounded as it is, else what it was, exactly.
fn contribute(ctx: &Context, body: &mut Body, end: OpId, index: usize, to: Type) {
    let value = body.operand(end, index);
    let source = before_broadcasts(ctx, body, value);
    let product = body.defining_op(source).and_then(|op| Binary::of(OpRef::new(ctx, body, op)));
    if product.is_some_and(|product| product.function() == scalar::Binary::Mul && product.widen().is_some()) {
        // Only sums use it, by way of broadcasts alone.
        let mut next = value;
        while next != source {
            set_elem(ctx, body, next, to);
            let Some(broadcast) = body.defining_op(next) else { break };
            next = body.operand(broadcast, 0);
        }
        set_elem(ctx, body, source, to);
        return;
    }
    let ty = Value::get(ctx, to, axes(ctx, body, value));
    let loc = body.loc(end);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(end));
    let cast = Cast::build(&mut builder, loc, value, None, ty);
    let wide = builder.result(cast);
    body.set_operand(end, index, wide);
}

fn set_elem(ctx: &Context, body: &mut Body, value: ValueId, to: Type) {
    let ty = Value::get(ctx, to, axes(ctx, body, value));
    body.set_value_type(value, ty);
}
