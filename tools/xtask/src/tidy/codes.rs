//! The rules about diagnostic codes: each is raised by something, and expected by some test.

use super::Complaints;
use crate::repo::Repo;
use dlc_ir::diag::Code;

/// Every code stands in a line of a text test that expects something: a FileCheck directive, an `expected-` comment or
/// a snapshot. Text tests show what users see; where only a unit test can raise a code (a mistake of our own, say), a file
/// of unit tests names it.
pub fn tested(repo: &Repo, codes: &[&'static Code]) -> Complaints {
    let untested = codes.iter().filter(|code| !in_text_tests(repo, code.code) && !in_unit_tests(repo, code));
    untested.map(|code| format!("{} {}: no test under test/ expects it", code.code, code.kind)).collect()
}

fn in_text_tests(repo: &Repo, code: &str) -> bool {
    let tests = repo.files().filter(|(path, _)| path.starts_with("test/") && !path.starts_with("test/src/"));
    tests.flat_map(|(_, text)| expectations(text)).any(|line| line.contains(code))
}

/// The lines of a test that say what is to come.
fn expectations(text: &str) -> impl Iterator<Item = &str> {
    let mut in_snapshot = false;
    text.lines().filter(move |line| {
        let comment = line.trim_start().starts_with("//") || line.trim_start().starts_with('#');
        in_snapshot = comment && (in_snapshot || line.contains("EXPECT"));
        in_snapshot || line.contains("expected-") || is_directive(line)
    })
}

/// Whether the line has a word of capitals with a colon, as `CHECK-NEXT:` and other prefixes have, and is no command.
fn is_directive(line: &str) -> bool {
    let Some((before, _)) = line.split_once(':') else { return false };
    let word = before.rsplit(' ').next().unwrap_or_default();
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-' || c == '_';
    word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(capital) && word != "RUN"
}

/// Whether Rust tests name the code: its number, the static that declares it, or a text that begins with its kind. A kind
/// alone is a word that may mean something else.
fn in_unit_tests(repo: &Repo, code: &Code) -> bool {
    let (name, text) = (declared(repo, code), format!("\"{}", code.kind));
    repo.with_extension("rs").any(|(path, source)| {
        let tests = tests_of(path, source);
        has_word(tests, code.code) || name.is_some_and(|name| has_word(tests, name)) || tests.contains(&text)
    })
}

/// Every code is raised somewhere: what is no test names the static that declares it once more.
pub fn raised(repo: &Repo, codes: &[&'static Code]) -> Complaints {
    let is_raised = |code: &Code| {
        let name = declared(repo, code).unwrap_or(code.code);
        let declaration = declaration(code);
        repo.with_extension("rs").any(|(path, source)| {
            let source = &source[..source.len() - tests_of(path, source).len()];
            // Most files do not name it: that is found faster in the whole than line by line.
            has_word(source, name) && source.lines().any(|line| has_word(line, name) && !line.contains(&declaration))
        })
    };
    let dead = codes.iter().filter(|code| !is_raised(code));
    dead.map(|code| format!("{} {}: nothing raises it", code.code, code.kind)).collect()
}

/// ` = "E9901" "SizesDiffer"`, as it stands after the name of the static.
fn declaration(code: &Code) -> String {
    format!(" = \"{}\" \"{}\"", code.code, code.kind)
}

/// The static that declares a code.
fn declared<'r>(repo: &'r Repo, code: &Code) -> Option<&'r str> {
    let declaration = declaration(code);
    repo.with_extension("rs").find_map(|(path, source)| {
        let (before, _) = source[..source.len() - tests_of(path, source).len()].split_once(&declaration)?;
        before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()
    })
}

/// The tests of a Rust file, which are at its end if it has other things.
fn tests_of<'r>(path: &str, source: &'r str) -> &'r str {
    match path.contains("/tests/") || path.ends_with("/tests.rs") || path.starts_with("test/") {
        true => source,
        false => source.find("#[cfg(test)]\nmod tests {").map_or("", |start| &source[start..]),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = text.match_indices(word).map(|(at, _)| (&text[..at], &text[at + word.len()..]));
    places.any(|(before, after)| !before.ends_with(is_part) && !after.starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    static CODE: Code = Code { code: "E9901", kind: "SizesDiffer", summary: "" };
    const DECLARED: &str = "    DIFFERENT_SIZES = \"E9901\" \"SizesDiffer\";\n";

    #[test]
    fn only_expectations_count() {
        let expects = |path: &str, text: &str| {
            tested(&Repo::of(&[("ir/src/shape.rs", DECLARED), (path, text)]), &[&CODE]).is_empty()
        };
        assert!(expects("test/a.mlir", "// CHECK-NEXT: error[E9901]\n"));
        assert!(expects("test/a.mlir", "// JSON: \"code\":\"E9901\"\n"));
        assert!(expects("test/a.mlir", "// EXPECT:\n// x\n// [E9901]\n"));
        assert!(expects("test/a.mlir", "op // expected-error {{[E9901] differ}}\n"));
        assert!(!expects("test/a.mlir", "// It gives E9901.\n"));
        assert!(!expects("test/a.mlir", "// RUN: dlc-opt | grep E9901\n"));
        assert!(!expects("test/a.mlir", "// EXPECT:\n// x\n\n// E9901\n"));
        assert!(!expects("test/src/a.mlir", "// CHECK: E9901\n"));
        assert!(expects("ir/src/text/tests.rs", "assert_eq!(found, \"SizesDiffer: of 2 and 3\")\n"));
        assert!(expects("ir/src/text/tests/a.rs", "assert_eq!(found.code, &DIFFERENT_SIZES)\n"));
        assert!(expects("ir/src/text.rs", "#[cfg(test)]\nmod tests {\n    use super::DIFFERENT_SIZES;\n}\n"));
        assert!(!expects("ir/src/text/tests/a.rs", "ALL_DIFFERENT_SIZES\n"));
        assert!(!expects("ir/src/text/tests/a.rs", "assert_eq!(error.kind, Other::SizesDiffer)\n"));
        assert!(!expects("ir/src/text.rs", "X = \"E9901\" \"Other\";\n"));
    }

    #[test]
    fn a_declaration_raises_nothing() {
        let is_raised = |path: &str, text: &str| {
            raised(&Repo::of(&[("ir/src/shape.rs", DECLARED), (path, text)]), &[&CODE]).is_empty()
        };
        assert!(is_raised("ir/src/text.rs", "fail(&DIFFERENT_SIZES, place)\n"));
        assert!(!is_raised("ir/src/text.rs", "fail(&ALL_DIFFERENT_SIZES, place)\n"));
        assert!(!is_raised("ir/src/text/tests.rs", "fail(&DIFFERENT_SIZES, place)\n"));
        assert!(!is_raised("test/fuzz.rs", "fail(&DIFFERENT_SIZES, place)\n"));
    }
}
