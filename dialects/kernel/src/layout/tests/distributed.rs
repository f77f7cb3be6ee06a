//! Placed layouts against brute force, and what is refused.

use std::collections::BTreeMap;

use super::{Draw, Random, layout, place, points, registers};
use crate::layout::{Coords, Fragment, Holder};

/// Every element has a holder, the holders are all of them and in order, and exactly one of them is the first.
fn check(fragment: &Fragment) {
    let mut held: BTreeMap<Vec<u32>, Vec<Holder>> = BTreeMap::new();
    let table = fragment.table();
    for (register, lane, warp) in registers(fragment) {
        let coords = fragment.coords(register, lane, warp);
        let number = |coords: &Coords| coords.iter().zip(fragment.shape()).fold(0, |sum, (at, size)| sum * size + at);
        assert_eq!(table.element(register, lane, warp), coords.as_ref().map(number));
        assert_eq!(table.is_first(lane, warp), fragment.is_first(lane, warp));
        if let Some(coords) = coords {
            held.entry(coords.to_vec()).or_default().push(Holder { warp, lane, register });
        }
    }
    for (register, lane, warp) in registers(fragment) {
        if let Some(coords) = fragment.coords(register, lane, warp) {
            assert_eq!(fragment.find(&coords, lane, warp), Some(register));
            let here = |holder: &Holder| (holder.lane, holder.warp) == (lane ^ 1, warp);
            let other = fragment.holders(&coords).into_iter().find(here).map(|holder| holder.register);
            assert_eq!(fragment.find(&coords, lane ^ 1, warp), other);
        }
    }
    let elements = points(fragment.shape());
    assert_eq!(held.keys().cloned().collect::<Vec<_>>(), elements);
    for (coords, holders) in &held {
        assert_eq!(&fragment.holders(coords), holders);
        assert_eq!(fragment.first_holder(coords), Some(holders[0]));
        let first: Vec<&Holder> = holders.iter().filter(|h| fragment.is_first(h.lane, h.warp)).collect();
        assert_eq!(first, [&holders[0]], "{coords:?}");
    }
    assert_eq!(fragment.replicates(), held.values().any(|holders| holders.len() > 1));
    assert!(
        (0..fragment.registers())
            .all(|r| registers(fragment).any(|(o, l, w)| o == r && fragment.coords(r, l, w).is_some()))
    );
}

#[test]
fn every_element_is_held() {
    for (text, shape, bits, warps) in [
        ("wgmma", &[64, 80][..], 32, 4),
        ("wgmma", &[192, 24], 32, 12),
        ("wgmma_a", &[64, 48], 16, 4),
        ("mma [2, 2]", &[96, 48], 32, 4),
        ("mma_a [2, 2]", &[32, 24], 16, 4),
        ("mma_b [2, 2]", &[32, 48], 8, 4),
        ("slice 1 of (wgmma)", &[128], 32, 4),
        ("slice 0 of (wgmma)", &[80], 32, 4),
        ("slice 0 of (mma_a [2, 2])", &[32], 16, 4),
        ("slice 0 of (slice 1 of (blocked [1, 2, 2] lanes [2, 4, 4] warps [2, 1, 1]))", &[6], 32, 2),
        ("slice 0 of (slice 0 of (mma [2, 2]))", &[], 32, 4),
        ("bits (register [[3], [8]], lane [[1], [2], [4], [0], [16]], warp [[0]])", &[27], 32, 2),
    ] {
        check(&place(text, shape, bits, warps));
    }
}

/// Blocked layouts of any rank, order and shape.
#[test]
fn blocked_layouts_hold_every_element() {
    let mut numbers = Random::new(7);
    for _ in 0..60 {
        let rank = 1 + numbers.index(3) as usize;
        let mut spread = |product_bits: u32| {
            let mut parts = vec![1u32; rank];
            (0..product_bits).for_each(|_| parts[numbers.index(rank as u32) as usize] *= 2);
            parts
        };
        let (thread, lanes, warps) = (spread(3), spread(5), spread(2));
        let mut order: Vec<u32> = (0..rank as u32).collect();
        (1..rank).for_each(|at| order.swap(at, numbers.index(at as u32 + 1) as usize));
        let shape: Vec<u32> = (0..rank).map(|_| 1 + numbers.index([0, 300, 24, 9][rank])).collect();
        let text = format!("blocked {thread:?} lanes {lanes:?} warps {warps:?} order {order:?}");
        check(&place(&text, &shape, 32, 4));
    }
}

/// The numbers of the spelling say where thread 1, lane 1 and warp 1 begin.
#[test]
fn blocked_counts_threads_lanes_and_warps() {
    let fragment = place("blocked [1, 8] lanes [4, 8] warps [4, 1]", &[32, 128], 16, 4);
    assert_eq!(fragment.registers(), 32);
    let at = |register, lane, warp| fragment.coords(register, lane, warp).unwrap().to_vec();
    assert_eq!([at(1, 0, 0), at(0, 1, 0), at(0, 8, 0), at(0, 0, 1)], [[0, 1], [0, 8], [1, 0], [4, 0]]);
    // What is larger repeats, the fastest axis first.
    assert_eq!([at(8, 0, 0), at(16, 0, 0)], [[0, 64], [16, 0]]);
    let other = place("blocked [8, 1] lanes [8, 4] warps [1, 4] order [0, 1]", &[128, 32], 16, 4);
    for (register, lane, warp) in registers(&fragment) {
        let (one, mut two) = (at(register, lane, warp), other.coords(register, lane, warp).unwrap().to_vec());
        two.reverse();
        assert_eq!(one, two);
    }
}

/// What is smaller than the layout is replicated over lanes and warps, and once in each thread.
#[test]
fn small_shapes_replicate() {
    let fragment = place("blocked [4] lanes [32] warps [4]", &[8], 32, 4);
    assert_eq!((fragment.registers(), fragment.free().lanes, fragment.free().warps), (4, 0b11110, 0b11));
    let row = place("slice 1 of (wgmma)", &[64], 32, 4);
    assert_eq!((row.registers(), row.free().lanes, row.free().warps), (2, 0b00011, 0));
    let column = place("slice 0 of (wgmma)", &[80], 32, 4);
    assert_eq!((column.registers(), column.free().lanes, column.free().warps), (20, 0b11100, 0b11));
}

/// A register exists where some thread holds something in it.
#[test]
fn odd_sizes_have_no_registers_outside() {
    let fragment = place("blocked [4] lanes [32] warps [1]", &[130], 32, 1);
    assert_eq!(fragment.registers(), 6);
    assert_eq!(fragment.coords(5, 0, 0).as_deref(), Some(&[129][..]));
    assert_eq!((fragment.coords(5, 1, 0), fragment.coords(6, 0, 0), fragment.coords(0, 32, 0)), (None, None, None));
    assert_eq!(
        (fragment.find(&[129], 0, 0), fragment.find(&[130], 0, 0), fragment.find(&[0], 0, 1)),
        (Some(5), None, None)
    );
    assert_eq!(fragment.slot(5), Some(5));
    // The register that would hold element 134 exists in lane 0.
    let fragment = place("blocked [4] lanes [32] warps [1]", &[134], 32, 1);
    assert_eq!(
        (fragment.find(&[130], 0, 0), fragment.find(&[133], 1, 0), fragment.find(&[134], 1, 0)),
        (Some(6), Some(5), None)
    );
    assert_eq!(place("wgmma", &[192, 80], 32, 4).slot(40), Some(64));
    assert_eq!(place("wgmma", &[192, 80], 32, 4).register(64), Some(40));
}

/// A part of an accumulator is some of its registers.
#[test]
fn parts_of_fragments() {
    let whole = place("wgmma", &[128, 80], 32, 4);
    assert_eq!(whole.extract(&place("wgmma", &[64, 16], 32, 4), &[64, 48]), Ok((64..72).collect()));
    assert_eq!(whole.extract(&whole, &[0, 0]), Ok((0..80).collect()));
    for (part, shape, at, expected) in [
        ("wgmma", &[64, 16][..], &[64, 72][..], "[64, 16] at [64, 72] is no part of [128, 80] in as many warps"),
        ("wgmma", &[64, 16], &[64], "[64, 16] at [64] is no part of [128, 80] in as many warps"),
        ("wgmma", &[64, 16], &[u32::MAX, 0], "[64, 16] at [4294967295, 0] is no part of [128, 80] in as many warps"),
        ("wgmma", &[64, 16], &[32, 0], "lane 0 of warp 0 does not hold [32, 0]"),
        ("wgmma", &[64, 8], &[0, 4], "lane 0 of warp 0 does not hold [0, 4]"),
        ("blocked [1, 2] lanes [8, 4] warps [4, 1]", &[32, 8], &[0, 0], "lane 0 of warp 1 does not hold [8, 0]"),
    ] {
        assert_eq!(whole.extract(&place(part, shape, 32, 4), at).unwrap_err(), expected);
    }
    // Two registers that other lanes hold in the other order.
    let crossed = "bits (register [[1]], lane [[3], [4], [8], [16], [32]], warp [])";
    let straight = "bits (register [[1]], lane [[2], [4], [8], [16], [32]], warp [])";
    let error = place(crossed, &[64], 32, 1).extract(&place(straight, &[64], 32, 1), &[0]).unwrap_err();
    assert_eq!(error, "register 0 is 0 in a thread, 1 in lane 1 of warp 0");
}

#[test]
fn what_does_not_fit_is_named() {
    let refused = |text: &str, shape: &[u32], bits, warps| layout(text).place(shape, bits, warps).unwrap_err();
    for (text, shape, bits, warps, expected) in [
        ("wgmma", &[64, 12][..], 32, 4, "12 columns are no multiple of 8, what wgmma takes"),
        ("wgmma", &[32, 8], 32, 4, "32 rows are no multiple of 64, what 4 warps of wgmma hold"),
        ("wgmma", &[64, 8], 32, 8, "64 rows are no multiple of 128, what 8 warps of wgmma hold"),
        ("wgmma", &[384, 8], 32, 12, "12 warps of wgmma hold 192 rows, not 384"),
        ("wgmma", &[64, 8], 32, 6, "wgmma takes four warps or a multiple of four, not 6"),
        ("wgmma", &[64], 32, 4, "the layout is for tiles of rank 2, not 1"),
        ("wgmma", &[64, 0], 32, 4, "a fragment has 1 to 1073741824 elements along axis 1, not 0"),
        ("wgmma", &[64, 8], 32, 64, "a block has 1 to 32 warps, not 64"),
        ("wgmma_a", &[64, 24], 16, 4, "24 columns are no multiple of 16, what wgmma takes"),
        ("wgmma_a", &[64, 16], 64, 4, "operands of mma and wgmma have elements of 8, 16 or 32 bits, not 64"),
        ("mma [2, 2]", &[48, 16], 32, 4, "48 rows are no multiple of 32, what 2 warps of mma hold"),
        ("mma [2, 2]", &[32, 8], 32, 4, "8 columns are no multiple of 16, what 2 warps of mma hold"),
        ("mma [2, 2]", &[32, 16], 32, 8, "the grid has 4 warps, not 8"),
        ("mma_a [2, 2]", &[32, 12], 16, 4, "12 columns are no multiple of 8, the least K of mma"),
        ("mma_b [2, 2]", &[12, 16], 16, 4, "12 rows are no multiple of 8, the least K of mma"),
        ("blocked [1] lanes [32] warps [2]", &[64], 32, 4, "the layout is for 2 warps, not 4"),
        ("blocked [1] lanes [32] warps [1]", &[1 << 20], 32, 1, "a thread needs 32768 registers, at most 4096"),
        (
            "bits (register [], lane [[1], [2], [4], [8], [16]], warp [])",
            &[64],
            32,
            1,
            "no register holds the element [32]",
        ),
        (
            "bits (register [], lane [[1], [2], [4], [8], [16]], warp [])",
            &[16],
            32,
            1,
            "bit 4 of lane adds 16 to axis0, which has 16 values",
        ),
        (
            "bits (register [[1], [1]], lane [[2], [4], [8], [16], [0]], warp [])",
            &[32],
            32,
            1,
            "a bit of the register repeats what those before it hold",
        ),
        (
            "bits (register [], lane [[1], [2], [4], [8], [16]], warp [[32], [64]])",
            &[128],
            32,
            3,
            "none of 3 warps holds element 96 of [128]",
        ),
    ] {
        assert_eq!(refused(text, shape, bits, warps), expected, "{text} of {shape:?}");
    }
}
