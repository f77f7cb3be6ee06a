//! The table of clauses: for each, what reads it, and when it does not apply.
//!
//! A clause is followed by its reader, compared with the region or the target by [`resolve`](super::resolved::resolve), or
//! reported here. What a plan for one target asks for and its kernel cannot use is a warning; in a plan for several it is a
//! remark, as one of them may use it.

use dlc_plan::Schedule;
use dlc_plan::clause::{Barrier, Buffer, Place, Way};
use dlc_plan::value::Choice;

use super::resolved::Mapping;
use super::tiling::{Instruction, Tiling};
use crate::analysis::conditions::STAGGER;

/// A clause of a plan.
pub struct Clause {
    /// Its word.
    pub word: &'static str,
    /// What reads it: a pass, or `resolve` where it is checked.
    pub reader: &'static str,
    /// Why it changes nothing in a plan, if it does not.
    left: fn(&Schedule, &Kernel<'_>) -> Option<String>,
}

/// What a clause is for.
pub struct Kernel<'a> {
    tiling: &'a Tiling,
    /// How many products it has.
    products: usize,
    /// How many elements an instruction of tensor cores is deep.
    deep: i64,
}

impl Kernel<'_> {
    fn instruction(&self) -> Option<Instruction> {
        self.tiling.matrix.as_ref().map(|matrix| matrix.instruction)
    }
}

const fn row(word: &'static str, reader: &'static str, left: fn(&Schedule, &Kernel<'_>) -> Option<String>) -> Clause {
    Clause { word, reader, left }
}

/// Always followed, or refused.
fn always(_: &Schedule, _: &Kernel<'_>) -> Option<String> {
    None
}

/// Of use for products of tensor cores alone.
fn of_products(is_there: bool, kernel: &Kernel<'_>) -> Option<String> {
    (is_there && kernel.tiling.matrix.is_none()).then(|| "the kernel has no product with tiles in shared memory".into())
}

/// Which elements a thread has, the instruction decides.
fn of_threads(is_there: bool, kernel: &Kernel<'_>) -> Option<String> {
    let word = match kernel.instruction()? {
        Instruction::Fma => return None,
        Instruction::Mma => "mma",
        Instruction::Wgmma => "wgmma",
    };
    is_there.then(|| format!("'{word}' decides which elements a thread has"))
}

/// The shape that an instruction of tensor cores has anyway. Tiles of `wgmma` are as wide as the instruction, or several.
fn of_shape(plan: &Schedule, kernel: &Kernel<'_>) -> Option<String> {
    let shape = plan.instruction.as_ref()?.shape.as_deref()?;
    let (columns, deep) = (i64::from(kernel.tiling.tile[1]), kernel.deep);
    match (kernel.instruction()?, shape) {
        (Instruction::Mma, [16, 8, own]) if *own == deep => None,
        (Instruction::Mma, _) => Some(format!("'mma' multiplies 16 rows by 8 columns, {deep} deep")),
        (Instruction::Wgmma, [64, wide, own]) if *own == deep && *wide > 0 && columns % wide == 0 => None,
        (Instruction::Wgmma, _) => {
            Some(format!("'wgmma' multiplies 64 rows, {deep} deep, by columns that divide the {columns} of the tile"))
        }
        (Instruction::Fma, _) => Some("threads multiply numbers by 'fma'".into()),
    }
}

/// Ways to load that a word of `algo` may name.
const LOADS: [&str; 2] = ["padded", "im2col"];

/// Every clause, in the order in which they are written.
pub const CLAUSES: &[Clause] = &[
    row("tile", "resolve", always),
    row("reduced", "resolve", always),
    row("fix", "resolve", always),
    row("assume", "resolve", always),
    row("instruction", "resolve", of_shape),
    row("warp_tile", "resolve", |plan, kernel| {
        let wgmma = kernel.instruction() == Some(Instruction::Wgmma);
        (plan.warp_tile.is_some() && wgmma).then(|| "four warps multiply 64 rows by 'wgmma'".into())
    }),
    row("thread_tile", "resolve", |plan, kernel| of_threads(plan.thread_tile.is_some(), kernel)),
    row("lanes", "resolve", |plan, kernel| of_threads(plan.lanes.is_some(), kernel)),
    row("warps", "resolve", always),
    row("threads", "resolve", |plan, kernel| of_threads(plan.threads.is_some(), kernel)),
    row("stages", "pipeline-stages, specialize-warps", |plan, kernel| {
        of_products(plan.stages.is_some_and(|stages| stages > 1), kernel)
    }),
    row("unroll", "tensorize, choose-plan", |plan, kernel| {
        let fma = kernel.instruction() == Some(Instruction::Fma);
        (plan.unroll.is_some() && kernel.tiling.matrix.is_some() && !fma)
            .then(|| "the loop over a tile of tensor cores is one instruction or a few, in line".into())
    }),
    row("bind", "resolve", |plan, kernel| {
        let places = plan.bind.iter().flat_map(|table| &table.0);
        // Lanes of a product lie as the plan binds the first axis of threads, unless the instruction says how.
        let tensor_cores = matches!(kernel.instruction(), Some(Instruction::Mma | Instruction::Wgmma));
        let lanes_follow = kernel.products > 0 && !tensor_cores;
        let places = places.map(|(_, place)| place.as_str());
        let ignored: Vec<&str> = places.filter(|place| *place != "thread.x" || !lanes_follow).collect();
        (!ignored.is_empty()).then(|| {
            format!(
                "tiles are counted along one axis of blocks, and warps follow from the tile ({})",
                ignored.join(", ")
            )
        })
    }),
    row("cluster", "tensorize", |plan, kernel| of_products(plan.cluster.is_some(), kernel)),
    row("multicast", "specialize-warps", |plan, _| {
        (plan.multicast.is_some() && plan.roles.is_none())
            .then(|| "no 'roles': threads load what they compute with".into())
    }),
    row("persistent", "order-tiles", always),
    row("order", "order-tiles", always),
    row("roles", "specialize-warps", |plan, _| {
        plan.roles.as_ref()?.start.map(|_| "consumers begin one tile apart, whatever 'start' is".into())
    }),
    row("registers", "specialize-warps", |plan, _| {
        (plan.registers.is_some() && plan.roles.is_none())
            .then(|| "no 'roles': all threads have what ptxas gives them".into())
    }),
    row("blocks_per_sm", "tensorize", always),
    row("split_k", "split-reduction", always),
    row("stream_k", "split-reduction", always),
    row("cache", "resolve, tensorize", |plan, _| {
        let at = plan.caches.iter().find(|cache| cache.at.is_some() && cache.place == Place::Reg);
        if let Some(cache) = at {
            return Some(format!("'at' of {}: registers hold what the whole block needs of it", cache.tensor));
        }
        let keep = plan.caches.iter().find(|cache| cache.keep.is_some())?;
        Some(format!("'as' of {}: registers keep the type that memory has", keep.tensor))
    }),
    row("policy", "insert-async-tokens", always),
    row("swizzle", "tensorize", |plan, kernel| of_products(plan.swizzle.is_some(), kernel)),
    row("stride", "resolve", always),
    row("vectorize", "resolve", |plan, _| {
        plan.vectorize.as_ref().map(|_| "accesses are as wide as alignment and sizes allow".into())
    }),
    row("vectors", "tensorize, coalesce-stores", |plan, kernel| {
        let wgmma = kernel.instruction() == Some(Instruction::Wgmma);
        (plan.vectors.is_some() && wgmma).then(|| "TMA copies and stores whole boxes".into())
    }),
    row("predicate_tail", "predicate-tails", always),
    row("barrier", "insert-async-tokens", |plan, kernel| {
        of_products(plan.barrier.is_some_and(|barrier| barrier != Barrier::Block), kernel)
    }),
    row("async", "insert-async-tokens, overlap-epilogue", |plan, _| {
        let overlap = plan.overlap.as_ref()?;
        if overlap.enable && plan.barrier == Some(Barrier::Block) {
            return Some("with 'barrier block' threads wait for each copy".into());
        }
        if overlap.chain_overlap.is_some_and(|ahead| ahead > 0) {
            return Some("'overlap_chain': a product is waited for before the next one of its chain begins".into());
        }
        let (depth, stages) = (overlap.prefetch_depth?, super::defaults::stages(plan));
        (overlap.enable && depth != stages && depth + 1 != stages)
            .then(|| format!("'prefetch': a ring of {stages} runs {} steps ahead", stages - 1))
    }),
    row("in_flight", "overlap-fragments", |plan, kernel| match kernel.instruction() {
        Some(Instruction::Wgmma) => (plan.in_flight? != 1)
            .then(|| "one group of wgmma is in flight where nothing reads its sums, else none".into()),
        Some(Instruction::Mma) => None,
        _ => plan.in_flight.map(|_| "only tensor cores have products in flight".into()),
    }),
    row("edge", "resolve", |plan, _| {
        let ring = plan.edges.iter().find(|edge| edge.buffer == Buffer::SmemRing)?;
        Some(format!("'{}' goes on in registers, or through one tile", ring.from))
    }),
    row("epilogue", "resolve", always),
    row("store", "overlap-epilogue, coalesce-stores", |plan, kernel| {
        let store = plan.store.as_ref()?;
        if store.per_warp {
            return Some("'per_warp': four warps store together".into());
        }
        let tensor_cores = matches!(kernel.instruction(), Some(Instruction::Mma | Instruction::Wgmma));
        (!tensor_cores && store.way != Way::Fragments)
            .then(|| "only results of tensor cores are stored through shared memory".into())
    }),
    row("algo", "tensorize", |plan, _| {
        let words = plan.algo.iter().flat_map(|table| &table.0);
        let is_known = |(name, word): &&(String, Choice)| match word {
            Choice::Word(word) => name.starts_with("load_") && LOADS.contains(&word.as_str()),
            Choice::Number(_) => name.starts_with(STAGGER),
        };
        let (name, _) = words.into_iter().find(|word| !is_known(word))?;
        Some(format!("no pass has a choice called '{name}'"))
    }),
    row("swap_operands", "resolve", |plan, kernel| of_products(plan.swap_operands, kernel)),
    row("deterministic", "split-reduction", always),
    row("launch_overlap", "resolve", |plan, _| {
        plan.launch_overlap.then(|| "a kernel begins when the one before it has ended".into())
    }),
];

/// The clauses of a plan that change nothing in its kernel, and why.
pub fn unfollowed(plan: &Schedule, mapping: &Mapping) -> Vec<(&'static str, String)> {
    let kernel = Kernel { tiling: &mapping.tiling, products: mapping.products, deep: mapping.deep };
    CLAUSES.iter().filter_map(|clause| Some((clause.word, (clause.left)(plan, &kernel)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_has_a_row() {
        let words: Vec<&str> = CLAUSES.iter().map(|clause| clause.word).collect();
        assert_eq!(words, Schedule::WORDS);
        assert!(CLAUSES.iter().all(|clause| !clause.reader.is_empty()));
    }
}
