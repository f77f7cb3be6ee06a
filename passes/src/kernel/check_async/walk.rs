//! A model thread on its way through the program, and what it has done so far that others can notice.

use smallvec::SmallVec;

use super::event_streams::KIND;
use super::exprs::{Slot, UNKNOWN};
use super::integers::{Site, rounds, start};
use super::loops::{Inputs, Loop};
use super::program::{Instr, Pc};
use super::ways::Taken;

/// The rest of a round on the way.
pub struct Open {
    /// Its number among those that are looked for, and where it ends.
    pub number: Option<usize>,
    pub end: Pc,
    /// How much was done before it, and where everything was when it began.
    pub before: usize,
    pub work: [i64; 3],
    pub walked: SmallVec<[i64; 8]>,
    /// What was known of the loops around, and which ways were gone before.
    pub around: bool,
    pub seen: Vec<Pc>,
    pub ways: Taken,
    pub sets: Taken,
}

/// A model thread on its way.
#[derive(Default)]
pub struct Walk {
    /// What marks things that it has made.
    pub tag: i64,
    pub slots: Vec<i64>,
    pub trace: Vec<i64>,
    /// How much work of each kind it has begun.
    pub work: [i64; 3],
    /// The truth values of data that it has asked for.
    pub choices: u32,
    pub steps: u64,
    /// The instructions that were followed one by one, of all model threads of a run.
    pub all_steps: u64,
    /// How far each ring has been walked.
    pub walked: Vec<i64>,
    /// The loops around.
    // Taken out and put back in each round.
    #[allow(clippy::vec_box)]
    pub rounds: Vec<Box<Round>>,
    /// The rests of their rounds.
    pub open: Vec<Open>,
    /// What they begin with.
    pub keys: Vec<i64>,
    /// Those of which there were some rounds.
    pub seen: Vec<Pc>,
    /// Whether it is followed however long it goes on.
    pub whole: bool,
    /// Whether an integer is so large that it looks like something that was made.
    pub large: bool,
    /// The ways that it has gone in the round that it is in, and the numbers of all that rounds went before.
    pub ways: Taken,
    pub sets: Taken,
}

/// A loop on the way.
pub struct Round {
    pub start: Pc,
    /// Whether it may be one that was followed, and which.
    pub orbits: bool,
    pub orbit: Option<usize>,
    /// What its rounds have done so far.
    pub chain: u32,
    /// How much was done before it, and where everything was when it began.
    pub before: usize,
    pub work: [i64; 3],
    pub walked: SmallVec<[i64; 8]>,
    /// Whether the text does not say how often it runs, and how many rounds have begun.
    pub varies: bool,
    pub begun: i64,
    /// How many of them are of use at most.
    pub cap: i64,
    /// Whether a loop in it walks rings.
    pub around: bool,
    /// Whether rings were walked in stretches before.
    pub walks: bool,
    /// The ways that were gone before it in the round around it, and those of its own rounds.
    pub before_it: Taken,
    pub ways: Taken,
    pub sets: Taken,
}

/// Where the number of a model thread begins in what marks the things that it made, before the kind of work and its number.
const TAG: u32 = 40;

/// What marks things that the warps of a block made before roles began.
const ROOT: i64 = 1 << (63 - TAG - 2);

impl Walk {
    /// Begins again as a model thread of a number.
    pub fn begin(&mut self, number: i64, slots: &[i64]) {
        self.tag = ROOT | number;
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        (self.work, self.choices, self.steps) = ([0; 3], 0, 0);
        self.large = false;
        self.trace.clear();
        self.walked.clear();
        self.rounds.clear();
        self.open.clear();
        self.keys.clear();
        (self.ways, self.sets) = (Taken::default(), Taken::default());
    }

    /// A number; of things that the model thread has made, how many of their kind ago.
    #[inline]
    pub fn since(&mut self, value: i64) -> i64 {
        if value >> 61 <= 0 {
            return value;
        }
        match value >> TAG {
            tag if tag == self.tag => {
                let (kind, number) = (value >> KIND & 3, value & ((1 << KIND) - 1));
                match self.work.get(kind as usize).filter(|&&begun| number <= begun) {
                    Some(begun) => 1 << 62 | kind << KIND | (begun - number),
                    // It looks like what nobody has made.
                    None => self.too_large(),
                }
            }
            ROOT if value >> KIND & 3 < 3 => value,
            _ => self.too_large(),
        }
    }

    /// In the place of an integer that looks like something that was made.
    fn too_large(&mut self) -> i64 {
        self.large = true;
        UNKNOWN
    }

    /// The number again.
    pub fn at(&self, since: i64) -> i64 {
        let kind = since >> KIND & 3;
        match self.work.get(kind as usize).filter(|_| since >> 62 == 1) {
            Some(begun) => self.tag << TAG | kind << KIND | (begun - (since & ((1 << KIND) - 1))),
            None => since,
        }
    }

    /// Others can notice what it does.
    pub fn notice(&mut self, instr: &Instr, pc: Pc, operands: &[Slot]) {
        self.trace.push(pc.into());
        for &slot in operands {
            let value = self.since(self.slots[slot as usize]);
            self.trace.push(value);
        }
        let Some(kind) = instr.begins() else { return };
        self.work[kind] += 1;
        for slot in instr.made() {
            self.slots[slot as usize] = self.tag << TAG | (kind as i64) << KIND | self.work[kind];
        }
    }

    /// How much work of each kind was begun since there was so much.
    pub fn since_then(&self, then: [i64; 3]) -> [i64; 3] {
        [0, 1, 2].map(|kind: usize| self.work[kind] - then[kind])
    }

    /// Adds what a part of the program depends on to what it begins with.
    pub fn key(&mut self, inputs: &Inputs<'_>, site: &Site) {
        if inputs.asks {
            self.keys.extend(site.first.into_iter().chain(site.grid).chain([site.rank as i64]));
        }
        for condition in &inputs.conditions {
            self.keys.push(condition.holds(&self.slots).map_or(UNKNOWN, i64::from));
        }
        for bounds in &inputs.bounds {
            let values = start(bounds, &self.slots).map(|values| [values[0], values[2], rounds(values)]);
            self.keys.extend(values.unwrap_or([UNKNOWN; 3]));
        }
        for &slot in &inputs.reads {
            let value = self.since(self.slots[slot as usize]);
            self.keys.push(value);
        }
    }

    /// Goes to the end of a part of the program that begins so much work, with what that leaves: how far each ring is
    /// walked, then what is in slots.
    pub fn skip(&mut self, slots: &[Slot], begun: [i64; 3], left: &[i64]) {
        self.work.iter_mut().zip(begun).for_each(|(all, by)| *all += by);
        let (walked, values) = left.split_at(self.walked.len());
        for (&slot, &value) in slots.iter().zip(values) {
            self.slots[slot as usize] = self.at(value);
        }
        for (all, by) in self.walked.iter_mut().zip(walked) {
            *all = all.saturating_add(*by);
        }
    }

    /// There were some rounds of loops.
    pub fn saw(&mut self, loops: &[Pc]) {
        for start in loops {
            if !self.seen.contains(start) {
                self.seen.push(*start);
            }
        }
    }

    /// Goes back to where a loop began, but for what is in slots.
    pub fn return_to(&mut self, round: &Round) {
        self.work = round.work;
        self.walked.copy_from_slice(&round.walked);
    }

    /// A loop that begins here.
    pub fn enter(&self, start: Pc, found: &Loop<'_>) -> Round {
        let Loop { varies, cap, .. } = *found;
        let orbits = found.orbits || found.returns && self.whole;
        let (before, work, walked) = (self.trace.len(), self.work, SmallVec::from_slice(&self.walked));
        Round {
            start,
            orbits,
            orbit: None,
            chain: 0,
            before,
            work,
            walked,
            varies,
            cap,
            begun: 0,
            around: false,
            walks: false,
            before_it: Taken::default(),
            ways: Taken::default(),
            sets: Taken::default(),
        }
    }
}

impl Round {
    /// Whether the round that begins may show something new. Around loops that walk rings it does so in the first few, and
    /// until each ring that is waited for has gone around twice, and on. Others show it in as many as are tried where
    /// launches say how many there are.
    pub fn is_of_use(&self, rings: &[(Slot, i64)], walked: &[i64]) -> bool {
        let is_short = |(&(_, stages), (walked, before)): (&(Slot, i64), (&i64, &i64))| {
            walked > before && walked - before < 2 * stages + 2
        };
        let rings = || rings.iter().zip(walked.iter().zip(&self.walked)).any(is_short);
        !self.varies || if self.around { rings() } else { self.begun <= self.cap }
    }
}
