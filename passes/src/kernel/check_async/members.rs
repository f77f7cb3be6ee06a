//! Runs that are made together, and where their agents are in each.

use std::rc::Rc;

use super::feeds::{Does, Feed, Feeds, Id};
use super::machine::Agent;
use super::scenarios::{Launch, Scenario};

/// How many events are looked at to see whether runs go on alike.
const AHEAD: usize = 64;

/// A run whose agents are known to do something.
pub struct Run {
    pub launch: Launch,
    pub scenario: Scenario,
    /// `None` where that cannot be followed.
    pub does: Option<Rc<Does>>,
}

/// A run among those that are made together.
#[derive(Clone)]
pub struct Member {
    /// What its agents do.
    pub does: Rc<Does>,
    /// How much farther the agents of each block are in it than in the first one.
    ahead: Vec<Vec<i64>>,
}

impl Member {
    /// A run at its beginning.
    pub fn new(does: &Rc<Does>) -> Member {
        Member { does: Rc::clone(does), ahead: does.iter().map(|agents| vec![0; agents.len()]).collect() }
    }

    /// What an agent does in it.
    #[inline]
    pub fn feed(&self, agent: &Agent) -> &Feed {
        &self.does[agent.block][agent.number]
    }

    /// Where an agent is in that.
    #[inline]
    pub fn place(&self, agent: &Agent) -> usize {
        (agent.next as i64 + self.ahead[agent.block][agent.number]) as usize
    }

    /// How much farther it is there than in the first run.
    pub fn ahead(&mut self, agent: &Agent) -> &mut i64 {
        &mut self.ahead[agent.block][agent.number]
    }

    /// What it does next.
    #[inline]
    pub fn event(&self, feeds: &Feeds, agent: &Agent) -> Option<Id> {
        feeds.at(self.feed(agent), self.place(agent))
    }

    /// How many events that come next are the same as in the first run, as far as is looked ahead.
    pub fn alike(&self, feeds: &Feeds, agent: &Agent) -> usize {
        let first = feeds.coming(&agent.feed, agent.next, AHEAD);
        let other = feeds.coming(self.feed(agent), self.place(agent), AHEAD);
        // Mostly, and found at once.
        if first == other {
            return first.len();
        }
        first.iter().zip(other).take_while(|(first, other)| first == other).count()
    }

    /// How much some agent has still to do at most.
    pub fn left(&self, agents: &[Agent]) -> usize {
        let left = |agent: &Agent| self.feed(agent).length().saturating_sub(self.place(agent));
        agents.iter().map(left).max().unwrap_or(0)
    }
}
