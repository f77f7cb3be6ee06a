//! Reading IR text.
//!
//! The parser stops at the first syntax error; what the verifier finds is all reported. Recursion (regions, types,
//! attributes) is bounded by [`MAX_DEPTH`], so that no input overflows the stack.

mod aliases;
mod attrs;
mod dense;
mod hints;
mod locations;
mod ops;
mod types;
mod values;

use std::sync::Arc;

use logos::Logos;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::lexer::Token;
use super::*;
use crate::attrs::{Attr, NamedAttr};
use crate::body::Body;
use crate::context::{Context, OpName, Str};
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::location::{Loc, SourceFile};
use crate::types::Type;

use aliases::{Alias, Aliases};
use hints::LastOp;
pub use ops::{OpParser, OpState};
pub use values::OperandName;
use values::Scope;

/// A syntax error that has been reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseFailed;

/// What a parsing function gives; on failure the error has been reported.
pub type ParseResult<T> = Result<T, ParseFailed>;

/// The most that regions, types and attributes may be nested.
///
/// A level of regions takes several hundred bytes of stack in each of the recursive walks, so this is far from the 2 MB
/// that a worker thread has.
pub const MAX_DEPTH: u32 = 256;

/// How text is read.
#[derive(Clone, Copy, Default, Debug)]
pub struct ParseOptions {
    /// Whether ops, types and attributes that no dialect registers are taken as they are.
    pub allow_unregistered: bool,
}

/// Reads a module. Errors go to `diags`; with any, there is no module.
///
/// Text whose only op is a `builtin.module` is that module; other text is put into a module of its own.
/// `range` is the part of the file to read (the whole, or a chunk of a split file).
pub fn parse_module(
    ctx: &Context,
    file: &Arc<SourceFile>,
    range: std::ops::Range<usize>,
    options: ParseOptions,
    diags: &Diagnostics,
) -> ParseResult<Body> {
    let mut parser = Parser::new(ctx, &file.text[range.clone()], file.base() + range.start as u32, options, diags);
    parser.parse_top_level()
}

/// Reads IR text. Dialects with hand-written syntax meet it as the argument of their hooks.
pub struct Parser<'s> {
    /// The context that types and attributes are made in.
    pub ctx: &'s Context,
    diags: &'s Diagnostics,
    options: ParseOptions,
    source: &'s str,
    /// The global offset of the first byte of `source`.
    base: u32,
    lexer: logos::Lexer<'s, Token>,
    token: Token,
    start: usize,
    end: usize,
    /// The end of the token before.
    last_end: usize,
    scopes: Vec<Scope>,
    depth: u32,
    /// The dialects whose ops may be written without prefix, innermost last.
    default_dialects: Vec<&'static str>,
    aliases: Aliases<'s>,
    /// The default dialect for which was last determined whether its ops have modifiers.
    modified_dialect: (&'static str, bool),
    op_names: FxHashMap<&'s str, OpName>,
    /// Ops that were written without their dialect, by the dialect that was meant.
    short_names: FxHashMap<(&'static str, &'s str), OpName>,
    /// Types that were read, by their spelling.
    type_cache: FxHashMap<&'s str, Type>,
    /// Dictionaries that were read, by what stands between their braces.
    dict_cache: FxHashMap<&'s str, SmallVec<[NamedAttr; 4]>>,
    /// Payloads from the resources at the end of the text.
    resources: Option<FxHashMap<String, dense::Blob>>,
    /// The values that expressions of the op have named, each once; `None` where they may name none.
    in_expressions: Option<Vec<OperandName>>,
    /// The op before in this block, where it was written in custom form.
    last_op: Option<LastOp>,
}

impl<'s> Parser<'s> {
    pub(crate) fn new(
        ctx: &'s Context,
        source: &'s str,
        base: u32,
        options: ParseOptions,
        diags: &'s Diagnostics,
    ) -> Parser<'s> {
        let mut parser = Parser {
            ctx,
            diags,
            options,
            source,
            base,
            lexer: Token::lexer(source),
            token: Token::End,
            start: 0,
            end: 0,
            last_end: 0,
            scopes: Vec::new(),
            depth: 0,
            default_dialects: Vec::new(),
            aliases: Aliases::new(source),
            modified_dialect: ("", false),
            op_names: FxHashMap::default(),
            short_names: FxHashMap::default(),
            type_cache: FxHashMap::default(),
            dict_cache: FxHashMap::default(),
            resources: None,
            in_expressions: None,
            last_op: None,
        };
        parser.advance();
        parser
    }

    // Tokens.

    /// The token that comes next.
    #[inline]
    pub fn token(&self) -> Token {
        self.token
    }

    /// The text of the token that comes next.
    #[inline]
    pub fn text(&self) -> &'s str {
        &self.source[self.start..self.end]
    }

    /// Where the token that comes next starts.
    #[inline]
    pub fn loc(&self) -> Loc {
        self.loc_at(self.start)
    }

    #[inline]
    fn loc_at(&self, offset: usize) -> Loc {
        Loc::source(self.base + offset as u32)
    }

    /// Goes to the next token.
    #[inline]
    pub fn advance(&mut self) {
        self.last_end = self.end;
        self.token = match self.lexer.next() {
            Some(Ok(token)) => token,
            Some(Err(())) => Token::Bad,
            None => Token::End,
        };
        // Not the pair that `span` gives: copying both ends in one piece waits for the lexer's separate writes of them,
        // at every token.
        self.start = self.lexer.span().start;
        self.end = self.source.len() - self.lexer.remainder().len();
    }

    /// Goes on with the token that starts at or after a byte of the source.
    fn jump_to(&mut self, offset: usize) {
        self.last_end = self.end;
        self.lexer = Token::lexer(self.source);
        self.lexer.bump(offset);
        self.end = offset;
        self.advance();
    }

    /// Takes the next token if it is this one.
    #[inline]
    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next token, which must be this one.
    #[inline]
    pub fn expect(&mut self, token: Token) -> ParseResult<()> {
        if self.token == token {
            self.advance();
            return Ok(());
        }
        self.expected(token.describe())
    }

    /// Takes the next token if it is this word.
    #[inline]
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word && self.text() == word;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next token, which must be this word.
    pub fn expect_word(&mut self, word: &str) -> ParseResult<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.expected(&format!("'{word}'"))
    }

    /// Takes the next token, which must be a word.
    pub fn word(&mut self) -> ParseResult<&'s str> {
        if self.token != Token::Word {
            return self.expected("a word");
        }
        let text = self.text();
        self.advance();
        Ok(text)
    }

    /// Takes the next token, which must be one of these words; a near miss is named.
    pub fn one_of(&mut self, what: &str, words: &[&'static str]) -> ParseResult<&'static str> {
        if self.token == Token::Word {
            let text = self.text();
            if let Some(&word) = words.iter().find(|&&word| word == text) {
                self.advance();
                return Ok(word);
            }
            let near = did_you_mean(text, words.iter().copied()).or_else(|| self.op_elsewhere(text));
            let message = format!("'{text}' is no {what}; it is one of {}", words.join(", "));
            return Err(self.fail(self.error(&SYNTAX, message).suggest_if(near)));
        }
        self.expected(what)
    }

    /// Takes the next token, which must be a string, and gives what it stands for.
    pub fn string(&mut self) -> ParseResult<String> {
        if self.token != Token::String {
            return self.expected("a string");
        }
        let text = self.text();
        let value = self.unescape(&text[1..text.len() - 1])?;
        self.advance();
        Ok(value)
    }

    /// Takes an integer that may have a sign and fits 64 bits.
    pub fn integer(&mut self) -> ParseResult<i64> {
        let start = self.start;
        let negative = self.eat(Token::Minus);
        if self.token != Token::Integer {
            return self.expected("an integer");
        }
        let magnitude = self.text().parse::<i128>().ok();
        let value = magnitude.map(|m| if negative { -m } else { m }).and_then(|v| i64::try_from(v).ok());
        let Some(value) = value else {
            let message = "the integer does not fit 64 bits";
            return Err(self.fail(self.error_at(&BAD_LITERAL, start, message).spanning(self.end - start)));
        };
        self.advance();
        Ok(value)
    }

    /// A list with commas between `open` and `close`.
    pub fn list<T>(
        &mut self,
        open: Token,
        close: Token,
        mut item: impl FnMut(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if self.token != close {
            return self.expected(&format!("',' or {}", close.describe()));
        }
        self.advance();
        Ok(items)
    }

    // Errors.

    /// An error at the token that comes next.
    pub fn error(&self, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        self.error_at(code, self.start, message).spanning(self.end - self.start)
    }

    fn error_at(&self, code: &'static Code, offset: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.loc_at(offset), message)
    }

    /// Reports an error; parsing ends with what this returns.
    pub fn fail(&self, diagnostic: Diagnostic) -> ParseFailed {
        self.diags.emit(diagnostic);
        ParseFailed
    }

    /// Reports that something else was expected here.
    pub fn expected<T>(&self, what: &str) -> ParseResult<T> {
        Err(self.fail(self.unexpected(what)))
    }

    /// The error that something else was expected here, to be reported with [`fail`](Self::fail).
    pub fn unexpected(&self, what: &str) -> Diagnostic {
        // At the end of the text, and where the next token stands on a later line, the place after the last token is
        // where the missing thing belongs.
        if self.token == Token::Bad {
            let text = self.text();
            let message = match text.starts_with('"') {
                true => format!("expected {what}, found a string that does not end on its line"),
                false => format!("expected {what}, found {:?}", text.chars().next().unwrap_or(' ')),
            };
            return self.error(&SYNTAX, message);
        }
        let found = match self.token {
            Token::Word | Token::Value | Token::Block | Token::Symbol | Token::TypeName | Token::AttrName => {
                format!("'{}'", shorten(self.text()))
            }
            token => token.describe().to_string(),
        };
        self.error(&SYNTAX, format!("expected {what}, found {found}"))
    }

    /// Counts one more level of nesting while `parse` runs.
    pub(crate) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nesting is deeper than {MAX_DEPTH} levels");
            return Err(self.fail(self.error(&TOO_LARGE, message)));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// What a string literal (without its quotes), the next token, stands for.
    fn unescape(&self, raw: &str) -> ParseResult<String> {
        unescape(raw).map_err(|error| self.bad_string(error))
    }

    fn bad_string(&self, error: StringError) -> ParseFailed {
        self.fail(match error {
            StringError::NotUtf8 => self.error(&NOT_UTF8, "the bytes that the string stands for are not UTF-8"),
            StringError::Escape => {
                let message = "a backslash in a string is followed by n, t, \\, \" or two hex digits";
                self.error(&SYNTAX, message)
            }
        })
    }

    /// The text from here to the `>` that closes the `<` which was just taken (the token before). After it,
    /// parsing goes on with the token after the `>`.
    ///
    /// Brackets must balance; strings are skipped whole; `->` (and, in affine text, `>=`) close nothing.
    fn raw_body(&mut self, raw: Raw) -> ParseResult<&'s str> {
        let open = self.last_end;
        let Some(len) = balanced_len(&self.source[open..], raw) else {
            let message = "the '<' here has no '>' that closes it";
            return Err(self.fail(self.error_at(&SYNTAX, open - 1, message).spanning(1)));
        };
        let body = &self.source[open..open + len];
        self.jump_to(open + len);
        self.expect(Token::Greater)?;
        Ok(body)
    }

    // The whole text.

    fn parse_top_level(&mut self) -> ParseResult<Body> {
        let ctx = self.ctx;
        self.scopes.push(Scope::new(Body::module(ctx)));
        self.default_dialects.push("builtin");
        let block = self.body().entry_block().expect("a new module has a block");
        loop {
            match self.token {
                Token::End => break,
                Token::AttrName | Token::TypeName => self.parse_alias_definition()?,
                Token::MetaOpen => self.skip_resources()?,
                _ => drop(self.parse_op_into(block)?),
            }
        }
        self.finish_scope()?;
        let mut module = self.scopes.pop().expect("pushed above").body;
        let only = module.first_op(block).filter(|&op| module.next_op(op).is_none());
        if let Some(op) = only.filter(|&op| ctx.op_name_str(module.op_name(op)) == "builtin.module")
            && let Some(inner) = module.take_nested(op)
        {
            return Ok(*inner);
        }
        Ok(module)
    }

    fn body(&mut self) -> &mut Body {
        &mut self.scopes.last_mut().expect("ops are parsed inside a body").body
    }

    /// The body that is being read, as far as it goes: operands that were read are in it.
    pub fn current_body(&self) -> &Body {
        &self.scopes.last().expect("ops are parsed inside a body").body
    }
}

/// Why a string literal stands for nothing.
enum StringError {
    Escape,
    NotUtf8,
}

/// What a string literal (without its quotes) stands for.
fn unescape(raw: &str) -> Result<String, StringError> {
    if !raw.contains('\\') {
        return Ok(raw.to_string());
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
        match *rest {
            [b'n', ..] => bytes.push(b'\n'),
            [b't', ..] => bytes.push(b'\t'),
            [c @ (b'"' | b'\\'), ..] => bytes.push(c),
            [high, low, ..] if hex(high).is_some() && hex(low).is_some() => {
                bytes.push(hex(high).unwrap_or(0) * 16 + hex(low).unwrap_or(0));
                rest = &rest[1..];
            }
            _ => return Err(StringError::Escape),
        }
        rest = &rest[1..];
    }
    String::from_utf8(bytes).map_err(|_| StringError::NotUtf8)
}

/// What the text between two brackets is, which is passed over unread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raw {
    /// Of a syntax that only its dialect knows. MLIR does not take `>=` in it, so neither is it taken here.
    Plain,
    /// With affine maps and sets.
    Affine,
}

/// The number of bytes before the `>` that closes an open `<`. `None` when brackets do not balance or nothing closes.
fn balanced_len(text: &str, raw: Raw) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'>' if raw == Raw::Affine && bytes.get(at + 1) == Some(&b'=') => at += 1,
            c @ (b'<' | b'(' | b'[' | b'{') => open.push(c),
            c @ (b'>' | b')' | b']' | b'}') => {
                let wanted = match c {
                    b'>' => b'<',
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                match open.pop() {
                    None if c == b'>' => return Some(at),
                    Some(bracket) if bracket == wanted => {}
                    _ => return None,
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A piece of source for a message: long ones are cut.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_string(),
    }
}
