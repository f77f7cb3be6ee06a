//! Elements in order, with their positions: both are parts of one 64-bit integer, of which none equals another.
//!
//! Its high half is the element as an integer with the same order, or that inverted where the largest comes first. Below are 31
//! bits of the position, which keep the order of equal elements, and one that says that a zero is negative: as an element it
//! equals 0.0.

use dlc_frontend::ops as frontend;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Predicate};

use super::emit::{Emit, Lower, Values};

/// The rules of what is sorted.
pub const RULES: &[Lower] =
    &[Lower { op: frontend::Sort::DEF, emit: sort }, Lower { op: frontend::Topk::DEF, emit: topk }];

/// The positions that are sorted together before the first of each group are sorted again.
const GROUP: i64 = 4096;

fn sort(e: &mut Emit<'_>) -> Values {
    let op = frontend::Sort::from(e.source());
    let (axis, descending) = (op.axis() as usize, op.descending().is_some());
    let keys = e.keys(axis, descending);
    let sorted = e.sorted(keys, axis);
    e.elements_and_positions(sorted, descending)
}

fn topk(e: &mut Emit<'_>) -> Values {
    let op = frontend::Topk::from(e.source());
    let (axis, count, descending) = (op.axis() as usize, op.count(), op.smallest().is_none());
    let mut keys = e.keys(axis, descending);
    let dims = e.dims(keys);
    let is_long = dims[axis].as_constant().is_none_or(|size| size > GROUP);
    // The first of all are among the first of each group.
    if is_long
        && count <= GROUP / 4
        && let Some(first) = e.first_of_groups(keys, axis, count)
    {
        keys = first;
    }
    let sorted = e.sorted(keys, axis);
    let first = e.first(sorted, axis, count);
    e.elements_and_positions(first, descending)
}

impl Emit<'_> {
    fn sorted(&mut self, value: ValueId, axis: usize) -> ValueId {
        let op = tiny::Sort::build(&mut self.builder, self.loc, value, axis as i64);
        self.builder.result(op)
    }

    /// The first positions of an axis.
    fn first(&mut self, value: ValueId, axis: usize, count: i64) -> ValueId {
        let mut stop = self.dims(value);
        let start = vec![SizeExpr::from(0); stop.len()];
        stop[axis] = SizeExpr::from(count);
        let op = tiny::Shrink::build(&mut self.builder, self.loc, value, start, stop, None);
        self.builder.result(op)
    }

    /// The first elements in order of each group of positions. `None` where sizes go beyond 64 bits.
    fn first_of_groups(&mut self, keys: ValueId, axis: usize, count: i64) -> Option<ValueId> {
        let dims = self.dims(keys);
        let groups = dims[axis].ceildiv(&GROUP.into()).ok()?;
        let whole = groups.mul(&GROUP.into()).ok()?;
        let kept = groups.mul(&count.into()).ok()?;
        let zero = vec![SizeExpr::from(0); dims.len()];
        let mut high = zero.clone();
        high[axis] = whole.sub(&dims[axis]).ok()?;
        let last = self.ctx().int_attr(i64::MAX.into(), Type::I64);
        let op = tiny::Pad::build(&mut self.builder, self.loc, keys, zero, high, Some(last));
        let padded = self.builder.result(op);
        let mut grouped = dims.clone();
        grouped.splice(axis..=axis, [groups, SizeExpr::from(GROUP)]);
        let grouped = self.reshape(padded, grouped);
        let sorted = self.sorted(grouped, axis + 1);
        let first = self.first(sorted, axis + 1, count);
        let mut joined = dims;
        joined[axis] = kept;
        Some(self.reshape(first, joined))
    }

    fn whole_number(&mut self, value: i64, elem: Type) -> ValueId {
        let (ctx, attr) = (self.builder.ctx, self.ctx().int_attr(value.into(), elem));
        let ty = dlc_core::types::Tensor::get(ctx, Vec::new(), elem);
        let op = tiny::Const::build(&mut self.builder, self.loc, attr, ty);
        self.builder.result(op)
    }

    fn bits_as(&mut self, value: ValueId, elem: Type) -> ValueId {
        let op = tiny::Bitcast::build(&mut self.builder, self.loc, value, elem);
        self.builder.result(op)
    }

    /// 32-bit integers with all bits but the sign inverted where that is set: those of floats are then ordered as these are,
    /// and the other way round.
    fn without_sign(&mut self, bits: ValueId) -> ValueId {
        let (last, most) = (self.whole_number(31, Type::I32), self.whole_number(i32::MAX.into(), Type::I32));
        let sign = self.shr(bits, last);
        let others = self.and(sign, most);
        self.xor(bits, others)
    }

    /// The elements of the operand, with their positions, as integers.
    fn keys(&mut self, axis: usize, descending: bool) -> ValueId {
        let input = self.operands[0];
        let (dims, elem) = (self.dims(input), self.elem(input));
        let two = self.whole_number(2, Type::I64);
        let place = self.range(axis, dims, Type::I64);
        let mut low = self.mul(place, two);
        let mut key = match self.is_float(elem) {
            false => self.cast(input, Type::I64),
            true => {
                let float = self.cast(input, Type::F32);
                let bits = self.bits_as(float, Type::I32);
                let negative_zero = self.whole_number(i32::MIN.into(), Type::I32);
                let is_negative_zero = self.cmp(Predicate::Eq, bits, negative_zero);
                let mark = self.cast(is_negative_zero, Type::I64);
                low = self.add(low, mark);
                let is_nan = self.cmp(Predicate::Ne, float, float);
                let nan = self.whole_number(f32::NAN.to_bits().into(), Type::I32);
                let bits = self.where_(is_nan, nan, bits);
                let zero = self.whole_number(0, Type::I32);
                let bits = self.where_(is_negative_zero, zero, bits);
                let key = self.without_sign(bits);
                self.cast(key, Type::I64)
            }
        };
        // Integers without sign begin at the lowest with one.
        if self.is_unsigned(elem) {
            let half = self.whole_number(-(1 << 31), Type::I64);
            key = self.add(key, half);
        }
        if descending {
            let ones = self.whole_number(-1, Type::I64);
            key = self.xor(key, ones);
        }
        let bits = self.whole_number(32, Type::I64);
        let high = self.shl(key, bits);
        self.or(high, low)
    }

    fn is_unsigned(&self, elem: Type) -> bool {
        let kind = dlc_core::tensor::ElemKind::of(self.ctx(), elem);
        matches!(kind, Some(dlc_core::tensor::ElemKind::Int { bits: 32, signed: false }))
    }

    /// The elements and the positions of which integers are made.
    fn elements_and_positions(&mut self, keys: ValueId, descending: bool) -> Values {
        let elem = self.result_elem(0);
        let bits = self.whole_number(32, Type::I64);
        let mut key = self.shr(keys, bits);
        if descending {
            let ones = self.whole_number(-1, Type::I64);
            key = self.xor(key, ones);
        }
        if self.is_unsigned(elem) {
            let half = self.whole_number(1 << 31, Type::I64);
            key = self.add(key, half);
        }
        let low = self.whole_number(u32::MAX.into(), Type::I64);
        let low = self.and(keys, low);
        let one = self.whole_number(1, Type::I64);
        let place = self.shr(low, one);
        let place = self.cast(place, Type::I32);
        let element = match self.is_float(elem) {
            false => key,
            true => {
                let key = self.cast(key, Type::I32);
                let bits = self.without_sign(key);
                let float = self.bits_as(bits, Type::F32);
                let mark = self.and(low, one);
                let is_negative_zero = self.cmp(Predicate::Eq, mark, one);
                let zero = self.number(-0.0, Type::F32);
                self.where_(is_negative_zero, zero, float)
            }
        };
        let element = self.cast(element, elem);
        [element, place].into_iter().collect()
    }
}
