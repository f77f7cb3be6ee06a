//! The abstract machine: the warps of the blocks of a cluster, without data. It runs them in one order; whether another
//! order could differ is seen from what each model thread knows of the others.

use std::rc::Rc;

use dlc_ir::diag::Code;
use dlc_kernel::ops::Arrivals;
use smallvec::SmallVec;

use super::cells::Cells;
use super::clocks::{ALL, Clock, FENCED, ONE, Plan, join, raise};
use super::event_streams::{Behaviour, Feed};
use super::exprs::{Slot, UNKNOWN};
use super::integers::{MOST_CHOICES, Site, UnknownInteger, branch, choose, integer, shift, start};
use super::program::{Instr, Pc, Program};
use super::scenarios::Scenario;
use super::shapes::Shapes;
use super::{DEADLOCK, NOT_CHECKED, READ_TOO_EARLY, SUGGEST_COVER};

/// The most instructions of one run.
pub const MOST_STEPS: u64 = 5_000_000;

/// As much work as all runs of a grid take together, in units of some ten nanoseconds: fifteen times as much as the kernels take
/// that the passes make of the programs in the repository.
const MOST_WORK: u64 = 400_000_000;

/// As many numbers as all states have together that are kept for other runs: several hundred megabytes.
const MOST_KEPT: usize = 1 << 25;

/// What an instruction is of that at least; and how many numbers are copied or compared for one.
const WORK_OF_STEP: u64 = 25;
const COPIED: usize = 16;
const COMPARED: usize = 4;

/// States of more numbers than these come from memory, which other programs use as well: each number is work of its own.
const NEAR: usize = 1 << 15;

/// What something went wrong with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Bytes of a block.
    Bytes { block: usize, start: u32, end: u32 },
    /// An mbarrier, counted over all blocks.
    Barrier(usize),
    /// A numbered barrier, counted over all blocks.
    Named(usize),
}

/// Something that is wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: &'static Code,
    pub model_thread: usize,
    pub pc: Pc,
    pub message: String,
    pub suggestion: &'static str,
    /// Nothing is wrong, but all runs together are too much work.
    pub is_too_long: bool,
    pub subjects: Vec<Subject>,
    /// Other places: a model thread, where it is, what is there.
    pub others: Vec<(usize, Pc, String)>,
}

/// Stops the run.
pub type Stop = Box<Fault>;

/// Something that was done to the subject of a fault.
#[derive(Clone, Debug)]
pub struct Entry {
    pub pc: Pc,
    /// The model thread and the iteration of the loops around.
    pub who: String,
    pub what: String,
}

/// Warps that run the same ops.
#[derive(Clone, Default)]
pub struct ModelThread {
    pub block: usize,
    pub role: Option<usize>,
    pub group: u32,
    pub warps: u32,
    /// Whether it is one thread: it need not wait for itself.
    pub solo: bool,
    pub pc: Pc,
    pub slots: Vec<i64>,
    pub done: bool,
    /// Counts what it does.
    pub time: u32,
    /// What was done before is known to all of its warps.
    pub synced: u32,
    /// What was done before by a lane is known to the other lanes of its warp, and what they wrote before has passed a
    /// fence. Both at least as late as what is known to all of its warps.
    pub warp_synced: u32,
    pub warp_fenced: u32,
    /// What was written before has passed a fence, for all of its warps and for the elected thread.
    pub fenced: u32,
    pub fenced_one: u32,
    /// The last fence of all warps.
    pub fence: u32,
    /// What all warps know, and what the elected thread knows; of a solo model thread the latter only.
    pub know: Clock,
    pub one: Clock,
    /// Whether the elected thread may know something that the others do not.
    pub apart: bool,
    /// The numbered barrier that it waits at, and its generation.
    pub waiting: Option<(usize, u32)>,
    /// The last ticket of each kind of work, and the last that was awaited.
    pub tickets: [u32; 3],
    pub awaited: [u32; 3],
    /// Tickets and when they were awaited, in order.
    pub awaits: [Vec<(u32, u32)>; 3],
    /// Where the last work of each kind began.
    pub begun: [Pc; 3],
    /// The last wait, and whether it passed with nothing new.
    pub last_wait: Option<(Pc, usize, bool)>,
    /// What is wrong with its last `expect`, unless its copies show something graver.
    pub doubt: Option<Stop>,
    /// How many truth values of data it has asked for.
    pub choices: u32,
    /// Its place among those of the block. What it does, if that is known beforehand, and where it is in that.
    pub number: usize,
    pub feed: Feed,
    pub next: usize,
    /// Up to where it is known to do the same in all runs that are made together.
    pub alike: usize,
}

/// An mbarrier.
#[derive(Clone, Debug, Default)]
pub struct MBarrier {
    pub count: u32,
    pub arrived: u32,
    pub expected: i64,
    pub issued: i64,
    /// How many phases have completed.
    pub phase: u32,
    pub coming: Clock,
    pub complete: Clock,
    /// Who has waited for the phase before this one: model thread, time.
    pub waits: SmallVec<[(usize, u32); 4]>,
    /// Who made it, and when.
    pub made: Option<(usize, u32)>,
    /// How many phases had completed when it was made, rounded up to an even number: what is made again begins with the
    /// parity of a new one.
    pub base: u32,
    /// Who did something to it last, and where.
    pub last: Option<(usize, Pc)>,
}

/// A barrier of threads.
#[derive(Clone, Debug, Default)]
pub struct Named {
    pub threads: i64,
    pub arrived: i64,
    pub generation: u32,
    pub coming: Clock,
    pub complete: Clock,
    /// Who has come, and where the last of them did.
    pub model_threads: SmallVec<[usize; 4]>,
    pub last: Option<Pc>,
}

/// What a block did to another one.
#[derive(Clone, Copy, Debug)]
pub struct Remote {
    pub model_thread: usize,
    pub block: usize,
    pub time: u32,
    pub pc: Pc,
}

/// The machine.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub shapes: &'p mut Shapes,
    pub scenario: Scenario,
    pub plan: Plan,
    pub model_threads: Vec<ModelThread>,
    /// The memory of each block.
    pub blocks: Vec<Cells>,
    pub barriers: Vec<MBarrier>,
    /// The numbered barriers of all blocks, and last that of the cluster.
    pub named: Vec<Named>,
    pub remotes: Vec<Remote>,
    pub steps: u64,
    /// The work of all runs so far.
    work: u64,
    /// Whose history is written, and the history.
    pub log: Option<(Vec<Subject>, Vec<Entry>)>,
    /// Model threads of runs before, whose memory is used again.
    spare: Vec<ModelThread>,
    /// What the model threads do, if that is known beforehand.
    pub behaviour: Rc<Behaviour>,
}

/// A clock of so many zeros, in the memory of another one.
fn zeros(mut clock: Clock, length: usize) -> Clock {
    clock.clear();
    clock.resize(length, 0);
    clock
}

/// The numbered barriers of a block.
pub const NAMED: usize = 16;

impl<'p> Machine<'p> {
    /// A machine for a program; [`Machine::prepare`] comes before each run.
    pub fn new(program: &'p Program, shapes: &'p mut Shapes) -> Machine<'p> {
        let blocks = program.cluster_blocks();
        let of_block = program.threads_of_block();
        let mbarriers = program.arrivals.len() * blocks;
        let named = if program.named { NAMED * blocks } else { 0 };
        let plan = Plan::new(of_block * blocks, mbarriers, named);
        Machine {
            program,
            shapes,
            scenario: Scenario::default(),
            plan,
            model_threads: Vec::new(),
            blocks: vec![Cells::new(program.bytes); blocks],
            barriers: vec![MBarrier::default(); mbarriers],
            named: vec![Named::default(); named + 1],
            remotes: Vec::new(),
            steps: 0,
            work: 0,
            log: None,
            spare: Vec::new(),
            behaviour: Rc::default(),
        }
    }

    /// The blocks of a cluster before they begin. `slots` are what the launch has computed, `does` what the model threads
    /// do, if that is known. What a run before has left is gone, but for its memory: there are many short runs.
    pub fn prepare(&mut self, scenario: &Scenario, slots: &[i64], behaviour: Rc<Behaviour>) {
        self.behaviour = behaviour;
        self.scenario = scenario.clone();
        self.steps = 0;
        self.copies();
        self.remotes.clear();
        self.spare.append(&mut self.model_threads);
        for block in 0..self.blocks.len() {
            let (mut model_thread, warps, length) = (self.blank(), self.program.warps, self.plan.len());
            (model_thread.block, model_thread.warps) = (block, warps);
            model_thread.slots.extend_from_slice(slots);
            model_thread.feed = self.feed(block, 0);
            model_thread.know.resize(length, 0);
            model_thread.one.resize(length, 0);
            self.model_threads.push(model_thread);
            self.blocks[block].clear();
        }
        let counts = self.program.arrivals.iter().cycle();
        for (barrier, &count) in self.barriers.iter_mut().zip(counts) {
            let (coming, complete) = (std::mem::take(&mut barrier.coming), std::mem::take(&mut barrier.complete));
            let [coming, complete] = [coming, complete].map(|clock| zeros(clock, self.plan.len()));
            *barrier = MBarrier { count, coming, complete, ..MBarrier::default() };
        }
        self.named.fill(Named::default());
    }

    /// A model thread that has done nothing, with the memory of one that is gone.
    fn blank(&mut self) -> ModelThread {
        let Some(model_thread) = self.spare.pop() else { return ModelThread::default() };
        let ModelThread { mut slots, mut know, mut one, mut awaits, .. } = model_thread;
        slots.clear();
        know.clear();
        one.clear();
        awaits.iter_mut().for_each(Vec::clear);
        ModelThread { slots, know, one, awaits, ..ModelThread::default() }
    }

    /// What a model thread of a block does.
    pub fn feed(&self, block: usize, number: usize) -> Feed {
        self.behaviour.get(block).and_then(|model_threads| model_threads.get(number)).copied().unwrap_or_default()
    }

    /// Runs everything to its end, step by step.
    pub fn run(&mut self) -> Result<(), Stop> {
        loop {
            let (mut moved, mut waiting) = (false, false);
            let mut at = 0;
            while at < self.model_threads.len() {
                if !self.model_threads[at].done {
                    moved |= self.turn(at)?;
                    waiting |= !self.model_threads[at].done;
                }
                at += 1;
            }
            if !waiting {
                return self.ends();
            }
            if !moved {
                return Err(self.stuck());
            }
        }
    }

    /// Counts the work of copying or clearing what is known.
    pub fn copies(&mut self) {
        self.work += (self.numbers() / COPIED) as u64;
    }

    /// How many numbers a state has, about: those of its clocks.
    fn numbers(&self) -> usize {
        2 * (self.model_threads.len() + self.barriers.len() + self.named.len()) * self.plan.len()
    }

    /// Counts the work of comparing states of so many numbers.
    pub fn compares(&mut self, numbers: usize) {
        self.work += if numbers > NEAR { numbers } else { numbers / COMPARED } as u64;
    }

    /// Nothing, while all runs take no more than they may, with some work elsewhere, and as many states are kept as may be.
    pub fn is_worth(&self, elsewhere: u64, kept: usize, a: usize) -> Result<(), Stop> {
        let is_small = kept.saturating_mul(self.numbers()) <= MOST_KEPT;
        if self.work.saturating_add(elsewhere) <= MOST_WORK && is_small {
            return Ok(());
        }
        let fault = self.fault(&NOT_CHECKED, a, String::new(), SUGGEST_COVER, vec![]);
        Err(Box::new(Fault { is_too_long: true, ..*fault }))
    }

    /// Counts a step.
    pub fn step(&mut self, a: usize) -> Result<(), Stop> {
        self.steps += 1;
        self.work += WORK_OF_STEP + (self.plan.len() / COPIED) as u64;
        if self.steps > MOST_STEPS {
            let message = "the loops go on for too long to be followed".to_owned();
            let mut fault = self.fault(&NOT_CHECKED, a, message, "make the trip count a symbol", vec![]);
            // The innermost loop.
            let is_around =
                |&at: &Pc| matches!(self.program.code[at as usize], Instr::Test { exit, .. } if exit > fault.pc);
            if let Some(around) = (0..=fault.pc).rev().find(is_around) {
                fault.pc = around;
            }
            return Err(fault);
        }
        self.is_worth(0, 0, a)
    }

    /// A model thread goes on until it must wait or has done everything. Whether it did anything.
    fn turn(&mut self, a: usize) -> Result<bool, Stop> {
        let code: &'p [Instr] = &self.program.code;
        let mut moved = false;
        loop {
            let from = self.steps;
            let instr = self.count(a, code);
            moved |= self.steps > from;
            self.step(a)?;
            match instr {
                Instr::End => {
                    self.model_threads[a].done = true;
                    self.ended(a)?;
                    return Ok(true);
                }
                Instr::Start { .. } | Instr::Branch(..) | Instr::BranchOn(..) | Instr::Choose(_) => {
                    self.decide(a, instr)?;
                    moved = true;
                    continue;
                }
                Instr::Block(..) | Instr::Binary(..) | Instr::Advance { .. } | Instr::Order { .. } => {
                    let model_thread = &mut self.model_threads[a];
                    let Scenario { grid, first, .. } = self.scenario;
                    let site = Site { cluster: self.program.cluster, grid, first, rank: model_thread.block };
                    integer(instr, &mut model_thread.slots, &site);
                }
                _ => {
                    if !self.event(a, instr)? {
                        return Ok(moved);
                    }
                }
            }
            self.model_threads[a].pc += 1;
            moved = true;
        }
    }

    /// Does what only moves integers of a model thread, up to the next instruction that is something else; that one. Or to
    /// the end of the steps of a run, with whatever comes then.
    fn count(&mut self, a: usize, code: &'p [Instr]) -> &'p Instr {
        let model_thread = &mut self.model_threads[a];
        let slots = model_thread.slots.as_mut_slice();
        let mut pc = model_thread.pc;
        loop {
            let instr = &code[pc as usize];
            match instr {
                Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(slots),
                Instr::Move(moves) => shift(moves, slots),
                Instr::Test { index, last, exit } => {
                    if slots[*index as usize] >= slots[*last as usize] {
                        pc = *exit;
                        self.steps += 1;
                        continue;
                    }
                }
                Instr::Next { index, step, head } if self.steps <= MOST_STEPS => {
                    slots[*index as usize] = slots[*index as usize].saturating_add(slots[*step as usize]);
                    pc = *head;
                    self.steps += 1;
                    continue;
                }
                Instr::Jump(to) => {
                    pc = *to;
                    self.steps += 1;
                    continue;
                }
                _ => {
                    model_thread.pc = pc;
                    return instr;
                }
            }
            pc += 1;
            self.steps += 1;
        }
    }

    fn decide(&mut self, a: usize, instr: &Instr) -> Result<(), Stop> {
        let of_block = self.program.threads_of_block();
        let model_thread = &mut self.model_threads[a];
        let next = match instr {
            Instr::Start { index, last, step, bounds } => start(bounds, &model_thread.slots).map(|values| {
                for (slot, value) in [index, last, step].into_iter().zip(values) {
                    model_thread.slots[*slot as usize] = value;
                }
                model_thread.pc + 1
            }),
            Instr::Choose(slot) => {
                let choices = self
                    .scenario
                    .data
                    .get(model_thread.block * of_block + model_thread.number)
                    .copied()
                    .unwrap_or_default();
                let chosen = choose(*slot, &mut model_thread.slots, choices, &mut model_thread.choices);
                chosen.map(|()| model_thread.pc + 1).ok_or(UnknownInteger::Choices)
            }
            _ => branch(instr, model_thread.pc, &model_thread.slots),
        };
        let (message, suggestion) = match next {
            Ok(pc) => {
                model_thread.pc = pc;
                return Ok(());
            }
            Err(UnknownInteger::Loop) => {
                ("how often a loop runs does not follow from sizes and positions".to_owned(), "")
            }
            Err(UnknownInteger::Condition | UnknownInteger::Part) => {
                ("the condition does not follow from sizes and positions".to_owned(), "")
            }
            Err(UnknownInteger::Choices) => (
                format!("what is done depends on data more than {MOST_CHOICES} times"),
                "decide by integers that all warps know",
            ),
            Err(UnknownInteger::Step(step)) => (format!("the step of the loop is {step}"), "a step is positive"),
        };
        Err(self.fault(&NOT_CHECKED, a, message, suggestion, vec![]))
    }

    /// The groups of a role begin.
    pub fn fork(&mut self, a: usize, role: usize) {
        let info = &self.program.roles[role];
        for group in 0..info.groups {
            let mut model_thread = self.blank();
            let from = &self.model_threads[a];
            let synced = if from.solo { from.time } else { from.synced };
            model_thread.know.extend_from_slice(if from.solo { &from.one } else { &from.know });
            raise(&mut model_thread.know, Plan::thread_group(a, ALL), synced);
            raise(&mut model_thread.know, Plan::thread_group(a, ONE), synced);
            raise(&mut model_thread.know, Plan::thread_group(a, FENCED), from.fenced);
            model_thread.one.extend_from_slice(&model_thread.know);
            model_thread.slots.extend_from_slice(&from.slots);
            if let Some(slot) = info.group {
                model_thread.slots[slot as usize] = group.into();
            }
            (model_thread.block, model_thread.role, model_thread.group) = (from.block, Some(role), group);
            model_thread.number = self.model_threads.iter().filter(|other| other.block == model_thread.block).count();
            model_thread.feed = self.feed(model_thread.block, model_thread.number);
            (model_thread.warps, model_thread.solo, model_thread.pc) = (info.warps, info.single, info.start);
            self.model_threads.push(model_thread);
        }
    }

    /// What the model thread knows, or one thread of it.
    pub fn clock(&self, a: usize, single: bool) -> &Clock {
        let model_thread = &self.model_threads[a];
        if single || model_thread.solo { &model_thread.one } else { &model_thread.know }
    }

    /// The model thread, or one thread of it, learns.
    pub fn learn(&mut self, a: usize, single: bool, what: &[u32]) {
        let model_thread = &mut self.model_threads[a];
        join(&mut model_thread.one, what);
        if model_thread.solo {
            return;
        }
        if single {
            model_thread.apart = true;
        } else if model_thread.apart {
            join(&mut model_thread.know, what);
        } else {
            model_thread.know.copy_from_slice(&model_thread.one);
        }
    }

    /// Adds what a model thread knows and has done to what others will learn, from those of its threads that say so.
    pub fn tell(model_threads: &[ModelThread], a: usize, by: Arrivals, into: &mut Clock) {
        let model_thread = &model_threads[a];
        join(into, &model_thread.one);
        let (synced, fenced) = match by {
            _ if model_thread.solo => (model_thread.time, model_thread.fenced.max(model_thread.fence)),
            Arrivals::Thread => (model_thread.time, model_thread.fenced.max(model_thread.fence)),
            // One lane of each warp knows what the others did before they met.
            Arrivals::Warp => {
                (model_thread.synced.max(model_thread.warp_synced), model_thread.fenced.max(model_thread.warp_fenced))
            }
            Arrivals::One => (model_thread.synced, model_thread.fenced.max(model_thread.fenced_one)),
        };
        raise(into, Plan::thread_group(a, ALL), synced);
        raise(into, Plan::thread_group(a, ONE), model_thread.time);
        raise(into, Plan::thread_group(a, FENCED), fenced);
    }

    /// All warps have met.
    pub fn meet(&mut self, a: usize) {
        let model_thread = &mut self.model_threads[a];
        model_thread.synced = model_thread.time;
        model_thread.fenced = model_thread.fenced.max(model_thread.fence).max(model_thread.fenced_one);
        model_thread.fenced_one = model_thread.fenced;
        (model_thread.warp_synced, model_thread.warp_fenced) = (model_thread.synced, model_thread.fenced);
        if !model_thread.solo && std::mem::take(&mut model_thread.apart) {
            join(&mut model_thread.know, &model_thread.one);
            model_thread.one.copy_from_slice(&model_thread.know);
        }
    }

    /// The lanes of each warp have met.
    pub fn meet_lanes(&mut self, a: usize) {
        let model_thread = &mut self.model_threads[a];
        if model_thread.warps == 1 {
            return self.meet(a);
        }
        model_thread.warp_synced = model_thread.time;
        model_thread.warp_fenced = model_thread.warp_fenced.max(model_thread.fence);
    }

    /// Something wrong at the instruction of a model thread.
    pub fn fault(
        &self,
        code: &'static Code,
        a: usize,
        message: String,
        suggestion: &'static str,
        subjects: Vec<Subject>,
    ) -> Stop {
        let pc = self.model_threads[a].pc;
        Box::new(Fault {
            code,
            model_thread: a,
            pc,
            message,
            suggestion,
            is_too_long: false,
            subjects,
            others: Vec::new(),
        })
    }

    /// The model thread in words, with the iterations of the loops around.
    pub fn who(&self, a: usize, pc: Pc) -> String {
        let model_thread = &self.model_threads[a];
        let mut text = match model_thread.role {
            None => "all warps".to_owned(),
            Some(role) => match &self.program.roles[role] {
                role if role.groups > 1 => format!("{} {}", role.name, model_thread.group),
                role => role.name.clone(),
            },
        };
        if self.blocks.len() > 1 {
            text += &format!(" of block {}", model_thread.block);
        }
        let mut around = self.program.at[pc as usize].2;
        let mut loops = Vec::new();
        while let Some(at) = around {
            let found = &self.program.loops[at];
            loops.push(format!("{} = {}", found.name, model_thread.slots[found.index as usize]));
            around = found.outer;
        }
        for part in loops.into_iter().rev() {
            text += &format!(", {part}");
        }
        text
    }

    /// Writes something down, if the history of its subject is asked for.
    pub fn note(&mut self, a: usize, subject: Subject, what: impl FnOnce(&Self) -> String) {
        let Some((subjects, _)) = &self.log else { return };
        let touches = |wanted: &Subject| match (*wanted, subject) {
            (Subject::Bytes { block, start, end }, Subject::Bytes { block: other, start: from, end: to }) => {
                block == other && start < to && from < end
            }
            (wanted, subject) => wanted == subject,
        };
        if subjects.iter().any(touches) {
            let pc = self.model_threads[a].pc;
            let entry = Entry { pc, who: self.who(a, pc), what: what(self) };
            if let Some((_, entries)) = &mut self.log {
                entries.push(entry);
            }
        }
    }

    /// Everybody waits.
    pub fn stuck(&self) -> Stop {
        let waiting: Vec<usize> = (0..self.model_threads.len()).filter(|&a| !self.model_threads[a].done).collect();
        let mut faults: Vec<(u8, Stop)> = waiting.iter().filter_map(|&a| self.waits_for_ever(a)).collect();
        faults.sort_by_key(|&(rank, _)| rank);
        let mut fault = match faults.into_iter().next() {
            Some((_, fault)) => fault,
            None => self.fault(&DEADLOCK, waiting[0], "deadlocks".to_owned(), "", vec![]),
        };
        for a in waiting.into_iter().filter(|&a| a != fault.model_thread) {
            let pc = self.model_threads[a].pc;
            fault.others.push((a, pc, format!("{} waits here", self.who(a, pc))));
        }
        fault
    }

    /// The number of a stage.
    pub fn stage(&self, a: usize, stage: Option<Slot>, count: i64, name: u32) -> Result<u32, Stop> {
        let Some(slot) = stage else { return Ok(0) };
        match self.model_threads[a].slots[slot as usize] {
            UNKNOWN => {
                let message = format!("the stage of {} does not follow from sizes and positions", self.name(name));
                Err(self.fault(&NOT_CHECKED, a, message, "", vec![]))
            }
            stage if (0..count).contains(&stage) => Ok(stage as u32),
            stage => {
                let message = format!("{} has {count} stages, and none of number {stage}", self.name(name));
                Err(self.fault(&READ_TOO_EARLY, a, message, "begin again at stage 0 after the last", vec![]))
            }
        }
    }

    /// The name of a value.
    pub fn name(&self, name: u32) -> &'p str {
        &self.program.names[name as usize]
    }
}
