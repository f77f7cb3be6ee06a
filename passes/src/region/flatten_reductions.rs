//! Makes one axis of the axes of a reduction where the last of them is too short for the threads of a block: the pixels of all
//! images, of which an image has sixteen.
//!
//! **Requires**: region.
//! **Ensures**: region. In no private kernel that has no plan a reduction without a product of matrices goes along several axes
//! of which the last has fewer positions than a warp has lanes, or too few for the machine together with the results.
//!
//! **Before**
//! ```mlir before
//! host.func @f<N>(%x: memref<[N, 64, 16], f32, row_major, align 128>) -> memref<[64], f32, row_major, align 128> {
//!   %y = launch @f_0<N> (%x) : memref<[64], f32, row_major, align 128>
//!   return %y
//! }
//! region.func private @f_0<N> iters (c: 64) ins (%x: memref<[N, 64, 16], f32, row_major, align 128>) outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (n: N, p: 16) acc f32 init 0.0 {
//!     %0 = read %x[n, c, p] : f32 over (c, n, p)
//!     yield %0
//!   } : f32 over (c)
//!   yield %y to y
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f<N>(%x: memref<[N, 64, 16], f32, row_major, align 128>) -> memref<[64], f32, row_major, align 128> {
//!   %y = launch @f_0<N> (%x) : memref<[64], f32, row_major, align 128>
//!   return %y
//! }
//! region.func private @f_0<N> iters (c: 64)
//!   ins (%x: memref<[N, 64, 16], f32, row_major, align 128>)
//!   outs (y: memref<[64], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (n: 16*N) acc f32 init 0.0 {
//!     %0 = read %x[n floordiv 16, c, n mod 16] : f32 over (c, n)
//!     yield %0
//!   } : f32 over (c)
//!   yield %y to y
//! }
//! ```
//!
//! Threads of a block share one axis of a reduction, and go along the others one position after the other. `merge-axes` makes
//! one axis where memory has both next to each other; this pass does it where it costs a division at each step.
//!
//! **Does not** touch windows (positions of a reduced axis and of a longer one of the results), axes of results, axes after the first
//! whose size is no number, products of matrices, or kernels with scans and sorts. Sums go over the same elements in the same
//! order. Linear in ops times reductions. Rule of the debug counters: `flatten`.

use dlc_core::sizes::Sizes;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId};
use dlc_plan::footprint::WARP;
use dlc_region::ops::{Read, Reduce};
use dlc_region::verify::KernelAxes;

use crate::analysis::axes::{exprs, goes_along, reductions};
use crate::plan::shape::{FEW, Shape, groups, groups_of_rows};
use crate::rewrites::axes::{NewAxes, set_all_places};
use crate::rewrites::launches::{Launches, free_kernels};

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "flattened", doc: "Axes that became part of another one." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("flatten-reductions", "Makes one axis of those of reductions whose last one is short.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(FlattenReductions))
}

struct FlattenReductions;

impl Pass for FlattenReductions {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let launches = Launches::of_module(cx.ctx, body);
        for (op, _) in free_kernels(cx.ctx, body, &launches) {
            if let Some(kernel) = body.nested_mut(op) {
                cx.count("flattened", flatten_reductions(kernel, cx));
            }
        }
        Ok(())
    }
}

/// The times that each of the threads goes along the last axis from which on they are too few.
const MANY: i64 = 16;

/// Makes one axis of several in a kernel. How many are gone.
pub fn flatten_reductions(kernel: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut gone = 0;
    while let Some(list) = find(ctx, kernel).filter(|_| cx.allows_rule("flatten")) {
        let message = format!("the reduction along ({}) goes along one axis", list.names.join(", "));
        cx.remark(RemarkKind::Passed, kernel.loc(list.op), message);
        gone += list.names.len() as u64 - 1;
        list.flatten(ctx, kernel);
    }
    gone
}

/// The axes of a reduction.
struct List {
    op: OpId,
    names: Vec<String>,
    sizes: Vec<SizeExpr>,
}

fn find(ctx: &Context, kernel: &Body) -> Option<List> {
    let axes = KernelAxes::of(ctx, kernel);
    let all: Vec<Reduce<'_>> =
        reductions(ctx, kernel).into_iter().map(|op| Reduce::from(OpRef::new(ctx, kernel, op))).collect();
    if all.iter().all(|reduce| reduce.axes().len() < 2) || goes_along(ctx, kernel) {
        return None;
    }
    let shape = Shape::of(ctx, kernel, &axes);
    if groups(ctx, kernel, &shape).or_else(|| groups_of_rows(ctx, kernel, &shape, &axes)).is_some() {
        return None;
    }
    let results = shape.outer.iter().try_fold(1i64, |all, (_, size)| all.checked_mul(size.as_constant()?));
    let list = |reduce: &Reduce<'_>| {
        let names: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
        List { op: reduce.id, names, sizes: reduce.sizes() }
    };
    all.iter().map(list).find(|list| {
        // Reductions of one axis go along all of them.
        let is_same = |other: &Reduce<'_>| other.axes() == list.names && other.sizes() == list.sizes;
        let is_apart = |other: &Reduce<'_>| other.axes().iter().all(|axis| list.names.iter().all(|own| own != axis));
        let are_reduced = list.names.iter().all(|name| axes.position(name).is_some_and(|at| at >= axes.iters));
        are_reduced
            && list.is_short(results)
            && all.iter().all(|other| is_same(other) || is_apart(other))
            && !list.has_windows(ctx, kernel, &axes)
            && list.fits(ctx, kernel)
    })
}

impl List {
    /// Whether the last axis is too short for the threads of a block, or for the machine with so many results.
    fn is_short(&self, results: Option<i64>) -> bool {
        let Some((last, others)) = self.sizes.split_last().filter(|(_, others)| !others.is_empty()) else {
            return false;
        };
        let Some(last) = last.as_constant() else { return false };
        let rest = others.iter().try_fold(1i64, |all, size| all.checked_mul(size.as_constant()?));
        if last < WARP {
            return rest.is_none_or(|rest| rest.saturating_mul(last) >= WARP);
        }
        let threads = results.map(|results| results.saturating_mul(last));
        threads.zip(rest).is_some_and(|(threads, rest)| threads < FEW && rest >= MANY)
    }

    /// Whether something is read at a position of one of these axes and of a longer one, as where few neighbours of each result
    /// are reduced.
    fn has_windows(&self, ctx: &Context, kernel: &Body, axes: &KernelAxes) -> bool {
        let size = |name: &str| axes.size(name).and_then(SizeExpr::as_constant);
        let is_own = |name: &str| self.names.iter().any(|own| own == name);
        let is_window = |at: &SizeExpr| {
            let symbols = at.symbols();
            let own = symbols.iter().filter(|name| is_own(name)).map(|name| size(name).unwrap_or(i64::MAX)).min();
            let others = symbols.iter().filter(|name| !is_own(name) && axes.position(name).is_some());
            own.is_some_and(|own| others.map(|name| size(name).unwrap_or(i64::MAX)).any(|other| other >= own))
        };
        let reads = kernel.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, kernel, op)));
        reads.into_iter().any(|read| read.at().iter().any(is_window))
    }

    /// The position along one of these axes in terms of the one that all become, which has the name of the first. `None` for
    /// other axes, and where a size that it is divided by is no number.
    fn part(&self, axis: &str) -> Option<SizeExpr> {
        let place = self.names.iter().position(|name| name == axis)?;
        let after = self.sizes[place + 1..].iter().try_fold(1i64, |all, size| all.checked_mul(size.as_constant()?))?;
        let steps = SizeExpr::symbol(&self.names[0]).ok()?.floordiv(&after.into()).ok()?;
        if place == 0 { Some(steps) } else { steps.modulo(&self.sizes[place]).ok() }
    }

    /// Whether all expressions of these axes can be said in terms of one.
    fn fits(&self, ctx: &Context, kernel: &Body) -> bool {
        let is_known = self.sizes[1..].iter().all(|size| size.as_constant().is_some());
        let are_parts = is_known && self.names.iter().all(|name| self.part(name).is_some());
        let fits = |expr: &SizeExpr| expr.substitute(&|name| self.part(name)).is_ok();
        are_parts
            && self.size().is_some()
            && kernel.walk().into_iter().all(|op| exprs(OpRef::new(ctx, kernel, op)).iter().all(fits))
    }

    fn size(&self) -> Option<SizeExpr> {
        self.sizes.iter().try_fold(SizeExpr::from(1), |all, size| all.mul(size).ok())
    }

    fn flatten(self, ctx: &Context, kernel: &mut Body) {
        let Some(size) = self.size() else { return };
        let is_own = |name: &String| self.names.contains(name);
        let list = |names: Vec<String>| {
            let mut found: Vec<String> = Vec::new();
            for name in names {
                let name = if is_own(&name) { self.names[0].clone() } else { name };
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            found
        };
        let same = |op: &OpId| Reduce::from(OpRef::new(ctx, kernel, *op)).axes() == self.names;
        let reduced: Vec<OpId> = reductions(ctx, kernel).into_iter().filter(same).collect();
        for op in reduced {
            kernel.set_prop(ctx, op, ctx.intern_str("sizes"), Some(Sizes::make(ctx, vec![size.clone()])));
        }
        NewAxes { at: &|name| self.part(name), list: &list }.replace(ctx, kernel);
        set_all_places(ctx, kernel);
    }
}
