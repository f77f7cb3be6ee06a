// Sums below a maximum that are not in f32, as of factors whose product is wide: threads multiply, in the type of the sums.

// RUN: dlc-opt %s --pass-pipeline="decompose-contraction,tiny-to-ptx-sm90" --no-output
// RUN: dlc-opt %s --pass-pipeline="decompose-contraction,tiny-to-region,choose-plan" | FileCheck %s

// CHECK: acc (f32, f32, f64)
// CHECK: plan.schedule of @grouped_0
// CHECK-NOT: instruction mma

frontend.graph @grouped<B, S>(%q: tensor<[B, 8, S, 64], f32>, %k: tensor<[B, 2, S, 64], f32>, %v: tensor<[B, 2, S, 64], f32>,%mask: tensor<[B, 1, S, S], i1>) -> tensor<[B, 8, S, 64], f32> {
  %y = attention %q, %k, %v mask %mask
  output %y
}
