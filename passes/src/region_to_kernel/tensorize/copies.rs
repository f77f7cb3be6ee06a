//! Where copies to shared memory stand, and along what they move.

use dlc_core::memref::MemRef;
use dlc_ir::body::{InsertPoint, OpRef};
use dlc_ir::{Builder, OpId, ValueId};
use dlc_kernel::global::contiguous_axis;
use dlc_kernel::ops as kernel;
use dlc_plan::clause::Kind;

use super::axes::Dim;
use super::contract::read_of;
use super::lower::Lower;

/// Whether a read moves along some axes as it moves along memory.
pub fn is_contiguous(lower: &Lower<'_, '_>, value: ValueId, axes: &[&str]) -> bool {
    let ctx = lower.ctx;
    let Some(read) = read_of(lower, value) else { return true };
    let contiguous = MemRef::of(ctx, read.type_of(read.source())).and_then(|ty| contiguous_axis(ctx, ty));
    let at = read.at();
    let last = contiguous.map_or(at.last(), |axis| at.get(axis));
    last.is_some_and(|last| last.symbols().iter().any(|name| axes.contains(&&**name)))
}

/// Whether a read moves along the axes of a side as it moves along memory. Where a window goes along both the side and the sum,
/// the longer axis of it says so: pixels, and not the places of a filter.
pub fn is_along(lower: &Lower<'_, '_>, value: ValueId, [side, sum]: [&Dim; 2]) -> bool {
    let longest = |dim: &Dim| {
        let own = dim.axes.iter().filter(|(name, _)| is_contiguous(lower, value, &[name.as_str()]));
        own.map(|(_, size)| size.as_constant().unwrap_or(i64::MAX)).max()
    };
    read_of(lower, value).is_none() || longest(side).is_some_and(|own| longest(sum).is_none_or(|other| own >= other))
}

impl Lower<'_, '_> {
    /// Moves a copy to the innermost loop that its positions depend on, and lets the threads meet after it.
    pub fn place_copy(&mut self, copy: OpId, values: &[ValueId]) {
        let (ctx, loc, emit) = (self.ctx, self.emit.loc, &mut self.emit);
        let source = kernel::Copy::from(OpRef::new(ctx, &emit.body, copy)).source();
        // What the kernel writes may change.
        let is_written = emit.body.defining_op(source).is_some();
        if !self.is_planned || self.conditions > 0 || is_written {
            return;
        }
        let Some(around) = emit.unchanging_loop(values) else { return };
        emit.body.move_op(copy, InsertPoint::Before(around));
        let mut builder = Builder::new(ctx, &mut emit.body, InsertPoint::Before(around));
        if self.tiling.matrix.as_ref().is_some_and(|matrix| matrix.instruction == Kind::Wgmma) {
            kernel::FenceAsync::build(&mut builder, loc);
        }
        kernel::Barrier::build(&mut builder, loc, None, None);
    }
}
