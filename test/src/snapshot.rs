//! Exact snapshots: the whole output of a command, kept in the test file and rewritten with `DLC_BLESS=1`.
//!
//! ```text
//! // RUN: dlc-opt %s --lower-indexbook | snapshot %s
//! tiny.func @f ...
//!
//! // EXPECT:
//! // book.func @f ...
//! // }
//! ```
//!
//! A block is the line `EXPECT:` and the comment lines under it, with the mark and one blank taken off.
//! A second output of the same file has a name: `snapshot %s --name=ptx` and `// EXPECT ptx:`.
//! Where the output is split by `// -----` lines, so is the file, and each part is compared with the block of its own.
//! A path that ends in `.expected` is compared as a whole.
//! Empty lines at either end of an output do not count.

use similar::TextDiff;
use std::fmt::Write;

/// Separates the parts of a file and of an output.
const SEPARATOR: &str = "// -----";

/// Compares `output` with the block `name` of a test file; `Err` tells the difference.
pub fn compare(file: &str, name: &str, output: &str) -> Result<(), String> {
    let parts = parts(file, output)?;
    for (part, output) in &parts {
        let expected = match block(part, name) {
            Some(block) => block.text,
            None if output.is_empty() => continue,
            None => return Err(format!("no line `// {}`; DLC_BLESS=1 adds the block", keyword(name))),
        };
        if expected != *output {
            return Err(format!(
                "the output is not the snapshot (-), DLC_BLESS=1 rewrites it:\n{}",
                diff(&expected, output)
            ));
        }
    }
    Ok(())
}

/// The test file with the block `name` rewritten, or added at the end.
pub fn bless(file: &str, name: &str, output: &str) -> Result<String, String> {
    let parts = parts(file, output)?;
    let blessed = parts.iter().map(|(part, output)| bless_part(part, name, output));
    Ok(blessed.collect::<Vec<_>>().join(&format!("{SEPARATOR}\n")))
}

/// The names of the blocks in a test file.
pub fn names(file: &str) -> Vec<String> {
    let mut names: Vec<String> = file.lines().filter_map(expect_line).map(|(_, name)| name.to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// The lines that differ, with three lines around them.
pub fn diff(expected: &str, actual: &str) -> String {
    TextDiff::from_lines(expected, actual).unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

/// Cuts the empty lines at the ends of an output and ends its last line.
pub fn normalize(output: &str) -> String {
    let output = output.replace("\r\n", "\n");
    let start = output.len() - output.trim_start_matches('\n').len();
    match output[start..].trim_end_matches('\n') {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

/// Pairs each part of the file with its part of the output.
fn parts(file: &str, output: &str) -> Result<Vec<(String, String)>, String> {
    let outputs = split(output);
    if outputs.len() == 1 {
        return Ok(vec![(file.to_owned(), normalize(output))]);
    }
    let files = split(file);
    if files.len() != outputs.len() {
        let (file, output) = (files.len(), outputs.len());
        return Err(format!(
            "the file has {file} parts and the output has {output} (`{SEPARATOR}` lines separate them)"
        ));
    }
    Ok(files.into_iter().zip(outputs.iter().map(|output| normalize(output))).collect())
}

fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_end() == SEPARATOR {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("at least one part").push_str(line);
        }
    }
    parts
}

fn keyword(name: &str) -> String {
    if name.is_empty() { "EXPECT:".into() } else { format!("EXPECT {name}:") }
}

struct Block {
    /// The lines of the block in the file, its keyword included.
    lines: std::ops::Range<usize>,
    mark: String,
    text: String,
}

fn block(file: &str, name: &str) -> Option<Block> {
    let lines: Vec<&str> = file.lines().collect();
    let start = lines.iter().position(|line| expect_line(line).is_some_and(|(_, found)| found == name))?;
    let (mark, _) = expect_line(lines[start]).expect("found above");
    let mut text = String::new();
    let mut end = start + 1;
    while let Some(rest) = lines.get(end).and_then(|line| line.strip_prefix(mark)) {
        if expect_line(lines[end]).is_some() {
            break;
        }
        writeln!(text, "{}", rest.strip_prefix(' ').unwrap_or(rest)).expect("writing to a string");
        end += 1;
    }
    Some(Block { lines: start..end, mark: mark.to_owned(), text })
}

/// The comment mark and the name of an `EXPECT:` line.
fn expect_line(line: &str) -> Option<(&str, &str)> {
    let (mark, rest) = ["//", "#", ";"].into_iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?)))?;
    let name = rest.strip_prefix(" EXPECT")?.trim_end().strip_suffix(':')?;
    match name.strip_prefix(' ') {
        Some(name) if !name.is_empty() && !name.contains(' ') => Some((mark, name)),
        None if name.is_empty() => Some((mark, "")),
        _ => None,
    }
}

fn bless_part(part: &str, name: &str, output: &str) -> String {
    let found = block(part, name);
    if output.is_empty() && found.is_none() {
        return part.to_owned();
    }
    let mark = match &found {
        Some(block) => block.mark.clone(),
        None => ["#", ";"].into_iter().find(|mark| part.starts_with(mark)).unwrap_or("//").to_owned(),
    };
    let mut new_block = vec![format!("{mark} {}", keyword(name))];
    let comment = |line: &str| if line.is_empty() { mark.clone() } else { format!("{mark} {line}") };
    new_block.extend(output.lines().map(comment));
    let mut lines: Vec<String> = part.lines().map(str::to_owned).collect();
    match found {
        Some(block) => drop(lines.splice(block.lines, new_block)),
        None => {
            while lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            lines.push(String::new());
            lines.extend(new_block);
        }
    }
    // The blank line before a separator stays.
    let gap = if part.ends_with("\n\n") { "\n" } else { "" };
    lines.join("\n").trim_end().to_owned() + "\n" + gap
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "// RUN: x\nin\n\n// EXPECT:\n// a\n//\n//   b\n\n// other\n// EXPECT ptx:\n// p\n";

    #[test]
    fn a_block_is_compared_exactly() {
        assert_eq!(compare(FILE, "", "\na\n\n  b\n"), Ok(()));
        assert_eq!(compare(FILE, "ptx", "p"), Ok(()));
        let message = compare(FILE, "", "a\n\n b\n").expect_err("a difference");
        assert!(message.contains("-  b\n+ b\n"), "{message}");
        assert!(compare(FILE, "none", "a").is_err());
        assert_eq!(names(FILE), ["", "ptx"]);
    }

    #[test]
    fn blessing_rewrites_one_block_and_makes_the_comparison_pass() {
        let blessed = bless(FILE, "", "c\n\nd\n").expect("a file");
        assert_eq!(blessed, FILE.replace("// a\n//\n//   b", "// c\n//\n// d"));
        let added = bless("# RUN: x\n", "new", "c\n").expect("a file");
        assert_eq!(added, "# RUN: x\n\n# EXPECT new:\n# c\n");
        assert_eq!(compare(&added, "new", "c\n"), Ok(()));
        assert_eq!(bless(&blessed, "", "c\n\nd\n").as_ref(), Ok(&blessed));
    }

    #[test]
    fn parts_are_compared_one_by_one() {
        let file = "a\n// EXPECT:\n// 1\n\n// -----\nb\n// EXPECT:\n// 2\n";
        assert_eq!(compare(file, "", "1\n// -----\n\n2\n"), Ok(()));
        assert!(compare(file, "", "1\n// -----\n3\n").is_err());
        assert!(compare(file, "", "1\n// -----\n2\n// -----\n3\n").is_err());
        assert_eq!(bless(file, "", "1\n// -----\n3\n"), Ok(file.replace("// 2", "// 3")));
    }
}
