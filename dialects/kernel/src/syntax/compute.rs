//! Selections, reductions and matrix products.

use dlc_core::guard::parse_guard;
use dlc_core::precision::Precision;
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::print_expression;
use dlc_ir::Attr;
use dlc_ir::define::Kind;
use dlc_ir::define::Text;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Token};

use super::{Groups, parse_position, print_exprs, print_staged, set_exprs, set_guard};
use crate::ops::{Extract, Reduce, Scan, Select, Wgmma};

/// `%c, %a, %b : ..`, or `where (..) then %a else %b : ..`
pub fn parse_select(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    if p.eat_word("where") {
        let guard = groups.read(p, |p| p.expressions(parse_guard))?;
        set_guard(p, Some(guard));
        groups.none();
        p.expect_word("then")?;
        groups.one(p)?;
        p.expect_word("else")?;
    } else {
        groups.none();
        groups.one(p)?;
        p.expect(Token::Comma)?;
        groups.one(p)?;
        p.expect(Token::Comma)?;
    }
    groups.one(p)?;
    groups.set(p);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_select`] reads.
pub fn print_select(p: &mut OpPrinter<'_, '_>) {
    let op = Select::from(p.op);
    let count = p.op.operands().len();
    match op.guard() {
        Some(guard) => {
            p.write(" where ");
            print_expression(p, &guard.to_string(), 0);
            p.write(" then ");
            p.operand(count - 2);
            p.write(" else ");
            p.operand(count - 1);
        }
        None => {
            p.write(" ");
            p.operands(0..count);
        }
    }
    p.attr_dict(&|key| key == "guard");
    p.result_types();
}

/// `%c at [0, 64 * %j] : frag<..>`
pub fn parse_extract(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.operand()?;
    p.expect_word("at")?;
    let at = p.expressions(parse_position)?;
    set_exprs(p, "at", at);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_extract`] reads.
pub fn print_extract(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    p.operand(0);
    p.write(" at [");
    print_exprs(p, &Extract::from(p.op).at(), 1);
    p.write("]");
    p.attr_dict(&|key| key == "at");
    p.result_types();
}

/// `max %x along 1 through %s : frag<..>`
pub fn parse_reduce(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let combiner = p.one_of("combiner", Combiner::WORDS)?;
    p.set_prop("combiner", Text::make(p.ctx, combiner));
    p.operand()?;
    p.expect_word("along")?;
    let axis = p.integer()?;
    let axis = p.ctx.i64_attr(axis);
    p.set_prop("axis", axis);
    if p.eat_word("through") {
        p.operand()?;
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_reduce`] reads.
pub fn print_reduce(p: &mut OpPrinter<'_, '_>) {
    let op = Reduce::from(p.op);
    p.write(&format!(" {} ", op.combiner().word()));
    p.operand(0);
    p.write(&format!(" along {}", op.axis()));
    if op.through().is_some() {
        p.write(" through ");
        p.operand(1);
    }
    p.attr_dict(&|key| matches!(key, "combiner" | "axis"));
    p.result_types();
}

/// `sum %x from %before along 1 exclusive reverse through %s : frag<..>, frag<..>`, or `linear %a, %b from ..`
pub fn parse_scan(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    let combiner = p.one_of("combiner", ScanCombiner::WORDS)?;
    p.set_prop("combiner", Text::make(p.ctx, combiner));
    groups.read(p, |p| {
        p.operand()?;
        while p.eat(Token::Comma) {
            p.operand()?;
        }
        Ok(())
    })?;
    p.expect_word("from")?;
    groups.one(p)?;
    p.expect_word("along")?;
    let axis = p.integer()?;
    let axis = p.ctx.i64_attr(axis);
    p.set_prop("axis", axis);
    for word in ["exclusive", "reverse"] {
        if p.eat_word(word) {
            p.set_prop(word, Attr::UNIT);
        }
    }
    match p.eat_word("through") {
        true => groups.one(p)?,
        false => groups.none(),
    }
    groups.set(p);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_scan`] reads.
pub fn print_scan(p: &mut OpPrinter<'_, '_>) {
    let op = Scan::from(p.op);
    p.write(&format!(" {} ", op.combiner().word()));
    let count = op.inputs().len();
    p.operands(0..count);
    p.write(" from ");
    p.operand(count);
    p.write(&format!(" along {}", op.axis()));
    p.write(if op.exclusive().is_some() { " exclusive" } else { "" });
    p.write(if op.reverse().is_some() { " reverse" } else { "" });
    if op.through().is_some() {
        p.write(" through ");
        p.operand(count + 1);
    }
    p.attr_dict(&|key| matches!(key, "combiner" | "axis" | "exclusive" | "reverse"));
    p.result_types();
}

/// `%sA[%s] transposed, %sB[%s] transposed, %c : frag<..>, token<compute>`
pub fn parse_wgmma(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    for key in ["lhs_transposed", "rhs_transposed"] {
        groups.staged(p)?;
        if p.eat_word("transposed") {
            p.set_prop(key, Attr::UNIT);
        }
        p.expect(Token::Comma)?;
    }
    groups.one(p)?;
    groups.set(p);
    if p.eat_word("as") {
        let precision = p.one_of("precision", Precision::WORDS)?;
        p.set_prop("precision", Text::make(p.ctx, precision));
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_wgmma`] reads.
pub fn print_wgmma(p: &mut OpPrinter<'_, '_>) {
    let op = Wgmma::from(p.op);
    let (lhs, rhs) = (op.lhs_stage().is_some(), op.rhs_stage().is_some());
    p.write(" ");
    print_staged(p, 0, lhs);
    p.write(if op.lhs_transposed().is_some() { " transposed, " } else { ", " });
    print_staged(p, 1 + usize::from(lhs), rhs);
    p.write(if op.rhs_transposed().is_some() { " transposed, " } else { ", " });
    p.operand(p.op.operands().len() - 1);
    if let Some(precision) = op.precision() {
        p.write(" as ");
        p.write(precision.word());
    }
    p.attr_dict(&|key| matches!(key, "lhs_transposed" | "rhs_transposed" | "precision"));
    p.result_types();
}
