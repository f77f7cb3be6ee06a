// Windows of convolutions stay in shared memory where that takes less time than to load each pixel for each place of its
// window: a window of 3 x 3 over 64 channels, with all filters in shared memory for all tiles.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[N:64]}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --tensorize --kernel-schedule -o /dev/null

// CHECK: plan.schedule of @pixels_0 for sm90 {
// CHECK-NEXT: tile (n: 1, i1: 2, i2: 58, i3: 64, i5: 3, i6: 3, i4: 64)
// CHECK-NEXT: reduced [i5, i6, i4]
// CHECK-NEXT: instruction wgmma [64, 120, 16]
// CHECK: roles ping_pong consumers 2
// CHECK: cache F {{.*}} buffers 1
// CHECK: store tma
// CHECK: algo (load_X: window)
// CHECK-NEXT: swap_operands
frontend.graph @pixels<N>(%X: tensor<[N, 56, 56, 64], f16>, %F: tensor<[64, 3, 3, 64], f16>) -> tensor<[N, 56, 56, 64], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f pad [1, 1] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}

// With a stride pixels of one place are no neighbours.
// CHECK: plan.schedule of @strided_0 for sm90 {
// CHECK-NOT: window
// CHECK: algo (load_X: im2col)
frontend.graph @strided<N>(%X: tensor<[N, 56, 56, 64], f16>, %F: tensor<[64, 3, 3, 64], f16>) -> tensor<[N, 28, 28, 64], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f stride [2, 2] pad [1, 1] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}

// Of few filters a tile has no more than there are: zeros take longer to load than filters.
// CHECK: plan.schedule of @few_filters_0 for sm90 {
// CHECK-NEXT: tile (n: 1, {{.*}}, i3: 8, i5: 3, i6: 3, i4: 64)
// CHECK: instruction wgmma [64, 8, 16]
// CHECK: store fragments
// CHECK-NEXT: algo (load_X: window)
frontend.graph @few_filters<N>(%X: tensor<[N, 28, 28, 192], f16>, %F: tensor<[8, 3, 3, 192], f16>) -> tensor<[N, 28, 28, 8], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f pad [1, 1] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}

// Where rows are long, a step has half of the channels that a row of a swizzle has room for.
// CHECK: plan.schedule of @long_rows_0 for sm90 {
// CHECK-NEXT: tile (n: 1, {{.*}} i3: 226, i5: 3, i6: 3, i4: 16)
// CHECK: swizzle (x: 64, w: 64)
frontend.graph @long_rows<N>(%x: tensor<[N, 64, 224, 224], f32>, %w: tensor<[32, 64, 3, 3], f32>) -> tensor<[N, 32, 224, 224], f32> {
  %y = conv %x, %w pad [1, 1] tf32
  output %y
}
