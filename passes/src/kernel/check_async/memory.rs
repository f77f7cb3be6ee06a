//! Who reads and writes which bytes of shared memory, and whether the other one is known to be over.

use std::rc::Rc;

use dlc_ir::diag::Code;
use dlc_kernel::ops::Arrivals;
use smallvec::SmallVec;

use super::cells::{Event, Read, Write};
use super::clocks::{ALL, FENCED, ONE};
use super::exprs::UNKNOWN;
use super::machine::{Machine, Stop, Subject};
use super::program::{COMPUTE, EPILOGUE, Instr, LOAD, TileAt};
use super::shapes::{Interval, Kept};
use super::sync::READS;
use super::sync::token;
use super::{BYTE_MISMATCH, MISSING_FENCE, NO_BARRIER, NOT_CHECKED, OVERWRITTEN, PHASE_MISMATCH, READ_TOO_EARLY};

/// Why something is not over: the code, what is said, what to do.
type Reason = (&'static Code, String, &'static str);

/// What helps where one lane of a warp speaks for others that have not met it.
const BEFORE_ARRIVAL: &str = "put a 'warp_sync' before the arrival, or a barrier";

impl Machine<'_> {
    /// Runs an instruction that touches shared memory.
    pub fn memory(&mut self, a: usize, instr: &Instr, single: bool) -> Result<(), Stop> {
        let block = self.model_threads[a].block;
        match instr {
            Instr::Slice { out, of, at } => {
                let base = self.base(a, *of)?;
                let place = &self.program.tiles[of.ty as usize].place;
                let slots = &self.model_threads[a].slots;
                let at: SmallVec<[i64; 4]> = at.iter().map(|expr| expr.eval(slots)).collect();
                let inside = at.iter().zip(place.shape()).all(|(&at, &size)| (0..i64::from(size)).contains(&at));
                if !inside {
                    let what = if at.contains(&UNKNOWN) { "does not follow from sizes" } else { "lies outside of it" };
                    let message = format!("where the part of {} begins {what}", self.name(of.name));
                    return Err(self.fault(&NOT_CHECKED, a, message, "", vec![]));
                }
                let at: SmallVec<[u32; 4]> = at.iter().map(|&at| at as u32).collect();
                self.model_threads[a].slots[*out as usize] = i64::from(base + place.offset(&at));
            }
            Instr::Wgmma { tiles, frags, out, token: slot } => {
                for frag in frags {
                    self.use_(a, self.model_threads[a].slots[*frag as usize], READS)?;
                }
                let ticket = self.begin(a, COMPUTE);
                for tile in tiles {
                    self.read(a, *tile, block, Read::Product, ticket, false)?;
                }
                // The fragment and the token are known by the same number.
                let value = token(a, ticket);
                let slots = &mut self.model_threads[a].slots;
                slots[*out as usize] = value;
                slots[*slot as usize] = value;
            }
            Instr::Access { tile, class, writes } => {
                let access = Some((*class, self.base(a, *tile)?));
                let time = self.model_threads[a].time;
                match writes {
                    true => self.write(a, *tile, block, Write::Threads(access), time, single)?,
                    false => self.read(a, *tile, block, Read::Threads(access), time, single)?,
                }
            }
            Instr::Through { tile } => {
                let time = self.model_threads[a].time;
                self.write(a, *tile, block, Write::Threads(None), time, single)?;
                let base = self.base(a, *tile)?;
                self.each(a, *tile, block, base, |machine, index| {
                    let event = machine.happening(a, time);
                    machine.blocks[block].all[index].reads.push((Read::Threads(None), event));
                    Ok(())
                })?;
            }
            Instr::CopyAsync { tile, class, token: slot } => {
                let base = self.base(a, *tile)?;
                let ticket = self.begin(a, LOAD);
                self.write(a, *tile, block, Write::Async(*class, base), ticket, single)?;
                self.model_threads[a].slots[*slot as usize] = token(a, ticket);
            }
            Instr::TmaStore { tile, token: slot } => {
                let ticket = self.begin(a, EPILOGUE);
                self.read(a, *tile, block, Read::Store, ticket, single)?;
                self.model_threads[a].slots[*slot as usize] = token(a, ticket);
            }
            Instr::TmaLoad { tile, barrier, bytes, mask } => {
                let mask = mask.unwrap_or(1 << block);
                if mask >> self.blocks.len() != 0 {
                    let message =
                        format!("the cluster has {} blocks, and others should get the box", self.blocks.len());
                    return Err(self.fault(&BYTE_MISMATCH, a, message, "set bits of blocks of the cluster", vec![]));
                }
                for to in (0..self.blocks.len()).filter(|to| mask >> to & 1 == 1) {
                    let index = self.barrier(a, *barrier, Some(to as i64), single)?;
                    let phase = self.barriers[index].phase;
                    self.note(a, Subject::Barrier(index), |machine| {
                        format!("begins to bring {bytes} bytes, counted by {}", machine.barrier_name(index))
                    });
                    let write = Write::Engine { barrier: index as u32, phase };
                    let time = self.model_threads[a].time;
                    self.write(a, *tile, to, write, time, single)?;
                    if let Some(doubt) = self.model_threads[a].doubt.take() {
                        return Err(doubt);
                    }
                    if self.phases_known(a, single, index) < phase {
                        let message = format!(
                            "brings bytes for {} after a phase has ended without them",
                            self.barrier_name(index)
                        );
                        let suggestion = "expect the bytes of all copies that signal the barrier in one phase";
                        return Err(self.fault(&BYTE_MISMATCH, a, message, suggestion, vec![Subject::Barrier(index)]));
                    }
                    self.remote(a, to);
                    let barrier = &mut self.barriers[index];
                    barrier.issued += bytes;
                    barrier.last = Some((a, self.model_threads[a].pc));
                    Self::tell(&self.model_threads, a, Arrivals::One, &mut barrier.coming);
                    self.settle(a, index)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The first byte of a tile.
    fn base(&self, a: usize, tile: TileAt) -> Result<u32, Stop> {
        let ty = &self.program.tiles[tile.ty as usize];
        let stage = self.stage(a, tile.stage, ty.stages, tile.name)?;
        let base = u32::try_from(self.model_threads[a].slots[tile.base as usize]).unwrap_or(0);
        Ok(base + stage * ty.stride)
    }

    fn begin(&mut self, a: usize, kind: usize) -> u32 {
        let model_thread = &mut self.model_threads[a];
        model_thread.tickets[kind] += 1;
        model_thread.begun[kind] = model_thread.pc;
        model_thread.tickets[kind]
    }

    fn happening(&self, a: usize, time: u32) -> Event {
        Event { model_thread: a as u16, time, pc: self.model_threads[a].pc }
    }

    /// Does something with each cell of a tile.
    fn each(
        &mut self,
        a: usize,
        tile: TileAt,
        block: usize,
        base: u32,
        mut visit: impl FnMut(&mut Self, usize) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let cells = match self.blocks[block].known((tile.ty, base)) {
            Some(cells) => cells,
            None => self.cells(a, tile, block, base)?,
        };
        cells.iter().try_for_each(|&index| visit(self, index as usize))
    }

    /// The cells of a tile that was not touched before.
    fn cells(&mut self, a: usize, tile: TileAt, block: usize, base: u32) -> Result<Rc<[u32]>, Stop> {
        let ty = &self.program.tiles[tile.ty as usize];
        let bytes: SmallVec<[Interval; 1]> = match ty.whole {
            true => SmallVec::from_buf([(base, base + ty.bytes)]),
            false => {
                let (pattern, bytes) = self.shapes.bytes(self.program, tile.ty, base);
                bytes.iter().map(|&(start, end)| (pattern + start, pattern + end)).collect()
            }
        };
        if bytes.last().is_some_and(|&(_, end)| end > self.program.bytes) {
            let message = format!("{} goes beyond the shared memory", self.name(tile.name));
            return Err(self.fault(&NOT_CHECKED, a, message, "", vec![]));
        }
        Ok(self.blocks[block].cells((tile.ty, base), &bytes))
    }

    /// The tile in words, with the stage.
    fn tile_name(&self, a: usize, tile: TileAt) -> String {
        let name = self.name(tile.name);
        match tile.stage {
            Some(slot) => format!("{name}[{}]", self.model_threads[a].slots[slot as usize]),
            None => name.to_owned(),
        }
    }

    /// Writes down what is done to a cell, if the history of some of its bytes is asked for.
    fn touch(&mut self, a: usize, block: usize, index: usize, what: impl Fn(&Self) -> String) {
        if self.log.is_some() {
            for (start, end) in self.blocks[block].all[index].parts.clone() {
                self.note(a, Subject::Bytes { block, start, end }, &what);
            }
        }
    }

    fn read(&mut self, a: usize, tile: TileAt, block: usize, read: Read, time: u32, single: bool) -> Result<(), Stop> {
        let base = self.base(a, tile)?;
        self.each(a, tile, block, base, |machine, index| {
            let cell = &machine.blocks[block].all[index];
            let ((start, end), write) = (cell.parts[0], cell.write);
            machine.touch(a, block, index, |machine| {
                let name = machine.tile_name(a, tile);
                let what = if matches!(read, Read::Threads(_)) { "reads" } else { "begins to read" };
                format!("{what} {name}")
            });
            let missing = match write {
                None => Some((
                    &READ_TOO_EARLY,
                    "nothing was written to it".to_owned(),
                    "fill the tile first, and wait until that has ended",
                )),
                Some((write, event)) => machine.not_there(a, single, read, write, event),
            };
            if let Some((code, reason, suggestion)) = missing {
                let message = format!("reads {}: {reason}", machine.tile_name(a, tile));
                return Err(machine.too_early(a, code, message, suggestion, (block, start, end), write));
            }
            let event = machine.happening(a, time);
            let reads = &mut machine.blocks[block].all[index].reads;
            match reads.iter_mut().find(|(other, by)| *other == read && by.model_thread == event.model_thread) {
                Some(known) => known.1 = event,
                None => reads.push((read, event)),
            }
            Ok(())
        })
    }

    /// A read that comes too early; after a wait with the wrong parity it is that.
    fn too_early(
        &self,
        a: usize,
        code: &'static Code,
        message: String,
        suggestion: &'static str,
        (block, start, end): (usize, u32, u32),
        write: Option<(Write, Event)>,
    ) -> Stop {
        let mut subjects = vec![Subject::Bytes { block, start, end }];
        if let Some((Write::Engine { barrier, .. }, _)) = write {
            subjects.push(Subject::Barrier(barrier as usize));
        }
        let idle = self.model_threads[a].last_wait.filter(|&(_, _, idle)| idle && code.code == READ_TOO_EARLY.code);
        let Some((pc, index, _)) = idle else { return self.fault(code, a, message, suggestion, subjects) };
        let message = format!("{message}; the wait for {} passed at once", self.barrier_name(index));
        let suggestion =
            "begin with parity 0 where a phase must end first, and with 1 where nothing need have happened";
        subjects.push(Subject::Barrier(index));
        let mut fault = self.fault(&PHASE_MISMATCH, a, message, suggestion, subjects);
        fault.others.push((a, pc, "this wait passed at once".to_owned()));
        fault
    }

    /// Why what was written may not be there for a reader.
    fn not_there(&mut self, a: usize, single: bool, read: Read, write: Write, event: Event) -> Option<Reason> {
        let by = event.model_thread as usize;
        let engine = !matches!(read, Read::Threads(_));
        let (access, time) = match write {
            Write::Engine { barrier, phase } => {
                let known = self.clock(a, single)[self.plan.mbarriers + barrier as usize];
                return (known <= phase).then(|| {
                    let name = self.barrier_name(barrier as usize);
                    let reason = format!("the copy that fills it may still be on its way (phase {phase} of {name})");
                    (&READ_TOO_EARLY, reason, "wait for the phase in which the copy comes")
                });
            }
            Write::Threads(access) => (access, event.time),
            Write::Async(class, base) => match self.awaited(by, LOAD, event.time) {
                Some(time) => (Some((class, base)), time),
                None => {
                    let reason = "the copy that fills it is not awaited".to_owned();
                    return Some((&READ_TOO_EARLY, reason, "await the token of the copy"));
                }
            },
        };
        let over = match read {
            Read::Threads(second) => self.is_over((a, single), (by, time), access, second),
            _ => self.is_over((a, single), (by, time), None, None),
        };
        if let Err(who) = over {
            return Some(match by == a {
                true => self.no_barrier(who, "wrote to it", "put a 'barrier' between the write and the read"),
                false if self.knows(a, single, by, ONE, time) => {
                    (&READ_TOO_EARLY, "other lanes than the one that arrived wrote to it".to_owned(), BEFORE_ARRIVAL)
                }
                false => (
                    &READ_TOO_EARLY,
                    "other warps write to it, and nothing says that they have done so".to_owned(),
                    "let the writers arrive at a barrier that the readers wait for",
                ),
            });
        }
        (engine && !self.knows(a, single, by, FENCED, time)).then(|| {
            let reason = "threads wrote to it, with no 'fence_async' between".to_owned();
            (&MISSING_FENCE, reason, "put a 'fence_async' after the write, before the barrier")
        })
    }

    fn write(
        &mut self,
        a: usize,
        tile: TileAt,
        block: usize,
        write: Write,
        time: u32,
        single: bool,
    ) -> Result<(), Stop> {
        let base = self.base(a, tile)?;
        self.each(a, tile, block, base, |machine, index| {
            let cell = &machine.blocks[block].all[index];
            let ((start, end), old) = (cell.parts[0], cell.write);
            machine.touch(a, block, index, |machine| {
                let name = machine.tile_name(a, tile);
                let what = if matches!(write, Write::Threads(_)) { "writes" } else { "begins to fill" };
                format!("{what} {name}")
            });
            let mut reason = old.and_then(|(old, event)| machine.not_written(a, single, write, old, event));
            // After this write those reads are of no interest.
            let mut reads = std::mem::take(&mut machine.blocks[block].all[index].reads);
            for &(read, event) in &reads {
                reason = reason.or_else(|| machine.not_read(a, single, write, read, event));
            }
            reads.clear();
            if let Some((code, reason, suggestion)) = reason {
                let message = format!("writes to {}: {reason}", machine.tile_name(a, tile));
                let mut subjects = vec![Subject::Bytes { block, start, end }];
                if let Some((Write::Engine { barrier, .. }, _)) = old {
                    subjects.push(Subject::Barrier(barrier as usize));
                }
                // What let it go on.
                subjects.extend(machine.model_threads[a].last_wait.map(|(_, index, _)| Subject::Barrier(index)));
                return Err(machine.fault(code, a, message, suggestion, subjects));
            }
            let event = machine.happening(a, time);
            let cell = &mut machine.blocks[block].all[index];
            cell.write = Some((write, event));
            cell.reads = reads;
            Ok(())
        })
    }

    /// Whether what a model thread did at a time is over for another one, or for others of its own threads: they are known to
    /// have met, or each touches again only what it touched itself. Otherwise who may not be: lanes of a warp, or others.
    fn is_over(
        &mut self,
        (a, single): (usize, bool),
        (by, time): (usize, u32),
        first: Option<(u32, u32)>,
        second: Option<(u32, u32)>,
    ) -> Result<(), Kept> {
        if self.knows(a, single, by, ALL, time) {
            return Ok(());
        }
        let (Some(first), Some(second), true) = (first, second, by == a) else {
            return Err(if by == a && self.model_threads[a].warps == 1 { Kept::Warps } else { Kept::Nobody });
        };
        match self.shapes.kept(self.program, first, second) {
            Kept::Threads => Ok(()),
            Kept::Warps if self.model_threads[a].warp_synced >= time => Ok(()),
            kept => Err(if self.model_threads[a].warps == 1 { Kept::Warps } else { kept }),
        }
    }

    /// The same for a write after an access by threads.
    fn is_over_for(
        &mut self,
        (a, single): (usize, bool),
        (by, time): (usize, u32),
        first: Option<(u32, u32)>,
        write: Write,
    ) -> Result<(), Kept> {
        match (first, write) {
            // Ops that use a tile as scratch have barriers of their own.
            (None, Write::Threads(None)) if by == a => Ok(()),
            (_, Write::Threads(second)) => self.is_over((a, single), (by, time), first, second),
            (_, Write::Async(class, base)) => self.is_over((a, single), (by, time), first, Some((class, base))),
            _ => self.is_over((a, single), (by, time), None, None),
        }
    }

    /// Threads of a model thread have not met: lanes of a warp, or warps.
    fn no_barrier(&self, who: Kept, what: &str, suggestion: &'static str) -> Reason {
        match who {
            Kept::Warps => (
                &NO_BARRIER,
                format!("other lanes of the warp {what}, with no 'warp_sync' between"),
                "put a 'warp_sync' between, where all lanes of the warp come",
            ),
            _ => (&NO_BARRIER, format!("other warps {what}, with no barrier between"), suggestion),
        }
    }

    /// Why a write before this one may not be over.
    fn not_written(&mut self, a: usize, single: bool, write: Write, old: Write, event: Event) -> Option<Reason> {
        let by = event.model_thread as usize;
        let (access, time) = match old {
            Write::Engine { barrier, phase } => {
                let known = self.clock(a, single)[self.plan.mbarriers + barrier as usize];
                return (known <= phase).then(|| {
                    let reason = "a copy to it may still be on its way".to_owned();
                    (&OVERWRITTEN, reason, "wait for the phase in which the copy comes, or take another stage")
                });
            }
            Write::Threads(access) => (access, event.time),
            Write::Async(class, base) => match self.awaited(by, LOAD, event.time) {
                Some(time) => (Some((class, base)), time),
                None => {
                    let reason = "a copy to it is not awaited".to_owned();
                    return Some((&OVERWRITTEN, reason, "await the token of the copy, or take another stage"));
                }
            },
        };
        if let Err(who) = self.is_over_for((a, single), (by, time), access, write) {
            return Some(self.overwrites((a, single), (by, time), who, "write to it"));
        }
        let engine = matches!(write, Write::Engine { .. });
        (engine && !self.knows(a, single, by, FENCED, time)).then(|| {
            let reason = "threads wrote to it, with no 'fence_async' before the copy".to_owned();
            (&MISSING_FENCE, reason, "put a 'fence_async' after the last write of the threads")
        })
    }

    /// Threads that may not be over with a tile stand against a write to it.
    fn overwrites(&self, (a, single): (usize, bool), (by, time): (usize, u32), who: Kept, what: &str) -> Reason {
        match by == a {
            true => self.no_barrier(who, what, "put a 'barrier' between, so that all warps have done with it"),
            false if self.knows(a, single, by, ONE, time) => {
                (&OVERWRITTEN, format!("other lanes than the one that arrived {what}"), BEFORE_ARRIVAL)
            }
            false => (
                &OVERWRITTEN,
                format!("other warps {what}, and nothing says that they have done so"),
                "let them arrive when they have done, and wait for that here",
            ),
        }
    }

    /// A store may still read a tile, for all that threads other than the one which awaited it know.
    fn store_reads(&self, a: usize, by: usize) -> Reason {
        let what = "a store reads it, which one thread has awaited";
        match by == a {
            true if self.model_threads[a].warps == 1 => (
                &NO_BARRIER,
                format!("{what}, with no 'warp_sync' between"),
                "put a 'warp_sync' between, where all lanes of the warp come",
            ),
            true => (
                &NO_BARRIER,
                format!("{what}, with no barrier between"),
                "put a 'barrier' between, so that all warps have done with it",
            ),
            false => (
                &OVERWRITTEN,
                format!("{what}, and nothing says that they have done so"),
                "let them arrive when they have done, and wait for that here",
            ),
        }
    }

    /// Why a read may not be over.
    fn not_read(&mut self, a: usize, single: bool, write: Write, read: Read, event: Event) -> Option<Reason> {
        let by = event.model_thread as usize;
        match read {
            Read::Threads(access) => {
                let over = self.is_over_for((a, single), (by, event.time), access, write);
                over.err().map(|who| self.overwrites((a, single), (by, event.time), who, "read it"))
            }
            Read::Product => match self.awaited(by, COMPUTE, event.time) {
                None => {
                    let reason = "a matrix product that is not awaited may still read it".to_owned();
                    Some((&OVERWRITTEN, reason, "await the product, then arrive, and wait for that here"))
                }
                Some(time) => {
                    let over = by == a || self.knows(a, single, by, ONE, time);
                    (!over).then(|| {
                        let reason = "a matrix product may still read it: it is awaited only later".to_owned();
                        (&OVERWRITTEN, reason, "arrive after the 'await' of the product, not before")
                    })
                }
            },
            Read::Store => match self.awaited(by, EPILOGUE, event.time) {
                None => {
                    let reason = "a store that is not awaited may still read it".to_owned();
                    Some((&OVERWRITTEN, reason, "put 'await_read' of its token, and a barrier, before the write"))
                }
                Some(time) => (!self.knows(a, single, by, ONE, time)).then(|| self.store_reads(a, by)),
            },
        }
    }
}
