//! A mutant on its way through the evaluators.

use std::ops::Range;

use dlc_core::launch::Seed;
use dlc_core::tensor::TensorValue;
use dlc_ir::diag::Diagnostics;
use dlc_ir::interp::{Data, Datum, EVAL_LIMIT, Failure, Interpreter, Limits, UNDEFINED};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::random::Random;
use dlc_ir::{Body, Context};
use dlc_opt::Setup;
use dlc_opt::function::{Function, Port, functions};
use dlc_opt::generate::{Spread, numbers};
use dlc_opt::numbers::Values;

use super::sizes::{bound, draw, sides};
use super::{Effort, KernelMutant};

/// How long one evaluation may run, in ops of the kernel and in instructions of warps: what takes longer is not evaluated
/// to its end. No edit makes a number much larger.
const LIMITS: [u64; 2] = [1 << 13, 1 << 21];

/// As many numbers as all inputs of an evaluation may have, since many blocks do what a few do; and where a kernel is not
/// found to be for such sizes.
const MOST_NUMBERS: [i64; 2] = [1 << 14, 1 << 17];

/// How many pairs of sizes are tried until one is on both sides of a boundary.
const PAIRS: usize = 12;

/// What the evaluator of kernels says where synchronization is at fault, and not a number or a position. It has one code
/// for all that has no meaning, so its words decide; a test holds that it says each of them.
pub const FAULTS: [&str; 16] = [
    "no thread can go on: all of them wait",
    "of shared memory, which nothing was written to",
    "of shared memory, which a copy that is not awaited brings",
    "of shared memory, which a copy that has not ended brings",
    "of shared memory is already brought by a copy that has not ended",
    "of shared memory, which threads wrote, is read with no 'fence_async' between",
    "wrote with no barrier between",
    "the block ends while a copy to its shared memory is on its way",
    "of shared memory, which a matrix product or a store that is not awaited may still read",
    "is read from registers that a matrix product which is not awaited writes",
    "arrive in one phase of the barrier",
    "wrote with no 'warp_sync' between",
    "of shared memory, which threads wrote, is read before they have met",
    "threads have come to a barrier for which nothing waits",
    "makes mbarriers again within a phase of them",
    "with no 'release' and 'acquire' between",
];

/// What the evaluator of instructions says beyond that; its tests hold that it does.
pub const FAULTS_OF_PTX: [&str; 7] = [
    "the block ends while a matrix product or a store that is not awaited may read its shared memory",
    "wrote, with no 'bar.warp.sync' between",
    "is read with no 'fence.proxy.async' between",
    "reads a register that a matrix product which is not awaited writes",
    "threads have come to barrier",
    "more arrive at an mbarrier than the",
    "there is an mbarrier at byte",
];

/// What is said of a kernel that gives other numbers in another order, though nothing else was seen.
pub const DIFFERS: &str = "gives other numbers in another order";

/// The kind of fault, if it is one of synchronization.
fn kind_of(message: &str) -> Option<&'static str> {
    FAULTS.into_iter().chain(FAULTS_OF_PTX).find(|fault| message.contains(fault))
}

/// Sizes that the kernel is for, with inputs.
pub struct Case {
    /// The sizes, in the order of the symbols.
    pub sizes: Vec<i64>,
    inputs: Data,
    /// What the kernel gives for them in the first order, if it came to its end.
    first: Option<Vec<u64>>,
}

/// How an evaluation ended.
enum End {
    /// With these results; with none where some number of them was not written.
    Ran(Data),
    /// A fault of synchronization: its kind, and what was said.
    Fault(&'static str, String),
    /// Something else was wrong, or it took too long.
    Stopped(String),
    /// The kernel is not for these sizes.
    NotFor,
}

fn end_of(failure: &Failure) -> End {
    let message = &failure.message;
    if failure.code.code != UNDEFINED.code {
        return if failure.code.code == EVAL_LIMIT.code { End::Stopped(message.to_string()) } else { End::NotFor };
    }
    match kind_of(message) {
        Some(kind) => End::Fault(kind, message.to_string()),
        // The grid has come to its end.
        None if message.starts_with("no block has written element") => End::Ran(Data::new()),
        // A launch that TMA does not do.
        None if message.starts_with("TMA needs rows") => End::NotFor,
        None => End::Stopped(message.to_string()),
    }
}

/// The numbers of results, bit by bit.
fn bits(results: &Data) -> Vec<u64> {
    let mut all = Vec::new();
    for datum in results {
        match datum.as_opaque::<TensorValue>() {
            Some(value) if value.kind().is_float() => all.extend(value.to_f64s().into_iter().map(f64::to_bits)),
            Some(value) => all.extend(value.to_i64s().into_iter().map(|value| value as u64)),
            None => all.push(datum.as_int().map_or(0, |value| value as u64)),
        }
    }
    all
}

/// The function of a kernel.
pub fn function(ctx: &Context, body: &Body) -> Option<Function> {
    functions(ctx, body).into_iter().next()
}

/// What evaluations of a mutant find: with the evaluator of kernels, and with that of instructions. Those of a mutant that
/// is accepted end with the first fault.
pub fn evaluate(
    setup: &Setup,
    ctx: &Context,
    body: &Body,
    text: &str,
    effort: Effort,
    is_accepted: bool,
    random: &mut Random,
) -> KernelMutant {
    let mut found = KernelMutant::default();
    let Some(function) = function(ctx, body) else { return found };
    // Sums of several blocks are rounded in their order.
    let trial = Trial { ctx, function, is_exact: !text.contains(" combine ") };
    let symbols = &trial.function.symbols;
    let mut cases: Vec<Case> = Vec::new();
    let is_for = |most: i64, sizes: Vec<i64>, cases: &mut Vec<Case>, found: &mut KernelMutant| {
        let Some(mut case) = case(ctx, &trial.function, sizes, most) else { return false };
        let mut first = None;
        // The other orders follow for those sizes that are kept.
        let is_for = trial.run(0, body, &case, 0..1, &mut first, found);
        case.first = first;
        if is_for {
            cases.push(case);
        }
        is_for
    };
    let pairs = if effort.sizes > 1 { PAIRS } else { 0 };
    for attempt in 0..pairs {
        let most = MOST_NUMBERS[2 * attempt / PAIRS];
        let Some(sides) = sides(text, symbols, attempt / 2, random) else { break };
        let before = cases.len();
        for side in sides {
            side.into_iter().any(|sizes| is_for(most, sizes, &mut cases, &mut found));
        }
        found.boundary = cases.len() == before + 2;
        if found.boundary || found.faults[0].is_some() {
            break;
        }
        cases.truncate(before);
    }
    let attempts = 16 * effort.sizes;
    for attempt in 0..attempts {
        if cases.len() >= effort.sizes || found.faults[0].is_some() {
            break;
        }
        if let Some(sizes) = draw(symbols, attempt, random) {
            is_for(MOST_NUMBERS[2 * attempt / attempts], sizes, &mut cases, &mut found);
        }
        if symbols.is_empty() {
            break;
        }
    }
    for case in &cases {
        let mut first = case.first.clone();
        if first.is_some() {
            trial.run(0, body, case, 1..effort.orders, &mut first, &mut found);
        }
    }
    found.sizes = cases.iter().map(|case| case.sizes.clone()).collect();
    if effort.ptx && (!is_accepted || found.faults[0].is_none()) {
        let made = instructions(setup, ctx, body);
        found.no_ptx = made.is_none();
        for (made, case) in made.iter().flat_map(|made| cases.iter().map(move |case| (made, case))) {
            if found.faults[1].is_none() {
                trial.run(1, made, case, 0..effort.orders, &mut None, &mut found);
            }
        }
    }
    found
}

/// A kernel that is evaluated.
struct Trial<'c> {
    ctx: &'c Context,
    function: Function,
    /// Whether it gives the same numbers in each order.
    is_exact: bool,
}

impl Trial<'_> {
    /// Evaluates it in some orders, as a kernel (0) or as instructions (1), up to the first fault. Whether it is for these
    /// sizes. `first` is what it gives in the first order.
    fn run(
        &self,
        level: usize,
        body: &Body,
        case: &Case,
        orders: Range<u64>,
        first: &mut Option<Vec<u64>>,
        found: &mut KernelMutant,
    ) -> bool {
        if found.faults[level].is_some() {
            return false;
        }
        for order in orders {
            let (kind, said) = match self.run_once(level, body, case, order) {
                End::Ran(results) => {
                    found.ended[level] += 1;
                    found.unwritten |= results.is_empty();
                    let results = bits(&results);
                    let first = first.get_or_insert_with(|| results.clone());
                    if *first == results || !self.is_exact {
                        continue;
                    }
                    (DIFFERS, DIFFERS.to_string())
                }
                End::Fault(kind, said) => (kind, said),
                End::Stopped(why) => {
                    found.stopped[level] = Some(why);
                    return true;
                }
                End::NotFor => return false,
            };
            let said = format!("{said} ({}, order {order})", shape(&self.function, &case.sizes));
            found.faults[level] = Some((kind, said));
            return true;
        }
        true
    }

    fn run_once(&self, level: usize, body: &Body, case: &Case, order: u64) -> End {
        let mut interpreter = Interpreter::new(self.ctx, body);
        interpreter.limits = Limits { steps: LIMITS[level], depth: 1000 };
        let Some(bindings) = bound(&self.function.symbols, &case.sizes) else { return End::NotFor };
        *interpreter.state() = bindings;
        *interpreter.state::<Seed>() = Seed(order);
        match interpreter.call(&self.function.name, &case.inputs) {
            Ok(results) => End::Ran(results),
            Err(failure) => end_of(&failure),
        }
    }
}

/// Sizes as `--shape` has them.
pub fn shape(function: &Function, sizes: &[i64]) -> String {
    let each = function.symbols.iter().zip(sizes).map(|(symbol, size)| format!("{symbol}={size}"));
    each.collect::<Vec<_>>().join(",")
}

/// The kernel as instructions, whether it is verified or not. `None` where it has none.
pub fn instructions(setup: &Setup, ctx: &Context, body: &Body) -> Option<Body> {
    let mut made = body.clone();
    let pipeline = Pipeline::parse(&setup.registry, "kernel-to-ptx{unchecked},cse,dce").ok()?;
    let diags = Diagnostics::new();
    crate::run(setup, ctx, &pipeline, &mut made, &diags).is_none().then_some(made)
}

/// Inputs of these sizes. `None` where there are too many numbers, or negative ones.
fn case(ctx: &Context, function: &Function, sizes: Vec<i64>, most: i64) -> Option<Case> {
    let bindings = bound(&function.symbols, &sizes)?;
    let dims = |port: &Port| dlc_opt::function::sizes(ctx, port.ty);
    let mut count = 0_i64;
    for port in &function.inputs {
        count +=
            bindings.values(&dims(port)?.0).ok()?.iter().try_fold(1_i64, |all, &size| all.checked_mul(size as i64))?;
    }
    if count > most {
        return None;
    }
    let input = |port: &Port| -> Option<Datum> {
        let (dims, elem) = dims(port)?;
        let shape = bindings.values(&dims).ok()?;
        let numbers = numbers(ctx, elem, shape.iter().product(), Spread::Small, 1, &port.name)?;
        Values { shape, elem, numbers }.to_datum(ctx, port.ty).ok()
    };
    let inputs = function.inputs.iter().map(input).collect::<Option<Data>>()?;
    Some(Case { sizes, inputs, first: None })
}
