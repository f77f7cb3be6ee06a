// A matrix product with an addition and a rectifier after it: an exact product that a sum takes in, and three entries.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK: book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
// CHECK-NEXT: %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
// CHECK-NEXT: %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
// CHECK-NEXT: %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1) : tensor<[M, N], f32>
// CHECK-NEXT: %r = entry relu axes (i0: M, i1: N) of %sb at (i0, i1) : tensor<[M, N], f32>
// CHECK-NEXT: %y = entry cast axes (i0: M, i1: N) of %r at (i0, i1) to f16 : tensor<[M, N], f16>
// CHECK-NEXT: return %y
// CHECK-NEXT: }

book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %p  = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
  %s  = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
  %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1)
  %r  = entry relu axes (i0: M, i1: N) of %sb at (i0, i1)
  %y  = entry cast axes (i0: M, i1: N) of %r at (i0, i1) to f16
  return %y
}
