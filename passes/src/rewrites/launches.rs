//! The launches of a module, by the kernels that they choose from, and copies of kernels for them.
//!
//! Collected once for a module and kept up to date by whoever changes it, so that a pass asks about each of many kernels
//! without going over the whole module again.

use std::collections::BTreeSet;

use dlc_core::guard::{Condition, Guard};
use dlc_host::choice::{Choice, Choices};
use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpParts, OpRef};
use dlc_ir::define::{Kind, Text, TextArray};
use dlc_ir::{Context, OpId, Str, Type, TypeData};
use dlc_plan::Schedules;
use dlc_region::ops::Func;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::axes::is_kernel;

/// A launch: the function that it is in, and its op there.
pub type At = (OpId, OpId);

/// The launches of a module, and the names of its symbols.
pub struct Launches {
    of: FxHashMap<String, BTreeSet<At>>,
    names: FxHashSet<String>,
}

impl Launches {
    /// Those of a module.
    pub fn of_module(ctx: &Context, module: &Body) -> Launches {
        let mut found = Launches { of: FxHashMap::default(), names: FxHashSet::default() };
        for op in module.entry_block().into_iter().flat_map(|block| module.ops(block)) {
            found.names.extend(OpRef::new(ctx, module, op).symbol_name().map(String::from));
        }
        for function in module.nested_ops() {
            found.add_function(ctx, module, function);
        }
        found
    }

    fn add_function(&mut self, ctx: &Context, module: &Body, function: OpId) {
        let Some(body) = module.nested(function) else { return };
        for op in body.walk() {
            let Some(launch) = Launch::of(OpRef::new(ctx, body, op)) else { continue };
            for choice in launch.choices() {
                self.add(ctx, &choice, (function, op));
            }
        }
    }

    fn add(&mut self, ctx: &Context, choice: &Choice, at: At) {
        if let Some(name) = callee(ctx, choice) {
            self.of.entry(name.to_string()).or_default().insert(at);
        }
    }

    /// The launches that may run a kernel.
    pub fn of(&self, kernel: &str) -> Vec<At> {
        self.of.get(kernel).into_iter().flatten().copied().collect()
    }

    /// The launches of a kernel, if none of them chooses from others too.
    pub fn always_of(&self, ctx: &Context, module: &Body, kernel: &str) -> Vec<At> {
        let found = self.of(kernel);
        let chooses = |at: &At| {
            module.nested(at.0).is_some_and(|body| Launch::from(OpRef::new(ctx, body, at.1)).choices().len() > 1)
        };
        if found.iter().any(chooses) { Vec::new() } else { found }
    }

    /// Whether some launch may run a kernel.
    pub fn is_launched(&self, kernel: &str) -> bool {
        self.of.get(kernel).is_some_and(|launches| !launches.is_empty())
    }

    /// Lets a launch choose from other kernels.
    pub fn set_choices(&mut self, ctx: &Context, module: &mut Body, at: At, choices: Vec<Choice>) {
        let Some(body) = module.nested_mut(at.0) else { return };
        for old in Launch::of(OpRef::new(ctx, body, at.1)).map(|launch| launch.choices()).unwrap_or_default() {
            if let Some(launches) = callee(ctx, &old).and_then(|name| self.of.get_mut(name)) {
                launches.remove(&at);
            }
        }
        for choice in &choices {
            self.add(ctx, choice, at);
        }
        body.set_prop(ctx, at.1, ctx.intern_str("choices"), Some(Choices::make(ctx, choices)));
    }

    /// Notes the launch of a kernel that was built into a function.
    pub fn note(&mut self, kernel: &str, at: At) {
        self.of.entry(kernel.to_string()).or_default().insert(at);
    }

    /// A name that no symbol has, which is taken from now on: this one, or with a number after it.
    pub fn take_name(&mut self, name: &str) -> String {
        let numbered = (0..).map(|number| format!("{name}_{number}"));
        let is_free = |name: &String| !self.names.contains(name);
        let name = std::iter::once(name.to_string()).chain(numbered).find(is_free).unwrap_or_default();
        self.names.insert(name.clone());
        name
    }

    /// Lets others have a name: its kernel is gone.
    pub fn free_name(&mut self, name: &str) {
        self.names.remove(name);
    }
}

/// Lets a kernel take what its arguments are, and give results of these types, or of those that it gave.
pub fn set_signature(ctx: &Context, kernel: &mut Body, results: Option<&[Type]>) {
    let Some(entry) = kernel.entry_block() else { return };
    let inputs: Vec<Type> = kernel.args(entry).iter().map(|&arg| kernel.value_type(arg)).collect();
    let func = Func::from(OpRef::new(ctx, kernel, kernel.root()));
    if let TypeData::Function { results: were, .. } = ctx.type_data(func.function_type()) {
        let ty = ctx.type_attr(ctx.function_type(&inputs, results.unwrap_or(were)));
        kernel.set_prop(ctx, kernel.root(), Str::FUNCTION_TYPE, Some(ty));
    }
}

/// The kernels of a module that passes may change, by op and name, in their order: private ones with a body that are
/// launched, and that no plan names.
pub fn free_kernels(ctx: &Context, module: &Body, launches: &Launches) -> Vec<(OpId, String)> {
    let plans = Schedules::of(ctx, module);
    let free = |op: OpId| {
        let kernel = module.nested(op).filter(|kernel| is_kernel(ctx, kernel) && kernel.entry_block().is_some())?;
        let root = OpRef::new(ctx, kernel, kernel.root());
        let is_private = root.prop(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(ctx)) == Some("private");
        let name = root.symbol_name().filter(|name| is_private && launches.is_launched(name))?;
        plans.plans_of(ctx, module, name).is_empty().then(|| (op, name.to_string()))
    };
    module.entry_block().into_iter().flat_map(|block| module.ops(block)).filter_map(free).collect()
}

fn callee<'c>(ctx: &'c Context, choice: &Choice) -> Option<&'c str> {
    match choice.callee.as_symbol(ctx) {
        Some(&[name]) => Some(ctx.str(name)),
        _ => None,
    }
}

/// Whether a choice is that of a kernel.
pub fn is_of(ctx: &Context, choice: &Choice, kernel: &str) -> bool {
    callee(ctx, choice) == Some(kernel)
}

/// The symbols of a kernel in the order in which it declares them.
pub fn symbols(ctx: &Context, kernel: &Body) -> Vec<String> {
    let declared = OpRef::new(ctx, kernel, kernel.root()).prop(Str::SYMBOLS);
    let names = declared.and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    names.into_iter().map(|name| name.to_string()).collect()
}

/// Puts a copy of a kernel after it, under another name, for launches of the module alone.
pub fn copy_kernel(ctx: &Context, module: &mut Body, kernel: OpId, name: &str) -> OpId {
    let copy = module.clone_op(kernel, &mut CloneMap::new());
    module.insert(copy, InsertPoint::After(kernel));
    if let Some(body) = module.nested_mut(copy) {
        let root = body.root();
        body.set_prop(ctx, root, Str::SYM_NAME, Some(Text::make(ctx, name)));
        body.set_prop(ctx, root, Str::SYM_VISIBILITY, Some(Text::make(ctx, "private")));
    }
    copy
}

/// Puts a kernel that stands alone before another one of a module.
pub fn add_kernel(module: &mut Body, body: Body, before: OpId) -> OpId {
    let root = body.root();
    let parts = OpParts { props: body.props(root), ..OpParts::new(body.op_name(root), body.loc(root)) };
    let op = module.create_op(OpParts { nested: Some(Box::new(body)), ..parts });
    module.insert(op, InsertPoint::Before(before));
    op
}

/// What is left to ask of conditions on a kernel's symbols where a launch says what these are: `Some(None)` where one is
/// known not to hold, `None` where their integers go beyond 64 bits.
pub fn where_known(choice: &Choice, symbols: &[String], asked: &[Condition]) -> Option<Option<Vec<Condition>>> {
    let size = |symbol: &str| {
        let number = symbols.iter().position(|known| known == symbol)?;
        choice.sizes.get(number).cloned()
    };
    let put = |expr: &SizeExpr| expr.substitute(&size).ok();
    let asked = asked.iter().map(|condition| condition.map(&put)).collect::<Option<Vec<_>>>()?;
    let known = |condition: &Condition| condition.holds(&|_| None).ok();
    if asked.iter().any(|condition| known(condition) == Some(false)) {
        return Some(None);
    }
    Some(Some(asked.into_iter().filter(|condition| known(condition).is_none()).collect()))
}

/// A choice, if conditions hold as well.
pub fn narrowed(choice: Choice, open: &[Condition]) -> Choice {
    if open.is_empty() {
        return choice;
    }
    let pieces = choice.condition.clone().map_or_else(|| vec![Vec::new()], |guard| guard.pieces);
    // What is asked already is not asked again.
    let more = |mut piece: Vec<Condition>| {
        let new: Vec<Condition> = open.iter().filter(|condition| !piece.contains(condition)).cloned().collect();
        piece.extend(new);
        piece
    };
    let condition = Some(Guard { pieces: pieces.into_iter().map(more).collect() });
    Choice { condition, ..choice }
}
