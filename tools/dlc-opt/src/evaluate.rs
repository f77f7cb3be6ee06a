//! `--evaluate-each`: the program is run before and after each pass, and the first pass that changes what it gives is
//! named.
//!
//! Run is every function directly in the module whose arguments are integers and floats, on a few inputs. What cannot
//! be run before the first pass is left out; numbers are compared bit by bit. (Tolerance, tensors and the layers that
//! hold them come with the layers.)

use std::sync::{Mutex, PoisonError};

use dlc_ir::body::OpRef;
use dlc_ir::context::Str;
use dlc_ir::diag::Diagnostic;
use dlc_ir::interp::{Data, Datum, Interpreter, Limits, round_float, wrap_int};
use dlc_ir::op::Traits;
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::{PassFailed, PassResult};
use dlc_ir::types::TypeData;
use dlc_ir::{Body, Context, Loc, Type};

dlc_ir::codes! {
    /// A pass has changed what the program gives.
    RESULT_CHANGED = "E0421" "ResultChanged";
}

/// How long a function may run: what takes longer is left out.
const LIMITS: Limits = Limits { steps: 1 << 22, depth: 1000 };

/// Runs the program between passes.
#[derive(Default)]
pub struct Evaluate {
    runs: Mutex<Vec<Run>>,
}

/// A function with an input, and what it gives.
struct Run {
    function: String,
    input: Data,
    output: Data,
}

impl Instrument for Evaluate {
    fn start(&self, ctx: &Context, module: &Body) {
        let mut runs = Vec::new();
        for (function, _, types) in functions(ctx, module) {
            let inputs = (0..if types.is_empty() { 1 } else { 4 }).filter_map(|seed| input(ctx, &types, seed));
            for input in inputs {
                if let Ok(output) = call(ctx, module, &function, &input) {
                    runs.push(Run { function: function.clone(), input, output });
                }
            }
        }
        *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = runs;
    }

    fn after(&self, at: &At<'_>, module: &Body) -> PassResult {
        if !at.changed {
            return Ok(());
        }
        let now: Vec<(String, Loc, Vec<Type>)> = functions(at.ctx, module);
        for run in self.runs.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // A function that is gone, or takes something else now, has nothing to be compared with.
            let Some((_, loc, types)) = now.iter().find(|(name, ..)| *name == run.function) else { continue };
            if types.len() != run.input.len() {
                continue;
            }
            let is = match call(at.ctx, module, &run.function, &run.input) {
                Ok(output) if output == run.output => continue,
                Ok(output) => show(&output),
                Err(reason) => reason,
            };
            let (pass, function, input) = (at.pass.def.name, &run.function, show(&run.input));
            let message = format!(
                "the pass '{pass}' has changed what @{function}({input}) gives: it was ({}), it is ({is})",
                show(&run.output)
            );
            at.diags.emit(Diagnostic::error(&RESULT_CHANGED, *loc, message));
            return Err(PassFailed);
        }
        Ok(())
    }
}

/// The functions that can be run: name, place, types of the arguments.
fn functions(ctx: &Context, module: &Body) -> Vec<(String, Loc, Vec<Type>)> {
    let ops = module.nested_ops().into_iter().map(|op| OpRef::new(ctx, module, op));
    let callable = ops.filter(|view| view.has(Traits::CALLABLE) && module.parent_op(view.id) == Some(module.root()));
    let function = |view: OpRef<'_>| {
        let TypeData::Function { inputs, .. } = ctx.type_data(view.attr(Str::FUNCTION_TYPE)?.as_type(ctx)?) else {
            return None;
        };
        Some((view.symbol_name()?.to_string(), view.loc(), inputs.to_vec()))
    };
    callable.filter_map(function).collect()
}

/// The input of a number; `None` when an argument is neither an integer nor a float.
fn input(ctx: &Context, types: &[Type], seed: u64) -> Option<Data> {
    let datum = |(index, &ty): (usize, &Type)| {
        // Small numbers of both signs first, then bits without a pattern.
        let mixed = (seed * 31 + index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let small = (mixed >> 59) as i64 - 8;
        match ctx.type_data(ty) {
            TypeData::Index => Some(Datum::Int(i128::from(small.unsigned_abs()))),
            TypeData::Integer { .. } if seed < 2 => Some(wrap_int(ctx, small.into(), ty)),
            TypeData::Integer { .. } => Some(wrap_int(ctx, i128::from(mixed) << 64 | i128::from(mixed), ty)),
            TypeData::Float(_) => Some(round_float(ctx, small as f64 + seed as f64 / 7.0, ty)),
            _ => None,
        }
    };
    types.iter().enumerate().map(datum).collect()
}

/// What a function gives, or why it gives nothing.
fn call(ctx: &Context, module: &Body, function: &str, input: &Data) -> Result<Data, String> {
    let run = || {
        let mut interpreter = Interpreter::new(ctx, module);
        interpreter.limits = LIMITS;
        interpreter.call(function, input)
    };
    match catch(run) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(failure)) => Err(format!("error: {}", failure.message)),
        Err(panic) => Err(format!("panic: {}", panic.message)),
    }
}

fn show(data: &Data) -> String {
    let show = |datum: &Datum| match datum {
        Datum::Int(value) => value.to_string(),
        Datum::Float(value) => format!("{value:?}"),
        Datum::Opaque(_) => "..".to_string(),
    };
    data.iter().map(show).collect::<Vec<_>>().join(", ")
}
