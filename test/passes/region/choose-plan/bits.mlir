// Shared memory has no tiles of single bits: a mask that lies across is read as it lies.

// RUN: dlc-opt %s --lower-frontend --tiny-to-plan='target=sm90' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --tensorize --evaluate-each --no-output

// CHECK: plan.schedule of @masked_0 for sm90 {
// CHECK-NOT: cache m
// CHECK: cache a (i1, i0) f32 in smem transposed
// CHECK-NOT: cache m
// CHECK: }
frontend.graph @masked(%x: tensor<[8, 3000], f32>, %m: tensor<[3000, 8], i1>, %a: tensor<[3000, 8], f32>) -> tensor<[8, 3000], f32> {
  %n = transpose %m by [1, 0]
  %b = transpose %a by [1, 0]
  %y = where %n, %b, %x
  output %y
}
