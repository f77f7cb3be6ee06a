// A kernel with several products for which there is no plan of tiles is two, and what is between them is stored.
// RUN: dlc-opt %s --lower-frontend --tiny-to-region -o %t.region
// RUN: dlc-opt %t.region --choose-plan='target=sm90' --remarks=passed -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: dlc-opt %t.region --choose-plan='target=sm90' --evaluate-each --no-output
// RUN: dlc-opt %t.region --choose-plan='target=sm90' --debug-counter=choose-plan/cut=0 | FileCheck %s --check-prefix=WHOLE

// Two layers whose result is transposed: its rows lie along the last axis.
// REMARK: @permuted_0 is slow as one kernel
// CHECK-LABEL: host.func @permuted
// CHECK: launch @permuted_0_part (
// CHECK: launch @permuted_0 (
// CHECK: region.func private @permuted_0_part iters
// CHECK: plan.schedule of @permuted_0_part for sm90 {
// CHECK: instruction {{mma|wgmma}}
frontend.graph @permuted(%x: tensor<[2, 14, 14, 64], f16>, %w: tensor<[128, 64], f16>, %v: tensor<[64, 128], f16>) -> tensor<[2, 64, 14, 14], f16> {
  %a = linear %x, %w
  %r = relu %a
  %b = linear %r, %v
  %y = transpose %b by [0, 3, 1, 2]
  output %y
}
// WHOLE: plan.schedule of @permuted_0 for sm90 {}
