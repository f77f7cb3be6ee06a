// Rung 8, tensor cores: four warps multiply tiles in shared memory.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func @sgemm
// CHECK: %rhs = shared : tile<[64, 128], f16, swizzle 128>
// CHECK: %lhs = shared : tile<[128, 64], f16, swizzle 128>
// CHECK: fence_async
// CHECK: barrier
// CHECK: wgmma %lhs, %rhs
// CHECK: await
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
  tile (m: 128, n: 128, k: 64)
  instruction wgmma [64, 128, 16]
  stages 4
  roles cooperative consumers 2
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  swizzle (A: 128, B: 128)
  barrier mbarrier
  async prefetch 3
  in_flight 0
}
