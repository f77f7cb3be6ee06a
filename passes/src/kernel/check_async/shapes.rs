//! Which bytes tiles have, and which warp and which thread touches which of them. Looked up once for each type, layout and place, places
//! that are a whole pattern of swizzles apart being alike.

use std::rc::Rc;

use dlc_kernel::layout::SharedTile;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::program::{Class, Program};

/// Bytes from a first one to one after the last.
pub type Interval = (u32, u32);

/// The bytes after which units of all swizzles are exchanged in the same way again.
const PATTERN: u32 = 1024;

/// What was looked up.
#[derive(Default)]
pub struct Shapes {
    bytes: FxHashMap<(u32, u32), Rc<[Interval]>>,
    touched: FxHashMap<(u32, u32), Rc<Touched>>,
    kept: FxHashMap<[(u32, u32); 2], Kept>,
    /// Of classes whether `ldmatrix` or `stmatrix` may move them.
    matrices: FxHashMap<u32, bool>,
}

/// Who touches again, in a second access, what was touched in a first one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kept {
    /// Perhaps another warp.
    Nobody,
    /// The same warp only, but perhaps other lanes of it.
    Warps,
    /// The same thread only.
    Threads,
}

/// What several threads touch, in [`Touched::threads`].
const SEVERAL: u16 = u16::MAX;

/// Which warps and threads touch the elements of a tile.
#[derive(Default)]
struct Touched {
    /// The first byte of all.
    start: u32,
    /// The bytes of an element.
    width: u32,
    /// The warps as bits, for each place of an element from the first byte on. Empty where the layout does not fit: then
    /// warps are taken to touch everything.
    masks: Vec<u32>,
    /// For each of those places 0 if nobody does, [`SEVERAL`], or the number of the only thread and 1.
    threads: Vec<u16>,
}

impl Shapes {
    /// The bytes of a tile of a type whose first byte is `base`, in order, counted from a byte that comes first.
    pub fn bytes(&mut self, program: &Program, ty: u32, base: u32) -> (u32, Rc<[Interval]>) {
        let place = &program.tiles[ty as usize].place;
        let (pattern, rest) = (base / PATTERN * PATTERN, base % PATTERN);
        let found = self.bytes.entry((ty, rest)).or_insert_with(|| join(elements(place, rest)).into());
        (pattern, Rc::clone(found))
    }

    fn is_matrix(&mut self, program: &Program, class: u32) -> bool {
        *self.matrices.entry(class).or_insert_with(|| is_matrix(program, class))
    }

    /// Whether each warp, or each thread, that makes the second access touches only what no other one touches with the
    /// first. An access is a class and the first byte of the tile.
    pub fn kept(&mut self, program: &Program, first: (u32, u32), second: (u32, u32)) -> Kept {
        let pattern = first.1.min(second.1) / PATTERN * PATTERN;
        let key = [first, second].map(|(class, base)| (class, base - pattern));
        if let Some(&known) = self.kept.get(&key) {
            return known;
        }
        let [first, second] = key.map(|(class, base)| {
            let entry = self.touched.entry((class, base % PATTERN));
            let found = entry.or_insert_with(|| Rc::new(touched(program, class, base % PATTERN)));
            (Rc::clone(found), base / PATTERN * PATTERN)
        });
        let mut kept = kept((&first.0, first.1), (&second.0, second.1));
        // Lanes touch rows of matrices for each other.
        if kept == Kept::Threads && key.iter().any(|&(class, _)| self.is_matrix(program, class)) {
            kept = Kept::Warps;
        }
        self.kept.insert(key, kept);
        kept
    }
}

/// Whether `ldmatrix` and `stmatrix` can move the fragments of a class.
fn is_matrix(program: &Program, class: u32) -> bool {
    let Class { tile, layout, warps, transposed, .. } = &program.classes[class as usize];
    let place = &program.tiles[*tile as usize].place;
    if !layout.has_matrices(place.elem_bytes() * 8) {
        return false;
    }
    let transposed = if *transposed { place.transposed() } else { None };
    let place = transposed.as_ref().unwrap_or(place);
    let fragment = layout.place(place.shape(), place.elem_bytes() * 8, *warps);
    fragment.is_ok_and(|fragment| fragment.matrix_access(place).is_ok())
}

/// The first byte of each element of a tile, in row-major order.
fn addresses(place: &SharedTile, base: u32) -> Vec<u32> {
    let width = place.elem_bytes();
    let (unit, units) = units(place, base);
    units.into_iter().flat_map(|address| (0..unit).map(move |number| address + number * width)).collect()
}

/// How many elements in a row are moved as a whole, and the first byte of each of these, in row-major order.
fn units(place: &SharedTile, base: u32) -> (u32, Vec<u32>) {
    let (shape, width) = (place.shape(), place.elem_bytes());
    let count: u64 = shape.iter().map(|&size| u64::from(size)).product();
    // 16-byte units are moved as a whole.
    let along_rows = place.contiguous_axis().is_some_and(|axis| axis + 1 == shape.len());
    let unit = if along_rows && place.has_whole_units() && base.is_multiple_of(16) { 16 / width } else { 1 };
    let mut found = Vec::with_capacity((count / u64::from(unit)) as usize);
    let mut at: SmallVec<[u32; 4]> = smallvec![0; shape.len()];
    while (found.len() as u64) * u64::from(unit) < count {
        found.push(place.address(base, &at));
        let mut step = unit;
        for (at, &size) in at.iter_mut().zip(shape).rev() {
            *at += step;
            if *at < size {
                break;
            }
            (*at, step) = (0, 1);
        }
    }
    (unit, found)
}

fn elements(place: &SharedTile, base: u32) -> Vec<Interval> {
    let (unit, units) = units(place, base);
    let bytes = unit * place.elem_bytes();
    units.into_iter().map(|address| (address, address + bytes)).collect()
}

fn join(mut all: Vec<Interval>) -> Vec<Interval> {
    all.sort_unstable();
    let mut joined: Vec<Interval> = Vec::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// The warps and threads that touch each element.
fn touched(program: &Program, class: u32, base: u32) -> Touched {
    let Class { tile, layout, warps, first, transposed } = &program.classes[class as usize];
    let place = &program.tiles[*tile as usize].place;
    let transposed = if *transposed { place.transposed() } else { None };
    let place = transposed.as_ref().unwrap_or(place);
    let Ok(fragment) = layout.place(place.shape(), place.elem_bytes() * 8, *warps) else { return Touched::default() };
    let table = fragment.table();
    let addresses = addresses(place, base);
    let (start, width) = (addresses.iter().copied().min().unwrap_or(0), place.elem_bytes());
    let end = addresses.iter().copied().max().map_or(start, |last| last + width);
    let mut masks = vec![0u32; ((end - start) / width) as usize];
    let mut threads = vec![0u16; masks.len()];
    for warp in 0..table.warps() {
        for lane in 0..32 {
            if *first && !table.is_first(lane, warp) {
                continue;
            }
            for &element in table.thread(lane, warp) {
                if let Some(address) = addresses.get(element as usize) {
                    let at = ((address - start) / width) as usize;
                    masks[at] |= 1 << warp;
                    let thread = (32 * warp + lane + 1) as u16;
                    threads[at] = if matches!(threads[at], 0) || threads[at] == thread { thread } else { SEVERAL };
                }
            }
        }
    }
    Touched { start, width, masks, threads }
}

/// Who touches again what was touched in the first access, each moved by so many bytes.
fn kept((first, by): (&Touched, u32), (second, moved): (&Touched, u32)) -> Kept {
    if first.masks.is_empty() || second.masks.is_empty() {
        return Kept::Nobody;
    }
    let start = i64::from(first.start + by);
    let mut kept = Kept::Threads;
    for (number, (&mask, &thread)) in second.masks.iter().zip(&second.threads).enumerate() {
        if mask == 0 {
            continue;
        }
        let begin = i64::from(second.start + moved) + number as i64 * i64::from(second.width) - start;
        let place = |byte: i64| byte.div_euclid(i64::from(first.width)).clamp(0, first.masks.len() as i64) as usize;
        let range = place(begin)..place(begin + i64::from(second.width) + i64::from(first.width) - 1);
        let (masks, threads) = (&first.masks[range.clone()], &first.threads[range]);
        // Both sets of warps must be one and the same warp, and so with threads.
        if masks.iter().any(|&others| others != 0 && (mask | others).count_ones() != 1) {
            return Kept::Nobody;
        }
        if threads.iter().any(|&other| other != 0 && (other != thread || thread == SEVERAL)) {
            kept = Kept::Warps;
        }
    }
    kept
}
