//! Lists of integers with a number each, and rounds of loops with a number for each that may be the last.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Lists of integers, each kept once.
#[derive(Default)]
pub struct Words {
    /// One behind the other, and where each ends.
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

/// What loops do: some rounds, then one more. Number 0 is no round.
#[derive(Default)]
pub struct Chains {
    pairs: Vec<(u32, u32)>,
    table: HashTable<u32>,
}

impl Chains {
    /// The number of one round more.
    pub fn longer(&mut self, chain: u32, round: u32) -> u32 {
        let pair = (chain, round);
        let hash = FxBuildHasher.hash_one(pair);
        if let Some(&number) = self.table.find(hash, |&number| self.pairs[number as usize - 1] == pair) {
            return number;
        }
        self.pairs.push(pair);
        let Chains { pairs, table } = self;
        let number = pairs.len() as u32;
        table.insert_unique(hash, number, |&number| FxBuildHasher.hash_one(pairs[number as usize - 1]));
        number
    }

    /// The rounds before the last one, and the number of that. `None` for no round.
    pub fn last(&self, chain: u32) -> Option<(u32, u32)> {
        Some(self.pairs[chain.checked_sub(1)? as usize])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len() + 1
    }
}
