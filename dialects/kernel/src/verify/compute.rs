//! Arithmetic.

use std::collections::BTreeSet;

use dlc_core::precision::Precision;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::Diagnostic;
use dlc_ir::verify::OP_RULE;
use dlc_ir::{Diagnostics, OpRef, Type, ValueId};

use super::{
    LAYOUT_MISMATCH, SHAPE_MISMATCH, WRONG_THREADS, broken, is_single, names, place, plain, warps_of, whole_warps,
};
use rustc_hash::FxHashMap;

use crate::layout::{Coords, Distributed, Fragment};
use crate::ops::{
    Binary, Broadcast, Cast, Convert, Extract, Fma, Mma, MulAcc, Reduce, Scan, Select, Sort, ThreadBroadcast,
    ThreadReduce, Unary, Wgmma,
};
use crate::types::{Frag, Tile, elem_of, sizes};

/// Operands are fragments of the shape and layout of the result, or numbers.
fn alike(op: OpRef<'_>, operands: &[ValueId], diags: &Diagnostics) {
    let ctx = op.ctx;
    let out = op.type_of(op.result(0));
    let shape = |ty: Type| Frag::of(ctx, ty).map(|frag| (frag.shape(ctx), frag.layout(ctx)));
    for &operand in operands {
        let ty = op.type_of(operand);
        if Frag::of(ctx, ty).is_some() && shape(ty) != shape(out) {
            let message = format!("{} is not of the shape and layout of {}", ty.display(ctx), out.display(ctx));
            broken(op, &LAYOUT_MISMATCH, message, diags);
        }
        if Frag::of(ctx, ty).is_none() && ty.bits(ctx).is_none() && ty != Type::INDEX {
            plain(op, format!("the operands are numbers or fragments of numbers, not {}", ty.display(ctx)), diags);
        }
    }
    place(op, out, diags);
}

/// A function of a number.
pub fn unary(op: Unary<'_>, diags: &Diagnostics) {
    alike(*op, &[op.input()], diags);
}

/// A function of two numbers of one type, except for shifts.
pub fn binary(op: Binary<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    alike(*op, &[op.lhs(), op.rhs()], diags);
    let (lhs, rhs) = (elem_of(ctx, op.type_of(op.lhs())), elem_of(ctx, op.type_of(op.rhs())));
    let out = elem_of(ctx, op.type_of(op.out()));
    let wanted = if op.function().is_comparison() { Type::I1 } else { lhs };
    if lhs != rhs || out != wanted {
        let (lhs, rhs, out) = (lhs.display(ctx), rhs.display(ctx), out.display(ctx));
        broken(*op, &SHAPE_MISMATCH, format!("{lhs} and {rhs} give no {out}: cast them first"), diags);
    }
}

/// Three numbers of one float type.
pub fn mulacc(op: MulAcc<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let operands = [op.lhs(), op.rhs(), op.acc()];
    alike(*op, &operands, diags);
    let out = elem_of(ctx, op.type_of(op.out()));
    if out.float_kind(ctx).is_none() || operands.iter().any(|&value| elem_of(ctx, op.type_of(value)) != out) {
        broken(*op, &SHAPE_MISMATCH, "the numbers and the result must be of one float type".into(), diags);
    }
}

/// A condition of one kind.
pub fn select(op: Select<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let axes = Frag::of(ctx, op.type_of(op.out())).map_or(0, |frag| frag.shape(ctx).len());
    match (op.cond(), op.guard()) {
        (Some(cond), None) => {
            alike(*op, &[cond], diags);
            if elem_of(ctx, op.type_of(cond)) != Type::I1 {
                plain(*op, "the condition must be 'i1'", diags);
            }
        }
        (None, Some(guard)) => names(*op, &guard.exprs().cloned().collect::<Vec<_>>(), op.args().len(), axes, diags),
        _ => plain(*op, "the condition is a value, or one of the place, and not both", diags),
    }
    alike(*op, &[op.yes(), op.no()], diags);
    let out = elem_of(ctx, op.type_of(op.out()));
    if elem_of(ctx, op.type_of(op.yes())) != out || elem_of(ctx, op.type_of(op.no())) != out {
        broken(*op, &SHAPE_MISMATCH, "both numbers must be of the type of the result".into(), diags);
    }
}

/// The same shape; as bits, of the same width.
pub fn cast(op: Cast<'_>, diags: &Diagnostics) {
    alike(*op, &[op.input()], diags);
    let ctx = op.ctx;
    if Frag::of(ctx, op.type_of(op.out())).is_some() && Frag::of(ctx, op.type_of(op.input())).is_none() {
        let (from, to) = (op.type_of(op.input()).display(ctx), op.type_of(op.out()).display(ctx));
        broken(*op, &SHAPE_MISMATCH, format!("{from} is one number, and {to} is none: cast a fragment"), diags);
    }
    let (from, to) = (elem_of(op.ctx, op.type_of(op.input())), elem_of(op.ctx, op.type_of(op.out())));
    if op.bits().is_some() && from.bits(op.ctx) != to.bits(op.ctx) {
        let (from, to) = (from.display(op.ctx), to.display(op.ctx));
        broken(*op, &SHAPE_MISMATCH, format!("the bits of {from} are no {to}"), diags);
    }
}

/// The fragment without an axis: its shape and where it lies.
fn without_axis(op: OpRef<'_>, whole: Type, axis: i64) -> Option<(Vec<i64>, Distributed)> {
    let frag = Frag::of(op.ctx, whole)?;
    let mut shape = frag.shape(op.ctx);
    let axis = usize::try_from(axis).ok().filter(|&axis| axis < shape.len())?;
    shape.remove(axis);
    Some((shape, frag.layout(op.ctx).slice(axis as u32)))
}

fn is_slice(op: OpRef<'_>, whole: Type, axis: i64, part: Type, diags: &Diagnostics) {
    let ctx = op.ctx;
    let Some(ty) = Frag::of(ctx, part) else { return };
    let Some((shape, layout)) = without_axis(op, whole, axis) else {
        return plain(op, format!("there is no axis {axis}"), diags);
    };
    if shape == ty.shape(ctx) && layout == ty.layout(ctx) {
        return;
    }
    // A layout may be spelled in several ways.
    let wanted = Frag::get(ctx, shape.clone(), ty.elem(ctx), layout);
    let place = |ty: Frag| ty.place(ctx, warps_of(op)?).ok();
    let same = Frag::of(ctx, wanted).and_then(place).is_some_and(|wanted| place(ty).as_ref() == Some(&wanted));
    if !same {
        let wanted = wanted.display(ctx);
        broken(op, &LAYOUT_MISMATCH, format!("without the axis it is {wanted}, not {}", part.display(ctx)), diags);
    }
}

/// The operand is the result without the axis.
pub fn broadcast(op: Broadcast<'_>, diags: &Diagnostics) {
    let (from, to) = (op.type_of(op.input()), op.type_of(op.out()));
    is_slice(*op, to, op.axis(), from, diags);
    if elem_of(op.ctx, from) != elem_of(op.ctx, to) {
        broken(*op, &SHAPE_MISMATCH, "the elements must be of one type".into(), diags);
    }
    place(*op, to, diags);
}

/// A part of the same elements, all of them in the threads that get them.
pub fn extract(op: Extract<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let (Some(from), Some(to)) = (Frag::of(ctx, op.type_of(op.input())), Frag::of(ctx, op.type_of(op.out()))) else {
        return;
    };
    let (whole, part, at) = (from.shape(ctx), to.shape(ctx), op.at());
    names(*op, &at, op.args().len(), 0, diags);
    let known: Vec<Option<i64>> = at.iter().map(SizeExpr::as_constant).collect();
    let inside = |((whole, part), at): ((&i64, &i64), &Option<i64>)| {
        part <= whole && at.is_none_or(|at| at >= 0 && at.saturating_add(*part) <= *whole)
    };
    let fits = whole.len() == part.len() && at.len() == whole.len() && from.elem(ctx) == to.elem(ctx);
    if !fits || !whole.iter().zip(&part).zip(&known).all(inside) {
        let at = at.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let message = format!("{part:?} at [{at}] is no part of {whole:?} with the same elements");
        return broken(*op, &SHAPE_MISMATCH, message, diags);
    }
    // Where the position is that of a loop, its first one stands for all.
    let at: Vec<i64> = known.into_iter().map(|at| at.unwrap_or(0)).collect();
    let Some(from) = place(*op, op.type_of(op.input()), diags) else { return };
    let Some(to) = place(*op, op.type_of(op.out()), diags) else { return };
    for warp in 0..to.warps() {
        for lane in 0..32 {
            for coords in (0..to.registers()).filter_map(|register| to.coords(register, lane, warp)) {
                let wanted: Vec<u32> = coords.iter().zip(&at).map(|(coord, &at)| coord + at as u32).collect();
                if from.find(&wanted, lane, warp).is_none() {
                    let message = format!("lane {lane} of warp {warp} has not the element {wanted:?} that it gets");
                    return broken(*op, &LAYOUT_MISMATCH, message, diags);
                }
            }
        }
    }
}

/// The result is the operand without the axis. Warps that share the axis exchange through a tile.
pub fn reduce(op: Reduce<'_>, diags: &Diagnostics) {
    whole_warps(*op, "reduce a fragment", diags);
    let (from, to) = (op.type_of(op.input()), op.type_of(op.out()));
    is_slice(*op, from, op.axis(), to, diags);
    if elem_of(op.ctx, from) != elem_of(op.ctx, to) {
        broken(*op, &SHAPE_MISMATCH, "the elements must be of one type".into(), diags);
    }
    let (Some(whole), Some(part)) = (place(*op, from, diags), place(*op, to, diags)) else { return };
    let shared = part.free().warps & !whole.free().warps != 0;
    if shared && op.through().is_none() {
        let message = "several warps share the axis: they exchange through a tile, 'through %s'".into();
        broken(*op, &WRONG_THREADS, message, diags);
    }
}

/// The operands are alike. What is before the elements lies as they do, without the axis; where several warps share that, they
/// have a tile.
pub fn scan(op: Scan<'_>, diags: &Diagnostics) {
    whole_warps(*op, "scan a fragment", diags);
    let types: Vec<Type> = op.inputs().map(|input| op.type_of(input)).collect();
    let elems: Vec<Type> = types.iter().map(|&ty| elem_of(op.ctx, ty)).collect();
    if let Err(rule) = op.combiner().check(&elems) {
        return diags.emit(rule.diagnostic(&OP_RULE, op.loc()).at(op.name()));
    }
    let (from, to) = (types[0], op.type_of(op.before()));
    if let Some(other) = types.iter().find(|&&ty| ty != from) {
        let message = format!("the operands must be alike, not {} and {}", from.display(op.ctx), other.display(op.ctx));
        return broken(*op, &SHAPE_MISMATCH, message, diags);
    }
    is_slice(*op, from, op.axis(), to, diags);
    if elem_of(op.ctx, from) != elem_of(op.ctx, to) {
        broken(*op, &SHAPE_MISMATCH, "the elements must be of one type".into(), diags);
    }
    let (Some(whole), Some(part)) = (place(*op, from, diags), place(*op, to, diags)) else { return };
    let shared = part.free().warps & !whole.free().warps != 0;
    if shared && op.through().is_none() {
        let message = "several warps share the axis: they exchange through a tile, 'through %s'".into();
        broken(*op, &WRONG_THREADS, message, diags);
    }
}

/// The axis is a power of two long; where several warps share it, they have a tile.
pub fn sort(op: Sort<'_>, diags: &Diagnostics) {
    whole_warps(*op, "sort a fragment", diags);
    let ty = op.type_of(op.input());
    let Some(frag) = Frag::of(op.ctx, ty) else { return };
    let Some(shape) = sizes(&frag.shape(op.ctx)) else { return };
    let axis = usize::try_from(op.axis()).unwrap_or(usize::MAX);
    let Some(&size) = shape.get(axis) else {
        let message = format!("axis {} is none of the {} axes of the fragment", op.axis(), shape.len());
        return broken(*op, &SHAPE_MISMATCH, message, diags);
    };
    if !size.is_power_of_two() {
        let message = format!("the axis has {size} elements: only a power of two of them are sorted together");
        return broken(*op, &SHAPE_MISMATCH, message, diags);
    }
    let part = frag.layout(op.ctx).slice(op.axis() as u32);
    let rest: Vec<_> = frag.shape(op.ctx).into_iter().enumerate().filter(|&(at, _)| at != axis).collect();
    let part = Frag::get(op.ctx, rest.into_iter().map(|(_, size)| size).collect(), frag.elem(op.ctx), part);
    let (Some(whole), Some(part)) = (place(*op, ty, diags), place(*op, part, diags)) else { return };
    if part.free().warps & !whole.free().warps != 0 && op.through().is_none() {
        let message = "several warps share the axis: they exchange through a tile, 'through %s'".into();
        broken(*op, &WRONG_THREADS, message, diags);
    }
}

/// The threads have one number each for what they have along the axis.
pub fn thread_reduce(op: ThreadReduce<'_>, diags: &Diagnostics) {
    by_thread(*op, op.type_of(op.input()), op.axis(), op.type_of(op.out()), diags);
}

/// As [`thread_reduce`].
pub fn thread_broadcast(op: ThreadBroadcast<'_>, diags: &Diagnostics) {
    by_thread(*op, op.type_of(op.out()), op.axis(), op.type_of(op.input()), diags);
}

/// In `part` each thread has one number for the elements that it has in `whole` along an axis, and only threads with the
/// same elements have the same number.
fn by_thread(op: OpRef<'_>, whole: Type, axis: i64, part: Type, diags: &Diagnostics) {
    let ctx = op.ctx;
    let (Some(from), Some(to)) = (Frag::of(ctx, whole), Frag::of(ctx, part)) else { return };
    let (mut outer, mut inner) = (from.shape(ctx), to.shape(ctx));
    let Some(axis) = usize::try_from(axis).ok().filter(|&axis| axis < outer.len()) else {
        return plain(op, format!("there is no axis {axis}"), diags);
    };
    if inner.len() == outer.len() {
        outer.remove(axis);
        inner.remove(axis);
    }
    if outer != inner || from.elem(ctx) != to.elem(ctx) {
        let message = "the sizes along the other axes and the elements must stay".into();
        return broken(op, &SHAPE_MISMATCH, message, diags);
    }
    let (Some(from), Some(to)) = (place(op, whole, diags), place(op, part, diags)) else { return };
    let mut seen: FxHashMap<Coords, Vec<Coords>> = FxHashMap::default();
    for warp in 0..from.warps() {
        for lane in 0..32 {
            let own = |part: &Fragment| -> Vec<Coords> {
                (0..part.registers()).filter_map(|register| part.coords(register, lane, warp)).collect()
            };
            let (many, one) = (own(&from), own(&to));
            let other = |coords: &Coords| {
                let mut coords = coords.clone();
                coords.remove(axis);
                coords
            };
            let groups: BTreeSet<Coords> = many.iter().map(other).collect();
            let numbers: BTreeSet<Coords> = one.iter().map(other).collect();
            let shared = one.iter().any(|number| {
                let elements: Vec<_> = many.iter().filter(|at| other(at) == other(number)).cloned().collect();
                *seen.entry(number.clone()).or_insert_with(|| elements.clone()) != elements
            });
            if groups != numbers || numbers.len() != one.len() || shared {
                let (whole, part) = (whole.display(ctx), part.display(ctx));
                let message = format!(
                    "{part} has not one number of its own for what lane {lane} of warp {warp} has of {whole} along axis {axis}"
                );
                return broken(op, &LAYOUT_MISMATCH, message, diags);
            }
        }
    }
}

/// The same elements.
pub fn convert(op: Convert<'_>, diags: &Diagnostics) {
    whole_warps(*op, "convert a fragment", diags);
    let ctx = op.ctx;
    let (Some(from), Some(to)) = (Frag::of(ctx, op.type_of(op.input())), Frag::of(ctx, op.type_of(op.out()))) else {
        return;
    };
    if from.shape(ctx) != to.shape(ctx) || from.elem(ctx) != to.elem(ctx) {
        broken(*op, &SHAPE_MISMATCH, "the sizes and elements must stay".into(), diags);
    }
    place(*op, op.type_of(op.input()), diags);
    place(*op, op.type_of(op.out()), diags);
}

fn matrix(op: OpRef<'_>, value: ValueId) -> Option<(i64, i64)> {
    let ty = op.type_of(value);
    let shape = match (Frag::of(op.ctx, ty), Tile::of(op.ctx, ty)) {
        (Some(frag), _) => frag.shape(op.ctx),
        (_, Some(tile)) => tile.shape(op.ctx),
        _ => return None,
    };
    <[i64; 2]>::try_from(shape).ok().map(|[rows, columns]| (rows, columns))
}

fn transposed_shape((rows, columns): (i64, i64), transposed: bool) -> (i64, i64) {
    if transposed { (columns, rows) } else { (rows, columns) }
}

/// [M, K] by [K, N] added to [M, N].
fn product(op: OpRef<'_>, lhs: Option<(i64, i64)>, rhs: Option<(i64, i64)>, acc: ValueId, diags: &Diagnostics) {
    let acc = matrix(op, acc);
    let (Some(lhs), Some(rhs), Some(acc)) = (lhs, rhs, acc) else {
        return broken(op, &SHAPE_MISMATCH, "the operands must be matrices".into(), diags);
    };
    if lhs.1 != rhs.0 || (lhs.0, rhs.1) != acc {
        let message = format!("{lhs:?} by {rhs:?} is no {acc:?}");
        broken(op, &SHAPE_MISMATCH, message, diags);
    }
}

/// The layouts are those of the instruction, over one grid of warps.
pub fn mma(op: Mma<'_>, diags: &Diagnostics) {
    whole_warps(*op, "multiply", diags);
    product(*op, matrix(*op, op.lhs()), matrix(*op, op.rhs()), op.acc(), diags);
    let layout = |value| Frag::of(op.ctx, op.type_of(value)).map(|frag| frag.layout(op.ctx));
    let grids = (layout(op.lhs()), layout(op.rhs()), layout(op.acc()));
    match grids {
        (Some(Distributed::MmaA(a)), Some(Distributed::MmaB(b)), Some(Distributed::Mma(c))) if a == b && b == c => {
            precision(*op, elem_of(op.ctx, op.type_of(op.lhs())), op.precision(), diags);
        }
        _ => {
            let message = "the layouts must be mma_a, mma_b and mma over one grid of warps".into();
            broken(*op, &LAYOUT_MISMATCH, message, diags);
        }
    }
    types_of_product(*op, op.lhs(), op.rhs(), op.acc(), op.type_of(op.out()), diags);
    place(*op, op.type_of(op.acc()), diags);
}

/// Tensor cores have no product of `f32`: it says what they multiply in its place. Other factors they take as they are.
fn precision(op: OpRef<'_>, elem: Type, precision: Option<Precision>, diags: &Diagnostics) {
    let is_of_tiles = op.is(Wgmma::DEF);
    let (message, fix) = match (precision, elem) {
        (None, Type::F32) => (
            "tensor cores have no product of f32".to_string(),
            match is_of_tiles {
                true => "write 'as tf32' after the operands, or use 'mma' or 'fma'",
                false => {
                    "write 'as tf32x3' after the operands for three products of tf32, 'as tf32' for one, or use 'fma'"
                }
            },
        ),
        (Some(Precision::Tf32x3), Type::F32) if is_of_tiles => (
            "'as tf32x3' is for factors in registers, which become two numbers each".to_string(),
            "write 'as tf32' for one product, or use 'mma'",
        ),
        (Some(precision), elem) if elem != Type::F32 => (
            format!("'as {}' is for factors of f32, and these are {}", precision.word(), elem.display(op.ctx)),
            "leave it out",
        ),
        _ => return,
    };
    diags.emit(Diagnostic::error(&SHAPE_MISMATCH, op.loc(), message).at(op.name()).suggest(fix));
}

fn types_of_product(op: OpRef<'_>, lhs: ValueId, rhs: ValueId, acc: ValueId, out: Type, diags: &Diagnostics) {
    let ctx = op.ctx;
    let elem = |value| match Tile::of(ctx, op.type_of(value)) {
        Some(tile) => tile.elem(ctx),
        None => elem_of(ctx, op.type_of(value)),
    };
    if op.type_of(acc) != out {
        broken(op, &SHAPE_MISMATCH, "the result must be of the type of what is added to".into(), diags);
    }
    if elem(lhs) != elem(rhs) {
        let (lhs, rhs) = (elem(lhs).display(ctx), elem(rhs).display(ctx));
        broken(op, &SHAPE_MISMATCH, format!("matrices of {lhs} and {rhs} are not multiplied: cast one first"), diags);
    }
}

/// Each thread has what its own elements of the result need.
pub fn fma(op: Fma<'_>, diags: &Diagnostics) {
    product(*op, matrix(*op, op.lhs()), matrix(*op, op.rhs()), op.acc(), diags);
    types_of_product(*op, op.lhs(), op.rhs(), op.acc(), op.type_of(op.out()), diags);
    let places = [op.lhs(), op.rhs(), op.acc()].map(|value| place(*op, op.type_of(value), diags));
    let [Some(lhs), Some(rhs), Some(acc)] = places else { return };
    let Some(warps) = warps_of(*op) else { return };
    for warp in 0..warps {
        for lane in 0..32 {
            let has = |part: &crate::layout::Fragment, axis: usize, at: u32| {
                (0..part.registers()).any(|register| {
                    part.coords(register, lane, warp).is_some_and(|coords| coords.get(axis) == Some(&at))
                })
            };
            for coords in (0..acc.registers()).filter_map(|register| acc.coords(register, lane, warp)) {
                if !has(&lhs, 0, coords[0]) || !has(&rhs, 1, coords[1]) {
                    let message = format!(
                        "lane {lane} of warp {warp} has the element {:?} of the result, and not the row and the column for it",
                        coords.as_slice()
                    );
                    return broken(*op, &LAYOUT_MISMATCH, message, diags);
                }
            }
        }
    }
}

/// The four warps of a group multiply what is in shared memory.
pub fn wgmma(op: Wgmma<'_>, diags: &Diagnostics) {
    let lhs = matrix(*op, op.lhs()).map(|shape| transposed_shape(shape, op.lhs_transposed().is_some()));
    let rhs = matrix(*op, op.rhs()).map(|shape| transposed_shape(shape, op.rhs_transposed().is_some()));
    product(*op, lhs, rhs, op.acc(), diags);
    types_of_product(*op, op.lhs(), op.rhs(), op.acc(), op.type_of(op.out()), diags);
    if is_single(*op) || warps_of(*op) != Some(4) {
        broken(*op, &WRONG_THREADS, "the four warps of a group multiply: a role with groups of four".into(), diags);
    }
    let layout = |value| Frag::of(op.ctx, op.type_of(value)).map(|frag| frag.layout(op.ctx));
    if layout(op.acc()) != Some(Distributed::Wgmma) {
        broken(*op, &LAYOUT_MISMATCH, "what is added to must have the layout 'wgmma'".into(), diags);
    }
    match layout(op.lhs()) {
        Some(Distributed::WgmmaA) if op.lhs_stage().is_none() && op.lhs_transposed().is_none() => {}
        Some(_) => {
            let message = "a left matrix in registers must have the layout 'wgmma_a', and is not transposed".into();
            broken(*op, &LAYOUT_MISMATCH, message, diags);
        }
        None => staged(*op, op.lhs(), op.lhs_stage(), diags),
    }
    staged(*op, op.rhs(), op.rhs_stage(), diags);
    place(*op, op.type_of(op.acc()), diags);
    if let Some(tile) = Tile::of(op.ctx, op.type_of(op.rhs())) {
        precision(*op, tile.elem(op.ctx), op.precision(), diags);
    }
}

fn staged(op: OpRef<'_>, tile: ValueId, stage: Option<ValueId>, diags: &Diagnostics) {
    match Tile::of(op.ctx, op.type_of(tile)) {
        None => plain(op, "a matrix is a tile in shared memory, or the left one a fragment", diags),
        Some(ty) if (ty.stages(op.ctx) > 1) != stage.is_some() => {
            let stages = ty.stages(op.ctx);
            plain(op, format!("there are {stages} tiles: of several one is named, as in '%sA[%s]'"), diags);
        }
        Some(_) => {}
    }
}
