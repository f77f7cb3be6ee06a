//! What a region computes, as far as its mapping depends on it: which axes products multiply, which are reduced along
//! memory, which across.

use dlc_core::guard::Guard;
use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::body::{Body, OpRef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_plan::Schedule;
use dlc_region::ops::{Binary, BroadcastInDim, Read, Reduce, Scan, Sort, Yield};
use dlc_region::syntax::element_of;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::{FxHashMap, FxHashSet};

use super::window::Window;
use crate::analysis::axes::{axes, before_broadcasts, elem as elem_of, reductions, scans, sorts};
use crate::analysis::conditions::run_of;
use crate::analysis::taps::Taps;
use crate::region_to_kernel::tensorize::stream::{Weighted, weighted};

/// An axis and its size.
pub type Axis = (String, SizeExpr);

/// The axes of a kernel by what becomes of them.
pub struct Shape {
    /// Axes of the result that no reduction reduces and no scan or sort goes along, in order.
    pub outer: Vec<Axis>,
    /// The others.
    pub inner: Vec<Axis>,
}

impl Shape {
    /// Of a region.
    pub fn of(ctx: &Context, region: &Body, axes: &KernelAxes) -> Shape {
        let reduced: Vec<String> = reductions(ctx, region)
            .into_iter()
            .filter_map(|id| Reduce::of(OpRef::new(ctx, region, id)))
            .flat_map(|reduce| reduce.axes().into_iter().map(String::from))
            .chain(scans(ctx, region).into_iter().filter_map(|id| Scan::of(OpRef::new(ctx, region, id))).map(along))
            .chain(
                sorts(ctx, region).into_iter().filter_map(|id| Sort::of(OpRef::new(ctx, region, id))).map(sorted_along),
            )
            .collect();
        let iters = axes.names.iter().zip(&axes.sizes).take(axes.iters);
        let (inner, outer) =
            iters.map(|(name, size)| (name.clone(), size.clone())).partition(|(name, _)| reduced.contains(name));
        Shape { outer, inner }
    }
}

fn along(scan: Scan<'_>) -> String {
    scan.along().to_string()
}

fn sorted_along(sort: Sort<'_>) -> String {
    sort.along().to_string()
}

/// The most positions that a block sorts together.
pub const MOST_SORTED: i64 = 8192;

/// What a kernel with a sort goes along.
pub struct Sorted {
    /// The axis.
    pub along: Axis,
    /// How many positions of the axis are sorted together; all without one.
    pub every: Option<i64>,
    /// How many positions are sorted together at most.
    pub length: SizeExpr,
}

/// What a kernel sorts along; `None` without a sort.
///
/// An error says why there is no such kernel.
pub fn sorted(ctx: &Context, region: &Body, shape: &Shape) -> Result<Option<Sorted>, String> {
    let all: Vec<Sort<'_>> =
        sorts(ctx, region).into_iter().filter_map(|id| Sort::of(OpRef::new(ctx, region, id))).collect();
    let Some(first) = all.first() else { return Ok(None) };
    if !all.iter().all(|other| (other.along(), other.every()) == (first.along(), first.every())) {
        return Err(
            "its sorts go along several axes, or in different groups: a kernel goes along one in one way".into()
        );
    }
    if !reductions(ctx, region).is_empty() || !scans(ctx, region).is_empty() {
        return Err("it has a sort and a reduction or a scan, and a kernel has one of them".into());
    }
    let Some(along) = shape.inner.iter().find(|(name, _)| name == first.along()).cloned() else { return Ok(None) };
    let every = first.every();
    if let Some(every) = every.filter(|every| *every > MOST_SORTED || every.count_ones() != 1) {
        return Err(format!("{every} positions are sorted together: a block sorts a power of two up to {MOST_SORTED}"));
    }
    let length = every.map_or(along.1.clone(), SizeExpr::from);
    if length.as_constant().is_none_or(|length| length > MOST_SORTED) {
        return Err(format!("rows of {length} positions are sorted whole, and a block has {MOST_SORTED} at most"));
    }
    Ok(Some(Sorted { along, every, length }))
}

/// The fewest positions that a kernel scans together.
const LEAST_GROUP: i64 = 32;

/// What a kernel with scans goes along.
pub struct Scanned {
    /// The axis.
    pub along: Axis,
    /// The last axis of the results, where that is another one.
    pub column: Option<Axis>,
    /// How many positions of the axis are scanned together; all without one.
    pub every: Option<i64>,
    /// The most operands of a scan.
    pub operands: u32,
}

/// What a kernel goes along; `None` without scans.
///
/// An error says why there is no such kernel.
pub fn scanned(ctx: &Context, region: &Body, shape: &Shape) -> Result<Option<Scanned>, String> {
    let all: Vec<Scan<'_>> =
        scans(ctx, region).into_iter().filter_map(|id| Scan::of(OpRef::new(ctx, region, id))).collect();
    let Some(first) = all.first() else { return Ok(None) };
    let direction = |scan: &Scan<'_>| (scan.along().to_string(), scan.reverse(), scan.every());
    if !all.iter().all(|other| direction(other) == direction(first)) {
        return Err("its scans go along several axes, or in different ways: a kernel goes along one in one".into());
    }
    if !reductions(ctx, region).is_empty() {
        return Err("it has a scan and a reduction, and a kernel has one of both".into());
    }
    if let Some(every) = first.every().filter(|every| *every < LEAST_GROUP || every.count_ones() != 1) {
        return Err(format!(
            "{every} positions are scanned together: a power of two from {LEAST_GROUP} on is a number of tiles"
        ));
    }
    let axes = KernelAxes::of(ctx, region);
    let along = shape.inner.iter().find(|(name, _)| name == first.along()).cloned();
    let last = axes.names[..axes.iters].last().filter(|last| *last != first.along());
    let column = last.and_then(|last| shape.outer.iter().find(|(name, _)| name == last)).cloned();
    let operands = all.iter().map(|scan| scan.inputs().len() as u32).max().unwrap_or(1);
    Ok(along.map(|along| Scanned { along, column, every: first.every(), operands }))
}

/// The groups of a product of matrices that a kernel is made around: the axes of both operands, of the left, of the right.
pub struct Groups {
    /// The axes of both operands.
    pub batch: Vec<Axis>,
    /// Axes of blocks alone that say which steps multiply zeros, the phases of a strided transposed convolution: neighbouring
    /// blocks are along these.
    pub near: Vec<Axis>,
    /// The axes that would be near if they were of no tile.
    phases: Vec<String>,
    /// Those of the left one alone.
    pub rows: Vec<Axis>,
    /// Those of the right one alone.
    pub columns: Vec<Axis>,
    /// The axes that are reduced.
    pub reduced: Vec<String>,
    /// Whether tensor cores multiply the factors.
    pub halves: bool,
    /// The type of the factors.
    pub elem: Type,
    /// How many products an instruction of tensor cores sums: those of 32 bytes.
    pub deep: i64,
    /// Whether it is a sum below a maximum.
    pub streams: bool,
    /// How many products have these rows and columns: their sums are live together.
    pub sums: usize,
    /// Whether reductions after the product go along its columns: a tile then holds whole rows of it.
    pub holds_rows: bool,
    /// The tensor of pixels that stays in shared memory for all places of a window.
    pub window: Option<Window>,
}

impl Groups {
    /// Whether another product has the same rows and columns, whichever factor is named first.
    fn is_alongside(&self, other: &Groups) -> bool {
        let (own, of_other) = ([&self.rows, &self.columns], [&other.rows, &other.columns]);
        !self.streams && !other.streams && (own == of_other || own == [of_other[1], of_other[0]])
    }

    /// Makes the axes of rows and columns of which the plan's tile has one position, others having more, axes of blocks
    /// alone: what is read is then a matrix of a stack.
    ///
    /// Pixels that TMA takes one after another go on over all rows and images.
    pub fn leave_single(&mut self, plan: &Schedule) {
        for side in [&mut self.rows, &mut self.columns] {
            let names: Vec<String> = side.iter().map(|(axis, _)| axis.clone()).collect();
            let run = run_of(plan, &names);
            for axis in std::mem::take(side) {
                match run.contains(&&axis.0) {
                    true => side.push(axis),
                    false if self.phases.contains(&axis.0) => self.near.push(axis),
                    false => self.batch.push(axis),
                }
            }
        }
    }
}

/// The last reduction at the top whose result is over the axes that blocks share, if it is a product of matrices.
pub fn groups(ctx: &Context, region: &Body, shape: &Shape) -> Option<Groups> {
    let block = region.entry_block()?;
    let mut ops: Vec<OpId> = region.ops(block).collect();
    ops.reverse();
    let mut found: Option<Groups> = None;
    for id in ops {
        let Some(reduce) = Reduce::of(OpRef::new(ctx, region, id)) else { continue };
        let own = groups_of(ctx, region, shape, reduce);
        match (&mut found, own.or_else(|| stream_of(ctx, region, shape, reduce))) {
            (None, own) => found = own,
            (Some(found), Some(own)) => found.sums += usize::from(found.is_alongside(&own)),
            (Some(_), None) => {}
        }
    }
    found
}

/// Whether a reduction is a maximum with what is combined below it, as that of an online softmax or an argmax: it may combine
/// in any order.
pub fn is_weighted(ctx: &Context, region: &Body, id: OpId) -> bool {
    weighted(ctx, region, id).is_some()
}

/// Sums below a maximum of which one has axes that the maximum has not: those are the columns.
fn stream_of(ctx: &Context, region: &Body, shape: &Shape, reduce: Reduce<'_>) -> Option<Groups> {
    let found = weighted(ctx, region, reduce.id).filter(Weighted::has_sums)?;
    let axes_of = |value: ValueId| axes_of(ctx, region.value_type(value));
    let (scores, outer) = (axes_of(found.contributions[0]), &shape.outer);
    let elem = |value: ValueId| elem_of(ctx, region, value);
    let sums = || found.contributions[1..].iter().copied();
    let is_wide = |value: &ValueId| {
        let axes = axes_of(*value);
        outer.iter().any(|(name, _)| axes.contains(&name.as_str()) && !scores.contains(&name.as_str()))
    };
    let wide = sums().find(is_wide)?;
    let ty = elem(wide);
    let halves = ty == Type::F16 || ty == Type::BF16;
    let sums_in_f32 = reduce.acc().iter().all(|acc| *acc == Type::F32);
    if !shape.inner.is_empty() || (!halves && ty != Type::F32) || !sums_in_f32 || reduce.axes().len() != 1 {
        return None;
    }
    let values = axes_of(wide);
    let reduced = reduce.axes().into_iter().map(String::from).collect();
    let mut groups = Groups {
        batch: Vec::new(),
        near: Vec::new(),
        phases: Vec::new(),
        rows: Vec::new(),
        columns: Vec::new(),
        reduced,
        halves,
        elem: ty,
        deep: deep(ctx, ty),
        streams: true,
        sums: 1,
        holds_rows: false,
        window: None,
    };
    for axis in outer {
        match (scores.contains(&axis.0.as_str()), values.contains(&axis.0.as_str())) {
            (true, false) => groups.rows.push(axis.clone()),
            (false, true) => groups.columns.push(axis.clone()),
            _ => groups.batch.push(axis.clone()),
        }
    }
    (!groups.rows.is_empty() && !groups.columns.is_empty()).then_some(groups)
}

/// Whether tensor cores multiply elements of a type and add to `f32`: 16-bit floats, and of 8.
pub fn is_multiplied(ctx: &Context, elem: Type) -> bool {
    elem.float_kind(ctx).is_some() && elem.bits(ctx).is_some_and(|bits| bits <= 16)
}

/// How many elements of a type 32 bytes have: as many products an instruction of tensor cores sums.
fn deep(ctx: &Context, elem: Type) -> i64 {
    256 / elem.bits(ctx).map_or(16, i64::from).max(1)
}

/// A sum of products of two values that an instruction can compute.
struct SumOfProducts {
    factors: [ValueId; 2],
    elem: Type,
    reduced: Vec<String>,
}

fn sum_of_products(ctx: &Context, region: &Body, reduce: Reduce<'_>) -> Option<SumOfProducts> {
    if reduce.combiner() != Some(Combiner::Sum) {
        return None;
    }
    let body = region.first_block(*reduce.regions().first()?)?;
    let end = Yield::of(OpRef::new(ctx, region, region.last_op(body)?))?;
    let value = before_broadcasts(ctx, region, end.values().next()?);
    let factor = Binary::of(OpRef::new(ctx, region, region.defining_op(value)?))?;
    let elem = elem_of(ctx, region, factor.lhs());
    let fits = elem == elem_of(ctx, region, factor.rhs())
        && (elem == Type::F32 || is_multiplied(ctx, elem))
        && (factor.widen().is_some() || elem == Type::F32)
        && factor.function() == scalar::Binary::Mul
        && reduce.acc().first() == Some(&Type::F32);
    let reduced = reduce.axes().into_iter().map(String::from).collect();
    fits.then(|| SumOfProducts { factors: [factor.lhs(), factor.rhs()], elem, reduced })
}

impl SumOfProducts {
    /// The axes of the results that say which steps multiply zeros.
    fn phases(&self, ctx: &Context, region: &Body, shape: &Shape, reduce: Reduce<'_>) -> Vec<String> {
        let guard = |&factor: &ValueId| {
            let read = region.defining_op(before_broadcasts(ctx, region, factor))?;
            Read::of(OpRef::new(ctx, region, read))?.guard()
        };
        let guards: Vec<Guard> = self.factors.iter().filter_map(guard).collect();
        let point = |name: &str| shape.outer.iter().find(|(axis, _)| axis == name)?.1.as_constant();
        let along = self.reduced.iter().zip(reduce.sizes());
        let taps = along.filter_map(|(axis, size)| Some(Taps::of(&guards, axis, size.as_constant()?, &point).axes()));
        taps.flatten().collect()
    }

    /// Groups with these axes that are reduced, and no others yet.
    fn groups(self, ctx: &Context) -> Groups {
        Groups {
            batch: Vec::new(),
            near: Vec::new(),
            phases: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            reduced: self.reduced,
            halves: self.elem != Type::F32,
            elem: self.elem,
            deep: deep(ctx, self.elem),
            streams: false,
            sums: 1,
            holds_rows: false,
            window: None,
        }
    }
}

fn groups_of(ctx: &Context, region: &Body, shape: &Shape, reduce: Reduce<'_>) -> Option<Groups> {
    if !shape.inner.is_empty() {
        return None;
    }
    let sum = sum_of_products(ctx, region, reduce)?;
    let [lhs, rhs] = sum.factors.map(|factor| axes_of(ctx, region.value_type(factor)));
    let phases = sum.phases(ctx, region, shape, reduce);
    let mut groups = Groups { phases, ..sum.groups(ctx) };
    for axis in &shape.outer {
        match (lhs.contains(&axis.0.as_str()), rhs.contains(&axis.0.as_str())) {
            (true, false) => groups.rows.push(axis.clone()),
            (false, true) => groups.columns.push(axis.clone()),
            _ if groups.phases.contains(&axis.0) => groups.near.push(axis.clone()),
            _ => groups.batch.push(axis.clone()),
        }
    }
    (!groups.rows.is_empty() && !groups.columns.is_empty()).then_some(groups)
}

/// A product whose rows are reduced next: its columns are one axis, along which reductions go that are computed from it, each
/// along that alone. The product has every axis of the results; those that its right factor has besides are axes of blocks.
pub fn groups_of_rows(ctx: &Context, region: &Body, shape: &Shape, axes: &KernelAxes) -> Option<Groups> {
    let mut found: Option<Groups> = None;
    for id in reductions(ctx, region) {
        let Some(reduce) = Reduce::of(OpRef::new(ctx, region, id)) else { continue };
        let own = groups_with_rows(ctx, region, shape, axes, reduce);
        match (&mut found, own) {
            (None, own) => found = own,
            (Some(found), Some(own)) => found.sums += usize::from(found.is_alongside(&own)),
            (Some(_), None) => {}
        }
    }
    let column = &found.as_ref()?.columns.first()?.0;
    let products = reductions(ctx, region).into_iter().filter(|&id| {
        let reduce = Reduce::of(OpRef::new(ctx, region, id));
        let own = reduce.and_then(|reduce| groups_with_rows(ctx, region, shape, axes, reduce));
        own.is_some_and(|own| own.columns.first().is_some_and(|(name, _)| name == column))
    });
    let after = computed_from(ctx, region, products.flat_map(|id| region.results(id)).collect());
    let all = reductions(ctx, region).into_iter().filter_map(|id| Reduce::of(OpRef::new(ctx, region, id)));
    let along: Vec<Reduce<'_>> = all.filter(|reduce| reduce.axes().contains(&column.as_str())).collect();
    let is_outer = |axis: &&str| shape.outer.iter().any(|(name, _)| name == axis);
    let is_row = |reduce: &Reduce<'_>| {
        let is_known = reduce.combiner().is_some() || weighted(ctx, region, reduce.id).is_some();
        let is_after = reduce.results().all(|result| after.contains(&result));
        let of_rows = |result: ValueId| axes_of(ctx, region.value_type(result)).iter().all(&is_outer);
        is_known && is_after && reduce.axes().len() == 1 && reduce.results().all(of_rows)
    };
    if along.is_empty() || !along.iter().all(is_row) {
        return None;
    }
    found
}

/// Some values, and all that is computed from them.
fn computed_from(ctx: &Context, region: &Body, from: Vec<ValueId>) -> FxHashSet<ValueId> {
    let mut reached: FxHashSet<ValueId> = from.into_iter().collect();
    // What a reduction yields stands before what reads its results.
    for id in region.walk() {
        let op = OpRef::new(ctx, region, id);
        if !op.operands().any(|operand| reached.contains(&operand)) {
            continue;
        }
        match region.parent_op(id).filter(|_| op.is(Yield::DEF)) {
            Some(reduce) => reached.extend(region.results(reduce)),
            None => reached.extend(op.results()),
        }
    }
    reached
}

fn groups_with_rows(
    ctx: &Context,
    region: &Body,
    shape: &Shape,
    axes: &KernelAxes,
    reduce: Reduce<'_>,
) -> Option<Groups> {
    let sum = sum_of_products(ctx, region, reduce)?;
    let is_outer = |axis: &&str| shape.outer.iter().any(|(name, _)| name == axis);
    let result = axes_of(ctx, region.value_type(region.results(reduce.id).next()?));
    let others: Vec<&str> = result.into_iter().filter(|axis| !is_outer(axis)).collect();
    let &[column] = others.as_slice() else { return None };
    if shape.inner.iter().any(|(name, _)| name != column) {
        return None;
    }
    let size = axes.size(column).filter(|size| size.as_constant() != Some(1))?;
    let [lhs, rhs] = sum.factors.map(|factor| axes_of(ctx, region.value_type(factor)));
    let (left, right) = match (lhs.contains(&column), rhs.contains(&column)) {
        (false, true) => (lhs, rhs),
        (true, false) => (rhs, lhs),
        _ => return None,
    };
    let mut groups = sum.groups(ctx);
    groups.holds_rows = true;
    groups.columns.push((column.to_string(), size.clone()));
    for axis in &shape.outer {
        match (left.contains(&axis.0.as_str()), right.contains(&axis.0.as_str())) {
            // Each position would compute the product again.
            (false, false) => return None,
            (true, false) => groups.rows.push(axis.clone()),
            _ => groups.batch.push(axis.clone()),
        }
    }
    (!groups.rows.is_empty()).then_some(groups)
}

/// The most values over rows and columns of a product that are computed before the end of a reduction along the columns and
/// read after it: those that a thread has to hold, at least the sums.
pub fn held_values(ctx: &Context, region: &Body, groups: &Groups) -> usize {
    let Some((column, _)) = groups.columns.first() else { return groups.sums };
    let ops = region.walk();
    let place: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(at, &op)| (op, at)).collect();
    let is_over = |value: ValueId| {
        let axes = axes_of(ctx, region.value_type(value));
        axes.contains(&column.as_str()) && groups.rows.iter().any(|(row, _)| axes.contains(&row.as_str()))
    };
    let is_summed = |value: ValueId| {
        axes_of(ctx, region.value_type(value)).iter().any(|axis| groups.reduced.iter().any(|own| own == axis))
    };
    let used = |value: ValueId| {
        let places = || region.uses(value).filter_map(|used| place.get(&used.op).copied());
        Some((places().min()?, places().max()?))
    };
    // A value is made where it is first needed.
    let made = ops.iter().filter(|&&op| BroadcastInDim::of(OpRef::new(ctx, region, op)).is_none());
    let values = made.flat_map(|&op| region.results(op)).filter(|&value| is_over(value) && !is_summed(value));
    let values: Vec<(usize, usize)> = values.filter_map(used).collect();
    let ends = reductions(ctx, region)
        .into_iter()
        .filter(|&id| Reduce::of(OpRef::new(ctx, region, id)).is_some_and(|reduce| reduce.axes() == [column.as_str()]));
    let end = |id: OpId| {
        let mut inner = vec![id];
        region.walk_regions(id, &mut inner);
        inner.into_iter().filter_map(|op| place.get(&op)).max().copied().unwrap_or(0)
    };
    let live = |end: usize| values.iter().filter(|(first, last)| *first <= end && end < *last).count();
    ends.map(end).map(live).max().unwrap_or(0).max(groups.sums)
}

/// The axis that some reduction reads memory along: memory that has as many axes of the results as any, as what each result
/// reads alike says nothing about it. Positions that are values lie along what these are over.
pub fn reduces_rows(ctx: &Context, region: &Body, shape: &Shape) -> Option<Axis> {
    let axes_at = |read: &Read<'_>, at: &SizeExpr| -> Vec<String> {
        match element_of(at).and_then(|number| read.indices().nth(number)) {
            Some(value) => axes(ctx, region, value).into_iter().map(String::from).collect(),
            None => at.symbols().iter().map(|name| name.to_string()).collect(),
        }
    };
    let reads = region.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, region, op)));
    let reads: Vec<Vec<Vec<String>>> =
        reads.map(|read| read.at().iter().map(|at| axes_at(&read, at)).collect()).collect();
    let has = |at: &[Vec<String>], axis: &str| at.iter().flatten().any(|name| name == axis);
    let results = |at: &[Vec<String>]| shape.outer.iter().filter(|axis| has(at, &axis.0)).count();
    for id in reductions(ctx, region) {
        let reduce = Reduce::of(OpRef::new(ctx, region, id))?;
        if reduce.combiner().is_none() && weighted(ctx, region, id).is_none() {
            continue;
        }
        let last = reduce.axes().last().map(|name| name.to_string())?;
        let across: Vec<&Vec<Vec<String>>> = reads.iter().filter(|at| has(at, &last)).collect();
        let most = across.iter().map(|at| results(at)).max();
        let lies = |at: &&Vec<Vec<String>>| {
            Some(results(at)) == most && at.last().is_some_and(|at| has(std::slice::from_ref(at), &last))
        };
        let along = across.iter().any(lies);
        let size = reduce.sizes().last().cloned()?;
        if along && is_for_lanes(shape, &size) {
            return Some((last, size));
        }
    }
    None
}

/// So many threads are few for a GPU: kernels with fewer wait for one of them.
pub const FEW: i64 = 1 << 13;

/// Whether lanes of a warp are to share a reduction of so many elements: few are worth it only where there are few results.
fn is_for_lanes(shape: &Shape, size: &SizeExpr) -> bool {
    let results =
        shape.outer.iter().chain(&shape.inner).try_fold(1i64, |all, (_, size)| all.checked_mul(size.as_constant()?));
    let is_few = |size: i64| size >= 4 && results.is_some_and(|results| results.saturating_mul(size) < FEW);
    size.as_constant().is_none_or(|size| size >= 32 || is_few(size))
}

/// The axes that threads can share: the last one of each reduction whose parts can be combined.
pub fn axes_to_share(ctx: &Context, region: &Body) -> Vec<Axis> {
    let all = reductions(ctx, region).into_iter().filter_map(|id| Reduce::of(OpRef::new(ctx, region, id)));
    let known = all.filter(|reduce| reduce.combiner().is_some() || weighted(ctx, region, reduce.id).is_some());
    let last =
        |reduce: Reduce<'_>| reduce.axes().last().map(|name| name.to_string()).zip(reduce.sizes().last().cloned());
    known.filter_map(last).collect()
}

/// The most phases of which neighbours lie apart.
const MOST_PHASES: i64 = 4;

/// The least length of runs in which neighbours lie next to each other.
const LEAST_RUN: i64 = 32;

/// The axis of which neighbours lie next to each other, or those of the same phase: that of the last position, `x`, or
/// `x floordiv 2` where another position is `x mod 2`. Runs are phases as well, where the last position is `x mod 64` and others
/// change from run to run alone.
pub struct Neighbours {
    /// The axis.
    pub axis: String,
    /// The position that says which of its phases it is.
    pub phase: Option<SizeExpr>,
    /// Whether the phases are runs.
    pub are_runs: bool,
}

impl Neighbours {
    /// Those of what is read at these positions.
    pub fn of(at: &[SizeExpr]) -> Option<Neighbours> {
        let (last, others) = at.split_last()?;
        if let Some(axis) = last.as_symbol() {
            return Some(Neighbours { axis: axis.to_string(), phase: None, are_runs: false });
        }
        let terms = last.terms();
        if let [(1, whole), (times, run)] | [(times, run), (1, whole)] = terms.as_slice()
            && let ([Factor::Symbol(name)], [Factor::Quotient(of, by)]) = (whole.as_slice(), run.as_slice())
        {
            let length = by.as_constant().filter(|length| *length == -*times && *length >= LEAST_RUN)?;
            let is_of_runs = |factor: &Factor| match factor {
                Factor::Symbol(other) => other != name,
                Factor::Quotient(of, by) => {
                    let is_run = of.as_symbol() == Some(&**name) && by.as_constant().is_some_and(|by| by % length == 0);
                    is_run || !of.symbols().contains(name)
                }
            };
            let mut factors = others.iter().flat_map(SizeExpr::terms).flat_map(|(_, factors)| factors);
            let are_runs = of.as_symbol() == Some(&**name) && factors.all(|factor| is_of_runs(&factor));
            let phase = SizeExpr::symbol(name).and_then(|axis| axis.floordiv(by)).ok();
            return are_runs.then(|| Neighbours { axis: name.to_string(), phase, are_runs });
        }
        let [(1, factors)] = terms.as_slice() else { return None };
        let [Factor::Quotient(of, by)] = factors.as_slice() else { return None };
        by.as_constant().filter(|by| (2..=MOST_PHASES).contains(by))?;
        let phase = of.modulo(by).ok().filter(|phase| others.contains(phase))?;
        Some(Neighbours { axis: of.as_symbol()?.to_string(), phase: Some(phase), are_runs: false })
    }
}

/// The last axis of the results, and the last one that is reduced, where memory is read along the first of them at each
/// position of the second: neighbours have results of their own.
pub fn reduces_columns(ctx: &Context, region: &Body, shape: &Shape) -> Option<[Axis; 2]> {
    let column = shape.outer.last()?;
    let mut along: Option<Axis> = None;
    for id in reductions(ctx, region) {
        let reduce = Reduce::of(OpRef::new(ctx, region, id))?;
        if reduce.combiner().is_none() && weighted(ctx, region, id).is_none() {
            return None;
        }
        let last = reduce.axes().last().map(|name| name.to_string()).zip(reduce.sizes().last().cloned())?;
        if *along.get_or_insert_with(|| last.clone()) != last {
            return None;
        }
    }
    let along = along.filter(|(_, size)| size.as_constant().is_none_or(|size| size >= 32))?;
    let reads = region.walk().into_iter().filter_map(|op| Read::of(OpRef::new(ctx, region, op)));
    let over = |at: &SizeExpr, axis: &Axis| at.symbols().iter().any(|name| **name == *axis.0);
    let has = |at: &[SizeExpr], axis: &Axis| at.iter().any(|at| over(at, axis));
    // What is the same for all columns is read by all lanes at once, and what is that for other results lies as it does.
    let across: Vec<Vec<SizeExpr>> =
        reads.map(|read| read.at()).filter(|at| has(at, &along) && has(at, column)).collect();
    let results = |at: &[SizeExpr]| shape.outer.iter().filter(|axis| has(at, axis)).count();
    let most = across.iter().map(|at| results(at)).max()?;
    let lies = |at: &[SizeExpr]| {
        let neighbours = Neighbours::of(&unshifted(at)?)?;
        let others = &at[..at.len() - 1];
        let is_part = |at: &SizeExpr| neighbours.are_runs || neighbours.phase.as_ref() == Some(at);
        Some(neighbours.axis == column.0 && others.iter().all(|at| !over(at, column) || is_part(at)))
    };
    let mut across = across.iter().filter(|at| results(at) == most);
    across.all(|at| lies(at) == Some(true)).then(|| [column.clone(), along])
}

/// Positions with the last one as without a shift.
fn unshifted(at: &[SizeExpr]) -> Option<Vec<SizeExpr>> {
    let (last, others) = at.split_last()?;
    let shift = last.terms().iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(shift, _)| *shift);
    Some([others, &[last.sub(&shift.into()).ok()?]].concat())
}
