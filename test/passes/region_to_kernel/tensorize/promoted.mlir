// Products of single steps that are added to the sum in f32: each begins with zero, and is awaited before it is added.

// RUN: dlc-opt %s --tensorize -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --kernel-schedule --check-async -o %t.scheduled.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULED --input-file=%t.scheduled.mlir
// RUN: dlc-opt %t.scheduled.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx.mlir

// Sizes that fill no tiles; no step at all; more steps than the ring has stages.
// RUN: dlc-run %s --function=bytes --shape=M=130,N=72,K=272 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=bytes --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy
// RUN: dlc-run %t.scheduled.mlir --function=bytes --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx.mlir --function=bytes --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=bytes --shape=M=5,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=bytes --shape=M=5,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=bytes --shape=M=64,N=136,K=656 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=bytes --shape=M=64,N=136,K=656 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=halves --shape=M=70,N=40,K=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=halves --shape=M=70,N=40,K=200 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx.mlir --function=halves --shape=M=70,N=40,K=200 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @bytes
// CHECK: %[[START:.+]] = const 0.0 : frag<[128, 128], f32, wgmma>
// CHECK: for %k = 0 to K step 128 carry (%[[SUM:.+]] = %[[START]])
// CHECK: %[[ZERO:.+]] = const 0.0 : frag<[128, 128], f32, wgmma>
// CHECK-NEXT: %[[PRODUCT:.+]]:2 = wgmma %lhs, %rhs transposed, %[[ZERO]] :
// CHECK-NEXT: await %[[PRODUCT]]#1
// CHECK-NEXT: %[[ADDED:.+]] = binary add %[[SUM]], %[[PRODUCT]] : frag<[128, 128], f32, wgmma>
// CHECK-NEXT: barrier
// CHECK-NEXT: yield %[[ADDED]]

// The producer may fill a stage again before the product is added.
// SCHEDULED-LABEL: kernel.func @bytes
// SCHEDULED: role consumer
// SCHEDULED: %[[PRODUCT:.+]]:2 = wgmma
// SCHEDULED-NEXT: await %[[PRODUCT]]#1
// SCHEDULED-NEXT: arrive %empty
// SCHEDULED-NEXT: binary add %{{.+}}, %[[PRODUCT]] : frag<[64, 128], f32, wgmma>

// The first instruction of a step adds to nothing.
// PTX-LABEL: @bytes
// PTX: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {{.+}}, 0, 1, 1
// PTX: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {{.+}}, 1, 1, 1
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: add.rn.f32
region.func @bytes<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f8E4M3FN, row_major, align 128>, %W: memref<[N, K], f8E4M3FN, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f8E4M3FN over (m, k)
    %w = read %W[n, k] : f8E4M3FN over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @bytes for sm90 {
  tile (m: 128, n: 128, k: 128)
  assume (K: 16, N: 4)
  instruction wgmma [64, 128, 32] promote
  stages 4
  persistent sms
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) f8E4M3FN in smem
  cache W (n, k) f8E4M3FN in smem
  swizzle (X: 128, W: 128)
  predicate_tail [m, n, k]
  barrier mbarrier
  async overlap_epilogue
  store tma panels 2 together 1
}

// Factors of 16 bits too, by threads that copy.
// CHECK-LABEL: kernel.func @halves
// CHECK: [[P:%.+]]:2 = wgmma %lhs, %rhs,
// CHECK-NEXT: await
// CHECK-NEXT: binary add
region.func @halves<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @halves for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma [64, 64, 16] promote
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
}
