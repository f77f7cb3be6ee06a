//! `--dump`: each function as it reaches a layer, and the way to layers that the passes do not reach.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use dlc_ir::body::OpRef;
use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::layers::{Added, Lowerings, accompanied, dialect_of, survey};
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost, PassResult};
use dlc_ir::text::{PrintOptions, print_body, print_op};
use dlc_ir::{Body, Context};

use crate::json;
use crate::layers::{CUDA, depth, layer_name, pipeline_to};

/// `--dump`: each function as it reaches a layer.
pub struct Dump<'a> {
    /// The words that were given, with the layers that they mean.
    layers: Vec<(&'a str, &'a str)>,
    registry: &'a Registry,
    json: bool,
    options: PrintOptions,
    state: Mutex<(String, Seen)>,
}

/// What was dumped: the word for a layer, the name of a function or what accompanies it, and which of that name it is.
type Seen = HashSet<(String, String, usize)>;

impl<'a> Dump<'a> {
    /// Dumps these layers.
    pub fn new(registry: &'a Registry, words: &'a [String], json: bool, options: PrintOptions) -> Self {
        let layers = words.iter().map(|word| (word.as_str(), layer_name(word))).collect();
        Dump { layers, registry, json, options, state: Mutex::default() }
    }

    /// What was dumped.
    pub fn text(&self) -> String {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// The pipelines that lead a module to the layers that some function of it can be lowered to, in their order: to
    /// plans first, which what is below follows, and then to the lowest one, on whose way the others are.
    pub fn missing(&self, ctx: &Context, module: &Body) -> Vec<Pipeline> {
        let lowerings = Lowerings::of(self.registry);
        let functions = survey(ctx, module, &Added::default());
        let is_below = |layer: &&str| {
            let mut ways = functions.iter().filter_map(|function| lowerings.path(&function.layers, &[layer]));
            ways.any(|way| !way.is_empty())
        };
        let layers = self.layers.iter().map(|&(_, layer)| if layer == VIEWS { VIEWED.0 } else { layer });
        let layers: Vec<&str> = layers.filter(is_below).collect();
        let plans = layers.iter().find(|layer| **layer == PLANS);
        let lowest = layers.iter().filter(|layer| **layer != PLANS).max_by_key(|layer| depth(layer));
        let texts = plans.into_iter().chain(lowest).map(|layer| pipeline_to(self.registry, layer));
        texts.filter_map(|text| Pipeline::parse(self.registry, &text).ok()).collect()
    }

    /// Shows the kernels that no pass has lowered further, and notes of which layers there was nothing to show.
    pub fn end(&self, ctx: &Context, module: &Body) {
        self.look(ctx, module, true);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, seen) = &mut *state;
        for (word, _) in &self.layers {
            if !seen.iter().any(|(own, ..)| own == word) {
                let _ = writeln!(text, "// no {word}: nothing in the module is on this layer or can be lowered to it");
            }
        }
    }

    /// A copy of the module with the views of its programs, if there are some whose views were not dumped.
    fn viewed(&self, ctx: &Context, module: &Body, seen: &Seen) -> Option<Body> {
        let mut programs = Vec::new();
        find(ctx, module, VIEWED.0, &mut programs);
        let (word, _) = self.layers.iter().find(|(_, layer)| *layer == VIEWS)?;
        programs.iter().find(|(name, _)| !seen.contains(&(word.to_string(), name.clone(), 0)))?;
        let pipeline = Pipeline::parse(self.registry, VIEWED.1).ok()?;
        let (counters, options) = (DebugCounters::off(), ManagerOptions::default());
        let registry = self.registry;
        let manager = Manager { ctx, registry, options, instruments: Vec::new(), counters: &counters, host: &NoHost };
        let mut copy = module.clone();
        manager.run(&pipeline, &mut copy, &Diagnostics::new()).failure.is_none().then_some(copy)
    }

    /// Dumps what has reached a layer; kernels with all that was done to them, where that has come to its end.
    fn look(&self, ctx: &Context, module: &Body, kernels_done: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, seen) = &mut *state;
        for (word, layer) in &self.layers {
            if *layer == KERNELS && !kernels_done {
                continue;
            }
            let mut fresh = Vec::new();
            let viewed = (*layer == VIEWS).then(|| self.viewed(ctx, module, seen)).flatten();
            let module = viewed.as_ref().unwrap_or(module);
            find(ctx, module, layer, &mut fresh);
            let mut counts: HashMap<String, usize> = HashMap::new();
            fresh.retain(|(name, _)| {
                let count = counts.entry(name.clone()).or_default();
                *count += 1;
                seen.insert((word.to_string(), name.clone(), *count - 1))
            });
            if *word == CUDA {
                if !fresh.is_empty() {
                    let _ = writeln!(text, "// -----// {word} //----- //");
                    let cuda = cuda(ctx, module);
                    *text += &cuda.unwrap_or_else(|why| format!("// no CUDA C++: {why}\n"));
                }
                continue;
            }
            for (name, view) in fresh {
                let _ = writeln!(text, "// -----// {word} {name} //----- //");
                if self.json {
                    let diags = Diagnostics::new();
                    match json::write_op(ctx, self.registry, view, &diags) {
                        Some(json) => *text += &json,
                        None => {
                            let why = diags.take().into_iter().next().map_or(String::new(), |error| error.message);
                            let _ = writeln!(text, "// no JSON: {why}");
                        }
                    }
                } else {
                    let _ = writeln!(text, "{}", print_op(ctx, view.body, view.id, self.options));
                }
            }
        }
    }
}

/// What `dlc-translate`, which lies next to this program, writes of a module of kernels in instructions.
fn cuda(ctx: &Context, module: &Body) -> Result<String, String> {
    let mut text = String::new();
    print_body(ctx, module, PrintOptions::default(), &mut |piece| text.push_str(piece));
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = own.with_file_name(format!("dlc-translate{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(&program);
    command.args(["-", "--to-cuda"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("'{}' does not start: {error}", program.display()))?;
    // It reads all of the module before it writes; a program that ends before that says why.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(shown(&output.stdout)),
        false => Err(shown(&output.stderr).lines().next().unwrap_or("it failed").to_string()),
    }
}

/// The layer whose functions are what their plans require when passes have done that.
const KERNELS: &str = "kernel";
/// The layer of what says how kernels are made.
const PLANS: &str = "plan";
/// The layer that describes programs of another one and is on no way down.
const VIEWS: &str = "poly";
/// The layer that it describes, and the pass that makes it.
const VIEWED: (&str, &str) = ("book", "build-poly-view");

/// The ops of a dialect directly in modules, with the symbols that they define or accompany.
fn find<'a>(ctx: &'a Context, body: &'a Body, dialect: &str, list: &mut Vec<(String, OpRef<'a>)>) {
    for &region in body.regions(body.root()) {
        for op in body.blocks(region).flat_map(|block| body.ops(block)) {
            let view = OpRef::new(ctx, body, op);
            if dialect_of(view.name()) == dialect {
                let name = view.symbol().or_else(|| accompanied(view)).map_or("", |name| view.ctx.str(name));
                list.push((format!("@{name}"), view));
            } else if let Some(nested) = body.nested(op).filter(|_| view.is(&dlc_ir::builtin::MODULE)) {
                find(ctx, nested, dialect, list);
            }
        }
    }
}

impl Instrument for Dump<'_> {
    fn start(&self, ctx: &Context, module: &Body) {
        self.look(ctx, module, false);
    }

    fn before(&self, at: &At<'_>, module: &Body) {
        if at.pass.def.removes.contains(&KERNELS) {
            self.look(at.ctx, module, true);
        }
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        self.look(at.ctx, module, false);
        Ok(())
    }

    fn failed(&self, at: &At<'_>, module: Option<&Body>) {
        if let Some(module) = module {
            self.look(at.ctx, module, true);
        }
    }
}
