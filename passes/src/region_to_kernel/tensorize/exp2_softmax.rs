//! Online softmax whose weights are powers of two, `2^(c*(s - m))`: a score becomes a weight by one `fma` and one `exp2`,
//! `2^(c*s + (-c*m))`, where the program has a difference, a product, an `exp2` and a `select`.
//!
//! - A positive number that scores are multiplied by goes into `c`: the maximum runs over what is multiplied.
//! - The maximum begins with a finite number so low that it is of no use as a score, so that it has a difference to
//!   everything: a hidden score, `-inf`, has the weight 0 before the first one that counts, too. Rows in which none
//!   counts have the maximum `-inf` in the end.
//! - The sums are rescaled only by warps that have a row whose maximum has grown by more than a factor of
//!   2^8 in the weights, as long as nothing asks what the maximum is (Dao, "FlashAttention-2", 2023; the FlashAttention-4
//!   kernels): sums and their weights are of one maximum all the time, which need not be the last.

use dlc_core::scalar::{self, Combiner};
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Builder, Context, Type, ValueId};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Binary, Reduce};

use super::axes::Dim;
use super::lower::{Lower, Lowered, Part, Result};
use super::mask::mask_of;
use super::stream::{Weighted, add, number_of, reduce_tile, scores};
use crate::analysis::axes::before_broadcasts;

/// How much larger weights may become than 1, as a power of two: every type of a product's left side has their sums.
const GROWTH: f64 = 8.0;
/// The power of two below which no score counts, by the largest factor of its row.
const LOWEST: f64 = 126.0;

/// How weights are computed.
pub struct Powers {
    /// `c`, of what scores are without their factor.
    scale: f64,
    /// The factor of scores, the value with it, and that without.
    factor: Option<(f64, ValueId, ValueId)>,
    /// What the maximum begins with.
    low: f64,
    /// What the maximum of no number is.
    none: f64,
    /// Whether a maximum may stay as it is while it grows by little.
    lazy: bool,
}

const ROW: [bool; 2] = [true, false];
const BOTH: [bool; 2] = [true, true];

impl Powers {
    /// Whether weights are such powers, and their sums may be rounded otherwise.
    pub fn of(lower: &Lower<'_, '_>, reduce: Reduce<'_>, found: &Weighted) -> Option<Powers> {
        let ctx = lower.ctx;
        let scale = found.scale.filter(|_| reduce.attr(ctx.intern_str("reassoc")).is_some())?;
        let (top, init) = (*reduce.acc().first()?, *reduce.init().to_vec().first()?);
        let score = found.contributions[0];
        let none = Datum::of_attr(ctx, init)?.as_float()?;
        if top != Type::F32 || none > f64::from(f32::MIN) {
            return None;
        }
        let factor = factor(lower, score, init);
        let scale = scale * factor.map_or(1.0, |(by, ..)| by);
        let low = -(LOWEST - scale.log2().ceil().max(0.0)).exp2();
        let fits = |number: f64| (number as f32).is_normal();
        let warps_alone = lower.scopes.last().is_some_and(|scope| scope.layout == Distributed::Wgmma);
        let is_part = |part: &Part| part.reduce == reduce.id && part.is_scale;
        let is_scale = lower.part.as_ref().is_some_and(is_part);
        let lazy = warps_alone && (is_scale || is_asked_nothing(ctx, lower.region, reduce.result(0)));
        (fits(scale) && fits(low) && fits(low * scale)).then_some(Powers { scale, factor, low, none, lazy })
    }

    /// What the maximum of a row begins with.
    pub fn start(&self, lower: &mut Lower<'_, '_>) -> ValueId {
        let ty = lower.ty(Type::F32, ROW);
        let low = number(lower, self.low);
        lower.emit.constant(low, ty)
    }

    /// The maximum in the end, of what the program takes it of.
    pub fn end(&self, lower: &mut Lower<'_, '_>, top: ValueId) -> ValueId {
        let (row, loc) = (lower.ty(Type::F32, ROW), lower.emit.loc);
        let low = constant(lower, self.low);
        let none = constant(lower, self.none);
        let empty = binary(lower, scalar::Binary::Eq, top, low, ROW, Type::I1);
        let whole = match self.factor {
            Some((by, ..)) => {
                let by = constant(lower, by);
                binary(lower, scalar::Binary::Mul, top, by, ROW, Type::F32)
            }
            None => top,
        };
        let mut builder = lower.emit.builder();
        let op = kernel::NewSelect { args: &[], cond: Some(empty), yes: none, no: whole, guard: None, out_type: row }
            .build(&mut builder, loc);
        lower.emit.body.result(op, 0)
    }

    /// What exists with a tile. The scope has rows and the tile as its axes.
    pub fn step(
        &self,
        lower: &mut Lower<'_, '_>,
        reduce: Reduce<'_>,
        (found, wide): (&Weighted, &[bool]),
        columns: Option<Dim>,
        carried: &[ValueId],
    ) -> Result<Vec<Lowered>> {
        lower.push_scope();
        if let Some((_, with, without)) = self.factor {
            let score = lower.value(without)?;
            let ids = lower.ids(with);
            lower.scope().known.insert(with, (score, ids));
        }
        let score = scores(lower, reduce, found.contributions[0], true)?;
        lower.scopes.pop();

        let tile_top = reduce_tile(lower, Combiner::Max, score.value);
        let top = binary(lower, scalar::Binary::Max, carried[0], tile_top.value, ROW, Type::F32);
        let scale = constant(lower, self.scale);
        let before = match self.lazy {
            true => self.weigh_if(lower, carried, top, scale)?,
            false => {
                let below = binary(lower, scalar::Binary::Sub, carried[0], top, ROW, Type::F32);
                let weight = binary(lower, scalar::Binary::Mul, below, scale, ROW, Type::F32);
                let weight = unary(lower, scalar::Unary::Exp2, weight);
                std::iter::once(top).chain(weigh(lower, &carried[1..], weight)).collect()
            }
        };
        let minus = constant(lower, -self.scale);
        let shift = binary(lower, scalar::Binary::Mul, before[0], minus, ROW, Type::F32);
        let shift = lower.spread(Lowered { value: shift, over: ROW }, BOTH);
        let (ty, loc) = (lower.ty(Type::F32, BOTH), lower.emit.loc);
        let op = kernel::MulAcc::build(&mut lower.emit.builder(), loc, score.value, scale, shift.value, ty);
        let power = lower.emit.body.result(op, 0);
        let power = unary(lower, scalar::Unary::Exp2, power);
        let weight = Lowered { value: power, over: BOTH };

        let mut values = vec![Lowered { value: before[0], over: ROW }];
        for (index, acc) in reduce.acc().into_iter().enumerate().skip(1) {
            let weight = lower.cast(weight, acc, false);
            let columns = columns.as_ref().filter(|_| wide[index]);
            values.push(add(lower, found.contributions[index], acc, weight, columns, Some(before[index]))?);
        }
        Ok(values)
    }

    /// The maximum and the sums: in warps that have a row whose maximum grows by much the new maximum, and sums below it.
    fn weigh_if(
        &self,
        lower: &mut Lower<'_, '_>,
        carried: &[ValueId],
        top: ValueId,
        scale: ValueId,
    ) -> Result<Vec<ValueId>> {
        let grown = binary(lower, scalar::Binary::Sub, top, carried[0], ROW, Type::F32);
        let growth = binary(lower, scalar::Binary::Mul, grown, scale, ROW, Type::F32);
        let limit = constant(lower, GROWTH);
        let much = binary(lower, scalar::Binary::Gt, growth, limit, ROW, Type::I1);
        lower.emit.set_name(much, "much");
        let types: Vec<Type> = carried.iter().map(|&value| lower.emit.body.value_type(value)).collect();
        let loc = lower.emit.loc;
        let op = kernel::WarpIf::build(&mut lower.emit.builder(), loc, much, &types);
        let regions = lower.emit.body.regions(op).to_vec();
        let [then, otherwise] = [0, 1].map(|at| lower.emit.body.append_block(regions[at]));
        let outside = std::mem::replace(&mut lower.emit.block, then);
        let less = unary(lower, scalar::Unary::Neg, growth);
        let weight = unary(lower, scalar::Unary::Exp2, less);
        let next: Vec<ValueId> = std::iter::once(top).chain(weigh(lower, &carried[1..], weight)).collect();
        kernel::Yield::build(&mut lower.emit.builder(), loc, &next);
        lower.emit.block = outside;
        let mut builder = Builder::new(lower.ctx, &mut lower.emit.body, InsertPoint::EndOf(otherwise));
        kernel::Yield::build(&mut builder, loc, carried);
        Ok(lower.emit.body.results(op).collect())
    }
}

/// The factor of scores, if it is a positive number: with the value that has it and the one that has not. Nothing else may
/// need either.
fn factor(lower: &Lower<'_, '_>, score: ValueId, none: Attr) -> Option<(f64, ValueId, ValueId)> {
    let (ctx, region) = (lower.ctx, lower.region);
    let seen = mask_of(lower, score, none).map_or(score, |mask| mask.seen);
    let with = before_broadcasts(ctx, region, seen);
    let product = Binary::of(OpRef::new(ctx, region, region.defining_op(with)?))?;
    if product.function() != scalar::Binary::Mul || product.widen().is_some() {
        return None;
    }
    let [lhs, rhs] = [product.lhs(), product.rhs()];
    let (by, without) = match (number_of(ctx, region, lhs), number_of(ctx, region, rhs)) {
        (None, Some(by)) => (by, lhs),
        (Some(by), None) => (by, rhs),
        _ => return None,
    };
    let alone = |value: ValueId| region.uses(value).count() == 1;
    let plain = lower.elem(without) == Type::F32 && lower.elem(with) == Type::F32;
    (by > 0.0 && by.is_finite() && plain && alone(with) && alone(without)).then_some((by, with, without))
}

/// Whether of a maximum nothing is used but whether it is finite: its difference to itself.
pub fn is_asked_nothing(ctx: &Context, region: &Body, top: ValueId) -> bool {
    region.uses(top).all(|used| {
        let op = Binary::of(OpRef::new(ctx, region, used.op));
        op.is_some_and(|op| op.function() == scalar::Binary::Sub && op.lhs() == top && op.rhs() == top)
    })
}

/// The combine step of an online softmax, element by element, where all weights are `2^(scale * (m - top))`: one of the two
/// maxima is the new one and has the weight 1, so one `exp2` gives both weights.
pub fn combine(lower: &mut Lower<'_, '_>, scale: f64, carried: &[ValueId], values: &[ValueId]) -> Vec<ValueId> {
    let both = |lower: &mut Lower<'_, '_>, function, lhs, rhs| binary(lower, function, lhs, rhs, BOTH, Type::F32);
    let (left, right) = (carried[0], values[0]);
    let top = both(lower, scalar::Binary::Max, left, right);
    let low = both(lower, scalar::Binary::Min, left, right);
    let below = both(lower, scalar::Binary::Sub, low, top);
    let scale = constant(lower, scale);
    let scaled = both(lower, scalar::Binary::Mul, below, scale);
    let power = unary(lower, scalar::Unary::Exp2, scaled);
    let one = constant(lower, 1.0);
    // Of equal maxima, infinite ones too, both weights are one.
    let [of_left, of_right] = [[left, right], [right, left]].map(|[side, other]| {
        let is_top = binary(lower, scalar::Binary::Ge, side, other, BOTH, Type::I1);
        let (loc, out_type) = (lower.emit.loc, lower.ty(Type::F32, BOTH));
        let op = kernel::NewSelect { args: &[], cond: Some(is_top), yes: one, no: power, guard: None, out_type }
            .build(&mut lower.emit.builder(), loc);
        lower.emit.body.result(op, 0)
    });
    let sums = carried[1..].iter().zip(&values[1..]).map(|(&sum, &value)| {
        let [left, right] =
            [(sum, of_left), (value, of_right)].map(|(sum, weight)| both(lower, scalar::Binary::Mul, sum, weight));
        both(lower, scalar::Binary::Add, left, right)
    });
    std::iter::once(top).chain(sums).collect()
}

/// Sums, by a weight of their rows.
fn weigh(lower: &mut Lower<'_, '_>, sums: &[ValueId], weight: ValueId) -> Vec<ValueId> {
    let loc = lower.emit.loc;
    let mut weighed = Vec::new();
    for &sum in sums {
        let ty = lower.emit.body.value_type(sum);
        let mut by = weight;
        if ty != lower.emit.body.value_type(weight) {
            let op = kernel::Broadcast::build(&mut lower.emit.builder(), loc, weight, 1, ty);
            by = lower.emit.body.result(op, 0);
        }
        let op = kernel::Binary::build(&mut lower.emit.builder(), loc, sum, by, scalar::Binary::Mul, ty);
        weighed.push(lower.emit.body.result(op, 0));
    }
    weighed
}

fn binary(
    lower: &mut Lower<'_, '_>,
    function: scalar::Binary,
    lhs: ValueId,
    rhs: ValueId,
    over: [bool; 2],
    elem: Type,
) -> ValueId {
    let (ty, loc) = (lower.ty(elem, over), lower.emit.loc);
    let op = kernel::Binary::build(&mut lower.emit.builder(), loc, lhs, rhs, function, ty);
    lower.emit.body.result(op, 0)
}

fn unary(lower: &mut Lower<'_, '_>, function: scalar::Unary, value: ValueId) -> ValueId {
    let loc = lower.emit.loc;
    let op = kernel::Unary::build(&mut lower.emit.builder(), loc, value, function);
    lower.emit.body.result(op, 0)
}

fn number(lower: &Lower<'_, '_>, number: f64) -> Attr {
    Datum::Float(number).to_attr(lower.ctx, Type::F32).expect("a float is an attribute")
}

fn constant(lower: &mut Lower<'_, '_>, value: f64) -> ValueId {
    let value = number(lower, value);
    lower.emit.constant(value, Type::F32)
}
