//! Reading attributes.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::*;
use crate::affine::{AffineMap, IntegerSet};
use crate::attrs::{AttrData, NamedAttr, integer_fits, wrap_integer};
use crate::types::{FloatKind, TypeData};

/// Longer dictionaries are not looked up by their text.
const CACHED_DICT: usize = 256;
/// Keys are compared one by one up to this many, and by a table beyond.
const FEW_KEYS: usize = 16;
/// No more than this many dictionaries are remembered: a text where all differ gains nothing.
const CACHED_DICTS: usize = 4096;

impl<'s> Parser<'s> {
    /// Reads an attribute.
    pub fn parse_attr(&mut self) -> ParseResult<Attr> {
        self.nested(|p| p.parse_attr_typed(None))
    }

    /// Reads an attribute whose type is known: a literal need not repeat it.
    pub fn parse_attr_of(&mut self, ty: Type) -> ParseResult<Attr> {
        self.nested(|p| p.parse_attr_typed(Some(ty)))
    }

    fn parse_attr_typed(&mut self, ty: Option<Type>) -> ParseResult<Attr> {
        match self.token {
            Token::Integer | Token::Hex | Token::Float | Token::Minus => self.parse_number(ty),
            Token::String => self.parse_string_attr(),
            Token::LBracket => {
                let items = self.list(Token::LBracket, Token::RBracket, Self::parse_attr)?;
                Ok(self.ctx.array_attr(&items))
            }
            Token::LBrace => self.parse_dict(),
            Token::Symbol | Token::QuotedSymbol => self.parse_symbol_path(),
            Token::AttrName => self.parse_named_attr(),
            Token::Word => self.parse_word_attr(),
            Token::TypeName | Token::LParen => Ok(self.ctx.type_attr(self.parse_type()?)),
            _ => self.expected("an attribute"),
        }
    }

    fn parse_word_attr(&mut self) -> ParseResult<Attr> {
        match self.text() {
            "true" => {
                self.advance();
                Ok(Attr::TRUE)
            }
            "false" => {
                self.advance();
                Ok(Attr::FALSE)
            }
            "unit" => {
                self.advance();
                Ok(Attr::UNIT)
            }
            "affine_map" => {
                let body = self.affine_body()?;
                let map = self.affine(body, AffineMap::parse(body))?;
                Ok(self.ctx.attr(AttrData::AffineMap(Arc::new(map))))
            }
            "affine_set" => {
                let body = self.affine_body()?;
                let set = self.affine(body, IntegerSet::parse(body))?;
                Ok(self.ctx.attr(AttrData::IntegerSet(Arc::new(set))))
            }
            "array" => self.parse_dense_array(),
            "dense" => self.parse_dense(),
            "dense_resource" => self.parse_dense_resource(),
            "loc" if self.source[self.end..].trim_start().starts_with('(') => {
                let loc = self.parse_loc()?;
                Ok(self.ctx.attr(AttrData::Loc(loc)))
            }
            "sparse" | "opaque" | "strided" | "distinct" | "dense_typed" => self.parse_foreign_attr(),
            _ if self.at_type() => Ok(self.ctx.type_attr(self.parse_type()?)),
            word => {
                let known = [
                    "true",
                    "false",
                    "unit",
                    "affine_map",
                    "affine_set",
                    "array",
                    "dense",
                    "dense_resource",
                    "loc",
                    "index",
                    "none",
                    "tuple",
                ];
                let floats = FloatKind::ALL.into_iter().map(FloatKind::name);
                let near = did_you_mean(word, known.into_iter().chain(floats));
                let message = format!("expected an attribute, found '{}'", shorten(word));
                Err(self.fail(self.error(&SYNTAX, message).suggest_if(near)))
            }
        }
    }

    /// Takes the word before, and `<` body `>`.
    fn affine_body(&mut self) -> ParseResult<&'s str> {
        self.advance();
        self.expect(Token::Less)?;
        self.raw_body(Raw::Affine)
    }

    fn affine<T>(&self, body: &'s str, parsed: Result<T, crate::affine::AffineError>) -> ParseResult<T> {
        parsed.map_err(|error| {
            // `body` is a piece of the source: its address tells where the error stands.
            let offset = body.as_ptr() as usize - self.source.as_ptr() as usize + error.span.start;
            self.fail(self.error_at(&SYNTAX, offset, error.message).spanning(error.span.len()))
        })
    }

    /// An attribute of MLIR's that dlc does not compute with, kept as text.
    fn parse_foreign_attr(&mut self) -> ParseResult<Attr> {
        if !self.options.allow_unregistered {
            let message = format!("'{}' is an attribute of MLIR that no layer of dlc uses", self.text());
            let hint = "with --allow-unregistered-dialect it is taken as it stands";
            return Err(self.fail(self.error(&UNKNOWN_ATTR, message).suggest(hint)));
        }
        let start = self.start;
        self.advance();
        if self.eat(Token::LBracket) {
            self.expect(Token::Integer)?;
            self.expect(Token::RBracket)?;
        }
        self.expect(Token::Less)?;
        self.raw_body(Raw::Plain)?;
        let end = self.last_end;
        self.opaque_attr(Str::BUILTIN, start, end)
    }

    /// Text that is kept, with the type that may follow it.
    pub(super) fn opaque_attr(&mut self, dialect: Str, start: usize, end: usize) -> ParseResult<Attr> {
        let text = self.expand_aliases(&self.source[start..end])?;
        let text = self.ctx.intern_str(&text);
        let ty = if self.eat(Token::Colon) { Some(self.parse_type()?) } else { None };
        Ok(self.ctx.attr(AttrData::Opaque { dialect, text, ty }))
    }

    fn parse_string_attr(&mut self) -> ParseResult<Attr> {
        let (start, raw) = (self.start, self.text());
        let foreign = self.options.allow_unregistered;
        // Strings of MLIR hold any bytes; those that are no text are kept as they were written.
        let text = match unescape(&raw[1..raw.len() - 1]) {
            Err(StringError::NotUtf8) if foreign => None,
            text => Some(text.map_err(|error| self.bad_string(error))?),
        };
        self.advance();
        match text {
            Some(text) if !(foreign && self.token == Token::Colon) => Ok(self.ctx.str_attr(&text)),
            _ => {
                let end = self.last_end;
                self.opaque_attr(Str::BUILTIN, start, end)
            }
        }
    }

    /// `#dialect.attr<..>`, `#dialect<..>` or an alias `#a`.
    fn parse_named_attr(&mut self) -> ParseResult<Attr> {
        let text = self.text();
        let has_body = self.source[self.end..].starts_with('<');
        if !text.contains('.') && !has_body {
            let ctx = self.ctx;
            let found = match self.alias(text)? {
                Some(Alias::Attr(attr)) => Some(attr),
                Some(Alias::Loc(loc)) => Some(ctx.attr(AttrData::Loc(loc))),
                _ => None,
            };
            let Some(attr) = found else { return Err(self.no_such_alias(text)) };
            self.advance();
            return Ok(attr);
        }
        let name = &text[1..];
        if let Some(def) = self.ctx.attr_name(name) {
            let declared = self.ctx.attr_def(def);
            self.advance();
            let start = self.last_end;
            let params = self.parse_params(declared)?;
            self.check_params(declared, &params, start)?;
            return Ok(self.ctx.attr(AttrData::Dialect { def, params: &params }));
        }
        if !self.options.allow_unregistered {
            let known = self.ctx.dialects().iter().flat_map(|d| d.attrs).map(|def| def.name);
            let near = did_you_mean(name, known);
            let message = format!("no dialect registers the attribute '#{}'", shorten(name));
            return Err(self.fail(self.error(&UNKNOWN_ATTR, message).suggest_if(near)));
        }
        let dialect = self.ctx.intern_str(name.split('.').next().unwrap_or(name));
        let start = self.start;
        self.advance();
        if self.token == Token::Less && self.start == self.last_end {
            self.advance();
            self.raw_body(Raw::Plain)?;
        }
        let end = self.last_end;
        self.opaque_attr(dialect, start, end)
    }

    // Dictionaries.

    /// `{a = 1, b}`
    pub fn parse_dict(&mut self) -> ParseResult<Attr> {
        let entries = self.parse_entries(Token::LBrace, Token::RBrace)?;
        Ok(self.ctx.dict_attr(&entries))
    }

    /// The entries of a dictionary between two brackets; no key twice.
    pub(super) fn parse_entries(&mut self, open: Token, close: Token) -> ParseResult<SmallVec<[NamedAttr; 4]>> {
        let mut entries: SmallVec<[NamedAttr; 4]> = SmallVec::new();
        // Dictionaries repeat: one on a single line without inner braces is looked up by its text.
        let start = self.end;
        let line = &self.source.as_bytes()[start..self.source.len().min(start + CACHED_DICT)];
        let len = memchr::memchr3(b'}', b'{', b'\n', line).filter(|&len| open == Token::LBrace && line[len] == b'}');
        let spelling = len.map(|len| &self.source[start..start + len]);
        if let Some(known) = spelling.and_then(|spelling| self.dict_cache.get(spelling)) {
            entries.clone_from(known);
            let end = start + spelling.map_or(0, str::len);
            self.jump_to(end);
            self.advance();
            return Ok(entries);
        }
        self.expect(open)?;
        if self.eat(close) {
            return Ok(entries);
        }
        let expanded = self.aliases.expanded();
        let mut keys: FxHashSet<Str> = FxHashSet::default();
        loop {
            let (start, loc) = (self.start, self.loc());
            let key = self.parse_key()?;
            let twice = match entries.len() {
                0..=FEW_KEYS => entries.iter().any(|(k, _)| *k == key),
                _ => {
                    if keys.is_empty() {
                        keys.extend(entries.iter().map(|(k, _)| *k));
                    }
                    !keys.insert(key)
                }
            };
            if twice {
                let message = format!("the key '{}' stands twice", self.ctx.str(key));
                let error = Diagnostic::error(&REDEFINED, loc, message).spanning(self.last_end - start);
                return Err(self.fail(error));
            }
            let attr = if self.eat(Token::Equal) { self.parse_attr()? } else { Attr::UNIT };
            entries.push((key, attr));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if self.token != close {
            return self.expected(&format!("',' or {}", close.describe()));
        }
        // What aliases stand for is counted at each use, so it is read again.
        let whole = |spelling: &&str| {
            start + spelling.len() == self.start
                && self.dict_cache.len() < CACHED_DICTS
                && self.aliases.expanded() == expanded
        };
        if let Some(spelling) = spelling.filter(whole) {
            self.dict_cache.insert(spelling, entries.clone());
        }
        self.advance();
        Ok(entries)
    }

    fn parse_key(&mut self) -> ParseResult<Str> {
        let key = match self.token {
            Token::Word => self.ctx.intern_str(self.text()),
            Token::String => {
                let text = self.text();
                let key = self.unescape(&text[1..text.len() - 1])?;
                if key.is_empty() {
                    return self.expected("a key that is not empty");
                }
                self.ctx.intern_str(&key)
            }
            _ => return self.expected("a key"),
        };
        self.advance();
        Ok(key)
    }

    // Symbols.

    /// `@f`, as a name that is defined.
    pub fn symbol_name(&mut self) -> ParseResult<Str> {
        let text = self.text();
        let name = match self.token {
            Token::Symbol => self.ctx.intern_str(&text[1..]),
            Token::QuotedSymbol => {
                let name = self.unescape(&text[2..text.len() - 1])?;
                self.ctx.intern_str(&name)
            }
            _ => return self.expected("a symbol"),
        };
        self.advance();
        Ok(name)
    }

    /// `@f::@g`, as a reference.
    pub fn parse_symbol_path(&mut self) -> ParseResult<Attr> {
        let mut path: SmallVec<[Str; 2]> = SmallVec::from_elem(self.symbol_name()?, 1);
        while self.eat(Token::ColonColon) {
            path.push(self.symbol_name()?);
        }
        Ok(self.ctx.attr(AttrData::Symbol(&path)))
    }

    // Numbers.

    /// A number literal, with `: type` where none is known.
    fn parse_number(&mut self, known: Option<Type>) -> ParseResult<Attr> {
        let start = self.start;
        let negative = self.eat(Token::Minus);
        let (token, text) = (self.token, self.text());
        if !matches!(token, Token::Integer | Token::Hex | Token::Float) {
            return self.expected("a number");
        }
        self.advance();
        let end = self.last_end;
        let ty = match known {
            Some(ty) => ty,
            None if self.eat(Token::Colon) => self.parse_type()?,
            None if token == Token::Float => Type::F64,
            None => Type::I64,
        };
        self.number(negative, token, text, ty)
            .map_err(|reason| self.fail(self.error_at(&BAD_LITERAL, start, reason).spanning(end - start)))
    }

    /// The attribute of a literal.
    pub(super) fn number(&self, negative: bool, token: Token, text: &str, ty: Type) -> Result<Attr, String> {
        let data = self.ctx.type_data(ty);
        let shown = || super::printer::type_to_string(self.ctx, ty);
        match data {
            TypeData::Index | TypeData::Integer { .. } => {
                if token == Token::Float {
                    return Err(format!("a float literal cannot be of type {}", shown()));
                }
                let (digits, radix) = if token == Token::Hex { (&text[2..], 16) } else { (text, 10) };
                let too_large = || format!("the integer does not fit the type {}", shown());
                let value = match i128::from_str_radix(digits, radix) {
                    Ok(magnitude) if negative => Ok(-magnitude),
                    // The lowest integer has no positive counterpart.
                    Err(_) if negative => i128::from_str_radix(&format!("-{digits}"), radix),
                    other => other,
                };
                let value = match value {
                    Ok(value) => value,
                    // More than the 128 bits that dlc computes with; MLIR has types for it.
                    Err(_) if self.options.allow_unregistered && ty.bits(self.ctx).is_some_and(|bits| bits > 127) => {
                        return Ok(self.foreign_number(negative, text, ty));
                    }
                    Err(_) if ty.bits(self.ctx).is_some_and(|bits| bits > 127) => {
                        return Err("dlc computes with at most 128 bits, and the integer has more".to_string());
                    }
                    Err(_) => return Err(too_large()),
                };
                if !integer_fits(value, data) {
                    return Err(too_large());
                }
                Ok(self.ctx.attr(AttrData::Integer { ty, value: wrap_integer(value, data) }))
            }
            TypeData::Float(kind) => {
                let bits = float_literal(negative, token, text, *kind)?;
                Ok(self.ctx.attr(AttrData::Float { ty, bits }))
            }
            _ if self.options.allow_unregistered => {
                // A number of a type that nobody here knows.
                Ok(self.foreign_number(negative, text, ty))
            }
            _ => Err(format!("a number cannot be of type {}", shown())),
        }
    }

    fn foreign_number(&self, negative: bool, text: &str, ty: Type) -> Attr {
        let sign = if negative { "-" } else { "" };
        let text = self.ctx.intern_str(&format!("{sign}{text}"));
        self.ctx.attr(AttrData::Opaque { dialect: Str::BUILTIN, text, ty: Some(ty) })
    }

    /// `array<i64: 1, 2>`
    fn parse_dense_array(&mut self) -> ParseResult<Attr> {
        self.advance();
        self.expect(Token::Less)?;
        let loc = self.start;
        let elem = self.parse_type()?;
        if !matches!(self.ctx.type_data(elem), TypeData::Integer { .. } | TypeData::Float(_)) {
            let message = "the elements of an array are integers or floats";
            return Err(self.fail(self.error_at(&BAD_LITERAL, loc, message).spanning(self.last_end - loc)));
        }
        let mut items: SmallVec<[Attr; 8]> = SmallVec::new();
        if self.eat(Token::Colon) {
            loop {
                items.push(match self.text() {
                    "true" | "false" if elem == Type::I1 => self.parse_attr()?,
                    _ => self.parse_number(Some(elem))?,
                });
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::Greater)?;
        Ok(self.ctx.attr(AttrData::DenseArray { elem, items: &items }))
    }
}

/// The bits of a float literal in a format. A hexadecimal literal is the bits themselves; a decimal one is rounded to
/// nearest, ties to even.
pub(super) fn float_literal(negative: bool, token: Token, text: &str, kind: FloatKind) -> Result<u64, String> {
    match token {
        Token::Hex => {
            let bits = u64::from_str_radix(&text[2..], 16).ok();
            let fits = |bits: &u64| kind.bits() == 64 || *bits >> kind.bits() == 0;
            match bits.filter(fits) {
                Some(_) if negative => Err("the bits of a float are written without a sign".into()),
                Some(bits) => Ok(bits),
                None => Err(format!("the bits do not fit {} bits", kind.bits())),
            }
        }
        Token::Float => {
            let value: f64 = text.parse().map_err(|_| "this is no float".to_string())?;
            Ok(crate::float::encode(if negative { -value } else { value }, kind))
        }
        _ => Err(format!("a float is written with a dot: {text}.0")),
    }
}
