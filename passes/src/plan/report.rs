//! What a plan asks for and its kernel does not do.

use dlc_ir::Loc;
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::PassCx;
use dlc_plan::Schedule;

dlc_ir::codes! {
    /// A clause of a plan changes nothing in its kernel.
    CLAUSE_NOT_FOLLOWED = "E1614" "ClauseNotFollowed";
}

/// Reports at an op called `at` what its plan asks for and is not done: as a warning, or as a remark where no plan asks
/// for it, or one for several targets, of which another may follow it.
pub fn not_followed(cx: &PassCx<'_>, plan: Option<&Schedule>, loc: Loc, at: &str, message: String) {
    match plan.is_some_and(|plan| plan.targets.len() == 1) {
        true => cx.diags.emit(Diagnostic::warning(&CLAUSE_NOT_FOLLOWED, loc, message).at(at)),
        false => cx.remark(RemarkKind::Missed, loc, message),
    }
}
