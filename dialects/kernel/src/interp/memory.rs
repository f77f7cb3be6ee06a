//! Loads, stores and copies.

use std::sync::Arc;

use dlc_core::guard::Guard;
use dlc_core::launch::{Global, MapRef, MapValue, Memory as Source, Number, element, globals, memory as source};
use dlc_core::scalar::Combiner;
use dlc_core::tensor::ElemKind;
use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::{Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Context, OpRef, Type};
use rustc_hash::FxHashMap;

use super::places::{self, At, Names, Prepared, exprs, integers};
use super::shared::{Byte, Reader, decode, encode};
use super::state::{Begun, Piece, Put, Slots, Work, device, wrong};
use super::sync::{barrier_index, complete_bytes};
use super::values::{TileValue, TokenValue, fragment, from_numbers, registers, slots, tile, to_numbers, work_index};
use crate::global::{GlobalAccess, Row};
use crate::layout::{Shared as Layout, SharedTile};
use crate::ops::{Copied, Load, LoadShared, Shared, Slice, Store, StoreShared, TmaLoad, TmaStore};
use crate::types::{self, Frag, Tile};

/// A tile, where it is.
pub fn shared(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ty = Tile::of(cx.op.ctx, cx.op.type_of(Shared::from(cx.op).out()));
    let ty = ty.ok_or_else(|| wrong(cx, "shared memory is for tiles"))?;
    let place = ty.place(cx.op.ctx).map_err(|reason| wrong(cx, reason))?;
    let id = cx.op.id;
    let base = device(cx).places.get(&id).copied();
    let base = base.ok_or_else(|| wrong(cx, "the tile has no place"))?;
    let stages = u32::try_from(ty.stages(cx.op.ctx)).unwrap_or(1);
    Ok(Outcome::value(Datum::opaque(TileValue { base, stride: place.stride(), stages })))
}

/// A part of a tile.
pub fn slice(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Slice::from(cx.op);
    let (base, place, _) = tile(cx, op.tile(), op.stage())?;
    let at = integers(cx, "at", 1 + usize::from(op.stage().is_some()), op.args().len())?;
    let part = Tile::of(cx.op.ctx, cx.result_type(0)).map(|ty| ty.shape(cx.op.ctx)).unwrap_or_default();
    let mut coords = Vec::with_capacity(at.len());
    for (axis, (&at, &size)) in at.iter().zip(place.shape()).enumerate() {
        let end = at.saturating_add(part.get(axis).copied().unwrap_or(1));
        match u32::try_from(at) {
            Ok(at) if end <= i64::from(size) => coords.push(at),
            _ => {
                let message = format!("the part is {at} to {end} along axis {axis}, where the tile has {size}");
                return Err(cx.fail(&UNDEFINED, message));
            }
        }
    }
    let base = base + place.offset(&coords);
    Ok(Outcome::value(Datum::opaque(TileValue { base, stride: 0, stages: 1 })))
}

/// An element of global memory by its position. `None` outside of the sizes.
pub fn global_index(shape: &[usize], at: &[i64]) -> Option<usize> {
    let mut index = 0usize;
    for (&size, &at) in shape.iter().zip(at) {
        let at = usize::try_from(at).ok().filter(|&at| at < size)?;
        index = index * size + at;
    }
    Some(index)
}

/// An element of memory that the kernel may read.
fn read(cx: &mut Eval<'_, '_>, from: &Source, index: usize) -> Result<Number, Failure> {
    match from {
        Source::Argument(value) => Ok(element(value, index)),
        Source::Global(number) => {
            let global: &Global = &globals(cx)[*number];
            if global.written[index] {
                return Ok(global.get(index));
            }
            Err(cx.fail(&UNDEFINED, format!("reads element {index} of global memory, which nothing was written to")))
        }
    }
}

/// Where blocks tell each other something: what another block wrote is read after it was released and acquired.
fn check_order(cx: &mut Eval<'_, '_>, from: &Source, index: usize) -> Result<(), Failure> {
    let (Source::Global(number), device) = (from, device(cx)) else { return Ok(()) };
    match device.known.is_used {
        true => {
            let ordered = device.known.read(device.current, (*number, index));
            ordered.map_err(|reason| cx.fail(&UNDEFINED, reason))
        }
        false => Ok(()),
    }
}

/// How memory is read: the operand, the values in expressions, and the expressions.
struct Access<'e> {
    memory: usize,
    values: usize,
    at: &'e [SizeExpr],
    guard: Option<&'e Guard>,
    fill: Option<Attr>,
}

/// A number as the fill of a guard.
fn fill_number(ctx: &Context, fill: Option<Attr>, elem: Type) -> Number {
    match fill.and_then(|fill| Datum::of_attr(ctx, fill)) {
        Some(Datum::Float(value)) => Number::Float(value),
        Some(datum) => Number::Int(datum.as_int().unwrap_or(0) as i64),
        None if elem.float_kind(ctx).is_some() => Number::Float(0.0),
        None => Number::Int(0),
    }
}

/// What must hold of the elements that one access takes, if several: they lie at a multiple of their number, and are inside
/// of the guard all or none.
struct Vectors<'n> {
    size: i64,
    /// The axis of the rows, and how far elements are apart that are neighbours along it, in the order of the fragment.
    axis: usize,
    step: i64,
    /// The number of an element in memory.
    number: Prepared<'n>,
    /// For each vector, by its first element, whether it is inside.
    inside: FxHashMap<i64, bool>,
}

impl<'n> Vectors<'n> {
    fn of(row: Option<&'n (i64, Row)>, names: &'n Names, slots: &Slots) -> Option<Vectors<'n>> {
        let (size, row) = row?;
        let step = slots.shape[row.axis + 1..].iter().product::<usize>() as i64;
        let number = names.prepare(&row.number);
        Some(Vectors { size: *size, axis: row.axis, step, number, inside: FxHashMap::default() })
    }

    /// An error where the element at a position is none of a vector.
    fn check(&mut self, place: At<'_>, inside: bool, element: usize) -> Result<(), String> {
        let (size, at) = (self.size, place.coords[self.axis] % self.size);
        if *self.inside.entry(element as i64 - at * self.step).or_insert(inside) != inside {
            return Err(format!("of {size} elements that are taken at once, some are outside of the guard"));
        }
        if !inside {
            return Ok(());
        }
        match self.number.at(place)? - at {
            first if first.rem_euclid(size) == 0 => Ok(()),
            first => Err(format!("{size} elements are taken at once from number {first} on, which is no multiple")),
        }
    }
}

/// How many elements one access takes, if several, and along which row.
fn row_of(op: OpRef<'_>) -> Option<(i64, Row)> {
    // Most ops do not say it.
    op.prop_named("vector")?;
    let access = GlobalAccess::of(op)?;
    Some((access.vector.filter(|&size| size > 1)?, access.row(op)?))
}

/// The elements of memory for each slot of a layout.
fn read_global(cx: &mut Eval<'_, '_>, access: &Access<'_>, slots: &Slots, elem: Type) -> Result<Vec<Number>, Failure> {
    let names = Names::of(cx, access.memory + 1, access.values)?;
    let from = source(cx, &cx.operand(access.memory)?.clone())?;
    let shape = from.shape(cx);
    let positions: Vec<_> = access.at.iter().map(|expr| names.prepare(expr)).collect();
    let guard = names.prepare_guard(access.guard);
    let fill = fill_number(cx.op.ctx, access.fill, elem);
    let row = row_of(cx.op);
    let mut vectors = Vectors::of(row.as_ref(), &names, slots);
    let mut coords = vec![0; slots.shape.len()];
    let mut at = vec![0; positions.len()];
    let mut values = Vec::with_capacity(slots.len());
    let is_shared = device(cx).known.is_used;
    for slot in 0..slots.len() {
        let Some(element) = slots.element(slot) else {
            values.push(fill);
            continue;
        };
        slots.coords(element, &mut coords);
        let place = At { coords: &coords, slot };
        let inside = guard.at(place).map_err(|reason| wrong(cx, reason))?;
        if let Some(vectors) = &mut vectors {
            vectors.check(place, inside, element).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
        }
        if !inside {
            values.push(fill);
            continue;
        }
        for (at, position) in at.iter_mut().zip(&positions) {
            *at = position.at(place).map_err(|reason| wrong(cx, reason))?;
        }
        let Some(index) = global_index(&shape, &at) else {
            let message = format!("element {coords:?} is read at {at:?}, outside of the sizes {shape:?}");
            return Err(cx.fail(&UNDEFINED, message));
        };
        values.push(read(cx, &from, index)?);
        if is_shared {
            check_order(cx, &from, index)?;
        }
    }
    Ok(values)
}

/// The element of memory that an expression without positions says.
fn read_one(cx: &mut Eval<'_, '_>, access: &Access<'_>, elem: Type) -> Result<Number, Failure> {
    let names = Names::of(cx, access.memory + 1, access.values)?;
    let here = At { coords: &[], slot: 0 };
    let inside = access.guard.map_or(Ok(true), |guard| names.holds(guard, here));
    if !inside.map_err(|reason| wrong(cx, reason))? {
        return Ok(fill_number(cx.op.ctx, access.fill, elem));
    }
    let from = source(cx, &cx.operand(access.memory)?.clone())?;
    let shape = from.shape(cx);
    let at = names.uniforms(access.at).map_err(|reason| wrong(cx, reason))?;
    match global_index(&shape, &at) {
        Some(index) => {
            check_order(cx, &from, index)?;
            read(cx, &from, index)
        }
        None => Err(cx.fail(&UNDEFINED, format!("an element is read at {at:?}, outside of the sizes {shape:?}"))),
    }
}

/// Global memory to registers.
pub fn load(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Load::from(cx.op);
    let ty = cx.result_type(0);
    let (at, guard) = (exprs(cx, "at"), places::guard(cx));
    let access = Access { memory: 0, values: op.args().len(), at: &at, guard: guard.as_deref(), fill: op.fill() };
    if Frag::of(cx.op.ctx, ty).is_none() {
        return Ok(Outcome::value(match read_one(cx, &access, ty)? {
            Number::Float(value) => Datum::Float(value),
            Number::Int(value) => Datum::Int(value.into()),
        }));
    }
    let (slots, elem) = (slots(cx, ty)?, types::elem_of(cx.op.ctx, ty));
    let values = read_global(cx, &access, &slots, elem)?;
    Ok(Outcome::value(fragment(from_numbers(cx, &slots, elem, &values)?)))
}

/// Both numbers as one.
pub fn combined(kind: ElemKind, combiner: Option<Combiner>, old: Number, new: Number) -> Number {
    match (combiner, old, new) {
        (None, _, new) => new,
        (Some(combiner), Number::Float(a), Number::Float(b)) => Number::Float(kind.round(match combiner {
            Combiner::Sum => a + b,
            Combiner::Prod => a * b,
            // NaN wins, as in a reduction.
            Combiner::Max if b > a || b.is_nan() => b,
            Combiner::Min if b < a || b.is_nan() => b,
            Combiner::Max | Combiner::Min => a,
        })),
        (Some(combiner), Number::Int(a), Number::Int(b)) => Number::Int(kind.wrap(match combiner {
            Combiner::Sum => a.wrapping_add(b),
            Combiner::Prod => a.wrapping_mul(b),
            Combiner::Max => a.max(b),
            Combiner::Min => a.min(b),
        })),
        (_, _, new) => new,
    }
}

/// Puts a number into global memory, or combines it with the one that is there.
fn write_global(
    cx: &mut Eval<'_, '_>,
    number: usize,
    index: usize,
    value: Number,
    combiner: Option<Combiner>,
) -> Result<(), Failure> {
    let global = &mut globals(cx)[number];
    let kind = global.kind;
    let value = match value {
        Number::Float(value) => Number::Float(kind.round(value)),
        Number::Int(value) => Number::Int(kind.wrap(value)),
    };
    if combiner.is_some() && !global.written[index] {
        let message = format!("combines with element {index} of global memory, which nothing was written to");
        return Err(cx.fail(&UNDEFINED, message));
    }
    let value = combined(kind, combiner, global.get(index), value);
    global.set(index, value);
    let device = device(cx);
    if device.known.is_used {
        let ordered = device.known.write(device.current, (number, index), combiner.is_some());
        return ordered.map_err(|reason| cx.fail(&UNDEFINED, reason));
    }
    Ok(())
}

/// Registers to global memory.
pub fn store(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Store::from(cx.op);
    let slots = slots(cx, cx.operand_type(0))?;
    let values = to_numbers(&registers(cx, 0)?);
    let names = Names::of(cx, 2, op.args().len())?;
    let Source::Global(number) = source(cx, &cx.operand(1)?.clone())? else {
        return Err(cx.fail(&UNDEFINED, "writes to an argument of the kernel, which is only read"));
    };
    let shape = globals(cx)[number].shape.clone();
    let (at, guard, combiner) = (exprs(cx, "at"), places::guard(cx), op.combine());
    let positions: Vec<_> = at.iter().map(|expr| names.prepare(expr)).collect();
    let guard = names.prepare_guard(guard.as_deref());
    let row = row_of(cx.op);
    let mut vectors = Vectors::of(row.as_ref(), &names, &slots);
    let (mut coords, mut at) = (vec![0; slots.shape.len()], vec![0; positions.len()]);
    for (slot, &value) in values.iter().enumerate() {
        let Some(element) = slots.element(slot).filter(|_| slots.is_first(slot)) else { continue };
        slots.coords(element, &mut coords);
        let place = At { coords: &coords, slot };
        let inside = guard.at(place).map_err(|reason| wrong(cx, reason))?;
        if let Some(vectors) = &mut vectors {
            vectors.check(place, inside, element).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
        }
        if !inside {
            continue;
        }
        for (at, position) in at.iter_mut().zip(&positions) {
            *at = position.at(place).map_err(|reason| wrong(cx, reason))?;
        }
        let Some(index) = global_index(&shape, &at) else {
            let message = format!("element {coords:?} is written at {at:?}, outside of the sizes {shape:?}");
            return Err(cx.fail(&UNDEFINED, message));
        };
        write_global(cx, number, index, value, combiner)?;
    }
    Ok(Outcome::nothing())
}

/// The slots of the layout by which threads share the elements of a tile.
fn slots_by(
    cx: &mut Eval<'_, '_>,
    tile: &SharedTile,
    elem: Type,
    by: crate::layout::Distributed,
) -> Result<Arc<Slots>, Failure> {
    let shape: Vec<i64> = tile.shape().iter().map(|&size| size.into()).collect();
    slots(cx, Frag::get(cx.op.ctx, shape, elem, by))
}

/// What each warp brings to which bytes of a tile.
fn pieces_of_copy(cx: &mut Eval<'_, '_>) -> Result<Vec<Piece>, Failure> {
    let op = Copied::of(cx.op).ok_or_else(|| wrong(cx, "the op copies nothing"))?;
    let (base, place, elem) = tile(cx, op.tile.0, op.tile.1)?;
    let slots = slots_by(cx, &place, elem, op.by)?;
    let access = Access { memory: 0, values: op.values, at: &op.at, guard: op.guard.as_ref(), fill: op.fill };
    let values = read_global(cx, &access, &slots, elem)?;
    let block = device(cx).thread_group().block;
    let mut coords = vec![0; slots.shape.len()];
    let mut pieces = Vec::new();
    for (slot, &value) in values.iter().enumerate() {
        let Some(element) = slots.element(slot).filter(|_| slots.is_first(slot)) else { continue };
        slots.coords(element, &mut coords);
        let address = place.address(base, &unsigned(&coords));
        let thread = Some((slot / slots.sizes[2]) as u16);
        pieces.push(Piece { block, address, bytes: encode(cx.op.ctx, elem, value), thread });
    }
    Ok(pieces)
}

fn unsigned(coords: &[i64]) -> SmallVec<[u32; 4]> {
    coords.iter().map(|&at| at as u32).collect()
}

/// What a thread of the thread group that runs writes now.
fn written(cx: &mut Eval<'_, '_>) -> impl Fn(u16) -> Byte + use<> {
    let device = device(cx);
    let thread_group = device.current as u16;
    let clock = device.thread_group().clock;
    move |thread| Byte::Written { thread_group, thread, clock }
}

/// Global memory to a tile.
pub fn copy(cx: &mut Eval<'_, '_>) -> EvalResult {
    let pieces = pieces_of_copy(cx)?;
    device(cx).thread_group().clock += 1;
    let by = written(cx);
    let blocks = &mut device(cx).blocks;
    let write =
        |piece: Piece| blocks[piece.block].memory.write(piece.address, &piece.bytes, by(piece.thread.unwrap_or(0)));
    pieces.into_iter().try_for_each(write).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    Ok(Outcome::nothing())
}

/// The same, at some time before the token is awaited.
pub fn copy_async(cx: &mut Eval<'_, '_>) -> EvalResult {
    let pieces = pieces_of_copy(cx)?;
    let blocks = &mut device(cx).blocks;
    let expect = |piece: &Piece| blocks[piece.block].memory.expect(piece.address, piece.bytes.len());
    pieces.iter().try_for_each(expect).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    begin(cx, types::Work::Load, Work::Bring { pieces, signals: Vec::new() })
}

/// Begins work, whose token is the result.
fn begin(cx: &mut Eval<'_, '_>, kind: types::Work, work: Work) -> EvalResult {
    let at = cx.op.loc();
    let device = device(cx);
    let thread_group = device.current;
    let state = device.thread_group();
    let index = work_index(kind);
    state.tickets[index] += 1;
    let ticket = state.tickets[index];
    state.begun[index].push(Begun { ticket, at, work });
    Ok(Outcome::value(Datum::opaque(TokenValue { thread_group, work: kind, ticket })))
}

/// Ends work that a thread group began.
pub fn finish(cx: &mut Eval<'_, '_>, thread_group: usize, begun: Begun) -> Result<(), Failure> {
    let started = begun.at;
    let ended = match begun.work {
        Work::Bring { .. } => {
            device(cx).thread_groups[thread_group].clock += 1;
            bring(cx, begun.work)
        }
        Work::Put(put) => finish_put(cx, &put),
        Work::Multiply(product) => super::compute::finish_product(cx, thread_group, &product),
    };
    ended.map_err(|error| Box::new(error.note(started, "the work begins here")))
}

/// The bytes of a copy come, and barriers count them.
pub fn bring(cx: &mut Eval<'_, '_>, work: Work) -> Result<(), Failure> {
    let Work::Bring { pieces, signals } = work else { return Ok(()) };
    let by = written(cx);
    let blocks = &mut device(cx).blocks;
    let bring = |piece: Piece| {
        let by = piece.thread.map_or(Byte::Settled, &by);
        blocks[piece.block].memory.bring(piece.address, &piece.bytes, by)
    };
    pieces.into_iter().try_for_each(bring).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    for (block, barrier, bytes) in signals {
        complete_bytes(cx, block, barrier, bytes);
    }
    Ok(())
}

/// The bytes of an element of a tile as a thread of the thread group sees them.
fn reader(cx: &mut Eval<'_, '_>) -> impl Fn(u16) -> Reader + use<> {
    let device = device(cx);
    let (thread_group, synced, warp_synced) =
        (device.current as u16, device.thread_group().synced, device.thread_group().warp_synced);
    move |thread| Reader::Thread { thread_group, thread, synced, warp_synced }
}

/// The bytes of a tile as TMA and the tensor cores see them.
pub fn engine(cx: &mut Eval<'_, '_>, thread_group: usize) -> Reader {
    let device = device(cx);
    Reader::Engine {
        thread_group: thread_group as u16,
        fenced: device.thread_groups[thread_group].fenced,
        synced: device.thread_groups[thread_group].synced,
    }
}

/// A tile to registers.
pub fn load_shared(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = LoadShared::from(cx.op);
    let (base, place, elem) = tile(cx, op.tile(), op.stage())?;
    let slots = slots(cx, cx.result_type(0))?;
    let ctx = cx.op.ctx;
    let kind = ElemKind::of(ctx, elem).ok_or_else(|| wrong(cx, "the elements are no numbers"))?;
    let (mut coords, mut values) = (vec![0; slots.shape.len()], Vec::with_capacity(slots.len()));
    let length = place.elem_bytes() as usize;
    let transposed = op.transposed().is_some();
    let reader = reader(cx);
    let memory = &device(cx).block().memory;
    for slot in 0..slots.len() {
        let Some(element) = slots.element(slot) else {
            values.push(fill_number(ctx, None, elem));
            continue;
        };
        slots.coords(element, &mut coords);
        let mut at = unsigned(&coords);
        if transposed {
            at.reverse();
        }
        let read = memory.read(place.address(base, &at), length, reader((slot / slots.sizes[2]) as u16));
        let value = read.map(|bytes| decode(ctx, elem, kind, bytes));
        match value {
            Ok(value) => values.push(value),
            Err(reason) => return Err(cx.fail(&UNDEFINED, reason)),
        }
    }
    Ok(Outcome::value(fragment(from_numbers(cx, &slots, elem, &values)?)))
}

/// Registers to a tile.
pub fn store_shared(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = StoreShared::from(cx.op);
    let (base, place, elem) = tile(cx, op.tile(), op.stage())?;
    let slots = slots(cx, cx.operand_type(0))?;
    let values = to_numbers(&registers(cx, 0)?);
    device(cx).thread_group().clock += 1;
    let transposed = op.transposed().is_some();
    let mut coords = vec![0; slots.shape.len()];
    let (ctx, by) = (cx.op.ctx, written(cx));
    let memory = &mut device(cx).block().memory;
    for (slot, &value) in values.iter().enumerate() {
        let Some(element) = slots.element(slot).filter(|_| slots.is_first(slot)) else { continue };
        slots.coords(element, &mut coords);
        let by = by((slot / slots.sizes[2]) as u16);
        let bytes = encode(ctx, elem, value);
        let mut at = unsigned(&coords);
        if transposed {
            at.reverse();
        }
        if let Err(reason) = memory.write(place.address(base, &at), &bytes, by) {
            return Err(cx.fail(&UNDEFINED, reason));
        }
    }
    Ok(Outcome::nothing())
}

/// The position in a tile of an element of a box: all axes but the last are one.
fn folded(shape: &[u32], coords: &[i64]) -> SmallVec<[u32; 4]> {
    match coords {
        [rows @ .., last] if !rows.is_empty() => {
            let row = rows.iter().zip(shape).fold(0, |row, (&at, &size)| row * size + at as u32);
            SmallVec::from_slice(&[row, *last as u32])
        }
        _ => unsigned(coords),
    }
}

/// Where in memory the elements of a box are, by the box's position; `None` outside.
fn boxed(map: &MapValue, at: &[i64], offsets: &[i64], visit: &mut dyn FnMut(&[i64], Option<usize>)) {
    let (Some(&inner), Some(&first), Some(&width)) = (map.shape.last(), at.last(), map.sizes.last()) else { return };
    let step = map.steps.last().copied().unwrap_or(1);
    map.rows(at, offsets, &mut |coords, line| {
        let mut coords: SmallVec<[i64; 6]> = SmallVec::from_slice(coords);
        coords.push(0);
        let last = coords.len() - 1;
        for column in 0..i64::from(inner) {
            coords[last] = column;
            let place = usize::try_from(first + column).ok().filter(|&place| place < width);
            visit(&coords, line.zip(place).map(|((line, _), place)| line + place * step));
        }
    });
}

/// TMA brings a box.
pub fn tma_load(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let op = TmaLoad::from(cx.op);
    let map = Arc::clone(&cx.opaque::<MapRef>(0)?.0);
    let values = op.args().len();
    let at = integers(cx, "at", 1, values)?;
    let offsets = integers(cx, "offsets", 1, values)?;
    let (base, place, elem) = tile(cx, op.tile(), op.stage())?;
    let barrier = barrier_index(cx, op.barrier(), op.barrier_stage())?;
    let from = source(cx, &map.memory)?;
    if at.len() != map.sizes.len() {
        let rank = map.sizes.len();
        return Err(wrong(cx, format!("a position of {} numbers is given for memory of rank {rank}", at.len())));
    }
    let mut found = Vec::new();
    boxed(&map, &at, &offsets, &mut |coords, index| {
        found.push((place.address(base, &folded(&map.shape, coords)), index))
    });
    let own = device(cx).thread_group().block;
    let blocks: Vec<usize> = match op.multicast() {
        Some(mask) => {
            device(cx).peers().enumerate().filter(|(rank, _)| mask >> rank & 1 == 1).map(|(_, block)| block).collect()
        }
        None => vec![own],
    };
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    for (address, index) in found {
        let value = match index {
            Some(index) => {
                check_order(cx, &from, index)?;
                read(cx, &from, index)?
            }
            None => fill_number(ctx, None, elem),
        };
        let data = encode(ctx, elem, value);
        bytes += data.len() as i64;
        pieces.extend(blocks.iter().map(|&block| Piece { block, address, bytes: data, thread: None }));
    }
    let memories = &mut device(cx).blocks;
    let expect = |piece: &Piece| memories[piece.block].memory.expect(piece.address, piece.bytes.len());
    pieces.iter().try_for_each(expect).map_err(|reason| cx.fail(&UNDEFINED, reason))?;
    let signals = blocks.iter().map(|&block| (block, barrier, bytes)).collect();
    let at = cx.op.loc();
    device(cx).flying.push((at, Work::Bring { pieces, signals }));
    Ok(Outcome::nothing())
}

/// The bytes of each element of a box, in order, as they are in shared memory; until the store ends, nobody may write to
/// them.
fn hold_box(cx: &mut Eval<'_, '_>, put: &mut Put, reader: Reader) -> Result<(), Failure> {
    let shape = types::fold(&put.map.shape);
    let layout = Layout::of_span(put.map.span);
    let place = layout.place(&shape, put.map.elem.bits(cx.op.ctx).unwrap_or(8));
    let place = place.map_err(|reason| wrong(cx, reason))?;
    let size: Vec<i64> = put.map.shape.iter().map(|&size| size.into()).collect();
    let length = place.elem_bytes() as usize;
    let count: i64 = size.iter().product();
    let memory = &mut device(cx).blocks[put.block].memory;
    let mut coords = vec![0; size.len()];
    put.seen.reserve(count as usize * length);
    for number in 0..count {
        let mut rest = number;
        for (axis, &size) in size.iter().enumerate().rev() {
            coords[axis] = rest % size;
            rest /= size;
        }
        let address = place.address(put.base, &folded(&put.map.shape, &coords));
        match memory.read(address, length, reader) {
            Ok(bytes) => put.seen.extend_from_slice(bytes),
            Err(reason) => return Err(cx.fail(&UNDEFINED, reason)),
        }
        memory.hold(address, length, true);
        put.held.push((address, length as u8));
    }
    Ok(())
}

/// TMA takes a tile.
pub fn tma_store(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = TmaStore::from(cx.op);
    let (base, ..) = tile(cx, op.tile(), op.stage())?;
    let index = 1 + usize::from(op.stage().is_some());
    let map = Arc::clone(&cx.opaque::<MapRef>(index)?.0);
    let at = integers(cx, "at", index + 1, op.args().len())?;
    let block = device(cx).thread_group().block;
    let mut put = Put { block, base, map, at, combine: op.combine(), seen: Vec::new(), held: Vec::new() };
    let thread_group = device(cx).current;
    let reader = engine(cx, thread_group);
    hold_box(cx, &mut put, reader)?;
    begin(cx, types::Work::Epilogue, Work::Put(put))
}

fn finish_put(cx: &mut Eval<'_, '_>, put: &Put) -> Result<(), Failure> {
    let ctx = cx.op.ctx;
    let memory = &mut device(cx).blocks[put.block].memory;
    put.held.iter().for_each(|&(address, length)| memory.hold(address, length.into(), false));
    let Source::Global(number) = source(cx, &put.map.memory)? else {
        return Err(cx.fail(&UNDEFINED, "writes to an argument of the kernel, which is only read"));
    };
    let kind = globals(cx)[number].kind;
    let mut found = Vec::new();
    boxed(&put.map, &put.at, &[], &mut |_, index| found.push(index));
    let length = put.seen.len() / found.len().max(1);
    for (index, bytes) in found.into_iter().zip(put.seen.chunks_exact(length.max(1))) {
        if let Some(index) = index {
            write_global(cx, number, index, decode(ctx, put.map.elem, kind, bytes), put.combine)?;
        }
    }
    Ok(())
}
