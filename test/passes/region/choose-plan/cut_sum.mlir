// The sum of two convolutions, for which there is no plan of tiles, is computed by two kernels.
// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90' --remarks=passed -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// REMARK: @shortcut_0 is slow as one kernel
// REMARK-SAME: [8, 256, 64, 64] is
// CHECK-LABEL: host.func @shortcut
// CHECK: %[[PART:[a-z0-9_]+]] = launch @shortcut_0_part (
// CHECK: launch @shortcut_0 (
// CHECK-SAME: %[[PART]]
// CHECK: region.func private @shortcut_0_part iters
// CHECK: plan.schedule of @shortcut_0_part for sm90 {
// CHECK: instruction {{mma|wgmma}}
// CHECK: region.func private @shortcut_0 iters
// CHECK: read %part[i0, i1, i2, i3]
// CHECK: plan.schedule of @shortcut_0 for sm90 {
// CHECK: instruction {{mma|wgmma}}
frontend.graph @shortcut(%h: tensor<[8, 256, 64, 64], f16>, %x: tensor<[8, 128, 64, 64], f16>, %w: tensor<[256, 256, 3, 3], f16>, %v: tensor<[256, 128, 1, 1], f16>) -> tensor<[8, 256, 64, 64], f16> {
  %a = conv %h, %w pad [1, 1]
  %b = conv %x, %v
  %y = add %a, %b
  output %y
}

// Of three, one part is cut again, and what it reads and gives have names of their own, as plans know tensors by names.
// Buffers of kernels that are done are used again.
// CHECK-LABEL: host.func @three
// CHECK: launch @three_0_part_0 ({{.*}}) at [0]
// CHECK: region.func private @three_0_part_0 iters
// CHECK-NEXT: ins ({{.*}}%part: memref
// CHECK-NEXT: outs (part_0: memref
// CHECK: region.func private @three_0 iters
// CHECK-NEXT: ins ({{.*}}%part_0: memref
frontend.graph @three(%h: tensor<[8, 256, 64, 64], f16>, %x: tensor<[8, 128, 64, 64], f16>, %z: tensor<[8, 64, 64, 64], f16>, %w: tensor<[256, 256, 3, 3], f16>, %v: tensor<[256, 128, 3, 3], f16>, %u: tensor<[256, 64, 5, 5], f16>) -> tensor<[8, 256, 64, 64], f16> {
  %a = conv %h, %w pad [1, 1]
  %b = conv %x, %v pad [1, 1]
  %c = conv %z, %u pad [2, 2]
  %s = add %a, %b
  %y = add %s, %c
  output %y
}
