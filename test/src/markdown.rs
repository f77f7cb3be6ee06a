//! Tutorials as tests: the `sh test` blocks of a Markdown page are run, and must show what is printed.
//!
//! A line `$ command` of such a block is a command of the built-in shell; a `\` at its end continues it.
//! The lines below it are its output, both streams, exactly; a line `...` stands for any number of lines.
//! A command that fails is followed by a last line such as `(exit status 1)`.
//! A block whose first line says `file=NAME` is written to that file when it is reached.
//! `DLC_BLESS=1` rewrites an output that has no `...`.

use crate::child::{Ending, Output};
use crate::exec::Shell;
use crate::session::Session;
use crate::test_file::{Outcome, common_substitutions, temporary_directory};
use crate::{features, snapshot};
use std::fs;
use std::ops::Range;
use std::path::Path;

/// A block of the page that the test obeys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Text for a file.
    File {
        /// The file.
        name: String,
        /// What is in it.
        text: String,
    },
    /// Commands and what they print.
    Commands(Vec<Example>),
}

/// A command and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The line of the command in the page, from 1.
    pub line: usize,
    /// The command.
    pub command: String,
    /// The output, as lines of the page (from 0).
    pub output: Range<usize>,
}

/// Whether a page has blocks that are run.
pub fn has_tests(page: &str) -> bool {
    blocks(page).iter().any(|block| matches!(block, Block::Commands(_)))
}

/// The blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    let mut idx = 0;
    while idx < lines.len() {
        let indent = lines[idx].len() - lines[idx].trim_start().len();
        let fence_len = lines[idx].trim_start().bytes().take_while(|b| *b == b'`').count();
        if fence_len < 3 || indent > 3 {
            idx += 1;
            continue;
        }
        let fence = "`".repeat(fence_len);
        let info: Vec<&str> = lines[idx].trim_start()[fence_len..].split_whitespace().collect();
        let start = idx + 1;
        let end = (start..lines.len()).find(|line| lines[*line].trim() == fence).unwrap_or(lines.len());
        if info == ["sh", "test"] {
            blocks.push(Block::Commands(examples(&lines, start..end)));
        } else if let Some(name) = info.iter().find_map(|word| word.strip_prefix("file=")) {
            let text = lines[start..end].iter().map(|line| format!("{line}\n")).collect();
            blocks.push(Block::File { name: name.to_owned(), text });
        }
        idx = end + 1;
    }
    blocks
}

fn examples(lines: &[&str], block: Range<usize>) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut idx = block.start;
    while idx < block.end {
        if let Some(command) = lines[idx].strip_prefix("$ ") {
            let line = idx + 1;
            let mut command = command.trim().to_owned();
            while command.ends_with('\\') && idx + 1 < block.end {
                idx += 1;
                command.pop();
                command.push_str(lines[idx].trim());
            }
            examples.push(Example { line, command, output: idx + 1..idx + 1 });
        } else if let Some(example) = examples.last_mut() {
            example.output.end = idx + 1;
        } else {
            // Output before any command can never be right.
            examples.push(Example { line: idx + 1, command: String::new(), output: idx..idx + 1 });
        }
        idx += 1;
    }
    examples
}

/// Runs the blocks of a page.
pub fn run(session: &Session, page: &Path) -> Outcome {
    match try_run(session, page) {
        Ok(outcome) => outcome,
        Err(message) => Outcome::Failed(message),
    }
}

fn try_run(session: &Session, page: &Path) -> Result<Outcome, String> {
    let text = fs::read_to_string(page).map_err(|error| format!("{}: {error}", page.display()))?;
    let directory = temporary_directory(session)?;
    let known = features::FEATURES.iter().map(|(name, _)| (*name).to_owned());
    let (requires, absent): (Vec<String>, _) = known.partition(|name| session.features.program(name).is_some());
    let shell = Shell {
        session,
        file: page.to_owned(),
        directory: directory.path().to_owned(),
        requires,
        prefixes: Vec::new(),
        substitutions: common_substitutions(session),
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for block in blocks(&text) {
        match block {
            Block::File { name, text } => {
                let path = directory.path().join(&name);
                let folder = path.parent().expect("a file is in a folder");
                fs::create_dir_all(folder)
                    .and_then(|()| fs::write(&path, text))
                    .map_err(|error| format!("file={name}: {error}"))?;
            }
            Block::Commands(examples) => {
                for example in examples {
                    // A page has no REQUIRES line; its commands say what they need.
                    let mut words = example.command.split_whitespace();
                    if let Some(needed) = words.find(|word| absent.iter().any(|name| name == word)) {
                        return Ok(Outcome::NotRun(vec![needed.to_owned()]));
                    }
                    changes.extend(run_example(&shell, &example, &lines)?);
                }
            }
        }
    }
    if !changes.is_empty() {
        fs::write(page, rewrite(&lines, &changes)).map_err(|error| format!("{}: {error}", page.display()))?;
    }
    Ok(Outcome::Passed)
}

/// Runs one command; returns the change of the page when it is to be rewritten.
fn run_example(shell: &Shell<'_>, example: &Example, lines: &[&str]) -> Result<Option<(Range<usize>, String)>, String> {
    let place = |message: String| format!("line {}: {}\n{message}", example.line, example.command);
    if example.command.is_empty() {
        return Err(place("a `sh test` block begins with a line `$ command`".into()));
    }
    let output = shell.run_anyway(&example.command).map_err(place)?;
    let printed = printed(&output).map_err(place)?;
    let expected: String = lines[example.output.clone()].iter().map(|line| format!("{line}\n")).collect();
    let expected = snapshot::normalize(&expected);
    if matches(&expected, &printed) {
        return Ok(None);
    }
    let exact = expected.lines().all(|line| line != "...");
    if shell.session.bless && exact {
        return Ok(Some((example.output.clone(), printed)));
    }
    Err(place(format!("it prints something else (+) than the page says (-):\n{}", snapshot::diff(&expected, &printed))))
}

/// What the reader of the page would see.
fn printed(output: &Output) -> Result<String, String> {
    let text = [&output.stderr[..], &output.stdout[..]].concat();
    let text = snapshot::normalize(&String::from_utf8_lossy(&text));
    match output.ending {
        Ending::Code(0) => Ok(text),
        Ending::Code(code) => Ok(format!("{text}(exit status {code})\n")),
        ending => Err(format!("it {ending}\n{text}")),
    }
}

/// Whether the output is the expected one, in which `...` stands for any lines.
fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let printed: Vec<&str> = printed.lines().collect();
    let pieces: Vec<&[&str]> = expected.split(|line| *line == "...").collect();
    let [first, middle @ .., last] = &pieces[..] else { return expected == printed };
    if !printed.starts_with(first) || !printed[first.len()..].ends_with(last) {
        return false;
    }
    let mut rest = &printed[first.len()..printed.len() - last.len()];
    middle.iter().filter(|piece| !piece.is_empty()).all(|piece| {
        let at = rest.windows(piece.len()).position(|window| window == *piece);
        at.inspect(|at| rest = &rest[at + piece.len()..]).is_some()
    })
}

fn rewrite(lines: &[&str], changes: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let mut next = 0;
    for (range, text) in changes {
        out.extend(lines[next..range.start].iter().map(|line| format!("{line}\n")));
        out.push_str(text);
        next = range.end;
    }
    out.extend(lines[next..].iter().map(|line| format!("{line}\n")));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_page() {
        let page = "# Title\n```text file=a.txt\none\n```\n````sh test\n$ cat \\\n  a.txt\none\n$ echo\n````\n```sh\n$ x\n```\n";
        let examples = vec![
            Example { line: 6, command: "cat a.txt".into(), output: 7..8 },
            Example { line: 9, command: "echo".into(), output: 9..9 },
        ];
        let file = Block::File { name: "a.txt".into(), text: "one\n".into() };
        assert_eq!(blocks(page), [file, Block::Commands(examples)]);
    }

    #[test]
    fn dots_stand_for_lines() {
        assert!(matches("a\n", "a\n"));
        assert!(!matches("a\n", "a\nb\n"));
        assert!(matches("a\n...\nd\n", "a\nb\nc\nd\n"));
        assert!(matches("a\n...\nd\n", "a\nd\n"));
        assert!(matches("...\nb\n...\n", "a\nb\nc\n"));
        assert!(!matches("...\nb\n...\nb\n", "a\nb\n"));
        assert!(!matches("a\n...\na\n", "a\n"));
    }

    #[test]
    fn changed_outputs_replace_the_old_ones() {
        let lines = ["a", "old", "older", "b", "c"];
        let changes = [(1..3, "new\n".to_owned()), (5..5, "end\n".to_owned())];
        assert_eq!(rewrite(&lines, &changes), "a\nnew\nb\nc\nend\n");
    }
}
