//! Where TMA begins within rows of memory: at multiples of 16 bytes, as it stops the kernel at others.

use dlc_core::memref::MemRef;
use dlc_ir::diag::Diagnostic;
use dlc_ir::{OpId, OpRef};
use dlc_kernel::ops;

use super::NOT_CHECKED;
use super::blocks::memory_of;
use crate::analysis::boxes;

/// Verifies it of all that TMA loads and stores in a grid.
///
/// Errors: the first box of which it is not known.
pub fn check_rows(grid: ops::Grid<'_>) -> Result<(), Box<Diagnostic>> {
    let mut inside: Vec<OpId> = Vec::new();
    grid.body.walk_regions(grid.id, &mut inside);
    inside.into_iter().try_for_each(|id| begins_aligned(OpRef { id, ..*grid }))
}

fn begins_aligned(op: OpRef<'_>) -> Result<(), Box<Diagnostic>> {
    let (map, at, args): (_, _, Vec<_>) = match (ops::TmaLoad::of(op), ops::TmaStore::of(op)) {
        (Some(load), _) => (load.map(), load.at(), load.args().collect()),
        (_, Some(store)) => (store.map(), store.at(), store.args().collect()),
        _ => return Ok(()),
    };
    let Some(memory) = MemRef::of(op.ctx, op.type_of(memory_of(op, map))) else { return Ok(()) };
    boxes::begins_aligned(op.ctx, op.body, memory, &at, &args).map_err(|reason| {
        let message = format!("not verified: {reason}, and TMA stops the kernel at others");
        let suggestion = "let threads copy it ('copy', 'store'), or let it begin at such a place";
        Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(suggestion))
    })
}
