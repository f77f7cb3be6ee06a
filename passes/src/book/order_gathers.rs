//! Writes gathers with their axes in the order of the table, as elements that are neighbours there stay neighbours, and with
//! positions that are known as expressions.
//!
//! A gather along a later axis of a tensor is lowered with the axes of its indices first, and its readers want them back where
//! that axis was. A gather that is stored would lie across for all of them. An index whose elements are where they stand, as
//! those of the axes next to the one that is indexed, is an expression: neighbours are read together then.
//!
//! **Requires**: book.
//! **Ensures**: book. The axes of a gather stand as the positions on the axes of its table name them, unless a reshape or the
//! function's result needs them as they were, or the gather has the attribute `contiguous`. No index is an iota, but where it may
//! lie outside. A gather without an index is an entry that copies.
//!
//! **Before**
//! ```mlir before
//! book.func @f<B, N>(%x: tensor<[B, 9, 16], f32>, %i: tensor<[N], i32>) -> tensor<[B, N, 16], f32> {
//!   %g = gather non_scop axes (i0: N, i1: B, i2: 16) of %x at [i1, %i (i0), i2] : tensor<[N, B, 16], f32>
//!   %y = entry neg axes (i0: B, i1: N, i2: 16) of %g at (i1, i0, i2) : tensor<[B, N, 16], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @f<B, N>(%x: tensor<[B, 9, 16], f32>, %i: tensor<[N], i32>) -> tensor<[B, N, 16], f32> {
//!   %g = gather non_scop axes (i0: B, i1: N, i2: 16) of %x at [i0, %i (i1), i2] : tensor<[B, N, 16], f32>
//!   %y = entry neg axes (i0: B, i1: N, i2: 16) of %g at (i0, i1, i2) : tensor<[B, N, 16], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** change which elements are read: positions that may lie outside of the table stay elements. Linear in the gathers
//! and their users. Rules of the debug counters: `order`, `known`.

use dlc_book::ops::{Entry, Function, Gather, Iota, NewEntry, NewGather, Reduce, Scan, Sort};
use dlc_book::syntax::{element, element_of};
use dlc_book::verify::axis_names;
use dlc_core::CONTIGUOUS;
use dlc_core::access::{Access, Accesses};
use dlc_core::bounds::Axes;
use dlc_core::sizes::Exprs;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::define::Kind;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, ValueId};

static DEF: PassDef = PassDef {
    requires: &["book"],
    statistics: &[
        StatDef { name: "ordered", doc: "Gathers whose axes have another order." },
        StatDef { name: "known", doc: "Gathers with an index that became an expression." },
    ],
    ..PassDef::base("order-gathers", "Writes gathers with their axes in the order of the table.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(OrderGathers))
}

struct OrderGathers;

impl Pass for OrderGathers {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (mut ordered, mut known) = (0, 0);
        for op in body.walk() {
            let Some(gather) = Gather::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let at = known_positions(gather);
            let op = match at.filter(|_| cx.allows_rule("known")) {
                Some(at) => {
                    known += 1;
                    let message = "the elements of an index are where they stand: the position is an expression";
                    cx.remark(RemarkKind::Passed, body.loc(op), message.to_string());
                    with_positions(cx.ctx, body, op, at)
                }
                None => op,
            };
            let Some(gather) = Gather::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let order = order_of(gather);
            let is_ordered = order.iter().enumerate().all(|(place, &axis)| place == axis);
            if is_ordered || !can_order(gather) || !cx.allows_rule("order") {
                continue;
            }
            let message = "its axes stand in the order of the table, where its readers find neighbours side by side";
            cx.remark(RemarkKind::Passed, body.loc(op), message.to_string());
            reorder(cx.ctx, body, op, &order);
            ordered += 1;
        }
        cx.count("ordered", ordered);
        cx.count("known", known);
        Ok(())
    }
}

/// The positions of a gather, with expressions for indices that are iotas and lie within the table. `None` where there are none.
fn known_positions(gather: Gather<'_>) -> Option<Vec<SizeExpr>> {
    let (ctx, body) = (gather.ctx, gather.body);
    let (indices, accesses): (Vec<ValueId>, Vec<Access>) = (gather.indices().collect(), gather.accesses());
    let (sizes, dims) = (gather.axes(), Tensor::of(ctx, body.value_type(gather.table()))?.dims(ctx));
    let names = axis_names(sizes.len());
    let known = |position: &SizeExpr, dim: &SizeExpr| {
        let index = element_of(position)?;
        let access = accesses.get(index).filter(|access| access.guard.is_none())?;
        let iota = Iota::of(OpRef::new(ctx, body, body.defining_op(*indices.get(index)?)?))?;
        let own = axis_names(access.at.len());
        let at = |name: &str| own.iter().position(|other| other == name).map(|axis| access.at[axis].clone());
        // Numbers of fewer bits may begin anew within the axis.
        let bits = Tensor::of(ctx, body.value_type(iota.out()))?.elem(ctx).bits(ctx)?;
        let is_exact = bits == 64 || bits == 32 && dim.as_constant().is_some_and(|dim| dim <= 1 << 31);
        let value = iota.value().first()?.substitute(&at).ok().filter(|_| is_exact)?;
        let mut axes = Axes::new(names.iter().map(String::as_str).collect(), &sizes);
        let is_inside = axes.outside(&Access::everywhere(vec![value.clone()]), std::slice::from_ref(dim)).is_none();
        is_inside.then_some(value)
    };
    let at = gather.at();
    let found: Vec<Option<SizeExpr>> = at.iter().zip(&dims).map(|(position, dim)| known(position, dim)).collect();
    let any = found.iter().any(Option::is_some);
    any.then(|| found.into_iter().zip(at).map(|(found, position)| found.unwrap_or(position)).collect())
}

/// Puts a gather at other positions in place of one, or a copy where no index is left.
fn with_positions(ctx: &Context, body: &mut Body, op: OpId, at: Vec<SizeExpr>) -> OpId {
    let gather = Gather::from(OpRef::new(ctx, body, op));
    let (table, axes, loc, old) = (gather.table(), gather.axes(), gather.loc(), gather.out());
    let attrs = body.attrs(op);
    let all: Vec<(ValueId, Access)> = gather.indices().zip(gather.accesses()).collect();
    let mut used: Vec<usize> = at.iter().filter_map(element_of).collect();
    used.sort_unstable();
    used.dedup();
    let renumbered = |position: &SizeExpr| match element_of(position) {
        Some(index) => element(used.iter().position(|&other| other == index).unwrap_or(0)),
        None => position.clone(),
    };
    let at: Vec<SizeExpr> = at.iter().map(renumbered).collect();
    let (indices, accesses): (Vec<ValueId>, Vec<Access>) = used.iter().map(|&index| all[index].clone()).unzip();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let made = if indices.is_empty() {
        let (inputs, accesses) = ([table], vec![Access::everywhere(at)]);
        NewEntry { inputs: &inputs, function: Function::Copy, axes, accesses, elem: None, widen: None }
            .build(&mut builder, loc)
    } else {
        NewGather { table, indices: &indices, axes, at, accesses }.build(&mut builder, loc)
    };
    let result = body.result(made, 0);
    body.set_attrs(made, attrs);
    body.set_value_name(result, body.value_name(old));
    body.replace_all_uses(old, result);
    body.erase_op(op);
    made
}

/// The axes of a gather in the order in which the positions on the axes of its table name them. An element of an index names
/// those that it is read at. Axes that none names stand last.
fn order_of(gather: Gather<'_>) -> Vec<usize> {
    let names = axis_names(gather.axes().len());
    let accesses = gather.accesses();
    let mut order: Vec<usize> = Vec::new();
    let mut name = |expr: &SizeExpr| {
        let symbols = expr.symbols();
        let named = (0..names.len()).filter(|&axis| symbols.iter().any(|symbol| **symbol == *names[axis]));
        for axis in named {
            if !order.contains(&axis) {
                order.push(axis);
            }
        }
    };
    for position in gather.at() {
        match element_of(&position).and_then(|index| accesses.get(index)) {
            Some(access) => access.at.iter().for_each(&mut name),
            None => name(&position),
        }
    }
    order.extend((0..names.len()).filter(|axis| !order.contains(axis)).collect::<Vec<_>>());
    order
}

/// Whether all readers of a gather say at which position on each axis they read it, and nothing asks for its order.
fn can_order(gather: Gather<'_>) -> bool {
    let (ctx, body) = (gather.ctx, gather.body);
    let has_accesses = |op: OpId| {
        let op = OpRef::new(ctx, body, op);
        Entry::of(op).is_some() || Reduce::of(op).is_some() || Scan::of(op).is_some() || Sort::of(op).is_some()
    };
    let is_placed = |op: OpId| has_accesses(op) || Gather::of(OpRef::new(ctx, body, op)).is_some();
    gather.attr(ctx.intern_str(CONTIGUOUS)).is_none() && body.uses(gather.out()).all(|user| is_placed(user.op))
}

/// Gives a gather its axes in another order, and its readers the positions on them.
fn reorder(ctx: &Context, body: &mut Body, op: OpId, order: &[usize]) {
    let gather = Gather::from(OpRef::new(ctx, body, op));
    let names = axis_names(order.len());
    let renamed = |name: &str| {
        let axis = names.iter().position(|own| own == name)?;
        let place = order.iter().position(|&other| other == axis)?;
        SizeExpr::symbol(&names[place]).ok()
    };
    let moved = |expr: &SizeExpr| expr.substitute(&renamed).ok();
    let accesses = gather.accesses().iter().map(|access| access.map(&moved)).collect::<Option<Vec<_>>>();
    let at = gather.at().iter().map(moved).collect::<Option<Vec<_>>>();
    let accesses = accesses.expect("an axis is renamed to another one");
    let at = at.expect("an axis is renamed to another one");
    let (axes, indices, table) = (gather.axes(), gather.indices().collect::<Vec<_>>(), gather.table());
    let (loc, old) = (gather.loc(), gather.out());
    let axes = order.iter().map(|&axis| axes[axis].clone()).collect();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let made = NewGather { table, indices: &indices, axes, at, accesses }.build(&mut builder, loc);
    let made = body.result(made, 0);
    body.set_value_name(made, body.value_name(old));
    let users: Vec<(OpId, usize)> = body.uses(old).map(|user| (user.op, user.index)).collect();
    for (user, operand) in users {
        turn(ctx, body, (user, operand), order);
        body.set_operand(user, operand, made);
    }
    body.erase_op(op);
}

/// Lets a reader have the positions on the axes of one of its operands in another order.
fn turn(ctx: &Context, body: &mut Body, (user, operand): (OpId, usize), order: &[usize]) {
    let reordered = |at: &[SizeExpr]| -> Vec<SizeExpr> { order.iter().map(|&axis| at[axis].clone()).collect() };
    let op = OpRef::new(ctx, body, user);
    let gather = Gather::of(op);
    if let Some(gather) = gather.filter(|_| operand == 0) {
        let at = Exprs::make(ctx, reordered(&gather.at()));
        body.set_prop(ctx, user, ctx.intern_str("at"), Some(at));
        return;
    }
    let place = operand - usize::from(gather.is_some());
    let mut accesses: Vec<Access> = gather.map_or_else(|| accesses_of(op), |gather| gather.accesses());
    accesses[place].at = reordered(&accesses[place].at);
    body.set_prop(ctx, user, ctx.intern_str("accesses"), Some(Accesses::make(ctx, accesses)));
}

/// How a reader reads its operands.
fn accesses_of(op: OpRef<'_>) -> Vec<Access> {
    let all = [
        Entry::of(op).map(|entry| entry.accesses()),
        Reduce::of(op).map(|reduce| reduce.accesses()),
        Scan::of(op).map(|scan| scan.accesses()),
        Sort::of(op).map(|sort| sort.accesses()),
    ];
    all.into_iter().flatten().next().expect("only ops with accesses read a gather that is ordered")
}
