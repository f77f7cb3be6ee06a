//! `// RUN:` lines: the passes and options in them.

use crate::text::Text;

/// The start of the line up to a byte, where that line is a RUN line.
pub fn before(text: &Text, offset: usize) -> Option<&str> {
    let line = text.line(text.line_of(offset));
    let whole = &text.text[line.clone()];
    let is_run = whole.trim_start().starts_with("//") && whole.contains("RUN:");
    is_run.then(|| text.text.get(line.start..offset)).flatten()
}

fn of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// The name that a byte of a RUN line is in.
pub fn word_at(text: &Text, offset: usize) -> Option<&str> {
    let before = before(text, offset)?;
    let line = text.line(text.line_of(offset));
    let start =
        before.rfind(|c| !of_name(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let after = text.text.get(offset..line.end)?;
    let len = after.find(|c| !of_name(c)).unwrap_or(after.len());
    text.text.get(line.start + start..offset + len)
}

/// What may be written at the end of the start of a RUN line.
#[derive(PartialEq, Eq, Debug)]
pub enum Wanted<'a> {
    /// A pass, pipeline or option of the tool, after `--`.
    Flag,
    /// A pass or pipeline in `--pass-pipeline=..`.
    Pass,
    /// An option of a pass.
    Option(&'a str),
    /// The value of an option of a pass.
    Value(&'a str, &'a str),
}

/// What may be written at the end of the start of a RUN line.
pub fn wanted(before: &str) -> Option<Wanted<'_>> {
    let typed =
        before.rfind(|c| !of_name(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let (head, word) = before.split_at(typed);
    if word.starts_with("--") {
        return Some(Wanted::Flag);
    }
    // The innermost braces or quotes that are open: `--pass='..` or `pass{..`.
    let open = match head.rfind('{') {
        Some(at) if !head[at..].contains('}') => Some(at),
        _ if head.matches('\'').count() % 2 == 1 => head.rfind('\'').map(|at| at.saturating_sub(1)),
        _ => unquoted(head),
    }?;
    let name = head[..open].rsplit(|c| !of_name(c)).next().unwrap_or("").trim_start_matches('-');
    if name == "pass-pipeline" || name.is_empty() {
        return Some(Wanted::Pass);
    }
    let inside = head[open..].trim_start_matches(['{', '=', '\'']);
    match inside.strip_suffix('=') {
        Some(option) => Some(Wanted::Value(name, option.rsplit([' ', ',']).next().unwrap_or(""))),
        None => Some(Wanted::Option(name)),
    }
}

/// The place of the first `=` of the flag at the end, `--pass=option=value`.
fn unquoted(head: &str) -> Option<usize> {
    let start = head.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let flag = head.get(start..).filter(|flag| flag.starts_with("--"))?;
    flag.find('=').map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::{Wanted, wanted};

    #[test]
    fn what_is_wanted() {
        assert_eq!(wanted("// RUN: dlc-opt %s --cs"), Some(Wanted::Flag));
        assert_eq!(wanted("// RUN: dlc-opt %s --canonicalize='rounds=2 re"), Some(Wanted::Option("canonicalize")));
        assert_eq!(wanted("// RUN: dlc-opt %s --choose-plan='target="), Some(Wanted::Value("choose-plan", "target")));
        assert_eq!(wanted("// RUN: dlc-opt %s --choose-plan="), Some(Wanted::Option("choose-plan")));
        assert_eq!(wanted("// RUN: dlc-opt %s --choose-plan=f32="), Some(Wanted::Value("choose-plan", "f32")));
        assert_eq!(wanted("// RUN: dlc-opt %s --choose-plan=f32=ie"), Some(Wanted::Value("choose-plan", "f32")));
        assert_eq!(wanted("// RUN: dlc-opt --pass-pipeline='a,b{c=1},"), Some(Wanted::Pass));
        assert_eq!(wanted("// RUN: dlc-opt --pass-pipeline='a,b{"), Some(Wanted::Option("b")));
        assert_eq!(wanted("// RUN: dlc-opt %s "), None);
    }
}
