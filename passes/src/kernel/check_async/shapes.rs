//! Which bytes tiles have, and which warp touches which of them. Looked up once for each type, place and layout.

use dlc_kernel::layout::SharedTile;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::program::{Class, Program};

/// Bytes from a first one to one behind the last.
pub type Interval = (u32, u32);

/// The bytes of a tile, in order.
pub type Bytes = SmallVec<[Interval; 1]>;

/// What was looked up.
#[derive(Default)]
pub struct Shapes {
    bytes: FxHashMap<(u32, u32), Bytes>,
    warps: FxHashMap<(u32, u32), Vec<(u32, u32)>>,
    apart: FxHashMap<[(u32, u32); 2], bool>,
}

impl Shapes {
    /// The bytes of a tile of a type whose first byte is `base`.
    pub fn bytes(&mut self, program: &Program, ty: u32, base: u32) -> Bytes {
        let tile = &program.tiles[ty as usize];
        if tile.dense {
            return smallvec![(base, base + tile.place.bytes())];
        }
        self.bytes.entry((ty, base)).or_insert_with(|| join(elements(&tile.place, base))).clone()
    }

    /// Whether each warp that makes the second access touches only what no other warp touches with the first. An access
    /// is a class and the first byte of the tile.
    pub fn stays_in_warps(&mut self, program: &Program, first: (u32, u32), second: (u32, u32)) -> bool {
        let key = [first, second];
        if let Some(&known) = self.apart.get(&key) {
            return known;
        }
        let apart = {
            let warps = |access: (u32, u32)| by_warp(program, access);
            for access in key {
                self.warps.entry(access).or_insert_with(|| warps(access));
            }
            disjoint(&self.warps[&first], &self.warps[&second], program, key)
        };
        self.apart.insert(key, apart);
        apart
    }
}

/// The coordinates of a tile in row-major order.
fn positions(place: &SharedTile) -> impl Iterator<Item = SmallVec<[u32; 4]>> + '_ {
    let count: u64 = place.shape().iter().map(|&size| u64::from(size)).product();
    (0..count).map(move |number| {
        let (mut rest, mut at) = (number, smallvec![0; place.shape().len()]);
        for (axis, &size) in place.shape().iter().enumerate().rev() {
            at[axis] = (rest % u64::from(size)) as u32;
            rest /= u64::from(size);
        }
        at
    })
}

fn elements(place: &SharedTile, base: u32) -> Vec<Interval> {
    let width = place.elem_bytes();
    positions(place).map(|at| place.address(base, &at)).map(|address| (address, address + width)).collect()
}

fn join(mut all: Vec<Interval>) -> Bytes {
    all.sort_unstable();
    let mut joined = Bytes::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// The address of each element with the warps that touch it, as bits, in order of the addresses. Empty where the layout
/// does not fit: then warps are taken to touch everything.
fn by_warp(program: &Program, (class, base): (u32, u32)) -> Vec<(u32, u32)> {
    let Class { tile, layout, warps, first, turned } = &program.classes[class as usize];
    let place = &program.tiles[*tile as usize].place;
    let turned = if *turned { place.transposed() } else { None };
    let place = turned.as_ref().unwrap_or(place);
    let Ok(fragment) = layout.place(place.shape(), place.elem_bytes() * 8, *warps) else { return Vec::new() };
    let table = fragment.table();
    let mut masks = vec![0u32; place.shape().iter().map(|&size| size as usize).product()];
    for warp in 0..table.warps() {
        for lane in 0..32 {
            if *first && !table.is_first(lane, warp) {
                continue;
            }
            for &element in table.thread(lane, warp) {
                if let Some(mask) = masks.get_mut(element as usize) {
                    *mask |= 1 << warp;
                }
            }
        }
    }
    let mut all: Vec<_> = positions(place).map(|at| place.address(base, &at)).zip(masks).collect();
    all.sort_unstable();
    all
}

/// Whether no byte is touched by one warp in the first list and another in the second.
fn disjoint(first: &[(u32, u32)], second: &[(u32, u32)], program: &Program, key: [(u32, u32); 2]) -> bool {
    let width =
        |(class, _): (u32, u32)| program.tiles[program.classes[class as usize].tile as usize].place.elem_bytes();
    let widths = [width(key[0]), width(key[1])];
    if first.is_empty() || second.is_empty() {
        return false;
    }
    let mut from = 0;
    for &(address, mask) in second {
        while from < first.len() && first[from].0 + widths[0] <= address {
            from += 1;
        }
        for &(other, others) in &first[from..] {
            if other >= address + widths[1] {
                break;
            }
            // Both sets of warps must be one and the same warp.
            let both = mask | others;
            if both.count_ones() > 1 && mask != 0 && others != 0 {
                return false;
            }
        }
    }
    true
}
