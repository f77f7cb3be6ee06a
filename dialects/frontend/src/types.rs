//! The kinds of attributes that only graphs have.

use dlc_core::types::Tensor;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{ParseResult, Parser, Token};
use dlc_ir::{Attr, Context, Type};

/// A list of types of elements.
pub struct ElemTypes;

impl Kind for ElemTypes {
    type Value<'a> = Vec<Type>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "an array of types of integers or floats",
        admits: |ctx, attr| {
            ElemTypes::get(ctx, attr).is_some_and(|types| types.iter().all(|ty| ty.bits(ctx).is_some()))
        },
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Type>> {
        attr.as_array(ctx)?.iter().map(|item| item.as_type(ctx)).collect()
    }
    fn make(ctx: &Context, types: Vec<Type>) -> Attr {
        let items: Vec<Attr> = types.into_iter().map(|ty| ctx.type_attr(ty)).collect();
        ctx.array_attr(&items)
    }
}

/// A real number: an `f64`, written as a decimal number or an integer, `inf`, `-inf` or `nan`.
pub struct Real;

impl Kind for Real {
    type Value<'a> = f64;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a 64-bit float",
        admits: |ctx, attr| attr.value_type(ctx) == Some(Type::F64),
        parse: Some(parse_real),
        print: Some(|p, attr| p.write(&show_real(Real::get(p.ctx, attr).unwrap_or_default()))),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<f64> {
        match ctx.attr_data(attr) {
            AttrData::Float { ty: Type::F64, bits } => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }
    fn make(ctx: &Context, value: f64) -> Attr {
        ctx.attr(AttrData::Float { ty: Type::F64, bits: value.to_bits() })
    }
}

fn parse_real(p: &mut Parser<'_>) -> ParseResult<Attr> {
    let sign = if p.eat(Token::Minus) { -1.0 } else { 1.0 };
    let value = match (p.token(), p.text()) {
        (Token::Integer | Token::Float, text) => text.parse().ok(),
        (Token::Word, "inf") => Some(f64::INFINITY),
        (Token::Word, "nan") => Some(f64::NAN),
        _ => None,
    };
    let Some(value) = value else { return p.expected("a number, such as 0.5") };
    p.advance();
    Ok(Real::make(p.ctx, sign * value))
}

/// The fewest digits that read back as the number, in the spelling of the text: `1.0e-5`.
fn show_real(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

fn elem(ctx: &Context, ty: Type) -> Option<Type> {
    Tensor::of(ctx, ty).map(|ty| ty.elem(ctx))
}

dlc_ir::constraints! {
    /// A tensor of floats.
    pub FloatTensor = "a tensor of floats", |ctx, ty| {
        Tensor::of(ctx, ty).is_some_and(|ty| ty.elem(ctx).float_kind(ctx).is_some())
    };
    /// A tensor of integers; `i1` is one.
    pub IntegerTensor = "a tensor of integers", |ctx, ty| {
        elem(ctx, ty).is_some_and(|elem| elem == Type::INDEX || elem.is_integer(ctx))
    };
    /// A tensor of truth values.
    pub BoolTensor = "a tensor of i1", |ctx, ty| elem(ctx, ty) == Some(Type::I1);
}
