//! Fragments: a tile of some shape in the registers of the threads of some warps.

use dlc_ir::smallvec::SmallVec;

use super::distributed::LANES;
use super::linear::{Dim, Linear};

/// The coordinates of an element of a tile.
pub type Coords = SmallVec<[u32; 4]>;

/// A register of a thread. In the order of the warps, then of the lanes, then of the registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Holder {
    /// The number of the warp.
    pub warp: u32,
    /// The number of the lane.
    pub lane: u32,
    /// The number of the register of the thread.
    pub register: u32,
}

/// The free bits of the numbers of threads: elements are replicated over them. The threads whose free bits are all 0 hold
/// each element once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Free {
    /// Of the number of the lane, as a mask.
    pub lanes: u32,
    /// Of the number of the warp, as a mask.
    pub warps: u32,
}

/// A distributed layout for a shape: which element each register of each thread holds.
///
/// Registers are element slots, numbered without gaps: two 16-bit elements in one 32-bit register are two of them. A
/// register whose coordinates lie outside of the shape in all threads does not exist; one that lies outside in some does
/// not exist there.
#[derive(Clone, Debug)]
pub struct Fragment {
    shape: Vec<u32>,
    elem_bits: u32,
    warps: u32,
    map: Linear,
    /// For each register its number in the map.
    slots: Vec<u32>,
}

impl Fragment {
    /// The fragment of a map from registers, lanes and warps, in this order, onto the axes of a shape. An error where
    /// an element of the shape is held by no thread.
    pub(super) fn new(shape: &[u32], elem_bits: u32, warps: u32, map: Linear) -> Result<Fragment, String> {
        if !map.is_surjective() {
            let missing = (0..64).map(|bit| 1u64 << bit).find(|&bit| map.solve(bit).is_none()).unwrap_or(0);
            return Err(format!("no register holds the element {:?}", map.split(missing)));
        }
        let mut fragment = Fragment { shape: shape.to_vec(), elem_bits, warps, slots: Vec::new(), map };
        let slots = 0..1u32 << fragment.map.input_bits(Dim::Register);
        let whole = fragment.shape.iter().all(|size| size.is_power_of_two());
        fragment.slots = slots.filter(|&slot| whole || fragment.exists(slot)).collect();
        if !warps.is_power_of_two() {
            let table = fragment.table();
            let mut held = vec![false; shape.iter().map(|&size| size as usize).product()];
            for element in table.elements.iter().filter(|&&element| element != Table::NONE) {
                held[*element as usize] = true;
            }
            if let Some(element) = held.iter().position(|held| !held) {
                return Err(format!("none of {warps} warps holds element {element} of {shape:?}"));
            }
        }
        Ok(fragment)
    }

    fn exists(&self, slot: u32) -> bool {
        self.threads().any(|(lane, warp)| self.at_slot(slot, lane, warp).is_some())
    }

    /// The lanes and warps.
    pub(super) fn threads(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let warps = self.warps;
        (0..warps).flat_map(|warp| (0..LANES).map(move |lane| (lane, warp)))
    }

    fn at_slot(&self, slot: u32, lane: u32, warp: u32) -> Option<Coords> {
        self.inside(self.map.apply_flat(self.flat(slot, lane, warp)))
    }

    fn flat(&self, slot: u32, lane: u32, warp: u32) -> u64 {
        let register_bits = self.map.input_bits(Dim::Register);
        u64::from(slot) | u64::from(lane) << register_bits | u64::from(warp) << (register_bits + LANES.ilog2())
    }

    /// The coordinates of a flat output of the map, if they are in the shape.
    fn inside(&self, mut flat: u64) -> Option<Coords> {
        let mut coords = Coords::new();
        for (&size, &(_, bits)) in self.shape.iter().zip(self.map.outputs()) {
            let at = (flat & ((1 << bits) - 1)) as u32;
            if at >= size {
                return None;
            }
            coords.push(at);
            flat >>= bits;
        }
        Some(coords)
    }

    /// The sizes of the tile.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// The bits of an element.
    pub fn elem_bits(&self) -> u32 {
        self.elem_bits
    }

    /// The number of warps.
    pub fn warps(&self) -> u32 {
        self.warps
    }

    /// The number of registers of a thread.
    pub fn registers(&self) -> u32 {
        self.slots.len() as u32
    }

    /// The map from registers, lanes and warps to coordinates, of the next powers of two. Its registers are numbered
    /// with those that do not exist, see [`Fragment::slot`].
    pub fn map(&self) -> &Linear {
        &self.map
    }

    /// The number of a register in the map.
    pub fn slot(&self, register: u32) -> Option<u32> {
        self.slots.get(register as usize).copied()
    }

    /// The register with this number in the map.
    pub fn register(&self, slot: u32) -> Option<u32> {
        self.slots.binary_search(&slot).ok().map(|register| register as u32)
    }

    /// What a register holds; `None` where it does not exist.
    pub fn coords(&self, register: u32, lane: u32, warp: u32) -> Option<Coords> {
        let slot = self.slot(register).filter(|_| lane < LANES && warp < self.warps)?;
        self.at_slot(slot, lane, warp)
    }

    /// All registers that hold an element, in order.
    pub fn holders(&self, coords: &[u32]) -> Vec<Holder> {
        if coords.iter().zip(&self.shape).any(|(at, size)| at >= size) {
            return Vec::new();
        }
        let Some(flat) = self.map.join_output(coords) else { return Vec::new() };
        let Some(first) = self.map.solve(flat) else { return Vec::new() };
        let mut inputs = vec![first];
        for vector in self.map.kernel() {
            inputs.extend(inputs.clone().iter().map(|input| input ^ vector));
        }
        let mut holders: Vec<Holder> = inputs.iter().filter_map(|&input| self.holder(input)).collect();
        holders.sort_unstable();
        holders
    }

    /// The register of a flat input of the map, if its warp exists.
    fn holder(&self, input: u64) -> Option<Holder> {
        let [slot, lane, warp] = <[u32; 3]>::try_from(self.map.split_input(input)).ok()?;
        (warp < self.warps).then_some(Holder { warp, lane, register: self.register(slot)? })
    }

    /// The first of the registers that hold an element: the one that stores it.
    pub fn first_holder(&self, coords: &[u32]) -> Option<Holder> {
        self.holders(coords).first().copied()
    }

    /// Whether some element is held more than once.
    pub fn replicates(&self) -> bool {
        self.free() != Free { lanes: 0, warps: 0 }
    }

    /// The bits over which elements are replicated.
    pub fn free(&self) -> Free {
        Free { lanes: self.map.free(Dim::Lane), warps: self.map.free(Dim::Warp) }
    }

    /// Whether a thread holds the first copy of what it holds: it stores, the others need not.
    pub fn is_first(&self, lane: u32, warp: u32) -> bool {
        let free = self.free();
        lane & free.lanes == 0 && warp & free.warps == 0
    }

    /// What all registers of all threads hold.
    pub fn table(&self) -> Table {
        let sums = |dim: Dim, numbers: &[u32]| -> Vec<u64> {
            numbers.iter().map(|&number| self.map.apply_flat(self.map.join(&[(dim, number)]))).collect()
        };
        let slots = sums(Dim::Register, &self.slots);
        let lanes = sums(Dim::Lane, &(0..LANES).collect::<Vec<_>>());
        let warps = sums(Dim::Warp, &(0..self.warps).collect::<Vec<_>>());
        let mut elements = Vec::with_capacity(slots.len() * lanes.len() * warps.len());
        for warp in &warps {
            for lane in &lanes {
                elements.extend(slots.iter().map(|slot| self.element(slot ^ lane ^ warp)));
            }
        }
        Table { registers: self.registers(), warps: self.warps, free: self.free(), elements }
    }

    /// The row-major number of an element.
    fn element(&self, flat: u64) -> u32 {
        let Some(coords) = self.inside(flat) else { return Table::NONE };
        coords.iter().zip(&self.shape).fold(0, |number, (at, size)| number * size + at)
    }
}

/// Two fragments are equal if each register of each thread holds the same element.
impl PartialEq for Fragment {
    fn eq(&self, other: &Fragment) -> bool {
        let same = self.shape == other.shape && self.warps == other.warps && self.registers() == other.registers();
        same && (self.map.is_same_map(&other.map) && self.slots == other.slots
            || self.table().elements == other.table().elements)
    }
}

/// What the registers of a fragment hold, looked up instead of computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    registers: u32,
    warps: u32,
    free: Free,
    /// The row-major number of the element, by warp, lane and register.
    elements: Vec<u32>,
}

impl Table {
    const NONE: u32 = u32::MAX;

    /// The number of registers of a thread.
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// The number of warps.
    pub fn warps(&self) -> u32 {
        self.warps
    }

    /// The row-major number of the element in a register; `None` where the register does not exist.
    pub fn element(&self, register: u32, lane: u32, warp: u32) -> Option<u32> {
        let element = *self.thread(lane, warp).get(register as usize)?;
        (element != Table::NONE).then_some(element)
    }

    /// The row-major numbers of the elements of a thread, `u32::MAX` for a register that does not exist there.
    pub fn thread(&self, lane: u32, warp: u32) -> &[u32] {
        if lane >= LANES || warp >= self.warps {
            return &[];
        }
        let start = ((warp * LANES + lane) * self.registers) as usize;
        &self.elements[start..start + self.registers as usize]
    }

    /// As [`Fragment::is_first`].
    pub fn is_first(&self, lane: u32, warp: u32) -> bool {
        lane & self.free.lanes == 0 && warp & self.free.warps == 0
    }
}
