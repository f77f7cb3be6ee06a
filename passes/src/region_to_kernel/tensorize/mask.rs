//! Scores that positions hide: which tiles of a reduced axis have none that counts, and which have no other.
//!
//! A score that is the initial maximum, or `-inf`, unless `e >= 0`, as below the diagonal of causal attention, is of no use to a sum
//! below a maximum. So a loop over the axis ends where `e` is negative for all rows of the tile, or begins there, as in a window
//! of the last keys; and of a step in which it is negative for none nothing is asked.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::InsertPoint;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Builder, ValueId};
use dlc_kernel::ops as kernel;

use super::axes::{Dim, LowerError};
use super::lower::{Lower, Result};
use crate::analysis::masks::{self, Mask, slope};

/// The mask of a score that is hidden where it is `none`, with which maxima begin, or `-inf`: either is of no use to a sum.
pub fn mask_of(lower: &Lower<'_, '_>, score: ValueId, none: Attr) -> Option<Mask> {
    let number = |number: Attr| Datum::of_attr(lower.ctx, number).and_then(|number| number.as_float());
    let is_hidden = |hidden: Attr| hidden == none || number(hidden) == Some(f64::NEG_INFINITY);
    masks::mask_of(lower.ctx, lower.region, score, &is_hidden)
}

impl Mask {
    /// One expression where rows are at the end of their tile at which it is greatest, or least. `None` where that is not
    /// known.
    fn at_rows(&self, lower: &Lower<'_, '_>, expr: &SizeExpr, rows: &Dim, greatest: bool) -> Option<SizeExpr> {
        let mut put = Vec::new();
        for (axis, _) in &rows.axes {
            let grows = slope(expr, axis)?;
            if grows == 0 {
                continue;
            }
            // Of several axes the position in one is no sum.
            let [_] = rows.axes.as_slice() else { return None };
            let last = (grows > 0) == greatest;
            let at = rows.base.add(&i64::from(if last { rows.tile - 1 } else { 0 }).into()).ok()?;
            put.push((axis.clone(), at));
        }
        let expr = expr.substitute(&|name| put.iter().find(|(axis, _)| axis == name).map(|(_, at)| at.clone())).ok()?;
        lower.expr(&expr, [false, false]).ok()
    }

    /// After which position of an axis nothing is seen from any of the rows.
    pub fn end(&self, lower: &Lower<'_, '_>, axis: &str, rows: &Dim) -> Option<SizeExpr> {
        self.holds.iter().find_map(|expr| {
            if slope(expr, axis)? != -1 {
                return None;
            }
            // `rest - axis >= 0`
            let rest = expr.add(&SizeExpr::symbol(axis).ok()?).ok()?;
            self.at_rows(lower, &rest, rows, true)?.add(&1.into()).ok()
        })
    }

    /// Before which position of an axis nothing is seen from any of the rows.
    pub fn begin(&self, lower: &Lower<'_, '_>, axis: &str, rows: &Dim) -> Option<SizeExpr> {
        self.holds.iter().find_map(|expr| {
            if slope(expr, axis)? != 1 {
                return None;
            }
            // `axis - rest >= 0`
            let rest = SizeExpr::symbol(axis).ok()?.sub(expr).ok()?;
            self.at_rows(lower, &rest, rows, false)
        })
    }

    /// What is not negative where everything in a tile of an axis is seen from all rows.
    fn least(&self, lower: &Lower<'_, '_>, tile: &Dim, rows: &Dim) -> Option<Vec<SizeExpr>> {
        let [(axis, _)] = tile.axes.as_slice() else { return None };
        let least = |expr: &SizeExpr| {
            let last = slope(expr, axis)? < 0;
            let at = tile.base.add(&i64::from(if last { tile.tile - 1 } else { 0 }).into()).ok()?;
            let expr = expr.substitute(&|name| (name == axis).then(|| at.clone())).ok()?;
            self.at_rows(lower, &expr, rows, false)
        };
        self.holds.iter().map(least).collect()
    }

    /// That everything in a tile of an axis is seen from all rows.
    pub fn is_open(&self, lower: &Lower<'_, '_>, tile: &Dim, rows: &Dim) -> Option<Vec<Condition>> {
        let least = self.least(lower, tile, rows)?;
        least.iter().map(|expr| Condition::of(expr, ">=", &0.into())).collect()
    }

    /// That something in a tile of an axis is hidden from one of the rows. `None` where that is not known.
    pub fn is_cut(&self, lower: &Lower<'_, '_>, tile: &Dim, rows: &Dim) -> Option<Guard> {
        let least = self.least(lower, tile, rows)?;
        let pieces = least.iter().map(|expr| Some(vec![Condition::of(expr, "<", &0.into())?]));
        Some(Guard { pieces: pieces.collect::<Option<_>>()? })
    }
}

/// The last of some positions, rounded down to whole steps; the first one of the axis without any.
pub fn whole_steps(lower: &mut Lower<'_, '_>, positions: Vec<SizeExpr>, step: u32) -> Result<SizeExpr> {
    let (loc, step) = (lower.emit.loc, SizeExpr::from(i64::from(step)));
    let mut last = SizeExpr::from(0);
    for at in positions {
        let at = at.floordiv(&step).and_then(|steps| steps.mul(&step)).map_err(LowerError::Expr)?;
        last = match last.as_constant() {
            Some(0) if is_never_negative(&at) => at,
            _ => {
                let (lhs, rhs) = (lower.emit.index(&last)?, lower.emit.index(&at)?);
                let op = kernel::Max::build(&mut lower.emit.builder(), loc, lhs, rhs);
                let greatest = lower.emit.body.result(op, 0);
                lower.emit.set_name(greatest, "begin");
                lower.emit.name(greatest)
            }
        };
    }
    Ok(last)
}

/// Whether an expression of sizes and of numbers of tiles, which are not negative, is not: each makes it no smaller.
fn is_never_negative(expr: &SizeExpr) -> bool {
    let names = expr.symbols();
    let grows = names.iter().all(|name| slope(expr, name).is_some_and(|slope| slope >= 0));
    let least = expr.substitute(&|_| Some(0.into()));
    grows && least.is_ok_and(|least| least.as_constant().is_some_and(|least| least >= 0))
}

impl Lower<'_, '_> {
    /// A value as it is where conditions on integers hold, and what is computed from it elsewhere.
    pub fn unless(
        &mut self,
        conditions: Vec<Condition>,
        value: ValueId,
        other: impl FnOnce(&mut Self) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let (args, _, guard) = self.emit.operands(&[], Some(&Guard::all(conditions)))?;
        let (loc, ty) = (self.emit.loc, self.emit.body.value_type(value));
        let op = kernel::NewIf { args: &args, cond: None, guard, outs_type: &[ty], otherwise: 1 }
            .build(&mut self.emit.builder(), loc);
        let (then, otherwise) = (self.emit.body.regions(op)[0], self.emit.body.regions(op)[1]);
        let (then, otherwise) = (self.emit.body.append_block(then), self.emit.body.append_block(otherwise));
        let mut builder = Builder::new(self.ctx, &mut self.emit.body, InsertPoint::EndOf(then));
        kernel::Yield::build(&mut builder, loc, &[value]);
        let outside = std::mem::replace(&mut self.emit.block, otherwise);
        self.push_scope();
        self.conditions += 1;
        let made = other(self);
        self.conditions -= 1;
        self.scopes.pop();
        let made = made?;
        kernel::Yield::build(&mut self.emit.builder(), loc, &[made]);
        self.emit.block = outside;
        Ok(self.emit.body.result(op, 0))
    }
}
