//! What model threads do in a run as a list of events each, from which the machine is fed.
//!
//! An event is an instruction with the numbers that it names; model threads repeat few of them over and over, so that they are
//! numbered. What was unrolled before, of a round of a loop or of the first rounds of one, is copied from where it stands
//! in what it is a part of. Lists are long and are gone through once: so they stand in one place, in small numbers. What
//! comes again more often than is worth writing out is said once, with how often: so places are those that events would have
//! if all were unrolled.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::program::{Pc, Program};
use super::words::{Chains, LOOP, Link, Words};

/// The number of an event.
pub type Id = u16;

/// Where the kind of work stands in what marks a thing that was made, before its number.
pub const KIND: u32 = 38;

/// As much work of a kind as a model thread may begin.
pub const MOST_BEGUN: i64 = u32::MAX as i64 / 2;

/// As many events as are unrolled, or held against others at once.
const MOST_WRITTEN: usize = 1 << 26;
const MOST_COMPARED: usize = 1 << 18;

/// After as many places nothing is.
const MOST_PLACES: usize = 1 << 60;

/// Something that was made, as a trace names it: the kind of work and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// By the model thread itself: so much of that kind was begun since.
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

/// What model threads do in runs.
#[derive(Default)]
pub struct EventStreams {
    /// Each event: the instruction, then what it names.
    events: Words,
    /// How far back an event names what the model thread made, of each kind of work: 1 is the last of it.
    pub reaches: Vec<[u32; 3]>,
    /// The work that an event begins.
    pub begins: Vec<Option<usize>>,
    /// What was unrolled, one after another, and at which places that is.
    letters: Vec<Id>,
    pieces: Vec<Piece>,
    /// Where what model threads and rounds do is, by its number; and rounds of loops, by the number of the last.
    written: Vec<Option<Feed>>,
    chained: Vec<Option<Feed>>,
    /// How much work looking at events was.
    work: Cell<u64>,
}

/// What is at places.
#[derive(Clone, Debug)]
struct Piece {
    places: Range<usize>,
    of: Source,
}

/// Where the events of places are.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Written out, from one of the letters on.
    Letters(usize),
    /// So many, which are at earlier places from one on, again and again.
    Again(Place, usize),
}

/// A place, and a piece that begins there or before it.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    at: usize,
    piece: usize,
}

/// What a model thread does, or a part of that.
#[derive(Clone, Copy, Default, Debug)]
pub struct Feed {
    /// The places of the events: the first, and how many.
    start: Place,
    count: usize,
    /// How far back they name what the model thread made, of each kind of work.
    pub reach: [u32; 3],
}

/// What the model threads of each block of a cluster do: all warps together first, then each model thread that begins, in
/// order.
pub type Behaviour = Vec<Vec<Feed>>;

impl Feed {
    /// Nothing so far, from a place on.
    fn beginning(start: Place) -> Feed {
        Feed { start, ..Feed::default() }
    }

    /// How many events there are.
    #[inline]
    pub fn length(&self) -> usize {
        self.count
    }

    /// Where one of them is.
    #[inline]
    fn place(&self, number: usize) -> Place {
        Place { at: self.start.at + number, ..self.start }
    }

    /// Other events come after.
    fn extend(&mut self, more: usize, reach: [u32; 3]) {
        // So many events are too many, which is found where they are asked for.
        self.count = self.count.saturating_add(more);
        self.reach.iter_mut().zip(reach).for_each(|(all, far)| *all = far.max(*all));
    }
}

/// What it is of that to find where events stand; and how many are compared for one.
const WORK_OF_PLACE: u64 = 8;
const COMPARED: usize = 16;

impl EventStreams {
    /// How much work looking at events was so far, each some ten nanoseconds.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// Counts looking at so many events.
    #[inline]
    pub fn looks_at(&self, events: usize) {
        self.work.set(self.work.get() + WORK_OF_PLACE + (events / COMPARED) as u64);
    }

    /// A run: `model threads` are the numbers of what they do, `blocks` where those of each block begin. `None` if there
    /// are too many events.
    pub fn behaviour(
        &mut self,
        program: &Program,
        numbers: &Words,
        chains: &Chains,
        model_threads: &[i64],
        blocks: &[usize],
    ) -> Option<Rc<Behaviour>> {
        self.written.resize(numbers.len(), None);
        self.chained.resize(chains.len(), None);
        let mut behaviour = Vec::with_capacity(blocks.len());
        for (at, &from) in blocks.iter().enumerate() {
            let to = blocks.get(at + 1).copied().unwrap_or(model_threads.len());
            let feed = |&number: &i64| match self.written[number as usize] {
                Some(written) => written,
                None => self.write(program, numbers, chains, number as usize),
            };
            behaviour.push(model_threads[from..to].iter().map(feed).collect());
        }
        let has_places = behaviour.iter().flatten().all(|feed: &Feed| feed.count <= MOST_PLACES);
        (has_places && self.events.len() <= usize::from(Id::MAX) && !self.is_full()).then(|| Rc::new(behaviour))
    }

    /// An event: the instruction, and the numbers that it names.
    #[inline]
    pub fn event(&self, number: Id) -> (Pc, &[i64]) {
        let (pc, numbers) = self.events.list(number.into()).split_at(1);
        (pc[0] as Pc, numbers)
    }

    /// The event at a place. `None` after the last.
    #[inline]
    pub fn at(&self, feed: &Feed, place: usize) -> Option<Id> {
        (place < feed.count).then(|| self.written_at(feed.place(place), 1)[0])
    }

    /// Events from a place on, as many as stand in one place and are asked for.
    #[inline]
    pub fn coming(&self, feed: &Feed, place: usize, most: usize) -> &[Id] {
        match feed.count.saturating_sub(place).min(most) {
            0 => &[],
            most => self.written_at(feed.place(place), most),
        }
    }

    /// How many events from a place on are those from another place on. Not all, if it takes too long to see.
    pub fn common(&self, (a, from): (&Feed, usize), (b, other): (&Feed, usize)) -> usize {
        let most = a.count.saturating_sub(from).min(b.count.saturating_sub(other));
        let (mut same, mut left) = (0, MOST_COMPARED);
        // Where both come again and again, they are the same as long as they do if they are for as many events as one and
        // the other have together (Fine and Wilf 1965).
        let (mut since, mut zone) = (0, 0);
        while same < most && left > 0 {
            let places = [a.place(from + same), b.place(other + same)];
            let [(turn, rest), (turn_b, rest_b)] = places.map(|place| self.zone(place));
            if same >= zone {
                (since, zone) = (same, same + rest.min(rest_b));
            }
            if same - since >= turn.saturating_add(turn_b) {
                same = zone.min(most);
                continue;
            }
            let length = (most - same).min(zone - same).min(left);
            let [a, b] = places.map(|place| self.written_at(place, length));
            let length = a.len().min(b.len());
            self.looks_at(length);
            let alike = match a[..length] == b[..length] {
                true => length,
                false => a.iter().zip(b).take_while(|(a, b)| a == b).count(),
            };
            same += alike;
            if alike < length {
                break;
            }
            left -= length;
        }
        same.min(most)
    }

    /// How many events from a place on, in one feed, are those of some places of another one again and again.
    pub fn again(&self, (a, from): (&Feed, usize), (b, places): (&Feed, Range<usize>)) -> usize {
        let first = self.common((a, from), (b, places.start)).min(places.len());
        if first < places.len() {
            return first;
        }
        first + self.common((a, from + places.len()), (a, from))
    }

    /// Visits the events of some places. Whether there are not too many.
    pub fn visit(&self, feed: &Feed, places: Range<usize>, mut visit: impl FnMut(Id)) -> bool {
        if places.len() > MOST_COMPARED {
            return false;
        }
        let mut at = places.start;
        while at < places.end {
            let events = self.coming(feed, at, places.end - at);
            self.looks_at(events.len());
            events.iter().for_each(|&event| visit(event));
            at += events.len().max(1);
        }
        true
    }

    /// The piece with a place. Most are near the one that the place says, so that steps begin small and double.
    #[inline]
    fn piece(&self, place: Place) -> (usize, &Piece) {
        let is_before = |piece: &Piece| piece.places.end <= place.at;
        let (mut from, mut step) = (place.piece, 1);
        while self.pieces.get(from + step - 1).is_some_and(is_before) {
            (from, step) = (from + step, 2 * step);
        }
        let to = (from + step).min(self.pieces.len());
        let at = from + self.pieces[from..to].partition_point(is_before);
        (at, &self.pieces[at])
    }

    /// The events at a place and after it that stand in one place, as many as are asked for: one at least.
    #[inline]
    fn written_at(&self, mut place: Place, mut most: usize) -> &[Id] {
        loop {
            let (_, Piece { places, of }) = self.piece(place);
            let (into, rest) = (place.at - places.start, places.end - place.at);
            match *of {
                Source::Letters(start) => return &self.letters[start + into..start + into + rest.min(most)],
                Source::Again(start, turn) => {
                    let into = into % turn;
                    (place, most) = (Place { at: start.at + into, ..start }, most.min(turn - into));
                }
            }
        }
    }

    /// After how many events those at a place come again, and as long as they do.
    fn zone(&self, place: Place) -> (usize, usize) {
        let (_, Piece { places, of }) = self.piece(place);
        let rest = places.end - place.at;
        match *of {
            Source::Letters(_) => (rest, rest),
            Source::Again(_, turn) => (turn, rest),
        }
    }

    /// The first place after everything.
    fn end(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.places.end)
    }

    /// Where what comes next has its place: in the last piece, or after it.
    fn next(&self) -> Place {
        Place { at: self.end(), piece: self.pieces.len().saturating_sub(1) }
    }

    /// Whether there is no room for more.
    fn is_full(&self) -> bool {
        self.letters.len() > MOST_WRITTEN || self.end() > MOST_PLACES
    }

    /// So many of the last letters have places.
    fn place(&mut self, more: usize) {
        let (end, letters) = (self.end(), self.letters.len() - more);
        match self.pieces.last_mut() {
            Some(Piece { places, of: Source::Letters(_) }) => places.end = places.end.saturating_add(more),
            _ => self.pieces.push(Piece { places: end..end.saturating_add(more), of: Source::Letters(letters) }),
        }
    }

    /// Writes out what a model thread or a round of a loop does, after everything that was written before.
    fn write(&mut self, program: &Program, numbers: &Words, chains: &Chains, number: usize) -> Feed {
        let mut feed = Feed::beginning(self.next());
        if let Some(written) = self.written[number] {
            self.copy(&mut feed, written);
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
            self.place(1);
            feed.extend(1, self.reaches[id as usize]);
        }
        self.written[number] = Some(feed);
        feed
    }

    /// Writes out what rounds of a loop do.
    fn rounds(&mut self, program: &Program, numbers: &Words, chains: &Chains, chain: u32) -> Feed {
        let mut feed = Feed::beginning(self.next());
        let (mut before, mut coming) = (chain, Vec::new());
        while let Some(link) = chains.last(before) {
            if let Some(written) = self.chained[before as usize] {
                self.copy(&mut feed, written);
                break;
            }
            coming.push((before, link));
            before = match link {
                Link::Round(before, _) | Link::Again(before, ..) => before,
            };
        }
        for (chain, link) in coming.into_iter().rev() {
            match link {
                Link::Round(_, round) => {
                    let round = self.write(program, numbers, chains, round as usize);
                    feed.extend(round.length(), round.reach);
                }
                // What they begin with was unrolled with them.
                Link::Again(_, then, times) => {
                    let before = self.chained[then as usize].map_or(0, |feed| feed.length());
                    self.repeat(&mut feed, before, times as usize);
                }
            }
            self.chained[chain as usize] = Some(feed);
        }
        feed
    }

    /// What is after some of the events comes again, so many times.
    fn repeat(&mut self, feed: &mut Feed, before: usize, times: usize) {
        let turn = feed.count - before;
        let (at, end) = (feed.start.at.saturating_add(before), self.end());
        let more = turn.saturating_mul(times).min(MOST_PLACES);
        let start = Place { at, ..feed.start };
        self.pieces.push(Piece { places: end..end.saturating_add(more), of: Source::Again(start, turn) });
        feed.extend(more, [0; 3]);
    }

    /// What was unrolled comes again.
    fn copy(&mut self, feed: &mut Feed, written: Feed) {
        // Of too many events not all have places.
        let (mut at, end) = (written.start, written.start.at.saturating_add(written.count).min(self.end()));
        while at.at < end && !self.is_full() {
            let (piece, Piece { places, of }) = self.piece(at);
            let (from, of, more) = (at.at - places.start, *of, places.end.min(end) - at.at);
            match of {
                Source::Letters(start) => {
                    let from = start + from;
                    self.letters.extend_from_within(from..from + more);
                    self.place(more);
                }
                Source::Again(..) => {
                    let to = self.end();
                    self.pieces.push(Piece { places: to..to.saturating_add(more), of });
                }
            }
            at = Place { at: at.at + more, piece };
        }
        feed.extend(written.count, written.reach);
    }
}
