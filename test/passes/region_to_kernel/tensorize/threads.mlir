// Products by the multiplications of threads: what a thread needs of a column of the left matrix, or of a row of the right
// one, is contiguous in shared memory where the plan turns it on the way, or where it is in memory.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=SCHEDULE

// The left matrix is transposed, the right one lies right already; accesses are of 16 bytes. The loop is unrolled.
// CHECK-LABEL: kernel.func @nn
// CHECK-DAG: %lhs = shared : tile<[32, 8], f32, col_major pitch 36>
// CHECK-DAG: %rhs = shared : tile<[8, 64], f32, row_major pitch 68>
// CHECK: copy %A{{.*}} to %lhs by blocked [1, 4] lanes [16, 2] warps [2, 1]
// CHECK-NEXT: copy %B{{.*}} to %rhs by blocked [1, 4] lanes [2, 16] warps [2, 1]
// CHECK: for %kk = 0 to 8 unroll
// CHECK-NEXT: slice %lhs at (0, %kk) : tile<[32, 1], f32, col_major pitch 36>
// CHECK-NEXT: load_shared %{{.+}} : frag<[32, 1], f32, blocked [4, 4] lanes [4, 8] warps [2, 1]>
// CHECK-NEXT: slice %rhs at (%kk, 0)
// CHECK-NEXT: load_shared %{{.+}} : frag<[1, 64], f32
// The loads of the next step come first, and go to shared memory after the products.
// SCHEDULE-LABEL: kernel.func @nn
// SCHEDULE: for %k
// SCHEDULE: load %A
// SCHEDULE-NEXT: load %B
// SCHEDULE-NEXT: slice %lhs[%stage] at (0, 0)
// SCHEDULE-COUNT-8: fma
// SCHEDULE: store_shared %{{.+}} to %lhs[%next]
// SCHEDULE-NEXT: store_shared %{{.+}} to %rhs[%next]
// SCHEDULE-NEXT: barrier
// SCHEDULE-NEXT: yield
region.func @nn<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32, row_major, align 16>, %B: memref<[K, N], f32, row_major, align 16>) outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @nn for sm90 {
  tile (m: 32, n: 64, k: 8)
  assume (K: 4, N: 4)
  instruction fma
  thread_tile (m: 4, n: 4)
  lanes (m: 4, n: 8)
  warps (m: 2, n: 1)
  stages 2
  unroll (k: 8)
  cache A (m, k) f32 in smem transposed
  cache B (k, n) f32 in smem
  vectors (A: 4, B: 4, C: 4)
  barrier block
}

// The left matrix lies so in memory, the right one is transposed. A loop that no plan unrolls stays.
// CHECK-LABEL: kernel.func @tt
// CHECK-DAG: %lhs = shared : tile<[32, 8], f32, col_major pitch 36>
// CHECK-DAG: %rhs = shared : tile<[64, 8], f32, col_major pitch 68>
// CHECK: copy %A[%k + i1, 32*%row + i0]{{.*}} to %lhs by blocked [4, 1] lanes [8, 4] warps [1, 2] order [0, 1]
// CHECK-NEXT: copy %B[64*%column + i0, %k + i1]{{.*}} to %rhs by blocked [1, 4] lanes [16, 2] warps [2, 1]
// CHECK: for %kk = 0 to 8 carry
// CHECK: slice %rhs at (0, %kk) : tile<[64, 1], f32, col_major pitch 68>
// CHECK-NEXT: load_shared %{{.+}} transposed : frag<[1, 64], f32
region.func @tt<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[K, M], f32, row_major, align 16>, %B: memref<[N, K], f32, row_major, align 16>) outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[k, m] : f32 over (m, k)
    %b = read %B[n, k] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @tt for sm90 {
  tile (m: 32, n: 64, k: 8)
  assume (K: 4, M: 4, N: 4)
  instruction fma
  thread_tile (m: 4, n: 4)
  lanes (m: 4, n: 8)
  warps (m: 2, n: 1)
  stages 2
  cache A (k, m) f32 in smem
  cache B (n, k) f32 in smem transposed
  vectors (A: 4, B: 4, C: 4)
  barrier block
}

// Rows are unaligned: elements come one by one, and neighbours are in other lanes.
// CHECK-LABEL: kernel.func @anywhere
// CHECK: %lhs = shared : tile<[32, 8], f32, row_major pitch 12>
// CHECK: copy %A{{.*}} to %lhs by blocked [1, 1] lanes [4, 8] warps [2, 1]
// CHECK-NEXT: copy %B{{.*}} to %rhs by blocked [1, 1] lanes [1, 32] warps [2, 1]
region.func @anywhere<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32>, %B: memref<[K, N], f32>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @anywhere for sm90 {
  tile (m: 32, n: 64, k: 8)
  instruction fma
  thread_tile (m: 4, n: 4)
  lanes (m: 4, n: 8)
  warps (m: 2, n: 1)
  stages 1
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
  barrier block
}
