//! The steps of the tiles that are left when all blocks have had as many, shared evenly among the blocks: stream-K.

use dlc_core::scalar::Combiner;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::op::OpDef;
use dlc_ir::pass::PassCx;
use dlc_ir::{BlockId, Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::clause::Through;

use super::find::{Refused, SplitLoop, find};
use super::{PartSum, in_order, map_op, memories, partial, place_in, replace_loop, shape_of, share_rows};
use crate::analysis::expressions::{BoundExpr, OpExprs, index, pack};
use crate::analysis::plans::{machines, persistent_blocks};
use crate::analysis::tiles::with_inner;
use crate::plan::report::not_followed;
use crate::rewrites::blocks::{block_ids, place_tile};
use crate::rewrites::unused::erase_unused;

/// The fewest steps of a part where the plan does not say.
const AT_LEAST: i64 = 8;
/// The tiles that a part has steps of, at most: it is no longer than a tile.
const TILES_OF_PART: i64 = 2;

/// What a plan says of it.
pub struct Stream {
    /// How many blocks run at once.
    blocks: i64,
    /// The fewest steps of a part.
    at_least: i64,
    through: Option<Through>,
}

impl Stream {
    pub fn of(cx: &PassCx<'_>, plan: &Schedule) -> Option<Stream> {
        let stream = plan.stream_k.as_ref()?;
        let all = || {
            let sms = machines(cx, plan).into_iter().map(|machine| machine.sms).min()?;
            Some(sms.saturating_mul(plan.blocks_per_sm.unwrap_or(1).max(1)))
        };
        let blocks = persistent_blocks(cx, plan).or_else(all)?;
        Some(Stream { blocks, at_least: stream.at_least.unwrap_or(AT_LEAST).max(1), through: stream.through })
    }

    /// Lets the blocks of the grids of a kernel share the steps of the last tiles. How many grids there are of which they do.
    /// What `plan` asks for and cannot be done is a warning.
    pub fn share_last(&self, body: &mut Body, plan: Option<&Schedule>, cx: &PassCx<'_>) -> u64 {
        let ctx = cx.ctx;
        if matches!(self.through, Some(Through::Cluster | Through::Atomic)) {
            let message = "'stream_k': parts are combined through memory, in order";
            let at = (body.loc(body.root()), kernel::Func::DEF.name);
            not_followed(cx, body, plan, &["stream_k"], at, message.into());
        }
        let block = body.entry_block();
        let ops = block.into_iter().flat_map(|block| body.ops(block));
        let grids: Vec<OpId> = ops.filter(|&op| OpRef::new(ctx, body, op).is(kernel::Grid::DEF)).collect();
        let mut shared = 0;
        for grid in grids {
            // Without a change where integers go beyond 64 bits.
            let mut changed = body.clone();
            let made = find(ctx, body, grid, 2).and_then(|found| {
                even(ctx, body, &found)?;
                let made =
                    self.rewrite(ctx, &mut changed, &found).unwrap_or(Err("an integer goes beyond 64 bits".into()));
                made.map(|()| found.loc).map_err(|why| (found.op, why))
            });
            match made {
                Ok(loc) if cx.allows_rule("stream") => {
                    body.replace_with(changed);
                    shared += 1;
                    let (blocks, least) = (self.blocks, self.at_least);
                    let message = format!(
                        "the steps of tiles that are no whole wave of {blocks} blocks are shared, at least {least} a part"
                    );
                    cx.remark(RemarkKind::Passed, loc, message);
                }
                Ok(_) => {}
                Err((op, why)) => {
                    let message = format!("'stream_k': blocks share no steps of the last tiles: {why}");
                    not_followed(cx, body, plan, &["stream_k"], (body.loc(op), kernel::Grid::DEF.name), message);
                }
            }
        }
        shared
    }

    /// `None` where integers go beyond 64 bits.
    fn rewrite(&self, ctx: &Context, body: &mut Body, found: &SplitLoop) -> Option<Result<(), String>> {
        let numbers = match self.numbers(ctx, body, found)? {
            Ok(numbers) => numbers,
            Err(why) => return Some(Err(why)),
        };
        let times = [self.blocks, TILES_OF_PART].map(SizeExpr::from);
        let memories = memories(ctx, body, found, PartSum::InOrder, &|_, ty| {
            times.iter().cloned().chain(shape_of(ctx, ty)).collect()
        });
        let [mut of_parts, mut of_sums] = [CloneMap::new(), CloneMap::new()];
        let parts = body.clone_op(found.grid, &mut of_parts);
        body.insert(parts, InsertPoint::After(found.grid));
        let sums = body.clone_op(found.grid, &mut of_sums);
        body.insert(sums, InsertPoint::After(parts));
        numbers.parts(ctx, body, (parts, map_op(body, &of_parts, found.op)?), &memories)?;
        numbers.sums(ctx, body, (sums, map_op(body, &of_sums, found.op)?), &memories)?;
        numbers.whole_tiles(ctx, body, found)?;
        // Only now: what nothing uses in one grid may be what the next one needs.
        let made = with_inner(body, parts);
        erase_unused(ctx, body, made);
        Some(Ok(()))
    }

    /// What is known when the kernel is launched.
    fn numbers(&self, ctx: &Context, body: &mut Body, found: &SplitLoop) -> Option<Result<Numbers, String>> {
        let dims: Vec<BoundExpr> =
            kernel::Grid::from(OpRef::new(ctx, body, found.grid)).dims().into_iter().map(BoundExpr::plain).collect();
        let view = kernel::For::from(OpRef::new(ctx, body, found.op));
        let (args, bounds) = (view.args().collect::<Vec<_>>(), view.bounds());
        let [first, last] = [0, 1].map(|at| BoundExpr::new(bounds[at].clone(), &args));
        let step = bounds.get(2)?.as_constant()?;
        let mut launch = Launch { ctx, body, place: InsertPoint::Before(found.grid), loc: found.loc };

        let tiles =
            dims.iter().try_fold(BoundExpr::plain(1.into()), |all, size| all.with(size, |a, b| a.mul(b).ok()))?;
        let tiles = launch.index(&tiles, "tiles")?;
        let wave = SizeExpr::from(self.blocks);
        let whole = BoundExpr { expr: tiles.expr.floordiv(&wave).ok()?.mul(&wave).ok()?, values: tiles.values.clone() };
        let left = BoundExpr { expr: tiles.expr.modulo(&wave).ok()?, values: tiles.values.clone() };
        if left.expr.as_constant() == Some(0) {
            let tiles = &tiles.expr;
            return Some(Err(format!("{tiles} tiles are whole waves of {} blocks", self.blocks)));
        }
        let whole = launch.index(&whole, "whole")?;
        let left = launch.index(&left, "left")?;
        // A sum of nothing has one step, in which nothing is done.
        let of_sum = last.with(&first, |last, first| last.sub(first).ok()?.ceildiv(&step.into()).ok())?;
        let of_sum = launch.index(&of_sum, "of_sum")?;
        let one = launch.index(&BoundExpr::plain(1.into()), "one")?;
        let steps = launch.larger(&of_sum, &one, "steps")?;
        let all = launch.index(&left.with(&steps, |left, steps| left.mul(steps).ok())?, "all")?;
        let even = BoundExpr { expr: all.expr.ceildiv(&wave).ok()?, values: all.values.clone() };
        let even = launch.index(&even, "even")?;
        let enough = launch.larger(&even, &BoundExpr::plain(self.at_least.into()), "enough")?;
        let share = launch.smaller(&enough, &steps, "share")?;
        let parts = all.with(&share, |all, share| all.ceildiv(share).ok())?;
        let parts = launch.index(&parts, "parts")?;
        // It is no more than that, and what stands there says so.
        let blocks = launch.smaller(&parts, &BoundExpr::plain(wave), "sharing")?;
        let combiners = found.combiners.clone();
        Some(Ok(Numbers { combiners, loc: found.loc, dims, whole, left, steps, all, share, blocks, first, last, step }))
    }
}

/// That all tiles of a grid have the same steps.
fn even(ctx: &Context, body: &Body, found: &SplitLoop) -> Result<(), Refused> {
    let inside = with_inner(body, found.grid);
    let own = |value: ValueId| body.defining_op(value).is_none_or(|op| inside.contains(&op));
    match kernel::For::from(OpRef::new(ctx, body, found.op)).args().any(own) {
        true => Err((found.op, "tiles have different numbers of steps".into())),
        false => Ok(()),
    }
}

/// Where integers are computed, as far as they are no numbers.
struct Launch<'a> {
    ctx: &'a Context,
    body: &'a mut Body,
    place: InsertPoint,
    loc: Loc,
}

impl Launch<'_> {
    fn index(&mut self, over: &BoundExpr, name: &str) -> Option<BoundExpr> {
        if over.expr.as_constant().is_some() {
            return Some(over.clone());
        }
        let value = self.value(over)?;
        self.body.set_value_name(value, self.ctx.intern_str(name));
        BoundExpr::value(value)
    }

    fn value(&mut self, over: &BoundExpr) -> Option<ValueId> {
        index(&mut Builder::new(self.ctx, self.body, self.place), self.loc, over)
    }

    fn larger(&mut self, a: &BoundExpr, b: &BoundExpr, name: &str) -> Option<BoundExpr> {
        self.one_of(kernel::Max::DEF, a, b, name)
    }

    fn smaller(&mut self, a: &BoundExpr, b: &BoundExpr, name: &str) -> Option<BoundExpr> {
        self.one_of(kernel::Min::DEF, a, b, name)
    }

    fn one_of(&mut self, def: &OpDef, a: &BoundExpr, b: &BoundExpr, name: &str) -> Option<BoundExpr> {
        let is_min = def.name == kernel::Min::DEF.name;
        if let (Some(a), Some(b)) = (a.expr.as_constant(), b.expr.as_constant()) {
            return Some(BoundExpr::plain(if is_min { a.min(b) } else { a.max(b) }.into()));
        }
        let (a, b) = (self.value(a)?, self.value(b)?);
        let mut builder = Builder::new(self.ctx, self.body, self.place);
        let op = match is_min {
            true => kernel::Min::build(&mut builder, self.loc, a, b),
            false => kernel::Max::build(&mut builder, self.loc, a, b),
        };
        let value = self.body.result(op, 0);
        self.body.set_value_name(value, self.ctx.intern_str(name));
        BoundExpr::value(value)
    }
}

/// What a kernel knows of its tiles and their steps.
struct Numbers {
    /// What combines each number that the loop carries.
    combiners: Vec<Combiner>,
    loc: Loc,
    /// The tiles along each axis of the grid.
    dims: Vec<BoundExpr>,
    /// The tiles that each block has as many of, which come first, and those that are left.
    whole: BoundExpr,
    left: BoundExpr,
    /// The steps of a tile, and of all tiles that are left.
    steps: BoundExpr,
    all: BoundExpr,
    /// The steps of a part, which are no more than those of a tile, and the blocks that have one.
    share: BoundExpr,
    blocks: BoundExpr,
    /// The first number of the loop, the one after the last, the step.
    first: BoundExpr,
    last: BoundExpr,
    step: i64,
}

impl Numbers {
    /// The steps before a tile of those that are left.
    fn before(&self, cut: &BoundExpr) -> Option<BoundExpr> {
        self.steps.with(cut, |steps, cut| steps.mul(cut).ok())
    }

    /// The first tile of a part, which begins at a step.
    fn first_tile(&self, begin: &BoundExpr) -> Option<BoundExpr> {
        begin.with(&self.steps, |begin, steps| begin.floordiv(steps).ok())
    }

    /// Where a part has its sum of a tile in memory.
    fn place(&self, [block, begin, cut]: [&BoundExpr; 3]) -> Option<Vec<BoundExpr>> {
        let nth = cut.with(&self.first_tile(begin)?, |cut, first| cut.sub(first).ok())?;
        Some(vec![block.clone(), nth])
    }

    /// The first grid: tiles as they were, those that all blocks have as many of.
    fn whole_tiles(&self, ctx: &Context, body: &mut Body, found: &SplitLoop) -> Option<()> {
        if self.whole.expr.as_constant() == Some(0) {
            body.erase_op(found.grid);
            return Some(());
        }
        if found.rank > 1 {
            let ids = block_ids(ctx, body, found.grid);
            let tile = self.block_id(ctx, body, found.block, "tile");
            place_tile(ctx, body, &ids, tile, &self.dims);
        }
        set_blocks(ctx, body, found.grid, &self.whole)
    }

    /// The second grid: each block goes through the steps of its part, from tile to tile, and leaves a sum for each.
    fn parts(&self, ctx: &Context, body: &mut Body, (grid, loop_): (OpId, OpId), memories: &[ValueId]) -> Option<()> {
        let block = body.block_of(loop_)?;
        let ops: Vec<OpId> = body.ops(block).collect();
        let (before, following) = ops.split_at(ops.iter().position(|&op| op == loop_)?);
        following.iter().skip(1).rev().for_each(|&op| body.erase_op(op));
        let ids = block_ids(ctx, body, grid);
        let is_shared = |op: OpId| OpRef::new(ctx, body, op).is(kernel::Shared::DEF);
        let has_shared = with_inner(body, grid).into_iter().any(is_shared);
        let moved: Vec<OpId> = before.iter().copied().filter(|&op| !is_shared(op)).chain([loop_]).collect();

        let own = self.block_id(ctx, body, block, "block");
        let own = BoundExpr::value(own)?;
        let mut here = Launch { ctx, body, place: InsertPoint::EndOf(block), loc: self.loc };
        let begin = here.index(&self.share.with(&own, |share, own| share.mul(own).ok())?, "begin")?;
        let next = here.index(&begin.plus(&self.share)?, "next")?;
        let end = here.smaller(&next, &self.all, "end")?;
        let following = end.with(&self.steps, |end, steps| end.ceildiv(steps).ok())?;
        let (values, mut bounds) = pack(&[self.first_tile(&begin)?, following])?;
        bounds.push(1.into());
        let mut builder = Builder::at_end(ctx, body, block);
        let tiles = kernel::NewFor { args: &values, inits: &[], bounds, unroll: None, outs_type: &[] }
            .build(&mut builder, self.loc);
        let inner = body.append_block(body.regions(tiles)[0]);
        let cut = body.add_arg(inner, Type::INDEX, self.loc);
        body.set_value_name(cut, ctx.intern_str("cut"));
        let tile = self.tile(ctx, body, InsertPoint::EndOf(inner), cut)?;
        moved.into_iter().for_each(|op| body.move_op(op, InsertPoint::EndOf(inner)));
        place_tile(ctx, body, &ids, tile, &self.dims);

        // The steps of the tile that are in the part.
        let cut = BoundExpr::value(cut)?;
        let mut here = Launch { ctx, body, place: InsertPoint::Before(loop_), loc: self.loc };
        let earlier = here.index(&self.before(&cut)?, "earlier")?;
        let from = here.larger(&begin, &earlier, "from")?;
        let later = here.index(&earlier.plus(&self.steps)?, "later")?;
        let to = here.smaller(&end, &later, "to")?;
        let counted = |step: &BoundExpr| step.plus(&earlier.times(-1)?)?.times(self.step)?.plus(&self.first);
        let stop = here.index(&counted(&to)?, "stop")?;
        let last = here.smaller(&stop, &self.last, "last")?;
        let (values, mut bounds) = pack(&[counted(&from)?, last])?;
        bounds.push(self.step.into());
        OpExprs { args: values, lists: vec![("bounds", bounds)], guard: None }.write(ctx, body, loop_);

        let sums: Vec<ValueId> = body.results(loop_).collect();
        for (&memory, sum) in memories.iter().zip(sums) {
            let (values, at) = place_in(ctx, &self.place([&own, &begin, &cut])?, body.value_type(sum))?;
            let mut builder = Builder::at_end(ctx, body, inner);
            kernel::NewStore {
                value: sum,
                target: memory,
                args: &values,
                at,
                guard: None,
                combine: None,
                vector: None,
            }
            .build(&mut builder, self.loc);
        }
        let mut builder = Builder::at_end(ctx, body, inner);
        if has_shared {
            kernel::Barrier::build(&mut builder, self.loc, None, None);
        }
        kernel::Yield::build(&mut builder, self.loc, &[]);
        set_blocks(ctx, body, grid, &self.blocks)
    }

    /// The third grid: the parts of a tile are added in order, and what came after the loop is done.
    fn sums(&self, ctx: &Context, body: &mut Body, (grid, loop_): (OpId, OpId), memories: &[ValueId]) -> Option<()> {
        let ids = block_ids(ctx, body, grid);
        let cut = self.block_id(ctx, body, body.block_of(loop_)?, "cut");
        let first = body.defining_op(cut)?;
        let tile = self.tile(ctx, body, InsertPoint::After(first), cut)?;
        place_tile(ctx, body, &ids, tile, &self.dims);
        let cut = BoundExpr::value(cut)?;
        let begin = self.before(&cut)?;
        let end = begin.plus(&self.steps)?;
        let bounds = [
            begin.with(&self.share, |begin, share| begin.floordiv(share).ok())?,
            end.with(&self.share, |end, share| end.ceildiv(share).ok())?,
        ];
        let types: Vec<Type> = body.results(loop_).map(|sum| body.value_type(sum)).collect();
        let values = in_order(ctx, body, &self.combiners, (loop_, bounds, 1, "block"), &|body, place, block, sum| {
            let block = BoundExpr::value(block)?;
            let begin = self.share.with(&block, |share, block| share.mul(block).ok())?;
            let at = self.place([&block, &begin, &cut])?;
            partial(ctx, body, (place, self.loc), memories[sum], &at, types[sum])
        })?;
        replace_loop(ctx, body, grid, loop_, &values);
        set_blocks(ctx, body, grid, &self.left)?;
        share_rows(ctx, body, grid, &types);
        Some(())
    }

    /// The number of a tile of those that are left among all tiles.
    fn tile(&self, ctx: &Context, body: &mut Body, place: InsertPoint, cut: ValueId) -> Option<ValueId> {
        let tile = self.whole.plus(&BoundExpr::value(cut)?)?;
        let value = index(&mut Builder::new(ctx, body, place), self.loc, &tile)?;
        if value != cut {
            body.set_value_name(value, ctx.intern_str("tile"));
        }
        Some(value)
    }

    /// The number of the block, at the beginning of a grid of one axis.
    fn block_id(&self, ctx: &Context, body: &mut Body, block: BlockId, name: &str) -> ValueId {
        let op = kernel::BlockId::build(&mut Builder::new(ctx, body, InsertPoint::StartOf(block)), self.loc, 0);
        let value = body.result(op, 0);
        body.set_value_name(value, ctx.intern_str(name));
        value
    }
}

/// Gives a grid one axis of so many blocks.
fn set_blocks(ctx: &Context, body: &mut Body, grid: OpId, blocks: &BoundExpr) -> Option<()> {
    let mut places = OpExprs::of(OpRef::new(ctx, body, grid))?;
    places.args = blocks.values.clone();
    for (_, list) in places.lists.iter_mut().filter(|(key, _)| *key == "dims") {
        *list = vec![blocks.expr.clone()];
    }
    places.write(ctx, body, grid);
    Some(())
}
