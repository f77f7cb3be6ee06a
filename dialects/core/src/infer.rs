//! What inference of tensor types is written with: operands as sizes and elements, attributes of a kind, results.

use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};
use dlc_ir::smallvec::smallvec;
use dlc_ir::{Context, Type};

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

/// Axes below a rank, ascending.
pub fn axes(cx: &InferCx<'_>, key: &str, rank: usize) -> Result<Vec<usize>, BrokenRule> {
    let axes = attr::<IntArray>(cx, key)?;
    let ascending = axes.windows(2).all(|pair| pair[0] < pair[1]);
    let places: Option<Vec<usize>> =
        axes.iter().map(|&axis| usize::try_from(axis).ok().filter(|&axis| axis < rank)).collect();
    places.filter(|_| ascending).ok_or_else(|| format!("{axes:?} must be axes below {rank}, ascending").into())
}

/// The only result: a tensor of these sizes and elements.
pub fn tensor(ctx: &Context, dims: Vec<SizeExpr>, elem: Type) -> Inferred {
    match elem.bits(ctx) {
        Some(_) => Ok(smallvec![Tensor::get(ctx, dims, elem)]),
        None => Err(format!("a tensor has no elements of type {}", elem.display(ctx)).into()),
    }
}

/// The type itself when it is one of floats; integers become `f32`.
pub fn as_float(ctx: &Context, elem: Type) -> Type {
    if elem.float_kind(ctx).is_some() { elem } else { Type::F32 }
}
