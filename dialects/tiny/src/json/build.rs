//! The function that grows while a text is read.

use std::collections::HashMap;

use dlc_core::json::function::{Finished, finish};
use dlc_core::json::names::is_plain;
use dlc_core::json::{Node, Read};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::OpParts;
use dlc_ir::diag::did_you_mean;
use dlc_ir::op::{InferCx, OpDef};
use dlc_ir::text::{REDEFINED, TYPE_MISMATCH, UNDEFINED_VALUE};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, OpRef, Type, ValueId};

use super::axes::AxisNames;
use super::uops::Uop;
use crate::ops;

/// A function that is not finished.
pub(super) struct Build<'c> {
    /// The context.
    pub ctx: &'c Context,
    /// The function.
    pub body: Body,
    block: BlockId,
    /// The values by name; nothing for one whose uop is wrong, so that its uses are passed over.
    values: HashMap<String, (Option<ValueId>, Loc)>,
    /// A dictionary for each argument.
    arg_attrs: Vec<Attr>,
    /// The names of axes.
    pub axes: AxisNames,
}

/// A value that is an operand.
#[derive(Clone)]
pub(super) struct Operand {
    /// The value.
    pub id: ValueId,
    /// Its sizes.
    pub dims: Vec<SizeExpr>,
    /// The type of its elements.
    pub elem: Type,
}

/// Inherent attributes by their keys.
pub(super) type Props = Vec<(&'static str, Attr)>;

impl<'c> Build<'c> {
    /// A function without anything in it.
    pub fn new(ctx: &'c Context, loc: Loc) -> Build<'c> {
        let mut body = Body::new(ctx.op_name(ops::Func::NAME), loc, 1);
        let block = body.append_block(body.root_region());
        Build { ctx, body, block, values: HashMap::new(), arg_attrs: Vec::new(), axes: AxisNames::default() }
    }

    /// Adds an input.
    pub fn input(&mut self, name: &str, ty: Type, attrs: &[(&str, Attr)], node: &Node<'_>) -> Read<ValueId> {
        let value = self.body.add_arg(self.block, ty, node.loc());
        let mut entries: Vec<_> = attrs.iter().map(|(key, attr)| (self.ctx.intern_str(key), *attr)).collect();
        if !is_plain(name) {
            // The text of the IR shows another name, and this one is what data is given by.
            entries.push((self.ctx.intern_str("name"), self.ctx.str_attr(name)));
        }
        self.arg_attrs.push(self.ctx.dict_attr(&entries));
        self.define(name, Some(value), node)?;
        Ok(value)
    }

    /// Gives a value a name. An error if the name is taken.
    pub fn define(&mut self, name: &str, value: Option<ValueId>, node: &Node<'_>) -> Read<()> {
        if let Some((_, first)) = self.values.get(name) {
            let error = node.error(&REDEFINED, format!("the name '{name}' is taken"));
            return Err(node.report(error.note(*first, "it is given here")));
        }
        if let Some(value) = value {
            self.body.set_value_name(value, self.ctx.intern_str(name));
        }
        self.values.insert(name.to_string(), (value, node.loc()));
        Ok(())
    }

    /// Whether a name is given, and to what.
    pub fn find(&self, name: &str) -> Option<Option<ValueId>> {
        self.values.get(name).map(|(value, _)| *value)
    }

    /// The value of a name. `later` says where it is given if that comes after.
    pub fn value(&self, name: &str, node: &Node<'_>, later: Option<Loc>) -> Read<ValueId> {
        match self.values.get(name) {
            Some((Some(value), _)) => Ok(*value),
            Some((None, _)) => Err(dlc_core::json::Reported),
            None => {
                let message = match later {
                    Some(_) => format!("'{name}' is used before it is defined"),
                    None => format!("nothing defines '{name}'"),
                };
                let mut error = node.error(&UNDEFINED_VALUE, message);
                match later {
                    Some(loc) => {
                        error = error.note(loc, "it is defined here").suggest("put uops after those that they use");
                    }
                    // In a text with many mistakes looking for near names would take long.
                    None if node.diags().errors() < 20 => {
                        error = error.suggest_if(did_you_mean(name, self.values.keys().map(String::as_str)));
                    }
                    None => {}
                }
                Err(node.report(error))
            }
        }
    }

    /// A value as an operand.
    pub fn operand(&self, id: ValueId) -> Operand {
        let ty = Tensor::of(self.ctx, self.body.value_type(id));
        let (dims, elem) = ty.map_or((Vec::new(), Type::NONE), |ty| (ty.dims(self.ctx), ty.elem(self.ctx)));
        Operand { id, dims, elem }
    }

    /// Makes an op. Its result has the type that follows from the operands, or the one given where none follows.
    pub fn op(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        (props, attrs): (&Props, &Props),
        given: Option<Type>,
        node: &Node<'_>,
    ) -> Read<ValueId> {
        let ctx = self.ctx;
        let dict = |list: &Props| {
            let entries: Vec<_> = list.iter().map(|(key, attr)| (ctx.intern_str(key), *attr)).collect();
            ctx.dict_attr(&entries)
        };
        let (props, attrs) = (dict(props), dict(attrs));
        let named = props.as_dict(ctx).unwrap_or(&[]);
        let inferred = def.infer.map(|infer| infer(&InferCx { ctx, body: &self.body, operands, props: named }));
        let ty = match inferred {
            Some(Ok(types)) => types.first().copied(),
            Some(Err(broken)) => {
                let len = node.text().lines().next().map_or(0, str::len);
                return Err(node.report(broken.diagnostic(&TYPE_MISMATCH, node.loc()).spanning(len).at(def.name)));
            }
            None => given,
        };
        let results: Vec<Type> = ty.into_iter().collect();
        let name = ctx.op_name(def.name);
        let parts = OpParts { operands, results: &results, props, attrs, ..OpParts::new(name, node.loc()) };
        let op = Builder::at_end(ctx, &mut self.body, self.block).create(parts);
        match self.body.results(op).next() {
            Some(result) => Ok(result),
            None => Err(node.not("a uop with a result")),
        }
    }

    /// Notes the names of the axes of a result.
    pub fn name_axes(&mut self, value: ValueId, uop: &Uop) {
        if let Some(op) = self.body.defining_op(value) {
            self.axes.note(OpRef::new(self.ctx, &self.body, op), uop);
        }
    }

    /// Notes on an op what is not part of its meaning.
    pub fn mark(&mut self, value: ValueId, key: &str, attr: Attr) {
        let key = self.ctx.intern_str(key);
        if let Some(op) = self.body.defining_op(value) {
            self.body.set_attr(self.ctx, op, key, Some(attr));
        }
    }

    /// Notes something without a value on what computes the elements of a value, which is before all views; on nothing
    /// where these are an input or constants.
    pub fn mark_source(&mut self, value: ValueId, key: &str) {
        let views = [
            ops::Reshape::DEF,
            ops::Permute::DEF,
            ops::Expand::DEF,
            ops::Pad::DEF,
            ops::Shrink::DEF,
            ops::Flip::DEF,
            ops::View::DEF,
        ];
        let mut value = value;
        while let Some(op) = self.body.defining_op(value) {
            let op = OpRef::new(self.ctx, &self.body, op);
            match op.operands().next() {
                None => return,
                Some(of) if views.iter().any(|def| op.is(def)) => value = of,
                Some(_) => return self.mark(value, key, Attr::UNIT),
            }
        }
    }

    /// The named values that nothing uses, in order.
    pub fn unused(&self) -> Vec<ValueId> {
        let results = self.body.ops(self.block).flat_map(|op| self.body.results(op));
        let unused =
            |value: &ValueId| !self.body.has_uses(*value) && !self.ctx.str(self.body.value_name(*value)).is_empty();
        results.filter(unused).collect()
    }

    /// The module with the finished function.
    pub fn finish(mut self, name: &str, results: &[ValueId], attrs: &[(&str, Attr)], loc: Loc) -> Body {
        let ctx = self.ctx;
        let end = ops::Return::build(&mut Builder::at_end(ctx, &mut self.body, self.block), loc, results);
        let own = Finished { op: ops::Func::NAME, name, arg_attrs: &self.arg_attrs, attrs, loc };
        finish(ctx, self.body, end, &own)
    }
}
