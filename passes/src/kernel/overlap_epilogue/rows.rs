//! Results that leave through shared memory, panel by panel, rows by threads: lanes side by side store elements side by
//! side, wherever rows begin.

use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, OpId, Type};
use dlc_kernel::global::position;
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::{Distributed, LANES};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of};

use super::parts::Parts;
use super::{Panels, shared_tile, slot};
use crate::rewrites::through_shared::{self, Places, Through};
use crate::rewrites::unused::erase_unused;

/// The warps that have a panel.
const WARPS: u32 = 4;

/// Puts stores of rows of panels in the place of a store. `None` where positions go beyond 64 bits.
pub fn store_rows(ctx: &Context, body: &mut Body, op: OpId, panels: &Panels) -> Option<()> {
    let loc = panels.loc;
    let store = kernel::Store::from(OpRef::new(ctx, body, op));
    let (value, memory, places) = (store.value(), store.target(), Places::of(store));
    let tile = shared_tile(ctx, body, panels)?;
    let part_type = panels.tile[1];
    let whole = body.value_type(value) == part_type;
    let shape = Frag::of(ctx, part_type).map(|frag| frag.shape(ctx)).unwrap_or_default();
    let read = read_type(ctx, panels, elem_of(ctx, part_type))?;
    for (number, &[row, column]) in panels.firsts.iter().enumerate() {
        let slot = slot(ctx, body, op, panels, number as i64 % panels.buffers)?;
        if is_behind_readers(panels, number) {
            kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, None, None);
        }
        let part = match whole {
            true => value,
            false => {
                let parts = Parts::new(ctx, body, op, [row, column], shape.clone());
                parts.with_edges(body, value).of(body, value)?
            }
        };
        // Where an element of the rows was in the fragment.
        let moved = |name: &str| {
            let axis = axis_number(name).filter(|&axis| axis < 2)?;
            let own = if panels.turned { 1 - axis } else { axis };
            position(own)?.add(&SizeExpr::from([row, column][axis])).ok()
        };
        let through = Through { tile, slot, turned: panels.turned, read };
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        through_shared::store(&mut builder, loc, part, &through, memory, places.moved(&moved)?);
    }
    body.erase_op(op);
    let made: Vec<OpId> = body.defining_op(value).into_iter().collect();
    erase_unused(ctx, body, made);
    Some(())
}

/// A panel as its rows are read: as many lanes along a row as it has elements.
fn read_type(ctx: &Context, panels: &Panels, elem: Type) -> Option<Type> {
    let along = u32::try_from(panels.shape[1].min(LANES.into())).ok()?;
    let layout = Distributed::blocked(&[1, 1], &[LANES / along, along], &[WARPS, 1]);
    Some(Frag::get(ctx, panels.shape.to_vec(), elem, layout))
}

/// Whether threads may still read the panel before, and it has the same buffer. From one panel to the next but one all
/// threads meet.
fn is_behind_readers(panels: &Panels, number: usize) -> bool {
    let (buffers, count) = (panels.buffers as usize, panels.firsts.len());
    match number {
        // The last panel of the tile before.
        0 => !panels.loops.is_empty() && (count - 1) % buffers == 0,
        _ => buffers == 1,
    }
}
