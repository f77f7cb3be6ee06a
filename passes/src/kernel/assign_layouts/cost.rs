//! What accesses cost a warp, and the layouts that are tried.

use dlc_ir::OpRef;
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::layout::{Blocked, Conversion, Distributed, Fragment, LANES, MAX_VECTOR_BYTES, Shared, SharedTile};
use dlc_kernel::ops as kernel;

use crate::analysis::vectors::widest_of;

/// The bytes that global memory is read and written by.
const SECTOR: u32 = 32;
/// What an instruction costs that goes to global memory, besides its sectors.
const INSTRUCTION: u64 = 4;
/// What a barrier costs.
pub const BARRIER: u64 = 20;

/// What an access to global memory costs, in a layout that may be another one than that of the op. `None` where the layout
/// does not fit.
pub fn global(op: OpRef<'_>, access: &GlobalAccess) -> Option<u64> {
    let fragment = access.fragment(op).ok()?;
    let bytes = fragment.elem_bits().div_ceil(8);
    let width = widest_of(op, access);
    let promised = access.vector.and_then(|vector| u32::try_from(vector).ok()).unwrap_or(1);
    let vector = width.map_or(1, |width| width.vector).max(promised);
    let groups: Vec<Vec<u32>> = match width {
        Some(width) if vector > 1 => fragment.global_access(width.axis, vector * bytes).ok()?.groups,
        _ => (0..fragment.registers()).map(|register| vec![register]).collect(),
    };
    let stores = op.is(kernel::Store::DEF) || access.tile.is_some();
    let mut cost = 0;
    for group in &groups {
        let mut sectors: Vec<(u64, u32)> = Vec::new();
        for lane in (0..LANES).filter(|&lane| !stores || fragment.is_first(lane, 0)) {
            let Some(at) = fragment.coords(group[0], lane, 0) else { continue };
            let number = |rows: &mut dyn Iterator<Item = (usize, &u32)>| {
                rows.fold(0u64, |row, (axis, &at)| row * u64::from(fragment.shape()[axis]) + u64::from(at))
            };
            // Rows are taken to be apart; where there are none, all elements are.
            let Some(axis) = width.map(|width| width.axis) else {
                sectors.push((number(&mut at.iter().enumerate()), 0));
                continue;
            };
            let row = number(&mut at.iter().enumerate().filter(|&(other, _)| other != axis));
            let first = at[axis] * bytes;
            let last = first + group.len() as u32 * bytes - 1;
            sectors.extend((first / SECTOR..=last / SECTOR).map(|sector| (row, sector)));
        }
        sectors.sort_unstable();
        sectors.dedup();
        cost += sectors.len() as u64 + INSTRUCTION;
    }
    Some(cost)
}

/// What the access of a fragment to a tile costs, by vectors or, if `matrices`, by whole matrices. `None` where they do not
/// fit each other.
pub fn shared(fragment: &Fragment, tile: &SharedTile, matrices: bool) -> Option<u64> {
    let access = fragment.shared_access(tile, MAX_VECTOR_BYTES).ok()?;
    let plain = access.groups.len() as u64 + u64::from(access.conflicts(fragment, tile, 0).wavefronts);
    let by_matrices = || {
        let access = fragment.matrix_access(tile).ok()?;
        Some(access.groups.len() as u64 + u64::from(access.conflicts(tile, 0, fragment.warps()).wavefronts))
    };
    Some(by_matrices().filter(|_| matrices).map_or(plain, |cost| cost.min(plain)))
}

/// What a conversion costs, and the layout of the tile that it goes through, if it does.
pub fn conversion(from: &Fragment, to: &Fragment) -> Option<(u64, Option<Shared>)> {
    match from.convert(to).ok()? {
        Conversion::Registers(_) => Some((0, None)),
        Conversion::Shuffles(shuffles) => Some((2 * shuffles.rounds.len() as u64, None)),
        Conversion::Shared => {
            let ways = [false, true].into_iter().filter(|&columns| !columns || from.shape().len() == 2);
            let layouts = ways.flat_map(|columns| shared_layouts(from.shape(), from.elem_bits(), columns));
            let through = layouts.filter_map(|layout| {
                let tile = layout.place(from.shape(), from.elem_bits()).ok()?;
                let cost = shared(from, &tile, true)? + shared(to, &tile, true)?;
                Some((cost + 2 * BARRIER, tile.bytes(), layout))
            });
            let (cost, _, layout) = through.min_by_key(|&(cost, bytes, _)| (cost, bytes))?;
            Some((cost, Some(layout)))
        }
    }
}

/// The layouts that are tried for a tile in shared memory.
pub fn shared_layouts(shape: &[u32], elem_bits: u32, columns: bool) -> Vec<Shared> {
    let bytes = elem_bits / 8;
    let contiguous = if columns { shape.first() } else { shape.last() };
    let (Some(&size), true) = (contiguous, bytes > 0) else { return Vec::new() };
    let mut layouts = Vec::new();
    for more in [0, 1, (4 / bytes).max(1), (8 / bytes).max(1), 16 / bytes] {
        let pitch = Some(size + more).filter(|_| more > 0);
        layouts.push(if columns { Shared::ColMajor { pitch } } else { Shared::RowMajor { pitch } });
    }
    if shape.len() == 2 && !columns {
        let spans = [128, 64, 32].into_iter().filter(|span| (size * bytes).is_multiple_of(*span));
        layouts.extend(spans.map(|span| Shared::Panels { span, rows: None }));
    }
    layouts
}

/// The blocked layouts that are tried for a fragment: each with neighbours along one axis.
pub fn blocked_layouts(shape: &[u32], warps: u32) -> Vec<Distributed> {
    let rank = shape.len();
    let sizes: Vec<u32> = shape.iter().map(|size| size.next_power_of_two()).collect();
    let mut layouts = Vec::new();
    if !warps.is_power_of_two() {
        return layouts;
    }
    for along in 0..rank {
        let mut order = vec![along];
        order.extend((0..rank).rev().filter(|&axis| axis != along));
        for vector in [1, 2, 4, 8, 16].into_iter().filter(|&vector| vector <= sizes[along]) {
            let mut thread = vec![1; rank];
            thread[along] = vector;
            let mut left: Vec<u32> = sizes.clone();
            left[along] /= vector;
            // What no axis has room for has copies of what others have.
            let mut spread = |count: u32, order: &[usize]| {
                let (mut rest, mut numbers) = (count, vec![1; rank]);
                for &axis in order {
                    let here = rest.min(left[axis]);
                    numbers[axis] *= here;
                    left[axis] /= here;
                    rest /= here;
                }
                numbers[order[0]] *= rest;
                numbers
            };
            let lanes = spread(LANES, &order);
            let mut others = order[1..].to_vec();
            others.push(along);
            let warps = spread(warps, &others);
            let order = order.iter().map(|&axis| axis as u32).collect();
            layouts.push(Distributed::Blocked(Blocked { thread, lanes, warps, order }));
        }
    }
    layouts
}
