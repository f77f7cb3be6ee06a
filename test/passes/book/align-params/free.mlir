// RUN: dlc-opt %s --align-params=free | FileCheck %s
// RUN: dlc-opt %s --align-params=free --evaluate-each -o /dev/null

// Who runs the function says what a symbol is that no argument has.
// CHECK-LABEL: book.func @repeated<M, R>
// CHECK-NEXT:    %y = reduce sum axes (i0: M) over (i1: R) of %x at (i0) acc f32 : tensor<[M], f32>
book.func @repeated<M, R>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = reduce sum axes (i0: M) over (i1: R) of %x at (i0) acc f32 : tensor<[M], f32>
  return %y
}
