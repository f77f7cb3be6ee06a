//! From a graph to a text.

use std::collections::HashMap;

use dlc_core::json::attr::from_attr;
use dlc_core::json::names::{distinct, dtype_name, sizes_item};
use dlc_core::json::{Item, NO_JSON};
use dlc_core::types::Tensor;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::LocData;
use dlc_ir::op::Arity;
use dlc_ir::{Attr, Context, OpRef, Type, ValueId};

use super::{DECLARED, MAIN, NAME, nodes};
use crate::ops::{Graph, Output};

/// Writes a graph.
pub(super) fn write(ctx: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let no_json = |op: OpRef<'_>, why: String| {
        diags.emit(Diagnostic::error(&NO_JSON, op.loc(), why).at(op.name()));
        None
    };
    let Some(graph) = Graph::of(op) else {
        return no_json(op, format!("'{}' is no graph: JSON is written of 'frontend.graph'", op.name()));
    };
    let root = graph.resolve();
    let Some(block) = root.regions().first().and_then(|&region| root.body.first_block(region)) else {
        return no_json(op, "a graph without a body has no JSON".into());
    };
    let mut program = Program { ctx, root, names: HashMap::new(), tensors: Vec::new() };
    let ops: Vec<OpRef<'_>> = root.body.ops(block).map(|id| OpRef { id, ..root }).collect();
    let Some((end, ops)) = ops.split_last().and_then(|(end, ops)| Some((Output::of(*end)?, ops))) else {
        return no_json(op, "the graph does not end with 'output'".into());
    };
    program.name_values(graph, root.body.args(block), ops);
    match program.text(graph, root.body.args(block), ops, end) {
        Ok(item) => Some(item.document()),
        Err((op, why)) => no_json(op, why),
    }
}

/// Why there is no JSON, and of which op.
type NoJson<'a> = (OpRef<'a>, String);

struct Program<'a> {
    ctx: &'a Context,
    root: OpRef<'a>,
    /// What values are called.
    names: HashMap<ValueId, String>,
    /// The table, in order.
    tensors: Vec<(String, Item)>,
}

impl<'a> Program<'a> {
    /// Gives every value a name of its own: the one that it has, if no other has it too.
    fn name_values(&mut self, graph: Graph<'a>, args: &[ValueId], ops: &[OpRef<'a>]) {
        let arg = |(index, &value): (usize, &ValueId)| {
            let attrs = graph.arg_attrs().and_then(|attrs| attrs.get(index).copied());
            let given = attrs.and_then(|attrs| self.ctx.dict_get(attrs, self.ctx.intern_str(NAME)));
            (value, given.and_then(|name| name.as_str(self.ctx)).unwrap_or_else(|| self.own_name(value)))
        };
        let results = ops.iter().flat_map(|op| op.results()).map(|value| (value, self.own_name(value)));
        let given: Vec<_> = args.iter().enumerate().map(arg).chain(results).collect();
        self.names = distinct(&given, 't');
    }

    fn own_name(&self, value: ValueId) -> &'a str {
        self.ctx.str(self.root.body.value_name(value))
    }

    fn name(&self, value: ValueId) -> &str {
        self.names.get(&value).map_or("", String::as_str)
    }

    /// Puts a value into the table, with elements of a type. An error when it stands there with others.
    fn tensor(&mut self, value: ValueId, elem: Option<Type>, at: OpRef<'a>) -> Result<(), NoJson<'a>> {
        let ty = Tensor::of(self.ctx, self.root.type_of(value)).ok_or((at, "a value is no tensor".to_string()))?;
        let elem = elem.unwrap_or_else(|| ty.elem(self.ctx));
        let dtype = dtype_name(self.ctx, elem);
        let dtype = dtype.ok_or_else(|| (at, format!("JSON has no name for the type {}", elem.display(self.ctx))))?;
        let entry = Item::object([("dtype", dtype.into()), ("shape", sizes_item(&ty.dims(self.ctx)))]);
        let name = self.name(value).to_string();
        match self.tensors.iter().find(|(known, _)| *known == name) {
            None => self.tensors.push((name, entry)),
            Some((_, known)) if *known == entry => {}
            Some(_) => return Err((at, format!("JSON cannot give '{name}' with two types of elements"))),
        }
        Ok(())
    }

    fn text(
        mut self,
        graph: Graph<'a>,
        args: &[ValueId],
        ops: &[OpRef<'a>],
        end: Output<'a>,
    ) -> Result<Item, NoJson<'a>> {
        let mut inputs = Vec::new();
        for (index, &arg) in args.iter().enumerate() {
            self.tensor(arg, None, *graph)?;
            let said = graph.arg_attrs().and_then(|attrs| attrs.get(index)).copied();
            inputs.push(self.signature(arg, said, *graph)?);
        }
        let mut nodes = Vec::new();
        let mut declared = Vec::new();
        for &op in ops {
            nodes.push(self.node(op)?);
            let noted = op.attr(self.ctx.intern_str(DECLARED)).and_then(|places| IntArray::get(self.ctx, places));
            let noted = noted.unwrap_or_default();
            let stands = |place: usize| op.def().infer.is_none() || noted.contains(&(place as i64));
            declared.extend(op.results().enumerate().filter(|(place, _)| stands(*place)).map(|(_, value)| (value, op)));
        }
        let mut outputs = Vec::new();
        let elems = end.elems();
        for (index, value) in end.values().enumerate() {
            let elem = elems.as_ref().and_then(|elems| elems.get(index)).copied();
            self.tensor(value, elem, *end)?;
            let said = graph.res_attrs().and_then(|attrs| attrs.get(index)).copied();
            outputs.push(self.signature(value, said, *graph)?);
        }
        for (value, op) in declared {
            if !self.tensors.iter().any(|(known, _)| known == self.name(value)) {
                self.tensor(value, None, op)?;
            }
        }
        let signature = Item::object([("inputs", Item::List(inputs)), ("outputs", Item::List(outputs))]);
        let name = Some(graph.sym_name()).filter(|name| *name != MAIN).map(|name| ("name", name.into()));
        let rest = [("signature", signature), ("tensors", Item::Object(self.tensors)), ("graph", Item::List(nodes))];
        Ok(Item::object(name.into_iter().chain(rest)))
    }

    /// An entry of the signature.
    fn signature(&self, value: ValueId, said: Option<Attr>, at: OpRef<'a>) -> Result<Item, NoJson<'a>> {
        let mut entries = vec![("tensor".to_string(), self.name(value).into())];
        let order = ["role", "mutability", "storage", "alignment", "layout"];
        let mut said: Vec<_> = said.into_iter().flat_map(|said| nodes::entries(self.ctx, said)).collect();
        said.retain(|(key, _)| *key != NAME);
        said.sort_by_key(|(key, _)| order.iter().position(|known| known == key));
        for (key, attr) in said {
            let item = from_attr(self.ctx, attr).filter(|_| order.contains(&key));
            entries.push((key.to_string(), item.ok_or_else(|| (at, format!("JSON cannot say '{key}' of a tensor")))?));
        }
        Ok(Item::Object(entries))
    }

    fn node(&self, op: OpRef<'a>) -> Result<Item, NoJson<'a>> {
        let (ctx, def) = (self.ctx, op.def());
        let (name, function) = nodes::name(def);
        let mut entries = vec![("op", name.as_str().into())];
        if let Some(LocData::Name { name, .. }) = ctx.loc_data(op.loc()) {
            entries.push(("name", ctx.str(*name).into()));
        }
        entries.extend(function.map(|function| ("fn", function.into())));
        let mut inputs = Vec::new();
        for (group, operand) in def.operands.iter().enumerate() {
            let values: Vec<ValueId> = op.operands_of_group(group).collect();
            if values.is_empty() && operand.arity == Arity::Optional {
                inputs.push(Item::Null);
            }
            inputs.extend(values.iter().map(|&value| self.name(value).into()));
        }
        while inputs.last() == Some(&Item::Null) {
            inputs.pop();
        }
        entries.push(("inputs", Item::List(inputs)));
        entries.push(("outputs", Item::list(op.results().map(|value| self.name(value)))));
        let mut attrs = Vec::new();
        for spec in def.attrs {
            let Some(attr) = op.prop_named(spec.name) else { continue };
            let item = nodes::item(ctx, attr);
            attrs.push((nodes::key(spec), item.ok_or_else(|| (op, format!("JSON cannot say '{}'", spec.name)))?));
        }
        if !attrs.is_empty() {
            entries.push(("attrs", Item::object(attrs)));
        }
        Ok(Item::object(entries))
    }
}
