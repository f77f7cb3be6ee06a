//! Axes of memory that are read at the parts of one position.

use dlc_core::bounds::Axes;
use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::Exprs;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::{Context, OpId, ValueId};
use dlc_region::ops::Read;
use dlc_region::syntax::element_of;
use dlc_region::verify::KernelAxes;

use super::pairs::{Runs, bounded, memory, with_merged};
use super::sizes::set_types;

/// Makes one axis of two of memory where all reads are at the parts of a position, as `x floordiv 3` and `x mod 3` are. How many
/// axes are gone.
pub fn join(ctx: &Context, kernel: &mut Body, runs: &mut Runs) -> u64 {
    let mut joined = 0;
    while let Some(Parts { port, place, reads }) = find(ctx, kernel) {
        for (op, at) in reads {
            kernel.set_prop(ctx, op, ctx.intern_str("at"), Some(Exprs::make(ctx, at)));
        }
        let (mut inputs, outputs) = memory(ctx, kernel);
        inputs[port] = with_merged(ctx, inputs[port], place);
        set_types(ctx, kernel, &inputs, &outputs);
        let next = runs.inputs[port].remove(place + 1);
        runs.inputs[port][place] += next;
        joined += 1;
    }
    joined
}

/// Two axes of memory next to each other that are parts of one.
struct Parts {
    /// The argument.
    port: usize,
    /// The place of the first of them.
    place: usize,
    /// The reads, and their positions with one for both.
    reads: Vec<(OpId, Vec<SizeExpr>)>,
}

fn find(ctx: &Context, kernel: &Body) -> Option<Parts> {
    let args = kernel.entry_block().map(|block| kernel.args(block)).unwrap_or_default();
    let of_port = |(port, &arg): (usize, &ValueId)| {
        let ty = MemRef::of(ctx, kernel.value_type(arg)).filter(|ty| ty.layout(ctx) == Layout::RowMajor)?;
        let (dims, all) = (ty.dims(ctx), kernel.uses(arg).map(|used| used.op).collect::<Vec<OpId>>());
        let with_one = |op: OpId, place: usize| {
            let read = Read::of(OpRef::new(ctx, kernel, op))?;
            let at = with_one(&read.at(), place, &dims)?;
            is_inside(ctx, kernel, read, &at, (place, &dims)).then_some((op, at))
        };
        let reads = |place: usize| all.iter().map(|&op| with_one(op, place)).collect::<Option<Vec<_>>>();
        (1..dims.len()).map(|next| next - 1).find_map(|place| {
            let reads = reads(place).filter(|reads| !reads.is_empty())?;
            Some(Parts { port, place, reads })
        })
    };
    args.iter().enumerate().find_map(of_port)
}

/// Whether it is known of a read at these positions that it is inside its memory, of which two axes are one then: a number is less
/// than `3*B` only because the size of the first axis says so.
fn is_inside(
    ctx: &Context,
    kernel: &Body,
    read: Read<'_>,
    at: &[SizeExpr],
    (place, dims): (usize, &[SizeExpr]),
) -> bool {
    let Ok(both) = dims[place].mul(&dims[place + 1]) else { return false };
    let dims = [&dims[..place], &[both], &dims[place + 2..]].concat();
    let (access, dims) = bounded(read, at.to_vec(), dims);
    let kernel = KernelAxes::of(ctx, kernel);
    let mut axes = Axes::new(kernel.names.iter().map(String::as_str).collect(), &kernel.sizes);
    axes.outside(&access, &dims).is_none()
}

/// Positions with one in place of two that are its parts.
fn with_one(at: &[SizeExpr], place: usize, dims: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    if at.len() != dims.len() || at[place..=place + 1].iter().any(|at| element_of(at).is_some()) {
        return None;
    }
    let quotients = |at: &SizeExpr| {
        let factors = at.terms().into_iter().flat_map(|(_, factors)| factors);
        factors.filter(|factor| matches!(factor, Factor::Quotient(..))).count()
    };
    let whole = at[place].mul(&dims[place + 1]).and_then(|first| first.add(&at[place + 1])).ok()?;
    let are_parts = quotients(&at[place]) > 0 && quotients(&whole) < quotients(&at[place]) + quotients(&at[place + 1]);
    are_parts.then(|| [&at[..place], &[whole], &at[place + 2..]].concat())
}
