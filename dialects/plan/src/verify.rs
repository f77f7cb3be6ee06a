//! What schedules and targets must be. The rules of [`check`](crate::check) need the machine: that of a built-in target is
//! known to the op, that of one in the module is found through its symbol.

use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::diag::{Diagnostic, did_you_mean};
use dlc_ir::op::{Traits, op_error};
use dlc_ir::verify::{Scope, SymbolInfo, SymbolUser, UNKNOWN_SYMBOL};
use dlc_ir::{Body, Context, Diagnostics, OpRef, Str};

use crate::check::{Broken, KernelRules, NOT_OF_KERNEL, UNKNOWN_TARGET, UNSUPPORTED, check, difference, nearest};
use crate::places::{first_place, place_of};
use crate::schedule::{Schedule, TargetName};
use crate::target::Target;

/// Says that a built-in target is not known.
pub(crate) fn unknown(op: OpRef<'_>, name: &str) -> Diagnostic {
    let near = did_you_mean(name, Target::names());
    let fix = near.unwrap_or_else(|| {
        let all = Target::names().collect::<Vec<_>>().join(", ");
        format!("the targets are {all}, and those that 'plan.target' declares, with an @")
    });
    Diagnostic::error(&UNKNOWN_TARGET, op.loc(), format!("there is no target '{name}'")).at(op.name()).suggest(fix)
}

/// The targets of a schedule that are built in are known.
pub fn schedule(op: OpRef<'_>, diags: &Diagnostics) {
    let Some(plan) = Schedule::of(op) else { return };
    for name in &plan.targets {
        if let TargetName::BuiltIn(name) = name
            && Target::built_in(name).is_none()
        {
            diags.emit(unknown(op, name));
        }
    }
}

/// A schedule fits its targets; the nearest one that does fits its kernel, too, if that is one of the module.
fn fits(op: OpRef<'_>, plan: &Schedule, targets: &[Target], diags: &Diagnostics) {
    let broken: Vec<_> = targets.iter().flat_map(|target| check(op.ctx, plan, target)).collect();
    if broken.is_empty() {
        return;
    }
    // Nothing is known of a kernel that is none.
    let kernel = kernel_of(op, plan).filter(|_| diags.errors() == 0);
    let rules: Vec<&KernelRules> = dlc_ir::inventory::iter::<&'static KernelRules>().copied().collect();
    let check_matches_kernel = |plan: &Schedule| -> Option<Broken> {
        rules.iter().find_map(|rules| (rules.broken)(op.ctx, kernel?, plan, targets))
    };
    let near = |from: &Schedule| {
        let near = nearest(op.ctx, from, targets, &check_matches_kernel)?;
        Some(format!("the nearest plan that fits has {}", difference(op.ctx, plan, &near)))
    };
    // What the kernel does not have is the cause of what does not fit it.
    let unknown = kernel.and_then(|kernel| rules.iter().find_map(|rules| (rules.unknown)(op.ctx, kernel, plan)));
    if let Some((kernel, cause)) = kernel.zip(unknown) {
        let mut fixed = plan.clone();
        cause.fix.iter().for_each(|fix| fix(&mut fixed));
        let place = first_place(op.ctx, op.loc(), &cause.clauses);
        let error = Diagnostic::error(cause.code, place, cause.message).at(op.name()).suggest_if(near(&fixed));
        return diags.emit(error.note(kernel.loc(kernel.root()), "the kernel is here"));
    }
    let near = near(plan);
    for (at, rule) in without_consequences(op.ctx, plan, targets, broken).into_iter().enumerate() {
        let place = first_place(op.ctx, op.loc(), &rule.clauses);
        let error = Diagnostic::error(rule.code, place, rule.message).at(op.name());
        // One plan fixes all of it.
        diags.emit(error.suggest_if(near.clone().filter(|_| at == 0)));
    }
}

/// The rules that are still broken where the first one is fixed, after that one: others follow from it.
fn without_consequences(ctx: &Context, plan: &Schedule, targets: &[Target], mut broken: Vec<Broken>) -> Vec<Broken> {
    let Some(fix) = broken.first().and_then(|first| first.fix.as_ref()) else { return broken };
    let mut fixed = plan.clone();
    fix(&mut fixed);
    if fixed == *plan {
        return broken;
    }
    let left: Vec<Broken> = targets.iter().flat_map(|target| check(ctx, &fixed, target)).collect();
    let mut at = 0;
    broken.retain(|rule| {
        at += 1;
        let is_same = |other: &Broken| other.code.code == rule.code.code && other.clauses == rule.clauses;
        // What a machine does not have, it does not have for any other plan either.
        at == 1 || rule.code.code == UNSUPPORTED.code || left.iter().any(is_same)
    });
    broken
}

/// The kernel that a schedule is for: the one that it names, or the only function of its module.
fn kernel_of<'a>(op: OpRef<'a>, plan: &Schedule) -> Option<&'a Body> {
    let body = op.body;
    let ops = body.blocks(body.root_region()).flat_map(|block| body.ops(block)).map(|id| OpRef { id, ..op });
    let functions: Vec<OpRef<'a>> = ops.filter(|op| op.has(Traits::CALLABLE)).collect();
    let found = match &plan.of {
        Some(name) => functions.iter().find(|op| op.symbol_name() == Some(name)),
        None => functions.first().filter(|_| functions.len() == 1),
    };
    body.nested(found?.id)
}

/// A schedule fits its targets and its kernel.
pub static SYMBOLS: SymbolUser = SymbolUser { verify: symbols };

fn symbols(op: OpRef<'_>, scope: Scope<'_>, diags: &Diagnostics) {
    let Some(plan) = Schedule::of(op) else { return };
    let mut targets = Vec::new();
    for name in &plan.targets {
        let name = match name {
            TargetName::BuiltIn(name) => {
                targets.extend(Target::built_in(name));
                continue;
            }
            TargetName::Symbol(name) => name,
        };
        match scope.find(op, op.ctx.symbol_attr(name)) {
            Ok(Some(symbol)) if symbol.def.name == Target::DEF.name => {
                targets.extend(Target::of_props(op.ctx, symbol.props));
            }
            Ok(symbol) => {
                let error =
                    Diagnostic::error(&UNKNOWN_SYMBOL, op.loc(), format!("'@{name}' is no target")).at(op.name());
                let error = error.suggest("a target is declared by 'plan.target'");
                diags.emit(match symbol {
                    Some(symbol) => error.note(symbol.loc, "it is defined here"),
                    None => error,
                });
            }
            Err(error) => diags.emit(*error),
        }
    }
    fits(op, &plan, &targets, diags);
    // That the kernel is there is checked of every op that accompanies another.
    let kernel = op.prop(Str::OF).and_then(|of| scope.find(op, of).ok().flatten());
    if let Some(kernel) = kernel {
        check_matches_kernel(op, &plan, kernel, diags);
    }
}

/// What it accompanies is a function, and has the symbols that are fixed or assumed about.
fn check_matches_kernel(op: OpRef<'_>, plan: &Schedule, kernel: &SymbolInfo, diags: &Diagnostics) {
    let name = plan.of.as_deref().unwrap_or_default();
    if !kernel.def.traits.has(Traits::CALLABLE) {
        let error = Diagnostic::error(&UNKNOWN_SYMBOL, op.loc(), format!("'@{name}' is no kernel")).at(op.name());
        return diags.emit(error.note(kernel.loc, "it is defined here"));
    }
    let symbols = kernel.symbols.and_then(|attr| TextArray::get(op.ctx, attr)).unwrap_or_default();
    for (word, table) in [("fix", &plan.fix), ("assume", &plan.assume)] {
        for symbol in table.iter().flat_map(|table| table.names()).filter(|symbol| !symbols.contains(symbol)) {
            let all = if symbols.is_empty() { "none".to_string() } else { symbols.join(", ") };
            let message = format!("'{word}' has the symbol '{symbol}', and the symbols of @{name} are {all}");
            let near = did_you_mean(symbol, symbols.iter().copied());
            let place = place_of(op.ctx, op.loc(), word).unwrap_or(op.loc());
            let error = Diagnostic::error(&NOT_OF_KERNEL, place, message).at(op.name()).suggest_if(near);
            diags.emit(error.note(kernel.loc, "the kernel is here"));
        }
    }
}

/// A target is like one that is built in, and its numbers are positive.
pub fn target(op: OpRef<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let like = op.prop_named("like").and_then(|attr| attr.as_str(ctx)).unwrap_or_default();
    if Target::built_in(like).is_none() {
        return diags.emit(unknown(op, like));
    }
    for word in Target::WORDS {
        let value = op.prop_named(word).and_then(|attr| attr.as_int(ctx));
        if let Some(value) = value.filter(|value| !(1..=1 << 40).contains(value)) {
            diags.emit(op_error(op, format!("'{word}' is {value}, which is not from 1 to 2^40")));
        }
    }
}
