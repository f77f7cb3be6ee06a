// A plan that names no kernel is that of the one there is, and not of its copy: that has the same but for what the copy
// engine asks, so that unaligned rows are copied first.

// RUN: dlc-opt %s --add-fallback --tensorize | FileCheck %s
// CHECK: launch @gemm<M, 64, K> where (K mod 8 == 0) else @gemm_any<M, 64, K>
// CHECK: kernel.func private @gemm<
// CHECK-NEXT: require
// CHECK: wgmma
// CHECK: kernel.func private @gemm_any<
// CHECK-NEXT: output
// CHECK: %A_rows = workspace
// CHECK: wgmma
// CHECK: plan.schedule of @gemm_any for sm90
// CHECK: algo (load_A: padded, load_B: padded)
// CHECK: plan.schedule of @gemm for sm90
// CHECK-NOT: padded
host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>, %w: memref<[K, 64], f16, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> {
  %y = launch @gemm<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
  return %y
}
region.func private @gemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
}
