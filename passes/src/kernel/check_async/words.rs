//! Lists of integers with a number each, and rounds of loops with a number for each that may be the last.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Numbers of loops are counted down from here, where no instruction is.
pub const LOOP: i64 = -1;

/// Lists of integers, each kept once.
#[derive(Default)]
pub struct Words {
    /// One after the other, and where each ends.
    letters: Vec<i64>,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

fn word<'a>(letters: &'a [i64], ends: &[usize], number: u32) -> &'a [i64] {
    let number = number as usize;
    &letters[if number > 0 { ends[number - 1] } else { 0 }..ends[number]]
}

impl Words {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list of a number.
    pub fn list(&self, number: u32) -> &[i64] {
        word(&self.letters, &self.ends, number)
    }

    /// The number of a list, and whether it is new. Numbers begin with 0.
    pub fn number(&mut self, list: &[i64]) -> (u32, bool) {
        let hash = FxBuildHasher.hash_one(list);
        let same = |&number: &u32| word(&self.letters, &self.ends, number) == list;
        if let Some(&number) = self.table.find(hash, same) {
            return (number, false);
        }
        let number = self.ends.len() as u32;
        self.letters.extend_from_slice(list);
        self.ends.push(self.letters.len());
        let Words { letters, ends, table } = self;
        table.insert_unique(hash, number, |&number| FxBuildHasher.hash_one(word(letters, ends, number)));
        (number, true)
    }
}

/// What loops do: some rounds, then one more, or the last of them again and again. Number 0 is no round.
#[derive(Default)]
pub struct Chains {
    links: Vec<Link>,
    table: HashTable<u32>,
}

/// What comes last in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Link {
    /// After others, one round, with the number of what it does.
    Round(u32, u32),
    /// After others, what these have more than some that they begin with, so many times.
    Again(u32, u32, u64),
}

impl Chains {
    /// The number of one round more.
    pub fn longer(&mut self, chain: u32, round: u32) -> u32 {
        self.number(Link::Round(chain, round))
    }

    /// The number of a loop that goes on with what it has done since `then`, so many times.
    pub fn again(&mut self, chain: u32, then: u32, times: u64) -> u32 {
        // Nobody notices anything of it.
        if chain == then || times == 0 { chain } else { self.number(Link::Again(chain, then, times)) }
    }

    fn number(&mut self, link: Link) -> u32 {
        let hash = FxBuildHasher.hash_one(link);
        if let Some(&number) = self.table.find(hash, |&number| self.links[number as usize - 1] == link) {
            return number;
        }
        self.links.push(link);
        let Chains { links, table } = self;
        let number = links.len() as u32;
        table.insert_unique(hash, number, |&number| FxBuildHasher.hash_one(links[number as usize - 1]));
        number
    }

    /// What comes last. `None` for no round.
    pub fn last(&self, chain: u32) -> Option<Link> {
        Some(self.links[chain.checked_sub(1)? as usize])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.links.len() + 1
    }
}
