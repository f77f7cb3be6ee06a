// A step of a convolution of few channels goes over whole axes of its window: along the channels most of it would be beyond
// their end.

// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90 f32=ieee}" | FileCheck %s

// CHECK-LABEL: plan.schedule of @few_0 for sm90
// CHECK: tile ({{.*}}, i5: 4, i6: 4)
frontend.graph @few(%x: tensor<[16, 3, 66, 66], f32>, %w: tensor<[64, 3, 3, 3], f32>) -> tensor<[16, 64, 64, 64], f32> {
  %y = conv %x, %w
  output %y
}

// An axis of one position is none of a step.
// CHECK-LABEL: plan.schedule of @tall_0 for sm90
// CHECK: tile ({{.*}}i5: 8{{.*}})
frontend.graph @tall(%x: tensor<[16, 3, 70, 64], f32>, %w: tensor<[64, 3, 7, 1], f32>) -> tensor<[16, 64, 64, 64], f32> {
  %y = conv %x, %w
  output %y
}
