//! The rules of kernels that declarations do not say.

mod compute;
mod flags;
mod frame;
mod infer;
mod memory;
mod sync;

pub use compute::*;
pub use flags::*;
pub use frame::*;
pub use infer::*;
pub use memory::*;
pub use sync::*;

use std::sync::Arc;

use dlc_core::sizes::value_number;
use dlc_ir::affine::SizeExpr;
use dlc_ir::op::op_error;
use dlc_ir::{Diagnostics, OpRef, Type};

use crate::layout::Fragment;
use crate::ops::{Grid, Role};
use crate::types::Frag;

dlc_ir::codes! {
    /// A tile does not lie in registers or in shared memory as its layout says.
    LAYOUT_MISMATCH = "E1701" "LayoutMismatch";
    /// An op is run by other threads than it can be run by.
    WRONG_THREADS = "E1702" "WrongThreads";
    /// An expression names what is not there: a value or an axis that there is none of.
    UNKNOWN_POSITION = "E1703" "UnknownPosition";
    /// Sizes do not fit each other: of a product of matrices, of a box and its tile.
    SHAPE_MISMATCH = "E1704" "ShapeMismatch";
}

/// The number of warps that run an op: those of a group of the role around it, or those of a block.
pub fn warps_of(op: OpRef<'_>) -> Option<u32> {
    let mut at = Some(op.id);
    while let Some(id) = at {
        let here = OpRef { id, ..op };
        if let Some(role) = Role::of(here) {
            let warps = role.last().checked_sub(role.first())?;
            return u32::try_from(warps / role.groups().max(1)).ok();
        }
        if let Some(grid) = Grid::of(here) {
            return u32::try_from(grid.threads() / 32).ok();
        }
        at = op.body.parent_op(id);
    }
    None
}

pub use crate::interp::is_single;

/// Where a fragment's elements are, if its layout fits the threads that run the op; else what is wrong is said.
pub fn place(op: OpRef<'_>, ty: Type, diags: &Diagnostics) -> Option<Arc<Fragment>> {
    let frag = Frag::of(op.ctx, ty)?;
    let warps = warps_of(op)?;
    match frag.place(op.ctx, warps) {
        Ok(fragment) => Some(fragment),
        Err(reason) => {
            let message = format!("{} does not lie in the registers of {warps} warps: {reason}", ty.display(op.ctx));
            diags.emit(dlc_ir::diag::Diagnostic::error(&LAYOUT_MISMATCH, op.loc(), message).at(op.name()));
            None
        }
    }
}

/// The expressions name only values that there are, and positions on the axes that there are.
pub fn names(op: OpRef<'_>, exprs: &[SizeExpr], values: usize, axes: usize, diags: &Diagnostics) {
    for name in exprs.iter().flat_map(SizeExpr::symbols) {
        let known = match (value_number(&name), axis_number(&name)) {
            (Some(number), _) => number < values,
            (None, Some(axis)) => axis < axes,
            (None, None) => true,
        };
        if !known {
            let message = format!("the expression names '{name}', and there are {values} values and {axes} axes");
            diags.emit(dlc_ir::diag::Diagnostic::error(&UNKNOWN_POSITION, op.loc(), message).at(op.name()));
        }
    }
}

pub use crate::interp::axis_number;

/// A rule that is broken, with a code of its own.
fn broken(op: OpRef<'_>, code: &'static dlc_ir::diag::Code, message: String, diags: &Diagnostics) {
    diags.emit(dlc_ir::diag::Diagnostic::error(code, op.loc(), message).at(op.name()));
}

/// What all lanes of a warp do together, no thread does alone.
fn whole_warps(op: OpRef<'_>, what: &str, diags: &Diagnostics) {
    if is_single(op) {
        broken(op, &WRONG_THREADS, format!("whole warps {what}, not one thread"), diags);
    }
}

/// A rule that is broken.
fn plain(op: OpRef<'_>, message: impl Into<String>, diags: &Diagnostics) {
    diags.emit(op_error(op, message.into()));
}
