//! What is left of axes that become one element.

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::{accumulator, as_float, axes, operand, optional, tensor};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Int;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

/// The sizes without the axes of `axes`, or with 1 for each, and the type of the elements.
fn reduced(cx: &InferCx<'_>) -> Result<(Vec<SizeExpr>, Type), BrokenRule> {
    let (dims, elem) = operand(cx, 0)?;
    let gone: Vec<usize> = match cx.prop("axes") {
        Some(_) => axes(cx, "axes", dims.len())?,
        None => (0..dims.len()).collect(),
    };
    Ok((without(dims, &gone, cx.prop("keepdim").is_some()), elem))
}

/// Sizes without some axes, or with 1 for each.
fn without(dims: Vec<SizeExpr>, gone: &[usize], keepdim: bool) -> Vec<SizeExpr> {
    let axis = |(axis, dim)| match gone.contains(&axis) {
        false => Some(dim),
        true if keepdim => Some(SizeExpr::from(1)),
        true => None,
    };
    dims.into_iter().enumerate().filter_map(axis).collect()
}

/// In the type of the accumulator.
pub fn accumulated(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = reduced(cx)?;
    tensor(cx.ctx, dims, accumulator(cx, elem)?)
}

/// In the type of the elements.
pub fn combined(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = reduced(cx)?;
    tensor(cx.ctx, dims, elem)
}

/// In floats.
pub fn averaged(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = reduced(cx)?;
    tensor(cx.ctx, dims, as_float(cx.ctx, elem))
}

/// In truth values.
pub fn questioned(cx: &InferCx<'_>) -> Inferred {
    tensor(cx.ctx, reduced(cx)?.0, Type::I1)
}

/// In numbers of places.
pub fn searched(cx: &InferCx<'_>) -> Inferred {
    let (dims, _) = operand(cx, 0)?;
    let gone: Vec<usize> = match optional::<Int>(cx, "axis")? {
        Some(axis) => vec![axis_below(axis, &dims)?],
        None => (0..dims.len()).collect(),
    };
    tensor(cx.ctx, without(dims, &gone, cx.prop("keepdim").is_some()), Type::I32)
}

/// As it was; the axis exists.
pub fn running(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    axis_of(cx, &dims)?;
    tensor(cx.ctx, dims, elem)
}

/// All operands broadcast, in their common type; the axis exists, and what is before it has not the axis.
pub fn recurrence(cx: &InferCx<'_>) -> Inferred {
    let ((factors, a), (input, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    let (dims, mut elem) = (broadcast(&factors, &input)?, promote(cx.ctx, a, b)?);
    let axis = axis_of(cx, &dims)?;
    if cx.operands.len() > 2 {
        let (init, own) = operand(cx, 2)?;
        let mut others = dims.clone();
        others.remove(axis);
        if broadcast(&others, &init)? != others {
            let (init, others) = (show(&init), show(&others));
            return Err(
                format!("what is before the axis has the sizes {others}, without the axis, and not {init}").into()
            );
        }
        elem = promote(cx.ctx, elem, own)?;
    }
    if elem == Type::I1 {
        return Err(BrokenRule::from("a linear recurrence is of numbers, not of truth values")
            .suggest("cast the operands to a type of numbers"));
    }
    tensor(cx.ctx, dims, elem)
}

/// The axis of the attribute `axis`.
pub(super) fn axis_of(cx: &InferCx<'_>, dims: &[SizeExpr]) -> Result<usize, BrokenRule> {
    let axis = optional::<Int>(cx, "axis")?.ok_or("'axis' is missing")?;
    axis_below(axis, dims)
}

/// An axis by its number; an error says what to write for one that is counted from the end.
pub(super) fn axis_below(axis: i64, dims: &[SizeExpr]) -> Result<usize, BrokenRule> {
    let place = usize::try_from(axis).ok().filter(|&axis| axis < dims.len());
    place.ok_or_else(|| {
        let broken = BrokenRule::from(format!("axis {axis} is none of the {} axes of {}", dims.len(), show(dims)));
        match axis.saturating_add(dims.len() as i64) {
            counted if axis < 0 && counted >= 0 => broken.suggest(format!("axes are counted from 0: write {counted}")),
            _ => broken,
        }
    })
}
