// RUN: not dlc-opt %s --detect-contraction=widen=maybe 2>&1 | FileCheck %s

// Products are rounded, or they are not.
// CHECK: E0413
// CHECK-SAME: the option 'widen' of 'detect-contraction' takes true or false, not 'maybe'
tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  return %x
}
