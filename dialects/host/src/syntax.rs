//! How launches are written.

use dlc_core::guard::parse_guard;
use dlc_core::sizes::parse_expr;
use dlc_ir::define::Kind;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, Token};

use crate::choice::{Choice, Choices, Offsets};
use crate::ops::Launch;

/// `@f<M, 2*K>`, where the sizes may be left out with their brackets.
fn parse_kernel(p: &mut Parser<'_>) -> ParseResult<Choice> {
    let callee = p.parse_symbol_path()?;
    let sizes = match p.token() {
        Token::Less => p.list(Token::Less, Token::Greater, |p| parse_expr(p, &[Token::Comma, Token::Greater]))?,
        _ => Vec::new(),
    };
    Ok(Choice { callee, sizes, condition: None })
}

/// `@fast<M> where (M mod 8 == 0) else @slow<M> (%x, %y) at [0, *] {..} : memref<..>, memref<..>`
pub fn parse_launch(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let mut choices = vec![parse_kernel(p)?];
    while p.eat_word("where") {
        let condition = parse_guard(p)?;
        if let Some(last) = choices.last_mut() {
            last.condition = Some(condition);
        }
        p.expect_word("else")?;
        choices.push(parse_kernel(p)?);
    }
    p.set_prop("choices", Choices::make(ctx, choices));
    p.expect(Token::LParen)?;
    while p.token() != Token::RParen {
        p.operand()?;
        if !p.eat(Token::Comma) {
            break;
        }
    }
    p.expect(Token::RParen)?;
    if p.eat_word("at") {
        let offsets = p.list(Token::LBracket, Token::RBracket, |p| match p.eat(Token::Star) {
            true => Ok(None),
            false => parse_expr(p, &[Token::Comma, Token::RBracket]).map(Some),
        })?;
        p.set_prop("offsets", Offsets::make(ctx, offsets));
    }
    p.attr_dict()?;
    // A kernel that gives nothing has no types behind it.
    if p.token() == Token::Colon { p.result_types() } else { Ok(()) }
}

/// Writes what [`parse_launch`] reads.
pub fn print_launch(p: &mut OpPrinter<'_, '_>) {
    let op = Launch::from(p.op);
    for (index, choice) in op.choices().iter().enumerate() {
        p.write(if index > 0 { " else " } else { " " });
        p.attr(choice.callee);
        if !choice.sizes.is_empty() {
            p.write("<");
            p.list(&choice.sizes, |p, size| p.write(&size.to_string()));
            p.write(">");
        }
        if let Some(condition) = &choice.condition {
            p.write(&format!(" where {condition}"));
        }
    }
    p.write(" (");
    p.operands(0..p.op.operands().len());
    p.write(")");
    if let Some(offsets) = op.offsets() {
        p.write(" at [");
        p.list(&offsets, |p, offset| match offset {
            Some(offset) => p.write(&offset.to_string()),
            None => p.write("*"),
        });
        p.write("]");
    }
    p.attr_dict(&|key| matches!(key, "choices" | "offsets"));
    p.result_types();
}
