//! Where things are defined.

use std::path::{Path, PathBuf};

use dlc_ir::text::Token;
use serde_json::{Value, json};

use crate::document::Document;
use crate::text::Text;

/// The place where the thing at a byte is defined; ops are looked for in the sources below `root`.
pub fn definition(document: &Document, uri: &str, root: Option<&Path>, offset: usize) -> Option<Value> {
    let index = document.tokens.at(offset)?;
    let named = matches!(
        document.tokens.list[index].token,
        Token::Value | Token::Symbol | Token::QuotedSymbol | Token::Block | Token::TypeName | Token::AttrName
    );
    if named {
        let at = document.tokens.definition(&document.text.text, index)?;
        let range = document.text.range(document.tokens.list[at].range.clone());
        return Some(json!({ "uri": uri, "range": range }));
    }
    let def = document.op(index)?;
    let (file, text, at) = declaration(root?, def.dialect(), def.name)?;
    let range = Text::new(text).range(at..at);
    Some(json!({ "uri": format!("file://{}", file.display()), "range": range }))
}

/// The file, its text, and the place in it where an op is declared: the first that says `"dialect.op"` in the sources of
/// its dialect, a declaration (a line with `op`) before others.
fn declaration(root: &Path, dialect: &str, name: &str) -> Option<(PathBuf, String, usize)> {
    let quoted = format!("\"{name}\"");
    let mut other = None;
    for folder in [format!("dialects/{dialect}/src"), "ir/src".to_string()] {
        for file in sources(&root.join(folder)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for (at, _) in text.match_indices(&quoted) {
                let line = text[..at].rsplit('\n').next().unwrap_or("");
                if is_declaration(line) {
                    return Some((file, text, at));
                }
                other.get_or_insert_with(|| (file.clone(), text.clone(), at));
            }
        }
    }
    other
}

/// Whether the start of a line before the name of an op begins its declaration: `op!(Add = "tiny.add", ..`,
/// `#[op("tiny.add")]`.
fn is_declaration(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#[") || line.starts_with("op") || line.contains(" = ") && line.starts_with("pub ")
}

/// The Rust files in a folder and below, by name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}
