// All blocks share the steps of the tiles that are no whole wave: tiles of whole waves are computed and stored as without
// it, parts of the others are left in memory, and a third grid adds these in order. One kernel is right for all sizes.

// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --kernel-to-ptx --no-output

// A whole wave of tiles and one that is left, whose steps two blocks share.
// RUN: dlc-run %s --function=turns --shape=M=130,N=392,K=712 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=130,N=392,K=712 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=130,N=392,K=712 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=threads --shape=M=130,N=392,K=712 --seed=0 --check=%t.npy

// A wave and three tiles: blocks have steps of two of them.
// RUN: dlc-run %s --function=turns --shape=M=769,N=72,K=712 --seed=1 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=769,N=72,K=712 --seed=1 --check=%t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=769,N=72,K=712 --seed=1 --check=%t.npy
// RUN: dlc-run %t.mlir --function=threads --shape=M=769,N=72,K=712 --seed=1 --check=%t.npy

// Nothing is left.
// RUN: dlc-run %s --function=turns --shape=M=512,N=128,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=512,N=128,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=threads --shape=M=512,N=128,K=72 --seed=0 --check=%t.npy

// One tile, of fewer steps than a part has.
// RUN: dlc-run %s --function=turns --shape=M=1,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=shared --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=threads --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy

// Sums of nothing, and no sums.
// RUN: dlc-run %s --function=turns --shape=M=700,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=700,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %t.mlir --function=threads --shape=M=700,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=turns --shape=M=0,N=8,K=64 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turns --shape=M=0,N=8,K=64 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @turns
// CHECK: %tiles = index ((M ceildiv 128)*(N ceildiv 128))
// CHECK: %whole = index (4*(%tiles floordiv 4))
// CHECK: %left = index (%tiles mod 4)
// CHECK: %sharing = min %parts
// CHECK: %s_parts = workspace : memref<[4, 2, 128, 128], f32
// CHECK: grid (%needed) threads 384 {
// CHECK: for %tile = %block to %whole step %blocks
// CHECK: role consumer warps 4 to 12 groups 2
// CHECK: barrier id %mine threads 256
// CHECK: tma_store %panels{{.*}} to %map_Y
// CHECK: grid (%sharing) threads 384 {
// CHECK: %begin = index (%share*%block)
// CHECK: role producer
// CHECK: for %cut = %begin floordiv %steps to %end ceildiv %steps carry (%stage
// CHECK: role consumer warps 4 to 12 groups 2
// CHECK-NOT: barrier id
// CHECK: tma_store %panels{{.*}} to %map_s_parts[%block, %cut - %begin floordiv %steps, 64*%g, 0]
// CHECK: grid (%left, 2) threads 128 {
// CHECK: for %block = (%steps*%cut) floordiv %share to (%steps*%cut + %steps) ceildiv %share
// CHECK: tma_store %panels{{.*}} to %map_Y
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
  stream_k at_least 4
  deterministic
  instruction wgmma [64, 128, 16]
  stages 6
  roles ping_pong consumers 2
  registers (producer: 40, consumer: 232)
  persistent 4
  order grouped 8 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 5 overlap_epilogue
}

// CHECK-LABEL: kernel.func @shared
// CHECK: grid (%needed) threads 384 {
// CHECK: grid (%sharing) threads 384 {
// CHECK: role consumer warps 4 to 12 groups 2
// CHECK: grid (%left, 4) threads 128 {
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
  tile (m: 256, n: 128, k: 64)
  stream_k at_least 2
  instruction wgmma [64, 128, 16]
  stages 4
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  persistent 3
  order grouped 8 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 3 overlap_epilogue
}

// Warps without roles, and as many blocks as there are SMs.
// CHECK-LABEL: kernel.func @threads
// CHECK: workspace : memref<[108, 2, 64, 64], f32
// CHECK: grid (%whole) threads 128 {
// CHECK: grid (%sharing) threads 128 {
// CHECK: copy_async
// CHECK: grid (%left) threads 128 {
region.func @threads<M, N, K> iters (m: M, n: N)
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
plan.schedule of @threads for sm80 {
  tile (m: 64, n: 64, k: 32)
  assume (K: 8, N: 8)
  stream_k
  instruction mma
  warp_tile (m: 32, n: 32)
  stages 4
  order grouped 8 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier cp_async_group
  async prefetch 3
  in_flight 2
}
