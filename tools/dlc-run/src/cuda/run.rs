//! A program or a launch manifest run once on the GPU: from files to files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use dlc_core::types::Tensor;
use dlc_ir::body::Body;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::SourceFile;
use dlc_ir::{Context, Loc};
use dlc_opt::Status;
use dlc_opt::compare::Tolerance;
use dlc_opt::function::{Function, Port};
use dlc_opt::input::{CANNOT_READ, CANNOT_WRITE};
use dlc_opt::output::write_file;
use dlc_translate::manifest::plan::{Plan, Target};
use dlc_translate::manifest::{self, Manifest, schema, verified};

use dlc::bind::{BAD_INPUT, Bound, Needed};
use dlc::cuda::cache::Cache;
use dlc::cuda::compile::{Compiled, Compiler, IndexWidth, PlannedSizes, not_compiled, target};
use dlc::cuda::driver::Driver;
use dlc::cuda::exec::Loaded;
use dlc::cuda::gpu::Gpu;
use dlc::cuda::module::{choose, load, unverified, values};
use dlc::cuda::{WRONG_ARCHITECTURE, WRONG_DEVICE};
use dlc::options::Device;
use dlc_opt::planned::Planned;

use super::{NOT_RUN, against, bench, tune};
use crate::args::Options;
use crate::inputs::{Inputs, bound};
use crate::log::Row;
use crate::run::{Ran, Times, fits_files};
use dlc_opt::table::lines;

/// Runs what a manifest holds. What goes wrong is reported.
pub fn manifest(
    ctx: &Context,
    options: &Options,
    file: &SourceFile,
    gpu: &mut Gpu,
    diags: &Diagnostics,
) -> Option<Ran> {
    let start = Instant::now();
    let fail = |error: Box<Diagnostic>| diags.emit(*error);
    if matches!(options.device, Device::Cpu | Device::None) {
        let why =
            if options.device == Device::Cpu { "PTX does not run on the CPU" } else { "--device=none runs nothing" };
        let message = format!("'{}' is a launch manifest, and {why}", file.name);
        let error = Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message);
        diags.emit(error.suggest("run it with --device=cuda"));
        return None;
    }
    if options.tune.is_some() || options.plan_cache.is_some() {
        let message = format!("'{}' is a launch manifest, and its plans are chosen", file.name);
        let error = Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message);
        diags.emit(error.suggest("--tune and --plan-cache are for the program that it was made of"));
        return None;
    }
    let manifest = manifest::read(file, diags)?;
    let target = choose(&manifest, options.function.as_deref()).map_err(fail).ok()?;
    let function = function(ctx, target);
    fits_files(options, &function, diags).ok()?;
    let bound = bound(ctx, &function, Needed::All, options, diags)?;
    let symbols: BTreeMap<String, i64> = bound.symbols.iter().cloned().collect();
    // Whether everything fits is known before there is a number.
    let plan = target.plan(&manifest, &symbols).map_err(fail).ok()?;
    let ptx = module(&manifest, &file.name).map_err(fail).ok()?;
    // PTX from elsewhere runs, and it is given that nobody has verified it.
    let unverified = unverified(&manifest, &ptx, &plan);
    let all: Vec<(&str, Loc, &str)> =
        unverified.iter().map(|(name, reason)| (name.as_str(), Loc::UNKNOWN, reason.as_str())).collect();
    verified::warning(&all).into_iter().for_each(|warning| diags.emit(warning));
    let times = Times { read: start.elapsed(), ..Times::default() };
    // Before inputs are made: that takes longer than to determine that there is no device.
    let driver = gpu.driver(options.device.number()).map_err(fail).ok()?;
    let tolerance = tolerance(ctx, &function);
    let (is_compiled, planned) = (false, None);
    let (manifest, ptx, function) = (&manifest, &*ptx, &function);
    let job = Job { ctx, options, manifest, ptx, function, is_compiled, planned, tolerance, diags };
    job.run(driver, &plan, bound, times)
}

/// Compiles and runs a function of a module. `None` where it has no way to instructions. What goes wrong is reported.
pub fn program(
    compiler: &Compiler<'_>,
    options: &Options,
    module: &Body,
    function: &Function,
    gpu: &mut Gpu,
    mut times: Times,
) -> Result<Option<Ran>, Status> {
    let Compiler { ctx, diags, .. } = *compiler;
    let fail = |error: Box<Diagnostic>| {
        diags.emit(*error);
        Status::Failure
    };
    let start = Instant::now();
    let bound = bound(ctx, function, Needed::All, options, diags).ok_or(Status::Failure)?;
    times.read += start.elapsed();
    let driver = gpu.driver(options.device.number()).map_err(fail)?;
    let machine = target(options.target.as_deref(), driver.device());
    let start = Instant::now();
    let (measured, tuned) = tune::measured(compiler, options, module, function, &bound.symbols, machine, driver)?;
    let tuning = start.elapsed();
    let compiler = &Compiler { measured: &measured, ..*compiler };
    let start = Instant::now();
    let Some((compiled, plan)) = compiler.compile_for(module, function, &bound.symbols, machine)? else {
        if options.device == Device::Auto {
            return Ok(None);
        }
        return Err(fail(Box::new(not_compiled(function))));
    };
    times.passes = Some(start.elapsed());
    let (manifest, ptx) = (&compiled.translated.manifest, &compiled.translated.ptx);
    let tolerance = Tolerance::of(ctx, module, &function.name);
    let planned = compiled.planned.as_ref();
    let job = Job { ctx, options, manifest, ptx, function, is_compiled: true, planned, tolerance, diags };
    let mut ran = job.run(driver, &plan, bound, times).ok_or(Status::Failure)?;
    if let Some(tuned) = tuned {
        ran.measured = Some(tuned + ran.measured.as_deref().unwrap_or_default());
        ran.times.tuning = Some(tuning);
    }
    Ok(Some(ran))
}

/// Compiles a function of a module for a machine and writes what would run there, where there is no device to run it on.
/// Without sizes it is compiled for all of them. What goes wrong is reported.
pub fn written(
    compiler: &Compiler<'_>,
    options: &Options,
    module: &Body,
    function: &Function,
    machine: &str,
    file: &str,
) -> Result<(), Status> {
    let Compiler { ctx, diags, .. } = *compiler;
    let fail = |error: Box<Diagnostic>| {
        diags.emit(*error);
        Status::Failure
    };
    let symbols = match options.shape.is_empty() && options.given.is_empty() {
        true => Vec::new(),
        false => bound(ctx, function, Needed::All, options, diags).ok_or(Status::Failure)?.symbols,
    };
    let measured = tune::known(compiler, options, None)?;
    let compiler = &Compiler { measured: &measured, ..*compiler };
    let compile = |places| match compiler.shape_sets.is_empty() {
        true => {
            let sizes = PlannedSizes::of(&symbols);
            compiler.compile(module, function, sizes, compiler.planning, machine, places)
        }
        false => compiler.compile_for_sets(module, function, machine),
    };
    let mut compiled = compile(IndexWidth::Narrow)?;
    // For sizes that are known it is written so that it runs with them.
    let is_for_sizes = |compiled: &Compiled| {
        let manifest = &compiled.translated.manifest;
        let sizes = symbols.iter().cloned().collect();
        choose(manifest, Some(&function.name)).is_ok_and(|target| target.plan(manifest, &sizes).is_ok())
    };
    if !symbols.is_empty() && compiled.as_ref().is_some_and(|compiled| !is_for_sizes(compiled)) {
        let other = compile(IndexWidth::Wide)?;
        compiled = other.filter(is_for_sizes).or(compiled);
    }
    let Some(Compiled { translated, .. }) = compiled else { return Err(fail(Box::new(not_compiled(function)))) };
    emit(&translated.manifest, &translated.ptx, file).map_err(fail)?;
    if options.device == Device::None {
        return Ok(());
    }
    let ptx = Path::new(file).with_extension("ptx");
    let message =
        format!("'{file}' and '{}' are written for {machine}, and nothing is run: there is no GPU", ptx.display());
    diags.emit(Diagnostic::warning(&NOT_RUN, Loc::UNKNOWN, message));
    Ok(())
}

/// Something that is compiled, and what it is called for.
struct Job<'a> {
    ctx: &'a Context,
    options: &'a Options,
    manifest: &'a Manifest,
    ptx: &'a str,
    function: &'a Function,
    /// Whether it was compiled just now.
    is_compiled: bool,
    planned: Option<&'a Planned>,
    tolerance: Tolerance,
    diags: &'a Diagnostics,
}

/// What a plan gave.
struct RunInputs {
    /// The bytes of its outputs.
    outputs: Vec<Vec<u8>>,
    /// What was measured, as tables.
    measured: Option<String>,
    /// What is logged of it.
    row: Option<Row>,
}

impl Job<'_> {
    fn run(&self, driver: &mut dyn Driver, plan: &Plan, mut bound: Bound<'_>, mut times: Times) -> Option<Ran> {
        let Job { ctx, options, manifest, function, diags, .. } = *self;
        let fail = |error: Box<Diagnostic>| diags.emit(*error);
        if let Some(file) = &options.emit_manifest {
            emit(manifest, self.ptx, file).map_err(fail).ok()?;
        }
        let start = Instant::now();
        // A program can be compiled for what exists.
        let other = |error: Box<Diagnostic>| match self.is_compiled && error.code == &WRONG_ARCHITECTURE {
            true => Box::new(error.suggest("--target=sm80 is for all devices from sm_80 on")),
            false => error,
        };
        load(driver, manifest, self.ptx, options.cache.and_then(Cache::of_user).as_ref())
            .map_err(other)
            .map_err(fail)
            .ok()?;
        times.device = Some(start.elapsed());

        let start = Instant::now();
        let mut bytes = Vec::new();
        for place in 0..function.inputs.len() {
            bytes.push(bound.bytes(place).map_err(|reason| bound.fail(place, &reason)).ok()?);
        }
        let Bound { shapes, origins, symbols, .. } = bound;
        let inputs = Inputs { data: Vec::new(), shapes, origins, symbols, tolerance: self.tolerance };
        times.read += start.elapsed();

        let start = Instant::now();
        let device = driver.device().name.clone();
        let mut given = self.execute(driver, plan, &bytes, &inputs).map_err(fail).ok()?;
        times.evaluation = start.elapsed();
        let outputs = function.outputs.iter().zip(&plan.outputs).zip(std::mem::take(&mut given.outputs));
        let outputs = outputs.map(|((port, (tensor, _)), bytes)| {
            values(ctx, tensor, bytes).ok_or_else(|| {
                let message = format!("the output {} has elements that are no numbers", port.name);
                diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
            })
        });
        let outputs = outputs.collect::<Result<_, ()>>().ok()?;
        let (function, checked) = (function.clone(), Vec::new());
        let unverified = unverified(manifest, self.ptx, plan).into_keys().collect();
        let RunInputs { measured, row, .. } = given;
        Some(Ran { function, inputs, outputs, checked, times, device, unverified, measured, row })
    }

    /// Runs a plan on the module that is loaded.
    fn execute(
        &self,
        driver: &mut dyn Driver,
        plan: &Plan,
        bytes: &[Vec<u8>],
        inputs: &Inputs,
    ) -> Result<RunInputs, Box<Diagnostic>> {
        let options = self.options;
        let device = driver.device().name.clone();
        let mut loaded = Loaded::new(driver, plan, options.time_limit)?;
        loaded.upload(bytes)?;
        loaded.run()?;
        let outputs = loaded.download()?;
        let mut given = RunInputs { outputs, measured: None, row: None };
        let count = options.bench.or(options.log.is_some().then_some(bench::LOGGED));
        let found = if options.against { Some(against::find(self.ctx, plan, self.planned)?) } else { None };
        let name = format!("@{}", self.function.name);
        if let Some(found) = found {
            let count = options.bench.unwrap_or(bench::COMPARED);
            bench::measure(&mut loaded, 1, bench::WARM_TIME)?;
            let against = against::measure(self.ctx, &mut loaded, &found, count, self.tolerance)?;
            given.measured = Some(lines(&against::shown(&name, &against)));
        }
        let Some(count) = count else { return Ok(given) };
        let measured = bench::measure(&mut loaded, count, bench::WARM_TIME)?;
        if options.bench.is_some() {
            let calls = bench::calls(&mut loaded, &measured)?;
            let shown = lines(&bench::shown(&name, plan, &measured, calls.as_ref()));
            given.measured = Some(given.measured.unwrap_or_default() + &shown);
        }
        if options.log.is_some() {
            let occupancy = loaded.occupancy()?;
            given.row = Some(Row::of_device(
                self.ctx,
                (&self.function.name, &device),
                plan,
                &inputs.symbols,
                &occupancy,
                (measured.median(), count),
                self.planned,
            ));
        }
        Ok(given)
    }
}

/// The name of the PTX next to a manifest.
pub(crate) fn ptx_alongside(file: &str) -> String {
    let alongside = Path::new(file).with_extension("ptx");
    alongside.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Writes a manifest, and the PTX next to it.
fn emit(manifest: &Manifest, ptx: &str, file: &str) -> Result<(), Box<Diagnostic>> {
    let alongside = Path::new(file).with_extension("ptx");
    let alongside = alongside.to_string_lossy();
    let manifest = manifest::write(&Manifest { module: ptx_alongside(file), ..manifest.clone() });
    for (name, text) in [(file, manifest.as_str()), (&*alongside, ptx)] {
        write_file(name, |out| out.write_all(text.as_bytes())).map_err(|error| {
            let message = format!("'{name}' cannot be written: {error}");
            Box::new(Diagnostic::error(&CANNOT_WRITE, Loc::UNKNOWN, message))
        })?;
    }
    Ok(())
}

/// What is run, as a function of the IR: so its inputs and outputs are read, shown, written and checked like those.
fn function(ctx: &Context, target: Target<'_>) -> Function {
    let port = |port: &schema::Port| {
        let shape = port.shape.iter().map(|size| size.0.clone()).collect();
        Port { name: port.name.clone(), ty: Tensor::get(ctx, shape, port.elem.ty()) }
    };
    Function {
        name: target.name().to_string(),
        loc: Loc::UNKNOWN,
        is_private: false,
        symbols: target.symbols().to_vec(),
        inputs: target.inputs().iter().map(port).collect(),
        outputs: target.outputs().iter().map(port).collect(),
    }
}

/// How outputs are compared if the user does not say.
fn tolerance(ctx: &Context, function: &Function) -> Tolerance {
    let is_narrow = |port: &Port| {
        let elem = dlc_core::memref::shaped(ctx, port.ty).and_then(|(_, elem)| elem.float_kind(ctx));
        elem.is_some_and(|kind| kind.bits() < 32)
    };
    match function.inputs.iter().chain(&function.outputs).any(is_narrow) {
        true => Tolerance::NARROW,
        false => Tolerance::WIDE,
    }
}

/// The PTX next to a manifest.
fn module(manifest: &Manifest, file: &str) -> Result<String, Box<Diagnostic>> {
    let path = Path::new(file).with_file_name(&manifest.module);
    std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("'{}', the module of the launch manifest, cannot be read: {error}", path.display());
        Box::new(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message))
    })
}
