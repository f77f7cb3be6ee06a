//! Reading types.

use smallvec::SmallVec;

use super::*;
use crate::text::foreign;
use crate::types::{FloatKind, Signedness, TypeData, TypeName};

/// Types of MLIR that dlc has no use for but takes, as they are written, where unregistered names are allowed.
const FOREIGN_SHAPED: [&str; 5] = ["tensor", "vector", "memref", "complex", "opaque"];
const FOREIGN_FLOATS: [&str; 10] = [
    "f80",
    "f128",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E5M2FNUZ",
];

impl<'s> Parser<'s> {
    /// Whether the next token can start a type.
    pub(super) fn at_type(&self) -> bool {
        match self.token {
            Token::TypeName | Token::LParen => true,
            Token::Word => {
                let word = self.text();
                builtin_scalar(word).is_some()
                    || matches!(word, "tuple" | "f8E8M0FNU")
                    || FOREIGN_SHAPED.contains(&word)
                    || FOREIGN_FLOATS.contains(&word)
                    || self.ctx.short_type(word).is_some()
            }
            _ => false,
        }
    }

    /// Reads a type.
    #[inline]
    pub fn parse_type(&mut self) -> ParseResult<Type> {
        let start = self.start;
        let ty = self.parse_type_alone()?;
        match self.token {
            Token::Word => self.parse_infix(start, ty),
            _ => Ok(ty),
        }
    }

    /// What a word after a type makes of it, if a type is spelled with that word.
    fn parse_infix(&mut self, start: usize, first: Type) -> ParseResult<Type> {
        let Some(name) = self.ctx.infix_type(self.text()) else { return Ok(first) };
        self.advance();
        let def = self.ctx.type_def(name);
        let mut params: SmallVec<[Attr; 4]> = SmallVec::from_elem(self.ctx.type_attr(first), 1);
        match def.parse {
            Some(parse) => params.extend(parse(self)?),
            None => params.extend(self.parse_params(def)?),
        }
        self.check_params(def, &params, start)?;
        Ok(self.ctx.ty(TypeData::Dialect { def: name, params: &params }))
    }

    #[inline]
    fn parse_type_alone(&mut self) -> ParseResult<Type> {
        if self.token == Token::Word {
            // The two that nearly every line has, without a look-up.
            match self.text() {
                "i64" => {
                    self.advance();
                    return Ok(Type::I64);
                }
                "f32" => {
                    self.advance();
                    return Ok(Type::F32);
                }
                _ => {}
            }
        }
        self.nested(Self::parse_type_inner)
    }

    fn parse_type_inner(&mut self) -> ParseResult<Type> {
        match self.token {
            Token::Word => self.parse_word_type(),
            Token::TypeName => self.parse_named_type(),
            Token::LParen => self.parse_function_type(),
            _ => self.expected("a type"),
        }
    }

    fn parse_word_type(&mut self) -> ParseResult<Type> {
        let word = self.text();
        if let Some(data) = builtin_scalar(word) {
            if let TypeData::Integer { width, .. } = data
                && (width == 0 || width >= 1 << 24)
            {
                let message = "an integer type has between 1 and 16777215 bits";
                return Err(self.fail(self.error(&BAD_LITERAL, message)));
            }
            self.advance();
            return Ok(self.ctx.ty(data));
        }
        if word == "tuple" {
            self.advance();
            let types = self.list(Token::Less, Token::Greater, Self::parse_type)?;
            return Ok(self.ctx.ty(TypeData::Tuple(&types)));
        }
        let body = &self.source[self.end..];
        let short = self.ctx.short_type(word);
        // `tensor<[M], f16>` is the short spelling of a dialect's type, `tensor<4xf16>` is a type of MLIR's, and so is
        // `vector<[4]xf16>` unless a dialect has taken the word.
        let listed = body.starts_with('<') && body[1..].trim_start().starts_with('[');
        let foreign = FOREIGN_SHAPED.contains(&word) && body.starts_with('<') && !(listed && short.is_some());
        if let Some(def) = short.filter(|_| !foreign) {
            return self.cached(|p| {
                p.advance();
                p.parse_type_params(def, true)
            });
        }
        if foreign || FOREIGN_FLOATS.contains(&word) || word == "f8E8M0FNU" {
            return self.parse_foreign_type();
        }
        if word.starts_with('i') && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.fail(self.error(&BAD_LITERAL, "an integer type has between 1 and 16777215 bits")));
        }
        let scalars = ["index", "none", "i1", "i8", "i16", "i32", "i64"].into_iter();
        let floats = FloatKind::ALL.into_iter().map(FloatKind::name);
        let shorts = self.ctx.dialects().iter().flat_map(|d| d.types).map(|def| def.short).filter(|s| !s.is_empty());
        let near = match foreign::element_type(word) {
            Some(own) => Some(format!("did you mean '{own}'?")),
            None => did_you_mean(word, scalars.chain(floats).chain(shorts)),
        };
        Err(self
            .fail(self.error(&UNKNOWN_TYPE, format!("expected a type, found '{}'", shorten(word))).suggest_if(near)))
    }

    /// A type of MLIR's that dlc does not compute with, kept as text.
    fn parse_foreign_type(&mut self) -> ParseResult<Type> {
        let (start, word) = (self.start, self.text());
        if !self.options.allow_unregistered {
            let message = match self.ctx.short_type(word) {
                Some(_) => format!("'{word}' is written here as MLIR does, and no layer of dlc uses such types"),
                None => format!("'{word}' is a type of MLIR that no layer of dlc uses"),
            };
            let own = self.own_spelling(word);
            let hint = own.unwrap_or_else(|| "with --allow-unregistered-dialect it is taken as it stands".into());
            return Err(self.fail(self.error(&UNKNOWN_TYPE, message).suggest(hint)));
        }
        self.advance();
        if self.eat(Token::Less) {
            // An integer set may stand in a layout.
            self.raw_body(Raw::Affine)?;
        }
        let text = self.expand_aliases(&self.source[start..self.last_end])?;
        let text = self.ctx.intern_str(&text);
        Ok(self.ctx.ty(TypeData::Opaque { dialect: Str::BUILTIN, text }))
    }

    /// `!dialect.type<..>`, `!dialect<..>` or an alias `!t`.
    fn parse_named_type(&mut self) -> ParseResult<Type> {
        let text = self.text();
        let has_body = self.source[self.end..].starts_with('<');
        if !text.contains('.') && !has_body {
            let found = match self.alias(text)? {
                Some(Alias::Type(ty)) => Some(ty),
                _ => None,
            };
            let Some(ty) = found else { return Err(self.no_such_alias(text)) };
            self.advance();
            return Ok(ty);
        }
        self.cached(|p| p.parse_dialect_type(&text[1..]))
    }

    fn parse_dialect_type(&mut self, name: &str) -> ParseResult<Type> {
        if let Some(def) = self.ctx.type_name(name) {
            self.advance();
            return self.parse_type_params(def, false);
        }
        let dialect = name.split('.').next().unwrap_or(name);
        if !self.options.allow_unregistered {
            let known = self.ctx.dialects().iter().flat_map(|d| d.types).map(|def| def.name);
            let near = did_you_mean(name, known);
            let message = format!("no dialect registers the type '!{}'", shorten(name));
            return Err(self.fail(self.error(&UNKNOWN_TYPE, message).suggest_if(near)));
        }
        let start = self.start;
        let dialect = self.ctx.intern_str(dialect);
        self.advance();
        if self.token == Token::Less && self.start == self.last_end {
            self.advance();
            self.raw_body(Raw::Plain)?;
        }
        let text = self.expand_aliases(&self.source[start..self.last_end])?;
        let text = self.ctx.intern_str(&text);
        Ok(self.ctx.ty(TypeData::Opaque { dialect, text }))
    }

    /// The type at the next token, which extends to the `>` of its body, from the cache or by `parse`.
    fn cached(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult<Type>) -> ParseResult<Type> {
        let start = self.start;
        let after = &self.source[self.end..];
        let len = match after.starts_with('<').then(|| balanced_len(&after[1..], Raw::Plain)) {
            Some(Some(len)) => len + 2,
            Some(None) => return parse(self),
            None => 0,
        };
        let spelling = &self.source[start..self.end + len];
        if let Some(&ty) = self.type_cache.get(spelling) {
            match len {
                0 => self.advance(),
                _ => {
                    let close = self.end + len - 1;
                    self.jump_to(close);
                    self.expect(Token::Greater)?;
                }
            }
            return Ok(ty);
        }
        let ty = parse(self)?;
        // What was read may be less than the brackets held: only an exact spelling is remembered.
        if self.last_end == start + spelling.len() {
            self.type_cache.insert(spelling, ty);
        }
        Ok(ty)
    }

    /// The parameters of a registered type, after its name.
    fn parse_type_params(&mut self, name: TypeName, short: bool) -> ParseResult<Type> {
        let def = self.ctx.type_def(name);
        let start = self.last_end;
        let params = match def.parse.filter(|_| short) {
            Some(parse) => {
                self.expect(Token::Less)?;
                let params = parse(self)?;
                self.expect(Token::Greater)?;
                params
            }
            None => self.parse_params(def)?,
        };
        self.check_params(def, &params, start)?;
        Ok(self.ctx.ty(TypeData::Dialect { def: name, params: &params }))
    }

    /// `<a, b>` with the parameters of a type or attribute; nothing when it has none.
    pub(super) fn parse_params(&mut self, def: &crate::op::TypeDef) -> ParseResult<SmallVec<[Attr; 4]>> {
        if def.params.is_empty() && self.token != Token::Less {
            return Ok(SmallVec::new());
        }
        Ok(self.list(Token::Less, Token::Greater, Self::parse_attr)?.into())
    }

    pub(super) fn check_params(&self, def: &crate::op::TypeDef, params: &[Attr], start: usize) -> ParseResult<()> {
        if let Err(reason) = def.check(self.ctx, params) {
            let message = format!("'{}': {reason}", def.name);
            let error = self.error_at(&BAD_LITERAL, start, message).spanning(self.last_end - start);
            let hint = (!def.example.is_empty()).then(|| format!("for example {}", def.example));
            return Err(self.fail(error.suggest_if(hint)));
        }
        Ok(())
    }

    /// `(a, b) -> c`
    fn parse_function_type(&mut self) -> ParseResult<Type> {
        let inputs = self.list(Token::LParen, Token::RParen, Self::parse_type)?;
        self.expect(Token::Arrow)?;
        let results = self.parse_result_types()?;
        Ok(self.ctx.function_type(&inputs, &results))
    }

    /// `t`, `()` or `(t, u)`: what follows the arrow of a function type.
    pub fn parse_result_types(&mut self) -> ParseResult<SmallVec<[Type; 2]>> {
        if self.token != Token::LParen {
            return Ok(SmallVec::from_elem(self.parse_type()?, 1));
        }
        Ok(self.list(Token::LParen, Token::RParen, Self::parse_type)?.into())
    }
}

/// The builtin type of a word: integers, `index`, floats, `none`. Widths out of range come out as 0.
pub(super) fn builtin_scalar(word: &str) -> Option<TypeData<'static>> {
    let (sign, digits) = match word.as_bytes() {
        [b'i', digit, ..] if digit.is_ascii_digit() => (Signedness::Signless, &word[1..]),
        [b's', b'i', digit, ..] if digit.is_ascii_digit() => (Signedness::Signed, &word[2..]),
        [b'u', b'i', digit, ..] if digit.is_ascii_digit() => (Signedness::Unsigned, &word[2..]),
        _ => {
            return match word {
                "index" => Some(TypeData::Index),
                "none" => Some(TypeData::None),
                _ => FloatKind::ALL.into_iter().find(|kind| kind.name() == word).map(TypeData::Float),
            };
        }
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(TypeData::Integer { width: digits.parse().unwrap_or(0), sign })
}
