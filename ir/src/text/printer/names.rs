//! Which name each value and block of a body is written under.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::{Body, ValueDef};
use crate::context::{Context, Str};
use crate::entity::{BlockId, EntityId, OpId, RegionId, ValueId};
use crate::op::Traits;

/// The names of one body.
pub(super) struct Names {
    /// By the index of the value: a number, an interned name with `NAMED`, or with `GROUPED` how many places before it
    /// among the results of its op the one stands whose name it shares.
    values: Vec<u32>,
    blocks: FxHashMap<BlockId, Str>,
    /// The values whose definition was written, by index.
    written: Vec<bool>,
    /// The number after the last one that was assigned.
    next: u32,
    /// Every name that was assigned, here and in the bodies around this one.
    taken: FxHashSet<Str>,
}

const NAMED: u32 = 1 << 31;
const GROUPED: u32 = 1 << 30;
const UNKNOWN: u32 = u32::MAX;

/// How a value is written.
pub(super) enum ValueLabel {
    Number(u32),
    Named(Str),
    /// A further result: the name of the first, and the number of this one.
    Grouped(ValueId, usize),
    /// A value that is in no region of the body: only in IR that is being built.
    Unknown,
}

impl Names {
    /// The names of a body; with `around`, none is also a name of that body. In MLIR's generic form the regions of an
    /// isolated op are no scope of their own, so no name may stand for two values there.
    pub(super) fn new(ctx: &Context, body: &Body, around: Option<&Names>) -> Names {
        let (next, taken) = around.map_or((0, FxHashSet::default()), |names| (names.next, names.taken.clone()));
        let mut namer = Namer {
            ctx,
            body,
            used: taken.clone(),
            names: Names {
                values: vec![UNKNOWN; body.value_slots()],
                blocks: FxHashMap::default(),
                written: vec![false; body.value_slots()],
                next,
                taken,
            },
            suffixes: FxHashMap::default(),
            log: Vec::new(),
        };
        for &region in body.regions(body.root()) {
            namer.region(region, is_graph(ctx, body, body.root()));
        }
        namer.names
    }

    #[inline]
    pub(super) fn value(&self, body: &Body, value: ValueId) -> ValueLabel {
        match self.values.get(value.index()).copied().unwrap_or(UNKNOWN) {
            UNKNOWN => ValueLabel::Unknown,
            name if name & NAMED != 0 => ValueLabel::Named(Str(name & !NAMED)),
            place if place & GROUPED != 0 => match body.value_def(value) {
                ValueDef::Result(op, index) => {
                    let place = (place & !GROUPED) as usize;
                    ValueLabel::Grouped(body.result(op, index - place), place)
                }
                _ => ValueLabel::Unknown,
            },
            number => ValueLabel::Number(number),
        }
    }

    /// Notes that the definition of a value was written.
    #[inline]
    pub(super) fn set_written(&mut self, value: ValueId) {
        self.written[value.index()] = true;
    }

    /// Takes all definitions for written.
    pub(super) fn set_all_written(&mut self) {
        self.written.fill(true);
    }

    /// Whether the definition of a value was written.
    #[inline]
    pub(super) fn is_written(&self, value: ValueId) -> bool {
        self.written.get(value.index()).copied().unwrap_or(false)
    }

    /// How many results, from the one at an index on, are written as one name with a count: `%0:2`.
    pub(super) fn group_len(&self, body: &Body, op: OpId, index: usize) -> usize {
        let label = |value: ValueId| self.values.get(value.index()).copied().unwrap_or(UNKNOWN);
        let grouped = |value: &ValueId| label(*value) & (NAMED | GROUPED) == GROUPED;
        1 + body.results(op).skip(index + 1).take_while(grouped).count()
    }

    pub(super) fn block(&self, block: BlockId) -> Option<Str> {
        self.blocks.get(&block).copied()
    }
}

fn is_graph(ctx: &Context, body: &Body, op: OpId) -> bool {
    let name = body.op_name(op);
    !ctx.is_registered(name) || ctx.op_def(name).traits.has(Traits::GRAPH_REGION)
}

struct Namer<'a> {
    ctx: &'a Context,
    body: &'a Body,
    names: Names,
    /// The names that are visible here.
    used: FxHashSet<Str>,
    /// For each name that was asked for twice: the suffix to try next.
    suffixes: FxHashMap<Str, u32>,
    /// The names in the order they became visible, to be taken back at the end of a region.
    log: Vec<Str>,
}

impl Namer<'_> {
    /// Names what is in a region. Where a value may be used before the line of its definition (in a graph region, or
    /// with several blocks), names from the source are given to the region itself before what is nested in it, so that
    /// no nested name hides one that is used there. Numbers are in the order of the text.
    fn region(&mut self, region: RegionId, graph: bool) {
        let mark = self.log.len();
        self.blocks(region);
        let body = self.body;
        if graph || !body.has_single_block(region) {
            for block in body.blocks(region) {
                let results = body.ops(block).flat_map(|op| body.results(op));
                for value in body.args(block).iter().copied().chain(results) {
                    self.source_name(value);
                }
            }
        }
        for block in body.blocks(region) {
            for &arg in body.args(block) {
                match body.value_name(arg) {
                    Str::EMPTY => self.number(arg),
                    _ => self.source_name(arg),
                }
            }
            for op in body.ops(block) {
                self.number_results(op);
                for &inner in body.regions(op) {
                    self.region(inner, is_graph(self.ctx, body, op));
                }
                // A name is known from after the op on: what is nested in it may use it for something else.
                for value in body.results(op) {
                    self.source_name(value);
                }
            }
        }
        for name in self.log.drain(mark..) {
            self.used.remove(&name);
        }
    }

    /// Each name from the source, or number, stands for the value and the unnamed results after it.
    fn number_results(&mut self, op: OpId) {
        let mut place = 0;
        for (index, value) in self.body.results(op).enumerate() {
            if self.body.value_name(value) != Str::EMPTY {
                place = 0;
            } else if index > 0 {
                place += 1;
                self.names.values[value.index()] = GROUPED | place;
            } else {
                self.number(value);
            }
        }
    }

    fn number(&mut self, value: ValueId) {
        self.names.values[value.index()] = self.names.next;
        self.names.next += 1;
    }

    /// Gives a value the name from its source, if it has one and was not given it before.
    fn source_name(&mut self, value: ValueId) {
        let name = self.body.value_name(value);
        if name != Str::EMPTY && self.names.values[value.index()] == UNKNOWN {
            let name = self.readable(name);
            self.names.values[value.index()] = NAMED | self.unique(name).0;
        }
    }

    /// The name itself, if the parser takes it for a name; passes may have made it of anything.
    fn readable(&self, name: Str) -> Str {
        let text = self.ctx.str(name);
        let inside = |b: u8| b.is_ascii_alphanumeric() || b"$._-".contains(&b);
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        // Digits are a number, except after a zero.
        let start = !text.as_bytes()[0].is_ascii_digit() || (digits && text.len() > 1 && text.starts_with('0'));
        if start && text.bytes().all(inside) {
            return name;
        }
        let replaced: String = text.chars().map(|c| if c.is_ascii() && inside(c as u8) { c } else { '_' }).collect();
        self.ctx.intern_str(&if start { replaced } else { format!("_{replaced}") })
    }

    fn unique(&mut self, name: Str) -> Str {
        let mut candidate = name;
        while !self.used.insert(candidate) {
            let suffix = self.suffixes.entry(name).or_insert(0);
            let text = self.ctx.str(name);
            // A name of digits is one only without a suffix.
            let start = if text.as_bytes()[0].is_ascii_digit() { "_" } else { "" };
            candidate = self.ctx.intern_str(&format!("{start}{text}_{suffix}"));
            *suffix += 1;
        }
        self.log.push(candidate);
        self.names.taken.insert(candidate);
        candidate
    }

    /// Blocks are `^bb0`, `^bb1` in order, unless the source gave them another label.
    fn blocks(&mut self, region: RegionId) {
        let body = self.body;
        if body.has_single_block(region) && body.label(body.first_block(region).expect("one")) == Str::EMPTY {
            if let Some(block) = body.first_block(region) {
                let name = self.ctx.intern_str("bb0");
                self.names.blocks.insert(block, name);
            }
            return;
        }
        let mut taken: FxHashMap<Str, ()> = FxHashMap::default();
        for (index, block) in body.blocks(region).enumerate() {
            let given = match body.label(block) {
                Str::EMPTY => Str::EMPTY,
                label if crate::text::is_numbered_label(self.ctx.str(label)) => Str::EMPTY,
                label => self.readable(label),
            };
            let mut name = given;
            let mut number = index;
            while name == Str::EMPTY || taken.contains_key(&name) {
                name = match given {
                    Str::EMPTY => self.ctx.intern_str(&format!("bb{number}")),
                    label => self.ctx.intern_str(&format!("{}_{number}", self.ctx.str(label))),
                };
                number += 1;
            }
            taken.insert(name, ());
            self.names.blocks.insert(block, name);
        }
    }
}
