//! Distributed layouts: how a tile is spread over the registers of the threads of some warps.

use super::fragment::Fragment;
use super::linear::{Dim, Linear};
use super::matrix;

/// A distributed layout, as it is spelled. Its map depends on the shape, the width of the elements and the number of
/// warps, see [`Distributed::place`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Distributed {
    /// `wgmma`: the accumulator of `wgmma` m64nNk*, rank 2. Each four warps hold 64 rows; more rows are more registers.
    Wgmma,
    /// `wgmma_a`: the A operand of `wgmma` in registers, [M, K], elements of 8, 16 or 32 bits.
    WgmmaA,
    /// `mma [2, 2]`: the accumulator of `mma.sync` m16n8k*, over a grid of warps. Neighbouring warps hold neighbouring
    /// pieces of 16 rows and 8 columns; what is larger than the grid is more registers.
    Mma([u32; 2]),
    /// `mma_a [2, 2]`: the A operand of `mma.sync`, [M, K], elements of 8, 16 or 32 bits, over the same grid as the
    /// accumulator: the warps of a row of the grid hold the same.
    MmaA([u32; 2]),
    /// `mma_b [2, 2]`: the B operand of `mma.sync`, [K, N]: the warps of a column of the grid hold the same.
    MmaB([u32; 2]),
    /// `blocked [1, 8] lanes [4, 8] warps [4, 1]`: a block a thread, of these by lanes a warp, of these by warps. A
    /// larger shape repeats in registers, a smaller one is replicated.
    Blocked(Blocked),
    /// `slice 1 of (wgmma)`: what is left of a layout when the tile is reduced along an axis. What threads held along
    /// it, they hold the same of now, and once each.
    Slice {
        /// The axis that is gone.
        axis: u32,
        /// The layout of what was reduced.
        of: Box<Distributed>,
    },
    /// `bits (register [[0, 1], [8, 0]], lane [..], warp [..])`: the coordinates that each bit adds, by exclusive or.
    Bits(Bits),
}

/// The numbers of a [`Distributed::Blocked`] layout: powers of two, one for each axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Blocked {
    /// The elements of a thread.
    pub thread: Vec<u32>,
    /// The lanes of a warp; their product is 32.
    pub lanes: Vec<u32>,
    /// The warps; their product is the number of warps.
    pub warps: Vec<u32>,
    /// The axes, that along which registers, lanes and warps vary fastest first.
    pub order: Vec<u32>,
}

/// The columns of a [`Distributed::Bits`] layout: for each bit, what it adds to each coordinate.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits {
    /// Of the number of the register.
    pub register: Vec<Vec<u32>>,
    /// Of the number of the lane: five.
    pub lane: Vec<Vec<u32>>,
    /// Of the number of the warp.
    pub warp: Vec<Vec<u32>>,
}

/// The lanes of a warp.
pub const LANES: u32 = 32;

/// The most warps of a block.
pub const MAX_WARPS: u32 = 32;

/// The sizes that a map is made for. That of an axis which a slice takes away is not known: any that fits will do.
pub(super) type Sizes<'a> = &'a [Option<u32>];

impl Distributed {
    /// Whether `ldmatrix` loads fragments of elements of so many bits where it can. Of 32 bits, those are the operands of
    /// `mma.sync`: others have neighbours in one thread.
    pub fn has_matrices(&self, elem_bits: u32) -> bool {
        elem_bits == 16 || elem_bits == 32 && matches!(self, Distributed::MmaA(_) | Distributed::MmaB(_))
    }

    /// A blocked layout with the last axis fastest.
    pub fn blocked(thread: &[u32], lanes: &[u32], warps: &[u32]) -> Distributed {
        let order = (0..thread.len() as u32).rev().collect();
        Distributed::Blocked(Blocked { thread: thread.to_vec(), lanes: lanes.to_vec(), warps: warps.to_vec(), order })
    }

    /// The layout of a tile of it that is reduced along an axis.
    #[must_use]
    pub fn slice(self, axis: u32) -> Distributed {
        Distributed::Slice { axis, of: Box::new(self) }
    }

    /// The layout for a tile of this shape, with elements of this many bits, in the registers of this many warps. An
    /// error names the number that does not fit.
    ///
    /// Sizes need not be powers of two: the map is that of the next powers, and what lies outside does not exist.
    pub fn place(&self, shape: &[u32], elem_bits: u32, warps: u32) -> Result<Fragment, String> {
        self.check()?;
        if !(1..=MAX_WARPS).contains(&warps) {
            return Err(format!("a block has 1 to {MAX_WARPS} warps, not {warps}"));
        }
        if let Some(axis) = shape.iter().position(|&size| size == 0 || size > 1 << 30) {
            return Err(format!("a fragment has 1 to {} elements along axis {axis}, not {}", 1 << 30, shape[axis]));
        }
        let sizes: Vec<Option<u32>> = shape.iter().map(|&size| Some(size)).collect();
        Fragment::new(shape, elem_bits, warps, self.map(&sizes, elem_bits, warps)?)
    }

    /// What can be said of the numbers without a shape.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Distributed::Wgmma | Distributed::WgmmaA => Ok(()),
            Distributed::Mma(grid) | Distributed::MmaA(grid) | Distributed::MmaB(grid) => check_warps(grid),
            Distributed::Blocked(blocked) => blocked.check(),
            Distributed::Slice { axis, of } => {
                of.check()?;
                match of.rank() {
                    Some(rank) if *axis >= rank => Err(format!("a layout of rank {rank} has no axis {axis}")),
                    _ => Ok(()),
                }
            }
            Distributed::Bits(bits) => bits.check(),
        }
    }

    /// The rank of the tiles that it is for; `None` for that of `bits` without any, which is for all.
    pub fn rank(&self) -> Option<u32> {
        match self {
            Distributed::Blocked(blocked) => Some(blocked.thread.len() as u32),
            Distributed::Slice { of, .. } => of.rank()?.checked_sub(1),
            Distributed::Bits(bits) => bits.columns().next().map(|column| column.len() as u32),
            _ => Some(2),
        }
    }

    /// The map from registers, lanes and warps to coordinates, without registers that repeat others.
    fn map(&self, sizes: Sizes<'_>, elem_bits: u32, warps: u32) -> Result<Linear, String> {
        if let Some(rank) = self.rank().filter(|&rank| rank as usize != sizes.len()) {
            return Err(format!("the layout is for tiles of rank {rank}, not {}", sizes.len()));
        }
        match self {
            Distributed::Wgmma => matrix::wgmma(&matrix::ACCUMULATOR, sizes, warps),
            Distributed::WgmmaA => matrix::wgmma(&matrix::a_operand(elem_bits)?, sizes, warps),
            Distributed::Mma(grid) => matrix::mma(&matrix::ACCUMULATOR, sizes, warps, *grid),
            Distributed::MmaA(grid) => matrix::mma(&matrix::a_operand(elem_bits)?, sizes, warps, *grid),
            Distributed::MmaB(grid) => matrix::mma(&matrix::b_operand(elem_bits)?, sizes, warps, *grid),
            Distributed::Blocked(blocked) => blocked.map(sizes, warps),
            Distributed::Slice { axis, of } => {
                let mut whole = sizes.to_vec();
                whole.insert((*axis as usize).min(whole.len()), None);
                let map = of.map(&whole, elem_bits, warps)?;
                Bases::of(&map.without_output(Dim::Axis(*axis as u8))).map(sizes)
            }
            Distributed::Bits(bits) => bits.map(sizes, warps),
        }
    }
}

impl Blocked {
    fn check(&self) -> Result<(), String> {
        let rank = self.thread.len();
        for (what, numbers) in [("lanes", &self.lanes), ("warps", &self.warps), ("order", &self.order)] {
            if numbers.len() != rank {
                return Err(format!("{what} has {} numbers for {rank} axes", numbers.len()));
            }
        }
        if rank > MAX_RANK {
            return Err(format!("a tile has at most {MAX_RANK} axes, not {rank}"));
        }
        for &number in self.thread.iter().chain(&self.lanes).chain(&self.warps) {
            if !number.is_power_of_two() || number > MAX_REGISTERS {
                return Err(format!("the numbers are powers of two up to {MAX_REGISTERS}, not {number}"));
            }
        }
        let lanes = product(&self.lanes);
        if lanes != u64::from(LANES) {
            return Err(format!("a warp has {LANES} lanes, not {lanes}"));
        }
        check_warps(&self.warps)?;
        let mut seen = vec![false; rank];
        for &axis in &self.order {
            match seen.get_mut(axis as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(format!("the order names each axis once, and {axis} is one too many")),
            }
        }
        Ok(())
    }

    fn map(&self, sizes: Sizes<'_>, warps: u32) -> Result<Linear, String> {
        let spread = product(&self.warps);
        if spread != u64::from(warps) {
            return Err(format!("the layout is for {spread} warps, not {warps}"));
        }
        let rank = sizes.len();
        let mut bases = Bases::default();
        // What of each axis is covered, and the columns of the next part: those beyond the shape replicate.
        let mut covered = vec![1u32; rank];
        let mut part = |numbers: &[u32]| {
            let mut columns = Vec::new();
            for &axis in &self.order {
                let axis = axis as usize;
                let end = sizes[axis].unwrap_or(1).next_power_of_two();
                for _ in 0..numbers[axis].ilog2() {
                    columns.push(unit(rank, axis, if covered[axis] < end { covered[axis] } else { 0 }));
                    covered[axis] = covered[axis].saturating_mul(2);
                }
            }
            columns
        };
        bases.register = part(&self.thread);
        bases.lane = part(&self.lanes);
        bases.warp = part(&self.warps);
        for &axis in &self.order {
            bases.repeat(axis as usize, covered[axis as usize], sizes);
        }
        bases.map(sizes)
    }
}

impl Bits {
    fn columns(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.register.iter().chain(&self.lane).chain(&self.warp)
    }

    fn check(&self) -> Result<(), String> {
        if self.lane.len() != 5 {
            return Err(format!("the number of a lane has 5 bits, not {}", self.lane.len()));
        }
        if self.warp.len() > MAX_WARPS.ilog2() as usize {
            return Err(format!(
                "the number of a warp has at most {} bits, not {}",
                MAX_WARPS.ilog2(),
                self.warp.len()
            ));
        }
        let rank = self.lane[0].len();
        if rank > MAX_RANK {
            return Err(format!("a tile has at most {MAX_RANK} axes, not {rank}"));
        }
        match self.columns().find(|column| column.len() != rank) {
            Some(column) => Err(format!("a bit adds to {} coordinates, another to {rank}", column.len())),
            None => Ok(()),
        }
    }

    fn map(&self, sizes: Sizes<'_>, warps: u32) -> Result<Linear, String> {
        let most = 1u32 << self.warp.len();
        if warps.next_power_of_two() != most {
            return Err(format!("the layout is for {most} warps, not {warps}"));
        }
        let bases = Bases { register: self.register.clone(), lane: self.lane.clone(), warp: self.warp.clone() };
        let map = bases.map(sizes)?;
        match map.input_bits(Dim::Register) as usize == self.register.len() || sizes.contains(&None) {
            true => Ok(map),
            false => Err("a bit of the register repeats what those before it hold".into()),
        }
    }
}

/// The most axes of a tile.
pub const MAX_RANK: usize = 8;

/// The most registers of a thread that a layout may need, narrow elements counted one by one.
pub const MAX_REGISTERS: u32 = 4096;

/// The columns of a map while it is made: for each bit of the register, the lane and the warp, a number for each axis.
#[derive(Default)]
pub(super) struct Bases {
    pub(super) register: Vec<Vec<u32>>,
    pub(super) lane: Vec<Vec<u32>>,
    pub(super) warp: Vec<Vec<u32>>,
}

impl Bases {
    fn of(map: &Linear) -> Bases {
        let columns = |dim| (0..map.input_bits(dim)).filter_map(|bit| map.basis(dim, bit)).collect();
        Bases { register: columns(Dim::Register), lane: columns(Dim::Lane), warp: columns(Dim::Warp) }
    }

    /// More registers along an axis, from what is covered to its size.
    pub(super) fn repeat(&mut self, axis: usize, covered: u32, sizes: Sizes<'_>) {
        let end = sizes[axis].unwrap_or(1).next_power_of_two();
        let mut step = covered;
        while step < end {
            self.register.push(unit(sizes.len(), axis, step));
            step *= 2;
        }
    }

    /// The map. A register that holds what others hold is dropped.
    pub(super) fn map(self, sizes: Sizes<'_>) -> Result<Linear, String> {
        let columns = || self.register.iter().chain(&self.lane).chain(&self.warp);
        let bits = |axis: usize| match sizes[axis] {
            Some(size) => size.next_power_of_two().ilog2(),
            None => columns().map(|column| u32::BITS - column[axis].leading_zeros()).max().unwrap_or(0),
        };
        let outputs: Vec<(Dim, u32)> = (0..sizes.len()).map(|axis| (Dim::Axis(axis as u8), bits(axis))).collect();
        let whole = Linear::new(&[(Dim::Register, self.register.clone())], &outputs)?;
        let free = whole.free(Dim::Register);
        let bit = |bit: &usize| free >> bit & 1 == 0;
        let kept: Vec<Vec<u32>> = (0..self.register.len()).filter(bit).map(|bit| self.register[bit].clone()).collect();
        if kept.len() > MAX_REGISTERS.ilog2() as usize {
            return Err(format!("a thread needs {} registers, at most {MAX_REGISTERS}", 1u64 << kept.len()));
        }
        Linear::new(&[(Dim::Register, kept), (Dim::Lane, self.lane), (Dim::Warp, self.warp)], &outputs)
    }
}

/// A column: a number for one axis, 0 for the others.
pub(super) fn unit(rank: usize, axis: usize, value: u32) -> Vec<u32> {
    (0..rank).map(|at| if at == axis { value } else { 0 }).collect()
}

fn product(numbers: &[u32]) -> u64 {
    numbers.iter().fold(1u64, |product, &number| product.saturating_mul(u64::from(number)))
}

fn check_warps(grid: &[u32]) -> Result<(), String> {
    if let Some(number) = grid.iter().find(|number| !number.is_power_of_two()) {
        return Err(format!("a grid of warps has powers of two, not {number}"));
    }
    match product(grid) {
        warps if warps > u64::from(MAX_WARPS) => Err(format!("a block has 1 to {MAX_WARPS} warps, not {warps}")),
        _ => Ok(()),
    }
}
