//! Whether the sums of a resolved plan fit into the registers of a thread.

use dlc_core::scalar::Combiner;
use dlc_ir::OpId;
use dlc_ir::body::OpRef;
use dlc_kernel::layout::Distributed;
use dlc_plan::Schedule;
use dlc_plan::check::TOO_MANY_REGISTERS;
use dlc_plan::clause::Kind;
use dlc_plan::footprint::{OVERHEAD, WARP};
use dlc_region::ops::Reduce;
use dlc_region::verify::axes_of;

use super::defaults;
use super::mapping::Mapping;
use super::repair::halve;
use super::resolved::{Refused, Resolver};
use super::shape::{Groups, held_values};
use super::tiling::{MMA_ROWS, Tiling, WGMMA_ROWS};
use crate::analysis::axes::reductions;

impl Resolver<'_> {
    /// All accumulators that are live together fit into the registers of a thread.
    pub(super) fn registers(&self, mapping: &Mapping, groups: Option<&Groups>) -> Result<(), Refused> {
        let (Some(groups), Some(plan)) = (groups, self.plan.filter(|plan| plan.tile.is_some())) else { return Ok(()) };
        let tiling = &mapping.tiling;
        let Some(matrix) = &tiling.matrix else { return Ok(()) };
        // Consumers that share a tile have a part of its rows each.
        let parts = defaults::sharing(plan);
        let Ok(fragment) = tiling.layout.place_once(self.ctx, &tiling.tile, 32, tiling.warps) else { return Ok(()) };
        let count = if groups.holds_rows { held_values(self.ctx, self.region, groups) } else { groups.sums };
        // A product that is promoted lies next to the sums.
        let count = count as i64 + i64::from(matrix.promote);
        let sums = i64::from(fragment.registers()) * count / parts;
        let (before, step) = self.sums_before(plan, tiling, groups);
        let given = |role: &str| plan.registers.as_ref().and_then(|table| table.get(role)).copied();
        let most = self.targets.iter().map(|target| target.registers_per_thread).min().unwrap_or(255);
        let of_role = plan.roles.as_ref().filter(|_| groups.holds_rows);
        let of_role = of_role.and_then(|roles| defaults::registers_of(plan, roles)).map(|(_, consumer)| consumer);
        let budget = given("consumer").or(given("thread")).or(of_role).unwrap_or(most).min(most);
        // What the products and the rest need besides them.
        let least = if matrix.instruction == Kind::Fma { 0 } else { OVERHEAD };
        if sums + before + least <= budget {
            return Ok(());
        }
        if groups.holds_rows {
            return self.rows_without_room(mapping, count as usize, [sums, least, budget]);
        }
        let each = match (groups.sums, matrix.promote) {
            (1, promote) => if promote { "a sum and a product of " } else { "" }.to_string(),
            (sums, _) => format!("{sums} sums of "),
        };
        let [rows, columns] = [tiling.tile[0] as i64 / parts, tiling.tile[1] as i64];
        let others = match before {
            0 => format!(" besides some {least} more"),
            _ => format!(", the sums of {rows} x {step} before them {before}, and some {least} more"),
        };
        let message =
            format!("{each}{rows} x {columns} take {sums} registers of each thread{others}, and it has {budget}");
        let [rows, columns] = [&mapping.rows, &mapping.columns].map(|axes| axes.last().map(|(name, _)| name.clone()));
        let wide = if before > sums { groups.reduced.last().cloned() } else { columns };
        self.refuse_with(&["tile"], &TOO_MANY_REGISTERS, message, move |plan| halve(plan, [&rows, &wide]))
    }

    /// Refuses rows that are reduced after their product and do not fit into the registers of those that hold them.
    fn rows_without_room(
        &self,
        mapping: &Mapping,
        values: usize,
        [sums, least, budget]: [i64; 3],
    ) -> Result<(), Refused> {
        let tiling = &mapping.tiling;
        let [high, columns] = tiling.tile.map(i64::from);
        let what = if values > 1 { format!("{values} values of ") } else { String::new() };
        let most = (budget - least).max(0) * columns / sums.max(1) / 8 * 8;
        let column = mapping.last_of(1).unwrap_or_default();
        let message = format!(
            "{what}{high} x {columns}, rows that are reduced after the product, take {sums} registers of each thread besides \
             some {least} more, and it has {budget}: rows of {most} columns along '{column}' would fit"
        );
        let parts = self.plan.map_or(1, defaults::sharing);
        let fewest = match tiling.layout {
            Distributed::Wgmma => i64::from(WGMMA_ROWS) * parts,
            _ => i64::from(MMA_ROWS),
        };
        let row = mapping.last_of(0).map(String::from);
        self.refuse_with(&["tile"], &TOO_MANY_REGISTERS, message, move |plan| {
            if row.as_ref().is_some_and(|row| plan.tile_of(row) > fewest) {
                halve(plan, [&row, &None]);
            }
        })
    }

    /// The registers of each thread for the sums of the products that the last one takes its factor from, where tensor cores
    /// give them: the step of the last sum that they are for is besides its own. And that step.
    fn sums_before(&self, plan: &Schedule, tiling: &Tiling, groups: &Groups) -> (i64, i64) {
        let (ctx, region) = (self.ctx, self.region);
        let is_fma = tiling.matrix.as_ref().is_none_or(|matrix| matrix.instruction == Kind::Fma);
        let row = groups.rows.last().filter(|_| !is_fma).map(|(axis, _)| axis.as_str());
        let Some((row, along)) = row.zip(groups.reduced.last()) else { return (0, 0) };
        let is_before = |id: &OpId| {
            let reduce = Reduce::of(OpRef::new(ctx, region, *id));
            reduce.is_some_and(|reduce| reduce.combiner() == Some(Combiner::Sum)) && {
                let axes =
                    region.results(*id).next().map(|sum| axes_of(ctx, region.value_type(sum))).unwrap_or_default();
                axes.contains(&row) && axes.contains(&along.as_str())
            }
        };
        let count = reductions(ctx, region).into_iter().filter(is_before).count() as i64;
        let step = plan.tile_of(along);
        let threads = i64::from(tiling.warps).saturating_mul(WARP).saturating_mul(defaults::sharing(plan));
        let elems = (tiling.tile[0] as i64).saturating_mul(step).saturating_mul(count);
        (elems.div_euclid(threads.max(1)), step)
    }
}
