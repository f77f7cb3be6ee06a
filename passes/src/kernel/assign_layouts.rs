//! Chooses layouts such that accesses to memory are wide, lanes lie next to each other, and banks are not wanted twice.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Fragments that nothing binds to a layout, the layouts by which threads copy, and tiles in shared
//! memory have that of the layouts tried for which the accesses cost least; where a layout is bound, a `convert` stands
//! between it and global memory if that costs less. What is as good already stays.
//!
//! **Before**
//! ```mlir before
//! kernel.func @scale(%x: memref<[32, 128], f32, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> {
//!   %y = output : memref<[32, 128], f32, row_major, align 16>
//!   grid (1) threads 128 {
//!     %v = load %x[i0, i1] : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
//!     %w = binary add %v, %v : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
//!     store %w to %y[i0, i1]
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @scale(%x: memref<[32, 128], f32, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> {
//!   %y = output : memref<[32, 128], f32, row_major, align 16>
//!   grid (1) threads 128 {
//!     %v = load %x[i0, i1] : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//!     %w = binary add %v, %v : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//!     store %w to %y[i0, i1]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** touch fragments of matrix products, of reductions and of what else says how threads have them, other than
//! by `convert`; nor tiles of which there are parts, that lie over others, or that TMA or `wgmma` use. How
//! wide accesses are is given by `vectorize-memory`, after this.
//!
//! Costs are those of a warp: of global memory the sectors of 32 bytes that each instruction touches and four for the
//! instruction, of shared memory the wavefronts (`dlc_kernel::layout`) and one for the instruction, of barriers twenty;
//! each eight times for each loop around it. Fragments that have one layout are found by union (values of elementwise ops,
//! of loops and branches). The layouts tried have 1 to 16 elements of a thread along each axis, lanes next to each other
//! along it, and warps along the others; tiles are tried with swizzles and pitches. Rules of the debug counters:
//! `fragment`, `copy`, `convert`, `tile`.

use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, Loc, OpId};
use dlc_kernel::ops as kernel;

mod converts;
mod cost;
mod groups;
mod tiles;

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    statistics: &[
        StatDef { name: "fragments", doc: "Sets of fragments, and copies, that have another layout." },
        StatDef { name: "converts", doc: "Conversions between a bound layout and memory." },
        StatDef { name: "tiles", doc: "Tiles that have another layout." },
    ],
    ..PassDef::base("assign-layouts", "Chooses layouts of fragments and tiles by what their accesses cost.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(AssignLayouts))
}

struct AssignLayouts;

impl Pass for AssignLayouts {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        assign_layouts(body, cx);
        Ok(())
    }
}

/// Chooses the layouts of a kernel.
pub fn assign_layouts(body: &mut Body, cx: &PassCx<'_>) {
    cx.count("fragments", groups::assign(body, cx) + groups::assign_copies(body, cx));
    cx.count("converts", converts::insert(body, cx));
    cx.count("tiles", tiles::assign(body, cx));
}

/// What an op in loops counts: eight times for each.
fn weight(ctx: &Context, body: &Body, op: OpId) -> u64 {
    let around = std::iter::successors(body.parent_op(op), |&op| body.parent_op(op));
    let loops = around.filter(|&op| OpRef::new(ctx, body, op).is(kernel::For::DEF)).count();
    8u64.pow(loops.min(4) as u32)
}

/// Says that a layout is another one, and what it costs less.
fn changed(cx: &PassCx<'_>, loc: Loc, what: &str, [old, new]: [String; 2], costs: [u64; 2]) {
    if cx.wants_remarks() {
        let [before, after] = costs;
        cx.remark(RemarkKind::Passed, loc, format!("{what}: '{new}' costs {after}, where '{old}' costs {before}"));
    }
}
