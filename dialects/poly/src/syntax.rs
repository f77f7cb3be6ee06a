//! How views, blocks and edges are written.

use dlc_core::sizes::{Exprs, parse_expr};
use dlc_core::types::Types;
use dlc_ir::Attr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::{IntArray, Kind, TextArray};
use dlc_ir::text::{OpParser, OpPrinter, ParseResult, Parser, Printer, Token};

use crate::access::{Access, Accesses, Distance};
use crate::ops::{Block, Dependence, Edge, Pattern, View};

fn words(p: &mut Parser<'_>) -> ParseResult<Attr> {
    let words = p.list(Token::LBracket, Token::RBracket, Parser::word)?;
    Ok(TextArray::make(p.ctx, words))
}

fn print_words(p: &mut Printer<'_>, key: &str, words: &[&str]) {
    p.write(&format!(" {key} ["));
    p.list(words, |p, word| p.write(word));
    p.write("]");
}

/// `of @f<M, N> sizes (MN: M*N) tensors (x: tensor<[M, N], f32>) { .. }`
pub fn parse_view(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    p.expect_word("of")?;
    let of = p.parse_symbol_path()?;
    p.set_prop("of", of);
    if p.token() == Token::Less {
        let symbols = p.list(Token::Less, Token::Greater, Parser::word)?;
        p.set_prop("symbols", TextArray::make(ctx, symbols));
    }
    if p.eat_word("sizes") {
        let sizes = p.list(Token::LParen, Token::RParen, |p| {
            let name = p.word()?;
            p.expect(Token::Colon)?;
            Ok((name, parse_expr(p, &[Token::Comma, Token::RParen])?))
        })?;
        let (names, values): (Vec<&str>, Vec<_>) = sizes.into_iter().unzip();
        p.set_prop("sizes", TextArray::make(ctx, names));
        p.set_prop("size_values", Exprs::make(ctx, values));
    }
    p.expect_word("tensors")?;
    let tensors = p.list(Token::LParen, Token::RParen, |p| {
        let name = p.word()?;
        p.expect(Token::Colon)?;
        Ok((name, p.parse_type()?))
    })?;
    let (names, types): (Vec<&str>, Vec<_>) = tensors.into_iter().unzip();
    p.set_prop("tensors", TextArray::make(ctx, names));
    p.set_prop("types", Types::make(ctx, types));
    if p.eat_word("attributes") {
        p.attr_dict()?;
    }
    p.region(&[])
}

/// Writes what [`parse_view`] reads.
pub fn print_view(p: &mut OpPrinter<'_, '_>) {
    let op = View(p.op);
    p.write(" of ");
    if let Some(of) = p.op.prop_named("of") {
        p.attr(of);
    }
    let symbols = op.symbols();
    if !symbols.is_empty() {
        p.write("<");
        p.list(symbols, |p, symbol| p.write(symbol));
        p.write(">");
    }
    let sizes = op.sizes();
    if !sizes.is_empty() {
        p.write(" sizes (");
        p.list(sizes.iter().zip(op.size_values()), |p, (name, value)| p.write(&format!("{name}: {value}")));
        p.write(")");
    }
    p.write(" tensors (");
    p.list(op.tensors().into_iter().zip(op.types()), |p, (name, ty)| {
        p.write(name);
        p.write(": ");
        p.ty(ty);
    });
    p.write(")");
    if p.op.body.attrs(p.op.id) != Attr::EMPTY_DICT {
        p.write(" attributes");
        p.attr_dict(&|key| matches!(key, "of" | "symbols" | "sizes" | "size_values" | "tensors" | "types"));
    }
    p.write(" ");
    p.region_without_args(0);
}

/// The groups of a block that may be absent, in the order in which they are written.
const GROUPS: [&str; 5] = ["lhs", "rhs", "out", "reduce", "batch"];

/// `@s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k] domain ".." read X ".." write s ".."`
pub fn parse_block(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let name = p.symbol_name()?;
    p.set_prop("sym_name", ctx.attr(AttrData::String(name)));
    if p.one_of("'statement' or 'contraction'", &["statement", "contraction"])? == "contraction" {
        let pattern = p.one_of("pattern", Pattern::WORDS)?;
        p.set_prop("pattern", ctx.str_attr(pattern));
    }
    for group in GROUPS {
        if matches!(group, "out" | "reduce") {
            p.expect_word(group)?;
        } else if !p.eat_word(group) {
            continue;
        }
        let axes = words(p)?;
        p.set_prop(group, axes);
    }
    for key in ["strides", "dilations"] {
        if p.eat_word(key) {
            let numbers = p.list(Token::LBracket, Token::RBracket, Parser::integer)?;
            p.set_prop(key, IntArray::make(ctx, numbers));
        }
    }
    if p.eat_word("offsets") {
        let ends = [Token::Comma, Token::RBracket];
        let offsets = p.list(Token::LBracket, Token::RBracket, |p| parse_expr(p, &ends))?;
        p.set_prop("offsets", Exprs::make(ctx, offsets));
    }
    p.expect_word("domain")?;
    let domain = p.string()?;
    p.set_prop("domain", ctx.str_attr(&domain));
    for (word, key) in [("read", "reads"), ("write", "writes")] {
        let mut accesses = Vec::new();
        while p.eat_word(word) {
            accesses.push((p.word()?, p.string()?));
        }
        let accesses = accesses.iter().map(|(tensor, map)| Access { tensor, map }).collect();
        p.set_prop(key, Accesses::make(ctx, accesses));
    }
    p.attr_dict()
}

/// Writes what [`parse_block`] reads.
pub fn print_block(p: &mut OpPrinter<'_, '_>) {
    let op = Block::from(p.op);
    p.write(" ");
    let name = p.ctx.intern_str(op.sym_name());
    p.symbol_name(name);
    match op.pattern() {
        Some(pattern) => p.write(&format!(" contraction {}", pattern.word())),
        None => p.write(" statement"),
    }
    let groups = [op.lhs(), op.rhs(), Some(op.out()), Some(op.reduce()), op.batch()];
    for (key, group) in GROUPS.iter().zip(groups) {
        if let Some(group) = group {
            print_words(p, key, &group);
        }
    }
    for (key, numbers) in [("strides", op.strides()), ("dilations", op.dilations())] {
        if let Some(numbers) = numbers {
            p.write(&format!(" {key} ["));
            p.list(numbers, |p, number| p.write(&number.to_string()));
            p.write("]");
        }
    }
    if let Some(offsets) = op.offsets() {
        p.write(" offsets [");
        p.list(offsets, |p, offset| p.write(&offset.to_string()));
        p.write("]");
    }
    p.newline();
    p.write("  domain ");
    p.string(op.domain());
    for (word, accesses) in [("read", op.reads()), ("write", op.writes())] {
        for access in accesses {
            p.newline();
            p.write(&format!("  {word} {} ", access.tensor));
            p.string(access.map);
        }
    }
    let named = ["sym_name", "pattern", "strides", "dilations", "offsets", "domain", "reads", "writes"];
    p.attr_dict(&|key| named.contains(&key) || GROUPS.contains(&key));
}

/// `true @s to @y of s distance [0, *]`
pub fn parse_edge(p: &mut OpParser<'_, '_>) -> ParseResult<()> {
    let ctx = p.ctx;
    let kind = p.one_of("dependence", Dependence::WORDS)?;
    p.set_prop("kind", ctx.str_attr(kind));
    let source = p.parse_symbol_path()?;
    p.set_prop("source", source);
    p.expect_word("to")?;
    let target = p.parse_symbol_path()?;
    p.set_prop("target", target);
    p.expect_word("of")?;
    let tensor = p.word()?;
    p.set_prop("tensor", ctx.str_attr(tensor));
    p.expect_word("distance")?;
    let distance = p.list(Token::LBracket, Token::RBracket, |p| match p.eat(Token::Star) {
        true => Ok(None),
        false => p.integer().map(Some),
    })?;
    p.set_prop("distance", Distance::make(ctx, distance));
    p.attr_dict()
}

/// Writes what [`parse_edge`] reads.
pub fn print_edge(p: &mut OpPrinter<'_, '_>) {
    let op = Edge::from(p.op);
    p.write(&format!(" {} ", op.kind().word()));
    for (key, word) in [("source", " to "), ("target", " of ")] {
        if let Some(block) = p.op.prop_named(key) {
            p.attr(block);
        }
        p.write(word);
    }
    p.write(op.tensor());
    p.write(" distance [");
    p.list(op.distance(), |p, distance| match distance {
        Some(distance) => p.write(&distance.to_string()),
        None => p.write("*"),
    });
    p.write("]");
    p.attr_dict(&|key| matches!(key, "kind" | "source" | "target" | "tensor" | "distance"));
}
