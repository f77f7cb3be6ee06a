//! Arithmetic. What goes from lane to lane, or through tensor cores, is computed on the tile whose elements the
//! registers are, and put back into registers.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use dlc_core::launch::Number;
use dlc_core::precision::{self, Precision};
use dlc_core::scalar;
use dlc_core::tensor::{self, ElemKind, TensorValue};
use dlc_ir::Type;
use dlc_ir::interp::{Datum, Eval, EvalResult, Failure, Outcome, UNDEFINED};
use dlc_ir::smallvec::smallvec;

use super::memory::combined;
use super::places::{self, At, Names, integers};
use super::shared::decode;
use super::state::{Begun, Slots, Work as Begin, device, wrong};
use super::values::{
    FragValue, Operand, Product, TokenValue, as_number, fragment, from_numbers, give, numbers, registers, slots, tile,
    to_numbers, work_index,
};
use crate::layout::SharedTile;
use crate::ops::{
    Binary, Broadcast, Cast, Extract, Mma, Reduce, Scan, Select, Sort, ThreadBroadcast, ThreadReduce, Unary, Wgmma,
};
use crate::types::{Frag, Work, elem_of};

/// A function of each number.
pub fn unary(cx: &mut Eval<'_, '_>) -> EvalResult {
    let elem = as_number(elem_of(cx.op.ctx, cx.result_type(0)));
    give(cx, Unary::from(cx.op).function().eval(cx.op.ctx, &numbers(cx, 0)?, elem))
}

/// A function of two numbers.
pub fn binary(cx: &mut Eval<'_, '_>) -> EvalResult {
    let elem = as_number(elem_of(cx.op.ctx, cx.result_type(0)));
    let value = Binary::from(cx.op).function().eval(cx.op.ctx, &numbers(cx, 0)?, &numbers(cx, 1)?, elem);
    give(cx, value)
}

/// A product and a third number.
pub fn mulacc(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let elem = as_number(elem_of(ctx, cx.result_type(0)));
    let (lhs, rhs, acc) = (numbers(cx, 0)?, numbers(cx, 1)?, numbers(cx, 2)?);
    give(cx, lhs.zip3_float(ctx, &rhs, &acc, elem, f64::mul_add))
}

/// One of two numbers.
pub fn select(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Select::from(cx.op);
    let ctx = cx.op.ctx;
    let ty = cx.result_type(0);
    let (elem, count) = (as_number(elem_of(ctx, ty)), cx.operands.len());
    let condition = match places::guard(cx) {
        None => numbers(cx, 0)?,
        Some(guard) if Frag::of(ctx, ty).is_none() => {
            let names = Names::of(cx, 0, op.args().len())?;
            let holds = names.holds(&guard, At { coords: &[], slot: 0 }).map_err(|reason| wrong(cx, reason))?;
            let holds = TensorValue::splat(ctx, Vec::new(), dlc_ir::Type::I1, &holds.into());
            holds.map_err(|reason| wrong(cx, reason))?
        }
        Some(guard) => {
            let slots = slots(cx, ty)?;
            let names = Names::of(cx, 0, op.args().len())?;
            let prepared = names.prepare_guard(Some(&guard));
            let mut coords = vec![0; slots.shape.len()];
            let mut holds = Vec::with_capacity(slots.len());
            for slot in 0..slots.len() {
                let inside = match slots.element(slot) {
                    Some(element) => {
                        slots.coords(element, &mut coords);
                        prepared.at(At { coords: &coords, slot }).map_err(|reason| wrong(cx, reason))?
                    }
                    None => false,
                };
                holds.push(Number::Int(inside.into()));
            }
            from_numbers(cx, &slots, dlc_ir::Type::I1, &holds)?
        }
    };
    let (yes, no) = (numbers(cx, count - 2)?, numbers(cx, count - 1)?);
    let shape = match Frag::of(ctx, ty) {
        Some(_) => slots(cx, ty)?.sizes.clone(),
        None => Vec::new(),
    };
    let wide = |value: TensorValue| value.broadcast_to(&shape);
    let value = (|| scalar::select(ctx, &wide(condition)?, &wide(yes)?, &wide(no)?, elem))();
    give(cx, value)
}

/// The number as another type, or its bits.
pub fn cast(cx: &mut Eval<'_, '_>) -> EvalResult {
    let elem = as_number(elem_of(cx.op.ctx, cx.result_type(0)));
    let value = numbers(cx, 0)?;
    let value =
        if Cast::from(cx.op).bits().is_some() { value.bitcast(cx.op.ctx, elem) } else { value.cast(cx.op.ctx, elem) };
    give(cx, value)
}

/// The elements of a tile, from the first register that has each.
fn gather(slots: &Slots, registers: &TensorValue) -> Vec<Number> {
    let values = to_numbers(registers);
    slots.first().into_iter().map(|slot| values.get(slot).copied().unwrap_or(Number::Int(0))).collect()
}

/// The registers for a tile.
fn scatter(cx: &Eval<'_, '_>, slots: &Slots, elem: dlc_ir::Type, tile: &[Number]) -> Result<TensorValue, Failure> {
    let none = if elem.float_kind(cx.op.ctx).is_some() { Number::Float(0.0) } else { Number::Int(0) };
    let values: Vec<Number> =
        (0..slots.len()).map(|slot| slots.element(slot).map_or(none, |element| tile[element])).collect();
    from_numbers(cx, slots, elem, &values)
}

/// The registers of a result, each from one of the same thread that has the element `wanted` gives for its own.
fn within_threads(cx: &mut Eval<'_, '_>, wanted: impl Fn(usize, &Slots, &Slots) -> usize) -> EvalResult {
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let values = to_numbers(&registers(cx, 0)?);
    let mut out = Vec::with_capacity(to.len());
    for slot in 0..to.len() {
        let Some(element) = to.element(slot) else {
            out.push(Number::Int(0));
            continue;
        };
        let wanted = wanted(element, &from, &to);
        let thread = slot / to.sizes[2];
        let mut own = thread * from.sizes[2]..(thread + 1) * from.sizes[2];
        let Some(found) = own.find(|&slot| from.element(slot) == Some(wanted)) else {
            return Err(wrong(cx, format!("thread {thread} has not the element {wanted} that it needs")));
        };
        out.push(values[found]);
    }
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    Ok(Outcome::value(fragment(from_numbers(cx, &to, elem, &out)?)))
}

/// A part of the fragment.
pub fn extract(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Extract::from(cx.op);
    let at = integers(cx, "at", 1, op.args().len())?;
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let inside = |((&at, &part), &whole): ((&i64, &usize), &usize)| {
        usize::try_from(at).is_ok_and(|at| at.saturating_add(part) <= whole)
    };
    if !at.iter().zip(&to.shape).zip(&from.shape).all(inside) {
        let message = format!("{:?} at {at:?} is no part of {:?}", to.shape, from.shape);
        return Err(cx.fail(&UNDEFINED, message));
    }
    within_threads(cx, |element, from, to| {
        let mut coords = vec![0; to.shape.len()];
        to.coords(element, &mut coords);
        let place = coords.iter().zip(&at).map(|(coord, at)| (coord + at) as usize);
        place.zip(&from.shape).fold(0, |number, (at, &size)| number * size + at)
    })
}

/// The fragment along one more axis. Each register gets its number from one of the same thread.
pub fn broadcast(cx: &mut Eval<'_, '_>) -> EvalResult {
    let axis = Broadcast::from(cx.op).axis() as usize;
    within_threads(cx, |element, _, to| {
        let inner: usize = to.shape.iter().skip(axis + 1).product();
        let size = to.shape.get(axis).copied().unwrap_or(1);
        element / (inner * size) * inner + element % inner
    })
}

/// For each slot of one fragment those of another that its thread has at the same place along all axes but one.
fn own_slots(of: &Slots, from: &Slots, axis: usize) -> Vec<Vec<usize>> {
    let place = |slots: &Slots, element: usize| {
        let mut coords = vec![0; slots.shape.len()];
        slots.coords(element, &mut coords);
        coords.remove(axis);
        coords
    };
    let mut found = Vec::with_capacity(of.len());
    for slot in 0..of.len() {
        let Some(element) = of.element(slot) else {
            found.push(Vec::new());
            continue;
        };
        let (at, thread) = (place(of, element), slot / of.sizes[2]);
        let own = thread * from.sizes[2]..(thread + 1) * from.sizes[2];
        found.push(own.filter(|&slot| from.element(slot).is_some_and(|element| place(from, element) == at)).collect());
    }
    found
}

/// What each thread combines.
pub fn thread_reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = ThreadReduce::from(cx.op);
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let values = to_numbers(&registers(cx, 0)?);
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    let kind = ElemKind::of(cx.op.ctx, elem).ok_or_else(|| wrong(cx, "the elements are no numbers"))?;
    let combine = |slots: Vec<usize>| {
        let numbers = slots.into_iter().map(|slot| values[slot]);
        numbers.reduce(|a, b| combined(kind, Some(op.combiner()), a, b)).unwrap_or(Number::Int(0))
    };
    let out: Vec<Number> = own_slots(&to, &from, op.axis() as usize).into_iter().map(combine).collect();
    Ok(Outcome::value(fragment(from_numbers(cx, &to, elem, &out)?)))
}

/// The number of the thread for each of its elements.
pub fn thread_broadcast(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = ThreadBroadcast::from(cx.op);
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let values = to_numbers(&registers(cx, 0)?);
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    let first = |slots: Vec<usize>| slots.first().map_or(Number::Int(0), |&slot| values[slot]);
    let out: Vec<Number> = own_slots(&to, &from, op.axis() as usize).into_iter().map(first).collect();
    Ok(Outcome::value(fragment(from_numbers(cx, &to, elem, &out)?)))
}

/// The tile of an operand.
fn whole(
    cx: &mut Eval<'_, '_>,
    index: usize,
    from: &Slots,
    elem: Type,
) -> Result<Result<TensorValue, String>, Failure> {
    let (ctx, tile) = (cx.op.ctx, gather(from, &registers(cx, index)?));
    Ok(match elem.float_kind(ctx) {
        Some(_) => {
            let values = tile.iter().map(|number| if let Number::Float(value) = *number { value } else { 0.0 });
            TensorValue::from_f64(ctx, from.shape.clone(), elem, values.collect())
        }
        None => {
            let values = tile.iter().map(|number| if let Number::Int(value) = *number { value } else { 0 });
            TensorValue::from_i64(ctx, from.shape.clone(), elem, values.collect())
        }
    })
}

/// Elements combined with those before them.
pub fn scan(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let op = Scan::from(cx.op);
    let last = op.combiner().operands().len() - 1;
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.operand_type(last + 1))?);
    let elem = elem_of(ctx, cx.result_type(0));
    let scan = tensor::Scan {
        combine: op.combiner().running().combine(),
        axis: op.axis() as usize,
        exclusive: op.exclusive().is_some(),
        reverse: op.reverse().is_some(),
        every: None,
    };
    // Factors come before what is summed.
    let factors = if last > 0 { Some(whole(cx, 0, &from, elem)?) } else { None };
    let (input, before) = (whole(cx, last, &from, elem)?, whole(cx, last + 1, &to, elem)?);
    let done =
        factors.transpose().and_then(|factors| input?.scan_from(ctx, scan, factors.as_ref(), Some(&before?), elem));
    let (out, next) = done.map_err(|reason| wrong(cx, reason))?;
    let out = fragment(scatter(cx, &from, elem, &to_numbers(&out))?);
    let next = fragment(scatter(cx, &to, elem, &to_numbers(&next))?);
    Ok(Outcome::Values(smallvec![out, next]))
}

/// Elements in order.
pub fn sort(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (op, from) = (Sort::from(cx.op), slots(cx, cx.operand_type(0))?);
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    let sorted = whole(cx, 0, &from, elem)?.and_then(|input| input.sort(op.axis() as usize, None));
    let sorted = sorted.map_err(|reason| wrong(cx, reason))?;
    Ok(Outcome::value(fragment(scatter(cx, &from, elem, &to_numbers(&sorted))?)))
}

/// What elements along an axis combine to.
pub fn reduce(cx: &mut Eval<'_, '_>) -> EvalResult {
    let ctx = cx.op.ctx;
    let op = Reduce::from(cx.op);
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let elem = elem_of(ctx, cx.result_type(0));
    let whole = whole(cx, 0, &from, elem)?
        .and_then(|whole| whole.reduce(ctx, op.combiner().combine(), &[op.axis() as usize], elem));
    let whole = whole.map_err(|reason| wrong(cx, reason))?;
    Ok(Outcome::value(fragment(scatter(cx, &to, elem, &to_numbers(&whole))?)))
}

/// The same elements in other registers.
pub fn convert(cx: &mut Eval<'_, '_>) -> EvalResult {
    let (from, to) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.result_type(0))?);
    let tile = gather(&from, &registers(cx, 0)?);
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    Ok(Outcome::value(fragment(scatter(cx, &to, elem, &tile)?)))
}

fn floats(numbers: &[Number]) -> Vec<f64> {
    let float = |number: &Number| match *number {
        Number::Float(value) => value,
        Number::Int(value) => value as f64,
    };
    numbers.iter().map(float).collect()
}

/// `acc + lhs * rhs` for row-major matrices of [m, k] and [k, n], each element rounded once.
fn multiply(kind: ElemKind, lhs: &[f64], rhs: &[f64], acc: &[f64], [m, n, k]: [usize; 3]) -> Vec<Number> {
    let mut out = vec![0.0; m * n];
    for row in 0..m {
        let sums = &mut out[row * n..(row + 1) * n];
        for (step, &left) in lhs[row * k..(row + 1) * k].iter().enumerate() {
            for (sum, &right) in sums.iter_mut().zip(&rhs[step * n..(step + 1) * n]) {
                *sum += left * right;
            }
        }
    }
    out.iter().zip(acc).map(|(sum, acc)| Number::Float(kind.round(sum + acc))).collect()
}

/// The product of matrices in registers, by tensor cores.
pub fn mma(cx: &mut Eval<'_, '_>) -> EvalResult {
    product_of_parts(cx, Mma::from(cx.op).precision())
}

/// The product of matrices in registers, by each thread.
pub fn product(cx: &mut Eval<'_, '_>) -> EvalResult {
    product_of_parts(cx, None)
}

/// The product of matrices in registers, whose elements are taken for sums of numbers that tensor cores have.
fn product_of_parts(cx: &mut Eval<'_, '_>, precision: Option<Precision>) -> EvalResult {
    let (lhs, rhs) = (slots(cx, cx.operand_type(0))?, slots(cx, cx.operand_type(1))?);
    let acc = slots(cx, cx.operand_type(2))?;
    let shape = [acc.shape[0], acc.shape[1], lhs.shape[1]];
    let elem = elem_of(cx.op.ctx, cx.result_type(0));
    let kind = ElemKind::of(cx.op.ctx, elem).ok_or_else(|| wrong(cx, "the elements are no numbers"))?;
    let a = floats(&gather(&lhs, &registers(cx, 0)?));
    let b = floats(&gather(&rhs, &registers(cx, 1)?));
    let c = floats(&gather(&acc, &registers(cx, 2)?));
    let tile = match precision {
        None => multiply(kind, &a, &b, &c, shape),
        Some(precision) => {
            let split = |number: f64| precision.split(number as f32).map(f64::from);
            let [m, n, k] = shape;
            match precision {
                Precision::Tf32 => {
                    let rounded = |numbers: &[f64]| numbers.iter().map(|&number| split(number)[0]).collect::<Vec<_>>();
                    multiply(kind, &rounded(&a), &rounded(&b), &c, shape)
                }
                // One product with all terms of the sum, which is rounded once: `a0*(b0 + b1) + a1*b0`.
                Precision::Tf32x3 => {
                    let with_sum = |[first, rest]: [f64; 2]| [first + rest, first];
                    let (a, b) =
                        (alongside(&a, [m, k], 1, split), alongside(&b, [k, n], 0, |number| with_sum(split(number))));
                    multiply(kind, &a, &b, &c, [m, n, 2 * k])
                }
            }
        }
    };
    Ok(Outcome::value(fragment(scatter(cx, &acc, elem, &tile)?)))
}

/// A row-major matrix with two elements in place of each, next to each other along an axis.
fn alongside(numbers: &[f64], [rows, columns]: [usize; 2], along: usize, of: impl Fn(f64) -> [f64; 2]) -> Vec<f64> {
    let mut out = Vec::with_capacity(2 * numbers.len());
    for row in 0..rows {
        let pairs = || numbers[row * columns..(row + 1) * columns].iter().map(|&number| of(number));
        match along {
            0 => [0, 1].into_iter().for_each(|part| out.extend(pairs().map(|pair| pair[part]))),
            _ => out.extend(pairs().flatten()),
        }
    }
    out
}

/// Begins a product of matrices.
pub fn wgmma(cx: &mut Eval<'_, '_>) -> EvalResult {
    let op = Wgmma::from(cx.op);
    let ctx = cx.op.ctx;
    let right = tile(cx, op.rhs(), op.rhs_stage())?;
    let last = cx.operands.len() - 1;
    let acc = cx.opaque::<FragValue>(last)?.clone();
    let slots = slots(cx, cx.operand_type(last))?;
    let depth = right.1.shape()[usize::from(op.rhs_transposed().is_some())] as usize;
    let [m, n, k] = [slots.shape[0], slots.shape[1], depth];
    let mut held = Vec::new();
    let lhs = match Frag::of(ctx, cx.operand_type(0)) {
        Some(_) => Operand::Registers { value: registers(cx, 0)?, slots: self::slots(cx, cx.operand_type(0))? },
        None => {
            let left = tile(cx, op.lhs(), op.lhs_stage())?;
            hold_matrix(cx, left, op.lhs_transposed().is_some(), [m, k], &mut held)?
        }
    };
    let rhs = hold_matrix(cx, right, op.rhs_transposed().is_some(), [k, n], &mut held)?;
    let out = FragValue(Arc::new(OnceLock::new()));
    let product = Product {
        lhs,
        shape: [m, n, k],
        rhs,
        held,
        acc,
        out: out.clone(),
        slots,
        elem: elem_of(ctx, cx.result_type(0)),
    };
    let at = cx.op.loc();
    let device = device(cx);
    let thread_group = device.current;
    let state = device.thread_group();
    let index = work_index(Work::Compute);
    state.tickets[index] += 1;
    let ticket = state.tickets[index];
    state.begun[index].push(Begun { ticket, at, work: Begin::Multiply(Box::new(product)) });
    let token = TokenValue { thread_group, work: Work::Compute, ticket };
    Ok(Outcome::Values(smallvec![Datum::opaque(out), Datum::opaque(token)]))
}

/// A tile as a matrix [rows, columns] in row-major order; until the product that takes it ends, nobody may write to it.
fn hold_matrix(
    cx: &mut Eval<'_, '_>,
    (base, tile, elem): (u32, SharedTile, Type),
    transposed: bool,
    [rows, columns]: [usize; 2],
    held: &mut Vec<(u32, u8)>,
) -> Result<Operand, Failure> {
    let ctx = cx.op.ctx;
    let kind = ElemKind::of(ctx, elem).ok_or_else(|| wrong(cx, "the elements are no numbers"))?;
    let thread_group = device(cx).current;
    let reader = super::memory::engine(cx, thread_group);
    let length = tile.elem_bytes() as usize;
    let mut values = Vec::with_capacity(rows * columns);
    let memory = &mut device(cx).block().memory;
    for row in 0..rows as u32 {
        for column in 0..columns as u32 {
            let coords = if transposed { [column, row] } else { [row, column] };
            let address = tile.address(base, &coords);
            match memory.read(address, length, reader) {
                Ok(bytes) => values.push(decode(ctx, elem, kind, bytes)),
                Err(reason) => return Err(cx.fail(&UNDEFINED, reason)),
            }
            memory.hold(address, length, true);
            held.push((address, length as u8));
        }
    }
    let mut values = floats(&values);
    if elem == Type::F32 {
        values.iter_mut().for_each(|value| *value = f64::from(precision::cut(*value as f32)));
    }
    Ok(Operand::Tile(values))
}

fn matrix(operand: &Operand) -> Cow<'_, [f64]> {
    match operand {
        Operand::Registers { value, slots } => floats(&gather(slots, value)).into(),
        Operand::Tile(values) => values.into(),
    }
}

/// The product is there.
pub fn finish_product(cx: &mut Eval<'_, '_>, thread_group: usize, product: &Product) -> Result<(), Failure> {
    let Some(acc) = product.acc.0.get().cloned() else {
        return Err(cx.fail(&UNDEFINED, "the product is added to registers that are not there yet"));
    };
    let block = device(cx).thread_groups[thread_group].block;
    let memory = &mut device(cx).blocks[block].memory;
    product.held.iter().for_each(|&(address, length)| memory.hold(address, length.into(), false));
    let (lhs, rhs) = (matrix(&product.lhs), matrix(&product.rhs));
    let kind = ElemKind::of(cx.op.ctx, product.elem).ok_or_else(|| wrong(cx, "the elements are no numbers"))?;
    let tile = multiply(kind, &lhs, &rhs, &floats(&gather(&product.slots, &acc)), product.shape);
    let value = scatter(cx, &product.slots, product.elem, &tile)?;
    // It is set once, as a product ends once.
    let _ = product.out.0.set(value);
    Ok(())
}
