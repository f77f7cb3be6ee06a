//! From the text of a program to a function that can be run.

use std::sync::Arc;

use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::location::SourceFile;
use dlc_ir::pass::DebugCounters;
use dlc_ir::pass::instrument::Instrument;
use dlc_ir::pass::manager::{FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::text::ParseOptions;
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Loc};
use dlc_opt::function::{Function, functions};
use dlc_opt::plugin::{self, Processes};
use dlc_opt::{Status, input};

use crate::options::Passes;

dlc_ir::codes! {
    /// It is not clear which function of a program is to be run.
    NO_FUNCTION = "E0531" "NoFunction";
}

/// The pipeline that is run when none is given, if it is registered.
const STANDARD: &str = "evaluate";

/// The pipeline to run. What is wrong with it is reported.
pub fn pipeline(registry: &Registry, ctx: &Context, passes: &Passes, diags: &Diagnostics) -> Option<Pipeline> {
    let (source, text) = match passes {
        Passes::Standard if registry.pipeline(STANDARD).is_some() => ("<evaluate>", STANDARD),
        Passes::Standard | Passes::None => return Some(Pipeline::default()),
        Passes::Text(text) => ("<passes>", text.as_str()),
    };
    Pipeline::parse_reporting(registry, ctx, (source, text), false, diags)
}

/// Reads a program from a file that is read, and verifies it. What is wrong with it is reported.
///
/// The plans of other files are put next to its kernels.
pub fn read(
    ctx: &Context,
    registry: &Registry,
    file: &Arc<SourceFile>,
    plans: &[Arc<SourceFile>],
    diags: &Diagnostics,
) -> Option<Body> {
    let mut module = input::module(ctx, registry, file, 0..file.text.len(), ParseOptions::default(), diags)?;
    for plans in plans {
        input::add_plans(ctx, registry, &mut module, plans, diags)?;
    }
    (verify(ctx, &module, diags) && diags.errors() == 0).then_some(module)
}

/// The function that is meant: the one of a name, or the only one that is not private, or the only one. Otherwise it is
/// reported which there are.
pub fn choose(ctx: &Context, module: &Body, name: Option<&str>, diags: &Diagnostics) -> Option<Function> {
    let all = functions(ctx, module);
    let names = all.iter().map(|function| format!("@{}", function.name)).collect::<Vec<_>>().join(", ");
    let fail = |message: String, suggestion: Option<String>| {
        diags.emit(Diagnostic::error(&NO_FUNCTION, Loc::UNKNOWN, message).suggest_if(suggestion));
        None
    };
    if all.is_empty() {
        return fail("the program has no function with a body".into(), None);
    }
    if let Some(name) = name {
        let found = all.iter().find(|function| function.name == name).cloned();
        let near = || did_you_mean(name, all.iter().map(|function| function.name.as_str()));
        return found.or_else(|| fail(format!("the program has no function @{name}; it has {names}"), near()));
    }
    let public: Vec<&Function> = all.iter().filter(|function| !function.is_private).collect();
    match (&public[..], &all[..]) {
        ([only], _) => Some((*only).clone()),
        ([], [only]) => Some(only.clone()),
        _ => fail(format!("the program has several functions: {names}"), Some("choose one with --function".into())),
    }
}

/// When the verifier looks at what passes leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verified {
    /// After every pass: of those that the user names, so that the report names the one that breaks something.
    Each,
    /// Once, at the end: the pipelines of dlc are verified pass by pass in its tests, and by `dlc-opt`.
    AtEnd,
}

/// When that is for the passes that run before evaluation.
pub fn verified(passes: &Passes) -> Verified {
    if matches!(passes, Passes::Text(_)) { Verified::Each } else { Verified::AtEnd }
}

/// Runs passes on a module, under the eyes of some. What goes wrong is reported, and makes the status.
#[allow(clippy::too_many_arguments)]
pub fn transform(
    ctx: &Context,
    registry: &Registry,
    pipeline: &Pipeline,
    module: &mut Body,
    threads: usize,
    verified: Verified,
    watch: &[&dyn Instrument],
    diags: &Diagnostics,
) -> Result<(), Status> {
    if pipeline.is_empty() {
        return Ok(());
    }
    let host = Processes::new(false, plugin::TIMEOUT);
    let manager = Manager {
        ctx,
        registry,
        options: ManagerOptions { threads, verify_each: verified == Verified::Each, ..ManagerOptions::default() },
        instruments: watch.to_vec(),
        counters: &DebugCounters::off(),
        host: &host,
    };
    match manager.run(pipeline, module, diags).failure {
        None if verified == Verified::Each || verify(ctx, module, diags) => Ok(()),
        None => Err(Status::Internal),
        Some(failure) if failure.kind == FailureKind::Failed && !host.blamed() => Err(Status::Failure),
        Some(_) => Err(Status::Internal),
    }
}
