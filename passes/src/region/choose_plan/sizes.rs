//! Several plans for one kernel: one for all sizes, and others for some, of which a launch takes the one with the least cost.
//!
//! The cost is the estimate of the plan as an expression of the sizes: what the SM with the most tiles computes, and what
//! memory gives in that time. Its coefficients are those of the estimate at the sizes that the plan was chosen for.

use std::collections::BTreeMap;
use std::rc::Rc;

use dlc_core::guard::Condition;
use dlc_host::choice::{Choice, Cost};
use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, OpId};
use dlc_plan::Schedule;
use rustc_hash::FxHashMap;

use crate::rewrites::launches::{Launches, copy_kernel, is_of, narrowed, symbols, where_known};

/// Numbers for the symbols of a kernel: one for all of them, or one for each in order, `16x14336x4096`.
///
/// An error says what is wrong with the text.
pub fn parse(text: &str) -> Result<Vec<i64>, String> {
    let wrong = || format!("'{text}' is no number, nor numbers for symbols as in '16x14336x4096'");
    let numbers: Option<Vec<i64>> = text.split('x').map(|number| number.trim().parse().ok()).collect();
    numbers.filter(|numbers| numbers.iter().all(|&number| number > 0)).ok_or_else(wrong)
}

/// The index of each symbol among those of a function.
pub type SymbolIndices = Rc<FxHashMap<String, usize>>;

/// The symbols of functions that launch kernels, each read once.
#[derive(Default)]
pub struct ProgramSymbols {
    of: FxHashMap<OpId, SymbolIndices>,
}

impl ProgramSymbols {
    fn of(&mut self, ctx: &Context, module: &Body, function: OpId) -> Option<SymbolIndices> {
        let body = module.nested(function)?;
        Some(Rc::clone(self.of.entry(function).or_insert_with(|| indices(symbols(ctx, body)))))
    }
}

fn indices(names: Vec<String>) -> SymbolIndices {
    Rc::new(names.into_iter().enumerate().map(|(index, name)| (name, index)).collect())
}

/// The symbols of a kernel, of those of the program that launches it: the sizes that plans are asked for are the program's.
pub struct Symbols {
    program: SymbolIndices,
    own: Vec<(String, SizeExpr)>,
}

impl Symbols {
    /// Those of a kernel, as its first launch gives them; its own where nothing launches it, or a program without symbols.
    pub fn of(
        ctx: &Context,
        module: &Body,
        launches: &Launches,
        kernel: OpId,
        programs: &mut ProgramSymbols,
    ) -> Symbols {
        let names = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
        let mut launched = || {
            let name = OpRef::new(ctx, module, kernel).symbol_name()?;
            let (function, launch) = *launches.of(name).first()?;
            let choices = Launch::of(OpRef::new(ctx, module.nested(function)?, launch))?.choices();
            let choice = choices.into_iter().find(|choice| is_of(ctx, choice, name))?;
            let program = programs.of(ctx, module, function)?;
            (!program.is_empty() && choice.sizes.len() == names.len()).then_some((program, choice.sizes))
        };
        let own = |names: &[String]| names.iter().filter_map(|name| SizeExpr::symbol(name).ok()).collect();
        let (program, sizes) = launched().unwrap_or_else(|| (indices(names.clone()), own(&names)));
        Symbols { program, own: names.into_iter().zip(sizes).collect() }
    }

    /// Whether the size of a symbol follows from numbers for those of the program, as in `number`, and from named ones.
    pub fn is_given(&self, numbers: &[i64], name: &str, named: &BTreeMap<String, i64>) -> bool {
        let of_program = |name: &str| {
            let is_numbered = self.program.get(name).is_some_and(|&index| index < numbers.len());
            numbers.len() == 1 || is_numbered || named.contains_key(name)
        };
        let own = self.own.iter().find(|(known, _)| known == name);
        own.map_or_else(|| of_program(name), |(_, expr)| expr.symbols().iter().all(|name| of_program(name)))
    }

    /// What a symbol is taken to be, by numbers for those of the program: one for all, or one for each in order.
    pub fn number(&self, numbers: &[i64], name: &str, assumed: &dyn Fn(&str) -> i64) -> i64 {
        let of_program = |name: &str| match numbers {
            [all] => Some(*all),
            _ => self.program.get(name).and_then(|&index| numbers.get(index).copied()),
        };
        let size = |name: &str| Some(of_program(name).unwrap_or_else(|| assumed(name)));
        let own = self.own.iter().find(|(known, _)| known == name);
        own.and_then(|(_, expr)| expr.eval(&size).ok()).unwrap_or_else(|| assumed(name))
    }
}

/// A plan for some sizes.
pub struct Variant {
    /// The plan.
    pub plan: Schedule,
    /// How long it takes, in the symbols of the kernel; `None` beyond 64 bits.
    pub cost: Option<Cost>,
    /// What it requires of sizes.
    pub requires: Vec<Condition>,
    /// Sizes at which it runs whatever others cost.
    pub at: Vec<Vec<Condition>>,
}

/// The plans of a kernel, each once: the one for all sizes, which stands first, the one for sizes that it fixes, and those of
/// sizes with their numbers. `number` is what a symbol of the kernel is there.
pub fn variants(
    (for_all, fixed): (Variant, Option<Variant>),
    of_sizes: impl Iterator<Item = (usize, Variant)>,
    symbols: &[String],
    number: &dyn Fn(usize, &str) -> i64,
) -> Vec<Variant> {
    let mut plans: Vec<Variant> = std::iter::once(for_all).chain(fixed).collect();
    let mut chosen = Vec::new();
    for (at, variant) in of_sizes {
        let known = plans.iter().position(|known| known.plan == variant.plan);
        chosen.push((at, known.unwrap_or(plans.len())));
        plans.extend(Some(variant).filter(|_| known.is_none()));
    }
    keep_chosen(&mut plans, &chosen, symbols, number);
    plans
}

/// Says of plans that they run at the sizes that they were chosen for, where another one is said to cost less there.
/// `chosen` are numbers of sizes and of their plans, `number` is what a symbol of the kernel is there.
fn keep_chosen(
    plans: &mut [Variant],
    chosen: &[(usize, usize)],
    symbols: &[String],
    number: &dyn Fn(usize, &str) -> i64,
) {
    for &(sizes, own) in chosen {
        let value_of = |name: &str| Some(number(sizes, name));
        let cost = |plan: &Variant| {
            let runs = plan.requires.iter().all(|condition| condition.holds(&value_of) == Ok(true));
            runs.then_some(plan.cost.as_ref()).flatten().map(|cost| cost.nanoseconds(&value_of))
        };
        let least = plans.iter().filter_map(cost).min();
        let is_alone = plans.iter().filter(|plan| cost(plan) == least).count() == 1;
        if cost(&plans[own]) == least && is_alone {
            continue;
        }
        let at = |symbol: &String| Condition::of(&SizeExpr::symbol(symbol).ok()?, "==", &number(sizes, symbol).into());
        let case: Option<Vec<Condition>> = symbols.iter().map(at).collect();
        plans[own].at.extend(case.filter(|case| !plans[own].at.contains(case)));
    }
}

/// Puts a copy of a kernel next to it for each plan but the first, and lets launches of the kernel take the one with the least
/// cost; a launch whose sizes are known has that one alone. The copies that are launched: none where the kernel is not.
pub fn add_variants(
    ctx: &Context,
    module: &mut Body,
    launches: &mut Launches,
    kernel: OpId,
    plans: Vec<Variant>,
) -> Vec<(OpId, Schedule)> {
    let Some(name) = OpRef::new(ctx, module, kernel).symbol_name().map(String::from) else { return Vec::new() };
    let symbols = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
    let own_launches = launches.always_of(ctx, module, &name);
    if own_launches.is_empty() {
        return Vec::new();
    }
    let mut names = vec![name.clone()];
    names.extend((1..plans.len()).map(|number| launches.take_name(&format!("{name}_{number}"))));
    for at in own_launches {
        let Some(body) = module.nested(at.0) else { continue };
        if let Some(choice) = Launch::from(OpRef::new(ctx, body, at.1)).choices().pop() {
            launches.set_choices(ctx, module, at, choices(ctx, &choice, &symbols, &names, &plans));
        }
    }
    let mut made = Vec::new();
    for (name, variant) in names.into_iter().zip(plans).skip(1) {
        if launches.is_launched(&name) {
            let copy = copy_kernel(ctx, module, kernel, &name);
            made.push((copy, Schedule { of: Some(name), ..variant.plan }));
        } else {
            launches.free_name(&name);
        }
    }
    made
}

/// What a launch of a kernel chooses from when its plans have kernels of these names: the first plan, which is for all sizes,
/// stands last.
fn choices(ctx: &Context, choice: &Choice, symbols: &[String], names: &[String], plans: &[Variant]) -> Vec<Choice> {
    let named = |at: usize, cost| Choice { callee: ctx.symbol_attr(&names[at]), cost, ..choice.clone() };
    let mut all = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        for case in &plan.at {
            match where_known(choice, symbols, case).flatten() {
                Some(open) if open.is_empty() => return vec![named(at, None)],
                Some(open) => all.push(narrowed(named(at, None), &open)),
                None => {}
            }
        }
    }
    let size = |symbol: &str| choice.sizes.get(symbols.iter().position(|known| known == symbol)?).cloned();
    let of_launch = |plan: &Variant| plan.cost.as_ref()?.map(&|expr| expr.substitute(&size).ok());
    let Some(costs) = plans.iter().map(of_launch).collect::<Option<Vec<Cost>>>() else {
        all.push(named(0, None));
        return all;
    };
    if costs.iter().flat_map(Cost::exprs).any(|expr| expr.as_constant().is_none()) {
        all.extend((1..plans.len()).chain([0]).map(|at| named(at, Some(costs[at].clone()))));
        return all;
    }
    // Of plans that all cost a number one is left; the first where none of them may run at these sizes.
    let runs = |at: &usize| where_known(choice, symbols, &plans[*at].requires).flatten().is_some();
    let least = (0..plans.len()).filter(runs).min_by_key(|&at| costs[at].nanoseconds(&|_| None));
    all.push(named(least.unwrap_or(0), None));
    all
}
