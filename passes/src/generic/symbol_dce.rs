//! Erases private symbols that nothing refers to: functions that were inlined everywhere, and what only they used.
//!
//! **Requires**: any layer.
//! **Ensures**: every private symbol is referred to from a public one, or from an op that is no symbol.
//!
//! **Before**
//! ```mlir before
//! sample.func @f() {
//!   call @used()
//!   return
//! }
//! sample.func private @used()
//! sample.func private @unused() {
//!   call @unused_too()
//!   return
//! }
//! sample.func private @unused_too()
//! ```
//! **After**
//! ```mlir after
//! sample.func @f() {
//!   call @used()
//!   return
//! }
//! sample.func private @used()
//! ```
//!
//! **Does not** erase public symbols, also of a module that is itself private; or a symbol whose name is referred to in
//! another table than its own, when that reference may mean it.
//!
//! An op that only accompanies a symbol (attribute `of`) does not keep it, and goes with it. Each table is marked and
//! swept for itself, from public symbols over references in attributes and types. Linear in attributes. Rule of the
//! debug counters: `symbol`.

use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::op::Traits;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::types::TypeData;
use dlc_ir::{Attr, Context, OpId, Str, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "erased", doc: "Symbols erased, and ops that accompanied them." }],
    ..PassDef::base("symbol-dce", "Erases private symbols that nothing refers to.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(SymbolDce))
}

struct SymbolDce;

impl Pass for SymbolDce {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let erased = symbol_dce(body, cx);
        cx.count("erased", erased);
        Ok(())
    }
}

/// Erases private symbols of a module, and of the modules in it, that nothing refers to. How many ops are gone.
pub fn symbol_dce(module: &mut Body, cx: &PassCx<'_>) -> u64 {
    // References that go through a path may mean symbols of any table below.
    let mut everything = References::default();
    everything.of_body(cx.ctx, module);
    sweep(module, &everything.below, cx)
}

fn sweep(table: &mut Body, from_above: &FxHashSet<Str>, cx: &PassCx<'_>) -> u64 {
    let mut erased = 0;
    if OpRef::new(cx.ctx, table, table.root()).has(Traits::SYMBOL_TABLE) {
        let mut unused = unused_symbols(table, from_above, cx);
        unused.extend(companions(table, &unused, cx.ctx));
        for op in unused {
            table.erase_op(op);
            erased += 1;
        }
    }
    for op in table.nested_ops() {
        erased += table.nested_mut(op).map_or(0, |nested| sweep(nested, from_above, cx));
    }
    erased
}

/// The private symbols of a table that nothing needed refers to, in order.
fn unused_symbols(table: &Body, from_above: &FxHashSet<Str>, cx: &PassCx<'_>) -> Vec<OpId> {
    let ctx = cx.ctx;
    let mut private: FxHashMap<Str, OpId> = FxHashMap::default();
    let mut order = Vec::new();
    let mut needed = References::default();
    needed.attr(ctx, table.attrs(table.root()));
    for op in table.regions(table.root()).iter().flat_map(|&region| table.blocks(region)).flat_map(|b| table.ops(b)) {
        let view = OpRef::new(ctx, table, op);
        let name = view.symbol_name().map(|name| ctx.intern_str(name));
        match name.filter(|name| is_private(view) && table.is_unused(op) && !from_above.contains(name)) {
            // Of two symbols with one name (which the verifier refuses) the second is left alone.
            Some(name) if !private.contains_key(&name) => {
                private.insert(name, op);
                order.push((name, op));
            }
            _ => needed.of_op(ctx, table, op),
        }
    }
    let mut unused = |needed: &mut References| {
        while let Some(name) = needed.new.pop() {
            if let Some(op) = private.remove(&name) {
                needed.of_op(ctx, table, op);
            }
        }
    };
    unused(&mut needed);
    let mut erased = Vec::new();
    for (name, op) in order {
        if needed.seen.contains(&name) {
            continue;
        }
        if cx.allows_rule("symbol") {
            erased.push(op);
        } else {
            // What is to stay keeps what it refers to.
            needed.name(name);
            unused(&mut needed);
        }
    }
    erased.retain(|&op| {
        let name = OpRef::new(ctx, table, op).symbol_name();
        name.is_none_or(|name| !needed.seen.contains(&ctx.intern_str(name)))
    });
    erased
}

fn is_private(op: OpRef<'_>) -> bool {
    op.attr(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(op.ctx)) == Some("private")
}

/// The ops of a table that accompany one of the erased symbols.
fn companions(table: &Body, erased: &[OpId], ctx: &Context) -> Vec<OpId> {
    let names: FxHashSet<&str> = erased.iter().filter_map(|&op| OpRef::new(ctx, table, op).symbol_name()).collect();
    let gone: FxHashSet<OpId> = erased.iter().copied().collect();
    let accompanies = |&op: &OpId| {
        let of = companion_of(OpRef::new(ctx, table, op));
        !gone.contains(&op) && table.is_unused(op) && of.is_some_and(|name| names.contains(ctx.str(name)))
    };
    let blocks = table.regions(table.root()).iter().flat_map(|&region| table.blocks(region));
    blocks.flat_map(|block| table.ops(block)).filter(accompanies).collect()
}

/// The symbol that an op accompanies.
fn companion_of(op: OpRef<'_>) -> Option<Str> {
    if !op.def().declares_attr("of") {
        return None;
    }
    match op.prop(Str::OF)?.as_symbol(op.ctx)? {
        [name] => Some(*name),
        _ => None,
    }
}

/// Names that are referred to.
#[derive(Default)]
struct References {
    seen: FxHashSet<Str>,
    /// Those of `seen` that have not been followed.
    new: Vec<Str>,
    /// The names after the first of a path.
    below: FxHashSet<Str>,
    attrs: FxHashSet<Attr>,
    types: FxHashSet<Type>,
}

impl References {
    fn name(&mut self, name: Str) {
        if self.seen.insert(name) {
            self.new.push(name);
        }
    }

    /// All references in an op, its regions, and its body if it is one.
    fn of_op(&mut self, ctx: &Context, body: &Body, op: OpId) {
        let mut ops = vec![op];
        body.walk_regions(op, &mut ops);
        for op in ops {
            self.of_record(ctx, body, op);
            for &region in body.regions(op) {
                for block in body.blocks(region) {
                    body.args(block).iter().for_each(|&arg| self.value(ctx, body, arg));
                }
            }
            if let Some(nested) = body.nested(op) {
                self.of_body(ctx, nested);
            }
        }
    }

    fn of_body(&mut self, ctx: &Context, body: &Body) {
        self.of_op(ctx, body, body.root());
    }

    fn of_record(&mut self, ctx: &Context, body: &Body, op: OpId) {
        let view = OpRef::new(ctx, body, op);
        let skipped = companion_of(view).map(|_| Str::OF);
        for &(key, attr) in body.props(op).as_dict(ctx).unwrap_or(&[]) {
            if Some(key) != skipped {
                self.attr(ctx, attr);
            }
        }
        self.attr(ctx, body.attrs(op));
        view.results().for_each(|value| self.value(ctx, body, value));
    }

    fn value(&mut self, ctx: &Context, body: &Body, value: ValueId) {
        self.ty(ctx, body.value_type(value));
    }

    fn attr(&mut self, ctx: &Context, attr: Attr) {
        let data = ctx.attr_data(attr);
        if let AttrData::Symbol(path) = data {
            path.iter().for_each(|&name| self.name(name));
            self.below.extend(path.iter().skip(1));
            return;
        }
        let holds_others = matches!(
            data,
            AttrData::Array(_)
                | AttrData::Dict(_)
                | AttrData::Type(_)
                | AttrData::Dialect { .. }
                | AttrData::Opaque { .. }
        );
        if !holds_others || !self.attrs.insert(attr) {
            return;
        }
        match data {
            AttrData::Array(items) | AttrData::Dialect { params: items, .. } => {
                items.iter().for_each(|&item| self.attr(ctx, item));
            }
            AttrData::Dict(entries) => entries.iter().for_each(|&(_, attr)| self.attr(ctx, attr)),
            AttrData::Type(ty) => self.ty(ctx, *ty),
            AttrData::Opaque { text, .. } => self.text(ctx, ctx.str(*text)),
            _ => {}
        }
    }

    fn ty(&mut self, ctx: &Context, ty: Type) {
        let data = ctx.type_data(ty);
        let holds_others = matches!(
            data,
            TypeData::Function { .. } | TypeData::Tuple(_) | TypeData::Dialect { .. } | TypeData::Opaque { .. }
        );
        if !holds_others || !self.types.insert(ty) {
            return;
        }
        match data {
            TypeData::Function { inputs, results } => {
                inputs.iter().chain(*results).for_each(|&ty| self.ty(ctx, ty));
            }
            TypeData::Tuple(types) => types.iter().for_each(|&ty| self.ty(ctx, ty)),
            TypeData::Dialect { params, .. } => params.iter().for_each(|&param| self.attr(ctx, param)),
            TypeData::Opaque { text, .. } => self.text(ctx, ctx.str(*text)),
            _ => {}
        }
    }

    /// What looks like a reference in text that nobody here can read.
    fn text(&mut self, ctx: &Context, text: &str) {
        for part in text.split('@').skip(1) {
            let quoted = part.strip_prefix('"').and_then(|rest| rest.split('"').next());
            let bare = || part.split(|c: char| !(c.is_alphanumeric() || "_$.-".contains(c))).next();
            let name = ctx.intern_str(quoted.or_else(bare).unwrap_or_default());
            self.name(name);
            self.below.insert(name);
        }
    }
}
