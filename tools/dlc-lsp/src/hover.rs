//! What an editor shows of the thing under the cursor.

use std::fmt::Write as _;

use dlc_ir::op::OpDef;
use dlc_ir::pass::PassDef;
use dlc_ir::text::Token;
use dlc_opt::Setup;

use crate::document::Document;
use crate::{plans, run_lines};

/// Text in Markdown for the token at a byte.
pub fn at(setup: &Setup, document: &Document, offset: usize) -> Option<String> {
    if let Some(word) = run_lines::word_at(&document.text, offset) {
        return of_pass_name(setup, word);
    }
    let index = document.tokens.at(offset)?;
    if let Some(clause) = plans::clause_at(document, index) {
        return plans::text(clause);
    }
    if let Some(def) = document.op(index) {
        return Some(of_op(def));
    }
    let lexed = &document.tokens.list[index];
    let word = document.token_text(index);
    match lexed.token {
        Token::Value => {
            let ty = document.value_type(index)?;
            let size = document
                .sizes
                .get(ty)
                .map_or(String::new(), |(elements, bytes)| format!("\n\n{elements} elements, {bytes} bytes"));
            Some(format!("```mlir\n{word}: {ty}\n```{size}"))
        }
        Token::TypeName | Token::Word => {
            let name = word.trim_start_matches('!');
            let known = document.ctx.type_name(name).or_else(|| document.ctx.short_type(name));
            let def = document.ctx.type_def(known?);
            Some(format!("`{}`\n\n{}", def.name, def.doc.trim()))
        }
        Token::Symbol | Token::QuotedSymbol | Token::Block | Token::AttrName => {
            let defined = document.tokens.definition(&document.text.text, index)?;
            let line = document.text.line(document.text.line_of(document.tokens.list[defined].range.start));
            // The body of what is defined is not shown.
            let shown = document.text.text[line].trim().trim_end_matches('{').trim_end();
            Some(format!("```mlir\n{shown}\n```"))
        }
        _ => None,
    }
}

fn of_pass_name(setup: &Setup, word: &str) -> Option<String> {
    let name = word.trim_start_matches('-');
    if let Some(def) = setup.registry.pass(name) {
        return Some(of_pass(def));
    }
    let def = setup.registry.pipeline(name)?;
    Some(format!("`{}`: {}\n\n```\n{}\n```", def.name, def.summary, def.text))
}

/// A pass with its options.
pub fn of_pass(def: &PassDef) -> String {
    let mut text = format!("`{}`: {}\n", def.name, def.summary);
    for option in def.options {
        let default = if option.default.is_empty() { "none" } else { option.default };
        let _ = write!(text, "\n- `{}` (default {default}): {}", option.name, option.doc);
    }
    text
}

/// The documentation of an op: text, operands, results, attributes, an example.
pub fn of_op(def: &OpDef) -> String {
    let mut text = format!("`{}`\n\n{}\n", def.name, def.doc.trim());
    for operand in def.operands {
        let _ = write!(text, "\n- operand `{}`: {}", operand.name, operand.ty.name);
    }
    for result in def.results {
        let _ = write!(text, "\n- result `{}`: {}", result.name, result.ty.name);
    }
    for attr in def.attrs {
        let optional = if attr.optional { ", optional" } else { "" };
        let _ = write!(text, "\n- attribute `{}`: {}{optional}", attr.name, attr.kind.name);
    }
    if !def.example.is_empty() {
        let _ = write!(text, "\n\n```mlir\n{}\n```", def.example.trim());
    }
    text
}
