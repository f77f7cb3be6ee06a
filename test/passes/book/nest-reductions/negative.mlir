// RUN: dlc-opt %s --nest-reductions='symbols=[M:8192,N:8192]' --split-input-file --evaluate-each | FileCheck %s

// A single axis is not cut.
// CHECK-LABEL: @single
// CHECK: reduce sum axes () over (i0: 1000000)
// CHECK-NEXT: return
book.func @single(%x: tensor<[1000000], f32>) -> tensor<[], f32> {
  %y = reduce sum axes () over (i0: 1000000) of %x at (i0) acc f32 : tensor<[], f32>
  return %y
}

// -----

// Rows enough: each has an SM.
// CHECK-LABEL: @rows
// CHECK: reduce sum axes (i0: 64) over (i1: M, i2: N)
// CHECK-NEXT: return
book.func @rows<M, N>(%x: tensor<[64, M, N], f32>) -> tensor<[64], f32> {
  %y = reduce sum axes (i0: 64) over (i1: M, i2: N) of %x at (i0, i1, i2) acc f32 : tensor<[64], f32>
  return %y
}

// -----

// Short.
// CHECK-LABEL: @short
// CHECK: reduce sum axes () over (i0: 256, i1: 256)
// CHECK-NEXT: return
book.func @short(%x: tensor<[256, 256], f32>) -> tensor<[], f32> {
  %y = reduce sum axes () over (i0: 256, i1: 256) of %x at (i0, i1) acc f32 : tensor<[], f32>
  return %y
}

// -----

// What is between two steps would be rounded to 16 bits; a maximum is not rounded.
// CHECK-LABEL: @rounded
// CHECK: reduce sum axes () over (i0: M, i1: N)
// CHECK: reduce max axes (i0: M) over (i1: N)
// CHECK: reduce max axes () over (i0: M)
book.func @rounded<M, N>(%x: tensor<[M, N], f16>) -> (tensor<[], f16>, tensor<[], f16>) {
  %y = reduce sum axes () over (i0: M, i1: N) of %x at (i0, i1) acc f16 : tensor<[], f16>
  %z = reduce max axes () over (i0: M, i1: N) of %x at (i0, i1) acc f16 : tensor<[], f16>
  return %y, %z
}

// -----

// The second step would be as long as a row that is cut.
// CHECK-LABEL: @thin
// CHECK: reduce sum axes () over (i0: 1000000, i1: 4)
// CHECK-NEXT: return
book.func @thin(%x: tensor<[1000000, 4], f32>) -> tensor<[], f32> {
  %y = reduce sum axes () over (i0: 1000000, i1: 4) of %x at (i0, i1) acc f32 : tensor<[], f32>
  return %y
}
