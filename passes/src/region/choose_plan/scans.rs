//! Plans of kernels with running values. Along rows: a tile for rows of the length that they have, and 16-byte accesses
//! where the sizes allow it. Along columns that are few or short: as many lanes next to each other as there are columns, and as
//! many warps below each other as the length asks for.

use dlc_ir::affine::SizeExpr;
use dlc_ir::{Body, Context};
use dlc_kernel::layout::Distributed;
use dlc_plan::check::check;
use dlc_plan::value::Table;
use dlc_plan::{Schedule, Target};

use super::candidates::CandidateGenerator;
use super::facts::{Facts, bits};
use crate::plan::resolved::resolve;
use crate::plan::shape::{Scanned, Shape, scanned};
use crate::plan::tiling::{Form, Tiling};

/// The lanes of a warp, the most warps that share a column, and the fewest warps of a block.
const LANES: u32 = 32;
const MOST_WARPS: u32 = 16;
const LEAST_WARPS: u32 = 4;
/// The elements of a column that a thread has next to each other where it has them all of a tile, and how many where lanes
/// share a column; of these it has some.
const OWN: u32 = 16;
const OWN_OF_LANES: u32 = 4;
const REPEATS: u32 = 4;

/// The plan of a kernel with a scan, for the sizes that `assume` gives symbols; `None` where the default mapping is the best:
/// of many long columns, and of what no plan fits.
pub fn plan(
    ctx: &Context,
    kernel: &Body,
    base: &Schedule,
    target: &Target,
    assume: &dyn Fn(&str) -> i64,
) -> Option<Schedule> {
    let facts = Facts::of(ctx, kernel, assume)?;
    let shape = Shape::of(ctx, kernel, &facts.axes);
    let Scanned { along: (along, _), column, every, operands } = scanned(ctx, kernel, &shape).ok()??;
    if let Some((column, _)) = column {
        let length = every.unwrap_or_else(|| facts.size(&along));
        let plan = of_columns([&along, &column], [length, facts.size(&column)], operands, base)?;
        return follows(ctx, kernel, plan, target);
    }
    let maker = CandidateGenerator { ctx, body: kernel, facts: &facts, target, base: base.clone(), precision: None };
    let mut divisors = Table::default();
    let vectors = maker.vectors(&mut divisors);
    let length = SizeExpr::from(every.unwrap_or_else(|| facts.size(&along)));
    let tensors = facts.inputs.iter().chain(&facts.outputs);
    let most = tensors.map(|tensor| bits(ctx, tensor.elem) as u32).max().unwrap_or(32);
    let form = Form::ScannedRows { single: shape.outer.is_empty(), bits: most, operands };
    let tiling = Tiling::by_default(form, [&SizeExpr::from(1), &length]);
    let Distributed::Blocked(layout) = &tiling.layout else { return None };
    // The last of the other axes has the rows of a block.
    let last = shape.outer.len().saturating_sub(1);
    let table = |rows: u32, own: u32| {
        let rows = shape.outer.iter().enumerate().map(|(at, (name, _))| (name, if at == last { rows } else { 1 }));
        let all = rows.chain([(&along, own)]);
        Table(all.map(|(name, extent)| (name.clone(), i64::from(extent))).collect())
    };
    let plan = Schedule {
        tile: Some(table(tiling.tile[0], tiling.reduction_tile)),
        thread_tile: Some(Table::of([(along.as_str(), i64::from(layout.thread[1]))])),
        threads: Some(table(layout.lanes[0] * layout.warps[0], layout.lanes[1] * layout.warps[1])),
        assume: Some(divisors).filter(|divisors| !divisors.0.is_empty()),
        vectors,
        ..base.clone()
    };
    follows(ctx, kernel, plan, target)
}

/// A plan without the clauses that this kernel does not follow, if there is such a kernel.
fn follows(ctx: &Context, kernel: &Body, mut plan: Schedule, target: &Target) -> Option<Schedule> {
    if check(ctx, &plan, target).into_iter().next().is_some() {
        return None;
    }
    let resolved = resolve(ctx, kernel, Some(&plan), std::slice::from_ref(target), true).ok()?;
    resolved.unfollowed.iter().for_each(|(word, _)| plan.clear(word));
    Some(plan)
}

/// The plan of a scan along columns of some length, of which there are so many; `None` where both are at least those of the
/// tile by default.
fn of_columns(
    [along, column]: [&str; 2],
    [length, columns]: [i64; 2],
    operands: u32,
    base: &Schedule,
) -> Option<Schedule> {
    let power = |count: i64, most: u32| u32::try_from(count.max(1)).map_or(most, |n| n.next_power_of_two().min(most));
    if columns >= i64::from(LANES) && length >= i64::from(OWN * MOST_WARPS) {
        return None;
    }
    let wide = power(columns, LANES);
    let lanes = LANES / wide;
    let (own, repeats) =
        if lanes == 1 { (power(length, OWN), 1) } else { (OWN_OF_LANES, (REPEATS / operands.max(1)).max(1)) };
    let each = i64::from(own * lanes * repeats);
    let warps = power((length - 1) / each + 1, MOST_WARPS);
    // Short columns leave warps for others next to them.
    let alongside = if wide == LANES { LEAST_WARPS.div_ceil(warps) } else { 1 };
    let alongside = alongside.min(power((columns - 1) / i64::from(LANES) + 1, LEAST_WARPS));
    let table = |[below, alongside]: [u32; 2]| Table::of([(along, i64::from(below)), (column, i64::from(alongside))]);
    Some(Schedule {
        tile: Some(table([own * lanes * repeats * warps, wide * alongside])),
        thread_tile: Some(table([own, 1])),
        threads: Some(table([lanes * warps, wide * alongside])),
        ..base.clone()
    })
}
