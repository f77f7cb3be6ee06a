// RUN: dlc-opt %s --decompose-contraction | FileCheck %s

// There is no contraction.
// CHECK-LABEL: tiny.func @product_and_sum<M, K>(%x: tensor<[M, K], f32>, %y: tensor<[K], f32>) -> tensor<[M], f32> {
// CHECK-NEXT:    %p = mul %x, %y : tensor<[M, K], f32>
// CHECK-NEXT:    %s = reduce sum %p over [1] : tensor<[M], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @product_and_sum<M, K>(%x: tensor<[M, K], f32>, %y: tensor<[K], f32>) -> tensor<[M], f32> {
  %p = mul %x, %y
  %s = reduce sum %p over [1]
  return %s
}
