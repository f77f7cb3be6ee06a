//! How ops are written whose syntax no format describes, and the types of results that can be left out.

use dlc_ir::Type;
use dlc_ir::define::{IntArray, Kind};
use dlc_ir::op::{InferCx, Inferred};
use dlc_ir::smallvec::smallvec;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Token};

use crate::ops::Sum;
use crate::types::{BoxType, Buffer};

/// `%a - %b + %c {..} : type`; a sign may stand before the first term.
pub fn parse_sum(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut signs = Vec::new();
    let mut negative = p.eat(Token::Minus);
    loop {
        p.operand()?;
        signs.push(if negative { -1 } else { 1 });
        match p.token() {
            Token::Plus => negative = false,
            Token::Minus => negative = true,
            _ => break,
        }
        p.advance();
    }
    let signs = IntArray::make(p.ctx, signs);
    p.set_prop("signs", signs);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_sum`] reads.
pub fn print_sum(p: &mut OpPrinter<'_, '_>) {
    for (index, sign) in Sum::from(p.op).signs().into_iter().enumerate() {
        p.write(match (index, sign < 0) {
            (0, false) => " ",
            (0, true) => " -",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        p.operand(index);
    }
    p.attr_dict(&|key| key == "signs");
    p.result_types();
}

fn operand(cx: &InferCx<'_>, index: usize) -> Result<Type, String> {
    cx.operand_type(index).ok_or_else(|| format!("there is no operand {index} to infer the type of the result from"))
}

/// Both results have the type of the operands.
pub fn infer_divmod(cx: &InferCx<'_>) -> Inferred {
    let ty = operand(cx, 0)?;
    Ok(smallvec![ty, ty])
}

/// A comparison gives `i1`.
pub fn infer_bool(_: &InferCx<'_>) -> Inferred {
    Ok(smallvec![Type::I1])
}

/// The result has the type of the values that are selected from.
pub fn infer_select(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![operand(cx, 1)?])
}

/// A box of the type of its content.
pub fn infer_box(cx: &InferCx<'_>) -> Inferred {
    Ok(smallvec![BoxType::get(cx.ctx, operand(cx, 0)?)])
}

/// The content of a box.
pub fn infer_unbox(cx: &InferCx<'_>) -> Inferred {
    match BoxType::of(cx.ctx, operand(cx, 0)?) {
        Some(ty) => Ok(smallvec![ty.content(cx.ctx)]),
        None => Err("the operand is no box".into()),
    }
}

/// The element of a buffer.
pub fn infer_load(cx: &InferCx<'_>) -> Inferred {
    match Buffer::of(cx.ctx, operand(cx, 0)?) {
        Some(ty) => Ok(smallvec![ty.elem(cx.ctx)]),
        None => Err("the operand is no buffer".into()),
    }
}

/// A loop gives what it carries.
pub fn infer_loop(cx: &InferCx<'_>) -> Inferred {
    Ok(cx.operands.iter().skip(3).map(|&value| cx.body.value_type(value)).collect())
}
