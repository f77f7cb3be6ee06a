// Without the fast-math flag `widen` a contraction says what its products are rounded to, and gives the numbers of the sum.

// RUN: dlc-opt %s --detect-contraction=widen=false --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --detect-contraction=widen=false -o %t.found
// RUN: dlc-opt %t.found --decompose-contraction --detect-contraction=widen=false | cmp %t.found -

// CHECK-LABEL: @rounded
// CHECK-NEXT: %s = contract %X [m, k], %W [k, n] to [m, n] product f16 acc f32 : tensor<[M, N], f32>
tiny.func @rounded<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %x = reshape %X to [M, 1, K]
  %t = permute %W by [1, 0]
  %w = reshape %t to [1, N, K]
  %p = mul %x, %w
  %s = reduce sum %p over [2] acc f32
  return %s
}

// What the type of the product holds needs no word.
// CHECK-LABEL: @exact
// CHECK-NEXT: %s = contract %X [m, k], %W [n, k] to [m, n] acc f32 : tensor<[M, N], f32>
tiny.func @exact<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %xf = cast %X to f32
  %wf = cast %W to f32
  %x = reshape %xf to [M, 1, K]
  %w = reshape %wf to [1, N, K]
  %p = mul %x, %w
  %s = reduce sum %p over [2]
  return %s
}
