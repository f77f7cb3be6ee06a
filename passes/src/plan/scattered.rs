//! Sums whose elements go to positions that are data, in any order: the region as two. The first computes each element, and
//! where it goes; the second reads the sums, and does the rest. So each element is read once, where a reduction would look at
//! all of them for each position.
//!
//! What is found is a sum along one axis, marked [`ANY_ORDER`], of `select %c, %v, 0` where `%c` says that a value, the index,
//! equals the position on an axis of the sum; neither the index nor `%v` may depend on that axis.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::scalar::{self, ANY_ORDER, Combiner, identity_of, is_identity_of};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, BroadcastInDim, Const, Index, NewRead, Read, Reduce, Select, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

use super::declare::{add_inputs, declare};
use crate::analysis::axes::{before_broadcasts, contributions, goes_along, reductions};
use crate::rewrites::unused::erase_unused;

/// How the memory of sums is aligned, in bytes.
const ALIGN: i64 = 128;

/// A sum whose elements go to positions that are data.
#[derive(Clone)]
pub struct Scattered {
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

impl Scattered {
    /// Where the sums are the result and nothing else is done with them: the region that gives zeros in their place.
    pub fn zeros(&self, ctx: &Context) -> Option<Body> {
        let mut body = self.rest.clone();
        let block = body.entry_block()?;
        let [read, end] = body.ops(block).collect::<Vec<_>>()[..] else { return None };
        let axes = KernelAxes::of(ctx, &body);
        let view = Read::of(OpRef::new(ctx, &body, read))?;
        let is_plain = view.source() == *body.args(block).last()? && self.axes[..] == axes.names[..axes.iters];
        if !is_plain || !Yield::of(OpRef::new(ctx, &body, end))?.values().eq([view.out()]) {
            return None;
        }
        let (loc, sums) = (body.loc(read), body.result(read, 0));
        let ty = body.value_type(sums);
        let sizes = self.axes.iter().map(|axis| axes.size(axis).cloned()).collect::<Option<Vec<SizeExpr>>>()?;
        let elem = Value::expect(ctx, ty).elem(ctx);
        let mut builder = Builder::new(ctx, &mut body, InsertPoint::Before(read));
        let number = Value::get(ctx, elem, Vec::new());
        let zero = Const::build(&mut builder, loc, identity_of(ctx, Combiner::Sum, elem), number);
        let zero = builder.result(zero);
        let zeros = BroadcastInDim::build(&mut builder, loc, zero, sizes, Vec::new(), ty);
        let zeros = builder.result(zeros);
        body.replace_all_uses(sums, zeros);
        body.erase_op(read);
        Some(body)
    }
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

/// The only reduction of a region, if its elements go to positions that are data, and its order does not matter.
pub fn scattered(ctx: &Context, region: &Body) -> Option<Scattered> {
    let &[id] = reductions(ctx, region).as_slice() else { return None };
    let reduce = Reduce::from(OpRef::new(ctx, region, id));
    let is_marked = reduce.attr(ctx.intern_str(ANY_ORDER)).is_some() && reduce.combiner() == Some(Combiner::Sum);
    if !is_marked || goes_along(ctx, region) || region.parent_op(id) != Some(region.root()) {
        return None;
    }
    let masked = masked(ctx, region, reduce)?;
    let axes = KernelAxes::of(ctx, region);
    let result = reduce.results().next()?;
    let ty = Value::expect(ctx, region.value_type(result));
    let own: Vec<String> = ty.axes(ctx).into_iter().map(String::from).collect();
    let place = own.iter().position(|axis| *axis == masked.axis)?;
    // The second region has no other axes than the results.
    let is_result = |axis: &String| axes.position(axis).is_some_and(|at| at < axes.iters);
    if !is_added(ty.elem(ctx)) || !own.iter().all(is_result) {
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
    // Each element has a place of its own among them.
    let of_value = axes_of(ctx, region.value_type(masked.value));
    if !order.iter().all(|axis| of_value.contains(&axis.as_str())) {
        return None;
    }
    let elements = elements(ctx, region, id, &masked, &order, memory)?;
    let rest = rest(ctx, region, id, (&name, memory), &own);
    Some(Scattered { elements, index: masked.index, place, axes: own, rest, memory: (name, memory) })
}

/// What the elements of a reduction are, if an index says where each counts.
fn masked(ctx: &Context, region: &Body, reduce: Reduce<'_>) -> Option<Masked> {
    let end = Yield::of(OpRef::new(ctx, region, region.last_op(contributions(region, reduce.id)?)?))?;
    let seen = |value: ValueId| before_broadcasts(ctx, region, value);
    let made = |value: ValueId| Some(OpRef::new(ctx, region, region.defining_op(value)?));
    let select = Select::of(made(seen(end.values().next()?))?).filter(|select| select.guard().is_none())?;
    let operands: Vec<ValueId> = select.operands().collect();
    let &[condition, value, otherwise] = operands.as_slice() else { return None };
    let zero = Const::of(made(seen(otherwise))?)?;
    let elem = Value::expect(ctx, region.value_type(otherwise)).elem(ctx);
    let equal = Binary::of(made(seen(condition))?).filter(|op| op.function() == scalar::Binary::Eq)?;
    if !is_identity_of(ctx, Combiner::Sum, zero.value(), elem) {
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
    Yield::build(&mut Builder::at_end(ctx, &mut body, block), loc, &[masked.value], Some(vec!["element"]), None);
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
