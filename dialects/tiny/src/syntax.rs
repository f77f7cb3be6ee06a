//! How ops are written whose syntax no format describes.

use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, Container, DenseData, integer_fits};
use dlc_ir::diag::Diagnostic;
use dlc_ir::float;
use dlc_ir::text::{BAD_LITERAL, OpParser, OpPrinter, ParseResult, Token};
use dlc_ir::{Context, Type};

use crate::ops::Const;

/// The type of a tensor with the elements of a dense attribute. `None` for the elements of a vector.
pub fn dense_type(ctx: &Context, dense: &DenseData<'_>) -> Option<Type> {
    // A size beyond 63 bits is refused by the verifier: no such tensor could be written.
    let dims = dense.shape.iter().map(|&size| SizeExpr::from(i64::try_from(size).unwrap_or(i64::MAX))).collect();
    (dense.container == Container::Tensor).then(|| Tensor::get(ctx, dims, dense.elem))
}

/// `-0.5 {..} : tensor<..>`: the number takes its type from the elements of the tensor. Or `dense<..> : tensor<2xf32>`,
/// which has the type in it.
pub fn parse_const(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let (ctx, start) = (p.ctx, p.loc());
    if p.token() == Token::Word && p.text().starts_with("dense") {
        let value = p.parse_attr()?;
        let ty = match ctx.attr_data(value) {
            AttrData::Dense(dense) => dense_type(ctx, dense),
            _ => None,
        };
        let Some(ty) = ty else {
            let error = Diagnostic::error(&BAD_LITERAL, start, "the constant is no dense tensor of numbers");
            return Err(p.fail(error));
        };
        p.set_prop("value", value);
        p.attr_dict()?;
        p.state.results.push(ty);
        return Ok(());
    }
    let negative = p.eat(Token::Minus);
    let (token, text) = (p.token(), p.text());
    if !matches!(token, Token::Integer | Token::Float | Token::Hex) {
        return p.expected("a number");
    }
    p.advance();
    p.attr_dict()?;
    p.result_types()?;
    let Some(elem) = p.state.results.first().and_then(|&ty| Tensor::of(ctx, ty)).map(|ty| ty.elem(ctx)) else {
        let error = Diagnostic::error(&BAD_LITERAL, start, "the type of a constant must be a tensor");
        return Err(p.fail(error));
    };
    let sign = if negative { -1 } else { 1 };
    let value = match (elem.float_kind(ctx), token) {
        (Some(_), Token::Hex) if !negative => {
            // The bits, which is how infinities are written.
            let bits = u64::from_str_radix(&text[2..], 16).ok();
            let fits = bits.filter(|bits| elem.bits(ctx).is_some_and(|width| width == 64 || bits >> width == 0));
            fits.map(|bits| AttrData::Float { ty: elem, bits })
        }
        (Some(kind), Token::Integer | Token::Float) => {
            let value = text.parse::<f64>().ok().map(|value| value * f64::from(sign));
            value.map(|value| AttrData::Float { ty: elem, bits: float::encode(value, kind) })
        }
        (None, Token::Integer) => {
            // With its sign: the lowest integer has no positive counterpart.
            let value = if negative { format!("-{text}").parse::<i128>() } else { text.parse::<i128>() }.ok();
            let fits = value.filter(|&value| integer_fits(value, ctx.type_data(elem)));
            fits.map(|value| AttrData::Integer { ty: elem, value })
        }
        _ => None,
    };
    let Some(value) = value else {
        let message = format!("the number does not fit the type {}", elem.display(ctx));
        return Err(p.fail(Diagnostic::error(&BAD_LITERAL, start, message)));
    };
    let value = match value {
        AttrData::Integer { ty, value } => ctx.int_attr(value, ty),
        other => ctx.attr(other),
    };
    p.set_prop("value", value);
    Ok(())
}

/// Writes what [`parse_const`] reads.
pub fn print_const(p: &mut OpPrinter<'_, '_>) {
    let ctx = p.ctx;
    let value = Const::from(p.op).value();
    p.write(" ");
    match ctx.attr_data(value) {
        AttrData::Dense(_) => {
            p.attr(value);
            return p.attr_dict(&|key| key == "value");
        }
        AttrData::Float { ty, bits } => p.float(*bits, *ty),
        // `true` and `false` are written as numbers: the type stands behind.
        AttrData::Integer { value, .. } => p.integer(*value, Type::I64),
        _ => {}
    }
    p.attr_dict(&|key| key == "value");
    p.result_types();
}
