//! `ldmatrix` and `stmatrix`: whether they move a fragment from or to a tile in shared memory, and how.
//!
//! A matrix is eight rows of 16 bytes in shared memory. Lane 8i + j gives the address of row j of matrix i, and the
//! 32-bit register i of lane l takes word l % 4 of row l / 4; with `.trans`, 16-bit elements, it takes elements l
//! / 4 of rows 2 (l % 4) and the next. Source: PTX ISA, "ldmatrix" and "stmatrix".

use super::access::{Access, Conflicts, bank_conflicts, worst};
use super::distributed::{Distributed, unit};
use super::fragment::{Coords, Fragment};
use super::linear::{Dim, Linear, Span};
use super::shared::SharedTile;

/// How the instructions move a fragment: one instruction for each group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixAccess {
    /// The matrices of an instruction: 1, 2 or 4.
    pub matrices: u32,
    /// Whether each matrix is transposed on its way.
    pub trans: bool,
    /// The map from lanes and warps to the coordinates where the row starts whose address the lane gives, in the first
    /// group of the map; see [`MatrixAccess::row`]. Lanes beyond those of the matrices give the addresses of others.
    pub lanes: Linear,
    /// The instructions.
    pub groups: Vec<MatrixGroup>,
}

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixGroup {
    /// What is added to the coordinates that the lanes give, by exclusive or.
    pub at: Coords,
    /// For each matrix the registers of the fragment in its 32-bit register, the lowest bits first.
    pub registers: Vec<Vec<u32>>,
}

impl MatrixAccess {
    /// The coordinates of the first element of the row that a lane addresses.
    pub fn row(&self, group: &MatrixGroup, lane: u32, warp: u32) -> Coords {
        let at = self.lanes.apply(&[(Dim::Lane, lane), (Dim::Warp, warp)]);
        at.iter().zip(&group.at).map(|(lane, group)| lane ^ group).collect()
    }

    /// The bank conflicts against a tile that begins at `base`, as [`Access::conflicts`](super::Access::conflicts).
    pub fn conflicts(&self, tile: &SharedTile, base: u32, warps: u32) -> Conflicts {
        worst(warps, self.groups.len(), tile.is_even(base), |group, warp| {
            let address = |lane| Some(tile.address(base, &self.row(&self.groups[group], lane, warp)));
            bank_conflicts(&(0..8 * self.matrices).map(address).collect::<Vec<_>>(), 16)
        })
    }
}

/// What a way of moving matrices asks of the registers and lanes.
struct MatrixMove {
    trans: bool,
    /// The slots of the elements of a 32-bit register.
    word: Vec<u64>,
    /// The columns of the three bits of the row of a matrix.
    rows: [u64; 3],
}

impl Fragment {
    /// How `ldmatrix` loads the fragment of a layout where that takes fewer instructions than vectors of registers do.
    pub fn load_by_matrices(&self, layout: &Distributed, vectors: &Access, tile: &SharedTile) -> Option<MatrixAccess> {
        let is_better = layout.has_matrices(self.elem_bits()) && vectors.vector < 8;
        is_better.then(|| self.matrix_access(tile).ok()).flatten()
    }

    /// How `stmatrix`, which `sm90` has, stores the fragment where that takes fewer instructions than vectors do.
    pub fn store_by_matrices(&self, vectors: &Access, tile: &SharedTile) -> Option<MatrixAccess> {
        let is_better = self.elem_bits() == 16 && vectors.vector < 8 && !self.replicates();
        is_better.then(|| self.matrix_access(tile).ok()).flatten()
    }

    /// How `ldmatrix` loads the fragment from a tile of the same shape and elements, and `stmatrix` stores it. An error
    /// says why they do not.
    pub fn matrix_access(&self, tile: &SharedTile) -> Result<MatrixAccess, String> {
        self.fits(tile)?;
        if !matches!(self.elem_bits(), 8 | 16 | 32) {
            return Err(format!("matrices have elements of 8, 16 or 32 bits, not {}", self.elem_bits()));
        }
        let axis = tile.contiguous_axis().ok_or("the tile has no axis")?;
        let columns = self.map().columns();
        let register_bits = self.map().input_bits(Dim::Register) as usize;
        let (registers, threads) = columns.split_at(register_bits);
        let registers = Span::of(registers);
        let step = |step: u32| self.map().join_output(&unit(self.shape().len(), axis, step));
        let per = 32 / self.elem_bits();
        let straight = || {
            let words = step(per)? == threads[0] && step(2 * per)? == threads[1];
            let word = (0..per.ilog2()).map(|bit| registers.solve(step(1 << bit)?)).collect::<Option<Vec<u64>>>()?;
            words.then_some(MatrixMove { trans: false, word, rows: [threads[2], threads[3], threads[4]] })
        };
        let trans = || {
            let lanes = step(1)? == threads[2] && step(2)? == threads[3] && step(4)? == threads[4];
            let fits = lanes && per == 2 && register_bits > 0;
            fits.then(|| MatrixMove { trans: true, word: vec![1], rows: [columns[0], threads[0], threads[1]] })
        };
        let matrix_move = straight().or_else(trans).ok_or_else(|| {
            format!("neither the words of eight rows nor their columns lie along axis {axis}, which is contiguous")
        })?;
        let access = [4, 2, 1].into_iter().find_map(|matrices| self.matrices(tile, axis, &matrix_move, matrices));
        access.ok_or_else(|| "rows of 16 bytes are not aligned, or not in the fragment as a whole".into())
    }

    /// The instructions of so many matrices, if rows are whole and aligned in each of them.
    fn matrices(
        &self,
        tile: &SharedTile,
        axis: usize,
        matrix_move: &MatrixMove,
        matrices: u32,
    ) -> Option<MatrixAccess> {
        let map = self.map();
        let bits = map.input_bits(Dim::Register);
        let per_row = 16 / tile.elem_bytes();
        // The slots next to those of a word, such that they do not step within a row.
        let mut chosen = matrix_move.word.clone();
        let mut others = Vec::new();
        for slot in (0..bits).map(|bit| 1u64 << bit) {
            if Span::of(&chosen).solve(slot).is_some() {
                continue;
            }
            chosen.push(slot);
            let within = |slot: u64| map.split(map.apply_flat(slot))[axis] & (per_row - 1);
            let step = within(slot);
            let in_word =
                matrix_move.word.iter().enumerate().filter(|(bit, _)| !matrix_move.trans && step >> bit & 1 == 1);
            others.push(in_word.fold(slot, |slot, (_, word)| slot ^ word));
        }
        let (inner, outer) = others.split_at_checked(matrices.ilog2() as usize)?;
        let mut lanes: Vec<u64> = matrix_move.rows.to_vec();
        lanes.extend((0..2).map(|bit| inner.get(bit).map_or(0, |&slot| map.apply_flat(slot))));
        let lanes = lanes.iter().map(|&column| map.split(column)).collect();
        let warps = (0..map.input_bits(Dim::Warp)).filter_map(|bit| map.basis(Dim::Warp, bit)).collect();
        let lanes = Linear::new(&[(Dim::Lane, lanes), (Dim::Warp, warps)], map.outputs()).ok()?;
        let sum = |slots: &[u64], number: usize| {
            slots.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1).fold(0, |sum, (_, slot)| sum ^ slot)
        };
        let mut groups = Vec::new();
        for group in 0..1usize << outer.len() {
            let base = sum(outer, group);
            let matrix = |matrix: usize| {
                let element =
                    |at: usize| self.register((base ^ sum(inner, matrix) ^ sum(&matrix_move.word, at)) as u32);
                (0..1 << matrix_move.word.len()).map(element).collect::<Option<Vec<u32>>>()
            };
            let registers: Vec<Option<Vec<u32>>> = (0..matrices as usize).map(matrix).collect();
            if registers.iter().all(Option::is_none) {
                continue;
            }
            let registers = registers.into_iter().collect::<Option<Vec<_>>>()?;
            groups.push(MatrixGroup { at: map.split(map.apply_flat(base)).into(), registers });
        }
        let moved: usize = groups.iter().flat_map(|group| &group.registers).map(Vec::len).sum();
        // Rows start at whole units: no lane and no group steps within one.
        let starts = |flat: u64| map.split(flat)[axis] & (per_row - 1) == 0;
        let rows = lanes.columns().iter().all(|&column| starts(column))
            && outer.iter().all(|&slot| starts(map.apply_flat(slot)));
        let is_possible = moved == self.registers() as usize && self.is_whole() && rows && tile.has_whole_units();
        is_possible.then_some(MatrixAccess { matrices, trans: matrix_move.trans, lanes, groups })
    }
}
