//! Descriptors of wgmma: what the hardware reads with them, simulated, and their numbers.

use super::tile;
use crate::layout::{Descriptor, Major, SharedTile, swizzle};

/// The byte that an instruction reads as element (mn, k) of its operand, from the 64 bits alone. The canonical layouts
/// of the matrix descriptors, in 16-byte units.
fn reads(bits: u64, major: Major, elem_bytes: u32, mn: u32, k: u32) -> u32 {
    let field = |at: u32| ((bits >> at) as u32 & 0x3FFF) << 4;
    let (start, leading, stride) = (field(0), field(16), field(32));
    let span = [16, 128, 64, 32][(bits >> 62) as usize];
    assert_eq!(bits & !(0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 3 << 62), 0);
    let offset = match major {
        Major::K => {
            let byte = k * elem_bytes;
            mn / 8 * stride + mn % 8 * span + if span == 16 { byte / 16 * leading + byte % 16 } else { byte }
        }
        Major::Mn => {
            let byte = mn * elem_bytes;
            let (along_mn, along_k) = if span == 16 { (stride, leading) } else { (leading, stride) };
            byte / span * along_mn + byte % span + k / 8 * along_k + k % 8 * span
        }
    };
    swizzle(start + offset, span)
}

fn check(tile: &SharedTile, k_axis: usize) -> Descriptor {
    let descriptor = tile.descriptor(k_axis).unwrap();
    let base = 3 * tile.alignment();
    let (mn, k) = (tile.shape()[1 - k_axis], tile.shape()[k_axis]);
    assert_eq!(descriptor.k * tile.elem_bytes(), 32);
    assert_eq!(descriptor.starts.len() as u32, k / descriptor.k);
    for (step, start) in (0..).zip(&descriptor.starts) {
        let bits = descriptor.bits(base + start);
        for mn in 0..mn {
            for k in 0..descriptor.k {
                let coords = [mn, step * descriptor.k + k];
                let coords = if k_axis == 1 { coords } else { [coords[1], coords[0]] };
                let read = reads(bits, descriptor.major, tile.elem_bytes(), mn, k);
                assert_eq!(read, tile.address(base, &coords), "{coords:?}");
            }
        }
    }
    descriptor
}

fn numbers(descriptor: &Descriptor) -> (Major, u32, u32, u32) {
    (descriptor.major, descriptor.swizzle, descriptor.leading, descriptor.stride)
}

/// The rows of the table: atoms of 8 rows along M or N, K contiguous.
#[test]
fn k_major() {
    for (text, code, stride) in [("swizzle 128", 1, 1024), ("swizzle 64", 2, 512), ("swizzle 32", 3, 256)] {
        for (bits, k) in [(8, 128), (16, 64), (32, 32)] {
            let descriptor = check(&tile(text, &[64, k], bits), 1);
            assert_eq!(numbers(&descriptor), (Major::K, code, 16, stride));
        }
    }
    // Inside an atom each step adds 32 bytes; the next panel is 128 bytes of all rows away.
    let wide = check(&tile("swizzle 128", &[128, 128], 16), 1);
    assert_eq!(wide.starts, [0, 32, 64, 96, 16384, 16416, 16448, 16480]);
    assert_eq!((wide.advance(), check(&tile("swizzle 128", &[128, 64], 16), 1).advance()), (None, Some(2)));
    // Cores of 8 rows of 16 bytes.
    let none = check(&tile("interleaved", &[128, 64], 16), 1);
    assert_eq!(numbers(&none), (Major::K, 0, 128 * 16, 128));
    assert_eq!(none.advance(), Some(128 * 16 * 2 / 16));
    // A B operand of 176 columns.
    check(&tile("swizzle 128", &[176, 64], 16), 1);
}

/// M or N contiguous, for 16-bit elements.
#[test]
fn mn_major() {
    for (text, code, span) in [("swizzle 128", 1, 128), ("swizzle 64", 2, 64), ("swizzle 32", 3, 32)] {
        let descriptor = check(&tile(text, &[64, 256], 16), 0);
        assert_eq!(numbers(&descriptor), (Major::Mn, code, 64 * span, 8 * span));
        assert_eq!(descriptor.advance(), Some(2 * 8 * span / 16));
    }
    let none = check(&tile("interleaved", &[64, 128], 16), 0);
    assert_eq!(numbers(&none), (Major::Mn, 0, 128, 64 * 16));
    check(&tile("swizzle 128", &[16, 80], 16), 0);
    // The same bytes with the axes exchanged.
    let transposed = tile("swizzle 128", &[64, 128], 16).transposed().unwrap();
    assert_eq!(check(&transposed, 1), check(&tile("swizzle 128", &[64, 128], 16), 0));
}

/// A part of a larger tile keeps its distances.
#[test]
fn parts_of_tiles() {
    let part = check(&tile("swizzle 128 rows 128", &[64, 128], 16), 1);
    assert_eq!(part.starts[4], 16384);
    let part = check(&tile("swizzle 128 rows 256", &[64, 128], 16), 0);
    assert_eq!(part.leading, 256 * 128);
}

/// The constants of the common case.
#[test]
fn bits_of_a_descriptor() {
    let high = |text: &str| (check(&tile(text, &[64, 64], 16), 1).bits(0) >> 32) as u32;
    assert_eq!(high("swizzle 128"), 0x4000_0040);
    assert_eq!(high("swizzle 64"), 0x8000_0020);
    assert_eq!(high("swizzle 32"), 0xC000_0010);
    let low = check(&tile("swizzle 128", &[64, 64], 16), 1).bits(0x2_3400) as u32;
    assert_eq!(low, 0x1_0000 | 0x2340);
}

#[test]
fn what_wgmma_cannot_read() {
    let refused = |text: &str, shape: &[u32], bits, k_axis| tile(text, shape, bits).descriptor(k_axis).unwrap_err();
    let kinds = "it reads `swizzle 128`, `swizzle 64`, `swizzle 32` or `interleaved`, not";
    for (text, shape, bits, k_axis, expected) in [
        ("row_major", &[64, 64][..], 16, 1, format!("wgmma cannot read the tile: {kinds} `row_major`")),
        ("row_major pitch 72", &[64, 64], 16, 0, format!("wgmma cannot read the tile: {kinds} `row_major pitch 72`")),
        ("swizzle 128", &[64, 32], 32, 0, "wgmma reads 32-bit elements along K only".into()),
        ("swizzle 128", &[64, 24], 16, 1, "K of 24 is no multiple of 16, what one wgmma takes".into()),
        ("swizzle 128", &[60, 64], 16, 1, "60 rows or columns are no multiple of 8".into()),
        (
            "swizzle 128",
            &[64, 16],
            64,
            1,
            "operands of wgmma have 8, 16 or 32 bits and K on axis 0 or 1, not 64 and 1".into(),
        ),
        ("row_major", &[4, 64, 64], 16, 1, "an operand of wgmma has rank 2, not 3".into()),
        (
            "swizzle 128 rows 116",
            &[64, 128],
            16,
            1,
            "wgmma cannot read the tile: panels of 116 rows are not whole patterns of the swizzle, of 8 rows".into(),
        ),
        (
            "swizzle 128 rows 20",
            &[16, 128],
            16,
            0,
            "wgmma cannot read the tile: panels of 20 rows are not whole patterns of the swizzle, of 8 rows".into(),
        ),
    ] {
        assert_eq!(refused(text, shape, bits, k_axis), expected);
    }
    // With one panel the rows next to it do not matter.
    check(&tile("swizzle 128 rows 116", &[64, 64], 16), 1);
}
