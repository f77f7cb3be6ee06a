//! Symbols: names in the tables that regions are, and the references to them.

use rustc_hash::FxHashMap;

use super::{DUPLICATE_SYMBOL, TRAIT_RULE, UNKNOWN_SYMBOL, function_type};
use crate::attrs::Attr;
use crate::body::{Body, OpRef};
use crate::context::{Context, OpName, Str};
use crate::diag::{Diagnostic, Diagnostics, did_you_mean};
use crate::entity::OpId;
use crate::location::Loc;
use crate::op::{OpDef, Traits};
use crate::types::Type;

/// What is known of a symbol without its body: passes that run on other bodies at the same time read it.
#[derive(Clone, Debug)]
pub struct SymbolInfo {
    /// The op in the body of the table.
    pub op: OpId,
    /// The declaration of the op.
    pub def: &'static OpDef,
    /// Where it stands.
    pub loc: Loc,
    /// `function_type`, for a function.
    pub function_type: Option<Attr>,
    /// `symbols`, for a function that takes sizes.
    pub symbols: Option<Attr>,
    /// Its inherent attributes, a dictionary.
    pub props: Attr,
    /// Whether its name can be used from outside the table.
    pub public: bool,
}

/// What is known of an op that accompanies a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Its name.
    pub name: OpName,
    /// Its inherent attributes, a dictionary.
    pub props: Attr,
    /// Where it stands.
    pub loc: Loc,
}

/// The symbols of one table, as they were when it was made.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    symbols: FxHashMap<Str, SymbolInfo>,
    others: Vec<Beside>,
    /// The numbers of the others by the symbol that their attribute `of` names, if they have one.
    alongside: FxHashMap<Option<Str>, Vec<usize>>,
}

impl SymbolTable {
    /// The symbols directly in the regions of the root of a body. Of two with one name the first counts.
    pub fn of(ctx: &Context, body: &Body) -> SymbolTable {
        let mut table = SymbolTable::default();
        for_each_symbol(ctx, body, |name, view| {
            table.symbols.entry(name).or_insert_with(|| info(view));
        });
        let regions = body.regions(body.root()).iter().copied();
        for op in regions.flat_map(|region| body.blocks(region)).flat_map(|block| body.ops(block)) {
            if !OpRef::new(ctx, body, op).has(Traits::SYMBOL) {
                let props = body.props(op);
                let of = ctx.dict_get(props, Str::OF).and_then(|attr| attr.as_symbol(ctx)?.first().copied());
                table.alongside.entry(of).or_default().push(table.others.len());
                table.others.push(Beside { name: body.op_name(op), props, loc: body.loc(op) });
            }
        }
        table
    }

    /// The ops in the table that are no symbols and accompany this one, which their attribute `of` names, or that name
    /// none, in order.
    pub fn alongside(&self, name: Str) -> impl Iterator<Item = Beside> + '_ {
        let list = |of: Option<Str>| self.alongside.get(&of).map_or(&[][..], Vec::as_slice);
        let (mut named, mut nameless) = (list(Some(name)), list(None));
        std::iter::from_fn(move || {
            let first = match (named.first(), nameless.first()) {
                (Some(a), Some(b)) if a < b => &mut named,
                (Some(_), None) => &mut named,
                _ => &mut nameless,
            };
            let (&number, rest) = first.split_first()?;
            *first = rest;
            Some(self.others[number])
        })
    }

    /// The symbol of a name.
    pub fn get(&self, name: Str) -> Option<&SymbolInfo> {
        self.symbols.get(&name)
    }

    /// The names, in no order.
    pub fn names(&self) -> impl Iterator<Item = Str> + '_ {
        self.symbols.keys().copied()
    }
}

/// The symbols that can be seen from an op.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'t>(&'t [SymbolTable]);

impl<'t> Scope<'t> {
    /// The symbol that an op refers to; otherwise the error that there is none. References into nested tables are resolved
    /// by whoever makes them, and give nothing here.
    pub fn find(self, view: OpRef<'_>, reference: Attr) -> Result<Option<&'t SymbolInfo>, Box<Diagnostic>> {
        match reference.as_symbol(view.ctx) {
            Some([_]) => match look_up(view.ctx, reference, self.0) {
                Some(symbol) => Ok(Some(symbol)),
                None => Err(Box::new(unknown_symbol(view, reference, self.0))),
            },
            _ => Ok(None),
        }
    }
}

/// What an op demands of the symbols that it refers to, where that is not what the trait `Call` says. An interface of
/// ops, after MLIR's `SymbolUserOpInterface`.
pub struct SymbolUser {
    /// Checks the op.
    pub verify: fn(OpRef<'_>, Scope<'_>, &Diagnostics),
}

fn info(view: OpRef<'_>) -> SymbolInfo {
    let visibility = view.attr(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(view.ctx));
    SymbolInfo {
        op: view.id,
        def: view.def(),
        loc: view.loc(),
        function_type: view.attr(Str::FUNCTION_TYPE),
        symbols: view.attr(Str::SYMBOLS),
        props: view.body.props(view.id),
        public: visibility != Some("private"),
    }
}

fn for_each_symbol<'a>(ctx: &'a Context, body: &'a Body, mut each: impl FnMut(Str, OpRef<'a>)) {
    for &region in body.regions(body.root()) {
        for block in body.blocks(region) {
            for op in body.ops(block) {
                let view = OpRef::new(ctx, body, op);
                if let Some(name) = view.symbol() {
                    each(name, view);
                }
            }
        }
    }
}

/// Checks the symbols of a module and the calls in it.
pub fn verify_symbols(ctx: &Context, body: &Body, diags: &Diagnostics) {
    let mut tables = Vec::new();
    verify_table(ctx, body, &mut tables, diags);
}

/// `tables` are those around the body, outermost first.
fn verify_table(ctx: &Context, body: &Body, tables: &mut Vec<SymbolTable>, diags: &Diagnostics) {
    let root = OpRef::new(ctx, body, body.root());
    let is_table = root.has(Traits::SYMBOL_TABLE);
    if is_table {
        let mut table = SymbolTable::default();
        for_each_symbol(ctx, body, |name, view| match table.symbols.get(&name) {
            None => drop(table.symbols.insert(name, info(view))),
            Some(first) => {
                let message = format!("a symbol of the name '@{}' exists already", ctx.str(name));
                let error = Diagnostic::error(&DUPLICATE_SYMBOL, view.loc(), message).at(view.name());
                diags.emit(error.note(first.loc, "the first one is here"));
            }
        });
        tables.push(table);
    }
    for op in body.walk() {
        let view = OpRef::new(ctx, body, op);
        if view.has(Traits::CALL) {
            verify_call(view, tables, diags);
        }
        if let Some(user) = view.def().interface::<SymbolUser>() {
            (user.verify)(view, Scope(tables), diags);
        }
        verify_companion(view, tables, diags);
        if let Some(nested) = body.nested(op) {
            verify_table(ctx, nested, tables, diags);
        }
    }
    if is_table {
        tables.pop();
    }
}

/// The symbol that an attribute refers to, in the nearest table that has it.
fn look_up<'t>(ctx: &Context, attr: Attr, tables: &'t [SymbolTable]) -> Option<&'t SymbolInfo> {
    let [name] = attr.as_symbol(ctx)? else { return None };
    tables.iter().rev().find_map(|table| table.get(*name))
}

fn unknown_symbol(view: OpRef<'_>, attr: Attr, tables: &[SymbolTable]) -> Diagnostic {
    let ctx = view.ctx;
    let wanted = attr.display(ctx);
    let mut known: Vec<&str> = tables.iter().flat_map(SymbolTable::names).map(|name| ctx.str(name)).collect();
    known.sort_unstable();
    let near = did_you_mean(wanted.trim_start_matches('@'), known).map(|hint| hint.replacen('\'', "'@", 1));
    let message = format!("no symbol {wanted} can be seen from here");
    Diagnostic::error(&UNKNOWN_SYMBOL, view.loc(), message).at(view.name()).suggest_if(near)
}

fn verify_call(view: OpRef<'_>, tables: &[SymbolTable], diags: &Diagnostics) {
    let ctx = view.ctx;
    let Some(callee) = view.prop(Str::CALLEE).filter(|attr| attr.as_symbol(ctx).is_some()) else {
        let message = "a call must name a symbol in 'callee'";
        return diags.emit(Diagnostic::error(&TRAIT_RULE, view.loc(), message).at(view.name()));
    };
    // References into nested tables are resolved by whoever makes them.
    if callee.as_symbol(ctx).is_some_and(|path| path.len() > 1) {
        return;
    }
    let Some(symbol) = look_up(ctx, callee, tables) else {
        return diags.emit(unknown_symbol(view, callee, tables));
    };
    let Some((inputs, results)) = function_type(ctx, symbol.function_type) else {
        let message = format!("{} is no function", callee.display(ctx));
        let error = Diagnostic::error(&UNKNOWN_SYMBOL, view.loc(), message).at(view.name());
        return diags.emit(error.note(symbol.loc, "it is defined here"));
    };
    let given: Vec<Type> = view.operands().map(|v| view.type_of(v)).collect();
    let taken: Vec<Type> = view.result_types().collect();
    if given != inputs || taken != results {
        let written = ctx.function_type(&given, &taken).display(ctx);
        let wanted = ctx.function_type(inputs, results).display(ctx);
        let message = format!("calls {} as {written}, but its type is {wanted}", callee.display(ctx));
        let error = Diagnostic::error(&TRAIT_RULE, view.loc(), message).at(view.name());
        diags.emit(error.note(symbol.loc, "it is defined here"));
    }
}

/// An op that accompanies another names it by the attribute `of`.
fn verify_companion(view: OpRef<'_>, tables: &[SymbolTable], diags: &Diagnostics) {
    let ctx = view.ctx;
    let Some(of) = view.prop(Str::OF).filter(|attr| attr.as_symbol(ctx).is_some_and(|path| path.len() == 1)) else {
        return;
    };
    if view.def().declares_attr("of") && look_up(ctx, of, tables).is_none() {
        diags.emit(unknown_symbol(view, of, tables));
    }
}
