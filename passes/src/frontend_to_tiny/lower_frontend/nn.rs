//! Softmax, normalizations and attention: sums along axes, in `f32` where the elements are narrower.

use dlc_frontend::interp::EPS;
use dlc_frontend::ops::{self as frontend, Layout};
use dlc_frontend::shape::{heads_per_key, normalized};
use dlc_ir::affine::SizeExpr;
use dlc_ir::smallvec::smallvec;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner};

use super::emit::{Emit, Lower, Values};
use super::parts::name;

/// The rules of rows: distributions, normalizations, attention.
pub const RULES: &[Lower] = &[
    Lower { op: frontend::Softmax::DEF, emit: softmax },
    Lower { op: frontend::LogSoftmax::DEF, emit: log_softmax },
    Lower { op: frontend::LayerNorm::DEF, emit: layer_norm },
    Lower { op: frontend::RmsNorm::DEF, emit: rms_norm },
    Lower { op: frontend::GroupNorm::DEF, emit: group_norm },
    Lower { op: frontend::BatchNorm::DEF, emit: batch_norm },
    Lower { op: frontend::Attention::DEF, emit: attention },
];

/// Exponentials divided by their sum.
fn softmax(e: &mut Emit<'_>) -> Values {
    let axis = frontend::Softmax::from(e.source()).axis();
    let (elem, x) = (e.result_elem(0), e.operands[0]);
    let axis = axis.map_or(e.rank(x) - 1, |axis| axis as usize);
    let (_, exponentials, sum) = exponentials(e, x, axis, false);
    let y = e.fdiv(exponentials, sum);
    smallvec![e.cast(y, elem)]
}

/// The logarithm of that.
fn log_softmax(e: &mut Emit<'_>) -> Values {
    let axis = frontend::LogSoftmax::from(e.source()).axis();
    let (elem, x) = (e.result_elem(0), e.operands[0]);
    let axis = axis.map_or(e.rank(x) - 1, |axis| axis as usize);
    let (moved, _, sum) = exponentials(e, x, axis, false);
    let log = e.ln(sum);
    let y = e.sub(moved, log);
    smallvec![e.cast(y, elem)]
}

/// The elements less the largest along an axis, the exponentials of that, and their sum, whose axis has size 1.
///
/// When all elements of a row may be minus infinity, `guarded` keeps its exponentials zero and its sum one.
fn exponentials(e: &mut Emit<'_>, x: ValueId, axis: usize, guarded: bool) -> (ValueId, ValueId, ValueId) {
    let elem = e.compute_type(e.elem(x));
    let x = e.cast(x, elem);
    let mut largest = e.along(Combiner::Max, x, &[axis], elem);
    if guarded {
        let lowest = if elem == Type::F64 { f64::MIN } else { f64::from(f32::MIN) };
        let lowest = e.number(lowest, elem);
        largest = e.max(largest, lowest);
    }
    let moved = e.sub(x, largest);
    let exponentials = e.exp(moved);
    let mut sum = e.along(Combiner::Sum, exponentials, &[axis], elem);
    if guarded {
        // The largest element of any other row has the exponential 1.
        let one = e.number(1.0, elem);
        sum = e.max(sum, one);
    }
    (moved, exponentials, sum)
}

/// Moved and scaled to mean 0 and variance 1 along the axes.
fn layer_norm(e: &mut Emit<'_>) -> Values {
    let op = frontend::LayerNorm::from(e.source());
    let (axes, eps) = (normalized(op.axes(), e.rank(e.operands[0])), op.eps().unwrap_or(EPS));
    let (weight, bias) = (parameter(e, op.weight()), parameter(e, op.bias()));
    let y = standardized(e, e.operands[0], &axes, eps);
    affine(e, y, &axes, weight, bias)
}

/// Scaled to mean square 1 along the axes.
fn rms_norm(e: &mut Emit<'_>) -> Values {
    let op = frontend::RmsNorm::from(e.source());
    let (axes, eps) = (normalized(op.axes(), e.rank(e.operands[0])), op.eps().unwrap_or(EPS));
    let weight = parameter(e, op.weight());
    let elem = e.compute_type(e.elem(e.operands[0]));
    let x = e.cast(e.operands[0], elem);
    let count = e.count_along(x, &axes);
    let y = scaled(e, x, &axes, count, eps);
    affine(e, y, &axes, weight, None)
}

/// `layer_norm` with the axis of the channels as two.
fn group_norm(e: &mut Emit<'_>) -> Values {
    let op = frontend::GroupNorm::from(e.source());
    let (groups, eps) = (SizeExpr::from(op.groups()), op.eps().unwrap_or(EPS));
    let (weight, bias) = (parameter(e, op.weight()), parameter(e, op.bias()));
    let channels = op.layout().unwrap_or(Layout::ChannelsFirst).channels(e.rank(e.operands[0]));
    let dims = e.dims(e.operands[0]);
    let mut split = dims.clone();
    let each = dims[channels].try_div(&groups).expect("the verifier has divided the channels by the groups");
    split.splice(channels..=channels, [groups, each]);
    let axes: Vec<usize> = (1..split.len()).filter(|&axis| axis != channels).collect();
    let x = e.reshape(e.operands[0], split);
    let y = standardized(e, x, &axes, eps);
    let y = e.reshape(y, dims);
    affine(e, y, &[channels], weight, bias)
}

/// Moved by the mean, scaled by the weight over the square root of the variance: the scale is one number a channel.
fn batch_norm(e: &mut Emit<'_>) -> Values {
    let op = frontend::BatchNorm::from(e.source());
    let (eps, x) = (op.eps().unwrap_or(EPS), e.operands[0]);
    let (weight, bias) = (parameter(e, op.weight()), parameter(e, op.bias()));
    let rank = e.rank(x);
    let channels = op.layout().unwrap_or(Layout::ChannelsFirst).channels(rank);
    let elem = e.compute_type(e.elem(x));
    let [x, mean, variance] = [0, 1, 2].map(|at| e.cast(e.operands[at], elem));
    let mut scale = inverse_root(e, variance, eps);
    if let Some(weight) = weight {
        let weight = e.cast(weight, elem);
        scale = e.mul(scale, weight);
    }
    let (mean, scale) = (e.aligned(mean, &[channels], rank), e.aligned(scale, &[channels], rank));
    let moved = e.sub(x, mean);
    let y = e.mul(moved, scale);
    affine(e, y, &[channels], None, bias)
}

/// Less the mean, and scaled to variance 1.
fn standardized(e: &mut Emit<'_>, x: ValueId, axes: &[usize], eps: f64) -> ValueId {
    let elem = e.compute_type(e.elem(x));
    let x = e.cast(x, elem);
    let count = e.count_along(x, axes);
    let sum = e.along(Combiner::Sum, x, axes, elem);
    let mean = e.fdiv(sum, count);
    let centred = e.sub(x, mean);
    scaled(e, centred, axes, count, eps)
}

/// Scaled to mean square 1 along axes that have so many elements.
fn scaled(e: &mut Emit<'_>, x: ValueId, axes: &[usize], count: ValueId, eps: f64) -> ValueId {
    let square = e.mul(x, x);
    let sum = e.along(Combiner::Sum, square, axes, e.elem(x));
    let square = e.fdiv(sum, count);
    let scale = inverse_root(e, square, eps);
    e.mul(x, scale)
}

/// `1 / sqrt(x + eps)`
fn inverse_root(e: &mut Emit<'_>, x: ValueId, eps: f64) -> ValueId {
    let sum = e.plus(x, eps);
    let root = e.sqrt(sum);
    e.recip(root)
}

/// `y * weight + bias`, in the type of the result. The parameters belong to some axes of it.
fn affine(e: &mut Emit<'_>, mut y: ValueId, axes: &[usize], weight: Option<ValueId>, bias: Option<ValueId>) -> Values {
    let rank = e.rank(y);
    if let Some(weight) = weight {
        let weight = e.aligned(weight, axes, rank);
        y = e.mul(y, weight);
    }
    if let Some(bias) = bias {
        let bias = e.aligned(bias, axes, rank);
        y = e.add(y, bias);
    }
    let elem = e.result_elem(0);
    smallvec![e.cast(y, elem)]
}

/// What an operand of the op has become.
fn parameter(e: &Emit<'_>, value: Option<ValueId>) -> Option<ValueId> {
    let place = e.source().operands().position(|operand| Some(operand) == value)?;
    Some(e.operands[place])
}

/// Two contractions with a softmax between them.
fn attention(e: &mut Emit<'_>) -> Values {
    let op = frontend::Attention::from(e.source());
    let (scale, causal) = (op.scale(), op.causal().is_some());
    let (query, key, value, mask) = (e.operands[0], e.operands[1], e.operands[2], e.operands.get(3).copied());
    let (elem, rank) = (e.result_elem(0), e.rank(query));
    let acc = e.compute_type(elem);
    let (dims, keys) = (e.dims(query), e.dims(key));
    // Heads of queries that share a head of keys are an axis of their own.
    let each = heads_per_key(&dims, &keys).filter(|each| each.as_constant() != Some(1));
    let own = each.as_ref().map(|each| [keys[rank - 3].clone(), each.clone()]);
    let query = match &own {
        Some(own) => {
            let mut split = dims.clone();
            split.splice(rank - 3..=rank - 3, own.clone());
            e.reshape(query, split)
        }
        None => query,
    };
    let (key_idx, shared): (Vec<_>, Vec<_>) = (batch(rank), own.iter().map(|_| name("r")).collect());
    let with = |heads: &[SizeExpr], last: [&str; 2]| [heads, &last.map(name)].concat();
    let query_heads = [&key_idx[..], &shared].concat();
    let score_idx = with(&query_heads, ["m", "n"]);
    let scores = e.sum_of_products(
        (query, with(&query_heads, ["m", "d"])),
        (key, with(&key_idx, ["n", "d"])),
        score_idx.clone(),
        acc,
    );
    let scale = match scale {
        Some(scale) => e.number(scale, acc),
        None => match dims[rank - 1].as_constant() {
            Some(size) => e.number(1.0 / (size as f64).sqrt(), acc),
            None => {
                let size = e.count(&dims[rank - 1..], acc);
                let root = e.sqrt(size);
                e.recip(root)
            }
        },
    };
    let mut scores = e.mul(scores, scale);
    if let Some(mask) = mask {
        let mask = split_heads(e, mask, own);
        scores = masked(e, scores, mask);
    }
    let last = e.rank(scores) - 1;
    if causal {
        let both = e.dims(scores)[last - 1..].to_vec();
        let [query, key] = [0, 1].map(|axis| e.range(axis, both.clone(), Type::I32));
        let seen = e.cmp(tiny::Predicate::Le, key, query);
        scores = masked(e, scores, seen);
    }
    let (_, exponentials, sum) = exponentials(e, scores, last, mask.is_some());
    let weights = e.fdiv(exponentials, sum);
    let weights = e.cast(weights, e.elem(value));
    let out_idx = with(&query_heads, ["m", "e"]);
    let y = e.sum_of_products((weights, score_idx), (value, with(&key_idx, ["n", "e"])), out_idx, acc);
    let shape = e.result_dims(0);
    let y = e.reshape(y, shape);
    smallvec![e.cast(y, elem)]
}

/// The names of the axes before the length: of the batch and of the heads.
fn batch(rank: usize) -> Vec<SizeExpr> {
    let heads = rank.saturating_sub(2).min(1);
    let names = match rank - 2 - heads {
        1 => vec!["b".to_string()],
        count => (0..count).map(|at| format!("b{at}")).collect(),
    };
    names.iter().map(String::as_str).chain((0..heads).map(|_| "h")).map(name).collect()
}

/// A mask whose axis of heads, the third from the right, is split as that of the queries is.
fn split_heads(e: &mut Emit<'_>, mask: ValueId, own: Option<[SizeExpr; 2]>) -> ValueId {
    let mut dims = e.dims(mask);
    let (Some(own), Some(heads)) = (own, dims.len().checked_sub(3)) else { return mask };
    let split = if dims[heads].as_constant() == Some(1) { [1.into(), 1.into()] } else { own };
    dims.splice(heads..=heads, split);
    e.reshape(mask, dims)
}

/// The scores with what a mask of floats adds, or minus infinity where one of truth values is false.
fn masked(e: &mut Emit<'_>, scores: ValueId, mask: ValueId) -> ValueId {
    if e.elem(mask) != Type::I1 {
        return e.add(scores, mask);
    }
    let hidden = e.number(f64::NEG_INFINITY, e.elem(scores));
    e.where_(mask, scores, hidden)
}
