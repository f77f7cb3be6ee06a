//! Broadcasts and transposes in the bodies of reductions become reads over the axes and in the order that is wanted.

use dlc_core::sizes::Sizes;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, ValueId};
use dlc_region::ops::{BroadcastInDim, Reduce, Transpose};
use dlc_region::types::Value;
use dlc_region::verify::KernelAxes;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::axes::{axes, before_broadcasts, contributions, depends, elem, places, set_axes};
use crate::rewrites::unused::erase_unused;

/// The reductions that are in no other, each with the ops of its body and of those of reductions in it, in order.
/// Regions that combine are left out.
fn outermost(ctx: &Context, body: &Body) -> Vec<(OpId, Vec<OpId>)> {
    let Some(entry) = body.entry_block() else { return Vec::new() };
    let reduces = body.ops(entry).filter(|&op| OpRef::new(ctx, body, op).is(Reduce::DEF));
    reduces.map(|reduce| (reduce, inside(ctx, body, reduce))).collect()
}

fn inside(ctx: &Context, body: &Body, reduce: OpId) -> Vec<OpId> {
    let mut ops = Vec::new();
    for op in contributions(body, reduce).into_iter().flat_map(|block| body.ops(block)) {
        if OpRef::new(ctx, body, op).is(Reduce::DEF) {
            ops.extend(inside(ctx, body, op));
        }
        // A reduction is named after what it holds: its type follows from that of its contributions.
        ops.push(op);
    }
    ops
}

/// Lets ops in bodies use what was broadcast. How many uses.
pub fn remove_broadcasts(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut removed = 0;
    let mut unused = Vec::new();
    let mut kernel = None;
    for (_, ops) in outermost(ctx, body) {
        let before = removed;
        for &op in &ops {
            if OpRef::new(ctx, body, op).is(BroadcastInDim::DEF) {
                continue;
            }
            for index in 0..body.num_operands(op) {
                let value = body.operand(op, index);
                let input = before_broadcasts(ctx, body, value);
                if input != value && cx.allows_rule("broadcast") {
                    unused.extend(body.defining_op(value));
                    body.set_operand(op, index, input);
                    removed += 1;
                }
            }
        }
        if removed > before {
            let kernel = kernel.get_or_insert_with(|| KernelAxes::of(ctx, body));
            ops.into_iter().for_each(|op| narrow(ctx, body, op, kernel));
        }
    }
    erase_unused(ctx, body, unused);
    removed
}

/// Takes the axes away that the result of an op no longer depends on.
fn narrow(ctx: &Context, body: &mut Body, op: OpId, kernel: &KernelAxes) {
    let view = OpRef::new(ctx, body, op);
    // The type of a broadcast or a reduction is wanted as it is, whatever it is computed from.
    if let Some(broadcast) = BroadcastInDim::of(view) {
        let to = axes(ctx, body, broadcast.out());
        let from = axes(ctx, body, broadcast.input());
        return set_ints(ctx, body, op, "dims", places(&from, &to));
    }
    if view.is(Reduce::DEF) || view.results().len() != 1 {
        return;
    }
    let (out, needed, transposed) = (view.result(0), depends(view, kernel), Transpose::of(view).map(Transpose::input));
    let mut own = axes(ctx, body, out);
    let had = own.len();
    own.retain(|axis| needed.contains(axis));
    if own.len() == had {
        return;
    }
    if let Some(input) = transposed {
        let from = axes(ctx, body, input);
        set_ints(ctx, body, op, "by", places(&own, &from));
    }
    set_axes(ctx, body, out, own);
}

fn set_ints(ctx: &Context, body: &mut Body, op: OpId, key: &str, ints: Vec<i64>) {
    let attr = IntArray::make(ctx, ints);
    body.set_prop(ctx, op, ctx.intern_str(key), Some(attr));
}

/// Gives all values in the bodies of a reduction their axes in one order, so that transposes between them go. How many
/// are gone.
pub fn remove_transposes(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut removed = 0;
    for (reduce, ops) in outermost(ctx, body) {
        let transposes: Vec<OpId> =
            ops.iter().copied().filter(|&op| OpRef::new(ctx, body, op).is(Transpose::DEF)).collect();
        if transposes.is_empty() {
            continue;
        }
        let kernel = KernelAxes::of(ctx, body);
        let rank = Rank::of(ctx, body, reduce, &kernel);
        let transposed = match to_transpose(ctx, body, reduce, &ops, &rank) {
            Ok(transposed) if transposed.len() < transposes.len() => transposed,
            Ok(_) => continue,
            Err(why) => {
                cx.remark(RemarkKind::Missed, body.loc(reduce), format!("transposes stay in this reduction: {why}"));
                continue;
            }
        };
        if cx.allows_rule("transpose") {
            removed += (transposes.len() - transposed.len()) as u64;
            reorder(ctx, body, reduce, ops, transposed, &rank);
            erase_unused(ctx, body, transposes);
        }
    }
    removed
}

/// The order of the axes in the bodies of a reduction: those of its first result, then the others of the kernel.
struct Rank<'a>(Vec<&'a str>);

impl<'a> Rank<'a> {
    fn of(ctx: &'a Context, body: &Body, reduce: OpId, kernel: &'a KernelAxes) -> Rank<'a> {
        let mut order = body.results(reduce).next().map(|out| axes(ctx, body, out)).unwrap_or_default();
        let first = order.len();
        order.extend(kernel.names.iter().map(String::as_str));
        let mut at = 0;
        let own = order[..first].to_vec();
        order.retain(|axis| {
            at += 1;
            at <= first || !own.contains(axis)
        });
        Rank(order)
    }

    fn place(&self, axis: &str) -> usize {
        self.0.iter().position(|known| *known == axis).unwrap_or(self.0.len())
    }

    fn sorted<'v>(&self, mut axes: Vec<&'v str>) -> Vec<&'v str> {
        axes.sort_by_key(|axis| self.place(axis));
        axes
    }

    fn is_sorted(&self, axes: &[&str]) -> bool {
        axes.is_sorted_by_key(|axis| self.place(axis))
    }
}

/// A value seen without the transposes among some ops.
fn before_transposes(ctx: &Context, body: &Body, mut value: ValueId, among: &FxHashSet<OpId>) -> ValueId {
    while let Some(op) = body.defining_op(value).filter(|op| among.contains(op)) {
        let Some(transpose) = Transpose::of(OpRef::new(ctx, body, op)) else { break };
        value = transpose.input();
    }
    value
}

/// The values from outside that need a transpose for themselves, in the order of their first use. An error in words
/// where the bodies stay as they are.
fn to_transpose(
    ctx: &Context,
    body: &Body,
    reduce: OpId,
    ops: &[OpId],
    rank: &Rank<'_>,
) -> Result<Vec<ValueId>, String> {
    if body.results(reduce).any(|out| !rank.is_sorted(&axes(ctx, body, out))) {
        return Err("its results have their axes in different orders".into());
    }
    let among: FxHashSet<OpId> = ops.iter().copied().collect();
    let mut transposed = Vec::new();
    for &op in ops {
        let view = OpRef::new(ctx, body, op);
        if Reduce::of(view).is_some_and(|inner| inner.combiner().is_none()) {
            return Err("a reduction in it combines its accumulators by a region".into());
        }
        if view.is(Transpose::DEF) {
            continue;
        }
        for value in view.operands() {
            let value = before_transposes(ctx, body, value, &among);
            let outside = body.defining_op(value).is_none_or(|op| !among.contains(&op));
            if outside && !rank.is_sorted(&axes(ctx, body, value)) && !transposed.contains(&value) {
                transposed.push(value);
            }
        }
    }
    Ok(transposed)
}

fn reorder(ctx: &Context, body: &mut Body, reduce: OpId, ops: Vec<OpId>, transposed: Vec<ValueId>, rank: &Rank<'_>) {
    let among: FxHashSet<OpId> = ops.iter().copied().collect();
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let Some(block) = contributions(body, reduce) else { return };
    let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
    for value in transposed {
        let from = axes(ctx, builder.body, value);
        let to = rank.sorted(from.clone());
        let (by, loc) = (places(&to, &from), builder.body.loc(reduce));
        let ty = Value::get(ctx, elem(ctx, builder.body, value), to);
        let op = Transpose::build(&mut builder, loc, value, by, ty);
        replaced.insert(value, builder.result(op));
    }
    for op in ops {
        let view = OpRef::new(ctx, body, op);
        if view.is(Transpose::DEF) {
            continue;
        }
        let wanted: Vec<ValueId> = view
            .operands()
            .map(|value| {
                let value = before_transposes(ctx, body, value, &among);
                replaced.get(&value).copied().unwrap_or(value)
            })
            .collect();
        let results: Vec<ValueId> = view.results().collect();
        for (index, value) in wanted.into_iter().enumerate() {
            if body.operand(op, index) != value {
                body.set_operand(op, index, value);
            }
        }
        for out in results {
            let sorted = rank.sorted(axes(ctx, body, out));
            set_axes(ctx, body, out, sorted);
        }
        widen_again(ctx, body, op);
    }
}

/// A broadcast that was left says again where its axes are.
fn widen_again(ctx: &Context, body: &mut Body, op: OpId) {
    let view = OpRef::new(ctx, body, op);
    let Some(broadcast) = BroadcastInDim::of(view) else { return };
    let kernel = KernelAxes::of(ctx, body);
    let to = axes(ctx, body, broadcast.out());
    let from = axes(ctx, body, broadcast.input());
    let sizes = to.iter().filter_map(|axis| kernel.size(axis).cloned()).collect();
    let shape = Sizes::make(ctx, sizes);
    set_ints(ctx, body, op, "dims", places(&from, &to));
    body.set_prop(ctx, op, ctx.intern_str("shape"), Some(shape));
}
