//! Lets a kernel begin before the one before it has ended, where its plan says `launch_overlap`.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. Each grid of a kernel with such a plan waits with `grid_wait` before it touches memory outside of
//! its blocks, so that it may be launched with programmatic stream serialization: its blocks start, and set up their shared
//! memory, as those of the grid before it end.
//!
//! **Before**
//! ```mlir before
//! kernel.func @copy<N>(%x: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
//!   %y = output : memref<[N], f32>
//!   grid (N ceildiv 128) threads 128 {
//!     %b = block_id 0
//!     %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//!     store %v to %y[128*%b + i0] where (128*%b + i0 < N)
//!   }
//!   return %y
//! }
//! plan.schedule of @copy for sm90 { tile (n: 128) launch_overlap }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @copy<N>(%x: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
//!   %y = output : memref<[N], f32>
//!   grid (N ceildiv 128) threads 128 {
//!     %b = block_id 0
//!     grid_wait
//!     %v = load %x[128*%b + i0] where (128*%b + i0 < N) : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//!     store %v to %y[128*%b + i0] where (128*%b + i0 < N)
//!   }
//!   return %y
//! }
//! plan.schedule of @copy for sm90 {
//!   tile (n: 128)
//!   launch_overlap
//! }
//! ```
//!
//! **Does not** let the next grid begin earlier (`grid_release`), or read what no grid writes before it waits. A grid that
//! waits already is left. On a target without programmatic dependent launch nothing is done.
//!
//! One look at the ops of each grid. Rule of the debug counters: `wait`.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::effects::effects;
use dlc_ir::op::Effects;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, OpId};
use dlc_kernel::ops::{Func, Grid, GridWait};

use crate::analysis::plans::{kernel_pass, machines, plan_of};
use crate::analysis::tiles::with_inner;
use crate::plan::report::not_followed;

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "grids", doc: "Grids that may begin before the one before them has ended." }],
    ..kernel_pass("overlap-launches", "Overlaps launches of kernels (programmatic dependent launch).", create)
};
dlc_ir::inventory::submit! { &DEF }

/// What a target has if a grid can wait for the ones before it.
const FEATURE: &str = "launch_overlap";

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(OverlapLaunches))
}

struct OverlapLaunches;

impl Pass for OverlapLaunches {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let Some(plan) = plan_of(cx, body).filter(|plan| plan.launch_overlap) else { return Ok(()) };
        if let Some(target) = machines(cx, &plan).iter().find(|target| !target.has(FEATURE)) {
            let message = format!("'launch_overlap': {} has no programmatic dependent launch", target.name);
            let at = (body.loc(body.root()), Func::DEF.name);
            not_followed(cx, body, Some(&plan), &["launch_overlap"], at, message);
            return Ok(());
        }
        for grid in body.walk() {
            let view = OpRef::new(cx.ctx, body, grid);
            let waits = |op: OpId| OpRef::new(cx.ctx, body, op).is(GridWait::DEF);
            if !view.is(Grid::DEF) || with_inner(body, grid).into_iter().any(waits) || !cx.allows_rule("wait") {
                continue;
            }
            let Some(place) = first_access(cx, body, grid) else { continue };
            let loc = body.loc(grid);
            GridWait::build(&mut Builder::new(cx.ctx, body, InsertPoint::Before(place)), loc);
            cx.count("grids", 1);
            cx.remark(RemarkKind::Passed, loc, "this may begin before the grid before it has ended");
        }
        Ok(())
    }
}

/// The first op of a grid that may touch memory outside of the block, or that has ops inside.
fn first_access(cx: &PassCx<'_>, body: &Body, grid: OpId) -> Option<OpId> {
    let block = body.first_block(*body.regions(grid).first()?)?;
    body.ops(block).find(|&op| {
        let effects = effects(cx.ctx, body, op);
        !body.regions(op).is_empty() || effects.has(Effects::READ) || effects.has(Effects::WRITE)
    })
}
