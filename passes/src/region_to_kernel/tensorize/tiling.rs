//! How a kernel is tiled: what the plan says, and what follows where it is silent.

use dlc_ir::affine::SizeExpr;
use dlc_kernel::layout::Distributed;

use super::axes::tile_of;

/// What multiplies matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// Each thread, one product after the other.
    Fma,
    /// A warp, from registers.
    Mma,
    /// Four warps, from shared memory.
    Wgmma,
}

/// A kernel around a product of matrices.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    pub instruction: Instruction,
    /// How much of the reduced axes is in shared memory at once.
    pub depth: u32,
}

/// The tiles of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Tiling {
    /// The tile along the first axis of fragments and along the second.
    pub tile: [u32; 2],
    /// How much of a reduced axis is looked at at once, spread over the lanes of a warp; 1 for one position at a time.
    pub along: u32,
    pub matrix: Option<Matrix>,
    /// The layout of fragments over both axes.
    pub layout: Distributed,
    /// The warps of a block.
    pub warps: u32,
}

/// The threads of a block where no plan says.
const WARPS: u32 = 4;

impl Tiling {
    /// Of elements alone: rows of the last axis.
    pub fn of_elements(columns: &SizeExpr) -> Tiling {
        let wide = tile_of(columns, 128, 128);
        let each = wide.min(4);
        let lanes = (wide / each).min(32);
        let rows = (512 / wide).max(1);
        let layout = Distributed::blocked(&[1, each], &[32 / lanes, lanes], &[WARPS, 1]);
        Tiling { tile: [rows, wide], along: 1, matrix: None, layout, warps: WARPS }
    }

    /// Of rows that are reduced: a warp has some, its lanes share the axis.
    pub fn of_rows(along: &SizeExpr) -> Tiling {
        let along = tile_of(along, 1024, 256).max(32);
        let layout = Distributed::blocked(&[1, (along / 32).min(8)], &[1, 32], &[WARPS, 1]);
        Tiling { tile: [WARPS, 1], along, matrix: None, layout, warps: WARPS }
    }

    /// Around a product of matrices, with what may be assumed of any target: `mma` for halves, multiplications for others.
    pub fn of_matrix(rows: &SizeExpr, columns: &SizeExpr, halves: bool) -> Tiling {
        let (high, wide) = (tile_of(rows, 64, 64).max(32), tile_of(columns, 64, 64).max(16));
        let (instruction, depth, layout) = match halves {
            true => (Instruction::Mma, 32, Distributed::Mma([2, 2])),
            false => (Instruction::Fma, 16, Distributed::blocked(&[4, 4], &[4, 8], &[2, 2])),
        };
        Tiling { tile: [high, wide], along: 1, matrix: Some(Matrix { instruction, depth }), layout, warps: WARPS }
    }

    /// How the threads of a block share a tile of these sizes that they copy, with neighbours along an axis.
    pub fn copying(&self, shape: [u32; 2], along: usize) -> Distributed {
        let size = shape[along].next_power_of_two();
        let each = size.min(8);
        let lanes = (size / each).min(32);
        let mut grids = [[1, 1], [1, 1], [1, 1]];
        grids[0][along] = each;
        grids[1][along] = lanes;
        grids[1][1 - along] = 32 / lanes;
        grids[2][1 - along] = self.warps;
        match Distributed::blocked(&grids[0], &grids[1], &grids[2]) {
            Distributed::Blocked(mut blocked) => {
                blocked.order = vec![along as u32, 1 - along as u32];
                Distributed::Blocked(blocked)
            }
            layout => layout,
        }
    }
}
