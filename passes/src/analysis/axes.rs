//! Which axes the values of a kernel depend on, and how its ops stand in the bodies of its reductions.

use std::collections::BTreeSet;
use std::sync::Arc;

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{BlockId, Context, OpId, Type, ValueId};
use dlc_region::ops::{BroadcastInDim, Func, Index, Read, Reduce, Scan, Select, Sort, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

/// Whether the body is that of a kernel.
pub fn is_kernel(ctx: &Context, body: &Body) -> bool {
    OpRef::new(ctx, body, body.root()).is(Func::DEF)
}

/// The type of the numbers of a value over axes.
pub fn elem(ctx: &Context, body: &Body, value: ValueId) -> Type {
    Value::expect(ctx, body.value_type(value)).elem(ctx)
}

/// The axes that the type of a value names, in order.
pub fn axes<'a>(ctx: &'a Context, body: &Body, value: ValueId) -> Vec<&'a str> {
    axes_of(ctx, body.value_type(value))
}

/// Whether the type of a value names one of some axes.
pub fn is_over(ctx: &Context, body: &Body, value: ValueId, some: &[&str]) -> bool {
    axes(ctx, body, value).iter().any(|axis| some.contains(axis))
}

/// Gives a value other axes.
pub fn set_axes(ctx: &Context, body: &mut Body, value: ValueId, axes: Vec<&str>) {
    let ty = Value::get(ctx, elem(ctx, body, value), axes);
    body.set_value_type(value, ty);
}

/// Every value over axes of a kernel.
pub fn values(ctx: &Context, kernel: &Body) -> Vec<ValueId> {
    let mut found = Vec::new();
    for op in kernel.walk() {
        found.extend(kernel.results(op));
        for &region in kernel.regions(op) {
            found.extend(kernel.blocks(region).flat_map(|block| kernel.args(block).to_vec()));
        }
    }
    found.retain(|&value| Value::of(ctx, kernel.value_type(value)).is_some());
    found
}

/// The expressions of axes in an op: positions, guards, numbers.
pub fn exprs(op: OpRef<'_>) -> Vec<SizeExpr> {
    if let Some(read) = Read::of(op) {
        let guard = read.guard();
        return read.at().into_iter().chain(guard.iter().flat_map(|guard| guard.exprs().cloned())).collect();
    }
    if let Some(index) = Index::of(op) {
        return index.value();
    }
    let guard = Select::of(op).and_then(Select::guard);
    guard.iter().flat_map(|guard| guard.exprs().cloned()).collect()
}

/// The axes on which the result of an op depends, in the order of the kernel: those of its operands, and those that its
/// expressions name. Not for reductions, whose types say it.
pub fn depends<'k>(op: OpRef<'_>, kernel: &'k KernelAxes) -> Vec<&'k str> {
    let named: BTreeSet<Arc<str>> = exprs(op).iter().flat_map(SizeExpr::symbols).collect();
    let mut found: Vec<bool> = kernel.names.iter().map(|name| named.contains(&**name)).collect();
    for operand in op.operands() {
        for axis in axes_of(op.ctx, op.type_of(operand)) {
            if let Some(at) = kernel.position(axis) {
                found[at] = true;
            }
        }
    }
    kernel.names.iter().zip(found).filter(|(_, found)| *found).map(|(name, _)| name.as_str()).collect()
}

/// The block in which the contributions of a reduction are computed.
pub fn contributions(body: &Body, reduce: OpId) -> Option<BlockId> {
    body.regions(reduce).first().and_then(|&region| body.first_block(region))
}

/// What a reduction combines.
pub fn combined(reduce: Reduce<'_>) -> Vec<ValueId> {
    let end = contributions(reduce.body, reduce.id).and_then(|block| reduce.body.last_op(block));
    end.map(|end| reduce.body.operands(end).collect()).unwrap_or_default()
}

/// The reductions of a kernel, each before those in it.
pub fn reductions(ctx: &Context, body: &Body) -> Vec<OpId> {
    body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).is(Reduce::DEF)).collect()
}

/// Whether a kernel has results for which a reduction is the same: they have an axis that it has not.
pub fn is_repeated(ctx: &Context, body: &Body, reduce: OpId) -> bool {
    let all = KernelAxes::of(ctx, body);
    let own = body.results(reduce).next().map(|result| axes(ctx, body, result)).unwrap_or_default();
    all.names[..all.iters].iter().any(|axis| !own.contains(&axis.as_str()))
}

/// The scans of a kernel, in order.
pub fn scans(ctx: &Context, body: &Body) -> Vec<OpId> {
    body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).is(Scan::DEF)).collect()
}

/// The sorts of a kernel, in order.
pub fn sorts(ctx: &Context, body: &Body) -> Vec<OpId> {
    body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).is(Sort::DEF)).collect()
}

/// Whether a kernel has an op that goes along an axis: a scan or a sort.
pub fn goes_along(ctx: &Context, body: &Body) -> bool {
    !scans(ctx, body).is_empty() || !sorts(ctx, body).is_empty()
}

/// The axes that an op, or one in its regions, reduces.
pub fn bound_in<'a>(ctx: &'a Context, body: &'a Body, op: OpId) -> Vec<&'a str> {
    let mut inner = vec![op];
    body.walk_regions(op, &mut inner);
    inner.into_iter().filter_map(|op| Reduce::of(OpRef::new(ctx, body, op))).flat_map(|reduce| reduce.axes()).collect()
}

/// The op directly in a block that an op is, or is in; `None` where it is elsewhere.
pub fn ancestor_in(body: &Body, op: OpId, block: BlockId) -> Option<OpId> {
    std::iter::successors(Some(op), |&op| body.parent_op(op)).find(|&op| body.block_of(op) == Some(block))
}

/// Whether an op computes one number from others at the same point: whatever is neither a reduction, nor a scan or
/// a sort, nor memory, nor the end.
pub fn is_elementwise(op: OpRef<'_>) -> bool {
    op.results().len() == 1
        && op.operands().len() > 0
        && ![Read::DEF, Reduce::DEF, Scan::DEF, Sort::DEF, Yield::DEF].iter().any(|def| op.is(def))
}

/// A value seen without the broadcasts that it came through.
pub fn before_broadcasts(ctx: &Context, body: &Body, mut value: ValueId) -> ValueId {
    while let Some(op) = body.defining_op(value).and_then(|op| BroadcastInDim::of(OpRef::new(ctx, body, op))) {
        value = op.input();
    }
    value
}

/// Where each of some axes stands among others.
pub fn places(axes: &[&str], among: &[&str]) -> Vec<i64> {
    axes.iter().filter_map(|axis| among.iter().position(|other| other == axis)).map(|at| at as i64).collect()
}

/// A list of names as it is written.
pub fn list(names: &[&str]) -> String {
    format!("({})", names.join(", "))
}
