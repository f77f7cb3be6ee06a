//! A pass that runs in another program: the module goes there as text, and what comes back takes its place.
//!
//! What comes back is trusted in nothing: it is read, verified, and refused with a diagnostic that says who wrote it.
//! Names, locations and resources are in the text, so they survive the way there and back.

use std::collections::HashMap;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::group::broke_ir;
use super::host::{Ended, How};
use super::{PassCx, PassFailed, PassResult};
use crate::body::Body;
use crate::context::Context;
use crate::diag::{Diagnostic, Diagnostics};
use crate::location::{Loc, LocData, SourceFile};
use crate::text::{ParseOptions, PrintOptions, parse_module, print_body};
use crate::verify::verify;

crate::codes! {
    /// A program that is to run as a pass cannot be started.
    PROGRAM_NOT_STARTED = "E0461" "ProgramNotStarted";
    /// A program that ran as a pass failed or crashed.
    PROGRAM_FAILED = "E0462" "ProgramFailed";
    /// A program that ran as a pass did not end within its time limit.
    PROGRAM_TIMED_OUT = "E0463" "ProgramTimedOut";
    /// A program that ran as a pass printed more than a module of this size can need.
    PROGRAM_FLOODED = "E0464" "ProgramFlooded";
    /// What a program that ran as a pass printed is no module, or not all of one.
    PROGRAM_OUTPUT = "E0465" "ProgramOutput";
}

/// The text of a module as another program gets it.
pub fn hand_out(ctx: &Context, module: &Body, generic: bool, locations: bool) -> String {
    let mut text = String::new();
    let options = PrintOptions { generic, locations, ..PrintOptions::default() };
    print_body(ctx, module, options, &mut |piece| text.push_str(piece));
    text
}

/// Reports how a program ended, unless it did so by itself with a status of success. `who` names it:
/// `the program 'python3 my.py' of the pass 'external'`.
pub fn expect_success(cx: &PassCx<'_>, module: &Body, who: &str, ended: &Ended) -> PassResult {
    match diagnose(who, module.loc(module.root()), ended) {
        None => Ok(()),
        Some(diagnostic) => {
            // A status is the word of a program that refuses its input, or was not found.
            if matches!(ended.how, How::Signalled(_) | How::TimedOut(_) | How::Flooded(_)) {
                cx.host.blame();
            }
            Err(cx.fail(diagnostic))
        }
    }
}

/// What is wrong with how a program ended, if anything is.
pub fn diagnose(who: &str, loc: Loc, ended: &Ended) -> Option<Diagnostic> {
    let (code, message) = match &ended.how {
        How::Exited(0) => return None,
        How::Exited(status) => (&PROGRAM_FAILED, format!("{who} failed with exit status {status}")),
        How::Signalled(signal) => (&PROGRAM_FAILED, format!("{who} was ended by {}", signal_name(*signal))),
        How::TimedOut(limit) => {
            (&PROGRAM_TIMED_OUT, format!("{who} did not end within {} and was stopped", seconds(*limit)))
        }
        How::Flooded(limit) => (&PROGRAM_FLOODED, format!("{who} printed more than {limit} bytes and was stopped")),
        How::NotStarted(reason) => (&PROGRAM_NOT_STARTED, format!("{who} cannot be run: {reason}")),
    };
    Some(with_last_words(Diagnostic::error(code, loc, message), &ended.stderr))
}

/// A diagnostic with the last lines of a program's standard error as a note.
#[must_use]
pub fn with_last_words(diagnostic: Diagnostic, stderr: &str) -> Diagnostic {
    const LINES: usize = 10;
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let shown = |line: &&str| line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
    let last: Vec<String> = lines[lines.len().saturating_sub(LINES)..].iter().map(shown).collect();
    // One note: a traceback is read as a block.
    let text = match &last[..] {
        [] => return diagnostic,
        [line] => line.clone(),
        lines => format!("\n{}", lines.join("\n")),
    };
    diagnostic.note(Loc::UNKNOWN, format!("it said: {text}"))
}

/// A time in the way it is given on the command line: `30s`, `500ms`.
pub fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{}s", time.as_secs()),
        _ => format!("{}ms", time.as_millis()),
    }
}

/// Reads a time: `30s`, `500ms`, `2m`, or a bare number of seconds.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no time; write 30s, 500ms or 2m");
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(number * factor).map_err(|_| wrong())?;
    // The clock cannot be asked about times in the far future.
    let longest = Duration::from_secs(7 * 24 * 3600);
    if time.is_zero() || time > longest { Err(format!("'{text}' is not between 1ms and a week")) } else { Ok(time) }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

/// Reads what a program printed and puts it in place of the module, if it is right. `sent` is the text that the
/// program was given: one that comes back unchanged changes nothing.
pub fn take_back(cx: &PassCx<'_>, module: &mut Body, who: &str, sent: &str, came: Vec<u8>) -> PassResult {
    let loc = module.loc(module.root());
    let refuse = |why: String| {
        cx.host.blame();
        cx.fail(Diagnostic::error(&PROGRAM_OUTPUT, loc, format!("{who} {why}")))
    };
    let text = String::from_utf8(came).map_err(|e| refuse(format!("printed what is no text: {}", e.utf8_error())))?;
    if text == sent {
        return Ok(());
    }
    if text.trim().is_empty() {
        return Err(refuse("printed nothing; the module must come back, changed or not".into()));
    }
    let file = cx.ctx.sources.add(format!("<output of {}>", cx.def.name), text);
    let file = file.ok_or_else(|| refuse("printed more than can be read".into()))?;
    let found = Diagnostics::new();
    let options = ParseOptions { allow_unregistered: cx.host.allow_unregistered() };
    let Ok(mut new) = parse_module(cx.ctx, &file, 0..file.text.len(), options, &found) else {
        let failed = refuse("printed what is no module".into());
        found.take().into_iter().for_each(|d| cx.diags.emit(d));
        return Err(failed);
    };
    SourceSpans::new(cx.ctx).restore(&mut new);
    let right = verify(cx.ctx, &new, &found);
    module.replace_with(new);
    if !right {
        cx.host.blame();
        broke_ir(cx.def.name, module, found, cx.diags);
        return Err(PassFailed);
    }
    Ok(())
}

/// Turns `loc("f.mlir":3:4)` into the place in the source that was read, so that diagnostics show it again.
struct SourceSpans<'a> {
    ctx: &'a Context,
    /// The sources that were named, with the offsets of their lines.
    files: HashMap<String, Option<(std::sync::Arc<SourceFile>, Vec<usize>)>>,
    known: FxHashMap<Loc, Loc>,
}

impl<'a> SourceSpans<'a> {
    fn new(ctx: &'a Context) -> Self {
        SourceSpans { ctx, files: HashMap::new(), known: FxHashMap::default() }
    }

    fn restore(&mut self, body: &mut Body) {
        let ops: Vec<_> = std::iter::once(body.root()).chain(body.walk()).collect();
        for op in ops {
            let loc = self.place(body.loc(op));
            if loc != body.loc(op) {
                body.set_loc(op, loc);
            }
            let regions = body.regions(op).to_vec();
            let blocks: Vec<_> = regions.into_iter().flat_map(|region| body.blocks(region)).collect();
            for block in blocks {
                for index in 0..body.args(block).len() {
                    let loc = self.place(body.arg_loc(block, index));
                    body.set_arg_loc(block, index, loc);
                }
            }
            if let Some(nested) = body.nested_mut(op) {
                self.restore(nested);
            }
        }
    }

    fn place(&mut self, loc: Loc) -> Loc {
        if let Some(&place) = self.known.get(&loc) {
            return place;
        }
        let ctx = self.ctx;
        let place = match ctx.loc_data(loc) {
            Some(LocData::File { file, start, end }) if start == end => self.in_source(ctx.str(*file), *start),
            Some(LocData::Name { name, child }) => {
                let child = self.place(*child);
                Some(ctx.loc(LocData::Name { name: *name, child }))
            }
            Some(LocData::Fused { locs, meta }) => {
                let locs: Vec<Loc> = locs.iter().map(|&loc| self.place(loc)).collect();
                Some(ctx.loc(LocData::Fused { locs: &locs, meta: *meta }))
            }
            Some(LocData::CallSite { callee, caller }) => {
                let (callee, caller) = (self.place(*callee), self.place(*caller));
                Some(ctx.loc(LocData::CallSite { callee, caller }))
            }
            _ => None,
        };
        let place = place.unwrap_or(loc);
        self.known.insert(loc, place);
        place
    }

    /// The place of a line and column (from 1) in a source of this name.
    fn in_source(&mut self, name: &str, (line, column): (u32, u32)) -> Option<Loc> {
        if !self.files.contains_key(name) {
            let lines = self.ctx.sources.named(name).map(|file| {
                let starts = memchr::memchr_iter(b'\n', file.text.as_bytes()).map(|at| at + 1);
                let starts = std::iter::once(0).chain(starts).collect();
                (file, starts)
            });
            self.files.insert(name.to_string(), lines);
        }
        let (file, starts) = self.files.get(name)?.as_ref()?;
        let index = line.checked_sub(1)? as usize;
        let offset = starts.get(index)?.checked_add(column.checked_sub(1)? as usize)?;
        let end = starts.get(index + 1).copied().unwrap_or(file.text.len() + 1);
        (offset < end).then(|| file.loc(offset))
    }
}

/// The place that a line and column of a file mean: in a source that was read, if there is one of this name.
pub fn place_of(ctx: &Context, file: &str, line: u32, column: u32) -> Loc {
    SourceSpans::new(ctx).in_source(file, (line, column)).unwrap_or_else(|| {
        let (file, start) = (ctx.intern_str(file), (line, column));
        ctx.loc(LocData::File { file, start, end: start })
    })
}
