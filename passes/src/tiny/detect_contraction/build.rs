//! Puts a contraction in place of the sum.

use dlc_core::broadcast::promote;
use dlc_core::types::Tensor;
use dlc_ir::body::{Body, InsertPoint};
use dlc_ir::builder::Builder;
use dlc_ir::rewrite::Rewriter;
use dlc_ir::{Attr, Context, Loc, OpId, ValueId};
use dlc_tiny::ops::{Expand, Flip, NewContract, Reshape, Shrink};

use super::form::{ProductForm, Side};
use crate::rewrites::unused::erase_unused;

/// Replaces a sum with the contraction that it is, and erases what nothing else needs of the product.
pub fn replace(ctx: &Context, body: &mut Body, sum: OpId, found: ProductForm) {
    let loc = body.loc(sum);
    let first = body.operands(sum).filter_map(|value| body.defining_op(value)).collect();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(sum));
    let (lhs, rhs) = (operand(&mut builder, loc, &found.lhs), operand(&mut builder, loc, &found.rhs));
    let elem = |value: ValueId| Tensor::of(ctx, builder.body.value_type(value)).map(|ty| ty.elem(ctx));
    let common = elem(lhs).zip(elem(rhs)).and_then(|(a, b)| promote(ctx, a, b).ok());
    let acc = (found.product.or(common) != Some(found.acc)).then_some(found.acc);
    let op = NewContract {
        lhs,
        rhs,
        lhs_idx: found.lhs.index,
        rhs_idx: found.rhs.index,
        out_idx: found.out,
        acc,
        product: found.product,
    }
    .build(&mut builder, loc);
    let mut value = builder.result(op);
    if let Some((shape, dims)) = found.expand {
        let op = Expand::build(&mut builder, loc, value, shape, Some(dims));
        value = builder.result(op);
    }
    if Tensor::of(ctx, builder.body.value_type(value)).is_some_and(|ty| ty.dims(ctx) != found.shape) {
        let op = Reshape::build(&mut builder, loc, value, found.shape);
        value = builder.result(op);
    }
    if found.widen {
        body.set_attr(ctx, op, ctx.intern_str("widen"), Some(Attr::UNIT));
    }
    Rewriter::new(ctx, body).replace_op(sum, &[value]);
    erase_unused(ctx, body, first);
}

/// An operand, turned, cut and reshaped where it must be.
fn operand(builder: &mut Builder<'_>, loc: Loc, side: &Side) -> ValueId {
    let mut value = side.source;
    if !side.flip.is_empty() {
        let op = Flip::build(builder, loc, value, side.flip.clone());
        value = builder.result(op);
    }
    if let Some((from, to)) = side.cut.clone() {
        let op = Shrink::build(builder, loc, value, from, to, None);
        value = builder.result(op);
    }
    if let Some(shape) = side.shape.clone() {
        let op = Reshape::build(builder, loc, value, shape);
        value = builder.result(op);
    }
    value
}
