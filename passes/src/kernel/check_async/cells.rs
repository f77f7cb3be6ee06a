//! The shared memory of a block as the machine sees it: who wrote bytes last, and who has read them since.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::shapes::Interval;

/// When and by whom something was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The model thread.
    pub model_thread: u16,
    /// When, in its time; of asynchronous work its ticket.
    pub time: u32,
    /// The instruction.
    pub pc: u32,
}

/// What writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    /// TMA, which counts on a phase of an mbarrier.
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
    /// TMA.
    Store,
}

/// Who wrote bytes last, and who has read them since.
pub type History = (Option<(Write, Event)>, SmallVec<[(Read, Event); 3]>);

/// Bytes with one history: those that no access has distinguished from each other so far.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Where they are, in order.
    pub parts: Vec<Interval>,
    /// Who wrote them last.
    pub write: Option<(Write, Event)>,
    /// Who has read them since.
    pub reads: SmallVec<[(Read, Event); 3]>,
}

/// The bytes of a block.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Each byte is in one of them.
    pub all: Vec<Cell>,
    /// Of which each was a part before it was distinguished.
    origins: Vec<u32>,
    /// The cells of what was touched, by what they are the bytes of.
    found: FxHashMap<(u32, u32), Rc<[u32]>>,
}

impl Cells {
    /// Bytes that nothing was written to.
    pub fn new(bytes: u32) -> Cells {
        let all = vec![Cell { parts: vec![(0, bytes)], write: None, reads: SmallVec::new() }];
        Cells { all, origins: vec![0], found: FxHashMap::default() }
    }

    /// Forgets what was done, but not which bytes were distinguished: they will be again.
    pub fn clear(&mut self) {
        for cell in &mut self.all {
            cell.write = None;
            cell.reads.clear();
        }
    }

    /// What was done, to come back to it.
    pub fn save(&self) -> Vec<History> {
        self.all.iter().map(|cell| (cell.write, cell.reads.clone())).collect()
    }

    /// Comes back to what was done when that was saved. Bytes that were distinguished since had one history then.
    pub fn restore(&mut self, saved: &[History]) {
        for index in 0..self.all.len() {
            let (write, reads) = match saved.get(index) {
                Some((write, reads)) => (*write, reads.clone()),
                None => {
                    let origin = &self.all[self.origins[index] as usize];
                    (origin.write, origin.reads.clone())
                }
            };
            let cell = &mut self.all[index];
            (cell.write, cell.reads) = (write, reads);
        }
    }

    /// The cells of what was touched before.
    pub fn known(&self, of: (u32, u32)) -> Option<Rc<[u32]>> {
        self.found.get(&of).map(Rc::clone)
    }

    /// The cells of many bytes, which are in order. `of` says what they are the bytes of. A cell of which only a part is
    /// among them is split.
    pub fn cells(&mut self, of: (u32, u32), bytes: &[Interval]) -> Rc<[u32]> {
        let mut cells = Vec::new();
        for index in 0..self.all.len() {
            let (inside, outside) = split(&self.all[index].parts, bytes);
            if inside.is_empty() {
                continue;
            }
            cells.push(index as u32);
            if !outside.is_empty() {
                self.divide(index, inside, outside);
            }
        }
        cells.sort_unstable_by_key(|&index| self.all[index as usize].parts[0]);
        let cells: Rc<[u32]> = cells.into();
        self.found.insert(of, Rc::clone(&cells));
        cells
    }

    /// Some bytes of a cell become one of their own, also for those that have touched all of them.
    fn divide(&mut self, index: usize, inside: Vec<Interval>, outside: Vec<Interval>) {
        let other = Cell { parts: outside, ..self.all[index].clone() };
        self.all[index].parts = inside;
        let number = self.all.len() as u32;
        self.all.push(other);
        self.origins.push(index as u32);
        for cells in self.found.values_mut().filter(|cells| cells.contains(&(index as u32))) {
            *cells = cells.iter().copied().chain([number]).collect();
        }
    }
}

/// Bytes that are among others, and those that are not. Both are in order.
fn split(parts: &[Interval], others: &[Interval]) -> (Vec<Interval>, Vec<Interval>) {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let mut next = 0;
    for &(mut start, end) in parts {
        while start < end {
            while others.get(next).is_some_and(|other| other.1 <= start) {
                next += 1;
            }
            match others.get(next) {
                Some(other) if other.0 <= start => {
                    let to = end.min(other.1);
                    inside.push((start, to));
                    start = to;
                }
                Some(other) => {
                    let to = end.min(other.0);
                    outside.push((start, to));
                    start = to;
                }
                None => {
                    outside.push((start, end));
                    start = end;
                }
            }
        }
    }
    (inside, outside)
}
