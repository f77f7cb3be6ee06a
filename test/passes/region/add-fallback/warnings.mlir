// A clause that its kernel cannot use is reported once, where it stands, and not again for the copy for other sizes, whose
// plan a pass made.

// RUN: dlc-opt %s --add-fallback --tensorize --kernel-schedule --no-output 2>&1 | FileCheck %s --implicit-check-not=Warning

// CHECK: [E1614] Warning: 'plan.schedule': 'store' of the plan changes nothing: only results of 'wgmma' are stored by TMA
// CHECK: [E1614] Warning: 'plan.schedule': 'overlap_epilogue': only TMA stores results
// CHECK: [E1614] Warning: 'plan.schedule': the fragments of this loop are not loaded ahead
host.func @run<M, N, K>(%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>) -> memref<[M, N], f16, row_major, align 128> {
  %y = launch @gemm<M, N, K> (%X, %W) : memref<[M, N], f16, row_major, align 128>
  return %y
}
region.func private @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @gemm for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction mma
  stages 6
  cluster (m: 2)
  multicast [W]
  persistent sms
  order grouped 8 along m
  roles ping_pong consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async overlap_epilogue
  in_flight 1
  store tma panels 2 together 1
}
