//! Plans of products whose tiles go through all phases of a strided transposed convolution, which are stored side by side.

use dlc_plan::Schedule;
use dlc_plan::clause::{Store, StoreMethod};

use super::warpgroups::{Shape, Warpgroups};
use crate::analysis::boxes::MOST_AXES;
use crate::analysis::masks::slope;

impl Warpgroups<'_> {
    /// Plans of tiles that go through all phases of the results of a side. Threads have neighbouring phases, which they store
    /// together. More of them than 64 leave no registers for the places of results, and of two blocks on an SM one stores
    /// while the other multiplies, as measured.
    pub(super) fn of_phases(&self, side: usize) -> Vec<Schedule> {
        let plans = [128, 64].into_iter().filter_map(|others| {
            let shape = match side {
                0 => Shape { swap: true, ..Shape::of(64, others, 1) },
                _ => Shape::of(others, 64, 1),
            };
            let store = Some(Store { way: StoreMethod::Fragments, panels: None, together: None });
            let plan = Schedule { persistent: None, order: None, store, ..self.plan(shape)? };
            Some(self.two_resident(plan))
        });
        plans.collect()
    }

    /// Whether a side has several axes, of which some are phases: see [`Warpgroups::are_steps`].
    pub(super) fn has_phases(&self, side: usize) -> bool {
        let (factor, axes) = (&self.product.factors[side], [&self.product.rows, &self.product.columns][side]);
        let axes: Vec<&String> = axes.iter().collect();
        let has_steps = |input: usize| !self.maker.facts.inputs[input].is_matrix && self.are_steps(input, &axes);
        self.pixels[side].is_none() && axes.len() > 1 && factor.input.is_some_and(has_steps)
    }

    /// Whether some axes go along axes of a tensor by single steps, one along each and in their order, as those of the filters
    /// and phases of a strided transposed convolution do: `W[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6]`.
    pub(super) fn are_steps(&self, input: usize, axes: &[&String]) -> bool {
        let mut reads = self.maker.facts.reads.iter().filter(|read| read.input == input);
        reads.all(|read| {
            let dims = axes.iter().map(|axis| {
                let mut named = (0..read.at.len()).filter(|&dim| slope(&read.at[dim], axis) != Some(0));
                let (Some(dim), None) = (named.next(), named.next()) else { return None };
                (slope(&read.at[dim], axis) == Some(1)).then_some(dim)
            });
            let dims: Option<Vec<usize>> = dims.collect();
            read.at.len() <= MOST_AXES && dims.is_some_and(|dims| dims.is_sorted_by(|before, after| before < after))
        })
    }

    /// Whether a tile has all positions of some axes but the first one: rows go through them as through the digits of a number.
    pub(super) fn are_whole(&self, tile: &Schedule, axes: &[&String]) -> bool {
        let kernel = &self.maker.facts.axes;
        let size = |axis: &str| kernel.position(axis).and_then(|at| kernel.sizes.get(at)?.as_constant());
        axes.iter().skip(1).all(|axis| size(axis) == Some(tile.tile_of(axis)))
    }
}
