//! Whether two blocks, or two groups of a role, write the same element of global memory: then what is there depends on
//! which comes last.
//!
//! An element that is written twice is a point of the set of integers in which two blocks differ and the positions are the
//! same. There are three answers. No point: the writes are disjoint. A point, and all that holds is in the set: an error.
//! Neither is shown, as where positions are not affine: then two blocks of [some launches](super::witness) are tried, and
//! else the write is counted as open, unless blocks also read the memory or wait for each other, where all writes must be
//! disjoint.
//!
//! Most stores are shown to be disjoint by [`differences`](super::differences), which is faster and sees more.

use std::rc::Rc;

use dlc_core::memref;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::op::Traits;
use dlc_ir::{OpId, OpRef, ValueId};
use dlc_kernel::ops;
use rustc_hash::FxHashSet;

use super::super::not_all_run;
use super::differences::{Differences, Integers};
use super::sites::{Pair, Var, group_of};
use super::witness::Sizes;
use super::{Access, Blocks, Fault, UNORDERED_BLOCKS};

/// So many pairs of writes are compared, which takes a second.
const MOST_PAIRS: u32 = 1 << 18;

/// How many writes of a grid are disjoint from those of all other blocks.
#[derive(Default, Debug)]
pub struct Writes {
    /// Those that are shown to be.
    pub disjoint: u64,
    /// Those that are not.
    pub open: Vec<OpId>,
}

/// What is known of two writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Overlap {
    Never,
    Unknown,
    PipelinedLoop,
}

impl<'a> Blocks<'a> {
    /// Errors: two blocks or groups are shown to write the same element, or are not shown to write others where that
    /// matters to what they read; or there are too many writes to compare.
    ///
    /// Where that cannot be decided for all launches, it is for two blocks of some.
    pub fn writes(&self, launches: &[Rc<Sizes>]) -> Result<Writes, Fault> {
        let is_read = |memory: ValueId| self.accesses.iter().any(|access| !access.writes && access.memory == memory);
        let writes: Vec<&Access<'a>> = self.accesses.iter().filter(|access| access.writes).collect();
        let mut integers = Integers::of(self.grid, &self.ops);
        let (mut known, mut pairs) = (vec![Overlap::Never; writes.len()], 0);
        for (at, first) in writes.iter().enumerate() {
            let must = !self.flags.is_empty() || is_read(first.memory);
            let others = writes.iter().enumerate().skip(at);
            for (other, second) in others.filter(|(_, second)| second.memory == first.memory) {
                // Whichever comes last, the result is the same but for rounding.
                if first.combines && second.combines {
                    continue;
                }
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return Err(not_all_run(*self.grid, "too many writes would have to be compared with each other"));
                }
                let (overlap, who) = match must {
                    true => (self.is_ordered(first, second), "block"),
                    false => self.overlap(&mut integers, [first, second], launches),
                };
                if overlap == Overlap::PipelinedLoop {
                    let name = self.name(first.memory);
                    let message = match must {
                        true => format!("writes to {name}, where another {who} may write as well"),
                        false => format!("writes to {name}, where another {who} writes as well"),
                    };
                    let suggestion = format!("let each {who} write elements of its own");
                    let fault = self.fault(&UNORDERED_BLOCKS, second.op, message, &suggestion);
                    return Err(Box::new(fault.note(first.op.loc(), "the other one writes here")));
                }
                known[at] = known[at].max(overlap);
                known[other] = known[other].max(overlap);
            }
        }
        let is_open = |(write, known): (&&Access<'a>, &Overlap)| (*known == Overlap::Unknown).then_some(write.op.id);
        let open: Vec<OpId> = writes.iter().zip(&known).filter_map(is_open).collect();
        Ok(Writes { disjoint: (writes.len() - open.len()) as u64, open })
    }

    /// In a grid whose blocks wait for each other, with the tickets that tell them apart.
    fn is_ordered(&self, first: &Access<'a>, second: &Access<'a>) -> Overlap {
        let touching = self.touching(first, second);
        let others = self.for_others(first.op, second.op, |differs| {
            let mut pair = touching.clone();
            pair.differ(differs);
            match pair.is_impossible() {
                true => Ok(()),
                false => Err(self.fault(&UNORDERED_BLOCKS, second.op, String::new(), "")),
            }
        });
        if others.is_ok() { Overlap::Never } else { Overlap::PipelinedLoop }
    }

    /// What is known of two writes of different blocks, or of different groups of a role; and of which of the two.
    fn overlap(
        &self,
        integers: &mut Integers,
        [first, second]: [&Access<'a>; 2],
        launches: &[Rc<Sizes>],
    ) -> (Overlap, &'static str) {
        if first.op.id == second.op.id && self.is_same_for_all(first.op) {
            return (Overlap::Never, "block");
        }
        let ways: &[bool] = if first.op.id == second.op.id { &[true] } else { &[true, false] };
        let axes = 0..self.grid.dims().len();
        let blocks: Vec<(Var, bool)> =
            axes.flat_map(|axis| ways.iter().map(move |&less| (Var::Block(axis), less))).collect();
        let mut known = Overlap::Never;
        // Most often it follows from the positions alone.
        let same = Differences::of(self, integers, [first, second]);
        let mut touching = None;
        let mut overlap = |differs: (Var, bool)| {
            let Var::Block(axis) = differs.0 else { return Overlap::Unknown };
            if same.as_ref().is_none_or(|same| same.is_zero_block(axis)) {
                return Overlap::Never;
            }
            let touching = touching.get_or_insert_with(|| {
                let mut touching = self.touching(first, second);
                self.in_bounds(&mut touching, first);
                touching
            });
            overlap_of(touching, differs)
        };
        for differs in blocks {
            known = known.max(overlap(differs));
        }
        if known == Overlap::Unknown && self.blocks_meet(first, second, launches) {
            known = Overlap::PipelinedLoop;
        }
        if known == Overlap::PipelinedLoop {
            return (known, "block");
        }
        let role = self.role(first.op).filter(|role| role.groups() > 1 && self.same_thread_group(first.op, second.op));
        if let Some(role) = role {
            let mut touching = self.touching(first, second);
            self.in_bounds(&mut touching, first);
            self.same_block(&mut touching);
            let meet = match touching.is_exact() {
                true => {
                    ways.iter().any(|&less| overlap_of(&touching, (group_of(role), less)) == Overlap::PipelinedLoop)
                }
                false => self.groups_meet(role, first, second, launches),
            };
            if meet {
                return (Overlap::PipelinedLoop, "group");
            }
        }
        (known, "block")
    }

    /// Whether all blocks and groups do the same: what an op reads is computed from what the launch gives them.
    fn is_same_for_all(&self, op: OpRef<'a>) -> bool {
        let body = self.grid.body;
        let mut waiting: Vec<ValueId> = op.operands().collect();
        let mut seen = FxHashSet::default();
        while let Some(value) = waiting.pop() {
            let id = match body.value_def(value) {
                ValueDef::Result(id, _) => id,
                ValueDef::Arg(block, _) if Some(block) == body.block_of(self.grid.id) => continue,
                _ => return false,
            };
            if !seen.insert(id) || body.block_of(id) == body.block_of(self.grid.id) {
                continue;
            }
            let made = OpRef { id, ..op };
            let is_own = ops::BlockId::of(made).is_some() || ops::BlockRank::of(made).is_some();
            let reads = ops::Load::of(made).map(|load| load.source());
            let is_written = |memory| self.accesses.iter().any(|access| access.writes && access.memory == memory);
            let is_pure = made.def().traits.has(Traits::PURE);
            let is_followed = made.regions().is_empty() && (is_pure || reads.is_some_and(|from| !is_written(from)));
            if is_own || !is_followed {
                return false;
            }
            waiting.extend(made.operands());
        }
        true
    }

    /// What a write touches is there: beyond the ends of its memory TMA writes nothing.
    pub(super) fn in_bounds(&self, pair: &mut Pair<'a>, access: &Access<'a>) {
        let at: Vec<_> = access.at.iter().map(|at| pair.expr(0, at, &access.args)).collect();
        let shaped = memref::shaped(self.grid.ctx, self.grid.body.value_type(access.memory));
        let dims = shaped.map_or_else(Vec::new, |(dims, _)| dims);
        // Axes that are counted as one are as long as all of them together.
        let ones = vec![1; dims.len()];
        let mut rest = dims.iter();
        let counts = access.merged.as_deref().unwrap_or(&ones).iter();
        // Beyond 64 bits it is not known.
        let product = |count: &i64| {
            let own = rest.by_ref().take(usize::try_from(*count).unwrap_or(0));
            own.map(|dim| Some(dim.clone())).reduce(|all, dim| all?.mul(&dim?).ok()).flatten()
        };
        let dims: Vec<SizeExpr> = counts.map_while(product).collect();
        pair.is_complete &= at.len() == dims.len() && rest.next().is_none();
        for (at, dim) in at.into_iter().zip(&dims) {
            let dim = pair.expr(0, dim, &[]);
            if let (Some(at), Some(dim)) = (at, dim) {
                pair.at_most(&AffineExpr::Constant(0), &at, 0);
                pair.at_most(&at, &dim, -1);
            } else {
                pair.is_complete = false;
            }
        }
    }
}

fn overlap_of(pair: &Pair<'_>, differs: (Var, bool)) -> Overlap {
    let mut pair = pair.clone();
    pair.differ(Some(differs));
    match pair.has_point() {
        Some(false) => Overlap::Never,
        Some(true) => Overlap::PipelinedLoop,
        None => Overlap::Unknown,
    }
}
