//! Plans of kernels that go along rows with running values: a tile for rows of the length that they have, and accesses of 16
//! bytes where the sizes allow it.

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

/// The plan of a kernel with a scan, for the sizes that `assume` gives symbols; `None` where the default mapping is the only
/// one: along columns, and of what no plan fits.
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
    if column.is_some() {
        return None;
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
    let mut plan = Schedule {
        tile: Some(table(tiling.tile[0], tiling.along)),
        thread_tile: Some(Table::of([(along.as_str(), i64::from(layout.thread[1]))])),
        threads: Some(table(layout.lanes[0] * layout.warps[0], layout.lanes[1] * layout.warps[1])),
        assume: Some(divisors).filter(|divisors| !divisors.0.is_empty()),
        vectors,
        ..base.clone()
    };
    if check(ctx, &plan, target).into_iter().next().is_some() {
        return None;
    }
    let resolved = resolve(ctx, kernel, Some(&plan), std::slice::from_ref(target), true).ok()?;
    resolved.unfollowed.iter().for_each(|(word, _)| plan.clear(word));
    Some(plan)
}
