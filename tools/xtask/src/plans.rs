//! `cargo xtask plans`: draws plans for regions, of legal values and by edits of plans that exist, and says what becomes
//! of each: it compiles, is verified and evaluates as its region, or it is refused, or something is wrong.

#[cfg(test)]
mod clauses;
mod draw;
pub mod record;
mod regions;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use dlc_core::sizes::Bindings;
use dlc_ir::diag::{Diagnostic, Diagnostics, Severity};
use dlc_ir::interp::{Data, EVAL_LIMIT, Interpreter, Limits};
use dlc_ir::pass::panics::{catch, install_hook};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::random::Random;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};
use dlc_kernel::interp::host::NOT_FOR_SIZES;
use dlc_opt::Setup;
use dlc_opt::compare::{Tolerance, compare};
use dlc_opt::function::{Function, Port, functions, sizes};
use dlc_opt::generate::{Spread, numbers};
use dlc_opt::numbers::{Numbers, Values};

use crate::runs::Range;

pub use regions::{Region, TARGETS, regions};

/// What a plan goes through.
const TO_KERNEL: &str = "tensorize,kernel-schedule";
const TO_PTX: &str = "kernel-to-ptx,licm{registers=128},cse,dce";

/// How long an evaluation may run: what takes longer is not evaluated.
const LIMITS: Limits = Limits { steps: 1 << 22, depth: 1000 };

/// How long everything about one plan may take.
const TIME: Duration = Duration::from_secs(120);

/// How many edits are drawn until one changes something.
const EDITS: usize = 64;

/// The codes by which something is wrong with the compiler, and not with the plan.
const INTERNAL: [&str; 3] = ["E0402", "E0403", "E1905"];

/// Where a plan is from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// Its values are legal one by one.
    Drawn,
    /// A plan that exists, with one clause edited.
    Edited,
}

/// What became of a plan.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It compiles, is verified, and evaluates as its region at so many sizes.
    Right(usize),
    /// It compiles and is verified, and no evaluation came to its end.
    NotEvaluated(String),
    /// It is refused.
    Refused {
        /// How far it came: see [`record::Record::stage`].
        stage: &'static str,
        /// The code of the error.
        code: String,
        /// Its message.
        message: String,
    },
    /// An internal error.
    Internal {
        /// How far it came, if that is known.
        stage: &'static str,
        /// The code, or `panic`.
        code: String,
        /// The message.
        message: String,
    },
    /// What it evaluates as is not what the region evaluates as.
    Wrong(String),
    /// It took too long.
    Slow,
}

impl Fate {
    /// Whether a plan may not end so.
    pub fn is_fault(&self) -> bool {
        matches!(self, Fate::Internal { .. } | Fate::Wrong(_))
    }
}

/// A plan, and what became of it.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The number.
    pub number: usize,
    /// The region, the target, the seed and the number.
    pub name: String,
    /// Where it is from.
    pub origin: Origin,
    /// What was edited.
    pub edit: String,
    /// The region and the plan.
    pub text: String,
    /// What became of it.
    pub fate: Fate,
}

impl Drawn {
    /// The text, under what became of it.
    pub fn saved(&self) -> String {
        let head = format!("{}: {:?}\n{}", self.name, self.fate, self.edit);
        head.lines().map(|line| format!("// {line}\n")).collect::<String>() + &self.text
    }
}

/// The text of a region with a plan.
fn text_of(region: &Region, target: &str, clauses: &[String]) -> String {
    let lines: String = clauses.iter().flat_map(|clause| clause.lines()).map(|line| format!("  {line}\n")).collect();
    format!("{}\nplan.schedule of @{} for {target} {{\n{lines}}}\n", region.text.trim_end(), region.function)
}

/// The plan of a number: of which region, for which target, how.
fn plan(regions: &[Region], seed: u64, number: usize) -> Drawn {
    let mut random = Random::of_case(seed, number as u64);
    let region = &regions[number / 4 % regions.len()];
    let at = number / 2 % 2;
    let target = TARGETS[at];
    let name = format!("{} {target} {seed}/{number}", region.name);
    let of = |origin, edit: String, clauses: &[String]| {
        let text = text_of(region, target, clauses);
        Drawn { number, name: name.clone(), origin, edit, text, fate: Fate::Slow }
    };
    if number % 2 == 1 && !region.plans[at].is_empty() {
        let plan = &region.plans[at][random.below(region.plans[at].len())];
        if let Some((clauses, edit)) = (0..EDITS).find_map(|_| draw::edit(region, plan, &mut random)) {
            return of(Origin::Edited, edit, &clauses);
        }
    }
    of(Origin::Drawn, String::new(), &draw::draw(region, target, &mut random))
}

/// What regions evaluate as: by the region and the number of the sizes.
type Expected = Mutex<HashMap<(String, usize), Option<Arc<Vec<Numbers>>>>>;

/// What becomes of the text of a region with a plan. A thread of its own looks at it.
fn judge(setup: &Arc<Setup>, expected: &Arc<Expected>, region: &Region, text: &str) -> Fate {
    let (send, receive) = mpsc::channel();
    let (setup, expected) = (Arc::clone(setup), Arc::clone(expected));
    let (region, text) = (region.clone(), text.to_string());
    thread::spawn(move || {
        let fate = match catch(|| look(&setup, &expected, &region, &text)) {
            Ok(fate) => fate,
            Err(panic) => {
                let message = format!("{} {:?}", panic.message, panic.place);
                Fate::Internal { stage: "", code: "panic".into(), message }
            }
        };
        // Nobody listens any more where it took too long.
        let _ = send.send(fate);
    });
    receive.recv_timeout(TIME).unwrap_or(Fate::Slow)
}

fn look(setup: &Setup, expected: &Expected, region: &Region, text: &str) -> Fate {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let Some(body) = parse(&ctx, text, &diags) else { return refused("plan", &diags) };
    let mut kernels = body.clone();
    if let Some(fate) = run_passes(setup, &ctx, (TO_KERNEL, "kernel"), &mut kernels) {
        return fate;
    }
    let mut instructions = kernels.clone();
    if let Some(fate) = run_passes(setup, &ctx, (TO_PTX, "instructions"), &mut instructions) {
        return fate;
    }
    let (mut done, mut left) = (0, String::new());
    for at in 0..region.sizes.len() {
        match evaluate(expected, region, at, (&ctx, &body, &kernels)) {
            Ok(()) => done += 1,
            Err(Stopped::Wrong(what)) => return Fate::Wrong(what),
            Err(Stopped::Left(why)) => left = why,
        }
    }
    if done > 0 { Fate::Right(done) } else { Fate::NotEvaluated(left) }
}

fn parse(ctx: &Context, text: &str, diags: &Diagnostics) -> Option<Body> {
    let file = ctx.sources.add("plan", text.to_string())?;
    let body = parse_module(ctx, &file, 0..file.text.len(), ParseOptions::default(), diags).ok()?;
    verify(ctx, &body, diags).then_some(body)
}

fn refused(stage: &'static str, diags: &Diagnostics) -> Fate {
    let diags: Vec<Diagnostic> = diags.take();
    let error = diags.into_iter().find(|each| each.severity == Severity::Error);
    let (code, message) = error.map_or(("none", String::new()), |error| (error.code.code, error.message));
    match INTERNAL.contains(&code) {
        true => Fate::Internal { stage, code: code.into(), message },
        false => Fate::Refused { stage, code: code.into(), message },
    }
}

fn run_passes(setup: &Setup, ctx: &Context, (passes, stage): (&str, &'static str), body: &mut Body) -> Option<Fate> {
    let diags = Diagnostics::new();
    let pipeline = Pipeline::parse(&setup.registry, passes).expect("the passes are linked in");
    let failure = crate::run(setup, ctx, &pipeline, body, &diags)?;
    Some(refused(if failure.pass == "check-async" { "check-async" } else { stage }, &diags))
}

/// Why an evaluation did not agree.
enum Stopped {
    Wrong(String),
    Left(String),
}

fn evaluate(
    expected: &Expected,
    region: &Region,
    at: usize,
    (ctx, body, kernels): (&Context, &Body, &Body),
) -> Result<(), Stopped> {
    let left = |why: &str| Stopped::Left(why.to_string());
    let function = |body: &Body| functions(ctx, body).into_iter().find(|function| function.name == region.function);
    let of_region = function(body).ok_or_else(|| left("the region is no function"))?;
    let kernel_function = function(kernels).ok_or_else(|| left("the kernel is no function"))?;
    let mut bindings = Bindings::default();
    for (symbol, &size) in region.symbols.iter().zip(&region.sizes[at]) {
        bindings.set(symbol, size).map_err(|_| left("a symbol has two sizes"))?;
    }
    let inputs = inputs(ctx, &of_region, &bindings).ok_or_else(|| left("there are no inputs"))?;
    let key = (region.name.clone(), at);
    let known = expected.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    let wanted = known.unwrap_or_else(|| {
        let made = call(ctx, body, &of_region, &inputs, &bindings).ok().map(Arc::new);
        expected.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    });
    let wanted = wanted.ok_or_else(|| left("the region cannot be evaluated"))?;
    let found = call(ctx, kernels, &kernel_function, &inputs, &bindings)?;
    let tolerance = Tolerance::of(ctx, body, &region.function);
    for (found, wanted) in found.iter().zip(wanted.iter()) {
        let result = compare(found, wanted, tolerance);
        if result.differing > 0 {
            return Err(Stopped::Wrong(format!("{bindings:?}: {result:?}")));
        }
    }
    Ok(())
}

fn call(
    ctx: &Context,
    body: &Body,
    function: &Function,
    inputs: &Data,
    bindings: &Bindings,
) -> Result<Vec<Numbers>, Stopped> {
    let mut interpreter = Interpreter::new(ctx, body);
    interpreter.limits = LIMITS;
    *interpreter.state::<Bindings>() = bindings.clone();
    let results = interpreter.call(&function.name, inputs).map_err(|failure| {
        let is_left = [NOT_FOR_SIZES.code, EVAL_LIMIT.code].contains(&failure.code.code);
        let said = format!("{}: {} ({bindings:?})", failure.code.code, failure.message);
        if is_left { Stopped::Left(said) } else { Stopped::Wrong(said) }
    })?;
    let numbers = |(port, datum): (&Port, _)| {
        let values = Values::of(ctx, port.ty, datum).map_err(|why| Stopped::Wrong(format!("{}: {why}", port.name)))?;
        Ok(values.numbers)
    };
    function.outputs.iter().zip(&results).map(numbers).collect()
}

fn inputs(ctx: &Context, function: &Function, bindings: &Bindings) -> Option<Data> {
    let input = |port: &Port| {
        let (dims, elem) = sizes(ctx, port.ty)?;
        let shape = bindings.values(&dims).ok()?;
        let numbers = numbers(ctx, elem, shape.iter().product(), Spread::Small, 1, &port.name)?;
        Values { shape, elem, numbers }.to_datum(ctx, port.ty).ok()
    };
    function.inputs.iter().map(input).collect()
}

/// Draws the plans of some numbers and judges them; each is shown as soon as its fate is known, and all are given in
/// order.
pub fn run(
    setup: &Arc<Setup>,
    regions: &[Region],
    Range { seed, from, count, jobs, time }: Range,
    mut show: impl FnMut(&Drawn),
) -> Vec<Drawn> {
    install_hook();
    let (next, mut all, start) = (AtomicUsize::new(from), BTreeMap::new(), Instant::now());
    let expected = Arc::new(Expected::default());
    let (send, receive) = mpsc::channel();
    let work = |send: mpsc::Sender<Drawn>| {
        while start.elapsed() < time {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= from.saturating_add(count) {
                return;
            }
            let mut drawn = plan(regions, seed, number);
            drawn.fate = judge(setup, &expected, &regions[number / 4 % regions.len()], &drawn.text);
            // The one who listens goes last.
            let _ = send.send(drawn);
        }
    };
    let jobs = if jobs > 0 { jobs } else { thread::available_parallelism().map_or(1, usize::from) };
    thread::scope(|scope| {
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(|| work(send));
        }
        drop(send);
        for drawn in receive {
            show(&drawn);
            all.insert(drawn.number, drawn);
        }
    });
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Repo;

    use record::{Record, report};

    fn region(name: &str) -> Vec<Region> {
        let found = regions(&crate::setup(), &Repo::root(), name).expect("the programs can be read");
        assert!(!found.is_empty(), "{name}");
        found
    }

    #[test]
    fn no_plan_of_a_product_ends_in_an_internal_error() {
        let range = Range { seed: 1, from: 0, count: 40, jobs: 0, time: Duration::MAX };
        let drawn = run(&Arc::new(crate::setup()), &region("gemm_nn_f16"), range, |_| {});
        let faults: Vec<String> = drawn.iter().filter(|drawn| drawn.fate.is_fault()).map(Drawn::saved).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(
            drawn.iter().any(|drawn| matches!(drawn.fate, Fate::Right(_))),
            "{}",
            report(&drawn.iter().map(Record::of).collect::<Vec<_>>())
        );
    }

    #[test]
    fn the_same_seed_draws_the_same_plans() {
        let regions = region("row_softmax");
        let texts = |seed| (0..20).map(|number| plan(&regions, seed, number).text).collect::<Vec<_>>();
        assert_eq!(texts(7), texts(7));
        assert_ne!(texts(7), texts(8));
    }
}
