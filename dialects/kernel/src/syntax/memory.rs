//! Slices, loads, stores and copies.

use dlc_core::access::parse_condition;
use dlc_core::constant::print_number;
use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar::Combiner;
use dlc_core::sizes::print_expression;
use dlc_ir::define::{Kind, Text};
use dlc_ir::text::{OpParser, OpPrinter, ParseResult};
use dlc_ir::{Attr, Type, ValueId};

use super::{Groups, parse_position, parse_tuple, print_exprs, print_staged, set_exprs, set_guard};
use crate::layout::Distributed;
use crate::ops::{Copied, Hint, Load, Slice, Store, TmaLoad, TmaStore};

/// `%sQ[%s] at (64 * %g, 0) : tile<..>`
pub fn parse_slice(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    groups.staged(p)?;
    p.expect_word("at")?;
    let at = groups.read(p, |p| p.expressions(parse_tuple))?;
    groups.set(p);
    set_exprs(p, "at", at);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_slice`] reads.
pub fn print_slice(p: &mut OpPrinter<'_, '_>) {
    let op = Slice::from(p.op);
    let staged = op.stage().is_some();
    p.write(" ");
    print_staged(p, 0, staged);
    p.write(" at (");
    print_exprs(p, &op.at(), 1 + usize::from(staged));
    p.write(")");
    p.attr_dict(&|key| key == "at");
    p.result_types();
}

fn elem_of_memref(p: &OpParser<'_, '_>, memory: ValueId) -> Type {
    MemRef::of(p.ctx, p.current_body().value_type(memory)).map_or(Type::F32, |ty| ty.elem(p.ctx))
}

/// The memref and, after it, positions, a guard and what is outside of it.
fn parse_access(p: &mut OpParser<'_, '_>, groups: &mut Groups) -> ParseResult<()> {
    groups.one(p)?;
    let elem = p.state.operands.last().map_or(Type::F32, |&memory| elem_of_memref(p, memory));
    let (at, (guard, fill)) =
        groups.read(p, |p| p.expressions(|p| Ok((parse_position(p)?, parse_condition(p, elem)?))))?;
    set_exprs(p, "at", at);
    set_guard(p, guard);
    if let Some(fill) = fill {
        p.set_prop("fill", fill);
    }
    Ok(())
}

fn print_access(
    p: &mut OpPrinter<'_, '_>,
    memory: usize,
    at: &[dlc_ir::affine::SizeExpr],
    guard: Option<Guard>,
    fill: Option<Attr>,
) {
    p.operand(memory);
    p.write("[");
    print_exprs(p, at, memory + 1);
    p.write("]");
    if let Some(guard) = guard {
        p.write(" where ");
        print_expression(p, &guard.to_string(), memory + 1);
    }
    if let Some(fill) = fill {
        p.write(" else ");
        print_number(p, fill);
    }
}

/// `hint evict_first`
fn parse_hint(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if p.eat_word("hint") {
        let hint = p.one_of("a hint for the cache", Hint::WORDS)?;
        p.set_prop("hint", Text::make(p.ctx, hint));
    }
    Ok(())
}

fn print_hint(p: &mut OpPrinter<'_, '_>, hint: Option<Hint>) {
    if let Some(hint) = hint {
        p.write(&format!(" hint {}", hint.word()));
    }
}

/// `vector 4`
fn parse_vector(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if p.eat_word("vector") {
        let vector = p.integer()?;
        let vector = p.ctx.i64_attr(vector);
        p.set_prop("vector", vector);
    }
    Ok(())
}

fn print_vector(p: &mut OpPrinter<'_, '_>, vector: Option<i64>) {
    if let Some(vector) = vector {
        p.write(&format!(" vector {vector}"));
    }
}

/// `%X[%m0 + i0, i1] where (..) else 0.0 hint evict_first vector 4 : frag<..>`
pub fn parse_load(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    parse_access(p, &mut Groups::default())?;
    parse_hint(p)?;
    parse_vector(p)?;
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_load`] reads.
pub fn print_load(p: &mut OpPrinter<'_, '_>) {
    let op = Load::from(p.op);
    p.write(" ");
    print_access(p, 0, &op.at(), op.guard(), op.fill());
    print_hint(p, op.hint());
    print_vector(p, op.vector());
    p.attr_dict(&|key| matches!(key, "at" | "guard" | "fill" | "hint" | "vector"));
    p.result_types();
}

/// `%y to %Y[%m0 + i0, i1] where (..) vector 4`, or `combine sum %y to ..`
pub fn parse_store(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if p.eat_word("combine") {
        let combiner = p.one_of("combiner", Combiner::WORDS)?;
        p.set_prop("combine", Text::make(p.ctx, combiner));
    }
    p.operand()?;
    p.expect_word("to")?;
    parse_access(p, &mut Groups::default())?;
    parse_vector(p)?;
    p.attr_dict()
}

/// Writes what [`parse_store`] reads.
pub fn print_store(p: &mut OpPrinter<'_, '_>) {
    let op = Store::from(p.op);
    if let Some(combiner) = op.combine() {
        p.write(&format!(" combine {}", combiner.word()));
    }
    p.write(" ");
    p.operand(0);
    p.write(" to ");
    print_access(p, 1, &op.at(), op.guard(), None);
    print_vector(p, op.vector());
    p.attr_dict(&|key| matches!(key, "at" | "guard" | "combine" | "vector"));
}

/// `%X[%m0 + i0, %k + i1] where (..) to %sX[%s] by blocked .. vector 8`, and of `copy_async` `: token<load>`
pub fn parse_copy(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    parse_access(p, &mut groups)?;
    p.expect_word("to")?;
    groups.staged(p)?;
    groups.set(p);
    p.expect_word("by")?;
    let by = match Distributed::KIND.parse {
        Some(parse) => parse(p)?,
        None => return p.expected("a layout"),
    };
    p.set_prop("by", by);
    parse_vector(p)?;
    p.attr_dict()?;
    if p.def().results.is_empty() { Ok(()) } else { p.result_types() }
}

/// Writes what [`parse_copy`] reads.
pub fn print_copy(p: &mut OpPrinter<'_, '_>) {
    let Some(op) = Copied::of(p.op) else { return };
    p.write(" ");
    print_access(p, 0, &op.at, op.guard, op.fill);
    p.write(" to ");
    print_staged(p, 1 + op.values, op.tile.1.is_some());
    p.write(" by ");
    if let (Some(print), Some(by)) = (Distributed::KIND.print, p.op.prop(p.ctx.intern_str("by"))) {
        print(p, by);
    }
    print_vector(p, op.vector);
    p.attr_dict(&|key| matches!(key, "at" | "guard" | "fill" | "by" | "vector"));
    p.result_types();
}

/// `%mA[128 * %m, 64 * %k] offsets (0, 1) to %sA[%s] signal %full[%s] multicast 3 hint evict_first`
pub fn parse_tma_load(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let mut groups = Groups::default();
    groups.one(p)?;
    let (at, offsets) = groups.read(p, |p| {
        p.expressions(|p| {
            let at = parse_position(p)?;
            let offsets = if p.eat_word("offsets") { Some(parse_tuple(p)?) } else { None };
            Ok((at, offsets))
        })
    })?;
    set_exprs(p, "at", at);
    if let Some(offsets) = offsets {
        set_exprs(p, "offsets", offsets);
    }
    p.expect_word("to")?;
    groups.staged(p)?;
    p.expect_word("signal")?;
    groups.staged(p)?;
    groups.set(p);
    if p.eat_word("multicast") {
        let mask = p.integer()?;
        let mask = p.ctx.i64_attr(mask);
        p.set_prop("multicast", mask);
    }
    parse_hint(p)?;
    p.attr_dict()
}

/// Writes what [`parse_tma_load`] reads.
pub fn print_tma_load(p: &mut OpPrinter<'_, '_>) {
    let op = TmaLoad::from(p.op);
    p.write(" ");
    p.operand(0);
    p.write("[");
    print_exprs(p, &op.at(), 1);
    p.write("]");
    if let Some(offsets) = op.offsets() {
        p.write(" offsets (");
        print_exprs(p, &offsets, 1);
        p.write(")");
    }
    let tile = 1 + op.args().len();
    p.write(" to ");
    print_staged(p, tile, op.stage().is_some());
    p.write(" signal ");
    print_staged(p, tile + 1 + usize::from(op.stage().is_some()), op.barrier_stage().is_some());
    if let Some(mask) = op.multicast() {
        p.write(&format!(" multicast {mask}"));
    }
    print_hint(p, op.hint());
    p.attr_dict(&|key| matches!(key, "at" | "offsets" | "multicast" | "hint"));
}

/// `%sD[%s] to %mD[128 * %m, 64 * %n] : token<epilogue>`, or `combine sum %sD to ..`
pub fn parse_tma_store(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    if p.eat_word("combine") {
        let combiner = p.one_of("combiner", Combiner::WORDS)?;
        p.set_prop("combine", Text::make(p.ctx, combiner));
    }
    let mut groups = Groups::default();
    groups.staged(p)?;
    p.expect_word("to")?;
    groups.one(p)?;
    let at = groups.read(p, |p| p.expressions(parse_position))?;
    groups.set(p);
    set_exprs(p, "at", at);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_tma_store`] reads.
pub fn print_tma_store(p: &mut OpPrinter<'_, '_>) {
    let op = TmaStore::from(p.op);
    if let Some(combiner) = op.combine() {
        p.write(&format!(" combine {}", combiner.word()));
    }
    p.write(" ");
    let staged = op.stage().is_some();
    print_staged(p, 0, staged);
    let map = 1 + usize::from(staged);
    p.write(" to ");
    p.operand(map);
    p.write("[");
    print_exprs(p, &op.at(), map + 1);
    p.write("]");
    p.attr_dict(&|key| matches!(key, "at" | "combine"));
    p.result_types();
}
