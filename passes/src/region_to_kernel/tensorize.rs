//! Lowers a region to a tiled kernel according to its plan: tiles of the axes become blocks, loops and fragments, and a
//! matrix product becomes a loop around the plan's instruction. The kernel is synchronous and correct without other passes.
//!
//! **Requires**: region.
//! **Ensures**: kernel. A function of axes is a kernel of the same name and signature. Every access is guarded by the sizes,
//! so that one kernel is right for all of them.
//!
//! **Before**
//! ```mlir before
//! region.func @rows<M, N> iters (m: M) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @rows<M, N>(%X: memref<[M, N], f32, row_major, align 16>) -> memref<[M], f32, row_major, align 16> {
//!   %Y = output : memref<[M], f32, row_major, align 16>
//!   grid (M ceildiv 4) threads 128 {
//!     %tile = block_id 0
//!     %0 = const 0.0 : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!     %1 = for %n = 0 to N step 256 carry (%2 = %0) : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]> {
//!       %x = load %X[4*%tile + i0, %n + i1] where (4*%tile + i0 < M, %n + i1 < N) : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!       %3 = binary add %2, %x : frag<[4, 256], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
//!       yield %3
//!     }
//!     %s = reduce sum %1 along 1 : frag<[4], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [4, 1])>
//!     store %s to %Y[4*%tile + i0] where (4*%tile + i0 < M)
//!   }
//!   return %Y
//! }
//! ```
//!
//! **Does not** overlap anything, nor choose a plan: without one it takes the default tiling, which every target can run. Accumulators of a
//! reduction that a region combines are taken one position at a time.
//!
//! Axes of the result become those of blocks, flattened: the axes of a product's left operand as rows, those of its right
//! one as columns, those of both as the blocks' number; without a product the last axis as columns. Where a plan says the
//! tile, columns are those with the last axis of the result, and pixels that TMA takes are a run over all images. Axes that
//! are reduced become loops, and so do those that are both; several in one loop are in the order in which memory has them.
//! Fragments have two axes: rows, and columns or a tile of what is reduced.
//! What no threads share is reduced by each for its own elements, position by position, by a planned tile too if that has one
//! position of each axis that is reduced: axes of the results of which it has one are then axes of blocks.
//! Where adjacent elements have results of their own, lanes lie next to each other along these and warps share the axis
//! that is reduced.
//! Scans go along an axis by tiles, one after another, with running values in registers; the lanes of a warp and the warps of
//! a block share a tile, along rows or columns (`scan`).
//! Rows that are sorted, or groups of their positions, are held whole by the warps of a block, or each by the lanes of one
//! (`sort`).
//! Rows that are reduced and then read again are held whole where they fit: where their length is a number, or the plan keeps
//! them in registers, with as many warps for each as it says. So are the rows of a product that are reduced next, in its
//! fragments, where their length is a number: columns beyond it are the identity of what combines them. Divided by what a whole row has in common, it is multiplied by
//! one over that.
//! Weights of an online softmax are computed from scores by one product with an
//! addition and one power; what scores are multiplied by goes into that, and sums are weighted again only where a maximum has
//! grown by much (`exp2_softmax`). What is read for the sums between two products of `wgmma` goes through shared memory where the
//! plan has a tile of it there.
//! Where a factor of a product is zero on one side of a diagonal, the loop leaves out the steps in which it is zero all over,
//! and threads put zeros into the tiles that the diagonal goes through (`zeros`).
//! Where guards of the factors compare an axis of which tiles have one position with a reduced one, as the phases of a strided
//! transposed convolution with the taps of its window, blocks next to each other are along that axis, and the loop over the
//! taps leaves out those that are zero for the whole tile (`taps`).
//! A sum that is marked `any_order`, or a sum, maximum or minimum of integers, of elements each of which counts where a value
//! is the position on an axis, has two grids: the first combines each element with memory in one step (`store combine`), the
//! second reads what they combine to and does the rest. Before maxima and minima a grid stores what they begin with. A plan
//! with a tile keeps it a reduction.
//! A value is made where it is first needed, in the innermost loop that it depends on. See `lower`, `contract`, `tiling`.
//! By a plan, a copy to shared memory stands in the innermost loop that its positions depend on: the left matrix of the first of
//! two back-to-back products is loaded once for a tile of results.
//! Where the plan divides a reduction whose accumulators a region combines, as those of an online softmax (`split_k`), the
//! kernel has two grids: each block of the first does a part of the axis and leaves its accumulators in memory, and the second
//! combines the parts by the same region, in order, and does the rest, by tiles of its own (flash-decoding, Dao and others,
//! 2023). A part without elements leaves what changes nothing. What one function combines `split-reduction` divides.
//! Where the plan keeps windows of pixels in shared memory, a step of the sum copies whole rows of pixels once and multiplies
//! them at each place of the window, from another pixel on (`window`).
//! Axes of which a plan's tile has one position, others of its kind having more, are gone over one by one, by blocks and
//! loops. Blocks of a cluster have neighbouring tiles. What the plan assumes of sizes, and what TMA will need of them,
//! the kernel requires.
//! Linear in the ops of the region, but for values that several loops need, each of which makes its own.

pub(crate) mod axes;
mod contract;
mod copies;
mod emit;
mod exp2_softmax;
mod grid;
mod lower;
mod mask;
mod padding;
mod placed;
mod reduce;
mod report;
mod scan;
mod sort;
pub(crate) mod stream;
mod window;
mod zeros;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::scalar::Combiner;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{BlockId, Builder, Context, Str, TypeData, ValueId};
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::check::CONFLICT;
use dlc_region::ops::Func;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::FxHashMap;

use crate::analysis::conditions::{STAGGER, staggered};
use crate::analysis::plans::{architecture, machines, plan_of, second_plan};
use crate::plan::compare::with_widths;
use crate::plan::mapping::Mapping;
use crate::plan::parts::Parts;
use crate::plan::report::{not_followed, refused};
use crate::plan::resolved::{Refused, ResolvedPlan, resolve};
use crate::plan::scattered::Scattered;
use crate::plan::tiling::Tiling;
use axes::LowerError;
use emit::Emit;
use grid::{Divided, Notes, Piece, grid};

dlc_ir::codes! {
    /// A region cannot be made into a kernel.
    NOT_A_KERNEL = "E1710" "NotAKernel";
}

static DEF: PassDef = PassDef {
    options: &[
        OptionDef {
            name: "instruction",
            kind: OptionKind::Choice(&["mma", "fma"]),
            default: "mma",
            doc: "What multiplies 16-bit floats where no plan says.",
        },
        OptionDef {
            name: "finite",
            kind: OptionKind::Bool,
            default: "true",
            doc: "Whether floats are finite, so that steps of a product in which a factor is zero are left out.",
        },
    ],
    statistics: &[
        StatDef { name: "kernels", doc: "Kernels made." },
        StatDef { name: "products", doc: "Kernels with a product of matrices." },
    ],
    requires: &["region"],
    adds: &["kernel"],
    removes: &["region"],
    consults: &["plan"],
    reads_symbols: true,
    ..PassDef::base("tensorize", "Lowers a region to a tiled kernel according to its plan.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let tensor_cores = options.text("instruction") == "mma";
    Ok(Box::new(Tensorize { tensor_cores, finite: options.flag("finite") }))
}

struct Tensorize {
    tensor_cores: bool,
    finite: bool,
}

/// Why a product of a kernel whose tiles are rows is computed element by element.
const OTHER_ROWS: &str = "its kernel reduces rows of the results, too, element by element";

impl Pass for Tensorize {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        // What launches kernels is on the layer with them.
        let is_region = Func::of(OpRef::new(cx.ctx, body, body.root())).is_some();
        if !is_region || body.entry_block().is_none() {
            return Ok(());
        }
        if let Some(loc) = second_plan(cx, body) {
            let root = OpRef::new(cx.ctx, body, body.root());
            let message = format!("@{} has a plan before this one", root.symbol_name().unwrap_or_default());
            let error =
                Diagnostic::error(&CONFLICT, loc, message).at(Schedule::OP).note(root.loc(), "the kernel is here");
            return Err(cx.fail(error.suggest("leave one of them out: a kernel follows one plan")));
        }
        let plan = plan_of(cx, body);
        let targets = plan.as_ref().map(|plan| machines(cx, plan)).unwrap_or_default();
        let resolved = resolve(cx.ctx, body, plan.as_deref(), &targets, self.tensor_cores);
        let not_held = resolved.as_ref().ok().and_then(|resolved| match &resolved.not_held {
            Some(why) => Some(format!("its rows are reduced next, and no tile holds them: {why}")),
            None => resolved.mapping.is_of_rows.then(|| OTHER_ROWS.to_string()),
        });
        if let Ok(resolved) = &resolved {
            let at = (body.loc(body.root()), Func::DEF.name);
            let has_tile = plan.as_ref().is_some_and(|plan| plan.tile.is_some());
            if has_tile && !resolved.mapping.is_planned {
                let message =
                    "the tile of the plan is not followed: the kernel has reductions that only the default tile is for";
                not_followed(cx, body, plan.as_deref(), &["tile"], at, message.into());
            }
            for (word, message) in &resolved.unfollowed {
                not_followed(cx, body, plan.as_deref(), &[word], at, message.clone());
            }
        }
        let made = resolved.and_then(|resolved| Ok(tensorize(cx.ctx, body, plan.as_deref(), resolved, self.finite)?));
        let Made { body: mut made, tiling, mut missed, multiplied } = match made {
            Ok(made) => made,
            Err(Refused::TooLarge) => return Err(too_large(body, cx)),
            Err(Refused::Plan(broken, near)) => {
                return Err(cx.fail(refused(cx, body, broken, near)));
            }
        };
        let at = (body.loc(body.root()), Func::DEF.name);
        let explicit = plan.as_deref().map(|plan| with_widths(cx.ctx, body, plan));
        if let Some(plan) = explicit {
            missed.extend(placed::limit_widths(cx.ctx, &mut made, &plan));
            missed.extend(placed::unfollowed(cx.ctx, &made, &plan));
        }
        for (clause, why) in missed {
            not_followed(cx, body, plan.as_deref(), &[&clause], at, why);
        }
        report::report(body, plan.as_deref(), not_held.as_deref(), &multiplied, cx);
        cx.count("kernels", 1);
        cx.count("products", tiling.matrix.is_some().into());
        body.replace_with(made);
        Ok(())
    }
}

fn too_large(body: &Body, cx: &PassCx<'_>) -> PassFailed {
    let message = "the positions of this kernel's blocks go beyond 64 bits";
    cx.fail(Diagnostic::error(&NOT_A_KERNEL, body.loc(body.root()), message).at(Func::DEF.name))
}

/// A kernel that was made.
struct Made {
    body: Body,
    tiling: Tiling,
    /// What the plan says and is not done, and why.
    missed: Vec<(String, String)>,
    /// The products that tiles of the kernel multiply.
    multiplied: Vec<report::Multiplied>,
}

/// A region as a kernel: a grid, or two where blocks share a reduction.
fn tensorize(
    ctx: &Context,
    region: &Body,
    plan: Option<&Schedule>,
    resolved: ResolvedPlan,
    finite: bool,
) -> Result<Made, LowerError> {
    let ResolvedPlan { mapping, requires, register_resident, parts, scattered, .. } = resolved;
    let tiling = mapping.tiling.clone();
    let Frame { body, block, memory, outputs } = frame(ctx, region, plan, requires);
    let mut notes = Notes::default();
    let mut emit = Emit::new(ctx, body, block, region.loc(region.root()));
    let (part, unrolled) = (None, Vec::new());
    let piece = Piece {
        region,
        plan,
        mapping,
        register_resident,
        memory,
        outputs: &outputs,
        part,
        scattered: None,
        unrolled,
        finite,
    };
    match (parts, scattered) {
        (_, Some((scattered, mappings))) => emit = scatter(ctx, emit, piece, (&scattered, *mappings), &mut notes)?,
        (None, None) => emit = grid(ctx, emit, piece, &mut notes)?,
        (Some((parts, mapping)), None) => {
            let made: Vec<ValueId> = parts.memories.iter().map(|(name, ty)| emit.workspace(*ty, name)).collect();
            let mut memory = piece.memory.clone();
            let args = parts.combine.entry_block().map_or(&[][..], |entry| parts.combine.args(entry));
            memory.extend(args.iter().copied().rev().zip(made.iter().copied().rev()));
            let Parts { reduce, ref axis, count, .. } = parts;
            let is_scale = exp2_softmax::is_asked_nothing(ctx, region, region.result(reduce, 0));
            let is_commutative = parts.is_commutative;
            let part = Some(Divided { reduce, axis: axis.clone(), count, is_commutative, is_scale });
            emit = grid(ctx, emit, Piece { region: &parts.partial, outputs: &made, part, ..piece }, &mut notes)?;
            let (region, mapping, unrolled) = (&parts.combine, *mapping, parts.unrolled());
            let (plan, register_resident, part) = (None, Vec::new(), None);
            let scattered = None;
            let piece = Piece {
                region,
                plan,
                mapping,
                register_resident,
                memory,
                outputs: &outputs,
                part,
                scattered,
                unrolled,
                finite,
            };
            emit = grid(ctx, emit, piece, &mut notes)?;
        }
    }
    let loc = emit.loc;
    kernel::Return::build(&mut emit.builder(), loc, &outputs);
    emit.check_layouts()?;
    let Notes { mut missed, staggered: known, multiplied } = notes;
    for (axis, _) in plan.map(staggered).unwrap_or_default() {
        if !known.contains(&axis) {
            let message =
                format!("'{STAGGER}{axis}': no product with tiles in shared memory is summed along '{axis}' alone");
            missed.push((format!("algo {STAGGER}{axis}"), message));
        }
    }
    Ok(Made { body: emit.body, tiling, missed, multiplied })
}

/// The grids of elements that go to positions that are data: what is there before them, unless memory is new and zeros are
/// that; the elements; and the rest, unless what they combine to is the result.
fn scatter<'c>(
    ctx: &'c Context,
    mut emit: Emit<'c>,
    piece: Piece<'_>,
    (scattered, [of_fill, of_rest]): (&Scattered, [Mapping; 2]),
    notes: &mut Notes,
) -> Result<Emit<'c>, LowerError> {
    let Scattered { combiner, fill, elements, rest, memory: (name, ty), .. } = scattered;
    let same = |value: ValueId| {
        let (own, sums) = (MemRef::expect(ctx, emit.body.value_type(value)), MemRef::expect(ctx, *ty));
        (own.dims(ctx), own.elem(ctx), own.layout(ctx)) == (sums.dims(ctx), sums.elem(ctx), sums.layout(ctx))
    };
    let result = piece.outputs.first().copied().filter(|&result| scattered.is_result && same(result));
    let sums = result.unwrap_or_else(|| emit.scratch(*ty, name));
    let alone = |region, mapping, memory, outputs| Piece {
        region,
        plan: None,
        mapping,
        register_resident: Vec::new(),
        memory,
        outputs,
        part: None,
        scattered: None,
        unrolled: Vec::new(),
        finite: piece.finite,
    };
    let own = [sums];
    if result.is_some() || *combiner != Combiner::Sum {
        emit = grid(ctx, emit, alone(fill, of_fill, piece.memory.clone(), &own), notes)?;
    }
    let mut memory = piece.memory.clone();
    let last = rest.entry_block().and_then(|entry| rest.args(entry).last().copied());
    memory.extend(last.map(|argument| (argument, sums)));
    let rest = result.is_none().then(|| alone(rest, of_rest, memory, piece.outputs));
    let piece = Piece { region: elements, plan: None, outputs: &own, scattered: Some(scattered), ..piece };
    emit = grid(ctx, emit, piece, notes)?;
    match rest {
        Some(rest) => grid(ctx, emit, rest, notes),
        None => Ok(emit),
    }
}

/// A kernel without grids.
struct Frame {
    body: Body,
    block: BlockId,
    /// The memory for each argument of the region.
    memory: FxHashMap<ValueId, ValueId>,
    outputs: Vec<ValueId>,
}

/// The function of a kernel: its arguments, what it requires, and memory for its results.
fn frame(ctx: &Context, region: &Body, plan: Option<&Schedule>, mut requires: Vec<Condition>) -> Frame {
    let root = OpRef::new(ctx, region, region.root());
    let (func, entry) = (Func::from(root), region.entry_block().expect("what is run on has a body"));
    let (axes, loc) = (KernelAxes::of(ctx, region), root.loc());
    let mut body = Body::new(ctx.op_name(kernel::Func::DEF.name), loc, 1);
    let block = body.append_block(body.root_region());
    let TypeData::Function { inputs, results } = ctx.type_data(func.function_type()) else {
        unreachable!("the verifier admits only types of functions");
    };
    let mut memory = FxHashMap::default();
    for (&arg, &ty) in region.args(entry).iter().zip(inputs.iter()) {
        let made = body.add_arg(block, ty, region.loc(region.root()));
        body.set_value_name(made, region.value_name(arg));
        memory.insert(arg, made);
    }
    requires.extend(not_empty(ctx, region, &axes, entry));
    if !requires.is_empty() {
        kernel::Require::build(&mut Builder::at_end(ctx, &mut body, block), loc, &[], Guard::all(requires));
    }
    let mut outputs: Vec<ValueId> = Vec::new();
    for (&ty, name) in results.iter().zip(func.outputs()) {
        let op = kernel::Output::build(&mut Builder::at_end(ctx, &mut body, block), loc, ty);
        let value = body.result(op, 0);
        body.set_value_name(value, ctx.intern_str(name));
        outputs.push(value);
    }
    let mut props: Vec<_> =
        [Str::SYM_NAME, Str::FUNCTION_TYPE, Str::SYM_VISIBILITY, Str::SYMBOLS, ctx.intern_str("arg_attrs")]
            .into_iter()
            .filter_map(|key| Some((key, root.prop(key)?)))
            .collect();
    if let Some(target) = plan.and_then(architecture) {
        props.push((ctx.intern_str("target"), ctx.str_attr(target)));
    }
    props.sort_by_key(|&(key, _)| ctx.str(key));
    body.set_props(body.root(), ctx.dict_attr(&props));
    body.set_attrs(body.root(), region.attrs(region.root()));
    Frame { body, block, memory, outputs }
}

/// That axes of the kernel that some result has not have elements: blocks and loops go over them, and write that result too.
fn not_empty(ctx: &Context, region: &Body, axes: &KernelAxes, entry: dlc_ir::BlockId) -> Vec<Condition> {
    let end = lower::end_of(ctx, region, entry);
    let results: Vec<Vec<&str>> = end.values().map(|value| axes_of(ctx, region.value_type(value))).collect();
    let iters = axes.names.iter().zip(&axes.sizes).take(axes.iters);
    let left_out = iters.filter(|(name, _)| results.iter().any(|axes| !axes.contains(&name.as_str())));
    let open = left_out.filter(|(_, size)| size.as_constant().is_none());
    open.filter_map(|(_, size)| Condition::of(size, ">=", &1.into())).collect()
}
