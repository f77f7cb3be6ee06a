// A sum of products that the instruction would round otherwise, or that is no product of two matrices, stays one of loops.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null

// Products that are rounded to halves before they are summed.
// CHECK-LABEL: kernel.func @rounded<
// CHECK-NOT: mma
// CHECK: binary mul {{.*}} f16
// CHECK-NOT: mma
region.func @rounded<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16>, %B: memref<[K, N], f16>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b : f16 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}

// Both factors depend on the row.
// CHECK-LABEL: kernel.func @same_side<
// CHECK-NOT: mma
// CHECK: binary mul
// CHECK-NOT: mma
region.func @same_side<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16>, %B: memref<[M, K], f16>, %c: memref<[N], f32>)
    outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[m, k] : f16 over (m, k)
    %ab = binary mul %a, %b widen : f32 over (m, k)
    yield %ab
  } : f32 over (m)
  %x = read %c[n] : f32 over (n)
  %y = binary mul %s, %x : f32 over (m, n)
  yield %y to C
}

// The largest product.
// CHECK-LABEL: kernel.func @largest<
// CHECK-NOT: fma
// CHECK: binary max
region.func @largest<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32>, %B: memref<[K, N], f32>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce max (k: K) acc f32 init -inf {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
