//! Errors and warnings of the library as exceptions and warnings of Python: their classes are in `_errors.py`.

use dlc::{Error, Message};
use pyo3::prelude::*;

/// The fields of a message there: code, kind, message, place, suggestion, notes, text.
type Parts<'a> = (&'a str, &'a str, &'a str, Option<(&'a str, u32, u32)>, Option<&'a str>, &'a [String], &'a str);

fn parts(message: &Message) -> Parts<'_> {
    let place = message.place.as_ref().map(|place| (place.file.as_str(), place.line, place.column));
    let suggestion = message.suggestion.as_deref();
    (message.code, message.kind, &message.message, place, suggestion, &message.notes, message.rendered.trim_end())
}

/// The exception that an error is.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let messages: Vec<Parts<'_>> = error.messages().iter().map(parts).collect();
    let made = py.import("dlc._errors").and_then(|errors| errors.call_method1("make", (messages, error.argument())));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

/// Warns of each message.
pub(crate) fn warnings(py: Python<'_>, messages: &[Message]) -> PyResult<()> {
    if messages.is_empty() {
        return Ok(());
    }
    let messages: Vec<Parts<'_>> = messages.iter().map(parts).collect();
    py.import("dlc._errors")?.call_method1("warn", (messages,)).map(drop)
}
