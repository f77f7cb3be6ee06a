//! Makes one kernel of private kernels that are equal but for names, so that the layers of a model are planned, verified
//! and compiled once.
//!
//! **Requires**: region.
//! **Ensures**: region. No two private kernels that are launched, and that no plan names, have equal ops, types, sizes and
//! attributes; the first one of each kind is launched for all.
//!
//! **Before**
//! ```mlir before
//! host.func @f<M>(%x: memref<[M], f32, row_major, align 128>) -> memref<[M], f32, row_major, align 128> {
//!   %y = launch @f_0<M> (%x) : memref<[M], f32, row_major, align 128>
//!   %z = launch @f_1<M> (%y) : memref<[M], f32, row_major, align 128>
//!   return %z
//! }
//! region.func private @f_0<M> iters (m: M) ins (%x: memref<[M], f32, row_major, align 128>) outs (y: memref<[M], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[m] : f32 over (m)
//!   %y = unary exp2 %0 : f32 over (m)
//!   yield %y to y
//! }
//! region.func private @f_1<M> iters (m: M) ins (%y: memref<[M], f32, row_major, align 128>) outs (z: memref<[M], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %y[m] : f32 over (m)
//!   %z = unary exp2 %0 : f32 over (m)
//!   yield %z to z
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f<M>(%x: memref<[M], f32, row_major, align 128>) -> memref<[M], f32, row_major, align 128> {
//!   %y = launch @f_0<M> (%x) : memref<[M], f32, row_major, align 128>
//!   %z = launch @f_0<M> (%y) : memref<[M], f32, row_major, align 128>
//!   return %z
//! }
//! region.func private @f_0<M> iters (m: M)
//!   ins (%x: memref<[M], f32, row_major, align 128>)
//!   outs (y: memref<[M], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[m] : f32 over (m)
//!   %y = unary exp2 %0 : f32 over (m)
//!   yield %y to y
//! }
//! ```
//!
//! **Does not** merge kernels that are equal but for the order of their ops or the names of symbols or axes, nor public
//! ones, nor those with a plan: that names a kernel and its tensors.
//!
//! Compares kernels by a list of what they consist of, with values by number, which takes time linear in the ops. Names of
//! values and of results, and locations, are not compared. Rule of the debug counters: `merge`.

use dlc_host::ops::Launch;
use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use rustc_hash::FxHashMap;

use crate::analysis::kernel_parts::{Change, Part, parts};
use crate::rewrites::launches::{Launches, free_kernels, is_of};

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "merged", doc: "Kernels for which another one is launched." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("merge-kernels", "Merges private kernels that are equal but for names.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(MergeKernels))
}

struct MergeKernels;

impl Pass for MergeKernels {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("merged", merge_kernels(body, cx));
        Ok(())
    }
}

/// Makes one kernel of equal private kernels of a module. How many are gone.
pub fn merge_kernels(module: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut launches = Launches::of_module(ctx, module);
    let mut first: FxHashMap<Vec<Part>, String> = FxHashMap::default();
    let mut merged = 0;
    for (op, name) in free_kernels(ctx, module, &launches) {
        let Some(kernel) = module.nested(op) else { continue };
        match first.entry(parts(ctx, kernel, &Change::default())) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(name);
            }
            std::collections::hash_map::Entry::Occupied(entry) => {
                if cx.allows_rule("merge") {
                    launch_instead(ctx, module, &mut launches, &name, entry.get());
                    module.erase_op(op);
                    merged += 1;
                }
            }
        }
    }
    merged
}

/// Lets all launches of a kernel run another one.
fn launch_instead(ctx: &Context, module: &mut Body, launches: &mut Launches, kernel: &str, other: &str) {
    for at in launches.of(kernel) {
        let Some(body) = module.nested(at.0) else { continue };
        let mut choices = Launch::from(OpRef::new(ctx, body, at.1)).choices();
        for choice in choices.iter_mut().filter(|choice| is_of(ctx, choice, kernel)) {
            choice.callee = ctx.symbol_attr(other);
        }
        launches.set_choices(ctx, module, at, choices);
    }
}
