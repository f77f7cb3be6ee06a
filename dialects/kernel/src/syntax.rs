//! How the ops are written whose syntax no format describes. In expressions stand the symbols of the kernel, values, and
//! `i0`, `i1`, .. for the position in a fragment or tile.

pub mod compute;
pub mod flags;
pub mod frame;
pub mod memory;

use dlc_core::guard::Guard;
use dlc_core::sizes::{Exprs, parse_expr, print_expression};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, Token};

/// How many operands each group has, for ops with several groups whose sizes vary.
#[derive(Default)]
struct Groups(Vec<i32>);

impl Groups {
    /// Reads the operands of the next group.
    fn read<T>(
        &mut self,
        p: &mut OpParser<'_, '_>,
        read: impl FnOnce(&mut OpParser<'_, '_>) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let before = p.state.operands.len();
        let value = read(p)?;
        self.0.push((p.state.operands.len() - before) as i32);
        Ok(value)
    }

    /// One operand.
    fn one(&mut self, p: &mut OpParser<'_, '_>) -> ParseResult<()> {
        self.read(p, |p| p.operand().map(|_| ()))
    }

    /// A group that is left out.
    fn none(&mut self) {
        self.0.push(0);
    }

    /// `%tile[%stage]`: a group for each, the second of which may be empty.
    fn staged(&mut self, p: &mut OpParser<'_, '_>) -> ParseResult<()> {
        self.one(p)?;
        self.read(p, |p| {
            if p.eat(Token::LBracket) {
                p.operand()?;
                p.expect(Token::RBracket)?;
            }
            Ok(())
        })
    }

    fn set(self, p: &mut OpParser<'_, '_>) {
        let sizes = p.ctx.i32_array(&self.0);
        p.set_prop("operandSegmentSizes", sizes);
    }
}

/// Writes operands as [`Groups::staged`] reads them.
fn print_staged(p: &mut OpPrinter<'_, '_>, index: usize, staged: bool) {
    p.operand(index);
    if staged {
        p.write("[");
        p.operand(index + 1);
        p.write("]");
    }
}

/// `[a, b]`
fn parse_position(p: &mut Parser<'_>) -> ParseResult<Vec<SizeExpr>> {
    let at = p.list(Token::LBracket, Token::RBracket, |p| parse_expr(p, &[Token::Comma, Token::RBracket]))?;
    Ok(at.into_iter().collect())
}

/// `(a, b)`
fn parse_tuple(p: &mut Parser<'_>) -> ParseResult<Vec<SizeExpr>> {
    let at = p.list(Token::LParen, Token::RParen, |p| parse_expr(p, &[Token::Comma, Token::RParen]))?;
    Ok(at.into_iter().collect())
}

fn set_exprs(p: &mut OpParser<'_, '_>, key: &str, exprs: Vec<SizeExpr>) {
    let exprs = Exprs::make(p.ctx, exprs);
    p.set_prop(key, exprs);
}

fn set_guard(p: &mut OpParser<'_, '_>, guard: Option<Guard>) {
    if let Some(guard) = guard {
        let guard = Guard::make(p.ctx, guard);
        p.set_prop("guard", guard);
    }
}

/// Writes expressions with commas between them, `_0` being the operand `first`.
fn print_exprs(p: &mut OpPrinter<'_, '_>, exprs: &[SizeExpr], first: usize) {
    for (index, expr) in exprs.iter().enumerate() {
        p.write(if index > 0 { ", " } else { "" });
        print_expression(p, &expr.to_string(), first);
    }
}
