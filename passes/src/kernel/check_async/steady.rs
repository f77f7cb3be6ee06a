//! Whether a run goes on in circles: then what it would do again is left out.
//!
//! What the machine does next follows from its state and from what its model threads have still to do. Times, tickets,
//! phases and generations are only ever compared with others of the same model thread, kind of work or barrier, so that two
//! states in which all of those are as far apart are one state: numbers that went on did so all alike, those that did not
//! are below, and phases went on by an even number, so that parities are the same. If a state comes again, and each model
//! thread has to do again what it has done since, the machine comes to that state once more, and nothing in between is new.
//!
//! States are compared after each turn of all model threads with one that is kept, which is a later one each time that the
//! number of turns has doubled (Brent 1980). After what was left out a state is kept again. What is left out again and
//! again may come again itself, as the tiles of a loop around a loop over steps do: so the states after what was left out
//! are compared with each other in the same way, and those after what that leaves out again. No other states are: in the
//! middle of the steps a state comes again after some steps, and tiles would never be seen to.

use std::rc::Rc;

use super::cells::{Event, Read, Write};
use super::event_streams::EventStreams;
use super::machine::{Machine, ModelThread};
use super::members::Member;
use super::program::{COMPUTE, EPILOGUE, LOAD};

/// Nothing is looked for where less is left to do.
const WORTH: usize = 192;

/// How deep circles within circles are looked for: the steps of a window, the windows of a tile, the tiles of a block.
const LEVELS: usize = 3;

/// What numbers of a state count, each compared only with its like. Other numbers are of kind 0.
type Kind = u32;

/// Marks numbers that say how far something is known to have come. Only these are compared with others: with each other,
/// and with when something was done.
const KNOWN: Kind = 1 << 31;

/// A clock that knows nothing.
const NOTHING: (Kind, i64) = (0, i64::MIN);

/// States, kept to see them again.
#[derive(Clone, Default)]
pub struct Steady {
    /// Since something was left out; and of each further level, since something was left out that the one before it sees
    /// again and again.
    pub kept: [Kept; LEVELS],
}

/// A state, kept to see it again.
#[derive(Clone, Default)]
pub struct Kept {
    /// Turns so far, and at how many the next state is kept.
    turns: u32,
    keep: u32,
    /// Where the model threads were in what they do, and how much work they had begun.
    pub places: Vec<usize>,
    begun: Vec<[u32; 3]>,
    state: Rc<Vec<(Kind, i64)>>,
}

/// A number in the state that is kept, and in the one of now.
type Pair = ((Kind, i64), (Kind, i64));

impl Steady {
    /// Leaves out what would be done again, in each of the runs.
    pub fn skip(&mut self, machine: &mut Machine<'_>, event_streams: &EventStreams, members: &mut [Member]) {
        let left = |model_thread: &ModelThread| model_thread.feed.length().saturating_sub(model_thread.next);
        let is_long = machine.model_threads.iter().any(|model_thread| left(model_thread) >= WORTH);
        if !is_long && !members[1..].iter().any(|member| member.left(&machine.model_threads) >= WORTH) {
            return;
        }
        let turn = machine.program.depth as u32 + 2;
        let mut now: Option<Rc<Vec<(Kind, i64)>>> = None;
        let mut found = None;
        for (level, kept) in self.kept.iter_mut().enumerate() {
            kept.turns += 1;
            if kept.turns > kept.keep && kept.is_alike(machine, event_streams) {
                let now = now.get_or_insert_with(|| Rc::new(machine.state()));
                machine.compares(now.len());
                // What was named since is long to look at, and only of use if the states are alike without it.
                let is_again = kept.is_shifted(machine, now, &[])
                    && kept.named(machine, event_streams).is_some_and(|named| kept.is_shifted(machine, now, &named));
                if is_again && kept.leave_out(machine, event_streams, members) {
                    found = Some(level);
                    continue;
                }
            }
            // At first all stages have been used; then for as long as it takes to go around rings twice, and on. What is
            // left out again and again comes again after few of them, or after twice as many, and so on.
            let (first, more) = if level == 0 { (turn, 2 * turn) } else { (1, 1) };
            let next = if kept.keep > 0 { kept.keep.saturating_add(kept.keep.max(more)) } else { first };
            if kept.turns >= next && machine.model_threads.iter().all(|model_thread| model_thread.doubt.is_none()) {
                let now = now.get_or_insert_with(|| Rc::new(machine.state()));
                machine.compares(now.len());
                kept.keep(machine, now, kept.turns);
            }
            // The next level sees only states after what this one has left out.
            break;
        }
        // It may come again after what was left out.
        if let (Some(found), Some(now)) = (found, now) {
            for (level, kept) in self.kept.iter_mut().enumerate().take(found + 1) {
                kept.keep(machine, &now, if level == 0 { turn } else { 1 });
            }
        }
    }

    /// What is kept, to go on with it from the same state.
    pub fn copied(&self) -> Steady {
        self.clone()
    }
}

impl Kept {
    /// The state that is kept is this one, at so many turns.
    fn keep(&mut self, machine: &Machine<'_>, now: &Rc<Vec<(Kind, i64)>>, turns: u32) {
        (self.turns, self.keep, self.state) = (turns, turns, Rc::clone(now));
        self.places.clear();
        self.places.extend(machine.model_threads.iter().map(|model_thread| model_thread.next));
        self.begun.clear();
        self.begun.extend(machine.model_threads.iter().map(|model_thread| model_thread.tickets));
    }

    /// Whether all model threads are about to do what they were about to do in the state that is kept.
    fn is_alike(&self, machine: &Machine<'_>, event_streams: &EventStreams) -> bool {
        let same = |(model_thread, &then): (&ModelThread, &usize)| {
            event_streams.at(&model_thread.feed, model_thread.next) == event_streams.at(&model_thread.feed, then)
        };
        // Tokens of all warps together are named by others by their number.
        let stays = |(model_thread, then): (&ModelThread, &usize)| model_thread.next == *then;
        let (blocks, model_threads) = (machine.blocks.len(), machine.model_threads.len());
        model_threads == self.places.len()
            && machine.model_threads.iter().zip(&self.places).all(same)
            && (blocks == model_threads || machine.model_threads.iter().zip(&self.places).take(blocks).all(stays))
            && machine.model_threads.iter().all(|model_thread| model_thread.doubt.is_none())
    }

    /// The first tokens that are named in what was done since and were made before. `None` if that is too much to look at.
    fn named(&self, machine: &Machine<'_>, event_streams: &EventStreams) -> Option<Vec<Pair>> {
        let mut named = Vec::new();
        for (number, model_thread) in machine.model_threads.iter().enumerate() {
            let (mut far, mut made) = ([0; 3], [0; 3]);
            let is_seen = event_streams.visit(&model_thread.feed, self.places[number]..model_thread.next, |event| {
                for (kind, &reach) in event_streams.reaches[event as usize].iter().enumerate() {
                    far[kind] = reach.saturating_sub(made[kind]).max(far[kind]);
                }
                if let Some(kind) = event_streams.begins[event as usize] {
                    made[kind] += 1;
                }
            });
            if !is_seen {
                return None;
            }
            for (kind, &far) in far.iter().enumerate().filter(|&(_, &far)| far > 0) {
                let token =
                    |begun: [u32; 3]| (machine.ticket(number, kind), i64::from(begun[kind]) + 1 - i64::from(far));
                named.push((token(self.begun[number]), token(model_thread.tickets)));
            }
        }
        Some(named)
    }

    /// Whether the state of now is the one that is kept but for how far everything has come; so are some other numbers.
    fn is_shifted(&self, machine: &Machine<'_>, now: &[(Kind, i64)], others: &[Pair]) -> bool {
        if self.state.len() != now.len() {
            return false;
        }
        let mut kinds = vec![Shift::default(); machine.kinds()];
        let pairs = self.state.iter().copied().zip(now.iter().copied());
        for ((kind, then), (other, now)) in pairs.chain(others.iter().copied()) {
            if kind != other || kind == 0 && then != now {
                return false;
            }
            let shift = &mut kinds[(kind & !KNOWN) as usize];
            let place = usize::from(kind & KNOWN != 0);
            match now - then {
                0 => shift.greatest[place] = then.max(shift.greatest[place]),
                more if shift.by == 0 || shift.by == more => {
                    shift.by = more;
                    shift.least[place] = then.min(shift.least[place]);
                }
                _ => return false,
            }
        }
        let phases = machine.phases();
        kinds.iter().enumerate().skip(1).all(|(kind, shift)| shift.keeps_order(phases.contains(&kind)))
    }

    /// Leaves out as many rounds as all model threads go on for, in each of the runs. Whether there were any.
    fn leave_out(&self, machine: &mut Machine<'_>, event_streams: &EventStreams, members: &mut [Member]) -> bool {
        let mut any = false;
        let first = self.rounds(machine, event_streams, &members[0]);
        for (at, member) in members.iter_mut().enumerate() {
            let rounds = if at == 0 { first } else { self.rounds(machine, event_streams, member) };
            any |= rounds > 0;
            for (model_thread, &then) in machine.model_threads.iter().zip(&self.places) {
                *member.ahead(model_thread) += (rounds as i64 - first as i64) * (model_thread.next - then) as i64;
            }
        }
        for (model_thread, &then) in machine.model_threads.iter_mut().zip(&self.places) {
            model_thread.next += first * (model_thread.next - then);
            model_thread.alike = 0;
        }
        any
    }

    /// How many rounds all model threads of a run go on for.
    fn rounds(&self, machine: &Machine<'_>, event_streams: &EventStreams, member: &Member) -> usize {
        let mut least = usize::MAX;
        for (number, model_thread) in machine.model_threads.iter().enumerate() {
            let then = self.places[number];
            if model_thread.next == then {
                continue;
            }
            let feed = member.feed(model_thread);
            // What is named later was made in the last round, or after it; unless none was made.
            let far = |(&then, (&now, &reach)): (&u32, (&u32, &u32))| now > then && reach > now - then;
            if self.begun[number].iter().zip(model_thread.tickets.iter().zip(&feed.reach)).any(far) {
                return 0;
            }
            let (length, place) = (model_thread.next - then, member.place(model_thread));
            let again = event_streams.again((feed, place), (&model_thread.feed, then..model_thread.next)) / length;
            // What comes after the last round must be the same as well: who waits there waits for the same.
            let goes_on = event_streams.at(feed, place + again * length) == event_streams.at(&model_thread.feed, then);
            least = least.min(if goes_on { again } else { again.saturating_sub(1) });
        }
        if least == usize::MAX { 0 } else { least }
    }
}

/// How numbers of a kind differ between two states: first those that say when something was done, then those that say how
/// far something is known.
#[derive(Clone, Copy)]
struct Shift {
    /// By how much they went on; 0 if none did.
    by: i64,
    /// The least that did.
    least: [i64; 2],
    /// The greatest that did not.
    greatest: [i64; 2],
}

impl Default for Shift {
    fn default() -> Self {
        Shift { by: 0, least: [i64::MAX; 2], greatest: [i64::MIN; 2] }
    }
}

impl Shift {
    /// Whether each comparison comes out as before.
    fn keeps_order(&self, is_phase: bool) -> bool {
        let Shift { by, least: [least, least_known], greatest: [greatest, greatest_known] } = *self;
        // A phase is also compared with the one after another, and its parity with that of a wait.
        let is_even = !is_phase || by % 2 == 0;
        let is_below = greatest_known.saturating_add(1) < least && greatest < least_known;
        by == 0 || by > 0 && is_even && is_below && greatest_known <= least_known
    }
}

impl Machine<'_> {
    /// Of which kinds phases of mbarriers are.
    fn phases(&self) -> std::ops::Range<usize> {
        let first = 1 + 4 * self.thread_groups();
        first..first + self.barriers.len()
    }

    /// How many kinds of numbers there are: nothing; the time of each thread group, its tickets of each kind of work; the
    /// phases of each mbarrier, the generations of each numbered barrier.
    fn kinds(&self) -> usize {
        1 + 4 * self.thread_groups() + self.barriers.len() + self.named.len()
    }

    fn thread_groups(&self) -> usize {
        self.plan.mbarriers / 3
    }

    fn ticket(&self, model_thread: usize, work: usize) -> Kind {
        (1 + self.thread_groups() + 3 * model_thread + work) as Kind
    }

    /// Everything that decides what is done next.
    fn state(&self) -> Vec<(Kind, i64)> {
        // About as many as there are with rings of eight stages: so it grows once at most.
        let mut all = Vec::with_capacity(2048);
        let into = &mut all;
        self.state_of_threads(into);
        self.state_of_barriers(into);
        self.state_of_memory(into);
        // One clock that knows nothing stands for all of them: most barriers of a deep ring may never be used.
        if into.contains(&NOTHING) {
            self.state_of_clock(into, &vec![0; self.plan.len()]);
        }
        all
    }

    /// What a clock says of how far others have come.
    fn state_of_clock(&self, into: &mut Vec<(Kind, i64)>, clock: &[u32]) {
        let (phases, thread_groups) = (self.phases(), self.thread_groups());
        into.push((0, clock.get(self.plan.grid).map_or(-1, |&ended| ended.into())));
        let clock = &clock[..clock.len().min(self.plan.cluster + 1)];
        into.push((0, clock.len() as i64));
        let (of_thread_groups, of_barriers) = clock.split_at(clock.len().min(3 * thread_groups));
        for (thread_group, parts) in (1..).zip(of_thread_groups.chunks_exact(3)) {
            into.extend(parts.iter().map(|&time| (thread_group | KNOWN, i64::from(time))));
        }
        let kinds = (phases.start as Kind..).map(|kind| kind | KNOWN);
        into.extend(kinds.zip(of_barriers.iter().map(|&count| i64::from(count))));
    }

    fn state_of_threads(&self, into: &mut Vec<(Kind, i64)>) {
        let phases = self.phases();
        for (number, model_thread) in self.model_threads.iter().enumerate() {
            let ModelThread { time, synced, warp_synced, warp_fenced, fenced, fenced_one, fence, .. } = *model_thread;
            into.push((0, model_thread.done.into()));
            into.extend(
                [time, synced, warp_synced, warp_fenced, fenced, fenced_one, fence]
                    .map(|time| ((1 + number as Kind) | KNOWN, i64::from(time))),
            );
            for work in [LOAD, COMPUTE, EPILOGUE] {
                let kind = self.ticket(number, work);
                into.push((kind, model_thread.tickets[work].into()));
                into.push((kind | KNOWN, model_thread.awaited[work].into()));
            }
            match model_thread.waiting {
                Some((barrier, generation)) => {
                    into.push((0, barrier as i64));
                    into.push(((phases.end + barrier) as Kind, generation.into()));
                }
                None => into.push((0, -1)),
            }
            // Of others than the elected thread it is asked only where that knows more.
            into.push((0, model_thread.apart.into()));
            self.state_of_clock(into, if model_thread.apart { &model_thread.know } else { &[] });
            self.state_of_clock(into, &model_thread.one);
        }
    }

    fn state_of_barriers(&self, into: &mut Vec<(Kind, i64)>) {
        let phases = self.phases();
        for (barrier, kind) in self.barriers.iter().zip(phases.start as Kind..) {
            let exact = [barrier.arrived.into(), barrier.expected, barrier.issued, barrier.waits.len() as i64];
            into.extend(exact.map(|number| (0, number)));
            into.push((kind, barrier.phase.into()));
            if barrier.base > 0 {
                into.push((kind | KNOWN, barrier.base.into()));
            }
            // Nobody has said anything since the last phase.
            let is_empty = barrier.arrived == 0 && barrier.issued == 0;
            self.state_of_clock(into, if is_empty { &[] } else { &barrier.coming });
            match barrier.phase {
                0 => into.push(NOTHING),
                _ => self.state_of_clock(into, &barrier.complete),
            }
            for &(model_thread, time) in barrier.waits.iter().chain(&barrier.made) {
                into.extend([(0, model_thread as i64), (1 + model_thread as Kind, time.into())]);
            }
        }
        for (barrier, kind) in self.named.iter().zip(phases.end as Kind..) {
            into.extend([(0, barrier.threads), (0, barrier.arrived), (0, barrier.model_threads.len() as i64)]);
            into.extend(barrier.model_threads.iter().map(|&model_thread| (0, model_thread as i64)));
            into.push((kind, barrier.generation.into()));
            self.state_of_clock(into, if barrier.arrived == 0 { &[] } else { &barrier.coming });
            self.state_of_clock(into, &barrier.complete);
        }
        for remote in &self.remotes {
            into.extend([(0, remote.model_thread as i64), (0, remote.block as i64)]);
            into.push((1 + remote.model_thread as Kind, remote.time.into()));
        }
    }

    fn state_of_memory(&self, into: &mut Vec<(Kind, i64)>) {
        let phases = self.phases();
        for cell in self.blocks.iter().flat_map(|block| &block.all) {
            into.push((0, cell.reads.len() as i64));
            match cell.write {
                None => into.push((0, -1)),
                Some((write, event)) => {
                    let access = |access: Option<(u32, u32)>| {
                        access.map_or(-1, |(class, base)| i64::from(class) << 32 | i64::from(base))
                    };
                    match write {
                        Write::Engine { barrier, phase } => {
                            into.extend([(0, 0), (0, barrier.into())]);
                            into.push(((phases.start as u32 + barrier), phase.into()));
                        }
                        Write::Threads(of) => {
                            into.extend([(0, 1), (0, access(of))]);
                            self.happened(into, event);
                        }
                        Write::Async(class, base) => {
                            into.extend([(0, 2), (0, access(Some((class, base))))]);
                            self.began(into, LOAD, event);
                        }
                    }
                }
            }
            for &(read, event) in &cell.reads {
                match read {
                    Read::Threads(of) => {
                        let access = of.map_or(-1, |(class, base)| i64::from(class) << 32 | i64::from(base));
                        into.extend([(0, 3), (0, access)]);
                        self.happened(into, event);
                    }
                    Read::Product => {
                        into.push((0, 4));
                        self.began(into, COMPUTE, event);
                    }
                    Read::Store => {
                        into.push((0, 5));
                        self.began(into, EPILOGUE, event);
                    }
                }
            }
        }
    }

    /// What was done at a time.
    fn happened(&self, into: &mut Vec<(Kind, i64)>, event: Event) {
        into.extend([(0, event.model_thread.into()), (1 + Kind::from(event.model_thread), event.time.into())]);
    }

    /// Work with a ticket, and when it was awaited.
    fn began(&self, into: &mut Vec<(Kind, i64)>, work: usize, event: Event) {
        let model_thread = event.model_thread as usize;
        into.extend([(0, model_thread as i64), (self.ticket(model_thread, work), event.time.into())]);
        match self.awaited(model_thread, work, event.time) {
            Some(time) => into.push((1 + model_thread as Kind, time.into())),
            None => into.push((0, -1)),
        }
    }
}
