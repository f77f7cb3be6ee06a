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
