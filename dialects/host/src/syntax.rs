//! How launches are written.

use dlc_core::guard::parse_guard;
use dlc_core::sizes::parse_expr;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, SYNTAX, Token};

use crate::choice::{Choice, Choices, Cost, Offsets, Rates};
use crate::ops::Launch;

/// `@f<M, 2*K> cost (tiles: M, ..) where (M mod 8 == 0)`, where the sizes may be left out with their brackets, and so may cost
/// and condition.
fn parse_kernel(p: &mut Parser<'_>) -> ParseResult<Choice> {
    let callee = p.parse_symbol_path()?;
    let sizes = match p.token() {
        Token::Less => p.list(Token::Less, Token::Greater, |p| parse_expr(p, &[Token::Comma, Token::Greater]))?,
        _ => Vec::new(),
    };
    let cost = if p.eat_word("cost") { Some(parse_cost(p)?) } else { None };
    let condition = if p.eat_word("where") { Some(parse_guard(p)?) } else { None };
    Ok(Choice { callee, sizes, cost, condition })
}

/// `(tiles: M ceildiv 64, steps: K ceildiv 64, bytes: 2*K*M, launch: 3500, tile: 748, step: 306, wait: 0,
/// gbps: 4400, sms: 132, blocks: 1)`
fn parse_cost(p: &mut Parser<'_>) -> ParseResult<Cost> {
    p.expect(Token::LParen)?;
    let mut exprs = Vec::new();
    for name in Cost::NAMES {
        p.expect_word(name)?;
        p.expect(Token::Colon)?;
        exprs.push(parse_expr(p, &[Token::Comma])?);
        p.expect(Token::Comma)?;
    }
    let mut numbers = [0; Rates::NAMES.len()];
    for (at, name) in Rates::NAMES.into_iter().enumerate() {
        if at > 0 {
            p.expect(Token::Comma)?;
        }
        p.expect_word(name)?;
        p.expect(Token::Colon)?;
        numbers[at] = p.integer()?;
    }
    let Some(rates) = Rates::of(numbers) else {
        let message = "times are not negative, and 'gbps', 'sms' and 'blocks' are at least 1";
        return Err(p.fail(p.error(&SYNTAX, message)));
    };
    p.expect(Token::RParen)?;
    match <[SizeExpr; 3]>::try_from(exprs) {
        Ok([tiles, steps, bytes]) => Ok(Cost { tiles, steps, bytes, rates }),
        Err(_) => unreachable!("there is an expression for each name"),
    }
}

/// `@fast<M> cost (..), @even<M> cost (..) where (M mod 8 == 0) else @slow<M> (%x, %y) at [0, *] {..} : memref<..>, ..`
pub fn parse_launch(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let mut choices = vec![parse_kernel(p)?];
    while p.token() != Token::LParen {
        // Between kernels that are compared stands a comma.
        let is_compared = p.eat(Token::Comma);
        if !is_compared {
            p.expect_word("else")?;
        }
        let choice = parse_kernel(p)?;
        let have_costs = choice.cost.is_some() && choices.last().is_some_and(|last| last.cost.is_some());
        if is_compared != have_costs {
            let message = match is_compared {
                true => "a comma stands between kernels that have a cost each",
                false => "a comma and not 'else' stands between kernels that have a cost each",
            };
            return Err(p.fail(p.error(&SYNTAX, message)));
        }
        choices.push(choice);
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
    // A kernel that gives nothing has no types after it.
    if p.token() == Token::Colon { p.result_types() } else { Ok(()) }
}

/// Writes what [`parse_launch`] reads.
pub fn print_launch(p: &mut OpPrinter<'_, '_>) {
    let op = Launch::from(p.op);
    let choices = op.choices();
    for (index, choice) in choices.iter().enumerate() {
        let has_cost = |at: usize| choices[at].cost.is_some();
        p.write(match index {
            0 => " ",
            _ if has_cost(index - 1) && has_cost(index) => ", ",
            _ => " else ",
        });
        p.attr(choice.callee);
        if !choice.sizes.is_empty() {
            p.write("<");
            p.list(&choice.sizes, |p, size| p.write(&size.to_string()));
            p.write(">");
        }
        if let Some(cost) = &choice.cost {
            let exprs = Cost::NAMES.into_iter().zip(cost.exprs().map(SizeExpr::to_string));
            let numbers = Rates::NAMES.into_iter().zip(cost.rates.numbers().map(|number| number.to_string()));
            let all: Vec<String> = exprs.chain(numbers).map(|(name, value)| format!("{name}: {value}")).collect();
            p.write(&format!(" cost ({})", all.join(", ")));
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
