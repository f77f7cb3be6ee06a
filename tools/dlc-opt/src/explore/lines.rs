//! The text of modules as lines that know which source positions they came from.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use dlc_ir::body::Body;
use dlc_ir::location::LocData;
use dlc_ir::text::{OpSpan, PrintOptions, print_with_spans};
use dlc_ir::{Context, Loc, OpId};
use dlc_passes::analysis::liveness::Liveness;
use dlc_ptx::ops::Entry;
use indexmap::IndexSet;
use serde_json::{Value, json};

/// Columns from this one on count as one place.
const COLUMNS: u32 = 1024;

/// A position of the source: its line times [`COLUMNS`], and its column.
type Place = u32;

/// All lines of all stages, each text and each set of places once.
#[derive(Default)]
pub struct Texts {
    source: String,
    texts: IndexSet<String>,
    places: IndexSet<BTreeSet<Place>>,
}

impl Texts {
    /// No lines yet, of a source of this name.
    pub fn of(source: &str) -> Texts {
        Texts { source: source.to_string(), ..Texts::default() }
    }

    /// The name of the source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Each text of a line.
    pub fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }

    /// Each set of places.
    pub fn places(&self) -> Vec<&BTreeSet<Place>> {
        self.places.iter().collect()
    }

    /// The input, as it was read. To be called when all other stages are there: its lines have the places that those have.
    pub fn of_source(&mut self, text: &str) -> Value {
        let all: BTreeSet<Place> = self.places.iter().flatten().copied().collect();
        let line = |(number, line): (usize, &str)| {
            let first = (number as u32 + 1).saturating_mul(COLUMNS);
            (line.to_string(), all.range(first..first.saturating_add(COLUMNS)).copied().collect())
        };
        let lines: Vec<(String, BTreeSet<Place>)> = text.lines().enumerate().map(line).collect();
        let lines: Vec<[usize; 2]> = lines.into_iter().map(|(text, places)| self.line(text, places)).collect();
        json!({ "title": "input", "pipeline": "", "layers": [], "failed": false, "lines": lines })
    }

    /// Text that a translation made, which says nothing of places.
    pub fn of_translation(&mut self, text: &str) -> Value {
        let lines = text.lines().map(|line| self.line(line.to_string(), BTreeSet::new()));
        let lines: Vec<[usize; 2]> = lines.collect();
        json!({ "title": "PTX", "pipeline": "dlc-translate --to-ptx", "layers": [], "failed": false, "lines": lines })
    }

    /// A module: its lines and, where it has instructions, how many registers are live after each line.
    pub fn of_module(&mut self, ctx: &Context, module: &Body, options: PrintOptions) -> Value {
        let (text, spans) = print_with_spans(ctx, module, options);
        let (mut lines, mut registers) = (Vec::new(), Vec::new());
        let live = registers_after(ctx, &spans);
        let mut next = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            let op = owner(&spans, &mut next, &mut open, &range);
            let places = op.map_or_else(BTreeSet::new, |op| self.of_loc(ctx, spans[op].op.loc()));
            registers.push(
                op.and_then(|op| live[op]).filter(|_| op.is_some_and(|op| range.contains(&spans[op].range.start))),
            );
            lines.push(self.line(line.trim_end_matches('\n').to_string(), places));
            start = range.end;
        }
        let registers = registers.iter().any(Option::is_some).then_some(registers);
        json!({ "lines": lines, "registers": registers })
    }

    fn line(&mut self, text: String, places: BTreeSet<Place>) -> [usize; 2] {
        [self.texts.insert_full(text).0, self.places.insert_full(places).0]
    }

    /// The positions in the source that a location stands for.
    fn of_loc(&self, ctx: &Context, loc: Loc) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        self.collect(ctx, loc, &mut places);
        places
    }

    fn collect(&self, ctx: &Context, loc: Loc, into: &mut BTreeSet<Place>) {
        if let Some((file, at)) = loc.source_offset().and_then(|offset| ctx.sources.find(offset)) {
            if file.name == self.source {
                into.insert(place(file.line_column(at)));
            }
            return;
        }
        match ctx.loc_data(loc) {
            Some(LocData::File { file, start, .. }) if ctx.str(*file) == self.source => into.extend([place(*start)]),
            Some(LocData::Name { child, .. }) => self.collect(ctx, *child, into),
            Some(LocData::Fused { locs, .. }) => locs.iter().for_each(|&loc| self.collect(ctx, loc, into)),
            Some(LocData::CallSite { callee, caller }) => {
                self.collect(ctx, *callee, into);
                self.collect(ctx, *caller, into);
            }
            Some(LocData::File { .. }) | None => {}
        }
    }
}

fn place((line, column): (u32, u32)) -> Place {
    line.saturating_mul(COLUMNS).saturating_add(column.min(COLUMNS - 1))
}

/// The op that a line belongs to: the first that begins there, else the innermost one around it. `next` is the first op
/// that no line before has, `open` those that are around the line.
fn owner(spans: &[OpSpan<'_>], next: &mut usize, open: &mut Vec<usize>, line: &Range<usize>) -> Option<usize> {
    while open.last().is_some_and(|&op| spans[op].range.end <= line.start) {
        open.pop();
    }
    let around = open.last().copied();
    let first = *next;
    while spans.get(*next).is_some_and(|span| span.range.start < line.end) {
        while open.last().is_some_and(|&op| spans[op].range.end <= spans[*next].range.start) {
            open.pop();
        }
        open.push(*next);
        *next += 1;
    }
    if *next > first { Some(first) } else { around }
}

/// For each op how many 32-bit registers hold values after it, where it is an instruction.
fn registers_after<'a>(ctx: &Context, spans: &[OpSpan<'a>]) -> Vec<Option<i64>> {
    let mut entry: Option<(&'a Body, HashMap<OpId, i64>)> = None;
    let of = |span: &OpSpan<'a>| {
        let (body, op) = (span.op.body, span.op.id);
        if span.op.is(Entry::DEF) {
            let region = *body.regions(op).first()?;
            let live = Liveness::of(ctx, body, region);
            entry = Some((body, body.blocks(region).flat_map(|block| live.registers_after(body, block)).collect()));
            return None;
        }
        let (around, live) = entry.as_ref()?;
        std::ptr::eq(*around, body).then(|| live.get(&op).copied()).flatten()
    };
    spans.iter().map(of).collect()
}
