//! The order of matching: labels, lines, counts, groups of `-DAG` and what `-NOT` forbids between matches.
//!
//! Each rule follows LLVM's FileCheck.
//! The labels are found first, one after another; the steps before a label see the input up to the label's end, and
//! match from the end of the match before.
//! A `-NEXT` or `-SAME` is searched like a plain directive, and its first match must then stand on the right line.
//! The members of a `-DAG` group are searched from the start of the group, each at the first place that overlaps no
//! match of the group; the next directive goes on from the end of the last of them.
//! A `-NOT` looks at the text between the match before and the match (or group) after it.

use super::Options;
use super::directives::{Directive, Kind, Step};
use super::search::{Match, Searcher, Variables};
use std::ops::Range;

/// Why and where the input does not match.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The directive that is not met.
    pub directive: Directive,
    /// In what way.
    pub reason: Reason,
    /// The place in the input: of the unwanted match, or of the text that was searched.
    pub place: Range<usize>,
    /// The end of the match before.
    pub after: usize,
    /// What the variables held.
    pub variables: Variables,
}

/// How a directive is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing in the text matches; for a count, the matches there were.
    NotFound {
        /// The matches found before.
        matched: u32,
        /// The matches asked for.
        wanted: u32,
    },
    /// It matches so many lines below the match before, and that is not where it should.
    WrongLine(usize),
    /// The text of a `-NOT` is there.
    Excluded,
    /// A variable has no value.
    Undefined(String),
    /// The crate refuses the pattern.
    BadPattern(String),
}

/// Matches all steps against `input`, whose blanks are collapsed.
pub fn run(steps: &[Step], input: &str, options: &Options) -> Result<(), Box<Mismatch>> {
    let variables = options.defines.iter().cloned().collect();
    let mut matcher = Matcher { input, variables, searcher: Searcher::default() };
    let mut region_start = 0;
    let mut rest = steps;
    let mut first = true;
    while !rest.is_empty() {
        let label = rest.iter().position(|step| matches!(&step.main, Some(main) if main.kind == Kind::Label));
        let region_end = match label {
            Some(label) => {
                let directive = rest[label].main.as_ref().expect("a label");
                matcher.find(directive, region_start..input.len(), region_start)?.range.end
            }
            None => input.len(),
        };
        if options.var_scope && !first {
            matcher.variables.retain(|name, _| name.starts_with('$'));
        }
        let (block, after) = rest.split_at(label.map_or(rest.len(), |label| label + 1));
        let mut position = region_start;
        for step in block {
            position = matcher.step(step, position, region_end)?;
        }
        region_start = region_end;
        rest = after;
        first = false;
    }
    Ok(())
}

struct Matcher<'a> {
    input: &'a str,
    variables: Variables,
    searcher: Searcher,
}

impl Matcher<'_> {
    /// Matches a step in the text from `start` to `end` and returns where its match ends.
    fn step(&mut self, step: &Step, start: usize, end: usize) -> Result<usize, Box<Mismatch>> {
        let (from, nots) = self.groups(&step.before, start, end)?;
        let Some(main) = &step.main else {
            self.check_nots(&nots, from..end)?;
            return Ok(end);
        };
        let first = self.find(main, from..end, from)?.range;
        let mut last_end = first.end;
        if let Kind::Plain(count) = main.kind {
            for matched in 1..count {
                let next = self.find(main, last_end..end, last_end).map_err(|mut mismatch| {
                    if let Reason::NotFound { matched: so_far, wanted } = &mut mismatch.reason {
                        (*so_far, *wanted) = (matched, count);
                    }
                    mismatch
                })?;
                last_end = next.range.end;
            }
        }
        let lines = self.input[from..first.start].matches('\n').count();
        let wanted = match main.kind {
            Kind::Next | Kind::Empty => Some(1),
            Kind::Same => Some(0),
            _ => None,
        };
        if wanted.is_some_and(|wanted| wanted != lines) {
            return Err(self.mismatch(main, Reason::WrongLine(lines), first, from));
        }
        self.check_nots(&nots, from..first.start)?;
        Ok(last_end)
    }

    /// Matches the `-DAG` groups among `before`; returns where the last one ends and the `-NOT`s after it.
    fn groups<'d>(
        &mut self,
        before: &'d [Directive],
        start: usize,
        end: usize,
    ) -> Result<(usize, Vec<&'d Directive>), Box<Mismatch>> {
        let mut from = start;
        let mut nots = Vec::new();
        for run in before.chunk_by(|a, b| a.kind == b.kind) {
            if run[0].kind == Kind::Not {
                nots.extend(run);
                continue;
            }
            // The matches of the group so far, in the order of the text.
            let mut taken: Vec<Range<usize>> = Vec::new();
            for directive in run {
                let range = self.find_apart(directive, from, end, &taken)?;
                let place = taken.partition_point(|other| other.end <= range.start);
                taken.insert(place, range);
            }
            self.check_nots(&nots, from..taken[0].start)?;
            nots.clear();
            from = taken.last().expect("a group has members").end;
        }
        Ok((from, nots))
    }

    /// The first match after `from` that overlaps none of `taken`.
    fn find_apart(
        &mut self,
        directive: &Directive,
        from: usize,
        end: usize,
        taken: &[Range<usize>],
    ) -> Result<Range<usize>, Box<Mismatch>> {
        let mut at = from;
        loop {
            let range = self.find(directive, at..end, from)?.range;
            match taken.iter().find(|other| other.start < range.end && range.start < other.end) {
                Some(other) => at = other.end,
                None => return Ok(range),
            }
        }
    }

    fn check_nots(&mut self, nots: &[&Directive], range: Range<usize>) -> Result<(), Box<Mismatch>> {
        for directive in nots {
            if let Some(found) = self.search(directive, range.clone(), range.start)? {
                return Err(self.mismatch(directive, Reason::Excluded, found.range, range.start));
            }
        }
        Ok(())
    }

    /// The first match in `range`, which must exist; defines the variables of the pattern.
    fn find(&mut self, directive: &Directive, range: Range<usize>, after: usize) -> Result<Match, Box<Mismatch>> {
        let Some(found) = self.search(directive, range.clone(), after)? else {
            let wanted = if let Kind::Plain(count) = directive.kind { count } else { 1 };
            return Err(self.mismatch(directive, Reason::NotFound { matched: 0, wanted }, range, after));
        };
        self.variables.extend(found.defined.iter().cloned());
        Ok(found)
    }

    fn search(
        &mut self,
        directive: &Directive,
        range: Range<usize>,
        after: usize,
    ) -> Result<Option<Match>, Box<Mismatch>> {
        let text = &self.input[range.clone()];
        if directive.kind == Kind::Empty {
            return Ok(empty_line(text).map(|at| Match { range: range.start + at..range.start + at, defined: vec![] }));
        }
        let undefined = directive.pattern.free_variables().into_iter().find(|name| !self.variables.contains_key(*name));
        if let Some(name) = undefined {
            return Err(self.mismatch(directive, Reason::Undefined(name.to_owned()), range, after));
        }
        let found = self.searcher.find(&directive.pattern, text, &self.variables);
        let found = found.map_err(|error| self.mismatch(directive, Reason::BadPattern(error), range.clone(), after))?;
        Ok(found.map(|found| Match {
            range: range.start + found.range.start..range.start + found.range.end,
            defined: found.defined,
        }))
    }

    fn mismatch(&self, directive: &Directive, reason: Reason, place: Range<usize>, after: usize) -> Box<Mismatch> {
        Box::new(Mismatch { directive: directive.clone(), reason, place, after, variables: self.variables.clone() })
    }
}

/// The start of the first empty line after a line end; the end of the text counts as one.
fn empty_line(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|at| bytes[*at] == b'\n' && matches!(bytes.get(at + 1), None | Some(b'\n'))).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Problem, check};

    #[track_caller]
    fn verdict(directives: &[&str], input: &str, expected: bool) {
        let options = Options::parse(&["--enable-var-scope=".to_owned(), "file".to_owned()]).expect("options");
        let result = check(&options, &directives.join("\n"), input);
        assert!(!matches!(result, Err(Problem::Guard(_))), "{result:?}");
        assert_eq!(result.is_ok(), expected, "{directives:?} on {input:?}: {result:?}");
    }

    #[test]
    fn order_and_lines() {
        verdict(&["CHECK: a", "CHECK: b"], "a b", true);
        verdict(&["CHECK: b", "CHECK: a"], "a b", false);
        verdict(&["CHECK: a", "CHECK-NEXT: b"], "a\nb", true);
        verdict(&["CHECK: a", "CHECK-NEXT: b"], "a b\nb", false);
        verdict(&["CHECK: a", "CHECK-NEXT: b"], "a\n\nb", false);
        verdict(&["CHECK: a", "CHECK-SAME: b"], "a\nb", false);
        verdict(&["CHECK: a", "CHECK-EMPTY:", "CHECK-NEXT: b"], "a\n\nb", true);
        verdict(&["CHECK: a", "CHECK-EMPTY:"], "a\nb\n\n", false);
        verdict(&["CHECK: a", "CHECK-EMPTY:"], "a\n", true);
        verdict(&["CHECK-COUNT-2: a"], "aa", true);
        verdict(&["CHECK-COUNT-3: a"], "aa", false);
    }

    #[test]
    fn groups() {
        verdict(&["CHECK-DAG: a", "CHECK-DAG: b", "CHECK: c"], "b a c", true);
        verdict(&["CHECK-DAG: a", "CHECK-DAG: b", "CHECK: c"], "b c a", false);
        verdict(&["CHECK-DAG: a", "CHECK-DAG: a"], "a", false);
        verdict(&["CHECK-DAG: ab", "CHECK-DAG: b"], "ab b", true);
        verdict(&["CHECK-DAG: b", "CHECK-NOT: x", "CHECK-DAG: c"], "b x c", false);
        verdict(&["CHECK-NOT: x", "CHECK-DAG: b", "CHECK-DAG: c"], "c x b", true);
    }

    #[test]
    fn exclusions() {
        verdict(&["CHECK: a", "CHECK-NOT: x", "CHECK: b"], "x a b x", true);
        verdict(&["CHECK: a", "CHECK-NOT: x", "CHECK: b"], "a x b", false);
        verdict(&["CHECK: a", "CHECK-NOT: x"], "a\n\nx", false);
        verdict(&["CHECK-NOT: x"], "y", true);
    }

    #[test]
    fn labels_and_variables() {
        verdict(&["CHECK-LABEL: f", "CHECK: x", "CHECK-LABEL: g"], "f g x", false);
        verdict(&["CHECK-LABEL: f", "CHECK-NOT: x", "CHECK-LABEL: g"], "f x g", false);
        verdict(&["CHECK: [[V:[0-9]]]", "CHECK: =[[V]]"], "1 =2 =1", true);
        verdict(&["CHECK: =[[V]]"], "=1", false);
        verdict(&["CHECK: [[V:1]]", "CHECK-LABEL: f", "CHECK: [[V]]"], "1 f 1", false);
        verdict(&["CHECK: [[$V:1]]", "CHECK-LABEL: f", "CHECK: [[$V]]"], "1 f 1", true);
    }
}
