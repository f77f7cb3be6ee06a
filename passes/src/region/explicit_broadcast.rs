//! Writes out where a value is broadcast before it meets another one, so that whoever lowers a kernel sees each
//! broadcast and never guesses one from types.
//!
//! **Requires**: region.
//! **Ensures**: outside of the bodies of reductions, and with the option `bodies` in them too, the operands of `binary`
//! and `select` are over the axes of the result; with it, reads are over their axes in the order of memory.
//!
//! **Before**
//! ```mlir before
//! region.func @bias<M, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>, %bias: memref<[N], f32, row_major, align 4>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %b = read %bias[n] : f32 over (n)
//!   %y = binary add %x, %b : f32 over (m, n)
//!   yield %y to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @bias<M, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, N], f32, row_major, align 4>, %bias: memref<[N], f32, row_major, align 4>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %x = read %X[m, n] : f32 over (m, n)
//!   %b = read %bias[n] : f32 over (n)
//!   %0 = broadcast_in_dim %b to [M, N] dims [1] : f32 over (m, n)
//!   %y = binary add %x, %0 : f32 over (m, n)
//!   yield %y to Y
//! }
//! ```
//!
//! **Does not** write broadcasts in the bodies of reductions, which read directly (`ccon1`); with `bodies`, for the
//! form that keeps the broadcasts before products, it does. It changes nothing where a region combines
//! accumulators.
//!
//! A value that is broadcast to the same axes twice in a block is broadcast once. Linear. Specification, section 6.4.
//! Rules of the debug counters: `broadcast`, `transpose`.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{BlockId, OpId, Type, ValueId};
use dlc_region::ops::{Binary, BroadcastInDim, Read, Reduce, Select, Transpose};
use dlc_region::types::Value;
use dlc_region::verify::KernelAxes;
use rustc_hash::FxHashMap;

use crate::analysis::axes::{axes, contributions, elem, is_kernel, places, set_axes};

static DEF: PassDef = PassDef {
    requires: &["region"],
    options: &[OptionDef {
        name: "bodies",
        kind: OptionKind::Bool,
        default: "false",
        doc: "Whether bodies get broadcasts too, and reads a transpose after them, as tinygrad writes products.",
    }],
    statistics: &[
        StatDef { name: "broadcasts", doc: "Broadcasts written." },
        StatDef { name: "transposes", doc: "Transposes written." },
    ],
    ..PassDef::base("explicit-broadcast", "Makes broadcasts explicit.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ExplicitBroadcast { bodies: options.flag("bodies") }))
}

struct ExplicitBroadcast {
    bodies: bool,
}

impl Pass for ExplicitBroadcast {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (broadcasts, transposes) = explicit_broadcast(body, self.bodies, cx);
        cx.count("broadcasts", broadcasts);
        cx.count("transposes", transposes);
        Ok(())
    }
}

/// Writes broadcasts, and with `bodies` also those in reductions and the transposes of reads. How many of both.
pub fn explicit_broadcast(body: &mut Body, bodies: bool, cx: &PassCx<'_>) -> (u64, u64) {
    let ctx = cx.ctx;
    if !is_kernel(ctx, body) {
        return (0, 0);
    }
    let kernel = KernelAxes::of(ctx, body);
    let mut blocks: Vec<BlockId> = body.entry_block().into_iter().collect();
    let (mut broadcasts, mut transposes) = (0, 0);
    while let Some(block) = blocks.pop() {
        let ops: Vec<OpId> = body.ops(block).collect();
        let mut known = FxHashMap::default();
        for op in ops {
            let view = OpRef::new(ctx, body, op);
            if view.is(Binary::DEF) || view.is(Select::DEF) {
                broadcasts += broadcast_operands(body, cx, op, &kernel, &mut known);
            } else if bodies && view.is(Read::DEF) {
                transposes += u64::from(transpose_read(body, cx, op));
            } else if bodies && view.is(Reduce::DEF) {
                blocks.extend(contributions(body, op));
            }
        }
    }
    (broadcasts, transposes)
}

/// Broadcasts the operands of an op that are over fewer axes than its result. How many broadcasts that took.
fn broadcast_operands(
    body: &mut Body,
    cx: &PassCx<'_>,
    op: OpId,
    kernel: &KernelAxes,
    known: &mut FxHashMap<(ValueId, Type), ValueId>,
) -> u64 {
    let ctx = cx.ctx;
    let to = axes(ctx, body, body.result(op, 0));
    let mut made = 0;
    for index in 0..body.num_operands(op) {
        let value = body.operand(op, index);
        let from = axes(ctx, body, value);
        if from == to || !cx.allows_rule("broadcast") {
            continue;
        }
        let ty = Value::get(ctx, elem(ctx, body, value), to.clone());
        let wide = *known.entry((value, ty)).or_insert_with(|| {
            made += 1;
            let shape = to.iter().filter_map(|axis| kernel.size(axis).cloned()).collect();
            let loc = body.loc(op);
            let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
            let new = BroadcastInDim::build(&mut builder, loc, value, shape, places(&from, &to), ty);
            builder.result(new)
        });
        body.set_operand(op, index, wide);
    }
    made
}

/// Lets a read name its axes in the order of memory, and turns the result. Whether it had to be transposed.
fn transpose_read(body: &mut Body, cx: &PassCx<'_>, op: OpId) -> bool {
    let ctx = cx.ctx;
    let read = Read::from(OpRef::new(ctx, body, op));
    let (out, wanted) = (read.out(), axes(ctx, body, read.out()));
    let stored = in_memory(read, &wanted);
    if stored == wanted || !cx.allows_rule("transpose") {
        return false;
    }
    let (ty, loc, by) = (body.value_type(out), body.loc(op), places(&wanted, &stored));
    set_axes(ctx, body, out, stored);
    let mut builder = Builder::new(ctx, body, InsertPoint::After(op));
    let new = Transpose::build(&mut builder, loc, out, by, ty);
    let transposed = builder.result(new);
    let uses: Vec<_> = body.uses(out).filter(|used| used.op != new).collect();
    for used in uses {
        body.set_operand(used.op, used.index, transposed);
    }
    true
}

/// The axes of a read in the order in which its positions first name them; then those that only its guard or a position
/// that is a value depends on.
fn in_memory<'a>(read: Read<'_>, axes: &[&'a str]) -> Vec<&'a str> {
    let at = read.at();
    let first = |axis: &str| at.iter().position(|at| at.symbols().contains(axis)).unwrap_or(at.len());
    let mut stored = axes.to_vec();
    stored.sort_by_key(|axis| first(axis));
    stored
}
