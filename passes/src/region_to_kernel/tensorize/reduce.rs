//! Reductions by loops over their axes, one position or one tile at a time.

use std::collections::VecDeque;

use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::OpRef;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, OpId, Type, ValueId};
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Binary, Cast, Const, Read, Reduce, Unary, Yield};
use rustc_hash::{FxHashMap, FxHashSet};

use super::axes::{Dim, LowerError};
use super::emit::Open;
use super::lower::{Lower, Lowered, Result, Scope, end_of};
use crate::analysis::numbers::function;

impl Lower<'_, '_> {
    /// A reduction: on tensor cores or by multiplications where it is a product of matrices and the plan says so, else by
    /// loops.
    pub(super) fn reduce(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        if let Some(product) = super::contract::product(self, id) {
            return Ok(vec![super::contract::lower(self, id, &product)?]);
        }
        if let Some(results) = super::stream::lower(self, id)? {
            let all: Vec<ValueId> = self.region.results(id).collect();
            let casts = results.into_iter().zip(all);
            return Ok(casts.map(|(value, result)| self.cast(value, self.elem(result), false)).collect());
        }
        self.loops(id)
    }

    /// A reduction by loops over its axes. The innermost takes a tile at once where fragments have an axis for it.
    fn loops(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        let ctx = self.ctx;
        let reduce = Reduce::from(OpRef::new(ctx, self.region, id));
        let names: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
        let sizes = reduce.sizes();
        let combiner = reduce.combiner();
        let mut outer: Vec<(String, SizeExpr)> = names.into_iter().zip(sizes).collect();
        let Some(last) = outer.pop() else { return self.once(id) };
        if let Some(count) = self.counted(id, &last.1, outer.is_empty())? {
            return Ok(vec![count]);
        }
        let results: Vec<ValueId> = self.region.results(id).collect();
        let overs: Vec<[bool; 2]> = results.iter().map(|&result| self.depends(result).1).collect();
        let held = self.scope().dims[1].as_ref().is_some_and(|dim| {
            dim.tile > 1 && dim.axes.len() == 1 && dim.axes[0].0 == last.0 && dim.base.as_constant() == Some(0)
        });
        let free = self.scope().dims[1].as_ref().is_none_or(|dim| dim.tile == 1);
        let along =
            combiner.filter(|_| self.tiling.reduction_tile > 1 && (held || free) && overs.iter().all(|over| !over[1]));
        let accumulators: Vec<(Type, Attr)> = reduce.acc().into_iter().zip(reduce.init().iter().copied()).collect();
        // Where rows are reduced by lanes, whatever is reduced has rows.
        let rows = self.tiling.reduction_tile > 1;
        let mut overs_inside: Vec<[bool; 2]> = overs.iter().map(|&[row, column]| [row || rows, column]).collect();
        if along.is_some() {
            overs_inside.iter_mut().for_each(|over| over[1] = true);
        }
        // A row that is held whole is reduced as it stands.
        if let (Some(combiner), true) = (along, held && outer.is_empty()) {
            let values = self.contributions(id, &overs_inside, true)?;
            return self.across(combiner, &values, &results, &overs);
        }
        let tile = match along {
            Some(_) if held => self.scope().dims[1].as_ref().map_or(1, |dim| dim.tile),
            Some(_) => crate::plan::tiling::tile_of(&last.1, self.tiling.reduction_tile, self.tiling.reduction_tile),
            None => 1,
        };
        let inner = if along.is_some() { Some((last.clone(), tile)) } else { None };
        self.push_scope();
        if let Some(((name, size), tile)) = &inner {
            // The type of what is carried needs the tile; where it begins, the loop says.
            let dim = self.dim(vec![(name.clone(), size.clone())], SizeExpr::from(0), *tile)?;
            self.take_columns(dim);
        }
        let mut inits = Vec::new();
        for ((ty, init), over) in accumulators.iter().zip(&overs_inside) {
            let ty = self.ty(*ty, *over);
            inits.push(self.emit.constant(*init, ty));
        }
        let points: Vec<(String, SizeExpr)> = match &inner {
            Some(_) => outer.clone(),
            None => outer.iter().cloned().chain([last.clone()]).collect(),
        };
        let step = Step { id, overs: overs_inside.clone(), combiner, inner };
        let carried = self.nest(&points, &step, &inits)?;
        let values: Vec<Lowered> =
            carried.iter().zip(&overs_inside).map(|(&value, &over)| Lowered { value, over }).collect();
        let done = match along {
            Some(combiner) => self.across(combiner, &values, &results, &overs)?,
            None => {
                let casts = values.iter().zip(&results).zip(&overs);
                casts.map(|((&value, &result), _)| self.cast(value, self.elem(result), false)).collect()
            }
        };
        self.scopes.pop();
        Ok(done)
    }

    /// A sum of ones along an axis that is known to be short enough: its size, which `f32` has exactly.
    fn counted(&mut self, id: OpId, size: &SizeExpr, alone: bool) -> Result<Option<Lowered>> {
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, id));
        let most = self.register_resident.iter().find(|(known, _)| known == size).map(|(_, most)| *most);
        let short = most.is_some_and(|most| most <= 1 << f32::MANTISSA_DIGITS);
        let plain = reduce.combiner() == Some(Combiner::Sum) && reduce.acc().first() == Some(&Type::F32);
        let from_zero = reduce.init().first().and_then(|&init| self.number(init)) == Some(0.0);
        let body = reduce.regions().first().and_then(|&region| self.region.first_block(region));
        let end = body.and_then(|block| self.region.last_op(block));
        let end = end.and_then(|end| Yield::of(OpRef::new(self.ctx, self.region, end)));
        let value = end.and_then(|end| end.values().next());
        let value = value.map(|value| crate::analysis::axes::before_broadcasts(self.ctx, self.region, value));
        let made = value.and_then(|value| self.region.defining_op(value));
        let constant = made.and_then(|op| Const::of(OpRef::new(self.ctx, self.region, op)));
        let one = constant.and_then(|constant| self.number(constant.value())) == Some(1.0);
        if !(alone && short && plain && from_zero && one) {
            return Ok(None);
        }
        let value = self.emit.index(size)?;
        let count = self.cast(Lowered { value, over: [false; 2] }, Type::F32, false);
        let result = reduce.result(0);
        Ok(Some(self.cast(count, self.elem(result), false)))
    }

    /// A reduction over no axes: what it combines once.
    fn once(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, id));
        let results: Vec<ValueId> = self.region.results(id).collect();
        let rows = self.tiling.reduction_tile > 1;
        let over = |result: &ValueId| {
            let (_, [row, column]) = self.depends(*result);
            [row || rows, column]
        };
        let overs: Vec<[bool; 2]> = results.iter().map(over).collect();
        let mut inits = Vec::new();
        for ((elem, init), &over) in reduce.acc().into_iter().zip(reduce.init().to_vec()).zip(&overs) {
            let ty = self.ty(elem, over);
            inits.push(self.emit.constant(init, ty));
        }
        let step = Step { id, overs: overs.clone(), combiner: reduce.combiner(), inner: None };
        let made = self.step(&step, &inits)?;
        let made = made.into_iter().zip(overs).zip(results);
        Ok(made.map(|((value, over), result)| self.cast(Lowered { value, over }, self.elem(result), false)).collect())
    }

    /// A scope inside of this one, with the same axes.
    pub fn push_scope(&mut self) {
        let scope = self.scope();
        let inner = Scope {
            dims: scope.dims.clone(),
            points: scope.points.clone(),
            layout: scope.layout.clone(),
            known: FxHashMap::default(),
        };
        self.scopes.push(inner);
    }

    /// Gives the second axis of fragments to other axes. What had it at one position keeps that.
    fn take_columns(&mut self, dim: Dim) {
        let scope = self.scope();
        if let Some(before) = scope.dims[1].take_if(|before| before.tile == 1 && before.axes != dim.axes) {
            scope.points.push(before);
        }
        scope.dims[1] = Some(dim);
    }

    /// The loops over single positions, one in the other, then that over tiles, around what is done at each.
    fn nest(&mut self, points: &[(String, SizeExpr)], step: &Step, inits: &[ValueId]) -> Result<Vec<ValueId>> {
        let (axis, rest, tile) = match (points.split_first(), &step.inner) {
            (Some((axis, rest)), _) => (axis.clone(), Some(rest), 1),
            (None, Some((axis, tile))) if !self.at_tile(&axis.0) => (axis.clone(), None, *tile),
            _ => return self.step(step, inits),
        };
        let open = self.open_axis(step.id, (&axis.0, &axis.1), [&0.into(), &axis.1], tile, inits)?;
        if self.unrolled.contains(&axis.0) {
            self.emit.unroll(&open);
        }
        let base = self.emit.name(open.counter);
        self.push_scope();
        let dim = self.dim(vec![axis.clone()], base, tile)?;
        let next = match rest {
            Some(rest) => {
                // An axis of fragments that is gone over one by one is none.
                for place in &mut self.scope().dims {
                    place.take_if(|dim| dim.axes.iter().any(|(name, _)| *name == axis.0));
                }
                self.scope().points.push(dim);
                self.nest(rest, step, &open.carried)?
            }
            None => {
                self.take_columns(dim);
                self.step(step, &open.carried)?
            }
        };
        self.scopes.pop();
        Ok(self.emit.close_loop(open, &next))
    }

    /// Begins the loop of a reduction along an axis of some size, from `first` up to `last`: of the axis that blocks share,
    /// along the part of the block, which has a run of steps of the whole axis up to `last`.
    pub fn open_axis(
        &mut self,
        id: OpId,
        (axis, size): (&str, &SizeExpr),
        [first, last]: [&SizeExpr; 2],
        step: u32,
        inits: &[ValueId],
    ) -> Result<Open> {
        let Some(part) = self.part.as_ref().filter(|part| part.reduce == id && part.axis == axis) else {
            return self.emit.open_loop_from([first, last], step, axis, inits);
        };
        let (number, step_size) = (part.number.clone(), SizeExpr::from(i64::from(step)));
        let count = SizeExpr::from(part.count);
        // Parts that may be combined in any order take steps in turn: they have as many but for one, and at any time blocks
        // read what lies side by side.
        if part.is_commutative
            && let Some(all) = u32::try_from(part.count).ok().and_then(|count| count.checked_mul(step))
        {
            let first = step_size.mul(&number).map_err(LowerError::Expr)?;
            return self.emit.open_loop_from([&first, last], all, axis, inits);
        }
        let stride = size.ceildiv(&step_size).and_then(|steps| steps.ceildiv(&count)?.mul(&step_size));
        let stride = stride.map_err(LowerError::Expr)?;
        let first = stride.mul(&number).map_err(LowerError::Expr)?;
        let end = first.add(&stride).map_err(LowerError::Expr)?;
        // Parts of whole steps end where the axis does, or before it.
        let is_even = last == size && stride.mul(&count).is_ok_and(|whole| whole == *size);
        if is_even {
            return self.emit.open_loop_from([&first, &end], step, axis, inits);
        }
        let (end, last) = (self.emit.index(&end)?, self.emit.index(last)?);
        let loc = self.emit.loc;
        let op = kernel::Min::build(&mut self.emit.builder(), loc, end, last);
        let least = self.emit.body.result(op, 0);
        let least = self.emit.name(least);
        self.emit.open_loop_from([&first, &least], step, axis, inits)
    }

    /// Whether the second axis of fragments is a tile of an axis that a loop has begun.
    fn at_tile(&self, axis: &str) -> bool {
        let dim = self.scopes.last().and_then(|scope| scope.dims[1].as_ref());
        dim.is_some_and(|dim| dim.axes[0].0 == axis && dim.base.as_constant() != Some(0))
    }

    /// What is done at one position: contributions are combined with what exists.
    fn step(&mut self, step: &Step, carried: &[ValueId]) -> Result<Vec<ValueId>> {
        if let Some(factors) = self.factors(step) {
            return self.multiply_add(&factors, step.overs[0], carried[0]).map(|sum| vec![sum]);
        }
        let values = self.contributions(step.id, &step.overs, step.inner.is_some())?;
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, step.id));
        let loc = self.emit.loc;
        if let Some(combiner) = step.combiner {
            let mut next = Vec::new();
            for (&old, value) in carried.iter().zip(&values) {
                let ty = self.emit.body.value_type(old);
                let made =
                    kernel::Binary::build(&mut self.emit.builder(), loc, old, value.value, function(combiner), ty);
                next.push(self.emit.body.result(made, 0));
            }
            return Ok(next);
        }
        self.combine_values(reduce, &step.overs, carried, &values)
    }

    /// The factors of a product that is not rounded before it is added to a sum of its type.
    fn factors(&self, step: &Step) -> Option<[ValueId; 2]> {
        if step.combiner != Some(Combiner::Sum) || step.inner.is_some() {
            return None;
        }
        let (ctx, region) = (self.ctx, self.region);
        let reduce = Reduce::from(OpRef::new(ctx, region, step.id));
        let end = end_of(ctx, region, region.first_block(*reduce.regions().first()?)?);
        let value = crate::analysis::axes::before_broadcasts(ctx, region, end.values().next()?);
        let product = Binary::of(OpRef::new(ctx, region, region.defining_op(value)?))?;
        let acc = reduce.acc();
        let is_float = acc[0].float_kind(ctx).is_some() && self.elem(value) == acc[0];
        let is_exact = product.widen().is_some() && product.function() == scalar::Binary::Mul;
        (acc.len() == 1 && is_float && is_exact).then(|| [product.lhs(), product.rhs()])
    }

    /// The sum with a product of two values added to it, rounded once.
    fn multiply_add(&mut self, factors: &[ValueId; 2], over: [bool; 2], sum: ValueId) -> Result<ValueId> {
        let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(sum));
        let mut values = Vec::new();
        for &factor in factors {
            let value = self.value(factor)?;
            let value = self.cast(value, elem, false);
            values.push(self.spread(value, over).value);
        }
        let (ty, loc) = (self.emit.body.value_type(sum), self.emit.loc);
        let made = kernel::MulAcc::build(&mut self.emit.builder(), loc, values[0], values[1], sum, ty);
        Ok(self.emit.body.result(made, 0))
    }

    /// The bindings that a value depends on.
    pub fn ids(&self, value: ValueId) -> Vec<usize> {
        self.depends(value).0
    }

    /// The region that combines, with these accumulators and contributions.
    pub fn combine_values(
        &mut self,
        reduce: Reduce<'_>,
        overs: &[[bool; 2]],
        carried: &[ValueId],
        values: &[Lowered],
    ) -> Result<Vec<ValueId>> {
        let block = self.region.first_block(reduce.regions()[1]).expect("it combines by a region");
        let args = self.region.args(block).to_vec();
        self.push_scope();
        let given = carried.iter().zip(overs).map(|(&value, &over)| Lowered { value, over });
        for (&arg, lowered) in args.iter().zip(given.chain(values.iter().copied())) {
            let (ids, _) = self.depends(arg);
            self.scope().known.insert(arg, (lowered, ids));
        }
        let mut next = Vec::new();
        let end = end_of(self.ctx, self.region, block);
        for ((value, &over), &old) in end.values().zip(overs).zip(carried) {
            let value = self.value(value)?;
            let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(old));
            let value = self.cast(value, elem, false);
            next.push(self.as_fragment(value, over)?.value);
        }
        self.scopes.pop();
        Ok(next)
    }

    /// What a reduction combines at this position, as its accumulators; where a tile reaches beyond the axis, the number
    /// that changes nothing.
    pub(super) fn contributions(&mut self, id: OpId, overs: &[[bool; 2]], tiled: bool) -> Result<Vec<Lowered>> {
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, id));
        let end = end_of(
            self.ctx,
            self.region,
            self.region.first_block(reduce.regions()[0]).expect("a reduction has contributions"),
        );
        let (acc, init) = (reduce.acc(), reduce.init().to_vec());
        let mut values = Vec::new();
        for (index, value) in end.values().enumerate() {
            let is_sum = self.number(init[index]) == Some(0.0) && reduce.combiner() == Some(Combiner::Sum);
            let is_zero = is_sum && self.is_zero_outside(value);
            let value = self.value(value)?;
            let value = self.cast(value, acc[index], false);
            let mut value = self.as_fragment(value, overs[index])?;
            if tiled && !is_zero {
                let identity = init[index];
                value = self.identity_outside(value, identity, overs[index])?;
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A value that is a number where a tile reaches beyond its second axis.
    pub fn identity_outside(&mut self, value: Lowered, number: Attr, over: [bool; 2]) -> Result<Lowered> {
        let conditions = self.inside([false, true])?;
        // The second axis has the number 1 where the first is there.
        let conditions: Vec<Condition> =
            conditions.into_iter().filter_map(|condition| condition.map(&|expr| renumber(expr, over))).collect();
        if conditions.is_empty() {
            return Ok(value);
        }
        let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(value.value));
        let identity = self.emit.constant(number, elem);
        let (args, _, guard) = self.emit.operands(&[], Some(&Guard::all(conditions)))?;
        let (ty, loc) = (self.ty(elem, over), self.emit.loc);
        let (yes, mut builder) = (value.value, self.emit.builder());
        let made = kernel::NewSelect { args: &args, cond: None, yes, no: identity, guard, out_type: ty }
            .build(&mut builder, loc);
        Ok(self.made(made, over))
    }

    /// Whether a value is zero where a tile reaches beyond its second axis: it is computed from what is read there, and reads are
    /// zero outside.
    fn is_zero_outside(&self, value: ValueId) -> bool {
        // What is nearest goes first: where a value is not, that is seen soon.
        let (mut work, mut seen) = (VecDeque::from([value]), FxHashSet::default());
        while let Some(value) = work.pop_front() {
            if !seen.insert(value) {
                continue;
            }
            let Some(op) = self.region.defining_op(value).filter(|_| !self.filled.contains(&value)) else {
                return false;
            };
            let op = OpRef::new(self.ctx, self.region, op);
            let keeps = if let Some(read) = Read::of(op) {
                let fills = read.fill().is_some_and(|fill| self.number(fill) != Some(0.0));
                if !self.depends(value).1[1] || read.indices().len() > 0 || fills {
                    return false;
                }
                continue;
            } else if let Some(op) = Binary::of(op) {
                use scalar::Binary::{Add, Max, Min, Mul, Sub};
                matches!(op.function(), Add | Sub | Mul | Max | Min)
            } else if let Some(op) = Unary::of(op) {
                use scalar::Unary::{Neg, Relu, Sqrt, Trunc};
                matches!(op.function(), Neg | Relu | Sqrt | Trunc)
            } else {
                Cast::of(op).is_some()
            };
            if !keeps {
                return false;
            }
            work.extend(op.operands());
        }
        true
    }

    /// The float that an attribute is.
    fn number(&self, attr: Attr) -> Option<f64> {
        Datum::of_attr(self.ctx, attr).and_then(|datum| datum.as_float())
    }

    /// Fragments combined along their second axis.
    fn across(
        &mut self,
        combiner: Combiner,
        values: &[Lowered],
        results: &[ValueId],
        overs: &[[bool; 2]],
    ) -> Result<Vec<Lowered>> {
        let mut done = Vec::new();
        for ((value, &result), over) in values.iter().zip(results).zip(overs) {
            let made = super::stream::reduce_tile(self, combiner, value.value);
            debug_assert!(!over[1], "a value along the axis that is combined");
            done.push(self.cast(made, self.elem(result), false));
        }
        Ok(done)
    }
}

/// A reduction's innermost work.
struct Step {
    id: OpId,
    overs: Vec<[bool; 2]>,
    combiner: Option<Combiner>,
    /// The axis that is taken by tiles.
    inner: Option<((String, SizeExpr), u32)>,
}

/// The second axis of fragments with both, in an expression of a fragment with the second alone.
fn renumber(expr: &SizeExpr, over: [bool; 2]) -> Option<SizeExpr> {
    match over {
        [true, true] => expr.substitute(&|name| (name == "i0").then(|| super::axes::coordinate(1))).ok(),
        _ => Some(expr.clone()),
    }
}
