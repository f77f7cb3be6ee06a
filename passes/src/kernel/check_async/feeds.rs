//! What agents do in a run as a list of events each, from which the machine is fed.
//!
//! An event is an instruction with the numbers that it names; agents repeat few of them over and over, so that they are
//! numbered. What a round of a loop does is written out once.

use std::rc::Rc;

use super::program::{Pc, Program};
use super::traces::{Chains, LOOP, Made};
use super::words::Words;

/// What agents do in runs.
#[derive(Default)]
pub struct Feeds {
    /// Each event: the instruction, then what it names.
    pub events: Words,
    /// How long ago an event names something that the agent made, at most.
    pub reaches: Vec<i64>,
    /// Of each block of the cluster: the events of all its warps together, and of each agent that begins, in order.
    pub blocks: Vec<Vec<Rc<[u32]>>>,
    /// What was written out, by its number.
    written: Vec<Option<Rc<[u32]>>>,
}

impl Feeds {
    /// A run: the numbers of what its agents do, and where those of each block begin.
    pub fn set(&mut self, program: &Program, numbers: &Words, chains: &Chains, agents: &[i64], blocks: &[usize]) {
        self.written.resize(numbers.len(), None);
        self.blocks.clear();
        for (at, &from) in blocks.iter().enumerate() {
            let to = blocks.get(at + 1).copied().unwrap_or(agents.len());
            let write = |&number: &i64| self.write(program, numbers, chains, number as usize);
            let written = agents[from..to].iter().map(write).collect();
            self.blocks.push(written);
        }
    }

    /// An event: the instruction, and the numbers that it names.
    #[inline]
    pub fn event(&self, number: u32) -> (Pc, &[i64]) {
        let (pc, numbers) = self.events.list(number).split_at(1);
        (pc[0] as Pc, numbers)
    }

    fn write(&mut self, program: &Program, numbers: &Words, chains: &Chains, number: usize) -> Rc<[u32]> {
        if let Some(written) = &self.written[number] {
            return Rc::clone(written);
        }
        let mut letters = numbers.list(number as u32);
        let mut all = Vec::with_capacity(letters.len());
        while let Some(&first) = letters.first() {
            let count = if first > LOOP { 1 + program.operands[first as usize].len() } else { 1 };
            let (event, rest) = letters.split_at(count);
            letters = rest;
            if first <= LOOP {
                for round in chains.rounds((LOOP - first) as u32) {
                    all.extend_from_slice(&self.write(program, numbers, chains, round as usize));
                }
                continue;
            }
            let (id, is_new) = self.events.number(event);
            if is_new {
                let ago = |&value: &i64| if let Some(Made::Ago(ago)) = Made::of(value) { ago + 1 } else { 0 };
                self.reaches.push(event[1..].iter().map(ago).max().unwrap_or(0));
            }
            all.push(id);
        }
        let written: Rc<[u32]> = all.into();
        self.written[number] = Some(Rc::clone(&written));
        written
    }
}
