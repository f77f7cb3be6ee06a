//! The shared memory of a block as the machine sees it: who wrote bytes last, and who has read them since.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::shapes::Interval;

/// When and by whom something was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The agent.
    pub agent: u16,
    /// When, in its time; of asynchronous work its ticket.
    pub time: u32,
    /// The instruction.
    pub pc: u32,
}

/// What writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    /// The copy engine, which counts on a phase of an mbarrier.
    Engine { barrier: u32, phase: u32 },
    /// Threads, by a class of layouts at a first byte; none for an op that uses the tile as scratch.
    Threads(Option<(u32, u32)>),
    /// Threads that have not waited for it.
    Async(u32, u32),
}

/// What reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// Threads.
    Threads(Option<(u32, u32)>),
    /// A matrix product.
    Product,
    /// The copy engine.
    Store,
}

/// Bytes with one history.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The first byte.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
    /// Who wrote it last.
    pub write: Option<(Write, Event)>,
    /// Who has read it since.
    pub reads: SmallVec<[(Read, Event); 3]>,
}

/// The bytes of a block.
#[derive(Clone, Debug)]
pub struct Cells {
    /// In order, without holes.
    pub all: Vec<Cell>,
    /// How often any was cut.
    cuts: u32,
    /// The cells of many intervals, by what they are the bytes of, with the cuts so far.
    found: FxHashMap<(u32, u32), (u32, Rc<[Range<u32>]>)>,
}

impl Cells {
    /// Bytes that nothing was written to, cut at edges, which are sorted.
    pub fn new(bytes: u32, edges: &[u32]) -> Cells {
        let mut cells = Vec::with_capacity(edges.len() + 1);
        let mut start = 0;
        for &end in edges.iter().chain([&bytes]).filter(|&&end| end <= bytes) {
            if end > start {
                cells.push(Cell { start, end, write: None, reads: SmallVec::new() });
                start = end;
            }
        }
        Cells { all: cells, cuts: 0, found: FxHashMap::default() }
    }

    /// Forgets what was done, but not where cells were cut: they will be again.
    pub fn clear(&mut self) {
        for cell in &mut self.all {
            cell.write = None;
            cell.reads.clear();
        }
    }

    /// The indices of the cells of an interval. A cell that lies in it only in part is cut.
    pub fn range(&mut self, start: u32, end: u32) -> Range<usize> {
        let mut first = self.all.partition_point(|cell| cell.end <= start);
        if self.cut(first, start) {
            first += 1;
        }
        let mut last = first;
        while last < self.all.len() && self.all[last].start < end {
            self.cut(last, end);
            last += 1;
        }
        first..last
    }

    /// The indices of the cells of many intervals, which are in order. `of` says what they are the bytes of.
    pub fn ranges(&mut self, of: (u32, u32), intervals: impl Iterator<Item = Interval> + Clone) -> Rc<[Range<u32>]> {
        if let Some((cuts, found)) = self.found.get(&of)
            && *cuts == self.cuts
        {
            return Rc::clone(found);
        }
        self.cut_at(intervals.clone().flat_map(|(start, end)| [start, end]));
        let mut next = 0;
        let mut passed = |at: u32| {
            while self.all.get(next).is_some_and(|cell| cell.end <= at) {
                next += 1;
            }
            next as u32
        };
        let found: Rc<[Range<u32>]> = intervals.map(|(start, end)| passed(start)..passed(end)).collect();
        self.found.insert(of, (self.cuts, Rc::clone(&found)));
        found
    }

    /// Cuts cells at many places, which are in order.
    fn cut_at(&mut self, places: impl Iterator<Item = u32>) {
        let mut places = places.peekable();
        let mut all = Vec::with_capacity(self.all.len());
        let before = self.all.len();
        for mut cell in self.all.drain(..) {
            while let Some(&at) = places.peek().filter(|&&at| at < cell.end) {
                if at > cell.start {
                    all.push(Cell { end: at, ..cell.clone() });
                    cell.start = at;
                }
                places.next();
            }
            all.push(cell);
        }
        self.cuts += u32::from(all.len() > before);
        self.all = all;
    }

    fn cut(&mut self, index: usize, at: u32) -> bool {
        let Some(cell) = self.all.get_mut(index).filter(|cell| cell.start < at && at < cell.end) else { return false };
        let rest = Cell { start: at, ..cell.clone() };
        cell.end = at;
        self.all.insert(index + 1, rest);
        self.cuts += 1;
        true
    }
}
