//! The table of clauses: for each, what reads it, and when it does not apply.
//!
//! A clause is followed by its reader, compared with the region or the target by [`resolve`](super::resolved::resolve), or
//! reported here. What a plan for one target asks for and its kernel cannot use is a warning; in a plan for several it is a
//! remark, as one of them may use it.

use dlc_kernel::layout::{Blocked, Distributed};
use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Cache, Kind, Place, StoreMethod, Walk};
use dlc_plan::value::{Choice, Table};

use super::defaults;
use super::mapping::Mapping;
use super::shape::Axis;
use super::tiling::Matrix;
use crate::analysis::plans::order_of;

/// The most columns that `wgmma` multiplies at once.
const WGMMA_COLUMNS: i64 = 256;

/// What a plan does with a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Another value gives another kernel.
    Followed,
    /// It describes the kernel: another value than the kernel has is refused.
    Compared,
}

/// A clause of a plan.
pub struct Clause {
    /// Its word.
    pub word: &'static str,
    /// What reads it: passes, or [`resolve`](super::resolved::resolve), which `tensorize` and `resolve-plan` call.
    pub reader: &'static str,
    /// What is done with it.
    pub used: Use,
    /// Why it changes nothing in a plan, if it does not.
    left: fn(&Schedule, &Kernel<'_>) -> Option<String>,
}

/// What a clause is for.
pub struct Kernel<'a> {
    mapping: &'a Mapping,
}

impl Kernel<'_> {
    /// The product with tiles in shared memory, if there is one.
    fn matrix(&self) -> Option<&Matrix> {
        self.mapping.tiling.matrix.as_ref()
    }

    fn instruction(&self) -> Option<Kind> {
        self.matrix().map(|matrix| matrix.instruction)
    }

    /// Whether tensor cores compute it.
    fn has_tensor_cores(&self) -> bool {
        matches!(self.instruction(), Some(Kind::Mma | Kind::Wgmma))
    }
}

const fn followed(
    word: &'static str,
    reader: &'static str,
    left: fn(&Schedule, &Kernel<'_>) -> Option<String>,
) -> Clause {
    Clause { word, reader, used: Use::Followed, left }
}

const fn compared(word: &'static str) -> Clause {
    Clause { word, reader: "resolve", used: Use::Compared, left: always }
}

/// Always followed, or refused.
fn always(_: &Schedule, _: &Kernel<'_>) -> Option<String> {
    None
}

/// Of use for products of tensor cores alone.
fn of_products(is_there: bool, kernel: &Kernel<'_>) -> Option<String> {
    (is_there && kernel.matrix().is_none()).then(|| "the kernel has no product with tiles in shared memory".into())
}

/// How threads share a tile: the instruction decides which elements of a product a thread has, and what is no product has
/// only a grid of threads.
fn of_threads(is_there: bool, kernel: &Kernel<'_>) -> Option<String> {
    let word = kernel.instruction().filter(|_| kernel.has_tensor_cores()).map(Kind::word)?;
    is_there.then(|| format!("'{word}' decides which elements a thread has"))
}

/// What only products have: elsewhere a grid of threads shares the tile.
fn of_warps(is_there: bool, kernel: &Kernel<'_>) -> Option<String> {
    let is_product = kernel.mapping.products > 0;
    (is_there && !is_product).then(|| "'threads' and 'thread_tile' say how a tile without a product is shared".into())
}

/// The shape that an instruction of tensor cores has anyway. Tiles of `wgmma` are as wide as the instruction, or several.
fn of_shape(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let shape = plan.instruction.as_ref()?.shape.as_deref()?;
    let (columns, deep) = (i64::from(kernel.mapping.tiling.tile[1]), kernel.mapping.deep);
    match (kernel.instruction()?, shape) {
        (Kind::Mma, [16, 8, own]) if *own == deep => None,
        (Kind::Mma, _) => Some(format!("'mma' multiplies 16 rows by 8 columns, {deep} deep")),
        (Kind::Wgmma, [64, wide, own]) if *own == deep && wgmma_columns(columns) == Some(*wide) => None,
        (Kind::Wgmma, _) => {
            let wide = wgmma_columns(columns).unwrap_or(columns);
            Some(format!("'wgmma' multiplies 64 rows, {deep} deep, by as many columns as divide the tile, {wide}"))
        }
        (Kind::Fma, _) => Some("threads multiply numbers by 'fma'".into()),
    }
}

/// The most columns of a tile that `wgmma` multiplies at once, all of them in equal parts.
pub(super) fn wgmma_columns(columns: i64) -> Option<i64> {
    (8..=columns.min(WGMMA_COLUMNS)).rev().find(|wide| wide % 8 == 0 && columns % wide == 0)
}

/// Tiles of a product are along two axes of blocks, along which they can be taken in different orders.
fn of_order(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let (order, mapping) = (plan.order.as_ref()?, kernel.mapping);
    if order.kind == Walk::Hilbert {
        return Some(
            "instructions have no formula for a Hilbert curve that leaves tiles out; 'grouped' has one".into(),
        );
    }
    if order.kind == Walk::LongestFirst {
        // 'order-tiles' says why where the loops of all tiles are equally long.
        return None;
    }
    if mapping.rows.is_empty() || mapping.columns.is_empty() {
        return (order.kind != Walk::Row).then(|| "the tiles lie along one axis".into());
    }
    let along = order.along.as_deref().filter(|_| order.kind == Walk::Grouped)?;
    let has = |axes: &[Axis]| axes.iter().any(|(axis, _)| axis == along);
    match (has(&mapping.rows), has(&mapping.columns)) {
        (true, _) => None,
        (_, true) => Some("groups are of rows, and the plan wants them of columns".into()),
        _ => Some(format!("'{along}' is an axis of neither rows nor columns")),
    }
}

/// What runs alongside something else: loads in a loop ahead of its products, stores of TMA alongside the next tile.
fn of_overlap(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let overlap = plan.overlap.as_ref().filter(|overlap| overlap.enable)?;
    if (overlap.prefetch_depth.is_some() || overlap.epilogue_overlap) && kernel.matrix().is_none() {
        return of_products(true, kernel);
    }
    if plan.barrier == Some(Barrier::Block) {
        return Some("with 'barrier block' threads wait for each copy".into());
    }
    let stages = defaults::stages(plan);
    overlap
        .prefetch_depth
        .is_some_and(|depth| depth != stages && depth + 1 != stages)
        .then(|| format!("'prefetch': a ring of {stages} runs {} steps ahead", stages - 1))
}

/// Four warps multiply by `wgmma`, in each group of a role.
fn of_groups(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    if kernel.instruction() != Some(Kind::Wgmma) {
        return of_warps(plan.warps.is_some(), kernel);
    }
    let groups = plan.roles.as_ref().map_or(1, |roles| roles.consumers);
    let warps = plan.warps.as_ref()?.product();
    (warps != Some(4 * groups)).then(|| "four warps of each consumer multiply 64 rows by 'wgmma'".into())
}

/// The loop over what is in shared memory is unrolled, or not, where threads multiply.
fn of_loop(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let unroll = plan.unroll.as_ref()?;
    let Some(matrix) = kernel.matrix() else {
        // What a thread has of a tile is one fragment, whose registers are gone through in line.
        let along = |table: &Option<Table<i64>>, axis: &str| table.as_ref().map_or(1, |table| table.along(axis));
        let repeats =
            |axis: &str| plan.tile_of(axis) / (along(&plan.threads, axis) * along(&plan.thread_tile, axis)).max(1);
        let unrolled = kernel.mapping.unrolled(plan);
        let is_other = |(axis, steps): &&(String, i64)| !unrolled.contains(axis) && *steps != repeats(axis);
        let message = |axis: &str| match kernel.mapping.own.iter().find(|(own, _)| own == axis) {
            Some((_, size)) => {
                format!("a loop along '{axis}' has {size} steps, and is unrolled as a whole if that is a number")
            }
            None => format!("a thread goes {} times along '{axis}', in line", repeats(axis)),
        };
        return unroll.0.iter().find(is_other).map(|(axis, _)| message(axis));
    };
    if matrix.instruction != Kind::Fma {
        return Some("the loop over a tile of tensor cores is one instruction or a few, in line".into());
    }
    let is_partial = |(_, steps): &(String, i64)| *steps > 1 && *steps < i64::from(matrix.depth);
    unroll
        .0
        .iter()
        .any(is_partial)
        .then(|| format!("the {} steps of the loop are unrolled together or not at all", matrix.depth))
}

/// Blocks are numbered along one axis: the axis at `block.x` changes fastest, which is an order of tiles. Lanes lie along the
/// axis at `thread.x` or `lane.x` where threads multiply, warps along the columns.
fn of_places(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let mapping = kernel.mapping;
    let lanes_follow = mapping.products > 0 && !kernel.has_tensor_cores();
    let has = |axes: &[Axis], name: &str| axes.iter().any(|(axis, _)| axis == name);
    let is_so = |name: &str, place: &str| {
        let axis = name.split('.').next().unwrap_or(name);
        let (of_rows, of_columns) = (has(&mapping.rows, axis), has(&mapping.columns, axis));
        match place {
            "block.x" | "block.y" if plan.order.is_some() => order_of(plan).is_some_and(|walk| {
                let by_columns = walk == Walk::Column;
                (place == "block.x") == if by_columns { of_rows } else { of_columns }
            }),
            "block.x" | "block.y" => of_rows || of_columns,
            "block.z" => !of_rows && !of_columns,
            "warp.x" => of_columns && mapping.products > 0,
            "warp.y" => of_rows && mapping.products > 0,
            "thread.x" | "lane.x" => lanes_follow,
            _ => false,
        }
    };
    let places = plan.bind.iter().flat_map(|table| &table.0);
    let ignored: Vec<&str> =
        places.filter(|(name, place)| !is_so(name, place)).map(|(_, place)| place.as_str()).collect();
    (!ignored.is_empty()).then(|| {
        format!("tiles are counted along one axis of blocks, and warps follow from the tile ({})", ignored.join(", "))
    })
}

/// What a kernel does with a tile of a tensor.
fn of_cache(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let stages = defaults::stages(plan);
    // What does not change in the loop over the last sum has one tile.
    let last = plan
        .reduced
        .as_ref()
        .map_or(plan.tile.iter().flat_map(Table::names).last(), |axes| axes.last().map(|axis| &**axis));
    let is_in_ring = |cache: &Cache| cache.axes.iter().flatten().any(|axis| Some(axis.as_str()) == last);
    // Filters that all tiles have in common stay where they are.
    let stays =
        |cache: &Cache| plan.windowed().is_some_and(|pixels| pixels != cache.tensor) && cache.buffers == Some(1);
    let is_in_ring = |cache: &Cache| is_in_ring(cache) && !stays(cache);
    let ring: Vec<&Cache> = plan.smem_caches().filter(|cache| is_in_ring(cache)).collect();
    if plan.roles.is_some() && ring.iter().any(|cache| cache.buffers != ring[0].buffers) {
        let names: Vec<&str> = ring.iter().map(|cache| cache.tensor.as_str()).collect();
        return Some(format!(
            "tiles of {} are exchanged together, as many of each as 'buffers' of all say",
            names.join(", ")
        ));
    }
    for cache in &plan.caches {
        let tensor = &cache.tensor;
        let is_other = |count: i64| count != stages && (count > 1 || is_in_ring(cache));
        if plan.roles.is_none() && cache.buffers.is_some_and(is_other) {
            return Some(format!("without 'roles' the ring of {tensor} has 'stages' tiles, {stages}"));
        }
        if cache.transposed && kernel.has_tensor_cores() {
            return Some(format!("tensor cores read a tile of {tensor} along either axis, so it is not transposed"));
        }
        if cache.place != Place::Smem && kernel.has_tensor_cores() && cache.pingpong {
            return Some(format!("only a tile of {tensor} in shared memory can be filled while another is used"));
        }
    }
    None
}

/// How wide accesses are at most: where threads copy for tensor cores, 16 bytes as alignment allows; where they read tensors
/// themselves, what a thread has next to each other. Narrower ones are followed.
fn of_widths(widths: &[i64], kernel: &Kernel<'_>) -> Option<String> {
    let (most, why) = match (kernel.instruction(), &kernel.mapping.tiling.layout) {
        (Some(Kind::Fma), _) => return None,
        (Some(Kind::Wgmma), _) if widths.is_empty() => return None,
        (Some(Kind::Wgmma), _) => return Some("TMA copies and stores whole boxes".into()),
        (Some(Kind::Mma), _) => {
            let most = kernel.mapping.deep / 2;
            (most, format!("copies for 'mma' are of 16 bytes, {most} elements, as far as alignment allows"))
        }
        (None, Distributed::Blocked(Blocked { thread, .. })) => {
            let each = i64::from(thread.iter().copied().max().unwrap_or(1));
            (each, format!("a thread has {each} elements next to each other"))
        }
        (None, _) => return None,
    };
    widths.iter().any(|&width| width > most).then_some(why)
}

/// Every clause, in the order in which they are written.
pub const CLAUSES: &[Clause] = &[
    followed("tile", "resolve", always),
    followed("reduced", "resolve", always),
    followed("fix", "resolve", always),
    followed("assume", "resolve", always),
    followed("instruction", "resolve", of_shape),
    followed("warp_tile", "resolve", |plan, kernel| {
        let wgmma = kernel.instruction() == Some(Kind::Wgmma);
        let why = (plan.warp_tile.is_some() && wgmma).then(|| "four warps multiply 64 rows by 'wgmma'".into());
        why.or_else(|| of_warps(plan.warp_tile.is_some(), kernel))
    }),
    followed("thread_tile", "resolve", |plan, kernel| of_threads(plan.thread_tile.is_some(), kernel)),
    followed("lanes", "resolve", |plan, kernel| {
        of_threads(plan.lanes.is_some(), kernel).or_else(|| of_warps(plan.lanes.is_some(), kernel))
    }),
    followed("warps", "resolve", of_groups),
    followed("threads", "resolve", |plan, kernel| of_threads(plan.threads.is_some(), kernel)),
    followed("stages", "pipeline-stages, specialize-warps", |plan, kernel| {
        of_products(plan.stages.is_some_and(|stages| stages > 1), kernel)
    }),
    followed("unroll", "tensorize, choose-plan", of_loop),
    followed("bind", "resolve, order-tiles", of_places),
    followed("cluster", "tensorize", |plan, kernel| of_products(plan.cluster.is_some(), kernel)),
    followed("multicast", "specialize-warps", |plan, _| {
        plan.multicast.as_ref()?;
        let is_alone = plan.cluster.as_ref().and_then(Table::product) == Some(1);
        let alone = is_alone.then(|| "a cluster of one block has nobody to load for".into());
        alone.or_else(|| plan.roles.is_none().then(|| "no 'roles': threads load what they compute with".into()))
    }),
    followed("persistent", "order-tiles", always),
    followed("order", "order-tiles", of_order),
    followed("roles", "specialize-warps", |plan, kernel| of_products(plan.roles.is_some(), kernel)),
    followed("registers", "specialize-warps", |plan, _| {
        (plan.registers.is_some() && plan.roles.is_none())
            .then(|| "no 'roles': all threads have what ptxas gives them".into())
    }),
    followed("blocks_per_sm", "tensorize, order-tiles, split-reduction", always),
    followed("split_k", "resolve, tensorize, split-reduction", always),
    followed("stream_k", "split-reduction", always),
    followed("cache", "resolve, tensorize", of_cache),
    followed("policy", "insert-async-tokens", always),
    followed("swizzle", "tensorize", |plan, kernel| {
        let said = plan.swizzle.iter().flat_map(|table| &table.0);
        let is_word = |choice: &Choice| matches!(choice, Choice::Word(_));
        let by_threads = kernel.instruction() == Some(Kind::Fma) && said.into_iter().any(|(_, it)| !is_word(it));
        let why = by_threads.then(|| "rows of a tile that threads read lie apart by a pitch, not by a swizzle".into());
        why.or_else(|| of_products(plan.swizzle.is_some(), kernel))
    }),
    compared("stride"),
    followed("vectorize", "resolve, stage-stores", |plan, kernel| {
        of_widths(&plan.vectorize.iter().map(|wide| wide.width).collect::<Vec<_>>(), kernel)
    }),
    followed("vectors", "tensorize, stage-stores", |plan, kernel| {
        let wgmma = kernel.instruction() == Some(Kind::Wgmma);
        (plan.vectors.is_some() && plan.vectorize.is_none() && wgmma)
            .then(|| "TMA copies and stores whole boxes".into())
    }),
    followed("predicate_tail", "predicate-tails", always),
    followed("barrier", "insert-async-tokens", |plan, kernel| {
        of_products(plan.barrier.is_some_and(|barrier| barrier != Barrier::Block), kernel)
    }),
    followed("async", "insert-async-tokens, stage-stores", of_overlap),
    followed("in_flight", "overlap-fragments", |plan, kernel| match kernel.instruction() {
        Some(Kind::Wgmma) => (plan.in_flight? != 1)
            .then(|| "one group of wgmma is in flight where nothing reads its sums, else none".into()),
        Some(Kind::Mma) => (plan.in_flight? > 1)
            .then(|| "fragments of one product are loaded while another multiplies: 'in_flight 1'".into()),
        _ => plan.in_flight.map(|_| "only tensor cores have products in flight".into()),
    }),
    compared("edge"),
    compared("epilogue"),
    followed("store", "stage-stores", |plan, kernel| {
        let store = plan.store.as_ref()?;
        if kernel.instruction() == Some(Kind::Mma) && store.way == StoreMethod::Tma {
            return Some("only results of 'wgmma' are stored by TMA".into());
        }
        if !kernel.has_tensor_cores() && store.way != StoreMethod::Fragments {
            return Some("only results of tensor cores are stored through shared memory".into());
        }
        if store.way != StoreMethod::Tma && store.together.is_some() {
            return Some("'together': only TMA stores several panels at once".into());
        }
        (store.panels.is_some() && kernel.instruction() == Some(Kind::Mma))
            .then(|| "'panels': results of 'mma' go through all the shared memory that there is".into())
    }),
    followed("algo", "tensorize", always),
    followed("swap_operands", "resolve", |plan, kernel| of_products(plan.swap_operands, kernel)),
    followed("deterministic", "split-reduction", always),
    followed("launch_overlap", "overlap-launches", always),
];

/// The clauses of a plan that change nothing in its kernel, and why.
pub fn unfollowed(plan: &Schedule, mapping: &Mapping) -> Vec<(&'static str, String)> {
    let kernel = Kernel { mapping };
    let left = |clause: &Clause| {
        let why = (clause.left)(plan, &kernel)?;
        Some((clause.word, format!("'{}' of the plan changes nothing: {why}", clause.word)))
    };
    CLAUSES.iter().filter_map(left).collect()
}
