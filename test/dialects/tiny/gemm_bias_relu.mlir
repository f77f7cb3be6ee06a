// The program of the design, written as it stands there; it prints without the columns.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK: tiny.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
// CHECK-NEXT: %x1 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
// CHECK-NEXT: %w1 = reshape %W to [1, K, N] : tensor<[1, K, N], f16>
// CHECK-NEXT: %w2 = permute %w1 by [0, 2, 1] : tensor<[1, N, K], f16>
// CHECK-NEXT: %p = mul %x1, %w2 : tensor<[M, N, K], f16>
// CHECK-NEXT: %s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>
// CHECK-NEXT: %b1 = reshape %bias to [1, N] : tensor<[1, N], f16>
// CHECK-NEXT: %sb = add %s, %b1 : tensor<[M, N], f32>
// CHECK-NEXT: %r = relu %sb : tensor<[M, N], f32>
// CHECK-NEXT: %y = cast %r to f16 : tensor<[M, N], f16>
// CHECK-NEXT: return %y
// CHECK-NEXT: }

tiny.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x1 = reshape %X to [M, 1, K]              : tensor<[M, 1, K], f16>
  %w1 = reshape %W to [1, K, N]              : tensor<[1, K, N], f16>
  %w2 = permute %w1 by [0, 2, 1]             : tensor<[1, N, K], f16>
  %p  = mul %x1, %w2                         : tensor<[M, N, K], f16>
  %s  = reduce sum %p over [2] acc f32       : tensor<[M, N], f32>
  %b1 = reshape %bias to [1, N]              : tensor<[1, N], f16>
  %sb = add %s, %b1                          : tensor<[M, N], f32>
  %r  = relu %sb                             : tensor<[M, N], f32>
  %y  = cast %r to f16                       : tensor<[M, N], f16>
  return %y
}
