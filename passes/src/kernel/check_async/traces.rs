//! What model threads do in a run, without running it: the instructions that others can notice, with the numbers that they
//! name.
//!
//! A model thread never decides anything by what others do, so it can be followed alone. Two runs in which all model
//! threads do the same, of the same numbers, are the same run: one of them is made.
//!
//! What the rounds of a loop do follows from the numbers that it begins with, however many there are: so they are followed
//! once for each set of those, as far as any run goes. What a loop does is then one number in what is around it. Tokens are
//! known by how many of their kind were made since. Rounds that begin again with what others began with do the same again,
//! if all that they ask of the integer of the loop stays as it is: these are not followed either.
//!
//! Loops around loops begin with other numbers in each run. But the rest of a round, after the integers that it begins with,
//! depends on few of them, through trip counts and conditions: it is followed once for each set of those.

use std::rc::Rc;

use smallvec::SmallVec;

use super::MOST_FOLLOWED;
use super::event_streams::{Behaviour, EventStreams, MOST_BEGUN};
use super::exprs::Slot;
use super::facts::Facts;
use super::integers::{Choices, Site, UnknownInteger, branch, choose, integer, part, rounds, shift, start};
use super::loops::{Body, Loop};
use super::machine::MOST_STEPS;
use super::orbits::{Behind, Orbit, WRITTEN};
use super::program::{Instr, Pc, Program, Role};
use super::scenarios::Scenario;
use super::walk::{Open, Round, Walk};
use super::ways::{OF_RUN, Taken, Ways};
use super::words::{Chains, LOOP, Words};

/// Rounds of a loop that are tried however far its rings go in them.
const ROUNDS: i64 = 4;

/// As many instructions are as much work as keeping what is after a round.
const STEPS_OF_ROUND: u64 = 12;

/// How often the rest of a round is looked for before that is given up.
const FIRST: u32 = 48;

/// Rounds that some run must have of a loop, so that others with more than are of use are left out.
const SOME: i64 = 3;

/// What is known of a run before it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunClass {
    /// It differs from all before.
    New,
    /// It cannot be followed: the machine says what is wrong.
    Unknown,
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
    loops: Vec<Option<Loop<'p>>>,
    /// What is followed once of the rounds of loops around loops, by the instruction that each round begins with.
    bodies: Vec<Option<Body<'p>>>,
    /// Of each, how often it was looked for, and how often it was known.
    looks: Vec<[u32; 2]>,
    /// What model threads and rounds of loops do, and loops round by round.
    numbers: Words,
    chains: Chains,
    /// The loops that were followed, by the first instruction and what it begins with, and what their rounds leave: how far
    /// each ring was walked, then what is in the slots that the loop writes.
    begins: Words,
    orbits: Vec<Orbit>,
    left: Vec<i64>,
    /// What such rounds begin with, and what was found of each; `None` if it was not followed to its end.
    entries: Words,
    done: Vec<Option<Done>>,
    met: Words,
    /// The run that was followed last: what its model threads do, and where those of each block begin.
    last: Vec<i64>,
    blocks: Vec<usize>,
    /// How many truth values of data each model thread of that run asked for.
    choices: Vec<u32>,
    event_streams: EventStreams,
    /// Loops around loops of which some rounds were met.
    seen: Vec<Pc>,
    walk: Walk,
    /// The ways that instructions go, those that were gone in parts that are followed once, those of the run that was
    /// followed last, and those of all runs that were met.
    ways: Ways,
    taken: Words,
    of_last: Gone,
    met_ways: Gone,
    steps: u64,
    /// The ways that were gone together: the loop or the beginning of the model thread, then the ways.
    sets: Words,
}

/// Which ways were gone, and which of the sets that are gone in one round.
#[derive(Clone, Default)]
pub struct Gone {
    /// The ways.
    pub ways: Taken,
    /// The numbers of the sets.
    pub sets: Taken,
}

impl Gone {
    fn add(&mut self, other: &Gone) {
        self.ways.add(&other.ways);
        self.sets.add(&other.sets);
    }
}

/// What is after the rest of a round.
#[derive(Clone)]
struct Done {
    following: Behind,
    /// The loops in it of which there were some rounds.
    seen: SmallVec<[Pc; 2]>,
}

/// Why a model thread is followed no further.
enum End {
    Long(Pc),
    Unknown,
}

impl From<UnknownInteger> for End {
    fn from(_: UnknownInteger) -> End {
        End::Unknown
    }
}

/// A role that a model thread begins: the role, the group, the slots, the ways that were gone before.
type Begun = (usize, u32, Rc<[i64]>, Taken);

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
        let loops: Vec<_> = (0..program.code.len()).map(|pc| Loop::of(program, &facts, pc as Pc)).collect();
        let mut bodies: Vec<Option<Body<'p>>> = (0..program.code.len()).map(|_| None).collect();
        for found in loops.iter().flatten().filter(|found| !found.orbits) {
            bodies[found.head as usize] = Body::of(program, found);
        }
        Traces {
            program,
            rings,
            loops,
            looks: vec![[0; 2]; bodies.len()],
            bodies,
            numbers: Words::default(),
            chains: Chains::default(),
            begins: Words::default(),
            orbits: Vec::new(),
            left: Vec::new(),
            entries: Words::default(),
            done: Vec::new(),
            met: Words::default(),
            last: Vec::new(),
            blocks: Vec::new(),
            choices: Vec::new(),
            event_streams: EventStreams::default(),
            seen: Vec::new(),
            walk: Walk::default(),
            ways: Ways::of(program),
            taken: Words::default(),
            of_last: Gone::default(),
            met_ways: Gone::default(),
            steps: 0,
            sets: Words::default(),
        }
    }

    /// How many instructions were followed in all runs together.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The ways of the program, those that were gone in runs that were met, and the sets that were gone together: by a
    /// loop, by a model thread from an instruction on, or [by all model threads of a run](OF_RUN).
    pub fn ways(&self) -> (&Ways, &Taken, Vec<&[i64]>) {
        let sets = self.met_ways.sets.all().map(|number| self.sets.list(number)).collect();
        (&self.ways, &self.met_ways.ways, sets)
    }

    /// A round is over, or a model thread: the ways that were gone in it.
    fn end_round(&mut self, walk: &mut Walk, scope: i64) -> Taken {
        let ways = std::mem::take(&mut walk.ways);
        walk.keys.clear();
        walk.keys.push(scope);
        walk.keys.extend_from_slice(ways.list());
        let (number, _) = self.sets.number(&walk.keys);
        walk.sets.set(number);
        ways
    }

    /// Whether no loop of a run is longer than is of use; none is where too much was followed before.
    pub fn is_short(&mut self, scenario: &Scenario, slots: &[i64]) -> bool {
        self.steps <= MOST_FOLLOWED && !matches!(self.key(scenario, slots, false), Err(End::Long(_)))
    }

    /// Meets a run. `slots` are what the launch has computed.
    pub fn meet(&mut self, scenario: &Scenario, slots: &[i64]) -> RunClass {
        match self.key(scenario, slots, false) {
            Ok(()) => {
                self.add_last();
                self.seen.append(&mut self.walk.seen);
                self.seen.sort_unstable();
                self.seen.dedup();
                match self.met.number(&self.last) {
                    (_, true) => RunClass::New,
                    _ => RunClass::Before,
                }
            }
            Err(End::Long(start)) => RunClass::Long(start),
            Err(End::Unknown) => RunClass::Unknown,
        }
    }

    /// Meets a run that is followed to its end, however long it is.
    pub fn meet_whole(&mut self, scenario: &Scenario, slots: &[i64]) -> RunClass {
        match self.follow_long(scenario, slots) {
            true if self.met.number(&self.last).1 => RunClass::New,
            true => RunClass::Before,
            false => RunClass::Unknown,
        }
    }

    /// Follows a run to its end, however long it is. Whether it can be followed.
    pub fn follow_long(&mut self, scenario: &Scenario, slots: &[i64]) -> bool {
        let is_followed = self.key(scenario, slots, true).is_ok();
        if is_followed {
            self.add_last();
        }
        is_followed
    }

    /// Adds the ways of the run that was followed last, and that all its model threads went them in one run.
    fn add_last(&mut self) {
        let of_run: Vec<i64> = std::iter::once(OF_RUN).chain(self.of_last.ways.list().iter().copied()).collect();
        self.of_last.sets.set(self.sets.number(&of_run).0);
        self.met_ways.add(&self.of_last);
    }

    /// What the model threads of each block do in the run that was followed last. `None` if that is too much.
    pub fn behaviour(&mut self) -> Option<Rc<Behaviour>> {
        self.event_streams.behaviour(self.program, &self.numbers, &self.chains, &self.last, &self.blocks)
    }

    /// How many truth values of data each model thread of the run that was followed last asked for, all model threads of a
    /// block after another.
    pub fn choices(&self) -> &[u32] {
        &self.choices
    }

    /// What model threads do in all runs.
    pub fn event_streams(&self) -> &EventStreams {
        &self.event_streams
    }

    /// What the model threads do in the run that was followed last, as numbers.
    pub fn last(&self) -> &[i64] {
        &self.last
    }

    /// Whether a run was met that has some rounds of a loop around others.
    pub fn has_met(&self, start: Pc) -> bool {
        self.seen.contains(&start)
    }

    /// Finds what the model threads do, in their order; `whole` however long it is.
    fn key(&mut self, scenario: &Scenario, slots: &[i64], whole: bool) -> Result<(), End> {
        let mut walk = std::mem::take(&mut self.walk);
        let found = self.follow_all(&mut walk, scenario, slots, whole);
        self.steps += walk.all_steps;
        walk.all_steps = 0;
        self.walk = walk;
        found
    }

    fn follow_all(&mut self, walk: &mut Walk, scenario: &Scenario, slots: &[i64], whole: bool) -> Result<(), End> {
        walk.seen.clear();
        walk.whole = whole;
        self.last.clear();
        self.blocks.clear();
        self.choices.clear();
        self.of_last = Gone::default();
        let Scenario { grid, first, ref data, .. } = *scenario;
        let of_block = self.program.threads_of_block();
        for rank in 0..self.program.cluster_blocks() {
            let site = Site { cluster: self.program.cluster, grid, first, rank };
            let mut begun = Vec::new();
            self.blocks.push(self.last.len());
            walk.begin(0, slots);
            let chosen = |number: i64| data.get(rank * of_block + number as usize).copied().unwrap_or_default();
            let root = self.follow(0, walk, chosen(0), &site, &mut begun)?;
            self.choices.resize(rank * of_block + 1, 0);
            self.choices[rank * of_block] = walk.choices;
            self.last.push(root);
            for (number, (role, group, slots, ways)) in (1..).zip(begun) {
                walk.begin(number, &slots);
                walk.ways = ways;
                let Role { start, group: slot, .. } = &self.program.roles[role];
                if let Some(slot) = slot {
                    walk.slots[*slot as usize] = group.into();
                }
                let behaviour = self.follow(*start, walk, chosen(number), &site, &mut Vec::new())?;
                self.choices.push(walk.choices);
                self.last.push(behaviour);
            }
        }
        Ok(())
    }

    /// Follows a model thread to its end: the number of what it does. `begun` are the roles that it begins.
    fn follow(
        &mut self,
        start: Pc,
        walk: &mut Walk,
        choices: Choices,
        site: &Site,
        begun: &mut Vec<Begun>,
    ) -> Result<i64, End> {
        let program = self.program;
        walk.walked.resize(self.rings.len(), 0);
        let mut pc = start;
        loop {
            walk.steps += 1;
            walk.all_steps += 1;
            if walk.steps > MOST_STEPS {
                return Err(End::Unknown);
            }
            let slots = &mut walk.slots;
            let instr = &program.code[pc as usize];
            match instr {
                Instr::End if walk.large => return Err(End::Unknown),
                Instr::End => {
                    let ways = self.end_round(walk, -1 - i64::from(start));
                    self.of_last.ways.add(&ways);
                    self.of_last.sets.add(&walk.sets);
                    return Ok(self.numbers.number(&walk.trace).0.into());
                }
                Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(slots),
                Instr::Move(moves) => shift(moves, slots),
                Instr::Start { .. } => self.begin(pc, walk, site)?,
                Instr::Test { .. } => {
                    if let Some(to) = self.test(pc, walk, site)? {
                        pc = to;
                        continue;
                    }
                }
                Instr::Next { index, step, head } => {
                    if walk.open.last().is_some_and(|open| open.end == pc) {
                        self.close(walk);
                    }
                    let slots = &mut walk.slots;
                    slots[*index as usize] = slots[*index as usize].saturating_add(slots[*step as usize]);
                    pc = *head;
                    continue;
                }
                Instr::Jump(to) => {
                    pc = *to;
                    continue;
                }
                Instr::Choose(slot) => {
                    choose(*slot, slots, choices, &mut walk.choices).ok_or(UnknownInteger::Choices)?;
                }
                Instr::Branch(..) | Instr::BranchOn(..) => {
                    let to = branch(instr, pc, slots)?;
                    self.ways.go(pc, to == pc + 1, &mut walk.ways);
                    pc = to;
                    continue;
                }
                Instr::Block(..) | Instr::Binary(..) | Instr::Advance { .. } | Instr::Order { .. } => {
                    integer(instr, slots, site);
                }
                Instr::Fork(role) => {
                    let info = &program.roles[*role];
                    let slots: Rc<[i64]> = slots.as_slice().into();
                    begun.extend((0..info.groups).map(|group| (*role, group, Rc::clone(&slots), walk.ways.clone())));
                    walk.notice(instr, pc, &program.operands[pc as usize]);
                }
                Instr::Slice { out, of, at } => {
                    slots[*out as usize] = part(program, *of, at, slots).ok_or(UnknownInteger::Part)?;
                }
                _ => {
                    if let Instr::Wait { barrier, .. } = instr
                        && let Some(ring) = self.rings.iter().position(|&(base, _)| base == barrier.base)
                    {
                        walk.walked[ring] = walk.walked[ring].saturating_add(1);
                    }
                    walk.notice(instr, pc, &program.operands[pc as usize]);
                }
            }
            pc += 1;
        }
    }

    /// A loop begins.
    fn begin(&mut self, pc: Pc, walk: &mut Walk, site: &Site) -> Result<(), End> {
        let Instr::Start { index, last, step, bounds } = &self.program.code[pc as usize] else { return Ok(()) };
        let values = start(bounds, &walk.slots)?;
        for (slot, value) in [index, last, step].into_iter().zip(values) {
            walk.slots[*slot as usize] = value;
        }
        let Some(found) = &self.loops[pc as usize] else { return Err(End::Unknown) };
        if !walk.whole && found.is_long(rounds(values)) {
            return Err(End::Long(pc));
        }
        let mut round = Box::new(walk.enter(pc, found));
        round.before_it = std::mem::take(&mut walk.ways);
        round.sets = std::mem::take(&mut walk.sets);
        self.ways.go_around(pc, rounds(values), &mut round.ways);
        if round.orbits {
            self.go_on(walk, &mut round, values, site)?;
            walk.slots[*last as usize] = values[1];
        }
        walk.rounds.push(round);
        Ok(())
    }

    /// A round of a loop begins, or the loop is at its end. Where the model thread goes on, if not after the test.
    fn test(&mut self, pc: Pc, walk: &mut Walk, site: &Site) -> Result<Option<Pc>, End> {
        let Instr::Test { index, last, exit } = &self.program.code[pc as usize] else { return Ok(None) };
        let Some(mut round) = walk.rounds.pop() else { return Err(End::Unknown) };
        if round.begun > 0 {
            let ways = self.end_round(walk, round.start.into());
            round.ways.add(&ways);
        }
        while let Some(orbit) = self.note(walk, &mut round) {
            walk.return_to(&round);
            self.go_around(walk, &mut round, orbit)?;
            self.go_further(walk, &mut round, site)?;
        }
        if walk.slots[*index as usize] >= walk.slots[*last as usize] {
            if round.begun == 0 {
                self.ways.go(pc, false, &mut round.ways);
            }
            self.leave(walk, &round);
            return Ok(Some(*exit));
        }
        self.ways.go(pc, true, &mut round.ways);
        round.begun += 1;
        let is_long = round.begun > ROUNDS && !round.is_of_use(&self.rings, &walk.walked);
        if is_long && let Some(orbit) = round.orbit {
            self.orbits[orbit].long.get_or_insert(round.begun);
        }
        if is_long && !walk.whole {
            return Err(End::Long(round.start));
        }
        walk.rounds.push(round);
        Ok(self.rest(walk, pc, site))
    }

    /// Does what the loop that begins is known to do: all of its rounds, or as many as were followed.
    fn go_on(&mut self, walk: &mut Walk, round: &mut Round, values: [i64; 3], site: &Site) -> Result<(), End> {
        let Some(found) = &self.loops[round.start as usize] else { return Ok(()) };
        // How far one that is followed to its end goes around is another question.
        let is_other = found.ends(walk.whole) != found.ends(false);
        walk.keys.clear();
        walk.keys.extend([round.start.into(), values[0], values[2], is_other.into()]);
        walk.key(&found.inputs, site);
        let (number, is_new) = self.begins.number(&walk.keys);
        round.orbit = Some(number as usize);
        if is_new {
            self.orbits.push(Orbit::default());
            return Ok(());
        }
        let wanted = rounds(values);
        if !walk.whole && self.orbits[number as usize].long.is_some_and(|long| long <= wanted) {
            return Err(End::Long(round.start));
        }
        self.go_around(walk, round, number as usize)?;
        self.go_further(walk, round, site)
    }

    /// Where something else is asked of the integer of a loop from here on, goes on as if the loop began here.
    fn go_further(&mut self, walk: &mut Walk, round: &mut Round, site: &Site) -> Result<(), End> {
        let Some(orbit) = round.orbit.map(|orbit| &self.orbits[orbit]) else { return Ok(()) };
        let Instr::Start { index, last, step, .. } = self.program.code[round.start as usize] else { return Ok(()) };
        let values = [index, last, step].map(|slot| walk.slots[slot as usize]);
        if orbit.period == 0 || round.begun != orbit.until || values[0] >= values[1] {
            return Ok(());
        }
        if round.chain > 0 {
            walk.trace.push(LOOP - i64::from(std::mem::take(&mut round.chain)));
        }
        round.walks |= walk.walked.iter().zip(&round.walked).any(|(now, then)| now > then);
        (round.before, round.work, round.begun) = (walk.trace.len(), walk.work, 0);
        round.walked.copy_from_slice(&walk.walked);
        round.before_it.add(&std::mem::take(&mut round.ways));
        round.sets.add(&std::mem::take(&mut walk.sets));
        self.go_on(walk, round, values, site)
    }

    /// Goes on from where a loop began to after as many of its rounds as are known.
    fn go_around(&mut self, walk: &mut Walk, round: &mut Round, number: usize) -> Result<(), End> {
        let Some(found) = &self.loops[round.start as usize] else { return Ok(()) };
        let Instr::Start { index, last, step, .. } = self.program.code[round.start as usize] else { return Ok(()) };
        let [from, last, step] = [index, last, step].map(|slot| walk.slots[slot as usize]);
        let wanted = round.begun.saturating_add(rounds([from, last, step]));
        let orbit = &mut self.orbits[number];
        let followed = orbit.rounds.len() as i64 - 1;
        let mut known = followed.min(wanted);
        if orbit.period > 0 {
            // What they do is known of all rounds, but not all may be of use.
            let cap = if found.varies && !walk.whole { found.cap } else { i64::MAX };
            known = wanted.min(cap).min(orbit.until).max(known);
        }
        if known <= 0 {
            return Ok(());
        }
        let again = (known - followed).max(0) as usize;
        let written = if again > WRITTEN { orbit.period } else { again };
        walk.steps = walk.steps.saturating_add((written as u64).saturating_mul(u64::from(found.exit - found.head)));
        let times = again.div_ceil(orbit.period.max(1)) as i64;
        let following = orbit.rounds[(known - times * orbit.period as i64) as usize];
        round.chain = if again > 0 { orbit.chain(again, &mut self.chains) } else { following.chain };
        (round.begun, round.around) = (known, following.around);
        let gone = &orbit.rounds[known.min(followed) as usize];
        round.ways.add_list(self.taken.list(gone.ways));
        walk.sets.add_list(self.taken.list(gone.sets));
        let left = &self.left[following.left..];
        if times == 0 {
            walk.skip(&found.inputs.writes, following.begun, left);
            return Ok(());
        }
        let [then, now] =
            [followed as usize - orbit.period, followed as usize].map(|following| orbit.rounds[following]);
        let grown = |before: i64, then: i64, now: i64| before.saturating_add(times.saturating_mul(now - then));
        let begun = [0, 1, 2].map(|kind: usize| grown(following.begun[kind], then.begun[kind], now.begun[kind]));
        if walk.steps > MOST_STEPS || begun.iter().zip(walk.work).any(|(by, all)| by.saturating_add(all) > MOST_BEGUN) {
            return Err(End::Unknown);
        }
        walk.skip(&found.inputs.writes, begun, left);
        for (ring, walked) in walk.walked.iter_mut().enumerate() {
            *walked = grown(*walked, self.left[then.left + ring], self.left[now.left + ring]);
        }
        let on = (times * orbit.period as i64).saturating_mul(step);
        let index = &mut walk.slots[index as usize];
        *index = index.saturating_add(on);
        Ok(())
    }

    /// Goes through the round of a loop around loops that begins, up to where its rest begins; and to the end of that, if it
    /// is known what it does. Where the model thread is then.
    fn rest(&mut self, walk: &mut Walk, head: Pc, site: &Site) -> Option<Pc> {
        let Body { from, end, inputs } = self.bodies[head as usize].as_ref()?;
        let (from, end) = (*from, *end);
        for instr in &self.program.code[head as usize + 1..from as usize] {
            match instr {
                Instr::Move(moves) => shift(moves, &mut walk.slots),
                _ => integer(instr, &mut walk.slots, site),
            }
        }
        walk.steps += u64::from(from - head);
        let [looks, known] = &mut self.looks[head as usize];
        // Where it depends on numbers that hardly come again, it is not looked for.
        let is_of_use = *looks < FIRST || 4 * *known > *looks;
        let mut number = None;
        if is_of_use {
            walk.keys.clear();
            walk.keys.push(from.into());
            walk.key(inputs, site);
            let (entry, is_new) = self.entries.number(&walk.keys);
            if is_new {
                self.done.push(None);
            }
            *looks += 1;
            number = Some(entry as usize);
        }
        match number.and_then(|number| self.done[number].as_ref()) {
            Some(Done { following, seen }) => {
                *known += 1;
                walk.skip(&inputs.writes, following.begun, &self.left[following.left..]);
                if following.chain > 0 {
                    walk.trace.push(LOOP - i64::from(following.chain));
                }
                walk.saw(seen);
                walk.ways.add_list(self.taken.list(following.ways));
                walk.sets.add_list(self.taken.list(following.sets));
                if let Some(round) = walk.rounds.last_mut() {
                    round.around |= following.around;
                }
                Some(end)
            }
            None => {
                let (before, work, walked) = (walk.trace.len(), walk.work, SmallVec::from_slice(&walk.walked));
                let around = walk.rounds.last_mut().is_some_and(|round| std::mem::take(&mut round.around));
                let seen = std::mem::take(&mut walk.seen);
                let (ways, sets) = (std::mem::take(&mut walk.ways), std::mem::take(&mut walk.sets));
                walk.open.push(Open { number, end, before, work, walked, around, seen, ways, sets });
                Some(from)
            }
        }
    }

    /// The rest of a round is over.
    fn close(&mut self, walk: &mut Walk) {
        let (Some(open), Some(round)) = (walk.open.pop(), walk.rounds.last_mut()) else { return };
        let around = round.around;
        round.around |= open.around;
        let head = round.start + 1;
        let mut chain = 0;
        if walk.trace.len() > open.before {
            let (number, _) = self.numbers.number(&walk.trace[open.before..]);
            walk.trace.truncate(open.before);
            chain = self.chains.longer(0, number);
            walk.trace.push(LOOP - i64::from(chain));
        }
        let seen = std::mem::replace(&mut walk.seen, open.seen);
        walk.saw(&seen);
        let [ways, sets] = [&walk.ways, &walk.sets].map(|taken| self.taken.number(taken.list()).0);
        walk.ways.add(&open.ways);
        walk.sets.add(&open.sets);
        let body = self.bodies[head as usize].as_ref().filter(|_| !walk.whole && !walk.large);
        let (Some(Body { inputs, .. }), Some(number)) = (body, open.number) else { return };
        let left = self.left.len();
        self.left.extend(walk.walked.iter().zip(&open.walked).map(|(now, then)| now - then));
        for &slot in &inputs.writes {
            let value = walk.since(walk.slots[slot as usize]);
            self.left.push(value);
        }
        let following = Behind { chain, begun: walk.since_then(open.work), around, left, ways, sets };
        self.done[number] = Some(Done { following, seen: seen.into() });
    }

    /// A round of a loop is over, or the first has not begun. The orbit, if it is seen now that its last rounds come again.
    fn note(&mut self, walk: &mut Walk, round: &mut Round) -> Option<usize> {
        if !round.orbits {
            return None;
        }
        // Rounds of which nobody notices anything are none.
        if walk.trace.len() > round.before {
            let (number, _) = self.numbers.number(&walk.trace[round.before..]);
            walk.trace.truncate(round.before);
            round.chain = self.chains.longer(round.chain, number);
        }
        let (found, number) = (self.loops[round.start as usize].as_ref()?, round.orbit?);
        let Instr::Start { step, .. } = self.program.code[round.start as usize] else { return None };
        let orbit = &mut self.orbits[number];
        if orbit.period > 0 || orbit.rounds.len() as i64 != round.begun {
            return None;
        }
        let left = self.left.len();
        walk.steps = walk.steps.saturating_add(STEPS_OF_ROUND);
        walk.all_steps += STEPS_OF_ROUND;
        self.left.extend(walk.walked.iter().zip(&round.walked).map(|(now, then)| now - then));
        for &slot in &found.inputs.writes {
            let value = walk.since(walk.slots[slot as usize]);
            self.left.push(value);
        }
        let Round { chain, around, .. } = *round;
        let [ways, sets] = [&round.ways, &walk.sets].map(|taken| self.taken.number(taken.list()).0);
        orbit.rounds.push(Behind { chain, begun: walk.since_then(round.work), around, left, ways, sets });
        orbit.look(found, &self.left, walk, walk.slots[step as usize]).then_some(number)
    }

    /// A loop is at its end.
    fn leave(&mut self, walk: &mut Walk, round: &Round) {
        if round.chain > 0 {
            walk.trace.push(LOOP - i64::from(round.chain));
        }
        walk.ways = round.before_it.clone();
        walk.ways.add(&round.ways);
        walk.sets.add(&round.sets);
        if let Some(outer) = walk.rounds.last_mut() {
            outer.around |= round.walks || walk.walked.iter().zip(&round.walked).any(|(now, then)| now > then);
        }
        if (round.around || round.cap < i64::MAX) && round.begun >= SOME {
            walk.saw(&[round.start]);
        }
    }
}
