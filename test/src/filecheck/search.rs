//! Finds one pattern in a text, by the `filecheck` crate.
//!
//! The crate answers yes or no, and explains itself in text; where a match stands and what it defines is read back from
//! that explanation. The crate has no reference to a variable defined in the same pattern; that is added here.

use super::pattern::{Part, Pattern};
use filecheck::{Checker, CheckerBuilder, Value, VariableMap};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The variables and what they hold.
pub type Variables = BTreeMap<String, String>;

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The bytes of the text that the pattern matched.
    pub range: Range<usize>,
    /// The variables that it defined.
    pub defined: Vec<(String, String)>,
}

/// Finds patterns; keeps what is costly to set up.
pub struct Searcher {
    builder: CheckerBuilder,
}

impl Default for Searcher {
    fn default() -> Searcher {
        Searcher { builder: CheckerBuilder::new() }
    }
}

impl Searcher {
    /// The first match of `pattern` in `text`, whose variables in use all have a value in `variables`.
    pub fn find(&mut self, pattern: &Pattern, text: &str, variables: &Variables) -> Result<Option<Match>, String> {
        let references = pattern.back_references();
        if references.is_empty() {
            let checker = self.checker(pattern)?;
            return find_with(&checker, pattern, text, variables);
        }
        // A reference to a definition of the same pattern. The pattern in which such a reference matches whatever the
        // definition may match says where to look; the definition is then fixed to what it matched there.
        let mut loose = pattern.clone();
        for (reference, definition) in references {
            if let Part::Define { regex, .. } = &pattern.parts[definition] {
                loose.parts[reference] = Part::Regex(regex.clone());
            }
        }
        let loose_checker = self.checker(&loose)?;
        let mut start = 0;
        while let Some(candidate) = find_with(&loose_checker, &loose, &text[start..], variables)? {
            let at = start + candidate.range.start;
            let mut fixed = pattern.clone();
            for part in &mut fixed.parts {
                let value = |name: &String| candidate.defined.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
                match part {
                    Part::Define { name, .. } | Part::Use(name) => {
                        *part = value(name).map_or_else(|| part.clone(), Part::Text);
                    }
                    _ => {}
                }
            }
            let fixed_checker = self.checker(&fixed)?;
            if let Some(found) = find_with(&fixed_checker, &fixed, &text[at..], variables)?
                && found.range.start == 0
            {
                let range = at..at + found.range.end;
                return Ok(Some(Match { range, defined: candidate.defined }));
            }
            let Some(step) = text[at..].chars().next() else { break };
            start = at + step.len_utf8();
        }
        Ok(None)
    }

    fn checker(&mut self, pattern: &Pattern) -> Result<Checker, String> {
        let accepted = self.builder.directive(&pattern.to_crate_directive()).map_err(|error| error.to_string())?;
        assert!(accepted, "the crate takes `check:` for a directive");
        Ok(self.builder.finish())
    }
}

/// Searches a window of lines after the other: a match never goes over a line end, and the crate explains itself about
/// the whole text that it is given, which for a long output would take much longer than the search.
fn find_with(checker: &Checker, pattern: &Pattern, text: &str, variables: &Variables) -> Result<Option<Match>, String> {
    let mut start = 0;
    let mut lines = 4;
    loop {
        let end = text[start..].match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| start + at + 1);
        let is_last = end == text.len();
        let found = find_in_window(checker, pattern, &text[start..end], variables)?;
        // An empty match after the last line end belongs to the next window.
        let found = found.filter(|found| is_last || start + found.range.start < end);
        if let Some(found) = found {
            let range = start + found.range.start..start + found.range.end;
            return Ok(Some(Match { range, ..found }));
        }
        if is_last {
            return Ok(None);
        }
        start = end;
        lines *= 4;
    }
}

fn find_in_window(
    checker: &Checker,
    pattern: &Pattern,
    window: &str,
    variables: &Variables,
) -> Result<Option<Match>, String> {
    // The explanation cuts off the last character, and cannot show an empty match after it.
    let text = format!("{window}\n\n");
    let scope = Scope { pattern, variables };
    let (matched, explanation) = checker.explain(&text, &scope).map_err(|error| error.to_string())?;
    let found = matched.then(|| read_explanation(&explanation, pattern));
    Ok(found.filter(|found| found.range.start <= window.len()))
}

/// The variables under the names that [`Pattern::to_crate_directive`] gives them.
struct Scope<'a> {
    pattern: &'a Pattern,
    variables: &'a Variables,
}

impl VariableMap for Scope<'_> {
    fn lookup(&self, name: &str) -> Option<Value<'_>> {
        let part: usize = name.strip_prefix('u')?.parse().ok()?;
        match &self.pattern.parts[part] {
            Part::Use(name) => Some(Value::Text(Cow::Borrowed(self.variables.get(name)?))),
            _ => None,
        }
    }
}

/// Reads the crate's explanation of one match: the lines up to it (`> `), a line of blanks with `^~~~` under the match
/// (blanks alone when it is empty), `Matched #0: ...`, and a `Define name=value` for each variable.
fn read_explanation(explanation: &str, pattern: &Pattern) -> Match {
    let mut line_start = 0;
    let mut next_line = 0;
    let mut marks = "";
    let mut lines = explanation.split('\n');
    for line in lines.by_ref() {
        if let Some(text) = line.strip_prefix("> ") {
            line_start = next_line;
            next_line += text.len() + 1;
        } else if line.starts_with("Matched #0: ") {
            break;
        } else {
            marks = line.strip_prefix("  ").expect("the marks are indented like the text");
        }
    }
    let start = line_start + marks.find('^').unwrap_or(marks.len());
    let range = start..start + marks.trim_start().len();
    let definition = |line: &str| {
        let (place, value) = line.strip_prefix("Define v")?.split_once('=')?;
        match &pattern.parts[place.parse::<usize>().ok()?] {
            Part::Define { name, .. } => Some((name.clone(), value.to_owned())),
            _ => None,
        }
    };
    Match { range, defined: lines.map_while(definition).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: Option<(&str, &[&str])>) {
        let pattern = Pattern::parse(pattern, 1).expect("a pattern");
        let variables = Variables::from([("Y".to_owned(), "a.c".to_owned())]);
        let found = Searcher::default().find(&pattern, text, &variables).expect("a search");
        let found = found.map(|found| (text[found.range].to_owned(), found.defined));
        let shown = found.as_ref().map(|(text, defined)| {
            (text.as_str(), defined.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>())
        });
        assert_eq!(shown, expected.map(|(text, values)| (text, values.to_vec())), "{pattern:?}");
    }

    #[test]
    fn plain() {
        check("dd", "addd\nb", Some(("dd", &[])));
        check("b", "a\nb", Some(("b", &[])));
        check("é", "aé\n", Some(("é", &[])));
        check("b", "éé > b", Some(("b", &[])));
        check("$x(", "a $x(y)", Some(("$x(", &[])));
        check("c", "ab", None);
    }

    #[test]
    fn expressions_and_variables() {
        check("{{[a-z]+}}", "12 ab", Some(("ab", &[])));
        check("{{x*}}", "ab", Some(("", &[])));
        check("[[X:[a-z]+]] [[Z:.+]]", "12 ab c", Some(("ab c", &["ab", "c"])));
        check("[[Y]]", "abc a.c", Some(("a.c", &[])));
        check("{{[^a]+}}", "ab\nc", Some(("b", &[])));
        check("{{^$}}", "a", None);
        check("{{^$}}", "a\nb\nc\nd\ne\nf", None);
        check("{{^$}}a", "a\n\na", None);
        check("{{e$}}", "a\nb\nc\nd\ne\nf", Some(("e", &[])));
    }

    #[test]
    fn back_references() {
        check("%[[X:[0-9]+]], %[[X]]", "%1, %2 %3, %3", Some(("%3, %3", &["3"])));
        check("%[[X:[0-9]+]], %[[X]]", "%1, %2", None);
        check("%[[X:[0-9]+]], %[[X]]", "%1, %2 %1, %1", Some(("%1, %1", &["1"])));
        check("[[X:.+]] = [[X]]", "ab = abc", Some(("ab = ab", &["ab"])));
    }

    #[test]
    fn a_wrong_expression_is_an_error() {
        let pattern = Pattern::parse("{{*a}}", 1).expect("a pattern");
        assert!(Searcher::default().find(&pattern, "a", &Variables::new()).is_err());
    }
}
