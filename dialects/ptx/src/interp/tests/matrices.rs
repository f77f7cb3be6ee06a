//! Products of matrices, their parts in registers and shared memory, TMA.

use dlc_core::placement::Placement;
use std::sync::Arc;

use dlc_core::launch::{MapValue, dense_steps};
use dlc_core::tensor::ElemKind;
use dlc_ir::Type;
use dlc_ir::interp::Datum;
use dlc_ir::types::FloatKind;

use super::super::machine::Map;
use super::super::number::{Mode, round};
use super::{run, run_with};

/// Small numbers, other ones at every place.
fn number(seed: usize, at: usize) -> f32 {
    ((at * 7 + seed * 3 + at / 5) % 9) as f32 - 4.0
}

fn half(value: f32) -> u32 {
    round(value.into(), FloatKind::F16, Mode::Nearest) as u32
}

/// Numbers as 16-bit floats, two in a word.
pub fn halves(count: usize, seed: usize) -> Vec<u32> {
    (0..count / 2).map(|at| half(number(seed, 2 * at)) | half(number(seed, 2 * at + 1)) << 16).collect()
}

/// The product of matrices of rows of k, summed up, as bits.
fn product(m: usize, n: usize, k: usize, a: impl Fn(usize, usize) -> f32, b: impl Fn(usize, usize) -> f32) -> Vec<u32> {
    let mut out = Vec::new();
    for row in 0..m {
        for column in 0..n {
            out.push((0..k).map(|at| a(row, at) * b(column, at)).sum::<f32>().to_bits());
        }
    }
    out
}

/// Rows of 16 16-bit floats through shared memory, `ldmatrix` and `mma`: both matrices have their sums along rows.
#[test]
fn a_product_of_a_warp() {
    // The left matrix is 16 by 16, the right one 8 by 16, after it.
    let body = "    %t = sreg.tid.x
    %s = smem
    %i = mul.lo.s32 %t, 16
    %at = cvt.u64.u32 %i
    %from = add.s64 %p0, %at
    %to = add.s32 %s, %i
    %w:4 = ld.global.v4.b32 [%from]
    st.shared.v4.b32 [%to], {%w#0, %w#1, %w#2, %w#3}
    %more = setp.lt.u32 %t, 16
    bra_if %more, ^more, ^go
  ^more:
    %v:4 = ld.global.v4.b32 [%from + 512]
    st.shared.v4.b32 [%to + 512], {%v#0, %v#1, %v#2, %v#3}
    bra ^go
  ^go:
    bar.warp.sync -1
    %row = and.b32 %t, 15
    %half = shr.u32 %t, 4
    %r32 = mul.lo.s32 %row, 32
    %c16 = mul.lo.s32 %half, 16
    %oa = add.s32 %r32, %c16
    %pa = add.s32 %s, %oa
    %a:4 = ldmatrix.sync.aligned.m8n8.x4.shared.b16 [%pa]
    %brow = and.b32 %t, 7
    %bhalf0 = shr.u32 %t, 3
    %bhalf = and.b32 %bhalf0, 1
    %br32 = mul.lo.s32 %brow, 32
    %bc16 = mul.lo.s32 %bhalf, 16
    %ob = add.s32 %br32, %bc16
    %pb = add.s32 %s, %ob
    %b:2 = ldmatrix.sync.aligned.m8n8.x2.shared.b16 [%pb + 512]
    %z = mov.f32 0.0
    %d:4 = mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%a#0, %a#1, %a#2, %a#3}, {%b#0, %b#1}, {%z, %z, %z, %z}
    %g = shr.u32 %t, 2
    %q = and.b32 %t, 3
    %e = mul.lo.s32 %g, 32
    %f = mad.lo.s32 %q, 8, %e
    %o = cvt.u64.u32 %f
    %p = add.s64 %p1, %o
    st.global.v2.f32 [%p], {%d#0, %d#1}
    st.global.v2.f32 [%p + 256], {%d#2, %d#3}
    exit";
    let mut input = halves(256, 1);
    input.extend(halves(128, 2));
    let out = run("(1) threads 32 shared 768", body, &input, &[128]).unwrap();
    assert_eq!(out[0], product(16, 8, 16, |row, at| number(1, 16 * row + at), |row, at| number(2, 16 * row + at)));
}

/// A tensor map of the first buffer.
pub fn map(base: u64, shape: &[usize], boxed: &[u32], span: u32, windows: Option<[Vec<i64>; 3]>) -> Map {
    let (memory, sizes) = (Datum::Int(0), shape.to_vec());
    let placement = Placement::dense(sizes.clone());
    let strides = placement.strides().map(|(strides, _)| strides).unwrap_or_default();
    let steps = dense_steps(&sizes);
    let value =
        MapValue { memory, placement, strides, sizes, steps, shape: boxed.to_vec(), elem: Type::F16, span, windows };
    Map { value: Arc::new(value), kind: ElemKind::Float(FloatKind::F16), base }
}

/// A box comes to swizzled shared memory, the tensor cores read it, and the sums go where each thread has them.
pub const WGMMA: &str = "    %t = sreg.tid.x
    %s = smem
    %first = setp.eq.u32 %t, 0
    mbarrier.init.shared::cta.b64 [%s], 1 if %first
    bar.sync 0
    bra_if %first, ^load, ^wait
  ^load:
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 9216
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 1024], [%p1, {0, 0}], [%s]
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 9216], [%p2, {0, 64}], [%s]
    bra ^wait
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^go, ^wait
  ^go:
    %u0 = shr.u32 %s, 4
    %u = add.s32 %u0, 64
    %v = add.s32 %u0, 576
    %hi = mov.u32 1073741888
    %da0 = pack.b64 {%u, %hi}
    %db0 = pack.b64 {%v, %hi}
    %z = mov.f32 0.0
    wgmma.fence.sync.aligned
    %c:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%z, %z, %z, %z}, %da0, %db0, 0, 1, 1, 0, 0
    %da1 = add.s64 %da0, 2
    %db1 = add.s64 %db0, 2
    %d:4 = wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c#0, %c#1, %c#2, %c#3}, %da1, %db1, 1, 1, 1, 0, 0
    wgmma.commit_group.sync.aligned
    WAIT
    %w = shr.u32 %t, 5
    %l = and.b32 %t, 31
    %g = shr.u32 %l, 2
    %q = and.b32 %l, 3
    %row = mad.lo.s32 %w, 16, %g
    %e = mul.lo.s32 %row, 32
    %f = mad.lo.s32 %q, 8, %e
    %o = cvt.u64.u32 %f
    %to = add.s64 %p3, %o
    st.global.v2.f32 [%to], {%d#0, %d#1}
    st.global.v2.f32 [%to + 256], {%d#2, %d#3}
    exit";

pub fn wgmma(body: &str, threads: u32) -> Result<Vec<Vec<u32>>, String> {
    // 72 rows of 64: 64 of the left matrix, 8 of the right one.
    let maps = |base: u64| vec![map(base, &[72, 64], &[64, 64], 128, None), map(base, &[72, 64], &[8, 64], 128, None)];
    run_with(&format!("(1) threads {threads} shared 10240"), body, &halves(72 * 64, 3), &[512], &maps)
}

#[test]
fn a_product_of_four_warps() {
    let out = wgmma(&WGMMA.replace("WAIT", "wgmma.wait_group.sync.aligned 0"), 128).unwrap();
    let wanted = product(64, 8, 32, |row, at| number(3, 64 * row + at), |row, at| number(3, 64 * (64 + row) + at));
    assert_eq!(out[0], wanted);
}

#[test]
fn a_product_is_waited_for() {
    let fails = |body: &str, threads: u32, wanted: &str| match wgmma(body, threads) {
        Ok(_) => panic!("it runs, and '{wanted}' is expected"),
        Err(message) => assert!(message.contains(wanted), "{message}"),
    };
    let early = "reads a register that a matrix product which is not awaited writes";
    fails(&WGMMA.replace("WAIT", ""), 128, early);
    fails(&WGMMA.replace("WAIT", "wgmma.wait_group.sync.aligned 1"), 128, early);
    fails(&WGMMA.replace("WAIT", "wgmma.wait_group.sync.aligned 0"), 96, "four warps do this together");
    // What a thread wrote, the tensor cores do not see by themselves.
    let written =
        WGMMA.replace("    %u0 =", "    st.shared.b32 [%s + 9216], 0 if %first\n    FENCE\n    bar.sync 0\n    %u0 =");
    let written = written.replace("WAIT", "wgmma.wait_group.sync.aligned 0");
    fails(&written.replace("FENCE", ""), 128, "is read with no 'fence.proxy.async' between");
    wgmma(&written.replace("FENCE", "fence.proxy.async.shared::cta"), 128).unwrap();
    let right = WGMMA.replace("WAIT", "wgmma.wait_group.sync.aligned 0");
    let aligned = "begins rows at multiples of 16 bytes, not at element 4";
    fails(&right.replace("[%p2, {0, 64}]", "[%p2, {4, 64}]"), 128, aligned);
    fails(&right.replace("9216\n", "9200\n"), 128, "no thread can go on");
    fails(&right.replace("1073741888", "1610612800"), 128, "is no matrix descriptor");
}

/// Boxes at edges: what is outside comes as zeros, and is not written.
#[test]
fn boxes_have_edges() {
    // A box of 4 rows of 16 at row -1, column 8, of 5 rows of 24; then it goes out one row and 8 columns further.
    let body = "    %t = sreg.tid.x
    %s = smem
    %first = elect.sync -1
    bra_if %first, ^one, ^end
  ^one:
    mbarrier.init.shared::cta.b64 [%s], 1
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 128
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s + 128], [%p1, {16, -1}], [%s]
    bra ^wait
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^out, ^wait
  ^out:
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%p2, {8, 2}], [%s + 128]
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%p2, {8, 2}], [%s + 128]
    cp.async.bulk.commit_group
    cp.async.bulk.wait_group 0
    bra ^end
  ^end:
    exit";
    let input = halves(5 * 24, 5);
    // The second map is of the output, which lies after the input.
    let maps = |base: u64| {
        let output = (base + 240 + 1024).next_multiple_of(256);
        vec![map(base, &[5, 24], &[4, 16], 32, None), map(output, &[5, 24], &[4, 16], 32, None)]
    };
    let out = run_with("(1) threads 32 shared 256", body, &input, &[60], &maps).unwrap();
    let mut wanted = vec![0; 120];
    for row in 0..3 {
        for column in 0..16 {
            // Row -1 and columns from 24 on are zeros; rows from 5 on are not there.
            let (from_row, from_column) = (row as i64 - 1, 16 + column);
            let value = match from_row >= 0 && from_column < 24 {
                true => 2.0 * number(5, from_row as usize * 24 + from_column),
                false => 0.0,
            };
            wanted[(2 + row) * 24 + 8 + column] = half(value);
        }
    }
    let found: Vec<u32> = out[0].iter().flat_map(|word| [word & 0xFFFF, word >> 16]).collect();
    assert_eq!(found, wanted);
}

/// The windows of a convolution: pixels go on in the next row and the next image.
#[test]
fn windows_go_on_in_the_next_row() {
    // Two images of 3 by 3 pixels with 8 channels; a filter of 3 by 3, padded by one, of which (2, 1) is loaded.
    let body = "    %s = smem
    %first = elect.sync -1
    bra_if %first, ^one, ^end
  ^one:
    mbarrier.init.shared::cta.b64 [%s], 1
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 192
    %h = cvt.u16.u32 2
    %w = cvt.u16.u32 1
    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%s + 128], [%p1, {0, 0, 0, 0}], [%s], {%w, %h}
    bra ^wait
  ^wait:
    %p = mbarrier.try_wait.parity.shared::cta.b64 [%s], 0
    bra_if %p, ^out, ^wait
  ^out:
    bra ^copy(%s, %p2)
  ^copy(%a: i32, %o: i64):
    %v = ld.shared.u32 [%a + 128]
    st.global.u32 [%o], %v
    %b = add.s32 %a, 4
    %q = add.s64 %o, 4
    %n = sub.s32 %b, %s
    %more = setp.lt.s32 %n, 192
    bra_if %more, ^copy(%b, %q), ^end
  ^end:
    exit";
    let maps = |base: u64| vec![map(base, &[2, 3, 3, 8], &[12, 8], 0, Some([vec![-1, -1], vec![-1, -1], vec![1, 1]]))];
    let out = run_with("(1) threads 32 shared 512", body, &halves(144, 6), &[48], &maps).unwrap();
    let mut wanted = Vec::new();
    // It begins at pixel (0, 0) of the padded image, which the box from -1 to 1 has as its second row and column.
    let mut places = Vec::new();
    for image in 0..2 {
        for row in -1..2i64 {
            for column in -1..2i64 {
                places.push((image, row, column));
            }
        }
    }
    let start = places.iter().position(|&place| place == (0, 0, 0)).expect("it is there");
    for &(image, row, column) in places[start..].iter().take(12) {
        for channel in 0..8 {
            let (row, column) = (row + 2, column + 1);
            let inside = (0..3).contains(&row) && (0..3).contains(&column);
            let at = ((image * 3 + row) * 3 + column) as usize * 8 + channel;
            wanted.push(half(if inside { number(6, at) } else { 0.0 }));
        }
    }
    let found: Vec<u32> = out[0].iter().flat_map(|word| [word & 0xFFFF, word >> 16]).collect();
    assert_eq!(found, wanted);
}
