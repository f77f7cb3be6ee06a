// Fewer blocks than tiles, in clusters that load the right matrix for each other: ping-pong consumers, and such that
// share a tile, as in test/kernels/gemm_cooperative.mlir.

// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=turns --shape=M=1,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=300,N=136,K=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=300,N=136,K=200 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=130,N=0,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=130,N=0,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=0,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=0,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=8,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=8,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=400,N=400,K=64 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=400,N=400,K=64 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=1,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=300,N=136,K=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=300,N=136,K=200 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=130,N=0,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=130,N=0,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=0,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=0,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=8,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=8,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=shared --shape=M=400,N=400,K=64 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=400,N=400,K=64 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @turns
// CHECK: %most = index (4)
// CHECK: grid (%needed) cluster [2] threads 384
// CHECK: %empty = mbarriers arrivals 8 : mbarrier<5>
// CHECK: cluster_barrier
// CHECK: tma_load {{.*}} multicast 3
// CHECK: barrier id %mine threads 256
// CHECK: tma_store
region.func @turns<M, N, K> iters (m: M, n: N)
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
plan.schedule of @turns for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma [64, 128, 16]
  stages 5
  cluster (m: 2)
  multicast [W]
  persistent 4
  order grouped 8 along m
  roles ping_pong consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 4 overlap_epilogue
  store tma panels 2 together 1
}

// CHECK-LABEL: kernel.func @shared
// CHECK: %most = index (2)
// CHECK: grid (%needed) cluster [2] threads 384
// CHECK: %empty = mbarriers arrivals 16 : mbarrier<4>
// CHECK: tma_load {{.*}} multicast 3
// CHECK: slice %lhs{{.*}} at (64*%g, 0)
// CHECK-NOT: barrier id
// CHECK-COUNT-2: tma_store
region.func @shared<M, N, K> iters (m: M, n: N)
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
plan.schedule of @shared for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma [64, 128, 16]
  stages 4
  cluster (m: 2)
  multicast [W]
  persistent 2
  order grouped 8 along m
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier mbarrier
  async prefetch 3 overlap_epilogue
}
