//! Poly Core: what the polyhedral view of a program answers, block by block (specification, section 7.1).
//!
//! **Parallel axes** are those of the result, **reduce axes** those that are combined. A block has one dependence on itself
//! for each kind (true, anti, output) along the axes it reduces, because each point adds to what the one before left; all
//! others are the edges of the view.
//!
//! **Affine closure.** Whether what a block reads, read through the blocks that compute it, is affine again. Quotients by
//! numbers are, so it is unless something is excluded or goes beyond 64 bits.
//!
//! **Tails**, **halo**, **compute-at** and **least buffer** are those of [`locality`](super::locality), a contraction being
//! seen as one op.
//!
//! **Barriers.** A tensor that a block reads and that lacks one of the block's axes is read by several threads, so it goes
//! through shared memory, and the block waits until it is there: `cp.async.wait_group` after the `commit_group` of the load
//! on SM80, an `mbarrier` that the load completes on SM90. So does what another block leaves in a ring in shared memory:
//! `bar.sync` on SM80, an `mbarrier` on which the writers arrive on SM90. Before a stage is written again, its readers must
//! have arrived likewise.
//!
//! **Bank conflicts.** Lanes run along the innermost axis of the result that a read has. Where this is not the axis along
//! which the tensor is contiguous, neighbouring lanes are a row of the tile apart, `tile * bytes of an element`, and fall
//! into the 32 banks of 4 bytes as they do; the answer is into how many words of one bank at most (*ways*). With more than
//! one a swizzle is recommended.
//!
//! Linear in reads, apart from compositions.

use dlc_core::access::Access;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, SizeExpr};
use dlc_ir::{Body, Context, OpRef, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::locality::{Buffer, Halo, Locality, Refusal, compute_at, halo, localities, tails};
use super::polyhedral::{Block, Polyhedral, Read};

/// What is answered about a block.
#[derive(Debug)]
pub struct Answer {
    /// The axes whose last tile is cut off.
    pub tails: Vec<usize>,
    /// What tiles read beyond their own share, all reads together; nothing where that is not known.
    pub halo: Option<Halo>,
    /// Why what it reads may not be computed in its tiles, with the name of the value; nothing if it may.
    pub refused: Option<(String, Refusal)>,
    /// What must hold its value.
    pub buffer: Buffer,
    /// The tiles in the buffer; none in memory.
    pub depth: Option<u32>,
    /// Why what it reads through others is not affine; nothing if it is.
    pub open: Option<String>,
    /// What it waits for.
    pub barriers: Vec<Barrier>,
    /// The reads that are not along contiguous elements.
    pub conflicts: Vec<Conflict>,
}

/// A block waits for a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barrier {
    /// The tensor.
    pub tensor: String,
    /// Whether it is loaded from memory, or left in shared memory by another block.
    pub loaded: bool,
}

impl Barrier {
    /// How it waits on SM80.
    pub fn sm80(&self) -> &'static str {
        if self.loaded { "cp.async.commit_group, cp.async.wait_group" } else { "bar.sync" }
    }

    /// How it waits on SM90.
    pub fn sm90(&self) -> &'static str {
        if self.loaded { "mbarrier.expect_tx, mbarrier.try_wait" } else { "mbarrier.arrive, mbarrier.try_wait" }
    }
}

/// Lanes that read a tile across its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The tensor.
    pub tensor: String,
    /// The axis of the block along which lanes run.
    pub axis: usize,
    /// From a row of the tile to the next, in bytes.
    pub stride: i64,
    /// The most words of one bank that are wanted at once.
    pub ways: u32,
}

const BANKS: i64 = 32;
const BANK_BYTES: i64 = 4;

/// The answers about every block, in order. `tile` is positive.
pub fn answers(ctx: &Context, body: &Body, found: &Polyhedral, tile: i64) -> Vec<Answer> {
    let places: FxHashMap<ValueId, Locality> =
        localities(ctx, body, tile).into_iter().map(|place| (place.value, place)).collect();
    let core = Core { ctx, body, found, tile, places };
    found.blocks.iter().map(|block| core.answer(block)).collect()
}

struct Core<'a> {
    ctx: &'a Context,
    body: &'a Body,
    found: &'a Polyhedral,
    tile: i64,
    places: FxHashMap<ValueId, Locality>,
}

impl Core<'_> {
    fn answer(&self, block: &Block) -> Answer {
        let sizes: Vec<SizeExpr> = block.axes.iter().map(|(_, size)| size.clone()).collect();
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        let values = block.reads.iter().map(|read| read.value).filter(|value| seen.insert(*value));
        let mut whole = Some(Halo { per_axis: vec![SizeExpr::from(0); sizes.len()], bytes: SizeExpr::from(0) });
        let mut refused = None;
        for value in values {
            let reads: Vec<&Read> = block.reads.iter().filter(|read| read.value == value).collect();
            let accesses: Vec<Access> = reads.iter().map(|read| read.access.clone()).collect();
            let own = halo(&sizes, &accesses, self.tile, self.bytes(value));
            if let (Some(producer), None) = (self.body.defining_op(value), &refused) {
                let op = |id| OpRef::new(self.ctx, self.body, id);
                let at = compute_at(op(producer), op(reads[0].op), own.as_ref());
                refused = at.refused.map(|why| (self.found.name(value).to_string(), why));
            }
            whole = whole.zip(own).and_then(|(whole, own)| wider(&whole, &own));
        }
        let place = self.places.get(&block.value);
        Answer {
            tails: tails(&sizes, self.tile),
            halo: whole,
            refused,
            buffer: place.map_or(Buffer::Gmem, |place| place.buffer),
            depth: place.and_then(|place| place.depth),
            open: block.reads.iter().find_map(|read| self.open(block, read)),
            barriers: self.barriers(block),
            conflicts: block.reads.iter().filter_map(|read| self.conflict(block, read)).collect(),
        }
    }

    /// The bytes of an element.
    fn bytes(&self, value: ValueId) -> i64 {
        let elem = Tensor::of(self.ctx, self.body.value_type(value)).map(|ty| ty.elem(self.ctx));
        elem.and_then(|elem| elem.bits(self.ctx)).map_or(1, |bits| i64::from(bits.div_ceil(8)))
    }

    /// Why a read, through the block that computes what is read, is not affine.
    fn open(&self, block: &Block, read: &Read) -> Option<String> {
        if let Some(left) = self.found.excluded.iter().find(|left| left.value == read.value) {
            return Some(format!("'{}' is not affine: {}", left.name, left.why));
        }
        let writer = self.found.blocks.iter().find(|writer| writer.value == read.value)?;
        // The axes that the writer reduces come after those of the reader.
        let reduced = (0..writer.reduced).map(|axis| AffineExpr::Dim((block.axes.len() + axis) as u32));
        let dims: Vec<AffineExpr> = read.at.iter().cloned().chain(reduced).collect();
        let fits = |inner: &Read| {
            let symbols: Vec<AffineExpr> = (0..writer.symbols.len()).map(|at| AffineExpr::Symbol(at as u32)).collect();
            inner.at.iter().all(|at| at.substitute(&dims, &symbols).is_ok())
        };
        let too_large = writer.reads.iter().find(|inner| !fits(inner))?;
        let (through, tensor) = (&writer.name, self.found.name(too_large.value));
        Some(format!("the positions of '{tensor}', read through '{through}', go beyond 64 bits"))
    }

    fn barriers(&self, block: &Block) -> Vec<Barrier> {
        let mut barriers: Vec<Barrier> = Vec::new();
        for read in &block.reads {
            let place = self.places.get(&read.value).map(|place| place.buffer);
            let loaded = matches!(place, None | Some(Buffer::Gmem));
            let lacks = |axis: usize| !read.at.iter().any(|at| at.is_function_of_dim(axis as u32));
            let shared = !read.at.is_empty() && (0..block.axes.len()).any(lacks);
            let barrier = Barrier { tensor: self.found.name(read.value).into(), loaded };
            let waits = if loaded { shared } else { place == Some(Buffer::SmemRing) };
            if waits && !barriers.contains(&barrier) {
                barriers.push(barrier);
            }
        }
        barriers
    }

    fn conflict(&self, block: &Block, read: &Read) -> Option<Conflict> {
        // What stays in registers is in no bank.
        if self.places.get(&read.value).is_some_and(|place| place.buffer == Buffer::Reg) {
            return None;
        }
        let kept = block.axes.len() - block.reduced;
        let has = |at: &AffineExpr, axis: usize| at.is_function_of_dim(axis as u32);
        let axis = (0..kept).rev().find(|&axis| read.at.iter().any(|at| has(at, axis)))?;
        let (last, others) = read.at.split_last()?;
        // A row of one element has no neighbours to be apart from.
        let moving = others.iter().any(|at| has(at, axis)) && last.needed().0 > 0;
        if has(last, axis) || !moving {
            return None;
        }
        let row = crate::analysis::polyhedral::dims(self.ctx, self.body, read.value).last()?.as_constant();
        let points = row.map_or(self.tile, |row| row.min(self.tile));
        let stride = points.checked_mul(self.bytes(read.value))?;
        let ways = ways(stride, self.tile.min(BANKS));
        Some(Conflict { tensor: self.found.name(read.value).into(), axis, stride, ways })
    }
}

/// The most words of one bank that lanes want at once, `stride` bytes apart.
pub fn ways(stride: i64, lanes: i64) -> u32 {
    let mut words: FxHashMap<i64, FxHashSet<i64>> = FxHashMap::default();
    for lane in 0..lanes {
        let word = lane.saturating_mul(stride) / BANK_BYTES;
        words.entry(word % BANKS).or_default().insert(word);
    }
    words.values().map(|words| words.len() as u32).max().unwrap_or(0)
}

/// Two halos together: along each axis the wider one, and the bytes of both.
pub fn wider(one: &Halo, other: &Halo) -> Option<Halo> {
    let pick = |(one, other): (&SizeExpr, &SizeExpr)| match (one.as_constant(), other.as_constant()) {
        (Some(a), Some(b)) if b > a => other.clone(),
        (Some(_), None) => other.clone(),
        _ => one.clone(),
    };
    let per_axis = one.per_axis.iter().zip(&other.per_axis).map(pick).collect();
    Some(Halo { per_axis, bytes: one.bytes.add(&other.bytes).ok()? })
}
