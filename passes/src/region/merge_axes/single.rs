//! Axes of one position, which need not be axes.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Context, Type, ValueId};
use dlc_region::ops::{Index, Read, Select};
use dlc_region::verify::KernelAxes;
use rustc_hash::FxHashMap;

use super::pairs::{Runs, memory};
use super::sizes::set_types;
use crate::analysis::axes::{axes, goes_along, reductions, set_axes, values};
use crate::rewrites::axes::set_all_places;

/// Takes an axis of the results away that has one position; with `keep_reduced`, one that no reduction has. Whether there was
/// one.
pub fn remove(ctx: &Context, kernel: &mut Body, runs: &mut Runs, keep_reduced: bool) -> bool {
    let kernel_axes = KernelAxes::of(ctx, kernel);
    let Some(place) = find(ctx, kernel, &kernel_axes, keep_reduced) else { return false };
    let axis = kernel_axes.names[place].clone();
    let at_zero = |expr: &SizeExpr| {
        let zero = |name: &str| (name == axis).then(|| SizeExpr::from(0));
        expr.substitute(&zero).unwrap_or_else(|_| expr.clone())
    };
    for op in kernel.walk() {
        let view = OpRef::new(ctx, kernel, op);
        let exprs = Read::of(view).map(|read| ("at", read.at()));
        if let Some((key, exprs)) = exprs.or_else(|| Index::of(view).map(|index| ("value", index.value()))) {
            let exprs = exprs.iter().map(at_zero).collect();
            kernel.set_prop(ctx, op, ctx.intern_str(key), Some(Exprs::make(ctx, exprs)));
        }
    }
    for value in values(ctx, kernel) {
        let own: Vec<String> = axes(ctx, kernel, value).into_iter().map(String::from).collect();
        set_axes(ctx, kernel, value, own.iter().map(String::as_str).filter(|own| *own != axis).collect());
    }
    let iters = 0..kernel_axes.iters;
    let (names, sizes): (Vec<&str>, Vec<SizeExpr>) = iters
        .filter(|&at| at != place)
        .map(|at| (kernel_axes.names[at].as_str(), kernel_axes.sizes[at].clone()))
        .unzip();
    let root = kernel.root();
    kernel.set_prop(ctx, root, ctx.intern_str("iters"), Some(TextArray::make(ctx, names)));
    kernel.set_prop(ctx, root, ctx.intern_str("iter_sizes"), Some(Sizes::make(ctx, sizes)));
    let (inputs, mut outputs) = memory(ctx, kernel);
    for (ty, run) in outputs.iter_mut().zip(&mut runs.outputs) {
        *ty = without(ctx, *ty, place);
        let own = run.remove(place);
        let alongside = place.min(run.len().saturating_sub(1));
        if let Some(run) = run.get_mut(alongside) {
            *run += own;
        }
    }
    set_types(ctx, kernel, &inputs, &outputs);
    set_all_places(ctx, kernel);
    true
}

/// Takes the axes away that memory which is read has with one element, where all reads name that element by its number. How
/// many there were.
pub fn remove_of_inputs(ctx: &Context, kernel: &mut Body, runs: &mut Runs) -> u64 {
    let (mut inputs, outputs) = memory(ctx, kernel);
    let args = kernel.entry_block().map(|block| kernel.args(block).to_vec()).unwrap_or_default();
    // The places of such axes, from the last on.
    let mut units: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
    for &arg in &args {
        let ty = MemRef::of(ctx, kernel.value_type(arg)).filter(|ty| ty.layout(ctx) == Layout::RowMajor);
        let dims = ty.map(|ty| ty.dims(ctx)).unwrap_or_default();
        let ones: Vec<usize> = (0..dims.len()).rev().filter(|&place| dims[place].as_constant() == Some(1)).collect();
        if !ones.is_empty() {
            units.insert(arg, ones);
        }
    }
    if units.is_empty() {
        return 0;
    }
    let ops = kernel.walk();
    for &op in &ops {
        let view = OpRef::new(ctx, kernel, op);
        for operand in view.operands() {
            if let Some(places) = units.get_mut(&operand) {
                let at = Read::of(view).map(|read| read.at()).unwrap_or_default();
                places.retain(|&place| at.get(place).and_then(SizeExpr::as_constant) == Some(0));
            }
        }
    }
    let mut removed = 0;
    for (port, arg) in args.iter().enumerate() {
        let Some(places) = units.get_mut(arg) else { continue };
        // Memory has one axis at least.
        places.truncate(runs.inputs[port].len() - 1);
        for &place in places.iter() {
            inputs[port] = without(ctx, inputs[port], place);
            let run = &mut runs.inputs[port];
            let own = run.remove(place);
            let alongside = place.min(run.len() - 1);
            run[alongside] += own;
            removed += 1;
        }
    }
    for op in ops {
        let Some(read) = Read::of(OpRef::new(ctx, kernel, op)) else { continue };
        let Some(places) = units.get(&read.source()).filter(|places| !places.is_empty()) else { continue };
        let mut at = read.at();
        for &place in places {
            at.remove(place);
        }
        kernel.set_prop(ctx, op, ctx.intern_str("at"), Some(Exprs::make(ctx, at)));
    }
    if removed > 0 {
        set_types(ctx, kernel, &inputs, &outputs);
    }
    removed
}

/// The place of an axis of one position that no guard, reduction, scan or sort names, with results in row-major order.
fn find(ctx: &Context, kernel: &Body, kernel_axes: &KernelAxes, keep_reduced: bool) -> Option<usize> {
    let is_row_major = |ty: &Type| MemRef::of(ctx, *ty).is_some_and(|ty| ty.layout(ctx) == Layout::RowMajor);
    if !memory(ctx, kernel).1.iter().all(is_row_major) || goes_along(ctx, kernel) {
        return None;
    }
    let mut named: Vec<String> = Vec::new();
    for op in kernel.walk() {
        let view = OpRef::new(ctx, kernel, op);
        let guard = Read::of(view).and_then(|read| read.guard()).or_else(|| Select::of(view)?.guard());
        let exprs = guard.iter().flat_map(|guard| guard.exprs());
        named.extend(exprs.flat_map(SizeExpr::symbols).map(|name| name.to_string()));
    }
    for op in reductions(ctx, kernel) {
        let reduced = OpRef::new(ctx, kernel, op).prop_named("axes").and_then(|axes| TextArray::get(ctx, axes));
        named.extend(reduced.unwrap_or_default().into_iter().map(String::from));
        if keep_reduced {
            let results = kernel.results(op).flat_map(|result| axes(ctx, kernel, result));
            named.extend(results.map(String::from));
        }
    }
    (0..kernel_axes.iters)
        .find(|&at| kernel_axes.sizes[at].as_constant() == Some(1) && !named.contains(&kernel_axes.names[at]))
}

/// Memory without an axis of one position.
fn without(ctx: &Context, ty: Type, place: usize) -> Type {
    let Some(memory) = MemRef::of(ctx, ty) else { return ty };
    let mut dims = memory.dims(ctx);
    dims.remove(place);
    MemRef::get(ctx, dims, memory.elem(ctx), Layout::RowMajor, memory.align(ctx), memory.noalias(ctx))
}
