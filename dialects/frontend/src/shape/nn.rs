//! The sizes of normalizations and attention.

use dlc_core::broadcast::{broadcast, promote, show};
use dlc_core::infer::{axes, operand, optional, tensor};
use dlc_ir::Type;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Int;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

use super::reductions::axis_below;

dlc_ir::codes! {
    /// Queries, keys, values and mask of attention do not go together.
    ATTENTION_MISMATCH = "E1222" "AttentionMismatch";
}

/// The type of the operand, whose axis exists.
pub fn softmax(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    let axis = optional::<Int>(cx, "axis")?.unwrap_or(dims.len() as i64 - 1);
    axis_below(axis, &dims)?;
    tensor(cx.ctx, dims, elem)
}

/// The type of the operand, whose axes exist.
pub fn norm(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    if dims.is_empty() {
        return Err("a scalar has no axis to normalize".into());
    }
    if cx.prop("axes").is_some() {
        axes(cx, "axes", dims.len())?;
    }
    tensor(cx.ctx, dims, elem)
}

/// How many neighbouring heads of the queries share a head of the keys; `None` when that is no whole number.
pub fn heads_per_key(query: &[SizeExpr], key: &[SizeExpr]) -> Option<SizeExpr> {
    match (query.len().checked_sub(3), key.len().checked_sub(3)) {
        (Some(at), Some(_)) if query[at] == key[at] => Some(1.into()),
        (Some(at), Some(_)) => query[at].try_div(&key[at]),
        _ => Some(1.into()),
    }
}

/// The queries' sizes, with the last one of the values.
pub fn attention(cx: &InferCx<'_>) -> Inferred {
    let ((query, a), (key, b), (value, c)) = (operand(cx, 0)?, operand(cx, 1)?, operand(cx, 2)?);
    let wrong = |message: String| BrokenRule::new(&ATTENTION_MISMATCH, message);
    let rank = query.len();
    if rank < 2 || key.len() != rank || value.len() != rank {
        let message =
            format!("queries {}, keys {} and values {} have not the same axes", show(&query), show(&key), show(&value));
        return Err(wrong(message).suggest("all three are [.., heads, length, size]"));
    }
    if query[rank - 1] != key[rank - 1] {
        let message = format!("queries of size {} are compared with keys of size {}", query[rank - 1], key[rank - 1]);
        return Err(wrong(message).suggest("the last axis of queries and keys has one size"));
    }
    if key[..rank - 1] != value[..rank - 1] {
        let message = format!("there are keys {}, but values {}", show(&key[..rank - 1]), show(&value[..rank - 1]));
        return Err(wrong(message).suggest("there is a value for each key: only their last axes may differ"));
    }
    let batch = rank.saturating_sub(3);
    if query[..batch] != key[..batch] {
        let message =
            format!("the leading axes of queries are {}, of keys {}", show(&query[..batch]), show(&key[..batch]));
        return Err(wrong(message).suggest("expand the keys and values, or reshape both"));
    }
    if heads_per_key(&query, &key).is_none() {
        let message = format!("{} heads of queries are no multiple of {} heads of keys", query[batch], key[batch]);
        return Err(wrong(message).suggest("each head of the keys is for as many heads of the queries"));
    }
    if cx.operands.len() > 3 {
        let (mask, elem) = operand(cx, 3)?;
        let mut scores = query.clone();
        scores[rank - 1] = key[rank - 2].clone();
        if elem != Type::I1 && elem.float_kind(cx.ctx).is_none() {
            let message = format!("a mask of {} is neither true or false nor added", elem.display(cx.ctx));
            return Err(wrong(message).suggest("give a mask of i1, or of floats that are added to the scores"));
        }
        if broadcast(&mask, &scores).ok().is_none_or(|both| both != scores) {
            let message = format!("a mask {} is not broadcast to the scores {}", show(&mask), show(&scores));
            return Err(wrong(message).suggest("aligned at the right, each of its sizes is 1 or that of the scores"));
        }
    }
    let mut dims = query;
    dims[rank - 1] = value[rank - 1].clone();
    tensor(cx.ctx, dims, promote(cx.ctx, promote(cx.ctx, a, b)?, c)?)
}

/// The axes that an op normalizes: those that are named, or the last one.
pub fn normalized(named: Option<Vec<i64>>, rank: usize) -> Vec<usize> {
    match named {
        Some(axes) => axes.into_iter().map(|axis| axis as usize).collect(),
        None => vec![rank - 1],
    }
}
