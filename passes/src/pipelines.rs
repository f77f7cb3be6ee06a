//! The named pipelines: passes in order, each with what it is there for.

use dlc_ir::inventory;
use dlc_ir::pass::registry::PipelineDef;

/// A tensor program in the form that what is below likes to see.
///
/// 1. `reroll-loops`: loops over steps that were unrolled are ops of all steps, and scans.
/// 2. `canonicalize`: views that cancel or meet become one, and arithmetic that does nothing goes.
/// 3. `recognize-iota`: counters and gathers that are spelled out in views of ones.
/// 4. `fold-constants`: what else depends on constants alone is computed.
/// 5. `detect-contraction`: sums of products say which indices are multiplied and which are summed.
/// 6. `canonicalize` again: the views around a contraction meet others.
/// 7. `cse`: what is computed twice is computed once, the parts of a projection that several read among it.
/// 8. `dce`: what nothing needs any more goes.
const SIMPLIFY: &str =
    "reroll-loops,canonicalize,recognize-iota,fold-constants,detect-contraction,canonicalize,cse,dce";

static TINY_SIMPLIFY: PipelineDef = PipelineDef {
    name: "tiny-simplify",
    summary: "Simplifies a tensor program and detects its contractions.",
    text: SIMPLIFY,
    to_layer: "",
    lowering: "",
};
inventory::submit! { &TINY_SIMPLIFY }

/// The same without the fast-math flag `widen`, and without scans that add in another order: the numbers are those of the
/// program as it is written.
const EXACT: &str = "canonicalize,recognize-iota,fold-constants,detect-contraction{widen=false},canonicalize,cse,dce";

static EVALUATE: PipelineDef = PipelineDef {
    name: "evaluate",
    summary: "Simplifies a tensor program for fast evaluation. Changes no number.",
    text: EXACT,
    to_layer: "",
    lowering: "",
};
inventory::submit! { &EVALUATE }

/// From tensors to entries.
///
/// 1. `tiny-simplify`: what the entries are made from.
/// 2. `lower-indexbook`: every value says which elements of which others it is computed from.
/// 3. `align-params`: their sizes are those of the signature.
/// 4. `cse`: entries that are the same now are one.
/// 5. `dce`: what nothing reads any more goes.
const TO_BOOK: &str = "tiny-simplify,lower-indexbook,align-params{free},cse,dce";

static TINY_TO_BOOK: PipelineDef = PipelineDef {
    name: "tiny-to-book",
    summary: "Lowers a tensor program to accesses.",
    text: TO_BOOK,
    to_layer: "book",
    lowering: "lower-indexbook",
};
inventory::submit! { &TINY_TO_BOOK }

/// Kernels in normal form.
///
/// 1. `ccon1`: what a reduction alone uses is in its body, which reads directly.
/// 2. `srnf`: one reduction for each accumulator, with nothing in it that does not change.
/// 3. `normalize-select`: bounds are guards of reads.
/// 4. `sink-epilogue`: what follows a reduction stands after it, down to the yield.
/// 5. `explicit-broadcast`: outside of bodies, broadcasts are made explicit.
static REGION_NORMALIZE: PipelineDef = PipelineDef {
    name: "region-normalize",
    summary: "Brings kernels into normal form.",
    text: "ccon1,srnf{reassoc},normalize-select,sink-epilogue,explicit-broadcast",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &REGION_NORMALIZE }

/// From entries to kernels.
///
/// 1. `widen-products`: products that are summed are not rounded before.
/// 2. `fold-counts`, `recognize-scans`, `dce`: sums of a constant are products, reductions up to each position scans.
/// 3. `split-axes`: groups of channels and heads inside an axis are axes of their own.
/// 4. `split-scans`, `split-sorts`, `nest-variances`, `nest-reductions`: few rows of many elements are scanned in groups, rows
///    longer than a block sorts in groups that are merged, variances computed from those of rows, and few results of many elements
///    reduced in two steps.
/// 5. `hoist-gathers`, `order-gathers`, `dce`: tables that are computed are read at what they are computed from, and gathers have
///    the order of their tables.
/// 6. `form-regions`: what one kernel computes, and the host function that launches them.
/// 7. `join-kernels`: elementwise kernels that read the same memory are one with several results.
/// 8. `slice-inputs`: kernels that read positions of their own, such as the steps of a recurrence, are equal.
/// 9. `merge-kernels`: equal kernels, such as those of the layers of a model, are one.
/// 10. `share-axes`, `cse`: reductions that read the same elements go along the same axis.
/// 11. `widen-sums`: what kernels sum, they sum in `f32` at least.
/// 12. `ccon1`, `srnf`, `normalize-select`, `sink-epilogue`: kernels in normal form.
/// 13. `stream-softmax`: a maximum and what is summed below it in one pass.
/// 14. `stream-extrema`: a maximum and what is combined where it is reached, such as its position, in one pass.
/// 15. `chain-contractions`: what one contraction forwards to the next stays on chip.
/// 16. `merge-axes`, `share-axes`: axes that follow each other wherever memory is read are one, and reductions of rows that
///     are read along such axes, too, go along them.
/// 17. `flatten-reductions`: reductions whose last axis is short go along one axis.
/// 18. `order-buffers`: buffers between kernels end with an axis of the tiles of the product that fills them.
/// 19. `explicit-broadcast`: outside of bodies, broadcasts are made explicit.
/// 20. `cse`, `dce`: what that left twice, or left over.
/// 21. `plan-arena`: where the buffers between kernels lie.
static BOOK_TO_REGION: PipelineDef = PipelineDef {
    name: "book-to-region",
    summary: "Partitions entries into kernels in normal form, and plans the memory between them.",
    text: "widen-products,fold-counts,recognize-scans,dce,split-axes{finite},split-scans,split-sorts,nest-variances,nest-reductions,\
           hoist-gathers,order-gathers,dce,form-regions,join-kernels,slice-inputs,merge-kernels,share-axes,cse,widen-sums,ccon1,\
           srnf{reassoc},normalize-select,sink-epilogue,stream-softmax,stream-extrema,chain-contractions,merge-axes,\
           share-axes,flatten-reductions,order-buffers,explicit-broadcast,cse,dce,plan-arena",
    to_layer: "",
    lowering: "form-regions",
};
inventory::submit! { &BOOK_TO_REGION }

/// From tensors to kernels.
///
/// 1. `name-outputs`: what the results are called stays known, whatever computes them in the end.
/// 2. `tiny-to-book`: every value says where its elements live.
/// 3. `book-to-region`: kernels in normal form.
const TO_REGION: &str = "name-outputs,tiny-to-book,book-to-region";

static TINY_TO_REGION: PipelineDef = PipelineDef {
    name: "tiny-to-region",
    summary: "Partitions a tensor program into kernels in normal form, and plans the memory between them.",
    text: TO_REGION,
    to_layer: "region",
    lowering: "",
};
inventory::submit! { &TINY_TO_REGION }

/// From tensors to kernels with plans.
///
/// 1. `tiny-to-region`: kernels in normal form.
/// 2. `choose-plan`: a plan for an H200 where a kernel has none.
static TINY_TO_PLAN: PipelineDef = PipelineDef {
    name: "tiny-to-plan",
    summary: "Partitions a tensor program into kernels in normal form, and chooses plans for sm90.",
    text: "tiny-to-region,choose-plan{target=sm90}",
    to_layer: "plan",
    lowering: "",
};
inventory::submit! { &TINY_TO_PLAN }

/// From tensors to programs of blocks. What is on a layer on the way is taken from there.
///
/// 1. `tiny-to-region`: kernels in normal form.
/// 2. `add-fallback`: where a plan that is written by hand asks something of sizes, a kernel for all others.
/// 3. `tensorize`: tiles of them as blocks, loops and fragments, by their plans or by the default tiling.
/// 4. `kernel-schedule`: what plans require, and the verification.
static TINY_TO_KERNEL: PipelineDef = PipelineDef {
    name: "tiny-to-kernel",
    summary: "Lowers a tensor program to tiled kernels by their plans.",
    text: "tiny-to-region,add-fallback,tensorize,kernel-schedule",
    to_layer: "kernel",
    lowering: "",
};
inventory::submit! { &TINY_TO_KERNEL }

/// Applies the schedule in each plan; kernels without a plan are only simplified.
///
/// 1. `split-reduction`: blocks share sums.
/// 2. `fuse-loops`: loops next to each other that go through the same steps are one.
/// 3. `unroll-loops`: a loop of one step is none.
/// 4. `order-tiles`: in which order tiles are taken, and by how many blocks.
/// 5. `insert-async-tokens`: copies by themselves.
/// 6. `specialize-warps`: one thread loads, groups of others compute.
/// 7. `pipeline-stages`: where warps have no roles, loads run ahead.
/// 8. `overlap-fragments`: fragments are loaded while others are multiplied.
/// 9. `predicate-tails`: nothing is asked of sizes that is known.
/// 10. `stage-stores`: results are stored through shared memory.
/// 11. `overlap-launches`: kernels begin before those before them have ended.
/// 12. `fold-conditions`: what a pass asked of sizes that are numbers is known.
/// 13. `cse`, `dce`: what that left twice, or left over.
/// 14. `check-async`: it is verified that there is no race in shared memory and no deadlock.
static KERNEL_SCHEDULE: PipelineDef = PipelineDef {
    name: "kernel-schedule",
    summary: "Applies the plans of kernels (pipelined copies, roles of warps, asynchronous stores), and verifies the result.",
    text: "split-reduction{planned},fuse-loops{planned},unroll-loops{steps=1 max=65536 planned},\
           order-tiles{planned},insert-async-tokens{planned},specialize-warps{planned},pipeline-stages{planned},overlap-fragments{planned},\
           predicate-tails{peel=false planned},stage-stores{planned},overlap-launches,\
           fold-conditions,cse,dce,check-async",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &KERNEL_SCHEDULE }

/// From kernels to instructions.
///
/// 1. `tensorize`: tiles of them as blocks, loops and fragments, by their plans or by the default tiling.
/// 2. `kernel-schedule`: what plans require, and the verification.
/// 3. `kernel-to-ptx`: what each thread does, of kernels that are verified; that is not done twice.
/// 4. `licm`: what does not change in a loop is computed before it, where that is worth a register and they are not needed
///    for sums of products.
/// 5. `cse`, `dce`: what that left twice, or left over.
/// 6. `check-registers`: a warning where values do not fit into the registers of a thread.
static REGION_TO_PTX: PipelineDef = PipelineDef {
    name: "region-to-ptx",
    summary: "Lowers kernels to instructions by their plans. Kernels that are not verified are an error.",
    text: "tensorize,kernel-schedule,kernel-to-ptx,licm{registers=128},cse,dce,check-registers",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &REGION_TO_PTX }

/// The same for tensors of any number of elements: places in those whose sizes are symbols have 64 bits.
static REGION_TO_PTX_WIDE: PipelineDef = PipelineDef {
    name: "region-to-ptx-wide",
    summary: "Lowers kernels to instructions by their plans, with 64-bit indices for tensors of any size.",
    text: "tensorize,kernel-schedule,kernel-to-ptx{index=64},licm{registers=128},cse,dce,check-registers",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &REGION_TO_PTX_WIDE }

/// From tensors to instructions. What is on a layer on the way, or below, is taken from there.
///
/// 1. `tiny-to-region`: kernels in normal form.
/// 2. `add-fallback`: where a plan that is written by hand asks something of sizes, a kernel for all others.
/// 3. `region-to-ptx`: instructions.
static TINY_TO_PTX: PipelineDef = PipelineDef {
    name: "tiny-to-ptx",
    summary: "Lowers a tensor program to instructions, with the default tiling where there is no plan.",
    text: "tiny-to-region,add-fallback,region-to-ptx",
    to_layer: "ptx",
    lowering: "",
};
inventory::submit! { &TINY_TO_PTX }

/// The same, with plans for an A100 next to the kernels that have none.
static TINY_TO_PTX_SM80: PipelineDef = PipelineDef {
    name: "tiny-to-ptx-sm80",
    summary: "Lowers a tensor program to instructions by plans for sm80, which later targets run too.",
    text: "tiny-to-region,choose-plan{target=sm80},add-fallback,region-to-ptx",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &TINY_TO_PTX_SM80 }

/// The same, with plans for an H200.
static TINY_TO_PTX_SM90: PipelineDef = PipelineDef {
    name: "tiny-to-ptx-sm90",
    summary: "Lowers a tensor program to instructions by plans for sm90.",
    text: "tiny-to-region,choose-plan{target=sm90},add-fallback,region-to-ptx",
    to_layer: "",
    lowering: "",
};
inventory::submit! { &TINY_TO_PTX_SM90 }
