//! Scores that positions hide: which tiles of a reduced axis have none that counts, and which have no other.
//!
//! A score that is the initial maximum unless `e >= 0`, as below the diagonal of causal attention, is of no use to a sum
//! below a maximum. So a loop over the axis ends where `e` is negative for all rows of the tile, and of a step in which it is
//! negative for none nothing is asked.

use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{InsertPoint, OpRef};
use dlc_ir::{Attr, Builder, ValueId};
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Binary, Const, Index, Select};

use super::axes::Dim;
use super::lower::{Lower, Result};
use crate::analysis::axes::before_broadcasts;

/// What hides scores.
pub struct Mask {
    /// The score where it is seen.
    pub seen: ValueId,
    /// It is seen where all of these, of the region's axes, are not negative.
    pub holds: Vec<SizeExpr>,
}

/// The mask of a score that is `none` where it is hidden.
pub fn mask_of(lower: &Lower<'_, '_>, score: ValueId, none: Attr) -> Option<Mask> {
    let (ctx, region) = (lower.ctx, lower.region);
    let plain = |value: ValueId| before_broadcasts(ctx, region, value);
    let op = |value: ValueId| region.defining_op(plain(value)).map(|op| OpRef::new(ctx, region, op));
    let select = Select::of(op(score)?)?;
    let operands: Vec<ValueId> = select.operands().collect();
    let &[.., seen, hidden] = operands.as_slice() else { return None };
    if Const::of(op(hidden)?)?.value() != none {
        return None;
    }
    let holds = match select.guard() {
        Some(guard) => {
            let [piece] = guard.pieces.as_slice() else { return None };
            let all: Option<Vec<Vec<SizeExpr>>> = piece.iter().map(|condition| condition.not_negative().ok()).collect();
            all?.concat()
        }
        None => {
            let compared = Binary::of(op(*operands.first()?)?)?;
            let position = |value: ValueId| Index::of(op(value)?)?.value().first().cloned();
            let (lhs, rhs) = (position(compared.lhs())?, position(compared.rhs())?);
            let one = SizeExpr::from(1);
            let above = match compared.function() {
                scalar::Binary::Le => rhs.sub(&lhs),
                scalar::Binary::Ge => lhs.sub(&rhs),
                scalar::Binary::Lt => rhs.sub(&lhs).and_then(|above| above.sub(&one)),
                scalar::Binary::Gt => lhs.sub(&rhs).and_then(|above| above.sub(&one)),
                _ => return None,
            };
            vec![above.ok()?]
        }
    };
    Some(Mask { seen, holds })
}

/// By how much an expression grows from a position of an axis to the next, if that is always the same.
fn slope(expr: &SizeExpr, axis: &str) -> Option<i64> {
    let next = SizeExpr::symbol(axis).ok()?.add(&1.into()).ok()?;
    let moved = expr.substitute(&|name| (name == axis).then(|| next.clone())).ok()?;
    moved.sub(expr).ok()?.as_constant()
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

    /// Behind which position of an axis nothing is seen from any of the rows.
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

    /// That everything in a tile of an axis is seen from all rows.
    pub fn is_open(&self, lower: &Lower<'_, '_>, tile: &Dim, rows: &Dim) -> Option<Vec<Condition>> {
        let [(axis, _)] = tile.axes.as_slice() else { return None };
        let least = |expr: &SizeExpr| {
            let last = slope(expr, axis)? < 0;
            let at = tile.base.add(&i64::from(if last { tile.tile - 1 } else { 0 }).into()).ok()?;
            let expr = expr.substitute(&|name| (name == axis).then(|| at.clone())).ok()?;
            Condition::of(&self.at_rows(lower, &expr, rows, false)?, ">=", &0.into())
        };
        self.holds.iter().map(least).collect()
    }
}

impl Lower<'_, '_> {
    /// A value as it is where conditions on integers hold, and what is made of it elsewhere.
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
