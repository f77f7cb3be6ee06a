// The plan of docs/plan.md: the kernel has the structure of test/kernels/gemm_pingpong.mlir. Here most blocks have no tile,
// and of those that have one the second consumer has none; in the next file blocks have several.

// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --pass-pipeline='kernel-schedule' | cmp %t.mlir -
// RUN: dlc-run %s --function=gemm --shape=M=1,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=1,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gemm --shape=M=300,N=136,K=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=300,N=136,K=200 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gemm --shape=M=130,N=0,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=130,N=0,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=gemm --shape=M=0,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=0,N=8,K=8 --seed=0 --check=%t.npy

// CHECK: kernel.func @gemm<M, N, K>
// CHECK-NEXT: require (K mod 8 == 0, N mod 8 == 0)
// CHECK: %map_Y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
// CHECK: grid (%needed) threads 384 {
// CHECK-DAG: shared : tile<6 x [128, 64], f16, swizzle 128>
// CHECK-DAG: shared : tile<6 x [64, 128], f16, swizzle 128>
// CHECK-DAG: shared : tile<4 x [64, 64], f16, swizzle 128>
// CHECK-DAG: %full = mbarriers arrivals 1 : mbarrier<6>
// CHECK-DAG: %empty = mbarriers arrivals 4 : mbarrier<6>
// CHECK: role producer warps 0 to 4 registers 40 single {
// CHECK: for %tile = %block to (M ceildiv 128)*(N ceildiv 128) step %blocks
// CHECK: tile_order %tile of (M ceildiv 128, N ceildiv 128) grouped 8
// CHECK: for %k = 0 to K step 64
// CHECK: wait %empty[
// CHECK-NEXT: expect %full[{{.*}}] bytes 32768
// CHECK-COUNT-3: tma_load
// CHECK: role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
// CHECK: barrier_arrive id %other threads 256
// CHECK: for %tile = %g*%blocks + %block to (M ceildiv 128)*(N ceildiv 128) step 2*%blocks
// CHECK: barrier id %mine threads 256
// CHECK: for %k = 0 to K step 64
// CHECK: wait %full[
// CHECK-NEXT: wgmma %lhs[{{.*}}], %rhs[
// CHECK-NEXT: await %held
// CHECK: arrive %empty[%before] by warp
// CHECK: if (%tile + %blocks < (M ceildiv 128)*(N ceildiv 128)) {
// CHECK-NEXT: barrier_arrive id %other threads 256
// CHECK-COUNT-4: tma_store
// CHECK-NOT: store %
// CHECK: await_read
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
  instruction wgmma [64, 128, 16]
  stages 6
  roles ping_pong consumers 2
  registers (producer: 40, consumer: 232)
  persistent sms
  order grouped 8 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 5 overlap_epilogue
}
