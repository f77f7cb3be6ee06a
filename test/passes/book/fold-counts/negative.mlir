// RUN: dlc-opt %s --fold-counts --split-input-file --evaluate-each | FileCheck %s

// 16 bits: the number of elements may be infinite where the sum is not.
// CHECK-LABEL: @narrow
// CHECK: reduce sum
book.func @narrow<N>() -> tensor<[], f16> {
  %c = const 0.001 : tensor<[], f16>
  %y = reduce sum axes () over (i0: N) of %c at () acc f16 : tensor<[], f16>
  return %y
}

// -----

// Other combiners; a number for each element; values that are no constants.
// CHECK-LABEL: @others
// CHECK-COUNT-3: reduce
book.func @others<N>(%x: tensor<[N], f32>) -> (tensor<[], f32>, tensor<[], f32>, tensor<[], f32>) {
  %c = const 2.0 : tensor<[], f32>
  %d = const dense<[1.0, 2.0]> : tensor<2xf32>
  %a = reduce prod axes () over (i0: 3) of %c at () acc f32 : tensor<[], f32>
  %b = reduce sum axes () over (i0: 2) of %d at (i0) acc f32 : tensor<[], f32>
  %e = reduce sum axes () over (i0: N) of %x at (i0) acc f32 : tensor<[], f32>
  return %a, %b, %e
}

// -----

// Elements outside of a guard are another number.
// CHECK-LABEL: @guarded
// CHECK: reduce sum
book.func @guarded<N>() -> tensor<[], f32> {
  %c = const 2.0 : tensor<[], f32>
  %y = reduce sum axes () over (i0: N) of %c at () where (i0 < 3) acc f32 : tensor<[], f32>
  return %y
}
