//! Errors and warnings as values: a code, a sentence, a place, and what to do about it.

use std::fmt;

use dlc_ir::Context;
use dlc_ir::diag::{Diagnostic, Severity, Style, line_column, render};

dlc_ir::codes! {
    /// The library has panicked: a mistake in dlc.
    LIBRARY_PANICKED = "E0536" "LibraryPanicked";
    /// There is no layer of this name.
    NO_LAYER = "E0537" "NoLayer";
}

/// Where something stands in a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of the file, or of the text.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// A diagnostic that needs no context any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The stable code: `E0532`.
    pub code: &'static str,
    /// The kind in one word: `BadInput`.
    pub kind: &'static str,
    /// Why: one sentence without a full stop.
    pub message: String,
    /// Where, if a place of the source is meant.
    pub place: Option<Place>,
    /// What to do about it, if that is known.
    pub suggestion: Option<String>,
    /// What else belongs to it: where the offending things came from.
    pub notes: Vec<String>,
    /// As the command line shows it, with the source around the place.
    pub rendered: String,
}

impl Message {
    fn of(ctx: &Context, diagnostic: &Diagnostic) -> Message {
        let place = line_column(ctx, diagnostic.loc).map(|(file, line, column)| Place { file, line, column });
        let at = diagnostic.at.as_ref().map_or(String::new(), |op| format!("'{op}': "));
        Message {
            code: diagnostic.code.code,
            kind: diagnostic.code.kind,
            message: format!("{at}{}", diagnostic.message),
            place,
            suggestion: diagnostic.suggestion.clone(),
            notes: diagnostic.notes.iter().map(|note| note.message.clone()).collect(),
            rendered: render(ctx, diagnostic, Style { color: false }),
        }
    }

    /// The warnings among diagnostics.
    pub(crate) fn warnings(ctx: &Context, all: &[Diagnostic]) -> Vec<Message> {
        let warnings = all.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
        warnings.map(|warning| Message::of(ctx, warning)).collect()
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rendered.trim_end())
    }
}

/// Why something was not done: the first error, and all others that were found with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// At least one.
    messages: Vec<Message>,
    argument: Option<String>,
}

impl Error {
    /// The errors among diagnostics.
    pub(crate) fn of(ctx: &Context, all: &[Diagnostic]) -> Error {
        let errors = all.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let messages: Vec<Message> = errors.map(|error| Message::of(ctx, error)).collect();
        match messages.is_empty() {
            true => Error::panicked("something failed without a reason"),
            false => Error { messages, argument: None },
        }
    }

    /// One error that has no place in a source.
    pub(crate) fn one(diagnostic: &Diagnostic) -> Error {
        Error { messages: vec![Message::of(&Context::new([]), diagnostic)], argument: None }
    }

    /// About an argument.
    #[must_use]
    pub(crate) fn about(mut self, argument: Option<String>) -> Error {
        self.argument = argument;
        self
    }

    /// A mistake in dlc.
    pub(crate) fn panicked(what: &str) -> Error {
        let message = format!("dlc has made a mistake: {what}");
        let error = Diagnostic::error(&LIBRARY_PANICKED, dlc_ir::Loc::UNKNOWN, message);
        Error::one(&error.suggest("please report it, with the program"))
    }

    /// The first error.
    pub fn first(&self) -> &Message {
        &self.messages[0]
    }

    /// All errors, in the order in which they were found; at least one.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The name of the argument of a call that the first error is about, where it is about one.
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// The stable code of the first error: `E0532`.
    pub fn code(&self) -> &'static str {
        self.first().code
    }

    /// What to do about the first error, if that is known.
    pub fn suggestion(&self) -> Option<&str> {
        self.first().suggestion.as_deref()
    }
}

impl fmt::Display for Error {
    /// As the command line shows them, one after another.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, message) in self.messages.iter().enumerate() {
            write!(f, "{}{message}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
