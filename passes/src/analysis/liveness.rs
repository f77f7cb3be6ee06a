//! Which values are needed where in the blocks of a region, and how many registers they take.

use dlc_ir::body::Body;
use dlc_ir::dominance::successors;
use dlc_ir::entity::EntityId;
use dlc_ir::{BlockId, Context, OpId, RegionId, Type, ValueId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The 32-bit registers that a value takes. Truth values are elsewhere.
pub fn registers(ctx: &Context, ty: Type) -> i64 {
    match ty.bits(ctx) {
        Some(1) => 0,
        bits => i64::from(bits.unwrap_or(32).div_ceil(32)),
    }
}

/// What is needed at the start of each block, and the registers that are needed at once in it.
pub struct Liveness {
    number: FxHashMap<BlockId, usize>,
    live_in: Vec<Values>,
    most: Vec<i64>,
    /// The registers that each value takes, by its index.
    of: Vec<i64>,
}

/// A set of values.
#[derive(Clone, Default, Debug)]
pub struct Values(Vec<u64>);

impl Values {
    /// Whether a value is in it.
    pub fn contains(&self, value: ValueId) -> bool {
        let at = value.index();
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }

    /// Adds all values of another set.
    pub fn add(&mut self, other: &Values) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(own, more)| *own |= more);
    }

    /// Adds all values of another set but some; whether one was not there.
    fn add_but(&mut self, other: &Values, but: &Values) -> bool {
        let mut new = 0;
        for (own, (more, but)) in self.0.iter_mut().zip(other.0.iter().zip(&but.0)) {
            new |= more & !but & !*own;
            *own |= more & !but;
        }
        new != 0
    }

    /// Adds a value; whether it was not there.
    fn insert(&mut self, value: ValueId) -> bool {
        let (word, bit) = (&mut self.0[value.index() / 64], 1 << (value.index() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes a value out; whether it was there.
    fn remove(&mut self, value: ValueId) -> bool {
        let (word, bit) = (&mut self.0[value.index() / 64], 1 << (value.index() % 64));
        let there = *word & bit != 0;
        *word &= !bit;
        there
    }

    /// The sum of numbers, by the index of each value.
    fn sum(&self, of: &[i64]) -> i64 {
        let mut sum = 0;
        for (word, &bits) in self.0.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                sum += of[64 * word + left.trailing_zeros() as usize];
                left &= left - 1;
            }
        }
        sum
    }
}

impl Liveness {
    /// Looks at the blocks of a region. What stands in regions of an op is needed where the op is.
    pub fn of(ctx: &Context, body: &Body, region: RegionId) -> Liveness {
        Liveness::counting(body, region, |value| registers(ctx, body.value_type(value)))
    }

    /// The same, where each value takes as many registers as a function says.
    pub fn counting(body: &Body, region: RegionId, registers: impl Fn(ValueId) -> i64) -> Liveness {
        let blocks: Vec<BlockId> = body.blocks(region).collect();
        let number: FxHashMap<BlockId, usize> = blocks.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let empty = Values(vec![0; body.value_slots().div_ceil(64)]);
        let mut live_in = vec![empty.clone(); blocks.len()];
        let next: Vec<Vec<usize>> = blocks
            .iter()
            .map(|&block| successors(body, block).filter_map(|to| number.get(&to).copied()).collect())
            .collect();
        let live_out = |at: usize, live_in: &[Values]| {
            let mut live = empty.clone();
            next[at].iter().for_each(|&to| live.add(&live_in[to]));
            live
        };
        // What a block reads before it writes it, and what it writes.
        let mut made = vec![empty.clone(); blocks.len()];
        for (at, &block) in blocks.iter().enumerate() {
            live_in[at] = backwards(body, block, empty.clone(), |value, begins| {
                if !begins {
                    made[at].insert(value);
                }
            });
            body.args(block).iter().for_each(|&arg| {
                made[at].insert(arg);
            });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..blocks.len()).rev() {
                for &to in &next[at] {
                    let (own, other) = match at.cmp(&to) {
                        Ordering::Less => {
                            let (front, following) = live_in.split_at_mut(to);
                            (&mut front[at], &following[0])
                        }
                        Ordering::Greater => {
                            let (front, following) = live_in.split_at_mut(at);
                            (&mut following[0], &front[to])
                        }
                        Ordering::Equal => continue,
                    };
                    changed |= own.add_but(other, &made[at]);
                }
            }
        }
        let mut of = vec![0; body.value_slots()];
        for &block in &blocks {
            let made = body.ops(block).flat_map(|op| body.results(op).chain(body.operands(op)));
            body.args(block).iter().copied().chain(made).for_each(|value| of[value.index()] = registers(value));
        }
        let most = (0..blocks.len()).map(|at| {
            let live = live_out(at, &live_in);
            let mut now = live.sum(&of);
            let mut most = now;
            backwards(body, blocks[at], live, |value, begins| {
                now += if begins { of[value.index()] } else { -of[value.index()] };
                most = most.max(now);
            });
            most
        });
        let most = most.collect();
        Liveness { number, live_in, most, of }
    }

    /// What is needed at the start of a block, its own arguments left out.
    pub fn at_start(&self, block: BlockId) -> Option<&Values> {
        self.number.get(&block).map(|&at| &self.live_in[at])
    }

    /// What is needed after a block.
    pub fn at_end(&self, body: &Body, block: BlockId) -> Values {
        let mut all = Values::default();
        successors(body, block).filter_map(|to| self.at_start(to)).for_each(|values| all.add(values));
        all
    }

    /// The 32-bit registers that values take after each op of a block, from its last op to its first.
    pub fn registers_after(&self, body: &Body, block: BlockId) -> Vec<(OpId, i64)> {
        let mut live = self.at_end(body, block);
        live.0.resize(body.value_slots().div_ceil(64), 0);
        let of = |value: ValueId| self.of[value.index()];
        let mut now = live.sum(&self.of);
        let mut after = Vec::new();
        let mut cursor = body.last_op(block);
        while let Some(op) = cursor {
            cursor = body.prev_op(op);
            after.push((op, now));
            over(body, op, &mut live, &mut |value, begins| now += if begins { of(value) } else { -of(value) });
        }
        after
    }

    /// The most 32-bit registers that values take at once in a block.
    pub fn most_registers(&self, block: BlockId) -> i64 {
        self.number.get(&block).map_or(0, |&at| self.most[at])
    }
}

/// Goes through a block from its end: what is needed at its start, with a note for each value that begins to be needed on
/// that way (`true`) and that is no longer (`false`).
fn backwards(body: &Body, block: BlockId, mut live: Values, mut note: impl FnMut(ValueId, bool)) -> Values {
    let mut cursor = body.last_op(block);
    while let Some(op) = cursor {
        cursor = body.prev_op(op);
        over(body, op, &mut live, &mut note);
    }
    body.args(block).iter().copied().filter(|&value| live.remove(value)).for_each(|value| note(value, false));
    live
}

/// Goes from after an op to before it.
fn over(body: &Body, op: OpId, live: &mut Values, note: &mut impl FnMut(ValueId, bool)) {
    // A result that nothing reads is still written.
    body.results(op).filter(|&value| live.insert(value)).for_each(|value| note(value, true));
    body.results(op).filter(|&value| live.remove(value)).for_each(|value| note(value, false));
    body.operands(op).filter(|&value| live.insert(value)).for_each(|value| note(value, true));
    if !body.regions(op).is_empty() {
        let mut inner = Vec::new();
        body.walk_regions(op, &mut inner);
        let used = inner.iter().flat_map(|&inner| body.operands(inner)).filter(|&value| !is_made_in(body, value, op));
        used.filter(|&value| live.insert(value)).for_each(|value| note(value, true));
    }
}

/// Whether a value is made in the regions of an op.
fn is_made_in(body: &Body, value: ValueId, op: OpId) -> bool {
    let holder =
        body.defining_block(value).and_then(|block| body.region_of(block)).and_then(|of| body.region_parent(of));
    std::iter::successors(holder, |&at| body.parent_op(at)).any(|at| at == op)
}
