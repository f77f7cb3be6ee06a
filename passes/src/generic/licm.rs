//! Moves out of a loop what it computes in every iteration again, though nothing of it changes.
//!
//! **Requires**: any layer.
//! **Ensures**: no loop holds, directly in its blocks, a pure op that depends on nothing in the loop; a loop of branches with a
//! limit of registers holds those that are not worth one.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%n: i64, %x: i64) {
//!   %zero = constant 0 : i64
//!   %one = constant 1 : i64
//!   loop %zero to %n by %one {
//!   ^bb0(%i: i64):
//!     %square = muli %x, %x : i64
//!     use %square
//!     yield
//!   }
//!   return
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%n: i64, %x: i64) {
//!   %zero = constant 0 : i64
//!   %one = constant 1 : i64
//!   %square = muli %x, %x : i64
//!   loop %zero to %n by %one {
//!   ^bb0(%i: i64):
//!     use %square
//!     yield
//!   }
//!   return
//! }
//! ```
//!
//! Loops are ops with that trait, and natural loops of blocks that branch to each other (`analysis::loops`); what leaves one
//! of those goes to the end of the block before it, which is made where it is missing. From blocks that every iteration
//! goes through ops without effects leave that may go wrong, as divisions do.
//!
//! Where blocks branch, values are in registers, and what is computed before a loop is kept through all of it. With
//! `registers` an op leaves only if that takes no more registers than what it is computed from, or if it takes a whole chain of
//! others with it; truth values stay, and whatever one step makes of a value that is there anyway (numbers, places at
//! distances from one). A loop in which that many registers are taken gets no more: the assembler does what it can there.
//!
//! **Does not** move reads of memory, other ops that may go wrong (a loop may run zero times), loops inside the loop as a
//! whole, or ops inside a branch of an op that is a loop; nor does it touch cycles of blocks that are entered in several
//! places.
//!
//! Loops are visited from the inside out, their blocks in reverse post-order, so what leaves an inner loop goes on to
//! leave the outer one. After MLIR's pass of this name. Rule of the debug counters: `hoist`.

mod preheader;
mod worth;

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::dominance::{reverse_post_order, successors};
use dlc_ir::effects::{effects, is_speculatable};
use dlc_ir::op::{Effects, Traits};
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{BlockId, OpId, RegionId, ValueId};
use rustc_hash::FxHashSet;

use crate::analysis::liveness::{Liveness, Values};
use crate::analysis::loops::{NaturalLoop, natural_loops};
use preheader::Preheader;
use worth::Worth;

static DEF: PassDef = PassDef {
    options: &[OptionDef {
        name: "registers",
        kind: OptionKind::Int,
        default: "0",
        doc: "A loop of branches may need so many 32-bit registers for what leaves it, and only what is worth one \
              leaves; 0 for as many as it likes.",
    }],
    statistics: &[StatDef { name: "hoisted", doc: "Ops moved out of a loop, counted once for each loop." }],
    ..PassDef::base("licm", "Moves loop-invariant ops out of loops.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    match options.int("registers") {
        registers @ 0.. => Ok(Box::new(Licm { registers: Some(registers).filter(|&registers| registers > 0) })),
        registers => Err(format!("a loop has 0 registers or more, not {registers}")),
    }
}

struct Licm {
    registers: Option<i64>,
}

impl Pass for Licm {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let hoisted = licm(body, self.registers, cx);
        cx.count("hoisted", hoisted);
        Ok(())
    }
}

/// Moves what does not change in a loop before it, for all loops of a body; loops of branches may need so many registers
/// then. How many moves.
pub fn licm(body: &mut Body, registers: Option<i64>, cx: &PassCx<'_>) -> u64 {
    let holders: Vec<OpId> = std::iter::once(body.root()).chain(body.walk()).collect();
    let mut hoisted = 0;
    // An op comes before those in its regions: backwards is from the inside out.
    for op in holders.into_iter().rev() {
        if body.nested(op).is_some() {
            continue;
        }
        let regions: SmallVec<[RegionId; 2]> = body.regions(op).iter().copied().collect();
        for region in regions {
            hoisted += hoist_in(body, region, registers, cx);
        }
        if op != body.root() && OpRef::new(cx.ctx, body, op).has(Traits::LOOP) {
            hoisted += hoist_from(body, op, cx);
        }
    }
    hoisted
}

/// Moves loop-invariant ops out of loops.
fn hoist_from(body: &mut Body, loop_op: OpId, cx: &PassCx<'_>) -> u64 {
    let own = Loop::of_op(body, loop_op);
    let found = own.find(body, cx);
    own.hoist(body, &found, InsertPoint::Before(loop_op), cx)
}

/// Moves what does not change in the loops that the blocks of a region make before them.
fn hoist_in(body: &mut Body, region: RegionId, registers: Option<i64>, cx: &PassCx<'_>) -> u64 {
    let mut loops = natural_loops(body, region);
    if loops.is_empty() {
        return 0;
    }
    let mut pressure = registers.map(|most| Pressure::of(cx, body, region, &loops, most));
    let mut hoisted = 0;
    for number in 0..loops.len() {
        let own = Loop::of_blocks(&loops[number], region);
        let found = own.find(body, cx);
        if found.is_empty() {
            continue;
        }
        let chosen = match &mut pressure {
            Some(pressure) => pressure.choose(cx, body, &loops, number, &own, found),
            None => found,
        };
        let Some(preheader) = Preheader::of(cx.ctx, body, &loops[number].blocks).filter(|_| !chosen.is_empty()) else {
            continue;
        };
        let block = preheader.block(cx.ctx, body, loops[number].head);
        // It is in the loops around.
        let mut around = loops[number].around;
        while let Some(outer) = around {
            if !loops[outer].blocks.contains(&block) {
                loops[outer].blocks.push(block);
            }
            around = loops[outer].around;
        }
        if let Some(end) = body.last_op(block) {
            hoisted += own.hoist(body, &chosen, InsertPoint::Before(end), cx);
        }
    }
    hoisted
}

/// A loop, whatever makes it one: blocks that are run again.
struct Loop {
    /// In an order in which values are made before they are used.
    blocks: Vec<BlockId>,
    inside: FxHashSet<BlockId>,
    /// The region that all of them are in: outside of it is outside of the loop.
    region: Option<RegionId>,
    /// Those that are run whenever the loop is entered; an op that is a loop may run zero times.
    always: FxHashSet<BlockId>,
}

impl Loop {
    fn of_op(body: &Body, op: OpId) -> Loop {
        let blocks: Vec<BlockId> =
            body.regions(op).iter().flat_map(|&region| reverse_post_order(body, region)).collect();
        Loop { inside: blocks.iter().copied().collect(), blocks, region: None, always: FxHashSet::default() }
    }

    fn of_blocks(natural: &NaturalLoop, region: RegionId) -> Loop {
        let blocks = natural.blocks.clone();
        let always = natural.always.iter().copied().collect();
        Loop { inside: blocks.iter().copied().collect(), blocks, region: Some(region), always }
    }

    /// Whether a block is in it, or in an op that is.
    fn holds(&self, body: &Body, block: BlockId) -> bool {
        if self.inside.contains(&block) {
            return true;
        }
        let around = |block: &BlockId| {
            let region = body.region_of(*block).filter(|&region| Some(region) != self.region)?;
            body.block_of(body.region_parent(region)?)
        };
        std::iter::successors(around(&block), around).any(|block| self.inside.contains(&block))
    }

    /// The ops that can leave, in order, if all before them do.
    fn find(&self, body: &Body, cx: &PassCx<'_>) -> Vec<OpId> {
        let (mut found, mut leaving) = (Vec::new(), FxHashSet::default());
        for &block in &self.blocks {
            for op in body.ops(block) {
                if self.can_leave(body, op, &leaving, cx) {
                    leaving.insert(op);
                    found.push(op);
                }
            }
        }
        found
    }

    /// Whether an op can leave when others do.
    fn can_leave(&self, body: &Body, op: OpId, leaving: &FxHashSet<OpId>, cx: &PassCx<'_>) -> bool {
        let runs_anyway = || {
            let traits = OpRef::new(cx.ctx, body, op).def().traits;
            let plain = body.regions(op).is_empty() && !traits.has(Traits::TERMINATOR) && !traits.has(Traits::SYMBOL);
            plain
                && body.block_of(op).is_some_and(|block| self.always.contains(&block))
                && effects(cx.ctx, body, op) == Effects::NONE
        };
        if body.nested(op).is_some() || !(is_speculatable(cx.ctx, body, op) || runs_anyway()) {
            return false;
        }
        // Of what is in the loop only what leaves too, or what the op itself holds, may be used.
        let from_outside = |value: ValueId| {
            body.defining_op(value).is_some_and(|made| leaving.contains(&made))
                || body
                    .defining_block(value)
                    .is_some_and(|block| !self.holds(body, block) || is_within(body, block, op))
        };
        if body.regions(op).is_empty() {
            return body.operands(op).all(from_outside);
        }
        let mut inner = Vec::new();
        body.walk_regions(op, &mut inner);
        body.operands(op).chain(inner.into_iter().flat_map(|inner| body.operands(inner))).all(from_outside)
    }

    /// Moves ops, in order; one stays if one that it needs does.
    fn hoist(&self, body: &mut Body, ops: &[OpId], place: InsertPoint, cx: &PassCx<'_>) -> u64 {
        let mut hoisted = 0;
        for &op in ops {
            if self.can_leave(body, op, &FxHashSet::default(), cx) && cx.allows_rule("hoist") {
                body.move_op(op, place);
                hoisted += 1;
                if cx.wants_remarks() {
                    let name = OpRef::new(cx.ctx, body, op).name();
                    cx.remark(RemarkKind::Passed, body.loc(op), format!("moved '{name}' out of the loop"));
                }
            }
        }
        hoisted
    }
}

/// Whether a block is in the regions of an op.
fn is_within(body: &Body, block: BlockId, op: OpId) -> bool {
    let holder = body.region_of(block).and_then(|region| body.region_parent(region));
    std::iter::successors(holder, |&at| body.parent_op(at)).any(|at| at == op)
}

/// The registers that the loops of a region need.
struct Pressure {
    /// The most that they may need.
    most: i64,
    /// What each needs.
    needed: Vec<i64>,
    /// What is needed after each.
    following: Vec<Values>,
}

impl Pressure {
    fn of(cx: &PassCx<'_>, body: &Body, region: RegionId, loops: &[NaturalLoop], most: i64) -> Pressure {
        let liveness = Liveness::of(cx.ctx, body, region);
        let needed =
            |own: &NaturalLoop| own.blocks.iter().map(|&block| liveness.most_registers(block)).max().unwrap_or(0);
        let following = |own: &NaturalLoop| {
            let mut all = Values::default();
            let inside: FxHashSet<BlockId> = own.blocks.iter().copied().collect();
            let ends = own.blocks.iter().flat_map(|&block| successors(body, block));
            let ends = ends.filter(|to| !inside.contains(to));
            ends.filter_map(|to| liveness.at_start(to)).for_each(|values| all.add(values));
            all
        };
        Pressure { most, needed: loops.iter().map(needed).collect(), following: loops.iter().map(following).collect() }
    }

    /// Those of the ops that leave a loop, which needs the registers for them from now on, as do those around it.
    fn choose(
        &mut self,
        cx: &PassCx<'_>,
        body: &Body,
        loops: &[NaturalLoop],
        number: usize,
        own: &Loop,
        ops: Vec<OpId>,
    ) -> Vec<OpId> {
        let (needed, most) = (self.needed[number], self.most);
        let stay = |count: usize, why: String| {
            if count > 0 && cx.wants_remarks() {
                let loc = body.last_op(own.blocks[0]).map_or(dlc_ir::Loc::UNKNOWN, |op| body.loc(op));
                cx.remark(RemarkKind::Missed, loc, format!("{count} ops stay in this loop: {why}, of {most}"));
            }
        };
        if needed >= most {
            stay(ops.len(), format!("its values take {needed} registers"));
            return Vec::new();
        }
        let inside = |block: BlockId| own.holds(body, block);
        let worth = Worth::new(cx.ctx, body, &inside, &self.following[number], &ops);
        let (chosen, added, left) = worth.choose(&ops, most - needed);
        stay(left, "there are no more registers for them".into());
        self.needed[number] += added.max(0);
        let now = self.needed[number];
        let mut around = loops[number].around;
        while let Some(outer) = around {
            self.needed[outer] = self.needed[outer].max(now);
            around = loops[outer].around;
        }
        chosen
    }
}
