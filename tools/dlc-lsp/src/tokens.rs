//! The text as tokens with their scopes: this works on text that does not parse, too.

use std::ops::Range;

use dlc_ir::Context;
use dlc_ir::op::OpDef;
use dlc_ir::text::Token;
use logos::Logos;
use rustc_hash::FxHashMap;

/// How many tokens are examined for the dialect of an op: a large text that does not parse must not take long.
const FAR: usize = 4096;

/// Whether only blanks stand before a byte on its line.
fn starts_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches([' ', '\t', '\r']).is_empty()
        || text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
}

/// A token and where it stands.
pub struct Lexed {
    /// What it is.
    pub token: Token,
    /// Its bytes.
    pub range: Range<usize>,
    /// The innermost braces around it, an index of [`Tokens::parents`].
    pub scope: usize,
}

/// The tokens of a text.
pub struct Tokens {
    /// All of them, in order.
    pub list: Vec<Lexed>,
    /// The scope around each scope; the first is the whole text, and its own parent.
    pub parents: Vec<usize>,
    /// The tokens that define a value, symbol, block or alias, by their text.
    definitions: FxHashMap<String, Vec<usize>>,
}

impl Tokens {
    /// The tokens of a text.
    pub fn of(text: &str) -> Tokens {
        let mut tokens = Tokens { list: Vec::new(), parents: vec![0], definitions: FxHashMap::default() };
        let mut scope = 0;
        for (token, range) in Token::lexer(text).spanned() {
            let token = token.unwrap_or(Token::Bad);
            if token == Token::LBrace {
                tokens.parents.push(scope);
                scope = tokens.parents.len() - 1;
            }
            tokens.list.push(Lexed { token, range, scope });
            if token == Token::RBrace {
                scope = tokens.parents[scope];
            }
        }
        for index in 0..tokens.list.len() {
            if tokens.defines(text, index) {
                let name = text[tokens.list[index].range.clone()].to_string();
                tokens.definitions.entry(name).or_default().push(index);
            }
        }
        tokens
    }

    /// The token after or before another.
    fn near(&self, index: usize, step: isize) -> Token {
        index.checked_add_signed(step).and_then(|at| self.list.get(at)).map_or(Token::End, |lexed| lexed.token)
    }

    /// Whether a token defines what it names: by what comes after it (`=`, `:`) and what comes before.
    fn defines(&self, text: &str, index: usize) -> bool {
        let (before, after) = (self.near(index, -1), self.near(index, 1));
        let opens = matches!(before, Token::LParen | Token::Comma | Token::LBracket);
        match self.list[index].token {
            Token::Value => match after {
                Token::Equal => true,
                Token::Colon => opens || (self.near(index, 2) == Token::Integer),
                Token::Comma => self.in_result_list(index),
                _ => false,
            },
            Token::Block => starts_line(text, self.list[index].range.start),
            Token::Symbol | Token::QuotedSymbol => {
                let word = index.checked_sub(1).map(|at| &text[self.list[at].range.clone()]).unwrap_or("");
                let call = word.rsplit('.').next().is_some_and(|word| matches!(word, "call" | "launch" | "of" | "for"));
                before == Token::Word && !call
            }
            Token::TypeName | Token::AttrName => after == Token::Equal,
            _ => false,
        }
    }

    /// Whether `%a, %b = ..` follows.
    fn in_result_list(&self, index: usize) -> bool {
        let mut at = index;
        while at < index + 256 && self.near(at, 0) == Token::Value && self.near(at, 1) == Token::Comma {
            at += 2;
        }
        self.near(at, 0) == Token::Value && matches!(self.near(at, 1), Token::Equal)
    }

    /// The index of the token at a byte: a token that ends there counts where none begins.
    pub fn at(&self, offset: usize) -> Option<usize> {
        let after = self.list.partition_point(|lexed| lexed.range.start <= offset);
        let index = after.checked_sub(1)?;
        (offset <= self.list[index].range.end).then_some(index)
    }

    fn encloses(&self, outer: usize, mut inner: usize) -> bool {
        while inner != outer && inner != 0 {
            inner = self.parents[inner];
        }
        inner == outer
    }

    /// The token that defines what another names: of several, the nearest before it in a scope that it is in.
    pub fn definition(&self, text: &str, index: usize) -> Option<usize> {
        let lexed = &self.list[index];
        let name = &text[lexed.range.clone()];
        let name = if lexed.token == Token::Value { name.split('#').next().unwrap_or(name) } else { name };
        let all = self.definitions.get(name)?;
        let visible = |&&at: &&usize| at <= index && self.encloses(self.list[at].scope, lexed.scope);
        let before = || all.iter().rev().find(|&&at| at <= index);
        all.iter().rev().find(visible).or_else(before).or_else(|| all.first()).copied()
    }

    /// The names that are defined, each with a token that does.
    pub fn defined(&self) -> impl Iterator<Item = (&str, usize)> {
        self.definitions.iter().filter_map(|(name, all)| Some((name.as_str(), *all.first()?)))
    }

    /// The name of the dialect that ops before a token were written with, the nearest first.
    pub fn dialect_before(&self, ctx: &Context, text: &str, index: usize) -> Option<&'static str> {
        let before = self.list.get(..index)?.iter().rev().take(FAR).filter(|lexed| lexed.token == Token::Word);
        before.into_iter().find_map(|lexed| Some(ctx.lookup_op(&text[lexed.range.clone()])?.dialect()))
    }

    /// The declaration of the op whose name a token is, as far as that can be told without parsing.
    pub fn op(&self, ctx: &Context, text: &str, index: usize) -> Option<&'static OpDef> {
        let lexed = &self.list[index];
        let word = match lexed.token {
            Token::Word => &text[lexed.range.clone()],
            Token::String => text[lexed.range.clone()].trim_matches('"'),
            _ => return None,
        };
        let starts = matches!(self.near(index, -1), Token::Equal | Token::LBrace | Token::RBrace | Token::End);
        if let Some(def) = ctx.lookup_op(word) {
            return Some(def);
        }
        if lexed.token == Token::String || !(starts || starts_line(text, lexed.range.start)) {
            return None;
        }
        let dialect = self.dialect_before(ctx, text, index)?;
        // An op with modifiers has the longest name that is registered.
        let mut name = word;
        loop {
            if let Some(def) = ctx.lookup_op(&format!("{dialect}.{name}")) {
                return Some(def);
            }
            name = &name[..name.rfind('.')?];
        }
    }
}
