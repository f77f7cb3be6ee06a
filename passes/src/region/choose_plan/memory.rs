//! Candidates for kernels without a product, which are as fast as memory: threads, widths, rows.

use dlc_ir::Type;
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Cache, Place};
use dlc_plan::value::Table;

use super::candidates::CandidateGenerator;
use super::facts::{Tensor, bits};
use crate::plan::shape::{Shape, axes_to_share, reduces_columns, reduces_rows};

/// The registers of a thread besides the elements that it keeps: addresses, sums, and what is loaded for a vector of them.
const BESIDE_ELEMENTS: i64 = 32;
/// The registers of a thread besides what it loads and what is computed of one element: addresses, counters, the element
/// that is computed next to it.
const FOR_ADDRESSES: i64 = 12;

/// The most elements of a column that a thread keeps.
const MOST_KEPT: i64 = 32;

/// The threads of a block that turns a tile.
const THREADS: i64 = 256;

impl CandidateGenerator<'_> {
    /// The most elements, of up to 16 bytes of each type, that every access may take, as far as rows are whole numbers of them;
    /// and what is assumed of symbols for that.
    fn width(&self, along: &str) -> (i64, Table<i64>) {
        // Phases are read element by element. Results are stored as vectors all the same, but sums take single elements.
        let is_phased = |tensor: &Tensor| tensor.phased.as_deref() == Some(along);
        let is_reduced = self.facts.reduced.iter().any(|axis| axis == along);
        let is_along =
            |tensor: &&Tensor| tensor.along.iter().any(|axis| axis == along) || is_reduced && is_phased(tensor);
        let used = || self.facts.inputs.iter().filter(|it| it.reads > 0).chain(&self.facts.outputs).filter(is_along);
        let most = |tensor: &Tensor| tensor.run_up_to((128.0 / bits(self.ctx, tensor.elem)) as i64);
        let widest = used().map(most).fold(16, i64::min);
        let fits = |width: i64| {
            let mut assume = Table::default();
            // One row begins where the tensor does.
            let are_whole = used().all(|it| self.divides_by(it, width, &mut assume).is_some() || it.axes.len() <= 1);
            are_whole.then_some((width, assume))
        };
        let widths = std::iter::successors(Some(widest), |width| Some(width / 2)).take_while(|width| *width > 1);
        widths.into_iter().find_map(fits).unwrap_or((1, Table::default()))
    }

    /// Threads along the contiguous axis, some elements each.
    pub(super) fn elementwise(&self) -> Vec<Schedule> {
        let Some(along) = self.facts.iters().last().cloned() else { return vec![self.base.clone()] };
        let (width, assume) = self.width(&along);
        let mut plans = Vec::new();
        let mut widths = if width > 1 { vec![width, (width / 2).max(1)] } else { vec![1] };
        // Vectors of results take several sums a thread.
        widths.extend((width > 1 && !self.facts.reduced.is_empty()).then_some(1));
        // Several vectors of a thread lie after each other in a row, or below each other where rows share what is read.
        let mut unrolls = vec![(along.as_str(), 1), (along.as_str(), 2), (along.as_str(), 4)];
        let shared = |row: &&String| self.facts.inputs.iter().any(|it| it.reads > 0 && !it.axes.contains(row));
        if let Some(row) = self.facts.iters().iter().rev().nth(1).filter(shared) {
            unrolls.extend([(row.as_str(), 2), (row.as_str(), 4)]);
        }
        // A thread that sums has enough on its way.
        if self.facts.longest_sum() > 1 {
            unrolls.truncate(1);
        }
        for width in widths {
            for unroll in &unrolls {
                for threads in [256, 128] {
                    plans.push(self.spread_threads(&along, threads, width, *unroll, &assume));
                }
            }
        }
        plans.extend(self.across(&along));
        plans
    }

    /// A grid of threads over the axes of the results, the contiguous one first.
    fn spread_threads(
        &self,
        along: &str,
        threads: i64,
        width: i64,
        (unrolled, unroll): (&str, i64),
        assume: &Table<i64>,
    ) -> Schedule {
        let (mut tile, mut grid) = (Vec::new(), Vec::new());
        let mut left = threads;
        for axis in self.facts.iters().iter().rev() {
            let each = if axis == along { width } else { 1 } * if axis == unrolled { unroll } else { 1 };
            let wanted =
                (self.facts.size(axis).clamp(1, 1 << 30) as u64).div_ceil(each as u64).next_power_of_two() as i64;
            // The first axis takes what is left, so that the grid is whole.
            let own = if axis == &self.facts.iters()[0] { left } else { left.min(wanted) };
            left /= own;
            tile.push((axis.clone(), own * each));
            grid.push((axis.clone(), own));
        }
        tile.reverse();
        grid.retain(|(_, threads)| *threads > 1);
        grid.reverse();
        let plan = Schedule {
            tile: Some(Table(tile)),
            threads: Some(Table(grid)),
            thread_tile: (width > 1).then(|| Table::of([(along, width)])),
            unroll: (unroll > 1).then(|| Table::of([(unrolled, unroll)])),
            assume: Some(assume.clone()).filter(|_| width > 1),
            vectors: self.widths(width),
            ..self.base.clone()
        };
        self.finish(self.with_residents(plan))
    }

    /// Says how many blocks share an SM, so that the assembler leaves each thread the registers for what it
    /// loads at once and computes with it, and no more.
    fn with_residents(&self, mut plan: Schedule) -> Schedule {
        let threads = plan.threads.as_ref().and_then(Table::product).unwrap_or(1).max(1);
        // What is read at several places has registers for each.
        let words = self.facts.inputs.iter().map(|input| {
            let each = input.tile_bytes(self.ctx, self.facts, &plan) / (4 * threads) as f64;
            input.reads.saturating_sub(input.scattered) as f64 * each.ceil()
        });
        // Elements at places that are values have a register each.
        let elements = plan.tile.as_ref().and_then(Table::product).unwrap_or(1) / threads;
        let scattered = self.facts.inputs.iter().map(|input| input.scattered as i64).sum::<i64>();
        let words = words.sum::<f64>() as i64 + scattered.saturating_mul(elements);
        let registers = words.saturating_add(self.facts.live as i64 + FOR_ADDRESSES);
        // They are assigned by eights.
        let blocks = self.target.registers_per_sm / (threads * ((registers + 7) / 8 * 8));
        let blocks = blocks.min(self.target.threads_per_sm / threads).min(self.target.max_blocks_per_sm);
        plan.blocks_per_sm = (blocks > 1).then_some(blocks);
        plan
    }

    /// The widths of accesses of the tensors that lie along the axis of the threads.
    fn widths(&self, width: i64) -> Option<Table<i64>> {
        let along = self.facts.iters().last();
        let used = self.facts.inputs.iter().filter(|input| input.reads > 0).chain(&self.facts.outputs);
        let wide = used.filter(|tensor| tensor.axes.last() == along && tensor.run_up_to(width) == width);
        let vectors: Vec<(String, i64)> = wide.map(|tensor| (tensor.name.clone(), width)).collect();
        (width > 1 && !vectors.is_empty()).then_some(Table(vectors))
    }

    /// Square tiles through shared memory where a tensor lies along another axis of the results.
    fn across(&self, along: &str) -> Vec<Schedule> {
        let crossing = |input: &&Tensor| {
            let last = input.axes.last().filter(|last| *last != along);
            // Shared memory has no tiles of single bits.
            input.reads > input.indexed
                && input.elem != Type::I1
                && last.is_some_and(|last| self.facts.iters().contains(last))
                && input.axes.iter().any(|axis| axis == along)
        };
        let Some(other) = self.facts.inputs.iter().find(crossing).and_then(|input| input.axes.last()) else {
            return Vec::new();
        };
        let all = || self.facts.inputs.iter().filter(|input| input.reads > 0);
        let width = (128.0 / all().map(|input| bits(self.ctx, input.elem)).fold(8.0, f64::max)) as i64;
        let plan = |[high, wide]: [i64; 2], [load, store]: [i64; 2]| {
            let extent = |axis: &String| match axis {
                axis if axis == along => (axis.clone(), wide),
                axis if axis == other => (axis.clone(), high),
                axis => (axis.clone(), 1),
            };
            let lanes = (wide / store).min(32);
            let threads = |axis: &String| (axis.clone(), if axis == along { lanes } else { high.min(THREADS / lanes) });
            let own = self.facts.iters().iter().filter(|axis| *axis == along || *axis == other);
            let staged = self.facts.inputs.iter().enumerate().filter(|(_, input)| crossing(input));
            // Each read has a tile of its own, whose rows are a word longer than they need be.
            let tile = |input: &Tensor| high * (wide * bits(self.ctx, input.elem) as i64 / 8 + 4) * input.reads as i64;
            if staged.clone().map(|(_, input)| tile(input)).sum::<i64>() > self.target.smem_per_block {
                return None;
            }
            let caches: Vec<Cache> =
                staged.map(|(at, _)| Cache { transposed: true, ..self.cache(at, Place::Smem) }).collect();
            let mut assume = Table::default();
            let mut vectors = Table::default();
            for (tensor, each) in all()
                .filter(crossing)
                .map(|input| (input, load))
                .chain(self.facts.outputs.iter().map(|output| (output, store)))
            {
                if each > 1 {
                    self.divides(tensor, &mut assume).filter(|()| self.rows_are_whole(tensor, each))?;
                    vectors.0.push((tensor.name.clone(), each));
                }
            }
            Some(self.finish(Schedule {
                tile: Some(Table(self.facts.iters().iter().map(extent).collect())),
                // Every axis is one of the results.
                reduced: Some(Vec::new()),
                threads: Some(Table(own.map(threads).collect())),
                thread_tile: (store > 1).then(|| Table::of([(along, store)])),
                stages: Some(1),
                barrier: Some(Barrier::Block),
                caches,
                assume: Some(assume),
                vectors: Some(vectors).filter(|vectors| !vectors.0.is_empty()),
                ..self.base.clone()
            }))
        };
        let widths = [[width, width], [1, width], [1, 1]];
        // Short rows on either side have tiles of their own.
        let tiles = [[64, 64], [32, 32], [16, 128], [128, 16]];
        let all = widths.into_iter().flat_map(|widths| tiles.map(|tile| (tile, widths)));
        all.filter_map(|(tile, widths)| plan(tile, widths)).collect()
    }

    /// Whether the rows of a tensor are whole vectors here.
    fn rows_are_whole(&self, tensor: &Tensor, each: i64) -> bool {
        tensor.axes.last().is_some_and(|row| self.facts.size(row) % each == 0)
    }

    /// Threads for each row of what is reduced; along columns where these are contiguous. As the mapping of a kernel has them.
    pub(super) fn rows(&self) -> Vec<Schedule> {
        let shape = Shape::of(self.ctx, self.body, &self.facts.axes);
        if let Some((long, _)) = reduces_rows(self.ctx, self.body, &shape) {
            return self.row_threads(&long);
        }
        if let Some([(column, _), (long, _)]) = reduces_columns(self.ctx, self.body, &shape) {
            return self.columns(&column, &long);
        }
        // However memory lies, a thread is slower alone.
        let all = axes_to_share(self.ctx, self.body).into_iter().map(|(axis, _)| axis);
        let long = all.max_by_key(|axis| self.facts.size(axis)).filter(|axis| self.facts.size(axis) >= 32);
        long.map_or_else(Vec::new, |long| self.row_threads(&long))
    }

    fn row_threads(&self, long: &str) -> Vec<Schedule> {
        let (width, assume) = self.width(long);
        let width = match width {
            // Nothing lies along it but what is read at it through a window.
            16 => 1,
            width => width,
        };
        let last = self.facts.iters().last().cloned();
        let whole = (self.facts.size(long).clamp(1, 1 << 20) as u64).next_power_of_two() as i64;
        // Every lane of a warp has some of a short row, or fewer lanes have whole accesses where rows are many.
        let narrow = width.min((whole / 32).max(1));
        let grids = row_grids(whole, narrow).into_iter().map(|grid| (grid, narrow));
        let wide = row_grids(whole, width).into_iter().filter(|[threads, _]| threads * width <= whole);
        let wide = wide.filter(|_| width > narrow).map(|grid| (grid, width));
        let mut plans = Vec::new();
        for ([threads, rows], width) in grids.chain(wide) {
            // Single elements lie side by side: more of them are under way.
            let mut eaches = if width == 1 { vec![4, 8, 16, 32] } else { vec![width, width * 2, width * 4] };
            // Rows of less than a warp have no more elements than their threads.
            if threads < 32 {
                eaches = vec![width, width * 2, width * 4];
            }
            for each in eaches {
                // More threads than a row has work for are of no use, but for a warp.
                if threads * each > whole && (threads != 32 || each > width.max(4)) {
                    continue;
                }
                let plan = self.row_plan(long, last.as_deref(), [threads, rows, width, each], &assume);
                // What is kept is under way as a whole: two vectors of each thread at least, in several blocks.
                let few = each < 2 * width || (threads > 256 && each < 4 * width);
                // What is not kept has a register for each element of a step, and one for its sum.
                let many = threads * each > 8192 || each > 16 * width.min(2);
                let fits = if plan.caches.is_empty() { !many } else { threads <= 32 || !few };
                if fits {
                    plans.push(plan);
                }
            }
        }
        // Another reduction, or results, along a row need what all parts of the first one give.
        if self.facts.passes(long) == 1 {
            self.share_sums(&mut plans, Some(long));
        }
        plans
    }

    /// `threads` for each of `rows`, with `width` elements in an access and `each` in a step.
    fn row_plan(
        &self,
        long: &str,
        last: Option<&str>,
        [threads, rows, width, each]: [i64; 4],
        assume: &Table<i64>,
    ) -> Schedule {
        let step = threads * each;
        // A row of results as long as what is reduced is written by the same threads.
        let same = |last: &&str| self.facts.axes.size(last) == self.facts.axes.size(long) && *last != long;
        let as_long = last.filter(same).filter(|last| !self.facts.summed_over.iter().any(|axis| axis == last));
        let is_row = |axis: &&String| as_long != Some(axis.as_str()) && *axis != long;
        let row = self.facts.iters().iter().rev().find(is_row);
        let extent = |axis: &String| match axis {
            axis if as_long == Some(axis.as_str()) || axis == long => step,
            axis if Some(axis) == row => rows,
            _ => 1,
        };
        let mut tile: Vec<(String, i64)> = self.facts.iters().iter().map(|axis| (axis.clone(), extent(axis))).collect();
        if !tile.iter().any(|(axis, _)| axis == long) {
            tile.push((long.to_string(), step));
        }
        let mut grid: Vec<(String, i64)> =
            row.filter(|_| rows > 1).map(|row| (row.clone(), rows)).into_iter().collect();
        grid.push((long.to_string(), threads));
        // A row that fits stays in registers between its reductions; the kernel is for rows that do.
        let keeps = self.facts.size(long) <= step && each <= 32 && self.facts.passes(long) > 1;
        let along = |input: &&Tensor| input.plain && input.along.iter().any(|axis| axis == long);
        // What is the same for all rows is near anyway.
        let most = self.facts.inputs.iter().filter(along).map(|input| input.axes.len()).max();
        let is_kept = |input: &Tensor| keeps && along(&input) && Some(input.axes.len()) == most;
        let kept = self.facts.inputs.iter().enumerate().filter(|(_, input)| is_kept(input));
        let caches: Vec<Cache> = kept.map(|(at, _)| self.cache(at, Place::Reg)).collect();
        let used = self.facts.inputs.iter().filter(|input| input.reads > 0).chain(&self.facts.outputs);
        let lies = |axes: &[String]| axes.last().is_some_and(|axis| axis == long || as_long == Some(axis.as_str()));
        let vectors: Vec<(String, i64)> =
            used.filter(|it| it.in_rows && lies(&it.axes)).map(|it| (it.name.clone(), width)).collect();
        let plan = Schedule {
            tile: Some(Table(tile)),
            reduced: Some(vec![long.to_string()]),
            threads: Some(Table(grid)),
            thread_tile: (width > 1).then(|| Table::of([(long, width)])),
            unroll: (each > width).then(|| Table::of([(long, each / width)])),
            assume: Some(assume.clone()).filter(|_| width > 1),
            vectors: (width > 1 && !vectors.is_empty()).then_some(Table(vectors)),
            blocks_per_sm: (!caches.is_empty()).then(|| self.resident_rows(threads * rows, each)),
            caches,
            ..self.base.clone()
        };
        self.finish(plan)
    }

    /// How many blocks of threads that keep so many elements each share an SM: with what is computed next to
    /// them, but not so many that elements would not stay in registers.
    fn resident_rows(&self, threads: i64, each: i64) -> i64 {
        let by_registers = self.target.registers_per_sm / (threads * (each + BESIDE_ELEMENTS));
        by_registers.min(self.target.threads_per_sm / threads).clamp(1, self.target.max_blocks_per_sm)
    }

    /// Neighbouring threads take neighbouring columns, and share the steps along what is reduced.
    fn columns(&self, column: &str, long: &str) -> Vec<Schedule> {
        let (width, assume) = self.width(column);
        let width = if width == 16 { 1 } else { width };
        let mut plans = Vec::new();
        let mut widths = vec![width, 2, 1];
        // Pairs take half the instructions of single elements, and as measured of f16 as long or less.
        widths.retain(|own| *own <= width && (*own > 1 || width == 1));
        widths.dedup();
        let whole = |axis: &str| (self.facts.size(axis).clamp(1, 1 << 20) as u64).next_power_of_two() as i64;
        let (wide, high) = (whole(column), whole(long));
        for [across, down] in column_grids(wide, high) {
            for &width in &widths {
                let most = if width > 2 { 4 } else { 8 };
                // A short axis is shared by as many threads as leave each some of it.
                let each = most.min((high / down).max(1));
                if across * width > wide.max(32) {
                    continue;
                }
                plans.push(self.column_plan([column, long], [across, down, width, each], &assume));
                // Columns that are gone along again are kept, if their threads have room for them.
                let all = high / down;
                if all > each && all * width <= MOST_KEPT && self.facts.passes(long) > 1 {
                    plans.push(self.column_plan([column, long], [across, down, width, all], &assume));
                }
            }
        }
        if self.facts.passes(long) == 1 {
            self.share_sums(&mut plans, Some(long));
        }
        plans
    }

    /// `across` threads next to each other with `width` columns each, and `down` threads along them with `each` elements.
    fn column_plan(
        &self,
        [column, long]: [&str; 2],
        [across, down, width, each]: [i64; 4],
        assume: &Table<i64>,
    ) -> Schedule {
        let extent = |axis: &String| (axis.clone(), if axis == column { across * width } else { 1 });
        let mut tile: Vec<(String, i64)> = self.facts.iters().iter().map(extent).collect();
        tile.retain(|(axis, _)| axis != long);
        tile.push((long.to_string(), down * each));
        let keeps = self.facts.size(long) <= down * each && self.facts.passes(long) > 1;
        let is_kept = |input: &Tensor| {
            let has = |axis: &str| input.axes.iter().any(|own| own == axis);
            keeps && input.reads > 0 && input.plain && has(column) && has(long)
        };
        let kept = self.facts.inputs.iter().enumerate().filter(|(_, input)| is_kept(input));
        let caches: Vec<Cache> = kept.map(|(at, _)| self.cache(at, Place::Reg)).collect();
        let grid = [(column, across), (long, down)].into_iter().filter(|(_, threads)| *threads > 1);
        let plan = Schedule {
            tile: Some(Table(tile)),
            reduced: Some(vec![long.to_string()]),
            threads: Some(Table(grid.map(|(axis, threads)| (axis.to_string(), threads)).collect())),
            thread_tile: (width > 1).then(|| Table::of([(column, width)])),
            unroll: (each > 1).then(|| Table::of([(long, each)])),
            assume: Some(assume.clone()).filter(|_| width > 1),
            blocks_per_sm: (!caches.is_empty()).then(|| self.resident_rows(across * down, each * width)),
            caches,
            ..self.base.clone()
        };
        self.finish(plan)
    }
}

/// The threads that share a row of up to `whole` elements, in accesses of `width`, and the rows of a block.
fn row_grids(whole: i64, width: i64) -> Vec<[i64; 2]> {
    let mut grids = vec![[256, 1], [128, 1], [512, 1], [64, 1], [32, 1], [32, 2], [32, 4], [32, 8]];
    // A warp has several short rows.
    for lanes in [16, 8, 4].into_iter().filter(|lanes| whole <= lanes * width * 4) {
        grids.extend([128 / lanes, 256 / lanes, 32 / lanes].map(|rows| [lanes, rows]));
    }
    grids
}

/// The threads next to each other and along what is reduced, of columns of so many positions, `wide` of them.
fn column_grids(wide: i64, high: i64) -> Vec<[i64; 2]> {
    let mut grids = vec![[32, 8], [32, 4], [64, 4], [32, 16], [128, 2], [32, 32]];
    // Few columns leave lanes to what is reduced.
    if wide < 32 {
        grids = [256, 512, 128, 1024].map(|threads| [wide, threads / wide]).to_vec();
    }
    // Of few long columns each SM has some.
    let fewer = [16, 8, 4, 2].into_iter().filter(|&across| across < wide.min(32) && high >= 256);
    grids.extend(fewer.flat_map(|across| [256, 512].map(|threads| [across, threads / across])));
    // Short columns are of one thread each, or of a few.
    if high < 32 {
        grids = [[128, 1], [256, 1], [64, 2], [128, 2], [32, 4], [32, 8]].to_vec();
        if wide < 32 {
            grids = [32, 64, 128].map(|threads| [wide, threads / wide]).to_vec();
        }
    }
    grids.retain(|[_, down]| *down <= high.max(8));
    grids
}
