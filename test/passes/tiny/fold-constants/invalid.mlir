// RUN: not dlc-opt %s --fold-constants='max-elements=-1' 2>&1 | FileCheck %s

// No table has fewer than no numbers.
// CHECK: 'max-elements' must not be negative, but is -1
tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  return %x
}
