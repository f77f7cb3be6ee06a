// What is read is in bounds, whatever the factors and wherever it stands: the axis of one element says less than one of three.

// RUN: dlc-opt %s --form-regions --ccon1 | FileCheck %s

// CHECK: reduce sum (i1: 1)
// CHECK-NEXT: read %X[i1 + 2*m - 1] where (0 <= i1 + 9223372036854775807*m - 1 < W)
book.func @first<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (2*i0 + i1 - 1) where (0 <= 9223372036854775807*i0 + i1 - 1 < W)
  %y = reduce sum axes (i0: M) over (i1: 1) of %p at (i0, i1) acc f32
  return %y
}

// The least multiple that the guard lets through is beyond 64 bits where the rows of a proof are added up.
// CHECK-LABEL: region.func private @second_0
// CHECK: read %X[i1 + 2*m - 1] where (9223372036854775807 <= i1 + 2147483648*m < W)
book.func @second<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (2*i0 + i1 - 1) where (9223372036854775807 <= 2147483648*i0 + i1 < W)
  %y = reduce sum axes (i0: M) over (i1: 1) of %p at (i0, i1) acc f32
  return %y
}
