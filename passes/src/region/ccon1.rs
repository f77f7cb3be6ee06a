//! Lets the bodies of reductions read directly with the indices they need (C-CON1), so that a contraction can be seen
//! in one place and nothing is broadcast before it is multiplied.
//!
//! **Requires**: region.
//! **Ensures**: what depends on a reduced axis and is used in the body of one reduction alone is computed there; no
//! body uses a broadcast, and transposes are left in it only of values from outside.
//!
//! **Before**
//! ```mlir before
//! region.func @gemm<M, N, K> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, k] : f16 over (m, k)
//!   %w = read %W[k, n] : f16 over (k, n)
//!   %t = transpose %w by [1, 0] : f16 over (n, k)
//!   %xb = broadcast_in_dim %x to [M, N, K] dims [0, 2] : f16 over (m, n, k)
//!   %wb = broadcast_in_dim %t to [M, N, K] dims [1, 2] : f16 over (m, n, k)
//!   %p = binary mul %xb, %wb widen : f32 over (m, n, k)
//!   %acc = reduce sum (k: K) acc f32 init 0.0 {
//!     yield %p
//!   } : f32 over (m, n)
//!   yield %acc to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @gemm<M, N, K> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %acc = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %w = read %W[k, n] : f16 over (n, k)
//!     %p = binary mul %x, %w widen : f32 over (m, n, k)
//!     yield %p
//!   } : f32 over (m, n)
//!   yield %acc to Y
//! }
//! ```
//!
//! **Does not** move what several reductions share or what is used outside too: that would compute it twice. A
//! reduction stays before another one whose result has axes that it has not, for the same reason, and before one over an
//! axis that it reduces itself; what does not depend
//! on the reduced axes stays outside (`srnf` moves it there), and so do scans and what is `deferred`. Bodies of combiners
//! are left as they are.
//!
//! Phases: (1) from the outside in, each block from its end to its start, ops go into the one reduction that uses them;
//! ops that came into a body are then ordered by first use, left operands first. (2) Ops in bodies use what was
//! broadcast, and their types lose the axes that they no longer depend on. (3) All values of a body get their axes in
//! one order, that of the result and then of the kernel, so that transposes between them are nothing. Linear.
//! Specification, section 6.3.1. Rules of the debug counters: `sink`, `broadcast`, `transpose`.

mod direct;
mod sink;

use dlc_ir::body::Body;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};

use crate::analysis::axes::is_kernel;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[
        StatDef { name: "sunk", doc: "Ops moved into the body of a reduction, counted once for each." },
        StatDef { name: "broadcasts", doc: "Uses of a broadcast in a body that became direct." },
        StatDef { name: "transposes", doc: "Transposes in bodies that are gone." },
    ],
    ..PassDef::base(
        "ccon1",
        "Moves producers into the reductions that use them and removes broadcasts and transposes (C-CON1).",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(Ccon1))
}

struct Ccon1;

impl Pass for Ccon1 {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = ccon1(body, cx);
        cx.count("sunk", counts.sunk);
        cx.count("broadcasts", counts.broadcasts);
        cx.count("transposes", counts.transposes);
        Ok(())
    }
}

/// What was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Ops moved into the body of a reduction, counted once for each.
    pub sunk: u64,
    /// Uses of a broadcast in a body that became direct.
    pub broadcasts: u64,
    /// Transposes in bodies that are gone.
    pub transposes: u64,
}

/// Brings the reductions of a kernel into canonical form. Other bodies stay as they are.
pub fn ccon1(body: &mut Body, cx: &PassCx<'_>) -> Counts {
    if !is_kernel(cx.ctx, body) {
        return Counts::default();
    }
    let sunk = sink::sink(body, cx);
    let broadcasts = direct::remove_broadcasts(body, cx);
    let transposes = direct::remove_transposes(body, cx);
    Counts { sunk, broadcasts, transposes }
}
