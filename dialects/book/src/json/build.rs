//! The function that grows while a text is read.

use std::collections::HashMap;

use dlc_core::json::function::{Finished, finish};
use dlc_core::json::names::is_plain;
use dlc_core::json::{Node, Read, WRONG_VALUE};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, Container, DenseData, wrap_integer};
use dlc_ir::body::OpParts;
use dlc_ir::diag::did_you_mean;
use dlc_ir::op::{InferCx, OpDef};
use dlc_ir::text::{REDEFINED, TYPE_MISMATCH, UNDEFINED_VALUE};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, Type, ValueId, float};

use dlc_core::json::Scalar;

use crate::ops;

/// A value that has a name.
#[derive(Clone)]
pub(super) struct Value {
    /// The value; nothing for one that is wrong, so that its uses are passed over.
    pub id: Option<ValueId>,
    /// The ids of its axes.
    pub ids: Vec<i64>,
    loc: Loc,
}

/// Attributes by their keys.
pub(super) type Attrs = Vec<(&'static str, Attr)>;

/// A function that is not finished.
pub(super) struct Build<'c> {
    /// The context.
    pub ctx: &'c Context,
    body: Body,
    block: BlockId,
    values: HashMap<String, Value>,
    /// A dictionary for each argument.
    arg_attrs: Vec<Attr>,
}

impl<'c> Build<'c> {
    /// A function without anything in it.
    pub fn new(ctx: &'c Context, loc: Loc) -> Build<'c> {
        let mut body = Body::new(ctx.op_name(ops::Func::NAME), loc, 1);
        let block = body.append_block(body.root_region());
        Build { ctx, body, block, values: HashMap::new(), arg_attrs: Vec::new() }
    }

    fn dict(&self, attrs: &[(&str, Attr)]) -> Attr {
        let entries: Vec<_> = attrs.iter().map(|(key, attr)| (self.ctx.intern_str(key), *attr)).collect();
        self.ctx.dict_attr(&entries)
    }

    /// Adds an input.
    pub fn input(&mut self, name: &str, ty: Type, mut attrs: Attrs, node: &Node<'_>) -> ValueId {
        if !is_plain(name) {
            // The text of the IR shows another name, and this one is what data is given by.
            attrs.push(("name", self.ctx.str_attr(name)));
        }
        self.arg_attrs.push(self.dict(&attrs));
        self.body.add_arg(self.block, ty, node.loc())
    }

    /// Gives a value a name. An error if the name is taken.
    pub fn define(&mut self, name: &str, id: Option<ValueId>, ids: Vec<i64>, node: &Node<'_>) -> Read<()> {
        if let Some(first) = self.values.get(name) {
            let error = node.error(&REDEFINED, format!("the name '{name}' is taken"));
            return Err(node.report(error.note(first.loc, "it is given here")));
        }
        if let Some(value) = id {
            self.body.set_value_name(value, self.ctx.intern_str(name));
        }
        self.values.insert(name.to_string(), Value { id, ids, loc: node.loc() });
        Ok(())
    }

    /// The value of a name, if it is defined.
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Says that nothing before defines a name; `later` is where that comes after.
    pub fn undefined(&self, name: &str, node: &Node<'_>, later: Option<Loc>) -> dlc_core::json::Reported {
        let error = match later {
            Some(loc) => node
                .error(&UNDEFINED_VALUE, format!("'{name}' is used before it is defined"))
                .note(loc, "it is defined here")
                .suggest("put values after those that they read"),
            None => node
                .error(&UNDEFINED_VALUE, format!("nothing defines '{name}'"))
                .suggest_if(did_you_mean(name, self.values.keys().map(String::as_str))),
        };
        node.report(error)
    }

    /// The sizes and the type of the elements of a value.
    pub fn shape(&self, id: ValueId) -> (Vec<SizeExpr>, Type) {
        let ty = Tensor::of(self.ctx, self.body.value_type(id));
        ty.map_or((Vec::new(), Type::NONE), |ty| (ty.dims(self.ctx), ty.elem(self.ctx)))
    }

    /// Makes an op. Its result has the type that follows from the operands, or the one given where none follows.
    pub fn op(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        (props, attrs): (&Attrs, &Attrs),
        given: Option<Type>,
        node: &Node<'_>,
    ) -> Read<ValueId> {
        let ctx = self.ctx;
        let (props, attrs) = (self.dict(props), self.dict(attrs));
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
        self.body.results(op).next().ok_or_else(|| node.not("a value"))
    }

    /// The named values that nothing reads, in order; the last one where there are none.
    pub fn unused(&self) -> Vec<ValueId> {
        let results: Vec<ValueId> = self.body.ops(self.block).flat_map(|op| self.body.results(op)).collect();
        results.into_iter().filter(|value| !self.body.has_uses(*value)).collect()
    }

    /// The module with the finished function.
    pub fn finish(mut self, name: &str, results: &[ValueId], attrs: &[(&str, Attr)], loc: Loc) -> Body {
        let ctx = self.ctx;
        let end = ops::Return::build(&mut Builder::at_end(ctx, &mut self.body, self.block), loc, results);
        let own = Finished { op: ops::Func::NAME, name, arg_attrs: &self.arg_attrs, attrs, loc };
        finish(ctx, self.body, end, &own)
    }
}

/// A number as an element of a type.
pub(super) fn number(ctx: &Context, node: &Node<'_>, elem: Type) -> Read<Attr> {
    let scalar = node.scalar()?;
    let wanted = || format!("a number of type {}", elem.display(ctx));
    match (elem.float_kind(ctx), scalar) {
        (Some(kind), Scalar::Int(_) | Scalar::Float(_)) => {
            let value = match scalar {
                Scalar::Int(value) => value as f64,
                Scalar::Float(value) => value,
                Scalar::Bool(_) => f64::NAN,
            };
            Ok(ctx.attr(AttrData::Float { ty: elem, bits: float::encode(value, kind) }))
        }
        (None, Scalar::Bool(value)) if elem == Type::I1 => Ok(ctx.bool_attr(value)),
        (None, Scalar::Int(value)) if wrap_integer(value, ctx.type_data(elem)) == value => {
            Ok(ctx.int_attr(value, elem))
        }
        _ => Err(node.not(&wanted())),
    }
}

/// A dense constant with a number for each element.
pub(super) fn dense(ctx: &Context, node: &Node<'_>, shape: &[SizeExpr], elem: Type) -> Read<Attr> {
    let numbers = node.list_of("a list of numbers", |node| number(ctx, node, elem))?;
    let sizes: Option<Vec<u64>> = shape.iter().map(|size| u64::try_from(size.as_constant()?).ok()).collect();
    let count = |sizes: &Vec<u64>| sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
    let fits = sizes.filter(|sizes| count(sizes) == Some(numbers.len() as u64));
    let Some(sizes) = fits else {
        let message = format!("'{}' has {} numbers, which is not what the axes have", node.path(), numbers.len());
        return Err(node.report(node.error(&WRONG_VALUE, message)));
    };
    let each = elem.bits(ctx).map_or(0, |bits| bits.div_ceil(8) as usize);
    let bits = |attr: &Attr| match *ctx.attr_data(*attr) {
        AttrData::Integer { value, .. } => value as u64,
        AttrData::Float { bits, .. } => bits,
        _ => 0,
    };
    let payload: Vec<u8> = numbers.iter().flat_map(|n| bits(n).to_le_bytes().into_iter().take(each)).collect();
    let dense =
        DenseData { shape: &sizes, elem, payload: payload.into(), container: Container::Tensor, resource: None };
    Ok(ctx.attr(AttrData::Dense(dense)))
}
