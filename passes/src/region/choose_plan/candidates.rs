//! The plans that are compared: some twenty for a kernel, by what it consists of. Sizes of tiles, roles and stages are those
//! that measurements have shown to be worth a try; everything else follows from the kernel.
//!
//! - a product of matrices: `wgmma` where both factors come by TMA, else `mma`, else `fma`; rows of
//!   fewer than 16 bytes are gathered, by a kernel for that size;
//! - back-to-back products: a tile of rows of the last one, for which the others are computed step by step; where there are
//!   few such tiles, blocks share what an online softmax goes along;
//! - reductions without a product: threads for each row, or for columns where these are contiguous;
//! - reductions that are short: threads with neighbours, whose windows overlap (`windows`);
//! - everything else: threads along the contiguous axis, through shared memory where something is read across.

use std::collections::HashSet;

use dlc_core::precision::Precision;
use dlc_ir::affine::{SizeExpr, gcd};
use dlc_ir::{Body, Context, Type};
use dlc_plan::clause::{Async, Barrier, Cache, Instruction, Kind, Order, Place, Store, StoreMethod, Walk};
use dlc_plan::value::{Choice, Table};
use dlc_plan::{Schedule, Target};

use super::facts::{Factor, Facts, Product, Tensor, WholeRows, bits};

/// What candidates are made from.
pub struct CandidateGenerator<'a> {
    pub ctx: &'a Context,
    pub body: &'a Body,
    pub facts: &'a Facts,
    pub target: &'a Target,
    /// A plan with nothing decided but the kernel and the target.
    pub base: Schedule,
    /// How tensor cores may multiply `f32`; `None` where they may not.
    pub precision: Option<Precision>,
}

/// The most stages: with more, measurements have shown no gain but where a factor is read once.
pub(super) const STAGES: i64 = 8;

/// Rows and columns of a block and of a warp.
const MMA: [(i64, i64, i64, i64); 8] = [
    (128, 128, 64, 64),
    (128, 128, 64, 32),
    (128, 256, 64, 64),
    (256, 128, 64, 64),
    (128, 64, 64, 32),
    (128, 64, 32, 32),
    (64, 64, 32, 32),
    (64, 64, 32, 16),
];
/// The same for products of `f32` with few rows or columns, as of convolutions of few channels.
const NARROW: [(i64, i64, i64, i64); 5] =
    [(32, 128, 32, 32), (32, 256, 32, 64), (16, 128, 16, 32), (16, 256, 16, 64), (128, 32, 32, 32)];

/// The most bytes that a thread sums alone.
pub(super) const SHORT_SUM: f64 = 256.0;

/// The registers of a thread that gathers elements, besides its sums.
const GATHERED: i64 = 64;

/// The registers of a thread for several sums that one loop makes, and the product of a step that is added to one.
const MOST_SUMS: i64 = 128;

/// Rows and columns of a block and of a thread.
const FMA: [(i64, i64, i64, i64); 9] = [
    (128, 128, 8, 8),
    (128, 64, 8, 4),
    (64, 128, 4, 8),
    (64, 64, 4, 4),
    (32, 64, 2, 4),
    (32, 32, 2, 2),
    (16, 256, 8, 4),
    (8, 256, 8, 4),
    (256, 8, 4, 8),
];

/// Rows and columns of a block, and its warps along both. The lanes of a warp are four by eight, and have pieces of four by
/// four: so every access to shared memory takes 16 bytes, and the lanes of a warp read neighbours.
const THREADS: [(i64, i64, i64, i64); 5] =
    [(128, 128, 4, 1), (128, 64, 4, 1), (64, 128, 2, 2), (64, 64, 4, 1), (32, 64, 2, 2)];
/// Those lanes, and the side of a piece.
const LANES: [i64; 2] = [4, 8];
const PIECE: i64 = 4;
/// How much of a sum is in shared memory at once, of which the loop is unrolled.
const STEP: i64 = 16;

/// From so many bytes on lanes may share a sum: a thread alone reads its row in sectors that others do not.
const SHARED_SUM: f64 = 64.0;

impl CandidateGenerator<'_> {
    /// The candidates, in the order in which they are preferred where they cost the same.
    pub fn candidates(&self) -> Vec<Schedule> {
        match self.facts.products.as_slice() {
            [] if self.facts.is_local() => self.windows(),
            [] if self.facts.longest_sum() >= 32 && !self.sums_few() => self.rows(),
            // Short rows and columns are shared by a few threads, or computed by one for each of its own elements.
            [] if self.facts.longest_sum() > 1 && (!self.sums_few() || self.sums_over(SHARED_SUM)) => {
                let mut plans = self.elementwise();
                plans.extend(self.rows());
                plans
            }
            [] => self.elementwise(),
            [product] => {
                let by_phases = self.facts.by_phases(product).map(|alone| self.by_tma(&alone));
                by_phases.into_iter().flatten().chain(self.product(product)).collect()
            }
            // What registers hold one sum in is too wide for several: then step by step, like back-to-back products.
            [first, .., last] if self.facts.are_alongside() => {
                let plans = self.product(first).into_iter();
                plans.chain(self.chain(last)).collect()
            }
            [.., last] => self.chain(last),
        }
    }

    /// Whether every result is a sum of so few bytes that a thread has all of them from a line or two of the cache, and there
    /// are results for all threads: lanes that share a sum would exchange more than they add.
    pub(super) fn sums_few(&self) -> bool {
        let facts = self.facts;
        let is_summed = |axis: &String| facts.reduced.contains(axis);
        let results = facts.points(facts.iters().iter().map(String::as_str));
        let are_many = results >= (self.target.sms * self.target.threads_per_sm / 2) as f64;
        are_many && !facts.iters().iter().any(is_summed) && !self.sums_over(SHORT_SUM.next_up())
    }

    /// Whether a sum reads so many bytes or more of an input.
    fn sums_over(&self, bytes: f64) -> bool {
        let most = self.facts.longest_sum() as f64;
        self.facts.inputs.iter().any(|input| input.reads > 0 && most * bits(self.ctx, input.elem) / 8.0 >= bytes)
    }

    pub(super) fn elem(&self, product: &Product) -> Type {
        product.factors[0].elem
    }

    /// Whether TMA can bring a factor: it is an element of an input, whose rows begin at multiples of 16 bytes.
    /// If so, the divisors that symbols must have for that.
    pub(super) fn comes_by_tma(&self, product: &Product) -> Option<Table<i64>> {
        let mut assume: Table<i64> = Table::default();
        for (_, factor) in self.factors(product).filter(|(_, factor)| factor.input.is_some()) {
            let tensor = &self.facts.inputs[factor.input?];
            // One group alone can put zeros into what it reads, and back-to-back products have several.
            let is_one = !factor.masked || self.facts.products.len() == 1;
            let is_found = factor.masked || tensor.has_boxes;
            if !factor.direct || !is_one || !is_found || self.narrow(tensor).is_some() {
                return None;
            }
            self.divides(tensor, &mut assume)?;
        }
        Some(assume)
    }

    /// The size of the rows of a tensor, and what it is here, where they have less than 16 bytes: threads gather them.
    fn narrow(&self, tensor: &Tensor) -> Option<(String, i64)> {
        let row = tensor.row.as_ref()?;
        let axis = self.facts.axes.sizes.iter().position(|size| size == row)?;
        let (name, size) = (row.as_symbol()?, self.facts.sizes[axis]);
        ((size as f64) < 128.0 / bits(self.ctx, tensor.elem)).then(|| (name.to_string(), size))
    }

    /// Whether 16 bytes divide the rows of a tensor, if symbols have the divisors that are noted: such as they have at the
    /// sizes that the plan is for.
    pub(super) fn divides(&self, tensor: &Tensor, assume: &mut Table<i64>) -> Option<()> {
        self.divides_by(tensor, (128.0 / bits(self.ctx, tensor.elem)) as i64, assume)
    }

    /// The same of so many elements.
    pub(super) fn divides_by(&self, tensor: &Tensor, width: i64, assume: &mut Table<i64>) -> Option<()> {
        let row = tensor.row.as_ref()?;
        if row.divisible_by(width) {
            return Some(());
        }
        // A row of 10 H elements is one of whole vectors of 8 where 4 divides H.
        let times = row.largest_known_divisor();
        let symbol = row.try_div(&SizeExpr::from(i64::try_from(times).ok()?))?.as_symbol()?.to_string();
        let axis = self.facts.axes.sizes.iter().position(|size| size == row);
        if axis.is_some_and(|axis| self.facts.sizes[axis] % width != 0) {
            return None;
        }
        let needed = width / gcd(times, width as u64).max(1) as i64;
        match assume.get_mut(&symbol) {
            Some(known) => *known = (*known).max(needed),
            None => assume.0.push((symbol, needed)),
        }
        Some(())
    }

    /// The widest accesses of the tensors of a kernel, up to 16 bytes.
    pub(super) fn vectors(&self, assume: &mut Table<i64>) -> Option<Table<i64>> {
        let (mut vectors, mut named) = (Table::default(), HashSet::new());
        let used = self.facts.inputs.iter().filter(|input| input.reads > 0);
        for tensor in used.chain(self.facts.outputs.iter().filter(|_| self.stores_rows())) {
            let whole = (128.0 / bits(self.ctx, tensor.elem)) as i64;
            let rows = tensor.in_rows && !tensor.axes.is_empty() && self.narrow(tensor).is_none();
            // Copies take at least four bytes at once; results are stored in whole vectors, or one by one.
            let least = if tensor.reads > 0 { (32.0 / bits(self.ctx, tensor.elem)) as i64 } else { whole };
            let mut widths =
                std::iter::successors(Some(whole), |width| Some(width / 2)).take_while(|width| *width >= least.max(2));
            let width =
                if rows { widths.find(|&width| self.divides_by(tensor, width, assume).is_some()) } else { None };
            if named.insert(tensor.name.as_str()) {
                vectors.0.push((tensor.name.clone(), width.unwrap_or(1)));
            }
        }
        Some(vectors).filter(|vectors| !vectors.0.is_empty())
    }

    /// A tile: extents for rows and columns spread over their axes, 1 for other axes of the results, and a step along the
    /// longest reduced axis.
    pub(super) fn tiled(&self, product: &Product, rows: i64, columns: i64, step: i64) -> Schedule {
        self.tiled_along(product, &product.rows, [rows, columns, step])
    }

    /// The same with the extent of rows spread over some of their axes alone.
    pub(super) fn tiled_along(&self, product: &Product, rows: &[String], extents: [i64; 3]) -> Schedule {
        // Results of whole rows are over the rows alone.
        let others = product.columns.iter().filter(|axis| !self.facts.iters().contains(axis));
        let axes = self.facts.iters().iter().chain(others);
        let mut tile: Table<i64> = Table(axes.map(|axis| (axis.clone(), 1)).collect());
        self.spread(&mut tile, &self.contiguous_last(product, 0, rows), extents[0]);
        self.spread(&mut tile, &self.contiguous_last(product, 1, &product.columns), extents[1]);
        // Of axes of one size, and of those that are as long as a step, the one along which memory is contiguous.
        let along = |axis: &&String| product.factors.iter().filter(|factor| factor.axes.last() == Some(*axis)).count();
        let size = |axis: &String| self.facts.size(axis);
        let inner = |axis: &String| product.factors[0].axes.iter().position(|own| own == axis);
        let order = |axis: &&String| (size(axis).min(extents[2]), along(axis), size(axis), inner(axis));
        let depth = product.depth.iter().rev().max_by_key(order);
        let depth = depth.cloned().unwrap_or_default();
        tile.0.retain(|(axis, _)| *axis != depth);
        tile.0.push((depth, extents[2]));
        Schedule { tile: Some(tile), ..self.base.clone() }
    }

    /// The axes of a side with the one last along which its factor is contiguous in memory, where both factors are along such:
    /// TMA then brings a box of neighbours for each position that is summed.
    fn contiguous_last(&self, product: &Product, side: usize, axes: &[String]) -> Vec<String> {
        let is_across = |at: usize| {
            let last = product.factors[at].axes.last();
            last.filter(|last| [&product.rows, &product.columns][at].contains(last))
        };
        let mut axes = axes.to_vec();
        if let (Some(_), Some(_)) = (is_across(0), is_across(1))
            && let Some(at) = axes.iter().position(|axis| Some(axis) == is_across(side))
        {
            let last = axes.remove(at);
            axes.push(last);
        }
        axes
    }

    /// Spreads a step over all reduced axes, the contiguous one first.
    fn spread_depth(&self, plan: &mut Schedule, product: &Product, step: i64) {
        let Some(tile) = &mut plan.tile else { return };
        tile.0.retain(|(axis, _)| !product.depth.contains(axis));
        let along: Vec<&String> = product.factors[0].axes.iter().filter(|axis| product.depth.contains(axis)).collect();
        let mut left = step;
        let mut own = Vec::new();
        for (before, axis) in along.into_iter().enumerate().rev() {
            let whole = (self.facts.size(axis).clamp(1, 1 << 20) as u64).next_power_of_two() as i64;
            let extent = if before == 0 { left } else { whole.max(2).min((left >> before).max(1)) };
            left /= extent;
            own.push((axis.clone(), extent));
        }
        tile.0.extend(own.into_iter().rev());
    }

    /// Where no reduced axis is as long as a step, as those of windows over few channels, a step goes over whole axes, the
    /// contiguous one first: along one of them most of it would be beyond the end. So it does where only one is as long that is
    /// not contiguous in memory.
    fn in_short_depth(&self, mut plan: Schedule, product: &Product, step: i64) -> Schedule {
        let whole = |axis: &String| (self.facts.size(axis).clamp(1, 1 << 20) as u64).next_power_of_two() as i64;
        let contiguous: Vec<&String> = product.factors.iter().filter_map(|factor| factor.axes.last()).collect();
        let is_apart = |axis: &String| match contiguous.as_slice() {
            [first, second] => first == second && product.depth.contains(*first) && *first != axis,
            _ => false,
        };
        if product.depth.len() < 2 || product.depth.iter().any(|axis| whole(axis) >= step && !is_apart(axis)) {
            return plan;
        }
        let mut left = step;
        let mut own: Vec<(String, i64)> = Vec::new();
        for axis in product.factors[0].axes.iter().rev().filter(|axis| product.depth.contains(axis) && whole(axis) > 1)
        {
            let is_part = left > 1 && self.facts.size(axis) % left == 0;
            if whole(axis) > left && !is_part {
                break;
            }
            let extent = whole(axis).min(left);
            left /= extent;
            own.push((axis.clone(), extent));
            if left == 1 {
                break;
            }
        }
        if own.is_empty() {
            return plan;
        }
        if let Some(tile) = &mut plan.tile {
            tile.0.retain(|(axis, _)| !product.depth.contains(axis));
            tile.0.extend(own.into_iter().rev());
        }
        self.with_reduced(plan)
    }

    /// Spreads an extent over axes, the last one first, so that the product of the extents is it.
    fn spread(&self, tile: &mut Table<i64>, axes: &[String], extent: i64) {
        let mut left = extent;
        for (at, axis) in axes.iter().enumerate().rev() {
            let whole = self.facts.size(axis).clamp(1, 1 << 20) as u64;
            let own = if at == 0 { left } else { gcd(left.unsigned_abs(), whole.next_power_of_two()).max(1) as i64 };
            left /= own;
            if let Some(entry) = tile.get_mut(axis) {
                *entry = own;
            }
        }
    }

    /// The clause of an input that a product reads.
    pub(super) fn cache(&self, at: usize, place: Place) -> Cache {
        let tensor = &self.facts.inputs[at];
        Cache {
            tensor: tensor.name.clone(),
            axes: Some(tensor.axes.clone()),
            dtype: Some(tensor.elem),
            place,
            at: None,
            pingpong: false,
            buffers: None,
            transposed: false,
        }
    }

    /// The clause of a factor that is read, along its own axes: an input may be read along others as well.
    pub(super) fn cache_of(&self, factor: &Factor, place: Place) -> Option<Cache> {
        let cache = self.cache(factor.input?, place);
        Some(Cache { axes: Some(factor.axes.clone()), ..cache })
    }

    /// The factors of a product, and of those that are made next to it, with their sides.
    pub(super) fn factors<'a>(&'a self, product: &'a Product) -> impl Iterator<Item = (usize, &'a Factor)> {
        let alongside = self.facts.products.iter().filter(|other| self.facts.are_alongside() && other.op != product.op);
        std::iter::once(product).chain(alongside).flat_map(|product| product.factors.iter().enumerate())
    }

    /// How many sums one loop makes next to each other.
    pub(super) fn sums(&self) -> i64 {
        if self.facts.are_alongside() { self.facts.products.len() as i64 } else { 1 }
    }

    pub(super) fn caches(&self, product: &Product) -> Vec<Cache> {
        let mut caches: Vec<Cache> = Vec::new();
        for cache in self.factors(product).filter_map(|(_, factor)| self.cache_of(factor, Place::Smem)) {
            if !caches.contains(&cache) {
                caches.push(cache);
            }
        }
        caches
    }

    /// What is the same in all plans of a product: tails, epilogue, ways of reading.
    pub(super) fn finish(&self, mut plan: Schedule) -> Schedule {
        let cut = |(axis, extent): &(String, i64)| {
            let size = self.facts.axes.size(axis).and_then(dlc_ir::affine::SizeExpr::as_constant);
            (*extent > 1 && size.is_none_or(|size| size % extent != 0)).then(|| axis.clone())
        };
        let tails: Vec<String> = plan.tile.iter().flat_map(|tile| &tile.0).filter_map(cut).collect();
        plan.predicate_tail = Some(tails).filter(|tails| !tails.is_empty());
        plan.epilogue = Some(self.facts.epilogue.clone()).filter(|words| !words.is_empty());
        plan.assume = plan.assume.filter(|table| !table.0.is_empty());
        plan
    }

    pub(super) fn asynchronous(&self, epilogue_overlap: bool) -> Option<Async> {
        Some(Async { enable: true, prefetch_depth: None, epilogue_overlap })
    }

    /// As many stages as shared memory has room for, at most so many; `None` if there is none for two.
    pub(super) fn staged(&self, mut plan: Schedule, most: i64) -> Option<Schedule> {
        for stages in (2..=most).rev() {
            plan.stages = Some(stages);
            if plan.footprint(self.ctx).smem.is_some_and(|bytes| bytes <= self.target.smem_per_block) {
                return Some(plan);
            }
        }
        None
    }

    /// Plans of what TMA brings to groups of four warps, where there are any.
    fn by_tma(&self, product: &Product) -> Vec<Schedule> {
        let is_multiplied = product.exact && self.has(Kind::Wgmma, self.elem(product)) && self.target.has("tma");
        let assume = self.comes_by_tma(product).filter(|_| is_multiplied);
        assume.map_or_else(Vec::new, |assume| self.wgmma(product, &assume))
    }

    fn product(&self, product: &Product) -> Vec<Schedule> {
        let elem = self.elem(product);
        let has = |kind| product.exact && self.has(kind, elem);
        let by_tma = self.by_tma(product);
        if !by_tma.is_empty() {
            return by_tma;
        }
        let padded = if has(Kind::Wgmma) && self.target.has("tma") { self.padded(product) } else { Vec::new() };
        // A sum of one step is as long as its stores, next to which nothing of `f32` in two parts runs, as measured.
        let is_short = elem == Type::F32 && self.extent(&product.depth) * 32.0 <= 1024.0;
        let mut plans = match has(Kind::Mma) && !is_short {
            // Threads multiply `f32` too, and faster where tiles of tensor cores would be mostly empty.
            true if elem == Type::F32 => self.mma(product).into_iter().chain(self.fma(product)).collect(),
            true => self.mma(product),
            false => self.fma(product),
        };
        self.share_sums(&mut plans, None);
        padded.into_iter().chain(plans).collect()
    }

    /// Plans of `wgmma` for matrices with unaligned rows at these sizes: such a factor is copied to padded rows first.
    fn padded(&self, product: &Product) -> Vec<Schedule> {
        let (mut assume, mut names) = (Table::default(), Vec::new());
        for (_, factor) in self.factors(product) {
            let Some(tensor) = factor.input.map(|at| &self.facts.inputs[at]) else { return Vec::new() };
            let is_matrix = tensor.plain && tensor.axes.len() == 2 && tensor.row.is_some() && tensor.reads == 1;
            if !factor.direct || factor.masked || !is_matrix || self.narrow(tensor).is_some() {
                return Vec::new();
            }
            let mut more = assume.clone();
            match self.divides(tensor, &mut more) {
                Some(()) => assume = more,
                None => names.push(tensor.name.as_str()),
            }
        }
        let plan = |mut plan: Schedule| {
            let words = names.iter().map(|name| (format!("load_{name}"), Choice::Word("padded".into())));
            plan.algo = Some(Table(plan.algo.into_iter().flat_map(|table| table.0).chain(words).collect()));
            // Threads read what the policy is about.
            plan.policy.iter_mut().for_each(|policy| policy.0.retain(|(name, _)| !names.contains(&name.as_str())));
            plan.policy = plan.policy.filter(|policy| !policy.0.is_empty());
            Schedule { cluster: None, multicast: None, ..plan }
        };
        self.wgmma(product, &assume).into_iter().map(plan).collect()
    }

    /// The tiles of the results.
    pub(super) fn tiles(&self, plan: &Schedule) -> f64 {
        let tiles = |axis: &String| (self.facts.size(axis) as f64 / plan.tile_of(axis).max(1) as f64).ceil();
        self.facts.iters().iter().map(tiles).product()
    }

    /// Whether threads add what each step of a sum gives, as tensor cores would cut off what the factors are split for.
    pub(super) fn promotes(&self, product: &Product) -> bool {
        let is_split = self.elem(product) == Type::F32 && self.precision == Some(Precision::Tf32x3);
        is_split || product.is_exact_f32()
    }

    /// Whether tensor cores have an instruction for factors of a type: for `f32` one of fragments in registers, where each
    /// factor becomes two or is rounded, and one of tiles in shared memory for factors that were rounded before.
    pub(super) fn has(&self, kind: Kind, elem: Type) -> bool {
        let is_rounded = || self.facts.products.iter().all(|product| product.rounded);
        let is_allowed = match (elem, kind) {
            (Type::F32, Kind::Wgmma) => self.precision == Some(Precision::Tf32) && is_rounded(),
            (Type::F32, _) => kind == Kind::Mma && self.precision.is_some(),
            _ => elem != Type::F64,
        };
        is_allowed && self.target.rate(self.ctx, kind, elem).is_some()
    }

    /// Results go through TMA if their rows begin at multiples of 16 bytes, and from the fragments otherwise.
    pub(super) fn store(&self, panels: i64, assume: &mut Option<Table<i64>>) -> Option<Store> {
        let mut wanted = assume.clone().unwrap_or_default();
        let tma =
            self.stores_rows() && self.facts.outputs.iter().all(|output| self.divides(output, &mut wanted).is_some());
        if !tma {
            return Some(Store { way: StoreMethod::Fragments, panels: None, together: None });
        }
        *assume = Some(wanted);
        Some(Store { way: StoreMethod::Tma, panels: Some(panels), together: Some(1) })
    }

    /// Whether 16 bytes divide the rows of the results at all sizes.
    pub(super) fn knows_rows(&self) -> bool {
        let is_whole = |output: &Tensor| {
            let width = (128.0 / bits(self.ctx, output.elem)) as i64;
            output.plain && output.row.as_ref().is_some_and(|row| row.divisible_by(width))
        };
        self.stores_rows() && self.facts.outputs.iter().all(is_whole)
    }

    /// Whether the results have at most 16 bits.
    pub(super) fn has_short_results(&self) -> bool {
        self.facts.outputs.iter().all(|output| bits(self.ctx, output.elem) <= 16.0)
    }

    /// Whether the results are along the columns of the product, and not of each row as a whole.
    pub(super) fn stores_rows(&self) -> bool {
        let columns = self.facts.products.last().map_or(&[][..], |product| &product.columns);
        columns.iter().all(|axis| self.facts.iters().contains(axis))
    }

    /// The number of points of some axes.
    pub(super) fn extent(&self, axes: &[String]) -> f64 {
        self.facts.points(axes.iter().map(String::as_str))
    }

    /// Copies by threads, fragments multiplied by warps.
    fn mma(&self, product: &Product) -> Vec<Schedule> {
        let bits = bits(self.ctx, self.elem(product)) as i64;
        let mut assume = Table::default();
        let vectors = self.vectors(&mut assume);
        let inputs = || self.factors(product).filter_map(|(_, factor)| Some(&self.facts.inputs[factor.input?]));
        let mut narrow: Vec<(String, i64)> = inputs().filter_map(|input| self.narrow(input)).collect();
        narrow.dedup();
        let direct = self.factors(product).all(|(_, factor)| factor.direct) && narrow.is_empty();
        let masked = self.factors(product).any(|(_, factor)| factor.masked);
        let mut swizzle: Vec<(String, Choice)> =
            self.caches(product).into_iter().map(|cache| (cache.tensor, Choice::Word("auto".into()))).collect();
        swizzle.dedup();
        let is_wide = |name: &str| vectors.as_ref().and_then(|of| of.get(name)).is_some_and(|&elems| elems > 1);
        let wide = inputs().all(|input| input.plain && is_wide(&input.name));
        let plan = |(rows, columns, warp_rows, warp_columns): (i64, i64, i64, i64), stages: i64, run_ahead: bool| {
            let mut plan = Schedule {
                instruction: Some(Instruction {
                    kind: Kind::Mma,
                    shape: Some(vec![16, 8, 256 / bits]),
                    promote: self.promotes(product),
                    precision: self.precision.filter(|_| self.elem(product) == Type::F32),
                }),
                stages: Some(stages),
                order: Some(Order { kind: Walk::Grouped, size: Some(8), along: product.rows.last().cloned() }),
                swizzle: Some(Table(swizzle.clone())),
                caches: self.caches(product),
                assume: Some(assume.clone()),
                vectors: vectors.clone(),
                barrier: Some(if run_ahead { Barrier::CpAsyncGroup } else { Barrier::Block }),
                ..self.in_short_depth(self.tiled(product, rows, columns, 1024 / bits), product, 1024 / bits)
            };
            // A stage is read to its end while the next one is waited for. What is copied element by element, or from windows,
            // needs the registers for addresses, and zeros are put into a stage before it is read.
            plan.in_flight = Some(1).filter(|_| run_ahead && stages >= 3 && wide && !masked);
            if !narrow.is_empty() {
                // What is reduced is one row after the other, of so many elements as there are.
                self.spread_depth(&mut plan, product, 512 / bits);
                plan.fix = Some(Table(narrow.clone()));
                // What waits for memory is hidden by other blocks: as many as have registers for what they sum and address.
                let threads = rows * columns / (warp_rows * warp_columns) * 32;
                let held = rows * columns / threads + GATHERED;
                plan.blocks_per_sm = Some((self.target.registers_per_sm / (threads * held)).max(1));
                plan = self.with_reduced(plan);
            }
            plan.overlap = match run_ahead {
                true => self.asynchronous(false),
                false => Some(Async { enable: false, prefetch_depth: None, epilogue_overlap: false }),
            };
            plan.warp_tile = Some(self.warp_tile(product, &plan, warp_rows, warp_columns));
            self.finish(plan)
        };
        // Few warps, in several blocks: what gathers waits often. Several sums are held together, and the product of a step.
        let parts = self.sums() + i64::from(self.promotes(product));
        let fits = |tile: &(i64, i64, i64, i64)| {
            let has_registers = self.sums() == 1 || tile.2 * tile.3 / 32 * parts <= MOST_SUMS;
            has_registers && (narrow.is_empty() || tile.0 * tile.1 <= 4 * tile.2 * tile.3)
        };
        // What is computed on the way into shared memory cannot be copied there next to something else.
        let run_ahead = direct && self.target.has("cp_async");
        let mut plans: Vec<Schedule> = Vec::new();
        if let Some(rows) = self.facts.whole_rows {
            let (tiles, counts) = (whole_rows(rows), if run_ahead { 2..=3 } else { 1..=1 });
            let plans = counts.rev().flat_map(|stages| tiles.iter().map(move |&tile| (tile, stages)));
            return plans.filter(|(tile, _)| fits(tile)).map(|(tile, stages)| plan(tile, stages, run_ahead)).collect();
        }
        let more = if bits == 32 { &NARROW[..] } else { &[] };
        let tiles = || MMA.iter().chain(more);
        if run_ahead {
            let plans_of = |stages| tiles().map(move |&tile| (tile, stages));
            let many = [3, 2].into_iter().flat_map(plans_of).filter(|(tile, _)| fits(tile));
            plans.extend(many.map(|(tile, stages)| plan(tile, stages, true)));
            plans.extend([MMA[0], MMA[6]].into_iter().filter(|tile| fits(tile)).map(|tile| plan(tile, 1, false)));
        } else {
            for stages in if narrow.is_empty() { 1..=2 } else { 1..=1 } {
                plans.extend(tiles().filter(|tile| fits(tile)).map(|&tile| plan(tile, stages, false)));
            }
        }
        plans
    }

    /// The tile of a warp: a part of that of the block along the same axes.
    pub(super) fn warp_tile(&self, product: &Product, plan: &Schedule, rows: i64, columns: i64) -> Table<i64> {
        let mut tile = Table(plan.out_tile());
        for (axes, extent) in [(&product.rows, rows), (&product.columns, columns)] {
            let mut left = extent;
            for axis in axes.iter().rev() {
                if let Some(entry) = tile.get_mut(axis) {
                    *entry = gcd(entry.unsigned_abs(), left.unsigned_abs()).max(1) as i64;
                    left /= *entry;
                }
            }
        }
        tile
    }

    /// One multiplication a thread at a time, on tiles in shared memory.
    fn fma(&self, product: &Product) -> Vec<Schedule> {
        let mut assume = Table::default();
        let vectors = self.vectors(&mut assume);
        let direct = self.factors(product).all(|(_, factor)| factor.direct);
        let mut plans = self.through_registers(product, &assume, &vectors);
        for (step, stages) in [(8, 1), (16, 2)] {
            let run_ahead = stages > 1 && direct && self.target.has("cp_async");
            for (rows, columns, thread_rows, thread_columns) in FMA {
                let mut plan = Schedule {
                    instruction: Some(Kind::Fma.into()),
                    stages: Some(stages),
                    caches: self.caches(product),
                    assume: Some(assume.clone()),
                    vectors: vectors.clone(),
                    barrier: Some(if run_ahead { Barrier::CpAsyncGroup } else { Barrier::Block }),
                    overlap: match run_ahead {
                        true => self.asynchronous(false),
                        false => None,
                    },
                    ..self.in_short_depth(self.tiled(product, rows, columns, step), product, step)
                };
                plan.thread_tile = Some(self.warp_tile(product, &plan, thread_rows, thread_columns));
                plans.push(self.finish(self.with_reduced(plan)));
            }
        }
        plans
    }

    /// The same with loads that come to registers while the step before is computed: so operands are transposed on the way, and
    /// lie in shared memory as threads want them.
    fn through_registers(&self, product: &Product, assume: &Table<i64>, vectors: &Option<Table<i64>>) -> Vec<Schedule> {
        let (Some(row), Some(column)) = (product.rows.last(), product.columns.last()) else { return Vec::new() };
        if self.factors(product).any(|(_, factor)| !factor.direct) || self.elem(product) != Type::F32 {
            return Vec::new();
        }
        let both = |rows: i64, columns: i64| Some(Table::of([(row.as_str(), rows), (column.as_str(), columns)]));
        let plan = |(rows, columns, high, wide): (i64, i64, i64, i64)| {
            let tile = self.tiled(product, rows, columns, STEP);
            let threads = high * wide * LANES.iter().product::<i64>();
            let (own_rows, own_columns) = (rows / high / LANES[0], columns / wide / LANES[1]);
            let loads = (rows + columns) * STEP / threads;
            // What is loaded, the sums, and what is multiplied, of one step of the sum and of the next.
            let held = loads + own_rows * own_columns + 2 * (own_rows + own_columns) + dlc_plan::footprint::OVERHEAD;
            let depth = tile.tile.as_ref()?.0.last()?.0.clone();
            let fits = tile.tile_of(row) == rows && tile.tile_of(column) == columns;
            let transposed = |cache: Cache| {
                let along = cache.axes.as_ref().and_then(|axes| axes.last());
                Cache { transposed: along.is_some_and(|axis| product.depth.contains(axis)), ..cache }
            };
            let plan = Schedule {
                instruction: Some(Kind::Fma.into()),
                thread_tile: both(PIECE, PIECE),
                lanes: both(LANES[0], LANES[1]),
                warps: both(high, wide),
                unroll: Some(Table::of([(depth.as_str(), STEP)])),
                stages: Some(2),
                blocks_per_sm: Some(self.target.registers_per_sm / (threads * held)),
                caches: self.caches(product).into_iter().map(transposed).collect(),
                assume: Some(assume.clone()),
                vectors: vectors.clone(),
                barrier: Some(Barrier::Block),
                ..tile
            };
            fits.then(|| self.finish(self.with_reduced(plan)))
        };
        THREADS.into_iter().filter_map(plan).collect()
    }

    /// Says which axes are reduced where that is not the last of three.
    fn with_reduced(&self, mut plan: Schedule) -> Schedule {
        let tile = plan.tile.iter().flat_map(|tile| &tile.0);
        let reduced: Vec<String> =
            tile.map(|(axis, _)| axis).filter(|axis| !self.facts.iters().contains(axis)).cloned().collect();
        let last = plan.tile.as_ref().and_then(|tile| tile.0.last()).map(|(axis, _)| axis.clone());
        let usual = plan.contracts() && matches!(reduced.as_slice(), [only] if Some(only) == last.as_ref());
        if !usual && !reduced.is_empty() {
            plan.reduced = Some(reduced);
        }
        plan
    }
}

/// Rows and columns of a block and of a warp where a block has whole rows: four or eight warps share the tile, and a thread
/// holds a limited number of elements of each value.
fn whole_rows(WholeRows { columns, values }: WholeRows) -> Vec<(i64, i64, i64, i64)> {
    let columns = columns.clamp(16, 1 << 12).unsigned_abs().next_power_of_two() as i64;
    let mut tiles = Vec::new();
    for rows in [128, 64, 32, 16] {
        for warp_rows in [64, 32, 16].into_iter().filter(|own| *own <= rows) {
            for warp_columns in [256, 128, 64, 32, 16].into_iter().filter(|own| *own <= columns) {
                let warps = rows / warp_rows * (columns / warp_columns);
                let held = warp_rows * warp_columns / 32;
                if [4, 8].contains(&warps) && held <= 64 && held * values <= 128 {
                    tiles.push((rows, columns, warp_rows, warp_columns));
                }
            }
        }
    }
    tiles
}
