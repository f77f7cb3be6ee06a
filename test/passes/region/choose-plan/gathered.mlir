// Rows of fewer elements than 16 bytes are no boxes for TMA, and no runs that threads may leave on their way:
// for such a size threads gather, all reduced axes as one, and the kernel is for that size alone.

// RUN: dlc-opt %s --choose-plan='assume=64 symbols=[C:3]' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='assume=64 symbols=[C:8]' | FileCheck %s --check-prefix=WIDE

// CHECK: plan.schedule of @conv for sm90 {
// CHECK-NEXT: tile (n: 1, h: {{[0-9]+}}, w: 64, co: 64, r: 2, s: 4, ci: 4)
// CHECK-NEXT: reduced [r, s, ci]
// CHECK-NEXT: fix (C: 3)
// CHECK-NEXT: assume (O: 8)
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK: blocks_per_sm {{[1-9]}}
// CHECK: vectors (Y: 8)
// CHECK: barrier block
// CHECK: async off

// WIDE: plan.schedule of @conv for sm90 {
// WIDE-NOT: fix
// WIDE: instruction wgmma
// WIDE: algo (load_X: im2col)
region.func @conv<N, O, C> iters (n: N, h: 56, w: 56, co: O)
    ins (%X: memref<[N, 58, 58, C], f16, row_major, align 128>, %K: memref<[O, 3, 3, C], f16, row_major, align 128>)
    outs (Y: memref<[N, 56, 56, O], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (ci: C, r: 3, s: 3) acc f32 init 0.0 {
    %x = read %X[n, h + r, w + s, ci] : f16 over (n, h, w, r, s, ci)
    %k = read %K[co, r, s, ci] : f16 over (co, r, s, ci)
    %p = binary mul %x, %k widen : f32 over (n, h, w, co, r, s, ci)
    yield %p
  } : f32 over (n, h, w, co)
  yield %s to Y as f16
}
