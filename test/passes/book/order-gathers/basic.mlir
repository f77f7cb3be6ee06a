// RUN: dlc-opt %s --order-gathers --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --order-gathers --split-input-file --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --tiny-to-ptx --split-input-file --evaluate-each --no-output

// Along the second axis: all readers have the positions in the new order, within guards and over several axes too.
// REMARK: [order-gathers, passed] its axes stand in the order of the table
// CHECK-LABEL: book.func @readers
// CHECK: %g = gather non_scop axes (i0: B, i1: N, i2: 16) of %x at [i0, %i (i1), i2] : tensor<[B, N, 16], f32>
// CHECK: %y = entry add axes (i0: B, i1: N, i2: 16) of %g at (i0, i1, i2), %g at (i0, i1 - 1, i2) where (0 <= i1 - 1) else 0.0
// CHECK: %s = reduce sum axes (i0: N) over (i1: B, i2: 16) of %g at (i1, i0, i2) acc f32
book.func @readers<B, N>(%x: tensor<[B, 9, 16], f32>, %i: tensor<[N], i32>) -> (tensor<[B, N, 16], f32>, tensor<[N], f32>) {
  %g = gather non_scop axes (i0: N, i1: B, i2: 16) of %x at [i1, %i (i0), i2] : tensor<[N, B, 16], f32>
  %y = entry add axes (i0: B, i1: N, i2: 16) of %g at (i1, i0, i2), %g at (i1 - 1, i0, i2) where (0 <= i1 - 1) else 0.0 : tensor<[B, N, 16], f32>
  %s = reduce sum axes (i0: N) over (i1: B, i2: 16) of %g at (i0, i1, i2) acc f32 : tensor<[N], f32>
  return %y, %s
}

// -----

// An image that is read at positions of two axes, and gathers of what was gathered.
// CHECK-LABEL: book.func @images
// CHECK: %g = gather non_scop axes (i0: 2, i1: 6, i2: 3) of %x at [i0, %r (i1), %c (i2)] : tensor<[2, 6, 3], f32>
// CHECK: %h = gather non_scop axes (i0: 2, i1: 6, i2: 5) of %g at [i0, i1, %j (i2)] : tensor<[2, 6, 5], f32>
book.func @images(%x: tensor<[2, 8, 4], f32>, %r: tensor<[6], i64>, %c: tensor<[3], i64>, %j: tensor<[5], i32>) -> tensor<[2, 6, 5], f32> {
  %g = gather non_scop axes (i0: 6, i1: 3, i2: 2) of %x at [i2, %r (i0), %c (i1)] : tensor<[6, 3, 2], f32>
  %h = gather non_scop axes (i0: 5, i1: 2, i2: 6) of %g at [i2, %j (i0), i1] : tensor<[5, 2, 6], f32>
  %y = entry neg axes (i0: 2, i1: 6, i2: 5) of %h at (i2, i0, i1) : tensor<[2, 6, 5], f32>
  return %y
}

// -----

// The elements are in the same order as an index of another gather.
// CHECK-LABEL: book.func @indices
// CHECK: %g = gather non_scop axes (i0: 3, i1: N) of %i at [i0, %k (i1)] : tensor<[3, N], i64>
// CHECK: %y = gather non_scop axes (i0: N, i1: 3) of %x at [%g (i1, i0)] : tensor<[N, 3], f32>
book.func @indices<N>(%x: tensor<[9], f32>, %i: tensor<[3, 7], i64>, %k: tensor<[N], i64>) -> tensor<[N, 3], f32> {
  %g = gather non_scop axes (i0: N, i1: 3) of %i at [i1, %k (i0)] : tensor<[N, 3], i64>
  %y = gather non_scop axes (i0: N, i1: 3) of %x at [%g (i0, i1)] : tensor<[N, 3], f32>
  return %y
}

// -----

// Elements at positions of each axis, of which all but one are where they stand: those are expressions, and so are reversed ones.
// CHECK-LABEL: book.func @of_axes
// CHECK: %y = gather non_scop axes (i0: 4, i1: N, i2: 16) of %x at [i0, %i (i0, i1), -i2 + 15] : tensor<[4, N, 16], f32>
book.func @of_axes<N>(%x: tensor<[4, 9, 16], f32>, %i: tensor<[4, N], i64>) -> tensor<[4, N, 16], f32> {
  %a = iota (i0) axes (i0: 4) : tensor<[4], i32>
  %b = iota (15 - i0) axes (i0: 16) : tensor<[16], i64>
  %y = gather non_scop axes (i0: 4, i1: N, i2: 16) of %x at [%a (i0), %i (i0, i1), %b (i2)] : tensor<[4, N, 16], f32>
  return %y
}

// -----

// Without another index it is a copy.
// CHECK-LABEL: book.func @diagonal
// CHECK: %y = entry copy axes (i0: 9) of %x at (i0, i0) : tensor<[9], f32>
book.func @diagonal(%x: tensor<[9, 9], f32>) -> tensor<[9], f32> {
  %a = iota (i0) axes (i0: 9) : tensor<[9], i64>
  %y = gather non_scop axes (i0: 9) of %x at [%a (i0), i0] : tensor<[9], f32>
  return %y
}
