// An op that no rule knows stops the pass, which then changes nothing.

// RUN: not dlc-opt < %s --allow-unregistered-dialect --lower-frontend 2>&1 | FileCheck %s

// CHECK: E0453
// CHECK: 'frontend.unknown'
// CHECK: the op is not legal here, and no pattern converts it
frontend.graph @unknown(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  %y = "frontend.unknown"(%x) : (tensor<[2], f32>) -> tensor<[2], f32>
  output %y
}
