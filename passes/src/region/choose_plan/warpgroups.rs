//! Plans of products that groups of four warps multiply with `wgmma`, from tiles that the tensor memory accelerator brings.

use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Instruction, Kind, Order, Policy, Roles, Sharing, Split, Store, Through, Walk, Way};
use dlc_plan::footprint::OVERHEAD;
use dlc_plan::value::{Choice, Table};

use super::candidates::{Maker, STAGES};
use super::facts::{Product, WholeRows, bits};
use crate::analysis::conditions::{STAGGER, is_im2col};

/// Rows, columns, consumers, and whether each has a tile of its own. The numbers are those that win somewhere in
/// measurements on an H200.
const WGMMA: [(i64, i64, i64, bool); 16] = [
    (128, 128, 2, true),
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

/// Rows and columns of one consumer alone that puts zeros into its factors.
const ZEROS: [(i64, i64); 5] = [(128, 128), (64, 256), (128, 64), (64, 128), (64, 64)];

/// The registers of a thread that holds them.
const MOST_HELD: i64 = 232;

/// By how many steps of 128 bytes tiles begin behind each other.
const APART: i64 = 10;

/// The part of the second-level cache that what is asked for ahead may fill: what is read once, and half of what several
/// blocks read with it, which is often there. With more on its way memory is slower, as measured on an H200.
const AHEAD: (i64, i64) = (1, 5);

/// The same of what is read once alone, where blocks read it at different places at once and share nothing.
const AHEAD_APART: (i64, i64) = (2, 7);

/// The most sums of a thread beside which it has registers for the places of results along rows of pixels.
const HELD_BY_ROWS: i64 = 128;

impl Maker<'_> {
    /// What the accelerator brings, multiplied by warpgroups.
    pub(super) fn wgmma(&self, product: &Product, assume: &Table<i64>) -> Vec<Schedule> {
        let elem = self.elem(product);
        let bits = bits(self.ctx, elem) as i64;
        // Of 8-bit floats wgmma keeps fewer bits of a sum than f32 has, so each step has a sum of its own (decision 37).
        let promote = bits < 16;
        let step = 1024 / bits;
        let contiguous = |side: usize| product.factors[side].axes.last();
        let along_depth = [0, 1].map(|side| contiguous(side).is_some_and(|axis| product.depth.contains(axis)));
        // Bytes are multiplied along contiguous rows alone; a tile across has whole atoms of a swizzle, which is as wide as
        // it may be.
        let span = |side: usize, extent: i64| match along_depth[side] {
            true => Some(128),
            false => [128, 64].into_iter().find(|span| bits == 16 && extent * bits % (8 * span) == 0),
        };
        let im2col = [0, 1].map(|side| self.pixels_of(product, side));
        // A run of pixels goes from row to row, and to the next image: along the rows of results it is no box.
        let by_rows = im2col[1].is_some();
        let masked = self.factors(product).any(|(_, factor)| factor.masked);
        let planned = |(rows, columns, consumers): (i64, i64, i64),
                       ping_pong: bool,
                       swap: bool,
                       parts: i64,
                       long: bool,
                       pair: bool| {
            let wide = if swap { rows } else { columns };
            let kind = if ping_pong { Sharing::PingPong } else { Sharing::Cooperative };
            let registers = match consumers {
                3.. => [("producer", 32), ("consumer", 160)],
                _ if wide > 160 => [("producer", 24), ("consumer", 240)],
                _ => [("producer", 40), ("consumer", 232)],
            };
            let caches = self.caches(product);
            let mut swizzle: Vec<(&str, Choice)> = Vec::new();
            for (side, factor) in self.factors(product) {
                let Some(input) = factor.input else { continue };
                let span = Choice::Number(span(side, [rows, columns][side])?);
                let name = self.facts.inputs[input].name.as_str();
                match swizzle.iter().find(|(known, _)| *known == name) {
                    Some((_, other)) if *other != span => return None,
                    Some(_) => {}
                    None => swizzle.push((name, span)),
                }
            }
            let ways = im2col.iter().flatten();
            let mut algo: Vec<(String, Choice)> =
                ways.map(|name| (format!("load_{name}"), Choice::Word("im2col".into()))).collect();
            // One tile a block needs no loop, and nothing that goes on while it is stored.
            let tile = self.in_runs(product, rows, columns, step);
            if !self.are_boxes(product, &tile) {
                return None;
            }
            let again = ping_pong || parts > 1 || self.tiles(&tile) > self.target.sms as f64;
            let once = self.read_once(product, rows, columns);
            let streams = !once.is_empty();
            // What is read once, by one wave of blocks, may come in long pieces of its rows, where they lie along the sum.
            let far = streams && !again && algo.is_empty() && once.iter().all(|&(_, side)| along_depth[side]);
            // A step of sums that are promoted stays as short as their bits are few.
            let far = far && !promote && self.extent(&product.depth) >= (16 * step) as f64;
            if long && !far {
                return None;
            }
            let steps = if long { 2 } else { 1 };
            let step = steps * step;
            let tile = if long { self.in_runs(product, rows, columns, step) } else { tile };
            let shared = match once.as_slice() {
                [(_, side)] if pair && far => self.shared(product, [rows, columns], *side),
                _ => None,
            };
            if pair && shared.is_none() {
                return None;
            }
            let (cluster, multicast) = shared.unzip();
            // Rows that are far apart are read at different places at once, where little else is read again for that.
            let readers = if pair { 2 } else { 1 };
            let little = |&(_, side): &(String, usize)| [columns, rows][side] < readers * [rows, columns][side];
            let apart = product.depth.first().filter(|_| product.depth.len() == 1 && far && once.iter().all(little));
            algo.extend(apart.map(|axis| (format!("{STAGGER}{axis}"), Choice::Number(APART / steps))));
            // What is read once comes from far away: as much of it as there is room for is asked for ahead, by each block.
            let (with, part) = if apart.is_none() || pair { (1, AHEAD) } else { (0, AHEAD_APART) };
            let beside = |side: usize| with * [columns, rows][side] / (2 * readers);
            let ahead = once.iter().map(|&(_, side)| [rows, columns][side] + beside(side)).sum::<i64>();
            let room = self.target.l2_bytes * part.0 / part.1 / (self.tiles(&tile) as i64).clamp(1, self.target.sms);
            let ahead = room / (ahead * step * bits / 8).max(1);
            let policy = once.into_iter().map(|(name, _)| (name, Policy::EvictFirst)).collect::<Vec<_>>();
            let policy = Some(Table(policy)).filter(|table| !table.0.is_empty() && self.target.has("cache_hint"));
            let mut assume = Some(assume.clone());
            let panels = if wide % 64 == 0 || !again { 2 } else { 1 };
            // Nothing else is done while the only tile of a block is stored.
            let store = match by_rows {
                true => Some(Store { way: Way::Rows, panels: Some(2), together: None }),
                false => self.store(panels, &mut assume).map(|store| match again {
                    true => store,
                    false => Store { together: store.panels, ..store },
                }),
            };
            let mut plan = Schedule {
                instruction: Some(Instruction {
                    kind: Kind::Wgmma,
                    shape: Some(vec![64, wide, 256 / bits]),
                    promote,
                    precision: None,
                }),
                persistent: again.then(|| Choice::Word("sms".into())),
                order: again.then(|| Order { kind: Walk::Grouped, size: Some(8), along: product.rows.last().cloned() }),
                roles: Some(Roles { kind, consumers, in_turn: false }),
                split_k: (parts > 1).then_some(Split { parts, along: None, through: Some(Through::Workspace) }),
                registers: Some(Table::of(registers)),
                swizzle: Some(Table::of(swizzle)),
                assume,
                barrier: Some(Barrier::Mbarrier),
                overlap: self.asynchronous(true),
                in_flight: (!promote).then_some(1),
                store,
                algo: Some(Table(algo)).filter(|table| !table.0.is_empty()),
                swap_operands: swap,
                cluster,
                multicast,
                caches,
                policy,
                ..tile
            };
            // Nor do its threads exchange registers, if those that compute have enough from the beginning.
            let footprint = plan.footprint(self.ctx);
            let entry = footprint.threads.map(|threads| self.target.entry_registers(threads));
            let held = footprint.held.map(|held| held * self.sums());
            let enough = held.zip(entry).filter(|(held, entry)| held + 2 * OVERHEAD <= *entry && !again);
            plan.registers = enough.map(|(_, entry)| Table::of([("thread", entry)])).or(plan.registers);
            let most = match (streams, again) {
                (false, _) => STAGES,
                (true, true) => 2 * STAGES,
                (true, false) => ahead.clamp(2, 2 * STAGES),
            };
            self.staged(plan, most)
        };
        // Three of them are enough to be filled in turn; a pair waits for two blocks, and is better off with more of short ones.
        let staged = |shape: (i64, i64, i64), ping_pong: bool, swap: bool, parts: i64, pair: bool| {
            let planned = |long: bool| planned(shape, ping_pong, swap, parts, long, pair);
            let long = planned(!pair).filter(|plan| plan.stages >= Some(3));
            long.or_else(|| planned(false))
        };
        let plan = |shape: (i64, i64, i64), ping_pong: bool, swap: bool, parts: i64| {
            staged(shape, ping_pong, swap, parts, false)
        };
        let mut plans: Vec<Schedule> = Vec::new();
        let (all_rows, all_columns) = (self.extent(&product.rows), self.extent(&product.columns));
        if let Some(WholeRows { columns, values }) = self.facts.whole_rows {
            // A tile that lies across has whole atoms of a swizzle.
            let unit = if along_depth[1] { 8 } else { 32 };
            let columns = columns.saturating_add(unit - 1) / unit * unit;
            // A group of four warps has 64 rows, so that a thread has half a row of each value.
            let fits = values.saturating_mul(columns) / 2 + OVERHEAD <= MOST_HELD;
            let alone = |&(_, consumers, ping_pong): &(i64, i64, bool)| !masked || (consumers == 1 && !ping_pong);
            let plans = WHOLE_ROWS.into_iter().filter(|_| fits && !by_rows).filter(alone);
            let plans = plans.flat_map(|(rows, consumers, ping_pong)| {
                let alone = plan((rows, columns, consumers), ping_pong && !promote, false, 1);
                // Each of two blocks loads whole groups of eight columns for both.
                let pair = alone.as_ref().filter(|_| columns % 16 == 0).and_then(|plan| self.paired(product, plan));
                pair.into_iter().chain(alone)
            });
            return plans.map(|plan| self.finish(plan)).collect();
        }
        if masked {
            // Tiles have different numbers of steps, and the next one goes to the block that is done first: those of the first
            // rows, which have most, come first.
            let plans = ZEROS.into_iter().filter_map(|(rows, columns)| plan((rows, columns, 1), false, false, 1));
            let plans = plans.map(|plan| Schedule { persistent: None, order: None, ..plan });
            return plans.map(|plan| self.finish(self.two_resident(plan))).collect();
        }
        // Few rows: the columns fill the rows of the instruction.
        if all_rows <= 128.0 && all_columns > all_rows && along_depth[0] {
            plans.extend([16, 32, 64, 128].into_iter().filter_map(|rows| plan((rows, 128, 2), false, true, 1)));
        }
        // More than there are would be multiplied in vain, and there is a narrower tile.
        let in_vain = |extent: i64, all: f64| extent as f64 > (all / 64.0).ceil().max(1.0) * 64.0;
        // What is added to sums is there beside them.
        let factor = |at: usize| self.factors(product).any(|(_, factor)| factor.input == Some(at));
        let alone = (0..self.facts.inputs.len()).all(|at| factor(at) || self.facts.inputs[at].reads == 0);
        let most_held = if alone { HELD_BY_ROWS } else { HELD_BY_ROWS / 4 * 3 };
        for (rows, columns, consumers, ping_pong) in WGMMA {
            // While one group adds the product of a step to its sums, another multiplies: they do not take turns.
            let ping_pong = ping_pong && !promote;
            // Pixels fill the rows of the instruction, so that each thread has few of them, and their places are few.
            if by_rows {
                let held = rows * columns / (128 * if ping_pong { 1 } else { consumers });
                let fits = !in_vain(columns, all_rows) && !in_vain(rows, all_columns) && held <= most_held;
                plans.extend(plan((columns, rows, consumers), ping_pong, true, 1).filter(|_| fits));
                continue;
            }
            if in_vain(rows, all_rows) || in_vain(columns, all_columns) {
                continue;
            }
            let alone = plan((rows, columns, consumers), ping_pong, false, 1);
            let pair = alone.as_ref().filter(|_| rows * columns >= 1 << 14).and_then(|plan| self.paired(product, plan));
            plans.extend(pair);
            // So do those of one wave that read far rows once, if what they share is larger than these.
            plans.extend(if ping_pong { None } else { staged((rows, columns, consumers), false, false, 1, true) });
            plans.extend(alone);
            // What is across has only whole atoms of a swizzle, which the 64 rows of an instruction are.
            let across = !along_depth[1] && along_depth[0] && columns % 64 != 0 && self.reads_factors_alone(product);
            if !ping_pong && across && !in_vain(columns, all_rows) {
                plans.extend(plan((columns, rows, consumers), false, true, 1));
            }
        }
        // Results along rows of pixels are brought together slowly: there must be few of the smallest tiles.
        let smallest = (all_rows / 64.0).ceil() * (all_columns / 64.0).ceil();
        let splits = !by_rows || 2.0 * smallest <= self.target.sms as f64;
        // Few tiles and a long sum: parts of it, added through memory in one order.
        let depth = self.extent(&product.depth);
        for (rows, columns) in [(128, 128), (64, 128)].into_iter().filter(|_| splits) {
            let extents = if by_rows { (columns, rows) } else { (rows, columns) };
            let tiles = (all_rows / extents.0 as f64).ceil() * (all_columns / extents.1 as f64).ceil();
            let parts = ((self.target.sms as f64 / tiles.max(1.0)).floor()).min((depth / 512.0).floor()) as i64;
            if parts >= 2 {
                plans.extend(plan((extents.0, extents.1, rows / 64), false, by_rows, parts));
            }
        }
        plans.into_iter().map(|plan| self.finish(plan)).collect()
    }

    /// The same with two blocks on each multiprocessor, of which one multiplies while the other begins, puts zeros into its
    /// factors, or stores; as it is where there is no room for two.
    fn two_resident(&self, plan: Schedule) -> Schedule {
        let registers = Some(Table::of([("producer", 24), ("consumer", 232)]));
        let room = self.target.smem_per_sm / 2 - self.target.smem_reserved;
        let fits = |stages: i64| {
            let (stages, blocks_per_sm, registers) = (Some(stages), Some(2), registers.clone());
            let plan = Schedule { stages, blocks_per_sm, registers, ..plan.clone() };
            plan.footprint(self.ctx).smem.is_some_and(|bytes| bytes <= room).then_some(plan)
        };
        [4, 3].into_iter().find_map(fits).unwrap_or(plan)
    }

    /// The factor of a side of which the accelerator takes windows of pixels, which lie one behind another, each with its
    /// channels.
    fn pixels_of(&self, product: &Product, side: usize) -> Option<String> {
        let (factor, axes) = (&product.factors[side], [&product.rows, &product.columns][side]);
        let input = &self.facts.inputs[factor.input?];
        let pixels = axes.len() >= if input.plain || factor.masked { 3 } else { 2 };
        let channels = factor.axes.last().is_some_and(|axis| product.depth.contains(axis));
        (pixels && channels).then(|| input.name.clone())
    }

    /// A tile, of which an axis that it does not divide goes on in the one before where both lie one behind another: of a run
    /// over both nothing is beyond the end but in the last tile.
    fn in_runs(&self, product: &Product, rows: i64, columns: i64, step: i64) -> Schedule {
        let mut plan = self.tiled(product, rows, columns, step);
        for (side, axes) in [&product.rows, &product.columns].into_iter().enumerate() {
            let (factor, [.., before, last]) = (&product.factors[side], axes.as_slice()) else { continue };
            let place = |axis: &String| factor.axes.iter().position(|own| own == axis);
            let plain = factor.input.is_some_and(|input| self.facts.inputs[input].plain);
            let follows = place(before).is_some_and(|at| Some(at + 1) == place(last))
                && follows(self.facts.iters(), before, last);
            let extent = plan.tile_of(last);
            let cut = plan.tile_of(before) == 1 && self.facts.size(last) % extent != 0 && extent % 2 == 0;
            if plain && follows && cut && self.pixels_of(product, side).is_none() {
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

    /// Whether the axes of each side of which a tile has several positions lie behind each other in memory, so that a run over
    /// them is one of a box. Pixels need not.
    fn are_boxes(&self, product: &Product, tile: &Schedule) -> bool {
        [0, 1].into_iter().all(|side| {
            let (factor, axes) = (&product.factors[side], [&product.rows, &product.columns][side]);
            let places = axes.iter().filter(|axis| tile.tile_of(axis) > 1);
            let places: Vec<usize> = places.filter_map(|axis| factor.axes.iter().position(|own| own == axis)).collect();
            self.pixels_of(product, side).is_some() || places.windows(2).all(|pair| pair[0] + 1 == pair[1])
        })
    }

    /// The same with blocks in pairs that share the larger operand, where more than one wave of them is needed.
    fn paired(&self, product: &Product, plan: &Schedule) -> Option<Schedule> {
        let (rows, columns) = plan.sides();
        let extent = |side: &[(String, i64)]| side.iter().map(|(_, extent)| *extent).product::<i64>();
        let (axis, side) = match extent(&columns) * self.sums() >= extent(&rows) {
            true => (product.rows.last()?, 1),
            false => (product.columns.last()?, 0),
        };
        // Pixels that are taken for each place of a window are most of what is loaded, and are not shared.
        if plan.caches.iter().any(|cache| is_im2col(plan, &cache.tensor)) {
            return None;
        }
        let tiles = |axis: &String| (self.facts.size(axis) as f64 / plan.tile_of(axis) as f64).ceil();
        let all = self.tiles(plan);
        let shared = self.inputs_of(product, side)?;
        (self.target.has("cluster") && all > self.target.sms as f64 && tiles(axis) >= 2.0).then(|| Schedule {
            cluster: Some(Table::of([(axis.as_str(), 2)])),
            multicast: Some(shared),
            ..plan.clone()
        })
    }

    /// A cluster of two tiles that are neighbours on a side, and the factor of the other side, which they share: where
    /// they read more of it than of their own.
    fn shared(&self, product: &Product, extents: [i64; 2], side: usize) -> Option<(Table<i64>, Vec<String>)> {
        let axis = [&product.rows, &product.columns][side].last()?;
        let shared = self.inputs_of(product, 1 - side)?;
        let wanted = self.target.has("cluster") && extents[1 - side] >= extents[side];
        wanted.then(|| (Table::of([(axis.as_str(), 2)]), shared))
    }

    /// The names of the inputs that are factors of a side; `None` where one of them is computed.
    fn inputs_of(&self, product: &Product, side: usize) -> Option<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for (_, factor) in self.factors(product).filter(|&(own, _)| own == side) {
            let name = &self.facts.inputs[factor.input?].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Some(names)
    }

    /// The factors that are read once, and their sides, where a tile has all of the rows, or all of the columns, of a product
    /// that has several tiles: what is read again should stay in the cache in their place.
    fn read_once(&self, product: &Product, rows: i64, columns: i64) -> Vec<(String, usize)> {
        let fits = [self.extent(&product.columns) <= columns as f64, self.extent(&product.rows) <= rows as f64];
        if fits[0] == fits[1] {
            return Vec::new();
        }
        let sides = self.factors(product).filter(|&(side, _)| fits[side]);
        let inputs = sides.filter_map(|(side, factor)| Some((&self.facts.inputs[factor.input?], side)));
        let once = inputs.filter(|(input, _)| input.plain && input.reads == 1);
        once.map(|(input, side)| (input.name.clone(), side)).collect()
    }

    /// Whether a kernel reads nothing else by rows and columns: where rows of memory lie across the fragments of threads, each
    /// element would be an access of its own.
    fn reads_factors_alone(&self, product: &Product) -> bool {
        let factor = |at: usize| self.factors(product).any(|(_, factor)| factor.input == Some(at));
        let inputs = self.facts.inputs.iter().enumerate().filter(|(_, input)| input.reads > 0);
        inputs.into_iter().all(|(at, input)| factor(at) || input.axes.len() < 2)
    }

    /// The tiles of the results.
    pub(super) fn tiles(&self, plan: &Schedule) -> f64 {
        let tiles = |axis: &String| (self.facts.size(axis) as f64 / plan.tile_of(axis).max(1) as f64).ceil();
        self.facts.iters().iter().map(tiles).product()
    }
}

/// Whether an axis is the next one behind another.
fn follows(axes: &[String], before: &String, last: &String) -> bool {
    axes.windows(2).any(|pair| pair[0] == *before && pair[1] == *last)
}
