//! Where copies to shared memory stand.

use dlc_ir::body::{InsertPoint, OpRef};
use dlc_ir::{Builder, OpId, ValueId};
use dlc_kernel::ops as kernel;
use dlc_plan::clause::Kind;

use super::lower::Lower;

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
