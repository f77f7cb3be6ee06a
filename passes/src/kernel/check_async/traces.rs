//! What agents do in a run, without running it: the instructions that others can notice, with the numbers that they name.
//!
//! An agent never decides anything by what others do, so it can be followed alone. Two runs in which all agents do the
//! same, of the same numbers, are the same run: one of them is made.
//!
//! What a loop does follows from the numbers that it begins with, so it is followed once for each set of them; what it does
//! is then one number in what is around it. Tokens and parts of tiles are known by how long ago they were made.

use std::cell::Cell;

use smallvec::SmallVec;

use super::exprs::{Expr, Slot};
use super::facts::Facts;
use super::integers::{Doubt, Site, Ways, branch, integer, start};
use super::machine::{MOST_STEPS, Scenario};
use super::program::{DEEPEST, Instr, Pc, Program};
use super::words::Words;

/// Rounds of a loop that are tried however far its rings go in them.
const ROUNDS: i64 = 4;

/// Rounds that some run must have of a loop, so that others with more than are of use are left out.
const SOME: i64 = 3;

/// What is known of a run before it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// It differs from all before.
    New,
    /// One before is the same.
    Before,
    /// The loop that begins at an instruction runs for longer in it than is of use, if another run has some rounds of it.
    Long(Pc),
}

/// The runs that were met.
pub struct Traces<'p> {
    program: &'p Program,
    /// The slot of the number of the first mbarrier of each ring, with its stages.
    rings: Vec<(Slot, i64)>,
    /// By the instruction that begins each; `None` for all others.
    loops: Vec<Option<Loop>>,
    /// What agents and loops do.
    numbers: Words,
    /// The loops that were followed, by the first instruction and what it begins with, and what they leave: how far each
    /// ring was walked, then what is in the slots that the loop writes.
    begins: Words,
    followed: Vec<Followed>,
    left: Vec<i64>,
    met: Words,
    /// Loops around loops of which some rounds were met.
    seen: Vec<Pc>,
    walk: Walk,
}

/// A loop in the text.
struct Loop {
    /// The slots that it reads from before, and those that it writes.
    reads: Vec<Slot>,
    writes: Vec<Slot>,
    exit: Pc,
    /// Whether the text does not say how often it runs.
    varies: bool,
    /// Whether it asks for the number of the block.
    asks: bool,
    /// The most rounds that are of use where no launch says how many there are: with one tile or many.
    cap: i64,
}

/// A loop that was followed to its end.
#[derive(Clone, Copy)]
struct Followed {
    /// The number of what it does.
    number: u32,
    /// How much of it others can notice.
    events: i64,
    /// Where what it leaves begins.
    left: usize,
}

/// An agent on its way.
#[derive(Default)]
struct Walk {
    /// What marks things that it has made.
    tag: i64,
    slots: Vec<i64>,
    trace: Vec<i64>,
    /// How much others could notice so far.
    time: i64,
    branches: u32,
    steps: u64,
    /// How far each ring has been walked.
    walked: Vec<i64>,
    /// The loops around.
    rounds: Vec<Round>,
    /// What they begin with.
    keys: Vec<i64>,
    /// Those of which there were some rounds.
    seen: Vec<Pc>,
    /// Whether an integer is so large that it looks like something made so long ago.
    large: Cell<bool>,
}

/// A loop on the way.
struct Round {
    start: Pc,
    /// Where what it begins with is.
    key: usize,
    /// How much was done before it, and where everything was when it began.
    before: usize,
    time: i64,
    walked: SmallVec<[i64; 8]>,
    /// Whether the text does not say how often it runs, and how many rounds have begun.
    varies: bool,
    begun: i64,
    /// How many of them are of use at most.
    cap: i64,
    /// Whether a loop in it walks rings.
    around: bool,
}

/// Why an agent is followed no further.
enum End {
    Long(Pc),
    Unknown,
}

impl From<Doubt> for End {
    fn from(_: Doubt) -> End {
        End::Unknown
    }
}

/// Where the number of an agent begins in what marks the things that it made. Behind it comes when that was.
const TAG: u32 = 40;

/// A role that an agent begins: the role, the group, the slots.
type Begun = (usize, u32, Vec<i64>);

impl<'p> Traces<'p> {
    /// None so far.
    pub fn new(program: &'p Program) -> Traces<'p> {
        let facts = Facts::of(program);
        let mut rings: Vec<(Slot, i64)> = Vec::new();
        for instr in &program.code {
            if let Instr::Wait { barrier, .. } = instr
                && !rings.iter().any(|&(base, _)| base == barrier.base)
            {
                rings.push((barrier.base, barrier.count.into()));
            }
        }
        Traces {
            program,
            rings,
            loops: (0..program.code.len()).map(|pc| Loop::of(program, &facts, pc as Pc)).collect(),
            numbers: Words::default(),
            begins: Words::default(),
            followed: Vec::new(),
            left: Vec::new(),
            met: Words::default(),
            seen: Vec::new(),
            walk: Walk::default(),
        }
    }

    /// Whether no loop of a run is longer than is of use.
    pub fn is_short(&mut self, scenario: &Scenario, slots: &[i64]) -> bool {
        !matches!(self.key(scenario, slots), Err(End::Long(_)))
    }

    /// Meets a run. `slots` are what the launch has computed.
    pub fn meet(&mut self, scenario: &Scenario, slots: &[i64]) -> Met {
        match self.key(scenario, slots) {
            Ok(key) => {
                self.seen.append(&mut self.walk.seen);
                self.seen.sort_unstable();
                self.seen.dedup();
                match self.met.number(&key) {
                    (_, true) => Met::New,
                    _ => Met::Before,
                }
            }
            Err(End::Long(start)) => Met::Long(start),
            // The machine says what is wrong.
            Err(End::Unknown) => Met::New,
        }
    }

    /// Whether a run was met that has some rounds of a loop around others.
    pub fn has_met(&self, start: Pc) -> bool {
        self.seen.contains(&start)
    }

    /// What the agents do, in their order.
    fn key(&mut self, scenario: &Scenario, slots: &[i64]) -> Result<SmallVec<[i64; 16]>, End> {
        let mut key = SmallVec::new();
        let mut walk = std::mem::take(&mut self.walk);
        walk.seen.clear();
        let Scenario { grid, first, data, .. } = *scenario;
        for rank in 0..self.program.cluster_blocks() {
            let site = Site { cluster: self.program.cluster, grid, first, rank };
            let mut begun = Vec::new();
            walk.begin(0, slots);
            key.push(self.follow(0, &mut walk, Ways { data, group: 0 }, &site, &mut begun)?);
            for (number, (role, group, slots)) in (1..).zip(begun) {
                walk.begin(number, &slots);
                let start = self.program.roles[role].start;
                key.push(self.follow(start, &mut walk, Ways { data, group }, &site, &mut Vec::new())?);
            }
        }
        self.walk = walk;
        Ok(key)
    }

    /// Follows an agent to its end: the number of what it does. `begun` are the roles that it begins.
    fn follow(
        &mut self,
        mut pc: Pc,
        walk: &mut Walk,
        ways: Ways,
        site: &Site,
        begun: &mut Vec<Begun>,
    ) -> Result<i64, End> {
        let program = self.program;
        walk.walked.resize(self.rings.len(), 0);
        loop {
            walk.steps += 1;
            if walk.steps > MOST_STEPS {
                return Err(End::Unknown);
            }
            let slots = &mut walk.slots;
            let instr = &program.code[pc as usize];
            match instr {
                Instr::End if walk.large.get() => return Err(End::Unknown),
                Instr::End => return Ok(self.numbers.number(&walk.trace).0.into()),
                Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(slots),
                Instr::Move(moves) => shift(moves, slots),
                Instr::Start { index, last, step, bounds } => {
                    for (slot, value) in [index, last, step].into_iter().zip(start(bounds, slots)?) {
                        slots[*slot as usize] = value;
                    }
                    let Some(found) = &self.loops[pc as usize] else { return Err(End::Unknown) };
                    let key = walk.begins_with(pc, found, site);
                    if let Some(number) = self.begins.find(&walk.keys[key..]).filter(|_| !program.data) {
                        let followed = self.followed[number as usize];
                        walk.keys.truncate(key);
                        walk.leap(found, followed, &self.left[followed.left..]);
                        pc = found.exit;
                        continue;
                    }
                    walk.enter(pc, key, found);
                }
                Instr::Test { index, last, exit } => {
                    if slots[*index as usize] >= slots[*last as usize] {
                        if let Some(round) = walk.rounds.pop() {
                            self.leave(walk, round);
                        }
                        pc = *exit;
                        continue;
                    }
                    if let Some(round) = walk.rounds.last_mut() {
                        round.begun += 1;
                        if round.begun > ROUNDS && !round.is_of_use(&self.rings, &walk.walked) {
                            return Err(End::Long(round.start));
                        }
                    }
                }
                Instr::Next { index, step, head } => {
                    slots[*index as usize] = slots[*index as usize].saturating_add(slots[*step as usize]);
                    pc = *head;
                    continue;
                }
                Instr::Jump(to) => {
                    pc = *to;
                    continue;
                }
                Instr::Branch(..) | Instr::BranchOn(..) | Instr::BranchData(_) => {
                    pc = branch(instr, pc, slots, ways, &mut walk.branches)?;
                    continue;
                }
                Instr::Block(..) | Instr::Binary(..) | Instr::Advance { .. } | Instr::Order { .. } => {
                    integer(instr, slots, site);
                }
                Instr::Fork(role) => {
                    let info = &program.roles[*role];
                    for group in 0..info.groups {
                        let mut slots = slots.clone();
                        if let Some(slot) = info.group {
                            slots[slot as usize] = group.into();
                        }
                        begun.push((*role, group, slots));
                    }
                    walk.notice(instr, pc);
                }
                _ => {
                    if let Instr::Wait { barrier, .. } = instr
                        && let Some(ring) = self.rings.iter().position(|&(base, _)| base == barrier.base)
                    {
                        walk.walked[ring] += 1;
                    }
                    walk.notice(instr, pc);
                }
            }
            pc += 1;
        }
    }

    /// A loop is at its end.
    fn leave(&mut self, walk: &mut Walk, round: Round) {
        let Some(found) = &self.loops[round.start as usize] else { return };
        let (number, _) = self.numbers.number(&walk.trace[round.before..]);
        walk.trace.truncate(round.before);
        walk.trace.push(LOOP - i64::from(number));
        let left = self.left.len();
        self.left.extend(walk.walked.iter().zip(&round.walked).map(|(now, then)| now - then));
        if let Some(outer) = walk.rounds.last_mut() {
            outer.around |= self.left[left..].iter().any(|&by| by > 0);
        }
        self.left.extend(found.writes.iter().map(|&slot| walk.since(walk.slots[slot as usize])));
        // Where branches depend on data a loop may have been followed before.
        if let (_, true) = self.begins.number(&walk.keys[round.key..]) {
            self.followed.push(Followed { number, events: walk.time - round.time, left });
        }
        walk.keys.truncate(round.key);
        if (round.around || round.cap < i64::MAX) && round.begun >= SOME && !walk.seen.contains(&round.start) {
            walk.seen.push(round.start);
        }
    }
}

/// Numbers of loops are counted down from here, where no instruction is.
const LOOP: i64 = -1;

impl Loop {
    /// `None` for one that begins roles.
    fn of(program: &Program, facts: &Facts<'_>, start: Pc) -> Option<Loop> {
        let Instr::Start { bounds, .. } = &program.code[start as usize] else { return None };
        let Instr::Test { exit, .. } = &program.code[start as usize + 1] else { return None };
        let (mut reads, mut writes, mut read, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for instr in &program.code[start as usize..*exit as usize] {
            if matches!(instr, Instr::Fork(_)) {
                return None;
            }
            instr.reads(&mut read);
            reads.extend(read.drain(..).filter(|slot| !writes.contains(slot)));
            instr.writes(&mut written);
            writes.append(&mut written);
        }
        for slots in [&mut reads, &mut writes] {
            slots.sort_unstable();
            slots.dedup();
        }
        let varies = !bounds.iter().all(|bound| matches!(bound, Expr::Const(_)));
        let code = &program.code[start as usize..*exit as usize];
        let asks = code.iter().any(|instr| matches!(instr, Instr::Block(..)));
        // The launches are chosen by the trip counts that follow from symbols alone.
        let cap = if bounds.iter().all(|bound| facts.is_known(bound)) { i64::MAX } else { program.most_rounds() };
        Some(Loop { reads, writes, exit: *exit, varies, asks, cap })
    }
}

impl Walk {
    /// Begins again as an agent of a number.
    fn begin(&mut self, number: i64, slots: &[i64]) {
        self.tag = 1 << (63 - TAG - 2) | number;
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        (self.time, self.branches, self.steps) = (0, 0, 0);
        self.large.set(false);
        self.trace.clear();
        self.walked.clear();
        self.rounds.clear();
        self.keys.clear();
    }

    /// A number; of things that the agent has made, how long ago.
    fn since(&self, value: i64) -> i64 {
        match value >> TAG == self.tag {
            true => 1 << 62 | (self.time - (value & ((1 << TAG) - 1))),
            false => {
                self.large.set(self.large.get() || value >> 62 == 1);
                value
            }
        }
    }

    /// The number again.
    fn at(&self, since: i64) -> i64 {
        match since >> 62 == 1 {
            true => self.tag << TAG | (self.time - (since & !(1 << 62))),
            false => since,
        }
    }

    /// Others can notice what it does.
    fn notice(&mut self, instr: &Instr, pc: Pc) {
        let mut trace = std::mem::take(&mut self.trace);
        trace.push(pc.into());
        instr.operands(&mut |slot: Slot| trace.push(self.since(self.slots[slot as usize])));
        self.trace = trace;
        if let Instr::Slice { at, .. } = instr {
            self.trace.extend(at.iter().map(|expr| expr.eval(&self.slots)));
        }
        self.time += 1;
        for slot in instr.made() {
            self.slots[slot as usize] = self.tag << TAG | self.time;
        }
    }

    /// Adds what a loop begins with to the keys.
    fn begins_with(&mut self, pc: Pc, found: &Loop, site: &Site) -> usize {
        let from = self.keys.len();
        self.keys.push(pc.into());
        if found.asks {
            self.keys.extend(site.first.into_iter().chain(site.grid).chain([site.rank as i64]));
        }
        for &slot in &found.reads {
            self.keys.push(self.since(self.slots[slot as usize]));
        }
        from
    }

    /// Does what a loop does.
    fn leap(&mut self, found: &Loop, followed: Followed, left: &[i64]) {
        self.trace.push(LOOP - i64::from(followed.number));
        self.time += followed.events;
        let (walked, writes) = left.split_at(self.walked.len());
        for (&slot, &value) in found.writes.iter().zip(writes) {
            self.slots[slot as usize] = self.at(value);
        }
        for (all, by) in self.walked.iter_mut().zip(walked) {
            *all += by;
        }
        if let Some(outer) = self.rounds.last_mut() {
            outer.around |= walked.iter().any(|&by| by > 0);
        }
    }

    fn enter(&mut self, start: Pc, key: usize, found: &Loop) {
        let Loop { varies, cap, .. } = *found;
        let (before, time, walked) = (self.trace.len(), self.time, SmallVec::from_slice(&self.walked));
        self.rounds.push(Round { start, key, before, time, walked, varies, cap, begun: 0, around: false });
    }
}

impl Round {
    /// Whether the round that begins may show something new. Around loops that walk rings it does so in the first few, and
    /// until each ring that is waited for has gone around twice, and on. Others show it in as many as are tried where
    /// launches say how many there are.
    fn is_of_use(&self, rings: &[(Slot, i64)], walked: &[i64]) -> bool {
        let is_short = |(&(_, stages), (walked, before)): (&(Slot, i64), (&i64, &i64))| {
            walked > before && walked - before < 2 * stages.min(DEEPEST) + 2
        };
        let rings = || rings.iter().zip(walked.iter().zip(&self.walked)).any(is_short);
        !self.varies || if self.around { rings() } else { self.begun <= self.cap }
    }
}

/// All the second slots are read, then the first ones are written.
pub fn shift(moves: &[(Slot, Slot)], slots: &mut [i64]) {
    let mut values = [0; 16];
    if moves.len() > values.len() {
        let values: Vec<i64> = moves.iter().map(|&(_, from)| slots[from as usize]).collect();
        moves.iter().zip(values).for_each(|(&(to, _), value)| slots[to as usize] = value);
        return;
    }
    for (value, &(_, from)) in values.iter_mut().zip(moves) {
        *value = slots[from as usize];
    }
    for (value, &(to, _)) in values.iter().zip(moves) {
        slots[to as usize] = *value;
    }
}
