//! Plans by which blocks share each sum, as there are few tiles and sums are long: parts of it, added through memory in one
//! order.

use dlc_plan::Schedule;
use dlc_plan::clause::{Split, Through};
use dlc_plan::value::Table;

use super::candidates::CandidateGenerator;

/// The steps that a part has at least: of threads that each have several elements, and of tiles that are multiplied.
const LEAST_STEPS: [i64; 2] = [4, 8];

/// The elements that are summed for a result at least, where threads do nothing but sum.
const LEAST_SUMMED: f64 = 4096.0;

impl CandidateGenerator<'_> {
    /// How the blocks of a plan share each sum, so many of them on each SM, where each part has enough steps;
    /// `along` is the axis that is cut, if threads go along one.
    pub(super) fn parts(&self, plan: &Schedule, along: Option<&str>, blocks: i64) -> Option<Split> {
        let facts = self.facts;
        let results = facts.iters().iter().filter(|axis| Some(axis.as_str()) != along);
        let count = |axis: &String| (facts.size(axis) as f64 / plan.tile_of(axis).max(1) as f64).ceil();
        let tiles: f64 = results.map(count).product();
        let steps = |axis: &String| facts.size(axis).max(1) as f64 / plan.tile_of(axis).max(1) as f64;
        let steps: f64 = facts.reduced.iter().map(steps).product();
        let most = steps / LEAST_STEPS[usize::from(along.is_none())] as f64;
        let parts = ((self.target.sms * blocks) as f64 / tiles.max(1.0)).min(most) as i64;
        let (parts, along) = (parts.min(Split::MOST_PARTS), along.map(String::from));
        (parts > 1).then_some(Split { parts, along, through: Some(Through::Workspace) })
    }

    /// Adds to plans the same with split-K. Of threads that sum along an axis, several blocks of an
    /// SM have a part each.
    pub(super) fn share_sums(&self, plans: &mut Vec<Schedule>, along: Option<&str>) {
        let summed = self.facts.points(self.facts.reduced.iter().map(String::as_str));
        let is_long = along.is_none() || summed >= LEAST_SUMMED;
        if !is_long || self.facts.whole_rows.is_some() || self.facts.products.len() > 1 {
            return;
        }
        let mut shared: Vec<Schedule> = Vec::new();
        // The outer loop is cut. Windows that stay in shared memory while the inner ones go on are for one loop.
        let is_step = |plan: &Schedule, axis: &&String| self.facts.size(axis) > plan.tile_of(axis).max(1);
        let loops = |plan: &Schedule| self.facts.reduced.iter().filter(|axis| is_step(plan, axis)).count();
        let is_cut = |plan: &&Schedule| along.is_some() || plan.algo.is_none() || loops(plan) <= 1;
        for plan in plans.iter().filter(is_cut) {
            let threads = plan.threads.as_ref().and_then(Table::product).unwrap_or(1).max(1);
            let most = (self.target.threads_per_sm / threads).min(self.target.max_blocks_per_sm);
            let most = if along.is_some() { most } else { 1 };
            for blocks in [1, 2, 4, 8, 16, 32].into_iter().filter(|&blocks| blocks <= most) {
                let own = Schedule { split_k: self.parts(plan, along, blocks), ..plan.clone() };
                if own.split_k.is_some() && shared.last() != Some(&own) {
                    shared.push(own);
                }
            }
        }
        plans.extend(shared);
    }
}
