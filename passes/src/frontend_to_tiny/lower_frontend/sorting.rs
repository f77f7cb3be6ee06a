//! Elements in order, with their positions: both are parts of one 64-bit integer, of which none equals another.
//!
//! Its high half is the element as an integer with the same order, or that inverted where the largest comes first. Below are 31
//! bits of the position, which keep the order of equal elements, and one that says that a zero is negative: as an element it
//! equals 0.0.

use dlc_frontend::ops as frontend;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Predicate};

use super::emit::{Emit, Lower, Values};

/// The rules of what is sorted.
pub const RULES: &[Lower] = &[Lower { op: frontend::Sort::DEF, emit: sort }];

fn sort(e: &mut Emit<'_>) -> Values {
    let op = frontend::Sort::from(e.source());
    let (axis, descending) = (op.axis() as usize, op.descending().is_some());
    let keys = e.keys(axis, descending);
    let sorted = e.sorted(keys, axis);
    e.elements_and_positions(sorted, descending)
}

impl Emit<'_> {
    pub(super) fn sorted(&mut self, value: ValueId, axis: usize) -> ValueId {
        let op = tiny::Sort::build(&mut self.builder, self.loc, value, axis as i64);
        self.builder.result(op)
    }

    pub(super) fn whole_number(&mut self, value: i64, elem: Type) -> ValueId {
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

    /// The elements of the operand, with their positions along an axis, as integers.
    pub(super) fn keys(&mut self, axis: usize, descending: bool) -> ValueId {
        let input = self.operands[0];
        let dims = self.dims(input);
        let place = self.range(axis, dims, Type::I64);
        self.keys_of(input, place, descending)
    }

    /// Elements with positions, `i64`, as integers.
    pub(super) fn keys_of(&mut self, input: ValueId, place: ValueId, descending: bool) -> ValueId {
        let elem = self.elem(input);
        let two = self.whole_number(2, Type::I64);
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

    /// The positions of which integers are made, as `i64`.
    pub(super) fn places(&mut self, keys: ValueId) -> ValueId {
        let (low, one) = (self.whole_number(u32::MAX.into(), Type::I64), self.whole_number(1, Type::I64));
        let low = self.and(keys, low);
        self.shr(low, one)
    }

    /// The elements and the positions of which integers are made.
    pub(super) fn elements_and_positions(&mut self, keys: ValueId, descending: bool) -> Values {
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
        let place = self.places(keys);
        let place = self.cast(place, Type::I32);
        let element = match self.is_float(elem) {
            false => key,
            true => {
                let key = self.cast(key, Type::I32);
                let bits = self.without_sign(key);
                let float = self.bits_as(bits, Type::F32);
                let one = self.whole_number(1, Type::I64);
                let mark = self.and(keys, one);
                let is_negative_zero = self.cmp(Predicate::Eq, mark, one);
                let zero = self.number(-0.0, Type::F32);
                self.where_(is_negative_zero, zero, float)
            }
        };
        let element = self.cast(element, elem);
        [element, place].into_iter().collect()
    }
}
