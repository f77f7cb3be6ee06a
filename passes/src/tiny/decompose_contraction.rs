//! Writes a contraction out as products and a sum, the way tinygrad does: for targets without a use for contractions,
//! and to see that both mean the same.
//!
//! **Requires**: tiny.
//! **Ensures**: there is no `contract`.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %s = contract %X [m, k], %W [k, n] to [m, n] acc f32 {widen} : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %0 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
//!   %1 = reshape %W to [1, K, N] : tensor<[1, K, N], f16>
//!   %2 = permute %1 by [0, 2, 1] : tensor<[1, N, K], f16>
//!   %3 = mul %0, %2 : tensor<[M, N, K], f16>
//!   %s = reduce sum %3 over [2] acc f32 : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//!
//! **Does not** bring the pad of a convolution and its windows together, or make the chain of views that tinygrad has
//! for windows: they become one `load` (`detect-contraction` reads both).
//!
//! The axes of the product are the indices of the result, then those that are summed, in the order of their first
//! appearance. Each operand gets them by a `load` where an axis is a window or an index stands twice, by a reshape and
//! a permutation elsewhere. Products are computed in the type that the contraction rounds them to (`product`). Those of
//! one that rounds none are exact: without the mark `widen` they are computed in a type that holds them, that of the
//! accumulator if it does, else `f64`. Linear. Rule of the debug counters: `decompose`.

use dlc_core::broadcast::promote;
use dlc_core::numbers::holds_products;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{Context, Loc, OpId, Type, TypeData, ValueId};
use dlc_tiny::ops::{Cast, Combiner, Contract, Load, Mul, Permute, Reduce, Reshape};
use dlc_tiny::shape::{Loops, loops};

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    statistics: &[StatDef { name: "decomposed", doc: "Contractions that were decomposed." }],
    ..PassDef::base("decompose-contraction", "Decomposes contractions into products and a sum.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(DecomposeContraction))
}

struct DecomposeContraction;

impl Pass for DecomposeContraction {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let decomposed = decompose_contraction(body, cx);
        cx.count("decomposed", decomposed);
        Ok(())
    }
}

/// Decomposes contractions into products and a sum. How many.
pub fn decompose_contraction(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let mut decomposed = 0;
    for op in body.walk() {
        let Some(contract) = Contract::of(OpRef::new(cx.ctx, body, op)) else { continue };
        let dims = |value: ValueId| Tensor::of(cx.ctx, contract.type_of(value)).map(|ty| ty.dims(cx.ctx));
        let (Some(lhs), Some(rhs)) = (dims(contract.lhs()), dims(contract.rhs())) else { continue };
        let (lhs_idx, rhs_idx) = (contract.lhs_idx(), contract.rhs_idx());
        // The verifier has seen that the indices have sizes.
        let Ok(loops) = loops((&lhs, &lhs_idx), (&rhs, &rhs_idx), &contract.out_idx()) else { continue };
        if !cx.allows_rule("decompose") {
            continue;
        }
        cx.remark(RemarkKind::Passed, contract.loc(), "this contraction is decomposed into products and a sum");
        decompose(cx.ctx, body, op, &loops);
        decomposed += 1;
    }
    decomposed
}

fn decompose(ctx: &Context, body: &mut Body, op: OpId, loops: &Loops) {
    let contract = Contract::from(OpRef::new(ctx, body, op));
    let elem = |value: ValueId| Tensor::expect(ctx, contract.type_of(value)).elem(ctx);
    let (lhs, rhs, acc, loc) = (contract.lhs(), contract.rhs(), elem(contract.out()), contract.loc());
    let widen = contract.attr(ctx.intern_str("widen")).is_some();
    let product = contract.product().unwrap_or_else(|| product_type(ctx, elem(lhs), elem(rhs), acc, widen));
    let common = promote(ctx, elem(lhs), elem(rhs)).unwrap_or(product);
    let order = order(loops);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let cast = |builder: &mut Builder<'_>, value: ValueId| {
        // What promotion does, the product does by itself.
        if common == product {
            return value;
        }
        let made = Cast::build(builder, loc, value, product);
        builder.result(made)
    };
    let lhs = cast(&mut builder, lhs);
    let lhs = operand(&mut builder, loc, lhs, loops, &loops.lhs, &order);
    let rhs = cast(&mut builder, rhs);
    let rhs = operand(&mut builder, loc, rhs, loops, &loops.rhs, &order);
    let made = Mul::build(&mut builder, loc, lhs, rhs);
    let mut value = builder.result(made);
    let summed = (loops.out.len()..order.len()).map(|axis| axis as i64).collect();
    let sum_type = promote(ctx, product, acc).unwrap_or(acc);
    let made =
        Reduce::build(&mut builder, loc, value, Combiner::Sum, summed, (sum_type != product).then_some(sum_type));
    value = builder.result(made);
    if sum_type != acc {
        let made = Cast::build(&mut builder, loc, value, acc);
        value = builder.result(made);
    }
    Rewriter::new(ctx, body).replace_op(op, &[value]);
}

/// The type of the products: one that holds them, unless they may be rounded.
fn product_type(ctx: &Context, lhs: Type, rhs: Type, acc: Type, widen: bool) -> Type {
    let common = promote(ctx, lhs, rhs).unwrap_or(acc);
    let is_integer = |ty: Type| matches!(ctx.type_data(ty), TypeData::Integer { .. } | TypeData::Index);
    if widen || common == Type::F64 || holds_products(ctx, common, lhs, rhs) {
        common
    } else if is_integer(acc) || holds_products(ctx, acc, lhs, rhs) {
        acc
    } else {
        Type::F64
    }
}

/// The indices in the order of the axes of the product: those of the result, then those that are summed.
fn order(loops: &Loops) -> Vec<usize> {
    let summed = (0..loops.indices.len()).filter(|index| !loops.out.contains(index));
    loops.out.iter().copied().chain(summed).collect()
}

/// An operand with an axis for each index, of size 1 for those that it has not.
fn operand(
    builder: &mut Builder<'_>,
    loc: Loc,
    mut value: ValueId,
    loops: &Loops,
    axes: &[Vec<(usize, i64)>],
    order: &[usize],
) -> ValueId {
    let size = |index: usize| loops.indices[index].1.clone();
    let place = |index: usize| order.iter().position(|&other| other == index).expect("every index has its place");
    // The indices of the operand, in the order of its axes.
    let mut own: Vec<usize> = axes.iter().flatten().map(|&(index, _)| index).collect();
    let single = axes.iter().all(|axis| matches!(axis[..], [] | [(_, 1)]));
    let twice = own.iter().enumerate().any(|(at, index)| own[..at].contains(index));
    if !single || twice {
        own.sort_by_key(|&index| place(index));
        own.dedup();
        let term = |&(index, factor): &(usize, i64)| {
            let at = own.iter().position(|&other| other == index).expect("it is one of these");
            SizeExpr::symbol(&format!("i{at}")).ok()?.mul(&SizeExpr::from(factor)).ok()
        };
        let sum =
            |axis: &Vec<(usize, i64)>| axis.iter().try_fold(SizeExpr::from(0), |sum, part| sum.add(&term(part)?).ok());
        let at = axes.iter().map(|axis| sum(axis).expect("it is an expression of the contraction")).collect();
        let ty = Tensor::expect(builder.ctx, builder.body.value_type(value)).elem(builder.ctx);
        let ty = Tensor::get(builder.ctx, own.iter().map(|&index| size(index)).collect(), ty);
        let made = Load::build(builder, loc, value, Some(at), ty);
        value = builder.result(made);
    }
    // The missing indices, each before the first that comes after it.
    let mut shaped = own;
    for &index in order {
        if !shaped.contains(&index) {
            let at = shaped.iter().position(|&other| place(other) > place(index)).unwrap_or(shaped.len());
            shaped.insert(at, index);
        }
    }
    let has = |index: usize| axes.iter().flatten().any(|&(own, _)| own == index);
    let shape: Vec<SizeExpr> =
        shaped.iter().map(|&index| if has(index) { size(index) } else { SizeExpr::from(1) }).collect();
    let rank = Tensor::of(builder.ctx, builder.body.value_type(value)).map(|ty| ty.dims(builder.ctx));
    if rank.is_some_and(|dims| dims != shape) {
        let made = Reshape::build(builder, loc, value, shape);
        value = builder.result(made);
    }
    let by: Vec<i64> = order
        .iter()
        .map(|index| shaped.iter().position(|other| other == index).expect("each is an axis now") as i64)
        .collect();
    if !by.is_sorted() {
        let made = Permute::build(builder, loc, value, by);
        value = builder.result(made);
    }
    value
}
