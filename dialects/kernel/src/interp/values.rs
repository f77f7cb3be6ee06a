//! The values of a running kernel, and how ops get at them.

use std::sync::{Arc, OnceLock};

use dlc_core::launch::Number;
use dlc_core::tensor::{Data, ElemKind, TensorValue};
use dlc_ir::interp::{Datum, Eval, EvalResult, Failure, Outcome};
use dlc_ir::{OpRef, Type, ValueId};

use super::state::{Slots, device, wrong};
use crate::layout::SharedTile;
use crate::ops::{Elect, Role};
use crate::types::{Frag, Tile, Work, elem_of};

/// A fragment: the registers of the thread group. One that a matrix product gives is not there before that has ended.
#[derive(Clone)]
pub struct FragValue(pub Arc<OnceLock<TensorValue>>);

/// A tile in shared memory.
#[derive(Clone, Copy)]
pub struct TileValue {
    /// The first byte.
    pub base: u32,
    /// The bytes from one stage to the next.
    pub stride: u32,
    pub stages: u32,
}

/// Barriers, by the number of the first.
pub struct BarriersValue {
    pub first: usize,
    pub count: usize,
}

/// What a token waits for: the work of a kind that a thread group has begun, up to a ticket.
#[derive(Clone, Copy, Debug)]
pub struct TokenValue {
    pub thread_group: usize,
    pub work: Work,
    pub ticket: u64,
}

/// A product of matrices that has begun.
pub struct Product {
    pub lhs: Operand,
    pub rhs: Operand,
    pub acc: FragValue,
    pub out: FragValue,
    pub slots: Arc<Slots>,
    pub elem: Type,
    pub shape: [usize; 3],
    /// What it reads of shared memory: the addresses of elements, each with the size.
    pub held: Vec<(u32, u8)>,
}

/// What a product takes.
pub enum Operand {
    /// What a tile held when the product began: nobody may write to it before the product is awaited.
    Tile(Vec<f64>),
    Registers {
        value: TensorValue,
        slots: Arc<Slots>,
    },
}

/// The kind of work as an index.
pub fn work_index(work: Work) -> usize {
    match work {
        Work::Load => 0,
        Work::Compute => 1,
        Work::Epilogue => 2,
    }
}

/// Whether one thread alone runs an op.
pub fn is_single(op: OpRef<'_>) -> bool {
    let mut at = op.body.parent_op(op.id);
    while let Some(parent) = at {
        let parent = OpRef { id: parent, ..op };
        if Elect::of(parent).is_some() || Role::of(parent).is_some_and(|role| role.single().is_some()) {
            return true;
        }
        at = op.body.parent_op(parent.id);
    }
    false
}

/// The slots of a fragment of the thread group that runs.
pub fn slots(cx: &mut Eval<'_, '_>, ty: Type) -> Result<Arc<Slots>, Failure> {
    let ctx = cx.op.ctx;
    let device = device(cx);
    let warps = device.thread_group().warps;
    if let Some(slots) = device.slots.get(&(ty, warps)) {
        return Ok(Arc::clone(slots));
    }
    let made = Frag::of(ctx, ty).ok_or_else(|| "the value is no fragment".to_string()).and_then(|frag| {
        let shape = crate::types::sizes(&frag.shape(ctx)).ok_or("a size is not positive")?;
        let bits = frag.elem(ctx).bits(ctx).unwrap_or(0);
        let layout = frag.layout(ctx).place(&shape, bits, warps)?;
        let sizes = vec![warps as usize, 32, layout.registers() as usize];
        let shape = shape.iter().map(|&size| size as usize).collect();
        Ok(Arc::new(Slots { table: layout.table(), layout, shape, sizes }))
    });
    let made = made.map_err(|reason: String| wrong(cx, reason))?;
    super::state::device(cx).slots.insert((ty, warps), Arc::clone(&made));
    Ok(made)
}

/// The registers of an operand.
pub fn registers(cx: &Eval<'_, '_>, index: usize) -> Result<TensorValue, Failure> {
    let value = cx.opaque::<FragValue>(index)?;
    value.0.get().cloned().ok_or_else(|| {
        cx.fail(
            &dlc_ir::interp::UNDEFINED,
            format!("operand {index} is read from registers that a matrix product which is not awaited writes"),
        )
    })
}

/// An operand of an elementwise op: registers, or a number that goes with each of them.
pub fn numbers(cx: &Eval<'_, '_>, index: usize) -> Result<TensorValue, Failure> {
    let elem = crate::types::elem_of(cx.op.ctx, cx.operand_type(index));
    match cx.operand(index)? {
        Datum::Opaque(_) => registers(cx, index),
        number => {
            let number = number.clone();
            TensorValue::splat(cx.op.ctx, Vec::new(), as_number(elem), &number).map_err(|reason| wrong(cx, reason))
        }
    }
}

/// An `index` is computed with as a 64-bit integer.
pub fn as_number(elem: Type) -> Type {
    if elem == Type::INDEX { Type::I64 } else { elem }
}

/// Registers as the only result; a tensor without axes as a number, or as the number that all registers have.
pub fn give(cx: &mut Eval<'_, '_>, value: Result<TensorValue, String>) -> EvalResult {
    let value = value.map_err(|reason| wrong(cx, reason))?;
    let ty = cx.result_type(0);
    match Frag::of(cx.op.ctx, ty) {
        Some(_) if value.rank() == 0 => {
            let slots = slots(cx, ty)?;
            let all = to_numbers(&value).repeat(slots.len());
            Ok(Outcome::value(fragment(from_numbers(cx, &slots, as_number(elem_of(cx.op.ctx, ty)), &all)?)))
        }
        Some(_) => Ok(Outcome::value(fragment(value))),
        None => Ok(Outcome::value(value.at(&vec![0; value.rank()]))),
    }
}

/// A fragment whose registers are known.
pub fn fragment(value: TensorValue) -> Datum {
    Datum::opaque(FragValue(Arc::new(OnceLock::from(value))))
}

/// A fragment from a number for each slot.
pub fn from_numbers(cx: &Eval<'_, '_>, slots: &Slots, elem: Type, values: &[Number]) -> Result<TensorValue, Failure> {
    let ctx = cx.op.ctx;
    let floats = ElemKind::of(ctx, elem).is_some_and(ElemKind::is_float);
    let value = if floats {
        let values = values.iter().map(|value| match *value {
            Number::Float(value) => value,
            Number::Int(value) => value as f64,
        });
        TensorValue::from_f64(ctx, slots.sizes.clone(), elem, values.collect())
    } else {
        let values = values.iter().map(|value| match *value {
            Number::Float(value) => value as i64,
            Number::Int(value) => value,
        });
        TensorValue::from_i64(ctx, slots.sizes.clone(), elem, values.collect())
    };
    value.map_err(|reason| wrong(cx, reason))
}

/// The numbers of registers in order of the slots.
pub fn to_numbers(value: &TensorValue) -> Vec<Number> {
    match value.as_data() {
        Some(Data::Int(values)) => values.iter().map(|&value| Number::Int(value)).collect(),
        Some(Data::F32(values)) => values.iter().map(|&value| Number::Float(value.into())).collect(),
        Some(Data::F64(values)) => values.iter().map(|&value| Number::Float(value)).collect(),
        None if value.kind().is_float() => value.to_f64s().into_iter().map(Number::Float).collect(),
        None => value.to_i64s().into_iter().map(Number::Int).collect(),
    }
}

/// The number of a stage, 0 where none is given, within how many there are.
pub fn stage(cx: &Eval<'_, '_>, operand: Option<ValueId>, count: usize) -> Result<usize, Failure> {
    let Some(operand) = operand else { return Ok(0) };
    let index = cx.op.operands().position(|value| value == operand).unwrap_or(0);
    let stage = cx.int(index)?;
    usize::try_from(stage).ok().filter(|&stage| stage < count).ok_or_else(|| {
        cx.fail(&dlc_ir::interp::UNDEFINED, format!("there are {count} stages, and none of number {stage}"))
    })
}

/// A tile operand with the stage that is named after it: its first byte, and where its elements are.
pub fn tile(cx: &Eval<'_, '_>, operand: ValueId, staged: Option<ValueId>) -> Result<(u32, SharedTile, Type), Failure> {
    let ctx = cx.op.ctx;
    let index = cx.op.operands().position(|value| value == operand).unwrap_or(0);
    let value = *cx.opaque::<TileValue>(index)?;
    let stage = stage(cx, staged, value.stages as usize)? as u32;
    let ty = Tile::of(ctx, cx.op.type_of(operand)).ok_or_else(|| wrong(cx, "the operand is no tile"))?;
    let place = ty.place(ctx).map_err(|reason| wrong(cx, reason))?;
    Ok((value.base + stage * value.stride, place, ty.elem(ctx)))
}

/// The integer that an operand is.
pub fn integer(cx: &Eval<'_, '_>, operand: ValueId) -> Result<i64, Failure> {
    let index = cx.op.operands().position(|value| value == operand).unwrap_or(0);
    Ok(cx.int(index)? as i64)
}
