//! The fragments of the matrix instructions `mma.sync` and `wgmma`.
//!
//! All of them have one shape. Let g be `lane / 4` and q be `lane % 4`. An accumulator (m16n8) has the rows g and g+8 and
//! the columns 2q and 2q+1. An A operand (m16 by K of 32 bytes) has the rows g and g+8, and along K the elements of word
//! q and of word q+4; a B operand has column g and the same words. A warp of `wgmma` holds 16 of 64 rows so.
//! Source: PTX ISA, "Matrix Fragments for mma.m16n8k" and "Register Fragments for wgmma.mma_async.m64nNk".

use super::distributed::{Bases, Sizes, unit};
use super::linear::Linear;

/// What one instruction takes or gives of one operand, by the axes of its tile.
pub(super) struct Operand {
    /// The axis that g numbers.
    group: usize,
    /// The axis that q numbers.
    word: usize,
    /// The elements that q steps over.
    step: u32,
    /// What the registers of one instruction step over, the lowest bit first: axes and elements.
    registers: [Option<(usize, u32)>; 4],
    /// The rows and columns of one instruction.
    tile: [u32; 2],
    /// The axis of K, which is not spread over warps.
    k: Option<usize>,
}

/// The accumulator [M, N].
pub(super) const ACCUMULATOR: Operand =
    Operand { group: 0, word: 1, step: 2, registers: [Some((1, 1)), Some((0, 8)), None, None], tile: [16, 8], k: None };

/// The A operand [M, K] with elements of so many bits.
pub(super) fn a_operand(elem_bits: u32) -> Result<Operand, String> {
    let per = per_word(elem_bits)?;
    let [low, high] = within_word(1, per);
    let registers = [low, high, Some((0, 8)), Some((1, 4 * per))];
    Ok(Operand { group: 0, word: 1, step: per, registers, tile: [16, 8 * per], k: Some(1) })
}

/// The B operand [K, N] with elements of so many bits.
pub(super) fn b_operand(elem_bits: u32) -> Result<Operand, String> {
    let per = per_word(elem_bits)?;
    let [low, high] = within_word(0, per);
    let registers = [low, high, Some((0, 4 * per)), None];
    Ok(Operand { group: 1, word: 0, step: per, registers, tile: [8 * per, 8], k: Some(0) })
}

/// The elements of a 32-bit register.
fn per_word(elem_bits: u32) -> Result<u32, String> {
    match elem_bits {
        8 | 16 | 32 => Ok(32 / elem_bits),
        _ => Err(format!("operands of mma and wgmma have elements of 8, 16 or 32 bits, not {elem_bits}")),
    }
}

fn within_word(axis: usize, per: u32) -> [Option<(usize, u32)>; 2] {
    [(per > 1).then_some((axis, 1)), (per > 2).then_some((axis, 2))]
}

impl Operand {
    /// The columns of one instruction in one warp, in a tile of rank 2.
    fn bases(&self, sizes: Sizes<'_>) -> Bases {
        let mut bases = Bases::default();
        // A tile with half of K does without the registers of the other half.
        let steps = self.registers.iter().flatten();
        let inside = steps.filter(|&&(axis, step)| sizes[axis].is_none_or(|size| step < size));
        bases.register = inside.map(|&(axis, step)| unit(2, axis, step)).collect();
        bases.lane = vec![unit(2, self.word, self.step), unit(2, self.word, 2 * self.step)];
        bases.lane.extend([1, 2, 4].map(|step| unit(2, self.group, step)));
        bases
    }

    /// Registers for what one instruction in each warp does not cover: the axis of the words first, then the other.
    fn repeat(&self, bases: &mut Bases, covered: [u32; 2], sizes: Sizes<'_>) {
        for axis in [self.word, self.group] {
            bases.repeat(axis, covered[axis], sizes);
        }
    }
}

/// The map of `wgmma`: four warps hold 64 rows, the next four the next 64. `warps` may be no power of two if the rows
/// are just enough for them.
pub(super) fn wgmma(operand: &Operand, sizes: Sizes<'_>, warps: u32) -> Result<Linear, String> {
    if !warps.is_multiple_of(4) {
        return Err(format!("wgmma takes four warps or a multiple of four, not {warps}"));
    }
    let rows = 16 * warps;
    match sizes[0] {
        Some(size) if !warps.is_power_of_two() && size != rows => {
            return Err(format!("{warps} warps of wgmma hold {rows} rows, not {size}"));
        }
        Some(size) if !size.is_multiple_of(rows) => {
            return Err(format!("{size} rows are no multiple of {rows}, what {warps} warps of wgmma hold"));
        }
        _ => {}
    }
    let columns = operand.tile[1];
    if let Some(size) = sizes[1].filter(|size| !size.is_multiple_of(columns)) {
        return Err(format!("{size} columns are no multiple of {columns}, what wgmma takes"));
    }
    let mut bases = operand.bases(sizes);
    let groups = warps.next_power_of_two();
    bases.warp = (0..groups.ilog2()).map(|bit| unit(2, 0, 16 << bit)).collect();
    operand.repeat(&mut bases, [16 * groups, columns], sizes);
    bases.map(sizes)
}

/// The map of `mma.sync` over a grid of warps, of which the columns vary fastest. An operand is not spread along K: the
/// warps that differ only in the axis which it lacks hold the same.
pub(super) fn mma(operand: &Operand, sizes: Sizes<'_>, warps: u32, grid: [u32; 2]) -> Result<Linear, String> {
    let spread = grid[0].saturating_mul(grid[1]);
    if spread != warps {
        return Err(format!("the grid has {spread} warps, not {warps}"));
    }
    let mut covered = operand.tile;
    for axis in [0, 1] {
        let along = ["rows", "columns"][axis];
        let least = match operand.k == Some(axis) {
            true => covered[axis] / 2,
            false => {
                covered[axis] *= grid[axis];
                covered[axis]
            }
        };
        if let Some(size) = sizes[axis].filter(|size| !size.is_multiple_of(least)) {
            let what = match operand.k == Some(axis) {
                true => "the least K of mma".to_string(),
                false => format!("what {} warps of mma hold", grid[axis]),
            };
            return Err(format!("{size} {along} are no multiple of {least}, {what}"));
        }
    }
    let mut bases = operand.bases(sizes);
    for axis in [1, 0] {
        let step = if operand.k == Some(axis) { 0 } else { operand.tile[axis] };
        bases.warp.extend((0..grid[axis].ilog2()).map(|bit| unit(2, axis, step << bit)));
    }
    operand.repeat(&mut bases, covered, sizes);
    bases.map(sizes)
}
