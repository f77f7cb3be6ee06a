//! Copies of windows of pixels, which TMA finds one after another: the left matrix of a convolution (im2col).

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::{Body, Context, OpId, OpRef, ValueId};
use dlc_kernel::global::{names_axis, position};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops as kernel;

use crate::analysis::index_ranges::IndexRanges;

/// The most pixels of a box.
const MOST_PIXELS: u32 = 256;
/// The largest step of a window.
const MOST_STRIDE: i64 = 8;
/// How far the corners of windows are looked for from each other, beyond the step.
const REACH: i64 = 32;

/// How pixels are found from the first of a box on.
#[derive(Clone, Debug)]
pub struct Window {
    /// For each axis between images and channels: where windows begin, where they end counted from the last element, and
    /// by how much they move.
    pub lower: Vec<i64>,
    pub upper: Vec<i64>,
    pub strides: Vec<i64>,
    /// Where in the window the pixels are.
    pub offsets: Vec<SizeExpr>,
    /// The image, place and channel of the first one.
    pub at: Vec<SizeExpr>,
}

/// The windows whose pixels a copy takes one after another, over all rows and images; else why it takes no such.
///
/// With `p = base + i0` the positions are `p floordiv (Q1*Q2)`, `s1*((p floordiv Q2) mod Q1) + o1`, `s2*(p mod Q2) + o2` and
/// a channel, where the windows of an axis of size `H` are `Q = (H + upper - lower - 1) floordiv s + 1`, and `o` is `lower`
/// plus what does not depend on the pixel and is not negative, as counters of loops. What the guard says is what TMA does: zero outside of an image, and after the last one.
pub fn window(ctx: &Context, body: &Body, op: OpId, sizes: &[u32]) -> Result<Window, String> {
    let unknown = "its positions are no windows of pixels one after another";
    let copy = kernel::Copy::from(OpRef::new(ctx, body, op));
    let memory = MemRef::of(ctx, copy.type_of(copy.source())).ok_or(unknown)?;
    let (at, dims) = (copy.at(), memory.dims(ctx));
    let (&[pixels, _], 3..=5, true) = (sizes, at.len(), at.len() == dims.len()) else { return Err(unknown.into()) };
    if pixels > MOST_PIXELS {
        return Err(format!("a box has at most {MOST_PIXELS} pixels, and the tile {pixels}"));
    }
    let last = at.len() - 1;
    let channel = position(1).and_then(|position| at[last].sub(&position).ok()).filter(is_fixed).ok_or(unknown)?;

    // Tiles of whole rows leave nothing of the place of the tile in that of a pixel in its row.
    let (first, columns) = quotients(&at[last - 1]).into_iter().next().ok_or(unknown)?;
    let first = first_of_images(&at[0]).unwrap_or(first);

    // From the fastest axis of places to the images: each takes what the one before leaves.
    let start = |expr: &SizeExpr| {
        expr.substitute(&|name| (axis_number(name) == Some(0)).then(|| SizeExpr::from(0))).map_err(|_| unknown)
    };
    let inner = last - 1;
    let mut found = Window {
        lower: vec![0; inner],
        upper: vec![0; inner],
        strides: vec![1; inner],
        offsets: vec![SizeExpr::from(0); inner],
        at: vec![SizeExpr::from(0); at.len()],
    };
    found.at[last] = channel;
    let ranges = IndexRanges::of(ctx, body, i64::MAX);
    let args: Vec<ValueId> = copy.args().collect();
    let (mut rest, mut total) = (first.clone(), SizeExpr::from(1));
    for axis in (1..last).rev() {
        let count = if axis == inner { Some(columns.clone()) } else { count_of(&at[axis], &first, &rest, &total) };
        let count = count.ok_or(unknown)?;
        let place = rest.modulo(&count).map_err(|_| unknown)?;
        let scaled = |stride: i64| Some((stride, at[axis].sub(&place.mul(&stride.into()).ok()?).ok()?));
        let (stride, from) = (1..=MOST_STRIDE).filter_map(scaled).find(|(_, from)| is_fixed(from)).ok_or(unknown)?;
        let lower = constant(&from);
        let offset = from.sub(&lower.into()).map_err(|_| unknown)?;
        let bounds = ranges.narrowest(&offset, &args);
        let most = bounds.hi().filter(|_| bounds.lo() >= Some(0));
        let most = most.ok_or("where in the window it takes pixels is not bounded")?;
        let (corner, reach) = match inner {
            1 => (1 << 15, 1 << 16),
            2 => (1 << 7, 1 << 8),
            _ => (1 << 4, 1 << 5),
        };
        let windows = |upper: i64| {
            let room = dims[axis].add(&(upper - lower - 1 + stride).into()).ok()?;
            (room.floordiv(&stride.into()).ok()? == count).then_some(upper)
        };
        let upper = (lower - REACH..=lower + REACH).find_map(windows).ok_or("its windows are not counted so")?;
        if most >= reach || !(-corner..corner).contains(&lower) || !(-corner..corner).contains(&upper) {
            return Err(format!("TMA has no windows that begin at {lower} and end at {upper}"));
        }
        (found.lower[axis - 1], found.upper[axis - 1], found.strides[axis - 1]) = (lower, upper, stride);
        found.offsets[axis - 1] = offset;
        let moved = start(&place)?.mul(&stride.into()).and_then(|place| place.add(&lower.into()));
        found.at[axis] = moved.map_err(|_| unknown)?;
        total = total.mul(&count).map_err(|_| unknown)?;
        rest = first.floordiv(&total).map_err(|_| unknown)?;
    }
    if at[0] != rest {
        return Err("its pixels are not those of all images one after another".into());
    }
    found.at[0] = start(&rest)?;
    let all = total.mul(&dims[0]).map_err(|_| unknown)?;
    holds_what_it_says(copy.guard().as_ref(), &at, &dims, (&first, &all))?;
    Ok(found)
}

/// That a guard says nothing but that positions are in the memref, and that the pixel is one of all.
fn holds_what_it_says(
    guard: Option<&Guard>,
    at: &[SizeExpr],
    dims: &[SizeExpr],
    (pixel, all): (&SizeExpr, &SizeExpr),
) -> Result<(), String> {
    let Some(guard) = guard else { return Ok(()) };
    let room = |at: &SizeExpr, size: &SizeExpr| size.sub(at).and_then(|room| room.sub(&1.into())).ok();
    let positions = at.iter().zip(dims).chain([(pixel, all)]);
    let bounds: Vec<SizeExpr> = positions.flat_map(|(at, size)| [Some(at.clone()), room(at, size)]).flatten().collect();
    let [piece] = guard.pieces.as_slice() else { return Err("its guard has several pieces".into()) };
    let known = piece
        .iter()
        .all(|condition| condition.not_negative().is_ok_and(|exprs| exprs.iter().all(|expr| bounds.contains(expr))));
    if known { Ok(()) } else { Err("its guard is not that the positions are in the memref".into()) }
}

/// Whether an expression is the same for all elements of the tile.
fn is_fixed(expr: &SizeExpr) -> bool {
    !names_axis(expr, 0) && !names_axis(expr, 1)
}

/// What depends on the pixel and is divided in an expression, and by what.
fn quotients(expr: &SizeExpr) -> Vec<(SizeExpr, SizeExpr)> {
    let factors = expr.terms().into_iter().flat_map(|(_, factors)| factors);
    let quotient = |factor| match factor {
        Factor::Quotient(over, by) if names_axis(&over, 0) && is_fixed(&by) => Some((over, by)),
        _ => None,
    };
    factors.filter_map(quotient).collect()
}

/// The pixel among those of all images, `first`, if the image is `first floordiv size`. Where tiles have whole images, that is
/// an image of the tile and `i0 floordiv size`.
fn first_of_images(image: &SizeExpr) -> Option<SizeExpr> {
    let (over, size) = quotients(image).into_iter().next()?;
    let before = image.sub(&over.floordiv(&size).ok()?).ok().filter(is_fixed)?;
    before.mul(&size).and_then(|before| before.add(&over)).ok()
}

/// How many places an axis has: what `rest`, which is `first` divided by `total`, is divided by in turn.
fn count_of(at: &SizeExpr, first: &SizeExpr, rest: &SizeExpr, total: &SizeExpr) -> Option<SizeExpr> {
    // The place of the tile is left out of what is divided where it is a multiple of that.
    let is_first = |over: &SizeExpr| first.sub(over).is_ok_and(|before| is_fixed(&before));
    quotients(at).into_iter().find_map(|(over, by)| match over == *rest {
        true => Some(by),
        false => (is_first(&over) && by != *total).then(|| by.try_div(total)).flatten(),
    })
}

/// The number that is added in an expression.
fn constant(expr: &SizeExpr) -> i64 {
    expr.terms().into_iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(number, _)| number)
}
