//! Plans of products that groups of four warps multiply with `wgmma`, from tiles that TMA brings.

use dlc_core::precision::Precision;
use dlc_ir::affine::SizeExpr;
use dlc_plan::Schedule;
use dlc_plan::clause::{
    Barrier, Instruction, Kind, Order, Policy, Roles, Sharing, Split, Store, StoreMethod, Through, Walk,
};
use dlc_plan::footprint::OVERHEAD;
use dlc_plan::value::{Choice, Table};

use super::candidates::{CandidateGenerator, STAGES};
use super::facts::{Product, Tensor, WholeRows, bits};
use crate::analysis::conditions::{STAGGER, is_im2col};

/// Rows, columns, consumers, and whether each has a tile of its own. The numbers are those that win somewhere in
/// measurements on an H200.
const WGMMA: [(i64, i64, i64, bool); 17] = [
    (128, 128, 2, true),
    (128, 128, 2, false),
    (128, 160, 2, true),
    (128, 176, 2, true),
    (128, 192, 2, true),
    (64, 256, 2, true),
    (128, 256, 2, false),
    (256, 128, 2, false),
    (128, 144, 2, false),
    (128, 112, 2, false),
    (192, 128, 3, false),
    (192, 96, 3, false),
    (128, 64, 2, false),
    (128, 64, 2, true),
    (64, 128, 1, false),
    (64, 112, 1, false),
    (64, 64, 1, false),
];

/// The same of tiles that have whole rows, which are reduced next, without the columns.
const WHOLE_ROWS: [(i64, i64, bool); 5] =
    [(64, 1, false), (128, 2, false), (64, 2, true), (128, 2, true), (192, 3, false)];

/// The most bits of results that lie across the rows of the instruction, where threads store them by rows of memory.
const STORED_BY_ROWS: f64 = 16.0;

/// Rows and columns of tiles with one step of the sum, of few columns and of more.
const ONE_STEP: [&[(i64, i64)]; 2] =
    [&[(64, 32), (128, 32), (192, 32)], &[(64, 64), (128, 64), (64, 128), (128, 128), (64, 256)]];

/// Rows and columns of one consumer alone that puts zeros into its factors.
const ZEROS: [(i64, i64); 5] = [(128, 128), (64, 256), (128, 64), (64, 128), (64, 64)];

/// The registers of a thread that holds them.
const MOST_HELD: i64 = 232;

/// By how many steps of 128 bytes tiles begin after each other.
const K_SKEW: i64 = 10;

/// The part of the L2 cache that what is asked for ahead may fill: what is read once, and half of what several
/// blocks read with it, which is often there. With more on its way memory is slower, as measured on an H200.
const L2_PREFETCH_SHARE: (i64, i64) = (1, 5);

/// The same of what is read once alone, where blocks read it at different places at once and share nothing.
const L2_PREFETCH_SHARE_SKEWED: (i64, i64) = (2, 7);

/// The most sums that each group of four warps leaves where blocks share them.
const MOST_SHARED: i64 = 64 * 128;

/// The most sums of a thread besides which it has registers for the places of results along rows of pixels.
const HELD_BY_ROWS: i64 = 128;

/// The size of a tile that warpgroups compute.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) rows: i64,
    pub(super) columns: i64,
    pub(super) consumers: i64,
    /// Whether each consumer has a tile of its own.
    pub(super) ping_pong: bool,
    /// Whether the columns of the product fill the rows of the instruction.
    pub(super) swap: bool,
    /// How many blocks share a sum.
    pub(super) parts: i64,
}

impl Shape {
    pub(super) fn of(rows: i64, columns: i64, consumers: i64) -> Shape {
        Shape { rows, columns, consumers, ping_pong: false, swap: false, parts: 1 }
    }

    fn sides(self) -> [i64; 2] {
        [self.rows, self.columns]
    }

    /// The extent along the columns of the instruction.
    fn wide(self) -> i64 {
        if self.swap { self.rows } else { self.columns }
    }

    /// The registers of the threads of each role.
    pub(super) fn registers(self) -> [(&'static str, i64); 2] {
        match self.consumers {
            3.. => [("producer", 32), ("consumer", 160)],
            _ if self.wide() > 160 => [("producer", 24), ("consumer", 240)],
            _ => [("producer", 40), ("consumer", 232)],
        }
    }
}

impl CandidateGenerator<'_> {
    /// What TMA brings, multiplied by warpgroups.
    pub(super) fn wgmma(&self, product: &Product, assume: &Table<i64>) -> Vec<Schedule> {
        let bits = bits(self.ctx, self.elem(product)) as i64;
        let contiguous = |side: usize| product.factors[side].axes.last();
        let by_wgmma = Warpgroups {
            maker: self,
            product,
            assume,
            bits,
            promote: bits < 16 || product.is_exact_f32(),
            along_depth: [0, 1].map(|side| contiguous(side).is_some_and(|axis| product.depth.contains(axis))),
            pixels: [0, 1].map(|side| self.pixels_of(product, side)),
        };
        by_wgmma.candidates().into_iter().map(|plan| self.finish(plan)).collect()
    }

    /// The factor of a side of which TMA takes windows of pixels, which lie one after another, each with its
    /// channels.
    fn pixels_of(&self, product: &Product, side: usize) -> Option<String> {
        let (factor, axes) = (&product.factors[side], [&product.rows, &product.columns][side]);
        let number = factor.input?;
        let input = &self.facts.inputs[number];
        // Places of a window are counted upwards: the filter of a transposed convolution is no image.
        let goes_back = |at: &SizeExpr| at.terms().iter().any(|(times, factors)| *times < 0 && !factors.is_empty());
        if self.facts.reads.iter().any(|read| read.input == number && read.at.iter().any(goes_back)) {
            return None;
        }
        // Where results are rows of pixels that are no whole 16-byte units, or are stored from fragments, a run over images has
        // no ends to leave out.
        let is_uneven = |output: &Tensor| {
            let elem = bits(self.ctx, output.elem);
            let row = output.row.as_ref().and_then(|row| row.as_constant());
            let is_cut = row.is_some_and(|row| elem > STORED_BY_ROWS || row % (128.0 / elem) as i64 != 0);
            output.axes.last().is_some_and(|last| axes.contains(last)) && is_cut
        };
        let has_runs = !input.plain || self.facts.outputs.iter().all(is_uneven);
        let pixels = axes.len() >= if has_runs && !factor.masked { 2 } else { 3 };
        let channels = factor.axes.last().is_some_and(|axis| product.depth.contains(axis));
        (pixels && channels).then(|| input.name.clone())
    }
}

/// A product that warpgroups multiply.
pub(super) struct Warpgroups<'a> {
    pub(super) maker: &'a CandidateGenerator<'a>,
    pub(super) product: &'a Product,
    /// What TMA needs to know of sizes.
    pub(super) assume: &'a Table<i64>,
    /// The bits of an element of the factors.
    pub(super) bits: i64,
    /// Of 8-bit floats wgmma keeps fewer bits of a sum than f32 has, so each step has a sum of its own (decision 37). So it is
    /// where factors of f32 are two numbers each (decision 53).
    pub(super) promote: bool,
    /// Whether rows of each factor lie along the sum.
    pub(super) along_depth: [bool; 2],
    /// The factors of each side of which TMA takes windows of pixels.
    pub(super) pixels: [Option<String>; 2],
}

impl Warpgroups<'_> {
    fn candidates(&self) -> Vec<Schedule> {
        if let Some(rows) = self.maker.facts.whole_rows {
            return self.of_whole_rows(rows);
        }
        if self.is_masked() || self.leaves_out_steps() {
            return self.with_zeros();
        }
        if self.maker.extent(&self.product.depth) <= self.step() as f64 && !self.by_rows() {
            return self.of_one_step();
        }
        let of_phases = [0, 1].into_iter().filter(|&side| self.has_phases(side)).map(|side| self.of_phases(side));
        if let Some(plans) = of_phases.into_iter().find(|plans| !plans.is_empty()) {
            return plans;
        }
        let mut plans = self.of_few_rows();
        plans.extend(self.of_windows());
        for (rows, columns, consumers, ping_pong) in WGMMA {
            // While one group adds the product of a step to its sums, another multiplies: they are no ping-pong.
            let shape = Shape { ping_pong: ping_pong && !self.promote, ..Shape::of(rows, columns, consumers) };
            match self.by_rows() {
                true => plans.extend(self.of_pixels(shape)),
                false => plans.extend(self.of_tile(shape)),
            }
        }
        plans
    }

    /// Plans of tiles with whole rows, which are reduced next.
    fn of_whole_rows(&self, WholeRows { columns, values }: WholeRows) -> Vec<Schedule> {
        // A tile that lies across has whole atoms of a swizzle.
        let unit = if self.along_depth[1] { 8 } else { 32 };
        let columns = columns.saturating_add(unit - 1) / unit * unit;
        // A group of four warps has 64 rows, so that a thread has half a row of each value.
        if values.saturating_mul(columns) / 2 + OVERHEAD > MOST_HELD || self.by_rows() {
            return Vec::new();
        }
        let is_one = |&(_, consumers, ping_pong): &(i64, i64, bool)| consumers == 1 && !ping_pong;
        let shapes = WHOLE_ROWS.into_iter().filter(|shape| !self.is_masked() || is_one(shape));
        let plans = shapes.flat_map(|(rows, consumers, ping_pong)| {
            let ping_pong = ping_pong && !self.promote;
            let alone = self.plan(Shape { ping_pong, ..Shape::of(rows, columns, consumers) });
            // Each of two blocks loads whole groups of eight columns for both.
            let pair = alone.as_ref().filter(|_| columns % 16 == 0).and_then(|plan| self.paired(plan));
            pair.into_iter().chain(alone)
        });
        plans.collect()
    }

    /// Plans where a factor is zero in steps of tiles, or a consumer puts zeros into its factors: tiles have different numbers of
    /// steps, and the next one goes to the block that is done first. Those of the first rows, which have most, come first.
    fn with_zeros(&self) -> Vec<Schedule> {
        let [all_rows, all_columns] = self.extents();
        let wastes = |(rows, columns): &(i64, i64)| wastes_tile(*rows, all_rows) || wastes_tile(*columns, all_columns);
        let shapes = ZEROS.into_iter().filter(|shape| self.is_masked() || !wastes(shape));
        let plans = shapes.filter_map(|(rows, columns)| self.plan(Shape::of(rows, columns, 1)));
        plans.map(|plan| self.two_resident(Schedule { persistent: None, order: None, ..plan })).collect()
    }

    /// Plans of sums with one step: there is no loop in which some warps could load for others, and what takes time is to store
    /// the results. Blocks have a tile each, and several of them share an SM.
    fn of_one_step(&self) -> Vec<Schedule> {
        let [all_rows, all_columns] = self.extents();
        let tiles = ONE_STEP[usize::from(all_columns > 32.0)];
        let plans = tiles.iter().filter_map(|&(rows, columns)| {
            let is_least = (rows, columns) == tiles[0];
            let wastes = wastes_tile(rows, all_rows) || wastes_tile(columns, all_columns);
            let shape = Shape::of(rows, columns, 1);
            let plan = self.plan(shape).filter(|_| is_least || !wastes)?;
            let plan = Schedule {
                stages: Some(1),
                persistent: None,
                roles: None,
                registers: None,
                overlap: None,
                in_flight: None,
                store: self.store(shape, false, &mut plan.assume.clone()),
                ..plan
            };
            Some(plan)
        });
        plans.collect()
    }

    /// Plans of small-M products, whose columns fill the rows of the instruction.
    fn of_few_rows(&self) -> Vec<Schedule> {
        let [rows, columns] = self.extents();
        let are_few = rows <= 128.0 && columns > rows && self.along_depth[0];
        let plans = |rows: i64| {
            let shape = Shape { swap: true, ..Shape::of(rows, 128, 2) };
            [self.plan(shape), self.in_parts(shape)]
        };
        [16, 32, 64, 128].into_iter().filter(|_| are_few).flat_map(plans).flatten().collect()
    }

    /// Plans where pixels fill the rows of the instruction, so that each thread has few of them, and their places are few.
    fn of_pixels(&self, shape: Shape) -> Vec<Schedule> {
        let maker = self.maker;
        // What is added to sums is there next to them.
        let inputs = maker.facts.inputs.iter().enumerate();
        let is_factor = |at: usize| maker.factors(self.product).any(|(_, factor)| factor.input == Some(at));
        let is_alone = inputs.into_iter().all(|(at, input)| is_factor(at) || input.reads == 0);
        let most = if is_alone { HELD_BY_ROWS } else { HELD_BY_ROWS / 4 * 3 };
        let held = shape.rows * shape.columns / (128 * if shape.ping_pong { 1 } else { shape.consumers });
        let [all_rows, all_columns] = self.extents();
        let is_too_large = wastes_tile(shape.columns, all_rows) || wastes_tile(shape.rows, all_columns) || held > most;
        let swapped = Shape { rows: shape.columns, columns: shape.rows, swap: true, ..shape };
        if is_too_large {
            return Vec::new();
        }
        [self.plan(swapped), self.in_parts(swapped)].into_iter().flatten().collect()
    }

    /// The plans of a tile: by pairs of blocks, by single ones, with the sides swapped, and with split-K.
    fn of_tile(&self, shape: Shape) -> Vec<Schedule> {
        let (Shape { rows, columns, ping_pong, .. }, [all_rows, all_columns]) = (shape, self.extents());
        if wastes_tile(rows, all_rows) || wastes_tile(columns, all_columns) {
            return Vec::new();
        }
        let alone = self.plan(shape);
        let is_large = rows * columns >= 1 << 14;
        let pair = alone.as_ref().filter(|_| is_large).and_then(|plan| self.paired(plan));
        // Blocks of one wave that read far rows once are pairs, if what they share is larger than these.
        let far = if ping_pong { None } else { self.staged(shape, true) };
        // What is across has only whole atoms of a swizzle, which the 64 rows of an instruction are.
        let is_across = !self.along_depth[1] && self.along_depth[0] && columns % 64 != 0 && self.reads_factors_alone();
        let is_swapped = !ping_pong && is_across && !wastes_tile(columns, all_rows);
        let swapped = Shape { rows: columns, columns: rows, swap: true, ..shape };
        let swapped = is_swapped.then(|| self.plan(swapped)).flatten();
        [pair, far, alone, swapped, self.in_parts(shape)].into_iter().flatten().collect()
    }

    /// A plan where blocks share a long sum, as there are few tiles. Those of wide tiles have most to add.
    fn in_parts(&self, shape: Shape) -> Option<Schedule> {
        let [all_rows, all_columns] = self.extents();
        // Results along rows of pixels are brought together slowly: there must be few of the smallest tiles.
        let smallest = (all_rows / 64.0).ceil() * (all_columns / 64.0).ceil();
        let is_slow = self.by_rows() && 2.0 * smallest > self.maker.target.sms as f64;
        if is_slow || shape.ping_pong || shape.rows * shape.columns > MOST_SHARED * shape.consumers {
            return None;
        }
        let split = self.maker.parts(&self.in_runs(shape, self.step()), None, 1)?;
        self.plan(Shape { parts: split.parts, ..shape })
    }

    pub(super) fn plan(&self, shape: Shape) -> Option<Schedule> {
        self.staged(shape, false)
    }

    /// A plan of long stages where three of them have room, which are enough to be filled in turn; a pair waits for two blocks,
    /// and is better off with more of short ones.
    fn staged(&self, shape: Shape, pair: bool) -> Option<Schedule> {
        let long = if pair { None } else { self.planned(shape, true, false) };
        long.filter(|plan| plan.stages >= Some(3)).or_else(|| self.planned(shape, false, pair))
    }

    /// The plan of a tile with as many stages as there is room for. `long` stages take two steps; a `pair` of blocks shares
    /// what it reads again.
    fn planned(&self, shape: Shape, long: bool, pair: bool) -> Option<Schedule> {
        let (maker, bits, parts) = (self.maker, self.bits, shape.parts);
        let steps = if long { 2 } else { 1 };
        let step = steps * self.step();
        let tile = self.in_runs(shape, step);
        let swizzle = self.swizzle(shape)?;
        if !self.are_boxes(&tile) {
            return None;
        }
        // One tile a block needs no loop, and nothing that goes on while it is stored.
        let again = shape.ping_pong || parts > 1 || self.maker.tiles(&tile) > maker.target.sms as f64;
        let once = self.read_once(shape);
        let far = !again && self.is_far(&once);
        // What each step adds takes less time where there are fewer of them.
        let adds_less = long && self.promote && bits == 32 && self.has_long_sum(step);
        if (long || pair) && !far && !adds_less {
            return None;
        }
        let shared = if pair { Some(self.shared(shape, &once)?) } else { None };
        let (cluster, multicast) = shared.unzip();
        let stagger = if far { self.stagger(shape, &once, pair) } else { None };
        // A part of a sum has few steps.
        let most = match (once.is_empty() || parts > 1, again) {
            (true, _) => STAGES,
            (false, true) => 2 * STAGES,
            (false, false) => {
                let tiles = (self.maker.tiles(&tile) as i64).clamp(1, maker.target.sms);
                let room = self.stages_ahead(shape, &once, (stagger.is_some(), pair));
                (room / tiles / step).clamp(2, 2 * STAGES)
            }
        };
        let pixels = self.pixels.iter().flatten();
        let mut algo: Vec<(String, Choice)> =
            pixels.map(|name| (format!("load_{name}"), Choice::Word("im2col".into()))).collect();
        algo.extend(stagger.map(|axis| (format!("{STAGGER}{axis}"), Choice::Number(K_SKEW / steps))));
        let policy = once.into_iter().map(|(name, _)| (name, Policy::EvictFirst)).collect::<Vec<_>>();
        let kind = if shape.ping_pong { Sharing::PingPong } else { Sharing::Cooperative };
        let mut assume = Some(self.assume.clone());
        let plan = Schedule {
            instruction: Some(Instruction {
                kind: Kind::Wgmma,
                shape: Some(vec![64, shape.wide(), 256 / bits]),
                promote: self.promote,
                precision: (bits == 32).then_some(Precision::Tf32),
            }),
            persistent: again.then(|| Choice::Word("sms".into())),
            // Neighbours ask for the same rows at the same time, which are then read once: squares of them have the fewest.
            order: (!far).then(|| Order {
                kind: Walk::Grouped,
                size: Some(if again { 8 } else { 4 }),
                along: self.product.rows.last().cloned(),
            }),
            roles: Some(Roles { kind, consumers: shape.consumers, in_turn: false }),
            split_k: (parts > 1).then_some(Split { parts, along: None, through: Some(Through::Workspace) }),
            registers: Some(Table::of(shape.registers())),
            swizzle: Some(swizzle),
            store: self.store(shape, again, &mut assume),
            assume,
            barrier: Some(Barrier::Mbarrier),
            overlap: maker.asynchronous(true),
            in_flight: (!self.promote).then_some(1),
            algo: Some(Table(algo)).filter(|table| !table.0.is_empty()),
            swap_operands: shape.swap,
            cluster,
            multicast,
            caches: maker.caches(self.product),
            policy: Some(Table(policy)).filter(|table| !table.0.is_empty() && maker.target.has("cache_hint")),
            ..tile
        };
        maker.staged(if again { plan } else { self.with_entry_registers(plan) }, most)
    }

    /// The same where threads exchange no registers, if those that compute have enough from the beginning.
    fn with_entry_registers(&self, plan: Schedule) -> Schedule {
        let footprint = plan.footprint(self.maker.ctx);
        let entry = footprint.threads.map(|threads| self.maker.target.entry_registers(threads));
        let held = footprint.held.map(|held| held * self.maker.sums());
        let enough = held.zip(entry).filter(|(held, entry)| held + 2 * OVERHEAD <= *entry);
        let registers = enough.map(|(_, entry)| Table::of([("thread", entry)])).or_else(|| plan.registers.clone());
        Schedule { registers, ..plan }
    }

    /// The bytes in which units of each factor are exchanged: those that are multiplied along contiguous rows have 128; a tile
    /// across has whole atoms of a swizzle, which is as wide as it may be. `None` where there is none, or two of one tensor.
    fn swizzle(&self, shape: Shape) -> Option<Table<Choice>> {
        let span = |side: usize| match self.along_depth[side] {
            true => Some(128),
            false => {
                [128, 64].into_iter().find(|span| self.bits == 16 && shape.sides()[side] * self.bits % (8 * span) == 0)
            }
        };
        let mut swizzle: Vec<(&str, Choice)> = Vec::new();
        for (side, factor) in self.maker.factors(self.product) {
            let Some(input) = factor.input else { continue };
            let span = Choice::Number(span(side)?);
            let name = self.maker.facts.inputs[input].name.as_str();
            match swizzle.iter().find(|(known, _)| *known == name) {
                Some((_, other)) if *other != span => return None,
                Some(_) => {}
                None => swizzle.push((name, span)),
            }
        }
        Some(Table::of(swizzle))
    }

    /// Whether rows of memory lie along rows of the instruction, and eight of their elements are whole sectors: fragments have
    /// so many side by side. The sub-tiles of `store rows` have no room for 64 of them.
    fn is_across(&self, shape: Shape) -> bool {
        let rows = if shape.swap { &self.product.columns } else { &self.product.rows };
        self.maker.facts.outputs.iter().any(|output| {
            let is_wide = bits(self.maker.ctx, output.elem) > STORED_BY_ROWS;
            is_wide && output.axes.last().is_some_and(|last| rows.contains(last))
        })
    }

    /// How results are stored: nothing else is done while the only tile of a block is.
    fn store(&self, shape: Shape, again: bool, assume: &mut Option<Table<i64>>) -> Option<Store> {
        // Phases of results are apart in memory, and lie between those of the blocks next to this one.
        let sides = || self.product.rows.iter().chain(&self.product.columns);
        let is_apart = |last: &String| !sides().any(|axis| axis == last) && self.leaves_out_steps();
        if self.is_across(shape)
            || self.maker.facts.outputs.iter().any(|output| output.axes.last().is_some_and(is_apart))
        {
            return Some(Store { way: StoreMethod::Fragments, panels: None, together: None });
        }
        if self.by_rows() {
            return Some(Store { way: StoreMethod::Rows, panels: Some(2), together: None });
        }
        let panels = if shape.wide() % 64 == 0 || !again { 2 } else { 1 };
        let store = self.maker.store(panels, assume)?;
        Some(match store.way {
            // From fragments parts of sectors would be written, of unaligned rows element by element.
            StoreMethod::Fragments
                if shape.parts == 1 && self.maker.stores_rows() && self.maker.facts.whole_rows.is_none() =>
            {
                Store { way: StoreMethod::Rows, panels: Some(panels), together: None }
            }
            _ if again => store,
            _ => Store { together: store.panels, ..store },
        })
    }

    /// Whether what is read once may come in long pieces of its rows, where they lie along the sum. A step of sums that are
    /// promoted stays as short as their bits are few.
    fn is_far(&self, once: &[(String, usize)]) -> bool {
        !once.is_empty()
            && once.iter().all(|&(_, side)| self.along_depth[side])
            && self.pixels.iter().all(Option::is_none)
            && !self.promote
            && self.maker.extent(&self.product.depth) >= (16 * self.step()) as f64
    }

    /// The axis along which blocks begin at different places, as rows that are far apart are read at once, where little else
    /// is read again for that.
    fn stagger(&self, shape: Shape, once: &[(String, usize)], pair: bool) -> Option<&String> {
        let readers = if pair { 2 } else { 1 };
        let [rows, columns] = shape.sides();
        let is_little = |&(_, side): &(String, usize)| [columns, rows][side] < readers * [rows, columns][side];
        self.product.depth.first().filter(|_| self.product.depth.len() == 1 && once.iter().all(is_little))
    }

    /// How many positions along the sum all blocks together may ask for ahead of what is read once, as it comes from far away.
    fn stages_ahead(&self, shape: Shape, once: &[(String, usize)], (apart, pair): (bool, bool)) -> i64 {
        let readers = if pair { 2 } else { 1 };
        let (with, part) = if !apart || pair { (1, L2_PREFETCH_SHARE) } else { (0, L2_PREFETCH_SHARE_SKEWED) };
        let [rows, columns] = shape.sides();
        let alongside = |side: usize| with * [columns, rows][side] / (2 * readers);
        let ahead = once.iter().map(|&(_, side)| [rows, columns][side] + alongside(side)).sum::<i64>();
        self.maker.target.l2_bytes * part.0 / part.1 / (ahead * self.bits / 8).max(1)
    }

    /// The positions along the sum in 128 bytes.
    fn step(&self) -> i64 {
        1024 / self.bits
    }

    /// Whether the axis that steps go along is many times as long as one of them, so that what is beyond its end is little.
    fn has_long_sum(&self, step: i64) -> bool {
        self.product.depth.last().is_some_and(|axis| self.maker.facts.size(axis) >= 8 * step)
    }

    /// The number of rows and columns.
    fn extents(&self) -> [f64; 2] {
        [&self.product.rows, &self.product.columns].map(|axes| self.maker.extent(axes))
    }

    /// Whether threads store rows. A run of pixels goes from row to row, and to the next image: along the rows of results it is
    /// no box.
    fn by_rows(&self) -> bool {
        self.pixels[1].is_some()
    }

    /// Whether tiles leave out steps of zeros, each another number of them.
    fn leaves_out_steps(&self) -> bool {
        let facts = self.maker.facts;
        facts.share(self.product, &self.maker.tiled(self.product, 64, 64, self.step())) < 1.0
    }

    /// Whether a factor is zero in places.
    fn is_masked(&self) -> bool {
        self.maker.factors(self.product).any(|(_, factor)| factor.masked)
    }

    /// The same with two blocks on each SM, of which one multiplies while the other begins, puts zeros into its
    /// factors, or stores; as it is where there is no room for two.
    pub(super) fn two_resident(&self, plan: Schedule) -> Schedule {
        let registers = Some(Table::of([("producer", 24), ("consumer", 232)]));
        let room = self.maker.target.smem_per_sm / 2 - self.maker.target.smem_reserved;
        let fits = |stages: i64| {
            let (stages, blocks_per_sm, registers) = (Some(stages), Some(2), registers.clone());
            let plan = Schedule { stages, blocks_per_sm, registers, ..plan.clone() };
            plan.footprint(self.maker.ctx).smem.is_some_and(|bytes| bytes <= room).then_some(plan)
        };
        [4, 3].into_iter().find_map(fits).unwrap_or(plan)
    }

    /// A tile, of which an axis that it does not divide goes on in the one before where both lie one after another: of a run
    /// over both nothing is beyond the end but in the last tile.
    fn in_runs(&self, shape: Shape, step: i64) -> Schedule {
        let (maker, product) = (self.maker, self.product);
        let mut plan = maker.tiled(product, shape.rows, shape.columns, step);
        for (side, axes) in [&product.rows, &product.columns].into_iter().enumerate() {
            let (factor, [.., before, last]) = (&product.factors[side], axes.as_slice()) else { continue };
            let place = |axis: &String| factor.axes.iter().position(|own| own == axis);
            let plain = factor.input.is_some_and(|input| maker.facts.inputs[input].plain);
            let follows = place(before).is_some_and(|at| Some(at + 1) == place(last))
                && follows(maker.facts.iters(), before, last);
            let extent = plan.tile_of(last);
            let cut = plan.tile_of(before) == 1 && maker.facts.size(last) % extent != 0 && extent % 2 == 0;
            if plain && follows && cut && self.pixels[side].is_none() {
                for (axis, own) in plan.tile.iter_mut().flat_map(|tile| &mut tile.0) {
                    match axis {
                        axis if axis == before => *own = 2,
                        axis if axis == last => *own = extent / 2,
                        _ => {}
                    }
                }
            }
        }
        plan
    }

    /// Whether the axes of each side of which a tile has several positions lie after each other in memory, each with a position
    /// of its own, so that a run over them is one of a box. Pixels need not.
    fn are_boxes(&self, tile: &Schedule) -> bool {
        let product = self.product;
        [0, 1].into_iter().all(|side| {
            let (factor, axes) = (&product.factors[side], [&product.rows, &product.columns][side]);
            let several: Vec<&String> = axes.iter().filter(|axis| tile.tile_of(axis) > 1).collect();
            let place = |axis: &&String| factor.axes.iter().position(|own| own == *axis);
            let is_run = |input: usize| {
                let places: Option<Vec<usize>> = several.iter().map(place).collect();
                let is_dense = |places: Vec<usize>| places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                let is_matrix = self.maker.facts.inputs[input].is_matrix && places.is_some_and(is_dense);
                is_matrix || self.are_steps(input, &several) && self.are_whole(tile, &several)
            };
            self.pixels[side].is_some() || several.len() < 2 || factor.input.is_some_and(is_run)
        })
    }

    /// The same with blocks in pairs that share the larger operand, where more than one wave of them is needed.
    fn paired(&self, plan: &Schedule) -> Option<Schedule> {
        let (maker, product) = (self.maker, self.product);
        let (rows, columns) = plan.sides();
        let extent = |side: &[(String, i64)]| side.iter().map(|(_, extent)| *extent).product::<i64>();
        let (axis, side) = match extent(&columns) * maker.sums() >= extent(&rows) {
            true => (product.rows.last()?, 1),
            false => (product.columns.last()?, 0),
        };
        // Pixels that are taken for each place of a window are most of what is loaded, and are not shared.
        if plan.caches.iter().any(|cache| is_im2col(plan, &cache.tensor)) {
            return None;
        }
        let tiles = |axis: &String| (maker.facts.size(axis) as f64 / plan.tile_of(axis) as f64).ceil();
        let all = self.maker.tiles(plan);
        let shared = self.inputs_of(side)?;
        (maker.target.has("cluster") && all > maker.target.sms as f64 && tiles(axis) >= 2.0).then(|| Schedule {
            cluster: Some(Table::of([(axis.as_str(), 2)])),
            multicast: Some(shared),
            ..plan.clone()
        })
    }

    /// A cluster of two tiles that are neighbours on a side, and the factor of the other side, which they share: where
    /// they read more of it than of their own.
    fn shared(&self, shape: Shape, once: &[(String, usize)]) -> Option<(Table<i64>, Vec<String>)> {
        let (&[(_, side)], extents) = (once, shape.sides()) else { return None };
        let axis = [&self.product.rows, &self.product.columns][side].last()?;
        let shared = self.inputs_of(1 - side)?;
        let wanted = self.maker.target.has("cluster") && extents[1 - side] >= extents[side];
        wanted.then(|| (Table::of([(axis.as_str(), 2)]), shared))
    }

    /// The names of the inputs that are factors of a side; `None` where one of them is computed.
    fn inputs_of(&self, side: usize) -> Option<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for (_, factor) in self.maker.factors(self.product).filter(|&(own, _)| own == side) {
            let name = &self.maker.facts.inputs[factor.input?].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Some(names)
    }

    /// The factors that are read once, and their sides, where a tile has all of the rows, or all of the columns, of a product
    /// that has several tiles: what is read again should stay in the cache in their place.
    fn read_once(&self, shape: Shape) -> Vec<(String, usize)> {
        let [rows, columns] = self.extents();
        let fits = [columns <= shape.columns as f64, rows <= shape.rows as f64];
        if fits[0] == fits[1] {
            return Vec::new();
        }
        let sides = self.maker.factors(self.product).filter(|&(side, _)| fits[side]);
        let inputs = sides.filter_map(|(side, factor)| Some((&self.maker.facts.inputs[factor.input?], side)));
        let once = inputs.filter(|(input, _)| input.plain && input.reads == 1);
        once.map(|(input, side)| (input.name.clone(), side)).collect()
    }

    /// Whether a kernel reads nothing else by rows and columns: where rows of memory lie across the fragments of threads, each
    /// element would be an access of its own.
    fn reads_factors_alone(&self) -> bool {
        let factor = |at: usize| self.maker.factors(self.product).any(|(_, factor)| factor.input == Some(at));
        let inputs = self.maker.facts.inputs.iter().enumerate().filter(|(_, input)| input.reads > 0);
        inputs.into_iter().all(|(at, input)| factor(at) || input.axes.len() < 2)
    }
}

/// Whether an axis is the next one after another.
fn follows(axes: &[String], before: &String, last: &String) -> bool {
    axes.windows(2).any(|pair| pair[0] == *before && pair[1] == *last)
}

/// Whether more of a tile than 64 is beyond the end, so that a narrower one does.
fn wastes_tile(extent: i64, all: f64) -> bool {
    extent as f64 > (all / 64.0).ceil().max(1.0) * 64.0
}
