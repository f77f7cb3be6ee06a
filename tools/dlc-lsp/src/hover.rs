//! What an editor shows of the thing under the cursor.

use std::fmt::Write as _;

use dlc_ir::op::OpDef;
use dlc_ir::pass::PassDef;
use dlc_ir::text::Token;
use dlc_opt::Setup;

use crate::document::Document;
use crate::run_lines;

/// Text in Markdown for the token at a byte.
pub fn at(setup: &Setup, document: &Document, offset: usize) -> Option<String> {
    if let Some(word) = run_lines::word_at(&document.text, offset) {
        return of_pass_name(setup, word);
    }
    let index = document.tokens.at(offset)?;
    if let Some(def) = document.op(index) {
        return Some(of_op(def));
    }
    let lexed = &document.tokens.list[index];
    let word = document.token_text(index);
    match lexed.token {
        Token::Value => {
            let ty = document.value_type(index)?;
            let size = size_of(ty)
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
            Some(format!("```mlir\n{}\n```", document.text.text[line].trim()))
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

/// The elements and bytes of a type that is written with fixed sizes, `tensor<[4, 8], f32>`.
fn size_of(ty: &str) -> Option<(u64, u64)> {
    let (_, rest) = ty.split_once("<[")?;
    let (sizes, rest) = rest.split_once(']')?;
    let mut elements = 1u64;
    for size in sizes.split(',').map(str::trim).filter(|size| !size.is_empty()) {
        elements = elements.checked_mul(size.parse().ok()?)?;
    }
    let elem = rest.trim_start_matches([',', ' ']);
    let elem = &elem[..elem.find([',', '>'])?];
    let bits: u64 = match elem {
        "f8E4M3FN" | "f8E5M2" => 8,
        "bf16" => 16,
        "index" => 64,
        word => word.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?,
    };
    Some((elements, elements.checked_mul(bits)?.div_ceil(8)))
}

#[cfg(test)]
mod tests {
    use super::size_of;

    #[test]
    fn sizes_of_types() {
        assert_eq!(size_of("tensor<[4, 8], f32>"), Some((32, 128)));
        assert_eq!(size_of("tensor<[], f16>"), Some((1, 2)));
        assert_eq!(size_of("tensor<[N, 8], f32>"), None);
        assert_eq!(size_of("i64"), None);
    }
}
