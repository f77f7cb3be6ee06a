// RUN: dlc-opt %s --order-gathers --split-input-file --evaluate-each | FileCheck %s

// Results of the function have the order that it says.
// CHECK-LABEL: book.func @result
// CHECK: gather non_scop axes (i0: N, i1: B, i2: 16) of %x at [i1, %i (i0), i2]
book.func @result<B, N>(%x: tensor<[B, 9, 16], f32>, %i: tensor<[N], i32>) -> tensor<[N, B, 16], f32> {
  %g = gather non_scop axes (i0: N, i1: B, i2: 16) of %x at [i1, %i (i0), i2] : tensor<[N, B, 16], f32>
  return %g
}

// -----

// So do reshapes.
// CHECK-LABEL: book.func @reshaped
// CHECK: gather non_scop axes (i0: 6, i1: 4) of %x at [i1, %i (i0)]
book.func @reshaped(%x: tensor<[4, 9], f32>, %i: tensor<[6], i32>) -> tensor<[5], f32> {
  %g = gather non_scop axes (i0: 6, i1: 4) of %x at [i1, %i (i0)] : tensor<[6, 4], f32>
  %r = reshape non_scop %g : tensor<[24], f32>
  %y = entry neg axes (i0: 5) of %r at (4*i0) : tensor<[5], f32>
  return %y
}

// -----

// It is in order.
// CHECK-LABEL: book.func @in_order
// CHECK: gather non_scop axes (i0: N, i1: 16) of %x at [%i (i0), i1]
book.func @in_order<N>(%x: tensor<[9, 16], f32>, %i: tensor<[N], i32>) -> tensor<[N, 16], f32> {
  %g = gather non_scop axes (i0: N, i1: 16) of %x at [%i (i0), i1] : tensor<[N, 16], f32>
  %y = entry neg axes (i0: N, i1: 16) of %g at (i0, i1) : tensor<[N, 16], f32>
  return %y
}

// -----

// The program asks for this order.
// CHECK-LABEL: book.func @asked
// CHECK: gather non_scop axes (i0: N, i1: 4) of %x at [i1, %i (i0)]
book.func @asked<N>(%x: tensor<[4, 9], f32>, %i: tensor<[N], i32>) -> tensor<[4, N], f32> {
  %g = gather non_scop axes (i0: N, i1: 4) of %x at [i1, %i (i0)] {contiguous} : tensor<[N, 4], f32>
  %y = entry neg axes (i0: 4, i1: N) of %g at (i1, i0) : tensor<[4, N], f32>
  return %y
}

// -----

// Positions that may lie outside stay elements, which read zeros there, and so do numbers that begin anew.
// CHECK-LABEL: book.func @outside
// CHECK: gather non_scop axes (i0: 10) of %x at [%a (i0)]
// CHECK: gather non_scop axes (i0: 300) of %x at [%b (i0)]
book.func @outside(%x: tensor<[300], f32>) -> (tensor<[10], f32>, tensor<[300], f32>) {
  %a = iota (i0 - 3) axes (i0: 10) : tensor<[10], i64>
  %y = gather non_scop axes (i0: 10) of %x at [%a (i0)] : tensor<[10], f32>
  %b = iota (i0) axes (i0: 300) : tensor<[300], i8>
  %z = gather non_scop axes (i0: 300) of %x at [%b (i0)] : tensor<[300], f32>
  return %y, %z
}
