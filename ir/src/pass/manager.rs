//! The pass manager: runs a pipeline on a module.
//!
//! The pipeline is cut into groups (`group.rs`): passes on bodies that follow each other run body by
//! body. A pass group ends before a pass on the whole module, a pass that reads symbols, and a pass that needs, adds or
//! removes a layer; and after every pass while an [`Instrument`] wants to see the module between passes.
//!
//! A pass that needs layers runs on the bodies that have them. Those that have not, and can be lowered to have them, are
//! lowered first, each by its own shortest way, or the pipeline fails when that is turned off.

use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::group::{GroupResult, How, Renamed, Step, broke_ir, run_group, run_pass};
use super::instrument::{At, Instrument};
use super::layers::{Added, Lowerings, Path, Placed, survey, symbols_on};
use super::pipeline::{Anchor, Item, PassUse, Pipeline};
use super::registry::{PipelineDef, Registry};
use super::timing::{Costs, PassReport, Report};
use super::{DebugCounters, Host, LAYER_MISSING, On, PASS_BROKE_IR, PassCx, PassDef, REMARK};
use crate::body::Body;
use crate::context::Context;
use crate::diag::{Diagnostic, Diagnostics, RemarkKind, Severity, did_you_mean};
use crate::location::Loc;
use crate::verify::{SymbolTable, verify_body, verify_symbols};

pub use super::group::FailureKind;

/// Which passes are put in where a pass needs a layer that a function has not reached.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum AutoLower {
    /// The lowering, with the other passes of the pipeline that is registered for it.
    Standard,
    /// The lowering alone.
    Exact,
    /// None: it is an error.
    Off,
}

/// How pipelines are run.
#[derive(Clone, Debug)]
pub struct ManagerOptions {
    /// Whether the verifier looks at every body that a pass has changed.
    pub verify_each: bool,
    /// How many threads work on bodies.
    pub threads: usize,
    /// Which lowerings are put in where a pass needs a layer.
    pub auto_lower: AutoLower,
    /// Whether the module before each pass is kept, for reproducers.
    pub keep_before: bool,
    /// Whether time is taken.
    pub timing: bool,
    /// Whether passes are to make remarks.
    pub remarks: bool,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        ManagerOptions {
            verify_each: true,
            threads: 1,
            auto_lower: AutoLower::Standard,
            keep_before: false,
            timing: false,
            remarks: false,
        }
    }
}

/// Runs pipelines.
pub struct Manager<'a> {
    /// The context of the modules.
    pub ctx: &'a Context,
    /// Where lowerings are found.
    pub registry: &'a Registry,
    /// How.
    pub options: ManagerOptions,
    /// Who looks on.
    pub instruments: Vec<&'a dyn Instrument>,
    /// Counts and skips rewrites.
    pub counters: &'a DebugCounters,
    /// What passes may ask of the program.
    pub host: &'a dyn Host,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// What it cost and counted, as far as it went.
    pub report: Report,
    /// Why it stopped early. The module is of no use then.
    pub failure: Option<Failure>,
}

/// A pipeline that stopped early; what is wrong has been reported.
pub struct Failure {
    /// How the pass failed.
    pub kind: FailureKind,
    /// The pass.
    pub pass: String,
    /// What to run on `before` to fail again.
    pub pipeline: String,
    /// The module before the pass, if it was kept.
    pub before: Option<Body>,
}

impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} in {}", self.kind, self.pass)
    }
}

impl Manager<'_> {
    /// Runs a pipeline on a module that is valid.
    pub fn run(&self, pipeline: &Pipeline, module: &mut Body, diags: &Diagnostics) -> Outcome {
        let start = Instant::now();
        let mut flat = Vec::new();
        flatten(&pipeline.items, &mut Vec::new(), &mut 0, &mut flat);
        let of = flat.len();
        let how = How {
            ctx: self.ctx,
            // Debug counters number rewrites in the order in which they come.
            threads: if self.counters.is_active() { 1 } else { self.options.threads.max(1) },
            verify: self.options.verify_each,
            timing: self.options.timing,
            remarks: self.options.remarks,
            counters: self.counters,
            host: self.host,
        };
        let mut run = Run {
            manager: self,
            how,
            diags,
            report: Report::default(),
            renamed: Renamed::default(),
            added: Added::default(),
            placed: None,
            lowerings: None,
            number: 0,
            of,
        };
        self.instruments.iter().for_each(|instrument| instrument.start(self.ctx, module));
        let failure = run.all(flat, module).err().map(|failure| *failure);
        run.report.wall = start.elapsed();
        Outcome { report: run.report, failure }
    }
}

/// A piece of a pipeline without nesting.
enum Flat {
    Step(PassUse, Vec<(Anchor, u32)>),
    LowerTo(String),
}

fn flatten(items: &[Item], nest: &mut Vec<(Anchor, u32)>, nests: &mut u32, flat: &mut Vec<Flat>) {
    for item in items {
        match item {
            Item::Pass(pass) => flat.push(Flat::Step(pass.clone(), nest.clone())),
            Item::LowerTo(layer) => flat.push(Flat::LowerTo(layer.clone())),
            Item::Nest(anchor, items) => {
                nest.push((anchor.clone(), *nests));
                *nests += 1;
                flatten(items, nest, nests, flat);
                nest.pop();
            }
        }
    }
}

/// The passes of a pipeline before its lowering, the lowering, and those after it.
type Around = (Vec<PassUse>, PassUse, Vec<PassUse>);

/// How a pipeline is put in for its lowering; or why it cannot be.
pub(super) fn around(registry: &Registry, def: &PipelineDef) -> Result<Around, String> {
    let pipeline = Pipeline::parse(registry, def.text);
    let pipeline =
        pipeline.map_err(|errors| errors.into_iter().next().map_or_else(String::new, |error| error.message))?;
    let mut flat = Vec::new();
    flatten(&pipeline.items, &mut Vec::new(), &mut 0, &mut flat);
    let mut before: Vec<PassUse> = Vec::new();
    for piece in flat {
        match piece {
            Flat::Step(pass, _) => before.push(pass),
            Flat::LowerTo(layer) => return Err(format!("it lowers to the layer '{layer}' itself")),
        }
    }
    let mut places = (0..before.len()).filter(|&at| before[at].def.name == def.lowering);
    let (Some(at), None) = (places.next(), places.next()) else {
        return Err(format!("its passes have '{}' not once", def.lowering));
    };
    let mut rest = before.split_off(at).into_iter();
    let Some(lowering) = rest.next() else { return Err("it has no passes".into()) };
    Ok((before, lowering, rest.collect()))
}

/// A lowering that is going to be put in.
struct Lowering {
    def: &'static PassDef,
    /// The functions that need it.
    only: FxHashSet<Path>,
    /// The first of them.
    loc: Loc,
}

/// What is to be done before a pass that needs layers.
enum Next {
    /// Some functions are to be lowered.
    Lowering(Lowering),
    /// Nothing: these functions have the layers.
    Ready(FxHashSet<Path>),
}

/// More lowerings than this in a row lead nowhere.
const MAX_ROUNDS: usize = 64;

/// Stops a run.
type Stop = Box<Failure>;

struct Run<'a> {
    manager: &'a Manager<'a>,
    how: How<'a>,
    diags: &'a Diagnostics,
    report: Report,
    renamed: Renamed,
    added: Added,
    /// The survey of the module as it is, once something has asked for it.
    placed: Option<Rc<Vec<Placed<'a>>>>,
    /// Made when a pass first needs a layer.
    lowerings: Option<Lowerings>,
    number: usize,
    of: usize,
}

impl<'a> Run<'a> {
    fn all(&mut self, flat: Vec<Flat>, module: &mut Body) -> Result<(), Stop> {
        let fuse = !self.watched() && !self.manager.options.keep_before;
        let mut steps: Vec<Step> = Vec::new();
        for piece in flat {
            match piece {
                Flat::LowerTo(layer) => {
                    self.steps(std::mem::take(&mut steps), module)?;
                    self.lower("lower-to", &[&layer], &[], module)?;
                    self.arrived(&layer, module)?;
                    self.number += 1;
                }
                Flat::Step(pass, nest) => {
                    let def = pass.def;
                    if !steps.last().is_some_and(|last| fuse && fits(last, def, &nest)) {
                        self.steps(std::mem::take(&mut steps), module)?;
                    }
                    let mut only = None;
                    if !def.requires.is_empty() {
                        let ready = self.lower(def.name, def.requires, &nest, module)?;
                        only = Some(ready).filter(|_| def.on != On::Module);
                    }
                    steps.push(Step { costs: Costs::new(def), pass, nest, only, shown_in: None });
                }
            }
        }
        self.steps(steps, module)
    }

    /// Whether an instrument wants to see the module between passes.
    fn watched(&self) -> bool {
        self.manager.instruments.iter().any(|instrument| instrument.wants_module())
    }

    fn steps(&mut self, steps: Vec<Step>, module: &mut Body) -> Result<(), Stop> {
        if steps.is_empty() {
            return Ok(());
        }
        let count = steps.len();
        self.run_steps(steps, false, module)?;
        self.number += count;
        Ok(())
    }

    /// Runs steps of one pass group, or a pass on the whole module.
    fn run_steps(&mut self, steps: Vec<Step>, inserted: bool, module: &mut Body) -> Result<GroupResult, Stop> {
        let manager = self.manager;
        let first = &steps[0];
        for instrument in &manager.instruments {
            instrument.progress(first.pass.def.name, self.number, self.of);
        }
        let pipeline = Pipeline { items: vec![nested(&first.pass, first.shown_nest())] }.to_string();
        let watched = self.watched();
        let (ctx, number, diags) = (self.how.ctx, self.report.passes.len(), self.diags);
        let at = |changed| At { ctx, pass: &first.pass, pipeline: &pipeline, number, changed, diags };
        let onlookers = || manager.instruments.iter().filter(|instrument| instrument.wants_module());
        if watched {
            onlookers().for_each(|instrument| instrument.before(&at(false), module));
        }
        let before = manager.options.keep_before.then(|| module.clone());
        let mut swept = if first.pass.def.on == On::Module {
            self.on_module(first, module)
        } else {
            run_group(&self.how, &steps, &mut self.renamed, module, self.diags)
        };
        if swept.failure.is_none() && swept.changed && self.how.verify {
            swept.failure = self.check_symbols(&steps, module);
        }
        if watched && swept.failure.is_none() {
            let stopped = onlookers().any(|instrument| instrument.after(&at(swept.changed), module).is_err());
            swept.failure = stopped.then_some((0, FailureKind::Failed));
        }
        if let Some((index, kind)) = swept.failure {
            let intact = (kind != FailureKind::Panicked).then_some(&*module);
            onlookers().for_each(|instrument| instrument.failed(&at(swept.changed), intact));
            let step = &steps[index];
            let pipeline = Pipeline { items: vec![nested(&step.pass, &step.nest)] }.to_string();
            let failure = Failure { kind, pass: step.pass.def.name.to_string(), pipeline, before };
            self.report_steps(&steps, inserted);
            return Err(Box::new(failure));
        }
        if swept.changed {
            self.placed = None;
        }
        self.note_layers(&steps, &swept, module);
        self.report_steps(&steps, inserted);
        Ok(swept)
    }

    fn report_steps(&mut self, steps: &[Step], inserted: bool) {
        let reports = steps.iter().map(|step| PassReport::of(&step.pass, step.shown_nest(), &step.costs, inserted));
        self.report.passes.extend(reports);
    }

    /// Runs a pass on the whole module.
    fn on_module(&self, step: &Step, module: &mut Body) -> GroupResult {
        let ctx = self.how.ctx;
        let symbols = SymbolTable::of(ctx, module);
        let cx = PassCx {
            remarks: self.how.remarks,
            host: self.how.host,
            ..PassCx::new(ctx, step.pass.def, &symbols, self.diags, &step.costs.statistics, self.how.counters)
        };
        let stamps = stamps(module);
        let before = module.edits();
        let mut failure = run_pass(&self.how, step, module, &cx, before).err();
        step.costs.add_analyses(cx.analyses.into_inner());
        module.analyses_mut().clear();
        let changed = failure == Some(FailureKind::Panicked) || stamps != self::stamps(module);
        if failure.is_none() && changed && self.how.verify {
            // The module itself has been looked at.
            let found = Diagnostics::new();
            let same_shape = before == module.edits();
            let mut stamps = stamps.into_iter().skip(1);
            verify_nested(ctx, module, same_shape, &mut stamps, &found);
            if found.errors() > 0 {
                failure = Some(broke_ir(step.pass.def.name, module, found, self.diags));
            }
        }
        GroupResult { changed, failure: failure.map(|kind| (0, kind)), ran: vec![Path::new()] }
    }

    fn check_symbols(&mut self, steps: &[Step], module: &Body) -> Option<(usize, FailureKind)> {
        let start = self.how.timing.then(Instant::now);
        let found = Diagnostics::new();
        verify_symbols(self.how.ctx, module, &found);
        self.report.symbols += start.map_or(Duration::ZERO, |start| start.elapsed());
        if found.errors() == 0 {
            return None;
        }
        let names: Vec<String> = steps.iter().map(|step| format!("'{}'", step.pass.def.name)).collect();
        let who = match &names[..] {
            [one] => format!("the pass {one} left symbols that break the rules"),
            _ => format!("one of the passes {} left symbols that break the rules", names.join(", ")),
        };
        self.diags.emit(Diagnostic::error(&PASS_BROKE_IR, module.loc(module.root()), who));
        found.take().into_iter().for_each(|d| self.diags.emit(d));
        Some((steps.len() - 1, FailureKind::BrokeIr))
    }

    /// Remembers the layers that passes say they have added and removed.
    fn note_layers(&mut self, steps: &[Step], swept: &GroupResult, module: &Body) {
        for def in steps.iter().map(|step| step.pass.def) {
            if def.adds.is_empty() && def.removes.is_empty() {
                continue;
            }
            let placed: Vec<Path> = match def.on {
                On::Module => self.survey(module).iter().map(|p| p.path.clone()).collect(),
                _ => swept.ran.clone(),
            };
            self.placed = None;
            for path in placed {
                let added = self.added.entry(symbols_on(self.how.ctx, module, &path)).or_default();
                added.retain(|layer| !def.removes.contains(layer));
                for &layer in def.adds {
                    if !added.contains(&layer) {
                        added.push(layer);
                    }
                }
            }
        }
    }

    /// What the functions of the module have reached.
    fn survey(&mut self, module: &Body) -> Rc<Vec<Placed<'a>>> {
        let placed = self.placed.get_or_insert_with(|| Rc::new(survey(self.how.ctx, module, &self.added)));
        Rc::clone(placed)
    }

    /// Brings every function that can get there to the layers that a pass needs. Gives those that have them then.
    fn lower(
        &mut self,
        pass: &str,
        wanted: &[&str],
        nest: &[(Anchor, u32)],
        module: &mut Body,
    ) -> Result<FxHashSet<Path>, Stop> {
        let lowerings = self.lowerings.take().unwrap_or_else(|| Lowerings::of(self.manager.registry));
        // Each round brings some functions one lowering further.
        for _ in 0..MAX_ROUNDS {
            let next = match self.next_lowering(&lowerings, pass, wanted, nest, module)? {
                Next::Lowering(next) => next,
                Next::Ready(ready) => {
                    self.lowerings = Some(lowerings);
                    return Ok(ready);
                }
            };
            let (def, loc) = (next.def, next.loc);
            let (before, pass, after) = self.put_in(def, loc)?;
            let group = self.report.passes.len();
            for pass in before {
                self.insert(pass, next.only.clone(), group, module)?;
            }
            let known: FxHashSet<Path> = match after.is_empty() {
                true => FxHashSet::default(),
                false => self.survey(module).iter().map(|placed| placed.path.clone()).collect(),
            };
            let swept = self.insert(pass, next.only.clone(), group, module)?;
            let group = self.report.passes.len();
            if swept.ran.is_empty() {
                let message =
                    format!("the pass '{}' is to lead to the layer '{}' but is not for this op", def.name, def.adds[0]);
                self.diags.emit(Diagnostic::error(&LAYER_MISSING, loc, message));
                return Err(self.stop(def.name));
            }
            for pass in after {
                // What was lowered, and what that has put next to it.
                let placed = self.survey(module);
                let made = placed.iter().filter(|p| next.only.contains(&p.path) || !known.contains(&p.path));
                let made = made.filter(|p| p.layers.have(pass.def.requires)).map(|p| p.path.clone()).collect();
                self.insert(pass, made, group, module)?;
            }
        }
        let message = format!("lowerings to the layer '{}' do not come to an end", wanted.join("', '"));
        self.diags.emit(Diagnostic::error(&LAYER_MISSING, Loc::UNKNOWN, message));
        Err(self.stop(pass))
    }

    /// A lowering as it is put in: the passes of its pipeline before it, itself, and those after it.
    fn put_in(&self, def: &'static PassDef, loc: Loc) -> Result<Around, Stop> {
        let registry = self.manager.registry;
        let standard = registry.pipelines().find(|pipeline| pipeline.lowering == def.name);
        if let Some(standard) = standard.filter(|_| self.manager.options.auto_lower == AutoLower::Standard) {
            return around(registry, standard).map_err(|why| {
                let message = format!("the pipeline '{}' cannot be put in for '{}': {why}", standard.name, def.name);
                let error = Diagnostic::error(&LAYER_MISSING, loc, message);
                self.diags.emit(error.suggest("--exact-lowering puts in the lowering alone"));
                self.stop(def.name)
            });
        }
        let pass = PassUse::plain(def).map_err(|reason| {
            let message = format!("the pass '{}' cannot be put in without options: {reason}", def.name);
            self.diags.emit(Diagnostic::error(&LAYER_MISSING, loc, message));
            self.stop(def.name)
        })?;
        Ok((Vec::new(), pass, Vec::new()))
    }

    /// Runs a pass on some functions, as one that was put in with others of a group.
    fn insert(
        &mut self,
        pass: PassUse,
        only: FxHashSet<Path>,
        group: usize,
        module: &mut Body,
    ) -> Result<GroupResult, Stop> {
        let root = (pass.def.on == On::EachBody).then(|| self.common_root(&only, module)).flatten();
        // Shown as a pass for the ops that it runs on, since elsewhere it is not wanted.
        let shown_in = root.map(|name| (Anchor::Op(name), u32::MAX - group as u32));
        let costs = Costs::new(pass.def);
        let step = Step { costs, pass, nest: Vec::new(), only: Some(only), shown_in };
        self.run_steps(vec![step], true, module)
    }

    /// The name of the op that some functions of the module are, when it is one.
    fn common_root(&self, paths: &FxHashSet<Path>, module: &Body) -> Option<String> {
        let mut names = paths.iter().map(|path| match path[..] {
            [op] => Some(self.how.ctx.op_name_str(module.op_name(op))),
            _ => None,
        });
        let first = names.next()??;
        names.all(|name| name == Some(first)).then(|| first.to_string())
    }

    /// Some function must be on the layer that was asked for; others may have no way there, or be past it.
    fn arrived(&mut self, layer: &str, module: &Body) -> Result<(), Stop> {
        let placed = self.survey(module);
        let Some(first) = placed.first().filter(|_| !placed.iter().any(|p| p.layers.have(&[layer]))) else {
            return Ok(());
        };
        let has = first.layers.names().join("', '");
        let message = format!("no registered pass leads from the layer '{has}' to '{layer}'");
        let dialects = self.how.ctx.dialects().iter().map(|dialect| dialect.name);
        let known = dialects.chain(self.manager.registry.passes().flat_map(|def| def.adds.iter().copied()));
        let root = first.root(self.how.ctx, module);
        let error = Diagnostic::error(&LAYER_MISSING, root.loc(), message).at(root.name());
        self.diags.emit(error.suggest_if(did_you_mean(layer, known.filter(|&name| name != layer))));
        Err(self.stop("lower-to"))
    }

    /// The lowering to put in next, if some function needs one; else those that are where they should be.
    fn next_lowering(
        &mut self,
        lowerings: &Lowerings,
        pass: &str,
        wanted: &[&str],
        nest: &[(Anchor, u32)],
        module: &Body,
    ) -> Result<Next, Stop> {
        let ctx = self.how.ctx;
        let placed = self.survey(module);
        let concerned = placed.iter().filter(|p| in_nest(ctx, nest, module, p));
        let ways = concerned.filter_map(|p| Some((lowerings.path(&p.layers, wanted)?, p)));
        let ways: Vec<_> = ways.filter(|(way, _)| !way.is_empty()).collect();
        let Some(longest) = ways.iter().map(|(way, _)| way.len()).max() else {
            let ready = placed.iter().filter(|p| p.layers.have(wanted));
            return Ok(Next::Ready(ready.map(|p| p.path.clone()).collect()));
        };
        // The functions that are farthest away go first: others may join them on their way.
        let far = ways.iter().filter(|(way, _)| way.len() == longest).map(|(way, _)| way[0]);
        let def = far.min_by_key(|def| def.name).expect("some way is the longest");
        let goers = || ways.iter().filter(|(way, _)| way[0].name == def.name).map(|(_, placed)| placed);
        let needs = format!("'{pass}' needs the layer '{}'", wanted.join("', '"));
        for goer in goers() {
            let root = goer.root(ctx, module);
            let function = root.symbol_name().map_or("a function".into(), |name| format!("@{name}"));
            if self.manager.options.auto_lower == AutoLower::Off {
                let message = format!("{needs}, which {function} has not reached");
                let error = Diagnostic::error(&LAYER_MISSING, root.loc(), message).at(root.name());
                self.diags.emit(error.suggest(format!("run '{}' before, or allow automatic lowering", def.name)));
            } else if self.how.remarks {
                let message = format!("put in to lower {function}: {needs}");
                let error = Diagnostic::error(&REMARK, root.loc(), message);
                let remark = Some((def.name, RemarkKind::Passed));
                self.diags.emit(Diagnostic { severity: Severity::Remark, remark, ..error });
            }
        }
        if self.manager.options.auto_lower == AutoLower::Off {
            return Err(self.stop(pass));
        }
        let first = goers().next().expect("the pass is one that somebody needs");
        let loc = first.root(ctx, module).loc();
        let only = goers().map(|placed| placed.path.clone()).collect();
        Ok(Next::Lowering(Lowering { def, only, loc }))
    }

    fn stop(&self, pass: &str) -> Stop {
        let (kind, pass) = (FailureKind::Failed, pass.to_string());
        Box::new(Failure { kind, pipeline: pass.clone(), pass, before: None })
    }
}

/// Whether a pass can go on in the pass group that ends with `last`.
fn fits(last: &Step, def: &'static PassDef, nest: &[(Anchor, u32)]) -> bool {
    // Deeper nests are judged by the names of the ops around, which must not change meanwhile.
    let deeper = nest.len() > 1 && nest != last.nest;
    let own = last.pass.def;
    own.on != On::Module
        && def.on != On::Module
        && !own.is_layered()
        && !def.is_layered()
        && !def.reads_symbols
        && !deeper
}

fn in_nest(ctx: &Context, nest: &[(Anchor, u32)], module: &Body, placed: &Placed<'_>) -> bool {
    let mut body = module;
    for (depth, (anchor, _)) in nest.iter().enumerate() {
        let Some(&op) = placed.path.get(depth) else { return false };
        let fits = match anchor {
            Anchor::Any => true,
            Anchor::Op(name) => ctx.op_name_str(body.op_name(op)) == name,
        };
        match body.nested(op) {
            Some(nested) if fits => body = nested,
            _ => return false,
        }
    }
    true
}

fn nested(pass: &PassUse, nest: &[(Anchor, u32)]) -> Item {
    let inner = Item::Pass(pass.clone());
    nest.iter().rev().fold(inner, |inner, (anchor, _)| Item::Nest(anchor.clone(), vec![inner]))
}

/// The stamp of every body, outer ones first.
fn stamps(body: &Body) -> Vec<u64> {
    let mut list = vec![body.edits()];
    for op in body.nested_ops() {
        list.extend(body.nested(op).map(stamps).unwrap_or_default());
    }
    list
}

/// Verifies the bodies inside one whose stamp is another now; all, when ops around them have changed.
fn verify_nested(
    ctx: &Context,
    body: &Body,
    same_shape: bool,
    stamps: &mut impl Iterator<Item = u64>,
    diags: &Diagnostics,
) {
    for op in body.nested_ops() {
        let Some(nested) = body.nested(op) else { continue };
        let same = same_shape && stamps.next() == Some(nested.edits());
        if !same {
            verify_body(ctx, nested, diags);
        }
        verify_nested(ctx, nested, same, stamps, diags);
    }
}

#[cfg(test)]
mod tests;
