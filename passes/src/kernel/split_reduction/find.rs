//! Which loop of a grid sums, and why it cannot be split.

use dlc_core::scalar::{Binary, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::effects::is_speculatable;
use dlc_ir::{Attr, BlockId, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, MBarrier};

use super::PartSum;
use crate::analysis::expressions::OpExprs;
use crate::analysis::nesting::block_of;
use crate::analysis::numbers::function;
use crate::analysis::tiles::{may_overlap, tile_of, touches, with_inner};

/// A loop that sums, in a grid.
pub struct SplitLoop {
    /// The loop.
    pub op: OpId,
    /// The loop whose steps the parts share: this one, or one of a nest that it is the outermost of.
    pub shared: OpId,
    /// Where it was written.
    pub loc: Loc,
    /// The grid, and its block.
    pub grid: OpId,
    pub block: BlockId,
    /// The number of axes of the grid: that of the parts comes after them.
    pub rank: i64,
    /// The axes with more than one block, and how many blocks they have.
    pub axes: Vec<i64>,
    pub dims: Vec<SizeExpr>,
    /// The parts.
    pub parts: i64,
    /// What combines each number that the loop carries.
    pub combiners: Vec<Combiner>,
    /// What stands after the loop.
    pub following: Vec<OpId>,
    /// How sums are combined that are added as they come.
    pub part_sum: PartSum,
    /// Whether memory can add the elements of all sums.
    pub is_atomic: bool,
    /// The stores of the sums, if those alone stand after the loop.
    pub stores: Vec<OpId>,
}

/// Why not, and where.
pub type Refused = (OpId, String);

impl SplitLoop {
    /// That the grid has an axis left for the parts.
    pub fn with_axis(self) -> Result<SplitLoop, Refused> {
        if self.rank > 2 {
            return Err((self.grid, "the grid has three axes, and none is left for the parts".into()));
        }
        Ok(self)
    }
}

/// The loop of a grid to split.
pub fn find(ctx: &Context, body: &Body, grid: OpId, parts: i64) -> Result<SplitLoop, Refused> {
    let view = kernel::Grid::from(OpRef::new(ctx, body, grid));
    let no = |why: &str| (grid, why.to_string());
    let block = body.first_block(kernel::Grid::body(view)).ok_or_else(|| no("the grid does nothing"))?;
    let dims = view.dims();
    if view.cluster().is_some() {
        return Err(no("its blocks are in clusters"));
    }
    if view.args().len() > 0 {
        return Err(no("the number of blocks is computed when the kernel is launched"));
    }
    let ops: Vec<OpId> = body.ops(block).collect();
    let is = |op: OpId, def| OpRef::new(ctx, body, op).is(def);
    for op in with_inner(body, grid) {
        if is(op, kernel::Role::DEF) {
            return Err((op, "its warps have roles".into()));
        }
        if is(op, kernel::GridRelease::DEF) || is(op, kernel::GridWait::DEF) {
            return Err((op, "it says when the grid after it begins".into()));
        }
    }
    let at = ops.iter().position(|&op| is(op, kernel::For::DEF));
    let at = at.ok_or_else(|| no("the grid has no loop"))?;
    let op = ops[at];
    for &before in &ops[..at] {
        if with_inner(body, before).into_iter().any(|op| writes_memory(OpRef::new(ctx, body, op))) {
            return Err((before, "memory is written before the loop, which each part would do".into()));
        }
    }
    let combiners = check_loop(ctx, body, op).map_err(|why| (op, why))?;
    let (shared, parts) = shared_loop(ctx, body, op, parts).map_err(|why| (op, why))?;
    check_tiles(ctx, body, op, &ops[at + 1..]).map_err(|why| (op, why))?;
    let following = ops[at + 1..].to_vec();
    let stores = only_stores(ctx, body, op, &following);
    let of_memory = |ty: Type| ty == Type::F32 || ty == Type::F64 || ty == Type::I32 || ty == Type::I64;
    let is_sum = combiners.iter().all(|combiner| *combiner == Combiner::Sum);
    let is_atomic =
        is_sum && body.results(op).all(|sum| of_memory(dlc_kernel::types::elem_of(ctx, body.value_type(sum))));
    let axes: Vec<usize> = (0..dims.len()).filter(|&axis| dims[axis].as_constant() != Some(1)).collect();
    Ok(SplitLoop {
        op,
        shared,
        loc: body.loc(op),
        grid,
        block,
        rank: dims.len() as i64,
        dims: axes.iter().map(|&axis| dims[axis].clone()).collect(),
        axes: axes.into_iter().map(|axis| axis as i64).collect(),
        parts,
        combiners,
        following,
        part_sum: if stores.is_some() { PartSum::Output } else { PartSum::Scratch },
        is_atomic,
        stores: stores.unwrap_or_default(),
    })
}

fn writes_memory(op: OpRef<'_>) -> bool {
    op.is(kernel::Store::DEF) || op.is(kernel::TmaStore::DEF)
}

/// That a loop does nothing that its parts could not do. What combines each number that it carries.
fn check_loop(ctx: &Context, body: &Body, op: OpId) -> Result<Vec<Combiner>, String> {
    for inner in with_inner(body, op) {
        let view = OpRef::new(ctx, body, inner);
        if writes_memory(view) {
            return Err("the loop writes to memory".into());
        }
        if view.operands().any(|value| MBarrier::of(ctx, view.type_of(value)).is_some()) {
            return Err("the phases of its barriers go on from step to step".into());
        }
    }
    combiners(ctx, body, op)
}

/// The loop whose steps the parts share, and how many parts have something to do. Of a nest it is the outermost loop that
/// has a step for each part, or else the one with the most steps.
fn shared_loop(ctx: &Context, body: &Body, op: OpId, parts: i64) -> Result<(OpId, i64), String> {
    let mut best = (op, steps(ctx, body, op).ok_or("the step of the loop is no positive number")?);
    for inner in nest(ctx, body, op) {
        match steps(ctx, body, inner) {
            Some(steps) if best.1 < parts && steps > best.1 => best = (inner, steps),
            _ => {}
        }
    }
    let (shared, steps) = best;
    // Parts of as many steps, but none without any.
    let of_part = steps.unsigned_abs().div_ceil(parts.unsigned_abs()).max(1);
    match i64::try_from(steps.unsigned_abs().div_ceil(of_part)) {
        Ok(parts) if parts > 1 => Ok((shared, parts)),
        _ => Err(format!("the loop has {steps} steps")),
    }
}

/// How many steps a loop has: the most where that is no number. `None` where its step is no positive number.
fn steps(ctx: &Context, body: &Body, op: OpId) -> Option<i64> {
    let bounds = kernel::For::from(OpRef::new(ctx, body, op)).bounds();
    let step = bounds.get(2).and_then(SizeExpr::as_constant).filter(|&step| step > 0)?;
    let (Some(first), Some(last)) = (bounds[0].as_constant(), bounds[1].as_constant()) else { return Some(i64::MAX) };
    let length = (i128::from(last) - i128::from(first)).max(0) as u128;
    Some(i64::try_from(length.div_ceil(step.unsigned_abs().into())).unwrap_or(i64::MAX))
}

/// The loops in a loop of which each is all that the one around it adds to what it carries, from the outermost one. Their
/// bounds are the same in all steps of the others.
fn nest(ctx: &Context, body: &Body, op: OpId) -> Vec<OpId> {
    let inside = with_inner(body, op);
    let fixed = |value: ValueId| body.defining_op(value).is_some_and(|op| !inside.contains(&op));
    let inner = |outer: OpId| {
        let block = block_of(ctx, body, outer)?;
        let end: Vec<ValueId> = body.operands(body.last_op(block)?).collect();
        let inner = body.defining_op(*end.first()?)?;
        let view = kernel::For::of(OpRef::new(ctx, body, inner)).filter(|_| body.parent_op(inner) == Some(outer))?;
        let same = view.inits().eq(body.args(block)[1..].iter().copied()) && body.results(inner).eq(end);
        (same && view.args().all(fixed)).then_some(inner)
    };
    std::iter::successors(inner(op), |&op| inner(op)).collect()
}

/// What combines each number that a loop carries. An error where one is combined by no function, or begins with a number that
/// changes what is combined with it: each part begins with that.
fn combiners(ctx: &Context, body: &Body, op: OpId) -> Result<Vec<Combiner>, String> {
    let view = kernel::For::from(OpRef::new(ctx, body, op));
    let block = block_of(ctx, body, op).ok_or("the loop does nothing")?;
    let inits: Vec<ValueId> = view.inits().collect();
    if inits.is_empty() {
        return Err("the loop carries no sum".into());
    }
    let end = body.last_op(block).ok_or("the loop does nothing")?;
    let values: Vec<ValueId> = body.operands(end).collect();
    let mut found = Vec::new();
    for ((&init, &arg), &value) in inits.iter().zip(&body.args(block)[1..]).zip(&values) {
        let name = || match ctx.str(body.value_name(arg)) {
            "" => "a value".to_string(),
            name => format!("'%{name}'"),
        };
        let all = [Combiner::Sum, Combiner::Max, Combiner::Min, Combiner::Prod];
        let is_fragment = Frag::of(ctx, body.value_type(init)).is_some();
        let own = all.into_iter().find(|&own| is_fragment && is_combined(ctx, body, own, value, arg));
        let own = own.ok_or_else(|| format!("{} that the loop carries is no sum", name()))?;
        if !is_identity(ctx, body, own, init) {
            return Err(match own {
                Combiner::Sum => format!("the sum {} does not begin with zero", name()),
                _ => format!("{} begins with a number that changes what is combined with it", name()),
            });
        }
        found.push(own);
    }
    Ok(found)
}

/// Whether all elements of a fragment are the number that changes none that it is combined with.
fn is_identity(ctx: &Context, body: &Body, combiner: Combiner, value: ValueId) -> bool {
    let op = body.defining_op(value).and_then(|op| kernel::Const::of(OpRef::new(ctx, body, op)));
    let numbers = op.and_then(|op| op.prop_named("value"));
    let elem = dlc_kernel::types::elem_of(ctx, body.value_type(value));
    let is_identity = |number: Attr| match combiner {
        Combiner::Sum => crate::analysis::numbers::is_zero(ctx, number),
        _ => dlc_core::scalar::is_identity_of(ctx, combiner, number, elem),
    };
    numbers.is_some_and(|numbers| match ctx.attr_data(numbers) {
        AttrData::Array(numbers) => numbers.iter().all(|&number| is_identity(number)),
        _ => is_identity(numbers),
    })
}

/// Whether a value is another one with something combined with it, which nothing else sees.
fn is_combined(ctx: &Context, body: &Body, combiner: Combiner, value: ValueId, arg: ValueId) -> bool {
    if body.uses(value).count() != 1 {
        return false;
    }
    if value == arg {
        return true;
    }
    let Some(op) = body.defining_op(value).map(|op| OpRef::new(ctx, body, op)) else { return false };
    let below = |value: ValueId| is_combined(ctx, body, combiner, value, arg);
    if let Some(binary) = kernel::Binary::of(op) {
        return match binary.function() {
            own if own == function(combiner) => below(binary.lhs()) || below(binary.rhs()),
            Binary::Sub if combiner == Combiner::Sum => below(binary.lhs()),
            _ => false,
        };
    }
    let is_sum = combiner == Combiner::Sum;
    let acc = (kernel::MulAcc::of(op).map(|op| op.acc()))
        .or_else(|| kernel::Mma::of(op).map(|op| op.acc()))
        .or_else(|| kernel::Fma::of(op).map(|op| op.acc()))
        .or_else(|| kernel::Wgmma::of(op).filter(|op| op.out() == value).map(|op| op.acc()));
    if let Some(acc) = acc {
        return is_sum && below(acc);
    }
    // A loop in the loop that combines with what it begins with.
    let inner = || {
        let view = kernel::For::of(op)?;
        let number = body.results(op.id).position(|result| result == value)?;
        let block = block_of(ctx, body, op.id)?;
        let end = body.operands(body.last_op(block)?).nth(number)?;
        let carried = *body.args(block).get(number + 1)?;
        Some(is_combined(ctx, body, combiner, end, carried) && below(view.inits().nth(number)?))
    };
    inner().unwrap_or(false)
}

/// That nothing goes through shared memory from one step to the next, or to what is after the loop.
fn check_tiles(ctx: &Context, body: &Body, op: OpId, following: &[OpId]) -> Result<(), String> {
    let block = block_of(ctx, body, op).ok_or("the loop does nothing")?;
    let inside: Vec<OpId> = body.ops(block).collect();
    let mut written = Vec::new();
    for inner in with_inner(body, op) {
        for touch in touches(OpRef::new(ctx, body, inner)) {
            if touch.writes && !written.contains(&touch.tile) {
                written.push(touch.tile);
            }
        }
    }
    for tile in written {
        if may_overlap(ctx, body, tile) {
            return Err("a tile that the loop writes may lie over others".into());
        }
        if !begins_anew(ctx, body, &inside, tile) {
            return Err("a step reads what another one left in shared memory".into());
        }
        if !begins_anew(ctx, body, following, tile) {
            return Err("what the loop leaves in shared memory is read after it".into());
        }
    }
    Ok(())
}

/// Whether the first of some ops that touches a tile writes all of it, in each step of a loop too.
fn begins_anew(ctx: &Context, body: &Body, ops: &[OpId], tile: OpId) -> bool {
    let touching = |&&op: &&OpId| crate::analysis::tiles::touches_tile(ctx, body, op, tile);
    let Some(&first) = ops.iter().find(touching) else { return true };
    let view = OpRef::new(ctx, body, first);
    if view.is(kernel::For::DEF) {
        // A loop without a step writes nothing.
        let rest = ops.iter().position(|&op| op == first).map_or(&[][..], |at| &ops[at + 1..]);
        let inside: Vec<OpId> = block_of(ctx, body, first).into_iter().flat_map(|block| body.ops(block)).collect();
        return begins_anew(ctx, body, &inside, tile) && begins_anew(ctx, body, rest, tile);
    }
    if view.is(kernel::Reduce::DEF)
        || view.is(kernel::Scan::DEF)
        || view.is(kernel::Sort::DEF)
        || view.is(kernel::Convert::DEF)
    {
        return true;
    }
    let whole = |value: ValueId| body.defining_op(value) == Some(tile) && tile_of(ctx, body, value) == Some(tile);
    let writes = touches(view).iter().all(|touch| touch.writes);
    let single = !view
        .operands()
        .any(|value| dlc_kernel::types::Tile::of(ctx, view.type_of(value)).is_some_and(|ty| ty.stages(ctx) > 1));
    writes && single && !touches(view).is_empty() && view.operands().any(whole)
}

/// The stores after a loop if they are of its sums, and nothing else there has an effect.
fn only_stores(ctx: &Context, body: &Body, op: OpId, following: &[OpId]) -> Option<Vec<OpId>> {
    let sums: Vec<ValueId> = body.results(op).collect();
    // The sum as it was, or in another layout.
    let plain = |mut value: ValueId| loop {
        match body.defining_op(value).and_then(|op| kernel::Convert::of(OpRef::new(ctx, body, op))) {
            Some(convert) => value = convert.input(),
            None => break sums.contains(&value),
        }
    };
    let mut stores = Vec::new();
    for &id in following {
        let view = OpRef::new(ctx, body, id);
        if let Some(store) = kernel::Store::of(view) {
            let adds = store.combine().is_none_or(|combine| combine == dlc_core::scalar::Combiner::Sum);
            // Where it goes must not depend on the sums.
            let places = OpExprs::of(view)?;
            let uniform = places.args.iter().all(|&value| Frag::of(ctx, body.value_type(value)).is_none());
            // What is stored twice would be added up.
            let again = stores
                .iter()
                .any(|&other| kernel::Store::from(OpRef::new(ctx, body, other)).target() == store.target());
            if !plain(store.value()) || !adds || !uniform || again {
                return None;
            }
            stores.push(id);
        } else if !is_speculatable(ctx, body, id) && !view.is(kernel::Convert::DEF) && !view.is(kernel::Barrier::DEF) {
            return None;
        }
    }
    (!stores.is_empty()).then_some(stores)
}
