//! Between which numbers the floats of a kernel lie, as far as their ops say it.

use dlc_core::scalar::{Binary as BinaryFn, Unary as UnaryFn};
use dlc_ir::interp::Datum;
use dlc_ir::{Body, Context, OpRef, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::elem_of;
use rustc_hash::FxHashMap;

/// How many ops are examined, one after another.
const DEPTH: u32 = 16;

/// All numbers of a value are between these, but for infinities and what is no number. Rounding may go beyond them by the
/// last digit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Range {
    const ALL: Range = Range { least: f64::NEG_INFINITY, most: f64::INFINITY };

    fn of(numbers: impl IntoIterator<Item = f64>) -> Range {
        let none = Range { least: f64::INFINITY, most: f64::NEG_INFINITY };
        let wider = |range: Range, number: f64| Range { least: range.least.min(number), most: range.most.max(number) };
        numbers.into_iter().fold(none, wider)
    }

    /// The largest magnitude.
    pub fn size(self) -> f64 {
        self.most.max(-self.least)
    }

    /// Whether none of the numbers is smaller than a size, whatever its sign.
    pub fn is_beyond(self, size: f64) -> bool {
        self.least >= size || self.most <= -size
    }
}

/// The range of a value: from 16-bit numbers on, through sums, products and the like.
pub fn range(ctx: &Context, body: &Body, value: ValueId) -> Range {
    Finder { ctx, body, known: FxHashMap::default() }.of(value, DEPTH)
}

struct Finder<'a> {
    ctx: &'a Context,
    body: &'a Body,
    known: FxHashMap<ValueId, Range>,
}

impl<'a> Finder<'a> {
    fn of(&mut self, value: ValueId, depth: u32) -> Range {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let own = match elem_of(self.ctx, self.body.value_type(value)) {
            Type::F16 => Range { least: -65504.0, most: 65504.0 },
            _ => Range::ALL,
        };
        let Some(op) = self.body.defining_op(value).filter(|_| depth > 0) else { return own };
        let found = self.of_op(OpRef::new(self.ctx, self.body, op), depth - 1);
        let range = Range { least: found.least.max(own.least), most: found.most.min(own.most) };
        self.known.insert(value, range);
        range
    }

    fn of_op(&mut self, op: OpRef<'a>, depth: u32) -> Range {
        if let Some(number) = constant(op) {
            return Range::of([number]);
        }
        if let Some(op) = kernel::Unary::of(op) {
            return unary(op.function(), self.of(op.input(), depth));
        }
        if let Some(op) = kernel::Binary::of(op) {
            return self.binary(op, depth);
        }
        if let Some(op) = kernel::MulAcc::of(op) {
            let product = mul(self.of(op.lhs(), depth), self.of(op.rhs(), depth));
            return add(product, self.of(op.acc(), depth));
        }
        if let Some(cast) = kernel::Cast::of(op) {
            let is_float = |value: ValueId| {
                let elem = elem_of(self.ctx, self.body.value_type(value));
                [Type::F16, Type::BF16, Type::F32, Type::F64].contains(&elem)
            };
            let keeps = cast.bits().is_none() && is_float(cast.input()) && is_float(cast.out());
            return if keeps { self.of(cast.input(), depth) } else { Range::ALL };
        }
        if let Some(op) = kernel::Broadcast::of(op) {
            return self.of(op.input(), depth);
        }
        kernel::Select::of(op).map_or(Range::ALL, |op| self.select(op, depth))
    }

    fn binary(&mut self, op: kernel::Binary<'a>, depth: u32) -> Range {
        let (a, b) = (self.of(op.lhs(), depth), self.of(op.rhs(), depth));
        let number = |value: ValueId| constant(OpRef::new(self.ctx, self.body, self.body.defining_op(value)?));
        match op.function() {
            // A square.
            BinaryFn::Mul if op.lhs() == op.rhs() => Range { least: 0.0, most: a.size() * a.size() },
            // A magnitude.
            BinaryFn::Max if self.are_opposite(op.lhs(), op.rhs()) => Range { least: 0.0, most: a.size() },
            BinaryFn::Add => add(a, b),
            BinaryFn::Sub => add(a, negative(b)),
            BinaryFn::Mul => mul(a, b),
            // Of an infinity the number is left.
            BinaryFn::Max => match (number(op.lhs()), number(op.rhs())) {
                (Some(number), _) | (_, Some(number)) => Range { least: number, most: a.most.max(b.most) },
                _ => Range::ALL,
            },
            BinaryFn::Min => match (number(op.lhs()), number(op.rhs())) {
                (Some(number), _) | (_, Some(number)) => Range { least: a.least.min(b.least), most: number },
                _ => Range::ALL,
            },
            _ => Range::ALL,
        }
    }

    /// One of two numbers. Where the sign of one of them decides, it is on its side of zero.
    fn select(&mut self, op: kernel::Select<'a>, depth: u32) -> Range {
        let (mut yes, mut no) = (self.of(op.yes(), depth), self.of(op.no(), depth));
        let compared = op.cond().and_then(|cond| self.body.defining_op(cond));
        let compared = compared.and_then(|compared| kernel::Binary::of(OpRef { id: compared, ..*op }));
        if let Some(compared) = compared.filter(|compared| compared.function() == BinaryFn::Lt) {
            let zero = self.body.defining_op(compared.rhs()).and_then(|zero| constant(OpRef { id: zero, ..*op }));
            if zero == Some(0.0) && op.no() == compared.lhs() {
                no.least = no.least.max(0.0);
            }
            if zero == Some(0.0) && self.are_opposite(op.yes(), compared.lhs()) {
                yes.least = yes.least.max(0.0);
            }
        }
        Range { least: yes.least.min(no.least), most: yes.most.max(no.most) }
    }

    /// Whether one of two values is the negative of the other.
    fn are_opposite(&self, a: ValueId, b: ValueId) -> bool {
        let negated = |value: ValueId| {
            let op = kernel::Unary::of(OpRef::new(self.ctx, self.body, self.body.defining_op(value)?))?;
            (op.function() == UnaryFn::Neg).then(|| op.input())
        };
        negated(a) == Some(b) || negated(b) == Some(a)
    }
}

/// The float that an op makes.
fn constant(op: OpRef<'_>) -> Option<f64> {
    Datum::of_attr(op.ctx, kernel::Const::of(op)?.value())?.as_float().filter(|number| number.is_finite())
}

fn negative(x: Range) -> Range {
    Range { least: -x.most, most: -x.least }
}

fn add(a: Range, b: Range) -> Range {
    Range { least: a.least + b.least, most: a.most + b.most }
}

fn mul(a: Range, b: Range) -> Range {
    // Zero times a bound that is none is zero: infinities do not count.
    let product = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
    let all = [(a.least, b.least), (a.least, b.most), (a.most, b.least), (a.most, b.most)];
    Range::of(all.map(|(x, y)| product(x, y)))
}

fn unary(function: UnaryFn, x: Range) -> Range {
    match function {
        UnaryFn::Neg => negative(x),
        UnaryFn::Relu => Range { least: x.least.max(0.0), most: x.most.max(0.0) },
        UnaryFn::Trunc => Range { least: x.least.trunc(), most: x.most.trunc() },
        UnaryFn::Exp2 => Range { least: 0.0, most: x.most.exp2() },
        UnaryFn::Sqrt => Range { least: 0.0, most: x.most.max(0.0).sqrt() },
        UnaryFn::Sin => Range { least: -1.0, most: 1.0 },
        // That of an infinity is zero.
        UnaryFn::Recip if x.least > 0.0 => Range { least: 0.0, most: 1.0 / x.least },
        UnaryFn::Recip | UnaryFn::Log2 | UnaryFn::Tf32 | UnaryFn::Tf32High | UnaryFn::Tf32Low => Range::ALL,
    }
}
