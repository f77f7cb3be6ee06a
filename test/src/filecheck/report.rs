//! How a failed FileCheck is reported: the directive, what is wrong, and the place in the input.

use super::matcher::{Mismatch, Reason};
use super::{Options, Problem};
use std::fmt::Write;
use std::ops::Range;

/// The lines shown on each side of a place.
const CONTEXT: usize = 3;
/// The lines compared when looking for the one that was probably meant.
const NEAR_LINES: usize = 2000;

/// Renders a mismatch; `input` is the text that was matched.
pub fn render(mismatch: &Mismatch, input: &str, options: &Options) -> Problem {
    let directive = &mismatch.directive;
    let mut out = match directive.line {
        0 => format!("{}\n", directive.source),
        line => format!("{}:{line}: {}\n", options.check_file, directive.source),
    };
    let mut marks: Vec<(Range<usize>, String)> = Vec::new();
    if let Some(last) = input[..mismatch.after].chars().next_back() {
        marks.push((mismatch.after - last.len_utf8()..mismatch.after, "the match before ends here".into()));
    }
    let why = match &mismatch.reason {
        Reason::NotFound { matched, wanted } => {
            if let Some(line) =
                nearest_line(&directive.pattern.gist(&mismatch.variables), input, mismatch.place.clone())
            {
                marks.push((line, "this line is the most similar one".into()));
            }
            if mismatch.place.end < input.len() {
                marks.push((mismatch.place.end..mismatch.place.end, "searched up to here (the next label)".into()));
            }
            let rest = if mismatch.after > 0 { "the rest of the input" } else { "the input" };
            if *wanted > 1 {
                format!("found {matched} times of {wanted} in {rest}")
            } else {
                format!("not found in {rest}")
            }
        }
        Reason::WrongLine(lines) => {
            marks.push((mismatch.place.clone(), "found here".into()));
            match lines {
                0 => "found on the line of the match before, not on the next one".into(),
                1 => "found on the line after the match before".into(),
                lines => format!("found {lines} lines after the match before"),
            }
        }
        Reason::Excluded => {
            marks.push((mismatch.place.clone(), "found here".into()));
            "found, and must not be there".into()
        }
        Reason::Undefined(name) => format!("the variable `{name}` has no value"),
        Reason::BadPattern(error) => {
            return Problem::Invalid(format!("{out}  the pattern is wrong: {error}"));
        }
    };
    writeln!(out, "  {why}").expect("writing to a string");
    for name in directive.pattern.free_variables() {
        if let Some(value) = mismatch.variables.get(name) {
            writeln!(out, "  with {name} = \"{value}\"").expect("writing to a string");
        }
    }
    out.push_str(&excerpt(input, &marks));
    Problem::Mismatch(out)
}

/// The lines of `text` around the marks, numbered, with `^~~~` and a remark under each mark.
pub fn excerpt(text: &str, marks: &[(Range<usize>, String)]) -> String {
    let mut out = String::new();
    let line_of = |at: usize| text[..at].matches('\n').count();
    let shown: Vec<usize> = match marks {
        [] => vec![0],
        marks => marks.iter().map(|(range, _)| line_of(range.start)).collect(),
    };
    let mut start = 0;
    let mut gap = false;
    for (number, line) in text.split('\n').enumerate() {
        let end = start + line.len();
        let last_blank = line.is_empty() && end == text.len();
        let marked = marks.iter().filter(|(range, _)| (start..=end).contains(&range.start));
        if shown.iter().any(|mark| mark.abs_diff(number) <= CONTEXT) && !(last_blank && marked.clone().count() == 0) {
            if std::mem::take(&mut gap) {
                out.push_str("     ...\n");
            }
            writeln!(out, "{:5} | {line}", number + 1).expect("writing to a string");
            for (range, remark) in marked {
                let indent = text[start..range.start].chars().count();
                let width = text[range.start..range.end.min(end).max(range.start)].chars().count();
                let tail = "~".repeat(width.saturating_sub(1));
                writeln!(out, "      | {:indent$}^{tail} {remark}", "").expect("writing to a string");
            }
        } else if number > 0 && !out.is_empty() {
            gap = true;
        }
        start = end + 1;
    }
    out
}

/// The line of `range` most like `wanted`, if any is like it at all.
fn nearest_line(wanted: &str, text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let mut best = (0.5, None);
    let mut start = range.start;
    for line in text[range].split('\n').take(NEAR_LINES) {
        let trimmed = line.trim();
        let likeness = strsim::sorensen_dice(wanted.trim(), trimmed);
        if likeness > best.0 {
            let at = start + line.find(trimmed).expect("a trimmed line is inside the line");
            best = (likeness, Some(at..at + trimmed.len()));
        }
        start += line.len() + 1;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use crate::filecheck::{Options, check};

    #[track_caller]
    fn check_report(directives: &str, input: &str, expected: &str) {
        let options = Options::parse(&["f.mlir".to_owned()]).expect("options");
        let problem = check(&options, directives, input).expect_err("a mismatch");
        assert_eq!(problem.to_string(), expected);
    }

    #[test]
    fn not_found() {
        check_report(
            "CHECK: one\nCHECK: add %2, %3",
            "one\nadd %2, %4\n",
            "f.mlir:2: CHECK: add %2, %3\n  not found in the rest of the input\n    1 | one\n      |   ^ the match before ends here\n    2 | add %2, %4\n      | ^~~~~~~~~~ this line is the most similar one\n",
        );
    }

    #[test]
    fn excluded() {
        check_report(
            "CHECK-NOT: b",
            "a\nb",
            "f.mlir:1: CHECK-NOT: b\n  found, and must not be there\n    1 | a\n    2 | b\n      | ^ found here\n",
        );
    }

    #[test]
    fn far_lines_are_left_out() {
        let text: String = (1..=20).map(|n| format!("l{n}\n")).collect();
        let end = text.len() - 1;
        let shown = excerpt(&text, &[(0..1, "start".into()), (end..end, "end".into())]);
        assert!(shown.contains("     ...\n   17 | l17\n"), "{shown}");
        assert!(!shown.contains("l10"), "{shown}");
    }
}
