//! Scans: tiles along an axis one after another, with running values in registers.
//!
//! A kernel with scans has one loop, over the axis that they go along, in which its results are stored. What the elements
//! before a tile combine to is carried by the loop.

use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::InsertPoint;
use dlc_ir::body::OpRef;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Builder, Context, OpId, Type, ValueId};
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;
use dlc_region::ops::Scan;
use dlc_region::verify::identity_of;

use super::axes::LowerError;
use super::lower::{Group, Lower, Lowered, Result};
use crate::analysis::axes::scans;

/// The type in which a scan is combined, and how: short integers in 32 bits, and truth values as integers, of which one is
/// true if their maximum is.
fn kind(ctx: &Context, elem: Type, combiner: ScanCombiner) -> (Type, ScanCombiner) {
    let is_short = elem.float_kind(ctx).is_none() && elem.bits(ctx).is_some_and(|bits| bits < 32);
    match (elem, combiner) {
        (Type::I1, ScanCombiner::Sum) => (Type::I32, ScanCombiner::Max),
        (Type::I1, ScanCombiner::Prod) => (Type::I32, ScanCombiner::Min),
        _ if is_short => (Type::I32, combiner),
        _ => (elem, combiner),
    }
}

/// The identity of a combiner of a scan in the type in which that is combined.
fn identity(ctx: &Context, (elem, own): (Type, Type), combiner: Combiner) -> Attr {
    let number = identity_of(ctx, combiner, elem);
    Datum::of_attr(ctx, number).and_then(|number| number.to_attr(ctx, own)).unwrap_or(number)
}

impl Lower<'_, '_> {
    /// What comes before the first elements: one value for each scan. They are the running values from now on.
    pub fn begin_scans(&mut self) -> Vec<ValueId> {
        let mut first = Vec::new();
        for id in scans(self.ctx, self.region) {
            let scan = Scan::from(OpRef::new(self.ctx, self.region, id));
            let (elem, combiner) = (self.elem(scan.out()), scan.combiner());
            let own = kind(self.ctx, elem, combiner).0;
            let ty = self.ty(own, [true, false]);
            let value = self.emit.constant(identity(self.ctx, (elem, own), combiner.running()), ty);
            self.running.push((id, value));
            first.push(value);
        }
        first
    }

    /// The running values.
    pub fn running_values(&self) -> Vec<ValueId> {
        self.running.iter().map(|&(_, value)| value).collect()
    }

    /// Where a tile begins, in a loop over `length` positions that has counted to some: the last tile comes first where
    /// elements after others are combined. Groups of positions begin where the block's does.
    pub fn scan_base(&self, counter: SizeExpr, length: &SizeExpr, tile: u32) -> Result<SizeExpr> {
        let is_reverse = |id: &OpId| Scan::from(OpRef::new(self.ctx, self.region, *id)).reverse().is_some();
        let mut base = counter;
        if scans(self.ctx, self.region).first().is_some_and(is_reverse) {
            let tile = SizeExpr::from(i64::from(tile));
            let last = length.ceildiv(&tile).and_then(|tiles| tiles.sub(&1.into())).and_then(|last| last.mul(&tile));
            base = last.and_then(|last| last.sub(&base)).map_err(LowerError::Expr)?;
        }
        match &self.group {
            None => Ok(base),
            Some(Group { number, every, .. }) => {
                number.mul(&(*every).into()).and_then(|first| first.add(&base)).map_err(LowerError::Expr)
            }
        }
    }

    /// The elements of a tile combined with those before them.
    pub fn scan(&mut self, scan: Scan<'_>, elem: Type) -> Result<Lowered> {
        let (over, loc) = ([true, true], self.emit.loc);
        let (own, combiner) = kind(self.ctx, elem, scan.combiner());
        let mut inputs = Vec::new();
        for (input, part) in scan.inputs().zip(scan.combiner().operands()) {
            let input = self.value(input)?;
            let input = self.cast(input, own, false);
            let mut input = self.as_fragment(input, over)?;
            // What lies beyond the end comes first there, and must change nothing.
            if scan.reverse().is_some() {
                input = self.identity_outside(input, identity(self.ctx, (elem, own), *part), over)?;
            }
            inputs.push(input.value);
        }
        let place = self.running.iter().position(|&(id, _)| id == scan.id);
        let place = place.expect("the loop around a scan has begun it");
        let through = self.scan_exchange(own, inputs.len() as u32);
        let op = kernel::NewScan {
            inputs: &inputs,
            before: self.running[place].1,
            through,
            combiner,
            axis: 1,
            exclusive: scan.exclusive(),
            reverse: scan.reverse(),
        }
        .build(&mut self.emit.builder(), loc);
        self.running[place].1 = self.emit.body.result(op, 1);
        let made = self.made(op, over);
        Ok(self.cast(made, elem, false))
    }

    /// Memory through which warps that share an axis exchange what they have of it, so many numbers for each part; `None`
    /// where none share one.
    fn scan_exchange(&mut self, elem: Type, numbers: u32) -> Option<ValueId> {
        let [sharing, rows] = [self.tiling.warps_per_row(), self.tiling.tile[0]];
        if sharing <= 1 {
            return None;
        }
        // A warp has a part of the axis each time that the layout repeats.
        let own = match &self.tiling.layout {
            Distributed::Blocked(blocked) => blocked.thread[1] * blocked.lanes[1] * blocked.warps[1],
            _ => self.tiling.reduction_tile,
        };
        let parts = self.tiling.reduction_tile.div_ceil(own.max(1));
        // Short floats are exchanged as they are combined, in whole registers.
        let elem = if elem.bits(self.ctx).is_some_and(|bits| bits < 32) { Type::F32 } else { elem };
        let size = i64::from(sharing * rows * parts * numbers);
        let ty = Tile::get(self.ctx, 1, vec![size], elem, Shared::RowMajor { pitch: None });
        let (loc, place) = (self.emit.loc, InsertPoint::StartOf(self.grid));
        let op = kernel::Shared::build(&mut Builder::new(self.ctx, &mut self.emit.body, place), loc, None, ty);
        let tile = self.emit.body.result(op, 0);
        self.emit.set_name(tile, "shared");
        Some(tile)
    }
}
