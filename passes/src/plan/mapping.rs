//! Where the axes of a region go: to blocks, to the rows and columns of fragments, to loops.

use dlc_plan::Schedule;

use super::shape::Axis;
use super::tiling::Tiling;

/// Where the axes of a region go.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Axes of blocks alone, each block at one position.
    pub batch: Vec<Axis>,
    /// Axes of blocks alone that neighbouring blocks are along: the phases of a strided transposed convolution.
    pub near: Vec<Axis>,
    /// The axes along the rows of fragments.
    pub rows: Vec<Axis>,
    /// The axes along their columns.
    pub columns: Vec<Axis>,
    /// The axis along their columns of which a block has all positions, as reductions go along it after the product.
    pub held: Option<Axis>,
    /// Axes of the results that reductions go over before: results are stored in loops over them.
    pub inner: Vec<Axis>,
    /// The tile and its threads.
    pub tiling: Tiling,
    /// The axis that threads share a reduction or a scan along.
    pub along: Option<String>,
    /// How many positions of that axis a scan has together: blocks have so many each.
    pub every: Option<i64>,
    /// How many products the tile is for.
    pub products: usize,
    /// How many elements an instruction of tensor cores is deep.
    pub deep: i64,
    /// Whether the tile is that of the plan.
    pub is_planned: bool,
    /// Whether rows are reduced, and then blocks are not those that the plan counts on, unless it maps them.
    pub is_of_rows: bool,
    /// Whether the plan keeps whole rows in registers.
    pub keeps_rows: bool,
    /// The reduced axes that each thread goes over for its own elements of a planned tile.
    pub own: Vec<Axis>,
}

impl Mapping {
    /// The axis of a side of the tile that neighbours in it are along: of the rows, or of the columns.
    pub fn last_of(&self, side: usize) -> Option<&str> {
        let axis = if side == 0 { self.rows.last() } else { self.columns.last().or(self.held.as_ref()) };
        axis.map(|(name, _)| name.as_str())
    }

    /// The axes that each thread goes over in line, as the plan unrolls loops over all of their positions.
    pub fn unrolled(&self, plan: &Schedule) -> Vec<String> {
        let steps = |axis: &str| plan.unroll.as_ref().map_or(1, |unroll| unroll.along(axis));
        let is_whole = |(axis, size): &&Axis| size.as_constant().is_some_and(|size| size > 1 && steps(axis) == size);
        self.own.iter().filter(is_whole).map(|(axis, _)| axis.clone()).collect()
    }

    /// How many blocks share an SM, if the plan says so: blocks that are others than the plan's take what they
    /// need.
    pub fn resident(&self, plan: Option<&Schedule>) -> Option<i64> {
        plan.filter(|_| !self.is_of_rows || self.keeps_rows).and_then(|plan| plan.blocks_per_sm)
    }
}
