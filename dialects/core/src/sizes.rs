//! Lists of symbolic integers: `[M, 2*K]` in custom syntax, `["M", "2*K"]` in generic form.
//!
//! In an attribute a constant is a 64-bit integer and any other a string in canonical form, so equal lists are one
//! attribute.

use std::collections::BTreeMap;

use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::define::Kind;
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{BAD_LITERAL, OpPrinter, ParseResult, Parser, Printer, Token};
use dlc_ir::{Attr, Context, Type};

/// A list of symbolic sizes, which are not negative.
pub struct Sizes;

/// A list of symbolic integers, which may be negative: strides, offsets, indices.
pub struct Exprs;

impl Kind for Sizes {
    type Value<'a> = Vec<SizeExpr>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of sizes, such as [\"M\", \"2*K\", 4], in canonical form and not negative",
        admits: |ctx, attr| sizes(ctx, attr).is_some(),
        parse: Some(parse),
        print: Some(print),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<SizeExpr>> {
        sizes(ctx, attr)
    }
    fn make(ctx: &Context, sizes: Vec<SizeExpr>) -> Attr {
        make(ctx, &sizes)
    }
}

/// One symbolic integer.
pub struct Expr;

impl Kind for Expr {
    type Value<'a> = SizeExpr;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a symbolic integer, such as \"2*K\" or 3, in canonical form",
        admits: |ctx, attr| expr(ctx, attr).is_some(),
        // Before a type or attributes.
        parse: Some(|p| Ok(expr_attr(p.ctx, &parse_expr(p, &[Token::Colon, Token::LBrace])?))),
        print: Some(print_item),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<SizeExpr> {
        expr(ctx, attr)
    }
    fn make(ctx: &Context, value: SizeExpr) -> Attr {
        expr_attr(ctx, &value)
    }
}

impl Kind for Exprs {
    type Value<'a> = Vec<SizeExpr>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of symbolic integers, such as [\"2*K\", -1], in canonical form",
        admits: |ctx, attr| exprs(ctx, attr).is_some(),
        parse: Some(parse_exprs),
        print: Some(print),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<SizeExpr>> {
        exprs(ctx, attr)
    }
    fn make(ctx: &Context, exprs: Vec<SizeExpr>) -> Attr {
        make(ctx, &exprs)
    }
}

fn exprs(ctx: &Context, attr: Attr) -> Option<Vec<SizeExpr>> {
    attr.as_array(ctx)?.iter().map(|&item| expr(ctx, item)).collect()
}

fn sizes(ctx: &Context, attr: Attr) -> Option<Vec<SizeExpr>> {
    exprs(ctx, attr).filter(|sizes| sizes.iter().all(|size| size.as_constant().is_none_or(|value| value >= 0)))
}

fn make(ctx: &Context, exprs: &[SizeExpr]) -> Attr {
    let items: Vec<Attr> = exprs.iter().map(|expr| expr_attr(ctx, expr)).collect();
    ctx.array_attr(&items)
}

/// The integer that an attribute is; `None` unless it is in canonical form.
pub fn expr(ctx: &Context, attr: Attr) -> Option<SizeExpr> {
    match ctx.attr_data(attr) {
        AttrData::Integer { ty: Type::I64, value } => i64::try_from(*value).ok().map(SizeExpr::from),
        AttrData::String(text) => {
            let read = || {
                let text = ctx.str(*text);
                SizeExpr::parse(text).ok().filter(|size| size.as_constant().is_none() && size.to_string() == text)
            };
            (*ctx.derived::<Option<SizeExpr>>(attr, read)).clone()
        }
        _ => None,
    }
}

/// A symbolic integer as an attribute: a 64-bit integer, or a string in canonical form.
pub fn expr_attr(ctx: &Context, expr: &SizeExpr) -> Attr {
    match expr.as_constant() {
        Some(value) => ctx.i64_attr(value),
        None => {
            let text = expr.to_string();
            let attr = ctx.str_attr(&text);
            // Who asks for it need not read the text.
            ctx.derived(attr, || {
                debug_assert_eq!(SizeExpr::parse(&text).as_ref(), Ok(expr), "it reads back as it is");
                Some(expr.clone())
            });
            attr
        }
    }
}

/// Reads `[M, 2*K, 4]`, whatever the form in which the sizes are written.
pub fn parse(p: &mut Parser<'_>) -> ParseResult<Attr> {
    parse_list(p, "a size, such as 2*K + 1", admits)
}

/// The largest number, either way, in a size with symbols that is written: what two such sizes differ by is within 64 bits.
const MOST: i64 = 1 << 61;

/// Whether a size may be written.
///
/// Errors: it is negative, or has numbers in it that are too large.
pub fn admits(size: &SizeExpr) -> Result<(), String> {
    match size.as_constant() {
        Some(value @ ..0) => Err(format!("a size is not negative, and {value} is")),
        None if size.terms().iter().any(|(number, _)| !(-MOST..=MOST).contains(number)) => {
            Err(format!("a number in a size with symbols is at most {MOST}, and '{size}' has another one"))
        }
        _ => Ok(()),
    }
}

/// Reads `[2*K, -1]`, whatever the form in which the integers are written.
pub fn parse_exprs(p: &mut Parser<'_>) -> ParseResult<Attr> {
    parse_list(p, "an integer, such as 2*K - 1", |_| Ok(()))
}

fn parse_list(p: &mut Parser<'_>, what: &str, admits: fn(&SizeExpr) -> Result<(), String>) -> ParseResult<Attr> {
    let ctx = p.ctx;
    let items = p.list(Token::LBracket, Token::RBracket, |p| {
        let expr = read_expr(p, what, (&[Token::Comma, Token::RBracket], &[]), admits)?;
        Ok(expr_attr(ctx, &expr))
    })?;
    Ok(ctx.array_attr(&items))
}

/// Reads a symbolic integer, up to one of the tokens that end it. Where the syntax of the op allows values in it
/// ([`dlc_ir::text::OpParser::expressions`]), they become the symbols `_0`, `_1`, ..
pub fn parse_expr(p: &mut Parser<'_>, ends: &[Token]) -> ParseResult<SizeExpr> {
    parse_expr_until(p, ends, &[])
}

/// Reads the size of an axis, up to one of the tokens that end it.
pub fn parse_size(p: &mut Parser<'_>, ends: &[Token]) -> ParseResult<SizeExpr> {
    read_expr(p, "a size, such as 2*K + 1", (ends, &[]), admits)
}

/// Reads a symbolic integer, up to one of the tokens or words that end it.
pub fn parse_expr_until(p: &mut Parser<'_>, ends: &[Token], words: &[&str]) -> ParseResult<SizeExpr> {
    read_expr(p, "an integer, such as 2*i0 + i1 - 1", (ends, words), |_| Ok(()))
}

fn read_expr(
    p: &mut Parser<'_>,
    what: &str,
    (ends, words): (&[Token], &[&str]),
    admits: fn(&SizeExpr) -> Result<(), String>,
) -> ParseResult<SizeExpr> {
    let start = p.loc();
    let mut text = String::new();
    let mut open = 0usize;
    loop {
        match p.token() {
            token if open == 0 && ends.contains(&token) => break,
            Token::Word if open == 0 && words.contains(&p.text()) => break,
            Token::LParen => open += 1,
            Token::RParen if open > 0 => open -= 1,
            Token::Word | Token::Integer | Token::Plus | Token::Minus | Token::Star => {}
            _ => {
                let Some(value) = p.value_in_expression() else { return p.expected(what) };
                text.push_str(&format!("{} ", value_name(value?)));
                continue;
            }
        }
        text.push_str(p.text());
        text.push(' ');
        p.advance();
    }
    let parsed = SizeExpr::parse(&text).map_err(|error| error.message.into_owned());
    let expr = parsed.and_then(|expr| admits(&expr).map(|()| expr));
    expr.map_err(|message| p.fail(Diagnostic::error(&BAD_LITERAL, start, message).spanning(text.trim_end().len())))
}

/// What stands in an expression for the value of a number among those that it names: `_0`.
pub fn value_name(number: usize) -> String {
    format!("_{number}")
}

/// The number of the value that a symbol of an expression stands for.
pub fn value_number(symbol: &str) -> Option<usize> {
    let digits = symbol.strip_prefix('_')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Writes an expression, a guard or anything else in which `_0` stands for the operand `first`, `_1` for the next.
pub fn print_expression(p: &mut OpPrinter<'_, '_>, text: &str, first: usize) {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let (symbol, other) = rest.split_at(length);
        match value_number(symbol).map(|number| first + number).filter(|&index| index < p.op.operands().len()) {
            Some(index) => p.operand(index),
            None => p.write(symbol),
        }
        let (between, next) = other.split_at(other.find(word).unwrap_or(other.len()));
        p.write(between);
        rest = next;
    }
}

/// Writes what [`parse`] reads.
pub fn print(p: &mut Printer<'_>, attr: Attr) {
    let ctx = p.ctx;
    p.write("[");
    p.list(attr.as_array(ctx).unwrap_or(&[]), |p, &item| print_item(p, item));
    p.write("]");
}

fn print_item(p: &mut Printer<'_>, item: Attr) {
    match p.ctx.attr_data(item) {
        AttrData::String(text) => p.write(p.ctx.str(*text)),
        _ => p.attr(item),
    }
}

/// What the symbols of a function are while it runs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bindings(BTreeMap<String, i64>);

impl From<BTreeMap<String, i64>> for Bindings {
    fn from(symbols: BTreeMap<String, i64>) -> Bindings {
        Bindings(symbols)
    }
}

impl Bindings {
    /// Binds the symbols that stand alone among `sizes` to the sizes that are there, and checks the others as far as
    /// their symbols are bound.
    pub fn bind(&mut self, sizes: &[SizeExpr], actual: &[usize]) -> Result<(), String> {
        if sizes.len() != actual.len() {
            return Err(format!("{} sizes are given where {} are taken", actual.len(), sizes.len()));
        }
        for (size, &actual) in sizes.iter().zip(actual) {
            let actual = i64::try_from(actual).map_err(|_| "a size goes beyond 64 bits")?;
            if let Some(symbol) = size.as_symbol() {
                self.0.entry(symbol.to_string()).or_insert(actual);
            }
            match self.value(size) {
                Ok(value) if value as i64 != actual => {
                    return Err(format!("the size {size} is {value}, but {actual} is given"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Binds a symbol, unless it is bound already: then it says to what.
    pub fn set(&mut self, symbol: &str, value: i64) -> Result<(), i64> {
        match *self.0.entry(symbol.to_string()).or_insert(value) {
            known if known == value => Ok(()),
            known => Err(known),
        }
    }

    /// The number that a symbolic integer is.
    pub fn integer(&self, expr: &SizeExpr) -> Result<i64, String> {
        expr.eval(&|name| self.0.get(name).copied()).map_err(|error| error.message.into_owned())
    }

    /// The number that a size is.
    pub fn value(&self, size: &SizeExpr) -> Result<usize, String> {
        let value = self.integer(size)?;
        usize::try_from(value).map_err(|_| format!("the size {size} is {value}"))
    }

    /// The numbers that sizes are.
    pub fn values(&self, sizes: &[SizeExpr]) -> Result<Vec<usize>, String> {
        sizes.iter().map(|size| self.value(size)).collect()
    }
}
