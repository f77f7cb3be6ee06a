//! From a function to a text.

use std::collections::{HashMap, HashSet};

use dlc_core::json::attr::from_attr;
use dlc_core::json::names::{distinct, sizes_item};
use dlc_core::json::{Item, NO_JSON, Scalar};
use dlc_core::types::Tensor;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Attr, Context, OpId, OpRef, ValueId};

use super::args;
use super::axes::AxisNames;
use super::dump::{MAX_DEPTH, alongside_all};
use super::number::{self, EXACT};
use super::uops::{Arg, Uop};
use super::{DECLARED, FORMAT, KEPT, OUTPUTS, SPELLING, Spelling};
use crate::ops::{Const, Func, Return};

/// Writes a function in the spelling that it was read from.
pub(super) fn write(ctx: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let no_json = |op: OpRef<'_>, why: String| {
        diags.emit(Diagnostic::error(&NO_JSON, op.loc(), why).at(op.name()));
        None
    };
    let Some(func) = Func::of(op) else {
        return no_json(op, format!("'{}' is no program: JSON is written of 'tiny.func'", op.name()));
    };
    let root = func.resolve();
    let Some(block) = root.regions().first().and_then(|&region| root.body.first_block(region)) else {
        return no_json(op, "a program without a body has no JSON".into());
    };
    let ops: Vec<OpId> = root.body.ops(block).collect();
    let Some((&end, ops)) = ops.split_last().filter(|(end, _)| Return::of(OpRef { id: **end, ..root }).is_some())
    else {
        return no_json(op, "the program does not end with 'return'".into());
    };
    let args = root.body.args(block);
    let results: Vec<ValueId> = root.body.operands(end).collect();
    let arg_attrs = func.arg_attrs().unwrap_or(&[]);
    let mut program = Program {
        ctx,
        root,
        ops: Vec::new(),
        args,
        arg_attrs,
        end,
        results,
        names: HashMap::new(),
        axes: AxisNames::default(),
    };
    for &id in ops {
        let op = OpRef { id, ..root };
        let Some(uop) = Uop::of_op(op).filter(|_| op.results().len() == 1) else {
            return no_json(op, format!("'{}' has no JSON", op.name()));
        };
        if uop.arg != Arg::Const {
            program.axes.note(op, uop);
        }
        program.ops.push((op, uop));
    }
    program.name_values();
    let text = || root.attr(ctx.intern_str(SPELLING.0))?.as_str(ctx);
    let dump = || if text() == Some(SPELLING.1) { program.dump() } else { None };
    match dump().or_else(|| program.typed()) {
        Some(text) => Some(text),
        None => no_json(op, "the program has a type or constant that JSON has no name for".into()),
    }
}

/// A program that can be written.
struct Program<'a> {
    ctx: &'a Context,
    root: OpRef<'a>,
    ops: Vec<(OpRef<'a>, &'static Uop)>,
    args: &'a [ValueId],
    arg_attrs: &'a [Attr],
    /// Its last op.
    end: OpId,
    results: Vec<ValueId>,
    /// What values are called.
    names: HashMap<ValueId, String>,
    /// What their axes are called, in a dump.
    axes: AxisNames,
}

impl<'a> Program<'a> {
    /// Gives every value a name of its own: the one that it has, if no other has it too.
    fn name_values(&mut self) {
        let arg = |(index, &value): (usize, &ValueId)| {
            let attrs = self.arg_attrs.get(index).copied();
            let given = attrs.and_then(|attrs| self.ctx.dict_get(attrs, self.ctx.intern_str("name")));
            (value, given.and_then(|name| name.as_str(self.ctx)).unwrap_or_else(|| self.own_name(value)))
        };
        let results = self.ops.iter().filter_map(|(op, _)| op.results().next());
        let results = results.map(|value| (value, self.own_name(value)));
        let given: Vec<_> = self.args.iter().enumerate().map(arg).chain(results).collect();
        self.names = distinct(&given, 'v');
    }

    fn own_name(&self, value: ValueId) -> &'a str {
        self.ctx.str(self.root.body.value_name(value))
    }

    fn name(&self, value: ValueId) -> &str {
        self.names.get(&value).map_or("", String::as_str)
    }

    /// `dtype` and `shape`.
    fn type_items(&self, value: ValueId) -> Option<[(&'static str, Item); 2]> {
        let ty = Tensor::of(self.ctx, self.root.body.value_type(value))?;
        let dtype = number::written(self.ctx, ty.elem(self.ctx))?;
        Some([("dtype", dtype), ("shape", sizes_item(&ty.dims(self.ctx)))])
    }

    fn typed(&self) -> Option<String> {
        let (ctx, attr) = (self.ctx, |key: &str| self.root.attr(self.ctx.intern_str(key)));
        let mut entries = vec![("format", FORMAT.into()), ("name", self.root.symbol_name()?.into())];
        for key in &KEPT[..2] {
            if let Some(item) = attr(key).and_then(|attr| from_attr(ctx, attr)) {
                entries.push((key, item));
            }
        }
        let mut inputs = Vec::new();
        for (index, &arg) in self.args.iter().enumerate() {
            let role = self.arg_attrs.get(index).and_then(|attrs| ctx.dict_get(*attrs, ctx.intern_str("role")));
            let role = role.and_then(|role| role.as_str(ctx)).map(|role| ("role", role.into()));
            let name = ("name", self.name(arg).into());
            inputs.push(Item::object(std::iter::once(name).chain(self.type_items(arg)?).chain(role)));
        }
        let mut uops = Vec::new();
        for (op, uop) in &self.ops {
            let out = op.result(0);
            let sources = op.operands().map(|operand| self.name(operand));
            let mut uop_entries = vec![("uop", uop.name.into()), ("src", Item::list(sources))];
            uop_entries.extend(args::write(*op, uop, Spelling::Typed, &self.axes)?.map(|arg| ("arg", arg)));
            uop_entries.push(("out", self.name(out).into()));
            uop_entries.extend(self.type_items(out)?);
            uops.push(Item::object(uop_entries));
        }
        let given = attr(OUTPUTS).and_then(|names| names.as_array(ctx)).unwrap_or(&[]);
        let mut taken = HashSet::new();
        let mut outputs = Vec::new();
        for (index, &value) in self.results.iter().enumerate() {
            let given = given.get(index).and_then(|name| name.as_str(ctx));
            let mut name = given.unwrap_or_else(|| self.name(value)).to_string();
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            let [dtype, shape] = self.type_items(value)?;
            outputs.push(Item::object([
                ("name", name.as_str().into()),
                ("value", self.name(value).into()),
                dtype,
                shape,
            ]));
        }
        entries.extend([("inputs", Item::List(inputs)), ("uops", Item::List(uops)), ("outputs", Item::List(outputs))]);
        if let Some(item) = attr(KEPT[2]).and_then(|attr| from_attr(ctx, attr)) {
            entries.push((KEPT[2], item));
        }
        Some(Item::object(entries).document())
    }

    /// As a dump, if that reads back as a program of the same type: passes may have changed what is inferred from.
    fn dump(&self) -> Option<String> {
        [false, true].into_iter().find_map(|all| {
            let text = self.dumped(all)?;
            let file = self.ctx.sources.add("<dump>", text.clone())?;
            let again = super::read::read(self.ctx, &file, 0..text.len(), &Diagnostics::new())?;
            let ty = |op: OpRef<'_>| op.prop_named("function_type");
            let func = again.nested_ops().first().map(|&op| OpRef::new(self.ctx, &again, op))?;
            (ty(func.resolve()) == ty(self.root)).then_some(text)
        })
    }

    fn dumped(&self, all: bool) -> Option<String> {
        let hidden = self.hidden();
        let mut tensors = Vec::new();
        let declared = self.ctx.intern_str(DECLARED);
        for (index, &arg) in self.args.iter().enumerate() {
            let given = self.arg_attrs.get(index).is_some_and(|attrs| self.ctx.dict_get(*attrs, declared).is_some());
            if given || all {
                tensors.push((self.name(arg), Item::object(self.type_items(arg)?)));
            }
        }
        for (op, _) in
            self.ops.iter().filter(|(op, _)| op.attr(declared).is_some() && !hidden.contains_key(&op.result(0)))
        {
            let out = op.result(0);
            tensors.push((self.name(out), Item::object(self.type_items(out)?)));
        }
        let mut uops = Vec::new();
        for (op, uop) in self.ops.iter().filter(|(op, _)| !hidden.contains_key(&op.result(0))) {
            let out = op.result(0);
            let sources: Option<Vec<Item>> = op.operands().map(|operand| self.source(operand, &hidden)).collect();
            let mut entries = vec![("uop", uop.name.into()), ("src", Item::List(sources?))];
            entries.extend(args::write(*op, uop, Spelling::Dump, &self.axes)?.map(|arg| ("arg", arg)));
            let is_silent = uop.arg == Arg::View && self.own_name(out).is_empty() && !self.root.body.has_uses(out);
            if !is_silent {
                entries.push(("out", self.name(out).into()));
            }
            entries.extend(self.needed_type(*op, uop)?);
            uops.push(Item::object(entries));
        }
        let mut entries = Vec::new();
        if !tensors.is_empty() {
            entries.push(("tensors", Item::object(tensors)));
        }
        entries.push(("uops", Item::List(uops)));
        let unused = self.ops.iter().map(|(op, _)| op.result(0));
        let unused = unused.filter(|value| !self.own_name(*value).is_empty() && !self.is_used(*value));
        if unused.collect::<Vec<_>>() != self.results || self.results.iter().any(|value| self.is_used(*value)) {
            entries.push(("outputs", Item::list(self.results.iter().map(|value| self.name(*value)))));
        }
        Some(Item::object(entries).document())
    }

    /// Whether an op other than the one at the end uses a value.
    fn is_used(&self, value: ValueId) -> bool {
        self.root.body.uses(value).any(|used| used.op != self.end)
    }

    /// The type, where none follows from the operands.
    fn needed_type(&self, op: OpRef<'_>, uop: &Uop) -> Option<Vec<(&'static str, Item)>> {
        let [dtype, shape] = self.type_items(op.result(0))?;
        Some(match uop.arg {
            Arg::Const => {
                let scalar = number::scalar(self.ctx, Const::from(op).value(), None);
                let usual = scalar.map(number::usual_type).and_then(|elem| number::written(self.ctx, elem));
                let mut needed = Vec::new();
                needed.extend(Some(dtype).filter(|(_, dtype)| Some(dtype) != usual.as_ref()));
                needed.extend(Some(shape).filter(|(_, shape)| *shape != Item::List(Vec::new())));
                needed
            }
            Arg::Valid => vec![shape],
            Arg::Range => vec![dtype, shape],
            Arg::Load if op.prop_named("at").is_some() => vec![shape],
            _ => Vec::new(),
        })
    }

    /// The values that are written where they are used, with the depth to which each is nested: those without a name
    /// and with one use.
    fn hidden(&self) -> HashMap<ValueId, usize> {
        let mut hidden: HashMap<ValueId, usize> = HashMap::new();
        let users: HashMap<OpId, (OpRef<'a>, &'static Uop)> =
            self.ops.iter().map(|(op, uop)| (op.id, (*op, *uop))).collect();
        for (op, uop) in &self.ops {
            let value = op.result(0);
            let mut uses = self.root.body.uses(value);
            let user = uses.next().filter(|_| uses.next().is_none()).and_then(|used| users.get(&used.op));
            let Some((user, user_uop)) = user.filter(|_| self.own_name(value).is_empty()) else { continue };
            let depth = 1 + op.operands().filter_map(|operand| hidden.get(&operand)).max().copied().unwrap_or(0);
            if uop.word().is_some() && depth < MAX_DEPTH {
                hidden.insert(value, depth);
            } else if uop.arg == Arg::Const && user_uop.word().is_some() && self.is_plain_number(*op, *user, user_uop) {
                hidden.insert(value, 0);
            }
        }
        hidden
    }

    /// Whether a constant, written as a number among the operands of its user, is read back as what it is.
    fn is_plain_number(&self, op: OpRef<'_>, user: OpRef<'_>, uop: &Uop) -> bool {
        let elem = |value: ValueId| Tensor::of(self.ctx, user.type_of(value)).map(|ty| ty.elem(self.ctx));
        let own = op.result(0);
        let rank = Tensor::of(self.ctx, op.type_of(own)).map_or(1, |ty| ty.rank(self.ctx));
        let Some(scalar) = number::scalar(self.ctx, Const::from(op).value(), None) else { return false };
        let finite = !matches!(scalar, Scalar::Float(value) if !value.is_finite());
        let from = usize::from(!alongside_all(uop));
        let in_choice = alongside_all(uop) || user.operand(0) != own;
        // The first operand that is no number gives the type.
        let is_const = |value: ValueId| {
            let def = self.root.body.defining_op(value);
            def.is_some_and(|def| Const::of(OpRef { id: def, ..self.root }).is_some())
        };
        let alongside = user.operands().skip(from).find(|&value| !is_const(value)).and_then(elem);
        let read = alongside.filter(|_| in_choice).map(|elem| number::type_alongside(self.ctx, scalar, elem));
        rank == 0 && finite && read.is_some() && read == elem(own)
    }

    /// An operand, as it is written.
    fn source(&self, value: ValueId, hidden: &HashMap<ValueId, usize>) -> Option<Item> {
        let body = self.root.body;
        let Some(op) = body.defining_op(value).filter(|_| hidden.contains_key(&value)) else {
            return Some(self.name(value).into());
        };
        let op = OpRef { id: op, ..self.root };
        let uop = Uop::of_op(op)?;
        let Some(word) = uop.word() else {
            let exact = op.attr(self.ctx.intern_str(EXACT));
            return Some(number::scalar(self.ctx, Const::from(op).value(), exact)?.item());
        };
        let sources: Option<Vec<Item>> = op.operands().map(|operand| self.source(operand, hidden)).collect();
        let sources = sources?;
        // A comparison is one string, where its operands can stand in one.
        let short: Option<Vec<String>> = sources.iter().map(short).collect();
        let operands = match short.filter(|_| matches!(uop.arg, Arg::Compare(_))) {
            Some(short) => short.join(",").as_str().into(),
            None => Item::List(sources),
        };
        Some(Item::object([(word.as_str(), operands)]))
    }
}

/// An operand that can stand in a string with others.
fn short(item: &Item) -> Option<String> {
    match item {
        Item::Text(name) => {
            let word = name.chars().all(|c| c.is_alphanumeric() || "_.$:/".contains(c));
            let letter = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            (word && letter).then(|| name.clone())
        }
        Item::Int(value) => Some(value.to_string()),
        // The type says that it is a float.
        Item::Float(value)
            if value.trunc() == *value && value.abs() < 1e15 && value.to_bits() != (-0.0f64).to_bits() =>
        {
            Some(format!("{value:.0}"))
        }
        Item::Float(_) => Some(item.to_string()),
        _ => None,
    }
}
