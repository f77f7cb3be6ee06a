//! `--explore`: a page that shows a program at each layer and after each pass.
//!
//! The page is one HTML file that works offline. Its data is JSON that [`Explore`] collects while a pipeline runs; its
//! script, in `explore/page.js`, draws it.
//!
//! - `lines`: the text of a module as lines, each with the source positions that it came from.
//! - `kernels`: the roles of a kernel with what they do, and its shared memory.

mod kernels;
mod lines;

use std::sync::{Mutex, MutexGuard, PoisonError};

use dlc_host::ops::Func as Program;
use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Diagnostic, Style, line_column, render};
use dlc_ir::pass::PassResult;
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::layers::dialect_of;
use dlc_ir::pass::options::check;
use dlc_ir::text::PrintOptions;
use dlc_passes::analysis::sizes::AssumedSizes;
use dlc_passes::rewrites::launches::symbols;
use serde_json::{Value, json};

use crate::explain::{self, launched};
use crate::layers::depth;
use crate::planned::ASSUMED;
use lines::Texts;

/// The page around the data.
const PAGE: &str = include_str!("explore/page.html");
const STYLE: &str = include_str!("explore/page.css");
const SCRIPT: &str = include_str!("explore/page.js");

/// The pass before which kernels are whole and have their plans.
const WITH_PLANS: &str = "tensorize";
/// The pass that chooses plans; its options say for which sizes.
const CHOOSES: &str = "choose-plan";

/// Collects what the page shows.
pub struct Explore {
    options: PrintOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    texts: Texts,
    stages: Vec<Value>,
    /// The last module with kernels in blocks, and the number of its stage.
    kernels: Option<(usize, Body)>,
    /// The last module with kernels in instructions.
    instructions: Option<Body>,
    /// Kernels with their plans and estimates.
    plans: Vec<Value>,
    /// The sizes that plans were chosen for, once a pass says so.
    sizes: Option<AssumedSizes>,
}

impl Explore {
    /// Shows a program of a source of this name, with modules printed by these options.
    pub fn new(source: &str, options: PrintOptions) -> Explore {
        let options = PrintOptions { locations: false, generic: false, ..options };
        Explore { options, state: Mutex::new(State { texts: Texts::of(source), ..State::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page. `source` is the text of the input, `found` what was reported.
    pub fn page(&self, ctx: &Context, source: &str, found: &[Diagnostic]) -> String {
        let mut state = self.state();
        let state = &mut *state;
        let source = state.texts.of_source(source);
        state.stages.insert(0, source);
        let ptx = state.instructions.as_ref().map(|module| dlc_ptx::emit::module(ctx, module, None));
        let without_ptx = match ptx {
            Some(Ok(ptx)) => {
                state.stages.push(state.texts.of_translation(&ptx.text));
                None
            }
            Some(Err(why)) => Some(why.message),
            None => None,
        };
        let kernels = state.kernels.as_ref();
        // The source is a stage, before all others.
        let kernels =
            kernels.map_or_else(Vec::new, |(stage, module)| kernels::all(ctx, module, stage + 1, self.options));
        let data = json!({
            "version": crate::VERSION,
            "source": state.texts.source(),
            "texts": state.texts.texts(),
            "places": state.texts.places(),
            "stages": state.stages,
            "kernels": kernels,
            "plans": state.plans,
            "remarks": found.iter().map(|found| remark(ctx, found)).collect::<Vec<_>>(),
            "without_ptx": without_ptx,
        });
        // A script ends where '</script' stands, also in a string.
        let data = data.to_string().replace('<', "\\u003c");
        PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", SCRIPT).replace("/*DATA*/", &data)
    }

    fn add(&self, ctx: &Context, module: &Body, title: &str, pipeline: &str, failed: bool) {
        let mut state = self.state();
        let state = &mut *state;
        let layers = layers(ctx, module);
        let options = PrintOptions { generic: failed, ..self.options };
        let mut stage = state.texts.of_module(ctx, module, options);
        stage["title"] = json!(title);
        stage["pipeline"] = json!(pipeline);
        stage["layers"] = json!(layers);
        stage["failed"] = json!(failed);
        if layers.contains(&"kernel") && !failed {
            state.kernels = Some((state.stages.len(), module.clone()));
        }
        state.instructions = (layers.contains(&"ptx") && !failed).then(|| module.clone());
        state.stages.push(stage);
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
fn plans(ctx: &Context, module: &Body, sizes: Option<&AssumedSizes>) -> Vec<Value> {
    let size = |name: &str| sizes.map_or(ASSUMED, |sizes| *sizes.symbols.get(name).unwrap_or(&sizes.assume));
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    let programs = ops.map(|op| OpRef::new(ctx, module, op)).filter(|op| op.is(Program::DEF));
    let programs = programs.filter_map(|op| Some((op.symbol_name()?, module.nested(op.id)?)));
    let kernels = programs.flat_map(|(name, body)| {
        let symbols = symbols(ctx, body).into_iter().map(|symbol| (symbol.clone(), size(&symbol)));
        let symbols: Vec<(String, i64)> = symbols.collect();
        launched(ctx, module, name, &symbols).into_iter().map(move |kernel| (kernel, symbols.clone()))
    });
    let kernel = |(kernel, symbols): (explain::Launched, Vec<(String, i64)>)| {
        let terms = kernel.cost.as_ref().map(explain::terms);
        json!({
            "kernel": kernel.name,
            "computes": kernel.computes,
            "plan": kernel.plan,
            "time": kernel.cost.map(|cost| cost.time),
            "limit": kernel.cost.as_ref().map(explain::limit),
            "terms": terms.map(|terms| terms.map(|(time, name)| json!([name, time]))),
            "sizes": symbols,
        })
    };
    kernels.map(kernel).collect()
}

fn remark(ctx: &Context, found: &Diagnostic) -> Value {
    let place = line_column(ctx, found.loc);
    json!({
        "pass": found.remark.map(|(pass, _)| pass),
        "kind": found.remark.map_or(found.severity.word(), |(_, kind)| kind.word()),
        "message": found.message,
        "line": place.as_ref().map(|(_, line, _)| line),
        "column": place.map(|(_, _, column)| column),
        // Those that are no remarks as the command line shows them.
        "text": found.remark.is_none().then(|| render(ctx, found, Style { color: false })),
    })
}

impl Instrument for Explore {
    fn start(&self, ctx: &Context, module: &Body) {
        // Of several pipelines one after another the first one has what was read.
        if self.state().stages.is_empty() {
            self.add(ctx, module, "as read", "", false);
        }
    }

    fn before(&self, at: &At<'_>, module: &Body) {
        let mut state = self.state();
        if at.pass.def.name == CHOOSES {
            let options = check(at.pass.def, &at.pass.given);
            state.sizes = options.ok().and_then(|options| AssumedSizes::of(&options).ok());
        }
        if at.pass.def.name == WITH_PLANS {
            // A pipeline may name the pass twice: the second time there are no kernels left that have only a plan.
            let plans = plans(at.ctx, module, state.sizes.as_ref());
            state.plans.extend(plans);
        }
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        if at.changed {
            self.add(at.ctx, module, at.pass.def.name, at.pipeline, false);
        }
        Ok(())
    }

    fn failed(&self, at: &At<'_>, module: Option<&Body>) {
        if let Some(module) = module {
            self.add(at.ctx, module, at.pass.def.name, at.pipeline, true);
        }
    }
}
