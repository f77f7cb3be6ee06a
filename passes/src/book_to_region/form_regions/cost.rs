//! What it costs to store a value next to a product of matrices, and what it costs not to.
//!
//! Times are counted in bytes: how much memory is read or written in the meantime. An H200 and an A100 agree on the rates,
//! so the choice needs no target: both do some 200 operations of tensor cores, and some 14 of other units, in the time that
//! memory takes for one byte.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{Context, Type};
use rustc_hash::FxHashSet;

use super::graph::{Graph, Kind, Node, Operand, names_axis};
use crate::analysis::sizes::AssumedSizes;
use dlc_book::ops::Function;

/// What is assumed and allowed; see the options of the pass.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The sizes of symbols.
    pub sizes: AssumedSizes,
    /// The widest row of results that a kernel may hold while it runs over the rows of an intermediate.
    pub max_width: i64,
}

/// Operations for each byte: of tensor cores, and of other units where tiles are shared through shared memory.
const TENSOR_CORES: f64 = 200.0;
const GENERAL: f64 = 14.0;
/// The same of a product that a kernel computes element by element: each multiplication waits for what it loads.
const UNTILED: f64 = 4.0;
/// How often as long a product takes whose factor goes through the registers of the threads that multiply: neither TMA nor
/// `cp.async` copies it ahead.
const THROUGH_REGISTERS: f64 = 2.0;

/// How many SMs there are, about; how many bytes the L2 cache gives them in the time that memory takes
/// for one; and the bytes that memory has the time for while a kernel begins.
const SMS: i64 = 128;
const CACHE: f64 = 2.5;
const LAUNCH: f64 = 8e6;
/// The rows and columns of tiles of products, and into how many parts a sum is divided where there are few tiles.
const ROWS: [i64; 2] = [64, 128];
const COLUMNS: [i64; 3] = [64, 128, 256];
const PARTS: [i64; 4] = [1, 2, 4, 8];

/// Which share of a time is clearly less.
const CLEARLY: f64 = 0.7;

/// The threads that read as fast as memory gives, about.
const THREADS: f64 = 65536.0;
/// How many results share a row that they reduce but do not have: tiles along other axes than the rows are as wide.
const RESULTS_OF_ROWS: f64 = 8.0;

/// The most values below a reduction that are looked at for the memory that it goes through.
const MOST_BELOW: usize = 64;

/// Why windows are stored whose rows are reduced next.
pub const WINDOWS_OF_ROWS: &str = "its rows are reduced next, and the kernel that does both would load every window on its \
                                   own, which takes longer than to write and read it";

/// Estimates for the values of a program.
#[derive(Clone, Copy)]
pub struct Costs<'g> {
    pub ctx: &'g Context,
    pub graph: &'g Graph,
    pub limits: &'g Limits,
}

impl Costs<'_> {
    /// Whether tensor cores compute a contraction: its factors are 16-bit floats, as they are or widened.
    pub fn takes_tensor_cores(&self, contraction: Node) -> bool {
        let Some(product) = self.graph.product(contraction) else { return false };
        let is_narrow = |mut node: Node| {
            while let Kind::Map { function: Function::Cast | Function::Copy, .. } = self.graph.values[node].kind {
                let Some(from) = self.graph.values[node].operands.first().map(|operand| operand.node) else { break };
                if self.bits(from) > self.bits(node) {
                    break;
                }
                node = from;
            }
            matches!(self.graph.values[node].elem, Type::F16 | Type::BF16)
        };
        self.graph.values[product].operands.iter().all(|operand| is_narrow(operand.node))
    }

    /// The bytes for which memory has the time to write a value, and to read it once.
    fn round_trip(&self, node: Node) -> f64 {
        let elements = self.limits.sizes.elements(&self.graph.values[node].axes) as f64;
        2.0 * elements * f64::from(self.bits(node).div_ceil(8))
    }

    /// The multiplications and additions of a contraction.
    fn operations(&self, contraction: Node) -> f64 {
        let value = &self.graph.values[contraction];
        2.0 * self.limits.sizes.elements(&value.axes) as f64 * self.limits.sizes.elements(&value.over) as f64
    }

    /// Whether a contraction whose rows are reduced next takes less time in a kernel of its own, which stores `stored` of
    /// it: the kernel of a row multiplies element by element.
    pub fn is_faster_alone(&self, contraction: Node, stored: Node) -> bool {
        let rate = if self.takes_tensor_cores(contraction) { TENSOR_CORES } else { GENERAL };
        let operations = self.operations(contraction);
        operations / rate + self.round_trip(stored) < operations / UNTILED
    }

    /// Whether a contraction on tensor cores whose rows are reduced next takes less time in one kernel with that, whose tiles
    /// have whole rows of so many columns, than in a kernel of its own that stores `stored` of it and has tiles of any size.
    pub fn is_faster_with_rows(&self, contraction: Node, stored: Node, columns: i64) -> bool {
        let value = &self.graph.values[contraction];
        let rows = self.limits.sizes.elements(&value.axes) / columns.max(1);
        let matrix = [rows, columns, self.limits.sizes.elements(&value.over)];
        let whole = columns.saturating_add(7) / 8 * 8;
        let with_rows = ROWS.map(|high| tiled(matrix, [high, whole], 1)).into_iter().fold(f64::INFINITY, f64::min);
        with_rows < best_tiled(matrix, whole) + LAUNCH + self.round_trip(stored)
    }

    /// Whether a contraction takes less time where the next one takes its rows on chip, of which it has `width` results each. A
    /// kernel of both has tiles of whole rows: as few as there are rows, and all of them multiply each column of the rows. Two
    /// kernels divide columns as well, and store what is between them.
    pub fn is_faster_chained(&self, producer: Node, consumer: Node, width: i64) -> bool {
        let sizes = &self.limits.sizes;
        let (first, second) = (&self.graph.values[producer], &self.graph.values[consumer]);
        let rows = (sizes.elements(&second.axes) / width.max(1)).max(1);
        let columns = (sizes.elements(&first.axes) / rows).max(1);
        let depth = sizes.elements(&first.over);
        // Products of f32 are of three parts at half of the rate.
        let slower = if self.takes_tensor_cores(producer) { 1.0 } else { 6.0 };
        let chained = |high: i64| {
            let per_row = 2.0 * columns as f64 * (depth as f64 + width as f64);
            let count = count(count(rows, high), SMS) * SMS;
            count as f64 * high as f64 * per_row / TENSOR_CORES
        };
        let chained = ROWS.map(chained).into_iter().fold(f64::INFINITY, f64::min);
        let apart = best_tiled([rows, columns, depth], columns) + best_tiled([rows, width, columns], width);
        chained * slower < apart * slower + LAUNCH + self.round_trip(producer)
    }

    /// Whether a contraction that is stored as `stored` takes less time in a kernel of its own than in one with others, whose tiles
    /// have the steps of all and are not divided.
    pub fn is_faster_apart(&self, contraction: Node, stored: Node, others: &[Node]) -> bool {
        let [rows, columns, depth] = self.matrix(contraction);
        let steps = others.iter().map(|&other| self.matrix(other)[2]).fold(depth, i64::saturating_add);
        // Products of f32 are of three parts at half of the rate.
        let slower = if self.takes_tensor_cores(contraction) { 1.0 } else { 6.0 };
        let apart = others.iter().chain([&contraction]).map(|&one| best_tiled(self.matrix(one), i64::MAX));
        let together = undivided([rows, columns, steps]);
        apart.sum::<f64>() * slower + LAUNCH + self.round_trip(stored) < together * slower * CLEARLY
    }

    /// The rows, columns and depth of a contraction: its results that the first factor has, batches among them, and others.
    fn matrix(&self, contraction: Node) -> [i64; 3] {
        let value = &self.graph.values[contraction];
        let rhs = self.graph.product(contraction).and_then(|product| self.graph.values[product].operands.get(1));
        let lhs = self.graph.product(contraction).and_then(|product| self.graph.values[product].operands.first());
        let has = |of: Option<&Operand>, axis: usize| of.is_some_and(|of| names_axis(of.access.exprs(), axis));
        let (mut rows, mut columns) = (1i64, 1i64);
        for (axis, size) in value.axes.iter().enumerate() {
            let size = self.limits.sizes.elements(std::slice::from_ref(size));
            let is_column = has(rhs, axis) && !has(lhs, axis);
            let extent = if is_column { &mut columns } else { &mut rows };
            *extent = extent.saturating_mul(size);
        }
        [rows, columns, self.limits.sizes.elements(&value.over)]
    }

    /// Whether a reduction takes less time where each of `times` results of its kernel for each of its own has it computed by its
    /// tile, and not by a kernel of its own.
    pub fn is_faster_in_each_tile(&self, reduction: Node, times: i64, length: i64) -> bool {
        let value = &self.graph.values[reduction];
        let rows = self.limits.sizes.elements(&value.axes) as f64;
        let read = rows * length as f64 * f64::from(self.bits(value.operands[0].node).div_ceil(8));
        read * (times as f64 / RESULTS_OF_ROWS) / CACHE < read + LAUNCH + self.round_trip(reduction)
    }

    /// Whether a value that is reduced, and is computed from rows of `length` elements, takes less time in the kernel that reduces
    /// it to so many results than in one of its own: each result is computed by one thread. Elements count as four bytes.
    pub fn is_faster_in_place(&self, node: Node, length: i64, results: i64) -> bool {
        let read = self.limits.sizes.elements(&self.graph.values[node].axes) as f64 * length as f64 * 4.0;
        let share = (results as f64 / THREADS).min(1.0);
        read / share < read + LAUNCH + self.round_trip(node)
    }

    /// Whether a reduction of windows whose rows are reduced next takes less time in a kernel of its own, which stores
    /// `stored` of it: there threads share what their windows have in common, and in a kernel of rows each loads all of its
    /// own.
    pub fn shares_windows_alone(&self, windows: Node, stored: Node) -> bool {
        let value = &self.graph.values[windows];
        let points = self.limits.sizes.elements(&value.axes) as f64 * self.limits.sizes.elements(&value.over) as f64;
        let read = self.windows_of(windows).map(|operand| points * f64::from(self.bits(operand.node).div_ceil(8)));
        self.round_trip(stored) + LAUNCH < read.sum::<f64>() / CACHE
    }

    /// What a reduction, or a product that it sums, reads of which its neighbours read the same elements.
    pub fn windows_of(&self, reduction: Node) -> impl Iterator<Item = &Operand> {
        let products = self.graph.values[reduction].operands.iter().map(|operand| operand.node);
        let operands = std::iter::once(reduction).chain(products).flat_map(|node| &self.graph.values[node].operands);
        operands.filter(move |operand| self.overlaps(reduction, operand))
    }

    /// Whether neighbours of a reduction read the same elements of an operand: a position is a sum of an axis of the results
    /// and one that is reduced.
    fn overlaps(&self, reduction: Node, operand: &Operand) -> bool {
        let value = &self.graph.values[reduction];
        let count = value.axes.len();
        let is_named = |at: &SizeExpr, axis: usize| names_axis(std::iter::once(at), axis);
        operand.access.at.iter().any(|at| {
            (0..count).any(|axis| is_named(at, axis))
                && (count..count + value.over.len()).any(|axis| is_named(at, axis))
        })
    }

    /// How many operations of a contraction there are for each byte of a factor that is computed and would be written and
    /// read, where they are so many that storing it takes less time than to multiply it from registers.
    pub fn operations_of_stored(&self, factor: Node, contraction: Node) -> Option<f64> {
        let (operations, round_trip) = (self.operations(contraction), self.round_trip(factor));
        let alone = operations / TENSOR_CORES + round_trip;
        let is_faster = alone < operations / TENSOR_CORES * THROUGH_REGISTERS;
        (is_faster && self.takes_tensor_cores(contraction)).then(|| operations / round_trip)
    }

    /// Whether a value takes work beyond reading memory in another order: then no copy brings it to shared memory. A mask by
    /// positions is none: it tells how far the steps of the product go.
    pub fn takes_work(&self, node: Node) -> bool {
        let value = &self.graph.values[node];
        let operands = || value.operands.iter().map(|operand| operand.node);
        let passes_on = match value.kind {
            _ if !self.reads_memory(node) || self.graph.is_memory(node) => return false,
            Kind::Map { function: Function::Copy, .. } => true,
            Kind::Map { function: Function::Cast, .. } => {
                operands().all(|from| self.graph.values[from].elem == value.elem)
            }
            Kind::Map { function: Function::Where, .. } => {
                operands().next().is_none_or(|mask| !self.reads_memory(mask))
            }
            _ => false,
        };
        !passes_on || operands().any(|from| self.takes_work(from))
    }

    /// The length of the rows of the memory that a reduction goes across, and the bytes of an element: it reduces columns. Of
    /// several operands the one with most axes counts.
    pub fn columns(&self, reduction: Node) -> Option<(i64, i64)> {
        let value = &self.graph.values[reduction];
        let count = value.axes.len();
        // Which axes of a value are reduced.
        let mut reduced: Vec<bool> = (0..count + value.over.len()).map(|axis| axis >= count).collect();
        let mut at = reduction;
        for _ in 0..MOST_BELOW {
            let operands = self.graph.values[at].operands.iter();
            let operand = operands.max_by_key(|operand| operand.access.at.len())?;
            let is_reduced = |position: &SizeExpr| {
                let axes = reduced.iter().enumerate().filter(|(_, is_reduced)| **is_reduced);
                axes.into_iter().any(|(axis, _)| names_axis(std::iter::once(position), axis))
            };
            let next: Vec<bool> = operand.access.at.iter().map(is_reduced).collect();
            at = operand.node;
            if self.graph.is_memory(at) {
                let length = self.graph.values[at].axes.last()?;
                let row = self.limits.sizes.elements(std::slice::from_ref(length));
                let crosses = next.last() == Some(&false) && next.contains(&true);
                return crosses.then(|| (row, i64::from(self.bits(at).div_ceil(8))));
            }
            if !matches!(self.graph.values[at].kind, Kind::Map { .. }) {
                return None;
            }
            reduced = next;
        }
        None
    }

    /// Whether a value is computed from anything but numbers and positions. A reduction, a scan or a sort counts as memory.
    pub fn reads_memory(&self, node: Node) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![node]);
        while let Some(at) = work.pop() {
            let is_read = self.graph.is_memory(at)
                || matches!(
                    self.graph.values[at].kind,
                    Kind::Gather | Kind::Reduce { .. } | Kind::Scan(_) | Kind::Sort { .. }
                );
            if is_read {
                return true;
            }
            let operands = self.graph.values[at].operands.iter().map(|operand| operand.node);
            work.extend(operands.filter(|&operand| seen.insert(operand)));
        }
        false
    }

    pub fn bits(&self, node: Node) -> u32 {
        self.graph.values[node].elem.bits(self.ctx).expect("elements of tensors have bits")
    }
}

/// The time of a product on tensor cores with the best of some tiles, which are at most so wide.
fn best_tiled(matrix: [i64; 3], widest: i64) -> f64 {
    let mut best = f64::INFINITY;
    for high in ROWS {
        for wide in COLUMNS.map(|wide| wide.min(widest)) {
            for parts in PARTS {
                let added = if parts > 1 { LAUNCH / 2.0 } else { 0.0 };
                best = best.min(tiled(matrix, [high, wide], parts) + added);
            }
        }
    }
    best
}

/// The time of a product with the best of some tiles, each of which goes along the whole depth.
fn undivided(matrix: [i64; 3]) -> f64 {
    let all = ROWS.into_iter().flat_map(|high| COLUMNS.map(|wide| tiled(matrix, [high, wide], 1)));
    all.fold(f64::INFINITY, f64::min)
}

/// How many tiles there are of an extent.
fn count(extent: i64, tile: i64) -> i64 {
    extent.max(1).saturating_add(tile - 1) / tile.max(1)
}

/// The time of a product on tensor cores: as long as the SM with the most tiles multiplies, or reads what it
/// multiplies from the L2 cache.
fn tiled([rows, columns, depth]: [i64; 3], [high, wide]: [i64; 2], parts: i64) -> f64 {
    let tiles = count(rows, high).saturating_mul(count(columns, wide)).saturating_mul(parts);
    let waves = count(tiles, SMS) as f64;
    let (high, wide, steps) = (high as f64, wide as f64, depth as f64 / parts as f64);
    let multiplied = 2.0 * high * wide * steps / TENSOR_CORES;
    let read = 2.0 * (high + wide) * steps / CACHE;
    waves * SMS as f64 * multiplied.max(read)
}
