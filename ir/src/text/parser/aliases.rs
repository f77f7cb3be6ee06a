//! Aliases: names at the start of a line that stand for an attribute, a type or a location.
//!
//! An alias may stand for many others, each of which may do so again: a few lines can mean more than any memory holds,
//! or nest deeper than any stack. So each use counts the parts that it means, and text may mean at most a multiple of
//! its own length.

use super::*;
use crate::attrs::AttrData;
use crate::location::LocData;
use crate::types::TypeData;

/// What an alias stands for.
#[derive(Clone, Copy)]
pub(super) enum Alias {
    /// Read when it is first used.
    Defined,
    /// Being read: a use of it now is a cycle.
    InProgress,
    Attr(Attr),
    Type(Type),
    Loc(Loc),
}

/// How large a value is when it is written out.
#[derive(Clone, Copy, Default)]
struct Extent {
    parts: u64,
    depth: u32,
}

impl Extent {
    fn of(parts: usize) -> Extent {
        Extent { parts: parts as u64, depth: 1 }
    }

    /// With something inside it.
    fn with(self, inner: Extent) -> Extent {
        Extent { parts: self.parts.saturating_add(inner.parts), depth: self.depth.max(inner.depth + 1) }
    }
}

/// The aliases of a text.
pub(super) struct Aliases<'s> {
    /// Each with the byte at which its definition starts, after the `=`.
    known: FxHashMap<&'s str, (usize, Alias)>,
    attrs: FxHashMap<Attr, Extent>,
    types: FxHashMap<Type, Extent>,
    locs: FxHashMap<Loc, Extent>,
    /// The parts that all uses so far mean together, and the most that they may.
    expanded: u64,
    limit: u64,
}

/// A text may mean this many parts by aliases, and in addition so many for each of its bytes.
const EXPANDED: u64 = 1 << 22;
const EXPANDED_BY_BYTE: u64 = 64;

impl<'s> Aliases<'s> {
    /// Finds the lines that define aliases, so that a use may stand before the definition, as MLIR prints locations.
    pub(super) fn new(source: &'s str) -> Aliases<'s> {
        let mut known = FxHashMap::default();
        let bytes = source.as_bytes();
        let mut line = 0;
        while line < bytes.len() {
            if matches!(bytes[line], b'#' | b'!') {
                let name_len =
                    bytes[line + 1..].iter().take_while(|&&b| b.is_ascii_alphanumeric() || b"_$".contains(&b)).count();
                let name = &source[line..line + 1 + name_len];
                let after = &source[line + 1 + name_len..];
                let rest = after.trim_start_matches([' ', '\t']);
                if name_len > 0 && rest.starts_with('=') {
                    let offset = source.len() - rest.len() + 1;
                    known.entry(name).or_insert((offset, Alias::Defined));
                }
            }
            match memchr::memchr2_iter(b'#', b'!', &bytes[line + 1..]).find(|at| bytes[line + at] == b'\n') {
                Some(at) => line += at + 1,
                None => break,
            }
        }
        Aliases {
            known,
            attrs: FxHashMap::default(),
            types: FxHashMap::default(),
            locs: FxHashMap::default(),
            expanded: 0,
            limit: EXPANDED + EXPANDED_BY_BYTE * source.len() as u64,
        }
    }

    /// The parts that all uses so far mean together.
    pub(super) fn expanded(&self) -> u64 {
        self.expanded
    }

    fn alias(&mut self, ctx: &Context, alias: Alias) -> Extent {
        match alias {
            Alias::Defined | Alias::InProgress => Extent::default(),
            Alias::Attr(attr) => self.attr(ctx, attr),
            Alias::Type(ty) => self.ty(ctx, ty),
            Alias::Loc(loc) => self.loc(ctx, loc),
        }
    }

    fn attr(&mut self, ctx: &Context, attr: Attr) -> Extent {
        if let Some(&known) = self.attrs.get(&attr) {
            return known;
        }
        let extent = match ctx.attr_data(attr) {
            AttrData::Unit | AttrData::Integer { .. } | AttrData::Float { .. } => Extent::of(1),
            AttrData::AffineMap(_) | AttrData::IntegerSet(_) => Extent::of(16),
            AttrData::String(text) => Extent::of(1 + ctx.str(*text).len() / 8),
            AttrData::Symbol(path) => Extent::of(path.len()),
            AttrData::DenseArray { items, .. } => Extent::of(1 + items.len()),
            AttrData::Dense(dense) => Extent::of(1 + dense.payload.len() / 4),
            AttrData::Array(items) | AttrData::Dialect { params: items, .. } => {
                items.iter().fold(Extent::of(1), |extent, &item| extent.with(self.attr(ctx, item)))
            }
            AttrData::Dict(entries) => entries
                .iter()
                .fold(Extent::of(1 + entries.len()), |extent, &(_, item)| extent.with(self.attr(ctx, item))),
            AttrData::Type(ty) | AttrData::Resource { ty, .. } => Extent::of(1).with(self.ty(ctx, *ty)),
            AttrData::Loc(loc) => Extent::of(1).with(self.loc(ctx, *loc)),
            AttrData::Opaque { text, ty, .. } => {
                let extent = Extent::of(1 + ctx.str(*text).len() / 8);
                ty.map_or(extent, |ty| extent.with(self.ty(ctx, ty)))
            }
        };
        self.attrs.insert(attr, extent);
        extent
    }

    fn ty(&mut self, ctx: &Context, ty: Type) -> Extent {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let extent = match ctx.type_data(ty) {
            TypeData::None | TypeData::Index | TypeData::Integer { .. } | TypeData::Float(_) => Extent::of(1),
            TypeData::Function { inputs, results } => {
                inputs.iter().chain(*results).fold(Extent::of(1), |extent, &ty| extent.with(self.ty(ctx, ty)))
            }
            TypeData::Tuple(types) => types.iter().fold(Extent::of(1), |extent, &ty| extent.with(self.ty(ctx, ty))),
            TypeData::Dialect { params, .. } => {
                params.iter().fold(Extent::of(1), |extent, &param| extent.with(self.attr(ctx, param)))
            }
            TypeData::Opaque { text, .. } => Extent::of(1 + ctx.str(*text).len() / 8),
        };
        self.types.insert(ty, extent);
        extent
    }

    fn loc(&mut self, ctx: &Context, loc: Loc) -> Extent {
        if let Some(&known) = self.locs.get(&loc) {
            return known;
        }
        let extent = match ctx.loc_data(loc) {
            None | Some(LocData::File { .. }) => Extent::of(1),
            Some(LocData::Name { child, .. }) => Extent::of(1).with(self.loc(ctx, *child)),
            Some(LocData::CallSite { callee, caller }) => {
                Extent::of(1).with(self.loc(ctx, *callee)).with(self.loc(ctx, *caller))
            }
            Some(LocData::Fused { locs, meta }) => {
                let extent = locs.iter().fold(Extent::of(1), |extent, &loc| extent.with(self.loc(ctx, loc)));
                meta.map_or(extent, |meta| extent.with(self.attr(ctx, meta)))
            }
        };
        self.locs.insert(loc, extent);
        extent
    }
}

impl<'s> Parser<'s> {
    /// What an alias, the next token or in the text of one, stands for, read from its definition at the first use.
    /// `None` when nothing defines it.
    pub(super) fn alias(&mut self, name: &'s str) -> ParseResult<Option<Alias>> {
        let Some((offset, alias)) = self.aliases.known.get_mut(name) else { return Ok(None) };
        let offset = *offset;
        let alias = match *alias {
            Alias::Defined => {
                *alias = Alias::InProgress;
                let back = self.start;
                self.jump_to(offset);
                let value = self.nested(|p| p.alias_value(name))?;
                self.jump_to(back);
                self.aliases.known.insert(name, (offset, value));
                value
            }
            Alias::InProgress => {
                let message = format!("the alias '{name}' is defined by itself");
                return Err(self.fail(self.error(&BAD_ALIAS, message)));
            }
            value => value,
        };
        let extent = self.aliases.alias(self.ctx, alias);
        if self.depth + extent.depth > MAX_DEPTH {
            let message = format!("with what '{name}' stands for, nesting is deeper than {MAX_DEPTH} levels");
            return Err(self.fail(self.error(&TOO_LARGE, message)));
        }
        self.aliases.expanded = self.aliases.expanded.saturating_add(extent.parts);
        if self.aliases.expanded > self.aliases.limit {
            let message = format!("with what '{name}' stands for, the aliases mean too much text");
            return Err(self.fail(self.error(&TOO_LARGE, message)));
        }
        Ok(Some(alias))
    }

    fn alias_value(&mut self, name: &str) -> ParseResult<Alias> {
        if name.starts_with('!') {
            return Ok(Alias::Type(self.parse_type()?));
        }
        if self.token == Token::Word && self.text() == "loc" {
            return Ok(Alias::Loc(self.parse_loc()?));
        }
        Ok(Alias::Attr(self.parse_attr()?))
    }

    pub(super) fn no_such_alias(&self, name: &str) -> ParseFailed {
        let near = did_you_mean(name, self.aliases.known.keys().copied());
        self.fail(self.error(&BAD_ALIAS, format!("nothing defines the alias '{name}'")).suggest_if(near))
    }

    /// Reads the definition of an alias, `#name = value`.
    pub(super) fn parse_alias_definition(&mut self) -> ParseResult<()> {
        let (name, loc, start) = (self.text(), self.loc(), self.start);
        let Some(first) = self.source[..start].rfind('\n').map(|n| n + 1).or(Some(0)) else { unreachable!() };
        if name.contains('.') || !self.aliases.known.contains_key(name) || first != start {
            let message = format!("expected an operation, found '{}'", shorten(name));
            let hint = "an alias is defined at the start of a line, and its name has no dot: '#map = ..'";
            return Err(self.fail(self.error(&SYNTAX, message).suggest(hint)));
        }
        self.advance();
        self.expect(Token::Equal)?;
        let here = self.last_end;
        let Some(&(first, alias)) = self.aliases.known.get(name) else { return Ok(()) };
        if first != here {
            let message = format!("the alias '{name}' is defined twice");
            let error = Diagnostic::error(&REDEFINED, loc, message).spanning(name.len());
            return Err(self.fail(error.note(self.loc_at(first), "the first definition is here")));
        }
        // After a use before it the value is known, and the text is only passed over.
        if matches!(alias, Alias::Defined) {
            self.aliases.known.insert(name, (here, Alias::InProgress));
        }
        let value = self.alias_value(name)?;
        self.aliases.known.insert(name, (here, value));
        Ok(())
    }

    /// Text of unknown syntax with every alias in it replaced by what it stands for.
    pub(super) fn expand_aliases(&mut self, text: &'s str) -> ParseResult<std::borrow::Cow<'s, str>> {
        if self.aliases.known.is_empty() || !text.contains(['#', '!']) {
            return Ok(text.into());
        }
        let mut lexer = Token::lexer(text);
        let mut expanded = String::new();
        let mut copied = 0;
        while let Some(token) = lexer.next() {
            let span = lexer.span();
            let name = &text[span.clone()];
            if !matches!(token, Ok(Token::AttrName | Token::TypeName)) || text[span.end..].starts_with('<') {
                continue;
            }
            let known = match self.alias(name)? {
                Some(Alias::Attr(attr)) => Some(Ok(attr)),
                Some(Alias::Type(ty)) => Some(Err(ty)),
                _ => None,
            };
            let Some(known) = known else { continue };
            expanded.push_str(&text[copied..span.start]);
            expanded.push_str(&match known {
                Ok(attr) => crate::text::printer::attr_to_string(self.ctx, attr),
                Err(ty) => crate::text::printer::type_to_string(self.ctx, ty),
            });
            copied = span.end;
        }
        if copied == 0 {
            return Ok(text.into());
        }
        expanded.push_str(&text[copied..]);
        Ok(expanded.into())
    }
}
