//! How the tile of a block is shared among its threads: as the plan says, and by default where it does not.

use dlc_core::precision::Precision;
use dlc_ir::affine::SizeExpr;
use dlc_kernel::layout::Distributed;

use dlc_plan::Schedule;
use dlc_plan::clause::{Kind, Place};
use dlc_plan::value::{Choice, Table};

use super::window::Window;

/// The next power of two of a size, within limits; `unknown` for one that is no number.
pub fn tile_of(size: &SizeExpr, limit: u32, unknown: u32) -> u32 {
    match size.as_constant() {
        Some(size) => u32::try_from(size.max(1)).map_or(limit, |size| size.next_power_of_two().min(limit)),
        None => unknown.min(limit),
    }
}

/// A kernel around a product of matrices.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// What multiplies.
    pub instruction: Kind,
    /// Whether the product of each step begins with zero, and is added to the sum in `f32`.
    pub promote: bool,
    /// How tensor cores multiply factors of `f32`.
    pub precision: Option<Precision>,
    /// How much of the reduced axes is in shared memory at once.
    pub depth: u32,
    /// The same for single axes, where the plan says it of them.
    pub depths: Vec<(String, u32)>,
    /// Reduced axes that loops go over one by one, around the loop over the others.
    pub single: Vec<String>,
    /// The tensors that are transposed as they are copied to shared memory, so that what a thread needs of a column of the left
    /// matrix, or of a row of the right one, is contiguous there.
    pub transposed: Vec<String>,
    /// The most elements of tensors that one access takes, where the plan says so.
    pub widths: Vec<(String, u32)>,
    /// Whether the loop over what is in shared memory is unrolled.
    pub unrolled: bool,
    /// The bytes of a row in which units of shared memory are exchanged, by tensor, 0 for none; where no plan says, those
    /// of a row.
    pub swizzle: Vec<(String, u32)>,
    /// The tensors whose tiles the plan wants in shared memory.
    pub smem_operands: Vec<String>,
    /// The sizes that are one number, where the plan says so.
    pub fixed: Vec<(String, i64)>,
    /// The factor that is there for all places of a window.
    pub window: Option<Window>,
}

/// The tiles of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Tiling {
    /// The tile along the first axis of fragments and along the second.
    pub tile: [u32; 2],
    /// How much of a reduced axis is looked at at once, spread over the lanes of a warp; 1 for one position at a time.
    pub reduction_tile: u32,
    /// The product with tiles of its operands in shared memory, if there is one.
    pub matrix: Option<Matrix>,
    /// The layout of fragments over both axes.
    pub layout: Distributed,
    /// The warps of a block.
    pub warps: u32,
    /// The tensors whose neighbours lie along the rows of fragments, and how many of them a thread reads at once: they are
    /// transposed on their way through shared memory.
    pub across: Vec<(String, u32)>,
}

/// What `wgmma` multiplies at once: rows, the least columns, and the depth of 16-bit floats.
pub const WGMMA_ROWS: u32 = 64;
/// The least columns.
pub const WGMMA_COLUMNS: u32 = 8;
const WGMMA_DEPTH: u32 = 16;
/// The rows and columns that `mma` multiplies at once.
pub const MMA_ROWS: u32 = 16;
const MMA_COLUMNS: u32 = 8;
/// The most threads of a block.
const MOST_THREADS: u32 = 1024;
/// The most blocks of a cluster.
const MOST_BLOCKS: u32 = 16;
/// The threads of a block where no plan says.
const WARPS: u32 = 4;
/// How often the lanes of a warp go over a row that is scanned, in one step, if it is of one operand, and the most warps that
/// share it.
const SCAN_REPEATS: u32 = 4;
const SCAN_WARPS: u32 = 8;
/// The elements of a thread along columns that are scanned, and the most warps that share them.
const SCAN_COLUMN: u32 = 16;
const COLUMN_WARPS: u32 = 16;
/// The elements of a thread along an axis that is sorted, and the most warps that share a row.
const SORT_EACH: u32 = 8;
const MOST_SORT_WARPS: u32 = 32;

/// A kernel without a product, by what its threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Elements alone: rows of the last axis.
    Elements,
    /// Rows that are reduced: a warp has some, its lanes share the axis.
    Rows,
    /// Columns that are reduced: lanes lie next to each other along them, warps share the axis.
    Columns,
    /// Rows that are scanned, whose widest elements have so many bits: a warp has a short row, or several where they are
    /// shorter than it; the warps of a block share a long one, and a `single` one. Threads have as many neighbours as one
    /// access takes, and of several operands as many registers as of one.
    ScannedRows {
        /// Whether there is one row.
        single: bool,
        /// The bits of an element.
        bits: u32,
        /// What a scan goes over.
        operands: u32,
    },
    /// Rows that are sorted, each whole: the lanes of a warp share a short row, the warps of a block a long one.
    SortedRows {
        /// Whether there is one row.
        single: bool,
    },
    /// Columns that are scanned: lanes lie next to each other along them, and warps share the axis, of which each thread has
    /// some elements next to each other.
    ScannedColumns {
        /// The bits of an element.
        bits: u32,
    },
}

/// One side of a tile.
#[derive(Clone, Copy)]
struct Side {
    tile: u32,
    /// The elements in a row of one thread.
    each: u32,
    lanes: u32,
    warps: u32,
}

/// How one side of a tile is shared where no plan says: by neighbours of a thread, then lanes, repeats of both, and warps.
#[derive(Clone, Copy)]
struct Spread {
    /// The most positions, and the fewest.
    most: u32,
    least: u32,
    /// How many there are where the size is no number.
    unknown: u32,
    each: u32,
    lanes: u32,
    /// Whether lanes come before the neighbours of a thread.
    lanes_first: bool,
    repeats: u32,
    warps: u32,
}

impl Spread {
    /// Over the lanes of one warp.
    fn of(most: u32, each: u32) -> Spread {
        Spread { most, least: 1, unknown: most, each, lanes: 32, lanes_first: false, repeats: 1, warps: 1 }
    }

    fn over(self, size: &SizeExpr) -> Side {
        let tile = tile_of(size, self.most, self.unknown).max(self.least);
        let (each, lanes) = match self.lanes_first {
            true => ((tile / self.lanes).clamp(1, self.each), self.lanes),
            false => (tile.min(self.each), (tile / tile.min(self.each)).min(self.lanes)),
        };
        Side { tile, each, lanes, warps: (tile / (each * lanes * self.repeats)).clamp(1, self.warps) }
    }
}

/// The side next to one that threads share: the rest of the lanes, so many warps, and as many rows of them as leave a thread
/// `held` elements.
fn alongside(shared: Side, warps: u32, held: u32) -> Side {
    let lanes = 32 / shared.lanes;
    let rows = held / (shared.tile / shared.lanes).clamp(1, held);
    Side { tile: lanes * warps * rows, each: 1, lanes, warps }
}

impl Form {
    /// The sides by default, of these sizes.
    fn sides(self, [first, second]: [&SizeExpr; 2]) -> [Side; 2] {
        match self {
            Form::Elements => {
                let wide = Spread::of(128, 4).over(second);
                [alongside(wide, WARPS, 4), wide]
            }
            Form::Rows => {
                let long = Spread { least: 32, unknown: 256, lanes_first: true, ..Spread::of(1024, 8) }.over(second);
                [alongside(long, WARPS, 1), long]
            }
            Form::Columns => {
                let wide = Spread { least: 32, lanes_first: true, ..Spread::of(64, 2) };
                let long = Spread { least: WARPS, lanes: 1, warps: WARPS, ..Spread::of(32, 1) };
                [wide.over(first), long.over(second)]
            }
            Form::ScannedRows { single, bits, operands } => {
                let each = (128 / bits.max(1)).clamp(2, 8);
                let repeats = (SCAN_REPEATS / operands.max(1)).max(1);
                let (unit, warps) = (32 * each * repeats, SCAN_WARPS);
                let long =
                    Spread { least: each, unknown: unit * WARPS, repeats, warps, ..Spread::of(unit * warps, each) };
                let long = long.over(second);
                let rows = alongside(long, if long.warps > 1 || single { 1 } else { WARPS }, each * repeats);
                [if single { Side { tile: 1, ..rows } } else { rows }, long]
            }
            Form::SortedRows { single } => {
                let spread = Spread::of(32 * MOST_SORT_WARPS * SORT_EACH, SORT_EACH);
                let long = Spread { unknown: 32 * SORT_EACH, warps: MOST_SORT_WARPS, ..spread }.over(second);
                let rows = alongside(long, if single { 1 } else { (WARPS / long.warps).max(1) }, 1);
                [if single { Side { tile: 1, ..rows } } else { rows }, long]
            }
            Form::ScannedColumns { bits } => {
                let each = (32 / bits.max(1)).clamp(1, 2);
                let wide = Spread { lanes_first: true, ..Spread::of(32 * each, each) }.over(first);
                let own = SCAN_COLUMN / wide.each;
                let long = Spread { lanes: 1, warps: COLUMN_WARPS, ..Spread::of(own * COLUMN_WARPS, own) };
                [wide, long.over(second)]
            }
        }
    }

    /// Whether threads share the second axis, which is reduced, scanned or sorted.
    fn goes_along(self) -> bool {
        self != Form::Elements
    }

    /// The sides that a plan gives, of `rows` and the `column` that is contiguous; `None` where it has no tile.
    fn planned(self, plan: &Schedule, rows: &[String], column: &str) -> Result<Option<[Side; 2]>, String> {
        let sides = planned_sides(plan, rows, column);
        match self {
            // Lanes lie along the columns first; warps along the reduced axis share it.
            Form::Columns => Ok(sides?.map(|[long, wide]| [wide, Side { each: 1, ..long }])),
            Form::ScannedColumns { .. } => Ok(sides?.map(|[long, wide]| [wide, long])),
            Form::Elements => sides,
            Form::Rows | Form::ScannedRows { .. } | Form::SortedRows { .. } => {
                let below = plan.thread_tile.as_ref().and_then(|each| extent(rows, |axis| each.along(axis)));
                match below.filter(|&below| below > 1) {
                    None => sides,
                    Some(below) => Err(format!(
                        "'thread_tile' has {below} along ({}), and lanes share each row of what is reduced",
                        rows.join(", ")
                    )),
                }
            }
        }
    }
}

/// The tile along the rows and the columns of a product by default, as the most positions, those of a size that is unknown
/// and the fewest; and the warps along both. With an online softmax each warp has whole rows, so that what is summed goes
/// from one product to the next in its registers.
const PRODUCT: ([[u32; 3]; 2], [u32; 2]) = ([[64, 64, 32], [64, 64, 16]], [2, 2]);
const ONLINE_SOFTMAX: ([[u32; 3]; 2], [u32; 2]) = ([[64, 64, 64], [128, 64, 16]], [4, 1]);

impl Tiling {
    /// Of a kernel without a product, with the names and sizes of two sides: the axes that follow each other in the tile. The
    /// tile is that of the plan, if it has one.
    ///
    /// An error names the number that does not fit.
    pub fn of_plan(form: Form, plan: &Schedule, rows: &[String], column: &str) -> Result<Option<Tiling>, String> {
        let across = if form == Form::Elements { across(plan)? } else { Vec::new() };
        let sides = form.planned(plan, rows, column)?;
        Ok(sides.map(|sides| Tiling { across, ..Tiling::of_sides(form, sides) }))
    }

    /// The same where no plan says, of two sides of these sizes.
    pub fn by_default(form: Form, sizes: [&SizeExpr; 2]) -> Tiling {
        Tiling::of_sides(form, form.sides(sizes))
    }

    fn of_sides(form: Form, [first, second]: [Side; 2]) -> Tiling {
        let pair = |of: fn(Side) -> u32| [of(first), of(second)];
        let warps = pair(|side| side.warps);
        let layout = Distributed::blocked(&pair(|side| side.each), &pair(|side| side.lanes), &warps);
        let (tile, reduction_tile) = match form.goes_along() {
            true => ([first.tile, 1], second.tile),
            false => (pair(|side| side.tile), 1),
        };
        Tiling { reduction_tile, warps: warps[0] * warps[1], ..Tiling::plain(tile, layout) }
    }

    /// Around a product of matrices, with what may be assumed of any target: `mma` for 16-bit floats, multiplications for
    /// others. With an online softmax another one follows.
    pub fn of_product(sizes: [&SizeExpr; 2], is_16bit: bool, online_softmax: bool) -> Tiling {
        let (extents, warps) = if online_softmax { ONLINE_SOFTMAX } else { PRODUCT };
        let tile = [0, 1].map(|side| {
            let [most, unknown, least] = extents[side];
            tile_of(sizes[side], most, unknown).max(least)
        });
        let (instruction, depth, layout) = match is_16bit {
            true => (Kind::Mma, 32, Distributed::Mma(warps)),
            false => (Kind::Fma, 16, Distributed::blocked(&[4, 4], &[4, 8], &warps)),
        };
        Tiling { matrix: Some(Matrix::new(instruction, depth)), ..Tiling::plain(tile, layout) }
    }

    /// With a block of the default size, and no product.
    fn plain(tile: [u32; 2], layout: Distributed) -> Tiling {
        Tiling { tile, reduction_tile: 1, matrix: None, layout, warps: WARPS, across: Vec::new() }
    }

    /// The same with another tile.
    pub fn with_tile(self, tile: [u32; 2]) -> Tiling {
        Tiling { tile, ..self }
    }

    /// The same of a product whose rows are reduced next: a block has whole rows.
    pub fn holding_rows(self) -> Tiling {
        Tiling { reduction_tile: self.tile[1], ..self }
    }

    /// How many warps share a row of fragments.
    pub fn warps_per_row(&self) -> u32 {
        match &self.layout {
            Distributed::Mma(warps) => warps[1],
            Distributed::Blocked(blocked) => blocked.warps.get(1).copied().unwrap_or(1),
            _ => 1,
        }
    }

    /// How the threads of a block share a tile of these sizes that they copy, with neighbours along an axis: each has at
    /// most so many of them in a row.
    pub fn copying(&self, shape: [u32; 2], along: usize, most: u32) -> Distributed {
        let size = shape[along].next_power_of_two();
        let each = size.min(most);
        let lanes = (size / each).min(32);
        let mut grids = [[1, 1], [1, 1], [1, 1]];
        grids[0][along] = each;
        grids[1][along] = lanes;
        grids[1][1 - along] = 32 / lanes;
        grids[2][1 - along] = self.warps;
        match Distributed::blocked(&grids[0], &grids[1], &grids[2]) {
            Distributed::Blocked(mut blocked) => {
                blocked.order = vec![along as u32, 1 - along as u32];
                Distributed::Blocked(blocked)
            }
            layout => layout,
        }
    }
}

impl Matrix {
    /// With what follows from the shapes.
    pub fn new(instruction: Kind, depth: u32) -> Matrix {
        Matrix {
            instruction,
            promote: false,
            precision: None,
            depth,
            depths: Vec::new(),
            single: Vec::new(),
            transposed: Vec::new(),
            widths: Vec::new(),
            // As short as it is, a loop of its own would take longer than what is in it; a plan says when it is written.
            unrolled: true,
            swizzle: Vec::new(),
            smem_operands: Vec::new(),
            fixed: Vec::new(),
            window: None,
        }
    }

    /// How much of some reduced axes is in shared memory at once.
    pub fn depth_of(&self, axes: &[&str]) -> u32 {
        let own: Option<Vec<u32>> = (axes.iter())
            .map(|axis| self.depths.iter().find(|(name, _)| name == axis).map(|(_, extent)| *extent))
            .collect();
        own.filter(|own| !own.is_empty()).map_or(self.depth, |own| own.into_iter().fold(1, u32::saturating_mul))
    }
}

/// The blocks of a cluster along rows and columns, as a plan says: they are neighbours along one of both.
///
/// An error says why there are no clusters.
pub fn cluster(plan: &Schedule, rows: &[String], columns: &[String]) -> Result<[u32; 2], String> {
    let Some(table) = &plan.cluster else { return Ok([1, 1]) };
    let mut cluster = [1, 1];
    for (axis, size) in table.0.iter().filter(|(_, size)| *size != 1) {
        let side = match (rows.contains(axis), columns.contains(axis)) {
            (true, _) => 0,
            (_, true) => 1,
            _ => return Err(format!("'{axis}' is an axis of neither rows nor columns")),
        };
        // Of several axes that are rows the last one has neighbours.
        let last = if side == 0 { rows.last() } else { columns.last() };
        if last != Some(axis) || cluster != [1, 1] {
            return Err("they are neighbours along one axis alone, the last of rows or columns".into());
        }
        let size = u32::try_from(*size).ok().filter(|size| (1..=MOST_BLOCKS).contains(size));
        cluster[side] = size.ok_or_else(|| format!("a cluster has 1 to {MOST_BLOCKS} blocks"))?;
    }
    Ok(cluster)
}

/// The product of what some axes have; `None` beyond 64 bits.
fn extent(axes: &[String], of: impl Fn(&str) -> i64) -> Option<i64> {
    axes.iter().try_fold(1i64, |product, axis| product.checked_mul(of(axis)))
}

/// A power of two.
fn power(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| number.is_power_of_two())
}

/// The most elements that a thread takes next to each other where no plan says.
const EACH: u32 = 4;

/// How threads share a tile of rows and columns, as a plan says; `None` where it has no tile.
fn planned_sides(plan: &Schedule, rows: &[String], column: &str) -> Result<Option<[Side; 2]>, String> {
    if plan.tile.is_none() {
        return Ok(None);
    }
    let along = |word: &str, table: &dyn Fn(&str) -> i64| -> Result<[u32; 2], String> {
        let counts = [extent(rows, table).unwrap_or(i64::MAX), table(column)];
        let wrong = |count: i64| format!("'{word}' has {count}, which is no power of two");
        Ok([power(counts[0]).ok_or_else(|| wrong(counts[0]))?, power(counts[1]).ok_or_else(|| wrong(counts[1]))?])
    };
    let tile = along("tile", &|axis| plan.tile_of(axis))?;
    let each = match &plan.thread_tile {
        Some(each) => {
            power(each.along(column)).ok_or_else(|| format!("'thread_tile' of '{column}' is no power of two"))?
        }
        None if plan.threads.is_some() => 1,
        None => (tile[1] / 32).clamp(1, EACH),
    };
    let below = plan.thread_tile.as_ref().and_then(|each| extent(rows, |axis| each.along(axis))).unwrap_or(1);
    let below = power(below).ok_or_else(|| format!("'thread_tile' of ({}) is no power of two", rows.join(", ")))?;
    let threads = match &plan.threads {
        Some(threads) => along("threads", &|axis| threads.along(axis))?,
        None => {
            let wide = (tile[1] / each).clamp(1, 32);
            [(tile[0] / below).clamp(1, (WARPS * 32 / wide).max(1)), wide]
        }
    };
    // Lanes lie along the columns first.
    let grid = [32 / threads[1].min(32), threads[1].min(32)];
    let count = threads[0].saturating_mul(threads[1]);
    if !(32..=1024).contains(&count) {
        return Err(format!("a tile of {} x {} is for {count} threads, and a block has 32 to 1024", tile[0], tile[1]));
    }
    if threads[0] < grid[0] || threads[0].saturating_mul(below) > tile[0] {
        let rows = rows.join(", ");
        return Err(match below {
            1 => format!("{} threads share {} positions of the tile along ({rows})", threads[0], tile[0]),
            _ => format!(
                "{} threads of {below} positions share {} positions of the tile along ({rows})",
                threads[0], tile[0]
            ),
        });
    }
    if threads[1].saturating_mul(each) > tile[1] {
        let (threads, tile) = (threads[1], tile[1]);
        return Err(format!("{threads} threads of {each} elements share {tile} elements along '{column}'"));
    }
    let side = |at: usize, each: u32| Side { tile: tile[at], each, lanes: grid[at], warps: threads[at] / grid[at] };
    Ok(Some([side(0, below), side(1, each)]))
}

/// What a plan says of a product.
pub struct PlannedProduct<'a> {
    /// The plan, which has a tile.
    pub plan: &'a Schedule,
    /// What multiplies.
    pub kind: Kind,
    /// The axes of blocks that are rows and columns.
    pub sides: &'a [Vec<String>; 2],
    /// The axes of the sum.
    pub reduced: &'a [String],
    /// Whether it is a sum below a maximum, of which each warp has whole rows.
    pub streams: bool,
    /// The factor that is there for all places of a window.
    pub window: Option<&'a Window>,
}

impl PlannedProduct<'_> {
    /// Its tile. Without tiles of the operands in shared memory each thread reads them from where they are.
    ///
    /// An error names the number that cannot be.
    pub fn tiling(&self) -> Result<Tiling, String> {
        let PlannedProduct { plan, kind, sides: [rows, columns], reduced, streams, window } = *self;
        let side = |at: usize, axes: &[String], unit: u32| match window.filter(|window| window.side == at) {
            Some(window) => Ok(window.tile),
            None => self.extent(axes, unit),
        };
        let tile = [side(0, rows, WGMMA_ROWS)?, side(1, columns, WGMMA_COLUMNS)?];
        let (layout, warps) = self.layout(tile)?;
        let tiling = Tiling { warps, ..Tiling::plain(tile, layout) };
        let along_columns = tiling.warps_per_row();
        if streams && along_columns > 1 {
            let columns = columns.join(", ");
            return Err(format!(
                "{along_columns} warps share rows along ({columns}), and an online softmax has them whole in a warp"
            ));
        }
        tiling.layout.check()?;
        let reduced = window.map_or(reduced, |window| std::slice::from_ref(&window.channel));
        // Of tf32 an instruction sums half as many products as of 16-bit floats; other products have whole steps of those.
        let unit = if window.is_some_and(|_| has_precision(plan)) { WGMMA_DEPTH / 2 } else { WGMMA_DEPTH };
        let depth = self.extent(reduced, unit)?;
        if kind != Kind::Fma && depth < unit && reduced.iter().any(|axis| plan.tile_of(axis) > 1) {
            let (word, reduced) = (kind.word(), reduced.join(", "));
            return Err(format!("the tile along ({reduced}) is {depth}, and {word} takes {unit} at once"));
        }
        let is_staged = kind != Kind::Fma || plan.caches.iter().any(|cache| cache.place == Place::Smem);
        Ok(Tiling { matrix: is_staged.then(|| self.matrix(depth)), ..tiling })
    }

    /// The tile along some axes. The registers of a warpgroup repeat, so that its tiles are of any number of units; others
    /// double.
    fn extent(&self, axes: &[String], unit: u32) -> Result<u32, String> {
        let tile = extent(axes, |axis| self.plan.tile_of(axis)).unwrap_or(i64::MAX);
        let repeats = |tile: u32| self.kind == Kind::Wgmma && tile > 0 && tile.is_multiple_of(unit);
        let fits = |tile: &u32| tile.is_power_of_two() || repeats(*tile);
        let wrong = || format!("the tile along ({}) is {tile}, which is no power of two", axes.join(", "));
        u32::try_from(tile).ok().filter(fits).ok_or_else(wrong)
    }

    /// What a table has along rows and columns.
    fn pair(&self, table: &Option<Table<i64>>) -> Option<[u32; 2]> {
        let [rows, columns] = self.sides;
        Some([number(table, rows)?, number(table, columns)?])
    }

    /// How warps share the tile, and how many there are.
    fn layout(&self, tile: [u32; 2]) -> Result<(Distributed, u32), String> {
        let plan = self.plan;
        match self.kind {
            Kind::Wgmma if !tile[0].is_multiple_of(WGMMA_ROWS) => {
                Err(format!("wgmma multiplies {WGMMA_ROWS} rows at once, and the tile has {}", tile[0]))
            }
            Kind::Wgmma => Ok((Distributed::Wgmma, 4)),
            Kind::Mma => {
                let of_tile = || self.pair(&plan.warp_tile).map(|own| [0, 1].map(|at| tile[at] / own[at].max(1)));
                let warps = mma_warps(tile, self.pair(&plan.warps).or_else(of_tile), self.streams)?;
                Ok((Distributed::Mma(warps), warps[0].saturating_mul(warps[1])))
            }
            Kind::Fma => {
                let said = Shares {
                    each: self.pair(&plan.thread_tile),
                    lanes: self.pair(&plan.lanes),
                    warps: self.pair(&plan.warps),
                    warp_tile: self.pair(&plan.warp_tile),
                    threads: self.pair(&plan.threads),
                };
                threads(plan, tile, &said, &self.sides[1])
            }
        }
    }

    /// The tiles of the operands, which are so deep.
    fn matrix(&self, depth: u32) -> Matrix {
        let PlannedProduct { plan, kind, reduced, window, .. } = *self;
        let caches = plan.caches.iter();
        let swizzle = |(tensor, swizzle): &(String, Choice)| match swizzle {
            Choice::Number(bytes) => Some((tensor.clone(), u32::try_from(*bytes).ok()?)),
            Choice::Word(_) => None,
        };
        let steps = number(&plan.unroll, reduced);
        Matrix {
            promote: plan.instruction.as_ref().is_some_and(|of| of.promote && kind != Kind::Fma),
            depths: numbers(&plan.tile).filter(|(_, extent)| *extent > 1).collect(),
            single: reduced.iter().filter(|axis| depth > 1 && plan.tile_of(axis) == 1).cloned().collect(),
            transposed: caches.clone().filter(|cache| cache.transposed).map(|cache| cache.tensor.clone()).collect(),
            widths: numbers(&plan.vectors).collect(),
            unrolled: steps.is_some_and(|steps| steps > 1 && steps >= depth),
            swizzle: plan.swizzle.iter().flat_map(|table| &table.0).filter_map(swizzle).collect(),
            smem_operands: caches
                .filter(|cache| cache.place == Place::Smem)
                .map(|cache| cache.tensor.clone())
                .collect(),
            fixed: plan.fix.iter().flat_map(|table| &table.0).cloned().collect(),
            window: window.cloned(),
            ..Matrix::new(kind, depth)
        }
    }
}

/// Whether the plan says how factors of `f32` are multiplied.
fn has_precision(plan: &Schedule) -> bool {
    plan.instruction.as_ref().is_some_and(|of| of.precision.is_some())
}

/// The numbers of a table that 32 bits have.
fn numbers(table: &Option<Table<i64>>) -> impl Iterator<Item = (String, u32)> {
    let table = table.iter().flat_map(|table| &table.0);
    table.filter_map(|(name, number)| Some((name.clone(), u32::try_from(*number).ok()?)))
}

/// What a table has along some axes.
fn number(table: &Option<Table<i64>>, axes: &[String]) -> Option<u32> {
    let table = table.as_ref()?;
    u32::try_from(extent(axes, |axis| table.along(axis))?).ok()
}

/// The tensors of a plan that lie across and go through shared memory: a stack of matrices along the axes of which a tile has
/// one position.
fn across(plan: &Schedule) -> Result<Vec<(String, u32)>, String> {
    let caches = plan.caches.iter().filter(|cache| cache.place == Place::Smem);
    let across = caches.map(|cache| {
        let tensor = &cache.tensor;
        let width = plan.vectors.as_ref().and_then(|of| of.get(tensor)).map_or(Some(1), |&each| power(each));
        let width = width.filter(|_| cache.transposed).map(|width| (tensor.clone(), width));
        width.ok_or_else(|| {
            format!("'{tensor}' is read once, and only a transposed tile of it is of use in shared memory")
        })
    });
    across.collect()
}

/// What a plan says of how threads share a tile of results, along rows and columns.
struct Shares {
    each: Option<[u32; 2]>,
    lanes: Option<[u32; 2]>,
    warps: Option<[u32; 2]>,
    warp_tile: Option<[u32; 2]>,
    threads: Option<[u32; 2]>,
}

/// The warps along the rows and columns of a tile that `mma` computes: those that a plan gives, else up to two on each side;
/// where rows are whole in a warp, up to four along the rows.
fn mma_warps(tile: [u32; 2], given: Option<[u32; 2]>, streams: bool) -> Result<[u32; 2], String> {
    let most = [tile[0] / MMA_ROWS, tile[1] / MMA_COLUMNS];
    let warps = given.unwrap_or(match streams {
        true => [most[0].clamp(1, WARPS), 1],
        false => most.map(|most| most.clamp(1, 2)),
    });
    for (at, unit) in [MMA_ROWS, MMA_COLUMNS].into_iter().enumerate() {
        if !tile[at].is_multiple_of(unit * warps[at].max(1)) {
            let side = ["rows", "columns"][at];
            let (tile, warps) = (tile[at], warps[at]);
            return Err(match warps {
                0 | 1 => format!("the tile has {tile} {side}, and mma multiplies {unit} at once"),
                _ => format!("{warps} warps share {tile} {side} of the tile, and mma has {unit} at once"),
            });
        }
    }
    Ok(warps)
}

/// How threads share a tile of results: each has a part, lanes lie next to each other along the axis that the plan binds to
/// the first axis of threads, the columns where it says nothing. What a plan leaves open follows from the tile: the warps
/// from their tile, the elements of a thread as few as a block has threads for.
fn threads(plan: &Schedule, tile: [u32; 2], said: &Shares, columns: &[String]) -> Result<(Distributed, u32), String> {
    let first = plan.bind.as_ref().and_then(|bind| bind.0.iter().find(|(_, place)| place == "thread.x"));
    let along_columns = first.is_none_or(|(axis, _)| columns.iter().any(|name| axis.split('.').next() == Some(name)));
    let fast = usize::from(along_columns);
    let over = |own: [u32; 2], by: [u32; 2]| [0, 1].map(|at| (own[at] / by[at].max(1)).max(1));
    // The tile of a warp alone says how many there are.
    let mut each = said.each.unwrap_or([1, 1]).map(|each| each.max(1));
    // What lanes share: the tile of a warp, or the whole tile.
    let mut grid = said.threads.unwrap_or(over(said.warp_tile.unwrap_or(tile), each));
    let is_free = said.each.is_none() && said.threads.is_none() && said.warp_tile.is_none();
    while is_free && grid[0].saturating_mul(grid[1]) > MOST_THREADS {
        each[usize::from(grid[1] > grid[0])] *= 2;
        grid = over(tile, each);
    }
    if grid[0].saturating_mul(grid[1]) < 32 {
        return Err(format!("{} threads share the tile, and a warp has 32", grid[0] * grid[1]));
    }
    let lanes = said.lanes.unwrap_or_else(|| {
        let mut lanes = [1, 1];
        lanes[fast] = grid[fast].min(32);
        lanes[1 - fast] = (32 / lanes[fast]).min(grid[1 - fast]).max(1);
        // A side that is too short leaves lanes to the other one.
        lanes[fast] = (32 / lanes[1 - fast]).min(grid[fast]).max(1);
        lanes
    });
    if lanes[0].saturating_mul(lanes[1]) != 32 {
        return Err(format!("{lanes:?} are not the 32 lanes of a warp"));
    }
    let of_tile = said.warp_tile.map(|own| over(tile, own));
    let warps = said.warps.or(of_tile).unwrap_or(over(grid, lanes));
    if said.each.is_none()
        && let Some(own) = said.warp_tile
    {
        each = over(own, lanes).map(|each| each.min(EACH));
    }
    if let Some(threads) = said.threads.filter(|threads| [0, 1].iter().any(|&at| lanes[at] * warps[at] != threads[at]))
    {
        return Err(format!("{warps:?} warps of {lanes:?} lanes are not the {threads:?} threads of the plan"));
    }
    let count = warps[0].saturating_mul(warps[1]);
    match Distributed::blocked(&each, &lanes, &warps) {
        Distributed::Blocked(mut blocked) => {
            blocked.order = vec![fast as u32, 1 - fast as u32];
            Ok((Distributed::Blocked(blocked), count))
        }
        layout => Ok((layout, count)),
    }
}
