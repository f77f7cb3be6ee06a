//! Leaving SSA form: which values share a register.
//!
//! What a branch hands to a block, and what an instruction reads and writes in one place (the sums of a `wgmma`), should
//! be one register: a move between two products that run would make them wait for each other. Values that are not needed
//! at the same time become one register, those of a tie first; where they are, the branch moves them.
//!
//! Source: the idea of coalescing congruence classes by their live ranges is that of Boissinot et al., Revisiting
//! Out-of-SSA Translation for Correctness, Code Quality, and Efficiency (CGO 2009).

use dlc_ir::entity::EntityId;
use dlc_ir::smallvec::{SmallVec, smallvec};
use dlc_ir::{BlockId, Body, Context, OpId, OpRef, RegionId, ValueId};
use rustc_hash::FxHashMap;

use crate::inst::{Inst, may_share};

/// For each value the number of its register, among all registers.
#[derive(Debug, Default)]
pub struct Registers {
    /// The class of each value, by the index of the value; a value beyond them is alone in its own.
    class: Vec<u32>,
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
type Ranges = SmallVec<[(u32, u32); 2]>;

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
        let values = Dense::of(body, &blocks);
        let mut ranges = live_ranges(body, &blocks, &values);
        // Without a register a value is always there: nothing can share with it.
        for &block in &blocks {
            let results = body.ops(block).flat_map(|op| body.results(op));
            for value in body.args(block).iter().copied().chain(results).filter(|&value| has_none(value)) {
                ranges[values.number(value)] = smallvec![(0, u32::MAX)];
            }
        }
        let mut classes = Classes { values: &values, parent: (0..values.all.len() as u32).collect(), ranges };
        // Ties first: without them the text could not be written as one instruction.
        for &block in &blocks {
            for id in body.ops(block) {
                let op = OpRef::new(ctx, body, id);
                let Some(inst) = may_share(op).then(|| Inst::of(op).ok()).flatten() else { continue };
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
        let mut class: Vec<u32> = (0..body.value_slots() as u32).collect();
        for (number, &value) in values.all.iter().enumerate() {
            class[value as usize] = values.all[classes.find(number as u32) as usize];
        }
        Registers { class }
    }

    /// A number that values of one register share.
    pub fn class(&self, value: ValueId) -> u32 {
        self.class.get(value.index()).copied().unwrap_or(value.index() as u32)
    }

    /// The moves that put sources into targets, all at once.
    pub fn moves(&self, pairs: &[(ValueId, ValueId)]) -> Vec<Move> {
        let mut open: Vec<(ValueId, ValueId)> =
            pairs.iter().copied().filter(|&(source, target)| self.class(source) != self.class(target)).collect();
        let mut moves = Vec::with_capacity(open.len());
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

/// The values of some blocks, numbered without gaps.
struct Dense {
    /// By the index of a value its number.
    numbers: Vec<u32>,
    /// By number the index.
    all: Vec<u32>,
}

impl Dense {
    fn of(body: &Body, blocks: &[BlockId]) -> Dense {
        let mut dense = Dense { numbers: vec![u32::MAX; body.value_slots()], all: Vec::new() };
        for &block in blocks {
            body.args(block).iter().for_each(|&arg| dense.note(arg));
            for op in body.ops(block) {
                body.results(op).for_each(|value| dense.note(value));
                body.operands(op).for_each(|value| dense.note(value));
            }
        }
        dense
    }

    fn note(&mut self, value: ValueId) {
        let number = &mut self.numbers[value.index()];
        if *number == u32::MAX {
            *number = self.all.len() as u32;
            self.all.push(value.index() as u32);
        }
    }

    fn number(&self, value: ValueId) -> usize {
        self.numbers[value.index()] as usize
    }
}

struct Classes<'a> {
    values: &'a Dense,
    /// By number of a value another one of its class, which leads to the one that stands for all.
    parent: Vec<u32>,
    ranges: Vec<Ranges>,
}

impl Classes<'_> {
    fn find(&mut self, value: u32) -> u32 {
        let mut at = value;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        let mut walk = value;
        while walk != at {
            walk = std::mem::replace(&mut self.parent[walk as usize], at);
        }
        at
    }

    /// Lets two values share a register, unless both are needed at once.
    fn join(&mut self, a: ValueId, b: ValueId) {
        let number = |value| self.values.number(value) as u32;
        let (a, b) = (number(a), number(b));
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let Some(both) = merge(&self.ranges[a as usize], &self.ranges[b as usize]) else { return };
        // The smaller number stays, so that the outcome does not depend on the order.
        let (kept, gone) = (a.min(b), a.max(b));
        self.ranges[kept as usize] = both;
        self.ranges[gone as usize] = Ranges::new();
        self.parent[gone as usize] = kept;
    }
}

/// The union of ranges that do not meet; `None` if they do.
fn merge(a: &Ranges, b: &Ranges) -> Option<Ranges> {
    let mut all = Ranges::with_capacity(a.len() + b.len());
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

/// A set of numbers of values.
#[derive(Clone, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn clear(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    fn each(&self, mut run: impl FnMut(usize)) {
        for (word, &bits) in self.0.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                run(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

/// Where each value is needed, by its number.
fn live_ranges(body: &Body, blocks: &[BlockId], values: &Dense) -> Vec<Ranges> {
    let number: FxHashMap<BlockId, usize> = blocks.iter().enumerate().map(|(at, &block)| (block, at)).collect();
    let count = values.all.len();
    let mut bounds = Vec::new();
    let mut ops: Vec<OpId> = Vec::new();
    // What a block reads before it writes it, and what it writes.
    let (mut reads, mut writes) = (vec![Bits::of(count); blocks.len()], vec![Bits::of(count); blocks.len()]);
    for (at, &block) in blocks.iter().enumerate() {
        let start = ops.len();
        ops.extend(body.ops(block));
        bounds.push((start, ops.len()));
        let (reads, writes) = (&mut reads[at], &mut writes[at]);
        for &op in ops[start..].iter().rev() {
            body.results(op).map(|value| values.number(value)).for_each(|value| {
                writes.set(value);
                reads.clear(value);
            });
            body.operands(op).for_each(|value| reads.set(values.number(value)));
        }
        for &arg in body.args(block) {
            writes.set(values.number(arg));
            reads.clear(values.number(arg));
        }
    }
    let mut live_in = reads;
    let mut live_out = vec![Bits::of(count); blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..blocks.len()).rev() {
            let Some(last) = body.last_op(blocks[at]) else { continue };
            for to in body.successors(last).iter().filter_map(|to| number.get(to)) {
                let own = live_out[at].0.iter_mut().zip(&live_in[*to].0);
                own.for_each(|(out, live)| *out |= live);
            }
            let through = live_out[at].0.iter().zip(&writes[at].0);
            for (live, (out, written)) in live_in[at].0.iter_mut().zip(through) {
                let more = *live | (out & !written);
                changed |= more != *live;
                *live = more;
            }
        }
    }
    let mut ranges: Vec<Ranges> = vec![Ranges::new(); count];
    // Up to where each value is needed, in the block at hand; 0 where it is not.
    let mut until = vec![0u32; count];
    // Blocks and their ops get positions in order: the arguments of a block are written at its first position.
    for at in (0..blocks.len()).rev() {
        let (start, end) = bounds[at];
        let first = 2 * (start + at) as u32;
        let position = |index: usize| 2 * (index + at + 1) as u32;
        let following = position(end);
        live_out[at].each(|value| until[value] = following);
        let mut close = |value: usize, from: u32, until: &mut Vec<u32>| {
            // A result that nothing reads is still written.
            let end = std::mem::take(&mut until[value]);
            ranges[value].push((from, end.max(from + 1)));
        };
        for index in (start..end).rev() {
            let op = ops[index];
            for value in body.results(op) {
                close(values.number(value), position(index) + 1, &mut until);
            }
            for value in body.operands(op) {
                // It is read at the position, and what is written there comes later.
                let until = &mut until[values.number(value)];
                if *until == 0 {
                    *until = position(index) + 1;
                }
            }
        }
        for &arg in body.args(blocks[at]) {
            close(values.number(arg), first, &mut until);
        }
        live_in[at].each(|value| {
            if until[value] != 0 {
                close(value, first, &mut until);
            }
        });
    }
    ranges.iter_mut().for_each(|ranges| ranges.sort_unstable());
    ranges
}
