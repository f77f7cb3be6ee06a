//! The rules of shapes: from operands and attributes to the type of the result. The verifier holds each op to them.

mod contract;
mod views;

pub use contract::{Loops, contract, loops};
pub use views::{
    NON_AFFINE_VIEW, RESHAPE_MISMATCH, SLICE_STEP, expand, flip, index_of, non_affine, pad, permute, reshape, shrink,
    store, view,
};

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};
use dlc_ir::smallvec::smallvec;
use dlc_ir::{Context, Type};

/// Both sides broadcast, in their common type.
pub fn numbers(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, promote(cx.ctx, a, b)?)
}

/// As [`numbers`]; integers become `f32`.
pub fn floats(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, as_float(cx.ctx, promote(cx.ctx, a, b)?))
}

/// As [`numbers`], and the common type is one of integers.
pub fn integers(cx: &InferCx<'_>) -> Inferred {
    numbers(cx)
}

/// Both sides broadcast, in the type of the left one.
pub fn shift(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, elem), (rhs, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, elem)
}

/// The type of the operand.
pub fn same(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    tensor(cx.ctx, dims, elem)
}

/// The sizes of the operand; integers become `f32`.
pub fn float(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    tensor(cx.ctx, dims, as_float(cx.ctx, elem))
}

/// Both sides broadcast to truth values.
pub fn cmp(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    promote(cx.ctx, a, b)?;
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, Type::I1)
}

/// All three broadcast, in the common type of the second and third.
pub fn where_(cx: &InferCx<'_>) -> Inferred {
    let (condition, _) = operand(cx, 0)?;
    let ((then, a), (otherwise, b)) = (operand(cx, 1)?, operand(cx, 2)?);
    tensor(cx.ctx, broadcast(&condition, &broadcast(&then, &otherwise)?)?, promote(cx.ctx, a, b)?)
}

/// All three broadcast, in their common type.
pub fn mulacc(cx: &InferCx<'_>) -> Inferred {
    let ((a, a_elem), (b, b_elem), (c, c_elem)) = (operand(cx, 0)?, operand(cx, 1)?, operand(cx, 2)?);
    let elem = promote(cx.ctx, promote(cx.ctx, a_elem, b_elem)?, c_elem)?;
    tensor(cx.ctx, broadcast(&broadcast(&a, &b)?, &c)?, elem)
}

/// The sizes of the operand with other elements.
pub fn cast(cx: &InferCx<'_>) -> Inferred {
    let (dims, _) = operand(cx, 0)?;
    tensor(cx.ctx, dims, elem_attr(cx)?)
}

/// As many bits in all; where the widths differ, the last axis takes them.
pub fn bitcast(cx: &InferCx<'_>) -> Inferred {
    let ((mut dims, from), to) = (operand(cx, 0)?, elem_attr(cx)?);
    let bits = |ty: Type| match (ty, ty.bits(cx.ctx)) {
        // A truth value takes a byte in memory.
        (Type::I1, _) => Some(8),
        (_, bits) => bits.map(i64::from),
    };
    let (Some(have), Some(want)) = (bits(from), bits(to)) else {
        return Err("bits are read as integers or floats".into());
    };
    if have != want {
        let misfit = || {
            let (from, to) = (from.display(cx.ctx), to.display(cx.ctx));
            format!("the last axis of {} cannot be read as {to} instead of {from}", show(&dims))
        };
        let last = dims.last().ok_or_else(misfit)?;
        let total = last.mul(&SizeExpr::from(have)).map_err(|error| error.message.into_owned())?;
        let read = total.try_div(&SizeExpr::from(want)).ok_or_else(misfit)?;
        let axis = dims.len() - 1;
        dims[axis] = read;
    }
    tensor(cx.ctx, dims, to)
}

/// The operand without the axes.
pub fn reduce(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let axes = axes_attr(cx, "axes", dims.len())?;
    let acc = accumulator(cx, elem)?;
    let kept = dims.into_iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    tensor(cx.ctx, kept.map(|(_, dim)| dim).collect(), acc)
}

/// The indices broadcast, then what is left of the operand's axes.
pub fn index(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let indices = cx.operands.len() - 1;
    if indices > dims.len() {
        return Err(format!("{indices} indices are given for the {} axes of {}", dims.len(), show(&dims)).into());
    }
    let mut shape = Vec::new();
    for position in 1..=indices {
        shape = broadcast(&shape, &operand(cx, position)?.0)?;
    }
    shape.extend_from_slice(&dims[indices..]);
    tensor(cx.ctx, shape, elem)
}

/// The type that `acc` names, by default that of the elements, which it must be able to take.
fn accumulator(cx: &InferCx<'_>, elem: Type) -> Result<Type, BrokenRule> {
    let acc = cx.prop("acc").and_then(|attr| attr.as_type(cx.ctx)).unwrap_or(elem);
    if promote(cx.ctx, elem, acc)? != acc {
        let (elem, acc) = (elem.display(cx.ctx), acc.display(cx.ctx));
        return Err(format!("elements of type {elem} cannot be accumulated in {acc}, which is narrower").into());
    }
    Ok(acc)
}

fn as_float(ctx: &Context, elem: Type) -> Type {
    if elem.float_kind(ctx).is_some() { elem } else { Type::F32 }
}

fn operand(cx: &InferCx<'_>, index: usize) -> Result<(Vec<SizeExpr>, Type), BrokenRule> {
    let ty = cx.operand_type(index).and_then(|ty| Tensor::of(cx.ctx, ty));
    let ty = ty.ok_or_else(|| format!("operand {index} must be a tensor"))?;
    Ok((ty.dims(cx.ctx), ty.elem(cx.ctx)))
}

/// The attribute of a kind, which is there when the op has been verified, or is about to be.
fn attr<'c, K: Kind>(cx: &InferCx<'c>, key: &str) -> Result<K::Value<'c>, BrokenRule> {
    optional::<K>(cx, key)?.ok_or_else(|| format!("'{key}' is missing").into())
}

fn optional<'c, K: Kind>(cx: &InferCx<'c>, key: &str) -> Result<Option<K::Value<'c>>, BrokenRule> {
    let Some(attr) = cx.prop(key) else { return Ok(None) };
    K::get(cx.ctx, attr).map(Some).ok_or_else(|| format!("'{key}' must be {}", K::KIND.name).into())
}

fn elem_attr(cx: &InferCx<'_>) -> Result<Type, BrokenRule> {
    let elem = cx.prop("elem").and_then(|attr| attr.as_type(cx.ctx));
    elem.ok_or_else(|| "there is no type to cast to".into())
}

/// Axes below a rank, ascending.
fn axes_attr(cx: &InferCx<'_>, key: &str, rank: usize) -> Result<Vec<usize>, BrokenRule> {
    let axes = attr::<IntArray>(cx, key)?;
    let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
    let places: Option<Vec<usize>> =
        axes.iter().map(|&axis| usize::try_from(axis).ok().filter(|&a| a < rank)).collect();
    places.filter(|_| ascending).ok_or_else(|| format!("{axes:?} must be axes below {rank}, ascending").into())
}

fn tensor(ctx: &Context, dims: Vec<SizeExpr>, elem: Type) -> Inferred {
    match elem.bits(ctx) {
        Some(_) => Ok(smallvec![Tensor::get(ctx, dims, elem)]),
        None => Err(format!("a tensor has no elements of type {}", elem.display(ctx)).into()),
    }
}
