//! Kernels whose reductions are so short that each thread computes them for itself: windows of convolutions by groups of
//! one, of pools, sums along a short axis. Candidates, and what of their loads a thread shares among its elements.
//!
//! A thread has some neighbours along the contiguous axis, and some along one other axis. Loops over windows are unrolled,
//! so that what the windows of its elements have in common is loaded once, by vectors of memory where rows are whole
//! vectors. What is loaded by all threads decides, then, besides what is computed.

use dlc_ir::affine::SizeExpr;
use dlc_plan::Schedule;
use dlc_plan::footprint::WARP;
use dlc_plan::value::Table;

use super::candidates::CandidateGenerator;
use super::facts::{Facts, Tensor, bits};
use crate::analysis::masks;
use crate::analysis::vectors::MOST_APART;

/// The bytes of the widest access.
const WIDEST: i64 = 16;
/// The most products or other combinations of a thread that are unrolled.
const MOST_UNROLLED: i64 = 2048;
/// How far rows that are no whole vectors are known apart: the most that is asked of a size.
const MOST_ASSUMED: i64 = 64;
/// The most neighbours of a thread along another axis than the contiguous one.
const MOST_ROWS: i64 = 4;
/// The most elements of a row that a thread may have as a whole.
const SHORT_ROW: i64 = 8;
/// The most elements of a thread: with more, too few threads are left to wait for memory at the same time.
const MOST_ELEMENTS: i64 = 32;
/// The registers of a thread for addresses, conditions and counters.
const FOR_ADDRESSES: i64 = 40;
/// Of how many places of a window a thread has a register more: ptxas then spills nothing of a window of 3 x 3, and 8 bytes
/// of one of 7 x 7.
const L2_PREFETCH_SHARE: i64 = 4;
/// How many elements are farther apart than any two that a cache holds together.
const FARTHEST: u64 = 1 << 30;
/// What is computed for a load besides it: its address, whether it is in memory.
const OPS_OF_LOAD: f64 = 2.0;
/// The bytes that an SM's cache gives its threads at once, of one line.
const LINE: f64 = 128.0;

/// What a thread of a plan does for itself.
#[derive(Clone, Copy, Default, Debug)]
pub struct Work {
    /// Instructions besides what is computed of each element: loads, conversions, stores.
    pub instructions: f64,
    /// The lines of the cache that its warp reads and writes, for all of its threads.
    pub lines: f64,
    /// The numbers that it holds at once.
    pub held: f64,
}

/// A read of a tensor: where, in the axes of the kernel.
pub struct At {
    /// The place of the tensor among the inputs.
    pub input: usize,
    /// The position along each axis of the tensor.
    pub at: Vec<SizeExpr>,
}

impl Facts {
    /// Whether each thread computes the reductions of its own elements: they are short, and results lie along none of them.
    pub fn is_local(&self) -> bool {
        let is_short = |axis: &String| {
            let size = self.axes.size(axis).and_then(SizeExpr::as_constant);
            size.is_some_and(|size| (1..32).contains(&size)) && !self.iters().contains(axis)
        };
        self.products.is_empty() && !self.reduced.is_empty() && self.reduced.iter().all(is_short)
    }

    /// Whether a number divides a size, if symbols have the divisors that are noted.
    fn divides(&self, size: &SizeExpr, by: i64, assume: &Table<i64>) -> bool {
        let put = |name: &str| SizeExpr::symbol(name).ok()?.mul(&assume.along(name).into()).ok();
        size.substitute(&put).is_ok_and(|size| size.divisible_by(by))
    }

    /// Notes what is asked of a symbol, so that a number divides a size. `None` where that is not so of the size here.
    fn assume(&self, size: &SizeExpr, by: i64, assume: &mut Table<i64>) -> Option<()> {
        if self.divides(size, by, assume) {
            return Some(());
        }
        let symbols = size.symbols();
        let name = symbols.iter().next().filter(|_| symbols.len() == 1)?;
        let number = *self.symbols.get(&**name)?;
        let mut asked = by;
        while asked <= MOST_ASSUMED {
            let mut wanted = assume.clone();
            match wanted.get_mut(name) {
                Some(known) => *known = (*known).max(asked),
                None => wanted.0.push((name.to_string(), asked)),
            }
            if number % asked == 0 && self.divides(size, by, &wanted) {
                *assume = wanted;
                return Some(());
            }
            asked *= 2;
        }
        None
    }

    /// How many elements of a row of a tensor an access takes at most, and begins at a multiple of.
    fn aligned(&self, tensor: &Tensor, bytes: i64, assume: &Table<i64>) -> i64 {
        let Some(row) = &tensor.row else { return 1 };
        let mut width = (WIDEST / bytes).max(1);
        while width > 1 && !self.divides(row, width, assume) {
            width /= 2;
        }
        width
    }
}

/// How many elements neighbours along an axis are apart; `None` where that differs. Input may say any number: beyond
/// [`FARTHEST`] nothing changes.
fn distance(at: &SizeExpr, axis: &str) -> Option<i64> {
    masks::slope(at, axis).map(|slope| slope.unsigned_abs().min(FARTHEST) as i64)
}

fn names(at: &SizeExpr, axis: &str) -> bool {
    at.symbols().iter().any(|name| **name == *axis)
}

/// What each thread of a plan does for its elements.
pub fn work(ctx: &dlc_ir::Context, facts: &Facts, plan: &Schedule) -> Work {
    let none = Table::default();
    let assume = plan.assume.as_ref().unwrap_or(&none);
    let along = |table: &Option<Table<i64>>, axis: &str| table.as_ref().map_or(1, |table| table.along(axis)).max(1);
    let threads = |axis: &str| along(&plan.threads, axis);
    // What a thread has of an axis: of results some, of what is reduced all that is unrolled.
    let own = |axis: &str| match facts.reduced.iter().any(|reduced| reduced == axis) {
        true => along(&plan.unroll, axis),
        false => (plan.tile_of(axis) / threads(axis)).max(1),
    };
    let steps: f64 = facts.reduced.iter().map(|axis| facts.size(axis) as f64 / own(axis) as f64).product();
    let span = |at: &SizeExpr| {
        let axes = facts.axes.names.iter().filter(|axis| names(at, axis));
        let (mut reach, mut points) = (0, 1);
        for axis in axes {
            reach += distance(at, axis).unwrap_or_else(|| own(axis)) * (own(axis) - 1);
            points *= own(axis);
        }
        (reach, points)
    };
    let mut work = Work::default();
    let last = facts.iters().last();
    for read in &facts.reads {
        let tensor = &facts.inputs[read.input];
        let bytes = (bits(ctx, tensor.elem) / 8.0) as i64;
        let Some((row, others)) = read.at.split_last() else { continue };
        let rows: i64 = others.iter().map(&span).map(|(reach, points)| points.min(reach + 1)).product();
        let (reach, points) = span(row);
        let elements = points.min(reach + 1);
        let step = last.and_then(|last| distance(row, last)).unwrap_or(0);
        // Vectors begin at multiples of their size; those of windows reach over the ends of what a thread has.
        let begins = last.map_or(1, |last| own(last) * step);
        let width = match begins {
            0 => 1,
            // A vector has one element of a window's each at most.
            _ if step > MOST_APART => 1,
            _ => facts.aligned(tensor, bytes, assume).min(begins & -begins),
        };
        let is_window = last.is_none_or(|last| row.as_symbol() != Some(last.as_str()));
        let vectors = (reach + 1 + width - 1) / width + i64::from(is_window && width > 1);
        let accesses = vectors.min(elements);
        let loads = (rows * accesses) as f64 * steps;
        let lines = lines(facts, [&threads, &own], read, bytes);
        // Of single elements the cache looks up two lines at once.
        let lines = if width == 1 { (lines / 2.0).max(1.0) } else { lines };
        let converted = if bytes < 4 { (rows * elements) as f64 * steps } else { 0.0 };
        work.instructions += loads * OPS_OF_LOAD + converted;
        work.lines += loads * lines;
        work.held += (elements * rows) as f64 / innermost(facts, &own);
    }
    let elements: f64 = facts.iters().iter().map(|axis| own(axis) as f64).product();
    for output in &facts.outputs {
        let bytes = bits(ctx, output.elem) / 8.0;
        let most = facts.aligned(output, bytes as i64, assume);
        let width = last.map_or(1, |last| own(last)).min(most);
        let stores = elements / width as f64;
        work.instructions += stores * OPS_OF_LOAD + if bytes < 4.0 { elements } else { 0.0 };
        work.lines += (elements * bytes * 32.0 / LINE).max(stores);
        work.held += elements;
    }
    work
}

/// How many lines of the cache the lanes of a warp read at once: along each axis of memory those that they are apart, the
/// contiguous axis first, and one for each lane at most.
fn lines(facts: &Facts, [threads, own]: [&dyn Fn(&str) -> i64; 2], read: &At, bytes: i64) -> f64 {
    let tensor = &facts.inputs[read.input];
    let (mut left, mut lines) = (32.0, 1.0);
    for (dim, at) in read.at.iter().enumerate().rev() {
        let axes = || facts.iters().iter().filter(|axis| names(at, axis));
        let lanes = axes().map(|axis| threads(axis) as f64).product::<f64>().min(left);
        let step = axes().map(|axis| distance(at, axis).unwrap_or_else(|| own(axis)) * own(axis)).max().unwrap_or(0);
        let apart = tensor.strides.get(dim).map_or(LINE, |stride| stride * (step * bytes) as f64);
        left /= lanes.max(1.0);
        lines *= (lanes * apart / LINE).clamp(1.0, lanes.max(1.0));
    }
    lines
}

/// How often the unrolled loops but the innermost one go: what is loaded for one is done with before the next.
fn innermost(facts: &Facts, own: &dyn Fn(&str) -> i64) -> f64 {
    let outer = facts.reduced.split_last().map_or(&[][..], |(_, outer)| outer);
    outer.iter().map(|axis| own(axis) as f64).product::<f64>().max(1.0)
}

impl CandidateGenerator<'_> {
    /// Plans of threads with some neighbours each.
    pub(super) fn windows(&self) -> Vec<Schedule> {
        let Some(along) = self.facts.iters().last().cloned() else { return vec![self.base.clone()] };
        let mut plans = Vec::new();
        for (width, assume) in self.window_widths(&along) {
            for (row, each) in self.window_rows(&along) {
                for threads in [128, 256] {
                    for alongside in self.alongside(&along, width, threads) {
                        let grid = [threads, alongside, width, each];
                        plans.extend(self.window_plan(&along, row.as_deref(), grid, &assume));
                    }
                }
            }
        }
        plans
    }

    /// How many neighbours along the contiguous axis a thread may have, and what is assumed of symbols for that: whole
    /// vectors of the results, or two.
    fn window_widths(&self, along: &str) -> Vec<(i64, Table<i64>)> {
        let bytes = |tensor: &Tensor| (bits(self.ctx, tensor.elem) / 8.0) as i64;
        let most = self.facts.outputs.iter().map(|output| WIDEST / bytes(output).max(1)).max().unwrap_or(1);
        let mut widths = Vec::new();
        let mut width = 2 * most;
        while width > 1 && widths.len() < 3 {
            let mut assume = Table::default();
            let rows = self.facts.outputs.iter().map(|output| output.row.as_ref());
            let is_whole =
                rows.into_iter().all(|row| row.is_some_and(|row| self.facts.assume(row, width, &mut assume).is_some()));
            if is_whole {
                self.align_inputs(along, width, &mut assume);
                widths.push((width, assume));
            }
            width /= 2;
        }
        if widths.len() < 2 {
            // Elements one by one: those that windows share are loaded once.
            widths.extend([(4, Table::default()), (1, Table::default())]);
            // A thread may have a short row as a whole.
            let row = self.facts.size(along);
            if (5..=SHORT_ROW).contains(&row) {
                widths.push((SHORT_ROW, Table::default()));
            }
        }
        widths
    }

    /// What is assumed of symbols so that inputs are read by vectors.
    fn align_inputs(&self, along: &str, width: i64, assume: &mut Table<i64>) {
        for read in &self.facts.reads {
            let tensor = &self.facts.inputs[read.input];
            let step = read.at.last().and_then(|row| distance(row, along)).unwrap_or(0);
            let Some(row) = tensor.row.as_ref().filter(|_| step > 0) else { continue };
            let mut own = (WIDEST * 8 / bits(self.ctx, tensor.elem) as i64).min(width * step);
            while own > 1 && self.facts.assume(row, own, assume).is_none() {
                own /= 2;
            }
        }
    }

    /// Another axis along which a thread has neighbours, and how many: one along which windows overlap, or something is the
    /// same.
    fn window_rows(&self, along: &str) -> Vec<(Option<String>, i64)> {
        let others = || self.facts.iters().iter().rev().filter(|axis| *axis != along && self.facts.size(axis) > 1);
        let shares = |axis: &&String| {
            self.facts.reads.iter().any(|read| {
                let own = || read.at.iter().filter(|at| names(at, axis));
                own().next().is_none() || own().any(|at| self.facts.reduced.iter().any(|reduced| names(at, reduced)))
            })
        };
        let mut rows: Vec<(Option<String>, i64)> = vec![(others().next().cloned(), 1)];
        for axis in others().filter(shares).take(2) {
            let counts = [2, MOST_ROWS].into_iter().filter(|each| *each <= self.facts.size(axis));
            rows.extend(counts.map(|each| (Some(axis.clone()), each)));
        }
        rows
    }

    /// How many threads lie side by side along the contiguous axis: those with the fewest elements beyond its end, and a warp.
    fn alongside(&self, along: &str, width: i64, threads: i64) -> Vec<i64> {
        let size = self.facts.size(along).clamp(1, 1 << 30);
        let whole = (size as u64).div_ceil(width as u64).next_power_of_two() as i64;
        let mut counts: Vec<i64> =
            (0..=threads.ilog2()).map(|power| 1 << power).filter(|count| *count <= whole).collect();
        let beyond = |count: &i64| (size + count * width - 1) / (count * width) * (count * width);
        counts.sort_by_key(|count| (beyond(count), -count));
        let has_warp = counts.contains(&WARP);
        counts.truncate(3);
        if has_warp && !counts.contains(&WARP) {
            counts.push(WARP);
        }
        counts
    }

    /// The largest power of two that divides the size of an axis, of one whose size is known.
    fn dividing(&self, axis: &str) -> i64 {
        let size = self.facts.axes.size(axis).and_then(SizeExpr::as_constant).filter(|size| *size > 0);
        size.map_or(1, |size| size & -size)
    }

    fn window_plan(
        &self,
        along: &str,
        row: Option<&str>,
        [threads, alongside, width, each]: [i64; 4],
        assume: &Table<i64>,
    ) -> Option<Schedule> {
        let (mut tile, mut grid) = (Vec::new(), Vec::new());
        let mut left = threads / alongside;
        let is_short = self.facts.size(along) <= SHORT_ROW;
        // The axis of the neighbours first; others only where a row of threads is no whole warp else.
        for axis in self.facts.iters().iter().rev() {
            let (own, count) = match axis.as_str() {
                name if name == along => (width, alongside),
                name if Some(name) == row => {
                    let wanted = (self.facts.size(axis).clamp(1, 1 << 30) as u64).div_ceil(each as u64);
                    let count = left.min(wanted.next_power_of_two() as i64);
                    left /= count;
                    (each, count)
                }
                _ if row.is_none_or(|row| self.facts.axes.position(row) > self.facts.axes.position(axis)) => {
                    let used = threads / left;
                    // Rows of threads that are no whole warp; and of short rows what divides an axis, as nothing is beyond
                    // its end: without it blocks would be of a warp or two.
                    let count = match each == 1 && used < 32 {
                        true => left.min((self.facts.size(axis).clamp(1, 1 << 30) as u64).next_power_of_two() as i64),
                        false if is_short => left.min(self.dividing(axis)),
                        false => 1,
                    };
                    left /= count;
                    (1, count)
                }
                _ => (1, 1),
            };
            tile.push((axis.clone(), own * count));
            grid.push((axis.clone(), count));
        }
        tile.reverse();
        grid.reverse();
        let used: i64 = grid.iter().map(|(_, count)| count).product();
        tile.extend(self.facts.reduced.iter().map(|axis| (axis.clone(), 1)));
        grid.retain(|(_, count)| *count > 1);
        let neighbours = [row.map(|row| (row, each)), Some((along, width))];
        let neighbours = neighbours.into_iter().flatten().filter(|(_, count)| *count > 1);
        let neighbours: Vec<(String, i64)> = neighbours.map(|(axis, count)| (axis.to_string(), count)).collect();
        let elements = width * each;
        let (mut unroll, mut steps) = (Vec::new(), elements);
        for axis in self.facts.reduced.iter().rev() {
            steps *= self.facts.size(axis);
            if steps > MOST_UNROLLED {
                break;
            }
            if self.facts.size(axis) > 1 {
                unroll.insert(0, (axis.clone(), self.facts.size(axis)));
            }
        }
        let wide = |output: &Tensor| {
            let bytes = (bits(self.ctx, output.elem) / 8.0) as i64;
            (output.name.clone(), self.facts.aligned(output, bytes, assume).min(width))
        };
        let vectors: Vec<(String, i64)> = self.facts.outputs.iter().map(wide).filter(|(_, width)| *width > 1).collect();
        let some = |table: Vec<(String, i64)>| (!table.is_empty()).then_some(Table(table));
        let plan = Schedule {
            tile: Some(Table(tile)),
            threads: Some(Table(grid)),
            thread_tile: some(neighbours),
            unroll: some(unroll),
            assume: Some(assume.clone()),
            vectors: some(vectors),
            ..self.base.clone()
        };
        // Loads of the windows that come next begin before what is loaded is used up.
        let ahead = plan.unroll.as_ref().and_then(Table::product).unwrap_or(1) / L2_PREFETCH_SHARE;
        let registers = work(self.ctx, self.facts, &plan).held as i64 + ahead + FOR_ADDRESSES;
        if used < 32 || elements > MOST_ELEMENTS || registers > self.target.registers_per_thread {
            return None;
        }
        // They are assigned by eights.
        let blocks = self.target.registers_per_sm / (used * ((registers + 7) / 8 * 8));
        let blocks = blocks.min(self.target.threads_per_sm / used).min(self.target.max_blocks_per_sm);
        Some(self.finish(Schedule { blocks_per_sm: (blocks > 1).then_some(blocks), ..plan }))
    }
}
