//! The grammars are as the declarations say, and the one for TextMate knows the ops of `test/`.

use std::path::{Path, PathBuf};

use dlc_lsp::document::Document;
use dlc_lsp::grammar::{self, rules};
use dlc_opt::Setup;
use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_grammars_are_fresh() {
    for (path, text) in grammar::files(&Setup::linked()) {
        let found = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
        assert!(found == text, "{path} is stale; `cargo xtask grammar` rewrites it");
    }
}

/// The scopes of a text: at each place that a rule matches, its start, end and scope. As an editor does it: line by
/// line, the earliest match, of several the first rule.
fn scopes(rules: &[(&'static str, Regex)], text: &str) -> Vec<(usize, usize, &'static str)> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        let mut at = 0;
        while at < body.len() {
            let matches = rules.iter().filter_map(|(scope, rule)| Some((rule.find_at(body, at)?, *scope)));
            let Some((found, scope)) = matches.min_by_key(|(found, _)| found.start()) else { break };
            all.push((start + found.start(), start + found.end(), scope));
            at = found.end().max(at + 1);
        }
        start += line.len();
    }
    all
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|end| end == "mlir" || end == "tiny") {
            into.push(path);
        }
    }
}

#[test]
fn the_grammar_knows_the_ops_of_all_texts() {
    let setup = Setup::linked();
    let compile = |(scope, rule): (&'static str, String)| (scope, Regex::new(&rule).expect("a regular expression"));
    let rules: Vec<_> = rules(&setup).into_iter().map(compile).collect();
    let mut paths = Vec::new();
    files(&root().join("test"), &mut paths);
    paths.sort();
    let mut ops = 0;
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 30_000 {
            continue;
        }
        let document = Document::new(&setup, "file:///in.mlir", text.clone());
        let scopes = scopes(&rules, &text);
        if !document.diagnostics.is_empty() {
            continue;
        }
        let mut end = 0;
        for &(from, to, _) in &scopes {
            let gap = text[end..from].trim();
            assert!(gap.is_empty(), "{}: no rule for '{gap}'", path.display());
            end = to;
        }
        for at in document.ops.keys() {
            let quoted = text[*at..].starts_with('"');
            let Ok(found) = scopes.binary_search_by_key(at, |&(from, ..)| from) else { continue };
            let (from, to, scope) = scopes[found];
            let word = text[from..to].starts_with(|c: char| c.is_ascii_alphabetic());
            assert!(quoted || !word || scope == "support.function", "{}: {}", path.display(), &text[from..to]);
            ops += 1;
        }
    }
    assert!(ops > 1000, "{ops} ops");
}
