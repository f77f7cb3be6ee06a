//! What a loop of a kernel loads by itself, and whether that can be done ahead.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{BlockId, Context, Loc, OpId, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::{BARRIER_BYTES, shared_memory};
use dlc_kernel::types::{MBarrier, Tile};
use dlc_plan::Target;

use crate::analysis::axes::ancestor_in;
use crate::analysis::expressions::BoundExpr;
use crate::analysis::nesting::{block_of, grid_of, loops_around, needed};
use crate::analysis::tiles::{Tiles, is_barrier, may_overlap, tile_of, touches, with_inner};

/// A loop whose loads can run ahead.
pub struct PipelinedLoop {
    /// The loop.
    pub op: OpId,
    /// Its block.
    pub block: BlockId,
    /// Where it stands in the text.
    pub loc: Loc,
    /// What it counts.
    pub counter: ValueId,
    /// Its first integer.
    pub first: BoundExpr,
    /// The one after the last.
    pub last: BoundExpr,
    /// Its step.
    pub step: BoundExpr,
    /// The ops `copy_async`.
    pub copies: Vec<OpId>,
    /// The requests to TMA.
    pub requests: Vec<Request>,
    /// All of them, in order.
    pub loads: Vec<OpId>,
    /// The pure ops of the loop that they need.
    pub needed: Vec<OpId>,
    /// The tiles and mbarriers that become rings.
    pub rings: Vec<ValueId>,
    /// The ops that await the copies, in order.
    pub awaits: Vec<OpId>,
    /// The barrier after which every tile of the step before has been read.
    pub meet: OpId,
    /// The barrier at the end of the loop, if rings do without.
    pub last_barrier: Option<OpId>,
    /// Products that need be awaited only in the next step.
    pub deferred: Option<Deferred>,
}

impl PipelinedLoop {
    /// How many steps ahead the loads run: a tile is loaded again when nothing reads it any more.
    pub fn ahead(&self, stages: i64) -> i64 {
        stages - if self.deferred.is_some() { 2 } else { 1 }
    }
}

/// A request to TMA, in `elect`, and the mbarrier that counts its bytes.
pub struct Request {
    /// The mbarrier.
    pub full: ValueId,
    /// The parity that the step waits with.
    pub parity: ValueId,
    /// Its number among what the loop carries.
    pub carried: usize,
}

/// Products whose sums are added to in the next step.
pub struct Deferred {
    /// The op that awaits them.
    pub awaits: OpId,
    /// The token of the last.
    pub token: ValueId,
}

/// The loads of a loop that can run ahead; nothing where there are none; else why they cannot.
pub fn find(ctx: &Context, body: &Body, op: OpId, stages: i64) -> Result<Option<PipelinedLoop>, String> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let loop_ = kernel::For::from(view(op));
    let Some(block) = block_of(ctx, body, op) else { return Ok(None) };
    let ops: Vec<OpId> = body.ops(block).collect();
    let copies: Vec<OpId> = ops.iter().copied().filter(|&op| view(op).is(kernel::CopyAsync::DEF)).collect();
    let asks = |&op: &OpId| {
        let inner = with_inner(body, op).into_iter();
        view(op).is(kernel::Elect::DEF) && inner.into_iter().any(|op| view(op).is(kernel::TmaLoad::DEF))
    };
    let elects: Vec<OpId> = ops.iter().copied().filter(asks).collect();
    if copies.is_empty() && elects.is_empty() {
        return match ops.iter().any(|&op| view(op).is(kernel::Copy::DEF)) {
            true => Err("its threads wait for their copies: 'insert-async-tokens' says why".into()),
            false => Ok(None),
        };
    }
    let (Some(grid), Some(outer)) = (grid_of(ctx, body, op), loops_around(ctx, body, op)) else {
        return Err("it stands in a condition or a role".into());
    };
    let requests =
        elects.iter().map(|&elect| request(ctx, body, loop_, block, elect, &outer)).collect::<Result<Vec<_>, _>>()?;
    let is_load = |op: &OpId| copies.contains(op) || elects.contains(op);
    let loads: Vec<OpId> = ops.iter().copied().filter(is_load).collect();

    let tiles = Tiles::of(ctx, body);
    let mut rings: Vec<ValueId> = Vec::new();
    for inner in loads.iter().flat_map(|&load| with_inner(body, load)) {
        for tile in touches(view(inner)).into_iter().filter(|touch| touch.writes).map(|touch| touch.tile) {
            let value = body.result(tile, 0);
            if !rings.contains(&value) {
                rings.push(value);
            }
        }
    }
    let (awaits, meet) = meeting(ctx, body, &ops, &copies, &requests)?;
    for &ring in &rings {
        ring_fits(ctx, body, &tiles, ring, (block, meet), &loads)?;
    }
    let counter = body.args(block)[0];
    let needed = needed(ctx, body, &loads, &[counter])
        .ok_or("what its loads read depends on what the loop carries or on memory")?;
    let bounds = loop_.bounds();
    let values: Vec<ValueId> = loop_.args().collect();
    let [first, last, step] = bounds.as_slice() else { return Err("its bounds are not known".into()) };
    let over = |expr: &SizeExpr| BoundExpr::new(expr.clone(), &values);

    let deferred = if stages > 2 { deferred(ctx, body, &tiles, (&ops, block), meet, &rings) } else { None };
    let last_barrier = last_barrier(ctx, body, &ops, meet, &loads);
    // An mbarrier says that tiles are full, and another one, where warps have roles, that they are empty.
    room(ctx, body, grid, &rings, 2 * requests.len(), stages)?;
    rings.extend(requests.iter().map(|request| request.full));
    let (first, last, step) = (over(first), over(last), over(step));
    Ok(Some(PipelinedLoop {
        op,
        block,
        loc: loop_.loc(),
        counter,
        first,
        last,
        step,
        copies,
        requests,
        loads,
        needed,
        rings,
        awaits,
        meet,
        last_barrier,
        deferred,
    }))
}

/// A request whose mbarrier serves it alone, waited for in the same loop with a parity that changes with every wait.
fn request(
    ctx: &Context,
    body: &Body,
    loop_: kernel::For<'_>,
    block: BlockId,
    elect: OpId,
    outer: &[OpId],
) -> Result<Request, String> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let mut full = None;
    for op in with_inner(body, elect).into_iter().skip(1) {
        let barrier = match (kernel::Expect::of(view(op)), kernel::TmaLoad::of(view(op))) {
            (Some(expect), _) => Some(expect.barrier()),
            (_, Some(load)) if load.multicast().is_none() => Some(load.barrier()),
            _ if dlc_ir::effects::is_speculatable(ctx, body, op) => None,
            _ => return Err("the thread that asks TMA does more than that".into()),
        };
        if barrier.is_some() && full.is_some() && full != barrier {
            return Err("a request counts on two mbarriers".into());
        }
        full = full.or(barrier);
    }
    let full = full.ok_or("a request counts on no mbarrier")?;
    let alone = "its mbarrier is not for one request and one wait of the loop alone";
    let made = body.defining_op(full).and_then(|op| kernel::MBarriers::of(view(op))).ok_or(alone)?;
    if made.arrivals() != 1 || MBarrier::of(ctx, body.value_type(full)).is_none_or(|ty| ty.count(ctx) != 1) {
        return Err(alone.into());
    }
    let inner = with_inner(body, elect);
    let others: Vec<OpId> = body.uses(full).map(|used| used.op).filter(|op| !inner.contains(op)).collect();
    let &[wait] = others.as_slice() else { return Err(alone.into()) };
    let wait = kernel::Wait::of(view(wait)).filter(|wait| body.block_of(wait.id) == Some(block)).ok_or(alone)?;
    if !body.is_before(elect, wait.id) {
        return Err("it waits for a request before it makes it".into());
    }
    let parity = wait.parity();
    let carried = body.args(block)[1..].iter().position(|&arg| arg == parity).ok_or(alone)?;
    match alternates(ctx, body, loop_, block, carried, outer) {
        true => Ok(Request { full, parity, carried }),
        false => Err("the parity of its mbarrier does not begin with 0 and change with every wait".into()),
    }
}

/// Whether what a loop carries at a number is 0 at first and changes between 0 and 1 in each step, through all loops
/// around.
fn alternates(
    ctx: &Context,
    body: &Body,
    loop_: kernel::For<'_>,
    block: BlockId,
    carried: usize,
    outer: &[OpId],
) -> bool {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let parity = body.args(block)[carried + 1];
    let yielded = |block: BlockId, number: usize| body.operands(body.last_op(block)?).nth(number);
    let next = yielded(block, carried).and_then(|value| kernel::Index::of(view(body.defining_op(value)?)));
    let turned = next.is_some_and(|next| {
        let other = SizeExpr::symbol("_0").and_then(|old| SizeExpr::from(1).sub(&old)).ok();
        next.args().eq([parity]) && next.value().first() == other.as_ref()
    });
    // The wait and the other parity use it, and nothing else.
    if !turned || body.uses(parity).count() != 2 {
        return false;
    }
    let (mut inner, mut number) = (loop_, carried);
    for &op in outer {
        let Some(init) = inner.inits().nth(number) else { return false };
        let Some(block) = block_of(ctx, body, op) else { return false };
        let Some(at) = body.args(block)[1..].iter().position(|&arg| arg == init) else { return false };
        if yielded(block, at) != inner.results().nth(number) {
            return false;
        }
        (inner, number) = (kernel::For::from(view(op)), at);
    }
    let init = inner.inits().nth(number).and_then(|init| kernel::Index::of(view(body.defining_op(init)?)));
    init.is_some_and(|init| init.value().first().and_then(SizeExpr::as_constant) == Some(0))
}

/// The ops that await copies, in order, and the first barrier after the first op that waits for a load.
fn meeting(
    ctx: &Context,
    body: &Body,
    ops: &[OpId],
    copies: &[OpId],
    requests: &[Request],
) -> Result<(Vec<OpId>, OpId), String> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let mut awaits = Vec::new();
    for &copy in copies {
        for used in body.uses(body.result(copy, 0)) {
            if !ops.contains(&used.op) || kernel::Await::of(view(used.op)).is_none() {
                return Err("the token of a copy is awaited elsewhere than in its step".into());
            }
            if !awaits.contains(&used.op) {
                awaits.push(used.op);
            }
        }
        if !body.has_uses(body.result(copy, 0)) {
            return Err("a copy is not awaited".into());
        }
    }
    awaits.sort_by_key(|op| ops.iter().position(|other| other == op));
    let waits = |op: &OpId| {
        let wait = kernel::Wait::of(view(*op));
        awaits.contains(op) || wait.is_some_and(|wait| requests.iter().any(|request| request.full == wait.barrier()))
    };
    let first = ops.iter().position(waits).ok_or("its loads are not awaited")?;
    let meet = ops[first..].iter().copied().find(|&op| is_barrier(view(op)));
    Ok((awaits, meet.ok_or("its threads do not meet after its loads")?))
}

/// That a tile is filled by the loads alone and touched in the loop alone, read after the barrier, or changed there.
pub fn ring_fits(
    ctx: &Context,
    body: &Body,
    tiles: &Tiles,
    ring: ValueId,
    (block, meet): (BlockId, OpId),
    loads: &[OpId],
) -> Result<(), String> {
    let unknown = "it is not known where its tiles lie";
    let tile = tile_of(ctx, body, ring).ok_or(unknown)?;
    if Tile::of(ctx, body.value_type(ring)).is_none_or(|ty| ty.stages(ctx) != 1) {
        return Err("its tiles are rings already".into());
    }
    if may_overlap(ctx, body, tile) {
        return Err("a tile may lie over others".into());
    }
    if body.uses(ring).any(|used| ancestor_in(body, used.op, block).is_none()) {
        return Err("a tile is used outside of the loop too".into());
    }
    let of_load = |op: &OpId| ancestor_in(body, *op, block).is_some_and(|op| loads.contains(&op));
    let following = |op: &OpId| ancestor_in(body, *op, block).is_some_and(|op| body.is_before(meet, op));
    let changes = |op: &OpId| OpRef::new(ctx, body, *op).is(kernel::StoreShared::DEF) && following(op);
    if !tiles.writers(tile).iter().all(|op| of_load(op) || changes(op)) {
        return Err("a tile is written by other ops than its loads".into());
    }
    match tiles.readers(tile).iter().all(following) {
        true => Ok(()),
        false => Err("a tile is read before its threads meet".into()),
    }
}

/// The last barrier of the loop, if nothing is after it, and no thread writes shared memory in the loop but by the loads:
/// then the next step's barrier is enough.
pub fn last_barrier(ctx: &Context, body: &Body, ops: &[OpId], meet: OpId, loads: &[OpId]) -> Option<OpId> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let last = ops.iter().rposition(|&op| is_barrier(view(op))).filter(|&last| ops[last] != meet)?;
    let idle = |&op: &OpId| view(op).is(kernel::Yield::DEF) || dlc_ir::effects::is_speculatable(ctx, body, op);
    let others = ops.iter().filter(|op| !loads.contains(op)).flat_map(|&op| with_inner(body, op));
    let writes = others.flat_map(|op| touches(view(op))).any(|touch| touch.writes);
    (ops[last + 1..].iter().all(idle) && !writes).then(|| ops[last])
}

/// Products in the loop that only add to a sum which it carries, all awaited at once, if nothing else reads the rings from
/// there on.
fn deferred(
    ctx: &Context,
    body: &Body,
    tiles: &Tiles,
    (ops, block): (&[OpId], BlockId),
    meet: OpId,
    rings: &[ValueId],
) -> Option<Deferred> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let products: Vec<kernel::Wgmma<'_>> = ops.iter().filter_map(|&op| kernel::Wgmma::of(view(op))).collect();
    let last = products.last()?;
    let end = body.last_op(block)?;
    let awaits = body.uses(last.token()).next()?.op;
    let awaited: Vec<ValueId> = kernel::Await::of(view(awaits))?.tokens().collect();
    let tokens: Vec<ValueId> = products.iter().map(|product| product.token()).collect();
    if body.block_of(awaits) != Some(block) || !body.is_before(meet, products.first()?.id) {
        return None;
    }
    if !awaited.iter().all(|token| tokens.contains(token)) || !body.is_before(last.id, awaits) {
        return None;
    }
    for product in &products {
        // A sum goes on to the next product, or from step to step at one place.
        let used: Vec<_> = body.uses(product.out()).collect();
        let [used] = used.as_slice() else { return None };
        let onward = products.iter().any(|other| other.id == used.op && other.acc() == product.out());
        if !onward && used.op != end {
            return None;
        }
        let root = chain(&products, product.acc());
        let carried = body.args(block)[1..].iter().position(|&arg| arg == root)?;
        let tail = products.iter().rev().find(|other| chain(&products, other.acc()) == root)?;
        if body.operands(end).nth(carried) != Some(tail.out()) || body.uses(root).count() != 1 {
            return None;
        }
        if body.uses(product.token()).any(|used| used.op != awaits)
            || Tile::of(ctx, product.type_of(product.lhs())).is_none()
        {
            return None;
        }
        for read in touches(**product).into_iter().map(|touch| touch.tile) {
            let is_ring = rings.contains(&body.result(read, 0));
            if !is_ring && tiles.writers(read).iter().any(|&op| ancestor_in(body, op, block).is_some()) {
                return None;
            }
        }
    }
    let first = products.first()?.id;
    let is_before =
        |op: OpId| ancestor_in(body, op, block).is_some_and(|within| within != first && body.is_before(within, first));
    // What threads load they have when they use it, and that is before the products.
    let of_product = |op: &OpId| {
        products.iter().any(|product| product.id == *op) || (view(*op).is(kernel::LoadShared::DEF) && is_before(*op))
    };
    let alone = rings
        .iter()
        .filter_map(|&ring| tile_of(ctx, body, ring))
        .all(|tile| tiles.readers(tile).iter().all(of_product));
    alone.then(|| Deferred { awaits, token: last.token() })
}

/// What the first of a chain of products adds to.
fn chain(products: &[kernel::Wgmma<'_>], acc: ValueId) -> ValueId {
    let mut acc = acc;
    while let Some(before) = products.iter().find(|product| product.out() == acc) {
        acc = before.acc();
    }
    acc
}

/// That the rings fit into the shared memory of a block.
pub fn room(
    ctx: &Context,
    body: &Body,
    grid: OpId,
    rings: &[ValueId],
    barriers: usize,
    stages: i64,
) -> Result<(), String> {
    let func = kernel::Func::of(OpRef::new(ctx, body, body.root()));
    let Some(target) = func.and_then(|func| Target::built_in(func.target()?)) else { return Ok(()) };
    let bytes = shared_memory(OpRef::new(ctx, body, grid))?.bytes;
    let more = |&ring: &ValueId| Tile::of(ctx, body.value_type(ring)).and_then(|ty| ty.place(ctx).ok());
    let ring: u64 = rings.iter().filter_map(more).map(|tile| u64::from(tile.stride())).sum();
    let per_stage = ring + u64::from(BARRIER_BYTES) * barriers as u64;
    let wanted = u64::from(bytes) + per_stage * stages.unsigned_abs().saturating_sub(1);
    let most = target.smem_per_block.unsigned_abs();
    match wanted <= most {
        true => Ok(()),
        false => Err(format!(
            "rings of {stages} take {wanted} bytes of shared memory, and a block of {} has {most}",
            target.name
        )),
    }
}
