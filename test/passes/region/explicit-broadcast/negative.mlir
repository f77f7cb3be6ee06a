// RUN: dlc-opt %s --explicit-broadcast | FileCheck %s
// RUN: dlc-opt %s --explicit-broadcast=bodies | FileCheck %s

// Equal axes, one operand, and regions that combine accumulators.
// CHECK-LABEL: region.func @nothing
// CHECK-NOT: broadcast_in_dim
// CHECK-NOT: transpose
region.func @nothing<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32>, %Y: memref<[M], f32>)
    outs (Z: memref<[M], f32> materialize gmem) {
  %y = read %Y[m] : f32 over (m)
  %two = const 2.0 : f32 over ()
  %s = reduce (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    %r = unary sqrt %x : f32 over (m, n)
    %t = binary mul %r, %r : f32 over (m, n)
    yield %t
  } combine (%a: f32 over (m), %b: f32 over (m)) {
    %c = binary add %a, %b : f32 over (m)
    %d = binary mul %c, %two : f32 over (m)
    %h = binary fdiv %d, %two : f32 over (m)
    yield %h
  } : f32 over (m)
  %z = binary mul %s, %y : f32 over (m)
  %w = cast %z : f16 over (m)
  %v = cast %w : f32 over (m)
  yield %v to Z
}
