//! Ping-pong consumers: each has every second or third tile, and multiplies while the others store and wait.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;

use super::consumers::Taken;
use super::{Plan, Refused};
use crate::analysis::axes::ancestor_in;
use crate::analysis::expressions::OpExprs;
use crate::analysis::expressions::{BoundExpr, index, pack};
use crate::analysis::loads::PipelinedLoop;
use crate::analysis::nesting::{block_of, loops_around};
use crate::analysis::tiles::{is_barrier, with_inner};

const BEYOND: &str = "an integer goes beyond 64 bits";
/// The number of the first consumer's barrier; what compilers make of other barriers takes the lower ones.
const FIRST_BARRIER: i64 = 8;
/// The threads of one consumer that waits, and of the one that lets it go on.
const THREADS_OF_TURN: i64 = 256;

/// The block of the loop over tiles, if consumers can be ping-pong in it.
pub fn tiles(ctx: &Context, body: &Body, block: BlockId, found: &[&PipelinedLoop]) -> Result<BlockId, Refused> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let loops = found.first().and_then(|found| loops_around(ctx, body, found.op)).unwrap_or_default();
    let tiles = loops.last().copied();
    let tiles = tiles.ok_or("its blocks do not go from tile to tile, which ping-pong needs")?;
    let inner = block_of(ctx, body, tiles).ok_or("a loop is empty")?;
    for found in found {
        let mut around = loops_around(ctx, body, found.op).unwrap_or_default();
        if around.pop() != Some(tiles) {
            return Err("its loops are not all those of one tile".into());
        }
        // Of loops between both the same number of steps is known where it is a number.
        let fixed = around.iter().all(|&op| trips(ctx, body, op).is_some());
        let varies = found
            .last
            .values
            .iter()
            .any(|&value| body.defining_op(value).is_none_or(|op| ancestor_in(body, op, inner).is_some()));
        let rises = found.first.expr.as_constant() == Some(0) && found.step.expr.as_constant().is_some();
        let counted = found.last.expr.range(&Default::default()).lo().is_some_and(|least| least >= 0);
        if varies || !rises || !counted || !fixed {
            return Err(Refused::Uneven("it is not known that all tiles have the same number of steps".into()));
        }
    }
    let carried: usize = found.iter().map(|found| found.requests.len()).sum();
    if kernel::For::from(view(tiles)).inits().count() != carried {
        return Err("a tile needs what the one before it gives".into());
    }
    let known = |op: &OpId| {
        let kinds = [kernel::Shared::DEF, kernel::MBarriers::DEF, kernel::Yield::DEF, kernel::Wait::DEF];
        // One thread loads what all tiles have in common, and every consumer waits for it.
        let asks = |&op: &OpId| with_inner(body, op).iter().any(|&op| view(op).is(kernel::TmaLoad::DEF));
        *op == tiles
            || kinds.into_iter().any(|def| view(*op).is(def))
            || is_barrier(view(*op))
            || (view(*op).is(kernel::Elect::DEF) && asks(op))
            || dlc_ir::effects::is_speculatable(ctx, body, *op)
    };
    match body.ops(block).find(|op| !known(op)) {
        Some(op) => {
            Err(format!("'{}' is done next to the tiles, which each consumer would do", view(op).name()).into())
        }
        None => Ok(inner),
    }
}

/// How often a loop runs, if that is a number.
fn trips(ctx: &Context, body: &Body, op: OpId) -> Option<i64> {
    let bounds = kernel::For::of(OpRef::new(ctx, body, op))?.bounds();
    let numbers: Vec<i64> = bounds.iter().filter_map(SizeExpr::as_constant).collect();
    let &[first, last, step] = numbers.as_slice() else { return None };
    if step < 1 {
        return None;
    }
    let span = last.checked_sub(first)?.max(0);
    Some(span / step + i64::from(span % step != 0))
}

/// What a value of a loop is in the block of the loop over tiles, after all loops between.
fn outward(body: &Body, value: ValueId, block: BlockId) -> Option<ValueId> {
    let mut value = value;
    loop {
        let own = body.block_of(body.defining_op(value)?)?;
        if own == block {
            return Some(value);
        }
        let at = body.operands(body.last_op(own)?).position(|yielded| yielded == value)?;
        value = body.result(body.region_parent(body.region_of(own)?)?, at);
    }
}

/// Gives every consumer its tiles, and lets it wait for its turn to multiply.
pub fn take(
    ctx: &Context,
    body: &mut Body,
    block: BlockId,
    taken: &[Taken],
    (group, plan): (ValueId, &Plan),
) -> Result<(), String> {
    let holder = body.region_of(block).and_then(|region| body.region_parent(region));
    let tiles = holder.ok_or("a loop is empty")?;
    let group = BoundExpr::value(group).ok_or(BEYOND)?;
    for taken in taken {
        skip(ctx, body, (tiles, block), taken, (&group, plan)).ok_or(BEYOND)?;
    }
    let Some(mut places) = OpExprs::of(OpRef::new(ctx, body, tiles)) else { return Err(BEYOND.into()) };
    let bound = |number: usize| {
        let list = places.lists.first().and_then(|(_, bounds)| bounds.get(number));
        list.map(|bound| BoundExpr::new(bound.clone(), &places.args)).ok_or(BEYOND)
    };
    let (first, last, step) = (bound(0)?, bound(1)?, bound(2)?);
    let mine = group.with(&step, |group, step| group.mul(step).ok()).and_then(|offset| first.plus(&offset));
    let strides = step.times(plan.consumers);
    let (args, bounds) = pack(&[mine.ok_or(BEYOND)?, last.clone(), strides.ok_or(BEYOND)?]).ok_or(BEYOND)?;
    places.args = args;
    places.lists = vec![("bounds", bounds)];
    places.write(ctx, body, tiles);
    turns(ctx, body, (tiles, block), taken, &Round { first, last, step, group, count: plan.consumers })
        .ok_or(BEYOND)?;
    Ok(())
}

/// The tiles of a block as its consumers go through them.
struct Round {
    first: BoundExpr,
    last: BoundExpr,
    step: BoundExpr,
    group: BoundExpr,
    count: i64,
}

/// Lets the ring go on by the steps of the others: before a group's first tile, and from each to its next one.
fn skip(
    ctx: &Context,
    body: &mut Body,
    (tiles, block): (OpId, BlockId),
    taken: &Taken,
    (group, plan): (&BoundExpr, &Plan),
) -> Option<()> {
    let loc = body.loc(taken.op);
    let end = body.last_op(block)?;
    let ring = SizeExpr::from(taken.stages);
    let stage_of =
        |steps: &BoundExpr| Some(BoundExpr { expr: steps.expr.modulo(&ring).ok()?, values: steps.values.clone() });
    let parity_of = |steps: &BoundExpr| {
        let turns = steps.expr.floordiv(&ring).ok()?.modulo(&SizeExpr::from(2)).ok()?;
        Some(BoundExpr { expr: turns, values: steps.values.clone() })
    };
    let around = std::iter::successors(body.parent_op(taken.op), |&op| body.parent_op(op));
    let mut between = around.take_while(|&op| op != tiles);
    let times = between.try_fold(1i64, |all, op| all.checked_mul(trips(ctx, body, op)?))?;
    let steps = taken.steps.times(times)?;
    let before = group.with(&steps, |group, steps| group.mul(steps).ok())?;
    let others = steps.times(plan.consumers - 1)?;
    let inits = body.num_operands(tiles) - body.results(tiles).count();
    let last_stage = outward(body, taken.stage, block)?;
    let parities: Option<Vec<ValueId>> = taken.parities.iter().map(|&parity| outward(body, parity, block)).collect();
    let parities = parities?;
    let stage = BoundExpr::value(last_stage)?;
    for (number, &value) in std::iter::once(&last_stage).chain(&parities).enumerate() {
        // How many steps were before, as far as stage and parity tell.
        let parity = if number == 0 { *parities.first()? } else { value };
        let done = stage.plus(&BoundExpr::value(parity)?.times(taken.stages)?)?.plus(&others)?;
        let (first, next) = match number {
            0 => (stage_of(&before)?, stage_of(&done)?),
            _ => (parity_of(&before)?, parity_of(&done)?),
        };
        let at = body.operands(end).position(|yielded| yielded == value)?;
        let first = index(&mut Builder::new(ctx, body, InsertPoint::Before(tiles)), loc, &first)?;
        let next = index(&mut Builder::new(ctx, body, InsertPoint::Before(end)), loc, &next)?;
        body.set_operand(tiles, inits + at, first);
        body.set_operand(end, at, next);
        let name = if number == 0 { "stage" } else { "parity" };
        body.set_value_name(first, ctx.intern_str(name));
    }
    Some(())
}

/// Lets each group wait for its turn, and the next one begin when all products of its tile are on their way.
fn turns(
    ctx: &Context,
    body: &mut Body,
    (tiles, block): (OpId, BlockId),
    taken: &[Taken],
    round: &Round,
) -> Option<()> {
    let loc = body.loc(tiles);
    let before = InsertPoint::Before(tiles);
    let [mine, next] = barriers_of(ctx, body, before, loc, (&round.group, round.count))?;

    // The last group lets the first one begin.
    let last_group = BoundExpr::plain(SizeExpr::from(round.count - 1));
    let begins = [(&round.group, "==", &last_group), (&round.first, "<", &round.last)];
    arrive_if(ctx, body, InsertPoint::Before(tiles), &begins, next)?;

    let ops: Vec<OpId> = body.ops(block).collect();
    let own: Vec<OpId> = taken.iter().filter_map(|taken| ancestor_in(body, taken.op, block)).collect();
    let mut loops = ops.iter().filter(|op| own.contains(op));
    let (first, last) = (*loops.next()?, loops.next_back());
    let last = last.copied().unwrap_or(first);
    let builder = &mut Builder::new(ctx, body, InsertPoint::Before(first));
    kernel::Barrier::build(builder, loc, Some(mine), Some(THREADS_OF_TURN));
    let counter = BoundExpr::value(*body.args(block).first()?)?;
    let follower = counter.plus(&round.step)?;
    arrive_if(ctx, body, InsertPoint::After(last), &[(&follower, "<", &round.last)], next)
}

/// Arrives at a numbered barrier if conditions hold.
pub fn arrive_if(
    ctx: &Context,
    body: &mut Body,
    place: InsertPoint,
    conditions: &[(&BoundExpr, &str, &BoundExpr)],
    id: ValueId,
) -> Option<()> {
    let (block, loc) = place_if(ctx, body, place, conditions, id)?;
    kernel::BarrierArrive::build(&mut Builder::at_end(ctx, body, block), loc, id, THREADS_OF_TURN);
    Some(())
}

/// Waits at a numbered barrier if conditions hold.
pub fn wait_if(
    ctx: &Context,
    body: &mut Body,
    place: InsertPoint,
    conditions: &[(&BoundExpr, &str, &BoundExpr)],
    id: ValueId,
) -> Option<()> {
    let (block, loc) = place_if(ctx, body, place, conditions, id)?;
    kernel::Barrier::build(&mut Builder::at_end(ctx, body, block), loc, Some(id), Some(THREADS_OF_TURN));
    Some(())
}

/// Where something is done if conditions hold.
fn place_if(
    ctx: &Context,
    body: &mut Body,
    place: InsertPoint,
    conditions: &[(&BoundExpr, &str, &BoundExpr)],
    id: ValueId,
) -> Option<(BlockId, Loc)> {
    let loc = body.defining_op(id).map_or(Loc::UNKNOWN, |op| body.loc(op));
    let parts: Vec<BoundExpr> = conditions.iter().flat_map(|(a, _, b)| [(*a).clone(), (*b).clone()]).collect();
    let (values, exprs) = pack(&parts)?;
    let signs = conditions.iter().zip(exprs.chunks(2));
    let conditions = signs.map(|((_, sign, _), sides)| Condition::of(&sides[0], sign, &sides[1]));
    let guard = Guard::all(conditions.collect::<Option<_>>()?);
    let none: &[Type] = &[];
    let op = kernel::NewIf { args: &values, cond: None, guard: Some(guard), outs_type: none, otherwise: 0 }
        .build(&mut Builder::new(ctx, body, place), loc);
    Some((body.append_block(body.regions(op)[0]), loc))
}

/// The numbers of the barriers of a group and of the one after it.
pub fn barriers_of(
    ctx: &Context,
    body: &mut Body,
    place: InsertPoint,
    loc: Loc,
    (group, count): (&BoundExpr, i64),
) -> Option<[ValueId; 2]> {
    let number = |expr: SizeExpr| Some(BoundExpr { expr, values: group.values.clone() });
    let mine = group.expr.add(&FIRST_BARRIER.into()).ok()?;
    let next = group.expr.add(&1.into()).ok()?.modulo(&count.into()).ok()?;
    let next = next.add(&FIRST_BARRIER.into()).ok()?;
    let mut builder = Builder::new(ctx, body, place);
    let mine = index(&mut builder, loc, &number(mine)?)?;
    let next = index(&mut builder, loc, &number(next)?)?;
    body.set_value_name(mine, ctx.intern_str("mine"));
    body.set_value_name(next, ctx.intern_str("other"));
    Some([mine, next])
}
