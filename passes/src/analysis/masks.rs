//! Values that are one number except where positions say otherwise: scores below the diagonal of causal attention, and factors
//! of a product that are zero on one side of a diagonal.

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::scalar;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Attr, Context, ValueId};
use dlc_region::ops::{Binary, Const, Index, Read, Select};
use dlc_region::verify::{KernelAxes, axes_of};

use super::axes::before_broadcasts;
use super::numbers::is_zero;

/// Where a value counts.
pub struct Mask {
    /// The value where it counts.
    pub seen: ValueId,
    /// It counts where all of these, of the region's axes, are not negative.
    pub holds: Vec<SizeExpr>,
    /// If the value is a read, what else it asks of positions.
    pub rest: Option<Guard>,
}

/// The mask of a value that is a certain number where it does not count.
pub fn mask_of(ctx: &Context, region: &Body, value: ValueId, is_none: &dyn Fn(Attr) -> bool) -> Option<Mask> {
    let op = |value: ValueId| {
        let op = region.defining_op(before_broadcasts(ctx, region, value));
        op.map(|op| OpRef::new(ctx, region, op))
    };
    let select = Select::of(op(value)?)?;
    let operands: Vec<ValueId> = select.operands().collect();
    let &[.., seen, hidden] = operands.as_slice() else { return None };
    if !is_none(Const::of(op(hidden)?)?.value()) {
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
    Some(Mask { seen, holds, rest: None })
}

/// The mask of a factor that is zero where it does not count: a select, or a read within a guard that compares axes, or both.
/// `None` of one that is masked nowhere.
pub fn zero_mask(ctx: &Context, region: &Body, value: ValueId) -> Option<Mask> {
    let mask = mask_of(ctx, region, value, &|number| is_zero(ctx, number));
    let mut mask = mask.unwrap_or(Mask { seen: value, holds: Vec::new(), rest: None });
    mask.seen = before_broadcasts(ctx, region, mask.seen);
    let read = region.defining_op(mask.seen).and_then(|op| Read::of(OpRef::new(ctx, region, op)));
    if let Some(read) = read {
        mask.rest = read.guard();
        if let Some(Guard { pieces }) = &mask.rest
            && let [piece] = pieces.as_slice()
            && read.fill().is_none_or(|fill| is_zero(ctx, fill))
        {
            let (holds, rest) = compared(ctx, region, read, piece);
            mask.holds.extend(holds);
            mask.rest = Some(Guard::all(rest)).filter(|rest| rest.pieces.iter().any(|piece| !piece.is_empty()));
        }
    }
    (!mask.holds.is_empty()).then_some(mask)
}

/// What conditions of a read say of several axes, and the rest of them, which keeps the read in its memory.
fn compared(ctx: &Context, region: &Body, read: Read<'_>, piece: &[Condition]) -> (Vec<SizeExpr>, Vec<Condition>) {
    let over = axes_of(ctx, region.value_type(read.out()));
    let count =
        |expr: &SizeExpr| expr.symbols().iter().filter(|name| over.iter().any(|axis| *axis == &***name)).count();
    let at = read.at();
    let bounds = |expr: &SizeExpr| at.iter().any(|at| expr == at || expr.add(at).is_ok_and(|sum| count(&sum) == 0));
    let (mut holds, mut rest) = (Vec::new(), Vec::new());
    for condition in piece {
        let sides = condition.not_negative().unwrap_or_default();
        let (own, others): (Vec<_>, Vec<_>) = sides.into_iter().partition(|expr| count(expr) > 1 && !bounds(expr));
        let others: Option<Vec<Condition>> =
            others.iter().map(|expr| Condition::of(expr, ">=", &SizeExpr::from(0))).collect();
        match others {
            Some(others) if !own.is_empty() => {
                holds.extend(own);
                rest.extend(others);
            }
            _ => rest.push(condition.clone()),
        }
    }
    match stays_inside(ctx, region, read, &holds, &rest) {
        true => (holds, rest),
        false => (Vec::new(), piece.to_vec()),
    }
}

/// Whether a read stays in its memory without some conditions: each position is an axis of that size, or has no axis that
/// they compare, or is bounded by the conditions that are left.
fn stays_inside(ctx: &Context, region: &Body, read: Read<'_>, without: &[SizeExpr], rest: &[Condition]) -> bool {
    let axes = KernelAxes::of(ctx, region);
    let sizes = MemRef::of(ctx, read.type_of(read.source())).map(|ty| ty.dims(ctx)).unwrap_or_default();
    let compared: Vec<_> =
        without.iter().flat_map(SizeExpr::symbols).filter(|name| axes.size(name).is_some()).collect();
    let left: Vec<SizeExpr> = rest.iter().filter_map(|condition| condition.not_negative().ok()).flatten().collect();
    let is_bounded = |at: &SizeExpr, size: &SizeExpr| {
        let last = size.sub(&SizeExpr::from(1)).and_then(|last| last.sub(at));
        left.contains(at) && last.is_ok_and(|last| left.contains(&last))
    };
    read.at().iter().zip(&sizes).all(|(at, size)| {
        let is_whole = at.as_symbol().is_some_and(|axis| axes.size(axis) == Some(size));
        is_whole || !at.symbols().iter().any(|name| compared.contains(name)) || is_bounded(at, size)
    })
}

/// By how much an expression grows from a position of an axis to the next, if that is always the same.
pub fn slope(expr: &SizeExpr, axis: &str) -> Option<i64> {
    let next = SizeExpr::symbol(axis).ok()?.add(&1.into()).ok()?;
    let moved = expr.substitute(&|name| (name == axis).then(|| next.clone())).ok()?;
    moved.sub(expr).ok()?.as_constant()
}
