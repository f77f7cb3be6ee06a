//! Loads of what all blocks of a cluster need: each block loads a part, for all.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, ValueId};
use dlc_kernel::layout::Shared;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{TensorMap, Tile};

use super::Plan;
use crate::analysis::expressions::{BoundExpr, index, pack};
use crate::analysis::loads::PipelinedLoop;
use crate::analysis::nesting::loops_around;
use crate::analysis::tiles::with_inner;

/// The rows after which the exchange of 16-byte units begins again.
const PATTERN_ROWS: i64 = 8;
/// What the address of a box in shared memory is a multiple of, in bytes.
const BOX_BYTES: i64 = 128;

/// The blocks of a grid that may load for each other.
pub struct Cluster {
    grid: OpId,
    /// How many there are; 1 where nothing is loaded for others.
    size: i64,
    /// The tensors that are.
    tensors: Vec<String>,
    /// The numbers of the blocks, and that of this one.
    numbers: Option<(Vec<ValueId>, ValueId)>,
    /// What is not done, and why.
    pub missed: Vec<String>,
}

/// A load of which a block does a part.
struct Part {
    load: OpId,
    /// The axis of the box that is shared, and how much of it a block has.
    axis: usize,
    rows: i64,
}

impl Cluster {
    /// That of a grid.
    pub fn of(ctx: &Context, body: &Body, grid: OpId, plan: &Plan) -> Cluster {
        let cluster = kernel::Grid::from(OpRef::new(ctx, body, grid)).cluster().unwrap_or_default();
        let size = cluster.iter().product();
        let mut missed = Vec::new();
        if !plan.multicast.is_empty() && (size < 2 || cluster.len() != 1) {
            missed.push("blocks load nothing for each other: they are in no clusters along one axis".into());
        }
        let wanted = !plan.multicast.is_empty() && cluster.len() == 1;
        let size = if wanted { size } else { 1 };
        Cluster { grid, size, tensors: plan.multicast.clone(), numbers: None, missed }
    }

    /// Lets each block load its part of the boxes of a loop for all. The numbers of the blocks, if it does so.
    pub fn share(&mut self, ctx: &Context, body: &mut Body, found: &PipelinedLoop) -> Vec<ValueId> {
        if self.size < 2 {
            return Vec::new();
        }
        let mut parts = Vec::new();
        let loads: Vec<OpId> = found.loads.iter().flat_map(|&load| with_inner(body, load)).collect();
        for op in loads {
            let Some(load) = kernel::TmaLoad::of(OpRef::new(ctx, body, op)) else { continue };
            let name = body.defining_op(load.map()).and_then(|op| {
                let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, op))?;
                Some(ctx.str(body.value_name(map.memory())).to_string())
            });
            let Some(name) = name.filter(|name| self.tensors.contains(name)) else { continue };
            match self.part(ctx, body, found, load) {
                Ok(part) => parts.push(part),
                Err(why) => {
                    self.missed.push(format!("each block of a cluster loads all of {name} that it needs: {why}"));
                }
            }
        }
        if parts.is_empty() {
            return Vec::new();
        }
        let Some((ranks, rank)) = self.numbers(ctx, body) else { return Vec::new() };
        for part in &parts {
            self.rewrite(ctx, body, part, rank);
        }
        ranks
    }

    /// The part of a load that a block does.
    fn part(
        &self,
        ctx: &Context,
        body: &Body,
        found: &PipelinedLoop,
        load: kernel::TmaLoad<'_>,
    ) -> Result<Part, String> {
        let loops = loops_around(ctx, body, found.op).unwrap_or_default();
        let mut loops = loops.into_iter().chain([found.op]).filter_map(|op| kernel::For::of(OpRef::new(ctx, body, op)));
        if loops.any(|op| op.args().any(|value| self.varies(ctx, body, value))) {
            return Err("they may run different numbers of steps".into());
        }
        if load.args().any(|value| self.varies(ctx, body, value)) {
            return Err("not all of them need the same".into());
        }
        if load.offsets().is_some() || load.multicast().is_some() {
            return Err("its boxes are none of a plain matrix".into());
        }
        let (Some(tile), Some(map)) =
            (Tile::of(ctx, load.type_of(load.tile())), TensorMap::of(ctx, load.type_of(load.map())))
        else {
            return Err("it is not known where its tile lies".into());
        };
        let (shape, whole) = (map.shape(ctx), tile.shape(ctx));
        let mut long = (0..shape.len()).filter(|&axis| axis + 1 < shape.len() && shape[axis] > 1);
        let (Some(axis), None, &[rows, width]) = (long.next(), long.next(), whole.as_slice()) else {
            return Err("its boxes have no rows".into());
        };
        let mine = rows / self.size;
        let bytes = width * i64::from(tile.elem(ctx).bits(ctx).unwrap_or(8)) / 8;
        let fits = match tile.layout(ctx) {
            Shared::Panels { .. } => mine % PATTERN_ROWS == 0,
            Shared::RowMajor { pitch } => pitch.is_none() && (mine * bytes) % BOX_BYTES == 0,
            Shared::ColMajor { .. } => false,
        };
        if rows % self.size != 0 || !fits || shape[axis] != rows {
            return Err(format!("{rows} rows cannot be shared among {} blocks", self.size));
        }
        Ok(Part { load: load.id, axis, rows: mine })
    }

    /// Whether a number may differ between the blocks of a cluster.
    fn varies(&self, ctx: &Context, body: &Body, value: ValueId) -> bool {
        let Some(op) = body.defining_op(value) else {
            let block = body.defining_block(value);
            let counted = block.filter(|&block| body.args(block).first() == Some(&value));
            let holder = counted.and_then(|block| body.region_parent(body.region_of(block)?));
            let loop_ = holder.and_then(|op| kernel::For::of(OpRef::new(ctx, body, op)));
            return match loop_ {
                Some(loop_) => loop_.args().any(|value| self.varies(ctx, body, value)),
                // What the kernel is given is the same for all.
                None => block != body.entry_block(),
            };
        };
        let view = OpRef::new(ctx, body, op);
        if body.block_of(op) == body.entry_block() || view.is(kernel::GridSize::DEF) {
            return false;
        }
        if view.is(kernel::BlockRank::DEF) || view.is(kernel::BlockId::DEF) {
            return true;
        }
        if kernel::Index::of(view).is_some_and(|index| self.is_number(ctx, body, index)) {
            return false;
        }
        !dlc_ir::effects::is_speculatable(ctx, body, op)
            || !view.regions().is_empty()
            || view.operands().any(|value| self.varies(ctx, body, value))
    }

    /// Whether an integer is the number of the cluster.
    fn is_number(&self, ctx: &Context, body: &Body, index: kernel::Index<'_>) -> bool {
        let quotient = SizeExpr::symbol("_0").and_then(|block| block.floordiv(&self.size.into())).ok();
        let mut args = index.args();
        let block = args.next().and_then(|value| kernel::BlockId::of(OpRef::new(ctx, body, body.defining_op(value)?)));
        args.next().is_none()
            && block.is_some_and(|block| block.axis() == 0)
            && quotient.is_some()
            && index.value().first() == quotient.as_ref()
    }

    /// The numbers of the blocks of the cluster, and that of this one, at the start of the grid.
    fn numbers(&mut self, ctx: &Context, body: &mut Body) -> Option<(Vec<ValueId>, ValueId)> {
        if self.numbers.is_none() {
            let grid = kernel::Grid::from(OpRef::new(ctx, body, self.grid));
            let (loc, block) = (grid.loc(), body.first_block(kernel::Grid::body(grid))?);
            let mut builder = Builder::new(ctx, body, InsertPoint::StartOf(block));
            let rank = kernel::BlockRank::build(&mut builder, loc);
            let mut place = InsertPoint::After(rank);
            let rank = builder.result(rank);
            body.set_value_name(rank, ctx.intern_str("rank"));
            let mut ranks = Vec::new();
            for number in 0..self.size {
                let mut builder = Builder::new(ctx, body, place);
                ranks.push(index(&mut builder, loc, &BoundExpr::plain(SizeExpr::from(number)))?);
                place = builder.place();
            }
            self.numbers = Some((ranks, rank));
        }
        self.numbers.clone()
    }

    /// Puts the load of a part for all blocks in place of a load.
    fn rewrite(&self, ctx: &Context, body: &mut Body, part: &Part, rank: ValueId) -> Option<()> {
        let load = kernel::TmaLoad::of(OpRef::new(ctx, body, part.load))?;
        let (loc, hint) = (load.loc(), load.hint());
        let (barrier, barrier_stage) = (load.barrier(), load.barrier_stage());
        let args: Vec<ValueId> = load.args().collect();
        let whole = Tile::of(ctx, load.type_of(load.tile()))?;
        let mine = BoundExpr::value(rank)?.times(part.rows)?;

        let mut shape = whole.shape(ctx);
        *shape.first_mut()? = part.rows;
        let ty = Tile::get(ctx, 1, shape.clone(), whole.elem(ctx), whole.layout(ctx));
        // A part of a part is one of the whole.
        let slice = body.defining_op(load.tile()).and_then(|op| kernel::Slice::of(OpRef::new(ctx, body, op)));
        let (tile, stage, from) = match &slice {
            Some(slice) => {
                let values: Vec<ValueId> = slice.args().collect();
                (slice.tile(), slice.stage(), slice.at().into_iter().map(|at| BoundExpr::new(at, &values)).collect())
            }
            None => (load.tile(), load.stage(), vec![BoundExpr::plain(0.into()); shape.len()]),
        };
        let mut from: Vec<BoundExpr> = from;
        *from.first_mut()? = from.first()?.plus(&mine)?;
        let (values, from) = pack(&from)?;
        let mut at: Vec<BoundExpr> = load.at().into_iter().map(|at| BoundExpr::new(at, &args)).collect();
        *at.get_mut(part.axis)? = at.get(part.axis)?.plus(&mine)?;
        let (args, at) = pack(&at)?;
        let old = slice.map(|slice| slice.id);
        let map = self.map(ctx, body, part)?;

        let mut builder = Builder::new(ctx, body, InsertPoint::Before(part.load));
        let slice = kernel::NewSlice { tile, stage, args: &values, at: from, out_type: ty }.build(&mut builder, loc);
        let tile = builder.result(slice);
        let blocks = Some((1 << self.size) - 1);
        kernel::NewTmaLoad {
            map,
            args: &args,
            tile,
            stage: None,
            barrier,
            barrier_stage,
            at,
            offsets: None,
            multicast: blocks,
            hint,
        }
        .build(&mut builder, loc);
        body.erase_op(part.load);
        if let Some(old) = old.filter(|&old| body.is_unused(old)) {
            body.erase_op(old);
        }
        Some(())
    }

    /// The map of the boxes of a part, in place of that of a load.
    fn map(&self, ctx: &Context, body: &mut Body, part: &Part) -> Option<ValueId> {
        let load = kernel::TmaLoad::of(OpRef::new(ctx, body, part.load))?;
        let old = body.defining_op(load.map())?;
        let ty = TensorMap::of(ctx, load.type_of(load.map()))?;
        let mut shape = ty.shape(ctx);
        *shape.get_mut(part.axis)? = part.rows;
        let ty = TensorMap::get(ctx, shape, ty.elem(ctx), ty.layout(ctx));
        let whole = kernel::TensorMapOf::of(OpRef::new(ctx, body, old))?;
        let (memory, merged, order) = (whole.memory(), whole.merged(), whole.order());
        let known = body.uses(memory).find_map(|used| {
            let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, used.op))?;
            let same = map.lower().is_none() && map.merged() == merged && map.order() == order;
            (same && map.type_of(map.out()) == ty && body.is_before(map.id, self.grid)).then(|| map.out())
        });
        if known.is_some() {
            return known;
        }
        let (loc, name) = (body.loc(old), body.value_name(body.result(old, 0)));
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(self.grid));
        let op =
            kernel::NewTensorMapOf { memory, lower: None, upper: None, strides: None, merged, order, out_type: ty }
                .build(&mut builder, loc);
        let map = builder.result(op);
        body.set_value_name(map, name);
        Some(map)
    }
}
