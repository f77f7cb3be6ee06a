//! Axes that become one element.

use dlc_core::eval::{elem, tensor};
use dlc_core::tensor::{self, Access, Contraction, TensorValue};
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult};

use super::give;
use crate::ops::{Contract, Reduce, Scan, Sort};
use crate::shape::loops;

/// The axes combined.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Reduce::from(cx.op);
    let axes: Vec<usize> = op.axes().iter().map(|&axis| axis as usize).collect();
    let combine = op.combiner().combine();
    give(cx, tensor(cx, 0)?.reduce(cx.op.ctx, combine, &axes, elem(cx)))
}

/// The axis gone along.
pub fn scan(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Scan::from(cx.op);
    let scan = tensor::Scan {
        combine: op.combiner().running().combine(),
        axis: op.axis() as usize,
        exclusive: op.exclusive().is_some(),
        reverse: op.reverse().is_some(),
        every: None,
    };
    // Factors come before what is summed.
    let last = cx.operands.len() - 1;
    let factors = if last > 0 { Some(tensor(cx, 0)?) } else { None };
    give(cx, tensor(cx, last)?.scan(cx.op.ctx, scan, factors, elem(cx)))
}

/// The elements along an axis in order.
pub fn sort(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axis = Sort::from(cx.op).axis() as usize;
    give(cx, tensor(cx, 0)?.sort(axis, None))
}

/// The sum of products.
pub fn contract(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (op, lhs, rhs) = (Contract::from(cx.op), tensor(cx, 0)?, tensor(cx, 1)?);
    // The rule of the shapes, with the numbers that the sizes are now.
    let dims = |shape: &[usize]| shape.iter().map(|&size| SizeExpr::from(size as i64)).collect::<Vec<_>>();
    let (lhs_dims, rhs_dims) = (dims(lhs.shape()), dims(rhs.shape()));
    let loops = loops((&lhs_dims, &op.lhs_idx()), (&rhs_dims, &op.rhs_idx()), &op.out_idx());
    let loops = loops.map_err(|broken| cx.fail(&CANNOT_RUN, broken.message))?;
    let sizes: Option<Vec<usize>> =
        loops.indices.iter().map(|(_, size)| size.as_constant().and_then(|size| usize::try_from(size).ok())).collect();
    let Some(sizes) = sizes else {
        return Err(cx.fail(&CANNOT_RUN, "a window is larger than the axis that it moves over"));
    };
    let accesses = |axes: Vec<Vec<(usize, i64)>>| axes.into_iter().map(Access).collect();
    let spec = Contraction { sizes, lhs: accesses(loops.lhs), rhs: accesses(loops.rhs), out: loops.out };
    let (ctx, product) = (cx.op.ctx, op.product());
    // Floats are in the type of the products as they are; integers are not floats, and come into it rounded.
    let in_product = |value: &TensorValue| match product {
        Some(ty) if !value.kind().is_float() => value.cast(ctx, ty),
        _ => Ok(value.clone()),
    };
    let value = in_product(lhs)
        .and_then(|lhs| TensorValue::contract_products(ctx, &lhs, &in_product(rhs)?, &spec, product, elem(cx)));
    give(cx, value)
}
