//! A reduction that is divided among blocks (`split_k`): the region as two. The first gives what each part of the reduced
//! axis combines to, the second combines the parts by the same combiner and does the rest. So every combiner is divided
//! alike, the online softmax of attention among them (flash-decoding), and a part without elements has the initial numbers,
//! which change nothing.
//!
//! Sums, and whatever else one function combines, are divided by `split-reduction`, where the loop is there.

use dlc_core::memref::{Layout, MemRef};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_plan::Schedule;
use dlc_plan::clause::{Place, Split};
use dlc_region::ops::{Func, NewRead, Reduce, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

use super::declare::{add_inputs, declare};
use super::shape::is_weighted;
use crate::analysis::axes::{goes_along, reductions};
use crate::rewrites::unused::erase_unused;

/// How the memory of parts is aligned, in bytes.
const ALIGN: i64 = 128;

/// The most parts that a thread combines in line: more of them in a loop, which waits for each.
pub const MOST_UNROLLED: i64 = 32;

/// A reduction in parts.
#[derive(Clone)]
pub struct Parts {
    /// The reduction, an op of the region and of `partial`.
    pub reduce: OpId,
    /// The axis that is divided.
    pub axis: String,
    /// How many parts it has.
    pub count: i64,
    /// Whether parts may be combined in any order: sums below a maximum may, and of other regions it is not known.
    pub is_commutative: bool,
    /// The region up to the reduction: its results are the accumulators.
    pub partial: Body,
    /// The region with a reduction over the parts, which are arguments of it after those of the region.
    pub combine: Body,
    /// The axis of the parts in `combine`.
    pub along: String,
    /// For each accumulator its name and the memory of its parts, of which the first axis is the number of the part.
    pub memories: Vec<(String, Type)>,
}

impl Parts {
    /// The axes whose loops are unrolled in the kernel that combines.
    pub fn unrolled(&self) -> Vec<String> {
        if self.count <= MOST_UNROLLED { vec![self.along.clone()] } else { Vec::new() }
    }
}

/// The reduction that a plan divides, if a region combines its accumulators; `None` where it divides none of these.
///
/// An error says why it cannot be divided.
pub fn parts(ctx: &Context, region: &Body, plan: &Schedule) -> Result<Option<Parts>, String> {
    let Some(split) = plan.split_k.as_ref().filter(|split| split.parts > 1) else { return Ok(None) };
    let axes = KernelAxes::of(ctx, region);
    let Some(reduce) = divided(ctx, region, split) else { return Ok(None) };
    let names: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
    let sizes = reduce.sizes();
    let ([axis], [size]) = (names.as_slice(), sizes.as_slice()) else {
        return Err(format!("the reduction goes over ({}), and one axis is divided", names.join(", ")));
    };
    check(ctx, region, reduce, axis, &axes)?;
    let mut kept = plan.caches.iter().filter(|cache| cache.place == Place::Reg);
    if kept.any(|cache| cache.axes.iter().flatten().any(|own| own == axis)) {
        return Err(format!("the plan keeps rows along '{axis}' whole in registers"));
    }
    let is_commutative = is_weighted(ctx, region, reduce.id);
    let count = count(size, plan.tile_of(axis).max(1), split.parts, is_commutative)?;
    let names = reduce.results().map(|result| ctx.str(region.value_name(result)).to_string());
    let names: Vec<String> = names.collect();
    let memories = reduce.results().zip(names).map(|(result, name)| {
        let name = if name.is_empty() { "parts".to_string() } else { format!("{name}_parts") };
        (name, memory(ctx, region, result, count, &axes))
    });
    let memories: Vec<(String, Type)> = memories.collect();
    let along = unused_name("part", &axes, Func::of(OpRef::new(ctx, region, region.root())));
    let partial = partial(ctx, region, reduce.id, &memories, &axes);
    let combine = combine(ctx, region, reduce.id, &memories, (&along, count));
    Ok(Some(Parts { reduce: reduce.id, axis: axis.clone(), count, is_commutative, partial, combine, along, memories }))
}

/// The first reduction directly in the kernel whose accumulators a region combines, along the axis of the plan.
fn divided<'a>(ctx: &'a Context, region: &'a Body, split: &Split) -> Option<Reduce<'a>> {
    let ops = region.ops(region.entry_block()?);
    let mut reduces = ops.filter_map(|op| Reduce::of(OpRef::new(ctx, region, op)));
    let is_along = |reduce: &Reduce<'_>| split.along.as_deref().is_none_or(|axis| reduce.axes().contains(&axis));
    reduces.find(|reduce| reduce.combiner().is_none() && is_along(reduce))
}

/// That the parts can be computed independently, and that nothing else needs the whole axis.
fn check(ctx: &Context, region: &Body, reduce: Reduce<'_>, axis: &str, axes: &KernelAxes) -> Result<(), String> {
    if goes_along(ctx, region) {
        return Err("the kernel has a scan or a sort".into());
    }
    let is_other = |&id: &OpId| {
        let other = Reduce::of(OpRef::new(ctx, region, id));
        id != reduce.id && other.is_some_and(|other| other.axes().contains(&axis))
    };
    if reductions(ctx, region).iter().any(is_other) {
        return Err(format!("another reduction goes along '{axis}', too"));
    }
    let iters = &axes.names[..axes.iters];
    let own = reduce.results().flat_map(|result| axes_of(ctx, region.value_type(result))).collect::<Vec<_>>();
    match own.iter().find(|axis| !iters.iter().any(|iter| iter == *axis)) {
        Some(axis) => Err(format!("its accumulators have the axis '{axis}', which the results have not")),
        None => Ok(()),
    }
}

/// As many parts of whole steps as have something to do, where the size is a number.
fn count(size: &SizeExpr, step: i64, parts: i64, takes_turns: bool) -> Result<i64, String> {
    let Some(size) = size.as_constant() else { return Ok(parts) };
    let steps = size.max(0).div_euclid(step) + i64::from(size.rem_euclid(step) != 0);
    if takes_turns && steps > 1 {
        return Ok(steps.min(parts));
    }
    let of_part = (steps.div_euclid(parts) + i64::from(steps.rem_euclid(parts) != 0)).max(1);
    match steps.div_euclid(of_part) + i64::from(steps.rem_euclid(of_part) != 0) {
        count @ 2.. => Ok(count),
        _ => Err(format!("the loop has {steps} steps")),
    }
}

/// Memory for the parts of a result.
fn memory(ctx: &Context, region: &Body, result: ValueId, count: i64, axes: &KernelAxes) -> Type {
    let ty = Value::expect(ctx, region.value_type(result));
    let sizes = ty.axes(ctx).into_iter().filter_map(|axis| axes.size(axis).cloned());
    let dims = std::iter::once(SizeExpr::from(count)).chain(sizes).collect();
    MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ALIGN, false)
}

/// A name that is neither an axis nor a symbol.
fn unused_name(name: &str, axes: &KernelAxes, func: Option<Func<'_>>) -> String {
    let symbols = func.and_then(|func| func.symbols()).unwrap_or_default();
    let is_used = |name: &str| axes.position(name).is_some() || symbols.contains(&name);
    let mut unused = name.to_string();
    let mut number = 0;
    while is_used(&unused) {
        unused = format!("{name}{number}");
        number += 1;
    }
    unused
}

/// The region with the accumulators of a reduction as its results.
fn partial(ctx: &Context, region: &Body, reduce: OpId, memories: &[(String, Type)], axes: &KernelAxes) -> Body {
    let mut body = region.clone();
    let block = body.entry_block().expect("a region with a reduction has a body");
    let end = body.last_op(block).expect("a region ends with 'yield'");
    let (loc, values) = (body.loc(end), body.results(reduce).collect::<Vec<_>>());
    body.erase_op(end);
    Yield::build(&mut Builder::at_end(ctx, &mut body, block), loc, &values, None, None);
    let ops: Vec<OpId> = body.ops(block).filter(|&op| body.next_op(op).is_some()).collect();
    erase_unused(ctx, &mut body, ops);

    let own: Vec<&str> = values.iter().flat_map(|&value| axes_of(ctx, region.value_type(value))).collect();
    let iters = axes.names.iter().zip(&axes.sizes).take(axes.iters).filter(|(name, _)| own.contains(&name.as_str()));
    let iters = iters.map(|(name, size)| (name.as_str(), size.clone())).collect();
    let outputs: Vec<String> = (0..memories.len()).map(|at| format!("part{at}")).collect();
    let results: Vec<(&str, Type)> = outputs.iter().zip(memories).map(|(name, (_, ty))| (name.as_str(), *ty)).collect();
    declare(ctx, &mut body, iters, &results);
    body
}

/// The region with a reduction over the parts in place of another one.
fn combine(
    ctx: &Context,
    region: &Body,
    reduce: OpId,
    memories: &[(String, Type)],
    (along, count): (&str, i64),
) -> Body {
    let mut body = region.clone();
    let block = body.entry_block().expect("a region with a reduction has a body");
    let loc = body.loc(reduce);
    let copy = body.clone_op(reduce, &mut CloneMap::new());
    body.insert(copy, InsertPoint::Before(reduce));
    body.set_prop(ctx, copy, ctx.intern_str("axes"), Some(<TextArray as Kind>::make(ctx, vec![along])));
    let sizes = <dlc_core::sizes::Sizes as Kind>::make(ctx, vec![SizeExpr::from(count)]);
    body.set_prop(ctx, copy, ctx.intern_str("sizes"), Some(sizes));
    let inner = body.first_block(body.regions(copy)[0]).expect("a reduction has contributions");
    let ops: Vec<OpId> = body.ops(inner).collect();
    ops.into_iter().rev().for_each(|op| body.erase_op(op));

    let mut values = Vec::new();
    for (at, (name, ty)) in memories.iter().enumerate() {
        let source = body.add_arg(block, *ty, loc);
        body.set_value_name(source, ctx.intern_str(name));
        let result = Value::expect(ctx, body.value_type(body.result(copy, at)));
        let own = result.axes(ctx);
        let place = |axis: &&str| SizeExpr::symbol(axis).expect("an axis has a name of a symbol");
        let positions = std::iter::once(&along).chain(&own).map(place).collect();
        let out_type = Value::get(ctx, result.elem(ctx), own.iter().copied().chain([along]).collect());
        let read = NewRead { source, indices: &[], at: positions, guard: None, fill: None, out_type };
        let read = read.build(&mut Builder::at_end(ctx, &mut body, inner), loc);
        values.push(body.result(read, 0));
    }
    Yield::build(&mut Builder::at_end(ctx, &mut body, inner), loc, &values, None, None);
    for at in 0..memories.len() {
        body.replace_all_uses(body.result(reduce, at), body.result(copy, at));
    }
    erase_unused(ctx, &mut body, vec![reduce]);

    add_inputs(ctx, &mut body, &memories.iter().map(|(_, ty)| *ty).collect::<Vec<_>>());
    body
}
