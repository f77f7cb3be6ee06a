// RUN: dlc-opt %s --tensorize | FileCheck %s

// Without a plan the products of what is in shared memory are unrolled: a loop of so few steps would take longer.
// CHECK-LABEL: kernel.func @product
// CHECK: for %k = 0 to K step 16 carry
// CHECK: for %kk = 0 to 16 unroll carry
// CHECK: fma
region.func @product<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32>, %B: memref<[K, N], f32>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
