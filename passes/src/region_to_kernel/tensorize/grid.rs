//! A grid of a kernel: its blocks and where they are along the axes, then what they compute and store.

use dlc_core::guard::Condition;
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{BlockId, Context, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::{shared_limit, shared_memory};
use dlc_plan::Schedule;
use dlc_region::ops::{Reduce, Yield};
use dlc_region::verify::axes_of;
use rustc_hash::FxHashMap;

use super::axes::{self, Dim, LowerError, WholeRows};
use super::emit::Emit;
use super::lower::{self, Group, Lower, Part, Scope};
use super::{padding, report};
use crate::analysis::conditions::staggered;
use crate::analysis::plans::architecture;
use crate::plan::mapping::Mapping;
use crate::plan::scattered::Scattered;
use crate::plan::shape::Axis;
use crate::plan::tiling::{self, Tiling};
use crate::plan::window::Window;

/// What a grid computes.
pub struct Piece<'a> {
    pub region: &'a Body,
    pub plan: Option<&'a Schedule>,
    pub mapping: Mapping,
    /// Sizes, and what they are at most.
    pub register_resident: Vec<(SizeExpr, i64)>,
    /// The memory for each argument of the region.
    pub memory: FxHashMap<ValueId, ValueId>,
    /// The memory for its results.
    pub outputs: &'a [ValueId],
    /// The reduction of which each block does a part: results have the number of the part as their first axis.
    pub part: Option<Divided>,
    /// Where the result, an element of sums, is added.
    pub scattered: Option<&'a Scattered>,
    /// The axes whose loops are unrolled, besides those of the plan.
    pub unrolled: Vec<String>,
    /// Whether floats are finite.
    pub finite: bool,
}

/// A reduction of which each block does a part.
pub struct Divided {
    /// The reduction.
    pub reduce: OpId,
    /// The axis that has parts.
    pub axis: String,
    /// How many there are.
    pub count: i64,
    /// Whether parts may be combined in any order.
    pub is_commutative: bool,
    /// Whether nothing is asked of its first accumulator, a maximum, but that the others are below it.
    pub is_scale: bool,
}

/// What is reported of grids.
#[derive(Default)]
pub struct Notes {
    /// What the plan says and is not done, and why.
    pub missed: Vec<(String, String)>,
    /// The axes along which a loop was staggered.
    pub staggered: Vec<String>,
    /// The products that were lowered, each once.
    pub multiplied: Vec<report::Multiplied>,
}

/// Adds a grid to a kernel, after what is there.
pub fn grid<'c>(ctx: &'c Context, emit: Emit<'c>, piece: Piece<'_>, notes: &mut Notes) -> Result<Emit<'c>, LowerError> {
    let Piece { region, plan, mapping, register_resident, memory, outputs, part, scattered, mut unrolled, finite } =
        piece;
    let (block, loc) = (emit.block, emit.loc);
    let entry = region.entry_block().expect("what is lowered has a body");
    unrolled.extend(plan.map(|plan| mapping.unrolled(plan)).unwrap_or_default());
    let mut lower = Lower {
        ctx,
        region,
        emit,
        tiling: mapping.tiling.clone(),
        memory,
        scopes: Vec::new(),
        next_id: 0,
        grid: block,
        stagger: None,
        register_resident,
        filled: Vec::new(),
        missed: Vec::new(),
        staggered: Vec::new(),
        multiplied: Vec::new(),
        running: Vec::new(),
        group: None,
        part: None,
        is_planned: plan.is_some(),
        conditions: 0,
        unrolled,
        finite,
        near: Vec::new(),
    };
    if let Some(plan) = plan {
        padding::pad(&mut lower, plan)?;
    }
    let Opened { op, inner, holds_rows } = open(&mut lower, plan, mapping, part)?;
    stages(&mut lower, entry)?;
    if holds_rows {
        lower.begin_scans();
    }
    store(&mut lower, entry, &inner, (outputs, scattered))?;
    lower.emit.block = block;
    lower.emit.loc = loc;
    fits_shared_memory(OpRef::new(ctx, &lower.emit.body, op), plan.and_then(architecture))?;
    notes.missed.append(&mut lower.missed);
    notes.staggered.append(&mut lower.staggered);
    notes.multiplied.append(&mut lower.multiplied);
    Ok(lower.emit)
}

/// A grid that has begun.
struct Opened {
    op: OpId,
    /// Axes of the results that reductions go over before.
    inner: Vec<Axis>,
    /// Whether its blocks hold rows whole.
    holds_rows: bool,
}

/// The axes of rows and columns as tiles go over them.
struct Sides {
    axes: [Vec<Axis>; 2],
    /// The positions between two tiles.
    apart: [u32; 2],
    /// Those of which a tile has whole rows of pixels.
    whole_rows: [Option<WholeRows>; 2],
}

/// The sides of a tiling. Whole rows of pixels are as long as they are in the tile.
fn sides(tiling: &Tiling, axes: [Vec<Axis>; 2]) -> Sides {
    let window = tiling.matrix.as_ref().and_then(|matrix| matrix.window.as_ref());
    let of_side = |side: usize| window.filter(|window| window.side == side);
    let [rows, columns] = axes;
    Sides {
        axes: [(0, rows), (1, columns)].map(|(side, axes)| match of_side(side) {
            Some(window) => window.padded(&axes),
            None => axes,
        }),
        apart: [0, 1].map(|side| of_side(side).map_or(tiling.tile[side], Window::pixels)),
        whole_rows: [0, 1].map(|side| of_side(side).map(|of| WholeRows { width: of.width, apart: of.pixels() })),
    }
}

/// Begins a grid: its blocks, and where each of them is along the axes.
fn open(
    lower: &mut Lower<'_, '_>,
    plan: Option<&Schedule>,
    mapping: Mapping,
    part: Option<Divided>,
) -> Result<Opened, LowerError> {
    let loc = lower.emit.loc;
    // Blocks that are others than the plan's take what they need.
    let resident = mapping.resident(plan);
    let Mapping { batch, near, rows, columns, held, mut inner, tiling, keeps_rows, every, .. } = mapping;
    lower.emit.warps = Some(tiling.warps);
    // Without a product nothing is shared by a cluster, and tiles of one position have no guard for its last blocks.
    let cluster = cluster(lower, plan.filter(|_| tiling.matrix.is_some()), [&rows, &columns]);
    let together = i64::from(cluster[0] * cluster[1]);
    let count = |axes: &[Axis], tile: u32| -> Result<SizeExpr, LowerError> {
        let total = axes::product(axes.iter().map(|(_, size)| size))?;
        total.ceildiv(&i64::from(tile).into()).map_err(LowerError::Expr)
    };
    let Sides { axes: [rows, columns], apart, whole_rows } = sides(&tiling, [rows, columns]);
    let high = count(&rows, apart[0] * cluster[0])?;
    let wide = count(&columns, apart[1] * cluster[1])?;
    let batches = count(&batch, 1)?;
    let neighbours = count(&near, 1)?;
    let groups = match (every, inner.last()) {
        (Some(every), Some((_, size))) => size.ceildiv(&every.into()).map_err(LowerError::Expr)?,
        _ => SizeExpr::from(1),
    };
    let blocks = axes::product([&batches, &high, &wide, &neighbours, &groups, &together.into()])?;
    let mut builder = lower.emit.builder();
    let clusters = (together > 1).then(|| vec![together]);
    let threads = i64::from(tiling.warps) * 32;
    let dims = std::iter::once(blocks).chain(part.iter().map(|part| SizeExpr::from(part.count))).collect();
    let op = kernel::NewGrid { args: &[], dims, cluster: clusters, threads, blocks_per_sm: resident }
        .build(&mut builder, loc);
    let inside = lower.emit.body.append_block(lower.emit.body.regions(op)[0]);
    lower.emit.block = inside;
    lower.grid = inside;

    let grouped = every.zip(inner.last().map(|(axis, _)| axis.clone())).map(|(every, axis)| (every, axis, groups));
    let (mut number, rank) = number(lower, together, grouped)?;
    let mut points = Vec::new();
    if !near.is_empty() {
        let all = lower.emit.name(number);
        lower.emit.set_name(number, "block");
        let near_number = lower.emit.index(&axes::remainder(&all, &neighbours)?)?;
        lower.near.clone_from(&near);
        points = positions(lower, near_number, near)?;
        number = lower.emit.index(&axes::quotient(&all, &neighbours)?)?;
        lower.emit.set_name(number, "tile");
    }
    if let Some(Divided { reduce, axis, count, is_commutative, is_scale }) = part {
        let block_id = kernel::BlockId::build(&mut lower.emit.builder(), loc, 1);
        let value = lower.emit.body.result(block_id, 0);
        lower.emit.set_name(value, "part");
        let number = lower.emit.name(value);
        lower.part = Some(Part { reduce, axis, number, count, is_commutative, is_scale });
    }
    let tile = lower.emit.name(number);
    lower.stagger = plan.map(|plan| (tile.clone(), staggered(plan)));
    let area = axes::product([&high, &wide])?;
    let within = if batch.is_empty() { tile.clone() } else { axes::remainder(&tile, &area)? };
    let (row, column) = match columns.is_empty() {
        true => (within.clone(), SizeExpr::from(0)),
        false => {
            let number = if batch.is_empty() { number } else { lower.emit.index(&within)? };
            let places = order(lower, number, [high.clone(), wide.clone()])?.map(|value| lower.emit.name(value));
            // Filters that all tiles have in common are then the same text in all of them.
            let is_one = |size: &SizeExpr| whole_rows.iter().any(Option::is_some) && size.as_constant() == Some(1);
            let place = |at: SizeExpr, size: &SizeExpr| if is_one(size) { SizeExpr::from(0) } else { at };
            let [row, column] = places;
            (place(row, &high), place(column, &wide))
        }
    };
    // The blocks of a cluster have neighbouring tiles.
    let neighbour = |at: SizeExpr, size: u32| match rank.as_ref().filter(|_| size > 1) {
        Some(rank) => at.mul(&i64::from(size).into()).and_then(|first| first.add(rank)).map_err(LowerError::Expr),
        None => Ok(at),
    };
    let (row, column) = (neighbour(row, cluster[0])?, neighbour(column, cluster[1])?);
    let scaled = |at: &SizeExpr, tile: u32| at.mul(&i64::from(tile).into()).map_err(LowerError::Expr);
    let mut first = lower.dim(rows, scaled(&row, apart[0])?, tiling.tile[0])?;
    let mut second = match columns.is_empty() {
        true => None,
        false => Some(lower.dim(columns, scaled(&column, apart[1])?, tiling.tile[1])?),
    };
    first.whole_rows = whole_rows[0];
    second.iter_mut().for_each(|dim| dim.whole_rows = whole_rows[1]);
    if !batch.is_empty() {
        points.push(lower.dim(batch, axes::quotient(&tile, &area)?, 1)?);
    }
    let most = i64::from(tiling.reduction_tile);
    let is_alone = second.is_none() && every.is_none();
    let held = held.or_else(|| row_that_fits(&inner, keeps_rows, most).filter(|_| is_alone).cloned());
    inner.retain(|axis| Some(axis) != held.as_ref());
    let held = held.map(|axis| lower.dim(vec![axis], SizeExpr::from(0), tiling.reduction_tile)).transpose()?;
    let holds_rows = held.is_some();
    let dims = [Some(first), second.or(held)];
    lower.scopes.push(Scope { dims, points, layout: tiling.layout, known: FxHashMap::default() });
    Ok(Opened { op, inner, holds_rows })
}

/// The only axis that is reduced, if a block holds a row along it whole: where it is asked to, or where the row fits.
fn row_that_fits(inner: &[Axis], keeps_rows: bool, most: i64) -> Option<&Axis> {
    let [axis] = inner else { return None };
    let fits = keeps_rows || axis.1.as_constant().is_some_and(|size| size > 0 && size <= most);
    fits.then_some(axis)
}

/// The blocks of a cluster along rows and columns.
fn cluster(lower: &mut Lower<'_, '_>, plan: Option<&Schedule>, sides: [&[Axis]; 2]) -> [u32; 2] {
    let [rows, columns] = sides.map(|axes| axes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    plan.map_or(Ok([1, 1]), |plan| tiling::cluster(plan, &rows, &columns)).unwrap_or_else(|why| {
        lower.missed.push(("cluster".into(), format!("blocks are in no clusters: {why}")));
        [1, 1]
    })
}

/// The number of the tile that a block begins with, and its number in the cluster if there are clusters. Of scans in groups,
/// `grouped`, a block has one group.
fn number(
    lower: &mut Lower<'_, '_>,
    together: i64,
    grouped: Option<(i64, String, SizeExpr)>,
) -> Result<(ValueId, Option<SizeExpr>), LowerError> {
    let loc = lower.emit.loc;
    let block_id = kernel::BlockId::build(&mut lower.emit.builder(), loc, 0);
    let mut number = lower.emit.body.result(block_id, 0);
    let mut rank = None;
    if together > 1 {
        lower.emit.set_name(number, "block");
        let at = axes::quotient(&lower.emit.name(number), &together.into())?;
        number = lower.emit.index(&at)?;
        let op = kernel::BlockRank::build(&mut lower.emit.builder(), loc);
        let value = lower.emit.body.result(op, 0);
        lower.emit.set_name(value, "rank");
        rank = Some(lower.emit.name(value));
    }
    // Neighbouring blocks have groups of a scan next to each other.
    if let Some((every, axis, groups)) = grouped {
        let all = lower.emit.name(number);
        let group = lower.emit.index(&axes::remainder(&all, &groups)?)?;
        lower.emit.set_name(group, "group");
        lower.group = Some(Group { axis, number: lower.emit.name(group), every });
        number = lower.emit.index(&axes::quotient(&all, &groups)?)?;
    }
    lower.emit.set_name(number, "tile");
    Ok((number, rank))
}

/// Where a block is along axes that it has one position of, the last of them first: positions in order, which the checker of
/// synchronization knows as it knows rows and columns.
fn positions(lower: &mut Lower<'_, '_>, mut number: ValueId, mut axes: Vec<Axis>) -> Result<Vec<Dim>, LowerError> {
    let mut points = Vec::new();
    while !axes.is_empty() {
        let axis = axes.remove(0);
        let after = axes::product(axes.iter().map(|(_, size)| size))?;
        let [position, rest] = order(lower, number, [axis.1.clone(), after])?;
        let position = lower.emit.name(position);
        points.push(lower.dim(vec![axis], position, 1)?);
        number = rest;
    }
    Ok(points)
}

/// The row and the column of a tile.
fn order(lower: &mut Lower<'_, '_>, number: ValueId, tiles: [SizeExpr; 2]) -> Result<[ValueId; 2], LowerError> {
    let (args, tiles, _) = lower.emit.operands(&tiles, None)?;
    let order = kernel::Order::Rows;
    let loc = lower.emit.loc;
    let op = kernel::NewTileOrder { tile: number, args: &args, tiles, order, group: None }
        .build(&mut lower.emit.builder(), loc);
    let (row, column) = (lower.emit.body.result(op, 0), lower.emit.body.result(op, 1));
    lower.emit.set_name(row, "row");
    lower.emit.set_name(column, "column");
    Ok([row, column])
}

/// Refuses a kernel whose tiles do not fit: a plan counts those that it names, and not one for each read of a tensor.
fn fits_shared_memory(grid: OpRef<'_>, target: Option<&str>) -> Result<(), LowerError> {
    let most = shared_limit(target);
    let why = match shared_memory(grid) {
        Ok(places) if places.bytes <= most => return Ok(()),
        Ok(places) => format!("{} bytes", places.bytes),
        Err(why) => why,
    };
    Err(LowerError::Layout(format!("its tiles would take {why}, and a block has up to {most} bytes of shared memory")))
}

/// What depends on none of the axes that loops go over is computed first, in order.
fn stages(lower: &mut Lower<'_, '_>, entry: BlockId) -> Result<(), LowerError> {
    let ops: Vec<OpId> = lower.region.ops(entry).collect();
    for id in ops {
        let op = OpRef::new(lower.ctx, lower.region, id);
        if op.is(Yield::DEF) || op.results().len() == 0 {
            continue;
        }
        let bound = |lower: &Lower<'_, '_>, value: ValueId| {
            axes_of(lower.ctx, lower.region.value_type(value)).iter().all(|axis| lower.is_bound(axis))
        };
        let value = op.result(0);
        if op.is(Reduce::DEF) && op.results().all(|value| bound(lower, value)) {
            lower.value(value)?;
        }
    }
    Ok(())
}

/// Stores the results, in loops over the axes that reductions have gone over before.
fn store(
    lower: &mut Lower<'_, '_>,
    entry: BlockId,
    inner: &[Axis],
    (outputs, scattered): (&[ValueId], Option<&Scattered>),
) -> Result<(), LowerError> {
    if let Some((axis, rest)) = inner.split_first() {
        let last = rest.is_empty();
        let limit = if lower.tiling.reduction_tile > 1 { lower.tiling.reduction_tile } else { lower.tiling.tile[1] };
        let length = lower.group.as_ref().map_or(axis.1.clone(), |group| SizeExpr::from(group.every));
        let tile = if last { tiling::tile_of(&length, limit, limit) } else { 1 };
        let first = lower.begin_scans();
        let open = lower.emit.open_loop(&length, tile, &axis.0, &first)?;
        let counter = lower.emit.name(open.counter);
        let base = lower.scan_base(counter, &length, tile)?;
        lower.running.iter_mut().zip(&open.carried).for_each(|((_, running), &carried)| *running = carried);
        lower.push_scope();
        let dim: Dim = lower.dim(vec![axis.clone()], base, tile)?;
        match last {
            true => lower.scope().dims[1] = Some(dim),
            false => lower.scope().points.push(dim),
        }
        store(lower, entry, rest, (outputs, scattered))?;
        lower.scopes.pop();
        let next = lower.running_values();
        lower.emit.close_loop(open, &next);
        return Ok(());
    }
    let ctx = lower.ctx;
    let end = lower::end_of(ctx, lower.region, entry);
    let casts = end.casts().unwrap_or_default();
    // Every result is yielded once, in their order.
    for ((index, value), &output) in end.values().enumerate().zip(outputs) {
        let made = lower.value(value)?;
        lower.emit.loc = end.loc();
        let elem = MemRef::expect(ctx, lower.emit.body.value_type(output)).elem(ctx);
        let made = match casts.get(index).filter(|&&ty| ty != Type::NONE) {
            Some(&ty) => lower.cast(made, ty, false),
            None => made,
        };
        let made = lower.cast(made, elem, false);
        // A result may be over some of the kernel's axes alone, in any order.
        let iters: Vec<String> = axes_of(ctx, lower.region.value_type(value)).into_iter().map(String::from).collect();
        let dims = &lower.scope().dims;
        let is_over = |dim: &Dim| dim.axes.iter().any(|(axis, _)| iters.contains(axis));
        let columns = dims[1].as_ref().is_some_and(|dim| dim.tile > 1 && is_over(dim));
        let rows = dims[0].as_ref().is_some_and(is_over);
        let over = [rows || !columns || made.over[0], columns || made.over[1]];
        let made = lower.as_fragment(made, over)?;
        let mut at: Vec<SizeExpr> = lower.part.iter().map(|part| part.number.clone()).collect();
        let mut conditions = lower.inside(over)?;
        let scattered = scattered.map(|to| (to, MemRef::expect(ctx, lower.emit.body.value_type(output)).dims(ctx)));
        let places = scattered.as_ref().map_or(&iters, |(to, _)| &to.axes);
        for (place, axis) in places.iter().enumerate() {
            let Some((to, dims)) = scattered.as_ref().filter(|(to, _)| to.place == place) else {
                at.push(lower.expr(&SizeExpr::symbol(axis).expect("an axis has a name of a symbol"), over)?);
                continue;
            };
            // A position that is a value is guarded by itself.
            let index = lower.value(to.index)?;
            let index = lower.as_fragment(index, over)?;
            let name = lower.emit.name(index.value);
            conditions.push(Condition::within(name.clone(), dims[place].clone()));
            at.push(name);
        }
        conditions.extend(first_alone(lower, &iters, over)?);
        let guard = axes::both(None, conditions);
        let (values, at, guard) = lower.emit.operands(&at, guard.as_ref())?;
        let loc = lower.emit.loc;
        let combine = scattered.as_ref().map(|(to, _)| to.combiner);
        kernel::NewStore { value: made.value, target: output, args: &values, at, guard, combine, vector: None }
            .build(&mut lower.emit.builder(), loc);
    }
    Ok(())
}

/// What says that a block is the first along the axes that a result does not have: others have the same elements of it.
fn first_alone(lower: &mut Lower<'_, '_>, iters: &[String], over: [bool; 2]) -> Result<Vec<Condition>, LowerError> {
    let Scope { dims, points, .. } = lower.scope();
    let dims: Vec<Dim> = dims.iter().flatten().chain(points.iter()).cloned().collect();
    let mut conditions = Vec::new();
    for Dim { axes, total, base, tile, .. } in dims {
        let (own, others): (Vec<_>, Vec<_>) = axes.into_iter().partition(|(axis, _)| iters.contains(axis));
        if own.is_empty() && total.as_constant().is_none_or(|total| total > i64::from(tile)) {
            conditions.push(Condition::within(base, SizeExpr::from(1)));
        } else if !own.is_empty() {
            for (axis, _) in others.into_iter().filter(|(_, size)| size.as_constant() != Some(1)) {
                let at = lower.expr(&SizeExpr::symbol(&axis).expect("an axis has a name of a symbol"), over)?;
                conditions.push(Condition::within(at, SizeExpr::from(1)));
            }
        }
    }
    Ok(conditions)
}
