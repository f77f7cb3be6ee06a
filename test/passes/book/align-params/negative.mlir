// RUN: dlc-opt %s --align-params | FileCheck %s

// All sizes are of the signature: of arguments, of results, or only within an expression.
// CHECK-LABEL: book.func @aligned<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[R, 2], f32> {
// CHECK-NEXT:    %a = entry neg axes (i0: M, i1: K) of %x at (i0, 2*i1) : tensor<[M, K], f32>
// CHECK-NEXT:    %b = reshape non_scop %a : tensor<[R, 2], f32>
// CHECK-NEXT:    return %b
// CHECK-NEXT:  }
book.func @aligned<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[R, 2], f32> {
  %a = entry neg axes (i0: M, i1: K) of %x at (i0, 2*i1) : tensor<[M, K], f32>
  %b = reshape non_scop %a : tensor<[R, 2], f32>
  return %b
}

// A symbol that nothing uses stays: who calls may give it.
// CHECK-LABEL: book.func @unused<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
// CHECK-NEXT:    return %x
// CHECK-NEXT:  }
book.func @unused<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}
