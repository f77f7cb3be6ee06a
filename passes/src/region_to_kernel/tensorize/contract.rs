//! Products of matrices: a loop over the reduced axes, of which a tile of each operand is in shared memory at once.

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{InsertPoint, OpRef};
use dlc_ir::{Builder, OpId, Type, ValueId};
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;
use dlc_plan::clause::Kind;
use dlc_region::ops::{Binary, Read, Reduce, Yield};
use dlc_region::verify::axes_of;

use super::axes::{Dim, LowerError, remainder};
use super::copies::{is_along, is_contiguous};
use super::lower::{Lower, Lowered, Result, bits_of};
use super::report::Of;
use super::zeros::{self, Zeros};
use crate::analysis::axes::before_broadcasts;
use crate::analysis::numbers::is_zero;
use crate::plan::shape::is_multiplied;
use crate::plan::tiling::{Matrix, tile_of};

/// What is multiplied: the left matrix is over the first axis of fragments, the right one over the second.
pub struct Product {
    pub lhs: ValueId,
    pub rhs: ValueId,
    pub elem: Type,
}

/// A sum of products of two values, if it is one that the plan's instruction can compute here: one value does not depend
/// on the second axis of fragments, the other not on the first.
pub fn product(lower: &Lower<'_, '_>, id: OpId) -> Option<Product> {
    let matrix = lower.tiling.matrix.clone()?;
    let ctx = lower.ctx;
    let reduce = Reduce::of(OpRef::new(ctx, lower.region, id))?;
    if reduce.combiner() != Some(Combiner::Sum)
        || lower.scopes.last().is_none_or(|scope| scope.layout != lower.tiling.layout)
    {
        return None;
    }
    let region = *reduce.regions().first()?;
    let end = lower.region.last_op(lower.region.first_block(region)?)?;
    let end = Yield::of(OpRef::new(ctx, lower.region, end))?;
    let value = before_broadcasts(ctx, lower.region, end.values().next()?);
    let factor = Binary::of(OpRef::new(ctx, lower.region, lower.region.defining_op(value)?))?;
    if factor.function() != scalar::Binary::Mul {
        return None;
    }
    let elem = |value: ValueId| crate::analysis::axes::elem(ctx, lower.region, value);
    let (acc, given) = (*reduce.acc().first()?, elem(factor.lhs()));
    let halves = given == elem(factor.rhs()) && is_multiplied(ctx, given);
    let split = given == elem(factor.rhs()) && given == Type::F32 && matrix.precision.is_some();
    let exact = factor.widen().is_some() || elem(value) == acc;
    let fits = match matrix.instruction {
        Kind::Mma => (halves || split) && exact && acc == Type::F32,
        Kind::Wgmma => (halves || split) && exact && acc == Type::F32,
        Kind::Fma => acc == Type::F32 && exact && (halves || (elem(factor.rhs()) == given && given == Type::F32)),
    };
    if !fits {
        return None;
    }
    let reduced: Vec<&str> = reduce.axes();
    let scope = lower.scopes.last()?;
    let places: Vec<Vec<&str>> = scope
        .dims
        .iter()
        .map(|dim| match dim.as_ref().filter(|dim| dim.tile > 1) {
            Some(dim) => dim.axes.iter().map(|(name, _)| name.as_str()).collect(),
            None => Vec::new(),
        })
        .collect();
    if places.iter().any(Vec::is_empty) || places.iter().flatten().any(|axis| reduced.contains(axis)) {
        return None;
    }
    let over = |value: ValueId, place: usize| {
        axes_of(ctx, lower.region.value_type(value)).iter().any(|axis| places[place].contains(axis))
    };
    let (lhs, rhs) = (factor.lhs(), factor.rhs());
    // A sum that is the same for all rows or all columns is no matrix.
    if [0, 1].iter().any(|&place| !over(lhs, place) && !over(rhs, place)) {
        return None;
    }
    match (over(lhs, 1) || over(rhs, 0), over(lhs, 0) || over(rhs, 1)) {
        (false, _) => Some(Product { lhs, rhs, elem: given }),
        (true, false) => Some(Product { lhs: rhs, rhs: lhs, elem: given }),
        (true, true) => None,
    }
}

/// The tile of an operand in shared memory: whether it is written the other way round.
pub struct Operand {
    tile: ValueId,
    transposed: bool,
    /// What is to be zero of it, and is not yet.
    zeros: Option<Box<Zeros>>,
}

/// The left matrix of a step.
pub enum Left {
    /// In shared memory.
    Tile(Operand),
    /// In registers, as the result lies there.
    Registers(ValueId),
}

/// One step of a loop: a tile of the left matrix, which is there, by one of the right, which is brought, added to what
/// there is. The scope has the rows and the columns as its axes.
pub fn accumulate(
    lower: &mut Lower<'_, '_>,
    left: Left,
    rhs: ValueId,
    elem: Type,
    dim: &super::axes::Dim,
    acc: ValueId,
) -> Result<ValueId> {
    let loc = lower.emit.loc;
    let matrix = lower.tiling.matrix.clone().expect("a product has its tiling");
    let [rows, columns] = lower.both_dims();
    let lies = lower.scope().layout.clone();
    let left = match (left, &lies) {
        // A warp that has whole rows of the result has what it needs of the left matrix, in other registers.
        (Left::Registers(value), Distributed::Mma([warps, 1])) => {
            let ty = lower.emit.frag(&[rows.tile, dim.tile], elem, &Distributed::MmaA([*warps, 1]));
            let op = kernel::Convert::build(&mut lower.emit.builder(), loc, value, None, ty);
            Left::Registers(lower.emit.body.result(op, 0))
        }
        (Left::Registers(value), Distributed::Wgmma) => {
            let ty = lower.emit.frag(&[rows.tile, dim.tile], elem, &Distributed::WgmmaA);
            let op = kernel::Convert::build(&mut lower.emit.builder(), loc, value, None, ty);
            Left::Registers(lower.emit.body.result(op, 0))
        }
        (Left::Registers(value), _) => {
            let tile = tile_in_shared_memory(lower, elem, [rows.tile, dim.tile], "lhs")?;
            kernel::StoreShared::build(&mut lower.emit.builder(), loc, value, tile, None, None);
            Left::Tile(Operand { tile, transposed: false, zeros: None })
        }
        (left, _) => left,
    };
    lower.push_scope();
    // The reduced axis lies where memory is contiguous along it, so that neighbours are copied together.
    let is_transposed = !is_along(lower, rhs, [&columns, dim]);
    let (dims, shape) = match is_transposed {
        true => ([Some(columns.clone()), Some(dim.clone())], [columns.tile, dim.tile]),
        false => ([Some(dim.clone()), Some(columns.clone())], [dim.tile, columns.tile]),
    };
    lower.scope().dims = dims;
    let rhs = operand(lower, rhs, elem, shape, is_transposed, "rhs", None)?;
    lower.scopes.pop();
    if matrix.instruction == Kind::Wgmma {
        kernel::FenceAsync::build(&mut lower.emit.builder(), loc);
    }
    lower.emit.barrier();
    let tiles = match &left {
        Left::Tile(left) => vec![left, &rhs],
        Left::Registers(_) => vec![&rhs],
    };
    for operand in tiles {
        if let Some(zeros) = &operand.zeros {
            zeros::put(lower, zeros, operand.tile, elem)?;
        }
    }
    let sum = multiply(lower, matrix.instruction, (&left, &rhs), acc, elem, dim.tile)?;
    lower.emit.barrier();
    Ok(sum)
}

/// The loop.
pub fn lower(lower: &mut Lower<'_, '_>, id: OpId, product: &Product) -> Result<Lowered> {
    let ctx = lower.ctx;
    let matrix = lower.tiling.matrix.clone().expect("a product has its tiling");
    if let Some(window) = &matrix.window {
        return super::window::lower(lower, id, product, window);
    }
    let reduce = Reduce::from(OpRef::new(ctx, lower.region, id));
    let axes: Vec<(String, SizeExpr)> = reduce.axes().into_iter().map(String::from).zip(reduce.sizes()).collect();
    let (single, axes): (Vec<_>, Vec<_>) = axes.into_iter().partition(|(name, _)| matrix.single.contains(name));
    let axes = as_they_lie(lower, product, axes);
    let total = super::axes::product(axes.iter().map(|(_, size)| size))?;
    let least = if matrix.instruction == Kind::Fma { 1 } else { 16 };
    let names: Vec<&str> = axes.iter().map(|(name, _)| name.as_str()).collect();
    let most = matrix.depth_of(&names);
    let depth = tile_of(&total, most, most).max(least);
    let (acc, init) = (reduce.acc()[0], reduce.init()[0]);
    let ty = lower.ty(acc, [true, true]);
    let mut start = lower.emit.constant(init, ty);
    let mut around = Vec::new();
    let is_inside = lower.is_planned && lower.emit.is_in_loop();
    for axis in single {
        let [first, steps] = zeros::taps(lower, product, &axis)?;
        let open = lower.emit.open_loop(&steps, 1, &axis.0, &[start])?;
        let base = lower.emit.name(open.counter).add(&first).map_err(LowerError::Expr)?;
        lower.push_scope();
        let dim = lower.dim(vec![axis], base, 1)?;
        lower.scope().points.push(dim);
        start = open.carried[0];
        around.push(open);
    }
    let range = match axes.as_slice() {
        [axis] => zeros::range(lower, product, axis, depth)?,
        _ => None,
    };
    let is_whole = range.is_none();
    let [first, last] = range.unwrap_or_else(|| [SizeExpr::from(0), total.clone()]);
    let open = lower.emit.open_loop_from([&first, &last], depth, "k", &[start])?;
    // Inside of the loop, since without a step there is nothing to divide by; in PTX it stands before the loop.
    let first = if is_whole { stagger(lower, &total, depth, &names)? } else { None };
    let base = staggered(lower, open.counter, first, &total, depth)?;
    let is_single = is_whole && base == lower.emit.name(open.counter);
    let is_single = is_single && total.as_constant().is_some_and(|total| total <= i64::from(depth));
    // The only step is the same in each step of the loops around.
    let base = if is_single && is_inside { SizeExpr::from(0) } else { base };
    let dim = lower.dim(axes, base, depth)?;
    let [rows, _] = lower.both_dims();

    lower.push_scope();
    lower.scope().dims = [Some(rows.clone()), Some(dim.clone())];
    // Tensor cores read the left matrix either way: it stays as it is in memory.
    let is_read_along = read_of(lower, product.lhs).is_some() && is_along(lower, product.lhs, [&rows, &dim]);
    let across = matrix.instruction != Kind::Fma && is_read_along;
    let lhs = match across {
        false if is_computed(lower, product.lhs) && holds_rows(lower) => {
            Left::Registers(in_registers(lower, product.lhs, product.elem)?)
        }
        false => Left::Tile(operand(lower, product.lhs, product.elem, [rows.tile, depth], false, "lhs", Some(&rows))?),
        true => {
            lower.scope().dims.reverse();
            Left::Tile(operand(lower, product.lhs, product.elem, [depth, rows.tile], true, "lhs", Some(&rows))?)
        }
    };
    lower.scopes.pop();
    let factors = [copied(lower, product.lhs), copied(lower, product.rhs)];
    lower.note_product(Of::Sum(id), factors);
    let sum = accumulate(lower, lhs, product.rhs, product.elem, &dim, open.carried[0])?;
    let mut sum = lower.emit.close_loop(open, &[sum])[0];
    for open in around.into_iter().rev() {
        lower.scopes.pop();
        sum = lower.emit.close_loop(open, &[sum])[0];
    }
    let made = Lowered { value: sum, over: [true, true] };
    let result = reduce.result(0);
    Ok(lower.cast(made, crate::analysis::axes::elem(ctx, lower.region, result), false))
}

/// Where a loop begins, as a plan may want it: some steps later for each tile, and from the end on at the beginning again.
/// Tiles that are computed at once then read different parts of their rows, which lie in different parts of memory. Steps
/// are counted, so that the numbers stay small however many tiles there are.
pub fn stagger(lower: &mut Lower<'_, '_>, total: &SizeExpr, depth: u32, axes: &[&str]) -> Result<Option<SizeExpr>> {
    let Some((tile, along)) = &lower.stagger else { return Ok(None) };
    let Some((axis, steps)) = along.iter().find(|(axis, _)| axes == [axis.as_str()]).cloned() else { return Ok(None) };
    let depth = SizeExpr::from(i64::from(depth));
    let times = |a: &SizeExpr, b: &SizeExpr| a.mul(b).map_err(LowerError::Expr);
    let following = times(tile, &SizeExpr::from(steps))?;
    lower.staggered.push(axis);
    let first = remainder(&following, &total.ceildiv(&depth).map_err(LowerError::Expr)?)?;
    let first = lower.emit.index(&times(&first, &depth)?)?;
    lower.emit.set_name(first, "first");
    Ok(Some(lower.emit.name(first)))
}

/// Where a step of a loop begins: where the loop is, or after that by where it begins.
pub fn staggered(
    lower: &mut Lower<'_, '_>,
    counter: ValueId,
    first: Option<SizeExpr>,
    total: &SizeExpr,
    depth: u32,
) -> Result<SizeExpr> {
    let base = lower.emit.name(counter);
    let Some(first) = first else { return Ok(base) };
    let depth = SizeExpr::from(i64::from(depth));
    let whole = total.ceildiv(&depth).and_then(|steps| steps.mul(&depth)).map_err(LowerError::Expr)?;
    let at = remainder(&base.add(&first).map_err(LowerError::Expr)?, &whole)?;
    let at = lower.emit.index(&at)?;
    lower.emit.set_name(at, "at");
    Ok(lower.emit.name(at))
}

/// Reduced axes in the order in which memory has them, the contiguous one last: neighbours are read by neighbours. As they
/// are where both matrices do not have them in one order.
fn as_they_lie(lower: &Lower<'_, '_>, product: &Product, axes: Vec<(String, SizeExpr)>) -> Vec<(String, SizeExpr)> {
    let from_end = |value: ValueId, axis: &str| {
        let at = read_of(lower, value)?.at();
        at.iter().rev().position(|at| at.symbols().iter().any(|name| **name == *axis))
    };
    let places = |value: ValueId| axes.iter().map(|(axis, _)| from_end(value, axis)).collect::<Option<Vec<_>>>();
    let (Some(left), Some(right)) = (places(product.lhs), places(product.rhs)) else { return axes };
    let sorted = |places: &[usize]| {
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(places[number]));
        order
    };
    let order = sorted(&left);
    if order != sorted(&right) {
        return axes;
    }
    order.into_iter().map(|number| axes[number].clone()).collect()
}

/// The read that a value is, broadcasts aside, and zeros that are put into what was copied.
pub fn read_of<'a>(lower: &'a Lower<'_, '_>, value: ValueId) -> Option<Read<'a>> {
    let value = zeros::copied_mask(lower, value).map_or(value, |mask| mask.seen);
    let value = before_broadcasts(lower.ctx, lower.region, value);
    Read::of(OpRef::new(lower.ctx, lower.region, lower.region.defining_op(value)?))
}

/// The tensor that a factor is read from, if it is copied to shared memory as it is.
pub fn copied(lower: &Lower<'_, '_>, value: ValueId) -> Option<String> {
    let read = read_of(lower, value).filter(|read| is_copied(lower, *read))?;
    Some(lower.ctx.str(lower.region.value_name(read.source())).to_string())
}

/// Whether a copy brings what is read: positions that are no values, and zero where nothing is read.
pub fn is_copied(lower: &Lower<'_, '_>, read: Read<'_>) -> bool {
    read.indices().len() == 0 && read.fill().is_none_or(|fill| is_zero(lower.ctx, fill))
}

/// Whether a value is a function of others.
fn is_computed(lower: &Lower<'_, '_>, value: ValueId) -> bool {
    read_of(lower, value).is_none()
}

/// Whether a value is a read that moves along some axes as it moves along memory.
fn is_read(lower: &Lower<'_, '_>, value: ValueId, axes: &[&str]) -> bool {
    read_of(lower, value).is_some() && is_contiguous(lower, value, axes)
}

/// Whether each warp has whole rows of what it computes, so that it is a left matrix in its registers.
fn holds_rows(lower: &mut Lower<'_, '_>) -> bool {
    matches!(lower.scope().layout, Distributed::Wgmma | Distributed::Mma([_, 1]))
}

/// A left matrix that is computed, as it lies in registers: zero beyond what is reduced, any number beyond the last row.
fn in_registers(lower: &mut Lower<'_, '_>, value: ValueId, elem: Type) -> Result<ValueId> {
    let both = [true, true];
    let made = lower.value(value)?;
    let made = lower.cast(made, elem, false);
    let made = lower.as_fragment(made, both)?;
    let conditions = lower.scope().dims[1].as_ref().map_or(Ok(Vec::new()), |dim| dim.inside(1))?;
    if conditions.is_empty() {
        return Ok(made.value);
    }
    let cut = |lower: &mut Lower<'_, '_>| {
        let loc = lower.emit.loc;
        let zero = lower.zero(elem);
        let zero = lower.emit.constant(zero, elem);
        let (args, _, guard) = lower.emit.operands(&[], Some(&Guard::all(conditions.clone())))?;
        let ty = lower.ty(elem, both);
        let op = kernel::NewSelect { args: &args, cond: None, yes: made.value, no: zero, guard, out_type: ty }
            .build(&mut lower.emit.builder(), loc);
        Ok(lower.emit.body.result(op, 0))
    };
    match lower.scope().dims[1].as_ref().and_then(|dim| dim.is_full()) {
        Some(full) => lower.unless(vec![full], made.value, cut),
        None => cut(lower),
    }
}

/// Brings a matrix to shared memory: from memory as it is, or from registers where it is computed. What is beyond the last
/// of the rows may be any number that is there, as the rows of the result are then none.
fn operand(
    lower: &mut Lower<'_, '_>,
    value: ValueId,
    elem: Type,
    shape: [u32; 2],
    transposed: bool,
    name: &str,
    rows: Option<&Dim>,
) -> Result<Operand> {
    let ctx = lower.ctx;
    let loc = lower.emit.loc;
    let mask = zeros::copied_mask(lower, value);
    let value = mask.as_ref().map_or(value, |mask| mask.seen);
    let plain = before_broadcasts(ctx, lower.region, value);
    let read = lower.region.defining_op(plain).and_then(|op| Read::of(OpRef::new(ctx, lower.region, op)));
    let tensor = read.map(|read| ctx.str(lower.region.value_name(read.source())));
    let bits = bits_of(ctx, elem);
    let fma = lower.tiling.matrix.as_ref().is_none_or(|matrix| matrix.instruction == Kind::Fma);
    // Threads that multiply read what lies along the side of the result: it is contiguous if the plan says so, or if it is
    // in memory.
    let side = lower.scope().dims[0].clone().filter(|_| fma && (rows.is_some() || transposed));
    let names: Vec<&str> = side.iter().flat_map(|dim| dim.axes.iter().map(|(name, _)| name.as_str())).collect();
    let is_along = side.is_some() && is_read(lower, value, &names);
    let matrix = lower.tiling.matrix.as_ref();
    let said =
        tensor.is_some_and(|tensor| matrix.is_some_and(|matrix| matrix.transposed.iter().any(|name| name == tensor)));
    // Of the right matrix, or of the left one as it is stored, the sum may go across what is contiguous.
    let layout = match side.is_some() && (is_along || said) {
        true => Shared::ColMajor { pitch: Some(shape[0] + 4) },
        false => shared_layout(bits, (shape, rows.is_some() == transposed), matrix, tensor),
    };
    let ty = lower.emit.tile(&shape, elem, layout)?;
    let place = InsertPoint::StartOf(lower.grid_block());
    let op = kernel::Shared::build(&mut Builder::new(ctx, &mut lower.emit.body, place), loc, None, ty);
    let tile = lower.emit.body.result(op, 0);
    lower.emit.set_name(tile, name);
    let plain = before_broadcasts(ctx, lower.region, value);
    let read = lower.region.defining_op(plain).and_then(|op| Read::of(OpRef::new(ctx, lower.region, op)));
    match read.filter(|read| is_copied(lower, *read)) {
        Some(read) => {
            let free = rows.filter(|rows| is_bounded(lower, read, rows)).map(|rows| rows.id);
            let guard = mask.as_ref().map_or_else(|| read.guard(), |mask| mask.rest.clone());
            let (access, values) = lower.access_where(read, guard, [true, true], free.as_slice())?;
            let memory = lower.memory_of(read.source());
            let by = copying(lower, memory, (bits, tensor), shape, usize::from(!is_along));
            let dims = |ty: Type| MemRef::expect(ctx, ty).dims(ctx);
            let (from, to) = (dims(read.type_of(read.source())), dims(lower.emit.body.value_type(memory)));
            let guard = super::padding::widened(access.guard, &access.at, &from, &to);
            let (at, fill) = (access.at, access.fill);
            let copy =
                kernel::NewCopy { source: memory, args: &values, tile, stage: None, at, guard, fill, by, vector: None }
                    .build(&mut lower.emit.builder(), loc);
            if mask.is_none() {
                lower.place_copy(copy, &values);
            }
        }
        None => {
            // What computes the result may hold more rows or columns than this matrix has.
            let warps = lower.tiling.warps;
            if lower.scope().layout.place(&shape, bits, warps).is_err() {
                let layout = lower.tiling.copying(shape, 1, (128 / bits).max(1));
                lower.scope().layout = layout;
            }
            let made = lower.value(value)?;
            let made = lower.cast(made, elem, false);
            let mut made = lower.as_fragment(made, [true, true])?;
            let conditions = lower.inside([true, true])?;
            if !conditions.is_empty() {
                let zero = lower.zero(elem);
                let zero = lower.emit.constant(zero, elem);
                let guard = Guard::all(conditions);
                let (args, _, guard) = lower.emit.operands(&[], Some(&guard))?;
                let ty = lower.ty(elem, [true, true]);
                let mut builder = lower.emit.builder();
                let op = kernel::NewSelect { args: &args, cond: None, yes: made.value, no: zero, guard, out_type: ty }
                    .build(&mut builder, loc);
                made = Lowered { value: lower.emit.body.result(op, 0), over: [true, true] };
            }
            kernel::StoreShared::build(&mut lower.emit.builder(), loc, made.value, tile, None, None);
        }
    }
    let zeros = mask.map(|mask| Box::new(Zeros::of(lower, mask)));
    Ok(Operand { tile, transposed, zeros })
}

/// A matrix that is read for what stands between two products, by way of shared memory where the plan wants it there: a
/// copy can run ahead, and threads get what they have of a product's sums without waiting for memory. `None` for what is
/// read from where it is.
pub fn staged(lower: &mut Lower<'_, '_>, read: Read<'_>, over: [bool; 2]) -> Result<Option<Lowered>> {
    let ctx = lower.ctx;
    let tensor = ctx.str(lower.region.value_name(read.source())).to_string();
    let matrix = lower.tiling.matrix.as_ref();
    let wanted = matrix
        .is_some_and(|it| it.instruction == Kind::Wgmma && it.smem_operands.contains(&tensor) && it.single.is_empty());
    let [Some(rows), Some(columns)] = lower.scope().dims.clone() else { return Ok(None) };
    let names: Vec<&str> = columns.axes.iter().map(|(name, _)| name.as_str()).collect();
    let lies = lower.scope().layout == Distributed::Wgmma && is_contiguous(lower, read.result(0), &names);
    let plain = is_copied(lower, read);
    // A step of a loop: what is read once is not read ahead.
    let steps = columns.base.as_constant().is_none();
    if !wanted || !lies || !plain || !steps || over != [true, true] || lower.conditions > 0 {
        return Ok(None);
    }
    let (loc, elem) = (lower.emit.loc, lower.elem(read.result(0)));
    let Operand { tile, zeros, .. } =
        operand(lower, read.result(0), elem, [rows.tile, columns.tile], false, &tensor, None)?;
    lower.emit.barrier();
    if let Some(zeros) = &zeros {
        zeros::put(lower, zeros, tile, elem)?;
    }
    let ty = lower.ty(elem, over);
    let op = kernel::LoadShared::build(&mut lower.emit.builder(), loc, tile, None, None, ty);
    let value = lower.emit.body.result(op, 0);
    lower.emit.barrier();
    Ok(Some(Lowered { value, over }))
}

/// Whether a matrix comes element by element, as its rows are short and unaligned: neighbours are then read by
/// neighbouring threads rather than by one.
fn is_gathered(lower: &Lower<'_, '_>, memory: ValueId) -> bool {
    let memory = MemRef::of(lower.ctx, lower.emit.body.value_type(memory));
    let Some((memory, matrix)) = memory.zip(lower.tiling.matrix.as_ref()) else { return false };
    let (dims, bits) = (memory.dims(lower.ctx), i64::from(bits_of(lower.ctx, memory.elem(lower.ctx))));
    let fixed = |name: &str| matrix.fixed.iter().find(|(known, _)| known == name).map(|(_, size)| *size);
    let row = dims.last().and_then(|row| row.as_constant().or_else(|| fixed(row.as_symbol()?)));
    row.is_some_and(|row| row.saturating_mul(bits) < 128)
}

/// Whether the guard of a read bounds each position of memory that depends on an axis, so that nothing beyond memory is read
/// where the axis is beyond its size.
pub fn is_bounded(lower: &Lower<'_, '_>, read: Read<'_>, rows: &Dim) -> bool {
    let ([(axis, _)], Some(guard)) = (rows.axes.as_slice(), read.guard()) else { return false };
    let sizes = MemRef::expect(lower.ctx, read.type_of(read.source())).dims(lower.ctx);
    let at = read.at();
    let mut named = at.iter().zip(&sizes).filter(|(at, _)| at.symbols().iter().any(|name| **name == **axis)).peekable();
    let [piece] = guard.pieces.as_slice() else { return false };
    let zero = SizeExpr::from(0);
    let bounded = |at: &SizeExpr, size: &SizeExpr| {
        let own = || piece.iter().filter(|condition| condition.expr == *at);
        own().any(|condition| condition.lower.as_ref() == Some(&zero))
            && own().any(|condition| condition.upper.as_ref() == Some(size))
    };
    named.peek().is_some() && named.all(|(at, size)| bounded(at, size))
}

/// Who copies what of a tile whose elements are adjacent elements along an axis.
fn copying(
    lower: &Lower<'_, '_>,
    memory: ValueId,
    (bits, tensor): (u32, Option<&str>),
    shape: [u32; 2],
    along: usize,
) -> Distributed {
    let ctx = lower.ctx;
    let matrix = lower.tiling.matrix.as_ref().filter(|matrix| matrix.instruction != Kind::Wgmma);
    let widths = matrix.into_iter().flat_map(|matrix| &matrix.widths);
    let said = widths.filter(|(name, _)| tensor == Some(name)).map(|(_, width)| *width).next();
    let most = said.unwrap_or(u32::MAX);
    if matrix.is_none_or(|matrix| matrix.instruction != Kind::Fma) {
        let unit = (128 / bits.max(1)).clamp(1, 8);
        return lower.tiling.copying(shape, along, most.min(if is_gathered(lower, memory) { 4 } else { unit }));
    }
    // Unaligned rows come element by element: then neighbours are in other lanes.
    let vector = (128 / bits.max(1)).clamp(1, 8).min(most);
    let is_wide = |ty: MemRef| {
        let row = ty.dims(ctx).last().is_some_and(|row| row.divisible_by(i64::from(vector)));
        ty.align(ctx) >= 16 && (said.is_some_and(|said| said > 1) || row)
    };
    let is_wide = MemRef::of(ctx, lower.emit.body.value_type(memory)).is_some_and(is_wide);
    lower.tiling.copying(shape, along, if is_wide { vector } else { 1 })
}

/// The elements after each row of `f32` across which the sum goes.
const ROW_PADDING: u32 = 8;

/// A tile in shared memory, which the grid names.
fn tile_in_shared_memory(lower: &mut Lower<'_, '_>, elem: Type, shape: [u32; 2], name: &str) -> Result<ValueId> {
    let ctx = lower.ctx;
    let layout = shared_layout(bits_of(ctx, elem), (shape, false), lower.tiling.matrix.as_ref(), None);
    let ty = lower.emit.tile(&shape, elem, layout)?;
    let (place, loc) = (InsertPoint::StartOf(lower.grid_block()), lower.emit.loc);
    let op = kernel::Shared::build(&mut Builder::new(ctx, &mut lower.emit.body, place), loc, None, ty);
    let tile = lower.emit.body.result(op, 0);
    lower.emit.set_name(tile, name);
    Ok(tile)
}

/// Rows of a tile in shared memory: exchanged in 16-byte units where rows are whole units, as wide as they are or as the
/// plan says of the tensor. Where the sum goes across the rows, threads read `f32` one by one, as `ldmatrix` transposes 16
/// bits alone: the lanes of a warp read four rows of eight, which padding brings to banks of their own.
pub fn shared_layout(
    bits: u32,
    (shape, across): ([u32; 2], bool),
    matrix: Option<&Matrix>,
    tensor: Option<&str>,
) -> Shared {
    let bytes = shape[1] * bits / 8;
    let instruction = matrix.map(|matrix| matrix.instruction);
    let said = matrix.and_then(|matrix| matrix.swizzle.iter().find(|(name, _)| tensor == Some(name.as_str())));
    let own = if bytes >= 128 { 128 } else { bytes.next_power_of_two().max(32) };
    match (instruction, said.map(|(_, span)| *span)) {
        (Some(Kind::Fma) | None, _) => Shared::RowMajor { pitch: Some(shape[1] + 4) },
        // What tensor cores read from shared memory lies in 16-byte units at least.
        (Some(Kind::Wgmma), Some(0)) => Shared::Panels { span: 16, rows: None },
        (Some(Kind::Mma), Some(0)) => Shared::RowMajor { pitch: None },
        (Some(Kind::Mma), None) if across && bits == 32 => Shared::RowMajor { pitch: Some(shape[1] + ROW_PADDING) },
        (_, Some(span)) if span <= own => Shared::Panels { span, rows: None },
        _ => Shared::Panels { span: own, rows: None },
    }
}

/// One step of the loop: the product of what is in shared memory, added to what exists.
fn multiply(
    lower: &mut Lower<'_, '_>,
    instruction: Kind,
    (lhs, rhs): (&Left, &Operand),
    acc: ValueId,
    elem: Type,
    depth: u32,
) -> Result<ValueId> {
    let loc = lower.emit.loc;
    let ty = lower.emit.body.value_type(acc);
    let turn = rhs.transposed.then_some(());
    let [rows, columns] = lower.both_dims();
    // A product that is promoted is not added to what exists by the tensor cores.
    let is_promoted = lower.tiling.matrix.as_ref().is_some_and(|matrix| matrix.promote) && !is_constant(lower, acc);
    let begin = match is_promoted {
        true => {
            let zero = lower.zero(Type::F32);
            lower.emit.constant(zero, ty)
        }
        false => acc,
    };
    let sum = match instruction {
        Kind::Wgmma => {
            let (lhs, across) = match lhs {
                Left::Tile(lhs) => (lhs.tile, lhs.transposed.then_some(())),
                Left::Registers(lhs) => (*lhs, None),
            };
            let mut builder = lower.emit.builder();
            let op = kernel::NewWgmma {
                lhs,
                lhs_stage: None,
                rhs: rhs.tile,
                rhs_stage: None,
                acc: begin,
                lhs_transposed: across,
                rhs_transposed: turn,
                precision: lower.tiling.matrix.as_ref().and_then(|matrix| matrix.precision),
            }
            .build(&mut builder, loc);
            let (sum, token) = (lower.emit.body.result(op, 0), lower.emit.body.result(op, 1));
            kernel::Await::build(&mut lower.emit.builder(), loc, &[token]);
            sum
        }
        Kind::Mma => {
            let Distributed::Mma(warps) = lower.scope().layout.clone() else {
                unreachable!("results of 'mma' lie as it has them")
            };
            let b = lower.emit.frag(&[depth, columns.tile], elem, &Distributed::MmaB(warps));
            let a = match lhs {
                Left::Tile(lhs) => {
                    let a = lower.emit.frag(&[rows.tile, depth], elem, &Distributed::MmaA(warps));
                    let across = lhs.transposed.then_some(());
                    let a = kernel::LoadShared::build(&mut lower.emit.builder(), loc, lhs.tile, None, across, a);
                    lower.emit.body.result(a, 0)
                }
                Left::Registers(lhs) => *lhs,
            };
            let b = kernel::LoadShared::build(&mut lower.emit.builder(), loc, rhs.tile, None, turn, b);
            let b = lower.emit.body.result(b, 0);
            let precision = lower.tiling.matrix.as_ref().and_then(|matrix| matrix.precision);
            let op = kernel::Mma::build(&mut lower.emit.builder(), loc, a, b, begin, precision);
            lower.emit.body.result(op, 0)
        }
        Kind::Fma => {
            let Left::Tile(lhs) = lhs else { unreachable!("multiplications read tiles") };
            let open = lower.emit.open_loop(&SizeExpr::from(i64::from(depth)), 1, "kk", &[acc])?;
            if lower.tiling.matrix.as_ref().is_some_and(|matrix| matrix.unrolled) {
                lower.emit.unroll(&open);
            }
            let kk = lower.emit.name(open.counter);
            let layout = lower.scope().layout.clone();
            let a = slice(lower, lhs.tile, [SizeExpr::from(0), kk.clone()], [rows.tile, 1])?;
            let a_ty = lower.emit.frag(&[rows.tile, 1], elem, &layout);
            let a = kernel::LoadShared::build(&mut lower.emit.builder(), loc, a, None, None, a_ty);
            let (at, shape) = match rhs.transposed {
                true => ([SizeExpr::from(0), kk], [columns.tile, 1]),
                false => ([kk, SizeExpr::from(0)], [1, columns.tile]),
            };
            let b = slice(lower, rhs.tile, at, shape)?;
            let b_ty = lower.emit.frag(&[1, columns.tile], elem, &layout);
            let b = kernel::LoadShared::build(&mut lower.emit.builder(), loc, b, None, turn, b_ty);
            let (a, b) = (lower.emit.body.result(a, 0), lower.emit.body.result(b, 0));
            let op = kernel::Fma::build(&mut lower.emit.builder(), loc, a, b, open.carried[0]);
            debug_assert_eq!(ty, lower.emit.body.value_type(lower.emit.body.result(op, 0)));
            let sum = lower.emit.body.result(op, 0);
            lower.emit.close_loop(open, &[sum])[0]
        }
    };
    if !is_promoted {
        return Ok(sum);
    }
    let op = kernel::Binary::build(&mut lower.emit.builder(), loc, acc, sum, scalar::Binary::Add, ty);
    Ok(lower.emit.body.result(op, 0))
}

/// Whether a value is a number that is known: a product that is added to it needs no addition after it.
fn is_constant(lower: &Lower<'_, '_>, value: ValueId) -> bool {
    let made = lower.emit.body.defining_op(value);
    made.is_some_and(|op| kernel::Const::of(OpRef::new(lower.ctx, &lower.emit.body, op)).is_some())
}

/// A part of a tile.
pub fn slice(lower: &mut Lower<'_, '_>, tile: ValueId, at: [SizeExpr; 2], shape: [u32; 2]) -> Result<ValueId> {
    let ctx = lower.ctx;
    let whole = Tile::expect(ctx, lower.emit.body.value_type(tile));
    let ty = lower.emit.tile(&shape, whole.elem(ctx), whole.layout(ctx))?;
    let (values, at, _) = lower.emit.operands(&at, None)?;
    let loc = lower.emit.loc;
    let op =
        kernel::NewSlice { tile, stage: None, args: &values, at, out_type: ty }.build(&mut lower.emit.builder(), loc);
    Ok(lower.emit.body.result(op, 0))
}
