//! What agents do in a run, without running it: the instructions that others can notice, with the numbers that they name.
//!
//! An agent never decides anything by what others do, so it can be followed alone. Two runs in which all agents do the
//! same, of the same numbers, are the same run: one of them is made.
//!
//! What the rounds of a loop do follows from the numbers that it begins with, however many there are: so they are followed
//! once for each set of those, as far as any run goes. What a loop does is then one number in what is around it. Tokens are
//! known by how long ago they were made.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::exprs::{Expr, Slot};
use super::facts::Facts;
use super::feeds::Feeds;
use super::integers::{Doubt, Site, Ways, branch, integer, part, rounds, shift, start};
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
    loops: Vec<Option<Loop>>,
    /// What agents and rounds of loops do, and loops round by round.
    numbers: Words,
    chains: Chains,
    /// The loops that were followed, by the first instruction and what it begins with, and what their rounds leave: how far
    /// each ring was walked, then what is in the slots that the loop writes.
    begins: Words,
    orbits: Vec<Orbit>,
    left: Vec<i64>,
    met: Words,
    /// The run that was followed last: what its agents do, and where those of each block begin.
    last: Vec<i64>,
    blocks: Vec<usize>,
    feeds: Feeds,
    /// Loops around loops of which some rounds were met.
    seen: Vec<Pc>,
    walk: Walk,
}

/// A loop in the text.
struct Loop {
    /// The slots that its rounds read from before, and those that it writes which are read later.
    reads: Vec<Slot>,
    writes: Vec<Slot>,
    /// Whether the text does not say how often it runs.
    varies: bool,
    /// Whether its rounds may be some that were followed: loops around others begin with other numbers in each run.
    orbits: bool,
    /// Whether it asks for the number of the block.
    asks: bool,
    /// The most rounds that are of use where no launch says how many there are: with one tile or many.
    cap: i64,
}

/// The rounds of a loop, as far as they were followed.
#[derive(Default)]
struct Orbit {
    /// What is behind each: the first is behind none.
    rounds: Vec<Behind>,
    /// The first round that is of no use.
    long: Option<i64>,
}

/// What is behind some rounds of a loop.
#[derive(Clone, Copy)]
struct Behind {
    /// The number of what they do.
    chain: u32,
    /// How much of it others can notice.
    events: i64,
    /// Whether a loop in it walks rings.
    around: bool,
    /// Where what they leave begins.
    left: usize,
}

/// What loops do: some rounds, then one more. Number 0 is no round.
#[derive(Default)]
pub struct Chains {
    pairs: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
}

impl Chains {
    /// The number of one round more.
    fn longer(&mut self, chain: u32, round: u32) -> u32 {
        let next = self.pairs.len() as u32 + 1;
        let number = *self.numbers.entry((chain, round)).or_insert(next);
        if number == next {
            self.pairs.push((chain, round));
        }
        number
    }

    /// The numbers of the rounds, in order.
    pub fn rounds(&self, mut chain: u32) -> Vec<u32> {
        let mut rounds = Vec::new();
        while chain > 0 {
            let (before, round) = self.pairs[chain as usize - 1];
            rounds.push(round);
            chain = before;
        }
        rounds.reverse();
        rounds
    }
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
    /// Whether it is followed however long it goes on.
    whole: bool,
    /// Whether an integer is so large that it looks like something that was made.
    large: bool,
}

/// A loop on the way.
struct Round {
    start: Pc,
    /// Whether it may be one that was followed, and which.
    orbits: bool,
    orbit: Option<usize>,
    /// What its rounds have done so far.
    chain: u32,
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

/// What marks things that the warps of a block made before roles began.
const ROOT: i64 = 1 << (63 - TAG - 2);

/// Something that was made, as a trace names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// By the agent itself: so much that others can notice was done since.
    Ago(i64),
    /// By the warps of the block before roles began: by the event of that number, from 1 on.
    Root(i64),
}

impl Made {
    /// `None` for an integer.
    #[inline]
    pub fn of(value: i64) -> Option<Made> {
        match value >> 61 {
            2 | 3 => Some(Made::Ago(value & !(1 << 62))),
            1 => Some(Made::Root(value & ((1 << TAG) - 1))),
            _ => None,
        }
    }
}

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
            chains: Chains::default(),
            begins: Words::default(),
            orbits: Vec::new(),
            left: Vec::new(),
            met: Words::default(),
            last: Vec::new(),
            blocks: Vec::new(),
            feeds: Feeds::default(),
            seen: Vec::new(),
            walk: Walk::default(),
        }
    }

    /// Whether no loop of a run is longer than is of use.
    pub fn is_short(&mut self, scenario: &Scenario, slots: &[i64]) -> bool {
        !matches!(self.key(scenario, slots, false), Err(End::Long(_)))
    }

    /// Meets a run. `slots` are what the launch has computed.
    pub fn meet(&mut self, scenario: &Scenario, slots: &[i64]) -> Met {
        match self.key(scenario, slots, false) {
            Ok(()) => {
                self.seen.append(&mut self.walk.seen);
                self.seen.sort_unstable();
                self.seen.dedup();
                match self.met.number(&self.last) {
                    (_, true) => Met::New,
                    _ => Met::Before,
                }
            }
            Err(End::Long(start)) => Met::Long(start),
            Err(End::Unknown) => Met::Unknown,
        }
    }

    /// Follows a run to its end, however long it is. Whether it can be followed.
    pub fn follow_long(&mut self, scenario: &Scenario, slots: &[i64]) -> bool {
        self.key(scenario, slots, true).is_ok()
    }

    /// What the agents do in the run that was followed last.
    pub fn feeds(&mut self) -> &Feeds {
        self.feeds.set(self.program, &self.numbers, &self.chains, &self.last, &self.blocks);
        &self.feeds
    }

    /// Whether a run was met that has some rounds of a loop around others.
    pub fn has_met(&self, start: Pc) -> bool {
        self.seen.contains(&start)
    }

    /// Finds what the agents do, in their order; `whole` however long it is.
    fn key(&mut self, scenario: &Scenario, slots: &[i64], whole: bool) -> Result<(), End> {
        let mut walk = std::mem::take(&mut self.walk);
        let found = self.follow_all(&mut walk, scenario, slots, whole);
        self.walk = walk;
        found
    }

    fn follow_all(&mut self, walk: &mut Walk, scenario: &Scenario, slots: &[i64], whole: bool) -> Result<(), End> {
        walk.seen.clear();
        walk.whole = whole;
        self.last.clear();
        self.blocks.clear();
        let Scenario { grid, first, data, .. } = *scenario;
        for rank in 0..self.program.cluster_blocks() {
            let site = Site { cluster: self.program.cluster, grid, first, rank };
            let mut begun = Vec::new();
            self.blocks.push(self.last.len());
            walk.begin(0, slots);
            let root = self.follow(0, walk, Ways { data, group: 0 }, &site, &mut begun)?;
            self.last.push(root);
            for (number, (role, group, slots)) in (1..).zip(begun) {
                walk.begin(number, &slots);
                let start = self.program.roles[role].start;
                let number = self.follow(start, walk, Ways { data, group }, &site, &mut Vec::new())?;
                self.last.push(number);
            }
        }
        Ok(())
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
                Instr::End if walk.large => return Err(End::Unknown),
                Instr::End => return Ok(self.numbers.number(&walk.trace).0.into()),
                Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(slots),
                Instr::Move(moves) => shift(moves, slots),
                Instr::Start { index, last, step, bounds } => {
                    let values = start(bounds, slots)?;
                    for (slot, value) in [index, last, step].into_iter().zip(values) {
                        slots[*slot as usize] = value;
                    }
                    let Some(found) = &self.loops[pc as usize] else { return Err(End::Unknown) };
                    let mut round = walk.enter(pc, found);
                    if round.orbits {
                        self.go_on(walk, &mut round, values, site)?;
                        walk.slots[*last as usize] = values[1];
                    }
                    walk.rounds.push(round);
                }
                Instr::Test { index, last, exit } => {
                    let Some(mut round) = walk.rounds.pop() else { return Err(End::Unknown) };
                    self.note(walk, &mut round);
                    if walk.slots[*index as usize] >= walk.slots[*last as usize] {
                        self.leave(walk, round);
                        pc = *exit;
                        continue;
                    }
                    round.begun += 1;
                    let is_long = round.begun > ROUNDS && !round.is_of_use(&self.rings, &walk.walked);
                    if is_long && let Some(orbit) = round.orbit {
                        self.orbits[orbit].long.get_or_insert(round.begun);
                    }
                    if is_long && !walk.whole {
                        return Err(End::Long(round.start));
                    }
                    walk.rounds.push(round);
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
                    walk.notice(instr, pc, &program.operands[pc as usize]);
                }
                Instr::Slice { out, of, at } => {
                    slots[*out as usize] = part(program, *of, at, slots).ok_or(Doubt::Part)?;
                }
                _ => {
                    if let Instr::Wait { barrier, .. } = instr
                        && let Some(ring) = self.rings.iter().position(|&(base, _)| base == barrier.base)
                    {
                        walk.walked[ring] += 1;
                    }
                    walk.notice(instr, pc, &program.operands[pc as usize]);
                }
            }
            pc += 1;
        }
    }

    /// Does what the loop that begins is known to do: all of its rounds, or as many as were followed.
    fn go_on(&mut self, walk: &mut Walk, round: &mut Round, values: [i64; 3], site: &Site) -> Result<(), End> {
        let Some(found) = &self.loops[round.start as usize] else { return Ok(()) };
        walk.key(round.start, found, values, site);
        let (number, is_new) = self.begins.number(&walk.keys);
        round.orbit = Some(number as usize);
        if is_new {
            self.orbits.push(Orbit::default());
            return Ok(());
        }
        let orbit = &self.orbits[number as usize];
        let wanted = rounds(values);
        if !walk.whole && orbit.long.is_some_and(|long| long <= wanted) {
            return Err(End::Long(round.start));
        }
        let known = (orbit.rounds.len() as i64 - 1).min(wanted);
        if known > 0 {
            let Behind { chain, events, around, left } = orbit.rounds[known as usize];
            (round.begun, round.chain, round.around) = (known, chain, around);
            walk.time += events;
            let (walked, writes) = self.left[left..].split_at(walk.walked.len());
            for (&slot, &value) in found.writes.iter().zip(writes) {
                walk.slots[slot as usize] = walk.at(value);
            }
            for (all, by) in walk.walked.iter_mut().zip(walked) {
                *all += by;
            }
        }
        Ok(())
    }

    /// A round of a loop is over, or the first has not begun.
    fn note(&mut self, walk: &mut Walk, round: &mut Round) {
        if !round.orbits {
            return;
        }
        // Rounds of which nobody notices anything are none.
        if walk.trace.len() > round.before {
            let (number, _) = self.numbers.number(&walk.trace[round.before..]);
            walk.trace.truncate(round.before);
            round.chain = self.chains.longer(round.chain, number);
        }
        let (Some(found), Some(orbit)) = (&self.loops[round.start as usize], round.orbit) else { return };
        if self.orbits[orbit].rounds.len() as i64 != round.begun {
            return;
        }
        let left = self.left.len();
        self.left.extend(walk.walked.iter().zip(&round.walked).map(|(now, then)| now - then));
        for &slot in &found.writes {
            let value = walk.since(walk.slots[slot as usize]);
            self.left.push(value);
        }
        let Round { chain, around, .. } = *round;
        self.orbits[orbit].rounds.push(Behind { chain, events: walk.time - round.time, around, left });
    }

    /// A loop is at its end.
    fn leave(&mut self, walk: &mut Walk, round: Round) {
        if round.chain > 0 {
            walk.trace.push(LOOP - i64::from(round.chain));
        }
        if let Some(outer) = walk.rounds.last_mut() {
            outer.around |= walk.walked.iter().zip(&round.walked).any(|(now, then)| now > then);
        }
        if (round.around || round.cap < i64::MAX) && round.begun >= SOME && !walk.seen.contains(&round.start) {
            walk.seen.push(round.start);
        }
    }
}

/// Numbers of loops are counted down from here, where no instruction is.
pub const LOOP: i64 = -1;

impl Loop {
    /// `None` for one that begins roles.
    fn of(program: &Program, facts: &Facts<'_>, start: Pc) -> Option<Loop> {
        let Instr::Start { bounds, .. } = &program.code[start as usize] else { return None };
        let Instr::Test { exit, .. } = &program.code[start as usize + 1] else { return None };
        let (mut reads, mut writes, mut read, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        program.code[start as usize].writes(&mut writes);
        for instr in &program.code[start as usize + 1..*exit as usize] {
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
        let is_outer = code[1..].iter().any(|instr| matches!(instr, Instr::Start { .. }));
        let orbits = !(program.data || varies && is_outer);
        // What is neither read in the next round nor behind the loop is of no interest.
        let Instr::Test { index, .. } = &program.code[start as usize + 1] else { return None };
        let mut behind = Vec::new();
        for instr in program.code[..start as usize].iter().chain(&program.code[*exit as usize..]) {
            instr.reads(&mut behind);
        }
        writes.retain(|slot| slot == index || reads.binary_search(slot).is_ok() || behind.contains(slot));
        Some(Loop { reads, writes, varies, orbits, asks, cap })
    }
}

impl Walk {
    /// Begins again as an agent of a number.
    fn begin(&mut self, number: i64, slots: &[i64]) {
        self.tag = ROOT | number;
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        (self.time, self.branches, self.steps) = (0, 0, 0);
        self.large = false;
        self.trace.clear();
        self.walked.clear();
        self.rounds.clear();
        self.keys.clear();
    }

    /// A number; of things that the agent has made, how long ago.
    #[inline]
    fn since(&mut self, value: i64) -> i64 {
        if value >> 61 <= 0 {
            return value;
        }
        match value >> TAG {
            tag if tag == self.tag => 1 << 62 | (self.time - (value & ((1 << TAG) - 1))),
            ROOT => value,
            _ => {
                self.large = true;
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
    fn notice(&mut self, instr: &Instr, pc: Pc, operands: &[Slot]) {
        self.trace.push(pc.into());
        for &slot in operands {
            let value = self.since(self.slots[slot as usize]);
            self.trace.push(value);
        }
        self.time += 1;
        for slot in instr.made() {
            self.slots[slot as usize] = self.tag << TAG | self.time;
        }
    }

    /// What the rounds of a loop begin with.
    fn key(&mut self, pc: Pc, found: &Loop, [first, _, step]: [i64; 3], site: &Site) {
        self.keys.clear();
        self.keys.extend([pc.into(), first, step]);
        if found.asks {
            self.keys.extend(site.first.into_iter().chain(site.grid).chain([site.rank as i64]));
        }
        for &slot in &found.reads {
            let value = self.since(self.slots[slot as usize]);
            self.keys.push(value);
        }
    }

    fn enter(&self, start: Pc, found: &Loop) -> Round {
        let Loop { varies, orbits, cap, .. } = *found;
        let (before, time, walked) = (self.trace.len(), self.time, SmallVec::from_slice(&self.walked));
        Round { start, orbits, orbit: None, chain: 0, before, time, walked, varies, cap, begun: 0, around: false }
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
