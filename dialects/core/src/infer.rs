//! What inference of tensor types is written with: operands as sizes and elements, attributes of a kind, results; and
//! the rules that layers share.

pub mod views;

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};
use dlc_ir::smallvec::smallvec;
use dlc_ir::{Context, Type};

use crate::broadcast::{broadcast, promote};
use crate::types::Tensor;

/// The sizes and the type of the elements of an operand.
pub fn operand(cx: &InferCx<'_>, index: usize) -> Result<(Vec<SizeExpr>, Type), BrokenRule> {
    let ty = cx.operand_type(index).and_then(|ty| Tensor::of(cx.ctx, ty));
    let ty = ty.ok_or_else(|| format!("operand {index} must be a tensor"))?;
    Ok((ty.dims(cx.ctx), ty.elem(cx.ctx)))
}

/// The attribute of a kind, which is there when the op has been verified, or is about to be.
pub fn attr<'c, K: Kind>(cx: &InferCx<'c>, key: &str) -> Result<K::Value<'c>, BrokenRule> {
    optional::<K>(cx, key)?.ok_or_else(|| format!("'{key}' is missing").into())
}

/// An attribute of a kind that may be absent.
pub fn optional<'c, K: Kind>(cx: &InferCx<'c>, key: &str) -> Result<Option<K::Value<'c>>, BrokenRule> {
    let Some(attr) = cx.prop(key) else { return Ok(None) };
    K::get(cx.ctx, attr).map(Some).ok_or_else(|| format!("'{key}' must be {}", K::KIND.name).into())
}

/// Axes below a rank, ascending. They are counted from 0; one that is counted from the end gets the way to write it.
pub fn axes(cx: &InferCx<'_>, key: &str, rank: usize) -> Result<Vec<usize>, BrokenRule> {
    let axes = attr::<IntArray>(cx, key)?;
    let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
    let places: Option<Vec<usize>> =
        axes.iter().map(|&axis| usize::try_from(axis).ok().filter(|&axis| axis < rank)).collect();
    places.filter(|_| ascending).ok_or_else(|| {
        let broken = BrokenRule::from(format!("{axes:?} must be axes below {rank}, ascending"));
        match from_start(&axes, rank) {
            Some(from_start) => broken.suggest(format!("axes are counted from 0: write {from_start:?}")),
            None => broken,
        }
    })
}

/// Axes of which some are counted from the end, as others write them, counted from the start and ascending.
pub fn from_start(axes: &[i64], rank: usize) -> Option<Vec<usize>> {
    let rank = i64::try_from(rank).ok()?;
    if !axes.iter().any(|axis| *axis < 0) {
        return None;
    }
    let own = |&axis: &i64| usize::try_from(if axis < 0 { axis + rank } else { axis }).ok();
    let mut places: Vec<usize> = axes.iter().map(own).collect::<Option<_>>()?;
    places.sort_unstable();
    places.dedup();
    (places.len() == axes.len() && places.iter().all(|&place| (place as i64) < rank)).then_some(places)
}

/// The only result: a tensor of these sizes and elements.
///
/// Sizes that are computed may come out negative where their bounds cannot be compared beforehand.
pub fn tensor(ctx: &Context, dims: Vec<SizeExpr>, elem: Type) -> Inferred {
    let negative = |dim: &SizeExpr| dim.as_constant().is_some_and(|size| size < 0);
    if let Some((axis, dim)) = dims.iter().enumerate().find(|(_, dim)| negative(dim)) {
        return Err(format!("axis {axis} of the result would have the size {dim}, which is negative").into());
    }
    match elem.bits(ctx) {
        Some(_) => Ok(smallvec![Tensor::get(ctx, dims, elem)]),
        None => Err(format!("a tensor has no elements of type {}", elem.display(ctx)).into()),
    }
}

/// The type itself when it is one of floats; integers become `f32`.
pub fn as_float(ctx: &Context, elem: Type) -> Type {
    if elem.float_kind(ctx).is_some() { elem } else { Type::F32 }
}

/// The type that `acc` names, by default that of the elements, which it must be able to take.
pub fn accumulator(cx: &InferCx<'_>, elem: Type) -> Result<Type, BrokenRule> {
    let acc = cx.prop("acc").and_then(|attr| attr.as_type(cx.ctx)).unwrap_or(elem);
    if promote(cx.ctx, elem, acc)? != acc {
        let (elem, acc) = (elem.display(cx.ctx), acc.display(cx.ctx));
        return Err(format!("elements of type {elem} cannot be accumulated in {acc}, which is narrower").into());
    }
    Ok(acc)
}

/// Two operands broadcast, in their common type.
pub fn numbers(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, promote(cx.ctx, a, b)?)
}

/// As [`numbers`]; integers become `f32`.
pub fn floats(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, as_float(cx.ctx, promote(cx.ctx, a, b)?))
}

/// Two operands broadcast, in the type of the left one.
pub fn shift(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, elem), (rhs, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, elem)
}

/// Two operands of types that go together, broadcast to truth values.
pub fn compare(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    promote(cx.ctx, a, b)?;
    tensor(cx.ctx, broadcast(&lhs, &rhs)?, Type::I1)
}

/// The type of the first operand.
pub fn same(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    tensor(cx.ctx, dims, elem)
}

/// The sizes of the first operand; integers become `f32`.
pub fn float(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    tensor(cx.ctx, dims, as_float(cx.ctx, elem))
}

/// Truth values of the sizes of the first operand.
pub fn truth(cx: &InferCx<'_>) -> Inferred {
    let (dims, _) = operand(cx, 0)?;
    tensor(cx.ctx, dims, Type::I1)
}

/// A condition and two operands, all broadcast, in the common type of the two.
pub fn select(cx: &InferCx<'_>) -> Inferred {
    let (condition, _) = operand(cx, 0)?;
    let ((then, a), (otherwise, b)) = (operand(cx, 1)?, operand(cx, 2)?);
    tensor(cx.ctx, broadcast(&condition, &broadcast(&then, &otherwise)?)?, promote(cx.ctx, a, b)?)
}
