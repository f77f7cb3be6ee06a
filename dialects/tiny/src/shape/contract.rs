//! The loops of a contraction, and the sizes that follow.

use dlc_core::broadcast::{promote, show};
use dlc_core::infer::{accumulator, attr, operand, optional, tensor};
use dlc_core::sizes::Exprs;
use dlc_ir::affine::{SizeExpr, SizeRanges};
use dlc_ir::define::TypeAttr;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

/// What a contraction loops over, read from the names of its indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loops {
    /// The name and size of each index, in the order of their first appearance: result, left, right.
    pub indices: Vec<(String, SizeExpr)>,
    /// For each axis of the left operand the indices that its position is a sum of, with their coefficients.
    pub lhs: Vec<Vec<(usize, i64)>>,
    /// The same of the right operand.
    pub rhs: Vec<Vec<(usize, i64)>>,
    /// The index of each axis of the result.
    pub out: Vec<usize>,
}

/// The sizes of the indices that the result has, in the type of the accumulator.
pub fn contract(cx: &InferCx<'_>) -> Inferred {
    let ((lhs, a), (rhs, b)) = (operand(cx, 0)?, operand(cx, 1)?);
    let names = |key| attr::<Exprs>(cx, key);
    let loops = loops((&lhs, &names("lhs_idx")?), (&rhs, &names("rhs_idx")?), &names("out_idx")?)?;
    let dims = loops.out.iter().map(|&at| loops.indices[at].1.clone()).collect();
    let common = promote(cx.ctx, a, b)?;
    let product = optional::<TypeAttr>(cx, "product")?.unwrap_or(common);
    if promote(cx.ctx, common, product)? != product {
        let (product, common) = (product.display(cx.ctx), common.display(cx.ctx));
        return Err(format!("elements of type {common} cannot be multiplied in {product}, which is narrower").into());
    }
    tensor(cx.ctx, dims, accumulator(cx, product)?)
}

/// The loops of a contraction of two operands, each with its sizes and the indices of its axes.
pub fn loops(
    lhs: (&[SizeExpr], &[SizeExpr]),
    rhs: (&[SizeExpr], &[SizeExpr]),
    out: &[SizeExpr],
) -> Result<Loops, BrokenRule> {
    let mut found = Names::default();
    let mut out_axes = Vec::new();
    for index in out {
        let name = index.as_symbol().ok_or_else(|| format!("the result is indexed by names alone, not by {index}"))?;
        let at = found.place(name);
        if out_axes.contains(&at) {
            return Err(format!("the result has the index {name} twice").into());
        }
        out_axes.push(at);
    }
    let lhs_axes = found.axes("left", lhs)?;
    let rhs_axes = found.axes("right", rhs)?;
    // Sizes of the indices that some axis has alone; then those of windows, which need the others.
    for (axes, dims) in [(&lhs_axes, lhs.0), (&rhs_axes, rhs.0)] {
        for (axis, dim) in axes.iter().zip(dims) {
            match axis[..] {
                [(at, 1)] => found.size(at, dim)?,
                [] if dim.as_constant() != Some(1) => {
                    return Err(format!("an axis that is written 0 has the size 1, not {dim}").into());
                }
                _ => {}
            }
        }
    }
    for (axes, dims) in [(&lhs_axes, lhs.0), (&rhs_axes, rhs.0)] {
        for (axis, dim) in axes.iter().zip(dims) {
            if !matches!(axis[..], [] | [(_, 1)]) {
                found.window(axis, dim)?;
            }
        }
    }
    let sizes = found.0.iter().map(|(name, size)| {
        let size = size.clone().ok_or_else(|| format!("nothing says how large the index {name} is"))?;
        Ok((name.clone(), size))
    });
    let indices = sizes.collect::<Result<_, BrokenRule>>()?;
    Ok(Loops { indices, lhs: lhs_axes, rhs: rhs_axes, out: out_axes })
}

/// The names of indices, with their sizes as far as they are known.
#[derive(Default)]
struct Names(Vec<(String, Option<SizeExpr>)>);

impl Names {
    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.0.iter().position(|(known, _)| known == name) {
            return place;
        }
        self.0.push((name.to_string(), None));
        self.0.len() - 1
    }

    /// The indices of each axis of an operand.
    fn axes(
        &mut self,
        side: &str,
        (dims, indices): (&[SizeExpr], &[SizeExpr]),
    ) -> Result<Vec<Vec<(usize, i64)>>, BrokenRule> {
        if dims.len() != indices.len() {
            let (own, given) = (dims.len(), indices.len());
            return Err(format!("the {side} operand {} has {own} axes, and {given} indices", show(dims)).into());
        }
        let axis = |index: &SizeExpr| {
            let positive = index
                .as_linear()
                .filter(|(terms, constant)| *constant == 0 && terms.iter().all(|(_, coefficient)| *coefficient > 0));
            let (terms, _) = positive.ok_or_else(|| {
                BrokenRule::from(format!("the index {index} of the {side} operand is no sum of names"))
                    .suggest("an index is a name, a sum such as 2*ho + kh, or 0 for a repeated size of 1")
            })?;
            Ok(terms.iter().map(|(name, coefficient)| (self.place(name), *coefficient)).collect())
        };
        indices.iter().map(axis).collect()
    }

    /// An axis has the index alone: that is its size.
    fn size(&mut self, at: usize, dim: &SizeExpr) -> Result<(), BrokenRule> {
        let (name, size) = &mut self.0[at];
        match size {
            Some(known) if known != dim => {
                Err(format!("the index {name} has the size {known} and the size {dim}").into())
            }
            _ => {
                *size = Some(dim.clone());
                Ok(())
            }
        }
    }

    /// An axis is a window: its one unknown index goes as far as the axis; with none, all positions must exist.
    fn window(&mut self, axis: &[(usize, i64)], dim: &SizeExpr) -> Result<(), BrokenRule> {
        let overflow = |error: dlc_ir::affine::AffineError| BrokenRule::from(error.message.into_owned());
        // How many positions are left when all known indices stand at their last: dim - sum (size - 1) * coefficient.
        let mut left = dim.clone();
        let mut unknown = None;
        for &(at, coefficient) in axis {
            let factor = SizeExpr::from(coefficient);
            match &self.0[at].1 {
                Some(size) => {
                    let last = size.sub(&SizeExpr::from(1)).and_then(|last| last.mul(&factor)).map_err(overflow)?;
                    left = left.sub(&last).map_err(overflow)?;
                }
                None if unknown.is_some() => {
                    let name = &self.0[at].0;
                    return Err(
                        format!("nothing says how large the index {name} is: its window has another such").into()
                    );
                }
                None => unknown = Some((at, factor)),
            }
        }
        match unknown {
            // The last position is size - 1, and each step takes the coefficient.
            Some((at, factor)) => {
                let size = left.sub(&SizeExpr::from(1)).and_then(|last| last.floordiv(&factor));
                let size = size.and_then(|size| size.add(&SizeExpr::from(1))).map_err(overflow)?;
                // A window may have no place at all, which is a size; one larger still gives none.
                if SizeExpr::from(0).prove_le(&size, &SizeRanges::default()) == Some(false) {
                    return Err(format!("a window is larger than the axis of size {dim} that it moves over").into());
                }
                self.0[at].1 = Some(size);
            }
            None if SizeExpr::from(1).prove_le(&left, &SizeRanges::default()) == Some(false) => {
                return Err(format!("a window goes beyond the size {dim} of its axis").into());
            }
            None => {}
        }
        Ok(())
    }
}
