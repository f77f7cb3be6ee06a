//! The types of tensors.

use std::collections::HashSet;

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{Kind, TextArray, TypeAttr, ty};
use dlc_ir::op::{AttrKind, op_error};
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, BlockId, Body, Context, Diagnostics, OpRef, Str, Type, TypeData};

use crate::memref::{Layout, MemRef};
use crate::sizes::{self, Sizes};

/// A tensor: a value with an element for each index below its sizes.
///
/// Sizes are polynomials of the symbols of the function. A tensor without sizes is a scalar.
#[ty("core.tensor", short = "tensor", what = "a tensor", parse = parse_tensor, print = print_tensor,
     verify = verify_tensor, example = "tensor<[M, 2*K], f16>")]
pub struct Tensor {
    /// The sizes.
    dims: Sizes,
    /// The type of the elements.
    elem: TypeAttr,
}

impl Tensor {
    /// The number of sizes.
    pub fn rank(self, ctx: &Context) -> usize {
        self.params(ctx).first().and_then(|dims| dims.as_array(ctx)).map_or(0, <[Attr]>::len)
    }
}

/// A list of types.
pub struct Types;

impl Kind for Types {
    type Value<'a> = Vec<Type>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of types",
        admits: |ctx, attr| Types::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Type>> {
        attr.as_array(ctx)?.iter().map(|item| item.as_type(ctx)).collect()
    }
    fn make(ctx: &Context, types: Vec<Type>) -> Attr {
        ctx.array_attr(&types.iter().map(|&ty| ctx.type_attr(ty)).collect::<Vec<_>>())
    }
}

fn parse_tensor(p: &mut Parser<'_>) -> ParseResult<SmallVec<[Attr; 4]>> {
    let dims = sizes::parse(p)?;
    p.expect(Token::Comma)?;
    let elem = p.parse_type()?;
    Ok(smallvec![dims, p.ctx.type_attr(elem)])
}

fn print_tensor(p: &mut Printer<'_>, params: &[Attr]) {
    if let [dims, elem] = *params {
        sizes::print(p, dims);
        p.write(", ");
        p.attr(elem);
    }
}

fn verify_tensor(ctx: &Context, params: &[Attr]) -> Result<(), String> {
    let elem = params[1].as_type(ctx);
    match elem.is_some_and(|elem| elem.bits(ctx).is_some()) {
        true => Ok(()),
        false => Err("the elements of a tensor must be integers, index or floats".into()),
    }
}

/// The arguments and results of a function of tensors are tensors, and the dictionaries for them are one for each, with
/// alignments that are some and layouts that fit.
pub fn verify_signature(op: OpRef<'_>, arguments: Option<&[Attr]>, results: Option<&[Attr]>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let declared = op.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    let ty = op.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx));
    let Some(TypeData::Function { inputs, results: outputs }) = ty.map(|ty| ctx.type_data(ty)) else { return };
    for (key, what, attrs, types) in
        [("arg_attrs", "argument", arguments, inputs), ("res_attrs", "result", results, outputs)]
    {
        if let Some((index, ty)) = types.iter().enumerate().find(|&(_, &ty)| Tensor::of(ctx, ty).is_none()) {
            let ty = ty.display(ctx);
            let error = op_error(op, format!("{what} {index} must be a tensor, but is {ty}"));
            diags.emit(error.suggest(format!("a single number is a tensor without axes: tensor<[], {ty}>")));
        }
        let Some(attrs) = attrs else { continue };
        if attrs.len() != types.len() {
            let message = format!("'{key}' must have a dictionary for each of the {} {what}s", types.len());
            diags.emit(op_error(op, message));
            continue;
        }
        for (index, (dict, &ty)) in attrs.iter().zip(types.iter()).enumerate() {
            let align = ctx.dict_get(*dict, ctx.intern_str("alignment"));
            let is_align = |align: Attr| {
                align.as_int(ctx).and_then(|align| u64::try_from(align).ok()).is_some_and(u64::is_power_of_two)
            };
            if let Some(align) = align.filter(|&align| !is_align(align)) {
                let error = op_error(op, format!("{what} {index}: 'alignment' is {}", align.display(ctx)));
                diags.emit(error.suggest("it counts bytes and is a power of two"));
            }
            let said = ctx.dict_get(*dict, ctx.intern_str("layout"));
            let (Some(said), Some(tensor)) = (said, Tensor::of(ctx, ty)) else { continue };
            if let Err(why) = said_layout(ctx, said, tensor, &declared, what == "result") {
                diags.emit(op_error(op, format!("the layout of {what} {index} is {}: {why}", said.display(ctx))));
            }
        }
    }
}

/// The layout that a signature says of a tensor, in these symbols; otherwise one sentence that says why there is none. No
/// two elements of a result lie in one place.
pub fn said_layout(
    ctx: &Context,
    said: Attr,
    tensor: Tensor,
    declared: &[&str],
    is_result: bool,
) -> Result<Layout, String> {
    let (dims, elem) = (tensor.dims(ctx), tensor.elem(ctx));
    let layout = Layout::said(ctx, said, &dims)?;
    let memref = MemRef::get(ctx, dims, elem, layout.clone(), 1, false);
    if let Some(symbol) = undeclared_symbol(ctx, memref, declared) {
        return Err(format!("it names {symbol}, which is not declared"));
    }
    let Some(memref) = MemRef::of(ctx, memref) else { return Ok(layout) };
    match memref.misplaced(ctx) {
        Some(why) => Err(format!("it {why}")),
        None if is_result && memref.collides(ctx) => Err("two elements of it lie in one place".into()),
        None => Ok(layout),
    }
}

/// The first symbol in the sizes of a type, or in its strides, that is not among those declared.
pub fn undeclared_symbol(ctx: &Context, ty: Type, declared: &[&str]) -> Option<String> {
    symbol_not_in(ctx, ty, &|symbol| declared.contains(&symbol))
}

fn symbol_not_in(ctx: &Context, ty: Type, is_declared: &dyn Fn(&str) -> bool) -> Option<String> {
    let memref = MemRef::of(ctx, ty);
    if let Some(Layout::Strided { strides, offset }) = memref.map(|ty| ty.layout(ctx)) {
        let mut symbols = strides.iter().chain([&offset]).flat_map(SizeExpr::symbols);
        if let Some(symbol) = symbols.find(|symbol| !is_declared(symbol)) {
            return Some(symbol.to_string());
        }
    }
    let params = memref.map(|ty| ty.params(ctx)).or_else(|| Some(Tensor::of(ctx, ty)?.params(ctx)))?;
    let dims = params.first()?.as_array(ctx)?;
    // Constants, which are most, need no parsing.
    let symbolic = dims.iter().filter(|&&dim| matches!(ctx.attr_data(dim), AttrData::String(_)));
    let sizes = symbolic.filter_map(|dim| SizeExpr::parse(dim.as_str(ctx)?).ok());
    let mut symbols = sizes.flat_map(|size| size.symbols());
    symbols.find(|symbol| !is_declared(symbol)).map(|symbol| symbol.to_string())
}

/// The symbols of the types of a block's values, arguments first, in the order in which they appear.
pub fn symbols(ctx: &Context, body: &Body, block: BlockId) -> Vec<String> {
    let results = body.ops(block).flat_map(|op| body.results(op));
    let values = body.args(block).iter().copied().chain(results);
    let (mut symbols, mut known, mut last): (Vec<String>, HashSet<String>, _) = (Vec::new(), HashSet::new(), None);
    for ty in values.map(|value| body.value_type(value)) {
        // Neighbours often have one type, and its sizes need to be read once.
        if last.replace(ty) == Some(ty) {
            continue;
        }
        let dims = Tensor::of(ctx, ty).map_or_else(Vec::new, |ty| ty.dims(ctx));
        for symbol in dims.iter().flat_map(SizeExpr::symbols) {
            if !known.contains(&*symbol) {
                known.insert(symbol.to_string());
                symbols.push(symbol.to_string());
            }
        }
    }
    symbols
}

/// The rules of a function of tensors: no symbol is declared twice, every symbol in a type of its signature or of a
/// result is declared, and its body is one block. `what` it is, for messages: `function`, `graph`.
///
/// Whether the signature is right, so that it makes sense to look further.
pub fn verify_function(op: OpRef<'_>, what: &str, diags: &Diagnostics) -> bool {
    let ctx = op.ctx;
    let declared = op.prop(Str::SYMBOLS).and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    let distinct: HashSet<&str> = declared.iter().copied().collect();
    let is_declared = |symbol: &str| distinct.contains(symbol);
    if distinct.len() != declared.len() {
        diags.emit(op_error(op, "a symbol is declared twice"));
    }
    let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if let Some(symbol) = declared.iter().find(|symbol| !is_word(symbol)) {
        let error = op_error(op, format!("'{symbol}' is no name for a symbol"));
        diags.emit(error.suggest("letters, digits and '_' name one, as layers below take it for the name of an axis"));
        return false;
    }
    let ty = op.prop(Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(ctx));
    let Some(TypeData::Function { inputs, results }) = ty.map(|ty| ctx.type_data(ty)) else { return false };
    for &ty in inputs.iter().chain(results.iter()) {
        if let Some(symbol) = symbol_not_in(ctx, ty, &is_declared) {
            let name = op.symbol_name().unwrap_or_default();
            let error = op_error(op, format!("the symbol '{symbol}' is not declared"));
            diags.emit(error.suggest(format!("declare it after the name: @{name}<{symbol}>")));
            return false;
        }
    }
    let root = op.resolve();
    if root.regions().first().is_some_and(|&body| root.body.blocks(body).nth(1).is_some()) {
        diags.emit(op_error(op, format!("a {what} of tensors has no branches: one block")));
    }
    let mut known = HashSet::new();
    for inner in root.body.walk() {
        let inner = OpRef { id: inner, ..root };
        // Types repeat, and each is looked at once.
        for ty in inner.result_types().filter(|&ty| known.insert(ty)) {
            if let Some(symbol) = symbol_not_in(ctx, ty, &is_declared) {
                let message = format!("the symbol '{symbol}' is not declared by the {what}");
                diags.emit(op_error(inner, message).note(op.loc(), format!("the {what} is here")));
            }
        }
    }
    true
}
