//! Erases what nothing needs: unused ops, blocks that cannot be reached, and arguments of blocks that only feed each
//! other.
//!
//! **Requires**: any layer.
//! **Ensures**: every block can be reached; every op has an effect or a result that one with an effect needs; so has
//! every argument of a block that is handed to it by understood terminators.
//!
//! **Before**
//! ```mlir before
//! sample.func @f(%x: i64) -> i64 {
//!   %unused = addi %x, %x : i64
//!   %unused_too = muli %unused, %x : i64
//!   return %x
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func @f(%x: i64) -> i64 {
//!   return %x
//! }
//! ```
//!
//! **Does not** erase arguments of entry blocks (they belong to the op around), writes that nothing reads, or functions
//! (`symbol-dce`).
//!
//! A mark phase over use-def edges: ops with effects are needed, and so is what they use, the op around them, and the
//! terminators of its regions; a value handed to an argument is needed when the argument is. Linear in ops and operands.
//! Rules of the debug counters: `op`, `block` (once for a region), `arg`.

use dlc_ir::body::{Body, OpRef, ValueDef};
use dlc_ir::dominance::reverse_post_order;
use dlc_ir::effects::own_effects;
use dlc_ir::entity::SideTable;
use dlc_ir::op::Traits;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::branches::{erase_operands, forwarded, is_understood};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{BlockId, Context, OpId, RegionId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

static DEF: PassDef = PassDef {
    statistics: &[
        StatDef { name: "ops", doc: "Ops erased." },
        StatDef { name: "blocks", doc: "Unreachable blocks erased." },
        StatDef { name: "args", doc: "Arguments of blocks erased." },
    ],
    ..PassDef::base("dce", "Erases unused ops, unreachable blocks and unused arguments of blocks.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Dce))
}

struct Dce;

impl Pass for Dce {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = dce(body, cx);
        cx.count("ops", counts.ops);
        cx.count("blocks", counts.blocks);
        cx.count("args", counts.args);
        Ok(())
    }
}

/// What was erased.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Erased {
    /// Ops, without those in erased blocks and regions.
    pub ops: u64,
    /// Unreachable blocks.
    pub blocks: u64,
    /// Arguments of blocks.
    pub args: u64,
}

/// Erases what nothing needs in a body.
pub fn dce(body: &mut Body, cx: &PassCx<'_>) -> Erased {
    let blocks = erase_unreachable(body, cx);
    let needed = needed(body, cx);
    let (ops, args) = needed.erase_others(body, cx.ctx);
    Erased { ops, blocks, args }
}

/// Every region of a body, outer ones first.
fn regions(body: &Body) -> Vec<RegionId> {
    let holders = std::iter::once(body.root()).chain(body.walk());
    holders.flat_map(|op| body.regions(op).iter().copied()).collect()
}

fn erase_unreachable(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let mut unreachable: Vec<(RegionId, Vec<BlockId>)> = Vec::new();
    for region in regions(body).into_iter().filter(|&region| !body.has_single_block(region)) {
        let reached: FxHashSet<BlockId> = reverse_post_order(body, region).into_iter().collect();
        let rest: Vec<BlockId> = body.blocks(region).filter(|block| !reached.contains(block)).collect();
        if !rest.is_empty() {
            unreachable.push((region, rest));
        }
    }
    let mut erased = 0;
    // Inner regions last in the list, first to go: their blocks are gone with those around them otherwise.
    for (_, blocks) in unreachable.into_iter().rev() {
        if cx.allows_rule("block") {
            erased += blocks.len() as u64;
            body.erase_blocks(&blocks);
        }
    }
    erased
}

/// What is needed, and what follows from it.
struct Needed<'a> {
    ctx: &'a Context,
    ops: SideTable<OpId, bool>,
    args: SideTable<ValueId, bool>,
    /// The ops that go to each block with operands that are known.
    predecessors: FxHashMap<BlockId, SmallVec<[(OpId, usize); 4]>>,
    work: Vec<Work>,
    dead: Dead,
}

/// What is not needed.
#[derive(Default)]
struct Dead {
    ops: Vec<OpId>,
    args: Vec<(BlockId, usize)>,
}

enum Work {
    Op(OpId),
    Arg(BlockId, usize),
}

fn needed<'a>(body: &Body, cx: &PassCx<'a>) -> Needed<'a> {
    let mut needed = Needed {
        ctx: cx.ctx,
        ops: SideTable::new(false),
        args: SideTable::new(false),
        predecessors: FxHashMap::default(),
        work: Vec::new(),
        dead: Dead::default(),
    };
    let mut ops = body.walk();
    for &op in &ops {
        let view = OpRef::new(cx.ctx, body, op);
        let understood = is_understood(view);
        for (index, &block) in view.successors().iter().enumerate() {
            // Where one is not understood, all arguments are needed.
            match understood {
                true => needed.predecessors.entry(block).or_default().push((op, index)),
                false => body.args(block).iter().for_each(|&arg| needed.value(body, arg)),
            }
        }
        if view.has(Traits::SYMBOL) || !own_effects(view.def(), body, op).erasable() {
            needed.op(op);
        }
    }
    needed.op(body.root());
    needed.follow(body);
    // A debug counter says what is to stay; what it needs stays too.
    for &op in &ops {
        if needed.is_outermost_dead(body, op) && !cx.allows_rule("op") {
            needed.op(op);
            needed.follow(body);
        }
    }
    let mut args = needed.dead_args(body);
    for &(block, index) in &args {
        let arg = body.args(block)[index];
        if !needed.args.get(arg) && !cx.allows_rule("arg") {
            needed.value(body, arg);
            needed.follow(body);
        }
    }
    ops.retain(|&op| !needed.ops.get(op));
    args.retain(|&(block, index)| !needed.args.get(body.args(block)[index]));
    needed.dead = Dead { ops, args };
    needed
}

impl Needed<'_> {
    fn op(&mut self, op: OpId) {
        if !std::mem::replace(self.ops.get_mut(op), true) {
            self.work.push(Work::Op(op));
        }
    }

    fn value(&mut self, body: &Body, value: ValueId) {
        match body.value_def(value) {
            ValueDef::Result(op, _) => self.op(op),
            ValueDef::Arg(block, index) => {
                if !std::mem::replace(self.args.get_mut(value), true) {
                    self.work.push(Work::Arg(block, index));
                }
            }
            ValueDef::Placeholder => {}
        }
    }

    fn follow(&mut self, body: &Body) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Op(op) => self.follow_op(body, op),
                Work::Arg(block, index) => {
                    for (op, successor) in self.predecessors.get(&block).cloned().unwrap_or_default() {
                        self.value(body, forwarded(OpRef::new(self.ctx, body, op), successor, index));
                    }
                }
            }
        }
    }

    fn follow_op(&mut self, body: &Body, op: OpId) {
        body.parent_op(op).into_iter().for_each(|parent| self.op(parent));
        let view = OpRef::new(self.ctx, body, op);
        let handed_on = self.handed_on(view);
        for (index, value) in view.operands().enumerate() {
            // An operand that becomes an argument is needed when the argument is.
            if handed_on.get(index).is_none_or(|arg| arg.is_none_or(|arg| *self.args.get(arg))) {
                self.value(body, value);
            }
        }
        for &region in view.regions() {
            for block in body.blocks(region) {
                let end = body.last_op(block).map(|op| OpRef::new(self.ctx, body, op));
                if let Some(end) = end.filter(|end| end.has(Traits::TERMINATOR) || !end.successors().is_empty()) {
                    self.op(end.id);
                }
            }
        }
    }

    /// For each operand the argument that it becomes; empty when nothing is known of that.
    fn handed_on(&self, view: OpRef<'_>) -> SmallVec<[Option<ValueId>; 4]> {
        if view.successors().is_empty() || !is_understood(view) {
            return SmallVec::new();
        }
        let mut handed_on = SmallVec::from_elem(None, view.operands().len());
        for (successor, &block) in view.successors().iter().enumerate() {
            for (index, &arg) in view.successor_operands(successor).zip(view.body.args(block)) {
                handed_on[index] = Some(arg);
            }
        }
        handed_on
    }

    fn is_outermost_dead(&self, body: &Body, op: OpId) -> bool {
        !self.ops.get(op) && body.parent_op(op).is_none_or(|parent| *self.ops.get(parent))
    }

    /// The arguments that are not needed, without those of entry blocks and of regions that are not needed themselves.
    fn dead_args(&self, body: &Body) -> Vec<(BlockId, usize)> {
        let regions = regions(body).into_iter().filter(|&r| body.region_parent(r).is_none_or(|op| *self.ops.get(op)));
        let blocks = regions.flat_map(|region| body.blocks(region).skip(1));
        let dead = |&(block, index): &(BlockId, usize)| !self.args.get(body.args(block)[index]);
        blocks.flat_map(|block| (0..body.args(block).len()).map(move |index| (block, index))).filter(dead).collect()
    }

    fn erase_others(&self, body: &mut Body, ctx: &Context) -> (u64, u64) {
        let Dead { ops: dead, args } = &self.dead;
        let outermost: Vec<OpId> = dead.iter().copied().filter(|&op| self.is_outermost_dead(body, op)).collect();
        let mut operands: FxHashMap<OpId, SmallVec<[usize; 4]>> = FxHashMap::default();
        for &(block, index) in args {
            for &(op, successor) in self.predecessors.get(&block).into_iter().flatten() {
                let start = OpRef::new(ctx, body, op).successor_operands(successor).start;
                operands.entry(op).or_default().push(start + index);
            }
        }
        // What is dead may use each other in circles, so all uses go before anything else does.
        for (op, indices) in operands {
            erase_operands(ctx, body, op, |index| indices.contains(&index));
        }
        for &op in dead {
            if body.num_operands(op) > 0 {
                body.set_operands(op, &[]);
            }
        }
        for &op in &outermost {
            body.erase_op(op);
        }
        for &(block, index) in args.iter().rev() {
            body.erase_arg(block, index);
        }
        (outermost.len() as u64, args.len() as u64)
    }
}
