//! Finds the directives of a check file.
//!
//! The rules are LLVM's: the first prefix of a line that is a word of its own and is followed by a known suffix and a
//! colon makes the line a directive; `COM:` and `RUN:` make it a comment.
//! What looks like a directive and is none is an error of ours alone ([`super::guard`]).

use super::guard::near_miss;
use super::pattern::Pattern;
use super::{Options, Problem};

/// What a directive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `CHECK:` and `CHECK-COUNT-n:`, n matches in a row.
    Plain(u32),
    /// `CHECK-NEXT:`, on the line after the previous match.
    Next,
    /// `CHECK-SAME:`, on the line of the previous match.
    Same,
    /// `CHECK-NOT:`, nowhere between the matches around it.
    Not,
    /// `CHECK-DAG:`, in any order within its group.
    Dag,
    /// `CHECK-LABEL:`, splits the input.
    Label,
    /// `CHECK-EMPTY:`, the next line is empty.
    Empty,
}

/// The words after the prefix.
pub const SUFFIXES: [(&str, Kind); 6] = [
    ("NEXT", Kind::Next),
    ("SAME", Kind::Same),
    ("NOT", Kind::Not),
    ("DAG", Kind::Dag),
    ("LABEL", Kind::Label),
    ("EMPTY", Kind::Empty),
];

/// One directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// What it asks for.
    pub kind: Kind,
    /// What it looks for.
    pub pattern: Pattern,
    /// Its line in the check file, from 1; 0 for `--implicit-check-not`.
    pub line: usize,
    /// As it is written.
    pub source: String,
}

/// A positive directive with the `-DAG` and `-NOT` ones before it, the unit of matching.
#[derive(Clone, Debug)]
pub struct Step {
    /// The `-DAG` and `-NOT` directives, in order.
    pub before: Vec<Directive>,
    /// The positive directive; none at the end of the file.
    pub main: Option<Directive>,
}

/// Reads the directives of `text`, a check file with blanks collapsed.
pub fn read(text: &str, options: &Options) -> Result<Vec<Step>, Problem> {
    let own: Vec<&str> = options.prefixes.iter().map(String::as_str).collect();
    let mut used = vec![false; own.len()];
    let implicit = implicit_nots(options)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut before = implicit.clone();
    let mut logical_run = false;
    for (idx, content) in text.lines().enumerate() {
        let line = idx + 1;
        let place = |message: String| format!("{}:{line}: {message}\n  {}", options.check_file, content.trim());
        let is_run = content.contains("RUN:");
        let run_continues = std::mem::replace(&mut logical_run, is_run && content.trim_end().ends_with('\\'));
        let Some(found) = find(content, &own) else {
            if !is_run
                && !run_continues
                && !content.contains("COM:")
                && let Some(message) = near_miss(content, &options.known_prefixes())
            {
                return Err(Problem::Guard(place(message)));
            }
            continue;
        };
        let Some(kind) = found.kind else { continue };
        let prefix = own.iter().position(|prefix| *prefix == found.prefix).expect("a prefix that was searched for");
        used[prefix] = true;
        let directive = directive(kind, &found, line).map_err(|problem| problem.map(place))?;
        match kind {
            Kind::Not | Kind::Dag => before.push(directive),
            Kind::Next | Kind::Same | Kind::Empty if steps.is_empty() => {
                return Err(Problem::Invalid(place("no `CHECK:` stands before it".into())));
            }
            _ => steps.push(Step { before: std::mem::replace(&mut before, implicit.clone()), main: Some(directive) }),
        }
    }
    if !used.contains(&true) {
        let names = own.join("`, `");
        return Err(Problem::Invalid(format!("{}: no directive with the prefix `{names}`", options.check_file)));
    }
    if let Some(unused) = used.iter().position(|used| !used).filter(|_| !options.allow_unused_prefixes) {
        return Err(Problem::Invalid(format!(
            "{}: no directive with the prefix `{}`",
            options.check_file, own[unused]
        )));
    }
    if !before.is_empty() {
        steps.push(Step { before, main: None });
    }
    Ok(steps)
}

fn implicit_nots(options: &Options) -> Result<Vec<Directive>, Problem> {
    let directive = |text: &String| {
        let source = format!("--implicit-check-not={text}");
        let pattern =
            Pattern::parse(text, 0).map_err(|problem| problem.map(|message| format!("{source}: {message}")))?;
        Ok(Directive { kind: Kind::Not, pattern, line: 0, source })
    };
    options.implicit_check_not.iter().map(directive).collect()
}

/// A prefix with a valid ending, and what follows the colon.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundDirective<'a> {
    /// The prefix.
    pub prefix: &'a str,
    /// What the directive asks for; none for a comment.
    pub kind: Option<Kind>,
    /// Whether the pattern is to be taken as plain text (`{LITERAL}`).
    pub literal: bool,
    /// From the prefix to the end of the line.
    pub source: &'a str,
    /// After the colon.
    pub pattern: &'a str,
}

/// The first directive or comment mark of a line.
pub fn find<'a>(line: &'a str, prefixes: &[&'a str]) -> Option<FoundDirective<'a>> {
    let bytes = line.as_bytes();
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let starts = (0..bytes.len()).filter(|at| line.is_char_boundary(*at) && (*at == 0 || !in_word(bytes[at - 1])));
    for start in starts {
        let source = &line[start..];
        if source.starts_with("RUN:") || source.starts_with("COM:") {
            return Some(FoundDirective { prefix: &source[..3], kind: None, literal: false, source, pattern: "" });
        }
        for prefix in prefixes {
            if let Some((kind, literal, pattern)) = source.strip_prefix(prefix).and_then(ending) {
                return Some(FoundDirective { prefix, kind: Some(kind), literal, source: source.trim_end(), pattern });
            }
        }
    }
    None
}

/// Reads `-SUFFIX{LITERAL}:` and returns its meaning with what follows.
fn ending(text: &str) -> Option<(Kind, bool, &str)> {
    let (kind, rest) = match text.strip_prefix('-') {
        None => (Kind::Plain(1), text),
        Some(suffix) => match suffix.strip_prefix("COUNT-") {
            Some(count) => {
                let digits = count.bytes().take_while(u8::is_ascii_digit).count();
                (Kind::Plain(count[..digits].parse().ok().filter(|count| *count > 0)?), &count[digits..])
            }
            None => SUFFIXES.iter().find_map(|(word, kind)| Some((*kind, suffix.strip_prefix(word)?)))?,
        },
    };
    match rest.strip_prefix(':') {
        Some(rest) => Some((kind, false, rest)),
        None => rest.strip_prefix("{LITERAL}:").map(|rest| (kind, true, rest)),
    }
}

fn directive(kind: Kind, found: &FoundDirective<'_>, line: usize) -> Result<Directive, Problem> {
    let invalid = |message: &str| Err(Problem::Invalid(message.to_owned()));
    let text = found.pattern.trim_matches([' ', '\t']);
    match (kind == Kind::Empty, text.is_empty()) {
        (true, false) => return invalid("an `-EMPTY:` directive has no pattern"),
        (false, true) => return invalid("the directive has no pattern; use `-EMPTY:` for an empty line"),
        _ => {}
    }
    let pattern = if found.literal { Pattern::literal(text) } else { Pattern::parse(text, line)? };
    if kind == Kind::Label && pattern.has_variables() {
        return invalid("a `-LABEL:` directive cannot use or define variables");
    }
    Ok(Directive { kind, pattern, line, source: found.source.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Option<Kind>, &str)>) {
        let found = find(line, &["CHECK", "CHECK-PTX"]);
        assert_eq!(found.map(|found| (found.kind, found.pattern.trim())), expected, "{line}");
    }

    #[test]
    fn lines() {
        check("// CHECK: a", Some((Some(Kind::Plain(1)), "a")));
        check("// CHECK-COUNT-3: a", Some((Some(Kind::Plain(3)), "a")));
        check("// CHECK-COUNT-0: a", None);
        check("// CHECK-NEXT: a CHECK: b", Some((Some(Kind::Next), "a CHECK: b")));
        check("// CHECK-PTX-DAG{LITERAL}: [[", Some((Some(Kind::Dag), "[[")));
        check("// COM: CHECK: a", Some((None, "")));
        check("// XCHECK: a", None);
        check("// CHECK-FOO: a", None);
        check("CHECK : a", None);
        check("é CHECK: a", Some((Some(Kind::Plain(1)), "a")));
    }
}
