//! What the copy engine can move: boxes of memrefs.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Body, Context};
use dlc_kernel::global::{names_axis, position, strides};
use dlc_kernel::interp::axis_number;

use super::expressions::divisor;

/// What addresses and strides of a memref are multiples of, in bytes.
pub const ALIGNMENT: u64 = 16;

/// The sizes of the box along each axis of the memref and where it begins: the last axis of the tile is the last one, the
/// one before another, all by single steps.
pub fn positions(at: &[SizeExpr], sizes: &[u32]) -> Result<(Vec<i64>, Vec<SizeExpr>), String> {
    let rank = at.len();
    let mut shape = vec![1; rank];
    let mut bases = at.to_vec();
    let mut below = rank;
    for axis in (0..sizes.len()).rev() {
        let step = "its positions are no single steps along the axes of the memref, the last along the last";
        let mut found = (0..rank).filter(|&dim| names_axis(&at[dim], axis));
        let (Some(dim), None) = (found.next(), found.next()) else { return Err(step.into()) };
        let base = position(axis).and_then(|position| bases[dim].sub(&position).ok()).ok_or(step)?;
        if base.symbols().iter().any(|name| axis_number(name).is_some()) || dim >= below {
            return Err(step.into());
        }
        if axis + 1 == sizes.len() && dim + 1 != rank {
            return Err(step.into());
        }
        below = dim;
        shape[dim] = sizes[axis].into();
        bases[dim] = base;
    }
    Ok((shape, bases))
}

/// That a guard says nothing but that the positions are in the memref.
pub fn inside(ctx: &Context, guard: Option<&Guard>, memory: MemRef, at: &[SizeExpr]) -> Result<(), String> {
    let Some(guard) = guard else { return Ok(()) };
    let dims = memory.dims(ctx);
    let bounds: Vec<SizeExpr> = at
        .iter()
        .zip(&dims)
        .flat_map(|(at, size)| [Some(at.clone()), size.sub(at).and_then(|room| room.sub(&SizeExpr::from(1))).ok()])
        .flatten()
        .collect();
    let known = |guard: &Guard| match guard.pieces.as_slice() {
        [piece] => piece.iter().all(|condition| {
            condition.not_negative().is_ok_and(|exprs| exprs.iter().all(|expr| bounds.contains(expr)))
        }),
        _ => false,
    };
    match known(guard) {
        true => Ok(()),
        false => Err("its guard is not that the positions are in the memref".into()),
    }
}

/// That rows are contiguous and everything lies at multiples of 16 bytes.
pub fn aligned(ctx: &Context, body: &Body, memory: MemRef) -> Result<(), String> {
    let bytes = memory.elem(ctx).bits(ctx).unwrap_or(0) / 8;
    let (strides, offset) = strides(ctx, memory).ok_or("the memref is swizzled")?;
    if strides.last().and_then(SizeExpr::as_constant) != Some(1) {
        return Err("the last axis of the memref is not contiguous".into());
    }
    let align = memory.align(ctx).unsigned_abs();
    let fits = |expr: &SizeExpr| {
        let bytes = expr.mul(&SizeExpr::from(i64::from(bytes)));
        bytes.is_ok_and(|bytes| divisor(ctx, body, &bytes, &[]).is_multiple_of(ALIGNMENT))
    };
    if !align.is_multiple_of(ALIGNMENT) || !fits(&offset) {
        return Err(format!("the memref is aligned to {align} bytes, not to {ALIGNMENT}"));
    }
    match strides[..strides.len() - 1].iter().find(|stride| !fits(stride)) {
        Some(stride) => {
            Err(format!("rows are {stride} elements apart, which is not known to be a multiple of {ALIGNMENT} bytes"))
        }
        None => Ok(()),
    }
}
