//! Grammars, made from what the dialects declare: colours in editors without the server. For TextMate all of it, for
//! Tree-sitter the words; its rules are in `grammar.js`.

use std::collections::BTreeSet;

use dlc_ir::op::{Dialect, OpDef, Traits};
use dlc_opt::Setup;
use serde_json::{Value, json};

/// Where the grammar for TextMate is, below the root of the repository.
pub const TEXTMATE: &str = "tools/editors/vscode/syntaxes/dlc.tmLanguage.json";

/// Where the grammar for Tree-sitter is, below the root of the repository.
pub const TREE_SITTER: &str = "tools/editors/tree-sitter-dlc";

/// Types whose names are words, that no dialect declares.
const BUILTIN_TYPES: [&str; 3] = ["index", "none", "tuple"];

/// The files that `cargo xtask grammar` writes: their paths below the root of the repository, and their texts.
pub fn files(setup: &Setup) -> [(String, String); 3] {
    [
        (TEXTMATE.to_owned(), textmate(setup)),
        (format!("{TREE_SITTER}/words.json"), words(setup)),
        (format!("{TREE_SITTER}/queries/highlights.scm"), highlights(setup)),
    ]
}

fn dialects(setup: &Setup) -> impl Iterator<Item = &'static Dialect> {
    setup.dialects.iter().copied().chain([&dlc_ir::builtin::DIALECT])
}

fn ops(setup: &Setup) -> impl Iterator<Item = &'static OpDef> {
    dialects(setup).flat_map(|dialect| dialect.ops.iter().copied())
}

/// The words that name types.
fn types(setup: &Setup) -> BTreeSet<&'static str> {
    let declared = dialects(setup).flat_map(|dialect| dialect.types.iter().flat_map(|def| [def.short, def.infix]));
    declared.filter(|word| !word.is_empty()).chain(BUILTIN_TYPES).collect()
}

fn floats() -> BTreeSet<&'static str> {
    dlc_ir::types::FloatKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The words in the formats of ops, and those of all IR.
fn keywords(setup: &Setup) -> BTreeSet<&'static str> {
    ops(setup).flat_map(|op| words_of_format(op.format_text)).chain(["loc", "dense"]).collect()
}

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
    let names = any_of(ops(setup).flat_map(|op| [op.name, op.mnemonic()]).collect());
    let (types, numbers, keywords) = (any_of(types(setup)), any_of(floats()), any_of(keywords(setup)));
    let attrs = any_of(ops(setup).flat_map(|op| op.attrs.iter().map(|attr| attr.name)).collect());
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

/// The words for Tree-sitter, as JSON. `ops` are those that may begin a line: words without a dot (names with a dot are
/// known by it) of ops that do something without results.
pub fn words(setup: &Setup) -> String {
    let begins = |op: &&OpDef| !op.traits.has(Traits::PURE) || op.results.is_empty();
    let ops: BTreeSet<&str> =
        ops(setup).filter(begins).map(OpDef::mnemonic).filter(|word| !word.contains('.')).collect();
    let mut types = types(setup);
    types.retain(|word| !["index", "none"].contains(word));
    format!("{:#}\n", json!({ "floats": floats(), "ops": ops, "types": types }))
}

/// The query of Tree-sitter that colours.
pub fn highlights(setup: &Setup) -> String {
    let keywords: Vec<String> = keywords(setup).iter().map(|word| format!("\"{word}\"")).collect();
    include_str!("highlights.scm").replace("KEYWORDS", &keywords.join(" "))
}
