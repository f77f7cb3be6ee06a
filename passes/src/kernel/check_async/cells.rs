//! The shared memory of a block as the machine sees it: who wrote bytes last, and who has read them since.

use smallvec::SmallVec;

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
pub struct Cells(pub Vec<Cell>);

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
        Cells(cells)
    }

    /// The indices of the cells of an interval. A cell that lies in it only in part is cut.
    pub fn range(&mut self, start: u32, end: u32) -> std::ops::Range<usize> {
        let mut first = self.0.partition_point(|cell| cell.end <= start);
        if self.cut(first, start) {
            first += 1;
        }
        let mut last = first;
        while last < self.0.len() && self.0[last].start < end {
            self.cut(last, end);
            last += 1;
        }
        first..last
    }

    fn cut(&mut self, index: usize, at: u32) -> bool {
        let Some(cell) = self.0.get_mut(index).filter(|cell| cell.start < at && at < cell.end) else { return false };
        let rest = Cell { start: at, ..cell.clone() };
        cell.end = at;
        self.0.insert(index + 1, rest);
        true
    }
}
