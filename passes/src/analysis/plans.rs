//! The plan that is beside a kernel.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::PassCx;
use dlc_plan::Schedule;

/// The first plan of the module that is for the function whose body this is: one that names it, or one that names none.
pub fn plan_of(cx: &PassCx<'_>, body: &Body) -> Option<Schedule> {
    let name = OpRef::new(cx.ctx, body, body.root()).symbol_name()?;
    let schedule = cx.ctx.op_name(Schedule::OP);
    let plans = cx.symbols.others().iter().filter(|(op, _)| *op == schedule);
    let mut plans = plans.map(|&(_, props)| Schedule::of_props(cx.ctx, props));
    plans.find(|plan| plan.of.as_deref().is_none_or(|of| of == name))
}
