//! Rows of a value with phases, read along one axis of another op: `%x at (i0, i1 floordiv 4, i1 mod 4)` is a `reshape` of
//! `%x` at `(i0, i1)`. The value is stored whole for them, so the `reshape` costs nothing, and a reduction and its reader
//! have the same axes.

use dlc_book::ops::{Entry, Reduce, Reshape};
use dlc_core::access::{Access, Accesses};
use dlc_core::types::Tensor;
use dlc_ir::OpId;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::Kind as _;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;

use super::{Parts, Splits};

impl Splits {
    /// Lets an op that reads rows of a value with phases read them along its own axes.
    pub(super) fn join_rows(&mut self, body: &mut Body, op: OpId, cx: &PassCx<'_>) {
        let (ctx, view) = (cx.ctx, OpRef::new(cx.ctx, body, op));
        let (axes, mut accesses) = match (Entry::of(view), Reduce::of(view)) {
            (Some(entry), _) => (entry.axes(), entry.accesses()),
            (_, Some(reduce)) => ([reduce.axes(), reduce.over()].concat(), reduce.accesses()),
            _ => return,
        };
        let loc = view.loc();
        let operands: Vec<_> = view.operands().collect();
        for (index, operand) in operands.into_iter().enumerate() {
            let Some(ty) = Tensor::of(ctx, body.value_type(operand)).filter(|_| self.of_phases.contains(&operand))
            else {
                continue;
            };
            // Of a longer value the first positions are read: it is not stored as the reader sees it.
            let is_whole = accesses[index].guard.is_none() && !self.longer.contains_key(&operand);
            let joined = is_whole.then(|| joined(&ty.dims(ctx), &accesses[index].at, &axes)).flatten();
            let Some((dims, at)) = joined.filter(|_| cx.allows_rule("rows")) else { continue };
            cx.remark(RemarkKind::Passed, loc, "rows of a value with phases are read along one axis");
            let ty = Tensor::get(ctx, dims, ty.elem(ctx));
            let rows = *self.rows.entry((operand, ty)).or_insert_with(|| {
                let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
                let rows = Reshape::build(&mut builder, loc, operand, ty);
                builder.result(rows)
            });
            body.set_operand(op, index, rows);
            accesses[index] = Access::everywhere(at);
        }
        body.set_prop(ctx, op, ctx.intern_str("accesses"), Some(Accesses::make(ctx, accesses)));
    }
}

/// A tensor with axes joined where its reader goes along them in the order of memory by one axis of its own: the sizes,
/// and the positions that are read. `None` where there are none.
fn joined(sizes: &[SizeExpr], at: &[SizeExpr], axes: &[SizeExpr]) -> Option<(Vec<SizeExpr>, Vec<SizeExpr>)> {
    let mut space = Parts::of(axes, &vec![Vec::new(); axes.len()])?;
    let (mut dims, mut positions) = (Vec::new(), Vec::new());
    let mut next = 0;
    while next < sizes.len() {
        let mut end = next + 1;
        let (mut size, mut position) = (sizes[next].clone(), at[next].clone());
        let mut found = None;
        while found.is_none() && end < sizes.len() && at[next].as_symbol().is_none() {
            size = size.mul(&sizes[end]).ok()?;
            position = position.mul(&sizes[end]).and_then(|position| position.add(&at[end])).ok()?;
            end += 1;
            let axis = space.simplified(&position)?;
            let is_axis = axis.as_symbol().and_then(super::axis_of).is_some_and(|own| axes.get(own) == Some(&size));
            found = is_axis.then(|| (size.clone(), axis, end));
        }
        let (size, position, end) = found.unwrap_or_else(|| (sizes[next].clone(), at[next].clone(), next + 1));
        dims.push(size);
        positions.push(position);
        next = end;
    }
    (dims.len() < sizes.len()).then_some((dims, positions))
}
