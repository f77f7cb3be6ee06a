//! Which ops of the stage before an op came from.
//!
//! A pass gives what it makes the location of what it is made from. That says little where all ops of a program have one
//! location, as those of one frontend op do. So the pass is run again on a copy of the module in which each op has a
//! location of its own, as after `snapshot-op-locations` of MLIR: the locations that it leaves are the ops that each op came
//! from. What was compiled is not changed by that, and the copy counts only where its text is that of the module.

use std::collections::{BTreeSet, HashMap};

use dlc_ir::body::Body;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::LocData;
use dlc_ir::pass::instrument::At;
use dlc_ir::pass::manager::{AutoLower, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::{Context, Loc, OpId};

/// What the locations of a copy begin with.
const NUMBERED: &str = "explored op ";

/// The module that a pass makes of one whose ops have locations of their own.
pub struct Replay {
    /// That module.
    pub module: Body,
    /// What the pass reported.
    pub found: Vec<Diagnostic>,
}

impl Replay {
    /// Runs a pass on a copy of a module. `None` where the copy cannot be compiled as the module was.
    pub fn of(registry: &Registry, at: &At<'_>, before: &Body) -> Option<Replay> {
        let ctx = at.ctx;
        let pipeline = Pipeline::parse(registry, at.pipeline).ok()?;
        let mut module = before.clone();
        let numbered = |number: usize| {
            let name = ctx.intern_str(&format!("{NUMBERED}{number}"));
            ctx.loc(LocData::Name { name, child: Loc::UNKNOWN })
        };
        set_locs(&mut module, &mut 0, &numbered);
        let options = ManagerOptions {
            verify_each: false,
            auto_lower: AutoLower::Off,
            remarks: true,
            threads: 1,
            ..ManagerOptions::default()
        };
        let (counters, diags) = (DebugCounters::off(), Diagnostics::new());
        let manager = Manager { ctx, registry, options, instruments: Vec::new(), counters: &counters, host: &NoHost };
        let outcome = manager.run(&pipeline, &mut module, &diags);
        outcome.failure.is_none().then(|| Replay { module, found: diags.take() })
    }
}

/// Gives the ops of a module locations by their numbers: each before those inside it, from 0.
pub fn set_locs(body: &mut Body, next: &mut usize, loc: &impl Fn(usize) -> Loc) {
    for op in body.walk() {
        body.set_loc(op, loc(*next));
        *next += 1;
        if let Some(nested) = body.nested_mut(op) {
            set_locs(nested, next, loc);
        }
    }
}

/// The numbers of the ops of a module.
#[derive(Default)]
pub struct Numbers(HashMap<(*const Body, OpId), usize>);

impl Numbers {
    /// Those that [`set_locs`] gives.
    pub fn of(module: &Body) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.add(module, &mut 0);
        numbers
    }

    fn add(&mut self, body: &Body, next: &mut usize) {
        for op in body.walk() {
            self.0.insert((std::ptr::from_ref(body), op), *next);
            let nested = body.nested(op);
            // The op of a body is in the body around it, too.
            self.0.extend(nested.map(|nested| ((std::ptr::from_ref(nested), nested.root()), *next)));
            *next += 1;
            if let Some(nested) = nested {
                self.add(nested, next);
            }
        }
    }

    /// The number of an op.
    pub fn get(&self, body: &Body, op: OpId) -> Option<usize> {
        self.0.get(&(std::ptr::from_ref(body), op)).copied()
    }

    /// How many ops there are at most.
    pub fn count(&self) -> usize {
        self.0.values().max().map_or(0, |last| last + 1)
    }
}

/// The numbers of the ops that a location of a [`Replay`] stands for.
pub fn origins(ctx: &Context, loc: Loc) -> BTreeSet<usize> {
    let mut into = BTreeSet::new();
    collect(ctx, loc, &mut into);
    into
}

fn collect(ctx: &Context, loc: Loc, into: &mut BTreeSet<usize>) {
    match ctx.loc_data(loc) {
        Some(LocData::Name { name, child }) => match ctx.str(*name).strip_prefix(NUMBERED) {
            Some(number) => into.extend(number.parse::<usize>()),
            None => collect(ctx, *child, into),
        },
        Some(LocData::Fused { locs, .. }) => locs.iter().for_each(|&loc| collect(ctx, loc, into)),
        Some(LocData::CallSite { callee, caller }) => {
            collect(ctx, *callee, into);
            collect(ctx, *caller, into);
        }
        Some(LocData::File { .. }) | None => {}
    }
}
