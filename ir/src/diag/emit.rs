//! Diagnostics as text for people (`ariadne`) and as JSON for programs.

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use serde::Serialize;

use super::{Diagnostic, Severity};
use crate::context::Context;
use crate::location::{Loc, LocData};

/// How diagnostics are shown to people.
#[derive(Clone, Copy, Default, Debug)]
pub struct Style {
    /// With terminal colours.
    pub color: bool,
}

/// One diagnostic as text, with the source around it.
pub fn render(ctx: &Context, diagnostic: &Diagnostic, style: Style) -> String {
    let Some((file, range)) = span(ctx, diagnostic.loc, diagnostic.len) else { return plain(ctx, diagnostic) };
    // A report shows whole lines: of a line that goes on and on only the place is named.
    let Some(shown) = lines_around(&file.text, range.clone()) else { return plain(ctx, diagnostic) };
    // Of the rest of the file, only lines with notes are of use, if they are not far.
    let mut window = shown;
    let mut elsewhere = Vec::new();
    let mut notes = Vec::new();
    for note in &diagnostic.notes {
        let place = span(ctx, note.loc, 0)
            .filter(|(other, at)| other.base() == file.base() && at.start.abs_diff(range.start) <= NEAR);
        match place.and_then(|(_, at)| Some((lines_around(&file.text, at.clone())?, at))) {
            Some((lines, at)) => {
                window = window.start.min(lines.start)..window.end.max(lines.end);
                notes.push((at, &note.message));
            }
            None => elsewhere.push(with_place(ctx, note.loc, &note.message)),
        }
    }
    // The lines before are left empty: ariadne counts them, whatever its first line is.
    let lines_before = file.line_column(window.start).0 as usize - 1;
    if lines_before > MOST_LINES {
        return plain(ctx, diagnostic);
    }
    let inside = |range: std::ops::Range<usize>| {
        let offset = |at: usize| at - window.start + lines_before;
        (file.name.clone(), offset(range.start)..offset(range.end))
    };
    let (kind, color) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
        Severity::Remark => (ReportKind::Custom("Remark", Color::Cyan), Color::Cyan),
    };
    let config = Config::default().with_index_type(IndexType::Byte).with_color(style.color);
    let mut report = Report::build(kind, inside(range.clone()))
        .with_config(config)
        .with_code(diagnostic.code.code)
        .with_message(headline(diagnostic))
        .with_label(Label::new(inside(range)).with_message("").with_color(color));
    for (at, message) in notes {
        report = report.with_label(Label::new(inside(at)).with_message(message).with_color(Color::Blue));
    }
    for note in elsewhere {
        report = report.with_note(note);
    }
    if let Some(suggestion) = &diagnostic.suggestion {
        report = report.with_help(suggestion);
    }
    let mut text = Vec::new();
    let source = Source::from("\n".repeat(lines_before) + &file.text[window]);
    if report.finish().write((file.name.clone(), source), &mut text).is_err() {
        return plain(ctx, diagnostic);
    }
    let text = without_arrows(&String::from_utf8_lossy(&text));
    match diagnostic.severity {
        // ariadne gives a kind that is not one of its own its colour in any case; it is the first thing written.
        Severity::Remark if !style.color => text.replacen("\u{1b}[36m", "", 1).replacen("\u{1b}[0m", "", 1),
        _ => text,
    }
}

/// A report without the lines that lead from what is underlined to a label without words: ariadne underlines only what has
/// a label.
fn without_arrows(text: &str) -> String {
    let is_arrow = |line: &str| {
        let mut plain = String::new();
        let mut letters = line.chars();
        // Colours go from an escape to an 'm'.
        while let Some(letter) = letters.next() {
            match letter {
                '\u{1b}' => drop(letters.by_ref().find(|&letter| letter == 'm')),
                letter => plain.push(letter),
            }
        }
        let arrow = plain.trim().strip_prefix('│').map(str::trim).and_then(|rest| rest.strip_prefix('╰'));
        arrow.is_some_and(|rest| rest.chars().all(|letter| letter == '─'))
    };
    text.split_inclusive('\n').filter(|line| !is_arrow(line)).collect()
}

fn headline(diagnostic: &Diagnostic) -> String {
    let at = diagnostic.at.as_ref().map_or(String::new(), |op| format!("'{op}': "));
    let pass = diagnostic.remark.map_or(String::new(), |(pass, kind)| format!("[{pass}, {}] ", kind.word()));
    format!("{pass}{at}{}", diagnostic.message)
}

/// One diagnostic on a line or a few, for places without source.
fn plain(ctx: &Context, diagnostic: &Diagnostic) -> String {
    let mut text = format!("{}[{}]: {}\n", diagnostic.severity.word(), diagnostic.code.code, headline(diagnostic));
    let place = place(ctx, diagnostic.loc);
    if let Some(place) = place {
        text += &format!("  at {place}\n");
    }
    for note in &diagnostic.notes {
        text += &format!("  note: {}\n", with_place(ctx, note.loc, &note.message));
    }
    if let Some(suggestion) = &diagnostic.suggestion {
        text += &format!("  help: {suggestion}\n");
    }
    text
}

fn with_place(ctx: &Context, loc: Loc, message: &str) -> String {
    match place(ctx, loc) {
        Some(place) => format!("{message} ({place})"),
        None => message.to_string(),
    }
}

/// A location in words: `f.mlir:1:2`.
fn place(ctx: &Context, loc: Loc) -> Option<String> {
    if let Some((file, line, column)) = line_column(ctx, loc) {
        return Some(format!("{file}:{line}:{column}"));
    }
    match ctx.loc_data(loc)? {
        LocData::Name { name, .. } => Some(format!("\"{}\"", ctx.str(*name))),
        _ => None,
    }
}

/// File, line and column (from 1, in bytes) of a location: of the first position in it.
pub fn line_column(ctx: &Context, loc: Loc) -> Option<(String, u32, u32)> {
    if let Some(offset) = loc.source_offset() {
        let (file, at) = ctx.sources.find(offset)?;
        let (line, column) = file.line_column(at);
        return Some((file.name.clone(), line, column));
    }
    match ctx.loc_data(loc)? {
        LocData::File { file, start, .. } => Some((ctx.str(*file).to_string(), start.0, start.1)),
        LocData::Name { child, .. } => line_column(ctx, *child),
        LocData::Fused { locs, .. } => locs.iter().find_map(|&loc| line_column(ctx, loc)),
        LocData::CallSite { callee, .. } => line_column(ctx, *callee),
    }
}

/// The source that a location means, and the bytes of it.
fn span(
    ctx: &Context,
    loc: Loc,
    len: u32,
) -> Option<(std::sync::Arc<crate::location::SourceFile>, std::ops::Range<usize>)> {
    let offset = match loc.source_offset() {
        Some(offset) => offset,
        None => match ctx.loc_data(loc)? {
            LocData::Fused { locs, .. } => return locs.iter().find_map(|&loc| span(ctx, loc, 0)),
            LocData::Name { child, .. } => return span(ctx, *child, 0),
            LocData::CallSite { callee, .. } => return span(ctx, *callee, 0),
            LocData::File { .. } => return None,
        },
    };
    let (file, start) = ctx.sources.find(offset)?;
    let rest = file.text.get(start..)?;
    // What is meant is on one line, and of a very long one the beginning is enough.
    let rest = rest.char_indices().nth(LINE).map_or(rest, |(end, _)| &rest[..end]);
    let token = || {
        let end = rest.find(|c: char| c.is_whitespace() || "(){}[],:".contains(c)).unwrap_or(rest.len());
        end.max(rest.chars().next().map_or(0, char::len_utf8))
    };
    let len = if len == 0 { token() } else { (len as usize).min(rest.len()) };
    // A label over several lines hides more than it shows.
    let len = rest.find('\n').map_or(len, |line| len.min(line.max(1)));
    let mut end = (start + len).min(file.text.len());
    while !file.text.is_char_boundary(end) {
        end += 1;
    }
    Some((std::sync::Arc::clone(&file), start..end))
}

/// The longest line that is shown, in bytes before and after the place that is meant.
const LINE: usize = 500;
/// After so many lines only the place is named.
const MOST_LINES: usize = 1 << 18;
/// Notes are shown in the same report up to this many bytes away.
const NEAR: usize = 1 << 16;

/// The lines of a place, which lies in one; `None` when they are too long to be shown.
fn lines_around(text: &str, at: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let before = &text.as_bytes()[at.start.saturating_sub(LINE)..at.start];
    let following = &text.as_bytes()[at.end..text.len().min(at.end + LINE)];
    let start = match memchr::memrchr(b'\n', before) {
        Some(newline) => at.start - before.len() + newline + 1,
        None if at.start == before.len() => 0,
        None => return None,
    };
    let end = match memchr::memchr(b'\n', following) {
        Some(newline) => at.end + newline,
        None if at.end + following.len() == text.len() => text.len(),
        None => return None,
    };
    Some(start..end)
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'a str,
    code: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a str>,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<JsonPlace>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<JsonNote<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonPlace {
    file: String,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonNote<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<JsonPlace>,
}

/// Diagnostics as one JSON object: `{"diagnostics": [..]}` with the keys of the specification.
pub fn to_json(ctx: &Context, diagnostics: &[Diagnostic]) -> String {
    let place = |loc| line_column(ctx, loc).map(|(file, line, column)| JsonPlace { file, line, column });
    let list: Vec<_> = diagnostics
        .iter()
        .map(|d| JsonDiagnostic {
            severity: d.severity.word(),
            code: d.code.code,
            kind: d.code.kind,
            at: d.at.as_deref(),
            why: &d.message,
            suggestion: d.suggestion.as_deref(),
            location: place(d.loc),
            notes: d.notes.iter().map(|n| JsonNote { message: &n.message, location: place(n.loc) }).collect(),
            pass: d.remark.map(|(pass, _)| pass),
            remark: d.remark.map(|(_, kind)| kind.word()),
        })
        .collect();
    let value = serde_json::json!({ "diagnostics": list });
    serde_json::to_string_pretty(&value).expect("strings and numbers are JSON")
}
