//! Vectors of loads and stores, and the bank conflicts of an access to shared memory.

use super::distributed::{LANES, unit};
use super::fragment::Fragment;
use super::linear::{Dim, Span};
use super::shared::SharedTile;

/// How a fragment is loaded or stored: the registers of each thread in vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The elements of a vector: a power of two.
    pub vector: u32,
    /// The registers of each vector, in the order of their addresses. All threads have the same vectors; in a thread,
    /// either all registers of a vector exist or none does.
    pub groups: Vec<Vec<u32>>,
}

/// How often an access of a warp goes to shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Conflicts {
    /// The most different words of one bank that are wanted at once: 1 where nothing waits.
    pub ways: u32,
    /// The times that shared memory is read or written, over all phases.
    pub wavefronts: u32,
}

/// The widest vector of a load or store.
pub const MAX_VECTOR_BYTES: u32 = 16;

/// The bank conflicts of one instruction of a warp: `bytes` bytes from the address of each lane, `None` for a lane that
/// takes no part.
///
/// The banks are 32, of words of four bytes. Lanes are served together while they want at most 128 bytes: all 32 for
/// words, 16 for pairs of words, 8 for 16-byte vectors. Lanes that want one word share it.
pub fn bank_conflicts(addresses: &[Option<u32>], bytes: u32) -> Conflicts {
    let lanes = (128 / bytes.clamp(4, MAX_VECTOR_BYTES)) as usize;
    let mut conflicts = Conflicts::default();
    for phase in addresses.chunks(lanes) {
        let mut words: Vec<u32> = Vec::with_capacity(lanes);
        for &address in phase.iter().flatten() {
            words.extend(address / 4..=(address + bytes.max(1) - 1) / 4);
        }
        words.sort_unstable();
        words.dedup();
        let mut banks = [0u32; 32];
        words.iter().for_each(|word| banks[(word % 32) as usize] += 1);
        let ways = banks.into_iter().max().unwrap_or(0);
        conflicts.ways = conflicts.ways.max(ways);
        conflicts.wavefronts += ways;
    }
    conflicts
}

impl Fragment {
    /// The widest vectors between the fragment and a tile of the same shape and elements in shared memory, of at most
    /// `max_bytes`, and of what divides the distance of rows. An error where shape or elements differ.
    pub fn shared_access(&self, tile: &SharedTile, max_bytes: u32) -> Result<Access, String> {
        self.fits(tile)?;
        let steps = contiguous_steps(tile);
        let bytes = tile.elem_bytes();
        let most = max_bytes.min(MAX_VECTOR_BYTES).min(tile.row_alignment()) / bytes;
        Ok(self.vectors(&steps, most, |at| u64::from(tile.offset(at) / bytes)))
    }

    /// The widest vectors between the fragment and global memory where elements are contiguous along an axis, and the
    /// first of each row lies at a multiple of `alignment` bytes. An error where elements are no whole bytes, or there
    /// is no such axis.
    pub fn global_access(&self, axis: usize, alignment: u32) -> Result<Access, String> {
        let rank = self.shape().len();
        if axis >= rank {
            return Err(format!("a tile of rank {rank} has no axis {axis}"));
        }
        if self.elem_bits() < 8 || !self.elem_bits().is_power_of_two() {
            return Err(format!("elements of {} bits are no whole bytes", self.elem_bits()));
        }
        let steps: Vec<(usize, u32)> = (0..4).map(|bit| (axis, 1 << bit)).collect();
        // What divides every address: the lowest bit of the alignment.
        let aligned = 1 << alignment.max(1).trailing_zeros().min(MAX_VECTOR_BYTES.ilog2());
        let most: u32 = aligned / (self.elem_bits() / 8);
        Ok(self.vectors(&steps, most, |at| {
            let others = at.iter().enumerate().filter(|&(other, _)| other != axis);
            let row = others.fold(0, |row, (other, &at)| row * u64::from(self.shape()[other]) + u64::from(at));
            row << 32 | u64::from(at[axis])
        }))
    }

    /// That a tile has the shape and the elements of the fragment.
    pub(super) fn fits(&self, tile: &SharedTile) -> Result<(), String> {
        if tile.shape() != self.shape() {
            return Err(format!("the tile has the shape {:?}, the fragment {:?}", tile.shape(), self.shape()));
        }
        match 8 * tile.elem_bytes() == self.elem_bits() {
            true => Ok(()),
            false => Err(format!("the tile has {} bits an element, not {}", 8 * tile.elem_bytes(), self.elem_bits())),
        }
    }

    /// The widest vectors of at most `most` elements, `steps` being what the lowest bits of the number of an element in
    /// memory step over, `number` the number of an element.
    fn vectors(&self, steps: &[(usize, u32)], most: u32, number: impl Fn(&[u32]) -> u64) -> Access {
        let register_bits = self.map().input_bits(Dim::Register);
        let registers = Span::of(&self.map().columns()[..register_bits as usize]);
        // The slots that step over one element, two, four, ...
        let slots = steps.iter().map_while(|&(axis, step)| {
            let column = unit(self.shape().len(), axis, step);
            self.map().join_output(&column).and_then(|column| registers.solve(column)).map(|slot| slot as u32)
        });
        let slots: Vec<u32> = slots.take(most.max(1).ilog2() as usize).collect();
        (0..=slots.len())
            .rev()
            .find_map(|bits| self.grouped(&slots[..bits], &steps[..bits], &number))
            .unwrap_or(Access { vector: 1, groups: (0..self.registers()).map(|register| vec![register]).collect() })
    }

    /// The vectors over these slots, if they are contiguous and aligned in all threads.
    fn grouped(&self, slots: &[u32], steps: &[(usize, u32)], number: impl Fn(&[u32]) -> u64) -> Option<Access> {
        if !self.is_aligned(steps, number) {
            return None;
        }
        let vector = 1u32 << slots.len();
        let mut groups = Vec::new();
        for register in 0..self.registers() {
            let slot = self.slot(register)?;
            // In the vector of a register of thread 0, the first element is the one without these steps.
            let at = self.map().apply(&[(Dim::Register, slot)]);
            if steps.iter().any(|&(axis, step)| at[axis] & step != 0) {
                continue;
            }
            let member = |number: u32| {
                let chosen = slots.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
                self.register(chosen.fold(slot, |slot, (_, other)| slot ^ other))
            };
            groups.push((0..vector).map(member).collect::<Option<Vec<u32>>>()?);
        }
        (groups.len() as u32 * vector == self.registers()).then_some(Access { vector, groups })
    }

    /// Whether runs of elements over these steps exist as a whole or not at all, and are aligned in all threads:
    /// nothing else steps within them, and everything else steps over whole runs.
    fn is_aligned(&self, steps: &[(usize, u32)], number: impl Fn(&[u32]) -> u64) -> bool {
        let map = self.map();
        let run = 1u64 << steps.len();
        let within = |column: u64| {
            let at = map.split(column);
            steps.iter().any(|&(axis, step)| at[axis] & step != 0)
        };
        let register_bits = map.input_bits(Dim::Register) as usize;
        let threads = &map.columns()[register_bits..];
        let sizes = steps.iter().all(|&(axis, step)| self.shape()[axis].is_multiple_of(2 * step));
        let rank = self.shape().len();
        let others = map.outputs().iter().enumerate().all(|(axis, &(_, bits))| {
            (0..bits).map(|bit| 1 << bit).filter(|&step| !steps.contains(&(axis, step))).all(|step| {
                // A step as large as the axis leads out of it.
                step >= self.shape()[axis] || number(&unit(rank, axis, step)).is_multiple_of(run)
            })
        });
        sizes && others && !threads.iter().any(|&column| within(column))
    }
}

impl Access {
    /// The bytes of a vector of elements of so many bits.
    pub fn bytes(&self, elem_bits: u32) -> u32 {
        self.vector * elem_bits / 8
    }

    /// The bank conflicts against a tile that begins at `base`: those of the worst instruction of the worst warp, and
    /// the wavefronts of all instructions of that warp which needs most.
    pub fn conflicts(&self, fragment: &Fragment, tile: &SharedTile, base: u32) -> Conflicts {
        let bytes = self.vector * tile.elem_bytes();
        let even = tile.is_even(base) && fragment.is_whole();
        worst(fragment.warps(), self.groups.len(), even, |group, warp| {
            let address = |lane| fragment.coords(self.groups[group][0], lane, warp).map(|at| tile.address(base, &at));
            bank_conflicts(&(0..LANES).map(address).collect::<Vec<_>>(), bytes)
        })
    }
}

/// The conflicts of the worst instruction, and the wavefronts of the warp that needs most. If the addresses of all
/// instructions differ by exclusive or only, which exchanges banks, they are all as the first.
pub(super) fn worst(
    warps: u32,
    instructions: usize,
    even: bool,
    conflicts: impl Fn(usize, u32) -> Conflicts,
) -> Conflicts {
    if even && instructions > 0 {
        let first = conflicts(0, 0);
        return Conflicts { wavefronts: first.wavefronts * instructions as u32, ..first };
    }
    let mut worst = Conflicts::default();
    for warp in 0..warps {
        let mut wavefronts = 0;
        for instruction in 0..instructions {
            let found = conflicts(instruction, warp);
            worst.ways = worst.ways.max(found.ways);
            wavefronts += found.wavefronts;
        }
        worst.wavefronts = worst.wavefronts.max(wavefronts);
    }
    worst
}

/// What the lowest bits of the number of an element in a tile step over: axes and elements.
fn contiguous_steps(tile: &SharedTile) -> Vec<(usize, u32)> {
    let Some(first) = tile.contiguous_axis() else { return Vec::new() };
    let mut axes = vec![first];
    // Without a gap between rows, contiguous elements go on along the next axis.
    let rank = tile.shape().len();
    let last = rank - 1;
    axes.extend((0..rank).map(|at| if first == last { last - at } else { at }).skip(1));
    let mut steps = Vec::new();
    let mut number = 1;
    for axis in axes {
        let size = tile.shape()[axis];
        let mut step = 1;
        while step < size && number < MAX_VECTOR_BYTES / tile.elem_bytes() {
            let mut at = vec![0; rank];
            at[axis] = step;
            if tile.offset(&at) != number * tile.elem_bytes() {
                return steps;
            }
            steps.push((axis, step));
            (step, number) = (2 * step, 2 * number);
        }
        if !size.is_power_of_two() {
            break;
        }
    }
    steps
}
