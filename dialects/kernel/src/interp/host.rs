//! What is done when a kernel is launched.

use std::sync::Arc;

use dlc_core::eval::bindings;
use dlc_core::launch::{self, Global, GlobalRef, MapRef, MapValue, Seed, globals, placement};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{Data, Datum, Eval, EvalResult, Outcome, UNDEFINED};

use super::places::{At, Names, integers};
use super::schedule;
use super::state::{Device, wrong};
use crate::global::{merged, ordered};
use crate::ops::{Grid, Require, TensorMapOf};
use crate::types::{TensorMap, sizes};

dlc_ir::codes! {
    /// A kernel is launched for sizes that it is not for.
    NOT_FOR_SIZES = "E1705" "NotForSizes";
}

/// New memory with zeros in it.
fn memory(cx: &mut Eval<'_, '_>, written: bool) -> EvalResult {
    let shape = dlc_core::eval::shape(cx)?;
    let elem = dlc_core::eval::elem(cx);
    let mut global = Global::new(cx.op.ctx, shape, elem).map_err(|reason| wrong(cx, reason))?;
    if written {
        global.written.fill(true);
    }
    let globals = globals(cx);
    globals.push(global);
    let number = globals.len() - 1;
    Ok(Outcome::value(Datum::opaque(GlobalRef(number))))
}

/// The sizes are such that the kernel is for them.
pub fn require(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Require::from(cx.op);
    let guard = op.guard();
    let names = Names::of(cx, 0, op.args().len())?;
    match names.holds(&guard, At { coords: &[], slot: 0 }).map_err(|reason| wrong(cx, reason))? {
        true => Ok(Outcome::nothing()),
        false => Err(cx.fail(&NOT_FOR_SIZES, format!("the kernel is not for these sizes: it requires {guard}"))),
    }
}

/// Memory with nothing in it: for a result, or for what the kernel alone sees.
pub fn output(cx: &mut Eval<'_, '_>) -> EvalResult {
    memory(cx, false)
}

/// Memory with zeros in it.
pub fn scratch(cx: &mut Eval<'_, '_>) -> EvalResult {
    memory(cx, true)
}

/// What the blocks have written. Every element of a result is written by some block.
pub fn return_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let mut results = Data::new();
    for index in 0..cx.operands.len() {
        if let Some(value) = cx.operand(index)?.as_opaque::<TensorValue>() {
            results.push(Datum::opaque(value.clone()));
            continue;
        }
        let number = cx.opaque::<GlobalRef>(index)?.0;
        let global = &globals(cx)[number];
        let missing = global.written.iter().position(|written| !written);
        let value = global.tensor(ctx);
        if let Some(at) = missing {
            return Err(cx.fail(&UNDEFINED, format!("no block has written element {at} of result {index}")));
        }
        results.push(Datum::opaque(value.map_err(|reason| wrong(cx, reason))?));
    }
    Ok(Outcome::Return(results))
}

/// The memref with the shape of its boxes.
pub fn tensor_map(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let op = TensorMapOf::from(cx.op);
    let ty = TensorMap::of(ctx, cx.result_type(0)).ok_or_else(|| wrong(cx, "the result is no tensor map"))?;
    let windows = match (op.lower(), op.upper(), op.strides()) {
        (Some(lower), Some(upper), Some(strides)) => Some([lower, upper, strides]),
        _ => None,
    };
    let memory = cx.operand(0)?.clone();
    let whole = match (memory.as_opaque::<TensorValue>(), memory.as_opaque::<GlobalRef>()) {
        (Some(value), _) => value.shape().to_vec(),
        (_, Some(&GlobalRef(number))) => globals(cx)[number].shape.clone(),
        _ => return Err(wrong(cx, "the operand is no memory")),
    };
    let along = match op.merged() {
        Some(groups) => merged(&whole, &groups, |a, b| a.checked_mul(*b)),
        None => Some(whole),
    };
    let mut along = along.ok_or_else(|| wrong(cx, "its axes cannot be taken as so many"))?;
    let mut steps = launch::dense_steps(&along);
    let placement = placement(cx, op.memory(), &memory)?;
    let Some((all, _)) = placement.strides() else {
        return Err(wrong(cx, "TMA needs memory with strides"));
    };
    // Of axes that count as one the last has the stride.
    let mut ends = op.merged().unwrap_or_else(|| vec![1; all.len()]);
    ends.iter_mut().fold(0, |sum, count| {
        *count += sum;
        *count
    });
    let mut strides: Vec<i64> = ends.iter().map(|&end| all[end as usize - 1]).collect();
    if let Some(order) = op.order() {
        let other = || wrong(cx, "its axes have no such order");
        along = ordered(&along, &order).ok_or_else(other)?;
        steps = ordered(&steps, &order).ok_or_else(other)?;
        strides = ordered(&strides, &order).ok_or_else(other)?;
    }
    let width = i64::from(ty.elem(ctx).bits(ctx).unwrap_or(8)) / 8;
    let (last, outer) = strides.split_last().unwrap_or((&1, &[]));
    if let Some(bytes) = outer.iter().map(|stride| stride * width).find(|bytes| *bytes < 0 || bytes % 16 != 0) {
        let message = format!("TMA needs rows of a multiple of 16 bytes, and these have {bytes}");
        return Err(cx.fail(&UNDEFINED, message));
    }
    if *last != 1 {
        return Err(cx.fail(&UNDEFINED, "TMA needs rows whose elements are contiguous"));
    }
    let value = MapValue {
        memory,
        placement,
        strides,
        sizes: along,
        steps,
        shape: sizes(&ty.shape(ctx)).ok_or_else(|| wrong(cx, "a box has no size that is not positive"))?,
        elem: ty.elem(ctx),
        span: ty.layout(ctx).span(),
        windows,
    };
    Ok(Outcome::value(Datum::opaque(MapRef(Arc::new(value)))))
}

/// Runs every block.
pub fn grid(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Grid::from(cx.op);
    let symbols = Arc::new(bindings(cx)?);
    let seed = *cx.interp.state::<Seed>();
    let places = Arc::new(crate::places::shared_memory(cx.op).map_err(|reason| wrong(cx, reason))?);
    let device = cx.interp.state::<Device>();
    device.symbols = symbols;
    device.random = seed.random();
    device.places = Arc::new(places.tiles.clone());
    device.threads_of_block = op.threads();
    // A launch has no thread group, and the expressions here name no fragment.
    let dims = integers(cx, "dims", 0, op.args().len())?;
    let mut grid = [1i64; 3];
    for (axis, &size) in dims.iter().enumerate().take(3) {
        if size < 0 {
            return Err(wrong(cx, format!("the grid has {size} blocks along axis {axis}")));
        }
        grid[axis] = size;
    }
    let mut cluster = [1i64; 3];
    for (axis, size) in op.cluster().unwrap_or_default().into_iter().enumerate().take(3) {
        cluster[axis] = size.max(1);
        if grid[axis] % cluster[axis] != 0 {
            let message =
                format!("{} blocks along axis {axis} are no multiple of {} in a cluster", grid[axis], cluster[axis]);
            return Err(wrong(cx, message));
        }
    }
    super::state::device(cx).grid = grid;
    let counts: Vec<i64> = (0..3).map(|axis| grid[axis] / cluster[axis]).collect();
    let blocks = |number: u64| {
        let (x, rest) = (number as i64 % counts[0], number as i64 / counts[0]);
        let (y, z) = (rest % counts[1], rest / counts[1]);
        let mut ids = Vec::new();
        for dz in 0..cluster[2] {
            for dy in 0..cluster[1] {
                for dx in 0..cluster[0] {
                    ids.push([x * cluster[0] + dx, y * cluster[1] + dy, z * cluster[2] + dz]);
                }
            }
        }
        ids
    };
    let count = counts.iter().fold(1u64, |all, &count| all.saturating_mul(count as u64));
    schedule::run_clusters(cx, count, &blocks, places.bytes as usize)?;
    Ok(Outcome::nothing())
}
