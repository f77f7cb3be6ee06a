// A 1x1 convolution reads no windows, but images: TMA takes their pixels one behind another, whatever their rows are.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=64}' 2>&1 | FileCheck %s

// CHECK-NOT: E1614
// CHECK: plan.schedule of @conv_1x1_0 for sm90 {
// CHECK: algo (load_X: im2col)
frontend.graph @conv_1x1<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 1, 1, C], f16>) -> tensor<[B, H, W, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}
