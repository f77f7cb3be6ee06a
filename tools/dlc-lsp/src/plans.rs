//! Clauses of plans: between the braces of `plan.schedule` stand no ops.

use dlc_ir::text::Token;
use dlc_plan::Schedule;

use crate::document::Document;

/// How many tokens are examined for the braces of a plan, and for its op before them.
const FAR: usize = 4096;

/// The ops between whose braces the clauses of a schedule stand.
const OPS: [&str; 2] = ["plan.schedule", "plan.measured"];

/// The index of the brace that opens the clauses around a token, if it is in a plan.
fn opening(document: &Document, index: usize) -> Option<usize> {
    let list = &document.tokens.list;
    let mut depth = 0;
    for at in (index.saturating_sub(FAR)..index).rev() {
        match list[at].token {
            Token::RBrace => depth += 1,
            Token::LBrace if depth == 0 => return is_plan(document, at).then_some(at),
            Token::LBrace => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a brace is that of a plan: before it stand the op, the kernel and targets, on one line or two.
fn is_plan(document: &Document, brace: usize) -> bool {
    let before = (brace.saturating_sub(64)..brace).rev();
    let ends = |at: &usize| !matches!(document.tokens.list[*at].token, Token::LBrace | Token::RBrace);
    before.take_while(ends).any(|at| OPS.contains(&document.token_text(at)))
}

/// Whether a token stands in parentheses or brackets of its clause.
fn is_nested(document: &Document, brace: usize, index: usize) -> bool {
    let depth = document.tokens.list[brace..index].iter().fold(0i64, |depth, lexed| match lexed.token {
        Token::LParen | Token::LBracket => depth + 1,
        Token::RParen | Token::RBracket => depth - 1,
        _ => depth,
    });
    depth > 0
}

/// The clause that a token belongs to: its word, or that of the clause around it. `None` outside of a plan.
pub fn clause_at(document: &Document, index: usize) -> Option<&'static str> {
    let brace = opening(document, index)?;
    let is_word = |at: &usize| document.tokens.list[*at].token == Token::Word && !is_nested(document, brace, *at);
    let words = (brace + 1..=index).rev().filter(is_word).map(|at| document.token_text(at));
    words.into_iter().find_map(|word| Schedule::WORDS.iter().find(|own| **own == word).copied())
}

/// The words that may be written at a byte within a plan: those of the clause before it, then all clauses. `None` outside of
/// a plan, and nothing in parentheses, where names of the kernel stand.
pub fn wanted_at(document: &Document, offset: usize) -> Option<(&'static [&'static str], &'static [&'static str])> {
    let list = &document.tokens.list;
    let ended = list.partition_point(|lexed| lexed.range.end <= offset);
    // The word that ends here is being written.
    let is_open = |at: &usize| list[*at].token == Token::Word && list[*at].range.end == offset;
    let index = ended.checked_sub(1).filter(is_open).unwrap_or(ended);
    let brace = opening(document, index)?;
    if is_nested(document, brace, index) {
        return Some((&[], &[]));
    }
    let before = index.checked_sub(1).filter(|at| *at > brace).map_or("", |at| document.token_text(at));
    Some((Schedule::words_after(before), Schedule::WORDS))
}

/// What a clause is, in Markdown.
pub fn text(clause: &str) -> Option<String> {
    let (doc, wanted) = Schedule::clause_doc(clause)?;
    Some(format!("`{clause}`, a clause of `plan.schedule`\n\n{doc}\n\nIts value is {wanted}."))
}
