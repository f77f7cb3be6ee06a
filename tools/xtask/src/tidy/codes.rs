//! The rule about diagnostic codes: each is expected by some test.

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

/// Whether Rust tests name the code: its static, its number or its kind.
fn in_unit_tests(repo: &Repo, code: &Code) -> bool {
    let mut name = String::new();
    for c in code.kind.chars() {
        name.extend((c.is_ascii_uppercase() && !name.is_empty()).then_some('_'));
        name.push(c.to_ascii_uppercase());
    }
    let has_word = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name || word == code.code || word == code.kind)
    };
    repo.with_extension("rs").any(|(path, text)| match path.contains("/tests/") || path.ends_with("/tests.rs") {
        true => has_word(text),
        false => text.split_once("#[cfg(test)]\nmod tests {").is_some_and(|(_, tests)| has_word(tests)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static CODE: Code = Code { code: "E9901", kind: "SizesDiffer", summary: "" };

    #[test]
    fn only_expectations_count() {
        let expects = |path: &str, text: &str| tested(&Repo::of(&[(path, text)]), &[&CODE]).is_empty();
        assert!(expects("test/a.mlir", "// CHECK-NEXT: error[E9901]\n"));
        assert!(expects("test/a.mlir", "// JSON: \"code\":\"E9901\"\n"));
        assert!(expects("test/a.mlir", "// EXPECT:\n// x\n// [E9901]\n"));
        assert!(expects("test/a.mlir", "op // expected-error {{[E9901] differ}}\n"));
        assert!(!expects("test/a.mlir", "// It gives E9901.\n"));
        assert!(!expects("test/a.mlir", "// RUN: dlc-opt | grep E9901\n"));
        assert!(!expects("test/a.mlir", "// EXPECT:\n// x\n\n// E9901\n"));
        assert!(!expects("test/src/a.mlir", "// CHECK: E9901\n"));
        assert!(expects("ir/src/text/tests.rs", "assert_eq!(kind, \"SizesDiffer\")\n"));
        assert!(expects("ir/src/text/tests/a.rs", "assert_eq!(found.code, &SIZES_DIFFER)\n"));
        assert!(expects("ir/src/text.rs", "#[cfg(test)]\nmod tests {\n    use super::SIZES_DIFFER;\n}\n"));
        assert!(!expects("ir/src/text/tests/a.rs", "ALL_SIZES_DIFFER\n"));
        assert!(!expects("ir/src/text.rs", "X = \"E9901\" \"SizesDiffer\";\n"));
    }
}
