// RUN: not dlc-opt %s --decompose-contraction=all 2>&1 | FileCheck %s

// The pass takes no options.
// CHECK: E0413
// CHECK-SAME: the pass 'decompose-contraction' has no option 'all'
tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  return %x
}
