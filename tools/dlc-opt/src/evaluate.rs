//! `--evaluate-each`: the program is run before and after each pass, and the first pass that changes what it gives is
//! named.
//!
//! Run is every function directly in the module that takes tensors and numbers, on a few inputs of small sizes. What
//! cannot be run before the first pass is left out, and sizes that a kernel has come to refuse. The elements of tensors are compared by the tolerance that suits the
//! function, as `dlc-run --check` does; single numbers bit by bit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use dlc_core::launch::Seed;
use dlc_core::sizes::Bindings;
use dlc_ir::diag::Diagnostic;
use dlc_ir::interp::{Data, Datum, Interpreter, Limits};
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::{PassFailed, PassResult};
use dlc_ir::{Body, Context};

use crate::compare::{Tolerance, compare, index_of};
use crate::function::{Function, Port, functions, sizes};
use crate::generate::{Spread, numbers};
use crate::numbers::Values;
use dlc_kernel::interp::host::NOT_FOR_SIZES;

dlc_ir::codes! {
    /// A pass has changed what the program gives.
    RESULT_CHANGED = "E0421" "ResultChanged";
}

/// How long a function may run: what takes longer is left out.
const LIMITS: Limits = Limits { steps: 1 << 22, depth: 1000 };

/// What the symbols of a function are, from the first on and over again. Divisible ones come second: some programs can
/// run on no others.
const SIZES: [&[i64]; 6] = [&[3, 5, 2, 4], &[8], &[7, 1, 6], &[16, 32], &[1], &[0, 4]];

/// Runs the program between passes.
pub struct Evaluate {
    runs: Mutex<Vec<Run>>,
    order: Seed,
    /// The program as a word of a shell: its file, or `-` for standard input.
    program: String,
}

impl Evaluate {
    /// Evaluates the program of a file, in the order of warps and of asynchronous work that a seed decides.
    pub fn new(seed: u64, file: &str) -> Evaluate {
        let program = shlex::try_quote(file).map_or_else(|_| "FILE".to_string(), Cow::into_owned);
        Evaluate { runs: Mutex::default(), order: Seed(seed), program }
    }
}

/// A function with an input, and what it gives.
struct Run {
    function: Function,
    input: Data,
    symbols: BTreeMap<String, i64>,
    output: Data,
    tolerance: Tolerance,
    /// The arguments of `dlc-run` that give it this input, where it has such.
    again: Option<String>,
}

impl Instrument for Evaluate {
    fn start(&self, ctx: &Context, module: &Body) {
        let mut runs = Vec::new();
        for function in functions(ctx, module) {
            let tolerance = Tolerance::of(ctx, module, &function.name);
            for seed in 0..if function.inputs.is_empty() && function.symbols.is_empty() { 1 } else { SIZES.len() } {
                let Some((input, again)) = input(ctx, &function, seed) else { continue };
                let symbols = symbols(&function, seed);
                if let Ok(output) = call(ctx, module, &function.name, &input, &symbols, self.order) {
                    runs.push(Run { function: function.clone(), input, symbols, output, tolerance, again });
                }
            }
        }
        *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = runs;
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        if !at.changed {
            return Ok(());
        }
        let now = functions(at.ctx, module);
        // A tensor may have become one in memory.
        let types = |ports: &[Port]| ports.iter().map(|port| sizes(at.ctx, port.ty)).collect::<Vec<_>>();
        for run in self.runs.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // A function that is gone, or takes something else now, has nothing to be compared with; nor has a private one that
            // gives something else, which those who call it know.
            let Some(function) = now.iter().find(|function| function.name == run.function.name) else { continue };
            let gives_other = || types(&function.outputs) != types(&run.function.outputs);
            if types(&function.inputs) != types(&run.function.inputs) || (function.is_private && gives_other()) {
                continue;
            }
            let is = match call(at.ctx, module, &function.name, &run.input, &run.symbols, self.order) {
                Ok(output) => match difference(at.ctx, run, &output) {
                    None => continue,
                    Some(difference) => difference,
                },
                // A kernel says itself which sizes it is for.
                Err(Stopped { refused: true, .. }) => continue,
                Err(Stopped { reason, .. }) => {
                    format!("it was ({}), it is ({reason})", show(at.ctx, &run.function.outputs, &run.output))
                }
            };
            let (pass, name) = (at.pass.def.name, &function.name);
            let input = show(at.ctx, &run.function.inputs, &run.input);
            let message = format!("the pass '{pass}' has changed what @{name}({input}) gives: {is}");
            let again = |args| format!("'dlc-run {} --strict {args}' runs it on this input", self.program);
            let again = run.again.as_ref().map(again);
            at.diags.emit(Diagnostic::error(&RESULT_CHANGED, function.loc, message).suggest_if(again));
            return Err(PassFailed);
        }
        Ok(())
    }
}

/// The input of a number, and the argument of `dlc-run` that makes it; `None` when an argument is neither a tensor nor a number.
fn input(ctx: &Context, function: &Function, seed: usize) -> Option<(Data, Option<String>)> {
    let symbols = symbols(function, seed);
    // Small numbers first, then any.
    let spread = if seed < 2 { Spread::Small } else { Spread::Whole };
    let datum = |port: &Port| {
        let (dims, elem) = sizes(ctx, port.ty)?;
        let size =
            |dim: &dlc_ir::affine::SizeExpr| usize::try_from(dim.eval(&|name| symbols.get(name).copied()).ok()?).ok();
        let shape: Vec<usize> = dims.iter().map(size).collect::<Option<_>>()?;
        let count = dlc_core::tensor::count(&shape).ok()?;
        let numbers = numbers(ctx, elem, count, spread, seed as u64, &port.name)?;
        Values { shape, elem, numbers }.to_datum(ctx, port.ty).ok()
    };
    let input: Data = function.inputs.iter().map(datum).collect::<Option<_>>()?;
    let symbols: Vec<String> = symbols.iter().map(|(name, value)| format!(" --shape={name}={value}")).collect();
    let again = format!("--function={} --seed={seed}{}", function.name, symbols.concat());
    Some((input, (spread == Spread::Small).then_some(again)))
}

/// What the symbols of a function are in the run of a number.
fn symbols(function: &Function, seed: usize) -> BTreeMap<String, i64> {
    let given = SIZES[seed % SIZES.len()].iter().cycle();
    function.symbols.iter().cloned().zip(given.copied()).collect()
}

/// Why a function gives nothing.
struct Stopped {
    reason: String,
    /// Whether it is a kernel that is not for these sizes.
    refused: bool,
}

/// What a function gives, or why it gives nothing.
fn call(
    ctx: &Context,
    module: &Body,
    function: &str,
    input: &Data,
    symbols: &BTreeMap<String, i64>,
    order: Seed,
) -> Result<Data, Stopped> {
    let run = || {
        let mut interpreter = Interpreter::new(ctx, module);
        interpreter.limits = LIMITS;
        *interpreter.state() = Bindings::from(symbols.clone());
        *interpreter.state() = order;
        interpreter.call(function, input)
    };
    match catch(run) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(failure)) => {
            let refused = failure.code.code == NOT_FOR_SIZES.code;
            Err(Stopped { reason: format!("error: {}", failure.message), refused })
        }
        Err(panic) => Err(Stopped { reason: format!("panic: {}", panic.message), refused: false }),
    }
}

/// How an output differs from the one before; `None` if it does not.
fn difference(ctx: &Context, run: &Run, output: &Data) -> Option<String> {
    let ports = &run.function.outputs;
    let shown = |data: &Data| show(ctx, ports, data);
    let whole = || Some(format!("it was ({}), it is ({})", shown(&run.output), shown(output)));
    if run.output.len() != output.len() {
        return whole();
    }
    for (port, (was, is)) in ports.iter().zip(run.output.iter().zip(output)) {
        if !matches!((was, is), (Datum::Opaque(_), Datum::Opaque(_))) {
            if was != is {
                return whole();
            }
            continue;
        }
        let (Ok(was), Ok(is)) = (Values::of(ctx, port.ty, was), Values::of(ctx, port.ty, is)) else { continue };
        if was.shape != is.shape || was.elem != is.elem {
            return whole();
        }
        let found = compare(&is.numbers, &was.numbers, run.tolerance);
        if let (1.., Some(worst)) = (found.differing, found.worst) {
            return Some(format!(
                "{} of {} elements of {} differ, the worst at {:?}: it was {}, it is {}",
                found.differing,
                is.numbers.len(),
                port.name,
                index_of(&is.shape, worst),
                was.numbers.text(worst),
                is.numbers.text(worst)
            ));
        }
    }
    None
}

/// Values in a message: numbers, and of tensors their sizes and first elements.
fn show(ctx: &Context, ports: &[Port], data: &Data) -> String {
    let show = |(port, datum): (&Port, &Datum)| match datum {
        Datum::Int(value) => value.to_string(),
        Datum::Float(value) => format!("{value:?}"),
        Datum::Opaque(_) => match Values::of(ctx, port.ty, datum) {
            Ok(values) => {
                let first = (0..values.numbers.len().min(3)).map(|place| values.numbers.text(place));
                let more = if values.numbers.len() > 3 { ", .." } else { "" };
                format!("{} {:?} = [{}{more}]", port.name, values.shape, first.collect::<Vec<_>>().join(", "))
            }
            Err(_) => "..".to_string(),
        },
    };
    ports.iter().zip(data).map(show).collect::<Vec<_>>().join(", ")
}
