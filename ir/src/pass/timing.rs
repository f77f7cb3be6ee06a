//! What a run has cost and counted, pass by pass.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::PassDef;
use super::pipeline::{Anchor, Item, PassUse, Pipeline};

/// The counters of one use of a pass; threads add to them.
#[derive(Debug)]
pub(crate) struct Costs {
    pub statistics: Box<[AtomicU64]>,
    pub run_nanos: AtomicU64,
    pub verify_nanos: AtomicU64,
    pub bodies: AtomicU64,
    pub analyses: Mutex<BTreeMap<&'static str, u64>>,
}

impl Costs {
    pub fn new(def: &'static PassDef) -> Self {
        Costs {
            statistics: def.statistics.iter().map(|_| AtomicU64::new(0)).collect(),
            run_nanos: AtomicU64::new(0),
            verify_nanos: AtomicU64::new(0),
            bodies: AtomicU64::new(0),
            analyses: Mutex::default(),
        }
    }

    /// Counts analyses that were computed for the pass.
    pub fn add_analyses(&self, names: Vec<&'static str>) {
        if names.is_empty() {
            return;
        }
        let mut analyses = self.analyses.lock().unwrap_or_else(PoisonError::into_inner);
        names.into_iter().for_each(|name| *analyses.entry(name).or_default() += 1);
    }
}

/// One use of a pass, after the run.
#[derive(Clone, Debug)]
pub struct PassReport {
    /// Its declaration.
    pub def: &'static PassDef,
    /// The pass with its options.
    pub pass: PassUse,
    /// The ops that it was nested in, with a number for each nest of the pipeline.
    pub nest: Vec<(Anchor, u32)>,
    /// What it counted, in the order of the declaration.
    pub statistics: Vec<u64>,
    /// How many analyses were computed for it, by their names: those that a pass before has asked for, and that still
    /// hold, are not among them.
    pub analyses: BTreeMap<&'static str, u64>,
    /// The time in the pass, summed over threads. Zero when time was not taken.
    pub run: Duration,
    /// The time in the verifier after it, summed over threads.
    pub verify: Duration,
    /// On how many bodies it ran.
    pub bodies: u64,
    /// Whether the manager put it in, to bring functions to the layer that a later pass needs.
    pub inserted: bool,
}

impl PassReport {
    pub(crate) fn of(pass: &PassUse, nest: &[(Anchor, u32)], costs: &Costs, inserted: bool) -> PassReport {
        PassReport {
            def: pass.def,
            pass: pass.clone(),
            nest: nest.to_vec(),
            statistics: costs.statistics.iter().map(|s| s.load(Ordering::Relaxed)).collect(),
            analyses: costs.analyses.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            run: Duration::from_nanos(costs.run_nanos.load(Ordering::Relaxed)),
            verify: Duration::from_nanos(costs.verify_nanos.load(Ordering::Relaxed)),
            bodies: costs.bodies.load(Ordering::Relaxed),
            inserted,
        }
    }
}

/// What a run has cost and counted.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// Each use of a pass, in the order of the run, lowerings included that the manager put in.
    pub passes: Vec<PassReport>,
    /// The time on the clock.
    pub wall: Duration,
    /// The time that symbols were checked, over all passes.
    pub symbols: Duration,
}

impl Report {
    /// The pipeline that was run, with the lowerings that were put in.
    pub fn pipeline(&self) -> Pipeline {
        let mut items = Vec::new();
        let mut at = 0;
        while at < self.passes.len() {
            at = nest(&self.passes, at, 0, &mut items);
        }
        Pipeline { items }
    }
}

/// Adds the pass at `at`, with its neighbours in the same nest at `depth`; gives the place after them.
fn nest(passes: &[PassReport], at: usize, depth: usize, items: &mut Vec<Item>) -> usize {
    let Some(own) = passes[at].nest.get(depth) else {
        items.push(Item::Pass(passes[at].pass.clone()));
        return at + 1;
    };
    let mut inner = Vec::new();
    let mut next = at;
    while next < passes.len() && passes[next].nest.get(depth) == Some(own) {
        next = nest(passes, next, depth + 1, &mut inner);
    }
    items.push(Item::Nest(own.0.clone(), inner));
    next
}
