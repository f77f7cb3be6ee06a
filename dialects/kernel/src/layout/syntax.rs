//! How layouts are written. The generic form is a string with the same text, in canonical spelling.

use std::fmt;
use std::str::FromStr;

use dlc_ir::define::Kind;
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::AttrKind;
use dlc_ir::text::{BAD_LITERAL, ParseFailed, ParseResult, Parser, Token};
use dlc_ir::{Attr, Context};

use super::distributed::{Bits, Blocked, Distributed, MAX_RANK};
use super::shared::Shared;

/// The words that a distributed layout begins with.
const DISTRIBUTED: &[&str] = &["wgmma", "wgmma_a", "mma", "mma_a", "mma_b", "blocked", "slice", "bits"];

/// The words that a shared layout begins with.
const SHARED: &[&str] = &["row_major", "col_major", "swizzle", "interleaved"];

impl fmt::Display for Distributed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distributed::Wgmma => f.write_str("wgmma"),
            Distributed::WgmmaA => f.write_str("wgmma_a"),
            Distributed::Mma(grid) => write!(f, "mma {grid:?}"),
            Distributed::MmaA(grid) => write!(f, "mma_a {grid:?}"),
            Distributed::MmaB(grid) => write!(f, "mma_b {grid:?}"),
            Distributed::Blocked(Blocked { thread, lanes, warps, order }) => {
                write!(f, "blocked {thread:?} lanes {lanes:?} warps {warps:?}")?;
                let default = (0..thread.len() as u32).rev();
                if default.eq(order.iter().copied()) { Ok(()) } else { write!(f, " order {order:?}") }
            }
            Distributed::Slice { axis, of } => write!(f, "slice {axis} of ({of})"),
            Distributed::Bits(Bits { register, lane, warp }) => {
                write!(f, "bits (register {register:?}, lane {lane:?}, warp {warp:?})")
            }
        }
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, rows) = match *self {
            Shared::RowMajor { pitch } => ("row_major", pitch.map(|pitch| ("pitch", pitch))),
            Shared::ColMajor { pitch } => ("col_major", pitch.map(|pitch| ("pitch", pitch))),
            Shared::Panels { span: 16, rows } => ("interleaved", rows.map(|rows| ("rows", rows))),
            Shared::Panels { rows, .. } => ("swizzle", rows.map(|rows| ("rows", rows))),
        };
        f.write_str(word)?;
        if let Shared::Panels { span, .. } = *self
            && span != 16
        {
            write!(f, " {span}")?;
        }
        match rows {
            Some((word, number)) => write!(f, " {word} {number}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Distributed {
    type Err = String;
    fn from_str(text: &str) -> Result<Distributed, String> {
        let mut reader = Text { rest: text };
        let layout = distributed(&mut reader, 0)?;
        reader.end()?;
        layout.check().map(|()| layout)
    }
}

impl FromStr for Shared {
    type Err = String;
    fn from_str(text: &str) -> Result<Shared, String> {
        let mut reader = Text { rest: text };
        let layout = shared(&mut reader)?;
        reader.end()?;
        layout.check().map(|()| layout)
    }
}

/// Reads a distributed layout in custom form.
pub fn parse_distributed(p: &mut Parser<'_>) -> ParseResult<Distributed> {
    let start = p.loc();
    let layout = distributed(p, 0)?;
    layout.check().map_err(|message| p.fail(Diagnostic::error(&BAD_LITERAL, start, message)))?;
    Ok(layout)
}

/// Reads a shared layout in custom form.
pub fn parse_shared(p: &mut Parser<'_>) -> ParseResult<Shared> {
    let start = p.loc();
    let layout = shared(p)?;
    layout.check().map_err(|message| p.fail(Diagnostic::error(&BAD_LITERAL, start, message)))?;
    Ok(layout)
}

impl Kind for Distributed {
    type Value<'a> = Distributed;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a distributed layout, such as \"wgmma\" or \"blocked [1, 8] lanes [4, 8] warps [4, 1]\", \
               in canonical form",
        admits: |ctx, attr| canonical::<Distributed>(ctx, attr).is_some(),
        parse: Some(|p| Ok(Distributed::make(p.ctx, parse_distributed(p)?))),
        print: Some(|p, attr| p.write(attr.as_str(p.ctx).unwrap_or_default())),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Distributed> {
        canonical(ctx, attr)
    }
    fn make(ctx: &Context, layout: Distributed) -> Attr {
        ctx.str_attr(&layout.to_string())
    }
}

impl Kind for Shared {
    type Value<'a> = Shared;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a shared layout, such as \"swizzle 128\" or \"row_major pitch 72\", in canonical form",
        admits: |ctx, attr| canonical::<Shared>(ctx, attr).is_some(),
        parse: Some(|p| Ok(Shared::make(p.ctx, parse_shared(p)?))),
        print: Some(|p, attr| p.write(attr.as_str(p.ctx).unwrap_or_default())),
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Shared> {
        canonical(ctx, attr)
    }
    fn make(ctx: &Context, layout: Shared) -> Attr {
        ctx.str_attr(&layout.to_string())
    }
}

/// What a string spells, if it is the canonical spelling. Each string is read once.
fn canonical<L: FromStr + fmt::Display + Clone + Send + Sync + 'static>(ctx: &Context, attr: Attr) -> Option<L> {
    let text = attr.as_str(ctx)?;
    let read = || text.parse::<L>().ok().filter(|layout| layout.to_string() == text);
    (*ctx.derived::<Option<L>>(attr, read)).clone()
}

/// What layouts are read from: the text of the IR, or a string.
trait Reader {
    type Error;
    fn one_of(&mut self, what: &str, words: &[&'static str]) -> Result<&'static str, Self::Error>;
    fn eat_word(&mut self, word: &str) -> bool;
    fn eat(&mut self, token: Token) -> bool;
    fn number(&mut self) -> Result<u32, Self::Error>;
    fn expected<T>(&mut self, what: &str) -> Result<T, Self::Error>;

    fn expect(&mut self, token: Token) -> Result<(), Self::Error> {
        if self.eat(token) { Ok(()) } else { self.expected(token.describe()) }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Self::Error> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("'{word}'")) }
    }
}

fn distributed<R: Reader>(r: &mut R, depth: usize) -> Result<Distributed, R::Error> {
    Ok(match r.one_of("distributed layout", DISTRIBUTED)? {
        "wgmma" => Distributed::Wgmma,
        "wgmma_a" => Distributed::WgmmaA,
        "mma" => Distributed::Mma(grid(r)?),
        "mma_a" => Distributed::MmaA(grid(r)?),
        "mma_b" => Distributed::MmaB(grid(r)?),
        "blocked" => {
            let thread = list(r, R::number)?;
            r.expect_word("lanes")?;
            let lanes = list(r, R::number)?;
            r.expect_word("warps")?;
            let warps = list(r, R::number)?;
            let order = match r.eat_word("order") {
                true => list(r, R::number)?,
                false => (0..thread.len() as u32).rev().collect(),
            };
            Distributed::Blocked(Blocked { thread, lanes, warps, order })
        }
        "slice" => {
            let axis = r.number()?;
            r.expect_word("of")?;
            r.expect(Token::LParen)?;
            if depth >= MAX_RANK {
                return r.expected(&format!("at most {MAX_RANK} slices"));
            }
            let of = Box::new(distributed(r, depth + 1)?);
            r.expect(Token::RParen)?;
            Distributed::Slice { axis, of }
        }
        _ => {
            r.expect(Token::LParen)?;
            let mut bits = Bits::default();
            for (word, columns) in
                [("register", &mut bits.register), ("lane", &mut bits.lane), ("warp", &mut bits.warp)]
            {
                if word != "register" {
                    r.expect(Token::Comma)?;
                }
                r.expect_word(word)?;
                *columns = list(r, |r| list(r, R::number))?;
            }
            r.expect(Token::RParen)?;
            Distributed::Bits(bits)
        }
    })
}

fn shared<R: Reader>(r: &mut R) -> Result<Shared, R::Error> {
    let optional = |r: &mut R, word: &str| if r.eat_word(word) { r.number().map(Some) } else { Ok(None) };
    Ok(match r.one_of("shared layout", SHARED)? {
        "row_major" => Shared::RowMajor { pitch: optional(r, "pitch")? },
        "col_major" => Shared::ColMajor { pitch: optional(r, "pitch")? },
        "interleaved" => Shared::Panels { span: 16, rows: optional(r, "rows")? },
        _ => Shared::Panels { span: r.number()?, rows: optional(r, "rows")? },
    })
}

/// `[2, 2]`
fn grid<R: Reader>(r: &mut R) -> Result<[u32; 2], R::Error> {
    r.expect(Token::LBracket)?;
    let rows = r.number()?;
    r.expect(Token::Comma)?;
    let columns = r.number()?;
    r.expect(Token::RBracket)?;
    Ok([rows, columns])
}

/// Items in brackets, with commas between.
fn list<R: Reader, T>(r: &mut R, mut item: impl FnMut(&mut R) -> Result<T, R::Error>) -> Result<Vec<T>, R::Error> {
    r.expect(Token::LBracket)?;
    let mut items = Vec::new();
    if r.eat(Token::RBracket) {
        return Ok(items);
    }
    loop {
        items.push(item(r)?);
        if !r.eat(Token::Comma) {
            r.expect(Token::RBracket)?;
            return Ok(items);
        }
    }
}

impl Reader for Parser<'_> {
    type Error = ParseFailed;
    fn one_of(&mut self, what: &str, words: &[&'static str]) -> ParseResult<&'static str> {
        Parser::one_of(self, what, words)
    }
    fn eat_word(&mut self, word: &str) -> bool {
        Parser::eat_word(self, word)
    }
    fn eat(&mut self, token: Token) -> bool {
        Parser::eat(self, token)
    }
    fn number(&mut self) -> ParseResult<u32> {
        let start = self.loc();
        let value = self.integer()?;
        u32::try_from(value).map_err(|_| {
            let message = format!("a number of a layout is not negative and fits 32 bits, {value} does not");
            self.fail(Diagnostic::error(&BAD_LITERAL, start, message))
        })
    }
    fn expected<T>(&mut self, what: &str) -> ParseResult<T> {
        Parser::expected(self, what)
    }
}

/// A string that is read.
struct Text<'t> {
    rest: &'t str,
}

impl<'t> Text<'t> {
    /// The longest piece of such characters, and what follows it.
    fn piece(&mut self, inside: impl Fn(char) -> bool) -> (&'t str, &'t str) {
        self.rest = self.rest.trim_start();
        self.rest.split_at(self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len()))
    }

    fn word(&mut self) -> (&'t str, &'t str) {
        self.piece(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn end(&mut self) -> Result<(), String> {
        if self.rest.trim().is_empty() { Ok(()) } else { self.expected("the end") }
    }
}

impl Reader for Text<'_> {
    type Error = String;
    fn one_of(&mut self, what: &str, words: &[&'static str]) -> Result<&'static str, String> {
        let (word, rest) = self.word();
        match words.iter().find(|&&known| known == word) {
            Some(known) => {
                self.rest = rest;
                Ok(known)
            }
            None => self.expected(&format!("a {what}: {}", words.join(", "))),
        }
    }
    fn eat_word(&mut self, word: &str) -> bool {
        let (found, rest) = self.word();
        if found == word {
            self.rest = rest;
        }
        found == word
    }
    fn eat(&mut self, token: Token) -> bool {
        let text = match token {
            Token::LParen => "(",
            Token::RParen => ")",
            Token::LBracket => "[",
            Token::RBracket => "]",
            Token::Comma => ",",
            _ => return false,
        };
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }
    fn number(&mut self) -> Result<u32, String> {
        let (digits, rest) = self.piece(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) => {
                self.rest = rest;
                Ok(number)
            }
            Err(_) => self.expected("a number of at most 32 bits"),
        }
    }
    fn expected<T>(&mut self, what: &str) -> Result<T, String> {
        let found: String = self.rest.trim_start().chars().take(20).collect();
        Err(match found.is_empty() {
            true => format!("expected {what}, found the end"),
            false => format!("expected {what}, found '{found}'"),
        })
    }
}
