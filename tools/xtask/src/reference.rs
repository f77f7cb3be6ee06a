//! The pages `docs/reference/`, made from what dialects and passes declare.
//!
//! A page is a function of what is linked in, and of where the files of passes are: no dates, and everything in a fixed order,
//! so equal declarations give equal pages. `cargo xtask reference` writes them; a test of this crate fails when they are stale.

mod dialect;
mod passes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use dlc_ir::diag::Code;
use dlc_ir::op::{Dialect, Traits};
use dlc_opt::Setup;

use crate::repo::Repo;

/// Where the pages are, below the root.
pub const FOLDER: &str = "docs/reference";

/// The first line of every page.
const MARK: &str = "<!-- Generated from the declarations by `cargo xtask reference`; changes here are lost. -->";

/// Every page: its name in the folder, and its text.
pub fn pages(setup: &Setup, repo: &Repo) -> BTreeMap<String, String> {
    let mut dialects: Vec<&'static Dialect> = setup.dialects.clone();
    dialects.push(&dlc_ir::builtin::DIALECT);
    dialects.sort_by_key(|dialect| dialect.name);
    dialects.dedup_by_key(|dialect| dialect.name);
    let mut pages = BTreeMap::new();
    pages.insert("README.md".to_owned(), index(&dialects));
    for dialect in &dialects {
        pages.insert(format!("{}.md", dialect.name), dialect::page(dialect));
    }
    pages.insert("passes.md".to_owned(), passes::page(&setup.registry, repo));
    pages.insert("diagnostics.md".to_owned(), diagnostics(&codes()));
    pages.insert("traits.md".to_owned(), traits());
    pages.into_iter().map(|(name, text)| (name, format!("{MARK}\n\n{}\n", text.trim_end()))).collect()
}

/// The names of the pages in a repository that are not as they should be: different, missing, or there for nothing.
pub fn stale(root: &Path, pages: &BTreeMap<String, String>) -> Result<Vec<String>, String> {
    let folder = root.join(FOLDER);
    let mut found = BTreeMap::new();
    if folder.is_dir() {
        let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            found.insert(name, fs::read_to_string(&path).map_err(wrong)?);
        }
    }
    let names: BTreeSet<&String> = pages.keys().chain(found.keys()).collect();
    Ok(names.into_iter().filter(|name| pages.get(*name) != found.get(*name)).cloned().collect())
}

/// The codes that are linked in, in order.
pub fn codes() -> Vec<&'static Code> {
    let mut codes: Vec<&'static Code> = dlc_ir::inventory::iter::<&'static Code>().copied().collect();
    codes.sort_by_key(|code| (code.code, code.kind));
    codes
}

fn index(dialects: &[&Dialect]) -> String {
    let mut text =
        "# Reference\n\nWhat is declared in the code, as pages.\n\n| page | what |\n| --- | --- |\n".to_owned();
    for dialect in dialects {
        text += &row(&[format!("[{0}]({0}.md)", dialect.name), dialect.summary.to_owned()]);
    }
    text += &row(&["[passes](passes.md)".into(), "Passes and named pipelines.".into()]);
    text += &row(&["[traits](traits.md)".into(), "The properties that ops declare, and which ops have them.".into()]);
    text += &row(&["[diagnostics](diagnostics.md)".into(), "The codes of errors, warnings and remarks.".into()]);
    text + "\nThe text that all dialects share is on the page [the text of the IR](../ir.md).\n"
}

fn diagnostics(codes: &[&Code]) -> String {
    let mut text = "# Diagnostics\n\nEach has a code, which stays, and a kind, which says it in a word. \
        `--diagnostics=json` shows both.\nCodes that begin with E are errors, with W warnings, with R remarks.\n\n\
        | code | kind | meaning |\n| --- | --- | --- |\n"
        .to_owned();
    for code in codes {
        text += &row(&[code.code.to_owned(), format!("`{}`", code.kind), code.summary.to_owned()]);
    }
    text
}

fn traits() -> String {
    let mut text =
        "# Traits\n\nProperties that ops declare and passes ask for.\n\n| trait | meaning |\n| --- | --- |\n"
            .to_owned();
    for (_, word, meaning) in Traits::ALL {
        text += &row(&[format!("`{word}`"), sentence(meaning)]);
    }
    text
}

/// A row of a table.
fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Documentation as one line.
fn sentence(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_pages() {
        let root = tempfile::tempdir().expect("a folder");
        let pages = BTreeMap::from(["a.md", "b.md"].map(|name| (name.to_owned(), "text".to_owned())));
        assert_eq!(stale(root.path(), &pages).expect("read"), ["a.md", "b.md"]);
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [("a.md", "text"), ("b.md", "old"), ("c.md", "text")] {
            fs::write(folder.join(name), text).expect("a file");
        }
        assert_eq!(stale(root.path(), &pages).expect("read"), ["b.md", "c.md"]);
    }

    #[test]
    fn cells_stay_cells() {
        assert_eq!(row(&["a|b".into(), "c\nd".into()]), "| a\\|b | c d |\n");
        assert_eq!(sentence(" a  b\n c"), "a b c");
    }
}
