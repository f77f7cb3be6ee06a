//! From a text to a module.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use dlc_core::broadcast::show;
use dlc_core::json::attr::to_attr;
use dlc_core::json::names::{dtype_name, is_plain};
use dlc_core::json::{Document, Kind as JsonKind, Node, Read, Record, Reported, WRONG_VALUE};
use dlc_core::types::{Tensor, symbols};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::builder::NewOp;
use dlc_ir::define::{DictArray, FunctionType, IntArray, Kind, SymbolName, TextArray};
use dlc_ir::diag::{Diagnostics, did_you_mean};
use dlc_ir::location::{LocData, SourceFile};
use dlc_ir::op::{Arity, InferCx, OpDef};
use dlc_ir::text::{REDEFINED, TYPE_MISMATCH, UNDEFINED_VALUE};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, OpId, Type, ValueId};

use super::{DECLARED, MAIN, NAME, TENSOR_DIFFERS, aliases, nodes};
use crate::ops;

/// Reads a graph.
pub(super) fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part, diags);
    let root = document.root().ok()?;
    graph(ctx, &root).ok().filter(|_| diags.errors() == before)
}

/// What the table says of a tensor.
struct Entry<'a> {
    dims: Vec<SizeExpr>,
    elem: Type,
    node: Node<'a>,
}

/// A graph that is not finished.
struct Build<'c, 'a> {
    ctx: &'c Context,
    body: Body,
    block: BlockId,
    tensors: HashMap<String, Entry<'a>>,
    /// The names of the results, which stand in the table in any case.
    results: HashSet<String>,
    /// The values by name; nothing for one whose node is wrong, so that its uses are passed over.
    values: HashMap<String, (Option<ValueId>, Loc)>,
}

fn graph(ctx: &Context, root: &Node<'_>) -> Read<Body> {
    let record = Record::new(root, "a graph", &["name", "signature", "tensors", "graph"])?;
    let name = record.get("name").map(Node::name).transpose()?;
    let signature = Record::new(record.need("signature")?, "a signature", &["inputs", "outputs"])?;
    let mut body = Body::new(ctx.op_name(ops::Graph::NAME), root.loc(), 1);
    let block = body.append_block(body.root_region());
    let mut build =
        Build { ctx, body, block, tensors: HashMap::new(), results: HashSet::new(), values: HashMap::new() };
    for (name, place, value) in record.need("tensors")?.entries("a table of tensors")? {
        let entry = Record::new(&value, "a tensor", &["dtype", "shape"])?;
        let entry = Entry { elem: entry.need("dtype")?.dtype(ctx)?, dims: entry.need("shape")?.sizes()?, node: value };
        if build.tensors.insert(name.to_string(), entry).is_some() {
            return Err(place.report(place.error(&REDEFINED, format!("the tensor '{name}' is there already"))));
        }
    }
    let keys = ["tensor", "role", "mutability", "storage", "alignment", "layout"];
    let mut arg_attrs = Vec::new();
    for input in signature.need("inputs")?.list("a list of inputs")? {
        let input = Record::new(&input, "an input", &keys)?;
        // What else is wrong is reported too.
        if let Ok(attrs) = build.input(&input) {
            arg_attrs.push(attrs);
        }
    }
    let mut outputs = Vec::new();
    for output in signature.need("outputs")?.list("a list of outputs")? {
        outputs.extend(Record::new(&output, "an output", &[&keys[..1], &keys[3..]].concat()).ok());
    }
    let named = outputs.iter().filter_map(|output| output.get("tensor"));
    build.results = named
        .filter(|node| node.kind() == JsonKind::String)
        .filter_map(|node| Some(node.name().ok()?.to_string()))
        .collect();
    let list = record.need("graph")?.list("a list of nodes")?;
    let node = |node| Record::new(node, "a node", &["op", "name", "fn", "inputs", "outputs", "attrs"]).ok();
    let list: Vec<Record<'_>> = list.iter().filter_map(node).collect();
    let later: HashMap<String, Loc> = list.iter().flat_map(places).collect();
    for node in &list {
        let _ = build.node(node, &later);
    }
    let results: Vec<(ValueId, Type, Attr)> = outputs.iter().filter_map(|output| build.output(output).ok()).collect();
    for (name, entry) in &build.tensors {
        if !build.values.contains_key(name) {
            let message = format!("the tensor '{name}' is neither an input nor given by a node");
            entry.node.report(entry.node.error(&UNDEFINED_VALUE, message));
        }
    }
    Ok(build.finish(name.as_deref().unwrap_or(MAIN), &arg_attrs, &results, root.loc()))
}

/// Where the names that a node gives stand, as far as they are names.
fn places(record: &Record<'_>) -> Vec<(String, Loc)> {
    let outputs = record.get("outputs").filter(|outputs| outputs.kind() == JsonKind::List);
    let outputs = outputs.and_then(|outputs| outputs.list("a list of names").ok()).unwrap_or_default();
    let names = outputs.iter().filter(|node| node.kind() == JsonKind::String);
    names.filter_map(|node| Some((node.string("a name").ok()?.to_string(), node.loc()))).collect()
}

impl<'a> Build<'_, 'a> {
    /// What the table says of a tensor that must be there.
    fn entry(&self, name: &str, node: &Node<'_>) -> Read<&Entry<'a>> {
        self.tensors.get(name).ok_or_else(|| {
            let error = node.error(&UNDEFINED_VALUE, format!("the table of tensors has no '{name}'"));
            let near = did_you_mean(name, self.tensors.keys().map(String::as_str));
            node.report(error.suggest(near.unwrap_or_else(|| "it says its dtype and shape".into())))
        })
    }

    fn define(&mut self, name: &str, value: Option<ValueId>, node: &Node<'_>) -> Read<()> {
        if let Some((_, first)) = self.values.get(name) {
            let error = node.error(&REDEFINED, format!("the tensor '{name}' is given twice"));
            return Err(node.report(error.note(*first, "it is given here")));
        }
        if let Some(value) = value {
            self.body.set_value_name(value, self.ctx.intern_str(name));
        }
        self.values.insert(name.to_string(), (value, node.loc()));
        Ok(())
    }

    /// The dictionary of what the signature says, but for the name.
    fn signature(&self, record: &Record<'_>) -> Read<Vec<(&'static str, Attr)>> {
        let keys = ["role", "mutability", "storage", "alignment", "layout"];
        let said = keys.into_iter().filter_map(|key| Some((key, record.get(key)?)));
        said.map(|(key, node)| Ok((key, to_attr(self.ctx, node)?))).collect()
    }

    fn dict(&self, entries: &[(&str, Attr)]) -> Attr {
        let entries: Vec<_> = entries.iter().map(|(key, attr)| (self.ctx.intern_str(key), *attr)).collect();
        self.ctx.dict_attr(&entries)
    }

    fn input(&mut self, record: &Record<'_>) -> Read<Attr> {
        let place = record.need("tensor")?;
        let name = place.name()?;
        let entry = match self.entry(&name, place) {
            Ok(entry) => entry,
            Err(Reported) => {
                let _ = self.define(&name, None, place);
                return Err(Reported);
            }
        };
        let ty = Tensor::get(self.ctx, entry.dims.clone(), entry.elem);
        let value = self.body.add_arg(self.block, ty, place.loc());
        let mut said = self.signature(record)?;
        if !is_plain(&name) {
            said.push((NAME, self.ctx.str_attr(&name)));
        }
        self.define(&name, Some(value), place)?;
        Ok(self.dict(&said))
    }

    /// The value of a name. `later` has the places of names that come after.
    fn value(&self, name: &str, node: &Node<'_>, later: &HashMap<String, Loc>) -> Read<ValueId> {
        match self.values.get(name) {
            Some((Some(value), _)) => Ok(*value),
            Some((None, _)) => Err(Reported),
            None => {
                let error = match later.get(name) {
                    Some(&loc) => {
                        let error = node.error(&UNDEFINED_VALUE, format!("'{name}' is used before it is given"));
                        error.note(loc, "it is given here").suggest("put nodes after those that they use")
                    }
                    None => {
                        let error =
                            node.error(&UNDEFINED_VALUE, format!("'{name}' is neither an input nor given by a node"));
                        error.suggest_if(did_you_mean(name, self.values.keys().map(String::as_str)))
                    }
                };
                Err(node.report(error))
            }
        }
    }

    fn node(&mut self, record: &Record<'_>, later: &HashMap<String, Loc>) -> Read<()> {
        let outputs = record.need("outputs")?.list("a list of names")?;
        let names = outputs.iter().map(Node::name).collect::<Read<Vec<_>>>()?;
        let values = self.op(record, &names, later);
        if let Ok(values) = &values
            && values.len() != names.len()
        {
            let place = record.need("outputs")?;
            let message = format!("the node gives {} tensors, and {} are named", values.len(), names.len());
            place.report(place.error(&WRONG_VALUE, message));
        }
        for (index, (name, place)) in names.iter().zip(&outputs).enumerate() {
            let value = values.as_ref().ok().and_then(|values| values.get(index)).copied();
            self.define(name, value, place)?;
        }
        Ok(())
    }

    /// Makes the op of a node. Its results.
    fn op(&mut self, record: &Record<'_>, names: &[Cow<'_, str>], later: &HashMap<String, Loc>) -> Read<Vec<ValueId>> {
        let (ctx, node) = (self.ctx, record.node());
        let def = nodes::op_of(record.need("op")?, record.get("fn"))?;
        if def.name == ops::Attention::NAME
            && let Some(heads) = Self::heads(record)?
        {
            return self.attention(record, later, heads);
        }
        let mut new = NewOp::new(def, self.place(record)?);
        let operands = self.operands(def, record, later, &mut new)?;
        aliases::check_spatial(ctx, &self.body, record.need("op")?, &operands)?;
        let mut props = self.attrs(def, record, &operands)?;
        props.sort_by_key(|(key, _)| *key);
        let named: Vec<_> = props.iter().map(|&(key, attr)| (ctx.intern_str(key), attr)).collect();
        let infer_cx = InferCx { ctx, body: &self.body, operands: &operands, props: &named };
        let types = match def.infer {
            Some(infer) => infer(&infer_cx).map_err(|broken| {
                let error = broken.diagnostic(&TYPE_MISMATCH, node.loc()).at(def.name);
                node.report(error)
            })?,
            None => {
                // Nothing says them but the table.
                let ty = |name: &Cow<'_, str>| {
                    let entry = self.entry(name, node)?;
                    Ok(Tensor::get(ctx, entry.dims.clone(), entry.elem))
                };
                names.iter().map(ty).collect::<Read<_>>()?
            }
        };
        let mut builder = Builder::at_end(ctx, &mut self.body, self.block);
        for (key, attr) in props {
            new.attr(&builder, key, attr);
        }
        new.results(&types);
        let op = new.build(&mut builder);
        let results: Vec<ValueId> = self.body.results(op).collect();
        if def.infer.is_some() {
            self.declared(op, names);
        }
        Ok(results)
    }

    /// Where a node is, with its name.
    fn place(&self, record: &Record<'_>) -> Read<Loc> {
        let loc = record.node().loc();
        let Some(name) = record.get("name") else { return Ok(loc) };
        Ok(self.ctx.loc(LocData::Name { name: self.ctx.intern_str(&name.name()?), child: loc }))
    }

    /// The operands of a node, group by group; `null` is an optional one that is not there.
    fn operands(
        &self,
        def: &'static OpDef,
        record: &Record<'_>,
        later: &HashMap<String, Loc>,
        new: &mut NewOp,
    ) -> Read<Vec<ValueId>> {
        let place = record.need("inputs")?;
        let inputs = place.list("a list of names")?;
        let read = |node: &Node<'_>| match node.kind() {
            JsonKind::Null => Ok(None),
            _ => self.value(&node.name()?, node, later).map(Some),
        };
        let values = inputs.iter().map(read).collect::<Vec<Read<Option<ValueId>>>>();
        let values = values.into_iter().collect::<Read<Vec<Option<ValueId>>>>()?;
        let wrong = || {
            let groups = def.operands.iter().map(|group| match group.arity {
                Arity::One => group.name.to_string(),
                Arity::Optional => format!("{} if wanted", group.name),
                Arity::Variadic => format!("any number of {}", group.name),
            });
            let groups: Vec<String> = groups.collect();
            let takes = if groups.is_empty() { "nothing".to_string() } else { groups.join(", ") };
            let message = format!("the node has {} inputs; it takes {takes}", values.len());
            place.report(place.error(&WRONG_VALUE, message))
        };
        let (mut all, mut rest) = (Vec::new(), values.as_slice());
        for (index, group) in def.operands.iter().enumerate() {
            let count = match group.arity {
                Arity::One if rest.first().is_none_or(Option::is_none) => return Err(wrong()),
                Arity::One => 1,
                Arity::Optional => rest.len().min(1),
                // What the groups after do not take.
                Arity::Variadic => rest.len().saturating_sub(def.operands.len() - 1 - index),
            };
            let (own, others) = rest.split_at(count);
            let own: Vec<ValueId> = own.iter().flatten().copied().collect();
            if group.arity == Arity::Variadic && own.len() != count {
                return Err(wrong());
            }
            new.operands(&own);
            all.extend(own);
            rest = others;
        }
        if rest.is_empty() { Ok(all) } else { Err(wrong()) }
    }

    /// The inherent attributes of a node.
    fn attrs(&self, def: &'static OpDef, record: &Record<'_>, operands: &[ValueId]) -> Read<Vec<(&'static str, Attr)>> {
        let keys: Vec<&str> = def.attrs.iter().map(nodes::key).chain(aliases::keys(def)).collect();
        let what = "an attribute list of this node";
        let attrs = match record.get("attrs") {
            Some(node) => Record::new(node, what, &keys)?,
            None => Record::empty(record.node(), what),
        };
        let axes = aliases::one_axis(self.ctx, &self.body, def, operands, &attrs)?;
        let mut props: Vec<(&str, Attr)> = axes.map(|axes| ("axes", axes)).into_iter().collect();
        for spec in def.attrs {
            let node = match spec.optional {
                true => attrs.get(nodes::key(spec)),
                false => Some(attrs.need(nodes::key(spec))?),
            };
            // What is off is left out.
            if let Some(node) = node.filter(|node| !(spec.optional && node.text() == "false")) {
                let attr = nodes::attr(self.ctx, spec, node)?;
                props.push((spec.name, aliases::from_start(self.ctx, &self.body, operands, spec.name, attr)));
            }
        }
        Ok(props)
    }

    /// The number of heads that a node of attention gives, with its place.
    fn heads<'n>(record: &Record<'n>) -> Read<Option<(i64, Node<'n>)>> {
        let Some(attrs) = record.get("attrs") else { return Ok(None) };
        let entries = attrs.entries("an object of attributes")?;
        let node = entries.into_iter().find(|(key, ..)| key == aliases::HEADS).map(|(.., node)| node);
        node.map(|node| Ok((node.int()?, node))).transpose()
    }

    /// Attention whose heads lie side by side: an axis of their own before, and together again after it.
    fn attention(
        &mut self,
        record: &Record<'_>,
        later: &HashMap<String, Loc>,
        (heads, node): (i64, Node<'_>),
    ) -> Read<Vec<ValueId>> {
        let (ctx, def, loc) = (self.ctx, ops::Attention::DEF, self.place(record)?);
        let operands = self.operands(def, record, later, &mut NewOp::new(def, loc))?;
        let shapes = aliases::Heads { ctx, node: &node, heads }.shapes(&self.body, &operands)?;
        let props = self.attrs(def, record, &operands)?;
        let failed = || node.report(node.wrong("a number of heads that the operands have"));
        let mut own = operands.clone();
        for (operand, shape) in own.iter_mut().zip(shapes.iter().flatten()) {
            let mut builder = Builder::at_end(ctx, &mut self.body, self.block);
            let order = IntArray::make(ctx, aliases::exchanged(shape.len()));
            let split = ("shape", aliases::shape(ctx, shape.clone()));
            let apart = aliases::view(&mut builder, ops::Reshape::DEF, loc, *operand, split);
            let apart =
                apart.and_then(|it| aliases::view(&mut builder, ops::Transpose::DEF, loc, it, ("order", order)));
            *operand = apart.ok_or_else(failed)?;
        }
        let named: Vec<_> = props.iter().map(|&(key, attr)| (ctx.intern_str(key), attr)).collect();
        let infer_cx = InferCx { ctx, body: &self.body, operands: &own, props: &named };
        let infer = def.infer.ok_or_else(failed)?;
        let types = infer(&infer_cx).map_err(|broken| {
            record.node().report(broken.diagnostic(&TYPE_MISMATCH, record.node().loc()).at(def.name))
        })?;
        let mut new = NewOp::new(def, loc);
        let (always, mask) = own.split_at(3.min(own.len()));
        always.iter().for_each(|operand| new.operands(&[*operand]));
        new.operands(mask);
        let mut builder = Builder::at_end(ctx, &mut self.body, self.block);
        for (key, attr) in props {
            new.attr(&builder, key, attr);
        }
        new.results(&types);
        let op = new.build(&mut builder);
        let mut result = builder.result(op);
        if shapes.is_some() {
            let dims = |body: &Body, value| Tensor::of(ctx, body.value_type(value)).map(|ty| ty.dims(ctx));
            let rank = dims(builder.body, result).map_or(0, |dims| dims.len());
            let order = IntArray::make(ctx, aliases::exchanged(rank));
            result =
                aliases::view(&mut builder, ops::Transpose::DEF, loc, result, ("order", order)).ok_or_else(failed)?;
            let together = dims(builder.body, result).and_then(|dims| aliases::joined(&dims)).ok_or_else(failed)?;
            let together = ("shape", aliases::shape(ctx, together));
            result = aliases::view(&mut builder, ops::Reshape::DEF, loc, result, together).ok_or_else(failed)?;
        }
        Ok(vec![result])
    }

    fn elem(&self, value: ValueId) -> Type {
        Tensor::expect(self.ctx, self.body.value_type(value)).elem(self.ctx)
    }

    /// Notes which results of an op stand in the table of tensors, though the table need not have them.
    fn declared(&mut self, op: OpId, names: &[Cow<'_, str>]) {
        let stands = |name: &str| self.tensors.contains_key(name) && !self.results.contains(name);
        let places = names.iter().enumerate().filter(|(_, name)| stands(name)).map(|(place, _)| place as i64);
        let places: Vec<i64> = places.collect();
        if !places.is_empty() {
            let key = self.ctx.intern_str(DECLARED);
            self.body.set_attr(self.ctx, op, key, Some(IntArray::make(self.ctx, places)));
        }
    }

    /// A result of the graph: the value, the type of its elements, what the signature says of it.
    fn output(&mut self, record: &Record<'_>) -> Read<(ValueId, Type, Attr)> {
        let place = record.need("tensor")?;
        let name = place.name()?;
        let value = self.value(&name, place, &HashMap::new())?;
        let elem = self.entry(&name, place)?.elem;
        Ok((value, elem, self.dict(&self.signature(record)?)))
    }

    /// Whether the table says what the values are. An output may have other elements.
    fn check(&self, outputs: &[ValueId]) {
        for (name, entry) in &self.tensors {
            let Some((Some(value), _)) = self.values.get(name) else { continue };
            let Some(ty) = Tensor::of(self.ctx, self.body.value_type(*value)) else { continue };
            let (dims, elem) = (ty.dims(self.ctx), ty.elem(self.ctx));
            let spell = |elem: Type| dtype_name(self.ctx, elem).map_or_else(|| elem.display(self.ctx), str::to_string);
            if dims != entry.dims {
                let message =
                    format!("the tensor '{name}' is {}, but the node gives {}", show(&entry.dims), show(&dims));
                entry.node.report(entry.node.error(&TENSOR_DIFFERS, message));
            } else if elem != entry.elem && !outputs.contains(value) {
                let (written, is) = (spell(entry.elem), spell(elem));
                let message = format!("the tensor '{name}' is of {written}, but the node gives {is}");
                let error = entry.node.error(&TENSOR_DIFFERS, message);
                entry.node.report(error.suggest("put a node \"Cast\" between"));
            }
        }
    }

    /// The module with the finished graph.
    fn finish(mut self, name: &str, arg_attrs: &[Attr], results: &[(ValueId, Type, Attr)], loc: Loc) -> Body {
        let ctx = self.ctx;
        let values: Vec<ValueId> = results.iter().map(|(value, ..)| *value).collect();
        self.check(&values);
        let elems: Vec<Type> = results.iter().map(|(_, elem, _)| *elem).collect();
        let cast = values.iter().zip(&elems).any(|(&value, &elem)| self.elem(value) != elem);
        let types: Vec<Type> = values
            .iter()
            .zip(&elems)
            .map(|(&value, &elem)| {
                let ty = Tensor::of(ctx, self.body.value_type(value));
                Tensor::get(ctx, ty.map_or_else(Vec::new, |ty| ty.dims(ctx)), elem)
            })
            .collect();
        let mut builder = Builder::at_end(ctx, &mut self.body, self.block);
        ops::Output::build(&mut builder, loc, &values, cast.then_some(elems));
        let args: Vec<Type> = self.body.args(self.block).iter().map(|&arg| self.body.value_type(arg)).collect();
        let mut props = vec![
            ("sym_name", SymbolName::make(ctx, name)),
            ("function_type", FunctionType::make(ctx, ctx.function_type(&args, &types))),
        ];
        let symbols = symbols(ctx, &self.body, self.block);
        if !symbols.is_empty() {
            props.push(("symbols", TextArray::make(ctx, symbols.iter().map(String::as_str).collect())));
        }
        let res_attrs: Vec<Attr> = results.iter().map(|(.., attrs)| *attrs).collect();
        for (key, attrs) in [("arg_attrs", arg_attrs), ("res_attrs", &res_attrs)] {
            if attrs.iter().any(|attrs| *attrs != Attr::EMPTY_DICT) {
                props.push((key, DictArray::make(ctx, attrs)));
            }
        }
        let props = self.dict(&props);
        let root = self.body.root();
        self.body.set_props(root, props);
        let mut module = Body::module(ctx);
        let place = module.entry_block().map(InsertPoint::EndOf);
        let nested = Some(Box::new(self.body));
        let graph = module.create_op(OpParts { nested, ..OpParts::new(ctx.op_name(ops::Graph::NAME), loc) });
        if let Some(place) = place {
            module.insert(graph, place);
        }
        module
    }
}
