// RUN: not dlc-opt %s --insert-broadcasts=each 2>&1 | FileCheck %s

// The pass takes no options.
// CHECK: E0413
// CHECK-SAME: the pass 'insert-broadcasts' has no option 'each'
tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  return %x
}
