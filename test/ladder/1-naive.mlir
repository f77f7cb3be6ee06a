// Rung 1 of the ladder, naive: a thread for each element. Neighbouring threads go down a column, so that their reads are far apart.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @sgemm
// CHECK: grid ((M ceildiv 32)*(N ceildiv 32)) threads 1024
// CHECK: for %k = 0 to K carry
// CHECK: load %A[32*%row + i0, %k]
// CHECK: frag<[32], f16, slice 1 of (blocked [1, 1] lanes [32, 1] warps [1, 32] order [0, 1])>
// CHECK: load %B[%k, 32*%column + i0]
// CHECK: mulacc
// CHECK: store

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
  tile (m: 32, n: 32)
  instruction fma
  threads (m: 32, n: 32)
  bind (m.o: block.x, n.o: block.y, m.i: thread.x, n.i: thread.y)
}
