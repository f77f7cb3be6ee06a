//! What agents do in a run as a list of events each, from which the machine is fed.
//!
//! An event is an instruction with the numbers that it names; agents repeat few of them over and over, so that they are
//! numbered. What was written out before, of a round of a loop or of the first rounds of one, is copied from where it stands
//! in what it is a part of. Lists are long and are gone through once: so they stand in one place, in small numbers.

use std::ops::Range;
use std::rc::Rc;

use super::program::{Pc, Program};
use super::traces::LOOP;
use super::words::{Chains, Words};

/// The number of an event.
pub type Id = u16;

/// Where the kind of work stands in what marks a thing that was made, before its number.
pub const KIND: u32 = 38;

/// Something that was made, as a trace names it: the kind of work and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// By the agent itself: so much of that kind was begun since.
    Ago(usize, u32),
    /// By the warps of the block before roles began, from 1 on.
    Root(usize, u32),
}

impl Made {
    /// `None` for an integer.
    #[inline]
    pub fn of(value: i64) -> Option<Made> {
        let (kind, number) = ((value >> KIND & 3) as usize, value as u32);
        match value >> 61 {
            2 | 3 => Some(Made::Ago(kind, number)),
            1 => Some(Made::Root(kind, number)),
            _ => None,
        }
    }
}

/// What agents do in runs.
#[derive(Default)]
pub struct Feeds {
    /// Each event: the instruction, then what it names.
    events: Words,
    /// How far back an event names what the agent made, of each kind of work: 1 is the last of it.
    pub reaches: Vec<[u32; 3]>,
    /// The work that an event begins.
    pub begins: Vec<Option<usize>>,
    /// What was written out, one behind the other.
    letters: Vec<Id>,
    /// Where what agents and rounds do is, by its number; and rounds of loops, by the number of the last.
    written: Vec<Option<Feed>>,
    chained: Vec<Option<Feed>>,
}

/// What an agent does, or a part of that.
#[derive(Clone, Copy, Default, Debug)]
pub struct Feed {
    /// Where the events are, and how many.
    start: u32,
    count: u32,
    /// How far back they name what the agent made, of each kind of work.
    pub reach: [u32; 3],
}

/// What the agents of each block of a cluster do: all warps together first, then each agent that begins, in order.
pub type Does = Vec<Vec<Feed>>;

impl Feed {
    /// Nothing so far, from a place on.
    fn beginning(start: usize) -> Feed {
        Feed { start: start as u32, ..Feed::default() }
    }

    /// How many events there are.
    #[inline]
    pub fn length(&self) -> usize {
        self.count as usize
    }

    #[inline]
    fn all(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.length()
    }

    /// Other events come behind.
    fn extend(&mut self, more: usize, reach: [u32; 3]) {
        self.count += more as u32;
        self.reach.iter_mut().zip(reach).for_each(|(all, far)| *all = far.max(*all));
    }
}

impl Feeds {
    /// A run: `agents` are the numbers of what they do, `blocks` where those of each block begin. `None` if there are too
    /// many events.
    pub fn does(
        &mut self,
        program: &Program,
        numbers: &Words,
        chains: &Chains,
        agents: &[i64],
        blocks: &[usize],
    ) -> Option<Rc<Does>> {
        self.written.resize(numbers.len(), None);
        self.chained.resize(chains.len(), None);
        let mut does = Vec::with_capacity(blocks.len());
        for (at, &from) in blocks.iter().enumerate() {
            let to = blocks.get(at + 1).copied().unwrap_or(agents.len());
            let feed = |&number: &i64| match self.written[number as usize] {
                Some(written) => written,
                None => self.write(program, numbers, chains, number as usize),
            };
            does.push(agents[from..to].iter().map(feed).collect());
        }
        let is_small = self.events.len() <= usize::from(Id::MAX) && u32::try_from(self.letters.len()).is_ok();
        is_small.then(|| Rc::new(does))
    }

    /// An event: the instruction, and the numbers that it names.
    #[inline]
    pub fn event(&self, number: Id) -> (Pc, &[i64]) {
        let (pc, numbers) = self.events.list(number.into()).split_at(1);
        (pc[0] as Pc, numbers)
    }

    /// The event at a place. `None` behind the last.
    #[inline]
    pub fn at(&self, feed: &Feed, place: usize) -> Option<Id> {
        (place < feed.length()).then(|| self.letters[feed.start as usize + place])
    }

    /// The events of some places.
    pub fn part(&self, feed: &Feed, places: Range<usize>) -> &[Id] {
        &self.letters[feed.all()][places]
    }

    /// Writes out what an agent or a round of a loop does, behind everything that was written before.
    fn write(&mut self, program: &Program, numbers: &Words, chains: &Chains, number: usize) -> Feed {
        let mut feed = Feed::beginning(self.letters.len());
        if let Some(written) = self.written[number] {
            self.again(&mut feed, written);
            return feed;
        }
        let mut rest = numbers.list(number as u32);
        while let Some(&first) = rest.first() {
            if first <= LOOP {
                let rounds = self.rounds(program, numbers, chains, (LOOP - first) as u32);
                feed.extend(rounds.length(), rounds.reach);
                rest = &rest[1..];
                continue;
            }
            let event;
            (event, rest) = rest.split_at(1 + program.operands[first as usize].len());
            let (id, is_new) = self.events.number(event);
            if is_new {
                let mut named = [0; 3];
                for &value in &event[1..] {
                    if let Some(Made::Ago(kind, ago)) = Made::of(value) {
                        named[kind] = named[kind].max(ago + 1);
                    }
                }
                self.reaches.push(named);
                self.begins.push(program.code[first as usize].begins());
            }
            self.letters.push(id as Id);
            feed.extend(1, self.reaches[id as usize]);
        }
        self.written[number] = Some(feed);
        feed
    }

    /// Writes out what rounds of a loop do.
    fn rounds(&mut self, program: &Program, numbers: &Words, chains: &Chains, chain: u32) -> Feed {
        let mut feed = Feed::beginning(self.letters.len());
        let (mut before, mut coming) = (chain, Vec::new());
        while let Some((shorter, round)) = chains.last(before) {
            if let Some(written) = self.chained[before as usize] {
                self.again(&mut feed, written);
                break;
            }
            coming.push((before, round));
            before = shorter;
        }
        for (chain, round) in coming.into_iter().rev() {
            let round = self.write(program, numbers, chains, round as usize);
            feed.extend(round.length(), round.reach);
            self.chained[chain as usize] = Some(feed);
        }
        feed
    }

    /// What was written out comes again.
    fn again(&mut self, feed: &mut Feed, written: Feed) {
        self.letters.extend_from_within(written.all());
        feed.extend(written.length(), written.reach);
    }
}
