//! A function of a module on the CPU, by the evaluators that its ops declare.

use std::collections::BTreeMap;

use dlc_core::launch::Seed;
use dlc_core::sizes::Bindings;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::pass::panics::catch;
use dlc_ir::{Body, Context};
use dlc_opt::Status;
use dlc_opt::function::Function;
use dlc_opt::numbers::Values;

use crate::bind::BAD_INPUT;

dlc_ir::codes! {
    /// The evaluation of an op has panicked: a mistake in dlc.
    EVALUATION_PANICKED = "E0535" "EvaluationPanicked";
}

/// How a function is evaluated.
#[derive(Clone, Copy, Default, Debug)]
pub struct How {
    /// The order of warps and of asynchronous work in kernels; 0 is the usual one.
    pub order_seed: u64,
    /// How many ops, or instructions of warps, it may take; `None` for the interpreter's own limit.
    pub max_steps: Option<u64>,
}

/// What a function gives for these arguments, where symbols are known besides them. What goes wrong is reported.
pub fn call(
    ctx: &Context,
    module: &Body,
    function: &Function,
    arguments: &[Datum],
    symbols: &[(String, i64)],
    how: How,
    diags: &Diagnostics,
) -> Result<Vec<Values>, Status> {
    let run = || {
        let mut interpreter = Interpreter::new(ctx, module);
        // What the arrays do not say, the user has said.
        *interpreter.state() = Bindings::from(BTreeMap::from_iter(symbols.iter().cloned()));
        *interpreter.state() = Seed(how.order_seed);
        interpreter.limits.steps = how.max_steps.unwrap_or(interpreter.limits.steps);
        interpreter.call(&function.name, arguments)
    };
    let results = match catch(run) {
        Ok(Ok(results)) => results,
        Ok(Err(failure)) => {
            diags.emit(*failure);
            return Err(Status::Failure);
        }
        Err(panic) => {
            let place = panic.place.map_or(String::new(), |place| format!(" at {place}"));
            let message = format!("the evaluation of @{} has panicked{place}: {}", function.name, panic.message);
            diags.emit(Diagnostic::error(&EVALUATION_PANICKED, function.loc, message));
            return Err(Status::Internal);
        }
    };
    let values = function.outputs.iter().zip(&results).map(|(port, datum)| {
        Values::of(ctx, port.ty, datum).map_err(|why| {
            let ty = port.ty.display(ctx);
            let message = format!("the output {} of the type {ty} {why}", port.name);
            diags.emit(Diagnostic::error(&BAD_INPUT, function.loc, message));
            Status::Failure
        })
    });
    values.collect()
}
