//! A launch manifest run once: from files to files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use dlc_core::types::Tensor;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::location::SourceFile;
use dlc_ir::{Context, Loc};
use dlc_opt::compare::Tolerance;
use dlc_opt::function::{Function, Port};
use dlc_opt::input::CANNOT_READ;
use dlc_opt::numbers::Values;
use dlc_translate::manifest::plan::{Plan, Target};
use dlc_translate::manifest::{self, Manifest, schema};

use super::driver::{Driver, Failure, Kind};
use super::exec::Loaded;
use super::{BAD_MODULE, WRONG_DEVICE, bench, cache, device};
use crate::args::{Device, Options};
use crate::files::{Array, Elem};
use crate::inputs::{BAD_INPUT, Bound, Inputs, Needed};
use crate::program::NO_FUNCTION;
use crate::run::{Ran, Times, fits_npy};
use crate::show::lines;

/// Runs what a manifest holds. What goes wrong is reported.
pub fn run(ctx: &Context, options: &Options, file: &SourceFile, diags: &Diagnostics) -> Option<Ran> {
    let start = Instant::now();
    let fail = |error: Box<Diagnostic>| diags.emit(*error);
    let number = match options.device {
        Device::Cuda(number) => number,
        Device::Auto => 0,
        Device::Cpu => {
            let message = format!("'{}' is a launch manifest, and PTX does not run on the CPU", file.name);
            let error = Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message);
            diags.emit(error.suggest("run it with --device=cuda"));
            return None;
        }
    };
    let manifest = manifest::read(file, diags)?;
    let target = choose(&manifest, options.function.as_deref()).map_err(fail).ok()?;
    let function = function(ctx, target);
    fits_npy(options, &function, diags).ok()?;
    let mut bound = Bound::of(ctx, &function, Needed::All, options, diags)?;
    // Whether everything fits is known before there is a number.
    let symbols: BTreeMap<String, i64> = bound.symbols.iter().cloned().collect();
    let plan = target.plan(&manifest, &symbols).map_err(fail).ok()?;
    let ptx = module(&manifest, &file.name).map_err(fail).ok()?;
    let mut times = Times { on_device: true, ..Times::default() };
    times.read = start.elapsed();

    // Before inputs are made: that takes longer than to find out that there is no device.
    let start = Instant::now();
    let mut driver = device::open(number).map_err(fail).ok()?;
    load(&mut driver, &manifest, &ptx, options.cache).map_err(fail).ok()?;
    times.passes = start.elapsed();

    let start = Instant::now();
    let mut bytes = Vec::new();
    for place in 0..function.inputs.len() {
        bytes.push(bound.bytes(place).map_err(|reason| bound.fail(place, &reason)).ok()?);
    }
    let inputs = Inputs {
        data: Vec::new(),
        shapes: bound.shapes,
        origins: bound.origins,
        symbols: bound.symbols,
        tolerance: tolerance(ctx, &function),
    };
    times.read += start.elapsed();

    let start = Instant::now();
    let (outputs, measured) = execute(&mut driver, &plan, &function, &bytes, options).map_err(fail).ok()?;
    times.evaluation = start.elapsed();
    let values = function.outputs.iter().zip(&plan.outputs).zip(outputs).map(|((port, (tensor, _)), bytes)| {
        values(ctx, tensor, bytes).ok_or_else(|| {
            let message = format!("the output {} has elements that are no numbers", port.name);
            diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
        })
    });
    let outputs = values.collect::<Result<_, ()>>().ok()?;
    Some(Ran { function, inputs, outputs, checked: Vec::new(), times, measured })
}

/// The kernel or program that is meant: the one of a name, or the only program, or where there is none, the only kernel.
fn choose<'a>(manifest: &'a Manifest, name: Option<&str>) -> Result<Target<'a>, Box<Diagnostic>> {
    let all = Target::all(manifest);
    let list = |all: &[Target<'_>]| all.iter().map(|one| format!("@{}", one.name())).collect::<Vec<_>>().join(", ");
    let error = |message| Diagnostic::error(&NO_FUNCTION, Loc::UNKNOWN, message);
    if let Some(name) = name {
        let near = did_you_mean(name, all.iter().map(|one| one.name()));
        let found = all.iter().find(|one| one.name() == name).copied();
        let has = list(&all);
        return found.ok_or_else(|| {
            let message = format!("the launch manifest has no kernel or program @{name}; it has {has}");
            Box::new(error(message).suggest_if(near))
        });
    }
    let main = if manifest.programs.is_empty() { &all[..] } else { &all[..manifest.programs.len()] };
    match main {
        [only] => Ok(*only),
        [] => Err(Box::new(error("the launch manifest has no kernel".to_string()))),
        several => {
            let message = format!("the launch manifest has several of them: {}", list(several));
            Err(Box::new(error(message).suggest("choose one with --function")))
        }
    }
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

/// The PTX beside a manifest.
fn module(manifest: &Manifest, file: &str) -> Result<String, Box<Diagnostic>> {
    let path = Path::new(file).with_file_name(&manifest.module);
    std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("'{}', the module of the launch manifest, cannot be read: {error}", path.display());
        Box::new(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message))
    })
}

/// Loads the module of a manifest.
pub(super) fn load(driver: &mut dyn Driver, manifest: &Manifest, ptx: &str, keep: bool) -> Result<(), Box<Diagnostic>> {
    device::fits(manifest, driver.device())?;
    let folder = if keep { cache::folder() } else { None };
    let loaded = cache::load(driver, ptx, folder.as_deref());
    loaded.map(drop).map_err(|Failure { kind, message }| match kind {
        Kind::TooOld => device::too_old(manifest, driver.device(), None),
        _ => {
            let message = format!("the CUDA driver does not take '{}': {message}", manifest.module);
            Box::new(Diagnostic::error(&BAD_MODULE, Loc::UNKNOWN, message))
        }
    })
}

/// Runs a plan on the module that is loaded: its outputs, and what was measured.
fn execute(
    driver: &mut dyn Driver,
    plan: &Plan,
    function: &Function,
    inputs: &[Vec<u8>],
    options: &Options,
) -> Result<(Vec<Vec<u8>>, Option<String>), Box<Diagnostic>> {
    let mut loaded = Loaded::new(driver, plan, options.time_limit)?;
    loaded.upload(inputs)?;
    loaded.run()?;
    let outputs = loaded.download()?;
    let measured = match options.bench {
        None => None,
        Some(count) => {
            let measured = bench::measure(&mut loaded, count, bench::WARM_TIME)?;
            Some(lines(&bench::shown(&format!("@{}", function.name), plan, &measured)))
        }
    };
    Ok((outputs, measured))
}

/// The numbers that bytes of the device are.
fn values(ctx: &Context, tensor: &manifest::numbers::Tensor, bytes: Vec<u8>) -> Option<Values> {
    let elem = tensor.elem.ty();
    let shape: Vec<usize> = tensor.shape.iter().map(|&size| size as usize).collect();
    let array = Array { shape: shape.clone(), elem: Elem::of(ctx, elem)?, bytes };
    Some(Values { shape, elem, numbers: array.numbers(array.elem) })
}
