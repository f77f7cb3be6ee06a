//! The tokens of the IR text.

use logos::Logos;

/// A token. Blanks and `//` comments stand between tokens and are dropped.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Token {
    /// A word: op names, keywords, builtin types.
    #[regex(r"[A-Za-z_][A-Za-z0-9_$.]*")]
    Word,
    /// `%x`, `%12`, `%x#1`: a value, or one result of an op with several.
    #[regex(r"%([0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)(#[0-9]+)?")]
    Value,
    /// `^bb1`: a block.
    #[regex(r"\^([0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)")]
    Block,
    /// `@f`: a symbol.
    #[regex(r"@[A-Za-z_][A-Za-z0-9_$.]*")]
    Symbol,
    /// `@"odd name"`: a symbol that is no word.
    #[regex(r#"@"([^"\\\n]|\\[^\n])*""#)]
    QuotedSymbol,
    /// `!t`, `!dialect.type`
    #[regex(r"![A-Za-z_][A-Za-z0-9_$.]*")]
    TypeName,
    /// `#a`, `#dialect.attr`
    #[regex(r"#[A-Za-z_][A-Za-z0-9_$.]*")]
    AttrName,
    /// `12`
    #[regex(r"[0-9]+")]
    Integer,
    /// `0x1F`
    #[regex(r"0x[0-9a-fA-F]+")]
    Hex,
    /// `1.5`, `1.0e-5`
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    Float,
    /// `"text"` with `\n`, `\t`, `\\`, `\"` and `\HH`.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    /// `(`
    #[token("(")]
    LParen,
    /// `)`
    #[token(")")]
    RParen,
    /// `{`
    #[token("{")]
    LBrace,
    /// `}`
    #[token("}")]
    RBrace,
    /// `[`
    #[token("[")]
    LBracket,
    /// `]`
    #[token("]")]
    RBracket,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `,`
    #[token(",")]
    Comma,
    /// `::`
    #[token("::")]
    ColonColon,
    /// `:`
    #[token(":")]
    Colon,
    /// `=`
    #[token("=")]
    Equal,
    /// `->`
    #[token("->")]
    Arrow,
    /// `-`
    #[token("-")]
    Minus,
    /// `+`
    #[token("+")]
    Plus,
    /// `*`
    #[token("*")]
    Star,
    /// `?`
    #[token("?")]
    Question,
    /// `/`
    #[token("/")]
    Slash,
    /// `...`
    #[token("...")]
    Ellipsis,
    /// `{-#`: the start of the resources of a file.
    #[token("{-#")]
    MetaOpen,
    /// `#-}`: the end of the resources of a file.
    #[token("#-}")]
    MetaClose,
    /// Anything else: a byte that no token starts with, or a string without an end.
    Bad,
    /// The end of the text.
    End,
}

impl Token {
    /// The token in words, for "expected .., found ..".
    pub fn describe(self) -> &'static str {
        match self {
            Token::Word => "a word",
            Token::Value => "a value",
            Token::Block => "a block label",
            Token::Symbol | Token::QuotedSymbol => "a symbol",
            Token::TypeName => "a type",
            Token::AttrName => "an attribute",
            Token::Integer | Token::Hex => "an integer",
            Token::Float => "a float",
            Token::String => "a string",
            Token::LParen => "'('",
            Token::RParen => "')'",
            Token::LBrace => "'{'",
            Token::RBrace => "'}'",
            Token::LBracket => "'['",
            Token::RBracket => "']'",
            Token::Less => "'<'",
            Token::Greater => "'>'",
            Token::Comma => "','",
            Token::ColonColon => "'::'",
            Token::Colon => "':'",
            Token::Equal => "'='",
            Token::Arrow => "'->'",
            Token::Minus => "'-'",
            Token::Plus => "'+'",
            Token::Star => "'*'",
            Token::Question => "'?'",
            Token::Slash => "'/'",
            Token::Ellipsis => "'...'",
            Token::MetaOpen => "'{-#'",
            Token::MetaClose => "'#-}'",
            Token::Bad => "an unknown character",
            Token::End => "the end of the text",
        }
    }

    /// The token of a punctuation mark that an assembly format names.
    pub fn of_punctuation(text: &str) -> Option<Token> {
        Some(match text {
            "(" => Token::LParen,
            ")" => Token::RParen,
            "{" => Token::LBrace,
            "}" => Token::RBrace,
            "[" => Token::LBracket,
            "]" => Token::RBracket,
            "<" => Token::Less,
            ">" => Token::Greater,
            "," => Token::Comma,
            "::" => Token::ColonColon,
            ":" => Token::Colon,
            "=" => Token::Equal,
            "->" => Token::Arrow,
            "-" => Token::Minus,
            "+" => Token::Plus,
            "*" => Token::Star,
            "?" => Token::Question,
            "/" => Token::Slash,
            "..." => Token::Ellipsis,
            _ => return None,
        })
    }
}
