//! An order of the instructions of a block that keeps few values at once.

use std::cmp::Reverse;

use dlc_ir::body::Body;
use dlc_ir::effects::effects;
use dlc_ir::op::Effects;
use dlc_ir::{BlockId, Context, OpId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::liveness::Liveness;

/// How many instructions are looked at, one after another, to order a block: beyond that it stays as it is.
const MOST_LOOKS: usize = 1 << 24;

/// The registers that are needed at once if a block is ordered from its end, each time by the instruction that leaves the
/// fewest values to be kept (list scheduling from below; Goodman and Hsu, "Code scheduling and register allocation in
/// large basic blocks", ICS 1988, order by the same from above). What reads or writes memory stays in its order.
pub fn fewest(
    ctx: &Context,
    body: &Body,
    block: BlockId,
    liveness: &Liveness,
    registers: &dyn Fn(ValueId) -> i64,
) -> i64 {
    let ops: Vec<OpId> = body.ops(block).collect();
    let of: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(at, &op)| (op, at)).collect();
    let mut order = Order { ctx, body, registers, live: FxHashSet::default(), now: 0 };
    let following = liveness.at_end(body, block);
    let blocks = body.region_of(block).into_iter().flat_map(|region| body.blocks(region));
    for block in blocks {
        let made = body.ops(block).flat_map(|op| body.results(op));
        let all = body.args(block).iter().copied().chain(made);
        all.filter(|&value| following.contains(value)).for_each(|value| order.keep(value));
    }
    let before = before(ctx, body, &ops, &of);
    let mut later = vec![0; ops.len()];
    before.iter().flatten().for_each(|&at| later[at] += 1);
    let mut ready: Vec<usize> = (0..ops.len()).filter(|&at| later[at] == 0).collect();
    let (mut most, mut looks) = (order.now, 0);
    while !ready.is_empty() {
        looks += ready.len();
        if looks > MOST_LOOKS {
            return i64::MAX;
        }
        let cost = |&at: &usize| (order.grows(ops[at]), Reverse(at));
        let Some(next) = (0..ready.len()).min_by_key(|&place| cost(&ready[place])) else { break };
        let at = ready.swap_remove(next);
        most = most.max(order.take(ops[at]));
        for &earlier in &before[at] {
            later[earlier] -= 1;
            if later[earlier] == 0 {
                ready.push(earlier);
            }
        }
    }
    most
}

/// What comes before each instruction of a block: what makes its operands, and what orders it in memory.
fn before(ctx: &Context, body: &Body, ops: &[OpId], of: &FxHashMap<OpId, usize>) -> Vec<Vec<usize>> {
    let (mut writer, mut readers) = (None, Vec::new());
    let mut all = Vec::with_capacity(ops.len());
    for (at, &op) in ops.iter().enumerate() {
        let made = body.operands(op).filter_map(|value| of.get(&body.defining_op(value)?).copied());
        let mut own: Vec<usize> = made.collect();
        let effect = effects(ctx, body, op);
        if effect == Effects::READ {
            own.extend(writer);
            readers.push(at);
        } else if effect != Effects::NONE || at + 1 == ops.len() {
            own.extend(writer.replace(at));
            own.append(&mut readers);
        }
        if at + 1 == ops.len() {
            own.extend(0..at);
        }
        own.sort_unstable();
        own.dedup();
        all.push(own);
    }
    all
}

/// The values that are kept, seen from the end of a block.
struct Order<'a> {
    ctx: &'a Context,
    body: &'a Body,
    registers: &'a dyn Fn(ValueId) -> i64,
    live: FxHashSet<ValueId>,
    now: i64,
}

impl Order<'_> {
    /// The registers of a value. A constant is made where it is read.
    fn registers(&self, value: ValueId) -> i64 {
        let made = self.body.defining_op(value);
        let constant = made.is_some_and(|op| {
            self.body.operands(op).next().is_none() && effects(self.ctx, self.body, op) == Effects::NONE
        });
        if constant { 0 } else { (self.registers)(value) }
    }

    fn keep(&mut self, value: ValueId) {
        if self.live.insert(value) {
            self.now += self.registers(value);
        }
    }

    /// How many registers more are kept before an instruction than after it.
    fn grows(&self, op: OpId) -> i64 {
        let freed: i64 =
            self.body.results(op).filter(|value| self.live.contains(value)).map(|v| self.registers(v)).sum();
        let mut seen: Vec<ValueId> = Vec::new();
        let mut more = 0;
        for value in self.body.operands(op).filter(|value| !self.live.contains(value)) {
            if !seen.contains(&value) {
                seen.push(value);
                more += self.registers(value);
            }
        }
        more - freed
    }

    /// Puts an instruction before those so far: the most registers that are needed at it.
    fn take(&mut self, op: OpId) -> i64 {
        self.body.results(op).collect::<Vec<_>>().into_iter().for_each(|value| self.keep(value));
        let following = self.now;
        for value in self.body.results(op).collect::<Vec<_>>() {
            if self.live.remove(&value) {
                self.now -= self.registers(value);
            }
        }
        self.body.operands(op).collect::<Vec<_>>().into_iter().for_each(|value| self.keep(value));
        following.max(self.now)
    }
}
