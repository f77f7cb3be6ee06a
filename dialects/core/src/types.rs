//! The types of tensors.

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{TypeAttr, ty};
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::text::{ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, BlockId, Body, Context, Type};

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

/// The first symbol in the sizes of a type that is not among those declared.
pub fn undeclared_symbol(ctx: &Context, ty: Type, declared: &[&str]) -> Option<String> {
    let dims = Tensor::of(ctx, ty)?.params(ctx).first()?.as_array(ctx)?;
    // Constants, which are most, need no parsing.
    let symbolic = dims.iter().filter(|&&dim| matches!(ctx.attr_data(dim), AttrData::String(_)));
    let sizes = symbolic.filter_map(|dim| SizeExpr::parse(dim.as_str(ctx)?).ok());
    let mut symbols = sizes.flat_map(|size| size.symbols());
    symbols.find(|symbol| !declared.contains(&&**symbol)).map(|symbol| symbol.to_string())
}

/// The symbols of the types of a block's values, arguments first, in the order in which they appear.
pub fn symbols(ctx: &Context, body: &Body, block: BlockId) -> Vec<String> {
    let results = body.ops(block).flat_map(|op| body.results(op));
    let values = body.args(block).iter().copied().chain(results);
    let (mut symbols, mut last): (Vec<String>, _) = (Vec::new(), None);
    for ty in values.map(|value| body.value_type(value)) {
        // Neighbours often have one type, and its sizes need to be read once.
        if last.replace(ty) == Some(ty) {
            continue;
        }
        let dims = Tensor::of(ctx, ty).map_or_else(Vec::new, |ty| ty.dims(ctx));
        for symbol in dims.iter().flat_map(SizeExpr::symbols) {
            if !symbols.iter().any(|known| **known == *symbol) {
                symbols.push(symbol.to_string());
            }
        }
    }
    symbols
}
