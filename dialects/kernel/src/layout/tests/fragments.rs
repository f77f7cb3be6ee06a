//! The fragments of mma.sync and wgmma against the tables of the instruction set.

use super::{place, registers};

/// wgmma m64nNk*: register i of lane l of warp w holds row 16w + l/4 + 8*((i>>1)&1), column 8*(i>>2) + 2*(l%4) + (i&1).
#[test]
fn wgmma_accumulator() {
    for columns in [8, 16, 80, 128, 144, 176, 256] {
        for blocks in [1, 2, 3] {
            let fragment = place("wgmma", &[64 * blocks, columns], 32, 4);
            assert_eq!(fragment.registers(), blocks * columns / 2);
            for (r, l, w) in registers(&fragment) {
                let (block, i) = (r / (columns / 2), r % (columns / 2));
                let row = 64 * block + 16 * w + l / 4 + 8 * ((i >> 1) & 1);
                let column = 8 * (i >> 2) + 2 * (l % 4) + (i & 1);
                assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&[row, column][..]), "{r} {l} {w}");
            }
        }
    }
}

/// Two, three and four warpgroups hold the next 64 rows each.
#[test]
fn wgmma_of_several_warpgroups() {
    for warps in [8, 12, 16] {
        let fragment = place("wgmma", &[16 * warps, 80], 16, warps);
        assert_eq!(fragment.registers(), 40);
        for (r, l, w) in registers(&fragment) {
            let row = 16 * w + l / 4 + 8 * ((r >> 1) & 1);
            let column = 8 * (r >> 2) + 2 * (l % 4) + (r & 1);
            assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&[row, column][..]));
        }
    }
    // More rows than the warpgroups hold at once are more registers.
    let fragment = place("wgmma", &[256, 8], 32, 8);
    assert_eq!(fragment.coords(4, 0, 4).as_deref(), Some(&[192, 0][..]));
}

/// Element e of 32-bit register g of an instruction: row 16w + l/4 + 8*(g&1), k as in the table of the width.
#[test]
fn wgmma_a_operand() {
    for (bits, per) in [(8, 4), (16, 2), (32, 1)] {
        for steps in [1, 3, 4] {
            let fragment = place("wgmma_a", &[128, 8 * per * steps], bits, 4);
            let each = 4 * per * steps;
            assert_eq!(fragment.registers(), 2 * each);
            for (r, l, w) in registers(&fragment) {
                let (block, step, g, e) = (r / each, r % each / (4 * per), r % (4 * per) / per, r % per);
                let row = 64 * block + 16 * w + l / 4 + 8 * (g & 1);
                let k = 8 * per * step
                    + match bits {
                        16 => 2 * (l % 4) + e + 8 * (g >> 1),
                        32 => l % 4 + 4 * (g >> 1),
                        _ => 4 * (l % 4) + e + 16 * (g >> 1),
                    };
                assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&[row, k][..]), "{bits} bits, {r} {l} {w}");
            }
        }
    }
}

/// The rows of the table of mma.sync: the shape of an instruction and the width of A and B.
const SHAPES: [(u32, u32); 6] = [(16, 16), (8, 16), (8, 32), (4, 32), (32, 8), (16, 8)];

/// The k of element e of register i of A or B, where i counts along k only.
fn k_of(bits: u32, lane: u32, e: u32, i: u32) -> u32 {
    match bits {
        16 => 2 * (lane % 4) + e + 8 * i,
        32 => lane % 4 + 4 * i,
        _ => 4 * (lane % 4) + e + 16 * i,
    }
}

#[test]
fn mma_a_operand() {
    for (k, bits) in SHAPES {
        let per = 32 / bits;
        let fragment = place("mma_a [1, 1]", &[16, k], bits, 1);
        assert_eq!(fragment.registers(), 16 * k / 32);
        for (r, l, w) in registers(&fragment) {
            let (i, e) = (r / per, r % per);
            let expected = [l / 4 + 8 * (i & 1), k_of(bits, l, e, i >> 1)];
            assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&expected[..]), "k{k}, {bits} bits");
        }
    }
}

#[test]
fn mma_b_operand() {
    for (k, bits) in SHAPES {
        let per = 32 / bits;
        let fragment = place("mma_b [1, 1]", &[k, 8], bits, 1);
        assert_eq!(fragment.registers(), 8 * k / 32);
        for (r, l, w) in registers(&fragment) {
            let expected = [k_of(bits, l, r % per, r / per), l / 4];
            assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&expected[..]), "k{k}, {bits} bits");
        }
    }
}

#[test]
fn mma_accumulator() {
    let fragment = place("mma [1, 1]", &[16, 8], 32, 1);
    for (r, l, w) in registers(&fragment) {
        let expected = [l / 4 + 8 * (r >> 1), 2 * (l % 4) + (r & 1)];
        assert_eq!(fragment.coords(r, l, w).as_deref(), Some(&expected[..]));
    }
}

/// Over a grid, neighbouring warps hold neighbouring instructions, and an operand is the same in the warps that differ
/// only in the axis which it lacks. The pieces of one warp fit each other: its accumulator has the rows of its A
/// operand and the columns of its B operand.
#[test]
fn mma_over_a_grid_of_warps() {
    let (m, n, k) = (96, 48, 32);
    let grid = [2u32, 2];
    let warps = grid[0] * grid[1];
    let text = |word: &str| format!("{word} [{}, {}]", grid[0], grid[1]);
    let c = place(&text("mma"), &[m, n], 32, warps);
    let a = place(&text("mma_a"), &[m, k], 16, warps);
    let b = place(&text("mma_b"), &[k, n], 16, warps);
    assert_eq!((c.registers(), a.registers(), b.registers()), (36, 48, 24));
    for (r, l, w) in registers(&c) {
        // Four registers an instruction, the columns first.
        let (row, column) = (r / 4 / 3, r / 4 % 3);
        let warp = [w / grid[1], w % grid[1]];
        let start = [16 * (grid[0] * row + warp[0]), 8 * (grid[1] * column + warp[1])];
        let expected = [start[0] + l / 4 + 8 * (r >> 1 & 1), start[1] + 2 * (l % 4) + (r & 1)];
        assert_eq!(c.coords(r, l, w).as_deref(), Some(&expected[..]));
        // The A registers of the same row of instructions: eight each 16 of K.
        let a_start = a.coords(row * 16, 0, w).unwrap();
        assert_eq!(a_start.as_slice(), [start[0], 0]);
        assert_eq!(a.coords(row * 16 + 8, 0, w).unwrap().as_slice(), [start[0], 16]);
        assert_eq!(b.coords(column * 8, 0, w).unwrap().as_slice(), [0, start[1]]);
        assert_eq!(b.coords(column * 8 + 4, 0, w).unwrap().as_slice(), [16, start[1]]);
    }
    assert_eq!((a.free().warps, b.free().warps, c.free().warps), (1, 2, 0));
}

/// The accumulator of one product is the A operand of the next, register for register (16-bit elements).
#[test]
fn an_accumulator_is_an_a_operand() {
    for columns in [16, 80, 128] {
        assert_eq!(place("wgmma", &[64, columns], 16, 4), place("wgmma_a", &[64, columns], 16, 4));
        assert_eq!(place("mma [4, 1]", &[64, columns], 16, 4), place("wgmma", &[64, columns], 16, 4));
    }
    assert_ne!(place("wgmma", &[64, 64], 8, 4), place("wgmma_a", &[64, 64], 8, 4));
}
