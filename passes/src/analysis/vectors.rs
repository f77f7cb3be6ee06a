//! How many elements of a row of global memory one access may take.
//!
//! Four things decide: how many of them a thread has in a row in its registers, the alignment of the memory, what divides
//! the number of the first element of each row, and whether the guard changes within a vector. What divides sizes comes
//! from `require (K mod 8 == 0)`, what divides positions from the ops that compute them.

use dlc_core::guard::Guard;
use dlc_core::memref::Layout;
use dlc_core::sizes::value_number;
use dlc_ir::affine::{SizeExpr, gcd};
use dlc_ir::{Body, Context, OpRef, ValueId};
use dlc_kernel::global::{GlobalAccess, Row, combines_vectors, names_axis, position, slope};
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::MAX_VECTOR_BYTES;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of};

use super::expressions::divisor;

/// How wide an access may be, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    /// The most that are right for all sizes: a power of two.
    pub vector: u32,
    /// The most that layout and alignment allow; a guard may cut them.
    pub aligned: u32,
    /// The axis of the fragment along which they lie.
    pub axis: usize,
    /// The most that a thread has in a row.
    pub of_layout: u32,
    /// The bytes of an element.
    pub bytes: u32,
    /// What keeps it below that.
    pub limit: Option<Limit>,
}

/// What keeps accesses narrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Rows are known to begin at multiples of so many bytes.
    Alignment(u32),
    /// The guard may change within more elements than these.
    Guard(u32),
    /// A value in the expressions may be another one for each element.
    Gather,
    /// Elements are combined with what is there, one by one.
    Combines,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Alignment(bytes) => write!(f, "rows are known to begin at multiples of {bytes} bytes"),
            Limit::Guard(elements) => write!(f, "the guard is known to be the same for {elements} in a row"),
            Limit::Gather => f.write_str("a position or a guard is a value of each element"),
            Limit::Combines => f.write_str("elements are combined one by one"),
        }
    }
}

/// How wide a load to a fragment, a store or a copy by threads may be. `None` for another op, and where a layout does not
/// fit or elements do not lie one after another along any axis.
pub fn widest(op: OpRef<'_>) -> Option<Width> {
    widest_of(op, &GlobalAccess::of(op)?)
}

/// The same for an access that the op could make, in another layout.
pub fn widest_of(op: OpRef<'_>, access: &GlobalAccess) -> Option<Width> {
    let row = access.row(op)?;
    let bytes = elem_of(op.ctx, access.frag).bits(op.ctx)?.div_ceil(8);
    let width = Width { vector: 1, aligned: 1, axis: row.axis, of_layout: row.elements, bytes, limit: None };
    let limited = |limit: Limit| Some(Width { limit: Some(limit).filter(|_| row.elements > 1), ..width });
    if access.combines.is_some_and(|how| !combines_vectors(how, elem_of(op.ctx, access.frag))) {
        return limited(Limit::Combines);
    }
    if !access.values.iter().all(|&value| is_same_along(op.ctx, op.body, value, row.axis)) {
        return limited(Limit::Gather);
    }
    let alignment = row_alignment(op, access, &row);
    let aligned = row.elements.min((alignment / bytes).max(1));
    let mut vector = aligned;
    let mut limit = (vector < row.elements).then_some(Limit::Alignment(alignment));
    if vector > 1 {
        let runs = whole_runs(op.ctx, op.body, access.guard.as_ref(), row.axis, &access.values);
        while vector > 1 && !runs.is_some_and(|runs| runs.is_multiple_of(vector.into())) {
            vector /= 2;
            limit = Some(Limit::Guard(vector));
        }
    }
    Some(Width { vector, aligned, limit, ..width })
}

/// A power of two of bytes, at most those of the widest access, at whose multiples the rows of an access begin: those of
/// its memory, counted from where the axis of the row is 0.
pub fn row_alignment(op: OpRef<'_>, access: &GlobalAccess, row: &Row) -> u32 {
    let bytes = elem_of(op.ctx, access.frag).bits(op.ctx).map_or(1, |bits| bits.div_ceil(8));
    let first = row.number.substitute(&|name| (axis_number(name) == Some(row.axis)).then(|| SizeExpr::from(0)));
    let first = first.and_then(|first| first.mul(&SizeExpr::from(i64::from(bytes))));
    // Beyond 64 bits nothing is known but what elements are.
    let divides = first.map_or(u64::from(bytes), |first| divisor(op.ctx, op.body, &first, &access.values));
    let alignment = gcd(access.memory.align(op.ctx).unsigned_abs(), divides);
    let alignment = alignment & alignment.wrapping_neg();
    u32::try_from(alignment).unwrap_or(MAX_VECTOR_BYTES).clamp(1, MAX_VECTOR_BYTES)
}

/// Elements of a fragment that lie a few apart in memory along an axis, as those of neighbouring windows do: each is part of
/// a vector that begins at a multiple of its size, and guards hold for all of such a vector or for none of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strided {
    /// The axis of the fragment.
    pub axis: usize,
    /// How many elements of memory lie from one position to the next.
    pub step: i64,
    /// The number of the element where the axis is 0, but for a multiple of the vector.
    pub first: i64,
    /// The elements of a vector: a power of two.
    pub vector: u32,
    /// The bytes of an element.
    pub bytes: u32,
}

/// The most elements that neighbours of a fragment lie apart where vectors hold several of them.
pub const MOST_APART: i64 = 4;

/// The vectors of memory that elements along an axis are part of, the widest ones. `None` where there are none of two
/// elements, and where positions are values of each element.
pub fn strided(op: OpRef<'_>, access: &GlobalAccess, axis: usize) -> Option<Strided> {
    let (ctx, body) = (op.ctx, op.body);
    let number = access.number(ctx)?;
    let step = slope(&number, axis)?.as_constant().filter(|step| (1..=MOST_APART).contains(step))?;
    if access.combines.is_some() || !access.values.iter().all(|&value| is_same_along(ctx, body, value, axis)) {
        return None;
    }
    let bytes = elem_of(ctx, access.frag).bits(ctx).filter(|bits| [16, 32, 64].contains(bits))? / 8;
    let without =
        |expr: &SizeExpr| expr.substitute(&|name| (axis_number(name) == Some(axis)).then(|| SizeExpr::from(0))).ok();
    let rest = without(&number)?;
    let first = rest.terms().into_iter().find(|(_, factors)| factors.is_empty()).map_or(0, |(constant, _)| constant);
    let mut divides = divisor(ctx, body, &rest.sub(&first.into()).ok()?, &access.values);
    divides = gcd(divides, access.memory.align(ctx).unsigned_abs() / u64::from(bytes));
    // A vector of which one element is in memory is there as a whole.
    if access.memory.layout(ctx) != Layout::RowMajor {
        return None;
    }
    divides = gcd(divides, divisor(ctx, body, access.memory.dims(ctx).last()?, &[]));
    let pieces = access.guard.iter().flat_map(|guard| &guard.pieces);
    for condition in pieces.clone().flatten() {
        let bounds = condition.lower.iter().chain(&condition.upper);
        let is_named = names_axis(&condition.expr, axis);
        if bounds.clone().any(|bound| names_axis(bound, axis)) {
            return None;
        }
        if !is_named {
            continue;
        }
        // It changes where the number of the element is a bound and what the bounded expression is less than the number.
        if slope(&condition.expr, axis)?.as_constant() != Some(step) {
            return None;
        }
        let less = SizeExpr::from(first).sub(&without(&condition.expr)?).ok()?;
        for bound in bounds {
            divides = gcd(divides, divisor(ctx, body, &bound.add(&less).ok()?, &access.values));
        }
    }
    let most = MAX_VECTOR_BYTES / bytes;
    let vector = match divides {
        0 => most,
        divides => (divides & divides.wrapping_neg()).min(most.into()) as u32,
    };
    (pieces.count() <= 1 && vector > 1).then_some(Strided { axis, step, first, vector, bytes })
}

/// Whether runs of as many elements along an axis of a fragment are inside of a guard as a whole or not at all, if each
/// begins at a multiple of their number.
pub fn is_whole(ctx: &Context, body: &Body, guard: Option<&Guard>, axis: usize, run: u32, values: &[ValueId]) -> bool {
    whole_runs(ctx, body, guard, axis, values).is_some_and(|runs| runs.is_multiple_of(run.into()))
}

/// A number all of whose divisors are such runs: 0 where the guard does not change along the axis. `None` where nothing is
/// known.
pub fn whole_runs(ctx: &Context, body: &Body, guard: Option<&Guard>, axis: usize, values: &[ValueId]) -> Option<u64> {
    let position = position(axis)?;
    let mut runs = 0;
    // Each is 'something is not negative': it changes only at multiples of the run if it is the position, or less it, and
    // something that the run divides.
    for condition in guard.into_iter().flat_map(|guard| guard.pieces.iter().flatten()) {
        for expr in condition.not_negative().ok()? {
            if !names_axis(&expr, axis) {
                continue;
            }
            let rising = expr.sub(&position).ok().filter(|rest| !names_axis(rest, axis));
            // `room - i - 1 >= 0`
            let falling = || expr.add(&position).and_then(|rest| rest.add(&SizeExpr::from(1))).ok();
            let rest = rising.or_else(|| falling().filter(|rest| !names_axis(rest, axis)))?;
            runs = gcd(runs, divisor(ctx, body, &rest, values));
        }
    }
    Some(runs)
}

/// Whether what a guard holds for lies in a row along an axis: where it holds at both ends of a run, it holds between them,
/// and where each of its bounds holds at neither end, nowhere.
pub fn is_convex(guard: Option<&Guard>, axis: usize) -> bool {
    let is_affine = |expr: &SizeExpr| slope(expr, axis).is_some_and(|slope| slope.as_constant().is_some());
    guard.is_none_or(|guard| {
        guard.pieces.len() <= 1 && guard.pieces.iter().flatten().all(|condition| condition.exprs().all(is_affine))
    })
}

/// Whether a value is a number, or a fragment that is the same along an axis.
fn is_same_along(ctx: &Context, body: &Body, value: ValueId, axis: usize) -> bool {
    if Frag::of(ctx, body.value_type(value)).is_none() {
        return true;
    }
    let Some(op) = body.defining_op(value).map(|op| OpRef::new(ctx, body, op)) else { return false };
    if let Some(broadcast) = kernel::Broadcast::of(op) {
        return usize::try_from(broadcast.axis()) == Ok(axis);
    }
    kernel::Index::of(op).is_some_and(|index| {
        let values: Vec<ValueId> = index.args().collect();
        let named = |name: &str| value_number(name).and_then(|number| values.get(number)).copied();
        index.value().iter().all(|expr| {
            let values = expr.symbols().into_iter().filter_map(|name| named(&name)).collect::<Vec<_>>();
            !names_axis(expr, axis) && values.iter().all(|&value| is_same_along(ctx, body, value, axis))
        })
    })
}
