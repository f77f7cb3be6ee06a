//! How long a kernel takes by a plan (specification, section 11):
//!
//! `time = max(flops / (peak * occ * eff), bytes / (bandwidth * occ)) + penalties - overlap gain + launch`
//!
//! - `occ` is the share of the SMs' time that has a tile: tiles over waves, padding of tiles counted as work.
//! - `eff` is how well the instruction's pipeline is fed, by stages and roles, as measured.
//! - The bytes of global memory are those of every tensor once; what tiles read again comes from the L2 cache,
//!   which has a rate of its own (DeepGEMM's model).
//! - Threads that load for themselves wait for what they load. By Little's law that takes no time next to the bytes
//!   themselves only if as many of them are on their way at once as memory gives while one load is waited for.
//! - What is not overlapped is added: loads where nothing is asynchronous, the epilogue where it is not hidden.

mod cache;
mod efficiency;
mod in_line;
mod of_sizes;

use std::collections::HashMap;

use dlc_host::choice::Cost as CostOfSizes;
use dlc_ir::{Body, Context};
use dlc_plan::clause::{Barrier, Cache, Kind, Sharing, StoreMethod, Walk};
use dlc_plan::value::Table;
use dlc_plan::{Schedule, Target};

use efficiency::efficiency;

use super::candidates::SHORT_SUM;
use super::facts::{Facts, Product, Tensor, bits};
use super::windows::{self, Work};
use crate::analysis::conditions::{is_padded, run_of};
use crate::plan::scattered::scattered;

/// The loads of windows that a thread has on their way at once, about.
const LOADS_AHEAD: i64 = 8;

/// As many rounds of tiles as are gone through one by one.
const MOST_ROUNDS: i64 = 1 << 16;

/// The terms of an estimate, in microseconds but for shares.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cost {
    /// All together.
    pub time: f64,
    /// Multiplying, and what else is computed.
    pub compute: f64,
    /// Global memory.
    pub memory: f64,
    /// Waiting for loads, if nothing else took time.
    pub latency: f64,
    /// The bytes of loads that are on their way to an SM at once, where threads load for themselves.
    pub in_flight: f64,
    /// Those that keep the memory busy.
    pub needed: f64,
    /// The L2 cache.
    pub cache: f64,
    /// What is written after a tile.
    pub epilogue: f64,
    /// The share of the machine that has work.
    pub occupancy: f64,
    /// How well the pipeline is fed.
    pub efficiency: f64,
    /// Accesses that are narrow or apart, predicates.
    pub penalties: f64,
    /// What runs alongside something else.
    pub gain: f64,
    /// Tiles.
    pub tiles: f64,
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.1} us: compute {:.1}, memory {:.1}, cache {:.1}, epilogue {:.1}, penalties {:.1}, gain {:.1}; {} tiles, \
             occupancy {:.2}, efficiency {:.2}",
            self.time,
            self.compute,
            self.memory,
            self.cache,
            self.epilogue,
            self.penalties,
            self.gain,
            self.tiles,
            self.occupancy,
            self.efficiency
        )?;
        if self.in_flight > 0.0 {
            let (latency, own, needed) = (self.latency, self.in_flight / 1024.0, self.needed / 1024.0);
            write!(f, ", latency {latency:.1}: {own:.1} KB of loads on their way, of {needed:.1}")?;
        }
        Ok(())
    }
}

/// What a thread computes besides its elements, in simple operations: positions, addresses, conditions.
const THREAD_OPS: i64 = 32;

/// The threads of a block, 256 where the plan does not say it.
fn threads(ctx: &Context, plan: &Schedule) -> i64 {
    plan.footprint(ctx).threads.unwrap_or(256).max(1)
}

/// How many blocks of a plan the registers of an SM are enough for.
pub fn resident_by_registers(ctx: &Context, plan: &Schedule, target: &Target) -> i64 {
    if let Some(blocks) = plan.blocks_per_sm {
        // The assembler gets this limit.
        return blocks;
    }
    let registers = plan.footprint(ctx).held.map_or(40, |held| held + dlc_plan::footprint::OVERHEAD);
    target.registers_per_sm / (registers.max(24) * threads(ctx, plan))
}

/// How many blocks of a plan an SM holds at once; at least one.
pub fn resident(ctx: &Context, plan: &Schedule, target: &Target) -> i64 {
    let by_threads = target.threads_per_sm / threads(ctx, plan);
    let smem = plan.footprint(ctx).smem.unwrap_or(0);
    let by_smem = target.smem_per_sm / (smem + target.smem_reserved).max(1);
    let by_registers = resident_by_registers(ctx, plan, target);
    by_threads.min(by_registers).min(by_smem).min(target.max_blocks_per_sm).max(1)
}

/// The bytes that groups of an SM store in a clock which have a tile each and windows of pixels in shared memory, as measured with
/// results of `f32` and `f16`: by rows, and from fragments.
const STORED_IN_TURN: [f64; 2] = [11.5, 8.6];

/// The grids of elements that go to positions that are data: for what is there before, the elements, and the rest.
const ELEMENT_GRIDS: f64 = 2.0;

/// The bytes that memory gives at once.
const SECTOR: f64 = 32.0;

/// How long a group is between two tiles of one step each, in microseconds: other steps hide it.
const BETWEEN_TILES: f64 = 0.1;

/// How long a group takes for a tile of one step at least, in microseconds: it waits for what was loaded, multiplies, waits
/// until the tile before has left shared memory, and stores. As measured: 1.1 with one group on tiles of 64 x 32.
const ONE_STEP_TILE: f64 = 0.9;

/// How long an SM takes to begin and end a block of one step, in microseconds: as measured, blocks of 64 rows of 32 elements
/// take longer than those of 192.
const ONE_STEP_BLOCK: f64 = 0.1;

/// The instructions of a thread for what it brings at once, as counted: where it lies, whether it is there.
const GATHERED: f64 = 16.0;

/// The share of the memory's rate with which rows are copied to padded ones.
const PADDED_SHARE: f64 = 0.5;

/// The share of the memory's time that blocks of a cluster wait for each other where memory takes longest: a 1x1 convolution
/// takes 34.7 us in pairs on an H100, and 28.5 without.
const COUPLED: f64 = 0.25;

/// The microseconds by which a grid that adds parts takes longer than an estimate of its work, and how much longer what it
/// reads, of 169 measured plans.
const SECOND_GRID: f64 = 0.8;
/// See [`SECOND_GRID`].
const PARTS_WAIT: f64 = 3.0;

/// What one SM reads of parts that it adds.
const PART_BYTES_PER_CLOCK: f64 = 40.0;

/// Estimates what a plan costs.
pub fn estimate(ctx: &Context, body: &Body, facts: &Facts, plan: &Schedule, target: &Target) -> Cost {
    Estimator { ctx, body, facts, plan, target }.estimate()
}

/// What `estimate` gives, at other sizes as well: in the symbols of the kernel. `None` where they go beyond 64 bits.
pub fn cost_of_sizes(
    ctx: &Context,
    body: &Body,
    facts: &Facts,
    plan: &Schedule,
    target: &Target,
) -> Option<CostOfSizes> {
    let estimator = Estimator { ctx, body, facts, plan, target };
    estimator.of_sizes(&estimator.estimate())
}

/// A plan of a kernel on a target.
#[derive(Clone, Copy)]
struct Estimator<'a> {
    ctx: &'a Context,
    body: &'a Body,
    facts: &'a Facts,
    plan: &'a Schedule,
    target: &'a Target,
}

/// How the tiles of a plan are spread over the SMs.
struct Waves {
    /// The tiles, those of all parts of a sum.
    tiles: f64,
    /// The blocks that an SM holds at once.
    resident: f64,
    /// The tiles that are computed at once.
    slots: f64,
    /// How often all slots have a tile, the last time perhaps not all.
    count: f64,
    /// The share of the slots that have one.
    occupancy: f64,
    /// The points of all tiles over those that the results have: what is beyond the end of an axis is computed too.
    padding: f64,
}

impl Estimator<'_> {
    fn estimate(self) -> Cost {
        let Estimator { ctx, facts, plan, target, .. } = self;
        if let Some(cost) = self.of_scattered() {
            return cost;
        }
        let Some(waves) = self.waves() else {
            let launch = target.launch_ns as f64 / 1e3;
            return Cost { time: launch, occupancy: 1.0, efficiency: 1.0, ..Cost::default() };
        };
        let Waves { tiles, slots, occupancy, .. } = waves;
        let per_clock = target.sms as f64 * target.clock_mhz as f64 * occupancy;
        let efficiency = efficiency(ctx, plan, facts, target);
        let seen = self.seen(&waves);
        let [together, in_line] = self.computing(&waves);
        let compute = both(together, in_line);

        // Half of the SMs are enough to fill the memory, if each has enough under way.
        let busy = (2.0 * tiles / target.sms as f64).min(1.0);
        let memory = self.memory_bytes(slots.min(tiles)) / (target.memory_gbps as f64 * 1e3 * busy);
        let cache = self.cache_bytes(tiles) / (self.cache_bytes_per_clock(occupancy) * target.clock_mhz as f64);
        let cache = cache * facts.window.map_or(1.0, |_| seen);
        let written = |output: &Tensor| output.elems * bits(ctx, output.elem) / 8.0;
        let epilogue = facts.outputs.iter().map(written).sum::<f64>() / (per_clock * 32.0);
        let load = memory.max(cache);
        let Flight { in_flight, needed, latency } = self.flight(&waves);

        let body_time = self.body_time([compute, load, latency]);
        let gain = self.gain([load, epilogue], &waves);
        let slow = (self.rounds(&waves) - (body_time + epilogue - gain)).max(0.0);
        let copies = self.copies() + self.gathered(cache);
        let penalties = self.accesses(load) + self.imbalance([compute, load, memory], &waves) + slow + copies;
        let time = body_time + epilogue + penalties - gain + target.launch_ns as f64 / 1e3;
        Cost {
            time,
            compute,
            memory,
            latency,
            in_flight,
            needed,
            cache,
            epilogue,
            occupancy,
            efficiency,
            penalties,
            gain,
            tiles,
        }
    }

    /// What elements take that go to positions that are data: each is read once, and combined with memory by itself.
    fn of_scattered(&self) -> Option<Cost> {
        let Estimator { ctx, body, facts, plan, target } = *self;
        let found = scattered(ctx, body).filter(|_| plan.tile.is_none())?;
        let axes = facts.reduced.iter().chain(found.axes.iter().filter(|axis| **axis != found.axes[found.place]));
        let elements = facts.points(axes.map(String::as_str));
        let memory = self.memory_bytes(1.0) / (target.memory_gbps as f64 * 1e3);
        let compute = elements / (target.sms * target.clock_mhz) as f64;
        let launch = ELEMENT_GRIDS * target.launch_ns as f64 / 1e3;
        let time = both(memory, compute) + launch;
        Some(Cost { time, compute, memory, occupancy: 1.0, efficiency: 1.0, ..Cost::default() })
    }

    /// How long it takes to compute: by all threads of an SM together, and by each thread one thing after another.
    fn computing(&self, waves: &Waves) -> [f64; 2] {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let per_clock = target.sms as f64 * target.clock_mhz as f64 * waves.occupancy;
        let efficiency = efficiency(ctx, plan, facts, target);
        let [in_line, alongside] = self.in_line(waves);
        let compute = (self.products(waves, efficiency) + self.other_ops(waves) / per_clock) * self.seen(waves);
        [both(compute, alongside), in_line.max(self.without_plan())]
    }

    /// The share of its tiles that the block with the most work computes, where positions hide the rest.
    fn seen(&self, waves: &Waves) -> f64 {
        seen(self.facts, self.plan, waves.tiles, waves.slots).map_or(1.0, |seen| seen / waves.count)
    }

    /// The tiles and where they run; `None` where there is nothing to compute.
    fn waves(&self) -> Option<Waves> {
        let Estimator { facts, plan, .. } = *self;
        let along = |run: &[&String], number: &dyn Fn(&str) -> i64| {
            run.iter().map(|axis| number(axis).max(1) as f64).product::<f64>()
        };
        let size = |run: &[&String]| run.iter().map(|axis| facts.size(axis) as f64).product::<f64>();
        let tile = |run: &[&String]| along(run, &|axis| plan.tile_of(axis));
        // A cluster has all its blocks, also where the last of them have nothing to do.
        let blocks =
            |run: &[&String]| along(run, &|axis| plan.cluster.as_ref().map_or(1, |cluster| cluster.along(axis)));
        let steps = |run: &[&String]| (size(run) / tile(run) / blocks(run)).ceil() * blocks(run);
        // A block goes all along what it reduces, also where results lie along it.
        let out = runs(facts, plan);
        let tiles = out.iter().map(|run| steps(run)).product::<f64>() * self.parts();
        if tiles == 0.0 || facts.sizes.contains(&0) {
            return None;
        }
        // A wave has a tile for every consumer that works alone, or for every block.
        let sms = self.target.sms as f64;
        let resident = match self.is_alone() {
            true => 1.0,
            false => (resident(self.ctx, plan, self.target) as f64).min((tiles / sms).ceil()),
        };
        let slots = sms * resident;
        let count = (tiles / slots).ceil();
        let padding = out.iter().map(|run| steps(run) * tile(run) / size(run).max(1.0)).product::<f64>();
        Some(Waves { tiles, resident, slots, count, occupancy: tiles / (count * slots), padding })
    }

    /// The parts of a sum that blocks share.
    fn parts(&self) -> f64 {
        self.plan.split_k.as_ref().map_or(1.0, |split| split.parts as f64)
    }

    /// Whether a block has an SM for itself.
    fn is_alone(&self) -> bool {
        self.plan.persistent.is_some() || self.plan.roles.is_some()
    }

    fn is_ping_pong(&self) -> bool {
        self.plan.roles.as_ref().is_some_and(|roles| roles.kind == Sharing::PingPong)
    }

    fn is_asynchronous(&self) -> bool {
        self.plan.overlap.as_ref().is_some_and(|overlap| overlap.enable)
    }

    /// Whether an SM has another tile to load while it computes one.
    fn has_next(&self) -> bool {
        let has_several = resident(self.ctx, self.plan, self.target) > 1;
        has_several || (self.is_asynchronous() && self.plan.persistent.is_some())
    }

    /// The time of all products. Tiles are computed whole: what is beyond the end of an axis counts.
    fn products(&self, waves: &Waves, efficiency: f64) -> f64 {
        let Estimator { ctx, body, facts, plan, target } = *self;
        let (sms, clock, occupancy, padding) =
            (target.sms as f64, target.clock_mhz as f64, waves.occupancy, waves.padding);
        let kind = plan.instruction.as_ref().map_or(Kind::Fma, |of| of.kind);
        let precision = plan.instruction.as_ref().and_then(|of| of.precision);
        let mut time = 0.0;
        for product in &facts.products {
            let kind = if product.exact { kind } else { Kind::Fma };
            let elem = product.factors[0].elem;
            let rate = target.rate(ctx, kind, elem).or_else(|| target.rate(ctx, Kind::Fma, dlc_ir::Type::F32));
            // Of `f32` the tensor cores compute several products for each.
            let products = precision.filter(|_| kind == Kind::Mma && elem == dlc_ir::Type::F32);
            let rate = rate.unwrap_or(1) as f64 / products.map_or(1.0, |precision| f64::from(precision.products()));
            // Of a matrix that is zero on one side of a diagonal about half of the steps are left out.
            let share = product.factors.iter().map(|factor| if factor.masked { 0.5 } else { 1.0 }).product::<f64>();
            // Steps go on beyond the end of what is summed. Several products are padded together.
            let depth = product.depth.iter().filter(|_| facts.products.len() == 1);
            let depth = depth.map(|axis| self.padded(axis)).product::<f64>();
            let work = share * facts.share(product, plan) * facts.flops(product, ctx, body) * padding * depth;
            time += work / (rate * sms * clock * occupancy * efficiency);
        }
        time
    }

    /// By how much the steps along an axis are longer than it.
    fn padded(&self, axis: &str) -> f64 {
        let (size, step) = (self.facts.size(axis).max(1) as f64, self.plan.tile_of(axis).max(1) as f64);
        (size / step).ceil() * step / size
    }

    /// What is computed besides products, in clocks of one SM.
    fn other_ops(&self, waves: &Waves) -> f64 {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let simple = target.rate(ctx, Kind::Fma, dlc_ir::Type::F32).unwrap_or(1) as f64 / 2.0;
        let special_rate = target.special_per_clock.max(1) as f64;
        if plan.threads.is_none() {
            return facts.simple / simple + facts.special / special_rate;
        }
        // Every thread of a tile does what is to be done once for each, beyond the end of an axis too; its loads take the
        // cache's time next to that.
        if facts.is_local() {
            let Work { instructions, lines, .. } = windows::work(ctx, facts, plan);
            let workers = waves.tiles * threads(ctx, plan) as f64;
            let own = (facts.simple + facts.combined) * waves.padding + workers * (THREAD_OPS as f64 + instructions);
            let special = facts.special * waves.padding / special_rate;
            return both(both(own / simple, special), workers / dlc_plan::footprint::WARP as f64 * lines);
        }
        // A product is joined with the sum that it goes to; exponentials have a pipeline of their own.
        let own = facts.simple - facts.joined + self.alongside_elements(waves.tiles);
        both(own / simple, facts.special / special_rate)
    }

    /// How long the loops of all tiles take that compute and load.
    ///
    /// What is computed runs alongside loads of another block of the SM, of the next tile, or of the next step.
    fn body_time(&self, [compute, load, latency]: [f64; 3]) -> f64 {
        let has_steps = || self.facts.products.last().is_none_or(|last| self.steps(&last.depth) >= 2.0);
        match self.plan.threads.is_some() {
            true => both(both(compute, load), latency),
            false if self.has_next() || (self.is_asynchronous() && has_steps()) => compute.max(load),
            false => compute + load,
        }
    }

    /// What of the epilogue runs alongside loads.
    fn gain(&self, [load, epilogue]: [f64; 2], waves: &Waves) -> f64 {
        let plan = self.plan;
        // Blocks that store rows of `mma` at once are soon gone, and others of the SM load, if there are any.
        let is_wide = |name: &str| plan.vectors.as_ref().and_then(|of| of.get(name)).is_some_and(|&elems| elems > 1);
        let stores_rows = plan.instruction.as_ref().is_some_and(|of| of.kind == Kind::Mma)
            && self.facts.outputs.iter().all(|output| is_wide(&output.name))
            && self.has_next();
        let hidden = plan.overlap.as_ref().is_some_and(|it| it.enable && (it.epilogue_overlap || stores_rows));
        // The last tile has no next one whose loads it could run alongside.
        // Groups that share a tile store it while none of them multiplies: loads are under way, but few are left to wait for.
        let share = if plan.windowed().is_some() && !self.is_ping_pong() { 0.5 } else { 1.0 };
        if hidden { share * load.min(epilogue) * (1.0 - 1.0 / waves.count) } else { 0.0 }
    }

    /// What blocks wait for besides their own work: each other, the next tile, parts of their sums.
    fn imbalance(&self, [compute, load, memory]: [f64; 3], waves: &Waves) -> f64 {
        let (plan, facts, launch_ns) = (self.plan, self.facts, self.target.launch_ns as f64);
        // Consumers with a tile of their own need two tiles a block for ping-pong.
        let turns = if self.is_ping_pong() && waves.tiles < 1.5 * waves.slots { compute * 0.25 } else { 0.0 };
        // What is computed to no effect takes from what waits for memory.
        let alongside = match self.is_alone() && !facts.are_chained() {
            true if load > compute => 0.1 * compute,
            true => 0.1 * load * (1.0 - 1.0 / waves.padding),
            false => 0.0,
        };
        // Blocks that look for a next tile begin and end later, as measured.
        let again = if plan.persistent.is_some() { launch_ns / 4e3 } else { 0.0 };
        // Nothing is multiplied between the tiles of one group, as measured where columns are of several axes.
        let groups = if self.is_ping_pong() { 2.0 } else { 1.0 };
        let is_seen = |product: &Product| product.columns.len() > 1 && self.steps(&product.depth) < 2.0;
        let between = match facts.products.last().is_some_and(is_seen) && plan.persistent.is_some() {
            true => waves.count / groups * BETWEEN_TILES,
            false => 0.0,
        };
        // Blocks of a cluster wait for what both load, tile after tile.
        let is_coupled = plan.persistent.is_some() && plan.cluster.as_ref().and_then(Table::product) > Some(1);
        let coupled = if is_coupled { COUPLED * memory / (1.0 + (compute / memory.max(1e-3)).powi(4)) } else { 0.0 };
        // Blocks of one step have nothing else to do while they begin and end.
        let is_one_step = plan.instruction.as_ref().is_some_and(|of| of.kind == Kind::Wgmma) && !self.is_alone();
        let begun = if is_one_step { waves.tiles * ONE_STEP_BLOCK / self.target.sms as f64 } else { 0.0 };
        turns + self.combining() + alongside + again + between + coupled + begun + self.first_filters()
    }

    /// How long tensors take to be copied to padded rows, by a grid for each: its threads move single elements.
    fn copies(&self) -> f64 {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let padded = facts.inputs.iter().filter(|input| input.reads > 0 && is_padded(plan, &input.name));
        let time = |input: &Tensor| {
            let bytes = input.elems * bits(ctx, input.elem) / 8.0;
            2.0 * bytes / (target.memory_gbps as f64 * 1e3 * PADDED_SHARE) + target.launch_ns as f64 / 2e3
        };
        padded.map(time).sum()
    }

    /// What threads take to find what they bring of the factors of a product, where that is less than 16 bytes at once.
    fn gathered(&self, cache: f64) -> f64 {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let [product] = facts.products.as_slice() else { return 0.0 };
        let elem = bits(ctx, product.factors[0].elem) / 8.0;
        let width = |cache: &Cache| plan.vectors.as_ref().and_then(|of| of.get(&cache.tensor)).copied();
        let width = plan.caches.iter().filter_map(width).min().unwrap_or(1) as f64;
        // Where sizes are numbers, so are the places. TMA finds them by itself.
        let is_known = plan.fix.is_some() || plan.barrier == Some(Barrier::Mbarrier);
        if plan.instruction.is_none() || is_known || plan.vectors.is_none() || width * elem >= 16.0 {
            return 0.0;
        }
        let accesses = cache * target.l2_bytes_per_clock as f64 / (elem * width);
        let rate = target.rate(ctx, Kind::Fma, dlc_ir::Type::F32).unwrap_or(1) as f64 / 2.0;
        accesses * GATHERED / (rate * target.sms as f64)
    }

    /// How long groups that go from tile to tile take at least where nothing but one step is between two stores of a group.
    fn rounds(&self, waves: &Waves) -> f64 {
        let has_one_step = self.facts.products.last().is_some_and(|last| self.steps(&last.depth) < 2.0);
        let is_alone = self.plan.persistent.is_some() && self.plan.roles.is_some() && !self.facts.are_chained();
        let groups = if self.is_ping_pong() { 2.0 } else { 1.0 };
        let between = if has_one_step && is_alone { waves.count / groups * ONE_STEP_TILE } else { 0.0 };
        let stores_in_turn = self.plan.windowed().is_some() && self.is_ping_pong();
        let written = |output: &Tensor| output.elems * bits(self.ctx, output.elem) / 8.0;
        let stored = self.facts.outputs.iter().map(written).sum::<f64>();
        let per_clock = self.target.sms as f64 * self.target.clock_mhz as f64;
        let kind = usize::from(self.plan.store.as_ref().is_some_and(|store| store.way == StoreMethod::Fragments));
        if stores_in_turn { between.max(stored / (per_clock * STORED_IN_TURN[kind])) } else { between }
    }

    /// How long it takes to add the parts of a sum that blocks share.
    fn combining(&self) -> f64 {
        let Estimator { facts, plan, target, .. } = *self;
        let (parts, clock, launch_ns) = (self.parts(), target.clock_mhz as f64, target.launch_ns as f64);
        match parts > 1.0 {
            // What comes out of each part is added by as few blocks as there are tiles, as many parts at once as a step has
            // elements.
            true if plan.threads.is_some() => {
                let rows = plan.out_tile().iter().map(|(_, size)| *size).product::<i64>().max(1) as f64;
                let tile = plan.tile.iter().filter_map(|tile| tile.product()).product::<i64>() as f64;
                let bytes = parts * rows * 4.0 / (PART_BYTES_PER_CLOCK * clock);
                let waits = (parts * rows / tile).ceil() * target.memory_latency_ns as f64 / 1e3;
                bytes + waits + launch_ns / 2e3
            }
            // Written and read as `f32`, and waited for.
            true => {
                let elems: f64 = facts.outputs.iter().map(|output| output.elems).sum();
                let all = parts * elems * 8.0 / (target.l2_bytes_per_clock as f64 * clock) * PARTS_WAIT;
                // A block adds the parts of a tile, or of 64 of its rows, with as many under way as registers hold.
                let tile = plan.out_tile().iter().map(|(_, size)| *size).product::<i64>().max(1) as f64;
                let consumers = plan.roles.as_ref().map_or(1, |roles| roles.consumers.max(1)) as f64;
                let bytes = parts * tile / consumers * 4.0 / (PART_BYTES_PER_CLOCK * clock);
                all.max(bytes) + launch_ns / 2e3 + SECOND_GRID
            }
            false => 0.0,
        }
    }

    /// The steps of a tile along some axes.
    fn steps(&self, axes: &[String]) -> f64 {
        let steps =
            |axis: &String| (self.facts.size(axis) as f64 / self.plan.tile_of(axis).max(1) as f64).ceil().max(1.0);
        axes.iter().map(steps).product()
    }

    fn is_reduced(&self, axis: &String) -> bool {
        self.plan.reduced.iter().flatten().any(|own| own == axis)
    }

    /// The inputs that are read.
    fn read(&self) -> impl Iterator<Item = &Tensor> {
        self.facts.inputs.iter().filter(|input| input.reads > 0)
    }

    /// What threads compute besides what the kernel does once for each point: each determines where it is and what it may
    /// read, and takes and converts for itself what others have read as well.
    fn alongside_elements(&self, tiles: f64) -> f64 {
        let again = |input: &Tensor| {
            let own = input.tile_bytes(self.ctx, self.facts, self.plan) * 8.0 / bits(self.ctx, input.elem);
            (own * self.tile_reads(input, tiles) - input.elems).max(0.0)
        };
        tiles * (threads(self.ctx, self.plan) * THREAD_OPS) as f64 + self.read().map(again).sum::<f64>()
    }

    /// How many tiles of an input are read: by each tile of the results, and in each step along what is reduced, of which
    /// the parts of a sum have their share.
    fn tile_reads(&self, input: &Tensor, tiles: f64) -> f64 {
        let reduced = input.axes.iter().filter(|axis| self.is_reduced(axis));
        tiles / self.parts() * reduced.map(|axis| self.steps(std::slice::from_ref(axis))).product::<f64>()
    }

    /// The bytes of loads that threads have on their way to an SM at once, those that must be for the memory to
    /// be busy, and how long all loads take that way: what a step of a tile reads, of each block that is there. What several
    /// tiles read comes from memory once.
    fn flight(&self, waves: &Waves) -> Flight {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let (sms, tiles) = (target.sms as f64, waves.tiles);
        let needed = target.memory_latency_ns as f64 * target.memory_gbps as f64 / sms;
        if plan.threads.is_none() {
            return Flight { in_flight: 0.0, needed, latency: 0.0 };
        }
        // Steps of windows that are unrolled load one after another without waiting.
        let ahead = facts.is_local().then(|| plan.unroll.as_ref().and_then(Table::product)).flatten();
        let ahead = ahead.map_or(1.0, |steps| steps.clamp(1, LOADS_AHEAD) as f64);
        let from_memory = |input: &Tensor| {
            let times = self.tile_reads(input, tiles);
            // A thread that goes along a row by itself loads a sector with its first element.
            let bytes = bits(ctx, input.elem) / 8.0;
            let sector = self.row_of_a_thread(input).map_or(1.0, |row| row.min(SECTOR) / bytes);
            (input.tile_bytes(ctx, facts, plan) * ahead.max(sector))
                .min(input.touched * bits(ctx, input.elem) / 8.0 / times)
        };
        let in_flight = waves.resident * self.read().map(from_memory).sum::<f64>();
        let latency = target.memory_latency_ns as f64 / (sms.min(tiles) * in_flight.max(1.0)) / 1e3;
        let latency = self.read_bytes(waves.resident * sms.min(tiles)) * latency;
        Flight { in_flight, needed, latency }
    }

    /// What is read and written, each once; a row that is reduced, and then used again, twice or more unless it is kept, as
    /// far as the cache has no room for the rows of as many blocks as run at once.
    fn memory_bytes(&self, blocks: f64) -> f64 {
        let bytes = |tensor: &Tensor| tensor.elems * bits(self.ctx, tensor.elem) / 8.0;
        self.read_bytes(blocks) + self.facts.outputs.iter().map(bytes).sum::<f64>()
    }

    /// What of that is read.
    fn read_bytes(&self, blocks: f64) -> f64 {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let bytes = |tensor: &Tensor| tensor.touched * bits(ctx, tensor.elem) / 8.0;
        let again = |input: &Tensor| {
            let kept = plan.cache_of(&input.name).is_some();
            let reduced = input.axes.iter().filter(|axis| self.is_reduced(axis));
            let passes = reduced.map(|axis| facts.passes(axis)).max().unwrap_or(1);
            if kept || plan.threads.is_none() || passes < 2 {
                return 0.0;
            }
            let extent = |axis: &String| if self.is_reduced(axis) { facts.size(axis) } else { plan.tile_of(axis) };
            let rows = input.axes.iter().map(extent).product::<i64>() as f64 * bits(ctx, input.elem) / 8.0;
            let missed = 1.0 - (target.l2_bytes as f64 / (rows * blocks).max(1.0)).min(1.0);
            (0.1 + 0.9 * missed) * (passes - 1) as f64
        };
        self.read().map(|input| bytes(input) * (1.0 + again(input))).sum()
    }

    /// How many bytes of a contiguous row a thread reads alone, element by element.
    fn row_of_a_thread(&self, input: &Tensor) -> Option<f64> {
        let last = input.axes.last().filter(|last| self.facts.reduced.contains(last) && !self.facts.is_local())?;
        let is_shared = self.plan.threads.as_ref().is_some_and(|threads| threads.along(last) > 1);
        (!is_shared).then(|| self.facts.size(last) as f64 * bits(self.ctx, input.elem) / 8.0)
    }

    /// What narrow accesses, transposed reads and predicates cost.
    fn accesses(&self, load: f64) -> f64 {
        let Estimator { ctx, facts, plan, .. } = *self;
        let mut share: f64 = 0.0;
        if plan.barrier != Some(Barrier::Mbarrier) {
            // Of an input and an output of one name the input counts.
            let tensors = facts.inputs.iter().chain(&facts.outputs).rev();
            let tensors: HashMap<&str, &Tensor> = tensors.map(|own| (own.name.as_str(), own)).collect();
            for (tensor, width) in plan.vectors.iter().flat_map(|table| &table.0) {
                let of = tensors.get(tensor.as_str());
                let bytes = of.map_or(4.0, |own| bits(ctx, own.elem) / 8.0) * *width as f64;
                share = share.max((16.0 / bytes).sqrt() - 1.0);
            }
        }
        // Threads that go along another axis than the contiguous one fetch a sector for each element; what windows read is
        // counted line by line.
        let along = facts.iters().last().filter(|_| !facts.is_local());
        for input in self.read().filter(|input| input.axes.len() > 1) {
            let staged = plan.cache_of(&input.name).is_some_and(|cache| cache.place == dlc_plan::clause::Place::Smem);
            // Threads that share a reduction along it lie next to each other there.
            let is_shared = |axis: &String| plan.threads.as_ref().is_some_and(|threads| threads.along(axis) > 1);
            let shared = input.axes.last().is_some_and(|last| self.is_reduced(last) && is_shared(last));
            let apart = input.axes.last() != along && !shared && along.is_some_and(|along| input.axes.contains(along));
            if apart && !staged {
                // What is left of a sector is in the L1 cache when the thread comes to it.
                share += match self.row_of_a_thread(input) {
                    Some(bytes) if bytes <= SHORT_SUM => (bytes / SECTOR * 0.8 - 0.6).clamp(0.2, 1.2),
                    _ => 3.0,
                };
            }
        }
        share += self.read().chain(&facts.outputs).map(|tensor| self.narrow(tensor)).fold(0.0, f64::max);
        let pieces = if facts.pieces { 0.05 } else { 0.0 };
        let tails = 0.005 * plan.predicate_tail.as_ref().map_or(0, Vec::len) as f64;
        load * (share + pieces + tails)
    }
}

/// The axes of the results by what blocks go over as one run. What a block goes all along is none of them.
pub fn runs<'a>(facts: &'a Facts, plan: &Schedule) -> Vec<Vec<&'a String>> {
    let reduced = |axis: &String| plan.reduced.as_ref().is_some_and(|reduced| reduced.contains(axis));
    let sides = facts.products.last().map_or_else(Vec::new, |last| vec![&last.rows, &last.columns]);
    let mut runs: Vec<Vec<&String>> = sides.into_iter().map(|side| run_of(plan, side)).collect();
    // Whole rows of pixels begin anew in each image, and at each place of a tile.
    if plan.windowed().is_some() {
        runs = runs.into_iter().flatten().map(|axis| vec![axis]).collect();
    }
    let alone = |axis: &&String| !runs.iter().flatten().any(|known| known == axis);
    let rest: Vec<&String> = facts.iters().iter().filter(alone).collect();
    runs.extend(rest.into_iter().map(|axis| vec![axis]));
    runs.retain(|run| !run.iter().any(|axis| reduced(axis)));
    runs
}

/// The tiles that the block with the most work computes where positions hide the rest: a tile's steps end at the diagonal,
/// those with the most come first, and blocks take them in turn. `None` where nothing is hidden.
fn seen(facts: &Facts, plan: &Schedule, tiles: f64, slots: f64) -> Option<f64> {
    let last = facts.products.last()?;
    let is_ordered = plan.order.as_ref().is_some_and(|order| order.kind == Walk::LongestFirst);
    // Of a tile of rows of several heads it is not known which positions all of them see.
    let is_along_one = last.rows.iter().filter(|axis| plan.tile_of(axis) > 1).count() < 2;
    (is_ordered || facts.window.is_some() && is_along_one).then_some(())?;
    let (rows, depth) = (last.rows.last()?, last.depth.last()?);
    let (high, step) = (plan.tile_of(rows).max(1), plan.tile_of(depth).max(1));
    let (size, along) = (facts.size(rows).max(1), facts.size(depth).max(1));
    let count = (size + high - 1) / high;
    let matrices = (tiles / count as f64).max(1.0);
    // Steps that end before the window of the first row of a tile are left out.
    let first = |end: i64| facts.window.map_or(0, |window| (end - high - window + 1).max(0) / step);
    let steps = |end: i64| (end.min(along) + step - 1) / step - first(end);
    let row = |tile: f64| count - 1 - ((tile / matrices) as i64).clamp(0, count - 1);
    let rounds = ((tiles / slots).ceil() as i64).min(MOST_ROUNDS);
    let sum: i64 = (0..rounds).map(|round| steps((row(round as f64 * slots) + 1).saturating_mul(high))).sum();
    let all = (tiles / slots).ceil() / rounds.max(1) as f64;
    Some(sum as f64 * all * step as f64 / along as f64)
}

/// How long two things take that run alongside each other: the longer one, and more where both are about as long, as neither
/// then always has work.
fn both(a: f64, b: f64) -> f64 {
    (a.powi(4) + b.powi(4)).powf(0.25)
}

/// Loads of threads.
struct Flight {
    in_flight: f64,
    needed: f64,
    latency: f64,
}
