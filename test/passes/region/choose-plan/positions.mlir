// Counts at positions that are data: of many positions each element goes to its own, and the kernel has no plan with a tile;
// of few all elements are compared with all of them.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90' | FileCheck %s

// CHECK-LABEL: region.func private @many_0
// CHECK: plan.schedule of @many_0 for sm90 {
// CHECK-NOT: tile
// CHECK: }
frontend.graph @many(%i: tensor<[100000], i64>) -> tensor<[64], i64> {
  %n = arange : tensor<[64], i64>
  %p = reshape %n to [64, 1]
  %c = eq %p, %i
  %one = full 1 : tensor<[], i64>
  %zero = full 0 : tensor<[], i64>
  %w = where %c, %one, %zero
  %y = sum %w over [1]
  output %y
}

// CHECK-LABEL: region.func private @few_0
// CHECK: plan.schedule of @few_0 for sm90 {
// CHECK-NEXT: tile
frontend.graph @few(%i: tensor<[100000], i64>) -> tensor<[63], i64> {
  %n = arange : tensor<[63], i64>
  %p = reshape %n to [63, 1]
  %c = eq %p, %i
  %one = full 1 : tensor<[], i64>
  %zero = full 0 : tensor<[], i64>
  %w = where %c, %one, %zero
  %y = sum %w over [1]
  output %y
}
