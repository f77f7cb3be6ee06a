//! What each thread of a kernel with reductions does one after another.

use dlc_ir::OpId;
use dlc_ir::body::OpRef;
use dlc_plan::clause::Kind;
use dlc_plan::value::Table;
use dlc_region::ops::Reduce;

use super::super::facts::{Tensor, bits};
use super::{Estimator, SECTOR, THREAD_OPS, Waves, both, threads};
use crate::analysis::axes::{axes, combined, is_repeated, reductions};
use crate::plan::shape::{Shape, groups, groups_of_rows, reduces_columns, reduces_rows};

/// The clocks from an instruction of a thread to the next one, some of which do not depend on each other.
const CLOCKS_IN_LINE: f64 = 3.0;

/// The instructions of a thread for an access: where it is, whether it is inside, the number as another type.
const ACCESS_OPS: f64 = 4.0;

/// The clocks for each time that the threads that share a reduction are halved.
const EXCHANGE_CLOCKS: f64 = 30.0;

/// The turns for an element that threads of a row keep and load alone, where rows do not fill their tile, for each element that
/// a thread has: each is guarded where it is loaded and where it is combined, and there are seven predicates. As measured on
/// an H200: variances of 30,000 rows of 1,999 take 86 us by 8 elements a thread and 119 by 32, and 70 where rows are read
/// twice; of 20,000 rows of 3,001 91 us by 16 elements and 143 by 32, and 75.
const GUARDED_OPS: f64 = 0.5;

/// The neighbouring bytes from which on as many are moved as at any number, and what is lost of a time for each multiple that
/// fewer are of less: as measured, of 64 bytes 0.15, of 16 as much again.
const LINE: f64 = 128.0;
const LOST: f64 = 1.0 / 7.0;

/// The clocks of an SM for a step of a reduction that each thread computes for itself, as measured: 1 to 5, by how what is read
/// lies; and those of a thread, which waits for what it reads.
const CLOCKS_OF_STEP: f64 = 2.0;
const CLOCKS_OF_LOAD: f64 = 60.0;

/// The clocks between two blocks that begin on an SM.
const BLOCK_CLOCKS: f64 = 80.0;

impl Estimator<'_> {
    /// How long a kernel with reductions takes by what each thread does in line, however many threads there are: its
    /// instructions, each of which waits for the one before, and what threads exchange. Then how long by what all threads of
    /// an SM do together, and by the blocks that begin.
    pub(super) fn in_line(&self, waves: &Waves) -> [f64; 2] {
        let Estimator { ctx, facts, plan, target, .. } = *self;
        if plan.threads.is_none() || facts.sums.is_empty() || facts.is_local() {
            return [0.0; 2];
        }
        let threads = threads(ctx, plan) as f64;
        let width = plan.thread_tile.as_ref().and_then(Table::product).unwrap_or(1).max(1) as f64;
        let accesses = |input: &Tensor| {
            let own = input.tile_bytes(ctx, facts, plan) * 8.0 / bits(ctx, input.elem);
            let reduced = input.axes.iter().filter(|axis| self.is_reduced(axis));
            let passes = reduced.map(|axis| facts.passes(axis)).max().unwrap_or(1);
            let passes = if plan.cache_of(&input.name).is_some() { 1 } else { passes.max(1) };
            own * self.tile_reads(input, waves.tiles) * passes as f64 / width
        };
        let padded: f64 = plan.reduced.iter().flatten().map(|axis| self.padded(axis)).product();
        let own = (facts.simple + 4.0 * facts.special + facts.combined) * waves.padding * padded;
        let accesses = self.read().map(accesses).sum::<f64>() * ACCESS_OPS;
        let of_thread = (own + accesses) / (waves.tiles * threads) + THREAD_OPS as f64;
        let share = plan.reduced.iter().flatten().map(|axis| plan.threads.as_ref().map_or(1, |own| own.along(axis)));
        let share: i64 = share.product();
        let exchanges = if share > 1 { (share as f64).log2().ceil() * EXCHANGE_CLOCKS } else { 0.0 };
        let clocks = of_thread * CLOCKS_IN_LINE + facts.sums.len() as f64 * exchanges;
        let blocks = waves.tiles / target.sms as f64 * BLOCK_CLOCKS;
        // All threads together take turns, too.
        let simple = target.rate(ctx, Kind::Fma, dlc_ir::Type::F32).unwrap_or(1) as f64 / 2.0;
        // Rows that a few lanes share were measured to be as fast as before.
        let is_guarded = width < 2.0 && padded > 1.0 && share >= dlc_plan::footprint::WARP;
        let kept = self.read().filter(|input| is_guarded && plan.cache_of(&input.name).is_some());
        let reduced = plan.reduced.iter().flatten().map(|axis| facts.size(axis) as f64).product::<f64>();
        let of_each = padded * reduced / share as f64;
        let guarded = kept.map(|input| input.elems * waves.padding * padded * of_each * GUARDED_OPS).sum::<f64>();
        let turns = of_thread * waves.tiles * threads + guarded;
        let all = turns / (simple * target.sms as f64 * waves.occupancy);
        [waves.count * clocks, both(all, blocks)].map(|clocks| clocks / target.clock_mhz as f64)
    }

    /// How long a kernel with reductions takes that has no plan: a thread computes all reductions for each of its results, or a
    /// warp where these are rows or columns, and waits for what each step reads.
    pub(super) fn without_plan(&self) -> f64 {
        let Estimator { ctx, body, facts, plan, target } = *self;
        if plan.tile.is_some() {
            return 0.0;
        }
        let all = reductions(ctx, body);
        let is_again = all.iter().any(|&op| is_repeated(ctx, body, op));
        let shape = Shape::of(ctx, body, &facts.axes);
        // Products of matrices have tiles without a plan, too.
        let has_tiles =
            || groups(ctx, body, &shape).or_else(|| groups_of_rows(ctx, body, &shape, &facts.axes)).is_some();
        if all.is_empty() || !is_again && has_tiles() {
            return 0.0;
        }
        let steps = |&op: &OpId| {
            let reduce = Reduce::of(OpRef::new(ctx, body, op))?;
            let over = axes(ctx, body, *combined(reduce).first()?);
            Some(facts.points(over.into_iter().filter(|axis| !facts.iters().iter().any(|own| own == axis))))
        };
        let steps = all.iter().filter_map(steps).sum::<f64>();
        let results = facts.points(facts.iters().iter().map(String::as_str));
        let is_shared = reduces_rows(ctx, body, &shape).is_some() || reduces_columns(ctx, body, &shape).is_some();
        let share = if is_shared { dlc_plan::footprint::WARP as f64 } else { 1.0 };
        // What other results read as well is in a cache; else a thread that goes along a row loads a sector at once.
        let latency = target.memory_latency_ns as f64 * target.clock_mhz as f64 / 1e3;
        let of_row = |input: &Tensor| {
            let is_row = input.axes.last().is_some_and(|last| facts.reduced.contains(last));
            if is_row { latency * (bits(ctx, input.elem) / 8.0 / SECTOR).min(1.0) } else { latency }
        };
        let waits = self.read().filter(|input| input.axes.iter().any(|axis| self.facts.reduced.contains(axis)));
        let waits = if is_again { CLOCKS_OF_LOAD } else { waits.map(of_row).fold(CLOCKS_OF_LOAD, f64::max) };
        let threads = (target.sms * target.threads_per_sm) as f64;
        let together = results * steps * CLOCKS_OF_STEP / target.sms as f64;
        both(together, (results * share / threads).ceil() * steps / share * waits) / target.clock_mhz as f64
    }

    /// By how much longer it takes to read or write a tensor of which a tile of columns that are reduced has less than whole
    /// lines.
    pub(super) fn narrow(&self, tensor: &Tensor) -> f64 {
        let Some(last) = tensor.axes.last().filter(|last| tensor.axes.len() > 1 && !self.is_reduced(last)) else {
            return 0.0;
        };
        let goes_across = tensor.axes.iter().any(|axis| self.is_reduced(axis));
        let tile = self.plan.tile_of(last);
        if self.plan.threads.is_none() || !goes_across || tile >= self.facts.size(last) {
            return 0.0;
        }
        (LINE / (tile as f64 * bits(self.ctx, tensor.elem) / 8.0) - 1.0).max(0.0) * LOST
    }
}
