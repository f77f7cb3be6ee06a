//! The lines of a test file that the runner obeys: `RUN:` and `REQUIRES:`.

/// A `RUN:` line, continuations joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    /// Where it starts in the file, from 1.
    pub line: usize,
    /// The commands.
    pub text: String,
}

/// What a file asks of the runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The commands, in order.
    pub runs: Vec<RunLine>,
    /// The features without which the test does not run.
    pub requires: Vec<String>,
}

/// Reads the script of a test file.
pub fn read(text: &str) -> Result<Script, String> {
    let mut script = Script::default();
    let mut continues = false;
    for (idx, line) in text.lines().enumerate() {
        let line_number = idx + 1;
        if let Some(names) = after_keyword(line, "REQUIRES:") {
            script.requires.extend(names.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned));
            continue;
        }
        let Some(text) = after_keyword(line, "RUN:") else {
            if continues {
                return Err(format!(
                    "line {line_number}: the RUN line above ends in `\\`; its continuation is missing"
                ));
            }
            if let Some(word) = misspelled(line) {
                return Err(format!("line {line_number}: `{word}` is not obeyed; write `RUN:` or `REQUIRES:`"));
            }
            continue;
        };
        let (text, goes_on) = match text.strip_suffix('\\') {
            Some(text) => (text, true),
            None => (text, false),
        };
        match script.runs.last_mut().filter(|_| continues) {
            Some(run) => run.text.extend([" ", text.trim()]),
            None => script.runs.push(RunLine { line: line_number, text: text.trim().to_owned() }),
        }
        continues = goes_on;
    }
    if continues {
        return Err("the last RUN line ends in `\\`".into());
    }
    Ok(script)
}

/// The rest of a line that starts, after the mark of a comment, with a keyword.
fn after_keyword<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    comment_text(line).strip_prefix(keyword).map(str::trim)
}

fn comment_text(line: &str) -> &str {
    let line = line.trim_start();
    let marks = ["//", "#", ";", "<!--"];
    marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim_start()
}

/// A keyword of a comment that would be silently ignored.
fn misspelled(line: &str) -> Option<&str> {
    let text = comment_text(line);
    if text.len() == line.trim_start().len() {
        return None;
    }
    let end = text.find(':')?;
    let word = text[..end].trim();
    let wrong = ["RUNS", "RUN", "REQUIRE", "REQUIRED", "UNSUPPORTED", "XFAIL"];
    wrong.contains(&word.to_ascii_uppercase().as_str()).then_some(&text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuations_and_requirements() {
        let script = read("// RUN: a \\\n// RUN:   b\n# RUN: c\n// REQUIRES: ptxas, python3\nRUNNING: x\n");
        let runs = vec![RunLine { line: 1, text: "a b".into() }, RunLine { line: 3, text: "c".into() }];
        let requires = vec!["ptxas".to_owned(), "python3".to_owned()];
        assert_eq!(script, Ok(Script { runs, requires }));
    }

    #[test]
    fn errors() {
        assert!(read("// RUN: a \\\nb\n").is_err());
        assert!(read("// RUN: a \\").is_err());
        assert!(read("// run: a").is_err());
        assert!(read("// RUN : a").is_err());
        assert!(read("// XFAIL: a").is_err());
        assert_eq!(read("run: a"), Ok(Script::default()));
    }
}
