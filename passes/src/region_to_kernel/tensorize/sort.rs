//! Sorts: whole rows, or groups of positions, each by the threads of one block.

use dlc_ir::attrs::AttrData;
use dlc_ir::body::InsertPoint;
use dlc_ir::float;
use dlc_ir::{Attr, Builder, Context, Type, ValueId};
use dlc_kernel::layout::Shared;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;
use dlc_region::ops::Sort;

use super::lower::{Lower, Lowered, Result};

/// The type in which elements are sorted: short floats in `f32`, short integers and truth values in 32 bits.
fn sorted_type(ctx: &Context, elem: Type) -> Type {
    let is_short = elem.bits(ctx).is_some_and(|bits| bits < 32);
    match elem.float_kind(ctx) {
        Some(_) if is_short => Type::F32,
        None if is_short => Type::I32,
        _ => elem,
    }
}

/// What no element comes after.
fn last(ctx: &Context, elem: Type) -> Attr {
    match elem.float_kind(ctx) {
        Some(kind) => ctx.attr(AttrData::Float { ty: elem, bits: float::encode(f64::NAN, kind) }),
        None => dlc_region::verify::identity_of(ctx, dlc_core::scalar::Combiner::Min, elem),
    }
}

impl Lower<'_, '_> {
    /// The elements of a row in order. What lies beyond its end comes last.
    pub fn sort(&mut self, sort: Sort<'_>, elem: Type) -> Result<Lowered> {
        let (over, loc) = ([true, true], self.emit.loc);
        let own = sorted_type(self.ctx, elem);
        let input = self.value(sort.input())?;
        let input = self.cast(input, own, false);
        let input = self.as_fragment(input, over)?;
        let input = self.identity_outside(input, last(self.ctx, own), over)?;
        let through = self.sort_exchange(own);
        let op = kernel::Sort::build(&mut self.emit.builder(), loc, input.value, through, 1);
        let made = self.made(op, over);
        Ok(self.cast(made, elem, false))
    }

    /// Memory through which warps that share a row exchange its elements; `None` where none share one.
    fn sort_exchange(&mut self, elem: Type) -> Option<ValueId> {
        if self.tiling.warps_per_row() <= 1 {
            return None;
        }
        let size = i64::from(self.tiling.tile[0] * self.tiling.reduction_tile);
        let ty = Tile::get(self.ctx, 1, vec![size], elem, Shared::RowMajor { pitch: None });
        let (loc, place) = (self.emit.loc, InsertPoint::StartOf(self.grid));
        let op = kernel::Shared::build(&mut Builder::new(self.ctx, &mut self.emit.body, place), loc, None, ty);
        let tile = self.emit.body.result(op, 0);
        self.emit.set_name(tile, "shared");
        Some(tile)
    }
}
