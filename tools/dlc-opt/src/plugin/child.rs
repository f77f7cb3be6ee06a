//! The child copy of the program: opens libraries, says what they have or runs a pipeline, answers, ends.

use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::DebugCounters;
use dlc_ir::pass::manager::{FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::outside::hand_out;
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};

use super::protocol::{PluginInfo, Reply, Request, RunRequest, WireDiagnostic, marks};
use super::{Processes, TIMEOUT, native};
use crate::{Io, Setup, Status};

/// The first argument of a child. Nothing for people: what it reads is on standard input.
pub const FLAG: &str = "--plugin-child";

/// Answers one request.
pub fn main(setup: &Setup, io: &mut Io<'_>) -> Status {
    let mut input = String::new();
    let read = io.stdin.read_to_string(&mut input);
    let (line, text) = input.split_once('\n').unwrap_or((&input, ""));
    let request: Request = match (read, serde_json::from_str(line)) {
        (Ok(_), Ok(request)) => request,
        _ => {
            let _ = writeln!(io.stderr, "error: {FLAG} is for the program itself, to run plugins");
            return Status::Usage;
        }
    };
    let (reply, module) = answer(setup, &request, text);
    let (start, end) = marks(&request.mark);
    let line = serde_json::to_string(&reply).expect("strings and numbers are JSON");
    // In one piece, after whatever a plugin has printed.
    let answer = format!("{start}{line}\n{module}{end}");
    match io.stdout.write_all(answer.as_bytes()).and_then(|()| io.stdout.flush()) {
        Ok(()) => Status::Success,
        Err(_) => Status::Internal,
    }
}

fn answer(setup: &Setup, request: &Request, text: &str) -> (Reply, String) {
    let mut infos = Vec::new();
    let mut dialects = setup.dialects.clone();
    let mut registry = setup.registry.clone();
    for library in &request.libraries {
        match native::load(library) {
            Ok((name, plugin)) => {
                infos.push(PluginInfo::of(name, &plugin));
                dialects.extend(&plugin.dialects);
                plugin.passes.iter().for_each(|def| registry.add_pass(def));
                plugin.pipelines.iter().for_each(|def| registry.add_pipeline(def));
            }
            Err(refusal) => return (Reply::Refused(refusal), String::new()),
        }
    }
    let Some(run) = &request.run else { return (Reply::Plugins(infos), String::new()) };
    let ctx = Context::new(dialects);
    let setup = Setup { dialects: Vec::new(), registry, plugins: Default::default() };
    let diags = Diagnostics::new();
    let mut statistics = Vec::new();
    let mut mistake = false;
    let module = run_pipeline(&ctx, &setup, run, text, &diags, &mut statistics, &mut mistake);
    let diagnostics = diags.take().iter().map(|d: &Diagnostic| WireDiagnostic::of(&ctx, d)).collect();
    let ok = module.is_some();
    let text = module.map_or(String::new(), |module| hand_out(&ctx, &module, true, true));
    (Reply::Ran { diagnostics, statistics, ok, mistake }, text)
}

/// The module that a pipeline leaves, if all goes well.
fn run_pipeline(
    ctx: &Context,
    setup: &Setup,
    run: &RunRequest,
    text: &str,
    diags: &Diagnostics,
    statistics: &mut Vec<(String, String, u64)>,
    mistake: &mut bool,
) -> Option<Body> {
    let registry = &setup.registry;
    let pipeline = Pipeline::parse_reporting(registry, ctx, ("<plugin pipeline>", &run.pipeline), true, diags)?;
    let file = ctx.sources.add("<plugin input>", text.to_string())?;
    let options = ParseOptions { allow_unregistered: run.allow_unregistered };
    let mut module = parse_module(ctx, &file, 0..file.text.len(), options, diags).ok()?;
    if !verify(ctx, &module, diags) {
        return None;
    }
    let host = Processes::new(run.allow_unregistered, TIMEOUT);
    let counters = DebugCounters::off();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = ManagerOptions { threads, remarks: run.remarks, ..ManagerOptions::default() };
    let manager = Manager { ctx, registry, options, instruments: Vec::new(), counters: &counters, host: &host };
    let outcome = manager.run(&pipeline, &mut module, diags);
    for pass in &outcome.report.passes {
        for (declared, &amount) in pass.def.statistics.iter().zip(&pass.statistics) {
            statistics.push((pass.def.name.into(), declared.name.into(), amount));
        }
    }
    match outcome.failure {
        None => Some(module),
        Some(failure) => {
            *mistake = failure.kind != FailureKind::Failed || host.blamed();
            None
        }
    }
}
