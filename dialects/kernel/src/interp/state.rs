//! What exists besides global memory while a kernel runs: the blocks of the clusters that run.

use std::sync::Arc;

use dlc_core::launch::MapValue;
use dlc_core::scalar::Combiner;
use dlc_core::sizes::Bindings;
use dlc_ir::interp::{Eval, Failure};
use dlc_ir::random::Random;
use dlc_ir::{Loc, OpId, Type};
use rustc_hash::FxHashMap;

use super::flags::Known;
use super::shared::{Encoded, SharedMemory};
use super::values::Product;
use crate::layout::{Fragment, Table};

/// Asynchronous work that has begun and not ended.
pub enum Work {
    /// A copy to shared memory, and the bytes that are counted on barriers: block, barrier, bytes.
    Bring { pieces: Vec<Piece>, signals: Vec<(usize, usize, i64)> },
    /// A store of a tile by TMA.
    Put(Put),
    /// A product of matrices.
    Multiply(Box<Product>),
}

/// Bytes that a copy brings to shared memory.
pub struct Piece {
    pub block: usize,
    pub address: u32,
    pub bytes: Encoded,
    /// The thread of the thread group that copies them, unless TMA does.
    pub thread: Option<u16>,
}

/// A store by TMA.
pub struct Put {
    pub block: usize,
    pub base: u32,
    pub map: Arc<MapValue>,
    pub at: Vec<i64>,
    pub combine: Option<Combiner>,
    /// What the tile was when it began.
    pub seen: Vec<u8>,
    /// Where that is in shared memory: the addresses of elements, each with the size.
    pub held: Vec<(u32, u8)>,
}

/// A piece of work in the order in which a thread group began it.
pub struct Begun {
    pub ticket: u64,
    pub at: Loc,
    pub work: Work,
}

/// Warps that run the same ops.
pub struct ThreadGroup {
    pub block: usize,
    pub first_warp: u32,
    pub warps: u32,
    /// Counts what the thread group writes to shared memory.
    pub clock: u64,
    /// What was written before is seen by all warps of the thread group.
    pub synced: u64,
    /// What was written before by a lane is seen by the other lanes of its warp.
    pub warp_synced: u64,
    /// What was written before is seen by TMA and by matrix products.
    pub fenced: u64,
    /// The last ticket of each kind of work: load, compute, epilogue.
    pub tickets: [u64; 3],
    pub begun: [Vec<Begun>; 3],
    /// The barrier at which it waits, and the phase that it waits for.
    pub waiting: Option<(BarrierKey, u64)>,
}

/// A barrier of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierKey {
    Named(usize, i64),
    Cluster(usize),
}

/// How far a barrier of threads is.
#[derive(Clone, Copy, Default)]
pub struct Phase {
    pub arrived: i64,
    pub phase: u64,
}

/// An mbarrier.
#[derive(Clone, Copy)]
pub struct Barrier {
    pub arrivals: i64,
    pub missing: i64,
    pub bytes: i64,
    pub phase: u64,
}

impl Barrier {
    pub fn new(arrivals: i64) -> Barrier {
        Barrier { arrivals, missing: arrivals, bytes: 0, phase: 0 }
    }

    /// The phase ends when nobody and nothing is missing.
    pub fn settle(&mut self) {
        if self.missing == 0 && self.bytes == 0 {
            self.missing = self.arrivals;
            self.phase += 1;
        }
    }

    /// Whether the phase with a parity has completed.
    pub fn passed(&self, parity: i128) -> bool {
        i128::from(self.phase % 2) != parity
    }
}

/// A block that runs.
pub struct Block {
    pub id: [i64; 3],
    pub memory: SharedMemory,
    pub barriers: Vec<Barrier>,
    /// The first barrier of each op that has run.
    pub barrier_ops: FxHashMap<OpId, usize>,
}

/// Everything.
pub struct Device {
    pub blocks: Vec<Block>,
    pub thread_groups: Vec<ThreadGroup>,
    pub phases: FxHashMap<BarrierKey, Phase>,
    /// The thread group whose op is run.
    pub current: usize,
    pub symbols: Arc<Bindings>,
    pub grid: [i64; 3],
    pub threads_of_block: i64,
    /// The blocks of a cluster; those of one are in a row.
    pub cluster: usize,
    /// Where the tiles of the grid that runs are in shared memory.
    pub places: Arc<FxHashMap<OpId, u32>>,
    pub slots: FxHashMap<(Type, u32), Arc<Slots>>,
    pub random: Random,
    /// Copies that count on barriers, which end when nobody can go on without them.
    pub flying: Vec<(Loc, Work)>,
    /// What blocks know of each other.
    pub known: Known,
}

impl Default for Device {
    fn default() -> Device {
        Device {
            blocks: Vec::new(),
            thread_groups: Vec::new(),
            phases: FxHashMap::default(),
            current: 0,
            symbols: Arc::default(),
            grid: [1; 3],
            threads_of_block: 0,
            cluster: 1,
            places: Arc::default(),
            slots: FxHashMap::default(),
            random: Random::default(),
            flying: Vec::new(),
            known: Known::default(),
        }
    }
}

impl Device {
    pub fn thread_group(&mut self) -> &mut ThreadGroup {
        &mut self.thread_groups[self.current]
    }

    pub fn block(&mut self) -> &mut Block {
        let block = self.thread_groups[self.current].block;
        &mut self.blocks[block]
    }

    /// The blocks of the cluster of the thread group whose op is run.
    pub fn peers(&self) -> std::ops::Range<usize> {
        let first = self.thread_groups[self.current].block / self.cluster * self.cluster;
        first..first + self.cluster
    }

    /// The next number of the sequence that the seed decides.
    pub fn random(&mut self, below: usize) -> usize {
        self.random.below(below)
    }
}

/// Where the elements of a fragment are, by slot: in order of warp, lane, register.
pub struct Slots {
    pub layout: Fragment,
    pub table: Table,
    pub shape: Vec<usize>,
    /// The numbers of warps, of lanes, of registers.
    pub sizes: Vec<usize>,
}

impl Slots {
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The row-major number of the element of a slot.
    pub fn element(&self, slot: usize) -> Option<usize> {
        let registers = self.sizes[2];
        let (thread, register) = (slot / registers, slot % registers);
        let element = self.table.element(register as u32, thread as u32 % 32, thread as u32 / 32)?;
        Some(element as usize)
    }

    /// Whether a slot is the first that has its element.
    pub fn is_first(&self, slot: usize) -> bool {
        let thread = slot / self.sizes[2];
        self.table.is_first(thread as u32 % 32, thread as u32 / 32)
    }

    /// The position of an element by its row-major number.
    pub fn coords(&self, element: usize, into: &mut [i64]) {
        let mut rest = element;
        for (axis, &size) in self.shape.iter().enumerate().rev() {
            into[axis] = (rest % size) as i64;
            rest /= size;
        }
    }

    /// For each element the first slot that has it.
    pub fn first(&self) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.shape.iter().product()];
        for slot in 0..self.len() {
            if let Some(element) = self.element(slot).filter(|_| self.is_first(slot)) {
                first[element] = slot;
            }
        }
        first
    }
}

/// What exists while the kernel runs.
pub fn device<'e>(cx: &'e mut Eval<'_, '_>) -> &'e mut Device {
    cx.interp.state::<Device>()
}

/// An error where something is wrong with a value at run time.
pub fn wrong(cx: &Eval<'_, '_>, reason: impl Into<String>) -> Failure {
    cx.fail(&dlc_ir::interp::CANNOT_RUN, reason)
}
