//! What blocks read from the L2 cache, and how fast it gives it.

use dlc_plan::clause::Barrier;
use dlc_plan::value::{Choice, Table};

use super::super::facts::{Product, Tensor, bits};
use super::{Estimator, runs};

/// How many times as long the L2 cache takes for rows that begin in the middle of a sector of 32 bytes: those of
/// 128-byte copies a row, and of fewer. These and the next numbers are those by which estimates rank 1,235 measured plans
/// of 76 products best (`dlc-run --tune-log`).
const OFF_SECTOR: [f64; 2] = [1.8, 2.6];

/// The same once more where blocks go from tile to tile, and no longer ask for a row at the same time.
const OFF_SECTOR_AGAIN: f64 = 1.4;

/// What blocks that begin together read, of what the L2 cache gives: they ask for the same rows at the same time,
/// which are then read once.
const SHARED_READS: f64 = 1.3;

/// How much longer the L2 cache takes for what one block alone reads at a time, as measured for windows of pixels whose
/// channels all are in one tile.
const UNSHARED_READS: f64 = 1.5;

/// The bytes of a line of the cache.
const LINE_BYTES: f64 = 128.0;

/// What an SM takes from the L2 cache in a clock of the estimate, where TMA copies.
const SM_BYTES_PER_CLOCK: f64 = 85.0;

/// How much longer TMA takes for an element beyond the end of a tensor, which is zero, than for one from the cache: 25 GB/s
/// of an SM against 85, as measured with filters of which a tile has 8, 16, 32 and all.
const FILLED: f64 = 3.0;

impl Estimator<'_> {
    /// What all tiles read together, parts that a cluster shares counted once.
    pub(super) fn cache_bytes(&self, tiles: f64) -> f64 {
        let Estimator { ctx, body, facts, plan, .. } = *self;
        let mut sum = 0.0;
        let whole: Vec<&String> = runs(facts, plan).into_iter().filter(|run| run.len() > 1).flatten().collect();
        for product in &facts.products {
            for factor in &product.factors {
                let Some(input) = factor.input.map(|at| &facts.inputs[at]) else { continue };
                let over = crate::analysis::axes::axes(ctx, body, factor.value);
                // The reduced axes whole, the others as far as the tile goes.
                let extent = |axis: &&str| match facts.iters().iter().any(|iter| iter == axis) {
                    true if whole.iter().any(|own| own == axis) => plan.tile_of(axis) as f64,
                    true => plan.tile_of(axis).min(facts.size(axis).max(1)) as f64,
                    false => facts.size(axis) as f64,
                };
                let shared = plan.multicast.iter().flatten().any(|name| *name == input.name);
                let blocks = plan.cluster.as_ref().and_then(Table::product).unwrap_or(1) as f64;
                let bytes = over.iter().map(extent).product::<f64>() * bits(ctx, input.elem) / 8.0;
                let bytes = bytes * facts.share(product, plan);
                let bytes = self.of_window(input, tiles).unwrap_or(bytes);
                // Narrow atoms of a swizzle are narrow rows of copies.
                let narrow = match plan.swizzle.as_ref().and_then(|table| table.get(&input.name)) {
                    Some(Choice::Number(..=32)) => 2.4,
                    Some(Choice::Number(..=64)) => 1.1,
                    _ => 1.0,
                };
                let unshared = self.unshared(input, &over);
                sum += bytes * narrow * unshared * self.off_sector(input) * tiles
                    / self.parts()
                    / if shared { blocks } else { 1.0 };
            }
        }
        sum
    }

    /// How much longer the cache takes for windows that few other blocks read at the same time, and for their rows where they
    /// are shorter than the lines of it.
    fn unshared(&self, input: &Tensor, over: &[&str]) -> f64 {
        let Estimator { ctx, facts, plan, .. } = *self;
        let others = facts.iters().iter().filter(|axis| !over.contains(&axis.as_str()));
        let readers = others.map(|axis| (facts.size(axis) as f64 / plan.tile_of(axis).max(1) as f64).ceil());
        if plan.barrier != Some(Barrier::Mbarrier) || input.plain || plan.windowed().is_some() {
            return 1.0;
        }
        let row = input.axes.last().map_or(1, |axis| facts.size(axis)) as f64 * bits(ctx, input.elem) / 8.0;
        let unshared = 1.0 + (UNSHARED_READS - 1.0) / readers.product::<f64>().max(1.0);
        unshared * (LINE_BYTES / row).clamp(1.0, LINE_BYTES / 32.0)
    }

    /// What the L2 cache gives to the share of the SMs that is busy.
    pub(super) fn cache_bytes_per_clock(&self, busy: f64) -> f64 {
        let Estimator { plan, target, .. } = *self;
        let all = target.l2_bytes_per_clock as f64;
        match plan.barrier == Some(Barrier::Mbarrier) && plan.instruction.is_some() {
            true => {
                let shared = if plan.persistent.is_none() { SHARED_READS } else { 1.0 };
                (all * shared).min(target.sms as f64 * busy * SM_BYTES_PER_CLOCK)
            }
            false => all * busy,
        }
    }

    /// What a tile reads of a factor where windows of pixels stay in shared memory: the pixels of each step, of
    /// filters nothing more where a block has all of them from its first tile on. `None` of other plans.
    fn of_window(&self, input: &Tensor, tiles: f64) -> Option<f64> {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let (name, cache) = (plan.windowed()?, plan.cache_of(&input.name)?);
        let product = facts.products.last()?;
        let steps = self.steps(&product.depth);
        let loaded = plan.tile_elems(cache)? as f64 * steps;
        let is_result = |axis: &&String| facts.iters().contains(axis);
        let is_whole = |axis: &String| plan.tile_of(axis) >= facts.size(axis);
        let is_once = input.name != name
            && steps <= 1.0
            && plan.persistent.is_some()
            && input.axes.iter().filter(is_result).all(is_whole);
        // Each of its own tiles has a part of the tensor, pixels with those between two tiles once more.
        let own = |axis: &String| (facts.size(axis) as f64 / plan.tile_of(axis).max(1) as f64).ceil();
        let parts = input.axes.iter().filter(is_result).map(own).product::<f64>();
        let again = if input.name == name { self.rows_again(product) } else { 1.0 };
        // The zeros of channels beyond the last one are loaded with the others of their row.
        let channels = product.depth.iter().map(|axis| self.padded(axis)).product::<f64>();
        let there = (input.elems * again * channels / parts.max(1.0)).min(loaded);
        let taken = there + (loaded - there) * FILLED;
        let bytes = taken * bits(ctx, input.elem) / 8.0;
        Some(bytes * if is_once { (target.sms as f64 / tiles).min(1.0) } else { 1.0 })
    }

    /// How often a row of pixels is loaded where tiles of rows reach into each other.
    fn rows_again(&self, product: &Product) -> f64 {
        let Estimator { facts, plan, .. } = *self;
        let high = plan.reduced.iter().flatten().next().map_or(1, |axis| facts.size(axis)) as f64;
        let pixels = [&product.rows, &product.columns].into_iter().find(|side| side.len() > 1);
        let rows = pixels.and_then(|side| side.iter().rev().nth(1)).map_or(1, |axis| plan.tile_of(axis)) as f64;
        (rows + high - 1.0) / rows.max(1.0)
    }

    /// How long the first tile of a block waits for filters that stay for all of them.
    pub(super) fn first_filters(&self) -> f64 {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        let Some(name) = plan.windowed() else { return 0.0 };
        let filters = facts.inputs.iter().filter(|input| input.name != name);
        let caches =
            filters.filter_map(|input| Some((input, plan.cache_of(&input.name).filter(|own| own.buffers == Some(1))?)));
        let bytes =
            |(input, cache): (&Tensor, _)| plan.tile_elems(cache).unwrap_or(0) as f64 * bits(ctx, input.elem) / 8.0;
        caches.map(bytes).sum::<f64>() / (SM_BYTES_PER_CLOCK * target.clock_mhz as f64)
    }

    /// How much longer the cache takes for rows that TMA copies where they begin in the middle of a sector of 32 bytes.
    fn off_sector(&self, input: &Tensor) -> f64 {
        let Estimator { ctx, facts, plan, .. } = *self;
        let row = input.axes.last().map_or(1, |axis| facts.size(axis)) as f64 * bits(ctx, input.elem) / 8.0;
        let is_copied = plan.barrier == Some(Barrier::Mbarrier) && input.in_rows && input.axes.len() > 1;
        if !is_copied || row % 32.0 == 0.0 {
            return 1.0;
        }
        let swizzle = plan.swizzle.as_ref().and_then(|table| table.get(&input.name));
        let again = if plan.persistent.is_some() { OFF_SECTOR_AGAIN } else { 1.0 };
        OFF_SECTOR[usize::from(matches!(swizzle, Some(Choice::Number(..=64))))] * again
    }
}
