//! Makes one axis of two that follow each other wherever a kernel reads, reduces and writes: rows of `H x W` elements become
//! rows of as many, of which tiles, vectors and reductions take any number.
//!
//! **Requires**: region.
//! **Ensures**: region. In no private kernel that launches always run and that has no plan, two axes could be one, or an
//! axis of the results has one position that no product of two matrices has: a product of a matrix and a vector is a sum of
//! rows. Where a size is a product of symbols, the kernel
//! has a symbol for it.
//!
//! **Before**
//! ```mlir before
//! host.func @f<N, H, W>(%x: memref<[N, 8, H, W], f32, row_major, align 128>) -> memref<[N, 8], f32, row_major, align 128> {
//!   %y = launch @f_0<N, H, W> (%x) : memref<[N, 8], f32, row_major, align 128>
//!   return %y
//! }
//! region.func private @f_0<N, H, W> iters (n: N, c: 8) ins (%x: memref<[N, 8, H, W], f32, row_major, align 128>) outs (y: memref<[N, 8], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (h: H, w: W) acc f32 init 0.0 {
//!     %0 = read %x[n, c, h, w] : f32 over (n, c, h, w)
//!     yield %0
//!   } : f32 over (n, c)
//!   yield %y to y
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f<N, H, W>(%x: memref<[N, 8, H, W], f32, row_major, align 128>) -> memref<[N, 8], f32, row_major, align 128> {
//!   %0 = view %x : memref<[8*N, H*W], f32, row_major, align 128>
//!   %y = launch @f_0<N, H*W> (%0) : memref<[8*N], f32, row_major, align 128>
//!   %1 = view %y : memref<[N, 8], f32, row_major, align 128>
//!   return %1
//! }
//! region.func private @f_0<N, HW> iters (nc: 8*N)
//!   ins (%x: memref<[8*N, HW], f32, row_major, align 128>)
//!   outs (y: memref<[8*N], f32, row_major, align 128> materialize gmem) {
//!   %y = reduce sum (hw: HW) acc f32 init 0.0 {
//!     %0 = read %x[nc, hw] : f32 over (nc, hw)
//!     yield %0
//!   } : f32 over (nc)
//!   yield %y to y
//! }
//! ```
//!
//! **Does not** touch axes of which one is read, guarded, broadcast or scanned without the other, memory that is not in
//! row-major order, or axes of products of matrices with other reductions. Of one product alone, axes of one side become one: pixels
//! that no window goes over are the rows or columns of a matrix. A product of two matrices keeps its axes of one position.
//!
//! Two axes may be one if values depend on both or on neither, and if all memory that is read or written at one of them
//! has both next to each other in their full size. A position that goes on with the second where the first ends, `64*h + w`
//! for 64 of `w`, is a position along both. Memory that is read at the two parts of one position alone, `x floordiv 3` and
//! `x mod 3`, has one axis for both. Whether memory may be seen with fewer axes depends on all its reads,
//! so pairs are taken away until none is refused (the largest set without a contradiction); what shares memory is merged
//! together. Linear in ops times axes. Sums go over the same elements in the same order. Rules of the debug
//! counters: `single`, `parts`, `merge`.

mod pairs;
mod parts;
mod single;
mod sizes;

use dlc_core::memref::{Layout, MemRef};
use dlc_host::choice::{Choice, Choices};
use dlc_host::ops::{Launch, View};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Type, TypeData};
use dlc_region::ops::{Func, Read};
use dlc_region::verify::KernelAxes;

use crate::analysis::axes::reductions;
use crate::plan::shape::{Axis, Groups, Shape, groups};
use crate::rewrites::launches::{Launches, free_kernels, symbols};

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "merged", doc: "Axes that became part of another one." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("merge-axes", "Merges axes that are contiguous in every access.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(MergeAxes))
}

struct MergeAxes;

impl Pass for MergeAxes {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("merged", merge_axes(body, cx));
        Ok(())
    }
}

/// Makes one axis of several in the kernels of a module. How many axes are gone.
pub fn merge_axes(module: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let launches = Launches::of_module(ctx, module);
    let mut merged = 0;
    for (op, name) in free_kernels(ctx, module, &launches) {
        let Some(kernel) = module.nested(op) else { continue };
        let kernel_launches = launches.always_of(ctx, module, &name);
        if kernel_launches.is_empty() || !has_counted_memory(ctx, OpRef::new(ctx, kernel, kernel.root())) {
            continue;
        }
        let product = matrices(ctx, kernel);
        let is_chained = product.is_some() && reductions(ctx, kernel).len() > 1;
        let has_product = is_chained || product.is_some_and(|product| !is_vector(ctx, kernel, &product));
        let Some(kernel) = module.nested_mut(op) else { continue };
        let mut runs = pairs::Runs::of(ctx, kernel);
        let (before, mut made) = (merged, Vec::new());
        while cx.allows_rule("single") && single::remove(ctx, kernel, &mut runs, has_product) {
            merged += 1;
        }
        if !has_product && cx.allows_rule("single") {
            merged += single::remove_of_inputs(ctx, kernel, &mut runs);
        }
        if cx.allows_rule("parts") {
            merged += parts::join(ctx, kernel, &mut runs);
        }
        while let Some(pairs) = pairs::find(ctx, kernel).filter(|_| !is_chained && cx.allows_rule("merge")) {
            merged += pairs.len() as u64;
            made.extend(pairs::merge(ctx, kernel, &pairs, &mut runs));
        }
        if merged > before {
            let old = symbols(ctx, kernel);
            let own = sizes::name_products(ctx, kernel, &made);
            for (function, launch) in kernel_launches {
                if let Some(body) = module.nested_mut(function) {
                    launch_merged(ctx, body, launch, &runs, &old, &own);
                }
            }
        }
    }
    merged
}

/// What a kernel multiplies, if that are matrices.
fn matrices(ctx: &Context, kernel: &Body) -> Option<Groups> {
    groups(ctx, kernel, &Shape::of(ctx, kernel, &KernelAxes::of(ctx, kernel)))
}

/// Whether a product is of a matrix and a vector: it is a sum of rows or columns, whose plans read each element once, where
/// those of matrices have tiles that are mostly empty. Windows are read many times, from tiles in shared memory.
fn is_vector(ctx: &Context, kernel: &Body, product: &Groups) -> bool {
    let is_one = |axes: &[Axis]| axes.iter().all(|(_, size)| size.as_constant() == Some(1));
    let reads = kernel.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, kernel, op)));
    let is_window = |at: &SizeExpr| at.symbols().len() > 1;
    (is_one(&product.rows) || is_one(&product.columns))
        && !reads.into_iter().any(|read| read.at().iter().any(is_window))
}

/// Whether the elements of all memory of a kernel are a 64-bit number: other memory has no view.
fn has_counted_memory(ctx: &Context, kernel: OpRef<'_>) -> bool {
    let TypeData::Function { inputs, results } = ctx.type_data(Func::from(kernel).function_type()) else { return true };
    let mut dims = inputs.iter().chain(results.iter()).filter_map(|&ty| Some(MemRef::of(ctx, ty)?.dims(ctx)));
    dims.all(|dims| sizes::products(&dims, &[dims.len()]).is_some())
}

/// Lets a launch give and take memory with fewer axes, and say what the symbols of its kernel are now: each is an expression
/// of those that the kernel had.
fn launch_merged(ctx: &Context, body: &mut Body, op: OpId, runs: &pairs::Runs, old: &[String], own: &[SizeExpr]) {
    let launch = Launch::from(OpRef::new(ctx, body, op));
    let (loc, choices) = (launch.loc(), launch.choices());
    let (inputs, outs) = (launch.inputs().collect::<Vec<_>>(), launch.outs().collect::<Vec<_>>());
    for (number, (&input, run)) in inputs.iter().zip(&runs.inputs).enumerate() {
        if let Some(ty) = fewer(ctx, body.value_type(input), run) {
            let view = View::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, input, None, ty);
            let view = body.result(view, 0);
            body.set_operand(op, number, view);
        }
    }
    for (&out, run) in outs.iter().zip(&runs.outputs).rev() {
        let ty = body.value_type(out);
        if let Some(fewer) = fewer(ctx, ty, run) {
            let view = View::build(&mut Builder::new(ctx, body, InsertPoint::After(op)), loc, out, None, ty);
            let whole = body.result(view, 0);
            body.replace_all_uses(out, whole);
            body.set_operand(view, 0, out);
            body.set_value_type(out, fewer);
        }
    }
    let with_sizes = |choice: Choice| {
        let size = |name: &str| choice.sizes.get(old.iter().position(|known| known == name)?).cloned();
        let sizes = own.iter().map(|expr| expr.substitute(&size).unwrap_or_else(|_| expr.clone())).collect();
        Choice { sizes, ..choice }
    };
    let choices = choices.into_iter().map(with_sizes).collect();
    body.set_prop(ctx, op, ctx.intern_str("choices"), Some(Choices::make(ctx, choices)));
}

/// The type of memory with its axes in runs; `None` where each is a run.
fn fewer(ctx: &Context, ty: Type, runs: &[usize]) -> Option<Type> {
    let ty = MemRef::of(ctx, ty)?;
    let dims = ty.dims(ctx);
    if dims.len() == runs.len() {
        return None;
    }
    let dims = sizes::products(&dims, runs)?;
    Some(MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ty.align(ctx), ty.noalias(ctx)))
}
