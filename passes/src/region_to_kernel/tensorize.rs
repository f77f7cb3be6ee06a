//! Turns a region and its plan into a kernel: tiles of the axes become blocks, loops and fragments, a product of matrices
//! a loop around the plan's instruction. The kernel is synchronous and correct as it stands.
//!
//! **Requires**: region.
//! **Ensures**: kernel. A function of axes is a kernel of the same name and signature. Every access is guarded by the sizes,
//! so that one kernel is right for all of them.
//!
//! **Before**
//! ```mlir before
//! region.func @rows<M, N> iters (m: M) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows<M, N>(%X: memref<[M, N], f32, row_major, align 16>) -> memref<[M], f32, row_major, align 16> {
//!   %Y = output : memref<[M], f32, row_major, align 16>
//!   grid (M ceildiv 4) threads 128 {
//!     %tile = block_id 0
//!     %0 = const 0.0 : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!     %1 = for %n = 0 to N step 256 carry (%2 = %0) : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]> {
//!       %x = load %X[4*%tile + i0, %n + i1] where (4*%tile + i0 < M, %n + i1 < N) : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!       %3 = binary add %2, %x : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!       yield %3
//!     }
//!     %s = reduce sum %1 along 1 : frag<[4], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [4, 1])>
//!     store %s to %Y[4*%tile + i0] where (4*%tile + i0 < M)
//!   }
//!   return %Y
//! }
//! ```
//!
//! **Does not** overlap anything, nor choose a plan: without one it takes tiles that fit any machine. Accumulators of a
//! reduction that a region combines are taken one position at a time.
//!
//! Axes of the result become those of blocks, flattened: the axes of a product's left operand as rows, those of its right
//! one as columns, those of both as the blocks' number; without a product the last axis as columns. Where a plan says the
//! tile, columns are those with the last axis of the result, and pixels that the copy engine takes are a run over all images. Axes that are reduced
//! become loops, and so do those that are both; several in one loop are in the order in which memory has them. Fragments have two axes: rows, and columns or a tile of what is reduced.
//! What no threads share is reduced by each for its own elements, position by position, by a planned tile too if that has one
//! position of each axis that is reduced: axes of the results of which it has one are then axes of blocks.
//! Where neighbours in memory have results of their own, lanes lie beside each other along these and warps share the axis
//! that is reduced.
//! Scans go along an axis by tiles, one after another, with running values in registers; the lanes of a warp and the warps of
//! a block share a tile, along rows or columns (`scan`).
//! Rows that are reduced and then read again are held whole where they fit: where their length is a number, or the plan keeps
//! them in registers, with as many warps for each as it says. So are the rows of a product that are reduced next, in its
//! fragments, where their length is a number: columns beyond it are the identity of what combines them. Divided by what a whole row has in common, it is multiplied by
//! one over that.
//! Weights below a running maximum that are powers, as those of a softmax are, are made of scores by one product with an
//! addition and one power; what scores are multiplied by goes into that, and sums are weighted anew only where a maximum has
//! grown by much (`powers`). What is read for the sums between two products of `wgmma` goes through shared memory where the
//! plan has a tile of it there.
//! A value is made where it is first needed, in the innermost loop that it depends on. See `lower`, `contract`, `tiling`.
//! Axes of which a plan's tile has one position, others of its kind having more, are gone over one by one, by blocks and
//! loops. Blocks of a cluster have neighbouring tiles. What the plan assumes of sizes, and what the copy engine will need of them,
//! the kernel requires.
//! Linear in the ops of the region, but for values that several loops need, each of which makes its own.

pub(crate) mod axes;
mod contract;
mod emit;
mod lower;
mod mask;
mod padding;
mod placed;
mod powers;
mod reduce;
mod report;
mod scan;
pub(crate) mod stream;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Str, Type, TypeData, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::places::{shared_limit, shared_memory};
use dlc_plan::Schedule;
use dlc_plan::check::CONFLICT;
use dlc_region::ops::{Func, Reduce, Yield};
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::FxHashMap;

use crate::analysis::conditions::{STAGGER, staggered};
use crate::analysis::plans::{architecture, machines, plan_of, second_plan};
use crate::plan::compare::with_widths;
use crate::plan::report::{not_followed, refused};
use crate::plan::resolved::{Mapping, Refused, ResolvedPlan, resolve};
use crate::plan::tiling::{self, Tiling};
use axes::{Dim, LowerError};
use emit::Emit;
use lower::{Group, Lower, Scope};

dlc_ir::codes! {
    /// A region cannot be made into a kernel.
    NOT_A_KERNEL = "E1710" "NotAKernel";
}

static DEF: PassDef = PassDef {
    options: &[OptionDef {
        name: "instruction",
        kind: OptionKind::Choice(&["mma", "fma"]),
        default: "mma",
        doc: "What multiplies halves where no plan says.",
    }],
    statistics: &[
        StatDef { name: "kernels", doc: "Kernels made." },
        StatDef { name: "products", doc: "Kernels with a product of matrices." },
    ],
    requires: &["region"],
    adds: &["kernel"],
    removes: &["region"],
    consults: &["plan"],
    reads_symbols: true,
    ..PassDef::base("tensorize", "Turns a region and its plan into a kernel of blocks, loops and fragments.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Tensorize { tensor_cores: options.text("instruction") == "mma" }))
}

struct Tensorize {
    tensor_cores: bool,
}

/// Why a product of a kernel whose tiles are rows is computed element by element.
const OTHER_ROWS: &str = "its kernel reduces rows of the results, too, element by element";

impl Pass for Tensorize {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        // What launches kernels is on the layer with them.
        let is_region = Func::of(OpRef::new(cx.ctx, body, body.root())).is_some();
        if !is_region || body.entry_block().is_none() {
            return Ok(());
        }
        if let Some(loc) = second_plan(cx, body) {
            let root = OpRef::new(cx.ctx, body, body.root());
            let message = format!("@{} has a plan before this one", root.symbol_name().unwrap_or_default());
            let error =
                Diagnostic::error(&CONFLICT, loc, message).at(Schedule::OP).note(root.loc(), "the kernel is here");
            return Err(cx.fail(error.suggest("leave one of them out: a kernel follows one plan")));
        }
        let plan = plan_of(cx, body);
        let targets = plan.as_ref().map(|plan| machines(cx, plan)).unwrap_or_default();
        let resolved = resolve(cx.ctx, body, plan.as_deref(), &targets, self.tensor_cores);
        let not_held = resolved.as_ref().ok().and_then(|resolved| match &resolved.not_held {
            Some(why) => Some(format!("its rows are reduced next, and no tile holds them: {why}")),
            None => resolved.mapping.is_of_rows.then(|| OTHER_ROWS.to_string()),
        });
        if let Ok(resolved) = &resolved {
            let at = (body.loc(body.root()), Func::DEF.name);
            let has_tile = plan.as_ref().is_some_and(|plan| plan.tile.is_some());
            if has_tile && !resolved.mapping.is_planned {
                let message =
                    "the tile of the plan is not followed: the kernel has reductions that only the default tile is for";
                not_followed(cx, body, plan.as_deref(), &["tile"], at, message.into());
            }
            for (word, message) in &resolved.unfollowed {
                not_followed(cx, body, plan.as_deref(), &[word], at, message.clone());
            }
        }
        let made = resolved.and_then(|resolved| Ok(tensorize(cx.ctx, body, plan.as_deref(), resolved)?));
        let Made { body: mut made, tiling, mut missed, multiplied } = match made {
            Ok(made) => made,
            Err(Refused::TooLarge) => return Err(too_large(body, cx)),
            Err(Refused::Plan(broken, near)) => {
                return Err(cx.fail(refused(cx, body, broken, near)));
            }
        };
        let at = (body.loc(body.root()), Func::DEF.name);
        let explicit = plan.as_deref().map(|plan| with_widths(cx.ctx, body, plan));
        if let Some(plan) = explicit {
            missed.extend(placed::limit_widths(cx.ctx, &mut made, &plan));
            missed.extend(placed::unfollowed(cx.ctx, &made, &plan));
        }
        for (clause, why) in missed {
            not_followed(cx, body, plan.as_deref(), &[&clause], at, why);
        }
        report::report(body, plan.as_deref(), not_held.as_deref(), &multiplied, cx);
        cx.count("kernels", 1);
        cx.count("products", tiling.matrix.is_some().into());
        body.replace_with(made);
        Ok(())
    }
}

fn too_large(body: &Body, cx: &PassCx<'_>) -> PassFailed {
    let message = "the positions of this kernel's blocks go beyond 64 bits";
    cx.fail(Diagnostic::error(&NOT_A_KERNEL, body.loc(body.root()), message).at(Func::DEF.name))
}

/// A kernel that was made.
struct Made {
    body: Body,
    tiling: Tiling,
    /// What the plan says and is not done, and why.
    missed: Vec<(String, String)>,
    /// The products that tiles of the kernel multiply.
    multiplied: Vec<report::Multiplied>,
}

/// A region as a kernel.
fn tensorize(
    ctx: &Context,
    region: &Body,
    plan: Option<&Schedule>,
    resolved: ResolvedPlan,
) -> Result<Made, LowerError> {
    let root = OpRef::new(ctx, region, region.root());
    let (func, entry) = (Func::from(root), region.entry_block().expect("what is run on has a body"));
    let axes = KernelAxes::of(ctx, region);
    let ResolvedPlan { mapping, mut requires, kept, .. } = resolved;
    let loc = root.loc();

    // The function: its arguments and memory for its results.
    let mut body = Body::new(ctx.op_name(kernel::Func::DEF.name), loc, 1);
    let block = body.append_block(body.root_region());
    let TypeData::Function { inputs, results } = ctx.type_data(func.function_type()) else {
        unreachable!("the verifier admits only types of functions");
    };
    let mut memory = FxHashMap::default();
    for (&arg, &ty) in region.args(entry).iter().zip(inputs.iter()) {
        let made = body.add_arg(block, ty, region.loc(region.root()));
        body.set_value_name(made, region.value_name(arg));
        memory.insert(arg, made);
    }
    requires.extend(not_empty(ctx, region, &axes, entry));
    if !requires.is_empty() {
        kernel::Require::build(&mut Builder::at_end(ctx, &mut body, block), loc, &[], Guard::all(requires));
    }
    let mut outputs: Vec<ValueId> = Vec::new();
    for (&ty, name) in results.iter().zip(func.outputs()) {
        let op = kernel::Output::build(&mut Builder::at_end(ctx, &mut body, block), loc, ty);
        let value = body.result(op, 0);
        body.set_value_name(value, ctx.intern_str(name));
        outputs.push(value);
    }
    let mut props: Vec<_> =
        [Str::SYM_NAME, Str::FUNCTION_TYPE, Str::SYM_VISIBILITY, Str::SYMBOLS, ctx.intern_str("arg_attrs")]
            .into_iter()
            .filter_map(|key| Some((key, root.prop(key)?)))
            .collect();
    if let Some(target) = plan.and_then(architecture) {
        props.push((ctx.intern_str("target"), ctx.str_attr(target)));
    }
    props.sort_by_key(|&(key, _)| ctx.str(key));
    body.set_props(body.root(), ctx.dict_attr(&props));
    body.set_attrs(body.root(), region.attrs(region.root()));

    // Blocks that are others than the plan's take what they need.
    let resident = mapping.resident(plan);
    let unrolled = plan.map(|plan| mapping.unrolled(plan)).unwrap_or_default();
    let Mapping { batch, rows, columns, held, mut inner, tiling, keeps_rows, every, .. } = mapping;
    let mut lower = Lower {
        ctx,
        region,
        emit: Emit::new(ctx, body, block, loc),
        tiling: tiling.clone(),
        memory,
        scopes: Vec::new(),
        next_id: 0,
        grid: block,
        stagger: None,
        kept,
        filled: Vec::new(),
        missed: Vec::new(),
        staggered: Vec::new(),
        multiplied: Vec::new(),
        running: Vec::new(),
        group: None,
        conditions: 0,
        unrolled,
    };
    if let Some(plan) = plan {
        padding::pad(&mut lower, plan)?;
    }
    lower.emit.warps = Some(tiling.warps);
    let names = |axes: &[(String, SizeExpr)]| axes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let cluster = match plan.map_or(Ok([1, 1]), |plan| tiling::cluster(plan, &names(&rows), &names(&columns))) {
        Ok(cluster) => cluster,
        Err(why) => {
            lower.missed.push(("cluster".into(), format!("blocks are in no clusters: {why}")));
            [1, 1]
        }
    };
    let together = i64::from(cluster[0] * cluster[1]);
    let count = |axes: &[(String, SizeExpr)], tile: u32| -> Result<SizeExpr, LowerError> {
        let total = axes::product(axes.iter().map(|(_, size)| size))?;
        total.ceildiv(&i64::from(tile).into()).map_err(LowerError::Expr)
    };
    let high = count(&rows, tiling.tile[0] * cluster[0])?;
    let wide = count(&columns, tiling.tile[1] * cluster[1])?;
    let batches = count(&batch, 1)?;
    let groups = match (every, inner.last()) {
        (Some(every), Some((_, size))) => size.ceildiv(&every.into()).map_err(LowerError::Expr)?,
        _ => SizeExpr::from(1),
    };
    let blocks = axes::product([&batches, &high, &wide, &groups, &together.into()])?;
    let mut builder = lower.emit.builder();
    let clusters = (together > 1).then(|| vec![together]);
    let threads = i64::from(tiling.warps) * 32;
    let grid = kernel::NewGrid { args: &[], dims: vec![blocks], cluster: clusters, threads, blocks_per_sm: resident }
        .build(&mut builder, loc);
    let inside = lower.emit.body.append_block(lower.emit.body.regions(grid)[0]);
    lower.emit.block = inside;
    lower.grid = inside;

    let block_id = kernel::BlockId::build(&mut lower.emit.builder(), loc, 0);
    let mut number = lower.emit.body.result(block_id, 0);
    let mut rank = None;
    if together > 1 {
        lower.emit.call(number, "block");
        let at = axes::quotient(&lower.emit.name(number), &together.into())?;
        number = lower.emit.index(&at)?;
        let op = kernel::BlockRank::build(&mut lower.emit.builder(), loc);
        let value = lower.emit.body.result(op, 0);
        lower.emit.call(value, "rank");
        rank = Some(lower.emit.name(value));
    }
    // Neighbouring blocks have groups of a scan next to each other.
    if let (Some(every), Some((axis, _))) = (every, inner.last()) {
        let all = lower.emit.name(number);
        let group = lower.emit.index(&axes::remainder(&all, &groups)?)?;
        lower.emit.call(group, "group");
        lower.group = Some(Group { axis: axis.clone(), number: lower.emit.name(group), every });
        number = lower.emit.index(&axes::quotient(&all, &groups)?)?;
    }
    lower.emit.call(number, "tile");
    let tile = lower.emit.name(number);
    lower.stagger = plan.map(|plan| (tile.clone(), staggered(plan)));
    let area = axes::product([&high, &wide])?;
    let within = if batch.is_empty() { tile.clone() } else { axes::remainder(&tile, &area)? };
    let (row, column) = match columns.is_empty() {
        true => (within.clone(), SizeExpr::from(0)),
        false => {
            let number = if batch.is_empty() { number } else { lower.emit.index(&within)? };
            let tiles = vec![high.clone(), wide.clone()];
            let (args, tiles, _) = lower.emit.operands(&tiles, None)?;
            let order = kernel::Order::Rows;
            let op = kernel::NewTileOrder { tile: number, args: &args, tiles, order, group: None }
                .build(&mut lower.emit.builder(), loc);
            let (row, column) = (lower.emit.body.result(op, 0), lower.emit.body.result(op, 1));
            lower.emit.call(row, "row");
            lower.emit.call(column, "column");
            (lower.emit.name(row), lower.emit.name(column))
        }
    };
    // The blocks of a cluster have neighbouring tiles.
    let neighbour = |at: SizeExpr, size: u32| match rank.as_ref().filter(|_| size > 1) {
        Some(rank) => at.mul(&i64::from(size).into()).and_then(|first| first.add(rank)).map_err(LowerError::Expr),
        None => Ok(at),
    };
    let (row, column) = (neighbour(row, cluster[0])?, neighbour(column, cluster[1])?);
    let scaled = |at: &SizeExpr, tile: u32| at.mul(&i64::from(tile).into()).map_err(LowerError::Expr);
    let first = lower.dim(rows, scaled(&row, tiling.tile[0])?, tiling.tile[0])?;
    let second = match columns.is_empty() {
        true => None,
        false => Some(lower.dim(columns, scaled(&column, tiling.tile[1])?, tiling.tile[1])?),
    };
    let points = match batch.is_empty() {
        true => Vec::new(),
        false => vec![lower.dim(batch, axes::quotient(&tile, &area)?, 1)?],
    };
    // A row that fits is held whole.
    let fits = |axis: &&(String, SizeExpr)| {
        keeps_rows || axis.1.as_constant().is_some_and(|size| size > 0 && size <= i64::from(tiling.along))
    };
    let held = held.or_else(|| match (&second, inner.as_slice()) {
        (None, [axis]) if every.is_none() => Some(axis).filter(fits).cloned(),
        _ => None,
    });
    inner.retain(|axis| Some(axis) != held.as_ref());
    let held = held.map(|axis| lower.dim(vec![axis], SizeExpr::from(0), tiling.along)).transpose()?;
    let whole = held.is_some();
    let scope = Scope {
        dims: [Some(first), second.or(held)],
        points,
        layout: tiling.layout.clone(),
        known: FxHashMap::default(),
    };
    lower.scopes.push(scope);
    stages(&mut lower, entry)?;
    if whole {
        lower.begin_scans();
    }
    store(&mut lower, entry, &inner, &outputs)?;
    lower.emit.block = block;
    lower.emit.loc = loc;
    kernel::Return::build(&mut lower.emit.builder(), loc, &outputs);
    lower.emit.check_layouts()?;
    fits_shared_memory(OpRef::new(ctx, &lower.emit.body, grid), plan.and_then(architecture))?;
    for (axis, _) in plan.map(staggered).unwrap_or_default() {
        if !lower.staggered.contains(&axis) {
            let message =
                format!("'{STAGGER}{axis}': no product with tiles in shared memory is summed along '{axis}' alone");
            lower.missed.push((format!("algo {STAGGER}{axis}"), message));
        }
    }
    Ok(Made { body: lower.emit.body, tiling, missed: lower.missed, multiplied: lower.multiplied })
}

/// That axes of the kernel that some result has not have elements: blocks and loops go over them, and write that result too.
fn not_empty(ctx: &Context, region: &Body, axes: &KernelAxes, entry: dlc_ir::BlockId) -> Vec<Condition> {
    let end = lower::end_of(ctx, region, entry);
    let results: Vec<Vec<&str>> = end.values().map(|value| axes_of(ctx, region.value_type(value))).collect();
    let iters = axes.names.iter().zip(&axes.sizes).take(axes.iters);
    let left_out = iters.filter(|(name, _)| results.iter().any(|axes| !axes.contains(&name.as_str())));
    let open = left_out.filter(|(_, size)| size.as_constant().is_none());
    open.filter_map(|(_, size)| Condition::of(size, ">=", &1.into())).collect()
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
fn stages(lower: &mut Lower<'_, '_>, entry: dlc_ir::BlockId) -> Result<(), LowerError> {
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
    entry: dlc_ir::BlockId,
    inner: &[(String, SizeExpr)],
    outputs: &[ValueId],
) -> Result<(), LowerError> {
    if let Some((axis, rest)) = inner.split_first() {
        let last = rest.is_empty();
        let limit = if lower.tiling.along > 1 { lower.tiling.along } else { lower.tiling.tile[1] };
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
        store(lower, entry, rest, outputs)?;
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
        let mut at = Vec::new();
        for axis in &iters {
            at.push(lower.expr(&SizeExpr::symbol(axis).expect("an axis has a name of a symbol"), over)?);
        }
        let guard = axes::both(None, lower.inside(over)?);
        let (values, at, guard) = lower.emit.operands(&at, guard.as_ref())?;
        let loc = lower.emit.loc;
        kernel::NewStore { value: made.value, target: output, args: &values, at, guard, combine: None, vector: None }
            .build(&mut lower.emit.builder(), loc);
    }
    Ok(())
}
