//! Reports kernels whose instructions need more registers than a thread has: the assembler keeps the rest in local memory.
//!
//! **Requires**: ptx.
//! **Ensures**: ptx, unchanged. Each entry that needs more is reported.
//!
//! **Before**
//! ```mlir before
//! ptx.func @sum(%x: memref<[2], f32>) -> memref<[1], f32> attributes {target = "sm_80", unverified = "by hand"} {
//!   %y = kernel.output : memref<[1], f32>
//!   entry "sum" (1) threads 1024 shared 0 blocks 2 memory (%x, %y) {
//!   ^bb0(%a: i64, %b: i64):
//!     %v = ld.global.f32 [%a]
//!     %w = ld.global.f32 [%a + 4]
//!     %s = add.rn.f32 %v, %w
//!     st.global.f32 [%b], %s
//!     exit
//!   }
//!   kernel.return %y
//! }
//! ```
//!
//! **After**
//! ```mlir after
//! ptx.func @sum(%x: memref<[2], f32>) -> memref<[1], f32> attributes {target = "sm_80", unverified = "by hand"} {
//!   %y = kernel.output : memref<[1], f32>
//!   entry "sum" (1) threads 1024 shared 0 blocks 2 memory (%x, %y) {
//!   ^bb0(%a: i64, %b: i64):
//!     %v = ld.global.f32 [%a]
//!     %w = ld.global.f32 [%a + 4]
//!     %s = add.rn.f32 %v, %w
//!     st.global.f32 [%b], %s
//!     exit
//!   }
//!   kernel.return %y
//! }
//! ```
//!
//! **Does not** change an instruction, or say how many bytes go to local memory.
//!
//! # How
//! A thread of an entry has what the SM has, divided by the threads that are to fit on it, and at most what an
//! instruction can name. From `setmaxnreg` on it has what that says. After `setmaxnreg.dec` integers that are the same in
//! all threads of a warp are not counted: they have registers of their own, and a warp that only starts copies has hardly
//! anything else. What the instructions need is
//! the most values that are live at once ([`crate::analysis::liveness`]). The assembler orders instructions again, so a block
//! that needs too many is ordered again here, too: from its end, always the instruction that leaves the fewest values to be
//! kept, with what writes memory in its order. Constants need no registers. The assembler's order is between the two: it
//! also wants loads early. The mean of both, and a few registers that are the assembler's own, are compared with what there
//! is. Where the first order needs at most a sixteenth more than there is, the assembler was seen to keep that order, so it
//! alone counts. A kernel without `setmaxnreg` needs a register for each truth value beyond the six that have registers of
//! their own; where roles have their own numbers of registers the assembler was seen to find room for those.
//!
//! The report is a warning (E1615), since what is slow is not wrong. It stands at the tile of the plan, or at the kernel.

use std::fmt;

use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::dominance::successors;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, RegionId, ValueId};
use dlc_plan::places::place_of;
use dlc_ptx::inst::{Arg, Inst, row};
use dlc_ptx::ops::Entry;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::liveness::{Liveness, registers};
use crate::analysis::plans::plan_loc;

mod order;
mod uniform;

use uniform::varying;

static DEF: PassDef = PassDef {
    on: On::Op("ptx.func"),
    requires: &["ptx"],
    consults: &["plan"],
    reads_symbols: true,
    statistics: &[StatDef { name: "over", doc: "Entries that need more registers than a thread has." }],
    ..PassDef::base("check-registers", "Reports kernels that need more registers than a thread has.", create)
};
dlc_ir::inventory::submit! { &DEF }

dlc_ir::codes! {
    /// The instructions of a kernel need more registers than a thread has.
    REGISTERS = "E1615" "TooManyRegistersLive";
}

/// The registers of an SM, and the most of a thread, of every machine that dlc knows (CUDA C++ Programming Guide,
/// technical specifications).
const PER_SM: i64 = 65536;
const PER_THREAD: i64 = 255;

/// The truth values that a thread keeps in registers of their own; others take 32-bit registers.
const TRUTH_VALUES: i64 = 6;

/// The registers that the assembler takes for itself.
const OWN: i64 = 4;

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(CheckRegisters))
}

struct CheckRegisters;

impl Pass for CheckRegisters {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        for op in body.walk() {
            let Some(entry) = Entry::of(OpRef::new(cx.ctx, body, op)) else { continue };
            let threads = entry.threads() * entry.blocks().unwrap_or(1);
            let at_start = (PER_SM / threads.max(1) / 8 * 8).min(PER_THREAD);
            let Some(needs) = most_over(cx, body, body.regions(op)[0], at_start) else { continue };
            cx.remark(RemarkKind::Analysis, body.loc(op), format!("'{}' {needs}", entry.name()));
            let Needs { limit, .. } = needs;
            let needed = needs.estimate();
            if needed <= limit {
                continue;
            }
            cx.count("over", 1);
            let message = format!(
                "'{}' needs about {needed} registers a thread, and there are {limit}: the rest may go to local memory",
                entry.name()
            );
            let hint = "smaller tiles, more threads, or fewer 'blocks_per_sm' leave more for each value";
            // Where a text says how large the tile is, that is what to change.
            let plan = plan_loc(cx, body);
            let clauses = ["registers", "blocks_per_sm", "tile"];
            let place = plan.and_then(|plan| clauses.iter().find_map(|clause| place_of(cx.ctx, plan, clause)));
            let warning = Diagnostic::warning(&REGISTERS, place.unwrap_or(body.loc(op)), message);
            let warning = warning.at(Entry::DEF.name).suggest(hint);
            cx.diags.emit(if place.is_some() { warning.note(body.loc(op), "the kernel is here") } else { warning });
        }
        Ok(())
    }
}

/// What the values of a block need, in registers of a thread.
#[derive(Clone, Copy)]
struct Needs {
    /// In the order in which the instructions stand.
    most: i64,
    /// In an order that keeps few values, where the other one needs more than there are.
    fewest: Option<i64>,
    /// Those that there are.
    limit: i64,
}

impl Needs {
    /// What the assembler is taken to need.
    fn estimate(self) -> i64 {
        match self.fewest {
            Some(fewest) if self.most - self.limit > self.limit / 16 => (self.most + fewest) / 2,
            _ => self.most,
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Needs { most, fewest, limit } = *self;
        write!(f, "keeps values in {most} of {limit} registers of a thread")?;
        fewest.map_or(Ok(()), |fewest| write!(f, ", or in {fewest} if its instructions are reordered"))
    }
}

/// What the block needs which lacks most. `None` where there is no block.
fn most_over(cx: &PassCx<'_>, body: &Body, region: RegionId, at_start: i64) -> Option<Needs> {
    let ctx = cx.ctx;
    let limits = limits(cx, body, region, at_start);
    let all = |value| registers(ctx, body.value_type(value));
    let gives_back = limits.iter().any(|(_, limit)| limit.is_less);
    let has_roles = limits.iter().any(|(_, limit)| limit.count != at_start);
    let varying = if gives_back { varying(ctx, body, region) } else { FxHashSet::default() };
    let own = |value| if varying.contains(&value) { all(value) } else { 0 };
    let needs = [(false, &all as &dyn Fn(ValueId) -> i64), (true, &own)].map(|(is_less, count)| {
        let here = limits.iter().filter(|(_, limit)| limit.is_less == is_less);
        let mut here = here.map(|(block, limit)| (*block, limit.count)).peekable();
        here.peek()?;
        let liveness = Liveness::counting(body, region, count);
        let with_truth = (!has_roles).then(|| Liveness::counting(body, region, |value| count(value).max(1)));
        let of = |(block, limit): (BlockId, i64)| {
            let truth = with_truth.as_ref().map_or(0, |all| all.most_registers(block) - TRUTH_VALUES);
            let most = liveness.most_registers(block).max(truth) + OWN;
            let fewest = || order::fewest(ctx, body, block, &liveness, count).saturating_add(OWN).min(most);
            Needs { most, fewest: (most > limit).then(fewest), limit }
        };
        here.map(of).max_by_key(|needs| needs.estimate() - needs.limit)
    });
    needs.into_iter().flatten().max_by_key(|needs| needs.estimate() - needs.limit)
}

/// The registers of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Limit {
    count: i64,
    /// Whether the thread gave some back.
    is_less: bool,
}

/// The most registers that a thread has in each block: what it started with, or what the last `setmaxnreg` gave it.
fn limits(cx: &PassCx<'_>, body: &Body, region: RegionId, at_start: i64) -> Vec<(BlockId, Limit)> {
    let mut limits: FxHashMap<BlockId, Limit> = FxHashMap::default();
    let first = body.blocks(region).next().map(|first| (first, Limit { count: at_start, is_less: false }));
    let mut work: Vec<(BlockId, Limit)> = first.into_iter().collect();
    while let Some((block, limit)) = work.pop() {
        let given = body.ops(block).filter_map(|op| given(OpRef::new(cx.ctx, body, op))).last();
        let most = given.unwrap_or(limit);
        if limits.get(&block).is_some_and(|&known| known >= most) {
            continue;
        }
        limits.insert(block, most);
        work.extend(successors(body, block).map(|to| (to, most)));
    }
    body.blocks(region).filter_map(|block| Some((block, *limits.get(&block)?))).collect()
}

/// The registers that each thread has after a `setmaxnreg`.
fn given(op: OpRef<'_>) -> Option<Limit> {
    let (_, modifiers) = row(op).filter(|(row, _)| row.name == "setmaxnreg")?;
    match Inst::of(op).ok()?.args.first()? {
        Arg::Int(number) => Some(Limit { count: *number, is_less: modifiers.starts_with("dec") }),
        _ => None,
    }
}
