// RUN: dlc-opt %s --lower-indexbook | FileCheck %s

// A program of another layer stays what it is.
// CHECK-LABEL: book.func @book<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
// CHECK-NEXT:    %y = entry neg axes (i0: M) of %x at (i0) : tensor<[M], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
book.func @book<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = entry neg axes (i0: M) of %x at (i0) : tensor<[M], f32>
  return %y
}
