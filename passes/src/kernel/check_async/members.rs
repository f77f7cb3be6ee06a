//! Runs that are made together, and where their model threads are in each.

use std::rc::Rc;

use super::event_streams::{Behaviour, EventStreams, Feed, Id};
use super::machine::ModelThread;
use super::scenarios::{Launch, Scenario};

/// How many events are looked at to see whether runs go on alike.
pub const LOOKAHEAD: usize = 64;

/// A run whose model threads are known to do something.
pub struct Run {
    pub launch: Launch,
    pub scenario: Scenario,
    /// `None` where that cannot be followed.
    pub behaviour: Option<Rc<Behaviour>>,
}

/// A run among those that are made together.
#[derive(Clone)]
pub struct Member {
    /// What its model threads do.
    pub behaviour: Rc<Behaviour>,
    /// How much farther the model threads of each block are in it than in the first one.
    ahead: Vec<Vec<i64>>,
}

impl Member {
    /// A run at its beginning.
    pub fn new(behaviour: &Rc<Behaviour>) -> Member {
        Member {
            behaviour: Rc::clone(behaviour),
            ahead: behaviour.iter().map(|model_threads| vec![0; model_threads.len()]).collect(),
        }
    }

    /// What a model thread does in it.
    #[inline]
    pub fn feed(&self, model_thread: &ModelThread) -> &Feed {
        &self.behaviour[model_thread.block][model_thread.number]
    }

    /// Where a model thread is in that.
    #[inline]
    pub fn place(&self, model_thread: &ModelThread) -> usize {
        (model_thread.next as i64 + self.ahead[model_thread.block][model_thread.number]) as usize
    }

    /// How much farther it is there than in the first run.
    pub fn ahead(&mut self, model_thread: &ModelThread) -> &mut i64 {
        &mut self.ahead[model_thread.block][model_thread.number]
    }

    /// What it does next.
    #[inline]
    pub fn event(&self, event_streams: &EventStreams, model_thread: &ModelThread) -> Option<Id> {
        event_streams.at(self.feed(model_thread), self.place(model_thread))
    }

    /// How many events that come next are some others.
    pub fn alike(&self, event_streams: &EventStreams, model_thread: &ModelThread, first: &[Id]) -> usize {
        let other = event_streams.coming(self.feed(model_thread), self.place(model_thread), first.len());
        // Mostly, and found at once.
        if first == other {
            return first.len();
        }
        first.iter().zip(other).take_while(|(first, other)| first == other).count()
    }

    /// How much some model thread has still to do at most.
    pub fn left(&self, model_threads: &[ModelThread]) -> usize {
        let left =
            |model_thread: &ModelThread| self.feed(model_thread).length().saturating_sub(self.place(model_thread));
        model_threads.iter().map(left).max().unwrap_or(0)
    }
}
