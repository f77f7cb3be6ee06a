// What is read is in bounds, whatever the factors and wherever it stands: the axis of one element says less than one of three.

// RUN: dlc-opt %s --form-regions --ccon1 | FileCheck %s

// CHECK: reduce sum (i1: 1)
// CHECK-NEXT: read %X[i1 + 2*m - 1] where (0 <= i1 + 9223372036854775807*m - 1 < W)
book.func @first<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (2*i0 + i1 - 1) where (0 <= 9223372036854775807*i0 + i1 - 1 < W)
  %y = reduce sum axes (i0: M) over (i1: 1) of %p at (i0, i1) acc f32
  return %y
}
