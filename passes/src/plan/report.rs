//! What a plan requires and its kernel does not do.

use dlc_ir::body::Body;
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::PassCx;
use dlc_ir::{Loc, OpRef};
use dlc_plan::Schedule;
use dlc_plan::check::Broken;
use dlc_plan::places::{first_place, is_fallback, place_of};

use super::resolved::refusal;
use crate::analysis::plans::plan_loc;

dlc_ir::codes! {
    /// A clause of a plan changes nothing in its kernel.
    CLAUSE_NOT_FOLLOWED = "E1614" "ClauseNotFollowed";
}

/// Reports what a plan requires with a clause and is not done, for an op of the kernel that stands at `loc` and is called
/// `at`: as a warning at the clause, or as a remark where no plan requires it, or one for several targets, of which another
/// may follow it. A plan that is no text has its warnings at the op, and that of a fallback, which a pass made, has remarks.
pub fn not_followed(
    cx: &PassCx<'_>,
    body: &Body,
    plan: Option<&Schedule>,
    clauses: &[&str],
    (loc, at): (Loc, &str),
    message: String,
) {
    let schedule = plan.and_then(|_| plan_loc(cx, body));
    let place = schedule.and_then(|schedule| clauses.iter().find_map(|clause| place_of(cx.ctx, schedule, clause)));
    let is_written = schedule.is_none_or(|schedule| !is_fallback(cx.ctx, schedule));
    match (is_written && plan.is_some_and(|plan| plan.targets.len() == 1), place) {
        (true, Some(place)) => {
            let warning = Diagnostic::warning(&CLAUSE_NOT_FOLLOWED, place, message).at(Schedule::OP);
            cx.diags.emit(warning.note(loc, format!("this is the '{at}' that it is about")));
        }
        (true, None) => cx.diags.emit(Diagnostic::warning(&CLAUSE_NOT_FOLLOWED, loc, message).at(at)),
        (false, place) => cx.remark(RemarkKind::Missed, place.unwrap_or(loc), message),
    }
}

/// The diagnostic of a kernel whose plan breaks a rule: at the clause, or at the kernel where the rule is about no clause.
pub fn refused(cx: &PassCx<'_>, kernel: &Body, broken: Broken, near: Option<String>) -> Diagnostic {
    let root = OpRef::new(cx.ctx, kernel, kernel.root());
    match plan_loc(cx, kernel).filter(|_| !broken.clauses.is_empty()) {
        Some(schedule) => {
            let place = first_place(cx.ctx, schedule, &broken.clauses);
            let error = refusal(place, broken, near).at(Schedule::OP);
            // A plan that a pass wrote stands where its kernel does.
            let is_made = place == root.loc() || is_fallback(cx.ctx, schedule);
            if is_made { error } else { error.note(root.loc(), "the kernel is here") }
        }
        None => refusal(root.loc(), broken, near).at(root.name()),
    }
}
