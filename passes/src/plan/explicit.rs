//! A resolved plan as clauses again: each decision that the plan left open is one.

use dlc_kernel::layout::{Blocked, Distributed};
use dlc_plan::Schedule;
use dlc_plan::clause::{Instruction, Kind, Place};
use dlc_plan::value::Table;

use super::clauses::wgmma_columns;
use super::defaults;
use super::resolved::ResolvedPlan;

impl ResolvedPlan {
    /// The plan that this was resolved from, with a clause for each decision that it left open. Resolving that gives the
    /// same kernel, and the same clauses.
    pub fn explicit(&self, plan: &Schedule) -> Schedule {
        let mut all = plan.clone();
        if let Some(roles) = &plan.roles {
            all.barrier = Some(defaults::barrier(plan));
            all.stages = Some(defaults::stages(plan));
            if let (None, Some((producer, consumer))) = (&plan.registers, defaults::registers_of(plan, roles)) {
                all.registers = Some(Table::of([("producer", producer), ("consumer", consumer)]));
            }
        }
        // The default tile is over several axes at once.
        if !self.mapping.is_planned {
            return all;
        }
        let keeps_rows = plan.caches.iter().any(|cache| cache.place == Place::Reg);
        if plan.reduced.is_none() && !keeps_rows {
            all.reduced = Some(self.reduced.clone());
        }
        match self.mapping.products {
            // An instruction says nothing of such a kernel, and is held against the threads of products.
            0 if plan.instruction.is_some() => {}
            0 => self.explicit_threads(&mut all),
            _ => self.explicit_product(&mut all),
        }
        all
    }

    /// A product: its tile along all axes, its instruction, and how warps and threads share the tile.
    fn explicit_product(&self, plan: &mut Schedule) {
        let mapping = &self.mapping;
        if let Some(tile) = &mut plan.tile {
            let results = mapping
                .batch
                .iter()
                .chain(&mapping.near)
                .chain(&mapping.rows)
                .chain(&mapping.columns)
                .map(|(axis, _)| axis);
            for axis in results.rev().filter(|axis| !self.reduced.contains(axis)) {
                if tile.get(axis).is_none() {
                    tile.0.insert(0, (axis.clone(), 1));
                }
            }
            for axis in &self.reduced {
                if tile.get(axis).is_none() {
                    tile.0.push((axis.clone(), 1));
                }
            }
        }
        let kind = match &mapping.tiling.layout {
            Distributed::Mma(_) => Kind::Mma,
            Distributed::Wgmma => Kind::Wgmma,
            _ => Kind::Fma,
        };
        // How deep it is follows from the type of the factors, which a plan may leave open; without it 16 bits are meant.
        let is_known = mapping.deep == 16 || plan.operand_type().is_some();
        let given = plan.instruction.as_ref().and_then(|of| of.shape.clone());
        let promote = plan.instruction.as_ref().is_some_and(|of| of.promote);
        // A tile of a warp changes nothing for 'wgmma', and need not be one of whole instructions.
        let is_known = is_known && (kind != Kind::Wgmma || plan.warp_tile.is_none());
        let shape = given.or_else(|| self.shape(kind).filter(|_| is_known));
        let precision = plan.instruction.as_ref().and_then(|of| of.precision);
        plan.instruction = Some(Instruction { kind, shape, promote, precision });
        match &mapping.tiling.layout {
            Distributed::Mma(warps) if plan.warps.is_none() && plan.warp_tile.is_none() => {
                plan.warps = Some(self.sides(*warps));
            }
            Distributed::Blocked(Blocked { thread, lanes, warps, .. }) => {
                let sides = |grid: &[u32]| self.sides([grid[0], grid[1]]);
                plan.thread_tile.get_or_insert_with(|| sides(thread));
                plan.lanes.get_or_insert_with(|| sides(lanes));
                plan.warps.get_or_insert_with(|| sides(warps));
            }
            _ => {}
        }
        let is_asynchronous = plan.overlap.as_ref().is_some_and(|overlap| overlap.enable);
        if mapping.tiling.matrix.is_some() {
            plan.stages = Some(defaults::stages(plan));
            if plan.barrier.is_none() && !is_asynchronous {
                plan.barrier = Some(defaults::barrier(plan));
            }
        }
    }

    /// Rows, columns of one position, or elements: the grid of threads, and what each has next to each other.
    fn explicit_threads(&self, plan: &mut Schedule) {
        let mapping = &self.mapping;
        let Distributed::Blocked(Blocked { thread, lanes, warps, .. }) = &mapping.tiling.layout else { return };
        // What is reduced along memory lies along the second axis, and so does what is reduced across it.
        let column = mapping.along.as_ref().or(mapping.columns.last().map(|(axis, _)| axis));
        let (first, second) = (mapping.rows.last().map(|(axis, _)| axis), column);
        let tile = plan.tile.clone().unwrap_or_default();
        let table = |counts: [u32; 2]| {
            let entry = |(axis, count): (Option<&String>, u32)| {
                axis.filter(|axis| tile.get(axis).is_some()).map(|axis| (axis.clone(), i64::from(count)))
            };
            Table([(first, counts[0]), (second, counts[1])].into_iter().filter_map(entry).collect())
        };
        let threads = [lanes[0] * warps[0], lanes[1] * warps[1]];
        plan.threads.get_or_insert_with(|| table(threads));
        plan.thread_tile.get_or_insert_with(|| {
            let mut each = table([thread[0], thread[1]]);
            each.0.retain(|(_, count)| *count > 1);
            each
        });
        plan.thread_tile = plan.thread_tile.take().filter(|each| !each.0.is_empty());
    }

    /// The shape of one instruction: the largest that divides the tile.
    fn shape(&self, kind: Kind) -> Option<Vec<i64>> {
        let columns = self.mapping.tiling.tile[1];
        match kind {
            Kind::Fma => None,
            Kind::Mma => Some(vec![16, 8, self.mapping.deep]),
            Kind::Wgmma => Some(vec![64, wgmma_columns(columns.into())?, self.mapping.deep]),
        }
    }

    /// Numbers of rows and columns, by the last axis of each.
    fn sides(&self, counts: [u32; 2]) -> Table<i64> {
        let sides = [0, 1].map(|side| self.mapping.last_of(side)).into_iter().zip(counts);
        Table(sides.filter_map(|(axis, count)| Some((axis?.to_string(), count.into()))).collect())
    }
}
