// What a plan assumes, and what TMA needs of the tensors that it gives it, the kernel requires.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s

// CHECK-LABEL: kernel.func @assumed
// CHECK-SAME: attributes {target = "sm80"}
// CHECK-NEXT: require (M == 64, K mod 32 == 0)
// CHECK-NEXT: output
region.func @assumed<M, N, K> iters (m: M, n: N)
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
plan.schedule of @assumed for sm80 {
  tile (m: 64, n: 64, k: 32)
  fix (M: 64)
  assume (K: 32, N: 1)
  instruction mma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier cp_async_group
}

// Rows of A and of B are a multiple of 16 bytes; more is known of K.
// CHECK-LABEL: kernel.func @inputs
// CHECK-NEXT: require (K mod 64 == 0, N mod 8 == 0)
region.func @inputs<M, N, K> iters (m: M, n: N)
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
plan.schedule of @inputs for sm90 {
  tile (m: 64, n: 64, k: 64)
  assume (K: 64)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
}

// And those of the result, of two bytes an element, where it goes that way.
// CHECK-LABEL: kernel.func @output
// CHECK-NEXT: require (N mod 8 == 0)
region.func @output<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @output for sm90 {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  store tma panels 2
}

// What is aligned to no 16 bytes TMA does not move. A plan for several machines says of none which it is.
// CHECK-LABEL: kernel.func @unaligned
// CHECK-NOT: target
// CHECK-NEXT: output
region.func @unaligned<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 2>, %B: memref<[K, N], f16, row_major, align 2>)
    outs (C: memref<[M, N], f16, row_major, align 2> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @unaligned for sm90 or @other {
  tile (m: 64, n: 64, k: 64)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
  store tma panels 2
}
plan.target @other like sm90 { sms 66 }
