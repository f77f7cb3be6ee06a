//! The rounds of a loop as far as they were followed, and those that come again behind them.

use super::loops::Loop;
use super::walk::Walk;
use super::words::Chains;

/// The rounds of a loop, as far as they were followed.
#[derive(Default)]
pub struct Orbit {
    /// What is behind each: the first is behind none.
    pub rounds: Vec<Behind>,
    /// Behind how many of them everything is held against what is behind later ones, and how many of these come before others
    /// are taken for that (Brent 1980).
    pub kept: Option<usize>,
    pub reach: usize,
    /// How many of the last ones come again and again; 0 as long as that is not known. Then the numbers of what rounds do
    /// that come behind those that were followed.
    pub period: usize,
    pub chains: Vec<u32>,
    /// The first round that is of no use.
    pub long: Option<i64>,
}

/// What is behind some rounds of a loop.
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
}

impl Orbit {
    /// Sees whether what is behind the last round is what is behind one that is kept, but for the integer of the loop, of
    /// which nothing new is asked. Whether it is. `left` is what rounds leave.
    pub fn look(&mut self, found: &Loop<'_>, left: &[i64], walk: &Walk) -> bool {
        let Some(asked) = &found.asked else { return false };
        let last = self.rounds.len() - 1;
        let Some(kept) = self.kept else {
            if asked.iter().all(|level| level.stays(&walk.slots)) {
                (self.kept, self.reach) = (Some(last), found.reach);
            }
            return false;
        };
        let numbers = |behind: usize| &left[self.rounds[behind].left + walk.walked.len()..];
        let mut both = found.inputs.writes.iter().zip(numbers(kept).iter().zip(numbers(last)));
        if both.all(|(&slot, (then, now))| then == now || slot == found.index) {
            self.period = last - kept;
        } else if last - kept >= self.reach {
            (self.kept, self.reach) = (Some(last), 2 * self.reach);
        }
        self.period > 0
    }

    /// The number of what rounds do, of which so many are not followed.
    pub fn chain(&mut self, again: usize, chains: &mut Chains) -> u32 {
        let followed = self.rounds.len() - 1;
        while self.chains.len() < again {
            let like = followed - self.period + 1 + self.chains.len() % self.period;
            let before = self.chains.last().copied().unwrap_or(self.rounds[followed].chain);
            let [then, now] = [like - 1, like].map(|behind| self.rounds[behind].chain);
            // Nobody notices anything of a round that leaves the number as it is.
            let round = chains.last(now).filter(|_| now != then);
            self.chains.push(round.map_or(before, |(_, round)| chains.longer(before, round)));
        }
        self.chains[again - 1]
    }
}
