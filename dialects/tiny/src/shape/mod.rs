//! The rules of shapes: from operands and attributes to the type of the result. The verifier holds each op to them.

mod contract;
mod views;

pub use contract::{Loops, contract, loops};
pub use dlc_core::infer::views::{expand, flip, pad, permute, reshape, shrink};
pub use dlc_core::infer::{compare as cmp, float, floats, numbers, same, select as where_, shift};
pub use views::{NON_AFFINE_VIEW, index_of, non_affine, store, view};

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::{accumulator, attr, axes, operand, tensor};
use dlc_core::scalar::ScanCombiner;
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Int;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

/// As [`numbers`], and the common type is one of integers.
pub fn integers(cx: &InferCx<'_>) -> Inferred {
    numbers(cx)
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
    let axes = axes(cx, "axes", dims.len())?;
    let acc = accumulator(cx, elem)?;
    let kept = dims.into_iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    tensor(cx.ctx, kept.map(|(_, dim)| dim).collect(), acc)
}

/// The operands' sizes, with elements of the accumulator's type.
pub fn scan(cx: &InferCx<'_>) -> Inferred {
    let operands: Vec<_> = (0..cx.operands.len()).map(|index| operand(cx, index)).collect::<Result<_, _>>()?;
    let elems: Vec<Type> = operands.iter().map(|&(_, elem)| elem).collect();
    attr::<ScanCombiner>(cx, "combiner")?.check(&elems)?;
    let (dims, mut elem) = operand(cx, 0)?;
    for (other, ty) in &operands {
        if *other != dims {
            return Err(
                format!("the operands of a scan have the same sizes, not {} and {}", show(&dims), show(other)).into()
            );
        }
        elem = promote(cx.ctx, elem, *ty)?;
    }
    let axis = attr::<Int>(cx, "axis")?;
    if usize::try_from(axis).map_or(true, |axis| axis >= dims.len()) {
        return Err(format!("axis {axis} is none of the {} axes of {}", dims.len(), show(&dims)).into());
    }
    let acc = accumulator(cx, elem)?;
    tensor(cx.ctx, dims, acc)
}

/// As the operand; the axis exists.
pub fn sort(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let axis = attr::<Int>(cx, "axis")?;
    if usize::try_from(axis).map_or(true, |axis| axis >= dims.len()) {
        return Err(format!("axis {axis} is none of the {} axes of {}", dims.len(), show(&dims)).into());
    }
    tensor(cx.ctx, dims, elem)
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

fn elem_attr(cx: &InferCx<'_>) -> Result<Type, BrokenRule> {
    let elem = cx.prop("elem").and_then(|attr| attr.as_type(cx.ctx));
    elem.ok_or_else(|| "there is no type to cast to".into())
}
