//! How near to where it is used a value of `book` can be kept: tails, halos, least buffers, and where it may be computed.
//!
//! An op is looked at as loops over its axes `i0, i1, ..`, which are cut into tiles of `t` points; an axis whose size is
//! known to be at most `t` is one tile. Nothing is said of an order: that is for a plan.
//!
//! **Tail.** An axis is a tail axis unless its size `n` is known to be at most `t` or a multiple of it. The last tile of
//! a tail axis is cut off, so what is done there needs a predicate.
//!
//! **Halo.** Let an operand be read on one of its axes at `c0 + sum of c_a * i_a`. A step of `i_a` from one tile to the
//! next moves what is read by `|c_a| * t`; a tile reads `|c_a| * (t - 1) + 1 + sum over b != a of |c_b| * (n_b - 1)`
//! positions. What it reads beyond its own share is
//!
//! ```text
//! halo(a) = max(0, 1 - |c_a| + sum over b != a of |c_b| * (n_b - 1) + spread)
//! ```
//!
//! independent of `t`. Of the axes that occur, the one with the least halo moves: `2*i0 + i1` with three points of `i1`
//! has a halo of 1 along `i0`, and `4*i0 + i1` with four points none. `spread` is the difference between the largest and
//! the least `c0` where one op reads the value several times at positions that differ in `c0` alone. A quotient or
//! remainder of a single axis has no halo; of other positions it is not known. Guards make a read smaller at the edges,
//! and are not counted.
//!
//! In bytes, for each position on the axes of the operand without a halo:
//! `(product of (|c_a| * t_a + halo(a)) - product of |c_a| * t_a) * bytes of an element`, `t_a` being `t`, or the size of
//! the axis if that is less.
//!
//! **Least buffer.** What must hold a value between its op and those that read it, if all run in one kernel:
//!
//! | buffer | when | depth |
//! | --- | --- | --- |
//! | `reg` | every op reads it at axes, each once, and constants | 2: one in use, one to come |
//! | `smem_ring` | every halo is known | 2, or 3 with a halo: neighbours are still in use |
//! | `gmem` | it is returned, read by what is `non_scop`, or at positions whose halo is not known | |
//!
//! **Compute-at.** A producer may be computed inside of the tiles of a consumer unless
//!
//! - one of them is `non_scop`;
//! - the halo is not known;
//! - it is a reduction, and there is a halo: its elements would be reduced again for each tile that needs them;
//! - it is a reduction with several consumers, which read it at different positions: then it would be reduced for each.
//!
//! With each answer come the *distance* (`c0` where the position is `i_a + c0`: by how much the tile of the producer is
//! moved), the *fan-out* (how many ops read it), the halo, and the axes along which the value is the same (*repeated*),
//! where it would be computed again unless their tiles share it.
//!
//! Linear in ops, operands and terms. The terms are those of the specification, sections 4.6 and 7.1.

use dlc_book::ops::{Entry, Gather, Iota, Reduce, Reshape, Return, Scan, Sort};
use dlc_book::verify::reads;
use dlc_core::access::Access;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Body, Context, OpId, OpRef, ValueId};

mod halo;

pub use halo::{Halo, halo};

/// What holds a value between ops of one kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Buffer {
    /// Registers.
    Reg,
    /// A ring of tiles in shared memory.
    SmemRing,
    /// Memory.
    Gmem,
}

impl Buffer {
    /// As it is written: `smem_ring`.
    pub fn word(self) -> &'static str {
        match self {
            Buffer::Reg => "reg",
            Buffer::SmemRing => "smem_ring",
            Buffer::Gmem => "gmem",
        }
    }
}

/// Why a producer may not be computed at a consumer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// One of them is not affine.
    NonScop,
    /// It is not known what a tile needs.
    Unknown,
    /// Tiles overlap, and what they share would be reduced again.
    Halo,
    /// Others read it at other positions.
    FanOut,
}

impl Refusal {
    /// As it is written: `non_scop`.
    pub fn word(self) -> &'static str {
        match self {
            Refusal::NonScop => "non_scop",
            Refusal::Unknown => "unknown",
            Refusal::Halo => "halo",
            Refusal::FanOut => "fan_out",
        }
    }
}

/// Whether the op that gives a value may be computed inside of the tiles of one that reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputeAt {
    /// Why not; nothing if it may.
    pub refused: Option<Refusal>,
    /// For each axis of the value, by how much its tile is moved; nothing where that is not one number.
    pub distance: Vec<Option<i64>>,
    /// The axes of the consumer along which the value is the same.
    pub repeated: Vec<usize>,
}

/// How an op reads one of its operands, all positions together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// What is read.
    pub value: ValueId,
    /// What tiles read beyond their own share; nothing where that is not known.
    pub halo: Option<Halo>,
    /// For a value that is computed.
    pub compute_at: Option<ComputeAt>,
}

/// What is determined about a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locality {
    /// The op that gives it.
    pub op: OpId,
    /// The value.
    pub value: ValueId,
    /// The sizes of its axes, and of those that are reduced for it.
    pub axes: Vec<SizeExpr>,
    /// How many of the axes are reduced: the last ones.
    pub reduced: usize,
    /// The axes whose last tile is cut off.
    pub tails: Vec<usize>,
    /// What must hold it.
    pub buffer: Buffer,
    /// The tiles in the buffer; none in memory.
    pub depth: Option<u32>,
    /// How many ops read it.
    pub fan_out: usize,
    /// Its operands, each once.
    pub reads: Vec<Read>,
}

/// The tail axes among axes of some sizes, cut into tiles of `tile` points.
pub fn tails(sizes: &[SizeExpr], tile: i64) -> Vec<usize> {
    let whole = |size: &SizeExpr| match size.as_constant() {
        Some(size) => size <= tile || size % tile == 0,
        None => size.divisible_by(tile),
    };
    sizes.iter().enumerate().filter(|(_, size)| !whole(size)).map(|(axis, _)| axis).collect()
}

/// What is to be known of each value of a function of `book`, in the order of the text. `tile` is positive.
pub fn localities(ctx: &Context, body: &Body, tile: i64) -> Vec<Locality> {
    let tile = tile.max(1);
    let ops = body.walk();
    let ops = ops.into_iter().map(|op| OpRef::new(ctx, body, op)).filter(|op| op.results().len() == 1);
    ops.map(|op| locality(op, tile)).collect()
}

fn locality(op: OpRef<'_>, tile: i64) -> Locality {
    let value = op.result(0);
    let (axes, reduced) = axes_of(op);
    let (mut buffer, mut overlaps) = (Buffer::Reg, false);
    let users = users(op);
    for &user in &users {
        let (needed, halo) = needed(user, value, tile);
        buffer = buffer.max(needed);
        overlaps |= halo.is_some_and(|halo| !halo.is_none());
    }
    let depth = (buffer != Buffer::Gmem).then_some(if overlaps { 3 } else { 2 });
    let mut reads: Vec<Read> = Vec::new();
    for operand in op.operands() {
        if reads.iter().all(|read| read.value != operand) {
            let halo = halo_of(op, operand, tile);
            let producer = op.body.defining_op(operand).map(|id| OpRef { id, ..op });
            let compute_at = producer.map(|producer| compute_at(producer, op, halo.as_ref()));
            reads.push(Read { value: operand, halo, compute_at });
        }
    }
    let tails = tails(&axes, tile);
    let fan_out = users.iter().filter(|user| Return::of(**user).is_none()).count();
    Locality { op: op.id, value, axes, reduced, tails, buffer, depth, fan_out, reads }
}

/// The sizes of the axes of an op, and how many of them are reduced.
fn axes_of(op: OpRef<'_>) -> (Vec<SizeExpr>, usize) {
    if let Some(reduce) = Reduce::of(op) {
        let (axes, over) = (reduce.axes(), reduce.over());
        return ([axes, over.clone()].concat(), over.len());
    }
    let sizes = op.results().next().and_then(|value| Tensor::of(op.ctx, op.type_of(value)));
    (sizes.map(|ty| ty.dims(op.ctx)).unwrap_or_default(), 0)
}

/// The ops that read the value of an op, each once.
fn users<'a>(op: OpRef<'a>) -> Vec<OpRef<'a>> {
    let mut users: Vec<OpRef<'a>> = Vec::new();
    for used in op.body.uses(op.result(0)) {
        if users.iter().all(|user| user.id != used.op) {
            users.push(OpRef { id: used.op, ..op });
        }
    }
    users
}

/// Whether an op is affine in all that it reads, and reads no more than one element for each point.
pub fn in_scop(op: OpRef<'_>) -> bool {
    Gather::of(op).is_none() && Reshape::of(op).is_none() && Scan::of(op).is_none() && Sort::of(op).is_none()
}

/// How an op reads a value: one access for each operand that it is. Nothing if it is not known, or is not affine.
fn accesses(op: OpRef<'_>, value: ValueId) -> Option<(Vec<Access>, Vec<SizeExpr>)> {
    if Entry::of(op).is_none() && Reduce::of(op).is_none() && Iota::of(op).is_none() {
        return None;
    }
    let (accesses, sizes) = reads(op)?;
    let own = op.operands().zip(accesses).filter(|(operand, _)| *operand == value).map(|(_, access)| access).collect();
    Some((own, sizes))
}

fn halo_of(op: OpRef<'_>, value: ValueId, tile: i64) -> Option<Halo> {
    let (accesses, sizes) = accesses(op, value)?;
    let bits = Tensor::of(op.ctx, op.type_of(value))?.elem(op.ctx).bits(op.ctx)?;
    halo(&sizes, &accesses, tile, i64::from(bits.div_ceil(8)))
}

/// What must hold a value for an op that reads it, and the halo of that.
fn needed(op: OpRef<'_>, value: ValueId, tile: i64) -> (Buffer, Option<Halo>) {
    let Some((accesses, _)) = accesses(op, value) else { return (Buffer::Gmem, None) };
    let Some(halo) = halo_of(op, value, tile) else { return (Buffer::Gmem, None) };
    let own = halo.is_none() && accesses.iter().all(halo::is_projection);
    (if own { Buffer::Reg } else { Buffer::SmemRing }, Some(halo))
}

/// Whether the producer of a value may be computed at an op that reads it, where the halo is known to be this.
pub fn compute_at(producer: OpRef<'_>, consumer: OpRef<'_>, halo: Option<&Halo>) -> ComputeAt {
    let value = producer.result(0);
    let rank = Tensor::of(producer.ctx, producer.type_of(value)).map_or(0, |ty| ty.rank(producer.ctx));
    let Some((own, sizes)) = accesses(consumer, value).filter(|_| in_scop(producer)) else {
        return ComputeAt { refused: Some(Refusal::NonScop), distance: vec![None; rank], repeated: Vec::new() };
    };
    let is_reduction = Reduce::of(producer).is_some();
    let others = || {
        let users = users(producer);
        let mut positions = users.iter().filter_map(|user| accesses(*user, value)).flat_map(|(accesses, _)| accesses);
        users.len() > 1 && positions.any(|access| access.at != own[0].at)
    };
    let refused = match halo {
        None => Some(Refusal::Unknown),
        Some(halo) if is_reduction && !halo.is_none() => Some(Refusal::Halo),
        Some(_) if is_reduction && others() => Some(Refusal::FanOut),
        Some(_) => None,
    };
    let distance = (0..rank).map(|axis| {
        let mut distances = own.iter().map(|access| access.at.get(axis).and_then(halo::distance));
        let first = distances.next().flatten();
        first.filter(|_| distances.all(|other| other == first))
    });
    let occurs = |axis: usize| own.iter().flat_map(|access| &access.at).any(|at| halo::axes_in(at).contains(&axis));
    let repeated = (0..sizes.len()).filter(|&axis| !occurs(axis)).collect();
    ComputeAt { refused, distance: distance.collect(), repeated }
}
