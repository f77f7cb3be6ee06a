// RUN: dlc-opt %s --stream-softmax=fuse=false --remarks 2>&1 | FileCheck %s
// RUN: dlc-opt %s --stream-softmax --evaluate-each | FileCheck %s --check-prefix=FUSE

// The powers are rounded to f16 before they are added: where this must stay, so must the sum.
// CHECK: this sum over (n) is not joined to the maximum: what is summed is rounded to f16 on the way
// CHECK-NOT: combine
// FUSE: {fuse, reassoc} : f32 over (m), f32 over (m)
region.func @rounded<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %p = unary exp2 %d : f32 over (m, n)
  %e = cast %p : f16 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// A second sum is rounded to what it is summed in: it is joined.
// CHECK: one pass over (n) instead of 2
// CHECK-LABEL: @alike<
// CHECK: {reassoc} : f32 over (m), f32 over (m)
region.func @alike<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}
