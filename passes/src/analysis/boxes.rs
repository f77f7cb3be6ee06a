//! What TMA can move: boxes of memrefs.

use std::collections::BTreeSet;

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::{Body, Context, ValueId};
use dlc_kernel::global::{contiguous_axis, merged_dims, names_axis, ordered, position, strides};
use dlc_kernel::interp::axis_number;

use super::expressions::divisor;

/// What addresses and strides of a memref are multiples of, in bytes.
pub const ALIGNMENT: u64 = 16;

/// The most axes of a box.
pub const MOST_AXES: usize = 5;

/// A box of a memref.
pub struct Boxed {
    /// The axes of the memref as the box sees them, of how many each is one, where they are not those that it has.
    pub merged: Option<Vec<i64>>,
    /// Which axis of the memref each of them is, where they stand in another order.
    pub order: Option<Vec<i64>>,
    /// Positions along these axes.
    pub at: Vec<SizeExpr>,
    /// The sizes of the box.
    pub shape: Vec<i64>,
    /// Where it begins.
    pub bases: Vec<SizeExpr>,
}

/// The box of the elements of a tile that are at these positions, under a guard that says nothing but that they are in the
/// memref. A run that goes on from row to row, as `p floordiv W`, `p mod W` do, is one along both axes taken as one. Rows of
/// so many elements each, at `h + i0 floordiv 58` and `w + i0 mod 58`, are a box along both axes. Where `any_order`, the axes of the memref may stand in another order, the contiguous one last.
pub fn boxed(
    ctx: &Context,
    guard: Option<&Guard>,
    memory: MemRef,
    at: &[SizeExpr],
    sizes: &[u32],
    any_order: bool,
) -> Result<Boxed, String> {
    let dims = memory.dims(ctx);
    let straight = positions(at, sizes).and_then(|(shape, bases)| {
        inside(guard, &dims, at)?;
        Ok(Boxed { merged: None, order: None, at: at.to_vec(), shape, bases })
    });
    let merged = || {
        let (groups, dims, at) = merge(ctx, memory, at, sizes.len())?;
        let (shape, bases) = positions(&at, sizes).ok()?;
        inside(guard, &dims, &at).ok()?;
        Some(Boxed { merged: Some(groups), order: None, at, shape, bases })
    };
    let other = || {
        let order = contiguous_last(ctx, memory)?;
        let (dims, at) = (ordered(&dims, &order)?, ordered(at, &order)?);
        let (shape, bases) = positions(&at, sizes).ok()?;
        inside(guard, &dims, &at).ok()?;
        Some(Boxed { merged: None, order: Some(order), at, shape, bases })
    };
    let rows = || {
        let (shape, bases) = whole_rows(at, sizes)?;
        inside(guard, &dims, at).ok()?;
        Some(Boxed { merged: None, order: None, at: at.to_vec(), shape, bases })
    };
    let fits = |boxed: Boxed| match boxed.at.len() {
        0..=MOST_AXES => Ok(boxed),
        axes => Err(format!("the memory has {axes} axes, and a box {MOST_AXES} at most")),
    };
    straight.and_then(fits).or_else(|why| {
        let found = merged().or_else(rows).or_else(|| other().filter(|_| any_order));
        found.and_then(|boxed| fits(boxed).ok()).ok_or(why)
    })
}

/// The order of the axes of a memref in which the contiguous one is the last, where it is another one.
fn contiguous_last(ctx: &Context, memory: MemRef) -> Option<Vec<i64>> {
    let (contiguous, rank) = (contiguous_axis(ctx, memory)?, memory.rank(ctx));
    let others = (0..rank).filter(|&axis| axis != contiguous);
    let order = others.chain([contiguous]).map(|axis| axis as i64).collect();
    (contiguous + 1 < rank).then_some(order)
}

/// The axes of a memref where those that one axis of a tile goes through are taken as one: of how many each is one, their
/// sizes, and positions along them.
fn merge(
    ctx: &Context,
    memory: MemRef,
    at: &[SizeExpr],
    axes: usize,
) -> Option<(Vec<i64>, Vec<SizeExpr>, Vec<SizeExpr>)> {
    let dims = memory.dims(ctx);
    let (mut groups, mut places) = (Vec::new(), Vec::new());
    let mut first = 0;
    while first < at.len() {
        let goes = |dim: &usize| (0..axes).any(|axis| names_axis(&at[first], axis) && names_axis(&at[*dim], axis));
        let last = (first..at.len()).rev().find(goes).unwrap_or(first);
        let along = |place: SizeExpr, dim: usize| place.mul(&dims[dim]).ok()?.add(&at[dim]).ok();
        places.push(joined(&(first + 1..=last).try_fold(at[first].clone(), along)?)?);
        groups.push((last - first + 1) as i64);
        first = last + 1;
    }
    let dims = merged_dims(ctx, memory, &groups)?;
    Some((groups, dims, places))
}

/// An expression with quotients of quotients by sizes as one: `(p floordiv W) floordiv H` is `p floordiv (H*W)`.
fn joined(expr: &SizeExpr) -> Option<SizeExpr> {
    let mut sum = SizeExpr::from(0);
    for (coefficient, factors) in expr.terms() {
        let mut product = SizeExpr::from(coefficient);
        for factor in factors {
            let value = match factor {
                Factor::Symbol(name) => SizeExpr::symbol(&name).ok()?,
                Factor::Quotient(over, by) => {
                    let over = joined(&over)?;
                    let terms = over.terms();
                    let inner = terms.first().filter(|(times, _)| terms.len() == 1 && *times == 1);
                    match inner.map(|(_, factors)| factors.as_slice()) {
                        Some([Factor::Quotient(whole, first)]) => whole.floordiv(&first.mul(&by).ok()?).ok()?,
                        _ => over.floordiv(&by).ok()?,
                    }
                }
            };
            product = product.mul(&value).ok()?;
        }
        sum = sum.add(&product).ok()?;
    }
    Some(sum)
}

/// The sizes of the box along each axis of the memref and where it begins: the last axis of the tile is the last one, the
/// one before another, all by single steps.
fn positions(at: &[SizeExpr], sizes: &[u32]) -> Result<(Vec<i64>, Vec<SizeExpr>), String> {
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

/// The box whose elements lie along the first axis of a tile row by row: its sizes and where it begins. The first axis goes
/// through several axes of the memref as digits of a number go through theirs: `i0 floordiv 4`, `(i0 floordiv 2) mod 2`, `i0 mod 2`.
fn whole_rows(at: &[SizeExpr], sizes: &[u32]) -> Option<(Vec<i64>, Vec<SizeExpr>)> {
    let &[count, width] = sizes else { return None };
    let (last, first) = (at.len().checked_sub(1)?, position(0)?);
    let named: Vec<usize> = (0..last).filter(|&dim| names_axis(&at[dim], 0)).collect();
    let lengths = lengths(&at[*named.first()?..=*named.last()?], &first);
    if lengths.is_empty() || named.len() != lengths.len() + 1 {
        return None;
    }
    let (mut shape, mut bases) = (vec![1; at.len()], at.to_vec());
    let mut above = i64::from(count);
    // From the axis of the longest steps on, as digits are written.
    for (&dim, &length) in named.iter().zip(lengths.iter().rev().chain([&1])) {
        let digit = first.floordiv(&SizeExpr::from(length)).ok()?;
        let is_first = dim == named[0];
        let digit = if is_first { digit } else { digit.modulo(&SizeExpr::from(above / length)).ok()? };
        if above % length != 0 {
            return None;
        }
        (shape[dim], bases[dim]) = (above / length, at[dim].sub(&digit).ok()?);
        above = length;
    }
    (shape[last], bases[last]) = (width.into(), at[last].sub(&position(1)?).ok()?);
    let is_fixed = |base: &SizeExpr| base.symbols().iter().all(|name| axis_number(name).is_none());
    bases.iter().all(is_fixed).then_some((shape, bases))
}

/// The numbers by which an axis is divided in some positions, from the least on.
fn lengths(at: &[SizeExpr], axis: &SizeExpr) -> BTreeSet<i64> {
    let factors = at.iter().flat_map(|at| at.terms()).flat_map(|(_, factors)| factors);
    let by = |factor| match factor {
        Factor::Quotient(over, by) if over == *axis => by.as_constant().filter(|&by| by > 1),
        _ => None,
    };
    factors.filter_map(by).collect()
}

/// That a guard says nothing but that the positions are in the memref.
pub fn inside(guard: Option<&Guard>, dims: &[SizeExpr], at: &[SizeExpr]) -> Result<(), String> {
    let Some(guard) = guard else { return Ok(()) };
    let bounds: Vec<SizeExpr> = at
        .iter()
        .zip(dims)
        .flat_map(|(at, size)| [Some(at.clone()), size.sub(at).and_then(|room| room.sub(&SizeExpr::from(1))).ok()])
        .flatten()
        .collect();
    // That `p` is less than `n*L` says that `p floordiv L` is less than `n`.
    let lengths = position(0).map(|first| lengths(at, &first)).unwrap_or_default();
    let is_multiple = |expr: &SizeExpr, length: i64, at: &SizeExpr, size: &SizeExpr| {
        let length = SizeExpr::from(length);
        let along = size.mul(&length).ok()?.sub(&SizeExpr::from(1)).ok()?.sub(expr).ok()?;
        Some(along.floordiv(&length).ok()? == *at)
    };
    let says = |expr: &SizeExpr| {
        let mut digits =
            lengths.iter().flat_map(|&length| at.iter().zip(dims).map(move |(at, size)| (length, at, size)));
        bounds.contains(expr) || digits.any(|(length, at, size)| is_multiple(expr, length, at, size) == Some(true))
    };
    let known = |guard: &Guard| match guard.pieces.as_slice() {
        [piece] => piece.iter().all(|condition| condition.not_negative().is_ok_and(|exprs| exprs.iter().all(says))),
        _ => false,
    };
    match known(guard) {
        true => Ok(()),
        false => Err("its guard is not that the positions are in the memref".into()),
    }
}

/// That a box begins at a multiple of 16 bytes along the contiguous axis: TMA stops the kernel else. Along others it may begin
/// anywhere.
pub fn begins_aligned(
    ctx: &Context,
    body: &Body,
    memory: MemRef,
    bases: &[SizeExpr],
    values: &[ValueId],
) -> Result<(), String> {
    let bytes = i64::from(memory.elem(ctx).bits(ctx).unwrap_or(0) / 8);
    let Some(base) = bases.last() else { return Ok(()) };
    let place = base.mul(&SizeExpr::from(bytes)).map_err(|error| error.message.to_string())?;
    match divisor(ctx, body, &place, values).is_multiple_of(ALIGNMENT) {
        true => Ok(()),
        false => {
            Err(format!("it begins within a row at a place that is not known to be a multiple of {ALIGNMENT} bytes"))
        }
    }
}

/// That rows are contiguous and everything lies at multiples of 16 bytes, of axes in this order.
pub fn aligned(ctx: &Context, body: &Body, memory: MemRef, order: Option<&[i64]>) -> Result<(), String> {
    let bytes = memory.elem(ctx).bits(ctx).unwrap_or(0) / 8;
    let (mut strides, offset) = strides(ctx, memory).ok_or("the memref is swizzled")?;
    if let Some(order) = order {
        strides = ordered(&strides, order).ok_or("its axes have no such order")?;
    }
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
    if let Some(stride) = strides.iter().find(|stride| stride.as_constant().is_some_and(|stride| stride <= 0)) {
        return Err(format!("TMA goes forward, and an axis has the stride {stride}"));
    }
    match strides[..strides.len() - 1].iter().find(|stride| !fits(stride)) {
        Some(stride) => {
            Err(format!("rows are {stride} elements apart, which is not known to be a multiple of {ALIGNMENT} bytes"))
        }
        None => Ok(()),
    }
}
