//! Reductions whose elements go to positions that are data, in any order: the region as two. The first computes each element,
//! and where it goes; the second reads what they combine to, and does the rest. So each element is read once, where a reduction
//! would look at all of them for each position.
//!
//! What is found is a sum, maximum or minimum along one axis of `select %c, %v, identity` where `%c` says that a value, the
//! index, equals the position on an axis of the result; neither the index nor `%v` may depend on that axis. Sums of floats are
//! marked [`ANY_ORDER`]; of integers, and maxima and minima of all numbers, every order gives the same.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::scalar::{self, ANY_ORDER, Combiner, identity_of, is_identity_of};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Attr, Builder, Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, BroadcastInDim, Const, Index, NewBinary, NewRead, Read, Reduce, Select, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

use super::declare::{add_inputs, declare};
use crate::analysis::axes::{before_broadcasts, contributions, goes_along, reductions};
use crate::rewrites::unused::erase_unused;

/// How the memory of sums is aligned, in bytes.
const ALIGN: i64 = 128;

/// From so many positions on elements go to theirs where no mark says so: fewer cost less to compare with all of them, and
/// many elements would wait for each other.
pub const POSITIONS: i64 = 64;

/// A reduction whose elements go to positions that are data.
#[derive(Clone)]
pub struct Scattered {
    /// How elements are combined.
    pub combiner: Combiner,
    /// The region that gives what is there before the first element.
    pub fill: Body,
    /// Whether nothing else is done with what elements combine to.
    pub is_result: bool,
    /// Whether the region says that any order will do.
    pub is_marked: bool,
    /// The region that computes the elements: its result is each of them.
    pub elements: Body,
    /// The position of each on an axis of the sums, a value of `elements`.
    pub index: ValueId,
    /// Which axis that is.
    pub place: usize,
    /// The axes of the sums; that one has no name in `elements`.
    pub axes: Vec<String>,
    /// The region that reads the sums, an argument of it after those of the region, and does the rest.
    pub rest: Body,
    /// The name and the memory of the sums.
    pub memory: (String, Type),
}

/// Whether a region's elements go to their positions for sizes like these: see [`scattered`].
pub fn is_scattered(ctx: &Context, region: &Body, size: &dyn Fn(&str) -> i64) -> bool {
    scattered(ctx, region).is_some_and(|found| {
        let positions = KernelAxes::of(ctx, region).size(&found.axes[found.place]).cloned();
        let positions = positions.and_then(|size_of| size_of.eval(&|name| Some(size(name))).ok());
        found.is_marked || positions.is_some_and(|positions| positions >= POSITIONS)
    })
}

/// What a contribution is, and where it counts.
struct Masked {
    value: ValueId,
    index: ValueId,
    /// The axis of the sums whose position the index is.
    axis: String,
}

/// Whether threads add to memory elements of a type in one step.
fn is_added(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64 | Type::I32 | Type::I64)
}

/// The only reduction of a region, if its elements go to positions that are data, and their order does not matter. So do elements
/// whose positions are expressions of where they are.
pub fn scattered(ctx: &Context, region: &Body) -> Option<Scattered> {
    let &[id] = reductions(ctx, region).as_slice() else { return None };
    let by_values = by_values(ctx, region, id);
    let region = by_values.as_ref().unwrap_or(region);
    let reduce = Reduce::from(OpRef::new(ctx, region, id));
    let is_marked = reduce.attr(ctx.intern_str(ANY_ORDER)).is_some();
    let combiner = reduce.combiner().filter(|combiner| *combiner != Combiner::Prod)?;
    if goes_along(ctx, region) || region.parent_op(id) != Some(region.root()) {
        return None;
    }
    let masked = masked(ctx, region, reduce, combiner)?;
    let axes = KernelAxes::of(ctx, region);
    let result = reduce.results().next()?;
    let ty = Value::expect(ctx, region.value_type(result));
    let own: Vec<String> = ty.axes(ctx).into_iter().map(String::from).collect();
    let place = own.iter().position(|axis| *axis == masked.axis)?;
    // The second region has no other axes than the results.
    let is_result = |axis: &String| axes.position(axis).is_some_and(|at| at < axes.iters);
    let elem = ty.elem(ctx);
    let is_in_any_order = is_marked || combiner != Combiner::Sum || elem.is_integer(ctx);
    if !is_added(elem) || !is_in_any_order || !own.iter().all(is_result) {
        return None;
    }
    let dims = own.iter().map(|axis| axes.size(axis).cloned()).collect::<Option<Vec<SizeExpr>>>()?;
    let memory = MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ALIGN, false);
    let name = ctx.str(region.value_name(result)).to_string();
    let name = if name.is_empty() { "sums".to_string() } else { format!("{name}_sums") };
    // Elements have the axes that are reduced where the sums have the one that the index says.
    let reduced: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
    let at = |(at, axis): (usize, &String)| if at == place { reduced.clone() } else { vec![axis.clone()] };
    let order: Vec<String> = own.iter().enumerate().flat_map(at).collect();
    // Each element has a place of its own among them: by itself, or by where it goes.
    let [of_value, of_index] = [masked.value, masked.index].map(|value| axes_of(ctx, region.value_type(value)));
    if !order.iter().all(|axis| of_value.contains(&axis.as_str()) || of_index.contains(&axis.as_str())) {
        return None;
    }
    let elements = elements(ctx, region, id, &masked, &order, memory)?;
    let fill = fill(ctx, region, identity_of(ctx, combiner, elem), &own, (&name, memory))?;
    let rest = rest(ctx, region, id, (&name, memory), &own);
    let is_result = is_read_alone(ctx, &rest, &own);
    let (index, memory) = (masked.index, (name, memory));
    Some(Scattered { combiner, fill, is_result, is_marked, elements, index, place, axes: own, rest, memory })
}

/// Whether a region has its last argument as its result, over axes in that order.
fn is_read_alone(ctx: &Context, region: &Body, own: &[String]) -> bool {
    let Some(block) = region.entry_block() else { return false };
    let [read, end] = region.ops(block).collect::<Vec<_>>()[..] else { return false };
    let axes = KernelAxes::of(ctx, region);
    let (view, end) = (Read::of(OpRef::new(ctx, region, read)), Yield::of(OpRef::new(ctx, region, end)));
    view.zip(end).is_some_and(|(view, end)| {
        let is_plain = Some(&view.source()) == region.args(block).last() && own[..] == axes.names[..axes.iters];
        is_plain && end.values().eq([view.out()])
    })
}

/// The region with positions as values that are compared, where a reduction chooses its elements by one equation of axes.
fn by_values(ctx: &Context, region: &Body, reduce: OpId) -> Option<Body> {
    let end = Yield::of(OpRef::new(ctx, region, region.last_op(contributions(region, reduce)?)?))?;
    let chosen = region.defining_op(before_broadcasts(ctx, region, end.values().next()?))?;
    let select = Select::of(OpRef::new(ctx, region, chosen))?;
    let guard = select.guard()?;
    let [conditions] = guard.pieces.as_slice() else { return None };
    let [condition] = conditions.as_slice() else { return None };
    let (lower, upper) = (condition.lower.as_ref()?, condition.upper.as_ref()?);
    let difference = condition.expr.sub(lower).ok().filter(|_| upper.sub(lower).ok() == Some(1.into()))?;
    let results = axes_of(ctx, region.value_type(region.result(reduce, 0)));
    let (axis, position) = results.iter().find_map(|axis| Some((*axis, solved(&difference, axis)?)))?;
    let operands: Vec<ValueId> = select.operands().collect();
    let (loc, out) = (select.loc(), Value::expect(ctx, region.value_type(region.result(chosen, 0))));
    let names: Vec<&str> = out.axes(ctx);
    let number = |position: &SizeExpr| {
        let symbols = position.symbols();
        let own = names.iter().copied().filter(|name| symbols.iter().any(|symbol| **symbol == **name)).collect();
        (vec![position.clone()], Value::get(ctx, Type::I64, own))
    };
    let of_axis = number(&SizeExpr::symbol(axis).ok()?);
    let of_element = number(&position);
    let equal = Value::get(ctx, Type::I1, names.clone());
    let mut body = region.clone();
    let mut builder = Builder::new(ctx, &mut body, InsertPoint::Before(chosen));
    let [lhs, rhs] = [of_axis, of_element].map(|(at, ty)| {
        let made = Index::build(&mut builder, loc, at, ty);
        builder.result(made)
    });
    let condition = NewBinary { function: scalar::Binary::Eq, lhs, rhs, widen: None, out_type: equal };
    let condition = condition.build(&mut builder, loc);
    let condition = builder.result(condition);
    let operands = [&[condition], operands.as_slice()].concat();
    let made = Select::build(&mut builder, loc, &operands, None, region.value_type(region.result(chosen, 0)));
    let made = builder.result(made);
    let old = body.result(chosen, 0);
    body.replace_all_uses(old, made);
    body.erase_op(chosen);
    Some(body)
}

/// What a name is where an expression is zero, if it is in it once, as it is or taken away.
fn solved(expr: &SizeExpr, name: &str) -> Option<SizeExpr> {
    let rest = expr.substitute(&|other| (other == name).then(|| 0.into())).ok()?;
    let (own, zero) = (SizeExpr::symbol(name).ok()?, SizeExpr::from(0));
    match expr.sub(&rest).ok()? {
        term if term == own => zero.sub(&rest).ok(),
        term if term == zero.sub(&own).ok()? => Some(rest),
        _ => None,
    }
}

/// The region that gives a number everywhere, over some axes.
fn fill(ctx: &Context, region: &Body, number: Attr, own: &[String], (name, memory): (&str, Type)) -> Option<Body> {
    let axes = KernelAxes::of(ctx, region);
    let iters = own.iter().map(|axis| Some((axis.as_str(), axes.size(axis)?.clone()))).collect::<Option<Vec<_>>>()?;
    let elem = MemRef::expect(ctx, memory).elem(ctx);
    let mut body = region.clone();
    let block = body.entry_block()?;
    let loc = body.loc(body.last_op(block)?);
    for op in body.ops(block).collect::<Vec<_>>().into_iter().rev() {
        body.erase_op(op);
    }
    let mut builder = Builder::at_end(ctx, &mut body, block);
    let made = Const::build(&mut builder, loc, number, Value::get(ctx, elem, Vec::new()));
    let made = builder.result(made);
    let ty = Value::get(ctx, elem, own.iter().map(String::as_str).collect());
    let sizes = iters.iter().map(|(_, size)| size.clone()).collect();
    let all = BroadcastInDim::build(&mut builder, loc, made, sizes, Vec::new(), ty);
    let all = builder.result(all);
    Yield::build(&mut builder, loc, &[all], Some(vec![name]), None);
    declare(ctx, &mut body, iters, &[(name, memory)]);
    Some(body)
}

/// What the elements of a reduction are, if an index says where each counts.
fn masked(ctx: &Context, region: &Body, reduce: Reduce<'_>, combiner: Combiner) -> Option<Masked> {
    let end = Yield::of(OpRef::new(ctx, region, region.last_op(contributions(region, reduce.id)?)?))?;
    let seen = |value: ValueId| before_broadcasts(ctx, region, value);
    let made = |value: ValueId| Some(OpRef::new(ctx, region, region.defining_op(value)?));
    let select = Select::of(made(seen(end.values().next()?))?).filter(|select| select.guard().is_none())?;
    let operands: Vec<ValueId> = select.operands().collect();
    let &[condition, value, otherwise] = operands.as_slice() else { return None };
    let zero = Const::of(made(seen(otherwise))?)?;
    let elem = Value::expect(ctx, region.value_type(otherwise)).elem(ctx);
    let equal = Binary::of(made(seen(condition))?).filter(|op| op.function() == scalar::Binary::Eq)?;
    if !is_identity_of(ctx, combiner, zero.value(), elem) {
        return None;
    }
    let value = seen(value);
    let (lhs, rhs) = (seen(equal.lhs()), seen(equal.rhs()));
    [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(position, index)| {
        let at = Index::of(made(position)?)?.value();
        let axis = at.first()?.as_symbol()?.to_string();
        let depends = |value: ValueId| axes_of(ctx, region.value_type(value)).contains(&axis.as_str());
        let is_integer = Value::expect(ctx, region.value_type(index)).elem(ctx).is_integer(ctx);
        (is_integer && !depends(index) && !depends(value)).then_some(Masked { value, index, axis })
    })
}

/// The region with each element of a reduction as its result, over axes in an order.
fn elements(
    ctx: &Context,
    region: &Body,
    reduce: OpId,
    masked: &Masked,
    order: &[String],
    memory: Type,
) -> Option<Body> {
    let axes = KernelAxes::of(ctx, region);
    let iters = order.iter().map(|axis| Some((axis.as_str(), axes.size(axis)?.clone()))).collect::<Option<Vec<_>>>()?;
    let mut body = region.clone();
    let (block, inner) = (body.entry_block()?, contributions(&body, reduce)?);
    let end = body.last_op(block)?;
    let loc = body.loc(end);
    for op in body.ops(inner).collect::<Vec<_>>() {
        if body.next_op(op).is_some() {
            body.move_op(op, InsertPoint::Before(reduce));
        }
    }
    body.erase_op(end);
    let own = axes_of(ctx, body.value_type(masked.value));
    let mut builder = Builder::at_end(ctx, &mut body, block);
    let element = if own.len() == order.len() {
        masked.value
    } else {
        let dims = own.iter().map(|axis| order.iter().position(|other| other == axis)).collect::<Option<Vec<_>>>()?;
        let dims = dims.into_iter().map(|dim| dim as i64).collect();
        let sizes = iters.iter().map(|(_, size)| size.clone()).collect();
        let ty = Value::get(ctx, MemRef::expect(ctx, memory).elem(ctx), order.iter().map(String::as_str).collect());
        let all = BroadcastInDim::build(&mut builder, loc, masked.value, sizes, dims, ty);
        builder.result(all)
    };
    Yield::build(&mut builder, loc, &[element], Some(vec!["element"]), None);
    // Users stand after what they use. The index says where elements go, and no other op need use it.
    let index = body.defining_op(masked.index);
    for op in body.ops(block).collect::<Vec<_>>().into_iter().rev().skip(1) {
        if body.is_unused(op) && Some(op) != index {
            body.erase_op(op);
        }
    }

    declare(ctx, &mut body, iters, &[("element", memory)]);
    Some(body)
}

/// The region with the sums read from memory.
fn rest(ctx: &Context, region: &Body, reduce: OpId, (name, memory): (&str, Type), own: &[String]) -> Body {
    let mut body = region.clone();
    let block = body.entry_block().expect("a region with a reduction has a body");
    let (loc, result) = (body.loc(reduce), body.result(reduce, 0));
    let source = body.add_arg(block, memory, loc);
    body.set_value_name(source, ctx.intern_str(name));
    let at = own.iter().map(|axis| SizeExpr::symbol(axis).expect("an axis has a name of a symbol")).collect();
    let out_type = body.value_type(result);
    let read = NewRead { source, indices: &[], at, guard: None, fill: None, out_type };
    let read = read.build(&mut Builder::new(ctx, &mut body, InsertPoint::Before(reduce)), loc);
    let sums = body.result(read, 0);
    body.replace_all_uses(result, sums);
    erase_unused(ctx, &mut body, vec![reduce]);
    add_inputs(ctx, &mut body, &[memory]);
    body
}
