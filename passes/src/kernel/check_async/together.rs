//! Runs that begin alike are made together up to where they differ: there the machine keeps its state for each of them.
//!
//! What it does follows from what its model threads have still to do. Runs stay together as long as each model thread has
//! next to do the same in all of them, wherever it is in each: rounds that are left out (`steady`) may be more in one than
//! in another.

use std::rc::Rc;

use super::cells::History;
use super::event_streams::{EventStreams, Id, Made};
use super::machine::{MBarrier, Machine, ModelThread, Named, Remote, Stop};
use super::members::{LOOKAHEAD, Member, Run};
use super::program::Instr;
use super::steady::Steady;
use super::sync::token;

/// How far the model threads have come in a turn of all.
#[derive(Clone, Copy, Default)]
struct Turn {
    /// Whose turn it is.
    at: usize,
    /// Whether it did anything, and whether it has passed a wait.
    moves: bool,
    has_waited: bool,
    /// Whether one before did anything, and whether one has not done everything.
    moved: bool,
    waiting: bool,
}

/// A state of the machine.
#[derive(Clone)]
struct Saved {
    model_threads: Vec<ModelThread>,
    blocks: Vec<Vec<History>>,
    barriers: Vec<MBarrier>,
    named: Vec<Named>,
    remotes: Vec<Remote>,
    steps: u64,
    turn: Turn,
    steady: Steady,
}

/// How a model thread ends its turn.
enum End {
    /// It waits, or has done everything.
    BoundExpr,
    /// It does other things in other runs.
    Differs,
}

impl Machine<'_> {
    /// Makes runs, which `event_streams` says what their model threads do in. How many steps that took.
    ///
    /// Errors: something that is wrong in one of them.
    pub fn make(&mut self, runs: &[Run], event_streams: &EventStreams) -> Result<u64, Stop> {
        let members: Vec<Member> = runs.iter().filter_map(|run| run.behaviour.as_ref()).map(Member::new).collect();
        let (Some(first), Some(member)) = (runs.first(), members.first()) else { return Ok(0) };
        self.prepare(&first.scenario, &first.launch.slots, Rc::clone(&member.behaviour));
        let mut all = 0;
        let mut left = vec![(self.save(Turn::default(), &Steady::default()), members)];
        while let Some((saved, mut members)) = left.pop() {
            let (mut turn, mut steady) = self.restore(saved);
            self.lead(&mut members, &mut steady);
            let from = self.steps;
            while self.go(event_streams, &mut members, &mut turn, &mut steady)? {
                // The first run goes on with those that do the same.
                let model_thread = &self.model_threads[turn.at];
                let next = members[0].event(event_streams, model_thread);
                let (same, others): (Vec<Member>, _) =
                    members.into_iter().partition(|it| it.event(event_streams, model_thread) == next);
                members = same;
                let mut groups: Vec<(Option<Id>, Vec<Member>)> = Vec::new();
                for member in others {
                    let next = member.event(event_streams, model_thread);
                    match groups.iter_mut().find(|(event, _)| *event == next) {
                        Some((_, group)) => group.push(member),
                        None => groups.push((next, vec![member])),
                    }
                }
                let mut saved = Some(self.save(turn, &steady));
                while let Some((_, group)) = groups.pop() {
                    self.copies();
                    let state = if groups.is_empty() { saved.take() } else { saved.clone() };
                    left.extend(state.map(|state| (state, group)));
                    self.is_worth(event_streams.work(), left.len(), 0)?;
                }
            }
            all += self.steps - from;
        }
        Ok(all)
    }

    /// The model threads go on as those of the first run.
    fn lead(&mut self, members: &mut [Member], steady: &mut Steady) {
        let Some((first, others)) = members.split_first_mut() else { return };
        self.behaviour = Rc::clone(&first.behaviour);
        for (at, model_thread) in self.model_threads.iter_mut().enumerate() {
            let ahead = std::mem::take(first.ahead(model_thread));
            model_thread.feed = *first.feed(model_thread);
            model_thread.next = (model_thread.next as i64 + ahead) as usize;
            model_thread.alike = 0;
            for place in steady.kept.iter_mut().filter_map(|kept| kept.places.get_mut(at)) {
                *place = (*place as i64 + ahead) as usize;
            }
            for other in others.iter_mut() {
                *other.ahead(model_thread) -= ahead;
            }
        }
    }

    /// Goes on to the end of the runs, or to where they differ. Whether they do.
    fn go(
        &mut self,
        event_streams: &EventStreams,
        members: &mut [Member],
        turn: &mut Turn,
        steady: &mut Steady,
    ) -> Result<bool, Stop> {
        loop {
            while turn.at < self.model_threads.len() {
                if !self.model_threads[turn.at].done {
                    if let End::Differs = self.play(event_streams, &members[1..], turn)? {
                        return Ok(true);
                    }
                    turn.moved |= turn.moves;
                    turn.waiting |= !self.model_threads[turn.at].done;
                }
                (turn.moves, turn.has_waited) = (false, false);
                turn.at += 1;
            }
            if !turn.waiting {
                return self.ends().map(|()| false);
            }
            if !turn.moved {
                return Err(self.stuck());
            }
            *turn = Turn::default();
            self.is_worth(event_streams.work(), 0, 0)?;
            steady.skip(self, event_streams, members);
        }
    }

    /// A model thread does what was found before that it does, up to the second wait, or until it must wait or has done
    /// everything. So model threads go around rings side by side, and what they do repeats soon (`steady`).
    fn play(&mut self, event_streams: &EventStreams, others: &[Member], turn: &mut Turn) -> Result<End, Stop> {
        let (program, a) = (self.program, turn.at);
        loop {
            let model_thread = &mut self.model_threads[a];
            let next = event_streams.at(&model_thread.feed, model_thread.next);
            if model_thread.next >= model_thread.alike && !others.is_empty() {
                event_streams.looks_at(64 * others.len());
                let first = event_streams.coming(&model_thread.feed, model_thread.next, LOOKAHEAD);
                let alike =
                    others.iter().map(|other| other.alike(event_streams, model_thread, first)).min().unwrap_or(0);
                if alike == 0 && others.iter().any(|other| other.event(event_streams, model_thread) != next) {
                    return Ok(End::Differs);
                }
                model_thread.alike = model_thread.next + alike;
            }
            let Some(event) = next else { break };
            let (pc, numbers) = event_streams.event(event);
            let instr = &program.code[pc as usize];
            let is_wait = match instr {
                Instr::Wait { .. } => true,
                // Where nothing waits for mbarriers, nothing else ends a turn.
                Instr::Meet | Instr::MeetLanes | Instr::Await { .. } => program.arrivals.is_empty(),
                _ => false,
            };
            if is_wait && std::mem::replace(&mut turn.has_waited, true) {
                return Ok(End::BoundExpr);
            }
            model_thread.pc = pc;
            for (&slot, &number) in program.operands[pc as usize].iter().zip(numbers) {
                model_thread.slots[slot as usize] = match Made::of(number) {
                    Some(Made::Ago(kind, ago)) => token(a, model_thread.tickets[kind] - ago),
                    Some(Made::Root(_, number)) => token(model_thread.block, number),
                    None => number,
                };
            }
            self.step(a)?;
            if !self.event(a, instr)? {
                return Ok(End::BoundExpr);
            }
            self.model_threads[a].next += 1;
            turn.moves = true;
        }
        self.model_threads[a].done = true;
        self.ended(a)?;
        turn.moves = true;
        Ok(End::BoundExpr)
    }

    fn save(&mut self, turn: Turn, steady: &Steady) -> Saved {
        self.copies();
        Saved {
            model_threads: self.model_threads.clone(),
            blocks: self.blocks.iter().map(|block| block.save()).collect(),
            barriers: self.barriers.clone(),
            named: self.named.clone(),
            remotes: self.remotes.clone(),
            steps: self.steps,
            turn,
            steady: steady.copied(),
        }
    }

    fn restore(&mut self, saved: Saved) -> (Turn, Steady) {
        let Saved { model_threads, blocks, barriers, named, remotes, steps, turn, steady } = saved;
        (self.model_threads, self.barriers, self.named, self.remotes, self.steps) =
            (model_threads, barriers, named, remotes, steps);
        for (block, saved) in self.blocks.iter_mut().zip(&blocks) {
            block.restore(saved);
        }
        (turn, steady)
    }
}
