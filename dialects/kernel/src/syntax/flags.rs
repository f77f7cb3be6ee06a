//! Tickets, releases, acquires.

use dlc_ir::affine::SizeExpr;
use dlc_ir::text::{OpParser, OpPrinter, ParseResult};

use super::{parse_position, print_exprs, set_exprs};
use crate::ops::{Acquire, Release, Ticket};

/// `%flags[%t, 0]`
fn parse_flag(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.operand()?;
    let at = p.expressions(parse_position)?;
    set_exprs(p, "at", at);
    Ok(())
}

fn print_flag(p: &mut OpPrinter<'_, '_>, at: &[SizeExpr]) {
    p.operand(0);
    p.write("[");
    print_exprs(p, at, 1);
    p.write("]");
}

fn parse_value(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let value = p.integer()?;
    let value = p.ctx.i64_attr(value);
    p.set_prop("value", value);
    Ok(())
}

/// `%order[%n]`
pub fn parse_ticket(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    parse_flag(p)?;
    p.attr_dict()?;
    p.infer_results()
}

/// Writes what [`parse_ticket`] reads.
pub fn print_ticket(p: &mut OpPrinter<'_, '_>) {
    p.write(" ");
    print_flag(p, &Ticket::from(p.op).at());
    p.attr_dict(&|key| key == "at");
}

/// `1 to %ready[%t]`
pub fn parse_release(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    parse_value(p)?;
    p.expect_word("to")?;
    parse_flag(p)?;
    p.attr_dict()
}

/// Writes what [`parse_release`] reads.
pub fn print_release(p: &mut OpPrinter<'_, '_>) {
    let op = Release::from(p.op);
    p.write(&format!(" {} to ", op.value()));
    print_flag(p, &op.at());
    p.attr_dict(&|key| matches!(key, "at" | "value"));
}

/// `%ready[%t - 1] until 1`
pub fn parse_acquire(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    parse_flag(p)?;
    p.expect_word("until")?;
    parse_value(p)?;
    p.attr_dict()?;
    p.infer_results()
}

/// Writes what [`parse_acquire`] reads.
pub fn print_acquire(p: &mut OpPrinter<'_, '_>) {
    let op = Acquire::from(p.op);
    p.write(" ");
    print_flag(p, &op.at());
    p.write(&format!(" until {}", op.value()));
    p.attr_dict(&|key| matches!(key, "at" | "value"));
}
