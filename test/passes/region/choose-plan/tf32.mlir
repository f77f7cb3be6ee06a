// Products of f32 are of tensor cores where these are faster, as the option says.

// RUN: dlc-opt %s --choose-plan='target=sm80 assume=4096' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='target=sm90 assume=4096' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='target=sm80 assume=4096 f32=ieee' | FileCheck %s --check-prefix=IEEE
// RUN: dlc-opt %s --choose-plan='target=sm80 assume=4096 f32=tf32' | FileCheck %s --check-prefix=ONE
// RUN: not dlc-opt %s --choose-plan='f32=tf32x2' 2>&1 | FileCheck %s --check-prefix=WRONG

// Threads add each step to the sum, which tensor cores would cut off.
// CHECK-LABEL: plan.schedule of @gemm
// CHECK: instruction mma [16, 8, 8] promote as tf32x3
// IEEE-LABEL: plan.schedule of @gemm
// IEEE: instruction fma
// ONE-LABEL: plan.schedule of @gemm
// ONE: instruction mma [16, 8, 8] as tf32
// WRONG: tf32x2
region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}

// A program may allow the factors of a product to be rounded, if the option does not forbid it.
// CHECK-LABEL: plan.schedule of @allowed
// CHECK: instruction mma [16, 8, 8] as tf32
// IEEE-LABEL: plan.schedule of @allowed
// IEEE: instruction fma
region.func @allowed<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w widen {tf32} : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}

// A product that is rounded before it is summed is for threads.
// CHECK-LABEL: plan.schedule of @rounded
// CHECK: instruction fma
region.func @rounded<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
