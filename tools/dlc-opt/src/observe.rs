//! Printing the IR between passes.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use dlc_ir::body::OpRef;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::layers::{accompanied, dialect_of};
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost, PassResult};
use dlc_ir::text::{PrintOptions, print_body, print_op};
use dlc_ir::{Body, Context, Loc};
use similar::TextDiff;

use crate::args::{CUDA, Print, layer_name};
use crate::input::CANNOT_WRITE;
use crate::json;
use crate::output::write_file;

/// Prints the module before and after passes.
pub struct PrintIr<'a> {
    print: &'a Print,
    options: PrintOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is to be shown.
    shown: String,
    /// The module before the pass that runs, when differences are shown.
    before: String,
    /// Each function before the pass that runs, when a tree of files is written.
    functions: Vec<(PathBuf, String)>,
    /// What could not be written.
    errors: Vec<String>,
}

impl<'a> PrintIr<'a> {
    /// Prints what is wanted.
    pub fn new(print: &'a Print, options: PrintOptions) -> Self {
        PrintIr { print, options, state: Mutex::default() }
    }

    /// What is to be shown; what could not be written is reported.
    pub fn finish(self, diags: &Diagnostics) -> String {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        for error in state.errors {
            diags.emit(Diagnostic::error(&CANNOT_WRITE, Loc::UNKNOWN, error));
        }
        state.shown
    }

    fn text(&self, ctx: &Context, module: &Body, generic: bool) -> String {
        let options = PrintOptions { generic: generic || self.options.generic, ..self.options };
        let mut text = String::new();
        print_body(ctx, module, options, &mut |piece| text.push_str(piece));
        text
    }

    fn show(&self, state: &mut State, at: &At<'_>, what: &str, text: &str) {
        let _ = write!(state.shown, "// -----// IR {what} {} ({}) //----- //\n{text}", at.pass.def.name, at.pipeline);
    }

    fn tree(&self, state: &mut State, at: &At<'_>, module: &Body) {
        let Some(dir) = &self.print.tree_dir else { return };
        let mut now = Vec::new();
        functions(at.ctx, module, &PathBuf::from(dir), self.options, &mut now);
        let before: HashSet<&(PathBuf, String)> = state.functions.iter().collect();
        for function in now.iter().filter(|function| !before.contains(function)) {
            let (path, text) = function;
            let file = path.join(format!("{:03}_{}.mlir", at.number, at.pass.def.name));
            let written = std::fs::create_dir_all(path)
                .and_then(|()| write_file(&file.to_string_lossy(), |to| to.write_all(text.as_bytes())));
            if let Err(error) = written {
                state.errors.push(format!("'{}' cannot be written: {error}", file.display()));
            }
        }
        state.functions = now;
    }
}

impl Instrument for PrintIr<'_> {
    fn start(&self, ctx: &Context, module: &Body) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.print.as_diff {
            state.before = self.text(ctx, module, false);
        }
        if let Some(dir) = &self.print.tree_dir {
            functions(ctx, module, &PathBuf::from(dir), self.options, &mut state.functions);
        }
    }

    fn before(&self, at: &At<'_>, module: &Body) {
        if self.print.before_all || self.print.before.iter().any(|name| name == at.pass.def.name) {
            let text = self.text(at.ctx, module, false);
            self.show(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner), at, "before", &text);
        }
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        let named = self.print.after.iter().any(|name| name == at.pass.def.name);
        let wanted = named || self.print.after_all || (self.print.after_change && at.changed);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted {
            let text = self.text(at.ctx, module, false);
            self.show(&mut state, at, "after", &text);
        }
        if self.print.as_diff && at.changed {
            let text = self.text(at.ctx, module, false);
            let diff = diff(&state.before, &text, "before", "after");
            self.show(&mut state, at, "changed by", &diff);
            state.before = text;
        }
        if at.changed {
            self.tree(&mut state, at, module);
        }
        Ok(())
    }

    fn failed(&self, at: &At<'_>, module: Option<&Body>) {
        if let Some(module) = module.filter(|_| self.print.after_failure) {
            let text = self.text(at.ctx, module, true);
            self.show(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner), at, "after failed", &text);
        }
    }
}

/// The folder and text of each isolated op that holds no others, below the module.
fn functions(
    ctx: &Context,
    body: &Body,
    dir: &std::path::Path,
    options: PrintOptions,
    list: &mut Vec<(PathBuf, String)>,
) {
    for (number, op) in body.nested_ops().into_iter().enumerate() {
        let Some(nested) = body.nested(op) else { continue };
        let root = OpRef::new(ctx, nested, nested.root());
        let name = root.symbol_name().map_or_else(|| format!("{number}_{}", root.name()), str::to_string);
        let safe = |c: char| if c.is_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        // A name that is only dots would leave the directory.
        let name: String = name.chars().map(safe).take(100).collect();
        let name = if name.trim_matches('.').is_empty() { format!("{number}_") } else { name };
        let path = dir.join(name);
        if nested.nested_ops().is_empty() {
            list.push((path, print_op(ctx, body, op, options) + "\n"));
        } else {
            functions(ctx, nested, &path, options, list);
        }
    }
}

/// The differences of two texts, in the unified form.
pub fn diff(before: &str, after: &str, old: &str, new: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(old, new).to_string()
}

/// `--dump`: each function as it reaches a layer.
pub struct Dump<'a> {
    /// The words that were given, with the layers that they mean.
    layers: Vec<(&'a str, &'a str)>,
    registry: &'a Registry,
    json: bool,
    options: PrintOptions,
    state: Mutex<(String, HashSet<(String, String)>)>,
}

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

    /// A copy of the module with the views of its programs, if there are some whose views were not dumped.
    fn viewed(&self, ctx: &Context, module: &Body, seen: &HashSet<(String, String)>) -> Option<Body> {
        let mut programs = Vec::new();
        find(ctx, module, VIEWED.0, &mut programs);
        let (word, _) = self.layers.iter().find(|(_, layer)| *layer == VIEWS)?;
        programs.iter().find(|(name, _)| !seen.contains(&(word.to_string(), name.clone())))?;
        let pipeline = Pipeline::parse(self.registry, VIEWED.1).ok()?;
        let (counters, options) = (DebugCounters::off(), ManagerOptions::default());
        let registry = self.registry;
        let manager = Manager { ctx, registry, options, instruments: Vec::new(), counters: &counters, host: &NoHost };
        let mut copy = module.clone();
        manager.run(&pipeline, &mut copy, &Diagnostics::new()).failure.is_none().then_some(copy)
    }

    fn look(&self, ctx: &Context, module: &Body) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, seen) = &mut *state;
        for (word, layer) in &self.layers {
            let mut fresh = Vec::new();
            let viewed = (*layer == VIEWS).then(|| self.viewed(ctx, module, seen)).flatten();
            let module = viewed.as_ref().unwrap_or(module);
            find(ctx, module, layer, &mut fresh);
            fresh.retain(|(name, _)| seen.insert((word.to_string(), name.clone())));
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

/// What `dlc-translate`, which lies beside this program, writes of a module of kernels in instructions.
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
                let name = view.symbol_name().or_else(|| accompanied(view)).unwrap_or("");
                list.push((format!("@{name}"), view));
            } else if let Some(nested) = body.nested(op).filter(|_| view.is(&dlc_ir::builtin::MODULE)) {
                find(ctx, nested, dialect, list);
            }
        }
    }
}

impl Instrument for Dump<'_> {
    fn start(&self, ctx: &Context, module: &Body) {
        self.look(ctx, module);
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        self.look(at.ctx, module);
        Ok(())
    }
}
