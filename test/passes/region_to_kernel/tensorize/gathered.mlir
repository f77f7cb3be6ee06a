// What is reduced is gone over in the order in which memory has it, all axes as one, and unaligned rows are read
// with neighbours in neighbouring threads.

// RUN: dlc-opt %s --tensorize -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --shape=N=2,O=24,C=3 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=N=2,O=24,C=3 --seed=0 --check=%t.npy --rtol=1e-3 --atol=1e-3

// CHECK: require (C == 3)
// CHECK: grid ({{.*}}) threads 128 blocks_per_sm 4
// CHECK: for %k = 0 to 9*C step 32
// CHECK: copy %X[{{.*}}, (%k + i1) floordiv (3*C) + {{.*}}, {{.*}} + ((%k + i1) floordiv C) mod 3, (%k + i1) mod C] where {{.*}} by blocked [1, 4] lanes [4, 8] warps [4, 1]
// CHECK: copy %K[{{.*}}, (%k + i1) floordiv (3*C), ((%k + i1) floordiv C) mod 3, (%k + i1) mod C] where {{.*}} by blocked [1, 4] lanes [4, 8] warps [4, 1]
// CHECK: mma
region.func @conv<N, O, C> iters (n: N, h: 7, w: 9, co: O)
    ins (%X: memref<[N, 9, 11, C], f16, row_major, align 128>, %K: memref<[O, 3, 3, C], f16, row_major, align 128>)
    outs (Y: memref<[N, 7, 9, O], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (ci: C, r: 3, s: 3) acc f32 init 0.0 {
    %x = read %X[n, h + r, w + s, ci] : f16 over (n, h, w, r, s, ci)
    %k = read %K[co, r, s, ci] : f16 over (co, r, s, ci)
    %p = binary mul %x, %k widen : f32 over (n, h, w, co, r, s, ci)
    yield %p
  } : f32 over (n, h, w, co)
  yield %s to Y as f16
}

plan.schedule of @conv for sm90 {
  tile (n: 1, h: 1, w: 32, co: 32, r: 2, s: 4, ci: 4)
  reduced [r, s, ci]
  fix (C: 3)
  instruction mma [16, 8, 16]
  warp_tile (n: 1, h: 1, w: 16, co: 16)
  stages 1
  blocks_per_sm 4
  cache X (n, h, r, w, s, ci) f16 in smem
  cache K (co, r, s, ci) f16 in smem
  barrier block
  async off
}
