// Rung 4, one-dimensional tiles of threads: a column of eight results for each, so that what is read of B serves eight times.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @sgemm
// CHECK: threads 512
// CHECK: for %k = 0 to K step 8
// CHECK: frag<[64, 64], f32, blocked [8, 1] lanes [1, 32] warps [8, 2]>
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
  tile (m: 64, n: 64, k: 8)
  instruction fma
  thread_tile (m: 8)
  stages 1
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  barrier block
}
