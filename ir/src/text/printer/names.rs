//! Which name each value and block of a body is written under.

use rustc_hash::FxHashMap;

use crate::body::{Body, ValueDef};
use crate::context::{Context, Str};
use crate::entity::{BlockId, EntityId, OpId, RegionId, ValueId};
use crate::op::Traits;

/// The names of one body.
pub(super) struct Names {
    /// By the index of the value: a number, an interned name with `NAMED`, or `GROUPED` for a further result of an op
    /// whose results share the name of the first.
    values: Vec<u32>,
    blocks: FxHashMap<BlockId, Str>,
}

const NAMED: u32 = 1 << 31;
const GROUPED: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

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
    pub(super) fn new(ctx: &Context, body: &Body) -> Names {
        let mut namer = Namer {
            ctx,
            body,
            names: Names { values: vec![UNKNOWN; body.value_slots()], blocks: FxHashMap::default() },
            next: 0,
            used: FxHashMap::default(),
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
            GROUPED => match body.value_def(value) {
                ValueDef::Result(op, index) => ValueLabel::Grouped(body.result(op, 0), index),
                _ => ValueLabel::Unknown,
            },
            name if name & NAMED != 0 => ValueLabel::Named(Str(name & !NAMED)),
            number => ValueLabel::Number(number),
        }
    }

    /// Whether the results of an op are written as one name with a count: `%0:2`.
    pub(super) fn is_group(&self, body: &Body, op: OpId) -> bool {
        body.num_results(op) > 1 && self.values[body.result(op, 1).index()] == GROUPED
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
    next: u32,
    /// The names that are visible here.
    used: FxHashMap<Str, ()>,
    /// The names in the order they became visible, to be taken back at the end of a region.
    log: Vec<Str>,
}

impl Namer<'_> {
    /// Names what is in a region. Where values may be used before they are defined, those of the region itself are
    /// named before what is nested in it, so that no nested name hides one that is used there.
    fn region(&mut self, region: RegionId, graph: bool) {
        let mark = self.log.len();
        self.blocks(region);
        let body = self.body;
        for block in body.blocks(region) {
            for &arg in body.args(block) {
                self.value(arg);
            }
            if graph {
                for op in body.ops(block) {
                    self.results(op);
                }
            }
            for op in body.ops(block) {
                for &inner in body.regions(op) {
                    self.region(inner, is_graph(self.ctx, body, op));
                }
                if !graph {
                    self.results(op);
                }
            }
        }
        for name in self.log.drain(mark..) {
            self.used.remove(&name);
        }
    }

    fn results(&mut self, op: OpId) {
        let body = self.body;
        let results = body.results(op);
        let shared = results.len() > 1 && results.clone().skip(1).any(|v| body.value_name(v) == Str::EMPTY);
        for (index, value) in results.enumerate() {
            if shared && index > 0 {
                self.names.values[value.index()] = GROUPED;
            } else {
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: ValueId) {
        let name = self.body.value_name(value);
        let label = if name == Str::EMPTY {
            self.next += 1;
            self.next - 1
        } else {
            NAMED | self.unique(name).0
        };
        self.names.values[value.index()] = label;
    }

    fn unique(&mut self, name: Str) -> Str {
        let mut candidate = name;
        let mut suffix = 0;
        while self.used.insert(candidate, ()).is_some() {
            candidate = self.ctx.intern_str(&format!("{}_{suffix}", self.ctx.str(name)));
            suffix += 1;
        }
        self.log.push(candidate);
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
            let mut name = body.label(block);
            let mut number = index;
            while name == Str::EMPTY || taken.contains_key(&name) {
                name = match body.label(block) {
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
