//! Writes out what arithmetic does by itself, broadcasting and promotion, so that passes below meet operands of one
//! shape and one type only.
//!
//! **Requires**: tiny.
//! **Ensures**: the operands of an op that works element by element have the sizes of its result; those that it
//! combines have one type.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %bias: tensor<[N], f16>) -> tensor<[M, N], f32> {
//!   %y = add %x, %bias : tensor<[M, N], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M, N>(%x: tensor<[M, N], f32>, %bias: tensor<[N], f16>) -> tensor<[M, N], f32> {
//!   %0 = cast %bias to f32 : tensor<[N], f32>
//!   %1 = expand %0 to [M, N] dims [1] : tensor<[M, N], f32>
//!   %y = add %x, %1 : tensor<[M, N], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** change the amount of a shift, whose type is its own, or the condition of a `where`; nor the indices of
//! `index`, or the operands of a contraction, which name their axes.
//!
//! An operand is cast first, while it is small. The common type is that of the result where that is arithmetic; of a
//! comparison it is what the operands promote to. Linear. Rules of the debug counters: `cast`, `expand`.

use dlc_core::broadcast::promote;
use dlc_core::types::Tensor;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_tiny::ops::{Cast, Cmp, Expand, Shl, Shr, Where, is_elementwise};

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    statistics: &[
        StatDef { name: "casts", doc: "Operands cast to the common type." },
        StatDef { name: "expands", doc: "Operands expanded to the sizes of the result." },
    ],
    ..PassDef::base("insert-broadcasts", "Makes broadcasting and promotion of arithmetic explicit.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(InsertBroadcasts))
}

struct InsertBroadcasts;

impl Pass for InsertBroadcasts {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (casts, expands) = insert_broadcasts(body, cx);
        cx.count("casts", casts);
        cx.count("expands", expands);
        Ok(())
    }
}

/// Makes broadcasting and promotion explicit. How many casts and expands were put in.
pub fn insert_broadcasts(body: &mut Body, cx: &PassCx<'_>) -> (u64, u64) {
    let ctx = cx.ctx;
    let (mut casts, mut expands) = (0, 0);
    for op in body.walk() {
        let view = OpRef::new(ctx, body, op);
        // What gives what it takes, as a cast does, has nothing to broadcast.
        if !is_elementwise(view) || view.operands().len() < 2 {
            continue;
        }
        let elem = common_type(view);
        let result = view.type_of(view.result(0));
        for index in 0..body.num_operands(op) {
            let combined = !is_apart(OpRef::new(ctx, body, op), index);
            if let Some(elem) = elem.filter(|_| combined)
                && elem_of(ctx, body, body.operand(op, index)) != elem
                && cx.allows_rule("cast")
            {
                put_in(ctx, body, op, index, |b, loc, value| Cast::build(b, loc, value, elem));
                casts += 1;
            }
            let own = body.value_type(body.operand(op, index));
            let (Some(own), Some(result)) = (Tensor::of(ctx, own), Tensor::of(ctx, result)) else { continue };
            // Equal lists of sizes are one attribute.
            if own.params(ctx).first() != result.params(ctx).first() && cx.allows_rule("expand") {
                let (rank, wanted) = (own.rank(ctx), result.dims(ctx));
                let first = wanted.len() - rank;
                let dims = (first > 0).then(|| (first as i64..wanted.len() as i64).collect());
                put_in(ctx, body, op, index, |b, loc, value| Expand::build(b, loc, value, wanted, dims));
                expands += 1;
            }
        }
    }
    (casts, expands)
}

/// The type in which an op combines its operands.
fn common_type(op: OpRef<'_>) -> Option<Type> {
    let elem = |index: usize| elem_of(op.ctx, op.body, op.operand(index));
    match Cmp::of(op) {
        Some(_) => promote(op.ctx, elem(0), elem(1)).ok(),
        None => Some(elem_of(op.ctx, op.body, op.result(0))),
    }
}

/// Whether an operand keeps its type: a condition, or by how much bits are moved.
fn is_apart(op: OpRef<'_>, index: usize) -> bool {
    (index == 0 && op.is(Where::DEF)) || (index == 1 && (op.is(Shl::DEF) || op.is(Shr::DEF)))
}

/// Puts an op between an operand and its use.
fn put_in(
    ctx: &Context,
    body: &mut Body,
    op: OpId,
    index: usize,
    make: impl FnOnce(&mut Builder<'_>, dlc_ir::Loc, ValueId) -> OpId,
) {
    let (loc, value) = (body.loc(op), body.operand(op, index));
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let made = make(&mut builder, loc, value);
    let value = builder.result(made);
    body.set_operand(op, index, value);
}

fn elem_of(ctx: &Context, body: &Body, value: ValueId) -> Type {
    Tensor::expect(ctx, body.value_type(value)).elem(ctx)
}
