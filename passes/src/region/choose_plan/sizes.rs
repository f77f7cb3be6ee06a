//! Several plans for one kernel: one for all sizes, and others for some, of which a launch takes the first that fits.
//!
//! A plan that was chosen for few tiles is as good for all sizes that give as few: as many as were counted on, or as there
//! are SMs; where all sizes give as many, for all that sum as little. Where one tile covered an axis, it must.
//! Rows with uneven work are as many at most. Plans with the smallest tiles come first, but after plans that were chosen for
//! sizes at which they hold as well.

use std::rc::Rc;

use dlc_core::guard::Condition;
use dlc_host::choice::Choice;
use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, OpId};
use dlc_plan::clause::Walk;
use dlc_plan::value::Table;
use dlc_plan::{Schedule, Target};
use rustc_hash::FxHashMap;

use super::cost::runs;
use super::facts::Facts;
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

/// The tiles of the results by a plan, as sizes say them; `None` beyond 64 bits.
fn tiles(facts: &Facts, plan: &Schedule) -> Option<SizeExpr> {
    let parts = plan.split_k.as_ref().map_or(1, |split| split.parts);
    let along = |run: &[&String]| extent(facts, run)?.ceildiv(&tile(plan, run).into()).ok();
    let runs = in_order(facts, plan);
    runs.iter().try_fold(SizeExpr::from(parts), |all, run| all.mul(&along(run)?).ok())
}

/// What blocks go over as one run, as the first axes of runs follow each other.
fn in_order<'a>(facts: &'a Facts, plan: &Schedule) -> Vec<Vec<&'a String>> {
    let mut runs = runs(facts, &Schedule { reduced: None, ..plan.clone() });
    runs.sort_by_key(|run| facts.iters().iter().position(|axis| run.first() == Some(&axis)));
    runs
}

/// How many positions a run has.
fn extent(facts: &Facts, run: &[&String]) -> Option<SizeExpr> {
    run.iter().try_fold(SizeExpr::from(1), |all, axis| all.mul(facts.axes.size(axis)?).ok())
}

/// How many of them are in a tile.
fn tile(plan: &Schedule, run: &[&String]) -> i64 {
    run.iter().map(|axis| plan.tile_of(axis).max(1)).fold(1, i64::saturating_mul)
}

/// The sizes that a plan is for which was chosen for the sizes of `facts`.
pub fn conditions(facts: &Facts, plan: &Schedule, target: &Target) -> Option<Vec<Condition>> {
    let mut all = Vec::new();
    let mut counted = plan.split_k.as_ref().map_or(1, |split| split.parts);
    for run in in_order(facts, plan) {
        let (tile, size) = (tile(plan, &run), extent(facts, &run)?);
        let own = run.iter().map(|axis| facts.size(axis).max(1)).fold(1, i64::saturating_mul);
        counted = counted.saturating_mul((own - 1) / tile + 1);
        // Rows of which the last have the most work are as uneven in larger numbers, and cost less of all the work.
        let uneven = plan.order.as_ref().is_some_and(|order| order.kind == Walk::LongestFirst);
        if tile > 1 && (own <= tile || uneven) && size.as_constant().is_none() {
            all.push(Condition::of(&size, "<=", &own.max(tile).into())?);
        }
    }
    let tiles = tiles(facts, plan)?;
    all.push(match tiles.as_constant() {
        None => Condition::of(&tiles, "<=", &counted.max(target.sms).into())?,
        Some(_) => {
            let reduced: Vec<&String> = facts.reduced.iter().collect();
            let own = reduced.iter().map(|axis| facts.size(axis).max(1)).fold(1, i64::saturating_mul);
            Condition::of(&extent(facts, &reduced)?, "<=", &own.into())?
        }
    });
    Some(all)
}

/// A plan for some sizes.
pub struct Variant {
    /// The plan.
    pub plan: Schedule,
    /// When it is taken: where all conditions of one of these hold.
    pub cases: Vec<Vec<Condition>>,
    /// The sizes that it was chosen for, by their numbers.
    pub chosen_for: Vec<usize>,
}

/// Puts plans in the order in which a launch tries them, each once, without those that are the general one: the smallest
/// tiles first, but a plan after those that were chosen for sizes at which it holds as well. `holds` says whether a condition
/// holds at the sizes of a number.
pub fn sorted(
    mut variants: Vec<Variant>,
    general: &Schedule,
    holds: &dyn Fn(&Condition, usize) -> bool,
) -> Vec<Variant> {
    let area = |plan: &Schedule| {
        let out = Table(plan.out_tile()).product().unwrap_or(i64::MAX);
        out.saturating_mul(plan.tile.as_ref().and_then(Table::product).unwrap_or(1).min(1 << 20))
    };
    variants.retain(|variant| variant.plan != *general);
    variants.sort_by_key(|variant| area(&variant.plan));
    let mut left: Vec<Variant> = Vec::new();
    for variant in variants {
        match left.iter_mut().find(|other| other.plan == variant.plan) {
            Some(other) => {
                let new = variant.cases.into_iter().filter(|case| !other.cases.contains(case)).collect::<Vec<_>>();
                other.cases.extend(new);
                other.chosen_for.extend(variant.chosen_for);
            }
            None => left.push(variant),
        }
    }
    let takes = |variant: &Variant, number: usize| {
        variant.cases.iter().any(|case| case.iter().all(|condition| holds(condition, number)))
    };
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let takes_no_other = |at: &usize| {
            let others = left.iter().enumerate().filter(|(other, _)| other != at);
            let mut numbers = others.flat_map(|(_, other)| &other.chosen_for);
            !numbers.any(|&number| takes(&left[*at], number))
        };
        // Where each would take sizes of another one, the smallest tiles stay first.
        let next = (0..left.len()).find(takes_no_other).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

/// Puts a copy of a kernel beside it for each variant, with its plan, and lets launches take the first that fits: one whose
/// sizes are known to fit is the last that its launch has. The copies that are launched: none where the kernel is not.
pub fn add_variants(
    ctx: &Context,
    module: &mut Body,
    launches: &mut Launches,
    kernel: OpId,
    variants: Vec<Variant>,
) -> Vec<(OpId, Schedule)> {
    let Some(name) = OpRef::new(ctx, module, kernel).symbol_name().map(String::from) else { return Vec::new() };
    let symbols = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
    let own_launches = launches.of(&name);
    if own_launches.is_empty() {
        return Vec::new();
    }
    let mut made = Vec::new();
    let mut others: Vec<(String, Vec<Condition>)> = Vec::new();
    for (number, variant) in variants.into_iter().enumerate() {
        let own = launches.take_name(&format!("{name}_{}", number + 1));
        let copy = copy_kernel(ctx, module, kernel, &own);
        made.push((copy, Schedule { of: Some(own.clone()), ..variant.plan }));
        others.extend(variant.cases.into_iter().map(|case| (own.clone(), case)));
    }
    for at in own_launches {
        let Some(body) = module.nested(at.0) else { continue };
        let mut next: Vec<Choice> = Vec::new();
        for choice in Launch::from(OpRef::new(ctx, body, at.1)).choices() {
            if is_of(ctx, &choice, &name) {
                let mut is_known = false;
                for (own, asked) in &others {
                    let Some(open) = where_known(&choice, &symbols, asked).flatten() else { continue };
                    let other = Choice { callee: ctx.symbol_attr(own), ..choice.clone() };
                    next.push(narrowed(other, &open));
                    is_known = open.is_empty();
                    if is_known {
                        break;
                    }
                }
                if is_known {
                    continue;
                }
            }
            next.push(choice);
        }
        launches.set_choices(ctx, module, at, next);
    }
    made.retain(|&(copy, _)| {
        let is_launched = OpRef::new(ctx, module, copy).symbol_name().is_some_and(|name| launches.is_launched(name));
        if !is_launched {
            module.erase_op(copy);
        }
        is_launched
    });
    made
}
