//! Attention, head by head as the formula has it.

use dlc_core::eval::{elem, give, tensor};
use dlc_core::tensor::{Access, Contraction, TensorValue};
use dlc_ir::interp::{Datum, Eval, EvalResult};
use dlc_ir::{Context, Type};

use super::norms::exponentials;
use crate::ops::Attention;

/// Each query's mean of the values.
pub fn attention(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (op, ctx) = (Attention::from(cx.op), cx.op.ctx);
    let (query, key, value) = (tensor(cx, 0)?, tensor(cx, 1)?, tensor(cx, 2)?);
    let mask = if op.mask().is_some() { Some(tensor(cx, 3)?) } else { None };
    let size = query.shape()[query.rank() - 1] as f64;
    let scale = op.scale().unwrap_or(1.0 / libm::sqrt(size));
    let scores = Heads::of(query, key).scores(ctx, query, key);
    let mean = scores.and_then(|scores| {
        let scores = scores.map_float(ctx, Type::F64, |score| score * scale)?;
        let scores = masked(ctx, &scores, mask, op.causal().is_some())?;
        let (_, exponentials, sum) = exponentials(ctx, &scores, scores.rank() - 1)?;
        let mut weights = exponentials.zip_float(ctx, &sum, Type::F64, |e, sum| e / sum)?;
        if mask.is_some() {
            // Of a query that sees no key all scores are minus infinity: its weights are zero.
            let hidden = |weight: f64, score: f64| if score == f64::NEG_INFINITY { 0.0 } else { weight };
            weights = weights.zip_float(ctx, &scores, Type::F64, hidden)?;
        }
        Heads::of(query, key).mean(ctx, &weights, value, elem(cx))
    });
    give(cx, mean)
}

/// The scores, minus infinity where a key is not seen.
fn masked(
    ctx: &Context,
    scores: &TensorValue,
    mask: Option<&TensorValue>,
    causal: bool,
) -> Result<TensorValue, String> {
    let (rank, shape) = (scores.rank(), scores.shape().to_vec());
    let mut scores = scores.clone();
    let hidden = TensorValue::splat(ctx, vec![], Type::F64, &Datum::Float(f64::NEG_INFINITY))?;
    match mask {
        Some(mask) if mask.kind().is_float() => {
            scores = scores.zip_float(ctx, mask, Type::F64, |score, mask| score + mask)?;
        }
        Some(mask) => scores = TensorValue::select(ctx, mask, &scores, &hidden)?,
        None => {}
    }
    if causal {
        let position = |axis| TensorValue::iota(ctx, shape.clone(), Type::I64, axis);
        let seen = position(rank - 1)?.compare_int(ctx, &position(rank - 2)?, |key, query| key <= query)?;
        scores = TensorValue::select(ctx, &seen, &scores, &hidden)?;
    }
    Ok(scores)
}

/// The loops that queries and keys have in common: `[batch.., key heads, queries of a head, queries, keys]`.
struct Heads {
    /// Before the axis of the heads, if there is one.
    batch: Vec<usize>,
    /// Heads of the keys, and how many heads of the queries each is for.
    heads: Option<(usize, usize)>,
    queries: usize,
    keys: usize,
}

impl Heads {
    fn of(query: &TensorValue, key: &TensorValue) -> Heads {
        let (rank, shape) = (query.rank(), query.shape());
        let batch = shape[..rank.saturating_sub(3)].to_vec();
        let heads = (rank > 2).then(|| {
            let own = key.shape()[rank - 3];
            (own, shape[rank - 3].checked_div(own).unwrap_or(0))
        });
        Heads { batch, heads, queries: shape[rank - 2], keys: key.shape()[rank - 2] }
    }

    /// The sizes of the loops, and for each axis up to the heads what the queries and what the keys read there.
    fn loops(&self, last: usize) -> (Vec<usize>, Vec<Access>, Vec<Access>) {
        let mut sizes = self.batch.clone();
        let mut queries: Vec<Access> = (0..sizes.len()).map(|axis| Access(vec![(axis, 1)])).collect();
        let mut keys = queries.clone();
        if let Some((heads, each)) = self.heads {
            let at = sizes.len();
            sizes.extend([heads, each]);
            queries.push(Access(vec![(at, each as i64), (at + 1, 1)]));
            keys.push(Access(vec![(at, 1)]));
        }
        sizes.extend([self.queries, self.keys, last]);
        (sizes, queries, keys)
    }

    /// The sizes of a result that has a last axis next to the heads and queries.
    fn shape(&self, last: usize) -> Vec<usize> {
        let mut shape = self.batch.clone();
        shape.extend(self.heads.map(|(heads, each)| heads * each));
        shape.extend([self.queries, last]);
        shape
    }

    /// `query @ transpose(key)`
    fn scores(&self, ctx: &Context, query: &TensorValue, key: &TensorValue) -> Result<TensorValue, String> {
        let (sizes, mut lhs, mut rhs) = self.loops(query.shape()[query.rank() - 1]);
        let (q, k, d) = (sizes.len() - 3, sizes.len() - 2, sizes.len() - 1);
        lhs.extend([q, d].map(|at| Access(vec![(at, 1)])));
        rhs.extend([k, d].map(|at| Access(vec![(at, 1)])));
        let spec = Contraction { out: (0..=k).collect(), sizes, lhs, rhs };
        TensorValue::contract(ctx, query, key, &spec, Type::F64)?.reshape(&self.shape(self.keys))
    }

    /// `weights @ value`
    fn mean(
        &self,
        ctx: &Context,
        weights: &TensorValue,
        value: &TensorValue,
        elem: Type,
    ) -> Result<TensorValue, String> {
        let last = value.shape()[value.rank() - 1];
        let (sizes, mut lhs, mut rhs) = self.loops(last);
        let (q, k, d) = (sizes.len() - 3, sizes.len() - 2, sizes.len() - 1);
        lhs.extend([q, k].map(|at| Access(vec![(at, 1)])));
        rhs.extend([k, d].map(|at| Access(vec![(at, 1)])));
        let out = (0..=q).chain([d]).collect();
        let spec = Contraction { sizes, lhs, rhs, out };
        TensorValue::contract(ctx, weights, value, &spec, elem)?.reshape(&self.shape(last))
    }
}
