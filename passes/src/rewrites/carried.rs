//! What loops of a kernel carry: more values carried, and loops around a place.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{BlockId, Builder, Context, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::nesting::block_of;

/// A loop with what it carries at its end.
pub struct Carried {
    /// The loop.
    pub op: OpId,
    /// The arguments of its block, the added ones alone.
    pub args: Vec<ValueId>,
    /// Its results, the added ones alone.
    pub results: Vec<ValueId>,
}

/// Lets a loop carry more values, which begin as `inits` and have these names. The loop is a new op in place of the
/// old one; the end of its region does not yield the values yet, see [`yield_more`].
pub fn carry(ctx: &Context, body: &mut Body, op: OpId, inits: &[(ValueId, &str)]) -> Option<Carried> {
    let view = kernel::For::of(OpRef::new(ctx, body, op))?;
    let region = kernel::For::body(view);
    let block = body.first_block(region)?;
    let (loc, bounds, unroll) = (view.loc(), view.bounds(), view.unroll());
    let args: Vec<ValueId> = view.args().collect();
    let mut all: Vec<ValueId> = view.inits().collect();
    let before = all.len();
    all.extend(inits.iter().map(|&(value, _)| value));
    let types: Vec<Type> = all.iter().map(|&value| body.value_type(value)).collect();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let made = kernel::NewFor { args: &args, inits: &all, bounds, unroll, outs_type: &types }.build(&mut builder, loc);
    let target = body.regions(made)[0];
    body.take_blocks(region, target);
    let mut added = Vec::new();
    for &(value, name) in inits {
        let ty = body.value_type(value);
        let arg = body.add_arg(block, ty, loc);
        body.set_value_name(arg, ctx.intern_str(name));
        added.push(arg);
    }
    let (old, new): (Vec<_>, Vec<_>) = (body.results(op).collect(), body.results(made).collect());
    for (&old, &new) in old.iter().zip(&new) {
        let name = body.value_name(old);
        body.replace_all_uses(old, new);
        body.set_value_name(new, name);
    }
    body.erase_op(op);
    Some(Carried { op: made, args: added, results: new[before..].to_vec() })
}

/// Lets the end of a block yield more values.
pub fn yield_more(ctx: &Context, body: &mut Body, block: BlockId, values: &[ValueId]) {
    match body.last_op(block).filter(|&end| kernel::Yield::of(OpRef::new(ctx, body, end)).is_some()) {
        Some(end) => {
            let mut all: Vec<ValueId> = body.operands(end).collect();
            all.extend_from_slice(values);
            body.set_operands(end, &all);
        }
        None => {
            let parent = body.region_of(block).and_then(|region| body.region_parent(region));
            let loc = parent.map_or(dlc_ir::Loc::UNKNOWN, |op| body.loc(op));
            kernel::Yield::build(&mut Builder::at_end(ctx, body, block), loc, values);
        }
    }
}

/// Lets loops carry values, from the outermost in: `loops` is from the inside out. Gives the values in the innermost loop
/// and its op; without loops the values as they are. What the innermost yields is for the caller to add.
pub fn carry_through(
    ctx: &Context,
    body: &mut Body,
    loops: &[OpId],
    inits: &[(ValueId, &str)],
) -> Option<(Vec<ValueId>, Option<OpId>)> {
    let names: Vec<&str> = inits.iter().map(|&(_, name)| name).collect();
    let mut values: Vec<ValueId> = inits.iter().map(|&(value, _)| value).collect();
    let mut outer: Option<OpId> = None;
    for &op in loops.iter().rev() {
        let inits: Vec<(ValueId, &str)> = values.iter().copied().zip(names.iter().copied()).collect();
        let carried = carry(ctx, body, op, &inits)?;
        if let Some(block) = outer.and_then(|outer| block_of(ctx, body, outer)) {
            yield_more(ctx, body, block, &carried.results);
        }
        values = carried.args;
        outer = Some(carried.op);
    }
    Some((values, outer))
}
