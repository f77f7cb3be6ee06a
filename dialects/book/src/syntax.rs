//! How entries are written.

use dlc_core::access::{Access, Accesses, parse_access, print_access};
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::{Exprs, Sizes, parse_expr, parse_size};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TypeAttr};
use dlc_ir::diag::Diagnostic;
use dlc_ir::text::{BAD_LITERAL, OpParser, OpPrinter, ParseResult, Token};
use dlc_ir::{Attr, Type, ValueId};

use crate::ops::{Entry, Function, Gather, Iota, Reduce, Scan, Sort};

/// `(i0: M, i1: N)`, numbered from `first`.
fn parse_axes(p: &mut OpParser<'_, '_>, first: usize) -> ParseResult<Vec<SizeExpr>> {
    let mut next = first;
    p.list(Token::LParen, Token::RParen, |p| {
        let (start, name) = (p.loc(), p.word()?);
        if name != format!("i{next}") {
            let error = Diagnostic::error(&BAD_LITERAL, start, format!("this axis is 'i{next}', not '{name}'"));
            return Err(p.fail(error.suggest("axes are numbered in order, those that are reduced last")));
        }
        next += 1;
        p.expect(Token::Colon)?;
        parse_size(p, &[Token::Comma, Token::RParen])
    })
}

fn print_axes(p: &mut OpPrinter<'_, '_>, sizes: &[SizeExpr], first: usize) {
    p.write("(");
    p.list(sizes.iter().enumerate(), |p, (at, size)| p.write(&format!("i{}: {size}", first + at)));
    p.write(")");
}

fn set_sizes(p: &mut OpParser<'_, '_>, key: &str, sizes: Vec<SizeExpr>) {
    let sizes = Sizes::make(p.ctx, sizes);
    p.set_prop(key, sizes);
}

/// The type of the elements of a value; of something else, which the verifier refuses, any.
fn elem_of(p: &OpParser<'_, '_>, value: ValueId) -> Type {
    Tensor::of(p.ctx, p.current_body().value_type(value)).map_or(Type::F32, |ty| ty.elem(p.ctx))
}

/// `%x at (i0, i1) where (..) else 0.0`
fn parse_read(p: &mut OpParser<'_, '_>) -> ParseResult<Access> {
    let value = p.operand()?;
    let elem = elem_of(p, value);
    p.expect_word("at")?;
    parse_access(p, elem)
}

fn print_read(p: &mut OpPrinter<'_, '_>, operand: usize, access: &Access) {
    p.operand(operand);
    p.write(" at ");
    print_access(p, access);
}

/// `of %a at (i0), %b at ()`
fn parse_reads(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect_word("of")?;
    let mut accesses = vec![parse_read(p)?];
    while p.eat(Token::Comma) {
        accesses.push(parse_read(p)?);
    }
    let accesses = Accesses::make(p.ctx, accesses);
    p.set_prop("accesses", accesses);
    Ok(())
}

fn print_reads(p: &mut OpPrinter<'_, '_>, accesses: &[Access]) {
    p.write(" of ");
    for (operand, access) in accesses.iter().enumerate() {
        p.write(if operand > 0 { ", " } else { "" });
        print_read(p, operand, access);
    }
}

/// `(2*i0 + 1) axes (i0: M) : tensor<[M], i32>`
pub fn parse_iota(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect(Token::LParen)?;
    let value = parse_expr(p, &[Token::RParen])?;
    p.expect(Token::RParen)?;
    let value = Exprs::make(p.ctx, vec![value]);
    p.set_prop("value", value);
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    set_sizes(p, "axes", axes);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_iota`] reads.
pub fn print_iota(p: &mut OpPrinter<'_, '_>) {
    let op = Iota::from(p.op);
    let value = op.value().first().map(SizeExpr::to_string).unwrap_or_default();
    p.write(&format!(" ({value}) axes "));
    print_axes(p, &op.axes(), 0);
    p.attr_dict(&|key| matches!(key, "value" | "axes"));
    p.result_types();
}

/// `add axes (i0: M) of %a at (i0), %b at () to f32 : tensor<[M], f32>`; a product may be followed by `widen`.
pub fn parse_entry(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let function = p.one_of("function", Function::WORDS)?;
    let function = p.ctx.str_attr(function);
    p.set_prop("function", function);
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    set_sizes(p, "axes", axes);
    parse_reads(p)?;
    if p.eat_word("to") {
        let elem = p.parse_type()?;
        let elem = TypeAttr::make(p.ctx, elem);
        p.set_prop("elem", elem);
    }
    if p.eat_word("widen") {
        p.set_prop("widen", Attr::UNIT);
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_entry`] reads.
pub fn print_entry(p: &mut OpPrinter<'_, '_>) {
    let op = Entry::from(p.op);
    p.write(&format!(" {} axes ", op.function().word()));
    print_axes(p, &op.axes(), 0);
    print_reads(p, &op.accesses());
    if let Some(elem) = op.elem() {
        p.write(" to ");
        p.ty(elem);
    }
    if op.widen().is_some() {
        p.write(" widen");
    }
    p.attr_dict(&|key| matches!(key, "function" | "axes" | "accesses" | "elem" | "widen"));
    p.result_types();
}

/// `sum axes (i0: M) over (i1: K) of %x at (i0, i1) acc f32 : tensor<[M], f32>`
pub fn parse_reduce(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let combiner = p.one_of("combiner", Combiner::WORDS)?;
    let combiner = p.ctx.str_attr(combiner);
    p.set_prop("combiner", combiner);
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    p.expect_word("over")?;
    let over = parse_axes(p, axes.len())?;
    set_sizes(p, "axes", axes);
    set_sizes(p, "over", over);
    p.expect_word("of")?;
    let access = parse_read(p)?;
    let accesses = Accesses::make(p.ctx, vec![access]);
    p.set_prop("accesses", accesses);
    p.expect_word("acc")?;
    let acc = p.parse_type()?;
    let acc = TypeAttr::make(p.ctx, acc);
    p.set_prop("acc", acc);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_reduce`] reads.
pub fn print_reduce(p: &mut OpPrinter<'_, '_>) {
    let op = Reduce::from(p.op);
    let axes = op.axes();
    p.write(&format!(" {} axes ", op.combiner().word()));
    print_axes(p, &axes, 0);
    p.write(" over ");
    print_axes(p, &op.over(), axes.len());
    p.write(" of ");
    if let Some(access) = op.accesses().first() {
        print_read(p, 0, access);
    }
    p.write(" acc ");
    p.ty(op.acc());
    p.attr_dict(&|key| matches!(key, "combiner" | "axes" | "over" | "accesses" | "acc"));
    p.result_types();
}

/// `along 1 every 64`: an axis, and of how many positions groups along it are.
fn parse_along(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect_word("along")?;
    let along = p.integer()?;
    let along = p.ctx.i64_attr(along);
    p.set_prop("along", along);
    if p.eat_word("every") {
        let every = p.integer()?;
        let every = p.ctx.i64_attr(every);
        p.set_prop("every", every);
    }
    Ok(())
}

/// Writes what [`parse_along`] reads.
fn print_along(p: &mut OpPrinter<'_, '_>, along: i64, every: Option<i64>) {
    p.write(&format!(" along {along}"));
    if let Some(every) = every {
        p.write(&format!(" every {every}"));
    }
}

/// `sum axes (i0: M, i1: N) along 1 every 64 of %x at (i0, i1) acc f32 exclusive reverse : tensor<[M, N], f32>`; there may be
/// several operands, as in [`parse_entry`].
pub fn parse_scan(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let combiner = p.one_of("combiner", ScanCombiner::WORDS)?;
    let combiner = p.ctx.str_attr(combiner);
    p.set_prop("combiner", combiner);
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    set_sizes(p, "axes", axes);
    parse_along(p)?;
    parse_reads(p)?;
    p.expect_word("acc")?;
    let acc = p.parse_type()?;
    let acc = TypeAttr::make(p.ctx, acc);
    p.set_prop("acc", acc);
    for word in ["exclusive", "reverse"] {
        if p.eat_word(word) {
            p.set_prop(word, Attr::UNIT);
        }
    }
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_scan`] reads.
pub fn print_scan(p: &mut OpPrinter<'_, '_>) {
    let op = Scan::from(p.op);
    p.write(&format!(" {} axes ", op.combiner().word()));
    print_axes(p, &op.axes(), 0);
    print_along(p, op.along(), op.every());
    print_reads(p, &op.accesses());
    p.write(" acc ");
    p.ty(op.acc());
    p.write(if op.exclusive().is_some() { " exclusive" } else { "" });
    p.write(if op.reverse().is_some() { " reverse" } else { "" });
    p.attr_dict(&|key| {
        matches!(key, "combiner" | "axes" | "along" | "every" | "accesses" | "acc" | "exclusive" | "reverse")
    });
    p.result_types();
}

/// `axes (i0: M, i1: N) along 1 every 64 of %x at (i0, i1) : tensor<[M, N], i64>`
pub fn parse_sort(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    set_sizes(p, "axes", axes);
    parse_along(p)?;
    parse_reads(p)?;
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_sort`] reads.
pub fn print_sort(p: &mut OpPrinter<'_, '_>) {
    let op = Sort::from(p.op);
    p.write(" axes ");
    print_axes(p, &op.axes(), 0);
    print_along(p, op.along(), op.every());
    print_reads(p, &op.accesses());
    p.attr_dict(&|key| matches!(key, "axes" | "along" | "every" | "accesses"));
    p.result_types();
}

/// `non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1] : tensor<[B, D], f16>`
pub fn parse_gather(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    p.expect_word("non_scop")?;
    p.expect_word("axes")?;
    let axes = parse_axes(p, 0)?;
    set_sizes(p, "axes", axes);
    p.expect_word("of")?;
    p.operand()?;
    p.expect_word("at")?;
    let mut accesses = Vec::new();
    p.expect(Token::LBracket)?;
    let mut at = Vec::new();
    while p.token() != Token::RBracket {
        if p.token() == Token::Value {
            let value = p.operand()?;
            let elem = elem_of(p, value);
            at.push(element(accesses.len()));
            accesses.push(parse_access(p, elem)?);
        } else {
            at.push(parse_expr(p, &[Token::Comma, Token::RBracket])?);
        }
        if !p.eat(Token::Comma) {
            break;
        }
    }
    p.expect(Token::RBracket)?;
    let (at, accesses) = (Exprs::make(p.ctx, at), Accesses::make(p.ctx, accesses));
    p.set_prop("at", at);
    p.set_prop("accesses", accesses);
    p.attr_dict()?;
    p.result_types()
}

/// Writes what [`parse_gather`] reads.
pub fn print_gather(p: &mut OpPrinter<'_, '_>) {
    let op = Gather::from(p.op);
    p.write(" non_scop axes ");
    print_axes(p, &op.axes(), 0);
    p.write(" of ");
    p.operand(0);
    p.write(" at [");
    let accesses = op.accesses();
    for (axis, at) in op.at().iter().enumerate() {
        p.write(if axis > 0 { ", " } else { "" });
        match element_of(at).and_then(|index| Some((index, accesses.get(index)?))) {
            Some((index, access)) => {
                p.operand(1 + index);
                p.write(" ");
                print_access(p, access);
            }
            None => p.write(&at.to_string()),
        }
    }
    p.write("]");
    p.attr_dict(&|key| matches!(key, "axes" | "at" | "accesses"));
    p.result_types();
}

/// What stands for an element of an index operand: `_0`.
pub fn element(index: usize) -> SizeExpr {
    SizeExpr::symbol(&format!("_{index}")).unwrap_or_else(|_| SizeExpr::from(0))
}

/// The index operand whose element an expression is.
pub fn element_of(expr: &SizeExpr) -> Option<usize> {
    expr.as_symbol()?.strip_prefix('_')?.parse().ok()
}
