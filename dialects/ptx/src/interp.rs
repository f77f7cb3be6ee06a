//! What instructions mean.

use dlc_ir::interp::{CANNOT_RUN, Eval, EvalResult, Outcome};

/// A kernel does nothing where it stands.
pub fn nothing(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Runs every block.
pub fn entry(cx: &mut Eval<'_, '_>) -> EvalResult {
    Err(cx.fail(&CANNOT_RUN, "an entry cannot be run yet"))
}

/// An instruction is done by the threads of an entry, not alone.
pub fn instruction(cx: &mut Eval<'_, '_>) -> EvalResult {
    Err(cx.fail(&CANNOT_RUN, "an instruction is done by the threads of an entry"))
}

/// So is a branch.
pub fn frame_op(cx: &mut Eval<'_, '_>) -> EvalResult {
    Err(cx.fail(&CANNOT_RUN, "a branch is done by the threads of an entry"))
}
