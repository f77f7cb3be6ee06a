//! What a contribution to a sum is as a product of powers of two and other factors.

use std::cell::Cell;

use dlc_core::scalar;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::entity::SideTable;
use dlc_ir::interp::Datum;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, BroadcastInDim, Cast, Const, Select, Transpose, Unary};
use dlc_region::types::Value;
use dlc_region::verify::axes_of;

use crate::analysis::value_numbers::{Numbers, number};

/// How many ops are looked at for one contribution: more is no formula that anybody writes.
const BUDGET: u32 = 500;

/// A contribution to a sum, `2^(scale*(s - max)) * inside * outside`.
#[derive(Default, Debug)]
pub struct Term {
    /// What the difference from the maximum is multiplied by; zero where the contribution does not depend on it.
    pub scale: f64,
    /// What does not depend on the maximum.
    pub inside: Vec<Factor>,
    /// What is the same along the axes that are reduced.
    pub outside: Vec<Factor>,
    /// Whether the product is negated.
    pub negative: bool,
    /// The types narrower than the sum that the program rounds to on the way.
    pub rounded: Vec<Type>,
    /// What stands in place of a maximum that is not finite, if something does.
    pub instead: Option<Instead>,
}

/// A number in place of a maximum that is not finite, as programs have it so that no infinity is subtracted from itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Instead {
    /// Whether the maximum is finite.
    pub is_finite: ValueId,
    /// The number.
    pub number: f64,
}

/// A factor.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// The number.
    pub value: ValueId,
    /// Whether it divides.
    pub divides: bool,
}

/// What is known of a region in view of a maximum.
pub struct Algebra<'a> {
    ctx: &'a Context,
    body: &'a Body,
    /// The maximum.
    top: ValueId,
    /// The numbers of what it is the maximum of, and of what this is a cast of.
    scores: SmallVec<[u32; 4]>,
    /// The axes that are reduced.
    axes: Vec<String>,
    pub numbers: Numbers,
    depends: SideTable<ValueId, bool>,
    budget: Cell<u32>,
}

impl<'a> Algebra<'a> {
    /// Looks at a region in view of the maximum `max` of `score`.
    pub fn new(ctx: &'a Context, body: &'a Body, max: OpId, score: ValueId, axes: &[&str]) -> Algebra<'a> {
        let numbers = number(body);
        let top = body.result(max, 0);
        let mut depends = SideTable::new(false);
        *depends.get_mut(top) = true;
        let mut inner = Vec::new();
        for op in body.walk() {
            inner.clear();
            inner.push(op);
            body.walk_regions(op, &mut inner);
            let tainted = inner.iter().any(|&op| body.operands(op).any(|value| *depends.get(value)));
            if tainted {
                body.results(op).for_each(|value| *depends.get_mut(value) = true);
            }
        }
        let mut scores = SmallVec::new();
        let mut next = Some(score);
        while let Some(value) = next {
            scores.push(*numbers.get(value));
            next = cast_of_float(ctx, body, value);
        }
        let axes = axes.iter().map(|axis| axis.to_string()).collect();
        Algebra { ctx, body, top, scores, axes, numbers, depends, budget: Cell::new(0) }
    }

    /// Whether a value depends on the maximum.
    pub fn depends(&self, value: ValueId) -> bool {
        *self.depends.get(value)
    }

    /// A contribution to a sum in the type `acc`. An error in words where it is no such product.
    pub fn term(&self, value: ValueId, acc: Type) -> Result<Term, String> {
        self.budget.set(BUDGET);
        let mut term = Term::default();
        self.product(value, false, &mut term)?;
        term.rounded.retain(|ty| ty.bits(self.ctx) < acc.bits(self.ctx));
        let weighted = term.scale != 0.0 || !self.depends(value);
        if !weighted {
            return Err("it has no exponential below the maximum as a factor".into());
        }
        if term.scale < 0.0 || !term.scale.is_finite() {
            return Err("its weights grow with the distance from the maximum".into());
        }
        if term.instead.is_some() && !term.inside.is_empty() {
            return Err("its exponent has a number instead of infinite maxima, and it has other factors".into());
        }
        Ok(term)
    }

    fn elem(&self, value: ValueId) -> Type {
        Value::expect(self.ctx, self.body.value_type(value)).elem(self.ctx)
    }

    fn def(&self, value: ValueId) -> Option<OpRef<'a>> {
        self.body.defining_op(value).map(|op| OpRef::new(self.ctx, self.body, op))
    }

    fn spend(&self) -> Result<(), String> {
        let left = self.budget.get().checked_sub(1).ok_or("its formula is too long to be looked through")?;
        self.budget.set(left);
        Ok(())
    }

    /// Multiplies a term by a value, or divides it.
    fn product(&self, value: ValueId, divides: bool, term: &mut Term) -> Result<(), String> {
        self.spend()?;
        let axes = axes_of(self.ctx, self.body.value_type(value));
        if !axes.iter().any(|axis| self.axes.iter().any(|reduced| reduced == axis)) {
            term.outside.push(Factor { value, divides });
            return Ok(());
        }
        if !self.depends(value) {
            term.inside.push(Factor { value, divides });
            return Ok(());
        }
        let Some(op) = self.def(value) else { return Err("it is the argument of a block".into()) };
        let elem = self.elem(value);
        if elem.float_kind(self.ctx).is_none() {
            return Err(format!("the maximum goes into it through numbers of type {}", elem.display(self.ctx)));
        }
        if Binary::of(op).is_none_or(|op| op.widen().is_none()) {
            term.rounded.push(elem);
        }
        if let Some(input) = cast_of_float(self.ctx, self.body, value) {
            return self.product(input, divides, term);
        }
        if let Some(input) = moved(op) {
            return self.product(input, divides, term);
        }
        if let Some(unary) = Unary::of(op) {
            match unary.function() {
                scalar::Unary::Neg => {
                    term.negative = !term.negative;
                    return self.product(unary.input(), divides, term);
                }
                scalar::Unary::Recip => return self.product(unary.input(), !divides, term),
                scalar::Unary::Exp2 => {
                    let (score, top) = self.linear(unary.input(), term)?;
                    if score != -top {
                        return Err(format!("the exponent is {score} * s + {top} * max, not a multiple of s - max"));
                    }
                    term.scale += if divides { -score } else { score };
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Some(binary) = Binary::of(op) {
            let inverse = match binary.function() {
                scalar::Binary::Mul => Some(divides),
                scalar::Binary::Fdiv => Some(!divides),
                _ => None,
            };
            if let Some(inverse) = inverse {
                self.product(binary.lhs(), divides, term)?;
                return self.product(binary.rhs(), inverse, term);
            }
        }
        Err(format!("the maximum goes into it through {}, not only through products with exponentials", word(op)))
    }

    /// A value as `a*s + b*max`: `(a, b)`.
    fn linear(&self, value: ValueId, term: &mut Term) -> Result<(f64, f64), String> {
        self.spend()?;
        let number = *self.numbers.get(value);
        if number == *self.numbers.get(self.top) {
            return Ok((0.0, 1.0));
        }
        if self.scores.contains(&number) {
            return Ok((1.0, 0.0));
        }
        let Some(op) = self.def(value) else { return Err("an exponent has the argument of a block in it".into()) };
        if let Some(instead) = self.instead(op) {
            if *term.instead.get_or_insert(instead) != instead {
                return Err("infinite maxima have several numbers in their place".into());
            }
            return Ok((0.0, 1.0));
        }
        term.rounded.push(self.elem(value));
        if let Some(input) = cast_of_float(self.ctx, self.body, value).or_else(|| moved(op)) {
            return self.linear(input, term);
        }
        if let Some(unary) = Unary::of(op)
            && unary.function() == scalar::Unary::Neg
        {
            let (score, top) = self.linear(unary.input(), term)?;
            return Ok((-score, -top));
        }
        if let Some(binary) = Binary::of(op) {
            let (lhs, rhs) = (binary.lhs(), binary.rhs());
            let scaled = |(score, top): (f64, f64), by: f64| (score * by, top * by);
            match binary.function() {
                function @ (scalar::Binary::Add | scalar::Binary::Sub) => {
                    let sign = if function == scalar::Binary::Add { 1.0 } else { -1.0 };
                    let (a, b) = (self.linear(lhs, term)?, scaled(self.linear(rhs, term)?, sign));
                    return Ok((a.0 + b.0, a.1 + b.1));
                }
                scalar::Binary::Mul => {
                    if let Some(by) = self.constant(rhs) {
                        return Ok(scaled(self.linear(lhs, term)?, by));
                    }
                    if let Some(by) = self.constant(lhs) {
                        return Ok(scaled(self.linear(rhs, term)?, by));
                    }
                }
                scalar::Binary::Fdiv => {
                    if let Some(by) = self.constant(rhs).filter(|&by| by != 0.0) {
                        return Ok(scaled(self.linear(lhs, term)?, 1.0 / by));
                    }
                }
                _ => {}
            }
        }
        Err(format!("the exponent has {} in it that is neither the maximum nor what it is of", word(op)))
    }

    /// `select |max| < inf then max else number`.
    fn instead(&self, op: OpRef<'_>) -> Option<Instead> {
        let [is_finite, max, other] = chosen(op)?;
        let same = |a: ValueId, b: ValueId| self.numbers.get(a) == self.numbers.get(b);
        let below = self.binary(is_finite, scalar::Binary::Lt)?;
        let is_infinite = self.constant(below[1]) == Some(f64::INFINITY);
        let is_negated = |value: ValueId| {
            let unary = self.def(value).and_then(Unary::of);
            unary.is_some_and(|unary| unary.function() == scalar::Unary::Neg && same(unary.input(), self.top))
        };
        let magnitude = below[0];
        let is_larger =
            |[a, b]: [ValueId; 2]| (same(a, self.top) && is_negated(b)) || (same(b, self.top) && is_negated(a));
        let is_chosen = || {
            let [is_negative, below, above] = chosen(self.def(magnitude)?)?;
            let [value, zero] = self.binary(is_negative, scalar::Binary::Lt)?;
            let is_below = same(value, self.top) && self.constant(zero) == Some(0.0);
            Some(is_below && is_negated(below) && same(above, self.top))
        };
        let is_magnitude =
            self.binary(magnitude, scalar::Binary::Max).is_some_and(is_larger) || is_chosen() == Some(true);
        let number = self.constant(other).filter(|number| number.is_finite())?;
        (is_infinite && is_magnitude && same(max, self.top)).then_some(Instead { is_finite, number })
    }

    /// The operands of a function of two.
    fn binary(&self, value: ValueId, function: scalar::Binary) -> Option<[ValueId; 2]> {
        let op = self.def(value).and_then(Binary::of)?;
        (op.function() == function).then(|| [op.lhs(), op.rhs()])
    }

    /// A number that is written in the program.
    fn constant(&self, mut value: ValueId) -> Option<f64> {
        for _ in 0..BUDGET {
            let op = self.def(value)?;
            if let Some(constant) = Const::of(op) {
                return match Datum::of_attr(self.ctx, constant.value())? {
                    Datum::Int(number) => Some(number as f64),
                    other => other.as_float(),
                };
            }
            value = cast_of_float(self.ctx, self.body, value).or_else(|| moved(op))?;
        }
        None
    }
}

/// The condition of a `select` that is a value, what is taken where it holds, and where not.
fn chosen(op: OpRef<'_>) -> Option<[ValueId; 3]> {
    let select = Select::of(op).filter(|select| select.guard().is_none())?;
    <[ValueId; 3]>::try_from(select.operands().collect::<Vec<_>>()).ok()
}

/// What a float is a cast of, if that is a float as well.
fn cast_of_float(ctx: &Context, body: &Body, value: ValueId) -> Option<ValueId> {
    let cast = Cast::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
    let is_float = |value: ValueId| {
        Value::of(ctx, body.value_type(value)).is_some_and(|ty| ty.elem(ctx).float_kind(ctx).is_some())
    };
    (cast.bits().is_none() && is_float(cast.input()) && is_float(value)).then_some(cast.input())
}

/// What is only moved to other axes.
fn moved(op: OpRef<'_>) -> Option<ValueId> {
    BroadcastInDim::of(op).map(BroadcastInDim::input).or_else(|| Transpose::of(op).map(Transpose::input))
}

/// How an op is called in a remark.
fn word(op: OpRef<'_>) -> String {
    let name = op.name().trim_start_matches("region.");
    match op.prop_named("function").and_then(|function| function.as_str(op.ctx)) {
        Some(function) => format!("a '{function}'"),
        None => format!("a '{name}'"),
    }
}
