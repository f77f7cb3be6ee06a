//! The blocks of a grid as numbers of its tiles, which something else counts.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, ValueId};
use dlc_kernel::ops as kernel;

use crate::analysis::expressions::{BoundExpr, index};
use crate::analysis::tiles::with_inner;

/// The ops of a grid that ask which block they are in.
pub fn block_ids(ctx: &Context, body: &Body, grid: OpId) -> Vec<OpId> {
    with_inner(body, grid).into_iter().filter(|&op| OpRef::new(ctx, body, op).is(kernel::BlockId::DEF)).collect()
}

/// Puts the place of a tile in place of that of a block: `counter` is the number of the tile, in a grid of the size
/// `dims` of which the first axis is the fastest.
pub fn place_tile(ctx: &Context, body: &mut Body, ids: &[OpId], counter: ValueId, dims: &[BoundExpr]) {
    for &op in ids {
        let view = kernel::BlockId::from(OpRef::new(ctx, body, op));
        let (loc, axis) = (view.loc(), usize::try_from(view.axis()).unwrap_or(0));
        let below = dims
            .iter()
            .take(axis)
            .try_fold(BoundExpr::plain(SizeExpr::from(1)), |all, size| all.with(size, |all, size| all.mul(size).ok()));
        let at = match (dims.get(axis), below, BoundExpr::value(counter)) {
            (Some(size), Some(below), Some(counter)) => {
                let row = counter.with(&below, |number, below| number.floordiv(below).ok());
                let last = axis + 1 == dims.len();
                row.and_then(|row| if last { Some(row) } else { row.with(size, |row, size| row.modulo(size).ok()) })
            }
            _ => None,
        };
        let at = at.unwrap_or(BoundExpr::plain(SizeExpr::from(0)));
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let value = index(&mut builder, loc, &at).unwrap_or(counter);
        let old = body.result(op, 0);
        body.replace_all_uses(old, value);
        if value != counter {
            let name = body.value_name(old);
            body.set_value_name(value, name);
        }
        body.erase_op(op);
    }
}
