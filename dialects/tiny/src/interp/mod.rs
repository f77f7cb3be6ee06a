//! What the ops mean. Each computes on whole tensors ([`TensorValue`]) and rounds once, to the type of its result.

mod arithmetic;
mod positions;
mod reductions;
mod views;

pub use arithmetic::*;
pub use positions::*;
pub use reductions::*;
pub use views::*;

use dlc_core::eval::{self, bindings, tensor};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{Data, Eval, EvalResult, Outcome};

/// A function does nothing where it stands.
pub fn func(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends the program, if its arguments were of the sizes that its type says.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    bindings(cx)?;
    Ok(Outcome::Return(cx.operands.into()))
}

/// Ends a region.
pub fn yield_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Yield(cx.operands.into()))
}

/// Runs one region, and has what it yields.
pub fn if_(cx: &mut Eval<'_, '_>) -> EvalResult {
    if let Some(resumed) = cx.resumed.take() {
        return Ok(Outcome::Values(resumed.values));
    }
    let yes = tensor(cx, 0)?.at(&[]).as_int().is_some_and(|value| value != 0);
    Ok(Outcome::Enter { region: usize::from(!yes), args: Data::new(), saved: Data::new() })
}

/// The tensor as the only result, or why there is none.
fn give(cx: &mut Eval<'_, '_>, value: Result<TensorValue, String>) -> EvalResult {
    // Where an argument is not of the sizes that it should be, that is the reason.
    match value.is_err().then(|| bindings(cx)) {
        Some(Err(failure)) => Err(failure),
        _ => eval::give(cx, value),
    }
}
