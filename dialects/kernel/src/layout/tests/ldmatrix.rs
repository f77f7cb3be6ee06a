//! ldmatrix and stmatrix: what the instructions do, simulated.

use std::collections::BTreeMap;

use super::{place, points, tile};
use crate::layout::{Fragment, LANES, MatrixAccess, SharedTile};

/// Runs the instructions on a tile whose elements are their coordinates, and compares what the registers get.
fn check(fragment: &Fragment, tile: &SharedTile, base: u32) -> MatrixAccess {
    let access = fragment.matrix_access(tile).unwrap();
    let memory: BTreeMap<u32, Vec<u32>> =
        points(tile.shape()).into_iter().map(|coords| (tile.address(base, &coords), coords)).collect();
    let per = 32 / fragment.elem_bits();
    let mut moved = vec![0; fragment.registers() as usize];
    for warp in 0..fragment.warps() {
        for group in &access.groups {
            assert_eq!(group.registers.len() as u32, access.matrices);
            let row = |lane| tile.address(base, &access.row(group, lane, warp));
            assert!((0..LANES).all(|lane| row(lane) % 16 == 0));
            for (matrix, slots) in (0..).zip(&group.registers) {
                for lane in 0..LANES {
                    for (element, &slot) in (0..).zip(slots) {
                        let (from, at) = match access.trans {
                            true => (2 * (lane % 4) + element, lane / 4),
                            false => (lane / 4, per * (lane % 4) + element),
                        };
                        let address = row(8 * matrix + from) + at * tile.elem_bytes();
                        let coords = fragment.coords(slot, lane, warp).map(|at| at.to_vec());
                        assert_eq!(memory.get(&address), coords.as_ref(), "slot {slot} of lane {lane} of warp {warp}");
                        moved[slot as usize] += 1;
                    }
                }
            }
        }
    }
    assert!(moved.iter().all(|&times| times == LANES * fragment.warps()));
    access
}

/// The recipes for the operands of m16n8k16: instruction, row and unit of 16 bytes of lane l.
#[test]
fn recipes() {
    let recipe = |layout: &str, shape: [u32; 2], stored: &str, transposed: bool| {
        let fragment = place(layout, &shape, 16, 1);
        let stored = match transposed {
            true => tile(stored, &[shape[1], shape[0]], 16).transposed().unwrap(),
            false => tile(stored, &shape, 16),
        };
        let access = check(&fragment, &stored, 4096);
        let rows: Vec<[u32; 2]> = (0..LANES)
            .map(|lane| {
                let at = access.row(&access.groups[0], lane, 0);
                if transposed { [at[1], at[0] / 8] } else { [at[0], at[1] / 8] }
            })
            .collect();
        (access.matrices, access.trans, rows, access.groups[0].registers.clone())
    };
    let lanes = |row: fn(u32) -> u32, unit: fn(u32) -> u32| (0..32).map(|l| [row(l), unit(l)]).collect::<Vec<_>>();
    let in_order: Vec<Vec<u32>> = (0..4).map(|word| vec![2 * word, 2 * word + 1]).collect();
    for swizzle in ["swizzle 32", "row_major pitch 24"] {
        // A [M][K], A [K][M], B [N][K], B [K][N].
        let a = recipe("mma_a [1, 1]", [16, 16], swizzle, false);
        assert_eq!(a, (4, false, lanes(|l| l % 16, |l| l / 16), in_order.clone()));
        let a = recipe("mma_a [1, 1]", [16, 16], swizzle, true);
        assert_eq!(a, (4, true, lanes(|l| l % 8 + 8 * (l / 16), |l| l / 8 % 2), in_order.clone()));
        let b = recipe("mma_b [1, 1]", [16, 16], swizzle, true);
        assert_eq!(b, (4, false, lanes(|l| l % 8 + 8 * (l / 16), |l| l / 8 % 2), in_order.clone()));
        let b = recipe("mma_b [1, 1]", [16, 16], swizzle, false);
        assert_eq!(b, (4, true, lanes(|l| l % 16, |l| l / 16), in_order.clone()));
    }
}

/// The 16-bit tile of an accumulator, stored 16 by 16: lane l addresses row 16w + l%16, unit 2j + l/16.
#[test]
fn an_accumulator_is_stored() {
    let fragment = place("wgmma", &[64, 80], 16, 4);
    let access = check(&fragment, &tile("swizzle 128", &[64, 80], 16), 1024);
    assert_eq!((access.matrices, access.trans, access.groups.len()), (4, false, 5));
    for (j, group) in (0..).zip(&access.groups) {
        assert_eq!(group.registers, (0..4).map(|i| vec![8 * j + 2 * i, 8 * j + 2 * i + 1]).collect::<Vec<_>>());
        for (warp, lane) in points(&[4, 32]).iter().map(|at| (at[0], at[1])) {
            assert_eq!(access.row(group, lane, warp).as_slice(), [16 * warp + lane % 16, 8 * (2 * j + lane / 16)]);
        }
    }
    // Columns of eight fill pairs of matrices only.
    let narrow = check(&place("wgmma", &[64, 72], 16, 4), &tile("swizzle 128", &[64, 72], 16), 0);
    assert_eq!((narrow.matrices, narrow.groups.len()), (2, 9));
    // Column-major memory takes them transposed.
    let column = check(&fragment, &tile("col_major pitch 72", &[64, 80], 16), 0);
    assert_eq!((column.matrices, column.trans), (4, true));
}

/// All widths, grids and swizzles.
#[test]
fn operands_are_loaded() {
    for (bits, k) in [(8, 64), (16, 32), (32, 16)] {
        for stored in ["swizzle 64", "swizzle 32", "interleaved", "row_major"] {
            let a = check(&place("mma_a [2, 2]", &[64, k], bits, 4), &tile(stored, &[64, k], bits), 0);
            assert_eq!((a.matrices, a.trans), (4, false));
            let b = tile(stored, &[48, k], bits).transposed().unwrap();
            let b = check(&place("mma_b [2, 2]", &[k, 48], bits, 4), &b, 2048);
            assert_eq!((b.matrices, b.trans), (4, false));
        }
    }
    // One matrix: half of K.
    let b = check(&place("mma_b [1, 1]", &[8, 8], 16, 1), &tile("row_major", &[8, 8], 16), 0);
    assert_eq!((b.matrices, b.trans), (1, true));
    let blocked = place("blocked [1, 2] lanes [8, 4] warps [1, 1]", &[32, 8], 16, 1);
    assert_eq!(check(&blocked, &tile("row_major", &[32, 8], 16), 0).matrices, 4);
}

/// Rows of 128, 64 and 32 bytes: without conflicts when swizzled or padded by 16 bytes, else with 8, 4 and 2 ways.
#[test]
fn bank_conflicts_of_matrices() {
    for (bytes, plain) in [(128, 8), (64, 4), (32, 2), (256, 8)] {
        let shape = [32, bytes / 2];
        let fragment = place("mma_a [2, 1]", &shape, 16, 2);
        let ways = |text: &str| {
            let tile = tile(text, &shape, 16);
            check(&fragment, &tile, 0).conflicts(&tile, 0, 2).ways
        };
        assert_eq!(ways(&format!("swizzle {}", bytes.min(128))), 1);
        assert_eq!(ways("row_major"), plain);
        assert_eq!(ways(&format!("row_major pitch {}", bytes / 2 + 8)), 1);
    }
}

#[test]
fn what_matrices_cannot_do() {
    let refused = |layout: &str, text: &str, shape: &[u32], bits| {
        place(layout, shape, bits, 4).matrix_access(&tile(text, shape, bits)).unwrap_err()
    };
    let order = "neither the words of eight rows nor their columns lie along axis 1, which is contiguous";
    assert_eq!(refused("wgmma", "row_major", &[64, 64], 32), order);
    assert_eq!(refused("blocked [1, 8] lanes [4, 8] warps [4, 1]", "row_major", &[64, 64], 16), order);
    assert_eq!(refused("wgmma_a", "col_major", &[64, 64], 8), order.replace("axis 1", "axis 0"));
    let rows = "rows of 16 bytes are not aligned, or not in the fragment as a whole";
    assert_eq!(refused("wgmma", "row_major pitch 68", &[64, 64], 16), rows);
    assert_eq!(refused("blocked [1, 2] lanes [8, 4] warps [4, 1]", "row_major pitch 16", &[32, 9], 16), rows);
    // Four rows of a warp are missing.
    assert_eq!(refused("blocked [1, 2] lanes [8, 4] warps [4, 1]", "row_major", &[28, 8], 16), rows);
    // Lane 4 starts its row in the middle of a unit.
    let crossed = "bits (register [[0, 1]], lane [[0, 2], [0, 4], [1, 1], [2, 0], [4, 0]], warp [])";
    let crossed = place(crossed, &[8, 8], 16, 1).matrix_access(&tile("row_major", &[8, 8], 16));
    assert_eq!(crossed.unwrap_err(), rows);
    let wide = place("blocked [1] lanes [32] warps [4]", &[128], 64, 4);
    let wide = wide.matrix_access(&tile("row_major", &[128], 64)).unwrap_err();
    assert_eq!(wide, "matrices have elements of 8, 16 or 32 bits, not 64");
}
