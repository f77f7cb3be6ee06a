//! The sizes of views, whose attributes have the same names in every layer.

use dlc_ir::affine::{SizeExpr, SizeRanges};
use dlc_ir::define::{IntArray, Number};
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

use super::{attr, axes, operand, optional, tensor};
use crate::broadcast::show;
use crate::sizes::Sizes;

dlc_ir::codes! {
    /// The steps of a slice are no positive constants.
    SLICE_STEP = "E1103" "SliceStep";
    /// A reshape gives another number of elements, or one that cannot be shown to be the same.
    RESHAPE_MISMATCH = "E1104" "ReshapeMismatch";
}

/// The same elements, so the same number of them.
pub fn reshape(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let shape = attr::<Sizes>(cx, "shape")?;
    let (from, to) = (product(&dims)?, product(&shape)?);
    match from.prove_eq(&to, &SizeRanges::default()) {
        Some(true) => tensor(cx.ctx, shape, elem),
        Some(false) => {
            let message = format!("{} has {from} elements, {} has {to}", show(&dims), show(&shape));
            Err(BrokenRule::new(&RESHAPE_MISMATCH, message))
        }
        None => {
            let message = format!(
                "{} has {from} elements, {} has {to}, and these cannot be shown to be equal",
                show(&dims),
                show(&shape)
            );
            let fix = "write the sizes so that their product is that of the operand, such as [K floordiv 4, 4] of [4*(K floordiv 4)]";
            Err(BrokenRule::new(&RESHAPE_MISMATCH, message).suggest(fix))
        }
    }
}

/// Axis `i` of the result is axis `order[i]` of the operand.
pub fn permute(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let order = attr::<IntArray>(cx, "order")?;
    let mut seen = vec![false; dims.len()];
    for &axis in &order {
        match usize::try_from(axis).ok().and_then(|axis| seen.get_mut(axis)) {
            Some(seen) if !*seen => *seen = true,
            _ => break,
        }
    }
    if order.len() != dims.len() || seen.contains(&false) {
        return Err(format!("{order:?} is no order of the {} axes of {}", dims.len(), show(&dims)).into());
    }
    let permuted = order.iter().map(|&axis| dims[axis as usize].clone()).collect();
    tensor(cx.ctx, permuted, elem)
}

/// Axes of size 1 become any size; the others stay.
pub fn expand(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let shape = attr::<Sizes>(cx, "shape")?;
    let places = match cx.prop("dims") {
        Some(_) => axes(cx, "dims", shape.len())?,
        None => (0..shape.len()).collect(),
    };
    if dims.len() != places.len() {
        let (own, wanted) = (dims.len(), places.len());
        return Err(format!("{} has {own} axes, and places are given for {wanted}", show(&dims)).into());
    }
    for (axis, (from, &place)) in dims.iter().zip(&places).enumerate() {
        let to = &shape[place];
        if from != to && from.as_constant() != Some(1) {
            return Err(format!("axis {axis} has the size {from} and cannot become {to}: only 1 expands").into());
        }
    }
    tensor(cx.ctx, shape, elem)
}

/// The sizes with what is put before and after.
pub fn pad(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let (low, high) = (attr::<Sizes>(cx, "low")?, attr::<Sizes>(cx, "high")?);
    one_each("low", low.len(), &dims)?;
    one_each("high", high.len(), &dims)?;
    if optional::<Number>(cx, "value")?.is_some_and(|value| value.value_type(cx.ctx) != Some(elem)) {
        return Err(format!("the number around must be of type {}", elem.display(cx.ctx)).into());
    }
    let padded = dims.iter().zip(low.iter().zip(&high)).map(|(dim, (low, high))| dim.add(low)?.add(high));
    let padded: Result<Vec<_>, _> = padded.collect();
    tensor(cx.ctx, padded.map_err(|error| error.message.into_owned())?, elem)
}

/// As many as there are steps between the bounds.
pub fn shrink(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let (from, to) = (attr::<Sizes>(cx, "start")?, attr::<Sizes>(cx, "stop")?);
    one_each("start", from.len(), &dims)?;
    one_each("stop", to.len(), &dims)?;
    let step = optional::<IntArray>(cx, "step")?.unwrap_or_else(|| vec![1; dims.len()]);
    one_each("step", step.len(), &dims)?;
    let mut shape = Vec::with_capacity(dims.len());
    for (axis, (dim, (from, to))) in dims.iter().zip(from.iter().zip(&to)).enumerate() {
        if provably_not(from, to) || provably_not(to, dim) {
            let message = format!("axis {axis} has the size {dim}, and {from} to {to} is no range of it");
            return Err(BrokenRule::from(message).suggest("give bounds with 0 <= from <= to <= size"));
        }
        let step = step[axis];
        if step <= 0 {
            let message = format!("the step of axis {axis} is {step}: it must be positive");
            return Err(BrokenRule::new(&SLICE_STEP, message)
                .suggest("write a negative step as a flip of the axis, then a positive one"));
        }
        let length = to.sub(from).and_then(|length| length.ceildiv(&SizeExpr::from(step)));
        shape.push(length.map_err(|error| error.message.into_owned())?);
    }
    tensor(cx.ctx, shape, elem)
}

/// The sizes stay.
pub fn flip(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    axes(cx, "axes", dims.len())?;
    tensor(cx.ctx, dims, elem)
}

/// The number of elements for some sizes.
pub fn product(dims: &[SizeExpr]) -> Result<SizeExpr, BrokenRule> {
    let one = SizeExpr::from(1);
    let product = dims.iter().try_fold(one, |product, dim| product.mul(dim));
    product.map_err(|error| error.message.into_owned().into())
}

/// Whether one size is surely larger than another.
pub fn provably_not(a: &SizeExpr, b: &SizeExpr) -> bool {
    a.prove_le(b, &SizeRanges::default()) == Some(false)
}

/// Whether a list has a number for each axis.
pub fn one_each(what: &str, given: usize, dims: &[SizeExpr]) -> Result<(), BrokenRule> {
    match given == dims.len() {
        true => Ok(()),
        false => {
            let message = format!("'{what}' has {given} numbers for the {} axes of {}", dims.len(), show(dims));
            Err(message.into())
        }
    }
}
