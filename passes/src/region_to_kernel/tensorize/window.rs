//! Products of windows of pixels that stay in shared memory: the pixels of whole rows of results, and what windows reach
//! beyond them, are copied once for each step along the channels. At each place of the window the instruction reads
//! them from another pixel on, since pixels that are apart by the same number in each row are one matrix.

use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{InsertPoint, OpRef};
use dlc_ir::{Attr, Builder, Loc, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Read, Reduce};

use super::axes::{Dim, LowerError, coordinate, quotient, remainder};
use super::contract::{self, Product, copied, read_of};
use super::copies::is_contiguous;
use super::lower::{Lower, Lowered, Result, bits_of};
use super::report::Of;
use crate::plan::window::Window;

/// The rows after which the exchange of 16-byte units begins again.
const ATOM: u32 = 8;

/// The loop over the channels.
pub fn lower(lower: &mut Lower<'_, '_>, id: OpId, product: &Product, window: &Window) -> Result<Lowered> {
    let ctx = lower.ctx;
    let matrix = lower.tiling.matrix.clone().expect("a product has its tiling");
    let reduce = Reduce::from(OpRef::new(ctx, lower.region, id));
    let size = |name: &str| reduce.axes().iter().position(|axis| *axis == name).map(|at| reduce.sizes()[at].clone());
    let channels = size(&window.channel).expect("the sum goes along the channels");
    let depth = matrix.depth;
    let (acc, init) = (reduce.acc()[0], reduce.init()[0]);
    let ty = lower.ty(acc, [true, true]);
    let (pixels, value) = if window.side == 0 { (product.lhs, product.rhs) } else { (product.rhs, product.lhs) };
    let is_single = channels.as_constant().is_some_and(|count| count <= i64::from(depth));
    let axes = vec![(window.channel.clone(), channels.clone())];
    let whole = lower.dim(axes.clone(), SizeExpr::from(0), depth)?;
    // Filters that all tiles have in common come before the loop, so that a block needs to copy them once. Those of a group of
    // channels are not.
    let dim = &lower.both_dims()[1 - window.side];
    let is_own = |name: &str| dim.axes.iter().any(|(axis, _)| axis == name) || reduce.axes().contains(&name);
    let read = lower.region.defining_op(value).and_then(|op| Read::of(OpRef::new(ctx, lower.region, op)));
    let is_of_all = read.is_some_and(|read| read.at().iter().all(|at| at.symbols().iter().all(|name| is_own(name))));
    let is_common = is_single && is_of_all && dim.base.as_constant() == Some(0);
    let common = match is_common {
        true => {
            let filters = filters(lower, window, value, product.elem, &whole)?;
            meet(lower);
            Some(filters)
        }
        false => None,
    };
    let start = lower.emit.constant(init, ty);
    let open = lower.emit.open_loop(&channels, depth, "k", &[start])?;
    let base = lower.emit.name(open.counter);
    let dim = if is_single { whole } else { lower.dim(axes, base, depth)? };
    let patch = patch(lower, window, pixels, product.elem, &dim)?;
    let filters = match common {
        Some(filters) => filters,
        None => filters(lower, window, value, product.elem, &dim)?,
    };
    meet(lower);
    let sum = multiply(lower, window, patch, &filters, (open.carried[0], depth))?;
    lower.emit.barrier();
    let factors = [copied(lower, product.lhs), copied(lower, product.rhs)];
    lower.note_product(Of::Sum(id), factors);
    let sum = lower.emit.close_loop(open, &[sum])[0];
    let made = Lowered { value: sum, over: [true, true] };
    let result = reduce.result(0);
    Ok(lower.cast(made, crate::analysis::axes::elem(ctx, lower.region, result), false))
}

/// What threads have copied is there for the instruction.
fn meet(lower: &mut Lower<'_, '_>) {
    let loc = lower.emit.loc;
    kernel::FenceAsync::build(&mut lower.emit.builder(), loc);
    lower.emit.barrier();
}

/// A tile in shared memory, which the grid names.
fn shared(lower: &mut Lower<'_, '_>, elem: Type, shape: [u32; 2], tensor: &str, name: &str) -> Result<ValueId> {
    let layout =
        contract::shared_layout(bits_of(lower.ctx, elem), (shape, false), lower.tiling.matrix.as_ref(), Some(tensor));
    let ty = lower.emit.tile(&shape, elem, layout)?;
    let (place, loc) = (InsertPoint::StartOf(lower.grid_block()), lower.emit.loc);
    let op = kernel::Shared::build(&mut Builder::new(lower.ctx, &mut lower.emit.body, place), loc, None, ty);
    let tile = lower.emit.body.result(op, 0);
    lower.emit.set_name(tile, name);
    Ok(tile)
}

fn the_read<'a>(lower: &'a Lower<'_, '_>, value: ValueId) -> Read<'a> {
    read_of(lower, value).expect("the factors of a window are read: the plan was compared with the region")
}

/// How many rows of pixels are in shared memory, and how many pixels of the one after them: what the window reads for the
/// last pixel of the tile.
fn extent(window: &Window) -> [u32; 2] {
    let last = window.shifts().last().map_or(0, |(_, shift)| *shift);
    let pixels = last + window.tile;
    let (rows, rest) = (pixels / window.pitch, (pixels % window.pitch).next_multiple_of(ATOM));
    match rest {
        0 => [rows, 0],
        // A box begins where the exchange does.
        _ if (rows * window.pitch).is_multiple_of(ATOM) && rest < window.pitch => [rows, rest],
        _ => [rows + 1, 0],
    }
}

/// Copies pixels to shared memory: those of whole rows as one box, and some of the row after them.
fn patch(lower: &mut Lower<'_, '_>, window: &Window, pixels: ValueId, elem: Type, dim: &Dim) -> Result<ValueId> {
    let [rows, rest] = extent(window);
    let high = rows * window.pitch;
    let tile = shared(lower, elem, [(high + rest).next_multiple_of(ATOM), dim.tile], &window.tensor, "patch")?;
    let pitch = SizeExpr::from(i64::from(window.pitch));
    let place = coordinate(0);
    copy_pixels(
        lower,
        window,
        (pixels, tile),
        [0, high],
        dim,
        [quotient(&place, &pitch)?, remainder(&place, &pitch)?],
    )?;
    if rest > 0 {
        copy_pixels(lower, window, (pixels, tile), [high, rest], dim, [i64::from(rows).into(), place])?;
    }
    Ok(tile)
}

/// Copies `count` pixels to a tile from its row `first` on. `at` are their row and their place in it, counted from the first
/// pixel of the tile.
fn copy_pixels(
    lower: &mut Lower<'_, '_>,
    window: &Window,
    (pixels, tile): (ValueId, ValueId),
    [first, count]: [u32; 2],
    dim: &Dim,
    at: [SizeExpr; 2],
) -> Result<()> {
    let (ctx, loc) = (lower.ctx, lower.emit.loc);
    let row = first_row(lower, window)?;
    let read = the_read(lower, pixels);
    let (source, mut places, fill) = (read.source(), read.at(), read.fill());
    let last = places.len() - 1;
    for place in &mut places[..last - 2] {
        *place = lower.expr(place, [false, false])?;
    }
    let add = |a: &SizeExpr, b: &SizeExpr| a.add(b).map_err(LowerError::Expr);
    places[last - 2] = add(&add(&row, &at[0])?, &window.first[0].into())?;
    places[last - 1] = add(&at[1], &window.first[1].into())?;
    places[last] = add(&dim.base, &coordinate(1))?;
    let memory = lower.memory_of(source);
    let sizes = MemRef::expect(ctx, lower.emit.body.value_type(memory)).dims(ctx);
    let mut conditions: Vec<Condition> =
        (last - 2..last).map(|axis| Condition::within(places[axis].clone(), sizes[axis].clone())).collect();
    conditions.extend(dim.inside(1)?);
    let part = contract::slice(lower, tile, [i64::from(first).into(), 0.into()], [count, dim.tile])?;
    copy(lower, (memory, part), (places, Some(Guard::all(conditions)), fill), [count, dim.tile], loc)
}

/// The first row of pixels of a tile, along its axis of the results.
fn first_row(lower: &mut Lower<'_, '_>, window: &Window) -> Result<SizeExpr> {
    let axis = &window.axes[0];
    let dims = lower.both_dims();
    let whole = Dim { tile: 1, ..dims[window.side].clone() };
    match whole.value_of(axis, 0)? {
        Some(row) => Ok(row),
        // Blocks have one row each.
        None => lower.expr(&SizeExpr::symbol(axis).map_err(LowerError::Expr)?, [false, false]),
    }
}

/// A copy of what is at some places of memory.
fn copy(
    lower: &mut Lower<'_, '_>,
    (memory, tile): (ValueId, ValueId),
    (at, guard, fill): (Vec<SizeExpr>, Option<Guard>, Option<Attr>),
    shape: [u32; 2],
    loc: Loc,
) -> Result<()> {
    let (values, at, guard) = lower.emit.operands(&at, guard.as_ref())?;
    let elem = MemRef::expect(lower.ctx, lower.emit.body.value_type(memory)).elem(lower.ctx);
    let unit = (128 / bits_of(lower.ctx, elem)).clamp(1, 8);
    let by = lower.tiling.copying(shape, 1, unit);
    kernel::NewCopy { source: memory, args: &values, tile, stage: None, at, guard, fill, by, vector: None }
        .build(&mut lower.emit.builder(), loc);
    Ok(())
}

/// The filters of all places of the window, one after another.
struct Filters {
    /// The rows of the tile that each has.
    parts: Vec<ValueId>,
    /// Whether the channels are across its rows.
    is_across: bool,
}

/// Copies the filters to shared memory, a box for each place of the window.
fn filters(lower: &mut Lower<'_, '_>, window: &Window, value: ValueId, elem: Type, dim: &Dim) -> Result<Filters> {
    let loc = lower.emit.loc;
    let side = lower.both_dims()[1 - window.side].clone();
    let names: Vec<&str> = side.axes.iter().map(|(name, _)| name.as_str()).collect();
    let is_across = is_contiguous(lower, value, &names);
    let dims = if is_across { [dim.clone(), side] } else { [side, dim.clone()] };
    let [high, wide] = [dims[0].tile, dims[1].tile];
    let shifts = window.shifts();
    let tensor = copied(lower, value).unwrap_or_default();
    let tile = shared(lower, elem, [high * shifts.len() as u32, wide], &tensor, "filters")?;
    let mut parts = Vec::new();
    for (number, (places, _)) in shifts.into_iter().enumerate() {
        lower.push_scope();
        lower.scope().dims = dims.clone().map(Some);
        for ((axis, count), place) in window.places.iter().zip(places) {
            let axis = (axis.clone(), SizeExpr::from(i64::from(*count)));
            let point = lower.dim(vec![axis], i64::from(place).into(), 1)?;
            lower.scope().points.push(point);
        }
        let read = the_read(lower, value);
        let (source, guard, fill, at) = (read.source(), read.guard(), read.fill(), read.at());
        let memory = lower.memory_of(source);
        let both = [true, true];
        let at = at.iter().map(|at| lower.expr(at, both)).collect::<Result<Vec<_>>>()?;
        let guard = guard.map(|guard| lower.guard(&guard, both)).transpose()?;
        let guard = super::axes::both(guard, lower.inside(both)?);
        let first = SizeExpr::from(number as i64 * i64::from(high));
        let part = contract::slice(lower, tile, [first, 0.into()], [high, wide])?;
        copy(lower, (memory, part), (at, guard, fill), [high, wide], loc)?;
        lower.scopes.pop();
        parts.push(part);
    }
    Ok(Filters { parts, is_across })
}

/// The products at all places of the window, each added to the one before, and awaited together.
fn multiply(
    lower: &mut Lower<'_, '_>,
    window: &Window,
    patch: ValueId,
    filters: &Filters,
    (acc, depth): (ValueId, u32),
) -> Result<ValueId> {
    let loc = lower.emit.loc;
    let precision = lower.tiling.matrix.as_ref().and_then(|matrix| matrix.precision);
    let (mut sum, mut tokens) = (acc, Vec::new());
    for ((_, shift), &filter) in window.shifts().into_iter().zip(&filters.parts) {
        let pixels = contract::slice(lower, patch, [i64::from(shift).into(), 0.into()], [window.tile, depth])?;
        // The right matrix has the channels down its columns.
        let (lhs, rhs, [lhs_transposed, rhs_transposed]) = match window.side {
            0 => (pixels, filter, [false, !filters.is_across]),
            _ => (filter, pixels, [filters.is_across, true]),
        };
        let op = kernel::NewWgmma {
            lhs,
            lhs_stage: None,
            rhs,
            rhs_stage: None,
            acc: sum,
            lhs_transposed: lhs_transposed.then_some(()),
            rhs_transposed: rhs_transposed.then_some(()),
            precision,
        }
        .build(&mut lower.emit.builder(), loc);
        sum = lower.emit.body.result(op, 0);
        tokens.push(lower.emit.body.result(op, 1));
    }
    kernel::Await::build(&mut lower.emit.builder(), loc, &tokens);
    Ok(sum)
}
