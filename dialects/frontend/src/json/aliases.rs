//! Names of nodes and attributes that other programs use, and what they are here: `Conv2D`, one `axis` where there may be
//! several, axes counted from the end, `heads`.

use dlc_core::broadcast::show;
use dlc_core::json::{Node, Read, Record, WRONG_VALUE};
use dlc_core::sizes::Exprs;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Int, IntArray, Kind};
use dlc_ir::op::{InferCx, OpDef};
use dlc_ir::{Attr, Body, Context, ValueId};

use crate::ops;

/// The key of an attribute that attention may have: how many heads lie side by side in the last axis of its operands.
pub(super) const HEADS: &str = "heads";

/// The name of an op without the number of its spatial axes, and that number: `Conv2D` is `Conv` with two.
pub(super) fn spatial(written: &str) -> Option<(&str, usize)> {
    let (name, axes) = [("1D", 1), ("2D", 2), ("3D", 3)].iter().find_map(|(ending, axes)| {
        let lower = ending.to_lowercase();
        Some((written.strip_suffix(ending).or_else(|| written.strip_suffix(lower.as_str()))?, *axes))
    })?;
    ["Conv", "ConvTranspose", "MaxPool", "AvgPool"].contains(&name).then_some((name, axes))
}

/// The first operand has as many spatial axes as the name of the node says.
pub(super) fn check_spatial(ctx: &Context, body: &Body, op: &Node<'_>, operands: &[ValueId]) -> Read<()> {
    let written = op.string("the name of an op")?;
    let Some((_, axes)) = spatial(&written) else { return Ok(()) };
    let Some(dims) = dims(ctx, body, operands) else { return Ok(()) };
    if dims.len() == axes + 2 {
        return Ok(());
    }
    let message = format!("'{written}' has {axes} spatial axes of {}, and its input is {}", axes + 2, show(&dims));
    Err(op.report(op.error(&WRONG_VALUE, message)))
}

fn dims(ctx: &Context, body: &Body, operands: &[ValueId]) -> Option<Vec<SizeExpr>> {
    Some(Tensor::of(ctx, body.value_type(*operands.first()?))?.dims(ctx))
}

/// The keys of attributes that a node may have besides its own.
pub(super) fn keys(def: &OpDef) -> Vec<&'static str> {
    let has = |name: &str| def.attrs.iter().any(|spec| spec.name == name);
    let axis = (has("axes") && !has("axis")).then_some("axis");
    axis.into_iter().chain((def.name == ops::Attention::NAME).then_some(HEADS)).collect()
}

/// Axes counted from the end as axes counted from the start.
pub(super) fn from_start(ctx: &Context, body: &Body, operands: &[ValueId], key: &str, attr: Attr) -> Attr {
    let Some(rank) = dims(ctx, body, operands).map(|dims| dims.len() as i64) else { return attr };
    let axis = |axis: i64| if axis < 0 { axis + rank } else { axis };
    match key {
        "axis" => Int::get(ctx, attr).map_or(attr, |own| ctx.i64_attr(axis(own))),
        "axes" => IntArray::get(ctx, attr).map_or(attr, |own| IntArray::make(ctx, own.into_iter().map(axis).collect())),
        _ => attr,
    }
}

/// The attribute `axes` of a node that has one `axis`, if it has.
pub(super) fn one_axis(
    ctx: &Context,
    body: &Body,
    def: &OpDef,
    operands: &[ValueId],
    attrs: &Record<'_>,
) -> Read<Option<Attr>> {
    let Some(node) = attrs.get("axis").filter(|_| keys(def).contains(&"axis")) else { return Ok(None) };
    if let Some(axes) = attrs.get("axes") {
        let error = axes.error(&WRONG_VALUE, "a node has 'axis' or 'axes', and this has both".to_string());
        return Err(axes.report(error));
    }
    let axis = from_start(ctx, body, operands, "axis", ctx.i64_attr(node.int()?));
    let axis = Int::get(ctx, axis).unwrap_or_default();
    let rank = dims(ctx, body, operands).map_or(0, |dims| dims.len() as i64);
    let is_norm = [ops::LayerNorm::NAME, ops::RmsNorm::NAME].contains(&def.name);
    if is_norm && axis != rank - 1 {
        // Elsewhere it is the first of several axes.
        let error = node.error(&WRONG_VALUE, format!("axis {axis} is not the last of {rank}"));
        let error = error.suggest("say with 'axes' along which axes it is: [1, 2] for all from axis 1 of three");
        return Err(node.report(error));
    }
    Ok(Some(IntArray::make(ctx, vec![axis])))
}

/// The axes of attention whose heads lie side by side in the last axis of its operands.
pub(super) struct Heads<'n, 'a> {
    pub ctx: &'n Context,
    /// The number that the node gives.
    pub node: &'n Node<'a>,
    pub heads: i64,
}

impl Heads<'_, '_> {
    /// The sizes of the heads of the operands, `[.., length, heads, size]`, for `[.., length, heads * size]`; `None` where
    /// heads are an axis of the operands already.
    pub fn shapes(&self, body: &Body, operands: &[ValueId]) -> Read<Option<Vec<Vec<SizeExpr>>>> {
        let wrong = |message: String| {
            let error = self.node.error(&WRONG_VALUE, message);
            Err(self.node.report(
                error.suggest("operands are [.., length, heads * size] with 'heads', or [.., heads, length, size]"),
            ))
        };
        let all: Option<Vec<Vec<SizeExpr>>> =
            operands.iter().take(3).map(|operand| dims(self.ctx, body, &[*operand])).collect();
        let Some(all) = all.filter(|all| all.len() == 3) else { return Ok(None) };
        let query = &all[0];
        if query.len() > 3 {
            return match query[query.len() - 3].as_constant() {
                Some(own) if own == self.heads => Ok(None),
                _ => wrong(format!("'heads' is {}, and the queries are {}", self.heads, show(query))),
            };
        }
        let last = |dims: &[SizeExpr]| dims.last().and_then(SizeExpr::as_constant).filter(|_| dims.len() >= 2);
        let exact = |whole: i64, parts: i64| (parts > 0 && whole % parts == 0).then(|| whole / parts);
        let sizes = || {
            let size = exact(last(query)?, self.heads)?;
            let of_keys = exact(last(&all[1])?, size)?;
            let of_values = exact(last(&all[2])?, of_keys)?;
            Some([(self.heads, size), (of_keys, size), (of_keys, of_values)])
        };
        let Some(sizes) = sizes() else {
            let shown = all.iter().map(|dims| show(dims)).collect::<Vec<_>>().join(", ");
            return wrong(format!("{} heads do not divide the last axes of {shown}", self.heads));
        };
        let split = |(dims, (heads, size)): (&Vec<SizeExpr>, (i64, i64))| {
            let mut dims = dims[..dims.len() - 1].to_vec();
            dims.extend([SizeExpr::from(heads), SizeExpr::from(size)]);
            dims
        };
        Ok(Some(all.iter().zip(sizes).map(split).collect()))
    }
}

/// The order that exchanges the axes of lengths and of heads.
pub(super) fn exchanged(rank: usize) -> Vec<i64> {
    let mut order: Vec<i64> = (0..rank as i64).collect();
    order.swap(rank - 3, rank - 2);
    order
}

/// The last two axes of a shape as one.
pub(super) fn joined(dims: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    let (rest, last) = dims.split_at(dims.len().checked_sub(2)?);
    let product = last[0].as_constant()?.checked_mul(last[1].as_constant()?)?;
    Some(rest.iter().cloned().chain([SizeExpr::from(product)]).collect())
}

/// A view of one operand, put at the end of a block.
pub(super) fn view(
    builder: &mut dlc_ir::Builder<'_>,
    def: &'static OpDef,
    loc: dlc_ir::Loc,
    operand: ValueId,
    (key, attr): (&'static str, Attr),
) -> Option<ValueId> {
    let ctx = builder.ctx;
    let props = [(ctx.intern_str(key), attr)];
    let types = def.infer?(&InferCx { ctx, body: builder.body, operands: &[operand], props: &props }).ok()?;
    let mut new = dlc_ir::builder::NewOp::new(def, loc);
    new.operands(&[operand]);
    new.attr(builder, key, attr);
    new.results(&types);
    let op = new.build(builder);
    Some(builder.result(op))
}

/// The attribute of a shape.
pub(super) fn shape(ctx: &Context, dims: Vec<SizeExpr>) -> Attr {
    Exprs::make(ctx, dims)
}
