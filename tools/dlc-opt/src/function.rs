//! The functions of a module that can be called, with the names of what they take and give.

use std::collections::BTreeSet;

use dlc_core::memref::shaped;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::OpRef;
use dlc_ir::context::Str;
use dlc_ir::op::Traits;
use dlc_ir::{Body, Context, Loc, Type, TypeData};

/// A function with a body, directly in a module.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The symbol, without `@`.
    pub name: String,
    /// Where it stands.
    pub loc: Loc,
    /// Whether only the module itself calls it.
    pub is_private: bool,
    /// The symbols of its sizes.
    pub symbols: Vec<String>,
    /// What it takes, by the names of the arguments, or what their attribute `name` says; without either `arg0` and so on.
    pub inputs: Vec<Port>,
    /// What it gives, by the names in its attribute `outputs`, which readers of JSON set, or else of the values that it
    /// returns; where they have none, or one name is there twice, all are `out0` and so on.
    pub outputs: Vec<Port>,
}

/// An input or an output.
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// Its name, without `%`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The functions of a module, in order.
pub fn functions(ctx: &Context, module: &Body) -> Vec<Function> {
    let ops = module.nested_ops().into_iter().map(|op| OpRef::new(ctx, module, op));
    let callable = ops.filter(|view| view.has(Traits::CALLABLE) && module.parent_op(view.id) == Some(module.root()));
    callable.filter_map(function).collect()
}

fn function(op: OpRef<'_>) -> Option<Function> {
    let ctx = op.ctx;
    let TypeData::Function { inputs, results } = ctx.type_data(op.attr(Str::FUNCTION_TYPE)?.as_type(ctx)?) else {
        return None;
    };
    let root = op.resolve();
    let body = root.body;
    let block = root.regions().first().and_then(|&region| body.first_block(region))?;
    let named = |value, other: String| match ctx.str(body.value_name(value)) {
        "" => other,
        name => name.to_string(),
    };
    let list = |key: &str| op.attr(ctx.intern_str(key)).and_then(|attr| attr.as_array(ctx)).unwrap_or(&[]);
    let texts = |key: &str| -> Option<Vec<String>> {
        list(key).iter().map(|text| Some(text.as_str(ctx)?.to_string())).collect()
    };
    let arg_attrs = list("arg_attrs");
    let args = body.args(block).iter().enumerate().map(|(index, &arg)| {
        let given = arg_attrs.get(index).and_then(|attrs| ctx.dict_get(*attrs, ctx.intern_str("name")));
        match given.and_then(|name| name.as_str(ctx)) {
            Some(name) => name.to_string(),
            None => named(arg, format!("arg{index}")),
        }
    });
    let region = root.regions().first().copied()?;
    let ops = body.blocks(region).flat_map(|block| body.ops(block)).map(|id| OpRef::new(ctx, body, id));
    // Not every end is like a return: that of a graph may round what it gives.
    let mut ends = ops.filter(|op| op.has(Traits::TERMINATOR) && body.successors(op.id).is_empty());
    let returned = ends.find(|op| op.operands().len() == results.len());
    let values = || returned.map(|op| op.operands().map(|value| named(value, String::new())).collect());
    let fits = |names: &Vec<String>| {
        let distinct: BTreeSet<&String> = names.iter().filter(|name| !name.is_empty()).collect();
        names.len() == results.len() && distinct.len() == results.len()
    };
    let outputs = texts("outputs").filter(fits).or_else(|| values().filter(fits));
    let outputs = outputs.unwrap_or_else(|| (0..results.len()).map(|index| format!("out{index}")).collect());
    let ports = |names: Vec<String>, types: &[Type]| {
        names.into_iter().zip(types).map(|(name, &ty)| Port { name, ty }).collect::<Vec<_>>()
    };
    Some(Function {
        name: op.symbol_name()?.to_string(),
        loc: op.loc(),
        is_private: op.prop(Str::SYM_VISIBILITY).and_then(|attr| attr.as_str(ctx)) == Some("private"),
        symbols: texts("symbols").unwrap_or_default(),
        inputs: ports(args.collect(), inputs),
        outputs: ports(outputs, results),
    })
}

/// The sizes and the type of the elements of a type of numbers: a tensor, in memory or not, or a single number, which has no sizes. `None`
/// for any other type.
pub fn sizes(ctx: &Context, ty: Type) -> Option<(Vec<SizeExpr>, Type)> {
    if let Some(shaped) = shaped(ctx, ty) {
        return Some(shaped);
    }
    match ctx.type_data(ty) {
        TypeData::Index | TypeData::Integer { .. } | TypeData::Float(_) => Some((Vec::new(), ty)),
        _ => None,
    }
}
