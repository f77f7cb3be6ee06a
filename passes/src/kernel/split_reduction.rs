//! Splits the sum of a loop among blocks, so that a kernel of few blocks and long sums fills the device.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Each grid whose first loop only sums has `parts` times as many blocks, along an axis of its own,
//! each of which does a part of the loop; partial sums are combined in memory. The sum is in another order: the
//! fast-math flag `reassoc`.
//!
//! **Before**
//! ```mlir before {parts=4}
//! kernel.func @rows(%x: memref<[64, 4096], f32>) -> memref<[64], f32> {
//!   %y = output : memref<[64], f32>
//!   grid (2) threads 128 {
//!     %b = block_id 0
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %sum = for %k = 0 to 4096 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       %v = load %x[32*%b + i0, %k + i1] : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %next = binary add %acc, %v : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       yield %next
//!     }
//!     %row = reduce sum %sum along 1 : frag<[32], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//!     store %row to %y[32*%b + i0]
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows(%x: memref<[64, 4096], f32>) -> memref<[64], f32> {
//!   %y = output : memref<[64], f32>
//!   %sum_parts = scratch : memref<[2, 32, 32], f32, row_major, align 128>
//!   grid (2, 4) threads 128 {
//!     %b = block_id 0
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %part = block_id 1
//!     %sum = for %k = 1024*%part to 1024*%part + 1024 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       %v = load %x[32*%b + i0, %k + i1] : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %next = binary add %acc, %v : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       yield %next
//!     }
//!     %block = block_id 0
//!     store combine sum %sum to %sum_parts[%block, i0, i1]
//!   }
//!   grid (2) threads 128 {
//!     %b = block_id 0
//!     %block = block_id 0
//!     %0 = load %sum_parts[%block, i0, i1] : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %row = reduce sum %0 along 1 : frag<[32], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//!     store %row to %y[32*%b + i0]
//!   }
//!   return %y
//! }
//! ```
//!
//! What is summed may be multiplied, or the maximum or minimum of it be taken: then parts are combined so, in order.
//!
//! **Does not** split a loop that carries anything but numbers which one function combines, and which begin with what changes
//! none of them (zero, of sums): reductions whose accumulators a region combines, as those of an online softmax, `tensorize`
//! divides. Nor one that uses barriers whose phases go on
//! (before `pipeline-stages` there are none), or that leaves something in shared memory from step to step; nor grids with
//! roles or clusters. A remark says why.
//!
//! Three forms. *In order* (`deterministic`, or `through workspace`): each part has its sums in a `workspace` of its own,
//! and a second grid of the shape of the first adds them in the order of the parts and does what came after the loop.
//! *Combined*: what comes after the loop is nothing but stores of the sums, whose elements become those of the output by
//! `combine sum`; a grid before puts zeros there. *Combined in scratch*: the same into a `scratch`, and a second grid does
//! what came after the loop. A part that begins after the end of the loop adds zero. Where the second grid has sums as
//! `wgmma` leaves them, its blocks share their rows, 64 each. From the split-K kernels of CUTLASS (serial reduction through
//! a workspace) and the atomic ones of Triton. Where a sum along an axis is what comes next (`row_sums`), each part leaves
//! what comes out of that, and the second grid takes many parts at once.
//!
//! A plan with `stream_k` divides only sums of the last tiles, in order, and needs all tiles to have the same steps
//! (`stream`). The tiles that all blocks have as many of stay. The steps of the others are counted through, and divided
//! evenly among the blocks: each has those from one number to another, of one tile or the end of one and the beginning of
//! the next, and leaves a sum for each. A third grid adds the parts of a tile in the order of the blocks. A part has at least
//! as many steps as the plan says, as far as a tile has them. How many blocks there are the plan says (`persistent`), or the
//! machine. After Osama and others, *Stream-K* (2023), where tiles of whole waves are not divided. Rules of the debug
//! counters: `split`, `stream`.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::scalar::Combiner;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Frag;
use dlc_plan::Schedule;
use dlc_plan::clause::Through;

use crate::analysis::expressions::{BoundExpr, OpExprs, index, pack};
use crate::analysis::numbers::function;
use crate::analysis::plans::{PLANNED, kernel_pass, plan_of};
use crate::plan::report::not_followed;
use crate::rewrites::carried::yield_more;
use crate::rewrites::rows::{self, LEAST_ROWS};
use crate::rewrites::unused::erase_unused;
use find::{SplitLoop, find};
use row_sums::Row;
use stream::Stream;

mod find;
mod row_sums;
mod stream;

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "parts",
            kind: OptionKind::Int,
            default: "0",
            doc: "How many parts a sum has; 0 for as many as the plan says.",
        },
        OptionDef {
            name: "deterministic",
            kind: OptionKind::Bool,
            default: "false",
            doc: "Whether parts are added in order, whatever the plan says.",
        },
        PLANNED,
    ],
    statistics: &[StatDef { name: "split", doc: "Split-K sums now." }],
    ..kernel_pass("split-reduction", "Splits reductions among blocks (split-K, stream-K).", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The most parts.
const MOST_PARTS: i64 = 1 << 12;

/// The most elements of all parts of a block that are added without a loop: a thousand of each thread of a group.
const MOST_ELEMENTS_AT_ONCE: i64 = 1 << 17;

/// How the memory of partial sums is aligned, in bytes.
const SCRATCH_ALIGN: i64 = 128;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    match options.int("parts") {
        parts @ 0..=MOST_PARTS => Ok(Box::new(SplitReduction {
            parts,
            in_order: options.flag("deterministic"),
            planned: options.flag("planned"),
        })),
        parts => Err(format!("a sum has 1 to {MOST_PARTS} parts, not {parts}")),
    }
}

struct SplitReduction {
    parts: i64,
    in_order: bool,
    planned: bool,
}

impl Pass for SplitReduction {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        let split = plan.as_ref().and_then(|plan| plan.split_k.as_ref());
        if let Some(stream) = plan.as_ref().filter(|_| self.parts == 0).and_then(|plan| Stream::of(cx, plan)) {
            cx.count("split", stream.share_last(body, plan.as_deref(), cx));
            return Ok(());
        }
        if self.planned && (split.is_none() || has_parts(cx.ctx, body)) {
            return Ok(());
        }
        let parts = if self.parts > 0 { self.parts } else { split.map_or(1, |split| split.parts.min(MOST_PARTS)) };
        let through = split.and_then(|split| split.through);
        let in_order = self.in_order
            || plan.as_ref().is_some_and(|plan| plan.deterministic)
            || matches!(through, Some(Through::Workspace | Through::Cluster));
        if through == Some(Through::Cluster) && parts > 1 {
            let message = "'split_k': parts are combined through memory, not through the shared memory of a cluster";
            let at = (body.loc(body.root()), kernel::Func::DEF.name);
            not_followed(cx, body, plan.as_deref(), &["split_k"], at, message.into());
        }
        let plan = plan.as_deref().filter(|_| self.parts == 0);
        cx.count("split", split_reduction(body, parts, in_order, plan, cx));
        Ok(())
    }
}

/// Whether a grid leaves parts in a workspace already, as `tensorize` makes it of what a region combines.
fn has_parts(ctx: &Context, body: &Body) -> bool {
    let ops = body.entry_block().into_iter().flat_map(|block| body.ops(block)).map(|op| OpRef::new(ctx, body, op));
    let (mut is_divided, mut has_workspace) = (false, false);
    for op in ops {
        is_divided |= kernel::Grid::of(op).is_some_and(|grid| grid.dims().len() == 2);
        has_workspace |= op.is(kernel::Workspace::DEF);
    }
    is_divided && has_workspace
}

/// Splits the sums of the grids of a kernel into so many parts, which are added in order or as they come. How many.
/// What `plan` asks for and cannot be done is a warning.
fn split_reduction(body: &mut Body, parts: i64, in_order: bool, plan: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let Some(block) = body.entry_block().filter(|_| parts > 1) else { return 0 };
    let grids: Vec<OpId> = body.ops(block).filter(|&op| OpRef::new(ctx, body, op).is(kernel::Grid::DEF)).collect();
    let (mut split, mut failures) = (0, Vec::new());
    for grid in grids {
        let found = find(ctx, body, grid, parts);
        match found.and_then(SplitLoop::with_axis) {
            Ok(found) if cx.allows_rule("split") => {
                let part_sum = if in_order || !found.is_atomic { PartSum::InOrder } else { found.part_sum };
                let (loc, parts) = (body.loc(found.op), found.parts);
                let mut changed = body.clone();
                if rewrite(ctx, &mut changed, &found, part_sum).is_some() {
                    body.replace_with(changed);
                    split += 1;
                    let how = match part_sum {
                        PartSum::InOrder => "in order, through memory",
                        PartSum::Output => "as they come, in the output",
                        PartSum::Scratch => "as they come, through memory",
                    };
                    cx.remark(RemarkKind::Passed, loc, format!("the sum has {parts} parts, added {how}"));
                }
            }
            Ok(_) => {}
            Err((op, why)) => failures.push((body.loc(op), why)),
        }
    }
    // Of other grids than that of the sum, such as those that copy its factors, nothing was asked.
    for (loc, why) in failures.into_iter().filter(|_| split == 0) {
        let message = format!("'split_k': the sum is not split: {why}");
        not_followed(cx, body, plan, &["split_k"], (loc, kernel::Grid::DEF.name), message);
    }
    split
}

/// How partial sums are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PartSum {
    /// Each part has memory, which a second grid adds in order.
    InOrder,
    /// The stores of the sums combine.
    Output,
    /// All parts combine in memory, which a second grid reads.
    Scratch,
}

/// Splits a loop. `None` where integers go beyond 64 bits: then not all is changed.
fn rewrite(ctx: &Context, body: &mut Body, found: &SplitLoop, part_sum: PartSum) -> Option<()> {
    let bounds = Bounds::of(ctx, body, found)?;
    match part_sum {
        PartSum::Output => {
            if found.stores.iter().any(|&store| kernel::Store::from(OpRef::new(ctx, body, store)).combine().is_none()) {
                zeros_first(ctx, body, found);
            }
            for &store in &found.stores {
                let sum = <Combiner as dlc_ir::define::Kind>::make(ctx, Combiner::Sum);
                body.set_prop(ctx, store, ctx.intern_str("combine"), Some(sum));
            }
        }
        PartSum::InOrder => match Row::all(ctx, body, found) {
            Some(sums) => row_sums::through_memory(ctx, body, found, &sums)?,
            None => through_memory(ctx, body, found, part_sum),
        },
        PartSum::Scratch => through_memory(ctx, body, found, part_sum),
    }
    bounds.write(ctx, body, found)
}

/// A grid in front that does what is after the loop with what the loop begins with.
fn zeros_first(ctx: &Context, body: &mut Body, found: &SplitLoop) {
    let mut map = CloneMap::new();
    let copy = body.clone_op(found.grid, &mut map);
    body.insert(copy, InsertPoint::Before(found.grid));
    let Some(loop_) = map_op(body, &map, found.op) else { return };
    let inits: Vec<ValueId> = kernel::For::from(OpRef::new(ctx, body, loop_)).inits().collect();
    replace_loop(ctx, body, copy, loop_, &inits);
}

/// The copy of an op that has results or uses: looked up by the first result.
fn map_op(body: &Body, map: &CloneMap, op: OpId) -> Option<OpId> {
    body.defining_op(map.value(body.results(op).next()?)?)
}

/// Puts values in place of a loop's results, and takes away what nothing uses then.
fn replace_loop(ctx: &Context, body: &mut Body, grid: OpId, loop_: OpId, values: &[ValueId]) {
    let results: Vec<ValueId> = body.results(loop_).collect();
    for (&old, &new) in results.iter().zip(values) {
        body.replace_all_uses(old, new);
    }
    body.erase_op(loop_);
    sweep(ctx, body, grid);
}

/// Takes away what nothing uses in a grid.
fn sweep(ctx: &Context, body: &mut Body, grid: OpId) {
    let mut ops = Vec::new();
    body.walk_regions(grid, &mut ops);
    let directly = |&op: &OpId| body.parent_op(op) == Some(grid);
    let ops: Vec<OpId> = ops.into_iter().filter(directly).collect();
    erase_unused(ctx, body, ops);
}

/// Memory for the sums of each block, the grid that reads it, and stores after the loop in place of what was there.
fn through_memory(ctx: &Context, body: &mut Body, found: &SplitLoop, part_sum: PartSum) {
    let loc = found.loc;
    let sums: Vec<ValueId> = body.results(found.op).collect();
    let types: Vec<Type> = sums.iter().map(|&sum| body.value_type(sum)).collect();
    let mut dims: Vec<SizeExpr> = Vec::new();
    dims.extend((part_sum == PartSum::InOrder).then(|| SizeExpr::from(found.parts)));
    dims.extend(found.dims.iter().cloned());
    let memories =
        memories(ctx, body, found, part_sum, &|_, ty| dims.iter().cloned().chain(shape_of(ctx, ty)).collect());

    // The second grid: the first one with what is in memory in place of the loop.
    let mut map = CloneMap::new();
    let copy = body.clone_op(found.grid, &mut map);
    body.insert(copy, InsertPoint::After(found.grid));
    if let Some(loop_) = map_op(body, &map, found.op) {
        let blocks = block_ids(ctx, body, InsertPoint::Before(loop_), found);
        let blocks: Vec<BoundExpr> = blocks.into_iter().filter_map(BoundExpr::value).collect();
        let values = match part_sum {
            PartSum::InOrder => {
                let bounds = [0, found.parts].map(|bound| BoundExpr::plain(bound.into()));
                in_order(ctx, body, &found.combiners, (loop_, bounds, 1, "part"), &|body, place, part, sum| {
                    let at: Vec<BoundExpr> =
                        std::iter::once(BoundExpr::value(part)?).chain(blocks.iter().cloned()).collect();
                    partial(ctx, body, (place, loc), memories[sum], &at, types[sum])
                })
            }
            _ => (memories.iter().zip(&types))
                .map(|(&memory, &ty)| partial(ctx, body, (InsertPoint::Before(loop_), found.loc), memory, &blocks, ty))
                .collect(),
        };
        if let Some(values) = values {
            replace_loop(ctx, body, copy, loop_, &values);
            share_rows(ctx, body, copy, &types);
        }
    }

    // The first grid: stores of the sums alone.
    for &op in found.following.iter().rev() {
        body.erase_op(op);
    }
    let place = InsertPoint::EndOf(found.block);
    let mut values = Vec::new();
    if part_sum == PartSum::InOrder {
        values.push(part_id(ctx, body, place, found));
    }
    values.extend(block_ids(ctx, body, place, found));
    let at: Vec<BoundExpr> = values.into_iter().filter_map(BoundExpr::value).collect();
    for ((&memory, &sum), &ty) in memories.iter().zip(&sums).zip(&types) {
        let Some((values, at)) = place_in(ctx, &at, ty) else { continue };
        let combine = (part_sum == PartSum::Scratch).then_some(Combiner::Sum);
        let mut builder = Builder::new(ctx, body, place);
        kernel::NewStore { value: sum, target: memory, args: &values, at, guard: None, combine, vector: None }
            .build(&mut builder, loc);
    }
    sweep(ctx, body, found.grid);
}

/// Lets more blocks do what a grid does that has sums of these types from memory, each with some of the rows: those of
/// few tiles would wait for it for long.
fn share_rows(ctx: &Context, body: &mut Body, grid: OpId, sums: &[Type]) {
    let rows = |ty: &Type| {
        let frag = Frag::of(ctx, *ty).filter(|frag| frag.layout(ctx) == Distributed::Wgmma)?;
        frag.shape(ctx).first().copied()
    };
    let groups = sums.iter().map(|ty| rows(ty).unwrap_or(0)).min().unwrap_or(0) / LEAST_ROWS;
    let mut changed = body.clone();
    let view = kernel::Grid::from(OpRef::new(ctx, body, grid));
    let (loc, axis) = (view.loc(), view.dims().len());
    let Some(block) = body.first_block(kernel::Grid::body(view)).filter(|_| groups > 1 && axis < 3) else { return };
    let place = InsertPoint::StartOf(block);
    let op = kernel::BlockId::build(&mut Builder::new(ctx, &mut changed, place), loc, axis as i64);
    let group = changed.result(op, 0);
    changed.set_value_name(group, ctx.intern_str("g"));
    let Some(mut places) = OpExprs::of(OpRef::new(ctx, &changed, grid)) else { return };
    if rows::share(ctx, &mut changed, grid, group, groups).is_ok() {
        for (_, list) in places.lists.iter_mut().filter(|(key, _)| *key == "dims") {
            list.push(SizeExpr::from(groups));
        }
        places.write(ctx, &mut changed, grid);
        body.replace_with(changed);
    }
}

/// The shape of a fragment.
fn shape_of(ctx: &Context, ty: Type) -> impl Iterator<Item = SizeExpr> {
    Frag::of(ctx, ty).map(|frag| frag.shape(ctx)).unwrap_or_default().into_iter().map(SizeExpr::from)
}

/// Memory for the sums of a loop, of the shape for the number and the type of each: with zeros in it where parts are added
/// to it.
fn memories(
    ctx: &Context,
    body: &mut Body,
    found: &SplitLoop,
    part_sum: PartSum,
    shape: &dyn Fn(usize, Type) -> Vec<SizeExpr>,
) -> Vec<ValueId> {
    let sums: Vec<ValueId> = body.results(found.op).collect();
    let mut made = Vec::new();
    for (number, sum) in sums.into_iter().enumerate() {
        let ty = body.value_type(sum);
        let elem = dlc_kernel::types::elem_of(ctx, ty);
        let ty = MemRef::get(ctx, shape(number, ty), elem, Layout::RowMajor, SCRATCH_ALIGN, false);
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.grid));
        let op = match part_sum {
            PartSum::InOrder => kernel::Workspace::build(&mut builder, found.loc, ty),
            _ => kernel::Scratch::build(&mut builder, found.loc, ty),
        };
        let memory = builder.result(op);
        let name = match ctx.str(body.value_name(sum)) {
            "" => "parts".to_string(),
            name => format!("{name}_parts"),
        };
        body.set_value_name(memory, ctx.intern_str(&name));
        made.push(memory);
    }
    made
}

/// Where a fragment lies in memory: at some numbers, and then the position in the fragment.
fn place_in(ctx: &Context, at: &[BoundExpr], ty: Type) -> Option<(Vec<ValueId>, Vec<SizeExpr>)> {
    let rank = Frag::of(ctx, ty).map_or(0, |frag| frag.shape(ctx).len());
    let (values, mut exprs) = pack(at)?;
    exprs.extend((0..rank).filter_map(|axis| SizeExpr::symbol(&format!("i{axis}")).ok()));
    Some((values, exprs))
}

/// The number of the block along each axis of the grid that has more than one.
fn block_ids(ctx: &Context, body: &mut Body, place: InsertPoint, found: &SplitLoop) -> Vec<ValueId> {
    let mut builder = Builder::new(ctx, body, place);
    let mut made = Vec::new();
    for &axis in &found.axes {
        let op = kernel::BlockId::build(&mut builder, found.loc, axis);
        made.push(builder.result(op));
    }
    for &value in &made {
        body.set_value_name(value, ctx.intern_str("block"));
    }
    made
}

/// The number of the part that a block does.
fn part_id(ctx: &Context, body: &mut Body, place: InsertPoint, found: &SplitLoop) -> ValueId {
    let mut builder = Builder::new(ctx, body, place);
    let op = kernel::BlockId::build(&mut builder, found.loc, found.rank);
    let value = builder.result(op);
    body.set_value_name(value, ctx.intern_str("part"));
    value
}

/// A partial sum from memory.
fn partial(
    ctx: &Context,
    body: &mut Body,
    (place, loc): (InsertPoint, Loc),
    memory: ValueId,
    at: &[BoundExpr],
    ty: Type,
) -> Option<ValueId> {
    let (values, at) = place_in(ctx, at, ty)?;
    let mut builder = Builder::new(ctx, body, place);
    let op = kernel::NewLoad {
        source: memory,
        args: &values,
        at,
        guard: None,
        fill: None,
        hint: None,
        vector: None,
        out_type: ty,
    }
    .build(&mut builder, loc);
    Some(builder.result(op))
}

/// What loads parts of a sum of a loop: where, which, the number of the sum.
type LoadParts<'a> = &'a dyn Fn(&mut Body, InsertPoint, ValueId, usize) -> Option<ValueId>;

/// A loop before one that it will replace, which adds parts in order to what that one begins with: from a first one to
/// the one after the last, by a step.
fn in_order(
    ctx: &Context,
    body: &mut Body,
    combiners: &[Combiner],
    (loop_, [first, last], step, name): (OpId, [BoundExpr; 2], i64, &str),
    load: LoadParts<'_>,
) -> Option<Vec<ValueId>> {
    let loc = body.loc(loop_);
    let inits: Vec<ValueId> = kernel::For::from(OpRef::new(ctx, body, loop_)).inits().collect();
    let types: Vec<Type> = inits.iter().map(|&value| body.value_type(value)).collect();
    let (values, mut bounds) = pack(&[first, last])?;
    bounds.push(step.into());
    // All loads of few parts are under way at once.
    let elems: i64 = types.iter().map(|&ty| Frag::of(ctx, ty).map_or(1, |ty| ty.shape(ctx).iter().product())).sum();
    let count = bounds[1].as_constant().zip(bounds[0].as_constant()).map(|(last, first)| (last - first) / step.max(1));
    let is_short = count.is_some_and(|count| count > 1 && count.saturating_mul(elems) <= MOST_ELEMENTS_AT_ONCE);
    let unroll = is_short.then_some(());
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(loop_));
    let made =
        kernel::NewFor { args: &values, inits: &inits, bounds, unroll, outs_type: &types }.build(&mut builder, loc);
    let inner = body.append_block(body.regions(made)[0]);
    let part = body.add_arg(inner, Type::INDEX, loc);
    body.set_value_name(part, ctx.intern_str(name));
    let mut sums = Vec::new();
    for (number, &ty) in types.iter().enumerate() {
        let sum = body.add_arg(inner, ty, loc);
        body.set_value_name(sum, ctx.intern_str("acc"));
        let value = load(body, InsertPoint::EndOf(inner), part, number)?;
        let mut builder = Builder::at_end(ctx, body, inner);
        let op = kernel::Binary::build(&mut builder, loc, sum, value, function(combiners[number]), ty);
        sums.push(builder.result(op));
    }
    yield_more(ctx, body, inner, &sums);
    Some(body.results(made).collect())
}

/// What the loop of a part runs through: from a multiple of the steps of a part to the next one, or to the end.
struct Bounds {
    /// The steps of a part times the step.
    stride: BoundExpr,
    /// The first number of the loop, the one after the last, the step.
    first: BoundExpr,
    last: BoundExpr,
    step: SizeExpr,
    /// Whether the parts are of one length.
    even: bool,
}

impl Bounds {
    fn of(ctx: &Context, body: &Body, found: &SplitLoop) -> Option<Bounds> {
        let view = kernel::For::from(OpRef::new(ctx, body, found.shared));
        let args: Vec<ValueId> = view.args().collect();
        let [first, last, step] = <[SizeExpr; 3]>::try_from(view.bounds()).ok()?;
        let (first, last) = (BoundExpr::new(first, &args), BoundExpr::new(last, &args));
        let parts = SizeExpr::from(found.parts);
        let length = |last: &SizeExpr, first: &SizeExpr| {
            let steps = last.sub(first).ok()?.ceildiv(&step).ok()?;
            steps.ceildiv(&parts).ok()?.mul(&step).ok()
        };
        let stride = last.with(&first, length)?;
        // Also what the blocks will compute.
        let number = |over: &BoundExpr| over.expr.as_constant();
        let even = match (number(&stride), number(&first), number(&last)) {
            (Some(stride), Some(first), Some(last)) => stride.checked_mul(found.parts) == last.checked_sub(first),
            _ => false,
        };
        Some(Bounds { stride, first, last, step, even })
    }

    /// Gives the grid its blocks and the loop its bounds.
    fn write(&self, ctx: &Context, body: &mut Body, found: &SplitLoop) -> Option<()> {
        let mut dims = OpExprs::of(OpRef::new(ctx, body, found.grid))?;
        for (_, list) in dims.lists.iter_mut().filter(|(key, _)| *key == "dims") {
            list.push(SizeExpr::from(found.parts));
        }
        dims.write(ctx, body, found.grid);
        let place = InsertPoint::Before(found.op);
        let part = BoundExpr::value(part_id(ctx, body, place, found))?;
        let begin = self.stride.with(&part, |stride, part| stride.mul(part).ok())?.plus(&self.first)?;
        let end = begin.plus(&self.stride)?;
        let last = if self.even {
            end
        } else {
            let mut builder = Builder::new(ctx, body, place);
            let end = index(&mut builder, found.loc, &end)?;
            let last = index(&mut builder, found.loc, &self.last)?;
            let op = kernel::Min::build(&mut builder, found.loc, end, last);
            BoundExpr::value(builder.result(op))?
        };
        let (values, mut bounds) = pack(&[begin, last])?;
        bounds.push(self.step.clone());
        OpExprs { args: values, lists: vec![("bounds", bounds)], guard: None }.write(ctx, body, found.shared);
        Some(())
    }
}
