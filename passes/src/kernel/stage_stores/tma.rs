//! Results that TMA stores from shared memory, while threads go on with the next sub-tile and with the next tile.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::{Builder, Context, Loc, OpId, Type, ValueId};
use dlc_kernel::global::{names_axis, position};
use dlc_kernel::interp::axis_number;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, TensorMap, Tile, Token, Work, elem_of};

use super::parts::Parts;
use super::sub_tiles::{self, ADDED, SubTiles, UNKNOWN, around, is_transposed, shape_of, shared_tile, slot, target_of};
use crate::analysis::boxes::{aligned, begins_aligned, boxed};
use crate::analysis::expressions::{BoundExpr, pack};
use crate::analysis::nesting::block_of;
use crate::rewrites::carried::{carry_through, yield_more};
use crate::rewrites::unused::erase_unused;

/// A result that TMA can store.
pub struct TmaStores {
    pub sub_tiles: SubTiles,
    /// The loops around, from the inside out, up to the role or the grid.
    loops: Vec<OpId>,
    /// How many sub-tiles are stored at once.
    together: usize,
    /// The axis of the memref along which rows are.
    axis: usize,
    /// Where the result begins in the memref.
    at: Vec<BoundExpr>,
    map: Type,
    /// The first rows of a sub-tile, if the others are not stored.
    part: Option<Type>,
    /// The axes of the memref as the map sees them, where they are others.
    merged: Option<Vec<i64>>,
}

/// A result that is stored to a box of memory, from so many panels, so many of them at once.
pub fn find(
    ctx: &Context,
    body: &Body,
    store: kernel::Store<'_>,
    [panels, together]: [i64; 2],
) -> Result<TmaStores, String> {
    if let Some(target) = target_of(ctx, body).filter(|target| !target.has("tma")) {
        return Err(format!("{} has no TMA", target.name));
    }
    if store.combine().is_some() {
        return Err(ADDED.into());
    }
    let memory = MemRef::of(ctx, store.type_of(store.target())).ok_or(UNKNOWN)?;
    let [rows, columns] = shape_of(ctx, store)?;
    let elem = elem_of(ctx, store.type_of(store.value()));
    let size = |size: i64| u32::try_from(size).map_err(|_| UNKNOWN);
    let mut at = store.at();
    let mut sizes = [size(rows)?, size(columns)?];
    let mut guard = store.guard();
    if is_transposed(&at) {
        at = at.iter().map(swapped).collect::<Option<_>>().ok_or(UNKNOWN)?;
        guard = guard.map(|guard| guard.map(&swapped).ok_or(UNKNOWN)).transpose()?;
        sizes.reverse();
    }
    let all = sizes[0];
    let found = boxed(ctx, guard.as_ref(), memory, &at, &sizes, false).or_else(|why| {
        sizes[0] = guard.as_mut().and_then(first_rows).filter(|first| *first < all).ok_or(why)?;
        boxed(ctx, guard.as_ref(), memory, &at, &sizes, false)
    })?;
    aligned(ctx, body, memory, None)?;
    let axis = found.at.iter().position(|at| names_axis(at, 0)).ok_or(UNKNOWN)?;
    let (sub_tiles, swizzled, loops) = sub_tiles::swizzled(ctx, body, store, panels, false)?;
    let mut shape = vec![1; found.at.len()];
    shape[axis] = swizzled.shape[0];
    // Rows of memory one after another, as those of pixels, are a box if a sub-tile has all of them.
    let is_of_rows = sizes[0] < all || found.shape[axis] < sizes[0].into();
    if is_of_rows && swizzled.shape[0] != i64::from(all) {
        return Err(format!("a sub-tile has {} of the {all} elements along rows of memory", swizzled.shape[0]));
    }
    if is_of_rows {
        shape.clone_from(&found.shape);
    }
    *shape.last_mut().ok_or(UNKNOWN)? = swizzled.shape[1];
    let args: Vec<ValueId> = store.args().collect();
    begins_aligned(ctx, body, memory, &found.bases, &args)?;
    Ok(TmaStores {
        axis,
        at: found.bases.into_iter().map(|at| BoundExpr::new(at, &args)).collect(),
        map: TensorMap::get(ctx, shape, elem, swizzled.layout),
        part: (sizes[0] < all)
            .then(|| Tile::get(ctx, 1, vec![sizes[0].into(), swizzled.shape[1]], elem, swizzled.layout)),
        merged: found.merged,
        together: (together * swizzled.narrow).min(sub_tiles.buffers) as usize,
        loops,
        sub_tiles,
    })
}

/// Takes away that only the first elements along the first axis are stored, and says how many those are.
fn first_rows(guard: &mut Guard) -> Option<u32> {
    let first = position(0)?;
    let [piece] = guard.pieces.as_mut_slice() else { return None };
    let at = piece.iter().position(|condition| condition.expr == first && condition.lower.is_none())?;
    let count = u32::try_from(piece[at].upper.as_ref()?.as_constant()?).ok()?;
    piece.remove(at);
    Some(count)
}

/// An expression with the axes of a fragment exchanged.
fn swapped(expr: &SizeExpr) -> Option<SizeExpr> {
    let other = |name: &str| match axis_number(name) {
        Some(0) => position(1),
        Some(1) => position(0),
        _ => None,
    };
    expr.substitute(&other).ok()
}

/// Puts stores of sub-tiles in place of a store. `None` where positions go beyond 64 bits.
pub fn rewrite(ctx: &Context, body: &mut Body, op: OpId, found: &TmaStores) -> Option<()> {
    let TmaStores { sub_tiles, loops, .. } = found;
    let loc = sub_tiles.loc;
    let store = kernel::Store::from(OpRef::new(ctx, body, op));
    let (value, memory) = (store.value(), store.target());
    let map = tensor_map(ctx, body, found, memory);
    let tile = shared_tile(ctx, body, sub_tiles)?;

    // For each buffer the token of its last store, through all loops.
    let first = loops.last().copied().unwrap_or(op);
    let mut inits = Vec::new();
    for _ in 0..if loops.is_empty() { 0 } else { sub_tiles.buffers } {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(first));
        let done = kernel::Done::build(&mut builder, loc, Token::get(ctx, Work::Epilogue));
        inits.push((builder.result(done), "stored"));
    }
    let (carried, inner) = carry_through(ctx, body, loops, &inits)?;
    let mut tokens: Vec<Option<ValueId>> = carried.into_iter().map(Some).collect();
    tokens.resize(sub_tiles.buffers as usize, None);

    let ty = sub_tiles.part;
    let whole = body.value_type(value) == ty;
    let shape = Frag::of(ctx, ty).map(|frag| frag.shape(ctx)).unwrap_or_default();
    let numbered: Vec<(usize, [i64; 2])> = sub_tiles.firsts.iter().copied().enumerate().collect();
    for some in numbered.chunks(found.together) {
        let buffers: Vec<usize> = some.iter().map(|(number, _)| number % tokens.len()).collect();
        let used: Vec<ValueId> = buffers.iter().filter_map(|&buffer| tokens[buffer]).collect();
        if !used.is_empty() {
            elect_await(ctx, body, InsertPoint::Before(op), loc, &used);
            kernel::Barrier::build(&mut Builder::new(ctx, body, InsertPoint::Before(op)), loc, None, None);
        }
        let mut leaving = Vec::new();
        for (&(_, [row, column]), &buffer) in some.iter().zip(&buffers) {
            let slot = slot(ctx, body, op, sub_tiles, buffer as i64)?;
            let mut at = found.at.clone();
            let (down, along) = if sub_tiles.transposed { (column, row) } else { (row, column) };
            for (axis, offset) in [(found.axis, down), (at.len() - 1, along)] {
                at[axis] = at[axis].plus(&BoundExpr::plain(offset.into()))?;
            }
            let part = match whole {
                true => value,
                false => Parts::new(ctx, body, op, [row, column], shape.clone()).of(body, value)?,
            };
            let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
            kernel::StoreShared::build(&mut builder, loc, part, tile, slot, sub_tiles.transposed.then_some(()));
            leaving.push((slot, pack(&at)?));
        }
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        kernel::FenceAsync::build(&mut builder, loc);
        kernel::Barrier::build(&mut builder, loc, None, None);
        let types = vec![Token::get(ctx, Work::Epilogue); some.len()];
        let elect = kernel::Elect::build(&mut builder, loc, &types);
        let inside = body.append_block(body.regions(elect)[0]);
        let mut builder = Builder::at_end(ctx, body, inside);
        let mut stored = Vec::new();
        for (slot, (args, at)) in leaving {
            let (mut tile, mut stage) = (tile, slot);
            if let Some(part) = found.part {
                let at = vec![SizeExpr::from(0); 2];
                let slice = kernel::NewSlice { tile, stage, args: &[], at, out_type: part }.build(&mut builder, loc);
                (tile, stage) = (builder.result(slice), None);
            }
            let store =
                kernel::NewTmaStore { tile, stage, map, args: &args, at, combine: None }.build(&mut builder, loc);
            stored.push(builder.result(store));
        }
        kernel::Yield::build(&mut builder, loc, &stored);
        for (number, &buffer) in buffers.iter().enumerate() {
            tokens[buffer] = Some(body.result(elect, number));
        }
    }
    let tokens: Vec<ValueId> = tokens.into_iter().flatten().collect();
    // A block ends when nothing of its shared memory is to be read any more.
    match inner.and_then(|inner| block_of(ctx, body, inner)) {
        Some(block) => {
            yield_more(ctx, body, block, &tokens);
            let (loops, _) = around(ctx, body, op).ok()?;
            let outer = *loops.last()?;
            let results: Vec<ValueId> = body.results(outer).collect();
            let last = &results[results.len() - tokens.len()..];
            elect_await(ctx, body, InsertPoint::After(outer), loc, last);
        }
        None => elect_await(ctx, body, InsertPoint::After(op), loc, &tokens),
    }
    body.erase_op(op);
    let whole: Vec<OpId> = body.defining_op(value).into_iter().collect();
    erase_unused(ctx, body, whole);
    Some(())
}

/// One thread waits until stores have read shared memory.
fn elect_await(ctx: &Context, body: &mut Body, place: InsertPoint, loc: Loc, tokens: &[ValueId]) {
    let elect = kernel::Elect::build(&mut Builder::new(ctx, body, place), loc, &[]);
    let block = body.append_block(body.regions(elect)[0]);
    kernel::AwaitRead::build(&mut Builder::at_end(ctx, body, block), loc, tokens);
}

/// The map of the sub-tiles of a memref, before the grid.
fn tensor_map(ctx: &Context, body: &mut Body, found: &TmaStores, memory: ValueId) -> ValueId {
    let known = body.uses(memory).find_map(|used| {
        let map = kernel::TensorMapOf::of(OpRef::new(ctx, body, used.op))?;
        let plain = map.lower().is_none() && map.order().is_none();
        let same = plain && map.merged() == found.merged && map.type_of(map.out()) == found.map;
        (same && body.is_before(map.id, found.sub_tiles.grid)).then(|| map.out())
    });
    known.unwrap_or_else(|| {
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(found.sub_tiles.grid));
        let op = kernel::NewTensorMapOf {
            memory,
            lower: None,
            upper: None,
            strides: None,
            merged: found.merged.clone(),
            order: None,
            out_type: found.map,
        }
        .build(&mut builder, found.sub_tiles.loc);
        let map = builder.result(op);
        let name = format!("map_{}", ctx.str(body.value_name(memory)));
        body.set_value_name(map, ctx.intern_str(name.trim_end_matches('_')));
        map
    })
}
