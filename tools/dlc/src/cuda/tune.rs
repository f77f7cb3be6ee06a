//! Tuning: the plans of each kernel that an estimate finds best, measured on the device.
//!
//! Kernels are measured alone, on random inputs, with cold caches. A plan counts only if its kernel is verified and gives the
//! numbers that the plan of the estimate gives. Time is divided among kernels by what they are estimated to take in the
//! program; within that time plans are measured from the best estimate on, and the fastest few once more in turn.

use std::time::{Duration, Instant};

use dlc_core::precision::Precision;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Builder, OpId, Str};
use dlc_opt::compare::{Tolerance, compare};
use dlc_opt::function::Function;
use dlc_opt::{STACK, Status};
use dlc_passes::analysis::axes::is_kernel;
use dlc_passes::region::choose_plan::measured::kernel_key;
use dlc_passes::region::choose_plan::{choose_plan, summary, written};
use dlc_plan::value::Table;
use dlc_plan::{Measured, Schedule, Schedules, Target};
use dlc_translate::manifest::plan::Plan;

use super::cache::Cache;
use super::compile::{Compiled, Compiler, IndexWidth, PlannedSizes, plan_of};
use super::driver::Driver;
use super::exec::Loaded;
use super::measure::measure;
use super::module::{load, values};
use crate::bind::{Bound, BoundInput, Caller, Needed};
use crate::module::choose;
use crate::options::Planning;
use dlc_opt::planned::LaunchedKernel;
use dlc_opt::table::table;

/// The most plans of a kernel that are measured.
const MOST_PLANS: usize = 32;
/// Plans whose estimate is this many times that of the best one are not measured.
const FARTHEST: f64 = 4.0;
/// Of how many of the fastest plans the time is taken again.
const FINALISTS: usize = 3;
/// How often.
const FINAL_ROUNDS: usize = 2;
/// By how much a plan must be faster than that of the estimate to take its place: less is noise.
const GAIN: f64 = 0.99;
/// For how long a kernel runs before its time is taken.
const WARM_TIME: Duration = Duration::from_millis(10);
/// How long all runs take together whose time is taken, in milliseconds.
const RUNS_TIME: f64 = 20.0;

/// What tunes programs.
pub struct Tuner<'a> {
    /// What compiles them; what it knows of measured plans is measured again.
    pub compiler: Compiler<'a>,
    /// The target that they are compiled for.
    pub target: &'a str,
    /// How long it may take, about: what is begun is ended.
    pub time: Duration,
    /// How long a kernel may run.
    pub time_limit: Duration,
    /// Where machine code is kept.
    pub cache: Option<&'a Cache>,
    /// Takes a line whenever a kernel is begun.
    pub progress: &'a dyn Fn(&str),
}

/// What tuning found.
pub struct Tuned {
    /// The fastest plan of each kernel that was measured.
    pub plans: Vec<Measured>,
    /// All kernels, in the order of their launches.
    pub kernels: Vec<TunedKernel>,
}

/// What was measured of a kernel at some sizes.
pub struct TunedKernel {
    /// Its name, without `@`.
    pub name: String,
    /// What its symbols are.
    pub sizes: Vec<(String, i64)>,
    /// How many plans the estimate leaves.
    pub plans: usize,
    /// How many were measured.
    pub measured: usize,
    /// How many give other numbers than the plan of the estimate.
    pub wrong: usize,
    /// How many microseconds it takes with the plan of the estimate; `None` where that was not measured.
    pub estimated: Option<f64>,
    /// How many it takes with the fastest plan.
    pub best: Option<f64>,
    /// The clauses that tell this plan from others.
    pub summary: String,
    /// What was measured, from the best estimate on.
    pub times: Vec<TunedPlan>,
}

/// A plan of a kernel that was measured.
pub struct TunedPlan {
    /// The microseconds of the estimate; `None` for a plan that was only known from a measurement before.
    pub estimate: Option<f64>,
    /// The microseconds that it took.
    pub time: f64,
    /// Its clauses, on a line.
    pub clauses: String,
}

impl TunedKernel {
    /// Spearman's rank correlation of estimates and times; `None` for fewer than three plans.
    pub fn rank_correlation(&self) -> Option<f64> {
        let known: Vec<(f64, f64)> = self.times.iter().filter_map(|plan| Some((plan.estimate?, plan.time))).collect();
        let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
            let less = |one: &(f64, f64)| known.iter().filter(|other| of(other) < of(one)).count();
            let same = |one: &(f64, f64)| known.iter().filter(|other| of(other) == of(one)).count();
            known.iter().map(|one| less(one) as f64 + (same(one) - 1) as f64 / 2.0).collect()
        };
        let (a, b) = (ranks(&|plan| plan.0), ranks(&|plan| plan.1));
        let middle = (known.len() as f64 - 1.0) / 2.0;
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
        let spread = (product(&a, &a) * product(&b, &b)).sqrt();
        (known.len() > 2 && spread > 0.0).then(|| product(&a, &b) / spread)
    }
}

impl Tuned {
    /// The table of what was measured.
    pub fn table(&self) -> comfy_table::Table {
        let header =
            ["tuned", "sizes", "plans", "measured", "wrong", "estimate's us", "best us", "speedup", "rank", "plan"];
        let mut shown = table(header, &[2, 3, 4, 5, 6, 7, 8]);
        let micro = |time: Option<f64>| time.map_or("-".to_string(), |time| format!("{time:.2}"));
        for kernel in &self.kernels {
            let TunedKernel { name, sizes, plans, measured, wrong, estimated, best, summary, .. } = kernel;
            let sizes: Vec<String> = sizes.iter().map(|(symbol, size)| format!("{symbol}={size}")).collect();
            let speedup = estimated.zip(*best).map_or("-".to_string(), |(own, best)| format!("{:.3}", own / best));
            shown.add_row([
                format!("@{name}"),
                sizes.join(","),
                plans.to_string(),
                measured.to_string(),
                wrong.to_string(),
                micro(*estimated),
                micro(*best),
                speedup,
                kernel.rank_correlation().map_or("-".to_string(), |rank| format!("{rank:.2}")),
                summary.clone(),
            ]);
        }
        shown
    }
}

/// A kernel that is to be measured.
struct Kernel {
    name: String,
    sizes: Vec<(String, i64)>,
    key: String,
    /// Microseconds of all its launches by the estimate.
    weight: f64,
    /// Plans from the best estimate on, with that, and one that was measured before.
    plans: Vec<(Schedule, Option<f64>)>,
}

/// A plan of a kernel that runs.
struct Candidate {
    number: usize,
    compiled: Compiled,
    launches: Plan,
    /// Milliseconds of each time that it was measured.
    times: Vec<f64>,
}

impl Candidate {
    fn time(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or(f64::INFINITY)
    }
}

/// A kernel by itself, and what it is called with.
struct Alone<'a> {
    module: Body,
    op: OpId,
    function: &'a Function,
    sizes: &'a [(String, i64)],
    inputs: Vec<Vec<u8>>,
    /// How far its outputs may be from those of another plan.
    tolerance: Tolerance,
}

impl Tuner<'_> {
    /// Measures plans of the kernels that a function launches at some sizes: of the first, which kernels are formed for, and
    /// of others. What goes wrong is reported.
    pub fn tune(
        &self,
        module: &Body,
        function: &Function,
        sizes: PlannedSizes<'_>,
        driver: &mut dyn Driver,
    ) -> Result<Tuned, Status> {
        let planned = self.compiler.with_plans(module, function, sizes, self.target)?;
        let begin = Instant::now();
        let mut kernels = self.kernels(&planned, function, sizes);
        // What has a plan that somebody wrote keeps it.
        let (ctx, written) = (self.compiler.ctx, Schedules::of(self.compiler.ctx, module));
        kernels.retain(|kernel| written.plans_of(ctx, module, &kernel.name).is_empty());
        let mut order: Vec<usize> = (0..kernels.len()).collect();
        order.sort_by(|&a, &b| kernels[b].weight.total_cmp(&kernels[a].weight));
        let (mut plans, mut found) = (Vec::new(), Vec::new());
        for (at, &number) in order.iter().enumerate() {
            let kernel = &kernels[number];
            let left = self.time.saturating_sub(begin.elapsed());
            let others: f64 = order[at..].iter().map(|&other| kernels[other].weight).sum();
            let share = left.mul_f64((kernel.weight / others).clamp(0.0, 1.0));
            (self.progress)(&format!("measuring @{}, kernel {} of {}", kernel.name, at + 1, kernels.len()));
            let (plan, tuned) = match left.is_zero() {
                true => (None, kernel.untouched()),
                false => self.kernel(&planned, kernel, share, driver)?,
            };
            plans.extend(plan);
            found.push((number, tuned));
        }
        found.sort_by_key(|(number, _)| *number);
        Ok(Tuned { plans, kernels: found.into_iter().map(|(_, tuned)| tuned).collect() })
    }

    /// The kernels that have plans to compare, each once for the same sizes.
    fn kernels(&self, planned: &Body, function: &Function, sizes: PlannedSizes<'_>) -> Vec<Kernel> {
        let Compiler { ctx, planning, measured, .. } = self.compiler;
        let (Planning::Choose(f32), Some(target)) = (planning, Target::built_in(self.target)) else {
            return Vec::new();
        };
        let first = function
            .symbols
            .iter()
            .map(|name| sizes.symbols.iter().find(|(own, _)| own == name).map_or(1, |(_, size)| (*size).max(1)));
        let mut kernels: Vec<Kernel> = Vec::new();
        for numbers in std::iter::once(first.collect()).chain(sizes.others.iter().cloned()) {
            let of_program = |name: &str| {
                let number = function.symbols.iter().position(|own| own == name).and_then(|at| numbers.get(at));
                number.copied().unwrap_or(1).max(1)
            };
            for launched in LaunchedKernel::all(ctx, planned, &function.name, &of_program) {
                let op = kernel_op(&self.compiler, planned, &launched.name);
                let Some(kernel) = op.and_then(|op| planned.nested(op)).filter(|kernel| is_kernel(ctx, kernel)) else {
                    continue;
                };
                let key = kernel_key(ctx, kernel);
                let (is_same, size) = (
                    |known: &&mut Kernel| known.key == key && known.sizes == launched.sizes,
                    |symbol: &str| launched.size(symbol),
                );
                let base = Schedule::new(&launched.name, self.target);
                let chosen = choose_plan(ctx, kernel, base, (&target, Precision::of(f32.word())), &size);
                let Some(best) = chosen.as_ref().and_then(|chosen| Some(chosen.ranked.first()?.1.time)) else {
                    continue;
                };
                if let Some(known) = kernels.iter_mut().find(is_same) {
                    known.weight += if launched.is_alternative { 0.0 } else { best };
                    continue;
                }
                let near = chosen.into_iter().flat_map(|chosen| chosen.ranked);
                let near = near.filter(|(_, cost)| cost.time <= best * FARTHEST).take(MOST_PLANS);
                let mut plans: Vec<(Schedule, Option<f64>)> = Vec::new();
                let before = measured.iter().filter(|plan| plan.kernel == key && plan.sizes.0 == launched.sizes);
                let before = before.map(|plan| Schedule { of: Some(launched.name.clone()), ..plan.plan.clone() });
                let near = near.map(|(plan, cost)| (written(plan), Some(cost.time)));
                for (plan, estimate) in near.chain(before.map(|plan| (plan, None))) {
                    let is_known = plans.iter().any(|(known, _)| *known == plan);
                    plans.extend(Some((plan, estimate)).filter(|_| !is_known));
                }
                let LaunchedKernel { name, sizes, .. } = launched;
                kernels.push(Kernel { name, sizes, key, weight: best, plans });
            }
        }
        // Where nothing is to be compared the estimate decides.
        kernels.retain(|kernel| kernel.plans.len() > 1);
        kernels
    }

    /// Measures the plans of one kernel for some time.
    fn kernel(
        &self,
        planned: &Body,
        kernel: &Kernel,
        share: Duration,
        driver: &mut dyn Driver,
    ) -> Result<(Option<Measured>, TunedKernel), Status> {
        let ctx = self.compiler.ctx;
        let (begin, mut tuned) = (Instant::now(), kernel.untouched());
        let module = kernel_module(&self.compiler, planned, &kernel.name);
        let own = Diagnostics::new();
        let Some((function, op)) = module.as_ref().and_then(|module| {
            Some((choose(ctx, module, Some(&kernel.name), &own)?, kernel_op(&self.compiler, module, &kernel.name)?))
        }) else {
            return Ok((None, tuned));
        };
        let Some(inputs) = self.inputs(&function, kernel) else { return Ok((None, tuned)) };
        let Some(module) = module else { return Ok((None, tuned)) };
        let tolerance = Tolerance::of(ctx, &module, &kernel.name);
        let alone = Alone { module, op, function: &function, sizes: &kernel.sizes, inputs, tolerance };
        let mut expected: Option<Vec<Vec<u8>>> = None;
        let mut candidates: Vec<Candidate> = Vec::new();
        let step = self.compiler.threads.max(1);
        'all: for first in (0..kernel.plans.len()).step_by(step) {
            let some = first..kernel.plans.len().min(first + step);
            for mut candidate in self.compile(&alone, &kernel.plans, some) {
                let is_over = begin.elapsed() >= share && candidates.len() > 1;
                if is_over {
                    break 'all;
                }
                let (outputs, time) = match self.run(driver, &candidate, &alone) {
                    Ok(found) => found,
                    Err(error) if driver.is_lost() => return Err(self.failed(*error, kernel, candidate.number)),
                    // Too much memory, a module that the driver does not take: it is no plan for this device.
                    Err(_) => continue,
                };
                tuned.measured += 1;
                match &expected {
                    Some(expected) if !self.is_alike(&candidate, &outputs, expected, alone.tolerance) => {
                        tuned.wrong += 1;
                        continue;
                    }
                    Some(_) => {}
                    None => expected = Some(outputs),
                }
                candidate.times.push(time);
                candidates.push(candidate);
            }
        }
        let of_estimate = candidates.first().map(|candidate| candidate.number);
        candidates.sort_by(|a, b| a.time().total_cmp(&b.time()));
        // The plan of the estimate takes part, so that both times are of the same minutes.
        let own = candidates.iter().position(|candidate| Some(candidate.number) == of_estimate);
        let finalists = if candidates.len() > 1 { FINALISTS.min(candidates.len()) } else { 0 };
        for _ in 0..FINAL_ROUNDS {
            for at in (0..finalists).chain(own.filter(|&own| own >= finalists)) {
                match self.run(driver, &candidates[at], &alone) {
                    Ok((_, time)) => candidates[at].times.push(time),
                    Err(error) if driver.is_lost() => return Err(self.failed(*error, kernel, candidates[at].number)),
                    Err(_) => {}
                }
            }
        }
        let time = |candidate: &Candidate| {
            let (plan, estimate) = &kernel.plans[candidate.number];
            (
                candidate.number,
                TunedPlan { estimate: *estimate, time: candidate.time() * 1e3, clauses: plan.clauses(ctx).join(" ") },
            )
        };
        let mut times: Vec<(usize, TunedPlan)> = candidates.iter().map(time).collect();
        times.sort_by_key(|(number, _)| *number);
        tuned.times = times.into_iter().map(|(_, plan)| plan).collect();
        let Some(own) = own.map(|own| &candidates[own]) else { return Ok((None, tuned)) };
        let fastest = candidates.iter().min_by(|a, b| a.time().total_cmp(&b.time())).unwrap_or(own);
        let best = if fastest.time() < own.time() * GAIN { fastest } else { own };
        let plan = Schedule { of: None, ..kernel.plans[best.number].0.clone() };
        (tuned.estimated, tuned.best) = (Some(own.time() * 1e3), Some(best.time() * 1e3));
        tuned.summary = summary(ctx, &plan);
        let device = driver.device();
        let measured = Measured {
            name: kernel.name.clone(),
            kernel: kernel.key.clone(),
            sizes: Table(kernel.sizes.clone()),
            device: device.name.clone(),
            driver: device.driver.into(),
            nanoseconds: ((best.time() * 1e6).round() as i64).max(1),
            plan,
        };
        Ok((Some(measured), tuned))
    }

    /// Random inputs of a kernel; `None` where there are none, or no memory for them.
    fn inputs(&self, function: &Function, kernel: &Kernel) -> Option<Vec<Vec<u8>>> {
        let (ctx, own) = (self.compiler.ctx, Diagnostics::new());
        let arrays = vec![None; function.inputs.len()];
        let given = BoundInput { arrays, sizes: kernel.sizes.clone(), seed: 0, caller: Caller::Program };
        let mut bound = Bound::of(ctx, function, Needed::All, given, &own).ok()?;
        (0..function.inputs.len()).map(|place| bound.bytes(place).ok()).collect()
    }

    /// Compiles a kernel with some plans at once; those that are refused are left out.
    fn compile(
        &self,
        alone: &Alone<'_>,
        plans: &[(Schedule, Option<f64>)],
        some: std::ops::Range<usize>,
    ) -> Vec<Candidate> {
        let compiler = self.compiler;
        let one = |number: usize| {
            let own = Diagnostics::new();
            let compiler = Compiler { threads: 1, diags: &own, keeps_planned: false, ptx_file: None, ..compiler };
            let mut module = alone.module.clone();
            let loc = module.loc(alone.op);
            plans[number].0.build(&mut Builder::new(compiler.ctx, &mut module, InsertPoint::After(alone.op)), loc);
            let compile = |places| {
                let compiled = compiler.compile_kernel(&module, alone.function, places).ok()??;
                let launches = plan_of(&compiled.translated.manifest, alone.function, alone.sizes).ok()?;
                Some(Candidate { number, compiled, launches, times: Vec::new() })
            };
            compile(IndexWidth::Narrow).or_else(|| compile(IndexWidth::Wide))
        };
        std::thread::scope(|scope| {
            let one = &one;
            let threads: Vec<_> = some
                .map(|number| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || one(number)))
                .collect();
            threads.into_iter().filter_map(|thread| thread.ok()?.join().ok()?).collect()
        })
    }

    /// Runs a plan once for its outputs, and then for its time in milliseconds.
    fn run(
        &self,
        driver: &mut dyn Driver,
        candidate: &Candidate,
        alone: &Alone<'_>,
    ) -> Result<(Vec<Vec<u8>>, f64), Box<Diagnostic>> {
        let translated = &candidate.compiled.translated;
        load(driver, &translated.manifest, &translated.ptx, self.cache)?;
        let mut loaded = Loaded::new(driver, &candidate.launches, self.time_limit)?;
        loaded.upload(&alone.inputs)?;
        loaded.run()?;
        let outputs = loaded.download()?;
        let first = measure(&mut loaded, 3, WARM_TIME)?.median();
        let count = (RUNS_TIME / first.max(1e-3)).clamp(5.0, 50.0) as usize;
        Ok((outputs, measure(&mut loaded, count, Duration::ZERO)?.median()))
    }

    /// Whether outputs are those that are expected.
    fn is_alike(&self, of: &Candidate, outputs: &[Vec<u8>], expected: &[Vec<u8>], tolerance: Tolerance) -> bool {
        let ctx = self.compiler.ctx;
        let pairs = of.launches.outputs.iter().zip(outputs.iter().zip(expected));
        pairs.into_iter().all(|((tensor, _), (is, expected))| {
            let numbers = |bytes: &Vec<u8>| values(ctx, tensor, bytes.clone()).map(|values| values.numbers);
            is == expected
                || matches!((numbers(is), numbers(expected)), (Some(is), Some(expected))
                    if compare(&is, &expected, tolerance).differing == 0)
        })
    }

    /// Reports what has ended the use of the device, and with which plan.
    fn failed(&self, error: Diagnostic, kernel: &Kernel, number: usize) -> Status {
        let plan = summary(self.compiler.ctx, &kernel.plans[number].0);
        self.compiler.diags.emit(error.note(dlc_ir::Loc::UNKNOWN, format!("the plan of @{} was {plan}", kernel.name)));
        Status::Failure
    }
}

impl Kernel {
    fn untouched(&self) -> TunedKernel {
        TunedKernel {
            name: self.name.clone(),
            sizes: self.sizes.clone(),
            plans: self.plans.len(),
            measured: 0,
            wrong: 0,
            estimated: None,
            best: None,
            summary: String::new(),
            times: Vec::new(),
        }
    }
}

/// A kernel of a module.
fn kernel_op(compiler: &Compiler<'_>, module: &Body, name: &str) -> Option<OpId> {
    let mut ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    ops.find(|&op| OpRef::new(compiler.ctx, module, op).symbol_name() == Some(name))
}

/// A module with nothing but one kernel.
fn kernel_module(compiler: &Compiler<'_>, planned: &Body, name: &str) -> Option<Body> {
    let mut module = planned.clone();
    let kernel = kernel_op(compiler, &module, name)?;
    let ops: Vec<OpId> = module.ops(module.entry_block()?).collect();
    ops.into_iter().filter(|&op| op != kernel).for_each(|op| module.erase_op(op));
    // Nothing launches it here.
    let body = module.nested_mut(kernel)?;
    let root = body.root();
    body.set_prop(compiler.ctx, root, Str::SYM_VISIBILITY, None);
    Some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
        let kernel = Kernel { name: "k".into(), sizes: vec![], key: String::new(), weight: 1.0, plans: vec![] };
        let plan =
            |&(estimate, time): &(f64, f64)| TunedPlan { estimate: Some(estimate), time, clauses: String::new() };
        TunedKernel { times: pairs.iter().map(plan).collect(), ..kernel.untouched() }.rank_correlation()
    }

    #[test]
    fn ranks_are_correlated() {
        assert_eq!(correlation(&[(1.0, 10.0), (2.0, 11.0), (9.0, 90.0)]), Some(1.0));
        assert_eq!(correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        // Equal ones share their ranks.
        assert_eq!(correlation(&[(1.0, 1.0), (1.0, 2.0), (2.0, 1.5)]), Some(0.0));
        assert_eq!((correlation(&[(1.0, 1.0), (2.0, 2.0)]), correlation(&[(1.0, 1.0); 3])), (None, None));
    }
}
