//! Copies that threads wait for, a step ahead through registers: what the next step needs is loaded while this one
//! computes, and put into the other one of two tiles after that. One barrier a step is enough.

use dlc_core::guard::{Condition, Guard};
use dlc_core::sizes::{value_name, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, ValueId};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Tile};

use crate::analysis::axes::ancestor_in;
use crate::analysis::expressions::{BoundExpr, index};
use crate::analysis::loads::{last_barrier, ring_fits, room};
use crate::analysis::nesting::{block_of, grid_of, loops_around, needed, writes};
use crate::analysis::tiles::{Tiles, is_barrier, with_inner};
use crate::rewrites::carried::{carry, yield_more};
use crate::rewrites::rings::{copy_ops, in_ring, name_stage, ring_of};
use crate::rewrites::unused::erase_unused;

/// The tiles of a ring: one is read while the other one is filled.
const STAGES: i64 = 2;
/// The most bytes of a step that a thread has in registers.
const MOST_BYTES: i64 = 256;

/// A loop whose copies can go through registers.
pub struct Staged {
    op: OpId,
    block: BlockId,
    pub loc: Loc,
    counter: ValueId,
    first: BoundExpr,
    last: BoundExpr,
    step: BoundExpr,
    copies: Vec<OpId>,
    needed: Vec<OpId>,
    rings: Vec<ValueId>,
    /// The barrier after the copies.
    meet: OpId,
    /// The one at the end of the step.
    end: OpId,
}

/// The copies of a loop that threads wait for; nothing where there are none; else why they stay.
pub fn find(ctx: &Context, body: &Body, op: OpId) -> Result<Option<Staged>, String> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let loop_ = kernel::For::from(view(op));
    let Some(block) = block_of(ctx, body, op) else { return Ok(None) };
    let ops: Vec<OpId> = body.ops(block).collect();
    let copies: Vec<OpId> = ops.iter().copied().filter(|&op| view(op).is(kernel::Copy::DEF)).collect();
    // Loads that nothing waits for run ahead.
    let asynchronous = |&op: &OpId| view(op).is(kernel::CopyAsync::DEF) || view(op).is(kernel::TmaLoad::DEF);
    let Some(&last) = copies.last().filter(|_| !with_inner(body, op).iter().any(asynchronous)) else { return Ok(None) };
    let (Some(grid), Some(_)) = (grid_of(ctx, body, op), loops_around(ctx, body, op)) else {
        return Err("it stands in a condition or a role".into());
    };
    let meet = ops.iter().copied().filter(|&op| is_barrier(view(op))).find(|&op| body.is_before(last, op));
    let meet = meet.ok_or("its threads do not meet after its copies")?;
    let tiles = Tiles::of(ctx, body);
    let mut rings: Vec<ValueId> = Vec::new();
    let mut bytes = 0;
    for &copy in &copies {
        let copy = kernel::Copy::from(view(copy));
        if writes(ctx, body, copy.id, copy.source()) {
            return Err("the grid writes the memory that it copies".into());
        }
        let named = body.defining_op(copy.tile()).and_then(|made| ancestor_in(body, made, block));
        if named.is_some() {
            return Err("a part of a tile, which is named in the loop, is no ring of its own".into());
        }
        if copy.stage().is_some() || rings.contains(&copy.tile()) {
            return Err("its tiles are rings already, or written twice".into());
        }
        ring_fits(ctx, body, &tiles, copy.tile(), (block, meet), &copies)?;
        rings.push(copy.tile());
        let tile = Tile::of(ctx, copy.type_of(copy.tile())).and_then(|ty| ty.place(ctx).ok());
        bytes += tile.map_or(i64::MAX / 4, |tile| i64::from(tile.stride()));
    }
    let threads = kernel::Grid::of(view(grid)).map_or(1, |grid| grid.threads()).max(1);
    if bytes > MOST_BYTES * threads {
        let each = bytes / threads;
        return Err(format!("a thread would have {each} bytes of a step in registers, and {MOST_BYTES} are the most"));
    }
    let counter = body.args(block)[0];
    let needed = needed(ctx, body, &copies, &[counter])
        .ok_or("what its copies read depends on what the loop carries or on memory")?;
    // The step after the last one is loaded nowhere, but its positions are computed.
    if needed.iter().any(|&op| view(op).is(kernel::TileOrder::DEF)) {
        return Err("its steps are tiles, and after the last one there is no row and no column".into());
    }
    let end = last_barrier(ctx, body, &ops, meet, &copies)
        .ok_or("its threads do not meet at its end, or write more to shared memory")?;
    room(ctx, body, grid, &rings, 0, STAGES)?;
    let bounds = loop_.bounds();
    let [first, last, step] = bounds.as_slice() else { return Err("its bounds are not known".into()) };
    let values: Vec<ValueId> = loop_.args().collect();
    let over = |expr: &SizeExpr| BoundExpr::new(expr.clone(), &values);
    let (first, last, step) = (over(first), over(last), over(step));
    let loc = loop_.loc();
    Ok(Some(Staged { op, block, loc, counter, first, last, step, copies, needed, rings, meet, end }))
}

/// Rewrites a loop. `None` where its integers go beyond 64 bits, which leaves a kernel that only looks different.
pub fn rewrite(ctx: &Context, body: &mut Body, staged: &Staged) -> Option<()> {
    let loc = staged.loc;
    for &ring in &staged.rings {
        let ty = ring_of(ctx, body.value_type(ring), STAGES)?;
        body.set_value_type(ring, ty);
    }
    // The first step.
    let before = InsertPoint::Before(staged.op);
    let zero = BoundExpr::plain(SizeExpr::from(0));
    let stage = index(&mut Builder::new(ctx, body, before), loc, &zero)?;
    let loaded = load(ctx, body, staged, &staged.first, before)?;
    put(ctx, body, staged, &loaded, stage, before);
    kernel::Barrier::build(&mut Builder::new(ctx, body, before), loc, None, None);

    let made = carry(ctx, body, staged.op, &[(stage, "stage")])?;
    let stage = made.args[0];
    for &ring in &staged.rings {
        let users: Vec<OpId> = body.uses(ring).map(|used| used.op).collect();
        let inside = |op: &OpId| ancestor_in(body, *op, staged.block).is_some();
        let users: Vec<OpId> = users.into_iter().filter(inside).collect();
        for user in users {
            name_stage(ctx, body, user, &staged.rings, stage);
        }
    }
    let at = BoundExpr::value(staged.counter)?.plus(&staged.step)?;
    let start = InsertPoint::Before(staged.copies[0]);
    let loaded = load(ctx, body, staged, &at, start)?;
    let place = InsertPoint::Before(staged.end);
    let next = index(&mut Builder::new(ctx, body, place), loc, &in_ring(&BoundExpr::value(stage)?, 1, STAGES)?)?;
    body.set_value_name(next, ctx.intern_str("next"));
    put(ctx, body, staged, &loaded, next, place);
    yield_more(ctx, body, staged.block, &[next]);
    body.erase_op(staged.meet);
    staged.copies.iter().for_each(|&copy| body.erase_op(copy));
    erase_unused(ctx, body, staged.needed.clone());
    Some(())
}

/// Loads what a step copies, each where the step is one of the loop.
fn load(ctx: &Context, body: &mut Body, staged: &Staged, at: &BoundExpr, place: InsertPoint) -> Option<Vec<ValueId>> {
    let mut builder = Builder::new(ctx, body, place);
    let counter = index(&mut builder, staged.loc, at)?;
    let place = builder.place();
    body.set_value_name(counter, body.value_name(staged.counter));
    let mut map = CloneMap::new();
    map.map_value(staged.counter, counter);
    let made = copy_ops(body, &staged.needed, place, &mut map);
    let mut place = made.last().map_or(place, |&op| InsertPoint::After(op));
    let mut loaded = Vec::new();
    for &copy in &staged.copies {
        let copy = kernel::Copy::from(OpRef::new(ctx, body, copy));
        let (loc, source, fill, vector) = (copy.loc(), copy.source(), copy.fill(), copy.vector());
        let tile = Tile::of(ctx, copy.type_of(copy.tile()))?;
        let ty = Frag::get(ctx, tile.shape(ctx), tile.elem(ctx), copy.by());
        let mut args: Vec<ValueId> = copy.args().map(|value| map.value(value).unwrap_or(value)).collect();
        let (exprs, mut guard) = (copy.at(), copy.guard());
        let is_known = match (at.expr.as_constant(), staged.last.expr.as_constant()) {
            (Some(at), Some(last)) => at < last,
            _ => false,
        };
        if !is_known {
            let number = |args: &mut Vec<ValueId>, value: ValueId| {
                let known = args.iter().position(|&known| known == value);
                let number = known.unwrap_or_else(|| {
                    args.push(value);
                    args.len() - 1
                });
                SizeExpr::symbol(&value_name(number)).ok()
            };
            let at = number(&mut args, counter)?;
            let mut values = Vec::new();
            for &value in &staged.last.values {
                values.push(number(&mut args, value)?);
            }
            let named = |name: &str| values.get(value_number(name)?).cloned();
            guard = Some(below(guard, &at, &staged.last.expr.substitute(&named).ok()?));
        }
        let mut builder = Builder::new(ctx, body, place);
        let op = kernel::NewLoad { source, args: &args, at: exprs, guard, fill, hint: None, vector, out_type: ty }
            .build(&mut builder, loc);
        place = builder.place();
        loaded.push(body.result(op, 0));
    }
    Some(loaded)
}

/// A guard that holds only where an integer is below a bound, which it may ask for already.
fn below(guard: Option<Guard>, at: &SizeExpr, last: &SizeExpr) -> Guard {
    let mut guard = guard.unwrap_or_else(|| Guard::all(Vec::new()));
    let is_axis =
        |rest: &SizeExpr| rest.as_constant() == Some(0) || rest.as_symbol().is_some_and(|it| axis_number(it).is_some());
    for piece in &mut guard.pieces {
        let asked =
            |own: &Condition| own.upper.as_ref() == Some(last) && own.expr.sub(at).is_ok_and(|rest| is_axis(&rest));
        if !piece.iter().any(asked) {
            piece.push(Condition { expr: at.clone(), lower: None, upper: Some(last.clone()) });
        }
    }
    guard
}

/// Puts what was loaded into the tiles of a stage.
fn put(ctx: &Context, body: &mut Body, staged: &Staged, loaded: &[ValueId], stage: ValueId, place: InsertPoint) {
    for (&value, &ring) in loaded.iter().zip(&staged.rings) {
        kernel::StoreShared::build(&mut Builder::new(ctx, body, place), staged.loc, value, ring, Some(stage), None);
    }
}
