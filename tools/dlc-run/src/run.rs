//! A program run once: from files to files.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use dlc::bind::BAD_INPUT;
use dlc::cuda::WRONG_DEVICE;
use dlc::cuda::compile::Compiler;
use dlc::cuda::gpu::Gpu;
use dlc::files::{self, Array};
use dlc::options::{Device, Passes};
use dlc::program::check_shape_sets;
use dlc::{CompileOptions, Session, SessionOptions, Source, evaluate, module};
use dlc_core::tensor::with_threads;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Context, Loc};
use dlc_opt::compare::Tolerance;
use dlc_opt::function::Function;
use dlc_opt::input::{self, CANNOT_WRITE};
use dlc_opt::numbers::Values;
use dlc_opt::output::write_file;
use dlc_opt::outputs::file_name;
use dlc_opt::report::diagnostics;
use dlc_opt::{Io, Setup, Status};
use dlc_translate::manifest::is_manifest;

use crate::args::Options;
use crate::check::{self, Checked};
use crate::inputs::{self, Inputs};
use crate::log::{self, Row};
use crate::{cuda, show};

/// What a program gave.
pub struct Ran {
    /// The function that was run, as it was before any pass.
    pub function: Function,
    /// What it was called with.
    pub inputs: Inputs,
    /// Its outputs.
    pub outputs: Vec<Values>,
    /// What `--check` found.
    pub checked: Vec<Checked>,
    /// How long everything took.
    pub times: Times,
    /// What it ran on.
    pub device: String,
    /// The kernels that ran and were not verified.
    pub unverified: Vec<String>,
    /// What `--bench` and `--against` measured, as tables.
    pub measured: Option<String>,
    /// What `--log` gets.
    pub row: Option<Row>,
}

/// How long everything took.
#[derive(Clone, Copy, Default, Debug)]
pub struct Times {
    /// Reading the program and the inputs.
    pub read: Duration,
    /// Passes, where there are any.
    pub passes: Option<Duration>,
    /// On a GPU, measuring plans.
    pub tuning: Option<Duration>,
    /// On a GPU, loading the module.
    pub device: Option<Duration>,
    /// Evaluation, with measuring if that was asked for.
    pub evaluation: Duration,
}

/// Runs one program, and shows what it gave unless that is written or checked.
pub fn one(setup: &Setup, options: &Options, file: &str, gpu: &mut Gpu, io: &mut Io<'_>) -> Status {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let (ran, mut status) = while_it_takes_long(io.terminal && !options.shown.json, file, || {
        run(setup, &ctx, options, file, gpu, io.stdin, &diags)
    });
    let rows: Vec<&Row> = ran.iter().filter_map(|ran| ran.row.as_ref()).collect();
    if !log::append(options, &rows, &diags) {
        status = status.max(Status::Failure);
    }
    let mut text = String::new();
    if let Some(ran) = &ran {
        if options.check.is_some() {
            text += &show::checked(&ran.checked);
        } else if ran.measured.is_none() && options.output.is_none() && options.out_dir.is_none() {
            text += &show::summary(&ctx, ran);
        }
        text += ran.measured.as_deref().unwrap_or_default();
    }
    // What goes wrong with a stream is reported at the end, for all that is written there.
    let _ = io.stdout.write_all(text.as_bytes()).and_then(|()| io.stdout.flush());
    let _ = io.stderr.write_all(diagnostics(&ctx, diags.take(), options.shown).as_bytes());
    if let Some(file) = options.emit_manifest.as_ref().filter(|_| status == Status::Success && !options.shown.json)
        && let Some(wrote) = wrote(file)
    {
        let _ = writeln!(io.stderr, "{wrote}");
    }
    if let Some(ran) = ran.filter(|_| options.time) {
        let _ = writeln!(io.stderr, "{}", show::times(&ran.times));
    }
    status
}

/// What is in a launch manifest that was written: `wrote llama.json, llama.ptx: 15 kernels for sm90, of which 4 are for other
/// sizes`.
fn wrote(file: &str) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let (kernels, target) = (manifest["kernels"].as_array()?.len(), manifest["target"].as_str()?);
    let kernels = if kernels == 1 { "1 kernel".to_string() } else { format!("{kernels} kernels") };
    let others = match fallbacks(&manifest) {
        0 => String::new(),
        1 => ", of which 1 is for other sizes".to_string(),
        several => format!(", of which {several} are for other sizes"),
    };
    let ptx = std::path::Path::new(file).with_extension("ptx");
    let target = target.replace('_', "").trim_end_matches(|letter: char| letter.is_ascii_lowercase()).to_string();
    Some(format!("wrote {file}, {}: {kernels} for {target}{others}", ptx.display()))
}

/// How many kernels of a manifest are the first choice of no launch: those for the sizes that another is not for.
fn fallbacks(manifest: &serde_json::Value) -> usize {
    let list = |value: &'_ serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let steps = list(&manifest["programs"]).into_iter().flat_map(|program| list(&program["steps"]));
    let (mut first, mut others) = (BTreeSet::new(), BTreeSet::new());
    for step in steps {
        for (number, choice) in list(&step["launch"]).iter().enumerate() {
            let names = if number == 0 { &mut first } else { &mut others };
            names.extend(choice["kernel"].as_str().map(String::from));
        }
    }
    others.difference(&first).count()
}

/// Says that a program is being compiled, where somebody looks on and it takes longer than a second.
fn while_it_takes_long<T>(is_watched: bool, file: &str, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        if is_watched {
            scope.spawn(move || {
                if is_done.recv_timeout(Duration::from_secs(1)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    eprintln!("working on {file} ..");
                }
            });
        }
        let result = work();
        drop(done);
        result
    })
}

/// Shows the kernels of a program, their plans and estimates, and why they are as they are, or writes a page with all that
/// becomes of it; runs nothing.
pub fn explain(options: &Options, file: &str, io: &mut Io<'_>) -> Status {
    let (ctx, diags) = (Context::new([]), Diagnostics::new());
    let plans = options.plans.iter().map(|name| input::read(&ctx, name, &mut std::io::empty(), &diags));
    let plans: Option<Vec<String>> = plans.map(|plan| Some(plan?.text.clone())).collect();
    // The program of a file is read with its name, which messages have.
    let text = if file == "-" { input::read(&ctx, file, io.stdin, &diags).map(Some) } else { Some(None) };
    let (Some(plans), Some(text)) = (plans, text) else {
        let _ = io.stderr.write_all(diagnostics(&ctx, diags.take(), options.shown).as_bytes());
        return Status::Failure;
    };
    let compile = CompileOptions {
        function: options.function.clone(),
        sizes: options.shape.clone(),
        shape_sets: options.shape_sets.clone(),
        passes: options.passes.clone(),
        planning: options.plan,
        plans,
        plan_cache: options.plan_cache.as_ref().map(Into::into),
        target: options.target.clone(),
        unchecked: options.unchecked,
    };
    let session = SessionOptions { device: Device::Cpu, threads: options.threads, ..SessionOptions::default() };
    let source = text.as_ref().map_or(Source::Path(file.as_ref()), |text| Source::Text(&text.text));
    let explained = while_it_takes_long(io.terminal, file, || {
        let program = Session::new(session).compile(source, &compile)?;
        if options.explore.is_some() { program.explore() } else { program.explain() }
    });
    // What goes wrong with a stream is reported at the end, for all that is written there.
    let (status, _) = match (explained, &options.explore) {
        (Ok(page), Some(file)) => match write_file(file, |to| to.write_all(page.as_bytes())) {
            Ok(()) => (Status::Success, Ok(())),
            Err(error) => (Status::Failure, writeln!(io.stderr, "error: '{file}' cannot be written: {error}")),
        },
        (Ok(text), None) => (Status::Success, io.stdout.write_all(text.as_bytes()).and_then(|()| io.stdout.flush())),
        (Err(error), _) => (Status::Failure, writeln!(io.stderr, "{error}")),
    };
    status
}

/// Runs a program, writes and checks its outputs as the options say. What goes wrong is reported.
pub fn run(
    setup: &Setup,
    ctx: &Context,
    options: &Options,
    file: &str,
    gpu: &mut Gpu,
    stdin: &mut dyn Read,
    diags: &Diagnostics,
) -> (Option<Ran>, Status) {
    match evaluated(setup, ctx, options, file, gpu, stdin, diags) {
        Ok(None) => (None, Status::Success),
        Ok(Some(mut ran)) => {
            let written = write(ctx, options, &ran, diags);
            if let Some(expected) = &options.check {
                let default = ran.inputs.tolerance;
                let (rtol, atol) = (options.rtol.unwrap_or(default.rtol), options.atol.unwrap_or(default.atol));
                let tolerance = Tolerance { rtol, atol };
                ran.checked =
                    check::check(ctx, &ran.function, &ran.outputs, expected, tolerance, options.max_bytes, diags);
            }
            let status = if written.is_some() && diags.errors() == 0 { Status::Success } else { Status::Failure };
            (Some(ran), status)
        }
        Err(status) => (None, status),
    }
}

/// What a program gave. `None` where it was compiled for another machine, and is not run.
fn evaluated(
    setup: &Setup,
    ctx: &Context,
    options: &Options,
    file: &str,
    gpu: &mut Gpu,
    stdin: &mut dyn Read,
    diags: &Diagnostics,
) -> Result<Option<Ran>, Status> {
    let mut times = Times::default();
    let start = Instant::now();
    let registry = &setup.registry;
    // A wrong pipeline is found before a large file is read.
    let pipeline = module::pipeline(registry, ctx, &options.passes, diags).ok_or(Status::Usage)?;
    let file = input::read(ctx, file, stdin, diags).ok_or(Status::Failure)?;
    if is_manifest(&file.text) {
        return cuda::run::manifest(ctx, options, &file, gpu, diags).ok_or(Status::Failure).map(Some);
    }
    let plans: Option<Vec<_>> =
        options.plans.iter().map(|name| input::read(ctx, name, &mut std::io::empty(), diags)).collect();
    let plans = plans.ok_or(Status::Failure)?;
    let mut module = module::read(ctx, registry, &file, &plans, diags).ok_or(Status::Failure)?;
    let function = module::choose(ctx, &module, options.function.as_deref(), diags).ok_or(Status::Failure)?;
    fits_files(options, &function, diags)?;
    check_shape_sets(&function, &options.shape_sets, diags).ok_or(Status::Failure)?;
    times.read = start.elapsed();
    // As it is written a program is evaluated, and not compiled.
    if options.passes != Passes::None {
        let file = options.emit_manifest.as_deref().map(cuda::run::ptx_alongside);
        let compiler = Compiler {
            ctx,
            registry,
            // The pipeline that is run before evaluation is for that.
            passes: matches!(options.passes, Passes::Text(_)).then_some(&pipeline),
            planning: options.plan,
            shape_sets: &options.shape_sets,
            measured: &[],
            unchecked: options.unchecked,
            threads: options.threads,
            keeps_planned: options.log.is_some() || options.against,
            ptx_file: file.as_deref(),
            diags,
        };
        if gpu.is_chosen(options.device, diags)? {
            if let Some(ran) = cuda::run::program(&compiler, options, &module, &function, gpu, times)? {
                return Ok(Some(ran));
            }
        } else if let (Device::Auto | Device::None, Some(file), Some(machine)) =
            (options.device, &options.emit_manifest, &options.target)
        {
            cuda::run::written(&compiler, options, &module, &function, machine, file)?;
            return Ok(None);
        }
    }
    on_cpu(options, diags)?;
    let start = Instant::now();
    let inputs = inputs::inputs(ctx, &module, &function, options, diags).ok_or(Status::Failure)?;
    times.read += start.elapsed();

    let start = Instant::now();
    let verified = module::verified(&options.passes);
    module::transform(ctx, registry, &pipeline, &mut module, options.threads, verified, &[], diags)?;
    times.passes = Some(start.elapsed());

    let start = Instant::now();
    let outputs = with_threads(options.threads, || {
        let how = evaluate::How { order_seed: options.order_seed, max_steps: options.max_steps };
        evaluate::call(ctx, &module, &function, &inputs.data, &inputs.symbols, how, diags)
    })?;
    times.evaluation = start.elapsed();
    let row = options.log.is_some().then(|| Row::of_cpu(&function.name, &inputs, times.evaluation));
    Ok(Some(Ran {
        function,
        inputs,
        outputs,
        checked: Vec::new(),
        times,
        device: "the CPU".into(),
        unverified: Vec::new(),
        measured: None,
        row,
    }))
}

/// Whether the outputs go into the files that are asked for, and are those of the file that they are compared with: a
/// wrong name is reported before anything runs.
pub(crate) fn fits_files(options: &Options, function: &Function, diags: &Diagnostics) -> Result<(), Status> {
    if options.output.as_ref().is_some_and(|name| name.ends_with(".npy")) && function.outputs.len() != 1 {
        let count = function.outputs.len();
        let message = format!("the program has {count} outputs, and a .npy file holds one");
        let error = Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message);
        diags.emit(error.suggest("write them with -o to a .npz file, or with --out-dir to a folder"));
        return Err(Status::Failure);
    }
    match &options.check {
        Some(expected) if !check::names_fit(function, expected, diags) => Err(Status::Failure),
        _ => Ok(()),
    }
}

/// Whether nothing is asked for that the CPU does not do.
fn on_cpu(options: &Options, diags: &Diagnostics) -> Result<(), Status> {
    let asked = [
        (options.bench.is_some(), "--bench measures on a GPU"),
        (options.against, "--against measures on a GPU"),
        (options.tune.is_some(), "--tune measures on a GPU"),
        (options.emit_manifest.is_some(), "--emit-manifest writes what runs on a GPU"),
    ];
    let Some((_, what)) = asked.into_iter().find(|(is_asked, _)| *is_asked) else { return Ok(()) };
    let message = format!("{what}, and the program runs on the CPU");
    let error = Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message);
    diags.emit(
        match (
            &options.emit_manifest,
            options.device,
            options.bench.is_some() || options.against || options.tune.is_some(),
        ) {
            (Some(_), Device::Auto, false) => {
                error.suggest("--target=sm90 writes it for that machine where there is no GPU, and runs nothing")
            }
            (Some(_), _, false) => {
                error.suggest("leave --device out and say --target=sm90: it is written, and nothing is run")
            }
            _ => error.suggest("--device=cuda says why it does not run on a GPU"),
        },
    );
    Err(Status::Failure)
}

/// Writes the outputs to where the options say. `None` when that goes wrong, which is reported.
fn write(ctx: &Context, options: &Options, ran: &Ran, diags: &Diagnostics) -> Option<()> {
    let fail = |message: String| {
        diags.emit(Diagnostic::error(&CANNOT_WRITE, Loc::UNKNOWN, message));
        None
    };
    if options.output.is_none() && options.out_dir.is_none() {
        return Some(());
    }
    let mut arrays = Vec::new();
    for (port, values) in ran.function.outputs.iter().zip(&ran.outputs) {
        match Array::of(ctx, values) {
            Some(array) => arrays.push((port.name.clone(), array)),
            None => {
                let (name, elem) = (&port.name, values.elem.display(ctx));
                return fail(format!("the output {name} has elements of the type {elem}, which files have no way for"));
            }
        }
    }
    if let Some(file) = &options.output
        && let Err(message) = files::write(file, &arrays)
    {
        return fail(message);
    }
    if let Some(folder) = &options.out_dir {
        if let Err(error) = std::fs::create_dir_all(folder) {
            return fail(format!("the folder '{folder}' cannot be made: {error}"));
        }
        for array in arrays {
            let path = Path::new(folder).join(file_name(&array.0) + ".npy");
            if let Err(message) = files::write(&path.to_string_lossy(), &[array]) {
                return fail(message);
            }
        }
    }
    Some(())
}
