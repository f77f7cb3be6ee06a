//! Lists of integers with a number each.

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

    /// The number of a list, if it was kept.
    pub fn find(&self, list: &[i64]) -> Option<u32> {
        let same = |&number: &u32| word(&self.letters, &self.ends, number) == list;
        self.table.find(FxBuildHasher.hash_one(list), same).copied()
    }

    /// The number of a list, and whether it is new. Numbers begin with 0.
    pub fn number(&mut self, list: &[i64]) -> (u32, bool) {
        if let Some(number) = self.find(list) {
            return (number, false);
        }
        let number = self.ends.len() as u32;
        self.letters.extend_from_slice(list);
        self.ends.push(self.letters.len());
        let Words { letters, ends, table } = self;
        let hash = |&number: &u32| FxBuildHasher.hash_one(word(letters, ends, number));
        table.insert_unique(FxBuildHasher.hash_one(list), number, hash);
        (number, true)
    }
}
