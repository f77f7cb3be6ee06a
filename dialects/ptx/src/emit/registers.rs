//! Leaving SSA form: which values share a register.
//!
//! What a branch hands to a block, and what an instruction reads and writes in one place (the sums of a `wgmma`), should
//! be one register: a move between two products that run would make them wait for each other. Values that are not needed
//! at the same time become one register, those of a tie first; where they are, the branch moves them.
//!
//! Source: the idea of coalescing congruence classes by their live ranges is that of Boissinot et al., Revisiting
//! Out-of-SSA Translation for Correctness, Code Quality, and Efficiency (CGO 2009).

use dlc_ir::entity::EntityId;
use dlc_ir::{BlockId, Body, Context, OpId, OpRef, RegionId, ValueId};
use rustc_hash::FxHashMap;

use crate::inst::Inst;

/// For each value the number of its register, among all registers.
#[derive(Debug, Default)]
pub struct Registers {
    /// The class of each value, by the index of the value.
    class: FxHashMap<u32, u32>,
}

/// What happens when a branch is taken: moves, in an order in which none destroys what another needs. A value that all
/// others wait for is kept in a spare register first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// From the register of a value to that of another one.
    Copy(ValueId, ValueId),
    /// From the register of a value to the spare one of its type.
    Save(ValueId),
    /// From the spare register, which has what a value had, to the register of another one.
    Restore(ValueId, ValueId),
}

/// Where values are needed: half-open ranges of positions, in order. An op at position p reads at 2p and writes at 2p + 1.
type Ranges = Vec<(u32, u32)>;

impl Registers {
    /// The registers of the values of a region.
    pub fn of(ctx: &Context, body: &Body, region: RegionId) -> Registers {
        Registers::with(ctx, body, region, &|_| false, &[])
    }

    /// The registers of the values of a region, where some have none because they are written as what they are, and where
    /// other pairs are to share one if nothing is against it.
    pub fn with(
        ctx: &Context,
        body: &Body,
        region: RegionId,
        has_none: &dyn Fn(ValueId) -> bool,
        wanted: &[(ValueId, ValueId)],
    ) -> Registers {
        let blocks: Vec<BlockId> = body.blocks(region).collect();
        let mut ranges = live_ranges(body, &blocks);
        let mut all: Vec<ValueId> = Vec::new();
        for &block in &blocks {
            all.extend(body.args(block));
            body.ops(block).for_each(|op| all.extend(body.results(op)));
        }
        // Without a register a value is always there: nothing can share with it.
        for value in all.into_iter().filter(|&value| has_none(value)) {
            ranges.insert(value.index() as u32, vec![(0, u32::MAX)]);
        }
        let mut classes = Classes { parent: FxHashMap::default(), ranges };
        // Ties first: without them the text could not be written as one instruction.
        for &block in &blocks {
            for id in body.ops(block) {
                let Ok(inst) = Inst::of(OpRef::new(ctx, body, id)) else { continue };
                for (result, source) in inst.tied() {
                    classes.join(result, source);
                }
                for (result, &source) in inst.op.results().zip(&inst.otherwise) {
                    classes.join(result, source);
                }
            }
        }
        // The last blocks first: what goes round in a loop matters more than what enters it.
        for &block in blocks.iter().rev() {
            let Some(last) = body.last_op(block) else { continue };
            let op = OpRef::new(ctx, body, last);
            for (index, &to) in op.successors().iter().enumerate() {
                for (place, &arg) in op.successor_operands(index).zip(body.args(to)) {
                    let source = op.operand(place);
                    if body.value_type(arg) == body.value_type(source) {
                        classes.join(arg, source);
                    }
                }
            }
        }
        for &(a, b) in wanted {
            if body.value_type(a) == body.value_type(b) {
                classes.join(a, b);
            }
        }
        let values: Vec<u32> = classes.ranges.keys().copied().collect();
        let class = values.into_iter().map(|value| (value, classes.find(value))).collect();
        Registers { class }
    }

    /// A number that values of one register share.
    pub fn class(&self, value: ValueId) -> u32 {
        let index = value.index() as u32;
        self.class.get(&index).copied().unwrap_or(index)
    }

    /// The moves that put sources into targets, all at once.
    pub fn moves(&self, pairs: &[(ValueId, ValueId)]) -> Vec<Move> {
        let mut open: Vec<(ValueId, ValueId)> =
            pairs.iter().copied().filter(|&(source, target)| self.class(source) != self.class(target)).collect();
        let mut moves = Vec::new();
        // What is saved, if something is: whoever reads it then takes the spare register.
        let mut saved: Option<ValueId> = None;
        while !open.is_empty() {
            let read = |class: u32, open: &[(ValueId, ValueId)], saved: Option<ValueId>| {
                open.iter().any(|&(source, _)| {
                    self.class(source) == class && saved.is_none_or(|saved| self.class(saved) != class)
                })
            };
            let free = open.iter().position(|&(_, target)| !read(self.class(target), &open, saved));
            match free {
                Some(index) => {
                    let (source, target) = open.remove(index);
                    moves.push(match saved {
                        Some(saved) if self.class(saved) == self.class(source) => Move::Restore(saved, target),
                        _ => Move::Copy(source, target),
                    });
                    if let Some(kept) = saved
                        && !open.iter().any(|&(source, _)| self.class(source) == self.class(kept))
                    {
                        saved = None;
                    }
                }
                None => {
                    // A ring: one of its values is set aside.
                    let source = open[0].0;
                    moves.push(Move::Save(source));
                    saved = Some(source);
                }
            }
        }
        moves
    }
}

struct Classes {
    parent: FxHashMap<u32, u32>,
    ranges: FxHashMap<u32, Ranges>,
}

impl Classes {
    fn find(&mut self, value: u32) -> u32 {
        let mut at = value;
        while let Some(&parent) = self.parent.get(&at) {
            at = parent;
        }
        let mut walk = value;
        while let Some(parent) = self.parent.get_mut(&walk) {
            walk = std::mem::replace(parent, at);
            if walk == at {
                break;
            }
        }
        at
    }

    /// Lets two values share a register, unless both are needed at once.
    fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.find(a.index() as u32), self.find(b.index() as u32));
        if a == b {
            return;
        }
        let empty = Vec::new();
        let (of_a, of_b) = (self.ranges.get(&a).unwrap_or(&empty), self.ranges.get(&b).unwrap_or(&empty));
        let Some(both) = merge(of_a, of_b) else { return };
        // The smaller number stays, so that the outcome does not depend on the order.
        let (kept, gone) = (a.min(b), a.max(b));
        self.ranges.insert(kept, both);
        self.ranges.insert(gone, Vec::new());
        self.parent.insert(gone, kept);
    }
}

/// The union of ranges that do not meet; `None` if they do.
fn merge(a: &Ranges, b: &Ranges) -> Option<Ranges> {
    let mut all: Ranges = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x <= y => {
                i += 1;
                *x
            }
            (_, Some(y)) => {
                j += 1;
                *y
            }
            (Some(x), None) => {
                i += 1;
                *x
            }
            (None, None) => break,
        };
        match all.last_mut() {
            Some(last) if next.0 < last.1 => return None,
            Some(last) if next.0 == last.1 => last.1 = next.1,
            _ => all.push(next),
        }
    }
    Some(all)
}

/// Where each value is needed, by its index.
fn live_ranges(body: &Body, blocks: &[BlockId]) -> FxHashMap<u32, Ranges> {
    let number: FxHashMap<BlockId, usize> = blocks.iter().enumerate().map(|(at, &block)| (block, at)).collect();
    // Values are numbered densely, so that sets of them are bits.
    let mut dense: FxHashMap<u32, u32> = FxHashMap::default();
    let mut names: Vec<u32> = Vec::new();
    let mut note = |value: ValueId| {
        let index = value.index() as u32;
        dense.entry(index).or_insert_with(|| {
            names.push(index);
            names.len() as u32 - 1
        });
    };
    let mut bounds = Vec::new();
    let mut ops: Vec<OpId> = Vec::new();
    for &block in blocks {
        body.args(block).iter().for_each(|&arg| note(arg));
        let start = ops.len();
        for op in body.ops(block) {
            ops.push(op);
            body.results(op).for_each(&mut note);
            body.operands(op).for_each(&mut note);
        }
        bounds.push((start, ops.len()));
    }
    let count = names.len();
    let words = count.div_ceil(64);
    let mut live_in = vec![vec![0u64; words]; blocks.len()];
    let mut live_out = vec![vec![0u64; words]; blocks.len()];
    let dense_of = |value: ValueId| dense[&(value.index() as u32)] as usize;
    let set = |bits: &mut [u64], at: usize| bits[at / 64] |= 1 << (at % 64);
    let clear = |bits: &mut [u64], at: usize| bits[at / 64] &= !(1 << (at % 64));
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..blocks.len()).rev() {
            let mut out = vec![0u64; words];
            if let Some(last) = body.last_op(blocks[at]) {
                for to in body.successors(last) {
                    if let Some(&to) = number.get(to) {
                        out.iter_mut().zip(&live_in[to]).for_each(|(out, live)| *out |= live);
                    }
                }
            }
            let mut live = out.clone();
            let (start, end) = bounds[at];
            for &op in ops[start..end].iter().rev() {
                body.results(op).for_each(|value| clear(&mut live, dense_of(value)));
                body.operands(op).for_each(|value| set(&mut live, dense_of(value)));
            }
            body.args(blocks[at]).iter().for_each(|&arg| clear(&mut live, dense_of(arg)));
            if out != live_out[at] || live != live_in[at] {
                changed = true;
                live_out[at] = out;
                live_in[at] = live;
            }
        }
    }
    let mut ranges: Vec<Ranges> = vec![Vec::new(); count];
    // Blocks and their ops get positions in order: the arguments of a block are written at its first position.
    for at in (0..blocks.len()).rev() {
        let (start, end) = bounds[at];
        let first = 2 * (start + at) as u32;
        let position = |index: usize| 2 * (index + at + 1) as u32;
        let behind = position(end);
        let mut until: Vec<Option<u32>> =
            (0..count).map(|value| (live_out[at][value / 64] >> (value % 64) & 1 == 1).then_some(behind)).collect();
        let mut close = |value: usize, from: u32, until: &mut Vec<Option<u32>>| {
            // A result that nobody reads is still written.
            let end = until[value].take().unwrap_or(from + 1);
            ranges[value].push((from, end.max(from + 1)));
        };
        for index in (start..end).rev() {
            let op = ops[index];
            for value in body.results(op) {
                close(dense_of(value), position(index) + 1, &mut until);
            }
            for value in body.operands(op) {
                // It is read at the position, and what is written there comes later.
                until[dense_of(value)].get_or_insert(position(index) + 1);
            }
        }
        for &arg in body.args(blocks[at]) {
            close(dense_of(arg), first, &mut until);
        }
        for value in 0..count {
            if until[value].is_some() {
                close(value, first, &mut until);
            }
        }
    }
    ranges.iter_mut().for_each(|ranges| ranges.sort_unstable());
    names.into_iter().zip(ranges).collect()
}
