//! How ops are written whose syntax no format describes.

use dlc_core::types::Tensor;
use dlc_ir::Type;
use dlc_ir::define::Kind;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Token};

use crate::ops::Output;
use crate::types::ElemTypes;

/// `%x as f16, %y`. When a type is written after one value, the others have their own.
pub fn parse_output(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let mut elems: Vec<Option<Type>> = Vec::new();
    let mut own: Vec<Option<Type>> = Vec::new();
    while p.token() == Token::Value {
        let value = p.operand()?;
        own.push(Tensor::of(ctx, p.current_body().value_type(value)).map(|ty| ty.elem(ctx)));
        elems.push(if p.eat_word("as") { Some(p.parse_type()?) } else { None });
        if !p.eat(Token::Comma) {
            break;
        }
        if p.token() != Token::Value {
            return p.expected("a value");
        }
    }
    if elems.iter().any(Option::is_some) {
        // Of what is no tensor the verifier speaks.
        let elems = elems.iter().zip(own).map(|(elem, own)| elem.or(own).unwrap_or(Type::F32)).collect();
        p.set_prop("elems", ElemTypes::make(ctx, elems));
    }
    p.attr_dict()
}

/// Writes what [`parse_output`] reads.
pub fn print_output(p: &mut OpPrinter<'_, '_>) {
    let elems = Output::from(p.op).elems();
    for index in 0..p.op.operands().count() {
        p.write(if index == 0 { " " } else { ", " });
        p.operand(index);
        if let Some(&elem) = elems.iter().flatten().nth(index) {
            p.write(" as ");
            p.ty(elem);
        }
    }
    p.attr_dict(&|key| key == "elems");
}
