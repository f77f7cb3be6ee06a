// Tiles whose sums begin some steps later than those of the tile before, and go on at the beginning from the end on, also where K fills no
// steps. Nobody says that nothing follows it.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=few --shape=M=16,N=304,K=208 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=few --shape=M=16,N=304,K=208 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=few --shape=M=3,N=136,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=few --shape=M=3,N=136,K=0 --seed=0 --check=%t.npy
// RUN: dlc-opt %t.mlir --kernel-schedule -o %t.scheduled.mlir
// RUN: FileCheck %s --input-file=%t.scheduled.mlir --check-prefix=PRODUCER
// RUN: dlc-run %s --function=few --shape=M=16,N=520,K=328 --seed=0 -o %t.npy
// RUN: dlc-run %t.scheduled.mlir --function=few --shape=M=16,N=520,K=328 --seed=0 --check=%t.npy
// RUN: dlc-opt %s --tensorize --kernel-schedule --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=REMARK --allow-empty
// REMARK-NOT: 'algo'

// CHECK-LABEL: kernel.func @few
// CHECK: %tile = block_id 0
// CHECK: for %k = 0 to K step 128
// CHECK: %first = index (128*((5*%tile) mod (K ceildiv 128)))
// CHECK: %at = index ((%first + %k) mod (128*(K ceildiv 128)))
// CHECK: copy %{{[AB]}}[{{.*}}%at + i1] where ({{.*}}%at + i1 < K)
// CHECK: copy %{{[AB]}}[{{.*}}%at + i1] where ({{.*}}%at + i1 < K)
// PRODUCER-LABEL: kernel.func @few
// PRODUCER: role producer
// PRODUCER: %at = index ((%first + %k) mod (128*(K ceildiv 128)))
// PRODUCER: tma_load {{.*}}%at]
// PRODUCER: role consumer
// PRODUCER-NOT: %at
// PRODUCER: return
region.func @few<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[N, K], f16, row_major, align 128>)
    outs (D: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[n, k] : f16 over (n, k)
    %p = binary mul %a, %b widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to D as f16
}
plan.schedule of @few for sm90 {
  tile (m: 16, n: 128, k: 128)
  assume (K: 8, N: 8)
  instruction wgmma [64, 16, 16]
  stages 3
  roles cooperative consumers 2
  cache A (m, k) f16 in smem
  cache B (n, k) f16 in smem
  swizzle (A: 128, B: 128)
  barrier mbarrier
  async prefetch 2
  store fragments
  algo (stagger_k: 5)
  swap_operands
}

// An axis that is not the one of the loop changes nothing.
// CHECK-LABEL: kernel.func @other
// CHECK-NOT: %at
region.func @other<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[N, K], f16, row_major, align 128>)
    outs (D: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[n, k] : f16 over (n, k)
    %p = binary mul %a, %b widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to D as f16
}
plan.schedule of @other for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  cache A (m, k) f16 in smem
  cache B (n, k) f16 in smem
  barrier cp_async_group
  algo (stagger_n: 5)
}
