//! The cost of a plan at any sizes, for launches that choose between plans: how many tiles, steps and bytes there are as
//! expressions of the sizes, and how long each takes by the estimate at the sizes that the plan was chosen for.

use dlc_host::choice::{Cost as CostOfSizes, Rates};
use dlc_ir::affine::SizeExpr;

use super::{Cost, Estimator, bits, both, resident, runs};

/// Nanoseconds of a microsecond.
const NANOSECONDS: f64 = 1e3;

/// What sizes say, and how much that is at the sizes of the estimate.
struct Amount {
    expr: SizeExpr,
    value: f64,
}

impl Amount {
    fn number(value: i64) -> Amount {
        Amount { expr: value.into(), value: value as f64 }
    }

    fn times(self, other: &Amount) -> Option<Amount> {
        Some(Amount { expr: self.expr.mul(&other.expr).ok()?, value: self.value * other.value })
    }

    fn ceildiv(self, by: i64) -> Option<Amount> {
        Some(Amount { expr: self.expr.ceildiv(&by.into()).ok()?, value: (self.value / by as f64).ceil() })
    }
}

impl Estimator<'_> {
    /// What the estimate is at other sizes, in the symbols of the kernel; `None` where one of its expressions goes beyond 64
    /// bits, or the target has no SM.
    pub(super) fn of_sizes(&self, own: &Cost) -> Option<CostOfSizes> {
        let (tiles, steps, bytes) = (self.tiles_by_sizes()?, self.steps_by_sizes()?, self.bytes_by_sizes()?);
        let sms = self.target.sms;
        let rounds = (tiles.value / sms as f64).ceil().max(1.0);
        let launch = self.target.launch_ns as f64 / NANOSECONDS;
        let blocks = if self.is_alone() { 1 } else { resident(self.ctx, self.plan, self.target) };
        let waves = (tiles.value / (sms as f64 * blocks as f64)).ceil().max(1.0);
        // Blocks of an SM wait for loads, and for what a thread does one after another, at the same time.
        let [compute, in_line] = self.waves().map_or([0.0; 2], |waves| self.computing(&waves));
        let work = self.body_time([compute, own.cache, 0.0]);
        let wait = both(own.latency, in_line);
        // After the last tile nothing hides what is written.
        let last = if own.gain > 0.0 { own.epilogue / rounds } else { 0.0 };
        let alongside = (own.epilogue + own.penalties - own.gain - last).max(0.0);
        // What runs neither alongside the others nor after them alone is spread over all terms.
        let together = alongside + work.max(own.memory).max(wait);
        let scale = if together > 0.0 { (own.time - launch - last).max(0.0) / together } else { 1.0 };
        let busy = (2.0 * tiles.value / sms as f64).min(1.0);
        let whole = |microseconds: f64| (microseconds * NANOSECONDS).round().clamp(0.0, i64::MAX as f64 / 2.0) as i64;
        let (launch, tile) = (whole(launch + last), whole(scale * alongside / rounds));
        let step = whole(scale * work / (rounds * steps.value).max(1.0));
        let wait = whole(scale * wait / (waves * steps.value).max(1.0));
        let gbps = (bytes.value / (scale * own.memory * busy * NANOSECONDS).max(1e-9)).round().clamp(1.0, 1e9) as i64;
        let rates = Rates::of([launch, tile, step, wait, gbps, sms, blocks])?;
        debug_assert!(
            {
                let again = rates.nanoseconds([tiles.value, steps.value, bytes.value].map(|value| value as i64)) as f64;
                // Each rate is rounded to a whole number, by half of one at most.
                let rounded = rounds + waves.max(rounds) * steps.value + again / gbps as f64 + 4.0;
                let is_whole = [tiles.value, steps.value, bytes.value].iter().all(|value| *value < 1e15);
                !is_whole || (again - own.time * NANOSECONDS).abs() <= rounded
            },
            "the cost at the sizes of the estimate is another one"
        );
        Some(CostOfSizes { tiles: tiles.expr, steps: steps.expr, bytes: bytes.expr, rates })
    }

    fn size(&self, axis: &str) -> Option<Amount> {
        Some(Amount { expr: self.facts.axes.size(axis)?.clone(), value: self.facts.size(axis) as f64 })
    }

    /// The tiles of the results, those of each part of a sum.
    fn tiles_by_sizes(&self) -> Option<Amount> {
        runs(self.facts, self.plan).into_iter().try_fold(Amount::number(self.parts() as i64), |all, run| {
            let extent = run.iter().try_fold(Amount::number(1), |all, axis| all.times(&self.size(axis)?))?;
            let tile = run.iter().map(|axis| self.plan.tile_of(axis).max(1)).fold(1, i64::saturating_mul);
            all.times(&extent.ceildiv(tile)?)
        })
    }

    /// The steps of a tile along what is reduced, of which the parts of a sum have their share.
    fn steps_by_sizes(&self) -> Option<Amount> {
        let along = |axis: &String| self.size(axis)?.ceildiv(self.plan.tile_of(axis).max(1));
        let all = self.facts.reduced.iter().try_fold(Amount::number(1), |all, axis| all.times(&along(axis)?))?;
        all.ceildiv(self.parts() as i64)
    }

    /// The bytes of what is read and written, each once. Elements of less than a byte count as one.
    fn bytes_by_sizes(&self) -> Option<Amount> {
        self.read().chain(&self.facts.outputs).try_fold(Amount::number(0), |all, tensor| {
            let bytes = Amount::number((bits(self.ctx, tensor.elem) / 8.0).ceil() as i64);
            let own = Amount { expr: tensor.count.clone()?, value: tensor.elems }.times(&bytes)?;
            Some(Amount { expr: all.expr.add(&own.expr).ok()?, value: all.value + own.value })
        })
    }
}
