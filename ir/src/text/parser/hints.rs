//! What the parser suggests when it meets what it does not know: names that are near, words that other layers and other
//! compilers use, the op that makes a value of a number.

use super::*;
use crate::diag::nearest;
use crate::op::{Dialect, OpDef, Traits};
use crate::text::{foreign, format};

/// An op that has just been read: its keywords may be misspelt after it.
#[derive(Clone, Copy)]
pub(super) struct LastOp {
    pub(super) def: &'static OpDef,
    /// Where its text ends.
    pub(super) end: usize,
}

impl<'s> Parser<'s> {
    /// The dialect whose ops may be written without prefix here.
    fn own_dialect(&self) -> Option<&'static Dialect> {
        self.ctx.dialect(self.default_dialects.last()?)
    }

    /// The layers that have an op of a name: `'mean' is an op of frontend`.
    pub(super) fn op_elsewhere(&self, word: &str) -> Option<String> {
        let spelled = |dialect: &&'static Dialect| Some((dialect.op_spelled(word)?.mnemonic(), dialect.name));
        let ops: Vec<(&str, &str)> = self.ctx.dialects().iter().filter_map(spelled).collect();
        let (name, _) = ops.first()?;
        let layers: Vec<&str> = ops.iter().filter(|(other, _)| other == name).map(|(_, layer)| *layer).collect();
        Some(format!("'{name}' is an op of {}", layers.join(" and ")))
    }

    /// `name` is the full name of what is written as `spelling`.
    #[cold]
    pub(super) fn unknown_op(&self, spelling: &str, name: &str) -> ParseFailed {
        let (dialect, word) = name.split_once('.').map_or((None, name), |(dialect, word)| (Some(dialect), word));
        let known = dialect.and_then(|dialect| self.ctx.dialect(dialect));
        let hint = match known {
            Some(dialect) => self.op_of(dialect, word, spelling == name),
            None => self.op_of_unknown_dialect(dialect, name),
        };
        if let Some(clause) = self.unknown_keyword(spelling, hint.is_some()) {
            return self.fail(clause);
        }
        let hint = hint.unwrap_or_else(|| match known {
            Some(dialect) => format!("the ops of '{}' are listed by --show-dialects={}", dialect.name, dialect.name),
            None => "with --allow-unregistered-dialect it is taken as it stands, in generic form".into(),
        });
        let message = format!("no dialect registers the op '{}'", shorten(spelling));
        self.fail(self.error(&UNKNOWN_OP, message).suggest(hint))
    }

    /// What may be meant by a word that is no op of a dialect. An op in another spelling comes first, then the field's own
    /// word for one, then an op of that very name in another layer, which is no typing error, then near names.
    fn op_of(&self, dialect: &'static Dialect, word: &str, is_full: bool) -> Option<String> {
        if let Some(def) = dialect.op_spelled(word) {
            return Some(format!("did you mean '{}'?", def.name));
        }
        if let Some(own) = dialect.synonym(word) {
            let is_op = dialect.names_op(own);
            return Some(if is_op { format!("in {} it is written '{own}'", dialect.name) } else { own.into() });
        }
        if let Some(elsewhere) = self.op_elsewhere(word) {
            return Some(format!("{elsewhere}, not of {}", dialect.name));
        }
        let own = dialect.ops.iter().map(|def| def.mnemonic());
        // Without a dialect the frame may be meant: `module`.
        let builtin = crate::builtin::DIALECT.ops.iter().map(|def| def.mnemonic()).filter(|_| !is_full);
        let near = nearest(word, own.chain(builtin))?;
        let def = dialect.op(near).or_else(|| crate::builtin::DIALECT.op(near))?;
        Some(format!("did you mean '{}'?", def.name))
    }

    fn op_of_unknown_dialect(&self, dialect: Option<&str>, name: &str) -> Option<String> {
        let op = name.split_once('.').map_or(name, |(_, op)| op);
        let foreign = dialect.and_then(|dialect| foreign::dialect_hint(dialect, op, &|layer| self.ctx.dialect(layer)));
        let known = self.ctx.dialects().iter().flat_map(|d| d.ops).map(|def| def.name);
        foreign.or_else(|| did_you_mean(name, known)).or_else(|| {
            let dialects = self.ctx.dialects().iter().map(|d| d.name);
            did_you_mean(dialect?, dialects).map(|near| near.replace("mean '", "mean the dialect '"))
        })
    }

    /// The error for a word that is no op where it can only be a keyword of the op before, misspelt or out of place.
    /// On that op's own line it is one; on a later one it is where it is near to one, and nothing else is known of it.
    fn unknown_keyword(&self, word: &str, is_known: bool) -> Option<Diagnostic> {
        let last = self.last_op?;
        let keywords = format::keywords(last.def.format);
        let same_line = !self.source.get(last.end..self.start)?.contains('\n');
        let list = || format!("its keywords are, in this order, {}", keywords.join(", "));
        if keywords.contains(&word) {
            let message = format!("the keyword '{word}' of '{}' stands twice or too late", last.def.name);
            return Some(self.error(&SYNTAX, message).suggest(list()));
        }
        let near = did_you_mean(word, keywords.iter().copied());
        if keywords.is_empty() || !(same_line || (near.is_some() && !is_known)) {
            return None;
        }
        let message = format!("'{}' has no keyword '{}'", last.def.name, shorten(word));
        Some(self.error(&SYNTAX, message).suggest(near.unwrap_or_else(list)))
    }

    /// An error where a value is wanted. For a number it says which op makes a value of one.
    #[cold]
    pub(super) fn expected_value<T>(&self) -> ParseResult<T> {
        let hint = self.number_here().and_then(|number| self.constant_of(number));
        Err(self.fail(self.unexpected("a value").suggest_if(hint)))
    }

    /// The number that comes next, with its sign.
    fn number_here(&self) -> Option<&'s str> {
        let is_number = |token| matches!(token, Token::Integer | Token::Float | Token::Hex);
        if is_number(self.token) {
            return Some(self.text());
        }
        let mut lexer = self.lexer.clone();
        let next = lexer.next().and_then(Result::ok).is_some_and(is_number);
        (self.token == Token::Minus && next).then(|| &self.source[self.start..lexer.span().end])
    }

    /// How a value is made from a number: the example of the op for that, with the number in it.
    fn constant_of(&self, number: &str) -> Option<String> {
        let dialect = self.own_dialect()?;
        let constant = dialect.ops.iter().find(|def| def.traits.has(Traits::CONSTANT_LIKE)).copied();
        let example = constant.or_else(|| dialect.op(dialect.synonym("const")?))?.example;
        let mut lexer = Token::lexer(example);
        let place = std::iter::from_fn(|| Some((lexer.next()?, lexer.span())))
            .find(|(token, _)| matches!(token, Ok(Token::Integer | Token::Float | Token::Hex)))?
            .1;
        let (before, after) = (&example[..place.start], &example[place.end..]);
        Some(format!("operands are values: make one before, as in '{before}{number}{after}'"))
    }

    /// What dlc writes for a type in MLIR's spelling, `tensor<4x?xf16>`: sizes in a list, and a symbol for one that is
    /// not known. It is read before it is suggested.
    pub(super) fn own_spelling(&self, word: &str) -> Option<String> {
        let def = self.ctx.type_def(self.ctx.short_type(word)?);
        let body = self.source[self.end..].strip_prefix('<')?;
        let body = &body[..balanced_len(body, Raw::Affine)?];
        let spelling = self.sizes_in_list(word, body);
        let spelling = spelling.or_else(|| (!def.example.is_empty()).then(|| def.example.to_string()))?;
        Some(format!("dlc writes {spelling}"))
    }

    fn sizes_in_list(&self, word: &str, body: &'s str) -> Option<String> {
        let mut symbols = ["M", "N", "K", "B", "H", "W"].into_iter();
        let mut pieces: Vec<&'s str> = body.split('x').map(str::trim).collect();
        let elem = pieces.pop()?;
        let is_size = |piece: &str| !piece.is_empty() && piece.bytes().all(|b| b.is_ascii_digit());
        let size = |piece: &'s str| match piece {
            "?" => symbols.next(),
            _ => is_size(piece).then_some(piece),
        };
        let sizes: Option<Vec<&str>> = pieces.into_iter().map(size).collect();
        let spelling = format!("{word}<[{}], {elem}>", sizes?.join(", "));
        let diags = Diagnostics::new();
        let mut parser = Parser::new(self.ctx, &spelling, 0, ParseOptions::default(), &diags);
        let reads = parser.parse_type().is_ok() && parser.token == Token::End;
        reads.then_some(spelling)
    }
}
