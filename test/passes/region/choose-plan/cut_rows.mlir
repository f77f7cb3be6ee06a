// A kernel without a plan that computes a reduction again for several results is two, also without a product: a matrix that is
// divided by the sums of its rows and of its columns. One reduction of whole rows has a plan.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='target=sm90' --remarks=passed -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// REMARK: @normalized_0 is slow as one kernel
// REMARK-NOT: @softmax_0 has no plan

// CHECK-LABEL: host.func @normalized
// CHECK: launch @normalized_0_part
// CHECK: launch @normalized_0 (
frontend.graph @normalized(%a: tensor<[64, 400, 400], f32>) -> tensor<[64, 400, 400], f32> {
  %s = sum %a over [2]
  %r = rsqrt %s
  %u = reshape %r to [64, 400, 1]
  %v = reshape %r to [64, 1, 400]
  %b = mul %a, %u
  %y = mul %b, %v
  output %y
}

// CHECK-LABEL: host.func @softmax
// CHECK: launch @softmax_0 (
// CHECK-NOT: launch
// CHECK: return
frontend.graph @softmax(%a: tensor<[64, 400, 400], f32>) -> tensor<[64, 400, 400], f32> {
  %y = softmax %a over 2
  output %y
}
