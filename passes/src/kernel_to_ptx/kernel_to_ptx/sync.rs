//! Barriers, mbarriers, fences, and what is waited for.

use dlc_ir::{OpId, OpRef, Type, ValueId};
use dlc_kernel::ops::{self as kernel, Arrivals};
use dlc_kernel::types::MBarrier;
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::Cond;
use super::lower::Lower;
use super::values::{LONG_AGO, Lowered};

/// The most groups that `wgmma.wait_group` may leave.
const MOST_PENDING: u64 = 7;

/// How mbarriers are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// Where none were.
    Once,
    /// The same, for a loop that makes them again.
    Before,
    /// Where there are some.
    Again,
}

impl<'a, 'c: 'a> Lower<'a, 'c> {
    pub fn sync(&mut self, op: OpRef<'a>) -> Result<bool, Refused> {
        if let Some(op) = kernel::Barrier::of(op) {
            self.barrier(op.id(), op.threads())?;
        } else if kernel::WarpSync::of(op).is_some() {
            self.code.act(&table::BAR_WARP, "sync", &[Arg::Int(-1)]);
        } else if let Some(op) = kernel::BarrierArrive::of(op) {
            let id = self.index32(op.id())?;
            self.code.act(&table::BAR, "arrive", &[id, Arg::Int(op.threads())]);
        } else if kernel::ClusterBarrier::of(op).is_some() {
            self.code.act(&table::BARRIER_CLUSTER, "arrive.release.aligned", &[]);
            self.code.act(&table::BARRIER_CLUSTER, "wait.acquire.aligned", &[]);
        } else if kernel::GridRelease::of(op).is_some() {
            self.code.act(&table::GRIDDEPCONTROL, "launch_dependents", &[]);
        } else if kernel::GridWait::of(op).is_some() {
            self.code.act(&table::GRIDDEPCONTROL, "wait", &[]);
        } else if let Some(op) = kernel::MBarriers::of(op) {
            self.mbarriers(op)?;
        } else if let Some(op) = kernel::Wait::of(op) {
            let at = self.mbarrier(op.barrier(), op.stage())?;
            let parity = self.index32(op.parity())?;
            self.wait_for(at, parity);
        } else if let Some(op) = kernel::Expect::of(op) {
            let at = self.mbarrier(op.barrier(), op.stage())?;
            let first = self.first_thread();
            let args = [at.0, Arg::Int(at.1), Arg::Int(op.bytes())];
            self.code.guarded(first, &table::MBARRIER_ARRIVE, "expect_tx.shared::cta.b64", &args, &[]);
        } else if let Some(op) = kernel::Arrive::of(op) {
            self.arrive(op)?;
        } else if kernel::FenceAsync::of(op).is_some() {
            self.code.act(&table::FENCE, "proxy.async.shared::cta", &[]);
        } else if let Some(op) = kernel::Await::of(op) {
            self.wait_tokens(op.tokens().collect(), false)?;
        } else if let Some(op) = kernel::AwaitRead::of(op) {
            self.wait_tokens(op.tokens().collect(), true)?;
        } else if let Some(op) = kernel::Done::of(op) {
            self.set(op.out(), Lowered::Token(0));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn barrier(&mut self, id: Option<ValueId>, threads: Option<i64>) -> Result<(), Refused> {
        if let Some(id) = id {
            let id = self.index32(id)?;
            let threads = threads.unwrap_or(i64::from(self.thread_group.warps) * 32);
            self.code.act(&table::BAR, "sync", &[id, Arg::Int(threads)]);
        } else {
            self.meet();
        }
        Ok(())
    }

    /// The threads that are here wait for each other.
    pub fn meet(&mut self) {
        let thread_group = self.thread_group;
        if thread_group.single {
            return;
        }
        if thread_group.warps == 1 && self.threads > 32 {
            self.code.act(&table::BAR_WARP, "sync", &[Arg::Int(-1)]);
            return;
        }
        let Some(barrier) = thread_group.barrier else {
            unreachable!("threads that meet have the number of a barrier")
        };
        match thread_group.warps * 32 == self.threads {
            true => self.code.act(&table::BAR, "sync", &[barrier]),
            false => self.code.act(&table::BAR, "sync", &[barrier, Arg::Int(i64::from(thread_group.warps) * 32)]),
        }
    }

    /// All mbarriers of a block of ops, at the first of them: one thread makes them. In a loop each has its own place: what
    /// was done with the one before is over there, and not where others are made.
    fn mbarriers(&mut self, op: kernel::MBarriers<'a>) -> Result<(), Refused> {
        if self.is_in_loop(op.id) {
            return self.make_mbarriers(&[op], Makes::Again);
        }
        let block = self.kernel.block_of(op.id);
        let ops = block.map_or_else(Vec::new, |block| self.kernel.ops(block).collect());
        let all: Vec<_> = ops.into_iter().filter_map(|id| kernel::MBarriers::of(self.at(id))).collect();
        match all.first().is_some_and(|first| first.id != op.id) {
            true => Ok(()),
            false => self.make_mbarriers(&all, Makes::Once),
        }
    }

    /// Before a loop: makes the mbarriers that are made in it, so that there are some to end each time that new ones are
    /// made.
    pub fn prepare_mbarriers(&mut self, loop_: OpId) -> Result<(), Refused> {
        if self.is_in_loop(loop_) {
            return Ok(());
        }
        let mut inner = Vec::new();
        self.kernel.walk_regions(loop_, &mut inner);
        let all: Vec<_> = inner.into_iter().filter_map(|id| kernel::MBarriers::of(self.at(id))).collect();
        if all.is_empty() { Ok(()) } else { self.make_mbarriers(&all, Makes::Before) }
    }

    fn is_in_loop(&self, op: OpId) -> bool {
        let mut around = std::iter::successors(self.kernel.parent_op(op), |&id| self.kernel.parent_op(id));
        around.any(|id| kernel::For::of(self.at(id)).is_some())
    }

    fn make_mbarriers(&mut self, all: &[kernel::MBarriers<'a>], makes: Makes) -> Result<(), Refused> {
        let mut inits = Vec::new();
        for op in all {
            let Some(&place) = self.places.barriers.get(&op.id) else {
                return Err(Refused::new("the barriers have no place"));
            };
            let count = MBarrier::expect(self.ctx(), self.kernel.value_type(op.out())).count(self.ctx());
            if makes != Makes::Before {
                let base = self.code.add(self.smem, Arg::Int(place.into()));
                self.set(op.out(), Lowered::Barriers(base));
            }
            inits.extend((0..count).map(|number| (i64::from(place) + 8 * number, op.arrivals())));
        }
        // The others go around all of it, instead of through instructions that are nothing for them.
        let (inside, following) = (self.code.new_block(&[]), self.code.new_block(&[]));
        let first = self.first_thread();
        self.code.bra_if(first, (inside, &[]), (following, &[]));
        self.code.start(inside);
        self.code.open();
        for (at, arrivals) in inits {
            if makes == Makes::Again {
                self.code.act(&table::MBARRIER_INVAL, "shared::cta.b64", &[self.smem, Arg::Int(at)]);
            }
            let args = [self.smem, Arg::Int(at), Arg::Int(arrivals)];
            self.code.act(&table::MBARRIER_INIT, "shared::cta.b64", &args);
        }
        // TMA and other blocks see them after the next barrier.
        self.code.act(&table::FENCE, "mbarrier_init.release.cluster", &[]);
        self.code.close();
        self.code.bra(following, &[]);
        self.code.start(following);
        Ok(())
    }

    /// The address of an mbarrier: a register, and a number.
    pub fn mbarrier(&mut self, barriers: ValueId, stage: Option<ValueId>) -> Result<(Arg, i64), Refused> {
        let base = match self.value(barriers)? {
            &Lowered::Barriers(base) => base,
            _ => return Err(Refused::new("mbarriers are wanted")),
        };
        let at = match stage {
            Some(stage) => {
                let stage = self.index32(stage)?;
                let offset = self.code.mul(stage, Arg::Int(8));
                self.code.add(base, offset)
            }
            None => base,
        };
        Ok((Arg::Value(self.code.register(at, Type::I32)), 0))
    }

    /// Asks until the phase has ended.
    fn wait_for(&mut self, at: (Arg, i64), parity: Arg) {
        let (again, following) = (self.code.new_block(&[]), self.code.new_block(&[]));
        let parity = Arg::Value(self.code.register(parity, Type::I32));
        self.code.bra(again, &[]);
        self.code.start(again);
        let args = [at.0, Arg::Int(at.1), parity];
        let ended = self.code.inst(&table::MBARRIER_TRY_WAIT, "parity.shared::cta.b64", &args);
        self.code.bra_if(Cond::If(ended), (following, &[]), (again, &[]));
        self.code.start(following);
    }

    fn arrive(&mut self, op: kernel::Arrive<'a>) -> Result<(), Refused> {
        let (at, offset) = self.mbarrier(op.barrier(), op.stage())?;
        let here = match op.by() {
            _ if self.thread_group.single => Cond::Known(true),
            Arrivals::One => self.first_thread(),
            Arrivals::Warp => self.code.compare("eq", self.thread_group.lane, Arg::Int(0)),
            Arrivals::Thread => Cond::Known(true),
        };
        match op.rank() {
            Some(rank) => {
                let rank = self.index32(rank)?;
                let rank = Arg::Value(self.code.register(rank, Type::I32));
                let there = self.code.inst(&table::MAPA, "shared::cluster.u32", &[at, rank]);
                let args = [there.into(), Arg::Int(offset)];
                self.code.guarded(here, &table::MBARRIER_ARRIVE, "shared::cluster.b64", &args, &[]);
            }
            None => {
                self.code.guarded(here, &table::MBARRIER_ARRIVE, "shared::cta.b64", &[at, Arg::Int(offset)], &[]);
            }
        }
        Ok(())
    }

    /// Waits for the work of tokens: as many groups as have been begun since may be left.
    fn wait_tokens(&mut self, tokens: Vec<ValueId>, reads: bool) -> Result<(), Refused> {
        let mut left: [Option<u64>; 3] = [None; 3];
        for token in tokens {
            let (work, pending) = self.pending(token)?;
            if pending < LONG_AGO {
                let least = left[work].unwrap_or(pending).min(pending);
                left[work] = Some(least);
            }
        }
        for (work, left) in left.into_iter().enumerate() {
            let Some(left) = left else { continue };
            match work {
                0 => self.code.act(&table::CP_ASYNC_WAIT, "", &[Arg::Int(left.min(64) as i64)]),
                1 => self.code.act(&table::WGMMA_WAIT, "sync.aligned", &[Arg::Int(left.min(MOST_PENDING) as i64)]),
                _ => {
                    let modifiers = if reads { "read" } else { "" };
                    self.code.act(&table::BULK_WAIT, modifiers, &[Arg::Int(left.min(64) as i64)]);
                }
            }
        }
        Ok(())
    }
}
