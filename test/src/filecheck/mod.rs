//! FileCheck: LLVM's directives over the `filecheck` crate.
//!
//! The crate supplies the language of patterns: text, regular expressions and variables, and the search for one of
//! them ([`search`]). It knows neither labels nor counts, and its unordered matches may overlap; so the order in which
//! patterns are searched, and what may stand between two matches, is written here as LLVM defines it ([`matcher`]).
//!
//! In reading order: [`Options`] from the command line, [`directives`] from the check file (each with a [`pattern`],
//! whose regular expressions go through [`regex`]), [`guard`] against lines that only look like directives, the
//! matching, the [`report`] of a failure, and LLVM's own FileCheck as a second opinion ([`llvm`]).

pub mod directives;
pub mod guard;
pub mod llvm;
pub mod matcher;
pub mod pattern;
pub mod regex;
pub mod report;
pub mod search;

use std::fmt;

/// What the command line of a FileCheck says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The file with the directives.
    pub check_file: String,
    /// The input, when it is not standard input.
    pub input_file: Option<String>,
    /// The prefixes that make a directive; `CHECK` unless given.
    pub prefixes: Vec<String>,
    /// The prefixes of the other FileChecks of the same test, which are no misspellings here.
    pub other_prefixes: Vec<String>,
    /// `--implicit-check-not`: patterns that stand nowhere outside the matches.
    pub implicit_check_not: Vec<String>,
    /// `-DX=text`: variables defined from the start.
    pub defines: Vec<(String, String)>,
    /// `--allow-empty`: an empty input is no error.
    pub allow_empty: bool,
    /// `--allow-unused-prefixes`: a prefix without directive is no error.
    pub allow_unused_prefixes: bool,
    /// `--enable-var-scope`: a label forgets the variables whose names do not begin with `$`.
    pub var_scope: bool,
}

impl Options {
    /// Reads the arguments after `FileCheck`.
    pub fn parse(args: &[String]) -> Result<Options, Problem> {
        let guard = |message: String| Problem::Guard(format!("FileCheck: {message}"));
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let Some(flag) = arg.strip_prefix('-').map(|flag| flag.trim_start_matches('-')) else {
                if !options.check_file.is_empty() {
                    return Err(guard(format!("a second check file, `{arg}`")));
                }
                options.check_file.clone_from(arg);
                continue;
            };
            let (name, mut value) = match flag.split_once('=') {
                Some((name, value)) if !flag.starts_with('D') => (name, Some(value.to_owned())),
                _ => (flag, None),
            };
            let mut value = || value.take().or_else(|| args.next().cloned()).unwrap_or_default();
            match name {
                "check-prefix" | "check-prefixes" => {
                    options.prefixes.extend(value().split(',').map(str::to_owned));
                }
                "input-file" => options.input_file = Some(value()),
                "implicit-check-not" => options.implicit_check_not.push(value()),
                "dump-input" => drop(value()),
                "allow-empty" => options.allow_empty = true,
                "allow-unused-prefixes" => options.allow_unused_prefixes = true,
                "enable-var-scope" => options.var_scope = true,
                _ if name.starts_with('D') && !name.starts_with("D#") => {
                    let (name, value) = name[1..].split_once('=').unwrap_or((&name[1..], ""));
                    options.defines.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(guard(format!("`{arg}` is not supported"))),
            }
        }
        if options.check_file.is_empty() {
            return Err(guard("no check file".into()));
        }
        if options.prefixes.is_empty() {
            options.prefixes.push("CHECK".into());
        }
        Ok(options)
    }

    /// The prefixes of this FileCheck and of the others of the test.
    pub fn known_prefixes(&self) -> Vec<&str> {
        self.prefixes.iter().chain(&self.other_prefixes).map(String::as_str).collect()
    }
}

/// Why a FileCheck fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The check file or the command line is refused by a rule of ours, which LLVM's FileCheck does not have.
    Guard(String),
    /// The check file or the input is wrong for both.
    Invalid(String),
    /// The input does not match.
    Mismatch(String),
}

impl Problem {
    /// The same problem with its message changed.
    #[must_use]
    pub fn map(self, change: impl FnOnce(String) -> String) -> Problem {
        match self {
            Problem::Guard(message) => Problem::Guard(change(message)),
            Problem::Invalid(message) => Problem::Invalid(change(message)),
            Problem::Mismatch(message) => Problem::Mismatch(change(message)),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Problem::Guard(message) | Problem::Invalid(message) | Problem::Mismatch(message)) = self;
        f.write_str(message)
    }
}

/// Checks `input` against the directives in `check_text`, the contents of `options.check_file`.
pub fn check(options: &Options, check_text: &str, input: &str) -> Result<(), Problem> {
    let steps = directives::read(&collapse_blanks(check_text), options)?;
    if input.is_empty() && !options.allow_empty {
        return Err(Problem::Invalid("the input of FileCheck is empty; `--allow-empty` allows that".into()));
    }
    let input = collapse_blanks(input);
    matcher::run(&steps, &input, options).map_err(|mismatch| report::render(&mismatch, &input, options))
}

/// Makes every run of blanks one blank and every line end a plain one, as LLVM's FileCheck does on both sides.
pub fn collapse_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {
                while chars.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                out.push(' ');
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(check_text: &str, input: &str) -> Result<(), Problem> {
        let options = Options::parse(&["file".to_owned()]).expect("options");
        check(&options, check_text, input)
    }

    #[test]
    fn options() {
        let args = ["--check-prefixes=A,B", "--input-file", "in", "-DX=1=2", "f.mlir", "--allow-empty"];
        let options = Options::parse(&args.map(str::to_owned)).expect("options");
        assert_eq!(options.prefixes, ["A", "B"]);
        assert_eq!(options.input_file.as_deref(), Some("in"));
        assert_eq!(options.defines, [("X".to_owned(), "1=2".to_owned())]);
        assert!(options.allow_empty);
        let refused = Options::parse(&["--match-full-lines".to_owned(), "f".to_owned()]);
        assert_eq!(refused, Err(Problem::Guard("FileCheck: `--match-full-lines` is not supported".into())));
    }

    #[test]
    fn blanks() {
        assert_eq!(collapse_blanks("a \t b\r\nc\rd  "), "a b\nc\rd ");
    }

    #[test]
    fn no_directive_is_an_error() {
        assert!(matches!(verdict("nothing here", "a"), Err(Problem::Invalid(_))));
        assert!(matches!(verdict("CHECK-FOO: a", "a"), Err(Problem::Guard(_))));
        assert_eq!(verdict("CHECK: a", "a"), Ok(()));
    }
}
