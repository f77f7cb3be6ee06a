//! Semantic tokens: what each word is, for colours.

use dlc_ir::text::Token;

use crate::document::Document;

/// The kinds, in the order that [`encoded`] numbers them.
pub const KINDS: [&str; 9] =
    ["function", "variable", "type", "property", "string", "number", "comment", "macro", "keyword"];

fn kind(document: &Document, index: usize) -> Option<u32> {
    Some(match document.tokens.list[index].token {
        Token::Word | Token::String if document.op(index).is_some() => 0,
        Token::Value => 1,
        Token::TypeName => 2,
        Token::Symbol | Token::QuotedSymbol | Token::AttrName | Token::Block => 7,
        Token::String => 4,
        Token::Integer | Token::Hex | Token::Float => 5,
        Token::Word => {
            let word = document.token_text(index);
            let number = |prefix: &str| word.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok());
            let builtin = matches!(word, "index" | "bf16" | "tf32" | "none") || number("i") || number("f");
            let next = document.tokens.list.get(index + 1).map(|lexed| lexed.token);
            match next {
                _ if builtin || document.ctx.short_type(word).is_some() => 2,
                Some(Token::Equal) => 3,
                _ => 8,
            }
        }
        _ => return None,
    })
}

/// The tokens as the protocol writes them: five numbers each, lines and columns relative to the token before.
pub fn encoded(document: &Document) -> Vec<u32> {
    let text = &document.text.text;
    let mut data = Vec::new();
    // The byte that the numbers so far have come to.
    let mut from = 0;
    let mut put = |range: std::ops::Range<usize>, kind: u32| {
        let between = &text[from..range.start];
        let lines = between.bytes().filter(|&byte| byte == b'\n').count();
        let on_line = between.rsplit('\n').next().unwrap_or("");
        let units = |text: &str| text.encode_utf16().count() as u32;
        data.extend([lines as u32, units(on_line), units(&text[range.clone()]), kind, 0]);
        from = range.start;
    };
    let mut end = 0;
    for (index, lexed) in document.tokens.list.iter().enumerate() {
        comments(text, end..lexed.range.start, &mut put);
        if let Some(kind) = kind(document, index) {
            put(lexed.range.clone(), kind);
        }
        end = lexed.range.end;
    }
    comments(text, end..text.len(), &mut put);
    data
}

/// The comments between two tokens.
fn comments(text: &str, gap: std::ops::Range<usize>, put: &mut impl FnMut(std::ops::Range<usize>, u32)) {
    let mut at = gap.start;
    for line in text[gap].split_inclusive('\n') {
        if let Some(start) = line.find("//") {
            put(at + start..at + line.trim_end().len(), 6);
        }
        at += line.len();
    }
}
