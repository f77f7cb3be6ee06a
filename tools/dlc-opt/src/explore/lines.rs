//! The text of modules as lines that know which source positions they came from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use dlc_ir::body::Body;
use dlc_ir::location::{LocData, SourceMap};
use dlc_ir::text::{OpSpan, PrintOptions, print_with_spans};
use dlc_ir::{Context, Loc, OpId};
use dlc_passes::analysis::liveness::Liveness;
use dlc_ptx::ops::Entry;
use indexmap::IndexSet;
use serde_json::{Value, json};

use super::origins::{Numbers, Replay, origins, set_locs};

/// Columns from this one on count as one place.
const COLUMNS: u32 = 1024;

/// A position of the source: its line times [`COLUMNS`], and its column.
type Place = u32;

/// Where the ops of a stage are in its text.
#[derive(Default)]
pub struct Stage {
    /// The line at which each op begins, by its number.
    pub starts: Vec<Option<usize>>,
    /// How many registers are live after each line.
    registers: Vec<Option<i64>>,
}

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

    /// The PTX of a module that is a stage with these lines, or why there is none.
    pub fn of_ptx(&mut self, ctx: &Context, module: &Body, stage: &Stage) -> Result<Value, String> {
        let text = dlc_ptx::emit::module(ctx, module, None).map_err(|why| why.message)?.text;
        let from = instructions_of(ctx, module, &text);
        let from: Vec<Option<usize>> =
            from.into_iter().map(|number| stage.starts.get(number?).copied().flatten()).collect();
        let registers: Vec<Option<i64>> =
            from.iter().map(|&line| stage.registers.get(line?).copied().flatten()).collect();
        let lines = text.lines().map(|line| self.line(line.to_string(), BTreeSet::new()));
        let lines: Vec<[usize; 2]> = lines.collect();
        Ok(json!({
            "title": "PTX", "pipeline": "dlc-translate --to-ptx", "layers": [], "failed": false, "lines": lines,
            "registers": registers, "from": from,
        }))
    }

    /// A module: its lines and, where it has instructions, how many registers are live after each line. With a replay of the
    /// pass that made it, and the stage before, each line has those that its op came from.
    pub fn of_module(
        &mut self,
        ctx: &Context,
        module: &Body,
        options: PrintOptions,
        before: Option<(&Replay, &Stage)>,
    ) -> (Value, Stage) {
        let (text, spans) = print_with_spans(ctx, module, options);
        let numbers = Numbers::of(module);
        let mut starts = vec![None; numbers.count()];
        let came_from = before.and_then(|(replay, before)| {
            let (other, spans) = print_with_spans(ctx, &replay.module, options);
            (other == text).then(|| {
                let lines = |span: &OpSpan<'_>| -> BTreeSet<usize> {
                    origins(ctx, span.op.loc()).into_iter().filter_map(|number| *before.starts.get(number)?).collect()
                };
                spans.iter().map(lines).collect::<Vec<_>>()
            })
        });
        let (mut lines, mut registers, mut from) = (Vec::new(), Vec::new(), Vec::new());
        let mut parts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut lines_of_ops: Vec<Option<usize>> = vec![None; spans.len()];
        let live = registers_after(ctx, &spans);
        let mut next = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let range = start..start + line.len();
            let first = next;
            let op = owner(&spans, &mut next, &mut open, &range);
            for begun in first..next {
                lines_of_ops[begun] = Some(number);
                if let Some(op) = numbers.get(spans[begun].op.body, spans[begun].op.id) {
                    starts[op] = Some(number);
                }
            }
            let places = op.map_or_else(BTreeSet::new, |op| self.of_loc(ctx, spans[op].op.loc()));
            let begins = op.is_some_and(|op| range.contains(&spans[op].range.start));
            registers.push(op.and_then(|op| live[op]).filter(|_| begins));
            if let Some(begin) = op.and_then(|op| lines_of_ops[op]).filter(|&begin| begin != number) {
                parts.insert(number, begin);
            }
            if let Some(came_from) = &came_from {
                from.push(op.map_or_else(|| json!(null), |op| compact(&came_from[op])));
            }
            lines.push(self.line(line.trim_end_matches('\n').to_string(), places));
            start = range.end;
        }
        let has_registers = registers.iter().any(Option::is_some);
        let stage = json!({
            "lines": lines, "registers": has_registers.then_some(&registers), "parts": parts,
            "from": came_from.is_some().then_some(from),
        });
        (stage, Stage { starts, registers })
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

/// Lines as they are written: nothing, a number, or a list.
fn compact(lines: &BTreeSet<usize>) -> Value {
    match lines.len() {
        0 => json!(null),
        1 => json!(lines.first()),
        _ => json!(lines),
    }
}

/// For each line of the PTX of a module the number of the op that it is for. They are found by the `.loc` lines of a copy
/// whose ops have lines of their own.
fn instructions_of(ctx: &Context, module: &Body, text: &str) -> Vec<Option<usize>> {
    let count = Numbers::of(module).count();
    let none = || vec![None; text.lines().count()];
    let sources = SourceMap::default();
    let Some(file) = sources.add("ops", "\n".repeat(count)) else { return none() };
    let mut copy = module.clone();
    set_locs(&mut copy, &mut 0, &|number| file.loc(number));
    let Ok(with_lines) = dlc_ptx::emit::module(ctx, &copy, Some(&sources)) else { return none() };
    let (mut of, mut current): (Vec<Option<usize>>, Option<usize>) = Default::default();
    let mut own = text.lines();
    for line in with_lines.text.lines() {
        if let Some(loc) = line.strip_prefix("\t.loc ") {
            let number = loc.split(' ').nth(1).and_then(|line| line.parse::<usize>().ok());
            current = number.and_then(|line| line.checked_sub(1));
            continue;
        }
        match own.next() {
            None => break,
            Some(own) if own != line => return none(),
            Some(_) => {}
        }
        // Declarations and labels are for no instruction.
        let is_instruction = line.starts_with('\t') && !line.trim_start().starts_with('.') && !line.ends_with(':');
        if !line.starts_with('\t') {
            current = None;
        }
        of.push(current.filter(|_| is_instruction));
    }
    of
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
