//! Diagnostics: what is wrong with the input, where, why, and what to do about it.
//!
//! Each has a stable [`Code`]. Codes are declared with [`codes!`](crate::codes), listed in `docs/reference/`, and each
//! has a test. Errors of ours are assertions, never diagnostics.

mod emit;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::location::Loc;

pub use emit::{Style, line_column, render, to_json};

/// A kind of diagnostic, declared once with [`codes!`](crate::codes).
#[derive(Debug)]
pub struct Code {
    /// The stable code: `E0101`, `W2101`, `R0001`.
    pub code: &'static str,
    /// The kind, one word in camel case: `UnknownOp`.
    pub kind: &'static str,
    /// What it means, one sentence.
    pub summary: &'static str,
}

inventory::collect!(&'static Code);

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.code == other.code
    }
}

impl Eq for Code {}

/// Declares diagnostic codes as statics, and registers them for the reference page.
///
/// ```
/// dlc_ir::codes! {
///     /// The two sizes differ.
///     SIZES_DIFFER = "E9901" "SizesDiffer";
/// }
/// assert_eq!(SIZES_DIFFER.kind, "SizesDiffer");
/// ```
#[macro_export]
macro_rules! codes {
    ($(#[doc = $summary:literal] $name:ident = $code:literal $kind:literal;)*) => {$(
        #[doc = $summary]
        pub static $name: $crate::diag::Code =
            $crate::diag::Code { code: $code, kind: $kind, summary: $summary.trim_ascii() };
        $crate::inventory::submit! { &$name }
    )*};
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Something a pass did, did not do, or determined.
    Remark,
    /// The result may not be what was meant.
    Warning,
    /// There is no result.
    Error,
}

impl Severity {
    /// The word in messages and in `expected-error` comments.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Remark => "remark",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// What a remark is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemarkKind {
    /// A rewrite was done.
    Passed,
    /// A rewrite was not done, and why.
    Missed,
    /// A fact that was found.
    Analysis,
}

impl RemarkKind {
    /// All of them.
    pub const ALL: [RemarkKind; 3] = [RemarkKind::Passed, RemarkKind::Missed, RemarkKind::Analysis];

    /// The word for it, as options have it.
    pub fn word(self) -> &'static str {
        match self {
            RemarkKind::Passed => "passed",
            RemarkKind::Missed => "missed",
            RemarkKind::Analysis => "analysis",
        }
    }
}

/// Another place that has to do with a diagnostic.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// Where; unknown for a note without a place.
    pub loc: Loc,
    /// What is there.
    pub message: String,
}

/// One thing to tell the user.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How grave.
    pub severity: Severity,
    /// The stable code and kind.
    pub code: &'static Code,
    /// Where.
    pub loc: Loc,
    /// How many bytes of the source from `loc` are meant; 0 for the token that starts there.
    pub len: u32,
    /// Why: one sentence without a full stop.
    pub message: String,
    /// The op concerned, by its name.
    pub at: Option<String>,
    /// What to do about it.
    pub suggestion: Option<String>,
    /// Where the offending things came from.
    pub notes: Vec<Note>,
    /// For a remark: the pass it comes from, and what it is about.
    pub remark: Option<(&'static str, RemarkKind)>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static Code, loc: Loc, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code,
            loc,
            len: 0,
            message: message.into(),
            at: None,
            suggestion: None,
            notes: Vec::new(),
            remark: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static Code, loc: Loc, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, loc, message) }
    }

    /// With the number of source bytes that are meant.
    #[must_use]
    pub fn spanning(mut self, len: usize) -> Self {
        self.len = len as u32;
        self
    }

    /// With the op concerned.
    #[must_use]
    pub fn at(mut self, op: impl Into<String>) -> Self {
        self.at = Some(op.into());
        self
    }

    /// With a way out.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// With a way out, if there is one.
    #[must_use]
    pub fn suggest_if(mut self, suggestion: Option<impl Into<String>>) -> Self {
        self.suggestion = suggestion.map(Into::into).or(self.suggestion);
        self
    }

    /// With another place.
    #[must_use]
    pub fn note(mut self, loc: Loc, message: impl Into<String>) -> Self {
        self.notes.push(Note { loc, message: message.into() });
        self
    }
}

/// Where diagnostics go. Sinks are shared by threads; the pass manager gives each body its own and joins them in order.
#[derive(Default, Debug)]
pub struct Diagnostics {
    inner: Mutex<Inner>,
}

#[derive(Default, Debug)]
struct Inner {
    list: Vec<Diagnostic>,
    errors: usize,
    /// The warnings of the list, by code, place and words.
    warnings: HashSet<(&'static str, Loc, String)>,
}

impl Diagnostics {
    /// An empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a diagnostic. A warning that is there at the same place in the same words is not added again: what it is about
    /// occurs in several copies of a kernel, or of a loop.
    pub fn emit(&self, diagnostic: Diagnostic) {
        let mut inner = self.inner();
        if diagnostic.severity == Severity::Warning
            && diagnostic.loc != Loc::UNKNOWN
            && !inner.warnings.insert((diagnostic.code.code, diagnostic.loc, diagnostic.message.clone()))
        {
            return;
        }
        inner.errors += (diagnostic.severity == Severity::Error) as usize;
        inner.list.push(diagnostic);
    }

    /// The number of errors so far.
    pub fn errors(&self) -> usize {
        self.inner().errors
    }

    /// Takes everything out, in the order it came in.
    pub fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.inner()).list
    }
}

/// The known name nearest to a misspelt one, as a suggestion: `did you mean 'sample.addi'?`. See [`nearest`].
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggestion(wrong, &mut known.into_iter())
}

fn suggestion(wrong: &str, known: &mut dyn Iterator<Item = &str>) -> Option<String> {
    nearest_of(wrong, known).map(|name| format!("did you mean '{name}'?"))
}

/// The known name nearest to a misspelt one.
///
/// Names are compared without regard to case, `_` and `-`: `TopK` is `topk`. Near means at most a third of the letters
/// changed (Damerau-Levenshtein), ties settled by name. Of one letter every other one is a change away: near is only the
/// same one in the other case.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(wrong, &mut known.into_iter())
}

fn nearest_of<'a>(wrong: &str, known: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    // The distance is quadratic in the lengths.
    if wrong.len() > 256 {
        return None;
    }
    let folded = fold_spelling(wrong);
    let letters = folded.chars().count();
    let limit = if letters <= 1 { 0 } else { (letters / 3).max(1) };
    let near = |name: &'a str| {
        let other = fold_spelling(name);
        if other.len().abs_diff(folded.len()) > limit || folded.is_empty() {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&folded, &other);
        (distance <= limit).then(|| (distance, strsim::damerau_levenshtein(wrong, name), name))
    };
    known.filter_map(near).min().map(|(.., name)| name)
}

/// A name in small letters, without `_` and `-`: spellings of one name, such as `LayerNorm` and `layer_norm`, are equal.
pub fn fold_spelling(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).flat_map(char::to_lowercase).collect()
}
