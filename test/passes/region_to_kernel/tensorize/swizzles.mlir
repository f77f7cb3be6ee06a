// Units of shared memory are exchanged as the plan says of each tensor, else as far as rows reach.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s

// CHECK-LABEL: kernel.func @said
// CHECK: %rhs = shared : tile<[64, 64], f16, interleaved>
// CHECK: %lhs = shared : tile<[64, 64], f16, swizzle 64>
region.func @said<M, N, K> iters (m: M, n: N)
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
plan.schedule of @said for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  swizzle (A: 64, B: 0)
}

// CHECK-LABEL: kernel.func @auto
// CHECK: %rhs = shared : tile<[32, 64], f16, row_major>
// CHECK: %lhs = shared : tile<[64, 32], f16, swizzle 64>
region.func @auto<M, N, K> iters (m: M, n: N)
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
plan.schedule of @auto for sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  swizzle (A: auto, B: 0)
}
