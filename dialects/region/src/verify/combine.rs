//! What a region that combines must keep: it is associative, and the initial numbers are its identity.
//!
//! Both are equations, which are tried at a few numbers; a combiner that breaks one there is refused. That shows
//! mistakes, and proves nothing: an equation may hold at these numbers and not at others. A combiner that reads memory,
//! or uses a value whose number is not known, is not tried.

use std::collections::HashMap;

use dlc_core::scalar::{self, as_elem};
use dlc_core::tensor::TensorValue;
use dlc_ir::interp::Datum;
use dlc_ir::op::BrokenRule;
use dlc_ir::{BlockId, Context, OpRef, Type, ValueId};

use super::{INVALID_IDENTITY, NON_ASSOCIATIVE_COMBINER};
use crate::ops::{Binary, BroadcastInDim, Cast, Const, Reduce, Select, Transpose, Unary};
use crate::types::Value;

/// Numbers that are tried at once, for accumulator and operand each in another order.
const SAMPLES: [f64; 6] = [1.0, 3.0, 2.0, 7.0, 5.0, 4.0];

/// What a combiner breaks.
pub(super) fn broken(op: Reduce<'_>, block: BlockId, end: OpRef<'_>) -> Option<BrokenRule> {
    let combine = Combine { op, block, end };
    let [a, b, c] = [0, 1, 2].map(|operand| combine.samples(operand));
    let (a, b, c) = (a?, b?, c?);
    let init: Option<Vec<TensorValue>> = op
        .init()
        .iter()
        .zip(op.acc())
        .map(|(&init, ty)| {
            let number = Datum::of_attr(op.ctx, init)?;
            TensorValue::splat(op.ctx, vec![SAMPLES.len()], wide(op.ctx, ty), &number).ok()
        })
        .collect();
    let init = init?;
    let sides = [combine.run(&init, &a)?, combine.run(&a, &init)?];
    if let Some(at) = sides.iter().find_map(|side| differs(side, &a)) {
        let message = format!("accumulator {at} starts with a number that changes what it is combined with");
        let fix = "the combiner must give back each contribution where the other accumulators are the initial numbers";
        return Some(BrokenRule::new(&INVALID_IDENTITY, message).suggest(fix));
    }
    let left = combine.run(&combine.run(&a, &b)?, &c)?;
    let right = combine.run(&a, &combine.run(&b, &c)?)?;
    let at = differs(&left, &right)?;
    let message = format!("accumulator {at} depends on the order in which contributions are combined");
    let fix = "a combiner 'f' must be associative: 'f(f(a, b), c)' is 'f(a, f(b, c))'";
    Some(BrokenRule::new(&NON_ASSOCIATIVE_COMBINER, message).suggest(fix))
}

/// The type in which numbers are tried: rounding is no difference.
fn wide(ctx: &Context, elem: Type) -> Type {
    if elem.float_kind(ctx).is_some() { Type::F64 } else { elem }
}

/// The first of some values that is not the other.
fn differs(values: &[TensorValue], others: &[TensorValue]) -> Option<usize> {
    let same = |(value, other): (&TensorValue, &TensorValue)| {
        (0..SAMPLES.len()).all(|at| match (value.at(&[at]), other.at(&[at])) {
            (Datum::Float(a), Datum::Float(b)) => {
                a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
            }
            (a, b) => a.as_int() == b.as_int(),
        })
    };
    values.iter().zip(others).position(|pair| !same(pair))
}

/// A combiner whose values are the numbers at all samples.
struct Combine<'a> {
    op: Reduce<'a>,
    block: BlockId,
    end: OpRef<'a>,
}

impl Combine<'_> {
    /// Numbers for each accumulator.
    fn samples(&self, operand: usize) -> Option<Vec<TensorValue>> {
        let (ctx, count) = (self.op.ctx, SAMPLES.len());
        let accumulator = |(at, ty): (usize, Type)| {
            let number = |sample: usize| SAMPLES[(sample * (1 + operand) + 2 * at + operand) % count];
            let datum = |sample: usize| match wide(ctx, ty) {
                Type::F64 => Datum::Float(number(sample)),
                Type::I1 => Datum::Int(i128::from(number(sample) as i64 % 2)),
                _ => Datum::Int(number(sample) as i128),
            };
            TensorValue::new(ctx, vec![count], wide(ctx, ty), (0..count).map(datum).collect()).ok()
        };
        self.op.acc().into_iter().enumerate().map(accumulator).collect()
    }

    /// What it yields. `None` if it cannot be known.
    fn run(&self, first: &[TensorValue], second: &[TensorValue]) -> Option<Vec<TensorValue>> {
        let body = self.op.body;
        let args = body.args(self.block).iter().copied();
        let mut known: HashMap<ValueId, TensorValue> = args.zip(first.iter().chain(second).cloned()).collect();
        for id in body.ops(self.block).filter(|&id| id != self.end.id) {
            let op = OpRef { id, ..*self.op };
            let value = self.step(op, &known)?;
            known.insert(op.result(0), value);
        }
        self.end.operands().map(|value| self.value(value, &known)).collect()
    }

    fn value(&self, value: ValueId, known: &HashMap<ValueId, TensorValue>) -> Option<TensorValue> {
        if let Some(value) = known.get(&value) {
            return Some(value.clone());
        }
        let id = self.op.body.defining_op(value)?;
        Const::of(OpRef { id, ..*self.op }).and_then(|op| self.step(*op, known))
    }

    fn step(&self, op: OpRef<'_>, known: &HashMap<ValueId, TensorValue>) -> Option<TensorValue> {
        let ctx = op.ctx;
        let operand = |index: usize| self.value(op.operand(index), known);
        let elem = wide(ctx, Value::of(ctx, op.type_of(op.result(0)))?.elem(ctx));
        if let Some(op) = Const::of(op) {
            let number = Datum::of_attr(ctx, op.value())?;
            TensorValue::splat(ctx, vec![SAMPLES.len()], elem, &number).ok()
        } else if let Some(op) = Unary::of(op) {
            op.function().eval(ctx, &operand(0)?, elem).ok()
        } else if let Some(op) = Binary::of(op) {
            op.function().eval(ctx, &operand(0)?, &operand(1)?, elem).ok()
        } else if Select::of(op).is_some_and(|op| op.guard().is_none()) {
            scalar::select(ctx, &operand(0)?, &operand(1)?, &operand(2)?, elem).ok()
        } else if Cast::of(op).is_some_and(|op| op.bits().is_none()) {
            as_elem(ctx, &operand(0)?, elem).ok()
        } else if op.is(BroadcastInDim::DEF) || op.is(Transpose::DEF) {
            operand(0)
        } else {
            None
        }
    }
}
