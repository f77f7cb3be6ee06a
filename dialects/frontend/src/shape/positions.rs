//! The sizes of what is taken by position.

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::{as_float, operand, tensor};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

use super::reductions::axis_of;
use super::views::within;

dlc_ir::codes! {
    /// A rotary embedding of an axis that has no halves, or with angles of other sizes.
    ROPE_MISMATCH = "E1207" "RopeMismatch";
}

/// The sizes of the indices, then those of a row.
pub fn embedding(cx: &InferCx<'_>) -> Inferred {
    let ((table, elem), (ids, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    match table.split_first() {
        Some((_, row)) => tensor(cx.ctx, [&ids, row].concat(), elem),
        None => Err("a table has at least one axis".into()),
    }
}

/// The sizes of the indices in place of that of the axis.
pub fn take(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), (ids, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    let axis = axis_of(cx, &dims)?;
    tensor(cx.ctx, [&dims[..axis], &ids, &dims[axis + 1..]].concat(), elem)
}

/// The sizes of the indices.
pub fn gather(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), (ids, _)) = (operand(cx, 0)?, operand(cx, 1)?);
    let axis = axis_of(cx, &dims)?;
    let fits = dims.len() == ids.len() && (0..dims.len()).all(|at| at == axis || within(&ids[at], &dims[at]));
    if !fits {
        let message = format!("indices of {} do not stand next to elements of {}", show(&ids), show(&dims));
        let fix = "there is an index for each element of the result; rows are taken with 'take'";
        return Err(BrokenRule::from(message).suggest(fix));
    }
    tensor(cx.ctx, ids, elem)
}

/// The sizes of what is added to, with the common type. What is added has the same but for the axis, and an index for each
/// position of that, or for each element.
pub fn scatter(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), (ids, _), (updates, own)) = (operand(cx, 0)?, operand(cx, 1)?, operand(cx, 2)?);
    let axis = axis_of(cx, &dims)?;
    let fits = dims.len() == updates.len() && (0..dims.len()).all(|at| at == axis || updates[at] == dims[at]);
    if !fits {
        let message = format!("{} is not added to {} along axis {axis}", show(&updates), show(&dims));
        return Err(BrokenRule::from(message).suggest("but for the axis both have the same sizes"));
    }
    if ids != updates[axis..=axis] && ids != updates {
        let message = format!("indices of {} do not say where parts of {} go", show(&ids), show(&updates));
        return Err(
            BrokenRule::from(message).suggest("there is an index for each part along the axis, or for each element")
        );
    }
    let elem = promote(cx.ctx, elem, own)?;
    if elem == Type::I1 {
        return Err(
            BrokenRule::from("numbers are added, not truth values").suggest("cast the operands to a type of numbers")
        );
    }
    tensor(cx.ctx, dims, elem)
}

/// The half of the last size. `None` when it has none.
pub fn half(dims: &[SizeExpr]) -> Option<SizeExpr> {
    dims.last()?.try_div(&SizeExpr::from(2))
}

/// The type of the input, which is one of floats.
pub fn rope(cx: &InferCx<'_>) -> Inferred {
    let ((dims, elem), (cos, cos_elem), (sin, sin_elem)) = (operand(cx, 0)?, operand(cx, 1)?, operand(cx, 2)?);
    promote(cx.ctx, elem, promote(cx.ctx, cos_elem, sin_elem)?)?;
    let Some(half) = half(&dims) else {
        let message = format!("the last axis of {} has no halves", show(&dims));
        return Err(BrokenRule::new(&ROPE_MISMATCH, message).suggest("write its size as twice something, such as 2*H"));
    };
    let mut pairs = dims.clone();
    pairs.pop();
    pairs.push(half);
    for angles in [&cos, &sin] {
        if broadcast(&pairs, angles).ok().as_ref() != Some(&pairs) {
            let message = format!("angles of {} do not broadcast to the pairs {}", show(angles), show(&pairs));
            return Err(BrokenRule::new(&ROPE_MISMATCH, message));
        }
    }
    tensor(cx.ctx, dims, as_float(cx.ctx, elem))
}

/// The type of the operand, which has two axes or more.
pub fn triangle(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    match dims.len() {
        0 | 1 => Err(format!("a matrix has at least two axes, not those of {}", show(&dims)).into()),
        _ => tensor(cx.ctx, dims, elem),
    }
}
