// RUN: dlc-opt %s --insert-broadcasts | FileCheck %s

// Equal sizes and types.
// CHECK-LABEL: tiny.func @equal<M, N>(%x: tensor<[M, 2*N], f32>, %y: tensor<[M, 2*N], f32>) -> tensor<[M, 2*N], f32> {
// CHECK-NEXT:    %z = add %x, %y : tensor<[M, 2*N], f32>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @equal<M, N>(%x: tensor<[M, 2*N], f32>, %y: tensor<[M, 2*N], f32>) -> tensor<[M, 2*N], f32> {
  %z = add %x, %y
  return %z
}

// One operand has nothing to meet, not even where its type changes.
// CHECK-LABEL: tiny.func @one_operand<N>(%x: tensor<[N], i32>) -> tensor<[N], f16> {
// CHECK-NEXT:    %y = sqrt %x : tensor<[N], f32>
// CHECK-NEXT:    %z = cast %y to f16 : tensor<[N], f16>
// CHECK-NEXT:    return %z
// CHECK-NEXT:  }
tiny.func @one_operand<N>(%x: tensor<[N], i32>) -> tensor<[N], f16> {
  %y = sqrt %x
  %z = cast %y to f16
  return %z
}

// Contractions name their axes, and indices are broadcast with each other.
// CHECK-LABEL: tiny.func @other_ops<B, M, K>(%x: tensor<[B, M, K], f16>, %w: tensor<[K, 8], f32>, %i: tensor<[M], i32>) -> (tensor<[B, M, 8], f32>, tensor<[M, 8], f32>) {
// CHECK-NEXT:    %y = contract %x [b, m, k], %w [k, n] to [b, m, n] : tensor<[B, M, 8], f32>
// CHECK-NEXT:    %z = index %w[%i] : tensor<[M, 8], f32>
// CHECK-NEXT:    return %y, %z
// CHECK-NEXT:  }
tiny.func @other_ops<B, M, K>(%x: tensor<[B, M, K], f16>, %w: tensor<[K, 8], f32>, %i: tensor<[M], i32>) -> (tensor<[B, M, 8], f32>, tensor<[M, 8], f32>) {
  %y = contract %x [b, m, k], %w [k, n] to [b, m, n]
  %z = index %w[%i]
  return %y, %z
}
