//! Says in which order the tiles of a matrix are taken, so that blocks that run at once share what they read; and with
//! `persistent` lets few blocks go through all tiles, so that nothing is set up again for each.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Every `tile_order` of more than one row and one column has the order. With `persistent=N`, a grid
//! with a block for each tile is one of at most N blocks with a loop over the tiles, except those that say why not.
//!
//! **Before**
//! ```mlir before
//! kernel.func @copy(%x: memref<[512, 384], f32>) -> memref<[512, 384], f32> {
//!   %y = output : memref<[512, 384], f32>
//!   grid (96) threads 128 {
//!     %tile = block_id 0
//!     %m, %n = tile_order %tile of (32, 3) rows
//!     %v = load %x[16*%m + i0, 128*%n + i1] : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//!     store %v to %y[16*%m + i0, 128*%n + i1]
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @copy(%x: memref<[512, 384], f32>) -> memref<[512, 384], f32> {
//!   %y = output : memref<[512, 384], f32>
//!   grid (96) threads 128 {
//!     %tile = block_id 0
//!     %m, %n = tile_order %tile of (32, 3) grouped 8
//!     %v = load %x[16*%m + i0, 128*%n + i1] : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//!     store %v to %y[16*%m + i0, 128*%n + i1]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** make a kernel persistent whose warps have roles: there each role has its own loop over tiles. Blocks of a
//! cluster go together, if each takes a tile that is found from the number of its cluster.
//!
//! There are no more blocks than go through the tiles in as many rounds as N of them: of 512 tiles 132 blocks would take
//! four each but for the last ones, and so do 128. The others would only take from the power that all share. Where loops
//! depend on the tile, as below a diagonal, tiles have different work, and there are N blocks.
//!
//! With `longest_first` the rows of tiles whose loops have the most steps come first, those of all matrices of a batch one
//! after the other: what is left in the end are short tiles, and all blocks end at nearly the same time. That is known of
//! rows whose number a loop's end grows with, as below a diagonal.
//!
//! In groups of rows, what the blocks that run at once read is nearly square (the raster of CUTLASS's tile schedulers); a
//! Hilbert curve keeps that for any number of blocks. The number of a tile says nothing but which tile it is, so a kernel
//! whose work is that of its tiles does the same in any order. Where blocks have shared memory, a barrier stands between
//! two tiles: the next one writes what this one reads. What no option says is that of the kernel's plan. Rules of the
//! debug counters: `order`, `persistent`.

mod longest;
mod once;

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::{Kind, Text};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, OpId, Type, ValueId};
use dlc_kernel::ops::{
    Await, AwaitRead, Barrier, BlockId, For, Func, Grid, GridSize, Index, MBarriers, Max, Min, NewFor, Order, Role,
    Shared, TileOrder, Yield,
};
use dlc_kernel::types::Token;
use dlc_plan::Schedule;
use dlc_plan::clause::Walk;

use crate::analysis::expressions::{BoundExpr, OpExprs, number};
use crate::analysis::plans::{self, PLANNED, given, is_of_rows, persistent_blocks, plan_of};
use crate::analysis::tiles::with_inner;
use crate::plan::report::not_followed;
use crate::rewrites::blocks::{block_ids, place_tile};

static DEF: PassDef = PassDef {
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    options: &[
        OptionDef {
            name: "order",
            kind: OptionKind::Choice(&["auto", "rows", "columns", "grouped", "hilbert", "longest_first"]),
            default: "auto",
            doc: "The order of the tiles; 'auto' for what the plan says, or 'grouped'.",
        },
        OptionDef {
            name: "group",
            kind: OptionKind::Text,
            default: "auto",
            doc: "The rows of a group; 'auto' for what the plan says, or 8.",
        },
        OptionDef {
            name: "persistent",
            kind: OptionKind::Text,
            default: "auto",
            doc: "The most blocks of a grid, which then goes through tiles in a loop, 0 for a block for each tile; 'auto' for what the plan says, or 0.",
        },
        PLANNED,
    ],
    statistics: &[
        StatDef { name: "ordered", doc: "Orders of tiles that changed." },
        StatDef { name: "persistent", doc: "Grids whose blocks go through tiles in a loop now." },
    ],
    ..PassDef::base("order-tiles", "Sets the order of tiles and the number of blocks (persistent kernels).", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The rows of a group where nothing says.
const GROUP: i64 = 8;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let order = match options.text("order") {
        "auto" => None,
        "rows" => Some(Wanted::Order(Order::Rows)),
        "columns" => Some(Wanted::Order(Order::Columns)),
        "hilbert" => Some(Wanted::Order(Order::Hilbert)),
        "longest_first" => Some(Wanted::LongestFirst),
        _ => Some(Wanted::Order(Order::Grouped)),
    };
    let (group, persistent) = (given(options, "group")?, given(options, "persistent")?);
    if let Some(group) = group.filter(|&group| group < 1) {
        return Err(format!("'group' must be positive, but is {group}"));
    }
    if let Some(persistent) = persistent.filter(|&persistent| persistent < 0) {
        return Err(format!("'persistent' must not be negative, but is {persistent}"));
    }
    Ok(Box::new(OrderTiles { order, group, persistent, planned: options.flag("planned") }))
}

/// An order that is asked for.
#[derive(Clone, Copy)]
enum Wanted {
    /// One of a matrix of tiles.
    Order(Order),
    /// Rows of tiles that have the most work first.
    LongestFirst,
}

struct OrderTiles {
    order: Option<Wanted>,
    group: Option<i64>,
    persistent: Option<i64>,
    planned: bool,
}

impl Pass for OrderTiles {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        match self.order_of(body, plan.as_deref(), cx) {
            Some((Wanted::Order(order), group)) => cx.count("ordered", order_tiles(body, order, group, cx)),
            Some((Wanted::LongestFirst, _)) => match longest::longest_first(body, cx) {
                Ok(changed) => cx.count("ordered", changed),
                Err(why) => {
                    let asked = plan.as_deref().filter(|_| self.order.is_none());
                    let message = format!("'order longest_first': the order of tiles stays: {why}");
                    not_followed(cx, body, asked, &["order"], (body.loc(body.root()), Func::DEF.name), message);
                }
            },
            None => {}
        }
        let planned = plan.as_ref().and_then(|plan| persistent_blocks(cx, plan));
        let blocks = self.persistent.or(planned).unwrap_or(0);
        if blocks > 0 {
            let is_shared = |op: OpId| OpRef::new(cx.ctx, body, op).is(Shared::DEF);
            let has_tiles = |op: OpId| with_inner(body, op).into_iter().any(is_shared);
            // Of several grids a plan means those with tiles in shared memory: what only copies has nothing from one to
            // the next.
            let some = body.walk().into_iter().any(is_shared);
            let is_meant = |op: OpId| self.persistent.is_some() || !some || has_tiles(op);
            let is_grid = |&op: &OpId| OpRef::new(cx.ctx, body, op).is(Grid::DEF) && is_meant(op);
            let grids: Vec<OpId> = body.walk().into_iter().filter(is_grid).collect();
            for grid in grids {
                match tiles_of(Grid::from(OpRef::new(cx.ctx, body, grid)), blocks) {
                    // The plan is followed: each block goes through all tiles that it has.
                    Ok(None) => {
                        let message = format!("'persistent': no more than {blocks} blocks have a tile each");
                        cx.remark(RemarkKind::Missed, body.loc(grid), message);
                    }
                    Ok(Some(tiles)) if cx.allows_rule("persistent") => {
                        let message = format!("at most {blocks} blocks go through {tiles} tiles");
                        cx.remark(RemarkKind::Passed, body.loc(grid), message);
                        cx.count("persistent", 1);
                        make_persistent(body, grid, tiles, blocks, cx);
                    }
                    Ok(Some(_)) => {}
                    Err(reason) => {
                        // Barriers of copies are made later: a grid that has some, its plan was followed in already.
                        let is_new = !with_inner(body, grid).iter().any(|&op| is_barriers(cx, body, op));
                        let plan = plan.as_deref().filter(|_| self.persistent.is_none() && is_new);
                        let message = format!("'persistent': a block for each tile: {reason}");
                        not_followed(cx, body, plan, &["persistent"], (body.loc(grid), Grid::DEF.name), message);
                    }
                }
            }
        }
        Ok(())
    }
}

fn is_barriers(cx: &PassCx<'_>, body: &Body, op: OpId) -> bool {
    OpRef::new(cx.ctx, body, op).is(MBarriers::DEF)
}

impl OrderTiles {
    /// The order of the tiles and the rows of a group, if one is wanted: that of the options, else that of the plan.
    fn order_of(&self, body: &Body, plan: Option<&Schedule>, cx: &PassCx<'_>) -> Option<(Wanted, i64)> {
        let planned = plan.and_then(|plan| plan.order.as_ref());
        let size = self.group.or(planned.and_then(|order| order.size)).unwrap_or(GROUP).max(1);
        if let Some(order) = self.order {
            return Some((order, size));
        }
        let Some(wanted) = plan.and_then(plans::order_of) else {
            return (!self.planned).then_some((Wanted::Order(Order::Grouped), size));
        };
        let along = planned.and_then(|order| order.along.as_deref());
        let of_rows = plan.is_some_and(|plan| is_of_rows(plan, along));
        let order = match wanted {
            Walk::Grouped if of_rows => Wanted::Order(Order::Grouped),
            Walk::Hilbert => {
                // 'tensorize' reports it at the clause.
                stays(body, "instructions have no formula for a Hilbert curve that leaves tiles out", cx);
                return None;
            }
            Walk::Row => Wanted::Order(Order::Rows),
            Walk::Column => Wanted::Order(Order::Columns),
            Walk::LongestFirst => Wanted::LongestFirst,
            Walk::Grouped => {
                stays(body, "groups are of rows, and the plan wants them of columns", cx);
                return None;
            }
        };
        Some((order, size))
    }
}

/// Says why tiles are taken in the order that they have.
fn stays(body: &Body, why: &str, cx: &PassCx<'_>) {
    let has_tiles = body.walk().into_iter().any(|op| OpRef::new(cx.ctx, body, op).is(TileOrder::DEF));
    if has_tiles && cx.wants_remarks() {
        cx.remark(RemarkKind::Missed, body.loc(body.root()), format!("the order of tiles stays: {why}"));
    }
}

/// Sets the order of all tiles of a kernel; `group` is for groups of rows. How many changed.
pub fn order_tiles(body: &mut Body, order: Order, group: i64, cx: &PassCx<'_>) -> u64 {
    let mut changed = 0;
    for op in body.walk() {
        let Some(view) = TileOrder::of(OpRef::new(cx.ctx, body, op)) else { continue };
        // Of one row or one column there is one order, and rows are the least work.
        let line = view.tiles().iter().any(|size| size.as_constant() == Some(1));
        let order = if line { Order::Rows } else { order };
        let group = Some(group).filter(|_| order == Order::Grouped);
        if (view.order(), view.group()) == (order, group) || !cx.allows_rule("order") {
            continue;
        }
        body.set_prop(cx.ctx, op, cx.ctx.intern_str("order"), Some(Text::make(cx.ctx, order.word())));
        body.set_prop(cx.ctx, op, cx.ctx.intern_str("group"), group.map(|group| cx.ctx.i64_attr(group)));
        cx.remark(RemarkKind::Passed, body.loc(op), format!("tiles are taken in the order '{}'", order.word()));
        changed += 1;
    }
    changed
}

/// The number of tiles of a grid that a loop can go through, in the values of the grid, those of the blocks of a cluster
/// being one; `None` where no block
/// has a second one; or why it cannot.
fn tiles_of(grid: Grid<'_>, blocks: i64) -> Result<Option<SizeExpr>, String> {
    let together = cluster_of(grid)?;
    let mut inside = Vec::new();
    grid.body.walk_regions(grid.id, &mut inside);
    for &id in &inside {
        let op = OpRef { id, ..*grid };
        if op.is(Role::DEF) {
            return Err("its warps have roles, each with its own loop over tiles".into());
        }
        if op.is(GridSize::DEF) {
            return Err("it asks how many blocks there are".into());
        }
        let of_cluster = |user: OpId| number_of_cluster(OpRef { id: user, ..*grid }, together);
        let in_cluster = || grid.body.uses(grid.body.result(id, 0)).all(|at| of_cluster(at.op));
        if together > 1 && op.is(BlockId::DEF) && !in_cluster() {
            return Err("the blocks of a cluster have tiles that are no neighbours".into());
        }
        if op.is(MBarriers::DEF) {
            return Err("the phases of its barriers would go on from tile to tile".into());
        }
        let ends = |value: ValueId| {
            grid.body.uses(value).any(|at| {
                let user = OpRef { id: at.op, ..*grid };
                user.is(Await::DEF) || user.is(AwaitRead::DEF) || user.is(Yield::DEF)
            })
        };
        if op.results().any(|value| Token::of(grid.ctx, op.type_of(value)).is_some() && !ends(value)) {
            return Err("work may still go on at the end of a tile".into());
        }
    }
    let mut tiles = SizeExpr::from(1);
    for size in grid.dims() {
        tiles = tiles.mul(&size).map_err(|_| "its tiles go beyond 64 bits")?;
    }
    if blocks < together {
        return Err(format!("its clusters have {together} blocks"));
    }
    match tiles.as_constant().or_else(|| most_blocks(grid)) {
        Some(tiles) if tiles <= blocks => Ok(None),
        _ => tiles.floordiv(&together.into()).map(Some).map_err(|_| "its tiles go beyond 64 bits".into()),
    }
}

/// The most blocks of a grid, where their number is said to be no more than one.
fn most_blocks(grid: Grid<'_>) -> Option<i64> {
    let (args, dims): (Vec<ValueId>, _) = (grid.args().collect(), grid.dims());
    let (&[value], [dim]) = (args.as_slice(), dims.as_slice()) else { return None };
    let min = Min::of(OpRef { id: grid.body.defining_op(value)?, ..*grid })?;
    dim.as_symbol().and_then(dlc_core::sizes::value_number)?;
    min.operands().find_map(|bound| number(grid.ctx, grid.body, bound))
}

/// The blocks of a cluster, all along the only axis of the grid.
fn cluster_of(grid: Grid<'_>) -> Result<i64, String> {
    match grid.cluster() {
        None => Ok(1),
        Some(cluster) if cluster.len() == 1 && grid.dims().len() == 1 => Ok(cluster[0]),
        Some(_) => Err("its blocks are in clusters along several axes".into()),
    }
}

/// Whether an op is the number of the cluster, of blocks that its value counts.
fn number_of_cluster(op: OpRef<'_>, together: i64) -> bool {
    let quotient = SizeExpr::symbol("_0").and_then(|block| block.floordiv(&together.into())).ok();
    Index::of(op).is_some_and(|index| quotient.is_some() && index.value().first() == quotient.as_ref())
}

/// Turns a grid of a block or a cluster for each of `tiles` into one of at most `blocks`, with a loop.
fn make_persistent(body: &mut Body, grid: OpId, tiles: SizeExpr, blocks: i64, cx: &PassCx<'_>) {
    let ctx = cx.ctx;
    let view = Grid::from(OpRef::new(ctx, body, grid));
    let (dims, loc, together) = (view.dims(), view.loc(), cluster_of(view).unwrap_or(1));
    let Some(block) = body.first_block(Grid::body(view)) else { return };
    let Some(mut places) = OpExprs::of(*view) else { return };
    let even = is_even(body, grid, cx);
    let args = places.args.clone();
    let ops: Vec<OpId> = body.ops(block).collect();
    let mut inside = Vec::new();
    body.walk_regions(grid, &mut inside);
    let is = |body: &Body, op: OpId, def| OpRef::new(ctx, body, op).is(def);
    let has_shared = inside.iter().any(|&op| is(body, op, Shared::DEF));

    // What the tiles share comes first.
    let rest: Vec<OpId> = ops.into_iter().filter(|&op| !is(body, op, Shared::DEF)).collect();
    let mut builder = Builder::at_end(ctx, body, block);
    let own = BlockId::build(&mut builder, loc, 0);
    let step = GridSize::build(&mut builder, loc, 0);
    let (mut own_value, mut step_value) = (body.result(own, 0), body.result(step, 0));
    body.set_value_name(own_value, ctx.intern_str("block"));
    body.set_value_name(step_value, ctx.intern_str("blocks"));
    if together > 1 {
        [own_value, step_value] = [(own_value, "cluster"), (step_value, "clusters")].map(|(value, name)| {
            let number = SizeExpr::symbol("_0").and_then(|number| number.floordiv(&together.into()));
            let number = number.unwrap_or_else(|_| 0.into());
            let op = Index::build(&mut Builder::at_end(ctx, body, block), loc, &[value], vec![number], Type::INDEX);
            body.set_value_name(body.result(op, 0), ctx.intern_str(name));
            body.result(op, 0)
        });
    }
    // In the order in which the bounds name them.
    let named = |number: usize| SizeExpr::symbol(&dlc_core::sizes::value_name(number)).unwrap_or_else(|_| 0.into());
    let shifted = |expr: &SizeExpr| {
        let next = |symbol: &str| Some(named(dlc_core::sizes::value_number(symbol)? + 1));
        expr.substitute(&next).unwrap_or_else(|_| expr.clone())
    };
    let mut values = vec![own_value];
    values.extend(&args);
    values.push(step_value);
    let bounds = vec![named(0), shifted(&tiles), named(args.len() + 1)];
    let loop_op = NewFor { args: &values, inits: &[], bounds, unroll: None, outs_type: &[] }
        .build(&mut Builder::at_end(ctx, body, block), loc);
    let region = body.regions(loop_op)[0];
    let inner = body.append_block(region);
    let counter = body.add_arg(inner, Type::INDEX, loc);
    body.set_value_name(counter, ctx.intern_str("tile"));
    for op in rest {
        body.move_op(op, InsertPoint::EndOf(inner));
    }
    let mut builder = Builder::at_end(ctx, body, inner);
    if has_shared {
        Barrier::build(&mut builder, loc, None, None);
    }
    Yield::build(&mut builder, loc, &[]);

    // The place of a block in the grid is that of the tile.
    let ids = block_ids(ctx, body, loop_op);
    if together > 1 {
        for op in ids {
            let block = body.result(op, 0);
            let numbers: Vec<OpId> = body.uses(block).map(|used| used.op).collect();
            for number in numbers {
                body.replace_all_uses(body.result(number, 0), counter);
                body.erase_op(number);
            }
            body.erase_op(op);
        }
    } else {
        let dims: Vec<BoundExpr> = dims.iter().map(|size| BoundExpr::new(size.clone(), &args)).collect();
        place_tile(ctx, body, &ids, counter, &dims);
    }
    let most = blocks / together;
    let (args, number) = match tiles.as_constant() {
        Some(tiles) if tiles > 0 => (Vec::new(), SizeExpr::from(together * fewest(tiles, most, even))),
        Some(_) => (Vec::new(), SizeExpr::from(together)),
        None if even => (vec![blocks_of_launch(body, grid, &args, &tiles, [most, together], cx)], named(0)),
        None => (Vec::new(), SizeExpr::from(together * most)),
    };
    (places.args, places.lists) = (args, vec![("dims", vec![number])]);
    places.write(ctx, body, grid);
    once::copy_once(body, loop_op, cx);
}

/// The fewest blocks that go through tiles in no more rounds than `most` of them, where all tiles have as much work.
pub fn fewest(tiles: i64, most: i64, even: bool) -> i64 {
    // Tiles may be as many as an integer counts.
    let rounds = (tiles - 1) / most + 1;
    if even { (tiles - 1) / rounds + 1 } else { tiles.min(most) }
}

/// That number, found when the kernel is launched. It is said to be no more than the most, which is so, for those who go
/// by what stands there.
fn blocks_of_launch(
    body: &mut Body,
    grid: OpId,
    args: &[ValueId],
    tiles: &SizeExpr,
    [most, together]: [i64; 2],
    cx: &PassCx<'_>,
) -> ValueId {
    let loc = body.loc(grid);
    let value = |number: usize| SizeExpr::symbol(&dlc_core::sizes::value_name(number)).unwrap_or_else(|_| 0.into());
    let index = |body: &mut Body, args: &[ValueId], expr: Option<SizeExpr>, name: &str| {
        let expr = expr.unwrap_or_else(|| (most * together).into());
        let op = Index::build(
            &mut Builder::new(cx.ctx, body, InsertPoint::Before(grid)),
            loc,
            args,
            vec![expr],
            Type::INDEX,
        );
        if let Some(places) = OpExprs::of(OpRef::new(cx.ctx, body, op)) {
            places.write(cx.ctx, body, op);
        }
        body.set_value_name(body.result(op, 0), cx.ctx.intern_str(name));
        body.result(op, 0)
    };
    let all = index(body, args, Some(tiles.clone()), "tiles");
    let waves = index(body, &[all], value(0).ceildiv(&most.into()).ok(), "waves");
    let one = index(body, &[], Some(1.into()), "one");
    let rounds = Max::build(&mut Builder::new(cx.ctx, body, InsertPoint::Before(grid)), loc, waves, one);
    let rounds = body.result(rounds, 0);
    body.set_value_name(rounds, cx.ctx.intern_str("rounds"));
    let each = value(0).ceildiv(&value(1)).and_then(|each| each.mul(&together.into())).ok();
    let few = index(body, &[all, rounds], each, "few");
    let most = index(body, &[], Some((most * together).into()), "most");
    let blocks = Min::build(&mut Builder::new(cx.ctx, body, InsertPoint::Before(grid)), loc, most, few);
    let blocks = body.result(blocks, 0);
    body.set_value_name(blocks, cx.ctx.intern_str("needed"));
    blocks
}

/// Whether every tile has as much work: no loop in the grid asks where its block or its tile is.
fn is_even(body: &Body, grid: OpId, cx: &PassCx<'_>) -> bool {
    let inside = with_inner(body, grid);
    let within = |value: ValueId| match body.defining_op(value) {
        Some(op) => inside.contains(&op),
        None => true,
    };
    inside.iter().all(|&op| For::of(OpRef::new(cx.ctx, body, op)).is_none_or(|op| !op.args().any(within)))
}
