//! Copies to shared memory what does not change from step to step of a loop once, before the loop.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. No loop has a copy to shared memory whose positions are the same in all of its steps, if the tile
//! is written by that copy alone and read in the loop alone, and its threads meet before they go on.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums(%x: memref<[32, 32], f32>, %y: memref<[8, 32], f32>) -> memref<[32, 32], f32> {
//!   %z = output : memref<[32, 32], f32>
//!   grid (1) threads 128 {
//!     %tile = shared : tile<[32, 32], f32, row_major>
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       copy %x[i0, i1] to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
//!       barrier
//!       %v = load_shared %tile transposed : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %w = load %y[%k, i1] : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %p = binary mul %v, %w : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %s = binary add %acc, %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       barrier
//!       yield %s
//!     }
//!     store %sum to %z[i0, i1]
//!   }
//!   return %z
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sums(%x: memref<[32, 32], f32>, %y: memref<[8, 32], f32>) -> memref<[32, 32], f32> {
//!   %z = output : memref<[32, 32], f32>
//!   grid (1) threads 128 {
//!     %tile = shared : tile<[32, 32], f32, row_major>
//!     %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!     copy %x[i0, i1] to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
//!     barrier
//!     %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
//!       barrier
//!       %v = load_shared %tile transposed : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %w = load %y[%k, i1] : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %p = binary mul %v, %w : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       %s = binary add %acc, %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//!       barrier
//!       yield %s
//!     }
//!     store %sum to %z[i0, i1]
//!   }
//!   return %z
//! }
//! ```
//!
//! **Does not** move copies that stand in conditions, or of memory that the kernel writes; nor does it take barriers away.
//! A loop that runs not at all copies for nothing then.
//!
//! Of a product of a product, as in attention, the left matrix is the same for all steps: it is loaded once for a tile of
//! results. Loops are taken from the inside out, so that a copy leaves as many as it can. Rule of the debug counters:
//! `hoist`.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionDef, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId};
use dlc_kernel::ops as kernel;

use crate::analysis::axes::ancestor_in;
use crate::analysis::nesting::{block_of, needed};
use crate::analysis::plans::{PLANNED, plan_of};
use crate::analysis::tiles::{Tiles, is_barrier, may_overlap, tile_of, with_inner};

const OPTIONS: &[OptionDef] = &[PLANNED];

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    options: OPTIONS,
    statistics: &[StatDef { name: "hoisted", doc: "Copies that a loop no longer does in each step." }],
    ..PassDef::base("hoist-copies", "Copies to shared memory once what is the same in all steps of a loop.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(HoistCopies { planned: options.flag("planned") }))
}

struct HoistCopies {
    planned: bool,
}

impl Pass for HoistCopies {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        if !self.planned || plan_of(cx, body).is_some() {
            cx.count("hoisted", hoist_copies(body, cx));
        }
        Ok(())
    }
}

/// Moves copies out of the loops of a kernel. How many moves.
pub fn hoist_copies(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let is_loop = |&op: &OpId| kernel::For::of(OpRef::new(ctx, body, op)).is_some();
    let loops: Vec<OpId> = body.walk().into_iter().filter(is_loop).collect();
    let mut moved = 0;
    // An op comes before those in its regions: backwards is from the inside out.
    for loop_ in loops.into_iter().rev() {
        let Some(block) = block_of(ctx, body, loop_) else { continue };
        let is_copy = |&op: &OpId| kernel::Copy::of(OpRef::new(ctx, body, op)).is_some();
        let copies: Vec<OpId> = body.ops(block).filter(is_copy).collect();
        for copy in copies {
            match leaves(ctx, body, loop_, copy) {
                Some(with) if cx.allows_rule("hoist") => {
                    cx.remark(RemarkKind::Passed, body.loc(copy), "this is copied once, before the loop".to_string());
                    hoist(ctx, body, (loop_, copy), &with);
                    moved += 1;
                }
                _ => {}
            }
        }
    }
    moved
}

/// The pure ops of a loop that a copy needs, if it can leave the loop.
fn leaves(ctx: &Context, body: &Body, loop_: OpId, copy: OpId) -> Option<Vec<OpId>> {
    let view = |op: OpId| OpRef::new(ctx, body, op);
    let block = block_of(ctx, body, loop_)?;
    let own = kernel::Copy::of(view(copy))?;
    // What a loop counts and carries changes.
    let with = needed(ctx, body, &[copy], &[])?;
    let changes = |&op: &OpId| body.operands(op).any(|value| body.args(block).contains(&value));
    let tile = tile_of(ctx, body, own.tile())?;
    if with.iter().chain([&copy]).any(changes) || may_overlap(ctx, body, tile) || own.stage().is_some() {
        return None;
    }
    let inside = with_inner(body, loop_);
    if inside.contains(&tile) || body.defining_op(own.source()).is_some() {
        return None;
    }
    let tiles = Tiles::of(ctx, body);
    let readers = tiles.readers(tile);
    if tiles.writers(tile) != [copy] || !readers.iter().all(|op| inside.contains(op)) {
        return None;
    }
    // Behind those that read it all threads meet in each step: what is copied for the next run of the loop comes after that.
    let first = |op: &OpId| ancestor_in(body, *op, block).is_some_and(|op| body.is_before(copy, op));
    let fits = readers.iter().all(|op| first(op) && meets_behind(ctx, body, *op, loop_));
    fits.then_some(with)
}

/// Whether all threads meet behind an op in a step of a loop, or in one of the loops between.
fn meets_behind(ctx: &Context, body: &Body, op: OpId, loop_: OpId) -> bool {
    let around = std::iter::successors(Some(op), |&op| body.parent_op(op)).take_while(|&op| op != loop_);
    around.into_iter().any(|op| {
        let is_step = body.parent_op(op).is_some_and(|parent| kernel::For::of(OpRef::new(ctx, body, parent)).is_some());
        let mut behind = std::iter::successors(body.next_op(op), |&op| body.next_op(op));
        is_step && behind.any(|op| is_barrier(OpRef::new(ctx, body, op)))
    })
}

/// Moves a copy with what it needs, and lets the threads meet behind it.
fn hoist(ctx: &Context, body: &mut Body, (loop_, copy): (OpId, OpId), with: &[OpId]) {
    let loc = body.loc(copy);
    for &op in with.iter().chain([&copy]) {
        body.move_op(op, InsertPoint::Before(loop_));
    }
    let mut place = InsertPoint::Before(loop_);
    // What tensor cores read is shown to them.
    let fences = with_inner(body, loop_).into_iter().any(|op| OpRef::new(ctx, body, op).is(kernel::FenceAsync::DEF));
    if fences {
        let op = kernel::FenceAsync::build(&mut Builder::new(ctx, body, place), loc);
        place = InsertPoint::After(op);
    }
    kernel::Barrier::build(&mut Builder::new(ctx, body, place), loc, None, None);
}
