//! The pattern of a directive: LLVM's spelling read, the `filecheck` crate's spelling written.
//!
//! | LLVM | here | crate |
//! | --- | --- | --- |
//! | plain text | [`Part::Text`] | the text, `$` doubled |
//! | `{{re}}` | [`Part::Regex`] | `$(=re)` |
//! | `[[X:re]]` | [`Part::Define`] | `$(vN=re)`, N the part's place |
//! | `[[X]]` | [`Part::Use`] | `$(uN)` |
//! | `[[#@LINE+1]]` | [`Part::Text`], the number | the text |
//!
//! A pattern begins and ends with the crate's `$()`, which turns off its word boundaries and its trimming of blanks.

use super::Problem;
use super::regex::translate;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Matches itself.
    Text(String),
    /// Matches a regular expression, in the syntax of the `regex` crate.
    Regex(String),
    /// Matches a regular expression and names what it matched.
    Define {
        /// The variable.
        name: String,
        /// The expression, in the syntax of the `regex` crate.
        regex: String,
    },
    /// Matches the text that a variable holds.
    Use(String),
}

/// What a directive looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The pieces, in order.
    pub parts: Vec<Part>,
}

impl Pattern {
    /// A pattern that matches `text` as it stands.
    pub fn literal(text: &str) -> Pattern {
        Pattern { parts: vec![Part::Text(text.to_owned())] }
    }

    /// Reads LLVM's spelling; `line` is the line of the directive, for `@LINE`.
    pub fn parse(source: &str, line: usize) -> Result<Pattern, Problem> {
        let mut parts = Vec::new();
        let mut rest = source;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("{{") {
                let end =
                    after.find("}}").ok_or_else(|| invalid("`{{` opens a regular expression that no `}}` closes"))?;
                parts.push(Part::Regex(translate(&after[..end])?));
                rest = &after[end + 2..];
            } else if let Some(after) = rest.strip_prefix("[[") {
                let end = variable_end(after)?;
                parts.push(variable(&after[..end], line)?);
                rest = &after[end + 2..];
            } else {
                let end = [rest.find("{{"), rest.find("[[")].into_iter().flatten().min().unwrap_or(rest.len());
                parts.push(Part::Text(rest[..end].to_owned()));
                rest = &rest[end..];
            }
        }
        Ok(Pattern { parts })
    }

    /// The variables that the pattern reads from earlier directives.
    pub fn free_variables(&self) -> Vec<&str> {
        let mut defined = Vec::new();
        let mut free = Vec::new();
        for part in &self.parts {
            match part {
                Part::Define { name, .. } => defined.push(name.as_str()),
                Part::Use(name) if !defined.contains(&name.as_str()) => free.push(name.as_str()),
                _ => {}
            }
        }
        free
    }

    /// Whether the pattern mentions any variable.
    pub fn has_variables(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Define { .. } | Part::Use(_)))
    }

    /// For each use of a variable that the same pattern defines before it: the place of the use and of the definition.
    pub fn back_references(&self) -> Vec<(usize, usize)> {
        let definition = |name: &str, before: usize| {
            self.parts[..before].iter().rposition(|part| matches!(part, Part::Define { name: n, .. } if n == name))
        };
        let uses = self.parts.iter().enumerate();
        uses.filter_map(|(idx, part)| match part {
            Part::Use(name) => Some((idx, definition(name, idx)?)),
            _ => None,
        })
        .collect()
    }

    /// The same pattern as a `check:` directive of the crate.
    pub fn to_crate_directive(&self) -> String {
        let mut out = String::from("check: $()");
        for (idx, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => out.push_str(&text.replace('$', "$$")),
                Part::Regex(regex) => write!(out, "$(=(?:{regex}))").expect("writing to a string"),
                Part::Define { regex, .. } => write!(out, "$(v{idx}=(?:{regex}))").expect("writing to a string"),
                Part::Use(_) => write!(out, "$(u{idx})").expect("writing to a string"),
            }
        }
        out.push_str("$()");
        out
    }

    /// The text of the pattern without its regular expressions, to find the line that was probably meant.
    pub fn gist(&self, variables: &BTreeMap<String, String>) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Use(name) => variables.get(name).cloned().unwrap_or_default(),
            Part::Regex(_) | Part::Define { .. } => String::new(),
        };
        self.parts.iter().map(text).collect()
    }
}

/// Where the `]]` that closes a variable stands; brackets of a regular expression nest.
fn variable_end(text: &str) -> Result<usize, Problem> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut idx = 0;
    while idx < bytes.len() {
        match bytes[idx] {
            b']' if depth == 0 && bytes.get(idx + 1) == Some(&b']') => return Ok(idx),
            b']' if depth == 0 => return Err(invalid("a `]` of `[[...]]` is missing")),
            b'\\' => idx += 1,
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        idx += 1;
    }
    Err(invalid("`[[` opens a variable that no `]]` closes; write `{{\\[\\[}}` for two brackets of the text"))
}

fn variable(text: &str, line: usize) -> Result<Part, Problem> {
    if let Some(offset) = text.trim_start_matches('#').trim().strip_prefix("@LINE") {
        return Ok(Part::Text(relative_line(offset, line)?));
    }
    if text.starts_with('#') {
        let message = format!("numeric variables (`[[{text}]]`) are not supported, except `[[#@LINE+n]]`");
        return Err(Problem::Guard(message));
    }
    let (name, regex) = match text.split_once(':') {
        Some((name, regex)) => (name, Some(regex)),
        None => (text, None),
    };
    let first_ok = |c: char| c.is_ascii_alphabetic() || c == '_';
    let local = name.strip_prefix('$').unwrap_or(name);
    if !local.starts_with(first_ok) || !local.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(invalid(&format!(
            "`{name}` is no variable name; write `{{{{\\[\\[}}}}` for two brackets of the text"
        )));
    }
    let name = name.to_owned();
    Ok(match regex {
        Some(regex) => Part::Define { name, regex: translate(regex)? },
        None => Part::Use(name),
    })
}

fn relative_line(offset: &str, line: usize) -> Result<String, Problem> {
    let offset: String = offset.split_whitespace().collect();
    let delta = if offset.is_empty() { Ok(0) } else { offset.parse::<isize>() };
    let number = delta.ok().and_then(|delta| line.checked_add_signed(delta));
    number.map(|n| n.to_string()).ok_or_else(|| invalid(&format!("`@LINE{offset}` is no line")))
}

fn invalid(message: &str) -> Problem {
    Problem::Invalid(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let shown = match Pattern::parse(source, 7) {
            Ok(pattern) => pattern.to_crate_directive(),
            Err(problem) => problem.to_string(),
        };
        assert!(shown.contains(expected), "{source}: {shown}");
    }

    #[test]
    fn crate_spelling() {
        check("add $x", "check: $()add $$x$()");
        check("a{{b|c}}d", "$()a$(=(?:b|c))d$()");
        check("[[X:%[0-9]+]] = [[Y]]", r"$()$(v0=(?:\%[0-9]+)) = $(u2)$()");
        check("line [[#@LINE+1]] [[@LINE - 2]]", "line 8 5");
        check("[[A:[[:alpha:]]+]]", "$(v0=(?:[a-zA-Z]+))");
    }

    #[test]
    fn errors() {
        check("{{a", "no `}}` closes");
        check("[[a", "no `]]` closes");
        check("[[1, 2]]", "no variable name");
        check("[[#N:]]", "not supported");
        check("[[a]b]", "is missing");
        check("[[@LINE-9]]", "is no line");
    }

    #[test]
    fn variables() {
        let pattern = Pattern::parse("[[A:x]] [[B]] [[A]]", 1).expect("a pattern");
        assert_eq!(pattern.free_variables(), ["B"]);
        assert_eq!(pattern.back_references(), [(4, 0)]);
    }
}
