// The largest size that there is can be divided by one.

// RUN: dlc-opt %s --lower-frontend | FileCheck %s

// CHECK: tiny.func @pairs_of_nothing
// CHECK: shrink %x from [0, 0] to [9223372036854775807, 0]
frontend.graph @pairs_of_nothing(%x: tensor<[9223372036854775807, 0], f32>) -> tensor<[9223372036854775807, 0], f32> {
  %y = rope %x, %x, %x
  output %y
}
