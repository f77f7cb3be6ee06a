//! Factors of a product that are zero on one side of a diagonal, as those of triangular matrices.
//!
//! The loop over what is reduced goes only over the steps in which no factor is zero all over. A factor that is read is copied
//! to shared memory as a whole; in the steps that the diagonal goes through, threads put zeros there before it is multiplied.

use dlc_core::guard::{Condition, Guard};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::OpRef;
use dlc_ir::{Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_plan::clause::Kind;
use dlc_region::ops::Read;

use super::axes::{Dim, LowerError};
use super::contract::{Product, is_copied, read_of};
use super::lower::{Lower, Result, bits_of};
use super::mask::whole_steps;
use crate::analysis::masks::{Mask, zero_mask};
use crate::analysis::taps::Taps;

/// Where a tile in shared memory has elements that are to be zero.
pub struct Zeros {
    mask: Mask,
    /// The two axes of the tile.
    dims: [Dim; 2],
}

impl Zeros {
    /// Those of a factor with such a mask, of which the scope has a tile.
    pub fn of(lower: &mut Lower<'_, '_>, mask: Mask) -> Zeros {
        Zeros { mask, dims: lower.both_dims() }
    }
}

/// The mask of a factor that a copy brings to shared memory without it.
pub fn copied_mask(lower: &Lower<'_, '_>, factor: ValueId) -> Option<Mask> {
    lower.tiling.matrix.as_ref().filter(|matrix| matrix.instruction != Kind::Fma)?;
    let mask = zero_mask(lower.ctx, lower.region, factor)?;
    let read = Read::of(OpRef::new(lower.ctx, lower.region, lower.region.defining_op(mask.seen)?))?;
    is_copied(lower, read).then_some(mask)
}

/// Between which positions of a reduced axis no factor is zero all over, the first one rounded down to whole steps. `None`
/// where that is all along the axis.
pub fn range(
    lower: &mut Lower<'_, '_>,
    factors: &Product,
    (axis, size): &(String, SizeExpr),
    depth: u32,
) -> Result<Option<[SizeExpr; 2]>> {
    let is_short = size.as_constant().is_some_and(|size| size <= i64::from(depth));
    if is_short || !is_finite(lower, factors) {
        return Ok(None);
    }
    let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
    for (factor, dim) in [factors.lhs, factors.rhs].into_iter().zip(lower.both_dims()) {
        let Some(mask) = zero_mask(lower.ctx, lower.region, factor) else { continue };
        firsts.extend(mask.begin(lower, axis, &dim));
        lasts.extend(mask.end(lower, axis, &dim));
    }
    if firsts.is_empty() && lasts.is_empty() {
        return Ok(None);
    }
    let loc = lower.emit.loc;
    let first = whole_steps(lower, firsts, depth)?;
    let mut last = size.clone();
    for at in lasts {
        let (lhs, rhs) = (lower.emit.index(&last)?, lower.emit.index(&at)?);
        let op = kernel::Min::build(&mut lower.emit.builder(), loc, lhs, rhs);
        let least = lower.emit.body.result(op, 0);
        lower.emit.set_name(least, "end");
        last = lower.emit.name(least);
    }
    Ok(Some([first, last]))
}

/// Whether zero times the other factor is zero.
fn is_finite(lower: &Lower<'_, '_>, factors: &Product) -> bool {
    lower.finite || factors.elem.float_kind(lower.ctx).is_none()
}

/// The first position of a reduced axis at which a tile of the result multiplies anything but zeros, and how many follow.
/// Of a strided transposed convolution each phase has a few taps of the window.
pub fn taps(lower: &Lower<'_, '_>, factors: &Product, (axis, size): &(String, SizeExpr)) -> Result<[SizeExpr; 2]> {
    let Some(count) = size.as_constant().filter(|_| is_finite(lower, factors)) else {
        return Ok([SizeExpr::from(0), size.clone()]);
    };
    let guards = [factors.lhs, factors.rhs].map(|factor| read_of(lower, factor).and_then(Read::guard));
    let point = |axis: &str| lower.near(axis)?.as_constant();
    let Taps { first, end } = Taps::of(guards.iter().flatten(), axis, count, &point);
    let put = |at: Option<SizeExpr>, or: i64| at.map_or(Ok(or.into()), |at| lower.expr(&at, [false, false]));
    let (first, end) = (put(first, 0)?, put(end, count)?);
    let steps = end.sub(&first).map_err(LowerError::Expr)?;
    Ok([first, steps])
}

/// Puts zeros into a tile, in the steps in which it has some. Threads have met since it was filled, and meet again.
pub fn put(lower: &mut Lower<'_, '_>, zeros: &Zeros, tile: ValueId, elem: Type) -> Result<()> {
    let (loc, both) = (lower.emit.loc, [true, true]);
    let [first, second] = &zeros.dims;
    let guard = zeros.mask.is_cut(lower, second, first);
    let outside = match guard {
        None => None,
        Some(guard) => {
            let (args, _, guard) = lower.emit.operands(&[], Some(&guard))?;
            let none: &[Type] = &[];
            let op = kernel::NewIf { args: &args, cond: None, guard, outs_type: none, otherwise: 0 }
                .build(&mut lower.emit.builder(), loc);
            let then = lower.emit.body.regions(op)[0];
            let then = lower.emit.body.append_block(then);
            Some(std::mem::replace(&mut lower.emit.block, then))
        }
    };
    lower.push_scope();
    let shape = [first.tile, second.tile];
    lower.scope().dims = [Some(first.clone()), Some(second.clone())];
    lower.scope().layout = lower.tiling.copying(shape, 1, (128 / bits_of(lower.ctx, elem)).max(1));
    let ty = lower.ty(elem, both);
    let op = kernel::LoadShared::build(&mut lower.emit.builder(), loc, tile, None, None, ty);
    let whole = lower.emit.body.result(op, 0);
    let mut conditions = Vec::new();
    for expr in &zeros.mask.holds {
        let expr = lower.expr(expr, both)?;
        conditions.push(Condition::of(&expr, ">=", &0.into()).ok_or(LowerError::Guard)?);
    }
    let zero = lower.zero(elem);
    let zero = lower.emit.constant(zero, elem);
    let (args, _, guard) = lower.emit.operands(&[], Some(&Guard::all(conditions)))?;
    let op = kernel::NewSelect { args: &args, cond: None, yes: whole, no: zero, guard, out_type: ty }
        .build(&mut lower.emit.builder(), loc);
    let masked = lower.emit.body.result(op, 0);
    kernel::StoreShared::build(&mut lower.emit.builder(), loc, masked, tile, None, None);
    lower.scopes.pop();
    if lower.tiling.matrix.as_ref().is_some_and(|matrix| matrix.instruction == Kind::Wgmma) {
        kernel::FenceAsync::build(&mut lower.emit.builder(), loc);
    }
    lower.emit.barrier();
    if let Some(outside) = outside {
        lower.emit.block = outside;
    }
    Ok(())
}
