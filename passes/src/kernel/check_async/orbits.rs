//! The rounds of a loop as far as they were followed, and those that come again after them.

use super::loops::Loop;
use super::walk::Walk;
use super::words::{Chains, Link};

/// As many rounds that come again as are unrolled one by one.
pub const WRITTEN: usize = 256;

/// The rounds of a loop, as far as they were followed.
#[derive(Default)]
pub struct Orbit {
    /// What is after each: the first is after none.
    pub rounds: Vec<Behind>,
    /// After how many of them everything is held against what is after later ones, and how many of these come before others
    /// are taken for that (Brent 1980). What was asked of the integer of the loop then.
    pub kept: Option<usize>,
    pub reach: usize,
    signs: Vec<bool>,
    /// How many of the last ones come again and again; 0 as long as that is not known. Then after how many rounds something
    /// else is asked of the integer of the loop, and the numbers of what rounds do that come after those that were followed.
    pub period: usize,
    pub until: i64,
    pub chains: Vec<u32>,
    /// The first round that is of no use.
    pub long: Option<i64>,
}

/// What is after some rounds of a loop.
#[derive(Clone, Copy)]
pub struct Behind {
    /// The number of what they do.
    pub chain: u32,
    /// How much work of each kind it begins.
    pub begun: [i64; 3],
    /// Whether a loop in it walks rings.
    pub around: bool,
    /// Where what they leave begins.
    pub left: usize,
    /// The numbers of the ways that they go, and of the sets of those that rounds go.
    pub ways: u32,
    pub sets: u32,
}

impl Orbit {
    /// Sees whether what is after the last round is what is after one that is kept, but for the integer of the loop, of
    /// which the same is asked for some rounds more. Whether it is. `left` is what rounds leave. Of a run that is not
    /// followed to its end, the same must be asked of all rounds to come.
    pub fn look(&mut self, found: &Loop<'_>, left: &[i64], walk: &Walk, step: i64) -> bool {
        let Some(asked) = &found.asked else { return false };
        let last = self.rounds.len() - 1;
        let mut signs = Vec::with_capacity(asked.len());
        let mut stay = i64::MAX;
        for level in asked {
            let Some((sign, rounds)) = level.stays(&walk.slots, step) else { return false };
            signs.push(sign);
            stay = stay.min(rounds);
        }
        if stay < i64::MAX && !found.ends(walk.whole) {
            return false;
        }
        let numbers = |following: usize| &left[self.rounds[following].left + walk.walked.len()..];
        let comes_again = |kept: usize| {
            let mut both = found.inputs.writes.iter().zip(numbers(kept).iter().zip(numbers(last)));
            signs == self.signs && both.all(|(&slot, (then, now))| then == now || slot == found.index)
        };
        match self.kept {
            Some(kept) if comes_again(kept) => {
                self.period = last - kept;
                self.until = stay.saturating_add(last as i64);
            }
            Some(kept) if last - kept < self.reach => {}
            kept => {
                self.reach = if kept.is_some() { 2 * self.reach } else { found.reach };
                (self.kept, self.signs) = (Some(last), signs);
            }
        }
        self.period > 0
    }

    /// The number of what rounds do, of which so many are not followed.
    pub fn chain(&mut self, again: usize, chains: &mut Chains) -> u32 {
        let followed = self.rounds.len() - 1;
        let start = self.rounds[followed].chain;
        // What a round does that is so far after those that were followed.
        let round = |following: usize, chains: &Chains| {
            let like = followed - self.period + 1 + following % self.period;
            let [then, now] = [like - 1, like].map(|following| self.rounds[following].chain);
            // Nobody notices anything of a round that leaves the number as it is.
            match chains.last(now).filter(|_| now != then) {
                Some(Link::Round(_, round)) => Some(round),
                _ => None,
            }
        };
        if again > WRITTEN {
            let times = again / self.period;
            let mut chain = chains.again(start, self.rounds[followed - self.period].chain, times as u64);
            for following in 0..again % self.period {
                chain = round(following, chains).map_or(chain, |round| chains.longer(chain, round));
            }
            return chain;
        }
        while self.chains.len() < again {
            let before = self.chains.last().copied().unwrap_or(start);
            let next = round(self.chains.len(), chains);
            self.chains.push(next.map_or(before, |round| chains.longer(before, round)));
        }
        self.chains[again - 1]
    }
}
