// A sum that blocks share: each loads and multiplies by its roles what is its part, and a grid after adds the parts in order.

// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=gemm --shape=M=130,N=136,K=712 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=130,N=136,K=712 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gemm --shape=M=1,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gemm --shape=M=3,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=3,N=8,K=0 --seed=0 --check=%t.npy

// CHECK: %s_parts = workspace : memref<[3, (M ceildiv 128)*(N ceildiv 128), 128, 128], f32
// CHECK: grid (4) threads 384
// CHECK: role producer
// CHECK: for %tile = %block to 3*(M ceildiv 128)*(N ceildiv 128) step %blocks
// CHECK: for %k = 64*%part*(K ceildiv 192)
// CHECK: tma_load %map_X
// CHECK: role consumer warps 4 to 12 groups 2
// CHECK: wgmma
// CHECK: grid ((M ceildiv 128)*(N ceildiv 128), 2) threads 128
// All of its loads may be under way at once.
// CHECK-NOT: for
// CHECK-COUNT-3: load %s_parts
region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
plan.schedule of @gemm for sm90 {
  tile (m: 128, n: 128, k: 64)
  split_k 3 through workspace
  instruction wgmma [64, 128, 16]
  stages 6
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  persistent 4
  order grouped 8 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 5 overlap_epilogue
}
