//! Lets reads say where they read, so that what is outside of a tensor is never read and no select is left to guess
//! that from.
//!
//! **Requires**: region.
//! **Ensures**: a select by the point between a read and the number that the read gives elsewhere is a guarded read;
//! selects of one another's operands are one; guards hold only conditions that do not follow from the axes.
//!
//! **Before**
//! ```mlir before
//! region.func @pad<N> iters (n: N + 2)
//!     ins (%X: memref<[N], f32, row_major, align 4>)
//!     outs (Y: memref<[N + 2], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[n - 1] where (0 <= n - 1 < N) : f32 over (n)
//!   %zero = const 0.0 : f32 over ()
//!   %i = index (n) : i64 over (n)
//!   %five = const 5 : i64 over ()
//!   %c = binary lt %i, %five : i1 over (n)
//!   %y = select %c, %x, %zero : f32 over (n)
//!   yield %y to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @pad<N> iters (n: N + 2)
//!     ins (%X: memref<[N], f32, row_major, align 4>)
//!     outs (Y: memref<[N + 2], f32, row_major, align 4> materialize gmem) {
//!   %y = read %X[n - 1] where (n < 5, 0 <= n - 1 < N) else 0.0 : f32 over (n)
//!   yield %y to Y
//! }
//! ```
//!
//! **Does not** turn comparisons into guards whose integers may wrap: those of types below 64 bits need sizes that are
//! numbers. A select in a reduction between a value and the identity of the reduction stays: it is what the
//! specification wants (6.7, step 5), and no other number could be made the identity without changing the result.
//!
//! From the start of the kernel to its end, for each select: (1) a condition that compares affine integers becomes a
//! guard; (2) it takes in a select that is one of its operands; (3) it becomes a read. (4) Every guard loses what
//! follows from the rest of it and from the sizes of the axes of its op, and pieces that are empty, inside of another
//! or one with another (gist and coalesce of integer sets). Each step makes the kernel smaller; a guard costs proofs
//! for each bound, and for each pair of its pieces. Guards of more than 16 pieces are not made. Specification, sections
//! 6.5 and 6.7. Rules of the debug counters: `compare`, `merge`, `read`, `gist`.

mod compare;
mod guards;
mod merge;
mod replace;

use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_region::ops::{Read, Select};
use dlc_region::verify::KernelAxes;

use crate::analysis::axes::is_kernel;
use crate::rewrites::unused::erase_unused;
use guards::Spaces;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[
        StatDef { name: "comparisons", doc: "Conditions of selects that became guards." },
        StatDef { name: "merged", doc: "Selects that became part of another." },
        StatDef { name: "reads", doc: "Selects that became guarded reads." },
        StatDef { name: "shortened", doc: "Guards that became shorter, or are gone." },
    ],
    ..PassDef::base("normalize-select", "Turns selects into guarded reads, and simplifies guards.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(NormalizeSelect))
}

struct NormalizeSelect;

impl Pass for NormalizeSelect {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let counts = normalize_select(body, cx);
        cx.count("comparisons", counts.comparisons);
        cx.count("merged", counts.merged);
        cx.count("reads", counts.reads);
        cx.count("shortened", counts.shortened);
        Ok(())
    }
}

/// How often each was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Conditions of selects that became guards.
    pub comparisons: u64,
    /// Selects that became part of another.
    pub merged: u64,
    /// Selects that became guarded reads.
    pub reads: u64,
    /// Guards that became shorter, or are gone.
    pub shortened: u64,
}

/// Normalizes the selects and guards of a kernel. Other bodies stay as they are.
pub fn normalize_select(body: &mut Body, cx: &PassCx<'_>) -> Counts {
    let (ctx, mut counts) = (cx.ctx, Counts::default());
    if !is_kernel(ctx, body) {
        return counts;
    }
    let kernel = KernelAxes::of(ctx, body);
    let mut spaces = Spaces::new(&kernel);
    // What is replaced is erased at the end: until then ops keep their ids.
    let mut unused = Vec::new();
    let is_used = |body: &Body, op| body.results(op).any(|value| body.has_uses(value));
    for op in body.walk() {
        if !OpRef::new(ctx, body, op).is(Select::DEF) || !is_used(body, op) {
            continue;
        }
        counts.comparisons += u64::from(compare::compare(body, op, &mut spaces, &mut unused, cx));
        while merge::merge(body, op, &mut spaces, &mut unused, cx) {
            counts.merged += 1;
        }
        counts.reads += u64::from(replace::read(body, op, &mut spaces, &mut unused, cx));
    }
    for op in body.walk() {
        let view = OpRef::new(ctx, body, op);
        if (view.is(Select::DEF) || view.is(Read::DEF)) && is_used(body, op) {
            counts.shortened += u64::from(replace::gist(body, op, &mut spaces, &mut unused, cx));
        }
    }
    erase_unused(ctx, body, unused);
    counts
}
