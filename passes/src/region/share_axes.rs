//! Lets reductions that read the same elements go along the same axis, so that one loop reads them once for all.
//!
//! **Requires**: region.
//! **Ensures**: region. No two reductions next to each other have axes of their own, of the same sizes, along which both
//! would read the same element of memory at each step; without a product of matrices, or with products of the same results, none
//! of the same sizes at all. Rows that are read along axes of results are reduced along these.
//!
//! **Before**
//! ```mlir before
//! region.func @angle<M, N> iters (m: M) ins (%a: memref<[M, N], f32, row_major, align 4>, %b: memref<[M, N], f32, row_major, align 4>) outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//!   %x = read %a[m, n] : f32 over (m, n)
//!   %y = read %b[m, n] : f32 over (m, n)
//!   %p = binary mul %x, %y : f32 over (m, n)
//!   %d = reduce sum (n: N) acc f32 init 0.0 {
//!     yield %p
//!   } : f32 over (m)
//!   %z = read %a[m, k] : f32 over (m, k)
//!   %q = binary mul %z, %z : f32 over (m, k)
//!   %s = reduce sum (k: N) acc f32 init 0.0 {
//!     yield %q
//!   } : f32 over (m)
//!   %r = binary fdiv %d, %s : f32 over (m)
//!   yield %r to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @angle<M, N> iters (m: M)
//!     ins (%a: memref<[M, N], f32, row_major, align 4>, %b: memref<[M, N], f32, row_major, align 4>)
//!     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//!   %x = read %a[m, n] : f32 over (m, n)
//!   %y = read %b[m, n] : f32 over (m, n)
//!   %p = binary mul %x, %y : f32 over (m, n)
//!   %d = reduce sum (n: N) acc f32 init 0.0 {
//!     yield %p
//!   } : f32 over (m)
//!   %z = read %a[m, n] : f32 over (m, n)
//!   %q = binary mul %z, %z : f32 over (m, n)
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     yield %q
//!   } : f32 over (m)
//!   %r = binary fdiv %d, %s : f32 over (m)
//!   yield %r to Y
//! }
//! ```
//!
//! A reduction of rows that the kernel also reads at axes of its results goes along those: then a row is read once for both,
//! as in a softmax. Where other reductions only have the same sizes, as the sums of gradients of a layer that is used twice, threads
//! share the one axis for all of them.
//!
//! **Does not** merge the reads (`cse`) or the reductions, nor touch axes of results, or axes that some value has together.
//!
//! Names of axes say which points are the same, so no number changes. Reads are looked up by what they read, with the axes
//! of their reduction as numbers; where one is known, its reduction gives the names. Linear in ops. Rules of the debug
//! counters: `share`, `alike`.

use std::collections::{BTreeMap, BTreeSet};

use dlc_core::guard::Guard;
use dlc_core::sizes::value_name;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, ValueId};
use dlc_region::ops::{Read, Reduce};
use dlc_region::verify::KernelAxes;
use rustc_hash::FxHashMap;

use crate::analysis::axes::{axes, bound_in, is_kernel, reductions, values};
use crate::plan::shape::{Shape, groups, groups_of_rows};
use crate::rewrites::axes::NewAxes;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[StatDef { name: "shared", doc: "Axes that are those of another reduction now." }],
    ..PassDef::base("share-axes", "Gives reductions that read the same elements the same axis.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ShareAxes))
}

struct ShareAxes;

impl Pass for ShareAxes {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("shared", share_axes(body, cx));
        Ok(())
    }
}

/// New names for axes, by the old ones.
type Names = BTreeMap<String, String>;

/// What a read reads, and where, with its reduced axes by number.
type Element = (ValueId, Vec<ValueId>, Vec<SizeExpr>);

/// Lets reductions of a kernel go along the same axes. How many axes are gone.
pub fn share_axes(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    if !is_kernel(cx.ctx, body) {
        return 0;
    }
    let mut shared = 0;
    for find in [find, find_rows, find_alike] {
        let names = find(cx, body);
        if !names.is_empty() {
            rename(cx.ctx, body, &names);
        }
        shared += names.len() as u64;
    }
    shared
}

/// Axes of reductions and what they may be called: as those of one that reads the same before.
fn find(cx: &PassCx<'_>, body: &Body) -> Names {
    let ctx = cx.ctx;
    let (mut reduced, mut names) = (Reduced::of(ctx, body), Names::new());
    let mut first: FxHashMap<Element, Vec<(Option<Guard>, Vec<String>)>> = FxHashMap::default();
    let read = |op| Read::of(OpRef::new(ctx, body, op));
    for read in body.walk().into_iter().filter_map(read) {
        let Some(own) = reduced.named(read) else { continue };
        let (element, guard) = element(read, &own);
        let known = first.entry(element).or_default();
        match known.iter().find(|(other, _)| *other == guard) {
            None => known.push((guard, own)),
            Some((_, first)) => {
                let other: Vec<String> = first.iter().map(|axis| names.get(axis).unwrap_or(axis).clone()).collect();
                if own.iter().all(|axis| !names.contains_key(axis))
                    && reduced.may_be(&own, &other)
                    && cx.allows_rule("share")
                {
                    reduced.join(&own, &other);
                    names.extend(own.into_iter().zip(other));
                }
            }
        }
    }
    names
}

/// Axes of reductions and what they may be called: as the axes of results along which a read without them reads the same.
fn find_rows(cx: &PassCx<'_>, body: &Body) -> Names {
    let ctx = cx.ctx;
    let (mut reduced, mut names) = (Reduced::of(ctx, body), Names::new());
    if reduced.lists.is_empty() {
        return names;
    }
    let kernel = KernelAxes::of(ctx, body);
    let is_iter = |axis: &str| kernel.position(axis).is_some_and(|at| at < kernel.iters);
    let reads: Vec<Read<'_>> = body.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, body, op))).collect();
    // What is read at axes of results themselves: of each memref, and of numbers at the same positions, the first such place.
    let numbers = |at: &[SizeExpr]| at.iter().map(SizeExpr::as_constant).collect::<Vec<Option<i64>>>();
    let mut rows: FxHashMap<(ValueId, Vec<Option<i64>>), Vec<SizeExpr>> = FxHashMap::default();
    for read in &reads {
        let at = read.at();
        if at.iter().all(|at| at.as_constant().is_some() || at.as_symbol().is_some_and(is_iter)) {
            rows.entry((read.source(), numbers(&at))).or_insert(at);
        }
    }
    for &read in &reads {
        let Some(own) = reduced.named(read) else { continue };
        let at = read.at();
        let Some(row) = rows.get(&(read.source(), numbers(&at))) else { continue };
        let place = |axis: &String| {
            let place = at.iter().position(|at| at.as_symbol() == Some(axis))?;
            row.get(place)?.as_symbol().map(String::from)
        };
        let Some(other) = own.iter().map(place).collect::<Option<Vec<String>>>() else { continue };
        let renamed: Names = own.iter().cloned().zip(other.iter().cloned()).collect();
        let same = at.iter().map(|at| put(at, &renamed)).eq(row.iter().cloned());
        if same
            && own.iter().all(|axis| !names.contains_key(axis))
            && reduced.may_be_row(&own, &other, &at, &kernel)
            && cx.allows_rule("share")
        {
            reduced.join(&own, &other);
            names.extend(renamed);
        }
    }
    names
}

/// Axes of reductions and what they may be called: as those of one before of the same sizes. Products of matrices have tiles of
/// their own, unless several have the same results.
fn find_alike(cx: &PassCx<'_>, body: &Body) -> Names {
    let ctx = cx.ctx;
    let (mut reduced, mut names) = (Reduced::of(ctx, body), Names::new());
    let all: Vec<Vec<String>> = reductions(ctx, body)
        .into_iter()
        .map(|op| Reduce::from(OpRef::new(ctx, body, op)).axes().into_iter().map(String::from).collect())
        .collect();
    let kernel = KernelAxes::of(ctx, body);
    let shape = Shape::of(ctx, body, &kernel);
    let has_product = || groups(ctx, body, &shape).or_else(|| groups_of_rows(ctx, body, &shape, &kernel)).is_some();
    if all.len() < 2 || has_product() && !are_alongside(ctx, body) {
        return names;
    }
    for (at, own) in all.iter().enumerate().skip(1) {
        let is_new = |names: &Names, axes: &[String]| axes.iter().all(|axis| !names.contains_key(axis));
        let other = all[..at].iter().find(|other| is_new(&names, other) && reduced.may_be(own, other));
        if let Some(other) = other.filter(|_| is_new(&names, own) && cx.allows_rule("alike")) {
            reduced.join(own, other);
            names.extend(own.iter().cloned().zip(other.iter().cloned()));
        }
    }
    names
}

/// Whether all reductions of a kernel stand next to each other and have results at the same positions, as two products that
/// are added.
fn are_alongside(ctx: &Context, body: &Body) -> bool {
    let over = |op: OpId| {
        let result = body.results(op).next().filter(|_| body.block_of(op) == body.entry_block());
        result.map(|result| axes(ctx, body, result))
    };
    let mut all = reductions(ctx, body).into_iter().map(over);
    all.next().flatten().is_some_and(|first| all.all(|other| other.as_ref() == Some(&first)))
}

/// The axes of reductions.
struct Reduced {
    /// For an axis that is none of the results, the axes and sizes of all reductions that have it; nothing where these differ.
    lists: FxHashMap<String, Option<(Vec<String>, Vec<SizeExpr>)>>,
    /// The axes that some value has together with an axis, or a reduction around another one.
    alongside: FxHashMap<String, BTreeSet<String>>,
}

impl Reduced {
    fn of(ctx: &Context, body: &Body) -> Reduced {
        let kernel = KernelAxes::of(ctx, body);
        let is_iter = |axis: &str| kernel.position(axis).is_some_and(|at| at < kernel.iters);
        let (mut lists, mut alongside) = (FxHashMap::default(), FxHashMap::<String, BTreeSet<String>>::default());
        for op in reductions(ctx, body) {
            let reduce = Reduce::from(OpRef::new(ctx, body, op));
            let axes: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
            let own = (axes.clone(), reduce.sizes());
            for axis in axes {
                let is_one = !is_iter(&axis);
                let known = lists.entry(axis).or_insert_with(|| Some(own.clone()).filter(|_| is_one));
                if known.as_ref().is_some_and(|known| *known != own) {
                    *known = None;
                }
            }
        }
        let mut over: BTreeSet<Vec<&str>> = values(ctx, body).into_iter().map(|value| axes(ctx, body, value)).collect();
        // A reduction in another one goes along other axes than that.
        over.extend(reductions(ctx, body).into_iter().map(|op| bound_in(ctx, body, op)));
        for list in over {
            for axis in list.iter().filter(|axis| lists.contains_key(**axis)) {
                alongside.entry(axis.to_string()).or_default().extend(list.iter().map(|other| other.to_string()));
            }
        }
        Reduced { lists, alongside }
    }

    /// The axes of one reduction in the order in which a read names them, if it names all of them and no others of reductions.
    fn named(&self, read: Read<'_>) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for name in read.at().iter().flat_map(SizeExpr::symbols) {
            if self.lists.contains_key(&*name) && !found.iter().any(|known| **known == *name) {
                found.push(name.to_string());
            }
        }
        let (axes, _) = self.lists.get(found.first()?)?.as_ref()?;
        (axes.len() == found.len() && axes.iter().all(|axis| found.contains(axis))).then_some(found)
    }

    /// Whether axes may have the names of others: reductions then have them in the same order, in the same sizes, and no
    /// value has both.
    fn may_be(&self, own: &[String], other: &[String]) -> bool {
        let list = |axes: &[String]| axes.first().and_then(|axis| self.lists.get(axis)?.clone());
        let (Some((axes, sizes)), Some((others, other_sizes))) = (list(own), list(other)) else { return false };
        let renamed = axes.iter().map(|axis| own.iter().position(|own| own == axis).map(|at| &other[at]));
        let apart = |axis: &String| {
            let alongside = self.alongside.get(axis);
            !other.contains(axis)
                && alongside.is_none_or(|alongside| other.iter().all(|other| !alongside.contains(other)))
        };
        sizes == other_sizes && renamed.eq(others.iter().map(Some)) && own.iter().all(apart)
    }

    /// Whether axes that a read has may have the names of axes of results: of the same sizes, and no value has both. What
    /// has other axes too, such as a product with a matrix, goes along axes of its own.
    fn may_be_row(&self, own: &[String], other: &[String], at: &[SizeExpr], kernel: &KernelAxes) -> bool {
        let Some((axes, sizes)) = own.first().and_then(|axis| self.lists.get(axis)?.as_ref()) else { return false };
        let size = |name: &String| kernel.position(name).map(|at| &kernel.sizes[at]);
        let sizes_fit = own
            .iter()
            .zip(other)
            .all(|(own, other)| axes.iter().position(|axis| axis == own).and_then(|at| sizes.get(at)) == size(other));
        let read: BTreeSet<String> = at.iter().flat_map(SizeExpr::symbols).map(|axis| axis.to_string()).collect();
        let alone = |axis: &String| self.alongside.get(axis).is_none_or(|alongside| alongside.is_subset(&read));
        let distinct = other.iter().collect::<BTreeSet<_>>().len() == own.len();
        sizes_fit && distinct && own.iter().all(alone) && other.iter().all(|other| !read.contains(other))
    }

    /// Values that had the one now have the other.
    fn join(&mut self, own: &[String], other: &[String]) {
        for (own, other) in own.iter().zip(other) {
            let more = self.alongside.get(own).cloned().unwrap_or_default();
            for axis in &more {
                self.alongside.entry(axis.clone()).or_default().insert(other.clone());
            }
            self.alongside.entry(other.clone()).or_default().extend(more);
        }
    }
}

/// What a read reads and its guard, with its axes as numbers after those of the positions that are values.
fn element(read: Read<'_>, own: &[String]) -> (Element, Option<Guard>) {
    let indices: Vec<ValueId> = read.indices().collect();
    let numbers: Names = own.iter().zip(indices.len()..).map(|(axis, at)| (axis.clone(), value_name(at))).collect();
    let guard = read.guard().and_then(|guard| guard.map(&|expr| Some(put(expr, &numbers))));
    let at = read.at().iter().map(|at| put(at, &numbers)).collect();
    ((read.source(), indices, at), guard)
}

fn put(expr: &SizeExpr, names: &Names) -> SizeExpr {
    let new = |name: &str| names.get(name).and_then(|name| SizeExpr::symbol(name).ok());
    expr.substitute(&new).unwrap_or_else(|_| expr.clone())
}

/// Gives axes other names wherever they occur.
fn rename(ctx: &Context, body: &mut Body, names: &Names) {
    let at = |axis: &str| names.get(axis).and_then(|name| SizeExpr::symbol(name).ok());
    let list = |own: Vec<String>| own.into_iter().map(|axis| names.get(&axis).unwrap_or(&axis).clone()).collect();
    NewAxes { at: &at, list: &list }.replace(ctx, body);
}
