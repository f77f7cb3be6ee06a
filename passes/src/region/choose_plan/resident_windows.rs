//! Plans of convolutions whose windows of pixels stay in shared memory for all places (`algo (load_X: window)`).

use dlc_core::precision::Precision;
use dlc_ir::affine::SizeExpr;
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Instruction, Kind, Roles, Sharing, Store, StoreMethod};
use dlc_plan::value::{Choice, Table};

use super::candidates::STAGES;
use super::facts::bits;
use super::warpgroups::{Shape, Warpgroups};

/// The most rows of pixels of a tile.
const MOST_ROWS: i64 = 8;
/// The most pixels of a row, and of a tile that fills the columns of the instruction.
const MOST_PIXELS: i64 = 256;
/// The most places of a window.
const MOST_PLACES: i64 = 25;
/// The most filters of a tile.
const MOST_FILTERS: i64 = 128;
/// The bytes of the longest row of a swizzle.
const WIDEST_SPAN: i64 = 128;
/// The fewest bits of a row of a swizzle: of a pixel, and of a panel of results.
const LEAST_SPAN: i64 = 256;
/// The most sums of a thread.
const MOST_SUMS: i64 = 160;

/// Pixels that are read by windows with steps of one.
#[derive(Clone)]
struct Pixels {
    /// The tensor.
    name: String,
    /// The axes of the results along which rows and pixels of a row are.
    axes: [String; 2],
    /// The axes of the window.
    places: [String; 2],
    /// How many pixels a row has, with those that windows reach beyond the last result.
    pitch: i64,
    /// The axis of the channels, and how many of them a step has.
    channel: (String, i64),
    /// The symbols that say how long a row is, with their sizes: the plan is for these alone.
    fix: Table<i64>,
}

impl Pixels {
    /// The same with half of the channels in a step; `None` where that is less than a swizzle.
    fn halved(&self, bits: i64) -> Option<Pixels> {
        let (axis, channels) = &self.channel;
        let half = channels / 2;
        (half * bits >= LEAST_SPAN).then(|| Pixels { channel: (axis.clone(), half), ..self.clone() })
    }
}

impl Warpgroups<'_> {
    /// The plans of tiles of whole rows of pixels, which fill the rows of the instruction or its columns.
    pub(super) fn of_windows(&self) -> Vec<Schedule> {
        let sides = [0, 1].into_iter().filter_map(|side| Some((side, self.windows_of(side)?)));
        let Some((side, pixels)) = sides.into_iter().next().filter(|_| !self.promote) else { return Vec::new() };
        let others = [&self.product.columns, &self.product.rows][side];
        let [other] = others.as_slice() else { return Vec::new() };
        let all = self.maker.facts.size(other);
        let mut plans = Vec::new();
        // Filters fill whole rows of instructions. Of columns there are as many as filters, or as a part of them: zeros that are
        // loaded next to them take longer than filters do.
        let parts = (all + MOST_FILTERS - 1) / MOST_FILTERS;
        let columns = ((all + parts - 1) / parts + 7) / 8 * 8;
        let mut by_rows: Vec<(bool, i64)> = [columns, 64]
            .into_iter()
            .filter(|columns| *columns <= all.max(8) + 7)
            .map(|filters| (true, filters))
            .collect();
        by_rows.dedup();
        let by_columns = [64, 128].into_iter().filter(|filters| *filters <= (all + 63) / 64 * 64);
        let sides: Vec<(bool, i64)> = by_rows.into_iter().chain(by_columns.map(|filters| (false, filters))).collect();
        for rows in 1..=MOST_ROWS.min(self.maker.facts.size(&pixels.axes[0])) {
            for (by_rows, filters) in &sides {
                for (consumers, ping_pong) in [(1, false), (2, true), (2, false)] {
                    let shape = Shape { ping_pong, ..Shape::of(0, 0, consumers) };
                    let plan = |pixels: &Pixels| self.of_rows(side, pixels, [rows, *filters], *by_rows, shape);
                    // Where long rows leave no room for a next step, a step has half of the channels.
                    plans.extend(plan(&pixels).or_else(|| plan(&pixels.halved(self.bits)?)));
                }
            }
        }
        plans
    }

    /// The pixels of a side, if windows of them can stay in shared memory.
    fn windows_of(&self, side: usize) -> Option<Pixels> {
        let facts = self.maker.facts;
        let input = self.product.factors[side].input?;
        let tensor = &facts.inputs[input];
        let read = facts.reads.iter().find(|read| read.input == input)?;
        let [.., row, column, channel] = read.at.as_slice() else { return None };
        let along = |at: &SizeExpr| {
            let (terms, _) = at.as_linear()?;
            let is_result = |name: &str| facts.iters().iter().any(|axis| axis == name);
            let (results, places): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(name, _)| is_result(name));
            let ([(axis, 1)], [(place, step)]) = (results.as_slice(), places.as_slice()) else { return None };
            (*step > 0).then(|| (axis.to_string(), place.to_string(), *step))
        };
        let ((row, high, _), (column, wide, step)) = (along(row)?, along(column)?);
        let number = |axis: &str| facts.axes.size(axis).and_then(SizeExpr::as_constant);
        let (width, count) = (facts.size(&column), number(&wide)?);
        let symbols = facts.axes.size(&column)?.symbols();
        let known = |name: &str| Some((name.to_string(), *facts.symbols.get(name)?));
        let fix = Table(symbols.iter().map(|name| known(name)).collect::<Option<_>>()?);
        let places = number(&high)?.checked_mul(count)?;
        let pitch = (count - 1).checked_mul(step)?.checked_add(width)?;
        let channel = channel.as_symbol()?.to_string();
        // A pixel is as long as one swizzle, or as all of its channels.
        let bytes = number(&channel)?.saturating_mul(self.bits) / 8;
        let bytes = [32, 64, 128].into_iter().find(|own| *own >= bytes).unwrap_or(128);
        let fits = tensor.reads == 1 && (2..=MOST_PLACES).contains(&places) && pitch <= MOST_PIXELS;
        let channel = (channel, bytes * 8 / self.bits);
        let axes = [row, column];
        fits.then(|| Pixels { name: tensor.name.clone(), axes, places: [high, wide], pitch, channel, fix })
    }

    /// The plan of so many rows of pixels and so many filters.
    fn of_rows(
        &self,
        side: usize,
        pixels: &Pixels,
        [rows, filters]: [i64; 2],
        by_rows: bool,
        shape: Shape,
    ) -> Option<Schedule> {
        let (maker, product) = (self.maker, self.product);
        let groups = if shape.ping_pong { 1 } else { shape.consumers };
        let unit = if by_rows { 64 * groups } else { 8 };
        let tile = (rows * pixels.pitch + unit - 1) / unit * unit;
        let wide = if by_rows { filters } else { tile };
        // Filters that lie across the sum have a panel of the swizzle for each place.
        let is_long = !self.along_depth[1 - side] && filters * self.bits > 8 * WIDEST_SPAN;
        // What is beyond the rows of a tile is computed to no effect.
        let is_wasted = 4 * (tile - rows * pixels.pitch) > tile;
        if wide > MOST_PIXELS
            || tile * filters / 128 / groups > MOST_SUMS
            || is_wasted
            || is_long
            || (!by_rows && filters % (64 * groups) != 0)
        {
            return None;
        }
        // Adjacent elements of results are columns where nothing is swapped.
        let last = maker.facts.iters().last()?;
        let pixels_last = pixels.axes[1] == *last;
        let of_tile = |axis: &String| match axis {
            axis if *axis == pixels.axes[0] => rows,
            axis if *axis == pixels.axes[1] => pixels.pitch,
            axis if [&product.columns, &product.rows][side].contains(axis) => filters,
            _ => 1,
        };
        let mut extents: Vec<(String, i64)> =
            maker.facts.iters().iter().map(|axis| (axis.clone(), of_tile(axis))).collect();
        extents.extend(pixels.places.iter().map(|axis| (axis.clone(), maker.facts.size(axis))));
        extents.push(pixels.channel.clone());
        let reduced = pixels.places.iter().chain([&pixels.channel.0]).cloned().collect();
        let span = Choice::Number(pixels.channel.1 * self.bits / 8);
        let other = product.factors[1 - side].input.map(|input| maker.facts.inputs[input].name.clone())?;
        let span_of_filters = if self.along_depth[1 - side] { span.clone() } else { Choice::Number(WIDEST_SPAN) };
        let swap = pixels_last == by_rows;
        let mut assume = Some(self.assume.clone());
        let store = self.store_of_rows([pixels_last, by_rows], [filters, wide, tile], &mut assume)?;
        let stay = self.stay(side, pixels, filters);
        let mut caches = maker.caches(product);
        caches.iter_mut().filter(|cache| stay && cache.tensor == other).for_each(|cache| cache.buffers = Some(1));
        let kind = if shape.ping_pong { Sharing::PingPong } else { Sharing::Cooperative };
        let assume = besides(assume, &pixels.fix)?;
        let plan = Schedule {
            tile: Some(Table(extents)),
            reduced: Some(reduced),
            fix: Some(pixels.fix.clone()).filter(|fix| !fix.0.is_empty()),
            instruction: Some(Instruction {
                kind: Kind::Wgmma,
                shape: Some(vec![64, wide, 256 / self.bits]),
                promote: false,
                precision: (self.bits == 32).then_some(Precision::Tf32),
            }),
            persistent: Some(Choice::Word("sms".into())),
            roles: Some(Roles { kind, consumers: shape.consumers, in_turn: false }),
            registers: Some(Table::of(Shape { columns: wide, ..shape }.registers())),
            swizzle: Some(Table(vec![(pixels.name.clone(), span), (other, span_of_filters)])),
            store: Some(store),
            assume: Some(assume),
            barrier: Some(Barrier::Mbarrier),
            overlap: maker.asynchronous(true),
            in_flight: Some(1),
            algo: Some(Table(vec![(format!("load_{}", pixels.name), Choice::Word("window".into()))])),
            swap_operands: swap,
            caches,
            ..maker.tiled(product, 64, 64, 64)
        };
        maker.staged(plan, STAGES)
    }

    /// How rows of pixels are stored: `wide` are the columns of the instruction, `tile` the pixels. `None` where no way is fast.
    fn store_of_rows(
        &self,
        [pixels_last, by_rows]: [bool; 2],
        [filters, wide, tile]: [i64; 3],
        assume: &mut Option<Table<i64>>,
    ) -> Option<Store> {
        let maker = self.maker;
        let by_threads = |way: StoreMethod, panels: Option<i64>| Store { way, panels, together: None };
        let is_wide = maker.facts.outputs.iter().any(|output| bits(maker.ctx, output.elem) > 16.0);
        // Rows that are brought together in shared memory have whole panels.
        let has_panels = |columns: i64| {
            maker.facts.outputs.iter().all(|output| columns * bits(maker.ctx, output.elem) as i64 % LEAST_SPAN == 0)
        };
        // Of others each thread would store single elements, each under a condition of its own.
        if pixels_last && !by_rows && !has_panels(wide) {
            return None;
        }
        Some(match (pixels_last, by_rows) {
            (false, true) if !has_panels(filters) => by_threads(StoreMethod::Fragments, None),
            // Fragments have adjacent elements of memory side by side.
            (true, true) if is_wide => by_threads(StoreMethod::Fragments, None),
            (true, _) => by_threads(StoreMethod::Rows, Some(2)),
            // Rows of pixels are one box where a sub-tile has all of them.
            (false, true) if tile > 64 => by_threads(StoreMethod::Rows, Some(2)),
            (false, _) => match maker.store(2, assume)? {
                store if store.way == StoreMethod::Tma => store,
                _ => by_threads(StoreMethod::Rows, Some(2)),
            },
        })
    }

    /// Whether all tiles have the same filters, which are loaded once: those of groups of channels are not.
    fn stay(&self, side: usize, pixels: &Pixels, filters: i64) -> bool {
        let (facts, product) = (self.maker.facts, self.product);
        let own = [&product.columns, &product.rows][side];
        let has_one_step = facts.size(&pixels.channel.0) <= pixels.channel.1;
        let is_of_tile =
            |axis: &String| product.depth.contains(axis) || facts.size(axis) <= filters && own.contains(axis);
        has_one_step && product.factors[1 - side].axes.iter().all(is_of_tile)
    }
}

/// What is assumed of other symbols than those that are fixed. `None` where it does not hold of these.
fn besides(assume: Option<Table<i64>>, fix: &Table<i64>) -> Option<Table<i64>> {
    let holds = |(name, divisor): &(String, i64)| fix.get(name).is_none_or(|size| size % divisor == 0);
    let assume = assume.map_or_else(Vec::new, |assume| assume.0);
    let is_open = |(name, _): &(String, i64)| fix.get(name).is_none();
    assume.iter().all(holds).then(|| Table(assume.into_iter().filter(is_open).collect()))
}
