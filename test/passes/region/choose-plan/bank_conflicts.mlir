// Threads with four pixels of 16 channels each read shared memory a whole turn of the banks apart. So a convolution of few
// filters is multiplied by tensor cores, three times for each product of f32, and not by threads.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90' | FileCheck %s
// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90 f32=ieee' | FileCheck %s --check-prefix=EXACT

// CHECK: plan.schedule of @few_0 for sm90 {
// CHECK: instruction mma [16, 8, 8] promote as tf32x3
// EXACT: plan.schedule of @few_0 for sm90 {
// EXACT: instruction fma
frontend.graph @few(%w: tensor<[8, 28, 3, 3], f32>, %x: tensor<[8, 28, 512, 1024], f32>) -> tensor<[8, 8, 510, 1022], f32> {
  %y = conv %x, %w
  output %y
}
