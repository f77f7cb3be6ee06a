//! The ways that an agent can go at branches and loops, and those that it has gone.
//!
//! What no run has gone is not verified: so each way is gone in some run, or is shown to be impossible ([`blocks`]).
//!
//! [`blocks`]: super::blocks

use smallvec::SmallVec;

use super::program::{Instr, Pc, Program};

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

/// The ways of a program: at each branch one on which its condition holds and one on which it does not, at each loop one
/// with rounds and one without.
pub struct Ways {
    /// Of each instruction the first of its two ways.
    first: Vec<u32>,
    /// The instructions that have some.
    forks: Vec<Pc>,
}

impl Ways {
    /// Those of a program.
    pub fn of(program: &Program) -> Ways {
        let mut ways = Ways { first: Vec::with_capacity(program.code.len()), forks: Vec::new() };
        for (pc, instr) in (0..).zip(&program.code) {
            ways.first.push(2 * ways.forks.len() as u32);
            if matches!(instr, Instr::Branch(..) | Instr::BranchOn(..) | Instr::Test { .. }) {
                ways.forks.push(pc);
            }
        }
        ways
    }

    /// An agent goes on behind an instruction, or elsewhere.
    #[inline]
    pub fn go(&self, pc: Pc, on: bool, taken: &mut Taken) {
        taken.set(self.first[pc as usize] + u32::from(!on));
    }

    /// The number of a way.
    pub fn number(&self, pc: Pc, on: bool) -> u32 {
        self.first[pc as usize] + u32::from(!on)
    }

    /// The instructions that have ways.
    pub fn forks(&self) -> &[Pc] {
        &self.forks
    }

    /// The ways that are not among some, in the order of the text: the instruction, and whether it goes on there.
    pub fn others<'a>(&'a self, taken: &'a Taken) -> impl Iterator<Item = (Pc, bool)> + 'a {
        let both = self.forks.iter().flat_map(|&pc| [(pc, true), (pc, false)]);
        both.filter(|&(pc, on)| !taken.has(self.first[pc as usize] + u32::from(!on)))
    }
}
