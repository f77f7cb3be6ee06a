//! `--explore`: a page that shows a program at each layer and after each pass.
//!
//! The page is one HTML file that works offline. Its data is JSON that [`Explore`] collects while a pipeline runs; its
//! script, in `explore/page.js`, draws it.
//!
//! - `lines`: the text of a module as lines, each with the source positions that it came from.
//! - `origins`: the ops of the stage before that an op came from.
//! - `kernels`: the roles of a kernel with what they do, and its shared memory.

mod kernels;
mod lines;
mod origins;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlc_core::precision::Precision;
use dlc_host::ops::Func as Program;
use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Diagnostic, Style, line_column, render};
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::layers::dialect_of;
use dlc_ir::pass::options::check;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{OptionValues, PassResult};
use dlc_ir::text::PrintOptions;
use dlc_passes::analysis::sizes::AssumedSizes;
use dlc_passes::region::choose_plan::cost::Cost;
use dlc_passes::region::choose_plan::{Chosen, summary};
use dlc_passes::rewrites::launches::symbols;
use dlc_plan::{Schedule, Schedules};
use indexmap::IndexSet;
use serde_json::{Value, json};

use crate::explain::{self, launched};
use crate::layers::depth;
use crate::planned::ASSUMED;
use lines::{Stage, Texts};
use origins::{Replay, origins};

/// The page around the data.
const PAGE: &str = include_str!("explore/page.html");
const STYLE: &str = include_str!("explore/page.css");
const SCRIPT: &str = include_str!("explore/page.js");

/// The pass before which kernels are whole and have their plans.
const WITH_PLANS: &str = "tensorize";
/// The pass that chooses plans; its options say for which sizes.
const CHOOSES: &str = "choose-plan";

/// The most candidates for a plan that are listed of a kernel.
const MOST_CANDIDATES: usize = 8;

/// Collects what the page shows.
pub struct Explore<'a> {
    registry: &'a Registry,
    options: PrintOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    texts: Texts,
    stages: Vec<Value>,
    /// The module of the last stage, and where its ops are in the text.
    last: Option<(Body, Stage)>,
    /// The last module with kernels in blocks, and the number of its stage.
    kernels: Option<(usize, Body)>,
    /// Whether the last stage has instructions.
    has_instructions: bool,
    /// Kernels with their plans and estimates.
    plans: Vec<Value>,
    /// What `choose-plan` assumed, once a pipeline has it.
    assumed: Option<Assumed>,
    /// The stages and lines of what passes reported, by pass, kind and words, where they are known.
    replayed: HashMap<(&'static str, &'static str, String), VecDeque<Option<[usize; 2]>>>,
}

/// What plans are chosen for.
struct Assumed {
    sizes: AssumedSizes,
    precision: Option<Precision>,
}

impl Explore<'_> {
    /// Shows a program of a source of this name, compiled by passes of a registry, with modules printed by these options.
    pub fn new<'a>(registry: &'a Registry, source: &str, options: PrintOptions) -> Explore<'a> {
        let options = PrintOptions { locations: false, generic: false, ..options };
        Explore { registry, options, state: Mutex::new(State { texts: Texts::of(source), ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page. `source` is the text of the input, `found` what was reported.
    pub fn page(&self, ctx: &Context, source: &str, found: &[Diagnostic]) -> String {
        let mut state = self.state();
        let state = &mut *state;
        let last = state.last.as_ref();
        if state.plans.is_empty() {
            // Without a pass that makes kernels of regions, the regions are shown.
            state.plans = last.map_or_else(Vec::new, |(module, _)| plans(ctx, module, state.assumed.as_ref()));
        }
        let ptx = last.filter(|_| state.has_instructions).map(|(module, stage)| state.texts.of_ptx(ctx, module, stage));
        let source = state.texts.of_source(source);
        state.stages.insert(0, source);
        let without_ptx = match ptx {
            Some(Ok(ptx)) => {
                state.stages.push(ptx);
                None
            }
            Some(Err(why)) => Some(why),
            None => None,
        };
        let kernels = state.kernels.as_ref();
        // The source is a stage, before all others.
        let kernels =
            kernels.map_or_else(Vec::new, |(stage, module)| kernels::all(ctx, module, stage + 1, self.options));
        let remarks: Vec<Value> = found.iter().map(|found| remark(ctx, found, state.take_line(found))).collect();
        let data = json!({
            "version": crate::VERSION,
            "source": state.texts.source(),
            "texts": state.texts.texts(),
            "places": state.texts.places(),
            "stages": state.stages,
            "kernels": kernels,
            "plans": state.plans,
            "remarks": remarks,
            "without_ptx": without_ptx,
        });
        // A script ends where '</script' stands, also in a string.
        let data = data.to_string().replace('<', "\\u003c");
        PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", SCRIPT).replace("/*DATA*/", &data)
    }

    /// Adds a stage; `replay` is the pass that made it, run on a copy.
    fn add(&self, ctx: &Context, module: &Body, title: (&str, &str), failed: bool, replay: Option<&Replay>) {
        let mut state = self.state();
        let state = &mut *state;
        let layers = layers(ctx, module);
        let options = PrintOptions { generic: failed, ..self.options };
        let before = replay.and_then(|replay| Some((replay, &state.last.as_ref()?.1)));
        let (mut stage, lines) = state.texts.of_module(ctx, module, options, before);
        stage["title"] = json!(title.0);
        stage["pipeline"] = json!(title.1);
        stage["layers"] = json!(layers);
        stage["failed"] = json!(failed);
        if layers.contains(&"kernel") && !failed {
            state.kernels = Some((state.stages.len(), module.clone()));
        }
        state.has_instructions = layers.contains(&"ptx") && !failed;
        state.stages.push(stage);
        state.last = Some((module.clone(), lines));
    }
}

impl State {
    /// Remembers the ops that a pass reported something about: in a replay each has its own location.
    fn keep_lines(&mut self, ctx: &Context, replay: Option<&Replay>) {
        let (Some(replay), Some((_, before))) = (replay, self.last.as_ref()) else { return };
        for found in &replay.found {
            let Some((pass, kind)) = found.remark else { continue };
            let line = origins(ctx, found.loc).into_iter().find_map(|number| *before.starts.get(number)?);
            // The source is a stage, before all others.
            let place = line.map(|line| [self.stages.len(), line]);
            let key = (pass, kind.word(), found.message.clone());
            self.replayed.entry(key).or_default().push_back(place);
        }
    }

    /// The stage and the line that a remark is about; of equal ones each has its own.
    fn take_line(&mut self, found: &Diagnostic) -> Option<[usize; 2]> {
        let (pass, kind) = found.remark?;
        self.replayed.get_mut(&(pass, kind.word(), found.message.clone()))?.pop_front()?
    }
}

impl Assumed {
    fn of(options: &OptionValues) -> Option<Assumed> {
        Some(Assumed { sizes: AssumedSizes::of(options).ok()?, precision: Precision::of(options.text("f32")) })
    }
}

/// The layers of the ops of a module, from the highest one.
fn layers<'a>(ctx: &'a Context, module: &'a Body) -> Vec<&'a str> {
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let mut layers: Vec<&str> = ops.map(|op| dialect_of(OpRef::new(ctx, module, op).name())).collect();
    layers.sort_by_key(|layer| (depth(layer), *layer));
    layers.dedup();
    layers
}

/// The kernels of a module with their plans and estimates.
fn plans(ctx: &Context, module: &Body, assumed: Option<&Assumed>) -> Vec<Value> {
    let size = |name: &str| assumed.map_or(ASSUMED, |assumed| assumed.sizes.symbol(name));
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let ops: Vec<OpRef<'_>> = ops.map(|op| OpRef::new(ctx, module, op)).collect();
    let programs = ops.iter().filter(|op| op.is(Program::DEF));
    let programs = programs.filter_map(|op| Some((op.symbol_name()?, vec![module.nested(op.id)?])));
    let mut programs: Vec<(&str, Vec<&Body>)> = programs.collect();
    if programs.is_empty() {
        // Kernels that no program launches have their own symbols.
        programs.push(("", ops.iter().filter_map(|op| module.nested(op.id)).collect()));
    }
    let schedules = Schedules::of(ctx, module);
    let mut all = Vec::new();
    for (name, bodies) in programs {
        let own: IndexSet<String> = bodies.into_iter().flat_map(|body| symbols(ctx, body)).collect();
        let own: Vec<(String, i64)> = own.into_iter().map(|symbol| (symbol.clone(), size(&symbol))).collect();
        for kernel in launched(ctx, module, name, &own) {
            let plan = schedules.plans_of(ctx, module, &kernel.name).into_iter().next().map(|(_, plan)| plan);
            let precision = assumed.map_or(Some(Precision::Tf32x3), |assumed| assumed.precision);
            let others = plan.as_ref().and_then(|plan| kernel.candidates(ctx, module, plan, precision));
            all.push(json!({
                "kernel": kernel.name,
                "computes": kernel.computes,
                "plan": kernel.plan,
                "is_planned": plan.is_some(),
                "clauses": plan.as_ref().map(|plan| plan.clauses(ctx)),
                "time": kernel.cost.map(|cost| cost.time),
                "limit": kernel.cost.as_ref().map(explain::limit),
                "terms": kernel.cost.as_ref().map(terms),
                "figures": kernel.cost.as_ref().map(figures),
                "sizes": own,
                "program": name,
                "launch": kernel.launch,
                "is_alternative": kernel.is_alternative,
                "candidates": others.map(|others| candidates(ctx, &kernel.plan, &others)),
            }));
        }
    }
    all
}

fn terms(cost: &Cost) -> Value {
    json!(explain::terms(cost).map(|(time, name)| json!([name, time])))
}

/// What an estimate is made from, besides its terms.
fn figures(cost: &Cost) -> Value {
    json!({ "tiles": cost.tiles, "occupancy": cost.occupancy, "efficiency": cost.efficiency, "overlap": cost.gain })
}

/// The plans that were compared for a kernel, the best first.
fn candidates(ctx: &Context, plan: &str, of: &Chosen) -> Value {
    let candidate = |(other, cost): &(Schedule, Cost)| {
        let other = summary(ctx, other);
        let is_taken = other == plan;
        json!({ "plan": other, "is_taken": is_taken, "time": cost.time, "terms": terms(cost), "limit": explain::limit(cost) })
    };
    json!({
        "count": of.ranked.len(),
        "pruned": of.stopped,
        "best": of.ranked.iter().take(MOST_CANDIDATES).map(candidate).collect::<Vec<_>>(),
        "refused": of.refused.iter().take(MOST_CANDIDATES).collect::<Vec<_>>(),
        "refused_count": of.refused.len(),
    })
}

fn remark(ctx: &Context, found: &Diagnostic, at: Option<[usize; 2]>) -> Value {
    let place = line_column(ctx, found.loc);
    json!({
        "pass": found.remark.map(|(pass, _)| pass),
        "kind": found.remark.map_or(found.severity.word(), |(_, kind)| kind.word()),
        "message": found.message,
        // The stage and the line of the op that it is about, where it is known.
        "at": at,
        "line": place.as_ref().map(|(_, line, _)| line),
        "column": place.map(|(_, _, column)| column),
        // Those that are no remarks as the command line shows them.
        "text": found.remark.is_none().then(|| render(ctx, found, Style { color: false })),
    })
}

impl Instrument for Explore<'_> {
    fn start(&self, ctx: &Context, module: &Body) {
        // Of several pipelines one after another the first one has what was read.
        if self.state().stages.is_empty() {
            self.add(ctx, module, ("as read", ""), false, None);
        }
    }

    fn before(&self, at: &At<'_>, module: &Body) {
        let mut state = self.state();
        if at.pass.def.name == CHOOSES {
            state.assumed = check(at.pass.def, &at.pass.given).ok().and_then(|options| Assumed::of(&options));
        }
        if at.pass.def.name == WITH_PLANS {
            // A pipeline may name the pass twice: the second time there are no kernels left that have only a plan.
            let plans = plans(at.ctx, module, state.assumed.as_ref());
            state.plans.extend(plans);
        }
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        let replay = {
            let mut state = self.state();
            let replay = state.last.as_ref().and_then(|(before, _)| Replay::of(self.registry, at, before));
            state.keep_lines(at.ctx, replay.as_ref());
            replay
        };
        if at.changed {
            self.add(at.ctx, module, (at.pass.def.name, at.pipeline), false, replay.as_ref());
        }
        Ok(())
    }

    fn failed(&self, at: &At<'_>, module: Option<&Body>) {
        if let Some(module) = module {
            self.add(at.ctx, module, (at.pass.def.name, at.pipeline), true, None);
        }
    }
}
