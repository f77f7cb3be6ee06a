//! The rule about words: where the field has a term, that is the word. The table is `words.tsv`.

use regex::Regex;

use super::Complaints;
use crate::repo::Repo;

/// The table: scope, regular expression and standard term, a tab between.
const TABLE: &str = include_str!("words.tsv");

/// Files that say what was, and the table itself.
const HISTORY: [&str; 3] = ["CHANGELOG.md", "tools/xtask/src/tidy/words.tsv", "tools/xtask/src/tidy/words.rs"];

/// A row of the table.
struct Row {
    is_identifier: bool,
    pattern: Regex,
    standard: &'static str,
}

/// No word of the table stands in its scope.
pub fn standard(repo: &Repo) -> Complaints {
    let rows = rows();
    let mut complaints = Vec::new();
    for extension in ["rs", "md", "mlir", "py", "test", "js", "html"] {
        for (path, text) in repo.with_extension(extension).filter(|(path, _)| !HISTORY.contains(path)) {
            let mut is_quoted = false;
            for (number, line) in text.lines().enumerate() {
                let hits = hits(&rows, extension, line, &mut is_quoted);
                complaints.extend(hits.into_iter().map(|hit| format!("{path}:{}: {hit}", number + 1)));
            }
        }
    }
    complaints
}

/// What a line of a file says in words of the table, and the standard term for each. Pages are prose, and so are text tests,
/// whose comments need no sign.
fn hits(rows: &[Row], extension: &str, line: &str, is_quoted: &mut bool) -> Vec<String> {
    let (code, prose) = match extension {
        "md" | "html" | "test" => (String::new(), line.to_owned()),
        _ => parts(line, is_quoted),
    };
    let rows = rows.iter().filter(|row| extension == "rs" || !row.is_identifier);
    let hit = |row: &Row| {
        let found = row.pattern.find(if row.is_identifier { &code } else { &prose })?;
        Some(format!("'{}' is '{}' in standard terms", found.as_str(), row.standard))
    };
    rows.filter_map(hit).collect()
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let (Some(scope), Some(pattern), Some(standard)) = (cells.next(), cells.next(), cells.next()) else {
            panic!("a row of words.tsv has no three cells: {line}");
        };
        let pattern = Regex::new(pattern).unwrap_or_else(|error| panic!("{line}: {error}"));
        Row { is_identifier: scope == "identifier", pattern, standard }
    };
    lines.map(row).collect()
}

/// The code of a line, and its prose: the comment, and what stands in quotation marks. These may have begun on the line
/// before, which then ends with a backslash.
fn parts(line: &str, is_quoted: &mut bool) -> (String, String) {
    let (mut code, mut prose) = (String::new(), String::new());
    let mut chars = line.char_indices();
    while let Some((at, char)) = chars.next() {
        let is_comment = !*is_quoted && (line[at..].starts_with("//") || line[at..].starts_with("# "));
        if is_comment {
            prose.push(' ');
            prose.push_str(&line[at..]);
            break;
        }
        match char {
            '\\' if *is_quoted => drop(chars.next()),
            '"' => *is_quoted = !*is_quoted,
            _ if *is_quoted => prose.push(char),
            _ => code.push(char),
        }
    }
    *is_quoted &= line.ends_with('\\');
    (code, prose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_code_and_prose() {
        let (code, prose) = parts(r#"let team = f("a \"b\" c"); // the rest"#, &mut false);
        assert_eq!(code, "let team = f(); ");
        assert_eq!(prose, "a b c // the rest");
    }

    #[test]
    fn quotation_marks_may_end_on_the_next_line() {
        let mut is_quoted = false;
        assert_eq!(parts("let a = \"one \\", &mut is_quoted).1, "one ");
        assert!(is_quoted);
        assert_eq!(parts("  two\", b);", &mut is_quoted), (", b);".into(), "  two".into()));
        assert!(!is_quoted);
    }

    #[test]
    fn words_are_found_in_their_scope_alone() {
        let rows = rows();
        let found = |extension: &str, line: &str| hits(&rows, extension, line, &mut false).len();
        assert_eq!(found("md", "a copy engine for each team"), 2);
        assert_eq!(found("rs", "let team = 1; // a thread group"), 1);
        assert_eq!(found("rs", "let thread_group = 1; // a team"), 1);
        assert_eq!(found("mlir", "kernel.func @team() // a thread group"), 0);
        assert_eq!(found("test", "A team"), 1);
    }
}
