//! What the ops mean. Each computes in `f64` on whole tensors and rounds once, to the type of its result.

mod attention;
mod contraction;
mod elementwise;
pub mod functions;
mod norms;
mod positions;
mod reductions;
mod sorting;
mod views;
mod windows;

pub use attention::attention;
pub use contraction::*;
pub use elementwise::*;
pub use norms::{EPS, batch_norm, group_norm, layer_norm, log_softmax, rms_norm, softmax};
pub use positions::*;
pub use reductions::*;
pub use sorting::*;
pub use views::*;
pub use windows::{avg_pool, conv, conv_transpose, global_avg_pool, lowest, max_pool};

use dlc_core::eval::tensor;
use dlc_ir::interp::{CANNOT_RUN, Data, Datum, Eval, EvalResult, Outcome};

use crate::ops::Output;

/// A graph does nothing where it stands.
pub fn graph(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends the graph with its results.
pub fn output(cx: &mut Eval<'_, '_>) -> EvalResult {
    let Some(elems) = Output::from(cx.op).elems() else { return Ok(Outcome::Return(cx.operands.into())) };
    let mut values = Data::new();
    for (index, elem) in elems.into_iter().enumerate() {
        let value = tensor(cx, index)?.cast(cx.op.ctx, elem).map_err(|reason| cx.fail(&CANNOT_RUN, reason))?;
        values.push(Datum::opaque(value));
    }
    Ok(Outcome::Return(values))
}
