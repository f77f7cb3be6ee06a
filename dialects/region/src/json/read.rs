//! From a text to a module.

use std::collections::HashMap;
use std::ops::Range;

use dlc_core::json::attr::to_attr;
use dlc_core::json::{Document, Kind as JsonKind, MISSING_KEY, Node, Read, Record, Reported, WRONG_VALUE};
use dlc_core::memref::MemRef;
use dlc_core::sizes::Sizes;
use dlc_core::types::Types;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::define::{DictArray, FunctionType, Kind, SymbolName, TextArray};
use dlc_ir::diag::{Diagnostics, did_you_mean};
use dlc_ir::location::SourceFile;
use dlc_ir::text::{REDEFINED, UNDEFINED_VALUE};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, Type, ValueId};

use super::memref::{self, Spec};
use super::sizes::{self, Axes};
use crate::ops;
use crate::syntax::MATERIALIZE;
use crate::types::Value;

/// Reads kernels.
pub(super) fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part, diags);
    let root = document.root().ok()?;
    let mut module = Body::module(ctx);
    let kernels = || {
        let record = Record::new(&root, "a program of kernels", &["region"])?;
        let kernels = record.need("region")?;
        match kernels.kind() {
            JsonKind::List => kernels.list("a list of kernels"),
            _ => Ok(vec![kernels.clone()]),
        }
    };
    for node in kernels().ok()? {
        let Ok(body) = kernel(ctx, &node) else { continue };
        let place = module.entry_block().map(InsertPoint::EndOf);
        let nested = Some(Box::new(body));
        let func = module.create_op(OpParts { nested, ..OpParts::new(ctx.op_name(ops::Func::NAME), node.loc()) });
        if let Some(place) = place {
            module.insert(func, place);
        }
    }
    (diags.errors() == before).then_some(module)
}

/// A kernel that is not finished.
pub(super) struct Build<'c> {
    pub ctx: &'c Context,
    pub body: Body,
    /// Where ops go.
    pub block: BlockId,
    pub axes: Axes,
    tensors: Vec<(String, ValueId)>,
    /// The values by name; nothing for one whose expression is wrong, so that its uses are passed over.
    values: HashMap<String, (Option<ValueId>, Loc)>,
    /// Their names, in order.
    given: Vec<String>,
}

/// A result, as far as the text says it.
struct Output<'a> {
    name: String,
    memref: Option<Spec>,
    materialize: &'static str,
    node: Node<'a>,
}

const KEYS: [&str; 9] = ["name", "visibility", "symbols", "iters", "inputs", "outputs", "lets", "yield", "attrs"];

fn kernel(ctx: &Context, node: &Node<'_>) -> Read<Body> {
    let record = Record::new(node, "a kernel", &KEYS)?;
    let name = record.need("name")?.name()?;
    let mut inputs = Vec::new();
    for input in record.need("inputs")?.list("a list of inputs")? {
        let input = Record::new(&input, "an input", &["name", "memref", "attrs"])?;
        let attrs = input.get("attrs").map_or(Ok(Attr::EMPTY_DICT), |attrs| to_attr(ctx, attrs))?;
        inputs.push((input.need("name")?.name()?.to_string(), memref::read(ctx, input.need("memref")?)?, attrs, input));
    }
    let mut outputs = match record.get("outputs") {
        Some(outputs) => outputs.list_of("a list of results", |node| output(ctx, node))?,
        None => Vec::new(),
    };
    let lets = match record.get("lets") {
        Some(lets) => lets.list("a list of values")?,
        None => Vec::new(),
    };
    let yields = record.need("yield")?;
    let exprs: Vec<&Node<'_>> = lets.iter().chain([yields]).collect();
    let memrefs: Vec<_> = inputs.iter().map(|(name, memref, ..)| (name.clone(), memref.dims.clone())).collect();
    let results: Vec<_> = outputs.iter().filter_map(|output| Some(output.memref.as_ref()?.dims.clone())).collect();
    let axes = sizes::axes(record.need("iters")?, &exprs, &memrefs, &results)?;

    let mut body = Body::new(ctx.op_name(ops::Func::NAME), node.loc(), 1);
    let block = body.append_block(body.root_region());
    let mut build = Build { ctx, body, block, axes, tensors: Vec::new(), values: HashMap::new(), given: Vec::new() };
    let mut arg_attrs = Vec::new();
    for (name, memref, attrs, input) in inputs {
        let place = input.need("name")?;
        if build.tensors.iter().any(|(known, _)| *known == name) {
            return Err(place.report(place.error(&REDEFINED, format!("there is an input '{name}' already"))));
        }
        let arg = build.body.add_arg(block, memref.ty(ctx, Type::F16), place.loc());
        build.body.set_value_name(arg, ctx.intern_str(&name));
        build.tensors.push((name, arg));
        arg_attrs.push(attrs);
    }
    build.lets(&lets)?;
    let types = build.yields(yields, &mut outputs, record.get("outputs").is_some())?;
    build.finish(&name, &record, &outputs, types, &arg_attrs)
}

fn output<'a>(ctx: &Context, node: &Node<'a>) -> Read<Output<'a>> {
    let record = Record::new(node, "a result", &["name", "memref", "materialize"])?;
    let materialize = match record.get("materialize") {
        None => MATERIALIZE[0],
        Some(node) => {
            let word = node.string("\"gmem\" or \"deferred\"")?;
            let known = MATERIALIZE.iter().find(|known| **known == word);
            known.ok_or_else(|| node.not("\"gmem\" or \"deferred\""))?
        }
    };
    let name = record.need("name")?.name()?.to_string();
    Ok(Output { name, memref: Some(memref::read(ctx, record.need("memref")?)?), materialize, node: node.clone() })
}

impl Build<'_> {
    /// Reads `[{"let": "x", "expr": ..}, ..]`. Every one that is wrong is reported.
    pub fn lets(&mut self, lets: &[Node<'_>]) -> Read<()> {
        for node in lets {
            let _ = self.bind(node);
        }
        Ok(())
    }

    fn bind(&mut self, node: &Node<'_>) -> Read<()> {
        let record = Record::new(node, "a value", &["let", "expr", "attrs"])?;
        let names = record.need("let")?;
        let places = match names.kind() {
            JsonKind::List => names.list("a list of names")?,
            _ => vec![names.clone()],
        };
        let values = record.need("expr").and_then(|expr| self.values_of(expr, 0));
        if let Ok(values) = &values
            && values.len() != places.len()
        {
            let message = format!("the expression gives {} values, and {} are named", values.len(), places.len());
            names.report(names.error(&WRONG_VALUE, message));
        }
        if let Some(attrs) = record.get("attrs").map(|attrs| to_attr(self.ctx, attrs)).transpose()?
            && let Some(op) = values.iter().flatten().find_map(|&value| self.body.defining_op(value))
        {
            self.body.set_attrs(op, attrs);
        }
        for (index, place) in places.iter().enumerate() {
            let value = values.as_ref().ok().and_then(|values| values.get(index)).copied();
            self.define(&place.name()?, value, place)?;
        }
        Ok(())
    }

    /// Gives a value a name. An error if the name is taken.
    pub fn define(&mut self, name: &str, value: Option<ValueId>, node: &Node<'_>) -> Read<()> {
        if let Some((_, first)) = self.values.get(name) {
            let error = node.error(&REDEFINED, format!("the name '{name}' is taken"));
            return Err(node.report(error.note(*first, "it is given here")));
        }
        // A second name for a value leaves the first.
        if let Some(value) = value.filter(|&value| self.ctx.str(self.body.value_name(value)).is_empty()) {
            self.body.set_value_name(value, self.ctx.intern_str(name));
        }
        self.values.insert(name.to_string(), (value, node.loc()));
        self.given.push(name.to_string());
        Ok(())
    }

    /// Whether a value has this name.
    pub fn is_value(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// How many names there are, to be given to [`leave`](Self::leave).
    pub fn enter(&self) -> usize {
        self.given.len()
    }

    /// Forgets the names that were given since.
    pub fn leave(&mut self, before: usize) {
        for name in self.given.drain(before..) {
            self.values.remove(&name);
        }
    }

    /// The value of a name.
    pub fn value(&self, node: &Node<'_>) -> Read<ValueId> {
        let name = node.name()?;
        match self.values.get(&*name) {
            Some((Some(value), _)) => Ok(*value),
            Some((None, _)) => Err(Reported),
            None => {
                let error = node.error(&UNDEFINED_VALUE, format!("no value before is named '{name}'"));
                let read = self.tensors.iter().any(|(known, _)| *known == name);
                let fix = match read {
                    true => {
                        Some(format!("an element of memory is {{\"read\": {{\"tensor\": \"{name}\", \"map\": [..]}}}}"))
                    }
                    false => did_you_mean(&name, self.values.keys().map(String::as_str)),
                };
                Err(node.report(error.suggest_if(fix)))
            }
        }
    }

    /// The memref of a name.
    pub fn tensor(&self, node: &Node<'_>) -> Read<(ValueId, MemRef)> {
        let name = node.name()?;
        let found = self.tensors.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let found = found.and_then(|value| Some((value, MemRef::of(self.ctx, self.body.value_type(value))?)));
        found.ok_or_else(|| {
            let error = node.error(&UNDEFINED_VALUE, format!("no input is named '{name}'"));
            node.report(error.suggest_if(did_you_mean(&name, self.tensors.iter().map(|(name, _)| name.as_str()))))
        })
    }

    /// The type of the numbers of a value, and its axes.
    pub fn ty(&self, value: ValueId) -> (Type, Vec<String>) {
        match Value::of(self.ctx, self.body.value_type(value)) {
            Some(ty) => (ty.elem(self.ctx), ty.axes(self.ctx).into_iter().map(String::from).collect()),
            None => (Type::NONE, Vec::new()),
        }
    }

    /// Reads `[{"from": "c2", "to": "C", "cast": "fp16"}]`, and gives the types of the results. Where no results are
    /// listed, they are what is yielded.
    fn yields<'a>(&mut self, node: &Node<'a>, outputs: &mut Vec<Output<'a>>, listed: bool) -> Read<Vec<Type>> {
        let (mut given, mut late) = (Vec::<(String, ValueId, Type)>::new(), Vec::new());
        for entry in node.list("a list of what is yielded")? {
            let record = Record::new(&entry, "what is yielded", &["from", "to", "cast"])?;
            let (from, to) = (record.need("from")?, record.need("to")?);
            let cast = record.get("cast").map_or(Ok(Type::NONE), |node| node.dtype(self.ctx))?;
            let name = to.name()?.to_string();
            if given.iter().any(|(known, ..)| *known == name) {
                return Err(to.report(to.error(&REDEFINED, format!("'{name}' is yielded already"))));
            }
            if listed && !outputs.iter().any(|output| output.name == name) {
                let near = did_you_mean(&name, outputs.iter().map(|output| output.name.as_str()));
                let error = to.error(&UNDEFINED_VALUE, format!("no result is named '{name}'"));
                return Err(to.report(error.suggest_if(near)));
            }
            if !listed {
                let output =
                    Output { name: name.clone(), memref: None, materialize: MATERIALIZE[0], node: entry.clone() };
                late.push(output);
            }
            given.push((name, self.expr(from, 0, None)?, cast));
        }
        outputs.extend(late);
        let ctx = self.ctx;
        let (mut values, mut casts, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for output in outputs.iter_mut() {
            let Some((_, value, cast)) = given.iter().find(|(name, ..)| *name == output.name) else {
                let node = &output.node;
                return Err(node.report(node.error(&MISSING_KEY, format!("nothing is yielded to '{}'", output.name))));
            };
            let (elem, axes) = self.ty(*value);
            let memref = match output.memref.take() {
                Some(memref) => memref,
                None => Spec::plain(axes.iter().map(|axis| self.axes.size(axis, node)).collect::<Read<_>>()?),
            };
            types.push(memref.ty(ctx, if *cast == Type::NONE { elem } else { *cast }));
            values.push(*value);
            casts.push(*cast);
        }
        let to = TextArray::make(ctx, outputs.iter().map(|output| output.name.as_str()).collect());
        let mut props = vec![("to", to)];
        if casts.iter().any(|&cast| cast != Type::NONE) {
            props.push(("casts", Types::make(ctx, casts)));
        }
        self.op(ops::Yield::NAME, &values, &props, &[], node.loc());
        Ok(types)
    }

    /// Makes an op.
    pub fn op(
        &mut self,
        name: &str,
        operands: &[ValueId],
        props: &[(&str, Attr)],
        results: &[Type],
        loc: Loc,
    ) -> Vec<ValueId> {
        let props = self.dict(props);
        let parts = OpParts { operands, results, props, ..OpParts::new(self.ctx.op_name(name), loc) };
        let op = Builder::at_end(self.ctx, &mut self.body, self.block).create(parts);
        self.body.results(op).collect()
    }

    pub fn dict(&self, entries: &[(&str, Attr)]) -> Attr {
        let entries: Vec<_> = entries.iter().map(|(key, attr)| (self.ctx.intern_str(key), *attr)).collect();
        self.ctx.dict_attr(&entries)
    }

    /// The type of a value over some axes.
    pub fn value_type(&self, elem: Type, axes: &[String]) -> Type {
        Value::get(self.ctx, elem, axes.iter().map(String::as_str).collect())
    }

    fn finish(
        mut self,
        name: &str,
        record: &Record<'_>,
        outputs: &[Output<'_>],
        results: Vec<Type>,
        arg_attrs: &[Attr],
    ) -> Read<Body> {
        let ctx = self.ctx;
        let inputs: Vec<Type> = self.body.args(self.block).iter().map(|&arg| self.body.value_type(arg)).collect();
        let place = record.need("iters")?;
        let list = self.axes.list.clone();
        let sizes = list.iter().map(|(axis, _)| self.axes.size(axis, place)).collect::<Read<Vec<SizeExpr>>>()?;
        let iters = &list[..self.axes.iters];
        let memrefs = inputs.iter().chain(&results).filter_map(|&ty| MemRef::of(ctx, ty));
        let mut symbols = match record.get("symbols") {
            Some(node) => node.list_of("a list of names", |node| Ok(node.name()?.to_string()))?,
            None => Vec::new(),
        };
        for expr in sizes.iter().cloned().chain(memrefs.flat_map(|ty| sizes_of(ctx, ty))) {
            for symbol in names_in(&expr) {
                if !symbols.contains(&symbol) {
                    symbols.push(symbol);
                }
            }
        }
        let texts = |texts: &mut dyn Iterator<Item = &str>| TextArray::make(ctx, texts.collect());
        let mut props = vec![
            ("sym_name", SymbolName::make(ctx, name)),
            ("function_type", FunctionType::make(ctx, ctx.function_type(&inputs, &results))),
            ("iters", texts(&mut iters.iter().map(|(name, _)| name.as_str()))),
            ("iter_sizes", Sizes::make(ctx, sizes[..self.axes.iters].to_vec())),
            ("outputs", texts(&mut outputs.iter().map(|output| output.name.as_str()))),
            ("materialize", texts(&mut outputs.iter().map(|output| output.materialize))),
        ];
        if !symbols.is_empty() {
            props.push(("symbols", texts(&mut symbols.iter().map(String::as_str))));
        }
        if arg_attrs.iter().any(|attrs| *attrs != Attr::EMPTY_DICT) {
            props.push(("arg_attrs", DictArray::make(ctx, arg_attrs)));
        }
        if let Some(node) = record.get("visibility") {
            props.push(("sym_visibility", ctx.str_attr(&node.string("\"private\" or \"public\"")?)));
        }
        let attrs = record.get("attrs").map(|attrs| to_attr(ctx, attrs)).transpose()?;
        let (root, props) = (self.body.root(), self.dict(&props));
        self.body.set_props(root, props);
        if let Some(attrs) = attrs {
            self.body.set_attrs(root, attrs);
        }
        Ok(self.body)
    }
}

/// The expressions in the type of a memref.
pub(super) fn sizes_of(ctx: &Context, ty: MemRef) -> Vec<SizeExpr> {
    let mut exprs = ty.dims(ctx);
    if let dlc_core::memref::Layout::Strided { strides, offset } = ty.layout(ctx) {
        exprs.extend(strides);
        exprs.push(offset);
    }
    exprs
}

/// The symbols of an expression, in the order in which it is written.
pub(super) fn names_in(expr: &SizeExpr) -> Vec<String> {
    match expr.as_linear() {
        Some((terms, _)) => terms.into_iter().map(|(name, _)| name.to_string()).collect(),
        None => expr.symbols().iter().map(|name| name.to_string()).collect(),
    }
}
