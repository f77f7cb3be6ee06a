//! Printing the IR between passes.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use dlc_ir::body::OpRef;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::PassResult;
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::text::{PrintOptions, print_body, print_op};
use dlc_ir::{Body, Context, Loc};
use similar::TextDiff;

use crate::args::Print;
use crate::input::CANNOT_WRITE;
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
