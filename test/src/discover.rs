//! Finds the tests: the files under `test/` with `RUN:` lines, and `README.md` and the Markdown pages under `docs/` with
//! `sh test` blocks.

use crate::{markdown, run_line};
use std::fs;
use std::path::{Path, PathBuf};

/// Files with these extensions are tests; one without a `RUN:` line is an error, as it would look tested.
pub const EXTENSIONS: &[&str] = &[
    "book", "dlc", "frontend", "host", "json", "kernel", "mlir", "plan", "poly", "ptx", "region", "sample", "test",
    "tiny",
];

/// Folders under `test/` whose files are not tests themselves; `programs.rs` runs those of `programs`.
const NOT_TESTS: &[&str] = &["Inputs", "programs", "src"];

/// A test that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its path below `test/`, or below the root for a page; `/` separates.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What kind of test.
    pub kind: Kind,
}

/// The kinds of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with `RUN:` lines.
    Script,
    /// A Markdown page with blocks that are run.
    Page,
    /// A file that looks like a test and is none: always fails, with this message.
    Broken(String),
}

/// All tests of the repository, by name.
pub fn tests(root: &Path) -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    let test_folder = root.join("test");
    for path in files(&test_folder)? {
        let name = relative(&test_folder, &path);
        if let Some(kind) = kind_of(&path)? {
            tests.push(Test { name, path, kind });
        }
    }
    let readme = Some(root.join("README.md")).filter(|path| path.is_file());
    let pages = files(&root.join("docs"))?.into_iter().chain(readme);
    for path in pages.filter(|path| has_extension(path, &["md"])) {
        if markdown::has_tests(&read(&path)?) {
            tests.push(Test { name: relative(root, &path), path, kind: Kind::Page });
        }
    }
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tests)
}

/// The parts between lines `// -----` of every file below a folder that a test could be, with a name for each.
pub fn parts(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut parts = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if has_extension(&path, EXTENSIONS) {
                // Some are no text, for tests of what is said about that.
                let text = fs::read_to_string(&path).unwrap_or_default();
                let name = relative(root, &path);
                let split = text.split("// -----").enumerate();
                parts.extend(split.map(|(number, part)| (format!("{name} part {number}"), part.to_owned())));
            }
        }
    }
    parts.sort();
    Ok(parts)
}

/// What a file under `test/` is.
fn kind_of(path: &Path) -> Result<Option<Kind>, String> {
    if !has_extension(path, EXTENSIONS) {
        return Ok(None);
    }
    let script = match read(path).and_then(|text| run_line::read(&text)) {
        Ok(script) => script,
        Err(message) => return Ok(Some(Kind::Broken(message))),
    };
    if !script.runs.is_empty() {
        return Ok(Some(Kind::Script));
    }
    if named_by_neighbor(path)? {
        return Ok(None);
    }
    Ok(Some(Kind::Broken(
        "no RUN line: add one, or a `.test` file next to it that names it, or move it to a folder `Inputs`".into(),
    )))
}

/// Whether a `.test` file of the same folder mentions the file; so JSON, which has no comments, is tested.
fn named_by_neighbor(path: &Path) -> Result<bool, String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(false);
    };
    for neighbor in entries(folder)?.iter().filter(|neighbor| has_extension(neighbor, &["test"])) {
        // A neighbour that cannot be read is a failing test of its own.
        let script = read(neighbor).and_then(|text| run_line::read(&text)).unwrap_or_default();
        if script.runs.iter().any(|run| run.text.contains(name)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All files below a folder, which need not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for path in entries(folder)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_file() {
            files.push(path);
        } else if path.is_dir() && !NOT_TESTS.contains(&name) && !name.starts_with('.') {
            files.extend(self::files(&path)?);
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::read_dir(folder).map_err(wrong)?.map(|entry| Ok(entry.map_err(wrong)?.path())).collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| extensions.contains(&extension))
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files() {
        let root = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write("test/passes/a.tiny", "// RUN: cat %s\n");
        write("test/passes/b.tiny", "nothing\n");
        write("test/passes/c.json", "{}\n");
        write("test/passes/c.test", "RUN: cat %S/c.json\n");
        write("test/passes/Inputs/d.tiny", "nothing\n");
        write("test/passes/notes.txt", "nothing\n");
        write("docs/a.md", "```sh test\n$ echo a\na\n```\n");
        write("docs/b.md", "```sh\n$ echo a\n```\n");
        write("README.md", "```sh test\n$ echo a\na\n```\n");
        let found = tests(root.path()).expect("tests");
        let names: Vec<(&str, bool)> =
            found.iter().map(|test| (test.name.as_str(), matches!(test.kind, Kind::Broken(_)))).collect();
        let expected = [
            ("README.md", false),
            ("docs/a.md", false),
            ("passes/a.tiny", false),
            ("passes/b.tiny", true),
            ("passes/c.test", false),
        ];
        assert_eq!(names, expected);
    }
}
