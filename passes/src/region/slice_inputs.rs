//! Lets kernels that read few positions of an axis take only the memory of these, where that makes them equal: the steps of
//! a recurrence, which read their inputs at positions of their own, are then planned and compiled once.
//!
//! **Requires**: region.
//! **Ensures**: region. Where kernels were equal but for positions that are numbers, they have no such axes, and their
//! launches pass views of the memory.
//!
//! **Before**
//! ```mlir before
//! host.func @f(%x: memref<[2, 4, 8], f32, row_major, align 128>) -> (memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>) {
//!   %0 = launch @f_0 (%x) : memref<[2, 8], f32, row_major, align 128>
//!   %1 = launch @f_1 (%x) : memref<[2, 8], f32, row_major, align 128>
//!   %2 = launch @f_2 (%x) : memref<[2, 8], f32, row_major, align 128>
//!   %3 = launch @f_3 (%x) : memref<[2, 8], f32, row_major, align 128>
//!   return %0, %1, %2, %3
//! }
//! region.func private @f_0 iters (i: 2, j: 8) ins (%x: memref<[2, 4, 8], f32, row_major, align 128>) outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, 0, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_1 iters (i: 2, j: 8) ins (%x: memref<[2, 4, 8], f32, row_major, align 128>) outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, 1, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_2 iters (i: 2, j: 8) ins (%x: memref<[2, 4, 8], f32, row_major, align 128>) outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, 2, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_3 iters (i: 2, j: 8) ins (%x: memref<[2, 4, 8], f32, row_major, align 128>) outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, 3, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! ```
//! **After**
//! ```mlir after
//! host.func @f(%x: memref<[2, 4, 8], f32, row_major, align 128>) -> (memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>, memref<[2, 8], f32, row_major, align 128>) {
//!   %0 = view %x from 0 : memref<[2, 8], f32, strided [32, 1], align 32>
//!   %1 = launch @f_0 (%0) : memref<[2, 8], f32, row_major, align 128>
//!   %2 = view %x from 8 : memref<[2, 8], f32, strided [32, 1], align 32>
//!   %3 = launch @f_1 (%2) : memref<[2, 8], f32, row_major, align 128>
//!   %4 = view %x from 16 : memref<[2, 8], f32, strided [32, 1], align 32>
//!   %5 = launch @f_2 (%4) : memref<[2, 8], f32, row_major, align 128>
//!   %6 = view %x from 24 : memref<[2, 8], f32, strided [32, 1], align 32>
//!   %7 = launch @f_3 (%6) : memref<[2, 8], f32, row_major, align 128>
//!   return %1, %3, %5, %7
//! }
//! region.func private @f_0 iters (i: 2, j: 8)
//!   ins (%x: memref<[2, 8], f32, strided [32, 1], align 32>)
//!   outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_1 iters (i: 2, j: 8)
//!   ins (%x: memref<[2, 8], f32, strided [32, 1], align 32>)
//!   outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_2 iters (i: 2, j: 8)
//!   ins (%x: memref<[2, 8], f32, strided [32, 1], align 32>)
//!   outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! region.func private @f_3 iters (i: 2, j: 8)
//!   ins (%x: memref<[2, 8], f32, strided [32, 1], align 32>)
//!   outs (y: memref<[2, 8], f32, row_major, align 128> materialize gmem) {
//!   %0 = read %x[i, j] : f32 over (i, j)
//!   %y = unary exp2 %0 : f32 over (i, j)
//!   yield %y to y
//! }
//! ```
//! `merge-kernels` leaves one of them.
//!
//! **Does not** slice fewer than four equal kernels: memory with gaps has fewer plans than memory without, so a slice costs
//! something where it saves little. Nor axes of which the size is no number, memory that is not in row-major order, public
//! kernels, those with a plan, and those that a launch chooses from others.
//!
//! Linear in ops. A slice goes from the first to the last of the positions that a kernel reads; along other axes it is all
//! of the memory. It is aligned as the steps between positions are, so that all have one type. Rule of the debug counters:
//! `slice`.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::Exprs;
use dlc_host::buffers::element_bytes;
use dlc_host::ops::{Launch, View};
use dlc_ir::affine::{AffineError, SizeExpr};
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Str, Type, TypeData, ValueId};
use dlc_region::ops::{Func, Read};
use rustc_hash::FxHashMap;

use crate::analysis::kernel_parts::{self, Change, parts};
use crate::rewrites::launches::{At, Launches, free_kernels};

/// The fewest kernels that slices make one.
const FEWEST: usize = 4;

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "sliced", doc: "Kernels that take parts of inputs." }],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("slice-inputs", "Passes kernels the positions that they read, where that makes them equal.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(SliceInputs))
}

struct SliceInputs;

impl Pass for SliceInputs {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("sliced", slice_inputs(body, cx));
        Ok(())
    }
}

/// A kernel that may take slices.
struct Sliced {
    op: OpId,
    launches: Vec<At>,
    slices: Vec<Slice>,
    change: Change,
}

/// The part of an input that a kernel reads.
struct Slice {
    /// The number of the input.
    input: usize,
    /// The element at which it begins.
    start: SizeExpr,
    /// Its type.
    ty: Type,
}

/// Slices inputs of the kernels of a module. How many have other inputs now.
pub fn slice_inputs(module: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let launches = Launches::of_module(ctx, module);
    let mut alike: FxHashMap<Vec<kernel_parts::Part>, Vec<Sliced>> = FxHashMap::default();
    for (op, name) in free_kernels(ctx, module, &launches) {
        let Some(kernel) = module.nested(op) else { continue };
        let launches = launches.always_of(ctx, module, &name);
        if let Some((slices, change)) = slices(ctx, kernel).filter(|_| !launches.is_empty()) {
            let parts = parts(ctx, kernel, &change);
            alike.entry(parts).or_default().push(Sliced { op, launches, slices, change });
        }
    }
    let mut all: Vec<Sliced> = alike.into_values().filter(|alike| alike.len() >= FEWEST).flatten().collect();
    // The map has them in no order.
    all.sort_by_key(|sliced| sliced.op);
    let mut count = 0;
    for sliced in all {
        if !cx.allows_rule("slice") {
            continue;
        }
        if let Some(kernel) = module.nested_mut(sliced.op) {
            apply(ctx, kernel, &sliced.change);
        }
        for (function, launch) in sliced.launches {
            if let Some(body) = module.nested_mut(function) {
                pass_slices(ctx, body, launch, &sliced.slices);
            }
        }
        count += 1;
    }
    count
}

/// The slices that a kernel reads of its inputs, and what it is with them; `None` if there are none.
fn slices(ctx: &Context, kernel: &Body) -> Option<(Vec<Slice>, Change)> {
    let block = kernel.entry_block()?;
    let mut reads: FxHashMap<ValueId, Vec<Read<'_>>> = FxHashMap::default();
    for op in kernel.walk() {
        if let Some(read) = Read::of(OpRef::new(ctx, kernel, op)) {
            reads.entry(read.source()).or_default().push(read);
        }
    }
    let TypeData::Function { inputs, results } =
        ctx.type_data(Func::from(OpRef::new(ctx, kernel, kernel.root())).function_type())
    else {
        return None;
    };
    let mut types = inputs.to_vec();
    let (mut found, mut change) = (Vec::new(), Change::default());
    for (input, arg) in kernel.args(block).iter().enumerate() {
        let (Some(reads), Some(memory)) = (reads.get(arg), MemRef::of(ctx, types[input])) else { continue };
        // Beyond the limits of symbolic sizes the kernel stays what it is.
        let Ok(Some(Part { kept, first, start, ty })) = part(ctx, memory, reads) else { continue };
        for read in reads {
            let old = read.at();
            // Only positions that are numbers move.
            let new = |&axis: &usize| match old[axis].as_constant() {
                Some(position) => SizeExpr::from(position - first[axis]),
                None => old[axis].clone(),
            };
            let at = kept.iter().map(new).collect();
            change.props.insert((read.id, ctx.intern_str("at")), Exprs::make(ctx, at));
        }
        change.types.insert(*arg, ty);
        types[input] = ty;
        found.push(Slice { input, start, ty });
    }
    let function = ctx.type_attr(ctx.function_type(&types, results));
    change.props.insert((kernel.root(), Str::FUNCTION_TYPE), function);
    (!found.is_empty()).then_some((found, change))
}

/// A part of memory, between the first and the last of the positions that are read along some axes.
struct Part {
    /// The axes that are left: those with several positions.
    kept: Vec<usize>,
    /// The first position along each axis of the memory.
    first: Vec<i64>,
    /// The element at which it begins.
    start: SizeExpr,
    ty: Type,
}

/// The part that reads take of memory; `None` if it is all of it, as far as is known.
fn part(ctx: &Context, memory: MemRef, reads: &[Read<'_>]) -> Result<Option<Part>, AffineError> {
    let (mut dims, width) = (memory.dims(ctx), element_bytes(ctx, memory.elem(ctx)));
    let strides = memory.layout(ctx).strides(&dims).filter(|_| memory.layout(ctx) == Layout::RowMajor);
    let Some((strides, _)) = strides else { return Ok(None) };
    let (mut first, mut start, mut align) = (vec![0; dims.len()], SizeExpr::from(0), memory.align(ctx));
    let mut kept: Vec<usize> = Vec::new();
    for (axis, stride) in strides.iter().enumerate() {
        kept.push(axis);
        let Some((low, high)) = positions(&dims[axis], reads.iter().map(|read| read.at()[axis].clone())) else {
            continue;
        };
        if low == high {
            kept.pop();
        }
        (first[axis], dims[axis]) = (low, SizeExpr::from(high - low + 1));
        start = start.add(&stride.mul(&SizeExpr::from(low))?)?;
        let step = stride.mul(&SizeExpr::from(width))?;
        while align > 1 && !step.divisible_by(align) {
            align /= 2;
        }
    }
    if dims == memory.dims(ctx) {
        return Ok(None);
    }
    let own = |of: &[SizeExpr]| -> Vec<SizeExpr> { kept.iter().map(|&axis| of[axis].clone()).collect() };
    let (dims, strides) = (own(&dims), own(&strides));
    let layout = match Layout::RowMajor.strides(&dims) {
        Some((dense, _)) if dense == strides => Layout::RowMajor,
        _ => Layout::Strided { strides, offset: SizeExpr::from(0) },
    };
    let ty = MemRef::get(ctx, dims, memory.elem(ctx), layout, align, memory.noalias(ctx));
    Ok(Some(Part { kept, first, start, ty }))
}

/// The least and the greatest of positions along an axis of some size, if they are numbers, and not all that there are.
fn positions(size: &SizeExpr, at: impl Iterator<Item = SizeExpr>) -> Option<(i64, i64)> {
    let size = size.as_constant()?;
    let all: Vec<i64> = at.map(|at| at.as_constant()).collect::<Option<_>>()?;
    let (low, high) = (*all.iter().min()?, *all.iter().max()?);
    (low >= 0 && high < size && high - low + 1 < size).then_some((low, high))
}

/// Lets a kernel be what it would be with a change.
fn apply(ctx: &Context, kernel: &mut Body, change: &Change) {
    for (&(op, key), &attr) in &change.props {
        kernel.set_prop(ctx, op, key, Some(attr));
    }
    for (&value, &ty) in &change.types {
        kernel.set_value_type(value, ty);
    }
}

/// Lets a launch pass slices of what it passed.
fn pass_slices(ctx: &Context, body: &mut Body, op: OpId, slices: &[Slice]) {
    let launch = Launch::from(OpRef::new(ctx, body, op));
    let (loc, inputs) = (launch.loc(), launch.inputs().collect::<Vec<_>>());
    for slice in slices {
        let (memory, start) = (inputs[slice.input], Some(slice.start.clone()));
        let view = View::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, memory, start, slice.ty);
        let view = body.result(view, 0);
        body.set_operand(op, slice.input, view);
    }
}
