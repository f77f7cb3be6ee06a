//! A function that was read from JSON, as a module.

use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::define::{DictArray, FunctionType, Kind, SymbolName, TextArray};
use dlc_ir::{Attr, Body, Context, Loc, OpId, Type, ValueId};

use crate::types::symbols;

/// What is known of a function besides its body.
pub struct Finished<'a> {
    /// The name of its op.
    pub op: &'a str,
    /// Its own name.
    pub name: &'a str,
    /// A dictionary for each argument.
    pub arg_attrs: &'a [Attr],
    /// Attributes that are not part of its meaning.
    pub attrs: &'a [(&'a str, Attr)],
    /// Where it stands.
    pub loc: Loc,
}

/// The module with a function whose body is there up to the op that gives the results.
pub fn finish(ctx: &Context, mut body: Body, end: OpId, own: &Finished<'_>) -> Body {
    let Some(block) = body.block_of(end) else { return Body::module(ctx) };
    let types = |values: &[ValueId]| values.iter().map(|&value| body.value_type(value)).collect::<Vec<Type>>();
    let results: Vec<ValueId> = body.operands(end).collect();
    let function_type = ctx.function_type(&types(body.args(block)), &types(&results));
    let symbols = symbols(ctx, &body, block);
    let mut props =
        vec![("sym_name", SymbolName::make(ctx, own.name)), ("function_type", FunctionType::make(ctx, function_type))];
    if !symbols.is_empty() {
        props.push(("symbols", TextArray::make(ctx, symbols.iter().map(String::as_str).collect())));
    }
    if own.arg_attrs.iter().any(|attrs| *attrs != Attr::EMPTY_DICT) {
        props.push(("arg_attrs", DictArray::make(ctx, own.arg_attrs)));
    }
    let dict = |list: &[(&str, Attr)]| {
        let entries: Vec<_> = list.iter().map(|(key, attr)| (ctx.intern_str(key), *attr)).collect();
        ctx.dict_attr(&entries)
    };
    let root = body.root();
    body.set_props(root, dict(&props));
    body.set_attrs(root, dict(own.attrs));
    let mut module = Body::module(ctx);
    let place = module.entry_block().map(InsertPoint::EndOf);
    let func = module.create_op(OpParts { nested: Some(Box::new(body)), ..OpParts::new(ctx.op_name(own.op), own.loc) });
    if let Some(place) = place {
        module.insert(func, place);
    }
    module
}
