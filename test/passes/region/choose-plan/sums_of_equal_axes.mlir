// Of two axes of a sum that have one size, steps go along the one that is contiguous: boxes of TMA take it. Patches of pictures
// are such sums.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90' | FileCheck %s

// CHECK-LABEL: plan.schedule of @patches_0
// CHECK: tile ({{.*}}, i6: 64)
// CHECK: instruction wgmma
frontend.graph @patches(%w: tensor<[768, 3, 16, 16], f16>, %x: tensor<[64, 3, 224, 224], f16>) -> tensor<[64, 768, 14, 14], f16> {
  %y = conv %x, %w stride [16, 16]
  output %y
}
