//! Formatting: lines are indented by the braces around them and lose blanks at their ends. Nothing else changes, so that
//! comments and line breaks stay as they were written.

use dlc_ir::Context;
use dlc_ir::text::Token;

use crate::tokens::Tokens;

/// The text, formatted. A line that continues a statement moves as far as the line that it continues; lines of comments
/// stay where they are.
pub fn formatted(ctx: &Context, text: &str, tokens: &Tokens) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Token> = Vec::new();
    let (mut next, mut shift, mut at) = (0, 0isize, 0);
    let mut last = Token::End;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        let first = tokens.list.get(next).filter(|lexed| lexed.range.start == at + indent);
        let width = match first {
            // A blank line, or a comment.
            None => indent,
            Some(first)
                if starts_statement(first.token, last, &open)
                    && (first.token != Token::Word || tokens.op(ctx, text, next).is_some()) =>
            {
                let outward = usize::from(matches!(first.token, Token::RBrace | Token::Block) && !open.is_empty());
                let width = 2 * (open.len() - outward);
                shift = width as isize - indent as isize;
                width
            }
            Some(_) => indent.saturating_add_signed(shift),
        };
        if !body.is_empty() {
            out.extend(std::iter::repeat_n(' ', width));
            out.push_str(body);
        }
        if line.ends_with('\n') || !body.is_empty() {
            out.push('\n');
        }
        while let Some(lexed) = tokens.list.get(next).filter(|lexed| lexed.range.start < end) {
            match lexed.token {
                Token::LBrace | Token::LParen | Token::LBracket => open.push(lexed.token),
                Token::RBrace | Token::RParen | Token::RBracket => drop(open.pop()),
                _ => {}
            }
            last = lexed.token;
            next += 1;
        }
        at = end;
    }
    out
}

/// Whether the first token of a line begins a statement.
fn starts_statement(first: Token, last: Token, open: &[Token]) -> bool {
    let in_braces = open.iter().all(|&token| token == Token::LBrace);
    let begins = matches!(
        first,
        Token::Word | Token::Value | Token::String | Token::Block | Token::RBrace | Token::AttrName | Token::TypeName
    );
    let ended = !matches!(last, Token::Comma | Token::Equal | Token::Colon | Token::Arrow | Token::Less)
        || first == Token::RBrace;
    // After the label of a block, `^bb1:` or `^bb1(..):`, a statement begins.
    in_braces && begins && (ended || last == Token::Colon)
}
