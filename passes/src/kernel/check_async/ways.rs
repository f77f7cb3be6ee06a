//! The ways that a model thread can go at branches and loops, and those that it has gone.
//!
//! What no run has gone is not verified: so each way is gone in some run, or is shown to be impossible ([`blocks`]).
//!
//! [`blocks`]: super::blocks

use smallvec::SmallVec;

use super::exprs::Expr;
use super::program::{Instr, Pc, Program};

/// What the sets begin with that all model threads of one run have gone, in place of a loop or a model thread.
pub const OF_RUN: i64 = i64::MAX;

/// Ways that were gone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Taken(SmallVec<[i64; 2]>);

impl Taken {
    /// Adds those of another one.
    pub fn add(&mut self, other: &Taken) {
        self.add_list(&other.0);
    }

    /// The same, of a [list](Taken::list).
    pub fn add_list(&mut self, other: &[i64]) {
        if self.0.len() < other.len() {
            self.0.resize(other.len(), 0);
        }
        self.0.iter_mut().zip(other).for_each(|(all, more)| *all |= more);
    }

    /// As integers.
    pub fn list(&self) -> &[i64] {
        &self.0
    }

    /// Adds one.
    #[inline]
    pub fn set(&mut self, number: u32) {
        let at = number as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (number % 64);
    }

    /// The numbers of all.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..64 * self.0.len() as u32).filter(|&number| self.has(number))
    }

    fn has(&self, way: u32) -> bool {
        self.0.get(way as usize / 64).is_some_and(|bits| bits >> (way % 64) & 1 == 1)
    }
}

/// A loop whose trip count is no number.
struct Open {
    /// The instruction with which it begins, and where it ends.
    start: Pc,
    end: Pc,
    /// The rounds that its rings have a use for.
    many: i64,
}

/// The ways of a program: at each branch one on which its condition holds and one on which it does not, at each loop one
/// with rounds and one without, and one with as many rounds as rings have a use for.
pub struct Ways {
    /// Of each instruction the first of its two ways.
    first: Vec<u32>,
    /// The instructions that have some.
    forks: Vec<Pc>,
    /// The loops whose trip counts are no numbers.
    loops: Vec<Open>,
}

impl Ways {
    /// Those of a program.
    pub fn of(program: &Program) -> Ways {
        let is_constant = |bound: &Expr| matches!(bound, Expr::Const(_));
        let is_open = |instr: &Instr| matches!(instr, Instr::Start { bounds, .. } if !bounds.iter().all(is_constant));
        let mut ways = Ways { first: Vec::with_capacity(program.code.len()), forks: Vec::new(), loops: Vec::new() };
        for (pc, instr) in (0..).zip(&program.code) {
            ways.first.push(2 * ways.forks.len() as u32);
            if matches!(instr, Instr::Branch(..) | Instr::BranchOn(..) | Instr::Test { .. }) {
                ways.forks.push(pc);
            }
            if let (true, Some(&Instr::Test { exit, .. })) = (is_open(instr), program.code.get(pc as usize + 1)) {
                // Twice around the deepest ring, and once more.
                let stages = |instr: &Instr| match instr {
                    Instr::Wait { barrier, .. } => Some(i64::from(barrier.count)),
                    _ => None,
                };
                let deepest = program.code[pc as usize..exit as usize].iter().filter_map(stages).max();
                let many = deepest.map_or(program.most_rounds(), |depth| 2 * depth + 2);
                ways.loops.push(Open { start: pc, end: exit, many });
            }
        }
        ways
    }

    /// A loop has so many rounds: one way more, if they are as many as are of use.
    #[inline]
    pub fn go_around(&self, pc: Pc, rounds: i64, taken: &mut Taken) {
        if let Some(number) = self.loop_number(pc).filter(|_| rounds >= self.many(pc).unwrap_or(i64::MAX)) {
            taken.set(number);
        }
    }

    /// The rounds of a loop that are of use; `None` of any other instruction.
    pub fn many(&self, pc: Pc) -> Option<i64> {
        self.loops.iter().find(|of| of.start == pc).map(|of| of.many)
    }

    /// Such loops in another one.
    fn inner<'a>(&'a self, of: &'a Open) -> impl Iterator<Item = Pc> + 'a {
        self.loops.iter().map(|of| of.start).filter(|&pc| of.start < pc && pc < of.end)
    }

    fn loop_number(&self, pc: Pc) -> Option<u32> {
        let number = self.loops.iter().position(|of| of.start == pc)?;
        Some(2 * self.forks.len() as u32 + number as u32)
    }

    /// A model thread goes on after an instruction, or elsewhere.
    #[inline]
    pub fn go(&self, pc: Pc, on: bool, taken: &mut Taken) {
        taken.set(self.first[pc as usize] + u32::from(!on));
    }

    /// The number of a way.
    pub fn number(&self, pc: Pc, on: bool) -> u32 {
        if let Some(number) = self.loop_number(pc) {
            return number;
        }
        self.first[pc as usize] + u32::from(!on)
    }

    /// The instructions that have ways.
    pub fn forks(&self) -> &[Pc] {
        &self.forks
    }

    /// The ways that are not among some: the instruction, and whether it goes on there. A loop with a loop in it that has many
    /// rounds need not have many itself.
    pub fn others<'a>(&'a self, taken: &'a Taken) -> impl Iterator<Item = (Pc, bool)> + 'a {
        let both = self.forks.iter().flat_map(|&pc| [(pc, true), (pc, false)]);
        let is_far = |pc: Pc| self.loop_number(pc).is_some_and(|number| taken.has(number));
        let far = self.loops.iter().filter(move |of| !is_far(of.start) && !self.inner(of).any(is_far));
        both.filter(|&(pc, on)| !taken.has(self.number(pc, on))).chain(far.map(|of| (of.start, true)))
    }
}
