// Rung 6, vectors: A is transposed as it is copied to shared memory, so that what a thread needs of it is contiguous.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @sgemm
// CHECK: %lhs = shared : tile<[128, 8], f16, col_major pitch 132>
// CHECK: load_shared {{%.*}} : frag<[128, 1]
// CHECK: fma

region.func @sgemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16>, %B: memref<[K, N], f16>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}

plan.schedule of @sgemm for sm90 {
  tile (m: 128, n: 128, k: 8)
  instruction fma
  thread_tile (m: 8, n: 8)
  stages 1
  cache A (m, k) f16 in smem at k.o transposed
  cache B (k, n) f16 in smem at k.o
  vectors (A: 8, B: 8, C: 4)
  barrier block
}
