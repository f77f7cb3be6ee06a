//! Barriers, tokens, and what must be over at the end.
//!
//! A barrier is used rightly if no other order of the warps could have one of them arrive in another phase, or pass in
//! another phase: whoever arrives knows that the phase before has completed, and a phase completes only when all who
//! waited for the one before it are known to have passed.

use dlc_kernel::ops::Arrivals;

use super::clocks::{ALL, FENCED, ONE, Plan, join, raise};
use super::exprs::UNKNOWN;
use super::machine::{Machine, NAMED, Remote, Stop, Subject};
use super::program::{BarrierAt, COMPUTE, EPILOGUE, Instr, LOAD};
use super::{
    ARRIVAL_MISMATCH, BARRIER_MISMATCH, BYTE_MISMATCH, DEADLOCK, ENDS_TOO_EARLY, FOREIGN_TOKEN, NOT_AWAITED,
    NOT_CHECKED, OVERWRITTEN, PHASE_MISMATCH, READ_TOO_EARLY,
};

/// A token: the model thread that began the work, and the ticket.
pub fn token(model_thread: usize, ticket: u32) -> i64 {
    (model_thread as i64) << 32 | i64::from(ticket)
}

/// What is done with registers that a product may still write.
pub const READS: &str = "reads registers that a matrix product may still write";
const MOVES: &str = "moves or overwrites registers that a matrix product may still use";

impl Machine<'_> {
    /// Runs an instruction that others can notice. Whether it need not wait.
    pub fn event(&mut self, a: usize, instr: &Instr) -> Result<bool, Stop> {
        let single = self.program.at[self.model_threads[a].pc as usize].1;
        self.model_threads[a].time += 1;
        if !matches!(instr, Instr::TmaLoad { .. } | Instr::Slice { .. })
            && let Some(doubt) = self.model_threads[a].doubt.take()
        {
            return Err(doubt);
        }
        match instr {
            Instr::Fork(role) => self.fork(a, *role),
            Instr::Barriers { first, count } => {
                let base = self.model_threads[a].block * self.program.arrivals.len() + *first as usize;
                for index in base..base + *count as usize {
                    self.make_barrier(a, index)?;
                }
            }
            Instr::Wait { barrier, parity } => return self.wait(a, *barrier, *parity, single),
            Instr::Expect { barrier, bytes } => {
                let at = self.barrier(a, *barrier, None, single)?;
                self.barriers[at].expected += bytes;
                self.note(a, Subject::Barrier(at), |machine| {
                    format!("expects {bytes} bytes at {}, and arrives", machine.barrier_name(at))
                });
                // Whoever expects too early mostly copies too early as well, which says more.
                if let Err(fault) = self.arrive(a, at, 1, Arrivals::One, single) {
                    self.model_threads[a].doubt = Some(fault);
                }
            }
            Instr::Arrive { barrier, rank, by } => {
                let rank = rank.map(|slot| self.model_threads[a].slots[slot as usize]);
                let at = self.barrier(a, *barrier, rank, single)?;
                let warps = self.model_threads[a].warps;
                let (count, by) = match by {
                    _ if single => (1, Arrivals::One),
                    Arrivals::One => (1, Arrivals::One),
                    Arrivals::Warp => (warps, Arrivals::Warp),
                    Arrivals::Thread => (32 * warps, Arrivals::Thread),
                };
                self.note(a, Subject::Barrier(at), |machine| format!("{count} arrive at {}", machine.barrier_name(at)));
                self.remote(a, at / self.program.arrivals.len());
                self.arrive(a, at, count, by, single)?;
            }
            Instr::Meet => self.meet(a),
            Instr::MeetLanes => self.meet_lanes(a),
            Instr::GridWait => self.grid_wait(a, single),
            Instr::Global { memory, writes } => self.global(a, *memory, *writes, single)?,
            Instr::Named { id, threads, waits } => {
                let id = self.model_threads[a].slots[*id as usize];
                let Some(id) = usize::try_from(id).ok().filter(|&id| id < NAMED) else {
                    let message = match id {
                        UNKNOWN => "the number of the barrier does not follow from sizes and positions".to_owned(),
                        _ => format!("a block has the barriers 0 to 15, and none of number {id}"),
                    };
                    return Err(self.fault(&BARRIER_MISMATCH, a, message, "take one of 1 to 15", vec![]));
                };
                return self.named(a, self.model_threads[a].block * NAMED + id, *threads, *waits);
            }
            Instr::Cluster => {
                let threads = i64::from(self.program.warps) * 32 * self.blocks.len() as i64;
                return self.named(a, self.named.len() - 1, threads, true);
            }
            Instr::Fence => self.fence(a, single),
            Instr::Await { kind, tokens } => {
                for slot in tokens {
                    self.await_(a, *kind, self.model_threads[a].slots[*slot as usize], single)?;
                }
            }
            Instr::Use(frags) => {
                for slot in frags {
                    self.use_(a, self.model_threads[a].slots[*slot as usize], READS)?;
                }
            }
            Instr::Moved(frags) => {
                for slot in frags {
                    self.use_(a, self.model_threads[a].slots[*slot as usize], MOVES)?;
                }
            }
            _ => self.memory(a, instr, single)?,
        }
        Ok(true)
    }

    /// The grids before this one have ended, for all threads that are here.
    fn grid_wait(&mut self, a: usize, single: bool) {
        let mut ended = vec![0; self.plan.len()];
        ended[self.plan.grid] = 1;
        self.learn(a, single, &ended);
    }

    /// Memory is touched that a grid before this one may touch.
    fn global(&mut self, a: usize, memory: u32, writes: bool, single: bool) -> Result<(), Stop> {
        if self.clock(a, single)[self.plan.grid] > 0 {
            return Ok(());
        }
        let name = self.name(memory);
        let (code, message) = match writes {
            true => (&OVERWRITTEN, format!("writes to {name}, which a grid before this one may still use")),
            false => (&READ_TOO_EARLY, format!("reads {name}, which a grid before this one may still write")),
        };
        let suggestion = match writes {
            true => "put 'grid_wait' before it",
            false => "put 'grid_wait' before it, or mark an argument that no such grid writes: '{constant}'",
        };
        Err(self.fault(code, a, message, suggestion, vec![]))
    }

    /// An mbarrier is made. It may be made again when all that was done with it is known to be over; then it begins again.
    fn make_barrier(&mut self, a: usize, index: usize) -> Result<(), Stop> {
        let barrier = &self.barriers[index];
        if let Some((maker, made)) = barrier.made {
            let knows = |&(model_thread, time): &(usize, u32)| self.knows(a, false, model_thread, ALL, time);
            let is_idle = barrier.arrived == 0 && barrier.issued == barrier.expected;
            let is_known = self.phases_known(a, false, index) == barrier.phase;
            if !is_idle || !is_known || !barrier.waits.iter().all(knows) || !self.knows(a, false, maker, ONE, made) {
                let name = self.barrier_name(index);
                let message = match is_idle {
                    true => format!("makes {name} again, and others may still wait for it"),
                    false => format!("makes {name} again within a phase of it"),
                };
                let suggestion = "put 'mbarriers' before the loop, or a 'barrier' after the last wait";
                return Err(self.fault(&PHASE_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)]));
            }
        }
        let time = self.model_threads[a].time;
        let barrier = &mut self.barriers[index];
        barrier.made = Some((a, time));
        barrier.phase = barrier.phase.next_multiple_of(2);
        barrier.base = barrier.phase;
        barrier.waits.clear();
        Ok(())
    }

    /// The number of an mbarrier, of the block itself or one of the cluster, which the model thread must know to be made.
    pub fn barrier(&self, a: usize, at: BarrierAt, rank: Option<i64>, single: bool) -> Result<usize, Stop> {
        let model_thread = &self.model_threads[a];
        let stage = self.stage(a, at.stage, at.count.into(), at.name)?;
        let block = match rank {
            None => model_thread.block,
            Some(rank) => match usize::try_from(rank).ok().filter(|&rank| rank < self.blocks.len()) {
                Some(block) => block,
                None => {
                    let message = format!("the cluster has {} blocks, and none of number {rank}", self.blocks.len());
                    return Err(self.fault(&ARRIVAL_MISMATCH, a, message, "arrive at a block of the cluster", vec![]));
                }
            },
        };
        let base = model_thread.slots[at.base as usize];
        let index = block * self.program.arrivals.len() + base as usize + stage as usize;
        let known = self.barriers[index].made.is_some_and(|(maker, time)| self.knows(a, single, maker, ONE, time));
        if !known {
            let message = format!("{} is used, and may not be made yet", self.barrier_name(index));
            let suggestion = match block == model_thread.block {
                true => "put a 'barrier' after 'mbarriers'",
                false => "put a 'cluster_barrier' after 'mbarriers'",
            };
            return Err(self.fault(&READ_TOO_EARLY, a, message, suggestion, vec![]));
        }
        Ok(index)
    }

    /// Whether a model thread knows that another one, or all its warps, or its writes through a fence, have come so far.
    pub fn knows(&self, a: usize, single: bool, of: usize, part: usize, time: u32) -> bool {
        let model_thread = &self.model_threads[a];
        if a != of {
            let clock = self.clock(a, single);
            let known = clock[Plan::thread_group(of, part)];
            return known >= time || part == ONE && clock[Plan::thread_group(of, ALL)] >= time;
        }
        // Its threads may also know of each other by what they have waited for.
        if self.clock(a, single)[Plan::thread_group(of, part)] >= time {
            return true;
        }
        match part {
            FENCED if model_thread.solo || !single => model_thread.fenced >= time,
            FENCED => model_thread.fenced.max(model_thread.fenced_one) >= time,
            _ if model_thread.solo => true,
            ONE if single => true,
            _ => model_thread.synced >= time,
        }
    }

    /// An mbarrier in words.
    pub fn barrier_name(&self, index: usize) -> String {
        let (block, within) = (index / self.program.arrivals.len(), index % self.program.arrivals.len());
        let (name, number) = self.program.barriers[within];
        let mut text = self.name(name).to_owned();
        if let Some(number) = number {
            text += &format!("[{number}]");
        }
        if self.blocks.len() > 1 {
            text += &format!(" of block {block}");
        }
        text
    }

    pub fn phases_known(&self, a: usize, single: bool, index: usize) -> u32 {
        // Whoever uses it knows that it was made, and that nothing was left of it.
        self.clock(a, single)[self.plan.mbarriers + index].max(self.barriers[index].base)
    }

    fn wait(&mut self, a: usize, at: BarrierAt, parity: u32, single: bool) -> Result<bool, Stop> {
        let index = self.barrier(a, at, None, single)?;
        let parity = self.model_threads[a].slots[parity as usize];
        if !matches!(parity, 0 | 1) {
            let message = match parity {
                UNKNOWN => "the parity does not follow from sizes and positions".to_owned(),
                _ => format!("a parity is 0 or 1, not {parity}"),
            };
            return Err(self.fault(&PHASE_MISMATCH, a, message, "take it from 'advance', or 'mod 2'", vec![]));
        }
        let known = self.phases_known(a, single, index);
        let wanted = if i64::from(known % 2) == parity { known + 1 } else { known };
        let barrier = &self.barriers[index];
        if barrier.phase < wanted {
            return Ok(false);
        }
        if barrier.phase > wanted {
            let name = self.barrier_name(index);
            let message = match wanted.checked_sub(1 + barrier.base) {
                Some(phase) => format!(
                    "waits for the end of phase {phase} of {name}, and the phase after it may have ended before: then parity {parity} means another phase"
                ),
                None => format!(
                    "waits for {name} with parity {parity}, which passes at once until phase 0 ends, and that may have ended before"
                ),
            };
            let suggestion = "let nobody arrive for the next phase before this wait has passed";
            return Err(self.fault(&PHASE_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)]));
        }
        let idle = wanted == known;
        if !idle {
            let what = std::mem::take(&mut self.barriers[index].complete);
            self.learn(a, single, &what);
            self.barriers[index].complete = what;
        }
        let model_thread = &mut self.model_threads[a];
        model_thread.last_wait = Some((model_thread.pc, index, idle));
        let time = model_thread.time;
        self.barriers[index].waits.push((a, time));
        self.note(a, Subject::Barrier(index), |machine| {
            let name = machine.barrier_name(index);
            match wanted.checked_sub(1 + machine.barriers[index].base) {
                None => format!("waits for {name} with parity {parity}, and passes at once"),
                Some(ended) => format!("waits for {name} with parity {parity}, and passes: phase {ended} has ended"),
            }
        });
        Ok(true)
    }

    /// Some arrive at an mbarrier.
    fn arrive(&mut self, a: usize, index: usize, count: u32, by: Arrivals, single: bool) -> Result<(), Stop> {
        let known = self.phases_known(a, single, index);
        let barrier = &self.barriers[index];
        let subjects = || vec![Subject::Barrier(index)];
        if known < barrier.phase {
            let name = self.barrier_name(index);
            let message = format!(
                "arrives at {name} a second time: {} complete a phase, and phase {} has ended without this one",
                barrier.count,
                known - barrier.base
            );
            let suggestion = "arrive once for each time that the barrier is waited for, and say so in 'arrivals'";
            return Err(self.fault(&ARRIVAL_MISMATCH, a, message, suggestion, subjects()));
        }
        if barrier.arrived + count > barrier.count {
            let message = format!(
                "{count} arrive at {} where {} have, and {} complete a phase",
                self.barrier_name(index),
                barrier.arrived,
                barrier.count
            );
            let suggestion = "say in 'arrivals' how many arrive: one, or one for each warp or thread";
            return Err(self.fault(&ARRIVAL_MISMATCH, a, message, suggestion, subjects()));
        }
        let pc = self.model_threads[a].pc;
        let barrier = &mut self.barriers[index];
        barrier.last = Some((a, pc));
        barrier.arrived += count;
        Self::tell(&self.model_threads, a, by, &mut barrier.coming);
        self.settle(a, index)
    }

    /// The phase completes if nobody and nothing is missing.
    pub fn settle(&mut self, a: usize, index: usize) -> Result<(), Stop> {
        let barrier = &mut self.barriers[index];
        if barrier.arrived < barrier.count || barrier.issued < barrier.expected {
            return Ok(());
        }
        if barrier.issued > barrier.expected {
            return Err(self.bytes_differ(a, index));
        }
        let component = self.plan.mbarriers + index;
        barrier.phase += 1;
        (barrier.arrived, barrier.expected, barrier.issued) = (0, 0, 0);
        raise(&mut barrier.coming, component, barrier.phase);
        std::mem::swap(&mut barrier.coming, &mut barrier.complete);
        barrier.coming.fill(0);
        let (waits, ended) = (std::mem::take(&mut barrier.waits), barrier.phase - 1 - barrier.base);
        self.note(a, Subject::Barrier(index), |machine| {
            format!("phase {ended} of {} ends", machine.barrier_name(index))
        });
        let complete = &self.barriers[index].complete;
        for (model_thread, time) in waits {
            let known =
                complete[Plan::thread_group(model_thread, ONE)].max(complete[Plan::thread_group(model_thread, ALL)]);
            if known < time {
                let who = self.who(model_thread, self.model_threads[model_thread].pc);
                let message = format!(
                    "phase {ended} of {} ends here, while {who} may not have passed its wait for what comes before: its parity would be wrong",
                    self.barrier_name(index)
                );
                let suggestion = "let everybody who waits arrive at the barrier that allows the next phase";
                return Err(self.fault(&PHASE_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)]));
            }
        }
        Ok(())
    }

    /// More or fewer bytes are expected than come.
    pub fn bytes_differ(&self, a: usize, index: usize) -> Stop {
        let barrier = &self.barriers[index];
        let message = format!(
            "{} expects {} bytes in phase {}, and copies bring {}",
            self.barrier_name(index),
            barrier.expected,
            barrier.phase - barrier.base,
            barrier.issued
        );
        let suggestion = "expect the bytes of all copies that signal the barrier in one phase";
        self.fault(&BYTE_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)])
    }

    /// Another block is touched, which must still be there.
    pub fn remote(&mut self, a: usize, block: usize) {
        let model_thread = &self.model_threads[a];
        if model_thread.block != block {
            let (time, pc) = (model_thread.time, model_thread.pc);
            self.remotes.retain(|remote| (remote.model_thread, remote.block) != (a, block));
            self.remotes.push(Remote { model_thread: a, block, time, pc });
        }
    }

    fn named(&mut self, a: usize, index: usize, threads: i64, waits: bool) -> Result<bool, Stop> {
        let model_thread = &self.model_threads[a];
        if let Some((_, generation)) = model_thread.waiting {
            if self.named[index].generation == generation {
                return Ok(false);
            }
            let what = std::mem::take(&mut self.named[index].complete);
            self.learn(a, false, &what);
            self.named[index].complete = what;
            self.model_threads[a].waiting = None;
            self.meet(a);
            return Ok(true);
        }
        let (warps, component) = (i64::from(model_thread.warps), self.plan.named + index);
        let barrier = &self.named[index];
        let suggestion = "every warp that meets names the same barrier and number of threads, once";
        let id = index % NAMED;
        let wrong = if barrier.arrived > 0 && barrier.threads != threads {
            Some(format!("{threads} threads meet at barrier {id} here, and {} elsewhere", barrier.threads))
        } else if barrier.model_threads.contains(&a) {
            Some(format!("arrives at barrier {id} again before the others have come"))
        } else if barrier.arrived + warps * 32 > threads {
            let all = barrier.arrived + warps * 32;
            Some(format!("{all} threads come to barrier {id}, where {threads} meet"))
        } else if self.clock(a, false)[component] < barrier.generation {
            Some(format!("arrives at barrier {id} again, and those that met there before may not have left it"))
        } else {
            None
        };
        if let Some(message) = wrong {
            return Err(self.fault(&BARRIER_MISMATCH, a, message, suggestion, vec![Subject::Named(index)]));
        }
        self.note(a, Subject::Named(index), |_| match waits {
            true => "comes, and waits".to_owned(),
            false => "comes, and goes on".to_owned(),
        });
        let (length, pc) = (self.plan.len(), self.model_threads[a].pc);
        let barrier = &mut self.named[index];
        barrier.coming.resize(length, 0);
        barrier.complete.resize(length, 0);
        Self::tell(&self.model_threads, a, Arrivals::Thread, &mut barrier.coming);
        barrier.threads = threads;
        barrier.arrived += warps * 32;
        barrier.model_threads.push(a);
        barrier.last = Some(pc);
        let generation = barrier.generation;
        if barrier.arrived == threads {
            barrier.generation += 1;
            barrier.arrived = 0;
            barrier.model_threads.clear();
            raise(&mut barrier.coming, component, barrier.generation);
            std::mem::swap(&mut barrier.coming, &mut barrier.complete);
            barrier.coming.fill(0);
        }
        if waits {
            self.model_threads[a].waiting = Some((index, generation));
            // It may be the last one.
            return self.named(a, index, threads, waits);
        }
        Ok(true)
    }

    fn fence(&mut self, a: usize, single: bool) {
        let thread_groups = self.plan.mbarriers / 3;
        let model_thread = &mut self.model_threads[a];
        model_thread.apart |= single && !model_thread.solo;
        let know = (!single && !model_thread.solo).then_some(&mut model_thread.know);
        for clock in std::iter::once(&mut model_thread.one).chain(know) {
            for thread_group in 0..thread_groups {
                let known = clock[Plan::thread_group(thread_group, ALL)];
                raise(clock, Plan::thread_group(thread_group, FENCED), known);
            }
        }
        if model_thread.solo {
            model_thread.fenced = model_thread.time;
        } else if single {
            model_thread.fenced_one = model_thread.fenced_one.max(model_thread.synced);
        } else {
            model_thread.fence = model_thread.time;
            model_thread.fenced = model_thread.fenced.max(model_thread.synced);
            model_thread.warp_fenced = model_thread.warp_fenced.max(model_thread.warp_synced);
        }
    }

    fn await_(&mut self, a: usize, kind: usize, token: i64, single: bool) -> Result<(), Stop> {
        let ticket = token as u32;
        if token == UNKNOWN || ticket == 0 {
            return Ok(());
        }
        let of = (token >> 32) as usize;
        let alone = single && !self.model_threads[a].solo && kind != EPILOGUE;
        if of != a || alone {
            let message = match alone {
                true => "one thread awaits work that all threads began".to_owned(),
                false => format!(
                    "awaits work that other threads began: {}",
                    self.who(of, self.model_threads[of].begun[kind])
                ),
            };
            let suggestion = "await work where it began, and tell the others by a barrier";
            return Err(self.fault(&FOREIGN_TOKEN, a, message, suggestion, vec![]));
        }
        let model_thread = &mut self.model_threads[a];
        if ticket > model_thread.awaited[kind] {
            model_thread.awaited[kind] = ticket;
            model_thread.awaits[kind].push((ticket, model_thread.time));
        }
        Ok(())
    }

    /// When work of a model thread was awaited.
    pub fn awaited(&self, model_thread: usize, kind: usize, ticket: u32) -> Option<u32> {
        let awaits = &self.model_threads[model_thread].awaits[kind];
        awaits.get(awaits.partition_point(|&(upto, _)| upto < ticket)).map(|&(_, time)| time)
    }

    /// A fragment is read.
    pub fn use_(&mut self, a: usize, value: i64, what: &str) -> Result<(), Stop> {
        let (of, ticket) = ((value >> 32) as usize, value as u32);
        if value == UNKNOWN || ticket == 0 || self.model_threads[of].awaited[COMPUTE] >= ticket {
            return Ok(());
        }
        let begun = self.model_threads[of].begun[COMPUTE];
        let message = what.to_owned();
        let mut fault = self.fault(&NOT_AWAITED, a, message, "await the token of the product first", vec![]);
        fault.others.push((of, begun, "the product begins here".to_owned()));
        Err(fault)
    }

    /// A model thread has done everything: nothing that it began may still read or write shared memory.
    pub fn ended(&mut self, a: usize) -> Result<(), Stop> {
        let model_thread = &self.model_threads[a];
        let kinds = [
            (LOAD, "a copy to shared memory", "await its token before the end"),
            (COMPUTE, "a matrix product", "await its token before the end"),
            (EPILOGUE, "a store that may still read shared memory", "put 'await_read' of its token before the end"),
        ];
        for (kind, what, suggestion) in kinds {
            if model_thread.awaited[kind] < model_thread.tickets[kind] {
                let message = format!("{what} is not awaited when the warps end");
                let mut fault = self.fault(&ENDS_TOO_EARLY, a, message, suggestion, vec![]);
                fault.pc = model_thread.begun[kind];
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Everybody has done everything.
    pub fn ends(&mut self) -> Result<(), Stop> {
        let mut known = vec![vec![0; self.plan.len()]; self.blocks.len()];
        for model_thread in &self.model_threads {
            join(&mut known[model_thread.block], &model_thread.one);
        }
        for index in 0..self.barriers.len() {
            let barrier = &self.barriers[index];
            let block = index / self.program.arrivals.len();
            let (a, pc) = barrier.last.unwrap_or((block, 0));
            if barrier.issued != barrier.expected {
                let mut fault = self.bytes_differ(a, index);
                fault.pc = pc;
                return Err(fault);
            }
            if barrier.arrived > 0 {
                let message = format!(
                    "at the end {} of {} have arrived at {}",
                    barrier.arrived,
                    barrier.count,
                    self.barrier_name(index)
                );
                let suggestion = "say in 'arrivals' how many arrive in one phase";
                let mut fault = self.fault(&ARRIVAL_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)]);
                fault.pc = pc;
                return Err(fault);
            }
        }
        if let Some(fault) = self.dangling() {
            return Err(fault);
        }
        for block in &self.blocks {
            for cell in &block.all {
                let Some((super::cells::Write::Engine { barrier, phase }, event)) = cell.write else { continue };
                let block = barrier as usize / self.program.arrivals.len();
                if known[block][self.plan.mbarriers + barrier as usize] <= phase {
                    let message = "the block may end before the copy has come: nothing waits for it".to_owned();
                    let suggestion = "wait for every phase in which copies come, or do not begin them";
                    let subjects = vec![Subject::Barrier(barrier as usize)];
                    let mut fault =
                        self.fault(&ENDS_TOO_EARLY, event.model_thread.into(), message, suggestion, subjects);
                    fault.pc = event.pc;
                    return Err(fault);
                }
            }
        }
        for remote in &self.remotes {
            if known[remote.block][Plan::thread_group(remote.model_thread, ONE)] < remote.time {
                let message = format!("block {} may have ended when this reaches it", remote.block);
                let suggestion = "before a block ends let it wait for everything that its peers do to it, or put a 'cluster_barrier' last";
                let mut fault = self.fault(&ENDS_TOO_EARLY, remote.model_thread, message, suggestion, vec![]);
                fault.pc = remote.pc;
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Threads have come to a numbered barrier, and the others never do: what becomes of that when the block ends is not
    /// defined.
    fn dangling(&self) -> Option<Stop> {
        let of_blocks = &self.named[..self.named.len() - 1];
        let (index, barrier) = of_blocks.iter().enumerate().find(|(_, barrier)| barrier.arrived > 0)?;
        let a = barrier.model_threads.first().copied().unwrap_or(index / NAMED);
        let message = format!(
            "at the end {} of {} threads have come to barrier {}, and nobody else does",
            barrier.arrived,
            barrier.threads,
            index % NAMED
        );
        let suggestion = "arrive only if somebody waits for it after that, or wait there once more";
        let mut fault = self.fault(&BARRIER_MISMATCH, a, message, suggestion, vec![Subject::Named(index)]);
        fault.pc = barrier.last.unwrap_or(fault.pc);
        Some(fault)
    }

    /// Why a model thread waits and nothing more comes; the gravest reason has the least number.
    pub fn waits_for_ever(&self, a: usize) -> Option<(u8, Stop)> {
        let model_thread = &self.model_threads[a];
        match &self.program.code[model_thread.pc as usize] {
            Instr::Wait { barrier, .. } => {
                let single = self.program.at[model_thread.pc as usize].1;
                let index = self.barrier(a, *barrier, None, single).ok()?;
                let barrier = &self.barriers[index];
                let name = self.barrier_name(index);
                if barrier.issued != barrier.expected {
                    return Some((0, self.bytes_differ(a, index)));
                }
                let subjects = vec![Subject::Barrier(index)];
                if barrier.arrived > 0 {
                    let message = format!(
                        "deadlock at {name}: {} of {} arrive in phase {}",
                        barrier.arrived,
                        barrier.count,
                        barrier.phase - barrier.base
                    );
                    let suggestion = "say in 'arrivals' how many arrive in one phase, and let all of them come";
                    return Some((1, self.fault(&ARRIVAL_MISMATCH, a, message, suggestion, subjects)));
                }
                let message = format!("deadlock at {name}: nothing arrives in phase {}", barrier.phase - barrier.base);
                let suggestion = "let everybody go through as many phases, and begin with the parity of the first wait";
                Some((3, self.fault(&DEADLOCK, a, message, suggestion, subjects)))
            }
            Instr::Named { id, .. } => {
                let index = model_thread.block * NAMED + usize::try_from(model_thread.slots[*id as usize]).ok()?;
                let barrier = &self.named[index];
                let message = format!(
                    "deadlock at barrier {}: {} of {} threads come",
                    index % NAMED,
                    barrier.arrived,
                    barrier.threads
                );
                let suggestion = "let all threads that meet name this barrier";
                Some((2, self.fault(&DEADLOCK, a, message, suggestion, vec![Subject::Named(index)])))
            }
            Instr::Cluster => {
                let message = "deadlock: not all blocks of the cluster come".to_owned();
                let suggestion = "let every warp of every block come to each 'cluster_barrier'";
                Some((2, self.fault(&DEADLOCK, a, message, suggestion, vec![])))
            }
            _ => {
                let message = "cannot go on".to_owned();
                Some((4, self.fault(&NOT_CHECKED, a, message, "", vec![])))
            }
        }
    }
}
