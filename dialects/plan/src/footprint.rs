//! What a schedule costs an SM: threads, registers, shared memory.

use dlc_ir::{Context, Type};

use crate::clause::{Barrier, Cache, Kind, Place, Sharing, StoreMethod};
use crate::schedule::Schedule;
use crate::value::{Choice, Table};

/// The threads of a warp, of a warpgroup.
pub const WARP: i64 = 32;
/// The threads of four warps, which compute with `wgmma` together.
pub const GROUP: i64 = 4 * WARP;
/// The bytes of a panel of 64 rows and 128 bytes, in which results go through shared memory.
const PANEL: i64 = 64 * 128;
/// The bytes after a row across which threads read `f32`.
const ROW_PADDING: i64 = 32;
/// The pixels after the last row of a window: where the exchange of 16-byte units begins again.
const AFTER_ROWS: i64 = 8;
/// The registers of a thread besides its accumulators and what it keeps: addresses, counters, predicates. What fits with
/// fewer is for the assembler to determine.
pub const OVERHEAD: i64 = 24;

/// What a block takes, as far as the schedule says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// Shared memory, in bytes; `None` beyond 64 bits.
    pub smem: Option<i64>,
    /// Bytes of one stage of all tiles that have as many buffers as the schedule has stages.
    pub stage: i64,
    /// Threads, producers included; `None` where nothing says it.
    pub threads: Option<i64>,
    /// Threads that compute.
    pub workers: Option<i64>,
    /// Registers of a worker for accumulators and what it keeps; `None` where the number of workers is not known.
    pub held: Option<i64>,
}

impl Schedule {
    /// The axes of the tile that are not reduced, with their extents: those that `reduced` does not name, or all but the
    /// last one where something multiplies.
    pub fn out_tile(&self) -> Vec<(String, i64)> {
        let axes = self.tile.iter().flat_map(|tile| &tile.0);
        match &self.reduced {
            Some(reduced) => axes.filter(|(axis, _)| !reduced.contains(axis)).cloned().collect(),
            None => {
                let count = self.tile.as_ref().map_or(0, |tile| tile.0.len());
                axes.take(count.saturating_sub(usize::from(self.contracts()))).cloned().collect()
            }
        }
    }

    /// The axes of the rows and of the columns of a product: those of the results that the first operand has and the second
    /// has not, and the other way round; of back-to-back products those of the first operand and of the last. Otherwise the
    /// two of which the tile has several positions, or the last two.
    pub fn sides(&self) -> (Vec<(String, i64)>, Vec<(String, i64)>) {
        let out = self.out_tile();
        let operands: Vec<&Vec<String>> = self.smem_caches().filter_map(|cache| cache.axes.as_ref()).collect();
        let only = |own: &[String], other: &[String]| {
            let only = |axis: &String| own.contains(axis) && !other.contains(axis);
            out.iter().filter(|(axis, _)| only(axis)).cloned().collect::<Vec<_>>()
        };
        if let [first, others @ ..] = operands.as_slice() {
            for other in others.first().into_iter().chain(others.last()) {
                let sides = (only(first, other), only(other, first));
                if !sides.0.is_empty() && !sides.1.is_empty() {
                    return sides;
                }
            }
        }
        // Of axes of which the tile has one position there is nothing to multiply.
        let long: Vec<&(String, i64)> = out.iter().filter(|(_, extent)| *extent > 1).collect();
        if let [rows, columns] = long.as_slice() {
            return (vec![(*rows).clone()], vec![(*columns).clone()]);
        }
        match out.as_slice() {
            [.., rows, columns] => (vec![rows.clone()], vec![columns.clone()]),
            _ => (Vec::new(), Vec::new()),
        }
    }

    /// Whether something is multiplied and summed: then the last axis of the tile is the one that is reduced. It is what an
    /// instruction says; without one, tiles of two operands, or tiles of warps or threads that leave out the last of
    /// three axes or more.
    pub fn contracts(&self) -> bool {
        let Some(tile) = &self.tile else { return false };
        let inner = self.warp_tile.as_ref().or(self.thread_tile.as_ref());
        let left_out = || inner.is_some_and(|inner| tile.0.last().is_some_and(|(axis, _)| inner.get(axis).is_none()));
        match &self.instruction {
            Some(of) => of.kind != Kind::Fma || tile.0.len() > 2,
            None => tile.0.len() > 2 && (self.smem_caches().count() >= 2 || left_out()),
        }
    }

    /// The tensors that have tiles in shared memory.
    pub fn smem_caches(&self) -> impl Iterator<Item = &Cache> {
        self.caches.iter().filter(|cache| cache.place == Place::Smem)
    }

    /// The axes of a tensor's tile, the contiguous one last. Where the schedule does not say them, the first two tensors
    /// are taken for the operands of a product: the first has every axis but the last of the results, the second every
    /// axis but the one before. Others have the axes of the results.
    pub fn axes_of<'a>(&'a self, cache: &'a Cache) -> Vec<&'a str> {
        if let Some(axes) = &cache.axes {
            return axes.iter().map(String::as_str).collect();
        }
        let results = self.out_tile();
        let is_out = |axis: &str| results.iter().any(|(own, _)| own == axis);
        let all = || self.tile.iter().flat_map(|tile| tile.names());
        let out: Vec<&str> = all().filter(|axis| is_out(axis)).collect();
        let reduced = all().filter(|axis| !is_out(axis));
        let without = |left: usize| out.iter().enumerate().filter(move |(at, _)| *at != left).map(|(_, axis)| *axis);
        let place = self.smem_caches().position(|other| other == cache);
        match (place, out.len().checked_sub(2)) {
            (Some(0), Some(first)) if self.contracts() => without(first + 1).chain(reduced).collect(),
            (Some(1), Some(first)) if self.contracts() => {
                let mut axes: Vec<&str> = without(first).collect();
                let last = axes.len().saturating_sub(1);
                reduced.enumerate().for_each(|(at, axis)| axes.insert(last + at, axis));
                axes
            }
            _ => out,
        }
    }

    /// The bits of an element of a tensor: 16 where the schedule does not say the type.
    pub fn elem_bits(&self, ctx: &Context, cache: &Cache) -> i64 {
        cache.dtype.and_then(|ty| ty.bits(ctx)).map_or(16, i64::from)
    }

    /// The type of the operands of the instruction, as far as it is given.
    pub fn operand_type(&self) -> Option<Type> {
        self.smem_caches().find_map(|cache| cache.dtype)
    }

    /// How many tiles of a tensor there are.
    pub fn buffers_of(&self, cache: &Cache) -> i64 {
        cache.buffers.or(self.stages).unwrap_or(if cache.pingpong { 2 } else { 1 })
    }

    /// Bytes of one tile of a tensor, rounded up to where the next one may begin.
    fn tile_bytes(&self, ctx: &Context, cache: &Cache) -> Option<i64> {
        let elems = self.tile_elems(cache)?;
        let bytes = elems.checked_mul(self.elem_bits(ctx, cache))?.checked_add(7)? / 8;
        let bytes = bytes.checked_add(self.padding(ctx, cache, elems))?;
        // The atom of a swizzle of 128 bytes is 1024 bytes.
        let align = if self.barrier == Some(Barrier::Mbarrier) { 1024 } else { 16 };
        Some(bytes.checked_add(align - 1)? / align * align)
    }

    /// The tensor of which windows of pixels stay in shared memory, if the schedule says so.
    pub fn windowed(&self) -> Option<&str> {
        let mut words = self.algo.iter().flat_map(|table| &table.0);
        let window = words.find(|(_, word)| *word == Choice::Word("window".into()));
        window.and_then(|(name, _)| name.strip_prefix("load_"))
    }

    /// The elements of one tile of a tensor. Of pixels that are there for all places of a window, the rows that it reaches are
    /// more than those of the results, and some pixels follow the last row.
    pub fn tile_elems(&self, cache: &Cache) -> Option<i64> {
        let axes = self.axes_of(cache);
        let product = |axes: &[&str]| axes.iter().try_fold(1i64, |all, axis| all.checked_mul(self.tile_of(axis)));
        let out = self.out_tile();
        let (results, reduced): (Vec<&str>, Vec<&str>) =
            axes.iter().partition(|axis| out.iter().any(|(own, _)| own == *axis));
        let is_windowed = self.windowed() == Some(cache.tensor.as_str());
        let ([before @ .., row, column], [high, _, channel], true) = (&*results, &*reduced, is_windowed) else {
            return product(&axes);
        };
        let rows = self.tile_of(row).checked_add(self.tile_of(high))? - 1;
        let pitch = self.tile_of(column);
        let pixels = rows.checked_mul(pitch)?;
        // Some pixels of the next row follow if the exchange of 16-byte units begins there, else all of them.
        let after = if pixels % AFTER_ROWS == 0 { AFTER_ROWS } else { pitch };
        let pixels = pixels.checked_add(after + AFTER_ROWS - 1)? / AFTER_ROWS * AFTER_ROWS;
        product(before)?.checked_mul(pixels)?.checked_mul(self.tile_of(channel))
    }

    /// The bytes between the rows of a tile of `f32` that tensor cores multiply across its rows.
    fn padding(&self, ctx: &Context, cache: &Cache, elems: i64) -> i64 {
        let is_split = self.instruction.as_ref().is_some_and(|of| of.kind == Kind::Mma && of.precision.is_some());
        let row = self.axes_of(cache).last().map_or(1, |axis| self.tile_of(axis)).max(1);
        let is_across =
            self.axes_of(cache).last().is_some_and(|axis| self.out_tile().iter().any(|(own, _)| own == axis));
        if is_split && is_across && self.elem_bits(ctx, cache) == 32 { ROW_PADDING * (elems / row) } else { 0 }
    }

    /// The number of warpgroups that compute.
    pub fn consumers(&self) -> i64 {
        self.roles.as_ref().map_or(1, |roles| roles.consumers)
    }

    /// The threads that compute: what roles, the grid of threads, the grid of warps or the tiles of warps and threads say,
    /// whichever comes first.
    pub fn workers(&self) -> Option<i64> {
        if let Some(roles) = &self.roles {
            return roles.consumers.checked_mul(GROUP);
        }
        if let Some(threads) = &self.threads {
            return threads.product();
        }
        let lanes = if self.instruction.as_ref().is_some_and(|of| of.kind == Kind::Wgmma) { GROUP } else { WARP };
        if let Some(warps) = &self.warps {
            return warps.product()?.checked_mul(WARP);
        }
        let among = |tile: &Table<i64>| {
            let share = |count: i64, (axis, extent): &(String, i64)| {
                count.checked_mul(extent.checked_div(tile.along(axis)).filter(|&parts| parts > 0)?)
            };
            self.out_tile().iter().try_fold(1i64, share)
        };
        match (&self.warp_tile, &self.thread_tile) {
            (Some(tile), _) => among(tile)?.checked_mul(lanes),
            (None, Some(tile)) => among(tile),
            (None, None) => None,
        }
    }

    /// What a block takes.
    pub fn footprint(&self, ctx: &Context) -> Footprint {
        let mut smem = Some(0i64);
        let mut stage = 0i64;
        for cache in self.smem_caches() {
            let bytes = self.tile_bytes(ctx, cache);
            smem = smem.and_then(|sum| sum.checked_add(bytes?.checked_mul(self.buffers_of(cache))?));
            if cache.buffers.is_none() {
                stage = stage.saturating_add(bytes.unwrap_or(i64::MAX));
            }
        }
        let store = self.store.as_ref().filter(|store| store.way != StoreMethod::Fragments);
        let panels = store.and_then(|store| store.panels).unwrap_or(0);
        // Transposed panels have a row of 128 bytes for each row of the tile.
        let rows = || self.sides().0.iter().try_fold(1i64, |rows, (_, extent)| rows.checked_mul(*extent));
        let panel = if self.swap_operands { rows().and_then(|rows| rows.checked_mul(128)) } else { Some(PANEL) };
        let rooms = panel.and_then(|panel| panels.checked_mul(panel)?.checked_mul(self.consumers()));
        smem = smem.and_then(|sum| sum.checked_add(rooms?));
        if self.barrier == Some(Barrier::Mbarrier) {
            // Of each stage one barrier says that it is full, and one that it is empty.
            let barriers = self.stages.unwrap_or(1).checked_mul(16);
            smem = smem.and_then(|sum| sum.checked_add(barriers?));
        }
        let workers = self.workers();
        let producers = if self.roles.is_some() { GROUP } else { 0 };
        let threads = workers.and_then(|workers| workers.checked_add(producers));
        Footprint { smem, stage, threads, workers, held: self.held(ctx, workers) }
    }

    /// The registers of a worker for its part of the tile, and for what it keeps of tensors.
    fn held(&self, ctx: &Context, workers: Option<i64>) -> Option<i64> {
        let workers = workers.filter(|&workers| workers > 0)?;
        let elems = self.out_tile().iter().try_fold(1i64, |elems, (_, extent)| elems.checked_mul(*extent))?;
        // Each consumer of a ping-pong has a tile of its own.
        let sharing = match &self.roles {
            Some(roles) if roles.kind == Sharing::PingPong => GROUP,
            _ => workers,
        };
        let accumulators = if self.contracts() { elems.div_euclid(sharing) } else { 0 };
        // The product of a step lies next to the sum that it is added to.
        let promote = self.instruction.as_ref().is_some_and(|of| of.promote);
        let accumulators = accumulators.checked_mul(if promote { 2 } else { 1 })?;
        let kept = |cache: &Cache| {
            let elems =
                self.axes_of(cache).iter().try_fold(1i64, |elems, axis| elems.checked_mul(self.tile_of(axis)))?;
            let bits = cache.dtype.and_then(|ty| ty.bits(ctx)).map_or(32, i64::from);
            let together = workers.checked_mul(32)?;
            Some(elems.checked_mul(bits)?.checked_add(together - 1)? / together)
        };
        let mut caches = self.caches.iter().filter(|cache| cache.place == Place::Reg);
        caches.try_fold(accumulators, |sum, cache| sum.checked_add(kept(cache)?))
    }
}
