//! Fragments: a tile of some shape in the registers of the threads of some warps.

use dlc_ir::smallvec::SmallVec;

use super::distributed::LANES;
use super::linear::{Dim, Linear, Span};

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

/// The free bits of the numbers of threads: elements are replicated over them. The threads whose free bits are all 0
/// hold each element once.
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
/// register whose coordinates lie outside of the shape in all threads does not exist; one that lies outside in some
/// does not exist there.
#[derive(Clone, Debug)]
pub struct Fragment {
    shape: Vec<u32>,
    elem_bits: u32,
    warps: u32,
    map: Linear,
    /// For each register its number in the map.
    slots: Vec<u32>,
    /// What each register, each lane and each warp adds to the flat coordinates.
    sums: [Vec<u64>; 3],
    /// The columns of the registers, which find the register of a thread that holds an element.
    registers: Span,
    /// Whether each register exists in each thread.
    whole: bool,
}

impl Fragment {
    /// The fragment of a map from registers, lanes and warps, in this order, onto the axes of a shape. An error where
    /// an element of the shape is held by no thread.
    pub(super) fn new(shape: &[u32], elem_bits: u32, warps: u32, map: Linear) -> Result<Fragment, String> {
        let span = map.span();
        if !map.is_surjective() {
            let missing = (0..64).map(|bit| 1u64 << bit).find(|&bit| span.solve(bit).is_none()).unwrap_or(0);
            return Err(format!("no register holds the element {:?}", map.split(missing)));
        }
        let sums = |dim: Dim, end: u32| -> Vec<u64> {
            (0..end).map(|number| map.apply_flat(map.join(&[(dim, number)]))).collect()
        };
        let slots = 1 << map.input_bits(Dim::Register);
        let sums = [sums(Dim::Register, slots), sums(Dim::Lane, LANES), sums(Dim::Warp, warps)];
        let registers = Span::of(&map.columns()[..map.input_bits(Dim::Register) as usize]);
        let (shape, slots) = (shape.to_vec(), (0..slots).collect());
        let mut fragment = Fragment { shape, elem_bits, warps, map, slots, sums, registers, whole: true };
        if !fragment.shape.iter().all(|size| size.is_power_of_two()) {
            fragment.drop_outside();
        }
        if !warps.is_power_of_two() {
            fragment.check_held()?;
        }
        Ok(fragment)
    }

    /// Without the registers that lie outside of the shape in all threads.
    fn drop_outside(&mut self) {
        let [registers, lanes, warps] = &self.sums;
        // Only the axes count along which something is outside, and there many threads are alike.
        let axes = self.shape.iter().zip(self.map.outputs()).rev();
        let odd = axes.fold(0u64, |mask, (size, &(_, bits))| {
            mask << bits | if size.is_power_of_two() { 0 } else { (1 << bits) - 1 }
        });
        let threads = warps.iter().flat_map(|warp| lanes.iter().map(move |lane| (warp ^ lane) & odd));
        let mut threads: Vec<u64> = threads.collect();
        threads.sort_unstable();
        threads.dedup();
        let count = |&register: &u64| threads.iter().filter(|&&thread| self.is_inside(register ^ thread)).count();
        let counts: Vec<usize> = registers.iter().map(count).collect();
        self.slots = (0..).zip(&counts).filter(|&(_, &count)| count > 0).map(|(slot, _)| slot).collect();
        self.whole = counts.iter().all(|&count| count == 0 || count == threads.len());
        self.sums[0] = self.slots.iter().map(|&slot| self.sums[0][slot as usize]).collect();
    }

    /// That the warps hold everything, though they are fewer than the map has.
    fn check_held(&self) -> Result<(), String> {
        let mut held = vec![false; self.shape.iter().map(|&size| size as usize).product()];
        for element in self.table().elements.into_iter().filter(|&element| element != Table::NONE) {
            held[element as usize] = true;
        }
        match held.iter().position(|held| !held) {
            Some(element) => Err(format!("none of {} warps holds element {element} of {:?}", self.warps, self.shape)),
            None => Ok(()),
        }
    }

    fn is_inside(&self, mut flat: u64) -> bool {
        self.shape.iter().zip(self.map.outputs()).all(|(&size, &(_, bits))| {
            let at = (flat & ((1 << bits) - 1)) as u32;
            flat >>= bits;
            at < size
        })
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

    /// The lanes and warps.
    fn threads(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let warps = self.warps;
        (0..warps).flat_map(|warp| (0..LANES).map(move |lane| (lane, warp)))
    }

    /// The lanes and warps whose registers say in which registers of another fragment all threads have the elements of this
    /// one, where its element 0 is the element `at` there. What a thread has is a sum of what the bits of its number add,
    /// so one thread for each bit is enough, in the order of all; unless registers exist in some threads only, or `at`
    /// carries into other bits.
    pub fn deciding_threads(&self, at: &[u32]) -> Vec<(u32, u32)> {
        let is_aligned = |(&at, &(_, bits)): (&u32, &(Dim, u32))| u64::from(at) & ((1 << bits) - 1) == 0;
        if !self.whole || !at.iter().zip(self.map.outputs()).all(is_aligned) {
            return self.threads().collect();
        }
        let powers = |end: u32| (0..32).map(|bit| 1u32 << bit).take_while(move |&number| number < end);
        let lanes = std::iter::once(0).chain(powers(LANES)).map(|lane| (lane, 0));
        lanes.chain(powers(self.warps).map(|warp| (0, warp))).collect()
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

    /// Whether each register exists in each thread.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// What a register holds; `None` where it does not exist.
    pub fn coords(&self, register: u32, lane: u32, warp: u32) -> Option<Coords> {
        let [registers, lanes, warps] = &self.sums;
        let (register, lane) = (registers.get(register as usize)?, lanes.get(lane as usize)?);
        self.inside(register ^ lane ^ warps.get(warp as usize)?)
    }

    /// The register of a thread that holds an element, if one does.
    pub fn find(&self, coords: &[u32], lane: u32, warp: u32) -> Option<u32> {
        let [_, lanes, warps] = &self.sums;
        let thread = lanes.get(lane as usize)? ^ warps.get(warp as usize)?;
        let flat = self.map.join_output(coords).filter(|&flat| self.is_inside(flat))?;
        self.register(self.registers.solve(flat ^ thread)? as u32)
    }

    /// The registers of this fragment that are the registers of a part of it, whose element 0 is the element `at`. An
    /// error where a thread does not hold an element that it holds of the part, or the registers differ between
    /// threads.
    pub fn extract(&self, part: &Fragment, at: &[u32]) -> Result<Vec<u32>, String> {
        let fits = part.shape.len() == self.shape.len() && at.len() == self.shape.len() && part.warps == self.warps;
        let ends = part.shape.iter().zip(at).map(|(size, at)| size.saturating_add(*at));
        if !fits || ends.zip(&self.shape).any(|(end, &size)| end > size) {
            return Err(format!("{:?} at {at:?} is no part of {:?} in as many warps", part.shape, self.shape));
        }
        let mut sources = vec![None; part.slots.len()];
        for (lane, warp) in part.deciding_threads(at) {
            for (register, source) in (0..).zip(&mut sources) {
                let Some(coords) = part.coords(register, lane, warp) else { continue };
                let wanted: Coords = coords.iter().zip(at).map(|(coord, at)| coord + at).collect();
                let Some(found) = self.find(&wanted, lane, warp) else {
                    return Err(format!("lane {lane} of warp {warp} does not hold {:?}", wanted.as_slice()));
                };
                if *source.get_or_insert(found) != found {
                    let other = source.unwrap_or(found);
                    return Err(format!(
                        "register {register} is {other} in a thread, {found} in lane {lane} of warp {warp}"
                    ));
                }
            }
        }
        Ok(sources.into_iter().flatten().collect())
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
        let [registers, lanes, warps] = &self.sums;
        let mut elements = Vec::with_capacity(registers.len() * lanes.len() * warps.len());
        for warp in warps {
            for lane in lanes {
                elements.extend(registers.iter().map(|register| self.element(register ^ lane ^ warp)));
            }
        }
        Table { registers: self.registers(), warps: self.warps, free: self.free(), elements }
    }

    /// The row-major number of an element.
    fn element(&self, mut flat: u64) -> u32 {
        let mut number = 0;
        for (&size, &(_, bits)) in self.shape.iter().zip(self.map.outputs()) {
            let at = (flat & ((1 << bits) - 1)) as u32;
            if at >= size {
                return Table::NONE;
            }
            number = number * size + at;
            flat >>= bits;
        }
        number
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
