//! Vectors and bank conflicts.

use super::{Draw, Random, place, registers, tile};
use crate::layout::{Access, Conflicts, Fragment, SharedTile, bank_conflicts};

/// All registers are in one vector, and a vector is contiguous and aligned in memory.
fn check(fragment: &Fragment, access: &Access, byte: impl Fn(&[u32]) -> u64) {
    let mut all: Vec<u32> = access.groups.concat();
    all.sort_unstable();
    assert_eq!(all, (0..fragment.registers()).collect::<Vec<_>>());
    let elem_bytes = u64::from(fragment.elem_bits() / 8);
    for (register, lane, warp) in registers(fragment).filter(|(register, _, _)| *register == 0) {
        for group in &access.groups {
            let bytes: Vec<Option<u64>> =
                group.iter().map(|&r| fragment.coords(r + register, lane, warp).map(|at| byte(&at))).collect();
            let Some(first) = bytes[0] else {
                assert!(bytes.iter().all(Option::is_none));
                continue;
            };
            assert_eq!(first % (u64::from(access.vector) * elem_bytes), 0);
            assert!((0..).zip(&bytes).all(|(at, byte)| *byte == Some(first + at * elem_bytes)));
        }
    }
}

fn shared(fragment: &Fragment, tile: &SharedTile) -> Access {
    let access = fragment.shared_access(tile, 16).unwrap();
    check(fragment, &access, |at| u64::from(tile.address(0, at)));
    access
}

/// The ways of the widest access of a fragment to a tile.
fn ways(fragment: &Fragment, tile: &SharedTile) -> (u32, u32) {
    let access = shared(fragment, tile);
    (access.bytes(fragment.elem_bits()), access.conflicts(fragment, tile, 0).ways)
}

/// The pairs of an accumulator of 16-bit elements, on rows of 128 bytes.
#[test]
fn pairs_of_an_accumulator() {
    for layout in ["wgmma", "mma [4, 1]"] {
        let fragment = place(layout, &[64, 64], 16, 4);
        assert_eq!(ways(&fragment, &tile("swizzle 128", &[64, 64], 16)), (4, 1));
        assert_eq!(ways(&fragment, &tile("row_major", &[64, 64], 16)), (4, 8));
        assert_eq!(ways(&fragment, &tile("row_major pitch 68", &[64, 64], 16)), (4, 2));
        assert_eq!(ways(&fragment, &tile("row_major pitch 132", &[64, 64], 16)), (4, 2));
    }
}

/// Rows of 128, 64 and 32 bytes written in order by 16 bytes a lane do not conflict, swizzled or not.
#[test]
fn vectors_in_the_order_of_rows() {
    for (bytes, lanes) in [(128, 8), (64, 4), (32, 2)] {
        let shape = [64, bytes / 2];
        let text = format!("blocked [1, 8] lanes [{}, {lanes}] warps [1, 1]", 32 / lanes);
        let fragment = place(&text, &shape, 16, 1);
        assert_eq!(ways(&fragment, &tile(&format!("swizzle {bytes}"), &shape, 16)), (16, 1));
        assert_eq!(ways(&fragment, &tile("row_major", &shape, 16)), (16, 1));
    }
    // Padded rows shift the banks of the next row: a phase of eight lanes must not go beyond its row.
    for (columns, lanes, expected) in [(128, 16, 1), (64, 8, 1), (32, 4, 2)] {
        let text = format!("blocked [1, 8] lanes [{}, {lanes}] warps [1, 1]", 32 / lanes);
        let fragment = place(&text, &[64, columns], 16, 1);
        let padded = format!("row_major pitch {}", columns + 8);
        assert_eq!(ways(&fragment, &tile(&padded, &[64, columns], 16)), (16, expected));
    }
}

#[test]
fn banks_are_counted_by_phases() {
    let strided = |stride: u32, bytes: u32| {
        let addresses: Vec<Option<u32>> = (0..32).map(|lane| Some(lane * stride)).collect();
        bank_conflicts(&addresses, bytes)
    };
    // One word for all lanes, words in order, every other word, one bank.
    assert_eq!(strided(0, 4), Conflicts { ways: 1, wavefronts: 1 });
    assert_eq!(strided(4, 4), Conflicts { ways: 1, wavefronts: 1 });
    assert_eq!(strided(8, 4), Conflicts { ways: 2, wavefronts: 2 });
    assert_eq!(strided(128, 4), Conflicts { ways: 32, wavefronts: 32 });
    // Halves of words are shared.
    assert_eq!(strided(2, 2), Conflicts { ways: 1, wavefronts: 1 });
    // Pairs of words in two phases, vectors of four words in four.
    assert_eq!(strided(8, 8), Conflicts { ways: 1, wavefronts: 2 });
    assert_eq!(strided(16, 16), Conflicts { ways: 1, wavefronts: 4 });
    assert_eq!(strided(128, 16), Conflicts { ways: 8, wavefronts: 32 });
    assert_eq!(bank_conflicts(&[None, Some(4), None], 4), Conflicts { ways: 1, wavefronts: 1 });
    assert_eq!(bank_conflicts(&[], 4), Conflicts::default());
}

/// Each vector of each warp is counted, and the warp that needs most is what a block waits for.
#[test]
fn wavefronts_of_a_fragment() {
    let fragment = place("blocked [1, 4] lanes [2, 16] warps [1, 2]", &[8, 128], 32, 2);
    let tile = tile("row_major", &[8, 128], 32);
    let access = shared(&fragment, &tile);
    assert_eq!((access.vector, access.groups.len()), (4, 4));
    assert_eq!(access.conflicts(&fragment, &tile, 0), Conflicts { ways: 1, wavefronts: 16 });
    assert_eq!(access.conflicts(&fragment, &tile, 4096), Conflicts { ways: 1, wavefronts: 16 });
    // Of the last registers, only those of lane 0 exist.
    let (fragment, row) =
        (place("blocked [4] lanes [32] warps [1]", &[130], 32, 1), super::tile("row_major", &[130], 32));
    let words = fragment.shared_access(&row, 4).unwrap();
    assert_eq!(words.conflicts(&fragment, &row, 0), Conflicts { ways: 4, wavefronts: 4 * 4 + 2 });
}

#[test]
fn widest_vectors_in_shared_memory() {
    for (layout, text, shape, bits, vector) in [
        ("wgmma", "row_major", &[64, 64][..], 32, 2),
        ("wgmma", "col_major", &[64, 64], 32, 1),
        ("wgmma", "row_major pitch 65", &[64, 64], 32, 1),
        ("wgmma_a", "row_major", &[64, 64], 8, 4),
        ("blocked [2, 4] lanes [32, 1] warps [4, 1]", "row_major", &[256, 4], 16, 8),
        ("blocked [4, 2] lanes [32, 1] warps [4, 1] order [0, 1]", "col_major", &[512, 2], 16, 4),
        ("blocked [1, 8] lanes [32, 1] warps [4, 1]", "row_major", &[128, 20], 16, 4),
        ("blocked [8] lanes [32] warps [4]", "row_major", &[1000], 32, 4),
        ("blocked [8] lanes [32] warps [4]", "row_major", &[1003], 16, 1),
        ("blocked [8] lanes [32] warps [4]", "row_major", &[1020], 16, 4),
        (
            "bits (register [[1], [3]], lane [[4], [8], [16], [32], [64]], warp [[128], [256]])",
            "row_major",
            &[512],
            32,
            4,
        ),
        ("bits (register [[1]], lane [[3], [4], [8], [16], [32]], warp [[64], [128]])", "row_major", &[256], 32, 1),
        (
            "bits (register [[8], [1]], lane [[4], [2], [16], [32], [64]], warp [[128], [256]])",
            "row_major",
            &[512],
            32,
            2,
        ),
    ] {
        let fragment = place(layout, shape, bits, 4);
        assert_eq!(shared(&fragment, &tile(text, shape, bits)).vector, vector, "{layout} in {text} of {shape:?}");
    }
    let fragment = place("blocked [8] lanes [32] warps [1]", &[256], 16, 1);
    assert_eq!(fragment.shared_access(&tile("row_major", &[256], 16), 8).unwrap().vector, 4);
    let other = fragment.shared_access(&tile("row_major", &[128], 16), 16).unwrap_err();
    assert_eq!(other, "the tile has the shape [128], the fragment [256]");
    let other = fragment.shared_access(&tile("row_major", &[256], 32), 16).unwrap_err();
    assert_eq!(other, "the tile has 32 bits an element, not 16");
}

#[test]
fn widest_vectors_in_global_memory() {
    let fragment = place("blocked [2, 8] lanes [4, 8] warps [4, 1]", &[32, 128], 16, 4);
    for (axis, alignment, vector) in [(1, 128, 8), (1, 16, 8), (1, 8, 4), (1, 2, 1), (1, 6, 1), (1, 12, 2), (0, 128, 2)]
    {
        let access = fragment.global_access(axis, alignment).unwrap();
        // Rows as far apart as the alignment allows.
        let apart = u64::from(1u32 << alignment.trailing_zeros()) * 4097;
        check(&fragment, &access, |at| u64::from(at[axis]) * 2 + u64::from(at[1 - axis]) * apart);
        assert_eq!(access.vector, vector, "axis {axis}, {alignment} bytes");
    }
    assert_eq!(place("wgmma", &[64, 80], 32, 4).global_access(1, 128).unwrap().vector, 2);
    assert_eq!(fragment.global_access(2, 16).unwrap_err(), "a tile of rank 2 has no axis 2");
    let bits = place("wgmma", &[64, 8], 1, 4).global_access(1, 16).unwrap_err();
    assert_eq!(bits, "elements of 1 bits are no whole bytes");
}

/// Where one instruction stands for all, it is as if all were counted.
#[test]
fn conflicts_of_all_instructions() {
    let mut numbers = Random::new(23);
    for _ in 0..300 {
        let grid = [[4, 1], [2, 2], [1, 4]][numbers.index(3) as usize];
        let shape = [64 << numbers.index(2), 32 << numbers.index(3)];
        let text =
            ["swizzle 128", "swizzle 64", "swizzle 32", "interleaved", "row_major", "col_major", "row_major pitch 136"];
        let bits = 8 << numbers.index(3);
        let (fragment, tile) =
            (place(&format!("mma {grid:?}"), &shape, bits, 4), tile(text[numbers.index(7) as usize], &shape, bits));
        let access = shared(&fragment, &tile);
        let base = 4 * numbers.index(1024);
        let mut expected = Conflicts::default();
        for warp in 0..4 {
            let mut wavefronts = 0;
            for group in &access.groups {
                let lanes: Vec<_> =
                    (0..32).map(|l| Some(tile.address(base, &fragment.coords(group[0], l, warp).unwrap()))).collect();
                let found = bank_conflicts(&lanes, access.bytes(bits));
                expected.ways = expected.ways.max(found.ways);
                wavefronts += found.wavefronts;
            }
            expected.wavefronts = expected.wavefronts.max(wavefronts);
        }
        assert_eq!(access.conflicts(&fragment, &tile, base), expected);
    }
}

/// Any blocked layout and shape: what is found is right, and nothing wider would be.
#[test]
fn vectors_of_blocked_layouts() {
    let mut numbers = Random::new(13);
    for _ in 0..40 {
        let thread = [1 << numbers.index(3), 1 << numbers.index(4)];
        let shape = [1 + numbers.index(40), 4 * (1 + numbers.index(20))];
        let order = if numbers.index(2) == 0 { " order [0, 1]" } else { "" };
        let text = format!("blocked {thread:?} lanes [8, 4] warps [1, 1]{order}");
        let fragment = place(&text, &shape, 16, 1);
        let access = shared(&fragment, &tile("row_major", &shape, 16));
        if thread[1] <= 4 && shape[1] >= 4 * thread[1] && thread[0] == 1 {
            assert!(access.vector >= thread[1], "{text} of {shape:?}");
        }
    }
}
