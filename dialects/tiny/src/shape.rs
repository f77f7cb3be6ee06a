//! The rules of shapes: from operands and attributes to the type of the result. The verifier holds each op to them.

use dlc_core::sizes::Sizes;
use dlc_core::types::Tensor;
use dlc_ir::affine::{SizeExpr, SizeRanges};
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::op::InferCx;
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::{Context, Type};

/// The types of the results, or what is wrong with the operands.
pub type Inferred = Result<SmallVec<[Type; 2]>, String>;

/// The same elements, so the same number of them.
pub fn reshape(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let shape = shape_attr(cx)?;
    let (from, to) = (product(&dims)?, product(&shape)?);
    let equal = from.prove_eq(&to, &SizeRanges::default());
    // Equality of sums of products is decided by their canonical form. Where quotients are left it may not be: then
    // the op stands, and is checked when sizes are bound.
    let undecided = equal.is_none() && (has_quotient(&from) || has_quotient(&to));
    if equal != Some(true) && !undecided {
        return Err(format!("{} has {from} elements, {} has {to}", show(&dims), show(&shape)));
    }
    tensor(cx.ctx, shape, elem)
}

/// Axis `i` of the result is axis `order[i]` of the operand.
pub fn permute(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let order = int_attr(cx, "order")?;
    let mut seen = vec![false; dims.len()];
    for &axis in &order {
        match usize::try_from(axis).ok().and_then(|axis| seen.get_mut(axis)) {
            Some(seen) if !*seen => *seen = true,
            _ => break,
        }
    }
    if order.len() != dims.len() || seen.contains(&false) {
        return Err(format!("{order:?} is no order of the {} axes of {}", dims.len(), show(&dims)));
    }
    let permuted = order.iter().map(|&axis| dims[axis as usize].clone()).collect();
    tensor(cx.ctx, permuted, elem)
}

/// Axes of size 1 become any size; the others stay.
pub fn expand(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let shape = shape_attr(cx)?;
    if dims.len() != shape.len() {
        return Err(format!("{} has {} axes, {} has {}", show(&dims), dims.len(), show(&shape), shape.len()));
    }
    for (axis, (from, to)) in dims.iter().zip(&shape).enumerate() {
        if from != to && from.as_constant() != Some(1) {
            return Err(format!("axis {axis} has the size {from} and cannot become {to}: only 1 expands"));
        }
    }
    tensor(cx.ctx, shape, elem)
}

/// Sizes aligned at the right: equal, or one of them 1.
pub fn binary(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, lhs_elem), (rhs, rhs_elem)) = (operand(cx, 0)?, operand(cx, 1)?);
    let rank = lhs.len().max(rhs.len());
    let one = SizeExpr::from(1);
    let mut dims = Vec::with_capacity(rank);
    for axis in 0..rank {
        // The axis counted from the right is beyond the shorter operand: there it is broadcast.
        let at = |own: &[SizeExpr]| (axis + own.len()).checked_sub(rank).map_or(one.clone(), |at| own[at].clone());
        let (a, b) = (at(&lhs), at(&rhs));
        if a != b && a != one && b != one {
            return Err(format!("{} and {} cannot be broadcast: {a} meets {b}", show(&lhs), show(&rhs)));
        }
        dims.push(if a == one { b } else { a });
    }
    tensor(cx.ctx, dims, wider(cx.ctx, lhs_elem, rhs_elem)?)
}

/// The operand without the axes.
pub fn reduce(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let axes = int_attr(cx, "axes")?;
    let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
    let exist = axes.iter().all(|&axis| usize::try_from(axis).is_ok_and(|axis| axis < dims.len()));
    if !ascending || !exist {
        return Err(format!("{axes:?} must be axes of {}, ascending", show(&dims)));
    }
    let acc = cx.prop("acc").and_then(|attr| attr.as_type(cx.ctx)).unwrap_or(elem);
    if wider(cx.ctx, elem, acc)? != acc {
        let (elem, acc) = (elem.display(cx.ctx), acc.display(cx.ctx));
        return Err(format!("elements of type {elem} cannot be accumulated in {acc}, which is narrower"));
    }
    let kept = dims.into_iter().enumerate().filter(|(axis, _)| !axes.contains(&(*axis as i64)));
    tensor(cx.ctx, kept.map(|(_, dim)| dim).collect(), acc)
}

/// The sizes of the operand with other elements.
pub fn cast(cx: &InferCx<'_>) -> Inferred {
    let (dims, _) = operand(cx, 0)?;
    let elem = cx.prop("elem").and_then(|attr| attr.as_type(cx.ctx)).ok_or("there is no type to cast to")?;
    tensor(cx.ctx, dims, elem)
}

/// The type that holds the elements of both exactly: one of them.
fn wider(ctx: &Context, lhs: Type, rhs: Type) -> Result<Type, String> {
    let bits = |ty: Type| ty.float_kind(ctx).map(|kind| kind.bits());
    match (bits(lhs), bits(rhs)) {
        _ if lhs == rhs => Ok(lhs),
        (Some(a), Some(b)) if a > b => Ok(lhs),
        (Some(a), Some(b)) if a < b => Ok(rhs),
        _ => Err(format!("neither of {} and {} holds the other: cast one of them", lhs.display(ctx), rhs.display(ctx))),
    }
}

fn operand(cx: &InferCx<'_>, index: usize) -> Result<(Vec<SizeExpr>, Type), String> {
    let ty = cx.operand_type(index).and_then(|ty| Tensor::of(cx.ctx, ty));
    let ty = ty.ok_or_else(|| format!("operand {index} must be a tensor"))?;
    Ok((ty.dims(cx.ctx), ty.elem(cx.ctx)))
}

fn shape_attr(cx: &InferCx<'_>) -> Result<Vec<SizeExpr>, String> {
    cx.prop("shape").and_then(|attr| Sizes::get(cx.ctx, attr)).ok_or_else(|| "'shape' must be a list of sizes".into())
}

fn int_attr(cx: &InferCx<'_>, key: &str) -> Result<Vec<i64>, String> {
    let values = cx.prop(key).and_then(|attr| IntArray::get(cx.ctx, attr));
    values.ok_or_else(|| format!("'{key}' must be an array of 64-bit integers"))
}

fn tensor(ctx: &Context, dims: Vec<SizeExpr>, elem: Type) -> Inferred {
    match elem.bits(ctx) {
        Some(_) => Ok(smallvec![Tensor::get(ctx, dims, elem)]),
        None => Err(format!("a tensor has no elements of type {}", elem.display(ctx))),
    }
}

fn product(dims: &[SizeExpr]) -> Result<SizeExpr, String> {
    let one = SizeExpr::from(1);
    dims.iter().try_fold(one, |product, dim| product.mul(dim)).map_err(|error| error.message.into_owned())
}

fn has_quotient(size: &SizeExpr) -> bool {
    let text = size.to_string();
    text.split([' ', '(', ')']).any(|word| matches!(word, "floordiv" | "ceildiv" | "mod"))
}

fn show(dims: &[SizeExpr]) -> String {
    let dims: Vec<String> = dims.iter().map(SizeExpr::to_string).collect();
    format!("[{}]", dims.join(", "))
}
