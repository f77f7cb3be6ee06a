// Products of the same rows, columns and steps have one loop: what they share is loaded once, and blocks in pairs share
// both of the others.

// RUN: dlc-opt %s --choose-plan='assume=4096' | FileCheck %s

// CHECK: plan.schedule of @gated for sm90 {
// CHECK-NEXT: tile (m: 128, n: [[WIDE:[0-9]+]], k: 64)
// CHECK-NEXT: instruction wgmma [64, [[WIDE]], 16]
// CHECK-NEXT: stages 4
// CHECK-NEXT: cluster (m: 2)
// CHECK-NEXT: multicast [A, B]
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: roles cooperative consumers 2
// CHECK-NEXT: registers
// CHECK-NEXT: cache X (m, k) bf16 in smem
// CHECK-NEXT: cache A (n, k) bf16 in smem
// CHECK-NEXT: cache B (n, k) bf16 in smem
// CHECK-NEXT: swizzle (X: 128, A: 128, B: 128)
region.func @gated<M> iters (m: M, n: 16384)
    ins (%X: memref<[M, 4096], bf16, row_major, align 128>, %A: memref<[16384, 4096], bf16, row_major, align 128>, %B: memref<[16384, 4096], bf16, row_major, align 128>)
    outs (Y: memref<[M, 16384], bf16, row_major, align 128> materialize gmem) {
  %x = read %X[m, k] : bf16 over (m, k)
  %p = reduce sum (k: 4096) acc f32 init 0.0 {
    %a = read %A[n, k] : bf16 over (n, k)
    %0 = binary mul %x, %a widen : f32 over (m, n, k)
    yield %0
  } : f32 over (m, n)
  %q = reduce sum (k: 4096) acc f32 init 0.0 {
    %b = read %B[n, k] : bf16 over (n, k)
    %0 = binary mul %x, %b widen : f32 over (m, n, k)
    yield %0
  } : f32 over (m, n)
  %r = unary exp2 %p : f32 over (m, n)
  %s = binary mul %r, %q : f32 over (m, n)
  yield %s to Y as bf16
}
