//! Online softmax, a tile at a time (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018), and with a product of matrices after it attention as one kernel (Dao et al.,
//! "FlashAttention", 2022).
//!
//! A reduction has accumulators `m, a, b, ..` whose first is a maximum or minimum, and whose others are sums that are
//! weighted by how far from it they were: `a = a0 * w(m0, m) + a1 * w(m1, m)`. What a tile of contributions `s, x, y, ..`
//! gives is then `m = max s`, `a = sum of w(s, m) * x`, and so on, which is combined with what there was as any
//! contribution is. In place of a weight a condition may decide whether what there was counts at all, as in an argmax:
//! `a = f(m0 == m ? a0 : none, m1 == m ? a1 : none)`, with any combiner `f`.

use dlc_core::guard::Guard;
use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::OpRef;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Binary, Const, Reduce, Select, Unary, Yield};
use dlc_region::verify::axes_of;
use rustc_hash::FxHashSet;

use super::contract::{Left, accumulate, copied, stagger, staggered};
use super::exp2_softmax::{self, Powers};
use super::lower::{Lower, Lowered, Result};
use super::mask::{mask_of, whole_steps};
use super::report::Of;
use crate::analysis::axes::before_broadcasts;
use crate::analysis::numbers::function;

/// Accumulators that are combined below a maximum, or above a minimum.
pub struct Weighted {
    /// What is combined, for each accumulator.
    pub contributions: Vec<ValueId>,
    /// Whether the first is a maximum or a minimum.
    extremum: Combiner,
    /// In the region that combines: the maximum of the right side, the new maximum, and what each accumulator of the right
    /// side counts for below it.
    right: ValueId,
    top: ValueId,
    shares: Vec<Share>,
    /// The maximum of the left side, and its weight for each sum, where those are functions of both alone. Empty where
    /// conditions decide.
    left: Option<(ValueId, Vec<ValueId>)>,
    /// `c`, if all weights are `2^(c*(m0 - m))`, of equal maxima 1.
    pub scale: Option<f64>,
}

/// What an accumulator of one side counts for below the maximum of both.
enum Share {
    /// This weight times what it is; such products are added.
    Weight(ValueId),
    /// What it is, or nothing.
    Chosen {
        /// The accumulator of the right side.
        of: ValueId,
        /// A `select` of that and of what changes nothing.
        select: ValueId,
        combiner: Combiner,
    },
}

impl Weighted {
    /// Whether all accumulators but the first are weighted sums.
    pub fn has_sums(&self) -> bool {
        self.shares.iter().all(|share| matches!(share, Share::Weight(_)))
    }
}

/// Whether a reduction is one of those.
pub fn weighted(ctx: &dlc_ir::Context, region: &dlc_ir::Body, id: OpId) -> Option<Weighted> {
    let reduce = Reduce::of(OpRef::new(ctx, region, id))?;
    let [body, combine] = *reduce.regions() else { return None };
    let (body, combine) = (region.first_block(body)?, region.first_block(combine)?);
    let end = |block| Yield::of(OpRef::new(ctx, region, region.last_op(block)?));
    let contributions: Vec<ValueId> = end(body)?.values().collect();
    let next: Vec<ValueId> = end(combine)?.values().collect();
    let args = region.args(combine);
    let count = contributions.len();
    if reduce.combiner().is_some() || next.len() != count || args.len() != 2 * count || count < 2 {
        return None;
    }
    let binary = |value: ValueId, function: scalar::Binary| {
        let value = before_broadcasts(ctx, region, value);
        let op = Binary::of(OpRef::new(ctx, region, region.defining_op(value)?))?;
        let sides = [op.lhs(), op.rhs()].map(|side| before_broadcasts(ctx, region, side));
        (op.function() == function).then_some(sides)
    };
    let extremum = [Combiner::Max, Combiner::Min].into_iter().find_map(|it| Some((it, binary(next[0], function(it))?)));
    let (extremum, sides) = extremum?;
    if sides != [args[0], args[count]] && sides != [args[count], args[0]] {
        return None;
    }
    // Of `a * w`, `w`.
    let weight = |product: ValueId, of: ValueId| {
        let [lhs, rhs] = binary(product, scalar::Binary::Mul)?;
        if lhs == of { Some(rhs) } else { (rhs == of).then_some(lhs) }
    };
    let (mut shares, mut lefts) = (Vec::new(), Vec::new());
    let halves = [[args[0], next[0]], [args[count], next[0]]];
    for index in 1..count {
        let (left, right) = (args[index], args[count + index]);
        let none = reduce.init()[index];
        if let Some((select, combiner)) = chosen(ctx, region, next[index], [left, right], (halves, none)) {
            shares.push(Share::Chosen { of: right, select, combiner });
            continue;
        }
        let [lhs, rhs] = binary(next[index], scalar::Binary::Add)?;
        let pair = |a: ValueId, b: ValueId| Some((weight(a, left)?, weight(b, right)?));
        let (of_left, of_right) = pair(lhs, rhs).or_else(|| pair(rhs, lhs))?;
        if !depends_only(ctx, region, of_right, &halves[1]) {
            return None;
        }
        shares.push(Share::Weight(of_right));
        lefts.extend(depends_only(ctx, region, of_left, &halves[0]).then_some(of_left));
    }
    let weights: Vec<ValueId> = shares
        .iter()
        .filter_map(|share| match share {
            Share::Weight(weight) => Some(*weight),
            Share::Chosen { .. } => None,
        })
        .collect();
    // Weights are of sums below a maximum.
    if !weights.is_empty() && (extremum != Combiner::Max || weights.len() < shares.len()) {
        return None;
    }
    let scales = weights.iter().map(|&weight| power_of(ctx, region, weight, halves[1]));
    let lower = lefts.iter().map(|&weight| power_of(ctx, region, weight, halves[0]));
    let scales: Option<Vec<f64>> = scales.chain(lower).collect();
    let first = scales.and_then(|scales| scales.iter().all(|it| *it == scales[0]).then(|| scales.first().copied()));
    let left = (lefts.len() == weights.len()).then_some((args[0], lefts));
    Some(Weighted { contributions, extremum, right: args[count], top: next[0], shares, left, scale: first.flatten() })
}

/// The `select` of the right side and the combiner, where an accumulator becomes `f(c0 ? left : none, c1 ? right : none)`, and
/// each condition is a function of the maximum of its side and of the new one.
fn chosen(
    ctx: &dlc_ir::Context,
    region: &dlc_ir::Body,
    value: ValueId,
    of: [ValueId; 2],
    (maxima, none): ([[ValueId; 2]; 2], Attr),
) -> Option<(ValueId, Combiner)> {
    let op = |value: ValueId| {
        let value = before_broadcasts(ctx, region, value);
        region.defining_op(value).map(|op| OpRef::new(ctx, region, op))
    };
    let both = Binary::of(op(value)?)?;
    let acc = crate::analysis::axes::elem(ctx, region, of[0]);
    let all = [Combiner::Min, Combiner::Max, Combiner::Sum, Combiner::Prod];
    let combiner = all.into_iter().find(|&it| function(it) == both.function())?;
    if none != scalar::identity_of(ctx, combiner, acc) {
        return None;
    }
    let is_kept = |value: ValueId, half: usize| {
        let select = op(value).and_then(Select::of).filter(|select| select.guard().is_none());
        let operands: Vec<ValueId> = select.into_iter().flat_map(|select| select.operands()).collect();
        let &[condition, yes, no] = operands.as_slice() else { return false };
        let is_none = op(no).and_then(Const::of).is_some_and(|no| no.value() == none);
        let yes = before_broadcasts(ctx, region, yes);
        yes == of[half] && is_none && depends_only(ctx, region, condition, &maxima[half])
    };
    let sides = [both.lhs(), both.rhs()];
    let right = [1, 0].into_iter().find(|&at| is_kept(sides[at], 1) && is_kept(sides[1 - at], 0))?;
    Some((sides[right], combiner))
}

/// `c` of a weight `2^(c*(side - top))`, or of one that is this where both are not equal, and else 1.
fn power_of(ctx: &dlc_ir::Context, region: &dlc_ir::Body, weight: ValueId, [side, top]: [ValueId; 2]) -> Option<f64> {
    let op = |value: ValueId| {
        let value = before_broadcasts(ctx, region, value);
        region.defining_op(value).map(|op| OpRef::new(ctx, region, op))
    };
    let is = |value: ValueId, other: ValueId| before_broadcasts(ctx, region, value) == other;
    let mut power = op(weight)?;
    if let Some(select) = Select::of(power) {
        let operands: Vec<ValueId> = select.operands().collect();
        let (&[same, one, other], None) = (operands.as_slice(), select.guard()) else { return None };
        let same = Binary::of(op(same)?).filter(|same| same.function() == scalar::Binary::Eq)?;
        let equal = (is(same.lhs(), side) && is(same.rhs(), top)) || (is(same.lhs(), top) && is(same.rhs(), side));
        if !equal || number_of(ctx, region, one) != Some(1.0) {
            return None;
        }
        power = op(other)?;
    }
    let power = Unary::of(power).filter(|power| power.function() == scalar::Unary::Exp2)?;
    let mut below = Binary::of(op(power.input())?)?;
    let mut scale = 1.0;
    if below.function() == scalar::Binary::Mul {
        scale = number_of(ctx, region, below.rhs())?;
        below = Binary::of(op(below.lhs())?)?;
    }
    let differs = below.function() == scalar::Binary::Sub && is(below.lhs(), side) && is(below.rhs(), top);
    (differs && scale > 0.0 && scale.is_finite()).then_some(scale)
}

/// The number that a value is, broadcasts aside.
pub fn number_of(ctx: &dlc_ir::Context, region: &dlc_ir::Body, value: ValueId) -> Option<f64> {
    let value = before_broadcasts(ctx, region, value);
    let op = Const::of(OpRef::new(ctx, region, region.defining_op(value)?))?;
    Datum::of_attr(ctx, op.value())?.as_float()
}

/// Whether a value is a function of some others and of numbers.
fn depends_only(ctx: &dlc_ir::Context, region: &dlc_ir::Body, value: ValueId, on: &[ValueId]) -> bool {
    let (mut work, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = work.pop() {
        if on.contains(&value) || !seen.insert(value) {
            continue;
        }
        let Some(op) = region.defining_op(value) else { return false };
        let op = OpRef::new(ctx, region, op);
        if op.is(dlc_region::ops::Read::DEF) || op.is(Reduce::DEF) {
            return false;
        }
        work.extend(op.operands());
    }
    true
}

/// The reduction a tile at a time, where fragments have an axis for it; `None` where they have not.
pub fn lower(lower: &mut Lower<'_, '_>, id: OpId) -> Result<Option<Vec<Lowered>>> {
    let ctx = lower.ctx;
    let Some(found) = weighted(ctx, lower.region, id) else { return Ok(None) };
    let reduce = Reduce::from(OpRef::new(ctx, lower.region, id));
    let axes: Vec<(String, SizeExpr)> = reduce.axes().into_iter().map(String::from).zip(reduce.sizes()).collect();
    let [axis] = axes.as_slice() else { return Ok(None) };
    let [rows, columns] = lower.scope().dims.clone();
    let Some(rows) = rows else { return Ok(None) };
    let is_axis = |dim: &super::axes::Dim| dim.axes.len() == 1 && dim.axes[0].0 == axis.0;
    let held = columns.as_ref().is_some_and(|dim| is_axis(dim) && dim.base.as_constant() == Some(0));
    let over_columns = |lower: &Lower<'_, '_>, value: ValueId| {
        let axes = axes_of(ctx, lower.region.value_type(value));
        !held && columns.as_ref().is_some_and(|dim| dim.axes.iter().any(|(name, _)| axes.contains(&name.as_str())))
    };
    let wide: Vec<bool> = found.contributions.iter().map(|&value| over_columns(lower, value)).collect();
    if wide[0] || (wide.contains(&true) && !found.has_sums()) {
        return Ok(None);
    }
    let tile = match (&lower.tiling.matrix, lower.tiling.reduction_tile) {
        (_, along) if along > 1 && !wide.contains(&true) => along,
        (Some(matrix), _) => {
            let most = matrix.depth_of(&[&axis.0]);
            crate::plan::tiling::tile_of(&axis.1, most, most).max(16)
        }
        _ => return Ok(None),
    };
    let overs: Vec<[bool; 2]> = wide.iter().map(|&wide| [true, wide]).collect();
    if held {
        // The initial numbers change nothing, so that a row that is there as a whole is the result.
        return contributions(lower, reduce, &found, &wide, None, None).map(Some);
    }
    if found.left.is_some() && lower.tiling.matrix.is_none() && !wide.contains(&true) {
        return by_lanes(lower, reduce, &found, axis, (rows, tile)).map(Some);
    }
    // A product adds to what is there, which is weighted first: then sums are of the new maximum at once.
    let runs = found.left.is_some() && wide.contains(&true);
    let powers = Powers::of(lower, reduce, &found).filter(|_| runs);
    let inits: Vec<ValueId> = {
        let numbers: Vec<_> = reduce.acc().into_iter().zip(reduce.init().to_vec()).zip(&overs).collect();
        let mut inits = Vec::new();
        for ((elem, init), &over) in numbers {
            let start = powers.as_ref().filter(|_| inits.is_empty());
            let ty = lower.ty(elem, over);
            inits.push(match start {
                Some(powers) => powers.start(lower),
                None => lower.emit.constant(init, ty),
            });
        }
        inits
    };
    // Before and after what is hidden from all rows there is nothing to do.
    let mask = mask_of(lower, found.contributions[0], reduce.init().to_vec()[0]);
    let ends = mask.as_ref().filter(|_| wide.contains(&true));
    let begin = ends.and_then(|mask| mask.begin(lower, &axis.0, &rows));
    let end = ends.and_then(|mask| mask.end(lower, &axis.0, &rows));
    let last = match end {
        Some(end) => {
            let (all, end) = (lower.emit.index(&axis.1)?, lower.emit.index(&end)?);
            let loc = lower.emit.loc;
            let op = kernel::Min::build(&mut lower.emit.builder(), loc, all, end);
            let least = lower.emit.body.result(op, 0);
            lower.emit.set_name(least, "end");
            lower.emit.name(least)
        }
        None => axis.1.clone(),
    };
    // The steps of a whole row may be taken in any order; those of a part are in turn with those of the others.
    let is_part = lower.part.as_ref().is_some_and(|part| part.reduce == id);
    let start = whole_steps(lower, begin.into_iter().filter(|_| !is_part).collect(), tile)?;
    let open = lower.open_axis(id, (&axis.0, &axis.1), [&start, &last], tile, &inits)?;
    let first = match mask.is_none() && !is_part && wide.contains(&true) {
        true => stagger(lower, &axis.1, tile, &[&axis.0])?,
        false => None,
    };
    let base = staggered(lower, open.counter, first, &axis.1, tile)?;
    let dim = lower.dim(vec![axis.clone()], base, tile)?;
    lower.push_scope();
    lower.scope().dims = [Some(rows), Some(dim)];
    let values = match &powers {
        Some(powers) => powers.step(lower, reduce, (&found, &wide), columns.clone(), &open.carried)?,
        None => contributions(lower, reduce, &found, &wide, columns.clone(), runs.then_some(&open.carried[..]))?,
    };
    lower.scopes.pop();
    let next = match runs {
        true => values.into_iter().map(|value| value.value).collect(),
        false => {
            lower.push_scope();
            lower.scope().known.clear();
            let next = lower.combine_values(reduce, &overs, &open.carried, &values)?;
            lower.scopes.pop();
            next
        }
    };
    let mut results = lower.emit.close_loop(open, &next);
    if let Some(powers) = &powers {
        results[0] = powers.end(lower, results[0]);
    }
    let results = results.into_iter().zip(overs).map(|(value, over)| Lowered { value, over });
    Ok(Some(results.collect()))
}

/// The reduction where the lanes and warps of a block share the axis: each element of a fragment has accumulators of its own,
/// which are combined across threads once, after the loop. So no step waits for other threads.
fn by_lanes(
    lower: &mut Lower<'_, '_>,
    reduce: Reduce<'_>,
    found: &Weighted,
    axis: &(String, SizeExpr),
    (rows, tile): (super::axes::Dim, u32),
) -> Result<Vec<Lowered>> {
    let (acc, init, both) = (reduce.acc(), reduce.init().to_vec(), [true, true]);
    let overs = vec![both; acc.len()];
    lower.push_scope();
    // The type of what is carried needs the tile; where it begins, the loop says.
    let dim = lower.dim(vec![axis.clone()], SizeExpr::from(0), tile)?;
    lower.scope().dims = [Some(rows.clone()), Some(dim)];
    let mut inits = Vec::new();
    for (&elem, &init) in acc.iter().zip(&init) {
        let ty = lower.ty(elem, both);
        inits.push(lower.emit.constant(init, ty));
    }
    let open = lower.open_axis(reduce.id, (&axis.0, &axis.1), [&0.into(), &axis.1], tile, &inits)?;
    let base = lower.emit.name(open.counter);
    let dim = lower.dim(vec![axis.clone()], base, tile)?;
    lower.push_scope();
    lower.scope().dims = [Some(rows), Some(dim)];
    let values = lower.contributions(reduce.id, &overs, true)?;
    let next = match found.scale.filter(|_| acc.iter().all(|&elem| elem == Type::F32)) {
        Some(scale) => {
            let values: Vec<ValueId> = values.iter().map(|value| value.value).collect();
            exp2_softmax::combine(lower, scale, &open.carried, &values)
        }
        None => lower.combine_values(reduce, &overs, &open.carried, &values)?,
    };
    lower.scopes.pop();
    let ends = lower.emit.close_loop(open, &next);

    let top = reduce_tile(lower, found.extremum, ends[0]);
    lower.push_scope();
    know(lower, found.right, Lowered { value: ends[0], over: both });
    know(lower, found.top, top);
    let mut values = vec![top];
    for (index, (share, &end)) in found.shares.iter().zip(&ends[1..]).enumerate() {
        let acc = acc[index + 1];
        values.push(match *share {
            Share::Weight(weight) => {
                let weight = at_elements(lower, weight, acc)?;
                let (ty, loc) = (lower.ty(acc, both), lower.emit.loc);
                let op =
                    kernel::Binary::build(&mut lower.emit.builder(), loc, weight.value, end, scalar::Binary::Mul, ty);
                let product = lower.emit.body.result(op, 0);
                reduce_tile(lower, Combiner::Sum, product)
            }
            Share::Chosen { of, select, combiner } => {
                kept(lower, (of, Lowered { value: end, over: both }), select, combiner, acc)?
            }
        });
    }
    lower.scopes.pop();
    lower.scopes.pop();
    Ok(values)
}

/// Lets a value of the region be known in the scope.
fn know(lower: &mut Lower<'_, '_>, value: ValueId, lowered: Lowered) {
    let ids = lower.ids(value);
    lower.scope().known.insert(value, (lowered, ids));
}

/// A value of the region that combines, at each element of a tile, in the type of an accumulator.
fn at_elements(lower: &mut Lower<'_, '_>, value: ValueId, acc: dlc_ir::Type) -> Result<Lowered> {
    let value = lower.value(value)?;
    let value = lower.cast(value, acc, false);
    lower.as_fragment(value, [true, true])
}

/// What a `select` keeps of a tile, combined along it. The maxima that it asks for are known.
fn kept(
    lower: &mut Lower<'_, '_>,
    (of, value): (ValueId, Lowered),
    select: ValueId,
    combiner: Combiner,
    acc: dlc_ir::Type,
) -> Result<Lowered> {
    know(lower, of, value);
    let kept = at_elements(lower, select, acc)?;
    Ok(reduce_tile(lower, combiner, kept.value))
}

/// The scores of a tile; of those that stand outside of it or are hidden the initial maximum. With `running` nothing is asked
/// of a whole tile.
pub fn scores(lower: &mut Lower<'_, '_>, reduce: Reduce<'_>, wanted: ValueId, running: bool) -> Result<Lowered> {
    let (acc, init) = (reduce.acc(), reduce.init().to_vec());
    let both = [true, true];
    let [rows, tile] = lower.both_dims();
    let score = |lower: &mut Lower<'_, '_>, value: ValueId| {
        let score = lower.value(value)?;
        let score = lower.cast(score, acc[0], false);
        lower.as_fragment(score, both)
    };
    let inside = tile.inside(1)?;
    let cut = |lower: &mut Lower<'_, '_>, score: ValueId| {
        if inside.is_empty() {
            return Ok(score);
        }
        let (loc, none) = (lower.emit.loc, lower.emit.constant(init[0], acc[0]));
        let (args, _, guard) = lower.emit.operands(&[], Some(&Guard::all(inside.clone())))?;
        let ty = lower.ty(acc[0], both);
        let op = kernel::NewSelect { args: &args, cond: None, yes: score, no: none, guard, out_type: ty }
            .build(&mut lower.emit.builder(), loc);
        Ok(lower.emit.body.result(op, 0))
    };
    // Of a whole step nothing is asked.
    let mask = mask_of(lower, wanted, init[0]);
    let open = match &mask {
        Some(mask) => mask.is_open(lower, &tile, &rows),
        None => Some(Vec::new()),
    };
    let open = open.filter(|_| running).map(|open| open.into_iter().chain(tile.is_full()).collect::<Vec<_>>());
    match open {
        Some(open) if !open.is_empty() => {
            let seen = score(lower, mask.map_or(wanted, |mask| mask.seen))?;
            let value = lower.unless(open, seen.value, |lower| {
                let whole = score(lower, wanted)?;
                cut(lower, whole.value)
            })?;
            Ok(Lowered { value, over: both })
        }
        _ => {
            let whole = score(lower, wanted)?;
            Ok(Lowered { value: cut(lower, whole.value)?, over: both })
        }
    }
}

/// What a tile gives for each accumulator, added to what exists `before` if that is said. The scope has rows and the tile
/// as its axes.
fn contributions(
    lower: &mut Lower<'_, '_>,
    reduce: Reduce<'_>,
    found: &Weighted,
    wide: &[bool],
    columns: Option<super::axes::Dim>,
    before: Option<&[ValueId]>,
) -> Result<Vec<Lowered>> {
    let acc = reduce.acc();
    let both = [true, true];
    let wanted = found.contributions[0];
    let score = scores(lower, reduce, wanted, before.is_some())?;
    // What is outside of a row that is held whole is never stored: whatever else is computed from the value is computed from this one, and
    // only once.
    if before.is_none() && columns.is_none() && acc[0] == lower.elem(wanted) {
        let ids = lower.ids(wanted);
        lower.scope().known.insert(wanted, (score, ids));
        lower.filled.push(wanted);
    }
    let loc = lower.emit.loc;
    let mut top = reduce_tile(lower, found.extremum, score.value);
    if let Some(&[old, ..]) = before {
        let ty = lower.emit.body.value_type(old);
        let op = kernel::Binary::build(&mut lower.emit.builder(), loc, old, top.value, scalar::Binary::Max, ty);
        top.value = lower.emit.body.result(op, 0);
    }
    let mut values = vec![top];

    lower.push_scope();
    know(lower, found.right, score);
    know(lower, found.top, top);
    if let (Some((left, _)), Some(&[old, ..])) = (&found.left, before) {
        know(lower, *left, Lowered { value: old, over: [true, false] });
    }
    for (index, share) in found.shares.iter().enumerate() {
        let (index, contribution) = (index + 1, found.contributions[index + 1]);
        let weight = match *share {
            Share::Weight(weight) => weight,
            Share::Chosen { of, select, combiner } => {
                let value = lower.value(contribution)?;
                let value = lower.cast(value, acc[index], false);
                let value = lower.as_fragment(value, both)?;
                // What is outside of the row may be as large as the maximum.
                let value = lower.identity_outside(value, reduce.init()[index], both)?;
                values.push(kept(lower, (of, value), select, combiner, acc[index])?);
                continue;
            }
        };
        let old = match (&found.left, before) {
            (Some((_, lefts)), Some(before)) => {
                let old = Lowered { value: before[index], over: [true, wide[index]] };
                Some(weigh(lower, lefts[index - 1], old, acc[index])?)
            }
            _ => None,
        };
        let weight = at_elements(lower, weight, acc[index])?;
        let wide = columns.as_ref().filter(|_| wide[index]);
        values.push(add(lower, contribution, acc[index], weight, wide, old)?);
    }
    lower.scopes.pop();
    Ok(values)
}

/// What a tile gives for a sum, by its weights, added to what exists `before`. The scope has rows and the tile as its axes;
/// a sum that is over columns, too, is a product of matrices.
pub fn add(
    lower: &mut Lower<'_, '_>,
    contribution: ValueId,
    acc: dlc_ir::Type,
    weight: Lowered,
    columns: Option<&super::axes::Dim>,
    before: Option<ValueId>,
) -> Result<Lowered> {
    let (loc, both) = (lower.emit.loc, [true, true]);
    let Some(columns) = columns else {
        let product = match is_one(lower, contribution) {
            true => weight.value,
            false => {
                let value = lower.value(contribution)?;
                let value = lower.cast(value, acc, false);
                let value = lower.spread(value, both);
                let (ty, mul) = (lower.ty(acc, both), scalar::Binary::Mul);
                let op = kernel::Binary::build(&mut lower.emit.builder(), loc, weight.value, value.value, mul, ty);
                lower.emit.body.result(op, 0)
            }
        };
        let mut sum = reduce_tile(lower, Combiner::Sum, product);
        if let Some(before) = before {
            let ty = lower.emit.body.value_type(before);
            let add = scalar::Binary::Add;
            let op = kernel::Binary::build(&mut lower.emit.builder(), loc, before, sum.value, add, ty);
            sum.value = lower.emit.body.result(op, 0);
        }
        return Ok(sum);
    };
    let [rows, tile] = lower.both_dims();
    let elem = crate::analysis::axes::elem(lower.ctx, lower.region, contribution);
    let weight = lower.cast(weight, elem, false);
    lower.push_scope();
    lower.scope().dims = [Some(rows), Some(columns.clone())];
    let start = match before {
        Some(before) => before,
        None => {
            let ty = lower.ty(acc, both);
            let zero = lower.zero(acc);
            lower.emit.constant(zero, ty)
        }
    };
    let factors = [None, copied(lower, contribution)];
    lower.note_product(Of::Contribution(contribution), factors);
    let sum = accumulate(lower, Left::Registers(weight.value), contribution, elem, &tile, start)?;
    lower.scopes.pop();
    Ok(Lowered { value: sum, over: both })
}

/// Whether a value is the number one.
fn is_one(lower: &Lower<'_, '_>, value: ValueId) -> bool {
    number_of(lower.ctx, lower.region, value) == Some(1.0)
}

/// What exists, by its weight below the new maximum.
fn weigh(lower: &mut Lower<'_, '_>, weight: ValueId, old: Lowered, elem: dlc_ir::Type) -> Result<ValueId> {
    let weight = lower.value(weight)?;
    let weight = lower.cast(weight, elem, false);
    let ty = lower.emit.body.value_type(old.value);
    let loc = lower.emit.loc;
    let weight = match old.over[1] {
        false => weight.value,
        true => {
            let op = kernel::Broadcast::build(&mut lower.emit.builder(), loc, weight.value, 1, ty);
            lower.emit.body.result(op, 0)
        }
    };
    let op = kernel::Binary::build(&mut lower.emit.builder(), loc, old.value, weight, scalar::Binary::Mul, ty);
    Ok(lower.emit.body.result(op, 0))
}

/// A tile combined along its second axis.
pub fn reduce_tile(lower: &mut Lower<'_, '_>, combiner: Combiner, value: ValueId) -> Lowered {
    let loc = lower.emit.loc;
    let own = dlc_kernel::types::elem_of(lower.ctx, lower.emit.body.value_type(value));
    // Warps exchange whole registers, which hold any shorter number as it is.
    let is_short = lower.tiling.warps_per_row() > 1 && own.bits(lower.ctx).is_some_and(|bits| bits < 32);
    let elem = match own.float_kind(lower.ctx) {
        _ if !is_short => own,
        Some(_) => Type::F32,
        None => Type::I32,
    };
    let over = [true, true];
    let value = lower.cast(Lowered { value, over }, elem, false);
    let through = lower.exchange(elem);
    let op = kernel::Reduce::build(&mut lower.emit.builder(), loc, value.value, through, combiner, 1);
    let reduced = Lowered { value: lower.emit.body.result(op, 0), over: [true, false] };
    lower.cast(reduced, own, false)
}
