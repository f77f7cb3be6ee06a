// The guard of a read bounds it by another multiple of the axis than its position has: where the axis is not zero, both
// bounds follow from the guard, whatever the multiple is. A reduction over the first of the positions alone changes nothing.

// RUN: dlc-opt %s --tiny-to-region --evaluate-each | FileCheck %s

// CHECK-LABEL: region.func private @first_0
// CHECK: reduce sum (i1: 1)
// CHECK: read %X[i1 + 2*m - 1] where (0 <= i1 + 2147483648*m - 1 < W)
book.func @first<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (2*i0 + i1 - 1) where (0 <= 2147483648*i0 + i1 - 1 < W)
  %y = reduce sum axes (i0: M) over (i1: 1) of %p at (i0, i1) acc f32
  return %y
}
