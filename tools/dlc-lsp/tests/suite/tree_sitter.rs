//! The grammar for Tree-sitter reads every text of `test/` that is valid, and finds its ops where the parser does.
//!
//! Runs where `tree-sitter`, its command-line tool, is installed, and says so where it is not. It needs a C compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use dlc_lsp::document::Document;
use dlc_lsp::grammar::TREE_SITTER;
use dlc_opt::Setup;
use dlc_test::features::Features;

/// What the test wants to know of a tree.
const QUERY: &str = "(operation name: (op_name) @op)\n(ERROR) @error\n(MISSING) @missing\n";

/// A place in a text: line and byte of the line, both from 0.
type Place = (usize, usize);

#[test]
fn tree_sitter_reads_all_texts() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(tool) = features.program("tree-sitter") else {
        say("not run: tree-sitter is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a directory");
    let parser = Parser::build(tool, folder.path());
    reads_valid_texts(&parser);
    queries_find_nodes(&parser);
}

/// No valid text has an error or a token that is missing, and all its ops are found.
fn reads_valid_texts(parser: &Parser<'_>) {
    let texts = valid_texts();
    let paths: Vec<&PathBuf> = texts.keys().collect();
    let captures = parser.query(QUERY, &paths);
    let (mut wrong, mut ops) = (Vec::new(), 0);
    for (path, wanted) in &texts {
        let found = captures.get(path).map_or(&[][..], Vec::as_slice);
        let errors = found.iter().filter(|(capture, _)| capture != "op");
        wrong.extend(errors.map(|(capture, (line, _))| format!("{}:{}: {capture}", path.display(), line + 1)));
        let found: BTreeSet<Place> = found.iter().filter(|(capture, _)| capture == "op").map(|(_, at)| *at).collect();
        let missing = wanted.difference(&found);
        wrong.extend(missing.map(|(line, byte)| format!("{}:{}:{}: no op", path.display(), line + 1, byte + 1)));
        ops += wanted.len();
    }
    say(&format!("{} texts with {ops} ops were read", texts.len()));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(ops > 1000, "{ops} ops");
}

/// The queries for editors name nodes that exist, and find what they should.
fn queries_find_nodes(parser: &Parser<'_>) {
    let text = parser.folder.join("in.mlir");
    std::fs::write(&text, "tiny.func @f(%x: f32) -> f32 {\n  %y = exp %x to f16\n  return %y // done\n}\n")
        .expect("a file");
    let captured = |query: &str| {
        let query = root().join(TREE_SITTER).join("queries").join(query);
        let query = std::fs::read_to_string(&query).unwrap_or_else(|error| panic!("{}: {error}", query.display()));
        let captures = parser.query(&query, &[&text]).remove(&text).unwrap_or_default();
        captures.into_iter().map(|(capture, (line, byte))| format!("{line}:{byte} {capture}")).collect::<Vec<_>>()
    };
    let highlights = captured("highlights.scm");
    let wanted = ["0:0 function.builtin", "0:10 function", "0:17 type.builtin", "1:7 function.builtin", "1:14 keyword"];
    for wanted in wanted.iter().chain(&["2:2 function.builtin", "2:12 comment"]) {
        assert!(highlights.iter().any(|found| found == wanted), "{wanted} is not in {highlights:?}");
    }
    assert_eq!(captured("folds.scm"), ["0:29 fold"]);
    assert!(captured("locals.scm").iter().any(|found| found == "0:13 local.definition"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root of the repository")
}

/// Tells what was done also when the test passes: the harness swallows what the print macros write.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "\ntree-sitter: {line}");
}

/// The texts that have no diagnostics, with the places of the names of their ops.
fn valid_texts() -> BTreeMap<PathBuf, BTreeSet<Place>> {
    let setup = Setup::linked();
    let mut paths = Vec::new();
    files(&root().join("test"), &mut paths);
    let mut texts = BTreeMap::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let document = Document::new(&setup, "file:///in.mlir", text.clone());
        if !document.diagnostics.is_empty() {
            continue;
        }
        // The module around all has no name, and is at the first byte.
        let is_name = |at: &&usize| text[**at..].starts_with(|first: char| first.is_ascii_alphabetic() || first == '"');
        let place = |at: &usize| {
            let before = &text[..*at];
            (before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |end| end + 1))
        };
        texts.insert(path, document.ops.keys().filter(is_name).map(place).collect());
    }
    texts
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

/// A parser that the tool has made of the grammar, in a folder.
struct Parser<'a> {
    tool: &'a Path,
    folder: &'a Path,
}

impl<'a> Parser<'a> {
    fn build(tool: &'a Path, folder: &'a Path) -> Parser<'a> {
        for file in ["grammar.js", "tree-sitter.json", "words.json"] {
            std::fs::copy(root().join(TREE_SITTER).join(file), folder.join(file)).expect("a copy");
        }
        let parser = Parser { tool, folder };
        parser.run(&["generate"]);
        parser.run(&["build", "--output", "dlc.so"]);
        parser
    }

    /// What the tool prints.
    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new(self.tool);
        // Newer versions have a JavaScript runtime of their own.
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join("node").is_file()) {
            command.env("TREE_SITTER_JS_RUNTIME", "native");
        }
        let output = command.args(args).current_dir(self.folder).output().expect("tree-sitter starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tree-sitter {args:?}: {}\n{errors}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What a query captures in some texts: the names of the captures, with the places where they begin.
    fn query(&self, query: &str, texts: &[&PathBuf]) -> BTreeMap<PathBuf, Vec<(String, Place)>> {
        std::fs::write(self.folder.join("query.scm"), query).expect("a file");
        let list: String = texts.iter().map(|path| format!("{}\n", path.display())).collect();
        std::fs::write(self.folder.join("texts"), list).expect("a file");
        let parser = ["--lib-path", "dlc.so", "--lang-name", "dlc"];
        let printed = self.run(&[&["query", "--captures", "--paths", "texts"], &parser[..], &["query.scm"]].concat());
        let mut captures: BTreeMap<PathBuf, Vec<(String, Place)>> = BTreeMap::new();
        let mut path = PathBuf::new();
        // `    pattern:  0, capture: 0 - op, start: (4, 0), end: (4, 9), text: `tiny.func``, below the path of the text.
        for line in printed.lines() {
            if line.starts_with('/') && texts.iter().any(|text| text.as_os_str() == line) {
                path = PathBuf::from(line);
                continue;
            }
            let Some((_, rest)) =
                line.split_once(", capture: ").filter(|(start, _)| start.starts_with("    pattern: "))
            else {
                continue;
            };
            let (name, place) = rest.split_once(", start: (").expect("a place");
            let (row, column) =
                place.split_once(')').and_then(|(place, _)| place.split_once(", ")).expect("two numbers");
            let name = name.split_once(" - ").map_or(name, |(_, name)| name);
            let place = (row.parse().expect("a row"), column.parse().expect("a column"));
            captures.entry(path.clone()).or_default().push((name.to_owned(), place));
        }
        captures
    }
}
