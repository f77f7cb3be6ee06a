//! From text to text: reading, verifying, running passes, writing.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::SourceFile;
use dlc_ir::pass::instrument::Instrument;
use dlc_ir::pass::manager::{AutoLower, Failure, FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::{Item, Pipeline};
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::reproducer::Reproducer;
use dlc_ir::pass::timing::Report;
use dlc_ir::pass::{DebugCounters, take_outputs};
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Loc};

use crate::args::Options;
use crate::dump::Dump;
use crate::evaluate::Evaluate;
use crate::expect::Expectations;
use crate::explore::Explore;
use crate::layers::unknown_layer;
use crate::observe::PrintIr;
use crate::output::write_file;
use crate::outputs::Outputs;
use crate::plugin::{self, Processes};
use crate::progress::Progress;
use crate::report::Reporter;
use crate::{Io, Setup, Status, input, json};

/// Does what the options say, apart from listing.
pub fn opt(setup: &Setup, options: &Options, io: &mut Io<'_>) -> Status {
    let ctx = Context::new(setup.dialects.iter().copied());
    let mut reporter = Reporter::new(&ctx, options);
    let (status, results) = match Run::new(&ctx, setup, options, io, &mut reporter) {
        Ok(run) => run.all(io, &mut reporter),
        Err(status) => (status, Vec::new()),
    };
    reporter.finish(io);
    if status != Status::Success || options.no_output {
        return status;
    }
    let print = print_options(options, options.generic);
    let written = match options.output.as_str() {
        // What goes wrong with a stream is reported at the end, for all that is written there.
        "-" => {
            let _ = write_results(&ctx, &results, print, io.stdout);
            return Status::Success;
        }
        name => write_file(name, |file| write_results(&ctx, &results, print, file)),
    };
    match written {
        // Who stops reading a pipe has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Status::Success,
        Err(error) => {
            let message = format!("'{}' cannot be written: {error}", options.output);
            reporter.take(vec![Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message)]);
            reporter.finish(io);
            Status::Failure
        }
        Ok(()) => Status::Success,
    }
}

/// What is written of a part.
enum Output {
    /// The module, as IR.
    Module(Box<Body>),
    /// Its JSON.
    Json(String),
}

/// Writes results as they are printed, piece by piece: the text of a large module need not fit in memory besides it.
fn write_results(ctx: &Context, results: &[Output], options: PrintOptions, to: &mut dyn Write) -> std::io::Result<()> {
    let mut written = Ok(());
    let mut write = |piece: &str| {
        if written.is_ok() {
            written = to.write_all(piece.as_bytes());
        }
    };
    for (number, result) in results.iter().enumerate() {
        if number > 0 {
            write("// -----\n");
        }
        match result {
            Output::Module(module) => print_body(ctx, module, options, &mut write),
            Output::Json(text) => write(text),
        }
    }
    written
}

fn print_options(options: &Options, generic: bool) -> PrintOptions {
    let (locations, elide_elements) = (options.locations, options.elide_elements);
    PrintOptions { generic, locations, elide_elements }
}

/// Everything that the parts of an input have in common.
struct Run<'a> {
    ctx: &'a Context,
    registry: &'a Registry,
    plugins: &'a Arc<plugin::Plugins>,
    options: &'a Options,
    file: Arc<SourceFile>,
    pipeline: Pipeline,
    allow_unregistered: bool,
    verify_each: bool,
    auto_lower: AutoLower,
    /// The seed of the order in which the program is run between passes, if it is.
    evaluate_each: Option<u64>,
    counters: DebugCounters,
    host: Processes,
}

/// The result of a part.
struct Part {
    status: Status,
    /// What to write, of a success.
    result: Option<Output>,
    report: Option<Report>,
}

impl<'a> Run<'a> {
    fn new(
        ctx: &'a Context,
        setup: &'a Setup,
        options: &'a Options,
        io: &mut Io<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Run<'a>, Status> {
        let diags = Diagnostics::new();
        let registry = &setup.registry;
        // A wrong pipeline is found before a large file is read.
        let mut pipeline = Some(Pipeline::default());
        if let Some((text, source)) = &options.pipeline {
            pipeline = Pipeline::parse_reporting(registry, ctx, (source, text), options.allow_unregistered, &diags);
        }
        let Some(mut pipeline) = pipeline else {
            reporter.take(diags.take());
            return Err(Status::Usage);
        };
        for (option, words) in [("dump", &options.dump), ("emit", &options.emit)] {
            if let Some(message) = unknown_layer(ctx, registry, words) {
                let _ = writeln!(io.stderr, "error: --{option}: {message}");
                return Err(Status::Usage);
            }
        }
        let Some(file) = input::read(ctx, &options.input, io.stdin, &diags) else {
            reporter.take(diags.take());
            return Err(Status::Failure);
        };
        let (mut allow_unregistered, mut verify_each, mut auto_lower) =
            (options.allow_unregistered, options.verify_each, options.auto_lower);
        let mut evaluate_each = options.evaluate_each.then_some(options.order_seed);
        if options.run_reproducer {
            let Some(reproducer) = Reproducer::read(&file.text) else {
                let message = format!("'{}' is no reproducer: it does not say what to run", file.name);
                reporter.take(vec![Diagnostic::error(&input::CANNOT_READ, Loc::UNKNOWN, message)]);
                return Err(Status::Failure);
            };
            allow_unregistered |= reproducer.allow_unregistered;
            let text = ("<reproducer>", reproducer.pipeline.as_str());
            match Pipeline::parse_reporting(registry, ctx, text, allow_unregistered, &diags) {
                Some(read) => pipeline = read,
                None => {
                    reporter.take(diags.take());
                    return Err(Status::Failure);
                }
            }
            verify_each = reproducer.verify_each;
            auto_lower = reproducer.auto_lower;
            evaluate_each = evaluate_each.or(reproducer.evaluate_each);
        }
        plugin::delegate::put_in(&mut pipeline, &setup.plugins);
        let counting = options.debug_counter_report || !options.debug_counters.is_empty();
        Ok(Run {
            ctx,
            registry,
            plugins: &setup.plugins,
            options,
            file,
            pipeline,
            allow_unregistered,
            verify_each,
            auto_lower,
            evaluate_each,
            counters: match counting {
                true => DebugCounters::new(options.debug_counters.iter().cloned()),
                false => DebugCounters::off(),
            },
            host: Processes::new(allow_unregistered, options.plugin_timeout),
        })
    }

    /// Every part of the input. The result is of use when the status is a success.
    fn all(&self, io: &mut Io<'_>, reporter: &mut Reporter<'_>) -> (Status, Vec<Output>) {
        let whole = || std::iter::once(0..self.file.text.len()).collect();
        let parts: Vec<Range<usize>> = if self.options.split { input::split(&self.file.text) } else { whole() };
        let mut status = Status::Success;
        let mut results = Vec::new();
        let mut outputs = Outputs::new(self.options.output_dir.as_deref());
        for (number, range) in parts.into_iter().enumerate() {
            let diags = Diagnostics::new();
            let explore = || Explore::new(self.registry, &self.file.name, self.print_options());
            let explore = self.options.explore.as_ref().map(|file| (file, explore()));
            let part = self.part(range.clone(), explore.as_ref().map(|(_, explore)| explore), &diags, io);
            let mut found = diags.take();
            let mut failed = outputs.give(take_outputs(&mut found), io);
            if let Some((file, explore)) = explore {
                let page = explore.page(self.ctx, &self.file.text, &found);
                failed.extend(write_file(file, |to| to.write_all(page.as_bytes())).err().map(|error| {
                    let message = format!("'{file}' cannot be written: {error}");
                    Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message)
                }));
            }
            let found = reporter.wanted(found);
            let mut own = part.status;
            if self.options.verify_diagnostics {
                let unmatched = Expectations::of(&self.file, range).check(self.ctx, found);
                own = match own {
                    Status::Internal => Status::Internal,
                    _ if unmatched.is_empty() => Status::Success,
                    _ => Status::Failure,
                };
                reporter.take(unmatched);
            } else {
                reporter.take(found);
            }
            if !failed.is_empty() {
                own = own.max(Status::Failure);
                reporter.take(failed);
            }
            status = status.max(own);
            results.extend(part.result);
            if let Some(report) = part.report {
                self.dump_pipeline(&report, number, io);
                reporter.passes(report);
            }
        }
        if self.options.debug_counter_report {
            reporter.counters(self.counters.report());
        }
        (status, results)
    }

    fn print_options(&self) -> PrintOptions {
        print_options(self.options, self.options.generic)
    }

    fn part(&self, range: Range<usize>, explore: Option<&Explore<'_>>, diags: &Diagnostics, io: &mut Io<'_>) -> Part {
        let mut part = Part { status: Status::Failure, result: None, report: None };
        let Some(mut module) = self.read(range, diags) else { return part };
        if !verify(self.ctx, &module, diags) {
            if self.options.print.after_failure {
                let _ =
                    write!(io.stderr, "// -----// IR that fails verification //----- //\n{}", self.text(&module, true));
            }
            return part;
        }
        if !self.pipeline.is_empty() || !self.options.dump.is_empty() {
            let (report, failure) = self.run(&mut module, explore, diags, io);
            part.report = Some(report);
            if let Some(failure) = failure {
                if failure.kind != FailureKind::Failed || self.host.blamed() {
                    part.status = Status::Internal;
                }
                self.write_reproducer(&failure, diags);
                return part;
            }
        }
        if self.options.verify_roundtrip && !self.round_trip(&module, diags) {
            part.status = Status::Internal;
            return part;
        }
        if diags.errors() > 0 {
            return part;
        }
        part.result = match () {
            () if self.options.no_output => None,
            () if self.options.emit_json => match json::write(self.ctx, self.registry, &module, diags) {
                Some(text) => Some(Output::Json(text)),
                None => return part,
            },
            () => Some(Output::Module(Box::new(module))),
        };
        part.status = Status::Success;
        part
    }

    fn read(&self, range: Range<usize>, diags: &Diagnostics) -> Option<Body> {
        let options = ParseOptions { allow_unregistered: self.allow_unregistered };
        let mut module = input::module(self.ctx, self.registry, &self.file, range, options, diags)?;
        for plans in &self.options.plans {
            let file = input::read(self.ctx, plans, &mut std::io::empty(), diags)?;
            input::add_plans(self.ctx, self.registry, &mut module, &file, diags)?;
        }
        Some(module)
    }

    fn run(
        &self,
        module: &mut Body,
        explore: Option<&Explore<'_>>,
        diags: &Diagnostics,
        io: &mut Io<'_>,
    ) -> (Report, Option<Failure>) {
        let options = self.options;
        let printer = PrintIr::new(&options.print, self.print_options());
        let dump = Dump::new(self.registry, &options.dump, options.dump_json, self.print_options());
        let evaluate = self.evaluate_each.map(|seed| Evaluate::new(seed, &self.options.input));
        let progress = Progress::default();
        let mut instruments: Vec<&dyn Instrument> = Vec::new();
        if options.print.is_active() {
            instruments.push(&printer);
        }
        if !options.dump.is_empty() {
            instruments.push(&dump);
        }
        instruments.extend(explore.map(|explore| explore as &dyn Instrument));
        instruments.extend(evaluate.as_ref().map(|evaluate| evaluate as &dyn Instrument));
        if options.progress {
            instruments.push(&progress);
        }
        let manager_options = ManagerOptions {
            verify_each: self.verify_each,
            threads: options.threads,
            auto_lower: self.auto_lower,
            keep_before: options.reproducer.is_some(),
            timing: options.timing.is_some(),
            remarks: !options.remarks.is_empty() || explore.is_some(),
        };
        let (ctx, registry, counters, host) = (self.ctx, self.registry, &self.counters, &self.host);
        let manager = Manager { ctx, registry, options: manager_options.clone(), instruments, counters, host };
        let mut outcome = manager.run(&self.pipeline, module, diags);
        if outcome.failure.is_none() {
            outcome.failure = self.reach_dumped(&dump, module, manager_options, diags);
        }
        progress.end();
        let _ = io.stderr.write_all(dump.text().as_bytes());
        let _ = io.stderr.write_all(printer.finish(diags).as_bytes());
        (outcome.report, outcome.failure)
    }

    /// Lowers a copy of what the passes have made to the layers of `--dump` that they did not reach.
    fn reach_dumped(
        &self,
        dump: &Dump<'_>,
        module: &Body,
        options: ManagerOptions,
        diags: &Diagnostics,
    ) -> Option<Failure> {
        let (ctx, registry, counters, host) = (self.ctx, self.registry, &self.counters, &self.host);
        let manager = Manager { ctx, registry, options, instruments: vec![dump], counters, host };
        let pipelines = dump.missing(ctx, module);
        let mut copy = (!pipelines.is_empty()).then(|| module.clone());
        for mut pipeline in pipelines {
            plugin::delegate::put_in(&mut pipeline, self.plugins);
            let failure = copy.as_mut().and_then(|copy| manager.run(&pipeline, copy, diags).failure);
            if failure.is_some() {
                return failure;
            }
        }
        dump.end(ctx, copy.as_ref().unwrap_or(module));
        None
    }

    fn text(&self, module: &Body, generic: bool) -> String {
        let mut text = String::new();
        print_body(self.ctx, module, print_options(self.options, generic), &mut |piece| text.push_str(piece));
        text
    }

    /// `--dump-pass-pipeline`: what was run when lowerings were put in, what was asked for otherwise.
    fn dump_pipeline(&self, report: &Report, number: usize, io: &mut Io<'_>) {
        if !self.options.dump_pass_pipeline {
            return;
        }
        let by_layer = self.pipeline.items.iter().any(|item| matches!(item, Item::LowerTo(_)));
        let differs = by_layer || report.passes.iter().any(|pass| pass.inserted);
        let pipeline = if differs { report.pipeline() } else { self.pipeline.clone() };
        if number == 0 || differs {
            let _ = writeln!(io.stderr, "{pipeline}");
        }
    }

    fn write_reproducer(&self, failure: &Failure, diags: &Diagnostics) {
        let (Some(name), Some(before)) = (&self.options.reproducer, &failure.before) else { return };
        let reproducer = Reproducer {
            pipeline: failure.pipeline.clone(),
            verify_each: self.verify_each,
            auto_lower: self.auto_lower,
            allow_unregistered: self.allow_unregistered,
            evaluate_each: self.evaluate_each,
        };
        let how = match failure.kind {
            FailureKind::Failed => "fails",
            FailureKind::Panicked => "panics",
            FailureKind::BrokeIr => "leaves IR that breaks the rules",
        };
        let mut why = format!("The pass '{}' {how}.", failure.pass);
        for library in &self.options.load_plugins {
            why += &format!("\nIt was run with --load-plugin={library}");
        }
        let text = reproducer.write(self.ctx, before, &why);
        if let Err(error) = write_file(name, |file| file.write_all(text.as_bytes())) {
            let message = format!("the reproducer '{name}' cannot be written: {error}");
            diags.emit(Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message));
        }
    }

    /// Whether the module, printed and read again, prints the same, in both forms.
    fn round_trip(&self, module: &Body, diags: &Diagnostics) -> bool {
        [false, true].into_iter().all(|generic| {
            let form = if generic { "generic" } else { "custom" };
            let report = |message: String| {
                diags.emit(Diagnostic::error(&ROUND_TRIP, Loc::UNKNOWN, message));
                false
            };
            let options = PrintOptions { generic, locations: true, ..PrintOptions::default() };
            let print = |body: &Body| {
                let mut text = String::new();
                print_body(self.ctx, body, options, &mut |piece| text.push_str(piece));
                text
            };
            let first = print(module);
            let Some(file) = self.ctx.sources.add(format!("<{form} form>"), first.clone()) else {
                return report("the module is too large to be read again".into());
            };
            let options = ParseOptions { allow_unregistered: self.allow_unregistered };
            let found = Diagnostics::new();
            let again = parse_module(self.ctx, &file, 0..file.text.len(), options, &found);
            let Ok(again) = again else {
                found.take().into_iter().for_each(|d| diags.emit(d));
                return report(format!("the {form} form does not read back"));
            };
            let second = print(&again);
            if first != second {
                let diff = crate::observe::diff(&first, &second, "printed", "read and printed");
                return report(format!("the {form} form reads back as something else:\n{diff}"));
            }
            true
        })
    }
}

dlc_ir::codes! {
    /// IR does not read back as what was printed: a mistake in dlc.
    ROUND_TRIP = "E0503" "RoundTrip";
}
