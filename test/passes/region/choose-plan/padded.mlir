// Products with unaligned rows at the sizes that are known: factors are copied to padded rows and multiplied by `wgmma`,
// or threads copy as many bytes at once as the sizes allow.

// RUN: dlc-opt %s --choose-plan='symbols=[M:10,N:624,K:20148,P:96,Q:1002,R:1001]' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='symbols=[M:10,N:624,K:20148,P:96,Q:1002,R:1001] target=sm80' | FileCheck %s --check-prefix=SM80

// The sum is shared by blocks that copy what exists.
// CHECK: plan.schedule of @both for sm90 {
// CHECK: assume (M: 2, K: 4, N: 8)
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK: split_k 13 through workspace
// CHECK: vectors (A: 2, B: 4, Y: 8)
// SM80: plan.schedule of @both for sm80 {
// SM80: assume (M: 2, K: 4, N: 8)
// SM80-NEXT: instruction mma [16, 8, 16]
// SM80: vectors (A: 2, B: 4, Y: 8)
// SM80: in_flight 1
region.func @both<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[K, M], bf16, row_major, align 128>, %B: memref<[N, K], bf16, row_major, align 128>)
    outs (Y: memref<[M, N], bf16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[k, m] : bf16 over (m, k)
    %b = read %B[n, k] : bf16 over (n, k)
    %p = binary mul %a, %b widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as bf16
}

// CHECK: plan.schedule of @one for sm90 {
// CHECK-NOT: assume
// CHECK: instruction wgmma [64, 64, 16]
// CHECK: algo (load_A: padded, load_B: padded)
// SM80: plan.schedule of @one for sm80 {
// SM80: assume (Q: 2)
// SM80: vectors (A: 2, B: 2)
region.func @one<P, Q, R> iters (p: P, r: R)
    ins (%A: memref<[P, Q], f16, row_major, align 128>, %B: memref<[R, Q], f16, row_major, align 128>)
    outs (Y: memref<[P, R], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (q: Q) acc f32 init 0.0 {
    %a = read %A[p, q] : f16 over (p, q)
    %b = read %B[r, q] : f16 over (r, q)
    %p = binary mul %a, %b widen : f32 over (p, r, q)
    yield %p
  } : f32 over (p, r)
  yield %s to Y as f16
}

// Of several matrices there is no padded copy.
// CHECK: plan.schedule of @batch for sm90 {
// CHECK: assume (K: 4, N: 8)
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK: vectors (A: 4, B: 4
// CHECK-NOT: algo
region.func @batch<M, N, K> iters (z: 8, m: M, n: N)
    ins (%A: memref<[8, M, K], f16, row_major, align 128>, %B: memref<[8, N, K], f16, row_major, align 128>)
    outs (Y: memref<[8, M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[z, m, k] : f16 over (z, m, k)
    %b = read %B[z, n, k] : f16 over (z, n, k)
    %p = binary mul %a, %b widen : f32 over (z, m, n, k)
    yield %p
  } : f32 over (z, m, n)
  yield %s to Y as f16
}
