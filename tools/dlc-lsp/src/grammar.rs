//! A TextMate grammar, made from what the dialects declare: colours in editors without the server.

use std::collections::BTreeSet;

use dlc_ir::op::Dialect;
use dlc_opt::Setup;
use serde_json::{Value, json};

/// Where the grammar is, below the root of the repository.
pub const TEXTMATE: &str = "tools/editors/vscode/syntaxes/dlc.tmLanguage.json";

/// Any of some words, whole, the longest first.
fn any_of(words: BTreeSet<&str>) -> String {
    let mut words: Vec<String> = words.into_iter().map(|word| word.replace('.', "\\.")).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    format!("\\b(?:{})\\b", words.join("|"))
}

/// The words in an assembly format: those between backquotes.
fn words_of_format(format: &str) -> impl Iterator<Item = &str> {
    let is_word = |text: &&str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    format.split('`').skip(1).step_by(2).filter(is_word)
}

/// The rules, in order: a scope and a regular expression for each. At equal places the earlier rule holds.
pub fn rules(setup: &Setup) -> Vec<(&'static str, String)> {
    let dialects = || setup.dialects.iter().copied().chain([&dlc_ir::builtin::DIALECT]);
    let ops = || dialects().flat_map(|dialect: &Dialect| dialect.ops.iter().copied());
    let names = any_of(ops().flat_map(|op| [op.name, op.mnemonic()]).collect());
    let types = dialects().flat_map(|dialect| dialect.types.iter().flat_map(|def| [def.short, def.infix]));
    let types = any_of(types.filter(|word| !word.is_empty()).chain(["index", "none", "tuple"]).collect());
    let floats = dlc_ir::types::FloatKind::ALL.iter().map(|kind| kind.name());
    let numbers = any_of(floats.collect());
    let attrs = any_of(ops().flat_map(|op| op.attrs.iter().map(|attr| attr.name)).collect());
    let keywords = any_of(ops().flat_map(|op| words_of_format(op.format_text)).chain(["loc", "dense"]).collect());
    vec![
        ("comment.line.double-slash", "//.*$".to_string()),
        ("string.quoted.double", r#""(?:[^"\\]|\\.)*""#.to_string()),
        ("variable.other", r"%[\w$.\-]+(?:#\d+)?".to_string()),
        ("entity.name.function", r#"@(?:[A-Za-z_][\w$.]*|"(?:[^"\\]|\\.)*")"#.to_string()),
        ("entity.name.label", r"\^[\w$.\-]+".to_string()),
        ("entity.name.type", r"![A-Za-z_][\w$.]*".to_string()),
        ("constant.other", r"#[A-Za-z_][\w$.]*".to_string()),
        ("constant.numeric", r"\b(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][+\-]?\d+)?)?)".to_string()),
        // An op may have modifiers: `ld.global.v4.f32`.
        ("support.function", format!(r"{names}(?:(?:\.|::)\w+)*")),
        ("support.type", format!("{types}|{numbers}|\\b[su]?i\\d+\\b")),
        ("variable.parameter", format!(r"{attrs}\s*=")),
        ("keyword.control", keywords),
        ("variable.language", r"[A-Za-z_][\w$.]*".to_string()),
        ("punctuation", r"[(){}\[\]<>,:=\-+*?/.|&;#]+".to_string()),
    ]
}

/// The grammar, as JSON.
pub fn textmate(setup: &Setup) -> String {
    let patterns: Vec<Value> =
        rules(setup).iter().map(|(scope, rule)| json!({ "name": format!("{scope}.dlc"), "match": rule })).collect();
    let note = "Generated from the declarations by `cargo xtask grammar`; changes here are lost.";
    let grammar = json!({
        "comment": note,
        "fileTypes": ["mlir", "tiny"],
        "name": "dlc",
        "patterns": patterns,
        "scopeName": "source.dlc",
    });
    format!("{grammar:#}\n")
}
