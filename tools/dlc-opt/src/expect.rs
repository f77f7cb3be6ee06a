//! `--verify-diagnostics`: diagnostics against comments of the input.
//!
//! `// expected-error@+1 {{part of the message}}`
//!
//! - The kinds are `error`, `warning`, `remark` and `note`.
//! - Without a place it is the line of the comment; `@+n` and `@-n` count lines from there, `@above` and `@below` mean
//!   the nearest line without such a comment, `@unknown` a diagnostic without a place.
//! - The text is part of what is shown: code, op, message, suggestion. With `expected-error-re` it is a regular
//!   expression, or, where it has `{{..}}` inside, text with regular expressions in those.
//!
//! Every diagnostic must be expected, and every expectation met by one.

use std::ops::Range;
use std::sync::LazyLock;

use dlc_ir::diag::{Diagnostic, Severity, line_column};
use dlc_ir::location::SourceFile;
use dlc_ir::{Context, Loc};
use regex::Regex;

dlc_ir::codes! {
    /// A diagnostic came that no comment expects.
    UNEXPECTED = "E0511" "Unexpected";
    /// A diagnostic that a comment expects did not come.
    NOT_PRODUCED = "E0512" "NotProduced";
    /// A comment that expects a diagnostic is not written as it must be.
    BAD_EXPECTATION = "E0513" "BadExpectation";
}

/// What the comments of a part of an input expect.
pub struct Expectations<'a> {
    file: &'a SourceFile,
    list: Vec<Expectation>,
    mistakes: Vec<Diagnostic>,
}

struct Expectation {
    kind: &'static str,
    /// The line of the file; `None` for a diagnostic without a place.
    line: Option<u32>,
    text: Pattern,
    at: Loc,
    shown: String,
    met: bool,
}

enum Pattern {
    Part(String),
    Regex(Regex),
}

/// The head of an expectation; the text in braces is read by hand, because it may have braces inside.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"expected-(error|warning|remark|note)(-re)?\s*(?:@(unknown|above|below|[+-]\d{1,9}))?\s*";
    Regex::new(pattern).expect("it is a regular expression")
});

impl<'a> Expectations<'a> {
    /// What the comments in a part of a file expect.
    pub fn of(file: &'a SourceFile, range: Range<usize>) -> Expectations<'a> {
        let mut expectations = Expectations { file, list: Vec::new(), mistakes: Vec::new() };
        let text = &file.text[range.clone()];
        // Most inputs have none, and some are large.
        if !text.contains("expected-") {
            return expectations;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let first = file.line_column(range.start).0;
        let mut at = range.start;
        for (index, line) in lines.iter().enumerate() {
            expectations.line(&lines, index, first, at);
            at += line.len() + 1;
        }
        expectations
    }

    fn line(&mut self, lines: &[&str], index: usize, first: u32, start: usize) {
        let line = lines[index];
        if !line.contains("expected-") {
            return;
        }
        for head in HEAD.captures_iter(line) {
            let whole = head.get(0).expect("the match");
            let loc = self.file.loc(start + whole.start());
            let Some(text) = braced(&line[whole.end()..]) else {
                let message = "an expectation is written 'expected-error@+1 {{text}}'";
                self.mistakes.push(Diagnostic::error(&BAD_EXPECTATION, loc, message));
                continue;
            };
            let own = first + index as u32;
            let bare = |line: &str| !HEAD.is_match(line);
            let place = head.get(3).map_or("", |place| place.as_str());
            let wanted = match place {
                "" => Some(own),
                "unknown" => None,
                "above" => (0..index).rev().find(|&i| bare(lines[i])).map(|i| first + i as u32),
                "below" => (index + 1..lines.len()).find(|&i| bare(lines[i])).map(|i| first + i as u32),
                number => number.parse::<i64>().ok().and_then(|n| u32::try_from(i64::from(own) + n).ok()),
            };
            if wanted.is_none() && place != "unknown" {
                let message = format!("there is no line '@{place}' of here");
                self.mistakes.push(Diagnostic::error(&BAD_EXPECTATION, loc, message));
                continue;
            }
            let text_of = if head.get(2).is_some() { regex(text) } else { Ok(Pattern::Part(text.to_string())) };
            match text_of {
                Ok(pattern) => self.list.push(Expectation {
                    kind: kind(&head[1]),
                    line: wanted,
                    text: pattern,
                    at: loc,
                    shown: text.to_string(),
                    met: false,
                }),
                Err(error) => {
                    let message = format!("the regular expression cannot be read: {error}");
                    self.mistakes.push(Diagnostic::error(&BAD_EXPECTATION, loc, message));
                }
            }
        }
    }

    /// What of some diagnostics was not expected, and what was expected and did not come.
    pub fn check(mut self, ctx: &Context, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut wrong = std::mem::take(&mut self.mistakes);
        for diagnostic in found {
            let at = diagnostic.at.as_ref().map_or(String::new(), |op| format!("'{op}': "));
            let hint = diagnostic.suggestion.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
            let shown = format!("{} {at}{}{hint}", diagnostic.code.code, diagnostic.message);
            let notes = std::mem::take(&mut { diagnostic.notes.clone() });
            if !self.meet(ctx, diagnostic.severity.word(), diagnostic.loc, &shown) {
                let message = format!("unexpected {}: {shown}", diagnostic.severity.word());
                wrong.push(Diagnostic::error(&UNEXPECTED, diagnostic.loc, message));
                continue;
            }
            // Notes of an expected diagnostic may go without an expectation of their own.
            for note in notes {
                self.meet(ctx, "note", note.loc, &note.message);
            }
        }
        for expectation in self.list.iter().filter(|expectation| !expectation.met) {
            let message = format!("expected {} '{}' did not come", expectation.kind, expectation.shown);
            wrong.push(Diagnostic::error(&NOT_PRODUCED, expectation.at, message));
        }
        wrong
    }

    fn meet(&mut self, ctx: &Context, kind: &str, loc: Loc, shown: &str) -> bool {
        let line = line_column(ctx, loc).filter(|(file, ..)| *file == self.file.name).map(|(_, line, _)| line);
        let fits = |e: &&mut Expectation| {
            let text = match &e.text {
                Pattern::Part(part) => shown.contains(part.as_str()),
                Pattern::Regex(regex) => regex.is_match(shown),
            };
            !e.met && e.kind == kind && e.line == line && text
        };
        let found = self.list.iter_mut().find(fits);
        found.map(|expectation| expectation.met = true).is_some()
    }
}

fn kind(word: &str) -> &'static str {
    match word {
        "warning" => Severity::Warning.word(),
        "remark" => Severity::Remark.word(),
        "note" => "note",
        _ => Severity::Error.word(),
    }
}

/// What stands between `{{` and the `}}` that belongs to it.
fn braced(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?;
    let mut depth = 1;
    let mut at = 0;
    while at < inner.len() {
        let rest = &inner[at..];
        if rest.starts_with("}}") {
            depth -= 1;
            if depth == 0 {
                // Of `}}}` the last two close.
                let more = rest.bytes().take_while(|b| *b == b'}').count() - 2;
                return Some(&inner[..at + more]);
            }
            at += 2;
        } else if rest.starts_with("{{") {
            depth += 1;
            at += 2;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

fn regex(text: &str) -> Result<Pattern, regex::Error> {
    if !text.contains("{{") {
        return Ok(Pattern::Regex(Regex::new(text)?));
    }
    let mut pattern = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        pattern += &regex::escape(&rest[..at]);
        let Some(inner) = braced(&rest[at..]) else { break };
        pattern += &format!("(?:{inner})");
        rest = &rest[at + inner.len() + 4..];
    }
    pattern += &regex::escape(rest);
    Ok(Pattern::Regex(Regex::new(&pattern)?))
}
