//! Control and integers.

use dlc_core::launch::Number;
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::{Data, Datum, Eval, EvalResult, Failure, Outcome, Resumed, UNDEFINED};
use dlc_ir::smallvec::smallvec;

use super::places::{self, At, Names, integers};
use super::state::{Slots, device, wrong};
use super::values::{FragValue, as_number, fragment, from_numbers, registers, slots, to_numbers};
use crate::ops::{Advance, BlockId, Const, For, GridSize, If, Index, Order, TileOrder};
use crate::types::{Frag, elem_of};

/// The groups run by themselves.
pub fn role(_: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::nothing())
}

/// Ends a region.
pub fn yield_(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(Outcome::Yield(cx.operands.into()))
}

/// One thread runs the region; the others do nothing.
pub fn elect(cx: &mut Eval<'_, '_>) -> EvalResult {
    Ok(match cx.resumed.take() {
        Some(Resumed { values, .. }) => Outcome::Values(values),
        None => Outcome::Enter { region: 0, args: Data::new(), saved: Data::new() },
    })
}

fn ints(data: &Data) -> [i128; 3] {
    let at = |index: usize| data.get(index).and_then(Datum::as_int).unwrap_or(0);
    [at(0), at(1), at(2)]
}

/// The region for each integer.
pub fn for_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = For::from(cx.op);
    let (at, last, step, carried) = match cx.resumed.take() {
        Some(Resumed { values, saved, .. }) => {
            let [at, last, step] = ints(&saved);
            (at + step, last, step, values)
        }
        None => {
            let values = op.args().len();
            let bounds = integers(cx, "bounds", 0, values)?;
            let &[first, last, step] = bounds.as_slice() else {
                return Err(wrong(cx, "a loop has a first integer, a last one and a step"));
            };
            if step <= 0 {
                return Err(cx.fail(&UNDEFINED, format!("the step of a loop is positive, and {step} is not")));
            }
            (first.into(), last.into(), step.into(), cx.operands[values..].into())
        }
    };
    if at >= last {
        return Ok(Outcome::Values(carried));
    }
    let mut args: Data = smallvec![Datum::Int(at)];
    args.extend(carried);
    Ok(Outcome::Enter { region: 0, args, saved: smallvec![Datum::Int(at), Datum::Int(last), Datum::Int(step)] })
}

/// One of the regions.
pub fn if_(cx: &mut Eval<'_, '_>) -> EvalResult {
    if let Some(Resumed { values, .. }) = cx.resumed.take() {
        return Ok(Outcome::Values(values));
    }
    let op = If::from(cx.op);
    let holds = match places::guard(cx) {
        Some(guard) => {
            let names = Names::of(cx, 0, op.args().len())?;
            names.holds(&guard, At { coords: &[], slot: 0 }).map_err(|reason| wrong(cx, reason))?
        }
        None => cx.int(0)? != 0,
    };
    let region = usize::from(!holds);
    match region < cx.op.regions().len() {
        true => Ok(Outcome::Enter { region, args: Data::new(), saved: Data::new() }),
        false => Ok(Outcome::nothing()),
    }
}

/// Both regions, and for each warp the registers of one.
pub fn warp_if(cx: &mut Eval<'_, '_>) -> EvalResult {
    let enter = |region, saved| Ok(Outcome::Enter { region, args: Data::new(), saved });
    let (then, otherwise) = match cx.resumed.take() {
        None => return enter(0, Data::new()),
        Some(Resumed { region: 0, values, .. }) => return enter(1, values),
        Some(Resumed { values, saved, .. }) => (saved, values),
    };
    let per_warp = |slots: &Slots| slots.sizes[1] * slots.sizes[2];
    let cond = slots(cx, cx.operand_type(0))?;
    let holds: Vec<bool> = to_numbers(&registers(cx, 0)?)
        .chunks(per_warp(&cond))
        .enumerate()
        .map(|(warp, numbers)| {
            let first = warp * per_warp(&cond);
            let is_true =
                |(at, number): (usize, &Number)| *number != Number::Int(0) && cond.element(first + at).is_some();
            numbers.iter().enumerate().any(is_true)
        })
        .collect();
    let mut results = Data::new();
    for (index, (then, otherwise)) in then.iter().zip(&otherwise).enumerate() {
        let ty = cx.result_type(index);
        let slots = slots(cx, ty)?;
        let numbers = |datum: &Datum| {
            let value = datum.as_opaque::<FragValue>().and_then(|value| value.0.get().map(to_numbers));
            value.ok_or_else(|| wrong(cx, "a result is not there yet"))
        };
        let (then, otherwise) = (numbers(then)?, numbers(otherwise)?);
        let choose = |slot: usize| match holds.get(slot / per_warp(&slots)) {
            Some(true) => then[slot],
            _ => otherwise[slot],
        };
        let values: Vec<Number> = (0..slots.len()).map(choose).collect();
        results.push(fragment(from_numbers(cx, &slots, as_number(elem_of(cx.op.ctx, ty)), &values)?));
    }
    Ok(Outcome::Values(results))
}

fn number(value: i64) -> EvalResult {
    Ok(Outcome::value(Datum::Int(value.into())))
}

/// Where the block is in the grid.
pub fn block_id(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axis = BlockId::from(cx.op).axis() as usize;
    number(device(cx).block().id.get(axis).copied().unwrap_or(0))
}

/// How many blocks there are.
pub fn grid_size(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axis = GridSize::from(cx.op).axis() as usize;
    number(device(cx).grid.get(axis).copied().unwrap_or(1))
}

/// Which block of the cluster it is.
pub fn block_rank(cx: &mut Eval<'_, '_>) -> EvalResult {
    let device = device(cx);
    let (block, first) = (device.thread_group().block, device.peers().start);
    number((block - first) as i64)
}

/// The integer, or one for each element.
pub fn index(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Index::from(cx.op);
    let names = Names::of(cx, 0, op.args().len())?;
    let value = places::exprs(cx, "value");
    let Some(expr) = value.first() else { return Err(wrong(cx, "there is no expression")) };
    let ty = cx.result_type(0);
    if Frag::of(cx.op.ctx, ty).is_none() {
        let value = names.uniform(expr).map_err(|reason| wrong(cx, reason))?;
        return cx.int_result(value.into());
    }
    let slots = slots(cx, ty)?;
    let prepared = names.prepare(expr);
    let mut coords = vec![0; slots.shape.len()];
    let mut values = Vec::with_capacity(slots.len());
    for slot in 0..slots.len() {
        let Some(element) = slots.element(slot) else {
            values.push(Number::Int(0));
            continue;
        };
        slots.coords(element, &mut coords);
        values.push(Number::Int(prepared.at(At { coords: &coords, slot }).map_err(|reason| wrong(cx, reason))?));
    }
    let elem = as_number(elem_of(cx.op.ctx, ty));
    Ok(Outcome::value(fragment(from_numbers(cx, &slots, elem, &values)?)))
}

/// The smaller one.
pub fn min(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.int_result(cx.int(0)?.min(cx.int(1)?))
}

/// The larger one.
pub fn max(cx: &mut Eval<'_, '_>) -> EvalResult {
    cx.int_result(cx.int(0)?.max(cx.int(1)?))
}

/// The next stage.
pub fn advance(cx: &mut Eval<'_, '_>) -> EvalResult {
    let stages = i128::from(Advance::from(cx.op).stages());
    let (stage, parity) = (cx.int(0)? + 1, cx.int(1)?);
    let (stage, parity) = if stage >= stages { (0, 1 - parity) } else { (stage, parity) };
    Ok(Outcome::Values(smallvec![Datum::Int(stage), Datum::Int(parity)]))
}

/// The row and the column of a tile.
pub fn tile_order(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = TileOrder::from(cx.op);
    let tile = cx.int(0)? as i64;
    let tiles = integers(cx, "tiles", 1, op.args().len())?;
    let &[rows, columns] = tiles.as_slice() else { return Err(wrong(cx, "tiles are counted by rows and columns")) };
    let (row, column) = order_tile(op.order(), op.group().unwrap_or(1), tile, rows, columns)
        .ok_or_else(|| cx.fail(&UNDEFINED, format!("of {rows} by {columns} tiles there is none of number {tile}")))?;
    Ok(Outcome::Values(smallvec![Datum::Int(row.into()), Datum::Int(column.into())]))
}

/// The place of a tile by its number in an order. `None` where there are not that many.
pub fn order_tile(order: Order, group: i64, tile: i64, rows: i64, columns: i64) -> Option<(i64, i64)> {
    if tile < 0 || rows <= 0 || columns <= 0 || tile >= rows.checked_mul(columns)? {
        return None;
    }
    match order {
        Order::Rows => Some((tile / columns, tile % columns)),
        Order::Columns => Some((tile % rows, tile / rows)),
        Order::Grouped => {
            // A group that goes beyond the last row holds all rows: its tiles may be more than any integer counts.
            let group = group.clamp(1, rows);
            let (first, rest) = (tile / (group * columns) * group, tile % (group * columns));
            let height = group.min(rows - first);
            Some((first + rest % height, rest / height))
        }
        Order::Hilbert => {
            // The curve over the next power of two; what lies outside is left out.
            let side = i64::from(u32::try_from(rows.max(columns)).ok()?.checked_next_power_of_two()?);
            let mut left = tile;
            for at in 0..side * side {
                let (row, column) = hilbert(side, at);
                if row < rows && column < columns {
                    if left == 0 {
                        return Some((row, column));
                    }
                    left -= 1;
                }
            }
            None
        }
    }
}

/// The point at a distance along Hilbert's curve over a square (Warren, Hacker's Delight, section 16-2).
fn hilbert(side: i64, distance: i64) -> (i64, i64) {
    let (mut x, mut y, mut rest, mut size) = (0, 0, distance, 1);
    while size < side {
        let (rx, ry) = (1 & (rest / 2), 1 & (rest ^ (rest / 2)));
        if ry == 0 {
            if rx == 1 {
                (x, y) = (size - 1 - x, size - 1 - y);
            }
            (x, y) = (y, x);
        }
        (x, y) = (x + size * rx, y + size * ry);
        (rest, size) = (rest / 4, size * 2);
    }
    (x, y)
}

/// The number, in every register.
pub fn const_(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let ty = cx.result_type(0);
    let value = Const::from(cx.op).value();
    let number = Datum::of_attr(ctx, value).ok_or_else(|| wrong(cx, "the constant is no number"))?;
    if Frag::of(ctx, ty).is_none() {
        return Ok(Outcome::value(number));
    }
    let slots = slots(cx, ty)?;
    let value = TensorValue::splat(ctx, slots.sizes.clone(), elem_of(ctx, ty), &number);
    let value: Result<TensorValue, Failure> = value.map_err(|reason| wrong(cx, reason));
    Ok(Outcome::value(fragment(value?)))
}

#[cfg(test)]
mod tests {
    use super::{Order, order_tile};

    #[test]
    fn groups_beyond_the_last_row_hold_all_rows() {
        for tile in 0..12 {
            let all = order_tile(Order::Grouped, 3, tile, 3, 4);
            assert_eq!(order_tile(Order::Grouped, i64::MAX, tile, 3, 4), all);
            assert_eq!(all, Some((tile % 3, tile / 3)));
        }
    }
}
