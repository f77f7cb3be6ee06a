// RUN: dlc-opt %s --split-axes --split-input-file --evaluate-each | FileCheck %s
// What is not split is not shown as a change.
// RUN: dlc-opt %s --split-axes --split-input-file --print-ir-after-change --no-output 2>&1 | FileCheck %s --allow-empty --check-prefix=SAME
// SAME-NOT: IR after

// Nothing is reduced: elements are moved.
// CHECK-LABEL: @moved
// CHECK: entry copy axes (i0: 32) of %x at (i0 floordiv 8, i0 mod 8)
// CHECK-NOT: reshape
book.func @moved(%x: tensor<[4, 8], f32>) -> tensor<[32], f32> {
  %y = entry copy axes (i0: 32) of %x at (i0 floordiv 8, i0 mod 8) : tensor<[32], f32>
  return %y
}

// -----

// A row of results would be stored two numbers at a time, and nothing is computed twice without it.
// CHECK-LABEL: @pairs
// CHECK: entry neg axes (i0: 64) of {{%[a-z0-9]+}} at (i0 floordiv 2, i0 mod 2)
// CHECK-NOT: reshape
book.func @pairs(%x: tensor<[32, 2, 8], f32>) -> tensor<[64], f32> {
  %s = reduce sum axes (i0: 32, i1: 2) over (i2: 8) of %x at (i0, i1, i2) acc f32 : tensor<[32, 2], f32>
  %y = entry neg axes (i0: 64) of %s at (i0 floordiv 2, i0 mod 2) : tensor<[64], f32>
  return %y
}

// -----

// The size is no multiple of the divisor, and divisors that do not divide each other.
// CHECK-LABEL: @rest
// CHECK: entry neg axes (i0: 60) of {{%[a-z0-9]+}} at (i0 floordiv 16)
// CHECK: entry add axes (i0: 48) of {{%[a-z0-9]+}} at (i0 floordiv 16), {{%[a-z0-9]+}} at (i0 floordiv 24)
// CHECK-NOT: reshape
book.func @rest(%x: tensor<[4, 8], f32>) -> (tensor<[60], f32>, tensor<[48], f32>) {
  %s = reduce sum axes (i0: 4) over (i1: 8) of %x at (i0, i1) acc f32 : tensor<[4], f32>
  %y = entry neg axes (i0: 60) of %s at (i0 floordiv 16) : tensor<[60], f32>
  %z = entry add axes (i0: 48) of %s at (i0 floordiv 16), %s at (i0 floordiv 24) : tensor<[48], f32>
  return %y, %z
}

// -----

// A product whose factors are read at its own axes.
// CHECK-LABEL: @product
// CHECK: entry mul axes (i0: 8, i1: 4, i2: 16) of %x at (i0, i2), %w at (i2, i1) to f32 widen
book.func @product(%x: tensor<[8, 16], f16>, %w: tensor<[16, 4], f16>) -> tensor<[8, 4], f32> {
  %m = entry mul axes (i0: 8, i1: 4, i2: 16) of %x at (i0, i2), %w at (i2, i1) to f32 widen : tensor<[8, 4, 16], f32>
  %s = reduce sum axes (i0: 8, i1: 4) over (i2: 16) of %m at (i0, i1, i2) acc f32 : tensor<[8, 4], f32>
  return %s
}

// -----

// What a scatter adds at each position would be stored with its parts, and has more elements than all that it reads.
// CHECK-LABEL: @scatter
// CHECK: entry where axes (i0: 9, i1: 100, i2: 4)
// CHECK-NOT: reshape
book.func @scatter(%to: tensor<[100], i64>, %m: tensor<[4, 10, 10, 3], f32>) -> tensor<[9, 4], f32> {
  %t = reduce sum axes (i0: 4, i1: 10, i2: 10) over (i3: 3) of %m at (i0, i1, i2, i3) acc f32 : tensor<[4, 10, 10], f32>
  %n = iota (i0) axes (i0: 9, i1: 1, i2: 1) : tensor<[9, 1, 1], i64>
  %e = entry eq axes (i0: 9, i1: 100, i2: 1) of %n at (i0, 0, i2), %to at (i1) : tensor<[9, 100, 1], i1>
  %z = const 0.000000e+00 : tensor<[], f32>
  %w = entry where axes (i0: 9, i1: 100, i2: 4) of %e at (i0, i1, 0), %t at (i2, i1 floordiv 10, i1 mod 10), %z at () : tensor<[9, 100, 4], f32>
  %s = reduce sum axes (i0: 9, i1: 4) over (i2: 100) of %w at (i0, i2, i1) acc f32 {any_order} : tensor<[9, 4], f32>
  return %s
}
