//! Sizes of axes that were merged: products, and symbols for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Exprs, Sizes};
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Context, OpId, Str, Type, TypeData};
use dlc_region::ops::{BroadcastInDim, Func, Index, Read, Reduce, Select};
use dlc_region::verify::KernelAxes;

use crate::rewrites::launches::symbols;

/// The products of sizes in runs of so many; `None` beyond 64 bits.
pub fn products(sizes: &[SizeExpr], runs: &[usize]) -> Option<Vec<SizeExpr>> {
    let mut rest = sizes.iter();
    let product = |&run: &usize| rest.by_ref().take(run).try_fold(SizeExpr::from(1), |all, size| all.mul(size).ok());
    runs.iter().map(product).collect()
}

/// Gives a kernel a symbol for each product of symbols that is the size of an axis that was merged, and takes those away that
/// it does not need any more. What its symbols are, of those that it had.
///
/// Other sizes stay as they are: what is read may be in bounds because of what they are.
pub fn name_products(ctx: &Context, kernel: &mut Body, merged: &[String]) -> Vec<SizeExpr> {
    let old = symbols(ctx, kernel);
    let (mut names, mut own) = (old.clone(), Vec::new());
    let kernel_axes = KernelAxes::of(ctx, kernel);
    for size in merged.iter().filter_map(|axis| kernel_axes.size(axis)) {
        let Some(product) = product_of(size).filter(|product| own.iter().all(|(_, known)| known != product)) else {
            continue;
        };
        let name = free_name(ctx, kernel, &names, &product);
        names.push(name.clone());
        own.push((name, product));
    }
    // The longest products first, so that a part of one does not take it apart.
    own.sort_by_key(|(_, product)| std::cmp::Reverse(product.symbols().len()));
    let named: Vec<(SizeExpr, SizeExpr)> =
        own.iter().filter_map(|(name, product)| Some((SizeExpr::symbol(name).ok()?, product.clone()))).collect();
    let mut used: BTreeSet<Arc<str>> = BTreeSet::new();
    map_sizes(ctx, kernel, &mut |size| {
        let size = named.iter().fold(size.clone(), |size, (symbol, product)| put(&size, product, symbol));
        used.extend(size.symbols());
        size
    });
    names.retain(|name| used.contains(name.as_str()));
    let is_own = |name: &String| own.iter().find(|(known, _)| known == name).map(|(_, product)| product.clone());
    let sizes = names.iter().filter_map(|name| is_own(name).or_else(|| SizeExpr::symbol(name).ok())).collect();
    let list = (!names.is_empty()).then(|| TextArray::make(ctx, names.iter().map(String::as_str).collect()));
    kernel.set_prop(ctx, kernel.root(), Str::SYMBOLS, list);
    sizes
}

/// What a size is a multiple of, if that is a product of several symbols.
fn product_of(size: &SizeExpr) -> Option<SizeExpr> {
    if size.as_linear().is_some() {
        return None;
    }
    match size.terms().as_slice() {
        [(times, _)] => size.try_div(&SizeExpr::from(*times)),
        _ => Some(size.clone()),
    }
}

/// A name for a product that neither a symbol nor an axis has: `HW` for `H*W`.
fn free_name(ctx: &Context, kernel: &Body, symbols: &[String], product: &SizeExpr) -> String {
    let letters = |factor: &Factor| match factor {
        Factor::Symbol(name) if name.chars().all(|letter| letter.is_ascii_alphabetic()) => Some(name.to_string()),
        _ => None,
    };
    let name = match product.terms().as_slice() {
        [(_, factors)] => factors.iter().map(letters).collect::<Option<String>>(),
        _ => None,
    };
    let name = name.unwrap_or_else(|| "S".into());
    let axes = KernelAxes::of(ctx, kernel);
    let is_free = |name: &String| !symbols.contains(name) && axes.position(name).is_none();
    let numbered = (1..).map(|number| format!("{name}{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or_default()
}

/// A size with a symbol for a product.
fn put(size: &SizeExpr, product: &SizeExpr, symbol: &SizeExpr) -> SizeExpr {
    let whole = |size: &SizeExpr| size.try_div(product)?.mul(symbol).ok();
    whole(size).unwrap_or_else(|| {
        let term = |(times, factors): (i64, Vec<Factor>)| {
            let factor = |factor: &Factor| match factor {
                Factor::Symbol(name) => SizeExpr::symbol(name).ok(),
                Factor::Quotient(of, by) => put(of, product, symbol).floordiv(&put(by, product, symbol)).ok(),
            };
            let one = |all: SizeExpr, next: &Factor| all.mul(&factor(next)?).ok();
            let term = factors.iter().try_fold(SizeExpr::from(times), one)?;
            Some(whole(&term).unwrap_or(term))
        };
        let sum = |all: SizeExpr, next: Option<SizeExpr>| all.add(&next?).ok();
        size.terms().into_iter().map(term).try_fold(SizeExpr::from(0), sum).unwrap_or_else(|| size.clone())
    })
}

/// Changes every expression of sizes and positions in a kernel.
fn map_sizes(ctx: &Context, kernel: &mut Body, change: &mut dyn FnMut(&SizeExpr) -> SizeExpr) {
    let list = |change: &mut dyn FnMut(&SizeExpr) -> SizeExpr, list: Vec<SizeExpr>| list.iter().map(change).collect();
    let root = kernel.root();
    let func = Func::from(OpRef::new(ctx, kernel, root));
    let (iters, ty) = (func.iter_sizes(), func.function_type());
    let iters: Vec<SizeExpr> = list(change, iters);
    kernel.set_prop(ctx, root, ctx.intern_str("iter_sizes"), Some(Sizes::make(ctx, iters)));
    if let TypeData::Function { inputs, results } = ctx.type_data(ty) {
        let mut memory = |ty: &Type| match MemRef::of(ctx, *ty) {
            Some(memory) => {
                let dims = list(change, memory.dims(ctx));
                let layout = memory.layout(ctx);
                MemRef::get(ctx, dims, memory.elem(ctx), layout, memory.align(ctx), memory.noalias(ctx))
            }
            None => *ty,
        };
        let inputs: Vec<Type> = inputs.iter().map(&mut memory).collect();
        let results: Vec<Type> = results.iter().map(&mut memory).collect();
        set_types(ctx, kernel, &inputs, &results);
    }
    for op in kernel.walk() {
        map_of_op(ctx, kernel, op, change);
    }
}

/// Gives a kernel other types of memory.
pub fn set_types(ctx: &Context, kernel: &mut Body, inputs: &[Type], results: &[Type]) {
    let ty = ctx.type_attr(ctx.function_type(inputs, results));
    kernel.set_prop(ctx, kernel.root(), Str::FUNCTION_TYPE, Some(ty));
    let args: Vec<_> = kernel.entry_block().map(|block| kernel.args(block).to_vec()).unwrap_or_default();
    for (arg, &ty) in args.into_iter().zip(inputs) {
        kernel.set_value_type(arg, ty);
    }
}

fn map_of_op(ctx: &Context, kernel: &mut Body, op: OpId, change: &mut dyn FnMut(&SizeExpr) -> SizeExpr) {
    let view = OpRef::new(ctx, kernel, op);
    let mut guard = None;
    let mut exprs = None;
    if let Some(read) = Read::of(view) {
        (exprs, guard) = (Some(("at", read.at())), read.guard());
    } else if let Some(index) = Index::of(view) {
        exprs = Some(("value", index.value()));
    } else if let Some(select) = Select::of(view) {
        guard = select.guard();
    }
    let sizes = Reduce::of(view).map(|reduce| ("sizes", reduce.sizes()));
    if let Some((name, sizes)) = sizes.or_else(|| BroadcastInDim::of(view).map(|op| ("shape", op.shape()))) {
        let sizes = sizes.iter().map(&mut *change).collect();
        kernel.set_prop(ctx, op, ctx.intern_str(name), Some(Sizes::make(ctx, sizes)));
    }
    if let Some((name, exprs)) = exprs {
        let exprs = exprs.iter().map(&mut *change).collect();
        kernel.set_prop(ctx, op, ctx.intern_str(name), Some(Exprs::make(ctx, exprs)));
    }
    if let Some(guard) = guard {
        let mut side = |condition: &Condition| Condition {
            expr: change(&condition.expr),
            lower: condition.lower.as_ref().map(&mut *change),
            upper: condition.upper.as_ref().map(&mut *change),
        };
        let pieces = guard.pieces.iter().map(|piece| piece.iter().map(&mut side).collect()).collect();
        kernel.set_prop(ctx, op, ctx.intern_str("guard"), Some(Guard::make(ctx, Guard { pieces })));
    }
}
