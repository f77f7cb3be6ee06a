//! Gives every buffer a place in one arena, and every constant one in a pool, so that a program allocates nothing while
//! it runs: a buffer may lie where another was that nothing reads any more.
//!
//! **Requires**: host.
//! **Ensures**: host. A function says how large its arena and its pool are. Every result of a launch has a place, but for
//! those that are returned, which are the caller's; every constant has one. Places that there were are forgotten.
//!
//! **Before**
//! ```mlir before
//! region.func private @twice<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32, row_major, align 64> materialize gmem) {
//!   %a = read %x[n] : f32 over (n)
//!   %b = binary add %a, %a : f32 over (n)
//!   yield %b to y
//! }
//! host.func @eightfold<M>(%x: memref<[M], f32>) -> memref<[M], f32, row_major, align 64> {
//!   %a = launch @twice<M> (%x) : memref<[M], f32, row_major, align 64>
//!   %b = launch @twice<M> (%a) : memref<[M], f32, row_major, align 64>
//!   %c = launch @twice<M> (%b) : memref<[M], f32, row_major, align 64>
//!   %d = launch @twice<M> (%c) : memref<[M], f32, row_major, align 64>
//!   return %d
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func private @twice<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32, row_major, align 64> materialize gmem) {
//!   %a = read %x[n] : f32 over (n)
//!   %b = binary add %a, %a : f32 over (n)
//!   yield %b to y
//! }
//! host.func @eightfold<M>(%x: memref<[M], f32>) -> memref<[M], f32, row_major, align 64> attributes {arena = ["128*(M ceildiv 16)"], pool = 0} {
//!   %a = launch @twice<M> (%x) at [0] : memref<[M], f32, row_major, align 64>
//!   %b = launch @twice<M> (%a) at [64*(M ceildiv 16)] : memref<[M], f32, row_major, align 64>
//!   %c = launch @twice<M> (%b) at [0] : memref<[M], f32, row_major, align 64>
//!   %d = launch @twice<M> (%c) at [*] : memref<[M], f32, row_major, align 64>
//!   return %d
//! }
//! ```
//!
//! **Does not** change the order of launches so that less is needed at once, nor let a kernel write over what it reads;
//! and of sizes that are not comparable for all values of the symbols, none replaces the other.
//!
//! - Sizes that are numbers are placed from the largest to the smallest, each in the first gap between the buffers that
//!   live at the same time: "greedy by size" of Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
//!   Inference" (2020).
//! - After them come symbolic sizes, in slots, from what is the largest where all symbols are 1024. A buffer takes the
//!   last slot that is known to be large enough, and in which nothing lives at the same time, of the last 64; otherwise a
//!   slot of its own.
//! - Every place in the arena is a multiple of the largest alignment among the buffers.
//!
//! The time grows with the buffers, and with the pairs of those of fixed sizes that live at the same time. Rule of the debug
//! counters: `share`.

use std::collections::BTreeMap;

use dlc_core::memref::MemRef;
use dlc_core::sizes::Exprs;
use dlc_host::buffers::{Buffer, Buffers, bytes, round_up};
use dlc_host::choice::Offsets;
use dlc_host::ops::Const;
use dlc_host::verify::OUTSIDE_OF_MEMORY;
use dlc_ir::affine::{AffineError, SizeExpr, SizeRanges};
use dlc_ir::body::Body;
use dlc_ir::define::{Int, Kind};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{OpId, OpRef};
use rustc_hash::FxHashMap;

static DEF: PassDef = PassDef {
    on: On::Op("host.func"),
    statistics: &[
        StatDef { name: "buffers", doc: "Buffers in the arena." },
        StatDef { name: "shared", doc: "Buffers that lie where another was." },
        StatDef { name: "bytes", doc: "Bytes of arenas whose size is a number." },
        StatDef { name: "bytes_apart", doc: "Bytes that those would have if no buffers shared memory." },
        StatDef { name: "pool", doc: "Bytes of the constants." },
    ],
    requires: &["host"],
    ..PassDef::base("plan-arena", "Assigns buffers to offsets in an arena, and constants to offsets in a pool.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(PlanArena))
}

struct PlanArena;

impl Pass for PlanArena {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        if body.entry_block().is_none() {
            return Ok(());
        }
        let plan = plan_arena(body, cx)?;
        let pool = plan_pool(body, cx)?;
        let loc = body.loc(body.root());
        if plan.buffers > 0 || pool > 0 {
            cx.remark(RemarkKind::Analysis, loc, format!("{plan}; constants have {pool} bytes"));
        }
        cx.count("buffers", plan.buffers as u64);
        cx.count("shared", plan.shared as u64);
        cx.count("pool", pool as u64);
        if let (Some(bytes), Some(apart)) = (plan.bytes.as_constant(), plan.apart.as_constant()) {
            cx.count("bytes", bytes as u64);
            cx.count("bytes_apart", apart as u64);
        }
        Ok(())
    }
}

/// What was planned.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many buffers are in the arena.
    pub buffers: usize,
    /// How many lie where another was.
    pub shared: usize,
    /// The bytes of the arena.
    pub bytes: SizeExpr,
    /// The bytes that it would have if no buffers shared memory.
    pub apart: SizeExpr,
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Plan { buffers, shared, bytes, apart } = self;
        write!(
            f,
            "{buffers} buffers have {bytes} bytes, and would have {apart} if {shared} of them did not share memory"
        )
    }
}

fn too_large(body: &Body, cx: &PassCx<'_>, error: &AffineError) -> PassFailed {
    let message = format!("the memory that is needed cannot be said: {}", error.message);
    let at = OpRef::new(cx.ctx, body, body.root());
    cx.fail(Diagnostic::error(&OUTSIDE_OF_MEMORY, at.loc(), message).at(at.name()))
}

/// Gives the buffers of a function places in an arena.
pub fn plan_arena(body: &mut Body, cx: &PassCx<'_>) -> Result<Plan, PassFailed> {
    let root = OpRef::new(cx.ctx, body, body.root());
    let buffers = Buffers::of(root).list;
    let (places, plan) = assign(&buffers, cx).map_err(|error| too_large(body, cx, &error))?;
    for of_one in (0..buffers.len()).collect::<Vec<_>>().chunk_by(|&a, &b| buffers[a].op == buffers[b].op) {
        let offsets = of_one.iter().map(|&index| places[index].clone()).collect();
        let offsets = Offsets::make(cx.ctx, offsets);
        body.set_prop(cx.ctx, buffers[of_one[0]].op, cx.ctx.intern_str("offsets"), Some(offsets));
    }
    let arena = Exprs::make(cx.ctx, vec![plan.bytes.clone()]);
    body.set_prop(cx.ctx, body.root(), cx.ctx.intern_str("arena"), Some(arena));
    Ok(plan)
}

/// A place for each buffer, none for one that is returned.
fn assign(buffers: &[Buffer], cx: &PassCx<'_>) -> Result<(Vec<Option<SizeExpr>>, Plan), AffineError> {
    let align = buffers.iter().filter(|buffer| !buffer.is_returned).map(|buffer| buffer.ty.align(cx.ctx)).max();
    let (mut fixed, mut symbolic) = (Vec::new(), Vec::new());
    let mut apart = SizeExpr::from(0);
    for (index, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_returned) {
        let size = bytes(cx.ctx, buffer.ty)?;
        let rounded = round_up(&size, align.unwrap_or(1))?;
        apart = apart.add(&rounded)?;
        match rounded.as_constant() {
            Some(bytes) => fixed.push(Fixed { index, buffer, bytes: bytes.max(0), start: 0 }),
            None => symbolic.push(Symbolic { index, buffer, size, rounded }),
        }
    }
    let mut plan = Plan { buffers: fixed.len() + symbolic.len(), shared: 0, bytes: SizeExpr::from(0), apart };
    let mut places = vec![None; buffers.len()];
    let (end, shared) = place_fixed(&mut fixed, cx)?;
    plan.shared += shared;
    for item in &fixed {
        places[item.index] = Some(SizeExpr::from(item.start));
    }
    let (slots, shared) = place_symbolic(symbolic, cx);
    plan.shared += shared;
    plan.bytes = SizeExpr::from(end);
    for slot in slots {
        for item in &slot.items {
            places[item.index] = Some(plan.bytes.clone());
        }
        // The first is the largest.
        plan.bytes = plan.bytes.add(&slot.items[0].rounded)?;
    }
    Ok((places, plan))
}

/// A buffer whose size is a number, and where it begins.
struct Fixed<'b> {
    index: usize,
    buffer: &'b Buffer,
    bytes: i64,
    start: i64,
}

/// Places sizes that are numbers from the largest on, each at the lowest place that is free while it lives. Where they
/// end, and how many share memory.
fn place_fixed(items: &mut [Fixed<'_>], cx: &PassCx<'_>) -> Result<(i64, usize), AffineError> {
    items.sort_by_key(|item| std::cmp::Reverse(item.bytes));
    let mut lives = Lives::below(items.iter().map(|item| item.buffer.last + 1).max().unwrap_or(0));
    let (mut end, mut shared) = (0i64, 0);
    for at in 0..items.len() {
        let item = &items[at];
        let mut taken: Vec<(i64, i64)> = lives
            .alongside(item.buffer)
            .map(|other| (items[other].start, items[other].start + items[other].bytes))
            .collect();
        taken.sort_unstable();
        let mut start = 0;
        for (from, to) in taken {
            if from - start >= item.bytes {
                break;
            }
            start = start.max(to);
        }
        // What lies below the end lies where something was.
        if start < end && item.bytes > 0 {
            if cx.allows_rule("share") {
                shared += 1;
            } else {
                start = end;
            }
        }
        // Of all together no sum is larger than that of all sizes, which was added up before.
        end = end.max(SizeExpr::from(start).add(&item.bytes.into())?.as_constant().unwrap_or(i64::MAX));
        lives.add(at, item.buffer);
        items[at].start = start;
    }
    Ok((end, shared))
}

/// Items by when they live, to find those that live with another one without looking at all.
struct Lives {
    /// A segment tree over the places of ops: each item stands at the few nodes that cover its life.
    covering: Vec<Vec<usize>>,
    /// The items by the place at which they begin.
    beginning: BTreeMap<usize, Vec<usize>>,
}

impl Lives {
    /// Of items that live at places below a number.
    fn below(places: usize) -> Lives {
        Lives { covering: vec![Vec::new(); 2 * places], beginning: BTreeMap::new() }
    }

    fn add(&mut self, item: usize, buffer: &Buffer) {
        self.beginning.entry(buffer.first).or_default().push(item);
        let places = self.covering.len() / 2;
        let (mut from, mut to) = (buffer.first + places, buffer.last + 1 + places);
        while from < to {
            if from % 2 == 1 {
                self.covering[from].push(item);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.covering[to].push(item);
            }
            (from, to) = (from / 2, to / 2);
        }
    }

    /// The items that live when a buffer begins, and those that begin while it lives.
    fn alongside(&self, buffer: &Buffer) -> impl Iterator<Item = usize> {
        let leaf = buffer.first + self.covering.len() / 2;
        let above = std::iter::successors(Some(leaf), |node| Some(node / 2)).take_while(|&node| node > 0);
        let living = above.flat_map(|node| &self.covering[node]);
        let later = (buffer.first < buffer.last).then(|| self.beginning.range(buffer.first + 1..=buffer.last));
        let later = later.into_iter().flatten().flat_map(|(_, items)| items);
        living.chain(later).copied()
    }
}

/// A buffer whose size depends on symbols; `rounded` is the size up to the alignment of the arena.
struct Symbolic<'b> {
    index: usize,
    buffer: &'b Buffer,
    size: SizeExpr,
    rounded: SizeExpr,
}

/// How many slots are looked at for a buffer, from the last one back.
const NEAREST: usize = 64;

/// Memory for buffers of symbolic sizes that are not needed at once.
struct Slot<'b> {
    /// The largest comes first.
    items: Vec<Symbolic<'b>>,
    /// When they live: the first place of each, with the last one.
    lives: BTreeMap<usize, usize>,
}

impl<'b> Slot<'b> {
    fn of(item: Symbolic<'b>) -> Slot<'b> {
        let mut slot = Slot { items: Vec::new(), lives: BTreeMap::new() };
        slot.add(item);
        slot
    }

    /// Whether nothing in it is needed while a buffer lives.
    fn is_unused(&self, buffer: &Buffer) -> bool {
        // As no two live at once, the last one that begins before the end is needed longest.
        self.lives.range(..=buffer.last).next_back().is_none_or(|(_, &last)| last < buffer.first)
    }

    fn add(&mut self, item: Symbolic<'b>) {
        self.lives.insert(item.buffer.first, item.buffer.last);
        self.items.push(item);
    }
}

/// Puts buffers of symbolic sizes into slots, the largest of a slot first. How many share memory.
fn place_symbolic<'b>(mut items: Vec<Symbolic<'b>>, cx: &PassCx<'_>) -> (Vec<Slot<'b>>, usize) {
    let ranges = SizeRanges::default();
    sort_largest_first(&mut items);
    let mut slots: Vec<Slot<'b>> = Vec::new();
    let mut shared = 0;
    for item in items {
        let is_free = |slot: &&mut Slot<'b>| {
            let largest = &slot.items[0].size;
            *largest == item.size || item.size.prove_le(largest, &ranges) == Some(true)
        };
        // Later slots are smaller, or not comparable.
        let mut nearest = slots.iter_mut().rev().take(NEAREST).filter(|slot| slot.is_unused(item.buffer));
        match nearest.find(is_free) {
            Some(slot) if cx.allows_rule("share") => {
                slot.add(item);
                shared += 1;
            }
            _ => slots.push(Slot::of(item)),
        }
    }
    (slots, shared)
}

/// Sorts items such that no size comes after one that is smaller for all sizes of symbols: by what they are at one size of
/// all symbols, and those of one size together.
fn sort_largest_first(items: &mut [Symbolic<'_>]) {
    const SAMPLE: i64 = 1024;
    let mut firsts: FxHashMap<&SizeExpr, usize> = FxHashMap::default();
    let keys: Vec<(std::cmp::Reverse<i64>, usize)> = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let bytes = item.size.eval(&|_| Some(SAMPLE)).unwrap_or(i64::MAX);
            (std::cmp::Reverse(bytes), *firsts.entry(&item.size).or_insert(at))
        })
        .collect();
    let mut ranks: FxHashMap<usize, (std::cmp::Reverse<i64>, usize)> = FxHashMap::default();
    ranks.extend(items.iter().zip(keys).map(|(item, key)| (item.index, key)));
    items.sort_by_key(|item| ranks[&item.index]);
}

/// Gives the constants of a function places in a pool, in their order. Its bytes.
pub fn plan_pool(body: &mut Body, cx: &PassCx<'_>) -> Result<i64, PassFailed> {
    let mut end = SizeExpr::from(0);
    let mut places: Vec<(OpId, i64)> = Vec::new();
    for id in body.walk() {
        let op = OpRef::new(cx.ctx, body, id);
        let Some(ty) = Const::of(op).and_then(|op| MemRef::of(cx.ctx, op.type_of(op.out()))) else { continue };
        let next = round_up(&end, ty.align(cx.ctx)).and_then(|start| Ok((start.add(&bytes(cx.ctx, ty)?)?, start)));
        let (next, start) = next.map_err(|error| too_large(body, cx, &error))?;
        places.push((id, start.as_constant().unwrap_or(0)));
        end = next;
    }
    for (op, offset) in places {
        body.set_prop(cx.ctx, op, cx.ctx.intern_str("offset"), Some(Int::make(cx.ctx, offset)));
    }
    let end = end.as_constant().unwrap_or(0);
    body.set_prop(cx.ctx, body.root(), cx.ctx.intern_str("pool"), Some(Int::make(cx.ctx, end)));
    Ok(end)
}
