//! Tiles, loads, stores and copies.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Diagnostics, OpRef, Type, ValueId};

use super::{LAYOUT_MISMATCH, SHAPE_MISMATCH, WRONG_THREADS, broken, is_single, names, place, plain};
use crate::global::{GlobalAccess, combines_vectors, merged_dims, ordered, strides};
use crate::layout::{MAX_VECTOR_BYTES, Shared as Layout};
use crate::ops::{
    Copied, Copy, CopyAsync, Load, LoadShared, Shared, Slice, Store, StoreShared, TensorMapOf, TmaLoad, TmaStore,
};
use crate::types::{Frag, TensorMap, Tile, elem_of, fold, sizes};

/// A place is aligned as the layout needs.
pub fn shared(op: Shared<'_>, diags: &Diagnostics) {
    let Some(ty) = Tile::of(op.ctx, op.type_of(op.out())) else { return };
    let Ok(tile) = ty.place(op.ctx) else { return };
    if let Some(at) = op.at().filter(|at| *at < 0 || at % i64::from(tile.alignment()) != 0) {
        plain(*op, format!("byte {at} is no multiple of {}, which the layout needs", tile.alignment()), diags);
    }
}

/// Of a ring of tiles one is named, of a single one none.
fn staged(op: OpRef<'_>, tile: ValueId, stage: Option<ValueId>, diags: &Diagnostics) {
    let stages = Tile::of(op.ctx, op.type_of(tile)).map_or(1, |ty| ty.stages(op.ctx));
    if (stages > 1) != stage.is_some() {
        plain(op, format!("there are {stages} tiles: of several one is named, as in '%sA[%s]'"), diags);
    }
}

/// A part of the same elements.
pub fn slice(op: Slice<'_>, diags: &Diagnostics) {
    staged(*op, op.tile(), op.stage(), diags);
    names(*op, &op.at(), op.args().len(), 0, diags);
    let (from, to) = (Tile::of(op.ctx, op.type_of(op.tile())), Tile::of(op.ctx, op.type_of(op.out())));
    let (Some(from), Some(to)) = (from, to) else { return };
    let (whole, part) = (from.shape(op.ctx), to.shape(op.ctx));
    if from.elem(op.ctx) != to.elem(op.ctx) || whole.len() != part.len() || op.at().len() != whole.len() {
        let message = "the part must have the elements and the axes of the tile, and begin somewhere on each".into();
        return broken(*op, &SHAPE_MISMATCH, message, diags);
    }
    if whole.iter().zip(&part).any(|(whole, part)| part > whole) {
        broken(*op, &SHAPE_MISMATCH, format!("{part:?} is no part of {whole:?}"), diags);
    }
}

/// A box of the elements of the memref.
pub fn tensor_map(op: TensorMapOf<'_>, diags: &Diagnostics) {
    let (memory, map) = (MemRef::of(op.ctx, op.type_of(op.memory())), TensorMap::of(op.ctx, op.type_of(op.out())));
    let (Some(memory), Some(map)) = (memory, map) else { return };
    if memory.elem(op.ctx) != map.elem(op.ctx) {
        broken(*op, &SHAPE_MISMATCH, "the elements of the box are not those of the memref".into(), diags);
    }
    box_limits(op, map, diags);
    step_limits(op, memory, diags);
    let (mut rank, shape) = (memory.rank(op.ctx), map.shape(op.ctx));
    if let Some(groups) = op.merged() {
        if op.lower().is_some() {
            plain(*op, "the axes of windows are not merged", diags);
        } else if merged_dims(op.ctx, memory, &groups).is_none() {
            let message = format!("{groups:?} are not all {rank} axes of the memref, those merged one after another");
            broken(*op, &SHAPE_MISMATCH, message, diags);
        }
        rank = groups.len();
    }
    if let Some(order) = op.order() {
        if op.merged().is_some() || op.lower().is_some() {
            plain(*op, "axes in another order are neither merged nor those of windows", diags);
        } else if ordered(&memory.dims(op.ctx), &order).is_none() {
            broken(*op, &SHAPE_MISMATCH, format!("{order:?} is no order of the {rank} axes of the memref"), diags);
        }
    }
    match (op.lower(), op.upper(), op.strides()) {
        (None, None, None) => {
            if shape.len() != rank || rank == 0 || rank > 5 {
                let message = format!("the box has {} axes, the memref {rank}: as many, 1 to 5", shape.len());
                broken(*op, &SHAPE_MISMATCH, message, diags);
            }
        }
        (Some(lower), Some(upper), Some(strides)) => {
            let inner = rank.saturating_sub(2);
            if inner == 0 || [&lower, &upper, &strides].iter().any(|list| list.len() != inner) || shape.len() != 2 {
                let message =
                    format!("a window has {inner} axes between images and channels, and a box pixels and channels");
                broken(*op, &SHAPE_MISMATCH, message, diags);
            }
        }
        _ => plain(*op, "a window has 'lower', 'upper' and 'strides'", diags),
    }
}

/// TMA takes boxes of this size.
fn box_limits(op: TensorMapOf<'_>, map: TensorMap, diags: &Diagnostics) {
    let shape = map.shape(op.ctx);
    let bytes = i64::from(map.elem(op.ctx).bits(op.ctx).unwrap_or(8).div_ceil(8));
    let Some((&inner, outer)) = shape.split_last() else { return };
    // A wide row of panels is moved panel by panel.
    let inner = match map.layout(op.ctx) {
        Layout::Panels { span, .. } => inner.min(i64::from(span) / bytes),
        _ => inner,
    };
    // Of windows the pixels are counted, not the elements along an axis.
    let most = if op.lower().is_some() { 1024 } else { 256 };
    for (size, most) in outer.iter().map(|&size| (size, most)).chain([(inner, 256)]) {
        if size > most {
            plain(*op, format!("a box has 1 to {most} elements along an axis, not {size}"), diags);
        }
    }
    if inner * bytes % 16 != 0 {
        plain(*op, format!("a row of a box is a multiple of 16 bytes, not {}", inner * bytes), diags);
    }
    if let Some(stride) = op.strides().unwrap_or_default().iter().find(|stride| !(1..=8).contains(*stride)) {
        plain(*op, format!("a window moves by 1 to 8 elements, not {stride}"), diags);
    }
}

/// TMA steps by multiples of 16 bytes along all axes but the contiguous one; what symbols say is checked at the launch.
fn step_limits(op: TensorMapOf<'_>, memory: MemRef, diags: &Diagnostics) {
    let bytes = i64::from(memory.elem(op.ctx).bits(op.ctx).unwrap_or(8).div_ceil(8));
    let Some((strides, _)) = strides(op.ctx, memory) else { return };
    let merged = op.merged().unwrap_or_else(|| vec![1; strides.len()]);
    // Of axes that count as one the last says the step.
    let mut end = 0;
    for axes in merged.iter() {
        end += usize::try_from(*axes).unwrap_or(0);
        let stride = end.checked_sub(1).and_then(|axis| strides.get(axis)?.as_constant());
        if let Some(step) = stride.filter(|&stride| stride != 1).and_then(|stride| stride.checked_mul(bytes))
            && step % 16 != 0
        {
            plain(*op, format!("TMA steps along an axis by a multiple of 16 bytes, not {step}"), diags);
        }
    }
}

/// Expressions name integers, or fragments of integers.
fn integers(op: OpRef<'_>, args: impl Iterator<Item = ValueId>, diags: &Diagnostics) {
    for ty in args.map(|arg| op.type_of(arg)) {
        let elem = elem_of(op.ctx, ty);
        if elem != Type::INDEX && !elem.is_integer(op.ctx) {
            plain(op, format!("an expression names integers, not {}", ty.display(op.ctx)), diags);
        }
    }
}

/// Positions on each axis of a memref, in which `axes` positions and `values` values are named.
fn access(
    op: OpRef<'_>,
    memory: ValueId,
    at: &[SizeExpr],
    guard: Option<&Guard>,
    (values, axes): (usize, usize),
    diags: &Diagnostics,
) {
    let rank = MemRef::of(op.ctx, op.type_of(memory)).map_or(0, |ty| ty.rank(op.ctx));
    if at.len() != rank {
        broken(op, &SHAPE_MISMATCH, format!("{} positions are given for memory of rank {rank}", at.len()), diags);
    }
    names(op, at, values, axes, diags);
    if let Some(guard) = guard {
        names(op, &guard.exprs().cloned().collect::<Vec<_>>(), values, axes, diags);
    }
}

fn same_elements(op: OpRef<'_>, memory: ValueId, elem: Type, diags: &Diagnostics) {
    if let Some(ty) = MemRef::of(op.ctx, op.type_of(memory)).filter(|ty| ty.elem(op.ctx) != elem) {
        let (memory, elem) = (ty.elem(op.ctx).display(op.ctx), elem.display(op.ctx));
        broken(op, &SHAPE_MISMATCH, format!("elements of {memory} in memory are {elem} here"), diags);
    }
}

fn whole_warps(op: OpRef<'_>, diags: &Diagnostics) {
    if is_single(op) {
        broken(op, &WRONG_THREADS, "a tile is for whole warps, not for one thread".into(), diags);
    }
}

/// A vector has elements that lie one after another, in memory and in the registers of a thread, at multiples of what
/// it takes.
fn vector(op: OpRef<'_>, vector: Option<i64>, diags: &Diagnostics) {
    let Some(vector) = vector else { return };
    let Some(access) = GlobalAccess::of(op) else {
        return plain(op, "one element is no vector", diags);
    };
    let bytes = i64::from(elem_of(op.ctx, access.frag).bits(op.ctx).unwrap_or(8).div_ceil(8));
    let most = i64::from(MAX_VECTOR_BYTES) / bytes;
    if !u32::try_from(vector).is_ok_and(u32::is_power_of_two) || vector > most {
        return plain(op, format!("a vector has a power of two of elements, here at most {most}, not {vector}"), diags);
    }
    if access.combines.is_some_and(|how| !combines_vectors(how, elem_of(op.ctx, access.frag))) {
        return plain(op, "elements are combined one by one, not in vectors: only sums of f32 are", diags);
    }
    if access.memory.align(op.ctx) % (vector * bytes) != 0 {
        let align = access.memory.align(op.ctx);
        let message = format!("the memory is aligned to {align} bytes, and a vector has {}", vector * bytes);
        return plain(op, message, diags);
    }
    // Where the layout does not fit the threads, that is said already.
    if access.fragment(op).is_err() {
        return;
    }
    match access.row(op) {
        None => plain(op, "along no axis of the fragment elements lie one after another in memory", diags),
        Some(row) if i64::from(row.elements) < vector => {
            let message = format!("a thread has {} elements of a row at once, and a vector {vector}", row.elements);
            broken(op, &LAYOUT_MISMATCH, message, diags);
        }
        Some(_) => {}
    }
}

/// From memory to a fragment of its elements.
pub fn load(op: Load<'_>, diags: &Diagnostics) {
    let ty = op.type_of(op.out());
    let axes = Frag::of(op.ctx, ty).map_or(0, |frag| frag.shape(op.ctx).len());
    integers(*op, op.args(), diags);
    access(*op, op.source(), &op.at(), op.guard().as_ref(), (op.args().len(), axes), diags);
    same_elements(*op, op.source(), elem_of(op.ctx, ty), diags);
    if Frag::of(op.ctx, ty).is_some() {
        whole_warps(*op, diags);
        place(*op, ty, diags);
    }
    vector(*op, op.vector(), diags);
}

/// From a fragment to memory.
pub fn store(op: Store<'_>, diags: &Diagnostics) {
    let ty = op.type_of(op.value());
    let axes = Frag::of(op.ctx, ty).map_or(0, |frag| frag.shape(op.ctx).len());
    integers(*op, op.args(), diags);
    access(*op, op.target(), &op.at(), op.guard().as_ref(), (op.args().len(), axes), diags);
    same_elements(*op, op.target(), elem_of(op.ctx, ty), diags);
    whole_warps(*op, diags);
    place(*op, ty, diags);
    vector(*op, op.vector(), diags);
}

/// From memory to a tile of its elements.
pub fn copy(op: Copy<'_>, diags: &Diagnostics) {
    copied(*op, diags);
}

/// As [`copy`].
pub fn copy_async(op: CopyAsync<'_>, diags: &Diagnostics) {
    copied(*op, diags);
}

fn copied(op: OpRef<'_>, diags: &Diagnostics) {
    let Some(parts) = Copied::of(op) else { return };
    staged(op, parts.tile.0, parts.tile.1, diags);
    let Some(tile) = Tile::of(op.ctx, op.type_of(parts.tile.0)) else { return };
    let shape = tile.shape(op.ctx);
    access(op, parts.source, &parts.at, parts.guard.as_ref(), (parts.values, shape.len()), diags);
    same_elements(op, parts.source, tile.elem(op.ctx), diags);
    whole_warps(op, diags);
    place(op, Frag::get(op.ctx, shape, tile.elem(op.ctx), parts.by), diags);
    vector(op, parts.vector, diags);
}

/// A tile and a fragment of the same sizes and elements.
fn same_tile(
    op: OpRef<'_>,
    tile: ValueId,
    stage: Option<ValueId>,
    (frag, transposed): (Type, bool),
    diags: &Diagnostics,
) {
    staged(op, tile, stage, diags);
    whole_warps(op, diags);
    let (Some(tile), Some(ty)) = (Tile::of(op.ctx, op.type_of(tile)), Frag::of(op.ctx, frag)) else { return };
    let mut shape = tile.shape(op.ctx);
    if transposed {
        shape.reverse();
    }
    if shape != ty.shape(op.ctx) || tile.elem(op.ctx) != ty.elem(op.ctx) {
        let message = "the tile and the fragment must have the same sizes and elements".into();
        broken(op, &SHAPE_MISMATCH, message, diags);
    }
    place(op, frag, diags);
}

/// From a tile.
pub fn load_shared(op: LoadShared<'_>, diags: &Diagnostics) {
    same_tile(*op, op.tile(), op.stage(), (op.type_of(op.out()), op.transposed().is_some()), diags);
}

/// To a tile.
pub fn store_shared(op: StoreShared<'_>, diags: &Diagnostics) {
    same_tile(*op, op.tile(), op.stage(), (op.type_of(op.value()), op.transposed().is_some()), diags);
}

/// The op that makes a tensor map; `None` of an argument.
fn map_of<'a>(op: OpRef<'a>, map: ValueId) -> Option<TensorMapOf<'a>> {
    op.body.defining_op(map).and_then(|id| TensorMapOf::of(OpRef { id, ..op }))
}

/// A position for each axis of the memory, and an offset for each axis of a window. Of a map that is an argument the box
/// says how many: a box of windows has an axis of pixels and one of channels, another one the axes of the memory.
fn positions(op: OpRef<'_>, map: ValueId, (at, offsets): (usize, Option<usize>), diags: &Diagnostics) {
    let Some(ty) = TensorMap::of(op.ctx, op.type_of(map)) else { return };
    let shape = ty.shape(op.ctx);
    let made = map_of(op, map);
    let window = made.as_ref().map_or(offsets, |map| map.lower().map(|lower| lower.len()));
    let rank = match made {
        Some(map) => match map.merged() {
            Some(groups) => Some(groups.len()),
            None => MemRef::of(op.ctx, op.type_of(map.memory())).map(|memory| memory.rank(op.ctx)),
        },
        None => Some(window.map_or(shape.len(), |inner| inner + 2)),
    };
    if let Some(rank) = rank.filter(|&rank| rank != at) {
        broken(op, &SHAPE_MISMATCH, format!("{at} positions are given for memory of rank {rank}"), diags);
    }
    if window != offsets {
        let given = offsets.unwrap_or_default();
        let message = match window {
            Some(axes) => format!("{given} offsets are given for a window of {axes} axes"),
            None => format!("{given} offsets are given, and the map is of no windows"),
        };
        broken(op, &SHAPE_MISMATCH, message, diags);
    }
}

/// The box and the tile are of one shape and layout, and one thread begins the copy.
fn boxed(op: OpRef<'_>, map: ValueId, tile: ValueId, stage: Option<ValueId>, diags: &Diagnostics) {
    staged(op, tile, stage, diags);
    if !is_single(op) {
        let message = "one thread asks TMA: put it into 'elect' or a 'single' role".into();
        broken(op, &WRONG_THREADS, message, diags);
    }
    let (Some(map), Some(tile)) = (TensorMap::of(op.ctx, op.type_of(map)), Tile::of(op.ctx, op.type_of(tile))) else {
        return;
    };
    let boxed = sizes(&map.shape(op.ctx)).map(|shape| fold(&shape)).unwrap_or_default();
    let shape = sizes(&tile.shape(op.ctx)).unwrap_or_default();
    if boxed != shape || map.elem(op.ctx) != tile.elem(op.ctx) || map.layout(op.ctx) != tile.layout(op.ctx) {
        let message = format!("a box of {boxed:?} is no tile of {shape:?} with the same elements and layout");
        broken(op, &SHAPE_MISMATCH, message, diags);
    }
}

/// A box to a tile.
pub fn tma_load(op: TmaLoad<'_>, diags: &Diagnostics) {
    boxed(*op, op.map(), op.tile(), op.stage(), diags);
    positions(*op, op.map(), (op.at().len(), op.offsets().map(|offsets| offsets.len())), diags);
    names(*op, &op.at(), op.args().len(), 0, diags);
    names(*op, &op.offsets().unwrap_or_default(), op.args().len(), 0, diags);
    if op.multicast().is_some_and(|mask| !(1..=0xffff).contains(&mask)) {
        plain(*op, "a bit for each of up to 16 blocks says which of them get the box", diags);
    }
}

/// A tile to a box.
pub fn tma_store(op: TmaStore<'_>, diags: &Diagnostics) {
    let map = map_of(*op, op.map());
    let windows = map.and_then(|map| map.lower()).map(|lower| lower.len());
    if map.is_some_and(|map| map.order().is_some()) {
        plain(*op, "boxes of a map with axes in another order are loaded, and not stored", diags);
    }
    if windows.is_some() {
        plain(*op, "boxes of a map of windows are loaded, and not stored", diags);
    }
    boxed(*op, op.map(), op.tile(), op.stage(), diags);
    positions(*op, op.map(), (op.at().len(), windows), diags);
    names(*op, &op.at(), op.args().len(), 0, diags);
}
