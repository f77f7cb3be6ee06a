//! Sums of products, and products that are added.

use dlc_book::ops::Function;
use dlc_core::broadcast::promote;
use dlc_core::numbers::holds_products;
use dlc_core::precision::TF32;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::pass::PassFailed;
use dlc_ir::{Attr, OpId, Type, ValueId};
use dlc_tiny::ops::{Contract, Mulacc};
use dlc_tiny::shape::loops;

use super::entries::Lower;
use super::rules::Lowered;
use crate::analysis::access::Access as Chain;

/// A product over the indices of the result and those that are summed, and its sum over these.
pub fn contract(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let contract = Contract::from(lower.op(op));
    let (loc, out, product) = (contract.loc(), contract.out(), contract.product());
    let mark = lower.ctx.intern_str(TF32);
    let is_tf32 = contract.attr(mark).is_some();
    let operands = [contract.lhs(), contract.rhs()];
    let (lhs_idx, rhs_idx, out_idx) = (contract.lhs_idx(), contract.rhs_idx(), contract.out_idx());
    let (lhs, rhs) = (lower.sizes(operands[0]), lower.sizes(operands[1]));
    let loops = loops((&lhs, &lhs_idx), (&rhs, &rhs_idx), &out_idx);
    let loops =
        loops.unwrap_or_else(|broken| unreachable!("the verifier admits no such contraction: {}", broken.message));
    let summed = (0..loops.indices.len()).filter(|index| !loops.out.contains(index));
    let order: Vec<usize> = loops.out.iter().copied().chain(summed).collect();
    let sizes: Vec<SizeExpr> = order.iter().map(|&index| loops.indices[index].1.clone()).collect();
    let mut space = lower.space(loc, &sizes)?;
    let acc = lower.elem(out);
    let (operands, product) = factors(lower, operands, product, acc, loc)?;
    let mut reads = Vec::with_capacity(2);
    for (operand, axes) in operands.into_iter().zip([&loops.lhs, &loops.rhs]) {
        let place =
            |index: usize| order.iter().position(|&other| other == index).expect("every index has its place") as u32;
        let term = |&(index, factor): &(usize, i64)| AffineExpr::Dim(place(index)).mul(&factor.into()).ok();
        let sum = |axis: &Vec<(usize, i64)>| {
            axis.iter().try_fold(AffineExpr::Constant(0), |sum, part| sum.add(&term(part)?).ok())
        };
        let index = axes.iter().map(sum).collect::<Option<Vec<_>>>().ok_or_else(|| lower.too_large(loc))?;
        let index = index.iter().map(|at| space.simplify(at)).collect();
        let chain = Chain { source: operand, index, guard: Vec::new(), fill: None };
        reads.push(lower.read(loc, &mut space, chain)?);
    }
    let product = lower.entry_to(loc, Function::Mul, reads, &sizes, product, product.is_some());
    if let Some(op) = lower.body.defining_op(product).filter(|_| is_tf32) {
        lower.body.set_attr(lower.ctx, op, mark, Some(Attr::UNIT));
    }
    let kept = loops.out.len();
    let input = lower.map_identity(loc, product, &sizes)?;
    Ok(lower.reduce(loc, Combiner::Sum, input, &sizes[..kept], &sizes[kept..], acc))
}

/// The operands in the type that they are multiplied in, and the type in which products that are not rounded are summed;
/// `None` where the product has a type of its own.
fn factors(
    lower: &mut Lower<'_>,
    operands: [ValueId; 2],
    product: Option<Type>,
    acc: Type,
    loc: dlc_ir::Loc,
) -> Result<([ValueId; 2], Option<Type>), PassFailed> {
    let ctx = lower.ctx;
    let [lhs, rhs] = operands;
    let (a, b) = (lower.elem(lhs), lower.elem(rhs));
    let common = promote(ctx, a, b).unwrap_or(acc);
    // A product that is held by its type is exact.
    match product.filter(|&ty| !holds_products(ctx, ty, a, b)) {
        Some(ty) if ty == common => Ok((operands, None)),
        Some(ty) => Ok(([lower.cast(loc, lhs, ty)?, lower.cast(loc, rhs, ty)?], None)),
        // Integers wrap, and their sums alike.
        None if common == acc && acc.float_kind(ctx).is_none() => Ok((operands, None)),
        None => Ok((operands, Some(acc))),
    }
}

/// The product that is not rounded, and a third added.
pub fn mulacc(lower: &mut Lower<'_>, op: OpId) -> Lowered {
    let mulacc = Mulacc::from(lower.op(op));
    let (loc, out) = (mulacc.loc(), mulacc.out());
    let (mut a, mut b, c) = (mulacc.a(), mulacc.b(), mulacc.c());
    let (sizes, elem) = (lower.sizes(out), lower.elem(out));
    let is_float = |ty: Type| ty.float_kind(lower.ctx).is_some();
    let (float, integers) = (is_float(elem), [a, b].map(|value| !is_float(lower.elem(value))));
    // All three meet in the type of the result: integers by being rounded to it, shorter floats as they are.
    if integers[0] {
        a = lower.cast(loc, a, elem)?;
    }
    if integers[1] {
        b = lower.cast(loc, b, elem)?;
    }
    let widen = float.then_some(elem);
    let product = lower.map_to(loc, Function::Mul, &[a, b], &sizes, widen, float)?;
    lower.map(loc, Function::Add, &[product, c], &sizes)
}
