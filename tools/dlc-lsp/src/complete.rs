//! What may be written at the cursor.

use dlc_ir::op::OpDef;
use dlc_ir::pass::{OptionKind, PassDef};
use dlc_opt::Setup;
use serde_json::{Value, json};

use crate::document::Document;
use crate::run_lines::{self, Wanted};
use crate::{hover, plans};

// Kinds of completions, as the protocol numbers them.
const FUNCTION: u8 = 3;
const FIELD: u8 = 5;
const VARIABLE: u8 = 6;
const CLASS: u8 = 7;
const VALUE: u8 = 12;
const REFERENCE: u8 = 18;

fn item(label: &str, kind: u8, detail: &str, documentation: String) -> Value {
    let documentation = json!({ "kind": "markdown", "value": documentation });
    let sorted = format!("1{label}");
    json!({ "label": label, "kind": kind, "detail": detail, "documentation": documentation, "sortText": sorted })
}

/// An item that stands before those of other layers and clauses.
fn first(mut item: Value) -> Value {
    let key = format!("0{}", item["label"].as_str().unwrap_or_default());
    item["sortText"] = json!(key);
    item
}

/// What may be written at a byte. The editor matches it with the part of the word that is there.
pub fn at(setup: &Setup, document: &Document, offset: usize) -> Vec<Value> {
    if let Some(before) = run_lines::before(&document.text, offset) {
        return run_lines::wanted(before).map_or(Vec::new(), |wanted| in_run_line(setup, &wanted));
    }
    let text = &document.text;
    let Some(line) = text.text.get(text.line(text.line_of(offset)).start..offset) else { return Vec::new() };
    if line.contains("//") {
        return Vec::new();
    }
    if let Some((of_clause, clauses)) = plans::wanted_at(document, offset) {
        let words = of_clause.iter().map(|word| first(item(word, VALUE, "", String::new())));
        let clauses = clauses.iter().map(|word| item(word, FIELD, "clause", plans::text(word).unwrap_or_default()));
        return words.chain(clauses).collect();
    }
    let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '%' | '@' | '!' | '#' | '^');
    let word = line.rsplit(|c| !of_word(c)).next().unwrap_or("");
    let head = line[..line.len() - word.len()].trim();
    match word.chars().next() {
        Some(sigil @ ('%' | '@' | '^' | '#')) => names(document, sigil),
        Some('!') => types(document),
        _ if head.is_empty() || head.ends_with('=') && head.starts_with('%') || head.ends_with('{') => {
            ops(document, offset, word)
        }
        _ => of_op(document, offset),
    }
}

fn in_run_line(setup: &Setup, wanted: &Wanted<'_>) -> Vec<Value> {
    let registry = &setup.registry;
    let all = |dashes: &str| {
        let passes = registry.passes();
        let passes = passes
            .map(|def| item(&format!("{dashes}{}", def.name), FUNCTION, def.summary, hover::of_pass(def)))
            .collect::<Vec<_>>();
        let pipelines = registry.pipelines();
        let pipelines =
            pipelines.map(|def| item(&format!("{dashes}{}", def.name), FUNCTION, def.summary, def.text.to_string()));
        passes.into_iter().chain(pipelines).collect::<Vec<_>>()
    };
    match *wanted {
        Wanted::Flag => all("--"),
        Wanted::Pass => all(""),
        Wanted::Option(pass) => registry.pass(pass).map_or(Vec::new(), options),
        Wanted::Value(pass, name) => {
            let option = registry.pass(pass).and_then(|def| def.options.iter().find(|option| option.name == name));
            let words: &[&str] = match option.map(|option| option.kind) {
                Some(OptionKind::Bool) => &["true", "false"],
                Some(OptionKind::Choice(words)) => words,
                _ => &[],
            };
            words.iter().map(|word| item(word, VALUE, "", String::new())).collect()
        }
    }
}

fn options(def: &PassDef) -> Vec<Value> {
    def.options.iter().map(|option| item(option.name, FIELD, option.default, option.doc.to_string())).collect()
}

fn names(document: &Document, sigil: char) -> Vec<Value> {
    let mut all: Vec<(&str, usize)> = document.tokens.defined().filter(|(name, _)| name.starts_with(sigil)).collect();
    all.sort_unstable();
    let kind = if sigil == '%' { VARIABLE } else { REFERENCE };
    all.iter().map(|(name, at)| item(name, kind, document.value_type(*at).unwrap_or(""), String::new())).collect()
}

fn types(document: &Document) -> Vec<Value> {
    let all = document.ctx.dialects().iter().flat_map(|dialect| dialect.types.iter());
    all.map(|def| item(&format!("!{}", def.name), CLASS, "", def.doc.trim().to_string())).collect()
}

/// The ops: first those of the dialect that is written here without its name, then all by their whole names.
fn ops(document: &Document, offset: usize, word: &str) -> Vec<Value> {
    let one = |label: &str, def: &OpDef| item(label, FUNCTION, def.summary(), hover::of_op(def));
    let mut items = Vec::new();
    let before = document.tokens.list.partition_point(|lexed| lexed.range.end < offset);
    let here = document.tokens.dialect_before(&document.ctx, &document.text.text, before);
    for dialect in document.ctx.dialects() {
        for def in dialect.ops {
            if here == Some(dialect.name) && def.mnemonic().starts_with(word) {
                items.push(first(one(def.mnemonic(), def)));
            }
            if def.name.starts_with(word) {
                items.push(one(def.name, def));
            }
        }
    }
    items
}

/// The attributes of the op of this statement.
fn of_op(document: &Document, offset: usize) -> Vec<Value> {
    let before = document.tokens.list.partition_point(|lexed| lexed.range.start < offset);
    let Some(def) = (0..before).rev().take(256).find_map(|index| document.op(index)) else { return Vec::new() };
    let attrs = def.attrs.iter().map(|attr| item(attr.name, FIELD, attr.kind.name, String::new()));
    let types = document.ctx.dialects().iter().flat_map(|dialect| dialect.types.iter());
    let types = types.filter(|def| !def.short.is_empty());
    attrs.chain(types.map(|def| item(def.short, CLASS, def.name, def.doc.trim().to_string()))).collect()
}
