// Rung 3, shared memory: a block brings a tile of each operand where all its threads read it.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @sgemm
// CHECK: shared : tile<[32, 32], f16
// CHECK: for %k = 0 to K step 32
// CHECK: copy %A
// CHECK: copy %B
// CHECK: barrier
// CHECK: for %kk = 0 to 32
// CHECK: fma
// CHECK: barrier

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
  tile (m: 32, n: 32, k: 32)
  instruction fma
  threads (m: 32, n: 32)
  stages 1
  bind (m.o: block.x, n.o: block.y, m.i: thread.y, n.i: thread.x)
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  barrier block
}
