//! What the consumers do in a loop: they wait for the tiles of each step and give them back.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::ops::Arrivals;
use dlc_kernel::types::{Token, Work};

use super::{Ring, nests};
use crate::analysis::axes::ancestor_in;
use crate::analysis::expressions::{BoundExpr, index, pack};
use crate::analysis::loads::PipelinedLoop;
use crate::analysis::nesting::{block_of, loops_around};
use crate::analysis::tiles::{Tiles, is_barrier, tile_of};
use crate::rewrites::carried::{carry, carry_through, yield_more};
use crate::rewrites::rings::{name_stage, next_stage};
use crate::rewrites::unused::erase_unused;

const BEYOND: &str = "an integer goes beyond 64 bits";

/// A loop that was rewritten.
pub struct Taken {
    /// The loop.
    pub op: OpId,
    /// How many tiles its ring has.
    pub stages: i64,
    /// The stage after its last step.
    pub stage: ValueId,
    /// The parities with which the next steps wait.
    pub parities: Vec<ValueId>,
    /// How many steps it has.
    pub steps: BoundExpr,
}

/// Rewrites a loop: its requests are gone, its tiles are those of a ring.
pub fn take(ctx: &Context, body: &mut Body, ring: &mut Ring) -> Result<Taken, String> {
    ring.found.loads.iter().for_each(|&op| body.erase_op(op));
    erase_unused(ctx, body, ring.found.needed.clone());
    nests::flatten(ctx, body, &mut ring.found);
    let (ring, found) = (&*ring, &ring.found);
    let loc = found.loc;
    let outer = loops_around(ctx, body, found.op).unwrap_or_default();
    let release = release_after(ctx, body, found)?;
    let start = outer.last().copied().unwrap_or(found.op);
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(start));
    let zero = index(&mut builder, loc, &BoundExpr::plain(SizeExpr::from(0))).ok_or(BEYOND)?;
    let (values, inner) = carry_through(ctx, body, &outer, &[(zero, "stage")]).ok_or(BEYOND)?;
    let mut carried = vec![(values[0], "stage")];
    if found.deferred.is_some() {
        let ty = Token::get(ctx, Work::Compute);
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.op));
        let done = kernel::Done::build(&mut builder, loc, ty);
        carried.push((builder.result(done), "held"));
        carried.push((values[0], "before"));
    }
    let made = carry(ctx, body, found.op, &carried).ok_or(BEYOND)?;
    if let Some(block) = inner.and_then(|inner| block_of(ctx, body, inner)) {
        yield_more(ctx, body, block, &made.results[..1]);
    }
    let stage = made.args[0];

    for &tile in &found.rings {
        let inside = |op: &OpId| ancestor_in(body, *op, found.block).is_some();
        let users: Vec<OpId> = body.uses(tile).map(|used| used.op).filter(inside).collect();
        for user in users {
            name_stage(ctx, body, user, &found.rings, stage);
        }
    }
    if !threads_write(ctx, body) {
        let meets = |&op: &OpId| is_barrier(OpRef::new(ctx, body, op));
        let around = loops_around(ctx, body, made.op).unwrap_or_default();
        let blocks = around.into_iter().filter_map(|op| block_of(ctx, body, op)).chain([found.block]);
        let barriers: Vec<OpId> = blocks.flat_map(|block| body.ops(block)).filter(meets).collect();
        barriers.into_iter().for_each(|op| body.erase_op(op));
    }

    let mut next = vec![next_stage(ctx, body, found, stage, ring.stages).ok_or(BEYOND)?];
    match &found.deferred {
        None => give_back(ctx, body, InsertPoint::After(release), ring, stage),
        Some(deferred) => {
            body.set_operands(deferred.awaits, &[made.args[1]]);
            // The first step has none before it.
            let counter = BoundExpr::value(found.counter).ok_or(BEYOND)?;
            let place = InsertPoint::After(deferred.awaits);
            give_back_if(ctx, body, place, ring, (&found.first, &counter), made.args[2]).ok_or(BEYOND)?;
            next.extend([deferred.token, stage]);
            let place = InsertPoint::After(made.op);
            let op = kernel::Await::build(&mut Builder::new(ctx, body, place), loc, &[made.results[1]]);
            let place = InsertPoint::After(op);
            give_back_if(ctx, body, place, ring, (&found.first, &found.last), made.results[2]).ok_or(BEYOND)?;
        }
    }
    yield_more(ctx, body, found.block, &next);
    let parities = found.requests.iter().map(|request| body.result(made.op, request.carried)).collect();
    let trips = |last: &SizeExpr, step: &SizeExpr| last.ceildiv(step).ok();
    let steps = found.last.with(&found.step, trips).ok_or(BEYOND)?;
    Ok(Taken { op: made.op, stages: ring.stages, stage: made.results[0], parities, steps })
}

/// Whether threads write shared memory anywhere.
fn threads_write(ctx: &Context, body: &Body) -> bool {
    let tiles = Tiles::of(ctx, body);
    let by_threads = |&op: &OpId| !OpRef::new(ctx, body, op).is(kernel::TmaLoad::DEF);
    body.walk().into_iter().any(|op| tiles.writers(op).iter().any(by_threads))
}

/// The op of a loop after which nothing reads its tiles any more.
fn release_after(ctx: &Context, body: &Body, found: &PipelinedLoop) -> Result<OpId, String> {
    let tiles = Tiles::of(ctx, body);
    let mut ends: Vec<OpId> = Vec::new();
    for tile in found.rings.iter().filter_map(|&ring| tile_of(ctx, body, ring)) {
        for &reader in tiles.readers(tile) {
            let view = OpRef::new(ctx, body, reader);
            ends.push(reader);
            match kernel::Wgmma::of(view) {
                Some(product) => {
                    let awaits: Vec<OpId> = body.uses(product.token()).map(|used| used.op).collect();
                    if awaits.is_empty() || !awaits.iter().all(|&op| OpRef::new(ctx, body, op).is(kernel::Await::DEF)) {
                        return Err("a product that reads a tile is not awaited in its step".into());
                    }
                    ends.extend(awaits);
                }
                None if view.is(kernel::LoadShared::DEF) => {}
                None => return Err(format!("'{}' reads a tile, and does not wait until it has", view.name())),
            }
        }
    }
    // A tile that nothing reads is given back when it is there.
    ends.push(found.meet);
    let ends: Option<Vec<OpId>> = ends.into_iter().map(|op| ancestor_in(body, op, found.block)).collect();
    let ends = ends.ok_or("a tile is read outside of its loop")?;
    let last = ends.into_iter().reduce(|last, op| if body.is_before(last, op) { op } else { last });
    let last = last.ok_or("a tile is read outside of its loop")?;
    // Barriers go; what stands before one does not.
    let following = std::iter::successors(Some(last), |&op| body.prev_op(op));
    let stays = |&op: &OpId| {
        !is_barrier(OpRef::new(ctx, body, op)) && !found.loads.contains(&op) && !found.needed.contains(&op)
    };
    let mut following = following.filter(stays);
    following.next().ok_or_else(|| "nothing waits for its tiles".into())
}

/// Whether threads load from the tiles of a ring.
fn threads_read(ctx: &Context, body: &Body, found: &PipelinedLoop) -> bool {
    let tiles = Tiles::of(ctx, body);
    let loads = |&op: &OpId| OpRef::new(ctx, body, op).is(kernel::LoadShared::DEF);
    found.rings.iter().filter_map(|&ring| tile_of(ctx, body, ring)).any(|tile| tiles.readers(tile).iter().any(loads))
}

/// Every warp gives a tile back: one lane says so, once it knows that the others have read.
fn give_back(ctx: &Context, body: &mut Body, place: InsertPoint, ring: &Ring, stage: ValueId) {
    let (loc, by) = (ring.found.loc, Arrivals::Warp);
    let waits = threads_read(ctx, body, &ring.found);
    let mut builder = Builder::new(ctx, body, place);
    if waits {
        kernel::WarpSync::build(&mut builder, loc);
    }
    if ring.ranks.is_empty() {
        kernel::Arrive::build(&mut builder, loc, ring.empty, Some(stage), None, by);
    }
    for &rank in &ring.ranks {
        kernel::Arrive::build(&mut builder, loc, ring.empty, Some(stage), Some(rank), by);
    }
}

/// The same if a number is below another.
fn give_back_if(
    ctx: &Context,
    body: &mut Body,
    place: InsertPoint,
    ring: &Ring,
    (low, high): (&BoundExpr, &BoundExpr),
    stage: ValueId,
) -> Option<()> {
    let (values, exprs) = pack(&[low.clone(), high.clone()])?;
    let guard = Guard::all(vec![Condition::of(&exprs[0], "<", &exprs[1])?]);
    let none: &[Type] = &[];
    let mut builder = Builder::new(ctx, body, place);
    let op = kernel::NewIf { args: &values, cond: None, guard: Some(guard), outs_type: none, otherwise: 0 }
        .build(&mut builder, ring.found.loc);
    let block = body.append_block(body.regions(op)[0]);
    give_back(ctx, body, InsertPoint::EndOf(block), ring, stage);
    Some(())
}
