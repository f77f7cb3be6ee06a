//! Shared layouts against their definition, and the swizzle of the hardware.

use std::collections::BTreeSet;

use super::{points, tile};
use crate::layout::{Dim, Shared, SharedTile, swizzle};

/// No two elements share a byte, and the last one ends the tile.
fn check(tile: &SharedTile) {
    let mut seen = BTreeSet::new();
    for coords in points(tile.shape()) {
        let address = tile.address(0, &coords);
        assert_eq!(address % tile.elem_bytes(), 0);
        assert!(seen.insert(address), "{coords:?} at {address}");
        assert!(tile.offset(&coords) + tile.elem_bytes() <= tile.bytes());
        assert!(address + tile.elem_bytes() <= tile.stride());
    }
    if let Some(map) = tile.map() {
        for coords in points(tile.shape()) {
            let offset = tile.address(0, &coords) / tile.elem_bytes();
            assert_eq!(map.apply(&[(Dim::Offset, offset)]), coords);
        }
    }
}

#[test]
fn no_two_elements_share_a_byte() {
    for (text, shape, bits) in [
        ("row_major", &[5, 3, 7][..], 32),
        ("row_major", &[], 64),
        ("row_major", &[16], 8),
        ("row_major pitch 72", &[64, 64], 16),
        ("col_major", &[16, 8], 16),
        ("col_major pitch 24", &[17, 5], 32),
        ("swizzle 128", &[64, 128], 16),
        ("swizzle 128", &[9, 176], 16),
        ("swizzle 64", &[32, 64], 16),
        ("swizzle 32 rows 64", &[8, 48], 32),
        ("interleaved", &[16, 32], 8),
    ] {
        check(&tile(text, shape, bits));
    }
}

/// In a tile of rows of so many bytes, unit c of row r is stored at the unit of the table.
#[test]
fn a_swizzle_exchanges_units() {
    for row in 0..64 {
        for unit in 0..8 {
            let stored = |span: u32, unit: u32| swizzle(row * span + 16 * unit, span);
            assert_eq!(stored(128, unit), row * 128 + 16 * (unit ^ (row & 7)));
            assert_eq!(stored(64, unit % 4), row * 64 + 16 * ((unit % 4) ^ (row >> 1 & 3)));
            assert_eq!(stored(32, unit % 2), row * 32 + 16 * ((unit % 2) ^ (row >> 2 & 1)));
            assert_eq!(stored(16, 0), row * 16);
        }
    }
    // As the formulas of absolute addresses.
    for address in (0..1 << 16).step_by(4) {
        assert_eq!(swizzle(address, 128), address ^ (((address >> 7) & 7) << 4));
        assert_eq!(swizzle(address, 64), address ^ (((address >> 7) & 3) << 4));
        assert_eq!(swizzle(address, 32), address ^ (((address >> 7) & 1) << 4));
    }
}

/// Panels of 64 16-bit elements, each of all rows; a part of a larger tile keeps the distance of the panels and the
/// pattern of the whole.
#[test]
fn panels_stand_one_after_the_other() {
    let whole = tile("swizzle 128", &[128, 128], 16);
    assert_eq!((whole.bytes(), whole.alignment()), (32768, 1024));
    assert_eq!(whole.address(4096, &[3, 64 + 8]), 4096 + 128 * 128 + 3 * 128 + ((1 ^ 3) << 4));
    let part = tile("swizzle 128 rows 128", &[64, 128], 16);
    for coords in points(&[64, 128]) {
        // A part that starts at a row which is no multiple of eight.
        let moved = [coords[0] + 12, coords[1]];
        assert_eq!(part.address(12 * 128, &coords), whole.address(0, &moved));
    }
}

#[test]
fn sizes_and_alignments() {
    let shown = |text: &str, shape: &[u32], bits| {
        let tile = tile(text, shape, bits);
        (tile.bytes(), tile.alignment(), tile.stride())
    };
    assert_eq!(shown("row_major pitch 72", &[64, 64], 16), (63 * 144 + 128, 128, 64 * 144));
    assert_eq!(shown("swizzle 64", &[8, 32], 16), (512, 512, 512));
    assert_eq!(shown("swizzle 32", &[8, 16], 16), (256, 256, 256));
    assert_eq!(shown("swizzle 128", &[116, 64], 16), (116 * 128, 1024, 15 * 1024));
    assert_eq!(tile("row_major pitch 72", &[64, 64], 16).map(), None);
    assert_eq!(tile("row_major", &[6, 8], 16).map(), None);
}

/// 16-byte units, which vectors and matrices move.
#[test]
fn whole_units() {
    for (text, shape, expected) in [
        ("row_major", &[4, 8][..], true),
        ("row_major", &[4, 12], false),
        ("row_major", &[1, 12], false),
        ("row_major pitch 72", &[4, 64], true),
        ("row_major pitch 68", &[4, 64], false),
        ("row_major", &[3, 5, 16], true),
        ("col_major", &[8, 3], true),
        ("col_major", &[3, 8], false),
        ("swizzle 64", &[3, 40], true),
        ("row_major", &[], false),
    ] {
        assert_eq!(tile(text, shape, 16).has_whole_units(), expected, "{text} of {shape:?}");
    }
}

#[test]
fn what_does_not_fit_is_named() {
    for (text, shape, bits, expected) in [
        ("row_major pitch 60", &[4, 64][..], 16, "a pitch of 60 is too small for a row of 64 elements"),
        ("col_major pitch 3", &[4, 64], 16, "a pitch of 3 is too small for a column of 4 elements"),
        ("col_major", &[4], 16, "the layout is for tiles of rank 2, not 1"),
        ("swizzle 128", &[4, 4, 4], 16, "the layout is for tiles of rank 2, not 3"),
        ("swizzle 128 rows 32", &[64, 64], 16, "panels of 32 rows are too small for 64 rows"),
        ("row_major", &[4, 0], 16, "a tile has 1 to 262144 elements along axis 1, not 0"),
        ("row_major", &[1024, 1024], 16, "the tile has 2097152 bytes, at most 262144"),
        ("row_major", &[4], 4, "elements in shared memory have 8, 16, 32 or 64 bits, not 4"),
    ] {
        let layout: Shared = text.parse().unwrap();
        assert_eq!(layout.place(shape, bits).unwrap_err(), expected, "{text} of {shape:?}");
    }
}
