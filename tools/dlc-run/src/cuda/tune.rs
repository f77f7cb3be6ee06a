//! `--tune` and `--plan-cache`: plans that were measured.

use std::io::Write as _;

use dlc::cuda::cache::Cache;
use dlc::cuda::compile::{Compiler, PlannedSizes, others};
use dlc::cuda::driver::{Device, Driver};
use dlc::cuda::plans;
use dlc::cuda::tune::{TunedKernel, Tuner};
use dlc::options::Planning;
use dlc_ir::body::Body;
use dlc_opt::Status;
use dlc_opt::function::Function;
use dlc_opt::table::lines;
use dlc_plan::Measured;

use crate::args::Options;
use crate::log::{append_to, line};

/// The plans of the file that were measured on a device, or on any. What is wrong with the file is reported.
pub fn known(compiler: &Compiler<'_>, options: &Options, device: Option<&Device>) -> Result<Vec<Measured>, Status> {
    all(compiler, options).map(|all| plans::of_device(&all, device))
}

fn all(compiler: &Compiler<'_>, options: &Options) -> Result<Vec<Measured>, Status> {
    let Some(file) = &options.plan_cache else { return Ok(Vec::new()) };
    let read = plans::read(compiler.ctx, compiler.registry, file, options.tune.is_some(), compiler.diags);
    read.ok_or(Status::Failure)
}

/// The plans that were measured on a device: with `--tune` now, at the sizes of the run, or of each shape set. Next to them
/// what is shown of that. The file gets them. What goes wrong is reported.
pub fn measured(
    compiler: &Compiler<'_>,
    options: &Options,
    module: &Body,
    function: &Function,
    symbols: &[(String, i64)],
    target: &str,
    driver: &mut dyn Driver,
) -> Result<(Vec<Measured>, Option<String>), Status> {
    let mut all = all(compiler, options)?;
    let device = driver.device().clone();
    let known = plans::of_device(&all, Some(&device));
    let Some(time) = options.tune.filter(|_| options.plan != Planning::Off) else { return Ok((known, None)) };
    let cache = options.cache.and_then(Cache::of_user);
    let progress = |line: &str| {
        if options.progress {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    };
    let tuner = Tuner {
        compiler: Compiler { measured: &known, ..*compiler },
        target,
        time,
        time_limit: options.time_limit,
        cache: cache.as_ref(),
        progress: &progress,
    };
    let sets = &options.shape_sets;
    let others = others(function, sets);
    let sizes = match sets.first() {
        Some(first) => PlannedSizes { symbols: first, others: &others },
        None => PlannedSizes::of(symbols),
    };
    let tuned = tuner.tune(module, function, sizes, driver)?;
    if let Some(file) = &options.tune_log {
        append_to(file, &line(&COLUMNS), tuned.kernels.iter().flat_map(rows), compiler.diags)
            .then_some(())
            .ok_or(Status::Failure)?;
    }
    plans::replace(&mut all, &tuned.plans);
    if let Some(file) = &options.plan_cache {
        plans::write(compiler.ctx, compiler.registry, file, &all, compiler.diags).ok_or(Status::Failure)?;
    }
    Ok((plans::of_device(&all, Some(&device)), Some(lines(&tuned.table()))))
}

/// The columns of `--tune-log`.
const COLUMNS: [&str; 5] = ["kernel", "sizes", "estimate_us", "time_us", "plan"];

/// A line for each plan of a kernel that was measured.
fn rows(kernel: &TunedKernel) -> impl Iterator<Item = String> {
    let sizes: Vec<String> = kernel.sizes.iter().map(|(symbol, size)| format!("{symbol}={size}")).collect();
    let sizes = sizes.join(" ");
    kernel.times.iter().map(move |plan| {
        let estimate = plan.estimate.map_or(String::new(), |estimate| format!("{estimate:.2}"));
        line(&[&kernel.name, &sizes, &estimate, &format!("{:.2}", plan.time), &plan.clauses])
    })
}
