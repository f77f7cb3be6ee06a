//! What is reported next to the result: diagnostics, timing, statistics, debug counters.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fmt::Write as _;

use dlc_ir::diag::{Diagnostic, Note, Severity, Style, render, to_json};
use dlc_ir::pass::timing::{PassReport, Report};
use dlc_ir::{Context, Loc};
use serde_json::{Value, json};

use crate::Io;
use crate::args::{Form, Options};

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// `--diagnostics=json`
    pub json: bool,
    /// Whether they have colours.
    pub color: bool,
    /// How many errors are shown.
    pub max_errors: usize,
}

/// The text of diagnostics; empty when there are none.
pub fn diagnostics(ctx: &Context, mut all: Vec<Diagnostic>, how: Shown) -> String {
    let errors = all.iter().filter(|d| d.severity == Severity::Error).count();
    let mut room = how.max_errors;
    all.retain(|d| {
        let shown = d.severity != Severity::Error || room > 0;
        room -= usize::from(d.severity == Severity::Error && shown);
        shown
    });
    let hidden = errors.saturating_sub(how.max_errors);
    if how.json {
        return if all.is_empty() && hidden == 0 { String::new() } else { to_json(ctx, &all) + "\n" };
    }
    let style = Style { color: how.color };
    let mut text: String = all.iter().map(|diagnostic| render(ctx, diagnostic, style)).collect();
    if hidden > 0 {
        let _ = writeln!(text, "{hidden} more errors are not shown (--max-errors={})", how.max_errors);
    }
    text
}

/// Collects what is reported, and tells it at the end, in the form that was asked for.
pub struct Reporter<'a> {
    ctx: &'a Context,
    options: &'a Options,
    diagnostics: Vec<Diagnostic>,
    reports: Vec<Report>,
    counters: Vec<(String, u64)>,
}

impl<'a> Reporter<'a> {
    /// A reporter that knows nothing yet.
    pub fn new(ctx: &'a Context, options: &'a Options) -> Self {
        Reporter { ctx, options, diagnostics: Vec::new(), reports: Vec::new(), counters: Vec::new() }
    }

    /// Without the remarks that nobody asked for.
    pub fn wanted(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.retain(|d| match d.remark {
            None => true,
            Some((pass, kind)) => {
                let filter = &self.options.remarks_filter;
                self.options.remarks.contains(&kind) && filter.as_ref().is_none_or(|filter| filter.is_match(pass))
            }
        });
        // What programs read has each.
        match self.options.all_remarks || self.options.verify_diagnostics || self.options.shown.json {
            true => diagnostics,
            false => without_alike(diagnostics),
        }
    }

    /// Adds diagnostics.
    pub fn take(&mut self, diagnostics: Vec<Diagnostic>) {
        self.diagnostics.extend(diagnostics);
    }

    /// Adds what a run cost and counted.
    pub fn passes(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Sets how many rewrites each rule wanted to do.
    pub fn counters(&mut self, counters: Vec<(String, u64)>) {
        self.counters = counters;
    }

    /// Tells everything, and forgets it.
    pub fn finish(&mut self, io: &mut Io<'_>) {
        let mut text = diagnostics(self.ctx, std::mem::take(&mut self.diagnostics), self.options.shown);
        let reports = std::mem::take(&mut self.reports);
        match self.options.statistics {
            Some(Form::Text) => statistics_text(&reports, &mut text),
            Some(Form::Json) => line(&mut text, &statistics_json(&reports)),
            None => {}
        }
        match self.options.timing {
            Some(Form::Text) => timing_text(&reports, self.options.threads, &mut text),
            Some(Form::Json) => line(&mut text, &timing_json(&reports, self.options.threads)),
            None => {}
        }
        for (rule, count) in std::mem::take(&mut self.counters) {
            let _ = writeln!(text, "debug-counter {rule}: {count}");
        }
        // Nothing can be reported where this fails.
        let _ = io.stderr.write_all(text.as_bytes());
    }
}

/// The most remarks of a pass that differ in nothing but names, sizes and numbers.
const MOST_ALIKE: usize = 3;

/// Diagnostics with a few of each kind of remark; the last of many says how many more there are. What a pass repeats in the
/// words of an earlier one, at the same place, is left out: `kernel-to-ptx` verifies as `check-async` did.
fn without_alike(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    // Which pass said something of a place first.
    let mut said: HashMap<(Loc, String), &str> = HashMap::new();
    // How many there are of each kind, and which one was kept last.
    let mut alike: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    for diagnostic in diagnostics {
        if let Some((pass, _)) = diagnostic.remark {
            if *said.entry((diagnostic.loc, diagnostic.message.clone())).or_insert(pass) != pass {
                continue;
            }
            let (count, last) = alike.entry((pass, pattern(&diagnostic.message))).or_default();
            *count += 1;
            if *count > MOST_ALIKE {
                continue;
            }
            *last = kept.len();
        }
        kept.push(diagnostic);
    }
    for (count, last) in alike.into_values().filter(|(count, _)| *count > MOST_ALIKE) {
        let more = format!("{} more like this are not shown; --remarks=all shows each", count - MOST_ALIKE);
        kept[last].notes.push(Note { loc: Loc::UNKNOWN, message: more });
    }
    kept
}

/// A message without what is quoted, in brackets or parentheses, a name with `@`, or a number: remarks that have the same
/// pattern are alike.
pub fn pattern(message: &str) -> String {
    let (mut text, mut open) = (String::new(), None);
    for letter in message.chars() {
        match open {
            Some(end) if letter == end => open = None,
            Some(_) => {}
            None => match letter {
                '\'' => open = Some('\''),
                '[' => open = Some(']'),
                '(' => open = Some(')'),
                '@' => open = Some(' '),
                _ if letter.is_ascii_digit() || letter == '.' => {}
                _ => text.push(letter),
            },
        }
    }
    text
}

/// Tells what is wrong before the command line can be read as a whole.
pub fn report_one(diagnostic: Diagnostic, args: &[OsString], io: &mut Io<'_>) {
    let ctx = Context::new([]);
    let json = args.iter().any(|arg| arg == "--diagnostics=json");
    let text = match json {
        true => to_json(&ctx, &[diagnostic]) + "\n",
        false => render(&ctx, &diagnostic, Style { color: io.terminal }),
    };
    // Nothing can be reported where this fails.
    let _ = io.stderr.write_all(text.as_bytes());
}

fn line(text: &mut String, json: &Value) {
    let _ = writeln!(text, "{json}");
}

fn passes(reports: &[Report]) -> impl Iterator<Item = &PassReport> {
    reports.iter().flat_map(|report| &report.passes)
}

fn statistics_text(reports: &[Report], text: &mut String) {
    *text += "===- Statistics -===\n";
    for pass in passes(reports) {
        let _ = writeln!(text, "{}", pass.def.name);
        for (declared, value) in pass.def.statistics.iter().zip(&pass.statistics) {
            let _ = writeln!(text, "  {value:>8} {}: {}", declared.name, declared.doc);
        }
        for (name, made) in &pass.analyses {
            let _ = writeln!(text, "  {made:>8} {name}: Analyses computed for it.");
        }
    }
}

fn statistics_json(reports: &[Report]) -> Value {
    let pass = |pass: &PassReport| {
        let counts = pass.def.statistics.iter().zip(&pass.statistics);
        let counts: serde_json::Map<_, _> = counts.map(|(stat, n)| (stat.name.to_string(), json!(n))).collect();
        let mut entry = json!({ "pass": pass.def.name, "statistics": counts });
        if !pass.analyses.is_empty() {
            entry["analyses"] = json!(pass.analyses);
        }
        entry
    };
    json!({ "statistics": passes(reports).map(pass).collect::<Vec<_>>() })
}

fn timing_text(reports: &[Report], threads: usize, text: &mut String) {
    let wall: f64 = reports.iter().map(|report| report.wall.as_secs_f64()).sum();
    let all: f64 = passes(reports).map(|pass| (pass.run + pass.verify).as_secs_f64()).sum();
    let symbols: f64 = reports.iter().map(|report| report.symbols.as_secs_f64()).sum();
    let _ = writeln!(text, "===- Timing: {wall:.6} s on the clock, {threads} threads -===");
    let _ = writeln!(text, "    run (s)  verify (s)  share  bodies  pass");
    let share = |seconds: f64| if all + symbols > 0.0 { 100.0 * seconds / (all + symbols) } else { 0.0 };
    let mut open: Vec<(String, u32)> = Vec::new();
    for pass in passes(reports) {
        let nest: Vec<(String, u32)> = pass.nest.iter().map(|(anchor, id)| (anchor.to_string(), *id)).collect();
        let same = open.iter().zip(&nest).take_while(|(a, b)| a == b).count();
        for (depth, (anchor, _)) in nest.iter().enumerate().skip(same) {
            let _ = writeln!(text, "{:>40}{:indent$}{anchor}", "", "", indent = 2 * depth);
        }
        let (run, verify) = (pass.run.as_secs_f64(), pass.verify.as_secs_f64());
        let (share, bodies, name) = (share(run + verify), pass.bodies, pass.def.name);
        let indent = 2 * nest.len();
        let _ = writeln!(text, "  {run:>9.6}  {verify:>10.6} {share:>5.1}% {bodies:>7}  {:indent$}{name}", "");
        open = nest;
    }
    let _ = writeln!(text, "  {:>9}  {symbols:>10.6} {:>5.1}% {:>7}  (symbols)", "", share(symbols), "");
}

fn timing_json(reports: &[Report], threads: usize) -> Value {
    let pass = |pass: &PassReport| {
        json!({
            "pass": pass.def.name,
            "nest": pass.nest.iter().map(|(anchor, _)| anchor.to_string()).collect::<Vec<_>>(),
            "run": pass.run.as_secs_f64(),
            "verify": pass.verify.as_secs_f64(),
            "bodies": pass.bodies,
            "inserted": pass.inserted,
        })
    };
    let wall: f64 = reports.iter().map(|report| report.wall.as_secs_f64()).sum();
    let symbols: f64 = reports.iter().map(|report| report.symbols.as_secs_f64()).sum();
    let passes: Vec<_> = passes(reports).map(pass).collect();
    json!({ "timing": { "wall": wall, "symbols": symbols, "threads": threads, "passes": passes } })
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn remarks_that_differ_in_names_and_numbers_are_alike() {
        let alike = |a: &str, b: &str| pattern(a) == pattern(b);
        assert!(alike("'neg' of [16, M] is not stored: 64 bytes", "'max' of [1] is not stored: 1.5 bytes"));
        assert!(alike("the plan of @f_0, of 12 (4 stopped)", "the plan of @g, of 1 (0 stopped)"));
        assert!(!alike("'neg' is stored: it is read twice", "'neg' is stored: it is a result"));
    }
}
