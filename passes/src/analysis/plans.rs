//! The plan that is next to a kernel, and the options of passes that follow it.

use std::sync::Arc;

use dlc_ir::Loc;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef};
use dlc_ir::verify::Beside;
use dlc_plan::clause::Walk;
use dlc_plan::value::Choice;
use dlc_plan::{Schedule, Target, TargetName};

/// The option of a pass that does nothing but what a plan requires.
pub const PLANNED: OptionDef = OptionDef {
    name: "planned",
    kind: OptionKind::Bool,
    default: "false",
    doc: "Whether only what a plan requires is done: without one, nothing.",
};

/// A declaration to take the rest from, of a pass on kernels that looks at their plans.
pub const fn kernel_pass(
    name: &'static str,
    summary: &'static str,
    create: fn(&OptionValues) -> Result<Box<dyn Pass>, String>,
) -> PassDef {
    PassDef {
        on: On::Op("kernel.func"),
        requires: &["kernel"],
        consults: &["plan"],
        reads_symbols: true,
        ..PassDef::base(name, summary, create)
    }
}

/// The first plan of the module that is for the function whose body this is: one that names it, or one that names none.
pub fn plan_of(cx: &PassCx<'_>, body: &Body) -> Option<Arc<Schedule>> {
    let props = alongside(cx, body)?.props;
    // A dozen passes ask for it.
    Some(cx.ctx.derived(props, || Schedule::of_props(cx.ctx, props)))
}

/// The location of that plan, which has the places of its clauses (`dlc_plan::places`).
pub fn plan_loc(cx: &PassCx<'_>, body: &Body) -> Option<Loc> {
    alongside(cx, body).map(|plan| plan.loc)
}

fn alongside(cx: &PassCx<'_>, body: &Body) -> Option<Beside> {
    schedules(cx, body).next()
}

/// The plans of the function whose body this is, in order.
fn schedules<'a>(cx: &PassCx<'a>, body: &Body) -> impl Iterator<Item = Beside> + 'a {
    let name = OpRef::new(cx.ctx, body, body.root()).symbol_name().map(|name| cx.ctx.intern_str(name));
    let schedule = cx.ctx.op_name(Schedule::OP);
    let symbols = cx.symbols;
    name.into_iter().flat_map(|name| symbols.alongside(name)).filter(move |plan| plan.name == schedule)
}

/// The location of a second plan of that function which names it, or does not, as the first one does: nothing follows it.
pub fn second_plan(cx: &PassCx<'_>, body: &Body) -> Option<Loc> {
    let names_it = |plan: &Beside| Schedule::of_props(cx.ctx, plan.props).of.is_some();
    let mut plans = schedules(cx, body);
    let first = names_it(&plans.next()?);
    plans.find(|plan| names_it(plan) == first).map(|plan| plan.loc)
}

/// The machines that a plan is for: those that are built in, and those of the module.
pub fn machines(cx: &PassCx<'_>, plan: &Schedule) -> Vec<Target> {
    let machine = |target: &TargetName| match target {
        TargetName::BuiltIn(name) => Target::built_in(name),
        TargetName::Symbol(name) => Target::of_props(cx.ctx, cx.symbols.get(cx.ctx.intern_str(name))?.props),
    };
    plan.targets.iter().filter_map(machine).collect()
}

/// How many blocks go from tile to tile, if a plan says that they do: on all machines that it is for.
pub fn persistent_blocks(cx: &PassCx<'_>, plan: &Schedule) -> Option<i64> {
    match plan.persistent.as_ref()? {
        Choice::Number(blocks) => Some(*blocks),
        Choice::Word(_) => {
            let sms = machines(cx, plan).into_iter().map(|machine| machine.sms).min()?;
            Some(sms.saturating_mul(plan.blocks_per_sm.unwrap_or(1).max(1)))
        }
    }
}

/// The architecture of a function that a plan is for, if it is for one that is built in.
pub fn architecture(plan: &Schedule) -> Option<&str> {
    match plan.targets.as_slice() {
        [TargetName::BuiltIn(name)] => Some(name),
        _ => None,
    }
}

/// The number of an option, or nothing where it is `auto`.
///
/// Errors: a text that is neither.
pub fn given(options: &OptionValues, name: &str) -> Result<Option<i64>, String> {
    match options.text(name) {
        "auto" => Ok(None),
        text => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("'{name}' takes a number or 'auto', not '{text}'")),
        },
    }
}

/// The order in which tiles are taken, if a plan says it: with `order`, or with the axis that it binds to `block.x`, which
/// changes fastest.
pub fn order_of(plan: &Schedule) -> Option<Walk> {
    if let Some(order) = &plan.order {
        return Some(order.kind);
    }
    let bound = |place: &str| plan.bind.as_ref()?.0.iter().find(|(_, own)| own == place).map(|(name, _)| name.as_str());
    let (first, second) = (bound("block.x")?, bound("block.y")?);
    let is_first = |name: &str| is_of_rows(plan, name.split('.').next());
    match (is_first(first), is_first(second)) {
        (true, false) => Some(Walk::Column),
        (false, true) => Some(Walk::Row),
        _ => None,
    }
}

/// Whether what a plan says along an axis it says of rows: those of its tile, of which there are several, come first.
pub fn is_of_rows(plan: &Schedule, axis: Option<&str>) -> bool {
    let tile = plan.tile.iter().flat_map(|tile| &tile.0);
    let first = tile.clone().find(|(_, size)| *size > 1).or_else(|| tile.clone().next());
    axis.is_none() || first.map(|(name, _)| name.as_str()) == axis
}
