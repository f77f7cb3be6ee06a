// A 1x1 convolution reads no windows: its pixels are the rows of a matrix, and of NCHW the columns of several. With a stride
// pixels lie apart, and TMA takes them one after another.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=64}' 2>&1 | FileCheck %s

// CHECK-NOT: E1614
// CHECK: plan.schedule of @conv_1x1_0 for sm90 {
// CHECK: tile (bhw: {{[0-9]+}}, o: {{[0-9]+}}, c: 64)
// CHECK-NOT: im2col
frontend.graph @conv_1x1<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 1, 1, C], f16>) -> tensor<[B, H, W, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}

// CHECK: region.func private @columns_0
// CHECK-NEXT: memref<[B, 64, 784], f16
// CHECK: plan.schedule of @columns_0 for sm90 {
// CHECK-NEXT: tile (b: 1, i1: {{[0-9]+}}, i2: {{[0-9]+}}, i4: 64)
// CHECK: instruction wgmma
frontend.graph @columns<B>(%x: tensor<[B, 64, 28, 28], f16>, %w: tensor<[128, 64, 1, 1], f16>) -> tensor<[B, 128, 28, 28], f16> {
  %y = conv %x, %w acc f32
  output %y as f16
}

// CHECK: plan.schedule of @strided_0 for sm90 {
// CHECK: algo (load_X: im2col)
frontend.graph @strided<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 1, 1, C], f16>) -> tensor<[B, (H - 1) floordiv 2 + 1, (W - 1) floordiv 2 + 1, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f stride [2, 2] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}

// Rows of 49 pixels are no whole 16-byte units: the pixels of all images are one run.
// CHECK: plan.schedule of @rows_of_49_0 for sm90 {
// CHECK: store rows
// CHECK-NEXT: algo (load_x: im2col)
frontend.graph @rows_of_49<B>(%x: tensor<[B, 512, 7, 7], f16>, %w: tensor<[128, 512, 1, 1], f16>) -> tensor<[B, 128, 7, 7], f16> {
  %y = conv %x, %w acc f32
  output %y as f16
}
