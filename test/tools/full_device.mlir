// A device that has no room is an error, and not a success, for whatever is written to it.

// RUN: not dlc-opt %s -o /dev/full 2>&1 | FileCheck %s
// RUN: not dlc-opt %s --emit-json -o /dev/full 2>&1 | FileCheck %s
// RUN: not dlc-translate %s --to-dot -o /dev/full 2>&1 | FileCheck %s
// RUN: not dlc-run %s --device=cpu --log=/dev/full 2>&1 | FileCheck %s

// CHECK: error[E0502]
// CHECK-SAME: /dev/full
tiny.func @f(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  %y = neg %x : tensor<[2], f32>
  return %y
}
