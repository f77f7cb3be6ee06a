//! Elements in order.

use std::cmp::Ordering;

use dlc_core::eval::tensor;
use dlc_core::tensor::TensorValue;
use dlc_ir::Type;
use dlc_ir::interp::{CANNOT_RUN, Data, Datum, Eval, EvalResult, Outcome};

use super::reductions::Rows;
use crate::ops::{Sort, Topk};

/// Numbers in order; NaN is larger than all, and zeros are equal.
fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The first elements of each row in order, and their positions.
fn sorted(cx: &Eval<'_, '_>, axis: usize, descending: bool, count: Option<usize>) -> EvalResult {
    let (ctx, input) = (cx.op.ctx, tensor(cx, 0)?);
    let (rows, mut shape, elem) = (Rows::of(input.shape(), axis), input.shape().to_vec(), input.elem());
    let size = shape[axis];
    let count = count.unwrap_or(size);
    if count > size {
        return Err(cx.fail(&CANNOT_RUN, format!("axis {axis} has {size} positions, and {count} are wanted")));
    }
    // Elements have 32 bits, which are numbers of 64.
    let values = input.to_f64s();
    let (mut found, mut positions) = (Vec::new(), Vec::new());
    rows.each(|row| {
        let places: Vec<usize> = row.collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (values[places[a]], values[places[b]]);
            if descending { compare(b, a) } else { compare(a, b) }
        });
        found.extend(order.iter().take(count).map(|&at| values[places[at]]));
        positions.extend(order.iter().take(count).map(|&at| at as i64));
    });
    // Rows are one after another now: their axis is the last.
    shape.remove(axis);
    shape.push(count);
    let mut order: Vec<usize> = (0..shape.len() - 1).collect();
    order.insert(axis, shape.len() - 1);
    let found = TensorValue::from_f64(ctx, shape.clone(), elem, found).and_then(|found| found.permute(&order));
    let positions = TensorValue::from_i64(ctx, shape, Type::I32, positions).and_then(|all| all.permute(&order));
    let mut results = Data::new();
    for result in [found, positions] {
        results.push(Datum::opaque(result.map_err(|reason| cx.fail(&CANNOT_RUN, reason))?));
    }
    Ok(Outcome::Values(results))
}

/// All elements.
pub fn sort(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Sort::from(cx.op);
    sorted(cx, op.axis() as usize, op.descending().is_some(), None)
}

/// The first ones.
pub fn topk(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Topk::from(cx.op);
    sorted(cx, op.axis() as usize, op.smallest().is_none(), Some(usize::try_from(op.count()).unwrap_or(0)))
}
