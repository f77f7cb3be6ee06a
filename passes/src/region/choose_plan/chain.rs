//! Plans of back-to-back products: rows of the last one, with all of its columns, and the others step by step along what it
//! reduces.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{OpRef, ValueId};
use dlc_plan::Schedule;
use dlc_plan::clause::{
    Barrier, Buffer, Cache, Edge, Instruction, Kind, Order, Place, Roles, Sharing, Split, Store, StoreMethod, Through,
    Walk,
};
use dlc_plan::value::{Choice, Table};
use dlc_region::ops::{Binary, Index, Reduce, Select};

use super::candidates::{CandidateGenerator, STAGES};
use super::facts::{Factor, Product, Tensor, bits};
use crate::analysis::axes::{axes, before_broadcasts};

/// The most stages of a loop that does a part of the keys: it has few steps, and `check-async` follows conditions on the last
/// key that is seen, which prologues of more stages ask for steps that lie far apart, only so far.
const STAGES_OF_PARTS: i64 = 4;
/// The most where threads copy, in conditions of their own for each stage: of parts, and of tiles of `f32`, which are short.
const STAGES_OF_PARTS_BY_THREADS: i64 = 3;

/// Groups of consumers that compute between two products while the others multiply, and steps that leave each of them the
/// registers for it: more of them with shorter steps are faster.
const WGMMA: [(i64, i64); 9] = [(3, 96), (4, 96), (3, 128), (2, 128), (2, 64), (3, 64), (4, 64), (1, 128), (1, 64)];

/// The bits of a row of a panel: what the widest swizzle goes over.
const PANEL: i64 = 1024;

/// The fewest steps of a part of what is summed.
const LEAST_STEPS: f64 = 2.0;

/// What the plans of back-to-back products have in common.
struct Chain<'a> {
    last: &'a Product,
    kind: Kind,
    /// The bits of an element of the last product's factors.
    bits: i64,
    /// The columns of a block: all of them, where the registers are enough.
    columns: i64,
    /// What TMA needs to know of sizes.
    assume: Table<i64>,
    /// The inputs that are read for what stands between products.
    between: Vec<&'a Tensor>,
    /// Those of them that TMA brings.
    brought: Vec<&'a Tensor>,
}

impl CandidateGenerator<'_> {
    /// The plans of back-to-back products.
    pub(super) fn chain(&self, last: &Product) -> Vec<Schedule> {
        let chain = &self.in_common(last);
        let fits = |&(groups, step): &(i64, i64)| chain.kind != Kind::Wgmma || self.has_registers(chain, groups, step);
        let mut choices: Vec<(i64, i64)> = groups_and_steps(chain.kind).into_iter().filter(fits).collect();
        // Of plans that cost the same, those without groups beyond the last row.
        let (rows, unit) = (self.extent(&last.rows), rows_of_group(chain.kind));
        choices.sort_by_key(|(groups, _)| *groups > 1 && rows <= (unit * (groups - 1)) as f64);
        let plans = choices.into_iter().flat_map(|(groups, step)| {
            let rows = self.rows_of_tiles(chain, groups).into_iter();
            rows.filter_map(move |rows| self.in_stages(self.step_by_step(chain, rows, groups, step)))
        });
        let plans: Vec<Schedule> = plans.map(|plan| self.finish(plan)).collect();
        let split = plans.iter().flat_map(|plan| self.in_parts(last, plan));
        plans.iter().cloned().chain(split).collect()
    }

    /// Where there are fewer tiles of the results than SMs, as of the few queries of a decoder, blocks share what
    /// the last product sums over: as many that each SM has one, or some in a row.
    fn in_parts(&self, last: &Product, plan: &Schedule) -> Vec<Schedule> {
        let combiner = Reduce::of(OpRef::new(self.ctx, self.body, last.op)).and_then(Reduce::combiner);
        let ([along], None) = (last.depth.as_slice(), combiner) else { return Vec::new() };
        let tiles: f64 = (plan.out_tile().iter())
            .filter(|(axis, _)| self.facts.iters().contains(axis))
            .map(|(axis, tile)| (self.facts.size(axis) as f64 / (*tile).max(1) as f64).ceil())
            .product();
        let steps = (self.facts.size(along) as f64 / plan.tile_of(along).max(1) as f64).ceil();
        let mut plans: Vec<Schedule> = Vec::new();
        let all = [1.0, 2.0, 4.0, 8.0];
        // Warps that copy for themselves gain nothing where there is a tile for each SM.
        for &rounds in if plan.roles.is_some() { &all[..] } else { &all[..2] } {
            let parts = (rounds * self.target.sms as f64 / tiles.max(1.0)).min(steps / LEAST_STEPS) as i64;
            if parts < 2 {
                continue;
            }
            let split_k = Some(Split { parts, along: Some(along.clone()), through: Some(Through::Workspace) });
            let by_threads = plan.barrier == Some(Barrier::CpAsyncGroup);
            let most = if by_threads { STAGES_OF_PARTS_BY_THREADS } else { STAGES_OF_PARTS };
            let stages = plan.stages.map(|stages| stages.min(most));
            let own = Schedule { split_k, stages, ..plan.clone() };
            if plans.last() != Some(&own) {
                plans.push(own);
            }
        }
        plans
    }

    fn in_common<'a>(&'a self, last: &'a Product) -> Chain<'a> {
        let (kind, mut assume) = self.instruction_of_all(last);
        // Products of the same rows and columns have their sums at the same time.
        let is_alongside = |it: &&Product| it.rows == last.rows && it.columns == last.columns;
        let alongside = self.facts.products.iter().filter(is_alongside).count() as u64;
        // So is the product of a step that is added to one of several.
        let parts = u64::from(kind == Kind::Mma && alongside > 1 && self.promotes(last));
        let most = (256 / (alongside + parts).max(1)).max(16);
        let most = (most + 1).next_power_of_two() / 2;
        let bits = bits(self.ctx, self.elem(last)) as i64;
        let panel = PANEL / bits;
        // A tile of several panels has whole ones, as TMA brings them.
        let columns = match (self.extent(&last.columns) as u64).clamp(16, most) as i64 {
            columns if kind == Kind::Wgmma && columns > panel => (columns + panel - 1) / panel * panel,
            columns => columns.unsigned_abs().next_power_of_two() as i64,
        };
        let between = self.between(last);
        let whole = |input: &Tensor| matches!(super::facts::bits(self.ctx, input.elem) as i64, 16 | 32);
        let mut brought = between.clone();
        brought.retain(|input| kind == Kind::Wgmma && whole(input) && self.divides(input, &mut assume).is_some());
        Chain { last, kind, bits, columns, assume, between, brought }
    }

    /// What multiplies in all of the products, and what it needs to know of sizes.
    fn instruction_of_all(&self, last: &Product) -> (Kind, Table<i64>) {
        let elem = self.elem(last);
        let products = &self.facts.products;
        let tensor = products.iter().all(|it| it.exact && self.elem(it) == elem);
        let has = |kind| tensor && self.has(kind, elem);
        if has(Kind::Wgmma)
            && self.target.has("tma")
            && let Some(tables) = products.iter().map(|it| self.comes_by_tma(it)).collect::<Option<Vec<_>>>()
        {
            let mut assume = Table::default();
            for (name, number) in tables.into_iter().flat_map(|table| table.0) {
                if assume.get(&name).is_none() {
                    assume.0.push((name, number));
                }
            }
            return (Kind::Wgmma, assume);
        }
        (if has(Kind::Mma) { Kind::Mma } else { Kind::Fma }, Table::default())
    }

    /// Whether the consumers of a step have the registers for it, and it takes whole rows of what TMA brings.
    fn has_registers(&self, chain: &Chain<'_>, groups: i64, step: i64) -> bool {
        // What a thread of a consumer has of the last sums and of those between, which become an operand in place, and of
        // what is read for these.
        let read = chain.between.len() + self.along_steps(chain.last);
        let held = chain.columns / 2 + step / 2 + read as i64 * step / 4 + 32;
        // What comes by rows of 128 bytes along the steps is cut where one ends.
        let along = |factor: &Factor| factor.axes.last().is_some_and(|axis| chain.last.depth.contains(axis));
        let rows_of_steps = self.facts.products.iter().flat_map(|product| &product.factors).any(along);
        let mut cut = chain.brought.iter().map(|input| bits(self.ctx, input.elem) as i64).collect::<Vec<_>>();
        cut.extend(rows_of_steps.then_some(chain.bits));
        held <= consumer_registers(groups) && cut.iter().all(|bits| step * bits % 1024 == 0)
    }

    /// The axes that the rows of a tile may lie along: all of them, and where positions hide scores first the last one
    /// alone. A tile of rows of several heads has no last key that all of them see, so that its steps end nowhere.
    fn rows_of_tiles<'a>(&self, chain: &Chain<'a>, groups: i64) -> Vec<&'a [String]> {
        let all = chain.last.rows.as_slice();
        let plan = self.tiled(chain.last, rows_of_group(chain.kind) * groups, chain.columns, 1);
        let last = &all[all.len() - 1..];
        match self.has_causal_mask(chain.last) && !is_along_one(&plan, all) {
            true => vec![last, all],
            false => vec![all],
        }
    }

    /// The plan of so many groups and a step, but for its stages, whose rows lie along some axes.
    fn step_by_step(&self, chain: &Chain<'_>, rows: &[String], groups: i64, step: i64) -> Schedule {
        let (last, kind) = (chain.last, chain.kind);
        let mut plan = self.tiled_along(last, rows, [rows_of_group(kind) * groups, chain.columns, step]);
        self.hold_inner(&mut plan, last, if kind == Kind::Wgmma { PANEL / chain.bits } else { i64::MAX });
        let axes = plan.tile.iter().flat_map(|tile| tile.names());
        let reduced = axes.filter(|axis| !self.facts.iters().iter().any(|iter| iter == axis)).map(String::from);
        plan.reduced = Some(reduced.collect());
        // Blocks that go from tile to tile load what the next tile begins with ahead.
        plan.caches = self.chain_caches(last, if kind == Kind::Wgmma { 2 } else { 1 });
        plan.caches.extend(chain.brought.iter().map(|input| self.cache_of_input(input)));
        plan.edges = self.edges();
        let precision = self.precision.filter(|_| kind == Kind::Mma && chain.bits == 32);
        let promote = precision.is_some() && self.promotes(last);
        plan.instruction = Some(Instruction { precision, promote, ..kind.into() });
        plan.assume = Some(chain.assume.clone());
        match kind {
            Kind::Wgmma => self.by_consumers(plan, last, groups),
            Kind::Mma => self.by_warps(plan, chain),
            Kind::Fma => Schedule {
                thread_tile: Some(self.warp_tile(last, &plan, 4, 8)),
                barrier: Some(Barrier::Block),
                overlap: None,
                ..plan
            },
        }
    }

    /// A producer brings tiles to groups of consumers, and their blocks go from tile to tile.
    fn by_consumers(&self, plan: Schedule, last: &Product, groups: i64) -> Schedule {
        let registers = [("producer", if groups == 3 { 32 } else { 24 }), ("consumer", consumer_registers(groups))];
        // Many with short products get in each other's way.
        let in_turn = groups > 3;
        let mut assume = plan.assume.clone();
        // A matrix of one tile has no order.
        let has_tiles = |axis: &String| plan.tile_of(axis) > 1 && !self.fits_tile(&plan, axis);
        let ends = self.has_causal_mask(last) && is_along_one(&plan, &last.rows) && last.rows.iter().any(has_tiles);
        // All tiles of a window have as many steps.
        let ends = ends && self.facts.window.is_none();
        let order = ends.then_some(Order { kind: Walk::LongestFirst, size: None, along: None });
        Schedule {
            roles: Some(Roles { kind: Sharing::Cooperative, consumers: groups, in_turn }),
            registers: Some(Table::of(registers)),
            persistent: Some(Choice::Word("sms".into())),
            barrier: Some(Barrier::Mbarrier),
            overlap: self.asynchronous(true),
            in_flight: Some(1),
            order,
            store: self.store(1, &mut assume),
            assume,
            ..plan
        }
    }

    /// Whether an axis, whose size is a number, has one tile.
    fn fits_tile(&self, plan: &Schedule, axis: &str) -> bool {
        self.facts.axes.size(axis).and_then(SizeExpr::as_constant).is_some_and(|size| size <= plan.tile_of(axis))
    }

    /// Warps have rows of their own, and copy for themselves.
    fn by_warps(&self, plan: Schedule, chain: &Chain<'_>) -> Schedule {
        let copies = self.target.has("cp_async");
        let side = (256 / chain.bits).max(16);
        let narrow = |table: Table<i64>| Table(table.0.into_iter().map(|(name, _)| (name, 1)).collect());
        Schedule {
            warp_tile: Some(self.warp_tile(chain.last, &plan, side, chain.columns)),
            barrier: Some(if copies { Barrier::CpAsyncGroup } else { Barrier::Block }),
            overlap: self.asynchronous(false).filter(|_| copies),
            vectors: self.vectors(&mut Table::default()).map(narrow),
            // Rows that are known to begin at multiples of 16 bytes are stored whole. Those of more than 16 bits take more
            // shared memory than the factors leave, and fragments have whole sectors of them.
            store: (self.knows_rows() && self.has_short_results()).then_some(Store {
                way: StoreMethod::Rows,
                panels: None,
                together: None,
            }),
            ..plan
        }
    }

    /// A plan with the stages that there is room for.
    fn in_stages(&self, plan: Schedule) -> Option<Schedule> {
        // What is not asynchronous has no use for more than one tile.
        if plan.overlap.is_none() {
            return Some(Schedule { stages: Some(1), ..plan });
        }
        // A second panel of results where it takes no stage from what is loaded.
        let more = Schedule { store: plan.store.clone().map(two_panels), ..plan.clone() };
        let is_split = plan.instruction.as_ref().is_some_and(|of| of.precision.is_some());
        let most = if is_split { STAGES_OF_PARTS_BY_THREADS } else { STAGES };
        let [more, one] = [more, plan].map(|plan| self.staged(plan, most));
        let stages = |plan: &Option<Schedule>| plan.as_ref().and_then(|plan| plan.stages).unwrap_or(0);
        if stages(&more) >= stages(&one).min(3) { more } else { one }
    }

    /// The inputs that are read for what stands between products, one element for each row and step.
    fn between(&self, last: &Product) -> Vec<&Tensor> {
        let is_factor = |at: usize| {
            let factors = self.facts.products.iter().flat_map(|product| &product.factors);
            factors.filter(|factor| factor.direct).any(|factor| factor.input == Some(at))
        };
        let over = |input: &Tensor, axes: &[String]| axes.iter().any(|axis| input.axes.contains(axis));
        let along = |input: &Tensor| input.axes.last().is_some_and(|axis| last.depth.contains(axis));
        let reads = |(at, input): &(usize, &Tensor)| {
            input.reads == 1 && input.is_matrix && !is_factor(*at) && over(input, &last.rows) && along(input)
        };
        self.facts.inputs.iter().enumerate().filter(reads).map(|(_, input)| input).collect()
    }

    /// How many inputs are read for what stands between products, of which each row has the same elements: a row for the
    /// keys that are padding.
    fn along_steps(&self, last: &Product) -> usize {
        let is_factor = |at: usize| {
            let mut factors = self.facts.products.iter().flat_map(|product| &product.factors);
            factors.any(|factor| factor.input == Some(at))
        };
        let over = |input: &Tensor, axes: &[String]| axes.iter().any(|axis| input.axes.contains(axis));
        let inputs = self.facts.inputs.iter().enumerate().filter(|(at, input)| input.reads > 0 && !is_factor(*at));
        inputs.filter(|(_, input)| over(input, &last.depth) && !over(input, &last.rows)).count()
    }

    /// The clause of an input that is read between products.
    fn cache_of_input(&self, input: &Tensor) -> Cache {
        let at = self.facts.inputs.iter().position(|other| std::ptr::eq(other, input)).unwrap_or(0);
        Cache { axes: Some(input.axes.clone()), ..self.cache(at, Place::Smem) }
    }

    /// Whether positions decide how much of what is summed below a maximum counts for a row, as below a diagonal: its steps
    /// end there.
    fn has_causal_mask(&self, last: &Product) -> bool {
        let sum = Reduce::of(OpRef::new(self.ctx, self.body, last.op));
        if sum.is_none_or(|sum| sum.combiner().is_some()) {
            return false;
        }
        let along = |value: ValueId, axes: &[String]| {
            let value = before_broadcasts(self.ctx, self.body, value);
            let index = self.body.defining_op(value).and_then(|op| Index::of(OpRef::new(self.ctx, self.body, op)));
            let exprs = index.map(Index::value).unwrap_or_default();
            exprs.iter().flat_map(|expr| expr.symbols()).any(|name| axes.iter().any(|axis| **axis == *name))
        };
        let both = |expr: &SizeExpr| {
            let over = |axes: &[String]| expr.symbols().iter().any(|name| axes.iter().any(|axis| **axis == **name));
            over(&last.rows) && over(&last.depth)
        };
        self.body.walk().into_iter().any(|op| {
            let op = OpRef::new(self.ctx, self.body, op);
            if let Some(guard) = Select::of(op).and_then(Select::guard) {
                let conditions = guard.pieces.iter().flatten();
                return conditions.filter_map(|condition| condition.not_negative().ok()).flatten().any(|at| both(&at));
            }
            let Some(op) = Binary::of(op) else { return false };
            let sides = |a: ValueId, b: ValueId| along(a, &last.rows) && along(b, &last.depth);
            op.function().is_comparison() && (sides(op.lhs(), op.rhs()) || sides(op.rhs(), op.lhs()))
        })
    }

    /// Gives a tile the axes that inner products reduce: whole where they are short and known, else in steps. Those of
    /// several panels have whole ones: TMA fills the rest of the last one with zeros.
    fn hold_inner(&self, plan: &mut Schedule, last: &Product, panel: i64) {
        let Some(tile) = &mut plan.tile else { return };
        let inner = self.facts.products.iter().filter(|product| product.op != last.op);
        for axis in inner.flat_map(|product| &product.depth) {
            if tile.get(axis).is_none() {
                let size = self.facts.axes.size(axis).and_then(dlc_ir::affine::SizeExpr::as_constant);
                let size = size.filter(|size| (1..=256).contains(size));
                let unit = size.map_or(16, |size| if size > panel { panel } else { 16 });
                let whole = size.map_or(64, |size| (size + unit - 1) / unit * unit);
                tile.0.insert(tile.0.len().saturating_sub(1), (axis.clone(), whole));
            }
        }
    }

    /// Tiles of all factors that come from memory: so many of what does not change along the steps of the last product, in
    /// stages what does.
    fn chain_caches(&self, last: &Product, buffers: i64) -> Vec<Cache> {
        let mut caches: Vec<Cache> = Vec::new();
        for factor in self.facts.products.iter().flat_map(|product| &product.factors) {
            let Some(mut cache) = self.cache_of(factor, Place::Smem) else { continue };
            let over = axes(self.ctx, self.body, factor.value);
            if !last.depth.iter().any(|axis| over.contains(&axis.as_str())) {
                cache.buffers = Some(buffers);
            }
            if !caches.contains(&cache) {
                caches.push(cache);
            }
        }
        caches
    }

    /// From each product to the next, in registers.
    fn edges(&self) -> Vec<Edge> {
        let name = |product: &Product| {
            let value = self.body.results(product.op).next()?;
            Some(self.ctx.str(self.body.value_name(value)).to_string()).filter(|name| !name.is_empty())
        };
        let pairs = self.facts.products.iter().zip(self.facts.products.iter().skip(1));
        let edge = |(from, to): (&Product, &Product)| {
            Some(Edge { from: name(from)?, to: name(to)?, buffer: Buffer::Reg, depth: None })
        };
        pairs.filter_map(edge).collect()
    }
}

/// Whether the rows of a tile lie along one axis.
fn is_along_one(plan: &Schedule, rows: &[String]) -> bool {
    rows.iter().filter(|axis| plan.tile_of(axis) > 1).count() < 2
}

/// The same way to store results, from two panels of each consumer.
fn two_panels(store: Store) -> Store {
    Store { panels: store.panels.map(|_| 2), ..store }
}

/// The rows of a group.
fn rows_of_group(kind: Kind) -> i64 {
    if kind == Kind::Fma { 32 } else { 64 }
}

/// The registers of a thread of so many consumers.
fn consumer_registers(groups: i64) -> i64 {
    match groups {
        ..=2 => 240,
        3 => 160,
        _ => 112,
    }
}

/// The groups and steps that are compared.
fn groups_and_steps(kind: Kind) -> Vec<(i64, i64)> {
    match kind {
        Kind::Wgmma => WGMMA.to_vec(),
        // Fragments of `mma` and tiles of threads double: their tiles are powers of two.
        Kind::Mma | Kind::Fma => {
            [2, 1].into_iter().flat_map(|groups| [64, 128, 32].map(|step| (groups, step))).collect()
        }
    }
}
